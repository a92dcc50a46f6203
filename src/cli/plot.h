/* A plot of values over time, as an SVG file. */
#ifndef HC_CLI_PLOT_H
#define HC_CLI_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct hc_plot_series {
    const char *name;
    const double *value; /* NaN: there is none at that time */
};

struct hc_plot {
    const char *title;
    size_t points;
    const double *seconds; /* ascending */
    int series;
    const struct hc_plot_series *of; /* of several there is a legend */
    size_t gaps;
    const double *gap; /* seconds: something is missing there */
};

/* Draws it. Values are taken to hold until the next: lines are steps, with dots where there are few. */
void hc_plot_svg(FILE *out, const struct hc_plot *plot);

#endif
