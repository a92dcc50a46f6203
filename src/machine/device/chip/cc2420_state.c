/* The radio control state machine, and the strobes that move it. */
#include "cc2420_internal.h"

enum { XOSC_START_US = 1000, CALIBRATE_US = 192, FAST_TURNAROUND_US = 128, UNDERFLOW_US = 16 };

enum { CRYSTAL = 1, RECEIVER = 2, SYNTHESIZER = 4, TRANSMITTER = 8, ON_AIR = 16, CALIBRATES = 32 };

const char *const hc_cc2420_state_names[] = {
    "OFF",          "VREG_START",       "POWER_DOWN",      "XOSC_START",   "IDLE",    "RX_CALIBRATE", "RX_SFD_SEARCH",
    "RX_WAIT",      "RX_FRAME",         "RX_OVERFLOW",     "TX_CALIBRATE", "TX_WAIT", "TX_PREAMBLE",  "TX_FRAME",
    "TX_UNDERFLOW", "TX_ACK_CALIBRATE", "TX_ACK_PREAMBLE", "TX_ACK",       NULL,
};

/* What runs in each state, and how FSMSTATE numbers it (the first of several). */
static const struct {
    uint8_t runs, fsm;
} states[HC_CC2420_STATES] = {
    [HC_CC2420_OFF] = { 0, 0 },
    [HC_CC2420_VREG_START] = { 0, 0 },
    [HC_CC2420_POWER_DOWN] = { 0, 0 },
    [HC_CC2420_XOSC_START] = { 0, 0 },
    [HC_CC2420_IDLE] = { CRYSTAL, 1 },
    [HC_CC2420_RX_CALIBRATE] = { CRYSTAL | CALIBRATES, 2 },
    [HC_CC2420_RX_SFD_SEARCH] = { CRYSTAL | SYNTHESIZER | RECEIVER, 3 },
    [HC_CC2420_RX_WAIT] = { CRYSTAL | SYNTHESIZER | RECEIVER, 14 },
    [HC_CC2420_RX_FRAME] = { CRYSTAL | SYNTHESIZER | RECEIVER, 16 },
    [HC_CC2420_RX_OVERFLOW] = { CRYSTAL | SYNTHESIZER | RECEIVER, 17 },
    [HC_CC2420_TX_CALIBRATE] = { CRYSTAL | CALIBRATES | TRANSMITTER, 32 },
    [HC_CC2420_TX_WAIT] = { CRYSTAL | CALIBRATES | SYNTHESIZER, 32 },
    [HC_CC2420_TX_PREAMBLE] = { CRYSTAL | SYNTHESIZER | TRANSMITTER | ON_AIR, 34 },
    [HC_CC2420_TX_FRAME] = { CRYSTAL | SYNTHESIZER | TRANSMITTER | ON_AIR, 37 },
    [HC_CC2420_TX_UNDERFLOW] = { CRYSTAL | SYNTHESIZER, 56 },
    [HC_CC2420_TX_ACK_CALIBRATE] = { CRYSTAL | CALIBRATES | TRANSMITTER, 48 },
    [HC_CC2420_TX_ACK_PREAMBLE] = { CRYSTAL | SYNTHESIZER | TRANSMITTER | ON_AIR, 49 },
    [HC_CC2420_TX_ACK] = { CRYSTAL | SYNTHESIZER | TRANSMITTER | ON_AIR, 52 },
};

static bool runs(const struct hc_cc2420 *r, int what)
{
    return states[r->s.state].runs & what;
}

bool hc_cc2420_on_air(const struct hc_cc2420 *r)
{
    return runs(r, ON_AIR);
}

bool hc_cc2420_crystal(const struct hc_cc2420 *r)
{
    return runs(r, CRYSTAL);
}

bool hc_cc2420_locked(const struct hc_cc2420 *r)
{
    return runs(r, SYNTHESIZER) && r->s.calibrated && hc_cc2420_on(r, MAIN, MAIN_FS_RESETN);
}

bool hc_cc2420_synthesizing(const struct hc_cc2420 *r)
{
    return runs(r, SYNTHESIZER | CALIBRATES);
}

bool hc_cc2420_calibrating(const struct hc_cc2420 *r)
{
    return runs(r, CALIBRATES) && !r->s.calibrated;
}

bool hc_cc2420_receiving(const struct hc_cc2420 *r)
{
    return runs(r, RECEIVER);
}

bool hc_cc2420_tx_active(const struct hc_cc2420 *r)
{
    return runs(r, TRANSMITTER);
}

enum hc_cc2420_state hc_cc2420_state(const struct hc_cc2420 *r)
{
    return r->s.state;
}

unsigned hc_cc2420_listening(const struct hc_cc2420 *r)
{
    return hc_cc2420_receiving(r) ? r->s.mhz : 0;
}

bool hc_cc2420_listens_reversed(const struct hc_cc2420 *r)
{
    return hc_cc2420_on(r, MDMCTRL1, MODULATION_MODE);
}

/* A transmission has three states for its header (preamble, two halves of the sync word) and three for its frame
 * (length, data, FCS). */
uint8_t hc_cc2420_fsm_state(const struct hc_cc2420 *r)
{
    uint32_t at = r->s.tx_index;
    unsigned sub = 0;

    switch (r->s.state) {
    case HC_CC2420_TX_PREAMBLE:
    case HC_CC2420_TX_ACK_PREAMBLE:
        sub = at + 2 < r->s.tx_header ? 0 : at + 1 < r->s.tx_header ? 1 : 2;
        break;
    case HC_CC2420_TX_FRAME:
    case HC_CC2420_TX_ACK:
        sub = at == r->s.tx_header ? 0 : at + 2 <= r->s.tx_header + r->s.tx_length ? 1 : 2;
        break;
    default:
        break;
    }
    return (uint8_t)(states[r->s.state].fsm + sub);
}

/* ---- transitions ---- */

static void receiver_switched(struct hc_cc2420 *r, hc_time now)
{
    bool on = hc_cc2420_receiving(r);

    r->s.rx_since = now;
    if (!on)
        r->s.cca = false;
    if (r->medium.listen)
        r->medium.listen(r->medium.owner, r, on ? r->s.mhz : 0, now);
}

void hc_cc2420_enter(struct hc_cc2420 *r, enum hc_cc2420_state state, hc_time now)
{
    enum hc_cc2420_state before = r->s.state;
    bool was_receiving = hc_cc2420_receiving(r);

    if (!(states[state].runs & (ON_AIR | TRANSMITTER)))
        hc_cc2420_announce_end(r, now + HC_RADIO_AHEAD);
    hc_event_cancel(hc_events(r->base.machine), r->step);
    r->s.state = state;
    if (!runs(r, SYNTHESIZER | CALIBRATES))
        r->s.calibrated = false;
    /* After an overflow SFD stays as it was: that is why the datasheet asks for two SFLUSHRX. */
    if (before == HC_CC2420_RX_FRAME && state != HC_CC2420_RX_OVERFLOW)
        r->s.sfd = false;
    if (!runs(r, RECEIVER | ON_AIR))
        r->s.sfd = false;
    if (hc_cc2420_receiving(r) != was_receiving)
        receiver_switched(r, now);
    hc_cc2420_rssi_follow(r, now);
    hc_wire_set(r->base.machine, r->state_wire, state);
    hc_cc2420_pins(r);
}

void hc_cc2420_enter_for(struct hc_cc2420 *r, enum hc_cc2420_state state, unsigned us, hc_time now)
{
    hc_cc2420_enter(r, state, now);
    hc_event_arm(hc_events(r->base.machine), r->step, now + hc_us(us));
}

/* A new frequency takes effect when the synthesizer calibrates. */
static void calibrate(struct hc_cc2420 *r, enum hc_cc2420_state state, unsigned us, hc_time now)
{
    r->s.calibrated = false;
    r->s.mhz = (uint16_t)(2048 + (r->s.reg[FSCTRL] & 0x3ff));
    hc_cc2420_enter_for(r, state, us, now);
}

void hc_cc2420_to_receive(struct hc_cc2420 *r, hc_time now)
{
    calibrate(r, HC_CC2420_RX_CALIBRATE, CALIBRATE_US, now);
}

/* The carrier comes at the end of the calibration; the medium is told of it a little before. */
static void plan_transmission(struct hc_cc2420 *r, enum hc_cc2420_state state, unsigned us, hc_time now)
{
    hc_cc2420_announce_end(r, now + HC_RADIO_AHEAD); /* of one that is under way */
    calibrate(r, state, us, now);
    r->s.tx_at = now + hc_us(us);
    r->s.tx_planned = true;
    r->s.tx_announced = false;
    hc_event_arm(hc_events(r->base.machine), r->step, r->s.tx_at - HC_RADIO_AHEAD);
    if (r->medium.transmit_planned)
        r->medium.transmit_planned(r->medium.owner, r);
}

void hc_cc2420_acknowledge(struct hc_cc2420 *r, hc_time now)
{
    r->s.ack_possible = r->s.ack_strobed = false;
    plan_transmission(r, HC_CC2420_TX_ACK_CALIBRATE, CALIBRATE_US, now);
}

void hc_cc2420_underflow(struct hc_cc2420 *r, hc_time now)
{
    r->s.tx_underflow = true;
    hc_cc2420_enter_for(r, HC_CC2420_TX_UNDERFLOW, UNDERFLOW_US, now);
}

hc_time hc_cc2420_step(void *owner, hc_time now)
{
    struct hc_cc2420 *r = owner;
    bool to_transmit = r->s.state == HC_CC2420_TX_CALIBRATE || r->s.state == HC_CC2420_TX_ACK_CALIBRATE;

    if (to_transmit && !r->s.tx_announced) {
        hc_cc2420_announce(r, r->s.tx_at);
        return r->s.tx_at;
    }
    r->s.calibrated |= hc_cc2420_calibrating(r);
    switch (r->s.state) {
    case HC_CC2420_VREG_START:
        hc_cc2420_enter(r, HC_CC2420_POWER_DOWN, now);
        break;
    case HC_CC2420_XOSC_START:
        hc_cc2420_enter(r, HC_CC2420_IDLE, now);
        break;
    case HC_CC2420_RX_CALIBRATE:
    case HC_CC2420_RX_WAIT:
        hc_cc2420_search(r, now);
        break;
    case HC_CC2420_RX_FRAME:
        hc_cc2420_receive_noise(r, now);
        break;
    case HC_CC2420_TX_CALIBRATE:
        hc_cc2420_transmit(r, HC_CC2420_TX_PREAMBLE, now);
        break;
    case HC_CC2420_TX_ACK_CALIBRATE:
        hc_cc2420_transmit(r, HC_CC2420_TX_ACK_PREAMBLE, now);
        break;
    case HC_CC2420_TX_UNDERFLOW:
        hc_cc2420_to_receive(r, now);
        break;
    case HC_CC2420_TX_WAIT:
        hc_cc2420_pins(r);
        break;
    default:
        hc_cc2420_transmit_next(r, now);
    }
    return hc_event_time(hc_events(r->base.machine), r->step);
}

/* ---- strobes ---- */

/* The datasheet draws STXON from IDLE and the RX states only: a transmission in progress goes on. */
static void strobe_txon(struct hc_cc2420 *r, hc_time now)
{
    if (runs(r, TRANSMITTER))
        return;
    if (r->s.reg[SECCTRL0] & 3)
        hc_cc2420_security_start(r, SECURITY_TX, now);
    plan_transmission(r, HC_CC2420_TX_CALIBRATE,
                      hc_cc2420_on(r, TXCTRL, TX_TURNAROUND) ? CALIBRATE_US : FAST_TURNAROUND_US, now);
}

static void strobe_flushrx(struct hc_cc2420 *r, hc_time now)
{
    bool overflowed = r->s.rx_overflow;

    hc_cc2420_rxfifo_flush(r);
    r->s.rx_overflow = false;
    if (!overflowed && hc_cc2420_receiving(r))
        r->s.sfd = false;
    if (r->s.state == HC_CC2420_RX_FRAME || r->s.state == HC_CC2420_RX_OVERFLOW)
        hc_cc2420_search(r, now);
    hc_cc2420_pins(r);
}

/* During a frame: acknowledge it at its end. After one: now, if its CRC was right. */
static void strobe_ack(struct hc_cc2420 *r, bool pending, hc_time now)
{
    r->s.ack_pending = pending;
    if (r->s.state == HC_CC2420_RX_FRAME)
        r->s.ack_strobed = true;
    else if (hc_cc2420_receiving(r) && r->s.ack_possible)
        hc_cc2420_acknowledge(r, now);
}

static void strobe_xoscon(struct hc_cc2420 *r, hc_time now)
{
    hc_time from = now > r->s.vreg_settled ? now : r->s.vreg_settled;

    if (r->s.state != HC_CC2420_POWER_DOWN)
        return;
    hc_cc2420_enter(r, HC_CC2420_XOSC_START, now);
    hc_event_arm(hc_events(r->base.machine), r->step, from + hc_us(XOSC_START_US));
}

static void strobe_xoscoff(struct hc_cc2420 *r, hc_time now)
{
    hc_cc2420_security_cancel(r);
    hc_cc2420_enter(r, HC_CC2420_POWER_DOWN, now);
}

/* Those that need the crystal. */
static void strobe_running(struct hc_cc2420 *r, int strobe, hc_time now)
{
    switch (strobe) {
    case STXCAL:
        calibrate(r, HC_CC2420_TX_WAIT, CALIBRATE_US, now);
        break;
    case SRXON:
        hc_cc2420_to_receive(r, now);
        break;
    case STXONCCA:
        if (!r->s.cca)
            break;
        /* fall through */
    case STXON:
        strobe_txon(r, now);
        break;
    case SRFOFF:
        hc_cc2420_enter(r, HC_CC2420_IDLE, now);
        break;
    case SFLUSHRX:
        strobe_flushrx(r, now);
        break;
    case SFLUSHTX:
        hc_cc2420_txfifo_flush(r);
        break;
    case SACK:
    case SACKPEND:
        strobe_ack(r, strobe == SACKPEND, now);
        break;
    case SRXDEC:
    case STXENC:
        if (r->s.reg[SECCTRL0] & 3)
            hc_cc2420_security_start(r, strobe == SRXDEC ? SECURITY_RX : SECURITY_TX, now);
        break;
    case SAES:
        hc_cc2420_security_start(r, SECURITY_SAES, now);
        break;
    default:
        break;
    }
}

void hc_cc2420_strobe(struct hc_cc2420 *r, int strobe, hc_time now)
{
    if (!hc_cc2420_on(r, MAIN, MAIN_RESETN))
        return;
    if (strobe == SXOSCON)
        strobe_xoscon(r, now);
    else if (strobe == SXOSCOFF)
        strobe_xoscoff(r, now);
    else if (hc_cc2420_crystal(r))
        strobe_running(r, strobe, now);
}
