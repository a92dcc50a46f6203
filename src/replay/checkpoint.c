#include "checkpoint.h"

#include "recorded/dump_table.h"

#include "peripherals.h"

#include <stdlib.h>
#include <string.h>

enum {
    ADDRESSES = 0x10000,
    REGISTERS_END = 0x1000, /* of peripherals, on any part */
};

/* Of a DMA channel's control register. */
enum { DMA_FLAG = 0x0008, DMA_BYTES = 0x0080, DMA_INCREMENTS = 0x0c00, DMA_DECREMENTS = 0x0800 };

struct hc_checkpoint {
    bool reset;
    bool bad; /* a record makes no sense */
    bool has_peripherals, has_registers;
    uint16_t reg[HC_REGISTERS];
    uint16_t peripheral[REGISTERS_END]; /* by address */
    uint8_t memory[ADDRESSES];
    struct hc_memory_range range[HC_PIECES]; /* of it, what is known */
    size_t ranges;
    struct hc_memory_range dma[HC_REGS_DMA_MAX]; /* where channels may have been writing */
    size_t dmas;
};

/* ---- registers of peripherals ---- */

/* Calls FN for each that the recorder's table in the ELF names. */
static void each_peripheral(struct hc_replay *r, hc_dumped_fn *fn, void *owner)
{
    struct hc_dump_layout layout = { .gap = r->part->dump_gap, .bytes_end = r->part->dump_bytes_end };
    hc_dump_table_each(r->image, layout, fn, owner);
}

/* ---- records ---- */

struct records {
    struct hc_replay *r;
    struct hc_checkpoint *b;
    const uint8_t *bytes; /* of the record */
    uint16_t length, taken;
};

static uint16_t word(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static void count_peripheral(void *owner, uint32_t address, int size)
{
    (void)address;
    (void)size;
    ++*(size_t *)owner;
}

static size_t peripherals(struct hc_replay *r)
{
    size_t count = 0;
    each_peripheral(r, count_peripheral, &count);
    return count;
}

static void take_peripheral(void *owner, uint32_t address, int size)
{
    struct records *s = owner;
    (void)size;
    if (address < REGISTERS_END)
        s->b->peripheral[address] = word(s->bytes + s->taken);
    s->taken += 2;
}

static void take_peripherals(struct records *s)
{
    if (s->length != 2 * peripherals(s->r)) {
        s->b->bad = true;
        return;
    }
    s->taken = 0;
    each_peripheral(s->r, take_peripheral, s);
    s->b->has_peripherals = true;
}

/* The general registers, some words of the recorder's own, the stack pointer. */
static void take_registers(struct records *s)
{
    const struct hc_memory_range *piece = &s->r->border.link.piece[HC_PIECES_REGISTERS];
    if (s->length != piece->end - piece->start || s->length < 2) {
        s->b->bad = true;
        return;
    }
    for (int i = 0; s->r->cpu->first_general + i < HC_REGISTERS && 2 * i + 2 < s->length; i++)
        s->b->reg[s->r->cpu->first_general + i] = word(s->bytes + (size_t)2 * i);
    s->b->reg[HC_SP] = word(s->bytes + s->length - 2);
    s->b->has_registers = true;
}

/* An abandoned checkpoint may precede it. */
static void begin_anew(struct hc_checkpoint *b)
{
    memset(b->reg, 0, sizeof b->reg);
    memset(b->memory, 0, sizeof b->memory);
    b->has_peripherals = b->has_registers = false;
}

static void take_record(struct records *s, uint16_t address)
{
    const struct hc_memory_range *registers = &s->r->border.link.piece[HC_PIECES_REGISTERS];
    if (s->length % 2 || address + (uint32_t)s->length > ADDRESSES)
        s->b->bad = true;
    else if (address == HC_RECORD_PERIPHERALS)
        take_peripherals(s);
    else if (address % 2)
        s->b->bad = true;
    else if (address == HC_RECORD_FIRST && s->length == 0)
        begin_anew(s->b);
    else if (address == registers->start && registers->end > registers->start)
        take_registers(s);
    else
        memcpy(s->b->memory + address, s->bytes, s->length);
}

static void take_records(struct hc_replay *r, struct hc_checkpoint *b, const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (!b->bad && size - at >= HC_RECORD_HEAD) {
        struct records s = { .r = r, .b = b, .bytes = bytes + at + HC_RECORD_HEAD, .length = word(bytes + at + 2) };
        if (size - at - HC_RECORD_HEAD < s.length)
            break;
        take_record(&s, word(bytes + at));
        at += (size_t)HC_RECORD_HEAD + s.length;
    }
    b->bad |= at != size;
}

/* The payloads of the segment's pages, one after the other. */
static int read_records(struct hc_replay *r, struct hc_checkpoint *b, const struct hc_log *log,
                        const struct hc_log_segment *segment)
{
    const struct hc_log_page *page;
    size_t n = hc_log_pages(log, &page), size = 0;
    uint8_t *bytes = malloc(segment->payload[HC_STREAM_CHECKPOINT] + 1);
    if (!bytes)
        return HC_REPLAY_NO_MEMORY;
    for (size_t i = segment->first_page; i < n && i < segment->begin_page; i++) {
        if (page[i].stream != HC_STREAM_CHECKPOINT || page[i].segment != segment->number ||
            page[i].boot != segment->boot)
            continue;
        memcpy(bytes + size, page[i].payload, page[i].length);
        size += page[i].length;
    }
    take_records(r, b, bytes, size);
    free(bytes);
    return HC_REPLAY_OK;
}

static void note_ranges(struct hc_checkpoint *b, const struct hc_border *border)
{
    for (size_t i = b->reset ? HC_PIECES_LASTING : 0; i < HC_PIECES; i++)
        if (i != HC_PIECES_REGISTERS)
            b->range[b->ranges++] = border->link.piece[i];
    b->range[b->ranges++] = border->link.free;
}

/* ---- DMA ---- */

static uint16_t peripheral(const struct hc_checkpoint *b, uint32_t address)
{
    return address < REGISTERS_END ? b->peripheral[address] : 0;
}

/* The program does not know of a complete block either until it reads it. */
static bool is_active(const struct hc_checkpoint *b, const struct hc_regs_dma *dma)
{
    return b->has_peripherals && peripheral(b, dma->control) & (dma->enable | DMA_FLAG);
}

/* The range that channel I writes to. Its size register counts down, so the size that the program set is used, if it is
 * known. */
static struct hc_memory_range destination(const struct hc_replay *r, const struct hc_checkpoint *b, int i)
{
    const struct hc_regs_dma *dma = &r->regs->dma[i];
    uint16_t control = peripheral(b, dma->control);
    uint32_t unit = control & DMA_BYTES ? 1 : 2;
    uint32_t at = peripheral(b, dma->destination) & ~(unit - 1);
    uint32_t size = unit * (r->s.dma_size[i] ? r->s.dma_size[i] : ADDRESSES);
    if (!(control & DMA_DECREMENTS))
        size = unit;
    if ((control & DMA_INCREMENTS) == DMA_DECREMENTS)
        return (struct hc_memory_range){ at + unit > size ? at + unit - size : 0, at + unit };
    return (struct hc_memory_range){ at, at + size };
}

static void note_dma(const struct hc_replay *r, struct hc_checkpoint *b)
{
    for (int i = 0; i < r->regs->dmas; i++)
        if (is_active(b, &r->regs->dma[i]))
            b->dma[b->dmas++] = destination(r, b, i);
}

static bool is_dma(const struct hc_checkpoint *b, uint32_t address)
{
    for (size_t i = 0; i < b->dmas; i++)
        if (address >= b->dma[i].start && address < b->dma[i].end)
            return true;
    return false;
}

void hc_replay_dma_control(struct hc_replay *r, uint32_t address, uint16_t value)
{
    for (int i = 0; i < r->regs->dmas; i++)
        if (address == r->regs->dma[i].size)
            r->s.dma_size[i] = value;
}

/* The size that was set is not known for a channel that is active. */
static void restore_dma(struct hc_replay *r, const struct hc_checkpoint *b)
{
    uint8_t channels_on = 0;
    for (int i = 0; i < r->regs->dmas; i++) {
        const struct hc_regs_dma *dma = &r->regs->dma[i];
        r->s.dma_size[i] = is_active(b, dma) ? 0 : peripheral(b, dma->size);
        if (peripheral(b, dma->control) & dma->enable)
            channels_on |= (uint8_t)(1u << i);
    }
    hc_peripherals_enable_dma(r->peripherals, channels_on);
}

/* ---- reading and restoring ---- */

int hc_checkpoint_read(struct hc_checkpoint **out, struct hc_replay *r, const struct hc_log *log,
                       const struct hc_log_segment *segment)
{
    struct hc_checkpoint *b = *out = calloc(1, sizeof *b);
    if (!b)
        return HC_REPLAY_NO_MEMORY;
    b->reset = segment->begin == HC_BEGIN_BOOT;
    note_ranges(b, &r->border);
    int error = read_records(r, b, log, segment);
    if (!error && (b->bad || (!b->has_peripherals && peripherals(r)) || (!b->has_registers && !b->reset)))
        error = HC_REPLAY_BAD;
    note_dma(r, b);
    if (!error)
        return HC_REPLAY_OK;
    hc_checkpoint_free(b);
    *out = NULL;
    return error;
}

void hc_checkpoint_free(struct hc_checkpoint *b)
{
    free(b);
}

/* The recorder stops the watchdog while it starts. */
static bool is_restored(const struct hc_reg *reg, bool reset)
{
    return !reg || (!reg->multiplier && !(reset && !strcmp(reg->name, "WDTCTL")));
}

struct restoring {
    struct hc_replay *r;
    const struct hc_checkpoint *b;
};

static void restore_peripheral(void *owner, uint32_t address, int size)
{
    const struct restoring *s = owner;
    if (is_restored(hc_regs_at(s->r->regs, address), s->b->reset))
        hc_regfile_restore(hc_peripherals_file(s->r->peripherals), address, peripheral(s->b, address), size);
}

static void restore_cpu(struct hc_replay *r, const struct hc_checkpoint *b)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++)
        if (i == HC_SP || i >= r->cpu->first_general)
            hc_set_register(r->machine, i, b->reg[i]);
    hc_set_register(r->machine, HC_PC, r->border.resume); /* the recorder is still at work */
}

void hc_checkpoint_restore(struct hc_replay *r, const struct hc_checkpoint *b)
{
    struct restoring s = { r, b };
    if (b->has_peripherals)
        each_peripheral(r, restore_peripheral, &s);
    restore_dma(r, b);
    for (size_t i = 0; i < b->ranges; i++)
        for (uint32_t a = b->range[i].start; a < b->range[i].end; a++)
            hc_poke(r->machine, a, b->memory[a]);
    if (!b->reset)
        restore_cpu(r, b);
}

/* ---- comparing ---- */

static bool is_byte(struct hc_replay *r, const struct hc_checkpoint *b, uint32_t address)
{
    uint16_t sp = b->reg[HC_SP];
    if (address >= r->border.link.free.start && address < r->border.link.free.end && address < sp)
        return true;
    uint8_t dead = address == sp ? 7 : address == sp + 1u;
    return ((hc_peek(r->machine, address) ^ b->memory[address]) & 0xff & ~dead) == 0 || is_dma(b, address);
}

static bool are_registers(struct hc_replay *r, const struct hc_checkpoint *b, struct hc_checkpoint_difference *out)
{
    for (int i = HC_SP; i < HC_REGISTERS; i++) {
        uint32_t here = hc_register(r->machine, i);
        if ((i != HC_SP && i < r->cpu->first_general) || here == b->reg[i])
            continue;
        *out = (struct hc_checkpoint_difference){ .reg = i, .here = (uint16_t)here, .there = b->reg[i] };
        return false;
    }
    return true;
}

bool hc_checkpoint_is_state(struct hc_replay *r, const struct hc_checkpoint *b, struct hc_checkpoint_difference *out)
{
    if (!are_registers(r, b, out))
        return false;
    for (size_t i = 0; i < b->ranges; i++)
        for (uint32_t a = b->range[i].start; a < b->range[i].end; a++) {
            if (is_byte(r, b, a))
                continue;
            a &= ~1u;
            *out = (struct hc_checkpoint_difference){ -1, a, hc_peek16(r->machine, a), word(b->memory + a) };
            return false;
        }
    return true;
}

void hc_checkpoint_adopt(struct hc_replay *r, const struct hc_checkpoint *b)
{
    for (size_t i = 0; i < b->ranges && b->dmas; i++)
        for (uint32_t a = b->range[i].start; a < b->range[i].end; a++)
            if (is_dma(b, a))
                hc_poke(r->machine, a, b->memory[a]);
}
