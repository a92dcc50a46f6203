/* Waveforms: every wire of a machine in a VCD file (IEEE 1364), in nanoseconds since power-on.
 *
 * A wire "p1.3" becomes p1_3 in scope p1, "led.red" becomes red in scope led. Wires whose values have names get a
 * second variable of type string, which GTKWave shows as text. */
#ifndef HC_CLI_VCD_H
#define HC_CLI_VCD_H

#include "machine/wire.h"

#include <stdio.h>

struct hc_vcd;

/* Writes the header and the present levels to FILE, which remains the caller's, and listens from now on. The machine
 * must be complete. Returns NULL on out-of-memory. */
struct hc_vcd *hc_vcd_open(struct hc_machine *m, FILE *file);

/* Ends the file at the machine's time. The machine's wires must not change any more. VCD may be NULL. */
void hc_vcd_close(struct hc_vcd *vcd);

#endif
