/* eUSCI_A and eUSCI_B of the FRAM families: UART and SPI (A), SPI and I2C (B).
 *
 *                eUSCI_A                                eUSCI_B
 *     + 0x00     UCAxCTLW0                              UCBxCTLW0
 *     + 0x02     UCAxCTLW1                              UCBxCTLW1
 *     + 0x06     UCAxBRW                                UCBxBRW
 *     + 0x08     UCAxMCTLW                              UCBxSTATW
 *     + 0x0a     UCAxSTATW                              UCBxTBCNT
 *     + 0x0c     UCAxRXBUF                              UCBxRXBUF
 *     + 0x0e     UCAxTXBUF                              UCBxTXBUF
 *     + 0x10     UCAxABCTL, UCAxIRCTL                   + 0x14 UCBxI2COA0-3, ADDRX, ADDMASK, + 0x20 UCBxI2CSA
 *     + 0x1a     UCAxIE, UCAxIFG, UCAxIV                + 0x2a UCBxIE, UCBxIFG, UCBxIV
 *
 * UART: a character has its exact length in BRCLK cycles: UCBRx + modulation (UCOS16 = 0) or 16 UCBRx + UCBRFx +
 * modulation, where bit n of a frame, the start bit being 0, is longer by bit 7 - n mod 8 of UCBRSx. It is whole: pins
 * do not move. Address bits, idle lines, errors and breaks are as in usart.h, whose frame bits the host's end shares.
 *
 * SPI: 3-pin master; a character is exchanged with the bus at its end. Clock phase and polarity choose no edges.
 *
 * I2C: the master of one bus, 7 and 10-bit addresses, byte counter with automatic STOP. While it waits for software,
 * SCL is held (UCSCLLOW).
 *
 * What has begun keeps SMCLK running in low-power modes. UCSWRST clears the flags, enables and errors as the guide
 * says.
 *
 * Left out, and noted when asked for: SPI slaves and 4-pin masters, I2C slaves and multi-master arbitration (UCMM works
 * as a single master), slaves that stretch the clock, clock low time-out, automatic baud rate detection, IrDA, and
 * UCTXBRK. */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_EUSCI_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_EUSCI_H

#include "cs.h"
#include "machine/device/bus/i2c.h"
#include "machine/device/bus/spi.h"
#include "machine/device/msp430/dma_trigger.h"
#include "machine/device/msp430x1xx/usart.h"

struct hc_eusci;

struct hc_eusci_config {
    const char *name;
    uint32_t base;
    bool is_b;
    int vector;
    struct hc_cs *cs;
    int request; /* user number for hc_cs_request_smclk */
    struct hc_dma *dma;
    enum hc_dma_trigger dma_rx, dma_tx;
};

struct hc_eusci *hc_eusci_new(struct hc_machine *m, const struct hc_eusci_config *config);

/* ---- UART: the host's end of the line; as in usart.h ---- */

void hc_eusci_on_transmit(struct hc_eusci *u, hc_usart_transmit_fn *call, void *owner);
bool hc_eusci_receive(struct hc_eusci *u, uint16_t frame);
int hc_eusci_waiting(const struct hc_eusci *u);
uint32_t hc_eusci_rate(struct hc_eusci *u);

/* ---- SPI and I2C ---- */

void hc_eusci_connect_spi(struct hc_eusci *u, struct hc_spi_bus *bus);
void hc_eusci_connect_i2c(struct hc_eusci *u, struct hc_i2c_bus *bus);

#endif
