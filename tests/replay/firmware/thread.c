/* A thread whose stack is a variable: checkpoints of it are taken all the time. */
#include <kit.h>
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
static void hc_checkpoint(void)
{
}
#endif

volatile uint16_t sum, rounds;
static uint16_t stack[100];

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    uint16_t now = TBR;
    TBCCR0 = now + 200;
    sum += now;
    KIT_WAKE_ON_EXIT();
}

__attribute__((noinline)) static void thread(void)
{
    for (;;) {
        rounds++;
        sum ^= TBR;
        if (rounds % 50 == 0)
            hc_checkpoint();
        hc_update();
        kit_sleep(LPM0_bits | GIE);
    }
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 100;
    TBCCTL0 = CCIE;
    __asm__ volatile("mov %0, r1\n\tcall %1" ::"r"(stack + sizeof stack / sizeof *stack), "r"(thread));
}
