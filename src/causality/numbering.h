/* The numbers in the messages of a channel: the host's side of runtime/message_number.h, for any widths. */
#ifndef HC_CAUSALITY_NUMBERING_H
#define HC_CAUSALITY_NUMBERING_H

#include <stdint.h>

/* counter = epoch << low_bits | n. A number has n in its lower bits and above them digit n modulo `digits` of the
 * epoch's Gray code, digit_bits wide. Without digits a number is the counter modulo 2^low_bits, as 802.15.4's are. */
struct hc_numbering {
    unsigned low_bits, digit_bits, digits;
};

extern const struct hc_numbering hc_numbering_recorder; /* runtime/message_number.h */
extern const struct hc_numbering hc_numbering_stack;    /* runtime/messages_dsn.c */

/* Bits of a counter within a life of the sender: epochs have 16. */
unsigned hc_numbering_counter_bits(const struct hc_numbering *numbering);

/* The number in the message with this counter. */
uint32_t hc_numbering_number(const struct hc_numbering *numbering, uint32_t counter);

/* The smallest counter from FROM up to, not including, END whose message carries NUMBER; the largest one. END if there
 * is none. */
uint32_t hc_numbering_first(const struct hc_numbering *numbering, uint32_t number, uint32_t from, uint32_t end);
uint32_t hc_numbering_last(const struct hc_numbering *numbering, uint32_t number, uint32_t from, uint32_t end);

#endif
