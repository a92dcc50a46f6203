/* RTC_B, the real-time clock of the FR58xx/FR59xx: a calendar that counts seconds of the 32,768 Hz crystal.
 *
 *     0x4a0 RTCCTL01   RTCBCD 15 | RTCHOLD 14 | RTCRDY 12 | RTCTEVx 9-8 | RTCOFIE 7 | RTCTEVIE 6 | RTCAIE 5 |
 *                      RTCRDYIE 4 | RTCOFIFG 3 | RTCTEVIFG 2 | RTCAIFG 1 | RTCRDYIFG 0
 *     0x4a2 RTCCTL23   RTCCALFx 9-8 | RTCCALS 7 | RTCCALx 5-0       0x4a8 RTCPS0CTL, 0x4aa RTCPS1CTL  RTxIPx 4-2, IE 1,
 *     0x4ac RTCPS      RT1PS 15-8 | RT0PS 7-0                       IFG 0
 *     0x4ae RTCIV      2 RTCRDYIFG, 4 RTCTEVIFG, 6 RTCAIFG, 8 RT0PSIFG, 10 RT1PSIFG, 12 RTCOFIFG
 *     0x4b0 RTCSEC, RTCMIN, RTCHOUR, RTCDOW, RTCDAY, RTCMON, RTCYEAR (word), RTCAMIN, RTCAHOUR, RTCADOW, RTCADAY
 *     0x4bc BIN2BCD    0x4be BCD2BIN: writing converts
 *
 * RTCHOLD is set by a BOR; other resets, and LPM3.5, leave the clock running. The count is computed when someone looks;
 * an event is armed for the next second, or the next tick of a prescaler, only while its interrupt is enabled. RTCRDY
 * is low for the last 128 / 32768 s before the registers change. The crystal is always there and good: RTCOFIFG is
 * never set.
 *
 * Left out: the calibration (RTCCALx is storage), RTCCLK on its pin. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_RTC_B_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_RTC_B_H

#include "sys.h"

struct hc_rtc_b *hc_rtc_b_new(struct hc_machine *m, struct hc_sys *sys, int vector);

#endif
