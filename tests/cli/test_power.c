/* hindcast power, and the board that it is about, as a user meets them. test_power HINDCAST
 * FIRMWARE/power_cases_globals.elf FIRMWARE_DIRECTORY */
#include "shell.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void usage(void **state)
{
    static const struct shell_case cases[] = {
        { "power --help", 0, "--checkpoint", "" },
        { "power --help", 0, "Exit codes", "" },
        { "power", 2, "", "no IMAGE given" },
        { "power a b", 2, "", "more than one IMAGE given" },
        { "power nowhere.elf", 3, "", "nowhere.elf: No such file" },
        { "power $F --ed 0", 2, "", "an execution depth of 0" },
        { "power $F --ed x", 2, "", "--ed: 'x'" },
        { "power $F --ed 1,-2", 2, "", "--ed: '-2'" },
        { "power $F --nvm toaster", 2, "", "'toaster': expected all, globals" },
        { "power $F --nvm globals,toaster", 2, "", "or a variable or section" },
        { "power $F --checkpoint nowhere", 2, "", "there is no function 'nowhere'" },
        { "power $F --checkpoint counter", 2, "", "there is no function 'counter'" },
        { "power $F --checkpoint checkpoint --ed 3", 2, "", "--ed has no effect" },
        { "power $F --checkpoint-at nowhere.c:3", 2, "", "'nowhere.c:3' is neither" },
        { "power $F --suggest", 2, "", "--suggest needs known checkpoints" },
        { "power $F --capacitor 10", 2, "", "must be given together" },
        { "power $F --capacitor 10 --v-trigger 1.89", 2, "", "empty before the checkpoint" },
        { "power $F --limit 50", 1, "", "still running after" },
        { "power firmware/kit.elf", 3, "", "is it built for another part?" },
    };
    shell_try(*state, cases, sizeof cases / sizeof *cases);
}

static void a_report_for_people(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --ed 100,5 --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "execution depth 5 instructions: ");
    assert_contains(f->out, "execution depth 100 instructions: ");
    assert_contains(f->out, "\ncounter (0x");
    assert_contains(f->out, "power_cases.c:");
    assert_contains(f->out, "wrong value: counter at 0x");
    assert_null(strstr(f->out, "\nconstant (0x"));
    shell(f, "$H power $F --silent");
    assert_contains(f->out, "\nconstant (0x");
    assert_contains(f->out, "silent: the value stays the same");
}

static void a_report_for_programs(void **state)
{
    struct fixture *f = *state;
    bool found = false;
    size_t i;
    json_t *pair;

    shell(f, "$H power $F --json --evaluate");
    assert_code(f, 1);
    json_t *report = json_loads(f->out, 0, NULL);
    assert_non_null(report);
    assert_true(json_integer_value(json_object_get(report, "anomalies")) > 0);
    assert_int_equal(
        json_integer_value(json_object_get(json_array_get(json_object_get(report, "depths"), 0), "instructions")),
        5000);
    json_array_foreach(json_object_get(report, "pairs"), i, pair)
    {
        const char *variable = json_string_value(json_object_get(pair, "variable"));
        json_t *consumer = json_object_get(pair, "consumer");
        found |= !strcmp(variable, "counter") && json_is_integer(json_object_get(consumer, "line")) &&
                 !strcmp(json_string_value(json_object_get(consumer, "function")), "count");
    }
    assert_true(found);
    json_decref(report);
}

static void known_checkpoints(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --checkpoint checkpoint");
    assert_code(f, 1);
    assert_contains(f->out, "checkpoints: 3 (checkpoint)");
    assert_null(strstr(f->out, "\nguarded (0x"));
    assert_contains(f->out, "longest window: ");
    assert_contains(f->out, "<count_guarded+0x");
    assert_null(strstr(f->out, "it never ends"));
    shell(f, "$H power $F --checkpoint checkpoint --capacitor 0.01");
    assert_contains(f->out, "it never ends: a capacitor of 0.010 uF");
}

static void what_checkpoints_save(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --checkpoint checkpoint --saves globals,heap --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "lost state");
    assert_contains(f->out, "effect     crash");
    shell(f, "$H power $F --checkpoint checkpoint --saves all");
    assert_null(strstr(f->out, "lost state"));
    shell(f, "$H power $F --saves toaster");
    assert_code(f, 2);
    assert_contains(f->err, "--saves: 'toaster'");
}

static void strategies(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --place loop-latch");
    assert_contains(f->out, " (loop-latch); ");
    shell(f, "$H power $F --place function-return --json");
    assert_contains(f->out, "\"checkpoint\": \"function-return\"");
    shell(f, "$H power $F --place toaster");
    assert_code(f, 2);
}

static void inputs(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --checkpoint checkpoint --input copied_back:long-term --input overlapping:most-recent");
    assert_code(f, 1);
    assert_contains(f->out, "overlapping is expected to be most-recent and is not\n");
    assert_contains(f->out, ", after a checkpoint");
    shell(f, "$H power $F --input counter");
    assert_code(f, 2);
    assert_contains(f->err, "'counter': add :most-recent or :long-term");
    shell(f, "$H power $F --input nowhere:long-term");
    assert_code(f, 2);
    assert_contains(f->err, "there is no variable, function or register 'nowhere'");
}

static void outputs(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --checkpoint checkpoint --output copy:absolute --output recurse:absolute:set");
    assert_code(f, 1);
    assert_contains(f->out, "copy behaves as relative, which was not expected: called 1 time from ");
    assert_contains(f->out, "recurse behaves as absolute: called 1 time from ");
    shell(f, "$H power $F --output nowhere");
    assert_code(f, 2);
    shell(f, "$H power $F --output copy:toaster");
    assert_code(f, 2);
    assert_contains(f->err, "'toaster': expected absolute");
}

/* The result of a function, on its way through registers; and what it steers. */
static void measured_by_a_function(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/figure2.elf --checkpoint checkpoint --input measure:most-recent");
    assert_code(f, 1);
    assert_contains(f->out, "measure is expected to be most-recent and is not\n");
    assert_contains(f->out, "\n      read       0x");
    shell(f, "$H power apps/hard-steer.elf --checkpoint checkpoint --input measure --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "measure steers a branch, and is acquired again after a failure\n");
    assert_contains(f->out, "effect     wrong value: alarm at ");
    shell(f, "$H power apps/hard-steer.elf --checkpoint checkpoint --input measure --evaluate --json");
    assert_contains(f->out, "\"steerings\": [");
    shell(f, "$H power $F --checkpoint checkpoint --input ADC12MEM3 --input 0x200:long-term");
    assert_code(f, 1); /* anomalies of memory; nothing is measured */
    assert_null(strstr(f->out, "is expected"));
}

static void environments(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/figure5.elf --checkpoint checkpoint --output rotate:absolute --environment "
             "firmware/../power/servo_model.so");
    assert_code(f, 1);
    assert_contains(f->out, "rotate behaves as relative, which was not expected");
    assert_contains(f->out, "partial    done in part");
    write_text(f, "servo.txt", "# by so many degrees\nrotate  angle  add  relative\n");
    shell(f, "$H power apps/figure5.elf --checkpoint checkpoint --environment servo.txt");
    assert_code(f, 0);
    assert_contains(f->out, "rotate behaves as relative: called 1 time");
    write_text(f, "servo.txt", "rotate  angle  by\n");
    shell(f, "$H power apps/figure5.elf --environment servo.txt");
    assert_code(f, 3);
    assert_contains(f->err, "servo.txt: line 1: unknown model; expected");
    shell(f, "$H power apps/figure5.elf --environment nowhere.txt");
    assert_code(f, 3);
    shell(f, "$H power apps/figure5.elf --environment nowhere.so");
    assert_code(f, 3);
    write_text(f, "empty.c", "int nothing;\n");
    shell(f, "${CC:-clang-19} -shared -fPIC -o empty.so empty.c && $H power apps/figure5.elf --environment empty.so");
    assert_code(f, 3);
    assert_contains(f->err, "no hindcast_environment of version 1");
}

/* Figure 3's fix is a checkpoint that is no call; a suggestion names that place. */
static void activation_record_fixed(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/figure3.elf --checkpoint checkpoint --suggest");
    assert_code(f, 1);
    assert_contains(f->out, "the return address of f1");
    assert_contains(f->out, "figure3.c:22\n");
    shell(f, "$H power apps/figure3.elf --checkpoint checkpoint --checkpoint-at figure3.c:22");
    assert_code(f, 0);
    assert_contains(f->out, "0 anomalies");
}

static void torn_checkpoints(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/torn-single.elf --checkpoint checkpoint --restore restore --torn");
    assert_code(f, 1);
    assert_contains(f->out, "it can be torn\n");
    assert_contains(f->out, ": torn\n      effect     wrong value: history at ");
    shell(f, "$H power apps/torn-double.elf --checkpoint checkpoint --restore restore --torn");
    assert_code(f, 0);
    assert_contains(f->out, "it holds\n");
    shell(f, "$H power apps/torn-double.elf --checkpoint checkpoint --restore nowhere --torn");
    assert_code(f, 2);
    assert_contains(f->err, "there is no function 'nowhere'");
    shell(f, "$H power apps/torn-double.elf --torn");
    assert_code(f, 2);
    assert_contains(f->err, "--torn needs --checkpoint");
}

/* What no checkpoint saves of peripherals is as after a reset. */
static void peripherals(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power apps/hard-led.elf --checkpoint checkpoint --saves globals,stack,heap --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "lost state");
    shell(f, "$H power apps/hard-led.elf --checkpoint checkpoint --saves all --evaluate");
    assert_code(f, 0);
}

static void suggestions(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --checkpoint checkpoint --suggest");
    assert_code(f, 1);
    assert_contains(f->out, "leave nothing that a checkpoint could remove");
    /* as it says: with them nothing is found */
    shell(f, "$H power $F --checkpoint checkpoint $($H power $F --checkpoint checkpoint --suggest | "
             "sed -n 's/^  before *\\(0x[0-9a-f]*\\).*/--checkpoint-at \\1/p')");
    assert_code(f, 0);
    assert_contains(f->out, "0 anomalies");
}

/* Equation 4 gives cycles, and cycles they stay: a pair 2,501 instructions apart is within 3,400 cycles. */
static void depth_from_the_supply(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --capacitor 10 --v-trigger 2.00 --current 310");
    assert_contains(f->out, "execution depth 2471 cycles: ");
    shell(f, "$H power firmware/power_cheap.elf --capacitor 10 --v-trigger 2.0 --current 250");
    assert_code(f, 1);
    assert_contains(f->out, "execution depth 3400 cycles: ");
    assert_contains(f->out, "\nstate (0x");
    assert_contains(f->out, "distance   2501 instructions, 25");
    shell(f, "$H power firmware/power_cheap.elf --ed 1000,3400cycles --json");
    assert_contains(f->out, "\"cycles\": 1000,");
    assert_contains(f->out, "\"cycles\": 3400,");
    shell(f, "$H power firmware/power_cheap.elf --ed 2400cycles");
    assert_null(strstr(f->out, "\nstate (0x"));
    shell(f, "$H power firmware/power_cheap.elf --ed 3400cycle");
    assert_code(f, 2);
}

/* The nearest occurrence is harmless, fourteen of the thirty are not. */
static void each_occurrence(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power firmware/power_occurrences.elf --evaluate --html page.html");
    assert_code(f, 1);
    assert_contains(f->out, "30 of 30: 14 wrong value, 16 harmless\n");
    assert_contains(f->out, "effect     wrong value: sum at 0x");
    shell(f, "$H power firmware/power_occurrences.elf --evaluate --effort 1 --json");
    assert_code(f, 1); /* one was tried, and is no proof */
    assert_contains(f->out, "\"complete\": false");
    assert_contains(f->out, "\"worst\": false");
    shell(f, "$H power firmware/power_occurrences.elf --evaluate --json");
    assert_contains(f->out, "\"worst\": true");
    shell(f, "$H power firmware/power_occurrences.elf --evaluate --effort x");
    assert_code(f, 2);
}

/* It sleeps, and nothing wakes it: the brute force comes to its end all the same. */
static void brute_force_of_a_sleeper(void **state)
{
    struct fixture *f = *state;

    shell(f, "timeout 60 $H power firmware/power_sleeps.elf --brute-force --ed 10");
    assert_code(f, 1);
    assert_contains(f->err, "brute force: 3 checkpoints");
}

/* The run on a harvester comes to another end than the continuous one, and says so. */
static void a_harvested_total(void **state)
{
    struct fixture *f = *state;

    write_text(f, "weak.csv", "0,60\n");
    shell(f, "$H power firmware/power_total.elf --harvest weak.csv --capacitor 2");
    assert_code(f, 0);
    assert_contains(f->out, "it ends as the continuous run does");
    shell(f, "$H power firmware/power_total.elf --harvest weak.csv --capacitor 0.3 --seconds 0.1 --json");
    assert_code(f, 1);
    json_t *report = json_loads(f->out, 0, NULL);
    assert_non_null(report);
    assert_true(json_is_true(json_object_get(report, "found")));
    assert_true(json_array_size(json_object_get(report, "events")) > 0);
    json_decref(report);
    write_text(f, "bursts.csv", "0,2000\n0.0015,0\n0.1,2000\n");
    shell(f, "$H power firmware/power_total.elf --harvest bursts.csv --capacitor 0.3 --seconds 60");
    assert_code(f, 1);
    assert_contains(f->out, "it ends differently from the continuous run: wrong value: total at 0x");
    shell(f, "$H power firmware/power_total.elf --harvest bursts.csv --capacitor 0.3 --seconds 60 --exclude total");
    assert_code(f, 0);
}

/* What only the program's own checkpoint and restore routines use may differ at the end; all else may not. */
static void a_harvested_run_with_checkpoints(void **state)
{
    struct fixture *f = *state;

    write_text(f, "scarce.csv", "0,10\n");
    shell(f, "$H power firmware/power_boots.elf --harvest scarce.csv --capacitor 0.18 --seconds 5 "
             "--checkpoint checkpoint --restore boot");
    assert_code(f, 0);
    assert_null(strstr(f->out, ": 1 power cycle,"));
    assert_contains(f->out, "it ends as the continuous run does");
    shell(f, "$H power firmware/power_boots.elf --harvest scarce.csv --capacitor 0.18 --seconds 5");
    assert_code(f, 1);
    assert_contains(f->out, "wrong value: starts at 0x");
    shell(f, "$H power firmware/power_notices.elf --harvest scarce.csv --capacitor 0.15 --seconds 5 "
             "--checkpoint checkpoint --restore restore");
    assert_code(f, 1);
    assert_contains(f->out, "wrong value: repeated at 0x");
}

/* The supply's last moment is the program's: no more than an instruction later. */
static void a_harvested_end(void **state)
{
    struct fixture *f = *state;

    write_text(f, "trace.csv", "0,1000\n");
    shell(f, "$H power firmware/power_total.elf --harvest trace.csv --capacitor 10 --json");
    json_t *report = json_loads(f->out, 0, NULL);
    long long instructions = json_integer_value(json_object_get(report, "instructions"));
    long long on_ns = json_integer_value(json_object_get(report, "on_nanoseconds"));
    json_decref(report);
    shell(f, "$H power firmware/power_total.elf --json");
    report = json_loads(f->out, 0, NULL);
    long long cycles = json_integer_value(json_object_get(report, "cycles"));
    json_decref(report);
    assert_true(instructions > 0);
    assert_in_range(on_ns, cycles * 1000, (cycles + 200) * 1000); /* the start-up code, at 1 MHz */
}

static void programs_in_sram(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint");
    assert_code(f, 3);
    assert_contains(f->err, "unless --input, --output or --saves");
    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint --saves none --evaluate");
    assert_code(f, 1);
    assert_contains(f->out, "\nkept (0x");
    assert_contains(f->out, "P1DIR = BIT0;");
    assert_contains(f->out, "P1OUT = BIT0;");
    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint --input measure:most-recent");
    assert_code(f, 1);
    assert_contains(f->out, "read       0x");
    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint --output report:absolute");
    assert_code(f, 1);
    assert_contains(f->out, "report behaves as relative");
}

static void values_of_inputs(void **state)
{
    struct fixture *f = *state;
    static const struct shell_case cases[] = {
        { "power firmware/power_sram.elf --checkpoint checkpoint --input-values measure=1", 2, "",
          "not a function named by" },
        { "power firmware/power_sram.elf --input measure --input-values measure", 2, "", "NAME=VALUES" },
        { "power firmware/power_sram.elf --input measure --input-values measure=1,x", 2, "", "'x': expected a number" },
        { "power firmware/power_sram.elf --input measure --input-values measure=ramp:1", 2, "", "expected a list of" },
        { "power firmware/power_sram.elf --input measure --input-values measure=@nowhere", 3, "", "No such file" },
    };

    shell_try(f, cases, sizeof cases / sizeof *cases);
    write_text(f, "table.txt", "# measured in May\n40 41,\n42\n");
    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint --saves peripherals,stack,heap --evaluate "
             "--input measure --input-values measure=@table.txt");
    assert_contains(f->out, "instead of 0x0029"); /* 1 + 40, the first of the table */
    shell(f, "$H power firmware/power_sram.elf --checkpoint checkpoint --saves peripherals,stack,heap --evaluate "
             "--input measure --input-values measure=ramp:99:-3");
    assert_contains(f->out, "instead of 0x0064");
    shell(f, "$H power firmware/power_measure.elf --checkpoint checkpoint --evaluate --input measure "
             "--input-values measure=ramp:10:1");
    assert_code(f, 0); /* a measurement that is made again has its value again */
    assert_contains(f->out, "tried      4 of 4: 4 harmless");
}

/* What restore() writes is the application's if the application uses it. */
static void versioned_variables(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power firmware/power_versioned.elf --checkpoint checkpoint --versioned total");
    assert_null(strstr(f->out, "\ntotal (0x"));
    shell(f, "$H power firmware/power_versioned.elf --checkpoint checkpoint");
    assert_contains(f->out, "\ntotal (0x");
    shell(f, "$H power firmware/power_versioned.elf --checkpoint checkpoint --versioned nothing");
    assert_code(f, 2);
    assert_contains(f->err, "--versioned: 'nothing': not a variable");
    shell(f, "$H power firmware/power_versioned.elf --checkpoint checkpoint --exclude total,nothing");
    assert_code(f, 2);
}

static void an_intermittent_run(void **state)
{
    struct fixture *f = *state;

    write_text(f, "trace.csv", "time,current\n0,100\n0.2,20\n");
    shell(f, "$H power $F --harvest trace.csv --capacitor 1 --v-trigger 2.0");
    assert_code(f, 0); /* it needs no millisecond */
    assert_contains(f->out, " on ");
    assert_contains(f->out, "main returned after");
    shell(f, "$H power $F --harvest trace.csv --capacitor 0.001 --seconds 0.001");
    assert_code(f, 1);
    assert_contains(f->out, " off ");
    assert_contains(f->out, "not finished after");
    write_text(f, "bad.csv", "0,1\n0,2\n");
    shell(f, "$H power $F --harvest bad.csv --capacitor 1");
    assert_code(f, 3);
    assert_contains(f->err, "bad.csv: line 2: not later");
    shell(f, "$H power $F --harvest nowhere.csv --capacitor 1");
    assert_code(f, 3);
    shell(f, "$H power $F --harvest trace.csv");
    assert_code(f, 2);
}

/* The board itself, by hindcast run. */
static void the_board(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H run --board fr5969 firmware/fr5969.elf --seconds 0.2 --stats");
    assert_code(f, 0);
    assert_contains(f->out, "boot 1\n");
    assert_contains(f->err, "LPM3");
    shell(f, "$H run --board fr5969 firmware/fr5969.elf --seconds 0.2 --json");
    assert_contains(f->out, "\"part\": \"msp430fr5969\"");
    assert_contains(f->out, "\"uart\": \"boot 1\\n\"");
    shell(f, "$H run --board fr5969 firmware/fr5969.elf --flash x");
    assert_code(f, 2);
}

/* One variable alone, and a section: the others are as if a checkpoint saved them. */
static void chosen_memory(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --nvm counter");
    assert_code(f, 1);
    assert_contains(f->out, "\ncounter (0x");
    assert_null(strstr(f->out, "\ncopied_back (0x"));
    shell(f, "$H power $F --nvm overlapping,copied_back");
    assert_contains(f->out, "\noverlapping (0x");
    assert_contains(f->out, "\ncopied_back (0x");
    assert_null(strstr(f->out, "\ncounter (0x"));
    shell(f, "$H power $F --nvm .data");
    assert_contains(f->out, "\ncounter (0x");
    shell(f, "$H power $F --nvm stack,heap,counter");
    assert_contains(f->out, "\ncounter (0x");
    assert_null(strstr(f->out, "\ncopied_back (0x"));
}

static void nothing_non_volatile(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power $F --nvm heap");
    assert_code(f, 3);
    assert_contains(f->err, "writes nothing to non-volatile memory");
}

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(usage, &f),
        cmocka_unit_test_prestate(a_report_for_people, &f),
        cmocka_unit_test_prestate(a_report_for_programs, &f),
        cmocka_unit_test_prestate(known_checkpoints, &f),
        cmocka_unit_test_prestate(suggestions, &f),
        cmocka_unit_test_prestate(strategies, &f),
        cmocka_unit_test_prestate(inputs, &f),
        cmocka_unit_test_prestate(outputs, &f),
        cmocka_unit_test_prestate(what_checkpoints_save, &f),
        cmocka_unit_test_prestate(measured_by_a_function, &f),
        cmocka_unit_test_prestate(environments, &f),
        cmocka_unit_test_prestate(torn_checkpoints, &f),
        cmocka_unit_test_prestate(activation_record_fixed, &f),
        cmocka_unit_test_prestate(peripherals, &f),
        cmocka_unit_test_prestate(depth_from_the_supply, &f),
        cmocka_unit_test_prestate(an_intermittent_run, &f),
        cmocka_unit_test_prestate(each_occurrence, &f),
        cmocka_unit_test_prestate(a_harvested_total, &f),
        cmocka_unit_test_prestate(a_harvested_run_with_checkpoints, &f),
        cmocka_unit_test_prestate(a_harvested_end, &f),
        cmocka_unit_test_prestate(programs_in_sram, &f),
        cmocka_unit_test_prestate(values_of_inputs, &f),
        cmocka_unit_test_prestate(versioned_variables, &f),
        cmocka_unit_test_prestate(brute_force_of_a_sleeper, &f),
        cmocka_unit_test_prestate(the_board, &f),
        cmocka_unit_test_prestate(chosen_memory, &f),
        cmocka_unit_test_prestate(nothing_non_volatile, &f),
    };

    if (argc != 4 || !shell_begin(&f, argv[1], argv[2]))
        return 2;
    char *directory = realpath(argv[3], NULL);
    shell(&f, "ln -s %s firmware", directory ? directory : "");
    shell(&f, "ln -s %s/../../firmware apps", directory ? directory : "");
    free(directory);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
