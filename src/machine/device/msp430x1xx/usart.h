/* USART0 and USART1 of the F15x/F16x: UART and SPI, and in USART0 the I2C module (usart_i2c.h).
 *
 *     +0 UxCTL   PENA PEV SPB CHAR LISTEN SYNC MM SWRST        +4 UxBR0     baud rate, low
 *     +1 UxTCTL  CKPH CKPL SSEL1 SSEL0 URXSE TXWAKE STC TXEPT  +5 UxBR1     high
 *     +2 UxRCTL  FE PE OE BRK URXEIE URXWIE RXWAKE RXERR       +6 UxRXBUF
 *     +3 UxMCTL  modulation                                    +7 UxTXBUF
 *
 * Characters are whole: no pin toggles, but a frame lasts exactly as many BRCLK cycles as it has on the wire,
 * modulation included, also when BRCLK changes its rate or stops meanwhile. A character that is written to an idle
 * transmitter moves to the shift register at the next BRCLK edge (the guide: BITCLK, taken to start with the bit);
 * further ones follow without a gap.
 *
 * The line into the UART runs at the receiver's rate: a frame that meets a stopped BRCLK waits until it runs again,
 * where a real one would be garbled. With URXSE set its start edge wakes the CPU first.
 *
 * A multi-byte SPI transfer is exchanged with the bus at the end of each character. Slaves know no clock phase: CKPH
 * and CKPL choose no edges, and a combination that a mode 0/3 slave would not understand is noted. Bits of UxCTL,
 * UxTCTL and UxRCTL that a mode does not use are storage.
 *
 * Checked against SLAU049F, chapters 13 and 14. Read into it: with URXEIE = 0 an erroneous character sets no error bit
 * either; a 4-pin master that loses STE drops the character it was sending; URXIFGx comes at the end of the last stop
 * bit. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_USART_H
#define HC_MACHINE_DEVICE_MSP430X1XX_USART_H

#include "machine/device/bus/i2c.h"
#include "machine/device/bus/spi.h"
#include "machine/device/msp430/dma.h"
#include "sfr.h"

struct hc_usart;

struct hc_usart_config {
    int number;    /* 0: bits 6, 7 of IE1, IFG1, ME1 and the I2C module; 1: bits 4, 5 of IE2, IFG2, ME2 */
    uint32_t base; /* address of UxCTL: 0x70, 0x78 */
    struct hc_sfr *sfr;
    struct hc_clock *aclk, *smclk;
    struct hc_clock *uclk; /* at pin UCLKx; NULL: no edges */
    struct hc_dma *dma;    /* or NULL */
    int rx_vector, tx_vector;
};

/* Makes the input wire "steN" (pin STEx; rests high). */
struct hc_usart *hc_usart_new(struct hc_machine *m, const struct hc_usart_config *config);

/* ---- UART: the host's end of the line ---- */

/* A character has left: called at the end of its (last) stop bit. At most 4 listeners. */
typedef void hc_usart_transmit_fn(void *owner, uint8_t byte, hc_time now);
void hc_usart_on_transmit(struct hc_usart *usart, hc_usart_transmit_fn *call, void *owner);

/* Besides bits 0-7 of a frame: what is particular about it. */
enum {
    HC_UART_ADDRESS = 0x100,    /* the address bit (MM = 1) is set */
    HC_UART_IDLE = 0x200,       /* the line was idle for 11 bits before */
    HC_UART_BAD_PARITY = 0x400, /* the parity bit is wrong (only seen with PENA) */
    HC_UART_BAD_STOP = 0x800,   /* the first stop bit is low */
    HC_UART_BREAK = 0x1000,     /* low for a frame and 10 bits more: first FE, then BRK */
};

/* Puts a character on the line towards the UART; it arrives a frame time after those before it. Up to
 * HC_USART_QUEUE wait for the line, and also for a receiver: while the USART is in reset, in another mode or URXEx is 0
 * they stay there. False, and nothing is queued, when no more fit. */
enum { HC_USART_QUEUE = 256 };
bool hc_usart_receive(struct hc_usart *usart, uint16_t frame);

/* How many characters have not arrived yet. */
int hc_usart_waiting(const struct hc_usart *usart);

/* Bits a second at which it sends and receives now; 0: it is no UART, in reset, or BRCLK stands still. */
uint32_t hc_usart_rate(struct hc_usart *usart);

/* ---- SPI ---- */

/* The bus that the USART is master of. */
void hc_usart_connect_spi(struct hc_usart *usart, struct hc_spi_bus *bus);

/* The USART is a slave (MM = 0) and an external master has just clocked a character through it. Returns what stood on
 * SOMI: the transmitter's character, or its last one again when nothing was written; 0xff if the slave is not active.
 */
uint8_t hc_usart_spi_clocked(struct hc_usart *usart, uint8_t simo);

/* ---- I2C (USART0 only) ---- */

void hc_usart_connect_i2c(struct hc_usart *usart, struct hc_i2c_bus *bus);

#endif
