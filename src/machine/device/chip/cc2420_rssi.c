/* Energy in the channel: RSSI and clear channel assessment.
 *
 * RSSI is the mean power of the last 8 symbols, renewed every symbol from the moment the receiver is on. The steps of
 * the energy are remembered, so that it can be computed at any time; events run only while it moves. */
#include "cc2420_internal.h"

enum { RSSI_OFFSET = -45, FLOOR_DBM = -120, CEILING_DBM = 20 };

static hc_time window(void)
{
    return hc_us(RSSI_SYMBOLS * SYMBOL_US);
}

/* Power in units of 10^-15 mW: integers, so that every host computes the same. */
static uint64_t linear(int dbm)
{
    static const uint16_t tenths[10] = { 1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943 };
    unsigned above = (unsigned)(dbm - FLOOR_DBM);
    uint64_t power = tenths[above % 10];

    for (unsigned decades = above / 10; decades; decades--)
        power *= 10;
    return power;
}

static int decibels(uint64_t power)
{
    int dbm = FLOOR_DBM;

    while (dbm < CEILING_DBM && power > linear(dbm) + linear(dbm) / 8)
        dbm++;
    return dbm;
}

void hc_cc2420_energy_reset(struct hc_cc2420 *r, hc_time now)
{
    for (int i = 0; i < ENERGY_STEPS; i++) {
        r->s.energy[i].since = now;
        r->s.energy[i].dbm = HC_CC2420_SILENCE;
    }
}

/* The latest symbol's end, counted from the start of reception. */
static hc_time latest_symbol(const struct hc_cc2420 *r, hc_time now)
{
    hc_time symbol = hc_us(SYMBOL_US);

    return r->s.rx_since + (now - r->s.rx_since) / symbol * symbol;
}

/* Of the 8 symbols before END, in dBm. */
static int mean_power(const struct hc_cc2420 *r, hc_time end)
{
    hc_time start = end > window() ? end - window() : 0;
    uint64_t sum = 0, weights = 0;
    unsigned at = r->s.energy_at;

    if (r->s.energy[at].since <= start)
        return r->s.energy[at].dbm;
    for (int i = 0; i < ENERGY_STEPS && end > start; i++, at = (at + ENERGY_STEPS - 1) % ENERGY_STEPS) {
        hc_time since = r->s.energy[at].since > start && i < ENERGY_STEPS - 1 ? r->s.energy[at].since : start;
        if (since >= end)
            continue;
        uint64_t weight = ((end - since) >> 20) + 1; /* about microseconds: 128 of them x CEILING_DBM fit in 64 bits */
        sum += weight * linear(r->s.energy[at].dbm);
        weights += weight;
        end = since;
    }
    return weights ? decibels(sum / weights) : HC_CC2420_SILENCE;
}

int hc_cc2420_rssi_average(const struct hc_cc2420 *r, hc_time now)
{
    return mean_power(r, latest_symbol(r, now)) - RSSI_OFFSET;
}

bool hc_cc2420_rssi_valid(const struct hc_cc2420 *r, hc_time now)
{
    return hc_cc2420_receiving(r) && now - r->s.rx_since >= window();
}

int hc_cc2420_rssi_value(const struct hc_cc2420 *r, hc_time now)
{
    return hc_cc2420_rssi_valid(r, now) ? hc_cc2420_rssi_average(r, now) : -128;
}

void hc_cc2420_carrier(struct hc_cc2420 *r, int dbm, hc_time now)
{
    dbm = dbm < FLOOR_DBM ? FLOOR_DBM : dbm > CEILING_DBM ? CEILING_DBM : dbm;
    if (r->s.energy[r->s.energy_at].dbm == dbm)
        return;
    if (r->s.energy[r->s.energy_at].since != now)
        r->s.energy_at = (r->s.energy_at + 1) % ENERGY_STEPS;
    r->s.energy[r->s.energy_at].since = now;
    r->s.energy[r->s.energy_at].dbm = dbm;
    hc_cc2420_rssi_follow(r, now);
}

/* ---- clear channel assessment ---- */

static bool energy_clear(const struct hc_cc2420 *r, hc_time now)
{
    int threshold = (int8_t)(r->s.reg[RSSI] >> 8);
    int hysteresis = r->s.reg[MDMCTRL0] >> 8 & 7;
    int rssi = hc_cc2420_rssi_value(r, now);

    if (rssi >= threshold)
        return false;
    return r->s.cca || rssi < threshold - hysteresis;
}

void hc_cc2420_cca_update(struct hc_cc2420 *r, hc_time now)
{
    bool frame = r->s.state == HC_CC2420_RX_FRAME;

    if (!hc_cc2420_rssi_valid(r, now)) {
        r->s.cca = false;
        return;
    }
    switch (r->s.reg[MDMCTRL0] >> 6 & 3) {
    case 1:
        r->s.cca = energy_clear(r, now);
        break;
    case 2:
        r->s.cca = !frame;
        break;
    case 3:
        r->s.cca = !frame && energy_clear(r, now);
        break;
    default: /* reserved */
        r->s.cca = false;
    }
}

/* When RSSI next changes by itself: it becomes valid, or its window still holds a step. */
static hc_time next_change(const struct hc_cc2420 *r, hc_time now)
{
    hc_time symbol = latest_symbol(r, now);

    if (!hc_cc2420_receiving(r))
        return HC_NEVER;
    if (now - r->s.rx_since < window())
        return r->s.rx_since + window();
    return symbol < r->s.energy[r->s.energy_at].since + window() ? symbol + hc_us(SYMBOL_US) : HC_NEVER;
}

void hc_cc2420_rssi_follow(struct hc_cc2420 *r, hc_time now)
{
    hc_cc2420_cca_update(r, now);
    hc_event_arm(hc_events(r->base.machine), r->rssi, next_change(r, now));
    hc_cc2420_pins(r);
}

hc_time hc_cc2420_rssi_step(void *owner, hc_time now)
{
    struct hc_cc2420 *r = owner;

    hc_cc2420_cca_update(r, now);
    hc_cc2420_pins(r);
    return next_change(r, now);
}
