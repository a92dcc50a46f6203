/* SYS and the special function registers of the FRAM families: why the last reset came, and the non-maskable
 * interrupts.
 *
 *     0x100 SFRIE1    JMBOUTIE 7 | JMBINIE 6 | NMIIE 4 | VMAIE 3 | OFIE 1 | WDTIE 0
 *     0x102 SFRIFG1   the flags of these
 *     0x104 SFRRPCR   SYSRSTRE 3 | SYSRSTUP 2 | SYSNMIIES 1 | SYSNMI 0
 *     0x180 SYSCTL, 0x186 SYSJMBC, 0x188-0x18f the JTAG mailbox
 *     0x19a SYSUNIV   0x19c SYSSNIV   0x19e SYSRSTIV
 *
 * A reset whose cause no module has named is a power-on: a BOR. Causes add up until SYSRSTIV is read (the most
 * important first, one a read) or all are cleared by a write; only the loss of supply forgets them.
 *
 * Makes the wire "rst_nmi", which rests high. As RST (SYSNMI = 0) a low level is a BOR and holds the CPU until it
 * rises.
 *
 * Left out: the mailbox (no debugger writes to it: its registers are storage), SYSRIVECT (vectors in RAM: noted),
 * VMAIFG (accesses to vacant memory are faults of the machine), SYSBSLC. The hardware blocks an NMI until the RETI of
 * one that is under way; here a request is withdrawn when it is accepted and made again when a flag is set anew. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_SYS_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_SYS_H

#include "machine/device.h"

struct hc_sys;

/* SFRIE1, SFRIFG1 */
enum { HC_SYS_WDT = 0x01, HC_SYS_OF = 0x02, HC_SYS_VMA = 0x08, HC_SYS_NMI = 0x10 };

/* SYSRSTIV, by falling importance: what HC_SYS_DOPOR and all before it name is a POR at least, the rest a PUC. */
enum hc_sys_cause {
    HC_SYS_BOR = 0x02,
    HC_SYS_RSTNMI = 0x04,
    HC_SYS_DOBOR = 0x06,
    HC_SYS_LPM5WU = 0x08,
    HC_SYS_SVSH = 0x0e,
    HC_SYS_DOPOR = 0x14,
    HC_SYS_WDTTO = 0x16,
    HC_SYS_WDTKEY = 0x18,
    HC_SYS_FRCTLPW = 0x1a,
    HC_SYS_UBD = 0x1c,
    HC_SYS_PMMPW = 0x20,
    HC_SYS_MPUPW = 0x22,
    HC_SYS_CSPW = 0x24,
    HC_SYS_MPUSEG1 = 0x2a,
    HC_SYS_MPUSEG2 = 0x2c,
    HC_SYS_MPUSEG3 = 0x2e,
    HC_SYS_ACCTE = 0x30,
};

/* SYSSNIV: sources of the system NMI that live in other modules. */
enum hc_sys_snmi {
    HC_SNMI_UBD = 0x04,
    HC_SNMI_MPUSEG1 = 0x0c,
    HC_SNMI_MPUSEG2 = 0x0e,
    HC_SNMI_MPUSEG3 = 0x10,
    HC_SNMI_CBD = 0x18,
    HC_SNMI_END = 0x1a,
};

/* The part attaches this device first: the others ask it in their resets. */
struct hc_sys *hc_sys_new(struct hc_machine *m);

/* ---- resets ---- */

/* Notes the cause and requests the reset that goes with it. */
void hc_sys_reset(struct hc_sys *sys, enum hc_sys_cause cause);

/* In a module's reset: the one under way is a BOR. */
bool hc_sys_is_bor(const struct hc_sys *sys);

/* ---- LPMx.5: the core is without supply, ports and RTC wait for what wakes it ---- */

/* All modules are reset, the CPU sleeps until hc_sys_wake, which is a BOR, or another BOR. */
void hc_sys_switch_off(struct hc_sys *sys);
bool hc_sys_is_off(const struct hc_sys *sys);
/* Nothing happens unless it is off. */
void hc_sys_wake(struct hc_sys *sys);
/* In a module's reset: the one under way wakes it. */
bool hc_sys_is_waking(const struct hc_sys *sys);

/* ---- flags and enables of SFRIFG1, SFRIE1 ---- */

/* Called after software, or an SYSxxIV read, changed the owned bit of either register. */
typedef void hc_sys_fn(struct hc_device *owner);
void hc_sys_own(struct hc_sys *sys, uint16_t bit, struct hc_device *owner, hc_sys_fn *call);

bool hc_sys_flag(const struct hc_sys *sys, uint16_t bit);
bool hc_sys_enabled(const struct hc_sys *sys, uint16_t bit);
/* From the hardware side; no owner is told. */
void hc_sys_set_flag(struct hc_sys *sys, uint16_t bit, bool flag);

/* ---- the system NMI ---- */

/* SOURCE is told to clear its flag when SYSSNIV is read. */
typedef void hc_sys_clear_fn(struct hc_device *source, enum hc_sys_snmi number);
void hc_sys_snmi_source(struct hc_sys *sys, enum hc_sys_snmi number, struct hc_device *source, hc_sys_clear_fn *clear);

/* Flag AND enable of NUMBER. */
void hc_sys_snmi(struct hc_sys *sys, enum hc_sys_snmi number, bool request);

#endif
