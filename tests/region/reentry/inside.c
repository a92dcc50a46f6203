#include "reentry.h"

unsigned total, arrivals;
uint8_t order[16];

unsigned sum_to(unsigned n)
{
    unsigned here = n;

    if (!n)
        return leaf(&here) + here;
    return sum_to(n - 1) + here + shared;
}

unsigned apply(operation *call, unsigned value)
{
    total += call(value);
    return total;
}

unsigned twice(unsigned value)
{
    total ^= value;
    return 2 * value + shared;
}

void arrived(unsigned number)
{
    order[arrivals++ % sizeof order] = (uint8_t)number;
    total += order[number % sizeof order];
    if (number & 1)
        notify(arrivals);
}
