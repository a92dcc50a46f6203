/* The ring: what the program's side of the recorder (port/.../entry.S) leaves for hc_update. In words.
 *
 *     read          | descriptor | value |                     descriptor: its address in hc_sites
 *       data byte   | descriptor | value, n | n more bytes |   of the same site, two in a word; n in the high byte
 *     interrupt     | tag |                                    of a sleeping CPU
 *       awake       | tag | PC | count |
 *                   | tag | PC | count | hash |                HASHED
 *     base          | HC_RING_BASE + address | CCR0 |          what a timer is predicted from, after its interrupt
 *     memory        | HC_RING_MEMORY + 2 * size | address | bytes |   written by DMA; of the event before it
 *
 * Where events have no order (HC_ORDERED is 0) laps follow each count. tag: 2 * vector | flags. Descriptors lie above
 * all tags. The newest data byte's entry grows as long as run_site is its descriptor: whoever takes it sets that to 0
 * before he looks at n. */
#ifndef HC_RING_H
#define HC_RING_H

#define HC_RING_MORE 31 /* bytes, at most: what an entry may become has a limit */
#define HC_RING_VECTOR 0x007e
#define HC_RING_HASHED 0x0001
#define HC_RING_ASLEEP 0x0400
#define HC_RING_MEMORY 0x0c00
#define HC_RING_BASE 0x0e00 /* up to the end of tags */
#ifdef HC_PART_F1XX
#define HC_RING_TAGS 0x1000 /* one past all tags */
#else
#define HC_RING_TAGS 0x1400
#endif
#if HC_ORDERED
#define HC_RING_AWAKE 6 /* bytes, without a hash */
#else
#define HC_RING_AWAKE 8
#endif

#endif
