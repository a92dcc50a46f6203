#include "messages_plot.h"

#include <stdio.h>

enum { LEFT = 70, TOP = 30, WIDTH = 560, HEIGHT = 320, STEPS = 50 };

static const double HIGHEST = 0.4;

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
    return TOP + HEIGHT * (1 - ratio / HIGHEST);
}

static void draw_axes(FILE *f)
{
    fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#888'/>\n", LEFT, TOP, WIDTH, HEIGHT);
    for (int i = 0; i <= 10; i++)
        fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%.1f</text>\n", x_of(i / 10.0), TOP + HEIGHT + 16,
                i / 10.0);
    for (int i = 0; i <= 8; i++)
        fprintf(f,
                "<text x='%d' y='%.1f' text-anchor='end'>%.2f</text><path d='M%d %.1fh%d' stroke='#ddd' "
                "fill='none'/>\n",
                LEFT - 6, y_of(i * HIGHEST / 8) + 4, i * HIGHEST / 8, LEFT, y_of(i * HIGHEST / 8), WIDTH);
    fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>p_L, messages lost</text>\n", LEFT + WIDTH / 2,
            TOP + HEIGHT + 36);
    fprintf(f, "<text x='%d' y='%d'>bytes over those of lamport, not compressed</text>\n", LEFT, TOP - 10);
}

static void draw_curve(FILE *f, const struct hc_plot_bytes *b, double in_order, double alpha)
{
    struct hc_plot_point p = { .in_order = in_order, .alpha = alpha };

    fprintf(f, "<path fill='none' stroke='#36c' d='");
    for (int i = 0; i <= STEPS; i++) {
        p.lost = (double)i / STEPS;
        fprintf(f, "%c%.1f %.1f", i ? 'L' : 'M', x_of(p.lost), y_of(hc_plot_model(b, &p)));
    }
    p.lost = 0;
    fprintf(f, "'/><text x='%.1f' y='%.1f' fill='#36c'>p_I %.1f</text>\n", x_of(0) + 6, y_of(hc_plot_model(b, &p)) - 4,
            in_order);
}

static void draw_point(FILE *f, const struct hc_plot_bytes *b, const struct hc_plot_point *p)
{
    fprintf(f, "<path d='M%.1f %.1fh10m-5 -5v10' stroke='#36c'/>", x_of(p->lost) - 5, y_of(hc_plot_model(b, p)));
    fprintf(f, "<circle cx='%.1f' cy='%.1f' r='4' fill='#c33'/>", x_of(p->lost), y_of(p->ratio));
    fprintf(f, "<text x='%.1f' y='%.1f' fill='#c33'>%s (p_I %.3f)</text>\n", x_of(p->lost) + 8, y_of(p->ratio) + 16,
            p->name, p->in_order);
}

bool hc_plot_write(const char *path, const struct hc_plot_bytes *b, const struct hc_plot_point *points, int count)
{
    static const double orders[] = { 0.1, 0.5, 0.9 };
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='12'>\n",
            LEFT + WIDTH + 30, TOP + HEIGHT + 80);
    draw_axes(f);
    for (int i = 0; i < 3; i++)
        draw_curve(f, b, orders[i], 240);
    for (int i = 0; i < count; i++)
        draw_point(f, b, &points[i]);
    fprintf(
        f,
        "<text x='%d' y='%d'>curves: equation 12 with b_I %g, b_S %g, b_F %g, b_A + b_P %g, alpha 240; crosses: the "
        "same for each application; dots: measured</text>\n</svg>\n",
        LEFT - 50, TOP + HEIGHT + 60, b->entry, b->number, b->lamport, b->table);
    return fclose(f) == 0;
}
