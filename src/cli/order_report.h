/* The output of `hindcast order`, as text and as JSON. */
#ifndef HC_CLI_ORDER_REPORT_H
#define HC_CLI_ORDER_REPORT_H

#include "network.h"

struct hc_order_report {
    bool messages; /* list all of them */
    unsigned list; /* which fates to list: bits, by enum hc_arrow_fate */
};

/* Parses "lost,overtaken". Returns false if a word is not a fate. */
bool hc_order_parse_list(struct hc_order_report *report, const char *text);

void hc_order_text(const struct hc_network *network, const struct hc_order_report *report);
/* Returns 0, or the exit code after a message. */
int hc_order_json(const struct hc_network *network);

#endif
