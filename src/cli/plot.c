#include "plot.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 960,
    HEIGHT = 440,
    LEFT = 84,
    RIGHT = 28,
    TOP = 56,
    BOTTOM = 60,
    TICKS_X = 8,
    TICKS_Y = 6,
    DOTS_MOST = 120, /* points that are marked one by one */
    COLUMNS = 2000,  /* more points than that are drawn as the area that they cover */
};

/* Distinct for colour-blind people, and on paper by their lightness (Okabe and Ito). */
static const char *const colours[] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000" };
enum { COLOURS = sizeof colours / sizeof *colours };

struct axis {
    double low, high, step; /* of what is drawn; between two ticks */
    double factor;          /* shown = value * factor */
    const char *unit;
    int digits; /* behind the point */
};

struct drawing {
    FILE *out;
    const struct hc_plot *plot;
    struct axis x, y;
};

/* ---- axes ---- */

/* 1, 2 or 5 times a power of ten: about N of them make SPAN. */
static double nice_step(double span, int n)
{
    double rough = span / n, power = pow(10, floor(log10(rough))), part = rough / power;

    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* Between ticks there is at least LEAST. */
static void set_ticks(struct axis *a, int n, double least)
{
    a->step = fmax(nice_step((a->high - a->low) * a->factor, n), least);
    a->digits = a->step >= 1 ? 0 : (int)ceil(-log10(a->step) - 1e-9);
}

static void set_time_axis(struct drawing *d)
{
    static const struct {
        double below, factor;
        const char *unit;
    } units[] = { { 2e-3, 1e6, "µs" },
                  { 2, 1e3, "ms" },
                  { 600, 1, "s" },
                  { 36000, 1.0 / 60, "min" },
                  { INFINITY, 1.0 / 3600, "h" } };
    const struct hc_plot *p = d->plot;
    double low = p->points ? p->seconds[0] : 0, high = p->points ? p->seconds[p->points - 1] : 1;
    size_t i = 0;

    if (high <= low)
        high = low + 1e-3;
    while (high >= units[i].below)
        i++;
    d->x = (struct axis){ .low = low, .high = high, .factor = units[i].factor, .unit = units[i].unit };
    if (low < 0.2 * (high - low))
        d->x.low = 0;
    d->x.high += 0.01 * (d->x.high - d->x.low);
    set_ticks(&d->x, TICKS_X, 0);
}

static void set_value_axis(struct drawing *d)
{
    const struct hc_plot *p = d->plot;
    double low = INFINITY, high = -INFINITY;
    bool whole = true; /* numbers only */

    for (int s = 0; s < p->series; s++)
        for (size_t i = 0; i < p->points; i++)
            if (isfinite(p->of[s].value[i])) {
                whole = whole && p->of[s].value[i] == floor(p->of[s].value[i]);
                low = fmin(low, p->of[s].value[i]);
                high = fmax(high, p->of[s].value[i]);
            }
    if (low > high)
        low = 0, high = 1;
    if (low > 0 && low < 0.5 * high)
        low = 0; /* if the values start near zero, the axis starts at zero */
    if (high - low < 1e-9 * fmax(1, fabs(high)))
        low -= 1, high += 1;
    d->y = (struct axis){ .low = low, .high = high, .factor = 1 };
    set_ticks(&d->y, TICKS_Y, whole ? 1 : 0);
    d->y.low = floor(low / d->y.step) * d->y.step;
    d->y.high = ceil(high / d->y.step) * d->y.step;
}

static double place_x(const struct drawing *d, double seconds)
{
    return LEFT + (seconds - d->x.low) / (d->x.high - d->x.low) * (WIDTH - LEFT - RIGHT);
}

static double place_y(const struct drawing *d, double value)
{
    return HEIGHT - BOTTOM - (value - d->y.low) / (d->y.high - d->y.low) * (HEIGHT - TOP - BOTTOM);
}

/* ---- text ---- */

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, out);
    }
}

static void draw_text(struct drawing *d, double x, double y, const char *attributes, const char *text)
{
    fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attributes);
    write_escaped(d->out, text);
    fputs("</text>\n", d->out);
}

static void draw_grid_line(struct drawing *d, double x1, double y1, double x2, double y2)
{
    fprintf(d->out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x1, y1, x2, y2);
}

static void draw_axes(struct drawing *d)
{
    char label[64];
    const double bottom = HEIGHT - BOTTOM;

    double first = ceil(d->x.low * d->x.factor / d->x.step - 1e-9) * d->x.step;
    int ticks = (int)floor((d->x.high * d->x.factor - first) / d->x.step + 1e-9);
    for (int i = 0; i <= ticks; i++) {
        double v = first + i * d->x.step, x = place_x(d, v / d->x.factor);
        snprintf(label, sizeof label, "%.*f", d->x.digits, fabs(v) < d->x.step / 2 ? 0 : v);
        draw_grid_line(d, x, TOP, x, bottom);
        draw_text(d, x, bottom + 20, "class=\"tick\" text-anchor=\"middle\"", label);
    }
    ticks = (int)round((d->y.high - d->y.low) / d->y.step);
    for (int i = 0; i <= ticks; i++) {
        double v = d->y.low + i * d->y.step, y = place_y(d, v);
        snprintf(label, sizeof label, "%.*f", d->y.digits, fabs(v) < d->y.step / 2 ? 0 : v);
        draw_grid_line(d, LEFT, y, WIDTH - RIGHT, y);
        draw_text(d, LEFT - 10, y + 4.5, "class=\"tick\" text-anchor=\"end\"", label);
    }
    fprintf(d->out, "<path class=\"axis\" d=\"M%d %d V%d H%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
    snprintf(label, sizeof label, "time (%s)", d->x.unit);
    draw_text(d, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "class=\"label\" text-anchor=\"middle\"", label);
    if (d->plot->series == 1) {
        char attributes[96];
        snprintf(attributes, sizeof attributes,
                 "class=\"label\" text-anchor=\"middle\" transform=\"rotate(-90 20 %d)\"", (TOP + HEIGHT - BOTTOM) / 2);
        draw_text(d, 20, (TOP + HEIGHT - BOTTOM) / 2.0, attributes, d->plot->of[0].name);
    }
}

/* ---- lines ---- */

static void draw_steps(struct drawing *d, const struct hc_plot_series *s, const char *colour)
{
    double last_y = 0;
    bool open = false;

    fprintf(d->out, "<path class=\"line\" stroke=\"%s\" d=\"", colour);
    for (size_t i = 0; i < d->plot->points; i++) {
        if (!isfinite(s->value[i])) {
            open = false;
            continue;
        }
        double x = place_x(d, d->plot->seconds[i]), y = place_y(d, s->value[i]);
        if (!open)
            fprintf(d->out, "M%.1f %.1f", x, y);
        else if (y != last_y)
            fprintf(d->out, "H%.1fV%.1f", x, y);
        else
            fprintf(d->out, "H%.1f", x);
        last_y = y;
        open = true;
    }
    fputs("\"/>\n", d->out);
}

/* Thousands of points: a bar in each column, from the lowest to the highest value. */
static void draw_columns(struct drawing *d, const struct hc_plot_series *s, const char *colour)
{
    double width = (double)(WIDTH - LEFT - RIGHT) / COLUMNS, low = INFINITY, high = -INFINITY;
    int column = -1;
    bool open = false;

    fprintf(d->out, "<path class=\"line\" stroke=\"%s\" d=\"", colour);
    for (size_t i = 0; i <= d->plot->points; i++) {
        bool end = i == d->plot->points;
        int here = end ? -2 : (int)((place_x(d, d->plot->seconds[i]) - LEFT) / width);
        if (here != column && column >= 0 && low <= high) {
            double x = LEFT + (column + 0.5) * width;
            fprintf(d->out, "%s%.1f %.1fV%.1f", open ? "L" : "M", x, place_y(d, low), place_y(d, high));
            open = true;
            low = INFINITY;
            high = -INFINITY;
        }
        column = here;
        if (!end && isfinite(s->value[i])) {
            low = fmin(low, s->value[i]);
            high = fmax(high, s->value[i]);
        }
    }
    fputs("\"/>\n", d->out);
}

static void draw_dots(struct drawing *d, const struct hc_plot_series *s, const char *colour)
{
    for (size_t i = 0; i < d->plot->points; i++)
        if (isfinite(s->value[i]))
            fprintf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.8\" fill=\"%s\"/>\n",
                    place_x(d, d->plot->seconds[i]), place_y(d, s->value[i]), colour);
}

static void draw_gaps(struct drawing *d)
{
    for (size_t i = 0; i < d->plot->gaps; i++) {
        double x = place_x(d, d->plot->gap[i]);
        if (x < LEFT || x > WIDTH - RIGHT)
            continue;
        fprintf(d->out, "<line class=\"gap\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>\n", x, TOP, x,
                HEIGHT - BOTTOM);
        draw_text(d, x + 3, TOP + 10, "class=\"tick\"", "gap");
    }
}

static void draw_legend(struct drawing *d)
{
    enum { LETTER = 8, GAP = 44 };
    double x = LEFT;

    for (int s = 0; s < d->plot->series && d->plot->series > 1; s++) {
        if (x + LETTER * (double)strlen(d->plot->of[s].name) > WIDTH - RIGHT) { /* the others have no room */
            draw_text(d, x, 50, "class=\"legend\"", "...");
            break;
        }
        fprintf(d->out, "<line x1=\"%.1f\" y1=\"46\" x2=\"%.1f\" y2=\"46\" stroke=\"%s\" stroke-width=\"3\"/>\n", x,
                x + 20, colours[s % COLOURS]);
        draw_text(d, x + 26, 50, "class=\"legend\"", d->plot->of[s].name);
        x += GAP + LETTER * (double)strlen(d->plot->of[s].name);
    }
}

void hc_plot_svg(FILE *out, const struct hc_plot *plot)
{
    struct drawing d = { .out = out, .plot = plot };

    set_time_axis(&d);
    set_value_axis(&d);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n<style>\n"
            ".grid { stroke: #e3e3e3; stroke-width: 1 }\n"
            ".gap { stroke: #999; stroke-width: 1.2; stroke-dasharray: 5 4 }\n"
            ".axis { fill: none; stroke: #444; stroke-width: 1.2 }\n"
            ".line { fill: none; stroke-width: 1.8; stroke-linejoin: round }\n"
            ".tick { font-size: 12px; fill: #444 }\n"
            ".label { font-size: 13px; fill: #222 }\n"
            ".legend { font-size: 12.5px; fill: #222; font-family: DejaVu Sans Mono, Menlo, monospace }\n"
            ".title { font-size: 16px; font-weight: bold; fill: #111 }\n"
            "</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    draw_text(&d, LEFT, 28, "class=\"title\"", plot->title);
    draw_axes(&d);
    for (int s = 0; s < plot->series; s++) {
        const char *colour = colours[s % COLOURS];
        if (plot->points > 4 * COLUMNS)
            draw_columns(&d, &plot->of[s], colour);
        else
            draw_steps(&d, &plot->of[s], colour);
        if (plot->points <= DOTS_MOST)
            draw_dots(&d, &plot->of[s], colour);
    }
    draw_gaps(&d);
    draw_legend(&d);
    if (!plot->points)
        draw_text(&d, WIDTH / 2.0, HEIGHT / 2.0, "class=\"label\" text-anchor=\"middle\"",
                  "no values: the place was not reached");
    fputs("</svg>\n", out);
}
