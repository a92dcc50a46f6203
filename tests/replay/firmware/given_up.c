/* Memory that is not zero when a checkpoint copies it, which is then given up, and is zero when the next one does. */
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

uint16_t memory[2000];
volatile uint16_t sum, rounds;

KIT_INTERRUPT(TIMERB0_VECTOR) void tick(void)
{
    uint16_t now = TBR;
    TBCCR0 = now + 100;
    sum += now;
    KIT_WAKE_ON_EXIT();
}

__attribute__((noinline)) static uint16_t dive(uint16_t n)
{
    volatile uint16_t local[10] = { n, sum };
    if (n)
        return dive(n - 1) + local[1];
    hc_update();
    return local[0];
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 100;
    TBCCTL0 = CCIE;
    kit_enable_interrupts();
    for (;;) {
        rounds++;
        sum ^= TBR;
        sum += memory[(uint16_t)(rounds * 7) % 2000];
        uint16_t phase = rounds % 400;
        if (phase == 0) {
            for (uint16_t i = 0; i < 2000; i++)
                memory[i] = i + 1;
            hc_checkpoint();
        }
        if (phase == 9)
            sum += dive(10 + rounds / 400 * 8); /* deeper than ever: the checkpoint under way is given up */
        if (phase == 12)
            for (uint16_t i = 0; i < 2000; i++)
                memory[i] = 0;
        hc_update();
        kit_sleep(LPM0_bits | GIE);
    }
}
