#include "apart.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST = 2,  /* messages that fit nothing: one may have been overtaken by too many others */
    SHARE = 32, /* of so many messages one fits nothing, or more do */
    TRIED = 32  /* nodes, when one of them must be to blame */
};

/* Of what one node received from another. */
struct heard {
    uint32_t all, strange;
};

struct work {
    const struct hc_network_history *history;
    const struct hc_pairing_options *options;
    size_t nodes;
    struct heard *heard; /* by receiver and sender */
    bool mixed;          /* the logs are not of one network */
};

static uint16_t address_of(const struct work *w, size_t n)
{
    return w->history->nodes[n].address;
}

static struct heard *heard_by(const struct work *w, size_t receiver, size_t sender)
{
    return &w->heard[receiver * w->nodes + sender];
}

static bool is_odd(const struct work *w, const struct heard *heard)
{
    return heard->strange >= (w->mixed ? 1 : LEAST) && (w->mixed || heard->strange * SHARE >= heard->all);
}

static bool are_apart(const struct work *w, size_t a, size_t b)
{
    return is_odd(w, heard_by(w, a, b)) || is_odd(w, heard_by(w, b, a));
}

/* ---- two nodes at a time ---- */

static int find_talkers(struct work *w)
{
    struct hc_addresses addresses;

    if (hc_addresses_make(&addresses, w->history))
        return HC_NETWORK_FULL;
    for (size_t n = 0; n < w->nodes; n++)
        for (uint32_t i = 0; i < w->history->nodes[n].count; i++) {
            const struct hc_traffic *event = &w->history->events[w->history->nodes[n].first + i];
            uint32_t sender = hc_addresses_find(&addresses, event->partner);
            if (event->kind == HC_TRAFFIC_RECEIVE && sender != HC_UNKNOWN_NODE)
                heard_by(w, n, sender)->all++;
        }
    hc_addresses_free(&addresses);
    return 0;
}

static void count_strange(const struct hc_network_history *two, const struct hc_pairing *pairing,
                          struct heard *const heard[2])
{
    for (int n = 0; n < 2; n++)
        for (uint32_t i = 0; i < two->nodes[n].count; i++) {
            uint32_t event = two->nodes[n].first + i;
            heard[n]->strange +=
                two->events[event].kind == HC_TRAFFIC_RECEIVE && pairing->receives[event].fate == HC_CONTRADICTED;
        }
}

/* Pairs COUNT nodes. *PART is the history with nothing but them; its arrays of nodes and events are to be freed. */
static int pair_part(const struct work *w, const size_t *in, size_t count, struct hc_network_history *part,
                     struct hc_pairing *pairing)
{
    const struct hc_network_history *all = w->history;

    *part = (struct hc_network_history){
        .nodes = malloc((count + 1) * sizeof *part->nodes),
        .node_count = count,
        .numbers = all->numbers,
    };
    for (size_t i = 0; part->nodes && i < count; i++) {
        part->nodes[i] = all->nodes[in[i]];
        part->nodes[i].first = (uint32_t)part->event_count;
        part->event_count += part->nodes[i].count;
    }
    part->events = malloc((part->event_count + 1) * sizeof *part->events);
    if (!part->nodes || !part->events)
        return HC_NETWORK_FULL;
    for (size_t i = 0; i < count; i++)
        memcpy(part->events + part->nodes[i].first, all->events + all->nodes[in[i]].first,
               part->nodes[i].count * sizeof *part->events);
    return hc_pairing_make(pairing, part, w->options);
}

static void free_part(struct hc_network_history *part)
{
    free(part->nodes);
    free(part->events);
}

static int compare_two(struct work *w, size_t a, size_t b)
{
    struct hc_network_history two;
    struct hc_pairing pairing;
    int result = pair_part(w, (size_t[]){ a, b }, 2, &two, &pairing);

    if (!result) {
        count_strange(&two, &pairing, (struct heard *[2]){ heard_by(w, a, b), heard_by(w, b, a) });
        hc_pairing_free(&pairing);
    }
    free_part(&two);
    return result;
}

static int compare_all(struct work *w)
{
    if (find_talkers(w))
        return HC_NETWORK_FULL;
    for (size_t a = 0; a < w->nodes; a++)
        for (size_t b = 0; b < a; b++)
            if ((heard_by(w, a, b)->all || heard_by(w, b, a)->all) && compare_two(w, a, b))
                return HC_NETWORK_FULL;
    return 0;
}

/* ---- all of them ---- */

static void count_all(struct work *w, const struct hc_pairing *pairing)
{
    memset(w->heard, 0, w->nodes * w->nodes * sizeof *w->heard);
    for (uint32_t event = 0; event < w->history->event_count; event++) {
        const struct hc_pairing_receive *r = &pairing->receives[event];
        if (w->history->events[event].kind != HC_TRAFFIC_RECEIVE || r->channel == UINT32_MAX)
            continue;
        struct heard *heard = heard_by(w, pairing->node_of[event], pairing->channels.channels[r->channel].sender);
        heard->all++;
        heard->strange += r->fate == HC_CONTRADICTED;
    }
}

/* ---- who is left out ---- */

/* From how many nodes A is apart. The worst that it or one of them heard is *WHY's. */
static size_t count_apart(const struct work *w, size_t a, struct hc_apart *why)
{
    size_t count = 0;

    *why = (struct hc_apart){ .node = address_of(w, a) };
    for (size_t b = 0; b < w->nodes; b++) {
        if (!are_apart(w, a, b))
            continue;
        count++;
        for (int turn = 0; turn < 2; turn++) {
            size_t receiver = turn ? b : a, sender = turn ? a : b;
            const struct heard *heard = heard_by(w, receiver, sender);
            if (heard->strange > why->strange)
                *why = (struct hc_apart){ why->node, address_of(w, sender), address_of(w, receiver), heard->all,
                                          heard->strange };
        }
    }
    return count;
}

/* The node that is apart from most others, the last one of them. *AT: its index. False: none is. */
static bool find_worst(const struct work *w, struct hc_apart *worst, size_t *at)
{
    size_t most = 0;

    for (size_t n = 0; n < w->nodes; n++) {
        struct hc_apart why;
        size_t count = count_apart(w, n, &why);
        if (count && count >= most) {
            most = count;
            *worst = why;
            *at = n;
        }
    }
    return most;
}

static void forget(struct work *w, size_t a)
{
    for (size_t b = 0; b < w->nodes; b++)
        *heard_by(w, a, b) = *heard_by(w, b, a) = (struct heard){ 0 };
}

/* What fits nothing without node A. */
static int count_without(const struct work *w, size_t a, size_t *strange)
{
    struct hc_network_history part;
    struct hc_pairing pairing;
    size_t *in = malloc((w->nodes + 1) * sizeof *in), count = 0;

    if (!in)
        return HC_NETWORK_FULL;
    for (size_t n = 0; n < w->nodes; n++)
        if (n != a)
            in[count++] = n;
    int result = pair_part(w, in, count, &part, &pairing);
    if (!result) {
        *strange = pairing.counts[HC_CONTRADICTED];
        hc_pairing_free(&pairing);
    }
    free_part(&part);
    free(in);
    return result;
}

/* Who is to blame cannot be seen in the pairing of all: the node without which the others fit best. */
static int find_culprit(struct work *w, const struct hc_pairing *pairing, struct hc_apart *found, size_t *count)
{
    size_t least = SIZE_MAX, tried = 0;

    count_all(w, pairing);
    for (size_t n = 0; n < w->nodes && tried < TRIED; n++) {
        struct hc_apart why;
        size_t strange;
        if (!count_apart(w, n, &why))
            continue;
        tried++;
        if (count_without(w, n, &strange))
            return HC_NETWORK_FULL;
        if (strange > least)
            continue;
        least = strange;
        *found = why;
        *count = 1;
    }
    return 0;
}

int hc_apart_find(struct hc_apart **found, size_t *count, const struct hc_network_history *history,
                  const struct hc_pairing *pairing, const struct hc_pairing_options *options, bool mixed)
{
    struct work w = { .history = history, .options = options, .nodes = history->node_count, .mixed = mixed };
    size_t at;

    *count = 0;
    *found = malloc((w.nodes + 1) * sizeof **found);
    w.heard = calloc(w.nodes * w.nodes + 1, sizeof *w.heard);
    int result = *found && w.heard ? compare_all(&w) : HC_NETWORK_FULL;
    w.mixed |= !result && find_worst(&w, *found, &at);
    for (; !result && find_worst(&w, *found + *count, &at); (*count)++)
        forget(&w, at);
    if (!result && !*count)
        result = find_culprit(&w, pairing, *found, count);
    free(w.heard);
    return result;
}
