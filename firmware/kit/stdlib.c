/* <stdlib.h> but for the heap (malloc.c). */
#include "kit.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

int errno;

/* ---- numbers in text ---- */

static uint8_t digit_of(char c)
{
    if (isdigit(c))
        return (uint8_t)(c - '0');
    return isalpha(c) ? (uint8_t)(tolower(c) - 'a' + 10) : 0xff;
}

struct number {
    uint32_t value;
    uint8_t negative, too_large;
};

/* VALUE * BASE + DIGIT; false where that has more than 32 bits. */
static uint8_t append(uint32_t *value, uint8_t base, uint8_t digit)
{
    uint32_t low = (*value & 0xffff) * base + digit;
    uint32_t high = (*value >> 16) * base + (low >> 16);
    *value = high << 16 | (low & 0xffff);
    return !(high >> 16);
}

static const char *after_prefix(const char *text, int *base)
{
    uint8_t is_hex = text[0] == '0' && (text[1] | 0x20) == 'x' && digit_of(text[2]) < 16;
    if (*base == 0)
        *base = is_hex ? 16 : *text == '0' ? 8 : 10;
    return is_hex && *base == 16 ? text + 2 : text;
}

static struct number read_number(const char *text, char **end, int base)
{
    struct number n = { 0, 0, 0 };
    const char *at = text;

    if (base < 0 || base == 1 || base > 36) {
        errno = EINVAL;
        base = 1; /* no digit fits: 0, and the end is the beginning */
    }
    while (isspace(*at))
        at++;
    n.negative = *at == '-';
    at += *at == '-' || *at == '+';
    at = base == 1 ? at : after_prefix(at, &base);
    const char *first = at;
    for (; base > 1 && digit_of(*at) < base; at++)
        n.too_large |= !append(&n.value, (uint8_t)base, digit_of(*at));
    if (end)
        *end = (char *)(at == first ? text : at);
    return n;
}

unsigned long strtoul(const char *text, char **end, int base)
{
    struct number n = read_number(text, end, base);
    if (n.too_large) {
        errno = ERANGE;
        return ULONG_MAX;
    }
    return n.negative ? -n.value : n.value;
}

long strtol(const char *text, char **end, int base)
{
    struct number n = read_number(text, end, base);
    if (n.too_large || n.value > (uint32_t)LONG_MAX + n.negative) {
        errno = ERANGE;
        return n.negative ? LONG_MIN : LONG_MAX;
    }
    return (long)(n.negative ? -n.value : n.value);
}

long atol(const char *text)
{
    return strtol(text, NULL, 10);
}

int atoi(const char *text)
{
    return (int)atol(text);
}

/* ---- sorting and searching ---- */

struct array {
    uint8_t *base;
    size_t size;
    int (*compare)(const void *, const void *);
};

static void swap(uint8_t *a, uint8_t *b, size_t size)
{
    while (size--) {
        uint8_t byte = *a;
        *a++ = *b;
        *b++ = byte;
    }
}

/* All but ROOT is a heap: the parent at offset i is not less than its children at 2i+1 and 2i+2 (elements). LAST is the
 * offset of the last element. */
static void sift_down(const struct array *a, size_t root, size_t last)
{
    size_t half = (last - a->size) / 2;
    while (last && root <= half) {
        size_t child = 2 * root + a->size;
        if (child < last && a->compare(a->base + child, a->base + child + a->size) < 0)
            child += a->size;
        if (a->compare(a->base + root, a->base + child) >= 0)
            return;
        swap(a->base + root, a->base + child, a->size);
        root = child;
    }
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    struct array a = { base, size, compare };
    if (count < 2 || !size)
        return;
    size_t last = (count - 1) * size;
    for (size_t root = count / 2 * size; root;) {
        root -= size;
        sift_down(&a, root, last);
    }
    while (last) {
        swap(a.base, a.base + last, size);
        last -= size;
        sift_down(&a, 0, last);
    }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    const uint8_t *from = base;
    while (count) {
        const uint8_t *middle = from + count / 2 * size;
        int order = compare(key, middle);
        if (order == 0)
            return (void *)middle;
        if (order > 0) {
            from = middle + size;
            count--;
        }
        count /= 2;
    }
    return NULL;
}

/* ---- arithmetic ---- */

static uint32_t random_state = 1;

int rand(void)
{
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state >> 16 & RAND_MAX);
}

void srand(unsigned seed)
{
    random_state = seed;
}

int abs(int n)
{
    return n < 0 ? -n : n;
}

long labs(long n)
{
    return n < 0 ? -n : n;
}

div_t div(int n, int d)
{
    return (div_t){ n / d, n % d };
}

ldiv_t ldiv(long n, long d)
{
    return (ldiv_t){ n / d, n % d };
}

/* ---- the end ---- */

__attribute__((weak)) void _Exit(int code)
{
    (void)code;
    for (;;)
        kit_set_status(CPUOFF);
}

void exit(int code)
{
    _Exit(code);
}

void abort(void)
{
    _Exit(EXIT_FAILURE);
}
