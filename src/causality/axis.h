/* One axis of time for nodes whose clocks are not synchronised.
 *
 * A node's clock is that of its replay: ns since the start of its log, according to its own timers. The reference is
 * the clock of the node with the most messages. The offset of each other clock to it is bounded by three kinds of
 * facts:
 *
 *     a message          was sent before it was received:  offset(receiver) - offset(sender) >= sent - received
 *     a clock            drifts by at most `drift`:         offsets of two adjacent windows differ little
 *     a gap in a log     is at least as long as the clock says: offset(after) >= offset(before)
 *
 * Each fact bounds a difference of two offsets. So the lowest and the highest offset of each window of each clock are
 * longest paths in a graph. The estimate is their mean, which satisfies all facts as well; its uncertainty is half
 * their distance. If the facts contradict each other, a clock drifts more than assumed: `drift` is doubled until they
 * do not.
 *
 * Causality has priority: an event that the estimate places before its cause is moved to just after it. */
#ifndef HC_CAUSALITY_AXIS_H
#define HC_CAUSALITY_AXIS_H

#include "pairing.h"

#define HC_SPREAD_UNKNOWN UINT32_MAX

struct hc_axis_window {
    int64_t begin;  /* by the node's clock */
    int64_t offset; /* axis = clock + offset */
    uint32_t spread_us;
    uint32_t stretch; /* index of the node's stretch that it is in */
};

struct hc_axis {
    int64_t *time;       /* by event: ns on the axis, which is the reference's clock; negative before its start.
                          * Increases from cause to effect and along each node's events; no two are equal */
    uint32_t *spread_us; /* by event: the largest error of the estimate if no clock drifts by more than `drift`;
                          * HC_SPREAD_UNKNOWN: nothing bounds it */
    uint32_t *order;     /* all events by time: causes precede their effects */
    struct hc_axis_window *windows;
    size_t *first;      /* by node, and one more: its first window; a node without a clock has none */
    uint32_t reference; /* node */
    double drift;       /* of each clock: the facts are consistent with it */
    int64_t begin, end; /* of all events and lives */
    bool clockless;     /* no event has a time: the axis counts events */
};

/* Returns 0 or HC_NETWORK_FULL. O(n log n), and some passes over the facts. */
int hc_axis_make(struct hc_axis *axis, const struct hc_network_history *history, const struct hc_pairing *pairing);
void hc_axis_free(struct hc_axis *axis);

/* The clock of NODE at TIME on the axis, and the reverse, in its stretch STRETCH: one may begin at the time at which
 * the one before it ends. HC_NO_TIME: it has no clock. */
int64_t hc_axis_to_clock(const struct hc_axis *axis, uint32_t node, int64_t time);
int64_t hc_axis_from_clock(const struct hc_axis *axis, uint32_t node, size_t stretch, int64_t clock);

/* The time on the axis at which NODE is at moment MOMENT of its stretch STRETCH, when its clock shows CLOCK: not before
 * its last event up to that moment, and before its next one. O(log events). */
int64_t hc_axis_place(const struct hc_axis *axis, const struct hc_network_history *history, uint32_t node,
                      size_t stretch, uint64_t moment, int64_t clock);

#endif
