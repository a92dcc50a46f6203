/* A light-emitting diode on a pin: the wire "led.NAME" is 1 while it shines. */
#ifndef HC_MACHINE_DEVICE_CHIP_LED_H
#define HC_MACHINE_DEVICE_CHIP_LED_H

#include "machine/device.h"

struct hc_led;

/* NAME without "led."; must outlive the machine. LIT_LEVEL: the pin's level that makes it shine; the pin rests at the
 * other one. */
struct hc_led *hc_led_new(struct hc_machine *m, const char *name, hc_wire pin, int lit_level);

hc_wire hc_led_wire(const struct hc_led *led);
const char *hc_led_name(const struct hc_led *led);
bool hc_led_is_on(const struct hc_led *led);

/* Since power-on: time lit until now, and how often it was switched on. */
hc_time hc_led_on_time(const struct hc_led *led);
uint64_t hc_led_switched_on(const struct hc_led *led);

#endif
