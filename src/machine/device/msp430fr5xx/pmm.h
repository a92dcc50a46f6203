/* PMM, the power management module of the FR58xx/FR59xx: resets by software, and the lock of the pins.
 *
 *     0x120 PMMCTL0   PMMPW 15-8: 0xa5 in the high byte, reads 0x96 | SVSHE 6 | PMMREGOFF 4 | PMMSWPOR 3 | PMMSWBOR 2
 *     0x12a PMMIFG    PMMLPM5IFG 15 | SVSHIFG 13 | PMMPORIFG 10 | PMMRSTIFG 9 | PMMBORIFG 8
 *     0x130 PM5CTL0   LOCKLPM5 0
 *
 * The password in the high byte of PMMCTL0 opens the module: a word with a wrong one is a PUC; another value in the
 * high byte alone closes it. PMMIFG needs it open as well, PM5CTL0 does not. LOCKLPM5 is set by a BOR: the pins stay as
 * the ports' reset leaves them, inputs, until software clears it.
 *
 * LPM3 or LPM4 with PMMREGOFF is LPM3.5 or LPM4.5: SRAM, the CPU's registers and all modules lose their contents, but
 * for the ports, which hold their pins and wait for the edges that were enabled, and the RTC, which counts on. What
 * wakes it is a BOR with LPM5WU in SYSRSTIV and PMMLPM5IFG set; the pins are held until LOCKLPM5 is cleared.
 *
 * Left out: the SVS never trips, as the supply is either there or not (hc_machine_power_off); the RTC counts on whether
 * its crystal runs or not. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_PMM_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_PMM_H

#include "sys.h"

struct hc_pmm;

struct hc_pmm *hc_pmm_new(struct hc_machine *m, struct hc_sys *sys);

/* The part tells it of every change of the low-power mode. */
void hc_pmm_mode_changed(struct hc_pmm *pmm, uint16_t sr);
struct hc_sys *hc_pmm_sys(const struct hc_pmm *pmm);

/* LOCKLPM5. CALL is told when it changes. */
bool hc_pmm_is_locked(const struct hc_pmm *pmm);
typedef void hc_pmm_lock_fn(void *owner, bool locked);
void hc_pmm_on_lock(struct hc_pmm *pmm, hc_pmm_lock_fn *call, void *owner);

#endif
