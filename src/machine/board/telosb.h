/* The TelosB, also known as Tmote Sky: an MSP430F1611 with radio, flash and sensors, as its schematic connects them.
 *
 *     radio CC2420    SPI of USART0: P3.1 SIMO, P3.2 SOMI, P3.3 UCLK; CSn P4.2, VREG_EN P4.5, RESETn P4.6;
 *                     FIFOP P1.0, FIFO P1.3, CCA P1.4, SFD P4.1 (capture input of Timer_B)
 *     flash M25P80    the same SPI; S P4.4, HOLD P4.7 (W tied high)
 *     serial number   DS2411 at P2.4
 *     climate         SHT11: DATA P1.5, SCK P1.6, supply P1.7
 *     light           S1087 at A4, S1087-01 at A5
 *     LEDs            red P5.4, green P5.5, blue P5.6, lit when low
 *     buttons         user P2.7, reset RST/NMI
 *     USB             UART of USART1: P3.6, P3.7
 *     clocks          32,768 Hz crystal at LFXT1; 100 kOhm at Rosc, which TinyOS runs the DCO with */
#ifndef HC_BOARD_TELOSB_H
#define HC_BOARD_TELOSB_H

#include "machine/device/chip/button.h"
#include "machine/device/chip/cc2420.h"
#include "machine/device/chip/ds2411.h"
#include "machine/device/chip/led.h"
#include "machine/device/chip/light_sensor.h"
#include "machine/device/chip/m25p80.h"
#include "machine/device/chip/sht11.h"
#include "msp430f1611.h"

struct hc_telosb_config {
    uint16_t node_id;
    uint64_t serial; /* 48 bits, for the DS2411; 0: made from the node's id */
    uint64_t seed;   /* of whatever is random: radio noise, torn flash writes */

    /* What the sensors see; NULL: a room. Functions of time alone, so that runs repeat and clones agree. */
    hc_sht11_source_fn *climate;
    hc_light_source_fn *light;
    void *world; /* the owner that both are called with */
};

enum { HC_TELOSB_RED, HC_TELOSB_GREEN, HC_TELOSB_BLUE, HC_TELOSB_LEDS };

struct hc_telosb {
    struct hc_machine *machine;
    struct hc_msp430f1611 chip;
    struct hc_usart *uart; /* to the host */
    struct hc_cc2420 *radio;
    struct hc_m25p80 *flash;
    struct hc_ds2411 *serial_number;
    struct hc_sht11 *climate;
    struct hc_light_sensor *visible_light, *total_light;
    struct hc_led *led[HC_TELOSB_LEDS];
    struct hc_button *user_button, *reset_button;
    struct hc_telosb_config config;
    struct hc_code_store *store;
};

/* CONFIG is copied; NULL: all zero. STORE may be NULL. The board is unpowered: load an image by hc_poke, then
 * hc_machine_reset(board->machine, HC_POR). NULL when memory is exhausted. */
struct hc_telosb *hc_telosb_new(const struct hc_telosb_config *config, struct hc_code_store *store);
void hc_telosb_free(struct hc_telosb *board);

/* Another board in the same state. Hooks and the listeners of the UART, the radio's medium among them, stay behind.
 * Some tens of microseconds. NULL when memory is exhausted. */
struct hc_telosb *hc_telosb_clone(const struct hc_telosb *board);

#endif
