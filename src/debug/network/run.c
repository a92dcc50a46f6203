/* Until something stops any node, forwards or backwards.
 *
 * Forwards each node that has breakpoints runs in slices, always the one that lags behind, until the earliest stop is
 * not later than where all others are. Backwards each goes to its last stop, and the latest of those counts. */
#include "network_state.h"

#include <stdlib.h>

#define SLICE (INT64_C(1000000000)) /* ns */

struct runner {
    bool runs;    /* it has breakpoints or watchpoints */
    bool stopped; /* by one of them */
    int64_t time; /* on the axis: where it stopped, or how far it ran without a stop */
};

static struct runner *start(struct hc_network_debugger *n, bool *any)
{
    struct runner *runners = calloc(n->c.history->node_count + 1, sizeof *runners);

    *any = false;
    for (uint32_t i = 0; runners && i < n->c.history->node_count; i++) {
        struct hc_debugger *s = n->nodes[i].session;
        runners[i] = (struct runner){ .runs = s && hc_debugger_has_points(s), .time = n->now };
        *any |= runners[i].runs;
    }
    if (!runners)
        hc_network_fail(n, "out of memory");
    else if (!*any)
        hc_network_fail(n, "no node has a breakpoint or watchpoint: nothing would stop the run; `break PLACE`, or `all "
                           "break PLACE`");
    return runners;
}

/* The moment at which a slice of NODE ends: just before its first event a slice later, so that the next slice hits a
 * breakpoint there. */
static uint64_t limit_of(struct hc_network_debugger *n, uint32_t node, int64_t from, int64_t *reached)
{
    const struct hc_network_history_node *of = &n->c.history->nodes[node];
    struct hc_debugger_place place;

    hc_debugger_place(n->nodes[node].session, &place);
    int here = hc_network_stretch(n, node, place.segment);
    uint32_t last = hc_network_last_event(n, node, from + SLICE), event = last == HC_NO_EVENT ? of->first : last + 1;
    uint32_t end = here >= 0 && (size_t)here + 1 < of->stretch_count ? of->first + of->stretches[here + 1].at
                                                                     : of->first + of->count;
    *reached = INT64_MAX;
    if (event >= end)
        return UINT64_MAX;
    *reached = n->c.axis->time[event] - 1;
    return n->c.history->events[event].moment ? n->c.history->events[event].moment - 1 : 0;
}

/* At the end of a stretch: goes to the next one. False: there is none, or it cannot be replayed. */
static bool next_stretch(struct hc_network_debugger *n, uint32_t node)
{
    const struct hc_network_history_node *of = &n->c.history->nodes[node];
    struct hc_debugger_place place;

    hc_debugger_place(n->nodes[node].session, &place);
    int here = hc_network_stretch(n, node, place.segment);
    return here >= 0 && (size_t)here + 1 < of->stretch_count &&
           hc_debugger_go(n->nodes[node].session, of->stretches[here + 1].segment, 0, 0, 0);
}

/* False: it was interrupted, or failed. */
static bool run_slice(struct hc_network_debugger *n, uint32_t node, struct runner *r)
{
    struct hc_debugger *s = hc_network_at_present(n, node);
    int64_t reached;

    if (!s)
        return false;
    uint64_t limit = limit_of(n, node, r->time, &reached);
    enum hc_debugger_ran ran = hc_debugger_run_quietly(s, limit);
    if (ran == HC_RAN_INTERRUPTED || ran == HC_RAN_FAILED)
        return hc_network_fail(n, ran == HC_RAN_FAILED ? "%s" : "interrupted", hc_debugger_problem(s));
    r->stopped = ran == HC_RAN_STOPPED;
    if (r->stopped)
        r->time = hc_network_time_of(n, node);
    else if (ran == HC_RAN_TO_LIMIT)
        r->time = reached;
    else if (!next_stretch(n, node))
        r->time = INT64_MAX;
    else
        r->time = hc_network_time_of(n, node);
    return true;
}

/* The runner that is furthest behind; -1: none runs. */
static int64_t last_of(const struct hc_network_debugger *n, const struct runner *runners)
{
    int64_t found = -1;

    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        if (runners[i].runs && (found < 0 || runners[i].time < runners[found].time))
            found = i;
    return found;
}

/* Nodes that ran too far are moved back when a command inspects them. */
static bool arrive(struct hc_network_debugger *n, uint32_t node, bool backwards)
{
    struct hc_debugger *s = n->nodes[node].session;

    hc_network_take_present(n, node);
    hc_network_say_present(n);
    hc_debugger_tell_stop(s, backwards);
    return true;
}

static bool end_of_all(struct hc_network_debugger *n)
{
    if (!hc_network_go_to_time(n, n->c.axis->end))
        return false;
    fprintf(n->c.out, "The end of all logs.\n");
    hc_network_say_present(n);
    hc_debugger_show_place(n->nodes[n->current].session);
    return true;
}

bool hc_network_continue(struct hc_network_debugger *n)
{
    bool any, well = true;
    int64_t node = -1, before = n->now;
    struct runner *runners = start(n, &any);

    n->interrupted = false;
    while (any && well) {
        node = last_of(n, runners);
        if (runners[node].stopped || runners[node].time == INT64_MAX)
            break;
        well = run_slice(n, (uint32_t)node, &runners[node]) && (!n->interrupted || hc_network_fail(n, "interrupted"));
    }
    bool stopped = any && well && runners[node].stopped;
    free(runners);
    if (!any || !well) {
        n->now = before;
        for (uint32_t i = 0; any && i < n->c.history->node_count; i++)
            n->nodes[i].there = false;
        return false;
    }
    return stopped ? arrive(n, (uint32_t)node, false) : end_of_all(n);
}

/* ---- backwards ---- */

/* The last stop of NODE before the present, in this stretch or an earlier one. False: it was interrupted, or failed. */
static bool run_back(struct hc_network_debugger *n, uint32_t node, struct runner *r)
{
    const struct hc_network_history_node *of = &n->c.history->nodes[node];
    struct hc_debugger *s = hc_network_at_present(n, node);
    struct hc_debugger_place place;

    if (!s)
        return false;
    hc_debugger_place(s, &place);
    for (int here = hc_network_stretch(n, node, place.segment);; here--) {
        enum hc_debugger_ran ran = hc_debugger_run_back_quietly(s);
        if (ran == HC_RAN_INTERRUPTED || ran == HC_RAN_FAILED)
            return hc_network_fail(n, ran == HC_RAN_FAILED ? "%s" : "interrupted", hc_debugger_problem(s));
        r->stopped = ran == HC_RAN_STOPPED;
        r->time = r->stopped ? hc_network_time_of(n, node) : INT64_MIN;
        if (r->stopped || here <= 0)
            return true;
        if (!hc_debugger_go(s, of->stretches[here - 1].segment, 0, UINT64_MAX, UINT64_MAX))
            return hc_network_fail(n, "node %u: %s", hc_network_address(n, node), hc_debugger_problem(s));
    }
}

bool hc_network_reverse_continue(struct hc_network_debugger *n)
{
    bool any, well = true;
    int64_t found = -1;
    struct runner *runners = start(n, &any);

    n->interrupted = false;
    for (uint32_t i = 0; any && well && i < n->c.history->node_count; i++) {
        if (!runners[i].runs)
            continue;
        well = run_back(n, i, &runners[i]) && (!n->interrupted || hc_network_fail(n, "interrupted"));
        if (runners[i].stopped && (found < 0 || runners[i].time > runners[found].time))
            found = i;
        n->nodes[i].there = false;
    }
    free(runners);
    if (!any || !well)
        return false;
    if (found >= 0)
        return arrive(n, (uint32_t)found, true);
    if (!hc_network_go_to_time(n, n->c.axis->begin))
        return false;
    fprintf(n->c.out, "The beginning: nothing that would stop it was before.\n");
    hc_network_say_present(n);
    hc_debugger_show_place(n->nodes[n->current].session);
    return true;
}
