/* I2C: the bus, and USART0's module on it, against the user's guide (SLAU049, chapter 15). */
#include "support/harness.h"
#include "support/serial_bench.h"

#include "machine/board/telosb.h"

enum { I2CTCTL = 0x71, I2CDCTL, I2CPSC, I2CSCLH, I2CSCLL, I2CDR };
enum { I2CIE = 0x50, I2CIFG, I2CNDAT, I2COA = 0x118, I2CSA = 0x11a, I2CIV = 0x11c };
enum { I2CEN = 0x01, MST = 0x02, XA = 0x10, I2C = 0x20, TXDMAEN = 0x40, RXDMAEN = 0x80 };
enum { STT = 0x01, STP = 0x02, STB = 0x04, TRX = 0x08, RM = 0x40, WORD = 0x80 };
enum { BB = 0x01, RXOVR = 0x02, TXUDF = 0x04, SBD = 0x08, SCLLOW = 0x10, BUSY = 0x20 };
enum { AL = 0x01, NACK = 0x02, OA = 0x04, ARDY = 0x08, RXRDY = 0x10, TXRDY = 0x20, GC = 0x40, STTI = 0x80 };

/* With the divisors that the tests use: 10 cycles of SMCLK. */
#define BIT (10 * SMCLK_PERIOD)
/* From I2CSTT to the START, and to the address; from the STOP's beginning until I2CBB is clear, I2CSTP and MST are,
 * I2CBUSY is (figures 15-8 and 15-9). */
#define START_TIME (4 * SMCLK_PERIOD)
#define HEAD (12 * SMCLK_PERIOD)
#define STOP_TIME (10 * SMCLK_PERIOD)
#define TAIL (26 * SMCLK_PERIOD)

/* A serial memory: the first byte written is the address for those that follow. */
struct memory {
    struct hc_device base;
    struct hc_i2c_bus *bus;
    uint16_t address;
    bool extended;
    struct {
        bool pointer_next, stretches;
        uint8_t pointer, refuse_after;
        uint8_t data[256];
        int starts, stops, last_acknowledged;
    } s;
};

static bool addressed(struct hc_device *d, struct hc_i2c_address a, hc_time now)
{
    struct memory *e = (struct memory *)d;
    (void)now;
    if (a.address != e->address || a.extended != e->extended)
        return false;
    e->s.pointer_next = !a.read;
    return true;
}

static bool write_byte(struct hc_device *d, uint8_t byte, hc_time now)
{
    struct memory *e = (struct memory *)d;
    (void)now;
    if (e->s.pointer_next)
        e->s.pointer = byte;
    else
        e->s.data[e->s.pointer++] = byte;
    e->s.pointer_next = false;
    return e->s.refuse_after == 0 || --e->s.refuse_after;
}

static uint8_t read_byte(struct hc_device *d, bool acknowledged, hc_time now)
{
    struct memory *e = (struct memory *)d;
    (void)now;
    e->s.last_acknowledged = acknowledged;
    return e->s.data[e->s.pointer++];
}

static void stopped(struct hc_device *d, hc_time now)
{
    (void)now;
    ((struct memory *)d)->s.stops++;
}

static void started(struct hc_device *d, hc_time now)
{
    (void)now;
    ((struct memory *)d)->s.starts++;
}

static bool ready(struct hc_device *d, bool read)
{
    (void)read;
    return !((struct memory *)d)->s.stretches;
}

static const struct hc_device_ops memory_ops = { .name = "memory", .help = "serial memory" };

static struct memory *attach_memory(struct hc_machine *m, struct hc_i2c_bus *bus, uint16_t address, bool extended)
{
    struct memory *e = HC_DEVICE_NEW(m, &memory_ops, "memory", struct memory);
    e->bus = bus;
    e->address = address;
    e->extended = extended;
    hc_i2c_attach_slave(bus,
                        (struct hc_i2c_slave){ addressed, write_byte, read_byte, stopped, started, ready, &e->base });
    return e;
}

/* By the guide's order: SWRST, I2C and SYNC, I2CEN off, registers, I2CEN. */
static void enable(struct serial_bench *b, uint8_t ctl)
{
    set(b, U0 + UCTL, SWRST);
    set(b, U0 + UCTL, SWRST | I2C | SYNC);
    set(b, U0 + UCTL, I2C | SYNC | (ctl & XA));
    set(b, I2CTCTL, SSEL_SMCLK);
    set(b, I2CPSC, 0);
    set(b, I2CSCLH, 3);
    set(b, I2CSCLL, 3);
    set16(b, I2COA, 0x42);
    set16(b, I2CSA, 0x50);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | ctl);
    align(b);
}

/* What can be changed with I2CEN = 0 only: the upper half of I2CTCTL. */
static void configure(struct serial_bench *b, uint8_t ctl, uint8_t tctl)
{
    set(b, U0 + UCTL, I2C | SYNC | (ctl & XA));
    set(b, I2CTCTL, SSEL_SMCLK | tctl);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | ctl);
    align(b);
}

static bool flag(struct serial_bench *b, uint8_t mask)
{
    return hc_peek(b->m, I2CIFG) & mask;
}

static uint8_t bus_state(struct serial_bench *b)
{
    return hc_peek(b->m, I2CDCTL);
}

static void registers(void **state)
{
    static const struct {
        uint32_t address;
        uint16_t mask;
        int size;
    } rows[] = {
        { I2CIE, 0xff, 1 },  { I2CIFG, 0xff, 1 },  { I2CNDAT, 0xff, 1 }, { I2COA, 0x7f, 2 }, { I2CSA, 0x7f, 2 },
        { I2CPSC, 0xff, 1 }, { I2CSCLH, 0xff, 1 }, { I2CSCLL, 0xff, 1 }, { I2CDCTL, 0, 1 },
    };
    struct serial_bench *b = *state;
    set(b, U0 + UCTL, I2C | SYNC);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(hc_bus_read(b->m, rows[i].address, rows[i].size), 0);
        hc_bus_write(b->m, rows[i].address, 0xffff, rows[i].size);
        assert_int_equal(hc_bus_read(b->m, rows[i].address, rows[i].size), rows[i].mask);
    }
    /* Clearing I2CEN: the lower half of I2CTCTL, I2CDCTL and I2CDR; nothing else. */
    set(b, I2CTCTL, 0xf0);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN);
    set(b, I2CTCTL, TRX);
    set16(b, I2CDR, 0x1234);
    set(b, U0 + UCTL, I2C | SYNC);
    assert_int_equal(get(b, I2CTCTL), 0xf0);
    assert_int_equal(get16(b, I2CDR), 0);
    assert_int_equal(get(b, I2CPSC), 0xff);
    assert_int_equal(get16(b, I2COA), 0x7f);
    /* With I2CEN set some cannot be written. */
    set(b, U0 + UCTL, I2C | SYNC | I2CEN);
    for (uint32_t a = I2CPSC; a <= I2CSCLL; a++) {
        set(b, a, 0x11);
        assert_int_equal(get(b, a), 0xff);
    }
    set(b, I2CTCTL, TRX);
    assert_int_equal(get(b, I2CTCTL), 0xf0 | TRX);
    set16(b, I2COA, 0x11);
    set16(b, I2CSA, 0x11);
    assert_int_equal(get16(b, I2COA), 0x7f);
    assert_int_equal(get16(b, I2CSA), 0x11);
    /* 10-bit addresses */
    set(b, U0 + UCTL, I2C | SYNC | XA);
    set16(b, I2COA, 0xffff);
    set16(b, I2CSA, 0xffff);
    assert_int_equal(get16(b, I2COA), 0x3ff);
    assert_int_equal(get16(b, I2CSA), 0x3ff);
    set(b, U0 + UCTL, I2C | SYNC);
    assert_int_equal(get16(b, I2COA), 0x7f);
    /* The same addresses are the UART's again without the I2C bit. */
    set(b, U0 + UCTL, SWRST);
    assert_int_equal(get(b, U0 + UTCTL), TXEPT);
    hc_machine_reset(b->m, HC_PUC);
    set(b, U0 + UCTL, I2C | SYNC);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(hc_bus_read(b->m, rows[i].address, rows[i].size), 0);
    /* SWRST does not become I2CEN. */
    hc_machine_reset(b->m, HC_PUC);
    set(b, U0 + UCTL, get(b, U0 + UCTL) | I2C | SYNC);
    assert_int_equal(get(b, U0 + UCTL), I2C | SYNC);
    set(b, U0 + UCTL, get(b, U0 + UCTL) | I2CEN);
    assert_int_equal(get(b, U0 + UCTL), I2C | SYNC | I2CEN);
}

/* Nobody answers: NACKIFG after START and nine bits, whose length the divisors say. The module is idle then, but the
 * bus is taken until I2CSTP gives it back. */
static void bit_times(void **state)
{
    static const struct {
        uint8_t psc, high, low;
        unsigned cycles;
    } rows[] = { { 0, 0, 0, 10 },  { 0, 3, 3, 10 }, { 0, 4, 3, 11 },
                 { 0, 3, 10, 17 }, { 1, 8, 8, 40 }, { 3, 0xff, 0xff, 4 * 514 } };
    struct serial_bench *b = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hc_time cycle = (rows[i].psc + 1u) * SMCLK_PERIOD;
        enable(b, MST);
        set(b, U0 + UCTL, I2C | SYNC);
        set(b, I2CPSC, rows[i].psc);
        set(b, I2CSCLH, rows[i].high);
        set(b, I2CSCLL, rows[i].low);
        set(b, I2CIFG, 0);
        set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
        hc_time start = hc_now(b->m);
        set(b, I2CTCTL, STT | STP);
        assert_int_equal(bus_state(b), BUSY);
        ASSERT_AT(b, start + 4 * cycle, bus_state(b) == (BB | BUSY));
        assert_int_equal(get(b, I2CTCTL), SSEL_SMCLK | STP);
        ASSERT_AT(b, start + 12 * cycle + 9 * rows[i].cycles * SMCLK_PERIOD, flag(b, NACK));
        assert_int_equal(bus_state(b), BB);
        pass(b, 100 * cycle);
        assert_int_equal(bus_state(b), BB);
        start = hc_now(b->m);
        set(b, I2CTCTL, STP);
        assert_int_equal(bus_state(b), BB | BUSY);
        ASSERT_AT(b, start + 10 * cycle, !(bus_state(b) & BB));
        assert_int_equal(get(b, U0 + UCTL) & MST, MST);
        ASSERT_AT(b, start + 18 * cycle, !(get(b, U0 + UCTL) & MST));
        assert_int_equal(get(b, I2CTCTL), SSEL_SMCLK);
        ASSERT_AT(b, start + 26 * cycle, !bus_state(b));
    }
}

/* Two bytes may wait, in I2CDR and in the buffer behind it. */
static void master_writes(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    hc_time start = hc_now(b->m);
    set(b, I2CNDAT, 4);
    set(b, I2CTCTL, TRX | STT | STP);
    assert_int_equal(bus_state(b) & BB, 0);
    ASSERT_AT(b, start + START_TIME, flag(b, TXRDY));
    assert_int_equal(bus_state(b), BB | BUSY);
    assert_int_equal(get(b, I2CTCTL) & (STT | STP), STP);
    set(b, I2CDR, 0x20);
    assert_true(flag(b, TXRDY));
    set(b, I2CDR, 0xaa);
    assert_false(flag(b, TXRDY));
    ASSERT_AT(b, start + HEAD + 9 * BIT, flag(b, TXRDY)); /* the address is acknowledged, the byte moves on */
    set(b, I2CDR, 0xbb);
    assert_false(flag(b, TXRDY));
    ASSERT_AT(b, start + HEAD + 18 * BIT, flag(b, TXRDY));
    set(b, I2CDR, 0xcc);
    run_to(b, start + HEAD + 44 * BIT);
    assert_false(flag(b, TXRDY)); /* that was all */
    ASSERT_AT(b, start + HEAD + 45 * BIT, flag(b, ARDY));
    assert_memory_equal(e->s.data + 0x20, "\xaa\xbb\xcc", 3);
    ASSERT_AT(b, start + HEAD + 45 * BIT + STOP_TIME, !(bus_state(b) & BB));
    assert_int_equal(e->s.stops, 1);
    ASSERT_AT(b, start + HEAD + 45 * BIT + TAIL, !bus_state(b));
    assert_int_equal(get(b, U0 + UCTL), I2C | SYNC | I2CEN);
}

/* SCL stays low until there is something to send. */
static void underflow(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    set(b, I2CNDAT, 1);
    set(b, I2CTCTL, SSEL_SMCLK | TRX | STT | STP);
    pass(b, HEAD + 9 * BIT - 1);
    assert_int_equal(bus_state(b) & TXUDF, 0);
    pass(b, 1);
    assert_int_equal(bus_state(b), TXUDF | BB | BUSY);
    pass(b, hc_ms(5));
    align(b);
    hc_time start = hc_now(b->m);
    set(b, I2CDR, 0x77);
    assert_int_equal(bus_state(b), BB | BUSY);
    ASSERT_AT(b, start + 9 * BIT, flag(b, ARDY));
    assert_int_equal(e->s.pointer, 0x77);
    /* The bit stays until I2CDR is written, or I2CEN cleared. */
    configure(b, MST, RM);
    set(b, I2CTCTL, TRX | STT);
    pass(b, 20 * BIT);
    set(b, I2CTCTL, TRX | STP);
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), TXUDF);
    configure(b, MST, RM);
    assert_int_equal(bus_state(b), 0);
}

static void master_reads(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    memcpy(e->s.data, "\x11\x22\x33\x44", 4);
    enable(b, MST);
    hc_time start = hc_now(b->m);
    set(b, I2CNDAT, 4);
    set(b, I2CTCTL, STT | STP);
    ASSERT_AT(b, start + HEAD + 18 * BIT, flag(b, RXRDY));
    assert_int_equal(e->s.last_acknowledged, 1);
    assert_int_equal(get(b, I2CDR), 0x11);
    assert_false(flag(b, RXRDY));
    ASSERT_AT(b, start + HEAD + 27 * BIT, flag(b, RXRDY));
    /* Not read: the third byte goes into the buffer, the fourth has to wait in the shift register, and SCL is low. */
    run_to(b, start + HEAD + 45 * BIT - 1);
    assert_int_equal(bus_state(b) & RXOVR, 0);
    run_to(b, start + HEAD + 100 * BIT);
    assert_int_equal(bus_state(b), RXOVR | BB | BUSY);
    assert_int_equal(e->s.last_acknowledged, 0);
    assert_false(flag(b, ARDY));
    assert_int_equal(get(b, I2CDR), 0x22);
    assert_true(flag(b, RXRDY));
    assert_int_equal(bus_state(b), BB | BUSY);
    pass(b, TAIL + SMCLK_PERIOD);
    assert_int_equal(bus_state(b), 0);
    assert_int_equal(get(b, I2CDR), 0x33);
    assert_true(flag(b, RXRDY));
    assert_false(flag(b, ARDY)); /* not before all is read */
    assert_int_equal(get(b, I2CDR), 0x44);
    assert_false(flag(b, RXRDY));
    assert_true(flag(b, ARDY));
}

/* Without I2CSTP the bus is kept: a second START turns it round. */
static void repeated_start(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    e->s.data[0x30] = 0x99;
    enable(b, MST);
    set(b, I2CNDAT, 1);
    set(b, I2CTCTL, SSEL_SMCLK | TRX | STT);
    pass(b, HEAD);
    set(b, I2CDR, 0x30);
    pass(b, 18 * BIT);
    assert_true(flag(b, ARDY));
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), BB | BUSY);
    assert_int_equal(get(b, U0 + UCTL) & MST, MST);
    set(b, I2CIFG, 0);
    align(b);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, SSEL_SMCLK | STT | STP);
    ASSERT_AT(b, start + HEAD + 18 * BIT, flag(b, RXRDY));
    assert_int_equal(get(b, I2CDR), 0x99);
    assert_int_equal(e->s.starts, 2);
    assert_int_equal(e->s.stops, 0);
    pass(b, TAIL);
    assert_int_equal(e->s.stops, 1);
    /* I2CSTP alone gives the bus back. */
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CTCTL, SSEL_SMCLK | STT);
    pass(b, 20 * BIT);
    get(b, I2CDR);
    assert_int_equal(bus_state(b) & BB, BB);
    set(b, I2CTCTL, SSEL_SMCLK | STP);
    pass(b, TAIL + SMCLK_PERIOD);
    assert_int_equal(bus_state(b), 0);
    assert_int_equal(get(b, I2CTCTL), SSEL_SMCLK);
    /* A command that comes before the module rests is not lost. */
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CNDAT, 0);
    set(b, I2CTCTL, STT | STP);
    pass(b, HEAD + 9 * BIT + STOP_TIME + 8 * SMCLK_PERIOD + 2 * SMCLK_PERIOD);
    assert_int_equal(get(b, U0 + UCTL) & MST, 0);
    assert_int_equal(bus_state(b), BUSY);
    int starts = e->s.starts;
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CTCTL, STT | STP);
    pass(b, 8 * SMCLK_PERIOD + START_TIME);
    assert_int_equal(e->s.starts, starts + 1);
}

/* I2CRM: as many bytes as software likes; I2CSTP ends it after what is in I2CDR, or after the byte being received. */
static void repeat_mode(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    configure(b, MST, RM);
    set(b, I2CTCTL, TRX | STT);
    for (uint8_t i = 0; i < 10; i++) {
        pass(b, (i ? 9 : 2) * BIT);
        assert_true(flag(b, TXRDY));
        if (i == 9)
            set(b, I2CTCTL, TRX | STP);
        set(b, I2CDR, i);
    }
    while (!flag(b, ARDY)) /* all is sent and I2CSTP set: the STOP is yet to come */
        pass(b, SMCLK_PERIOD);
    assert_int_equal(bus_state(b), BB | BUSY);
    pass(b, TAIL);
    assert_false(flag(b, TXRDY));
    assert_int_equal(bus_state(b), 0);
    for (uint8_t i = 1; i < 10; i++)
        assert_int_equal(e->s.data[i - 1], i);
    assert_int_equal(e->s.pointer, 9);

    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CIFG, 0);
    e->s.pointer = 0;
    align(b);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, STT);
    for (unsigned i = 0; i < 4; i++) {
        ASSERT_AT(b, start + HEAD + (18 + 9 * i) * BIT, flag(b, RXRDY));
        if (i == 3)
            set(b, I2CTCTL, STP);
        assert_int_equal(get(b, I2CDR), i + 1);
    }
    ASSERT_AT(b, start + HEAD + (18 + 9 * 4) * BIT, flag(b, RXRDY)); /* it was under way */
    assert_int_equal(e->s.last_acknowledged, 0);
    assert_false(flag(b, ARDY));
    get(b, I2CDR);
    assert_true(flag(b, ARDY));
    ASSERT_AT(b, start + HEAD + (18 + 9 * 4) * BIT + TAIL, !bus_state(b));
    /* I2CRM with both is reserved. */
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CTCTL, STT | STP);
    pass(b, hc_ms(5));
    assert_int_equal(bus_state(b), 0);
}

static void not_acknowledged(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    set16(b, I2CSA, 0x51);
    set(b, I2CNDAT, 2);
    set(b, I2CTCTL, TRX | STT);
    pass(b, hc_ms(1));
    assert_true(flag(b, NACK));
    assert_int_equal(bus_state(b), BB); /* idle, and the bus still ours */
    set(b, I2CTCTL, TRX | STP);
    pass(b, TAIL + SMCLK_PERIOD);
    assert_int_equal(bus_state(b), 0);
    /* The second data byte; START goes on as well. */
    set16(b, I2CSA, 0x50);
    set(b, I2CNDAT, 4);
    set(b, I2CIFG, 0);
    e->s.refuse_after = 2;
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    align(b);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, TRX | STT | STP);
    run_to(b, start + HEAD);
    set(b, I2CDR, 0);
    set(b, I2CDR, 1);
    ASSERT_AT(b, start + HEAD + 27 * BIT, flag(b, NACK));
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), BB);
    assert_int_equal(get(b, I2CTCTL) & STP, STP);
    assert_int_equal(e->s.stops, 0);
    assert_false(flag(b, ARDY));
    set(b, I2CNDAT, 1);
    set(b, I2CTCTL, STT | STP);
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), 0);
    assert_true(flag(b, RXRDY));
}

static void word_mode(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    configure(b, MST, WORD);
    set(b, I2CDR, 0x77); /* byte instructions fail */
    assert_int_equal(hc_peek16(b->m, I2CDR), 0);
    set(b, I2CNDAT, 5);
    set(b, I2CTCTL, TRX | STT | STP);
    static const uint16_t words[] = { 0xa100, 0xa3a2, 0x00a4 };
    for (int i = 0; i < 3; i++) {
        while (!flag(b, TXRDY))
            pass(b, BIT);
        set16(b, I2CDR, words[i]);
    }
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), 0);
    assert_memory_equal(e->s.data, "\xa1\xa2\xa3\xa4\x00", 5);
    e->s.pointer = 0;
    set(b, I2CNDAT, 3);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    align(b);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, STT | STP);
    ASSERT_AT(b, start + HEAD + 27 * BIT, flag(b, RXRDY));
    assert_int_equal(bus_state(b) & SBD, 0);
    assert_int_equal(get16(b, I2CDR), 0xa2a1);
    ASSERT_AT(b, start + HEAD + 36 * BIT, flag(b, RXRDY));
    assert_int_equal(bus_state(b) & SBD, SBD); /* the lower byte only */
    assert_int_equal(get16(b, I2CDR) & 0xff, 0xa3);
    /* The same without looking in between. */
    pass(b, hc_ms(1));
    e->s.pointer = 0;
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CTCTL, STT | STP);
    pass(b, hc_ms(1));
    assert_int_equal(bus_state(b), 0);
    assert_int_equal(get16(b, I2CDR), 0xa2a1);
    assert_int_equal(bus_state(b), SBD);
    assert_int_equal(get16(b, I2CDR) & 0xff, 0xa3);
    assert_true(flag(b, ARDY));
}

static void ten_bit_addresses(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x2a5, true);
    struct memory *other = attach_memory(b->m, b->i2c, 0x25, false);
    enable(b, MST | XA);
    set16(b, I2CSA, 0x2a5);
    set(b, I2CNDAT, 1);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, SSEL_SMCLK | TRX | STT | STP);
    pass(b, HEAD);
    set(b, I2CDR, 5);
    ASSERT_AT(b, start + HEAD + 27 * BIT, flag(b, ARDY)); /* START, two bytes of address, one of data */
    assert_int_equal(e->s.pointer, 5);
    assert_int_equal(other->s.pointer, 0);
    e->s.data[5] = 0x66;
    pass(b, TAIL);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST | XA);
    start = hc_now(b->m);
    set(b, I2CTCTL, SSEL_SMCLK | STT | STP);
    ASSERT_AT(b, start + HEAD + 18 * BIT + START_TIME + 18 * BIT, flag(b, RXRDY)); /* START and the first byte again */
    assert_int_equal(get(b, I2CDR), 0x66);
}

/* I2CSTB: a byte that slow slaves hear, and START again. */
static void start_byte(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    set(b, I2CNDAT, 1);
    hc_time start = hc_now(b->m);
    set(b, I2CTCTL, SSEL_SMCLK | STB | STT | STP);
    ASSERT_AT(b, start + HEAD + 9 * BIT + HEAD + 18 * BIT, flag(b, RXRDY));
    assert_int_equal(e->s.starts, 2);
}

static void slave_holds_scl(void **state)
{
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    enable(b, MST);
    e->s.stretches = true;
    set(b, I2CNDAT, 1);
    set(b, I2CTCTL, SSEL_SMCLK | STT | STP);
    pass(b, hc_ms(3));
    assert_int_equal(bus_state(b), SCLLOW | BB | BUSY);
    align(b);
    e->s.stretches = false;
    hc_i2c_release(b->i2c, hc_now(b->m));
    assert_int_equal(bus_state(b), BB | BUSY);
    ASSERT_AT(b, hc_now(b->m) + 9 * BIT, flag(b, RXRDY));
}

static void arbitration(void **state)
{
    static const struct {
        uint8_t other[2];
        bool lost;
        unsigned bits; /* until it is known */
    } rows[] = {
        { { 0xa1, 0x00 }, false, 0 },                               /* ours is 0xa0: lower */
        { { 0x9f, 0x00 }, true, 9 },                                /* theirs is */
        { { 0xa0, 0x10 }, true, 18 },                               /* the data decide */
        { { 0xa0, 0x30 }, false, 0 }, { { 0xa0, 0x20 }, false, 0 }, /* they want the same */
    };
    struct serial_bench *b = *state;
    attach_memory(b->m, b->i2c, 0x50, false);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enable(b, MST);
        set(b, I2CIFG, 0);
        set(b, I2CNDAT, 1);
        hc_i2c_contend(b->i2c, rows[i].other, 2);
        hc_time start = hc_now(b->m);
        set(b, I2CTCTL, SSEL_SMCLK | TRX | STT | STP);
        pass(b, 2 * BIT);
        set(b, I2CDR, 0x20);
        if (rows[i].lost)
            ASSERT_AT(b, start + HEAD + rows[i].bits * BIT, flag(b, AL));
        pass(b, hc_ms(1));
        assert_int_equal(flag(b, AL), rows[i].lost);
        assert_int_equal(flag(b, ARDY), !rows[i].lost);
        assert_int_equal(get(b, U0 + UCTL) & MST, 0);
        assert_int_equal(get(b, I2CTCTL) & (STT | STP), 0);
        assert_int_equal(bus_state(b) & (BB | BUSY), rows[i].lost ? BB : 0);
        hc_i2c_stop(b->i2c, hc_now(b->m));
        assert_int_equal(bus_state(b), 0);
    }
    /* A START on a bus that is taken. */
    hc_i2c_start(b->i2c, HC_I2C_OUTSIDE, hc_now(b->m));
    assert_int_equal(bus_state(b) & BB, BB);
    set(b, I2CIFG, 0);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST);
    set(b, I2CTCTL, SSEL_SMCLK | TRX | STT);
    assert_true(flag(b, AL));
    assert_int_equal(get(b, U0 + UCTL) & MST, 0);
}

static bool call(struct serial_bench *b, uint16_t address, bool read)
{
    assert_true(hc_i2c_start(b->i2c, HC_I2C_OUTSIDE, hc_now(b->m)));
    return hc_i2c_address(b->i2c, (struct hc_i2c_address){ address, false, read }, hc_now(b->m));
}

static void slave_receives(void **state)
{
    struct serial_bench *b = *state;
    hc_time now = hc_now(b->m);
    enable(b, 0);
    assert_false(call(b, 0x43, false));
    assert_int_equal(get(b, I2CIFG), STTI);
    assert_int_equal(bus_state(b), BB);
    set(b, I2CIFG, 0);
    assert_true(call(b, 0x42, false));
    assert_int_equal(get(b, I2CIFG), STTI | OA);
    assert_int_equal(bus_state(b), BB | BUSY);
    assert_true(hc_i2c_write(b->i2c, 0x81, now));
    assert_true(flag(b, RXRDY));
    assert_true(hc_i2c_ready(b->i2c, false));
    assert_true(hc_i2c_write(b->i2c, 0x82, now));
    assert_int_equal(bus_state(b), BB | BUSY);
    assert_true(hc_i2c_write(b->i2c, 0x83, now));
    assert_int_equal(bus_state(b), RXOVR | BB | BUSY);
    assert_false(hc_i2c_ready(b->i2c, false));
    assert_int_equal(get(b, I2CDR), 0x81);
    assert_true(hc_i2c_ready(b->i2c, false));
    hc_i2c_stop(b->i2c, now);
    assert_int_equal(bus_state(b), 0);
    assert_false(flag(b, ARDY));
    assert_int_equal(get(b, I2CDR), 0x82);
    assert_false(flag(b, ARDY));
    assert_int_equal(get(b, I2CDR), 0x83);
    assert_true(flag(b, ARDY));
    /* A repeated START says nothing of the address. */
    assert_true(call(b, 0x42, false));
    set(b, I2CIFG, 0);
    assert_true(call(b, 0x42, false));
    assert_int_equal(get(b, I2CIFG), STTI);
    hc_i2c_stop(b->i2c, now);
    /* The general call. */
    set(b, I2CIFG, 0);
    assert_true(call(b, 0, false));
    assert_int_equal(get(b, I2CIFG), STTI | GC);
    hc_i2c_stop(b->i2c, now);
    /* Disabled: deaf. */
    set(b, U0 + UCTL, I2C | SYNC);
    assert_false(call(b, 0x42, false));
}

static void slave_sends(void **state)
{
    struct serial_bench *b = *state;
    hc_time now = hc_now(b->m);
    enable(b, 0);
    assert_true(call(b, 0x42, true));
    assert_int_equal(get(b, I2CIFG), STTI | OA | TXRDY);
    assert_false(hc_i2c_ready(b->i2c, true));
    assert_int_equal(bus_state(b), TXUDF | BB | BUSY);
    set(b, I2CDR, 0x61);
    assert_false(flag(b, TXRDY));
    assert_true(hc_i2c_ready(b->i2c, true));
    assert_int_equal(hc_i2c_read(b->i2c, true, now), 0x61);
    assert_true(flag(b, TXRDY));
    set(b, I2CDR, 0x62);
    assert_int_equal(hc_i2c_read(b->i2c, false, now), 0x62);
    assert_false(flag(b, TXRDY)); /* the master had enough */
    hc_i2c_stop(b->i2c, now);
    assert_true(flag(b, ARDY));
    assert_int_equal(bus_state(b), 0);
}

/* I2CIV: enabled flags in order, each cleared when it has been told, but for TXRDYIFG and RXRDYIFG. */
static void interrupt_vector(void **state)
{
    struct serial_bench *b = *state;
    enable(b, 0);
    set(b, I2CIFG, 0xff);
    assert_int_equal(get16(b, I2CIV), 0);
    set(b, I2CIE, 0xff);
    for (uint16_t i = 0; i < 8; i++) {
        assert_int_equal(hc_peek16(b->m, I2CIV), 2 * i + 2);
        assert_int_equal(get16(b, I2CIV), 2 * i + 2);
        if ((1 << i) & (RXRDY | TXRDY)) {
            assert_int_equal(get(b, I2CIFG), (0xff << i) & 0xff);
            set(b, I2CIFG, (uint8_t)(0xff << (i + 1)));
        }
        assert_int_equal(get(b, I2CIFG), (0xff << (i + 1)) & 0xff);
    }
    assert_int_equal(get16(b, I2CIV), 0);
    /* Those that DMA serves do not interrupt. */
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | RXDMAEN | TXDMAEN);
    set(b, I2CIFG, RXRDY | TXRDY);
    assert_int_equal(get16(b, I2CIV), 0);
}

/* A clock that stands still is not switched on, which is said. */
static void stopped_clock(void **state)
{
    struct serial_bench *b = *state;
    enable(b, MST);
    set(b, I2CTCTL, STT);
    pass(b, BIT);
    assert_int_equal(b->notes, 0);
    hc_clock_set(b->smclk, 0, hc_now(b->m));
    pass(b, hc_ms(1));
    assert_false(flag(b, NACK));
    assert_int_equal(b->notes, 1);
    hc_clock_set(b->smclk, SMCLK_PERIOD, hc_now(b->m));
    pass(b, hc_ms(1));
    assert_true(flag(b, NACK));
}

static void by_dma(void **state)
{
    enum { DMACTL0 = 0x122, CTL0 = 0x1e0 };
    struct serial_bench *b = *state;
    struct memory *e = attach_memory(b->m, b->i2c, 0x50, false);
    static const uint8_t data[] = { 0x40, 1, 2, 3, 4, 5 };
    for (uint32_t i = 0; i < sizeof data; i++)
        hc_poke(b->m, 0x1000 + i, data[i]);
    set16(b, DMACTL0, HC_DMA_UTXIFG0 | HC_DMA_URXIFG0 << 4);
    set16(b, CTL0 + 2, 0x1000);
    set16(b, CTL0 + 4, I2CDR);
    set16(b, CTL0 + 6, sizeof data);
    set16(b, CTL0, 0xc0 | 0x300 | 0x10);
    set16(b, CTL0 + 10, I2CDR);
    set16(b, CTL0 + 12, 0x2000);
    set16(b, CTL0 + 14, 5);
    set16(b, CTL0 + 8, 0xc0 | 0xc00 | 0x10);
    enable(b, MST | TXDMAEN | RXDMAEN);
    set(b, I2CNDAT, sizeof data);
    set(b, I2CTCTL, SSEL_SMCLK | TRX | STT | STP);
    pass(b, hc_ms(2));
    assert_memory_equal(e->s.data + 0x40, data + 1, 5);
    assert_int_equal(hc_peek16(b->m, CTL0) & 0x18, 0x08);
    e->s.pointer = 0x40;
    set(b, I2CNDAT, 5);
    set(b, U0 + UCTL, I2C | SYNC | I2CEN | MST | TXDMAEN | RXDMAEN);
    set(b, I2CTCTL, SSEL_SMCLK | STT | STP);
    pass(b, hc_ms(2));
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(hc_peek(b->m, 0x2000 + i), i + 1);
}

/* Interrupt-driven: writes, then reads back with a repeated START; and an address that nobody has. */
static void firmware(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "i2c");
    struct hc_i2c_bus *bus = hc_i2c_bus_new(h.machine, "i2c");
    struct memory *e = attach_memory(h.machine, bus, 0x50, false);
    hc_usart_connect_i2c(h.board->chip.usart0, bus);
    harness_finish(&h, HC_SECOND);
    assert_memory_equal(e->s.data + 0x10, "hindcast", 8);
    for (int i = 0; i < 8; i++)
        assert_int_equal(harness_get8(&h, "back", i), "hindcast"[i]);
    assert_int_equal(harness_get(&h, "result", 0), 0); /* NACKs */
    assert_int_equal(harness_get(&h, "result", 1), 1);
    assert_int_equal(e->s.stops, 2);
    harness_stop(&h);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, serial_set_up, serial_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(registers),
        TEST(bit_times),
        TEST(master_writes),
        TEST(underflow),
        TEST(master_reads),
        TEST(repeated_start),
        TEST(repeat_mode),
        TEST(not_acknowledged),
        TEST(word_mode),
        TEST(ten_bit_addresses),
        TEST(start_byte),
        TEST(slave_holds_scl),
        TEST(arbitration),
        TEST(slave_receives),
        TEST(slave_sends),
        TEST(interrupt_vector),
        TEST(stopped_clock),
        TEST(by_dma),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
