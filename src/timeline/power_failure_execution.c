#include "power_failure_execution.h"

#include <stdio.h>
#include <stdlib.h>

struct failing {
    struct hc_execution base;
    struct hc_power_failure_execution plan;
    struct hc_execution *inner; /* the machine, which knows nothing of it */
    int end_hook;
    bool failed;
    const char *text; /* why it is over; NULL: as INNER says */
};

struct failing_snapshot {
    void *inner;
    bool failed;
};

static struct failing *of(struct hc_execution *c)
{
    return (struct failing *)c;
}

static struct hc_machine *machine(struct hc_execution *c)
{
    return of(c)->plan.machine;
}

static void moment(struct hc_execution *c, struct hc_moment *out)
{
    const struct failing *f = of(c);
    const struct hc_moment *lost = &f->plan.lost, *found = &f->plan.found;

    f->inner->ops->moment(f->inner, out);
    if (!f->failed)
        return;
    out->instructions += f->plan.failure + 1 - found->instructions;
    out->interrupts += lost->interrupts - found->interrupts;
    out->time += lost->time - found->time;
}

static uint64_t now(struct hc_execution *c)
{
    struct hc_moment here;

    moment(c, &here);
    return here.instructions;
}

/* ---- forwards ---- */

static enum hc_action at_end(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static bool is_over(struct failing *f)
{
    return f->plan.end && hc_register(f->plan.machine, HC_PC) == f->plan.end;
}

/* The machine may run until INSTRUCTIONS, and no failure comes before. */
static enum hc_advance run(struct failing *f, uint64_t instructions)
{
    uint64_t here = now(&f->base), most = instructions < f->plan.limit ? instructions : f->plan.limit;
    uint64_t ahead = f->failed ? f->plan.failure + 1 - f->plan.found.instructions : 0;
    enum hc_advance why;

    f->text = "the program has come to its end";
    if (instructions > here && is_over(f))
        return HC_ADVANCE_END;
    f->text = NULL;
    why = f->inner->ops->advance(f->inner, most - ahead);
    if (why == HC_ADVANCE_HOOK && is_over(f)) {
        f->text = "the program has come to its end";
        return now(&f->base) < instructions ? HC_ADVANCE_END : HC_ADVANCE_THERE;
    }
    if (why == HC_ADVANCE_THERE && most < instructions) {
        f->text = "still running at the limit of instructions";
        return HC_ADVANCE_END;
    }
    return why;
}

/* The last instruction before the failure: whatever would come after it, an interrupt say, does not. */
static enum hc_advance run_last(struct failing *f)
{
    switch (hc_machine_step(f->plan.machine, 1, HC_NEVER)) {
    case HC_STOP_STEPS:
        return HC_ADVANCE_THERE;
    case HC_STOP_HOOK:
        return HC_ADVANCE_HOOK;
    case HC_STOP_REQUEST:
        return HC_ADVANCE_REQUEST;
    case HC_STOP_FAULT:
        f->text = hc_fault_text(f->plan.machine);
        return HC_ADVANCE_FAULT;
    default:
        return HC_ADVANCE_PAUSE;
    }
}

static enum hc_advance advance(struct hc_execution *c, uint64_t instructions)
{
    struct failing *f = of(c);
    enum hc_advance why = HC_ADVANCE_THERE;

    f->text = NULL;
    if (f->failed || instructions < f->plan.failure)
        return run(f, instructions);
    if (now(c) + 1 < f->plan.failure)
        why = run(f, f->plan.failure - 1);
    if (why == HC_ADVANCE_THERE && now(c) < f->plan.failure)
        why = run_last(f);
    if (why != HC_ADVANCE_THERE || instructions == f->plan.failure)
        return why;
    hc_snapshot_restore(f->plan.machine, f->plan.resumed);
    f->failed = true;
    return run(f, instructions);
}

static enum hc_advance advance_to_interrupt(struct hc_execution *c, uint64_t number)
{
    enum hc_advance why = HC_ADVANCE_THERE;
    struct hc_moment here;

    moment(c, &here);
    while (why == HC_ADVANCE_THERE && here.interrupts < number) {
        why = advance(c, here.instructions + 1);
        moment(c, &here);
    }
    return why;
}

static bool failure(struct hc_execution *c, struct hc_execution_failure *out)
{
    *out = (struct hc_execution_failure){ of(c)->plan.failure, of(c)->plan.checkpoint };
    return true;
}

/* ---- the rest ---- */

static void interrupt(struct hc_execution *c, int *vector, uint32_t *pc)
{
    of(c)->inner->ops->interrupt(of(c)->inner, vector, pc);
}

static const char *text(struct hc_execution *c)
{
    return of(c)->text ? of(c)->text : of(c)->inner->ops->text(of(c)->inner);
}

static void *snapshot(struct hc_execution *c, size_t *size)
{
    struct failing_snapshot *s = malloc(sizeof *s);

    *size = 0;
    if (!s)
        return NULL;
    *s = (struct failing_snapshot){ of(c)->inner->ops->snapshot(of(c)->inner, size), of(c)->failed };
    if (s->inner)
        return s;
    free(s);
    return NULL;
}

static void restore(struct hc_execution *c, const void *snapshot)
{
    const struct failing_snapshot *s = snapshot;

    of(c)->inner->ops->restore(of(c)->inner, s->inner);
    of(c)->failed = s->failed;
}

static void drop(struct hc_execution *c, void *snapshot)
{
    struct failing_snapshot *s = snapshot;

    of(c)->inner->ops->drop(of(c)->inner, s->inner);
    free(s);
}

static void destroy(struct hc_execution *c)
{
    if (of(c)->end_hook)
        hc_unhook(of(c)->plan.machine, of(c)->end_hook);
    hc_execution_free(of(c)->inner);
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
    .failure = failure,
    .destroy = destroy,
};

struct hc_execution *hc_power_failure_execution_new(const struct hc_power_failure_execution *plan)
{
    struct failing *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    f->base.ops = &ops;
    f->plan = *plan;
    f->inner = hc_machine_execution_new(plan->machine, HC_NEVER);
    if (!f->inner) {
        free(f);
        return NULL;
    }
    if (plan->end)
        f->end_hook = hc_hook_pc_first(plan->machine, plan->end, at_end, f);
    return &f->base;
}
