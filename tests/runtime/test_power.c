/* Power fails at every write of a recording, and again soon after: the log goes on where it ended, and nothing but what
 * was being written, or was about to be erased, is lost.
 *
 * The recorder's own log on the machine, over a simulated flash of four small sectors, whose writes may be torn in
 * several ways: the sink's functions are answered here. The flash also refuses what real flash would spoil silently: a
 * page that is programmed twice. Who writes pages here does it as port/.../record.S; test_sinks.c cuts the power of a
 * whole node. */
#include "runtime/recording.h"

#include "../../runtime/port/msp430/layout.h"
#include "../../runtime/sink.h"
#include "trace/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FIRST = HC_LOG_START >> 8, PAGES = (HC_LOG_END - HC_LOG_START) >> 8, SECTOR = HC_LOG_SECTOR >> 8 };

/* ---- the node ---- */

static struct {
    struct harness h;
    uint32_t ram, payload;                     /* addresses */
    uint32_t ready, write, erase_ahead, again; /* of functions, and where they return to */
    jmp_buf dead;
} node;

static uint16_t get(uint32_t offset)
{
    return hc_peek16(node.h.machine, node.ram + offset);
}

static void set(uint32_t offset, uint16_t value)
{
    hc_poke16(node.h.machine, node.ram + offset, value);
}

/* ---- flash ---- */

enum tear { UNTOUCHED, PREFIX, SOME_BITS, ALL, TEARS };

static struct {
    uint8_t bytes[PAGES * HC_PAGE_SIZE];
    uint8_t before[PAGES * HC_PAGE_SIZE]; /* the write at which power failed */
    int writes, fails_at;
    enum tear tear;
    uint32_t random;
    bool spoiled; /* by a program of something that was not blank */
    int busy;     /* looks until it is ready */
} flash;

static uint32_t draw(void)
{
    flash.random = flash.random * 1664525 + 1013904223;
    return flash.random >> 8;
}

/* True when this write is the last thing that happens. */
static bool is_cut(void)
{
    assert_int_equal(flash.busy, 0);
    if (flash.writes++ != flash.fails_at)
        return false;
    memcpy(flash.before, flash.bytes, sizeof flash.before);
    return true;
}

static uint8_t *page_at(uint16_t page)
{
    assert_int_equal(flash.busy, 0);
    assert_in_range(page, FIRST, FIRST + PAGES - 1);
    return flash.bytes + (page - FIRST) * HC_PAGE_SIZE;
}

static enum hc_action answer(uint16_t value)
{
    for (int r = 11; r < 16; r++)
        hc_set_register(node.h.machine, r, (uint16_t)draw());
    hc_set_register(node.h.machine, 12, value);
    return HC_ANSWER;
}

static enum hc_action sink_ready(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)m, (void)pc;
    if (flash.busy)
        flash.busy--;
    return answer(flash.busy == 0);
}

static bool is_blank(const uint8_t *page, int size)
{
    int i = 0;
    while (i < size && page[i] == 0xff)
        i++;
    return i == size;
}

static enum hc_action sink_used(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    return answer(!is_blank(page_at(hc_register(m, 12)), hc_register(m, 13)));
}

static enum hc_action read_page(struct hc_machine *m, const uint8_t *page)
{
    for (uint32_t i = 0; i < HC_PAGE_HEADER; i++)
        hc_poke(m, node.ram + HC_RAM_NEXT + i, page[i]);
    return answer(page[0] == HC_PAGE_MAGIC ? hc_page_crc(0xffff, page, HC_PAGE_SIZE) : 0xffff);
}

static enum hc_action sink_look(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    const uint8_t *page = page_at(hc_register(m, 12));
    read_page(m, page);
    return answer(page[0] == HC_PAGE_MAGIC);
}

static enum hc_action program(uint8_t *to, const uint8_t *bytes)
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
    flash.busy = 2;
    return cut ? HC_STOP : answer(0);
}

static enum hc_action sink_transfer(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    uint8_t *to = page_at(hc_register(m, 13)), bytes[HC_PAGE_SIZE];
    if (hc_register(m, 12) == HC_SINK_READ)
        return read_page(m, to);
    assert_int_equal(hc_register(m, 12), HC_SINK_PROGRAM);
    memset(bytes, 0, sizeof bytes);
    uint32_t end = HC_PAGE_HEADER + hc_peek(m, node.ram + HC_RAM_NEXT + HC_PAGE_LENGTH);
    for (uint32_t i = 0; i < end; i++)
        bytes[i] =
            hc_peek(m, i < HC_PAGE_HEADER ? node.ram + HC_RAM_NEXT + i : hc_register(m, 14) + i - HC_PAGE_HEADER);
    uint16_t crc = hc_page_crc(0xffff, bytes, HC_PAGE_CRC);
    bytes[HC_PAGE_CRC] = (uint8_t)(crc >> 8);
    bytes[HC_PAGE_CRC + 1] = (uint8_t)crc;
    return program(to, bytes);
}

static enum hc_action sink_erase(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)pc;
    uint8_t *to = page_at(hc_register(m, 12));
    assert_int_equal((hc_register(m, 12) - FIRST) % SECTOR, 0);
    bool cut = is_cut();
    for (int i = 0; i < SECTOR * HC_PAGE_SIZE; i++) {
        if (!cut || flash.tear == ALL || (flash.tear == PREFIX && i < SECTOR * 100))
            to[i] = 0xff;
        else if (flash.tear == SOME_BITS)
            to[i] |= (uint8_t)draw();
    }
    flash.busy = 5;
    return cut ? HC_STOP : answer((uint16_t)draw());
}

/* ---- who writes ---- */

static enum hc_action returned(void *unused, struct hc_machine *m, uint32_t pc)
{
    (void)unused, (void)m, (void)pc;
    return HC_STOP;
}

/* A function of the node with arguments in r12..r15; returns r12. Does not return when power fails meanwhile. */
static uint16_t call(uint32_t function, const uint16_t arguments[4])
{
    struct hc_machine *m = node.h.machine;
    enum { KEPT = 4, ARGUMENTS = 12, STACK = HC_RAM_STACK_TOP - 2 };
    for (int r = 0; r < 4; r++)
        hc_set_register(m, ARGUMENTS + r, arguments[r]);
    for (int r = KEPT; r < 11; r++)
        hc_set_register(m, r, (uint16_t)(0x1111 * r));
    set(STACK, (uint16_t)node.again);
    hc_set_register(m, HC_SP, (uint16_t)(node.ram + STACK));
    hc_set_register(m, HC_PC, (uint16_t)function);
    assert_int_equal(hc_machine_run(m, hc_now(m) + hc_ms(1000)), HC_STOP_HOOK);
    if (hc_register(m, HC_PC) != node.again)
        longjmp(node.dead, 1);
    for (int r = KEPT; r < 11; r++)
        assert_int_equal(hc_register(m, r), 0x1111 * r);
    return hc_register(m, ARGUMENTS);
}

static bool has_records; /* of the beginning that is being written */

/* Records that fill a page, the first ones of a beginning or others. */
static void make_records(void)
{
    const uint16_t first[] = { HC_RECORD_FIRST, 0, HC_RECORD_PERIPHERALS, HC_PAGE_PAYLOAD - 8 };
    const uint16_t other[] = { 0x1200, HC_PAGE_PAYLOAD - 4 };
    const uint16_t *words = has_records ? other : first;
    for (uint32_t i = 0; i < (has_records ? 2 : 4); i++)
        hc_poke16(node.h.machine, node.payload + 2 * i, words[i]);
    has_records = true;
}

static void write(enum hc_stream stream, uint16_t segment)
{
    const uint8_t length = stream == HC_STREAM_MARK ? 2 : HC_PAGE_PAYLOAD;
    for (uint32_t i = 0; i < 8; i++)
        hc_poke(node.h.machine, node.payload + draw() % HC_PAGE_PAYLOAD, (uint8_t)draw());
    hc_poke(node.h.machine, node.payload, HC_TRACE_VERSION); /* where it means that */
    hc_poke(node.h.machine, node.payload + 1, 0);
    if (stream == HC_STREAM_CHECKPOINT)
        make_records();
    call(node.write, (uint16_t[]){ (uint16_t)stream, segment, (uint16_t)node.payload, length });
}

static uint16_t beginning; /* what the beginning of a segment that waits will be ended by */

static void reset(void)
{
    for (uint32_t at = 0; at < HC_RAM_TRIES; at += 2)
        set(at, 0);
    beginning = HC_STREAM_BOOT;
    has_records = false;
    flash.busy = 0;
}

static void write_beginning(void)
{
    uint16_t segment = get(HC_RAM_SEGMENT) + 1;
    if (draw() % 5 || !has_records) {
        write(HC_STREAM_CHECKPOINT, segment);
        return;
    }
    set(HC_RAM_SEGMENT, segment);
    write((enum hc_stream)beginning, segment);
    beginning = 0;
    has_records = false;
}

static void update(void)
{
    uint16_t work = get(HC_RAM_WORK), segment = get(HC_RAM_SEGMENT);
    if (!call(node.ready, (uint16_t[4]){ 0 }))
        return;
    if (beginning) {
        write_beginning();
    } else if (work & HC_WORK_FREEZE) {
        set(HC_RAM_WORK, work ^ HC_WORK_FREEZE);
        write(HC_STREAM_MARK, segment);
    } else if (work & HC_WORK_CHECKPOINT) {
        set(HC_RAM_WORK, work ^ HC_WORK_CHECKPOINT);
        if (draw() % 2)
            write(HC_STREAM_CHECKPOINT, segment + 1); /* there was no memory to wait in */
        write(HC_STREAM_MIXED, segment);
        beginning = draw() % 2 ? HC_STREAM_COMMIT : HC_STREAM_RECOVERY;
    } else if (draw() % 3) {
        write(HC_STREAM_MIXED, segment);
    } else {
        call(node.erase_ahead, (uint16_t[4]){ 0 });
    }
}

static bool is_full(void)
{
    return get(HC_RAM_FLAGS) & HC_RAM_FLAG_FULL;
}

/* Until WRITES writes were made, or power fails. False: it failed. */
static bool live(int writes)
{
    if (setjmp(node.dead))
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

static uint16_t boot(const uint8_t *p)
{
    return (uint16_t)(p[2] | p[3] << 8);
}

/* Of the flash as it is: no number of a page or of a segment was given twice, and no page was programmed twice. */
static void check(const char *when, int k)
{
    static const uint8_t *by_number[1 << 16], *by_segment[1 << 16];
    memset(by_number, 0, sizeof by_number);
    memset(by_segment, 0, sizeof by_segment);
    int pages = 0;
    for (int i = 0; i < PAGES; i++) {
        const uint8_t *p = flash.bytes + i * 256;
        if (!whole(p))
            continue;
        if (by_number[sequence(p)])
            fail_msg("%s write %d: pages %d and %d have number %u (boots %d, %d)", when, k,
                     (int)(by_number[sequence(p)] - flash.bytes) / 256, i, sequence(p), by_number[sequence(p)][2],
                     p[2]);
        const uint8_t *other = by_segment[segment(p)];
        if (other && boot(other) != boot(p))
            fail_msg("%s write %d: boots %u and %u have a segment %u", when, k, boot(other), boot(p), segment(p));
        by_number[sequence(p)] = by_segment[segment(p)] = p;
        pages++;
    }
    if (flash.spoiled)
        fail_msg("%s write %d: a page was programmed twice", when, k);
    if (pages == 0 && k > 3)
        fail_msg("%s write %d: no page is whole", when, k);
}

/* ---- what was there before ---- */

static bool is_same(const uint8_t *before, size_t offset)
{
    return memcmp(before + offset, flash.bytes + offset, HC_PAGE_SIZE) == 0;
}

/* Every whole page of BEFORE is still there, but for those of one sector. */
static void check_pages(const uint8_t *before, int k)
{
    int sectors = 0;
    for (int s = 0; s < PAGES / SECTOR; s++) {
        bool lost = false;
        for (int i = s * SECTOR; i < (s + 1) * SECTOR; i++)
            lost |= whole(before + i * HC_PAGE_SIZE) && !is_same(before, (size_t)i * HC_PAGE_SIZE);
        sectors += lost;
    }
    if (sectors > 1)
        fail_msg("cut at write %d: %d sectors lost pages", k, sectors);
}

/* NULL: there is nothing in it. */
static struct hc_log *open_log(const uint8_t *bytes)
{
    struct hc_log_message message;
    struct hc_log *log;
    enum hc_log_error error = hc_log_open_memory(&log, "flash", bytes, sizeof flash.bytes, &message);
    if (error && error != HC_LOG_EMPTY)
        fail_msg("%s", message.text);
    return log;
}

/* Whether S can be replayed, and all its pages are still there, and the one before it: without that nobody knows
 * whether its beginning began earlier. */
static bool must_stand(const struct hc_log *log, const struct hc_log_segment *s, const uint8_t *before)
{
    const struct hc_log_page *page;
    hc_log_pages(log, &page);
    if (s->first_page && !is_same(before, page[s->first_page - 1].offset))
        return false;
    for (size_t i = s->first_page; i < s->first_page + s->page_count; i++)
        if (page[i].segment == s->number && page[i].boot == s->boot && !is_same(before, page[i].offset))
            return false;
    return (s->begin == HC_BEGIN_BOOT || s->begin == HC_BEGIN_CHECKPOINT) && !s->damaged;
}

static bool stands(const struct hc_log *log, const struct hc_log_segment *was)
{
    const struct hc_log_segment *segment;
    size_t count = hc_log_segments(log, &segment);
    for (size_t i = 0; i < count; i++)
        if (segment[i].number == was->number && segment[i].boot == was->boot)
            return segment[i].begin == was->begin && !segment[i].damaged &&
                   segment[i].pages[HC_STREAM_MIXED] >= was->pages[HC_STREAM_MIXED];
    return false;
}

/* Returns how many segments of BEFORE had to stand. */
static int check_segments(const uint8_t *before, int k)
{
    struct hc_log *then = open_log(before), *now = open_log(flash.bytes);
    const struct hc_log_segment *segment;
    size_t count = then ? hc_log_segments(then, &segment) : 0;
    int found = 0;
    for (size_t i = 0; i < count; i++) {
        if (!must_stand(then, &segment[i], before))
            continue;
        found++;
        if (!now || !stands(now, &segment[i]))
            fail_msg("cut at write %d: segment %u of boot %u is lost", k, segment[i].number, segment[i].boot);
    }
    hc_log_free(then);
    hc_log_free(now);
    return found;
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
    int commits = 0;
    for (int i = 0; i < PAGES; i++) {
        const uint8_t *p = flash.bytes + i * HC_PAGE_SIZE;
        commits += whole(p) && (p[1] == HC_STREAM_COMMIT || p[1] == HC_STREAM_RECOVERY);
    }
    assert_true(commits >= 3);
}

/* The chip was not blank, from page FROM to END: nothing is programmed twice, and later lives find the log. */
static void begin_in_garbage(int from, int end)
{
    start(-1, ALL);
    for (int i = from * HC_PAGE_SIZE; i < end * HC_PAGE_SIZE; i++)
        flash.bytes[i] = (uint8_t)draw();
    for (int life = 0; life < 4; life++) {
        assert_true(live(flash.writes + SECTOR + life));
        check("garbage, life", life);
        assert_int_equal(get(HC_RAM_NEXT + 2), life); /* the boot */
        assert_false(get(HC_RAM_FLAGS) & HC_RAM_FLAG_FROZEN);
    }
}

static void test_garbage(void **unused)
{
    (void)unused;
    for (int from = 0; from < PAGES; from++)
        for (int end = from + 1; end <= PAGES; end++)
            begin_in_garbage(from, end);
}

/* Cut at write K, then a second time J writes after the restart, then a life without a cut. Returns how many segments
 * were there at the first one. */
static int cut_twice(int k, enum tear tear, int j)
{
    static uint8_t before[sizeof flash.bytes];
    start(k, tear);
    assert_false(live(WRITES + 1));
    check("cut at", k);
    int segments = check_segments(flash.before, k);
    memcpy(before, flash.bytes, sizeof before);
    uint16_t newest = 0;
    for (int i = 0; i < PAGES; i++)
        if (whole(before + i * HC_PAGE_SIZE) && segment(before + i * HC_PAGE_SIZE) > newest)
            newest = segment(before + i * HC_PAGE_SIZE);
    flash.fails_at = flash.writes + j;
    assert_false(live(flash.writes + j + 1));
    check("second cut after", k);
    check_pages(before, k);
    check_segments(before, k);
    flash.fails_at = -1;
    assert_true(live(flash.writes + 2 * SECTOR));
    check("life after", k);
    assert_true((int16_t)(get(HC_RAM_SEGMENT) - newest) > 0 || k < 2);
    return segments;
}

static void test_every_write(void **unused)
{
    (void)unused;
    int segments = 0;
    for (int k = 0; k < WRITES; k++)
        for (enum tear t = 0; t < TEARS; t++)
            segments += cut_twice(k, t, k % 5);
    print_message("power: %d cuts, %d segments stood\n", WRITES * TEARS, segments);
    assert_true(segments > 2 * WRITES * TEARS);
}

/* Whether the sector that was begun last has a blank page behind all others. */
static bool has_room(void)
{
    int newest = 0;
    for (int i = 0; i < PAGES - 1; i++) {
        const uint8_t *p = flash.bytes + i * HC_PAGE_SIZE, *q = flash.bytes + newest * HC_PAGE_SIZE;
        if (whole(p) && (!whole(q) || sequence(p) > sequence(q)))
            newest = i;
    }
    int last = newest | (SECTOR - 1);
    return is_blank(flash.bytes + (last < PAGES - 1 ? last : PAGES - 2) * HC_PAGE_SIZE, HC_PAGE_SIZE);
}

/* Freezing after WRITES writes, cut K writes later: either frozen, with everything kept from then on, or not yet. */
static void cut_freezing(int writes, int k, enum tear tear)
{
    static uint8_t before[sizeof flash.bytes];
    start(-1, ALL);
    assert_true(live(writes));
    if (!setjmp(node.dead)) {
        flash.fails_at = flash.writes + k;
        flash.tear = tear;
        set(HC_RAM_WORK, get(HC_RAM_WORK) | HC_WORK_FREEZE);
        while (!is_full())
            update();
    }
    memcpy(before, flash.bytes, sizeof before);
    flash.fails_at = -1;
    if (is_blank(flash.bytes + (PAGES - 1) * HC_PAGE_SIZE, HC_PAGE_SIZE)) {
        assert_true(live(flash.writes + PAGES));
        check("not frozen, cut at", k);
        return;
    }
    bool goes_on = has_room();
    int written = flash.writes;
    reset();
    for (int i = 0; i < 100000 && !is_full(); i++)
        update();
    assert_true(is_full());
    assert_int_equal(flash.writes > written, goes_on);
    check("frozen, cut at", k);
    for (int i = 0; i < PAGES; i++)
        if (whole(before + i * HC_PAGE_SIZE))
            assert_true(is_same(before, (size_t)i * HC_PAGE_SIZE));
}

static void test_freeze(void **unused)
{
    (void)unused;
    for (int writes = 3 * PAGES; writes < 4 * PAGES + PAGES / SECTOR; writes += 5) /* at any place of the ring */
        for (int k = 0; k < 12; k++)
            for (enum tear t = 0; t < TEARS; t++)
                cut_freezing(writes, k, t);
}

static int start_node(void **unused)
{
    static const struct {
        const char *name;
        hc_pc_fn *answer;
    } sink[] = { { "hc_sink_ready", sink_ready },
                 { "hc_sink_used", sink_used },
                 { "hc_sink_transfer", sink_transfer },
                 { "hc_sink_erase", sink_erase },
                 { "hc_sink_look", sink_look } };
    struct hc_symbol symbol;
    (void)unused;
    start(-1, ALL);
    recording_start(&node.h, "small_sectors");
    node.ram = harness_address(&node.h, "__hc_ram");
    for (size_t i = 0; i < sizeof sink / sizeof *sink; i++)
        if (hc_image_symbol(node.h.image, sink[i].name, &symbol)) /* not each recorder needs all of them */
            hc_hook_pc(node.h.machine, symbol.address, sink[i].answer, NULL);
    harness_run_to(&node.h, "main", hc_ms(1000)); /* the log was opened, and the watchdog is held */
    node.payload = harness_address(&node.h, "__hc_ram_end");
    node.ready = harness_address(&node.h, "hc_log_ready");
    node.write = harness_address(&node.h, "hc_log_write");
    node.erase_ahead = harness_address(&node.h, "hc_log_erase_ahead");
    node.again = harness_address(&node.h, "main");
    hc_hook_pc(node.h.machine, node.again, returned, NULL);
    return 0;
}

static int stop_node(void **unused)
{
    (void)unused;
    harness_stop(&node.h);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uncut),
        cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_every_write),
        cmocka_unit_test(test_freeze),
    };
    return cmocka_run_group_tests(tests, start_node, stop_node);
}
