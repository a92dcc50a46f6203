/* Frames out of a line on which bytes are lost, doubled and changed; requests; and the CRC. */
#include "fetch/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t blank[] = { 0x01, 'B', 0x01, 0x20, 0x00, 0x10, 0x00, 0x71, 0x2c };
static const uint8_t data[] = { 0x01, 'D', 0x00, 0x00, 0x01, 0x00, 0x03, 'a', 0x01, 'D', 0x92, 0x12 };

/* The catalogue's check value of this CRC (CRC-16/IBM-3740), and lines whose CRCs Python's binascii.crc_hqx made. */
static void crc_is_the_known_one(void **state)
{
    static const struct {
        char verb;
        uint32_t address;
        uint16_t count;
        const char *line;
    } rows[] = {
        { 'i', 0, 0, "i 1c7f\n" },
        { 'r', 0x01f000, 0x1000, "r 01f000 1000 a605\n" },
        { 's', 0xffff00, 0x0100, "s ffff00 0100 f327\n" },
    };
    uint16_t crc = DUMP_CRC_START;
    char text[DUMP_LINE_MAX];

    (void)state;
    for (const char *p = "123456789"; *p; p++)
        crc = dump_crc(crc, (uint8_t)*p);
    assert_int_equal(crc, 0x29b1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(hc_frame_request(text, rows[i].verb, rows[i].address, rows[i].count), strlen(rows[i].line));
        assert_string_equal(text, rows[i].line);
    }
}

static void assert_blank(const struct hc_fetch_frame *frame)
{
    assert_int_equal(frame->kind, DUMP_BLANK);
    assert_int_equal(frame->address, 0x12000);
    assert_int_equal(frame->count, 0x1000);
    assert_int_equal(frame->length, 0);
}

static void assert_data(const struct hc_fetch_frame *frame)
{
    assert_int_equal(frame->kind, DUMP_DATA);
    assert_int_equal(frame->address, 1);
    assert_int_equal(frame->length, 3);
    assert_memory_equal(frame->payload, "a\1D", 3);
}

/* However the bytes come in pieces, with anything before. */
static void whole_frames(void **state)
{
    struct hc_fetch_frames f = { 0 };
    struct hc_fetch_frame frame;
    static const char before[] = "hello\1\1D\r\n";

    (void)state;
    hc_frames_put(&f, before, sizeof before - 1);
    assert_false(hc_frames_take(&f, &frame));
    for (size_t i = 0; i < sizeof data; i++) {
        hc_frames_put(&f, data + i, 1);
        assert_int_equal(hc_frames_take(&f, &frame), i == sizeof data - 1);
    }
    assert_data(&frame);
    hc_frames_put(&f, blank, sizeof blank);
    hc_frames_put(&f, data, sizeof data);
    assert_true(hc_frames_take(&f, &frame));
    assert_blank(&frame);
    assert_true(hc_frames_take(&f, &frame));
    assert_data(&frame);
    assert_false(hc_frames_take(&f, &frame));
    assert_int_equal(f.skipped, sizeof before - 1);
}

/* Damages one frame in every way that is a byte's; the frame behind it is found, if not before the line is silent. */
static void damage_costs_one_frame(void **state)
{
    struct hc_fetch_frame frame;

    (void)state;
    for (size_t at = 0; at < sizeof data; at++)
        for (int change = 0; change < 257; change++) {
            uint8_t bytes[sizeof data + 1];
            size_t size = sizeof data;
            struct hc_fetch_frames f = { 0 };
            memcpy(bytes, data, sizeof data);
            if (change < 255) { /* changed */
                bytes[at] ^= (uint8_t)(change + 1);
            } else if (change == 255) { /* lost */
                memmove(bytes + at, bytes + at + 1, --size - at);
            } else { /* doubled */
                memmove(bytes + at + 1, bytes + at, size++ - at);
                if (at == sizeof data - 1 || at == 0)
                    continue; /* is whole all the same */
            }
            hc_frames_put(&f, bytes, size);
            hc_frames_put(&f, blank, sizeof blank);
            bool got = hc_frames_take(&f, &frame);
            while (!got && f.size) {
                hc_frames_give_up(&f);
                got = hc_frames_take(&f, &frame);
            }
            assert_true(got);
            assert_blank(&frame);
        }
}

static void what_was_heard(void **state)
{
    struct hc_fetch_frames f = { 0 };
    struct hc_fetch_frame frame;
    char text[HC_FRAMES_HEARD + 1];

    (void)state;
    hc_frames_put(&f, "count 3 17\r\n\xfe", 13);
    assert_false(hc_frames_take(&f, &frame));
    assert_int_equal(hc_frames_heard(&f, text), 12);
    assert_string_equal(text, "count 3 17  .");
    for (int i = 0; i < 100; i++) {
        hc_frames_put(&f, "abc", 3);
        assert_false(hc_frames_take(&f, &frame));
    }
    assert_int_equal(hc_frames_heard(&f, text), HC_FRAMES_HEARD);
    assert_int_equal(strlen(text), HC_FRAMES_HEARD);
    assert_string_equal(text + HC_FRAMES_HEARD - 6, "abcabc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_is_the_known_one),
        cmocka_unit_test(whole_frames),
        cmocka_unit_test(damage_costs_one_frame),
        cmocka_unit_test(what_was_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
