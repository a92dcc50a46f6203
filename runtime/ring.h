/* The ring: what the program's side of the recorder (port/.../entry.S) leaves for hc_update. In words.
 *
 *     read          | descriptor | value |                     descriptor: its address in hc_sites
 *       byte        | descriptor | value, n |                  n reads more of the same value; n in the high byte
 *       data byte   | descriptor | value, n | n more bytes |   of the same site, two in a word; n in the high byte
 *     interrupt     | tag |                                    ASLEEP: of a sleeping CPU
 *       awake       | tag | PC | count |
 *                   | tag | PC | count | a | b |               HASHED: both sums of the hash (port/.../position.h), of
 *                                                              each that did not meet the recorder itself
 *                   | tag | CCR0 | ...                         behind a tag that names a timer: what the timer's next
 *                                                              value is predicted from
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

#include "config.h"

#define HC_RING_MORE 31  /* maximum bytes: an entry may not grow further */
#define HC_RING_AGAIN 63 /* reads, at most */
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

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

/* ---- taking ---- */

/* The word or byte at *AT, an address in the ring, which is advanced. */
uint16_t hc_ring_word(uint16_t *at);
uint8_t hc_ring_byte(uint16_t *at);
/* AT follows the last entry before the wrap: where the next one starts. */
uint16_t hc_ring_next(uint16_t at);
/* Bytes of entries from FROM to TO. */
uint16_t hc_ring_size(uint16_t from, uint16_t to);

/* ---- appending, for ports whose border is in C: with interrupts off ---- */

/* If there is no room the event is lost, and nothing is appended any more until the next checkpoint. */
void hc_ring_lose(void);

/* VALUE was read at the site of DESCRIPTOR, which is above all tags. */
enum hc_ring_read {
    HC_RING_READ_WORD,
    HC_RING_READ_BYTE, /* but for those of */
    HC_RING_READ_DATA, /* bytes of class data or vector */
};
void hc_ring_put_read(uint16_t descriptor, uint16_t value, enum hc_ring_read kind);

/* An interrupt, and what its entry says. */
struct hc_ring_interrupt {
    uint16_t tag; /* 2 * vector | HC_RING_HASHED | HC_RING_ASLEEP | timer */
    uint16_t pc, count;
    uint32_t hash;
    uint16_t ccr0; /* of the timer, if the tag has one */
};
void hc_ring_put_interrupt(const struct hc_ring_interrupt *interrupt);

/* Hardware has written SIZE bytes of memory, HC_DMA_PIECE at most. */
void hc_ring_put_memory(uint16_t address, uint8_t size);
#endif

#endif
