/* A counter, and a checkpoint after each step: in FRAM, a step that is executed again counts twice. */
#include "sample.h"

enum { STEPS = 10 };

volatile uint16_t steps;

int main(void)
{
    for (uint16_t i = 0; i < STEPS; i++) {
        steps++;
        checkpoint();
    }
    return (int)steps;
}
