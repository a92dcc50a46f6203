/* The firmware kit on the emulated TelosB: start-up code and arithmetic, against what a host computes. */
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const uint16_t a = 54321, b = 123;
static const int16_t sa = -12345, sb = 67;
static const uint32_t la = 3141592653u, lb = 271828;
static const int32_t lsa = -1618033988, lsb = 5772;
static const uint64_t qa = 14142135623730950488u, qb = 1732050807;
static const int64_t qsa = -2236067977499789696, qsb = 2645751311;

static uint64_t get64(const struct harness *h, int index)
{
    uint64_t value = 0;
    for (int i = 3; i >= 0; i--)
        value = value << 16 | harness_get(h, "result", index + i);
    return value;
}

static uint32_t get32(const struct harness *h, int index)
{
    return harness_get(h, "result", index) | (uint32_t)harness_get(h, "result", index + 1) << 16;
}

static void computes_what_a_host_computes(void **state)
{
    struct harness h;
    (void)state;
    harness_start(&h, "kit");
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "result", 0), 0x1234);
    assert_int_equal(harness_get(&h, "result", 1), 0);
    assert_int_equal(harness_get(&h, "result", 2), (uint16_t)(a * b));
    assert_int_equal(harness_get(&h, "result", 3), a / b);
    assert_int_equal(harness_get(&h, "result", 4), a % b);
    assert_int_equal(harness_get(&h, "result", 5), (uint16_t)(sa / sb));
    assert_int_equal(harness_get(&h, "result", 6), (uint16_t)(sa % sb));
    assert_int_equal(harness_get(&h, "result", 7), (uint16_t)(a << 5));
    assert_int_equal(get32(&h, 8), la * lb);
    assert_int_equal(get32(&h, 10), la / lb);
    assert_int_equal(get32(&h, 12), la % lb);
    assert_int_equal(get32(&h, 14), (uint32_t)(lsa / lsb));
    assert_int_equal(get32(&h, 16), (uint32_t)(lsa % lsb));
    assert_int_equal(get32(&h, 18), la << 5);
    assert_int_equal(get32(&h, 20), (uint32_t)(lsa >> 5));
    assert_true(get64(&h, 22) == qa * qb);
    assert_true(get64(&h, 26) == qa / qb);
    assert_true(get64(&h, 30) == qa % qb);
    assert_true(get64(&h, 34) == (uint64_t)(qsa / qsb));
    assert_int_equal(harness_get(&h, "result", 38), (uint16_t)(qsa % qsb));
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_what_a_host_computes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
