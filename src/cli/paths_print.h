/* Paths as text and as JSON. */
#ifndef HC_CLI_PATHS_PRINT_H
#define HC_CLI_PATHS_PRINT_H

#include "paths/decode.h"

#include <stdio.h>

struct hc_paths_printer {
    struct hc_image *image;
    FILE *to;
    bool json, blocks;    /* one object a line; addresses, too */
    const char *function; /* only of functions that this pattern fits; NULL: of all */
    /* results */
    size_t stretches, messages, resets, lost, strange, left;
    unsigned runs; /* of handlers */
    /* the line that waits, with how often it came */
    char *line;
    size_t times;
};

/* An hc_paths_fn; OWNER is a printer. */
void hc_paths_print(void *owner, const struct hc_paths_event *event);
/* Prints what waits. */
void hc_paths_print_end(struct hc_paths_printer *p);

#endif
