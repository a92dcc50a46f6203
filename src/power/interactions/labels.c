#include "labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64, MOST_INPUTS = 64, UNIONS_KEPT = 1024 };

struct set {
    uint32_t first, count; /* in `label` */
    uint32_t hash;
};

struct hc_labels {
    struct hc_label *label;
    size_t labels, label_room;
    struct set *set; /* [0]: the empty one */
    uint32_t sets, set_room;
    uint32_t *slot; /* hash table: number of a set, or 0 */
    uint32_t slots;
    struct joined {
        uint32_t a, b, both;
    } joined[UNIONS_KEPT]; /* the last ones, by hash */
};

static void *allocated(void *p)
{
    if (!p)
        abort();
    return p;
}

static void make_slots(struct hc_labels *l, uint32_t slots)
{
    free(l->slot);
    l->slots = slots;
    l->slot = allocated(calloc(slots, sizeof *l->slot));
    for (uint32_t i = 1; i < l->sets; i++) {
        uint32_t at = l->set[i].hash & (slots - 1);
        while (l->slot[at])
            at = (at + 1) & (slots - 1);
        l->slot[at] = i;
    }
}

struct hc_labels *hc_labels_new(void)
{
    struct hc_labels *l = allocated(calloc(1, sizeof *l));

    l->set_room = FIRST_SLOTS;
    l->set = allocated(calloc(l->set_room, sizeof *l->set));
    l->sets = 1;
    make_slots(l, FIRST_SLOTS);
    return l;
}

void hc_labels_free(struct hc_labels *l)
{
    if (!l)
        return;
    free(l->label);
    free(l->set);
    free(l->slot);
    free(l);
}

static uint32_t hash_of(const struct hc_label *label, size_t count)
{
    uint64_t h = count;

    for (size_t i = 0; i < count; i++) {
        /* cppcheck-suppress uninitvar ; COUNT of them are set */
        h = (h ^ label[i].input) * 0x9e3779b97f4a7c15u;
        h = (h ^ label[i].acquisition ^ label[i].clock << 32) * 0xbf58476d1ce4e5b9u;
        h = (h ^ label[i].seen ^ label[i].time << 20) * 0x94d049bb133111ebu;
    }
    return (uint32_t)(h >> 32);
}

static bool is_same(const struct hc_label *a, const struct hc_label *b)
{
    return a->input == b->input && a->acquisition == b->acquisition && a->clock == b->clock && a->seen == b->seen &&
           a->time == b->time;
}

static bool holds(const struct hc_labels *l, uint32_t set, const struct hc_label *label, size_t count)
{
    if (l->set[set].count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_same(&l->label[l->set[set].first + i], &label[i]))
            return false;
    return true;
}

static uint32_t add_set(struct hc_labels *l, const struct hc_label *label, size_t count, uint32_t hash)
{
    if (l->sets == l->set_room) {
        l->set_room *= 2;
        l->set = allocated(realloc(l->set, l->set_room * sizeof *l->set));
        make_slots(l, 2 * l->set_room);
    }
    while (l->labels + count > l->label_room) {
        l->label_room = l->label_room ? 2 * l->label_room : FIRST_SLOTS;
        l->label = allocated(realloc(l->label, l->label_room * sizeof *l->label));
    }
    memcpy(&l->label[l->labels], label, count * sizeof *label);
    l->set[l->sets] = (struct set){ (uint32_t)l->labels, (uint32_t)count, hash };
    l->labels += count;
    return l->sets++;
}

static uint32_t number_of(struct hc_labels *l, const struct hc_label *label, size_t count)
{
    uint32_t hash = hash_of(label, count), at = hash & (l->slots - 1);

    for (; l->slot[at]; at = (at + 1) & (l->slots - 1))
        if (holds(l, l->slot[at], label, count))
            return l->slot[at];
    uint32_t slots = l->slots, set = add_set(l, label, count, hash);
    if (l->slots != slots) /* it grew: the free slot is elsewhere */
        for (at = hash & (l->slots - 1); l->slot[at]; at = (at + 1) & (l->slots - 1))
            ;
    l->slot[at] = set;
    return set;
}

uint32_t hc_labels_single(struct hc_labels *l, const struct hc_label *label)
{
    return number_of(l, label, 1);
}

static bool is_older(const struct hc_label *a, const struct hc_label *b)
{
    if (a->clock != b->clock)
        return a->clock < b->clock;
    return a->time != b->time ? a->time < b->time : a->seen < b->seen;
}

static uint32_t joined(struct hc_labels *l, uint32_t a, uint32_t b)
{
    const struct set *x = &l->set[a], *y = &l->set[b];
    const struct hc_label *p = &l->label[x->first], *q = &l->label[y->first];
    const struct hc_label *p_end = p + x->count, *q_end = q + y->count;
    struct hc_label both[MOST_INPUTS];
    size_t count = 0;

    while ((p < p_end || q < q_end) && count < MOST_INPUTS) {
        if (q == q_end || (p < p_end && p->input < q->input)) {
            both[count++] = *p++;
        } else if (p == p_end || q->input < p->input) {
            both[count++] = *q++;
        } else {
            both[count++] = is_older(p, q) ? *p : *q;
            p++;
            q++;
        }
    }
    return number_of(l, both, count);
}

uint32_t hc_labels_union(struct hc_labels *l, uint32_t a, uint32_t b)
{
    if (a == b || b == HC_NO_LABELS)
        return a;
    if (a == HC_NO_LABELS)
        return b;
    if (a > b)
        return hc_labels_union(l, b, a);
    struct joined *kept = &l->joined[(a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 16 & (UNIONS_KEPT - 1)];
    if (kept->a != a || kept->b != b)
        *kept = (struct joined){ a, b, joined(l, a, b) };
    return kept->both;
}

size_t hc_labels_get(const struct hc_labels *l, uint32_t set, const struct hc_label **out)
{
    *out = set == HC_NO_LABELS ? NULL : &l->label[l->set[set].first];
    return l->set[set].count;
}
