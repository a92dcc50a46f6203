#include "packet.h"

#include <string.h>

int hc_gdb_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

static void start(struct hc_gdb_reader *r)
{
    r->state = HC_GDB_WITHIN;
    r->too_long = false;
    r->sum = 0;
    r->n = 0;
}

static enum hc_gdb_input between(struct hc_gdb_reader *r, uint8_t byte)
{
    switch (byte) {
    case '$':
        start(r);
        return HC_GDB_INPUT_NOTHING;
    case '+':
        return HC_GDB_INPUT_ACK;
    case '-':
        return HC_GDB_INPUT_NAK;
    case 0x03:
        return HC_GDB_INPUT_INTERRUPT;
    default:
        return HC_GDB_INPUT_NOTHING;
    }
}

static void within(struct hc_gdb_reader *r, uint8_t byte)
{
    if (byte == '$') {
        start(r);
        return;
    }
    if (byte == '#') {
        r->state = HC_GDB_SUM_1;
        return;
    }
    r->sum = (uint8_t)(r->sum + byte);
    if (r->n < HC_GDB_PAYLOAD_MAX)
        r->payload[r->n++] = (char)byte;
    else
        r->too_long = true;
}

static enum hc_gdb_input finish(struct hc_gdb_reader *r, char second)
{
    int high = hc_gdb_hex_digit(r->digit), low = hc_gdb_hex_digit(second);

    r->state = HC_GDB_BETWEEN;
    r->payload[r->n] = 0;
    /* A packet that is too long comes out the same however often it is sent again: it's refused, not asked for again.
     */
    if (r->too_long)
        return HC_GDB_INPUT_TOO_LONG;
    return high >= 0 && low >= 0 && high * 16 + low == r->sum ? HC_GDB_INPUT_PACKET : HC_GDB_INPUT_DAMAGED;
}

enum hc_gdb_input hc_gdb_reader_take(struct hc_gdb_reader *r, uint8_t byte)
{
    switch (r->state) {
    case HC_GDB_BETWEEN:
        return between(r, byte);
    case HC_GDB_WITHIN:
        within(r, byte);
        return HC_GDB_INPUT_NOTHING;
    case HC_GDB_SUM_1:
        r->digit = (char)byte;
        r->state = HC_GDB_SUM_2;
        return HC_GDB_INPUT_NOTHING;
    case HC_GDB_SUM_2:
        break;
    }
    return finish(r, (char)byte);
}

/* How often the first byte repeats after itself, cut to a count that has a printable character of its own. */
static size_t repeats(const char *p, size_t n)
{
    enum { BIAS = 29, MOST = 126 - BIAS };
    size_t count = 0;

    while (count + 1 < n && count < MOST && p[count + 1] == p[0])
        count++;
    /* Characters that mean something outside of packets would confuse a reader that looks for them. */
    while (count > 2 && strchr("#$+-", (int)count + BIAS))
        count--;
    return count;
}

size_t hc_gdb_frame(char *out, const char *payload, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    size_t length = 1, i = 0;
    uint8_t sum = 0;

    out[0] = '$';
    while (i < n) {
        size_t count = repeats(payload + i, n - i);

        out[length++] = payload[i];
        if (count > 2) {
            out[length++] = '*';
            out[length++] = (char)(count + 29);
        } else {
            count = 0;
        }
        i += count + 1;
    }
    for (i = 1; i < length; i++)
        sum = (uint8_t)(sum + (uint8_t)out[i]);
    out[length++] = '#';
    out[length++] = digits[sum >> 4];
    out[length++] = digits[sum & 15];
    return length;
}

size_t hc_gdb_escape(char *out, size_t capacity, const uint8_t *in, size_t n, size_t *taken)
{
    size_t length = 0, i;

    for (i = 0; i < n; i++) {
        bool special = in[i] == '$' || in[i] == '#' || in[i] == '}' || in[i] == '*';

        if (length + 1 + special > capacity)
            break;
        if (special)
            out[length++] = '}';
        out[length++] = (char)(special ? in[i] ^ 0x20 : in[i]);
    }
    *taken = i;
    return length;
}

size_t hc_gdb_unescape(uint8_t *out, const char *in, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++) {
        if (in[i] != '}') {
            out[length++] = (uint8_t)in[i];
            continue;
        }
        if (++i == n)
            return SIZE_MAX;
        out[length++] = (uint8_t)in[i] ^ 0x20;
    }
    return length;
}
