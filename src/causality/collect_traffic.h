/* Histories from logs of depth `messages`: the log itself has the messages, and nothing is replayed. */
#ifndef HC_CAUSALITY_COLLECT_TRAFFIC_H
#define HC_CAUSALITY_COLLECT_TRAFFIC_H

#include "collect.h"
#include "trace/log.h"

/* Whether IMAGE or LOG is of depth `messages`: then the other should be, too. */
bool hc_collect_traffic_is(const struct hc_image *image, const struct hc_log *log);

/* Like hc_collect, if hc_collect_traffic_is. Events have no time; `moment` counts the node's
 * messages. */
int hc_collect_traffic(struct hc_network_history *history, const struct hc_image *image, const struct hc_log *log,
                       const struct hc_collect_options *options, struct hc_replay_message *message);

#endif
