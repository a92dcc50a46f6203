#include "lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer ones first. */
static const char *const operators[] = {
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=",  "/=",  "%=",  "&=", "|=", "^=", "::", "+",  "-",  "*",  "/",  "%",  "<",  ">",  "=",  "!",
    "~",   "&",   "|",   "^",  "?",  ":",  "(",  ")",  "[",  "]",  ".",  ",",  "@",  "{",  "}",  ";",
};

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool copy_name(struct hc_token *out, const char *from, size_t n, struct hc_debug_message *message)
{
    if (n >= sizeof out->name)
        return hc_debug_fail(message, "a name of %zu characters is too long", n);
    memcpy(out->name, from, n);
    out->name[n] = '\0';
    return true;
}

/* ---- numbers ---- */

/* C's rule: the first of these types that holds it; hexadecimal numbers may be unsigned without saying so. */
static const struct hc_type *type_of(uint64_t value, bool decimal, bool is_unsigned, int longs)
{
    static const enum hc_basic order[] = { HC_BASIC_INT,   HC_BASIC_UINT,     HC_BASIC_LONG,
                                           HC_BASIC_ULONG, HC_BASIC_LONGLONG, HC_BASIC_ULONGLONG };

    for (size_t i = (size_t)longs * 2; i < sizeof order / sizeof *order; i++) {
        const struct hc_type *t = &hc_basic[order[i]];
        uint64_t most = UINT64_MAX >> (64 - 8 * t->size) >> t->is_signed;
        if ((is_unsigned && t->is_signed) || (decimal && !is_unsigned && !t->is_signed) || value > most)
            continue;
        return t;
    }
    return &hc_basic[HC_BASIC_ULONGLONG];
}

static bool read_suffix(const char **p, bool *is_unsigned, int *longs)
{
    *is_unsigned = false;
    *longs = 0;
    for (;; (*p)++) {
        if ((**p == 'u' || **p == 'U') && !*is_unsigned)
            *is_unsigned = true;
        else if ((**p == 'l' || **p == 'L') && *longs < 2)
            ++*longs;
        else
            return !is_name(**p);
    }
}

static bool read_real(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message)
{
    char *end;
    double f = strtod(text + *at, &end);
    bool single = *end == 'f' || *end == 'F';

    end += single || *end == 'l' || *end == 'L';
    if (is_name(*end))
        return hc_debug_fail(message, "column %zu: not a number", *at + 1);
    out->number =
        (struct hc_number){ .type = &hc_basic[single ? HC_BASIC_FLOAT : HC_BASIC_DOUBLE], .f = single ? (float)f : f };
    *at = (size_t)(end - text);
    return true;
}

static bool is_real(const char *p)
{
    bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');

    for (p += hex ? 2 : 0; is_name(*p) || *p == '.'; p++)
        if (*p == '.' || (!hex && (*p == 'e' || *p == 'E')) || (hex && (*p == 'p' || *p == 'P')))
            return true;
    return false;
}

static bool read_number(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message)
{
    const char *p = text + *at;
    bool binary = p[0] == '0' && (p[1] == 'b' || p[1] == 'B'), is_unsigned;
    char *end;
    int longs;

    out->kind = HC_TOKEN_NUMBER;
    if (is_real(p))
        return read_real(text, at, out, message);
    uint64_t value = strtoull(binary ? p + 2 : p, &end, binary ? 2 : 0);
    const char *rest = end;
    if (!read_suffix(&rest, &is_unsigned, &longs))
        return hc_debug_fail(message, "column %zu: not a number", *at + 1);
    out->number = hc_number_of(type_of(value, *p != '0', is_unsigned, longs), value);
    *at = (size_t)(rest - text);
    return true;
}

/* ---- characters and quoted files ---- */

static bool read_escape(const char **p, int *value)
{
    static const char letters[] = "abfnrtv0\\'\"?", codes[] = "\a\b\f\n\r\t\v\0\\'\"?";

    if (**p == 'x') {
        char *end;
        *value = (int)(signed char)strtoul(*p + 1, &end, 16);
        bool well = end > *p + 1;
        *p = end;
        return well;
    }
    if (**p >= '0' && **p <= '7') {
        int n = 0;
        for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
            n = 8 * n + *(*p)++ - '0';
        *value = (signed char)n;
        return true;
    }
    const char *found = **p ? strchr(letters, **p) : NULL;
    if (!found)
        return false;
    *value = codes[found - letters];
    ++*p;
    return true;
}

static bool read_quoted(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message)
{
    const char *p = text + *at + 1, *end = strchr(p, '\'');
    int value;

    if (end && end[1] == ':' && end[2] == ':') {
        out->kind = HC_TOKEN_SCOPE;
        *at = (size_t)(end + 3 - text);
        return copy_name(out, p, (size_t)(end - p), message);
    }
    out->kind = HC_TOKEN_NUMBER;
    if (*p == '\\') {
        p++;
        if (!read_escape(&p, &value))
            return hc_debug_fail(message, "column %zu: unknown escape in a character", *at + 1);
    } else if (*p && *p != '\'') {
        value = (signed char)*p++;
    } else {
        return hc_debug_fail(message, "column %zu: empty character constant", *at + 1);
    }
    if (*p != '\'')
        return hc_debug_fail(message, "column %zu: quote is not closed", *at + 1);
    out->number = hc_number_of(&hc_basic[HC_BASIC_INT], (uint64_t)value);
    *at = (size_t)(p + 1 - text);
    return true;
}

static bool read_name(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message)
{
    size_t start = *at, end = *at;

    while (is_name(text[end]))
        end++;
    out->kind = HC_TOKEN_NAME;
    *at = end;
    if (text[end] == ':' && text[end + 1] == ':') {
        out->kind = HC_TOKEN_SCOPE;
        *at = end + 2;
    }
    return copy_name(out, text + start, end - start, message);
}

bool hc_lex(const char *text, size_t *at, struct hc_token *out, struct hc_debug_message *message)
{
    while (isspace((unsigned char)text[*at]))
        ++*at;
    char c = text[*at];
    out->at = *at;
    out->kind = HC_TOKEN_END;
    if (!c)
        return true;
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)text[*at + 1])))
        return read_number(text, at, out, message);
    if (is_name_start(c))
        return read_name(text, at, out, message);
    if (c == '\'')
        return read_quoted(text, at, out, message);
    if (c == '$') {
        ++*at;
        bool well = read_name(text, at, out, message);
        out->kind = HC_TOKEN_REGISTER;
        return well;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strncmp(text + *at, operators[i], strlen(operators[i]))) {
            out->kind = HC_TOKEN_OPERATOR;
            snprintf(out->op, sizeof out->op, "%s", operators[i]);
            *at += strlen(operators[i]);
            return true;
        }
    if (c == '"')
        return hc_debug_fail(message, "column %zu: strings cannot be used: they have no place in memory", *at + 1);
    return hc_debug_fail(message, "column %zu: unexpected '%c'", *at + 1, c);
}
