#include "profile.h"

#include "layout.h"

#include <stdio.h>
#include <string.h>

const char *const profile_names[PROFILE_PARTS] = {
    [PROFILE_PROGRAM] = "program", [PROFILE_COUNTER] = "counter",       [PROFILE_READ] = "read",
    [PROFILE_INTERRUPT] = "intr.", [PROFILE_UPDATE] = "update",         [PROFILE_ORDER] = "order",
    [PROFILE_ENCODE] = "encode",   [PROFILE_CLOCK] = "clock",           [PROFILE_CHECK] = "check",
    [PROFILE_PAGE] = "page",       [PROFILE_CHECKPOINT] = "checkpoint", [PROFILE_CHIP] = "chip",
};

/* Code from one label up to another, or to the end of the function FROM (to: NULL). Later rows override earlier ones.
 */
static const struct {
    enum profile_part part;
    const char *from, *to;
    bool optional;
} ranges[] = {
    { PROFILE_COUNTER, "__hc_tick", "hc_update_later", false },
    { PROFILE_UPDATE, "hc_update_later", "__hc_read", false },
    { PROFILE_READ, "__hc_read", "__hc_reset", false },
    { PROFILE_INTERRUPT, "interrupt_lost", "__hc_reset", false }, /* its beginning: see add_trampolines */
    { PROFILE_UPDATE, "to_program", "inside_lost", false },
    { PROFILE_READ, "__hc_read_via", NULL, true },
    { PROFILE_UPDATE, "kernel_idle", NULL, true }, /* of the kit's port */
    { PROFILE_UPDATE, "kernel_task_done", NULL, true },
    { PROFILE_ENCODE, "hc_codec_start", "__hc_take", false },
    { PROFILE_ENCODE, "__hc_take", "begin_sudden", false },
    { PROFILE_ENCODE, "begin_sudden", NULL, false },
    { PROFILE_ORDER, "__hc_record_update", "__hc_page_full", false },
    { PROFILE_PAGE, "__hc_page_full", "hand_out", false },
    { PROFILE_ORDER, "hand_out", "look_at_clock", false },
    { PROFILE_CLOCK, "look_at_clock", "__hc_next_piece", false },
    { PROFILE_CHECKPOINT, "__hc_next_piece", "__hc_record_reset", false },
    { PROFILE_CHECKPOINT, "hc_checkpoint_begin", NULL, false },
    { PROFILE_CHECK, "hc_selfcheck", NULL, false },
};

static void fill(struct profile *p, uint32_t from, uint32_t to, enum profile_part part)
{
    for (uint32_t pc = from; pc < to; pc += 2)
        p->part[pc / 2] = (uint8_t)part;
}

static int add_range(struct profile *p, const struct hc_image *image, size_t i, const char **missing)
{
    struct hc_symbol from, to;
    *missing = ranges[i].from;
    if (!hc_image_symbol(image, ranges[i].from, &from))
        return ranges[i].optional ? 0 : -1;
    if (!ranges[i].to) {
        to = from;
        to.address += from.size;
    } else if (!hc_image_symbol(image, ranges[i].to, &to)) {
        *missing = ranges[i].to;
        return -1;
    }
    fill(p, from.address, to.address, ranges[i].part);
    return 0;
}

/* All of the border between the first of them and what interrupts end with. */
static void add_trampolines(struct profile *p, const struct hc_image *image)
{
    struct hc_symbol s, lost;
    uint32_t first = 0x10000;
    char name[40];
    for (int n = 0; n < 64; n++) {
        snprintf(name, sizeof name, "__hc_trampoline_%d", n);
        if (!hc_image_symbol(image, name, &s))
            continue;
        p->trampoline[s.address / 2] = 1;
        first = s.address < first ? s.address : first;
    }
    if (hc_image_symbol(image, "interrupt_lost", &lost))
        fill(p, first, lost.address, PROFILE_INTERRUPT);
}

/* What the cut of an update jumps to (BR #ADDRESS), up to the end of the border. */
static void fill_update(struct profile *p, struct hc_machine *m, const struct hc_image *image)
{
    struct hc_symbol reset;
    if (hc_image_symbol(image, "__hc_reset", &reset))
        fill(p, hc_peek16(m, p->update + 2), reset.address, PROFILE_UPDATE);
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct profile *p = owner;
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    enum profile_part part = p->part[pc / 2 & 0x7fff];
    if (part == PROFILE_PROGRAM && hc_peek16(m, p->state) == HC_RUNNING)
        part = PROFILE_CHIP;
    p->cycles[part] += s.cycles - p->last;
    p->last = s.cycles;
    p->reads += pc == p->read || pc == p->via;
    p->updates += pc == p->update;
    p->interrupts += p->trampoline[pc / 2 & 0x7fff];
}

int profile_begin(struct profile *p, struct hc_machine *m, const struct hc_image *image, const char **missing)
{
    struct hc_symbol s;
    struct hc_statistics now;
    *p = (struct profile){ .via = UINT32_MAX };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (add_range(p, image, i, missing) != 0)
            return -1;
    add_trampolines(p, image);
    *missing = "__hc_ram";
    if (!hc_image_symbol(image, "__hc_ram", &s))
        return -1;
    p->state = s.address + HC_RAM_STATE;
    if (hc_image_symbol(image, "__hc_cut_read", &s))
        p->read = s.address;
    if (hc_image_symbol(image, "__hc_cut_read_via", &s))
        p->via = s.address;
    if (hc_image_symbol(image, "__hc_cut_update", &s)) {
        p->update = s.address;
        fill_update(p, m, image);
    }
    hc_machine_statistics(m, &now);
    p->last = now.cycles;
    p->hook = hc_hook_retire(m, retired, p);
    return 0;
}

void profile_end(struct profile *p, struct hc_machine *m)
{
    hc_unhook(m, p->hook);
}

uint64_t profile_recorder(const struct profile *p)
{
    uint64_t sum = 0;
    for (int i = PROFILE_COUNTER; i < PROFILE_PARTS; i++)
        sum += p->cycles[i];
    return sum;
}

uint64_t profile_events(const struct profile *p)
{
    return p->reads + p->interrupts;
}
