#include "peripherals.h"

#include <stdlib.h>
#include <string.h>

const struct hc_peripheral_register hc_peripheral_registers[] = {
    { "P1IN", 0x0200, 1, false },
    { "P2IN", 0x0201, 1, false },
    { "P1OUT", 0x0202, 1, true },
    { "P2OUT", 0x0203, 1, true },
    { "P3IN", 0x0220, 1, false },
    { "P4IN", 0x0221, 1, false },
    { "P3OUT", 0x0222, 1, true },
    { "P4OUT", 0x0223, 1, true },
    { "P5IN", 0x0240, 1, false },
    { "P6IN", 0x0241, 1, false },
    { "P5OUT", 0x0242, 1, true },
    { "P6OUT", 0x0243, 1, true },
    { "P7IN", 0x0260, 1, false },
    { "P8IN", 0x0261, 1, false },
    { "P7OUT", 0x0262, 1, true },
    { "P8OUT", 0x0263, 1, true },
    { "PJIN", 0x0320, 2, false },
    { "PJOUT", 0x0322, 2, true },
    { "TA0R", 0x0350, 2, false },
    { "TA1R", 0x0390, 2, false },
    { "TA2R", 0x0410, 2, false },
    { "TA3R", 0x0450, 2, false },
    { "TA4R", 0x07d0, 2, false },
    { "TB0R", 0x03d0, 2, false },
    { "UCA0RXBUF", 0x05cc, 2, false },
    { "UCA0TXBUF", 0x05ce, 2, true },
    { "UCA1RXBUF", 0x05ec, 2, false },
    { "UCA1TXBUF", 0x05ee, 2, true },
    { "UCA2RXBUF", 0x060c, 2, false },
    { "UCA2TXBUF", 0x060e, 2, true },
    { "UCA3RXBUF", 0x062c, 2, false },
    { "UCA3TXBUF", 0x062e, 2, true },
    { "UCB0RXBUF", 0x064c, 2, false },
    { "UCB0TXBUF", 0x064e, 2, true },
    { "UCB1RXBUF", 0x068c, 2, false },
    { "UCB1TXBUF", 0x068e, 2, true },
    { "UCB2RXBUF", 0x06cc, 2, false },
    { "UCB2TXBUF", 0x06ce, 2, true },
    { "UCB3RXBUF", 0x070c, 2, false },
    { "UCB3TXBUF", 0x070e, 2, true },
    { 0 },
};

enum { ADC12MEM0 = 0x0860, ADC12MEMS = 32, IO_END = 0x1000, WORDS_FROM = 0x0300 };

/* All of TEXT is a number below END. */
static bool number(const char *text, int base, unsigned long end, unsigned long *out)
{
    char *stop;

    *out = strtoul(text, &stop, base);
    return stop != text && !*stop && *out < end;
}

bool hc_peripheral_register(const char *name, uint32_t *address, uint32_t *size)
{
    unsigned long n;

    for (const struct hc_peripheral_register *r = hc_peripheral_registers; r->name; r++)
        if (!strcmp(r->name, name)) {
            *address = r->address;
            *size = r->size;
            return true;
        }
    if (!strncmp(name, "ADC12MEM", 8) && number(name + 8, 10, ADC12MEMS, &n)) {
        *address = ADC12MEM0 + 2 * (uint32_t)n;
        *size = 2;
        return true;
    }
    if (strncmp(name, "0x", 2) != 0 || !number(name, 16, IO_END, &n))
        return false;
    *address = (uint32_t)n;
    *size = n >= WORDS_FROM ? 2 : 1;
    return true;
}
