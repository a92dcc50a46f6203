#include "traffic.h"

#define HC_MESSAGE_PARTNERS 22 /* the most */
#include "../runtime/traffic/model.h"
#include "path_code.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TABLES = (int)((sizeof(struct hc_traffic_tables) + 3) / 4 * 4) };

/* The state of the node's encoder. */
struct node {
    struct hc_traffic_tables tables;
    uint8_t contexts[HC_TRAFFIC_CONTEXTS];
    uint16_t low, range;
    size_t at; /* of the code: what the coder has put, two bytes of which are looked at */
};

struct reader {
    hc_traffic_fn *fn;
    void *owner;
    const struct hc_log_page *page;
    struct node node;
    uint8_t channels;
    uint8_t raw[MOST_TABLES]; /* tables as the node has them */
    bool begun, tabled;       /* a segment; its tables are there */
    bool unfinished;          /* the segment before ended in the middle of an event */
    bool any;                 /* an event or a gap came */
    bool gap;                 /* was the last that came */
    uint16_t boot, segment;
    uint8_t code[4096]; /* that was not decoded yet: the last event may be incomplete */
    size_t size;
    struct hc_path_reader paths;
};

/* ---- pieces ---- */

static uint8_t piece_size(uint8_t head)
{
    if (head >= HC_PIECE_TABLES)
        return (head & 0x3f) * 4;
    return head & HC_PIECE_SIZE;
}

uint8_t hc_traffic_check_of(const uint8_t *bytes, size_t size)
{
    uint8_t sum = 0;

    for (size_t i = 0; i < size; i++)
        sum = hc_traffic_sum(sum, bytes[i]);
    return hc_traffic_check(sum);
}

/* The size of the piece at AT with its head and check; 0: it is incomplete. */
static size_t whole_piece(const uint8_t *at, size_t available)
{
    size_t size = available ? piece_size(*at) : 0;

    if (!size || size + 2 > available || hc_traffic_check_of(at, size + 1) != at[size + 1])
        return 0;
    return size + 2;
}

/* The header of the next page of the same stream and boot. On a wire it follows at once, and its check is a piece's. */
static bool begins_page(const uint8_t *at, size_t available, const uint8_t *header)
{
    enum { SAME = 4 };

    return available >= SAME && !memcmp(at, header, SAME);
}

uint8_t hc_traffic_pieces(const uint8_t *payload, size_t available)
{
    size_t length = 0, piece;

    if (available > HC_PAGE_SIZE - HC_PAGE_HEADER)
        available = HC_PAGE_SIZE - HC_PAGE_HEADER;
    while ((piece = whole_piece(payload + length, available - length)) &&
           !begins_page(payload + length, available - length, payload - HC_PAGE_HEADER))
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
    e->self = r->node.tables.self;
    r->any = true;
    r->gap = e->kind == HC_TRAFFIC_EVENT_GAP;
    r->fn(r->owner, e);
}

static void tell_gap_of(struct reader *r, const char *why, bool damage)
{
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_GAP, .damage = damage };

    snprintf(e.why, sizeof e.why, "%s", why);
    if (!r->gap)
        tell(r, &e);
}

static void tell_gap(struct reader *r, const char *why)
{
    tell_gap_of(r, why, false);
}

static void lose_paths(struct reader *r, const char *why)
{
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_PATHS_LOST, .self = r->node.tables.self };

    e.boot = r->page->boot;
    e.segment = r->page->segment;
    snprintf(e.why, sizeof e.why, "%s", why);
    r->fn(r->owner, &e);
}

/* The rest of the segment cannot be decoded. */
static void give_up(struct reader *r, const char *why)
{
    r->begun = r->unfinished = false;
    r->size = r->node.at = 0;
    tell_gap_of(r, why, true);
    if (r->paths.width && !r->paths.bad)
        lose_paths(r, why);
    r->paths.bad = true;
}

/* ---- code ---- */

enum outcome { DONE, MORE, BAD }; /* MORE: of what is to be decoded a part is missing */

/* An event under way. */
struct step {
    const struct reader *r;
    struct node node;
    enum outcome outcome; /* from the first that is not DONE on all bits are 0 */
};

/* The two bytes from AT on, MISSING where there are none. */
static uint16_t window(const struct step *s, uint8_t missing)
{
    size_t at = s->node.at;
    uint8_t high = at < s->r->size ? s->r->code[at] : missing;

    return (uint16_t)(high << 8 | (at + 1 < s->r->size ? s->r->code[at + 1] : missing));
}

/* Does what the encoder does after each bit. */
static void renormalise(struct node *n)
{
    for (;;) {
        bool crosses = (n->low ^ (uint16_t)(n->low + n->range)) >> 8;
        if (crosses && n->range >= 0x100)
            return;
        if (crosses)
            n->range = -n->low & 0xff;
        n->low = (uint16_t)(n->low << 8);
        n->range = (uint16_t)(n->range << 8);
        n->at++;
    }
}

static bool take_bit(struct step *s, uint8_t *context)
{
    struct node *n = &s->node;
    uint16_t bound = hc_traffic_bound(n->range, *context);
    uint32_t least = window(s, 0), most = window(s, 0xff), low = n->low;

    if (least < low)
        least = low;
    if (most >= low + n->range)
        most = low + n->range - 1;
    bool bit = least - low >= bound;
    if (s->outcome == DONE && least > most)
        s->outcome = BAD;
    if (s->outcome == DONE && bit != (most - low >= bound))
        s->outcome = MORE;
    if (s->outcome != DONE)
        return false;
    *context = hc_traffic_adapt(*context, bit);
    n->low = (uint16_t)(low + (bit ? bound : 0));
    n->range = bit ? n->range - bound : bound;
    renormalise(n);
    return bit;
}

/* A byte. */
static uint8_t take(struct step *s)
{
    unsigned bits = 1;

    while (bits < 0x100)
        bits = bits << 1 | take_bit(s, &s->node.contexts[HC_TRAFFIC_CONTEXT_BITS + (bits & 7)]);
    return (uint8_t)bits;
}

/* That of a channel, of a new one, or behind that HC_TRAFFIC_PAD or HC_TRAFFIC_RESET. */
static unsigned take_alias(struct step *s)
{
    unsigned context = HC_TRAFFIC_CONTEXT_PLACE + (s->node.tables.channels[0].next & HC_TRAFFIC_KIND) * 4u, alias = 0;

    while (take_bit(s, &s->node.contexts[context])) {
        if (alias++ == s->node.tables.known + HC_TRAFFIC_RESET) {
            s->outcome = BAD;
            break;
        }
        if (context < HC_TRAFFIC_CONTEXTS - 1)
            context++;
    }
    return alias;
}

/* ALIAS is that of a channel, or the next one. It is the first now. */
static void use(struct step *s, unsigned alias)
{
    struct hc_traffic_tables *t = &s->node.tables;
    struct hc_traffic_channel c = { .next = 0 };

    if (alias == t->known) {
        c.next = take(s);
        c.address[0] = take(s);
        c.address[1] = take(s);
        if (s->outcome == DONE && c.next & HC_TRAFFIC_SENT && c.next >= HC_TRAFFIC_ONE)
            s->outcome = BAD;
        if (alias == s->r->channels)
            alias--;
        else
            t->known++;
    } else {
        c = t->channels[alias];
    }
    memmove(t->channels + 1, t->channels, alias * sizeof c);
    t->channels[0] = c;
}

static void count_sent(struct hc_traffic_tables *t, struct hc_traffic_event *e)
{
    struct hc_traffic_channel *c = t->channels;

    e->epoch = (uint16_t)(c->round[0] | c->round[1] << 8);
    if (!e->epoch)
        e->epoch = ++t->highest;
    e->number = hc_number(hc_number_gray(e->epoch), c->next / HC_TRAFFIC_ONE);
    uint16_t epoch = e->epoch;
    c->next += HC_TRAFFIC_ONE;
    if (c->next < HC_TRAFFIC_ONE && epoch++ == t->highest)
        t->highest = epoch;
    c->round[0] = (uint8_t)epoch;
    c->round[1] = (uint8_t)(epoch >> 8);
}

static void take_number(struct step *s, struct hc_traffic_event *e)
{
    struct hc_traffic_channel *c = s->node.tables.channels;
    unsigned odd = 0;

    if (take_bit(s, &s->node.contexts[HC_TRAFFIC_CONTEXT_ODD])) {
        odd = take(s);
        if (s->outcome == DONE && !odd)
            s->outcome = BAD;
    }
    unsigned ahead = odd / HC_TRAFFIC_ONE, low = (c->next / HC_TRAFFIC_ONE + ahead) & HC_NUMBER_LOW;
    uint16_t round = hc_traffic_turn((uint16_t)(c->round[0] | c->round[1] << 8), ahead);
    round ^= odd % HC_TRAFFIC_ONE;
    e->number = (uint8_t)(low | (round & 3) << HC_NUMBER_LOW_BITS);
    round = hc_traffic_turn(round, 1);
    c->round[0] = (uint8_t)round;
    c->round[1] = (uint8_t)(round >> 8);
    c->next += (uint8_t)((ahead + 1) * HC_TRAFFIC_ONE);
}

static void take_message(struct step *s, unsigned alias, struct hc_traffic_event *e)
{
    const struct hc_traffic_channel *c = s->node.tables.channels;

    use(s, alias);
    e->kind = c->next & HC_TRAFFIC_SENT ? HC_TRAFFIC_EVENT_SENT : HC_TRAFFIC_EVENT_RECEIVED;
    e->broadcast = c->next & HC_TRAFFIC_ALL;
    e->partner = (uint16_t)(c->address[0] | c->address[1] << 8);
    if (e->kind == HC_TRAFFIC_EVENT_RECEIVED) {
        take_number(s, e);
        return;
    }
    if (e->broadcast)
        e->partner = HC_MESSAGE_TO_ALL;
    count_sent(&s->node.tables, e);
}

/* The coder rests: its last two bytes are there. */
static void take_rest(struct step *s)
{
    struct node *n = &s->node;

    if (s->outcome == DONE && n->at + 2 > s->r->size)
        s->outcome = MORE;
    n->at += 2;
    n->low = 0;
    n->range = HC_TRAFFIC_REST;
}

/* Decodes one event; takes nothing if a part of it is missing. */
static enum outcome take_step(struct reader *r)
{
    struct step s = { .r = r, .node = r->node };
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_RESET };
    unsigned alias = take_alias(&s), known = s.node.tables.known;

    if (alias == known + HC_TRAFFIC_PAD)
        take_rest(&s);
    else if (alias == known + HC_TRAFFIC_RESET)
        e.cause = take(&s);
    else if (alias <= known)
        take_message(&s, alias, &e);
    if (s.outcome != DONE)
        return s.outcome;
    r->node = s.node;
    if (alias != known + HC_TRAFFIC_PAD)
        tell(r, &e);
    return DONE;
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
    memmove(r->code, r->code + r->node.at, r->size - r->node.at);
    r->size -= r->node.at;
    r->node.at = 0;
}

/* ---- pieces, one after the other ---- */

static void begin(struct reader *r, const uint8_t *bytes)
{
    const struct hc_traffic_begin *b = (const struct hc_traffic_begin *)bytes;

    r->unfinished |= r->begun && (r->size || r->node.range != HC_TRAFFIC_REST);
    r->size = 0;
    r->tabled = false;
    r->begun = b->version == HC_TRAFFIC_VERSION && b->partners && b->partners <= HC_TRAFFIC_PARTNERS_MAX;
    r->channels = 2 * b->partners;
    r->node = (struct node){ .range = HC_TRAFFIC_REST };
    memset(r->node.contexts, HC_TRAFFIC_CONTEXT_NEW, sizeof r->node.contexts);
    if (!hc_path_reader_begin(&r->paths, b->path_width))
        lose_paths(r, "the segment before ends in the middle of a path");
    if (!r->begun)
        give_up(r, "the segment is of another version");
}

/* What may be missing before a segment with these flags. */
static void tell_before(struct reader *r, uint8_t flags)
{
    bool fresh = flags & HC_TRAFFIC_FRESH;

    if (!fresh && flags & HC_TRAFFIC_CUT)
        tell_gap(r, "events were lost on the node");
    if (r->unfinished)
        tell_gap(r, "the segment before ends in the middle of an event");
    if (!r->any && !fresh)
        tell_gap(r, "the log begins after the node did");
    if (fresh && r->any && r->paths.width)
        lose_paths(r, "power was lost");
    if (r->any && fresh)
        tell_gap(r, "power was lost, and with it what waited in RAM");
    r->unfinished = false;
}

/* The tables are all that a segment has, or their first bytes. */
static void add_tables(struct reader *r, const uint8_t *bytes, uint8_t size)
{
    struct hc_traffic_tables *t = &r->node.tables;
    size_t all = HC_TRAFFIC_TABLES_HEAD + (size_t)HC_TRAFFIC_CHANNEL * r->channels;

    if (r->tabled || size < HC_TRAFFIC_FRESH_SIZE) {
        give_up(r, "its tables make no sense");
        return;
    }
    memset(r->raw, 0, sizeof r->raw);
    memcpy(r->raw, bytes, size < sizeof r->raw ? size : sizeof r->raw);
    memcpy(t, r->raw, sizeof *t);
    tell_before(r, t->flags);
    if (t->flags & HC_TRAFFIC_FRESH) {
        *t = (struct hc_traffic_tables){ .self = t->self, .highest = (uint16_t)(r->page->boot << 8) };
    } else if (size < all || t->known > r->channels) {
        give_up(r, "its tables make no sense");
        return;
    }
    r->tabled = true;
}

static void add_code(struct reader *r, const uint8_t *bytes, uint8_t size)
{
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

/* ---- paths ---- */

static void tell_path(void *owner, uint16_t number)
{
    struct reader *r = owner;
    struct hc_traffic_event e = { .kind = HC_TRAFFIC_EVENT_PATH,
                                  .boot = r->page->boot,
                                  .segment = r->page->segment,
                                  .self = r->node.tables.self,
                                  .path = number };

    r->fn(r->owner, &e);
}

static void add_paths(struct reader *r, uint8_t head, const uint8_t *bytes, uint8_t size)
{
    if (!hc_path_reader_add(&r->paths, head & HC_PIECE_ODD ? 1 : 2, bytes, size, tell_path, r))
        lose_paths(r, "the code of paths makes no sense");
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
    else if (*at >= HC_PIECE_PATHS)
        add_paths(r, *at, at + 1, size);
    else
        add_code(r, at + 1, size);
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
    if (begins && hc_log_missing_before(log, index)) {
        tell_gap_of(r, "pages are missing", true);
        if (r->paths.width)
            lose_paths(r, "pages are missing");
    }
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
