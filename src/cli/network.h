/* The recordings of a network and the order of their messages, for `order`, `debug`, `print` and `replay` with a run
 * directory. */
#ifndef HC_CLI_NETWORK_H
#define HC_CLI_NETWORK_H

#include "causality/axis.h"
#include "causality/fates.h"
#include "run_directory.h"

#include <argp.h>

/* What may be assumed of the logs of a network. Filled in by hc_network_argp, which sets the defaults, too. */
struct hc_network_options {
    struct hc_pairing_options pairing;
    bool powered; /* power was lost only where logs say so */
    bool given;   /* one of the options was given */
};

/* A child of a command's parser, with a struct hc_network_options as input: --tail, --powered. */
extern const struct argp hc_network_argp;

struct hc_network {
    struct hc_recordings recordings;
    const char *run; /* the run's directory; NULL: the logs were named one by one */
    struct hc_network_history history;
    struct hc_pairing pairing;
    struct hc_fates fates;
    struct hc_axis axis;
    bool unnumbered; /* accept programs that do not number their messages; set it before hc_network_order */
    size_t missing;  /* recordings that could not be used */
    bool diverged;   /* a replay diverged */
};

/* Makes the list of recordings; hc_network_order does the rest. PATHS are a RUN, or an IMAGE and LOGs. Returns 0, or
 * the exit code after a message. Call hc_network_close in either case. */
int hc_network_open(struct hc_network *network, const char *const *paths, size_t count);

/* Replays all logs and orders their messages. Prints a message for each log that cannot be used and orders the others.
 * Returns 0, or the exit code after a message. */
int hc_network_order(struct hc_network *network, const struct hc_network_options *options);

/* How many nodes have logs of messages alone, which cannot be replayed. */
size_t hc_network_unreplayed(const struct hc_network *network);

/* How many nodes have logs of a region, whose replay is that of the region alone. */
size_t hc_network_regions(const struct hc_network *network);

/* OPTIONS were given for one recording, where they mean nothing: says so. Returns 0 or the exit code. */
int hc_network_refuse(const struct hc_network_options *options);

void hc_network_close(struct hc_network *network);

#endif
