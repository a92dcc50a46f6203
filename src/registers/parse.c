/* The text of a description (docs/registers.md), read in two passes: registers first, then what names them. */
#include "internal.h"

#include "../support/grow.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 32, LINE_MAX_BYTES = 500, NAMES_MAX = 4 * HC_REGS_MAX };

struct parser {
    struct hc_regs_store *store;
    const char *file;
    struct hc_regs_message *message;
    int line;
    int words;
    char *word[WORDS_MAX];
    int pass;
    size_t reg_room, name_room, string_room, effect_room, lock_room;
    bool has_part, has_peripherals;
};

static int bad(struct parser *p, const char *format, ...)
{
    va_list arguments;
    char cause[240];

    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    if (p->line)
        snprintf(p->message->text, sizeof p->message->text, "%.200s:%d: %s", p->file, p->line, cause);
    else
        snprintf(p->message->text, sizeof p->message->text, "%.200s: %s", p->file, cause);
    return HC_REGS_BAD;
}

static int no_memory(struct parser *p)
{
    bad(p, "out of memory");
    return HC_REGS_NO_MEMORY;
}

static const char *keep_string(struct parser *p, const char *text)
{
    if (!hc_grow(&p->store->strings, p->store->string_count, &p->string_room, sizeof(char *)))
        return NULL;
    char *copy = strdup(text);
    if (copy)
        p->store->strings[p->store->string_count++] = copy;
    return copy;
}

/* ---- words ---- */

static int number(struct parser *p, const char *what, const char *text, uint32_t max, uint32_t *out)
{
    char *end;
    unsigned long value = strtoul(text, &end, 0);

    if (!isdigit((unsigned char)*text) || *end)
        return bad(p, "%s: '%.40s' is not a number", what, text);
    if (value > max)
        return bad(p, "%s: %.40s is more than 0x%x", what, text, (unsigned)max);
    *out = (uint32_t)value;
    return 0;
}

/* "0x12" or "0x12<PART>0x34"; without the second, *SECOND stays as it is. */
static int pair(struct parser *p, const char *what, char *text, char part, uint32_t *first, uint32_t *second)
{
    char *middle = strchr(text, part);
    int error = 0;

    if (middle) {
        *middle = 0;
        error = number(p, what, middle + 1, UINT32_MAX, second);
    }
    return error ? error : number(p, what, text, UINT32_MAX, first);
}

static bool is_name(const char *text)
{
    size_t length = strlen(text);

    if (!length || length >= HC_REGS_NAME_MAX || isdigit((unsigned char)*text) || *text == '_')
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

/* The value of "KEY=value", NULL if WORD is none such. */
static char *value_of(char *word, const char *key)
{
    size_t length = strlen(key);

    return !strncmp(word, key, length) && word[length] == '=' ? word + length + 1 : NULL;
}

/* The value of the only word "KEY=..." of the line; a message if it is missing. */
static char *need(struct parser *p, const char *key)
{
    for (int i = 1; i < p->words; i++) {
        char *value = value_of(p->word[i], key);
        if (value)
            return value;
    }
    bad(p, "%s= is missing", key);
    return NULL;
}

static int register_named(struct parser *p, const char *name, const struct hc_reg **out)
{
    *out = hc_regs_named(&p->store->base, name);
    return *out ? 0 : bad(p, "no register %.40s", name);
}

static int need_register(struct parser *p, const char *key, uint32_t *address)
{
    const struct hc_reg *reg = NULL;
    char *name = need(p, key);
    int error = name ? register_named(p, name, &reg) : HC_REGS_BAD;

    if (!error)
        *address = reg->address;
    return error;
}

static int need_number(struct parser *p, const char *key, uint32_t max, uint32_t *out)
{
    char *text = need(p, key);

    return text ? number(p, key, text, max, out) : HC_REGS_BAD;
}

static int need_vector(struct parser *p, const char *key, uint8_t *out)
{
    char *name = need(p, key);

    if (!name)
        return HC_REGS_BAD;
    for (int i = 0; i < p->store->base.vectors; i++) {
        const char *other = p->store->base.vector[i].name;
        if (other && !strcmp(other, name)) {
            *out = (uint8_t)i;
            return 0;
        }
    }
    return bad(p, "no vector %.40s", name);
}

/* ---- the part ---- */

static int parse_part(struct parser *p)
{
    if (p->words != 2 || !is_name(p->word[1]))
        return bad(p, "should be: part NAME");
    if (p->has_part)
        return bad(p, "the part is named a second time");
    p->has_part = true;
    p->store->base.part = keep_string(p, p->word[1]);
    return p->store->base.part ? 0 : no_memory(p);
}

static int choose(struct parser *p, const char *no, const char *yes, bool *out)
{
    if (p->words != 2 || (strcmp(p->word[1], no) != 0 && strcmp(p->word[1], yes) != 0))
        return bad(p, "should be: %s %s, or %s", p->word[0], no, yes);
    *out = !strcmp(p->word[1], yes);
    return 0;
}

/* Peripherals may lie anywhere in 32 bits. */
static bool is_wide(const struct parser *p)
{
    return p->store->base.cpu && !strcmp(p->store->base.cpu, "armv7m");
}

static int parse_cpu(struct parser *p)
{
    static const char *const names[] = { "msp430", "msp430x", "armv7m" };

    for (size_t i = 0; p->words == 2 && i < sizeof names / sizeof *names; i++)
        if (!strcmp(p->word[1], names[i])) {
            p->store->base.cpu = names[i];
            p->store->base.msp430x = !strcmp(names[i], "msp430x");
            return 0;
        }
    return bad(p, "should be: cpu msp430, msp430x or armv7m");
}

/* The highest address of the part's CPU. */
static uint32_t address_max(const struct parser *p)
{
    return is_wide(p) ? UINT32_MAX - 1 : 0xfffff;
}

static int parse_widths(struct parser *p)
{
    return choose(p, "free", "strict", &p->store->base.strict_widths);
}

static int parse_range(struct parser *p, struct hc_regs_range *out)
{
    int error;

    if (p->words != 3)
        return bad(p, "should be: %s FIRST LAST", p->word[0]);
    *out = (struct hc_regs_range){ 0 };
    error = number(p, "first address", p->word[1], address_max(p), &out->start);
    if (!error)
        error = number(p, "last address", p->word[2], address_max(p), &out->end);
    if (!error && out->end < out->start)
        error = bad(p, "the last address lies before the first");
    return error;
}

static int parse_peripherals(struct parser *p)
{
    struct hc_regs_range range = { 0 };
    int error = parse_range(p, &range);

    if (error)
        return error;
    if (range.start && !is_wide(p))
        return bad(p, "the peripheral space starts at 0");
    if (range.end > 0xfff && !is_wide(p))
        return bad(p, "the peripheral space ends at 0x0fff at the latest");
    p->has_peripherals = true;
    p->store->base.peripherals_start = range.start;
    p->store->base.peripherals_end = range.end + 1;
    return 0;
}

static int parse_ram(struct parser *p)
{
    return parse_range(p, &p->store->base.ram);
}

static int parse_fram(struct parser *p)
{
    return parse_range(p, &p->store->base.fram);
}

static int parse_information(struct parser *p)
{
    return parse_range(p, &p->store->base.information);
}

static int parse_vectors(struct parser *p)
{
    uint32_t count = 0;
    int error;

    if (p->words != 3)
        return bad(p, "should be: vectors ADDRESS COUNT");
    error = number(p, "address", p->word[1], 0xfffe, &p->store->base.vectors_start);
    if (!error)
        error = number(p, "count", p->word[2], HC_REGS_VECTORS_MAX, &count);
    if (!error && p->store->base.vectors_start + 2 * count != 0x10000)
        error = bad(p, "%u vectors from 0x%04x do not end at 0xffff", (unsigned)count,
                    (unsigned)p->store->base.vectors_start);
    p->store->base.vectors = (int)count;
    return error;
}

static int parse_vector(struct parser *p)
{
    uint32_t n = 0;

    if (p->words != 3 || !is_name(p->word[2]))
        return bad(p, "should be: vector NUMBER NAME");
    int error = number(p, "vector", p->word[1], UINT16_MAX, &n);
    if (error)
        return error;
    if ((int)n >= p->store->base.vectors)
        return bad(p, "vector %u: the part has %d (a line 'vectors' must come first)", (unsigned)n,
                   p->store->base.vectors);
    struct hc_regs_vector *vector = &p->store->base.vector[n];
    if (vector->name)
        return bad(p, "vector %u is named a second time", (unsigned)n);
    vector->name = keep_string(p, p->word[2]);
    return vector->name ? 0 : no_memory(p);
}

/* ---- registers ---- */

static int add_name(struct parser *p, const char *name, uint32_t reg)
{
    struct hc_regs_store *store = p->store;

    if (!is_name(name))
        return bad(p, "'%.40s' is not a valid name for a register", name);
    if (store->name_count == NAMES_MAX)
        return bad(p, "more than %d names", NAMES_MAX);
    const char *kept = keep_string(p, name);
    if (!kept || !hc_grow(&store->names, store->name_count, &p->name_room, sizeof *store->names))
        return no_memory(p);
    store->names[store->name_count++] = (struct hc_regs_name){ kept, reg };
    return 0;
}

/* "NAME" or "NAME[n]"; the bracket is cut off. */
static int split_array(struct parser *p, char *text, uint32_t *elements)
{
    char *bracket = strchr(text, '[');

    *elements = 1;
    if (!bracket)
        return 0;
    size_t length = strlen(bracket);
    if (bracket[length - 1] != ']')
        return bad(p, "'%.40s': the bracket is not closed", text);
    bracket[length - 1] = 0;
    *bracket = 0;
    int error = number(p, "elements", bracket + 1, 256, elements);
    return !error && !*elements ? bad(p, "an array of no elements") : error;
}

static int parse_reset(struct parser *p, const struct hc_reg *reg, char *text, uint32_t *value, uint32_t *mask)
{
    *mask = reg->kept | (reg->when_mask ? reg->nondeterministic : 0);
    int error = pair(p, "reset value", text, '/', value, mask);
    if (!error && (*value & ~*mask))
        error = bad(p, "reset value 0x%x has bits that are not kept or not in its mask", (unsigned)*value);
    return error;
}

static int parse_class(const char *word)
{
    static const char *const names[] = { "state", "timer", "data", "vector" };

    for (int i = 0; i < 4; i++)
        if (!strcmp(word, names[i]))
            return i;
    return HC_SITE_NONE;
}

static bool parse_flag(struct hc_reg *reg, const char *word)
{
    if (!strcmp(word, "read-effect"))
        return reg->read_effect = true;
    if (!strcmp(word, "write-only"))
        return reg->write_only = true;
    if (!strcmp(word, "multiplier"))
        return reg->multiplier = true;
    return !strcmp(word, "check") && (reg->unchecked = true);
}

/* "KEY=value" of a register's line; resets, conditions and aliases come later. */
static int parse_setting(struct parser *p, struct hc_reg *reg, char *word)
{
    char *value;

    if ((value = value_of(word, "nd")))
        return number(p, "nd", value, hc_reg_bits(reg), &reg->nondeterministic);
    if ((value = value_of(word, "keep")))
        return number(p, "keep", value, hc_reg_bits(reg), &reg->kept);
    if ((value = value_of(word, "reads")))
        return number(p, "reads", value, hc_reg_bits(reg), &reg->constant);
    if ((value = value_of(word, "key"))) {
        uint32_t key = 0, mask = 0;
        int error = pair(p, "key", value, '/', &key, &mask);
        if (!error && (mask > 0xffff || !mask || (key & ~mask)))
            error = bad(p, "key: should be VALUE/MASK");
        reg->key = (uint16_t)key;
        reg->key_mask = (uint16_t)mask;
        return error;
    }
    if (value_of(word, "when")) {
        reg->when_mask = 1; /* for the reset masks; the second pass has the names */
        return 0;
    }
    if (value_of(word, "por") || value_of(word, "puc") || value_of(word, "alias"))
        return 0;
    return bad(p, "'%.40s' is not understood", word);
}

static int check_register(struct parser *p, const struct hc_reg *reg)
{
    if (reg->nondeterministic & reg->kept)
        return bad(p, "bits 0x%x are called both nd and keep", (unsigned)(reg->nondeterministic & reg->kept));
    if (reg->constant & (reg->nondeterministic | reg->kept))
        return bad(p, "reads= has bits that are nd or keep");
    if (!reg->nondeterministic != (reg->class == HC_SITE_NONE))
        return bad(p, reg->nondeterministic ? "nd= needs a class: state, timer, data or vector"
                                            : "a class without nd= bits");
    if (reg->when_mask && !reg->nondeterministic)
        return bad(p, "when= without nd= bits");
    if (reg->size > 1 && reg->address & 1)
        return bad(p, "a word at an odd address");
    return 0;
}

static int parse_resets(struct parser *p, struct hc_reg *reg)
{
    for (int i = 3; i < p->words; i++) {
        char *value;
        int error = 0;

        if ((value = value_of(p->word[i], "por")))
            error = parse_reset(p, reg, value, &reg->por, &reg->por_mask);
        else if ((value = value_of(p->word[i], "puc")))
            error = parse_reset(p, reg, value, &reg->puc, &reg->puc_mask);
        if (error)
            return error;
    }
    return 0;
}

static int parse_description(struct parser *p, struct hc_reg *reg)
{
    reg->class = HC_SITE_NONE;
    for (int i = 3; i < p->words; i++) {
        int class = parse_class(p->word[i]);
        int error = 0;

        if (class != HC_SITE_NONE && reg->class != HC_SITE_NONE)
            error = bad(p, "two classes");
        else if (class != HC_SITE_NONE)
            reg->class = (uint8_t)class;
        else if (!parse_flag(reg, p->word[i]))
            error = parse_setting(p, reg, p->word[i]);
        if (error)
            return error;
    }
    int error = parse_resets(p, reg);
    return error ? error : check_register(p, reg);
}

/* "alias=CCR[],TA0CCR[]": with brackets each element has it, else the first. */
static int add_aliases(struct parser *p, const struct hc_reg *reg, uint32_t index)
{
    char list[LINE_MAX_BYTES + 1], name[2 * HC_REGS_NAME_MAX], *rest = list;

    for (int i = 3; i < p->words; i++) {
        const char *value = value_of(p->word[i], "alias");
        if (!value)
            continue;
        snprintf(list, sizeof list, "%s", value);
        rest = list;
        for (char *alias; (alias = strsep(&rest, ","));) {
            char *bracket = strstr(alias, "[]");
            if (bracket)
                *bracket = 0;
            else if (reg->element)
                continue;
            if (strlen(alias) >= HC_REGS_NAME_MAX)
                return bad(p, "'%.40s' is too long", alias);
            if (bracket)
                snprintf(name, sizeof name, "%s%u", alias, reg->element);
            int error = add_name(p, bracket ? name : alias, index);
            if (error)
                return error;
        }
    }
    return 0;
}

static int add_register(struct parser *p, struct hc_reg reg, const char *base)
{
    struct hc_regs_store *store = p->store;
    char name[2 * HC_REGS_NAME_MAX];

    if (store->base.count == HC_REGS_MAX)
        return bad(p, "more than %d registers", HC_REGS_MAX);
    if (!hc_grow(&store->reg, store->base.count, &p->reg_room, sizeof *store->reg))
        return no_memory(p);
    snprintf(name, sizeof name, "%s", base);
    if (reg.elements > 1)
        snprintf(name, sizeof name, "%s%u", base, reg.element);
    uint32_t index = (uint32_t)store->base.count;
    int error = add_name(p, name, index);
    if (error)
        return error;
    reg.name = store->names[store->name_count - 1].name;
    store->reg[store->base.count++] = reg;
    store->base.reg = store->reg;
    return add_aliases(p, &reg, index);
}

static int parse_register(struct parser *p, uint8_t size)
{
    struct hc_reg reg = { .size = size, .line = p->line };
    uint32_t elements;

    if (p->words < 3)
        return bad(p, "should be: %s NAME ADDRESS ...", p->word[0]);
    int error = split_array(p, p->word[1], &elements);
    if (!error && strlen(p->word[1]) >= HC_REGS_NAME_MAX)
        error = bad(p, "'%.40s' is too long", p->word[1]);
    if (!error)
        error = number(p, "address", p->word[2], address_max(p), &reg.address);
    if (!error)
        error = parse_description(p, &reg);
    reg.array = reg.address;
    reg.elements = (uint16_t)elements;
    for (uint32_t i = 0; !error && i < elements; i++) {
        reg.element = (uint16_t)i;
        error = add_register(p, reg, p->word[1]);
        reg.address += size;
    }
    return error;
}

static int parse_byte(struct parser *p)
{
    return parse_register(p, 1);
}

static int parse_word(struct parser *p)
{
    return parse_register(p, 2);
}

static int parse_long(struct parser *p)
{
    return parse_register(p, 4);
}

/* ---- second pass: what names registers ---- */

static struct hc_reg *register_of_line(struct parser *p, uint32_t element)
{
    for (size_t i = 0; i < p->store->base.count; i++)
        if (p->store->reg[i].line == p->line && p->store->reg[i].element == element)
            return &p->store->reg[i];
    return NULL;
}

/* "when=NAME:mask", or "when=NAME[]:mask" for arrays side by side. */
static int parse_when(struct parser *p)
{
    char *text = NULL, name[2 * HC_REGS_NAME_MAX];
    const struct hc_reg *other;
    struct hc_reg *reg;
    uint32_t mask = 0;

    for (int i = 3; i < p->words && !text; i++)
        text = value_of(p->word[i], "when");
    if (!text)
        return 0;
    char *colon = strchr(text, ':');
    if (!colon)
        return bad(p, "should be: when=REGISTER:mask");
    *colon = 0;
    int error = number(p, "when", colon + 1, UINT16_MAX, &mask);
    if (error || !mask)
        return error ? error : bad(p, "when: a mask of no bits");
    char *bracket = strstr(text, "[]");
    if (bracket)
        *bracket = 0;
    if (strlen(text) >= HC_REGS_NAME_MAX)
        return bad(p, "'%.40s' is too long", text);
    for (uint32_t i = 0; (reg = register_of_line(p, i)); i++) {
        snprintf(name, sizeof name, "%s", text);
        if (bracket)
            snprintf(name, sizeof name, "%s%u", text, (unsigned)i);
        error = register_named(p, name, &other);
        if (error)
            return error;
        reg->when_address = other->address;
        reg->when_mask = (uint16_t)mask;
    }
    return 0;
}

/* "mask=match" */
static int parse_match(struct parser *p, char *text, uint16_t *mask, uint16_t *match)
{
    uint32_t bits = 0, value = UINT32_MAX;
    int error = pair(p, "condition", text, '=', &bits, &value);

    if (!error && (bits > 0xffff || (value & ~bits)))
        error = bad(p, "a condition should be MASK=VALUE, within 16 bits");
    *mask = (uint16_t)bits;
    *match = (uint16_t)value;
    return error;
}

/* "REGISTER mask=match" from word AT on. */
static int parse_condition(struct parser *p, int at, uint32_t *address, uint16_t *mask, uint16_t *match)
{
    if (at + 1 >= p->words)
        return bad(p, "a condition is missing");
    const struct hc_reg *reg = hc_regs_named(&p->store->base, p->word[at]);
    if (!reg)
        return bad(p, "no register %.40s", p->word[at]);
    *address = reg->address;
    return parse_match(p, p->word[at + 1], mask, match);
}

static int parse_cause(struct parser *p, struct hc_reg_effect *e, int *at)
{
    const struct hc_reg *reg = NULL;
    uint32_t vector = 0;
    int error;

    if (p->words < 3)
        return bad(p, "should be: effect write|read REGISTER ..., or effect interrupt VECTOR ...");
    *at = 3;
    if (!strcmp(p->word[1], "interrupt")) {
        e->cause = HC_REG_ON_INTERRUPT;
        error = number(p, "vector", p->word[2], HC_REGS_VECTORS_MAX - 1, &vector);
        e->source = vector;
        return error;
    }
    if (strcmp(p->word[1], "write") != 0 && strcmp(p->word[1], "read") != 0)
        return bad(p, "effect of '%.40s': should be write, read or interrupt", p->word[1]);
    e->cause = !strcmp(p->word[1], "write") ? HC_REG_ON_WRITE : HC_REG_ON_READ;
    error = register_named(p, p->word[2], &reg);
    if (error)
        return error;
    e->source = reg->address;
    if (e->cause == HC_REG_ON_WRITE && p->words > 3 && isdigit((unsigned char)*p->word[3])) {
        error = parse_match(p, p->word[3], &e->mask, &e->match);
        *at = 4;
    }
    return error;
}

/* "clear|set REGISTER bits" from word AT on, to the line's end. */
static int parse_change(struct parser *p, struct hc_reg_effect *e, int at)
{
    const struct hc_reg *reg = NULL;
    uint32_t bits = 0;

    if (at + 3 != p->words || (strcmp(p->word[at], "clear") != 0 && strcmp(p->word[at], "set") != 0))
        return bad(p, "an effect should end with: clear|set REGISTER bits");
    int error = register_named(p, p->word[at + 1], &reg);
    if (!error)
        error = number(p, "bits", p->word[at + 2], UINT16_MAX, &bits);
    if (error)
        return error;
    e->target = reg->address;
    *(*p->word[at] == 'c' ? &e->clear : &e->set) = (uint16_t)bits;
    return 0;
}

static int parse_effect(struct parser *p)
{
    struct hc_reg_effect e = { 0 };
    int at = 0;
    int error = parse_cause(p, &e, &at);

    if (!error && at < p->words && !strcmp(p->word[at], "while")) {
        error = parse_condition(p, at + 1, &e.while_address, &e.while_mask, &e.while_match);
        at += 3;
    }
    if (!error)
        error = parse_change(p, &e, at);
    if (error)
        return error;
    if (!hc_grow(&p->store->effect, p->store->base.effects, &p->effect_room, sizeof e))
        return no_memory(p);
    p->store->effect[p->store->base.effects++] = e;
    return 0;
}

/* "lock REGISTER bits while REGISTER mask=match"; the name may be an array's: all elements. */
static int parse_lock(struct parser *p)
{
    struct hc_reg_lock lock = { 0 };
    const struct hc_reg *reg = NULL;
    uint32_t bits = 0;

    if (p->words != 6 || strcmp(p->word[3], "while") != 0)
        return bad(p, "should be: lock REGISTER bits while REGISTER MASK=VALUE");
    int error = register_named(p, p->word[1], &reg);
    if (!error)
        error = number(p, "bits", p->word[2], UINT16_MAX, &bits);
    if (!error)
        error = parse_condition(p, 4, &lock.by, &lock.mask, &lock.match);
    lock.bits = (uint16_t)bits;
    if (error)
        return error;
    for (unsigned i = 0; i < (reg->element ? 1u : reg->elements); i++) {
        if (!hc_grow(&p->store->lock, p->store->base.locks, &p->lock_room, sizeof lock))
            return no_memory(p);
        lock.address = reg->address + i * reg->size;
        p->store->lock[p->store->base.locks++] = lock;
    }
    return error;
}

static int parse_timer(struct parser *p)
{
    struct hc_regs_timer t = { 0 };
    uint32_t cap = 0, blocks = 0, overflow = 0;

    if (p->words < 2 || !is_name(p->word[1]))
        return bad(p, "should be: timer NAME counter=REGISTER ...");
    if (p->store->base.timers == HC_REGS_TIMERS_MAX)
        return bad(p, "more than %d timers", HC_REGS_TIMERS_MAX);
    if (need_register(p, "counter", &t.counter) || need_register(p, "control", &t.control) ||
        need_register(p, "ccr", &t.ccr) || need_register(p, "cctl", &t.cctl) || need_register(p, "iv", &t.iv) ||
        need_number(p, "blocks", 16, &blocks) || need_number(p, "cap", UINT16_MAX, &cap) ||
        need_number(p, "overflow", UINT16_MAX, &overflow) || need_vector(p, "ccr0-vector", &t.ccr0_vector) ||
        need_vector(p, "iv-vector", &t.iv_vector))
        return HC_REGS_BAD;
    t.blocks = (uint8_t)blocks;
    t.cap = (uint16_t)cap;
    t.overflow = (uint16_t)overflow;
    t.name = keep_string(p, p->word[1]);
    if (!t.name)
        return no_memory(p);
    p->store->base.timer[p->store->base.timers++] = t;
    return 0;
}

static int parse_dma(struct parser *p)
{
    struct hc_regs_dma d = { 0 };
    uint32_t enable = 0;

    if (p->store->base.dmas == HC_REGS_DMA_MAX)
        return bad(p, "more than %d DMA channels", HC_REGS_DMA_MAX);
    if (need_register(p, "control", &d.control) || need_register(p, "source", &d.source) ||
        need_register(p, "destination", &d.destination) || need_register(p, "size", &d.size) ||
        need_number(p, "enable", UINT16_MAX, &enable) || need_vector(p, "vector", &d.vector))
        return HC_REGS_BAD;
    d.enable = (uint16_t)enable;
    p->store->base.dma[p->store->base.dmas++] = d;
    return 0;
}

/* ---- lines ---- */

static const struct statement {
    const char *name;
    int pass; /* that reads it; registers have a second one for their conditions */
    int (*parse)(struct parser *p);
} statements[] = {
    { "part", 1, parse_part },
    { "cpu", 1, parse_cpu },
    { "widths", 1, parse_widths },
    { "peripherals", 1, parse_peripherals },
    { "ram", 1, parse_ram },
    { "fram", 1, parse_fram },
    { "information", 1, parse_information },
    { "vectors", 1, parse_vectors },
    { "vector", 1, parse_vector },
    { "byte", 1, parse_byte },
    { "word", 1, parse_word },
    { "long", 1, parse_long },
    { "byte", 2, parse_when },
    { "word", 2, parse_when },
    { "long", 2, parse_when },
    { "effect", 2, parse_effect },
    { "lock", 2, parse_lock },
    { "timer", 2, parse_timer },
    { "dma", 2, parse_dma },
};

static int parse_statement(struct parser *p)
{
    bool known = false;

    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (strcmp(statements[i].name, p->word[0]) != 0)
            continue;
        known = true;
        if (statements[i].pass == p->pass)
            return statements[i].parse(p);
    }
    return known ? 0 : bad(p, "unknown directive '%.40s'; docs/registers.md lists them", p->word[0]);
}

static int parse_line(struct parser *p, const char *text, size_t size)
{
    char line[LINE_MAX_BYTES + 1], *rest = line;

    if (size > LINE_MAX_BYTES)
        return bad(p, "the line has more than %d bytes", LINE_MAX_BYTES);
    if (memchr(text, 0, size))
        return bad(p, "not a text");
    memcpy(line, text, size);
    line[size] = 0;
    line[strcspn(line, "#")] = 0;
    p->words = 0;
    for (char *word; (word = strsep(&rest, " \t\r"));) {
        if (!*word)
            continue;
        if (p->words == WORDS_MAX)
            return bad(p, "more than %d words", WORDS_MAX);
        p->word[p->words++] = word;
    }
    return p->words ? parse_statement(p) : 0;
}

static int parse_lines(struct parser *p, const char *text, size_t size)
{
    p->line = 0;
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;

        p->line++;
        int error = parse_line(p, text + at, length);
        if (error)
            return error;
        at += length + 1;
    }
    p->line = 0;
    return 0;
}

/* ---- order ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct hc_regs_name *)a)->name, ((const struct hc_regs_name *)b)->name);
}

static int by_address(const void *a, const void *b)
{
    uint32_t x = ((const struct hc_reg *)a)->address, y = ((const struct hc_reg *)b)->address;

    return (x > y) - (x < y);
}

/* Registers move: names follow by the address that each had. */
static int sort(struct parser *p)
{
    struct hc_regs_store *store = p->store;
    size_t count = store->base.count;
    uint32_t *address = malloc((count + 1) * sizeof *address);

    if (!address)
        return no_memory(p);
    for (size_t i = 0; i < count; i++)
        address[i] = store->reg[i].address;
    if (count)
        qsort(store->reg, count, sizeof *store->reg, by_address);
    for (size_t i = 0; i < store->name_count; i++) {
        const struct hc_reg *reg = hc_regs_at(&store->base, address[store->names[i].reg]);
        store->names[i].reg = reg ? (uint32_t)(reg - store->reg) : 0;
    }
    free(address);
    if (store->name_count)
        qsort(store->names, store->name_count, sizeof *store->names, by_name);
    return 0;
}

static int check_order(struct parser *p)
{
    const struct hc_regs_store *store = p->store;

    for (size_t i = 0; i < store->base.count; i++) {
        const struct hc_reg *reg = &store->reg[i];
        p->line = reg->line;
        if (!hc_regs_is_peripheral(&store->base, reg->address) ||
            store->base.peripherals_end - reg->address < reg->size)
            return bad(p, "%s lies beyond the peripheral space (0x%04x)", reg->name,
                       (unsigned)store->base.peripherals_end);
        if (i && reg[-1].address + reg[-1].size > reg->address)
            return bad(p, "%s overlaps %s of line %d", reg->name, reg[-1].name, reg[-1].line);
    }
    for (size_t i = 1; i < store->name_count; i++) {
        const struct hc_reg *reg = &store->reg[store->names[i].reg];
        p->line = reg->line;
        if (!strcmp(store->names[i].name, store->names[i - 1].name))
            return bad(p, "the name %s is given twice", store->names[i].name);
    }
    p->line = 0;
    return 0;
}

static int check_whole(struct parser *p)
{
    p->line = 0;
    if (!p->has_part)
        return bad(p, "names no part: a line 'part NAME' is missing");
    if (!p->has_peripherals)
        return bad(p, "a line 'peripherals FIRST LAST' is missing");
    return 0;
}

static int parse(struct parser *p, const char *text, size_t size)
{
    p->pass = 1;
    int error = parse_lines(p, text, size);
    if (!error)
        error = check_whole(p);
    if (!error)
        error = sort(p);
    if (!error)
        error = check_order(p);
    p->pass = 2;
    if (!error)
        error = parse_lines(p, text, size);
    p->store->base.reg = p->store->reg;
    p->store->base.effect = p->store->effect;
    p->store->base.lock = p->store->lock;
    return error;
}

int hc_regs_load_memory(struct hc_regs **out, const char *name, const char *text, size_t size,
                        struct hc_regs_message *message)
{
    struct parser p = { .file = name, .message = message };
    int error;

    *out = NULL;
    p.store = calloc(1, sizeof *p.store);
    if (!p.store)
        return no_memory(&p);
    p.store->base.cpu = "msp430";
    error = parse(&p, text, size);
    if (error)
        hc_regs_free(&p.store->base);
    else
        *out = &p.store->base;
    return error;
}
