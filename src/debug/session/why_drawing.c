/* The steps of `why` as a tree: what was asked for on the left, its causes to the right of it.
 *
 *     +-----------------+        +------------------+
 *     | storm.unsent = .|--from--| filled = 16      |
 *     | storm.c:94 keep |        | storm.c:94 keep  |
 *     +-----------------+\       +------------------+ */
#include "why_chain.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 330, HEIGHT = 62, GAP_X = 90, GAP_Y = 14, MARGIN = 20, LETTERS = 46 };

struct drawing {
    const struct hc_why_chain *chain;
    FILE *out;
    int *row, *column; /* by step */
    int rows, columns;
};

static const char *const colours[] = { "#000000", "#0072b2", "#009e73", "#d55e00" }; /* by role */

/* Children below each other, a parent beside its first child. */
static void lay_out(struct drawing *d, int number, int column)
{
    const struct hc_why_step *s = hc_why_chain_step(d->chain, number);

    d->column[number] = column;
    d->row[number] = d->rows;
    if (column + 1 > d->columns)
        d->columns = column + 1;
    if (!s->count)
        d->rows++;
    for (int i = 0; i < s->count; i++)
        lay_out(d, s->first + i, column + 1);
}

static void write_text(FILE *out, const char *text)
{
    size_t n = 0;

    for (; *text && n < LETTERS; text++, n++)
        if (*text == '<' || *text == '>' || *text == '&' || *text == '"')
            fprintf(out, "&#%d;", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    if (*text)
        fputs("...", out);
}

static int x_of(const struct drawing *d, int number)
{
    return MARGIN + d->column[number] * (WIDTH + GAP_X);
}

static int y_of(const struct drawing *d, int number)
{
    return MARGIN + d->row[number] * (HEIGHT + GAP_Y);
}

static void draw_line(const struct drawing *d, int x, int y, const char *style, const char *text)
{
    fprintf(d->out, "<text x=\"%d\" y=\"%d\" %s>", x, y, style);
    write_text(d->out, text);
    fprintf(d->out, "</text>\n");
}

static void draw_box(const struct drawing *d, int number)
{
    const struct hc_why_step *s = hc_why_chain_step(d->chain, number);
    int x = x_of(d, number), y = y_of(d, number);
    char title[HC_WHY_WHAT + 16];

    snprintf(title, sizeof title, "%d  %s", number, s->what);
    fprintf(d->out,
            "<g><title>#%llu</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" "
            "stroke=\"%s\"/>\n",
            (unsigned long long)s->moment, x, y, WIDTH, HEIGHT, s->answered && !s->count ? "#eef6ee" : "#ffffff",
            colours[s->role]);
    draw_line(d, x + 8, y + 18, "font-weight=\"bold\"", title);
    draw_line(d, x + 8, y + 36, "fill=\"#444\"", s->place[0] ? s->place : s->note);
    draw_line(d, x + 8, y + 53, "font-family=\"monospace\" font-size=\"11\"", s->line);
    fprintf(d->out, "</g>\n");
}

static void draw_edge(const struct drawing *d, int number)
{
    const struct hc_why_step *s = hc_why_chain_step(d->chain, number);
    int x0 = x_of(d, s->parent) + WIDTH, y0 = y_of(d, s->parent) + HEIGHT / 2;
    int x1 = x_of(d, number), y1 = y_of(d, number) + HEIGHT / 2;

    fprintf(d->out,
            "<path d=\"M%d %d C%d %d %d %d %d %d\" fill=\"none\" stroke=\"%s\"/>\n"
            "<text x=\"%d\" y=\"%d\" fill=\"%s\" font-size=\"11\" text-anchor=\"end\">%s</text>\n",
            x0, y0, x0 + GAP_X / 2, y0, x1 - GAP_X / 2, y1, x1, y1, colours[s->role], x1 - 6, y1 - 4, colours[s->role],
            hc_why_role_names[s->role]);
}

static void draw(struct drawing *d)
{
    lay_out(d, 1, 0);
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            2 * MARGIN + d->columns * (WIDTH + GAP_X) - GAP_X, 2 * MARGIN + d->rows * (HEIGHT + GAP_Y) - GAP_Y);
    for (int n = 2; n <= hc_why_chain_steps(d->chain); n++)
        draw_edge(d, n);
    for (int n = 1; n <= hc_why_chain_steps(d->chain); n++)
        draw_box(d, n);
    fprintf(d->out, "</svg>\n");
}

bool hc_why_chain_draw(const struct hc_why_chain *c, FILE *out)
{
    size_t n = (size_t)hc_why_chain_steps(c) + 1;
    struct drawing d = {
        .chain = c, .out = out, .row = calloc(n, sizeof *d.row), .column = calloc(n, sizeof *d.column)
    };
    bool well = d.row && d.column;

    if (well)
        draw(&d);
    free(d.row);
    free(d.column);
    return well;
}
