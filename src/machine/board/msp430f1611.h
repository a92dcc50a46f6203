/* The MSP430F1611: memory, all on-chip peripherals, and the pins to which their functions lead (TI SLAS368).
 *
 *     0x0000-0x01ff  peripherals                      0x1100-0x38ff  RAM, 10 KB
 *     0x0200-0x09ff  mirror of 0x1100-0x18ff          0x4000-0xffff  flash, 48 KB
 *     0x0c00-0x0fff  boot loader ROM                  0x1000-0x10ff  information flash
 *
 * The boot loader's code is TI's and not here: the ROM has the entry vector at 0x0c00 and the chip's id at 0x0ff0, and
 * whoever calls it is stopped with a fault. */
#ifndef HC_BOARD_MSP430F1611_H
#define HC_BOARD_MSP430F1611_H

#include "machine/device/msp430/dma.h"
#include "machine/device/msp430/timer.h"
#include "machine/device/msp430x1xx/adc12.h"
#include "machine/device/msp430x1xx/basic_clock.h"
#include "machine/device/msp430x1xx/comparator_a.h"
#include "machine/device/msp430x1xx/dac12.h"
#include "machine/device/msp430x1xx/flash_controller.h"
#include "machine/device/msp430x1xx/multiplier.h"
#include "machine/device/msp430x1xx/port.h"
#include "machine/device/msp430x1xx/svs.h"
#include "machine/device/msp430x1xx/usart.h"
#include "machine/device/msp430x1xx/watchdog.h"

extern const struct hc_part hc_msp430f1611_part;

struct hc_msp430f1611 {
    struct hc_machine *machine; /* owns all the others */
    struct hc_sfr *sfr;
    struct hc_basic_clock *clock;
    struct hc_watchdog *watchdog;
    struct hc_dma *dma;
    struct hc_ports *ports;
    struct hc_timer *timer_a, *timer_b;
    struct hc_usart *usart0, *usart1;
    struct hc_adc12 *adc12;
    struct hc_dac12 *dac12;
    struct hc_comparator_a *comparator_a;
    struct hc_svs *svs;
    struct hc_flash_controller *flash;
    struct hc_multiplier *multiplier;
    hc_wire supply; /* "vcc", in microvolts: 3 V until it is set */
};

/* Builds the machine and all in it. STORE may be NULL. -1 when memory is exhausted. */
int hc_msp430f1611_new(struct hc_msp430f1611 *chip, struct hc_code_store *store);

#endif
