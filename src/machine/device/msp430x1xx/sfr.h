/* The special function registers of the F1xx family: IE1, IE2, IFG1, IFG2, ME1, ME2 (0x00-0x05).
 *
 * Their bits belong to several modules. A module owns bits, sets and clears its flags through this interface, and is
 * told when software writes an enable or a flag.
 *
 * The non-maskable interrupt (vector 14) has three sources whose enables are all in IE1: NMIIFG and OFIFG of IFG1, and
 * the flash controller's ACCVIFG. This device owns the vector; when the CPU accepts it, NMIIE, OFIE and ACCVIE are
 * cleared (and no flag). Reset: all 0 but UTXIFG0, UTXIFG1 and OFIFG; NMIIFG and WDTIFG survive a PUC. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_SFR_H
#define HC_MACHINE_DEVICE_MSP430X1XX_SFR_H

#include "machine/device.h"

struct hc_dma;

enum hc_sfr_register { HC_IE1, HC_IE2, HC_IFG1, HC_IFG2, HC_ME1, HC_ME2, HC_SFR_REGISTERS };

/* IE1/IFG1 */
enum { HC_WDTIFG = 0x01, HC_OFIFG = 0x02, HC_NMIIFG = 0x10, HC_ACCVIE = 0x20, HC_URXIFG0 = 0x40, HC_UTXIFG0 = 0x80 };
/* IE2/IFG2 */
enum { HC_URXIFG1 = 0x10, HC_UTXIFG1 = 0x20 };
/* ME1: UTXE0 0x80, URXE0/USPIE0 0x40; ME2: UTXE1 0x20, URXE1/USPIE1 0x10 */

struct hc_sfr;

/* Called after software changed any of the owned bits of a register (by an instruction, not by hc_sfr_change). */
typedef void hc_sfr_fn(struct hc_device *owner, enum hc_sfr_register reg, uint8_t value, uint8_t changed);

struct hc_sfr *hc_sfr_new(struct hc_machine *m);

/* OWNER is told of software's writes to MASK bits of REG. Bits that nobody owns are plain storage. */
void hc_sfr_own(struct hc_sfr *sfr, enum hc_sfr_register reg, uint8_t mask, struct hc_device *owner, hc_sfr_fn *call);

uint8_t hc_sfr_get(const struct hc_sfr *sfr, enum hc_sfr_register reg);
/* Sets and clears bits from the hardware side; no owner is told. An NMI is requested or withdrawn as they say. */
void hc_sfr_change(struct hc_sfr *sfr, enum hc_sfr_register reg, uint8_t set, uint8_t clear);

/* ACCVIFG (FCTL3), the third source of the NMI. */
void hc_sfr_access_violation(struct hc_sfr *sfr, bool flag);

/* DMA is told of each NMI request (ENNMI). */
void hc_sfr_connect_dma(struct hc_sfr *sfr, struct hc_dma *dma);

#endif
