/* The feed of a decoded log. */
#include "feed.h"
#include "unmix.h"
#include "unpaper.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the replay is; all that changes, but for what is only looked up. Of set paper's runs, a pair for each site
 * follows: runs used up, and reads taken of the next. */
struct place {
    struct hc_unmix unmix;
    uint64_t taken;
    uint16_t timer[HC_TIMERS];
    size_t timers, bytes, interrupts; /* of set paper */
    size_t ring;                      /* of what was rescued from it */
    size_t checks;                    /* self-checks of pages that are over */
};

struct cursor {
    uint32_t runs, reads;
};

struct log_feed {
    struct hc_feed base;
    const struct hc_log *log;
    const struct hc_site_table *sites;
    uint8_t sets;
    struct place place;
    struct cursor *cursor; /* by site */
    struct hc_unpaper paper;
    struct hc_rescue rescue;
    struct hc_unmix_page *pages; /* that were begun */
    size_t all;                  /* bytes of payload */
    struct hc_event event;       /* the one that hc_feed_interrupt returned */
    uint8_t *memory;
    struct question {
        enum { READ_OF_SITE, SLEEP, MEMORY, NEXT_EVENT } kind;
        uint16_t site;
    } asked; /* last: messages begin with it */
    char text[240];
};

/* ---- statuses and their sentences ---- */

/* What was asked is written down for messages only when there is one: nearly all answers have none. */
static int say_question(struct log_feed *feed)
{
    static const char *const names[] = { [SLEEP] = "sleep", [MEMORY] = "memory", [NEXT_EVENT] = "next event" };
    if (feed->asked.kind == READ_OF_SITE)
        return snprintf(feed->text, sizeof feed->text, "read of site %u: ", feed->asked.site);
    return snprintf(feed->text, sizeof feed->text, "%s: ", names[feed->asked.kind]);
}

__attribute__((format(printf, 3, 4))) static enum hc_feed_status say(struct log_feed *feed, enum hc_feed_status status,
                                                                     const char *format, ...)
{
    va_list arguments;
    int used = say_question(feed);
    va_start(arguments, format);
    vsnprintf(feed->text + used, sizeof feed->text - (size_t)used, format, arguments);
    va_end(arguments);
    return status;
}

/* Whether STATUS of the mixed stream is due to a rescue that makes no sense, as a whole or only where it is decoded. */
static bool is_rescue_spoilt(const struct log_feed *feed, enum hc_feed_status status)
{
    const struct hc_unmix *u = &feed->place.unmix;
    bool all_pages = u->begun == feed->rescue.pages;
    return feed->rescue.there && all_pages && !u->in_ring &&
           (status == HC_FEED_DAMAGE || (status == HC_FEED_END && feed->rescue.damaged));
}

/* STATUS is final for the mixed stream. Returns it, with a message unless it is OK. */
static enum hc_feed_status say_mixed(struct log_feed *feed, enum hc_feed_status status)
{
    const struct hc_log_page *page;
    const struct hc_page_stream *pages = &feed->place.unmix.pages;
    unsigned long long taken = feed->place.taken;

    if (status == HC_FEED_OK)
        return status;
    hc_log_pages(feed->log, &page);
    page += pages->page;
    if (is_rescue_spoilt(feed, status))
        return say(feed, HC_FEED_DAMAGE, "after event %llu what waited in RAM at the reset was damaged%s%s", taken,
                   feed->rescue.damaged ? ": " : "", feed->rescue.text);
    if (status == HC_FEED_END)
        return say(feed, status, "the recording ends after event %llu, in page %u at 0x%zx", taken, page->sequence,
                   page->offset);
    if (status == HC_FEED_DAMAGE)
        return say(feed, status, "the recording is damaged after event %llu, in or after page %u at 0x%zx", taken,
                   page->sequence, page->offset);
    return say(feed, status, "the order of reads up to event %llu differs from the recording, by page %u at 0x%zx",
               taken, page->sequence, page->offset);
}

/* Of set paper, where a stream has nothing more. */
static enum hc_feed_status say_paper(struct log_feed *feed, enum hc_lane lane)
{
    enum hc_feed_status status = feed->paper.end[lane];
    static const char *const names[] = { "interrupts", "registers", "data", "hashes" };
    return say(feed, status, "the recording's %s %s here", names[lane], status == HC_FEED_END ? "end" : "are damaged");
}

/* ---- events that were rescued from the ring ---- */

/* Whether it is their turn. Looks at what comes next. */
static bool is_listed(struct log_feed *feed)
{
    if (feed->sets == 0)
        hc_unmix_peek(&feed->place.unmix);
    return feed->place.unmix.in_ring;
}

static const struct hc_event *listed(const struct log_feed *feed)
{
    return feed->place.ring < feed->rescue.events ? &feed->rescue.event[feed->place.ring] : NULL;
}

static void pass_listed(struct log_feed *feed)
{
    feed->place.ring++;
    feed->place.taken++;
}

static const char *kind_name(const struct hc_event *e)
{
    static const char *const names[] = { "a read", "an interrupt", "memory" };
    return names[e->kind];
}

/* The last entry of a ring may have been under way when the reset came: it is no event if it does not fit. */
static enum hc_feed_status contradict(struct log_feed *feed)
{
    const struct hc_event *e = listed(feed);
    if (feed->place.ring + 1 == feed->rescue.events) {
        feed->place.ring++;
        return say_mixed(feed, HC_FEED_END);
    }
    if (e->kind == HC_EVENT_READ)
        return say(feed, HC_FEED_DIVERGED, "event %llu is a read of site %u", (unsigned long long)feed->place.taken,
                   e->read.site);
    return say(feed, HC_FEED_DIVERGED, "event %llu is %s", (unsigned long long)feed->place.taken, kind_name(e));
}

/* The next of the list, which must be of KIND. */
static enum hc_feed_status take_listed(struct log_feed *feed, enum hc_event_kind kind, const struct hc_event **out)
{
    *out = listed(feed);
    if (!*out)
        return say_mixed(feed, HC_FEED_END);
    if ((*out)->kind != kind)
        return contradict(feed);
    pass_listed(feed);
    return HC_FEED_OK;
}

/* ---- what comes next in the mixed stream ---- */

static enum hc_feed_status expect(struct log_feed *feed, enum hc_unmix_next next)
{
    static const char *const names[] = { "?", "a read or sleep", "an interrupt", "memory" };
    struct hc_unmix *u = &feed->place.unmix;
    enum hc_feed_status status = hc_unmix_peek(u);

    if (status)
        return say_mixed(feed, status);
    if (u->next != next)
        return say(feed, HC_FEED_DIVERGED, "the recording has %s next, as event %llu", names[u->next],
                   (unsigned long long)feed->place.taken);
    return HC_FEED_OK;
}

/* ---- reads ---- */

static enum hc_feed_status read_listed(struct log_feed *feed, uint16_t site, uint16_t *value)
{
    const struct hc_event *e = listed(feed);
    if (e && e->kind == HC_EVENT_READ && e->read.site != site)
        return contradict(feed);
    enum hc_feed_status status = take_listed(feed, HC_EVENT_READ, &e);
    if (!status)
        *value = e->read.value;
    return status;
}

static enum hc_feed_status read_run(struct log_feed *feed, uint16_t site, uint16_t *value)
{
    struct cursor *c = &feed->cursor[site];
    const struct hc_unpaper_runs *runs = &feed->paper.states[site];
    if (c->runs == runs->count)
        return say_paper(feed, HC_LANE_REGISTERS);
    *value = runs->run[c->runs].value;
    if (++c->reads == runs->run[c->runs].length) {
        c->reads = 0;
        c->runs++;
    }
    return HC_FEED_OK;
}

static enum hc_feed_status read_paper(struct log_feed *feed, uint16_t site, uint16_t *value)
{
    const struct hc_site *s = &feed->sites->sites[site];
    struct place *p = &feed->place;

    if (HC_SITE_CLASS(s) == HC_SITE_TIMER) {
        if (p->timers == feed->paper.timers)
            return say_paper(feed, HC_LANE_REGISTERS);
        *value = feed->paper.timer[p->timers++];
        return HC_FEED_OK;
    }
    if (HC_SITE_CLASS(s) != HC_SITE_DATA)
        return read_run(feed, site, value);
    size_t size = 1 + HC_SITE_WORD(s);
    if (feed->paper.bytes - p->bytes < size)
        return say_paper(feed, HC_LANE_DATA);
    *value = feed->paper.data[p->bytes];
    if (size == 2)
        *value |= (uint16_t)(feed->paper.data[p->bytes + 1] << 8);
    p->bytes += size;
    return HC_FEED_OK;
}

static enum hc_feed_status read_any(struct log_feed *feed, uint16_t site, uint16_t *value)
{
    const struct hc_site *s = &feed->sites->sites[site];
    uint8_t bit = HC_SITE_CLASS(s) == HC_SITE_DATA ? HC_PAPER_DATA : HC_PAPER_REGISTERS;
    enum hc_feed_status status;

    if (is_listed(feed))
        return read_listed(feed, site, value);
    if (feed->sets & bit)
        status = read_paper(feed, site, value);
    else if ((status = expect(feed, HC_NEXT_EXPECTED)) == HC_FEED_OK)
        status = say_mixed(feed, hc_unmix_read(&feed->place.unmix, site, s, value));
    if (!status)
        feed->place.taken++;
    return status;
}

static enum hc_feed_status log_read(struct hc_feed *self, uint16_t site, const uint16_t *base, uint16_t *value)
{
    struct log_feed *feed = (struct log_feed *)self;
    feed->asked = (struct question){ READ_OF_SITE, site };
    if (site >= feed->sites->count)
        return say(feed, HC_FEED_DIVERGED, "the program has no such site");
    enum hc_feed_status status = read_any(feed, site, value);
    const struct hc_site *s = &feed->sites->sites[site];
    if (!status && HC_SITE_CLASS(s) == HC_SITE_TIMER && !feed->place.ring) {
        uint16_t *last = &feed->place.timer[HC_TIMER_SLOT(HC_SITE_ADDRESS(s))];
        *value = *last = (uint16_t)(*value + (base ? *base : *last));
    }
    return status;
}

/* ---- interrupts ---- */

static void event_of(struct hc_event *e, const struct hc_arrival *a)
{
    *e = (struct hc_event){ .kind = HC_EVENT_INTERRUPT };
    e->interrupt.vector = a->vector;
    e->interrupt.pc = a->pc;
    e->interrupt.count = a->count | (uint32_t)a->laps << 16;
    e->interrupt.hashed = a->flags & HC_ARRIVAL_HASHED;
    e->interrupt.hash = a->hash;
}

static const struct hc_event *log_interrupt(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    struct hc_unmix *u = &feed->place.unmix;
    const struct hc_event *e = NULL;

    if (is_listed(feed)) {
        e = listed(feed);
    } else if (feed->sets & HC_PAPER_INTERRUPTS) {
        if (feed->place.interrupts < feed->paper.interrupts)
            e = &feed->paper.interrupt[feed->place.interrupts];
    } else if (hc_unmix_peek(u) == HC_FEED_OK && u->next == HC_NEXT_INTERRUPT) {
        event_of(&feed->event, &u->arrival);
        e = &feed->event;
    }
    return e && e->kind == HC_EVENT_INTERRUPT && !e->interrupt.asleep ? e : NULL;
}

static void log_take_interrupt(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    if (!log_interrupt(&feed->base))
        return;
    if (is_listed(feed)) {
        pass_listed(feed);
        return;
    }
    if (feed->sets & HC_PAPER_INTERRUPTS)
        feed->place.interrupts++;
    else
        hc_unmix_take_interrupt(&feed->place.unmix);
    feed->place.taken++;
}

static enum hc_feed_status wake_recorded(struct log_feed *feed, const struct hc_event *next, struct hc_event *event)
{
    if (!next->interrupt.asleep)
        return say(feed, HC_FEED_DIVERGED, "the recording has an interrupt at 0x%04x next", next->interrupt.pc);
    *event = *next;
    return HC_FEED_OK;
}

static enum hc_feed_status wake_paper(struct log_feed *feed, struct hc_event *event)
{
    struct place *p = &feed->place;
    if (p->interrupts == feed->paper.interrupts)
        return say_paper(feed, HC_LANE_INTERRUPTS);
    enum hc_feed_status status = wake_recorded(feed, &feed->paper.interrupt[p->interrupts], event);
    if (!status)
        p->interrupts++;
    return status;
}

static enum hc_feed_status log_wake(struct hc_feed *self, struct hc_event *event)
{
    struct log_feed *feed = (struct log_feed *)self;
    const struct hc_event *e;
    enum hc_feed_status status;

    feed->asked = (struct question){ .kind = SLEEP };
    if (is_listed(feed)) {
        status = take_listed(feed, HC_EVENT_INTERRUPT, &e);
        return status ? status : wake_recorded(feed, e, event);
    }
    if (feed->sets & HC_PAPER_INTERRUPTS) {
        status = wake_paper(feed, event);
    } else if ((status = expect(feed, HC_NEXT_EXPECTED)) == HC_FEED_OK) {
        *event = (struct hc_event){ .kind = HC_EVENT_INTERRUPT, .interrupt.asleep = true };
        status = say_mixed(feed, hc_unmix_wake(&feed->place.unmix, &event->interrupt.vector));
    }
    if (!status)
        feed->place.taken++;
    return status;
}

/* ---- memory ---- */

static bool log_has_memory(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    struct hc_unmix *u = &feed->place.unmix;
    if (is_listed(feed))
        return listed(feed) && listed(feed)->kind == HC_EVENT_MEMORY;
    return !(feed->sets & HC_PAPER_DATA) && hc_unmix_peek(u) == HC_FEED_OK && u->next == HC_NEXT_MEMORY;
}

static enum hc_feed_status memory_paper(struct log_feed *feed, uint16_t *address, uint16_t *size, const uint8_t **bytes)
{
    size_t left = feed->paper.bytes - feed->place.bytes;
    if (left < 4)
        return say_paper(feed, HC_LANE_DATA);
    const uint8_t *head = feed->paper.data + feed->place.bytes;
    if (left - 4 < (size_t)(head[2] | head[3] << 8))
        return say_paper(feed, HC_LANE_DATA);
    *address = (uint16_t)(head[0] | head[1] << 8);
    *size = (uint16_t)(head[2] | head[3] << 8);
    *bytes = head + 4;
    feed->place.bytes += 4u + *size;
    feed->place.taken++;
    return HC_FEED_OK;
}

static enum hc_feed_status log_memory(struct hc_feed *self, uint16_t *address, uint16_t *size, const uint8_t **bytes)
{
    struct log_feed *feed = (struct log_feed *)self;
    const struct hc_event *e;
    enum hc_feed_status status;

    feed->asked = (struct question){ .kind = MEMORY };
    if (is_listed(feed)) {
        status = take_listed(feed, HC_EVENT_MEMORY, &e);
        if (!status) {
            *address = e->memory.address;
            *size = e->memory.size;
            *bytes = e->memory.bytes;
        }
        return status;
    }
    if (feed->sets & HC_PAPER_DATA)
        return memory_paper(feed, address, size, bytes);
    if ((status = expect(feed, HC_NEXT_MEMORY)) != HC_FEED_OK)
        return status;
    *bytes = feed->memory;
    status = say_mixed(feed, hc_unmix_memory(&feed->place.unmix, address, size, feed->memory));
    if (!status)
        feed->place.taken++;
    return status;
}

/* ---- how far ---- */

static enum hc_feed_status log_status_next(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    feed->asked = (struct question){ .kind = NEXT_EVENT };
    if (is_listed(feed))
        return listed(feed) ? HC_FEED_OK : say_mixed(feed, HC_FEED_END);
    if (feed->sets & HC_PAPER_INTERRUPTS)
        return feed->place.interrupts < feed->paper.interrupts ? HC_FEED_OK : say_paper(feed, HC_LANE_INTERRUPTS);
    return say_mixed(feed, hc_unmix_peek(&feed->place.unmix));
}

static const char *log_text(const struct hc_feed *self)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    return feed->text;
}

static uint64_t log_taken(const struct hc_feed *self)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    return feed->place.taken;
}

static void log_progress(const struct hc_feed *self, size_t *consumed, size_t *all)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    *all = feed->all;
    *consumed = feed->place.unmix.consumed;
    if (feed->sets & HC_PAPER_INTERRUPTS && feed->paper.interrupts)
        *consumed += feed->paper.payload * feed->place.interrupts / feed->paper.interrupts;
}

/* ---- self-checks, and the reset ---- */

/* The trailer of the page whose self-check comes next; pages without one are passed over. */
static const uint8_t *next_trailer(struct log_feed *feed, const struct hc_log_page **page)
{
    for (; feed->place.checks < feed->place.unmix.begun; feed->place.checks++) {
        hc_log_pages(feed->log, page);
        *page += feed->pages[feed->place.checks].page;
        const uint8_t *trailer = (*page)->payload + (*page)->length - HC_MIXED_TRAILER;
        if (trailer[2] != HC_MIXED_UNCHECKED)
            return trailer;
    }
    return NULL;
}

static bool log_check(struct hc_feed *self, struct hc_feed_check *out)
{
    struct log_feed *feed = (struct log_feed *)self;
    const struct hc_log_page *page;
    const uint8_t *trailer = feed->sets ? NULL : next_trailer(feed, &page);
    if (!trailer)
        return false;
    *out = (struct hc_feed_check){
        .after = feed->pages[feed->place.checks].first + trailer[2],
        .count = trailer[3],
        .sum = (uint16_t)(trailer[4] | trailer[5] << 8),
        .sequence = page->sequence,
        .offset = page->offset,
    };
    return true;
}

static void log_take_check(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    feed->place.checks++;
}

static bool log_reset(const struct hc_feed *self, uint16_t *count)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    *count = feed->rescue.head.count;
    return feed->place.unmix.in_ring && feed->place.ring == feed->rescue.events;
}

static bool log_rescued(const struct hc_feed *self)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    return feed->place.unmix.rescued || feed->place.unmix.in_ring;
}

/* ---- going back ---- */

static size_t log_place_size(const struct hc_feed *self)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    return sizeof(struct place) + (feed->sets & HC_PAPER_REGISTERS ? feed->sites->count * sizeof(struct cursor) : 0);
}

static void log_save(const struct hc_feed *self, void *place)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    memcpy(place, &feed->place, sizeof feed->place);
    memcpy((char *)place + sizeof feed->place, feed->cursor, log_place_size(&feed->base) - sizeof feed->place);
}

static void log_restore(struct hc_feed *self, const void *place)
{
    struct log_feed *feed = (struct log_feed *)self;
    memcpy(&feed->place, place, sizeof feed->place);
    memcpy(feed->cursor, (const char *)place + sizeof feed->place, log_place_size(&feed->base) - sizeof feed->place);
}

static void log_free(struct hc_feed *self)
{
    struct log_feed *feed = (struct log_feed *)self;
    hc_unpaper_close(&feed->paper);
    hc_rescue_close(&feed->rescue);
    free(feed->pages);
    free(feed->cursor);
    free(feed->memory);
    free(feed);
}

static bool log_ordered(const struct hc_feed *self)
{
    const struct log_feed *feed = (const struct log_feed *)self;
    return feed->sets == 0;
}

static const struct hc_feed_ops ops = {
    .free = log_free,
    .is_ordered = log_ordered,
    .read = log_read,
    .interrupt = log_interrupt,
    .take_interrupt = log_take_interrupt,
    .wake = log_wake,
    .has_memory = log_has_memory,
    .memory = log_memory,
    .status = log_status_next,
    .text = log_text,
    .check = log_check,
    .take_check = log_take_check,
    .reset = log_reset,
    .is_rescued = log_rescued,
    .taken = log_taken,
    .progress = log_progress,
    .place_size = log_place_size,
    .save = log_save,
    .restore = log_restore,
};

/* ---- opening ---- */

static struct log_feed *new_feed(const struct hc_site_table *sites)
{
    struct log_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return NULL;
    feed->base.ops = &ops;
    feed->sites = sites;
    feed->cursor = calloc(sites->count + 1, sizeof *feed->cursor);
    feed->memory = malloc(1 << 16);
    if (feed->cursor && feed->memory)
        return feed;
    log_free(&feed->base);
    return NULL;
}

enum hc_log_error hc_feed_open(struct hc_feed **out, const struct hc_log *log, const struct hc_log_segment *s,
                               const struct hc_site_table *sites, struct hc_log_message *message)
{
    *out = NULL;
    if (s->begin != HC_BEGIN_BOOT && s->begin != HC_BEGIN_CHECKPOINT) {
        snprintf(message->text, sizeof message->text, "%.200s: segment %u of boot %u has lost its start",
                 hc_log_name(log), s->number, s->boot);
        return HC_LOG_DAMAGED;
    }
    struct log_feed *feed = new_feed(sites);
    if (feed) {
        feed->log = log;
        feed->sets = s->sets;
        feed->pages = calloc(s->pages[HC_STREAM_MIXED] + 1, sizeof *feed->pages);
        hc_unmix_open(&feed->place.unmix, log, s, feed->pages, &feed->rescue);
    }
    if (!feed || !feed->pages || hc_rescue_open(&feed->rescue, log, s, sites) ||
        hc_unpaper_open(&feed->paper, log, s, sites)) {
        if (feed)
            log_free(&feed->base);
        snprintf(message->text, sizeof message->text, "%.200s: not enough memory", hc_log_name(log));
        return HC_LOG_NO_MEMORY;
    }
    for (int i = 0; i < HC_CODEC_STREAMS; i++)
        feed->all += s->payload[i];
    *out = &feed->base;
    return HC_LOG_OK;
}
