/* CC2420 against its datasheet: transmission, reception, acknowledgement, RSSI and CCA, in microseconds. */
#include "cc2420_bench.h"

enum { SHR = 5, CALIBRATE = 192, BYTE = 32 };

/* Frames as they are written to a TXFIFO with AUTOCRC: the length counts an FCS that is not written. */
static const uint8_t data_to_broadcast[] = { 12, 0x41, 0x88, 7, 0xff, 0xff, 0xff, 0xff, 1, 0, 0x99 };
static const uint8_t no_address[] = { 5, 0x02, 0x00, 0x6a }; /* an acknowledgement */

static void send(struct node *n, const uint8_t *frame, int size)
{
    fifo_write(n, TXFIFO, frame, size);
    strobe(n, STXON);
}

#define SEND(n, frame) send((n), (frame), sizeof(frame))

/* The receiver is on, and RSSI is valid. */
static void listen(struct bench *b, struct node *n)
{
    strobe(n, SRXON);
    pass(b, CALIBRATE + 128);
}

/* ---- transmission ---- */

static void transmission_takes_32_us_a_byte(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    static const uint8_t sent[] = {
        0, 0, 0, 0, 0xa7, 5, 0x02, 0x00, 0x6a, 0xe4, 0x79
    }; /* FCS: example of the standard */
    enum { END = CALIBRATE + 11 * BYTE };

    mark(b);
    SEND(n, no_address);
    assert_int_equal(get(n, FSMSTATE), 32);
    assert_int_equal(status_of(n), XOSC16M_STABLE | TX_ACTIVE);
    at(b, CALIBRATE - 1);
    assert_int_equal(n->transmissions, 0);
    at(b, CALIBRATE);
    assert_int_equal(n->transmissions, 1);
    assert_int_equal(get(n, FSMSTATE), 34);
    assert_int_equal(status_of(n), XOSC16M_STABLE | TX_ACTIVE | LOCK);
    at(b, CALIBRATE + SHR * BYTE - 1);
    assert_int_equal(level(n, n->sfd), 0);
    at(b, CALIBRATE + SHR * BYTE);
    assert_int_equal(level(n, n->sfd), 1);
    assert_int_equal(get(n, FSMSTATE), 37);
    at(b, END - 1);
    assert_int_equal(level(n, n->sfd), 1);
    assert_int_equal(get(n, FSMSTATE), 39);
    at(b, END);
    assert_int_equal(level(n, n->sfd), 0);
    assert_int_equal(status_of(n), XOSC16M_STABLE);
    assert_int_equal(get(n, FSMSTATE), 2);
    assert_int_equal(n->sent, sizeof sent);
    assert_memory_equal(n->byte, sent, sizeof sent);
    for (int i = 0; i < n->sent; i++)
        assert_int_equal(since(b, n->byte_at[i]), CALIBRATE + (i + 1) * BYTE);
    assert_int_equal(since(b, n->start), CALIBRATE);
    assert_int_equal(since(b, n->end), END);
    at(b, END + CALIBRATE);
    assert_int_equal(get(n, FSMSTATE), 3);
    assert_int_equal(status_of(n), XOSC16M_STABLE | LOCK);
    at(b, END + CALIBRATE + 128);
    assert_int_equal(status_of(n), XOSC16M_STABLE | LOCK | RSSI_VALID);
}

static void longest_frame_ends_on_the_microsecond(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    uint8_t frame[126] = { 127, 0x02 };

    mark(b);
    SEND(n, frame);
    pass(b, 6000);
    assert_int_equal(n->sent, SHR + 128);
    assert_int_equal(since(b, n->end), CALIBRATE + (SHR + 128) * BYTE);
    assert_true(n->end - n->start - hc_us((SHR + 128) * BYTE) <= 1);
}

static void fast_turnaround_takes_8_symbols(void **state)
{
    struct bench *b = *state;

    set(&b->a, TXCTRL, 0x80ff);
    mark(b);
    SEND(&b->a, no_address);
    pass(b, 1000);
    assert_int_equal(since(b, b->a.start), 128);
}

static void last_frame_is_sent_again(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    SEND(n, no_address);
    pass(b, 1000);
    strobe(n, STXON);
    pass(b, 1000);
    assert_int_equal(n->transmissions, 2);
    assert_int_equal(n->sent, 11);
    assert_int_equal(n->byte[8], 0x6a);
    /* A write after a transmission flushes the TXFIFO first. */
    SEND(n, data_to_broadcast);
    pass(b, 2000);
    assert_int_equal(n->sent, SHR + 13);
    assert_memory_equal(n->byte + SHR, data_to_broadcast, sizeof data_to_broadcast);
}

static void missing_bytes_are_an_underflow(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    const uint8_t short_frame[] = { 9, 1, 2, 3 };
    enum { STOP = CALIBRATE + (SHR + 4) * BYTE };

    mark(b);
    SEND(n, short_frame);
    at(b, STOP - 1);
    assert_int_equal(status_of(n) & TX_UNDERFLOW, 0);
    assert_int_equal(level(n, n->sfd), 1);
    at(b, STOP);
    assert_int_equal(status_of(n), XOSC16M_STABLE | TX_UNDERFLOW | LOCK);
    assert_int_equal(level(n, n->sfd), 0);
    assert_int_equal(get(n, FSMSTATE), 56);
    at(b, STOP + 16);
    assert_int_equal(get(n, FSMSTATE), 2); /* by itself */
    at(b, STOP + BYTE);
    assert_int_equal(since(b, n->end), STOP + BYTE);
    assert_int_equal(status_of(n) & TX_UNDERFLOW, TX_UNDERFLOW);
    strobe(n, SFLUSHTX);
    assert_int_equal(status_of(n) & TX_UNDERFLOW, 0);
}

static void bytes_may_be_written_while_sending(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    mark(b);
    send(n, data_to_broadcast, 1);
    for (unsigned i = 1; i < sizeof data_to_broadcast; i++) {
        at(b, CALIBRATE + (SHR + i) * BYTE - 10);
        fifo_write(n, TXFIFO, data_to_broadcast + i, 1);
    }
    pass(b, 500);
    assert_int_equal(status_of(n) & TX_UNDERFLOW, 0);
    assert_memory_equal(n->byte + SHR, data_to_broadcast, sizeof data_to_broadcast);
    assert_int_equal(n->sent, SHR + 13);
}

static void preamble_and_sync_word_are_programmable(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;
    static const uint8_t sent[] = { 0, 0, 0, 0, 0, 0, 0x50, 0x63, 5 };

    set(n, MDMCTRL0, 0x0ae5);
    set(n, SYNCWORD, 0x635f);
    SEND(n, no_address);
    pass(b, 1000);
    assert_memory_equal(n->byte, sent, sizeof sent);
}

static void power_and_frequency_reach_the_medium(void **state)
{
    static const struct {
        int level, dbm;
    } powers[] = { { 31, 0 }, { 27, -1 }, { 23, -3 }, { 19, -5 }, { 15, -7 }, { 11, -10 }, { 7, -15 }, { 3, -25 } };
    struct bench *b = *state;
    struct node *n = &b->a;

    for (int i = 0; i < 8; i++) {
        set(n, TXCTRL, (uint16_t)(0xa0e0 | powers[i].level));
        set(n, FSCTRL, (uint16_t)(0x4165 + 5 * i)); /* channel 11 + i */
        SEND(n, no_address);
        pass(b, 1000);
        assert_int_equal(n->signal.dbm, powers[i].dbm);
        assert_int_equal(n->signal.mhz, 2405 + 5 * i);
    }
}

static void strobes_end_a_transmission(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    mark(b);
    SEND(n, data_to_broadcast);
    at(b, CALIBRATE + 7 * BYTE + 5);
    strobe(n, STXON); /* goes on */
    strobe(n, SRFOFF);
    assert_int_equal(n->sent, 7);
    assert_int_equal(level(n, n->sfd), 0);
    assert_int_equal(get(n, FSMSTATE), 1);
    pass(b, 2000);
    assert_int_equal(n->sent, 8); /* the byte that had begun was announced as a whole */
    assert_int_equal(since(b, n->end), CALIBRATE + 7 * BYTE + 5 + BYTE);
}

static void test_modes_send_without_end(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->a;

    SEND(n, data_to_broadcast);
    strobe(n, SRFOFF);
    set(n, MDMCTRL1, 0x0508); /* TX_MODE 2: TXFIFO again and again */
    strobe(n, STXON);
    pass(b, CALIBRATE + (SHR + 300) * BYTE);
    assert_int_equal(n->byte[SHR], 12);
    assert_int_equal(n->byte[SHR + 256 + 1], 0x41);
    assert_int_equal(level(n, n->sfd), 1);
    strobe(n, SRFOFF);
    set(n, MDMCTRL1, 0x050c); /* TX_MODE 3: pseudo-random */
    strobe(n, STXON);
    pass(b, CALIBRATE + (SHR + 100) * BYTE);
    assert_int_equal(n->sent, SHR + 100);
    assert_memory_not_equal(n->byte + SHR, n->byte + SHR + 16, 16);
    strobe(n, SRFOFF);
    set(n, DACTST, 0x1800); /* a carrier without modulation */
    strobe(n, STXON);
    pass(b, 10000);
    assert_int_equal(n->sent, 0);
    assert_int_equal(hc_cc2420_state(n->radio), HC_CC2420_TX_FRAME);
    hc_time off = hc_now(b->m);
    strobe(n, SRFOFF);
    pass(b, 100);
    assert_int_equal(n->end, off + HC_RADIO_AHEAD);
}

/* ---- reception ---- */

/* B is on air with address recognition off when A sends FRAME; times count from A's STXON. */
static void start_frame(struct bench *b, const uint8_t *frame, int size)
{
    set(&b->b, MDMCTRL0, 0x02e2);
    listen(b, &b->b);
    mark(b);
    send(&b->a, frame, size);
}

static void frame_arrives_with_its_pins(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    enum { SFD = CALIBRATE + SHR * BYTE, END = SFD + 13 * BYTE };
    uint8_t frame[13];

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, SFD - 1);
    assert_int_equal(get(n, FSMSTATE), 3);
    at(b, SFD);
    assert_int_equal(get(n, FSMSTATE), 16);
    assert_int_equal(since(b, n->sfd_rise), SFD);
    at(b, SFD + BYTE - 1);
    assert_int_equal(level(n, n->fifo), 0);
    at(b, SFD + BYTE);
    assert_int_equal(level(n, n->fifo), 1);
    assert_int_equal(level(n, n->fifop), 0);
    at(b, END - 1);
    assert_int_equal(level(n, n->fifop), 0);
    assert_int_equal(level(n, n->sfd), 1);
    at(b, END);
    assert_int_equal(level(n, n->fifop), 1);
    assert_int_equal(since(b, n->sfd_fall), END);
    assert_int_equal(get(n, FSMSTATE), 14);
    fifo_read(n, frame, 1);
    assert_int_equal(level(n, n->fifop), 0);
    assert_int_equal(level(n, n->fifo), 1);
    fifo_read(n, frame + 1, 12);
    assert_int_equal(level(n, n->fifo), 0);
    assert_memory_equal(frame, data_to_broadcast, sizeof data_to_broadcast);
    assert_int_equal((int8_t)frame[11], LINK_DBM + 45);
    assert_true(frame[12] & 0x80); /* CRC */
    assert_in_range(frame[12] & 0x7f, 105, 110);
    at(b, END + 128);
    assert_int_equal(get(n, FSMSTATE), 3);
}

static void fifop_follows_its_threshold(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    enum { SFD = CALIBRATE + SHR * BYTE };
    uint8_t byte[4];

    set(n, IOCFG0, 0x0003);
    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, SFD + 3 * BYTE);
    assert_int_equal(level(n, n->fifop), 0); /* 3 bytes do not exceed 3 */
    at(b, SFD + 4 * BYTE);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, byte, 1);
    assert_int_equal(level(n, n->fifop), 0);
    at(b, SFD + 5 * BYTE);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, byte, 2);
    at(b, SFD + 6 * BYTE);
    assert_int_equal(level(n, n->fifop), 0);
    at(b, SFD + 13 * BYTE);
    assert_int_equal(level(n, n->fifop), 1);
}

/* A frame that has been read in part is announced at its end, until the next byte is read. */
static void end_of_a_half_read_frame_raises_fifop(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t bytes[12];

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, CALIBRATE + (SHR + 6) * BYTE);
    fifo_read(n, bytes, 6);
    at(b, CALIBRATE + (SHR + 13) * BYTE);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, bytes, 1);
    assert_int_equal(level(n, n->fifop), 0);
    assert_int_equal(level(n, n->fifo), 1);
}

static void second_frame_raises_fifop_again(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t frame[13];

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    pass(b, 1200);
    strobe(&b->a, STXON);
    pass(b, 1200);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, frame, 1);
    assert_int_equal(level(n, n->fifop), 0); /* one byte read */
    fifo_read(n, frame + 1, 12);
    assert_int_equal(level(n, n->fifop), 1);
    fifo_read(n, frame, 1);
    assert_int_equal(frame[0], 12);
    assert_int_equal(level(n, n->fifop), 0);
    fifo_read(n, frame, 12);
    assert_int_equal(level(n, n->fifo), 0);
}

static void without_autocrc_the_fcs_is_stored(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    static const uint8_t frame[] = { 5, 0x02, 0x00, 0x6a, 0xe4, 0x79 };
    uint8_t read[6];

    set(&b->a, MDMCTRL0, 0x0ac2);
    set(n, MDMCTRL0, 0x02c2);
    listen(b, n);
    SEND(&b->a, frame);
    pass(b, 1000);
    fifo_read(n, read, 6);
    assert_memory_equal(read, frame, 6);
}

/* Two frames of 65 bytes do not fit. */
static void overflow_stops_reception_until_flushed_twice(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t frame[63] = { 64, 0x01 }, read[65];
    enum { FULL = CALIBRATE + (SHR + 64) * BYTE };

    start_frame(b, frame, sizeof frame);
    pass(b, 5000);
    mark(b);
    strobe(&b->a, STXON);
    at(b, FULL - 1);
    assert_int_equal(level(n, n->fifo), 1);
    assert_int_equal(level(n, n->fifop), 1);
    at(b, FULL);
    assert_int_equal(get(n, FSMSTATE), 17);
    assert_int_equal(level(n, n->fifo), 0);
    assert_int_equal(level(n, n->fifop), 1);
    assert_int_equal(level(n, n->sfd), 1);
    fifo_read(n, read, 65); /* the first frame is whole */
    assert_int_equal(read[0], 64);
    assert_true(read[64] & 0x80);
    assert_int_equal(level(n, n->fifop), 1);
    pass(b, 2000);
    strobe(&b->a, STXON); /* nobody hears it */
    pass(b, 5000);
    assert_int_equal(get(n, FSMSTATE), 17);
    strobe(n, SFLUSHRX);
    assert_int_equal(level(n, n->fifop), 0);
    assert_int_equal(level(n, n->sfd), 1);
    strobe(n, SFLUSHRX);
    assert_int_equal(level(n, n->sfd), 0);
    assert_int_equal(get(n, FSMSTATE), 3);
    strobe(&b->a, STXON);
    pass(b, 5000);
    assert_int_equal(level(n, n->fifop), 1);
    assert_int_equal(level(n, n->fifo), 1);
}

static void looping_reception_never_overflows(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t frame[100] = { 101, 1 };

    set(n, MDMCTRL1, 0x0502);
    start_frame(b, frame, sizeof frame);
    pass(b, 5000);
    strobe(&b->a, STXON);
    pass(b, 10000);
    assert_int_equal(get(n, FSMSTATE), 16); /* SFD search is over for good */
    assert_int_equal(level(n, n->fifo), 1);
    strobe(n, SRFOFF);
    assert_int_equal(get(n, FSMSTATE), 1);
}

/* The receiver goes on with noise, at the same pace, and the CRC is wrong. */
static void lost_carrier_ends_in_a_bad_crc(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    enum { CUT = CALIBRATE + (SHR + 4) * BYTE, END = CALIBRATE + (SHR + 13) * BYTE };
    uint8_t frame[13];

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, CUT);
    strobe(&b->a, SRFOFF);
    at(b, END - BYTE);
    assert_int_equal(level(n, n->sfd), 1);
    at(b, END + BYTE);
    assert_int_equal(level(n, n->sfd), 0);
    fifo_read(n, frame, 13);
    assert_memory_equal(frame, data_to_broadcast, 4);
    assert_int_equal(frame[12] & 0x80, 0);
}

static void other_channel_and_modulation_are_not_heard(void **state)
{
    struct bench *b = *state;

    set(&b->a, FSCTRL, 0x4165 + 5);
    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    pass(b, 1500);
    assert_int_equal(level(&b->b, b->b.fifo), 0);
    set(&b->b, FSCTRL, 0x4165 + 5);
    strobe(&b->a, STXON);
    pass(b, 1500);
    assert_int_equal(level(&b->b, b->b.fifo), 0); /* not before it calibrates */
    listen(b, &b->b);
    set(&b->a, MDMCTRL1, 0x0510);
    strobe(&b->a, STXON);
    pass(b, 1500);
    assert_int_equal(level(&b->b, b->b.fifo), 0);
    set(&b->b, MDMCTRL1, 0x0510);
    strobe(&b->a, STXON);
    pass(b, 1500);
    assert_int_equal(level(&b->b, b->b.fifo), 1);
}

static void weak_signals_do_not_synchronise(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;

    listen(b, n);
    for (int snr = -8; snr <= 0; snr += 8) {
        for (int i = 0; i < 5; i++) {
            pass(b, BYTE);
            hc_cc2420_air_byte(n->radio, i < 4 ? 0 : 0xa7, snr, hc_now(b->m));
        }
        assert_int_equal(level(n, n->sfd), snr == 0);
    }
}

static void bytes_of_the_wrong_pace_do_not_synchronise(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;

    listen(b, n);
    for (int i = 0; i < 5; i++) {
        pass(b, i == 4 ? 200 : BYTE); /* a gap before the SFD */
        hc_cc2420_air_byte(n->radio, i < 4 ? 0 : 0xa7, 30, hc_now(b->m));
    }
    assert_int_equal(level(n, n->sfd), 0);
}

static void turning_off_leaves_what_has_come(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, CALIBRATE + (SHR + 4) * BYTE);
    strobe(n, SRFOFF);
    assert_int_equal(level(n, n->sfd), 0);
    assert_int_equal(level(n, n->fifo), 1);
    assert_int_equal(level(n, n->fifop), 0);
    strobe(n, SFLUSHRX);
    assert_int_equal(level(n, n->fifo), 0);
}

/* ---- address recognition ---- */

/* B is 0x1234 in PAN 0xbeef, with the extended address 08 07 06 05 04 03 02 01. */
static const struct {
    const char *what;
    uint16_t mdmctrl0, iocfg0;
    bool accepted;
    int decided; /* byte of the MPDU at which a rejected frame is dropped */
    uint8_t size, frame[16];
} addressed[] = {
    { "short", 0x0ae2, 0x40, true, 0, 12, { 13, 0x41, 0x88, 1, 0xef, 0xbe, 0x34, 0x12, 9, 9, 7, 7 } },
    { "other short", 0x0ae2, 0x40, false, 7, 12, { 13, 0x41, 0x88, 1, 0xef, 0xbe, 0x35, 0x12, 9, 9, 7, 7 } },
    { "other PAN", 0x0ae2, 0x40, false, 7, 12, { 13, 0x41, 0x88, 1, 0xee, 0xbe, 0x34, 0x12, 9, 9, 7, 7 } },
    { "broadcast", 0x0ae2, 0x40, true, 0, 12, { 13, 0x41, 0x88, 1, 0xef, 0xbe, 0xff, 0xff, 9, 9, 7, 7 } },
    { "broadcast PAN", 0x0ae2, 0x40, true, 0, 12, { 13, 0x41, 0x88, 1, 0xff, 0xff, 0x34, 0x12, 9, 9, 7, 7 } },
    { "command", 0x0ae2, 0x40, true, 0, 12, { 13, 0x43, 0x88, 1, 0xef, 0xbe, 0x34, 0x12, 9, 9, 7, 7 } },
    { "long", 0x0ae2, 0x40, true, 0, 14, { 15, 0x41, 0x0c, 1, 0xef, 0xbe, 8, 7, 6, 5, 4, 3, 2, 1 } },
    { "other long", 0x0ae2, 0x40, false, 13, 14, { 15, 0x41, 0x0c, 1, 0xef, 0xbe, 8, 7, 6, 5, 4, 3, 2, 2 } },
    { "acknowledgement", 0x0ae2, 0x40, true, 0, 4, { 5, 0x02, 0x00, 1 } },
    { "long acknowledgement", 0x0ae2, 0x40, true, 0, 5, { 6, 0x02, 0x00, 1, 1 } },
    { "acknowledgement to another", 0x0ae2, 0x40, false, 7, 8, { 9, 0x02, 0x08, 1, 0xef, 0xbe, 0x35, 0x12 } },
    { "no addresses", 0x0ae2, 0x40, true, 0, 5, { 6, 0x01, 0x00, 1, 1 } },
    { "reserved type", 0x0ae2, 0x40, false, 2, 12, { 13, 0x44, 0x88, 1, 0xef, 0xbe, 0x34, 0x12, 9, 9, 7, 7 } },
    { "reserved, mode 1", 0x2ae2, 0x40, true, 0, 12, { 13, 0x47, 0x88, 1, 0, 0, 0, 0, 9, 9, 7, 7 } },
    { "beacon of my PAN", 0x0ae2, 0x40, true, 0, 8, { 9, 0x00, 0x80, 1, 0xef, 0xbe, 5, 5 } },
    { "beacon of another", 0x0ae2, 0x40, false, 5, 8, { 9, 0x00, 0x80, 1, 0xee, 0xbe, 5, 5 } },
    { "any beacon", 0x0ae2, 0x840, true, 0, 8, { 9, 0x00, 0x80, 1, 0xee, 0xbe, 5, 5 } },
    { "source only", 0x0ae2, 0x40, false, 2, 9, { 10, 0x01, 0x80, 1, 0xef, 0xbe, 5, 5, 7 } },
    { "source only, to me", 0x1ae2, 0x40, true, 0, 9, { 10, 0x01, 0x80, 1, 0xef, 0xbe, 5, 5, 7 } },
    { "source only, other PAN", 0x1ae2, 0x40, false, 5, 9, { 10, 0x01, 0x80, 1, 0xee, 0xbe, 5, 5, 7 } },
    { "too short", 0x0ae2, 0x40, false, 6, 5, { 6, 0x41, 0x88, 1, 0xef } },
    { "no recognition", 0x02e2, 0x40, true, 0, 12, { 13, 0x41, 0x88, 1, 0xee, 0xbe, 0x35, 0x12, 9, 9, 7, 7 } },
};

static void set_addresses(struct node *n)
{
    ram_write(n, IEEEADDR, (const uint8_t *)"\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    ram_write(n, PANID, (const uint8_t *)"\xef\xbe", 2);
    ram_write(n, SHORTADR, (const uint8_t *)"\x34\x12", 2);
}

static void addresses_are_recognised(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t read[20];

    set_addresses(n);
    for (unsigned i = 0; i < sizeof addressed / sizeof *addressed; i++) {
        unsigned length = addressed[i].frame[0];
        set(n, MDMCTRL0, addressed[i].mdmctrl0);
        set(n, IOCFG0, addressed[i].iocfg0);
        listen(b, n);
        mark(b);
        send(&b->a, addressed[i].frame, addressed[i].size);
        pass(b, 1500);
        unsigned end = CALIBRATE + BYTE * (SHR + 1 + (addressed[i].accepted ? length : (unsigned)addressed[i].decided));
        if (since(b, n->sfd_fall) != end)
            fail_msg("%s: SFD fell at %u us, not %u", addressed[i].what, since(b, n->sfd_fall), end);
        if (level(n, n->fifo) != addressed[i].accepted || level(n, n->fifop) != addressed[i].accepted)
            fail_msg("%s: FIFO %d, FIFOP %d", addressed[i].what, level(n, n->fifo), level(n, n->fifop));
        if (addressed[i].accepted)
            fifo_read(n, read, (int)length + 1);
    }
}

/* Without BCN_ACCEPT the PAN 0xffff is one like any other. */
static void beacons_for_all_need_bcn_accept(void **state)
{
    static const uint8_t beacon[] = { 9, 0x00, 0x80, 1, 0xee, 0xbe, 5, 5 };
    struct bench *b = *state;
    struct node *n = &b->b;

    ram_write(n, PANID, (const uint8_t *)"\xff\xff", 2);
    listen(b, n);
    SEND(&b->a, beacon);
    pass(b, 1500);
    assert_int_equal(level(n, n->fifo), 0);
    set(n, IOCFG0, 0x0840);
    strobe(&b->a, STXON);
    pass(b, 1500);
    assert_int_equal(level(n, n->fifo), 1);
}

/* The rest of a rejected frame is not searched: what looks like a frame in it is none. */
static void rejected_frame_is_waited_for(void **state)
{
    static const uint8_t frame[] = { 21, 0x41, 0x88, 1, 0xef, 0xbe, 0x35, 0x12, 9, 9, 0, 0, 0, 0, 0xa7, 5, 2, 0, 1, 7 };
    enum { REJECTED = CALIBRATE + (SHR + 1 + 7) * BYTE, END = CALIBRATE + (SHR + 1 + 21) * BYTE };
    struct bench *b = *state;
    struct node *n = &b->b;

    set_addresses(n);
    listen(b, n);
    mark(b);
    SEND(&b->a, frame);
    at(b, REJECTED);
    assert_int_equal(get(n, FSMSTATE), 14);
    at(b, END - 1);
    assert_int_equal(get(n, FSMSTATE), 14);
    assert_int_equal(since(b, n->sfd_fall), REJECTED);
    at(b, END + 128);
    assert_int_equal(get(n, FSMSTATE), 3);
    assert_int_equal(level(n, n->fifo), 0);
    assert_int_equal(since(b, n->sfd_fall), REJECTED);
}

/* FIFOP waits for the address even if its threshold is exceeded, and older frames stay. */
static void rejected_frame_leaves_older_ones(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;
    uint8_t read[14];

    set_addresses(n);
    set(n, IOCFG0, 0x0002);
    listen(b, n);
    mark(b);
    send(&b->a, addressed[0].frame, 12);
    at(b, CALIBRATE + (SHR + 1 + 6) * BYTE);
    assert_int_equal(level(n, n->fifop), 0);
    at(b, CALIBRATE + (SHR + 1 + 7) * BYTE);
    assert_int_equal(level(n, n->fifop), 1);
    pass(b, 1000);
    send(&b->a, addressed[1].frame, 12);
    pass(b, 1500);
    fifo_read(n, read, 14);
    assert_memory_equal(read, addressed[0].frame, 12);
    assert_int_equal(level(n, n->fifo), 0);
    assert_int_equal(level(n, n->fifop), 0);
}

/* ---- acknowledgement ---- */

static const uint8_t to_b[] = { 13, 0x61, 0x88, 0x42, 0xef, 0xbe, 0x34, 0x12, 9, 9, 7, 7 };
enum { TO_B_END = CALIBRATE + (SHR + 14) * BYTE };

static void start_to_b(struct bench *b, uint16_t mdmctrl0)
{
    set_addresses(&b->b);
    set(&b->b, MDMCTRL0, mdmctrl0);
    set(&b->a, MDMCTRL0, 0x02e2);
    listen(b, &b->b);
    mark(b);
    SEND(&b->a, to_b);
}

static void autoack_answers_12_symbols_later(void **state)
{
    struct bench *b = *state;
    uint8_t read[20];
    static const uint8_t sent[] = { 0, 0, 0, 0, 0xa7, 5, 0x02, 0x00, 0x42 };

    start_to_b(b, 0x0af2);
    at(b, TO_B_END);
    assert_int_equal(get(&b->b, FSMSTATE), 48);
    at(b, TO_B_END + 192);
    assert_int_equal(get(&b->b, FSMSTATE), 49);
    at(b, TO_B_END + 192 + (SHR + 2) * BYTE);
    assert_int_equal(get(&b->b, FSMSTATE), 53);
    pass(b, 1000);
    assert_int_equal(b->b.transmissions, 1);
    assert_int_equal(since(b, b->b.start), TO_B_END + 192);
    assert_int_equal(since(b, b->b.end), TO_B_END + 192 + 11 * BYTE);
    assert_memory_equal(b->b.byte, sent, sizeof sent);
    assert_int_equal(get(&b->b, FSMSTATE), 3);
    /* The sender turned round just in time to hear it. */
    fifo_read(&b->a, read, 6);
    assert_memory_equal(read, "\5\2\0\x42", 4);
    assert_true(read[5] & 0x80);
}

static void autoack_needs_a_request(void **state)
{
    struct bench *b = *state;

    set_addresses(&b->b);
    set(&b->b, MDMCTRL0, 0x0af2);
    listen(b, &b->b);
    send(&b->a, addressed[0].frame, 12);
    pass(b, 3000);
    assert_int_equal(level(&b->b, b->b.fifop), 1);
    assert_int_equal(b->b.transmissions, 0);
}

static void autoack_needs_a_right_crc(void **state)
{
    struct bench *b = *state;

    start_to_b(b, 0x0af2);
    at(b, TO_B_END - 40);
    strobe(&b->a, SRFOFF);
    pass(b, 3000);
    assert_int_equal(level(&b->b, b->b.fifop), 1);
    assert_int_equal(b->b.transmissions, 0);
}

static void sack_during_a_frame_answers_at_its_end(void **state)
{
    struct bench *b = *state;

    start_to_b(b, 0x0ae2);
    at(b, TO_B_END - 100);
    strobe(&b->b, SACKPEND);
    pass(b, 2000);
    assert_int_equal(since(b, b->b.start), TO_B_END + 192);
    assert_int_equal(b->b.byte[6], 0x12); /* frame pending */
}

static void sack_after_a_frame_answers_from_then(void **state)
{
    struct bench *b = *state;

    start_to_b(b, 0x0ae2);
    at(b, TO_B_END + 500);
    strobe(&b->b, SACK);
    pass(b, 2000);
    assert_int_equal(since(b, b->b.start), TO_B_END + 500 + 192);
    assert_int_equal(b->b.byte[6], 0x02);
    strobe(&b->b, SACK); /* once is enough */
    pass(b, 2000);
    assert_int_equal(b->b.transmissions, 1);
}

static void sackpend_marks_later_automatic_ones(void **state)
{
    struct bench *b = *state;

    strobe(&b->b, SACKPEND);
    start_to_b(b, 0x0af2);
    pass(b, 3000);
    assert_int_equal(b->b.byte[6], 0x12);
    strobe(&b->b, SACK);
    strobe(&b->a, STXON);
    pass(b, 3000);
    assert_int_equal(b->b.transmissions, 2);
    assert_int_equal(b->b.byte[6], 0x02);
}

/* ---- RSSI and CCA ---- */

static int rssi(struct node *n)
{
    return (int8_t)(get(n, RSSI) & 0xff);
}

static void rssi_is_the_mean_of_8_symbols(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;

    mark(b);
    strobe(n, SRXON);
    at(b, CALIBRATE + 127);
    assert_int_equal(rssi(n), -128);
    assert_int_equal(status_of(n) & RSSI_VALID, 0);
    at(b, CALIBRATE + 128);
    assert_int_equal(rssi(n), -55);
    assert_int_equal(status_of(n) & RSSI_VALID, RSSI_VALID);
    hc_cc2420_carrier(n->radio, -50, hc_now(b->m));
    at(b, CALIBRATE + 128 + 15);
    assert_int_equal(rssi(n), -55);
    at(b, CALIBRATE + 128 + 32); /* a quarter of the window: -6 dB */
    assert_int_equal(rssi(n), -5 - 6);
    at(b, CALIBRATE + 128 + 64);
    assert_int_equal(rssi(n), -5 - 3);
    at(b, CALIBRATE + 128 + 144);
    assert_int_equal(rssi(n), -5);
}

static void idle_listening_has_no_events(void **state)
{
    struct bench *b = *state;

    listen(b, &b->a);
    listen(b, &b->b);
    pass(b, 10);
    assert_true(hc_queue_next(hc_events(b->m)) == HC_NEVER);
    hc_cc2420_carrier(b->b.radio, -50, hc_now(b->m));
    assert_true(hc_queue_next(hc_events(b->m)) != HC_NEVER);
    pass(b, 160);
    assert_true(hc_queue_next(hc_events(b->m)) == HC_NEVER);
}

/* Threshold -32 (-77 dBm), hysteresis 2 dB: after reset. */
static void cca_has_a_threshold_and_hysteresis(void **state)
{
    static const struct {
        int dbm, clear;
    } steps[] = { { -100, 1 }, { -80, 1 }, { -78, 1 }, { -77, 0 }, { -79, 0 }, { -80, 1 }, { -60, 0 }, { -78, 0 } };
    struct bench *b = *state;
    struct node *n = &b->b;

    mark(b);
    set(n, MDMCTRL0, 0x0a62); /* mode 1 */
    strobe(n, SRXON);
    at(b, CALIBRATE + 127);
    assert_int_equal(level(n, n->cca), 0);
    at(b, CALIBRATE + 128);
    assert_int_equal(level(n, n->cca), 1);
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++) {
        hc_cc2420_carrier(n->radio, steps[i].dbm, hc_now(b->m));
        pass(b, 160);
        if (level(n, n->cca) != steps[i].clear)
            fail_msg("step %u: CCA is %d", i, level(n, n->cca));
    }
    set(n, RSSI, 0xf000); /* threshold -16: -61 dBm */
    assert_int_equal(level(n, n->cca), 1);
    strobe(n, SRFOFF);
    assert_int_equal(level(n, n->cca), 0);
}

static void cca_modes_see_frames(void **state)
{
    static const struct {
        uint16_t mdmctrl0;
        int preamble, frame; /* CCA on a channel that is loud */
    } modes[] = { { 0x0262, 0, 0 }, { 0x02a2, 1, 0 }, { 0x02e2, 0, 0 } };
    struct bench *b = *state;
    struct node *n = &b->b;

    for (int i = 0; i < 3; i++) {
        set(n, MDMCTRL0, modes[i].mdmctrl0);
        listen(b, n);
        assert_int_equal(level(n, n->cca), 1);
        mark(b);
        SEND(&b->a, data_to_broadcast);
        at(b, CALIBRATE + SHR * BYTE - 1);
        assert_int_equal(level(n, n->cca), modes[i].preamble);
        at(b, CALIBRATE + SHR * BYTE);
        assert_int_equal(level(n, n->cca), modes[i].frame);
        pass(b, 1000);
        assert_int_equal(level(n, n->cca), 1);
    }
    /* A frame too weak for the threshold: mode 1 does not see it, mode 3 does. */
    for (int mode = 1; mode <= 3; mode += 2) {
        set(n, MDMCTRL0, (uint16_t)(0x0222 | mode << 6));
        listen(b, n);
        for (int i = 0; i < 5; i++) {
            pass(b, BYTE);
            hc_cc2420_air_byte(n->radio, i < 4 ? 0 : 0xa7, 30, hc_now(b->m));
        }
        assert_int_equal(level(n, n->sfd), 1);
        assert_int_equal(level(n, n->cca), mode == 1);
        strobe(n, SRFOFF);
    }
}

static void stxoncca_waits_for_a_clear_channel(void **state)
{
    struct bench *b = *state;
    struct node *n = &b->b;

    fifo_write(n, TXFIFO, no_address, sizeof no_address);
    strobe(n, STXONCCA); /* the receiver is off: not clear */
    assert_int_equal(status_of(n) & TX_ACTIVE, 0);
    hc_cc2420_carrier(n->radio, -50, hc_now(b->m));
    listen(b, n);
    strobe(n, STXONCCA);
    assert_int_equal(status_of(n) & TX_ACTIVE, 0);
    hc_cc2420_carrier(n->radio, HC_CC2420_SILENCE, hc_now(b->m));
    pass(b, 160);
    strobe(n, STXONCCA);
    assert_int_equal(status_of(n) & TX_ACTIVE, TX_ACTIVE);
    pass(b, 1000);
    assert_int_equal(n->transmissions, 1);
}

/* ---- snapshot ---- */

static void snapshot_in_a_frame_goes_on_alike(void **state)
{
    struct bench *b = *state;
    uint8_t first[13], second[13];

    start_frame(b, data_to_broadcast, sizeof data_to_broadcast);
    at(b, CALIBRATE + (SHR + 3) * BYTE + 7);
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    struct node link = b->a; /* the link is no part of the machine */
    pass(b, 2000);
    fifo_read(&b->b, first, 13);
    hc_snapshot_restore(b->m, snapshot);
    b->a.ahead = link.ahead;
    pass(b, 2000);
    fifo_read(&b->b, second, 13);
    assert_true(first[12] & 0x80);
    assert_memory_equal(first, second, 13);
    assert_int_equal(since(b, b->b.sfd_fall), CALIBRATE + (SHR + 13) * BYTE);
    hc_snapshot_free(snapshot);
}

/* ---- anything at all ---- */

static uint32_t draw(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return (uint32_t)(*x >> 32);
}

/* Random SPI bytes, air and time at two linked radios; returns a digest of all that they show. */
static uint64_t abuse(struct bench *b, uint64_t seed, int steps)
{
    uint64_t digest = 1;

    for (int i = 0; i < steps; i++) {
        struct node *n = draw(&seed) % 2 ? &b->a : &b->b;
        uint32_t what = draw(&seed);
        if (what % 16 == 0) {
            set(n, MAIN, 0xf800);
            strobe(n, SXOSCON);
        } else if (what % 16 < 6) {
            strobe(n, (int)(what >> 8) % 15);
        } else if (what % 16 == 6) {
            hc_cc2420_air_byte(n->radio, (uint8_t)(what >> 8), (int)(what >> 16) % 40 - 10, hc_now(b->m));
        } else if (what % 16 == 7) {
            hc_cc2420_carrier(n->radio, (int)(what >> 8) % 200 - 150, hc_now(b->m));
        } else if (what % 16 < 11) {
            pass(b, what >> 8 & 0x3ff);
        }
        chip_select(n, true);
        for (int k = (int)(what >> 28); k >= 0 && what % 16 > 10; k--)
            digest = digest * 31 + exchange(n, (uint8_t)draw(&seed));
        chip_select(n, false);
        digest = digest * 31 + (uint64_t)(level(n, n->fifo) | level(n, n->fifop) << 1 | level(n, n->sfd) << 2 |
                                          level(n, n->cca) << 3 | (int)hc_cc2420_state(n->radio) << 4);
    }
    return digest;
}

static void random_use_repeats_exactly(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t digest[2];
        for (int i = 0; i < 2; i++) {
            bench_free(state);
            bench_idle(state);
            digest[i] = abuse(*state, seed, 2000);
        }
        if (digest[0] != digest[1])
            fail_msg("seed %llu: two runs differ", (unsigned long long)seed);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, bench_idle, bench_free)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(transmission_takes_32_us_a_byte),
        TEST(longest_frame_ends_on_the_microsecond),
        TEST(fast_turnaround_takes_8_symbols),
        TEST(last_frame_is_sent_again),
        TEST(missing_bytes_are_an_underflow),
        TEST(bytes_may_be_written_while_sending),
        TEST(preamble_and_sync_word_are_programmable),
        TEST(power_and_frequency_reach_the_medium),
        TEST(strobes_end_a_transmission),
        TEST(test_modes_send_without_end),
        TEST(frame_arrives_with_its_pins),
        TEST(fifop_follows_its_threshold),
        TEST(end_of_a_half_read_frame_raises_fifop),
        TEST(second_frame_raises_fifop_again),
        TEST(without_autocrc_the_fcs_is_stored),
        TEST(overflow_stops_reception_until_flushed_twice),
        TEST(looping_reception_never_overflows),
        TEST(lost_carrier_ends_in_a_bad_crc),
        TEST(other_channel_and_modulation_are_not_heard),
        TEST(weak_signals_do_not_synchronise),
        TEST(bytes_of_the_wrong_pace_do_not_synchronise),
        TEST(turning_off_leaves_what_has_come),
        TEST(addresses_are_recognised),
        TEST(beacons_for_all_need_bcn_accept),
        TEST(rejected_frame_is_waited_for),
        TEST(rejected_frame_leaves_older_ones),
        TEST(autoack_answers_12_symbols_later),
        TEST(autoack_needs_a_request),
        TEST(autoack_needs_a_right_crc),
        TEST(sack_during_a_frame_answers_at_its_end),
        TEST(sack_after_a_frame_answers_from_then),
        TEST(sackpend_marks_later_automatic_ones),
        TEST(rssi_is_the_mean_of_8_symbols),
        TEST(idle_listening_has_no_events),
        TEST(cca_has_a_threshold_and_hysteresis),
        TEST(cca_modes_see_frames),
        TEST(stxoncca_waits_for_a_clear_channel),
        TEST(snapshot_in_a_frame_goes_on_alike),
        TEST(random_use_repeats_exactly),
    };

    return cmocka_run_group_tests_name("cc2420 radio", tests, NULL, NULL);
}
