/* Calls what power_scopes.S has. */
#include <kit.h>

uint16_t pass(void), turns(void);

volatile uint16_t result;
volatile uint16_t finished;

int main(void)
{
    result = pass() + turns();
    finished = 0xd09e;
    return 0;
}
