/* hindcast power on programs that never end, with power cut everywhere, on another part, and for continuous
 * integration, as a user meets it. test_power_cuts HINDCAST FIRMWARE_DIRECTORY APPLICATIONS_DIRECTORY */
#include "shell.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void usage(void **state)
{
    static const struct shell_case cases[] = {
        { "power tests/power_cases_globals.elf --cut-everywhere=0", 2, "", "expected a number of at least 1" },
        { "power tests/power_cases_globals.elf --cut-everywhere=often", 2, "", "'often': expected a positive number" },
        { "power tests/power_cases_globals.elf --part toaster", 2, "", "expected msp430fr5969 or msp430fr5994" },
        { "power tests/power_cases_globals.elf --until nowhere", 2, "", "'nowhere' is neither a symbol" },
        { "power tests/power_cases_globals.elf --until 1ms --evaluate", 2, "", "compared at a place" },
        { "power tests/power_cases_globals.elf --window 2ms 1ms", 2, "", "must end later than it begins" },
        { "power tests/power_cases_globals.elf --until 0s", 2, "", "must end later than it begins" },
        { "power tests/power_cases_globals.elf --window 0s main --input P1IN", 0, " instructions, ", "" },
        { "power tests/power_cases_globals.elf --window main", 2, "", "--window A B" },
        { "power tests/power_cases_globals.elf --baseline nowhere.sarif", 3, "", "nowhere.sarif" },
        { "power apps/tasks-chain.elf --limit 100000", 1, "given up before its end", "still running after 100000" },
        { "power tests/fr5994.elf --part msp430fr5969", 3, "", "where an msp430fr5969 has no memory" },
    };
    shell_try(*state, cases, sizeof cases / sizeof *cases);
}

/* What each mended kernel is for. */
static void kernels_are_judged(void **state)
{
    static const char *const styles[] = { "chain", "alpaca", "ink" };
    struct fixture *f = *state;

    for (size_t i = 0; i < 3; i++) {
        shell(f, "$H power apps/tasks-%s.elf --until report --cut-everywhere", styles[i]);
        assert_code(f, 1);
        assert_contains(f->out, " end wrong\n  cut 1: after instruction ");
        assert_contains(f->out, "      because    ");
        shell(f, "$H power apps/tasks-%s-fix.elf --until report --cut-everywhere", styles[i]);
        assert_code(f, 0);
        assert_contains(f->out, "all end as they should");
    }
}

/* In the text and in the value. */
static void pairs_and_cuts_point_at_each_other(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere");
    assert_contains(f->out, "\nsum (0x");
    assert_contains(f->out, "      seen in    cut 1, 2, 3, 4, 5, 6, 7, 8\n");
    assert_contains(f->out, "      because    sum is read at ");
    assert_contains(f->out, ": #1\n");
    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere --json");
    json_t *report = json_loads(f->out, 0, NULL);
    const json_t *cuts = json_object_get(report, "cuts"), *stretches = json_object_get(cuts, "stretches");
    const json_t *pair = json_array_get(json_object_get(report, "pairs"), 0);
    assert_int_equal(json_array_size(stretches), 8);
    assert_int_equal(json_array_size(json_object_get(pair, "cuts")), 8);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(stretches, 3), "finding")), 1);
    assert_int_equal(json_integer_value(json_object_get(cuts, "made")),
                     json_integer_value(json_object_get(cuts, "instructions")));
    assert_true(json_integer_value(json_object_get(cuts, "wrong")) > 8);
    json_decref(report);
}

static void cuts_at_random_repeat_themselves(void **state)
{
    struct fixture *f = *state;
    char first[2000];

    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere=random:50 --seed 7 | tail -5");
    snprintf(first, sizeof first, "%s", f->out);
    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere=random:50 --seed 7 | tail -5");
    assert_string_equal(f->out, first);
    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere=random:50 --seed 8 | tail -5");
    assert_string_not_equal(f->out, first);
}

/* A marker is no checkpoint: after a failure such a program begins anew, and nothing is wrong with that. The pairs are
 * those of the checkpoint that is named, and still count. */
static void a_scenario_still_counts(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power tests/power_cases_globals.elf --checkpoint checkpoint --cut-everywhere");
    assert_code(f, 1);
    assert_contains(f->out, "all end as they should");
    shell(f, "$H power tests/power_cases_globals.elf --cut-everywhere");
    assert_code(f, 0);
}

static void windows_and_parts(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/tasks-chain.elf --window add report --ed 100");
    assert_contains(f->out, " instructions, ");
    assert_code(f, 1);
    shell(f, "$H power apps/tasks-chain.elf --window 1ms 3ms --ed 100");
    assert_code(f, 1);
    shell(f, "$H power tests/fr5994.elf --until 20ms");
    assert_code(f, 1);
    assert_contains(f->out, "\ntotal (0x");
    shell(f, "llvm-strip-19 -o bare.elf apps/tasks-chain.elf && $H power bare.elf --until 3ms");
    assert_code(f, 3);
    assert_contains(f->err, "bare.elf: no symbols, so main is unknown");
}

/* What only the FR5994 has: its ports count as outputs, its registers have names, its vectors handlers. */
static void the_larger_part(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power tests/power_fr5994.elf --checkpoint checkpoint --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "wrong output: P5OUT(0) instead of P5OUT(64); lit at 0x");
    assert_contains(f->out, "main returns 0x0002 instead of 0x0001");
    shell(f,
          "$H power tests/power_fr5994.elf --checkpoint checkpoint --saves globals,stack --output P5OUT:relative:set");
    assert_code(f, 1);
    assert_contains(f->out, "\nP5DIR (0x0244)\n");
    assert_contains(f->out, "\nTA4CCR0 (0x07d2)\n");
    assert_contains(f->out, "\nP5OUT behaves as ");
}

/* The transfer comes between two instructions, and power fails behind it. */
static void what_dma_writes_is_tried(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power tests/power_dma.elf --checkpoint checkpoint --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "      written    DMA\n");
    assert_contains(f->out, "wrong value: taken at 0x");
    assert_contains(f->out, "main returns 0x0007 instead of 0x0001");
    shell(f, "$H power tests/power_dma.elf --ed 100 --evaluate");
    assert_contains(f->out, "main returns 0x0007 instead of 0x0001");
}

/* A value is old where a checkpoint lies between its measurement and its use, and only there. Only where none does it
 * is measured again, and may lead to the other side of a branch. */
static void age_of_inputs(void **state)
{
    struct fixture *f = *state;

    shell(f,
          "$H power tests/power_sram.elf --checkpoint checkpoint --input measure:long-term --output report:relative");
    assert_contains(f->out, "      stale      what it is given was measured before a checkpoint");
    shell(f,
          "$H power tests/power_sram.elf --checkpoint-at measure --input measure:most-recent --output report:relative");
    assert_contains(f->out, "\nreport behaves as relative");
    assert_null(strstr(f->out, "      stale"));
    shell(f, "$H power apps/figure2.elf --checkpoint checkpoint --input measure:long-term");
    assert_null(strstr(f->out, "steers a branch"));
    shell(f, "$H power apps/figure2-fix.elf --checkpoint checkpoint --input measure:most-recent");
    assert_contains(f->out, "measure steers a branch");
}

/* Pairs do not tell of it; cuts do. */
static void changed_code_is_told_of(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power tests/power_changes_code.elf --checkpoint checkpoint");
    assert_contains(f->err, "the program changes its code, in code at 0x");
    shell(f, "$H power tests/power_changes_code.elf --cut-everywhere");
    assert_code(f, 1);
    assert_contains(f->out, "main returns 0x0004 instead of 0x0003");
}

/* What is wrong before the routine begins is not its fault. */
static void a_wrong_window_tears_no_checkpoint(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power tests/power_torn_counted.elf --checkpoint checkpoint --restore restore --torn");
    assert_contains(f->out, "\nrounds (0x");
    assert_contains(f->out, "wrong value: rounds at 0x");
    assert_contains(f->out, "changes of memory: it holds");
}

/* On a supply that fails again and again. */
static void a_harvested_run_of_what_never_ends(void **state)
{
    struct fixture *f = *state;

    write_text(f, "trace.csv", "0,10\n");
    shell(f, "$H power apps/tasks-chain-fix.elf --until report --capacitor 0.15 --harvest trace.csv");
    assert_code(f, 0);
    assert_contains(f->out, "came to its end after");
    shell(f, "$H power apps/torn-double.elf --checkpoint checkpoint --restore restore --capacitor 0.18 "
             "--harvest trace.csv --seconds 2");
    assert_code(f, 0);
    assert_contains(f->out, "it ends as the continuous run does");
    shell(f, "$H power apps/tasks-chain.elf --until report --capacitor 0.15 --harvest trace.csv");
    assert_code(f, 1);
    assert_contains(f->out, "sum at 0x");
}

static unsigned address_of(struct fixture *f, const char *symbol)
{
    unsigned address = 0;

    shell(f, "llvm-nm-19 tests/power_scopes.elf | grep ' %s$'", symbol);
    assert_int_equal(sscanf(f->out, "%x", &address), 1);
    return address;
}

/* The source says which variable an instruction of it means. Their slots are shared: by now and later, whose scopes are
 * nested, and by early and late, of which each is there for some instructions. */
static void shared_slots_are_named_by_the_instruction(void **state)
{
    enum { BLOCK = 4, BLOCK_END = 14, TURN = 6 };
    struct fixture *f = *state;
    unsigned pass = address_of(f, "pass"), turns = address_of(f, "turns"), seen[4] = { 0 };
    static const char *const names[] = { "now[", "later[", "early in turns", "late in turns" };

    shell(f, "$H power tests/power_scopes.elf --ed 1000 --json");
    json_t *report = json_loads(f->out, 0, NULL);
    const json_t *pairs = json_object_get(report, "pairs");
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        const json_t *pair = json_array_get(pairs, i), *consumer = json_object_get(pair, "consumer");
        const char *part = json_string_value(json_object_get(pair, "part"));
        unsigned pc = (unsigned)json_integer_value(json_object_get(consumer, "pc"));
        if (!part || strstr(part, "return address"))
            continue;
        size_t name = pc >= turns && pc < turns + TURN              ? 2
                      : pc >= turns                                 ? 3
                      : pc >= pass + BLOCK && pc < pass + BLOCK_END ? 0
                                                                    : 1;
        if (strncmp(part, names[name], strlen(names[name])) != 0)
            fail_msg("0x%04x reads %s, not %s", pc, names[name], part);
        seen[name]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_true(seen[i] > 0);
    json_decref(report);
}

/* What continuous integration does: today's findings are accepted, and one more is not. */
static void a_baseline(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/crc-globals.elf --sarif today.sarif");
    assert_code(f, 1);
    shell(f, "$H power apps/crc-globals.elf --sarif again.sarif --baseline today.sarif");
    assert_code(f, 0);
    assert_contains(f->err, "new since today.sarif: 0");
    shell(f, "cat again.sarif");
    json_t *log = json_loads(f->out, 0, NULL);
    const json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    const json_t *result = json_array_get(json_object_get(run, "results"), 0);
    assert_string_equal(json_string_value(json_object_get(log, "version")), "2.1.0");
    assert_string_equal(json_string_value(json_object_get(result, "ruleId")), "data-access");
    assert_string_equal(json_string_value(json_object_get(result, "baselineState")), "unchanged");
    json_decref(log);
    shell(f, "$H power apps/tasks-chain.elf --until report --cut-everywhere --baseline today.sarif");
    assert_code(f, 1);
    assert_contains(f->err, "new since today.sarif: 2");
    write_text(f, "broken.sarif", "{\"runs\": [{\"tool\": 7, \"results\": {}}]}");
    shell(f, "$H power apps/crc-globals.elf --baseline broken.sarif");
    assert_code(f, 3);
    assert_contains(f->err, "broken.sarif: contains no results of hindcast power");
    write_text(f, "cut.sarif", "{\"runs\": [");
    shell(f, "$H power apps/crc-globals.elf --baseline cut.sarif");
    assert_code(f, 3);
    assert_contains(f->err, "cut.sarif: line 1: ");
}

/* What came to nothing when tried is no result; what was gone already is not gone once more. */
static void results_that_are_none(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --sarif all.sarif >all.txt; "
             "$H power apps/hard-recursion.elf --checkpoint checkpoint --evaluate --sarif tried.sarif >tried.txt; "
             "grep -c 'came to nothing' tried.txt; grep -o '\"ruleId\"' all.sarif | wc -l; "
             "grep -o '\"ruleId\"' tried.sarif | wc -l");
    assert_string_equal(f->out, "1\n2\n1\n");
    shell(f, "$H power apps/figure1.elf --checkpoint checkpoint --sarif one.sarif --baseline all.sarif >one.txt; "
             "grep -o '\"absent\"' one.sarif | wc -l; "
             "$H power apps/figure1.elf --checkpoint checkpoint --sarif two.sarif --baseline one.sarif >two.txt; "
             "grep -o '\"absent\"' two.sarif | wc -l");
    assert_string_equal(f->out, "2\n0\n");
}

/* A baseline serves runs with --evaluate and without, whichever made it; a pair that becomes harmful is new. */
static void a_baseline_of_other_efforts(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --sarif all.sarif >all.txt; "
             "$H power apps/hard-recursion.elf --checkpoint checkpoint --evaluate --sarif tried.sarif >tried.txt");
    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --baseline tried.sarif");
    assert_code(f, 0);
    assert_contains(f->err, "new since tried.sarif: 0");
    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --evaluate --baseline all.sarif");
    assert_code(f, 0);
    assert_contains(f->err, "new since all.sarif: 0");
    shell(f, "python3 -c \"import json, sys; log = json.load(open('tried.sarif')); run = log['runs'][0]; "
             "run['properties']['harmless'] += [r['partialFingerprints']['hindcastPower/v1'] for r in run['results']]; "
             "run['results'] = []; json.dump(log, open('harmless.sarif', 'w'))\"");
    assert_code(f, 0);
    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --evaluate --baseline harmless.sarif");
    assert_code(f, 1);
    assert_contains(f->err, "new since harmless.sarif: 1");
    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --baseline harmless.sarif");
    assert_code(f, 0);
    write_text(f, "odd.sarif",
               "{\"runs\": [{\"tool\": {\"driver\": {\"name\": \"hindcast power\"}}, \"results\": [], "
               "\"properties\": {\"harmless\": [7, {}, null]}}]}");
    shell(f, "$H power apps/hard-recursion.elf --checkpoint checkpoint --baseline odd.sarif");
    assert_code(f, 1);
    assert_contains(f->err, "new since odd.sarif: 2");
}

static void names(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/aes-stack.elf --ed 50 | grep '^  #\\|^the'");
    assert_contains(f->out, "the stack in main (0x");
    assert_contains(f->out, "the stack in memcpy (0x");
    assert_contains(f->out, "word[0] in expand_key");
    assert_null(strstr(f->out, "back["));
    assert_null(strstr(f->out, "b in mix_columns")); /* what its epilogue pops is no parameter */
    shell(f, "$H power apps/hard-led.elf --checkpoint checkpoint --saves globals,stack");
    assert_contains(f->out, "\nP1OUT (0x0202)\n");
}

static void suggestions_beside_a_strategy(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/crc-globals.elf --place loop-latch --suggest");
    assert_contains(f->out, "1 more checkpoint, ");
    assert_contains(f->out, " leaves nothing that a checkpoint could remove\n  before     0x");
}

int main(int argc, char **argv)
{
    static struct fixture fixture;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(usage, &fixture),
        cmocka_unit_test_prestate(kernels_are_judged, &fixture),
        cmocka_unit_test_prestate(pairs_and_cuts_point_at_each_other, &fixture),
        cmocka_unit_test_prestate(cuts_at_random_repeat_themselves, &fixture),
        cmocka_unit_test_prestate(a_scenario_still_counts, &fixture),
        cmocka_unit_test_prestate(windows_and_parts, &fixture),
        cmocka_unit_test_prestate(the_larger_part, &fixture),
        cmocka_unit_test_prestate(results_that_are_none, &fixture),
        cmocka_unit_test_prestate(age_of_inputs, &fixture),
        cmocka_unit_test_prestate(changed_code_is_told_of, &fixture),
        cmocka_unit_test_prestate(a_wrong_window_tears_no_checkpoint, &fixture),
        cmocka_unit_test_prestate(what_dma_writes_is_tried, &fixture),
        cmocka_unit_test_prestate(shared_slots_are_named_by_the_instruction, &fixture),
        cmocka_unit_test_prestate(a_harvested_run_of_what_never_ends, &fixture),
        cmocka_unit_test_prestate(a_baseline, &fixture),
        cmocka_unit_test_prestate(a_baseline_of_other_efforts, &fixture),
        cmocka_unit_test_prestate(names, &fixture),
        cmocka_unit_test_prestate(suggestions_beside_a_strategy, &fixture),
    };

    if (argc != 4 || !shell_begin(&fixture, argv[1], argv[2]))
        return 2;
    char *applications = realpath(argv[3], NULL);
    shell(&fixture, "ln -s $F tests && ln -s %s apps", applications ? applications : "");
    free(applications);
    int failed = cmocka_run_group_tests_name("power_cuts", tests, NULL, NULL);
    shell_end(&fixture);
    return failed;
}
