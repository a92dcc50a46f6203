/* hindcast print: shared by the table of one node and the table of many. */
#ifndef HC_CLI_PRINT_H
#define HC_CLI_PRINT_H

#include "network.h"
#include "open_timeline.h"

#include <jansson.h>

#define HC_PRINT_NO_TIME "note: the log of a region has no time: seconds are what the region's own instructions take"

enum { HC_PRINT_EXPRESSIONS = 16, HC_PRINT_PLACES = 32, HC_PRINT_TEXT = 512 };

struct hc_print_options {
    struct hc_network_options network;
    struct hc_timeline_options timeline;      /* of a network, `image` is the run's directory */
    const char *at, *condition, *svg, *title; /* at: the first place */
    const char *place[HC_PRINT_PLACES];
    size_t places;
    bool csv, json;
    uint64_t limit;
    int expressions;
    const char *expression[HC_PRINT_EXPRESSIONS];
};

/* A value as text and, if it is one, as a number (else NaN). */
struct hc_print_cell {
    char text[HC_PRINT_TEXT];
    double number;
    bool failed;
};

/* Called for each row. Returns false on out-of-memory. */
typedef bool hc_print_row_fn(void *owner, const struct hc_moment *moment, uint16_t segment,
                             const struct hc_print_cell *cells, int count);

/* Runs through one recording and calls ROW for each row. Returns the exit code, after a message if it is not 0. */
int hc_print_rows(const struct hc_print_options *options, hc_print_row_fn *row, void *owner);

/* A value in CSV and in JSON. */
void hc_print_csv(const char *text);
json_t *hc_print_json(const struct hc_print_cell *cell);

/* The whole command, over all nodes of a run. */
int hc_print_network(const struct hc_print_options *options);

#endif
