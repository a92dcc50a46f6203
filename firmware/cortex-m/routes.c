#include "router.h"

#include <stddef.h>

static struct route table[ROUTES];
static uint8_t parent = NOBODY;

static struct route *find(uint8_t node)
{
    struct route *free_one = NULL;

    for (int i = 0; i < ROUTES; i++) {
        if (table[i].used && table[i].link.node == node)
            return &table[i];
        if (!table[i].used && !free_one)
            free_one = &table[i];
    }
    return free_one;
}

static void begin(struct route *route, const uint8_t *beacon)
{
    route->link = (struct link){ .node = beacon[BEACON_NODE],
                                 .sequence = (uint8_t)(beacon[BEACON_SEQUENCE] - 1),
                                 .quality = 128 };
    route->used = true;
}

void routes_beacon(const uint8_t *beacon, uint8_t length)
{
    struct route *route = length >= BEACON_SIZE ? find(beacon[BEACON_NODE]) : NULL;

    if (!route)
        return;
    if (!route->used)
        begin(route, beacon);
    estimator_heard(&route->link, beacon[BEACON_SEQUENCE]);
    route->cost = (uint16_t)(beacon[BEACON_COST_LOW] | beacon[BEACON_COST_HIGH] << 8);
}

struct link *routes_link(int i)
{
    return table[i].used ? &table[i].link : NULL;
}

/* Expected transmissions to the root, times 16. */
static unsigned cost_over(const struct route *route)
{
    return route->cost + 16 * 256u / (route->link.quality ? route->link.quality : 1);
}

uint8_t routes_choose(void)
{
    const struct route *best = NULL;

    for (int i = 0; i < ROUTES; i++)
        if (table[i].used && (!best || cost_over(&table[i]) < cost_over(best)))
            best = &table[i];
    uint8_t chosen = best ? best->link.node : NOBODY;
    if (chosen != parent)
        parent_changed(parent, chosen);
    parent = chosen;
    return chosen;
}
