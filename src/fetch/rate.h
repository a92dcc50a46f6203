/* Rates of serial ports, in bits a second and in termios's encoding; and the effect of different rates on a byte. */
#ifndef HC_FETCH_RATE_H
#define HC_FETCH_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

/* Returns false if termios has no such rate. */
bool hc_rate_to_speed(unsigned rate, speed_t *speed);
/* 0: not one that we know. */
unsigned hc_rate_of_speed(speed_t speed);

/* ---- a line whose ends have different rates ---- */

/* The maximum number of characters that result from one: a receiver may take each low bit for a start bit. */
enum { HC_RATE_CHARACTERS = 5 };

struct hc_rate_heard {
    int count;
    struct {
        uint8_t byte;
        bool bad_stop;
    } character[HC_RATE_CHARACTERS];
};

/* What a receiver at rate TO makes of BYTE, 8N1, sent at rate FROM on an otherwise idle line. It samples the middle of
 * each bit, counted from the edge that it takes for the start bit. Rates are not 0. */
struct hc_rate_heard hc_rate_hear(uint8_t byte, unsigned from, unsigned to);

#endif
