/* semantic.c, plain and instrumented, on the machine: the same results, at each level of optimisation. */
#include "machine/board/telosb.h"
#include "machine/time.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RESULTS = 400 };

static uint16_t run(const char *mode, const char *level, uint16_t *results, bool instrumented)
{
    struct harness h = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%s.elf", SEMANTIC_FOLDER, mode, level);
    harness_start(&h, path);
    harness_finish(&h, 2 * HC_SECOND);
    for (int i = 0; i < RESULTS; i++)
        results[i] = harness_get(&h, "result", i);
    uint16_t count = harness_get(&h, "count", 0);
    if (instrumented) {
        assert_true(harness_get(&h, "reads_made", 0) > 100);
        assert_true(harness_get(&h, "ticks_made", 0) > 50);
    }
    harness_stop(&h);
    return count;
}

static void compare(const char *level)
{
    uint16_t plain[RESULTS], instrumented[RESULTS];
    uint16_t count = run("plain", level, plain, false);
    assert_true(count > 100 && count < RESULTS);
    assert_int_equal(run("instrumented", level, instrumented, true), count);
    for (int i = 0; i < count; i++)
        if (plain[i] != instrumented[i])
            fail_msg("%s: result %d is 0x%04x plain, 0x%04x instrumented", level, i, plain[i], instrumented[i]);
}

static void test_small(void **state)
{
    (void)state;
    compare("Os");
}

static void test_fast(void **state)
{
    (void)state;
    compare("O2");
}

static void test_plain_code(void **state)
{
    (void)state;
    compare("O0");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_small), cmocka_unit_test(test_fast),
                                        cmocka_unit_test(test_plain_code) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
