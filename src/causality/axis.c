#include "axis.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS_MOST = 200000, SWEEPS_MOST = 200, TRIES_MOST = 12 };
#define LEAST_WINDOW (1000 * INT64_C(1000000))
#define FIRST_DRIFT 100e-6
#define NOWHERE (INT64_MIN / 4)

/* offset(to) - offset(from) >= least. */
struct fact {
    uint32_t from, to;
    int64_t least;
};

/* What is between a window and the one before. */
enum break_kind { UNBROKEN, GAP /* it is at least as long as the clock says */, ADRIFT /* nothing is known */ };

struct work {
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    struct hc_axis *axis;
    int64_t length; /* of a window */
    size_t window_count;
    uint8_t *after_gap; /* by window: enum break_kind */
    struct fact *facts;
    size_t fact_count;
    int64_t *low, *high;
};

/* ---- windows ---- */

static int64_t life_of(const struct hc_network_history_node *node, const struct hc_traffic *events, int64_t *begin)
{
    int64_t end = HC_NO_TIME;

    *begin = HC_NO_TIME;
    for (size_t i = 0; i < node->count; i++)
        if (events[i].time != HC_NO_TIME) {
            *begin = *begin == HC_NO_TIME ? events[i].time : *begin;
            end = events[i].time;
        }
    if (node->stretch_count) {
        *begin = node->stretches[0].begin;
        end = node->stretches[node->stretch_count - 1].end;
    }
    return end;
}

static int64_t all_lives(const struct work *w)
{
    int64_t sum = 0, begin;

    for (size_t n = 0; n < w->history->node_count; n++) {
        const struct hc_network_history_node *node = &w->history->nodes[n];
        int64_t end = life_of(node, w->history->events + node->first, &begin);
        if (end != HC_NO_TIME)
            sum += end - begin;
    }
    return sum;
}

/* Adds windows of STRETCH, from BEGIN to END; if W->axis->windows is NULL, only counts them. */
static void add_windows(struct work *w, size_t stretch, int64_t begin, int64_t end, enum break_kind broken)
{
    do {
        if (w->axis->windows) {
            w->axis->windows[w->window_count] = (struct hc_axis_window){ .begin = begin, .stretch = (uint32_t)stretch };
            w->after_gap[w->window_count] = (uint8_t)broken;
        }
        w->window_count++;
        broken = UNBROKEN;
        begin += w->length;
    } while (begin < end);
}

static void divide(struct work *w)
{
    w->window_count = 0;
    for (size_t n = 0; n < w->history->node_count; n++) {
        const struct hc_network_history_node *node = &w->history->nodes[n];
        int64_t begin, end = life_of(node, w->history->events + node->first, &begin);
        w->axis->first[n] = w->window_count;
        if (end == HC_NO_TIME)
            continue;
        if (!node->stretch_count)
            add_windows(w, 0, begin, end, UNBROKEN);
        for (size_t i = 0; i < node->stretch_count; i++)
            add_windows(w, i, node->stretches[i].begin, node->stretches[i].end,
                        !i                          ? UNBROKEN
                        : node->stretches[i].adrift ? ADRIFT
                                                    : GAP);
    }
    w->axis->first[w->history->node_count] = w->window_count;
}

static int make_windows(struct work *w)
{
    w->length = all_lives(w) / WINDOWS_MOST;
    if (w->length < LEAST_WINDOW)
        w->length = LEAST_WINDOW;
    divide(w);
    w->axis->windows = calloc(w->window_count + 1, sizeof *w->axis->windows);
    w->after_gap = calloc(w->window_count + 1, 1);
    w->low = malloc((w->window_count + 1) * sizeof *w->low);
    w->high = malloc((w->window_count + 1) * sizeof *w->high);
    if (!w->axis->windows || !w->after_gap || !w->low || !w->high)
        return HC_NETWORK_FULL;
    divide(w);
    return 0;
}

/* The last window of NODE in STRETCH that starts at or before CLOCK; the first one there if there is none. */
static size_t window_at(const struct hc_axis *axis, uint32_t node, size_t stretch, int64_t clock)
{
    size_t low = axis->first[node], high = axis->first[node + 1];

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        const struct hc_axis_window *window = &axis->windows[middle];
        if (window->stretch < stretch || (window->stretch == stretch && window->begin <= clock))
            low = middle;
        else
            high = middle;
    }
    if (axis->windows[low].stretch < stretch && low + 1 < axis->first[node + 1])
        low++;
    return low;
}

/* ---- facts ---- */

/* The index of the stretch that event INDEX of NODE is in. */
static size_t stretch_of(const struct hc_network_history_node *node, uint32_t index)
{
    size_t low = 0, high = node->stretch_count;

    while (high > low + 1) {
        size_t middle = low + (high - low) / 2;
        if (node->stretches[middle].at <= index)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t window_of(const struct work *w, uint32_t event)
{
    uint32_t node = w->pairing->node_of[event];
    const struct hc_network_history_node *of = &w->history->nodes[node];

    if (w->history->events[event].time == HC_NO_TIME || w->axis->first[node] == w->axis->first[node + 1])
        return UINT32_MAX;
    return (uint32_t)window_at(w->axis, node, stretch_of(of, event - of->first), w->history->events[event].time);
}

static void add_fact(struct work *w, uint32_t from, uint32_t to, int64_t least)
{
    w->facts[w->fact_count++] = (struct fact){ from, to, least };
}

static uint32_t cause_of(const struct work *w, uint32_t event)
{
    const struct hc_pairing_receive *r = &w->pairing->receives[event];

    if (w->history->events[event].kind != HC_TRAFFIC_RECEIVE)
        return HC_NO_EVENT;
    if (r->fate == HC_PAIRED)
        return r->send;
    if (r->channel == UINT32_MAX || r->low == HC_NO_COUNTER)
        return HC_NO_EVENT;
    return hc_channel_cause(&w->pairing->channels.channels[r->channel], w->history, r->low);
}

/* A receive is later than its send; or, if that is undecided, later than the events of its sender that are certainly
 * before. */
static void add_message(struct work *w, uint32_t receive)
{
    const struct hc_traffic *r = &w->history->events[receive];
    uint32_t cause = cause_of(w, receive);

    if (cause == HC_NO_EVENT || r->late_us == UINT32_MAX)
        return;
    uint32_t from = window_of(w, cause), to = window_of(w, receive);
    if (from != UINT32_MAX && to != UINT32_MAX && from != to)
        add_fact(w, from, to, w->history->events[cause].time - r->time - (int64_t)r->late_us * 1000);
}

static int by_windows(const void *a, const void *b)
{
    const struct fact *x = a, *y = b;

    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
           : x->to != y->to   ? (x->to > y->to) - (x->to < y->to)
                              : (y->least > x->least) - (y->least < x->least);
}

/* Of facts about the same two windows, keeps the strictest. */
static void thin_out(struct work *w)
{
    size_t kept = 0;

    qsort(w->facts, w->fact_count, sizeof *w->facts, by_windows);
    for (size_t i = 0; i < w->fact_count; i++)
        if (!kept || w->facts[kept - 1].from != w->facts[i].from || w->facts[kept - 1].to != w->facts[i].to)
            w->facts[kept++] = w->facts[i];
    w->fact_count = kept;
}

static int make_facts(struct work *w)
{
    w->facts = malloc((w->history->event_count + 1) * sizeof *w->facts);
    if (!w->facts)
        return HC_NETWORK_FULL;
    for (uint32_t i = 0; i < w->history->event_count; i++)
        add_message(w, i);
    thin_out(w);
    return 0;
}

/* ---- paths ---- */

static bool raise(int64_t *offset, int64_t from, int64_t by)
{
    if (from == NOWHERE || from + by <= *offset)
        return false;
    *offset = from + by;
    return true;
}

/* How much a clock's offset can change within two windows. */
static int64_t slack(const struct work *w, double drift)
{
    return (int64_t)(drift * 2.0 * (double)w->length) + 1;
}

/* Facts of clocks: window V and the one before it. OFFSET: lowest offsets if FORWARDS, else the negative of the
 * highest.
 */
static bool follow_clock(const struct work *w, int64_t *offset, size_t v, double drift, bool forwards)
{
    enum break_kind broken = w->after_gap[v];
    bool changed = false;

    if (broken == ADRIFT)
        return false;
    /* After a gap the offset is not lower than before: the lowest offset carries over forwards, the highest backwards.
     */
    if (broken == UNBROKEN || forwards)
        changed |= raise(&offset[v], offset[v - 1], -slack(w, drift));
    if (broken == UNBROKEN || !forwards)
        changed |= raise(&offset[v - 1], offset[v], -slack(w, drift));
    return changed;
}

static bool sweep_clocks(const struct work *w, int64_t *offset, double drift, bool forwards)
{
    bool changed = false;

    for (size_t n = 0; n < w->history->node_count; n++) {
        size_t first = w->axis->first[n], end = w->axis->first[n + 1];
        for (size_t v = first + 1; v < end; v++)
            changed |= follow_clock(w, offset, v, drift, forwards);
        for (size_t v = end; v-- > first + 1;)
            changed |= follow_clock(w, offset, v, drift, forwards);
    }
    return changed;
}

static bool sweep_messages(const struct work *w, int64_t *offset, double drift, bool forwards)
{
    bool changed = false;

    for (size_t i = 0; i < w->fact_count; i++) {
        const struct fact *f = &w->facts[i];
        uint32_t from = forwards ? f->from : f->to, to = forwards ? f->to : f->from;
        changed |= raise(&offset[to], offset[from], f->least - slack(w, drift));
    }
    return changed;
}

/* Computes the lowest offsets, or the negative of the highest, relative to the reference. Returns false if they grow
 * without limit. */
static bool settle(const struct work *w, int64_t *offset, double drift, bool forwards)
{
    for (size_t v = 0; v < w->window_count; v++)
        offset[v] = NOWHERE;
    offset[w->axis->first[w->axis->reference]] = 0;
    for (int i = 0; i < SWEEPS_MOST; i++) {
        bool clocks = sweep_clocks(w, offset, drift, forwards);
        if (!sweep_messages(w, offset, drift, forwards) && !clocks)
            return offset[w->axis->first[w->axis->reference]] == 0;
        if (offset[w->axis->first[w->axis->reference]] > 0)
            return false;
    }
    return true; /* not converged: the bounds are valid, only too wide */
}

static void keep_offsets(struct work *w)
{
    for (size_t v = 0; v < w->window_count; v++) {
        struct hc_axis_window *window = &w->axis->windows[v];
        int64_t low = w->low[v], high = w->high[v] == NOWHERE ? NOWHERE : -w->high[v];
        bool both = low != NOWHERE && high != NOWHERE;
        int64_t half = both && high > low ? (high - low) / 2 : 0;
        window->offset = both ? low + half : low != NOWHERE ? low : high != NOWHERE ? high : 0;
        window->spread_us = !both                                          ? HC_SPREAD_UNKNOWN
                            : half / 1000 < (int64_t)HC_SPREAD_UNKNOWN - 1 ? (uint32_t)(half / 1000) + 1
                                                                           : HC_SPREAD_UNKNOWN;
    }
}

static void choose_reference(struct work *w)
{
    uint32_t most = 0;

    for (uint32_t n = 0; n < w->history->node_count; n++)
        if (w->axis->first[n + 1] > w->axis->first[n] && w->history->nodes[n].count > most) {
            most = w->history->nodes[n].count;
            w->axis->reference = n;
        }
}

static int estimate(struct work *w)
{
    double drift = FIRST_DRIFT;

    if (make_windows(w) || make_facts(w))
        return HC_NETWORK_FULL;
    choose_reference(w);
    if (!w->window_count)
        return 0;
    for (int i = 0; i < TRIES_MOST; i++, drift *= 2) {
        w->axis->drift = drift;
        if (settle(w, w->low, drift, true) && settle(w, w->high, drift, false))
            break;
    }
    keep_offsets(w);
    return 0;
}

/* ---- events ---- */

static int64_t own_time(const struct work *w, uint32_t event, uint32_t *spread)
{
    const struct hc_traffic *t = &w->history->events[event];
    uint32_t v = window_of(w, event);

    *spread = HC_SPREAD_UNKNOWN;
    if (v == UINT32_MAX)
        return HC_NO_TIME;
    const struct hc_axis_window *window = &w->axis->windows[v];
    if (t->late_us < HC_SPREAD_UNKNOWN - window->spread_us)
        *spread = window->spread_us + t->late_us;
    return t->time + window->offset;
}

static int64_t later(int64_t time, int64_t cause)
{
    enum { LEAST = 1000 }; /* ns: still distinct when written in microseconds */

    return cause != HC_NO_TIME && (time == HC_NO_TIME || time < cause + LEAST) ? cause + LEAST : time;
}

static void place_events(struct work *w)
{
    struct hc_axis *axis = w->axis;

    axis->clockless = true;
    for (size_t i = 0; i < w->history->event_count; i++) {
        uint32_t event = w->pairing->order[i], node = w->pairing->node_of[event], cause = cause_of(w, event);
        int64_t time = own_time(w, event, &axis->spread_us[event]);
        axis->clockless &= time == HC_NO_TIME;
        if (event > w->history->nodes[node].first)
            time = later(time, axis->time[event - 1]);
        if (cause != HC_NO_EVENT)
            time = later(time, axis->time[cause]);
        axis->time[event] = time == HC_NO_TIME ? 0 : time;
    }
}

static void widen(struct hc_axis *axis, int64_t time)
{
    axis->begin = time < axis->begin ? time : axis->begin;
    axis->end = time > axis->end ? time : axis->end;
}

struct placed {
    int64_t time;
    uint32_t event;
};

static int by_place(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->event > y->event) - (x->event < y->event);
}

static int sort_events(struct work *w)
{
    size_t n = w->history->event_count;
    struct placed *placed = malloc((n + 1) * sizeof *placed);

    if (!placed)
        return HC_NETWORK_FULL;
    for (uint32_t i = 0; i < n; i++)
        placed[i] = (struct placed){ w->axis->time[i], i };
    qsort(placed, n, sizeof *placed, by_place);
    for (size_t i = 0; i < n; i++) {
        if (i && placed[i].time <= placed[i - 1].time) /* no two events at the same time: so each time is a cut */
            placed[i].time = placed[i - 1].time + 1;
        w->axis->order[i] = placed[i].event;
        w->axis->time[placed[i].event] = placed[i].time;
    }
    free(placed);
    return 0;
}

static void find_ends(struct work *w)
{
    struct hc_axis *axis = w->axis;

    axis->begin = INT64_MAX;
    axis->end = INT64_MIN;
    for (size_t i = 0; i < w->history->event_count; i++)
        widen(axis, axis->time[i]);
    for (uint32_t n = 0; n < w->history->node_count; n++) {
        const struct hc_network_history_node *node = &w->history->nodes[n];
        for (size_t i = 0; i < node->stretch_count; i++) {
            widen(axis, hc_axis_from_clock(axis, n, i, node->stretches[i].begin));
            widen(axis, hc_axis_from_clock(axis, n, i, node->stretches[i].end));
        }
    }
    if (axis->begin > axis->end)
        axis->begin = axis->end = 0;
}

int64_t hc_axis_from_clock(const struct hc_axis *axis, uint32_t node, size_t stretch, int64_t clock)
{
    if (axis->first[node] == axis->first[node + 1])
        return HC_NO_TIME;
    return clock + axis->windows[window_at(axis, node, stretch, clock)].offset;
}

int64_t hc_axis_to_clock(const struct hc_axis *axis, uint32_t node, int64_t time)
{
    size_t low = axis->first[node], high = axis->first[node + 1];

    if (low == high)
        return HC_NO_TIME;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (axis->windows[middle].begin + axis->windows[middle].offset <= time)
            low = middle;
        else
            high = middle;
    }
    return time - axis->windows[low].offset;
}

int64_t hc_axis_place(const struct hc_axis *axis, const struct hc_network_history *history, uint32_t node,
                      size_t stretch, uint64_t moment, int64_t clock)
{
    const struct hc_network_history_node *of = &history->nodes[node];
    uint32_t low = of->first + of->stretches[stretch].at, end = of->first + of->count, high = end;
    int64_t time = hc_axis_from_clock(axis, node, stretch, clock);

    if (stretch + 1 < of->stretch_count)
        high = of->first + of->stretches[stretch + 1].at;
    while (low < high) { /* events before `low` have happened */
        uint32_t middle = low + (high - low) / 2;
        if (history->events[middle].moment <= moment)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > of->first && time < axis->time[low - 1])
        time = axis->time[low - 1];
    if (low < end && time >= axis->time[low])
        time = axis->time[low] - 1;
    return time;
}

int hc_axis_make(struct hc_axis *axis, const struct hc_network_history *history, const struct hc_pairing *pairing)
{
    struct work w = { .history = history, .pairing = pairing, .axis = axis };

    *axis = (struct hc_axis){
        .time = malloc((history->event_count + 1) * sizeof *axis->time),
        .spread_us = malloc((history->event_count + 1) * sizeof *axis->spread_us),
        .order = malloc((history->event_count + 1) * sizeof *axis->order),
        .first = calloc(history->node_count + 1, sizeof *axis->first),
    };
    bool fits = axis->time && axis->spread_us && axis->order && axis->first;
    int result = fits ? estimate(&w) : HC_NETWORK_FULL;
    if (!result) {
        place_events(&w);
        result = sort_events(&w);
        find_ends(&w);
    }
    free(w.after_gap);
    free(w.facts);
    free(w.low);
    free(w.high);
    if (result)
        hc_axis_free(axis);
    return result;
}

void hc_axis_free(struct hc_axis *axis)
{
    free(axis->time);
    free(axis->spread_us);
    free(axis->order);
    free(axis->windows);
    free(axis->first);
    *axis = (struct hc_axis){ 0 };
}
