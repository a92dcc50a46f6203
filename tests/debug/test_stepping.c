/* Steps by lines against brute force. A forward run writes down every moment with its activation: who called, or was
 * interrupted, is kept on a stack as calls and returns go by. From that the end of every step follows; the debugger,
 * which keeps no such stack, must come to the same. */
#include "debug/frame.h"
#include "debug/session.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 12000, DEEPEST = 64 };

struct row {
    uint32_t pc;
    uint16_t opcode;
    int activation; /* a number of its own for each call and each interrupt */
    int line;       /* 0: none */
    const char *file;
    uint32_t start; /* of the line's piece of code */
    uint64_t interrupts;
};

struct activation {
    int caller;     /* -1: none */
    int64_t called; /* the moment of the call; of an interrupt the moment before it */
    int64_t ended;  /* the first moment after it; -1: not yet */
    bool handler;
};

struct bench {
    struct harness h;
    struct hc_program *program;
    struct hc_course *course;
    struct hc_timeline *timeline;
    struct hc_debugger *debugger;
    FILE *nowhere;
    struct row row[MOMENTS];
    struct activation activation[MOMENTS];
    int activations;
};

static uint32_t function_at(struct bench *b, uint32_t pc)
{
    const struct hc_function *f = hc_program_function_at(b->program, pc);
    return f ? f->low : 0;
}

static void write_down(struct bench *b)
{
    struct hc_machine *m = b->h.machine;
    struct hc_snapshot *start = hc_snapshot_take(m);
    int current = 0;
    struct hc_statistics before = { 0 };

    b->activations = 1;
    b->activation[0] = (struct activation){ .caller = -1, .called = -1, .ended = -1 };
    for (int i = 0; i < MOMENTS; i++) {
        struct hc_statistics now;
        struct hc_line line;
        struct row *row = &b->row[i];

        assert_int_equal(hc_machine_settle(m, i > 0, HC_NEVER), HC_STOP_STEPS);
        hc_machine_statistics(m, &now);
        if (i > 0) {
            enum hc_control control = hc_control_of(b->row[i - 1].opcode);
            if (control == HC_CONTROL_CALL) {
                b->activation[b->activations] = (struct activation){ current, i - 1, -1, false };
                current = b->activations++;
            } else if (control == HC_CONTROL_RETURN || control == HC_CONTROL_RETI) {
                b->activation[current].ended = i;
                current = b->activation[current].caller;
                assert_true(current >= 0);
            }
            for (uint64_t k = before.interrupts; k < now.interrupts; k++) {
                b->activation[b->activations] = (struct activation){ current, i - 1, -1, true };
                current = b->activations++;
            }
        }
        before = now;
        *row = (struct row){ .pc = hc_register(m, HC_PC), .activation = current, .interrupts = now.interrupts };
        row->opcode = hc_peek16(m, row->pc);
        if (hc_image_line_at(b->h.image, row->pc, &line)) {
            row->line = line.line;
            row->file = line.file;
            row->start = line.address;
        }
    }
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    harness_start(&b->h, "timeline");
    b->program = hc_program_new(b->h.image);
    write_down(b);
    b->course = hc_machine_course_new(b->h.machine, HC_NEVER);
    b->timeline = hc_timeline_new(b->course, 0);
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
    hc_course_free(b->course);
    harness_stop(&b->h);
    fclose(b->nowhere);
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
    const struct row *x = &b->row[i], *y = &b->row[k];
    return x->line && x->line == y->line && !strcmp(x->file, y->file) && function_at(b, x->pc) == function_at(b, y->pc);
}

/* Whether I is within something that FRAME called, or that interrupted it. */
static bool is_within(struct bench *b, int activation, int frame)
{
    while (activation >= 0 && activation != frame)
        activation = b->activation[activation].caller;
    return activation == frame;
}

/* The moment at which a function's call is done, or -1 when that is beyond what was written down. */
static int64_t expected_finish(struct bench *b, int64_t from)
{
    return b->activation[b->row[from].activation].ended;
}

/* -1: beyond. */
static int64_t expected_next(struct bench *b, int64_t from)
{
    int frame = b->row[from].activation;

    for (int64_t k = from + 1; k < MOMENTS; k++) {
        int here = b->row[k].activation;
        if (here != frame && is_within(b, here, frame))
            continue;
        bool returned = here != frame;
        frame = here;
        if (!b->row[k].line || same_line(b, from, k))
            continue;
        if (returned || b->row[k].start == b->row[k].pc)
            return k;
    }
    return -1;
}

/* The beginning of the line that was before, in the same activation; where that has just begun, the caller's. */
static int64_t expected_reverse_next(struct bench *b, int64_t from)
{
    int frame = b->row[from].activation;
    int64_t target = -1;

    for (int64_t k = from - 1; k >= 0; k--) {
        int here = b->row[k].activation;
        if (here != frame) {
            if (is_within(b, here, frame))
                continue;
            if (target >= 0)
                return target;
            frame = here;
        }
        if (!b->row[k].line)
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
        while (expected < MOMENTS && b->row[expected].activation != b->activation[b->row[n].activation].caller)
            expected++;
        int64_t found = command_from(b, n, "finish");
        if (found != expected)
            print_error("finish from #%lld (0x%04x)\n", (long long)n, b->row[n].pc);
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
        int64_t expected = b->activation[b->row[n].activation].called;
        if (expected < 0)
            continue;
        int64_t found = command_from(b, n, "reverse-finish");
        if (found != expected)
            print_error("reverse-finish from #%lld (0x%04x)\n", (long long)n, b->row[n].pc);
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
            print_error("next from #%lld (0x%04x, line %d)\n", (long long)n, b->row[n].pc, b->row[n].line);
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
                        b->row[n].pc, b->row[n].line, (long long)found, (long long)expected);
        assert_int_equal(found, expected);
        tried++;
    }
    assert_true(tried > 300);
}

/* Frames against the same stack: all callers, by where they called. */
static void backtraces_are_right(void **state)
{
    struct bench *b = *state;
    static struct hc_frame frames[HC_FRAMES_MAX];
    int tried = 0;

    for (int64_t n = 200; n < MOMENTS; n += 11) {
        int activation = b->row[n].activation;
        hc_timeline_seek(b->timeline, (uint64_t)n);
        int count = hc_frames(b->program, b->h.machine, frames, HC_FRAMES_MAX);
        for (int i = 0; i < count; i++) {
            if (frames[i].inlined)
                continue;
            assert_true(activation >= 0);
            assert_false(frames[i].unsure);
            assert_int_equal(frames[i].handler, b->activation[activation].handler);
            if (i + 1 < count) {
                int64_t called = b->activation[activation].called;
                uint32_t back = b->activation[activation].handler
                                    ? 0
                                    : b->row[called].pc + hc_instruction_length(b->h.machine, b->row[called].pc);
                int caller = i + 1;
                if (back)
                    assert_int_equal(frames[caller].pc, back);
                tried++;
            }
            activation = b->activation[activation].caller;
        }
        assert_int_equal(activation, -1);
    }
    assert_true(tried > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backtraces_are_right),
        cmocka_unit_test(finish_ends_where_the_call_does),
        cmocka_unit_test(reverse_finish_ends_at_the_call),
        cmocka_unit_test(next_goes_to_the_next_line),
        cmocka_unit_test(reverse_next_goes_to_the_line_before),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
