/* CS, the clock system of the FR58xx/FR59xx: LFXT, HFXT, VLO, DCO and MODOSC, and the three clocks made from them.
 *
 *     0x160 CSCTL0   CSKEY 15-8: 0xa5 in the high byte opens the others, reads 0x96
 *     0x162 CSCTL1   DCORSEL 6 | DCOFSELx 3-1
 *     0x164 CSCTL2   SELAx 10-8 | SELSx 6-4 | SELMx 2-0     0 LFXT, 1 VLO, 2 LFMODCLK, 3 DCO, 4 MODCLK, 5 HFXT
 *     0x166 CSCTL3   DIVAx 10-8 | DIVSx 6-4 | DIVMx 2-0     1, 2, 4, 8, 16, 32
 *     0x168 CSCTL4   HFXTDRIVEx | HFXTBYPASS 12 | HFFREQx 11-10 | HFXTOFF 8 | LFXTDRIVEx | LFXTBYPASS 4 | VLOOFF 3 |
 *                    SMCLKOFF 1 | LFXTOFF 0
 *     0x16a CSCTL5   ENSTFCNT2 7 | ENSTFCNT1 6 | HFXTOFFG 1 | LFXTOFFG 0
 *     0x16c CSCTL6   MODCLKREQEN 3 | SMCLKREQEN 2 | MCLKREQEN 1 | ACLKREQEN 0
 *
 * The word that opens the registers is the one written to CSCTL0; while they are closed, writes to the others do
 * nothing. A wrong password is a PUC. The typical frequencies of the FR5969's datasheet: VLO 9.4 kHz, MODOSC 4.8 MHz,
 * LFMODCLK 1/128 of it, DCO as DCORSEL and DCOFSELx say, exactly.
 *
 * A crystal runs when it is soldered, switched on (or asked for by SELx) and its pins are given to it. It shows a fault
 * until it has run for 1,024 (HFXT: 1,024) periods, at once when the start counter (ENSTFCNTx) is off; the flag is
 * cleared by software and comes back while the fault lasts, and sets OFIFG. While there is a fault its users get
 * LFMODCLK (LFXT) or MODCLK (HFXT).
 *
 * Low-power modes: SCG1 stops SMCLK, OSCOFF stops ACLK. A module that needs a clock for what it has begun keeps it
 * running by hc_cs_request_smclk (SMCLKREQEN).
 *
 * Left out: the wake-up time of the DCO (up to 10 us), drive strengths, HFFREQ, the clocks on pins. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_CS_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_CS_H

#include "digital_io.h"
#include "sys.h"

struct hc_cs;

/* With a 32,768 Hz crystal at LFXT and none at HFXT. */
struct hc_cs *hc_cs_new(struct hc_machine *m, struct hc_sys *sys);

/* What the board has soldered, in Hz; 0: nothing there. Before the machine is reset. */
void hc_cs_set_crystals(struct hc_cs *cs, uint32_t lfxt_hz, uint32_t hfxt_hz);

/* The crystals are at these pins of PORT, as their first function. Until this is called they are always connected. */
void hc_cs_watch_pins(struct hc_cs *cs, struct hc_digital_io *ports, int port, int lfxin, int hfxin);

struct hc_clock *hc_cs_aclk(struct hc_cs *cs);
struct hc_clock *hc_cs_smclk(struct hc_cs *cs);
struct hc_clock *hc_cs_vloclk(struct hc_cs *cs);
struct hc_clock *hc_cs_modclk(struct hc_cs *cs);
struct hc_clock *hc_cs_lfmodclk(struct hc_cs *cs);

/* The part tells it of every change of the low-power mode. */
void hc_cs_mode_changed(struct hc_cs *cs, uint16_t sr, hc_time now);

/* The watchdog's fail-safe clock: what it counts by runs in every low-power mode. */
void hc_cs_keep(struct hc_cs *cs, bool smclk, bool aclk);

/* USER (0 to 15) needs SMCLK in low-power modes, too, until it says that it does not. */
void hc_cs_request_smclk(struct hc_cs *cs, int user, bool request);

#endif
