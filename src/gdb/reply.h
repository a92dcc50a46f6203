/* Builds replies and parses requests, both within bounds. */
#ifndef HC_GDB_REPLY_H
#define HC_GDB_REPLY_H

#include "packet.h"

/* Text that does not fit is dropped; then `full` is set. */
struct hc_gdb_reply {
    size_t n;
    bool full;
    char text[HC_GDB_PAYLOAD_MAX];
};

void hc_gdb_reply_clear(struct hc_gdb_reply *r);
void hc_gdb_reply_add(struct hc_gdb_reply *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Two hex digits a byte. */
void hc_gdb_reply_hex(struct hc_gdb_reply *r, const void *bytes, size_t n);
void hc_gdb_reply_hex_string(struct hc_gdb_reply *r, const char *text);
/* BYTES (at most 4) of VALUE in the target's order, little-endian. */
void hc_gdb_reply_number(struct hc_gdb_reply *r, uint32_t value, int bytes);

/* The rest of a request. */
struct hc_gdb_text {
    const char *p, *end;
};

/* Each parses from the front. Returns false, and consumes nothing, if the text is different. */
bool hc_gdb_take(struct hc_gdb_text *t, const char *literal);
/* A hex number that fits 32 bits. */
bool hc_gdb_take_number(struct hc_gdb_text *t, uint32_t *out);
/* Number, literal, number. */
bool hc_gdb_take_pair(struct hc_gdb_text *t, uint32_t *first, const char *between, uint32_t *second);
/* N bytes of two hex digits each. */
bool hc_gdb_take_bytes(struct hc_gdb_text *t, uint8_t *out, size_t n);

#endif
