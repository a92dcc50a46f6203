#include "world.h"

enum { MAGIC = 0x1f3e };

volatile uint16_t rounds[MARKED], trail[MARKED][MARKS];
volatile uint16_t seen, ticks, overload;
__attribute__((section(".noinit"))) volatile struct life life;

void begin_life(void)
{
    if (life.magic != MAGIC) {
        life.magic = MAGIC;
        life.starts = life.ends = life.unexpected = 0;
    } else if (!life.announced)
        life.unexpected++;
    life.starts++;
    life.announced = 0;
}

static void hang(uint16_t bits)
{
    for (;;)
        kit_sleep(bits);
}

void end_life(enum end end)
{
    life.ends++;
    life.announced = 1;
    switch (end) {
    case END_WATCHDOG_KEY:
        WDTCTL = 0;
        break;
    case END_FLASH_KEY:
#ifdef KIT_FR5969
        FRCTL0 = 0;
#else
        FCTL2 = 0;
#endif
        break;
    case END_JUMP_QUIETLY:
        kit_disable_interrupts();
        /* fall through */
    case END_JUMP:
        __asm__ volatile("br &0xfffe");
        break;
    case END_HANG:
        hang(GIE);
    case END_HANG_QUIETLY:
        kit_disable_interrupts();
        hang(0);
    case END_HANG_ASLEEP:
        kit_disable_interrupts();
        hang(LPM0_bits);
#ifdef KIT_FR5969
    case END_SOFTWARE_POR:
        PMMCTL0 = PMMPW | PMMSWPOR;
        break;
    case END_SOFTWARE_BOR:
        PMMCTL0 = PMMPW | PMMSWBOR;
        break;
#endif
    default:
        break;
    }
    hang(0);
}

void mark(uint8_t thread, uint16_t state)
{
    uint16_t round = rounds[thread] + 1;

    if (round == 0)
        return;
    if ((round & (uint16_t)(round - 1)) == 0) {
        uint8_t k = 0;
        for (uint16_t left = round; left >>= 1;)
            k++;
        trail[thread][k] = state;
    }
    rounds[thread] = round; /* now the run may end */
}

#ifdef KIT_FR5969
void start_clocks(uint8_t fast)
{
    PM5CTL0 &= (uint16_t)~LOCKLPM5;
    CSCTL0_H = CSKEY >> 8;
    CSCTL1 = fast ? DCOFSEL_6 : DCOFSEL_0;
    CSCTL2 = SELA__VLOCLK | SELS__DCOCLK | SELM__DCOCLK;
    CSCTL3 = DIVA__1 | DIVS__1 | DIVM__1;
    CSCTL0_H = 0;
}

void start_uart(uint16_t divisor)
{
    P2SEL1 |= BIT0 | BIT1;
    P2SEL0 &= (uint8_t)~(BIT0 | BIT1);
    UCA0CTLW0 = UCSWRST | UCSSEL__SMCLK;
    UCA0BRW = divisor;
    UCA0MCTLW = 0;
    UCA0CTLW0 &= (uint16_t)~UCSWRST;
    UCA0IE = UCRXIE;
}

uint16_t multiply(uint16_t a, uint16_t b)
{
    uint16_t sr = kit_status();
    kit_disable_interrupts();
    MPY32L = a;
    MPY32H = b;
    OP2L = b;
    OP2H = a;
    uint16_t product = RES1 ^ RES2;
    kit_set_status(sr);
    return product;
}
#else
void start_clocks(uint8_t fast)
{
    if (fast) { /* as fast as it goes without a resistor */
        BCSCTL1 = 0x87;
        DCOCTL = 0xe0;
    }
}

void start_uart(uint16_t divisor)
{
    P3SEL |= BIT6 | BIT7;
    UCTL1 = SWRST;
    UCTL1 |= CHAR;
    UTCTL1 = SSEL1;
    UBR01 = (uint8_t)divisor;
    UBR11 = (uint8_t)(divisor >> 8);
    UMCTL1 = 0;
    ME2 |= UTXE1 | URXE1;
    UCTL1 &= (uint8_t)~SWRST;
    IE2 |= URXIE1;
}

uint16_t multiply(uint16_t a, uint16_t b)
{
    uint16_t sr = kit_status();
    kit_disable_interrupts();
    MPY = a;
    OP2 = b;
    uint16_t product = RESLO ^ RESHI;
    kit_set_status(sr);
    return product;
}
#endif
