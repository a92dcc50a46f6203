#include "net/ctp_routes.h"

#include <stddef.h>

static struct ctp_neighbour *find(struct ctp_routes *r, uint16_t id)
{
    for (uint8_t i = 0; i < r->count; i++)
        if (r->table[i].id == id)
            return &r->table[i];
    return NULL;
}

static void forget_way(struct ctp_routes *r, uint16_t id)
{
    struct ctp_neighbour *n = find(r, id);
    if (n)
        *n = r->table[--r->count];
}

static uint16_t sum(uint16_t a, uint16_t b)
{
    uint32_t s = (uint32_t)a + b;
    return s < CTP_ETX_MOST ? (uint16_t)s : CTP_ETX_MOST;
}

/* The neighbour with the longest way, if that is longer than the newcomer's: whoever announces no way has the longest.
 * The parent stays. */
static uint16_t victim_for(const struct ctp_routes *r, const struct ctp_beacon *beacon)
{
    uint16_t victim = LINK_NOBODY, longest = beacon->etx;
    if (beacon->parent == CTP_NO_PARENT)
        return LINK_NOBODY;
    for (uint8_t i = 0; i < LINK_NEIGHBOURS; i++) {
        uint16_t id = r->links.links[i].neighbour, etx = CTP_ETX_NONE;
        for (uint8_t j = 0; j < r->count; j++)
            if (r->table[j].id == id)
                etx = r->table[j].etx;
        if (id != r->parent && etx > longest) {
            victim = id;
            longest = etx;
        }
    }
    return victim;
}

static void enter(struct ctp_routes *r, const struct ctp_beacon *beacon)
{
    struct ctp_neighbour *n = find(r, beacon->from);
    if (!n) {
        if (r->count == LINK_NEIGHBOURS || link_estimator_etx(&r->links, beacon->from) >= LINK_ETX_USABLE)
            return;
        n = &r->table[r->count++];
    }
    *n = (struct ctp_neighbour){ beacon->from, beacon->parent, beacon->etx };
}

void ctp_routes_init(struct ctp_routes *r, uint16_t self, bool root)
{
    r->self = self;
    r->root = root;
    r->parent = root ? self : CTP_NO_PARENT;
    r->parent_etx = 0;
    r->count = 0;
    link_estimator_init(&r->links);
}

void ctp_routes_beacon(struct ctp_routes *r, const struct ctp_beacon *beacon)
{
    uint16_t evicted, victim = link_estimator_full(&r->links) ? victim_for(r, beacon) : LINK_NOBODY;
    link_estimator_beacon(&r->links, beacon->from, beacon->sequence, victim, &evicted);
    if (evicted != LINK_NOBODY) /* never the parent, which is pinned */
        forget_way(r, evicted);
    if (beacon->parent == CTP_NO_PARENT)
        forget_way(r, beacon->from);
    else
        enter(r, beacon);
}

/* The best way other than by the parent, whose cost (CTP_ETX_NONE: there is none) goes to *BY_PARENT. */
static const struct ctp_neighbour *best(struct ctp_routes *r, uint16_t *least, uint16_t *by_parent)
{
    const struct ctp_neighbour *found = NULL;
    *least = *by_parent = CTP_ETX_NONE;
    for (uint8_t i = 0; i < r->count; i++) {
        const struct ctp_neighbour *n = &r->table[i];
        uint16_t link = link_estimator_etx(&r->links, n->id), way = sum(link, n->etx);
        if (n->parent == r->self) /* it would come straight back */
            continue;
        if (n->id == r->parent) {
            *by_parent = way;
            r->parent_etx = n->etx;
        } else if (link < LINK_ETX_USABLE && way < *least) {
            *least = way;
            found = n;
        }
    }
    return found;
}

enum ctp_change ctp_routes_update(struct ctp_routes *r)
{
    uint16_t least, by_parent;
    if (r->root)
        return CTP_SAME;
    const struct ctp_neighbour *n = best(r, &least, &by_parent);
    if (!n || (by_parent != CTP_ETX_NONE && sum(least, CTP_SWITCH_GAIN) >= by_parent))
        return CTP_SAME;
    link_estimator_leave(&r->links, r->parent);
    link_estimator_adopt(&r->links, n->id);
    r->parent = n->id;
    r->parent_etx = n->etx;
    return by_parent - least > CTP_TELL_GAIN ? CTP_CHANGED_MUCH : CTP_CHANGED;
}

bool ctp_routes_have(const struct ctp_routes *r)
{
    return r->parent != CTP_NO_PARENT;
}

uint16_t ctp_routes_etx(const struct ctp_routes *r)
{
    if (r->root)
        return 0;
    if (!ctp_routes_have(r))
        return CTP_ETX_NONE;
    return sum(r->parent_etx, link_estimator_etx(&r->links, r->parent));
}
