/* Numbers for messages, so that the desk can tell which receive belongs to which send.
 *
 * Part of the program, not of the recorder: add messages.c to the program's sources. A radio stack calls
 *
 *     frame.number = hc_message_send(me, frame.destination);            once for each message, before its first
 * transmission hc_message_receive(frame.source, frame.destination, frame.number);     for each message that it takes
 *
 * and carries the number in a byte of the frame; repetitions of a frame carry the same one. With a recorder of depth
 * `all` nothing of this is in the log: a replay makes the same calls again (`hindcast order`). */
#ifndef HC_MESSAGES_H
#define HC_MESSAGES_H

#include <stdint.h>

#define HC_MESSAGE_BROADCAST 0xffff

/* Destinations whose counters are kept; the least recently used one makes room for another. */
#ifndef HC_MESSAGE_PARTNERS
#define HC_MESSAGE_PARTNERS 20
#endif

/* The number of a message from this node, whose address is FROM, to TO: another node, or HC_MESSAGE_BROADCAST. Not from
 * interrupt handlers. */
uint8_t hc_message_send(uint16_t from, uint16_t to);

/* A message with NUMBER from FROM was received. TO: this node's address, or HC_MESSAGE_BROADCAST. Not from interrupt
 * handlers. */
void hc_message_receive(uint16_t from, uint16_t to, uint8_t number);

/* In place of hc_message_send, where frames have a number already, which ascends by frames and comes round after 255:
 * add messages_dsn.c to the program's sources, not messages.c. Once for each message; TO as above. For recorders of
 * depth `all` only. What is lost: docs/order.md. */
void hc_message_sent(uint16_t from, uint16_t to, uint8_t number);

/* The yardstick, for programs that are built with --record=lamport: Lamport's clock, in four bytes of the frame. */
uint32_t hc_lamport_send(uint16_t from);
void hc_lamport_receive(uint16_t from, uint32_t clock);

/* ---- for the desk ---- */

enum { HC_MESSAGE_SENT = 1, HC_MESSAGE_RECEIVED = 2 };

/* What happened when __hc_message_mark is called. Bytes, so that it looks the same on every CPU. */
struct hc_message_mark {
    uint8_t kind;
    uint8_t number;
    uint8_t from[2], to[2]; /* little-endian, as all words */
    uint8_t epoch[2];       /* of a send: what its number does not tell */
};

extern struct hc_message_mark __hc_message;
void __hc_message_mark(void);

#endif
