/* Transmission: the TXFIFO, and the bytes that go on air.
 *
 *     tx_index  0 ...            tx_header - 2, - 1     tx_header    + 1 ...           + length - 1, + length
 *               preamble (zeros) SYNCWORD low, high     length       MPDU              FCS (MDMCTRL0.AUTOCRC) */
#include "cc2420_internal.h"

enum { END = -1, UNDERFLOW = -2 };

/* CRC-16 of IEEE 802.15.4: x^16 + x^12 + x^5 + 1, least significant bit first. */
uint16_t hc_cc2420_crc(uint16_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = (uint16_t)(crc >> 1 ^ (crc & 1 ? 0x8408 : 0));
    return crc;
}

/* ---- TXFIFO ---- */

void hc_cc2420_txfifo_flush(struct hc_cc2420 *r)
{
    r->s.tx_count = 0;
    r->s.tx_sent = false;
    r->s.tx_underflow = false;
}

void hc_cc2420_txfifo_write(struct hc_cc2420 *r, uint8_t byte, hc_time now)
{
    if (r->s.tx_sent && !r->s.tx_underflow)
        hc_cc2420_txfifo_flush(r);
    if (r->s.tx_count == FIFO_SIZE) {
        hc_cc2420_note(r, NOTE_TX_OVERFLOW, "more than 128 bytes written to the TXFIFO; the rest is lost");
        return;
    }
    r->s.ram[RAM_TXFIFO + r->s.tx_count++] = byte;
    hc_cc2420_security_try(r, now);
}

/* ---- bytes ---- */

/* An acknowledgement comes from the chip itself, with AUTOCRC or without. */
static int acknowledgement_byte(const struct hc_cc2420 *r, unsigned at)
{
    const uint8_t frame[] = { 5, (uint8_t)(FRAME_ACK | (r->s.ack_pending ? FCF_PENDING : 0)), 0, r->s.ack_sequence };

    return at < sizeof frame ? frame[at] : UNDERFLOW;
}

static int txfifo_byte(const struct hc_cc2420 *r, unsigned at)
{
    if (at >= r->s.tx_count || hc_cc2420_security_holds(r, at))
        return UNDERFLOW;
    return r->s.ram[RAM_TXFIFO + at];
}

/* Byte AT of the frame, 0 being its length. */
static int frame_byte(struct hc_cc2420 *r, unsigned at)
{
    bool ack = r->s.state == HC_CC2420_TX_ACK;
    bool fcs = ack || hc_cc2420_on(r, MDMCTRL0, AUTOCRC);

    if (at > 0 && at > r->s.tx_length)
        return END;
    if (at > 0 && fcs && at + 2 > r->s.tx_length)
        return at == r->s.tx_length ? r->s.tx_crc >> 8 : r->s.tx_crc & 0xff;
    int byte = ack ? acknowledgement_byte(r, at) : txfifo_byte(r, at);

    if (at == 0) {
        r->s.tx_length = byte & 0x7f;
        r->s.tx_crc = 0;
    } else {
        r->s.tx_crc = hc_cc2420_crc(r->s.tx_crc, (uint8_t)byte);
    }
    return byte;
}

/* The 0xf nibbles of the sync word are sent as zeros. */
static uint8_t sync_byte(const struct hc_cc2420 *r, bool high)
{
    uint8_t byte = (uint8_t)(r->s.reg[SYNCWORD] >> (high ? 8 : 0));

    if ((byte & 0x0f) == 0x0f)
        byte &= 0xf0;
    if ((byte & 0xf0) == 0xf0)
        byte &= 0x0f;
    return byte;
}

static int next_byte(struct hc_cc2420 *r)
{
    uint32_t at = r->s.tx_index;
    int mode = r->s.reg[MDMCTRL1] >> 2 & 3;

    if (at + 2 < r->s.tx_header)
        return 0;
    if (at < r->s.tx_header)
        return sync_byte(r, at + 1 == r->s.tx_header);
    at -= r->s.tx_header;
    if (r->s.state == HC_CC2420_TX_ACK || mode == TX_BUFFERED)
        return frame_byte(r, at);
    if (mode == TX_LOOPING)
        return r->s.ram[RAM_TXFIFO + at % FIFO_SIZE];
    if (at == 0)
        r->s.tx_crc = 0xffff;
    r->s.tx_crc = hc_cc2420_crc(r->s.tx_crc, 0);
    return r->s.tx_crc & 0xff;
}

/* ---- on air ---- */

int hc_cc2420_pa_level(const struct hc_cc2420 *r)
{
    return r->s.reg[TXCTRL] & 0x1f;
}

static int8_t power_dbm(const struct hc_cc2420 *r)
{
    /* The datasheet's table has every fourth PA_LEVEL; between them, and below, straight lines. */
    static const int8_t dbm[32] = { -33, -30, -28, -25, -22, -20, -17, -15, -14, -12, -11, -10, -9, -8, -8, -7,
                                    -6,  -6,  -5,  -5,  -4,  -4,  -3,  -3,  -2,  -2,  -1,  -1,  -1, 0,  0,  0 };

    return dbm[hc_cc2420_pa_level(r)];
}

/* A carrier without modulation: the DACs are overridden (DACTST.DAC_SRC), or wait for a serial bit stream. */
static bool unmodulated(struct hc_cc2420 *r, bool ack)
{
    int mode = r->s.reg[MDMCTRL1] >> 2 & 3;

    if (ack || mode == TX_BUFFERED)
        return false;
    if (mode == TX_SERIAL)
        hc_cc2420_note(r, NOTE_SERIAL, "serial mode is not modelled; a carrier is sent, nothing is received");
    return mode == TX_SERIAL || (r->s.reg[DACTST] >> 12 & 7) == 1;
}

/* From the start of the transmission, not from the last byte, so that rounding does not add up. */
static hc_time byte_end(const struct hc_cc2420 *r)
{
    return r->s.tx_since + hc_us((uint64_t)BYTE_US * (r->s.tx_index + 1));
}

static void begin_byte(struct hc_cc2420 *r, uint8_t byte)
{
    hc_time end = byte_end(r);
    bool framed = r->s.state == HC_CC2420_TX_ACK || (r->s.reg[MDMCTRL1] >> 2 & 3) == TX_BUFFERED;

    hc_event_arm(hc_events(r->base.machine), r->step, end);
    if (r->medium.transmit_byte)
        r->medium.transmit_byte(r->medium.owner, r, byte, end);
    if (framed && r->s.tx_index >= r->s.tx_header && r->s.tx_index == r->s.tx_header + r->s.tx_length)
        hc_cc2420_announce_end(r, end);
}

void hc_cc2420_announce(struct hc_cc2420 *r, hc_time at)
{
    struct hc_radio_signal signal = { r->s.mhz, power_dbm(r), hc_cc2420_on(r, MDMCTRL1, MODULATION_MODE) };

    r->s.tx_announced = true;
    if (r->medium.transmit_start)
        r->medium.transmit_start(r->medium.owner, r, signal, at);
}

void hc_cc2420_announce_end(struct hc_cc2420 *r, hc_time at)
{
    if (!r->s.tx_planned)
        return;
    r->s.tx_planned = r->s.tx_announced = false;
    if (r->medium.transmit_end)
        r->medium.transmit_end(r->medium.owner, r, at);
}

void hc_cc2420_transmit(struct hc_cc2420 *r, enum hc_cc2420_state preamble, hc_time now)
{
    bool carrier_only = unmodulated(r, preamble == HC_CC2420_TX_ACK_PREAMBLE);

    hc_cc2420_enter(r, carrier_only ? HC_CC2420_TX_FRAME : preamble, now);
    r->s.tx_since = now;
    r->s.tx_index = 0;
    r->s.tx_length = 0;
    r->s.tx_header = (uint8_t)((r->s.reg[MDMCTRL0] & 0xf) + 1 + 2);
    if (!carrier_only)
        begin_byte(r, (uint8_t)next_byte(r));
}

static void header_sent(struct hc_cc2420 *r, hc_time now)
{
    r->s.sfd = true;
    hc_cc2420_enter(r, r->s.state == HC_CC2420_TX_PREAMBLE ? HC_CC2420_TX_FRAME : HC_CC2420_TX_ACK, now);
}

void hc_cc2420_transmit_next(struct hc_cc2420 *r, hc_time now)
{
    if (++r->s.tx_index == r->s.tx_header)
        header_sent(r, now);
    int byte = next_byte(r);

    if (byte == UNDERFLOW) {
        hc_cc2420_underflow(r, now);
    } else if (byte == END) {
        r->s.tx_sent |= r->s.state == HC_CC2420_TX_FRAME;
        hc_cc2420_to_receive(r, now);
    } else {
        begin_byte(r, (uint8_t)byte);
    }
}
