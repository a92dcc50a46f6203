/* Bursts of what costs the recorder most, each of which nearly fills the ring: interrupts of a loop that nobody counts,
 * bytes of data, values that nothing predicts. For test_time.c. */
#include "parts.h"

#include <hindcast.h>

volatile uint16_t noise = 1, sum, ticks;

static uint16_t next_noise(void)
{
    noise = (uint16_t)(noise * 25173u + 13849u);
    return noise;
}

KIT_INTERRUPT(TIMER_A_VECTOR) void tick(void)
{
    ticks++;
    TACCR0 += 350 + (next_noise() >> 8);
}

/* Positions in it need a hash. */
static void spin(uint16_t until)
{
    TACCR0 = TAR + 300;
    TACCTL0 = CCIE;
    while (ticks != until)
        sum = (uint16_t)(sum << 1 | sum >> 15) ^ noise;
    TACCTL0 = 0;
}

static void read_bytes(uint16_t count)
{
    while (count--)
        sum = (uint16_t)(sum * 3 + RECEIVED);
}

static void read_words(uint16_t count)
{
    while (count--) {
        TACCR1 = next_noise();
        sum ^= *(&TAR + (sum & 4) / 2); /* or TACCR1 */
    }
}

int main(void)
{
    run_at_4_mhz();
    TACTL = TASSEL_2 | MC_2;
    kit_enable_interrupts();
    for (uint16_t round = 0;; round++) {
        switch (round % 3) {
        case 0:
            spin(ticks + 25);
            break;
        case 1:
            read_bytes(300);
            break;
        default:
            read_words(70);
            break;
        }
        for (uint8_t i = 0; i < 8; i++)
            hc_update();
    }
}
