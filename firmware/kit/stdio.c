/* <stdio.h>: where formatted text goes. All of it is weak: a program may have a printf of its own, or an output, and
 * still use the rest. */
#include "format.h"
#include "kit.h"

#include <stdio.h>

#define WEAK __attribute__((weak))

/* ---- to standard output ---- */

WEAK int putchar(int c)
{
    kit_put_char((char)c);
    return (unsigned char)c;
}

static void put_out(void *unused, char c)
{
    (void)unused;
    putchar((unsigned char)c);
}

WEAK int puts(const char *text)
{
    while (*text)
        putchar((unsigned char)*text++);
    putchar('\n');
    return 1;
}

WEAK int vprintf(const char *format, va_list arguments)
{
    return kit_format(put_out, NULL, format, arguments);
}

WEAK int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vprintf(format, arguments);
    va_end(arguments);
    return count;
}

/* ---- to a string ---- */

struct string {
    char *to;
    size_t count, size;
};

static void put_in(void *to, char c)
{
    struct string *s = to;
    if (s->count + 1 < s->size)
        s->to[s->count++] = c;
}

WEAK int vsnprintf(char *to, size_t size, const char *format, va_list arguments)
{
    struct string s = { to, 0, size };
    int count = kit_format(put_in, &s, format, arguments);
    if (size)
        to[s.count] = 0;
    return count;
}

WEAK int snprintf(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return count;
}

WEAK int vsprintf(char *to, const char *format, va_list arguments)
{
    return vsnprintf(to, SIZE_MAX, format, arguments);
}

WEAK int sprintf(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vsprintf(to, format, arguments);
    va_end(arguments);
    return count;
}
