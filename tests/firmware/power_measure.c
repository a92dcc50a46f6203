/* `seen` is read before each measurement and written after it, which does no harm as long as a measurement that is made
 * again after a failure has its value again. */
#include <kit.h>

enum { ROUNDS = 4 };

static volatile uint16_t seen, total[ROUNDS]; /* in FRAM */

__attribute__((noinline)) void checkpoint(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) uint16_t measure(void)
{
    uint16_t value;

    __asm__ volatile("mov #7, %0" : "=r"(value));
    return value;
}

int main(void)
{
    for (uint16_t i = 0; i < ROUNDS; i++) {
        checkpoint();
        (void)seen;
        uint16_t now = measure();
        seen = now;
        total[i] = now;
    }
    return 0;
}
