/* Comparator_A of the F1xx family.
 *
 *     0x59 CACTL1   CAEX | CARSEL | CAREF 5:4 | CAON | CAIES | CAIE | CAIFG
 *     0x5a CACTL2   7:4 (storage) | P2CA1 | P2CA0 | CAF | CAOUT
 *     0x5b CAPD
 *
 * Line 0 is the reference when CARSEL is 0 and CAREF is not, else pin CA0 if P2CA0 connects it; line 1 is the same with
 * CARSEL 1 and CA1. CAEX swaps the lines at the comparator and inverts its output. A line that nothing is connected to
 * has 0 V. CAOUT is 0 while CAON is 0.
 *
 *     CAREF   1: 0.25 VCC   2: 0.5 VCC   3: a diode's threshold, 0.55 V
 *
 * An edge of CAOUT (CAIES 0: rising) sets CAIFG, which accepting the interrupt clears; so does a change of CAIES that
 * looks like one. CAF delays the output by 1.9 us and swallows what is shorter. Only a POR resets the registers.
 * Not modelled: offset voltage, and the response time without filter. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_COMPARATOR_A_H
#define HC_MACHINE_DEVICE_MSP430X1XX_COMPARATOR_A_H

#include "machine/device.h"

struct hc_comparator_a;
struct hc_ports;

/* VCC: a wide wire in microvolts, or HC_NO_WIRE for 3 V. VECTOR: 11 on the F1611. Makes the wide wires
 * "comparator_a.ca0" and "comparator_a.ca1" (microvolts at the pins, for whoever plays the analog world), and "caout".
 */
struct hc_comparator_a *hc_comparator_a_new(struct hc_machine *m, hc_wire vcc, int vector);

/* INPUT is 0 or 1. */
hc_wire hc_comparator_a_input(const struct hc_comparator_a *ca, int input);
hc_wire hc_comparator_a_output(const struct hc_comparator_a *ca);

/* CAPD switches off the input buffers of the pins in MASK of PORT (all of P2 on the F1611). */
void hc_comparator_a_connect_port(struct hc_comparator_a *ca, struct hc_ports *ports, int port, uint8_t mask);

#endif
