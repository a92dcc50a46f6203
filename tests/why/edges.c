/* edges IMAGE LOG EXPRESSION STEPS: the chain of causes of EXPRESSION at the end of a recording, and every edge of it
 * tried. What a step names as its cause is undone in another replay of the same log, and the replay goes on:
 *
 *     a value that was loaded     another value is in memory just before
 *     an input                    another value is in the register for it
 *     a branch                    it goes the other way
 *     a call, an interrupt        it returns at once
 *
 * What was explained must then be different: its value, the way to it, or it does not happen before the function that
 * was called, or that contains the branch, has returned, or the branch is executed again. A value is given many others,
 * one after the other, until one makes a difference. An edge is idle if none does: shifts or masks have removed what
 * was computed from it, or another value decides alone (of two numbers that are compared word by word, say). Prints a
 * line for each idle edge, and one that counts all. */
#include "debug/dwarf/frame.h"
#include "debug/session/session.h"
#include "debug/session/why_chain.h"
#include "other_values.h"
#include "replay/replay_execution.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT = 12, NEAR = 1000, LONGEST = 20000, JUMPS_MOST = 256 };

struct edge {
    struct hc_why_step effect, cause;
    int number; /* of the cause */
};

/* What can be seen of an effect, just after its instruction: a value, and whether that instruction wrote it; or where a
 * branch or a call went. */
struct sight {
    uint64_t value;
    bool written;
    uint32_t sp;
};

struct bench {
    struct hc_execution *execution;
    struct hc_machine *machine;
    struct hc_program *program;
    const struct edge *all, *edge; /* `edge`: in work */
    uint32_t count;
    struct sight expected;
    uint64_t way;
    bool writes, wrote; /* what is explained is written by the instruction in work; by the last one */
    uint32_t top;       /* the stack pointer when a function has returned */
    uint32_t again;     /* what ends it, too */
    bool over;
    bool happened;             /* the effect, as expected, before */
    uint64_t jump[JUMPS_MOST]; /* moments of conditional jumps after a branch that was turned, in the same function */
    size_t jumps;
    unsigned long edges, by_value, by_way, prevented, together, idle, untried;
};

/* ---- running ---- */

static bool go_to(struct bench *b, uint64_t moment)
{
    enum hc_advance how;

    do {
        how = b->execution->ops->advance(b->execution, moment);
    } while (how == HC_ADVANCE_PAUSE);
    return how == HC_ADVANCE_THERE;
}

static uint64_t now(struct bench *b)
{
    struct hc_moment moment;

    b->execution->ops->moment(b->execution, &moment);
    return moment.instructions;
}

static struct sight look(struct bench *b)
{
    const struct hc_why_step *s = &b->edge->effect;
    struct sight seen = { 14695981039346656037ull, b->writes, hc_register(b->machine, HC_SP) };

    for (uint32_t i = 0; s->subject == HC_WHY_VALUE && i < s->size; i++)
        seen.value = (seen.value ^ hc_peek(b->machine, s->address + i)) * 1099511628211ull;
    if (s->subject != HC_WHY_VALUE)
        seen.value = hc_register(b->machine, HC_PC);
    return seen;
}

static bool is_same(const struct sight *a, const struct sight *b)
{
    return a->value == b->value && a->written == b->written && a->sp == b->sp;
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct bench *b = owner;
    const struct hc_why_step *s = b->edge ? &b->edge->effect : NULL;

    (void)m;
    b->writes |= s && s->subject == HC_WHY_VALUE && access->address < s->address + s->size &&
                 access->address + access->size > s->address;
    return HC_CONTINUE;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct bench *b = owner;

    b->way = (b->way ^ pc) * 1099511628211ull;
    if (b->edge && pc == b->edge->effect.pc && !b->over) {
        struct sight seen = look(b);
        b->happened |= is_same(&seen, &b->expected);
    }
    b->wrote = b->writes;
    b->writes = false;
    b->over |= hc_register(m, HC_SP) >= b->top || pc == b->again;
}

/* Observes a function until it has returned, when the stack pointer is TOP, or comes to AGAIN. */
static void observe(struct bench *b, uint32_t top, uint32_t again)
{
    b->top = top;
    b->again = again;
    b->over = b->happened = false;
}

/* From the present to just after the effect; false if the replay does not come there. */
static bool run_to_effect(struct bench *b, struct sight *seen)
{
    b->way = 14695981039346656037ull;
    if (!go_to(b, b->edge->effect.moment))
        return false;
    b->writes = false;
    int hook = hc_hook_access(b->machine, 0, UINT16_MAX, HC_WATCH_WRITE, accessed, b);
    bool there = go_to(b, b->edge->effect.moment + 1);
    hc_unhook(b->machine, hook);
    *seen = look(b);
    seen->written = b->wrote;
    return there;
}

/* ---- other values ---- */

/* More are tried if they take a moment each. */
static uint32_t changes(const struct edge *e, uint32_t size)
{
    bool near = e->effect.moment - e->cause.at < NEAR;

    return 8 * size + 2 + (near ? 256 * size : 0);
}

static void change_memory(struct bench *b, uint32_t n)
{
    const struct hc_why_step *c = &b->edge->cause;

    for (uint32_t i = 0; i < c->size; i++)
        hc_poke(b->machine, c->address + i, other_byte(n, c->size, i, hc_peek(b->machine, c->address + i)));
}

/* The value becomes that of another cause of the same effect, to which it may have been compared. False: S is none. */
static bool make_alike(struct bench *b, const struct edge *s)
{
    const struct hc_why_step *c = &b->edge->cause;

    if (s == b->edge || s->cause.parent != c->parent || s->cause.subject != HC_WHY_VALUE || s->cause.size != c->size)
        return false;
    for (uint32_t i = 0; i < c->size; i++)
        hc_poke(b->machine, c->address + i, hc_peek(b->machine, s->cause.address + i));
    return true;
}

static void change_input(struct bench *b, uint32_t n)
{
    uint32_t value = hc_register(b->machine, ARGUMENT);

    hc_set_register(b->machine, ARGUMENT,
                    other_byte(n, 2, 0, (uint8_t)value) | (uint32_t)other_byte(n, 2, 1, (uint8_t)(value >> 8)) << 8);
}

enum outcome { SAME, OTHER_VALUE, OTHER_WAY };

static enum outcome compare(struct bench *b, uint64_t way)
{
    struct sight seen;

    if (!run_to_effect(b, &seen))
        return OTHER_WAY;
    if (!is_same(&seen, &b->expected))
        return OTHER_VALUE;
    return b->way != way ? OTHER_WAY : SAME;
}

/* The Nth of all changes: other values, then those of the other causes. WAY: of the replay as it was. */
static enum outcome try_value(struct bench *b, const void *here, uint32_t n, uint32_t values, uint64_t way)
{
    bool input = b->edge->cause.subject == HC_WHY_INPUT;

    b->execution->ops->restore(b->execution, here);
    if (n < values)
        (input ? change_input : change_memory)(b, n);
    else if (input || !make_alike(b, &b->all[n - values]))
        return SAME;
    return compare(b, way);
}

static void try_values(struct bench *b, const void *here)
{
    uint32_t size = b->edge->cause.subject == HC_WHY_INPUT ? 2 : b->edge->cause.size, values = changes(b->edge, size);
    uint64_t way = b->way;
    bool by_way = false;

    for (uint32_t n = 0; n < (by_way ? 8 * size + 2 : values + b->count); n++) {
        enum outcome outcome = try_value(b, here, n, values, way);
        by_way |= outcome == OTHER_WAY;
        if (outcome == OTHER_VALUE) {
            b->by_value++;
            return;
        }
    }
    b->by_way += by_way;
    b->idle += !by_way;
    if (!by_way)
        printf("idle: step %d, %s, at %s, for what %s did\n", b->edge->number, b->edge->cause.what,
               b->edge->cause.place, b->edge->effect.place);
}

/* ---- another way ---- */

static bool is_conditional(struct bench *b, uint32_t pc)
{
    uint32_t word = hc_peek16(b->machine, pc);

    return word >> 13 == 1 && word >> 10 != 0xf;
}

/* A conditional jump is executed as if its condition were the opposite. False: it is none (a jump by a table). */
static bool turn(struct bench *b)
{
    uint32_t pc = hc_register(b->machine, HC_PC), word = hc_peek16(b->machine, pc);
    uint32_t behind = pc + 2, target = behind + 2 * (word & 0x1ff) - (word & 0x200 ? 0x400 : 0);

    if (!is_conditional(b, pc) || !go_to(b, now(b) + 1))
        return false;
    hc_set_register(b->machine, HC_PC, hc_register(b->machine, HC_PC) == behind ? target & 0xffff : behind);
    return true;
}

/* Runs on until the function that is observed is over, or the effect has happened. The jump at moment ALSO is turned,
 * too; 0: none. */
static void run_function(struct bench *b, uint64_t also)
{
    uint64_t limit = now(b) + LONGEST;
    uint32_t sp = hc_register(b->machine, HC_SP);

    b->jumps = 0;
    while (now(b) < limit && !b->over && !b->happened) {
        bool jumps = hc_register(b->machine, HC_SP) == sp && is_conditional(b, hc_register(b->machine, HC_PC));
        if (jumps && b->jumps < JUMPS_MOST)
            b->jump[b->jumps++] = now(b);
        if (now(b) == also ? !turn(b) : !go_to(b, now(b) + 1))
            return;
    }
}

/* A branch goes the other way, and the one at moment ALSO (0: none): whether the effect does not happen before the
 * function returns or decides again, or not as it did. */
static bool turned(struct bench *b, const void *here, uint64_t also)
{
    uint32_t pc, top = UINT32_MAX; /* what has no caller does not return */

    b->execution->ops->restore(b->execution, here);
    hc_frame_return(b->program, b->machine, &pc, &top);
    observe(b, top, UINT32_MAX);
    turn(b);
    observe(b, top, b->edge->cause.pc);
    run_function(b, also);
    return !b->happened;
}

static void try_branch(struct bench *b, const void *here)
{
    b->execution->ops->restore(b->execution, here);
    if (!is_conditional(b, hc_register(b->machine, HC_PC))) {
        b->untried++;
        return;
    }
    if (turned(b, here, 0)) {
        b->prevented++;
        return;
    }
    uint64_t jump[JUMPS_MOST];
    size_t jumps = b->jumps;
    memcpy(jump, b->jump, sizeof jump);
    for (size_t i = jumps; i-- > 0;)
        if (turned(b, here, jump[i])) {
            b->together++;
            return;
        }
    b->idle++;
    printf("idle: step %d, %s, at %s: %s happens all the same\n", b->edge->number, b->edge->cause.what,
           b->edge->cause.place, b->edge->effect.place);
}

/* Without the call or the interrupt, nothing happens in what it entered: the effect is in it if that has not returned.
 */
static void try_entry(struct bench *b, const void *here)
{
    bool calls = b->edge->cause.subject == HC_WHY_ARRIVAL;
    struct sight seen;

    b->execution->ops->restore(b->execution, here);
    observe(b, UINT32_MAX, UINT32_MAX);
    bool fine = !calls || go_to(b, now(b) + 1);
    observe(b, hc_register(b->machine, HC_SP) + (calls ? 2 : 4), UINT32_MAX);
    if (fine && run_to_effect(b, &seen) && b->happened) {
        b->prevented++;
        return;
    }
    b->idle++;
    printf("idle: step %d, %s, at %s: %s is not in it\n", b->edge->number, b->edge->cause.what, b->edge->cause.place,
           b->edge->effect.place);
}

static void try_way(struct bench *b, const void *here)
{
    int hook = hc_hook_access(b->machine, 0, UINT16_MAX, HC_WATCH_WRITE, accessed, b);

    (b->edge->cause.subject == HC_WHY_DECISION ? try_branch : try_entry)(b, here);
    hc_unhook(b->machine, hook);
}

/* ---- the chain ---- */

/* Whether CAUSE is one: that the run begins is none. */
static bool is_edge(const struct hc_why_step *effect, const struct hc_why_step *cause)
{
    return effect->answered && effect->subject != HC_WHY_REGISTER && cause->subject != HC_WHY_BEGINNING;
}

static int by_moment(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;

    return (x->cause.at > y->cause.at) - (x->cause.at < y->cause.at);
}

static size_t list_edges(const struct hc_why_chain *c, struct edge *edge)
{
    size_t count = 0;

    for (int n = 2; n <= hc_why_chain_steps(c); n++) {
        const struct hc_why_step *cause = hc_why_chain_step(c, n), *effect = hc_why_chain_step(c, cause->parent);
        if (is_edge(effect, cause))
            edge[count++] = (struct edge){ *effect, *cause, n };
    }
    qsort(edge, count, sizeof *edge, by_moment);
    return count;
}

static bool try_edge(struct bench *b, const struct edge *edge)
{
    size_t size;

    b->edge = NULL;
    if (!go_to(b, edge->cause.at))
        return false;
    void *here = b->execution->ops->snapshot(b->execution, &size);
    b->edge = edge;
    b->edges++;
    bool fine = run_to_effect(b, &b->expected);
    if (fine && (edge->cause.subject == HC_WHY_VALUE || edge->cause.subject == HC_WHY_INPUT))
        try_values(b, here);
    else if (fine)
        try_way(b, here);
    b->execution->ops->restore(b->execution, here);
    b->execution->ops->drop(b->execution, here);
    return fine;
}

static bool try_all(struct bench *b, const struct hc_why_chain *c)
{
    struct edge *edge = calloc((size_t)hc_why_chain_steps(c) + 1, sizeof *edge);
    size_t count = edge ? list_edges(c, edge) : 0;
    bool fine = count > 0;

    b->all = edge;
    b->count = (uint32_t)count;
    for (size_t i = 0; i < count && fine; i++)
        fine = try_edge(b, &edge[i]);
    free(edge);
    return fine;
}

/* ---- recordings ---- */

static struct hc_execution *open_log(struct hc_image *image, const char *log, struct hc_replay **replay)
{
    struct hc_replay_message message;

    if (hc_replay_open(replay, image, log, -1, &message)) {
        fprintf(stderr, "%s\n", message.text);
        exit(3);
    }
    return hc_replay_execution_new(*replay);
}

int main(int argc, char **argv)
{
    struct hc_image *image = NULL;
    struct hc_image_message message;
    struct hc_replay *traced = NULL, *tried = NULL;

    if (argc != 5 || hc_image_load_file(&image, argv[1], &message))
        return fprintf(stderr, "edges: expected IMAGE LOG EXPRESSION STEPS\n"), 2;
    struct hc_execution *execution = open_log(image, argv[2], &traced);
    struct bench b = { .execution = open_log(image, argv[2], &tried) };
    struct hc_timeline *timeline = hc_timeline_new(execution, 0);
    FILE *nowhere = fopen("/dev/null", "w");
    struct hc_debugger *session = hc_debugger_new(image, timeline, nowhere, true);
    hc_debugger_set_replay(session, traced);
    hc_debugger_command(session, "goto end");
    struct hc_why_chain *chain = hc_debugger_ask_why(session, argv[3]);
    if (!chain || hc_why_chain_answer_all(chain, atoi(argv[4])) != HC_TIMELINE_THERE)
        return fprintf(stderr, "%s cannot be explained\n", argv[3]), 1;
    b.machine = b.execution->ops->machine(b.execution);
    b.program = hc_program_new(image);
    hc_hook_retire(b.machine, retired, &b);
    if (!try_all(&b, chain))
        return fprintf(stderr, "%s: the replay does not come by its causes\n", argv[3]), 1;
    printf("%lu edges: %lu by value, %lu by the way, %lu prevented, %lu together, %lu idle; %lu cannot be tried\n",
           b.edges, b.by_value, b.by_way, b.prevented, b.together, b.idle, b.untried);
    hc_debugger_free(session);
    hc_timeline_free(timeline);
    hc_execution_free(execution);
    hc_execution_free(b.execution);
    hc_replay_free(traced);
    hc_replay_free(tried);
    hc_program_free(b.program);
    hc_image_free(image);
    fclose(nowhere);
    return 0;
}
