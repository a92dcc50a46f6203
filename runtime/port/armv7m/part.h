/* What the recorder's C code needs to know of a part. */
#ifndef HC_PART_H
#define HC_PART_H

#define HC_VECTORS 1 /* that the recorder sees: the reset */
#define HC_TIMER_ADDRESS(n) 0
#define HC_BYTES_END 0
#define HC_GAP 2
#define HC_NO_CLOCK 0 /* there is no timer that the recorder knows */

#endif
