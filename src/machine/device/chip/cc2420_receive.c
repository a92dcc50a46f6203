/* Reception: SFD search, frames into the RXFIFO, address recognition, acknowledgements. */
#include "cc2420_internal.h"

#include <string.h>

/* The datasheet does not say how long RX_WAIT lasts: 8 symbols, less than any gap between frames of the standard. */
enum { WAIT_US = 8 * SYMBOL_US, LOST_US = BYTE_US + SYMBOL_US };

enum verdict { UNDECIDED, ACCEPTED, REJECTED };

/* ---- RXFIFO ---- */

static uint8_t *rxfifo_at(struct hc_cc2420 *r, uint32_t at)
{
    return &r->s.ram[RAM_RXFIFO + at % FIFO_SIZE];
}

void hc_cc2420_rxfifo_flush(struct hc_cc2420 *r)
{
    r->s.rx_in = r->s.rx_out = r->s.rx_first = r->s.rx_released = r->s.rx_start = 0;
    r->s.rx_left = r->s.rx_complete = r->s.spi_left = 0;
    r->s.rx_ended = r->s.rx_protected = false;
    if (r->s.security == SECURITY_RX)
        hc_cc2420_security_cancel(r);
}

uint8_t hc_cc2420_rxfifo_peek(const struct hc_cc2420 *r)
{
    return r->s.ram[RAM_RXFIFO + r->s.rx_out % FIFO_SIZE];
}

uint32_t hc_cc2420_rxfifo_unread(const struct hc_cc2420 *r)
{
    bool doubtful = r->s.state == HC_CC2420_RX_FRAME && !r->s.rx_accepted;
    uint32_t end = doubtful ? r->s.rx_start : r->s.rx_in;

    return (int32_t)(end - r->s.rx_out) > 0 ? end - r->s.rx_out : 0;
}

/* With RXFIFO_PROTECTION a frame whose security bit is set stays until it has been decrypted or read to its end. */
static void rxfifo_protect(struct hc_cc2420 *r, uint8_t byte)
{
    uint32_t at = r->s.rx_out - r->s.rx_first;

    if (at == 0)
        r->s.rx_protected = hc_cc2420_on(r, SECCTRL0, RXFIFO_PROTECTION);
    else if (at == 1)
        r->s.rx_protected = r->s.rx_protected && (byte & FCF_SECURITY);
    if (r->s.rx_left == 0)
        r->s.rx_protected = false;
}

uint8_t hc_cc2420_rxfifo_read(struct hc_cc2420 *r)
{
    uint8_t byte = hc_cc2420_rxfifo_peek(r);

    if (r->s.rx_in == r->s.rx_out)
        return byte; /* empty: the last byte's place is read again */
    if (r->s.rx_left) {
        r->s.rx_left--;
    } else {
        r->s.rx_first = r->s.rx_out;
        r->s.rx_left = byte & 0x7f;
        if (r->s.rx_complete)
            r->s.rx_complete--;
    }
    rxfifo_protect(r, byte);
    r->s.rx_out++;
    r->s.rx_ended = false;
    if (r->s.rx_in == r->s.rx_out)
        r->s.rx_complete = 0;
    r->s.rx_released = r->s.rx_protected ? r->s.rx_first : r->s.rx_out;
    hc_cc2420_pins(r);
    return byte;
}

static bool rxfifo_push(struct hc_cc2420 *r, uint8_t byte)
{
    bool looping = (r->s.reg[MDMCTRL1] & 3) == RX_LOOPING;

    if (!looping && r->s.rx_in - r->s.rx_released >= FIFO_SIZE)
        return false;
    *rxfifo_at(r, r->s.rx_in++) = byte;
    if (looping && r->s.rx_in - r->s.rx_out > FIFO_SIZE)
        r->s.rx_out = r->s.rx_released = r->s.rx_in - FIFO_SIZE;
    return true;
}

/* The frame that began at START is complete. One that has been read in part is announced until its next byte is read.
 */
static void rxfifo_frame_complete(struct hc_cc2420 *r, uint32_t start, hc_time now)
{
    r->s.rx_ended = true;
    if ((int32_t)(r->s.rx_out - start) <= 0)
        r->s.rx_complete++;
    hc_cc2420_security_try(r, now);
}

void hc_cc2420_rxfifo_write(struct hc_cc2420 *r, uint8_t byte, hc_time now)
{
    uint8_t length = byte & 0x7f;

    if (!rxfifo_push(r, byte))
        return;
    if (r->s.spi_left == 0) {
        r->s.spi_left = length;
    } else if (--r->s.spi_left == 0) {
        rxfifo_frame_complete(r, r->s.rx_in, now);
    }
    hc_cc2420_pins(r);
}

/* ---- address recognition ---- */

static bool matches(const struct hc_cc2420 *r, const uint8_t *address, unsigned ram, unsigned size)
{
    return memcmp(address, &r->s.ram[ram], size) == 0;
}

static bool is_broadcast(const uint8_t *address)
{
    return address[0] == 0xff && address[1] == 0xff;
}

static bool destination_matches(const struct hc_cc2420 *r, const uint8_t *pan, bool extended)
{
    if (!matches(r, pan, RAM_PANID, 2) && !is_broadcast(pan))
        return false;
    if (extended)
        return matches(r, pan + 2, RAM_IEEEADDR, 8);
    return matches(r, pan + 2, RAM_SHORTADR, 2) || is_broadcast(pan + 2);
}

/* From a PAN's coordinator, or to it: known by the source PAN alone. PAN: where it is in the header, NULL if absent. */
static enum verdict recognise_source(const struct hc_cc2420 *r, unsigned n, unsigned type, const uint8_t *pan)
{
    if (type == FRAME_BEACON && hc_cc2420_on(r, IOCFG0, BCN_ACCEPT))
        return ACCEPTED;
    if (!pan || (type != FRAME_BEACON && !hc_cc2420_on(r, MDMCTRL0, PAN_COORDINATOR)))
        return REJECTED;
    if (n < (unsigned)(pan - r->s.rx_header) + 2)
        return UNDECIDED;
    return matches(r, pan, RAM_PANID, 2) ? ACCEPTED : REJECTED;
}

/* What the first N bytes of the MPDU tell. A frame without any address offends no rule. */
static enum verdict recognise(const struct hc_cc2420 *r, unsigned n)
{
    static const uint8_t address_size[4] = { 0, 0, 2, 8 };
    const uint8_t *h = r->s.rx_header;

    if (n < 2)
        return UNDECIDED;
    unsigned type = h[0] & 7, destination = h[1] >> 2 & 3, source = h[1] >> 6;
    unsigned destination_size = destination ? 2u + address_size[destination] : 0;

    if (type > FRAME_COMMAND)
        return hc_cc2420_on(r, MDMCTRL0, RESERVED_FRAME_MODE) ? ACCEPTED : REJECTED;
    if (destination == 1 || source == 1)
        return REJECTED;
    if (destination && n < 3 + destination_size)
        return UNDECIDED;
    if (destination && !destination_matches(r, h + 3, destination == 3))
        return REJECTED;
    return type == FRAME_BEACON || (type != FRAME_ACK && !destination && source)
               ? recognise_source(r, n, type, source ? h + 3 + destination_size : NULL)
               : ACCEPTED;
}

/* ---- frames ---- */

void hc_cc2420_search(struct hc_cc2420 *r, hc_time now)
{
    r->s.rx_history = 0xffffffff;
    hc_cc2420_enter(r, r->s.rx_overflow ? HC_CC2420_RX_OVERFLOW : HC_CC2420_RX_SFD_SEARCH, now);
}

/* The frame is taken out of the RXFIFO; those before it stay. The search goes on only after the end of the frame. */
static void reject(struct hc_cc2420 *r, hc_time now)
{
    unsigned to_come = r->s.rx_length - r->s.rx_index;

    r->s.rx_in = r->s.rx_start;
    if ((int32_t)(r->s.rx_out - r->s.rx_in) > 0) {
        r->s.rx_out = r->s.rx_in;
        r->s.rx_left = 0;
    }
    hc_cc2420_enter_for(r, HC_CC2420_RX_WAIT, to_come * BYTE_US + WAIT_US, now);
}

static void overflow(struct hc_cc2420 *r, hc_time now)
{
    r->s.rx_overflow = true;
    hc_cc2420_enter(r, HC_CC2420_RX_OVERFLOW, now);
}

static void frame_end(struct hc_cc2420 *r, hc_time now)
{
    bool crc_ok = r->s.rx_crc == 0;
    bool requested = r->s.rx_header[0] & FCF_ACK_REQUEST;
    bool automatic = hc_cc2420_on(r, MDMCTRL0, AUTOACK) && hc_cc2420_on(r, MDMCTRL0, AUTOCRC) && requested;

    if (!r->s.rx_accepted) {
        reject(r, now);
        return;
    }
    r->s.ack_possible = crc_ok && r->s.rx_length >= 5;
    r->s.ack_sequence = r->s.rx_header[2];
    rxfifo_frame_complete(r, r->s.rx_start, now);
    if (r->s.ack_possible && (automatic || r->s.ack_strobed))
        hc_cc2420_acknowledge(r, now);
    else
        hc_cc2420_enter_for(r, HC_CC2420_RX_WAIT, WAIT_US, now);
}

/* 50 is about the lowest correlation of a frame that is received, 110 the highest; the datasheet gives no curve. */
static unsigned correlation(struct hc_cc2420 *r, int snr_db)
{
    int value = 50 + 6 * snr_db;

    value = value < 0 ? 0 : value > 108 ? 108 : value;
    return (unsigned)value + hc_cc2420_random(r) % 3;
}

/* RSSI and correlation are taken over the first 8 symbols after the SFD: the length and three bytes. */
static void measure(struct hc_cc2420 *r, int snr_db, hc_time now)
{
    if (r->s.rx_index >= 4)
        return;
    r->s.rx_correlation = (uint16_t)(r->s.rx_correlation + correlation(r, snr_db));
    r->s.rx_rssi = (int8_t)hc_cc2420_rssi_average(r, now);
}

/* With AUTOCRC the FCS is not stored: RSSI, and the CRC's result with the correlation, take its place. */
static uint8_t stored_byte(const struct hc_cc2420 *r, uint8_t byte)
{
    unsigned at = r->s.rx_index, length = r->s.rx_length;

    if (!hc_cc2420_on(r, MDMCTRL0, AUTOCRC) || length < 2 || at + 1 < length)
        return byte;
    if (at + 1 == length)
        return (uint8_t)r->s.rx_rssi;
    return (uint8_t)(r->s.rx_correlation / (length < 4 ? length + 1 : 4) | (r->s.rx_crc == 0 ? 0x80 : 0));
}

/* Byte rx_index of the frame; true when the frame goes on. */
static bool frame_byte(struct hc_cc2420 *r, uint8_t byte, hc_time now)
{
    unsigned at = r->s.rx_index;
    bool endless = (r->s.reg[MDMCTRL1] & 3) == RX_LOOPING;

    if (at == 0) {
        r->s.rx_length = byte & 0x7f;
    } else {
        r->s.rx_crc = hc_cc2420_crc(r->s.rx_crc, byte);
        if (at <= sizeof r->s.rx_header)
            r->s.rx_header[at - 1] = byte;
    }
    if (!rxfifo_push(r, endless || at == 0 ? byte : stored_byte(r, byte))) {
        overflow(r, now);
        return false;
    }
    if (!r->s.rx_accepted) {
        enum verdict verdict = recognise(r, at);
        if (verdict == REJECTED) {
            reject(r, now);
            return false;
        }
        r->s.rx_accepted = verdict == ACCEPTED;
    }
    if (at == r->s.rx_length && !endless) {
        frame_end(r, now);
        return false;
    }
    if (at < 128)
        r->s.rx_index++;
    hc_cc2420_pins(r);
    return true;
}

void hc_cc2420_receive_noise(struct hc_cc2420 *r, hc_time now)
{
    r->s.rx_noisy = true;
    measure(r, -10, now);
    if (frame_byte(r, (uint8_t)hc_cc2420_random(r), now))
        hc_event_arm(hc_events(r->base.machine), r->step, now + hc_us(BYTE_US));
}

static void frame_begin(struct hc_cc2420 *r, hc_time now)
{
    r->s.rx_start = r->s.rx_in;
    r->s.rx_index = 0;
    r->s.rx_crc = 0;
    r->s.rx_correlation = 0;
    r->s.rx_noisy = false;
    r->s.rx_accepted = !hc_cc2420_on(r, MDMCTRL0, ADR_DECODE) || (r->s.reg[MDMCTRL1] & 3) == RX_LOOPING;
    r->s.ack_possible = r->s.ack_strobed = false;
    memset(r->s.rx_header, 0, sizeof r->s.rx_header);
    r->s.sfd = true;
    hc_cc2420_enter_for(r, HC_CC2420_RX_FRAME, LOST_US, now);
}

/* ---- search ---- */

/* The nibbles of the sync word, least significant first, are the latest symbols; 0xf matches any. A zero symbol stands
 * before the first that is required. */
static bool synchronised(uint32_t history, uint16_t syncword)
{
    unsigned received = (history >> 8 & 0xff) | (history & 0xff) << 8;
    unsigned before = history >> 20 & 0xf;
    bool required = false;

    for (int i = 0; i < 16; i += 4) {
        unsigned want = syncword >> i & 0xf, have = received >> i & 0xf;
        if (want != 0xf) {
            if (have != want || (!required && before != 0))
                return false;
            required = true;
        }
        before = have;
    }
    return required;
}

/* MDMCTRL1.CORR_THR is a number of chips out of 32; noise matches 16. */
static bool correlates(struct hc_cc2420 *r, int snr_db)
{
    unsigned chips = 16 + correlation(r, snr_db) * 16 / 110;

    return chips >= (r->s.reg[MDMCTRL1] >> 6 & 0x1fu);
}

static void search_byte(struct hc_cc2420 *r, uint8_t byte, int snr_db, hc_time now)
{
    if (now - r->s.rx_byte_at > hc_us(LOST_US))
        r->s.rx_history = 0xffffffff;
    r->s.rx_history = r->s.rx_history << 8 | byte;
    if (synchronised(r->s.rx_history, r->s.reg[SYNCWORD]) && correlates(r, snr_db))
        frame_begin(r, now);
}

static bool demodulates(struct hc_cc2420 *r)
{
    int mode = r->s.reg[MDMCTRL1] & 3;

    if (mode == RX_SERIAL)
        hc_cc2420_note(r, NOTE_SERIAL, "serial mode is not modelled; a carrier is sent, nothing is received");
    return (mode == RX_BUFFERED || mode == RX_LOOPING) && hc_cc2420_on(r, MAIN, MAIN_DEMOD_RESETN);
}

void hc_cc2420_air_byte(struct hc_cc2420 *r, uint8_t byte, int snr_db, hc_time now)
{
    if (r->s.state == HC_CC2420_RX_SFD_SEARCH && demodulates(r)) {
        search_byte(r, byte, snr_db, now);
    } else if (r->s.state == HC_CC2420_RX_FRAME && !r->s.rx_noisy) {
        measure(r, snr_db, now);
        if (frame_byte(r, byte, now))
            hc_event_arm(hc_events(r->base.machine), r->step, now + hc_us(LOST_US));
    }
    r->s.rx_byte_at = now;
}
