/* Power fails at every write of a recording, and again soon after: the log goes on where it ended, and nothing but what
 * was being written, or was about to be erased, is lost.
 *
 * The recorder's own log over a simulated flash, whose writes may be torn in several ways. The flash also refuses what
 * real flash would spoil silently: a page that is programmed twice. Who writes pages here does it as port/.../record.S;
 * test_sinks.c cuts the power of a whole node. */
#include "critical.h"
#include "link.h"
#include "port.h"
#include "ram.h"
#include "ring.h"
#include "sink/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST = HC_LOG_START >> 8, PAGES = (HC_LOG_END - HC_LOG_START) >> 8, SECTOR = HC_LOG_SECTOR >> 8 };

/* ---- what the recorder is linked with ---- */

struct hc_ram __hc_ram;

/* ---- flash ---- */

enum tear { UNTOUCHED, PREFIX, SOME_BITS, ALL, TEARS };

static struct {
    uint8_t bytes[PAGES * 256];
    int writes, fails_at; /* the write at which power fails */
    enum tear tear;
    uint32_t random;
    bool spoiled; /* by a program of something that was not blank */
    int busy;     /* looks until it is ready */
    uint8_t *page, buffer[HC_PAGE_SIZE];
    int at; /* of the page's bytes, the next one */
    bool programs;
    jmp_buf dead;
} flash;

static uint32_t draw(void)
{
    flash.random = flash.random * 1664525 + 1013904223;
    return flash.random >> 8;
}

void hc_sink_open(void)
{
}

bool hc_sink_close(void)
{
    return flash.busy == 0;
}

bool hc_sink_ready(void)
{
    if (flash.busy)
        flash.busy--;
    return flash.busy == 0;
}

/* True when this write is the last thing that happens. */
static bool is_cut(void)
{
    assert_int_equal(flash.busy, 0);
    return flash.writes++ == flash.fails_at;
}

static void program(uint8_t *to, const uint8_t *bytes)
{
    for (int i = 0; i < HC_PAGE_SIZE; i++)
        flash.spoiled |= to[i] != 0xff;
    bool cut = is_cut();
    int end = cut && flash.tear == PREFIX ? (int)(draw() % HC_PAGE_SIZE) : HC_PAGE_SIZE;
    for (int i = 0; i < end; i++) {
        if (!cut || flash.tear == PREFIX || flash.tear == ALL)
            to[i] &= bytes[i];
        else if (flash.tear == SOME_BITS)
            to[i] &= bytes[i] | (uint8_t)draw();
    }
    if (cut)
        longjmp(flash.dead, 1);
    flash.busy = 2;
}

void hc_sink_begin(uint8_t what, uint16_t page)
{
    assert_int_equal(flash.busy, 0);
    assert_in_range(page, FIRST, FIRST + PAGES - 1);
    flash.page = flash.bytes + (page - FIRST) * HC_PAGE_SIZE;
    flash.programs = what == HC_SINK_PROGRAM;
    flash.at = 0;
}

uint8_t hc_sink_exchange(uint8_t byte)
{
    if (!flash.programs)
        return flash.page[flash.at++];
    flash.buffer[flash.at++] = byte;
    if (flash.at == HC_PAGE_SIZE)
        program(flash.page, flash.buffer);
    return byte;
}

void hc_sink_erase(uint16_t page)
{
    assert_int_equal((page - FIRST) % SECTOR, 0);
    uint8_t *to = flash.bytes + (page - FIRST) * 256;
    bool cut = is_cut();
    for (int i = 0; i < SECTOR * 256; i++) {
        if (!cut || flash.tear == ALL || (flash.tear == PREFIX && i < SECTOR * 100))
            to[i] = 0xff;
        else if (flash.tear == SOME_BITS)
            to[i] |= (uint8_t)draw();
    }
    if (cut)
        longjmp(flash.dead, 1);
    flash.busy = 5;
}

/* ---- who writes ---- */

#define self __hc_ram.recorder

static void reset(void)
{
    memset(&__hc_ram, 0xa5, sizeof __hc_ram);
    self.flags = 0;
    __hc_ram.work = 0;
    self.made = HC_STREAM_BOOT; /* what the beginning that waits will be ended by */
    flash.busy = 0;
}

static void write(enum hc_stream stream, uint16_t segment)
{
    uint8_t payload[HC_PAGE_PAYLOAD];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)draw();
    hc_log_write((uint8_t)stream, segment, payload, stream == HC_STREAM_MARK ? 2 : sizeof payload);
}

static void write_beginning(void)
{
    if (draw() % 5) {
        write(HC_STREAM_CHECKPOINT, self.segment + 1);
        return;
    }
    self.segment++;
    write((enum hc_stream)self.made, self.segment);
    self.made = 0;
}

static void update(void)
{
    if (!hc_log_ready())
        return;
    if (self.made) {
        write_beginning();
    } else if (__hc_ram.work & HC_WORK_FREEZE) {
        write(HC_STREAM_MARK, self.segment);
        hc_atomic_clear(&__hc_ram.work, HC_WORK_FREEZE);
    } else if (__hc_ram.work & HC_WORK_CHECKPOINT) {
        if (draw() % 2)
            write(HC_STREAM_CHECKPOINT, self.segment + 1); /* there was no memory to wait in */
        write(HC_STREAM_MIXED, self.segment);
        self.made = HC_STREAM_COMMIT + (self.segment & 1);
        hc_atomic_clear(&__hc_ram.work, HC_WORK_CHECKPOINT);
    } else if (draw() % 3) {
        write(HC_STREAM_MIXED, self.segment);
    } else {
        hc_log_erase_ahead();
    }
}

/* Until WRITES writes were made, or power fails. False: it failed. */
static bool live(int writes)
{
    if (setjmp(flash.dead))
        return false;
    reset();
    while (flash.writes < writes)
        update();
    return true;
}

/* ---- the log ---- */

static bool whole(const uint8_t *p)
{
    return p[0] == HC_PAGE_MAGIC && p[9] <= HC_PAGE_PAYLOAD && hc_page_crc(0xffff, p, HC_PAGE_SIZE) == 0;
}

static uint32_t sequence(const uint8_t *p)
{
    return (uint32_t)(p[6] | p[7] << 8 | p[8] << 16);
}

static uint16_t segment(const uint8_t *p)
{
    return (uint16_t)(p[4] | p[5] << 8);
}

/* Of the flash as it is: whole pages have different numbers, the newest are in a row but for torn ones, and a segment
 * whose beginning is there has a beginning that can be used. */
static void check(const char *when, int k)
{
    static const uint8_t *by_number[1 << 16];
    memset(by_number, 0, sizeof by_number);
    int pages = 0;
    for (int i = 0; i < PAGES; i++) {
        const uint8_t *p = flash.bytes + i * 256;
        if (!whole(p))
            continue;
        if (by_number[sequence(p)])
            fail_msg("%s write %d: pages %d and %d have number %u (boots %d, %d)", when, k,
                     (int)(by_number[sequence(p)] - flash.bytes) / 256, i, sequence(p), by_number[sequence(p)][2],
                     p[2]);
        by_number[sequence(p)] = p;
        pages++;
    }
    if (flash.spoiled)
        fail_msg("%s write %d: a page was programmed twice", when, k);
    if (pages == 0 && k > 3)
        fail_msg("%s write %d: no page is whole", when, k);
}

/* Every whole page of BEFORE is still there, but for those of one sector. */
static void check_kept(const uint8_t *before, int k)
{
    int sectors = 0;
    for (int s = 0; s < PAGES / SECTOR; s++) {
        bool lost = false;
        for (int i = s * SECTOR; i < (s + 1) * SECTOR; i++)
            lost |= whole(before + i * 256) && memcmp(before + i * 256, flash.bytes + i * 256, 256) != 0;
        sectors += lost;
    }
    if (sectors > 1)
        fail_msg("cut at write %d: %d sectors lost pages", k, sectors);
}

static void start(int fails_at, enum tear tear)
{
    memset(flash.bytes, 0xff, sizeof flash.bytes);
    flash.writes = 0;
    flash.fails_at = fails_at;
    flash.tear = tear;
    flash.random = 7;
    flash.spoiled = false;
}

enum { WRITES = 6 * PAGES }; /* several times round */

static void test_uncut(void **unused)
{
    (void)unused;
    start(-1, ALL);
    assert_true(live(WRITES));
    check("after", WRITES);
    int commits = 0, recoveries = 0;
    for (int i = 0; i < PAGES; i++) {
        const uint8_t *p = flash.bytes + i * 256;
        commits += whole(p) && p[1] == HC_STREAM_COMMIT;
        recoveries += whole(p) && p[1] == HC_STREAM_RECOVERY;
    }
    assert_true(commits >= 2);
    assert_true(recoveries >= 1);
}

/* Cut at write K, then a second time J writes after the restart, then a life without a cut. */
static void cut_twice(int k, enum tear tear, int j)
{
    static uint8_t before[sizeof flash.bytes];
    start(k, tear);
    assert_false(live(WRITES + 1));
    check("cut at", k);
    memcpy(before, flash.bytes, sizeof before);
    uint16_t newest = 0;
    for (int i = 0; i < PAGES; i++)
        if (whole(before + i * 256) && segment(before + i * 256) > newest)
            newest = segment(before + i * 256);
    flash.fails_at = flash.writes + j;
    assert_false(live(flash.writes + j + 1));
    check("second cut after", k);
    check_kept(before, k);
    flash.fails_at = -1;
    assert_true(live(flash.writes + 2 * SECTOR));
    check("life after", k);
    assert_true((int16_t)(self.segment - newest) > 0 || k < 2);
}

static void test_every_write(void **unused)
{
    (void)unused;
    for (int k = 0; k < WRITES; k++)
        for (enum tear t = 0; t < TEARS; t++)
            cut_twice(k, t, k % 5);
}

/* Freezing, cut at every write: either frozen, with everything kept from then on, or not yet. */
static void test_freeze(void **unused)
{
    (void)unused;
    for (int k = 0; k < 12; k++) {
        for (enum tear t = 0; t < TEARS; t++) {
            start(-1, ALL);
            assert_true(live(3 * PAGES));
            if (!setjmp(flash.dead)) {
                flash.fails_at = flash.writes + k;
                flash.tear = t;
                hc_atomic_set(&__hc_ram.work, HC_WORK_FREEZE);
                while (!(self.flags & HC_LOG_FULL))
                    update();
            }
            static uint8_t before[sizeof flash.bytes];
            memcpy(before, flash.bytes, sizeof before);
            bool frozen = false;
            for (int i = 0; i < 256; i++)
                frozen |= flash.bytes[(PAGES - 1) * 256 + i] != 0xff;
            flash.fails_at = -1;
            if (frozen) {
                reset();
                for (int i = 0; i < 100000 && !(self.flags & HC_LOG_FULL); i++)
                    update();
                assert_true(self.flags & HC_LOG_FULL);
                check("frozen, cut at", k);
                for (int i = 0; i < PAGES; i++)
                    if (whole(before + i * 256))
                        assert_memory_equal(before + i * 256, flash.bytes + i * 256, 256);
            } else {
                assert_true(live(flash.writes + PAGES));
                check("not frozen, cut at", k);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uncut),
        cmocka_unit_test(test_every_write),
        cmocka_unit_test(test_freeze),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
