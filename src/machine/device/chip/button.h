/* A push button that pulls a wire low while it is pressed. */
#ifndef HC_MACHINE_DEVICE_CHIP_BUTTON_H
#define HC_MACHINE_DEVICE_CHIP_BUTTON_H

#include "machine/device.h"

struct hc_button;

/* Gives WIRE a pull-up. */
struct hc_button *hc_button_new(struct hc_machine *m, const char *name, hc_wire wire);

/* Now. */
void hc_button_press(struct hc_button *b);
void hc_button_release(struct hc_button *b);

/* Pressed at AT (not before now) for LENGTH. A later call replaces a click that has not begun. */
void hc_button_click(struct hc_button *b, hc_time at, hc_time length);

#endif
