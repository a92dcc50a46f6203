#include "format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MOST = 200, DEPTH_MOST = 12, REPEATS_LEAST = 10, TEXT_MOST = 200 };

struct writer {
    FILE *out;
    const struct hc_context *c;
    char format;
    int left; /* elements that may still be written */
};

static void write_value(struct writer *w, const struct hc_value *v, int depth);

/* ---- numbers ---- */

static void write_binary(FILE *out, uint64_t value, unsigned width)
{
    unsigned bit = width ? width : 16;

    while (bit > 1 && !(value >> (bit - 1) & 1))
        bit--;
    while (bit-- > 0)
        fputc('0' + (int)(value >> bit & 1), out);
}

static void write_character(FILE *out, unsigned char c, char quote)
{
    static const char codes[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
    const char *found = c ? strchr(codes, c) : NULL;

    if (found)
        fprintf(out, "\\%c", letters[found - codes]);
    else if (c == (unsigned char)quote || c == '\\')
        fprintf(out, "\\%c", c);
    else if (isprint(c))
        fputc(c, out);
    else
        fprintf(out, "\\%03o", c);
}

void hc_format_symbol(FILE *out, struct hc_image *image, uint32_t address)
{
    struct hc_symbol s;

    if (!hc_image_function_at(image, address, &s) && !hc_image_data_at(image, address, &s))
        return;
    if (address == s.address)
        fprintf(out, " <%s>", s.name);
    else
        fprintf(out, " <%s+0x%x>", s.name, (unsigned)(address - s.address));
}

/* In the format that was asked for; bits beyond the type's width are not shown. */
static void write_formatted(struct writer *w, const struct hc_number *n, unsigned bits, char format)
{
    unsigned width = bits ? bits : 8 * n->type->size;
    uint64_t value = width && width < 64 ? n->u & ((1ull << width) - 1) : n->u;

    switch (format) {
    case 'x':
        fprintf(w->out, "0x%llx", (unsigned long long)value);
        break;
    case 'o':
        fprintf(w->out, "%s%llo", value ? "0" : "", (unsigned long long)value);
        break;
    case 'b':
    case 't':
        write_binary(w->out, value, width);
        break;
    case 'u':
        fprintf(w->out, "%llu", (unsigned long long)value);
        break;
    case 'c':
        fprintf(w->out, "%d '", (int)(int8_t)value);
        write_character(w->out, (unsigned char)value, '\'');
        fputc('\'', w->out);
        break;
    case 'a':
        fprintf(w->out, "0x%llx", (unsigned long long)value);
        hc_format_symbol(w->out, hc_program_image(w->c->program), (uint32_t)value);
        break;
    default: {
        int64_t with_sign = width && width < 64 ? (int64_t)(value << (64 - width)) >> (64 - width) : (int64_t)value;
        fprintf(w->out, "%lld", (long long)with_sign);
    }
    }
}

/* The name, or names or-ed together when all of them are single bits. */
static void write_enum(struct writer *w, const struct hc_type *type, int64_t value)
{
    uint64_t left = (uint64_t)value;
    bool flags = value > 0, any = false;

    for (size_t i = 0; i < type->members; i++)
        if (type->enumerator[i].value == value) {
            fputs(type->enumerator[i].name, w->out);
            return;
        }
    for (size_t i = 0; i < type->members && flags; i++) {
        uint64_t bit = (uint64_t)type->enumerator[i].value;
        flags = (bit & (bit - 1)) == 0;
        left &= ~bit;
    }
    if (!flags || left || !type->members) {
        fprintf(w->out, "%lld", (long long)value);
        return;
    }
    for (size_t i = 0; i < type->members; i++)
        if (type->enumerator[i].value & value) {
            fprintf(w->out, "%s%s", any ? " | " : "(", type->enumerator[i].name);
            any = true;
        }
    fputc(')', w->out);
}

uint32_t hc_format_text_at(FILE *out, const struct hc_context *context, uint32_t address)
{
    uint8_t c;

    fputc('"', out);
    for (uint32_t i = 0; i < TEXT_MOST; i++) {
        if (!context->read(context->owner, address + i, &c, 1) || !c) {
            fputc('"', out);
            return i + 1;
        }
        write_character(out, c, '"');
    }
    fputs("\"...", out);
    return TEXT_MOST;
}

static void write_text_at(struct writer *w, uint32_t address)
{
    fputc(' ', w->out);
    hc_format_text_at(w->out, w->c, address);
}

static void write_pointer(struct writer *w, const struct hc_value *v, const struct hc_number *n, int depth)
{
    const struct hc_type *target = hc_type_strip(n->type->target);
    char name[128];
    bool text = n->type->target && n->type->target->kind == HC_TYPE_INTEGER && target->character && target->size == 1;

    if (depth == 0 && !text)
        fprintf(w->out, "(%s) ", hc_type_name(v->type, name, sizeof name));
    fprintf(w->out, "0x%llx", (unsigned long long)n->u);
    if (n->u)
        hc_format_symbol(w->out, hc_program_image(w->c->program), (uint32_t)n->u);
    if (text && n->u)
        write_text_at(w, (uint32_t)n->u);
}

static void write_real(struct writer *w, const struct hc_number *n)
{
    char text[40];

    /* The shortest that reads back as the same number. */
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, n->f);
        double back = strtod(text, NULL);
        if (n->type->size == 4 ? (float)back == (float)n->f : back == n->f)
            break;
    }
    fputs(text, w->out);
}

static void write_scalar(struct writer *w, const struct hc_value *v, int depth)
{
    struct hc_debug_message message;
    struct hc_number n;

    w->left--;
    if (!hc_value_number(w->c, v, &n, &message)) {
        fprintf(w->out, "<%s>", message.text);
        return;
    }
    if (w->format && w->format != 's' && n.type->kind != HC_TYPE_FLOAT)
        write_formatted(w, &n, v->bits, w->format);
    else if (n.type->kind == HC_TYPE_BOOL && n.u < 2)
        fputs(n.u ? "true" : "false", w->out);
    else if (n.type->kind == HC_TYPE_FLOAT)
        write_real(w, &n);
    else if (n.type->kind == HC_TYPE_ENUM)
        write_enum(w, n.type, n.s);
    else if (n.type->kind == HC_TYPE_POINTER)
        write_pointer(w, v, &n, depth);
    else if (v->type && v->type->kind == HC_TYPE_INTEGER && n.type->character)
        write_formatted(w, &n, v->bits, 'c');
    else
        fprintf(w->out, n.type->is_signed ? "%lld" : "%llu", (long long)n.s);
}

/* ---- structs and arrays ---- */

static void write_members(struct writer *w, const struct hc_value *v, const struct hc_type *type, int depth)
{
    struct hc_debug_message message;
    struct hc_value part;

    fputc('{', w->out);
    for (size_t i = 0; i < type->members; i++) {
        const struct hc_member *m = &type->member[i];
        fputs(i ? ", " : "", w->out);
        if (w->left <= 0) {
            fputs("...", w->out);
            break;
        }
        if (m->name)
            fprintf(w->out, "%s = ", m->name);
        if (hc_value_part(v, m->type, m->offset, m->bits, &part, &message))
            write_value(w, &part, depth + 1);
        else
            fprintf(w->out, "<%s>", message.text);
    }
    fputs(type->incomplete ? "<incomplete type>}" : "}", w->out);
}

static bool same_element(struct writer *w, const struct hc_value *v, uint32_t size, uint32_t a, uint32_t b)
{
    struct hc_debug_message message;
    uint8_t left[HC_VALUE_BYTES], right[HC_VALUE_BYTES];

    return size <= sizeof left && hc_value_read(w->c, v, a * size, left, size, &message) &&
           hc_value_read(w->c, v, b * size, right, size, &message) && !memcmp(left, right, size);
}

static void write_elements(struct writer *w, const struct hc_value *v, const struct hc_type *type, int depth)
{
    uint32_t size = hc_type_strip(type->target)->size;
    struct hc_debug_message message;
    struct hc_value part;

    fputc('{', w->out);
    for (uint32_t i = 0, same; i < type->count; i += same) {
        fputs(i ? ", " : "", w->out);
        if (w->left <= 0) {
            fputs("...", w->out);
            break;
        }
        for (same = 1; i + same < type->count && same_element(w, v, size, i, i + same);)
            same++;
        if (hc_value_part(v, type->target, i * size, 0, &part, &message))
            write_value(w, &part, depth + 1);
        else
            fprintf(w->out, "<%s>", message.text);
        if (same >= REPEATS_LEAST)
            fprintf(w->out, " <repeats %u times>", (unsigned)same);
        else
            same = 1;
    }
    fputc('}', w->out);
}

static void write_text(struct writer *w, const struct hc_value *v, uint32_t count)
{
    struct hc_debug_message message;
    uint8_t c, text[TEXT_MOST];
    uint32_t n = 0, used = 0;

    for (; n < count && n < TEXT_MOST; n++) {
        if (!hc_value_read(w->c, v, n, &c, 1, &message)) {
            fprintf(w->out, "<%s>", message.text);
            return;
        }
        text[n] = c;
        if (c)
            used = n + 1;
    }
    fputc('"', w->out);
    for (uint32_t i = 0; i < used; i++)
        write_character(w->out, text[i], '"');
    fputs(n < count ? "\"..." : "\"", w->out);
}

static void write_value(struct writer *w, const struct hc_value *v, int depth)
{
    const struct hc_type *type = hc_type_strip(v->type);
    char name[128];

    if (depth > DEPTH_MOST) {
        fputs("{...}", w->out);
        return;
    }
    switch (type->kind) {
    case HC_TYPE_STRUCT:
    case HC_TYPE_UNION:
        write_members(w, v, type, depth);
        break;
    case HC_TYPE_ARRAY:
        if (w->format == 's' || (hc_type_is_text(type) && !w->format))
            write_text(w, v, type->count);
        else
            write_elements(w, v, type, depth);
        break;
    case HC_TYPE_FUNCTION:
        fprintf(w->out, "{%s} 0x%x", hc_type_name(v->type, name, sizeof name), (unsigned)v->address);
        hc_format_symbol(w->out, hc_program_image(w->c->program), v->address);
        break;
    case HC_TYPE_VOID:
        fputs("void", w->out);
        break;
    default:
        write_scalar(w, v, depth);
    }
}

void hc_format_value(FILE *out, const struct hc_context *c, const struct hc_value *v, char format)
{
    struct writer w = { out, c, format, ELEMENTS_MOST };

    write_value(&w, v, 0);
}

const char *hc_format_text(const struct hc_context *c, const struct hc_value *v, char format, char *out, size_t size)
{
    FILE *f = fmemopen(out, size, "w");

    out[0] = '\0';
    if (!f)
        return out;
    hc_format_value(f, c, v, format);
    fclose(f);
    out[size - 1] = '\0';
    return out;
}

/* ---- types ---- */

static void write_declaration(FILE *out, const struct hc_type *type, const char *name)
{
    char text[160];
    const struct hc_type *element = type;

    hc_type_name(type, text, sizeof text);
    if (type && type->kind == HC_TYPE_ARRAY) {
        while (element && element->kind == HC_TYPE_ARRAY)
            element = element->target;
        char base[160];
        hc_type_name(element, base, sizeof base);
        fprintf(out, "%s %s%s", base, name, text + strlen(base) + (text[strlen(base)] == ' '));
        return;
    }
    char *star = strstr(text, "(*");
    if (type && type->kind == HC_TYPE_POINTER && star)
        fprintf(out, "%.*s%s%s", (int)(star + 2 - text), text, name, star + 2);
    else
        fprintf(out, "%s%s%s", text, text[strlen(text) - 1] == '*' ? "" : " ", name);
}

void hc_format_type(FILE *out, const struct hc_type *type)
{
    char name[160];
    const struct hc_type *t = hc_type_strip(type);

    fputs(hc_type_name(t, name, sizeof name), out);
    if (t->kind == HC_TYPE_STRUCT || t->kind == HC_TYPE_UNION) {
        fputs(" {\n", out);
        for (size_t i = 0; i < t->members; i++) {
            fputs("    ", out);
            write_declaration(out, t->member[i].type, t->member[i].name ? t->member[i].name : "");
            if (t->member[i].bits)
                fprintf(out, " : %u", t->member[i].bits);
            fputs(";\n", out);
        }
        fprintf(out, "}");
    } else if (t->kind == HC_TYPE_ENUM) {
        fputs(" {", out);
        for (size_t i = 0; i < t->members; i++)
            fprintf(out, "%s%s = %lld", i ? ", " : " ", t->enumerator[i].name, (long long)t->enumerator[i].value);
        fputs(" }", out);
    }
    fputc('\n', out);
}
