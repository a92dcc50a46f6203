/* Framing of the GDB remote serial protocol.
 *
 *     $ payload # c c      cc: sum of the payload's bytes modulo 256, two hex digits
 *     + -                  received well; send again (both vanish in no-ack mode)
 *     0x03                 Ctrl-C, between packets
 *
 *     } x                  in a payload: the byte x ^ 0x20, for those that mean something here ($ # } *)
 *     x * n                in replies: x and n - 29 more of it */
#ifndef HC_GDB_PACKET_H
#define HC_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest payload in either direction; announced as PacketSize. */
enum { HC_GDB_PAYLOAD_MAX = 0x4000, HC_GDB_FRAME_MAX = HC_GDB_PAYLOAD_MAX + 4 };

enum hc_gdb_input {
    HC_GDB_INPUT_NOTHING,  /* so far */
    HC_GDB_INPUT_PACKET,   /* payload and n are valid until the next byte */
    HC_GDB_INPUT_DAMAGED,  /* the same, but the sum is wrong */
    HC_GDB_INPUT_TOO_LONG, /* a packet of more than HC_GDB_PAYLOAD_MAX has ended; its payload is lost */
    HC_GDB_INPUT_ACK,
    HC_GDB_INPUT_NAK,
    HC_GDB_INPUT_INTERRUPT,
};

/* Takes a stream apart, byte by byte, however it was cut into pieces. Zeroed it is ready. */
struct hc_gdb_reader {
    enum { HC_GDB_BETWEEN, HC_GDB_WITHIN, HC_GDB_SUM_1, HC_GDB_SUM_2 } state;
    bool too_long;
    uint8_t sum;
    char digit; /* the first of the sum */
    size_t n;
    char payload[HC_GDB_PAYLOAD_MAX + 1]; /* followed by a NUL, which may also be within */
};

/* Bytes that mean nothing between packets are skipped. A `$` within a packet starts a new one: the rest was lost. */
enum hc_gdb_input hc_gdb_reader_take(struct hc_gdb_reader *r, uint8_t byte);

/* PAYLOAD (N <= HC_GDB_PAYLOAD_MAX bytes, escaped where needed) as a frame with run lengths. Returns its length, at
 * most N + 4: what OUT must hold. */
size_t hc_gdb_frame(char *out, const char *payload, size_t n);

/* Escapes as many of the N bytes at IN as fit into CAPACITY; tells how many in *TAKEN and returns the length of OUT. */
size_t hc_gdb_escape(char *out, size_t capacity, const uint8_t *in, size_t n, size_t *taken);

/* OUT may be IN and holds up to N bytes. Returns their number; an escape character at the end is an error: SIZE_MAX. */
size_t hc_gdb_unescape(uint8_t *out, const char *in, size_t n);

/* The value of a hex digit, or -1. */
int hc_gdb_hex_digit(char c);

#endif
