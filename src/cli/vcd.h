/* Waveforms: every wire of a machine in a VCD file (IEEE 1364), in nanoseconds since power-on.
 *
 * A wire "p1.3" becomes p1_3 in scope p1, "led.red" becomes red in scope led. Wires whose values have names get a
 * second variable of type string, which GTKWave shows as text. */
#ifndef HC_CLI_VCD_H
#define HC_CLI_VCD_H

#include "machine/wire.h"

struct hc_vcd;

/* Writes the header and the present levels, and listens from now on. The machine must be built completely. NULL with
 * errno set when the file cannot be written. */
struct hc_vcd *hc_vcd_open(struct hc_machine *m, const char *path);

/* Ends the file at the machine's time. The machine's wires must not change any more. Returns 0, or an errno of a write
 * that failed. */
int hc_vcd_close(struct hc_vcd *vcd);

#endif
