#include "apps/parser/framing.h"

#include <stdbool.h>

enum { FLAG = 0x7e, ESCAPE = 0x7d, TWIST = 0x20 };

static uint8_t frame[FRAMING_LONGEST];
static uint8_t length;
static uint16_t crc; /* of all bytes, their own CRC included: then it is 0 */
static bool escaped, over;
static struct framing_counts counts;

static void add(uint8_t byte)
{
    if (length == FRAMING_LONGEST) {
        over = true;
        return;
    }
    frame[length++] = byte;
    uint8_t x = (uint8_t)(crc ^ byte); /* CCITT, the lowest bit first */
    x ^= (uint8_t)(x << 4);
    crc = (uint16_t)((crc >> 8) ^ (x << 8) ^ (x << 3) ^ (x >> 4));
}

static void end(void (*received)(const uint8_t *, uint8_t))
{
    if (over) {
        counts.too_long++;
    } else if (length >= 2 && !crc) {
        counts.good++;
        received(frame, (uint8_t)(length - 2));
    } else if (length) {
        counts.damaged++;
    }
    length = 0;
    crc = 0;
    over = escaped = false;
}

void framing_take(const uint8_t *bytes, uint8_t count, void (*received)(const uint8_t *frame, uint8_t length))
{
    for (; count; count--, bytes++) {
        if (*bytes == FLAG) {
            end(received);
        } else if (*bytes == ESCAPE) {
            escaped = true;
        } else {
            add(escaped ? *bytes ^ TWIST : *bytes);
            escaped = false;
        }
    }
}

void framing_counts(struct framing_counts *out)
{
    *out = counts;
}
