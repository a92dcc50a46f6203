#include "control.h"

#include "target/target.h"

#include <stdlib.h>
#include <string.h>

/* ---- the graph of a function ---- */

struct function {
    struct hc_code_graph code;
    uint32_t low, high;
    uint8_t *state; /* of a search, by node */
    int *stack;     /* of a search: nodes, and which way was taken from each */
    size_t *way;
};

static bool is_within(const struct function *f, uint32_t pc)
{
    return pc >= f->low && pc < f->high;
}

static void function_free(struct function *f)
{
    hc_code_graph_free(&f->code);
    free(f->state);
    free(f->stack);
    free(f->way);
}

/* Nodes outside the function are exits, as all nodes are initially. */
static bool function_read(struct function *f, struct hc_image *image, const struct hc_target *target, uint32_t low,
                          uint32_t high)
{
    uint32_t addresses = target->code->addresses;

    *f = (struct function){ .low = low, .high = high };
    f->code = (struct hc_code_graph){ .image = image, .target = target, .addresses = addresses };
    f->code.node_at = malloc(addresses / 2 * sizeof *f->code.node_at);
    if (!f->code.node_at)
        return false;
    memset(f->code.node_at, 0xff, addresses / 2 * sizeof *f->code.node_at); /* HC_NO_NODE */
    hc_code_node_at(&f->code, low);
    while (f->code.waiting_count) {
        int n = f->code.waiting[--f->code.waiting_count];
        if (is_within(f, f->code.node[n].pc))
            target->code->decode(&f->code, n);
    }
    f->state = malloc(f->code.nodes);
    f->stack = malloc((f->code.nodes + 1) * sizeof *f->stack);
    f->way = malloc((f->code.nodes + 1) * sizeof *f->way);
    return f->state && f->stack && f->way && !f->code.failed;
}

static int node_of(const struct function *f, uint32_t pc)
{
    return f->code.node_at[(pc & (f->code.addresses - 2)) / 2];
}

/* Successor number I of N; HC_NO_NODE if there are no more. A call's successor is the instruction after it. */
static int way_out(const struct function *f, int n, size_t i)
{
    const struct hc_code_node *node = &f->code.node[n];

    if (!is_within(f, node->pc))
        return HC_NO_NODE;
    if (node->kind == HC_NODE_SWITCH)
        return i < node->targets ? f->code.list[node->first_target + i] : HC_NO_NODE;
    bool jumps = node->kind == HC_NODE_JUMP || node->kind == HC_NODE_GOTO;
    int ways[2] = { node->next, jumps ? node->target : HC_NO_NODE };
    if (ways[0] == HC_NO_NODE)
        ways[0] = ways[1], ways[1] = HC_NO_NODE;
    return i < 2 ? ways[i] : HC_NO_NODE;
}

static bool is_exit(const struct function *f, int n)
{
    return way_out(f, n, 0) == HC_NO_NODE;
}

enum { NEW, OPEN, DONE };

/* Whether a search from FROM that does not enter AVOIDED (HC_NO_NODE: none) reaches an exit. *CYCLES: whether it finds
 * a loop. */
static bool search(struct function *f, int from, int avoided, bool *cycles)
{
    size_t depth = 0;

    *cycles = false;
    memset(f->state, NEW, f->code.nodes);
    if (from == avoided)
        return false;
    f->stack[0] = from;
    f->way[0] = 0;
    f->state[from] = OPEN;
    for (;;) {
        int n = f->stack[depth];
        if (is_exit(f, n))
            return true;
        int next = way_out(f, n, f->way[depth]++);
        if (next == HC_NO_NODE) {
            f->state[n] = DONE;
            if (!depth--)
                return false;
        } else if (next != avoided && f->state[next] == NEW) {
            f->state[next] = OPEN;
            f->stack[++depth] = next;
            f->way[depth] = 0;
        } else if (next != avoided && f->state[next] == OPEN) {
            *cycles = true;
        }
    }
}

/* Whether all paths from FROM to an exit lead through N. If no path leads to an exit, a loop without N avoids it. */
static bool leads_through(struct function *f, int from, int n)
{
    bool goes_round, any;

    if (search(f, from, n, &goes_round))
        return false;
    return !goes_round || search(f, from, HC_NO_NODE, &any);
}

static bool depends(struct function *f, uint32_t branch, uint32_t pc)
{
    int b = node_of(f, branch), n = node_of(f, pc), way;
    bool some = false, all = true;

    if (b == HC_NO_NODE || n == HC_NO_NODE || way_out(f, b, 1) == HC_NO_NODE)
        return false;
    for (size_t i = 0; (way = way_out(f, b, i)) != HC_NO_NODE; i++) {
        bool through = leads_through(f, way, n);
        some = some || through;
        all = all && through;
    }
    return some && !all;
}

/* ---- the past ---- */

struct searcher {
    struct function *function; /* NULL: its graph could not be made */
    struct hc_image *image;
    uint32_t pc;
    int8_t *known; /* by instruction of the function: 1 if PC depends on it, -1 if not, 0 if not known yet */
    uint64_t depth;
    struct hc_past later;
    struct hc_control found;
};

static bool find(struct searcher *s, enum hc_control_kind kind, const struct hc_past *at)
{
    s->found = (struct hc_control){
        .kind = kind, .moment = at->moment.instructions, .pc = at->pc, .to = s->later.pc, .called = s->later.pc
    };
    return true;
}

static bool is_ours(const struct searcher *s, uint32_t pc)
{
    return s->function && is_within(s->function, pc);
}

static bool decides(struct searcher *s, uint32_t pc)
{
    int8_t *known = &s->known[(pc - s->function->low) / 2];

    if (!*known)
        *known = depends(s->function, pc, s->pc) ? 1 : -1;
    return *known > 0;
}

/* Whether the instruction at PAST belongs to the same invocation. */
static bool look_in_function(struct searcher *s, const struct hc_past *past)
{
    if (past->flow == HC_FLOW_CALL)
        return (!s->function || s->later.pc == s->function->low) && find(s, HC_CONTROL_CALL, past);
    if (!is_ours(s, past->pc))
        return s->function && find(s, HC_CONTROL_CALL, past); /* a jump from another function */
    return decides(s, past->pc) && find(s, HC_CONTROL_BRANCH, past);
}

static bool look(void *owner, const struct hc_past *past)
{
    struct searcher *s = owner;
    uint64_t interrupts = s->later.moment.interrupts - past->moment.interrupts;
    bool found = false;

    if (interrupts > s->depth)
        return find(s, HC_CONTROL_INTERRUPT, &s->later);
    s->depth -= interrupts;
    if (past->flow == HC_FLOW_RETURN || past->flow == HC_FLOW_INTERRUPT_RETURN)
        s->depth++;
    else if (past->flow == HC_FLOW_CALL && s->depth)
        s->depth--;
    else if (!s->depth)
        found = look_in_function(s, past);
    s->later = *past;
    return found;
}

static void prepare(struct searcher *s, struct hc_timeline *t, struct function *f)
{
    struct hc_machine *m = hc_timeline_machine(t);
    struct hc_symbol symbol;

    if (!hc_image_function_at(s->image, s->pc, &symbol) || !symbol.size)
        return;
    s->known = calloc(symbol.size / 2 + 1, 1);
    if (s->known && function_read(f, s->image, hc_target_of_machine(m), symbol.address, symbol.address + symbol.size))
        s->function = f;
}

static bool is_indirect(struct function *f, uint32_t call)
{
    int n = hc_code_node_at(&f->code, call);

    if (f->code.failed)
        return false;
    f->code.target->code->decode(&f->code, n);
    return f->code.node[n].kind == HC_NODE_CALL_INDIRECT;
}

struct hc_control hc_control_of(struct hc_timeline *t, struct hc_image *image, uint64_t at, uint32_t pc)
{
    uint64_t here = hc_timeline_now(t)->instructions;
    struct function function = { 0 };
    struct searcher s = { .image = image, .pc = pc, .found = { .kind = HC_CONTROL_UNKNOWN } };

    prepare(&s, t, &function);
    hc_timeline_seek(t, at);
    s.later = (struct hc_past){ .moment = *hc_timeline_now(t), .pc = pc };
    if (hc_timeline_look_back(t, 0, look, &s) == HC_TIMELINE_BEGINNING)
        s.found.kind = HC_CONTROL_START;
    hc_timeline_return(t, here);
    s.found.by_value = s.function && s.found.kind == HC_CONTROL_CALL && is_indirect(s.function, s.found.pc);
    function_free(&function);
    free(s.known);
    return s.found;
}
