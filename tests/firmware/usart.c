/* UART by polling, by interrupts, from LPM3, and woken by a start edge; SPI by polling. */
#include <kit.h>

volatile uint16_t finished;
volatile uint16_t result[8];
static volatile uint16_t characters, edges;
static volatile uint8_t last;

__attribute__((noinline)) void ready_for_input(void)
{
    __asm__ volatile("nop");
}

__attribute__((noinline)) void ready_to_sleep(void)
{
    __asm__ volatile("nop");
}

static void put(uint8_t c)
{
    while (!(IFG2 & UTXIFG1))
        ;
    U1TXBUF = c;
}

KIT_INTERRUPT(USART1RX_VECTOR) void received(void)
{
    if ((U1TCTL & URXSE) && !(IFG2 & URXIFG1)) { /* a start edge: SMCLK is needed now */
        edges++;
        U1TCTL &= ~URXSE;
        KIT_SAVED_SR &= (uint16_t)~(SCG0 | SCG1);
        return;
    }
    if (IFG2 & URXIFG1)
        result[2]++;
    if (U1RCTL & RXERR)
        result[1]++;
    last = U1RXBUF;
    characters++;
    KIT_WAKE_ON_EXIT();
}

/* Accepting the interrupt clears UTXIFG; the last time nothing is written, so it stays away. */
KIT_INTERRUPT(USART1TX_VECTOR) void ready_for_more(void)
{
    static const char text[] = "fed";
    if (IFG2 & UTXIFG1)
        result[6]++;
    if (result[7] < sizeof text - 1)
        U1TXBUF = (uint8_t)text[result[7]];
    result[7]++;
}

static void set_up_uart(uint8_t tctl, uint8_t ubr, uint8_t mctl)
{
    U1CTL = SWRST | CHAR;
    U1TCTL = tctl;
    U1RCTL = 0;
    U1BR0 = ubr;
    U1BR1 = 0;
    U1MCTL = mctl;
    P3SEL |= 0xc0;
    ME2 |= UTXE1 | URXE1;
    U1CTL &= ~SWRST;
}

static void wait_for_character(uint16_t count)
{
    kit_disable_interrupts();
    while (characters != count) {
        kit_sleep(LPM3_bits | GIE);
        kit_disable_interrupts();
    }
}

static uint8_t exchange(uint8_t byte)
{
    U0TXBUF = byte;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static uint16_t flash_identity(void)
{
    P4OUT |= 0x90;
    P4DIR |= 0x90;
    P3SEL |= 0x0e;
    P3DIR |= 0x0a;
    U0CTL = SWRST | SYNC | CHAR | MM;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL &= ~SWRST;
    P4OUT &= ~0x10;
    exchange(0x9f);
    exchange(0);
    uint8_t type = exchange(0);
    uint8_t capacity = exchange(0);
    P4OUT |= 0x10;
    return (uint16_t)(capacity << 8 | type);
}

int main(void)
{
    set_up_uart(SSEL0, 3, 0x4a); /* 9600 from ACLK */
    for (const char *c = "polled"; *c; c++)
        put((uint8_t)*c);
    while (!(U1TCTL & TXEPT))
        ;
    IE2 |= UTXIE1;
    kit_enable_interrupts();
    while (result[7] < 4 || !(U1TCTL & TXEPT))
        ;
    kit_disable_interrupts();
    IE2 = URXIE1;
    ready_for_input();
    for (uint16_t i = 1; i <= 5; i++) {
        wait_for_character(i);
        U1TXBUF = last & ~0x20;
    }
    result[0] = characters;
    while (!(U1TCTL & TXEPT))
        ;
    set_up_uart(SSEL1 | URXSE, 70, 0); /* from SMCLK, which LPM3 stops */
    IE2 |= URXIE1;
    ready_to_sleep();
    wait_for_character(6);
    result[3] = edges;
    result[4] = last;
    result[5] = flash_identity();
    finished = 0xd09e;
    return 0;
}
