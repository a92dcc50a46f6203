#include "runtime/meter.h"

#include "../../runtime/link.h"
#include "recorded/border.h"
#include "registers/regs.h"
#include "replay/hasher.h"

#include <stdio.h>

struct hc_image *meter_load(struct hc_machine *m, const char *path, char *message, size_t size)
{
    struct hc_image *image;
    struct hc_image_message problem;
    const struct hc_image_segment *segment;
    if (hc_image_load_file(&image, path, &problem) != HC_IMAGE_OK) {
        snprintf(message, size, "%s", problem.text);
        return NULL;
    }
    size_t count = hc_image_segments(image, &segment);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segment[i].size; k++)
            hc_poke(m, segment[i].address + k, segment[i].bytes[k]);
    return image;
}

static uint64_t cycles_of(const struct hc_machine *m)
{
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    return s.cycles;
}

/* ---- between two places ---- */

static enum hc_action begins(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct meter *meter = owner;
    (void)pc;
    meter->from = cycles_of(m);
    meter->since = hc_now(m);
    meter->runs = true;
    return HC_CONTINUE;
}

static enum hc_action ends(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct meter *meter = owner;
    (void)pc;
    if (!meter->runs)
        return HC_CONTINUE;
    meter->runs = false;
    if (hc_now(m) - meter->since > meter->longest)
        meter->longest = hc_now(m) - meter->since;
    if (cycles_of(m) - meter->from > meter->most)
        meter->most = cycles_of(m) - meter->from;
    return HC_CONTINUE;
}

void meter_between(struct meter *meter, struct hc_machine *m, uint32_t from, uint32_t to)
{
    *meter = (struct meter){ 0 };
    hc_hook_pc(m, from, begins, meter);
    hc_hook_pc(m, to, ends, meter);
}

static void nothing_retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
}

void meter_exactly(struct hc_machine *m)
{
    hc_hook_retire(m, nothing_retired, NULL);
}

/* ---- the border ---- */

bool meter_border(struct meter_border *border, struct hc_machine *m, const struct hc_image *image)
{
    struct hc_symbol link, read, read_end, found;
    char name[40];
    *border = (struct meter_border){ 0 };
    if (!hc_image_symbol(image, "__hc_link", &link) || !hc_image_symbol(image, "__hc_cut_read", &read) ||
        !hc_image_symbol(image, "__hc_cut_read_end", &read_end))
        return false;
    meter_between(&border->read, m, read.address, read_end.address);
    if (hc_image_symbol(image, "__hc_cut_read_via", &found))
        meter_between(&border->via, m, found.address, read_end.address);
    for (uint32_t n = 0; n + 1 < (uint32_t)hc_machine_part(m)->vectors; n++) {
        snprintf(name, sizeof name, "__hc_trampoline_%u", n);
        if (hc_image_symbol(image, name, &found)) /* of vectors in use */
            meter_between(&border->interrupt[n], m, found.address,
                          hc_peek16(m, link.address + HC_LINK_HANDLERS + 2 * n));
    }
    return true;
}

uint64_t meter_interrupt(const struct meter_border *border)
{
    uint64_t most = 0;
    for (int n = 0; n < METER_VECTORS; n++)
        if (border->interrupt[n].most > most)
            most = border->interrupt[n].most;
    return most;
}

/* ---- time ---- */

struct watch {
    struct meter_timing *out;
    struct hc_border border;
    struct hc_hasher *hasher;
    uint32_t last_step; /* where it is made */
    uint64_t last;      /* cycles */
    uint64_t off;       /* for so long interrupts are off, in the recorder */
    bool in_last_step;
    bool in_update;
    uint64_t update;
};

static void nothing(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    (void)owner, (void)m, (void)pc, (void)hash;
}

static void count_off(struct watch *w, uint64_t cycles, uint32_t pc)
{
    uint64_t *longest = w->in_last_step ? &w->out->last_step : &w->out->off;
    w->off += cycles;
    w->in_last_step |= pc == w->last_step;
    if (w->off > *longest && !w->in_last_step)
        w->out->off_at = pc;
    if (w->off > *longest)
        *longest = w->off;
}

static void count_update(struct watch *w, uint64_t cycles, uint32_t pc)
{
    w->update += cycles;
    if (pc != w->border.update_end)
        return;
    w->in_update = false;
    if (w->update > w->out->update)
        w->out->update = w->update;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct watch *w = owner;
    uint64_t now = cycles_of(m), cycles = now - w->last;
    bool inside = hc_hasher_inside(w->hasher);
    w->last = now;
    if (pc == w->border.update) {
        w->in_update = true;
        w->update = 0;
    }
    if (inside && !(hc_register(m, HC_SR) & HC_SR_GIE))
        count_off(w, cycles, pc);
    else
        w->off = w->in_last_step = 0;
    if (w->in_update && (inside || pc == w->border.update_end))
        count_update(w, cycles, pc);
}

static enum hc_action stop(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
    return HC_STOP;
}

/* To the program's first instruction: no interrupt is enabled before. */
static int start(struct watch *w, struct hc_machine *m, const struct hc_image *image, enum hc_reset kind)
{
    struct hc_symbol first;
    if (!hc_image_symbol(image, "_start", &first))
        return -1;
    hc_machine_reset(m, kind);
    hc_time reset = hc_now(m);
    int hook = hc_hook_pc(m, first.address, stop, NULL);
    enum hc_stop why = hc_machine_run(m, reset + hc_ms(5000));
    hc_unhook(m, hook);
    if (kind == HC_POR)
        w->out->start = hc_now(m) - reset;
    w->last = cycles_of(m);
    return why == HC_STOP_HOOK ? 0 : -1;
}

static void wish(struct hc_machine *m, const struct hc_image *image, uint16_t wish)
{
    struct hc_symbol wishes;
    if (hc_image_symbol(image, "wishes", &wishes))
        hc_poke16(m, wishes.address, wish);
}

/* The log is frozen at the end of the last life. */
static int live(struct hc_machine *m, const struct hc_image *image, bool last)
{
    enum { FREEZE = 1, CHECKPOINT = 2 };
    for (int i = 0; i < 4; i++) { /* sectors are erased and begun meanwhile */
        wish(m, image, i % 2 ? CHECKPOINT : 0);
        if (hc_machine_run(m, hc_now(m) + hc_ms(4000)) != HC_STOP_TIME)
            return -1;
    }
    if (!last)
        return 0;
    wish(m, image, FREEZE);
    return hc_machine_run(m, hc_now(m) + hc_ms(3000)) == HC_STOP_TIME ? 0 : -1;
}

static uint32_t bytes_in_use(const struct hc_border *border)
{
    uint32_t sum = 0;
    for (int i = 0; i < HC_PIECES_NOINIT; i++)
        if (i != HC_PIECES_REGISTERS)
            sum += border->link.piece[i].end - border->link.piece[i].start;
    return sum;
}

static unsigned late_by(struct hc_machine *m, const struct hc_image *image)
{
    struct hc_symbol late;
    if (!hc_image_symbol(image, "late", &late))
        return 0;
    return (unsigned)(hc_peek16(m, late.address) * 1000000ull / 32768);
}

static int watch_life(struct watch *w, struct hc_machine *m, struct hc_image *image, const struct hc_regs *regs,
                      bool last)
{
    if (start(w, m, image, last ? HC_PUC : HC_POR) != 0)
        return -1;
    w->hasher = hc_hasher_new(m, &w->border, regs, nothing, NULL);
    if (!w->hasher)
        return -1;
    int hook = hc_hook_retire(m, retired, w);
    int result = live(m, image, last);
    unsigned late = late_by(m, image);
    if (late > w->out->late)
        w->out->late = late;
    hc_unhook(m, hook);
    hc_hasher_free(w->hasher);
    return result;
}

/* A life, and one after a reset that RAM survives. */
static int watch_lives(struct watch *w, struct hc_machine *m, struct hc_image *image, const struct hc_regs *regs)
{
    struct hc_symbol last_step;
    if (!hc_image_symbol(image, "last_piece", &last_step))
        return -1;
    w->last_step = last_step.address;
    if (watch_life(w, m, image, regs, false) != 0)
        return -1;
    w->off = 0;
    w->in_last_step = w->in_update = false;
    return watch_life(w, m, image, regs, true);
}

int meter_timing(struct meter_timing *out, struct hc_machine *m, struct hc_image *image, char *message, size_t size)
{
    struct hc_regs_message problem;
    struct hc_regs *regs;
    struct watch w = { .out = out };
    *out = (struct meter_timing){ 0 };
    if (hc_border_read(&w.border, image, message, size) != 0)
        return -1;
    if (hc_regs_load_part(&regs, hc_machine_part(m)->name, &problem) != 0) {
        snprintf(message, size, "%s", problem.text);
        return -1;
    }
    out->bytes = bytes_in_use(&w.border);
    int result = watch_lives(&w, m, image, regs);
    if (result != 0)
        snprintf(message, size, "%s: does not run, or is not recorded by the assembly", hc_image_name(image));
    hc_regs_free(regs);
    return result;
}
