/* A replay as an execution. */
#include "replay_execution.h"

#include "trace/event.h"

#include <stdio.h>
#include <stdlib.h>

struct replay_execution {
    struct hc_execution base;
    struct hc_replay *replay;
    char text[2600];
    char fault[2400]; /* how it ended last, for when it stands before its end again */
    hc_outside_fn *outside;
    void *outside_owner;
};

static struct hc_replay *of(struct hc_execution *c)
{
    return ((struct replay_execution *)c)->replay;
}

static struct hc_machine *machine(struct hc_execution *c)
{
    return hc_replay_machine(of(c));
}

static enum hc_advance translate(enum hc_replay_stop why)
{
    static const enum hc_advance advances[] = {
        [HC_REPLAY_REACHED] = HC_ADVANCE_THERE, [HC_REPLAY_HOOKED] = HC_ADVANCE_HOOK,
        [HC_REPLAY_END] = HC_ADVANCE_END,       [HC_REPLAY_DIVERGED] = HC_ADVANCE_FAULT,
        [HC_REPLAY_FAULT] = HC_ADVANCE_FAULT,   [HC_REPLAY_REQUEST] = HC_ADVANCE_REQUEST,
    };
    return advances[why];
}

static enum hc_advance advance(struct hc_execution *c, uint64_t instructions)
{
    struct replay_execution *rc = (struct replay_execution *)c;
    enum hc_replay_stop why = hc_replay_run(rc->replay, instructions);

    if (why == HC_REPLAY_DIVERGED || why == HC_REPLAY_FAULT)
        snprintf(rc->fault, sizeof rc->fault, "%s", hc_replay_why(rc->replay));
    return translate(why);
}

/* The moment of interrupt NUMBER, if it is among the last ones. */
static bool find(struct hc_replay *r, uint64_t number, uint64_t *instruction)
{
    enum { REMEMBERED = 16 };
    struct hc_replay_interrupt last[REMEMBERED];
    size_t n = hc_replay_last_interrupts(r, last, REMEMBERED);

    for (size_t i = 0; i < n; i++)
        if (last[i].number == number) {
            *instruction = last[i].instruction;
            return true;
        }
    return false;
}

/* The replay stops some instructions after the requested moment, and knows that moment. */
static enum hc_advance advance_to_interrupt(struct hc_execution *c, uint64_t number)
{
    struct hc_replay_snapshot *before = hc_replay_snapshot_take(of(c));
    uint64_t instruction;
    enum hc_replay_stop why;

    if (!before)
        return HC_ADVANCE_REQUEST;
    why = hc_replay_run_to_interrupt(of(c), number);
    if (find(of(c), number, &instruction)) {
        hc_replay_snapshot_restore(of(c), before);
        why = hc_replay_run(of(c), instruction);
    }
    hc_replay_snapshot_free(before);
    return translate(why);
}

static void moment(struct hc_execution *c, struct hc_moment *out)
{
    struct hc_replay_place place;

    hc_replay_place(of(c), &place);
    *out = (struct hc_moment){ place.instruction, place.interrupts, hc_us(place.time_us), place.segment_index };
}

static void interrupt(struct hc_execution *c, int *vector, uint32_t *pc)
{
    struct hc_replay_interrupt last;
    bool any = hc_replay_last_interrupts(of(c), &last, 1) == 1;

    *vector = any ? last.vector : -1;
    *pc = any ? last.pc : 0;
}

/* Why it ended, and where the log continues. */
static const char *text(struct hc_execution *c)
{
    struct replay_execution *rc = (struct replay_execution *)c;
    struct hc_replay_segment next;
    int index = hc_replay_next_segment(rc->replay);

    if (index < 0)
        return *hc_replay_why(rc->replay) ? hc_replay_why(rc->replay) : rc->fault;
    hc_replay_segment(rc->replay, (size_t)index, &next);
    snprintf(rc->text, sizeof rc->text, "%s; %s segment %u%s", hc_replay_why(rc->replay),
             next.reset ? "then the node was reset, and" : "something is missing there, and", next.number,
             next.reset ? " is what followed" : " begins anew");
    return rc->text;
}

static void *snapshot(struct hc_execution *c, size_t *size)
{
    struct hc_replay_snapshot *s = hc_replay_snapshot_take(of(c));

    *size = s ? hc_replay_snapshot_size(s) : 0;
    return s;
}

static void restore(struct hc_execution *c, const void *snapshot)
{
    hc_replay_snapshot_restore(of(c), snapshot);
}

static void drop(struct hc_execution *c, void *snapshot)
{
    (void)c;
    hc_replay_snapshot_free(snapshot);
}

static void on_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    static const enum hc_outside_kind kinds[] = { [HC_REPLAY_INTERRUPT] = HC_OUTSIDE_INTERRUPT,
                                                  [HC_REPLAY_READ] = HC_OUTSIDE_READ,
                                                  [HC_REPLAY_MEMORY] = HC_OUTSIDE_MEMORY };
    struct replay_execution *rc = owner;
    struct hc_outside_event told = {
        .kind = kinds[event->kind], .address = event->address, .value = event->value, .vector = event->vector
    };

    (void)r;
    if (event->kind == HC_REPLAY_MEMORY)
        told.size = event->logged->memory.size;
    rc->outside(rc->outside_owner, &told);
}

static void listen(struct hc_execution *c, hc_outside_fn *call, void *owner)
{
    struct replay_execution *rc = (struct replay_execution *)c;

    rc->outside = call;
    rc->outside_owner = owner;
    hc_replay_listen(rc->replay, call ? on_event : NULL, rc);
}

static void destroy(struct hc_execution *c)
{
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
    .listen = listen,
    .destroy = destroy,
};

struct hc_execution *hc_replay_execution_new(struct hc_replay *replay)
{
    struct replay_execution *rc = calloc(1, sizeof *rc);

    if (!rc)
        return NULL;
    rc->base.ops = &ops;
    rc->replay = replay;
    return &rc->base;
}
