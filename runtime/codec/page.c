#include "page.h"

/* A byte at a time without a table: 8 shifts and at most 4 exclusive-ors. */
uint16_t hc_page_crc(uint16_t crc, const uint8_t *bytes, uint16_t size)
{
    for (; size; size--) {
        crc = (uint16_t)(crc << 8 | crc >> 8) ^ *bytes++;
        crc ^= (crc & 0xff) >> 4;
        crc ^= (uint16_t)(crc << 12);
        crc ^= (uint16_t)((crc & 0xff) << 5);
    }
    return crc;
}
