/* Each value is measured before a checkpoint and used behind it: for a sum, which is meant to be of old values, too,
 * and to decide whether there is an alarm. */
#include "sample.h"

enum { VALUES = 5, LIMIT = 40 };

volatile uint16_t value, sum, alarms;

__attribute__((noinline)) uint16_t measure(void)
{
    return unknown(11);
}

int main(void)
{
    for (uint16_t i = 0; i < VALUES; i++) {
        value = measure();
        checkpoint();
        sum += value;
        if (sum > LIMIT)
            alarms = i;
    }
    return (int)sum;
}
