/* Emulated time: a count of 2^-40 s (0.9 ps) since power-on.
 *
 * One period of the 32,768 Hz crystal is exactly 2^25 units, so that the watch crystal never accumulates rounding
 * errors; an RC oscillator's period is rounded to whole units (less than 10 ppm at 8 MHz, far below its drift).
 * An unsigned 64-bit count lasts 194 days. */
#ifndef HC_MACHINE_TIME_H
#define HC_MACHINE_TIME_H

#include <stdint.h>

typedef uint64_t hc_time;

#define HC_SECOND ((hc_time)1 << 40)
#define HC_NEVER UINT64_MAX

/* Rounded to the nearest unit; good up to 4 hours for ns, 194 days for us and ms. */
static inline hc_time hc_ns(uint64_t ns)
{
    return (ns << 20) / 1000000000u * (1u << 20) + ((((ns << 20) % 1000000000u) << 20) + 500000000u) / 1000000000u;
}

static inline hc_time hc_us(uint64_t us)
{
    return (us / 1000000u << 40) + ((us % 1000000u << 40) + 500000u) / 1000000u;
}

static inline hc_time hc_ms(uint64_t ms)
{
    return hc_us(ms * 1000u);
}

/* Period of a frequency in Hz, rounded; hz must not be 0. */
static inline hc_time hc_period(uint32_t hz)
{
    return (HC_SECOND + hz / 2) / hz;
}

static inline double hc_seconds(hc_time t)
{
    return (double)t / (double)HC_SECOND;
}

/* Rounded to the nearest microsecond: the inverse of hc_us. */
static inline uint64_t hc_to_ns(hc_time t)
{
    return (t >> 40) * 1000000000u + ((((t & (HC_SECOND - 1)) >> 10) * 1000000000u + (1u << 29)) >> 30);
}

static inline uint64_t hc_to_us(hc_time t)
{
    return (t >> 40) * 1000000u + (((t & (HC_SECOND - 1)) * 1000000u + HC_SECOND / 2) >> 40);
}

#endif
