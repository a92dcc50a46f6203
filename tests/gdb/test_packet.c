/* Framing, from the protocol's description: what goes in, what must come out. */
#include "gdb/packet.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Feeds TEXT; returns what its last byte amounted to. Anything before it must have been nothing. */
static enum hc_gdb_input feed(struct hc_gdb_reader *r, const char *text, size_t n)
{
    for (size_t i = 0; i + 1 < n; i++)
        assert_int_equal(hc_gdb_reader_take(r, (uint8_t)text[i]), HC_GDB_INPUT_NOTHING);
    return hc_gdb_reader_take(r, (uint8_t)text[n - 1]);
}

static void reads_frames(void **state)
{
    static const struct {
        const char *in;
        enum hc_gdb_input input;
        const char *payload;
    } rows[] = {
        { "$g#67", HC_GDB_INPUT_PACKET, "g" },
        { "$#00", HC_GDB_INPUT_PACKET, "" },
        { "$m200,2#5d", HC_GDB_INPUT_PACKET, "m200,2" },
        { "$m200,2#5D", HC_GDB_INPUT_PACKET, "m200,2" },
        { "$m200,2#5c", HC_GDB_INPUT_DAMAGED, "m200,2" },
        { "$m200,2#xy", HC_GDB_INPUT_DAMAGED, "m200,2" },
        { "$m200,2##5", HC_GDB_INPUT_DAMAGED, "m200,2" },
        { "+", HC_GDB_INPUT_ACK, NULL },
        { "-", HC_GDB_INPUT_NAK, NULL },
        { "\003", HC_GDB_INPUT_INTERRUPT, NULL },
        { "noise\r\n$g#67", HC_GDB_INPUT_PACKET, "g" },
        { "$lost$g#67", HC_GDB_INPUT_PACKET, "g" },            /* the end of the first was lost */
        { "$X0,1:\003#22", HC_GDB_INPUT_PACKET, "X0,1:\003" }, /* Ctrl-C within a packet is data */
        { "$a+-b#1b", HC_GDB_INPUT_PACKET, "a+-b" },
        { "$a*b#ed", HC_GDB_INPUT_PACKET, "a*b" }, /* requests have no run lengths */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_gdb_reader *r = calloc(1, sizeof *r);

        assert_int_equal(feed(r, rows[i].in, strlen(rows[i].in)), rows[i].input);
        if (rows[i].payload) {
            assert_int_equal(r->n, strlen(rows[i].payload));
            assert_string_equal(r->payload, rows[i].payload);
        }
        /* Whatever it was, the reader is ready for the next. */
        assert_int_equal(feed(r, "$g#67", 5), HC_GDB_INPUT_PACKET);
        free(r);
    }
}

static void reads_zero_bytes(void **state)
{
    struct hc_gdb_reader *r = calloc(1, sizeof *r);

    (void)state;
    assert_int_equal(feed(r, "$a\0b#c3", 7), HC_GDB_INPUT_PACKET);
    assert_int_equal(r->n, 3);
    assert_memory_equal(r->payload, "a\0b", 4);
    free(r);
}

/* A payload of N letters `a`. */
static enum hc_gdb_input feed_long(struct hc_gdb_reader *r, size_t n)
{
    char end[4];

    hc_gdb_reader_take(r, '$');
    for (size_t i = 0; i < n; i++)
        assert_int_equal(hc_gdb_reader_take(r, 'a'), HC_GDB_INPUT_NOTHING);
    end[0] = '#';
    end[1] = "0123456789abcdef"[('a' * n & 0xff) >> 4];
    end[2] = "0123456789abcdef"[('a' * n & 0xff) & 15];
    return feed(r, end, 3);
}

static void bounds_packets(void **state)
{
    struct hc_gdb_reader *r = calloc(1, sizeof *r);

    (void)state;
    assert_int_equal(feed_long(r, HC_GDB_PAYLOAD_MAX), HC_GDB_INPUT_PACKET);
    assert_int_equal(r->n, HC_GDB_PAYLOAD_MAX);
    assert_int_equal(feed_long(r, HC_GDB_PAYLOAD_MAX + 1), HC_GDB_INPUT_TOO_LONG);
    assert_int_equal(feed_long(r, 10 * HC_GDB_PAYLOAD_MAX), HC_GDB_INPUT_TOO_LONG);
    assert_int_equal(feed(r, "$g#67", 5), HC_GDB_INPUT_PACKET);
    free(r);
}

static void makes_frames(void **state)
{
    static const struct {
        const char *payload, *frame;
    } rows[] = {
        { "", "$#00" },
        { "OK", "$OK#9a" },
        { "aaa", "$aaa#23" },     /* too few to be worth it */
        { "0000", "$0* #7a" },    /* 3 more: 29 + 3 is a space */
        { "000000", "$0*\"#7c" }, /* 5 more */
        /* 6 or 7 more would be written as # or $: 5 more, and the rest by itself. */
        { "0000000", "$0*\"0#ac" },
        { "00000000", "$0*\"00#dc" },
        { "000000000", "$0*%#7f" },
        { "abbbbc", "$ab* c#70" },
    };
    char out[64];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = hc_gdb_frame(out, rows[i].payload, strlen(rows[i].payload));

        out[n] = 0;
        assert_string_equal(out, rows[i].frame);
    }
}

/* As a debugger reads it. */
static size_t expand(char *out, const char *frame, size_t n)
{
    size_t length = 0;

    assert_true(n >= 4 && frame[0] == '$' && frame[n - 3] == '#');
    for (size_t i = 1; i < n - 3; i++) {
        if (frame[i] != '*') {
            assert_false(frame[i] == '#' || frame[i] == '$');
            out[length++] = frame[i];
            continue;
        }
        i++;
        assert_true(frame[i] >= ' ' && frame[i] <= '~');
        assert_null(strchr("#$+-", frame[i]));
        memset(out + length, out[length - 1], (size_t)frame[i] - 29);
        length += (size_t)frame[i] - 29;
    }
    return length;
}

static void runs_of_any_length_survive(void **state)
{
    char payload[400], frame[404], back[400];
    struct hc_gdb_reader *r = calloc(1, sizeof *r);

    (void)state;
    for (size_t run = 0; run < 300; run++) {
        size_t n = 0, length;

        payload[n++] = 'x';
        memset(payload + n, '0', run);
        n += run;
        payload[n++] = 'y';
        length = hc_gdb_frame(frame, payload, n);
        assert_true(length <= n + 4);
        assert_int_equal(feed(r, frame, length), HC_GDB_INPUT_PACKET); /* the sum is right */
        assert_int_equal(expand(back, frame, length), n);
        assert_memory_equal(back, payload, n);
    }
    free(r);
}

static void escapes_and_back(void **state)
{
    uint8_t all[256], back[512];
    char out[512];
    size_t taken, n;

    (void)state;
    for (int i = 0; i < 256; i++)
        all[i] = (uint8_t)i;
    n = hc_gdb_escape(out, sizeof out, all, 256, &taken);
    assert_int_equal(taken, 256);
    assert_int_equal(n, 256 + 4);
    for (size_t i = 0; i < n; i++)
        assert_false(out[i] == '$' || out[i] == '#' || out[i] == '*');
    assert_int_equal(hc_gdb_unescape(back, out, n), 256);
    assert_memory_equal(back, all, 256);

    assert_int_equal(hc_gdb_escape(out, 3, (const uint8_t *)"ab#c", 4, &taken), 2); /* no room for two more */
    assert_int_equal(taken, 2);
    assert_int_equal(hc_gdb_escape(out, 4, (const uint8_t *)"ab#c", 4, &taken), 4);
    assert_memory_equal(out, "ab}\003", 4);
    assert_int_equal(taken, 3);

    assert_int_equal(hc_gdb_unescape(back, "a}", 2), SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_frames),     cmocka_unit_test(reads_zero_bytes),
        cmocka_unit_test(bounds_packets),   cmocka_unit_test(makes_frames),
        cmocka_unit_test(escapes_and_back), cmocka_unit_test(runs_of_any_length_survive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
