/* The recorder in C on the host: random programs, and power that fails at random bytes. See life.h. */
#include "config.h"
#include "runtime/life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t seed;

static uint32_t draw(void)
{
    seed = seed * 1664525 + 1013904223;
    return seed >> 8;
}

enum { BYTES = 6000, LIVES = 1200, LIVES_AS_NODES = 300 };

/* That updates leave in the ring: what nodes leave, and then all sizes. */
static uint16_t batch_of(long life)
{
    return life < LIVES_AS_NODES ? HC_BATCH : (uint16_t)(life * 2 % 200);
}

static void live(uint32_t number, uint16_t batch, long cut_at, struct life_report *report)
{
    static uint8_t bytes[BYTES];
    seed = number * 77777 + 1;
    uint8_t rare = draw() % 3 ? 0 : 0xff; /* resets and the like */
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)draw();
        if ((bytes[i] & 15) == 15 && draw() % 16 > (rare & 8))
            bytes[i] = (uint8_t)(bytes[i] - draw() % 4);
    }
    life_run(bytes, 500 + draw() % (BYTES - 500), batch, cut_at, report);
}

static void print(const char *what, const struct life_report *r)
{
    print_message("%s: %zu events (%zu lost), %zu decoded, %zu segments, %zu whole, %zu states, %zu resets, %zu cuts, "
                  "%zu rescued; %zu resets found pages on the shelf\n",
                  what, r->events, r->lost, r->decoded, r->segments, r->whole, r->states, r->resets, r->cuts,
                  r->rescued, r->shelved);
}

static void test_lives(void **unused)
{
    (void)unused;
    struct life_report report = { 0 };
    const char *one = getenv("HC_TEST_ONE"), *many = getenv("HC_TEST_MANY");
    long first = one ? atol(one) : 0, end = one ? first + 1 : many ? atol(many) : LIVES;
    for (long i = first; i < end; i++) {
        if (one || many) {
            printf("%ld\n", i);
            fflush(stdout);
        }
        live((uint32_t)i, batch_of(i), -1, &report);
    }
    print("lives", &report);
    assert_true(report.decoded > report.events / 20 && report.whole > 100 && report.states > 500);
    assert_true(report.shelved > 5);
}

static void test_cuts(void **unused)
{
    (void)unused;
    struct life_report report = { 0 };
    for (uint32_t i = 0; i < 300; i++)
        live(i, HC_BATCH, (long)(i * 131 % 20000), &report);
    print("cuts", &report);
    assert_true(report.cuts > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives),
        cmocka_unit_test(test_cuts),
    };
    return cmocka_run_group_tests_name("host_recorder", tests, NULL, NULL);
}
