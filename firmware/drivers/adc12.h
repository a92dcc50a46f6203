/* The analog-to-digital converter, against its 2.5 V reference (1.5 V for internal inputs). Results are 12 bits.
 *
 * One user at a time. Reference and converter are on only during a job; 17 ms of settling precede it. */
#ifndef DRIVERS_ADC12_H
#define DRIVERS_ADC12_H

#include <stdbool.h>
#include <stdint.h>

enum adc12_channel {
    ADC12_ACCELEROMETER = 0, /* A0, on the expansion connector */
    ADC12_VISIBLE_LIGHT = 4,
    ADC12_TOTAL_LIGHT = 5,
    ADC12_TEMPERATURE = 10, /* internal diode */
    ADC12_SUPPLY = 11,      /* AVcc / 2 */
};

typedef void adc12_done_fn(uint16_t value);
typedef void adc12_samples_fn(void);

/* One conversion; DONE is called from a task. False, and nothing happens, while another job is under way. */
bool adc12_read(enum adc12_channel channel, adc12_done_fn *done);

/* COUNT conversions, one every TICKS of ACLK (2 ... 65535), timed by Timer_A. DONE is called after the last; the CPU
 * sleeps in LPM3 between them. */
bool adc12_sample(enum adc12_channel channel, uint16_t ticks, uint16_t *to, uint16_t count, adc12_samples_fn *done);

bool adc12_busy(void);

#endif
