/* The register file in place of a part's peripherals. What software alone changes reads back; loads of the rest are the
 * recorder's business and come here only from poll routines, from instructions that change a register in place, and
 * from code that masks the rest away, or should not be there. */
#include "internal.h"

#include "instrument/map.h"
#include "machine/board/msp430f1611.h"
#include "machine/cpu_msp430_inspect.h"
#include "machine/device.h"
#include "machine/device/mpy32.h"
#include "machine/device/multiplier.h"

#include <stdlib.h>
#include <string.h>

struct hc_peripherals {
    struct hc_device base;
    struct hc_replay *replay;
    struct hc_regfile *file;
    struct {
        char none;
    } s;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The user has said of the read at PC that its value is the same in every run. */
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

/* Reads that were proved needless leave nothing of unknown bits: they mask them at once, or are changes in place. Any
 * other load of such a bit was neither recorded nor looked at: a pointer that is not volatile, assembly, a library. */
static void note_raw_load(struct hc_peripherals *p, uint32_t address, int size)
{
    struct hc_replay *r = p->replay;
    uint32_t pc = hc_current_pc(r->machine);
    uint32_t all = size == 1 ? 0xff : 0xffff;
    uint32_t unknown = all & ~hc_regfile_known(p->file, address, size);
    if (!unknown)
        return;
    if (hc_msp430_modifies(r->machine, pc, address)) {
        r->s.modified_at = hc_replay_instruction(r);
        return;
    }
    unknown &= hc_msp430_used(r->machine, pc, address);
    if (!unknown || is_annotated(r, pc))
        return;
    r->s.unrecorded_pc = pc;
    r->s.unrecorded_address = address;
    if (unknown == all)
        hc_fault(r->machine, "load of register 0x%04x, of which nothing was recorded", (unsigned)address);
    else
        hc_fault(r->machine, "load of register 0x%04x, of which bits 0x%04x were not recorded", (unsigned)address,
                 (unsigned)unknown);
}

static uint16_t load(struct hc_device *d, uint32_t address, int size)
{
    struct hc_peripherals *p = (struct hc_peripherals *)d;
    const struct hc_border_poll *poll = hc_border_poll_at(&p->replay->border, hc_current_pc(d->machine));
    if (poll)
        return hc_answer_poll(p->replay, poll);
    note_raw_load(p, address, size);
    return (uint16_t)hc_regfile_read(p->file, address, size);
}

static void store(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct hc_peripherals *p = (struct hc_peripherals *)d;
    hc_regfile_write(p->file, address, value, size);
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
        abort(); /* as any allocation that a snapshot's devices need */
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
    if (mpy && mpy->multiplier && r->regs->msp430x)
        hc_mpy32_new(r->machine, NULL);
    else if (mpy && mpy->multiplier)
        hc_multiplier_new(r->machine, NULL);
    return p;
}

struct hc_regfile *hc_peripherals_file(struct hc_peripherals *p)
{
    return p->file;
}

void hc_peripherals_reset(struct hc_peripherals *p)
{
    hc_regfile_reset(p->file, true);
}
