/* Segments of a log: the state in which each begins (runtime/checkpoint.c draws its bytes), and how a replay goes from
 * one to the next. */
#include "internal.h"

#include "trace/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES = 0x10000,
    BEGIN_BYTES = 10,
    FIRST_REGISTER = 4,
    REGISTER_BYTES = 2 * (HC_REGISTERS - FIRST_REGISTER + 1),
    DUMPS_MAX = 256,
};

struct hc_segments {
    struct hc_log *log;
    const struct hc_log_segment *segment;
    size_t count;
    bool stay;
    struct hc_site *site;
    struct hc_site_table table;
};

/* What a boot or commit page holds. */
struct begin {
    uint16_t reg[HC_REGISTERS]; /* r4..r15, SP */
    const uint8_t *state;       /* what follows them: peripheral registers, .noinit */
    size_t size;
};

/* ---- pages ---- */

static const struct hc_log_page *page_of(const struct hc_segments *s, size_t index)
{
    const struct hc_log_page *page;
    size_t n = hc_log_pages(s->log, &page);
    return index < n ? &page[index] : NULL;
}

static bool read_begin(const struct hc_segments *s, const struct hc_log_segment *segment, struct begin *out)
{
    const struct hc_log_page *page = page_of(s, segment->begin_page);
    size_t registers = segment->begin == HC_BEGIN_CHECKPOINT ? REGISTER_BYTES : 0;
    if (!page || page->length < BEGIN_BYTES + registers)
        return false;
    const uint8_t *at = page->payload + BEGIN_BYTES;
    memset(out->reg, 0, sizeof out->reg);
    for (size_t i = 0; i < registers / 2; i++, at += 2) {
        int reg = i == HC_REGISTERS - FIRST_REGISTER ? HC_SP : FIRST_REGISTER + (int)i;
        out->reg[reg] = (uint16_t)(at[0] | at[1] << 8);
    }
    out->state = at;
    out->size = (size_t)page->length - BEGIN_BYTES - registers;
    return true;
}

/* The memory that segment S begins with, by its chunks: ADDRESSES bytes, zero where there is none; NULL when memory is
 * exhausted. */
static uint8_t *read_memory(const struct hc_segments *s, const struct hc_log_segment *segment)
{
    const struct hc_log_page *page;
    uint8_t *memory = calloc(1, ADDRESSES);
    size_t n = hc_log_pages(s->log, &page);
    for (size_t i = 0; memory && i < n; i++) {
        if (page[i].stream != HC_STREAM_CHECKPOINT || page[i].segment != segment->number ||
            page[i].boot != segment->boot || page[i].length < 2)
            continue;
        size_t start = (size_t)(page[i].payload[0] | page[i].payload[1] << 8);
        size_t size = (size_t)page[i].length - 2;
        memcpy(memory + start, page[i].payload + 2, size < ADDRESSES - start ? size : ADDRESSES - start);
    }
    return memory;
}

/* ---- beginning ---- */

/* The registers that the recorder dumps: {address, bytes}... in the ELF. Returns how many bytes of BEGIN they take. */
static size_t restore_registers(struct hc_replay *r, const struct begin *begin)
{
    struct hc_symbol table;
    size_t at = 0;
    if (!hc_image_symbol(r->image, "__hc_dump", &table))
        return 0;
    for (uint32_t d = table.address, n = 0; n < DUMPS_MAX; d += 4, n++) {
        uint32_t address = hc_peek16(r->machine, d), bytes = hc_peek16(r->machine, d + 2);
        if (!bytes)
            break;
        for (uint32_t i = 0; i < bytes && at < begin->size; i++, at++) {
            const struct hc_reg *reg = hc_regs_at(r->regs, address + i);
            if (!reg || !reg->multiplier)
                hc_regfile_restore(hc_peripherals_file(r->peripherals), address + i, begin->state[at], 1);
        }
    }
    return at;
}

static void restore_rest(struct hc_replay *r, const struct begin *begin, size_t at)
{
    for (int i = 0; i < HC_PIECES_VOLATILE; i++)
        for (uint32_t a = r->border.piece[i].start; a < r->border.piece[i].end; a++)
            if (at < begin->size)
                hc_poke(r->machine, a, begin->state[at++]);
}

/* What a segment begins with, as runtime/link.h has it: after a reset, or with a checkpoint. */
static size_t kept(const struct hc_border *b, bool reset, struct hc_border_range out[HC_PIECES])
{
    size_t n = 0;
    for (size_t i = reset ? 0 : HC_PIECES_LASTING; i < (reset ? HC_PIECES_VOLATILE : HC_PIECES); i++)
        out[n++] = b->piece[i];
    if (!reset)
        out[n++] = b->free;
    return n;
}

static bool restore_memory(struct hc_replay *r, const struct hc_log_segment *segment)
{
    struct hc_border_range range[HC_PIECES];
    size_t n = kept(&r->border, segment->begin == HC_BEGIN_BOOT, range);
    uint8_t *memory = read_memory(r->segments, segment);
    for (size_t i = 0; memory && i < n; i++)
        for (uint32_t a = range[i].start; a < range[i].end; a++)
            hc_poke(r->machine, a, memory[a]);
    free(memory);
    return memory != NULL;
}

static void restore_cpu(struct hc_replay *r, const struct begin *begin)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        if (i != HC_SR && i != HC_SR + 1)
            hc_set_register(r->machine, i, begin->reg[i]);
    hc_set_register(r->machine, HC_PC, r->border.resume); /* the recorder is still at work */
}

static bool has_beginning(const struct hc_log_segment *segment)
{
    return segment->begin == HC_BEGIN_BOOT || segment->begin == HC_BEGIN_CHECKPOINT;
}

/* Chips are used again: what another program left in it is none of our business. */
static bool is_foreign(const struct hc_replay *r, const struct hc_log_segment *segment)
{
    return segment->has_build && memcmp(segment->build, r->border.build, sizeof segment->build) != 0;
}

static bool can_begin(const struct hc_replay *r, const struct hc_log_segment *segment)
{
    return has_beginning(segment) && !is_foreign(r, segment);
}

/* Whether segment INDEX goes on where the one before it ends. */
static bool follows(const struct hc_segments *s, size_t index)
{
    const struct hc_log_segment *now = &s->segment[index], *before = now - 1;
    return index > 0 && now->begin == HC_BEGIN_CHECKPOINT && now->boot == before->boot &&
           now->number == (uint16_t)(before->number + 1) && !before->overflow;
}

/* ---- sources ---- */

static int open_source(struct hc_replay *r, size_t index, struct hc_log_message *message)
{
    struct hc_segments *s = r->segments;
    struct hc_feed *feed;
    if (hc_feed_open(&feed, s->log, &s->segment[index], &s->table, message))
        return HC_REPLAY_BAD;
    struct hc_source *source = hc_source_of_feed(feed);
    if (!source)
        return HC_REPLAY_NO_MEMORY;
    if (r->source)
        r->source->ops->close(r->source);
    r->source = source;
    r->s.segment = index;
    return HC_REPLAY_OK;
}

void hc_segments_select(struct hc_replay *r, size_t index)
{
    struct hc_log_message message;
    if (r->segments && open_source(r, index, &message))
        abort(); /* it was open before */
}

uint16_t hc_segments_number(const struct hc_replay *r)
{
    return r->segments ? r->segments->segment[r->s.segment].number : 0;
}

bool hc_segments_more(const struct hc_replay *r)
{
    const struct hc_segments *s = r->segments;
    return s && !s->stay && r->s.segment + 1 < s->count && follows(s, r->s.segment + 1);
}

void hc_replay_stay(struct hc_replay *r, bool stay)
{
    if (r->segments)
        r->segments->stay = stay;
}

int hc_replay_next_segment(const struct hc_replay *r)
{
    const struct hc_segments *s = r->segments;
    for (size_t i = r->s.segment + 1; s && i < s->count; i++)
        if (can_begin(r, &s->segment[i]))
            return (int)i;
    return -1;
}

size_t hc_replay_segments(const struct hc_replay *r)
{
    return r->segments ? r->segments->count : 0;
}

void hc_replay_segment(const struct hc_replay *r, size_t index, struct hc_replay_segment *out)
{
    const struct hc_log_segment *segment = &r->segments->segment[index];
    *out = (struct hc_replay_segment){
        .number = segment->number,
        .boot = segment->boot,
        .begins = has_beginning(segment),
        .reset = segment->begin == HC_BEGIN_BOOT,
        .follows = follows(r->segments, index),
        .foreign = is_foreign(r, segment),
        .lost_events = segment->overflow,
        .build = segment->has_build ? segment->build : NULL,
    };
    for (int stream = 0; stream < HC_STREAMS; stream++)
        out->bytes += segment->payload[stream];
}

double hc_replay_progress(const struct hc_replay *r)
{
    size_t used, all;
    r->source->ops->progress(r->source, &used, &all);
    double here = all ? (double)used / (double)all : 1;
    return r->segments ? ((double)r->s.segment + here) / (double)r->segments->count : here;
}

uint64_t hc_replay_log_bytes(const struct hc_replay *r)
{
    const struct hc_segments *s = r->segments;
    size_t used, all;
    r->source->ops->progress(r->source, &used, &all);
    uint64_t sum = used;
    for (size_t i = 0; s && i <= r->s.segment; i++)
        for (int stream = 0; stream < HC_STREAMS; stream++)
            if (i < r->s.segment || stream >= HC_STREAM_BOOT)
                sum += s->segment[i].payload[stream];
    return sum;
}

/* ---- from one to the next ---- */

/* Memory below the stack is nobody's, nor are flags in the SR that hc_update saved. */
static bool is_byte(struct hc_replay *r, const struct begin *begin, uint32_t address, uint8_t value)
{
    uint16_t sp = begin->reg[HC_SP];
    if (address >= r->border.free.start && address < r->border.free.end && address < sp)
        return true;
    uint8_t dead = address == sp ? 7 : address == sp + 1u;
    return !((hc_peek(r->machine, address) ^ value) & ~dead & 0xff);
}

/* The program's state is that of the checkpoint. */
static bool is_state(struct hc_replay *r, const struct begin *begin, const uint8_t *memory)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        if (i != HC_SR && i != HC_SR + 1 && hc_register(r->machine, i) != begin->reg[i])
            return false;
    struct hc_border_range range[HC_PIECES];
    size_t n = kept(&r->border, false, range);
    for (size_t i = 0; i < n; i++)
        for (uint32_t a = range[i].start; a < range[i].end; a++)
            if (!is_byte(r, begin, a, memory[a]))
                return false;
    return true;
}

bool hc_segments_cross(struct hc_replay *r)
{
    struct hc_log_message message;
    struct begin begin;
    if (r->due || !hc_segments_more(r) || r->source->ops->status(r->source) != HC_SOURCE_END)
        return false;
    const struct hc_log_segment *next = &r->segments->segment[r->s.segment + 1];
    uint8_t *memory = read_memory(r->segments, next);
    bool here = memory && read_begin(r->segments, next, &begin) && is_state(r, &begin, memory);
    free(memory);
    if (!here || open_source(r, r->s.segment + 1, &message))
        return false;
    hc_estimate_forget(r);
    hc_border_set_count(&r->border, r->machine, 0);
    hc_answer_refresh(r);
    return true;
}

/* ---- opening ---- */

void hc_segments_free(struct hc_segments *segments)
{
    hc_log_free(segments->log);
    free(segments->site);
    free(segments);
}

static int refuse(struct hc_replay_message *message, const char *text)
{
    // cppcheck-suppress ctuuninitvar ; it is written
    snprintf(message->text, sizeof message->text, "%s", text);
    return HC_REPLAY_BAD;
}

static void print_build(char out[17], const uint8_t build[8])
{
    for (int i = 0; i < 8; i++)
        snprintf(out + 2 * i, 3, "%02x", build[i]);
}

/* No segment can be replayed. */
static int refuse_all(const struct hc_replay *r, const char *log, struct hc_replay_message *message)
{
    const struct hc_segments *s = r->segments;
    char elf[17], node[17];
    size_t n = s->count;
    while (n && !is_foreign(r, &s->segment[n - 1]))
        n--;
    if (!n) {
        snprintf(message->text, sizeof message->text,
                 "%s: no segment has its beginning: nothing can be replayed; `hindcast log` shows what is there", log);
        return HC_REPLAY_BAD;
    }
    print_build(elf, r->border.build);
    print_build(node, s->segment[n - 1].build);
    snprintf(message->text, sizeof message->text,
             "%s was recorded by build %s, but %s is build %s: give the ELF that was on the node", log, node,
             hc_image_name(r->image), elf);
    return HC_REPLAY_BAD;
}

static int read_sites(struct hc_replay *r)
{
    struct hc_segments *s = r->segments;
    s->table.count = (r->border.sites_end - r->border.sites) / sizeof *s->site;
    s->site = calloc(s->table.count + 1, sizeof *s->site);
    if (!s->site)
        return HC_REPLAY_NO_MEMORY;
    for (size_t i = 0; i < s->table.count; i++) {
        s->site[i].place = hc_peek16(r->machine, r->border.sites + 4 * (uint32_t)i);
        s->site[i].mask = hc_peek16(r->machine, r->border.sites + 4 * (uint32_t)i + 2);
    }
    s->table.sites = s->site;
    return HC_REPLAY_OK;
}

static int choose(const struct hc_replay *r, int number, const char *log, size_t *out,
                  struct hc_replay_message *message)
{
    const struct hc_segments *s = r->segments;
    bool any = false;
    for (*out = 0; *out < s->count; ++*out) {
        bool can = can_begin(r, &s->segment[*out]);
        if (can && (number < 0 || s->segment[*out].number == number))
            return HC_REPLAY_OK;
        any |= can;
    }
    if (!any)
        return refuse_all(r, log, message);
    snprintf(message->text, sizeof message->text,
             "%s: there is no segment %d that could be replayed with %s; `hindcast log` lists them", log, number,
             hc_image_name(r->image));
    return HC_REPLAY_BAD;
}

static int begin_segment(struct hc_replay *r, size_t index, const char *log, struct hc_replay_message *message)
{
    struct hc_log_message problem;
    struct begin begin;
    const struct hc_log_segment *segment = &r->segments->segment[index];
    if (!read_begin(r->segments, segment, &begin)) {
        snprintf(message->text, sizeof message->text, "%s: segment %d: its first page is too short", log,
                 segment->number);
        return HC_REPLAY_BAD;
    }
    int error = open_source(r, index, &problem);
    if (error)
        return refuse(message, error == HC_REPLAY_BAD ? problem.text : "out of memory");
    size_t at = restore_registers(r, &begin);
    if (!restore_memory(r, segment))
        return refuse(message, "out of memory");
    if (segment->begin == HC_BEGIN_BOOT)
        restore_rest(r, &begin, at);
    else
        restore_cpu(r, &begin);
    return HC_REPLAY_OK;
}

static int open_log(struct hc_replay *r, const char *log, int segment, struct hc_replay_message *message)
{
    struct hc_log_message problem;
    size_t index;
    r->segments = calloc(1, sizeof *r->segments);
    if (!r->segments || read_sites(r))
        return refuse(message, "out of memory");
    if (hc_log_open_file(&r->segments->log, log, &problem))
        return refuse(message, problem.text);
    r->segments->count = hc_log_segments(r->segments->log, &r->segments->segment);
    int error = choose(r, segment, log, &index, message);
    if (!error)
        error = begin_segment(r, index, log, message);
    if (!error)
        hc_answer_attach(r);
    return error;
}

int hc_replay_restart(struct hc_replay *r, size_t index, bool clock_goes_on, struct hc_replay_message *message)
{
    const struct hc_log_segment *segment = &r->segments->segment[index];
    bool same_boot = segment->boot == r->segments->segment[r->s.segment].boot;
    struct hc_replay_state before = r->s;
    if (!can_begin(r, segment))
        return refuse(message, "this segment cannot be replayed by itself");
    hc_replay_begin(r);
    int error = begin_segment(r, index, hc_log_name(r->segments->log), message);
    if (error)
        return error;
    if (clock_goes_on)
        hc_estimate_go_on(r, &before, same_boot);
    hc_answer_refresh(r);
    return HC_REPLAY_OK;
}

int hc_replay_open(struct hc_replay **out, struct hc_image *image, const char *log, int segment,
                   struct hc_replay_message *message)
{
    int error = hc_replay_build(out, image, NULL, message);
    if (error)
        return error;
    error = open_log(*out, log, segment, message);
    if (error) {
        hc_replay_free(*out);
        *out = NULL;
    }
    return error;
}
