/* What `hindcast order` says about a network, as text and as JSON. */
#ifndef HC_CLI_ORDER_REPORT_H
#define HC_CLI_ORDER_REPORT_H

#include "network.h"

struct hc_order_report {
    bool messages; /* all of them are listed */
    unsigned list; /* bits: enum hc_arrow_fate of those that are */
};

/* "lost,overtaken"; false: a word is none of them. */
bool hc_order_parse_list(struct hc_order_report *report, const char *text);

void hc_order_text(const struct hc_network *network, const struct hc_order_report *report);
/* 0, or an exit code after having said what is wrong. */
int hc_order_json(const struct hc_network *network);

#endif
