/* The recordings of a network and the order of their messages, for `order`, `debug`, `print` and `replay` with a run
 * directory. */
#ifndef HC_CLI_NETWORK_H
#define HC_CLI_NETWORK_H

#include "causality/axis.h"
#include "causality/fates.h"
#include "run_directory.h"

struct hc_network {
    struct hc_recordings recordings;
    const char *run; /* the run's directory; NULL: the logs were named one by one */
    struct hc_network_history history;
    struct hc_pairing pairing;
    struct hc_fates fates;
    struct hc_axis axis;
    bool unnumbered; /* accept programs that do not number their messages; set it before hc_network_order */
    bool powered;    /* power was lost only where logs say so; likewise */
    size_t missing;  /* recordings that could not be used */
    bool diverged;   /* a replay diverged */
};

/* Makes the list of recordings; hc_network_order does the rest. PATHS are a RUN, or an IMAGE and LOGs. Returns 0, or
 * the exit code after a message. Call hc_network_close in either case. */
int hc_network_open(struct hc_network *network, const char *const *paths, size_t count);

/* Replays all logs and orders their messages. Prints a message for each log that cannot be used and orders the others.
 * Returns 0, or the exit code after a message. */
int hc_network_order(struct hc_network *network, const struct hc_pairing_options *options);
void hc_network_close(struct hc_network *network);

#endif
