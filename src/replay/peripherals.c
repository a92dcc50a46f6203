/* The register file in place of a part's peripherals. What software alone changes reads back; loads of the rest are the
 * recorder's business and come here only from poll routines, from instructions that change a register in place, and
 * from code that masks the rest away, or should not be there.
 *
 * A register that DMA writes has what nobody recorded, even where software alone changes it otherwise. Such registers
 * are marked when a channel is enabled, and a load of one stops the replay. */
#include "peripherals.h"

#include "checkpoint.h"
#include "events.h"
#include "flash.h"
#include "machine/device.h"
#include "recorded/map.h"

#include <stdlib.h>
#include <string.h>

/* DMAxCTL, as in SLAU049. */
enum { DMA_DESTINATION_BYTE = 0x0080, DMA_DESTINATION = 0x0c00, DMA_DOWN = 0x0800, DMA_UP = 0x0c00 };

enum { REGISTERS_MAX = 0x1000 /* bytes of registers, of any part */ };

struct hc_peripherals {
    struct hc_device base;
    struct hc_replay *replay;
    struct hc_regfile *file;
    struct {
        uint8_t by_dma[REGISTERS_MAX / 8]; /* a bit for each byte that DMA may have written */
        bool any_by_dma;                   /* one of them was set at some time */
        uint8_t channels_on;
    } s;
};

/* ---- DMA into registers ---- */

static bool is_by_dma(const struct hc_peripherals *p, uint32_t address, int size)
{
    for (uint32_t a = address; p->s.any_by_dma && a < address + (uint32_t)size && a < REGISTERS_MAX; a++)
        if (p->s.by_dma[a / 8] >> a % 8 & 1)
            return true;
    return false;
}

static void mark_by_dma(struct hc_peripherals *p, uint32_t address)
{
    const struct hc_reg *reg = hc_regs_at(p->replay->regs, address);

    if (address >= p->replay->regs->peripherals_end || address >= REGISTERS_MAX)
        return;
    p->s.by_dma[address / 8] |= (uint8_t)(1u << address % 8);
    p->s.any_by_dma = true;
    if (reg && reg->multiplier)
        hc_fault(p->replay->machine, "DMA into the multiplier (0x%04x), " HC_NOT_REPLAYED, (unsigned)address);
}

static void enable_channel(struct hc_peripherals *p, const struct hc_regs_dma *dma)
{
    uint32_t control = hc_regfile_peek(p->file, dma->control, 2);
    uint32_t to = hc_regfile_peek(p->file, dma->destination, 2), unit = control & DMA_DESTINATION_BYTE ? 1 : 2;
    uint32_t direction = control & DMA_DESTINATION;
    uint32_t units = direction >= DMA_DOWN ? hc_regfile_peek(p->file, dma->size, 2) : 1;

    to &= ~(unit - 1);
    for (uint32_t i = 0; i < units; i++)
        for (uint32_t k = 0; k < unit; k++)
            mark_by_dma(p, (direction == DMA_DOWN ? to - i * unit : to + i * unit) + k);
}

/* A register that software writes is known again, unless an active channel may write it. */
static void forget_dma(struct hc_peripherals *p, uint32_t address, int size)
{
    for (uint32_t a = address; !p->s.channels_on && a < address + (uint32_t)size && a < REGISTERS_MAX; a++)
        p->s.by_dma[a / 8] &= (uint8_t)~(1u << a % 8);
}

/* Whether a store to ADDRESS can change what is known of DMA: it reaches a channel's control register, or one that DMA
 * may have written. */
static bool concerns_dma(const struct hc_peripherals *p, uint32_t address)
{
    const struct hc_regs *regs = p->replay->regs;
    bool concerns = p->s.any_by_dma;

    for (int i = 0; i < regs->dmas && !concerns; i++)
        concerns = address == regs->dma[i].control;
    return concerns;
}

/* A channel goes off by itself, but here only a store by software turns it off. An instruction that changes a register
 * in place tells nothing about bits that hardware changes. */
static void follow_dma(struct hc_peripherals *p, uint32_t address, uint16_t value, int size)
{
    const struct hc_regs *regs = p->replay->regs;
    bool in_place = p->replay->cpu->modifies(p->replay->machine, hc_current_pc(p->replay->machine), address);

    if (!in_place)
        forget_dma(p, address, size);
    for (int i = 0; i < regs->dmas; i++) {
        if (address != regs->dma[i].control)
            continue;
        if (!in_place)
            p->s.channels_on &= (uint8_t)~(1u << i);
        if (value & regs->dma[i].enable) {
            p->s.channels_on |= (uint8_t)(1u << i);
            enable_channel(p, &regs->dma[i]);
        }
    }
}

/* Whether the channel writes to ADDRESS. Its size register counts down, so the size that the program set is used, if it
 * is known. */
static bool writes_to(const struct hc_peripherals *p, int channel, uint32_t address)
{
    const struct hc_regs_dma *dma = &p->replay->regs->dma[channel];
    uint32_t control = hc_regfile_peek(p->file, dma->control, 2), direction = control & DMA_DESTINATION;
    uint32_t unit = control & DMA_DESTINATION_BYTE ? 1 : 2, size = p->replay->s.dma_size[channel];
    uint32_t to = hc_regfile_peek(p->file, dma->destination, 2) & ~(unit - 1);
    uint32_t bytes = unit * (direction < DMA_DOWN ? 1 : size ? size : REGISTERS_MAX);

    return direction == DMA_DOWN ? address < to + unit && address + bytes >= to + unit
                                 : address >= to && address < to + bytes;
}

bool hc_peripherals_dma_may_write(const struct hc_peripherals *p, uint32_t address)
{
    for (int i = 0; i < p->replay->regs->dmas; i++)
        if (p->s.channels_on >> i & 1 && writes_to(p, i, address))
            return true;
    return false;
}

/* ---- loads and stores ---- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the user annotated the read at PC: its value is the same in every run. */
static bool is_annotated(const struct hc_replay *r, uint32_t pc)
{
    struct hc_line line;
    if (!r->map || !hc_image_line_at(r->image, pc, &line))
        return false;
    for (size_t i = 0; i < r->map->skips; i++)
        if (strcmp(r->map->skip[i].reason, "annotated") == 0 && r->map->skip[i].line == line.line &&
            strcmp(last_part(r->map->skip[i].file), last_part(line.file)) == 0)
            return true;
    return false;
}

/* A read that was proved unnecessary does not use unknown bits: it masks them at once, or changes the register in
 * place. Any other load of such a bit was not instrumented: a pointer that is not volatile, assembly, a library. */
static void note_raw_load(struct hc_peripherals *p, uint32_t address, int size)
{
    struct hc_replay *r = p->replay;
    uint32_t pc = hc_current_pc(r->machine);
    uint32_t all = size == 1 ? 0xff : 0xffff;
    uint32_t unknown = is_by_dma(p, address, size) ? all : all & ~hc_regfile_known(p->file, address, size);
    if (!unknown)
        return;
    if (r->cpu->modifies(r->machine, pc, address)) {
        r->s.modified_at = hc_replay_instruction(r);
        return;
    }
    bool by_dma = is_by_dma(p, address, size);
    unknown &= r->cpu->used(r->machine, pc, address);
    if (!unknown || (!by_dma && is_annotated(r, pc)))
        return;
    r->s.unrecorded_pc = pc;
    r->s.unrecorded_address = address;
    if (by_dma)
        hc_fault(r->machine, "load of register 0x%04x, which DMA may have written without a record", (unsigned)address);
    else if (unknown == all)
        hc_fault(r->machine, "load of register 0x%04x, which was not recorded", (unsigned)address);
    else
        hc_fault(r->machine, "load of register 0x%04x, of which bits 0x%04x were not recorded", (unsigned)address,
                 (unsigned)unknown);
}

static uint16_t load(struct hc_device *d, uint32_t address, int size)
{
    struct hc_peripherals *p = (struct hc_peripherals *)d;
    const struct hc_border_poll *poll = hc_border_poll_at(&p->replay->border, hc_current_pc(d->machine));
    if (poll)
        return hc_events_poll(p->replay, poll);
    note_raw_load(p, address, size);
    return (uint16_t)hc_regfile_read(p->file, address, size);
}

static void store(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_peripherals *p = (struct hc_peripherals *)d;
    hc_regfile_write(p->file, address, value, size);
    if (concerns_dma(p, address))
        follow_dma(p, address, value, size);
    hc_replay_flash_control(p->replay, address, value);
    hc_replay_dma_control(p->replay, address, value);
}

static uint16_t peek(struct hc_device *d, uint32_t address, int size)
{
    return (uint16_t)hc_regfile_peek(((struct hc_peripherals *)d)->file, address, size);
}

static void *save(struct hc_device *d)
{
    size_t size;
    const uint8_t *bytes = hc_regfile_bytes(((struct hc_peripherals *)d)->file, &size);
    void *copy = malloc(size);
    if (!copy)
        abort(); /* like any allocation of a device for a snapshot */
    return memcpy(copy, bytes, size);
}

static void restore(struct hc_device *d, void *saved)
{
    size_t size;
    uint8_t *bytes = hc_regfile_bytes(((struct hc_peripherals *)d)->file, &size);
    memcpy(bytes, saved, size);
}

static void destroy(struct hc_device *d)
{
    hc_regfile_free(((struct hc_peripherals *)d)->file);
}

static const struct hc_device_ops ops = {
    .name = "registers",
    .help = "what only software changes",
    .read = load,
    .write = store,
    .peek = peek,
    .save = save,
    .load = restore,
    .drop = free,
    .destroy = destroy,
};

struct hc_peripherals *hc_peripherals_new(struct hc_replay *r)
{
    struct hc_peripherals *p = HC_DEVICE_NEW(r->machine, &ops, "registers", struct hc_peripherals);
    p->replay = r;
    p->file = hc_regfile_new(r->regs);
    if (!p->file)
        abort(); /* as any device that cannot be built */
    hc_device_claim(&p->base, 0, r->regs->peripherals_end - 1);
    const struct hc_reg *mpy = hc_regs_named(r->regs, "MPY");
    if (mpy && mpy->multiplier)
        r->part->add_multiplier(r->machine);
    return p;
}

struct hc_regfile *hc_peripherals_file(struct hc_peripherals *p)
{
    return p->file;
}

void hc_peripherals_reset(struct hc_peripherals *p)
{
    hc_regfile_reset(p->file, true);
    memset(&p->s, 0, sizeof p->s);
}

void hc_peripherals_enable_dma(struct hc_peripherals *p, uint8_t channels)
{
    p->s.channels_on = channels;
    for (int i = 0; i < p->replay->regs->dmas; i++)
        if (channels >> i & 1)
            enable_channel(p, &p->replay->regs->dma[i]);
}
