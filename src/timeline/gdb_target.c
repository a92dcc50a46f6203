#include "gdb_target.h"

#include "gdb/gdb.h"
#include "gdb/points.h"
#include "support/plural.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKPOINTS_MOST = 64 };

struct timeline_target {
    struct hc_gdb_target base;
    struct hc_gdb_target *plain; /* the same machine without a timeline: registers and memory are read there */
    struct hc_timeline *timeline;
    struct hc_machine *m;
    const struct hc_gdb_poll *poll; /* of the command at hand */
    struct hc_gdb_points points;

    const struct hc_gdb_set_point *hit; /* what stopped the run */
    uint32_t hit_address;
    uint32_t return_sp; /* of the handler that is being stepped over */
    bool returned;

    bool is_to_go;        /* the next resume goes to: */
    uint64_t destination; /* a moment */

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

static enum hc_action met(void *owner, const struct hc_gdb_set_point *p, uint32_t address)
{
    struct timeline_target *tt = owner;
    bool heard = hc_gdb_point_is_watch(p->kind) ? hc_timeline_hears_accesses(tt->timeline)
                                                : hc_timeline_hears_places(tt->timeline);

    if (tt->hit || !heard)
        return HC_CONTINUE;
    tt->hit = p;
    tt->hit_address = address;
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

static void report(struct timeline_target *tt, enum hc_timeline_stop how, struct hc_gdb_stop *stop)
{
    tt->poll = NULL;
    stop->kind = HC_GDB_STOP_STEPPED;
    switch (how) {
    case HC_TIMELINE_HOOK:
        if (!tt->hit)
            break;
        stop->kind = HC_GDB_STOP_POINT;
        stop->point = tt->hit->kind;
        stop->address = tt->hit_address;
        break;
    case HC_TIMELINE_REQUEST:
        stop->kind = HC_GDB_STOP_INTERRUPTED;
        break;
    case HC_TIMELINE_FAULT:
        stop->kind = HC_GDB_STOP_FAULT;
        snprintf(stop->text, sizeof stop->text, "%s", hc_timeline_text(tt->timeline));
        stop->signal = strstr(stop->text, "undefined instruction") ? HC_GDB_SIGILL : HC_GDB_SIGSEGV;
        break;
    case HC_TIMELINE_END:
        stop->kind = HC_GDB_STOP_LOG_END;
        break;
    case HC_TIMELINE_BEGINNING:
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

static enum hc_timeline_stop run(struct timeline_target *tt)
{
    enum hc_timeline_stop how;

    do
        how = hc_timeline_run(tt->timeline, UINT64_MAX);
    while (how == HC_TIMELINE_HOOK && !tt->hit && !tt->returned);
    return how;
}

/* One instruction of the code that was stopped; a handler that comes with it runs to its end. */
static enum hc_timeline_stop step(struct timeline_target *tt)
{
    uint64_t interrupts = hc_timeline_now(tt->timeline)->interrupts;
    enum hc_timeline_stop how = hc_timeline_step(tt->timeline);

    if (how != HC_TIMELINE_THERE || hc_timeline_now(tt->timeline)->interrupts == interrupts)
        return how;
    uint32_t pc;
    hc_target_interrupted(tt->m, &pc, &tt->return_sp);
    int id = hc_hook_pc(tt->m, pc, at_return, tt);
    tt->returned = false;
    how = run(tt);
    hc_unhook(tt->m, id);
    bool well = tt->returned && !tt->hit;
    tt->returned = false;
    return well ? HC_TIMELINE_THERE : how;
}

static bool is_breakpoint(struct timeline_target *tt, uint32_t pc)
{
    tt->hit = hc_gdb_points_at(&tt->points, pc);
    tt->hit_address = pc;
    return tt->hit;
}

static void resume(struct hc_gdb_target *t, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                   struct hc_gdb_stop *stop)
{
    struct timeline_target *tt = of(t);
    enum hc_timeline_stop end;

    begin(tt, poll);
    if (tt->is_to_go) {
        tt->is_to_go = false;
        report(tt, hc_timeline_seek(tt->timeline, tt->destination), stop);
        return;
    }
    if (how->kind == HC_GDB_CONTINUE) {
        report(tt, run(tt), stop);
        return;
    }
    for (;;) {
        end = step(tt);
        uint32_t pc = hc_register(tt->m, HC_PC);
        if (end != HC_TIMELINE_THERE || how->kind == HC_GDB_STEP || pc < how->start || pc >= how->end)
            break;
        if (is_breakpoint(tt, pc)) {
            end = HC_TIMELINE_HOOK;
            break;
        }
    }
    report(tt, end, stop);
}

/* ---- backwards ---- */

/* The moment before the handlers that lie behind, if the last instruction returned from one. */
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
    if (past->flow == HC_FLOW_INTERRUPT_RETURN)
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
    enum hc_timeline_stop how = hc_timeline_back(tt->timeline, 1);
    if (how == HC_TIMELINE_THERE && hc_flow_at(tt->m, hc_register(tt->m, HC_PC)) == HC_FLOW_INTERRUPT_RETURN) {
        hc_timeline_seek(tt->timeline, here);
        how = hc_timeline_look_back(tt->timeline, 0, look, &b);
        if (how == HC_TIMELINE_THERE || how == HC_TIMELINE_BEGINNING)
            how = hc_timeline_seek(tt->timeline, b.found);
    }
    report(tt, how, stop);
}

static enum hc_hit classify(void *owner, bool chosen)
{
    struct timeline_target *tt = owner;
    const struct hc_gdb_set_point *p = tt->hit;

    if (!chosen)
        tt->hit = NULL;
    return !p ? HC_HIT_NONE : hc_gdb_point_is_watch(p->kind) ? HC_HIT_BEFORE : HC_HIT_HERE;
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

    hc_gdb_print(console, "instruction #%llu, %llu.%06llu s, after %llu interrupt%s; pc 0x%04x\n",
                 (unsigned long long)now->instructions, (unsigned long long)(us / 1000000u),
                 (unsigned long long)(us % 1000000u), (unsigned long long)now->interrupts, hc_plural(now->interrupts),
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
        hc_timeline_seek(t, hc_timeline_start(t)->instructions);
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
    struct timeline_target *tt = of(t);
    uint64_t here = hc_timeline_now(tt->timeline)->instructions;

    if (!go(tt, arguments))
        return false;
    print_moment(tt, console);
    tt->is_to_go = console->caches;
    if (!tt->is_to_go)
        return true;
    tt->destination = hc_timeline_now(tt->timeline)->instructions;
    hc_timeline_seek(tt->timeline, here);
    hc_gdb_print(console, "the next `continue` goes there\n");
    return true;
}

static const struct hc_gdb_command commands[] = {
    { "when", "which moment this is", monitor_when },
    { "goto",
      "SECONDS | #INSTRUCTION | interrupt N | checkpoint N | start | end; \"maintenance flush register-cache\" "
      "makes gdb see it, `continue` lldb",
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
    tt->points = (struct hc_gdb_points){ .m = tt->m, .met = met, .owner = tt };
    tt->plain = hc_gdb_machine_target_new(tt->m, HC_NEVER);
    if (!tt->plain) {
        free(tt);
        return NULL;
    }
    hc_timeline_set_poll(t, interrupted, tt);
    return &tt->base;
}
