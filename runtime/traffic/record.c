#include "record.h"

#include "critical.h"
#include "hindcast.h"
#include "messages.h"
#include "port.h"
#include "traffic/sink.h"

#include <stddef.h>

#if HC_TRAFFIC_FCM
#define VERSION HC_LAMPORT_FCM_VERSION
#define DEPTH "lamport+fcm"
#elif HC_TRAFFIC_LAMPORT
#define VERSION HC_LAMPORT_VERSION
#define DEPTH "lamport"
#else
#define VERSION HC_TRAFFIC_VERSION
#define DEPTH "messages"
#endif

/* What the link step fills in. */
const volatile struct hc_traffic_begin __hc_traffic_begin
    __attribute__((used)) = { .version = VERSION, .partners = HC_MESSAGE_PARTNERS };

/* In FRAM, where the log is, too: then what waits there survives a loss of power. */
#if HC_SINK_FRAM
#define SECTION ".persistent"
#else
#define SECTION ".noinit"
#endif

/* For the map. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(".pushsection .hindcast,\"\",@progbits\n\t.short 0\n\t.asciz \"runtime\\tversion=1\\tdepth=" DEPTH
        "\\trecorder=c"
        "\\tpartners=" TEXT(HC_MESSAGE_PARTNERS) "\\tsink=" HC_SINK_NAME
                                                 "\\tlog=" TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END) "\"\n\t.popsection");

struct hc_traffic_ram __hc_ram __attribute__((section(SECTION)));
#define ram __hc_ram

/* Its end, and what waits in it, for tools. */
__attribute__((used)) static void define(void)
{
    __asm__ volatile(".global __hc_ram_end, __hc_traffic_fill\n"
                     ".set __hc_ram_end, __hc_ram + %c0\n"
                     ".set __hc_traffic_fill, __hc_ram + %c1" ::"i"(sizeof ram),
                     "i"(offsetof(struct hc_traffic_ram, fill)));
}

static bool started; /* since the reset */

enum {
    MAGIC = 0x7a6d,
    EVENT_MOST = 7,                          /* bytes of code */
    PADDING = 4,                             /* likewise */
    ENOUGH = HC_TRAFFIC_BUFFER - EVENT_MOST, /* a piece is written */
    PRESSING = ENOUGH - 4,                   /* also when the program has more to do */
    FIRST = HC_LOG_START >> 8,
    END = HC_LOG_END >> 8,
    SECTOR = HC_LOG_SECTOR >> 8,
};

_Static_assert(HC_MESSAGE_PARTNERS <= HC_TRAFFIC_PARTNERS_MAX && HC_MESSAGE_PARTNERS % 4 == 0,
               "HC_MESSAGE_PARTNERS is a multiple of 4, at most 28");
_Static_assert(HC_TRAFFIC_BUFFER <= HC_PIECE_SIZE, "a piece");

/* ---- coding ---- */

static void put(uint16_t value, uint8_t count)
{
    uint16_t bit = 1u << (count - 1);

    for (; bit; bit >>= 1) {
        bool full = ram.bits & 0x80;
        ram.bits = (uint8_t)(ram.bits << 1) | ((value & bit) != 0);
        if (full) {
            ram.code[ram.fill++] = ram.bits;
            ram.bits = 1;
        }
    }
}

/* Something was put, or is counted in a run, that is in no whole byte. */
static bool has_bits(void)
{
    return ram.run || ram.bits != 1;
}

#if HC_TRAFFIC_LAMPORT
#include "lamport_code.h"
#else
#include "alias_code.h"
#endif

/* ---- whether it can be recorded ---- */

/* There is room for another event. */
static bool has_room(void)
{
    if (ram.fill > HC_TRAFFIC_BUFFER - EVENT_MOST)
        ram.flags |= HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_BEGIN;
    return !(ram.flags & HC_TRAFFIC_FLAG_CUT);
}

/* What RAM holds is of no use; but epochs go on if KEPT. */
static void begin_life(bool kept)
{
    KEEP_LIFE;
    uint8_t *bytes = (uint8_t *)&ram;

    for (uint16_t i = 0; i < sizeof ram; i++)
        bytes[i] = 0;
    BEGIN_LIFE;
    ram.flags = HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN;
    if (kept) {
        CONTINUE_LIFE;
        ram.flags = HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_BEGIN;
    }
    ram.bits = 1;
    ram.magic = MAGIC;
}

static void start(void)
{
    if (started)
        return;
    started = true;
    if (ram.magic != MAGIC || ram.flags & HC_TRAFFIC_FLAG_BUSY)
        begin_life(ram.magic == MAGIC);
    else if (has_room())
        put_reset();
}

/* ---- the log ---- */

static bool begins_sector(uint16_t page)
{
    return (page & (SECTOR - 1)) == 0;
}

static void next_page(void)
{
    ram.at = 0;
    if (++ram.place == END - 1)
        ram.place = FIRST;
    if (!++ram.sequence)
        ram.sequence_high++;
    if (begins_sector(ram.place))
        ram.flags |= HC_TRAFFIC_FLAG_BEGIN;
}

static void erase(uint16_t page)
{
    hc_piece_erase(page);
    ram.flags |= HC_TRAFFIC_FLAG_ERASED;
}

/* A page that was begun has room for a piece. */
static void write_piece(uint8_t head, const uint8_t *bytes, uint8_t size)
{
    if (ram.at > (uint8_t)(HC_PAGE_SIZE - 2 - size))
        next_page();
    if (!ram.at) {
        struct {
            uint8_t stream;
            uint8_t numbers[7];
        } header = { .stream = HC_STREAM_MESSAGES };
        for (uint8_t i = 0; i < sizeof header.numbers; i++)
            header.numbers[i] = ((const uint8_t *)&ram.boot)[i];
        hc_piece_write(ram.place, 0, HC_PAGE_MAGIC, (const uint8_t *)&header, sizeof header);
        ram.at = HC_PAGE_HEADER;
        ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_ERASED;
    }
    hc_piece_write(ram.place, ram.at, head, bytes, size);
    ram.at += size + 2;
    if (!ram.at) /* it is full */
        next_page();
}

/* The tables, from a new page on. */
static void begin_segment(void)
{
    struct hc_traffic_begin begin;

    for (uint8_t i = 0; i < sizeof begin; i++) /* no call of memcpy, which a program may not have */
        ((uint8_t *)&begin)[i] = ((const volatile uint8_t *)&__hc_traffic_begin)[i];

    if (ram.at)
        next_page();
    ram.segment++;
    if (ram.flags & HC_TRAFFIC_FLAG_FRESH)
        begin.flags = HC_TRAFFIC_FRESH;
    else
        begin.flags = ram.flags & HC_TRAFFIC_FLAG_CUT;
    write_piece(HC_PIECE_BEGIN, (const uint8_t *)&begin, sizeof begin);
    if (!(begin.flags & HC_TRAFFIC_FRESH))
        write_tables();
    if (ram.flags & HC_TRAFFIC_FLAG_FRESH && ram.flags & HC_TRAFFIC_FLAG_CUT) /* what was recorded before comes first */
        ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_FRESH;
    else
        ram.flags &= (uint8_t)~(HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN);
}

static void write_code(void)
{
    if (!ram.head)
        ram.head = ram.fill | (~ram.flags & HC_TRAFFIC_FLAG_ODD);
    uint8_t size = ram.head & HC_PIECE_SIZE;
    write_piece(ram.head, ram.code, size);
    ram.flags ^= HC_TRAFFIC_FLAG_ODD; /* in this order: a reset in between writes it twice, and the reader sees that */
    ram.head = 0;
    ram.fill -= size;
#if HC_FLUSH
    ram.age = 0;
#endif
    for (uint8_t i = 0; i < ram.fill; i++) /* what came meanwhile, before a reset */
        ram.code[i] = ram.code[i + size];
}

/* ---- the log's end ---- */

enum { BLANK, SPOILT, PAGE };

/* What PAGE begins with. If it is the header of a page, its numbers are the recorder's now. */
static uint8_t look(uint16_t page)
{
    uint8_t header[HC_PAGE_HEADER], blank = 0xff;

    hc_piece_read(page, header, sizeof header);
    for (uint8_t i = 0; i < sizeof header; i++)
        blank &= header[i];
    if (blank == 0xff)
        return BLANK;
    if (header[0] != HC_PAGE_MAGIC || header[1] != HC_STREAM_MESSAGES ||
        hc_traffic_check(hc_page_crc(0xffff, header, sizeof header - 1)) != header[sizeof header - 1])
        return SPOILT;
    for (uint8_t i = 0; i < 7; i++)
        ((uint8_t *)&ram.boot)[i] = header[i + 2];
    return PAGE;
}

static void open_log(void)
{
    uint16_t newest = END, number = 0;

    ram.flags |= HC_TRAFFIC_FLAG_OPENED;
    for (uint16_t page = FIRST; page != END; page += SECTOR)
        if (look(page) == PAGE && (newest == END || (int16_t)(ram.sequence - number) > 0)) {
            newest = page;
            number = ram.sequence;
        }
    ram.place = FIRST;
    ram.segment = ram.boot = ram.sequence = ram.sequence_high = 0;
    if (newest == END) {
        if (look(FIRST) == BLANK) /* very probably all of it */
            ram.flags |= HC_TRAFFIC_FLAG_ERASED;
        return;
    }
    look(newest);
    ram.place = newest;
    while (!begins_sector(ram.place + 1) && look(ram.place + 1) != BLANK)
        ram.place++;
    ram.boot++;
    next_page();
}

/* ---- hc_update ---- */

/* The sink is ready. */
static void step(void)
{
    if (!(ram.flags & HC_TRAFFIC_FLAG_OPENED))
        open_log();
    if (!ram.at && begins_sector(ram.place) && !(ram.flags & HC_TRAFFIC_FLAG_ERASED)) {
        erase(ram.place);
        return;
    }
    if (ram.flags & HC_TRAFFIC_FLAG_FRESH)
        begin_segment();
    if (ram.flags & HC_TRAFFIC_FLAG_BEGIN && ram.fill <= HC_TRAFFIC_BUFFER - PADDING)
        pad();
    if (ram.head || ram.fill)
        write_code();
    if (ram.flags & HC_TRAFFIC_FLAG_BEGIN && !ram.fill && !has_bits())
        begin_segment();
    if ((ram.place & (SECTOR - 1)) == SECTOR / 2 && !(ram.flags & HC_TRAFFIC_FLAG_ERASED))
        erase(ram.place + SECTOR / 2 == END ? FIRST : ram.place + SECTOR / 2);
}

/* Code that has waited for long is written. A clock that is looked at less often than every two seconds is slow. */
static void look_at_clock(void)
{
#if HC_FLUSH
    uint16_t now;

    if (!hc_clock(&now))
        return;
    now >>= 12;
    ram.age += (now - ram.stamp) & 15;
    ram.stamp = now;
    if (!ram.fill && !has_bits())
        ram.age = 0;
    if (ram.age < HC_FLUSH * 8 || ram.fill > HC_TRAFFIC_BUFFER - PADDING)
        return;
    pad();
#endif
}

static bool is_old(void)
{
#if HC_FLUSH
    return ram.age >= HC_FLUSH * 8;
#else
    return false;
#endif
}

static void update(uint8_t enough)
{
    uint8_t kept[HC_SINK_KEPT];

    start();
    look_at_clock();
    if (ram.fill < enough && !ram.head && !is_old() && !(ram.flags & (HC_TRAFFIC_FLAG_BEGIN | HC_TRAFFIC_FLAG_AWAKE)))
        return;
    if (!hc_port_may_write(true)) /* a piece is soon written: no courtesy */
        return;
    if (hc_piece_open(kept))
        step();
    ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_AWAKE;
    if (!hc_piece_close(kept))
        ram.flags |= HC_TRAFFIC_FLAG_AWAKE;
}

void hc_update(void)
{
    update(ENOUGH);
}

void hc_update_later(void)
{
    if (ram.fill >= PRESSING)
        update(PRESSING);
}

void hc_checkpoint(void)
{
    ram.flags |= HC_TRAFFIC_FLAG_BEGIN;
}

void hc_freeze(uint16_t reason)
{
    (void)reason;
}
