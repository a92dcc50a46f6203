/* The FR5969's eUSCI modules, multiplier and CRC against SLAU367. */
#include "fr5969_bench.h"

enum { A0 = 0x5c0, B0 = 0x640 };
enum {
    CTLW0 = 0,
    CTLW1 = 2,
    BRW = 6,
    MCTLW = 8,
    STATW_A = 0x0a,
    STATW_B = 8,
    TBCNT = 0x0a,
    RXBUF = 0x0c,
    TXBUF = 0x0e,
    IE_A = 0x1a,
    IFG_A = 0x1c,
    IV_A = 0x1e,
    I2CSA = 0x20,
    IE_B = 0x2a,
    IFG_B = 0x2c,
    IV_B = 0x2e
};
enum { RXIFG = 1, TXIFG = 2, STTIFG = 4, TXCPTIFG = 8, STPIFG = 8, NACKIFG = 0x20, BCNTIFG = 0x40 };
enum { VECTOR_A0 = 56 };

#define SMCLK_PERIOD hc_period(1000000)

struct heard {
    int count;
    uint8_t byte[64];
    hc_time time[64];
};

static void hear(void *owner, uint8_t byte, hc_time now)
{
    struct heard *h = owner;

    h->byte[h->count % 64] = byte;
    h->time[h->count++ % 64] = now;
}

static void uart(struct bench *b, uint16_t ctl, uint16_t brw, uint16_t mctl)
{
    set(b, A0 + CTLW0, ctl | 0x81);
    set(b, A0 + BRW, brw);
    set(b, A0 + MCTLW, mctl);
    set(b, A0 + CTLW0, ctl | 0x80);
}

/* ---- UART ---- */

static void frames_have_their_length(void **state)
{
    static const struct {
        uint16_t ctl, brw, mctl;
        unsigned ticks;
    } frames[] = {
        { 0, 104, 0x0000, 1040 },       /* 8N1 */
        { 0, 6, 0x2081, 10 * 104 + 1 }, /* oversampling: 16 x 6 + 8, bit 2 longer */
        { 0, 8, 0xff00, 10 * 9 },       /* each bit one longer */
        { 0, 8, 0x8000, 10 * 8 + 2 },   /* bits 0 and 8 */
        { 0, 8, 0x0100, 10 * 8 + 1 },   /* bit 7 */
        { 0x8000, 100, 0, 11 * 100 },   /* parity */
        { 0x9800, 100, 0, 11 * 100 },   /* 7 bits, parity, two stop bits */
        { 0x0400, 100, 0, 11 * 100 },   /* address bit */
    };
    struct bench *b = *state;
    struct heard h = { 0 };

    hc_eusci_on_transmit(b->chip->eusci_a0, hear, &h);
    for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++) {
        h.count = 0;
        uart(b, frames[i].ctl, frames[i].brw, frames[i].mctl);
        set(b, A0 + TXBUF, 0x55);
        set(b, A0 + TXBUF, 0x55);
        run_for(b, hc_ms(5));
        set(b, A0 + TXBUF, 0x2a); /* two at once: the second follows the first without a gap */
        run_for(b, 3 * SMCLK_PERIOD);
        assert_int_equal(get(b, A0 + IFG_A) & TXIFG, TXIFG);
        set(b, A0 + TXBUF, 0x15);
        run_for(b, hc_ms(5));
        assert_true(h.count >= 3);
        assert_in_range(h.time[h.count - 1] - h.time[h.count - 2], frames[i].ticks * SMCLK_PERIOD - 10,
                        frames[i].ticks * SMCLK_PERIOD + 10);
        assert_int_equal(h.byte[h.count - 1], 0x15);
        assert_int_equal(get(b, A0 + STATW_A) & 1, 0);
    }
}

static void rates(void **state)
{
    struct bench *b = *state;

    assert_int_equal(hc_eusci_rate(b->chip->eusci_a0), 0); /* in reset */
    uart(b, 0, 6, 0x2081);
    assert_int_equal(hc_eusci_rate(b->chip->eusci_a0), 9603); /* 10^6 * 8 / (8 * 104 + 1) */
    assert_int_equal(hc_eusci_rate(b->chip->eusci_b0), 0);
}

static void flags_of_the_transmitter(void **state)
{
    struct bench *b = *state;

    uart(b, 0, 104, 0);
    assert_int_equal(get(b, A0 + IFG_A), TXIFG);
    set(b, A0 + TXBUF, 1);
    assert_int_equal(get(b, A0 + IFG_A), 0);
    run_for(b, 2 * SMCLK_PERIOD);
    assert_int_equal(get(b, A0 + IFG_A), TXIFG);
    assert_int_equal(get(b, A0 + STATW_A) & 1, 1);
    run_for(b, hc_ms(2));
    assert_int_equal(get(b, A0 + IFG_A), TXIFG | TXCPTIFG);
    set(b, A0 + IE_A, TXCPTIFG | TXIFG);
    assert_int_equal(get(b, A0 + IV_A), 4);
    assert_int_equal(get(b, A0 + IV_A), 8);
    assert_int_equal(get(b, A0 + IV_A), 0);
    set(b, A0 + CTLW0, 0x81); /* UCSWRST */
    assert_int_equal(get(b, A0 + IE_A), 0);
    assert_int_equal(get(b, A0 + IFG_A), TXIFG);
}

static void reception(void **state)
{
    struct bench *b = *state;

    uart(b, 0x0020, 104, 0); /* UCRXEIE */
    set(b, A0 + IE_A, RXIFG);
    interrupts_on(b);
    assert_true(hc_eusci_receive(b->chip->eusci_a0, 'x'));
    run_for(b, 1035 * SMCLK_PERIOD);
    assert_int_equal(get(b, A0 + IFG_A) & (RXIFG | STTIFG), STTIFG);
    run_for(b, 10 * SMCLK_PERIOD);
    assert_int_equal(get(b, A0 + IFG_A) & RXIFG, RXIFG);
    assert_true(b->interrupts[VECTOR_A0] > 0);
    assert_int_equal(get(b, A0 + RXBUF), 'x');
    assert_int_equal(get(b, A0 + IFG_A) & RXIFG, 0);
    hc_eusci_receive(b->chip->eusci_a0, 'a');
    hc_eusci_receive(b->chip->eusci_a0, 'b');
    run_for(b, hc_ms(3));
    assert_int_equal(get(b, A0 + STATW_A) & 0x24, 0x24); /* overrun */
    assert_int_equal(get(b, A0 + RXBUF), 'b');
    assert_int_equal(get(b, A0 + STATW_A) & 0x24, 0);
    hc_eusci_receive(b->chip->eusci_a0, 'c' | HC_UART_BAD_STOP);
    run_for(b, hc_ms(3));
    assert_int_equal(get(b, A0 + STATW_A) & 0x44, 0x44);
}

/* A start edge wakes SMCLK up. */
static void reception_in_lpm3(void **state)
{
    struct bench *b = *state;

    uart(b, 0, 104, 0);
    set(b, A0 + IE_A, RXIFG);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF | HC_SR_SCG0 | HC_SR_SCG1 | HC_SR_GIE);
    run_for(b, hc_ms(1));
    hc_eusci_receive(b->chip->eusci_a0, 'x');
    run_for(b, hc_ms(2));
    assert_true(b->interrupts[VECTOR_A0] > 0);
    assert_int_equal(get(b, A0 + RXBUF), 'x');
    run_for(b, hc_us(100));
    assert_int_equal(hz(hc_cs_smclk(b->chip->cs)), 0); /* and asleep again */
}

static void loop_back(void **state)
{
    struct bench *b = *state;

    uart(b, 0, 104, 0);
    set(b, A0 + STATW_A, 0x80);
    set(b, A0 + TXBUF, 0xa7);
    run_for(b, hc_ms(2));
    assert_int_equal(get(b, A0 + RXBUF), 0xa7);
}

/* ---- SPI ---- */

struct echo { /* answers each byte with the one before, inverted */
    struct hc_device base;
    struct {
        uint8_t last;
        int count;
    } s;
};

static const struct hc_device_ops echo_ops = { .name = "echo", .help = "answers with what it was told" };

static bool always(struct hc_device *d)
{
    (void)d;
    return true;
}

static uint8_t echo_exchange(struct hc_device *d, uint8_t mosi, hc_time now)
{
    struct echo *e = (struct echo *)d;
    uint8_t out = (uint8_t)~e->s.last;

    (void)now;
    e->s.last = mosi;
    e->s.count++;
    return out;
}

static uint8_t echo_next(struct hc_device *d)
{
    return (uint8_t)~((struct echo *)d)->s.last;
}

static void spi_exchanges(void **state)
{
    struct bench *b = *state;
    struct echo *e = HC_DEVICE_NEW(b->m, &echo_ops, "echo", struct echo);

    hc_spi_attach(b->board->spi, (struct hc_spi_slave){ always, echo_exchange, echo_next, &e->base });
    set(b, B0 + CTLW0, 0x2981 | 0x80); /* MSB first, master, SMCLK */
    set(b, B0 + BRW, 4);
    set(b, B0 + CTLW0, 0x2980);
    assert_int_equal(get(b, B0 + IFG_B), TXIFG);
    set(b, B0 + TXBUF, 0x1e);
    run_for(b, 30 * SMCLK_PERIOD);
    assert_int_equal(get(b, B0 + IFG_B) & RXIFG, 0);
    run_for(b, 4 * SMCLK_PERIOD);
    assert_int_equal(get(b, B0 + IFG_B) & RXIFG, RXIFG);
    assert_int_equal(get(b, B0 + RXBUF), 0xff);
    assert_int_equal(e->s.last, 0x1e);
    set(b, B0 + TXBUF, 0x00);
    run_for(b, hc_us(50));
    assert_int_equal(get(b, B0 + RXBUF), 0xe1);
    set(b, B0 + CTLW0, 0x0980); /* the lowest bit first */
    set(b, B0 + TXBUF, 0x01);
    run_for(b, hc_us(50));
    assert_int_equal(e->s.last, 0x80);
}

/* ---- I2C ---- */

struct memory { /* a serial memory: the first byte written is the address of those that follow */
    struct hc_device base;
    struct {
        bool pointer_next;
        uint8_t pointer;
        uint8_t data[256];
        int stops, last_acknowledged;
    } s;
};

static const struct hc_device_ops memory_ops = { .name = "memory", .help = "a serial memory at address 0x50" };

static bool memory_addressed(struct hc_device *d, struct hc_i2c_address a, hc_time now)
{
    (void)now;
    ((struct memory *)d)->s.pointer_next = !a.read;
    return a.address == 0x50 && !a.extended;
}

static bool memory_write(struct hc_device *d, uint8_t byte, hc_time now)
{
    struct memory *e = (struct memory *)d;

    (void)now;
    if (e->s.pointer_next)
        e->s.pointer = byte;
    else
        e->s.data[e->s.pointer++] = byte;
    e->s.pointer_next = false;
    return true;
}

static uint8_t memory_read(struct hc_device *d, bool acknowledged, hc_time now)
{
    struct memory *e = (struct memory *)d;

    (void)now;
    e->s.last_acknowledged = acknowledged;
    return e->s.data[e->s.pointer++];
}

static void memory_stopped(struct hc_device *d, hc_time now)
{
    (void)now;
    ((struct memory *)d)->s.stops++;
}

static struct memory *i2c_set_up(struct bench *b, uint16_t ctlw1)
{
    struct memory *e = HC_DEVICE_NEW(b->m, &memory_ops, "memory", struct memory);

    hc_i2c_attach_slave(b->board->i2c, (struct hc_i2c_slave){ .addressed = memory_addressed,
                                                              .write = memory_write,
                                                              .read = memory_read,
                                                              .stopped = memory_stopped,
                                                              .device = &e->base });
    set(b, B0 + CTLW0, 0x0f81);
    set(b, B0 + CTLW1, ctlw1);
    set(b, B0 + BRW, 10);
    set(b, B0 + I2CSA, 0x50);
    set(b, B0 + CTLW0, 0x0f80);
    return e;
}

static void wait_for(struct bench *b, uint16_t flag)
{
    for (int i = 0; i < 1000 && !(get(b, B0 + IFG_B) & flag); i++)
        run_for(b, SMCLK_PERIOD);
    assert_int_equal(get(b, B0 + IFG_B) & flag, flag);
}

static void i2c_writes_and_reads(void **state)
{
    struct bench *b = *state;
    struct memory *e = i2c_set_up(b, 0);

    set(b, B0 + CTLW0, 0x0f92); /* UCTR, UCTXSTT */
    for (int i = 0; i < 3; i++) {
        wait_for(b, TXIFG);
        set(b, B0 + TXBUF, (uint16_t)(i ? 0xa0 + i : 7));
    }
    wait_for(b, TXIFG);
    assert_int_equal(get(b, B0 + CTLW0) & 2, 0);
    set(b, B0 + CTLW0, 0x0f94); /* UCTXSTP */
    wait_for(b, STPIFG);
    assert_int_equal(e->s.data[7], 0xa1);
    assert_int_equal(e->s.data[8], 0xa2);
    assert_int_equal(get(b, B0 + CTLW0) & 4, 0);
    assert_int_equal(get(b, B0 + STATW_B) & 0x10, 0); /* the bus is free */
    set(b, B0 + IFG_B, 0);
    set(b, B0 + CTLW0, 0x0f92); /* the address again, */
    wait_for(b, TXIFG);
    set(b, B0 + TXBUF, 7);
    wait_for(b, TXIFG);
    set(b, B0 + CTLW0, 0x0f82); /* and a repeated START to read */
    wait_for(b, RXIFG);
    assert_int_equal(get(b, B0 + RXBUF), 0xa1);
    set(b, B0 + CTLW0, 0x0f84);
    wait_for(b, RXIFG);
    assert_int_equal(get(b, B0 + RXBUF), 0xa2);
    wait_for(b, STPIFG);
    assert_false(e->s.last_acknowledged);
}

static void i2c_nobody_answers(void **state)
{
    struct bench *b = *state;

    i2c_set_up(b, 0);
    set(b, B0 + I2CSA, 0x51);
    set(b, B0 + CTLW0, 0x0f92);
    wait_for(b, NACKIFG);
    set(b, B0 + CTLW0, 0x0f94);
    wait_for(b, STPIFG);
}

static void i2c_counts_bytes(void **state)
{
    struct bench *b = *state;
    struct memory *e = i2c_set_up(b, 0x0008); /* automatic STOP */

    e->s.data[0] = 0x11;
    e->s.data[1] = 0x22;
    set(b, B0 + CTLW0, 0x0f81);
    set(b, B0 + TBCNT, 2);
    set(b, B0 + CTLW0, 0x0f80);
    set(b, B0 + CTLW0, 0x0f82);
    wait_for(b, RXIFG);
    assert_int_equal(get(b, B0 + RXBUF), 0x11);
    wait_for(b, RXIFG);
    assert_int_equal(get(b, B0 + IFG_B) & BCNTIFG, BCNTIFG);
    assert_int_equal(get(b, B0 + RXBUF), 0x22);
    wait_for(b, STPIFG);
    assert_int_equal(e->s.stops, 1);
}

/* ---- multiplier, against the host's arithmetic ---- */

enum {
    MPY = 0x4c0,
    OP2 = 0x4c8,
    RESLO = 0x4ca,
    RESHI = 0x4cc,
    SUMEXT = 0x4ce,
    MPY32L = 0x4d0,
    OP2L = 0x4e0,
    RES0 = 0x4e4
};

static uint32_t random_word(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

static uint64_t result(struct bench *b)
{
    uint64_t value = 0;

    for (uint32_t i = 0; i < 4; i++)
        value |= (uint64_t)get(b, RES0 + 2 * i) << 16 * i;
    return value;
}

static void products_of_16_bits(void **state)
{
    struct bench *b = *state;
    uint64_t seed = 1;
    uint32_t sum = 0;

    for (int i = 0; i < 2000; i++) {
        uint16_t x = (uint16_t)random_word(&seed), y = (uint16_t)random_word(&seed);
        int operation = (int)(random_word(&seed) & 3);
        set(b, MPY + 2 * (uint32_t)operation, x);
        set(b, OP2, y);
        bool is_signed = operation & 1;
        uint32_t product = is_signed ? (uint32_t)((int16_t)x * (int32_t)(int16_t)y) : (uint32_t)x * y;
        uint64_t wide = (uint64_t)product + (operation & 2 ? sum : 0);
        sum = (uint32_t)wide;
        assert_int_equal(get(b, RESLO) | (uint32_t)get(b, RESHI) << 16, sum);
        assert_int_equal(get(b, SUMEXT), is_signed ? (sum >> 31 ? 0xffff : 0) : wide >> 32);
    }
}

static void products_of_32_bits(void **state)
{
    struct bench *b = *state;
    uint64_t seed = 2, sum = 0;

    for (int i = 0; i < 2000; i++) {
        uint32_t x = random_word(&seed), y = random_word(&seed);
        uint32_t operation = random_word(&seed) & 3;
        set(b, MPY32L + 4 * operation, (uint16_t)x);
        set(b, MPY32L + 4 * operation + 2, (uint16_t)(x >> 16));
        set(b, OP2L, (uint16_t)y);
        set(b, OP2L + 2, (uint16_t)(y >> 16));
        uint64_t product = operation & 1 ? (uint64_t)((int64_t)(int32_t)x * (int32_t)y) : (uint64_t)x * y;
        sum = product + (operation & 2 ? sum : 0);
        assert_true(result(b) == sum);
    }
}

static void bytes_are_extended(void **state)
{
    struct bench *b = *state;

    set8(b, MPY + 2, 0x80); /* MPYS */
    set8(b, OP2, 0x02);
    assert_int_equal(get(b, RESLO), 0xff00);
    set8(b, MPY, 0x80);
    set8(b, OP2, 0x02);
    assert_int_equal(get(b, RESLO), 0x0100);
}

/* ---- CRC ---- */

enum { CRCDI = 0x150, CRCDIRB = 0x152, CRCINIRES = 0x154, CRCRESR = 0x156 };

static void known_checks(void **state)
{
    struct bench *b = *state;
    static const char text[] = "123456789";

    set(b, CRCINIRES, 0xffff);
    for (int i = 0; i < 9; i++)
        set8(b, CRCDIRB, (uint8_t)text[i]);
    assert_int_equal(get(b, CRCINIRES), 0x29b1); /* CRC-16/CCITT-FALSE */
    set(b, CRCINIRES, 0xffff);
    for (int i = 0; i < 9; i++)
        set8(b, CRCDI, (uint8_t)text[i]);
    assert_int_equal(get(b, CRCINIRES), 0x89f6);
    assert_int_equal(get(b, CRCRESR), 0x6f91); /* CRC-16/MCRF4XX */
    set(b, CRCINIRES, 0xffff);
    for (int i = 0; i < 8; i += 2)
        set(b, CRCDI, (uint16_t)(text[i] | text[i + 1] << 8));
    set8(b, CRCDI, '9');
    assert_int_equal(get(b, CRCINIRES), 0x89f6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(frames_have_their_length),
        BENCH_TEST(rates),
        BENCH_TEST(flags_of_the_transmitter),
        BENCH_TEST(reception),
        BENCH_TEST(reception_in_lpm3),
        BENCH_TEST(loop_back),
        BENCH_TEST(spi_exchanges),
        BENCH_TEST(i2c_writes_and_reads),
        BENCH_TEST(i2c_nobody_answers),
        BENCH_TEST(i2c_counts_bytes),
        BENCH_TEST(products_of_16_bits),
        BENCH_TEST(products_of_32_bits),
        BENCH_TEST(bytes_are_extended),
        BENCH_TEST(known_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
