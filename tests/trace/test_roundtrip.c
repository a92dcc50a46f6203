/* Whatever happens comes back: random events of all kinds through each choice of codecs. */
#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Records COUNT events, with ends of pages in between, and asks for them. */
static void check_round(uint8_t sets, uint64_t seed, size_t count)
{
    struct recording r;
    struct hc_log_message message = { "" };
    size_t answered;
    enum hc_feed_status status;
    uint64_t number = seed;

    recording_start(&r, sets);
    r.filler = (uint8_t)recording_number(&number);
    recording_boot(&r);
    for (size_t i = 0; i < count; i++) {
        struct recorded e;
        recording_random(&r, &number, &e);
        recording_add(&r, &e);
        if (recording_number(&number) % 1000 == 0)
            recording_end(&r);
    }
    recording_end(&r);
    if (!recording_replay(&r, r.image, r.size, &answered, &status, &message))
        fail_msg("sets %u, seed %llu: %s", sets, (unsigned long long)seed, message.text);
    if (answered != count)
        fail_msg("sets %u, seed %llu: %zu of %zu events, status %d", sets, (unsigned long long)seed, answered, count,
                 status);
    recording_stop(&r);
}

static void all_sets(void **state)
{
    (void)state;
    for (uint8_t sets = 0; sets <= HC_PAPER_ALL; sets++)
        for (uint64_t seed = 1; seed <= 80; seed++)
            check_round(sets, seed * 8 + sets, seed % 8 == 0 ? 20000 : seed * 13 % 400);
}

/* One kind of event alone fills pages: no decision may be too expensive for the room that is kept. */
static void one_kind(void **state)
{
    (void)state;
    for (uint8_t sets = 0; sets <= HC_PAPER_ALL; sets += HC_PAPER_ALL) {
        for (int kind = HC_EVENT_READ; kind <= HC_EVENT_MEMORY; kind++) {
            struct recording r;
            struct hc_log_message message;
            size_t answered;
            enum hc_feed_status status;
            uint64_t seed = 99;
            recording_start(&r, sets);
            recording_boot(&r);
            while (r.events < 3000) {
                struct recorded e;
                recording_random(&r, &seed, &e);
                if ((int)e.kind == kind)
                    recording_add(&r, &e);
            }
            recording_end(&r);
            assert_true(recording_replay(&r, r.image, r.size, &answered, &status, &message));
            assert_int_equal(answered, r.events);
            recording_stop(&r);
        }
    }
}

/* Long calm, which makes the models sure of themselves, and then what they hold for impossible, again and again. */
static void calm_and_surprise(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log_message message;
    size_t answered;
    enum hc_feed_status status;
    uint64_t seed = 5;
    recording_start(&r, 0);
    recording_boot(&r);
    for (int i = 0; i < 200; i++) {
        struct recorded calm = { .kind = HC_EVENT_READ, .site = 24 };
        struct recorded e;
        for (int j = 0; j < 500; j++)
            recording_add(&r, &calm);
        recording_random(&r, &seed, &e);
        recording_add(&r, &e);
    }
    recording_end(&r);
    assert_true(recording_replay(&r, r.image, r.size, &answered, &status, &message));
    assert_int_equal(answered, r.events);
    recording_stop(&r);
}

/* The place that was saved in the middle is come back to, with the same answers. */
static void going_back(void **state)
{
    (void)state;
    for (uint8_t sets = 0; sets <= HC_PAPER_ALL; sets++) {
        struct recording r;
        struct recording rest;
        struct hc_log_message message;
        struct hc_log *log;
        struct hc_feed *feed;
        const struct hc_log_segment *segments;
        enum hc_feed_status status;
        uint64_t seed = 1234;
        recording_start(&r, sets);
        recording_boot(&r);
        for (int i = 0; i < 4000; i++) {
            struct recorded e;
            recording_random(&r, &seed, &e);
            recording_add(&r, &e);
        }
        recording_end(&r);
        assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
        assert_int_equal(hc_log_segments(log, &segments), 1);
        assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
        rest = r;
        rest.events = 1500;
        assert_int_equal(recording_ask(&rest, feed, &status), 1500);
        void *place = malloc(hc_feed_place_size(feed));
        hc_feed_save(feed, place);
        rest.event += 1500;
        rest.events = 2500;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(recording_ask(&rest, feed, &status), 2500);
            assert_int_equal(hc_feed_taken(feed), 4000);
            hc_feed_restore(feed, place);
            assert_int_equal(hc_feed_taken(feed), 1500);
        }
        free(place);
        hc_feed_free(feed);
        hc_log_free(log);
        recording_stop(&r);
    }
}

/* Questions that the program of the recording did not ask are refused, at the latest at the end of the page. */
static void other_questions(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log_message message;
    struct hc_log *log;
    struct hc_feed *feed;
    const struct hc_log_segment *segments;
    uint16_t value;
    enum hc_feed_status status = HC_FEED_OK;
    recording_start(&r, 0);
    recording_boot(&r);
    for (int i = 0; i < 200000; i++)
        recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 16 + i % 3 });
    recording_end(&r);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_segments(log, &segments), 1);
    assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
    for (int i = 0; i < 200000 && !status; i++)
        status = hc_feed_read(feed, (uint16_t)(16 + (i == 50 ? 1 : i % 3)), NULL, &value);
    if (!status)
        status = hc_feed_status_next(feed);
    assert_int_equal(status, HC_FEED_DIVERGED);
    assert_true(strlen(hc_feed_text(feed)) > 20);
    hc_feed_free(feed);
    hc_log_free(log);
    recording_stop(&r);
}

/* A read where the recording has an interrupt, sleep, or nothing more. */
static void at_once(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log_message message;
    struct hc_log *log;
    struct hc_feed *feed;
    struct hc_event event;
    const struct hc_log_segment *segments;
    uint16_t value;
    recording_start(&r, 0);
    recording_boot(&r);
    recording_add(&r, &(struct recorded){ .kind = HC_EVENT_INTERRUPT, .arrival = { .vector = 9, .pc = 0x4444 } });
    recording_end(&r);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    hc_log_segments(log, &segments);
    assert_int_equal(hc_feed_open(&feed, log, segments, &r.table, &message), HC_LOG_OK);
    assert_int_equal(hc_feed_read(feed, 20, NULL, &value), HC_FEED_DIVERGED);
    assert_non_null(strstr(hc_feed_text(feed), "has an interrupt next"));
    assert_int_equal(hc_feed_wake(feed, &event), HC_FEED_DIVERGED);
    assert_int_equal(hc_feed_interrupt(feed)->interrupt.pc, 0x4444);
    hc_feed_take_interrupt(feed);
    assert_null(hc_feed_interrupt(feed));
    assert_int_equal(hc_feed_read(feed, 20, NULL, &value), HC_FEED_END);
    assert_int_equal(hc_feed_read(feed, RECORDING_SITES, NULL, &value), HC_FEED_DIVERGED);
    hc_feed_free(feed);
    hc_log_free(log);
    recording_stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_sets),   cmocka_unit_test(one_kind),        cmocka_unit_test(calm_and_surprise),
        cmocka_unit_test(going_back), cmocka_unit_test(other_questions), cmocka_unit_test(at_once),
    };
    return cmocka_run_group_tests_name("roundtrip", tests, NULL, NULL);
}
