/* What hc_update does in which order, and resets. port/msp430/record.S is the same in assembly.
 *
 * An update returns soon, whatever there is to do: it encodes some of what the ring holds, and then does one thing
 * more. */
#include "record.h"

#include "checkpoint.h"
#include "critical.h"
#include "pieces.h"
#include "port.h"
#include "ram.h"
#include "rescue.h"
#include "selfcheck.h"
#include "shelf.h"
#include "sink.h"

#define ram __hc_ram
#define self __hc_ram.recorder

enum {
    TAKEN_ALONE = 32,   /* units of what an update takes from the ring */
    TAKEN_WAITING = 24, /* while a page waits: it may have to go to the shelf */
    TAKEN_BESIDE = 4,   /* where it has done something for a checkpoint, too */
    TAKEN_AFTER = 22,   /* where the sink was asked, or the last step of a checkpoint was tried */
#if HC_SINK_FRAM
    TAKEN_BESIDE_PAGE = 8, /* where a page was written, or all of one was looked at */
#else
    TAKEN_BESIDE_PAGE = 0,
#endif
    TAKEN_IN_TURN = 8,    /* in a loop, as long as there is room */
    UNITS = 128,          /* of 256 ticks in a second */
    BOOT_PATIENCE = 2000, /* looks at the sink at a reset: a tenth of a second; what is not written then waits */
};

/* ---- what is due ---- */

void __hc_record_lose(void)
{
    ram.newest = HC_ADDRESS(&ram.newest);
    ram.room = (int16_t)HC_ROOM_LOST;
}

void __hc_record_more(void)
{
    if (self.flags & HC_RAM_FLAGS_WAIT || self.made || self.copied || ram.work & HC_WORK_FLUSH)
        hc_atomic_set(&ram.work, HC_WORK_MORE);
    else
        hc_atomic_clear(&ram.work, HC_WORK_LATE);
}

void __hc_record_waiting(void)
{
    hc_checkpoint_write();
}

void __hc_record_begin_segment(void)
{
    hc_codec_finish(&self.codec);
    __hc_keep();
#if HC_CODEC_SETS
    hc_log_flush();
#endif
    self.boundary = 0;
    hc_selfcheck_start();
    self.age = 0;
    hc_codec_start(&self.codec);
    __hc_keep();
    __hc_record_more();
}

#if HC_CODEC_SETS == 0
/* How many units have passed since the last call, modulo the clock's turn. */
static uint16_t count_time(void)
{
    uint16_t clock = hc_clock(), passed;

    ram.clock = clock != HC_NO_CLOCK ? clock : HC_ADDRESS(&ram.head);
    if (clock == HC_NO_CLOCK) { /* four bytes, an event or two, are a quarter of a second */
        uint16_t head = ram.head;
        passed = hc_ring_size(self.stamp, head);
        self.stamp = head;
        return passed * (UNITS / 4 / 4);
    }
    passed = HC_MEMORY16(ram.clock) - self.stamp & 0xff00; /* what is less than a unit is counted the next time */
    self.stamp += passed;
    return passed >> 8;
}

/* How old the page is, or what waits for a program that needs the bus. */
static void look_at_clock(void)
{
    hc_atomic_clear(&ram.work, HC_WORK_LOOK);
    if (self.codec.mixed.taken == self.codec.mixed.first && ram.head == self.tail && !(ram.work & HC_WORK_MORE))
        self.age = 0;
    self.age += count_time();
    bool low = hc_supply_low();
    if (self.age < (low ? UNITS / 2 : HC_LATE * UNITS))
        return;
    self.age = 0;
    hc_atomic_set(&ram.work, HC_FLUSH || low ? HC_WORK_FLUSH | HC_WORK_LATE : HC_WORK_LATE);
}

/* A page that is old is handed out though it is not full, and once before the log is frozen. What is in the ring may be
 * as old, and goes with it: until the ring is empty, each update takes more. */
static void hand_out(void)
{
    if (self.flags & HC_RAM_FLAG_SPARE || !(ram.work & (HC_WORK_FLUSH | HC_WORK_FREEZE)) || ram.work & HC_WORK_HANDED)
        return;
    if (ram.head != self.tail)
        return;
    if (ram.work & HC_WORK_FREEZE)
        hc_atomic_set(&ram.work, HC_WORK_HANDED);
    hc_codec_finish(&self.codec);
    __hc_keep();
    hc_atomic_clear(&ram.work, HC_WORK_FLUSH);
    __hc_record_more();
}

/* Courtesy would cost events. */
static bool is_urgent(void)
{
    return ram.room < 0 || ram.work & (HC_WORK_SINK | HC_WORK_FREEZE | HC_WORK_LATE) ||
           (self.flags & HC_RAM_FLAGS_WAIT && self.codec.mixed.coder.next >= 128);
}
#endif

static void freeze(void)
{
#if HC_CODEC_SETS
    hc_codec_finish(&self.codec);
    hc_log_flush();
#endif
    hc_atomic_clear(&ram.work, HC_WORK_FREEZE | HC_WORK_HANDED);
    if (!(self.flags & HC_RAM_FLAG_FROZEN))
        hc_log_write(HC_STREAM_MARK, self.present, (const uint8_t *)&ram.reason, 2);
}

/* One thing that is due. The sink is open and ready. */
static void step(void)
{
    if (self.flags & HC_RAM_FLAGS_WAIT) {
        hc_log_flush();
        return;
    }
    if (self.made) {
        hc_checkpoint_write();
        return;
    }
#if HC_CODEC_SETS
    __hc_record_even_out();
#endif
    if (ram.work & HC_WORK_FREEZE) {
        if (HC_CODEC_SETS || ram.work & HC_WORK_HANDED) /* not before all that came before it */
            freeze();
        return;
    }
    if (self.copied > HC_COPIED_AGAIN)
        hc_checkpoint_copy();
    else if (!self.copied) /* nothing must wait for that, and pages that come meanwhile need the memory */
        hc_log_erase_ahead();
}

/* ---- update ---- */

/* Begins a checkpoint that is due, without the sink: looking for the stack's end takes as long as a page. */
static bool begin_checkpoint(void)
{
    if (self.flags & HC_RAM_FLAGS_WAIT || ram.work & HC_WORK_FREEZE || self.copied || self.made)
        return false;
    if (ram.room >= 0 &&
        (ram.work & (HC_WORK_CHECKPOINT | HC_WORK_SINK)) != HC_WORK_CHECKPOINT) /* not while it is busy */
        return false;
    hc_checkpoint_begin();
    if (self.copied)
        __hc_record_more();
    return self.copied;
}

static void step_and_close(void)
{
    if (hc_log_ready()) {
        hc_atomic_clear(&ram.work, HC_WORK_MORE);
        step();
    }
    bool rests = hc_sink_close();
    hc_atomic_clear(&ram.work, HC_WORK_SINK);
    if (!rests)
        hc_atomic_set(&ram.work, HC_WORK_SINK);
    __hc_record_more();
}

#if HC_CODEC_SETS == 0
/* The shelf can wait for longer than the ring, as long as there is room on it. */
static bool ring_comes_first(void)
{
    if (ram.room < 0)
        return false;
    if (!(self.flags & HC_RAM_FLAGS_WAIT))
        return ram.room < HC_RING / 2;
    if (!HC_HAS_SHELF || !(self.flags & HC_RAM_FLAG_SHELF) || ram.room >= HC_PIECES_ROOM)
        return false;
    return !(self.flags & HC_RAM_FLAG_SPARE) || hc_shelf_put();
}

/* How many units may be taken from the ring besides; 0: a page was written, or all of one was looked at, which uses all
 * time up where the sink is slow. */
static int16_t do_one_thing(void)
{
    int16_t alone = self.flags & HC_RAM_FLAG_SPARE ? TAKEN_WAITING : TAKEN_ALONE;

    if (self.copied == HC_COPIED_CLEAR || self.copied == HC_COPIED_AGAIN) {
        hc_checkpoint_clear();
        return TAKEN_BESIDE;
    }
    if (begin_checkpoint())
        return TAKEN_BESIDE;
    if (ring_comes_first())
        return alone;
    if ((!is_urgent() && !(ram.work & ~HC_WORK_CHECK)) || !hc_port_may_write(is_urgent()))
        return alone;
    uint16_t flags = self.flags, sequence = self.next.sequence;
    hc_sink_open();
    step_and_close();
    if (sequence != self.next.sequence || (flags ^ self.flags) & HC_RAM_FLAG_BLANK)
        return TAKEN_BESIDE_PAGE;
    return self.flags & HC_RAM_FLAG_SPARE ? TAKEN_WAITING : TAKEN_AFTER;
}

/* How many units may be taken from the ring beside what was done; 0: all time is used up. */
static int16_t do_what_is_due(void)
{
    if (self.copied != HC_COPIED_ALL || self.flags & HC_RAM_FLAG_SPARE) /* which the last step may need */
        return do_one_thing();
    return hc_checkpoint_last() ? 0 : TAKEN_AFTER;
}

/* A loop may wait for what is soon over: it is held up as little as can be. True: there is no need to do more. */
static bool take_in_turn(void)
{
    bool has_room = ram.room >= HC_RING / 3;

    if (ram.limit != HC_LIMIT_TURN)
        return false;
    if (ram.room < 0) /* after a loss there is no hurry */
        return true;
    if (HC_HAS_SHELF && hc_shelf_is_half_full()) /* loops alone must not fill it */
        return false;
    if (!has_room && self.flags & HC_RAM_FLAG_SPARE)
        return false;
    __hc_take(has_room ? TAKEN_IN_TURN : TAKEN_ALONE);
    return true;
}

static void update(void)
{
    if (take_in_turn())
        return;
    look_at_clock();
    int16_t units = do_what_is_due();
    if (!units)
        return;
    __hc_take(units);
    if (self.tail == self.boundary && !(self.flags & HC_RAM_FLAG_SPARE))
        __hc_record_begin_segment();
    hc_selfcheck();
    hand_out();
}
#else
static void update(void)
{
    if (self.copied == HC_COPIED_CLEAR || self.copied == HC_COPIED_AGAIN) {
        hc_checkpoint_clear();
        return;
    }
    if (begin_checkpoint())
        return;
    if (!hc_port_may_write(true)) /* several pages may come of one event */
        return;
    hc_sink_open();
    __hc_take(TAKEN_ALONE);
    if (self.copied == HC_COPIED_ALL && !(self.flags & HC_RAM_FLAG_SPARE)) {
        hc_sink_close(); /* its registers are the program's */
        hc_checkpoint_last();
    } else {
        step_and_close();
    }
}
#endif

void __hc_record_update(void)
{
    if (self.flags & HC_RAM_FLAG_FULL) { /* recording is over: the program appends to a ring that nobody reads */
        ram.room = 0x7fff;
        ram.work = 0;
        return;
    }
    update();
}

/* ---- reset ---- */

static void zero(void *from, void *end)
{
    for (uint8_t *at = from; at < (uint8_t *)end; at++)
        *at = 0;
}

static void reset_ram(void)
{
    zero(&ram, ram.ring);
    zero(&self.page, &self.boundary + 1);
    zero(HC_BYTES_AT(__hc_link.free.start), HC_BYTES_AT(__hc_link.free.end));
    ram.head = self.tail = HC_ADDRESS(ram.ring);
    ram.newest = HC_ADDRESS(&ram.newest);
    ram.clock = HC_ADDRESS(&ram.head);
    self.stamp = HC_ADDRESS(ram.ring);
    ram.idle = HC_IDLE;
    ram.work = HC_WORK_SINK | HC_WORK_MORE;
    ram.room = HC_ROOM;
    hc_selfcheck_start();
}

bool hc_record_open_log(uint16_t patience)
{
    hc_go_fast();
    hc_sink_open();
    do
        if (hc_log_ready())
            return true;
    while (--patience);
    return false;
}

void hc_record_close_log(void)
{
    hc_sink_close();
    hc_go_slow();
}

/* The state in which the program begins is written now, or waits. */
static void boot(uint16_t cause, uint16_t found)
{
#if HC_OPENS_AT_RESET
    hc_record_open_log(BOOT_PATIENCE); /* memory may not be enough to wait in */
    hc_record_close_log();
#endif
    hc_checkpoint_boot(cause, found);
#if HC_OPENS_AT_RESET
    if (hc_record_open_log(BOOT_PATIENCE))
        hc_checkpoint_boot_write();
    hc_record_close_log();
#endif
    hc_checkpoint_boot_end();
}

void __hc_record_reset(void)
{
    uint16_t cause = hc_reset_cause();
#if HC_SINK_YIELDS
    hc_sink_written = 0;
#endif
    bool found = hc_rescue();

    hc_supply_watch();
    if (!found)
        self.flags = 0;
    reset_ram();
    boot(cause, found);
    hc_codec_start(&self.codec);
    __hc_keep();
    ram.magic = hc_rescue_magic();
}
