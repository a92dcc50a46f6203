/* Every edge of a chain of causes, tried: a value that `why` names as a source is changed where it was loaded, and the
 * node runs on. What was explained must change: its value, or the way to it. If it never does, whatever is put there,
 * the edge is said to be idle; few may be (of a word one bit goes into a number, say, and a shift removes it there).
 *
 *     test_counterfactual IMAGE... runs each image for some seconds, and follows the chains of its variables. */
#include "other_values.h"
#include "support/harness.h"
#include "why/why.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ANSWERS = 20, VARIABLES = 40, RAM = 0x1100, RAM_END = 0x38ff, SECONDS = 3, FAR = 2000000 };

struct bench {
    struct harness traced, brute;
    struct hc_timeline *timeline;
    struct hc_snapshot *start;
    uint64_t way, end;
    unsigned long edges, by_value, idle, tried;
};

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct bench *b = owner;

    (void)m;
    b->way = (b->way ^ pc) * 1099511628211ull;
}

static uint32_t peek(struct hc_machine *m, uint32_t address, uint32_t size)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < size && i < 4; i++)
        value |= (uint32_t)hc_peek(m, address + i) << 8 * i;
    return value;
}

/* Runs on to the moment after the answer's instruction. */
static uint32_t go_on(struct bench *b, const struct hc_why_answer *a, uint64_t from)
{
    struct hc_machine *m = b->brute.machine;

    b->way = 14695981039346656037ull;
    if (hc_machine_settle(m, a->moment + 1 - from, hc_now(m) + 10 * HC_SECOND) != HC_STOP_STEPS)
        b->way = 0;
    return peek(m, a->address, a->size);
}

/* If the way changes, that is enough after the simple ones. */
static unsigned changes(unsigned size, bool seen)
{
    return 8 * size + 2 + (seen ? 0 : 256 * size);
}

/* Whether a change of the source can be seen in what was explained. */
static bool matters(struct bench *b, const struct hc_why_answer *a, const struct hc_flow_source *s)
{
    struct hc_machine *m = b->brute.machine;
    bool seen = false, value = false;

    hc_snapshot_restore(m, b->start);
    assert_int_equal(hc_machine_settle(m, s->moment, HC_NEVER), HC_STOP_STEPS);
    struct hc_snapshot *here = hc_snapshot_take(m);
    uint32_t expected = go_on(b, a, s->moment);
    uint64_t way = b->way;
    for (unsigned n = 0; n < changes(s->size, seen) && !value; n++) {
        hc_snapshot_restore(m, here);
        for (uint32_t i = 0; i < s->size; i++)
            hc_poke(m, s->address + i, other_byte(n, s->size, i, hc_peek(m, s->address + i)));
        uint32_t result = go_on(b, a, s->moment);
        b->tried++;
        value = result != expected;
        seen |= value || b->way != way;
    }
    b->by_value += value;
    hc_snapshot_free(here);
    return seen;
}

static void try_answer(struct bench *b, const struct hc_why_answer *a)
{
    for (size_t i = 0; i < a->sources; i++) {
        const struct hc_flow_source *s = &a->source[i];
        if (s->kind != HC_SOURCE_LOAD || s->address < RAM || s->address > RAM_END || a->moment - s->moment > FAR)
            continue;
        b->edges++;
        if (matters(b, a, s))
            continue;
        b->idle++;
        printf("idle: 0x%04x, %u bytes, loaded at 0x%04x, #%llu, for 0x%04x, written at 0x%04x, #%llu\n",
               (unsigned)s->address, s->size, (unsigned)s->pc, (unsigned long long)s->moment, (unsigned)a->address,
               (unsigned)a->pc, (unsigned long long)a->moment);
    }
}

struct question {
    uint32_t address, size;
    uint64_t at;
};

/* The chain of one variable, nearest causes first. */
static void follow(struct bench *b, const struct hc_why *w, uint32_t address, uint32_t size)
{
    struct question asked[64] = { { address, size, b->end } };
    size_t count = 1;
    struct hc_why_answer *a = calloc(1, sizeof *a);

    for (size_t i = 0; i < count && i < ANSWERS; i++) {
        if (hc_why_value(w, asked[i].address, asked[i].size, asked[i].at, a) != HC_TIMELINE_THERE ||
            a->kind != HC_WHY_WRITTEN)
            continue;
        try_answer(b, a);
        for (size_t k = 0; k < a->sources && count < 64; k++)
            if (a->source[k].kind == HC_SOURCE_LOAD)
                asked[count++] = (struct question){ a->source[k].address, a->source[k].size, a->source[k].moment };
    }
    free(a);
}

/* Variables of the application and the library, one in so many. */
static void follow_variables(struct bench *b)
{
    struct hc_why w = { .timeline = b->timeline, .image = b->traced.image };
    struct hc_symbol s;
    unsigned followed = 0;

    for (uint32_t at = RAM; at <= RAM_END && followed < VARIABLES; at++)
        if (hc_image_data_at(b->traced.image, at, &s) && s.address == at && s.size && s.size <= 4) {
            follow(b, &w, at, s.size);
            followed++;
        }
    assert_true(followed > 2);
}

static void try_image(struct bench *b, const char *path)
{
    harness_start(&b->traced, path);
    harness_start(&b->brute, path);
    struct hc_execution *execution = hc_machine_execution_new(b->traced.machine, SECONDS * HC_SECOND);
    b->timeline = hc_timeline_new(execution, 0);
    b->start = hc_snapshot_take(b->brute.machine);
    hc_hook_retire(b->brute.machine, retired, b);
    hc_timeline_seek_end(b->timeline);
    b->end = hc_timeline_now(b->timeline)->instructions;
    follow_variables(b);
    hc_snapshot_free(b->start);
    hc_timeline_free(b->timeline);
    hc_execution_free(execution);
    harness_stop(&b->traced);
    harness_stop(&b->brute);
}

static char **image;

static void edges_matter(void **state)
{
    struct bench b = { .edges = 0 };

    (void)state;
    for (char **path = image; *path; path++)
        try_image(&b, *path);
    printf("%lu edges, %lu changes tried; the value changes by %lu, the way to it by %lu more, %lu are idle\n", b.edges,
           b.tried, b.by_value, b.edges - b.by_value - b.idle, b.idle);
    assert_true(b.edges > 100);
    assert_true(b.idle * 100 <= b.edges);
    assert_true(b.by_value * 10 >= b.edges * 9);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(edges_matter) };

    image = argv + (argc > 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
