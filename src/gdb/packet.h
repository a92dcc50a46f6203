/* Framing of the GDB remote serial protocol.
 *
 *     $ payload # c c      cc: sum of the payload's bytes modulo 256, two hex digits
 *     + -                  received; send again (neither in no-ack mode)
 *     0x03                 Ctrl-C, between packets
 *
 *     } x                  in a payload: the byte x ^ 0x20, to escape $ # } *
 *     x * n                in replies: x, repeated n - 29 times more */
#ifndef HC_GDB_PACKET_H
#define HC_GDB_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest payload in either direction; announced as PacketSize. */
enum { HC_GDB_PAYLOAD_MAX = 0x4000, HC_GDB_FRAME_MAX = HC_GDB_PAYLOAD_MAX + 4 };

enum hc_gdb_input {
    HC_GDB_INPUT_NOTHING,  /* no complete packet yet */
    HC_GDB_INPUT_PACKET,   /* payload and n are valid until the next byte */
    HC_GDB_INPUT_DAMAGED,  /* the same, but the sum is wrong */
    HC_GDB_INPUT_TOO_LONG, /* a packet of more than HC_GDB_PAYLOAD_MAX has ended; its payload is lost */
    HC_GDB_INPUT_ACK,
    HC_GDB_INPUT_NAK,
    HC_GDB_INPUT_INTERRUPT,
};

/* Finds packets in a stream, byte by byte. Initialise with zeros. */
struct hc_gdb_reader {
    enum { HC_GDB_BETWEEN, HC_GDB_WITHIN, HC_GDB_SUM_1, HC_GDB_SUM_2 } state;
    bool too_long;
    uint8_t sum;
    char digit; /* the first digit of the sum */
    size_t n;
    char payload[HC_GDB_PAYLOAD_MAX + 1]; /* followed by a NUL; may contain others */
};

/* Skips unknown bytes between packets. A `$` within a packet starts a new one and discards the old. */
enum hc_gdb_input hc_gdb_reader_take(struct hc_gdb_reader *r, uint8_t byte);

/* Writes PAYLOAD (N <= HC_GDB_PAYLOAD_MAX bytes, already escaped) as a frame with run lengths. Returns its length: at
 * most N + 4, for which OUT must have room. */
size_t hc_gdb_frame(char *out, const char *payload, size_t n);

/* Escapes as many of the N bytes at IN as fit into CAPACITY. *TAKEN: how many. Returns the length of OUT. */
size_t hc_gdb_escape(char *out, size_t capacity, const uint8_t *in, size_t n, size_t *taken);

/* Removes escapes. OUT has room for N bytes and may be IN. Returns the length, or SIZE_MAX if an escape character is
 * last. */
size_t hc_gdb_unescape(uint8_t *out, const char *in, size_t n);

/* The value of a hex digit, or -1. */
int hc_gdb_hex_digit(char c);

#endif
