/* What C leaves undefined, the node does anyway, and AddressSanitizer does not see. */
#include "planted.h"

static int total;
static struct {
    int first[4], second[4];
} own;

int planted_sum(int by)
{
    total = total + by; /* overflows */
    return total;
}

uint32_t planted_shift(uint32_t value, unsigned by)
{
    return value << by; /* shifts too far */
}

int planted_index(unsigned at, int value)
{
    own.first[at] = value; /* is outside */
    return own.second[0] + own.first[1];
}

int planted_pointer(const uint32_t *at)
{
    return *at != 0; /* is null */
}

int planted_division(int value, int by)
{
    return value / by; /* is by zero */
}
