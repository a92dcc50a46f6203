/* What the samples of the paper's tool do (firmware/power/samples), in SRAM and in FRAM: its warnings, and no others.
 * What is expected follows from the paper's definitions, section by section. test_power_samples HINDCAST
 * APPLICATIONS_DIRECTORY */
#include "shell.h"

#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* 3.1.1: only what keeps its value can be met by its own future. 3.2: what comes of it. */
static void memory(void **state)
{
    static const struct shell_case cases[] = {
        { "power sample-memory-fram.elf --checkpoint checkpoint --evaluate", 1, "\nsteps (0x", "" },
        { "power sample-memory-fram.elf --checkpoint checkpoint --evaluate", 1, "; 1 anomaly\n", "" },
        { "power sample-memory-fram.elf --checkpoint checkpoint --evaluate", 1, "tried      9 of 9: 9 wrong value",
          "" },
        { "power sample-memory-sram.elf --checkpoint checkpoint", 3, "", "writes nothing to non-volatile memory" },
        { "power sample-memory-sram.elf --checkpoint checkpoint --saves stack", 1, "lost state", "" },
    };
    shell_try(*state, cases, COUNT(cases));
}

/* 4.1: most-recent is what is used in the power cycle in which it was acquired. */
static void input(void **state)
{
    struct fixture *f = *state;

    for (int fram = 0; fram < 2; fram++) {
        const char *where = fram ? "fram" : "sram";
        shell(f, "$H power sample-input-%s.elf --checkpoint checkpoint --input measure:most-recent", where);
        assert_code(f, 1);
        assert_contains(f->out, "measure is expected to be most-recent and is not\n      acquired   0x");
        assert_contains(f->out, "input.c:19, 5 times, after a checkpoint");
        assert_contains(f->out, "input.c:20, 5 times, after a checkpoint");
        shell(f, "$H power sample-input-%s.elf --checkpoint checkpoint --input measure:long-term", where);
        assert_null(strstr(f->out, "is expected to be"));
        assert_code(f, fram ? 1 : 0);
        assert_int_equal(strstr(f->out, "\nsum (0x") != NULL, fram);
        assert_null(strstr(f->out, "\nvalue (0x")); /* the same value again: silent */
    }
}

/* Each as its place says, whatever the others are. */
static void inputs(void **state)
{
    static const char *const old[] = { "first", "second" }, *const recent[] = { "third", "fourth" };
    struct fixture *f = *state;

    for (int i = 0; i < 4; i++) {
        const char *where = i % 2 ? "fram" : "sram";
        shell(f, "$H power sample-inputs-%s.elf --checkpoint checkpoint --input %s:most-recent", where, old[i / 2]);
        assert_contains(f->out, "is expected to be most-recent and is not");
        shell(f, "$H power sample-inputs-%s.elf --checkpoint checkpoint --input %s:long-term", where, old[i / 2]);
        assert_null(strstr(f->out, "is expected to be"));
        shell(f, "$H power sample-inputs-%s.elf --checkpoint checkpoint --input %s:long-term", where, recent[i / 2]);
        assert_contains(f->out, "is expected to be long-term and is not");
    }
}

/* 4.2: setting the same again is absolute, adding is relative; and with the sum in FRAM what is shown is another sum.
 */
static void output(void **state)
{
    static const struct shell_case cases[] = {
        { "power sample-output-sram.elf --checkpoint checkpoint --output mark:absolute:set --output show:absolute:set",
          0, "; 0 anomalies", "" },
        { "power sample-output-sram.elf --checkpoint checkpoint --output mark:absolute:add", 1,
          "mark behaves as relative, which was not expected", "" },
        { "power sample-output-sram.elf --checkpoint checkpoint --output mark:relative:add", 0, "; 0 anomalies", "" },
        { "power sample-output-fram.elf --checkpoint checkpoint --output show:absolute:set --evaluate", 1,
          "wrong output: show(", "" },
        { "power sample-output-fram.elf --checkpoint checkpoint --output mark:absolute:set --evaluate", 1, "\nsum (0x",
          "" },
    };
    shell_try(*state, cases, COUNT(cases));
}

/* `word` is of a block of expand_key, and shares its slots of the stack with `back` of main. */
static void shared_slots(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H power aes-stack.elf --json | grep '\"part\"' | sort -u");
    assert_contains(f->out, "word[0] in expand_key");
    assert_null(strstr(f->out, "back["));
}

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(memory, &f),       cmocka_unit_test_prestate(input, &f),
        cmocka_unit_test_prestate(inputs, &f),       cmocka_unit_test_prestate(output, &f),
        cmocka_unit_test_prestate(shared_slots, &f),
    };

    if (argc != 3 || !shell_begin(&f, argv[1], argv[2]))
        return 2;
    shell(&f, "ln -s $F/sample-*.elf $F/aes-stack.elf .");
    int failed = cmocka_run_group_tests_name("power_samples", tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
