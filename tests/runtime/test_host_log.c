/* The log in C on the host (runtime/log.c): power fails at every byte that is written, and again soon after. The log
 * goes on where it ended; nothing is lost but what was being written or erased. */
#include "runtime/host.h"

#include "../../runtime/log.h"
#include "critical.h"
#include "ram.h"
#include "sink.h"
#include "trace/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ram __hc_ram
#define self __hc_ram.recorder

/* ---- who writes ---- */

static uint16_t beginning; /* what the beginning of a segment that waits will be ended by */
static uint16_t segment;
static uint8_t payload[HC_PAGE_PAYLOAD];

static void put_page(uint8_t stream, uint16_t of)
{
    payload[0] = HC_TRACE_VERSION; /* where it means that */
    for (int i = 0; i < 8; i++)
        payload[1 + host_draw() % (HC_PAGE_PAYLOAD - 1)] = (uint8_t)host_draw();
    hc_log_write(stream, of, payload, stream == HC_STREAM_MARK ? 2 : HC_PAGE_PAYLOAD);
}

static void reset(void)
{
    memset(&__hc_ram, 0, sizeof __hc_ram);
    host.busy = 0;
    host.open = false;
    hc_sink_open();
    while (!hc_log_ready())
        ;
    segment = self.segment;
    beginning = HC_STREAM_BOOT;
    memset(payload, 0, sizeof payload);
}

static void put_beginning(void)
{
    if (host_draw() % 5) {
        put_page(HC_STREAM_CHECKPOINT, segment + 1);
        return;
    }
    put_page((uint8_t)beginning, ++segment);
    beginning = 0;
}

static void update(void)
{
    if (!hc_log_ready())
        return;
    if (beginning) {
        put_beginning();
    } else if (ram.work & HC_WORK_FREEZE) {
        ram.work ^= HC_WORK_FREEZE;
        put_page(HC_STREAM_MARK, segment);
    } else if (ram.work & HC_WORK_CHECKPOINT) {
        ram.work ^= HC_WORK_CHECKPOINT;
        put_page(HC_STREAM_MIXED, segment);
        beginning = host_draw() % 2 ? HC_STREAM_COMMIT : HC_STREAM_RECOVERY;
    } else if (host_draw() % 3) {
        put_page(HC_STREAM_MIXED, segment);
    } else {
        hc_log_erase_ahead();
    }
}

/* Until so much is written, or power fails. False: it failed. */
static bool live(long written)
{
    if (setjmp(host.dead))
        return false;
    reset();
    while (host.written < written)
        update();
    return true;
}

/* ---- the log ---- */

static bool whole(const uint8_t *p)
{
    return p[0] == HC_PAGE_MAGIC && p[9] <= HC_PAGE_PAYLOAD && hc_page_crc(0xffff, p, HC_PAGE_SIZE) == 0;
}

static uint32_t number(const uint8_t *p)
{
    return (uint32_t)(p[6] | p[7] << 8 | p[8] << 16);
}

static uint32_t boot_of(const uint8_t *p)
{
    return (uint32_t)(p[2] | p[3] << 8);
}

static uint32_t segment_of(const uint8_t *p)
{
    return (uint32_t)(p[4] | p[5] << 8);
}

/* No number of a page was given twice, no segment has pages of two boots, and nothing was programmed twice. */
static void check(const char *when, long k)
{
    int there[HOST_PAGES], count = 0;
    for (int i = 0; i < HOST_PAGES; i++)
        if (whole(host.flash + i * 256))
            there[count++] = i;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            const uint8_t *p = host.flash + there[i] * 256, *q = host.flash + there[j] * 256;
            if (number(p) == number(q))
                fail_msg("%s byte %ld: pages %d and %d have number %u", when, k, there[i], there[j], number(p));
            if (segment_of(p) == segment_of(q) && boot_of(p) != boot_of(q))
                fail_msg("%s byte %ld: two boots have segment %u", when, k, segment_of(p));
        }
    if (host.spoiled)
        fail_msg("%s byte %ld: a page was programmed twice", when, k);
}

/* Every whole page of BEFORE is still there, but for those of so many sectors. */
static void check_kept(const uint8_t *before, int sectors, const char *when, long k)
{
    int lost = 0;
    for (int s = 0; s < HOST_PAGES; s += HOST_SECTOR) {
        bool any = false;
        for (int i = s; i < s + HOST_SECTOR; i++)
            any |= whole(before + i * 256) && memcmp(before + i * 256, host.flash + i * 256, 256) != 0;
        lost += any;
    }
    if (lost > sectors)
        fail_msg("%s byte %ld: %d sectors lost pages", when, k, lost);
}

/* The host's reader opens it and finds every whole page. */
static void check_opens(long k)
{
    struct hc_log_message message;
    struct hc_log *log;
    const struct hc_log_page *pages;
    size_t there = 0;
    for (int i = 0; i < HOST_PAGES; i++)
        there += whole(host.flash + i * 256);
    enum hc_log_error error = hc_log_open_memory(&log, "flash", host.flash, sizeof host.flash, &message);
    if (error && !(error == HC_LOG_EMPTY && !there))
        fail_msg("cut at byte %ld: %s", k, message.text);
    assert_int_equal(log ? hc_log_pages(log, &pages) : 0, there);
    hc_log_free(log);
}

enum { ROUNDS = 3, WRITTEN = ROUNDS * HOST_FLASH };

static void test_uncut(void **unused)
{
    (void)unused;
    host_start(7);
    assert_true(live(WRITTEN));
    check("after", WRITTEN);
    int commits = 0;
    for (int i = 0; i < HOST_PAGES; i++)
        commits += whole(host.flash + i * 256) && host.flash[i * 256 + 1] == HC_STREAM_COMMIT;
    assert_true(commits > 0);
}

/* Cut at byte K, then a second time soon after the restart, then a life without a cut. */
static void cut_twice(long k, enum host_tear tear)
{
    static uint8_t before[HOST_FLASH];
    host_start(7);
    host.cut_at = k;
    host.tear = tear;
    assert_false(live(WRITTEN + HOST_FLASH));
    check("cut at", k);
    check_opens(k);
    memcpy(before, host.flash, sizeof before);
    host.cut_at = host.written + k % 700;
    assert_false(live(host.written + HOST_FLASH));
    check("second cut after", k);
    check_kept(before, 1, "second cut after", k);
    check_opens(k);
    memcpy(before, host.flash, sizeof before);
    host.cut_at = -1;
    assert_true(live(host.written + 2 * 256));
    check("life after", k);
    check_kept(before, 1, "life after", k);
    check_opens(k);
}

/* A step that is prime to all that repeats: every byte of a page and every page of the ring is met in time. */
static void test_every_byte(void **unused)
{
    (void)unused;
    const char *all = getenv("HC_TEST_ALL");
    for (enum host_tear t = 0; t < HOST_TEARS; t++)
        for (long k = 0; k < WRITTEN; k += all ? 1 : 97)
            cut_twice(k, t);
    for (long k = 0; k < 2 * 256; k++)
        cut_twice(k, HOST_TEAR_BYTE);
}

/* The chip was not blank: nothing is programmed twice, and later lives find the log. */
static void test_garbage(void **unused)
{
    (void)unused;
    for (int from = 0; from < HOST_PAGES; from += 3)
        for (int end = from + 1; end <= HOST_PAGES; end += 5) {
            host_start(9);
            for (int i = from * 256; i < end * 256; i++)
                host.flash[i] = i % 1024 ? (uint8_t)host_draw() : HC_PAGE_MAGIC;
            for (int life = 0; life < 4; life++) {
                assert_true(live(host.written + 256 * (HOST_SECTOR + life)));
                check("garbage, life", life);
                assert_int_equal(self.next.boot, life);
                assert_false(self.flags & HC_RAM_FLAG_FROZEN);
            }
        }
}

/* Frozen at any time, with a cut K bytes later: either not frozen yet, or everything is kept from then on. */
static void cut_freezing(long written, long k)
{
    static uint8_t before[HOST_FLASH];
    host_start(3);
    assert_true(live(written));
    if (!setjmp(host.dead)) {
        host.cut_at = host.written + k;
        ram.work |= HC_WORK_FREEZE;
        while (!(self.flags & HC_RAM_FLAG_FULL))
            update();
    }
    memcpy(before, host.flash, sizeof before);
    host.cut_at = -1;
    const uint8_t *mark = host.flash + (HOST_PAGES - 1) * 256;
    bool frozen = false;
    for (int i = 0; i < 256; i++)
        frozen |= mark[i] != 0xff;
    if (!frozen) {
        assert_true(live(host.written + HOST_FLASH));
        return;
    }
    reset();
    for (int i = 0; i < 100000 && !(self.flags & HC_RAM_FLAG_FULL); i++)
        update();
    assert_true(self.flags & HC_RAM_FLAG_FULL);
    check("frozen, cut at", k);
    check_kept(before, 0, "frozen, cut at", k);
}

static void test_freeze(void **unused)
{
    (void)unused;
    for (long written = 2 * HOST_FLASH; written < 3 * HOST_FLASH; written += 5 * 256)
        for (long k = 0; k < 12 * 256; k += 61)
            cut_freezing(written, k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uncut),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_freeze),
    };
    return cmocka_run_group_tests_name("host_log", tests, NULL, NULL);
}
