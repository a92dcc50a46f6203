/* What `hindcast order` writes for other tools (causality/export). */
#ifndef HC_CLI_ORDER_EXPORT_H
#define HC_CLI_ORDER_EXPORT_H

#include "network.h"

struct hc_order_files {
    const char *perfetto, *pcapng, *ctf, *shiviz; /* NULL: not wanted */
    double from, to;                              /* of --shiviz: seconds on the axis */
};

struct hc_order_outputs;

/* Opens the files that are wanted, before the work. 0, or an exit code after having said what is wrong. */
int hc_order_outputs_open(struct hc_order_outputs **out, const struct hc_order_files *files);
/* Writes them: the logs are replayed again, side by side. The same. */
int hc_order_outputs_write(struct hc_order_outputs *outputs, struct hc_network *network);
/* Puts the files in their places if all was WELL. OUTPUTS may be NULL. */
int hc_order_outputs_close(struct hc_order_outputs *outputs, bool well);

#endif
