/* A live machine as an execution: deterministic as long as nothing from outside reaches it. */
#include "timeline.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

struct machine_execution {
    struct hc_execution base;
    struct hc_machine *m;
    hc_time until;
    int hook;
    uint64_t wanted; /* the interrupt to stop at */
    bool reached;    /* and it was */
    int vector;
    uint32_t pc; /* that the last one interrupted */
    void (*restored)(void *owner);
    void *owner;
    char text[320];
};

static struct machine_execution *of(struct hc_execution *c)
{
    return (struct machine_execution *)c;
}

static struct hc_machine *machine(struct hc_execution *c)
{
    return of(c)->m;
}

static void moment(struct hc_execution *c, struct hc_moment *out)
{
    struct hc_statistics s;

    hc_machine_statistics(of(c)->m, &s);
    *out = (struct hc_moment){ s.instructions, s.interrupts, s.now, 0 };
}

static void accepted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct machine_execution *mc = owner;
    struct hc_statistics s;

    mc->vector = vector;
    mc->pc = pc;
    hc_machine_statistics(m, &s);
    if (s.interrupts == mc->wanted) {
        mc->reached = true;
        hc_request_stop(m);
    }
}

/* The time is over, the machine sleeps for good, or a second has passed. */
static enum hc_advance out_of_time(struct machine_execution *mc)
{
    bool over = hc_now(mc->m) >= mc->until;

    if (!over && hc_machine_next(mc->m) != HC_NEVER)
        return HC_ADVANCE_PAUSE;
    snprintf(mc->text, sizeof mc->text, over ? "the time given to the run is over" : "asleep, and nothing can wake it");
    return HC_ADVANCE_END;
}

static enum hc_advance translate(struct machine_execution *mc, enum hc_stop why)
{
    switch (why) {
    case HC_STOP_STEPS:
        return HC_ADVANCE_THERE;
    case HC_STOP_HOOK:
        return HC_ADVANCE_HOOK;
    case HC_STOP_REQUEST:
        return mc->reached ? HC_ADVANCE_THERE : HC_ADVANCE_REQUEST;
    case HC_STOP_FAULT:
        snprintf(mc->text, sizeof mc->text, "%s", hc_fault_text(mc->m));
        return HC_ADVANCE_FAULT;
    default:
        return out_of_time(mc);
    }
}

static enum hc_advance advance(struct hc_execution *c, uint64_t instructions)
{
    struct machine_execution *mc = of(c);
    hc_time now = hc_now(mc->m), slice = mc->until - now > HC_SECOND ? now + HC_SECOND : mc->until;
    struct hc_moment here;

    moment(c, &here);
    mc->reached = false;
    if (now >= mc->until && here.instructions < instructions)
        return out_of_time(mc);
    uint64_t steps = instructions > here.instructions ? instructions - here.instructions : 0;
    return translate(mc, hc_machine_settle(mc->m, steps, slice));
}

static enum hc_advance advance_to_interrupt(struct hc_execution *c, uint64_t number)
{
    enum hc_advance end;

    of(c)->wanted = number;
    end = advance(c, UINT64_MAX);
    of(c)->wanted = 0;
    return end;
}

static void interrupt(struct hc_execution *c, int *vector, uint32_t *pc)
{
    *vector = of(c)->vector;
    *pc = of(c)->pc;
}

static const char *text(struct hc_execution *c)
{
    return of(c)->text;
}

static void *snapshot(struct hc_execution *c, size_t *size)
{
    struct hc_snapshot *s = hc_snapshot_take(of(c)->m);

    *size = malloc_usable_size(s);
    return s;
}

static void restore(struct hc_execution *c, const void *snapshot)
{
    hc_snapshot_restore(of(c)->m, snapshot);
    of(c)->vector = -1;
    if (of(c)->restored)
        of(c)->restored(of(c)->owner);
}

static void drop(struct hc_execution *c, void *snapshot)
{
    (void)c;
    hc_snapshot_free(snapshot);
}

static void destroy(struct hc_execution *c)
{
    hc_unhook(of(c)->m, of(c)->hook);
    free(c);
}

static const struct hc_execution_ops ops = {
    .machine = machine,
    .advance = advance,
    .advance_to_interrupt = advance_to_interrupt,
    .moment = moment,
    .interrupt = interrupt,
    .text = text,
    .snapshot = snapshot,
    .restore = restore,
    .drop = drop,
    .destroy = destroy,
};

struct hc_execution *hc_machine_execution_new(struct hc_machine *m, hc_time until)
{
    struct machine_execution *mc = calloc(1, sizeof *mc);

    if (!mc)
        return NULL;
    mc->base.ops = &ops;
    mc->m = m;
    mc->until = until;
    mc->vector = -1;
    mc->hook = hc_hook_interrupt(m, accepted, mc);
    return &mc->base;
}

void hc_machine_execution_on_restore(struct hc_execution *c, void (*call)(void *owner), void *owner)
{
    of(c)->restored = call;
    of(c)->owner = owner;
}

void hc_execution_free(struct hc_execution *c)
{
    if (c)
        c->ops->destroy(c);
}
