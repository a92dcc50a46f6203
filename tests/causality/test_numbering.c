/* Numbers of messages: node and desk agree; eight in a row tell the counter; first and last find what a search finds.
 */
#include "causality/numbering.h"

#include "../../runtime/message_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct hc_numbering *const numbering = &hc_numbering_recorder;

static void test_node_and_desk_agree(void **state)
{
    (void)state;
    for (uint32_t counter = 0; counter < 1u << HC_NUMBER_COUNTER_BITS; counter += 7) {
        uint8_t n = counter & HC_NUMBER_LOW;
        uint16_t gray = hc_number_gray((uint16_t)(counter >> HC_NUMBER_LOW_BITS));
        assert_int_equal(hc_numbering_number(numbering, counter), hc_number(gray, n));
    }
}

/* The epoch from the digits of eight messages of one epoch, by the definition of a Gray code: bit i of the number is
 * the sum of the code's bits from i on. */
static uint32_t epoch_from(uint32_t first)
{
    uint32_t gray = 0, epoch = 0;

    for (uint32_t i = 0; i < HC_NUMBER_DIGITS; i++) {
        uint32_t number = hc_numbering_number(numbering, first + i);
        gray |= (number >> HC_NUMBER_LOW_BITS) << 2 * ((number & HC_NUMBER_LOW) % HC_NUMBER_DIGITS);
    }
    for (int bit = 15; bit >= 0; bit--)
        epoch |= ((gray >> bit ^ epoch >> (bit + 1)) & 1) << bit;
    return epoch;
}

static void test_eight_tell_the_epoch(void **state)
{
    (void)state;
    for (uint32_t epoch = 0; epoch < 65536; epoch++)
        for (uint32_t n = 0; n <= HC_NUMBER_LOW + 1 - HC_NUMBER_DIGITS; n += 19)
            assert_int_equal(epoch_from(epoch << HC_NUMBER_LOW_BITS | n), epoch);
}

static void check_searches(const struct hc_numbering *n, uint32_t number, uint32_t from, uint32_t end)
{
    uint32_t first = end, last = end;

    for (uint32_t at = from; at < end; at++)
        if (hc_numbering_number(n, at) == number) {
            first = first == end ? at : first;
            last = at;
        }
    assert_int_equal(hc_numbering_first(n, number, from, end), first);
    assert_int_equal(hc_numbering_last(n, number, from, end), last);
}

static void test_searches(void **state)
{
    static const struct hc_numbering small[] = { { 1, 1, 1 }, { 2, 1, 3 }, { 2, 2, 2 }, { 3, 0, 0 } };

    (void)state;
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++)
        for (uint32_t from = 0; from < 40; from += 3)
            for (uint32_t end = from; end < from + 70; end += 5)
                for (uint32_t number = 0; number < 16; number++)
                    check_searches(&small[i], number, from, end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_node_and_desk_agree),
        cmocka_unit_test(test_eight_tell_the_epoch),
        cmocka_unit_test(test_searches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
