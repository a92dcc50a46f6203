/* The model of the paper on CADeT (section V, equation 12): bytes of its traces over those of Lamport's clocks. */
#ifndef HC_BENCH_MESSAGES_PLOT_H
#define HC_BENCH_MESSAGES_PLOT_H

#include <stdbool.h>

/* b_I, b_S, b_F and b_A + b_P. */
struct hc_plot_bytes {
    double entry, number, lamport, table;
};

/* p_L, p_I and alpha of an application, and the ratio that was measured. */
struct hc_plot_point {
    const char *name;
    double lost, in_order, alpha, ratio;
};

/* Equation 12; the point's own ratio does not count. */
double hc_plot_model(const struct hc_plot_bytes *b, const struct hc_plot_point *p);

/* An SVG file: curves of the model over p_L, by p_I, and the points. Returns false if it cannot be written. */
bool hc_plot_write(const char *path, const struct hc_plot_bytes *b, const struct hc_plot_point *points, int count);

#endif
