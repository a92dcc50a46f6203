/* Where nodes stand, described in a word:
 *
 *     grid:3x3:1m            three columns, three rows, 1 m apart; row by row from (0, 0). Without a pitch: 1 m
 *     line:9:2m              nine along the x axis
 *     random:50:30x20m[:7]   fifty anywhere in 30 m by 20 m, drawn from the seed (or from 7) */
#ifndef HC_FIELD_TOPOLOGY_H
#define HC_FIELD_TOPOLOGY_H

#include "message.h"

#include <stdbool.h>
#include <stdint.h>

enum { HC_TOPOLOGY_MAX = 4096 };

/* Millimetres. */
struct hc_position {
    int32_t x, y, z;
};

/* Whether TEXT looks like one of these; otherwise it may be the name of a file. */
extern const char hc_topology_forms[]; /* for messages */
bool hc_topology_recognise(const char *text);

/* How many nodes TEXT describes: 1 to HC_TOPOLOGY_MAX, or a negative hc_refusal. */
int hc_topology_nodes(const char *text, struct hc_message *message);

/* The first COUNT of its positions (at most as many as hc_topology_nodes says); 0 or a negative hc_refusal. */
int hc_topology_place(const char *text, uint64_t seed, int count, struct hc_position *out, struct hc_message *message);

#endif
