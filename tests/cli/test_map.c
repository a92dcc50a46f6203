/* hindcast map and hindcast regs, as users type them. */
#include "shell.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static void map_tells_all(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H map $F");
    assert_code(f, 0);
    assert_contains(f->out, "msp430f1611 version=1 ring=256 (uses DMA)");
    assert_contains(f->out, "Recorded: 4 reads (2 state, 1 timer, 1 data, 0 vector)");
    assert_contains(f->out, "1  P1IN         state  0x0010  button.c:42  pressed");
    assert_contains(f->out, "(pointer)");
    assert_contains(f->out, " deterministic: 1\n");
    assert_contains(f->out, "cycle     _start");
    assert_contains(f->out, "sites 16, recorder 6;");
}

static void map_has_json(void **state)
{
    struct fixture *f = *state;
    json_error_t error;

    shell(f, "$H map --json $F");
    assert_code(f, 0);
    json_t *map = json_loads(f->out, 0, &error);
    assert_non_null(map);
    assert_int_equal(json_array_size(json_object_get(map, "sites")), 4);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(map, "totals"), "sites")), 16);
    assert_string_equal(json_string_value(json_object_get(json_object_get(map, "runtime"), "ring")), "256");
    json_decref(map);
}

static void map_refuses(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H map");
    assert_code(f, 2);
    shell(f, "$H map nothing.elf");
    assert_code(f, 3);
    assert_contains(f->err, "nothing.elf: No such file");
    write_text(f, "plain.txt", "@4000\n30 41\nq\n");
    shell(f, "$H map plain.txt");
    assert_code(f, 3);
    assert_contains(f->err, "plain.txt: is not instrumented");
}

static void regs_shows_parts(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H regs msp430f1611");
    assert_code(f, 0);
    assert_contains(f->out, "0x0120  WDTCTL       -       0000  00f7  6900\n");
    assert_contains(f->out, "msp430f1611: 158 registers");
    shell(f, "$H regs msp430f0000");
    assert_code(f, 3);
    assert_contains(f->err, "there is no description of part 'msp430f0000'");
    write_text(f, "bad.regs", "part x\nperipherals 0 0x1ff\nbyte A 0x400 keep=1\n");
    shell(f, "$H regs ./bad.regs");
    assert_code(f, 3);
    assert_contains(f->err, "./bad.regs:3: A lies beyond the peripheral space");
}

static void regs_makes_skeletons(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H regs --from-header msp430f149 > f149.regs && $H regs f149.regs");
    assert_code(f, 0);
    assert_contains(f->out, "msp430f149: 133 registers");
    shell(f, "$H regs --from-header msp430f149 --support nowhere");
    assert_code(f, 3);
    assert_contains(f->err, "nowhere/include/msp430f149.h: No such file");
}

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(map_tells_all, &f),        cmocka_unit_test_prestate(map_has_json, &f),
        cmocka_unit_test_prestate(map_refuses, &f),          cmocka_unit_test_prestate(regs_shows_parts, &f),
        cmocka_unit_test_prestate(regs_makes_skeletons, &f),
    };

    if (argc != 3 || !shell_begin(&f, argv[1], argv[2])) {
        fprintf(stderr, "usage: test_map HINDCAST INSTRUMENTED.elf\n");
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
