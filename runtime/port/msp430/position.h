/* The hash that makes positions unique where the counter does not move. For node (entry.S has the same in assembly) and
 * host.
 *
 *     h = SP - 4; for each word w of top, SR, r4, r5 ... r15:  h = 5 * h + w      (modulo 2^16)
 *
 * All as the interrupt found them: SP before the hardware pushed its frame, SR as it was pushed, top the word at SP.
 * The hash is linear with weights 5^k. In a loop whose registers move by constant steps it therefore moves by a
 * constant step as well, and comes round again only after 2^16 turns divided by the power of two in that step; steps of
 * small powers of two in two registers never cancel each other. */
#ifndef HC_POSITION_H
#define HC_POSITION_H

#include <stdint.h>

/* REGISTERS: r4..r15 */
static inline uint16_t hc_position_hash(const uint16_t registers[12], uint16_t sp, uint16_t sr, uint16_t top)
{
    uint16_t h = (uint16_t)(sp - 4);
    h = (uint16_t)(5 * h + top);
    h = (uint16_t)(5 * h + sr);
    for (int i = 0; i < 12; i++)
        h = (uint16_t)(5 * h + registers[i]);
    return h;
}

#endif
