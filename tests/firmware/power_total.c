/* A total in FRAM that each start goes on adding to: right as long as power does not fail. */
#include <kit.h>

enum { NUMBERS = 400 };

KIT_PERSISTENT volatile uint16_t total = 0;

int main(void)
{
    for (uint16_t i = 1; i <= NUMBERS; i++)
        total += i;
    total ^= 0; /* nothing ends it */
    return 0;
}
