/* The MSP430FR5969 and the larger MSP430FR5994: memory, on-chip peripherals, and the pins to which their functions lead
 * (TI SLAS704, SLASE54, SLAU367).
 *
 * MSP430FR5969:
 *     0x00000-0x00fff  peripherals                     0x01c00-0x023ff  SRAM, 2 KB
 *     0x01000-0x017ff  boot loader ROM                 0x04400-0x13fff  FRAM, 63 KB; 0x0ff80-0x0ffff the vectors
 *     0x01800-0x019ff  information FRAM                0x01a00-0x01aff  device descriptors (TLV)
 *
 * MSP430FR5994, where it differs:
 *     0x01c00-0x03bff  SRAM, 8 KB                      0x04000-0x43fff  FRAM, 256 KB
 *     P5 to P8, TA4, eUSCI_A2, eUSCI_A3, eUSCI_B1 to eUSCI_B3
 *
 * Not there, and noted when touched as unknown registers: COMP_E, AES256, CapTouch I/O. Of the FR5994 also: the LEA
 * (the upper 4 KB of SRAM, which it shares, are memory of the CPU alone), the 22 bytes of tiny RAM, CRC32, RTC_C, DMA
 * channels 3 to 5 with their triggers, functions of pins that the FR5969 does not have. The boot loader's code is TI's
 * and not here: whoever calls it is stopped with a fault. The descriptors hold the device id and ideal calibration
 * values. */
#ifndef HC_BOARD_MSP430FR5969_H
#define HC_BOARD_MSP430FR5969_H

#include "machine/device/msp430/dma.h"
#include "machine/device/msp430/timer.h"
#include "machine/device/msp430fr5xx/adc12_b.h"
#include "machine/device/msp430fr5xx/crc16.h"
#include "machine/device/msp430fr5xx/cs.h"
#include "machine/device/msp430fr5xx/digital_io.h"
#include "machine/device/msp430fr5xx/eusci.h"
#include "machine/device/msp430fr5xx/fram_controller.h"
#include "machine/device/msp430fr5xx/mpu.h"
#include "machine/device/msp430fr5xx/mpy32.h"
#include "machine/device/msp430fr5xx/pmm.h"
#include "machine/device/msp430fr5xx/ref_a.h"
#include "machine/device/msp430fr5xx/rtc_b.h"
#include "machine/device/msp430fr5xx/sys.h"
#include "machine/device/msp430fr5xx/wdt_a.h"

extern const struct hc_part hc_msp430fr5969_part, hc_msp430fr5994_part;

enum { HC_FR59XX_TIMERS_A = 5, HC_FR59XX_MORE_SERIAL = 5 };

struct hc_msp430fr5969 {
    struct hc_machine *machine; /* owns all the others */
    struct hc_sys *sys;
    struct hc_cs *cs;
    struct hc_pmm *pmm;
    struct hc_fram_controller *fram;
    struct hc_mpu *mpu;
    struct hc_wdt_a *watchdog;
    struct hc_digital_io *ports;
    struct hc_dma *dma;
    struct hc_timer *timer_a[HC_FR59XX_TIMERS_A], *timer_b; /* TA4: NULL on the FR5969 */
    struct hc_eusci *eusci_a0, *eusci_a1, *eusci_b0;
    struct hc_eusci *more_serial[HC_FR59XX_MORE_SERIAL]; /* A2, A3, B1, B2, B3; NULL on the FR5969 */
    struct hc_mpy32 *mpy32;
    struct hc_crc16 *crc16;
    struct hc_rtc_b *rtc; /* NULL on the FR5994 */
    struct hc_ref_a *ref;
    struct hc_adc12_b *adc12;
    hc_wire supply; /* "vcc", in microvolts: 3 V until it is set */
    struct hc_msp430fr5969_link {
        struct hc_machine *machine;
        hc_wire to;
        int driver;
    } ta2_to_ta3, ta3_to_ta2; /* outputs 0 to inputs CCI0A */
};

/* Builds the machine and all in it, as PART (one of those above) has them. STORE may be NULL. -1 when memory is
 * exhausted. */
int hc_msp430fr5969_new(struct hc_msp430fr5969 *chip, const struct hc_part *part, struct hc_code_store *store);

#endif
