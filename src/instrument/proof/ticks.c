/* Ticks that need not look whether the counter has to begin again.
 *
 * All calls of the tick are taken to be plain at first. Then those look that are on a walk without an end that has no
 * other, and those of parts that come to many. */
#include "walks.h"

#include <stdlib.h>
#include <string.h>

/* How calls of the tick are to be: bits of a node. */
enum { LOOKS = 1, PLAIN = 2 };

enum {
    SMALL = 512,      /* plain ticks that a call of a part may come to, if its own are plain */
    SATURATED = 4096, /* more are not counted */
    BETWEEN = 15000,  /* plain ticks of a walk going up; as many again going down */
};

enum { UNKNOWN = -1 }; /* a weight */

struct ticks {
    struct proof *p;
    uint8_t *call; /* of nodes: LOOKS, PLAIN; 0: it is no call of the tick */
    int tick;      /* its entry */
    int *weight;   /* of parts: plain ticks that a call may come to; or UNKNOWN */
};

static void make_plain(struct ticks *t, bool plain, size_t n)
{
    t->call[n] = plain ? PLAIN : LOOKS;
    t->p->code.node[n].kind = plain ? HC_NODE_STEP : HC_NODE_CALL;
    t->p->code.node[n].target = plain ? HC_NO_NODE : t->tick;
}

/* The parts that node N may enter go to the stack, each once. */
static void push_parts(struct proof *p, size_t *depth, const struct hc_code_node *n)
{
    int to[2] = { n->target, n->next };

    for (int i = 0; i < 2; i++)
        if (to[i] != HC_NO_NODE && p->code.node[to[i]].entry)
            hc_walks_push(p, depth, p->code.node[to[i]].part);
    for (size_t i = 0; i < n->targets; i++)
        if (p->code.node[p->code.list[n->first_target + i]].entry)
            hc_walks_push(p, depth, p->code.node[p->code.list[n->first_target + i]].part);
    if (n->kind == HC_NODE_CALL_INDIRECT || n->calls)
        for (size_t i = 0; i < p->code.parts; i++)
            if (p->code.node[p->code.part[i].entry].taken)
                hc_walks_push(p, depth, (int)i);
}

/* Ticks in what node N calls look again: those of the parts that it enters, and where such a part has none, of those
 * that that enters. */
static bool look_below(struct ticks *t, const struct hc_code_node *from)
{
    struct proof *p = t->p;
    size_t depth = 0;
    bool changed = false;

    memset(p->mark, 0, p->size);
    push_parts(p, &depth, from);
    while (depth) {
        int part = p->stack[--depth];
        bool own = false;
        for (size_t n = 0; n < p->code.nodes; n++)
            if (p->code.node[n].part == part && t->call[n] == PLAIN) {
                make_plain(t, false, n);
                own = changed = true;
            }
        for (size_t n = 0; !own && n < p->code.nodes; n++)
            if (p->code.node[n].part == part)
                push_parts(p, &depth, &p->code.node[n]);
    }
    return changed;
}

/* Of the ticks of a function's own loop one that each turn passes is enough; loops mostly have it at their end. */
static bool look_in_loops(struct ticks *t)
{
    bool changed = false;

    for (size_t n = t->p->code.nodes; n-- > 0;)
        if (t->p->reason[n] >= 0 && t->call[n] == PLAIN && hc_walks_in_loop(t->p, (int)n)) {
            make_plain(t, false, n);
            changed = true;
        }
    return changed;
}

/* One that may be walked for ever outside of loops: then others may no longer be. */
static bool look_somewhere(struct ticks *t)
{
    for (size_t n = 0; n < t->p->code.nodes; n++)
        if (t->p->reason[n] >= 0 && t->call[n] == PLAIN) {
            make_plain(t, false, n);
            return true;
        }
    return false;
}

/* On every walk that has no end there must be one that looks. */
static bool look_where_endless(struct ticks *t)
{
    bool changed = look_in_loops(t) || look_somewhere(t);

    for (size_t n = 0; !changed && n < t->p->code.nodes; n++)
        if (t->p->reason[n] >= 0)
            changed |= look_below(t, &t->p->code.node[n]);
    return changed;
}

static int weigh(struct ticks *t, int part);

/* What a call of PART adds to a walk: nothing if it looks, as another walk begins there. */
static int weigh_call(struct ticks *t, int part)
{
    return t->p->transparent[part] ? weigh(t, part) : 0;
}

/* A call by address is of one function, whichever. */
static int weigh_taken(struct ticks *t)
{
    int most = 0;

    for (size_t i = 0; i < t->p->code.parts; i++)
        if (t->p->code.node[t->p->code.part[i].entry].taken) {
            int weight = weigh_call(t, (int)i);
            most = weight > most ? weight : most;
        }
    return most;
}

static int weigh_node(struct ticks *t, size_t n)
{
    const struct hc_code_graph *code = &t->p->code;
    const struct hc_code_node *node = &code->node[n];
    int to[2] = { node->target, node->next }, sum = t->call[n] == PLAIN;

    for (int i = 0; i < 2; i++)
        if (to[i] != HC_NO_NODE && code->node[to[i]].entry)
            sum += weigh_call(t, code->node[to[i]].part);
    for (size_t i = 0; i < node->targets; i++)
        if (code->node[code->list[node->first_target + i]].entry)
            sum += weigh_call(t, code->node[code->list[node->first_target + i]].part);
    if (node->kind == HC_NODE_CALL_INDIRECT || node->calls)
        sum += weigh_taken(t);
    return sum < SATURATED ? sum : SATURATED;
}

/* Plain ticks of PART and of what it calls, each instruction once. What calls itself looks in between, or has none:
 * find_endless has seen to that. */
static int weigh(struct ticks *t, int part)
{
    int sum = 0;

    if (t->weight[part] != UNKNOWN)
        return t->weight[part];
    t->weight[part] = 0;
    for (size_t n = 0; n < t->p->code.nodes && sum < SATURATED; n++)
        if (t->p->code.node[n].part == part)
            sum += weigh_node(t, n);
    return t->weight[part] = sum < SATURATED ? sum : SATURATED;
}

/* All of them together. */
static int weigh_all(struct ticks *t)
{
    int sum = 0;

    for (size_t i = 0; i < t->p->code.parts; i++)
        t->weight[i] = UNKNOWN;
    for (size_t i = 0; i < t->p->code.parts && sum <= BETWEEN; i++)
        sum += weigh(t, (int)i);
    return sum;
}

/* A walk without a look goes up and then down. No part is left and entered again on it but those that may be passed
 * without a look, which are counted with each call of them: so it has at most twice the ticks of all parts. Parts
 * that come to many look themselves. True: there are few enough. */
static bool look_where_many(struct ticks *t)
{
    struct proof *p = t->p;

    weigh_all(t);
    for (size_t n = 0; n < p->code.nodes; n++)
        if (t->call[n] == PLAIN && p->code.node[n].part != HC_NO_NODE && t->weight[p->code.node[n].part] > SMALL)
            make_plain(t, false, n);
    hc_walks_find_endless(p);
    return weigh_all(t) <= BETWEEN;
}

static bool list_plain(const struct ticks *t, uint32_t **out, size_t *count)
{
    *out = malloc((t->p->code.nodes + 1) * sizeof **out);
    for (size_t n = 0; *out && n < t->p->code.nodes; n++)
        if (t->call[n] == PLAIN)
            (*out)[(*count)++] = t->p->code.node[n].pc;
    return *out;
}

static bool find_plain(struct ticks *t)
{
    struct proof *p = t->p;

    for (size_t n = 0; n < p->code.nodes; n++)
        if (p->code.node[n].kind == HC_NODE_CALL && p->code.node[n].target == t->tick)
            make_plain(t, true, n);
    hc_walks_follow_stack(p);
    do
        hc_walks_find_endless(p);
    while (!p->failed && look_where_endless(t));
    return p->failed || look_where_many(t);
}

static int entry_of(const struct hc_code_graph *code, uint32_t pc)
{
    for (size_t i = 0; i < code->parts; i++)
        if (code->node[code->part[i].entry].pc == pc)
            return code->part[i].entry;
    return HC_NO_NODE;
}

bool hc_proof_plain_ticks(uint32_t **out, size_t *count, const struct hc_image *image, uint32_t tick)
{
    struct proof p = { .size = 0 };
    struct ticks t = { .p = &p, .tick = HC_NO_NODE };

    *out = NULL;
    *count = 0;
    p.failed = !hc_proof_walk(&p.code, image) || !hc_walks_make_room(&p);
    if (!p.failed) {
        t.call = calloc(p.code.nodes + 1, 1);
        t.weight = calloc(p.code.parts + 1, sizeof *t.weight);
        t.tick = entry_of(&p.code, tick);
        p.failed = !t.call || !t.weight;
    }
    bool some = !p.failed && t.tick != HC_NO_NODE && find_plain(&t);
    bool fine = !p.failed && (!some || list_plain(&t, out, count));
    free(t.call);
    free(t.weight);
    hc_walks_free(&p);
    return fine;
}
