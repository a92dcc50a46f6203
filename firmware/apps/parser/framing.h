/* Frames on a serial line: a flag (0x7e), bytes, their CRC (low byte first), a flag. Bytes 0x7e and 0x7d come as 0x7d
 * and the byte xor 0x20. */
#ifndef APPS_PARSER_FRAMING_H
#define APPS_PARSER_FRAMING_H

#include <stdint.h>

enum { FRAMING_LONGEST = 64 }; /* bytes of a frame, CRC included */

struct framing_counts {
    uint16_t good, damaged, too_long;
};

/* COUNT bytes of the line. RECEIVED gets each frame whose CRC is right; valid during the call. */
void framing_take(const uint8_t *bytes, uint8_t count, void (*received)(const uint8_t *frame, uint8_t length));
void framing_counts(struct framing_counts *out);

#endif
