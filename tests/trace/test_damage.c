/* Whatever happens to a log, what precedes the damage is answered as it was recorded, and the damage has a name.
 *
 *   test_trace_damage [CORRUPTIONS]
 *
 * Corruptions are random and repeatable; a failure prints the seed of the one that failed. */
#include "recording.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static unsigned long corruptions = 20000;

static void record(struct recording *r, uint8_t sets, uint64_t seed, size_t bytes)
{
    recording_start(r, sets);
    recording_boot(r);
    while (r->size < bytes) {
        struct recorded e;
        recording_random(r, &seed, &e);
        if (e.kind != HC_EVENT_MEMORY)
            recording_add(r, &e);
    }
    recording_end(r);
}

/* The sentence of a failure names something. */
static void check_sentence(const char *text)
{
    assert_true(strlen(text) > 8);
}

/* Every answer that came was right: recording_ask has checked. */
static size_t replay_damaged(const struct recording *r, const uint8_t *image, size_t size, enum hc_feed_status *status)
{
    struct hc_log_message message = { "" };
    size_t answered;
    *status = HC_FEED_OK;
    if (!recording_replay(r, image, size, &answered, status, &message)) {
        check_sentence(message.text);
        return 0;
    }
    return answered;
}

static void every_truncation(void **state)
{
    (void)state;
    for (uint8_t sets = 0; sets <= HC_PAPER_ALL; sets += HC_PAPER_ALL) {
        struct recording r;
        size_t last = 0;
        enum hc_feed_status status;
        record(&r, sets, 17 + sets, 3000);
        for (size_t size = 0; size <= r.size; size++) {
            size_t answered = replay_damaged(&r, r.image, size, &status);
            assert_true(answered >= last); /* more bytes never say less */
            last = answered;
            if (answered < r.events && answered > 0)
                assert_true(status == HC_FEED_END || status == HC_FEED_DAMAGE);
        }
        assert_int_equal(last, r.events);
        recording_stop(&r);
    }
}

/* A log with one page wiped: all before it is there, and the feed says that something is missing, not that it ends. */
static void every_missing_page(void **state)
{
    (void)state;
    struct recording r;
    enum hc_feed_status status;
    size_t last = 0;
    record(&r, 0, 23, 6000);
    for (size_t at = HC_PAGE_SIZE; at < r.size; at += HC_PAGE_SIZE) {
        uint8_t *image = malloc(r.size);
        memcpy(image, r.image, r.size);
        memset(image + at, 0xff, HC_PAGE_SIZE);
        size_t answered = replay_damaged(&r, image, r.size, &status);
        bool is_last = at + HC_PAGE_SIZE == r.size; /* in which may be no more than the mark of its end */
        assert_true(answered >= last && (answered < r.events || is_last));
        assert_true(answered > 0 || at == HC_PAGE_SIZE);
        if (answered < r.events)
            assert_int_equal(status, is_last ? HC_FEED_END : HC_FEED_DAMAGE);
        last = answered;
        free(image);
    }
    recording_stop(&r);
}

/* What a page says depends on what came before it: all pages in any order are the same log. */
static void any_order(void **state)
{
    (void)state;
    struct recording r;
    enum hc_feed_status status;
    uint64_t seed = 3;
    record(&r, 0, 29, 6000);
    for (size_t i = r.size / HC_PAGE_SIZE; i > 1; i--) {
        size_t other = recording_number(&seed) % i;
        uint8_t page[HC_PAGE_SIZE];
        memcpy(page, r.image + (i - 1) * HC_PAGE_SIZE, HC_PAGE_SIZE);
        memcpy(r.image + (i - 1) * HC_PAGE_SIZE, r.image + other * HC_PAGE_SIZE, HC_PAGE_SIZE);
        memcpy(r.image + other * HC_PAGE_SIZE, page, HC_PAGE_SIZE);
    }
    assert_int_equal(replay_damaged(&r, r.image, r.size, &status), r.events);
    recording_stop(&r);
}

/* Bytes, bits, runs of ones and zeros. */
static void corrupt(uint8_t *image, size_t size, uint64_t *seed)
{
    unsigned times = 1 + recording_number(seed) % 3;
    while (times--) {
        size_t at = recording_number(seed) % size;
        switch (recording_number(seed) % 4) {
        case 0:
            image[at] = (uint8_t)recording_number(seed);
            break;
        case 1:
            image[at] ^= (uint8_t)(1u << recording_number(seed) % 8);
            break;
        default:
            for (size_t end = at + recording_number(seed) % 300; at < end && at < size; at++)
                image[at] = recording_number(seed) % 2 ? 0xff : 0;
            break;
        }
    }
}

/* The pages whose CRC was made right again afterwards are believed by the container: the decoders have to cope. */
static void repair_checksums(uint8_t *image, size_t size)
{
    for (size_t at = 0; at + HC_PAGE_SIZE <= size; at += HC_PAGE_SIZE) {
        uint8_t *page = image + at;
        if (page[9] == 0 || page[9] > HC_PAGE_PAYLOAD)
            continue;
        recording_seal(page);
    }
}

/* Whether a page was changed and has a right CRC nonetheless: of 16 bits, which happens once in 65,536 times. */
static bool is_forged(const uint8_t *image, const uint8_t *original, size_t size)
{
    for (size_t at = 0; at + HC_PAGE_SIZE <= size; at += HC_PAGE_SIZE) {
        const uint8_t *page = image + at;
        if (page[9] == 0 || page[9] > HC_PAGE_PAYLOAD || !memcmp(page, original + at, HC_PAGE_SIZE))
            continue;
        if (hc_page_crc(0xffff, page, HC_PAGE_SIZE) == 0)
            return true;
    }
    return false;
}

/* Answers to what was corrupted below the checksums are wrong, of course; that they end is all that is asked. */
static void replay_forged(const struct recording *r, const uint8_t *image, size_t size)
{
    struct hc_log_message message = { "" };
    struct hc_log *log;
    struct hc_feed *feed;
    const struct hc_log_segment *segments;
    uint16_t value;
    uint16_t memory_size;
    const uint8_t *bytes;
    enum hc_feed_status status = HC_FEED_OK;

    if (hc_log_open_memory(&log, "image", image, size, &message) != HC_LOG_OK) {
        check_sentence(message.text);
        return;
    }
    size_t count = hc_log_segments(log, &segments);
    if (hc_feed_open(&feed, log, &segments[count - 1], &r->table, &message) != HC_LOG_OK) {
        check_sentence(message.text);
        hc_log_free(log);
        return;
    }
    for (size_t i = 0; i < r->events + 1000 && !status; i++) {
        struct hc_event event;
        if (hc_feed_interrupt(feed))
            hc_feed_take_interrupt(feed);
        else if (hc_feed_has_memory(feed))
            status = hc_feed_memory(feed, &value, &memory_size, &bytes);
        else if (i % 7 == 0)
            status = hc_feed_wake(feed, &event);
        else
            status = hc_feed_read(feed, i % RECORDING_SITES, NULL, &value);
    }
    if (status)
        check_sentence(hc_feed_text(feed));
    hc_feed_free(feed);
    hc_log_free(log);
}

/* Three of four are found by their checksums; of the others the checksums are made right again. */
static void random_corruptions(void **state)
{
    (void)state;
    enum { LOGS = 16 };
    for (unsigned log = 0; log < LOGS; log++) {
        struct recording r;
        enum hc_feed_status status;
        record(&r, log % 2 ? HC_PAPER_ALL : log / 2 % 4 == 0 ? log / 4 : 0, log, 1100);
        uint8_t *image = malloc(r.size);
        for (unsigned long i = 0; i < corruptions / LOGS; i++) {
            uint64_t seed = (uint64_t)log << 32 | i;
            memcpy(image, r.image, r.size);
            recording_number(&seed);
            corrupt(image, r.size, &seed);
            if (i % 4 == 0)
                repair_checksums(image, r.size);
            if (is_forged(image, r.image, r.size))
                replay_forged(&r, image, r.size);
            else
                replay_damaged(&r, image, r.size, &status);
        }
        free(image);
        recording_stop(&r);
    }
}

/* Several boots and segments in one image; torn and missing pages are named. */
static void container(void **state)
{
    (void)state;
    struct recording r;
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_segment *segments;
    const struct hc_log_damage *damages;
    const struct hc_log_page *pages;
    static const uint8_t reason[] = { 1, 0 };
    recording_start(&r, 0);
    r.sequence = 0xfffffe; /* numbers begin again at 0 in the middle */
    r.boot = 0xfffe;
    for (int i = 0; i < 3; i++) {
        recording_boot(&r);
        recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
        recording_end(&r);
    }
    recording_page(&r, HC_STREAM_MARK, reason, sizeof reason);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_pages(log, &pages), 7);
    assert_int_equal(pages[0].sequence, 0xfffffe);
    assert_int_equal(hc_log_segments(log, &segments), 3);
    assert_int_equal(segments[0].boot, 0xffff);
    assert_int_equal(segments[2].boot, 1);
    assert_false(segments[1].frozen);
    assert_true(segments[2].frozen);
    assert_int_equal(segments[2].begin, HC_BEGIN_BOOT);
    assert_memory_equal(segments[2].build, "a build", 8);
    assert_int_equal(hc_log_damages(log, &damages), 0);
    hc_log_free(log);

    r.image[HC_PAGE_SIZE * 5 + 13] ^= 4; /* the last segment's events */
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_damages(log, &damages), 2);
    assert_int_equal(damages[0].kind, HC_DAMAGE_TORN);
    assert_int_equal(damages[0].offset, HC_PAGE_SIZE * 5);
    assert_int_equal(damages[1].kind, HC_DAMAGE_MISSING);
    assert_int_equal(damages[1].count, 1);
    hc_log_free(log);

    memset(r.image + HC_PAGE_SIZE * 2, 0, HC_PAGE_SIZE); /* the second segment's beginning */
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    hc_log_segments(log, &segments);
    assert_int_equal(segments[1].begin, HC_BEGIN_LOST);
    struct hc_feed *feed;
    assert_int_equal(hc_feed_open(&feed, log, &segments[1], &r.table, &message), HC_LOG_DAMAGED);
    assert_string_equal(message.text, "image: segment 2 of boot 0 has lost its start");
    hc_log_free(log);
    recording_stop(&r);
}

/* A dump of a whole memory has the recorder's own variables, too: a page's header there is no torn page. */
static void header_elsewhere(void **state)
{
    (void)state;
    enum { LAST = HC_PAGE_SIZE * 2, ELSEWHERE = LAST + 6 };
    struct recording r;
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_damage *damages;
    static const uint8_t reason[] = { 1, 0 };
    recording_start(&r, 0);
    recording_boot(&r);
    recording_add(&r, &(struct recorded){ .kind = HC_EVENT_READ, .site = 20 });
    recording_end(&r);
    recording_page(&r, HC_STREAM_MARK, reason, sizeof reason);
    r.image[LAST + HC_PAGE_HEADER] ^= 1;
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_damages(log, &damages), 1);
    hc_log_free(log);
    memmove(r.image + ELSEWHERE, r.image + LAST, HC_PAGE_SIZE - 6);
    memset(r.image + LAST, 0, ELSEWHERE - LAST);
    assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
    assert_int_equal(hc_log_damages(log, &damages), 0);
    hc_log_free(log);
    recording_stop(&r);
}

/* Pieces of memory, what says that they are all, and an event page. */
static void checkpoint(struct recording *r, int pieces)
{
    const struct hc_page_commit begin = { .begin = { HC_TRACE_VERSION, r->codec.sets, "a build" } };
    static const uint8_t first[] = { 0, 0, 0, 0, 1, 0, 0, 0 }, piece[] = { 0x00, 0x11, 2, 0, 1, 2 };
    r->segment++;
    recording_page(r, HC_STREAM_CHECKPOINT, first, sizeof first);
    for (int i = 1; i < pieces; i++)
        recording_page(r, HC_STREAM_CHECKPOINT, piece, sizeof piece);
    recording_page(r, HC_STREAM_COMMIT, (const uint8_t *)&begin, sizeof begin);
    recording_page(r, HC_STREAM_MIXED, piece, sizeof piece);
}

/* A boot and one event. */
static void record_one(struct recording *r)
{
    uint64_t seed = 5;
    struct recorded e;
    recording_start(r, 0);
    recording_boot(r);
    do
        recording_random(r, &seed, &e);
    while (e.kind == HC_EVENT_MEMORY);
    recording_add(r, &e);
    recording_end(r);
}

/* A checkpoint one of whose pages is missing is none: memory that it does not tell of is taken for zero. */
static void checkpoint_with_a_hole(void **state)
{
    enum { PIECES = 3, FIRST = 2, LAST = FIRST + PIECES };
    (void)state;
    for (size_t gone = 0; gone < LAST + 2; gone++) {
        struct recording r;
        struct hc_log *log;
        struct hc_log_message message;
        const struct hc_log_segment *segments;
        record_one(&r);
        assert_int_equal(r.size, FIRST * HC_PAGE_SIZE);
        checkpoint(&r, PIECES);
        memset(r.image + gone * HC_PAGE_SIZE, 0xff, HC_PAGE_SIZE);
        assert_int_equal(hc_log_open_memory(&log, "image", r.image, r.size, &message), HC_LOG_OK);
        assert_int_equal(hc_log_segments(log, &segments), 2);
        bool whole = gone < FIRST || gone > LAST;
        assert_int_equal(segments[1].begin, whole ? HC_BEGIN_CHECKPOINT : HC_BEGIN_LOST);
        hc_log_free(log);
        recording_stop(&r);
    }
}

static void no_log(void **state)
{
    (void)state;
    struct hc_log *log;
    struct hc_log_message message;
    assert_int_equal(hc_log_open_memory(&log, "x", "", 0, &message), HC_LOG_EMPTY);
    assert_int_equal(hc_log_open_memory(&log, "x", "HHHHHHHHHHHHHHHHHHHHHHHHHH", 26, &message), HC_LOG_EMPTY);
    assert_null(log);
    assert_non_null(strstr(message.text, "x: there is no page of a recording in it"));
    assert_int_equal(hc_log_open_file(&log, "/nowhere/at/all", &message), HC_LOG_UNREADABLE);
    assert_int_equal(hc_log_open_file(&log, "/", &message), HC_LOG_UNREADABLE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation),
        cmocka_unit_test(every_missing_page),
        cmocka_unit_test(any_order),
        cmocka_unit_test(random_corruptions),
        cmocka_unit_test(container),
        cmocka_unit_test(header_elsewhere),
        cmocka_unit_test(checkpoint_with_a_hole),
        cmocka_unit_test(no_log),
    };
    if (argc > 1)
        corruptions = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
