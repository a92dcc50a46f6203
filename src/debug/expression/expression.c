/* A recursive-descent parser that evaluates while it parses. Operands that C does not evaluate (sizeof, the other side
 * of && || ?:) are parsed without evaluation: they have types, and their values are zeros. */
#include "expression.h"
#include "lexer.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>

enum { DEEPEST = 100, TEXT_MOST = 4096, SLICE_MOST = 1 << 16 };

struct parser {
    const struct hc_context *c;
    const char *text;
    size_t at;
    struct hc_token token; /* the next one */
    struct hc_debug_message *message;
    int quiet, depth;
};

static bool conditional(struct parser *p, struct hc_value *out);
static bool unary(struct parser *p, struct hc_value *out);
static bool comma(struct parser *p, struct hc_value *out);

/* ---- tokens ---- */

static bool next(struct parser *p)
{
    return hc_lex(p->text, &p->at, &p->token, p->message);
}

static bool is_operator(const struct parser *p, const char *op)
{
    return p->token.kind == HC_TOKEN_OPERATOR && !strcmp(p->token.op, op);
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->token.kind == HC_TOKEN_NAME && !strcmp(p->token.name, word);
}

static bool unexpected(struct parser *p, const char *wanted)
{
    if (p->token.kind == HC_TOKEN_END)
        return hc_debug_fail(p->message, "the expression ends: expected %s", wanted);
    return hc_debug_fail(p->message, "column %zu: expected %s", p->token.at + 1, wanted);
}

static bool expect(struct parser *p, const char *op)
{
    char wanted[8];

    if (is_operator(p, op))
        return next(p);
    snprintf(wanted, sizeof wanted, "'%s'", op);
    return unexpected(p, wanted);
}

static bool deeper(struct parser *p)
{
    return ++p->depth < DEEPEST || hc_debug_fail(p->message, "the expression is nested too deeply");
}

static bool refuse(struct parser *p, const struct hc_value *v, const char *what)
{
    char name[96];

    return hc_debug_fail(p->message, "%s: cannot be applied to type %s", what,
                         hc_type_name(v->type, name, sizeof name));
}

/* ---- values ---- */

/* Arrays and functions become pointers to themselves, as in C. */
static bool decay(struct parser *p, struct hc_value *v)
{
    const struct hc_type *type = hc_type_strip(v->type);
    bool array = type->kind == HC_TYPE_ARRAY;

    if (!array && type->kind != HC_TYPE_FUNCTION)
        return true;
    if (!v->in_memory && !p->quiet)
        return hc_debug_fail(p->message, "the array is not in memory: only its elements can be used");
    const struct hc_type *pointer = hc_program_pointer_to(p->c->program, array ? type->target : v->type);
    if (!pointer)
        return hc_debug_fail(p->message, "out of memory");
    struct hc_number n = hc_number_of(pointer, v->address);
    *v = hc_value_of_number(&n);
    return true;
}

static bool number_of(struct parser *p, struct hc_value *v, struct hc_number *out)
{
    if (!decay(p, v))
        return false;
    if (p->quiet && hc_type_is_scalar(v->type)) {
        const struct hc_type *type = hc_type_strip(v->type);
        *out = (struct hc_number){ .type = type, .u = 0 };
        return true;
    }
    return hc_value_number(p->c, v, out, p->message);
}

/* The operand of an arithmetic operator, promoted. */
static bool promoted(struct parser *p, struct hc_value *v, struct hc_number *out)
{
    unsigned bits = v->bits;

    if (!number_of(p, v, out))
        return false;
    if (out->type->kind != HC_TYPE_POINTER)
        *out = hc_number_convert(out, hc_type_promote(out->type, bits));
    return true;
}

static void give(struct hc_value *out, struct hc_number n)
{
    *out = hc_value_of_number(&n);
}

static void give_int(struct hc_value *out, int64_t value)
{
    give(out, hc_number_of(&hc_basic[HC_BASIC_INT], (uint64_t)value));
}

/* ---- types by name ---- */

static const char *const type_words[] = {
    "void",     "char",  "short", "int",    "long",  "float", "double", "signed",
    "unsigned", "_Bool", "bool",  "struct", "union", "enum",  "const",  "volatile"
};

static bool starts_type(struct parser *p)
{
    struct hc_name name;

    if (p->token.kind != HC_TOKEN_NAME)
        return false;
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++)
        if (!strcmp(p->token.name, type_words[i]))
            return true;
    if (!hc_program_type(p->c->program, HC_TYPE_TYPEDEF, p->token.name))
        return false;
    return !hc_program_lookup(p->c->program, p->c->pc, p->c->has_die ? &p->c->die : NULL, p->token.name, &name);
}

struct specifiers {
    int chars, shorts, ints, longs, signeds, unsigneds, floats, doubles, voids, bools;
    const struct hc_type *type; /* a tag's or typedef's */
};

static bool tagged(struct parser *p, struct specifiers *s)
{
    enum hc_type_kind kind = p->token.name[0] == 's'   ? HC_TYPE_STRUCT
                             : p->token.name[0] == 'u' ? HC_TYPE_UNION
                                                       : HC_TYPE_ENUM;
    char word[8];

    snprintf(word, sizeof word, "%.7s", p->token.name);
    if (!next(p))
        return false;
    if (p->token.kind != HC_TOKEN_NAME)
        return unexpected(p, "a tag");
    s->type = hc_program_type(p->c->program, kind, p->token.name);
    if (!s->type)
        return hc_debug_fail(p->message, "there is no %s %s", word, p->token.name);
    return true;
}

static bool specifier(struct parser *p, struct specifiers *s, bool *known)
{
    const struct {
        const char *word;
        int *count;
    } words[] = { { "char", &s->chars },   { "short", &s->shorts },   { "int", &s->ints },
                  { "long", &s->longs },   { "signed", &s->signeds }, { "unsigned", &s->unsigneds },
                  { "float", &s->floats }, { "double", &s->doubles }, { "void", &s->voids },
                  { "_Bool", &s->bools },  { "bool", &s->bools } };

    *known = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(p, words[i].word)) {
            ++*words[i].count;
            return true;
        }
    if (is_word(p, "const") || is_word(p, "volatile"))
        return true;
    if (is_word(p, "struct") || is_word(p, "union") || is_word(p, "enum"))
        return tagged(p, s);
    *known = false;
    return true;
}

static const struct hc_type *basic_type(const struct parser *p, const struct specifiers *s)
{
    if (s->voids)
        return &hc_basic[HC_BASIC_VOID];
    if (s->bools)
        return &hc_basic[HC_BASIC_BOOL];
    if (s->floats)
        return &hc_basic[HC_BASIC_FLOAT];
    if (s->doubles)
        return &hc_basic[HC_BASIC_DOUBLE];
    if (s->chars && !s->signeds && !s->unsigneds) {
        /* The compiler decides whether it has a sign. */
        const struct hc_type *own = hc_program_type(p->c->program, HC_TYPE_TYPEDEF, "char");
        return own ? own : &hc_basic[HC_BASIC_CHAR];
    }
    if (s->chars)
        return &hc_basic[s->unsigneds ? HC_BASIC_UCHAR : HC_BASIC_SCHAR];
    if (s->shorts)
        return &hc_basic[s->unsigneds ? HC_BASIC_USHORT : HC_BASIC_SHORT];
    if (s->longs > 1)
        return &hc_basic[s->unsigneds ? HC_BASIC_ULONGLONG : HC_BASIC_LONGLONG];
    if (s->longs)
        return &hc_basic[s->unsigneds ? HC_BASIC_ULONG : HC_BASIC_LONG];
    return &hc_basic[s->unsigneds ? HC_BASIC_UINT : HC_BASIC_INT];
}

static bool base_type(struct parser *p, const struct hc_type **out)
{
    struct specifiers s = { 0 };
    bool known = true, any = false;

    while (p->token.kind == HC_TOKEN_NAME) {
        if (!specifier(p, &s, &known))
            return false;
        bool plain = any || s.type; /* a typedef's name comes once, and alone */
        if (!known && !plain && !is_word(p, "sizeof")) {
            s.type = hc_program_type(p->c->program, HC_TYPE_TYPEDEF, p->token.name);
            if (!s.type)
                break;
        } else if (!known) {
            break;
        }
        any = any || s.chars || s.shorts || s.ints || s.longs || s.signeds || s.unsigneds || s.floats || s.doubles ||
              s.voids || s.bools;
        if (!next(p))
            return false;
    }
    if (!any && !s.type)
        return unexpected(p, "a type");
    *out = s.type ? s.type : basic_type(p, &s);
    return true;
}

static bool array_suffix(struct parser *p, const struct hc_type **type)
{
    uint32_t counts[8];
    int n = 0;

    while (is_operator(p, "[") && n < 8) {
        if (!next(p))
            return false;
        if (p->token.kind != HC_TOKEN_NUMBER || p->token.number.type->kind == HC_TYPE_FLOAT ||
            p->token.number.u > SLICE_MOST)
            return unexpected(p, "the number of elements");
        counts[n++] = (uint32_t)p->token.number.u;
        if (!next(p) || !expect(p, "]"))
            return false;
    }
    while (n > 0 && *type)
        *type = hc_program_array_of(p->c->program, *type, counts[--n]);
    return *type || hc_debug_fail(p->message, "out of memory");
}

/* (*)(...): the parameters are not needed. */
static bool function_pointer(struct parser *p, const struct hc_type **type)
{
    int open = 1;

    if (!expect(p, "*") || !expect(p, ")") || !expect(p, "("))
        return false;
    while (open > 0) {
        open += is_operator(p, "(") - is_operator(p, ")");
        if (p->token.kind == HC_TOKEN_END)
            return unexpected(p, "')'");
        if (!next(p))
            return false;
    }
    static const struct hc_type function = { .kind = HC_TYPE_FUNCTION };
    *type = hc_program_pointer_to(p->c->program, &function);
    return *type || hc_debug_fail(p->message, "out of memory");
}

static bool type_name(struct parser *p, const struct hc_type **out)
{
    if (!base_type(p, out))
        return false;
    while (is_operator(p, "*") || is_word(p, "const") || is_word(p, "volatile")) {
        if (is_operator(p, "*"))
            *out = hc_program_pointer_to(p->c->program, *out);
        if (!*out)
            return hc_debug_fail(p->message, "out of memory");
        if (!next(p))
            return false;
    }
    if (is_operator(p, "("))
        return next(p) && function_pointer(p, out);
    return array_suffix(p, out);
}

/* ---- primary ---- */

static bool name_value(struct parser *p, struct hc_name *name, struct hc_value *out)
{
    if (name->kind == HC_NAME_ENUMERATOR) {
        bool fits = name->value >= INT16_MIN && name->value <= INT16_MAX;
        const struct hc_type *type = fits ? &hc_basic[HC_BASIC_INT] : hc_type_promote(name->type, 0);
        give(out, hc_number_of(type, (uint64_t)name->value));
        return true;
    }
    if (p->quiet && name->type) {
        *out = hc_value_in_memory(name->type, 0);
        return true;
    }
    if (!name->type && name->kind == HC_NAME_VARIABLE) {
        *out = hc_value_in_memory(NULL, name->address); /* good for & only */
        return true;
    }
    return hc_value_of_name(p->c, name, out, p->message);
}

static bool named(struct parser *p, struct hc_value *out)
{
    struct hc_name name;

    if (!hc_program_lookup(p->c->program, p->c->pc, p->c->has_die ? &p->c->die : NULL, p->token.name, &name))
        return hc_debug_fail(p->message, "no symbol '%s' here", p->token.name);
    return next(p) && name_value(p, &name, out);
}

static bool scoped(struct parser *p, struct hc_value *out)
{
    struct hc_name name;
    char scope[sizeof p->token.name];

    snprintf(scope, sizeof scope, "%s", p->token.name);
    if (!next(p))
        return false;
    if (p->token.kind != HC_TOKEN_NAME)
        return unexpected(p, "a name");
    if (!hc_program_lookup_in(p->c->program, scope, p->token.name, &name))
        return hc_debug_fail(p->message, "no symbol '%s' in %s", p->token.name, scope);
    return next(p) && name_value(p, &name, out);
}

static int register_named(const struct parser *p, const char *name)
{
    const struct hc_target *target = hc_target_of_elf(hc_image_machine(hc_program_image(p->c->program)));

    for (int n = 0; target && target->cpu && n < HC_DEBUG_REGISTERS; n++) {
        const struct hc_cpu_register *r = &target->cpu->registers[n];
        bool is_alternative = n < target->cpu->first_general && !strcmp(name, r->alternative);
        if (is_alternative || !strcmp(name, r->name))
            return n;
    }
    return -1;
}

static bool registered(struct parser *p, struct hc_value *out)
{
    int n = register_named(p, p->token.name);
    if (n < 0)
        return hc_debug_fail(p->message, "there is no register $%s", p->token.name);
    if (!(p->c->known >> n & 1) && !p->quiet)
        return hc_debug_fail(p->message, "$%s of this frame was not saved", p->token.name);
    const struct hc_type *type = &hc_basic[p->c->reg[n] > 0xffff ? HC_BASIC_ULONG : HC_BASIC_UINT];
    if (n <= 1) {
        static const struct hc_type code = { .kind = HC_TYPE_FUNCTION };
        type = hc_program_pointer_to(p->c->program, n == 0 ? &code : &hc_basic[HC_BASIC_VOID]);
        if (!type)
            return hc_debug_fail(p->message, "out of memory");
    }
    give(out, hc_number_of(type, p->c->reg[n]));
    out->in_register = true;
    return next(p);
}

static bool primary(struct parser *p, struct hc_value *out)
{
    switch (p->token.kind) {
    case HC_TOKEN_NUMBER:
        give(out, p->token.number);
        return next(p);
    case HC_TOKEN_NAME:
        return named(p, out);
    case HC_TOKEN_SCOPE:
        return scoped(p, out);
    case HC_TOKEN_REGISTER:
        return registered(p, out);
    default:
        if (!is_operator(p, "("))
            return unexpected(p, "a value");
        return next(p) && comma(p, out) && expect(p, ")");
    }
}

/* ---- postfix ---- */

/* What POINTER points to, N elements further on. */
static bool dereference(struct parser *p, const struct hc_number *pointer, int64_t n, struct hc_value *out)
{
    const struct hc_type *target = hc_type_strip(pointer->type->target);

    if (pointer->type->kind != HC_TYPE_POINTER)
        return hc_debug_fail(p->message,
                             "only a pointer has something to point to: cast it, as in *(unsigned *)0x1100");
    if (target->kind == HC_TYPE_VOID)
        return hc_debug_fail(p->message, "cannot dereference void *: cast it");
    *out = hc_value_in_memory(pointer->type->target,
                              (uint32_t)hc_number_of(pointer->type, pointer->u + (uint64_t)(n * target->size)).u);
    return true;
}

static bool subscript(struct parser *p, struct hc_value *v)
{
    struct hc_value index;
    struct hc_number n, pointer;
    const struct hc_type *type = hc_type_strip(v->type);

    if (!next(p) || !comma(p, &index) || !expect(p, "]") || !number_of(p, &index, &n))
        return false;
    if (type->kind == HC_TYPE_ARRAY && !v->in_memory && !p->quiet) {
        struct hc_value array = *v;
        if (!hc_type_is_integer(n.type) || n.u >= type->count)
            return hc_debug_fail(p->message, "index out of range");
        return hc_value_part(&array, type->target, (uint32_t)n.u * hc_type_strip(type->target)->size, 0, v, p->message);
    }
    if (!number_of(p, v, &pointer))
        return false;
    if (n.type->kind == HC_TYPE_POINTER) { /* 3[array] is C, too */
        struct hc_number swap = n;
        n = pointer;
        pointer = swap;
    }
    if (!hc_type_is_integer(n.type))
        return hc_debug_fail(p->message, "an index must be an integer");
    return dereference(p, &pointer, n.s, v);
}

static bool member(struct parser *p, struct hc_value *v)
{
    struct hc_number pointer;
    uint32_t offset;

    if (is_operator(p, "->")) {
        if (!number_of(p, v, &pointer) || !dereference(p, &pointer, 0, v))
            return false;
    }
    if (!next(p))
        return false;
    if (p->token.kind != HC_TOKEN_NAME)
        return unexpected(p, "a member's name");
    const struct hc_type *type = hc_type_strip(v->type);
    if (type->incomplete && type->name) {
        const struct hc_type *complete = hc_program_type(p->c->program, type->kind, type->name);
        type = complete ? complete : type;
    }
    const struct hc_member *m = hc_type_member(type, p->token.name, &offset);
    if (!m) {
        char name[96];
        return hc_debug_fail(p->message, "there is no member '%s' in %s", p->token.name,
                             hc_type_name(type, name, sizeof name));
    }
    struct hc_value whole = *v;
    return hc_value_part(&whole, m->type, offset, m->bits, v, p->message) && next(p);
}

static bool postfix(struct parser *p, struct hc_value *out)
{
    if (!primary(p, out))
        return false;
    for (;;) {
        if (is_operator(p, "[")) {
            if (!subscript(p, out))
                return false;
        } else if (is_operator(p, ".") || is_operator(p, "->")) {
            if (!member(p, out))
                return false;
        } else if (is_operator(p, "(")) {
            return hc_debug_fail(p->message, "functions of the program cannot be called: recorded state is read-only");
        } else if (is_operator(p, "++") || is_operator(p, "--")) {
            return hc_debug_fail(p->message, "recorded state is read-only");
        } else {
            return true;
        }
    }
}

/* ---- unary ---- */

static bool address_of(struct parser *p, struct hc_value *v)
{
    if (!p->quiet && v->in_register)
        return hc_debug_fail(p->message, "it is in a register and has no address");
    if (v->bits)
        return hc_debug_fail(p->message, "a bit-field has no address");
    if (!p->quiet && !v->in_memory)
        return hc_debug_fail(p->message, "only something in memory has an address");
    const struct hc_type *pointer = hc_program_pointer_to(p->c->program, v->type);
    if (!pointer)
        return hc_debug_fail(p->message, "out of memory");
    give(v, hc_number_of(pointer, v->address));
    return true;
}

static bool size_of(struct parser *p, struct hc_value *out)
{
    const struct hc_type *type = NULL;

    if (is_operator(p, "(")) {
        struct parser before = *p;
        if (!next(p))
            return false;
        if (starts_type(p)) {
            if (!type_name(p, &type) || !expect(p, ")"))
                return false;
            give(out, hc_number_of(&hc_basic[HC_BASIC_UINT], hc_type_strip(type)->size));
            return true;
        }
        *p = before;
    }
    struct hc_value v;
    p->quiet++;
    bool well = unary(p, &v);
    p->quiet--;
    if (!well)
        return false;
    if (v.bits)
        return hc_debug_fail(p->message, "a bit-field has no size");
    give(out, hc_number_of(&hc_basic[HC_BASIC_UINT], hc_type_strip(v.type)->size));
    return true;
}

static bool cast(struct parser *p, const struct hc_type *type, struct hc_value *v)
{
    const struct hc_type *to = hc_type_strip(type), *from = hc_type_strip(v->type);
    struct hc_number n;
    char name[96];

    if (to->kind == HC_TYPE_VOID || (to == from && !hc_type_is_scalar(to))) {
        v->type = type;
        return true;
    }
    if (!hc_type_is_scalar(to))
        return hc_debug_fail(p->message, "cannot cast to %s: cast a pointer and dereference it",
                             hc_type_name(type, name, sizeof name));
    if (!number_of(p, v, &n))
        return false;
    if ((to->kind == HC_TYPE_POINTER && n.type->kind == HC_TYPE_FLOAT) ||
        (n.type->kind == HC_TYPE_POINTER && to->kind == HC_TYPE_FLOAT))
        return refuse(p, v, "cannot cast between a pointer and a floating-point number");
    give(v, hc_number_convert(&n, to));
    v->type = type; /* its name is shown */
    return true;
}

static bool parenthesis_or_cast(struct parser *p, struct hc_value *out)
{
    struct parser before = *p;
    const struct hc_type *type = NULL;

    if (!next(p))
        return false;
    if (starts_type(p))
        return type_name(p, &type) && expect(p, ")") && unary(p, out) && cast(p, type, out);
    *p = before;
    return postfix(p, out);
}

static bool arithmetic_unary(struct parser *p, char op, struct hc_value *v)
{
    struct hc_number n;

    if (op == '!') {
        if (!number_of(p, v, &n))
            return false;
        give_int(v, !hc_number_is_true(&n));
        return true;
    }
    if (!promoted(p, v, &n))
        return false;
    if (n.type->kind == HC_TYPE_POINTER || (op == '~' && n.type->kind == HC_TYPE_FLOAT))
        return refuse(p, v, op == '~' ? "~" : "a sign");
    if (n.type->kind == HC_TYPE_FLOAT)
        n.f = op == '-' ? -n.f : n.f;
    else
        n = hc_number_of(n.type, op == '-' ? -n.u : op == '~' ? ~n.u : n.u);
    give(v, n);
    return true;
}

static bool operate_unary(struct parser *p, char op, struct hc_value *out)
{
    struct hc_number pointer;

    if (!next(p) || !unary(p, out))
        return false;
    if (op == '&')
        return address_of(p, out);
    if (op != '*')
        return arithmetic_unary(p, op, out);
    return number_of(p, out, &pointer) && dereference(p, &pointer, 0, out);
}

static bool unary(struct parser *p, struct hc_value *out)
{
    bool well;

    if (!deeper(p))
        return false;
    if (is_operator(p, "++") || is_operator(p, "--"))
        return hc_debug_fail(p->message, "recorded state is read-only");
    if (p->token.kind == HC_TOKEN_OPERATOR && strchr("+-!~*&", p->token.op[0]) && !p->token.op[1])
        well = operate_unary(p, p->token.op[0], out);
    else if (is_word(p, "sizeof"))
        well = next(p) && size_of(p, out);
    else if (is_operator(p, "("))
        well = parenthesis_or_cast(p, out);
    else
        well = postfix(p, out);
    p->depth--;
    return well;
}

/* ---- binary ---- */

static const struct {
    const char *op;
    int level; /* higher binds closer */
} binaries[] = {
    { "||", 1 }, { "&&", 2 }, { "|", 3 },  { "^", 4 },  { "&", 5 },  { "==", 6 }, { "!=", 6 },
    { "<", 7 },  { ">", 7 },  { "<=", 7 }, { ">=", 7 }, { "<<", 8 }, { ">>", 8 }, { "@", 9 },
    { "+", 10 }, { "-", 10 }, { "*", 11 }, { "/", 11 }, { "%", 11 },
};
enum { LEVEL_OR = 1, LEVEL_AND = 2, LEVEL_SLICE = 9 };

static int level_of(const struct parser *p)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (is_operator(p, binaries[i].op))
            return binaries[i].level;
    return 0;
}

static bool slice(struct parser *p, struct hc_value *v, struct hc_value *count)
{
    struct hc_number n;

    if (!number_of(p, count, &n))
        return false;
    if (!hc_type_is_integer(n.type) || n.s <= 0 || n.s > SLICE_MOST) {
        if (!p->quiet)
            return hc_debug_fail(p->message, "expected a number 1..%d after @", SLICE_MOST);
        n.u = 1;
    }
    if (!v->in_memory && !p->quiet)
        return hc_debug_fail(p->message, "@ needs something in memory");
    const struct hc_type *array = hc_program_array_of(p->c->program, v->type, (uint32_t)n.u);
    if (!array)
        return hc_debug_fail(p->message, "out of memory");
    *v = hc_value_in_memory(array, v->address);
    return true;
}

static bool pointer_arithmetic(struct parser *p, const char *op, struct hc_number *a, struct hc_number *b,
                               struct hc_value *out)
{
    bool both = a->type->kind == HC_TYPE_POINTER && b->type->kind == HC_TYPE_POINTER;

    if (b->type->kind == HC_TYPE_POINTER && a->type->kind != HC_TYPE_POINTER && !strcmp(op, "+")) {
        struct hc_number swap = *a;
        *a = *b;
        *b = swap;
    }
    uint32_t size = a->type->kind == HC_TYPE_POINTER ? hc_type_strip(a->type->target)->size : 1;
    if (size == 0)
        size = 1;
    if (both && !strcmp(op, "-")) {
        int64_t distance = hc_number_of(&hc_basic[a->type->size > 2 ? HC_BASIC_LONG : HC_BASIC_INT], a->u - b->u).s;
        give_int(out, distance / size);
        return true;
    }
    if (both || a->type->kind != HC_TYPE_POINTER || !hc_type_is_integer(b->type) || (op[0] != '+' && op[0] != '-') ||
        op[1])
        return hc_debug_fail(p->message, "%s is not for pointers", op);
    uint64_t distance = b->u * size;
    give(out, hc_number_of(a->type, op[0] == '+' ? a->u + distance : a->u - distance));
    return true;
}

static bool is_comparison(const char *op)
{
    return strchr("=!", op[0]) || (strchr("<>", op[0]) && op[1] != op[0]);
}

static bool combine(struct parser *p, const char *op, struct hc_value *left, struct hc_value *right)
{
    struct hc_number a, b;

    if (op[0] == '@')
        return slice(p, left, right);
    if (!promoted(p, left, &a) || !promoted(p, right, &b))
        return false;
    if (a.type->kind == HC_TYPE_POINTER || b.type->kind == HC_TYPE_POINTER) {
        if (!is_comparison(op))
            return pointer_arithmetic(p, op, &a, &b, left);
        const struct hc_type *type = a.type->kind == HC_TYPE_POINTER ? a.type : b.type;
        a = hc_number_convert(&a, type);
        b = hc_number_convert(&b, type);
        give_int(left, hc_number_compare(op, &a, &b));
        return true;
    }
    if (!strcmp(op, "<<") || !strcmp(op, ">>")) {
        if (a.type->kind == HC_TYPE_FLOAT || b.type->kind == HC_TYPE_FLOAT)
            return hc_debug_fail(p->message, "%s is for integers only", op);
        give(left, hc_number_shift(op[0], &a, &b));
        return true;
    }
    const struct hc_type *type = hc_type_common(a.type, b.type);
    a = hc_number_convert(&a, type);
    b = hc_number_convert(&b, type);
    if (is_comparison(op)) {
        give_int(left, hc_number_compare(op, &a, &b));
        return true;
    }
    if (!hc_number_arithmetic(op[0], &a, &b, p->message) && !p->quiet)
        return false;
    give(left, a);
    return true;
}

static bool binary(struct parser *p, int level, struct hc_value *out);

/* && and ||: the right side only if it matters. */
static bool logical(struct parser *p, int level, struct hc_value *left)
{
    struct hc_value right;
    struct hc_number a, b;

    if (!number_of(p, left, &a))
        return false;
    bool decided = hc_number_is_true(&a) == (level == LEVEL_OR);
    p->quiet += decided;
    bool well = next(p) && binary(p, level + 1, &right) && number_of(p, &right, &b);
    p->quiet -= decided;
    if (!well)
        return false;
    give_int(left, decided ? level == LEVEL_OR : hc_number_is_true(&b));
    return true;
}

/* All operators of LEVEL and above, those of equal level from left to right. */
static bool binary(struct parser *p, int level, struct hc_value *out)
{
    struct hc_value right;
    char op[4];
    int this;

    if (!deeper(p) || !unary(p, out))
        return false;
    while ((this = level_of(p)) >= level && this > 0) {
        if (this <= LEVEL_AND) {
            if (!logical(p, this, out))
                return false;
            continue;
        }
        memcpy(op, p->token.op, sizeof op);
        if (!next(p) || !binary(p, this + 1, &right) || !combine(p, op, out, &right))
            return false;
    }
    p->depth--;
    return true;
}

/* ---- the rest ---- */

/* Both sides have been parsed, one of them without evaluation; the type depends on both. */
static bool choose(struct parser *p, bool first, struct hc_value *a, struct hc_value *b)
{
    struct hc_number x, y;
    struct hc_value *taken = first ? a : b;

    if (!decay(p, a) || !decay(p, b))
        return false;
    if (hc_type_is_arithmetic(a->type) && hc_type_is_arithmetic(b->type)) {
        const struct hc_type *type =
            hc_type_common(hc_type_promote(a->type, a->bits), hc_type_promote(b->type, b->bits));
        if (!promoted(p, taken, &x))
            return false;
        give(a, hc_number_convert(&x, type));
        return true;
    }
    bool pointers = hc_type_is_scalar(a->type) && hc_type_is_scalar(b->type);
    if (pointers) {
        const struct hc_type *type = hc_type_strip(a->type)->kind == HC_TYPE_POINTER ? a->type : b->type;
        if (!number_of(p, taken, &y))
            return false;
        give(a, hc_number_convert(&y, type));
        return true;
    }
    if (hc_type_strip(a->type) != hc_type_strip(b->type))
        return hc_debug_fail(p->message, "the two sides of ':' have incompatible types");
    *a = *taken;
    return true;
}

static bool conditional(struct parser *p, struct hc_value *out)
{
    struct hc_value second;
    struct hc_number n;

    if (!deeper(p) || !binary(p, LEVEL_OR, out))
        return false;
    if (is_operator(p, "?")) {
        if (!number_of(p, out, &n) || !next(p))
            return false;
        bool first = hc_number_is_true(&n);
        p->quiet += !first;
        bool well = comma(p, out) && expect(p, ":");
        p->quiet -= !first;
        p->quiet += first;
        well = well && conditional(p, &second);
        p->quiet -= first;
        if (!well || !choose(p, first, out, &second))
            return false;
    }
    p->depth--;
    return true;
}

static bool assigns(const struct parser *p)
{
    size_t n = p->token.kind == HC_TOKEN_OPERATOR ? strlen(p->token.op) : 0;

    return n && p->token.op[n - 1] == '=' && level_of(p) == 0;
}

static bool comma(struct parser *p, struct hc_value *out)
{
    if (!conditional(p, out))
        return false;
    if (assigns(p))
        return hc_debug_fail(p->message, "recorded state is read-only (== compares)");
    while (is_operator(p, ","))
        if (!next(p) || !conditional(p, out))
            return false;
    return true;
}

static bool begin(struct parser *p, const struct hc_context *c, const char *text, struct hc_debug_message *message)
{
    *p = (struct parser){ .c = c, .text = text, .message = message };
    if (strlen(text) > TEXT_MOST)
        return hc_debug_fail(message, "the expression is too long");
    return next(p);
}

static bool end(struct parser *p)
{
    return p->token.kind == HC_TOKEN_END || unexpected(p, "an operator or the end");
}

bool hc_expression_evaluate(const struct hc_context *c, const char *text, struct hc_value *out,
                            struct hc_debug_message *message)
{
    struct parser p;

    if (!begin(&p, c, text, message) || !comma(&p, out) || !end(&p))
        return false;
    if (!out->type)
        return hc_debug_fail(message, "its type is not known: cast its address, as in *(unsigned *)&NAME");
    return true;
}

bool hc_expression_holds(const struct hc_context *c, const char *text, bool *out, struct hc_debug_message *message)
{
    struct hc_value v;
    struct hc_number n;
    struct parser p;

    if (!begin(&p, c, text, message) || !comma(&p, &v) || !end(&p) || !number_of(&p, &v, &n))
        return false;
    *out = hc_number_is_true(&n);
    return true;
}

bool hc_expression_type(const struct hc_context *c, const char *text, const struct hc_type **out,
                        struct hc_debug_message *message)
{
    struct hc_value v;
    struct parser p;

    if (!begin(&p, c, text, message))
        return false;
    if (starts_type(&p))
        return type_name(&p, out) && end(&p);
    p.quiet++;
    if (!comma(&p, &v) || !end(&p))
        return false;
    *out = v.type;
    return true;
}
