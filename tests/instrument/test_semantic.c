/* Programs, plain and instrumented, on the machine: the same results, at each level of optimisation. semantic.c has
 * what the rewriting is made of; the others have random expressions, in which a bit too few in a mask shows. */
#include "machine/time.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RESULTS = 400 };

static uint16_t run(const char *program, const char *mode, const char *level, uint16_t *results)
{
    struct harness h = { 0 };
    char path[512];
    snprintf(path, sizeof path, "%s/%s-%s-%s.elf", SEMANTIC_FOLDER, program, mode, level);
    harness_start(&h, path);
    harness_finish(&h, 20 * HC_SECOND);
    for (int i = 0; i < RESULTS; i++)
        results[i] = harness_get(&h, "result", i);
    uint16_t count = harness_get(&h, "count", 0);
    if (!strcmp(mode, "instrumented")) {
        assert_true(harness_get(&h, "reads_made", 0) > 100);
        assert_true(harness_get(&h, "ticks_made", 0) > 50);
    }
    harness_stop(&h);
    return count;
}

static void compare(const char *program, const char *level)
{
    uint16_t plain[RESULTS], instrumented[RESULTS];
    uint16_t count = run(program, "plain", level, plain);
    assert_true(count > 100 && count < RESULTS);
    assert_int_equal(run(program, "instrumented", level, instrumented), count);
    for (int i = 0; i < count; i++)
        if (plain[i] != instrumented[i])
            fail_msg("%s %s: result %d is 0x%04x plain, 0x%04x instrumented", program, level, i, plain[i],
                     instrumented[i]);
}

static void test_small(void **state)
{
    (void)state;
    compare("semantic", "Os");
}

static void test_fast(void **state)
{
    (void)state;
    compare("semantic", "O2");
}

static void test_plain_code(void **state)
{
    (void)state;
    compare("semantic", "O0");
}

static void test_random(void **state)
{
    (void)state;
    compare("random1", "Os");
    compare("random2", "Os");
    compare("random3", "O0");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_small), cmocka_unit_test(test_fast),
                                        cmocka_unit_test(test_plain_code), cmocka_unit_test(test_random) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
