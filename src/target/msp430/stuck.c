/* Loops in which neither counter nor hash moves: they write memory, but no register differs from turn to turn.
 *
 *     again: dec &ticks
 *            jnz again
 *
 * No position tells the turns of such a loop apart, and they are not the same: an interrupt could not be replayed.
 * (Where a turn changes nothing at all it does not matter in which of them an interrupt came.)
 *
 * From the head of each loop its ways are followed, into the functions that it calls, as long as nothing counts. Of
 * each register it is known whether it may differ from the turn before: not after it got a constant, nor what such
 * registers have, nor a variable that the loop does not write; nor where a comparison with one of these found it equal,
 * as it is behind a loop that counts to 0. What is not known for certain is taken to differ. */
#include "code.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 4,          /* calls that are followed into each other */
    PLACES_MAX = 4096,    /* more are not looked at: such a loop is not refused */
    WRITES_MAX = 16,      /* different variables */
    WROTE = 1,            /* in place.differs, beside a bit for each of R4 to R15 */
    REGISTERS = 0xfff0,   /* those bits */
    PERIPHERALS = 0x1000, /* below: loads differ */
    NO_REGISTER = 0,
    JNE = 0,
    JEQ = 1,
};

/* Where a way has come. */
struct place {
    int node;
    uint16_t differs;
    uint8_t equal; /* the register that Z says to be as it was the turn before */
    uint8_t depth;
    int back[DEEPEST];
};

struct search {
    const struct hc_code_graph *code;
    int head;
    struct place *place; /* all that were reached; those from `next` on are still to be followed */
    size_t places, room, next;
    uint32_t written[WRITES_MAX];
    size_t writes;
    bool writes_anywhere;
    bool pushes_memory;
    bool found, failed;
};

/* ---- what an instruction does ---- */

static bool stores(const struct hc_instruction *i)
{
    if (i->format == HC_DOUBLE)
        return i->op != HC_OP_CMP && i->op != HC_OP_BIT;
    return i->format == HC_ADDRESS && i->op != HC_OP_CMPA;
}

static bool changes_operand(const struct hc_instruction *i)
{
    return i->format == HC_SINGLE && i->op != HC_OP_PUSH && i->op != HC_OP_CALL;
}

/* The operand that is written in memory; NULL if none is. */
static const struct hc_operand *written(const struct hc_instruction *i)
{
    const struct hc_operand *to = stores(i) ? &i->dst : changes_operand(i) ? &i->src : NULL;

    return to && to->mode != HC_REGISTER && to->mode != HC_IMMEDIATE ? to : NULL;
}

static bool is_memory(const struct hc_operand *o)
{
    return o->mode != HC_REGISTER && o->mode != HC_IMMEDIATE;
}

static uint16_t bit_of(unsigned reg)
{
    return (uint16_t)(1u << reg & REGISTERS);
}

/* May SRC differ from the turn before? */
static bool differs(const struct search *s, const struct place *p, const struct hc_operand *src)
{
    if (src->mode == HC_IMMEDIATE)
        return false;
    if (src->mode == HC_REGISTER)
        return p->differs & bit_of(src->reg);
    if (src->mode == HC_INCREMENT && src->reg == HC_SP)
        return s->pushes_memory || (p->differs & REGISTERS);
    if (src->mode != HC_ABSOLUTE || src->value < PERIPHERALS || s->writes_anywhere)
        return true;
    for (size_t i = 0; i < s->writes; i++)
        if ((s->written[i] & ~1u) == (src->value & ~1u))
            return true;
    return false;
}

static bool result_differs(const struct search *s, const struct place *p, const struct hc_instruction *i)
{
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_ADDRESS && i->op == HC_OP_MOVA);
    bool masks = i->format == HC_DOUBLE && i->op >= HC_OP_BIC; /* the same again leaves it, or comes round */

    if (moves)
        return differs(s, p, &i->src);
    return !masks || differs(s, p, &i->src) || (p->differs & bit_of(i->dst.reg));
}

/* The register of which Z tells that it is as in the turn before. */
static uint8_t compared(const struct search *s, const struct place *p, const struct hc_instruction *i)
{
    if (i->format == HC_DOUBLE && i->op == HC_OP_CMP && i->dst.mode == HC_REGISTER)
        return differs(s, p, &i->src) ? NO_REGISTER : i->dst.reg;
    bool arithmetic = i->format == HC_DOUBLE && i->width == 16 && stores(i) && i->op != HC_OP_MOV &&
                      i->op != HC_OP_BIC && i->op != HC_OP_BIS;
    return arithmetic && i->dst.mode == HC_REGISTER ? i->dst.reg : NO_REGISTER; /* it is 0 */
}

static bool keeps_flags(const struct hc_instruction *i)
{
    return i->format == HC_DOUBLE && (i->op == HC_OP_MOV || i->op == HC_OP_BIC || i->op == HC_OP_BIS) &&
           !(i->dst.mode == HC_REGISTER && (i->dst.reg == HC_SR));
}

static void set(struct place *p, unsigned reg, bool differs)
{
    p->differs = (uint16_t)(differs ? p->differs | bit_of(reg) : p->differs & ~bit_of(reg));
    if (p->equal == reg)
        p->equal = NO_REGISTER;
}

static void execute(const struct search *s, struct place *p, const struct hc_instruction *i)
{
    struct place before = *p;

    if (i->format == HC_JUMP)
        return;
    if (!keeps_flags(i))
        p->equal = NO_REGISTER;
    if (written(i))
        p->differs |= WROTE;
    if (i->src.mode == HC_INCREMENT)
        set(p, i->src.reg, true);
    if (stores(i) && i->dst.mode == HC_REGISTER)
        set(p, i->dst.reg, result_differs(s, &before, i));
    else if (changes_operand(i) && i->src.mode == HC_REGISTER)
        set(p, i->src.reg, i->op == HC_OP_RRC || i->op == HC_OP_RRA || (before.differs & bit_of(i->src.reg)));
    else if (i->format == HC_ROTATE)
        set(p, i->dst.reg, true);
    if (!keeps_flags(i))
        p->equal = compared(s, &before, i);
}

/* ---- ways ---- */

static bool is_known(const struct search *s, const struct place *p)
{
    for (size_t i = 0; i < s->places; i++) {
        const struct place *old = &s->place[i];
        if (old->node == p->node && old->differs == p->differs && old->equal == p->equal && old->depth == p->depth &&
            !memcmp(old->back, p->back, p->depth * sizeof *p->back))
            return true;
    }
    return false;
}

static void go(struct search *s, struct place p, int to)
{
    if (to == HC_NO_NODE)
        return;
    p.node = to;
    if (to == s->head && !p.depth)
        s->found |= p.differs == WROTE;
    if (s->places >= PLACES_MAX || is_known(s, &p))
        return;
    if (!hc_grow(&s->place, s->places, &s->room, sizeof *s->place)) {
        s->failed = true;
        return;
    }
    s->place[s->places++] = p;
}

static void go_on(struct search *s, const struct hc_code_node *n, const struct hc_instruction *i, struct place p)
{
    struct place equal = p;

    set(&equal, p.equal, false);
    switch ((enum hc_code_node_kind)n->kind) {
    case HC_NODE_JUMP:
        go(s, i->op == JNE ? equal : p, n->next);
        go(s, i->op == JEQ ? equal : p, n->target);
        break;
    case HC_NODE_CALL:
        if (p.depth < DEEPEST) {
            p.back[p.depth++] = n->next;
            go(s, p, n->target);
        }
        break;
    case HC_NODE_RETURN:
    case HC_NODE_RETURN_INTERRUPT:
        if (p.depth) {
            p.depth--;
            go(s, p, p.back[p.depth]);
        }
        break;
    case HC_NODE_CALL_INDIRECT:
    case HC_NODE_STOP:
        break;
    case HC_NODE_SWITCH:
        for (size_t k = 0; !n->calls && k < n->targets; k++) /* else they are guesses */
            go(s, p, s->code->list[n->first_target + k]);
        break;
    default:
        go(s, p, n->next);
        go(s, p, n->target);
    }
}

static void follow(struct search *s)
{
    s->places = s->next = 0;
    s->found = false;
    go(s, (struct place){ 0 }, s->head);
    while (s->next < s->places && !s->failed) {
        struct place p = s->place[s->next++];
        const struct hc_code_node *n = &s->code->node[p.node];
        struct hc_instruction i;

        if (n->tick || n->cut || n->kind == HC_NODE_STOP || !hc_msp430_at(s->code, n->pc, &i))
            continue;
        execute(s, &p, &i);
        go_on(s, n, &i, p);
    }
}

/* ---- what a loop writes ---- */

static void note_write(struct search *s, const struct hc_operand *to)
{
    if (!to)
        return;
    if (to->mode != HC_ABSOLUTE || s->writes == WRITES_MAX)
        s->writes_anywhere = true;
    else
        s->written[s->writes++] = to->value;
}

/* All that was reached, the loop among it. */
static void note_writes(struct search *s)
{
    for (size_t k = 0; k < s->places; k++) {
        struct hc_instruction i;
        bool again = false;

        for (size_t j = 0; j < k && !again; j++)
            again = s->place[j].node == s->place[k].node;
        if (again || !hc_msp430_at(s->code, s->code->node[s->place[k].node].pc, &i))
            continue;
        note_write(s, written(&i));
        s->pushes_memory |= i.format == HC_SINGLE && i.op == HC_OP_PUSH && is_memory(&i.src);
    }
}

static bool is_stuck(struct search *s, int head)
{
    s->head = head;
    s->writes = 0;
    s->writes_anywhere = s->pushes_memory = false;
    follow(s);
    if (!s->found) /* what it loads would only make more differ */
        return false;
    note_writes(s);
    follow(s);
    return s->found && s->places < PLACES_MAX;
}

/* ---- all loops ---- */

static bool is_back_edge(const struct hc_code_graph *code, const bool *cycle, size_t from, int to)
{
    return to != HC_NO_NODE && cycle[to] && code->node[to].pc <= code->node[from].pc;
}

static void find_heads(const struct hc_code_graph *code, const bool *cycle, bool *head)
{
    for (size_t n = 0; n < code->nodes; n++) {
        const struct hc_code_node *node = &code->node[n];

        if (!cycle[n])
            continue;
        if (node->kind != HC_NODE_CALL && is_back_edge(code, cycle, n, node->target))
            head[node->target] = true;
        for (size_t k = 0; k < node->targets; k++)
            if (is_back_edge(code, cycle, n, code->list[node->first_target + k]))
                head[code->list[node->first_target + k]] = true;
    }
}

bool hc_msp430_find_stuck(const struct hc_code_graph *code, const bool *cycle, int **out, size_t *count)
{
    struct search s = { .code = code };
    bool *head = calloc(code->nodes + 1, sizeof *head);
    size_t room = 0;

    *out = NULL;
    *count = 0;
    s.failed = !head;
    if (head)
        find_heads(code, cycle, head);
    for (size_t n = 0; n < code->nodes && !s.failed; n++) {
        if (!head[n] || !is_stuck(&s, (int)n))
            continue;
        if (hc_grow(out, *count, &room, sizeof **out))
            (*out)[(*count)++] = (int)n;
        else
            s.failed = true;
    }
    free(head);
    free(s.place);
    return !s.failed;
}
