#include "ideal.h"

#include "machine/board/msp430f1611.h"
#include "machine/device.h"
#include "machine/device/msp430x1xx/multiplier.h"
#include "replay/hasher.h"
#include "runtime/port/msp430/position.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- noise ---- */

struct noise {
    struct hc_device base;
    struct hc_regfile *file;
    struct {
        uint64_t seed;
        uint64_t waiting; /* vectors requested */
        bool updating;    /* hc_update was interrupted */
    } s;
};

static uint16_t next_noise(struct noise *n)
{
    n->s.seed ^= n->s.seed << 13;
    n->s.seed ^= n->s.seed >> 7;
    n->s.seed ^= n->s.seed << 17;
    return (uint16_t)(n->s.seed >> 24);
}

static uint16_t noise_read(struct hc_device *d, uint32_t address, int size)
{
    struct noise *n = (struct noise *)d;
    uint32_t known = hc_regfile_known(n->file, address, size);
    uint16_t noise = next_noise(n);
    uint32_t value = (hc_regfile_read(n->file, address, size) & known) | (noise & ~known);
    return (uint16_t)(size == 1 ? value & 0xff : value);
}

static void noise_write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    hc_regfile_write(((struct noise *)d)->file, address, value, size);
}

static void *noise_save(struct hc_device *d)
{
    size_t size;
    uint8_t *bytes = hc_regfile_bytes(((struct noise *)d)->file, &size);
    void *copy = malloc(size);
    assert_non_null(copy);
    return memcpy(copy, bytes, size);
}

static void noise_load(struct hc_device *d, void *saved)
{
    size_t size;
    uint8_t *bytes = hc_regfile_bytes(((struct noise *)d)->file, &size);
    memcpy(bytes, saved, size);
}

static void noise_accepted(struct hc_device *d, int vector)
{
    hc_interrupt(d->machine, vector, false);
    ((struct noise *)d)->s.waiting &= ~(1ull << vector);
    hc_regfile_interrupt(((struct noise *)d)->file, vector);
}

static void noise_destroy(struct hc_device *d)
{
    hc_regfile_free(((struct noise *)d)->file);
}

static const struct hc_device_ops noise_ops = {
    .name = "noise",
    .read = noise_read,
    .write = noise_write,
    .save = noise_save,
    .load = noise_load,
    .drop = free,
    .interrupt_accepted = noise_accepted,
    .destroy = noise_destroy,
};

static struct noise *noise_new(struct hc_machine *m, const struct hc_regs *regs)
{
    struct noise *n = HC_DEVICE_NEW(m, &noise_ops, "noise", struct noise);
    n->file = hc_regfile_new(regs);
    n->s.seed = 0x9e3779b97f4a7c15u;
    hc_regfile_reset(n->file, true);
    hc_device_claim(&n->base, 0, regs->peripherals_end - 1);
    for (int i = 0; i < regs->vectors; i++)
        hc_device_owns_vector(&n->base, i);
    hc_multiplier_new(m, NULL);
    return n;
}

/* ---- events ---- */

enum { DMA0CTL = 0x1e0, DMAIFG = 8, DMAEN = 0x10, DMA_PIECE = 32 };

static void add(struct ideal *r, struct hc_event event)
{
    if (r->events == r->event_room) {
        r->event_room = r->event_room ? 2 * r->event_room : 256;
        r->event = realloc(r->event, r->event_room * sizeof *r->event);
        assert_non_null(r->event);
    }
    r->event[r->events++] = event;
    if (r->on_event)
        r->on_event(r->owner, &event);
}

static void hashed(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    struct ideal *r = owner;
    (void)m;
    if (r->hashes == r->hash_room) {
        r->hash_room = r->hash_room ? 2 * r->hash_room : 4096;
        r->hash = realloc(r->hash, r->hash_room * sizeof *r->hash);
        assert_non_null(r->hash);
    }
    r->hash[r->hashes++] = (struct ideal_hash){ pc, hash };
}

/* Memory in pieces, after the event by which the program learns of it. */
static void block_is_complete(struct ideal *r)
{
    uint8_t *copy = r->dma.copy[r->dma.copies++ % (sizeof r->dma.copy / sizeof *r->dma.copy)];
    for (uint16_t i = 0; i < r->dma.size; i++)
        copy[i] = hc_peek(r->machine, r->dma.address + i);
    for (uint16_t i = 0; i < r->dma.size; i += DMA_PIECE)
        add(r, (struct hc_event){ .kind = HC_EVENT_MEMORY,
                                  .memory = { (uint16_t)(r->dma.address + i), DMA_PIECE, copy + i } });
    r->dma.active = false;
}

void ideal_dma(struct ideal *r)
{
    uint16_t noise = next_noise(r->noise);
    if (r->dma.active && r->dma.size)
        hc_poke(r->machine, r->dma.address + noise % r->dma.size, (uint8_t)(noise >> 8));
}

static enum hc_action at_control(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct ideal *r = owner;
    (void)m;
    r->dma.active = access->value & DMAEN;
    return HC_CONTINUE;
}

static void at_read(struct ideal *r, uint32_t descriptor, uint32_t address, uint32_t end)
{
    struct hc_machine *m = r->machine;
    int site = hc_border_site(&r->border, descriptor);
    int size = hc_peek16(m, descriptor) & 0x4000 ? 2 : 1;
    assert_true(site >= 0);
    uint16_t value = hc_bus_read(m, address, size) & hc_peek16(m, descriptor + 2);
    add(r, (struct hc_event){ .kind = HC_EVENT_READ, .read = { .site = (uint16_t)site, .value = value } });
    if (address == DMA0CTL && value & DMAIFG && r->dma.size)
        block_is_complete(r);
    hc_set_register(m, 12, value);
    hc_set_register(m, HC_PC, end);
    hc_position_set_count(&r->border, m, r->ordered ? 0 : hc_position_count(&r->border, m) + 1);
}

static void interrupt_over(struct ideal *r)
{
    hc_position_set_count(&r->border, r->machine, r->ordered ? 0 : 1);
}

/* An interrupt that waits comes while the recorder runs. */
static void at_update(struct ideal *r, uint32_t pc)
{
    struct hc_machine *m = r->machine;
    uint16_t sr = hc_peek16(m, hc_register(m, HC_SP));
    uint64_t waiting = r->noise->s.waiting;
    if (pc == r->border.resume)
        r->noise->s.updating = false;
    if (r->on_update && !r->noise->s.updating)
        r->on_update(r->owner);
    if (!waiting || !(sr & HC_SR_GIE) || r->noise->s.updating) {
        hc_set_register(m, HC_PC, r->border.update_end);
        return;
    }
    r->noise->s.updating = true;
    int vector = 63 - __builtin_clzll(waiting);
    struct hc_event event = { .kind = HC_EVENT_INTERRUPT };
    event.interrupt.vector = (uint8_t)vector;
    event.interrupt.pc = (uint16_t)r->border.inside;
    event.interrupt.count = hc_position_count(&r->border, m);
    add(r, event);
    noise_accepted(&r->noise->base, vector);
    interrupt_over(r);
    hc_position_interrupt(&r->border, m, vector, r->border.update_resume, sr);
}

static uint32_t position_hash(struct hc_machine *m, uint32_t frame)
{
    uint16_t registers[12];
    for (int i = 0; i < 12; i++)
        registers[i] = (uint16_t)hc_register(m, 4 + i);
    return hc_position_hash(registers, (uint16_t)(frame + 4), hc_peek16(m, frame), hc_peek16(m, frame + 4));
}

static void at_trampoline(struct ideal *r, int vector)
{
    struct hc_machine *m = r->machine;
    uint32_t frame = hc_register(m, HC_SP);
    struct hc_event event = { .kind = HC_EVENT_INTERRUPT };
    event.interrupt.vector = (uint8_t)vector;
    event.interrupt.asleep = hc_peek16(m, frame) & HC_SR_CPUOFF;
    event.interrupt.pc = hc_peek16(m, frame + 2);
    event.interrupt.count = hc_position_count(&r->border, m);
    event.interrupt.hashed = hc_border_hashed(&r->border, event.interrupt.pc);
    event.interrupt.hash = event.interrupt.hashed ? position_hash(m, frame) : 0;
    add(r, event);
    interrupt_over(r);
    hc_set_register(m, HC_PC, r->border.link.handler[vector]);
}

static enum hc_action at_cut(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct ideal *r = owner;
    const struct hc_border *b = &r->border;
    if (pc == b->read)
        at_read(r, hc_register(m, 12), hc_peek16(m, hc_register(m, 12)) & 0xfff, b->read_end);
    else if (pc == b->read_via)
        at_read(r, hc_register(m, 13), hc_register(m, 12), b->read_end);
    else if (pc == b->update || pc == b->resume)
        at_update(r, pc);
    for (int i = 0; i < b->link.vectors; i++)
        if (pc == b->trampoline[i])
            at_trampoline(r, i);
    return HC_CONTINUE;
}

/* ---- running ---- */

static void fill(struct ideal *r)
{
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(r->image, &segment);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < segment[i].size; k++)
            hc_poke(r->machine, segment[i].address + k, segment[i].bytes[k]);
}

const char *const ideal_proved[] = { NULL };

static void set_hashed(struct ideal *r, const char *const *plain)
{
    const struct hc_symbol *function;
    size_t n = hc_image_functions(r->image, &function);
    memset(r->border.link.hashed, plain ? 0 : 0xff, sizeof r->border.link.hashed);
    for (size_t i = 0; plain && i < n; i++) {
        bool is_plain = false;
        for (const char *const *p = plain; *p; p++)
            is_plain |= strcmp(*p, function[i].name) == 0;
        for (uint32_t a = function[i].address; !is_plain && a < function[i].address + function[i].size; a += 2)
            r->border.link.hashed[a >> 11] |= (uint8_t)(1u << (a >> 8 & 7));
    }
}

void ideal_start(struct ideal *r, const char *path, bool ordered, const char *const *plain)
{
    struct hc_image_message message;
    struct hc_regs_message problem;
    char text[320];
    memset(r, 0, sizeof *r);
    r->ordered = ordered;
    if (hc_image_load_file(&r->image, path, &message))
        fail_msg("%s", message.text);
    if (hc_regs_load_part(&r->regs, "msp430f1611", &problem))
        fail_msg("%s", problem.text);
    if (hc_border_read(&r->border, r->image, text, sizeof text))
        fail_msg("%s", text);
    if (plain != IDEAL_PROVED)
        set_hashed(r, plain);
    struct hc_machine *m = r->machine = hc_machine_new(&hc_msp430f1611_part, NULL);
    assert_non_null(m);
    r->noise = noise_new(m, r->regs);
    fill(r);
    hc_machine_reset(m, HC_POR);
    hc_set_register(m, HC_PC, r->border.link.handler[r->border.link.vectors - 1]);
    const uint32_t cuts[] = { r->border.read, r->border.read_via, r->border.update, r->border.resume };
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        hc_hook_pc_first(m, cuts[i], at_cut, r);
    for (int i = 0; i < r->border.link.vectors; i++)
        if (r->border.trampoline[i])
            hc_hook_pc_first(m, r->border.trampoline[i], at_cut, r);
    struct hc_symbol block;
    if (hc_image_symbol(r->image, "block", &block)) {
        r->dma.address = (uint16_t)block.address;
        r->dma.size = (uint16_t)block.size;
        hc_hook_access(m, DMA0CTL, DMA0CTL + 1, HC_WATCH_WRITE, at_control, r);
    }
    r->hasher = hc_hasher_new(m, &r->border, r->regs, hashed, r);
    assert_non_null(r->hasher);
}

void ideal_reset(struct ideal *r)
{
    struct hc_machine *m = r->machine;
    uint64_t waiting = r->noise->s.waiting;
    for (int i = 0; waiting >> i; i++)
        hc_interrupt(m, i, false);
    r->noise->s.waiting = 0;
    r->noise->s.updating = false;
    r->dma.active = false;
    hc_machine_reset(m, HC_POR);
    hc_regfile_reset(r->noise->file, true);
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        hc_set_register(m, i, 0);
    for (uint32_t a = r->regs->ram.start; a <= r->regs->ram.end; a++)
        hc_poke(m, a, 0);
    hc_set_register(m, HC_PC, r->border.link.handler[r->border.link.vectors - 1]);
}

void ideal_stop(struct ideal *r)
{
    hc_hasher_free(r->hasher);
    hc_machine_free(r->machine);
    hc_regs_free(r->regs);
    hc_image_free(r->image);
    free(r->event);
    free(r->hash);
}

void ideal_save(struct ideal *r, struct ideal_place *place)
{
    place->machine = hc_snapshot_take(r->machine);
    place->events = r->events;
    place->hashes = r->hashes;
}

void ideal_return(struct ideal *r, const struct ideal_place *place)
{
    hc_snapshot_restore(r->machine, place->machine);
    hc_hasher_restart(r->hasher);
    r->events = place->events;
    r->hashes = place->hashes;
    r->ended = false;
}

void ideal_drop(struct ideal_place *place)
{
    hc_snapshot_free(place->machine);
}

uint64_t ideal_instructions(const struct ideal *r)
{
    struct hc_statistics statistics;
    hc_machine_statistics(r->machine, &statistics);
    return statistics.instructions;
}

bool ideal_run(struct ideal *r, uint64_t n)
{
    struct hc_machine *m = r->machine;
    while (ideal_instructions(r) < n && !r->ended) {
        enum hc_stop stop = hc_machine_step(m, n - ideal_instructions(r), hc_now(m) + HC_SECOND);
        if (stop == HC_STOP_FAULT)
            fail_msg("%s", hc_fault_text(m));
        uint32_t sr = hc_register(m, HC_SR);
        if (!(sr & HC_SR_CPUOFF) || stop != HC_STOP_TIME)
            continue;
        if (sr & HC_SR_GIE)
            ideal_interrupt(r, IDEAL_ALARM);
        else
            r->ended = true;
    }
    return !r->ended;
}

void ideal_interrupt(struct ideal *r, int vector)
{
    r->noise->s.waiting |= 1ull << vector;
    hc_interrupt(r->machine, vector, true);
}

/* ---- as a source ---- */

struct remembered {
    struct hc_feed base;
    struct ideal *from;
    struct {
        size_t reads, interrupts; /* indexes of the next ones; equal where all events have one order */
    } at;
    struct hc_event current;
};

static size_t find(const struct remembered *s, size_t from, enum hc_event_kind kind)
{
    while (from < s->from->events && s->from->event[from].kind != kind)
        from++;
    return from;
}

/* Index of the next event of KIND: in one order it must be the very next. */
static size_t next_of(const struct remembered *s, enum hc_event_kind kind)
{
    size_t at = kind == HC_EVENT_READ ? s->at.reads : s->at.interrupts;
    size_t found = find(s, at, kind);
    return s->from->ordered && found != at ? s->from->events : found;
}

static void pass(struct remembered *s, enum hc_event_kind kind, size_t index)
{
    if (s->from->ordered)
        s->at.reads = s->at.interrupts = index + 1;
    else if (kind == HC_EVENT_READ)
        s->at.reads = index + 1;
    else
        s->at.interrupts = index + 1;
}

static enum hc_feed_status status(struct hc_feed *source)
{
    struct remembered *s = (struct remembered *)source;
    bool more =
        s->from->ordered ? s->at.interrupts < s->from->events : next_of(s, HC_EVENT_INTERRUPT) < s->from->events;
    return more ? HC_FEED_OK : HC_FEED_END;
}

static const struct hc_event *interrupt(struct hc_feed *source)
{
    struct remembered *s = (struct remembered *)source;
    size_t at = next_of(s, HC_EVENT_INTERRUPT);
    if (at >= s->from->events || s->from->event[at].interrupt.asleep)
        return NULL;
    s->current = s->from->event[at];
    return &s->current;
}

static void take_interrupt(struct hc_feed *source)
{
    struct remembered *s = (struct remembered *)source;
    pass(s, HC_EVENT_INTERRUPT, next_of(s, HC_EVENT_INTERRUPT));
}

static enum hc_feed_status wake(struct hc_feed *source, struct hc_event *event)
{
    struct remembered *s = (struct remembered *)source;
    size_t at = next_of(s, HC_EVENT_INTERRUPT);
    if (at >= s->from->events)
        return status(source) == HC_FEED_END ? HC_FEED_END : HC_FEED_DIVERGED;
    if (!s->from->event[at].interrupt.asleep)
        return HC_FEED_DIVERGED;
    *event = s->from->event[at];
    pass(s, HC_EVENT_INTERRUPT, at);
    return HC_FEED_OK;
}

static enum hc_feed_status read_value(struct hc_feed *source, uint16_t site, const uint16_t *base, uint16_t *value)
{
    struct remembered *s = (struct remembered *)source;
    (void)base;
    size_t at = next_of(s, HC_EVENT_READ);
    if (at >= s->from->events)
        return s->at.reads >= s->from->events ? HC_FEED_END : HC_FEED_DIVERGED;
    if (s->from->event[at].read.site != site)
        return HC_FEED_DIVERGED;
    *value = s->from->event[at].read.value;
    pass(s, HC_EVENT_READ, at);
    return HC_FEED_OK;
}

static const char *text(const struct hc_feed *source)
{
    (void)source;
    return "something else";
}

static void progress(const struct hc_feed *source, size_t *used, size_t *all)
{
    const struct remembered *s = (const struct remembered *)source;
    *used = s->at.interrupts;
    *all = s->from->events;
}

static void save(const struct hc_feed *source, void *place)
{
    const struct remembered *s = (const struct remembered *)source;
    memcpy(place, &s->at, sizeof s->at);
}

static void load(struct hc_feed *source, const void *place)
{
    struct remembered *s = (struct remembered *)source;
    memcpy(&s->at, place, sizeof s->at);
}

static size_t place_size(const struct hc_feed *source)
{
    return sizeof((const struct remembered *)source)->at;
}

static bool is_ordered(const struct hc_feed *source)
{
    return ((const struct remembered *)source)->from->ordered;
}

static void release(struct hc_feed *source)
{
    free(source);
}

static const struct hc_feed_ops source_ops = {
    .interrupt = interrupt,
    .take_interrupt = take_interrupt,
    .wake = wake,
    .read = read_value,
    .status = status,
    .text = text,
    .progress = progress,
    .save = save,
    .restore = load,
    .place_size = place_size,
    .is_ordered = is_ordered,
    .free = release,
};

struct hc_feed *ideal_source(struct ideal *r)
{
    struct remembered *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->base.ops = &source_ops;
    s->from = r;
    return &s->base;
}
