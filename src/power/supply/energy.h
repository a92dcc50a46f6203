/* What feeds a battery-less node: a capacitor, a harvester, and what the node draws. Integers throughout, so that the
 * moment at which the supply fails is the same on every host.
 *
 *     harvester ──► capacitor ──► node         on:  the voltage has risen to v_on
 *        nA            nF, µV       nA         off: it has fallen to v_off; in between, at v_trigger, a reactive
 *                                              system saves its checkpoint
 *
 * A harvesting trace is CSV: seconds, microamperes; a line for each change, the current of a line lasting until the
 * next. An empty line, one that begins with '#', and a heading as the first line are skipped.
 *
 *     # time [s], current [uA]
 *     0,     120
 *     0.25,  0
 *     1.5,   80.25 */
#ifndef HC_POWER_ENERGY_H
#define HC_POWER_ENERGY_H

#include "machine/machine.h"

/* ---- the harvester ---- */

struct hc_harvest {
    size_t count;
    struct hc_harvest_step {
        uint64_t from_ns;
        uint64_t nanoamperes;
    } *step; /* sorted by time; before the first one nothing comes in */
};

/* TEXT need not end with a zero. 0, or -1 with "line 3: ..." in MESSAGE. hc_harvest_free is due after success. */
int hc_harvest_parse(struct hc_harvest *harvest, const char *text, size_t size, char *message, size_t message_size);
void hc_harvest_free(struct hc_harvest *harvest);

/* The current at a time since the trace's beginning. */
uint64_t hc_harvest_at(const struct hc_harvest *harvest, uint64_t ns);

/* ---- what a node draws ---- */

struct hc_consumption {
    uint64_t active_na;         /* whatever the clock */
    uint64_t active_na_per_mhz; /* and for each MHz of MCLK */
    uint64_t mode_na[HC_MODES]; /* of the low-power modes; HC_MODE_ACTIVE is not used */
};

/* Typical values of the FR5969's datasheet at 3 V and 25 C, code in FRAM, three of four accesses in the cache. */
extern const struct hc_consumption hc_fr5969_consumption;

uint64_t hc_consumption_active(const struct hc_consumption *c, uint32_t mclk_hz);

/* ---- the capacitor ---- */

struct hc_capacitor {
    uint64_t nanofarads;
    uint64_t v_on, v_off, v_trigger, v_max; /* microvolts; v_max: the harvester charges no further */
};

struct hc_supply {
    struct hc_capacitor capacitor;
    const struct hc_harvest *harvest; /* NULL: nothing comes in */
    int64_t charge;                   /* attocoulombs */
    uint64_t ns;                      /* now */
};

enum hc_supply_event {
    HC_SUPPLY_TIME,    /* the time asked for has come */
    HC_SUPPLY_ON,      /* charged to v_on (was below) */
    HC_SUPPLY_TRIGGER, /* discharged to v_trigger (was above), if that is more than v_off */
    HC_SUPPLY_OFF,     /* discharged to v_off (was above) */
};

/* Charged to MICROVOLTS at time 0. */
void hc_supply_init(struct hc_supply *s, const struct hc_capacitor *capacitor, const struct hc_harvest *harvest,
                    uint64_t microvolts);
uint64_t hc_supply_microvolts(const struct hc_supply *s);

/* Draws NANOAMPERES until UNTIL_NS or the next event, whichever comes first; s->ns is then its time, rounded up. */
enum hc_supply_event hc_supply_advance(struct hc_supply *s, uint64_t nanoamperes, uint64_t until_ns);

/* ---- execution depth ---- */

/* Equation 4 of ScEpTIC's paper: cycles of a clock of HZ that the charge between v_trigger and v_off lasts for at
 * NANOAMPERES, after a checkpoint that takes CHECKPOINT_NS. Rounded to the nearest; 0 when not even that is finished.
 */
uint64_t hc_depth_cycles(const struct hc_capacitor *c, uint64_t nanoamperes, uint64_t checkpoint_ns, uint64_t hz);

/* The other way round: the smallest capacitor, in nanofarads, that lets CYCLES of a clock of HZ be executed at
 * NANOAMPERES on one charge, from v_on to v_off and without any harvest. UINT64_MAX: none does. */
uint64_t hc_smallest_capacitor(const struct hc_capacitor *c, uint64_t nanoamperes, uint64_t cycles, uint64_t hz);

#endif
