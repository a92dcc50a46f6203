/* Backtraces against what was: callers, their registers, their arguments.
 *
 * Registers of callers must be those that they had at the call, and of who was interrupted all of them. Arguments are
 * compared with what frames.c wrote down about itself. The same program at several levels of optimisation, by clang and
 * by GCC. */
#include "debug/dwarf/frame.h"
#include "debug/expression/expression.h"
#include "story.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 12000, STRIDE = 3, FIRST_KEPT = 4, LAST_KEPT = 10, ACCOUNT_WORDS = 5 };

struct bench {
    struct harness h;
    struct hc_program *program;
    struct story story;
    int64_t at;
    int registers, arguments; /* that were compared */
};

static int set_up(void **state, const char *firmware)
{
    struct bench *b = calloc(1, sizeof *b);

    harness_start(&b->h, firmware);
    b->program = hc_program_new(b->h.image);
    assert_true(hc_program_has_source(b->program));
    story_write(&b->story, b->h.machine, b->h.image, MOMENTS);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    hc_program_free(b->program);
    story_free(&b->story);
    harness_stop(&b->h);
    free(b);
    return 0;
}

static void go_on(struct bench *b)
{
    assert_int_equal(hc_machine_settle(b->h.machine, b->at > 0, HC_NEVER), HC_STOP_STEPS);
    b->at++;
}

/* ---- registers ---- */

static void compare_register(struct bench *b, const struct hc_context *c, int r, uint16_t expected)
{
    uint32_t pc = b->story.row[b->at - 1].pc;

    if (!(c->known >> r & 1))
        fail_msg("moment %lld, 0x%04x: r%d of the frame at 0x%04x should be known", (long long)b->at - 1, pc, r, c->pc);
    if (c->reg[r] != expected)
        fail_msg("moment %lld, 0x%04x: r%d of the frame at 0x%04x is 0x%04x, was 0x%04x", (long long)b->at - 1, pc, r,
                 c->pc, c->reg[r], expected);
    b->registers++;
}

/* What the frame C, which made or suffered ACTIVATION, must know. */
static void compare_registers(struct bench *b, const struct hc_context *c, const struct story_activation *activation)
{
    const struct story_row *row = &b->story.row[activation->called + activation->handler];
    uint32_t pc = b->story.row[activation->called].pc;

    for (int r = FIRST_KEPT; r <= (activation->handler ? 15 : LAST_KEPT); r++)
        compare_register(b, c, r, row->reg[r]);
    if (activation->handler)
        return;
    assert_int_equal(c->reg[HC_SP], row->reg[HC_SP]);
    assert_int_equal(c->reg[HC_PC], pc + hc_instruction_length(b->h.machine, pc));
    for (int r = LAST_KEPT + 1; r < 16; r++)
        assert_false(c->known >> r & 1);
}

static void callers_have_their_registers(void **state)
{
    static struct hc_frame frames[HC_FRAMES_MAX];
    struct bench *b = *state;

    while (b->at < MOMENTS) {
        go_on(b);
        if (b->at % STRIDE)
            continue;
        int count = hc_frames(b->program, b->h.machine, frames, HC_FRAMES_MAX);
        int current = b->story.row[b->at - 1].activation;
        const struct story_activation *activation = NULL; /* of what the frame called */
        for (int i = 0; i < count; i++) {
            if (activation)
                compare_registers(b, &frames[i].context, activation);
            if (frames[i].inlined)
                continue;
            assert_true(current >= 0);
            assert_false(frames[i].unsure);
            activation = &b->story.activation[current];
            assert_int_equal(frames[i].handler, activation->handler);
            current = activation->caller;
        }
        assert_int_equal(current, -1);
    }
    assert_true(b->registers > 20000);
}

/* ---- arguments ---- */

static const char *const names[] = { NULL, "leaf", "even", "odd", "tree", "wide", "through", "linked" };

static int function_number(const char *name)
{
    for (int i = 1; i < (int)(sizeof names / sizeof *names); i++)
        if (name && !strcmp(names[i], name))
            return i;
    return 0;
}

/* What is known of them is right; returns how many that are. */
static int compare_arguments(struct bench *b, const struct hc_context *c, int entry)
{
    int known = 0;

    for (int i = 0; i < ACCOUNT_WORDS - 1; i++) {
        const char name[] = { (char)('a' + i), 0 };
        uint16_t expected = harness_get(&b->h, "account", ACCOUNT_WORDS * entry + 1 + i);
        struct hc_debug_message message;
        struct hc_value v;
        struct hc_number n;

        if (!hc_expression_evaluate(c, name, &v, &message) || !hc_value_number(c, &v, &n, &message))
            continue;
        if ((uint16_t)n.u != expected)
            fail_msg("moment %lld: %s of the frame at 0x%04x is 0x%04x, was 0x%04x", (long long)b->at - 1, name, c->pc,
                     (unsigned)(uint16_t)n.u, expected);
        known++;
    }
    return known;
}

/* The program is in leaf, which has written down its arguments. */
static void compare_account(struct bench *b)
{
    static struct hc_frame frames[HC_FRAMES_MAX];
    int count = hc_frames(b->program, b->h.machine, frames, HC_FRAMES_MAX);
    int entries = (harness_get(&b->h, "next", 0) - (int)harness_address(&b->h, "account")) / (2 * ACCOUNT_WORDS);
    int entry = entries, listed = 0, interrupted = -1;
    bool within = false; /* a handler, or what it called */

    for (int i = count - 1; i >= 0; i--) {
        bool known = function_number(frames[i].function) > 0;
        listed += known;
        if (frames[i].handler)
            within = true;
        else if (known && !within)
            interrupted = i;
    }
    if (!within)
        interrupted = -1;
    for (int i = 0; i < count; i++) {
        int number = function_number(frames[i].function);
        if (number == 0 || (i == interrupted && listed > entries))
            continue;
        entry--;
        assert_true(entry >= 0);
        if (i == interrupted) /* perhaps while it was writing */
            continue;
        assert_int_equal(harness_get(&b->h, "account", ACCOUNT_WORDS * entry), number);
        b->arguments += compare_arguments(b, &frames[i].context, entry);
    }
    assert_int_equal(entry, 0);
}

static uint32_t address_of_line(struct bench *b, const char *words)
{
    FILE *source = fopen(FRAMES_SOURCE, "r");
    char text[200];
    int line = 0;
    bool found = false;

    assert_non_null(source);
    while (!found && fgets(text, sizeof text, source)) {
        line++;
        found = strstr(text, words) != NULL;
    }
    fclose(source);
    assert_true(found);
    for (int i = 0; i < b->story.moments; i++) {
        const struct story_row *row = &b->story.row[i];
        if (row->line == line && row->start == row->pc && strstr(row->file, "frames.c"))
            return row->pc;
    }
    fail_msg("line %d has no code that was run", line);
    return 0;
}

static void arguments_are_those_given(void **state)
{
    struct bench *b = *state;
    uint32_t leaf = address_of_line(b, "/* in leaf */");
    int seen = 0;

    while (b->at < MOMENTS) {
        go_on(b);
        if (b->story.row[b->at - 1].pc != leaf)
            continue;
        compare_account(b);
        seen++;
    }
    assert_true(seen > 40);
    assert_true(b->arguments > 4 * seen);
}

#define IMAGE(name, firmware)              \
    static int set_up_##name(void **state) \
    {                                      \
        return set_up(state, firmware);    \
    }
IMAGE(o0, "frames_o0")
IMAGE(os, "frames_os")
IMAGE(o2, "frames_o2")
IMAGE(gcc_os, FRAMES_GCC "/frames-os.elf")
IMAGE(gcc_o2, FRAMES_GCC "/frames-o2.elf")

#define BOTH(name)                                                                           \
    cmocka_unit_test_setup_teardown(callers_have_their_registers, set_up_##name, tear_down), \
        cmocka_unit_test_setup_teardown(arguments_are_those_given, set_up_##name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = { BOTH(o0), BOTH(os), BOTH(o2), BOTH(gcc_os), BOTH(gcc_o2) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
