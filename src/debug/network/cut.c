#include "network_state.h"

#include <stdio.h>

static const struct hc_network_history_node *node_of(const struct hc_network_debugger *n, uint32_t node)
{
    return &n->c.history->nodes[node];
}

struct hc_debugger *hc_network_session(struct hc_network_debugger *n, uint32_t node)
{
    struct hc_network_node *to = &n->nodes[node];
    struct hc_network_opened opened;

    if (to->session)
        return to->session;
    if (node_of(n, node)->log < 0 || !node_of(n, node)->stretch_count) {
        hc_network_fail(n, "node %u: its log has messages alone: nothing of it can be replayed",
                        hc_network_address(n, node));
        return NULL;
    }
    if (!n->c.open(n->c.owner, node_of(n, node)->log, &opened, n->problem, sizeof n->problem))
        return NULL;
    to->session = hc_debugger_new(opened.image, opened.timeline, n->c.out, true);
    if (!to->session) {
        hc_network_fail(n, "out of memory");
        return NULL;
    }
    hc_debugger_set_replay(to->session, opened.replay);
    hc_debugger_set_colours(to->session, n->colours);
    hc_debugger_set_progress(to->session, n->tell, n->told);
    return to->session;
}

/* ---- events and stretches ---- */

uint32_t hc_network_last_event(const struct hc_network_debugger *n, uint32_t node, int64_t time)
{
    const struct hc_network_history_node *of = node_of(n, node);
    uint32_t low = 0, high = of->count; /* events before `low` have happened */

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (n->c.axis->time[of->first + middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? of->first + low - 1 : HC_NO_EVENT;
}

int hc_network_stretch(const struct hc_network_debugger *n, uint32_t node, uint32_t segment)
{
    for (size_t i = 0; i < node_of(n, node)->stretch_count; i++)
        if (node_of(n, node)->stretches[i].segment == segment)
            return (int)i;
    return -1;
}

/* Events of stretch I: from *FIRST on, below *END. */
static void events_of(const struct hc_network_history_node *node, size_t i, uint32_t *first, uint32_t *end)
{
    *first = node->first + node->stretches[i].at;
    *end = node->first + (i + 1 < node->stretch_count ? node->stretches[i + 1].at : node->count);
}

/* The stretch in which NODE is at TIME: the last one that has started. */
static size_t stretch_at(const struct hc_network_debugger *n, uint32_t node, int64_t time)
{
    const struct hc_network_history_node *of = node_of(n, node);
    uint32_t last = hc_network_last_event(n, node, time);
    size_t found = 0;

    for (size_t i = 1; i < of->stretch_count; i++)
        if (hc_axis_from_clock(n->c.axis, node, i, of->stretches[i].begin) <= time ||
            (last != HC_NO_EVENT && last - of->first >= of->stretches[i].at))
            found = i;
    return found;
}

/* ---- to a time ---- */

static bool go(struct hc_network_debugger *n, uint32_t node)
{
    const struct hc_network_history_node *of = node_of(n, node);
    struct hc_debugger *s = hc_network_session(n, node);
    uint32_t first, end, last = hc_network_last_event(n, node, n->now);
    uint64_t least = 0, most = UINT64_MAX;

    if (!s)
        return false;
    const struct hc_network_stretch *stretch = &of->stretches[stretch_at(n, node, n->now)];
    events_of(of, (size_t)(stretch - of->stretches), &first, &end);
    if (last != HC_NO_EVENT && last >= first && last < end)
        least = n->c.history->events[last].moment + 1;
    uint32_t next = last == HC_NO_EVENT || last < first ? first : last + 1;
    if (next < end && n->c.history->events[next].moment > least) /* not at it: a breakpoint there would be passed */
        most = n->c.history->events[next].moment - 1;
    int64_t clock = hc_axis_to_clock(n->c.axis, node, n->now) - stretch->begin;
    if (clock > stretch->end - stretch->begin)
        clock = stretch->end - stretch->begin;
    hc_time local = clock > 0 ? hc_us((uint64_t)clock / 1000) : 0;
    return hc_debugger_go(s, stretch->segment, local, least, most) ||
           hc_network_fail(n, "node %u: %s", hc_network_address(n, node), hc_debugger_problem(s));
}

struct hc_debugger *hc_network_at_present(struct hc_network_debugger *n, uint32_t node)
{
    if (!n->nodes[node].there && !go(n, node))
        return NULL;
    n->nodes[node].there = true;
    return n->nodes[node].session;
}

int64_t hc_network_time_of(struct hc_network_debugger *n, uint32_t node)
{
    const struct hc_network_history_node *of = node_of(n, node);
    struct hc_debugger_place place;

    hc_debugger_place(n->nodes[node].session, &place);
    int found = hc_network_stretch(n, node, place.segment);
    if (found < 0)
        return n->now;
    int64_t clock = of->stretches[found].begin + (int64_t)hc_to_us(place.time) * 1000;
    return hc_axis_place(n->c.axis, n->c.history, node, (size_t)found, place.moment, clock);
}

/* The event at NODE's present moment. */
static uint32_t event_here(struct hc_network_debugger *n, uint32_t node)
{
    struct hc_debugger_place place;
    uint32_t last = hc_network_last_event(n, node, n->now);

    hc_debugger_place(n->nodes[node].session, &place);
    return last != HC_NO_EVENT && n->c.history->events[last].moment == place.moment ? last : HC_NO_EVENT;
}

void hc_network_take_present(struct hc_network_debugger *n, uint32_t node)
{
    n->now = hc_network_time_of(n, node);
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        n->nodes[i].there = i == node;
    n->current = node;
    n->event = event_here(n, node);
}

bool hc_network_go_to_time(struct hc_network_debugger *n, int64_t time)
{
    n->now = time;
    n->event = HC_NO_EVENT;
    for (uint32_t i = 0; i < n->c.history->node_count; i++)
        n->nodes[i].there = false;
    return hc_network_at_present(n, n->current) != NULL;
}

bool hc_network_go_to_event(struct hc_network_debugger *n, uint32_t event)
{
    uint32_t node = n->c.pairing->node_of[event];
    const struct hc_network_history_node *of = node_of(n, node);
    const struct hc_traffic *t = &n->c.history->events[event];
    struct hc_debugger *s = hc_network_session(n, node);
    uint32_t segment = t->segment;

    if (!s)
        return false;
    for (size_t i = 0; i < of->stretch_count && of->stretches[i].at <= event - of->first; i++)
        segment = of->stretches[i].segment;
    if (!hc_debugger_go(s, segment, 0, t->moment, t->moment))
        return hc_network_fail(n, "node %u: %s", hc_network_address(n, node), hc_debugger_problem(s));
    hc_network_take_present(n, node);
    n->now = n->c.axis->time[event];
    n->event = event;
    return true;
}
