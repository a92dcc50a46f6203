/* Registers of peripherals through which an FR5969 or FR5994 communicates with its environment, by the names of the
 * user's guide. P5 to P8, TA4, UCA2, UCA3 and UCB1 to UCB3 exist on the FR5994 only. */
#ifndef HC_POWER_PERIPHERALS_H
#define HC_POWER_PERIPHERALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hc_peripheral_register {
    const char *name;
    uint16_t address;
    uint8_t size;
    bool output; /* what is written to it leaves the chip */
};

/* Ends with a NULL name. */
extern const struct hc_peripheral_register hc_peripheral_registers[];

/* By its name, or ADC12MEM0 to ADC12MEM31, or as an address "0x0202" (of a byte; of a word above 0x300). False: there
 * is none. */
bool hc_peripheral_register(const char *name, uint32_t *address, uint32_t *size);

#endif
