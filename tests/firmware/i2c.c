/* USART0's I2C module as a master, driven by its interrupts: writes to a serial memory at 0x50, sets its address, reads
 * back after a repeated START, and calls an address that nobody has. */
#include <kit.h>

enum { MEMORY = 0x50, NOBODY = 0x23, AT = 0x10, LENGTH = 8 };

volatile uint16_t finished;
volatile uint16_t result[2];
volatile uint8_t back[LENGTH];
static const uint8_t message[LENGTH + 1] = { AT, 'h', 'i', 'n', 'd', 'c', 'a', 's', 't' };
static const uint8_t *volatile out;
static volatile uint8_t *volatile in;
static volatile uint16_t refusals;

KIT_INTERRUPT(USART0TX_VECTOR) void i2c_event(void)
{
    switch (I2CIV) {
    case I2CIV_NACK:
        I2CTCTL |= I2CSTP; /* none comes by itself */
        refusals++;
        KIT_WAKE_ON_EXIT();
        break;
    case I2CIV_ARDY:
        KIT_WAKE_ON_EXIT();
        break;
    case I2CIV_RXRDY:
        *in++ = I2CDRB;
        break;
    case I2CIV_TXRDY:
        I2CDRB = *out++;
        break;
    default:
        break;
    }
}

static void set_up(void)
{
    P3SEL |= 0x0a;
    U0CTL = SWRST;
    U0CTL |= I2C | SYNC;
    U0CTL &= ~I2CEN;
    I2CTCTL = I2CSSEL_2;
    I2CPSC = 0;
    I2CSCLH = 3;
    I2CSCLL = 3;
    I2COA = 0x01;
    U0CTL |= I2CEN;
    I2CIE = NACKIE | ARDYIE | RXRDYIE | TXRDYIE;
}

/* Interrupts are off except while it sleeps, so none is missed. */
static void transfer(uint16_t address, uint8_t count, uint8_t control)
{
    I2CSA = address;
    I2CNDAT = count;
    U0CTL |= MST;
    I2CTCTL = (uint8_t)(I2CSSEL_2 | control);
    kit_sleep(LPM0_bits | GIE);
    kit_disable_interrupts();
    if (control & I2CSTP)
        while (I2CDCTL & I2CBB)
            ;
}

int main(void)
{
    set_up();
    out = message;
    in = back;
    transfer(MEMORY, LENGTH + 1, I2CTRX | I2CSTT | I2CSTP);
    out = message;
    transfer(MEMORY, 1, I2CTRX | I2CSTT);
    transfer(MEMORY, LENGTH, I2CSTT | I2CSTP);
    result[0] = refusals;
    transfer(NOBODY, 1, I2CTRX | I2CSTT | I2CSTP);
    result[1] = refusals;
    finished = 0xd09e;
    return 0;
}
