/* Flash memory of the F1xx family in replay: what a program writes to it is there. The CPU stands still while it is
 * written by code in flash, so that when it happens is of no account. FRAM needs no such help.
 *
 * What was in the information memory before is in the log if the link step saw that the program uses it. Otherwise
 * loads from there are remembered, for the day that something differs, unless the ELF has contents for it. A replay
 * that begins anew (a reset of the machine) finds the flash as it was installed. */
#include "flash.h"

#include "machine/device.h"

#include <stdlib.h>

enum { FCTL1 = 0x128, FCTL3 = 0x12c, ERASE = 2, MERAS = 4, WRT = 0x40, LOCK = 0x10, KEY = 0xa5 };
enum { MAIN_SEGMENT = 512, INFORMATION_SEGMENT = 128, PAGE = 256 };

struct flash {
    struct hc_device base;
    struct hc_replay *replay;
    const struct hc_region *main, *information;
    uint8_t *installed; /* main, then information memory, before the first write of the program; NULL: there was none */
    struct {
        char none;
    } s;
};

static bool is_in(const struct hc_region *region, uint32_t address)
{
    return address >= region->start && address <= region->end;
}

static void erase(struct flash *f, uint32_t start, uint32_t end)
{
    for (uint32_t a = start; a <= end; a++)
        hc_memory_set(f->base.machine, a, 0xff);
}

static void erase_segment(struct flash *f, uint32_t address)
{
    uint32_t size = is_in(f->information, address) ? INFORMATION_SEGMENT : MAIN_SEGMENT;
    erase(f, address / size * size, address / size * size + size - 1);
}

/* Copies the flash to KEPT, or back. */
static void copy(struct flash *f, uint8_t *kept, bool back)
{
    const struct hc_region *regions[] = { f->main, f->information };
    for (int i = 0; i < 2; i++)
        for (uint32_t a = regions[i]->start; a <= regions[i]->end; a++, kept++) {
            if (back)
                hc_memory_set(f->base.machine, a, *kept);
            else
                *kept = hc_memory_get(f->base.machine, a);
        }
}

static void keep_installed(struct flash *f)
{
    size_t size = f->main->end - f->main->start + f->information->end - f->information->start + 2;
    if (f->installed)
        return;
    f->installed = malloc(size);
    if (!f->installed)
        abort(); /* as any device that cannot be built */
    copy(f, f->installed, false);
}

static void reset(struct hc_device *d, enum hc_reset kind)
{
    struct flash *f = (struct flash *)d;
    if (kind == HC_POR && f->installed)
        copy(f, f->installed, true);
}

static void destroy(struct hc_device *d)
{
    free(((struct flash *)d)->installed);
}

static void store(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    struct flash *f = (struct flash *)d;
    uint8_t what = f->replay->s.flash_locked ? 0 : f->replay->s.flash_mode;
    keep_installed(f);
    if (what == ERASE)
        erase_segment(f, address);
    if (what & MERAS)
        erase(f, f->main->start, f->main->end);
    if (what == (MERAS | ERASE))
        erase(f, f->information->start, f->information->end);
    for (int i = 0; i < size && what == WRT; i++) {
        uint8_t now = hc_memory_get(d->machine, address + (uint32_t)i);
        hc_memory_set(d->machine, address + (uint32_t)i, now & (uint8_t)(value >> 8 * i));
    }
    f->replay->s.flash_mode &= WRT; /* the others clear themselves */
}

void hc_replay_flash_control(struct hc_replay *r, uint32_t address, uint16_t value)
{
    if (value >> 8 != KEY)
        return;
    if (address == FCTL1)
        r->s.flash_mode = value & (ERASE | MERAS | WRT);
    else if (address == FCTL3)
        r->s.flash_locked = value & LOCK;
}

static uint16_t load(struct hc_device *d, uint32_t address, int size)
{
    struct flash *f = (struct flash *)d;
    f->replay->s.unrecorded_pc = hc_current_pc(d->machine);
    f->replay->s.unrecorded_address = address;
    uint16_t low = hc_memory_get(d->machine, address);
    return size == 1 ? low : (uint16_t)(low | hc_memory_get(d->machine, address + 1) << 8);
}

/* ---- memory of which nobody knows what was in it ---- */

static bool in_image(const struct hc_image *image, uint32_t start, uint32_t end)
{
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(image, &segment);
    for (size_t i = 0; i < n; i++)
        if (segment[i].address <= end && segment[i].address + segment[i].size > start)
            return true;
    return false;
}

static bool in_log(const struct hc_border *border, uint32_t start, uint32_t end)
{
    for (int i = 0; i < HC_PIECES; i++)
        if (border->link.piece[i].start <= end && border->link.piece[i].end > start)
            return true;
    return false;
}

/* Pages of REGION whose contents neither the ELF nor the log has. */
static void guard_unknown(struct flash *f, const struct hc_region *region, int watch)
{
    const struct hc_replay *r = f->replay;
    for (uint32_t start = region->start; start <= region->end; start += PAGE)
        if (!in_image(r->image, start, start + PAGE - 1) && !in_log(&r->border, start, start + PAGE - 1))
            hc_device_guard(&f->base, start, start + PAGE - 1, watch);
}

static const struct hc_device_ops ops = {
    .name = "flash",
    .help = "memory that the program may write",
    .read = load,
    .write = store,
    .reset = reset,
    .destroy = destroy,
};

void hc_replay_add_flash(struct hc_replay *r)
{
    struct flash *f = HC_DEVICE_NEW(r->machine, &ops, "flash", struct flash);
    f->replay = r;
    for (const struct hc_region *region = hc_machine_part(r->machine)->regions; region->name; region++) {
        if (region->kind == HC_FRAM)
            guard_unknown(f, region, HC_WATCH_READ);
        if (region->kind != HC_FLASH)
            continue;
        bool is_information = region->end - region->start < PAGE;
        *(is_information ? &f->information : &f->main) = region;
        hc_device_guard(&f->base, region->start, region->end, HC_WATCH_WRITE);
        if (is_information)
            guard_unknown(f, region, HC_WATCH_READ | HC_WATCH_WRITE);
    }
}
