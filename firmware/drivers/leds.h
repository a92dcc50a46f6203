/* The three LEDs. */
#ifndef DRIVERS_LEDS_H
#define DRIVERS_LEDS_H

#include <stdint.h>

enum { LED_RED = 1, LED_GREEN = 2, LED_BLUE = 4, LED_ALL = 7 };

/* LEDS is any sum of the names above. */
void leds_on(uint8_t leds);
void leds_off(uint8_t leds);
void leds_toggle(uint8_t leds);
/* Shows exactly LEDS. */
void leds_set(uint8_t leds);

#endif
