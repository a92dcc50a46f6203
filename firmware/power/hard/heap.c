/* A block that is allocated, used and freed in one window: after a failure it is allocated again before it is used, so
 * that neither its use nor its end is an anomaly. What remains is the allocation itself, which may leak a block. */
#include "../figures/figure.h"

volatile uint16_t x;

int main(void)
{
    checkpoint();
    volatile uint16_t *p = malloc(4);
    *p = 3;
    x = *p;
    free((void *)p);
    checkpoint();
    return 0;
}
