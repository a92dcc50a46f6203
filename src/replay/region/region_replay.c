#include "region_replay.h"

#include "../runtime/region/model.h"
#include "recorded/map.h"
#include "region_feed.h"
#include "region_map.h"
#include "target/load.h"
#include "target/target.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_WORDS = 128 };

/* An entry that has not been left. */
struct level {
    uint32_t saved[HC_REGISTERS]; /* what it interrupted, the PC at a hook; not of the outermost */
    /* The node entered before, or after, the hook at which the replay does, where the stack pointer was higher: what is
     * in use now below that. */
    uint16_t stack[STACK_WORDS], words;
    uint8_t entry;
    bool outside; /* it is in a call to the outside */
};

/* All that changes, besides the machine. */
struct present {
    struct hc_region_feed feed;
    int depth;
    struct level level[HC_REGION_LEVELS + 1];
    uint64_t visits;
    enum hc_region_end_kind end;
    char text[400];
    uint16_t last[]; /* predictions */
};

struct hook {
    struct hc_region_replay *r;
    enum hc_region_hook kind;
};

struct hc_region_replay {
    struct hc_image *image;
    struct hc_machine *machine;
    const struct hc_target *target;
    struct hc_region_map map;
    struct hc_region_log log;
    size_t boots;
    uint32_t home; /* an address to which visits return */
    struct hook hook[HC_REGION_HOOKS];
    struct frame {
        uint32_t distance; /* of the stack pointer at the call from the address that is recorded */
        uint32_t slot;
    } *frame; /* by entry */
    struct present *now;
    bool measuring;
    uint32_t measured[2];
    hc_region_visit_fn *visit;
    void *owner;
};

/* ---- registers of the hooks' arguments ---- */

static uint32_t argument(const struct hc_region_replay *r, int n)
{
    return hc_register(r->machine, r->target->cpu->result + n);
}

static uint32_t wide_argument(const struct hc_region_replay *r, unsigned bits)
{
    return bits == 32 ? argument(r, 0) | argument(r, 1) << 16 : argument(r, 0);
}

static enum hc_action answer(struct hc_region_replay *r, uint32_t value, unsigned bits)
{
    hc_set_register(r->machine, r->target->cpu->result, value & 0xffff);
    if (bits == 32)
        hc_set_register(r->machine, r->target->cpu->result + 1, value >> 16);
    return HC_ANSWER;
}

/* ---- ends ---- */

static const char *entry_name(const struct hc_region_replay *r)
{
    return r->now->depth ? r->map.entry[r->now->level[0].entry].name : NULL;
}

/* The place that called the hook. */
static const char *place(struct hc_region_replay *r, char *out, size_t size)
{
    uint32_t sp = hc_register(r->machine, HC_SP);

    return hc_image_locate(r->image, hc_peek16(r->machine, sp) - 2u, out, size);
}

static enum hc_action end(struct hc_region_replay *r, enum hc_region_answer why, const char *what)
{
    struct present *now = r->now;
    char text[220], where[160];

    if (why == HC_REGION_OVER) {
        now->end = HC_REGION_ENDED;
        hc_region_feed_text(&now->feed, &r->log, now->text, sizeof now->text);
    } else {
        now->end = HC_REGION_DEVIATES;
        snprintf(text, sizeof text, "visit %llu%s%s", (unsigned long long)now->visits, entry_name(r) ? ", of " : "",
                 entry_name(r) ? entry_name(r) : "");
        snprintf(now->text, sizeof now->text, "%s deviates from the node's: %s; at %s", text, what,
                 now->depth ? place(r, where, sizeof where) : "its end");
    }
    return HC_STOP;
}

/* ---- entering and leaving ---- */

/* The stack from the present pointer to SP, and one word: a call of the entry will use it. */
static bool save_stack(struct hc_region_replay *r, struct level *level, uint32_t sp)
{
    uint32_t from = hc_register(r->machine, HC_SP);

    level->words = 0;
    if (from > sp)
        return true;
    if (sp - from >= 2 * STACK_WORDS)
        return false;
    for (uint32_t at = from; at <= sp; at += 2)
        level->stack[level->words++] = hc_peek16(r->machine, at);
    return true;
}

static void restore(struct hc_region_replay *r, const struct level *level)
{
    for (uint32_t i = 0; i < level->words; i++)
        hc_poke16(r->machine, level->saved[HC_SP] + 2 * i, level->stack[i]);
    for (int i = 0; i < HC_REGISTERS; i++)
        hc_set_register(r->machine, i, level->saved[i]);
}

/* Sets the machine up for a call from outside. */
static enum hc_region_answer enter(struct hc_region_replay *r, uint8_t entry)
{
    struct present *now = r->now;
    bool idle = !now->depth;
    uint32_t frame;

    if (entry >= r->map.entries || !r->map.entry[entry].address || now->depth > HC_REGION_LEVELS)
        return HC_REGION_DIFFERS;
    enum hc_region_answer got = hc_region_feed_in(&now->feed, &r->log, now->last, r->frame[entry].slot, 16, &frame);
    if (got != HC_REGION_ANSWER)
        return got == HC_REGION_ENTERS ? HC_REGION_DIFFERS : got;
    struct level *level = &now->level[now->depth++];
    for (int i = 0; i < HC_REGISTERS; i++)
        level->saved[i] = hc_register(r->machine, i);
    level->entry = entry;
    level->outside = false;
    uint32_t sp = (frame + r->frame[entry].distance) & 0xffff;
    if (hc_region_kind(r->machine, sp) != HC_RAM || sp & 1 || (!idle && !save_stack(r, level, sp)))
        return HC_REGION_DIFFERS;
    hc_poke16(r->machine, sp, (uint16_t)r->home);
    hc_set_register(r->machine, HC_SP, sp);
    hc_set_register(r->machine, HC_PC, r->map.entry[entry].address);
    now->visits += idle;
    if (r->visit)
        r->visit(r->owner, r, entry);
    return HC_REGION_ANSWER;
}

/* ENTRY was called while the hook at PC was asked; it is asked again after that. */
static enum hc_action enter_within(struct hc_region_replay *r, uint8_t entry, uint32_t pc)
{
    hc_set_register(r->machine, HC_PC, pc);
    enum hc_region_answer got = enter(r, entry);
    return got == HC_REGION_ANSWER ? HC_CONTINUE : end(r, got, "an entry in the log is not possible here");
}

/* The region itself was interrupted there. */
static enum hc_action interrupted(struct hc_region_replay *r, uint32_t pc)
{
    uint8_t entry = 0;
    enum hc_region_answer got = hc_region_feed_interrupt(&r->now->feed, &r->log, &entry);

    return got == HC_REGION_ANSWER ? enter_within(r, entry, pc)
                                   : end(r, got, "an entry in the log is not possible here");
}

/* The address to which an entry returns. */
static enum hc_action returned(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_region_replay *r = owner;
    struct present *now = r->now;

    (void)m;
    (void)pc;
    if (r->measuring || now->end)
        return HC_STOP;
    if (now->depth) {
        struct level *level = &now->level[--now->depth];
        if (r->visit)
            r->visit(r->owner, r, -1);
        if (now->depth) {
            restore(r, level);
            return HC_CONTINUE;
        }
    }
    uint8_t entry = 0;
    enum hc_region_answer got = hc_region_feed_enter(&now->feed, &r->log, &entry);
    if (got == HC_REGION_ANSWER)
        got = enter(r, entry);
    return got == HC_REGION_ANSWER ? HC_CONTINUE
                                   : end(r, got, "the log has something else than the next visit's beginning");
}

/* ---- the hooks ---- */

static enum hc_action take_input(struct hc_region_replay *r, uint32_t slot, unsigned bits, uint32_t pc)
{
    uint32_t value;

    if (slot + (bits == 32) >= r->map.slots)
        return end(r, HC_REGION_DIFFERS, "an input that the program does not have");
    enum hc_region_answer got = hc_region_feed_in(&r->now->feed, &r->log, r->now->last, slot, bits, &value);
    if (got == HC_REGION_ENTERS)
        return interrupted(r, pc);
    return got == HC_REGION_ANSWER ? answer(r, value, bits)
                                   : end(r, got, "it asks for an input that the node's did not");
}

static bool is_ram(const struct hc_region_replay *r, uint32_t address)
{
    return hc_region_kind(r->machine, address) == HC_RAM;
}

/* What the node had there is there from now on, for whoever looks. */
static enum hc_action take_load(struct hc_region_replay *r, unsigned bytes, uint32_t pc)
{
    uint32_t at = argument(r, 0), slot = argument(r, 1), start = at & ~1u, value = 0;
    struct present *now = r->now;

    if (slot + (bytes == 4) >= r->map.slots)
        return end(r, HC_REGION_DIFFERS, "a load that the program does not have");
    for (uint32_t i = 0; i < (bytes + 1) / 2; i++) {
        uint32_t word;
        enum hc_region_answer got =
            hc_region_feed_load(&now->feed, &r->log, &r->map, now->last, slot + i, start + 2 * i, &word);
        if (got == HC_REGION_ENTERS && !i)
            return interrupted(r, pc);
        if (got != HC_REGION_ANSWER)
            return end(r, got == HC_REGION_ENTERS ? HC_REGION_DIFFERS : got, "it loads what the node's did not");
        if (is_ram(r, start) && hc_peek16(r->machine, start + 2 * i) != word)
            hc_poke16(r->machine, start + 2 * i, (uint16_t)word);
        value |= word << 16 * i;
    }
    if (bytes == 1)
        value = value >> 8 * (at & 1) & 0xff;
    return answer(r, value, bytes * 8);
}

/* It runs as on the node, so that whoever watches the place sees it; a register is not there. */
static enum hc_action take_store(struct hc_region_replay *r, unsigned bytes)
{
    uint32_t value = wide_argument(r, bytes * 8), at = argument(r, bytes == 4 ? 2 : 1);

    hc_region_feed_store(&r->now->feed, &r->map, at, bytes == 1 ? value & 0xff : value, bytes);
    return is_ram(r, at) ? HC_CONTINUE : HC_ANSWER;
}

static enum hc_action take_put(struct hc_region_replay *r)
{
    uint32_t at = argument(r, 1), bytes = argument(r, 2);

    if (!bytes || bytes > r->map.unit)
        return end(r, HC_REGION_DIFFERS, "it copies what the node's did not");
    hc_region_feed_put(&r->now->feed, &r->map, at, argument(r, 0), bytes);
    return is_ram(r, at) ? HC_CONTINUE : HC_ANSWER;
}

static enum hc_action take_write(struct hc_region_replay *r, unsigned bits)
{
    uint32_t value = wide_argument(r, bits), at = argument(r, bits == 32 ? 2 : 1);

    hc_region_feed_write(&r->now->feed, &r->map, at, bits == 8 ? value & 0xff : value, bits);
    return HC_ANSWER;
}

static enum hc_action take_out(struct hc_region_replay *r, unsigned bits)
{
    hc_region_feed_out(&r->now->feed, wide_argument(r, bits), bits);
    return HC_ANSWER;
}

/* Asked once, and again after each entry that ended before the outside returned. */
static enum hc_action take_call(struct hc_region_replay *r, uint32_t pc)
{
    struct level *level = &r->now->level[r->now->depth - 1];
    uint8_t entry = 0;
    enum hc_region_answer got = hc_region_feed_back(&r->now->feed, &r->log, level->outside, &entry);

    level->outside = got == HC_REGION_ENTERS;
    if (got == HC_REGION_ENTERS)
        return enter_within(r, entry, pc);
    return got == HC_REGION_ANSWER ? answer(r, 0, 16)
                                   : end(r, got, "what it gives to the outside, or whom it calls, is different");
}

static enum hc_action take_leave(struct hc_region_replay *r)
{
    struct present *now = r->now;
    enum hc_region_answer got =
        hc_region_feed_leave(&now->feed, &r->log, &r->map, now->level[now->depth - 1].entry, now->depth > 1);

    return got == HC_REGION_ANSWER ? HC_ANSWER : end(r, got, "its results or writes are different");
}

static enum hc_action take_enter(struct hc_region_replay *r)
{
    if (!r->measuring)
        return HC_ANSWER;
    r->measured[0] = argument(r, 0);
    r->measured[1] = argument(r, 1);
    return HC_STOP;
}

/* Interrupts may have come between the hooks that take nothing, too. True: *ACTION is to be returned. */
static bool stepped_aside(struct hc_region_replay *r, enum hc_region_hook kind, uint32_t pc, enum hc_action *action)
{
    bool calls = kind == HC_HOOK_CALL && !r->now->level[r->now->depth - 1].outside;
    bool steps = calls || kind == HC_HOOK_LEAVE || kind == HC_HOOK_OUT16 || kind == HC_HOOK_OUT32 ||
                 (kind >= HC_HOOK_WRITE8 && kind <= HC_HOOK_WRITE32) || (kind >= HC_HOOK_STORE8 && kind <= HC_HOOK_PUT);
    enum hc_region_answer got =
        r->map.interrupts && steps ? hc_region_feed_step(&r->now->feed, &r->log) : HC_REGION_ANSWER;

    if (got == HC_REGION_ANSWER)
        return false;
    *action = got == HC_REGION_ENTERS ? interrupted(r, pc) : end(r, got, "something else goes out");
    return true;
}

static enum hc_action asked(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct hook *hook = owner;
    struct hc_region_replay *r = hook->r;

    (void)m;
    enum hc_action action;

    if (r->now->end)
        return HC_STOP;
    if (!r->measuring && stepped_aside(r, hook->kind, pc, &action))
        return action;
    switch (hook->kind) {
    case HC_HOOK_ENTER:
        return take_enter(r);
    case HC_HOOK_LEAVE:
        return take_leave(r);
    case HC_HOOK_CALL:
        return take_call(r, pc);
    case HC_HOOK_IN8:
    case HC_HOOK_READ8:
    case HC_HOOK_STABLE8:
        return take_input(r, argument(r, 1), 8, pc);
    case HC_HOOK_IN16:
    case HC_HOOK_READ16:
    case HC_HOOK_STABLE16:
        return take_input(r, argument(r, 1), 16, pc);
    case HC_HOOK_IN32:
        return take_input(r, argument(r, 2), 32, pc);
    case HC_HOOK_READ32:
        return take_input(r, argument(r, 1), 32, pc);
    case HC_HOOK_OUT16:
    case HC_HOOK_OUT32:
        return take_out(r, hook->kind == HC_HOOK_OUT32 ? 32 : 16);
    case HC_HOOK_WRITE8:
    case HC_HOOK_WRITE16:
    case HC_HOOK_WRITE32:
        return take_write(r, 8u << (hook->kind - HC_HOOK_WRITE8));
    case HC_HOOK_LOAD8:
    case HC_HOOK_LOAD16:
    case HC_HOOK_LOAD32:
        return take_load(r, 1u << (hook->kind - HC_HOOK_LOAD8), pc);
    case HC_HOOK_STORE8:
    case HC_HOOK_STORE16:
    case HC_HOOK_STORE32:
        return take_store(r, 1u << (hook->kind - HC_HOOK_STORE8));
    case HC_HOOK_PUT:
        return take_put(r);
    default:
        return HC_ANSWER;
    }
}

/* ---- opening ---- */

static void fill_memory(struct hc_region_replay *r)
{
    uint32_t programmed, first, end_of;
    const struct hc_region *region = hc_machine_part(r->machine)->regions;

    for (; region->name; region++)
        for (uint32_t at = region->start; region->kind == HC_RAM && at <= region->end; at++) {
            const uint8_t *byte =
                hc_image_initial_value(r->image, at, &programmed) ? hc_image_bytes(r->image, programmed, 1) : NULL;
            hc_poke(r->machine, at, byte ? *byte : 0);
        }
    for (size_t i = 0; hc_image_reserved(r->image, i, &first, &end_of); i++)
        for (uint32_t at = first; at < end_of; at++)
            if (is_ram(r, at))
                hc_poke(r->machine, at, 0);
}

static bool build_machine(struct hc_region_replay *r, char *text, size_t size)
{
    struct hc_map *map = NULL;
    struct hc_map_message unread;

    hc_map_read(&map, r->image, &unread);
    const struct hc_target_part *part = map ? hc_target_part(map->part) : NULL;
    struct hc_load_message message;

    if (!part) {
        snprintf(text, size, "%s: there is no machine for its part%s%s; hindcast log shows what the log holds",
                 hc_image_name(r->image), map && *map->part ? ", " : "", map ? map->part : "");
        hc_map_free(map);
        return false;
    }
    r->machine = hc_machine_new(part->machine, NULL);
    if (r->machine && part->add_multiplier)
        part->add_multiplier(r->machine);
    hc_map_free(map);
    if (!r->machine || !hc_load(r->machine, r->image, &message)) {
        snprintf(text, size, "%s", r->machine ? message.text : "out of memory");
        return false;
    }
    hc_machine_reset(r->machine, HC_POR);
    r->target = hc_target_of_machine(r->machine);
    fill_memory(r);
    return true;
}

static void set_hooks(struct hc_region_replay *r)
{
    for (int i = 0; i < HC_REGION_HOOKS; i++) {
        r->hook[i] = (struct hook){ r, (enum hc_region_hook)i };
        if (r->map.hook[i])
            hc_hook_pc_first(r->machine, r->map.hook[i], asked, &r->hook[i]);
    }
    hc_hook_pc_first(r->machine, r->home, returned, r);
}

/* How far from the stack pointer at the call the address lies that each entry gives: its code is run to that point. */
static bool measure(struct hc_region_replay *r)
{
    struct hc_snapshot *before = hc_snapshot_take(r->machine);
    const struct hc_region *ram = hc_machine_part(r->machine)->regions;

    while (ram->name && ram->kind != HC_RAM)
        ram++;
    uint32_t sp = (ram->start + (ram->end - ram->start) / 2) & ~1u;
    r->measuring = true;
    for (size_t i = 0; before && i < r->map.entries; i++) {
        if (!r->map.entry[i].address)
            continue;
        hc_set_register(r->machine, HC_SP, sp);
        hc_set_register(r->machine, HC_PC, r->map.entry[i].address);
        if (hc_machine_step(r->machine, 1000, HC_NEVER) != HC_STOP_HOOK || r->measured[1] >= r->map.slots)
            r->map.entry[i].address = 0;
        r->frame[i] = (struct frame){ (sp - r->measured[0]) & 0xffff, r->measured[1] };
        hc_snapshot_restore(r->machine, before);
    }
    r->measuring = false;
    hc_snapshot_free(before);
    return before != NULL;
}

static bool open_all(struct hc_region_replay *r, const char *path, size_t boot, char *text, size_t size)
{
    struct hc_log *log = NULL;
    struct hc_log_message message;
    char why[300] = "";

    if (!hc_region_map_read(&r->map, r->image, text, size) || !build_machine(r, text, size))
        return false;
    if (hc_log_open_file(&log, path, &message)) {
        snprintf(text, size, "%s", message.text);
        return false;
    }
    bool fine = hc_region_log_read(&r->log, log, &r->map, boot, &r->boots, why, sizeof why);
    hc_log_free(log);
    if (!fine) {
        snprintf(text, size, "%s: %s", path, why);
        return false;
    }
    r->now = calloc(1, sizeof *r->now + (r->map.slots + 2) * sizeof *r->now->last);
    r->frame = calloc(r->map.entries + 1, sizeof *r->frame);
    if (!r->now || !r->frame || !r->map.cache || r->map.cache > HC_REGION_CACHE_MAX ||
        r->map.cache & (r->map.cache - 1)) {
        snprintf(text, size, "out of memory");
        return false;
    }
    hc_region_feed_start(&r->now->feed, &r->log);
    r->home = hc_peek16(r->machine, hc_machine_part(r->machine)->vectors_end - 2); /* where nobody else is */
    set_hooks(r);
    return measure(r) || (snprintf(text, size, "out of memory"), false);
}

bool hc_region_replay_open(struct hc_region_replay **out, struct hc_image *image, const char *log, size_t boot,
                           char *text, size_t size)
{
    struct hc_region_replay *r = calloc(1, sizeof *r);

    *out = NULL;
    if (!r) {
        snprintf(text, size, "out of memory");
        return false;
    }
    r->image = image;
    if (!open_all(r, log, boot, text, size)) {
        hc_region_replay_free(r);
        return false;
    }
    hc_set_register(r->machine, HC_PC, r->home);
    *out = r;
    return true;
}

void hc_region_replay_free(struct hc_region_replay *r)
{
    if (!r)
        return;
    hc_machine_free(r->machine);
    hc_region_map_free(&r->map);
    free(r->log.code);
    free(r->frame);
    free(r->now);
    free(r);
}

struct hc_machine *hc_region_replay_machine(struct hc_region_replay *r)
{
    return r->machine;
}

bool hc_region_replay_set(struct hc_region_replay *r, const char *variable, uint32_t value)
{
    struct hc_symbol symbol;

    if (!hc_image_symbol(r->image, variable, &symbol) || symbol.function)
        return false;
    for (uint32_t i = 0; i < symbol.size && i < 4; i++)
        hc_poke(r->machine, symbol.address + i, (uint8_t)(value >> 8 * i));
    return true;
}

void hc_region_replay_listen(struct hc_region_replay *r, hc_region_visit_fn *call, void *owner)
{
    r->visit = call;
    r->owner = owner;
}

void hc_region_replay_state(struct hc_region_replay *r, struct hc_region_state *out)
{
    struct hc_statistics s;

    hc_machine_statistics(r->machine, &s);
    *out = (struct hc_region_state){ .visits = r->now->visits,
                                     .instructions = s.instructions,
                                     .checks = r->now->feed.checks,
                                     .boots = r->boots,
                                     .bytes = r->log.size,
                                     .used = hc_region_feed_used(&r->now->feed),
                                     .visit = entry_name(r),
                                     .end = r->now->end,
                                     .text = r->now->text };
}

/* ---- running ---- */

static enum hc_advance advance(struct hc_region_replay *r, uint64_t instructions)
{
    struct hc_statistics s;

    hc_machine_statistics(r->machine, &s);
    uint64_t steps = instructions > s.instructions ? instructions - s.instructions : 0;
    enum hc_stop why = hc_machine_settle(r->machine, steps, hc_now(r->machine) + HC_SECOND);
    if (why == HC_STOP_STEPS)
        return HC_ADVANCE_THERE;
    if (why == HC_STOP_REQUEST)
        return HC_ADVANCE_REQUEST;
    if (why == HC_STOP_FAULT) {
        r->now->end = HC_REGION_FAULTS;
        snprintf(r->now->text, sizeof r->now->text, "%s", hc_fault_text(r->machine));
    }
    if (r->now->end)
        return r->now->end == HC_REGION_ENDED ? HC_ADVANCE_END : HC_ADVANCE_FAULT;
    return why == HC_STOP_HOOK ? HC_ADVANCE_HOOK : HC_ADVANCE_PAUSE;
}

enum hc_region_end_kind hc_region_replay_run(struct hc_region_replay *r)
{
    while (!r->now->end)
        advance(r, UINT64_MAX);
    return r->now->end;
}

/* ---- as an execution ---- */

struct region_execution {
    struct hc_execution base;
    struct hc_region_replay *r;
};

struct snapshot {
    struct hc_snapshot *machine;
    struct present *now;
};

static struct hc_region_replay *of(struct hc_execution *c)
{
    return ((struct region_execution *)c)->r;
}

static size_t present_size(const struct hc_region_replay *r)
{
    return sizeof *r->now + (r->map.slots + 2) * sizeof *r->now->last;
}

static struct hc_machine *machine_of(struct hc_execution *c)
{
    return of(c)->machine;
}

static enum hc_advance advance_execution(struct hc_execution *c, uint64_t instructions)
{
    return advance(of(c), instructions);
}

static enum hc_advance advance_to_interrupt(struct hc_execution *c, uint64_t number)
{
    (void)number; /* there are none: handlers are visits */
    return advance(of(c), UINT64_MAX);
}

static void moment(struct hc_execution *c, struct hc_moment *out)
{
    struct hc_statistics s;

    hc_machine_statistics(of(c)->machine, &s);
    *out = (struct hc_moment){ s.instructions, 0, s.now, 0 };
}

static void interrupt(struct hc_execution *c, int *vector, uint32_t *pc)
{
    (void)c;
    *vector = -1;
    *pc = 0;
}

static const char *text_of(struct hc_execution *c)
{
    return of(c)->now->text;
}

static void drop(struct hc_execution *c, void *from)
{
    struct snapshot *s = from;

    (void)c;
    hc_snapshot_free(s->machine);
    free(s->now);
    free(s);
}

static void *snapshot(struct hc_execution *c, size_t *size)
{
    struct hc_region_replay *r = of(c);
    struct snapshot *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->machine = hc_snapshot_take(r->machine);
    s->now = malloc(present_size(r));
    if (!s->machine || !s->now) {
        drop(c, s);
        return NULL;
    }
    memcpy(s->now, r->now, present_size(r));
    *size = malloc_usable_size(s->machine) + present_size(r);
    return s;
}

static void restore_all(struct hc_execution *c, const void *from)
{
    const struct snapshot *s = from;

    hc_snapshot_restore(of(c)->machine, s->machine);
    memcpy(of(c)->now, s->now, present_size(of(c)));
}

static void destroy(struct hc_execution *c)
{
    free(c);
}

static const struct hc_execution_ops ops = {
    .machine = machine_of,
    .advance = advance_execution,
    .advance_to_interrupt = advance_to_interrupt,
    .moment = moment,
    .interrupt = interrupt,
    .text = text_of,
    .snapshot = snapshot,
    .restore = restore_all,
    .drop = drop,
    .destroy = destroy,
};

struct hc_execution *hc_region_execution_new(struct hc_region_replay *r)
{
    struct region_execution *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->base.ops = &ops;
    c->r = r;
    return &c->base;
}
