/* The names of mspgcc, IAR and TI's GCC, by <msp430.h>: what they do on a node, and how long they take. */
#include <msp430.h>
#include <stdio.h>

#ifndef __HINDCAST__
#define hc_update()
#else
#include <hindcast.h>
#endif

void kit_uart_init(unsigned long smclk_hz, unsigned long baud);
void kit_uart_drain(void);

static volatile unsigned ticks, saved;
static volatile enum { STAY, WAKE, WAKE_BY_MACRO, WAKE_OLD, MASK, FORGET } order;

static unsigned helper(unsigned n)
{
    volatile unsigned many[6] = { n, n + 1, n + 2, n + 3, n + 4, n + 5 };
    return many[n % 6];
}

void __attribute__((interrupt(TIMERA0_VECTOR))) tick(void)
{
    ticks += helper(6) - 5;
    if (ticks < 5)
        return;
    saved = __get_SR_register_on_exit();
    switch (order) {
    case WAKE:
        __bic_SR_register_on_exit(LPM3_bits);
        break;
    case WAKE_BY_MACRO:
        LPM4_EXIT;
        break;
    case WAKE_OLD:
        _BIC_SR_IRQ(LPM4_bits);
        break;
    case MASK:
        __bic_SR_register_on_exit(LPM4_bits | GIE);
        break;
    case FORGET:
        __bic_status_register_on_exit(GIE);
        __low_power_mode_off_on_exit();
        __bis_SR_register_on_exit(SCG0); /* nothing, while the DCO is in use */
        break;
    default:
        break;
    }
}

static void sleep_until(int how, const char *name)
{
    ticks = 0;
    order = how;
    if (how == WAKE)
        __bis_SR_register(LPM0_bits + GIE);
    else if (how == WAKE_BY_MACRO)
        _BIS_SR(CPUOFF | GIE);
    else if (how == WAKE_OLD)
        __bis_status_register(LPM0_bits | GIE);
    else {
        _EINT();
        LPM0;
    }
    unsigned sr = __get_SR_register();
    __disable_interrupt();
    printf("%s: %u ticks, slept with %02x, GIE %d, SCG0 %d\n", name, ticks, saved & 0xf8, (sr & GIE) != 0,
           (__get_SR_register() & SCG0) != 0);
    _bic_SR_register(SCG0);
    hc_update();
}

static void interrupt_states(void)
{
    _enable_interrupts();
    __istate_t state = __get_interrupt_state();
    _DINT();
    unsigned off = READ_SR & GIE;
    __set_interrupt_state(state);
    unsigned on = __read_status_register() & GIE;
    __disable_interrupt();
    __no_operation();
    _NOP();
    __nop();
    nop();
    printf("interrupts: %u %u %u\n", off, on, __get_SR_register() & GIE);
    WRITE_SR(0);
    printf("bytes: %04x, even: %d, stack: %d\n", __swap_bytes(0x1234), __even_in_range(4, 10),
           __get_SP_register() == (unsigned)__read_stack_pointer() && (__get_SP_register() & 0xff00) == 0x3800);
}

/* Cycles by Timer_A, which counts SMCLK, undivided, as MCLK is. What reading it takes is in both. */
#define MEASURE(cycles)                                                     \
    do {                                                                    \
        unsigned before = TAR;                                              \
        __delay_cycles(cycles);                                             \
        unsigned took = TAR - before;                                       \
        before = TAR;                                                       \
        unsigned nothing = TAR - before;                                    \
        printf("delay %lu: %u\n", (unsigned long)(cycles), took - nothing); \
        hc_update();                                                        \
    } while (0)

static void delays(void)
{
    MEASURE(0);
    MEASURE(1);
    MEASURE(2);
    MEASURE(3);
    MEASURE(4);
    MEASURE(5);
    MEASURE(6);
    MEASURE(7);
    MEASURE(8);
    MEASURE(9);
    MEASURE(10);
    MEASURE(11);
    MEASURE(12);
    MEASURE(13);
    MEASURE(14);
    MEASURE(15);
    MEASURE(16);
    MEASURE(17);
    MEASURE(18);
    MEASURE(19);
    MEASURE(20);
    MEASURE(21);
    MEASURE(24);
    MEASURE(36);
    MEASURE(37);
    MEASURE(39);
    MEASURE(40);
    MEASURE(41);
    MEASURE(100);
    MEASURE(1000);
    MEASURE(65535);
    MEASURE(65536);
    MEASURE(65537);
    MEASURE(262142);
    MEASURE(262143);
    MEASURE(262144);
    MEASURE(262145);
    MEASURE(262148);
    MEASURE(262149);
    MEASURE(1000000UL);
}

int main(void)
{
    kit_uart_init(1000000, 115200);
    TACTL = TASSEL_2 | MC_2;
    delays();
    interrupt_states();
    TACCR0 = 5000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1 | TACLR;
    sleep_until(WAKE, "wake");
    sleep_until(WAKE_BY_MACRO, "wake by macro");
    sleep_until(WAKE_OLD, "wake, old");
    sleep_until(MASK, "mask");
    sleep_until(FORGET, "forget");
#ifdef __HINDCAST__
    /* Enough that pages are written: what it reads cannot be guessed. */
    for (unsigned i = 0; i < 2000; i++) {
        TACCR0 = 3000 + (TAR ^ i * 40503u) % 2048;
        ticks = 4;
        order = WAKE;
        __bis_SR_register(LPM0_bits + GIE);
        __disable_interrupt();
        hc_update();
    }
#endif
    kit_uart_drain();
    return 0;
}
