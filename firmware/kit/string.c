/* <string.h>. Built with -fno-builtin, or these loops would become calls of themselves: a compiler may call memcpy,
 * memmove, memset, memcmp and strlen on its own. Small rather than fast. */
#include <stdint.h>
#include <string.h>

/* ---- blocks ---- */

void *memcpy(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    while (n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    uint8_t *t = to;
    const uint8_t *f = from;
    if (t <= f)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int value, size_t n)
{
    uint8_t *t = to;
    while (n--)
        *t++ = (uint8_t)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const uint8_t *p = a, *q = b;
    for (; n; n--, p++, q++)
        if (*p != *q)
            return *p - *q;
    return 0;
}

void *memchr(const void *block, int value, size_t n)
{
    for (const uint8_t *b = block; n; n--, b++)
        if (*b == (uint8_t)value)
            return (void *)b;
    return NULL;
}

/* ---- strings ---- */

size_t strlen(const char *text)
{
    size_t n = 0;
    while (text[n])
        n++;
    return n;
}

size_t strnlen(const char *text, size_t n)
{
    size_t length = 0;
    while (length < n && text[length])
        length++;
    return length;
}

char *stpcpy(char *to, const char *from)
{
    while ((*to = *from++))
        to++;
    return to;
}

char *strcpy(char *to, const char *from)
{
    stpcpy(to, from);
    return to;
}

char *strncpy(char *to, const char *from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = *from;
        from += *from != 0;
    }
    return to;
}

char *strcat(char *to, const char *from)
{
    strcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n)
{
    char *t = to + strlen(to);
    while (n-- && *from)
        *t++ = *from++;
    *t = 0;
    return to;
}

int strcmp(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return (uint8_t)*a - (uint8_t)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n && *a && *a == *b; n--, a++, b++)
        ;
    return n ? (uint8_t)*a - (uint8_t)*b : 0;
}

/* ---- searching ---- */

char *strchr(const char *text, int c)
{
    for (; *text != (char)c; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

char *strrchr(const char *text, int c)
{
    const char *last = NULL;
    do {
        if (*text == (char)c)
            last = text;
    } while (*text++);
    return (char *)last;
}

size_t strspn(const char *text, const char *set)
{
    size_t n = 0;
    while (text[n] && strchr(set, text[n]))
        n++;
    return n;
}

size_t strcspn(const char *text, const char *stops)
{
    size_t n = 0;
    while (text[n] && !strchr(stops, text[n]))
        n++;
    return n;
}

char *strpbrk(const char *text, const char *set)
{
    text += strcspn(text, set);
    return *text ? (char *)text : NULL;
}

char *strstr(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; strncmp(text, part, length) != 0; text++)
        if (!*text)
            return NULL;
    return (char *)text;
}

char *strtok_r(char *text, const char *delimiters, char **rest)
{
    if (!text)
        text = *rest;
    text += strspn(text, delimiters);
    char *end = text + strcspn(text, delimiters);
    *rest = *end ? end + 1 : end;
    if (end == text)
        return NULL;
    *end = 0;
    return text;
}

char *strtok(char *text, const char *delimiters)
{
    static char *rest;
    return strtok_r(text, delimiters, &rest);
}
