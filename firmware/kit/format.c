/* Formatted output, without floats.
 *
 * Numbers are turned into digits by shifting and subtracting, base 10, 8 and 16 alike, a word of 16 bits after the
 * other: that needs no division, and takes as long as the number has words. */
#include "format.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum flag { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16 };

enum {
    WORDS = 4,   /* of the longest number */
    DIGITS = 22, /* of 64 bits in octal */
};

/* One conversion: %-08.3ld */
struct conversion {
    uint8_t flags;
    char length; /* 'h', 'l', 'c' for hh, 'q' for ll, or 0 */
    char kind;   /* 'd' */
    int width;
    int precision; /* -1: none */
};

struct state {
    void (*put)(void *to, char c);
    void *to;
    unsigned count;
    va_list arguments;
};

static void put(struct state *s, char c)
{
    s->put(s->to, c);
    if (s->count <= INT_MAX)
        s->count++;
}

static void put_many(struct state *s, char c, int n)
{
    for (; n > 0; n--)
        put(s, c);
}

static void put_text(struct state *s, const char *text, int n)
{
    for (; n > 0; n--)
        put(s, *text++);
}

/* ---- reading a conversion ---- */

static const char *read_flags(const char *at, struct conversion *c)
{
    static const char flags[] = "-+ #0";
    for (const char *flag; *at && (flag = strchr(flags, *at)); at++)
        c->flags |= (uint8_t)(1 << (flag - flags));
    return at;
}

/* A number, at most INT_MAX, or * for an argument. */
static const char *read_size(struct state *s, const char *at, int *size)
{
    *size = 0;
    if (*at == '*') {
        *size = va_arg(s->arguments, int);
        return at + 1;
    }
    for (; isdigit(*at); at++) {
        int digit = *at - '0';
        int fits = *size < INT_MAX / 10 || (*size == INT_MAX / 10 && digit <= INT_MAX % 10);
        *size = fits ? *size * 10 + digit : INT_MAX;
    }
    return at;
}

static const char *read_length(const char *at, struct conversion *c)
{
    if (*at == 'h' || *at == 'l') {
        c->length = *at++;
        if (*at == c->length)
            c->length = *at++ == 'h' ? 'c' : 'q';
    } else if (*at == 'j') {
        c->length = 'q';
        at++;
    } else if (*at == 'z' || *at == 't' || *at == 'L') {
        at++; /* of an int's size; a long double is a double */
    }
    return at;
}

/* AT is behind the %; returns where the text goes on. */
static const char *read_conversion(struct state *s, const char *at, struct conversion *c)
{
    *c = (struct conversion){ .precision = -1 };
    at = read_size(s, read_flags(at, c), &c->width);
    if (c->width < 0) {
        c->flags |= LEFT;
        c->width = c->width < -INT_MAX ? INT_MAX : -c->width;
    }
    if (*at == '.')
        at = read_size(s, at + 1, &c->precision);
    if (c->precision < 0)
        c->precision = -1;
    at = read_length(at, c);
    c->kind = *at;
    return *at ? at + 1 : at;
}

/* ---- integers ---- */

static uint64_t take_unsigned(struct state *s, char length)
{
    switch (length) {
    case 'q':
        return va_arg(s->arguments, unsigned long long);
    case 'l':
        return va_arg(s->arguments, unsigned long);
    case 'c':
        return (unsigned char)va_arg(s->arguments, unsigned);
    default:
        return va_arg(s->arguments, unsigned);
    }
}

static int64_t take_signed(struct state *s, char length)
{
    switch (length) {
    case 'q':
        return va_arg(s->arguments, long long);
    case 'l':
        return va_arg(s->arguments, long);
    case 'c':
        return (signed char)va_arg(s->arguments, int);
    default:
        return va_arg(s->arguments, int);
    }
}

/* Divides the number of COUNT words, lowest first, by BASE; returns the remainder. */
static uint8_t divide(uint16_t *number, uint8_t count, uint8_t base)
{
    uint8_t remainder = 0;
    while (count--) {
        uint16_t word = number[count];
        for (uint8_t bits = 16; bits; bits--) {
            remainder = (uint8_t)(remainder << 1 | word >> 15);
            word = (uint16_t)(word << 1);
            if (remainder >= base) {
                remainder = (uint8_t)(remainder - base);
                word |= 1;
            }
        }
        number[count] = word;
    }
    return remainder;
}

/* Writes the digits of VALUE before END, none for 0; returns the first. */
static char *digits_of(uint64_t value, uint8_t base, char letters, char *end)
{
    uint16_t number[WORDS];
    uint8_t count = 0;
    for (; value; value >>= 16)
        number[count++] = (uint16_t)value;
    while (count) {
        uint8_t digit = divide(number, count, base);
        *--end = (char)(digit < 10 ? '0' + digit : letters + digit - 10);
        while (count && !number[count - 1])
            count--;
    }
    return end;
}

/* Sign or 0x, zeros, digits; padded to the width on either side. */
static void put_number(struct state *s, struct conversion *c, uint64_t value, uint8_t base, const char *prefix)
{
    char digits[DIGITS];
    char *first = digits_of(value, base, c->kind == 'X' ? 'A' : 'a', digits + DIGITS);
    int count = (int)(digits + DIGITS - first), signs = (int)strlen(prefix);
    int zeros = (c->precision < 0 ? 1 : c->precision) - count;

    if (base == 8 && c->flags & ALTERNATE && zeros <= 0)
        zeros = 1;
    if (zeros < 0)
        zeros = 0;
    int padding = c->width - count - signs - zeros;
    if (c->flags & ZERO && !(c->flags & LEFT) && c->precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(c->flags & LEFT))
        put_many(s, ' ', padding);
    put_text(s, prefix, signs);
    put_many(s, '0', zeros);
    put_text(s, first, count);
    if (c->flags & LEFT)
        put_many(s, ' ', padding);
}

static void put_signed(struct state *s, struct conversion *c)
{
    int64_t value = take_signed(s, c->length);
    const char *sign = value < 0 ? "-" : c->flags & PLUS ? "+" : c->flags & SPACE ? " " : "";
    put_number(s, c, value < 0 ? -(uint64_t)value : (uint64_t)value, 10, sign);
}

static void put_hex(struct state *s, struct conversion *c)
{
    uint64_t value = take_unsigned(s, c->length);
    const char *prefix = !(c->flags & ALTERNATE) || !value ? "" : c->kind == 'X' ? "0X" : "0x";
    put_number(s, c, value, 16, prefix);
}

/* ---- text ---- */

static void put_padded(struct state *s, const struct conversion *c, const char *text, int length)
{
    if (!(c->flags & LEFT))
        put_many(s, ' ', c->width - length);
    put_text(s, text, length);
    if (c->flags & LEFT)
        put_many(s, ' ', c->width - length);
}

static void put_string(struct state *s, const struct conversion *c)
{
    const char *text = va_arg(s->arguments, const char *);
    if (!text)
        text = c->precision >= 0 && c->precision < 6 ? "" : "(null)";
    put_padded(s, c, text, (int)strnlen(text, c->precision < 0 ? INT_MAX : (size_t)c->precision));
}

static void put_char(struct state *s, const struct conversion *c)
{
    char text = (char)va_arg(s->arguments, int);
    put_padded(s, c, &text, 1);
}

/* ---- all of it ---- */

/* FROM to TO is the conversion as it is written. */
static void put_conversion(struct state *s, struct conversion *c, const char *from, const char *to)
{
    switch (c->kind) {
    case 'd':
    case 'i':
        put_signed(s, c);
        break;
    case 'u':
        put_number(s, c, take_unsigned(s, c->length), 10, "");
        break;
    case 'o':
        put_number(s, c, take_unsigned(s, c->length), 8, "");
        break;
    case 'x':
    case 'X':
        put_hex(s, c);
        break;
    case 'p':
        put_number(s, c, (uintptr_t)va_arg(s->arguments, void *), 16, "0x");
        break;
    case 'c':
        put_char(s, c);
        break;
    case 's':
        put_string(s, c);
        break;
    case '%':
        put(s, '%');
        break;
    default:
        if (c->kind && strchr("fFeEgGaA", c->kind)) {
            (void)va_arg(s->arguments, double);
            put_padded(s, c, "(float)", 7);
            break;
        }
        if (c->kind == 'n')
            (void)va_arg(s->arguments, void *);
        put_text(s, from, (int)(to - from));
    }
}

int kit_format(void (*function)(void *to, char c), void *to, const char *format, va_list arguments)
{
    struct state s = { .put = function, .to = to };
    struct conversion c;

    va_copy(s.arguments, arguments);
    while (*format) {
        const char *from = format++;
        if (*from != '%') {
            put(&s, *from);
            continue;
        }
        format = read_conversion(&s, format, &c);
        put_conversion(&s, &c, from, format);
    }
    va_end(s.arguments);
    return s.count > INT_MAX ? -1 : (int)s.count;
}
