/* 1-Wire on P2.4, which a resistor pulls up: the pin's output stays low, its direction makes the level. */
#include "drivers/ds2411.h"

#include "drivers/clock.h"
#include "kernel/critical.h"
#include "kernel/sleep.h"

enum { LINE = BIT4, READ_ROM = 0x33, FAMILY = 0x01, ROM_BYTES = 8 };

static void pull(void)
{
    P2DIR |= LINE;
}

static void let_go(void)
{
    P2DIR &= (uint8_t)~LINE;
}

static bool reset(void)
{
    pull();
    clock_spin(500);
    uint16_t state = critical_enter();
    let_go();
    clock_spin(70);
    bool present = !(P2IN & LINE);
    critical_leave(state);
    clock_spin(410);
    return present;
}

static void write_bit(bool bit)
{
    uint16_t state = critical_enter();
    pull();
    clock_spin(bit ? 2 : 60);
    let_go();
    critical_leave(state);
    clock_spin(bit ? 64 : 10);
}

/* The level must be read within 15 us of the falling edge: there is no time for a wait that calls, nor to lose where
 * the read itself takes longer, as it does in a program that records. */
static bool read_bit(void)
{
    uint16_t state = critical_enter();
    pull();
    let_go();
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop"); /* the line rises */
    bool bit = (P2IN & LINE) != 0;
    critical_leave(state);
    clock_spin(60);
    return bit;
}

static uint8_t read_byte(void)
{
    uint8_t byte = 0;
    for (uint8_t i = 0; i < 8; i++)
        byte = (uint8_t)(byte >> 1 | (read_bit() ? 0x80 : 0));
    return byte;
}

/* x^8 + x^5 + x^4 + 1, low bit first. */
static uint8_t crc(uint8_t sum, uint8_t byte)
{
    sum ^= byte;
    for (uint8_t i = 0; i < 8; i++)
        sum = (uint8_t)(sum & 1 ? sum >> 1 ^ 0x8c : sum >> 1);
    return sum;
}

bool ds2411_read(uint8_t serial[6])
{
    uint8_t rom[ROM_BYTES], sum = 0;
    clock_spin(2000); /* its power-up delay, right after boot */
    if (!reset())
        return false;
    for (uint8_t i = 0; i < 8; i++)
        write_bit(READ_ROM >> i & 1);
    for (uint8_t i = 0; i < ROM_BYTES; i++) {
        rom[i] = read_byte();
        kernel_task_done();
        sum = crc(sum, rom[i]);
    }
    if (sum != 0 || rom[0] != FAMILY)
        return false;
    memcpy(serial, rom + 1, 6);
    return true;
}
