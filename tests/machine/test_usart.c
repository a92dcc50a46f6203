/* USART as UART and SPI against the user's guide (SLAU049, chapters 13 and 14): registers, flags, and times computed by
 * hand. */
#include "support/harness.h"
#include "support/serial_bench.h"

#include "machine/board/telosb.h"

static bool flag(struct serial_bench *b, uint8_t mask)
{
    return hc_peek(b->m, IFG2) & mask;
}

static bool empty(struct serial_bench *b)
{
    return hc_peek(b->m, U1 + UTCTL) & TXEPT;
}

/* ---- UART ---- */

static void after_reset(void **state)
{
    struct serial_bench *b = *state;
    for (uint32_t base = U0; base <= U1; base += 8) {
        assert_int_equal(get(b, base + UCTL), SWRST);
        assert_int_equal(get(b, base + UTCTL), TXEPT);
        assert_int_equal(get(b, base + URCTL), 0);
    }
    assert_int_equal(get(b, IFG1) & (URX0 | UTX0), UTX0);
    assert_int_equal(get(b, IFG2) & (URX1 | UTX1), UTX1);
    /* SWRST holds the interrupt bits. */
    set(b, IE2, URX1 | UTX1);
    set(b, IFG2, URX1);
    assert_int_equal(get(b, IE2), 0);
    assert_int_equal(get(b, IFG2) & (URX1 | UTX1), UTX1);
}

/* Frames on the line, in BRCLK cycles. Rows 1-3 are the guide's example and its neighbours: 9600 baud from 32,768 Hz
 * has UBR 3 and modulation 0x4a, bits 1, 3 and 6; after bit 7 the pattern starts again. */
static void frame_times(void **state)
{
    static const struct {
        uint8_t ctl;
        uint16_t ubr;
        uint8_t mctl;
        unsigned cycles;
    } rows[] = {
        { CHAR, 3, 0x00, 10 * 3 },
        { CHAR, 3, 0x4a, 10 * 3 + 3 + 1 },              /* bits 8, 9 use m0, m1 */
        { CHAR | SPB, 3, 0x4a, 11 * 3 + 3 + 1 },        /* bits 8-10: m0, m1, m2 */
        { CHAR | PENA | SPB, 3, 0x4a, 12 * 3 + 3 + 2 }, /* and m3 */
        { 0, 3, 0x4a, 9 * 3 + 3 },                      /* 7 bits */
        { CHAR | MM, 3, 0xff, 11 * 4 },                 /* an address bit */
        { CHAR, 9, 0x00, 10 * 9 },                      /* 115,200 from 2^20 Hz: 9.1 */
        { CHAR, 109, 0x20, 10 * 109 + 1 },              /* 9600 */
        { CHAR, 0x1234, 0x01, 10 * 0x1234 + 2 },
    };
    struct serial_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uart(b, rows[i].ctl, SSEL_SMCLK, rows[i].ubr, rows[i].mctl);
        pass(b, SMCLK_PERIOD / 2); /* between edges */
        hc_time next_edge = hc_now(b->m) + SMCLK_PERIOD / 2;
        b->sent = 0;
        set(b, U1 + UTXBUF, 0x55);
        run_to(b, next_edge + 2 * rows[i].cycles * SMCLK_PERIOD);
        assert_int_equal(b->sent, 1);
        assert_int_equal(b->byte[0], 0x55);
        assert_int_equal(b->time[0] - next_edge, rows[i].cycles * SMCLK_PERIOD);
    }
}

/* Bits a second, modulation spread over eight of them; 0 where there are none. */
static void rates(void **state)
{
    struct serial_bench *b = *state;

    assert_int_equal(hc_usart_rate(b->usart[1]), 0); /* in reset */
    uart(b, CHAR, SSEL_ACLK, 3, 0x4a);
    assert_int_equal(hc_usart_rate(b->usart[1]), 9709); /* 32768 * 8 / 27 */
    uart(b, CHAR, SSEL_SMCLK, 9, 0x08);
    assert_int_equal(hc_usart_rate(b->usart[1]), 114912); /* 2^20 * 8 / 73 */
    hc_clock_set(b->smclk, 0, hc_now(b->m));
    assert_int_equal(hc_usart_rate(b->usart[1]), 0);
}

/* UxTXBUF empties at the next BRCLK edge; a second character waits there, and TXEPT tells when both are gone. */
static void double_buffering(void **state)
{
    struct serial_bench *b = *state;
    hc_time frame = 34 * ACLK_PERIOD, start = ACLK_PERIOD * 101;
    uart(b, CHAR, SSEL_ACLK, 3, 0x4a);
    run_to(b, start - ACLK_PERIOD / 3);
    assert_true(flag(b, UTX1));
    assert_true(empty(b));
    set(b, U1 + UTXBUF, 'a');
    assert_false(flag(b, UTX1));
    assert_false(empty(b));
    ASSERT_AT(b, start, flag(b, UTX1));
    set(b, U1 + UTXBUF, 'b');
    assert_false(flag(b, UTX1));
    ASSERT_AT(b, start + frame, flag(b, UTX1));
    assert_int_equal(b->sent, 1);
    ASSERT_AT(b, start + 2 * frame, empty(b));
    assert_int_equal(b->sent, 2);
    assert_int_equal(b->time[0], start + frame);
    assert_int_equal(b->time[1], start + 2 * frame);
    assert_memory_equal(b->byte, "ab", 2);
}

/* UTXE = 0: what was written before still goes out, what is written after waits. */
static void transmit_enable(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 9, 0);
    set(b, U1 + UTXBUF, 1);
    pass(b, 5 * SMCLK_PERIOD);
    set(b, U1 + UTXBUF, 2);
    set(b, ME2, URX1);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 2);
    set(b, U1 + UTXBUF, 3);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 2);
    assert_false(empty(b));
    set(b, ME2, URX1 | UTX1);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 3);
    assert_int_equal(b->byte[2], 3);
}

static void software_reset_stops(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 9, 0);
    hc_usart_receive(b->usart[1], 7);
    pass(b, hc_ms(1));
    set(b, IE2, URX1);
    set(b, U1 + UTXBUF, 1);
    set(b, U1 + UTCTL, SSEL_SMCLK | TXWAKE);
    pass(b, 5 * SMCLK_PERIOD);
    set(b, U1 + UCTL, CHAR | SWRST);
    assert_int_equal(get(b, IFG2) & (URX1 | UTX1), UTX1);
    assert_int_equal(get(b, IE2), 0);
    assert_int_equal(get(b, ME2), URX1 | UTX1);
    assert_int_equal(get(b, U1 + UTCTL), SSEL_SMCLK | TXEPT);
    assert_int_equal(get(b, U1 + URCTL), 0);
    set(b, U1 + UCTL, CHAR);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 0);
}

static void puc_in_a_frame(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 9, 0x55);
    set(b, IE2, URX1);
    set(b, U1 + UTXBUF, 1);
    pass(b, 5 * SMCLK_PERIOD);
    hc_machine_reset(b->m, HC_PUC);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    assert_int_equal(get(b, U1 + UCTL), SWRST);
    assert_int_equal(get(b, U1 + UTCTL), TXEPT);
    assert_int_equal(get(b, IFG2) & (URX1 | UTX1), UTX1);
    assert_int_equal(get(b, IE2) | get(b, ME2), 0);
    assert_int_equal(get(b, U1 + UBR0), 9); /* kept */
    assert_int_equal(get(b, U1 + UMCTL), 0x55);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 0);
}

static void clock_changes_and_stops(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 100, 0);
    pass(b, SMCLK_PERIOD);
    hc_time start = hc_now(b->m) + SMCLK_PERIOD;
    set(b, U1 + UTXBUF, 0x12);
    run_to(b, start + 400 * SMCLK_PERIOD);
    hc_clock_set(b->smclk, SMCLK_PERIOD / 2, hc_now(b->m));
    run_to(b, start + 500 * SMCLK_PERIOD); /* 400 + 200 cycles */
    hc_clock_set(b->smclk, 0, hc_now(b->m));
    run_to(b, start + 2000 * SMCLK_PERIOD);
    assert_int_equal(b->sent, 0);
    hc_clock_set(b->smclk, SMCLK_PERIOD, hc_now(b->m));
    run_to(b, start + 3000 * SMCLK_PERIOD);
    assert_int_equal(b->sent, 1);
    assert_int_equal(b->time[0], start + 2400 * SMCLK_PERIOD);
}

static void receives_at_frame_times(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 9, 0x08); /* 91 cycles */
    pass(b, SMCLK_PERIOD);
    hc_time start = hc_now(b->m), frame = 91 * SMCLK_PERIOD;
    assert_true(hc_usart_receive(b->usart[1], 'x'));
    assert_true(hc_usart_receive(b->usart[1], 'y'));
    assert_int_equal(hc_usart_waiting(b->usart[1]), 2);
    ASSERT_AT(b, start + frame, flag(b, URX1));
    assert_int_equal(hc_peek(b->m, U1 + URXBUF), 'x'); /* no side effect */
    assert_true(flag(b, URX1));
    assert_int_equal(get(b, U1 + URXBUF), 'x');
    assert_false(flag(b, URX1));
    ASSERT_AT(b, start + 2 * frame, flag(b, URX1));
    assert_int_equal(get(b, U1 + URXBUF), 'y');
    assert_int_equal(get(b, U1 + URCTL), 0);
    assert_int_equal(hc_usart_waiting(b->usart[1]), 0);
}

static void queue_is_bounded_and_waits(void **state)
{
    struct serial_bench *b = *state;
    for (int i = 0; i < HC_USART_QUEUE; i++)
        assert_true(hc_usart_receive(b->usart[1], (uint8_t)i));
    assert_false(hc_usart_receive(b->usart[1], 0));
    pass(b, hc_ms(10));
    align(b);
    uart(b, 0, SSEL_SMCLK, 9, 0);
    for (int i = 0; i < HC_USART_QUEUE; i++) {
        pass(b, 81 * SMCLK_PERIOD);
        assert_int_equal(get(b, U1 + URXBUF), i & 0x7f);
    }
}

/* The guide's table of URXEIE and URXWIE: what becomes of characters with an error, of addresses, and of others. */
static void what_sets_urxifg(void **state)
{
    enum { ERROR = HC_UART_BAD_STOP, ADDRESS = HC_UART_ADDRESS };
    static const struct {
        uint8_t rctl;
        uint16_t frame;
        bool set;
    } rows[] = {
        { 0, ERROR, false },
        { 0, ERROR | ADDRESS, false },
        { URXWIE, ERROR, false },
        { URXWIE, ERROR | ADDRESS, false },
        { 0, 0, true },
        { 0, ADDRESS, true },
        { URXWIE, 0, false },
        { URXWIE, ADDRESS, true },
        { URXEIE, 0, true },
        { URXEIE, ERROR, true },
        { URXEIE, ERROR | ADDRESS, true },
        { URXEIE | URXWIE, 0, false },
        { URXEIE | URXWIE, ERROR, false },
        { URXEIE | URXWIE, ADDRESS, true },
        { URXEIE | URXWIE, ERROR | ADDRESS, true },
    };
    struct serial_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uart(b, CHAR | MM, SSEL_SMCLK, 9, 0);
        get(b, U1 + URXBUF);
        set(b, U1 + URCTL, rows[i].rctl);
        hc_usart_receive(b->usart[1], (uint16_t)(0x40 + i) | rows[i].frame);
        pass(b, hc_ms(1));
        assert_int_equal(flag(b, URX1), rows[i].set);
        uint8_t status = 0;
        if (rows[i].set)
            status = (rows[i].frame & ERROR ? FE | RXERR : 0) | (rows[i].frame & ADDRESS ? RXWAKE : 0);
        assert_int_equal(get(b, U1 + URCTL), rows[i].rctl | status);
        assert_int_equal(get(b, U1 + URXBUF) == 0x40 + i, rows[i].set);
        assert_int_equal(get(b, U1 + URCTL), rows[i].rctl); /* reading UxRXBUF cleared the rest */
    }
}

static void receive_errors(void **state)
{
    static const struct {
        uint8_t ctl;
        uint16_t frame;
        uint8_t status, byte;
    } rows[] = {
        { CHAR | PENA, 0x5a | HC_UART_BAD_PARITY, PE | RXERR, 0x5a },
        { CHAR, 0x5a | HC_UART_BAD_PARITY, 0, 0x5a }, /* no parity bit to be wrong */
        { CHAR | PENA, 0x5a | HC_UART_BAD_STOP | HC_UART_BAD_PARITY, FE | PE | RXERR, 0x5a },
        { CHAR, HC_UART_BREAK, BRK | FE | RXERR, 0 },
    };
    struct serial_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uart(b, rows[i].ctl | MM, SSEL_SMCLK, 9, 0);
        set(b, U1 + URCTL, URXEIE);
        hc_usart_receive(b->usart[1], rows[i].frame);
        pass(b, hc_ms(1));
        assert_int_equal(get(b, U1 + URCTL), URXEIE | rows[i].status);
        assert_int_equal(get(b, U1 + URXBUF), rows[i].byte);
    }
    /* PE reads 0 without parity. */
    uart(b, CHAR | PENA, SSEL_SMCLK, 9, 0);
    set(b, U1 + URCTL, URXEIE);
    hc_usart_receive(b->usart[1], HC_UART_BAD_PARITY);
    pass(b, hc_ms(1));
    set(b, U1 + UCTL, CHAR);
    assert_int_equal(get(b, U1 + URCTL) & PE, 0);
}

/* A frame without a stop bit; ten low bits more make it a break, which sets the flag once more. */
static void break_detection(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 10, 0);
    set(b, U1 + URCTL, URXEIE);
    align(b);
    hc_time start = hc_now(b->m);
    hc_usart_receive(b->usart[1], HC_UART_BREAK);
    hc_usart_receive(b->usart[1], 0x5a);
    ASSERT_AT(b, start + 100 * SMCLK_PERIOD, flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL) & (FE | BRK | RXERR), FE | RXERR);
    assert_int_equal(get(b, U1 + URXBUF), 0);
    assert_int_equal(hc_usart_waiting(b->usart[1]), 2);
    ASSERT_AT(b, start + 200 * SMCLK_PERIOD, flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL) & (FE | OE | BRK | RXERR), BRK | RXERR);
    get(b, U1 + URXBUF);
    ASSERT_AT(b, start + 300 * SMCLK_PERIOD, flag(b, URX1));
    assert_int_equal(get(b, U1 + URXBUF), 0x5a);
    set(b, U1 + URCTL, 0); /* without URXEIE there is neither */
    hc_usart_receive(b->usart[1], HC_UART_BREAK);
    pass(b, hc_ms(1));
    assert_false(flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL), 0);
}

/* Seven bits: the upper one of both buffers is reset. */
static void seven_bits(void **state)
{
    struct serial_bench *b = *state;
    uart(b, 0, SSEL_SMCLK, 10, 0);
    hc_usart_receive(b->usart[1], 0xd5);
    set(b, U1 + UTXBUF, 0xaa);
    assert_int_equal(get(b, U1 + UTXBUF), 0x2a);
    pass(b, hc_ms(1));
    assert_int_equal(get(b, U1 + URXBUF), 0x55);
    assert_int_equal(b->byte[0], 0x2a);
}

/* A character that was not read is overwritten and OE is set, whether or not its flag was cleared. */
static void overrun(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 9, 0);
    hc_usart_receive(b->usart[1], 1);
    pass(b, 91 * SMCLK_PERIOD);
    set(b, IFG2, UTX1);
    hc_usart_receive(b->usart[1], 2);
    pass(b, 91 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL) & (OE | RXERR), OE | RXERR);
    assert_int_equal(get(b, U1 + URXBUF), 2);
    assert_int_equal(get(b, U1 + URCTL), 0);
}

/* Idle-line format: the first character after 10 idle bits is an address. */
static void idle_line_format(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 10, 0);
    hc_usart_receive(b->usart[1], 1); /* after reset: the line was idle */
    hc_usart_receive(b->usart[1], 2);
    hc_usart_receive(b->usart[1], 3 | HC_UART_IDLE);
    pass(b, 100 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), RXWAKE);
    get(b, U1 + URXBUF);
    pass(b, 100 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), 0);
    get(b, U1 + URXBUF);
    ASSERT_AT(b, hc_now(b->m) + 210 * SMCLK_PERIOD, flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL), RXWAKE);
    get(b, U1 + URXBUF);
    /* 99 idle cycles are too few, 100 enough. */
    pass(b, 99 * SMCLK_PERIOD);
    hc_usart_receive(b->usart[1], 4);
    pass(b, 100 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), 0);
    get(b, U1 + URXBUF);
    pass(b, 100 * SMCLK_PERIOD);
    hc_usart_receive(b->usart[1], 5);
    pass(b, 100 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), RXWAKE);
    /* Of two stop bits the second is the first idle one. */
    uart(b, CHAR | SPB, SSEL_SMCLK, 10, 0);
    align(b);
    hc_usart_receive(b->usart[1], 6);
    pass(b, (110 + 89) * SMCLK_PERIOD);
    get(b, U1 + URXBUF);
    hc_usart_receive(b->usart[1], 7);
    pass(b, (110 + 90) * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), 0);
    get(b, U1 + URXBUF);
    hc_usart_receive(b->usart[1], 8);
    pass(b, 110 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URCTL), RXWAKE);
}

/* TXWAKE with a character makes a gap of 11 bits in its place; the next one is an address. Seen through LISTEN. */
static void sends_idle_line_address(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR | LISTEN, SSEL_SMCLK, 10, 0);
    pass(b, SMCLK_PERIOD);
    hc_time start = hc_now(b->m) + SMCLK_PERIOD;
    set(b, U1 + UTXBUF, 1);
    pass(b, 2 * SMCLK_PERIOD);
    set(b, U1 + UTCTL, SSEL_SMCLK | TXWAKE);
    set(b, U1 + UTXBUF, 0xee);
    assert_int_equal(get(b, U1 + UTCTL), SSEL_SMCLK | TXWAKE);
    run_to(b, start + 100 * SMCLK_PERIOD);
    assert_int_equal(get(b, U1 + URXBUF), 1);
    assert_int_equal(get(b, U1 + UTCTL), SSEL_SMCLK);
    set(b, U1 + UTXBUF, 2);
    ASSERT_AT(b, start + 310 * SMCLK_PERIOD, flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL), RXWAKE);
    assert_int_equal(get(b, U1 + URXBUF), 2);
    assert_int_equal(b->sent, 2);
}

static void sends_address_bit(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR | LISTEN | MM, SSEL_SMCLK, 10, 0);
    set(b, U1 + URCTL, URXWIE);
    set(b, U1 + UTXBUF, 1);
    pass(b, 3 * SMCLK_PERIOD);
    set(b, U1 + UTCTL, SSEL_SMCLK | TXWAKE);
    set(b, U1 + UTXBUF, 2);
    pass(b, 110 * SMCLK_PERIOD);
    assert_false(flag(b, URX1)); /* no address */
    pass(b, 110 * SMCLK_PERIOD);
    assert_true(flag(b, URX1));
    assert_int_equal(get(b, U1 + URCTL), URXWIE | RXWAKE);
    assert_int_equal(get(b, U1 + URXBUF), 2);
    /* What comes from outside is not heard meanwhile. */
    hc_usart_receive(b->usart[1], 9 | HC_UART_ADDRESS);
    pass(b, hc_ms(2));
    assert_false(flag(b, URX1));
}

/* Everything that can be noticed through a snapshot, in the middle of a frame. */
static void snapshot_in_a_frame(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 100, 0);
    set(b, U1 + UTXBUF, 0x31);
    hc_usart_receive(b->usart[1], 0x41);
    pass(b, 300 * SMCLK_PERIOD);
    struct hc_snapshot *snapshot = hc_snapshot_take(b->m);
    pass(b, hc_ms(2));
    hc_time first = b->time[0];
    assert_int_equal(b->sent, 1);
    assert_int_equal(get(b, U1 + URXBUF), 0x41);
    hc_snapshot_restore(b->m, snapshot);
    assert_false(flag(b, URX1));
    assert_false(empty(b));
    pass(b, hc_ms(2));
    assert_int_equal(b->sent, 2);
    assert_int_equal(b->time[1], first);
    assert_int_equal(get(b, U1 + URXBUF), 0x41);
    hc_snapshot_free(snapshot);
}

static void too_fast_is_noted(void **state)
{
    struct serial_bench *b = *state;
    uart(b, CHAR, SSEL_SMCLK, 2, 0);
    set(b, U1 + UTXBUF, 1);
    pass(b, hc_ms(1));
    assert_int_equal(b->sent, 1);
    assert_int_equal(b->notes, 1);
}

/* ---- SPI ---- */

struct echo {
    struct hc_device base;
    struct {
        bool selected;
        uint8_t last;
        int count;
        uint8_t seen[16];
        hc_time time[16];
    } s;
};

static bool echo_selected(struct hc_device *d)
{
    return ((struct echo *)d)->s.selected;
}

static uint8_t echo_next(struct hc_device *d)
{
    return ((struct echo *)d)->s.last ^ 0xff;
}

static uint8_t echo_exchange(struct hc_device *d, uint8_t mosi, hc_time now)
{
    struct echo *e = (struct echo *)d;
    uint8_t out = echo_next(d);
    e->s.last = mosi;
    e->s.seen[e->s.count % 16] = mosi;
    e->s.time[e->s.count++ % 16] = now;
    return out;
}

static const struct hc_device_ops echo_ops = { .name = "echo", .help = "answers with the last byte, inverted" };

static struct echo *attach_echo(struct serial_bench *b)
{
    struct echo *e = HC_DEVICE_NEW(b->m, &echo_ops, "echo", struct echo);
    hc_spi_attach(b->spi, (struct hc_spi_slave){ echo_selected, echo_exchange, echo_next, &e->base });
    e->s.selected = true;
    return e;
}

static void spi(struct serial_bench *b, uint8_t ctl, uint8_t tctl, uint16_t ubr)
{
    set(b, U0 + UCTL, ctl | SYNC | SWRST);
    set(b, U0 + UTCTL, tctl | SSEL_SMCLK);
    set(b, U0 + UBR0, (uint8_t)ubr);
    set(b, U0 + UBR1, ubr >> 8);
    set(b, U0 + UMCTL, 0);
    set(b, ME1, URX0);
    set(b, U0 + UCTL, ctl | SYNC);
}

static bool flag0(struct serial_bench *b, uint8_t mask)
{
    return hc_peek(b->m, IFG1) & mask;
}

static void spi_master_times(void **state)
{
    static const struct {
        uint8_t ctl;
        uint16_t ubr;
        unsigned cycles;
    } rows[] = {
        { CHAR | MM, 2, 16 }, { CHAR | MM, 1, 16 }, { CHAR | MM, 5, 40 }, { CHAR | MM, 300, 2400 }, { MM, 4, 28 }
    };
    struct serial_bench *b = *state;
    attach_echo(b);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        spi(b, rows[i].ctl, STC | CKPH, rows[i].ubr);
        pass(b, SMCLK_PERIOD);
        hc_time start = hc_now(b->m) + SMCLK_PERIOD;
        set(b, U0 + UTXBUF, 0x33);
        assert_false(flag0(b, UTX0));
        ASSERT_AT(b, start, flag0(b, UTX0));
        ASSERT_AT(b, start + rows[i].cycles * SMCLK_PERIOD, flag0(b, URX0));
        assert_int_equal(get(b, U0 + UTCTL) & TXEPT, TXEPT);
    }
}

static void spi_back_to_back(void **state)
{
    struct serial_bench *b = *state;
    struct echo *e = attach_echo(b);
    spi(b, CHAR | MM, STC | CKPH, 2);
    hc_time start = hc_now(b->m) + SMCLK_PERIOD;
    set(b, U0 + UTXBUF, 0x12);
    pass(b, 2 * SMCLK_PERIOD);
    set(b, U0 + UTXBUF, 0x34);
    assert_false(flag0(b, UTX0));
    run_to(b, start + 16 * SMCLK_PERIOD);
    assert_true(flag0(b, UTX0));
    assert_int_equal(get(b, U0 + URXBUF), 0xff);
    assert_false(flag0(b, URX0));
    run_to(b, start + 32 * SMCLK_PERIOD);
    assert_int_equal(get(b, U0 + URXBUF), 0x12 ^ 0xff);
    assert_int_equal(e->s.count, 2);
    assert_int_equal(e->s.time[0], start + 16 * SMCLK_PERIOD);
    assert_int_equal(e->s.time[1], start + 32 * SMCLK_PERIOD);
    /* Unread: overrun. */
    set(b, U0 + UTXBUF, 1);
    pass(b, 20 * SMCLK_PERIOD);
    set(b, U0 + UTXBUF, 2);
    pass(b, 20 * SMCLK_PERIOD);
    assert_int_equal(get(b, U0 + URCTL), OE);
    get(b, U0 + URXBUF);
    assert_int_equal(get(b, U0 + URCTL), 0);
    /* Nobody selected: the line is high. LISTEN: what is sent. */
    e->s.selected = false;
    set(b, U0 + UTXBUF, 3);
    pass(b, 20 * SMCLK_PERIOD);
    assert_int_equal(get(b, U0 + URXBUF), 0xff);
    spi(b, CHAR | MM | LISTEN, STC | CKPH, 2);
    set(b, U0 + UTXBUF, 0x77);
    pass(b, 20 * SMCLK_PERIOD);
    assert_int_equal(get(b, U0 + URXBUF), 0x77);
}

/* Not before USPIE: then at once. SWRST ends a transfer without a trace. */
static void spi_enable(void **state)
{
    struct serial_bench *b = *state;
    struct echo *e = attach_echo(b);
    spi(b, CHAR | MM, STC | CKPH, 4);
    set(b, ME1, 0);
    set(b, U0 + UTXBUF, 0x12);
    pass(b, hc_ms(1));
    assert_int_equal(e->s.count, 0);
    assert_int_equal(get(b, U0 + UTCTL) & TXEPT, 0);
    set(b, ME1, URX0);
    pass(b, 33 * SMCLK_PERIOD);
    assert_int_equal(e->s.count, 1);
    set(b, U0 + UTXBUF, 0x34);
    pass(b, 10 * SMCLK_PERIOD);
    assert_true(hc_spi_mid_byte(b->spi, hc_now(b->m)));
    set(b, U0 + UCTL, CHAR | MM | SYNC | SWRST);
    assert_false(hc_spi_mid_byte(b->spi, hc_now(b->m)));
    pass(b, hc_ms(1));
    assert_int_equal(e->s.count, 1);
    assert_false(flag0(b, URX0));
}

/* Characters of 7 bits: eight of them are seven bytes. */
static void spi_seven_bits(void **state)
{
    struct serial_bench *b = *state;
    struct echo *e = attach_echo(b);
    spi(b, MM, STC | CKPH, 2);
    for (int i = 0; i < 8; i++) {
        set(b, U0 + UTXBUF, i % 2 ? 0x7f : 0x00);
        pass(b, 20 * SMCLK_PERIOD);
        assert_int_equal(get(b, U0 + URXBUF) & 0x80, 0);
    }
    static const uint8_t bytes[] = { 0x01, 0xfc, 0x07, 0xf0, 0x1f, 0xc0, 0x7f };
    assert_int_equal(e->s.count, 7);
    assert_memory_equal(e->s.seen, bytes, 7);
}

/* Four pins: STE low takes the bus from a master and says so. */
static void spi_four_pin_master(void **state)
{
    struct serial_bench *b = *state;
    struct echo *e = attach_echo(b);
    hc_wire ste = hc_wire_find(b->m, "ste0");
    int driver = hc_wire_driver(b->m, ste);
    spi(b, CHAR | MM, CKPH, 2);
    set(b, U0 + UTXBUF, 0x11);
    pass(b, 6 * SMCLK_PERIOD);
    hc_wire_drive(b->m, ste, driver, HC_LOW);
    assert_int_equal(get(b, U0 + URCTL), FE);
    set(b, U0 + UTXBUF, 0x22);
    pass(b, hc_ms(1));
    assert_int_equal(e->s.count, 0);
    hc_wire_drive(b->m, ste, driver, HC_RELEASE);
    pass(b, 17 * SMCLK_PERIOD);
    assert_int_equal(e->s.count, 1);
    assert_int_equal(e->s.seen[0], 0x22);
}

static void spi_slave(void **state)
{
    struct serial_bench *b = *state;
    hc_wire ste = hc_wire_find(b->m, "ste0");
    int driver = hc_wire_driver(b->m, ste);
    spi(b, CHAR, STC, 2);
    hc_clock_set(b->smclk, 0, hc_now(b->m)); /* needs no clock of its own */
    set(b, U0 + UTXBUF, 0xa1);
    assert_true(flag0(b, UTX0));
    set(b, U0 + UTXBUF, 0xa2);
    assert_false(flag0(b, UTX0));
    assert_int_equal(hc_usart_spi_clocked(b->usart[0], 0x51), 0xa1);
    assert_true(flag0(b, UTX0));
    assert_true(flag0(b, URX0));
    assert_int_equal(get(b, U0 + URXBUF), 0x51);
    assert_int_equal(hc_usart_spi_clocked(b->usart[0], 0x52), 0xa2);
    assert_int_equal(hc_usart_spi_clocked(b->usart[0], 0x53), 0xa2);
    assert_int_equal(get(b, U0 + URCTL), OE);
    assert_int_equal(get(b, U0 + URXBUF), 0x53);
    /* Four pins: only while STE is low. */
    set(b, U0 + UTCTL, 0);
    assert_int_equal(hc_usart_spi_clocked(b->usart[0], 0x54), 0xff);
    assert_false(flag0(b, URX0));
    hc_wire_drive(b->m, ste, driver, HC_LOW);
    hc_usart_spi_clocked(b->usart[0], 0x55);
    assert_int_equal(get(b, U0 + URXBUF), 0x55);
}

static void phases_of_no_slave_are_noted(void **state)
{
    struct serial_bench *b = *state;
    static const uint8_t fine[] = { CKPH, CKPL };
    for (int i = 0; i < 2; i++) {
        spi(b, CHAR | MM, STC | fine[i], 2);
        set(b, U0 + UTXBUF, 0);
        pass(b, 20 * SMCLK_PERIOD);
    }
    assert_int_equal(b->notes, 0);
    spi(b, CHAR | MM, STC | CKPH | CKPL, 2);
    set(b, U0 + UTXBUF, 0);
    pass(b, 20 * SMCLK_PERIOD);
    assert_int_equal(b->notes, 1);
}

/* ---- driven by firmware ---- */

static void firmware(void **state)
{
    (void)state;
    struct harness h;
    struct serial_bench seen = { 0 };
    harness_start(&h, "usart");
    hc_usart_on_transmit(h.board->uart, serial_sent, &seen);
    harness_run_to(&h, "ready_for_input", HC_SECOND);
    for (const char *c = "Hello"; *c; c++)
        hc_usart_receive(h.board->uart, (uint8_t)*c);
    harness_run_to(&h, "ready_to_sleep", 2 * HC_SECOND);
    harness_run(&h, hc_ms(5));
    hc_usart_receive(h.board->uart, 'w');
    harness_finish(&h, 5 * HC_SECOND);

    assert_memory_equal(seen.byte, "polledfedHELLO", 14);
    assert_int_equal(seen.sent, 14);
    /* 9600 baud from the watch crystal: 34 ACLK cycles a frame, back to back. */
    for (int i = 1; i < 6; i++)
        assert_int_equal(seen.time[i] - seen.time[i - 1], 34 * ACLK_PERIOD);
    assert_int_equal(harness_get(&h, "result", 0), 5); /* receive interrupts */
    assert_int_equal(harness_get(&h, "result", 1), 0); /* errors */
    assert_int_equal(harness_get(&h, "result", 2), 0); /* URXIFG in its own handler */
    assert_int_equal(harness_get(&h, "result", 3), 1); /* the start edge's interrupt, without URXIFG */
    assert_int_equal(harness_get(&h, "result", 4), 'w');
    assert_int_equal(harness_get(&h, "result", 5), 0x1420); /* the flash's identity, over USART0's SPI */
    assert_int_equal(harness_get(&h, "result", 6), 0);      /* UTXIFG in its own handler */
    assert_int_equal(harness_get(&h, "result", 7), 4); /* transmit interrupts: three characters, and one to say so */
    harness_stop(&h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, serial_set_up, serial_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(after_reset),
        TEST(frame_times),
        TEST(rates),
        TEST(double_buffering),
        TEST(transmit_enable),
        TEST(software_reset_stops),
        TEST(puc_in_a_frame),
        TEST(clock_changes_and_stops),
        TEST(receives_at_frame_times),
        TEST(queue_is_bounded_and_waits),
        TEST(what_sets_urxifg),
        TEST(receive_errors),
        TEST(break_detection),
        TEST(seven_bits),
        TEST(overrun),
        TEST(idle_line_format),
        TEST(sends_idle_line_address),
        TEST(sends_address_bit),
        TEST(snapshot_in_a_frame),
        TEST(too_fast_is_noted),
        TEST(spi_master_times),
        TEST(spi_back_to_back),
        TEST(spi_enable),
        TEST(spi_seven_bits),
        TEST(spi_four_pin_master),
        TEST(spi_slave),
        TEST(phases_of_no_slave_are_noted),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
