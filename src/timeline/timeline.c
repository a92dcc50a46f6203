/* The cursor, and the checkpoints that let it go back.
 *
 *     |.......|.......|.......|.......|...|.|.|X            .  an instruction    |  a checkpoint    X  the cursor
 *      <-------> interval                  dense
 *
 * Even checkpoints lie at multiples of the interval. Dense ones halve the way from the last of those to the cursor,
 * again and again, when it has gone back; the farthest of them make room for others. */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_INTERVAL = 1 << 14,
    LEAST_EVEN = 32,             /* checkpoints that memory must do for */
    DENSE_MOST = 40,             /* beside the even ones */
    CLOSE_ENOUGH = 2048,         /* instructions: less is run again rather than kept */
    POLL_INSTRUCTIONS = 1 << 19, /* some milliseconds */
    LOOK_FIRST = 256,            /* moments that are looked at at once */
    LOOK_MOST = 1 << 15,
};

static const size_t default_memory = (size_t)64 << 20;

struct checkpoint {
    struct hc_moment moment;
    void *snapshot;
    size_t size;
    bool dense;
};

/* The way that is being gone, for hc_timeline_progress. */
enum way { WAY_UNKNOWN, WAY_FORWARDS, WAY_IN_TIME, WAY_BACK };
struct travel {
    enum way way;
    uint64_t from, to, at; /* moments, or times; AT: of a way back, how far it is */
};

struct hc_timeline {
    struct hc_execution *execution;
    struct travel travel;
    struct hc_moment now, farthest;
    bool hears_places, hears_accesses;
    bool scanning; /* it matters where checkpoints are: they stay as they are */
    bool ended;    /* the execution is where it cannot go on */
    bool (*interrupted)(void *owner);
    void *owner;

    struct checkpoint *checkpoint; /* in order of time; the first is the beginning */
    size_t count, room, dense;
    size_t bytes, memory;
    uint64_t interval;
    uint64_t again;
};

/* ---- checkpoints ---- */

/* The last one whose value is at most N; the first if there is none. */
enum by { BY_INSTRUCTIONS, BY_INTERRUPTS, BY_TIME, BY_SEGMENT };

static uint64_t value_of(const struct hc_moment *m, enum by by)
{
    switch (by) {
    case BY_INSTRUCTIONS:
        return m->instructions;
    case BY_INTERRUPTS:
        return m->interrupts;
    case BY_TIME:
        return m->time;
    default:
        return m->segment;
    }
}

static size_t last_up_to(const struct hc_timeline *t, enum by by, uint64_t n)
{
    size_t low = 0, high = t->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (value_of(&t->checkpoint[middle].moment, by) <= n)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

static void forget(struct hc_timeline *t, size_t i)
{
    struct checkpoint *c = &t->checkpoint[i];

    t->execution->ops->drop(t->execution, c->snapshot);
    t->bytes -= c->size;
    t->dense -= c->dense;
    memmove(c, c + 1, (t->count - i - 1) * sizeof *c);
    t->count--;
}

/* The dense one that is farthest from the cursor. */
static void forget_one_dense(struct hc_timeline *t)
{
    uint64_t worst = 0, here = t->now.instructions;
    size_t which = 0;

    for (size_t i = 1; i < t->count; i++) {
        uint64_t there = t->checkpoint[i].moment.instructions;
        uint64_t distance = there > here ? there - here : here - there;
        if (t->checkpoint[i].dense && distance >= worst) {
            worst = distance;
            which = i;
        }
    }
    if (which)
        forget(t, which);
}

static void make_room(struct hc_timeline *t)
{
    while (t->dense > DENSE_MOST)
        forget_one_dense(t);
    while (t->bytes > t->memory && t->count - t->dense > LEAST_EVEN) {
        t->interval *= 2;
        for (size_t i = t->count - 1; i > 0; i--)
            if (!t->checkpoint[i].dense && t->checkpoint[i].moment.instructions % t->interval)
                forget(t, i);
    }
}

/* Of the present moment. One that cannot be kept for want of memory makes things slower, not wrong. */
static bool keep(struct hc_timeline *t, bool dense)
{
    size_t at = t->count ? last_up_to(t, BY_INSTRUCTIONS, t->now.instructions) + 1 : 0;
    struct checkpoint new = { .moment = t->now, .dense = dense };

    if (at && t->checkpoint[at - 1].moment.instructions == t->now.instructions)
        return true;
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        struct checkpoint *more = realloc(t->checkpoint, room * sizeof *more);
        if (!more)
            return false;
        t->checkpoint = more;
        t->room = room;
    }
    new.snapshot = t->execution->ops->snapshot(t->execution, &new.size);
    if (!new.snapshot)
        return false;
    memmove(&t->checkpoint[at + 1], &t->checkpoint[at], (t->count - at) * sizeof new);
    t->checkpoint[at] = new;
    t->count++;
    t->dense += dense;
    t->bytes += new.size;
    make_room(t);
    return true;
}

static void restore(struct hc_timeline *t, size_t i)
{
    t->execution->ops->restore(t->execution, t->checkpoint[i].snapshot);
    t->now = t->checkpoint[i].moment;
    t->ended = false;
}

/* ---- forwards ---- */

/* After the execution has moved. */
static void arrived(struct hc_timeline *t)
{
    uint64_t before = t->now.instructions, known = t->farthest.instructions;

    t->execution->ops->moment(t->execution, &t->now);
    uint64_t until = t->now.instructions < known ? t->now.instructions : known;
    if (until > before)
        t->again += until - before;
    if (t->now.instructions > known || t->now.time > t->farthest.time)
        t->farthest = t->now;
}

static bool must_end(const struct hc_timeline *t)
{
    return t->interrupted && t->interrupted(t->owner);
}

/* A request to stop may have been overtaken by what it was for. Who polls knows. */
static bool is_old_request(const struct hc_timeline *t)
{
    return t->interrupted && !t->interrupted(t->owner);
}

static enum hc_advance go_to_interrupt(struct hc_timeline *t, uint64_t number)
{
    enum hc_advance why;

    do
        why = t->execution->ops->advance_to_interrupt(t->execution, number);
    while (why == HC_ADVANCE_PAUSE || why == HC_ADVANCE_HOOK || (why == HC_ADVANCE_REQUEST && is_old_request(t)));
    return why;
}

/* To moment TARGET, leaving even checkpoints on the way. */
static enum hc_advance go(struct hc_timeline *t, uint64_t target)
{
    for (;;) {
        uint64_t here = t->now.instructions, place = (here / t->interval + 1) * t->interval, stop = target;

        if (stop > place)
            stop = place;
        if (stop > here && stop - here > POLL_INSTRUCTIONS)
            stop = here + POLL_INSTRUCTIONS;
        enum hc_advance why = t->execution->ops->advance(t->execution, stop);
        arrived(t);
        t->ended = why == HC_ADVANCE_FAULT || why == HC_ADVANCE_END;
        if (why == HC_ADVANCE_REQUEST && is_old_request(t))
            continue;
        if (why != HC_ADVANCE_THERE && why != HC_ADVANCE_PAUSE)
            return why;
        if (why == HC_ADVANCE_THERE && stop == place && !t->scanning)
            keep(t, false);
        if (why == HC_ADVANCE_THERE && t->now.instructions >= target)
            return HC_ADVANCE_THERE;
        if (must_end(t))
            return HC_ADVANCE_REQUEST;
    }
}

/* The same from the moment at hand, past hooks that are none of our business now. */
static enum hc_advance go_quietly(struct hc_timeline *t, uint64_t target)
{
    bool places = t->hears_places, accesses = t->hears_accesses;
    enum hc_advance why;

    t->hears_places = t->hears_accesses = false;
    do
        why = go(t, target);
    while (why == HC_ADVANCE_HOOK);
    t->hears_places = places;
    t->hears_accesses = accesses;
    return why;
}

static enum hc_timeline_stop translate(enum hc_advance why)
{
    static const enum hc_timeline_stop travels[] = {
        [HC_ADVANCE_THERE] = HC_TIMELINE_THERE,     [HC_ADVANCE_HOOK] = HC_TIMELINE_HOOK,
        [HC_ADVANCE_REQUEST] = HC_TIMELINE_REQUEST, [HC_ADVANCE_PAUSE] = HC_TIMELINE_REQUEST,
        [HC_ADVANCE_FAULT] = HC_TIMELINE_FAULT,     [HC_ADVANCE_END] = HC_TIMELINE_END,
    };
    return travels[why];
}

/* Back to the checkpoint before TARGET, and towards it; halves of the way are kept. */
static void approach(struct hc_timeline *t, uint64_t target)
{
    restore(t, last_up_to(t, BY_INSTRUCTIONS, target));
    while (target - t->now.instructions > CLOSE_ENOUGH) {
        if (go_quietly(t, t->now.instructions + (target - t->now.instructions) / 2) != HC_ADVANCE_THERE)
            return;
        keep(t, true);
    }
}

static enum hc_advance reach(struct hc_timeline *t, uint64_t target)
{
    size_t best = last_up_to(t, BY_INSTRUCTIONS, target);

    if (target < t->now.instructions || (t->ended && target == t->now.instructions))
        approach(t, target);
    else if (t->checkpoint[best].moment.instructions > t->now.instructions)
        restore(t, best);
    return go_quietly(t, target);
}

static bool nobody_asks(void *owner)
{
    (void)owner;
    return false;
}

void hc_timeline_return(struct hc_timeline *t, uint64_t instructions)
{
    bool (*interrupted)(void *) = t->interrupted;

    t->interrupted = nobody_asks;
    reach(t, instructions);
    t->interrupted = interrupted;
}

/* Something went wrong on the way from the present moment: the instruction before it is the one to look at, if it was
 * counted. */
static void step_back_from_fault(struct hc_timeline *t)
{
    uint64_t here = t->now.instructions;

    approach(t, here);
    if (go_quietly(t, here) != HC_ADVANCE_FAULT || here == t->checkpoint[0].moment.instructions)
        return;
    approach(t, here - 1);
    go_quietly(t, here - 1);
}

static enum hc_timeline_stop finish(struct hc_timeline *t, enum hc_advance why)
{
    if (why == HC_ADVANCE_FAULT)
        step_back_from_fault(t);
    return translate(why);
}

enum hc_timeline_stop hc_timeline_seek(struct hc_timeline *t, uint64_t instructions)
{
    uint64_t here = t->now.instructions;

    if (instructions == UINT64_MAX)
        t->travel = (struct travel){ WAY_UNKNOWN, 0, 0, 0 };
    else
        t->travel = (struct travel){ WAY_FORWARDS, here < instructions ? here : t->checkpoint[0].moment.instructions,
                                     instructions, 0 };
    if (instructions < t->checkpoint[0].moment.instructions) {
        restore(t, 0);
        return HC_TIMELINE_BEGINNING;
    }
    return finish(t, reach(t, instructions));
}

enum hc_timeline_stop hc_timeline_seek_end(struct hc_timeline *t)
{
    return hc_timeline_seek(t, UINT64_MAX);
}

enum hc_timeline_stop hc_timeline_back(struct hc_timeline *t, uint64_t n)
{
    uint64_t first = t->checkpoint[0].moment.instructions, here = t->now.instructions;

    if (here == first)
        return HC_TIMELINE_BEGINNING;
    return hc_timeline_seek(t, here - first > n ? here - n : first);
}

/* Runs on where nobody has been until the moment's value is N. */
static enum hc_advance explore(struct hc_timeline *t, enum by by, uint64_t n)
{
    enum hc_advance why = HC_ADVANCE_THERE;

    t->travel = (struct travel){ by == BY_TIME ? WAY_IN_TIME : WAY_UNKNOWN, t->farthest.time, n, 0 };
    if (value_of(&t->farthest, by) >= n)
        return why;
    why = reach(t, t->farthest.instructions);
    while (why == HC_ADVANCE_THERE && value_of(&t->now, by) < n) {
        why = go_quietly(t, (t->now.instructions / t->interval + 1) * t->interval);
        if (why == HC_ADVANCE_THERE && must_end(t))
            why = HC_ADVANCE_REQUEST;
    }
    return value_of(&t->now, by) >= n && why != HC_ADVANCE_REQUEST ? HC_ADVANCE_THERE : why;
}

/* The first moment whose value is N or more. */
static enum hc_timeline_stop seek_first(struct hc_timeline *t, enum by by, uint64_t n)
{
    enum hc_advance why = explore(t, by, n);

    if (why != HC_ADVANCE_THERE)
        return finish(t, why);
    if (n <= value_of(&t->checkpoint[0].moment, by)) {
        restore(t, 0);
        return HC_TIMELINE_THERE;
    }
    size_t before = last_up_to(t, by, n - 1);
    uint64_t early = t->checkpoint[before].moment.instructions;
    uint64_t late = before + 1 < t->count ? t->checkpoint[before + 1].moment.instructions : t->farthest.instructions;
    while (late - early > 1) {
        uint64_t middle = early + (late - early) / 2;
        if ((why = reach(t, middle)) != HC_ADVANCE_THERE)
            return finish(t, why);
        *(value_of(&t->now, by) < n ? &early : &late) = middle;
    }
    return hc_timeline_seek(t, late);
}

enum hc_timeline_stop hc_timeline_seek_time(struct hc_timeline *t, hc_time time)
{
    return seek_first(t, BY_TIME, time);
}

enum hc_timeline_stop hc_timeline_seek_segment(struct hc_timeline *t, size_t segment)
{
    return seek_first(t, BY_SEGMENT, segment);
}

enum hc_timeline_stop hc_timeline_seek_interrupt(struct hc_timeline *t, uint64_t n)
{
    enum hc_advance why = explore(t, BY_INTERRUPTS, n);

    if (n <= t->checkpoint[0].moment.interrupts) {
        restore(t, 0);
        return HC_TIMELINE_BEGINNING;
    }
    if (why != HC_ADVANCE_THERE)
        return finish(t, why);
    restore(t, last_up_to(t, BY_INTERRUPTS, n - 1));
    why = go_to_interrupt(t, n);
    arrived(t);
    return why == HC_ADVANCE_THERE ? translate(go_quietly(t, t->now.instructions)) : finish(t, why);
}

/* ---- with hooks ---- */

/* The instruction at hand; a hook at its PC has been seen before. */
static enum hc_advance leave(struct hc_timeline *t)
{
    enum hc_advance why;

    t->hears_accesses = true;
    why = go(t, t->now.instructions + 1);
    t->hears_accesses = false;
    return why;
}

/* A stop at an access leaves the execution between two moments. */
static enum hc_timeline_stop settle(struct hc_timeline *t, enum hc_advance why)
{
    if (why == HC_ADVANCE_HOOK)
        go_quietly(t, t->now.instructions);
    return finish(t, why);
}

bool hc_timeline_failure(const struct hc_timeline *t, struct hc_execution_failure *out)
{
    return t->execution->ops->failure && t->execution->ops->failure(t->execution, out);
}

/* The next moment beside a power failure. */
static uint64_t next_failure(const struct hc_timeline *t)
{
    struct hc_execution_failure failure;

    if (!hc_timeline_failure(t, &failure) || t->now.instructions > failure.at)
        return UINT64_MAX;
    return t->now.instructions < failure.at ? failure.at : failure.at + 1;
}

static enum hc_timeline_stop tell_failure(const struct hc_timeline *t, uint64_t failure, enum hc_timeline_stop how)
{
    return how == HC_TIMELINE_THERE && t->now.instructions == failure ? HC_TIMELINE_FAILURE : how;
}

enum hc_timeline_stop hc_timeline_step(struct hc_timeline *t)
{
    uint64_t failure = next_failure(t);

    t->travel.way = WAY_UNKNOWN;
    return tell_failure(t, failure, settle(t, leave(t)));
}

enum hc_timeline_stop hc_timeline_run(struct hc_timeline *t, uint64_t limit)
{
    uint64_t failure = next_failure(t), target = limit < failure ? limit : failure;
    enum hc_advance why;

    t->travel.way = WAY_UNKNOWN;
    if (limit <= t->now.instructions)
        return HC_TIMELINE_THERE;
    why = leave(t);
    if (why == HC_ADVANCE_THERE && t->now.instructions < target) {
        t->hears_places = t->hears_accesses = true;
        why = go(t, target);
        t->hears_places = t->hears_accesses = false;
    }
    return tell_failure(t, failure, settle(t, why));
}

/* The last hit between a checkpoint and UPPER. */
struct found {
    enum hc_hit hit;
    uint64_t instructions; /* of the moment when it was noticed */
    uint64_t stop;         /* its number, from 1 */
};

/* Runs from the moment at hand to UPPER, or to stop number LAST, which is reported as the chosen one. */
static enum hc_advance scan(struct hc_timeline *t, uint64_t upper, uint64_t last, hc_hit_fn *classify, void *owner,
                            struct found *found)
{
    enum hc_advance why;

    t->hears_places = t->hears_accesses = t->scanning = true;
    for (uint64_t stop = 1; (why = go(t, upper)) == HC_ADVANCE_HOOK; stop++) {
        enum hc_hit hit = classify(owner, stop == last);
        if (hit != HC_HIT_NONE)
            *found = (struct found){ hit, t->now.instructions, stop };
        if (stop == last)
            break;
    }
    t->hears_places = t->hears_accesses = t->scanning = false;
    return why;
}

static enum hc_timeline_stop go_to_hit(struct hc_timeline *t, size_t from, uint64_t upper, struct found found,
                                       hc_hit_fn *classify, void *owner)
{
    struct found repeated;

    restore(t, from);
    scan(t, upper, found.stop, classify, owner, &repeated);
    hc_timeline_seek(t, found.instructions - (found.hit == HC_HIT_BEFORE && found.instructions));
    return HC_TIMELINE_HOOK;
}

enum hc_timeline_stop hc_timeline_run_back(struct hc_timeline *t, hc_hit_fn *classify, void *owner)
{
    uint64_t upper = t->now.instructions;

    t->travel = (struct travel){ WAY_BACK, upper, t->checkpoint[0].moment.instructions, upper };
    while (upper > t->checkpoint[0].moment.instructions) {
        size_t from = last_up_to(t, BY_INSTRUCTIONS, upper - 1);
        struct found found = { 0 };

        restore(t, from);
        enum hc_advance why = scan(t, upper, 0, classify, owner, &found);
        t->travel.at = t->checkpoint[from].moment.instructions;
        if (why == HC_ADVANCE_REQUEST || (!found.hit && must_end(t))) {
            reach(t, upper);
            return HC_TIMELINE_REQUEST;
        }
        if (found.hit)
            return go_to_hit(t, from, upper, found, classify, owner);
        upper = t->checkpoint[from].moment.instructions;
    }
    restore(t, 0);
    return HC_TIMELINE_BEGINNING;
}

/* ---- looking ---- */

/* Notes the moments from the present one on, up to but without UNTIL; returns how many. */
static size_t note(struct hc_timeline *t, uint64_t until, struct hc_past *out)
{
    struct hc_machine *m = t->execution->ops->machine(t->execution);
    size_t n = 0;

    while (t->now.instructions < until) {
        out[n] = (struct hc_past){ .moment = t->now, .pc = hc_register(m, HC_PC), .sp = hc_register(m, HC_SP) };
        out[n].flow = hc_flow_at(m, out[n].pc);
        n++;
        if (go_quietly(t, t->now.instructions + 1) != HC_ADVANCE_THERE)
            break;
    }
    return n;
}

static enum hc_timeline_stop look_back(struct hc_timeline *t, uint64_t from, hc_past_fn *look, void *owner,
                                       struct hc_past *past)
{
    uint64_t upper = t->now.instructions, piece = LOOK_FIRST;

    t->travel = (struct travel){ WAY_BACK, upper, from, upper };
    while (upper > from) {
        uint64_t lower = upper - from > piece ? upper - piece : from;
        reach(t, lower);
        if (t->now.instructions != lower || must_end(t))
            return HC_TIMELINE_REQUEST;
        for (size_t i = note(t, upper, past); i > 0; i--)
            if (look(owner, &past[i - 1]))
                return HC_TIMELINE_THERE;
        t->travel.at = upper = lower;
        piece = piece * 4 < LOOK_MOST ? piece * 4 : LOOK_MOST;
    }
    return HC_TIMELINE_BEGINNING;
}

enum hc_timeline_stop hc_timeline_look_back(struct hc_timeline *t, uint64_t from, hc_past_fn *look, void *owner)
{
    uint64_t here = t->now.instructions, first = t->checkpoint[0].moment.instructions;
    struct hc_past *past = malloc(LOOK_MOST * sizeof *past);

    if (!past)
        return HC_TIMELINE_NO_MEMORY;
    enum hc_timeline_stop end = look_back(t, from > first ? from : first, look, owner, past);
    free(past);
    hc_timeline_return(t, here);
    return end;
}

enum hc_timeline_stop hc_timeline_survey(struct hc_timeline *t, uint64_t from, uint64_t to, hc_visit_fn *visit,
                                         void *owner)
{
    uint64_t here = t->now.instructions, first = t->checkpoint[0].moment.instructions;

    t->travel = (struct travel){ to == UINT64_MAX ? WAY_UNKNOWN : WAY_FORWARDS, from > first ? from : first, to, 0 };
    enum hc_advance why = reach(t, from > first ? from : first);
    if (why == HC_ADVANCE_THERE) {
        t->hears_places = t->hears_accesses = true;
        while ((why = go(t, to)) == HC_ADVANCE_HOOK)
            if (visit(owner, &t->now)) {
                why = HC_ADVANCE_THERE;
                break;
            }
        t->hears_places = t->hears_accesses = false;
    }
    hc_timeline_return(t, here);
    return translate(why);
}

enum hc_timeline_stop hc_timeline_retrace(struct hc_timeline *t, uint64_t from, uint64_t to, hc_retrace_fn *begin,
                                          hc_retrace_fn *end, void *owner)
{
    uint64_t here = t->now.instructions;

    t->travel = (struct travel){ WAY_FORWARDS, from, to, 0 };
    enum hc_advance why = reach(t, from);
    if (why == HC_ADVANCE_THERE) {
        begin(owner);
        why = go_quietly(t, to);
        if (end)
            end(owner);
    }
    bool there = t->now.instructions == to;
    hc_timeline_return(t, here);
    return there ? HC_TIMELINE_THERE : translate(why);
}

size_t hc_timeline_interrupts(struct hc_timeline *t, uint64_t first, struct hc_past_interrupt *out, size_t max)
{
    uint64_t here = t->now.instructions, last = t->farthest.interrupts;
    size_t n = 0;

    if (first <= t->checkpoint[0].moment.interrupts)
        first = t->checkpoint[0].moment.interrupts + 1;
    if (first > last)
        return 0;
    restore(t, last_up_to(t, BY_INTERRUPTS, first - 1));
    for (; n < max && first + n <= last; n++) {
        enum hc_advance why = go_to_interrupt(t, first + n);
        arrived(t);
        if (why != HC_ADVANCE_THERE)
            break;
        out[n] = (struct hc_past_interrupt){ .number = first + n, .moment = t->now };
        t->execution->ops->interrupt(t->execution, &out[n].vector, &out[n].pc);
    }
    hc_timeline_return(t, here);
    return n;
}

/* ---- what there is ---- */

bool hc_timeline_restart(struct hc_timeline *t)
{
    struct hc_execution *execution = t->execution;

    while (t->count)
        forget(t, t->count - 1);
    t->interval = FIRST_INTERVAL;
    t->ended = false;
    execution->ops->moment(execution, &t->now);
    execution->ops->advance(execution, t->now.instructions); /* what comes before the first instruction */
    execution->ops->moment(execution, &t->now);
    t->farthest = t->now;
    return keep(t, false);
}

struct hc_timeline *hc_timeline_new(struct hc_execution *execution, size_t memory)
{
    struct hc_timeline *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->execution = execution;
    t->memory = memory ? memory : default_memory;
    if (hc_timeline_restart(t))
        return t;
    free(t->checkpoint);
    free(t);
    return NULL;
}

void hc_timeline_free(struct hc_timeline *t)
{
    if (!t)
        return;
    while (t->count)
        forget(t, t->count - 1);
    free(t->checkpoint);
    free(t);
}

struct hc_machine *hc_timeline_machine(struct hc_timeline *t)
{
    return t->execution->ops->machine(t->execution);
}

const struct hc_moment *hc_timeline_now(const struct hc_timeline *t)
{
    return &t->now;
}

void hc_timeline_present(const struct hc_timeline *t, struct hc_moment *out)
{
    t->execution->ops->moment(t->execution, out);
}

const struct hc_moment *hc_timeline_start(const struct hc_timeline *t)
{
    return &t->checkpoint[0].moment;
}

const struct hc_moment *hc_timeline_farthest(const struct hc_timeline *t)
{
    return &t->farthest;
}

static double fraction(uint64_t done, uint64_t all)
{
    return all ? (double)(done < all ? done : all) / (double)all : -1;
}

double hc_timeline_progress(const struct hc_timeline *t)
{
    const struct travel *way = &t->travel;
    uint64_t here = t->now.instructions;

    switch (way->way) {
    case WAY_FORWARDS:
        if (way->to > t->farthest.instructions && hc_timeline_replays(t))
            return -1; /* the log may end before */
        return here < way->from ? 0 : fraction(here - way->from, way->to - way->from);
    case WAY_IN_TIME:
        if (hc_timeline_replays(t))
            return -1;
        return t->now.time < way->from ? 0 : fraction(t->now.time - way->from, way->to - way->from);
    case WAY_BACK:
        return fraction(way->from - way->at, way->from - way->to);
    default:
        return -1;
    }
}

void hc_timeline_forget_future(struct hc_timeline *t)
{
    while (t->count > 1 && t->checkpoint[t->count - 1].moment.instructions > t->now.instructions)
        forget(t, t->count - 1);
    t->farthest = t->now;
    t->ended = false;
}

const char *hc_timeline_text(const struct hc_timeline *t)
{
    return t->execution->ops->text(t->execution);
}

int hc_timeline_last_vector(const struct hc_timeline *t)
{
    int vector;
    uint32_t pc;

    t->execution->ops->interrupt(t->execution, &vector, &pc);
    return vector;
}

bool hc_timeline_hears_places(const struct hc_timeline *t)
{
    return t->hears_places;
}

bool hc_timeline_hears_accesses(const struct hc_timeline *t)
{
    return t->hears_accesses;
}

bool hc_timeline_repeating(const struct hc_timeline *t)
{
    struct hc_moment here;

    t->execution->ops->moment(t->execution, &here);
    return here.time <= t->farthest.time;
}

void hc_timeline_listen(struct hc_timeline *t, hc_outside_fn *call, void *owner)
{
    if (t->execution->ops->listen)
        t->execution->ops->listen(t->execution, call, owner);
}

bool hc_timeline_replays(const struct hc_timeline *t)
{
    return t->execution->ops->listen != NULL;
}

void hc_timeline_set_poll(struct hc_timeline *t, bool (*interrupted)(void *owner), void *owner)
{
    t->interrupted = interrupted;
    t->owner = owner;
}

void hc_timeline_statistics(const struct hc_timeline *t, struct hc_timeline_statistics *out)
{
    *out = (struct hc_timeline_statistics){
        .checkpoints = t->count, .bytes = t->bytes, .interval = t->interval, .instructions_again = t->again
    };
}
