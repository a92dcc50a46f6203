/* The climate sensor, SHT11. One measurement at a time; the chip is powered for its duration only. */
#ifndef DRIVERS_SHT11_H
#define DRIVERS_SHT11_H

#include <stdbool.h>
#include <stdint.h>

enum sht11_quantity { SHT11_TEMPERATURE, SHT11_HUMIDITY };

/* The value that stands for no answer, or one with a bad checksum. */
enum { SHT11_FAILED = 0xffff };

/* RAW as the datasheet has it (14 or 12 bits). Called from a task. */
typedef void sht11_done_fn(uint16_t raw);

/* Takes about 230 ms (temperature) or 75 ms. False, and nothing happens, while another measurement is under way. */
bool sht11_measure(enum sht11_quantity what, sht11_done_fn *done);

/* Hundredths of a degree Celsius, at 3 V. */
int16_t sht11_centidegrees(uint16_t raw);

/* Tenths of a percent, relative, at TEMPERATURE (in hundredths of a degree). */
int16_t sht11_humidity_permille(uint16_t raw, int16_t temperature);

#endif
