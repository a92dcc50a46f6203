/* Where values come from, against an oracle that knows nothing of instructions: a byte of memory, or a register, is
 * changed at the beginning of a stretch, and the stretch is executed again. If that takes the same way and the result
 * differs, the byte must be among the sources. A failing case prints its number, which `test_flow NUMBER` runs alone.
 */
#include "support/harness.h"
#include "why/flow_trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CASES = 3000,
    SPACING = 400,
    FIRST = 3000,
    LOADED_MOST = 512,
    SOURCES_MOST = 2048,
    RAM = 0x1100,
    RAM_END = 0x38ff,
    VARIABLES = 0xc0
};

struct bench {
    struct harness traced, brute;
    struct hc_execution *execution;
    struct hc_timeline *timeline;
    uint64_t at; /* of the brute machine */
    uint32_t loaded[LOADED_MOST];
    size_t loads;
    uint64_t way; /* hash of the instructions executed and the addresses written */
    unsigned long cases, tried, same_way, sources, source_mattered;
};

struct trial {
    unsigned number;
    uint64_t from, to;
    uint32_t address;
    size_t count;
    struct hc_flow_source source[SOURCES_MOST];
};

static uint32_t random_below(uint32_t *state, uint32_t n)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * n >> 32);
}

static bool always(void *owner, const struct hc_flow_source *source)
{
    (void)owner;
    (void)source;
    return true;
}

/* ---- the brute machine ---- */

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct bench *b = owner;

    (void)m;
    b->way = (b->way ^ pc) * 1099511628211ull;
}

/* Where it writes belongs to the way: what another pointer would have changed is no source of what it did not. */
static enum hc_action written(void *owner, struct hc_machine *m, const struct hc_access *a)
{
    retired(owner, m, a->address);
    return HC_CONTINUE;
}

static enum hc_action read_from(void *owner, struct hc_machine *m, const struct hc_access *a)
{
    struct bench *b = owner;

    (void)m;
    for (uint32_t k = 0; k < a->size; k++) {
        size_t i = 0;
        while (i < b->loads && b->loaded[i] != a->address + k)
            i++;
        if (i == b->loads && i < LOADED_MOST)
            b->loaded[b->loads++] = a->address + k;
    }
    return HC_CONTINUE;
}

/* Executes the stretch; returns the byte in question. */
static uint8_t execute(struct bench *b, const struct trial *t)
{
    b->way = 14695981039346656037ull;
    if (hc_machine_settle(b->brute.machine, t->to - t->from, hc_now(b->brute.machine) + HC_SECOND) != HC_STOP_STEPS)
        b->way = 0; /* a changed pointer led nowhere */
    return hc_peek(b->brute.machine, t->address);
}

static bool is_source(const struct trial *t, uint32_t address)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->source[i].kind == HC_SOURCE_LOAD && !t->source[i].stored && address >= t->source[i].address &&
            address < t->source[i].address + t->source[i].size)
            return true;
    return false;
}

static bool is_register_source(const struct trial *t, int reg)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->source[i].kind == HC_SOURCE_REGISTER && t->source[i].address == (uint32_t)reg)
            return true;
    return false;
}

struct change {
    int reg; /* -1: of memory */
    uint32_t address;
    bool source;
};

/* With one bit of it changed. */
static void try(struct bench *b, const struct trial *t, const struct hc_snapshot *start, uint8_t expected, uint64_t way,
                struct change change)
{
    bool mattered = false;

    for (int bit = 0; bit < 8; bit++) {
        struct hc_machine *m = b->brute.machine;
        hc_snapshot_restore(m, start);
        if (change.reg < 0)
            hc_poke(m, change.address, hc_peek(m, change.address) ^ (uint8_t)(1 << bit));
        else
            hc_set_register(m, change.reg, hc_register(m, change.reg) ^ 1u << bit);
        uint8_t result = execute(b, t);
        b->tried++;
        mattered |= b->way != way;
        if (b->way != way)
            continue;
        b->same_way++;
        mattered |= result != expected;
        if (result != expected && !change.source)
            fail_msg("case %u: 0x%04x at #%llu depends on %s 0x%04x at #%llu", t->number, (unsigned)t->address,
                     (unsigned long long)t->to, change.reg < 0 ? "memory" : "register",
                     (unsigned)(change.reg < 0 ? change.address : (uint32_t)change.reg), (unsigned long long)t->from);
    }
    b->sources += change.source;
    b->source_mattered += change.source && mattered;
}

static void compare(struct bench *b, const struct trial *t)
{
    struct hc_machine *m = b->brute.machine;

    assert_int_equal(hc_machine_settle(m, t->from - b->at, HC_NEVER), HC_STOP_STEPS);
    b->at = t->from;
    struct hc_snapshot *start = hc_snapshot_take(m);
    b->loads = 0;
    int hook = hc_hook_access(m, RAM, RAM_END, HC_WATCH_READ, read_from, b);
    uint8_t expected = execute(b, t);
    hc_unhook(m, hook);
    uint64_t way = b->way;
    assert_true(way != 0);
    for (size_t i = 0; i < b->loads; i++)
        try(b, t, start, expected, way, (struct change){ -1, b->loaded[i], is_source(t, b->loaded[i]) });
    for (int r = 4; r < HC_REGISTERS; r++)
        try(b, t, start, expected, way, (struct change){ r, 0, is_register_source(t, r) });
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
}

/* ---- cases ---- */

/* A byte that was written in a stretch that ends near moment END, and the stretch up to that. */
static bool choose(struct bench *b, struct trial *t, uint64_t end, uint32_t *seed)
{
    uint64_t length = 8 + random_below(seed, random_below(seed, 4) ? 300 : 1000), writer;
    uint32_t start = RAM + random_below(seed, VARIABLES);
    struct hc_flow_trace *f = hc_flow_trace_new(b->timeline, end - length, end, NULL);
    bool found = false;

    assert_non_null(f);
    for (uint32_t i = 0; i < VARIABLES && !found; i++) {
        t->address = RAM + (start - RAM + i) % VARIABLES;
        found = hc_flow_trace_writer(f, t->address, &writer);
    }
    hc_flow_trace_free(f);
    t->from = end - length;
    t->to = found ? writer + 1 : end;
    return found;
}

static bool make_trial(struct bench *b, struct trial *t, unsigned number)
{
    uint32_t seed = number * 2654435761u;

    t->number = number;
    if (!choose(b, t, FIRST + (uint64_t)SPACING * number + random_below(&seed, SPACING / 2), &seed))
        return false;
    struct hc_flow_trace *f = hc_flow_trace_new(b->timeline, t->from, t->to, NULL);
    assert_non_null(f);
    t->count =
        hc_flow_trace_sources(f, hc_flow_trace_memory(f, t->address, 1), always, NULL, t->source, SOURCES_MOST, NULL);
    assert_true(t->count <= SOURCES_MOST);
    hc_flow_trace_free(f);
    return true;
}

static unsigned first_case = 1, last_case = CASES;

static void sources_are_all(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    struct trial *t = calloc(1, sizeof *t);
    uint64_t before = 0;

    (void)state;
    harness_start(&b->traced, MIXTURE);
    harness_start(&b->brute, MIXTURE);
    hc_hook_retire(b->brute.machine, retired, b);
    hc_hook_access(b->brute.machine, RAM, RAM_END, HC_WATCH_WRITE, written, b);
    b->execution = hc_machine_execution_new(b->traced.machine, HC_NEVER);
    b->timeline = hc_timeline_new(b->execution, 0);
    for (unsigned n = first_case; n <= last_case; n++)
        if (make_trial(b, t, n) && t->from >= before) {
            compare(b, t);
            b->cases++;
            before = t->from;
        }
    printf("%lu cases, %lu changes tried, %lu took the same way; %lu of %lu sources mattered\n", b->cases, b->tried,
           b->same_way, b->source_mattered, b->sources);
    if (last_case > first_case) {
        assert_true(b->same_way > b->tried / 2);
        assert_true(b->sources > CASES / 3);
        assert_true(b->source_mattered * 2 > b->sources); /* or everything would be called a source */
    }
    hc_timeline_free(b->timeline);
    hc_execution_free(b->execution);
    harness_stop(&b->traced);
    harness_stop(&b->brute);
    free(t);
    free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sources_are_all) };

    if (argc > 1)
        first_case = last_case = (unsigned)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
