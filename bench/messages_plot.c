#include "messages_plot.h"

#include <stdio.h>

enum { LEFT = 60, TOP = 40, WIDTH = 600, HEIGHT = 300, STEPS = 50, LINE = 18, LABELS_AT = 40 };

static const double LOWEST = 0.14, HIGHEST = 0.26, LABEL_LOST = 0.32;
static const char *const colours[] = { "#c33", "#283", "#b60", "#737" };
enum { COLOURS = sizeof colours / sizeof *colours };

double hc_plot_model(const struct hc_plot_bytes *b, const struct hc_plot_point *p)
{
    double alpha = p->alpha > 1 ? p->alpha : 1;

    return b->entry / b->lamport + b->table / b->lamport / (alpha * (2 - p->lost)) +
           b->number / b->lamport * (1 - p->in_order) * (1 - p->lost) / (2 - p->lost);
}

static double x_of(double lost)
{
    return LEFT + WIDTH * lost;
}

static double y_of(double ratio)
{
    return TOP + HEIGHT * (HIGHEST - ratio) / (HIGHEST - LOWEST);
}

static void draw_axes(FILE *f)
{
    enum { LINES = 6 };

    for (int i = 0; i <= LINES; i++) {
        double ratio = LOWEST + i * (HIGHEST - LOWEST) / LINES;
        fprintf(f, "<path d='M%d %.1fh%d' stroke='#ddd'/><text x='%d' y='%.1f' text-anchor='end'>%.2f</text>\n", LEFT,
                y_of(ratio), WIDTH, LEFT - 6, y_of(ratio) + 4, ratio);
    }
    for (int i = 0; i <= 10; i++)
        fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%.1f</text>\n", x_of(i / 10.0), TOP + HEIGHT + 16,
                i / 10.0);
    fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#888'/>\n", LEFT, TOP, WIDTH, HEIGHT);
    fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>p_L: messages lost</text>\n", LEFT + WIDTH / 2,
            TOP + HEIGHT + 2 * LINE);
    fprintf(f, "<text x='%d' y='%d'>bytes of Algorithm 1 over those of Lamport's clocks, neither compressed</text>\n",
            LEFT, TOP - 14);
}

static void draw_curve(FILE *f, const struct hc_plot_bytes *b, double in_order, double alpha)
{
    struct hc_plot_point p = { .in_order = in_order, .alpha = alpha };

    fprintf(f, "<path fill='none' stroke='#36c' d='");
    for (int i = 0; i <= STEPS; i++) {
        p.lost = (double)i / STEPS;
        fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', x_of(p.lost), y_of(hc_plot_model(b, &p)));
    }
    p.lost = LABEL_LOST;
    fprintf(f, "'/><text x='%.1f' y='%.1f' fill='#36c'>p_I %.1f</text>\n", x_of(p.lost), y_of(hc_plot_model(b, &p)) - 6,
            in_order);
}

/* A cross where the model is, a dot where the measurement; its line of the legend. */
static void draw_point(FILE *f, const struct hc_plot_bytes *b, const struct hc_plot_point *p, int index)
{
    const char *colour = colours[index % COLOURS];
    double model = hc_plot_model(b, p);
    int y = TOP + HEIGHT + LABELS_AT + LINE * (index + 2);

    fprintf(f, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>", x_of(p->lost), y_of(p->ratio), colour);
    fprintf(f, "<path d='M%.1f %.1fl12 12m0 -12l-12 12' stroke='%s' stroke-width='1.5'/>\n", x_of(p->lost) - 6,
            y_of(model) - 6, colour);
    fprintf(f, "<circle cx='%d' cy='%d' r='4' fill='%s'/>", LEFT + 4, y - 4, colour);
    fprintf(f,
            "<text x='%d' y='%d' fill='%s'>%s: p_L %.3f, p_I %.3f, alpha %.0f; equation 12: %.3f, measured: "
            "%.3f</text>\n",
            LEFT + 14, y, colour, p->name, p->lost, p->in_order, p->alpha, model, p->ratio);
}

bool hc_plot_write(const char *path, const struct hc_plot_bytes *b, const struct hc_plot_point *points, int count)
{
    static const double orders[] = { 0.1, 0.5, 0.9 };
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n",
            LEFT + WIDTH + 30, TOP + HEIGHT + LABELS_AT + LINE * (count + 3));
    draw_axes(f);
    for (int i = 0; i < 3; i++)
        draw_curve(f, b, orders[i], 240);
    for (int i = 0; i < count; i++)
        draw_point(f, b, &points[i], i);
    fprintf(f, "<text x='%d' y='%d'>curves: equation 12 with b_I %g, b_S %g, b_F %g, b_A + b_P %g, alpha 240</text>\n",
            LEFT, TOP + HEIGHT + LABELS_AT + LINE, b->entry, b->number, b->lamport, b->table);
    fprintf(f, "<text x='%d' y='%d'>crosses: the same for each application; dots: measured</text>\n</svg>\n", LEFT,
            TOP + HEIGHT + LABELS_AT + LINE * (count + 2));
    return fclose(f) == 0;
}
