#include "drivers/leds.h"

#include <kit.h>

/* Port 5: red 4, green 5, blue 6; lit when low. */
static uint8_t pins(uint8_t leds)
{
    return (uint8_t)((leds & LED_ALL) << 4);
}

void leds_on(uint8_t leds)
{
    P5OUT &= (uint8_t)~pins(leds);
}

void leds_off(uint8_t leds)
{
    P5OUT |= pins(leds);
}

void leds_toggle(uint8_t leds)
{
    P5OUT ^= pins(leds);
}

void leds_set(uint8_t leds)
{
    P5OUT = (uint8_t)((P5OUT | pins(LED_ALL)) & ~pins(leds));
}
