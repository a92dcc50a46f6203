#include "shadow.h"

#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX
#define NO_READER 0u

/* One instruction that read a byte. */
struct byte_reader {
    uint32_t next; /* in the byte's list, or in that of free ones */
    uint32_t pc;
    uint8_t value;
    struct sighting { /* the last one with this value, and the last one with any other */
        uint64_t time, cycles;
        uint32_t frame, context;
        uint8_t value;
    } same, other;
    struct sighting *all; /* if farther occurrences are asked for: each of them, in order */
    size_t count, room;
};

struct byte {
    uint32_t readers; /* index, or NO_READER */
    uint32_t epoch;   /* a-posteriori: since which checkpoint this holds */
    bool written;     /* a-posteriori: before it was read */
};

struct hc_shadow {
    uint32_t start, end;
    uint64_t depth; /* 0: a-posteriori */
    bool farther;
    uint32_t epoch;
    uint64_t epoch_from; /* time */
    struct hc_pairs *pairs;
    struct byte *byte;
    struct byte_reader *reader; /* the first one is not used */
    uint32_t readers, room, free_readers;
};

struct hc_shadow *hc_shadow_new(uint32_t start, uint32_t end, uint64_t depth, bool farther, struct hc_pairs *pairs)
{
    struct hc_shadow *s = calloc(1, sizeof *s);

    if (!s || !(s->byte = calloc(end - start + 1, sizeof *s->byte)))
        abort();
    s->start = start;
    s->end = end;
    s->depth = depth;
    s->farther = farther && depth;
    s->pairs = pairs;
    s->readers = 1;
    s->epoch = 1;
    return s;
}

void hc_shadow_free(struct hc_shadow *s)
{
    if (!s)
        return;
    for (uint32_t i = 1; i < s->readers; i++)
        free(s->reader[i].all);
    free(s->byte);
    free(s->reader);
    free(s);
}

/* ---- readers ---- */

static uint32_t new_reader(struct hc_shadow *s)
{
    uint32_t i = s->free_readers;

    if (i) {
        s->free_readers = s->reader[i].next;
        return i;
    }
    if (s->readers >= s->room) {
        s->room = s->room ? 2 * s->room : 1024;
        s->reader = realloc(s->reader, s->room * sizeof *s->reader);
        if (!s->reader)
            abort();
    }
    return s->readers++;
}

static void drop(struct hc_shadow *s, uint32_t *link)
{
    uint32_t i = *link;

    *link = s->reader[i].next;
    free(s->reader[i].all);
    s->reader[i].all = NULL;
    s->reader[i].next = s->free_readers;
    s->free_readers = i;
}

/* The reader PC of byte B, moved to the front of its list; made if it is not there. */
static struct byte_reader *reader_of(struct hc_shadow *s, struct byte *b, uint32_t pc)
{
    for (uint32_t *link = &b->readers; *link; link = &s->reader[*link].next) {
        uint32_t i = *link;
        if (s->reader[i].pc != pc)
            continue;
        *link = s->reader[i].next;
        s->reader[i].next = b->readers;
        b->readers = i;
        return &s->reader[i];
    }
    uint32_t i = new_reader(s);
    s->reader[i] = (struct byte_reader){ .next = b->readers, .pc = pc, .same.time = NEVER, .other.time = NEVER };
    b->readers = i;
    return &s->reader[i];
}

static void see(struct byte_reader *r, uint8_t value, const struct hc_accessor *who, struct hc_instant now)
{
    if (r->same.time != NEVER && r->value != value)
        r->other = r->same;
    r->value = value;
    r->same = (struct sighting){ now.time, now.cycles, who->frame, who->context, value };
}

/* ---- pairs ---- */

static struct hc_occurrence occurrence_of(const struct hc_shadow *s, const struct sighting *seen, uint32_t address,
                                          uint8_t value, const struct hc_accessor *who, struct hc_instant now)
{
    return (struct hc_occurrence){ .consumed = seen->time,
                                   .produced = now.time,
                                   .cycles = now.cycles - seen->cycles,
                                   .resumed = s->depth ? seen->time - 1 : s->epoch_from,
                                   .address = address,
                                   .read = seen->value,
                                   .written = value,
                                   .consumer_context = seen->context,
                                   .producer_context = who->context };
}

static enum hc_anomaly kind_of(const struct sighting *seen, const struct hc_accessor *who, bool stack)
{
    return stack && seen->frame != who->frame ? HC_ACTIVATION_RECORD : HC_DATA_ACCESS;
}

static void emit(struct hc_shadow *s, const struct byte_reader *r, const struct sighting *seen, uint32_t address,
                 uint8_t value, const struct hc_accessor *who, struct hc_instant now, bool stack)
{
    struct hc_occurrence occurrence = occurrence_of(s, seen, address, value, who, now);

    hc_pairs_add(s->pairs, kind_of(seen, who, stack), r->pc, who->pc, seen->value == value, &occurrence);
}

static bool within(const struct hc_shadow *s, const struct sighting *seen, struct hc_instant now)
{
    return seen->time != NEVER && (s->pairs->in_cycles ? now.cycles - seen->cycles : now.time - seen->time) <= s->depth;
}

/* ---- a-priori ---- */

static void forget_old(const struct hc_shadow *s, struct byte_reader *r, struct hc_instant now)
{
    size_t old = 0;

    while (old < r->count && !within(s, &r->all[old], now))
        old++;
    if (2 * old < r->count)
        return; /* not yet worth the moving */
    r->count -= old;
    memmove(r->all, r->all + old, r->count * sizeof *r->all);
}

static void keep_all(const struct hc_shadow *s, struct byte_reader *r, struct hc_instant now)
{
    if (r->count == r->room && r->count)
        forget_old(s, r, now);
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 8;
        r->all = realloc(r->all, r->room * sizeof *r->all);
        if (!r->all)
            abort();
    }
    r->all[r->count++] = r->same;
}

/* All that it saw before NEAREST and differs as well. */
static void tell_farther(struct hc_shadow *s, const struct byte_reader *r, const struct sighting *nearest,
                         uint32_t address, uint8_t value, const struct hc_accessor *who, struct hc_instant now,
                         bool stack)
{
    if (!r->count || !hc_pairs_want_farther(s->pairs, kind_of(nearest, who, stack), r->pc, who->pc))
        return;
    for (size_t i = r->count; i > 0 && within(s, &r->all[i - 1], now); i--) {
        const struct sighting *seen = &r->all[i - 1];
        if (seen->value == value || seen->time >= nearest->time)
            continue;
        struct hc_occurrence occurrence = occurrence_of(s, seen, address, value, who, now);
        hc_pairs_add_farther(s->pairs, kind_of(nearest, who, stack), r->pc, who->pc, &occurrence);
    }
}

/* What the reader saw last and differs from VALUE; or else, silently, what it saw last. */
static void deceive(struct hc_shadow *s, const struct byte_reader *r, uint32_t address, uint8_t value,
                    const struct hc_accessor *who, struct hc_instant now, bool stack)
{
    const struct sighting *differs = r->value != value ? &r->same : &r->other;

    if (within(s, differs, now)) {
        emit(s, r, differs, address, value, who, now, stack);
        tell_farther(s, r, differs, address, value, who, now, stack);
    }
    if (r->value == value && within(s, &r->same, now))
        emit(s, r, &r->same, address, value, who, now, stack);
}

static void write_apriori(struct hc_shadow *s, struct byte *b, uint32_t address, uint8_t value,
                          const struct hc_accessor *who, struct hc_instant now, bool stack)
{
    uint32_t *link = &b->readers;

    while (*link) {
        const struct byte_reader *r = &s->reader[*link];
        if (!within(s, &r->same, now)) { /* too old, and what it saw before is older */
            drop(s, link);
            continue;
        }
        deceive(s, r, address, value, who, now, stack);
        link = &s->reader[*link].next;
    }
}

/* ---- a-posteriori ---- */

/* What is known of the byte since the last checkpoint. */
static void refresh(struct hc_shadow *s, struct byte *b)
{
    if (b->epoch == s->epoch)
        return;
    b->epoch = s->epoch;
    b->written = false;
    while (b->readers)
        drop(s, &b->readers);
}

static void write_aposteriori(struct hc_shadow *s, struct byte *b, uint32_t address, uint8_t value,
                              const struct hc_accessor *who, struct hc_instant now, bool stack)
{
    for (uint32_t i = b->readers; i; i = s->reader[i].next)
        emit(s, &s->reader[i], &s->reader[i].same, address, value, who, now, stack);
    b->written = true;
}

/* ---- accesses ---- */

void hc_shadow_read(struct hc_shadow *s, uint32_t address, uint8_t value, const struct hc_accessor *who,
                    struct hc_instant now)
{
    struct byte *b = &s->byte[address - s->start];

    if (s->depth) {
        struct byte_reader *r = reader_of(s, b, who->pc);
        see(r, value, who, now);
        if (s->farther)
            keep_all(s, r, now);
        return;
    }
    refresh(s, b);
    if (b->written)
        return;
    struct byte_reader *r = reader_of(s, b, who->pc);
    if (r->same.time == NEVER) /* all readers before the first write saw the same value; the first of each counts */
        see(r, value, who, now);
}

void hc_shadow_write(struct hc_shadow *s, uint32_t address, uint8_t value, const struct hc_accessor *who,
                     struct hc_instant now, bool stack)
{
    struct byte *b = &s->byte[address - s->start];

    if (s->depth) {
        write_apriori(s, b, address, value, who, now, stack);
        return;
    }
    refresh(s, b);
    write_aposteriori(s, b, address, value, who, now, stack);
}

void hc_shadow_checkpoint(struct hc_shadow *s, uint64_t time)
{
    s->epoch_from = time;
    s->epoch++;
}
