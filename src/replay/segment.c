/* Segments of a log, and the transition of a replay from one to the next. */
#include "segment.h"

#include "checkpoint.h"
#include "events.h"
#include "explain.h"
#include "self_check.h"
#include "timers.h"
#include "trace/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hc_segments {
    struct hc_log *log;
    const struct hc_log_segment *segment;
    size_t count;
    bool stay;
    bool *broken; /* by segment: its start is inconsistent or incomplete */
    /* By segment: its feed, once it was opened, and the place of its start. Feeds stay open: snapshots point into them.
     */
    struct {
        struct hc_feed *feed;
        void *beginning;
    } *opened;
    struct hc_site *site;
    struct hc_site_table table;
};

static bool has_beginning(const struct hc_segments *s, const struct hc_log_segment *segment)
{
    bool is_there = segment->begin == HC_BEGIN_BOOT || segment->begin == HC_BEGIN_CHECKPOINT;
    return is_there && !s->broken[segment - s->segment];
}

/* A chip may contain segments of another program from before: they are ignored. */
static bool is_foreign(const struct hc_replay *r, const struct hc_log_segment *segment)
{
    return segment->has_build && memcmp(segment->build, r->border.link.build, sizeof segment->build) != 0;
}

static bool can_begin(const struct hc_replay *r, const struct hc_log_segment *segment)
{
    return has_beginning(r->segments, segment) && !is_foreign(r, segment);
}

/* Whether segment INDEX continues where the one before it ends. */
static bool follows(const struct hc_segments *s, size_t index)
{
    const struct hc_log_segment *now = &s->segment[index], *before = now - 1;
    return index > 0 && now->begin == HC_BEGIN_CHECKPOINT && now->boot == before->boot &&
           now->number == (uint16_t)(before->number + 1) && !before->overflow && !s->broken[index];
}

/* ---- feeds ---- */

static int open_new(struct hc_segments *s, size_t index, struct hc_log_message *message)
{
    struct hc_feed *feed;
    if (hc_feed_open(&feed, s->log, &s->segment[index], &s->table, message))
        return HC_REPLAY_BAD;
    void *beginning = malloc(hc_feed_place_size(feed) + 1);
    if (!beginning) {
        hc_feed_free(feed);
        return HC_REPLAY_NO_MEMORY;
    }
    hc_feed_save(feed, beginning);
    s->opened[index].feed = feed;
    s->opened[index].beginning = beginning;
    return HC_REPLAY_OK;
}

/* At its beginning. */
static int open_feed(struct hc_replay *r, size_t index, struct hc_log_message *message)
{
    struct hc_segments *s = r->segments;
    int error = s->opened[index].feed ? HC_REPLAY_OK : open_new(s, index, message);
    if (error)
        return error;
    r->feed = s->opened[index].feed;
    hc_feed_restore(r->feed, s->opened[index].beginning);
    r->s.segment = index;
    return HC_REPLAY_OK;
}

void hc_segments_select(struct hc_replay *r, size_t index)
{
    struct hc_log_message message;
    if (r->segments && open_feed(r, index, &message))
        abort(); /* it was open before */
}

uint16_t hc_segments_number(const struct hc_replay *r)
{
    return r->segments ? r->segments->segment[r->s.segment].number : 0;
}

const struct hc_log_boot *hc_segments_boot(const struct hc_replay *r)
{
    const struct hc_log_boot *boot;
    size_t n = r->segments ? hc_log_boots(r->segments->log, &boot) : 0;
    for (; n; n--, boot++)
        if (r->s.segment - boot->first_segment < boot->segments)
            return boot;
    return NULL;
}

bool hc_replay_life(const struct hc_replay *r, struct hc_replay_life *out)
{
    const struct hc_log_boot *boot = hc_segments_boot(r);
    if (!boot)
        return false;
    *out = (struct hc_replay_life){
        .boot = boot->boot,
        .in_last_segment = r->s.segment + 1 == boot->first_segment + boot->segments,
        .rescued = boot->end == HC_LIFE_RESCUED,
        .reached = r->over && r->at_reset,
        .cause_known = boot->cause_known,
        .cause = boot->cause,
    };
    hc_log_life(boot, out->text, sizeof out->text);
    if (boot->cause_known)
        hc_log_cause(boot->cause, out->cause_text, sizeof out->cause_text);
    return true;
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

const struct hc_log *hc_replay_log(const struct hc_replay *r, const struct hc_log_segment **here)
{
    *here = r->segments ? &r->segments->segment[r->s.segment] : NULL;
    return r->segments ? r->segments->log : NULL;
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
        .begins = has_beginning(r->segments, segment),
        .reset = segment->begin == HC_BEGIN_BOOT,
        .follows = follows(r->segments, index),
        .foreign = is_foreign(r, segment),
        .lost_events = segment->overflow,
        .has_events =
            segment->pages[HC_STREAM_MIXED] || segment->pages[HC_STREAM_PAPER] || segment->pages[HC_STREAM_RESCUE],
        .rescued = segment->pages[HC_STREAM_RESCUE],
        .build = segment->has_build ? segment->build : NULL,
    };
    for (int stream = 0; stream < HC_STREAMS; stream++)
        out->bytes += segment->payload[stream];
}

double hc_replay_progress(const struct hc_replay *r)
{
    size_t used, all;
    hc_feed_progress(r->feed, &used, &all);
    double here = all ? (double)used / (double)all : 1;
    return r->segments ? ((double)r->s.segment + here) / (double)r->segments->count : here;
}

uint64_t hc_replay_log_bytes(const struct hc_replay *r)
{
    const struct hc_segments *s = r->segments;
    size_t used, all;
    hc_feed_progress(r->feed, &used, &all);
    uint64_t sum = used;
    for (size_t i = 0; s && i <= r->s.segment; i++)
        for (int stream = 0; stream < HC_STREAMS; stream++)
            if (i < r->s.segment || stream >= HC_STREAM_BOOT)
                sum += s->segment[i].payload[stream];
    return sum;
}

/* ---- from one to the next ---- */

/* Whether the segment's events are used up and the counter has its value at the start of the next one. */
static bool ends_here(struct hc_replay *r)
{
    if (r->due || !hc_segments_more(r) || hc_feed_status_next(r->feed) != HC_FEED_END)
        return false;
    return (uint16_t)hc_position_count(&r->border, r->machine) == r->segments->segment[r->s.segment + 1].count;
}

/* The position counter where the segment begins. */
static void set_count(struct hc_replay *r)
{
    const struct hc_log_segment *segment = &r->segments->segment[r->s.segment];
    bool goes_on = segment->begin == HC_BEGIN_CHECKPOINT && hc_feed_ordered(r->feed);
    hc_position_set_count(&r->border, r->machine, goes_on ? segment->count : 0);
}

/* If the order of events is not recorded, reads of the old segment may be left, and the counter may have this value at
 * another place. */
static bool cross(struct hc_replay *r, const struct hc_checkpoint *begin)
{
    struct hc_log_message message;
    struct hc_checkpoint_difference difference;
    if (!hc_checkpoint_is_state(r, begin, &difference)) {
        if (hc_feed_ordered(r->feed))
            hc_explain_checkpoint(r, &difference);
        return false;
    }
    if (open_feed(r, r->s.segment + 1, &message))
        return false;
    hc_checkpoint_adopt(r, begin);
    hc_timers_forget(r);
    hc_self_check_begin(r);
    set_count(r);
    r->s.event_at = hc_replay_instruction(r);
    hc_events_refresh(r);
    return true;
}

bool hc_segments_cross(struct hc_replay *r)
{
    struct hc_checkpoint *begin;
    if (!ends_here(r) || !hc_self_check_over(r))
        return false;
    if (hc_checkpoint_read(&begin, r, r->segments->log, &r->segments->segment[r->s.segment + 1]))
        return false;
    bool crossed = cross(r, begin);
    hc_checkpoint_free(begin);
    return crossed;
}

/* ---- opening ---- */

void hc_segments_free(struct hc_segments *segments)
{
    for (size_t i = 0; segments->opened && i < segments->count; i++)
        if (segments->opened[i].feed) {
            hc_feed_free(segments->opened[i].feed);
            free(segments->opened[i].beginning);
        }
    free(segments->opened);
    hc_log_free(segments->log);
    free(segments->broken);
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
                 "%s: every segment has lost its start: nothing can be replayed; `hindcast log` shows the contents",
                 log);
        return HC_REPLAY_BAD;
    }
    print_build(elf, r->border.link.build);
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
    s->table.address = (uint16_t)r->border.sites;
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
    struct hc_checkpoint *begin;
    const struct hc_log_segment *segment = &r->segments->segment[index];
    int error = hc_checkpoint_read(&begin, r, r->segments->log, segment);
    if (error == HC_REPLAY_BAD)
        snprintf(message->text, sizeof message->text, "%s: segment %d: a part of its start is missing", log,
                 segment->number);
    if (error)
        return error == HC_REPLAY_BAD ? error : refuse(message, "out of memory");
    error = open_feed(r, index, &problem);
    if (error) {
        refuse(message, error == HC_REPLAY_BAD ? problem.text : "out of memory");
    } else {
        hc_checkpoint_restore(r, begin);
        set_count(r);
    }
    hc_checkpoint_free(begin);
    return error;
}

static int look_at_checkpoints(struct hc_replay *r)
{
    struct hc_segments *s = r->segments;
    struct hc_checkpoint *begin;
    s->broken = calloc(s->count + 1, sizeof *s->broken);
    s->opened = calloc(s->count + 1, sizeof *s->opened);
    if (!s->broken || !s->opened)
        return HC_REPLAY_NO_MEMORY;
    for (size_t i = 0; i < s->count; i++) {
        if (!can_begin(r, &s->segment[i]))
            continue;
        int error = hc_checkpoint_read(&begin, r, s->log, &s->segment[i]);
        if (error == HC_REPLAY_NO_MEMORY)
            return error;
        s->broken[i] = error;
        hc_checkpoint_free(begin);
    }
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
    if (look_at_checkpoints(r))
        return refuse(message, "out of memory");
    int error = choose(r, segment, log, &index, message);
    if (!error)
        error = begin_segment(r, index, log, message);
    if (!error)
        hc_events_attach(r);
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
        hc_timers_go_on(r, &before, same_boot);
    hc_events_refresh(r);
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
