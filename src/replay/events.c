/* The border in replay: cuts are answered from the log, interrupts come at their positions. */
#include "events.h"

#include "explain.h"
#include "machine/device.h"
#include "peripherals.h"
#include "segment.h"
#include "self_check.h"
#include "timers.h"

#include <string.h>

/* Dead flags live for a few instructions only. */
enum { FLAGS_MAY_DIFFER_FOR = 64 };

/* Instructions: more than any loop executes without a tick, except waiting loops. */
enum { LOOK_AHEAD = 4096 };

/* ---- the interrupt that comes next ---- */

static enum hc_action at_due(void *owner, struct hc_machine *m, uint32_t pc);

/* Whether the position is inside the recorder: it is matched at the cuts. */
static bool is_inside(const struct hc_replay *r)
{
    return r->next.interrupt.pc == r->border.inside;
}

/* Moves the hook to the position of the next interrupt. */
static void move_hook(struct hc_replay *r)
{
    bool wanted = r->due && !is_inside(r);
    if (wanted && r->due_hook && r->due_pc == r->next.interrupt.pc)
        return;
    if (r->due_hook)
        hc_unhook(r->machine, r->due_hook);
    r->due_hook = 0;
    if (!wanted)
        return;
    r->due_pc = r->next.interrupt.pc;
    r->due_hook = hc_hook_pc_first(r->machine, r->due_pc, at_due, r);
}

static void tell(struct hc_replay *r, struct hc_replay_event event)
{
    event.instruction = hc_replay_instruction(r);
    event.time_us = r->s.time_us;
    if (r->event_call)
        r->event_call(r->event_owner, r, &event);
}

/* Takes memory that hardware wrote from the feed. */
static void take_memory(struct hc_replay *r)
{
    struct hc_event e = { .kind = HC_EVENT_MEMORY };
    while (hc_feed_has_memory(r->feed) &&
           hc_feed_memory(r->feed, &e.memory.address, &e.memory.size, &e.memory.bytes) == HC_FEED_OK) {
        for (uint16_t i = 0; i < e.memory.size; i++)
            hc_poke(r->machine, (uint32_t)e.memory.address + i, e.memory.bytes[i]);
        tell(r, (struct hc_replay_event){ .kind = HC_REPLAY_MEMORY, .address = e.memory.address, .logged = &e });
    }
}

static bool is_reset(const struct hc_replay *r)
{
    return r->reset_due && (uint16_t)hc_position_count(&r->border, r->machine) == r->reset_count;
}

/* Called when the counter is written: stops at its value at the reset. */
static enum hc_action at_count(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct hc_replay *r = owner;
    (void)m;
    if (r->looking_ahead || access->value != r->reset_count)
        return HC_CONTINUE;
    r->left_to_settle = true;
    return HC_STOP;
}

/* After the last event that was rescued. */
static void look_for_reset(struct hc_replay *r)
{
    r->reset_due = !r->due && hc_feed_reset(r->feed, &r->reset_count);
    if (r->reset_due && !r->reset_hook) {
        r->reset_hook = hc_hook_access(r->machine, r->border.count, r->border.count + 1, HC_WATCH_WRITE, at_count, r);
    } else if (!r->reset_due && r->reset_hook) {
        hc_unhook(r->machine, r->reset_hook);
        r->reset_hook = 0;
    }
}

static void look_for_next(struct hc_replay *r)
{
    const struct hc_event *event = hc_feed_interrupt(r->feed);
    r->due = event != NULL;
    if (event)
        r->next = *event;
    move_hook(r);
    look_for_reset(r);
}

/* Something was taken from the feed. */
static void event_over(struct hc_replay *r, uint32_t count)
{
    hc_position_set_count(&r->border, r->machine, count);
    take_memory(r);
    r->s.event_at = hc_replay_instruction(r);
    look_for_next(r);
}

static uint32_t status_of(const struct hc_replay *r)
{
    return hc_register(r->machine, r->cpu->status_register);
}

/* One of the sixteen possible values of the flags. */
static uint32_t flags_of(const struct hc_replay *r, int number)
{
    const struct hc_cpu_status *bits = &r->cpu->status;
    return (number & 1 ? bits->carry : 0) | (number & 2 ? bits->zero : 0) | (number & 4 ? bits->negative : 0) |
           (number & 8 ? bits->overflow : 0);
}

static bool accepts(const struct hc_replay *r, int vector, uint32_t sr)
{
    return r->cpu->is_nonmaskable(r->machine, vector, r->border.link.vectors) || (sr & r->cpu->status.interrupts_on);
}

/* Flags may differ after an instruction that changed a register in place, since they depend on unrecorded bits, and
 * after a cut. The program does not use them, but the recorder's hash includes them. */
static bool flags_may_differ(const struct hc_replay *r)
{
    uint32_t pc = hc_register(r->machine, HC_PC);
    if (hc_border_poll_at(&r->border, pc))
        return false; /* the routine has set them itself */
    return hc_border_ends_cut(&r->border, pc) || hc_replay_instruction(r) - r->s.modified_at <= FLAGS_MAY_DIFFER_FOR;
}

/* Whether DMA may have written the word on top of the stack. The log has it only when the program is told. */
static bool top_may_differ(const struct hc_replay *r)
{
    uint32_t sp = hc_register(r->machine, HC_SP);
    return hc_peripherals_dma_may_write(r->peripherals, sp) || hc_peripherals_dma_may_write(r->peripherals, sp + 1);
}

static bool hash_matches(struct hc_replay *r)
{
    uint16_t sr = (uint16_t)status_of(r);
    if (hc_position_hash_here(r->machine, sr) == r->next.interrupt.hash)
        return true;
    if (r->regs->dmas && top_may_differ(r) && hc_position_hash_with_any_top(r->machine, sr, r->next.interrupt.hash))
        return true;
    if (!flags_may_differ(r))
        return false;
    for (int i = 0; i < 16; i++) {
        uint32_t others = sr & ~r->cpu->status.flags;
        if (hc_position_hash_here(r->machine, (uint16_t)(others | flags_of(r, i))) == r->next.interrupt.hash)
            return true;
    }
    return false;
}

static bool is_here(struct hc_replay *r)
{
    return r->due && !is_inside(r) && r->next.interrupt.pc == hc_register(r->machine, HC_PC) &&
           r->next.interrupt.count == hc_position_count(&r->border, r->machine) &&
           accepts(r, r->next.interrupt.vector, status_of(r)) && (!r->next.interrupt.hashed || hash_matches(r));
}

static void remember(struct hc_replay *r, int vector, uint32_t pc, bool asleep)
{
    uint64_t now = hc_replay_instruction(r);
    r->s.interrupts++;
    r->s.entered = vector;
    r->s.entered_at = now;
    r->s.last[r->s.interrupts % HC_REPLAY_REMEMBERED] = (struct hc_replay_interrupt){
        .number = r->s.interrupts,
        .instruction = now,
        .time_us = r->s.time_us,
        .vector = vector,
        .pc = pc,
        .asleep = asleep,
    };
}

/* LOGGED: the event of the log. PC and SR: the contents of the frame. */
static void deliver(struct hc_replay *r, const struct hc_event *logged, uint32_t pc, uint16_t sr)
{
    int vector = logged->interrupt.vector;
    if (vector >= r->border.link.vectors || r->border.link.handler[vector] == 0xffff) {
        hc_explain_divergence(r, NULL, "vector %d has no handler in this ELF", vector);
        return;
    }
    hc_timers_interrupt(r, vector);
    hc_regfile_interrupt(hc_peripherals_file(r->peripherals), vector);
    remember(r, vector, pc, sr & r->cpu->status.asleep);
    hc_position_interrupt(&r->border, r->machine, vector, pc, sr);
    tell(r, (struct hc_replay_event){ .kind = HC_REPLAY_INTERRUPT, .vector = vector, .address = pc, .logged = logged });
    event_over(r, hc_feed_ordered(r->feed) ? 0 : 1);
}

static void deliver_here(struct hc_replay *r, const struct hc_event *logged)
{
    deliver(r, logged, hc_register(r->machine, HC_PC), (uint16_t)status_of(r));
}

/* Checks whether the position would match again if the interrupt did not come here. The machine is between two
 * instructions. */
static void look_ahead(struct hc_replay *r)
{
    struct hc_snapshot *here = hc_snapshot_take(r->machine);
    if (!here)
        return;
    struct hc_replay_state state = r->s;
    r->looking_ahead = true;
    r->matched = false;
    r->looked_from = hc_replay_instruction(r);
    hc_machine_step(r->machine, LOOK_AHEAD, hc_now(r->machine) + HC_SECOND);
    r->looking_ahead = false;
    hc_snapshot_restore(r->machine, here);
    hc_snapshot_free(here);
    r->s = state;
    if (!r->matched)
        return;
    r->ambiguous++;
    r->ambiguous_pc = r->next.interrupt.pc;
}

/* Delivers the next interrupt: the machine is at its position. */
static void take_here(struct hc_replay *r)
{
    if (!hc_self_check_over(r))
        return;
    hc_feed_take_interrupt(r->feed);
    deliver_here(r, &r->next);
}

/* Stops if the replay is over, or the requested interrupt has been delivered. */
static enum hc_action done(struct hc_replay *r)
{
    if (is_reset(r)) {
        r->left_to_settle = true;
        return HC_STOP;
    }
    return r->over || r->s.interrupts == r->sought ? HC_STOP : HC_CONTINUE;
}

static enum hc_action at_due(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_replay *r = owner;
    (void)m;
    (void)pc;
    if (!is_here(r))
        return HC_CONTINUE;
    if (r->looking_ahead) {
        if (hc_replay_instruction(r) == r->looked_from)
            return HC_CONTINUE;
        r->matched = true;
        return HC_STOP;
    }
    if (r->check_positions) {
        r->left_to_settle = true; /* a machine that is running cannot look ahead */
        return HC_STOP;
    }
    take_here(r);
    return done(r);
}

/* Whether the feed has no more events: at the log's end, or at damage. Ends the replay with a message. */
static bool has_ended(struct hc_replay *r, enum hc_feed_status status)
{
    if (status == HC_FEED_END)
        hc_explain_end(r);
    else if (status == HC_FEED_DAMAGE)
        hc_explain_damage(r);
    return status == HC_FEED_END || status == HC_FEED_DAMAGE;
}

static void wake(struct hc_replay *r)
{
    struct hc_event event;
    if (!hc_self_check_over(r))
        return;
    enum hc_feed_status status = hc_feed_wake(r->feed, &event);
    if (has_ended(r, status))
        return;
    if (status == HC_FEED_DIVERGED)
        hc_explain_divergence(r, NULL, "the CPU goes to sleep");
    else if (accepts(r, event.interrupt.vector, status_of(r)))
        deliver_here(r, &event);
    else
        hc_explain_divergence(r, "an interrupt of a sleeping CPU", "the CPU sleeps with interrupts disabled");
}

/* ---- cuts ---- */

static void read_answered(struct hc_replay *r, struct hc_replay_event read, const struct hc_site *site, uint32_t end)
{
    r->s.reads++;
    hc_timers_read(r, read.address, site, read.value);
    hc_set_register(r->machine, r->cpu->argument, read.value);
    hc_set_register(r->machine, HC_PC, end);
    tell(r, read);
    event_over(r, hc_feed_ordered(r->feed) ? 0 : hc_position_count(&r->border, r->machine) + 1);
}

static void answer_read(struct hc_replay *r, uint32_t descriptor, uint32_t address, uint32_t end)
{
    int site = hc_border_site(&r->border, descriptor);
    if (site < 0) {
        hc_explain_divergence(r, NULL, "a call of the recorder with 0x%04x, which is not a site", (unsigned)descriptor);
        return;
    }
    struct hc_site what = { .place = hc_peek16(r->machine, descriptor), .mask = hc_peek16(r->machine, descriptor + 2) };
    uint16_t value = 0;
    int class = HC_SITE_CLASS(&what);
    const uint16_t *base = class == HC_SITE_TIMER ? hc_timers_base(r, HC_SITE_ADDRESS(&what)) : NULL;
    if (!hc_self_check_over(r))
        return;
    enum hc_feed_status status = hc_feed_read(r->feed, (uint16_t)site, base, &value);
    struct hc_replay_event read = {
        .kind = HC_REPLAY_READ, .site = (uint16_t)site, .address = address, .value = value, .base = base
    };
    if (has_ended(r, status))
        return;
    if (status == HC_FEED_DIVERGED)
        hc_explain_divergence(r, NULL, "a read of register 0x%04x at site %d", (unsigned)address, site);
    else
        read_answered(r, read, &what, end);
}

/* Delivers an interrupt that came while the recorder ran: for the program it came in hc_update. */
static bool interrupts_update(struct hc_replay *r)
{
    struct hc_machine *m = r->machine;
    uint16_t sr = hc_peek16(m, hc_register(m, HC_SP)); /* the program's */
    if (!r->due || !is_inside(r) || !accepts(r, r->next.interrupt.vector, sr) ||
        r->next.interrupt.count != hc_position_count(&r->border, m))
        return false;
    if (!hc_self_check_over(r))
        return true;
    hc_feed_take_interrupt(r->feed);
    r->s.updating = true;
    deliver(r, &r->next, r->border.update_resume, sr);
    return true;
}

/* The segment has begun in this call of hc_update, which may have gone on to the segment's first self-check, and may
 * have been interrupted after that. Returns whether it was. */
static bool begins_in_update(struct hc_replay *r)
{
    hc_self_check_update(r);
    return interrupts_update(r);
}

/* A handler that interrupted the recorder may call it: that call does nothing. Another thread continues it. */
static void answer_update(struct hc_replay *r, uint32_t pc)
{
    uint16_t sr = hc_peek16(r->machine, hc_register(r->machine, HC_SP)); /* the program's */
    if (pc == r->border.resume || sr & r->cpu->status.interrupts_on)
        r->s.updating = false;
    if (!r->s.updating) {
        hc_self_check_update(r);
        if (interrupts_update(r) || (hc_segments_cross(r) && begins_in_update(r)) || r->over)
            return;
    }
    hc_set_register(r->machine, HC_PC, r->border.update_end);
}

/* Answers the cut at PC, which may end the replay. Returns false if there is none. */
static bool answer_cut(struct hc_replay *r, uint32_t pc)
{
    struct hc_machine *m = r->machine;
    const struct hc_border *b = &r->border;
    if (pc == b->read) {
        uint32_t descriptor = hc_register(m, r->cpu->argument);
        struct hc_site site = { .place = hc_peek16(m, descriptor) };
        answer_read(r, descriptor, HC_SITE_ADDRESS(&site), b->read_end);
    } else if (pc == b->read_via) {
        answer_read(r, hc_register(m, r->cpu->second), hc_register(m, r->cpu->argument), b->read_end);
    } else if (pc == b->update || pc == b->resume) {
        answer_update(r, pc);
    } else {
        return false;
    }
    return true;
}

static enum hc_action at_cut(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_replay *r = owner;
    if (is_here(r)) /* a non-maskable interrupt before the cut */
        return at_due(owner, m, pc);
    if (r->looking_ahead)
        return HC_STOP;
    answer_cut(r, pc);
    return done(r);
}

/* ---- vectors ---- */

/* In a replay no interrupt comes through the vectors: the program itself has loaded one and jumped. A jump through the
 * reset vector restarts the program and ends the recording since the last reset. */
static enum hc_action at_vector(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_replay *r = owner;
    (void)m;
    if (r->looking_ahead)
        return HC_STOP;
    if (pc != r->border.reset)
        hc_explain_divergence(r, NULL,
                              "jumped through an interrupt vector, as only the hardware may in a recorded program: it "
                              "must call the handler by its name");
    else if (hc_replay_used_up(r))
        hc_explain_end(r);
    else
        hc_explain_divergence(r, NULL, "jumped to the reset vector");
    return HC_STOP;
}

/* ---- polling ---- */

/* Whether the test fails: it does if the next interrupt came after a failed test; otherwise it succeeds, since nothing
 * else can happen in the loop. Before the load the flags are those of a failed test. So the position is the same in
 * every iteration, and looking ahead does not find another one. */
static bool test_fails(struct hc_replay *r, const struct hc_border_poll *poll, uint16_t failed)
{
    if (!r->due || r->next.interrupt.pc != poll->jump || !r->next.interrupt.hashed ||
        r->next.interrupt.count != hc_position_count(&r->border, r->machine))
        return false;
    uint16_t mask = (uint16_t)hc_register(r->machine, r->cpu->second);
    uint16_t top = poll->size == 1 ? 0x80 : 0x8000;
    const struct hc_cpu_status *bits = &r->cpu->status;
    uint32_t flags = failed ? bits->carry | (mask & top ? bits->negative : 0) : bits->zero;
    uint16_t sr = (uint16_t)((status_of(r) & ~bits->flags) | flags);
    return hc_position_hash_here(r->machine, sr) == r->next.interrupt.hash;
}

uint16_t hc_events_poll(struct hc_replay *r, const struct hc_border_poll *poll)
{
    uint16_t mask = (uint16_t)hc_register(r->machine, r->cpu->second);
    uint16_t failed = poll->until_set ? 0 : mask;
    uint16_t succeeded = poll->until_set ? mask : 0;
    return !r->looking_ahead && test_fails(r, poll, failed) ? failed : succeeded;
}

/* ---- for the rest of the replay ---- */

void hc_events_attach(struct hc_replay *r)
{
    const uint32_t cuts[] = { r->border.read, r->border.read_via, r->border.update, r->border.resume };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (cuts[i])
            hc_hook_pc_first(r->machine, cuts[i], at_cut, r);
    hc_hook_pc_first(r->machine, r->border.reset, at_vector, r);
    for (int i = 0; i < r->border.link.vectors; i++)
        if (r->border.trampoline[i])
            hc_hook_pc_first(r->machine, r->border.trampoline[i], at_vector, r);
    look_for_next(r);
}

void hc_events_refresh(struct hc_replay *r)
{
    look_for_next(r);
}

bool hc_events_settle(struct hc_replay *r)
{
    while (!r->over) {
        if (r->s.interrupts == r->sought)
            return true;
        if (is_reset(r)) {
            hc_explain_reset(r);
            break;
        }
        if (r->check_positions && is_here(r))
            look_ahead(r);
        if (status_of(r) & r->cpu->status.asleep)
            wake(r);
        else if (is_here(r))
            take_here(r);
        else if (!answer_cut(r, hc_register(r->machine, HC_PC)))
            return true;
    }
    return false;
}
