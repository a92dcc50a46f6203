#include "scan.h"

#include <ctype.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static uint32_t line_end(const char *text, size_t size, uint32_t at)
{
    const char *newline = memchr(text + at, '\n', size - at);
    return newline ? (uint32_t)(newline - text) : (uint32_t)size;
}

uint32_t hc_scan_blank(const char *text, size_t size, uint32_t at)
{
    bool line_start = at == 0 || text[at - 1] == '\n';
    for (; at < size; at++) {
        if (text[at] == '\n') {
            line_start = true;
        } else if (isspace((unsigned char)text[at])) {
            continue;
        } else if (text[at] == '#' && line_start) {
            at = line_end(text, size, at) - 1;
        } else if (text[at] == '/' && at + 1 < size && text[at + 1] == '/') {
            at = line_end(text, size, at) - 1;
        } else if (text[at] == '/' && at + 1 < size && text[at + 1] == '*') {
            for (at += 2; at + 1 < size && (text[at] != '*' || text[at + 1] != '/'); at++)
                ;
            at++;
            line_start = false;
        } else {
            return at;
        }
    }
    return (uint32_t)size;
}

uint32_t hc_scan_token(const char *text, size_t size, uint32_t at)
{
    if (at >= size)
        return (uint32_t)size;
    char first = text[at++];
    if (first == '"' || first == '\'') {
        for (; at < size && text[at] != first && text[at] != '\n'; at++)
            at += text[at] == '\\';
        return at < size ? at + 1 : (uint32_t)size;
    }
    while (is_word(first) && at < size && is_word(text[at]))
        at++;
    return at;
}

uint32_t hc_scan_find(const char *text, uint32_t at, uint32_t end, char mark)
{
    int depth = 0;
    for (at = hc_scan_blank(text, end, at); at < end; at = hc_scan_blank(text, end, hc_scan_token(text, end, at))) {
        if (depth == 0 && text[at] == mark)
            return at;
        if (strchr("([{", text[at]))
            depth++;
        else if (strchr(")]}", text[at]))
            depth--;
    }
    return end;
}

static bool is_the_word(const char *text, uint32_t from, uint32_t to, const char *word)
{
    while (from < to && text[from] == '_')
        from++;
    while (to > from && text[to - 1] == '_')
        to--;
    return to - from == strlen(word) && !memcmp(text + from, word, to - from);
}

bool hc_scan_has_attribute(const char *text, uint32_t begin, uint32_t end, const char *word)
{
    int depth = -1; /* of brackets within an attribute; -1 outside */
    for (uint32_t at = hc_scan_blank(text, end, begin); at < end;) {
        uint32_t next = hc_scan_token(text, end, at);
        if (depth < 0 && is_the_word(text, at, next, "attribute"))
            depth = 0;
        else if (depth > 0 && is_the_word(text, at, next, word))
            return true;
        else if (depth >= 0 && text[at] == '(')
            depth++;
        else if (depth > 0 && text[at] == ')')
            depth = depth > 1 ? depth - 1 : -1;
        at = hc_scan_blank(text, end, next);
    }
    return false;
}
