/* A live machine as a target of the debugger. */
#include "gdb.h"
#include "machine/machine.h"
#include "points.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REGIONS_MAX = 32 };

struct machine_target {
    struct hc_gdb_target base;
    struct hc_machine *m;
    struct hc_gdb_description description;
    struct hc_gdb_register reg[HC_REGISTERS];
    uint32_t space; /* one past the last address */
    hc_time until;
    hc_time slice; /* how long to run before the debugger is asked */
    int regions;
    struct hc_gdb_region region[REGIONS_MAX];
    struct hc_gdb_points points;

    /* What the hooks have seen since the machine was resumed. */
    const struct hc_gdb_set_point *hit; /* the first */
    uint32_t hit_address;
    bool interrupt;               /* one was accepted ... */
    uint32_t interrupted_pc;      /* ... here, */
    uint32_t interrupted_sp;      /* with the stack as it was before */
    uint64_t interrupted_retired; /* instructions until then */
    bool returned;                /* from it */
    bool stepping;                /* one instruction from ... */
    uint32_t stepping_from;       /* ... here, whose breakpoint has been seen */
    bool writing;                 /* the debugger writes: nobody watches */
};

static struct machine_target *of(struct hc_gdb_target *t)
{
    return (struct machine_target *)t;
}

/* ---- registers and memory ---- */

static void describe_registers(struct machine_target *mt)
{
    const struct hc_target_cpu *cpu = hc_target_of_machine(mt->m)->cpu;

    for (int n = 0; n < HC_REGISTERS; n++)
        mt->reg[n] = (struct hc_gdb_register){ cpu->registers[n].name,
                                               cpu->registers[n].alternative,
                                               cpu->registers[n].generic,
                                               { cpu->register_bytes(mt->m), 4 } };
}

static const struct hc_gdb_description *describe(struct hc_gdb_target *t)
{
    return &of(t)->description;
}

static bool region(struct hc_gdb_target *t, int i, struct hc_gdb_region *out)
{
    if (i < 0 || i >= of(t)->regions)
        return false;
    *out = of(t)->region[i];
    return true;
}

static uint32_t read_register(struct hc_gdb_target *t, int n)
{
    return hc_register(of(t)->m, n);
}

static void write_register(struct hc_gdb_target *t, int n, uint32_t value)
{
    hc_set_register(of(t)->m, n, value);
}

static enum hc_region_kind kind_at(struct machine_target *mt, uint32_t address)
{
    return address < mt->space ? hc_region_kind(mt->m, address) : HC_VACANT;
}

static size_t read_memory(struct hc_gdb_target *t, uint32_t address, uint8_t *out, size_t n)
{
    size_t i = 0;

    for (; i < n && kind_at(of(t), address + (uint32_t)i) != HC_VACANT; i++)
        out[i] = hc_peek(of(t)->m, address + (uint32_t)i);
    return i;
}

/* Registers of devices are written as the CPU would write them, words where the peripherals are 16 bits wide. */
static size_t write_register_of_device(struct machine_target *mt, uint32_t address, const uint8_t *bytes, size_t left)
{
    enum { WORD_PERIPHERALS = 0x100 };
    bool word = left >= 2 && address >= WORD_PERIPHERALS && !(address & 1) && kind_at(mt, address + 1) == HC_IO;

    mt->writing = true;
    hc_bus_write(mt->m, address, (uint16_t)(word ? bytes[0] | bytes[1] << 8 : bytes[0]), word ? 2 : 1);
    mt->writing = false;
    return word ? 2 : 1;
}

static size_t write_memory(struct hc_gdb_target *t, uint32_t address, const uint8_t *bytes, size_t n)
{
    size_t i = 0;

    while (i < n) {
        uint32_t at = address + (uint32_t)i;

        if (kind_at(of(t), at) == HC_IO)
            i += write_register_of_device(of(t), at, bytes + i, n - i);
        else if (kind_at(of(t), at) != HC_VACANT && hc_poke(of(t)->m, at, bytes[i]))
            i++;
        else
            break;
    }
    return i;
}

static bool erase_flash(struct hc_gdb_target *t, uint32_t address, uint32_t n)
{
    if (address > of(t)->space || n > of(t)->space - address)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (kind_at(of(t), address + i) != HC_FLASH)
            return false;
    for (uint32_t i = 0; i < n; i++)
        hc_poke(of(t)->m, address + i, 0xff);
    return true;
}

/* ---- break- and watchpoints ---- */

static enum hc_action met(void *owner, const struct hc_gdb_set_point *p, uint32_t address)
{
    struct machine_target *mt = owner;
    bool passed = hc_gdb_point_is_watch(p->kind) ? mt->writing : mt->stepping && address == mt->stepping_from;

    if (passed)
        return HC_CONTINUE;
    if (!mt->hit) {
        mt->hit = p;
        mt->hit_address = address;
    }
    return HC_STOP;
}

static bool insert(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    return hc_gdb_points_insert(&of(t)->points, kind, address, length);
}

static void remove_point(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    hc_gdb_points_remove(&of(t)->points, kind, address, length);
}

static void remove_all(struct hc_gdb_target *t)
{
    hc_gdb_points_remove_all(&of(t)->points);
}

/* ---- running ---- */

static uint64_t retired(struct machine_target *mt)
{
    struct hc_statistics statistics;

    hc_machine_statistics(mt->m, &statistics);
    return statistics.instructions;
}

static void stop_at(struct hc_gdb_stop *stop, const struct hc_gdb_set_point *p, uint32_t address)
{
    stop->kind = HC_GDB_STOP_POINT;
    stop->point = p->kind;
    stop->address = address;
}

/* The machine has finished the instruction, but nothing is to come after it: PC goes back, so that the debugger shows
 * the line at fault. */
static void stop_by_fault(struct machine_target *mt, struct hc_gdb_stop *stop)
{
    hc_set_register(mt->m, HC_PC, hc_fault_pc(mt->m));
    stop->kind = HC_GDB_STOP_FAULT;
    stop->signal = strstr(hc_fault_text(mt->m), "undefined instruction") ? HC_GDB_SIGILL : HC_GDB_SIGSEGV;
    snprintf(stop->text, sizeof stop->text, "%s", hc_fault_text(mt->m));
}

/* Fills STOP unless the machine has just used up its slice; then it may go on. */
static bool has_stopped(struct machine_target *mt, enum hc_stop why, struct hc_gdb_stop *stop)
{
    switch (why) {
    case HC_STOP_HOOK:
        if (mt->hit)
            stop_at(stop, mt->hit, mt->hit_address);
        else
            stop->kind = HC_GDB_STOP_OTHER;
        return true;
    case HC_STOP_FAULT:
        stop_by_fault(mt, stop);
        return true;
    case HC_STOP_REQUEST:
        stop->kind = HC_GDB_STOP_INTERRUPTED;
        return true;
    default:
        stop->kind = HC_GDB_STOP_EXITED;
        return hc_now(mt->m) >= mt->until;
    }
}

static hc_time end_of_slice(const struct machine_target *mt)
{
    hc_time now = hc_now(mt->m);

    return mt->until - now > mt->slice ? now + mt->slice : mt->until;
}

static uint64_t wall_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

/* A busy machine takes thousands of times as long for a second as one that sleeps. The debugger should wait for
 * neither, nor the machine for it. Where a slice ends makes no difference to the machine. */
static void adapt_slice(struct machine_target *mt, uint64_t took_us)
{
    enum { SHORT_US = 2000, LONG_US = 10000 };

    if (took_us < SHORT_US && mt->slice < HC_SECOND)
        mt->slice *= 2;
    else if (took_us > LONG_US && mt->slice > hc_us(100))
        mt->slice /= 2;
}

/* Runs freely until something stops it; RETURNED may be set by a hook that ran. */
static void run(struct machine_target *mt, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    for (;;) {
        uint64_t instructions = retired(mt);
        uint64_t start = wall_us();
        enum hc_stop why = hc_machine_run(mt->m, end_of_slice(mt));

        if (has_stopped(mt, why, stop))
            return;
        adapt_slice(mt, wall_us() - start);
        if (poll->interrupted(poll->owner, retired(mt) == instructions && mt->slice >= HC_SECOND)) {
            stop->kind = HC_GDB_STOP_INTERRUPTED;
            return;
        }
    }
}

/* ---- stepping: an interrupt that comes between is run to its end, as if it had come at another time ---- */

static void on_interrupt(void *owner, struct hc_machine *m, int vector, uint32_t interrupted_pc)
{
    struct machine_target *mt = owner;

    (void)vector;
    if (mt->interrupt)
        return; /* a nested one: the outer one counts */
    mt->interrupt = true;
    mt->interrupted_pc = interrupted_pc;
    mt->interrupted_sp = hc_register(m, HC_SP) + hc_target_of_machine(m)->cpu->frame.size;
    mt->interrupted_retired = retired(mt);
}

static enum hc_action at_return(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct machine_target *mt = owner;

    (void)pc;
    if (hc_register(m, HC_SP) != mt->interrupted_sp)
        return HC_CONTINUE; /* another invocation of the same code, within the handler */
    mt->returned = true;
    return HC_STOP;
}

/* The handler of the interrupt has just begun. False, with STOP filled, if it did not come to its end. */
static bool finish_interrupt(struct machine_target *mt, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    int hook = hc_hook_pc(mt->m, mt->interrupted_pc, at_return, mt);

    mt->returned = false;
    run(mt, poll, stop);
    hc_unhook(mt->m, hook);
    return mt->returned && !mt->hit;
}

/* One instruction of the code that was stopped. False, with STOP filled, if something else came. */
static bool step(struct machine_target *mt, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    for (;;) {
        uint64_t before = retired(mt);
        enum hc_stop why;

        mt->interrupt = false;
        mt->stepping = true;
        mt->stepping_from = hc_register(mt->m, HC_PC);
        why = hc_machine_step(mt->m, 1, end_of_slice(mt));
        mt->stepping = false;
        if (why != HC_STOP_STEPS && has_stopped(mt, why, stop))
            return false;
        if (why != HC_STOP_STEPS) { /* asleep */
            adapt_slice(mt, 0);
            if (poll->interrupted(poll->owner, mt->slice >= HC_SECOND)) {
                stop->kind = HC_GDB_STOP_INTERRUPTED;
                return false;
            }
            continue;
        }
        if (!mt->interrupt)
            return true;
        if (!finish_interrupt(mt, poll, stop))
            return false;
        if (mt->interrupted_retired > before)
            return true; /* it came after the instruction */
    }
}

/* Steps until PC leaves the range, at least once. */
static void step_range(struct machine_target *mt, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                       struct hc_gdb_stop *stop)
{
    enum { STEPS_BETWEEN_POLLS = 1024 };

    for (unsigned n = 1;; n++) {
        uint32_t pc;
        const struct hc_gdb_set_point *p;

        if (!step(mt, poll, stop))
            return;
        pc = hc_register(mt->m, HC_PC);
        stop->kind = HC_GDB_STOP_STEPPED;
        if (pc < how->start || pc >= how->end)
            return;
        p = hc_gdb_points_at(&mt->points, pc);
        if (p) {
            stop_at(stop, p, pc);
            return;
        }
        if (n % STEPS_BETWEEN_POLLS == 0 && poll->interrupted(poll->owner, false)) {
            stop->kind = HC_GDB_STOP_INTERRUPTED;
            return;
        }
    }
}

static void resume(struct hc_gdb_target *t, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                   struct hc_gdb_stop *stop)
{
    static const struct hc_gdb_resume once = { HC_GDB_STEP, 0, 0 };
    struct machine_target *mt = of(t);
    int hook;

    mt->hit = NULL;
    if (how->kind == HC_GDB_CONTINUE) {
        run(mt, poll, stop);
        return;
    }
    hook = hc_hook_interrupt(mt->m, on_interrupt, mt);
    step_range(mt, how->kind == HC_GDB_RANGE ? how : &once, poll, stop);
    hc_unhook(mt->m, hook);
}

/* ---- monitor commands ---- */

static bool monitor_reset(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    bool puc = !strcmp(arguments, "puc");

    if (!puc && strcmp(arguments, "por") != 0 && arguments[0])
        return false;
    hc_machine_reset(of(t)->m, puc ? HC_PUC : HC_POR);
    hc_gdb_print(console, "%s; pc 0x%04x\n", puc ? "PUC" : "POR", (unsigned)hc_register(of(t)->m, HC_PC));
    return true;
}

static void print_time(const struct hc_gdb_console *console, const char *what, hc_time time)
{
    hc_gdb_print(console, "%-12s %llu.%06llu s\n", what, (unsigned long long)(hc_to_us(time) / 1000000u),
                 (unsigned long long)(hc_to_us(time) % 1000000u));
}

static bool monitor_statistics(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    struct hc_statistics statistics;

    (void)arguments;
    hc_machine_statistics(of(t)->m, &statistics);
    hc_gdb_print(console, "%-12s %llu\n", "instructions", (unsigned long long)statistics.instructions);
    hc_gdb_print(console, "%-12s %llu\n", "cycles", (unsigned long long)statistics.cycles);
    hc_gdb_print(console, "%-12s %llu\n", "interrupts", (unsigned long long)statistics.interrupts);
    for (int i = 0; i < HC_MODES; i++)
        print_time(console, hc_mode_names[i], statistics.in_mode[i]);
    return true;
}

static bool monitor_time(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    (void)arguments;
    print_time(console, "time", hc_now(of(t)->m));
    return true;
}

static bool monitor_when(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    struct hc_statistics statistics;

    (void)arguments;
    hc_machine_statistics(of(t)->m, &statistics);
    hc_gdb_print(console, "%llu instructions, %llu cycles since power-on\n",
                 (unsigned long long)statistics.instructions, (unsigned long long)statistics.cycles);
    return true;
}

static const struct hc_gdb_command commands[] = {
    { "reset", "[por | puc] of the node; \"maintenance flush register-cache\" makes gdb see it", monitor_reset },
    { "stats", "instructions, cycles, interrupts, time in each mode", monitor_statistics },
    { "time", "emulated time since power-on", monitor_time },
    { "when", "how far the program has come: instructions and cycles", monitor_when },
    { NULL, NULL, NULL },
};

/* ---- making one ---- */

static void destroy(struct hc_gdb_target *t)
{
    remove_all(t);
    free(t);
}

static const struct hc_gdb_target_ops ops = {
    .describe = describe,
    .region = region,
    .read_register = read_register,
    .write_register = write_register,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .erase_flash = erase_flash,
    .insert = insert,
    .remove = remove_point,
    .remove_all = remove_all,
    .resume = resume,
    .commands = commands,
    .destroy = destroy,
};

static int by_address(const void *a, const void *b)
{
    uint32_t left = ((const struct hc_gdb_region *)a)->start, right = ((const struct hc_gdb_region *)b)->start;

    return left < right ? -1 : left > right;
}

static void list_regions(struct machine_target *mt, const struct hc_region *r)
{
    /* Segments of flash have 64 to 512 bytes. A debugger that is told the smallest erases no neighbours. */
    enum { FLASH_BLOCK = 64 };

    for (; r->name && mt->regions < REGIONS_MAX; r++) {
        enum hc_region_kind kind = r->kind == HC_MIRROR ? hc_region_kind(mt->m, r->mirrors) : r->kind;
        struct hc_gdb_region *out = &mt->region[mt->regions];

        if (kind == HC_VACANT)
            continue;
        *out = (struct hc_gdb_region){ .name = r->name, .start = r->start, .size = r->end - r->start + 1 };
        out->kind = kind == HC_FLASH ? HC_GDB_FLASH : kind == HC_ROM ? HC_GDB_ROM : HC_GDB_RAM;
        out->block = kind == HC_FLASH ? FLASH_BLOCK : 0;
        mt->regions++;
    }
    qsort(mt->region, (size_t)mt->regions, sizeof mt->region[0], by_address);
}

struct hc_gdb_target *hc_gdb_machine_target_new(struct hc_machine *m, hc_time until)
{
    const struct hc_part *part = hc_machine_part(m);
    struct machine_target *mt = calloc(1, sizeof *mt);

    if (!mt)
        return NULL;
    mt->base.ops = &ops;
    mt->m = m;
    mt->points = (struct hc_gdb_points){ .m = m, .met = met, .owner = mt };
    mt->until = until;
    mt->slice = hc_ms(1);
    mt->space = hc_target_of_machine(m)->cpu->address_space(m);
    describe_registers(mt);
    mt->description = (struct hc_gdb_description){ .architecture = hc_target_of_machine(m)->cpu->architecture,
                                                   .part = part->name,
                                                   .registers = HC_REGISTERS,
                                                   .reg = mt->reg,
                                                   .pc = HC_PC,
                                                   .sp = HC_SP };
    list_regions(mt, part->regions);
    return &mt->base;
}

void hc_gdb_target_free(struct hc_gdb_target *t)
{
    if (t)
        t->ops->destroy(t);
}
