/* Figure 4 of ScEpTIC's paper: a block is used after the checkpoint and then freed; executed again, the use meets a
 * block that is nobody's. The heap is in FRAM. The fix: a checkpoint between the use and the free. */
#include "figure.h"

volatile uint16_t x;

int main(void)
{
    volatile uint16_t *p = malloc(4);
    *p = 3;
    checkpoint();
    x = *p;
#ifdef FIX
    checkpoint();
#endif
    free((void *)p);
    checkpoint();
    return 0;
}
