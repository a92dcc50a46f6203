#include "pairing.h"

#include "receivers.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 32 };

const struct hc_pairing_options hc_pairing_default = {
    .numbering = { .low_bits = 6, .digit_bits = 2, .digits = 8 },
    .window = WINDOW,
    .tail = HC_NO_TAIL,
};

/* Shared by the steps of one pairing. */
struct work {
    const struct hc_network_history *history;
    const struct hc_pairing_options *options;
    struct hc_pairing *to;
    struct hc_receivers receivers;
    uint32_t *cause;  /* by event: one of another node that certainly precedes it; HC_NO_EVENT: none is known */
    uint32_t *effect; /* by receive: the first event of its sender that is certainly later, within the node */
};

static const struct hc_channel *channel_of(const struct work *w, const struct hc_receiver *r)
{
    return &w->to->channels.channels[r->channel];
}

static uint32_t number_of(const struct work *w, uint32_t event)
{
    return w->history->events[event].counter;
}

/* ---- lowest and highest counters ---- */

static void find_lowest(struct work *w, const struct hc_receiver *r)
{
    uint32_t bound = 0, window = w->options->window;

    for (size_t i = 0; i < r->count; i++) {
        struct hc_pairing_receive *receive = &w->to->receives[r->events[i]];
        uint32_t number = number_of(w, r->events[i]);
        receive->low = hc_channel_first(channel_of(w, r), &w->options->numbering, number, bound);
        if (receive->low != HC_NO_COUNTER && receive->low + 1 > bound + window)
            bound = receive->low + 1 - window;
    }
}

static uint32_t causal_limit(const struct work *w, const struct hc_receiver *r, uint32_t event)
{
    uint32_t effect = w->effect[event];

    if (effect == HC_NO_EVENT)
        return HC_NO_COUNTER - 1;
    return hc_channel_before(channel_of(w, r), w->history, effect);
}

/* Returns true if they are the lowest ones, too. */
static bool find_highest(struct work *w, const struct hc_receiver *r)
{
    uint32_t bound = HC_NO_COUNTER - 1, window = w->options->window;
    bool decided = true;

    for (size_t i = r->count; i--;) {
        struct hc_pairing_receive *receive = &w->to->receives[r->events[i]];
        if (receive->low == HC_NO_COUNTER)
            continue;
        uint32_t limit = causal_limit(w, r, r->events[i]);
        receive->high = HC_NO_COUNTER;
        if (limit != HC_NO_COUNTER)
            receive->high = hc_channel_last(channel_of(w, r), &w->options->numbering, number_of(w, r->events[i]),
                                            bound < limit ? bound : limit);
        if (receive->high == HC_NO_COUNTER || receive->high < receive->low) {
            receive->low = receive->high = HC_NO_COUNTER;
            continue;
        }
        if (receive->high < bound && bound - receive->high > window - 1)
            bound = receive->high + window - 1;
        decided &= receive->low == receive->high;
    }
    return decided;
}

/* ---- certain order ---- */

static uint32_t cause_of(const struct work *w, uint32_t event)
{
    const struct hc_pairing_receive *receive = &w->to->receives[event];

    if (w->history->events[event].kind != HC_TRAFFIC_RECEIVE || receive->channel == UINT32_MAX ||
        receive->low == HC_NO_COUNTER)
        return HC_NO_EVENT;
    return hc_channel_cause(&w->to->channels.channels[receive->channel], w->history, receive->low);
}

static void find_causes(struct work *w)
{
    for (uint32_t event = 0; event < w->history->event_count; event++)
        w->cause[event] = cause_of(w, event);
}

/* Advances node after node, each until it needs an event that has not been reached. */
struct walk {
    uint32_t *next;     /* by node: its next event, within the node */
    uint32_t *waiting;  /* by event: the first node that waits for it; UINT32_MAX: none */
    uint32_t *sibling;  /* by node: another that waits for the same */
    uint32_t *stack;    /* nodes that can advance */
    bool *reached;      /* by event */
    size_t ready, done; /* on the stack; events in `order` */
};

static void wake(struct walk *walk, uint32_t event)
{
    for (uint32_t node = walk->waiting[event]; node != UINT32_MAX; node = walk->sibling[node])
        walk->stack[walk->ready++] = node;
    walk->waiting[event] = UINT32_MAX;
}

static void go_on(struct work *w, struct walk *walk, uint32_t n)
{
    const struct hc_network_history_node *node = &w->history->nodes[n];

    for (; walk->next[n] < node->count; walk->next[n]++) {
        uint32_t event = node->first + walk->next[n], cause = w->cause[event];
        if (cause != HC_NO_EVENT && !walk->reached[cause]) {
            walk->sibling[n] = walk->waiting[cause];
            walk->waiting[cause] = n;
            return;
        }
        w->to->order[walk->done++] = event;
        walk->reached[event] = true;
        wake(walk, event);
    }
}

/* All remaining nodes wait for each other: gives up a receive that blocks one of them. */
static void break_cycle(struct work *w, struct walk *walk)
{
    for (uint32_t n = 0; n < w->history->node_count; n++) {
        const struct hc_network_history_node *node = &w->history->nodes[n];
        if (walk->next[n] == node->count)
            continue;
        uint32_t event = node->first + walk->next[n];
        uint32_t *link = &walk->waiting[w->cause[event]];
        while (*link != n)
            link = &walk->sibling[*link];
        *link = walk->sibling[n];
        w->to->receives[event].low = w->to->receives[event].high = HC_NO_COUNTER;
        w->cause[event] = HC_NO_EVENT;
        walk->stack[walk->ready++] = n;
        return;
    }
}

static void walk_all(struct work *w, struct walk *walk)
{
    size_t events = w->history->event_count;

    for (size_t i = 0; i < events; i++)
        walk->waiting[i] = UINT32_MAX;
    for (size_t n = w->history->node_count; n--;)
        walk->stack[walk->ready++] = (uint32_t)n;
    while (walk->done < events) {
        while (walk->ready)
            go_on(w, walk, walk->stack[--walk->ready]);
        if (walk->done < events)
            break_cycle(w, walk);
    }
}

static int find_order(struct work *w)
{
    size_t nodes = w->history->node_count + 1, events = w->history->event_count + 1;
    struct walk walk = {
        .next = calloc(nodes, sizeof *walk.next),
        .waiting = malloc(events * sizeof *walk.waiting),
        .sibling = malloc(nodes * sizeof *walk.sibling),
        .stack = malloc(nodes * sizeof *walk.stack),
        .reached = calloc(events, sizeof *walk.reached),
    };
    bool fits = walk.next && walk.waiting && walk.sibling && walk.stack && walk.reached;

    if (fits)
        walk_all(w, &walk);
    free(walk.next);
    free(walk.waiting);
    free(walk.sibling);
    free(walk.stack);
    free(walk.reached);
    return fits ? 0 : HC_NETWORK_FULL;
}

/* ---- effects ---- */

/* The number of events of some nodes that each node knows, updated along the order. Several nodes at a time, to pass
 * over all events less often. */
enum { LANES = 8 };

struct knowledge {
    uint32_t subject[LANES];     /* nodes */
    size_t subjects;             /* of them */
    uint32_t (*of_node)[LANES];  /* by node */
    uint32_t (*at_event)[LANES]; /* by event: what its node knew then */
};

/* Node N knows KNOWN events of node P: EVENT is an effect of the messages that P had received from N by then. */
static void note_effects(struct work *w, uint32_t p, uint32_t n, uint32_t known, uint32_t event)
{
    const struct hc_network_history_node *node = &w->history->nodes[p];

    for (size_t i = w->receivers.first[p]; i < w->receivers.first[p + 1]; i++) {
        struct hc_receiver *r = &w->receivers.receivers[i];
        if (channel_of(w, r)->sender != n)
            continue;
        for (; r->noted < r->count && r->events[r->noted] - node->first < known; r->noted++)
            w->effect[r->events[r->noted]] = event - w->history->nodes[n].first;
    }
}

static void learn(struct work *w, const struct knowledge *k, uint32_t n, uint32_t event)
{
    const uint32_t *news = k->at_event[w->cause[event]];
    uint32_t *known = k->of_node[n];

    for (size_t lane = 0; lane < k->subjects; lane++) {
        if (news[lane] <= known[lane] || k->subject[lane] == n)
            continue;
        known[lane] = news[lane];
        note_effects(w, k->subject[lane], n, news[lane], event);
    }
}

static void find_effects(struct work *w, const struct knowledge *k)
{
    memset(k->of_node, 0, w->history->node_count * sizeof *k->of_node);
    for (size_t i = 0; i < w->history->event_count; i++) {
        uint32_t event = w->to->order[i], n = w->to->node_of[event];
        for (size_t lane = 0; lane < k->subjects; lane++)
            if (k->subject[lane] == n)
                k->of_node[n][lane] = event - w->history->nodes[n].first + 1;
        if (w->cause[event] != HC_NO_EVENT)
            learn(w, k, n, event);
        memcpy(k->at_event[event], k->of_node[n], sizeof *k->at_event);
    }
}

/* Returns true if all receives of node P are decided. */
static bool find_highest_of(struct work *w, uint32_t p)
{
    bool decided = true;

    for (size_t i = w->receivers.first[p]; i < w->receivers.first[p + 1]; i++)
        decided &= find_highest(w, &w->receivers.receivers[i]);
    return decided;
}

static void use_effects_of(struct work *w, struct knowledge *k)
{
    find_effects(w, k);
    while (k->subjects)
        find_highest_of(w, k->subject[--k->subjects]);
}

static int use_effects(struct work *w)
{
    size_t nodes = w->history->node_count, events = w->history->event_count;
    struct knowledge k = {
        .of_node = malloc((nodes + 1) * sizeof *k.of_node),
        .at_event = malloc((events + 1) * sizeof *k.at_event),
    };
    bool fits = k.of_node && k.at_event;

    for (uint32_t p = 0; fits && p < nodes; p++) {
        if (!find_highest_of(w, p))
            k.subject[k.subjects++] = p;
        if (k.subjects == LANES)
            use_effects_of(w, &k);
    }
    if (k.subjects)
        use_effects_of(w, &k);
    free(k.of_node);
    free(k.at_event);
    return fits ? 0 : HC_NETWORK_FULL;
}

/* ---- fates ---- */

/* The first logged send among the possible counters of RECEIVE; HC_NO_EVENT if there is none. */
static uint32_t possible_send(const struct work *w, uint32_t event)
{
    const struct hc_pairing_receive *receive = &w->to->receives[event];
    const struct hc_channel *channel = &w->to->channels.channels[receive->channel];
    uint32_t counter = hc_channel_first_logged(channel, &w->options->numbering, number_of(w, event), receive->low);

    return counter != HC_NO_COUNTER && counter <= receive->high ? hc_channel_event(channel, counter) : HC_NO_EVENT;
}

static void decide(struct work *w, uint32_t event)
{
    struct hc_pairing_receive *receive = &w->to->receives[event];

    receive->send = HC_NO_EVENT;
    if (receive->channel == UINT32_MAX)
        return; /* decided when it was found */
    if (receive->low == HC_NO_COUNTER) {
        receive->fate = HC_CONTRADICTED;
        return;
    }
    receive->send = possible_send(w, event);
    if (receive->send == HC_NO_EVENT)
        receive->fate = HC_UNLOGGED;
    else
        receive->fate = receive->low == receive->high ? HC_PAIRED : HC_UNDECIDED;
}

static void decide_all(struct work *w)
{
    for (uint32_t event = 0; event < w->history->event_count; event++) {
        if (w->history->events[event].kind != HC_TRAFFIC_RECEIVE)
            continue;
        decide(w, event);
        w->to->counts[w->to->receives[event].fate]++;
    }
}

/* ---- all of it ---- */

static int pair_all(struct work *w)
{
    for (size_t i = 0; i < w->history->event_count; i++)
        w->effect[i] = HC_NO_EVENT;
    for (size_t i = 0; i < w->receivers.count; i++)
        find_lowest(w, &w->receivers.receivers[i]);
    find_causes(w);
    if (find_order(w) || use_effects(w))
        return HC_NETWORK_FULL;
    decide_all(w);
    return 0;
}

static void fill_node_of(struct hc_pairing *pairing, const struct hc_network_history *history)
{
    for (uint32_t n = 0; n < history->node_count; n++)
        for (uint32_t i = 0; i < history->nodes[n].count; i++)
            pairing->node_of[history->nodes[n].first + i] = n;
}

int hc_pairing_make(struct hc_pairing *pairing, const struct hc_network_history *history,
                    const struct hc_pairing_options *options)
{
    size_t events = history->event_count + 1;
    struct work w = { .history = history, .options = options, .to = pairing };
    struct hc_addresses addresses;

    *pairing = (struct hc_pairing){
        .receives = malloc(events * sizeof *pairing->receives),
        .order = malloc(events * sizeof *pairing->order),
        .node_of = malloc(events * sizeof *pairing->node_of),
    };
    w.cause = malloc(events * sizeof *w.cause);
    w.effect = malloc(events * sizeof *w.effect);
    bool fits = pairing->receives && pairing->order && pairing->node_of && w.cause && w.effect;
    if (fits)
        fill_node_of(pairing, history);
    fits = !hc_addresses_make(&addresses, history) && fits &&
           !hc_channels_make(&pairing->channels, history, &addresses, options->tail);
    if (fits)
        hc_receivers_classify(pairing, history, &addresses);
    fits = fits && !hc_receivers_group(&w.receivers, pairing, history) && !pair_all(&w);
    hc_addresses_free(&addresses);
    hc_receivers_free(&w.receivers);
    free(w.cause);
    free(w.effect);
    if (!fits)
        hc_pairing_free(pairing);
    return fits ? 0 : HC_NETWORK_FULL;
}

void hc_pairing_free(struct hc_pairing *pairing)
{
    hc_channels_free(&pairing->channels);
    free(pairing->receives);
    free(pairing->order);
    free(pairing->node_of);
    *pairing = (struct hc_pairing){ 0 };
}
