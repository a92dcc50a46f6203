/* A pair 2,501 instructions, but few cycles, apart; the rest of the program is expensive, so that an average over all
 * of it says nothing about that stretch. */
#include <kit.h>

KIT_PERSISTENT volatile uint16_t state = 1, spent[2] = { 1 };

int main(void)
{
    uint16_t before = state;

    __asm__ volatile(".rept 2500\n mov r4, r4\n .endr" ::: "memory");
    state = (uint16_t)(before + 1);
    for (uint16_t i = 0; i < 4000; i++)
        spent[1] = (uint16_t)(spent[0] + spent[1]);
    return 0;
}
