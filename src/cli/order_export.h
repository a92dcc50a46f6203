/* The files that `hindcast order` writes for other tools (causality/export). */
#ifndef HC_CLI_ORDER_EXPORT_H
#define HC_CLI_ORDER_EXPORT_H

#include "network.h"

struct hc_order_files {
    const char *perfetto, *pcapng, *ctf, *shiviz; /* NULL: not wanted */
    double from, to;                              /* of --shiviz: seconds on the axis */
};

struct hc_order_outputs;

/* Opens the requested files, before the work. Returns 0, or the exit code after a message. */
int hc_order_outputs_open(struct hc_order_outputs **out, const struct hc_order_files *files);
/* Writes them: replays the logs again, side by side. Returns 0, or the exit code after a message. */
int hc_order_outputs_write(struct hc_order_outputs *outputs, struct hc_network *network);
/* Moves the files to their places if WELL; otherwise deletes them. OUTPUTS may be NULL. */
int hc_order_outputs_close(struct hc_order_outputs *outputs, bool well);

#endif
