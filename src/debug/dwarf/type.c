#include "type.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 32 }; /* of typedefs and of anonymous members; debug information may go in circles */

#define INTEGER(n, s, sign) { .kind = HC_TYPE_INTEGER, .name = n, .size = s, .is_signed = sign }
const struct hc_type hc_basic[HC_BASICS] = {
    [HC_BASIC_VOID] = { .kind = HC_TYPE_VOID, .name = "void" },
    [HC_BASIC_BOOL] = { .kind = HC_TYPE_BOOL, .name = "_Bool", .size = 1 },
    [HC_BASIC_CHAR] = { .kind = HC_TYPE_INTEGER, .name = "char", .size = 1, .is_signed = true, .character = true },
    [HC_BASIC_SCHAR] = { .kind = HC_TYPE_INTEGER,
                         .name = "signed char",
                         .size = 1,
                         .is_signed = true,
                         .character = true },
    [HC_BASIC_UCHAR] = { .kind = HC_TYPE_INTEGER, .name = "unsigned char", .size = 1, .character = true },
    [HC_BASIC_SHORT] = INTEGER("short", 2, true),
    [HC_BASIC_USHORT] = INTEGER("unsigned short", 2, false),
    [HC_BASIC_INT] = INTEGER("int", 2, true),
    [HC_BASIC_UINT] = INTEGER("unsigned int", 2, false),
    [HC_BASIC_LONG] = INTEGER("long", 4, true),
    [HC_BASIC_ULONG] = INTEGER("unsigned long", 4, false),
    [HC_BASIC_LONGLONG] = INTEGER("long long", 8, true),
    [HC_BASIC_ULONGLONG] = INTEGER("unsigned long long", 8, false),
    [HC_BASIC_FLOAT] = { .kind = HC_TYPE_FLOAT, .name = "float", .size = 4, .is_signed = true },
    [HC_BASIC_DOUBLE] = { .kind = HC_TYPE_FLOAT, .name = "double", .size = 8, .is_signed = true },
};

const struct hc_type *hc_type_strip(const struct hc_type *type)
{
    for (int i = 0; type && type->kind == HC_TYPE_TYPEDEF && i < DEEPEST; i++)
        type = type->target;
    return type && type->kind != HC_TYPE_TYPEDEF ? type : &hc_basic[HC_BASIC_VOID];
}

bool hc_type_is_integer(const struct hc_type *type)
{
    enum hc_type_kind kind = hc_type_strip(type)->kind;
    return kind == HC_TYPE_INTEGER || kind == HC_TYPE_BOOL || kind == HC_TYPE_ENUM;
}

bool hc_type_is_arithmetic(const struct hc_type *type)
{
    return hc_type_is_integer(type) || hc_type_strip(type)->kind == HC_TYPE_FLOAT;
}

bool hc_type_is_scalar(const struct hc_type *type)
{
    return hc_type_is_arithmetic(type) || hc_type_strip(type)->kind == HC_TYPE_POINTER;
}

bool hc_type_is_text(const struct hc_type *type)
{
    type = hc_type_strip(type);
    if (type->kind != HC_TYPE_ARRAY)
        return false;
    /* uint8_t is a number, whatever it is made of; so is a plain unsigned char. */
    const struct hc_type *element = type->target;
    if (element && element->kind == HC_TYPE_TYPEDEF)
        return false;
    return element && element->kind == HC_TYPE_INTEGER && element->character && element->name &&
           !strcmp(element->name, "char");
}

/* ---- arithmetic ---- */

static const struct hc_type *integer_of(uint32_t size, bool is_signed)
{
    if (size <= 2)
        return &hc_basic[is_signed ? HC_BASIC_INT : HC_BASIC_UINT];
    if (size <= 4)
        return &hc_basic[is_signed ? HC_BASIC_LONG : HC_BASIC_ULONG];
    return &hc_basic[is_signed ? HC_BASIC_LONGLONG : HC_BASIC_ULONGLONG];
}

const struct hc_type *hc_type_promote(const struct hc_type *type, unsigned bits)
{
    const struct hc_type *t = hc_type_strip(type);

    if (t->kind == HC_TYPE_FLOAT)
        return t->size <= 4 ? &hc_basic[HC_BASIC_FLOAT] : &hc_basic[HC_BASIC_DOUBLE];
    if (t->size < 2 || t->kind == HC_TYPE_BOOL || (bits && bits < 16))
        return &hc_basic[HC_BASIC_INT];
    if (bits == 16)
        return &hc_basic[t->is_signed ? HC_BASIC_INT : HC_BASIC_UINT];
    return integer_of(t->size, t->is_signed);
}

const struct hc_type *hc_type_common(const struct hc_type *a, const struct hc_type *b)
{
    if (a->kind == HC_TYPE_FLOAT || b->kind == HC_TYPE_FLOAT) {
        bool wide = (a->kind == HC_TYPE_FLOAT && a->size > 4) || (b->kind == HC_TYPE_FLOAT && b->size > 4);
        return &hc_basic[wide ? HC_BASIC_DOUBLE : HC_BASIC_FLOAT];
    }
    if (a->size != b->size)
        return a->size > b->size ? a : b;
    return a->is_signed ? b : a;
}

/* ---- names ---- */

struct text {
    char *out;
    size_t size, length;
};

static void add(struct text *t, const char *s)
{
    size_t n = strlen(s);

    if (t->length + n >= t->size)
        n = t->size - t->length - 1;
    memcpy(t->out + t->length, s, n);
    t->length += n;
    t->out[t->length] = '\0';
}

static void add_base(struct text *t, const struct hc_type *type)
{
    static const char *const words[] = {
        [HC_TYPE_STRUCT] = "struct ", [HC_TYPE_UNION] = "union ", [HC_TYPE_ENUM] = "enum "
    };

    if (!type) {
        add(t, "void");
        return;
    }
    if (type->kind == HC_TYPE_STRUCT || type->kind == HC_TYPE_UNION || type->kind == HC_TYPE_ENUM)
        add(t, words[type->kind]);
    add(t, type->name ? type->name : "{...}");
}

static bool is_derived(const struct hc_type *type)
{
    return type && (type->kind == HC_TYPE_POINTER || type->kind == HC_TYPE_ARRAY || type->kind == HC_TYPE_FUNCTION);
}

/* What stands before a declarator's name ("void (*") and after it (")(void *)"). */
static void add_before(struct text *t, const struct hc_type *type, int depth)
{
    if (!is_derived(type) || depth > DEEPEST) {
        add_base(t, type);
        return;
    }
    const struct hc_type *target = type->target;
    add_before(t, target, depth + 1);
    if (type->kind != HC_TYPE_POINTER)
        return;
    bool parenthesis = target && (target->kind == HC_TYPE_ARRAY || target->kind == HC_TYPE_FUNCTION);
    if (t->length && t->out[t->length - 1] != '*' && t->out[t->length - 1] != '(')
        add(t, " ");
    add(t, parenthesis ? "(*" : "*");
}

static void add_after(struct text *t, const struct hc_type *type, int depth)
{
    char number[16], parameter[96];

    if (!is_derived(type) || depth > DEEPEST)
        return;
    const struct hc_type *target = type->target;
    if (type->kind == HC_TYPE_POINTER && target && (target->kind == HC_TYPE_ARRAY || target->kind == HC_TYPE_FUNCTION))
        add(t, ")");
    if (type->kind == HC_TYPE_ARRAY) {
        snprintf(number, sizeof number, "%u", (unsigned)type->count);
        add(t, t->length && t->out[t->length - 1] != ')' && t->out[t->length - 1] != ']' ? " [" : "[");
        add(t, type->count ? number : "");
        add(t, "]");
    }
    if (type->kind == HC_TYPE_FUNCTION) {
        add(t, "(");
        for (size_t i = 0; i < type->members; i++) {
            add(t, i ? ", " : "");
            add(t, depth < 4 ? hc_type_name(type->member[i].type, parameter, sizeof parameter) : "...");
        }
        add(t, type->variadic ? ", ...)" : type->members ? ")" : "void)");
    }
    add_after(t, target, depth + 1);
}

const char *hc_type_name(const struct hc_type *type, char *out, size_t size)
{
    struct text t = { out, size, 0 };

    out[0] = '\0';
    add_before(&t, type, 0);
    add_after(&t, type, 0);
    return out;
}

/* ---- members ---- */

static const struct hc_member *find(const struct hc_type *type, const char *name, uint32_t base, uint32_t *offset,
                                    int depth)
{
    type = hc_type_strip(type);
    if ((type->kind != HC_TYPE_STRUCT && type->kind != HC_TYPE_UNION) || depth > DEEPEST)
        return NULL;
    for (size_t i = 0; i < type->members; i++) {
        const struct hc_member *m = &type->member[i];
        if (m->name && !strcmp(m->name, name)) {
            *offset = m->bits ? 8 * base + m->offset : base + m->offset;
            return m;
        }
        if (!m->name && !m->bits) {
            const struct hc_member *within = find(m->type, name, base + m->offset, offset, depth + 1);
            if (within)
                return within;
        }
    }
    return NULL;
}

const struct hc_member *hc_type_member(const struct hc_type *type, const char *name, uint32_t *offset)
{
    return find(type, name, 0, offset, 0);
}
