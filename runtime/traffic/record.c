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
#elif HC_PATHS
#define VERSION HC_TRAFFIC_VERSION
#define DEPTH "messages+paths"
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
    MAGIC = HC_TRAFFIC_RAM_MAGIC_IS,
    ENOUGH = HC_TRAFFIC_ENOUGH,
    LAST = HC_TRAFFIC_LAST,
    FIRST = HC_LOG_START >> 8,
    END = HC_LOG_END >> 8,
    SECTOR = HC_LOG_SECTOR >> 8,
};

_Static_assert(HC_MESSAGE_PARTNERS <= HC_TRAFFIC_PARTNERS_MAX, "HC_MESSAGE_PARTNERS is at most 22");
_Static_assert(HC_TRAFFIC_BUFFER <= HC_PIECE_SIZE, "a piece");
_Static_assert(HC_FLUSH <= 256, "--flush is at most 256");

#if !HC_TRAFFIC_LAMPORT
#define IS_AT(field, offset) _Static_assert(offsetof(struct hc_traffic_ram, field) == (offset), #field)
IS_AT(tables.flags, HC_TRAFFIC_RAM_FLAGS);
IS_AT(tables.channels, HC_TRAFFIC_RAM_CHANNELS);
_Static_assert(HC_TRAFFIC_BUFFER % 2, "stamp is even");
IS_AT(low, 0);
IS_AT(contexts, HC_TRAFFIC_RAM_CONTEXTS);
IS_AT(tables, HC_TRAFFIC_RAM_TABLES);
IS_AT(magic, HC_TRAFFIC_RAM_MAGIC);
IS_AT(boot, HC_TRAFFIC_RAM_MAGIC + 6);
IS_AT(code, HC_TRAFFIC_RAM_CODE);
IS_AT(at, HC_TRAFFIC_RAM_AT);
IS_AT(age, HC_TRAFFIC_RAM_AGE);
#if HC_FLUSH
IS_AT(stamp, HC_TRAFFIC_RAM_CODE + HC_TRAFFIC_BUFFER);
#endif
_Static_assert(sizeof(struct hc_traffic_ram) == HC_TRAFFIC_RAM_SIZE, "layout.h");
_Static_assert(HC_TRAFFIC_VERSION == HC_TRAFFIC_RAM_VERSION &&
                   (int)HC_TRAFFIC_CONTEXTS == HC_TRAFFIC_RAM_CONTEXT_COUNT &&
                   (int)HC_TRAFFIC_CONTEXT_NEW == HC_TRAFFIC_RAM_CONTEXT_NEW,
               "layout.h");
#endif

/* ---- coding ---- */

/* Where there is no room, no more is recorded before the next segment, which says so. */
static void put_byte(uint8_t byte)
{
    if (ram.fill == HC_TRAFFIC_BUFFER || ram.tables.flags & HC_TRAFFIC_FLAG_CUT)
        ram.tables.flags |= HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_BEGIN;
    else
        ram.code[ram.fill++] = byte;
}

static void path_mark(void);

#if HC_TRAFFIC_LAMPORT
#include "lamport_code.h"
#else
#include "alias_code.h"
#endif

/* ---- paths ---- */

#if HC_PATHS
static void start(void);
static void write_piece(uint8_t head, const uint8_t *bytes, uint8_t size);
#include "path_code.h"
#else
static void path_mark(void)
{
}

static void path_pad(void)
{
}

static void path_write(void)
{
}

static bool path_is_empty(void)
{
    return true;
}

static bool path_begin(void)
{
    return true;
}

static bool path_presses(void)
{
    return false;
}

static bool path_is_quiet(void)
{
    return true;
}
#endif

/* ---- after a reset ---- */

/* What RAM holds is of no use. The log is to be opened. */
static void begin_life(void)
{
    uint8_t *bytes = (uint8_t *)&ram;

    for (uint16_t i = 0; i < sizeof ram; i++)
        bytes[i] = 0;
    ram.tables.self = HC_MESSAGE_TO_ALL;
    ram.tables.flags = HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN;
    clear_coder();
}

static void start_now(void)
{
    bool goes_on = ram.magic == MAGIC;

    started = true;
    if (goes_on)
        put_reset();
    else
        begin_life();
    ram.magic = MAGIC;
#if HC_PATHS
    path_start(goes_on);
#endif
}

static void start(void)
{
#if HC_PATHS
    uint16_t status = hc_critical_enter(); /* handlers come here, too */
    if (!started)
        start_now();
    hc_critical_leave(status);
#else
    if (!started)
        start_now();
#endif
}

/* ---- the log ---- */

static bool begins_sector(uint16_t page)
{
    return (page & (SECTOR - 1)) == 0;
}

static void erase(uint16_t page)
{
    if (!(ram.tables.flags & HC_TRAFFIC_FLAG_FROZEN))
        hc_piece_erase(page);
}

static void next_page(void)
{
    ram.at = 0;
    if (++ram.place == END)
        ram.place = FIRST;
    if (!++ram.sequence)
        ram.sequence_high++;
}

/* The page has room for it. */
static void write_piece(uint8_t head, const uint8_t *bytes, uint8_t size)
{
    if (!ram.at) {
        hc_piece_write(ram.place, 0, HC_PAGE_MAGIC, &ram.stream, HC_PAGE_HEADER - 2);
        ram.at = HC_PAGE_HEADER;
    }
    hc_piece_write(ram.place, ram.at, head, bytes, size);
    ram.at += size + 2;
}

/* The tables, on a new page. Where RAM was lost before there are none, and what was recorded since comes behind. */
static void begin_segment(void)
{
    uint8_t size = (sizeof ram.tables + 3) / 4;

    ram.segment++;
    number_boot();
    write_piece(HC_PIECE_BEGIN, (const uint8_t *)&__hc_traffic_begin, sizeof __hc_traffic_begin);
    if (ram.tables.flags & HC_TRAFFIC_FLAG_FRESH)
        size = HC_TRAFFIC_FRESH_SIZE / 4;
    write_piece(HC_PIECE_TABLES | size, (const uint8_t *)&ram.tables, size * 4);
    if (!(ram.tables.flags & HC_TRAFFIC_FLAG_FRESH)) {
        clear_coder();
        ram.tables.flags &= (uint8_t)~HC_TRAFFIC_FLAG_CUT;
    }
    ram.tables.flags &= (uint8_t)~(HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN);
}

static void write_code(void)
{
    write_piece(ram.fill, ram.code, ram.fill);
    ram.fill = 0;
}

/* ---- the log's end ---- */

/* Whether anything is in PAGE. If it is the newest page so far, its place and numbers are the recorder's: never after
 * the log's end was found. */
static bool look(uint16_t page)
{
    uint8_t header[HC_PAGE_HEADER], sum = 0;

    hc_piece_read(page, header, sizeof header);
    for (uint8_t i = 0; i < sizeof header - 1; i++)
        sum = hc_traffic_sum(sum, header[i]);
    int16_t newer = (int16_t)((header[6] | header[7] << 8) - ram.sequence);
    if (hc_traffic_check(sum) == header[HC_PAGE_HEADER - 1] && header[1] == HC_STREAM_MESSAGES &&
        (!ram.boot || newer >= 0)) {
        for (uint8_t i = 0; i < 8; i++) /* the last one is for `age`: any value will do */
            ((uint8_t *)&ram.boot)[i] = header[i + 2];
        ram.place = page;
    }
    return (header[0] & header[1]) != 0xff;
}

/* Epochs go on behind those that were used before power was lost, and only the log knows them: what was sent before
 * this is forgotten. The first segment waits for an event, which tells the node's address. */
static void open_log(void)
{
    uint16_t page = FIRST;

    ram.tables.flags &= (uint8_t)~HC_TRAFFIC_FLAG_BEGIN;
    if (has_events()) {
        begin_life();
        ram.tables.flags = HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_BEGIN;
    }
    ram.place = FIRST - 1;
    do
        look(page);
    while ((page += SECTOR) != END);
    page = ram.place;
    while (!begins_sector(++page) && look(page))
        ;
    ram.place = page - 1;
    ram.boot += HC_TRAFFIC_LIFE;
    begin_epochs();
    ram.stream = HC_STREAM_MESSAGES;
    ram.at = HC_PAGE_SIZE - 1; /* the next page is to be begun */
}

/* ---- hc_update ---- */

/* A segment begins now: nothing waits that belongs to the one before. OLD: what waits is to be written, too. */
static bool begins(bool old)
{
    bool begin = ram.tables.flags & HC_TRAFFIC_FLAG_BEGIN;

    if (ram.tables.flags & HC_TRAFFIC_FLAG_FRESH)
        return true;
    if (!begin && !old)
        return false;
    if (ram.fill < ENOUGH)
        pad();
    path_pad();
    return begin && !ram.fill && path_is_empty();
}

static void write(bool begin)
{
    if (begin && (ram.tables.flags & HC_TRAFFIC_FLAG_FRESH || path_begin()))
        begin_segment();
    else if (ram.fill && !(path_presses() && ram.fill < ENOUGH))
        write_code();
    else
        path_write();
}

/* The sink is ready. True: something can follow at once. */
static bool step(bool old)
{
    if (!ram.stream) {
        open_log();
        return ram.tables.flags & HC_TRAFFIC_FLAG_BEGIN;
    }
    bool begin = begins(old);
    if (!begin && !ram.fill && path_is_quiet())
        return false;
    if (ram.at > (begin ? 0 : LAST))
        next_page();
    if (!ram.at && begins_sector(ram.place)) {
        ram.tables.flags |= HC_TRAFFIC_FLAG_BEGIN;
        if (look(ram.place)) {
            erase(ram.place);
            return false;
        }
    }
    write(begin);
    return ram.tables.flags & HC_TRAFFIC_FLAG_BEGIN || path_presses();
}

/* It is time to write what waits. A clock that is looked at less often than every second is slow. */
static bool is_old(void)
{
#if HC_FLUSH
    uint16_t clock = hc_clock();

    if (clock == HC_NO_CLOCK || !((HC_MEMORY16(clock) ^ ram.stamp) & 0x8000))
        return false;
    ram.stamp = ~ram.stamp;
    if (ram.age--)
        return false;
    ram.age = HC_FLUSH - 1;
    return !is_at_rest() || ram.fill || !path_is_empty();
#else
    return false;
#endif
}

/* What waits goes to the sink, if that may be used and is ready. OLD: even if it is little. */
static void write_out(bool old)
{
    uint8_t kept[HC_SINK_KEPT];

    if (!hc_port_may_write(true)) /* a piece is soon written: no courtesy */
        return;
#if HC_SINK_YIELDS
    uint16_t status = hc_critical_enter();
#endif
    ram.magic = 0;
    if (hc_piece_open(kept))
        while (step(old)) /* a program with an event for each update would never come to a segment otherwise; and paths
                          of a long task are more than a piece */
            ;
    hc_piece_close(kept); /* a chip that erases is not put to sleep: it will be after the next piece */
#if HC_SINK_YIELDS
    hc_critical_leave(status);
#endif
}

void hc_update(void)
{
    bool old;

    start();
    note_epochs();
    old = ram.fill < ENOUGH && is_old();
    if (ram.fill >= ENOUGH || old || path_presses() || ram.tables.flags & HC_TRAFFIC_FLAG_BEGIN)
        write_out(old);
    ram.magic = MAGIC;
}

void hc_update_idle(void) __attribute__((alias("hc_update")));
void hc_update_later(void) __attribute__((alias("hc_update")));

void hc_checkpoint(void)
{
    ram.tables.flags |= HC_TRAFFIC_FLAG_BEGIN;
}

void hc_freeze(uint16_t reason)
{
    (void)reason;
    ram.tables.flags |= HC_TRAFFIC_FLAG_FROZEN;
}
