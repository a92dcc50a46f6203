/* What a recorder would see of uninstrumented firmware, from its machine code. */
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- registers of the F1611 that the program does not determine ---- */

struct source {
    uint16_t first, last, step;
    enum hc_site_class class;
    uint16_t mask;
};

static const struct source sources[] = {
    { 0x002, 0x003, 1, HC_SITE_STATE, 0xff },    /* IFG1, IFG2 */
    { 0x020, 0x020, 1, HC_SITE_STATE, 0xff },    /* P1IN */
    { 0x023, 0x023, 1, HC_SITE_STATE, 0xff },    /* P1IFG */
    { 0x028, 0x028, 1, HC_SITE_STATE, 0xff },    /* P2IN */
    { 0x02b, 0x02b, 1, HC_SITE_STATE, 0xff },    /* P2IFG */
    { 0x018, 0x01c, 4, HC_SITE_STATE, 0xff },    /* P3IN, P4IN */
    { 0x030, 0x034, 4, HC_SITE_STATE, 0xff },    /* P5IN, P6IN */
    { 0x071, 0x079, 8, HC_SITE_STATE, 0x01 },    /* UxTCTL: TXEPT */
    { 0x072, 0x07a, 8, HC_SITE_STATE, 0xff },    /* UxRCTL */
    { 0x076, 0x07e, 8, HC_SITE_DATA, 0xff },     /* UxRXBUF */
    { 0x11e, 0x12e, 16, HC_SITE_VECTOR, 0x1e },  /* TBIV, TAIV */
    { 0x12c, 0x12c, 2, HC_SITE_STATE, 0xff },    /* FCTL3 */
    { 0x140, 0x15e, 2, HC_SITE_DATA, 0xfff },    /* ADC12MEM */
    { 0x160, 0x180, 0x20, HC_SITE_STATE, 0x01 }, /* TACTL, TBCTL: IFG */
    { 0x162, 0x166, 2, HC_SITE_STATE, 0x40b },   /* TACCTL: SCCI, CCI, COV, CCIFG */
    { 0x182, 0x18e, 2, HC_SITE_STATE, 0x40b },   /* TBCCTL */
    { 0x170, 0x176, 2, HC_SITE_TIMER, 0xffff },  /* TAR, captures */
    { 0x190, 0x19e, 2, HC_SITE_TIMER, 0xffff },  /* TBR, captures */
    { 0x1a2, 0x1a2, 2, HC_SITE_STATE, 0x01 },    /* ADC12CTL1: busy */
    { 0x1a4, 0x1a4, 2, HC_SITE_STATE, 0xffff },  /* ADC12IFG */
    { 0x1a8, 0x1a8, 2, HC_SITE_VECTOR, 0x3e },   /* ADC12IV */
};

static const struct source *source_of(uint32_t address)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (address >= sources[i].first && address <= sources[i].last &&
            (address - sources[i].first) % sources[i].step == 0)
            return &sources[i];
    return NULL;
}

/* ---- what the machine code does with a read ---- */

enum use { USE_VALUE, USE_WRITTEN_BACK, USE_POLLED };

static int operand_words(uint16_t as, uint16_t reg)
{
    if (as == 1)
        return reg != 3; /* X(Rn), &X; but R3 makes a constant */
    return as == 3 && reg == 0;
}

static uint16_t constant(struct hc_machine *m, uint32_t pc, uint16_t op)
{
    static const uint16_t of_r2[] = { 0, 0, 4, 8 };
    static const uint16_t of_r3[] = { 0, 1, 2, 0xffff };
    int as = op >> 4 & 3;
    int reg = op >> 8 & 15;
    if (reg == 3)
        return of_r3[as];
    if (reg == 2 && as > 1)
        return of_r2[as];
    if (reg == 0 && as == 3)
        return hc_peek16(m, pc + 2);
    return 0xffff;
}

static uint32_t length_of(uint16_t op)
{
    if ((op & 0xe000) == 0x2000)
        return 2;
    int as = op >> 4 & 3;
    int reg = op >> 8 & 15;
    if (op < 0x2000)
        return 2 + 2 * (uint32_t)operand_words(as, op & 15);
    return 2 + 2 * (uint32_t)operand_words(as, reg) + 2 * (op >> 7 & 1);
}

/* The mask that is put upon register REG in the next two instructions from PC. */
static uint16_t mask_after(struct hc_machine *m, uint32_t pc, int reg)
{
    for (int i = 0; i < 2; i++) {
        uint16_t op = hc_peek16(m, pc);
        int kind = op >> 12;
        if ((kind == 0xb || kind == 0xf) && (op & 15) == reg && !(op & 0x80))
            return constant(m, pc, op);
        pc += length_of(op);
    }
    return 0xffff;
}

static bool jumps_back(struct hc_machine *m, uint32_t pc, uint32_t to)
{
    for (int i = 0; i < 3; i++) {
        uint16_t op = hc_peek16(m, pc);
        if ((op & 0xe000) == 0x2000) {
            uint32_t target = (pc + 2 + (uint32_t)((int16_t)((uint16_t)(op << 6)) >> 6) * 2) & 0xffff;
            return target <= to && target + 4 >= to;
        }
        pc += length_of(op);
    }
    return false;
}

static enum use use_of(struct hc_machine *m, uint32_t pc, const struct source *s, uint16_t *mask)
{
    uint16_t op = hc_peek16(m, pc);
    int kind = op >> 12;
    uint32_t next = pc + length_of(op);
    bool as_destination = op >= 0x4000 && (op & 0x80) && operand_words(op >> 4 & 3, op >> 8 & 15) == 0;
    *mask = s->mask;
    if (as_destination) {
        if (kind != 0xb && kind != 9)
            return USE_WRITTEN_BACK;
        if (kind == 0xb)
            *mask &= constant(m, pc, op);
    } else if (kind == 4 && !(op & 0x80)) {
        *mask &= mask_after(m, next, op & 15);
    }
    if (s->class == HC_SITE_STATE && jumps_back(m, next, pc))
        return USE_POLLED;
    return USE_VALUE;
}

/* ---- capturing ---- */

struct place {
    uint32_t pc; /* of the read: what is known of it is found once */
    enum use use;
    int site;
};

static int find_site(struct capture *c, uint32_t pc, const struct source *s, const struct hc_access *access,
                     uint16_t mask)
{
    struct hc_line line = { "?", 0, pc };
    hc_image_line_at(c->image, pc, &line);
    struct event_site site = { .site.place = (uint16_t)(access->address | (uint32_t)s->class << 12 |
                                                        (access->size == 2 ? 1u << 14 : 0)),
                               .site.mask = mask };
    snprintf(site.where, sizeof site.where, "%.40s:%d",
             strrchr(line.file, '/') ? strrchr(line.file, '/') + 1 : line.file, line.line);
    int i = 0;
    while (i < c->sites && (c->site[i].site.place != site.site.place || strcmp(c->site[i].where, site.where) != 0))
        i++;
    if (i == EVENT_SITES)
        abort();
    if (i == c->sites)
        c->site[c->sites++] = site;
    c->site[i].site.mask |= mask;
    return i;
}

static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? *room * 2 : 4096;
    array = realloc(array, *room * size);
    if (!array)
        abort();
    return array;
}

static void put_byte(struct bytes *b, uint8_t byte)
{
    b->at = grow(b->at, b->size, &b->room, 1);
    b->at[b->size++] = byte;
}

static void put_word(struct bytes *b, uint16_t word)
{
    put_byte(b, (uint8_t)word);
    put_byte(b, (uint8_t)(word >> 8));
}

static void put(struct capture *c, const struct event *e)
{
    c->event = grow(c->event, c->events, &c->event_room, sizeof *e);
    c->event[c->events++] = *e;
    c->count_ordered = 0;
}

static int timer_of(uint32_t address)
{
    return address >= 0x190 || address == 0x11e;
}

/* What the next read of a timer is predicted from, after an IV register gave VALUE. */
static void rebase(struct capture *c, int timer, uint16_t value)
{
    uint32_t overflow = timer ? 14 : 10;
    uint32_t control = (timer ? 0x182u : 0x162u) + value;
    c->has_base[timer] = value == overflow || (value && !(hc_peek16(c->machine, control) & 0x100));
    c->base[timer] = value == overflow ? 0 : hc_peek16(c->machine, control + 0x10);
}

static void record_read(struct capture *c, const struct place *place, const struct hc_access *access)
{
    const struct hc_site *site = &c->site[place->site].site;
    struct event e = { .kind = HC_EVENT_READ, .site = (uint16_t)place->site, .value = access->value & site->mask };
    int class = HC_SITE_CLASS(site);
    if (class == HC_SITE_VECTOR && access->address != 0x1a8)
        rebase(c, timer_of(access->address), e.value);
    if (class == HC_SITE_TIMER) {
        int timer = timer_of(access->address);
        e.has_base = c->has_base[timer];
        e.base = c->base[timer];
        c->has_base[timer] = false;
    }
    put(c, &e);
    c->count_paper++;
    c->bits_masked += (unsigned)__builtin_popcount(site->mask);
}

static enum hc_action on_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct capture *c = owner;
    c->bits_all += access->size * 8u;
    const struct source *s = source_of(access->address);
    if (!s || access->pc > 0xffff)
        return HC_CONTINUE;
    struct place *place = &c->place[access->pc / 2];
    if (!place->pc) {
        uint16_t mask;
        place->pc = access->pc;
        place->use = use_of(m, access->pc, s, &mask);
        place->site = place->use == USE_VALUE ? find_site(c, access->pc, s, access, mask) : -1;
    }
    c->bits_undetermined += access->size * 8u;
    put_byte(&c->raw, (uint8_t)access->value);
    if (access->size == 2)
        put_byte(&c->raw, (uint8_t)(access->value >> 8));
    c->polling = place->use == USE_POLLED;
    if (place->use == USE_POLLED)
        return HC_CONTINUE;
    c->bits_without_polling += access->size * 8u;
    if (place->use == USE_VALUE)
        record_read(c, place, access);
    return HC_CONTINUE;
}

/* Control flow alone, in as few bits as need no knowledge of the program: one for each conditional jump that is not in
 * a polling loop; the target of each jump, call and return that the code does not name (returns are named: their call
 * was seen); of an interrupt its vector, in a byte of its own. Where exactly it came is not even told. */
static void flush_branches(struct capture *c)
{
    if (c->branches)
        put_byte(&c->control, c->branch);
    c->branch = c->branches = 0;
}

static void follow(struct capture *c, uint16_t op, uint32_t pc, uint32_t next)
{
    bool conditional = (op & 0xe000) == 0x2000 && (op & 0x1c00) != 0x1c00;
    bool computed = ((op & 0xff80) == 0x1280 && (op & 0x3f) != 0x30) || /* CALL, not #address */
                    (op >= 0x4000 && (op & 0x8f) == 0 && (op >> 4 & 0x3) != 3 && op != 0x4130);
    if (conditional && !c->polling) {
        c->branch = (uint8_t)(c->branch << 1 | (next != pc + 2));
        if (++c->branches == 8)
            flush_branches(c);
    } else if (computed) {
        flush_branches(c);
        put_word(&c->control, (uint16_t)next);
    }
    if (conditional)
        c->polling = false;
}

static uint32_t hash_of(struct hc_machine *m)
{
    uint32_t hash = 0;
    for (int i = 1; i < HC_REGISTERS; i++)
        hash = (hash ^ hc_register(m, i)) * 0x9e3779b1u;
    return hash;
}

static void on_interrupt(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct capture *c = owner;
    uint16_t status = hc_peek16(m, hc_register(m, HC_SP));
    struct event e = { .kind = HC_EVENT_INTERRUPT, .vector = (uint8_t)vector };
    bool asleep = status & HC_SR_CPUOFF;
    c->bits_interrupts += 36;
    if (vector == 13 || vector == 6)
        rebase(c, vector == 13, 0),
            c->has_base[vector == 13] = !(hc_peek16(m, vector == 13 ? 0x182 : 0x162) & 0x100),
                                  c->base[vector == 13] = hc_peek16(m, vector == 13 ? 0x192 : 0x172);
    if (asleep) {
        e.flags = HC_ARRIVAL_ASLEEP;
    } else {
        e.pc = (uint16_t)pc;
        e.count_ordered = c->count_ordered;
        e.count_paper = c->count_paper;
        /* A polling loop, which is a routine of the recorder's in instrumented code. */
        for (uint32_t near = pc - 6; near <= pc; near += 2)
            if (c->place[near / 2].pc && c->place[near / 2].use == USE_POLLED && !(e.flags & HC_ARRIVAL_HASHED)) {
                e.flags |= HC_ARRIVAL_HASHED;
                e.pc = (uint16_t)(0x4000 + pc - near);
                e.hash = hash_of(m);
            }
    }
    put_byte(&c->raw, (uint8_t)vector);
    put_word(&c->raw, (uint16_t)pc);
    put_word(&c->raw, (uint16_t)c->count_paper);
    flush_branches(c);
    put_byte(&c->control, (uint8_t)vector);
    put(c, &e);
    c->count_paper = 1;
}

/* The position counter: retreating jumps, and calls in place of function entries. */
static void on_retire(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct capture *c = owner;
    uint16_t op = hc_peek16(m, pc);
    uint32_t next = hc_register(m, HC_PC);
    bool counts = ((op & 0xe000) == 0x2000 && next <= pc) || (op & 0xff80) == 0x1280;
    c->count_ordered += counts;
    c->count_paper += counts;
    if ((op & 0xe000) == 0x2000 || (op & 0xff80) == 0x1280 || (op >= 0x4000 && (op & 0x8f) == 0))
        follow(c, op, pc, next);
}

void capture_begin(struct capture *c, struct hc_testbed *testbed, int node)
{
    *c = (struct capture){ .machine = hc_world_board(testbed->world, node)->machine,
                           .image = testbed->node[node].image->image,
                           .place = calloc(0x8000, sizeof *c->place) };
    if (!c->place)
        abort();
    hc_hook_access(c->machine, 0, 0x1ff, HC_WATCH_READ, on_access, c);
    hc_hook_interrupt(c->machine, on_interrupt, c);
    hc_hook_retire(c->machine, on_retire, c);
}

void capture_free(struct capture *c)
{
    free(c->event);
    free(c->raw.at);
    free(c->control.at);
    free(c->place);
}
