/* What happened when, for drawings: in the continuous run, and in one that a capacitor feeds. */
#ifndef HC_POWER_HISTORY_H
#define HC_POWER_HISTORY_H

#include "power/locate/locate.h"
#include "power/supply/intermittent.h"

struct hc_supply_point {
    enum hc_supply_event event;
    uint64_t ns, microvolts;
};

struct hc_history {
    uint64_t began;       /* main: instructions retired */
    uint64_t *checkpoint; /* the same when each checkpoint of the continuous run was completed */
    size_t checkpoints;

    bool supplied; /* there was a run on a capacitor */
    bool harvested;
    struct hc_capacitor capacitor;
    struct hc_intermittent result;
    struct hc_supply_point *point; /* in order; of more than fit, only events */
    size_t points;
    uint64_t *met; /* nanoseconds: when each checkpoint was met there */
    size_t mets;
};

/* All zero is empty. At most so many checkpoints and points are kept. */
enum { HC_HISTORY_MOST = 1 << 18 };
void hc_history_free(struct hc_history *c);

/* The continuous run of INSTRUCTIONS from main on, once more. CONFIG as for hc_power_locate, with the machine loaded
 * again and reset. */
void hc_history_run(struct hc_history *c, const struct hc_locate_config *config, uint64_t instructions);

/* The run that SUPPLY describes, its machine loaded again and off; CONFIG says where checkpoints are. */
void hc_history_supply(struct hc_history *c, const struct hc_locate_config *config,
                       const struct hc_intermittent_config *supply);

#endif
