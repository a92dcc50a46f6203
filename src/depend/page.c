#include "page.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMN = 230, ROW = 26, BOX = 190, BOX_HEIGHT = 20, MARGIN = 40 };

static void write_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc((unsigned char)text[i] < ' ' && text[i] != '\t' ? ' ' : text[i], out);
        }
}

/* From red, near the invariant, to blue. */
static void write_colour(FILE *out, const struct hc_pfdg *g, int level, const char *lightness)
{
    int hue = level <= 0 || !g->levels ? 0 : 40 + 200 * level / (g->levels + 1);

    if (level < 0)
        fprintf(out, "hsl(0,0%%,%s)", lightness);
    else
        fprintf(out, "hsl(%d,70%%,%s)", hue, lightness);
}

/* ---- the graph ---- */

struct place {
    int column, row;
};

/* Functions without a level stand behind the last. */
static int column_of(const struct hc_pfdg *g, size_t f)
{
    return g->level[f] < 0 ? g->levels + 1 : g->level[f];
}

static struct place *find_places(const struct hc_pfdg *g, int *rows)
{
    size_t count = g->slice->a->p->functions;
    struct place *place = calloc(count + 1, sizeof *place);
    int *next = calloc((size_t)g->levels + 2, sizeof *next);

    *rows = 0;
    for (size_t i = 0; place && next && i < count; i++) {
        if (!g->slice->function[i])
            continue;
        place[i] = (struct place){ column_of(g, i), next[column_of(g, i)]++ };
        *rows = place[i].row + 1 > *rows ? place[i].row + 1 : *rows;
    }
    free(next);
    return place;
}

static void draw_edge(FILE *out, struct place from, struct place to, const char *kind)
{
    int x1 = MARGIN + from.column * COLUMN, y1 = MARGIN + from.row * ROW + BOX_HEIGHT / 2;
    int x2 = MARGIN + to.column * COLUMN, y2 = MARGIN + to.row * ROW + BOX_HEIGHT / 2;

    x1 += from.column <= to.column ? BOX : 0;
    x2 += from.column < to.column ? 0 : BOX;
    int bend = from.column == to.column ? 30 : (x2 - x1) / 2;
    fprintf(out, "<path class=\"%s\" d=\"M%d %dC%d %d %d %d %d %d\"/>\n", kind, x1, y1, x1 + bend, y1,
            from.column == to.column ? x2 + bend : x2 - bend, y2, x2, y2);
}

static void draw_box(FILE *out, const struct hc_pfdg *g, size_t f, struct place at)
{
    const struct hc_depend_function *function = &g->slice->a->p->function[f];
    int x = MARGIN + at.column * COLUMN, y = MARGIN + at.row * ROW;

    fprintf(out, "<g><title>%s, ", function->name);
    if (g->level[f] >= 0)
        fprintf(out, "level %d", g->level[f]);
    else
        fputs("no level: it only calls others", out);
    fprintf(out, "%s</title><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"",
            function->handler ? ", interrupt handler" : "", x, y, BOX, BOX_HEIGHT);
    write_colour(out, g, g->level[f], "88%");
    fprintf(out, "\"%s/><text x=\"%d\" y=\"%d\">%.27s</text></g>\n", function->handler ? " class=\"handler\"" : "",
            x + 6, y + 14, function->name);
}

void hc_slice_svg(FILE *out, const struct hc_pfdg *g)
{
    int rows;
    struct place *place = find_places(g, &rows);

    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
        "font-size=\"12\"><style>.call{fill:none;stroke:#999}.dependence{fill:none;stroke:#36c;stroke-dasharray:4 3}"
        ".handler{stroke:#333}</style>\n",
        2 * MARGIN + (g->levels + 2) * COLUMN, 2 * MARGIN + rows * ROW);
    for (int level = 0; level <= g->levels; level++)
        fprintf(out, "<text x=\"%d\" y=\"24\">level %d</text>\n", MARGIN + level * COLUMN, level);
    fprintf(out, "<text x=\"%d\" y=\"24\">no level</text>\n", MARGIN + (g->levels + 1) * COLUMN);
    for (size_t i = 0; place && i < g->calls; i++)
        draw_edge(out, place[g->call[i].from], place[g->call[i].to], "call");
    for (size_t i = 0; place && i < g->dependences; i++)
        draw_edge(out, place[g->dependence[i].from], place[g->dependence[i].to], "dependence");
    for (size_t i = 0; place && i < g->slice->a->p->functions; i++)
        if (g->slice->function[i])
            draw_box(out, g, i, place[i]);
    fputs("</svg>\n", out);
    free(place);
}

/* ---- the sources ---- */

struct line {
    int level;
    bool in;
};

/* What is known of each line of FILE; *COUNT is one past the last. */
static struct line *lines_of(const struct hc_pfdg *g, uint16_t file, size_t *count)
{
    const struct hc_depend_program *p = g->slice->a->p;
    struct line *line = NULL;

    *count = 0;
    for (size_t i = 0; i < p->operations; i++)
        if (g->slice->operation[i] && p->operation[i].file == file && p->operation[i].line >= *count)
            *count = p->operation[i].line + 1;
    line = calloc(*count + 1, sizeof *line);
    for (size_t f = 0; line && f < p->functions; f++)
        for (uint32_t n = 0; n < p->function[f].operations; n++) {
            const struct hc_operation *o = &p->operation[p->function[f].first_operation + n];
            if (o->file == file && o->line && g->slice->operation[p->function[f].first_operation + n])
                line[o->line] = (struct line){ g->level[f], true };
        }
    return line;
}

static void write_line(FILE *out, const struct hc_pfdg *g, const char *text, size_t number, const struct line *line)
{
    fputs("<tr><td>", out);
    fprintf(out, "%zu</td><td>", number);
    if (line && line->in && line->level >= 0)
        fprintf(out, "%d", line->level);
    fputs("</td><td", out);
    if (line && line->in) {
        fputs(" style=\"background:", out);
        write_colour(out, g, line->level, "88%");
        fputs("\"", out);
    }
    fputs(">", out);
    write_text(out, text, strcspn(text, "\n"));
    fputs("</td></tr>\n", out);
}

static void write_source(FILE *out, const struct hc_pfdg *g, uint16_t file)
{
    const char *path = g->slice->a->p->file[file];
    size_t count, room = 0, number = 0;
    struct line *line = lines_of(g, file, &count);
    char *text = NULL;

    if (line && count) {
        FILE *in = fopen(path, "r");
        fputs("<h2>", out);
        write_text(out, path, strlen(path));
        fputs(in ? "</h2><table>\n" : "</h2><p>The source cannot be read.</p><table>\n", out);
        while (in && getline(&text, &room, in) >= 0) {
            number++;
            write_line(out, g, text, number, number < count ? &line[number] : NULL);
        }
        fputs("</table>\n", out);
        if (in)
            fclose(in);
    }
    free(text);
    free(line);
}

void hc_slice_page(FILE *out, const struct hc_pfdg *g, const char *title, const char *summary)
{
    fputs("<!doctype html><meta charset=\"utf-8\"><title>", out);
    write_text(out, title, strlen(title));
    fputs("</title><style>body{font-family:sans-serif;margin:1.5em}table{border-collapse:collapse;font:13px monospace}"
          "td{white-space:pre;padding:0 .6em}td:first-child{color:#888;text-align:right}</style>\n<h1>",
          out);
    write_text(out, title, strlen(title));
    fputs("</h1><p>", out);
    write_text(out, summary, strlen(summary));
    fputs(
        "</p><p>Columns are levels. Grey arcs lead from a function to its callers, dashed ones to what it depends on; "
        "interrupt handlers have a frame. In the sources the second column is the level.</p>\n<div "
        "style=\"overflow:auto\">",
        out);
    hc_slice_svg(out, g);
    fputs("</div>\n", out);
    for (size_t i = 0; i < g->slice->a->p->files; i++)
        write_source(out, g, (uint16_t)i);
}
