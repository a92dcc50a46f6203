/* Figure 1 of ScEpTIC's paper: a is read after the checkpoint and then written; executed again, it is incremented
 * twice. The fix: a checkpoint between the read and the write. */
#include "figure.h"

volatile uint16_t a = 1;
volatile uint16_t b;

int main(void)
{
    checkpoint();
    uint16_t next = (uint16_t)(a + 1);
#ifdef FIX
    checkpoint();
#endif
    a = next;
    b = a;
    checkpoint();
    return 0;
}
