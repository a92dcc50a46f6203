#include "chance.h"

/* In 1/256 of 0x10000; the place after the less probable value. */
#define CHANCE(part, less) (part) << 8 | (less) << 1

const uint16_t hc_chances[HC_CHANCES] = {
    CHANCE(0x56, 0) | 1, CHANCE(0x46, 0), CHANCE(0x39, 1), CHANCE(0x2e, 2), CHANCE(0x25, 3),
    CHANCE(0x1e, 4),     CHANCE(0x18, 4), CHANCE(0x14, 5), CHANCE(0x10, 6), CHANCE(0x0d, 6),
    CHANCE(0x0b, 7),     CHANCE(0x09, 7), CHANCE(0x07, 7), CHANCE(0x06, 8), CHANCE(0x05, 8),
    CHANCE(0x04, 8),     CHANCE(0x03, 8), CHANCE(0x02, 8), CHANCE(0x01, 9),
};
