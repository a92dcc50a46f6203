/* Steps by lines against brute force: from a run that was written down, with its activations, the end of every step
 * follows. */
#include "debug/dwarf/program.h"
#include "debug/session/session.h"
#include "story.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 12000 };

struct bench {
    struct harness h;
    struct hc_program *program;
    struct hc_execution *execution;
    struct hc_timeline *timeline;
    struct hc_debugger *debugger;
    FILE *nowhere;
    struct story story;
};

static uint32_t function_at(struct bench *b, uint32_t pc)
{
    const struct hc_function *f = hc_program_function_at(b->program, pc);
    return f ? f->low : 0;
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    harness_start(&b->h, "timeline");
    b->program = hc_program_new(b->h.image);
    story_write(&b->story, b->h.machine, b->h.image, MOMENTS);
    b->execution = hc_machine_execution_new(b->h.machine, HC_NEVER);
    b->timeline = hc_timeline_new(b->execution, 0);
    b->nowhere = fopen("/dev/null", "w");
    b->debugger = hc_debugger_new(b->h.image, b->timeline, b->nowhere, false);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    hc_debugger_free(b->debugger);
    hc_program_free(b->program);
    hc_timeline_free(b->timeline);
    hc_execution_free(b->execution);
    harness_stop(&b->h);
    fclose(b->nowhere);
    story_free(&b->story);
    free(b);
    return 0;
}

static int64_t command_from(struct bench *b, int64_t from, const char *command)
{
    char go[40];

    snprintf(go, sizeof go, "goto #%lld", (long long)from);
    hc_debugger_command(b->debugger, go);
    assert_int_equal(hc_timeline_now(b->timeline)->instructions, from);
    assert_int_equal(hc_debugger_command(b->debugger, command), HC_DEBUGGER_GOES_ON);
    return (int64_t)hc_timeline_now(b->timeline)->instructions;
}

static bool same_line(struct bench *b, int64_t i, int64_t k)
{
    const struct story_row *x = &b->story.row[i], *y = &b->story.row[k];
    return x->line && x->line == y->line && !strcmp(x->file, y->file) && function_at(b, x->pc) == function_at(b, y->pc);
}

/* Whether I is within something that FRAME called, or that interrupted it. */
static bool is_within(struct bench *b, int activation, int frame)
{
    while (activation >= 0 && activation != frame)
        activation = b->story.activation[activation].caller;
    return activation == frame;
}

/* The moment at which a function's call is done, or -1 when that is beyond what was written down. */
static int64_t expected_finish(struct bench *b, int64_t from)
{
    return b->story.activation[b->story.row[from].activation].ended;
}

/* -1: beyond. */
static int64_t expected_next(struct bench *b, int64_t from)
{
    int frame = b->story.row[from].activation;

    for (int64_t k = from + 1; k < MOMENTS; k++) {
        int here = b->story.row[k].activation;
        if (here != frame && is_within(b, here, frame))
            continue;
        bool returned = here != frame;
        frame = here;
        if (!b->story.row[k].line || same_line(b, from, k))
            continue;
        if (returned || b->story.row[k].start == b->story.row[k].pc)
            return k;
    }
    return -1;
}

/* The beginning of the line that was before, in the same activation; where that has just begun, the caller's. */
static int64_t expected_reverse_next(struct bench *b, int64_t from)
{
    int frame = b->story.row[from].activation;
    int64_t target = -1;

    for (int64_t k = from - 1; k >= 0; k--) {
        int here = b->story.row[k].activation;
        if (here != frame) {
            if (is_within(b, here, frame))
                continue;
            if (target >= 0)
                return target;
            frame = here;
        }
        if (!b->story.row[k].line)
            continue;
        if (target >= 0 && !same_line(b, k, target))
            return target;
        target = k;
    }
    return target;
}

static void finish_ends_where_the_call_does(void **state)
{
    struct bench *b = *state;
    int tried = 0;

    for (int64_t n = 300; n < MOMENTS - 2000; n += 37) {
        int64_t expected = expected_finish(b, n);
        if (expected < 0)
            continue;
        /* An interrupt may come right there: the debugger, too, waits until it is over. */
        while (expected < MOMENTS &&
               b->story.row[expected].activation != b->story.activation[b->story.row[n].activation].caller)
            expected++;
        int64_t found = command_from(b, n, "finish");
        if (found != expected)
            print_error("finish from #%lld (0x%04x)\n", (long long)n, b->story.row[n].pc);
        assert_int_equal(found, expected);
        tried++;
    }
    assert_true(tried > 100);
}

static void reverse_finish_ends_at_the_call(void **state)
{
    struct bench *b = *state;
    int tried = 0;

    for (int64_t n = 400; n < MOMENTS; n += 41) {
        int64_t expected = b->story.activation[b->story.row[n].activation].called;
        if (expected < 0)
            continue;
        int64_t found = command_from(b, n, "reverse-finish");
        if (found != expected)
            print_error("reverse-finish from #%lld (0x%04x)\n", (long long)n, b->story.row[n].pc);
        assert_int_equal(found, expected);
        tried++;
    }
    assert_true(tried > 150);
}

static void next_goes_to_the_next_line(void **state)
{
    struct bench *b = *state;
    int tried = 0;

    for (int64_t n = 60; n < MOMENTS - 3000; n += 23) {
        int64_t expected = expected_next(b, n);
        if (expected < 0)
            continue;
        int64_t found = command_from(b, n, "next");
        if (found != expected)
            print_error("next from #%lld (0x%04x, line %d)\n", (long long)n, b->story.row[n].pc, b->story.row[n].line);
        assert_int_equal(found, expected);
        tried++;
    }
    assert_true(tried > 200);
}

static void reverse_next_goes_to_the_line_before(void **state)
{
    struct bench *b = *state;
    int tried = 0;

    for (int64_t n = 300; n < MOMENTS; n += 29) {
        int64_t expected = expected_reverse_next(b, n);
        if (expected < 0)
            continue;
        int64_t found = command_from(b, n, "reverse-next");
        if (found != expected)
            print_error("reverse-next from #%lld (0x%04x, line %d): #%lld, should be #%lld\n", (long long)n,
                        b->story.row[n].pc, b->story.row[n].line, (long long)found, (long long)expected);
        assert_int_equal(found, expected);
        tried++;
    }
    assert_true(tried > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finish_ends_where_the_call_does),
        cmocka_unit_test(reverse_finish_ends_at_the_call),
        cmocka_unit_test(next_goes_to_the_next_line),
        cmocka_unit_test(reverse_next_goes_to_the_line_before),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
