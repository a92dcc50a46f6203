/* Reads the TelosB's serial number, climate sensor and light sensors as drivers do.
 * result: 0 presence, 1-4 ROM, low word first, 5 temperature, 6 humidity, 7 status register of the SHT11,
 * 8 visible light, 9 total light (ADC12 against 2.5 V) */
#include <kit.h>

volatile uint16_t result[16];
volatile uint16_t finished;

enum { LINE = 0x10 };                             /* P2 */
enum { DATA = 0x20, CLOCK = 0x40, POWER = 0x80 }; /* P1 */

/* Timer_A counts SMCLK, about 5 MHz. */
static void wait_us(uint16_t us)
{
    uint16_t start = TAR;
    while ((uint16_t)(TAR - start) < us * 5)
        ;
}

/* ---- DS2411: P2OUT stays 0, the direction makes the level ---- */

static uint16_t presence(void)
{
    P2DIR |= LINE;
    wait_us(500);
    P2DIR &= (uint8_t)~LINE;
    wait_us(70);
    uint16_t present = !(P2IN & LINE);
    wait_us(410);
    return present;
}

static void write_bit(int bit)
{
    P2DIR |= LINE;
    if (bit) {
        __asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
        P2DIR &= (uint8_t)~LINE;
        wait_us(64);
    } else {
        wait_us(60);
        P2DIR &= (uint8_t)~LINE;
        wait_us(10);
    }
}

static uint16_t read_bit(void)
{
    P2DIR |= LINE;
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
    P2DIR &= (uint8_t)~LINE;
    wait_us(7);
    uint16_t bit = (P2IN & LINE) != 0;
    wait_us(60);
    return bit;
}

static void read_serial(void)
{
    P2OUT &= (uint8_t)~LINE;
    wait_us(2000); /* the chip's power-up delay */
    result[0] = presence();
    for (int i = 0; i < 8; i++)
        write_bit(0x33 >> i & 1);
    for (int word = 1; word <= 4; word++)
        for (int i = 0; i < 16; i++)
            result[word] = (uint16_t)(result[word] >> 1 | read_bit() << 15);
}

/* ---- SHT11: DATA by direction, SCK by level ---- */

static void data(int high)
{
    if (high)
        P1DIR &= (uint8_t)~DATA;
    else
        P1DIR |= DATA;
}

static void clock(int high)
{
    if (high)
        P1OUT |= CLOCK;
    else
        P1OUT &= (uint8_t)~CLOCK;
}

static void start(void)
{
    data(1), clock(0), clock(1), data(0), clock(0), clock(1), data(1), clock(0);
}

static void send(uint8_t byte)
{
    for (int i = 7; i >= 0; i--)
        data(byte >> i & 1), clock(1), clock(0);
    data(1), clock(1), clock(0);
}

static uint8_t receive(int acknowledge)
{
    uint8_t byte = 0;
    for (int i = 0; i < 8; i++) {
        clock(1);
        byte = (uint8_t)(byte << 1 | ((P1IN & DATA) != 0));
        clock(0);
    }
    data(!acknowledge), clock(1), clock(0), data(1);
    return byte;
}

static uint16_t measure(uint8_t command)
{
    start();
    send(command);
    while (P1IN & DATA)
        ;
    uint16_t high = receive(1);
    return (uint16_t)(high << 8 | receive(0));
}

static void read_climate(void)
{
    P1OUT = POWER;
    P1DIR = POWER | CLOCK;
    for (int i = 0; i < 12; i++)
        wait_us(1000);
    result[5] = measure(0x03);
    result[6] = measure(0x05);
    start();
    send(0x07);
    result[7] = receive(0);
}

static void read_light(void)
{
    P6SEL = 0x30;
    ADC12CTL0 = ADC12ON | REFON | REF2_5V | SHT0_8 | MSC;
    for (int i = 0; i < 17; i++)
        wait_us(1000);
    ADC12CTL1 = SHP | CONSEQ_1;
    ADC12MCTL0 = SREF_1 | INCH_4;
    ADC12MCTL1 = SREF_1 | INCH_5 | EOS;
    ADC12CTL0 |= ENC | ADC12SC;
    while (!(ADC12IFG & 2))
        ;
    result[8] = ADC12MEM0;
    result[9] = ADC12MEM1;
}

int main(void)
{
    DCOCTL = 0xe0;
    BCSCTL1 = 0x87;
    TACTL = TASSEL_2 | MC_2;
    read_serial();
    read_climate();
    read_light();
    finished = 0xd09e;
    for (;;)
        ;
}
