/* Sleeps in the middle, and nothing ever wakes it. */
#include <kit.h>

static volatile uint16_t x; /* in FRAM */

int main(void)
{
    x++;
    kit_sleep(CPUOFF);
    x++;
    return 0;
}
