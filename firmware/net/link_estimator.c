#include "net/link_estimator.h"

#include <stddef.h>

enum {
    LONGEST_GAP = 10, /* beacons missed at a stretch that make a neighbour a new one */
    ALL = 250,        /* a link's quality when nothing is lost */
    WORST_BEACON_ETX = 250,
    MOST_UNACKED = 60, /* no more are counted */
    LEFT_ETX = 55,     /* 55 -> 50 -> 46: the second window makes it usable */
};

static struct link *find(const struct link_estimator *e, uint16_t neighbour)
{
    for (uint8_t i = 0; i < LINK_NEIGHBOURS; i++)
        if (e->links[i].neighbour == neighbour)
            return (struct link *)&e->links[i];
    return NULL;
}

static struct link *known(const struct link_estimator *e, uint16_t neighbour)
{
    return neighbour == LINK_NOBODY ? NULL : find(e, neighbour);
}

static void begin(struct link *l, uint16_t neighbour, uint8_t sequence)
{
    *l = (struct link){ .neighbour = neighbour, .etx = LINK_ETX_UNKNOWN, .last_sequence = sequence, .received = 1 };
}

static void move_etx(struct link *l, uint16_t sample)
{
    l->etx = (uint16_t)((9 * (uint32_t)l->etx + sample) / 10);
}

static uint16_t etx_of_quality(uint8_t quality)
{
    uint16_t etx = quality ? LINK_ETX_PERFECT * ALL / quality : WORST_BEACON_ETX;
    return etx < WORST_BEACON_ETX ? etx : WORST_BEACON_ETX;
}

static void end_beacon_window(struct link *l)
{
    uint8_t share = (uint8_t)(ALL * (uint16_t)l->received / (uint16_t)(l->received + l->missed));
    l->received = l->missed = 0;
    if (l->mature) {
        l->quality = (uint8_t)((9 * (uint16_t)l->quality + share) / 10);
        move_etx(l, etx_of_quality(l->quality));
    } else {
        l->mature = true;
        l->quality = share;
        l->etx = etx_of_quality(share);
    }
}

static void count_beacon(struct link *l, uint8_t sequence)
{
    uint8_t gap = (uint8_t)(sequence - l->last_sequence);
    if (gap > LONGEST_GAP && !l->pinned) {
        begin(l, l->neighbour, sequence);
        return;
    }
    l->last_sequence = sequence;
    l->received++;
    if (gap > 0 && gap <= LONGEST_GAP && !l->misses_void)
        l->missed = (uint8_t)(l->missed + gap - 1);
    l->misses_void = false;
    if (l->received + l->missed >= LINK_BEACON_WINDOW)
        end_beacon_window(l);
}

static struct link *worst(struct link_estimator *e)
{
    struct link *found = NULL;
    for (uint8_t i = 0; i < LINK_NEIGHBOURS; i++) {
        struct link *l = &e->links[i];
        if (l->mature && !l->pinned && l->etx >= LINK_ETX_EVICT && (!found || l->etx > found->etx))
            found = l;
    }
    return found;
}

static struct link *place(struct link_estimator *e, uint16_t victim)
{
    struct link *l = find(e, LINK_NOBODY);
    if (!l)
        l = worst(e);
    if (!l)
        l = known(e, victim);
    return l && l->pinned ? NULL : l;
}

void link_estimator_init(struct link_estimator *e)
{
    for (uint8_t i = 0; i < LINK_NEIGHBOURS; i++)
        e->links[i] = (struct link){ .neighbour = LINK_NOBODY };
}

void link_estimator_beacon(struct link_estimator *e, uint16_t neighbour, uint8_t sequence, uint16_t victim,
                           uint16_t *evicted)
{
    struct link *l = known(e, neighbour);
    *evicted = LINK_NOBODY;
    if (l) {
        count_beacon(l, sequence);
        return;
    }
    l = place(e, victim);
    if (!l)
        return;
    *evicted = l->neighbour;
    begin(l, neighbour, sequence);
}

void link_estimator_sent(struct link_estimator *e, uint16_t neighbour, bool acked)
{
    struct link *l = known(e, neighbour);
    if (!l)
        return;
    if (l->sent < MOST_UNACKED)
        l->sent++;
    if (acked)
        l->acked++;
    if (l->sent < LINK_DATA_WINDOW || !l->mature)
        return;
    if (l->acked) {
        move_etx(l, (uint16_t)(10 * l->sent / l->acked));
        l->sent = l->acked = 0;
    } else {
        /* Data says more than beacons did: their next window begins with the next that is heard. */
        move_etx(l, (uint16_t)(10 * l->sent));
        l->received = l->missed = 0;
        l->misses_void = true;
    }
}

uint16_t link_estimator_etx(const struct link_estimator *e, uint16_t neighbour)
{
    const struct link *l = known(e, neighbour);
    return l && l->mature ? l->etx : LINK_ETX_UNKNOWN;
}

void link_estimator_adopt(struct link_estimator *e, uint16_t neighbour)
{
    struct link *l = known(e, neighbour);
    if (!l)
        return;
    l->pinned = true;
    l->sent = l->acked = 0;
}

void link_estimator_leave(struct link_estimator *e, uint16_t neighbour)
{
    struct link *l = known(e, neighbour);
    if (!l)
        return;
    l->pinned = false;
    if (l->mature && l->etx > LEFT_ETX)
        l->etx = LEFT_ETX;
}

bool link_estimator_known(const struct link_estimator *e, uint16_t neighbour)
{
    return known(e, neighbour) != NULL;
}

bool link_estimator_full(const struct link_estimator *e)
{
    return find(e, LINK_NOBODY) == NULL;
}
