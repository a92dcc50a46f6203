/* Functions whose paths are recorded run before the C start-up code has set memory up, and again afterwards. */
#include <kit.h>

#include "hindcast.h"
#include "messages.h"

volatile uint16_t finished, seen;

__attribute__((noinline)) static uint16_t choose(uint16_t n)
{
    if (n & 1)
        return n * 3;
    return n + 1;
}

void kit_reset_hook(void)
{
    for (uint16_t i = 0; i < 3; i++)
        seen = choose(i);
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    for (uint16_t i = 0; i < 200; i++) {
        seen = choose(i);
        if (i == 100)
            hc_message_send(1, 2);
        hc_update();
    }
    hc_checkpoint();
    for (uint8_t i = 0; i < 20; i++)
        hc_update();
    finished = 0xd09e;
    for (;;)
        hc_update();
}
