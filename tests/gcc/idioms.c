/* What GCC for the MSP430 takes and clang does not, or takes otherwise. To be compiled, not run. */
#include <kit.h>

volatile unsigned n;
static volatile unsigned kept __attribute__((noinit));
volatile unsigned persistent __attribute__((persistent)) = 3;

__attribute__((interrupt(TIMERA0_VECTOR / 2), wakeup)) void by_number(void)
{
    n += P1IN;
}

__attribute__((interrupt("nmi"))) void by_name(void)
{
    IFG1 = 0;
}

__attribute__((critical)) static void without_interrupts(void)
{
    n += TAR;
}

static unsigned table(unsigned a)
{
    static const void *const places[] = { &&zero, &&one };

    goto *places[a & 1];
zero:
    return P1IN;
one:
    return P2IN;
}

int main(void)
{
    __auto_type x = P1IN;

    without_interrupts();
    kept = table(x) + (unsigned)((unsigned long long)n * x / (n + 1u));
    __asm__ volatile("mov %0, r12" ::"r"(n) : "r12", "cc");
    return (int)(kept + persistent);
}
