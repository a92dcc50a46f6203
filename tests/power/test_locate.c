/* Locate, evaluate and what is suggested, on small programs of the kit: what is found, and what is not. Against brute
 * force: test_random. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/device.h"
#include "power/locate/locate.h"
#include "power/locate/placement.h"
#include "power/trial/brute_force.h"
#include "power/trial/evaluate.h"
#include "power/trial/suggest.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Equation 5, and bounded by the execution depth. */
static void equation_5(void **state)
{
    static const struct {
        uint64_t depth;
        double least, most;
    } rows[] = { { UINT64_MAX, 2.344e13, 2.346e13 },
                 { 3000, 2.24e11, 2.26e11 },
                 { 4000, 3.94e11, 3.96e11 },
                 { 5000, 6.08e11, 6.10e11 } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double n = hc_brute_force_instructions(52011, rows[i].depth);
        assert_true(n > rows[i].least && n < rows[i].most);
    }
}

/* ---- programs of the kit ---- */

struct analysed {
    struct hc_launchpad *board;
    struct hc_image *image;
    struct hc_locate_config config;
    struct hc_located located;
};

static void analyse(struct analysed *a, const char *name, uint64_t depth, const char *checkpoint)
{
    struct hc_symbol symbol;

    *a = (struct analysed){ .board = hc_launchpad_new(NULL) };
    a->image = harness_fill(a->board->machine, name);
    hc_machine_reset(a->board->machine, HC_POR);
    a->config = (struct hc_locate_config){ .machine = a->board->machine, .depth = depth, .limit = 10000000 };
    hc_power_program_find(&a->config.program, a->image);
    if (checkpoint) {
        assert_true(hc_image_symbol(a->image, checkpoint, &symbol));
        a->config.checkpoint = symbol.address;
    }
    hc_power_locate(&a->config, &a->located);
}

static void done(struct analysed *a)
{
    hc_located_free(&a->located);
    hc_image_free(a->image);
    hc_launchpad_free(a->board);
}

/* Pairs of KIND whose witness lies in VARIABLE (NULL: anywhere), silent ones or not. */
static int count(const struct analysed *a, enum hc_anomaly kind, const char *variable, bool silent)
{
    struct hc_symbol symbol = { .address = 0, .size = UINT32_MAX };
    int n = 0;

    if (variable)
        assert_true(hc_image_symbol(a->image, variable, &symbol));
    for (size_t i = 0; i < a->located.pairs.count; i++) {
        const struct hc_pair *p = &a->located.pairs.pair[i];
        bool in_variable = p->witness.address - symbol.address < symbol.size;
        n += p->kind == kind && in_variable && (p->distance == HC_NO_DISTANCE) == silent;
    }
    return n;
}

static void variables(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_fram", 5000, NULL);
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    assert_true(count(&a, HC_DATA_ACCESS, "counter", false) > 0);
    assert_true(count(&a, HC_DATA_ACCESS, "copied_back", false) > 0); /* by memcpy */
    assert_true(count(&a, HC_DATA_ACCESS, "overlapping", false) > 0); /* a byte of a word */
    assert_int_equal(count(&a, HC_DATA_ACCESS, "only_written", false), 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "only_read", false), 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "constant", false), 0);
    assert_true(count(&a, HC_DATA_ACCESS, "constant", true) > 0); /* read, and the same stored */
    assert_true(count(&a, HC_ACTIVATION_RECORD, NULL, false) > 0);
    done(&a);
}

/* The paper's figures, and their fixes. */
static void figures(void **state)
{
    static const struct {
        const char *name;
        enum hc_anomaly kind;
        bool found;
    } rows[] = { { "figure1", HC_DATA_ACCESS, true },
                 { "figure1-fix", HC_DATA_ACCESS, false },
                 { "figure3", HC_ACTIVATION_RECORD, true },
                 { "figure4", HC_MEMORY_MAP, true },
                 { "figure4-fix", HC_MEMORY_MAP, false } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[1024];
        struct analysed a;
        bool found = false;
        snprintf(path, sizeof path, "%s/%s.elf", HARNESS_APPS, rows[i].name);
        analyse(&a, path, 0, "checkpoint");
        for (size_t k = 0; k < a.located.pairs.count; k++) { /* malloc and free alone are pairs with themselves */
            const struct hc_pair *p = &a.located.pairs.pair[k];
            bool alone = p->kind == HC_MEMORY_MAP && p->consumer == p->producer;
            found |= p->kind == rows[i].kind && p->distance != HC_NO_DISTANCE && !alone;
        }
        assert_int_equal(found, rows[i].found);
        done(&a);
    }
}

/* A checkpoint between the read and the write leaves nothing to find. */
static void known_checkpoints(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_globals", 0, "checkpoint");
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    assert_int_equal(a.located.checkpoints, 3);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "guarded", false), 0);
    assert_true(count(&a, HC_DATA_ACCESS, "copied_back", false) > 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "counter", false), 0);  /* before the first one it begins anew */
    assert_int_equal(count(&a, HC_ACTIVATION_RECORD, NULL, false), 0); /* the stack is volatile */
    done(&a);
}

static void blocks_of_the_heap(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_heap", 5000, NULL);
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    int apriori = count(&a, HC_MEMORY_MAP, NULL, false);
    assert_true(apriori >= 4);
    done(&a);
    analyse(&a, "power_heap", 0, "checkpoint");
    int aposteriori = count(&a, HC_MEMORY_MAP, NULL, false);
    assert_true(aposteriori > 0 && aposteriori < apriori); /* the block that lives in one window is exempt */
    done(&a);
}

/* A latch is a jump backwards; what comes behind a call follows one. */
static void strategies(void **state)
{
    struct analysed a;
    size_t latches, returns;

    (void)state;
    analyse(&a, "power_cases_globals", 5000, NULL);
    uint32_t *latch = hc_place_checkpoints(a.board->machine, a.image, HC_PLACE_LOOP_LATCH, &latches);
    uint32_t *after = hc_place_checkpoints(a.board->machine, a.image, HC_PLACE_FUNCTION_RETURN, &returns);
    assert_true(latches > 0 && returns > 8);
    for (size_t i = 0; i < latches; i++) {
        uint16_t code = hc_peek16(a.board->machine, latch[i]);
        assert_int_equal(code & 0xe000, 0x2000); /* a jump, */
        assert_int_equal(code & 0x0200, 0x0200); /* backwards */
    }
    for (size_t i = 0; i < returns; i++) /* CALL #function */
        assert_int_equal(hc_peek16(a.board->machine, after[i] - 4), 0x12b0);
    free(latch);
    free(after);
    done(&a);
}

/* A checkpoint that does not save the stack loses what main keeps there. */
static void lost_state(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_globals", 0, "checkpoint");
    assert_int_equal(count(&a, HC_LOST_STATE, NULL, false), 0);
    assert_in_range(a.located.stack_low, 0x2300, 0x23ff);
    struct hc_locate_config config = a.config;
    done(&a);
    for (int unsaved = 0; unsaved < 8; unsaved++) {
        struct hc_located located;
        size_t lost = 0;
        a = (struct analysed){ .board = hc_launchpad_new(NULL) };
        a.image = harness_fill(a.board->machine, "power_cases_globals");
        hc_machine_reset(a.board->machine, HC_POR);
        config.machine = a.board->machine;
        config.unsaved = unsaved;
        hc_power_locate(&config, &located);
        for (size_t i = 0; i < located.pairs.count; i++)
            lost += located.pairs.pair[i].kind == HC_LOST_STATE;
        assert_int_equal(lost != 0, (unsaved & HC_UNSAVED_STACK) != 0); /* its globals are in FRAM, a heap it has not */
        hc_located_free(&located);
        hc_image_free(a.image);
        hc_launchpad_free(a.board);
    }
}

struct bench {
    const char *name;
    struct hc_launchpad *board;
};

static struct hc_machine *fresh(void *owner)
{
    struct bench *b = owner;

    b->board = hc_launchpad_new(NULL);
    hc_image_free(harness_fill(b->board->machine, b->name));
    hc_machine_reset(b->board->machine, HC_POR);
    return b->board->machine;
}

static void put_away(void *owner, struct hc_machine *machine)
{
    (void)machine;
    hc_launchpad_free(((struct bench *)owner)->board);
}

/* With what is suggested nothing is left but instructions that read and write one byte. */
static void suggestions(void **state)
{
    struct bench bench = { .name = "power_cases_globals" };
    struct hc_suggestion s;
    struct analysed a;

    (void)state;
    analyse(&a, bench.name, 0, "checkpoint");
    assert_true(count(&a, HC_DATA_ACCESS, NULL, false) > 0);
    assert_true(hc_power_suggest(&a.config, fresh, put_away, &bench, &s));
    assert_true(s.enough);
    assert_true(s.count > 0);
    assert_true(s.checkpoints > a.located.checkpoints);
    for (size_t i = 0; i < s.rest.pairs.count; i++) {
        const struct hc_pair *p = &s.rest.pairs.pair[i];
        assert_true(p->distance == HC_NO_DISTANCE || p->consumer == p->producer);
    }
    hc_suggestion_free(&s);
    done(&a);
}

/* What an anomaly does to VARIABLE: it is really tried. */
static void check_effects(uint64_t depth, const char *checkpoint, const char *variable)
{
    struct analysed a;
    struct hc_symbol symbol;
    bool wrong = false;

    analyse(&a, "power_cases_globals", depth, checkpoint);
    struct hc_verdict *verdict = calloc(a.located.pairs.count, sizeof *verdict);
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    hc_image_free(harness_fill(board->machine, "power_cases_globals"));
    hc_machine_reset(board->machine, HC_POR);
    a.config.machine = board->machine;
    assert_true(hc_power_evaluate(&a.config, &a.located, HC_POWER_EFFORT, verdict));
    assert_true(hc_image_symbol(a.image, variable, &symbol));
    for (size_t i = 0; i < a.located.pairs.count; i++) {
        const struct hc_pair *p = &a.located.pairs.pair[i];
        assert_int_not_equal(verdict[i].worst.effect, HC_EFFECT_UNKNOWN);
        if (depth && p->distance == HC_NO_DISTANCE) /* nothing else is in its short window */
            assert_int_equal(verdict[i].worst.effect, HC_EFFECT_NONE);
        wrong |= p->witness.address - symbol.address < symbol.size && verdict[i].worst.effect == HC_EFFECT_VALUE;
    }
    assert_true(wrong);
    hc_launchpad_free(board);
    free(verdict);
    done(&a);
}

static void effects(void **state)
{
    (void)state;
    check_effects(5000, NULL, "counter");
    check_effects(0, "checkpoint", "copied_back");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables),   cmocka_unit_test(known_checkpoints), cmocka_unit_test(blocks_of_the_heap),
        cmocka_unit_test(suggestions), cmocka_unit_test(lost_state),        cmocka_unit_test(strategies),
        cmocka_unit_test(figures),     cmocka_unit_test(equation_5),        cmocka_unit_test(effects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
