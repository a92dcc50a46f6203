/* Digital I/O of the FRAM families: ports P1 to P4 (FR5969) or P1 to P8 (FR5994), with interrupts, and PJ without.
 * Every pin is a wire, "p1.0" to "p8.7" and "pj.0" to "pj.7", that a board connects to the world.
 *
 *     base: P1 0x200 (low bytes), P2 0x201 (high bytes), P3 0x220, P4 0x221 ... P7 0x260, P8 0x261, PJ 0x320
 *     + 0x00 PxIN   + 0x02 PxOUT   + 0x04 PxDIR   + 0x06 PxREN   + 0x0a PxSEL0   + 0x0c PxSEL1   + 0x16 PxSELC
 *     + 0x18 PxIES  + 0x1a PxIE    + 0x1c PxIFG   P1IV, P3IV ... + 0x0e   P2IV, P4IV ... + 0x1e (words)
 *
 * PxSEL1, PxSEL0 = 01, 10, 11 give the pin to its first, second or third module. Writing ones to PxSELC flips both bits
 * at once. PxREN switches on a pull-up (PxOUT = 1) or pull-down while the pin is an input. An edge as PxIES selects it
 * (0: rising) sets PxIFG, also while a module has the pin; a write to PxIES or, with PxREN, PxOUT may set it too. PxIV
 * names the lowest flagged pin (2, 4, ... 16), and reading or writing it clears its flag. The resets clear all but
 * PxOUT and PxIES (unknown after power-on: zero here). After a BOR the pins stay inputs until LOCKLPM5 is cleared; from
 * LPMx.5 until then they stay as they were, and the flags that woke the part are kept.
 *
 * The registers PxDS of TI's draft header do not exist. Left out: analog functions do not switch off input buffers. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_DIGITAL_IO_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_DIGITAL_IO_H

#include "pmm.h"

enum { HC_IO_P1, HC_IO_P2, HC_IO_P3, HC_IO_P4, HC_IO_P5, HC_IO_P6, HC_IO_P7, HC_IO_P8, HC_IO_PJ, HC_IO_PORTS };

struct hc_digital_io;

/* PORTS beside PJ, an even number; VECTORS: of each. */
struct hc_digital_io *hc_digital_io_new(struct hc_machine *m, struct hc_pmm *pmm, const int *vectors, int ports);

/* PORT is one of HC_IO_*, PIN 0 to 7, here and below. */
hc_wire hc_digital_io_pin(const struct hc_digital_io *io, int port, int pin);

/* While PxSELx has FUNCTION (1 to 3) and PxDIR is 1, the pin follows WIRE, a module's output. ALWAYS: whatever PxDIR
 * says, as the serial modules do. A pin without an output drives low then. */
void hc_digital_io_output(struct hc_digital_io *io, int port, int pin, int function, hc_wire wire, bool always);

/* While PxSELx has FUNCTION, WIRE (a module's input) follows the pin; while not, it keeps the level that it had. */
void hc_digital_io_input(struct hc_digital_io *io, int port, int pin, int function, hc_wire wire);

/* The module that has the pin: 0 to 3. CALL is told of every change in PORT. */
int hc_digital_io_function(const struct hc_digital_io *io, int port, int pin);
typedef void hc_digital_io_fn(void *owner);
void hc_digital_io_on_select(struct hc_digital_io *io, int port, hc_digital_io_fn *call, void *owner);

#endif
