#include "key_table.h"

#include <stdbool.h>
#include <stdlib.h>

static struct hc_key_slot *find(const struct hc_key_table *t, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t hash = (a * 0x9e3779b97f4a7c15u ^ (b + 1) * 0xc2b2ae3d27d4eb4fu ^ c) * 0x165667b19e3779f9u;
    size_t i = hash >> 32 & (t->slots - 1);

    while (t->slot[i].used && (t->slot[i].key[0] != a || t->slot[i].key[1] != b || t->slot[i].key[2] != c))
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

static bool grow(struct hc_key_table *t)
{
    enum { FIRST = 1024 };
    struct hc_key_table more = { .slots = t->slots ? 2 * t->slots : FIRST, .used = t->used };

    more.slot = calloc(more.slots, sizeof *more.slot);
    if (!more.slot)
        return false;
    for (size_t i = 0; i < t->slots; i++)
        if (t->slot[i].used)
            *find(&more, t->slot[i].key[0], t->slot[i].key[1], t->slot[i].key[2]) = t->slot[i];
    free(t->slot);
    *t = more;
    return true;
}

uint32_t *hc_key_table_at(struct hc_key_table *t, uint32_t a, uint32_t b, uint32_t c)
{
    if (2 * t->used >= t->slots && !grow(t))
        return NULL;
    struct hc_key_slot *slot = find(t, a, b, c);
    if (!slot->used) {
        *slot = (struct hc_key_slot){ { a, b, c }, 0, 1 };
        t->used++;
    }
    return &slot->value;
}

void hc_key_table_free(struct hc_key_table *t)
{
    free(t->slot);
    *t = (struct hc_key_table){ 0 };
}
