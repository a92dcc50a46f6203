#include "record.h"

#include "critical.h"
#include "hindcast.h"
#include "messages.h"
#include "port.h"
#include "traffic/sink.h"

/* What the link step fills in. */
const volatile struct hc_traffic_begin __hc_traffic_begin
    __attribute__((used)) = { HC_TRAFFIC_VERSION, HC_MESSAGE_PARTNERS };

/* For the map. */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
__asm__(
    ".pushsection .hindcast,\"\",@progbits\n\t.short 0\n\t.asciz \"runtime\\tversion=1\\tdepth=messages\\trecorder=c"
    "\\tpartners=" TEXT(HC_MESSAGE_PARTNERS) "\\tsink=" HC_SINK_NAME
                                             "\\tlog=" TEXT(HC_LOG_START) "-" TEXT(HC_LOG_END) "\"\n\t.popsection");

struct hc_traffic_ram __hc_ram __attribute__((section(".noinit")));
#define ram __hc_ram

static bool started; /* since the reset */

enum {
    MAGIC = 0x7a6d,
    EVENT_MOST = 10,                         /* bytes of code: an event, and padding behind it */
    ENOUGH = HC_TRAFFIC_BUFFER - EVENT_MOST, /* a piece is written */
    PRESSING = ENOUGH - 4,                   /* also when the program has more to do */
    TABLES_MOST = 48,                        /* bytes in a piece */
    FIRST = HC_LOG_START >> 8,
    END = HC_LOG_END >> 8,
    SECTOR = HC_LOG_SECTOR >> 8,
};

_Static_assert(HC_MESSAGE_PARTNERS <= HC_TRAFFIC_PARTNERS_MAX, "HC_MESSAGE_PARTNERS is at most 30");
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

static void put_number(uint8_t ahead, uint8_t digit, uint8_t expected)
{
    uint8_t length = 1;

    if (digit == expected) {
        put(1, 1);
    } else {
        put(digit, 3);
        ahead++;
    }
    for (uint8_t v = ahead; v > 1; v >>= 1)
        length += 2;
    put(ahead, length);
}

/* A symbol that is not as expected: what follows are its details. */
static void cut_run(void)
{
    put(1, 1);
    if (ram.tables.level)
        put(ram.run, ram.tables.level);
    ram.run = 0;
    hc_traffic_adapt(&ram.tables, false);
}

static void put_expected(void)
{
    if (++ram.run >> ram.tables.level) {
        put(0, 1);
        ram.run = 0;
        hc_traffic_adapt(&ram.tables, true);
    }
}

/* The symbol came, with an alias that is known. */
static void follow(uint8_t symbol)
{
    *hc_traffic_expected(&ram.tables) = symbol;
    ram.tables.before = symbol;
}

static void put_own(uint8_t symbol, uint16_t value, uint8_t bits)
{
    cut_run();
    put(0x80 | symbol, 8);
    put(value, bits);
}

/* Everything that was put is in whole bytes. */
static void pad(void)
{
    if (!ram.run && ram.bits == 1)
        return;
    cut_run();
    put(0x80 | HC_TRAFFIC_PAD, 8);
    while (ram.bits != 1)
        put(0, 1);
}

/* ---- whether it can be recorded ---- */

/* There is room for another event, and for padding behind it. */
static bool has_room(void)
{
    if (ram.fill > HC_TRAFFIC_BUFFER - EVENT_MOST)
        ram.flags |= HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_BEGIN;
    return !(ram.flags & HC_TRAFFIC_FLAG_CUT);
}

/* What RAM holds is of no use; but epochs go on if KEPT. */
static void begin_life(bool kept)
{
    uint16_t highest = ram.tables.highest;
    uint8_t *bytes = (uint8_t *)&ram;

    for (uint16_t i = 0; i < sizeof ram; i++)
        bytes[i] = 0;
    hc_traffic_clear(&ram.tables);
    ram.flags = HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN;
    if (kept) {
        ram.tables.highest = highest;
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
        put_own(HC_TRAFFIC_RESET, hc_reset_cause(), 8);
}

static void note_self(uint16_t self)
{
    if (ram.tables.self == self)
        return;
    ram.tables.self = self;
    if (has_room())
        put_own(HC_TRAFFIC_ADDRESS, self, 16);
}

/* ---- messages ---- */

static void symbol_of(uint8_t symbol, uint16_t address, bool odd)
{
    if (symbol == *hc_traffic_expected(&ram.tables)) {
        if (!odd) {
            put_expected();
            return;
        }
        cut_run();
        put(0, 1);
        return;
    }
    cut_run();
    put(0x80 | symbol, 8);
    if ((symbol & HC_TRAFFIC_ALIAS) == HC_TRAFFIC_NEW)
        put(address, 16);
    if ((uint8_t)(symbol - HC_TRAFFIC_FROM) < HC_TRAFFIC_OWN - HC_TRAFFIC_FROM)
        put(odd, 1);
}

static uint8_t hc_number_of(uint16_t epoch, uint8_t n)
{
    return hc_number(hc_number_gray(epoch), n);
}

uint8_t hc_message_send(uint16_t from, uint16_t to)
{
    struct hc_traffic_tables *t = &ram.tables;
    uint16_t epoch;
    uint8_t symbol = HC_TRAFFIC_TO_ALL, n;

    start();
    ram.flags |= HC_TRAFFIC_FLAG_BUSY;
    note_self(from);
    if (to != HC_MESSAGE_TO_ALL)
        symbol = HC_TRAFFIC_TO | hc_traffic_find(t, to);
    if (has_room())
        symbol_of(symbol, to, false);
    if (to == HC_MESSAGE_TO_ALL) {
        n = hc_traffic_count(t, &t->epoch, &t->next, &epoch);
    } else {
        if (symbol == HC_TRAFFIC_NEW)
            symbol = hc_traffic_enter(t, to, HC_MESSAGE_PARTNERS);
        struct hc_traffic_entry *e = &t->entries[symbol];
        e->last[0] |= HC_TRAFFIC_USED;
        n = hc_traffic_count(t, &e->epoch, &e->next, &epoch);
    }
    follow(symbol);
    ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_BUSY;
    return hc_number_of(epoch, n);
}

void hc_message_receive(uint16_t from, uint16_t to, uint8_t number)
{
    struct hc_traffic_tables *t = &ram.tables;
    uint8_t all = to == HC_MESSAGE_TO_ALL, digit = number >> HC_NUMBER_LOW_BITS;
    uint8_t kind = all ? HC_TRAFFIC_FROM_ALL : HC_TRAFFIC_FROM;

    start();
    ram.flags |= HC_TRAFFIC_FLAG_BUSY;
    if (!all)
        note_self(to);
    uint8_t known = hc_traffic_find(t, from), alias = known;
    if (known == HC_TRAFFIC_NEW)
        alias = hc_traffic_enter(t, from, HC_MESSAGE_PARTNERS);
    struct hc_traffic_entry *e = &t->entries[alias];
    uint8_t ahead = hc_traffic_ahead(e, all, number), expected = hc_traffic_digit(e, all, number);
    bool odd = ahead || digit != expected;
    if (has_room()) {
        symbol_of(kind | known, from, odd);
        if (odd)
            put_number(ahead, digit, expected);
    }
    e->last[0] |= HC_TRAFFIC_USED;
    hc_traffic_note(e, all, number);
    follow(kind | alias);
    ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_BUSY;
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
        } header = { HC_STREAM_MESSAGES };
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
    struct hc_traffic_begin begin = __hc_traffic_begin;
    const uint8_t *at = (const uint8_t *)&ram.tables;
    uint16_t left = sizeof ram.tables - sizeof ram.tables.entries + ram.tables.known * sizeof *ram.tables.entries;

    if (ram.at)
        next_page();
    ram.segment++;
    if (ram.flags & HC_TRAFFIC_FLAG_FRESH)
        begin.flags = HC_TRAFFIC_FRESH;
    else
        begin.flags = ram.flags & HC_TRAFFIC_FLAG_CUT;
    write_piece(HC_PIECE_BEGIN, (const uint8_t *)&begin, sizeof begin);
    for (uint8_t size; left && !(begin.flags & HC_TRAFFIC_FRESH); left -= size, at += size) {
        size = left > TABLES_MOST ? TABLES_MOST : left;
        write_piece(HC_PIECE_TABLES | size / 4, at, size);
    }
    if (ram.flags & HC_TRAFFIC_FLAG_FRESH && ram.flags & HC_TRAFFIC_FLAG_CUT) /* what was recorded before comes first */
        ram.flags &= (uint8_t)~HC_TRAFFIC_FLAG_FRESH;
    else
        ram.flags &= (uint8_t)~(HC_TRAFFIC_FLAG_CUT | HC_TRAFFIC_FLAG_FRESH | HC_TRAFFIC_FLAG_BEGIN);
}

static void write_code(void)
{
    if (!ram.head)
        ram.head = ram.fill | (ram.flags ^= HC_TRAFFIC_FLAG_ODD) & HC_TRAFFIC_FLAG_ODD;
    uint8_t size = ram.head & HC_PIECE_SIZE;
    write_piece(ram.head, ram.code, size);
    ram.head = 0;
    ram.fill -= size;
#if HC_FLUSH
    ram.age = 0;
#endif
    for (uint8_t i = 0; i < ram.fill; i++) /* what came meanwhile, before a reset */
        ram.code[i] = ram.code[i + size];
}

/* ---- the log's end ---- */

/* The header of PAGE is there, and its numbers are the recorder's now. */
static bool look(uint16_t page)
{
    uint8_t header[HC_PAGE_HEADER];

    hc_piece_read(page, header, sizeof header);
    if (page == FIRST && header[0] == 0xff) /* very probably all of it */
        ram.flags |= HC_TRAFFIC_FLAG_ERASED;
    if (header[0] != HC_PAGE_MAGIC || header[1] != HC_STREAM_MESSAGES ||
        (uint8_t)hc_page_crc(0xffff, header, sizeof header - 1) != header[sizeof header - 1])
        return false;
    for (uint8_t i = 0; i < 7; i++)
        ((uint8_t *)&ram.boot)[i] = header[i + 2];
    return true;
}

static void open_log(void)
{
    uint16_t newest = END, number = 0;

    ram.flags |= HC_TRAFFIC_FLAG_OPENED;
    for (uint16_t page = FIRST; page != END; page += SECTOR)
        if (look(page) && (newest == END || (int16_t)(ram.sequence - number) > 0)) {
            newest = page;
            number = ram.sequence;
        }
    ram.place = FIRST;
    ram.segment = ram.boot = ram.sequence = ram.sequence_high = 0;
    if (newest == END)
        return;
    look(newest);
    ram.place = newest;
    while (!begins_sector(ram.place + 1)) {
        if (!look(ram.place + 1))
            break;
        ram.place++;
    }
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
    if (ram.flags & HC_TRAFFIC_FLAG_BEGIN)
        pad();
    if (ram.head || ram.fill)
        write_code();
    if (ram.flags & HC_TRAFFIC_FLAG_BEGIN && !ram.fill)
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
    if (!ram.run && !ram.fill && ram.bits == 1)
        ram.age = 0;
    if (ram.age < HC_FLUSH * 8 || ram.fill > HC_TRAFFIC_BUFFER - 3)
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
