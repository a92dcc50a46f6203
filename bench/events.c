/* bench-events: what a recorder would see of uninstrumented firmware.
 *
 *   events IMAGE NODES NODE SECONDS OUT
 *
 * Runs IMAGE on NODES nodes (a grid as in scenarios/grid.txt) and writes the events of one of them: reads of registers
 * that the program does not determine, by place in the source, and interrupts. What the instrumenter proves away is
 * told from the machine code: masks, polling loops and read-modify-writes. Prints what is left of the raw reads after
 * each of these steps, as Table 1 of the TARDIS paper does. OUT is read by bench-codec. */
#include "events.h"
#include "field/testbed.h"

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

/* ---- recording ---- */

struct place {
    uint32_t pc; /* of the read: what is known of it is found once */
    enum use use;
    int site;
};

struct recorder {
    struct hc_machine *machine;
    struct hc_image *image;
    FILE *out;
    struct place *place; /* by pc / 2 */
    struct event_site site[EVENT_SITES];
    int sites;
    uint32_t count_ordered, count_paper;
    uint32_t last_pc;
    uint16_t last_op;
    bool has_base[2];
    uint16_t base[2];
    uint64_t bits_all, bits_undetermined, bits_without_polling, bits_masked, bits_interrupts;
};

static int find_site(struct recorder *r, uint32_t pc, const struct source *s, const struct hc_access *access,
                     uint16_t mask)
{
    struct hc_line line = { "?", 0, pc };
    hc_image_line_at(r->image, pc, &line);
    struct event_site site = { .site.place = (uint16_t)(access->address | (uint32_t)s->class << 12 |
                                                        (access->size == 2 ? 1u << 14 : 0)),
                               .site.mask = mask };
    snprintf(site.where, sizeof site.where, "%.40s:%d",
             strrchr(line.file, '/') ? strrchr(line.file, '/') + 1 : line.file, line.line);
    int i = 0;
    while (i < r->sites && (r->site[i].site.place != site.site.place || strcmp(r->site[i].where, site.where) != 0))
        i++;
    if (i == EVENT_SITES)
        abort();
    if (i == r->sites)
        r->site[r->sites++] = site;
    r->site[i].site.mask |= mask;
    return i;
}

static void put(struct recorder *r, const struct event *e)
{
    fwrite(e, sizeof *e, 1, r->out);
    r->count_ordered = 0;
}

static int timer_of(uint32_t address)
{
    return address >= 0x190 || address == 0x11e;
}

/* What the next read of a timer is predicted from, after an IV register gave VALUE. */
static void rebase(struct recorder *r, int timer, uint16_t value)
{
    uint32_t overflow = timer ? 14 : 10;
    uint32_t control = (timer ? 0x182u : 0x162u) + value;
    r->has_base[timer] = value == overflow || (value && !(hc_peek16(r->machine, control) & 0x100));
    r->base[timer] = value == overflow ? 0 : hc_peek16(r->machine, control + 0x10);
}

static void record_read(struct recorder *r, const struct place *place, const struct hc_access *access)
{
    const struct hc_site *site = &r->site[place->site].site;
    struct event e = { .kind = HC_EVENT_READ, .site = (uint16_t)place->site, .value = access->value & site->mask };
    int class = HC_SITE_CLASS(site);
    if (class == HC_SITE_VECTOR && access->address != 0x1a8)
        rebase(r, timer_of(access->address), e.value);
    if (class == HC_SITE_TIMER) {
        int timer = timer_of(access->address);
        e.has_base = r->has_base[timer];
        e.base = r->base[timer];
        r->has_base[timer] = false;
    }
    put(r, &e);
    r->count_paper++;
    r->bits_masked += (unsigned)__builtin_popcount(site->mask);
}

static enum hc_action on_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct recorder *r = owner;
    r->bits_all += access->size * 8u;
    const struct source *s = source_of(access->address);
    if (!s || access->pc > 0xffff)
        return HC_CONTINUE;
    struct place *place = &r->place[access->pc / 2];
    if (!place->pc) {
        uint16_t mask;
        place->pc = access->pc;
        place->use = use_of(m, access->pc, s, &mask);
        place->site = place->use == USE_VALUE ? find_site(r, access->pc, s, access, mask) : -1;
    }
    r->bits_undetermined += access->size * 8u;
    if (place->use == USE_POLLED)
        return HC_CONTINUE;
    r->bits_without_polling += access->size * 8u;
    if (place->use == USE_VALUE)
        record_read(r, place, access);
    return HC_CONTINUE;
}

static uint16_t hash_of(struct hc_machine *m)
{
    uint32_t hash = 0;
    for (int i = 1; i < HC_REGISTERS; i++)
        hash = (hash ^ hc_register(m, i)) * 0x9e3779b1u;
    return (uint16_t)(hash >> 16);
}

static void on_interrupt(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct recorder *r = owner;
    uint16_t status = hc_peek16(m, hc_register(m, HC_SP));
    struct event e = { .kind = HC_EVENT_INTERRUPT, .vector = (uint8_t)vector };
    bool asleep = status & HC_SR_CPUOFF;
    r->bits_interrupts += 36;
    if (vector == 13 || vector == 6)
        rebase(r, vector == 13, 0),
            r->has_base[vector == 13] = !(hc_peek16(m, vector == 13 ? 0x182 : 0x162) & 0x100),
                                  r->base[vector == 13] = hc_peek16(m, vector == 13 ? 0x192 : 0x172);
    if (asleep) {
        e.flags = HC_ARRIVAL_ASLEEP;
    } else {
        e.pc = (uint16_t)pc;
        e.count_ordered = r->count_ordered;
        e.count_paper = r->count_paper;
        /* A polling loop, which is a routine of the recorder's in instrumented code. */
        for (uint32_t near = pc - 6; near <= pc; near += 2)
            if (r->place[near / 2].pc && r->place[near / 2].use == USE_POLLED && !(e.flags & HC_ARRIVAL_HASHED)) {
                e.flags |= HC_ARRIVAL_HASHED;
                e.pc = (uint16_t)(0x4000 + pc - near);
                e.hash = hash_of(m);
            }
    }
    put(r, &e);
    r->count_paper = 1;
}

/* The position counter: retreating jumps, and calls in place of function entries. */
static void on_retire(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct recorder *r = owner;
    bool jumped_back = (r->last_op & 0xe000) == 0x2000 && pc <= r->last_pc;
    bool called = (r->last_op & 0xff80) == 0x1280;
    r->count_ordered += jumped_back || called;
    r->count_paper += jumped_back || called;
    r->last_pc = pc;
    r->last_op = hc_peek16(m, pc);
}

static struct hc_testbed *build(const char *image, int nodes)
{
    struct hc_scenario *scenario;
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = 1 };
    char text[512];
    struct hc_scenario_choices choices = { .images = 1, .image = &image };
    snprintf(text, sizeof text,
             nodes > 1 ? "node 0-%d grid:3x3:1m spread 1s\nsensor all light sine 300lux amplitude 200lux period 5min\n"
                       : "node 0-%d grid:1x1:1m\nsensor all light sine 300lux amplitude 200lux period 5min\n",
             nodes - 1);
    if (hc_scenario_parse(&scenario, "bench", text, strlen(text), &choices, &message) != 0 ||
        hc_scenario_read_files(scenario, &message) != 0 ||
        hc_testbed_new(&testbed, scenario, &options, &message) != 0) {
        fprintf(stderr, "bench-events: %s\n", message.text);
        exit(3);
    }
    return testbed;
}

static void report(const struct recorder *r, const char *name, unsigned seconds)
{
    double i = (double)r->bits_interrupts;
    printf(
        "%-24s bytes/s: all reads %.1f, undetermined %.1f, no polling %.1f, used bits %.1f (interrupts of it %.1f); %d "
        "sites\n",
        name, ((double)r->bits_all + i) / 8 / seconds, ((double)r->bits_undetermined + i) / 8 / seconds,
        ((double)r->bits_without_polling + i) / 8 / seconds, ((double)r->bits_masked + i) / 8 / seconds,
        i / 8 / seconds, r->sites);
}

int main(int argc, char **argv)
{
    static struct recorder r;
    if (argc != 6) {
        fprintf(stderr, "usage: events IMAGE NODES NODE SECONDS OUT\n");
        return 2;
    }
    struct hc_testbed *testbed = build(argv[1], atoi(argv[2]));
    int node = atoi(argv[3]);
    unsigned seconds = (unsigned)atoi(argv[4]);
    r.machine = hc_world_board(testbed->world, node)->machine;
    r.image = testbed->node[node].image->image;
    r.place = calloc(0x8000, sizeof *r.place);
    r.out = fopen(argv[5], "wb+");
    if (!r.out || !r.place)
        return 3;
    fseek(r.out, (long)(sizeof(uint32_t) + sizeof r.site), SEEK_SET);
    hc_hook_access(r.machine, 0, 0x1ff, HC_WATCH_READ, on_access, &r);
    hc_hook_interrupt(r.machine, on_interrupt, &r);
    hc_hook_retire(r.machine, on_retire, &r);
    hc_world_run(testbed->world, seconds * HC_SECOND);
    uint32_t count = (uint32_t)r.sites;
    fseek(r.out, 0, SEEK_SET);
    fwrite(&count, sizeof count, 1, r.out);
    fwrite(r.site, sizeof r.site, 1, r.out);
    fclose(r.out);
    report(&r, argv[1], seconds);
    return 0;
}
