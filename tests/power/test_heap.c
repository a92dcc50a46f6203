/* Memory-map anomalies of random programs that allocate, use, resize and free blocks with the kit's allocator, against
 * a brute force over all checkpoints and failures that knows the heap as a list of generations: a consumer meets a heap
 * of the future if the block that it is about lived at the checkpoint and no longer does at the failure. What each
 * occurrence does is tried, too: the program goes on with the heap as the failure left it, and all memory is compared.
 * A failing program prints its number, which `test_heap NUMBER` runs alone; `test_heap first N` runs more. Only the
 * machine itself is shared with what is tested. */
#include "brute_pairs.h"
#include "choice.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/locate/locate.h"
#include "power/trial/evaluate.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RAM = 0x1c00, RAM_BYTES = 0x800, FRAM = 0x4400, FRAM_BYTES = 0xfc00, RESULT = 12, LONGEST = 400000 };
enum { PROGRAMS = 400, CODE = 0xe000, SLOTS = 0x1d00, SLOT_COUNT = 4, MOST_EVENTS = 400, KNOWN = 2, NOBODY = -1 };

/* ---- random programs ---- */

struct writer {
    struct hc_machine *m;
    uint64_t seed;
    uint32_t at;
    const struct hc_power_program *program;
    bool live[SLOT_COUNT];
    uint32_t place[200]; /* beginnings of its parts */
    unsigned places;
};

static unsigned random_below(struct writer *w, unsigned n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->seed >> 33) % n;
}

static void word(struct writer *w, unsigned value)
{
    assert_true(hc_poke16(w->m, w->at, (uint16_t)value));
    w->at += 2;
}

static void call(struct writer *w, enum hc_heap_function function)
{
    word(w, 0x12b0);
    word(w, w->program->heap_function[function]);
}

/* MOV &slot, Rn; MOV Rn, &slot */
static void load_slot(struct writer *w, unsigned slot, unsigned reg)
{
    word(w, 0x4210 | reg);
    word(w, SLOTS + 2 * slot);
}

static void store_slot(struct writer *w, unsigned slot)
{
    word(w, 0x4c82);
    word(w, SLOTS + 2 * slot);
}

static void write_allocation(struct writer *w, unsigned slot)
{
    word(w, 0x403c); /* MOV #n, R12 */
    word(w, random_below(w, 3) ? 2 + 2 * random_below(w, 5) : 2);
    if (random_below(w, 3)) {
        call(w, HC_MALLOC);
    } else {
        word(w, 0x431d); /* MOV #1, R13 */
        call(w, HC_CALLOC);
    }
    store_slot(w, slot);
    w->live[slot] = true;
}

static void write_part(struct writer *w)
{
    unsigned slot = random_below(w, SLOT_COUNT);

    w->place[w->places++] = w->at;
    if (!w->live[slot]) {
        write_allocation(w, slot);
        return;
    }
    switch (random_below(w, 6)) {
    case 0: /* free */
        load_slot(w, slot, 12);
        call(w, HC_FREE);
        w->live[slot] = false;
        break;
    case 1: /* realloc */
        load_slot(w, slot, 12);
        word(w, 0x403d);
        word(w, 2 + 2 * random_below(w, 6));
        call(w, HC_REALLOC);
        store_slot(w, slot);
        break;
    case 2: /* read */
        load_slot(w, slot, 8);
        word(w, 0x4829); /* MOV @R8, R9 */
        break;
    default: /* write */
        load_slot(w, slot, 8);
        word(w, 0x43d8); /* MOV.B #1, 0(R8) or 1(R8) */
        word(w, random_below(w, 2));
        break;
    }
}

/* The kit's program, whose main goes elsewhere. */
static struct hc_launchpad *random_board(unsigned number, struct hc_power_program *program, struct writer *w)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    struct hc_image *image = harness_fill(board->machine, "power_heap");

    hc_power_program_find(program, image);
    hc_image_free(image);
    *w = (struct writer){ .m = board->machine, .seed = number * 7919u + 5, .at = program->main, .program = program };
    word(w, 0x4030); /* BR */
    word(w, CODE);
    w->at = CODE;
    word(w, 0x1208); /* PUSH R8, R9 */
    word(w, 0x1209);
    for (unsigned n = 8 + random_below(w, 30); n; n--)
        write_part(w);
    word(w, 0x4139);
    word(w, 0x4138);
    word(w, 0x4130);
    hc_machine_reset(board->machine, HC_POR);
    return board;
}

/* ---- what happens ---- */

struct event {
    uint32_t pc;
    uint64_t entered, left; /* of an access: the same */
    int uses, ends, begins; /* generations, or NOBODY */
    bool checkpoint;        /* there is one before it */
};

struct generation {
    uint32_t start, size;
    int begun, ended; /* events; NOBODY: not yet */
};

struct history {
    struct hc_machine *m;
    const struct hc_power_program *program;
    uint32_t before[KNOWN];
    struct event event[MOST_EVENTS];
    int events;
    struct generation generation[MOST_EVENTS];
    int generations;
    bool inside, checkpoint;
    enum hc_heap_function function;
    uint32_t argument[2];
    struct function {
        struct history *history;
        enum hc_heap_function function;
    } function_hook[HC_HEAP_FUNCTIONS];

    struct hc_snapshot *start; /* at main's entry */
    uint64_t started;          /* instructions before it */
    uint32_t back, lowest;     /* where main returns to; the stack's lowest address */
    uint64_t steps;            /* from there to its end */
    uint8_t ram[RAM_BYTES], fram[FRAM_BYTES];
    uint32_t result;
    bool done; /* with the continuous run: no more events */
};

static uint64_t time_of(const struct hc_machine *m)
{
    struct hc_statistics s;

    hc_machine_statistics(m, &s);
    return s.instructions;
}

static int living_at(const struct history *h, uint32_t address)
{
    for (int i = 0; i < h->generations; i++)
        if (h->generation[i].ended == NOBODY && address - h->generation[i].start < h->generation[i].size)
            return i;
    return NOBODY;
}

static struct event *new_event(struct history *h, uint32_t pc)
{
    struct event *e = &h->event[h->events++];

    assert_true(h->events < MOST_EVENTS);
    *e = (struct event){ pc, time_of(h->m), 0, NOBODY, NOBODY, NOBODY, h->checkpoint };
    h->checkpoint = false;
    return e;
}

static void leave(struct history *h)
{
    struct event *e = &h->event[h->events - 1];
    uint32_t given = hc_register(h->m, 12) & 0xffff;
    uint32_t size = h->function == HC_MALLOC   ? h->argument[0]
                    : h->function == HC_CALLOC ? h->argument[0] * h->argument[1]
                                               : h->argument[1];

    e->left = time_of(h->m);
    if (h->function == HC_FREE || (h->function == HC_REALLOC && given)) {
        e->uses = e->ends = living_at(h, h->argument[0]);
        if (e->ends != NOBODY)
            h->generation[e->ends].ended = h->events - 1;
    }
    if (h->function != HC_FREE && given) {
        e->begins = h->generations;
        h->generation[h->generations++] = (struct generation){ given, size, h->events - 1, NOBODY };
    }
    h->inside = false;
}

static enum hc_action called(void *owner, struct hc_machine *m, bool entering)
{
    struct function *f = owner;
    struct history *h = f->history;

    if (h->done)
        return HC_CONTINUE;
    if (!entering) {
        if (h->inside && h->function == f->function && hc_register(m, HC_PC) >= CODE)
            leave(h);
        return HC_CONTINUE;
    }
    if (h->inside) /* realloc calls the others */
        return HC_CONTINUE;
    h->inside = true;
    h->function = f->function;
    new_event(h, hc_peek16(m, hc_register(m, HC_SP)) - 4u);
    h->argument[0] = hc_register(m, 12) & 0xffff;
    h->argument[1] = hc_register(m, 13) & 0xffff;
    return HC_CONTINUE;
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct history *h = owner;

    (void)m;
    if (h->inside || h->done)
        return HC_CONTINUE;
    struct event *e = new_event(h, access->pc);
    e->left = e->entered;
    e->uses = living_at(h, access->address);
    return HC_CONTINUE;
}

static enum hc_action checkpoint(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct history *)owner)->checkpoint = true;
    return HC_CONTINUE;
}

/* One instruction after the other to main's end; false when it does not come there. */
static bool run_to_end(struct history *h)
{
    for (uint64_t n = 0; hc_register(h->m, HC_PC) != h->back; n++) {
        if (n > LONGEST || hc_machine_step(h->m, 1, hc_now(h->m) + HC_SECOND) != HC_STOP_STEPS ||
            hc_register(h->m, HC_PC) == h->program->start)
            return false;
        uint32_t sp = hc_register(h->m, HC_SP);
        h->lowest = sp < h->lowest ? sp : h->lowest;
    }
    return true;
}

static void record(struct history *h, struct hc_machine *m, const struct hc_power_program *program)
{
    h->m = m;
    h->program = program;
    while (hc_register(m, HC_PC) != program->main)
        assert_int_equal(hc_machine_step(m, 1, HC_NEVER), HC_STOP_STEPS);
    for (int i = 0; i < HC_HEAP_FUNCTIONS; i++) {
        h->function_hook[i] = (struct function){ h, (enum hc_heap_function)i };
        hc_hook_call(m, program->heap_function[i], called, &h->function_hook[i]);
    }
    hc_hook_access(m, program->heap_low, program->heap_high - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed, h);
    for (int i = 0; i < KNOWN && h->before[i]; i++)
        hc_hook_pc(m, h->before[i], checkpoint, h);
    h->back = hc_peek16(m, hc_register(m, HC_SP));
    h->lowest = hc_register(m, HC_SP);
    h->start = hc_snapshot_take(m);
    h->started = time_of(m);
    assert_true(run_to_end(h));
    h->steps = time_of(m) - h->started;
    hc_peek_bytes(m, RAM, h->ram, RAM_BYTES);
    hc_peek_bytes(m, FRAM, h->fram, FRAM_BYTES);
    h->result = hc_register(m, RESULT) & 0xffff;
    h->done = true;
}

/* ---- brute force ---- */

static void note(struct brute_pairs *pairs, const struct event *consumer, const struct event *producer)
{
    brute_pairs_add(pairs, consumer->pc, producer->pc, producer->left - consumer->entered);
}

static bool overlap(const struct generation *a, const struct generation *b)
{
    return a->start < b->start + b->size && b->start < a->start + a->size;
}

/* A checkpoint before event C, the supply fails behind event F, which is the last that changed the heap: what E,
 * executed again, meets. */
static void meet(struct history *h, int c, int e, int f, struct brute_pairs *out)
{
    const struct event *producer = &h->event[f];
    int g = h->event[e].uses;

    if (producer->begins != NOBODY && e == f)
        note(out, producer, producer);              /* a block more than there should be */
    if (g == NOBODY || h->generation[g].begun >= c) /* it is allocated again first */
        return;
    bool ended = h->generation[g].ended != NOBODY && h->generation[g].ended <= f;
    bool taken = producer->ends == g;
    bool reused = producer->begins != NOBODY && overlap(&h->generation[g], &h->generation[producer->begins]);
    if (ended && (taken || (reused && h->generation[g].ended <= f)))
        note(out, &h->event[e], producer);
}

static void brute_force(struct history *h, uint64_t depth, struct brute_pairs *out)
{
    for (int c = 0; c < h->events; c++) {
        if (!depth && c && !h->event[c].checkpoint)
            continue;
        for (int f = c; f < h->events && (f == c || depth || !h->event[f].checkpoint); f++)
            for (int e = c; e <= f && (e == c || !depth); e++)
                if (!depth || h->event[f].left - h->event[e].entered <= depth)
                    meet(h, c, e, f, out);
    }
}

/* ---- occurrences, and how they end ---- */

static bool affects(const struct history *h, const struct event *producer, int f, int g)
{
    const struct generation *of = &h->generation[g];

    return producer->ends == g || (producer->begins != NOBODY && producer->begins != g && of->ended != NOBODY &&
                                   of->ended <= f && overlap(of, &h->generation[producer->begins]));
}

static void add_occurrence(struct brute_occurrences *out, const struct event *consumer, const struct event *producer)
{
    struct brute_occurrence one = {
        consumer->pc, producer->pc, (int)consumer->entered, (int)producer->left, (int)consumer->entered - 1, true
    };

    brute_occurrences_add(out, one);
}

/* Checkpoints anywhere: of each place the last use of the block. */
static void find_occurrences(const struct history *h, uint64_t depth, struct brute_occurrences *out)
{
    for (int f = 0; f < h->events; f++) {
        const struct event *producer = &h->event[f];
        for (int g = 0; g < h->generations; g++)
            for (int e = f; affects(h, producer, f, g) && e >= 0; e--) {
                const struct event *consumer = &h->event[e];
                bool last = consumer->uses == g && producer->left - consumer->entered <= depth;
                for (int k = e + 1; k <= f && last; k++)
                    last = !(h->event[k].uses == g && h->event[k].pc == consumer->pc);
                if (last)
                    add_occurrence(out, consumer, producer);
            }
        if (producer->begins != NOBODY)
            add_occurrence(out, producer, producer);
    }
}

static void run_until(struct history *h, uint64_t time)
{
    if (time > time_of(h->m))
        assert_int_equal(hc_machine_step(h->m, time - time_of(h->m), HC_NEVER), HC_STOP_STEPS);
}

enum ending { WELL, WRONG, BROKEN, ENDINGS };

/* Power fails after FAILURE instructions, and the program goes on from where it was after RESUMED. */
static enum ending end_of(struct history *h, uint64_t resumed, uint64_t failure)
{
    static uint8_t ram[RAM_BYTES], fram[FRAM_BYTES];

    hc_snapshot_restore(h->m, h->start);
    run_until(h, resumed);
    struct hc_snapshot *checkpoint = hc_snapshot_take(h->m);
    run_until(h, failure);
    hc_peek_bytes(h->m, FRAM, fram, FRAM_BYTES);
    hc_snapshot_restore(h->m, checkpoint);
    hc_snapshot_free(checkpoint);
    for (uint32_t i = 0; i < FRAM_BYTES; i++)
        if (hc_peek(h->m, FRAM + i) != fram[i])
            hc_poke(h->m, FRAM + i, fram[i]);
    if (!run_to_end(h))
        return BROKEN;
    hc_peek_bytes(h->m, RAM, ram, RAM_BYTES);
    hc_peek_bytes(h->m, FRAM, fram, FRAM_BYTES);
    return memcmp(ram, h->ram, h->lowest - RAM) || memcmp(fram, h->fram, FRAM_BYTES) ||
                   (hc_register(h->m, RESULT) & 0xffff) != h->result
               ? WRONG
               : WELL;
}

static void compare_effects(struct history *h, unsigned number, const struct hc_locate_config *config,
                            const struct hc_located *located)
{
    struct brute_occurrences occurrences = { 0 };
    struct hc_verdict *verdict = calloc(located->pairs.count + 1, sizeof *verdict);

    assert_true(hc_power_evaluate(config, located, HC_POWER_EFFORT, verdict));
    find_occurrences(h, config->depth, &occurrences);
    for (size_t i = 0; i < located->pairs.count; i++) {
        const struct hc_pair *p = &located->pairs.pair[i];
        uint64_t should[ENDINGS] = { 0 }, is[ENDINGS] = { 0 };
        if (p->kind != HC_MEMORY_MAP)
            continue;
        for (size_t k = 0; k < occurrences.count; k++)
            if (occurrences.at[k].consumer == p->consumer && occurrences.at[k].producer == p->producer)
                should[end_of(h, (uint64_t)occurrences.at[k].resumed, (uint64_t)occurrences.at[k].produced)]++;
        for (int k = HC_EFFECT_NONE; k < HC_EFFECTS; k++)
            is[k == HC_EFFECT_NONE ? WELL : k >= HC_EFFECT_CRASH ? BROKEN : WRONG] += verdict[i].effects[k];
        if (memcmp(is, should, sizeof is) != 0)
            fail_msg("program %u: %04x, %04x: well, wrong, broken %d %d %d, by brute force %d %d %d", number,
                     (unsigned)p->consumer, (unsigned)p->producer, (int)is[WELL], (int)is[WRONG], (int)is[BROKEN],
                     (int)should[WELL], (int)should[WRONG], (int)should[BROKEN]);
    }
    brute_occurrences_free(&occurrences);
    free(verdict);
}

/* ---- both ---- */

static void compare_program(unsigned number)
{
    static const uint64_t depths[] = { 60, 0, 200, 0, 2000 };
    struct hc_power_program program;
    struct writer w;
    struct hc_launchpad *board = random_board(number, &program, &w), *other = random_board(number, &program, &w),
                        *third = random_board(number, &program, &w);
    struct history *h = calloc(1, sizeof *h);
    struct brute_pairs expected = { 0 };
    struct hc_locate_config config = { .machine = other->machine, .program = program, .limit = 100000 };
    struct hc_located located;

    config.depth = depths[number % 5];
    for (unsigned i = 0; i < KNOWN && !config.depth; i++)
        h->before[i] = w.place[(number * 31u + i * 7u) % w.places];
    config.before = h->before;
    config.before_count = config.depth ? 0 : KNOWN;
    record(h, board->machine, &program);
    brute_force(h, config.depth, &expected);
    hc_power_locate(&config, &located);
    assert_int_equal(located.end, HC_LOCATE_DONE);
    for (size_t i = 0; i < expected.count; i++) {
        const struct brute_pair *p = &expected.pair[i];
        const struct hc_pair *found = hc_pairs_find(&located.pairs, HC_MEMORY_MAP, p->consumer, p->producer);
        if (!found || (config.depth && found->distance != p->distance))
            fail_msg("program %u: %04x, %04x: distance %lld, by brute force %lld", number, (unsigned)p->consumer,
                     (unsigned)p->producer, found ? (long long)found->distance : -1, (long long)p->distance);
    }
    for (size_t i = 0; i < located.pairs.count; i++) {
        const struct hc_pair *p = &located.pairs.pair[i];
        if (p->kind == HC_MEMORY_MAP && !brute_pairs_find(&expected, p->consumer, p->producer) &&
            (!config.depth || p->distance <= config.depth))
            fail_msg("program %u: %04x, %04x: not found by brute force", number, (unsigned)p->consumer,
                     (unsigned)p->producer);
    }
    config.machine = third->machine;
    if (config.depth)
        compare_effects(h, number, &config, &located);
    brute_pairs_free(&expected);
    hc_located_free(&located);
    hc_snapshot_free(h->start);
    hc_launchpad_free(board);
    hc_launchpad_free(other);
    hc_launchpad_free(third);
    free(h);
}

static struct choice choice;

static void random_programs(void **state)
{
    (void)state;
    for (unsigned i = choice.first; i < choice.end; i++)
        compare_program(i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };

    choice = choose(argc, argv, PROGRAMS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
