#include "runtime/life.h"

#include "critical.h"
#include "link.h"
#include "ram.h"
#include "rescue.h"
#include "ring.h"
#include "runtime/host.h"
#include "trace/feed.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ram __hc_ram
#define self __hc_ram.recorder

/* ---- the program ---- */

enum {
    SITES = 12,
    SITES_AT = 0x8000,
    LINK_AT = 0x9000,
    DUMP_AT = 0x9100,
    RAM_AT = 0x1100,
    FLASH_WORDS = 0xf000, /* that outlive a reset */
    EVENTS_MAX = 60000,
    STATES_MAX = 400,
    STATE_SIZE = 0x4000, /* of memory that is compared */
};

/* State, timers, data bytes and words, vectors. */
static const struct hc_site sites[SITES] = {
    { 0x002, 0x01 },    { 0x020, 0xff },  { 0x5170, 0xffff }, { 0x5190, 0xffff }, { 0x2076, 0xff },   { 0x207e, 0xff },
    { 0x6140, 0x0fff }, { 0x711e, 0x1e }, { 0x023, 0xff },    { 0x4182, 0x40b },  { 0x5192, 0xffff }, { 0x030, 0x80 },
};
static const struct hc_site_table table = { sites, SITES, SITES_AT };

static const uint8_t dump[] = { 0x10, 4, 0x20, 6, 0xf0, 1, 0x30, 3 }; /* bytes up to 0x100, then words */

/* The link step's table, which is flash for the recorder. */
static struct hc_link *link(void)
{
    return (struct hc_link *)(void *)(hc_host_memory + LINK_AT);
}

struct event {
    enum { READ, INTERRUPT } kind;
    bool lost; /* or a reset came while it was appended */
    uint16_t boot, segment;
    uint16_t site, value, base;
    bool has_base;
    struct hc_ring_interrupt interrupt;
};

/* Memory as it was at the beginning of a segment. */
struct state {
    uint16_t boot, segment, count;
    uint16_t lowest; /* below it the recorder has what it works on */
    bool is_boot;
    uint8_t memory[STATE_SIZE];
};

static struct {
    const uint8_t *bytes;
    size_t size;
    struct event event[EVENTS_MAX];
    size_t events;
    struct state state[STATES_MAX];
    size_t states;
    uint16_t boot, segment; /* that the program is in */
    uint16_t sp;
    uint16_t limit; /* of updates */
    bool has_base[8];
    uint16_t base[8];
    long reset_at;      /* a reset comes at that access to memory in the next update */
    unsigned in_update; /* interrupts that may come meanwhile */
    bool updating;
    struct life_report *report;
} life;

static uint8_t next_byte(void)
{
    if (!life.size)
        return 0;
    life.size--;
    return *life.bytes++;
}

static uint16_t next_word(void)
{
    uint16_t low = next_byte();
    return (uint16_t)(low | next_byte() << 8);
}

/* ---- events ---- */

/* The segment that the program is in may have changed: it was in the one before up to here. */
static void look_at_segment(bool reset)
{
    uint16_t segment = self.present;
    if (!reset && life.segment == segment)
        return;
    life.segment = segment;
    life.boot = self.next.boot;
    memset(life.has_base, 0, sizeof life.has_base);
    assert(life.states < STATES_MAX);
    struct state *s = &life.state[life.states++];
    *s = (struct state){ .boot = life.boot, .segment = life.segment, .count = ram.count, .is_boot = reset };
    s->lowest = self.lowest > link()->free.start ? self.lowest : link()->free.start;
    memcpy(s->memory, hc_host_memory, sizeof s->memory);
}

static struct event *new_event(void)
{
    look_at_segment(false);
    if (life.events == EVENTS_MAX)
        return NULL;
    struct event *e = &life.event[life.events++];
    *e = (struct event){ .boot = life.boot, .segment = life.segment, .lost = true };
    life.report->events++;
    return e;
}

static void end_event(struct event *e)
{
    e->lost = ram.room < 0;
    life.report->lost += e->lost;
    ram.count = 0;
}

static void do_read(uint16_t site, uint16_t value)
{
    const struct hc_site *s = &sites[site];
    struct event *e = new_event();
    if (!e)
        return;
    e->kind = READ;
    e->site = site;
    e->value = value & s->mask;
    if (HC_SITE_CLASS(s) == HC_SITE_TIMER) {
        uint16_t slot = HC_SITE_ADDRESS(s) >> 6 & 7;
        e->has_base = life.has_base[slot];
        e->base = life.base[slot];
        life.has_base[slot] = false;
    }
    hc_ring_put_read((uint16_t)(SITES_AT + site * sizeof *s), e->value,
                     HC_SITE_WORD(s)                    ? HC_RING_READ_WORD
                     : HC_SITE_CLASS(s) >= HC_SITE_DATA ? HC_RING_READ_DATA
                                                        : HC_RING_READ_BYTE);
    end_event(e);
}

static void do_interrupt(uint8_t how, uint16_t pc, uint16_t count)
{
    struct event *e = new_event();
    if (!e)
        return;
    e->kind = INTERRUPT;
    uint8_t vector = how & 15;
    e->interrupt.tag = (uint16_t)(2 * vector);
    if (how & 0x10)
        e->interrupt.tag |= HC_RING_ASLEEP;
    else if (how & 0x20)
        e->interrupt.tag |= HC_RING_HASHED;
    if (how & 0x40)
        e->interrupt.tag |= vector & 1 ? 0x100 : 0x200;
    e->interrupt.pc = pc;
    e->interrupt.count = ram.count = count;
    e->interrupt.hash = (uint32_t)pc * 0x10203 + count;
    e->interrupt.ccr0 = (uint16_t)(pc ^ count << 3);
    hc_ring_put_interrupt(&e->interrupt);
    end_event(e);
    if (how & 0x40) {
        uint16_t slot = (uint16_t)(HC_TIMER_ADDRESS((uint16_t)(vector & 1 ? 1 : 2)));
        life.has_base[slot >> 6 & 7] = true;
        life.base[slot >> 6 & 7] = e->interrupt.ccr0;
    }
}

/* ---- memory ---- */

static uint16_t range_word(struct hc_link_range range)
{
    return (uint16_t)(range.start + next_word() % (range.end - range.start) / 2 * 2);
}

static void write_memory(uint8_t how)
{
    static const int pieces[] = { 0, 1, 3, 4 };
    struct hc_link_range range = link()->pieces[pieces[how & 3]];
    if (range.start == range.end)
        return;
    uint16_t at = range_word(range);
    for (int i = 0; i < 1 + (how >> 2 & 15) && at < range.end; i++, at += 2)
        HC_MEMORY16(at) = next_word();
}

/* The stack grows or shrinks; what is below it stays as it was. */
static void move_stack(uint8_t how)
{
    struct hc_link_range range = link()->free;
    for (int i = 0; i < (how & 31) && life.sp > range.start + 40; i++) {
        life.sp -= 2;
        HC_MEMORY16(life.sp) = (uint16_t)(next_byte() * 0x101);
    }
    if (how & 0x80)
        life.sp = (uint16_t)(range.end - 8 - 2 * (how & 15));
}

/* ---- the recorder ---- */

/* An interrupt inside of hc_update, as entry.S does it: its frame lies on the program's stack. */
static void interrupt_inside(void)
{
    if (!life.in_update || !life.updating)
        return;
    life.in_update--;
    uint8_t how = next_byte();
    if (how < 0x60)
        return;
    look_at_segment(false);
    uint16_t sp = life.sp;
    for (int i = 0; i < 8 && life.sp > link()->free.start + 20; i++) {
        life.sp -= 2;
        HC_MEMORY16(life.sp) = (uint16_t)(how * 0x333 + i);
    }
    ram.idle++;
    do_interrupt(how & 0x4f, 0x4002, ram.count);
    if (how & 1)
        do_read(5, how);
    if (how & 2)
        write_memory(how);
    life.sp = sp;
    ram.application_sp = sp;
}

static void enter_recorder(void)
{
    for (int i = 0; i < 12; i++)
        ram.application[i] = (uint16_t)(0x1111 * i + life.events);
    ram.application_sp = life.sp;
}

/* As entry.S has it. */
static bool clock_is_due(void)
{
    if (--ram.idle)
        return false;
    ram.idle = HC_IDLE;
    return (uint16_t)(HC_MEMORY16(ram.clock) - self.stamp) >= HC_CLOCK_STEP;
}

static void update(uint16_t limit)
{
    ram.limit = limit;
    ram.count++;
    if (ram.room >= (int16_t)limit && (limit & 1 || !ram.work))
        if (limit & 1 || !clock_is_due())
            return;
    enter_recorder();
    life.updating = true;
    hc_host_status = HC_STATUS_ENABLED;
    host.accesses = life.reset_at;
    life.reset_at = 0;
    __hc_record_update();
    host.accesses = 0;
    hc_host_status = 0;
    life.updating = false;
    assert(!host.open);
    look_at_segment(false);
}

static void reset(void)
{
    life.sp = (uint16_t)(link()->free.end - 8);
    life.updating = false;
    memset(life.has_base, 0, sizeof life.has_base);
    host.open = false;
    hc_host_status = 0;
    life.report->shelved += ram.magic == hc_rescue_magic() && self.shelf != self.shelf_end;
    __hc_record_reset();
    assert(!host.open);
    look_at_segment(true);
    for (size_t i = 0; i < 8; i++) /* the program's start */
        HC_MEMORY16(link()->pieces[1].start + 2 * i) = (uint16_t)i;
    life.report->resets++;
}

static void lose_power(void)
{
    for (size_t i = 0; i < STATE_SIZE; i++)
        hc_host_memory[i] = (uint8_t)(i % 3 ? 0 : host_draw());
    host.busy = 0;
}

static void special(uint8_t how)
{
    switch (how % 8) {
    case 0:
        if (how & 8)
            life.reset_at = 1 + next_word() % 3000;
        else
            reset();
        break;
    case 1:
        lose_power();
        reset();
        break;
    case 2:
        ram.work |= HC_WORK_CHECKPOINT;
        break;
    case 3:
        host.may_write = !host.may_write;
        break;
    case 4:
        host.busy = how;
        break;
    case 5:
        ram.work |= HC_WORK_FLUSH;
        break;
    case 6:
        if (how == 0xfe) {
            ram.reason = 77;
            ram.work |= HC_WORK_FREEZE;
        }
        break;
    default:
        update(HC_LIMIT_LATER);
    }
}

static void step(void)
{
    uint8_t op = next_byte();
    switch (op & 15) {
    case 5:
        for (int i = 0; i < (op >> 4) * 4; i++)
            do_read(4, next_byte());
        break;
    case 6:
        do_interrupt((uint8_t)(op >> 4 | 0x10 | (op & 0x40)), 0, 0);
        break;
    case 7:
    case 8:
        do_interrupt((uint8_t)(op >> 4 | (op & 8 ? 0x20 : 0) | (next_byte() & 0x40)),
                     (uint16_t)(0x4000 | next_byte() * 2), next_byte());
        break;
    case 9:
    case 10:
        write_memory(next_byte());
        break;
    case 11:
        move_stack(next_byte());
        break;
    case 12:
    case 13:
        life.in_update = op & 1 ? op >> 4 : 0;
        update(life.limit);
        break;
    case 14:
        for (int i = 0; i < 1 << (op >> 5); i++)
            update(life.limit);
        break;
    case 15:
        special(next_byte());
        break;
    default:
        do_read((op >> 4) % SITES, op & 1 ? next_word() : next_byte() & 3);
    }
}

/* What is not taken and what is free are all of the ring, unless events are lost or recording has ended. */
static void check_room(void)
{
    assert(ram.room < 0 || self.flags & HC_RAM_FLAG_FULL || ram.room + hc_ring_size(self.tail, ram.head) == HC_ROOM);
}

/* ---- the log afterwards ---- */

static const struct hc_event *expect_interrupt(struct hc_feed *feed, const struct event *e, struct hc_event *woken)
{
    if (!(e->interrupt.tag & HC_RING_ASLEEP))
        return hc_feed_interrupt(feed);
    return hc_feed_wake(feed, woken) == HC_FEED_OK ? woken : NULL;
}

static bool check_interrupt(struct hc_feed *feed, const struct event *e)
{
    struct hc_event woken;
    const struct hc_event *found = expect_interrupt(feed, e, &woken);
    if (!found)
        return false;
    assert(found->interrupt.vector == (e->interrupt.tag & HC_RING_VECTOR) >> 1);
    if (found == &woken)
        return true;
    assert(found->interrupt.pc == e->interrupt.pc && found->interrupt.count == e->interrupt.count);
    bool needed = link()->hashed[e->interrupt.pc >> 11] >> (e->interrupt.pc >> 8 & 7) & 1;
    assert(found->interrupt.hashed || !needed || !(e->interrupt.tag & HC_RING_HASHED));
    assert(!found->interrupt.hashed || e->interrupt.tag & HC_RING_HASHED);
    assert(!found->interrupt.hashed || found->interrupt.hash == e->interrupt.hash);
    hc_feed_take_interrupt(feed);
    return true;
}

static bool check_read(struct hc_feed *feed, const struct event *e)
{
    uint16_t value;
    if (hc_feed_read(feed, e->site, e->has_base ? &e->base : NULL, &value) != HC_FEED_OK)
        return false;
    if (value != e->value)
        fprintf(stderr, "boot %u segment %u: site %u is 0x%x in the log, was 0x%x; after %llu events, rescued %d\n",
                e->boot, e->segment, e->site, value, e->value, (unsigned long long)hc_feed_taken(feed),
                hc_feed_rescued(feed));
    assert(value == e->value);
    return true;
}

/* How many events of the segment the log has, in order and right. COUNT: how many there were. */
static size_t check_events(const struct hc_log *log, const struct hc_log_segment *s, size_t *count)
{
    struct hc_log_message message;
    struct hc_feed *feed;
    size_t found = 0;
    bool more = true;
    enum hc_log_error error = hc_feed_open(&feed, log, s, &table, &message);
    assert(!error);
    *count = 0;
    for (size_t i = 0; i < life.events; i++) {
        const struct event *e = &life.event[i];
        bool rescued = s->pages[HC_STREAM_RESCUE] && e->segment > s->number; /* the ring may go on beyond */
        if (e->boot != s->boot || (e->segment != s->number && !rescued) || e->lost)
            continue;
        ++*count;
        more = more && hc_feed_status_next(feed) == HC_FEED_OK &&
               (e->kind == READ ? check_read(feed, e) : check_interrupt(feed, e));
        found += more;
    }
    enum hc_feed_status end = hc_feed_status_next(feed);
    if (end == HC_FEED_DIVERGED || end == HC_FEED_OK)
        fprintf(stderr, "segment %u of boot %u: %s\n", s->number, s->boot, hc_feed_text(feed));
    assert(end != HC_FEED_DIVERGED && end != HC_FEED_OK);
    hc_feed_free(feed);
    return found;
}

/* What the records of a segment's beginning make of memory. */
static void read_records(const struct hc_log *log, const struct hc_log_segment *s, uint8_t *memory)
{
    static uint8_t stream[0x20000];
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages), size = 0;
    for (size_t i = 0; i < count; i++)
        if (pages[i].boot == s->boot && pages[i].segment == s->number && pages[i].stream == HC_STREAM_CHECKPOINT) {
            memcpy(stream + size, pages[i].payload, pages[i].length);
            size += pages[i].length;
            assert(size < sizeof stream - 256);
        }
    for (size_t at = 0; at < size;) {
        uint16_t address = (uint16_t)(stream[at] | stream[at + 1] << 8);
        uint16_t length = (uint16_t)(stream[at + 2] | stream[at + 3] << 8);
        assert(length % 2 == 0 && at + 4 + length <= size);
        if (getenv("HC_TEST_SHOW"))
            fprintf(stderr, "segment %u: record 0x%04x, %u bytes\n", s->number, address, length);
        if (address != 1)
            memcpy(memory + address, stream + at + 4, length);
        at += 4 + length;
    }
}

static void compare_range(const struct state *state, const uint8_t *memory, struct hc_link_range range)
{
    for (uint32_t at = range.start; at < range.end && at < STATE_SIZE; at++)
        if (memory[at] != state->memory[at]) {
            fprintf(stderr, "segment %u of boot %u: memory at 0x%x is 0x%02x in the log, was 0x%02x\n", state->segment,
                    state->boot, at, memory[at], state->memory[at]);
            abort();
        }
}

static void check_state(const struct hc_log *log, const struct hc_log_segment *s)
{
    static uint8_t memory[0x10000];
    const struct state *state = NULL;
    for (size_t i = 0; i < life.states; i++)
        if (life.state[i].boot == s->boot && life.state[i].segment == s->number)
            state = &life.state[i];
    assert(state);
    memset(memory, 0, sizeof memory);
    read_records(log, s, memory);
    for (int i = state->is_boot ? HC_PIECES_REGISTERS : 0; i < HC_PIECES; i++)
        compare_range(state, memory, link()->pieces[i]);
    if (!state->is_boot)
        compare_range(state, memory, (struct hc_link_range){ state->lowest, link()->free.end });
    life.report->states++;
}

/* Whether the log reaches back to before the first page of S: where it begins later, what is missing of a checkpoint
 * cannot be seen. */
static bool is_all_there(const struct hc_log *log, const struct hc_log_segment *s)
{
    const struct hc_log_page *pages;
    hc_log_pages(log, &pages);
    for (size_t i = 0; i < s->first_page; i++)
        if (pages[i].stream == HC_STREAM_BOOT || pages[i].stream == HC_STREAM_COMMIT ||
            pages[i].stream == HC_STREAM_RECOVERY)
            return true;
    return pages[0].sequence == 0;
}

static void check_segment(const struct hc_log *log, const struct hc_log_segment *s, bool must_be_whole)
{
    size_t count;
    if (s->begin != HC_BEGIN_BOOT && s->begin != HC_BEGIN_CHECKPOINT)
        return;
    if (s->damaged || !is_all_there(log, s))
        return;
    check_state(log, s);
    size_t found = check_events(log, s, &count);
    life.report->decoded += found;
    life.report->segments++;
    if (must_be_whole) {
        if (found != count)
            fprintf(stderr, "segment %u of boot %u: %zu of %zu events\n", s->number, s->boot, found, count);
        assert(found == count);
        life.report->whole++;
        life.report->rescued += s->pages[HC_STREAM_RESCUE] != 0;
    }
}

/* Segments that another one of the same boot follows, and the last one, were ended by the recorder. */
static void check_log(bool finished)
{
    struct hc_log_message message;
    struct hc_log *log;
    const struct hc_log_segment *segment;
    if (hc_log_open_memory(&log, "flash", host.flash, sizeof host.flash, &message))
        return;
    size_t count = hc_log_segments(log, &segment);
    if (getenv("HC_TEST_SHOW")) {
        fprintf(
            stderr,
            "flags 0x%x work 0x%x room %d copied 0x%x made 0x%x tries %u head 0x%x tail 0x%x boundary 0x%x place %u "
            "erased %u busy %d\n",
            self.flags, ram.work, ram.room, self.copied, self.made, self.tries, ram.head, self.tail, self.boundary,
            self.place, self.erased, host.busy);
        const struct hc_log_page *pages;
        size_t n = hc_log_pages(log, &pages);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "page %u: boot %u segment %u stream %u length %u\n", pages[i].sequence, pages[i].boot,
                    pages[i].segment, pages[i].stream, pages[i].length);
    }
    for (size_t i = 0; i < count; i++) {
        const struct hc_log_segment *s = &segment[i], *next = i + 1 < count ? s + 1 : NULL;
        bool ended = next ? next->boot == s->boot && next->begin == HC_BEGIN_CHECKPOINT
                          : finished && s->boot == life.boot && s->number == life.segment;
        bool rescued = next && s->pages[HC_STREAM_RESCUE] && next->begin == HC_BEGIN_BOOT && next->found;
        check_segment(log, s, rescued || (ended && !(self.flags & HC_RAM_FLAG_FROZEN)));
    }
    hc_log_free(log);
}

/* ---- all of it ---- */

/* How memory is divided: enough to be unused for a checkpoint to wait in, or not. */
static void lay_out(uint8_t how)
{
    uint16_t end = (uint16_t)(RAM_AT + ((sizeof(struct hc_ram) + 1) & ~1u));
    uint16_t program = (uint16_t)(0x2000 + (how & 7) * 0x140);
    uint16_t unused = (uint16_t)(program + 0x80 + (how >> 3 & 7) * 0x120);
    struct hc_link *l = link();
    *l = (struct hc_link){ .magic = HC_LINK_MAGIC, .version = HC_TRACE_VERSION };
    memset(l->build, how, sizeof l->build);
    memset(l->hashed, 0x55, sizeof l->hashed);
    l->free = (struct hc_link_range){ program, unused };
    l->pieces[0] = (struct hc_link_range){ how & 0x40 ? RAM_AT - 0x40 : RAM_AT, RAM_AT };
    l->pieces[1] = (struct hc_link_range){ end, program };
    l->pieces[2] = (struct hc_link_range){ HC_ADDRESS(ram.application), HC_ADDRESS(&ram.application_sp + 1) };
    l->pieces[3] = (struct hc_link_range){ FLASH_WORDS, FLASH_WORDS + 12 };
    l->pieces[4] = (struct hc_link_range){ unused, how & 0x80 ? unused + 0x100 : unused };
    l->pieces[8] = (struct hc_link_range){ program - 0x30, program };
}

static void finish(void)
{
    host.may_write = true;
    life.in_update = 0;
    for (int i = 0; i < 3000; i++) {
        ram.work |= i == 2500 ? HC_WORK_FLUSH : 0;
        update(life.limit);
    }
}

void life_run(const uint8_t *bytes, size_t size, uint16_t batch, long cut_at, struct life_report *report)
{
    hc_host_ram = RAM_AT;
    hc_host_link = LINK_AT;
    hc_host_sites = SITES_AT;
    hc_host_dump = DUMP_AT;
    hc_host_dump_end = DUMP_AT + sizeof dump;
    host_start(1);
    memcpy(hc_host_memory + SITES_AT, sites, sizeof sites);
    memcpy(hc_host_memory + DUMP_AT, dump, sizeof dump);
    host.moment = interrupt_inside;
    host.cut_at = cut_at;
    life.bytes = bytes;
    life.size = size;
    life.limit = (uint16_t)(HC_RING - batch);
    life.events = life.states = 0;
    life.report = report;
    lay_out(next_byte());
    if (setjmp(host.dead)) {
        report->cuts++;
        check_log(false);
        host.cut_at = -1;
        lose_power();
    }
    if (setjmp(host.reset))
        host.accesses = 0;
    reset();
    while (life.size) {
        step();
        check_room();
    }
    finish();
    check_log(true);
}
