/* What a program's code does with its stack, instruction by instruction.
 *
 * SP is followed from each entry, where it is 0, and so are copies of it in registers. Three things are looked for:
 *
 *   switches   instructions that give SP a value which is not known to lie in the same stack: kernels that change
 *              threads, longjmp. What is loaded from memory is another stack; a frame pointer is not.
 *   elsewhere  returns that do not return to the caller: SP is not where the call left it, or the return address was
 *              written ("push #f; ret")
 *   hides      something lies on the stack above the return address */
#include "code.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What a register holds: SP at the entry plus so many bytes, an unknown place of the same stack, or anything else. */
enum { ELSEWHERE = INT_MIN, SOMEWHERE = INT_MIN + 1 };

/* Before an instruction. */
struct state {
    int reached; /* as wide as the others: states are compared as bytes */
    int r[16];
};

struct work {
    const struct hc_code_graph *code;
    struct hc_code_stack *out;
    struct state *state;
    int *waiting;
    size_t waiting_count;
    bool *queued;
    bool *overwritten; /* of parts: their return address */
};

static bool is_known(int value)
{
    return value != ELSEWHERE && value != SOMEWHERE;
}

static int moved(int value, int by)
{
    return is_known(value) ? value + by : value;
}

/* ---- an instruction ---- */

static bool stores(const struct hc_instruction *i)
{
    if (i->format == HC_DOUBLE)
        return i->op != HC_OP_CMP && i->op != HC_OP_BIT;
    return i->format == HC_ADDRESS && i->op != HC_OP_CMPA;
}

static bool is_op(const struct hc_instruction *i, enum hc_double_op op, enum hc_address_op address_op)
{
    return (i->format == HC_DOUBLE && i->width != 8 && i->op == op) || (i->format == HC_ADDRESS && i->op == address_op);
}

/* The value that the destination, a register, gets. A mask moves SP a little, as code does that aligns its frame. */
static int result(const struct state *s, const struct hc_instruction *i)
{
    int constant = (int16_t)i->src.value, old = s->r[i->dst.reg];
    bool is_constant = i->src.mode == HC_IMMEDIATE;
    bool masks = i->format == HC_DOUBLE && (i->op == HC_OP_AND || i->op == HC_OP_BIC);

    if (is_op(i, HC_OP_MOV, HC_OP_MOVA))
        return i->src.mode == HC_REGISTER ? s->r[i->src.reg] : ELSEWHERE;
    if (old == ELSEWHERE)
        return ELSEWHERE;
    if (is_op(i, HC_OP_ADD, HC_OP_ADDA))
        return is_constant ? moved(old, constant) : SOMEWHERE;
    if (is_op(i, HC_OP_SUB, HC_OP_SUBA))
        return is_constant ? moved(old, -constant) : SOMEWHERE;
    return masks ? SOMEWHERE : ELSEWHERE;
}

/* The program's start may set SP: there is nothing before it. */
static bool is_start(const struct work *w, int n, const struct hc_instruction *i)
{
    return w->code->node[n].part == w->code->node[w->code->root[0].node].part && i->src.mode == HC_IMMEDIATE;
}

static void write_register(struct work *w, struct state *s, int n, const struct hc_instruction *i)
{
    int value = result(s, i);

    if (i->dst.reg == HC_SP && value == ELSEWHERE) {
        w->out[n].switches = !is_start(w, n, i);
        value = SOMEWHERE;
    }
    s->r[i->dst.reg] = value;
}

static bool is_handler(const struct work *w, int part)
{
    for (int r = 0; r < w->code->roots; r++)
        if (w->code->root[r].handler && w->code->node[w->code->root[r].node].part == part)
            return true;
    return false;
}

/* A store to the place of the return address; a handler's lies behind SR. */
static void write_memory(struct work *w, const struct state *s, int n, const struct hc_instruction *i)
{
    int part = w->code->node[n].part;
    int base = i->dst.mode == HC_INDEXED ? s->r[i->dst.reg] : ELSEWHERE;

    if (is_known(base) && base + (int16_t)i->dst.value == (is_handler(w, part) ? 2 : 0))
        w->overwritten[part] = true;
}

static int pushed(const struct hc_instruction *i)
{
    int size = i->width == 20 ? 4 : 2;

    if (i->format == HC_PUSHM || i->format == HC_POPM)
        return i->format == HC_PUSHM ? size * i->count : -size * i->count;
    return i->format == HC_SINGLE && i->op == HC_OP_PUSH ? size : 0;
}

static void forget(struct state *s, int first, int last)
{
    for (int r = first; r <= last; r++)
        s->r[r] = ELSEWHERE;
}

static void execute(struct work *w, struct state *s, int n, const struct hc_instruction *i)
{
    bool changes_itself = i->format == HC_SINGLE && i->src.mode == HC_REGISTER && i->op != HC_OP_PUSH;

    if (w->code->node[n].kind == HC_NODE_CALL || w->code->node[n].kind == HC_NODE_CALL_INDIRECT) {
        forget(s, 11, 15);
        return;
    }
    if (i->src.mode == HC_INCREMENT && i->format != HC_JUMP)
        s->r[i->src.reg] = moved(s->r[i->src.reg], i->width == 8 && i->src.reg != HC_SP ? 1 : 2);
    s->r[HC_SP] = moved(s->r[HC_SP], -pushed(i));
    if (i->format == HC_POPM)
        forget(s, 4, 15);
    else if (changes_itself)
        s->r[i->src.reg] = ELSEWHERE;
    else if (i->format == HC_ROTATE)
        s->r[i->dst.reg] = ELSEWHERE;
    else if (stores(i) && i->dst.mode == HC_REGISTER && i->dst.reg != HC_PC)
        write_register(w, s, n, i);
    else if (stores(i) && i->dst.mode != HC_REGISTER)
        write_memory(w, s, n, i);
}

/* ---- the walk ---- */

static void flow(struct work *w, const struct state *s, int to)
{
    if (to == HC_NO_NODE)
        return;
    struct state *old = &w->state[to], joined = *s;
    for (int r = 0; old->reached && r < 16; r++)
        if (joined.r[r] != old->r[r])
            joined.r[r] = joined.r[r] == ELSEWHERE || old->r[r] == ELSEWHERE ? ELSEWHERE : SOMEWHERE;
    joined.reached = true;
    if (!memcmp(&joined, old, sizeof joined))
        return;
    *old = joined;
    if (!w->queued[to]) {
        w->queued[to] = true;
        w->waiting[w->waiting_count++] = to;
    }
}

static void enter(struct work *w, int n, int sp)
{
    struct state s;

    memset(&s, 0, sizeof s);
    s.reached = true;
    forget(&s, 0, 15);
    s.r[HC_SP] = sp;
    flow(w, &s, n);
}

static void step(struct work *w, int at)
{
    const struct hc_code_node *n = &w->code->node[at];
    struct state s = w->state[at];
    struct hc_instruction i;

    if (n->cut)
        forget(&s, 4, 15);
    else if (n->kind == HC_NODE_STOP || !hc_msp430_at(w->code, n->pc, &i))
        return;
    else
        execute(w, &s, at, &i);
    flow(w, &s, n->next);
    if (n->kind == HC_NODE_CALL)
        enter(w, n->target, 0);
    else
        flow(w, &s, n->target);
    for (size_t k = 0; k < n->targets; k++)
        flow(w, &s, w->code->list[n->first_target + k]);
}

static void walk(struct work *w)
{
    for (int r = 0; r < w->code->roots; r++)
        enter(w, w->code->root[r].node, w->code->root[r].resumes ? -2 : 0);
    for (size_t n = 0; n < w->code->nodes; n++)
        if (w->code->node[n].taken)
            enter(w, (int)n, 0);
    while (w->waiting_count) {
        int at = w->waiting[--w->waiting_count];
        w->queued[at] = false;
        step(w, at);
    }
}

/* ---- the result ---- */

/* RETI takes SR first: of a handler nothing else lies there, a function has pushed it. */
static bool returns_elsewhere(const struct work *w, size_t n)
{
    const struct hc_code_node *node = &w->code->node[n];
    int sp = w->state[n].r[HC_SP];

    if (node->kind == HC_NODE_RETURN)
        return sp != 0 || w->overwritten[node->part];
    return node->kind == HC_NODE_RETURN_INTERRUPT && ((sp != 0 && sp != -2) || w->overwritten[node->part]);
}

static void conclude(struct work *w)
{
    for (size_t n = 0; n < w->code->nodes; n++)
        if (w->state[n].reached && w->code->node[n].part != HC_NO_NODE) {
            w->out[n].elsewhere = returns_elsewhere(w, n);
            w->out[n].hides = w->state[n].r[HC_SP] != 0;
        }
}

bool hc_msp430_follow_stack(const struct hc_code_graph *code, struct hc_code_stack *out)
{
    struct work w = { .code = code,
                      .out = out,
                      .state = calloc(code->nodes + 1, sizeof *w.state),
                      .waiting = malloc((code->nodes + 1) * sizeof *w.waiting),
                      .queued = calloc(code->nodes + 1, sizeof *w.queued),
                      .overwritten = calloc(code->parts + 1, sizeof *w.overwritten) };
    bool fine = w.state && w.waiting && w.queued && w.overwritten;

    memset(out, 0, code->nodes * sizeof *out);
    if (fine) {
        walk(&w);
        conclude(&w);
    }
    free(w.state);
    free(w.waiting);
    free(w.queued);
    free(w.overwritten);
    return fine;
}
