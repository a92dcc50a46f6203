/* Checkpoints while interrupts change memory, one after the other. Their pages wait in memory that the stack has not
 * reached; then it gets there while they do; from then on there is no room for them. */
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

enum { TABLE = 400, SHALLOW = 40, DEEP = 170, ROUNDS = 120 };

volatile uint16_t rounds, sum, finished;
static volatile uint16_t table[TABLE], cursor;

KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)
{
    TACCR0 += 20011 + (TAR & 0x1fff);
    cursor = (cursor + 37) % TABLE;
    table[cursor] += TAR ^ P1IN;
}

/* 32 bytes of stack and more for each level; what is on the stack matters. */
static __attribute__((noinline)) uint16_t dive(uint16_t depth)
{
    volatile uint16_t mine[16];
    for (uint8_t i = 0; i < 16; i++)
        mine[i] = table[(depth + i) % TABLE];
    uint16_t below = depth ? dive(depth - 1) : 0;
    return below + mine[depth % 16];
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87; /* as fast as it goes without a resistor */
    DCOCTL = 0xe0;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | ID_1 | MC_2;
    __asm__ volatile("nop\n eint\n nop" ::: "memory");
    for (; rounds < ROUNDS; rounds++) {
        if (rounds % 4 == 0)
            hc_checkpoint();
        hc_update();
        sum += dive(rounds == SHALLOW ? DEEP : rounds % 8);
        for (uint8_t i = 0; i < 12; i++) {
            sum += dive(i % 4);
            hc_update();
        }
    }
    finished = 0xd09e;
    for (;;)
        hc_update();
}
