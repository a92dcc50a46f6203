/* Walks without a tick, by two graphs over the instructions.
 *
 * In the graph "up" a walk goes on in its function, steps over calls that need not tick, and returns to any caller; in
 * the graph "down" it steps over or enters calls, and never returns. A walk that the program can make goes up, then
 * down. Besides the instructions there are nodes for the exit of each part, and for calls by address:
 *
 *     up:    RET -> exit(part) -> behind each call of the part;  exit(part) -> any return -> behind each indirect call
 *     down:  call -> entry;  indirect call -> any call -> entry of each function whose address is taken
 *
 * Where stacks are changed there is a third graph, "across": both of them, and
 *
 *     RET -> exit(part) -> any resumption -> behind each call, each function whose address is taken
 *     return from an interrupt -> any place -> each instruction
 *
 * of parts that change stacks and of all that call them. A walk across a change goes in circles only within one
 * component of that graph that has a change in it.
 */
#include "walks.h"

#include "image/image.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_proof_reason_names[5] = { "cycle", "entered", "shared", "indirect", "switched" };

static int exit_of(const struct proof *p, int part)
{
    return (int)p->code.nodes + part;
}

static int any_return(const struct proof *p)
{
    return (int)(p->code.nodes + p->code.parts);
}

static int any_call(const struct proof *p)
{
    return (int)(p->code.nodes + p->code.parts) + 1;
}

static int any_resumption(const struct proof *p)
{
    return any_call(p) + 1;
}

static int any_place(const struct proof *p)
{
    return any_call(p) + 2;
}

static void flag(struct proof *p, size_t n, enum hc_proof_reason reason)
{
    if (n < p->code.nodes && p->reason[n] < 0)
        p->reason[n] = (int8_t)reason;
}

/* ---- graphs ---- */

static bool make_graph(struct graph *g, size_t size)
{
    g->first = malloc(size * sizeof *g->first);
    if (!g->first)
        return false;
    for (size_t i = 0; i < size; i++)
        g->first[i] = -1;
    return true;
}

static void connect(struct proof *p, struct graph *g, int from, int to)
{
    if (to == HC_NO_NODE || p->failed)
        return;
    if (g->edges == g->room) {
        size_t more = g->room ? 2 * g->room : 4096;
        struct edge *bigger = realloc(g->edge, more * sizeof *bigger);
        if (!bigger) {
            p->failed = true;
            return;
        }
        g->edge = bigger;
        g->room = more;
    }
    g->edge[g->edges] = (struct edge){ to, g->first[from] };
    g->first[from] = (int)g->edges++;
}

static void free_graph(struct graph *g)
{
    free(g->first);
    free(g->edge);
}

/* ---- which parts may return without a tick ---- */

static bool taken_is_transparent(const struct proof *p)
{
    bool any = false;

    for (size_t i = 0; i < p->code.parts; i++)
        if (p->code.node[p->code.part[i].entry].taken) {
            any = true;
            if (p->transparent[i])
                return true;
        }
    return !any; /* nobody knows who is called */
}

/* May the call or branch to N come back without a tick? */
static bool passes(const struct proof *p, int n)
{
    return n == HC_NO_NODE || p->code.node[n].kind == HC_NODE_STOP || p->transparent[p->code.node[n].part];
}

struct steps {
    int to[2];
    int count;
    bool exits; /* the part may be left here, to its caller */
};

static void step_to(const struct proof *p, struct steps *s, int target)
{
    if (target == HC_NO_NODE)
        return;
    if (p->code.node[target].entry)
        s->exits |= passes(p, target);
    else
        s->to[s->count++] = target;
}

/* Within the part and without a tick; targets of switches come besides. */
static struct steps steps_of(const struct proof *p, const struct hc_code_node *n)
{
    struct steps s = { .count = 0 };

    if (n->tick)
        return s;
    switch ((enum hc_code_node_kind)n->kind) {
    case HC_NODE_STEP:
    case HC_NODE_JUMP:
    case HC_NODE_GOTO:
        step_to(p, &s, n->next);
        step_to(p, &s, n->target);
        break;
    case HC_NODE_CALL:
        if (passes(p, n->target))
            step_to(p, &s, n->next);
        break;
    case HC_NODE_CALL_INDIRECT:
        if (taken_is_transparent(p))
            step_to(p, &s, n->next);
        break;
    case HC_NODE_SWITCH:
        s.exits = n->unknown || (n->calls && taken_is_transparent(p));
        break;
    case HC_NODE_RETURN:
    case HC_NODE_RETURN_INTERRUPT: /* also of functions that pushed SR, as the multiplications in GCC's library */
        s.exits = true;
        break;
    case HC_NODE_STOP:
        break;
    }
    return s;
}

void hc_walks_push(struct proof *p, size_t *depth, int n)
{
    if (!p->mark[n]) {
        p->mark[n] = 1;
        p->stack[(*depth)++] = n;
    }
}

/* Where a walk may go from N within its part goes to the stack. True: the part may be left there. */
static bool push_steps(struct proof *p, size_t *depth, const struct hc_code_node *n)
{
    struct steps s = steps_of(p, n);

    for (size_t i = 0; !n->tick && i < n->targets; i++) {
        int target = p->code.list[n->first_target + i];
        if (!p->code.node[target].entry)
            hc_walks_push(p, depth, target);
        else
            s.exits |= passes(p, target);
    }
    for (int i = 0; i < s.count; i++)
        hc_walks_push(p, depth, s.to[i]);
    return s.exits;
}

static bool can_return(struct proof *p, size_t part)
{
    size_t depth = 0;

    memset(p->mark, 0, p->size);
    hc_walks_push(p, &depth, p->code.part[part].entry);
    while (depth)
        if (push_steps(p, &depth, &p->code.node[p->stack[--depth]]))
            return true;
    return false;
}

bool hc_walks_in_loop(struct proof *p, int n)
{
    size_t depth = 0;

    memset(p->mark, 0, p->size);
    push_steps(p, &depth, &p->code.node[n]);
    while (depth && !p->mark[n])
        push_steps(p, &depth, &p->code.node[p->stack[--depth]]);
    return p->mark[n];
}

static void find_transparent(struct proof *p)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->code.parts; i++)
            if (!p->transparent[i] && can_return(p, i))
                p->transparent[i] = changed = true;
    }
}

/* ---- the two graphs ---- */

/* A branch from N to TARGET, in the part or to another's entry. */
static void connect_branch(struct proof *p, int n, int target)
{
    if (target == HC_NO_NODE)
        return;
    connect(p, &p->down, n, target);
    if (!p->code.node[target].entry)
        connect(p, &p->up, n, target);
    else if (passes(p, target))
        connect(p, &p->up, n, exit_of(p, p->code.node[n].part));
}

/* Behind a branch to another part's entry that part's caller is this part's. */
static void connect_tail(struct proof *p, int n, int target)
{
    if (target != HC_NO_NODE && p->code.node[target].entry)
        connect(p, &p->up, exit_of(p, p->code.node[target].part), exit_of(p, p->code.node[n].part));
}

static void connect_call(struct proof *p, int n)
{
    const struct hc_code_node *node = &p->code.node[n];
    bool direct = node->kind == HC_NODE_CALL;

    if (direct) {
        connect(p, &p->down, n, node->target);
        if (node->target != HC_NO_NODE)
            connect(p, &p->up, exit_of(p, p->code.node[node->target].part), node->next);
    } else {
        connect(p, &p->down, n, any_call(p));
        connect(p, &p->up, any_return(p), node->next);
    }
    if (direct ? passes(p, node->target) : taken_is_transparent(p))
        connect_branch(p, n, node->next);
}

/* What follows a tick is another position: a ticking instruction leads nowhere. But a function that it calls returns
 * here, and a tick that is a branch still says who returns to whom. */
static void connect_node(struct proof *p, int n)
{
    const struct hc_code_node *node = &p->code.node[n];
    struct steps s = steps_of(p, node);

    connect_tail(p, n, node->next);
    if (node->kind == HC_NODE_CALL || node->kind == HC_NODE_CALL_INDIRECT) {
        connect_call(p, n);
        return;
    }
    connect_tail(p, n, node->target);
    for (size_t i = 0; i < node->targets; i++)
        connect_tail(p, n, p->code.list[node->first_target + i]);
    if (node->calls)
        connect(p, &p->up, any_return(p), exit_of(p, node->part));
    if (node->tick)
        return;
    connect_branch(p, n, node->next);
    connect_branch(p, n, node->target);
    for (size_t i = 0; i < node->targets; i++)
        connect_branch(p, n, p->code.list[node->first_target + i]);
    if (node->calls)
        connect(p, &p->down, n, any_call(p));
    if (s.exits)
        connect(p, &p->up, n, exit_of(p, node->part));
}

static void make_graphs(struct proof *p)
{
    for (size_t n = 0; n < p->code.nodes; n++)
        if (p->code.node[n].part != HC_NO_NODE)
            connect_node(p, (int)n);
    for (size_t i = 0; i < p->code.parts; i++) {
        int entry = p->code.part[i].entry;
        if (!p->code.node[entry].taken)
            continue;
        connect(p, &p->down, any_call(p), entry);
        connect(p, &p->up, exit_of(p, (int)i), any_return(p));
    }
    for (size_t i = 0; i < p->code.parts; i++)
        if (p->leaves[i] || (p->switches && p->code.node[p->code.part[i].entry].taken))
            connect(p, &p->up, exit_of(p, (int)i), any_call(p)); /* to a new thread; from a thread's end */
    for (size_t n = 0; n < p->size; n++)
        for (int e = p->up.first[n]; e >= 0; e = p->up.edge[e].next)
            connect(p, &p->up_reversed, p->up.edge[e].to, (int)n);
}

/* ---- changes of stacks ---- */

/* A part that calls, or branches to, one that may return anywhere may do so itself. */
static bool leads_to_leaving(const struct proof *p, const struct hc_code_node *n)
{
    int to[2] = { n->target, n->kind == HC_NODE_CALL ? HC_NO_NODE : n->next };

    for (int i = 0; i < 2; i++)
        if (to[i] != HC_NO_NODE && p->code.node[to[i]].entry && p->leaves[p->code.node[to[i]].part])
            return true;
    for (size_t i = 0; i < n->targets; i++) {
        const struct hc_code_node *target = &p->code.node[p->code.list[n->first_target + i]];
        if (target->entry && p->leaves[target->part])
            return true;
    }
    return false;
}

static void find_leaving(struct proof *p)
{
    bool by_address = false;

    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < p->code.nodes; i++) {
            const struct hc_code_node *n = &p->code.node[i];
            bool leads = p->stack_use[i].switches || leads_to_leaving(p, n) ||
                         (by_address && (n->kind == HC_NODE_CALL_INDIRECT || n->calls));
            if (n->part == HC_NO_NODE || p->leaves[n->part] || !leads)
                continue;
            p->leaves[n->part] = changed = true;
            by_address |= p->code.node[p->code.part[n->part].entry].taken;
        }
    }
}

void hc_walks_follow_stack(struct proof *p)
{
    if (!p->code.target->code->follow_stack(&p->code, p->stack_use)) {
        p->failed = true;
        return;
    }
    for (size_t n = 0; n < p->code.nodes; n++) {
        p->switches |= p->stack_use[n].switches;
        p->code.node[n].calls |= p->stack_use[n].elsewhere;
    }
    if (p->switches)
        find_leaving(p);
}

static void copy_edges(struct proof *p, const struct graph *from)
{
    for (size_t n = 0; n < p->size; n++)
        for (int e = from->first[n]; e >= 0; e = from->edge[e].next)
            connect(p, &p->across, (int)n, from->edge[e].to);
}

static void connect_across(struct proof *p)
{
    copy_edges(p, &p->up);
    copy_edges(p, &p->down);
    connect(p, &p->across, any_resumption(p), any_call(p));
    for (size_t i = 0; i < p->code.parts; i++)
        if (p->leaves[i])
            connect(p, &p->across, exit_of(p, (int)i), any_resumption(p));
    for (size_t i = 0; i < p->code.nodes; i++) {
        const struct hc_code_node *n = &p->code.node[i];
        if (n->part == HC_NO_NODE)
            continue;
        connect(p, &p->across, any_place(p), (int)i);
        if (n->kind == HC_NODE_CALL || n->kind == HC_NODE_CALL_INDIRECT)
            connect(p, &p->across, any_resumption(p), n->next);
        if (n->kind == HC_NODE_RETURN_INTERRUPT && !n->tick && p->leaves[n->part])
            connect(p, &p->across, (int)i, any_place(p));
        if (n->kind == HC_NODE_SWITCH && !n->tick && !n->targets && p->leaves[n->part])
            connect(p, &p->across, (int)i, any_resumption(p));
    }
}

/* ---- cycles: Tarjan's components, without recursion ---- */

struct component {
    int *index, *low, *edge; /* of nodes; index 0: not visited yet */
    bool *open;
    int *path, *members;
    size_t depth, open_count;
    int counter;
    bool switched; /* of interest are those with a change of stacks only */
};

static void visit(struct component *c, const struct graph *g, int n)
{
    c->index[n] = c->low[n] = ++c->counter;
    c->edge[n] = g->first[n];
    c->open[n] = true;
    c->path[c->depth++] = n;
    c->members[c->open_count++] = n;
}

static bool has_own_edge(const struct graph *g, int n)
{
    for (int e = g->first[n]; e >= 0; e = g->edge[e].next)
        if (g->edge[e].to == n)
            return true;
    return false;
}

static bool has_switch(const struct proof *p, const int *members, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((size_t)members[i] < p->code.nodes && p->stack_use[members[i]].switches)
            return true;
    return false;
}

/* N is the first of its component: take that from the list. */
static void close_component(struct proof *p, struct component *c, const struct graph *g, int n)
{
    size_t end = c->open_count;

    do
        c->open[c->members[--c->open_count]] = false;
    while (c->members[c->open_count] != n);
    if ((end - c->open_count == 1 && !has_own_edge(g, n)) ||
        (c->switched && !has_switch(p, c->members + c->open_count, end - c->open_count)))
        return;
    for (size_t i = c->open_count; i < end; i++)
        flag(p, (size_t)c->members[i], c->switched ? HC_PROOF_SWITCHED : HC_PROOF_CYCLE);
}

static void search(struct proof *p, struct component *c, const struct graph *g, int root)
{
    visit(c, g, root);
    while (c->depth) {
        int n = c->path[c->depth - 1], e = c->edge[n];

        if (e >= 0) {
            int to = g->edge[e].to;
            c->edge[n] = g->edge[e].next;
            if (!c->index[to])
                visit(c, g, to);
            else if (c->open[to] && c->index[to] < c->low[n])
                c->low[n] = c->index[to];
            continue;
        }
        c->depth--;
        if (c->depth && c->low[n] < c->low[c->path[c->depth - 1]])
            c->low[c->path[c->depth - 1]] = c->low[n];
        if (c->low[n] == c->index[n])
            close_component(p, c, g, n);
    }
}

static void flag_cycles(struct proof *p, const struct graph *g, bool switched)
{
    struct component c = {
        .switched = switched,
        .index = calloc(p->size, sizeof *c.index),
        .low = malloc(p->size * sizeof *c.low),
        .edge = malloc(p->size * sizeof *c.edge),
        .open = calloc(p->size, sizeof *c.open),
        .path = malloc(p->size * sizeof *c.path),
        .members = malloc(p->size * sizeof *c.members),
    };

    if (!c.index || !c.low || !c.edge || !c.open || !c.path || !c.members)
        p->failed = true;
    for (size_t n = 0; !p->failed && n < p->size; n++)
        if (!c.index[n])
            search(p, &c, g, (int)n);
    free(c.index);
    free(c.low);
    free(c.edge);
    free(c.open);
    free(c.path);
    free(c.members);
}

/* ---- parts that are left and entered again ---- */

enum { UP = 1, DOWN = 2 };

static void push_as(struct proof *p, size_t *depth, int n, uint8_t way)
{
    if (!(p->mark[n] & way)) {
        p->mark[n] |= way;
        p->stack[(*depth)++] = n << 1 | (way == DOWN);
    }
}

/* From the exit of PART up and then down to its entry? */
static bool enters_again(struct proof *p, size_t part)
{
    size_t depth = 0;
    int entry = p->code.part[part].entry;

    memset(p->mark, 0, p->size);
    push_as(p, &depth, exit_of(p, (int)part), UP);
    while (depth) {
        int at = p->stack[--depth], n = at >> 1;
        bool down = at & 1;
        const struct graph *g = down ? &p->down : &p->up;

        if (down && n == entry)
            return true;
        if (!down && ((size_t)n < p->code.nodes || n == any_call(p)))
            push_as(p, &depth, n, DOWN);
        for (int e = g->first[n]; e >= 0; e = g->edge[e].next)
            push_as(p, &depth, g->edge[e].to, down ? DOWN : UP);
    }
    return false;
}

static bool in_part(const struct proof *p, int n, size_t part)
{
    return (size_t)n < p->code.nodes ? p->code.node[n].part == (int)part : n == exit_of(p, (int)part);
}

/* Marks with WAY what G reaches from N within PART. */
static void mark_within(struct proof *p, const struct graph *g, size_t part, int n, uint8_t way)
{
    size_t depth = 0;

    push_as(p, &depth, n, way);
    while (depth) {
        int at = p->stack[--depth] >> 1;
        for (int e = g->first[at]; e >= 0; e = g->edge[e].next)
            if (in_part(p, g->edge[e].to, part))
                push_as(p, &depth, g->edge[e].to, way);
    }
}

/* Instructions on a way through PART without a tick. */
static void flag_through(struct proof *p, size_t part)
{
    memset(p->mark, 0, p->size);
    mark_within(p, &p->up, part, p->code.part[part].entry, UP);
    mark_within(p, &p->up_reversed, part, exit_of(p, (int)part), DOWN);
    for (size_t n = 0; n < p->code.nodes; n++)
        if (p->mark[n] == (UP | DOWN))
            flag(p, n, HC_PROOF_ENTERED);
}

static void flag_entered(struct proof *p)
{
    for (size_t i = 0; i < p->code.parts; i++)
        if (p->transparent[i] && enters_again(p, i))
            flag_through(p, i);
}

/* ---- code that handlers share ---- */

static void push_taken(struct proof *p, size_t *depth)
{
    for (size_t i = 0; i < p->code.parts; i++)
        if (p->code.node[p->code.part[i].entry].taken)
            hc_walks_push(p, depth, p->code.part[i].entry);
}

/* What is reached from the DEPTH nodes that wait on the stack runs in context BIT. */
static void spread_context(struct proof *p, size_t depth, uint64_t bit)
{
    while (depth) {
        int at = p->stack[--depth];
        if (at == any_call(p)) {
            push_taken(p, &depth);
            continue;
        }
        const struct hc_code_node *n = &p->code.node[at];
        if (n->part != HC_NO_NODE)
            p->context[n->part] |= bit;
        if (n->next != HC_NO_NODE)
            hc_walks_push(p, &depth, n->next);
        if (n->target != HC_NO_NODE)
            hc_walks_push(p, &depth, n->target);
        for (size_t i = 0; i < n->targets; i++)
            hc_walks_push(p, &depth, p->code.list[n->first_target + i]);
        if (n->kind == HC_NODE_CALL_INDIRECT || n->calls)
            hc_walks_push(p, &depth, any_call(p));
    }
}

/* Functions that nobody is seen to enter, but whose address is taken, run beside the program; where stacks are changed,
 * all of them may. */
static void find_threads(struct proof *p)
{
    size_t depth = 0;

    memset(p->mark, 0, p->size);
    for (size_t i = 0; i < p->code.parts; i++)
        if (p->code.node[p->code.part[i].entry].taken && (p->switches || !p->context[i]))
            hc_walks_push(p, &depth, p->code.part[i].entry);
    spread_context(p, depth, 1); /* of the program */
}

static void find_contexts(struct proof *p)
{
    for (int r = 0; r < p->code.roots; r++) {
        size_t depth = 0;

        memset(p->mark, 0, p->size);
        hc_walks_push(p, &depth, p->code.root[r].node);
        spread_context(p, depth, (uint64_t)1 << r);
    }
    find_threads(p);
}

/* Roots in whose code a maskable interrupt may arrive: the program, and handlers that may switch interrupts on. */
static uint64_t interruptible(struct proof *p)
{
    bool *enables = calloc(p->code.nodes + 1, sizeof *enables);
    uint64_t set = 0;

    if (!enables || !p->code.target->code->find_enabling(&p->code, enables))
        p->failed = true;
    for (int r = 0; r < p->code.roots; r++)
        if (!p->code.root[r].handler)
            set |= (uint64_t)1 << r;
    for (size_t n = 0; !p->failed && n < p->code.nodes; n++)
        if (enables[n])
            set |= p->context[p->code.node[n].part];
    free(enables);
    return set;
}

/* Of handler R: instructions from which its return is reached without a tick, where what it interrupts may be as well.
 */
static void flag_shared_by(struct proof *p, int r, uint64_t others)
{
    uint64_t bit = (uint64_t)1 << r;
    size_t depth = 0;

    memset(p->mark, 0, p->size);
    for (size_t n = 0; n < p->code.nodes; n++) {
        const struct hc_code_node *node = &p->code.node[n];
        if (node->kind == HC_NODE_RETURN_INTERRUPT && node->part != HC_NO_NODE && (p->context[node->part] & bit))
            hc_walks_push(p, &depth, (int)n);
    }
    while (depth) {
        int at = p->stack[--depth];
        for (int e = p->up_reversed.first[at]; e >= 0; e = p->up_reversed.edge[e].next)
            hc_walks_push(p, &depth, p->up_reversed.edge[e].to);
    }
    for (size_t n = 0; n < p->code.nodes; n++)
        if (p->mark[n] && (p->context[p->code.node[n].part] & bit) && (p->context[p->code.node[n].part] & others))
            flag(p, n, HC_PROOF_SHARED);
}

/* Handlers that cannot be interrupted share nothing: an arrival while interrupts are off is none of theirs. */
static void flag_shared(struct proof *p, uint64_t open, bool nonmaskable)
{
    for (int r = 0; r < p->code.roots; r++) {
        uint64_t bit = (uint64_t)1 << r;
        bool can_be_interrupted = (open & bit) || nonmaskable;
        uint64_t others = p->code.root[r].nonmaskable ? ~(uint64_t)0 : open;

        if (p->code.root[r].handler && can_be_interrupted)
            flag_shared_by(p, r, open & bit ? others : others & ~bit);
    }
}

/* ---- code whose branches are not known ---- */

static void flag_unknown(struct proof *p)
{
    for (size_t n = 0; n < p->code.nodes; n++) {
        int part = p->code.node[n].part;
        if (!p->code.node[n].unknown || part == HC_NO_NODE)
            continue;
        for (size_t k = 0; k < p->code.nodes; k++)
            if (p->code.node[k].part == part)
                flag(p, k, HC_PROOF_INDIRECT);
    }
}

/* Where no interrupt can arrive nothing is ambiguous. */
static void forget_closed(struct proof *p, uint64_t open)
{
    for (size_t n = 0; n < p->code.nodes; n++) {
        int part = p->code.node[n].part;
        if (part == HC_NO_NODE || !(p->context[part] & open))
            p->reason[n] = -1;
    }
}

static void find_stuck(struct proof *p)
{
    bool *cycle = calloc(p->code.nodes + 1, sizeof *cycle);

    for (size_t n = 0; cycle && n < p->code.nodes; n++)
        cycle[n] = p->reason[n] == HC_PROOF_CYCLE;
    if (!cycle || !p->code.target->code->find_stuck(&p->code, cycle, &p->stuck, &p->stuck_count))
        p->failed = true;
    free(cycle);
}

static bool has_nonmaskable(const struct proof *p)
{
    for (int r = 0; r < p->code.roots; r++)
        if (p->code.root[r].nonmaskable)
            return true;
    return false;
}

static void analyse(struct proof *p)
{
    hc_walks_follow_stack(p);
    find_transparent(p);
    make_graphs(p);
    if (p->failed)
        return;
    find_contexts(p);
    bool nonmaskable = has_nonmaskable(p);
    uint64_t open = interruptible(p);
    flag_cycles(p, &p->down, false);
    flag_cycles(p, &p->up, false);
    flag_entered(p);
    if (p->switches) {
        connect_across(p);
        flag_cycles(p, &p->across, true);
    }
    flag_shared(p, open, nonmaskable);
    flag_unknown(p);
    forget_closed(p, nonmaskable ? ~(uint64_t)0 : open);
    find_stuck(p);
}

static int by_address(const void *a, const void *b)
{
    uint32_t x = ((const struct hc_proof_range *)a)->start, y = ((const struct hc_proof_range *)b)->start;

    return (x > y) - (x < y);
}

static void add_page(uint8_t pages[32], uint32_t pc)
{
    if (pc < 0x10000)
        pages[pc >> 11] |= (uint8_t)(1u << (pc >> 8 & 7));
}

static struct hc_proof *make_list(const struct proof *p)
{
    struct hc_proof *proof = calloc(1, sizeof *proof);
    struct hc_proof_range *range = calloc(p->code.nodes + 1, sizeof *range);

    uint32_t *stuck = calloc(p->stuck_count + 1, sizeof *stuck);

    if (!proof || !range || !stuck) {
        free(proof);
        free(range);
        free(stuck);
        return NULL;
    }
    proof->stuck = p->stuck_count;
    proof->stuck_pc = stuck;
    for (size_t i = 0; i < p->stuck_count; i++)
        stuck[i] = p->code.node[p->stuck[i]].pc;
    for (size_t n = 0; n < p->code.nodes; n++) {
        const struct hc_code_node *node = &p->code.node[n];
        proof->instructions += node->kind != HC_NODE_STOP;
        if (node->kind != HC_NODE_STOP)
            add_page(proof->known, node->pc);
        if (p->reason[n] < 0)
            continue;
        add_page(proof->hashed, node->pc);
        proof->beyond += node->pc >= 0x10000;
        range[proof->ambiguous++] = (struct hc_proof_range){ node->pc, node->pc + node->length, (uint8_t)p->reason[n] };
    }
    qsort(range, proof->ambiguous, sizeof *range, by_address);
    for (size_t i = 0; i < proof->ambiguous; i++) {
        struct hc_proof_range *last = proof->ranges ? &range[proof->ranges - 1] : NULL;
        if (last && last->end >= range[i].start && last->reason == range[i].reason)
            last->end = last->end > range[i].end ? last->end : range[i].end;
        else
            range[proof->ranges++] = range[i];
    }
    proof->range = range;
    return proof;
}

/* ---- memory ---- */

bool hc_walks_make_room(struct proof *p)
{
    p->size = p->code.nodes + p->code.parts + 4;
    p->stack_use = malloc((p->code.nodes + 1) * sizeof *p->stack_use);
    p->leaves = calloc(p->code.parts + 1, sizeof *p->leaves);
    p->transparent = calloc(p->code.parts + 1, sizeof *p->transparent);
    p->context = calloc(p->code.parts + 1, sizeof *p->context);
    p->reason = malloc(p->code.nodes + 1);
    p->stack = malloc(2 * p->size * sizeof *p->stack);
    p->mark = malloc(p->size);
    if (!p->stack_use || !p->leaves || !p->transparent || !p->context || !p->reason || !p->stack || !p->mark)
        return false;
    memset(p->reason, -1, p->code.nodes + 1);
    return make_graph(&p->up, p->size) && make_graph(&p->down, p->size) && make_graph(&p->up_reversed, p->size) &&
           make_graph(&p->across, p->size);
}

void hc_walks_free(struct proof *p)
{
    free(p->stuck);
    free(p->stack_use);
    free(p->leaves);
    free(p->transparent);
    free(p->context);
    free(p->reason);
    free(p->stack);
    free(p->mark);
    free_graph(&p->up);
    free_graph(&p->down);
    free_graph(&p->up_reversed);
    free_graph(&p->across);
    hc_code_graph_free(&p->code);
}

/* ---- cycles alone ---- */

static void forget_graphs(struct proof *p)
{
    struct graph *all[] = { &p->up, &p->down, &p->up_reversed, &p->across };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i]->edges = 0;
        for (size_t n = 0; n < p->size; n++)
            all[i]->first[n] = -1;
    }
    memset(p->transparent, 0, p->code.parts * sizeof *p->transparent);
    memset(p->reason, -1, p->code.nodes);
}

void hc_walks_find_endless(struct proof *p)
{
    forget_graphs(p);
    find_transparent(p);
    make_graphs(p);
    flag_cycles(p, &p->down, false);
    flag_cycles(p, &p->up, false);
    if (p->switches) {
        connect_across(p);
        flag_cycles(p, &p->across, true);
    }
    flag_unknown(p);
}

/* ---- all of it ---- */

int hc_proof_make(struct hc_proof **out, const struct hc_image *image, struct hc_proof_message *message)
{
    const struct hc_target *target = hc_target_of_elf(hc_image_machine(image));
    struct proof p = { .size = 0 };

    *out = target && !target->code ? calloc(1, sizeof **out) : NULL;
    if (*out)
        return HC_PROOF_OK; /* interrupts of this target are not recorded yet: nothing is to be proved */
    bool walked = hc_proof_walk(&p.code, image);
    bool no_root = !p.code.failed && !p.code.roots;

    if (walked && hc_walks_make_room(&p))
        analyse(&p);
    else
        p.failed = true;
    if (!p.failed)
        *out = make_list(&p);
    hc_walks_free(&p);
    if (*out)
        return HC_PROOF_OK;
    snprintf(message->text, sizeof message->text, no_root ? "has no reset vector" : "out of memory");
    return no_root ? HC_PROOF_BAD : HC_PROOF_NO_MEMORY;
}

void hc_proof_free(struct hc_proof *proof)
{
    if (!proof)
        return;
    free(proof->range);
    free(proof->stuck_pc);
    free(proof);
}

bool hc_proof_lists(const struct hc_proof *proof, uint32_t pc, enum hc_proof_reason *reason)
{
    size_t low = 0, high = proof->ranges;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct hc_proof_range *r = &proof->range[middle];
        if (pc >= r->start && pc < r->end) {
            *reason = (enum hc_proof_reason)r->reason;
            return true;
        }
        if (pc >= r->end)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}
