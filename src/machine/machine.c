#include "core.h"

#include "machine/cpu/msp430/decoded_code.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_mode_names[HC_MODES + 1] = { "active", "LPM0", "LPM1", "LPM2", "LPM3", "LPM4", NULL };

/* A slice is short enough to notice a request to stop within milliseconds. */
enum { LONGEST_SLICE = 1 << 22 };

/* From the end of a reset to the first instruction. */
enum { RESET_CYCLES = 4 };

/* ---- building ---- */

/* The slice was measured in cycles of the old rate. */
static void mclk_changed(void *owner, hc_time now)
{
    (void)now;
    hc_end_slice(owner);
}

struct hc_machine *hc_machine_new(const struct hc_part *part, struct hc_code_store *store)
{
    struct hc_machine *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->part = part;
    m->nonmaskable = 1ull << (part->vectors - 2); /* the top one is reset */
    m->owns_code_store = !store;
    m->code_store = store ? store : hc_code_store_new();
    m->address_mask = part->cpu == HC_CPU_MSP430X ? 0xfffff : 0xffff;
    hc_queue_init(&m->queue);
    hc_clock_init(&m->mclk, "mclk");
    hc_memory_init(m);
    if (!m->memory || !m->code_store) {
        hc_machine_free(m);
        return NULL;
    }
    m->mode_wire = hc_wire_new_wide(m, "cpu.mode", 3, hc_mode_names);
    hc_clock_listen(&m->mclk, (struct hc_clock_listener){ .changed = mclk_changed, .owner = m });
    /* A board without a clock system runs at 1 MHz. */
    m->mclk.s.period = hc_period(1000000);
    return m;
}

void hc_machine_free(struct hc_machine *m)
{
    if (!m)
        return;
    for (int i = m->devices - 1; i >= 0; i--) {
        if (m->device[i]->ops->destroy)
            m->device[i]->ops->destroy(m->device[i]);
        free(m->device[i]);
    }
    hc_hooks_free(m);
    hc_code_free(m);
    if (m->owns_code_store)
        hc_code_store_free(m->code_store);
    free(m->wire_listener);
    free(m->memory);
    free(m);
}

const struct hc_part *hc_machine_part(const struct hc_machine *m)
{
    return m->part;
}

void *hc_device_new(struct hc_machine *m, const struct hc_device_ops *ops, const char *name, size_t size,
                    size_t state_offset, size_t state_size)
{
    assert(m->devices < HC_DEVICES_MAX);
    struct hc_device *d = calloc(1, size);
    if (!d)
        abort();
    d->ops = ops;
    d->machine = m;
    d->name = name;
    d->state = (char *)d + state_offset;
    d->state_size = state_size;
    m->device[m->devices++] = d;
    return d;
}

void hc_device_owns_vector(struct hc_device *d, int vector)
{
    d->machine->vector_owner[vector] = d;
}

void hc_nonmaskable(struct hc_machine *m, int vector)
{
    m->nonmaskable |= 1ull << vector;
}

struct hc_queue *hc_events(struct hc_machine *m)
{
    return &m->queue;
}

struct hc_clock *hc_mclk(struct hc_machine *m)
{
    return &m->mclk;
}

struct hc_clock *hc_clock_new(struct hc_machine *m, const char *name)
{
    assert(m->clocks < HC_CLOCKS_MAX);
    struct hc_clock *c = &m->clock[m->clocks++];
    hc_clock_init(c, name);
    return c;
}

void hc_set_power_listener(struct hc_machine *m, hc_power_fn *call, void *owner)
{
    m->power_call = call;
    m->power_owner = owner;
}

/* ---- time ---- */

hc_time hc_now(const struct hc_machine *m)
{
    if (!m->executing)
        return m->s.now;
    uint64_t cycles = m->s.cycles + (uint32_t)m->slice_elapsed;
    return m->mclk.s.origin + (cycles - m->mclk.s.count) * m->mclk.s.period;
}

void hc_end_slice(struct hc_machine *m)
{
    m->slice_end = 0;
}

/* MCLK stood still while the CPU slept or was held: its next edge becomes the CPU's next cycle. */
static void resume_mclk(struct hc_machine *m)
{
    hc_time edge = hc_clock_edge(&m->mclk, m->s.now);
    if (edge == HC_NEVER)
        return;
    m->mclk.s.origin = edge;
    m->mclk.s.count = m->s.cycles;
    m->s.now = edge;
}

void hc_set_wait_states(struct hc_machine *m, hc_wait_fn *call, void *owner)
{
    m->wait_call = call;
    m->wait_owner = owner;
    hc_end_slice(m);
}

void hc_cpu_hold(struct hc_machine *m, hc_time until)
{
    if (until > m->s.hold_until)
        m->s.hold_until = until;
    hc_end_slice(m);
}

void hc_cpu_steal_cycles(struct hc_machine *m, unsigned cycles)
{
    /* In an event the CPU is already at the end of the instruction during which it came. */
    hc_time from = m->executing || m->boundary < m->s.now ? hc_now(m) : m->boundary;
    if (m->s.hold_until > from)
        from = m->s.hold_until;
    hc_cpu_hold(m, from + cycles * m->mclk.s.period);
}

/* ---- status register and low-power modes ---- */

static int mode_of(uint16_t sr)
{
    if (!(sr & HC_SR_CPUOFF))
        return HC_MODE_ACTIVE;
    if (sr & HC_SR_OSCOFF)
        return HC_MODE_LPM4;
    return HC_MODE_LPM0 + ((sr & HC_SR_SCG1) ? 2 : 0) + ((sr & HC_SR_SCG0) ? 1 : 0);
}

enum { POWER_BITS = HC_SR_CPUOFF | HC_SR_OSCOFF | HC_SR_SCG0 | HC_SR_SCG1 };

void hc_status_write(struct hc_machine *m, uint16_t sr)
{
    uint16_t before = (uint16_t)m->s.r[HC_SR];
    m->s.r[HC_SR] = sr;
    if (m->s.requests || (sr & HC_SR_CPUOFF))
        hc_end_slice(m);
    if ((sr & HC_SR_GIE) && !(before & HC_SR_GIE) && m->executing)
        m->s.gie_set_at = m->s.instructions + (m->slice_elapsed >> 32);
    if (!((sr ^ before) & POWER_BITS))
        return;
    hc_end_slice(m);
    hc_time now = hc_now(m);
    m->s.in_mode[mode_of(before)] += now - m->s.mode_since;
    m->s.mode_since = now;
    hc_wire_set(m, m->mode_wire, mode_of(sr));
    if (m->power_call)
        m->power_call(m->power_owner, sr, now);
}

uint32_t hc_register(const struct hc_machine *m, int n)
{
    return m->s.r[n];
}

const uint32_t *hc_registers(const struct hc_machine *m)
{
    return m->s.r;
}

void hc_set_register(struct hc_machine *m, int n, uint32_t value)
{
    if (n == HC_SR)
        hc_status_write(m, value & 0x1ff);
    else if (n == HC_PC || n == HC_SP)
        m->s.r[n] = value & m->address_mask & ~1u;
    else
        m->s.r[n] = value & m->address_mask;
    if (m->follower)
        m->follower->set(m->follower->owner, n);
}

/* ---- reset, faults, notes ---- */

void hc_interrupt(struct hc_machine *m, int vector, bool request)
{
    uint64_t bit = 1ull << vector;
    if (!request) {
        m->s.requests &= ~bit;
        return;
    }
    m->s.requests |= bit;
    hc_end_slice(m);
}

void hc_request_reset(struct hc_machine *m, enum hc_reset kind)
{
    if (m->reset_requested <= (int)kind)
        m->reset_requested = (int)kind + 1;
    hc_end_slice(m);
}

void hc_machine_reset(struct hc_machine *m, enum hc_reset kind)
{
    m->reset_requested = 0;
    m->s.off = false;
    m->s.requests = 0;
    m->s.hold_until = 0;
    m->s.gie_set_at = UINT64_MAX;
    m->faulted = false;
    hc_status_write(m, 0);
    for (int i = 0; i < m->devices; i++)
        if (m->device[i]->ops->reset)
            m->device[i]->ops->reset(m->device[i], kind);
    hc_cpu_reset(m);
    resume_mclk(m);
    hc_cpu_hold(m, m->s.now + RESET_CYCLES * m->mclk.s.period);
}

/* splitmix64: unpredictable-looking, the same for the same seed. */
static uint64_t scramble(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void hc_machine_power_off(struct hc_machine *m, uint64_t seed)
{
    for (int i = 0; i < m->devices; i++)
        if (m->device[i]->ops->power_off)
            m->device[i]->ops->power_off(m->device[i]);
    for (uint32_t page = 0; page < m->memory_size; page += 1u << HC_PAGE_BITS)
        for (uint32_t i = 0; m->page_kind[page >> HC_PAGE_BITS] == HC_RAM && i < 1u << HC_PAGE_BITS; i++)
            m->memory[page + i] = (uint8_t)scramble(&seed);
    for (int i = HC_SR + 1; i < HC_REGISTERS; i++)
        m->s.r[i] = (uint32_t)scramble(&seed) & m->address_mask;
    for (int i = 0; i < m->queue.made; i++)
        hc_event_cancel(&m->queue, (hc_event)i);
    m->s.requests = 0;
    hc_status_write(m, HC_SR_CPUOFF | HC_SR_OSCOFF | HC_SR_SCG0 | HC_SR_SCG1);
    m->s.off = true;
    m->faulted = m->stopped = false;
    m->reset_requested = 0;
    hc_code_changed_all(m);
}

void hc_request_stop(struct hc_machine *m)
{
    atomic_store(&m->stop_requested, true);
}

void hc_note(struct hc_machine *m, const char *format, ...)
{
    if (!m->note_call)
        return;
    char text[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    m->note_call(m->note_owner, text);
}

void hc_machine_set_note(struct hc_machine *m, hc_note_fn *call, void *owner)
{
    m->note_call = call;
    m->note_owner = owner;
}

void hc_fault(struct hc_machine *m, const char *format, ...)
{
    hc_end_slice(m);
    if (m->faulted)
        return; /* the first one is the cause */
    m->faulted = true;
    m->fault_pc = hc_current_pc(m);
    int n = snprintf(m->fault_text, sizeof m->fault_text, "pc 0x%04x: ", (unsigned)m->fault_pc);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(m->fault_text + n, sizeof m->fault_text - (size_t)n, format, arguments);
    va_end(arguments);
}

const char *hc_fault_text(const struct hc_machine *m)
{
    return m->fault_text;
}

uint32_t hc_fault_pc(const struct hc_machine *m)
{
    return m->fault_pc;
}

uint32_t hc_current_pc(const struct hc_machine *m)
{
    return m->executing ? m->pc : m->s.r[HC_PC];
}

void hc_machine_set_lenient(struct hc_machine *m, bool lenient)
{
    m->lenient = lenient;
}

void hc_machine_statistics(const struct hc_machine *m, struct hc_statistics *out)
{
    out->instructions = m->s.instructions + (m->executing ? m->slice_elapsed >> 32 : 0);
    out->cycles = m->s.cycles + (m->executing ? (uint32_t)m->slice_elapsed : 0);
    out->interrupts = m->s.interrupts;
    out->now = m->s.now;
    memcpy(out->in_mode, m->s.in_mode, sizeof out->in_mode);
    out->in_mode[mode_of((uint16_t)m->s.r[HC_SR])] += m->s.now - m->s.mode_since;
}

/* ---- running ---- */

static void fire_due_events(struct hc_machine *m)
{
    m->boundary = m->s.now;
    while (hc_queue_next(&m->queue) <= m->boundary) {
        m->s.now = hc_queue_next(&m->queue);
        hc_queue_fire(&m->queue);
    }
    m->s.now = m->boundary;
}

/* Requests that the CPU would accept. */
static uint64_t ready_requests(const struct hc_machine *m)
{
    return (m->s.r[HC_SR] & HC_SR_GIE) ? m->s.requests : m->s.requests & m->nonmaskable;
}

static bool accept_interrupt(struct hc_machine *m)
{
    uint64_t ready = ready_requests(m);
    if (!ready)
        return false;
    int vector = 63 - __builtin_clzll(ready);
    uint32_t pc = m->s.r[HC_PC];
    bool slept = m->s.r[HC_SR] & HC_SR_CPUOFF;
    unsigned cycles = hc_cpu_enter_interrupt(m, vector);
    if (slept)
        resume_mclk(m);
    m->s.cycles += cycles;
    if (m->s.hold_until > m->s.now) /* the oscillator starts first */
        m->s.hold_until += cycles * m->mclk.s.period;
    else
        m->s.now += cycles * m->mclk.s.period;
    m->s.interrupts++;
    if (m->vector_owner[vector] && m->vector_owner[vector]->ops->interrupt_accepted)
        m->vector_owner[vector]->ops->interrupt_accepted(m->vector_owner[vector], vector);
    if (m->interrupt_hooks)
        hc_hooks_interrupt(m, vector, pc);
    return true;
}

static void add_wait_states(struct hc_machine *m, uint32_t pc, unsigned length)
{
    unsigned cycles = m->wait_call(m->wait_owner, pc, length);
    m->s.cycles += cycles;
    m->s.now += cycles * m->mclk.s.period;
}

/* Executes until cycle END of the slice or whatever ends it before. */
static void run_slice(struct hc_machine *m, uint64_t cycles)
{
    m->slice_end = cycles < LONGEST_SLICE ? (uint32_t)cycles : LONGEST_SLICE;
    m->slice_elapsed = 0;
    uint32_t pc = m->s.r[HC_PC];
    unsigned length = m->wait_call ? hc_cpu_length(m, pc) : 0;
    m->executing = true;
    hc_cpu_execute(m);
    m->s.now = hc_now(m);
    m->executing = false;
    m->s.cycles += (uint32_t)m->slice_elapsed;
    m->s.instructions += m->slice_elapsed >> 32;
    if (m->retired_code)
        hc_code_collect(m);
    if (length && m->wait_call && m->slice_elapsed >> 32)
        add_wait_states(m, pc, length);
    if (m->retire_hooks && m->slice_elapsed >> 32)
        hc_hooks_retired(m, pc);
}

/* The CPU does not execute: to the next event, or to the end of what holds it. */
static void skip(struct hc_machine *m, hc_time until, bool held)
{
    hc_time next = hc_queue_next(&m->queue);
    if (held && m->s.hold_until < next)
        next = m->s.hold_until;
    m->s.now = next < until ? next : until;
    if (held && m->s.now >= m->s.hold_until)
        resume_mclk(m);
}

/* Cycles until time T, rounded up; at least 1. */
static uint64_t cycles_until(const struct hc_machine *m, hc_time t)
{
    if (t <= m->s.now)
        return 1;
    hc_time span = t - m->s.now;
    return span > (hc_time)LONGEST_SLICE * m->mclk.s.period ? LONGEST_SLICE
                                                            : (span + m->mclk.s.period - 1) / m->mclk.s.period;
}

/* Reasons to stop that are known between instructions. */
static bool must_stop(struct hc_machine *m, enum hc_stop *why)
{
    if (m->faulted)
        *why = HC_STOP_FAULT;
    else if (m->stopped)
        *why = HC_STOP_HOOK;
    else if (atomic_load_explicit(&m->stop_requested, memory_order_relaxed))
        *why = HC_STOP_REQUEST;
    else
        return false;
    m->stopped = false;
    atomic_store_explicit(&m->stop_requested, false, memory_order_relaxed);
    return true;
}

/* SETTLE: not before an instruction is next. */
static enum hc_stop run(struct hc_machine *m, uint64_t steps, hc_time until, bool settle)
{
    enum hc_stop why;
    uint64_t last = steps > UINT64_MAX - m->s.instructions ? UINT64_MAX : m->s.instructions + steps;
    if (m->s.off) { /* no supply: nothing happens */
        if (until > m->s.now)
            m->s.now = until;
        return HC_STOP_TIME;
    }
    for (;;) {
        if (hc_queue_next(&m->queue) <= m->s.now)
            fire_due_events(m);
        if (m->reset_requested)
            hc_machine_reset(m, (enum hc_reset)(m->reset_requested - 1));
        if (must_stop(m, &why))
            return why;
        if (m->s.instructions >= last && !settle)
            return HC_STOP_STEPS;
        if (m->s.now >= until)
            return HC_STOP_TIME;
        if (m->s.hold_until > m->s.now) {
            skip(m, until, true);
            continue;
        }
        bool asleep = m->s.r[HC_SR] & HC_SR_CPUOFF || !m->mclk.s.period;
        bool settling = m->s.gie_set_at == m->s.instructions && !asleep;
        if (m->s.requests && !settling && accept_interrupt(m))
            continue;
        if (asleep) {
            skip(m, until, false);
            continue;
        }
        if (m->s.instructions >= last)
            return HC_STOP_STEPS;
        hc_time next = hc_queue_next(&m->queue);
        m->slice_horizon = next;
        uint64_t cycles = cycles_until(m, next < until ? next : until);
        uint64_t left = last - m->s.instructions; /* an instruction takes a cycle at least */
        if ((settling && m->s.requests) || m->retire_hooks || m->wait_call)
            left = 1;
        run_slice(m, left < cycles ? left : cycles);
    }
}

hc_time hc_machine_next(const struct hc_machine *m)
{
    hc_time event = hc_queue_next(&m->queue);
    bool asleep = m->s.r[HC_SR] & HC_SR_CPUOFF || !m->mclk.s.period;
    if (m->s.off)
        return HC_NEVER;
    bool wakes = m->reset_requested || ready_requests(m);
    if (m->s.hold_until > m->s.now)
        return event < m->s.hold_until ? event : m->s.hold_until;
    return asleep && !wakes ? event : m->s.now;
}

enum hc_stop hc_machine_run(struct hc_machine *m, hc_time until)
{
    return run(m, UINT64_MAX, until, false);
}

enum hc_stop hc_machine_step(struct hc_machine *m, uint64_t n, hc_time until)
{
    return run(m, n, until, false);
}

enum hc_stop hc_machine_settle(struct hc_machine *m, uint64_t n, hc_time until)
{
    return run(m, n, until, true);
}
