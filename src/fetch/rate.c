#include "rate.h"

#include <stddef.h>

static const struct {
    unsigned rate;
    speed_t speed;
} rates[] = {
    { 1200, B1200 },     { 2400, B2400 },     { 4800, B4800 },       { 9600, B9600 },     { 19200, B19200 },
    { 38400, B38400 },   { 57600, B57600 },   { 115200, B115200 },   { 230400, B230400 }, { 460800, B460800 },
    { 500000, B500000 }, { 921600, B921600 }, { 1000000, B1000000 },
};

bool hc_rate_to_speed(unsigned rate, speed_t *speed)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].rate == rate) {
            *speed = rates[i].speed;
            return true;
        }
    return false;
}

unsigned hc_rate_of_speed(speed_t speed)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].speed == speed)
            return rates[i].rate;
    return 0;
}

/* ---- different rates: times are in units of 1/(2 FROM TO) s, so that half a bit of either end is a whole number ----
 */

enum { FRAME_BITS = 10 };

static bool level(unsigned frame, uint64_t time, unsigned to)
{
    uint64_t bit = time / (2 * (uint64_t)to); /* a sender's bit lasts 1/FROM */

    return bit >= FRAME_BITS || (frame >> bit & 1);
}

/* The next falling edge from TIME on, which is at the beginning of one of the sender's bits; false: there is none. */
static bool find_edge(unsigned frame, uint64_t *time, unsigned to)
{
    uint64_t bit_time = 2 * (uint64_t)to;

    for (uint64_t bit = (*time + bit_time - 1) / bit_time; bit < FRAME_BITS; bit++)
        if (!(frame >> bit & 1) && (bit == 0 || (frame >> (bit - 1) & 1))) {
            *time = bit * bit_time;
            return true;
        }
    return false;
}

struct hc_rate_heard hc_rate_hear(uint8_t byte, unsigned from, unsigned to)
{
    unsigned frame = (unsigned)byte << 1 | 1u << (FRAME_BITS - 1); /* start, data, stop */
    struct hc_rate_heard heard = { 0 };
    uint64_t time = 0, half = from; /* half a bit of the receiver's */

    while (heard.count < HC_RATE_CHARACTERS && find_edge(frame, &time, to)) {
        unsigned bits = 0;
        for (unsigned i = 0; i < FRAME_BITS; i++)
            bits |= (unsigned)level(frame, time + (2 * i + 1) * half, to) << i;
        if (bits & 1) { /* too short for a start bit */
            time++;
            continue;
        }
        heard.character[heard.count].byte = (uint8_t)(bits >> 1);
        heard.character[heard.count++].bad_stop = !(bits >> (FRAME_BITS - 1));
        time += (2 * FRAME_BITS - 1) * half;
    }
    return heard;
}
