/* DMA writes a word that was read before: executed again, the program reads what DMA wrote. */
#include <kit.h>

enum { SINGLE_WORD_BY_SOFTWARE = 0x0f11 };

volatile uint16_t given = 1, taken, next = 7;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("");
}

int main(void)
{
    checkpoint();
    taken = given;
    DMACTL0 = 0;
    DMA0SA = (uintptr_t)&next;
    DMA0DA = (uintptr_t)&given;
    DMA0SZ = 1;
    DMA0CTL = SINGLE_WORD_BY_SOFTWARE;
    __asm__ volatile("nop\n\tnop\n\tnop\n\tnop");
    checkpoint();
    return (int)taken;
}
