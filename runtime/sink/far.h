/* Bytes at addresses of 20 bits, from code with pointers of 16: MOVX of an MSP430X, which not every assembler knows.
 * HC_FAR: the address's upper bits, the same for all; OFFSET: the lower 16. */
#ifndef HC_SINK_FAR_H
#define HC_SINK_FAR_H

#include "sink.h"

#define HC_FAR ((int)((HC_LOG_START + 0ul) >> 16))

/* movx.b HC_FAR << 16 (r12), r12 */
static inline uint8_t hc_far_get(uint16_t offset)
{
    register uint16_t r12 __asm__("r12") = offset;
    __asm__ volatile(".short 0x1840 + %c1, 0x4c5c, 0" : "+r"(r12) : "i"(HC_FAR << 7));
    return (uint8_t)r12;
}

/* movx.b r13, HC_FAR << 16 (r12) */
static inline void hc_far_put(uint16_t offset, uint8_t byte)
{
    register uint16_t r12 __asm__("r12") = offset;
    register uint16_t r13 __asm__("r13") = byte;
    __asm__ volatile(".short 0x1840 + %c2, 0x4dcc, 0" ::"r"(r12), "r"(r13), "i"(HC_FAR) : "memory");
}

#endif
