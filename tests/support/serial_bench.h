/* A bare machine with the serial modules of an F1611 and a sleeping CPU: MCLK and SMCLK at 2^20 Hz, ACLK at 2^15 Hz,
 * all with whole periods in units of time, so that the tests can say exactly when something must happen. */
#ifndef TESTS_SUPPORT_SERIAL_BENCH_H
#define TESTS_SUPPORT_SERIAL_BENCH_H

#include "machine/device/msp430x1xx/usart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMCLK_PERIOD ((hc_time)1 << 20)
#define ACLK_PERIOD ((hc_time)1 << 25)

enum { IE1 = 0, IE2, IFG1, IFG2, ME1, ME2 };
enum { U0 = 0x70, U1 = 0x78 }; /* plus: */
enum { UCTL, UTCTL, URCTL, UMCTL, UBR0, UBR1, URXBUF, UTXBUF };
enum { PENA = 0x80, PEV = 0x40, SPB = 0x20, CHAR = 0x10, LISTEN = 0x08, SYNC = 0x04, MM = 0x02, SWRST = 0x01 };
enum {
    CKPH = 0x80,
    CKPL = 0x40,
    SSEL_ACLK = 0x10,
    SSEL_SMCLK = 0x20,
    URXSE = 0x08,
    TXWAKE = 0x04,
    STC = 0x02,
    TXEPT = 0x01
};
enum { FE = 0x80, PE = 0x40, OE = 0x20, BRK = 0x10, URXEIE = 0x08, URXWIE = 0x04, RXWAKE = 0x02, RXERR = 0x01 };
enum { URX0 = 0x40, UTX0 = 0x80, URX1 = 0x10, UTX1 = 0x20 };

struct serial_bench {
    struct hc_machine *m;
    struct hc_sfr *sfr;
    struct hc_dma *dma;
    struct hc_clock *aclk, *smclk;
    struct hc_usart *usart[2];
    struct hc_spi_bus *spi;
    struct hc_i2c_bus *i2c;
    int notes;
    int sent; /* characters that left the UART of USART1, and when */
    uint8_t byte[64];
    hc_time time[64];
};

static const struct hc_region serial_regions[] = {
    { "io", HC_IO, 0x0000, 0x01ff, 0 },
    { "ram", HC_RAM, 0x0200, 0xffff, 0 },
    { NULL, HC_VACANT, 0, 0, 0 },
};
static const struct hc_part serial_part = { "bare", HC_CPU_MSP430, serial_regions, 0x10000, 16, 0 };

static void serial_note(void *owner, const char *text)
{
    (void)text;
    ((struct serial_bench *)owner)->notes++;
}

static void serial_sent(void *owner, uint8_t byte, hc_time now)
{
    struct serial_bench *b = owner;
    b->byte[b->sent % 64] = byte;
    b->time[b->sent++ % 64] = now;
}

static inline void set(struct serial_bench *b, uint32_t address, uint8_t value)
{
    hc_bus_write(b->m, address, value, 1);
}

static inline uint8_t get(struct serial_bench *b, uint32_t address)
{
    return (uint8_t)hc_bus_read(b->m, address, 1);
}

static inline void set16(struct serial_bench *b, uint32_t address, uint16_t value)
{
    hc_bus_write(b->m, address, value, 2);
}

static inline uint16_t get16(struct serial_bench *b, uint32_t address)
{
    return hc_bus_read(b->m, address, 2);
}

static inline void run_to(struct serial_bench *b, hc_time t)
{
    hc_machine_run(b->m, t);
    assert_int_equal(hc_now(b->m), t);
}

static inline void pass(struct serial_bench *b, hc_time span)
{
    run_to(b, hc_now(b->m) + span);
}

/* To the next edge of ACLK, and so of all clocks. */
static inline void align(struct serial_bench *b)
{
    run_to(b, (hc_now(b->m) / ACLK_PERIOD + 1) * ACLK_PERIOD);
}

/* CONDITION becomes true at time T and not a unit before. */
#define ASSERT_AT(b, t, condition) \
    do {                           \
        run_to((b), (t) - 1);      \
        assert_false(condition);   \
        run_to((b), (t));          \
        assert_true(condition);    \
    } while (0)

static inline int serial_set_up(void **state)
{
    struct serial_bench *b = calloc(1, sizeof *b);
    b->m = hc_machine_new(&serial_part, NULL);
    hc_machine_set_note(b->m, serial_note, b);
    b->sfr = hc_sfr_new(b->m);
    b->dma = hc_dma_new(b->m, 0);
    b->aclk = hc_clock_new(b->m, "aclk");
    b->smclk = hc_clock_new(b->m, "smclk");
    b->spi = hc_spi_bus_new(b->m, "spi");
    b->i2c = hc_i2c_bus_new(b->m, "i2c");
    struct hc_usart_config c = { 0, U0, b->sfr, b->aclk, b->smclk, NULL, b->dma, 9, 8 };
    b->usart[0] = hc_usart_new(b->m, &c);
    c.number = 1;
    c.base = U1;
    c.rx_vector = 3;
    c.tx_vector = 2;
    b->usart[1] = hc_usart_new(b->m, &c);
    hc_usart_connect_spi(b->usart[0], b->spi);
    hc_usart_connect_i2c(b->usart[0], b->i2c);
    hc_usart_on_transmit(b->usart[1], serial_sent, b);
    hc_clock_set(hc_mclk(b->m), SMCLK_PERIOD, 0);
    hc_clock_set(b->smclk, SMCLK_PERIOD, 0);
    hc_clock_set(b->aclk, ACLK_PERIOD, 0);
    hc_machine_reset(b->m, HC_POR);
    hc_set_register(b->m, HC_SR, HC_SR_CPUOFF);
    *state = b;
    return 0;
}

static inline int serial_tear_down(void **state)
{
    struct serial_bench *b = *state;
    hc_machine_free(b->m);
    free(b);
    return 0;
}

/* USART1 as a UART, by the guide's order: SWRST, registers, module enable, release. */
static inline void uart(struct serial_bench *b, uint8_t ctl, uint8_t ssel, uint16_t ubr, uint8_t mctl)
{
    set(b, U1 + UCTL, ctl | SWRST);
    set(b, U1 + UTCTL, ssel);
    set(b, U1 + URCTL, 0);
    set(b, U1 + UBR0, (uint8_t)ubr);
    set(b, U1 + UBR1, ubr >> 8);
    set(b, U1 + UMCTL, mctl);
    set(b, ME2, URX1 | UTX1);
    set(b, U1 + UCTL, ctl);
}

#endif
