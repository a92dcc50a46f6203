/* The number that a message carries: one byte, made from a counter of the messages that its sender has sent to this
 * receiver (or has broadcast).
 *
 *      7      6 5                    0
 *     +--------+----------------------+
 *     | digit  | counter modulo 64    |         counter = 64 * epoch + n
 *     +--------+----------------------+
 *
 * The lower six bits tell order, loss and duplicates among neighbours. The upper two spell the epoch, two of its 16
 * bits in each message: message n of an epoch carries digit n modulo 8 of the epoch's Gray code. Any eight messages in
 * a row thus tell the whole counter, and numbers repeat after 2^22 messages, not after 256. In the Gray code one digit
 * changes from an epoch to the next. */
#ifndef HC_MESSAGE_NUMBER_H
#define HC_MESSAGE_NUMBER_H

#include <stdint.h>

enum {
    HC_NUMBER_LOW_BITS = 6,
    HC_NUMBER_LOW = (1 << HC_NUMBER_LOW_BITS) - 1,
    HC_NUMBER_DIGITS = 8, /* of two bits */
    HC_NUMBER_COUNTER_BITS = HC_NUMBER_LOW_BITS + 2 * HC_NUMBER_DIGITS,
};

static inline uint16_t hc_number_gray(uint16_t epoch)
{
    return epoch ^ epoch >> 1;
}

/* The number of message N (below 64) of the epoch with this Gray code. */
static inline uint8_t hc_number(uint16_t gray, uint8_t n)
{
    uint8_t digit = gray >> 2 * (n % HC_NUMBER_DIGITS) & 3;

    return (uint8_t)(n | digit << HC_NUMBER_LOW_BITS);
}

#endif
