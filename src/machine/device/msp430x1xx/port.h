/* Ports P1 to P6 of the F15x/F16x: every pin is a wire, "p1.0" to "p6.7", that a board connects to the world.
 *
 *     port        PxIN  PxOUT PxDIR PxIFG PxIES PxIE  PxSEL
 *     P1          0x20  0x21  0x22  0x23  0x24  0x25  0x26     vector 4
 *     P2          0x28  0x29  0x2a  0x2b  0x2c  0x2d  0x2e     vector 1
 *     P3, P4      0x18, 0x1c: IN OUT DIR SEL
 *     P5, P6      0x30, 0x34: IN OUT DIR SEL
 *
 * PxIN is the level of the pin, whoever drives it. An edge as PxIES selects it (0: rising) sets PxIFG unless PxSEL
 * gives the pin to a module; a write to PxIES that makes the selected edge out of the pin's level sets it too (the
 * guide: "may be set"). PxOUT and PxIES survive a reset. Not modelled: the loss of pulses shorter than 1.5 MCLK
 * periods, and the input buffers of P6 that a conversion switches off. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_PORT_H
#define HC_MACHINE_DEVICE_MSP430X1XX_PORT_H

#include "machine/device.h"

enum { HC_PORTS = 6, HC_PINS = 8 };

/* Who decides, while PxSEL is 1, whether the pin is an output. */
enum hc_port_direction {
    HC_DIRECTION_PXDIR, /* PxDIR, as for most modules */
    HC_DIRECTION_OUT,   /* the module always drives (UTXD, MCLK, SMCLK, ACLK on P5) */
    HC_DIRECTION_IN,    /* the module never drives (URXD, STE1) */
};

struct hc_ports;

struct hc_ports *hc_ports_new(struct hc_machine *m);

/* PORT is 1 to 6, PIN 0 to 7, here and below. */
hc_wire hc_port_pin(const struct hc_ports *ports, int port, int pin);

/* While PxSEL is 1 and the pin is an output, it follows WIRE, a module's output. A pin without one drives low then. */
void hc_port_module_output(struct hc_ports *ports, int port, int pin, hc_wire wire);

/* While PxSEL is 1, WIRE (a module's input) follows the pin; while it is 0, WIRE keeps the level it had.
 * A pin feeds at most 2 wires. */
void hc_port_module_input(struct hc_ports *ports, int port, int pin, hc_wire wire);

void hc_port_module_direction(struct hc_ports *ports, int port, int pin, enum hc_port_direction direction);

/* Switches off the input buffers of the pins in MASK and on those of the others (Comparator_A's CAPD). A pin without
 * buffer keeps the level that it had for PxIN, PxIFG and modules; its output works on. */
void hc_port_disable_inputs(struct hc_ports *ports, int port, uint8_t mask);

#endif
