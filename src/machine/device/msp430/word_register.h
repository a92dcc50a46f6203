/* Registers of 16 bits that software may also reach a byte at a time (the peripherals of the FRAM families). */
#ifndef HC_MACHINE_DEVICE_MSP430_WORD_REGISTER_H
#define HC_MACHINE_DEVICE_MSP430_WORD_REGISTER_H

#include <stdint.h>

/* What an access of SIZE at ADDRESS reads of the register's VALUE. */
static inline uint16_t hc_word_read(uint16_t value, uint32_t address, int size)
{
    return size == 2 ? value : address & 1 ? value >> 8 : value & 0xff;
}

/* What the register holds after it: BEFORE, with the written bytes replaced. */
static inline uint16_t hc_word_written(uint16_t before, uint32_t address, uint16_t value, int size)
{
    if (size == 2)
        return value;
    return address & 1 ? (uint16_t)(value << 8 | (before & 0xff)) : (uint16_t)((before & 0xff00) | (value & 0xff));
}

#endif
