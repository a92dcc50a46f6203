/* The space-time diagram of a network: one HTML page that needs no other file. A line for each node, an arrow for each
 * message, time to the right.
 *
 * The page consists of page.html and page.js, which are compiled in. Its data are arrays in base64:
 *
 *     by event: time and spread (us), moment, segment, counter, partner, type
 *     by link, in order of its start: from, to (events, -1: none), fate */
#ifndef HC_CAUSALITY_DIAGRAM_DIAGRAM_H
#define HC_CAUSALITY_DIAGRAM_DIAGRAM_H

#include "../axis.h"
#include "../fates.h"

#include <stdio.h>

/* An arrow; one of its ends may be unknown. */
struct hc_arrow {
    uint32_t from, to; /* events; HC_NO_EVENT: not known */
    uint8_t fate;      /* enum hc_arrow_fate */
};

enum hc_arrow_fate {
    HC_ARROW_RECEIVED,
    HC_ARROW_OVERTAKEN,
    HC_ARROW_AGAIN,
    HC_ARROW_LOST,
    HC_ARROW_UNDECIDED,
    HC_ARROW_UNKNOWN,
    HC_ARROW_UNLOGGED,
    HC_ARROW_FOREIGN,
    HC_ARROW_CONTRADICTED,
};

/* All arrows, sorted by the time of their start: *COUNT of them, owned by the caller. NULL: out of memory. */
struct hc_arrow *hc_arrows_make(const struct hc_network_history *history, const struct hc_pairing *pairing,
                                const struct hc_fates *fates, const struct hc_axis *axis, size_t *count);

struct hc_diagram {
    const char *title;
    const char *run; /* the run's directory, as given on the command line; NULL: logs were given one by one */
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    const struct hc_fates *fates;
    const struct hc_axis *axis;
    /* Files of a node, by its `log` in hc_network_history_node; NULL if they are not known. */
    const char *(*image_of)(void *owner, int log);
    const char *(*log_of)(void *owner, int log);
    void *owner;
};

/* Returns 0 or HC_NETWORK_FULL. Write errors are left in OUT. */
int hc_diagram_write(const struct hc_diagram *diagram, FILE *out);

#endif
