/* The I2C module inside USART0 of the F15x/F16x. It belongs to a USART (usart.h), which forwards the registers that the
 * two share while U0CTL has SYNC and I2C set, and owns the interrupt vector.
 *
 *     U0CTL     RXDMAEN TXDMAEN I2C XA LISTEN SYNC MST I2CEN          0x50 I2CIE     0x118 I2COA
 *     +1 I2CTCTL  I2CWORD I2CRM I2CSSEL1 I2CSSEL0 I2CTRX I2CSTB I2CSTP I2CSTT   0x51 I2CIFG    0x11a I2CSA
 *     +2 I2CDCTL  I2CBUSY I2CSCLLOW I2CSBD I2CTXUDF I2CRXOVR I2CBB    0x52 I2CNDAT   0x11c I2CIV
 *     +3 I2CPSC  +4 I2CSCLH  +5 I2CSCLL  +6 I2CDRW/I2CDRB
 *
 * The bus is byte-level (i2c.h). A bit lasts (I2CSCLH + 2) + (I2CSCLL + 2) cycles of I2CIN, each half at least 5; I2CIN
 * is the clock that I2CSSEL selects, divided by I2CPSC + 1. A byte with its acknowledge takes nine; from I2CSTT to the
 * START 4 cycles of I2CIN and to the address 8 more; a STOP 10, until I2CSTP and MST are clear 8 more, until I2CBUSY is
 * another 8. As a slave the module is paced by the other master: its clock does not matter.
 *
 * I2CDR has a buffer of its size behind it, and behind that is the shift register. The upper half of I2CTCTL, I2CPSC,
 * I2CSCLH, I2CSCLL and I2COA can be written with I2CEN = 0 only. Whoever does not acknowledge sends the module to idle,
 * with NACKIFG and without a STOP.
 *
 * Checked against SLAU049F, chapter 15. Read into it: as a master with I2CNDAT, TXRDYIFG asks for no more bytes than
 * that; as a slave it asks for the next one only; after NACKIFG both I2CSTT (a repeated START) and I2CSTP go on.
 *
 * Left out: the module does not switch on a clock that a low-power mode has stopped (noted when it would); LISTEN has
 * no effect (noted); without slaves a master reads 0xff. */
#ifndef HC_MACHINE_DEVICE_MSP430X1XX_USART_I2C_H
#define HC_MACHINE_DEVICE_MSP430X1XX_USART_I2C_H

#include "machine/device/bus/i2c.h"

struct hc_usart_i2c;

struct hc_usart_i2c_config {
    struct hc_clock *aclk, *smclk;
    /* A flag, an enable or a DMA trigger has changed. */
    void (*changed)(void *owner);
    void *owner;
};

struct hc_usart_i2c *hc_usart_i2c_new(struct hc_machine *m, const struct hc_usart_i2c_config *config);
void hc_usart_i2c_connect(struct hc_usart_i2c *i2c, struct hc_i2c_bus *bus);

/* U0CTL was written with SYNC and I2C set; 0: the USART has left I2C mode. */
void hc_usart_i2c_set_control(struct hc_usart_i2c *i2c, uint8_t ctl);
/* U0CTL, in which the module clears MST by itself. */
uint8_t hc_usart_i2c_control(const struct hc_usart_i2c *i2c);

/* Registers 1-6 of the shared ones, by offset. */
uint16_t hc_usart_i2c_peek(const struct hc_usart_i2c *i2c, unsigned offset, int size);
uint16_t hc_usart_i2c_read(struct hc_usart_i2c *i2c, unsigned offset, int size);
void hc_usart_i2c_write(struct hc_usart_i2c *i2c, unsigned offset, uint16_t value, int size);

bool hc_usart_i2c_interrupt(const struct hc_usart_i2c *i2c);
/* Data received, ready to transmit, with DMA enabled for it. */
bool hc_usart_i2c_receive_trigger(const struct hc_usart_i2c *i2c);
bool hc_usart_i2c_transmit_trigger(const struct hc_usart_i2c *i2c);

#endif
