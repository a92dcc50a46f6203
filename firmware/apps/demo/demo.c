/* A TelosB that counts on its LEDs, four times a second, and once a second reports time and light over its UART.
 * Between ticks it sleeps in LPM3. The user button turns the counting round. */
#include <kit.h>

enum {
    ACLK_HZ = 32768,
    TICKS_PER_SECOND = 4,
    SMCLK_HZ = 4194304, /* 128 x ACLK: what the DCO is brought to */
    BAUD = 115200,
    LEDS = BIT4 | BIT5 | BIT6, /* port 5, lit when low */
    BUTTON = BIT7,             /* port 2, low when pressed */
    LIGHT_CHANNEL = INCH_4,
};

static volatile uint16_t ticks;
static volatile int8_t direction = 1;

/* SMCLK periods in one of ACLK, which Timer_A's third capture input is wired to. */
static uint16_t smclk_per_aclk(void)
{
    uint16_t edges[2];
    TACTL = TASSEL_2 | MC_2 | TACLR;
    TACCTL2 = CM_1 | CCIS_1 | CAP | SCS;
    for (uint8_t i = 0; i < 2; i++) {
        TACCTL2 &= (uint16_t)~CCIFG;
        while (!(TACCTL2 & CCIFG))
            ;
        edges[i] = TACCR2;
    }
    TACTL = TACCTL2 = 0;
    return edges[1] - edges[0];
}

/* DCO and MOD are one number of eight bits that rises with the frequency: found bit by bit. */
static void calibrate_dco(void)
{
    uint8_t control = 0;
    BCSCTL1 = XT2OFF | RSEL2 | RSEL1 | RSEL0;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        DCOCTL = control | bit;
        if (smclk_per_aclk() <= SMCLK_HZ / ACLK_HZ)
            control |= bit;
    }
    DCOCTL = control;
}

static uint16_t light(void)
{
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = SHT0_6 | REFON | REF2_5V | ADC12ON;
    ADC12CTL1 = SHP | CSTARTADD_0;
    ADC12MCTL0 = SREF_1 | LIGHT_CHANNEL;
    for (volatile uint16_t settle = 8000; settle; settle--)
        ;
    ADC12CTL0 |= ENC | ADC12SC;
    while (!(ADC12IFG & BIT0))
        ;
    uint16_t value = ADC12MEM0;
    ADC12CTL0 &= (uint16_t)~ENC;
    ADC12CTL0 = 0;
    return value;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    ticks++;
    KIT_WAKE_ON_EXIT();
}

KIT_INTERRUPT(PORT2_VECTOR) void pressed(void)
{
    P2IFG = 0;
    direction = (int8_t)-direction;
}

static void show(uint8_t count)
{
    P5OUT = (uint8_t)((P5OUT & ~LEDS) | (~(count << 4) & LEDS));
}

static void report(uint16_t second)
{
    kit_put("second ");
    kit_put_unsigned(second);
    kit_put(": light ");
    kit_put_unsigned(light());
    kit_put("\n");
}

static void start(void)
{
    P5OUT |= LEDS;
    P5DIR |= LEDS;
    P6SEL |= BIT4;
    P2IES |= BUTTON;
    P2IFG = 0;
    P2IE |= BUTTON;
    calibrate_dco();
    kit_uart_init(SMCLK_HZ, BAUD);
    TBCCR0 = ACLK_HZ / TICKS_PER_SECOND - 1;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_1 | TBCLR;
}

int main(void)
{
    uint8_t count = 0;
    start();
    kit_put("hindcast demo: MSP430F1611, DCOCTL 0x");
    kit_put_hex(DCOCTL);
    kit_put("\n");
    for (;;) {
        kit_uart_drain();
        kit_sleep(LPM3_bits | GIE);
        count = (uint8_t)(count + direction);
        show(count);
        if (ticks % TICKS_PER_SECOND == 0)
            report(ticks / TICKS_PER_SECOND);
    }
}
