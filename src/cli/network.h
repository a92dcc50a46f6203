/* A network's recordings, put in order: what `order`, `debug`, `print` and `replay` do with a run directory begins
 * here.
 */
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
    bool unnumbered; /* programs that number no messages are taken, too; set before hc_network_order */
    size_t missing;  /* recordings that could not be used */
    bool diverged;   /* a replay did */
};

/* PATHS are a RUN, or an IMAGE and LOGs. Only the list of recordings; the rest is made by hc_network_order. 0, or an
 * exit code after having said what is wrong; hc_network_close is due in either case. */
int hc_network_open(struct hc_network *network, const char *const *paths, size_t count);

/* Replays all logs and orders their messages. Logs that cannot be used are named, and the others are ordered. 0, or an
 * exit code after having said what is wrong. */
int hc_network_order(struct hc_network *network, const struct hc_pairing_options *options);
void hc_network_close(struct hc_network *network);

#endif
