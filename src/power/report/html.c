#include "html.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The character at TEXT, if it is one that XML allows; how many bytes it takes. */
static bool decode(const char *text, size_t *length)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *t = (const unsigned char *)text;
    unsigned bytes = t[0] < 0x80 ? 1 : t[0] >> 5 == 6 ? 2 : t[0] >> 4 == 14 ? 3 : t[0] >> 3 == 30 ? 4 : 0;
    uint32_t c = bytes > 1 ? t[0] & (0x7fu >> bytes) : t[0];

    *length = 1;
    if (!bytes)
        return false;
    for (unsigned i = 1; i < bytes; i++) {
        if (t[i] >> 6 != 2)
            return false;
        c = c << 6 | (t[i] & 0x3fu);
    }
    if (c < least[bytes] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe)
        return false;
    *length = bytes;
    return (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0)) || c == '\t' || c == '\n';
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void hc_html_text_short(FILE *out, const char *text, size_t n)
{
    size_t length;

    for (; *text && n > 0; text += length, n--) {
        bool good = decode(text, &length);
        const char *escaped = entity(*text);
        if (!good)
            fputs("\xef\xbf\xbd", out);
        else if (escaped)
            fputs(escaped, out);
        else
            fwrite(text, 1, length, out);
    }
    if (*text)
        fputs("\xe2\x80\xa6", out);
}

void hc_html_text(FILE *out, const char *text)
{
    hc_html_text_short(out, text, SIZE_MAX);
}

const char *hc_html_verdict_class(const char *verdict)
{
    if (!strcmp(verdict, "silent"))
        return "quiet";
    if (!strcmp(verdict, "not evaluated") || !strcmp(verdict, "harmless so far"))
        return "open";
    return strcmp(verdict, "harmless") ? "bad" : "ok";
}
