#include "values.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = -32768, MOST = 65535 };

/* A number at *TEXT, which is moved behind it. */
static bool number(const char **text, int32_t *out)
{
    char *end;
    long value = strtol(*text, &end, 0);

    if (end == *text || value < LEAST || value > MOST)
        return false;
    *text = end;
    *out = (int32_t)value;
    return true;
}

static const char *skip(const char *text)
{
    while (isspace((unsigned char)*text) || *text == ',' || *text == '#') {
        if (*text == '#')
            text += strcspn(text, "\n");
        else
            text++;
    }
    return text;
}

static void add(struct hc_input_values *v, int32_t value)
{
    if (!(v->count & (v->count - 1))) { /* full at each power of two */
        v->table = realloc(v->table, (v->count ? 2 * v->count : 1) * sizeof *v->table);
        if (!v->table)
            abort();
    }
    v->table[v->count++] = (uint16_t)value;
}

int hc_input_values_parse_table(struct hc_input_values *v, const char *text, char *message, size_t size)
{
    *v = (struct hc_input_values){ .kind = HC_VALUES_TABLE };
    for (text = skip(text); *text; text = skip(text)) {
        int32_t value;
        if (!number(&text, &value)) {
            snprintf(message, size, "'%.20s': expected a number %d..%d", text, LEAST, MOST);
            hc_input_values_free(v);
            return -1;
        }
        add(v, value);
    }
    if (v->count)
        return 0;
    snprintf(message, size, "there is no value");
    return -1;
}

/* "ramp:START:STEP", "random:LOW:HIGH"; PREFIX with its colon. */
static bool generator(struct hc_input_values *v, const char *spec, const char *prefix, enum hc_values_kind kind)
{
    const char *text = spec + strlen(prefix);

    *v = (struct hc_input_values){ .kind = kind };
    if (strncmp(spec, prefix, strlen(prefix)) != 0 || !number(&text, &v->first) || *text != ':')
        return false;
    text++;
    return number(&text, &v->second) && !*text && (kind != HC_VALUES_RANDOM || v->first <= v->second);
}

int hc_input_values_parse(struct hc_input_values *v, const char *spec, char *message, size_t size)
{
    if (!isalpha((unsigned char)*spec))
        return hc_input_values_parse_table(v, spec, message, size);
    if (generator(v, spec, "ramp:", HC_VALUES_RAMP) || generator(v, spec, "random:", HC_VALUES_RANDOM))
        return 0;
    snprintf(message, size, "'%.40s': expected a list of numbers, @FILE, ramp:START:STEP or random:LOW:HIGH", spec);
    return -1;
}

void hc_input_values_free(struct hc_input_values *v)
{
    free(v->table);
    *v = (struct hc_input_values){ 0 };
}

static uint64_t scrambled(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint16_t hc_input_values_at(const struct hc_input_values *v, uint64_t n)
{
    switch (v->kind) {
    case HC_VALUES_RAMP:
        return (uint16_t)(v->first + (int64_t)(n & 0xffff) * v->second);
    case HC_VALUES_RANDOM:
        return (uint16_t)(v->first + (int64_t)(scrambled(n) % (uint64_t)(v->second - v->first + 1)));
    default:
        return v->table[n % v->count];
    }
}
