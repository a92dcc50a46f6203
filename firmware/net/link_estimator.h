/* How many transmissions a message to each neighbour costs (ETX), in tenths: 10 is a perfect link, 20 every second
 * lost.
 *
 * Two sources, as in the four-bit link estimator (Fonseca, Gnawali, Jamieson, Levis, HotNets 2007):
 *
 *     beacons   each carries a sequence number. Of every three, received or missed, the share that came gives the
 *               quality of the way in; ETX = 10 / quality. A new neighbour counts for nothing until its first three.
 *     data      of every five frames sent, those acknowledged: ETX = 10 * sent / acknowledged. With none acknowledged
 *               the count goes on, and each further loss says more.
 *
 * Each estimate moves ETX a tenth of the way. Pure arithmetic, no clock. */
#ifndef NET_LINK_ESTIMATOR_H
#define NET_LINK_ESTIMATOR_H

#include <stdbool.h>
#include <stdint.h>

#ifndef LINK_NEIGHBOURS
#define LINK_NEIGHBOURS 16 /* a build option */
#endif

enum {
    LINK_NOBODY = 0xffff,
    LINK_ETX_UNKNOWN = 0xffff,
    LINK_ETX_PERFECT = 10,
    LINK_ETX_USABLE = 50, /* what is not below is no link to choose */
    LINK_ETX_EVICT = 65,  /* may be dropped for another neighbour */

    LINK_BEACON_WINDOW = 3,
    LINK_DATA_WINDOW = 5,
};

struct link {
    uint16_t neighbour; /* LINK_NOBODY: free */
    uint16_t etx;
    bool mature; /* ETX means something */
    bool pinned; /* not to be dropped */
    uint8_t last_sequence;
    uint8_t received, missed; /* beacons, in this window */
    bool misses_void;         /* those before the next beacon do not count */
    uint8_t quality;          /* of the way in: 250 is all */
    uint8_t sent, acked;      /* data, in this window */
};

struct link_estimator {
    struct link links[LINK_NEIGHBOURS];
};

void link_estimator_init(struct link_estimator *e);

/* A beacon with SEQUENCE has come from NEIGHBOUR. A new neighbour takes a free place, or that of the worst link at or
 * above LINK_ETX_EVICT, or else VICTIM's (LINK_NOBODY: nobody's). *EVICTED is who had to go, or LINK_NOBODY. */
void link_estimator_beacon(struct link_estimator *e, uint16_t neighbour, uint8_t sequence, uint16_t victim,
                           uint16_t *evicted);

/* A frame has been sent to NEIGHBOUR, once. */
void link_estimator_sent(struct link_estimator *e, uint16_t neighbour, bool acked);

/* LINK_ETX_UNKNOWN for strangers and new neighbours. */
uint16_t link_estimator_etx(const struct link_estimator *e, uint16_t neighbour);

/* NEIGHBOUR becomes the one that data goes to: it is not dropped, and its data window starts anew. */
void link_estimator_adopt(struct link_estimator *e, uint16_t neighbour);

/* Data no longer goes to NEIGHBOUR. From now on only beacons tell of it: if data has shown the link to be bad it takes
 * two windows of them, six beacons, to become usable again. */
void link_estimator_leave(struct link_estimator *e, uint16_t neighbour);

bool link_estimator_known(const struct link_estimator *e, uint16_t neighbour);
bool link_estimator_full(const struct link_estimator *e);

#endif
