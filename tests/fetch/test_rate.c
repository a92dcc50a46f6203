/* Bytes between ends of different rates. */
#include "fetch/rate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The receiver's last look is in the middle of the stop bit, 9.5 bits from the edge: at rates that are off by less than
 * half a bit in ten, which is 5 %, it still looks at the right bits. */
static void close_rates_are_one(void **state)
{
    static const unsigned near[] = { 115200, 110000, 120500, 115307, 113000 };

    (void)state;
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        for (int byte = 0; byte < 256; byte++) {
            struct hc_rate_heard heard = hc_rate_hear((uint8_t)byte, 115200, near[i]);
            assert_int_equal(heard.count, 1);
            assert_int_equal(heard.character[0].byte, byte);
            assert_false(heard.character[0].bad_stop);
        }
}

/* By hand: what a receiver sees of 's start, 7 6 5 ... 0 sent low bit first, stop'. */
static void other_rates_garble(void **state)
{
    static const struct {
        unsigned from, to;
        uint8_t byte;
        int count;
        uint8_t first;
        bool bad_stop;
    } rows[] = {
        /* 'U' is 0101010101 on the line; at twice the rate 00 11 00 11 00 | 11..., so start 0, then 0 11 00 11 0, stop
           0 */
        { 57600, 115200, 'U', 2, 0x66, true },
        /* at half the rate the middle of a bit is the edge between two: it sees the later one */
        { 115200, 57600, 0xff, 0, 0, false }, /* a start bit that is too short is none */
        { 115200, 57600, 0x00, 1, 0xf8, false },
        { 57600, 115200, 0xff, 1, 0xfe, false }, /* the start bit is start bit and first bit */
        { 57600, 115200, 0x00, 1, 0x00, true },  /* and then no edge any more */
        { 115200, 9600, 0x00, 1, 0xff, false },  /* 9 bits low are less than one, more than half a bit */
        { 115200, 9600, 0x80, 1, 0xff, false },
        { 115200, 9600, 0xf0, 0, 0, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hc_rate_heard heard = hc_rate_hear(rows[i].byte, rows[i].from, rows[i].to);
        if (heard.count != rows[i].count)
            fail_msg("row %zu: %d characters", i, heard.count);
        if (rows[i].count) {
            assert_int_equal(heard.character[0].byte, rows[i].first);
            assert_int_equal(heard.character[0].bad_stop, rows[i].bad_stop);
        }
    }
}

static void names(void **state)
{
    speed_t speed;

    (void)state;
    assert_true(hc_rate_to_speed(57600, &speed));
    assert_true(speed == B57600);
    assert_int_equal(hc_rate_of_speed(B9600), 9600);
    assert_false(hc_rate_to_speed(57601, &speed));
    assert_int_equal(hc_rate_of_speed(B50), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_rates_are_one),
        cmocka_unit_test(other_rates_garble),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
