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

struct number {
    union {
        unsigned long long quad;
        unsigned long pair;
        uint16_t word[WORDS]; /* lowest first */
    };
    uint8_t count; /* of words */
};

static void take_number(struct state *s, const struct conversion *c, struct number *n)
{
    if (c->length == 'q') {
        n->quad = va_arg(s->arguments, unsigned long long);
        n->count = 4;
    } else if (c->length == 'l') {
        n->pair = va_arg(s->arguments, unsigned long);
        n->count = 2;
    } else {
        unsigned word = va_arg(s->arguments, unsigned);
        uint8_t is_signed = c->kind == 'd' || c->kind == 'i';
        n->word[0] = (uint16_t)(c->length != 'c' ? word : is_signed ? (unsigned)(signed char)word : (uint8_t)word);
        n->count = 1;
    }
}

/* The number is signed; returns whether it was negative. */
static uint8_t make_positive(struct number *n)
{
    uint8_t carry = 1;
    if (!(n->word[n->count - 1] & 0x8000))
        return 0;
    for (uint8_t i = 0; i < n->count; i++) {
        n->word[i] = (uint16_t)(~n->word[i] + carry);
        carry = carry && !n->word[i];
    }
    return 1;
}

/* Divides the number by BASE; returns the remainder. */
static uint8_t divide(struct number *n, uint8_t base)
{
    uint8_t remainder = 0;
    for (uint8_t i = n->count; i--;) {
        uint16_t word = n->word[i];
        for (uint8_t bits = 16; bits; bits--) {
            remainder = (uint8_t)(remainder << 1 | word >> 15);
            word = (uint16_t)(word << 1);
            if (remainder >= base) {
                remainder = (uint8_t)(remainder - base);
                word |= 1;
            }
        }
        n->word[i] = word;
    }
    return remainder;
}

/* Writes the number's digits before END, none for 0; returns the first. */
static char *digits_of(struct number *n, uint8_t base, char letters, char *end)
{
    for (;;) {
        while (n->count && !n->word[n->count - 1])
            n->count--;
        if (!n->count)
            return end;
        uint8_t digit = divide(n, base);
        *--end = (char)(digit < 10 ? '0' + digit : letters + digit - 10);
    }
}

/* Sign or 0x, zeros, digits; padded to the width on either side. */
static void put_digits(struct state *s, const struct conversion *c, const char *prefix, int zeros, const char *digits,
                       int count)
{
    int signs = (int)strlen(prefix), padding = c->width - count - signs - zeros;
    if (c->flags & ZERO && !(c->flags & LEFT) && c->precision < 0 && padding > 0) {
        zeros += padding;
        padding = 0;
    }
    if (!(c->flags & LEFT))
        put_many(s, ' ', padding);
    put_text(s, prefix, signs);
    put_many(s, '0', zeros);
    put_text(s, digits, count);
    if (c->flags & LEFT)
        put_many(s, ' ', padding);
}

static void put_number(struct state *s, const struct conversion *c)
{
    struct number n;
    char digits[DIGITS];
    const char *prefix = "";
    uint8_t base = c->kind == 'o' ? 8 : c->kind == 'u' ? 10 : 16;

    take_number(s, c, &n);
    if (c->kind == 'd' || c->kind == 'i') {
        base = 10;
        prefix = make_positive(&n) ? "-" : c->flags & PLUS ? "+" : c->flags & SPACE ? " " : "";
    }
    const char *first = digits_of(&n, base, c->kind == 'X' ? 'A' : 'a', digits + DIGITS);
    int count = (int)(digits + DIGITS - first), zeros = (c->precision < 0 ? 1 : c->precision) - count;
    if (c->kind == 'p' || (base == 16 && c->flags & ALTERNATE && count))
        prefix = c->kind == 'X' ? "0X" : "0x";
    if (base == 8 && c->flags & ALTERNATE && zeros <= 0)
        zeros = 1;
    put_digits(s, c, prefix, zeros < 0 ? 0 : zeros, first, count);
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

static uint8_t is_one_of(char kind, const char *kinds)
{
    return kind && strchr(kinds, kind);
}

/* FROM to TO is the conversion as it is written. */
static void put_conversion(struct state *s, const struct conversion *c, const char *from, const char *to)
{
    if (is_one_of(c->kind, "diuxXop")) {
        put_number(s, c);
    } else if (c->kind == 's') {
        put_string(s, c);
    } else if (c->kind == 'c') {
        put_char(s, c);
    } else if (c->kind == '%') {
        put(s, '%');
    } else if (is_one_of(c->kind, "fFeEgGaA")) {
        (void)va_arg(s->arguments, double);
        put_padded(s, c, "(float)", 7);
    } else {
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
