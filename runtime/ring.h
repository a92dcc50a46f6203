/* The ring: what the program's side of the recorder (port/.../entry.S) leaves for hc_update. In words.
 *
 *     read          | descriptor | value |                     descriptor: its address in hc_sites
 *       data byte   | descriptor | value, n | n more bytes |   of the same site, two in a word; n in the high byte
 *     interrupt     | tag |                                    ASLEEP: of a sleeping CPU
 *       awake       | tag | PC | count |
 *                   | tag | PC | count | a | b |               HASHED: both sums of the hash (port/.../position.h), of
 *                                                              each that did not meet the recorder itself
 *       + CCR0 |                                               behind each of these whose tag names a timer: what the
 *                                                              timer's next value is predicted from
 *     memory        | HC_RING_MEMORY + 2 * size | address | bytes |   written by DMA; of the event before it
 *
 * Where events have no order (HC_ORDERED is 0) laps follow each count. tag: 2 * vector | flags | timer. Descriptors lie
 * above all tags.
 *
 * An entry is never split: one that begins before the end of the ring goes on into the slack behind it, and the next
 * one begins as far behind the ring's start as that one went beyond its end:
 *
 *     | . . 4 4 5 5 5 5 . . 1 1 2 2 2 2 3 3 3 | 3 3
 *     ring  ^ 5 begins    head   tail        ring + HC_RING, slack
 *
 * (here 4 begins two bytes behind the start). `top` is where the last entry before the wrap ended.
 *
 * A data byte's entry grows while it is the newest, and does not reach the ring's end: whoever takes it makes `newest`
 * point elsewhere before he looks at n. */
#ifndef HC_RING_H
#define HC_RING_H

#define HC_RING_MORE 31 /* bytes, at most: what an entry may become has a limit */
#define HC_RING_HASHED 0x0001
#define HC_RING_VECTOR 0x007e
#define HC_RING_ASLEEP 0x0080
#define HC_RING_TIMER 0x0700 /* number of a timer, 0 if none: HC_TIMER_ADDRESS in part.h */
#define HC_RING_MEMORY 0x0800
#define HC_RING_TAGS 0x1000 /* one past all tags */
#if HC_ORDERED
#define HC_RING_AWAKE 6 /* bytes, without a hash */
#else
#define HC_RING_AWAKE 8
#endif

/* What an entry may need beyond the end of the ring. */
#if HC_DMA
#define HC_DMA_PIECE 32 /* bytes of memory in an entry: hc_update can put pages away between them */
#define HC_RING_SLACK (2 + HC_DMA_PIECE)
#else
#define HC_RING_SLACK (HC_RING_AWAKE + 4)
#endif

#endif
