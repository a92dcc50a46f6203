#include "timeline_target.h"

#include "gdb/gdb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MOST = 256, CHECKPOINTS_MOST = 64, RETI = 0x1300 };

struct point {
    struct timeline_target *target;
    bool used;
    enum hc_gdb_point kind;
    uint32_t address, length;
    int hook;
};

struct timeline_target {
    struct hc_gdb_target base;
    struct hc_gdb_target *plain; /* the same machine without its past: registers and memory are read there */
    struct hc_timeline *timeline;
    struct hc_machine *m;
    const struct hc_gdb_poll *poll; /* of the command at hand */
    struct point point[POINTS_MOST];

    const struct point *hit; /* what stopped the run */
    uint32_t hit_address;
    uint32_t return_sp; /* of the handler that is being stepped over */
    bool returned;

    int checkpoints;
    uint64_t checkpoint[CHECKPOINTS_MOST];
};

static struct timeline_target *of(struct hc_gdb_target *t)
{
    return (struct timeline_target *)t;
}

/* ---- registers and memory ---- */

static const struct hc_gdb_description *describe(struct hc_gdb_target *t)
{
    return of(t)->plain->ops->describe(of(t)->plain);
}

static bool region(struct hc_gdb_target *t, int i, struct hc_gdb_region *out)
{
    return of(t)->plain->ops->region(of(t)->plain, i, out);
}

static uint32_t read_register(struct hc_gdb_target *t, int n)
{
    return hc_register(of(t)->m, n);
}

static void write_register(struct hc_gdb_target *t, int n, uint32_t value)
{
    (void)t;
    (void)n;
    (void)value;
}

static size_t read_memory(struct hc_gdb_target *t, uint32_t address, uint8_t *out, size_t n)
{
    return of(t)->plain->ops->read_memory(of(t)->plain, address, out, n);
}

static size_t write_memory(struct hc_gdb_target *t, uint32_t address, const uint8_t *bytes, size_t n)
{
    (void)t;
    (void)address;
    (void)bytes;
    (void)n;
    return 0;
}

static bool erase_flash(struct hc_gdb_target *t, uint32_t address, uint32_t n)
{
    (void)t;
    (void)address;
    (void)n;
    return false;
}

/* ---- break- and watchpoints ---- */

static bool is_watch(enum hc_gdb_point kind)
{
    return kind != HC_GDB_SWBREAK && kind != HC_GDB_HWBREAK;
}

static enum hc_action at_breakpoint(void *owner, struct hc_machine *m, uint32_t pc)
{
    const struct point *p = owner;

    (void)m;
    if (p->target->hit || !hc_timeline_hears_places(p->target->timeline))
        return HC_CONTINUE;
    p->target->hit = p;
    p->target->hit_address = pc;
    return HC_STOP;
}

static enum hc_action at_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    const struct point *p = owner;

    (void)m;
    if (p->target->hit || !hc_timeline_hears_accesses(p->target->timeline))
        return HC_CONTINUE;
    p->target->hit = p;
    p->target->hit_address = access->address > p->address ? access->address : p->address;
    return HC_STOP;
}

static struct point *find(struct timeline_target *tt, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    for (int i = 0; i < POINTS_MOST; i++) {
        struct point *p = &tt->point[i];
        if (p->used && p->kind == kind && p->address == address && p->length == length)
            return p;
    }
    return NULL;
}

static int hook(struct timeline_target *tt, struct point *p)
{
    static const int watches[] = { [HC_GDB_WATCH_WRITE] = HC_WATCH_WRITE,
                                   [HC_GDB_WATCH_READ] = HC_WATCH_READ,
                                   [HC_GDB_WATCH_ACCESS] = HC_WATCH_READ | HC_WATCH_WRITE };

    if (!is_watch(p->kind))
        return hc_hook_pc(tt->m, p->address, at_breakpoint, p);
    return hc_hook_access(tt->m, p->address, p->address + p->length - 1, watches[p->kind], at_access, p);
}

static bool insert(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    struct timeline_target *tt = of(t);
    uint32_t space = hc_machine_part(tt->m)->cpu == HC_CPU_MSP430X ? 0x100000 : 0x10000;

    if (!is_watch(kind))
        length = 1;
    if (address >= space || length == 0 || length > space - address || (!is_watch(kind) && (address & 1)))
        return false;
    if (find(tt, kind, address, length))
        return true;
    for (int i = 0; i < POINTS_MOST; i++) {
        struct point *p = &tt->point[i];
        if (p->used)
            continue;
        *p = (struct point){ .target = tt, .used = true, .kind = kind, .address = address, .length = length };
        p->hook = hook(tt, p);
        return true;
    }
    return false;
}

static void drop(struct timeline_target *tt, struct point *p)
{
    hc_unhook(tt->m, p->hook);
    p->used = false;
}

static void remove_point(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    struct point *p = find(of(t), kind, address, is_watch(kind) ? length : 1);

    if (p)
        drop(of(t), p);
}

static void remove_all(struct hc_gdb_target *t)
{
    for (int i = 0; i < POINTS_MOST; i++)
        if (of(t)->point[i].used)
            drop(of(t), &of(t)->point[i]);
}

/* ---- running ---- */

static bool interrupted(void *owner)
{
    struct timeline_target *tt = owner;

    return tt->poll && tt->poll->interrupted(tt->poll->owner, false);
}

static void begin(struct timeline_target *tt, const struct hc_gdb_poll *poll)
{
    tt->poll = poll;
    tt->hit = NULL;
}

static void report(struct timeline_target *tt, enum hc_travel how, struct hc_gdb_stop *stop)
{
    tt->poll = NULL;
    stop->kind = HC_GDB_STOP_STEPPED;
    switch (how) {
    case HC_TRAVEL_HOOK:
        if (!tt->hit)
            break;
        stop->kind = HC_GDB_STOP_POINT;
        stop->point = tt->hit->kind;
        stop->address = tt->hit_address;
        break;
    case HC_TRAVEL_REQUEST:
        stop->kind = HC_GDB_STOP_INTERRUPTED;
        break;
    case HC_TRAVEL_FAULT:
        stop->kind = HC_GDB_STOP_FAULT;
        snprintf(stop->text, sizeof stop->text, "%s", hc_timeline_text(tt->timeline));
        stop->signal = strstr(stop->text, "undefined instruction") ? HC_GDB_SIGILL : HC_GDB_SIGSEGV;
        break;
    case HC_TRAVEL_END:
        stop->kind = HC_GDB_STOP_LOG_END;
        break;
    case HC_TRAVEL_BEGINNING:
        stop->kind = HC_GDB_STOP_LOG_BEGIN;
        break;
    default:
        break;
    }
}

static enum hc_action at_return(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct timeline_target *tt = owner;

    (void)pc;
    if (!hc_timeline_hears_places(tt->timeline) || hc_register(m, HC_SP) < tt->return_sp)
        return HC_CONTINUE;
    tt->returned = true;
    return HC_STOP;
}

static enum hc_travel run(struct timeline_target *tt)
{
    enum hc_travel how;

    do
        how = hc_timeline_run(tt->timeline, UINT64_MAX);
    while (how == HC_TRAVEL_HOOK && !tt->hit && !tt->returned);
    return how;
}

/* One instruction of the code that was stopped; a handler that comes with it runs to its end. */
static enum hc_travel step(struct timeline_target *tt)
{
    uint64_t interrupts = hc_timeline_now(tt->timeline)->interrupts;
    enum hc_travel how = hc_timeline_step(tt->timeline);

    if (how != HC_TRAVEL_THERE || hc_timeline_now(tt->timeline)->interrupts == interrupts)
        return how;
    uint32_t sp = hc_register(tt->m, HC_SP), sr = hc_peek16(tt->m, sp);
    int id = hc_hook_pc(tt->m, hc_peek16(tt->m, sp + 2) | (sr >> 12) << 16, at_return, tt);
    tt->return_sp = sp + 4;
    tt->returned = false;
    how = run(tt);
    hc_unhook(tt->m, id);
    bool well = tt->returned && !tt->hit;
    tt->returned = false;
    return well ? HC_TRAVEL_THERE : how;
}

static bool is_breakpoint(struct timeline_target *tt, uint32_t pc)
{
    const struct point *p = find(tt, HC_GDB_SWBREAK, pc, 1);

    tt->hit = p ? p : find(tt, HC_GDB_HWBREAK, pc, 1);
    tt->hit_address = pc;
    return tt->hit;
}

static void resume(struct hc_gdb_target *t, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                   struct hc_gdb_stop *stop)
{
    struct timeline_target *tt = of(t);
    enum hc_travel end;

    begin(tt, poll);
    if (how->kind == HC_GDB_CONTINUE) {
        report(tt, run(tt), stop);
        return;
    }
    for (;;) {
        end = step(tt);
        uint32_t pc = hc_register(tt->m, HC_PC);
        if (end != HC_TRAVEL_THERE || how->kind == HC_GDB_STEP || pc < how->start || pc >= how->end)
            break;
        if (is_breakpoint(tt, pc)) {
            end = HC_TRAVEL_HOOK;
            break;
        }
    }
    report(tt, end, stop);
}

/* ---- backwards ---- */

/* The moment before the handlers that lie behind, if the last instruction was a RETI. */
struct behind {
    uint64_t interrupts; /* of the moment after the one at hand */
    int handlers;
    uint64_t found;
};

static bool look(void *owner, const struct hc_past *past)
{
    struct behind *b = owner;

    uint64_t accepted = b->interrupts - past->moment.interrupts;
    b->interrupts = past->moment.interrupts;
    b->handlers -= (int)accepted;
    if (past->opcode == RETI)
        b->handlers++;
    b->found = past->moment.instructions;
    return b->handlers <= 0;
}

static void reverse_step(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    struct timeline_target *tt = of(t);
    struct behind b = { .interrupts = hc_timeline_now(tt->timeline)->interrupts };
    uint64_t here = hc_timeline_now(tt->timeline)->instructions;

    begin(tt, poll);
    enum hc_travel how = hc_timeline_back(tt->timeline, 1);
    if (how == HC_TRAVEL_THERE && hc_peek16(tt->m, hc_register(tt->m, HC_PC)) == RETI) {
        hc_timeline_seek(tt->timeline, here);
        how = hc_timeline_look_back(tt->timeline, 0, look, &b);
        if (how == HC_TRAVEL_THERE || how == HC_TRAVEL_BEGINNING)
            how = hc_timeline_seek(tt->timeline, b.found);
    }
    report(tt, how, stop);
}

static enum hc_hit classify(void *owner, bool chosen)
{
    struct timeline_target *tt = owner;
    const struct point *p = tt->hit;

    if (!chosen)
        tt->hit = NULL;
    return !p ? HC_HIT_NONE : is_watch(p->kind) ? HC_HIT_BEFORE : HC_HIT_HERE;
}

static void reverse_continue(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    struct timeline_target *tt = of(t);

    begin(tt, poll);
    report(tt, hc_timeline_run_back(tt->timeline, classify, tt), stop);
}

/* ---- monitor commands ---- */

static void print_moment(struct timeline_target *tt, const struct hc_gdb_console *console)
{
    const struct hc_moment *now = hc_timeline_now(tt->timeline);
    uint64_t us = hc_to_us(now->time);

    hc_gdb_print(console, "instruction #%llu, %llu.%06llu s, after %llu interrupts; pc 0x%04x\n",
                 (unsigned long long)now->instructions, (unsigned long long)(us / 1000000u),
                 (unsigned long long)(us % 1000000u), (unsigned long long)now->interrupts,
                 (unsigned)hc_register(tt->m, HC_PC));
}

static bool monitor_when(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    if (*arguments)
        return false;
    print_moment(of(t), console);
    return true;
}

static bool monitor_checkpoint(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    struct timeline_target *tt = of(t);

    if (*arguments)
        return false;
    if (tt->checkpoints == CHECKPOINTS_MOST) {
        hc_gdb_print(console, "there are %d already\n", CHECKPOINTS_MOST);
        return true;
    }
    tt->checkpoint[tt->checkpoints++] = hc_timeline_now(tt->timeline)->instructions;
    hc_gdb_print(console, "checkpoint %d: ", tt->checkpoints);
    print_moment(tt, console);
    return true;
}

static bool go(struct timeline_target *tt, const char *where)
{
    struct hc_timeline *t = tt->timeline;
    unsigned long long n;
    double seconds;
    char end;

    if (!strcmp(where, "start"))
        hc_timeline_seek(t, hc_timeline_beginning(t)->instructions);
    else if (!strcmp(where, "end"))
        hc_timeline_seek_end(t);
    else if (sscanf(where, "#%llu%c", &n, &end) == 1)
        hc_timeline_seek(t, n);
    else if (sscanf(where, "interrupt %llu%c", &n, &end) == 1)
        hc_timeline_seek_interrupt(t, n);
    else if (sscanf(where, "checkpoint %llu%c", &n, &end) == 1 && n >= 1 && n <= (unsigned)tt->checkpoints)
        hc_timeline_seek(t, tt->checkpoint[n - 1]);
    else if ((sscanf(where, "%lf%c", &seconds, &end) == 1 ||
              (sscanf(where, "%lfs%c", &seconds, &end) == 1 && where[strlen(where) - 1] == 's')) &&
             seconds >= 0 && seconds < 1e7)
        hc_timeline_seek_time(t, (hc_time)(seconds * (double)HC_SECOND));
    else
        return false;
    return true;
}

static bool monitor_goto(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    if (!go(of(t), arguments))
        return false;
    print_moment(of(t), console);
    return true;
}

static const struct hc_gdb_command commands[] = {
    { "when", "which moment this is", monitor_when },
    { "goto",
      "SECONDS | #INSTRUCTION | interrupt N | checkpoint N | start | end; \"maintenance flush register-cache\" "
      "makes gdb see it",
      monitor_goto },
    { "checkpoint", "remembers this moment for goto", monitor_checkpoint },
    { NULL, NULL, NULL },
};

/* ---- making one ---- */

static void destroy(struct hc_gdb_target *t)
{
    remove_all(t);
    hc_timeline_set_poll(of(t)->timeline, NULL, NULL);
    hc_gdb_target_free(of(t)->plain);
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
    .reverse_step = reverse_step,
    .reverse_continue = reverse_continue,
    .commands = commands,
    .destroy = destroy,
};

struct hc_gdb_target *hc_gdb_timeline_target_new(struct hc_timeline *t)
{
    struct timeline_target *tt = calloc(1, sizeof *tt);

    if (!tt)
        return NULL;
    tt->base.ops = &ops;
    tt->timeline = t;
    tt->m = hc_timeline_machine(t);
    tt->plain = hc_gdb_machine_target_new(tt->m, HC_NEVER);
    if (!tt->plain) {
        free(tt);
        return NULL;
    }
    hc_timeline_set_poll(t, interrupted, tt);
    return &tt->base;
}
