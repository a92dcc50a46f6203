/* What version 5 has beside the code of events: self-checks of pages, what is rescued after a reset, how lives ended.
 */
#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put16(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

/* ---- self-checks ---- */

struct checked {
    uint64_t after;
    uint8_t count;
    uint16_t sum;
};

/* Each self-check is known before the event that follows it is asked for, and comes after the right one. */
static void ask_with_checks(const struct recording *r, struct hc_feed *feed, const struct checked *check, size_t checks)
{
    size_t at = 0;
    struct recording one = *r;
    enum hc_feed_status status;
    for (size_t i = 0; i <= r->events; i++) {
        struct hc_feed_check found;
        hc_feed_interrupt(feed); /* looks at what comes next, as a replay does */
        for (; hc_feed_check(feed, &found) && found.after == i; at++) {
            assert_true(at < checks);
            assert_int_equal(found.after, check[at].after);
            assert_int_equal(found.count, check[at].count);
            assert_int_equal(found.sum, check[at].sum);
            hc_feed_take_check(feed);
        }
        assert_true(at == checks || check[at].after > i);
        one.event = r->event + i;
        one.events = i < r->events;
        assert_int_equal(recording_ask(&one, feed, &status), one.events);
    }
    assert_int_equal(at, checks);
}

static void self_checks(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 30; round++) {
        struct recording r;
        struct checked check[400];
        size_t checks = 0;
        uint64_t seed = round;
        struct hc_log *log;
        struct hc_feed *feed;
        struct hc_log_message message;
        const struct hc_log_segment *segments;
        recording_start(&r, 0);
        recording_boot(&r);
        for (int i = 0; i < 4000; i++) {
            struct recorded e;
            recording_random(&r, &seed, &e);
            recording_add(&r, &e);
            uint16_t sum = (uint16_t)recording_number(&seed);
            if (recording_number(&seed) % (5 + round) == 0 && checks < 400 &&
                hc_encode_self_check(&r.codec, (uint16_t)(0x300 + i), sum))
                check[checks++] = (struct checked){ r.events, (uint8_t)i, sum };
            if (recording_number(&seed) % 300 == 0)
                recording_end(&r); /* a page that is not full */
        }
        recording_end(&r);
        assert_true(checks > 20);
        assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
        hc_log_segments(log, &segments);
        assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
        ask_with_checks(&r, feed, check, checks);
        hc_feed_free(feed);
        hc_log_free(log);
        recording_stop(&r);
    }
}

/* One for each page, none after its 254th event. Bytes by hand: the trailer is check, index, count, sum. */
static void trailer(void **state)
{
    (void)state;
    struct recording r;
    recording_start(&r, 0);
    recording_boot(&r);
    assert_true(hc_encode_self_check(&r.codec, 0x1234, 0xbeef));
    assert_false(hc_encode_self_check(&r.codec, 1, 1));
    recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
    recording_end(&r);
    /* A run of one, no bits; 4 x 20; before the first event. */
    static const uint8_t one[] = { 0xfe, 0, 80, 0, 0, 0x34, 0xef, 0xbe };
    assert_int_equal(r.image[HC_PAGE_SIZE + 9], sizeof one);
    assert_memory_equal(r.image + HC_PAGE_SIZE + 10, one, sizeof one);
    for (int i = 0; i < 254; i++)
        recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
    assert_true(hc_encode_self_check(&r.codec, 0, 7));
    recording_end(&r);
    const uint8_t *page = r.image + 2 * HC_PAGE_SIZE;
    assert_int_equal(page[10 + page[9] - 4], 254);
    for (int i = 0; i < 255; i++)
        recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
    assert_false(hc_encode_self_check(&r.codec, 0, 7));
    recording_end(&r);
    page += HC_PAGE_SIZE;
    assert_int_equal(page[10 + page[9] - 4], 255);
    recording_stop(&r);
    recording_start(&r, HC_PAPER_REGISTERS);
    recording_boot(&r);
    assert_false(hc_encode_self_check(&r.codec, 0, 0));
    recording_stop(&r);
}

/* ---- rescue ---- */

/* ENCODED events are encoded, WAITING are in the ring. */
static void record_rescued(struct recording *r, uint64_t seed, size_t encoded, size_t waiting)
{
    recording_start(r, 0);
    recording_boot(r);
    for (size_t i = 0; i < encoded; i++) {
        struct recorded e;
        recording_random(r, &seed, &e);
        recording_add(r, &e);
    }
    for (size_t i = 0; i < waiting; i++) {
        struct recorded e;
        recording_ring_event(r, &seed, &e);
        recording_remember(r, &e);
    }
    recording_rescue(r, encoded, 77);
}

static void all_comes_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct recording r;
        struct hc_log *log;
        struct hc_feed *feed;
        struct hc_log_message message;
        const struct hc_log_segment *segments;
        enum hc_feed_status status;
        uint16_t count;
        record_rescued(&r, seed, seed * 7 % 500, seed * 13 % 120);
        assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
        hc_log_segments(log, &segments);
        assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
        size_t answered = recording_ask(&r, feed, &status);
        if (answered != r.events)
            fail_msg("seed %llu: %zu of %zu: %s", (unsigned long long)seed, answered, r.events, hc_feed_text(feed));
        assert_int_equal(hc_feed_status_next(feed), HC_FEED_END);
        assert_true(hc_feed_reset(feed, &count));
        assert_int_equal(count, 77);
        hc_feed_free(feed);
        hc_log_free(log);
        recording_stop(&r);
    }
}

/* Another site than the ring has is noticed at once. */
static void wrong_site(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log *log;
    struct hc_feed *feed;
    struct hc_log_message message;
    const struct hc_log_segment *segments;
    uint16_t value;
    recording_start(&r, 0);
    recording_boot(&r);
    for (uint16_t i = 0; i < 3; i++)
        recording_remember(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 21 });
    recording_rescue(&r, 0, 5);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    hc_log_segments(log, &segments);
    assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
    assert_int_equal(hc_feed_read(feed, 21, NULL, &value), HC_FEED_OK);
    assert_int_equal(hc_feed_read(feed, 23, NULL, &value), HC_FEED_DIVERGED);
    assert_non_null(strstr(hc_feed_text(feed), "is a read of site 21"));
    hc_feed_free(feed);
    hc_log_free(log);
    recording_stop(&r);
}

/* However short the file is: what is answered is right, more bytes never say less, and nothing is called a divergence.
 */
static void every_truncation(void **state)
{
    (void)state;
    for (uint64_t seed = 3; seed <= 5; seed++) {
        struct recording r;
        size_t last = 0;
        record_rescued(&r, seed, 700, 60);
        for (size_t size = 0; size <= r.size; size++) {
            struct hc_log_message message;
            enum hc_feed_status status = HC_FEED_OK;
            size_t answered;
            if (!recording_replay(&r, r.image, size, &answered, &status, &message))
                continue;
            assert_true(answered >= last && status != HC_FEED_DIVERGED);
            last = answered;
        }
        assert_int_equal(last, r.events);
        recording_stop(&r);
    }
}

/* Pages of the rescue with any bit changed, and a checksum that is right: what was in whole pages before is there. */
static void every_bit(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log_message message;
    enum hc_feed_status status;
    size_t whole;
    record_rescued(&r, 8, 700, 60);
    size_t first = 0;
    while (r.image[first + 1] != HC_STREAM_RESCUE)
        first += HC_PAGE_SIZE;
    assert_true(recording_replay(&r, r.image, first, &whole, &status, &message));
    for (size_t at = first; at < r.size; at++) {
        uint8_t *page = r.image + at / HC_PAGE_SIZE * HC_PAGE_SIZE;
        if (at % HC_PAGE_SIZE < HC_PAGE_HEADER || at % HC_PAGE_SIZE >= HC_PAGE_HEADER + page[HC_PAGE_LENGTH])
            continue;
        for (int bit = 0; bit < 8; bit++) {
            struct hc_log *log;
            struct hc_feed *feed;
            const struct hc_log_segment *segments;
            r.image[at] ^= (uint8_t)(1u << bit);
            recording_seal(page);
            assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
            hc_log_segments(log, &segments);
            assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
            struct recording before = r;
            before.events = whole;
            assert_int_equal(recording_ask(&before, feed, &status), whole);
            for (int i = 0; i < 200 && hc_feed_status_next(feed) == HC_FEED_OK; i++) {
                struct hc_event event;
                uint16_t value, size;
                const uint8_t *bytes;
                if (hc_feed_interrupt(feed))
                    hc_feed_take_interrupt(feed);
                else if (hc_feed_has_memory(feed))
                    hc_feed_memory(feed, &value, &size, &bytes);
                else if (hc_feed_wake(feed, &event))
                    hc_feed_read(feed, (uint16_t)i, NULL, &value);
            }
            hc_feed_free(feed);
            hc_log_free(log);
            r.image[at] ^= (uint8_t)(1u << bit);
            recording_seal(page);
        }
    }
    recording_stop(&r);
}

/* ---- lives ---- */

static void begin_life(struct recording *r, uint16_t cause, uint16_t found)
{
    recording_boot(r);
    uint8_t *page = r->image + r->size - HC_PAGE_SIZE;
    put16(page + HC_PAGE_HEADER + 10, cause);
    put16(page + HC_PAGE_HEADER + 12, found);
    recording_seal(page);
    recording_end(r);
}

static void lives(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_boot *boot;
    char text[500];
    static const uint8_t reason[2] = { 1, 0 };
    recording_start(&r, 0);
    begin_life(&r, 0x02, 0);
    begin_life(&r, 0x02, 0); /* power failed */
    recording_rescue(&r, 0, 0);
    begin_life(&r, 0x01, 1); /* the watchdog */
    begin_life(&r, 0x01, 1); /* again, but the rescue is not there */
    recording_page(&r, HC_STREAM_MARK, reason, sizeof reason);
    begin_life(&r, 0x2200, 0);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    static const struct {
        enum hc_life_end end;
        bool known;
        uint16_t cause;
        const char *words[2];
    } expected[] = {
        { HC_LIFE_LOST,
          true,
          0x02,
          { "power-on or the RST pin", "nothing was rescued: the log may end up to a page" } },
        { HC_LIFE_RESCUED, true, 0x01, { "watchdog", "was rescued, the log reaches up to the reset" } },
        { HC_LIFE_MISSING, true, 0x01, { "watchdog", "those pages are missing" } },
        { HC_LIFE_FROZEN, true, 0x2200, { "RST pin; the supply fell", "up to the freeze" } },
        { HC_LIFE_OPEN, false, 0, { "no reset follows", "is not in the log" } },
    };
    assert_int_equal(hc_log_boots(log, &boot), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(boot[i].end, expected[i].end);
        assert_int_equal(boot[i].cause_known, expected[i].known);
        assert_int_equal(boot[i].cause, expected[i].cause);
        hc_log_life(&boot[i], text, sizeof text);
        for (int k = 0; k < 2; k++)
            if (!strstr(text, expected[i].words[k]))
                fail_msg("no '%s' in '%s'", expected[i].words[k], text);
    }
    hc_log_free(log);
    recording_stop(&r);
}

/* A log of version 3 is refused; one that has a segment of it beside ours is not. */
static void versions(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_damage *damages;
    recording_start(&r, 0);
    begin_life(&r, 0, 0);
    r.image[HC_PAGE_HEADER] = 3;
    recording_seal(r.image);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_MISMATCH);
    assert_non_null(strstr(message.text, "version 3"));
    assert_non_null(strstr(message.text, "version 5"));
    begin_life(&r, 0, 0);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_damages(log, &damages), 1);
    assert_non_null(strstr(damages[0].text, "was recorded in trace version 3, this is version 5"));
    hc_log_free(log);
    recording_stop(&r);
}

/* A checkpoint without the record that says where it begins has lost pages, whatever is before it. */
static void cut_beginnings(void **state)
{
    (void)state;
    for (int marked = 0; marked < 2; marked++) {
        struct recording r;
        struct hc_log *log;
        struct hc_log_message message;
        const struct hc_log_segment *segments;
        static const uint8_t first[] = { 0, 0, 0, 0, 1, 0, 0, 0 }, record[] = { 0x00, 0x11, 2, 0, 1, 2 };
        const struct hc_page_commit commit = { .begin = { HC_TRACE_VERSION, 0, "a build" } };
        recording_start(&r, 0);
        r.sequence = 70;
        recording_page(&r, HC_STREAM_CHECKPOINT, marked ? first : record, marked ? sizeof first : sizeof record);
        recording_page(&r, HC_STREAM_CHECKPOINT, record, sizeof record);
        recording_page(&r, HC_STREAM_COMMIT, (const uint8_t *)&commit, sizeof commit);
        hc_codec_start(&r.codec);
        recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
        recording_end(&r);
        assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
        assert_int_equal(hc_log_segments(log, &segments), 1);
        assert_int_equal(segments->begin, marked ? HC_BEGIN_CHECKPOINT : HC_BEGIN_LOST);
        hc_log_free(log);
        recording_stop(&r);
    }
}

/* Events of a segment may be in the log before the page that makes its checkpoint valid. */
static void events_before_commit(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log_message message;
    enum hc_feed_status status;
    size_t answered;
    uint64_t seed = 4;
    static const uint8_t record[] = { 0, 0, 0, 0, 1, 0, 0, 0, 0x00, 0x11, 2, 0, 1, 2 };
    const struct hc_page_commit commit = { .begin = { HC_TRACE_VERSION, 0, "a build" }, .count = 3 };
    recording_start(&r, 0);
    recording_boot(&r);
    r.segment++;
    recording_page(&r, HC_STREAM_CHECKPOINT, record, sizeof record);
    r.segment--;
    recording_end(&r); /* the old segment's last page */
    r.segment++;
    hc_codec_start(&r.codec);
    for (int i = 0; i < 1500; i++) {
        struct recorded e;
        recording_random(&r, &seed, &e);
        recording_add(&r, &e);
        if (i == 700)
            recording_page(&r, HC_STREAM_COMMIT, (const uint8_t *)&commit, sizeof commit);
    }
    recording_end(&r);
    assert_true(recording_replay(&r, r.image, r.size, &answered, &status, &message));
    assert_int_equal(answered, r.events);
    recording_stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_checks),
        cmocka_unit_test(trailer),
        cmocka_unit_test(all_comes_back),
        cmocka_unit_test(wrong_site),
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_bit),
        cmocka_unit_test(lives),
        cmocka_unit_test(versions),
        cmocka_unit_test(cut_beginnings),
        cmocka_unit_test(events_before_commit),
    };
    return cmocka_run_group_tests_name("rescue", tests, NULL, NULL);
}
