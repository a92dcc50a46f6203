/* One axis of time for nodes whose clocks know nothing of each other.
 *
 * A node's clock is its replay's: ns since the beginning of its log, by its own timers. What is looked for is the
 * offset of each clock to the reference's, which is the clock of the node with most messages. Three kinds of facts
 * bound it:
 *
 *     a message          was sent before it was received:  offset(receiver) - offset(sender) >= sent - received
 *     a clock            goes wrong by at most `drift`:     offsets of two windows that follow each other differ little
 *     a gap in a log     is at least as long as the clock says: offset(after) >= offset(before)
 *
 * Each is a difference of two offsets and a bound, so the lowest and the highest offset of each window of each clock
 * are longest paths. Their mean satisfies all facts, too, and is the estimate; half their distance is its uncertainty.
 * Where the facts contradict each other, a clock is worse than assumed: the drift is doubled until they do not.
 *
 * Causality always wins: an event that the estimate puts before its cause stands right behind it. */
#ifndef HC_CAUSALITY_AXIS_H
#define HC_CAUSALITY_AXIS_H

#include "pairing.h"

#define HC_SPREAD_UNKNOWN UINT32_MAX

struct hc_axis_window {
    int64_t begin;  /* by the node's clock */
    int64_t offset; /* axis = clock + offset */
    uint32_t spread_us;
};

struct hc_axis {
    int64_t *time;       /* by event: ns on the axis, which is the reference's clock: what was before its beginning is
                          * negative. Ascends along every cause, and along every node's events; no two are the same */
    uint32_t *spread_us; /* by event: the estimate is at most that wrong, if no clock goes wrong by more than `drift`;
                          * HC_SPREAD_UNKNOWN: nothing bounds it */
    uint32_t *order;     /* all events by time: causes precede their effects */
    struct hc_axis_window *windows;
    size_t *first;      /* by node, and one more: its first window; a node without a clock has none */
    uint32_t reference; /* node */
    double drift;       /* of each clock, that the facts are consistent with */
    int64_t begin, end; /* of all events and lives */
    bool clockless;     /* no event has a time: the axis counts events */
};

/* 0, or HC_NETWORK_FULL. O(n log n), and some passes over the facts. */
int hc_axis_make(struct hc_axis *axis, const struct hc_network_history *history, const struct hc_pairing *pairing);
void hc_axis_free(struct hc_axis *axis);

/* Where the clock of NODE stands at TIME on the axis, and the other way. HC_NO_TIME: it has no clock. */
int64_t hc_axis_to_clock(const struct hc_axis *axis, uint32_t node, int64_t time);
int64_t hc_axis_from_clock(const struct hc_axis *axis, uint32_t node, int64_t clock);

/* Where NODE stands on the axis when it is at moment MOMENT of its stretch STRETCH, and its clock at CLOCK: not before
 * the last of its events that has happened, and before the next one. O(log events). */
int64_t hc_axis_place(const struct hc_axis *axis, const struct hc_network_history *history, uint32_t node,
                      size_t stretch, uint64_t moment, int64_t clock);

#endif
