/* The serial number chip, DS2411. */
#ifndef DRIVERS_DS2411_H
#define DRIVERS_DS2411_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the 48-bit serial number, low byte first. Busy for 7 ms, with interrupts disabled for a bit's time at once.
 * False when nobody answers or the checksum is wrong. */
bool ds2411_read(uint8_t serial[6]);

#endif
