/* Plots values over time, as an SVG file. */
#ifndef HC_CLI_PLOT_H
#define HC_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hc_plot_series {
    const char *name;
    const double *value; /* NaN: no value at that time */
};

struct hc_plot {
    const char *title;
    size_t points;
    const double *seconds; /* ascending */
    int series;
    const struct hc_plot_series *of; /* if there are several, a legend is drawn */
    size_t gaps;
    const double *gap; /* seconds: data is missing there */
};

/* Draws it. A value holds until the next one: lines are steps, with dots if there are few. */
void hc_plot_svg(FILE *out, const struct hc_plot *plot);

#endif
