/* Power fails at every write of a recording, and again soon after: the log goes on where it ended, and nothing but what
 * was being written, or was about to be erased, is lost.
 *
 * The recorder's own C code over a simulated flash, whose writes may be torn in several ways. The flash also refuses
 * what real flash would spoil silently: a page that is programmed twice. */
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
const uint8_t __hc_cut_resume[1];
uint8_t host_memory[0x10000];
const struct hc_site __start_hc_sites[] = { { 0x0190 | 1 << 12 | 1 << 14, 0xffff }, { 0x0002, 0x00ff } };

enum { FREE = 0x2000, FREE_END = 0x3000 };

static struct hc_link link_table = {
    .magic = HC_LINK_MAGIC,
    .build = "buildid",
    .free = { FREE, FREE_END },
    .pieces = { [0] = { 0x11f0, 0x1200 }, [6] = { 0x1100, 0x1200 }, [7] = { 0x1800, FREE } },
};
extern const volatile struct hc_link __hc_link __attribute__((alias("link_table")));

bool hc_port_may_write(bool urgent)
{
    (void)urgent;
    return true;
}

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

/* ---- the program ---- */

static void append(uint16_t first, uint16_t second)
{
    struct hc_ram *r = &__hc_ram;
    uint16_t words[2] = { first, second };
    r->room -= 4;
    if (r->room < 0) {
        r->room = (int16_t)HC_ROOM_LOST;
        r->lost++;
        return;
    }
    memcpy(r->ring + r->head, words, 4);
    r->head = (uint16_t)((r->head + 4) % HC_RING);
}

/* Until WRITES writes were made, or power fails. False: it failed. */
static bool live(int writes)
{
    if (setjmp(flash.dead))
        return false;
    memset(&__hc_ram, 0xa5, sizeof __hc_ram);
    memset(host_memory + FREE, 0, FREE_END - FREE);
    flash.busy = 0;
    __hc_record_reset();
    for (uint32_t t = 0; flash.writes < writes; t++) {
        for (int i = 0; i < 8; i++)
            append(HOST_SITES, (uint16_t)draw());
        append(HOST_SITES + 4, draw() % 3);
        if (t % 500 == 499)
            for (int i = 0; i < HC_RING; i++)
                append(HOST_SITES, 1); /* too much at a time */
        if (t % 1700 == 1699)
            hc_atomic_set(&__hc_ram.work, HC_WORK_CHECKPOINT);
        host_memory[0x1100 + draw() % 0xe0] = (uint8_t)draw();
        __hc_record_update();
    }
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
    assert_true(__hc_ram.segment > newest || k < 2);
}

static void test_every_write(void **unused)
{
    (void)unused;
    for (int k = 0; k < WRITES; k++) {
        link_table.free.end = k % 2 ? FREE_END : FREE; /* with and without memory in which checkpoints may wait */
        for (enum tear t = 0; t < TEARS; t++)
            cut_twice(k, t, k % 5);
    }
    link_table.free.end = FREE_END;
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
                __hc_ram.reason = 5;
                hc_atomic_set(&__hc_ram.work, HC_WORK_FREEZE);
                for (int i = 0; i < 50; i++) {
                    append(HOST_SITES, (uint16_t)draw());
                    __hc_record_update();
                }
                for (;;) {
                    append(HOST_SITES, (uint16_t)draw());
                    __hc_record_update();
                    if (__hc_ram.recorder.flags & HC_LOG_FULL)
                        break;
                }
            }
            static uint8_t before[sizeof flash.bytes];
            memcpy(before, flash.bytes, sizeof before);
            bool frozen = false;
            for (int i = 0; i < 256; i++)
                frozen |= flash.bytes[(PAGES - 1) * 256 + i] != 0xff;
            flash.fails_at = -1;
            if (frozen) {
                memset(&__hc_ram, 0xa5, sizeof __hc_ram);
                flash.busy = 0;
                __hc_record_reset();
                for (int i = 0; i < 100000 && !(__hc_ram.recorder.flags & HC_LOG_FULL); i++) {
                    append(HOST_SITES, (uint16_t)draw());
                    __hc_record_update();
                }
                assert_true(__hc_ram.recorder.flags & HC_LOG_FULL);
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
