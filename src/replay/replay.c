#include "replay_state.h"

#include "events.h"
#include "explain.h"
#include "flash.h"
#include "peripherals.h"
#include "recorded/map.h"
#include "segment.h"
#include "target/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of one run of the machine, in emulated time, which has no meaning in a replay. Sleep ends a run; between
 * runs the replay checks that it makes progress. */
#define CHUNK ((hc_time)1 << 36)

/* Instructions without an event: more than any program executes between two events, 16 seconds of a CPU at 4 MHz that
 * never sleeps; the most after the last event. */
enum { LONGEST_WITHOUT_EVENT = 1 << 26, LONGEST_OPEN_END = 1 << 20 };

/* ---- making ---- */

static int fail(struct hc_replay_message *message, int error, const char *text)
{
    snprintf(message->text, sizeof message->text, "%s", text);
    return error;
}

/* Saves the initial contents of FRAM, which the program can write and a reset does not change; or restores them. */
static void copy_fram(struct hc_replay *r, bool back)
{
    for (const struct hc_region *region = hc_machine_part(r->machine)->regions; region->name; region++)
        for (uint32_t a = region->start; region->kind == HC_FRAM && a <= region->end; a++) {
            if (back)
                hc_poke(r->machine, a, r->installed[a]);
            else
                r->installed[a] = hc_peek(r->machine, a);
        }
}

/* The state after the recorder's reset: memory outside of sections and the registers are clear. */
void hc_replay_begin(struct hc_replay *r)
{
    struct hc_statistics statistics;
    hc_machine_statistics(r->machine, &statistics);
    r->s = (struct hc_replay_state){
        .start = statistics.instructions,
        .entered = -1,
        .modified_at = UINT64_MAX / 2,
    };
    r->sought = UINT64_MAX;
    r->over = false;
    r->why.text[0] = '\0';
    copy_fram(r, true);
    hc_machine_reset(r->machine, HC_POR);
    hc_peripherals_reset(r->peripherals);
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        hc_set_register(r->machine, i, 0);
    for (uint32_t a = r->regs->ram.start; a <= r->regs->ram.end; a++)
        hc_poke(r->machine, a, 0);
    hc_set_register(r->machine, HC_PC, r->border.link.handler[r->border.link.vectors - 1]);
    hc_position_set_count(&r->border, r->machine, 0);
    hc_machine_run(r->machine, hc_now(r->machine)); /* only the rest of the reset itself */
}

static int build(struct hc_replay *r, const char *part, struct hc_replay_message *message)
{
    struct hc_regs_message problem;
    struct hc_map_message no_map;
    if (hc_border_read(&r->border, r->image, message->text, sizeof message->text))
        return HC_REPLAY_BAD;
    hc_map_read(&r->map, r->image, &no_map); /* a program that was instrumented by hand has none */
    if (!part)
        part = r->map && r->map->part[0] ? r->map->part : "msp430f1611";
    if (hc_regs_load_part(&r->regs, part, &problem))
        return fail(message, HC_REPLAY_BAD, problem.text);
    r->part = hc_target_part(r->regs->part);
    if (!r->part) {
        snprintf(message->text, sizeof message->text, "%s: there is no machine for part %s", hc_image_name(r->image),
                 part);
        return HC_REPLAY_BAD;
    }
    r->machine = hc_machine_new(r->part->machine, NULL);
    if (!r->machine)
        return fail(message, HC_REPLAY_NO_MEMORY, "out of memory");
    r->cpu = hc_target_of_machine(r->machine)->cpu;
    r->peripherals = hc_peripherals_new(r);
    hc_replay_add_flash(r);
    struct hc_load_message refused;
    if (!hc_load(r->machine, r->image, &refused))
        return fail(message, HC_REPLAY_BAD, refused.text);
    copy_fram(r, false);
    hc_replay_begin(r);
    return HC_REPLAY_OK;
}

int hc_replay_build(struct hc_replay **out, struct hc_image *image, const char *part, struct hc_replay_message *message)
{
    struct hc_replay *r = *out = calloc(1, sizeof *r);
    if (!r)
        return fail(message, HC_REPLAY_NO_MEMORY, "out of memory");
    r->image = image;
    int error = build(r, part, message);
    if (error) {
        hc_replay_free(r);
        *out = NULL;
    }
    return error;
}

int hc_replay_new(struct hc_replay **out, struct hc_image *image, const char *part, struct hc_feed *feed,
                  struct hc_replay_message *message)
{
    int error = hc_replay_build(out, image, part, message);
    if (error) {
        hc_feed_free(feed);
        return error;
    }
    (*out)->feed = feed;
    hc_events_attach(*out);
    return HC_REPLAY_OK;
}

void hc_replay_free(struct hc_replay *r)
{
    if (!r)
        return;
    if (r->machine)
        hc_machine_free(r->machine);
    hc_map_free(r->map);
    hc_regs_free(r->regs);
    if (r->segments)
        hc_segments_free(r->segments); /* it owns the feeds */
    else
        hc_feed_free(r->feed);
    free(r);
}

struct hc_machine *hc_replay_machine(struct hc_replay *r)
{
    return r->machine;
}

struct hc_image *hc_replay_image(const struct hc_replay *r)
{
    return r->image;
}

bool hc_replay_set(struct hc_replay *r, const char *variable, uint32_t value)
{
    struct hc_symbol symbol;
    uint32_t at;
    if (!hc_image_symbol(r->image, variable, &symbol) || symbol.function ||
        !hc_image_initial_value(r->image, symbol.address, &at))
        return false;
    for (uint32_t i = 0; i < (symbol.size ? symbol.size : 2) && i < sizeof value; i++)
        hc_poke(r->machine, at + i, (uint8_t)(value >> (8 * i)));
    copy_fram(r, false);
    return true;
}

const uint8_t *hc_replay_build_id(const struct hc_replay *r)
{
    return r->border.link.build;
}

/* ---- running ---- */

uint64_t hc_replay_instruction(const struct hc_replay *r)
{
    struct hc_statistics statistics;
    hc_machine_statistics(r->machine, &statistics);
    return statistics.instructions - r->s.start;
}

bool hc_replay_used_up(const struct hc_replay *r)
{
    return !r->due && hc_feed_status_next(r->feed) != HC_FEED_OK && !hc_segments_more(r);
}

/* How many instructions may follow the last event of the log. */
static uint64_t longest_without_event(const struct hc_replay *r)
{
    return hc_replay_used_up(r) ? LONGEST_OPEN_END : LONGEST_WITHOUT_EVENT;
}

/* Ends a replay that makes no progress: an interrupt whose count has passed cannot come any more. */
static void look_at_progress(struct hc_replay *r)
{
    uint64_t without = hc_replay_instruction(r) - r->s.event_at;
    if (r->due && hc_position_count(&r->border, r->machine) > r->next.interrupt.count)
        hc_explain_divergence(r, NULL, "went on past that");
    else if (without < longest_without_event(r))
        return;
    else if (hc_replay_used_up(r))
        hc_explain_end(r);
    else
        hc_explain_divergence(r, NULL, "ran %" PRIu64 " instructions without coming to it", without);
}

/* One run of the machine of at most LEFT instructions. Returns true if the replay continues. It ends at the same
 * instruction wherever the run began. */
static bool run_machine(struct hc_replay *r, uint64_t left, enum hc_replay_stop *stop)
{
    uint64_t without = hc_replay_instruction(r) - r->s.event_at, longest = longest_without_event(r);
    uint64_t patience = without < longest ? longest - without : 0;
    switch (hc_machine_step(r->machine, left < patience ? left : patience, hc_now(r->machine) + CHUNK)) {
    case HC_STOP_FAULT:
        hc_explain_fault(r);
        return true;
    case HC_STOP_HOOK:
        *stop = HC_REPLAY_HOOKED;
        if (!r->left_to_settle)
            return r->over;
        r->left_to_settle = false;
        return true;
    case HC_STOP_REQUEST:
        *stop = HC_REPLAY_REQUEST;
        return false;
    default:
        look_at_progress(r);
        return true;
    }
}

enum hc_replay_stop hc_replay_run(struct hc_replay *r, uint64_t instruction)
{
    enum hc_replay_stop stop = HC_REPLAY_REACHED;
    for (bool going = true; hc_events_settle(r);) {
        uint64_t now = hc_replay_instruction(r);
        if (!going || r->s.interrupts == r->sought)
            return stop;
        if (now >= instruction)
            return HC_REPLAY_REACHED;
        going = run_machine(r, instruction - now, &stop);
    }
    return r->stop;
}

enum hc_replay_stop hc_replay_run_to_interrupt(struct hc_replay *r, uint64_t number)
{
    if (!hc_events_settle(r))
        return r->stop;
    if (r->s.interrupts >= number)
        return HC_REPLAY_REACHED;
    r->sought = number;
    enum hc_replay_stop stop = hc_replay_run(r, UINT64_MAX);
    r->sought = UINT64_MAX;
    if (r->s.interrupts != number)
        return stop;
    return hc_events_settle(r) ? HC_REPLAY_REACHED : r->stop;
}

void hc_replay_check_positions(struct hc_replay *r, bool check)
{
    r->check_positions = check;
}

uint64_t hc_replay_ambiguous(const struct hc_replay *r, uint32_t *pc)
{
    *pc = r->ambiguous_pc;
    return r->ambiguous;
}

const char *hc_replay_why(const struct hc_replay *r)
{
    return r->why.text;
}

/* ---- where it is ---- */

void hc_replay_place(const struct hc_replay *r, struct hc_replay_place *out)
{
    uint64_t now = hc_replay_instruction(r);
    *out = (struct hc_replay_place){
        .instruction = now,
        .interrupts = r->s.interrupts,
        .reads = r->s.reads,
        .time_us = r->s.time_us,
        .pc = hc_register(r->machine, HC_PC),
        .vector = r->s.entered_at == now ? r->s.entered : -1,
        .segment = hc_segments_number(r),
        .segment_index = r->s.segment,
        .log_used_up = hc_replay_used_up(r),
    };
}

size_t hc_replay_last_interrupts(const struct hc_replay *r, struct hc_replay_interrupt *out, size_t max)
{
    size_t n = r->s.interrupts < HC_REPLAY_REMEMBERED ? (size_t)r->s.interrupts : HC_REPLAY_REMEMBERED;
    if (n > max)
        n = max;
    for (size_t i = 0; i < n; i++)
        out[i] = r->s.last[(r->s.interrupts - i) % HC_REPLAY_REMEMBERED];
    return n;
}

void hc_replay_listen(struct hc_replay *r, hc_replay_event_fn *call, void *owner)
{
    r->event_call = call;
    r->event_owner = owner;
}

/* ---- snapshots ---- */

struct hc_replay_snapshot {
    struct hc_snapshot *machine;
    struct hc_replay_state state;
    size_t size;
    char place[]; /* in the feed */
};

struct hc_replay_snapshot *hc_replay_snapshot_take(struct hc_replay *r)
{
    size_t place = hc_feed_place_size(r->feed);
    struct hc_replay_snapshot *snapshot = malloc(sizeof *snapshot + place);
    if (!snapshot)
        return NULL;
    snapshot->machine = hc_snapshot_take(r->machine);
    snapshot->state = r->s;
    snapshot->size = sizeof *snapshot + place + hc_snapshot_size(snapshot->machine);
    hc_feed_save(r->feed, snapshot->place);
    if (!snapshot->machine) {
        free(snapshot);
        return NULL;
    }
    return snapshot;
}

void hc_replay_snapshot_restore(struct hc_replay *r, const struct hc_replay_snapshot *snapshot)
{
    hc_snapshot_restore(r->machine, snapshot->machine);
    if (r->s.segment != snapshot->state.segment)
        hc_segments_select(r, snapshot->state.segment);
    r->s = snapshot->state;
    hc_feed_restore(r->feed, snapshot->place);
    r->over = false;
    r->why.text[0] = '\0';
    hc_events_refresh(r);
}

void hc_replay_snapshot_free(struct hc_replay_snapshot *snapshot)
{
    if (!snapshot)
        return;
    hc_snapshot_free(snapshot->machine);
    free(snapshot);
}

size_t hc_replay_snapshot_size(const struct hc_replay_snapshot *snapshot)
{
    return snapshot->size;
}
