/* Loops that nobody counts: shifts, the library's multiplication and division, copies, and others in assembly
 * (loops.S), with operands that differ from call to call. Handlers read registers. It ends after ROUNDS. */
#ifdef __HINDCAST__
#include <hindcast.h>
#else
static void hc_update(void)
{
}
#endif
#include <kit.h>

#ifndef ROUNDS
#define ROUNDS 40
#endif

volatile uint16_t rounds, ticks, seen;
volatile uint16_t sum;
volatile uint32_t wide = 1;
static uint8_t from[40], to[40];

uint16_t shift_left(uint16_t value, uint16_t n);
uint16_t shift_right(uint16_t value, uint16_t n);
uint16_t rotate(uint16_t value, uint16_t n);
uint16_t lfsr(uint16_t value, uint16_t n);
uint16_t reverse(uint16_t value);
uint16_t gcd(uint16_t a, uint16_t b);
void copy_up(uint8_t *to, const uint8_t *from, uint16_t n);
void copy_down(uint8_t *to, const uint8_t *from, uint16_t n);
void swap_ends(uint8_t *bytes, uint16_t n);
uint16_t fletcher(const uint8_t *bytes, uint16_t n);
void spin(uint16_t outer);

KIT_INTERRUPT(TIMERA0_VECTOR) void on_a(void)
{
    ticks++;
    seen ^= TAR;
}

KIT_INTERRUPT(TIMERB0_VECTOR) void on_b(void)
{
    seen += TBR & 0x0fff;
    sum ^= shift_left(seen, 3);
}

KIT_INTERRUPT(TIMERB1_VECTOR) void on_c(void)
{
    seen ^= TBIV;
    kit_enable_interrupts();
    sum += rotate(seen, 5);
}

static void arithmetic(uint16_t x)
{
    wide = wide * 1664525u + x;
    sum += (uint16_t)(wide / (x | 1u));
    sum ^= (uint16_t)(wide % 1009u);
    sum += (uint16_t)(x * sum) / (uint16_t)(x % 7 + 1);
    sum ^= (uint16_t)((int16_t)sum / 13);
}

static void words(uint16_t x)
{
    sum += shift_left(x, x & 15);
    sum ^= shift_left(1, 15);
    sum ^= shift_left(0, 15);
    sum += shift_right(x, x >> 4 & 15);
    sum += shift_right(0xffff, 15);
    sum ^= rotate(x, 16);
    sum += lfsr(x, 20);
    sum ^= reverse(x);
    sum += gcd(x | 1, (x >> 8) | 1);
    sum ^= (uint16_t)(x << (sum & 15)) ^ (uint16_t)(wide >> (x & 31));
}

static void bytes(uint16_t x)
{
    from[x % sizeof from] ^= (uint8_t)x;
    copy_up(to, from, sizeof to);
    swap_ends(to, sizeof to);
    copy_down(from, to, sizeof from - 3);
    memcpy(to + 3, from, 20);
    memset(from, x & 0xff, 9);
    sum += fletcher(to, sizeof to);
    spin(3);
}

int main(void)
{
    TACTL = TASSEL_2 | MC_1;
    kit_enable_interrupts();
    for (rounds = 0; rounds < ROUNDS; rounds++) {
        uint16_t x = (uint16_t)(rounds * 40503u) ^ seen;

        arithmetic(x);
        words(x);
        bytes(x);
        hc_update();
    }
    kit_disable_interrupts();
    for (;;)
        kit_sleep(CPUOFF);
}
