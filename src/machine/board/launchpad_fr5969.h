/* A board around the FR5969 or the FR5994, wired as TI's MSP-EXP430FR5969 and MSP-EXP430FR5994: two LEDs, two buttons,
 * the UART to the host, a watch crystal.
 *
 *     P4.6  LED 1, red    P4.5  button S1     P2.0, P2.1  eUSCI_A0's UART to the host
 *     P1.0  LED 2, green  P1.1  button S2     PJ.4, PJ.5  32,768 Hz crystal
 *
 * With the FR5994: LED 1 at P1.0, LED 2 at P1.1, S1 at P5.6, S2 at P5.5; the rest as above.
 *
 * eUSCI_B0 has an SPI and an I2C bus with nothing on them: tests and clients attach what they like. */
#ifndef HC_BOARD_LAUNCHPAD_FR5969_H
#define HC_BOARD_LAUNCHPAD_FR5969_H

#include "machine/device/chip/button.h"
#include "machine/device/chip/led.h"
#include "msp430fr5969.h"

enum { HC_LAUNCHPAD_RED, HC_LAUNCHPAD_GREEN, HC_LAUNCHPAD_LEDS };

struct hc_launchpad {
    struct hc_machine *machine;
    struct hc_msp430fr5969 chip;
    struct hc_eusci *uart; /* to the host */
    struct hc_spi_bus *spi;
    struct hc_i2c_bus *i2c;
    struct hc_led *led[HC_LAUNCHPAD_LEDS];
    struct hc_button *button[2], *reset_button;
};

/* STORE may be NULL. The board is unpowered: load an image by hc_poke, then hc_machine_reset(board->machine, HC_POR).
 * NULL when memory is exhausted. */
struct hc_launchpad *hc_launchpad_new(struct hc_code_store *store);
/* The same with PART, hc_msp430fr5969_part or hc_msp430fr5994_part. */
struct hc_launchpad *hc_launchpad_new_part(const struct hc_part *part, struct hc_code_store *store);
void hc_launchpad_free(struct hc_launchpad *board);

/* The part of that name; NULL: there is no such board. */
const struct hc_part *hc_launchpad_part(const char *name);

#endif
