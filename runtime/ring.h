/* The ring: what the program's side of the recorder (port/.../entry.S) leaves for hc_update. Units of two words.
 *
 *     read          | descriptor | value |                            descriptor: its address in hc_sites
 *                   | descriptor + 1 | value |                        and then one of the next site that gave 0
 *     base          | HC_RING_BASE + address | base |                 what a timer is predicted from, after such a read
 *     interrupt     | tag | base |                                    of a sleeping CPU
 *       awake       | tag | PC | count | base |
 *                   | tag | PC | count | base | laps | hash |         LONG: if laps is not 0, or a hash is there
 *     memory        | HC_RING_MEMORY + 2 * size | address | bytes |   written by DMA; of the event before it
 *
 * tag: 2 * vector | flags. Base is meaningful with HC_RING_BASED. Descriptors lie above all tags. */
#ifndef HC_RING_H
#define HC_RING_H

#define HC_RING_VECTOR 0x007e
#define HC_RING_RUN 0x0001    /* and then none of the following */
#define HC_RING_BASED 0x0100  /* base is the compare register's value when the interrupt came */
#define HC_RING_HASHED 0x0200 /* hash is there */
#define HC_RING_ASLEEP 0x0400
#define HC_RING_LONG 0x0800
#define HC_RING_MEMORY 0x0c00
#define HC_RING_BASE 0x0e00 /* up to the end of tags */
#ifdef HC_PART_F1XX
#define HC_RING_TAGS 0x1000 /* one past all tags */
#else
#define HC_RING_TAGS 0x1400
#endif

#endif
