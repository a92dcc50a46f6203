/* Programs that are hard to judge (firmware/power/hard): copies of structs, unions, blocks that live within a window,
 * recursion on a stack in FRAM, an LED, a measurement that steers; and checkpoints that may be torn, against a brute
 * force of its own. */
#include "machine/board/launchpad_fr5969.h"
#include "power/trial/brute_force.h"
#include "power/trial/evaluate.h"
#include "power/trial/torn.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct analysed {
    struct hc_launchpad *board;
    struct hc_image *image;
    struct hc_locate_config config;
    struct hc_located located;
    struct hc_verdict *verdict;
};

static struct hc_launchpad *board_of(const char *name, struct hc_image **image)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    char path[1024];

    snprintf(path, sizeof path, "%s/%s.elf", HARNESS_APPS, name);
    *image = harness_fill(board->machine, path);
    hc_machine_reset(board->machine, HC_POR);
    return board;
}

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;

    assert_true(hc_image_symbol(image, name, &symbol));
    return symbol.address;
}

static void locate(struct analysed *a, const char *name, const struct hc_power_input *input, size_t inputs)
{
    *a = (struct analysed){ 0 };
    a->board = board_of(name, &a->image);
    a->config = (struct hc_locate_config){ .machine = a->board->machine, .limit = 1000000 };
    a->config.checkpoint = address_of(a->image, "checkpoint");
    a->config.input = input;
    a->config.inputs = inputs;
    hc_power_program_find(&a->config.program, a->image);
    hc_power_locate(&a->config, &a->located);
    assert_int_equal(a->located.end, HC_LOCATE_DONE);
}

/* On the same board: it is reset, and loaded with what the run before has changed. */
static void evaluate(struct analysed *a, const char *name)
{
    hc_image_free(a->image);
    hc_launchpad_free(a->board);
    a->board = board_of(name, &a->image);
    a->config.machine = a->board->machine;
    a->verdict = calloc(a->located.pairs.count + 1, sizeof *a->verdict);
    assert_true(hc_power_evaluate(&a->config, &a->located, HC_POWER_EFFORT, a->verdict));
}

static void done(struct analysed *a)
{
    hc_located_free(&a->located);
    hc_image_free(a->image);
    hc_launchpad_free(a->board);
    free(a->verdict);
}

/* ---- what is found ---- */

struct expected {
    const char *name;
    enum hc_anomaly kind;
    int anomalies, silent;  /* of that kind; of the others there are none */
    enum hc_effect effect;  /* of the first anomaly */
    const char *variable;   /* where its effect is seen; NULL: no matter */
    const char *witness_in; /* the variable that is read and written, at OFFSET */
    uint32_t offset;
};

static void check(const struct expected *e)
{
    struct analysed a;
    int anomalies = 0, silent = 0;

    locate(&a, e->name, NULL, 0);
    evaluate(&a, e->name);
    for (size_t i = 0; i < a.located.pairs.count; i++) {
        const struct hc_pair *p = &a.located.pairs.pair[i];
        assert_int_equal(p->kind, e->kind);
        if (p->distance == HC_NO_DISTANCE) {
            silent++;
            assert_int_equal(a.verdict[i].worst.effect, HC_EFFECT_NONE);
        } else if (!anomalies++) {
            assert_int_equal(a.verdict[i].worst.effect, e->effect);
            if (e->variable)
                assert_int_equal(a.verdict[i].worst.address & ~1u, address_of(a.image, e->variable) & ~1u);
            if (e->witness_in)
                assert_int_equal(p->witness.address, address_of(a.image, e->witness_in) + e->offset);
        }
    }
    if (anomalies != e->anomalies || silent != e->silent)
        fail_msg("%s: %d anomalies, %d silent", e->name, anomalies, silent);
    done(&a);
}

static void hard_programs(void **state)
{
    static const struct expected rows[] = {
        /* one instruction of memcpy reads and one writes: a pair, of the bytes that change */
        { "hard-memcpy", HC_DATA_ACCESS, 1, 0, HC_EFFECT_VALUE, "record", "record", 0 },
        { "hard-memcpy-fix", HC_DATA_ACCESS, 0, 0, HC_EFFECT_UNKNOWN, NULL, NULL, 0 },
        /* the upper byte of a word */
        { "hard-union", HC_DATA_ACCESS, 1, 0, HC_EFFECT_VALUE, "seen", "read_first", 1 },
        /* the allocation alone: it leaks */
        { "hard-heap", HC_MEMORY_MAP, 1, 0, HC_EFFECT_VALUE, NULL, NULL, 0 },
        /* sum's RET and the call of leaf, of which the second comes to nothing: main's checkpoint() */
        { "hard-recursion", HC_ACTIVATION_RECORD, 2, 0, HC_EFFECT_VALUE, "result", NULL, 0 },
        { "hard-led", HC_DATA_ACCESS, 0, 0, HC_EFFECT_UNKNOWN, NULL, NULL, 0 },
        { "hard-led-toggle", HC_DATA_ACCESS, 1, 0, HC_EFFECT_OUTPUT, "lit", "lit", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check(&rows[i]);
}

/* P1OUT(0) instead of P1OUT(1). */
static void a_wrong_output(void **state)
{
    struct analysed a;
    char text[200];

    (void)state;
    locate(&a, "hard-led-toggle", NULL, 0);
    evaluate(&a, "hard-led-toggle");
    assert_string_equal(a.verdict[0].worst.output.is, "P1OUT");
    assert_int_equal(a.verdict[0].worst.output.argument_is, 0);
    assert_string_equal(a.verdict[0].worst.output.should, "P1OUT");
    assert_int_equal(a.verdict[0].worst.output.argument_should, 1);
    hc_effect_text(&a.verdict[0].worst, "lit", text, sizeof text);
    assert_string_equal(text, "P1OUT(0) instead of P1OUT(1); lit at 0xc000 is 0x00 and should be 0x01, 1 byte in all");
    done(&a);
}

/* ---- against brute force ---- */

/* Where anything differs when all checkpoints and failures are tried, something was located; and where what was located
 * has an effect, something differs. DEPTH 0: with the program's own checkpoints. */
static void check_against_brute_force(const char *name, uint64_t depth)
{
    struct analysed a;
    struct hc_brute_forced forced;
    bool anomalies = false, effects = false;

    locate(&a, name, NULL, 0);
    hc_located_free(&a.located);
    a.config.depth = depth;
    a.config.checkpoint = depth ? 0 : a.config.checkpoint;
    hc_image_free(a.image);
    hc_launchpad_free(a.board);
    a.board = board_of(name, &a.image);
    a.config.machine = a.board->machine;
    hc_power_locate(&a.config, &a.located);
    evaluate(&a, name);
    for (size_t i = 0; i < a.located.pairs.count; i++) {
        bool real = a.located.pairs.pair[i].distance != HC_NO_DISTANCE;
        anomalies |= real;
        effects |= a.verdict[i].worst.effect > HC_EFFECT_NONE;
        if (depth && !real) /* in its short window there is nothing else */
            assert_int_equal(a.verdict[i].worst.effect, HC_EFFECT_NONE);
    }
    struct hc_image *image;
    struct hc_launchpad *board = board_of(name, &image);
    a.config.machine = board->machine;
    assert_true(hc_brute_force(&a.config, &a.located, 0, 1, UINT64_MAX, &forced));
    if ((forced.different && !anomalies) || (effects && !forced.different))
        fail_msg("%s, depth %u: %u failures differ; anomalies %d, effects %d", name, (unsigned)depth,
                 (unsigned)forced.different, anomalies, effects);
    hc_image_free(image);
    hc_launchpad_free(board);
    done(&a);
}

static void examples_by_brute_force(void **state)
{
    static const char *const names[] = { "figure1",        "figure1-fix",    "figure2",        "figure2-fix",
                                         "figure3",        "figure4",        "figure4-fix",    "figure5",
                                         "figure5-fix",    "hard-memcpy",    "hard-union",     "hard-memcpy-fix",
                                         "hard-heap",      "hard-led",       "hard-recursion", "hard-steer",
                                         "hard-steer-fix", "hard-led-toggle" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        check_against_brute_force(names[i], 0);
        check_against_brute_force(names[i], 12);
        check_against_brute_force(names[i], 60);
    }
}

/* ---- a measurement that steers ---- */

static void check_steering(const char *name, enum hc_effect effect)
{
    static struct hc_power_input measure = { .name = "measure", .kind = HC_INPUT_FUNCTION, .untagged = true };
    struct analysed a;
    const struct hc_steering *s;
    struct hc_steered steered[4];
    struct hc_image *image;
    struct hc_launchpad *board = board_of(name, &image);

    measure.address = address_of(image, "measure");
    locate(&a, name, &measure, 1);
    assert_int_equal(hc_power_inputs_steerings(a.located.inputs, &s), 1);
    a.config.machine = board->machine;
    assert_true(hc_power_evaluate_steerings(&a.config, &a.located, steered));
    assert_int_equal(steered[0].evaluated.effect, effect);
    if (effect == HC_EFFECT_VALUE) {
        assert_true(steered[0].value <= 25); /* else it would go the same way */
        assert_int_equal(steered[0].evaluated.address, address_of(image, "alarm"));
        assert_int_equal(steered[0].evaluated.is, 1);
    }
    hc_image_free(image);
    hc_launchpad_free(board);
    done(&a);
}

static void steered_branches(void **state)
{
    (void)state;
    check_steering("hard-steer", HC_EFFECT_VALUE);
    check_steering("hard-steer-fix", HC_EFFECT_NONE);
}

/* ---- torn checkpoints ---- */

enum { MOST_FAILURES = 400 };

struct torn_by_force {
    bool wrong[4][MOST_FAILURES]; /* at each of the first calls, after so many instructions */
    unsigned length[4];
};

enum { ROUNDS = 6 };

/* What the program leaves: its total, and how it came to it. */
struct outcome {
    uint16_t total, history[ROUNDS];
};

static struct outcome outcome_of(struct hc_machine *m, const struct hc_image *image)
{
    struct outcome o = { .total = hc_peek16(m, address_of(image, "total")) };

    for (uint32_t i = 0; i < ROUNDS; i++)
        o.history[i] = hc_peek16(m, address_of(image, "history") + 2 * i);
    return o;
}

static bool ends_right(struct hc_machine *m, const struct hc_image *image, const struct outcome *should, uint32_t back)
{
    hc_machine_power_off(m, 7);
    hc_machine_reset(m, HC_POR);
    for (int n = 0; n < 20000 && hc_register(m, HC_PC) != back; n++)
        if (hc_machine_step(m, 1, hc_now(m) + HC_SECOND) != HC_STOP_STEPS)
            return false;
    struct outcome is = outcome_of(m, image);
    return hc_register(m, HC_PC) == back && !memcmp(&is, should, sizeof is);
}

/* Every instruction of the first three calls, whatever it does. */
static void tear_by_force(const char *name, struct torn_by_force *out)
{
    struct hc_image *image;
    struct hc_launchpad *board = board_of(name, &image);
    struct hc_machine *m = board->machine;
    uint32_t entry = address_of(image, "checkpoint");
    struct hc_power_program program;

    memset(out, 0, sizeof *out);
    hc_power_program_find(&program, image);
    assert_true(hc_power_run_to_main(m, &program));
    uint32_t back = hc_power_back(m);
    struct hc_snapshot *start = hc_snapshot_take(m);
    assert_int_equal(hc_power_run_to_end(m, back, 0, 100000, HC_NEVER), HC_END_DONE);
    struct outcome should = outcome_of(m, image);
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
    for (unsigned call = 1; call < 4; call++) {
        while (hc_register(m, HC_PC) != entry)
            hc_machine_step(m, 1, HC_NEVER);
        uint32_t return_to = hc_power_back(m), sp = hc_register(m, HC_SP);
        unsigned n = 0;
        for (; !(hc_register(m, HC_PC) == return_to && hc_register(m, HC_SP) > sp); n++) {
            struct hc_snapshot *here = hc_snapshot_take(m);
            assert_true(n < MOST_FAILURES);
            out->wrong[call][n] = !ends_right(m, image, &should, back);
            hc_snapshot_restore(m, here);
            hc_snapshot_free(here);
            hc_machine_step(m, 1, HC_NEVER);
        }
        out->length[call] = n;
    }
    hc_image_free(image);
    hc_launchpad_free(board);
}

static void check_torn(const char *name, bool breaks)
{
    static struct torn_by_force force;
    struct analysed a;
    struct hc_torn torn;
    struct hc_image *image;
    struct hc_launchpad *board = board_of(name, &image);

    tear_by_force(name, &force);
    locate(&a, name, NULL, 0);
    a.config.machine = board->machine;
    assert_true(hc_power_tear(&a.config, &a.located, address_of(image, "restore"), &torn));
    assert_int_equal(torn.calls, 3);
    assert_int_equal(hc_torn_broken(&torn) != 0, breaks);
    for (size_t i = 0; i < torn.count; i++) {
        const struct hc_tear *t = &torn.tear[i];
        for (unsigned n = t->from; n <= t->to && n < force.length[t->call]; n++)
            if (force.wrong[t->call][n] != (t->evaluated.effect > HC_EFFECT_NONE))
                fail_msg("%s: call %u, after %u instructions: %s", name, t->call, n,
                         hc_effect_names[t->evaluated.effect]);
    }
    hc_torn_free(&torn);
    hc_image_free(image);
    hc_launchpad_free(board);
    done(&a);
}

static void torn_checkpoints(void **state)
{
    (void)state;
    check_torn("torn-single", true);
    check_torn("torn-double", false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hard_programs), cmocka_unit_test(a_wrong_output),
                                        cmocka_unit_test(examples_by_brute_force), cmocka_unit_test(steered_branches),
                                        cmocka_unit_test(torn_checkpoints) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
