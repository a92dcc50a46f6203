#include "passage.h"

/* Instructions between two looks at the clock. */
enum { PIECE = 200000 };

static void heard(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    const struct hc_passage *p = owner;

    (void)r;
    if (p->profile && event->kind == HC_REPLAY_INTERRUPT)
        hc_profile_interrupt(p->profile, event->vector, event->address);
    if (p->event)
        p->event(p->owner, event);
}

static uint64_t cycles_of(const struct hc_passage *p)
{
    struct hc_statistics now;

    hc_machine_statistics(hc_replay_machine(p->replay), &now);
    return now.cycles;
}

static enum hc_replay_stop run_stretch(const struct hc_passage *p)
{
    struct hc_replay_place place;
    enum hc_replay_stop stop;

    do {
        hc_replay_place(p->replay, &place);
        if (p->progress && p->progress(p->owner, hc_replay_progress(p->replay)))
            return HC_REPLAY_REQUEST;
        stop = hc_replay_run(p->replay, place.instruction + PIECE);
    } while (stop == HC_REPLAY_REACHED || stop == HC_REPLAY_HOOKED);
    return stop;
}

/* One stretch, from where the replay stands. */
static enum hc_replay_stop pass(const struct hc_passage *p)
{
    struct hc_replay_place place;
    uint64_t cycles = cycles_of(p);

    hc_replay_place(p->replay, &place);
    struct hc_stretch stretch = { .first_segment = place.segment_index, .from_us = place.time_us };
    stretch.stop = run_stretch(p);
    hc_replay_place(p->replay, &place);
    stretch.last_segment = place.segment_index;
    stretch.instructions = place.instruction;
    stretch.cycles = cycles_of(p) - cycles;
    stretch.interrupts = place.interrupts;
    stretch.reads = place.reads;
    stretch.until_us = place.time_us;
    stretch.why = hc_replay_why(p->replay);
    hc_replay_checks(p->replay, &stretch.checks);
    if (p->stretch)
        p->stretch(p->owner, &stretch);
    return stretch.stop;
}

static bool is_worse(enum hc_replay_stop a, enum hc_replay_stop b)
{
    static const int rank[] = {
        [HC_REPLAY_END] = 0, [HC_REPLAY_FAULT] = 1, [HC_REPLAY_DIVERGED] = 2, [HC_REPLAY_REQUEST] = 3
    };
    return rank[a] > rank[b];
}

enum hc_replay_stop hc_passage_run(const struct hc_passage *p, int *error, struct hc_replay_message *message)
{
    enum hc_replay_stop worst = HC_REPLAY_END;
    int next;

    *error = 0;
    hc_replay_listen(p->replay, heard, (void *)p);
    do {
        enum hc_replay_stop stop = pass(p);
        worst = is_worse(stop, worst) ? stop : worst;
        next = p->one_stretch || worst == HC_REPLAY_REQUEST ? -1 : hc_replay_next_segment(p->replay);
        if (next >= 0)
            *error = hc_replay_restart(p->replay, (size_t)next, true, message);
        if (p->profile && next >= 0 && !*error)
            hc_profile_restart(p->profile);
    } while (next >= 0 && !*error);
    hc_replay_listen(p->replay, NULL, NULL);
    return worst;
}
