/* Binary decisions and their chances: adaptive arithmetic coding without multiplications. */
#ifndef HC_CODEC_CHANCE_H
#define HC_CODEC_CHANCE_H

#include <stdint.h>

/* What is known of one decision: place in the table << 1 | the more probable value. Starts at 0: even chances. */
typedef uint8_t hc_chance;

/* Of each place the less probable value's part of an interval of 0x8000 to 0xffff. The low byte, which matters little
 * for that, is where the less probable value leads: place << 1, | 1 where the two values change places. The more
 * probable one leads to the next place, if the interval became small by it. */
enum { HC_CHANCES = 19 };
extern const uint16_t hc_chances[HC_CHANCES];

static inline hc_chance hc_chance_after_less(hc_chance chance)
{
    return (hc_chance)((hc_chances[chance >> 1] & 0xff) ^ (chance & 1));
}

static inline hc_chance hc_chance_after_more(hc_chance chance)
{
    return (hc_chance)(chance >> 1 == HC_CHANCES - 1 ? chance : chance + 2);
}

#endif
