#include "values.h"

#include "inputs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULT = 12, LEAST = -32768, MOST = 65535 };

/* ---- which values ---- */

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
            snprintf(message, size, "'%.20s' is no number from %d to %d", text, LEAST, MOST);
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
    return !strncmp(spec, prefix, strlen(prefix)) && number(&text, &v->first) && *text++ == ':' &&
           number(&text, &v->second) && !*text && (kind != HC_VALUES_RANDOM || v->first <= v->second);
}

int hc_input_values_parse(struct hc_input_values *v, const char *spec, char *message, size_t size)
{
    if (!isalpha((unsigned char)*spec))
        return hc_input_values_parse_table(v, spec, message, size);
    if (generator(v, spec, "ramp:", HC_VALUES_RAMP) || generator(v, spec, "random:", HC_VALUES_RANDOM))
        return 0;
    snprintf(message, size, "'%.40s' is no list of numbers, @FILE, ramp:START:STEP or random:LOW:HIGH", spec);
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

/* ---- given to a machine ---- */

struct fed_input {
    struct hc_fed_inputs *all;
    const struct hc_input_values *values;
    uint64_t *when; /* instructions retired at each measurement of this run */
    size_t count, room;
    int hook;
};

struct hc_fed_inputs {
    struct hc_machine *machine;
    struct fed_input input[HC_INPUTS_MAX];
    size_t inputs;
    int main_hook;
};

static enum hc_action answered(void *owner, struct hc_machine *m, bool entering)
{
    struct fed_input *f = owner;
    struct hc_statistics s;

    if (entering)
        return HC_CONTINUE;
    hc_machine_statistics(m, &s);
    while (f->count && f->when[f->count - 1] >= s.instructions) /* the run has been taken back */
        f->count--;
    if (f->count == f->room) {
        f->room = f->room ? 2 * f->room : 64;
        f->when = realloc(f->when, f->room * sizeof *f->when);
        if (!f->when)
            abort();
    }
    hc_set_register(m, RESULT, hc_input_values_at(f->values, f->count));
    f->when[f->count++] = s.instructions;
    return HC_CONTINUE;
}

static enum hc_action begins(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct hc_fed_inputs *f = owner;

    (void)m;
    (void)pc;
    for (size_t i = 0; i < f->inputs; i++)
        f->input[i].count = 0;
    return HC_CONTINUE;
}

struct hc_fed_inputs *hc_fed_inputs_new(struct hc_machine *m, const struct hc_power_input *input, size_t count,
                                        uint32_t main)
{
    struct hc_fed_inputs *f = calloc(1, sizeof *f);

    if (!f)
        abort();
    f->machine = m;
    for (size_t i = 0; i < count && i < HC_INPUTS_MAX; i++)
        if (input[i].values) {
            struct fed_input *one = &f->input[f->inputs++];
            *one = (struct fed_input){ .all = f, .values = input[i].values };
            one->hook = hc_hook_call(m, input[i].address, answered, one);
        }
    if (f->inputs && main)
        f->main_hook = hc_hook_pc(m, main, begins, f);
    return f;
}

void hc_fed_inputs_free(struct hc_fed_inputs *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->inputs; i++) {
        hc_unhook(f->machine, f->input[i].hook);
        free(f->input[i].when);
    }
    if (f->main_hook)
        hc_unhook(f->machine, f->main_hook);
    free(f);
}
