#include "pairs.h"

#include <stdlib.h>

const char *const hc_anomaly_names[HC_ANOMALIES] = { "data access", "activation record", "memory map", "lost state" };

enum { FIRST_SLOTS = 256 };

static uint64_t hash(enum hc_anomaly kind, uint32_t consumer, uint32_t producer)
{
    uint64_t x = ((uint64_t)consumer << 32 | producer) + (uint64_t)kind * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

static bool is_of(const struct hc_pair *pair, enum hc_anomaly kind, uint32_t consumer, uint32_t producer)
{
    return pair->consumer == consumer && pair->producer == producer && pair->kind == kind;
}

/* The slot of this pair, or the free one where it belongs. */
static size_t slot_of(const struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer)
{
    size_t i = (size_t)hash(kind, consumer, producer) & (p->slots - 1);

    while (p->slot[i] && !is_of(&p->pair[p->slot[i] - 1], kind, consumer, producer))
        i = (i + 1) & (p->slots - 1);
    return i;
}

static void *resized(void *old, size_t bytes)
{
    void *new = realloc(old, bytes);

    if (!new)
        abort();
    return new;
}

static void grow(struct hc_pairs *p)
{
    p->slots = p->slots ? 2 * p->slots : FIRST_SLOTS;
    p->room = p->slots / 2;
    p->pair = resized(p->pair, p->room * sizeof *p->pair);
    free(p->slot);
    p->slot = calloc(p->slots, sizeof *p->slot);
    if (!p->slot)
        abort();
    for (size_t i = 0; i < p->count; i++)
        p->slot[slot_of(p, p->pair[i].kind, p->pair[i].consumer, p->pair[i].producer)] = (uint32_t)i + 1;
}

void hc_pairs_free(struct hc_pairs *p)
{
    free(p->pair);
    free(p->slot);
    *p = (struct hc_pairs){ 0 };
}

static struct hc_pair *find_or_add(struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer)
{
    if (p->count == p->room)
        grow(p);
    size_t slot = slot_of(p, kind, consumer, producer);
    if (!p->slot[slot]) {
        p->pair[p->count] = (struct hc_pair){ .kind = kind, .consumer = consumer, .producer = producer };
        p->pair[p->count].distance = p->pair[p->count].silent_distance = HC_NO_DISTANCE;
        p->slot[slot] = (uint32_t)++p->count;
    }
    return &p->pair[p->slot[slot] - 1];
}

static struct hc_recent *recent_of(struct hc_pair *pair, const struct hc_occurrence *o)
{
    unsigned kept = pair->recents < HC_RECENT ? pair->recents : HC_RECENT;

    for (unsigned i = 0; i < kept; i++)
        if (pair->recent[i].consumed == o->consumed && pair->recent[i].produced == o->produced)
            return &pair->recent[i];
    return NULL;
}

/* Counts it unless another byte of the same accesses was; returns whether it is to be told of. */
static bool count(struct hc_pair *pair, bool silent, const struct hc_occurrence *o)
{
    struct hc_recent *known = recent_of(pair, o);

    if (known && (silent || !known->silent))
        return false;
    if (known) {
        known->silent = false;
        pair->silent_count--;
    } else {
        pair->recent[pair->recents++ % HC_RECENT] = (struct hc_recent){ o->consumed, o->produced, silent };
    }
    uint64_t *counted = silent ? &pair->silent_count : &pair->count;
    ++*counted;
    return true;
}

void hc_pairs_add(struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer, bool silent,
                  const struct hc_occurrence *occurrence)
{
    struct hc_pair *pair = find_or_add(p, kind, consumer, producer);
    uint64_t apart = p->in_cycles ? occurrence->cycles : occurrence->produced - occurrence->consumed;
    uint64_t distance = kind == HC_LOST_STATE ? 0 : apart;
    uint64_t *smallest = silent ? &pair->silent_distance : &pair->distance;

    if (count(pair, silent, occurrence) && p->occurred)
        p->occurred(p->owner, (size_t)(pair - p->pair), occurrence, silent, false,
                    (silent ? pair->silent_count : pair->count) - 1);
    if (distance >= *smallest)
        return;
    *smallest = distance;
    if (!silent || pair->distance == HC_NO_DISTANCE)
        pair->witness = *occurrence;
}

const struct hc_pair *hc_pairs_find(const struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer,
                                    uint32_t producer)
{
    if (!p->slots)
        return NULL;
    uint32_t found = p->slot[slot_of(p, kind, consumer, producer)];
    return found ? &p->pair[found - 1] : NULL;
}

bool hc_pairs_want_farther(const struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer)
{
    const struct hc_pair *pair = p->farther ? hc_pairs_find(p, kind, consumer, producer) : NULL;

    return pair && p->farther[pair - p->pair];
}

void hc_pairs_add_farther(struct hc_pairs *p, enum hc_anomaly kind, uint32_t consumer, uint32_t producer,
                          const struct hc_occurrence *occurrence)
{
    const struct hc_pair *pair = hc_pairs_find(p, kind, consumer, producer);

    if (pair && p->occurred)
        p->occurred(p->owner, (size_t)(pair - p->pair), occurrence, false, true, 0);
}
