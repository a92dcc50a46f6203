/* Blocks of a heap in FRAM: one that is used across a checkpoint and then freed, one that lives within a window. */
#include <kit.h>

volatile uint16_t result;
volatile uint16_t finished;

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("nop");
}

static __attribute__((noinline)) void across(void)
{
    volatile uint16_t *block = malloc(8);
    block[0] = 1;
    checkpoint();
    result = (uint16_t)(result + block[0]);
    free((void *)block);
}

static __attribute__((noinline)) void within(void)
{
    volatile uint16_t *block = malloc(6);
    block[1] = 2;
    result = (uint16_t)(result + block[1]);
    free((void *)block);
}

int main(void)
{
    across();
    checkpoint();
    within();
    if (finished) /* never: for programs that a test writes in place of main, which call them */
        free(realloc(calloc(1, 2), 4));
    finished = 0xd09e;
    return 0;
}
