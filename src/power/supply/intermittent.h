/* An intermittent run: a machine fed by a capacitor and a harvester (energy.h). It is switched on when the voltage has
 * risen to v_on, and loses its supply when it has fallen to v_off; in between it draws what its modes cost.
 *
 * What is drawn is settled after each stretch, which is short enough not to pass a threshold unseen by more than a
 * microsecond. The same supply and seed give the same run. */
#ifndef HC_POWER_INTERMITTENT_H
#define HC_POWER_INTERMITTENT_H

#include "energy.h"

/* Told of each event; INSTRUCTIONS: retired since the machine was last switched on. */
typedef void hc_intermittent_fn(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts,
                                uint64_t instructions);

struct hc_intermittent_config {
    struct hc_machine *machine; /* loaded, and off: it has not been reset */
    struct hc_supply *supply;   /* its present charge and time are where the run begins */
    const struct hc_consumption *consumption;
    uint64_t until_ns;
    uint64_t seed;             /* of what memory holds after each power-on */
    uint32_t main;             /* 0: run to the end of time; else until main returns, */
    uint32_t until;            /* or, unless this is 0, comes there */
    hc_intermittent_fn *event; /* or NULL */
    bool samples;              /* it is told of HC_SUPPLY_TIME, too: every millisecond, or more often */
    void *owner;
};

struct hc_intermittent {
    bool finished; /* main returned, */
    bool at_place; /* or came to `until` */
    bool faulted;
    uint64_t power_cycles;      /* how often it was switched on */
    uint64_t on_ns;             /* for how long, in all */
    uint64_t instructions;      /* in all */
    uint64_t most_instructions; /* between a power-on and the loss of supply */
};

void hc_intermittent_run(const struct hc_intermittent_config *config, struct hc_intermittent *out);

#endif
