/* Words in messages: high byte first, at any address. */
#ifndef NET_BYTES_H
#define NET_BYTES_H

#include <stdint.h>

static inline void bytes_put16(uint8_t *to, uint16_t value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
}

static inline uint16_t bytes_get16(const uint8_t *from)
{
    return (uint16_t)((uint16_t)from[0] << 8 | from[1]);
}

static inline void bytes_put32(uint8_t *to, uint32_t value)
{
    bytes_put16(to, (uint16_t)(value >> 16));
    bytes_put16(to + 2, (uint16_t)value);
}

static inline uint32_t bytes_get32(const uint8_t *from)
{
    return (uint32_t)bytes_get16(from) << 16 | bytes_get16(from + 2);
}

#endif
