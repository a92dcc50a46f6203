#include "reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void hc_gdb_reply_clear(struct hc_gdb_reply *r)
{
    r->n = 0;
    r->full = false;
}

void hc_gdb_reply_add(struct hc_gdb_reply *r, const char *format, ...)
{
    size_t room = sizeof r->text - r->n;
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vsnprintf(r->text + r->n, room, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= room)
        r->full = true;
    else
        r->n += (size_t)n;
}

void hc_gdb_reply_hex(struct hc_gdb_reply *r, const void *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *from = bytes;

    for (size_t i = 0; i < n; i++) {
        if (r->n + 2 > sizeof r->text) {
            r->full = true;
            return;
        }
        r->text[r->n++] = digits[from[i] >> 4];
        r->text[r->n++] = digits[from[i] & 15];
    }
}

void hc_gdb_reply_hex_string(struct hc_gdb_reply *r, const char *text)
{
    hc_gdb_reply_hex(r, text, strlen(text));
}

void hc_gdb_reply_number(struct hc_gdb_reply *r, uint32_t value, int bytes)
{
    for (; bytes > 0; bytes--, value >>= 8) {
        uint8_t byte = (uint8_t)value;

        hc_gdb_reply_hex(r, &byte, 1);
    }
}

bool hc_gdb_take(struct hc_gdb_text *t, const char *literal)
{
    size_t n = strlen(literal);

    if ((size_t)(t->end - t->p) < n || memcmp(t->p, literal, n) != 0)
        return false;
    t->p += n;
    return true;
}

bool hc_gdb_take_number(struct hc_gdb_text *t, uint32_t *out)
{
    const char *p = t->p;
    uint64_t value = 0;

    for (; p < t->end && hc_gdb_hex_digit(*p) >= 0; p++) {
        value = value << 4 | (unsigned)hc_gdb_hex_digit(*p);
        if (value > UINT32_MAX)
            return false;
    }
    if (p == t->p)
        return false;
    t->p = p;
    *out = (uint32_t)value;
    return true;
}

bool hc_gdb_take_pair(struct hc_gdb_text *t, uint32_t *first, const char *between, uint32_t *second)
{
    struct hc_gdb_text rest = *t;

    if (!hc_gdb_take_number(&rest, first) || !hc_gdb_take(&rest, between) || !hc_gdb_take_number(&rest, second))
        return false;
    *t = rest;
    return true;
}

bool hc_gdb_take_bytes(struct hc_gdb_text *t, uint8_t *out, size_t n)
{
    if ((size_t)(t->end - t->p) / 2 < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = hc_gdb_hex_digit(t->p[2 * i]), low = hc_gdb_hex_digit(t->p[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high * 16 + low);
    }
    t->p += 2 * n;
    return true;
}
