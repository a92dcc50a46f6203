/* Which instructions may set GIE in code that was entered with GIE = 0.
 *
 * Handlers run with interrupts off. Code that they share with the program often saves SR, clears GIE, and sets it again
 * only if it was set: in a handler it never is. So values that come from SR are followed through each part, registers
 * only: what is known of one is nothing, that its bit 3 (GIE) is 0, or that it is 0; and branches that are decided by
 * such a value are taken one way. */
#include "code.h"

#include "image/image.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, GIE_CLEAR, ZERO }; /* each says more than the one before */
enum { JNE = 0, JEQ = 1 };

/* Before an instruction. */
struct state {
    bool reached;
    bool z; /* the Z flag is known to be set */
    uint8_t r[16];
};

struct work {
    const struct hc_code_graph *code;
    struct state *state;
    int *waiting;
    size_t waiting_count;
    bool *queued;
};

static bool is_register(const struct hc_operand *o)
{
    return o->mode == HC_REGISTER;
}

/* What SRC is known to be. SR itself has GIE = 0. */
static uint8_t known(const struct state *s, const struct hc_operand *src)
{
    if (src->mode == HC_IMMEDIATE)
        return !src->value ? ZERO : src->value & HC_SR_GIE ? UNKNOWN : GIE_CLEAR;
    if (!is_register(src) || src->reg < HC_SR)
        return UNKNOWN;
    return src->reg == HC_SR ? GIE_CLEAR : s->r[src->reg];
}

/* Of "and mask, reg" and "bit mask, reg": is the result 0? */
static bool masked_is_zero(const struct state *s, const struct hc_instruction *i)
{
    uint8_t value = is_register(&i->dst) ? s->r[i->dst.reg] : UNKNOWN;
    bool only_gie = i->src.mode == HC_IMMEDIATE && !(i->src.value & ~(uint32_t)HC_SR_GIE & 0xffff);

    return value == ZERO || (value == GIE_CLEAR && only_gie);
}

static uint8_t after_write(const struct state *s, const struct hc_instruction *i)
{
    if (i->format != HC_DOUBLE)
        return UNKNOWN;
    if (i->op == HC_OP_MOV)
        return known(s, &i->src);
    if (i->op == HC_OP_AND && masked_is_zero(s, i))
        return ZERO;
    bool narrows = i->op == HC_OP_AND || i->op == HC_OP_BIC;
    return narrows && s->r[i->dst.reg] != UNKNOWN ? GIE_CLEAR : UNKNOWN;
}

static bool sets_z(const struct state *s, const struct hc_instruction *i)
{
    bool compares_zero = i->op == HC_OP_CMP && i->src.mode == HC_IMMEDIATE && !i->src.value && is_register(&i->dst);

    if (i->format != HC_DOUBLE)
        return false;
    if (compares_zero)
        return s->r[i->dst.reg] == ZERO;
    return (i->op == HC_OP_BIT || i->op == HC_OP_AND) && masked_is_zero(s, i);
}

static bool keeps_flags(const struct hc_instruction *i)
{
    return i->format == HC_JUMP ||
           (i->format == HC_DOUBLE && (i->op == HC_OP_MOV || i->op == HC_OP_BIC || i->op == HC_OP_BIS) &&
            !(is_register(&i->dst) && i->dst.reg == HC_SR));
}

/* The recorder's functions keep all registers but those in which they return. */
static void call(const struct work *w, struct state *s, const struct hc_code_node *n)
{
    struct hc_symbol callee;
    bool recorder = n->kind == HC_NODE_CALL &&
                    hc_image_function_at(w->code->image, w->code->node[n->target].pc, &callee) &&
                    !strncmp(callee.name, "__hc_", 5);

    for (int r = recorder ? 12 : 11; r <= (recorder ? 13 : 15); r++)
        s->r[r] = UNKNOWN;
    s->z = false;
}

static bool decode(const struct work *w, const struct hc_code_node *n, struct hc_instruction *out)
{
    return hc_msp430_at(w->code, n->pc, out);
}

static void execute(const struct work *w, struct state *s, const struct hc_code_node *n, const struct hc_instruction *i)
{
    bool stores = i->format != HC_DOUBLE || (i->op != HC_OP_CMP && i->op != HC_OP_BIT);
    bool z = keeps_flags(i) ? s->z : sets_z(s, i);

    if (n->kind == HC_NODE_CALL || n->kind == HC_NODE_CALL_INDIRECT) {
        call(w, s, n);
        return;
    }
    if (i->format == HC_POPM || i->format == HC_ROTATE) {
        memset(s->r, UNKNOWN, sizeof s->r);
    } else if (i->format == HC_SINGLE && is_register(&i->src) && i->op != HC_OP_PUSH) {
        s->r[i->src.reg] = UNKNOWN;
    } else if ((i->format == HC_DOUBLE || i->format == HC_ADDRESS) && stores && is_register(&i->dst)) {
        s->r[i->dst.reg] = after_write(s, i);
    }
    if ((i->format == HC_DOUBLE || i->format == HC_SINGLE || i->format == HC_ADDRESS) && i->src.mode == HC_INCREMENT)
        s->r[i->src.reg] = UNKNOWN;
    s->z = z;
}

/* ---- the walk through a part ---- */

static void flow(struct work *w, const struct state *s, int to, int part)
{
    if (to == HC_NO_NODE || w->code->node[to].part != part || w->code->node[to].entry)
        return;
    struct state *old = &w->state[to], joined = *s;
    if (old->reached) {
        joined.z &= old->z;
        for (int r = 0; r < 16; r++)
            joined.r[r] = joined.r[r] < old->r[r] ? joined.r[r] : old->r[r];
        if (!memcmp(&joined, old, sizeof joined))
            return;
    }
    *old = joined;
    if (!w->queued[to]) {
        w->queued[to] = true;
        w->waiting[w->waiting_count++] = to;
    }
}

static void flow_on(struct work *w, const struct hc_code_node *n, const struct hc_instruction *i, const struct state *s)
{
    bool decided = n->kind == HC_NODE_JUMP && s->z && (i->op == JEQ || i->op == JNE);

    if (!decided || i->op == JNE)
        flow(w, s, n->next, n->part);
    if (n->kind != HC_NODE_CALL && (!decided || i->op == JEQ))
        flow(w, s, n->target, n->part);
    for (size_t k = 0; k < n->targets; k++)
        flow(w, s, w->code->list[n->first_target + k], n->part);
}

static void walk_part(struct work *w, int entry)
{
    memset(&w->state[entry], 0, sizeof w->state[entry]);
    w->state[entry].reached = true;
    w->waiting[w->waiting_count++] = entry;
    while (w->waiting_count) {
        int at = w->waiting[--w->waiting_count];
        const struct hc_code_node *n = &w->code->node[at];
        struct state s = w->state[at];
        struct hc_instruction i;

        w->queued[at] = false;
        if (n->cut) {
            s.r[12] = s.z = 0;
            flow(w, &s, n->next, n->part);
        } else if (n->kind != HC_NODE_STOP && decode(w, n, &i)) {
            execute(w, &s, n, &i);
            flow_on(w, n, &i, &s);
        }
    }
}

/* ---- the result ---- */

/* Does PART push SR? Then what it pops to SR is that: GIE = 0. The recorder's stubs do so across a cut. */
static bool pushes_sr(const struct work *w, const struct hc_code_node *restoring)
{
    struct hc_symbol function;

    if (hc_image_function_at(w->code->image, restoring->pc, &function) && !strncmp(function.name, "__hc_", 5))
        return true;
    for (size_t n = 0; n < w->code->nodes; n++)
        if (w->code->node[n].part == restoring->part && w->code->node[n].saves)
            return true;
    return false;
}

static bool enables(const struct work *w, size_t at)
{
    const struct hc_code_node *n = &w->code->node[at];
    struct hc_instruction i;

    if (!w->state[at].reached || (!n->enables && !n->restores))
        return false;
    if (n->enables || !decode(w, n, &i))
        return true;
    if (is_register(&i.src))
        return known(&w->state[at], &i.src) == UNKNOWN;
    return !(i.src.mode == HC_INCREMENT && i.src.reg == HC_SP && pushes_sr(w, n));
}

bool hc_msp430_find_enabling(const struct hc_code_graph *code, bool *out)
{
    struct work w = { .code = code,
                      .state = calloc(code->nodes + 1, sizeof *w.state),
                      .waiting = malloc((code->nodes + 1) * sizeof *w.waiting),
                      .queued = calloc(code->nodes + 1, sizeof *w.queued) };
    bool fine = w.state && w.waiting && w.queued;

    for (size_t i = 0; fine && i < code->parts; i++)
        walk_part(&w, code->part[i].entry);
    for (size_t n = 0; fine && n < code->nodes; n++)
        out[n] = enables(&w, n);
    free(w.state);
    free(w.waiting);
    free(w.queued);
    return fine;
}
