/* Memory-map anomalies of random programs that allocate, use, resize and free blocks with the kit's allocator, against
 * a brute force over all checkpoints and failures that knows the heap as a list of generations: a consumer meets a heap
 * of the future if the block that it is about lived at the checkpoint and no longer does at the failure. A failing
 * program prints its number, which `test_heap NUMBER` runs alone. */
#include "choice.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/locate/locate.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
};

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
    *e = (struct event){ pc, hc_power_time(h->m), 0, NOBODY, NOBODY, NOBODY, h->checkpoint };
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

    e->left = hc_power_time(h->m);
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
    if (h->inside)
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

static void record(struct history *h, struct hc_machine *m, const struct hc_power_program *program)
{
    h->m = m;
    h->program = program;
    assert_true(hc_power_run_to_main(m, program));
    for (int i = 0; i < HC_HEAP_FUNCTIONS; i++) {
        h->function_hook[i] = (struct function){ h, (enum hc_heap_function)i };
        hc_hook_call(m, program->heap_function[i], called, &h->function_hook[i]);
    }
    hc_hook_access(m, program->heap_low, program->heap_high - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed, h);
    for (int i = 0; i < KNOWN && h->before[i]; i++)
        hc_hook_pc(m, h->before[i], checkpoint, h);
    assert_int_equal(hc_power_run_to_end(m, hc_power_back(m), 0, 100000, HC_NEVER), HC_END_DONE);
}

/* ---- brute force ---- */

static void note(struct hc_pairs *pairs, const struct event *consumer, const struct event *producer)
{
    struct hc_occurrence occurrence = { .consumed = consumer->entered, .produced = producer->left };

    hc_pairs_add(pairs, HC_MEMORY_MAP, consumer->pc, producer->pc, false, &occurrence);
}

static bool overlap(const struct generation *a, const struct generation *b)
{
    return a->start < b->start + b->size && b->start < a->start + a->size;
}

/* A checkpoint before event C, the supply fails behind event F, which is the last that changed the heap: what E,
 * executed again, meets. */
static void meet(struct history *h, int c, int e, int f, struct hc_pairs *out)
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

static void brute_force(struct history *h, uint64_t depth, struct hc_pairs *out)
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

/* ---- both ---- */

static void compare_program(unsigned number)
{
    static const uint64_t depths[] = { 60, 0, 200, 0, 2000 };
    struct hc_power_program program;
    struct writer w;
    struct hc_launchpad *board = random_board(number, &program, &w), *other = random_board(number, &program, &w);
    struct history *h = calloc(1, sizeof *h);
    struct hc_pairs expected = { 0 };
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
        const struct hc_pair *p = &expected.pair[i];
        const struct hc_pair *found = hc_pairs_find(&located.pairs, HC_MEMORY_MAP, p->consumer, p->producer);
        if (!found || (config.depth && found->distance != p->distance))
            fail_msg("program %u: %04x, %04x: distance %lld, by brute force %lld", number, (unsigned)p->consumer,
                     (unsigned)p->producer, found ? (long long)found->distance : -1, (long long)p->distance);
    }
    for (size_t i = 0; i < located.pairs.count; i++) {
        const struct hc_pair *p = &located.pairs.pair[i];
        if (p->kind == HC_MEMORY_MAP && !hc_pairs_find(&expected, HC_MEMORY_MAP, p->consumer, p->producer) &&
            (!config.depth || p->distance <= config.depth))
            fail_msg("program %u: %04x, %04x: not found by brute force", number, (unsigned)p->consumer,
                     (unsigned)p->producer);
    }
    hc_pairs_free(&expected);
    hc_located_free(&located);
    hc_launchpad_free(board);
    hc_launchpad_free(other);
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
