/* The routing table of the collection tree: what the neighbours say of their way to a root, and the choice of a parent.
 *
 *     cost of a way = ETX of the link to the neighbour + ETX that the neighbour announces     (tenths; roots: 0)
 *
 * Links come and go by the link estimator alone: a neighbour enters when its link has become usable, and leaves when
 * the estimator drops it. Pure logic: no clock, no messages. */
#ifndef NET_CTP_ROUTES_H
#define NET_CTP_ROUTES_H

#include "net/link_estimator.h"

enum {
    CTP_NO_PARENT = LINK_NOBODY,
    CTP_ETX_NONE = 0xffff,
    CTP_ETX_MOST = 0xfffe, /* sums stop here; such a way is one yet */
    CTP_SWITCH_GAIN = 15,  /* a way must be better by more than this for the parent to be changed */
    CTP_TELL_GAIN = 20,    /* a change that gains more than this is news for the neighbours */
};

struct ctp_neighbour {
    uint16_t id;
    uint16_t parent; /* its own */
    uint16_t etx;    /* of its way to the root */
};

struct ctp_routes {
    uint16_t self;
    bool root;
    uint16_t parent; /* CTP_NO_PARENT: none */
    uint16_t parent_etx;
    uint8_t count;
    struct ctp_neighbour table[LINK_NEIGHBOURS];
    struct link_estimator links;
};

enum ctp_change {
    CTP_SAME,
    CTP_CHANGED,      /* another parent */
    CTP_CHANGED_MUCH, /* and the neighbours should know: the first parent, or a much better one */
};

void ctp_routes_init(struct ctp_routes *r, uint16_t self, bool root);

/* A beacon: FROM's link estimation SEQUENCE, and what it says of its way. */
struct ctp_beacon {
    uint16_t from;
    uint8_t sequence;
    uint16_t parent; /* CTP_NO_PARENT: has no way */
    uint16_t etx;
};
void ctp_routes_beacon(struct ctp_routes *r, const struct ctp_beacon *beacon);

/* Chooses the parent anew. */
enum ctp_change ctp_routes_update(struct ctp_routes *r);

/* Cost of this node's way; CTP_ETX_NONE without one, 0 at a root. */
uint16_t ctp_routes_etx(const struct ctp_routes *r);

bool ctp_routes_have(const struct ctp_routes *r);

#endif
