/* The inside of an eUSCI: shared by eusci*.c only.
 *
 *     eusci.c      registers, flags, UART and SPI
 *     eusci_i2c.c  the I2C master of eUSCI_B */
#ifndef HC_MACHINE_DEVICE_MSP430FR5XX_EUSCI_INTERNAL_H
#define HC_MACHINE_DEVICE_MSP430FR5XX_EUSCI_INTERNAL_H

#include "eusci.h"

/* UCxCTLW0 */
enum {
    UCSWRST = 0x0001,
    UCTXBRK = 0x0002, /* UART */
    UCTXADDR = 0x0004,
    UCDORM = 0x0008,
    UCBRKIE = 0x0010,
    UCRXEIE = 0x0020,
    UCSYNC = 0x0100,
    UCMODE = 0x0600,
    UCMODE_I2C = 0x0600,
    UCSPB = 0x0800,
    UC7BIT = 0x1000,
    UCMSB = 0x2000,
    UCPEN = 0x8000,
    UCMST = 0x0800, /* SPI, I2C */
    UCTXSTT = 0x0002,
    UCTXSTP = 0x0004,
    UCTXNACK = 0x0008,
    UCTR = 0x0010,
    UCSLA10 = 0x4000,
};
/* UCxIE, UCxIFG; UART: */
enum { UCRXIFG = 0x0001, UCTXIFG = 0x0002, UCSTTIFG = 0x0004, UCTXCPTIFG = 0x0008 };
/* I2C: */
enum { UCSTPIFG = 0x0008, UCALIFG = 0x0010, UCNACKIFG = 0x0020, UCBCNTIFG = 0x0040 };

enum { EUSCI_LISTENERS_MAX = 4 };

enum eusci_phase { EUSCI_IDLE, EUSCI_LOADING, EUSCI_SHIFTING };
enum eusci_i2c_phase {
    I2C_OFF,
    I2C_START,
    I2C_ADDRESS,
    I2C_WAIT_WRITE, /* SCL low: UCBxTXBUF is empty */
    I2C_WRITE,
    I2C_WAIT_READ, /* SCL low: UCBxRXBUF is full */
    I2C_READ,
    I2C_REFUSED, /* SCL low: nobody acknowledged */
    I2C_STOP,
};

struct hc_eusci {
    struct hc_device base;
    struct hc_eusci_config config;
    struct hc_clock *aclk, *smclk;
    hc_event transmit, receive;
    struct hc_spi_bus *spi;
    struct hc_i2c_bus *i2c;
    int i2c_master;
    int listeners;
    struct {
        hc_usart_transmit_fn *call;
        void *owner;
    } listener[EUSCI_LISTENERS_MAX];
    struct {
        uint16_t ctlw0, ctlw1, brw, mctlw, statw, abctl, irctl, ie, ifg;
        uint16_t tbcnt, own[4], addrx, addmask, sa;
        uint8_t rxbuf, txbuf;

        uint8_t phase; /* of the transmitter: enum eusci_phase */
        bool tx_full;  /* UCxTXBUF holds a character */
        uint8_t tx_shift;
        uint16_t tx_frame; /* HC_UART_ADDRESS or HC_UART_IDLE */
        uint64_t tx_tick;

        bool rx_busy, rx_unread, rx_first;
        uint16_t rx_frame;
        uint64_t rx_tick, rx_last;
        bool rx_idle;
        uint16_t queue[HC_USART_QUEUE];
        uint16_t queue_first, queue_count;

        uint8_t i2c_phase; /* enum eusci_i2c_phase */
        bool i2c_reads;    /* of the transfer under way */
        bool i2c_owns_bus;
        uint8_t i2c_count; /* bytes since START */
        uint64_t i2c_tick;
        uint32_t noted; /* what has been noted, a bit each */
    } s;
};

enum eusci_note { NOTE_RATE, NOTE_SLAVE, NOTE_FOUR_PIN, NOTE_BREAK, NOTE_AUTO_BAUD, NOTE_IRDA, NOTE_OWN, NOTE_TIMEOUT };

/* Once. */
void hc_eusci_note(struct hc_eusci *u, enum eusci_note what, const char *text);

static inline bool hc_eusci_is_i2c(const struct hc_eusci *u)
{
    return u->config.is_b && (u->s.ctlw0 & UCSYNC) && (u->s.ctlw0 & UCMODE) == UCMODE_I2C;
}

/* BRCLK: its ticks until now, and when its count is TICK (not before now; never if it stands still). */
uint64_t hc_eusci_ticks(const struct hc_eusci *u);
hc_time hc_eusci_time_of(const struct hc_eusci *u, uint64_t tick);

/* Sets and clears flags, and requests what follows from them. */
void hc_eusci_change_flags(struct hc_eusci *u, uint16_t set, uint16_t clear);
void hc_eusci_update(struct hc_eusci *u);

/* ---- eusci_i2c.c ---- */

void hc_eusci_i2c_reset(struct hc_eusci *u);
/* UCTXSTT, UCTXSTP, UCTXNACK may be new; a buffer was written or read. */
void hc_eusci_i2c_go_on(struct hc_eusci *u);
/* At its tick; returns when the next step is due. */
hc_time hc_eusci_i2c_step(struct hc_eusci *u, hc_time now);
hc_time hc_eusci_i2c_next(const struct hc_eusci *u);
uint16_t hc_eusci_i2c_status(const struct hc_eusci *u);

#endif
