#include "traffic.h"

#define HC_MESSAGE_PARTNERS 32 /* every alias has a place */
#include "../runtime/traffic/model.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct reader {
    hc_traffic_fn *fn;
    void *owner;
    const struct hc_log_page *page;
    struct hc_traffic_tables tables;
    uint8_t partners;
    uint8_t raw[512];   /* tables as the node has them */
    size_t filled;      /* bytes of them that came */
    bool begun, tabled; /* a segment; its tables are there */
    bool any;           /* an event or a gap came */
    bool gap;           /* was the last that came */
    uint8_t odd;        /* of the last piece of code */
    uint16_t boot, segment;
    uint32_t run;       /* symbols as expected before the next */
    bool cut;           /* that one is not */
    uint8_t code[4096]; /* that was not decoded yet: the last event may be incomplete */
    size_t size, bit;
};

/* ---- pieces ---- */

static uint8_t piece_size(uint8_t head)
{
    if (head >= HC_PIECE_TABLES)
        return (head & 0x3f) * 4;
    return head & HC_PIECE_SIZE;
}

/* Bytes of the piece at AT with its head and check; 0: it is not whole. */
static size_t whole_piece(const uint8_t *at, size_t available)
{
    size_t size = available ? piece_size(*at) : 0;

    if (!size || *at >> 6 == 1 || size + 2 > available ||
        hc_traffic_check(hc_page_crc(0xffff, at, (uint16_t)(size + 1))) != at[size + 1])
        return 0;
    return size + 2;
}

uint8_t hc_traffic_pieces(const uint8_t *payload, size_t available)
{
    size_t length = 0, piece;

    if (available > HC_PAGE_SIZE - HC_PAGE_HEADER)
        available = HC_PAGE_SIZE - HC_PAGE_HEADER;
    while ((piece = whole_piece(payload + length, available - length)))
        length += piece;
    return (uint8_t)length;
}

bool hc_traffic_is(const struct hc_log *log)
{
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages);

    for (size_t i = 0; i < count; i++)
        if (pages[i].stream == HC_STREAM_MESSAGES)
            return true;
    return false;
}

/* ---- events ---- */

static void tell(struct reader *r, struct hc_traffic_event *e)
{
    e->boot = r->page->boot;
    e->segment = r->page->segment;
    e->self = r->tables.self;
    r->any = true;
    r->gap = e->kind == HC_TRAFFIC_EVENT_GAP;
    r->fn(r->owner, e);
}

static void tell_gap(struct reader *r, const char *why)
{
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_GAP };

    snprintf(e.why, sizeof e.why, "%s", why);
    if (!r->gap)
        tell(r, &e);
}

/* The rest of the segment cannot be decoded. */
static void give_up(struct reader *r, const char *why)
{
    r->begun = r->cut = false;
    r->size = r->bit = r->run = 0;
    tell_gap(r, why);
}

/* ---- code ---- */

enum outcome { DONE, MORE, BAD }; /* MORE: of what is to be decoded a part is missing */

static bool has_bits(const struct reader *r, size_t count)
{
    return r->bit + count <= 8 * r->size;
}

/* There are so many. */
static unsigned take(struct reader *r, unsigned count)
{
    unsigned value = 0;

    while (count--) {
        value = value << 1 | (r->code[r->bit / 8] >> (7 - r->bit % 8) & 1);
        r->bit++;
    }
    return value;
}

/* A number of 1 to 64. */
static enum outcome take_gamma(struct reader *r, unsigned *value)
{
    unsigned zeros = 0;

    for (;; zeros++) {
        if (!has_bits(r, 1))
            return MORE;
        if (take(r, 1))
            break;
    }
    if (zeros > HC_NUMBER_LOW_BITS)
        return BAD;
    if (!has_bits(r, zeros))
        return MORE;
    *value = 1u << zeros | take(r, zeros);
    return DONE;
}

/* ALIAS may be that of a partner that is not known yet: then it has an entry as for one. */
static enum outcome take_number(struct reader *r, uint8_t all, uint8_t alias, uint8_t *number)
{
    unsigned ahead;
    int digit = -1;

    if (!has_bits(r, 1))
        return MORE;
    if (!take(r, 1)) {
        if (!has_bits(r, 2))
            return MORE;
        digit = (int)take(r, 2);
    }
    enum outcome outcome = take_gamma(r, &ahead);
    if (outcome != DONE)
        return outcome;
    if (digit >= 0)
        ahead--;
    uint8_t low = (uint8_t)(r->tables.last[all][alias] + 1 + ahead) & HC_NUMBER_LOW;
    if (digit < 0)
        digit = hc_traffic_digit(&r->tables, all, alias, low);
    *number = (uint8_t)(low | digit << HC_NUMBER_LOW_BITS);
    return DONE;
}

/* As the receiver had expected it. */
static uint8_t expected_number(struct reader *r, uint8_t all, uint8_t alias)
{
    uint8_t low = (uint8_t)(r->tables.last[all][alias] + 1) & HC_NUMBER_LOW;

    return (uint8_t)(low | hc_traffic_digit(&r->tables, all, alias, low) << HC_NUMBER_LOW_BITS);
}

static void sent(struct reader *r, uint8_t symbol)
{
    struct hc_traffic_tables *t = &r->tables;
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_SENT, .broadcast = symbol == HC_TRAFFIC_TO_ALL };
    uint16_t *epoch = &t->epoch;
    uint8_t *next = &t->next;

    e.partner = HC_MESSAGE_TO_ALL;
    if (!e.broadcast) {
        t->last[0][symbol] |= HC_TRAFFIC_USED;
        epoch = &t->epochs[symbol];
        next = &t->nexts[symbol];
        e.partner = t->addresses[symbol];
    }
    uint8_t n = hc_traffic_count(t, epoch, next, &e.epoch);
    e.number = hc_number(hc_number_gray(e.epoch), n);
    tell(r, &e);
}

static void received(struct reader *r, uint8_t symbol, uint8_t number)
{
    struct hc_traffic_tables *t = &r->tables;
    uint8_t all = symbol >= HC_TRAFFIC_FROM_ALL, alias = symbol & HC_TRAFFIC_ALIAS;
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_RECEIVED, .broadcast = all, .partner = t->addresses[alias] };

    e.number = number;
    t->last[0][alias] |= HC_TRAFFIC_USED;
    hc_traffic_note(t, all, alias, number);
    tell(r, &e);
}

static bool is_receive(uint8_t symbol)
{
    return symbol >= HC_TRAFFIC_FROM && symbol < HC_TRAFFIC_OWN;
}

/* SYMBOL has an alias that is in use; FIRST was expected. NUMBER: what was received, of a receive. */
static void happened(struct reader *r, uint8_t first, uint8_t symbol, uint8_t number)
{
    hc_traffic_follow(&r->tables, first, symbol);
    if (is_receive(symbol))
        received(r, symbol, number);
    else
        sent(r, symbol);
}

static bool is_possible(const struct reader *r, uint8_t symbol)
{
    return symbol == HC_TRAFFIC_TO_ALL || (symbol < HC_TRAFFIC_OWN && (symbol & HC_TRAFFIC_ALIAS) < r->tables.known);
}

static enum outcome take_expected(struct reader *r)
{
    uint8_t symbol = hc_traffic_expected(&r->tables).first, number = 0;

    if (!is_possible(r, symbol))
        return BAD;
    if (is_receive(symbol))
        number = expected_number(r, symbol >= HC_TRAFFIC_FROM_ALL, symbol & HC_TRAFFIC_ALIAS);
    happened(r, symbol, symbol, number);
    return DONE;
}

/* Kinds of their own but a broadcast that was sent. */
static enum outcome take_own(struct reader *r, uint8_t symbol)
{
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_RESET };

    if (symbol == HC_TRAFFIC_PAD) {
        r->bit = (r->bit + 7) / 8 * 8;
        return DONE;
    }
    if (!has_bits(r, symbol == HC_TRAFFIC_RESET ? 8 : 16))
        return MORE;
    if (symbol == HC_TRAFFIC_RESET) {
        e.cause = (uint16_t)take(r, 8);
        tell(r, &e);
        return DONE;
    }
    if (symbol != HC_TRAFFIC_ADDRESS)
        return BAD;
    r->tables.self = (uint16_t)take(r, 16);
    return DONE;
}

/* A kind; of kind OWN the whole symbol. */
static enum outcome take_kind(struct reader *r, uint8_t *symbol)
{
    if (!has_bits(r, 2))
        return MORE;
    *symbol = (uint8_t)(take(r, 2) << 5);
    if (*symbol != HC_TRAFFIC_OWN)
        return DONE;
    if (!has_bits(r, 3))
        return MORE;
    *symbol |= (uint8_t)take(r, 3);
    return DONE;
}

/* Of SYMBOL, which has its kind. *ADDRESS, if it is HC_TRAFFIC_NEW. */
static enum outcome take_alias(struct reader *r, uint8_t *symbol, uint16_t *address)
{
    uint8_t bits = hc_traffic_alias_bits(&r->tables);

    if (!has_bits(r, bits))
        return MORE;
    uint8_t alias = (uint8_t)take(r, bits);
    if (alias > r->tables.known)
        return BAD;
    if (alias < r->tables.known) {
        *symbol |= alias;
        return DONE;
    }
    if (!has_bits(r, 16))
        return MORE;
    *symbol |= HC_TRAFFIC_NEW;
    *address = (uint16_t)take(r, 16);
    return DONE;
}

/* A symbol that is written out. */
static enum outcome take_symbol(struct reader *r, uint8_t *symbol, uint16_t *address, bool *odd)
{
    enum outcome outcome = take_kind(r, symbol);

    *odd = outcome == DONE && *symbol == HC_TRAFFIC_ODD;
    if (*odd) {
        outcome = take_kind(r, symbol);
        if (outcome == DONE && !is_receive(*symbol))
            return BAD;
    }
    return outcome == DONE && *symbol < HC_TRAFFIC_OWN ? take_alias(r, symbol, address) : outcome;
}

/* What comes instead of what was expected: the symbol, and whether its number was not expected. */
static enum outcome take_choice(struct reader *r, const struct hc_traffic_guess *guess, uint8_t *symbol,
                                uint16_t *address, bool *odd)
{
    if (!has_bits(r, 1))
        return MORE;
    if (take(r, 1))
        return take_symbol(r, symbol, address, odd);
    if (!has_bits(r, 1))
        return MORE;
    *odd = take(r, 1);
    *symbol = *odd ? guess->first : guess->second;
    if (!is_possible(r, *symbol) || (*odd && !is_receive(*symbol)))
        return BAD;
    if (*odd || !is_receive(*symbol))
        return DONE;
    if (!has_bits(r, 1))
        return MORE;
    *odd = take(r, 1);
    return DONE;
}

/* A symbol that was not expected, or a number that was not. */
static enum outcome take_surprise(struct reader *r)
{
    struct hc_traffic_guess guess = hc_traffic_expected(&r->tables);
    uint8_t symbol, number = 0;
    uint16_t address = 0;
    bool odd;
    enum outcome outcome = take_choice(r, &guess, &symbol, &address, &odd);

    if (outcome != DONE)
        return outcome;
    if (symbol > HC_TRAFFIC_TO_ALL)
        return take_own(r, symbol);
    uint8_t alias = symbol & HC_TRAFFIC_ALIAS, all = symbol >= HC_TRAFFIC_FROM_ALL;
    bool fresh = symbol != HC_TRAFFIC_TO_ALL && alias == HC_TRAFFIC_NEW;
    if (fresh) { /* no entry has this alias: it serves for what is expected of one that is new */
        r->tables.last[0][alias] = r->tables.last[1][alias] = HC_NUMBER_LOW;
        r->tables.gray[0][alias] = r->tables.gray[1][alias] = 0;
    }
    if (is_receive(symbol)) {
        number = expected_number(r, all, alias);
        outcome = odd ? take_number(r, all, alias, &number) : DONE;
    }
    if (outcome != DONE)
        return outcome;
    if (fresh)
        symbol = (symbol & HC_TRAFFIC_KIND) | hc_traffic_enter(&r->tables, address, r->partners);
    happened(r, guess.first, symbol, number);
    return DONE;
}

/* What the next bit says about a run: it is full, or cut short by a surprise. */
static enum outcome take_run(struct reader *r)
{
    struct hc_traffic_tables *t = &r->tables;
    uint8_t level = t->level;

    if (!has_bits(r, 1))
        return MORE;
    bool cut = take(r, 1);
    if (cut && !has_bits(r, level))
        return MORE;
    r->run = cut ? take(r, level) : 1u << level;
    r->cut = cut;
    hc_traffic_adapt(t, !cut);
    return DONE;
}

/* One step further; where something is missing, nothing of it is taken. */
static enum outcome take_step(struct reader *r)
{
    size_t before = r->bit;
    enum outcome outcome;

    if (r->run) {
        r->run--;
        return take_expected(r);
    }
    if (r->cut) {
        outcome = take_surprise(r);
        r->cut = outcome == MORE;
    } else {
        outcome = take_run(r);
    }
    if (outcome == MORE)
        r->bit = before;
    return outcome;
}

static void decode(struct reader *r)
{
    enum outcome outcome;

    do
        outcome = take_step(r);
    while (outcome == DONE);
    if (outcome == BAD) {
        give_up(r, "the code makes no sense");
        return;
    }
    memmove(r->code, r->code + r->bit / 8, r->size - r->bit / 8);
    r->size -= r->bit / 8;
    r->bit %= 8;
}

/* ---- pieces, one after the other ---- */

static void begin(struct reader *r, const uint8_t *bytes)
{
    const struct hc_traffic_begin *b = (const struct hc_traffic_begin *)bytes;
    bool fresh = b->flags & HC_TRAFFIC_FRESH;

    if (r->size || r->cut)
        tell_gap(r, "the segment before ends in the middle of an event");
    r->size = r->bit = r->run = 0;
    r->cut = false;
    r->odd = 0;
    r->begun = b->version == HC_TRAFFIC_VERSION && b->partners && b->partners <= HC_TRAFFIC_PARTNERS_MAX;
    if (!r->begun) {
        give_up(r, "the segment is of another version");
        return;
    }
    if (b->flags & HC_TRAFFIC_CUT)
        tell_gap(r, "events were lost on the node");
    if (!r->any && !fresh)
        tell_gap(r, "the log begins after the node did");
    if (r->any && fresh)
        tell_gap(r, "power was lost, and with it what waited in RAM");
    r->partners = b->partners;
    r->filled = 0;
    r->tabled = fresh;
    hc_traffic_clear(&r->tables);
}

enum { TABLES_HEAD = offsetof(struct hc_traffic_tables, addresses), ENTRY = 11 };

static size_t tables_size(const struct reader *r)
{
    return TABLES_HEAD + (size_t)ENTRY * r->partners;
}

static void copy_words(uint16_t *to, const uint8_t **from, uint8_t count)
{
    for (uint8_t i = 0; i < count; i++, *from += 2)
        to[i] = (uint16_t)((*from)[0] | (*from)[1] << 8);
}

static void copy_bytes(uint8_t *to, const uint8_t **from, uint8_t count)
{
    memcpy(to, *from, count);
    *from += count;
}

/* The arrays of the node have as many elements as it has partners. */
static void unpack_tables(struct reader *r)
{
    struct hc_traffic_tables *t = &r->tables;
    const uint8_t *at = r->raw + TABLES_HEAD;

    memcpy(t, r->raw, TABLES_HEAD);
    copy_words(t->addresses, &at, r->partners);
    copy_words(t->epochs, &at, r->partners);
    copy_words(t->gray[0], &at, r->partners);
    copy_words(t->gray[1], &at, r->partners);
    copy_bytes(t->nexts, &at, r->partners);
    copy_bytes(t->last[0], &at, r->partners);
    copy_bytes(t->last[1], &at, r->partners);
}

static void add_tables(struct reader *r, const uint8_t *bytes, uint8_t size)
{
    const struct hc_traffic_tables *t = &r->tables;

    if (r->filled + size > tables_size(r)) {
        give_up(r, "its tables make no sense");
        return;
    }
    memcpy(r->raw + r->filled, bytes, size);
    r->filled += size;
    r->tabled = r->filled == tables_size(r);
    if (!r->tabled)
        return;
    unpack_tables(r);
    if (t->known > r->partners || t->hand >= r->partners || t->level > HC_TRAFFIC_LEVEL_MAX)
        give_up(r, "its tables make no sense");
}

static void add_code(struct reader *r, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    uint8_t odd = head & HC_PIECE_ODD ? 1 : 2;

    if (odd == r->odd)
        return; /* written twice: a reset came when it had just been written */
    r->odd = odd;
    if (!r->begun)
        return;
    if (!r->tabled) {
        give_up(r, "its tables are not whole");
        return;
    }
    memcpy(r->code + r->size, bytes, size);
    r->size += size;
    decode(r);
}

static void read_piece(struct reader *r, const uint8_t *at)
{
    uint8_t size = piece_size(*at);

    if (*at == HC_PIECE_BEGIN)
        begin(r, at + 1);
    else if (!r->begun)
        return;
    else if (*at >= HC_PIECE_TABLES)
        add_tables(r, at + 1, size);
    else
        add_code(r, *at, at + 1, size);
}

/* ---- pages ---- */

/* The page before is not there, or of another segment that this one does not continue. */
static bool continues(const struct reader *r, const struct hc_log *log, size_t index)
{
    return r->begun && !hc_log_missing_before(log, index) && r->boot == r->page->boot && r->segment == r->page->segment;
}

static void read_page(struct reader *r, const struct hc_log *log, size_t index)
{
    const struct hc_log_page *p = r->page;
    bool begins = p->payload[0] == HC_PIECE_BEGIN;

    if (!begins && !continues(r, log, index))
        give_up(r, "pages are missing");
    if (begins && hc_log_missing_before(log, index))
        tell_gap(r, "pages are missing");
    r->boot = p->boot;
    r->segment = p->segment;
    for (size_t at = 0; at < p->length; at += (size_t)piece_size(p->payload[at]) + 2)
        read_piece(r, p->payload + at);
    if (p->torn)
        give_up(r, "the rest of a page is torn");
}

void hc_traffic_read(const struct hc_log *log, hc_traffic_fn *fn, void *owner)
{
    struct reader r = { .fn = fn, .owner = owner };
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages);

    for (size_t i = 0; i < count; i++) {
        if (pages[i].stream != HC_STREAM_MESSAGES)
            continue;
        r.page = &pages[i];
        read_page(&r, log, i);
    }
    if (r.page)
        tell_gap(&r, "what waited in RAM when the log was read is not in it");
}
