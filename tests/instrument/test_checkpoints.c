/* A program with calls of a checkpoint function placed by hindcast cc, on the machine: a checkpoint for each turn, or
 * for each return, and the same results as without. By both compilers, if there are two. */
#include "machine/time.h"
#include "support/harness.h"
#include "support/skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { PARTS = 8, VALUE = 0, PASSED, TURNS, RETURNS, FIELDS };

static bool run(const char *placement, uint16_t part[PARTS][FIELDS])
{
    struct harness h = { 0 };
    char path[512];

    snprintf(path, sizeof path, "%s/checkpoints-%s.elf", CHECKPOINTS_FOLDER, placement);
    if (access(path, R_OK))
        return false;
    harness_start(&h, path);
    harness_finish(&h, 5 * HC_SECOND);
    assert_int_equal(harness_get(&h, "count", 0), PARTS * FIELDS);
    for (int i = 0; i < PARTS * FIELDS; i++)
        part[i / FIELDS][i % FIELDS] = harness_get(&h, "result", i);
    harness_stop(&h);
    return true;
}

static void compare(const char *placement, int counted)
{
    uint16_t plain[PARTS][FIELDS], placed[PARTS][FIELDS];

    assert_true(run("plain", plain));
    if (!run(placement, placed))
        SKIP_BECAUSE("msp430-elf-gcc is not installed (tools/build-msp430-elf-gcc builds it)");
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(plain[i][PASSED], 0);
        assert_int_equal(placed[i][VALUE], plain[i][VALUE]);
        assert_int_equal(placed[i][TURNS], plain[i][TURNS]);
        assert_int_equal(placed[i][RETURNS], plain[i][RETURNS]);
        if (placed[i][PASSED] != placed[i][counted])
            fail_msg("%s, part %d: %d checkpoints, should be %d", placement, i, placed[i][PASSED], placed[i][counted]);
    }
}

static void test_latches(void **state)
{
    (void)state;
    compare("loop-latch", TURNS);
}

static void test_returns(void **state)
{
    (void)state;
    compare("function-return", RETURNS);
}

static void test_latches_gcc(void **state)
{
    (void)state;
    compare("loop-latch-gcc", TURNS);
}

static void test_returns_gcc(void **state)
{
    (void)state;
    compare("function-return-gcc", RETURNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_latches), cmocka_unit_test(test_returns),
                                        cmocka_unit_test(test_latches_gcc), cmocka_unit_test(test_returns_gcc) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
