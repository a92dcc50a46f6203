/* Decisions become text. What is inserted is one line of GNU C in the reserved spelling (__asm__), so that it compiles
 * in every mode of every compiler; what it does is in the recorder's interface (runtime/). */
#include "emit.h"

#include "position.h"
#include "scan.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- text of the target ---- */

struct text {
    struct hc_unit *unit;
    const struct hc_target_text *target;
    FILE *to;
    char *bytes;
    size_t size;
};

static struct text *begin(struct text *text, struct hc_unit *unit)
{
    *text = (struct text){ .unit = unit, .target = unit->target->text };
    text->to = open_memstream(&text->bytes, &text->size);
    if (!text->to)
        longjmp(*unit->memory->exhausted, 1);
    return text;
}

/* What was written, in the unit's memory. */
static const char *end(struct text *text)
{
    bool failed = fclose(text->to) || !text->bytes;
    const char *copy = failed ? NULL : hc_arena_copy(text->unit->memory, text->bytes, text->size);
    free(text->bytes);
    if (!copy)
        longjmp(*text->unit->memory->exhausted, 1);
    return copy;
}

static struct hc_text_access access_of(const struct hc_unit *unit, const struct hc_decision *d)
{
    return (struct hc_text_access){
        .address = d->place.address, .size = d->place.size, .mask = d->mask, .site = d->label, .gcc = unit->request->gcc
    };
}

const char *hc_emit_tick(struct hc_unit *unit, bool in_line)
{
    struct text text;
    begin(&text, unit)->target->tick(text.to, in_line, unit->request->gcc);
    return end(&text);
}

const char *hc_emit_call(struct hc_unit *unit, const char *function)
{
    struct text text;
    begin(&text, unit)->target->call(text.to, function, unit->request->gcc);
    return end(&text);
}

const char *hc_emit_call_sometimes(struct hc_unit *unit, const char *function, const char *counter, unsigned add)
{
    struct text text;
    begin(&text, unit)->target->call_sometimes(text.to, function, counter, add, unit->request->gcc);
    return end(&text);
}

const char *hc_emit_wake(struct hc_unit *unit, const char *counter)
{
    struct text text;
    begin(&text, unit)->target->wake(text.to, counter, unit->request->gcc);
    return end(&text);
}

/* A copy of the text of NODE on one line. */
static const char *text_of(struct hc_unit *unit, const struct hc_ast_node *node)
{
    char *copy = hc_arena_take(unit->memory, node->end - node->begin + 2), *to = copy;
    for (uint32_t at = node->begin; at < node->end;) {
        uint32_t next = hc_scan_blank(unit->text, unit->size, at);
        if (next > at) {
            *to++ = ' ';
            at = next;
            continue;
        }
        next = hc_scan_token(unit->text, unit->size, at);
        memcpy(to, unit->text + at, next - at);
        to += next - at;
        at = next;
    }
    return copy;
}

const char *hc_emit_type(struct hc_unit *unit, const struct hc_ast_node *node)
{
    CXType type = clang_getCanonicalType(clang_getCursorType(node->cursor));
    if (type.kind == CXType_Enum || (node->type.kind != HC_AST_INTEGER && node->type.kind != HC_AST_BOOL))
        return hc_arena_print(unit->memory, "__typeof__(%s)", text_of(unit, node));
    CXString spelling = clang_getTypeSpelling(clang_getUnqualifiedType(type));
    const char *text = clang_getCString(spelling);
    const char *name = hc_arena_copy(unit->memory, text, strlen(text));
    clang_disposeString(spelling);
    return name;
}

static const char *unsigned_of(int size)
{
    return size == 1 ? "unsigned char" : size == 2 ? "unsigned short" : "unsigned long";
}

/* ---- reads ---- */

/* An expression for the bits of A, as an unsigned; the descriptor is made if any of them is non-deterministic. */
static const char *read_part(struct hc_unit *unit, struct hc_text_access a)
{
    struct text text;
    struct hc_regs_access access;
    hc_regs_access(unit->request->registers, a.address, a.size, &access);
    begin(&text, unit);
    if (a.mask & access.nondeterministic)
        text.target->read(text.to, &a);
    else
        text.target->read_masked(text.to, &a);
    return end(&text);
}

/* The bits of the decision's mask at its constant address, unsigned. */
static const char *read_register(struct hc_unit *unit, const struct hc_decision *d)
{
    struct hc_text_access low = access_of(unit, d), high = low;
    if (d->place.size <= unit->target->text->widest_read)
        return read_part(unit, low);
    low.size = high.size = 2;
    low.mask &= 0xffff;
    high.mask >>= 16;
    high.address += 2;
    high.site++;
    return hc_arena_print(unit->memory, "__extension__({unsigned __hc_l=%s;__hc_l|(unsigned long)%s<<16;})",
                          read_part(unit, low), read_part(unit, high));
}

/* A read of 8 or 16 bits through the pointer variable __hc_q, OFFSET bytes on. */
static const char *read_behind(struct hc_unit *unit, const struct hc_decision *d, const char *offset)
{
    struct text text;
    struct hc_text_access a = access_of(unit, d);
    begin(&text, unit)->target->read_via(text.to, &a, offset);
    return end(&text);
}

/* What has several parts, one after the other. */
static const char *read_parts(struct hc_unit *unit, const struct hc_decision *d)
{
    const char *word = d->place.size == 2 ? "unsigned" : "unsigned char";
    const char *offset = d->place.size == 2 ? "+2*__hc_i" : "+__hc_i";
    return hc_arena_print(unit->memory,
                          "__extension__({union{%s __hc_a;%s __hc_p[%u];}__hc_u;unsigned __hc_i;"
                          "for(__hc_i=0;__hc_i<%u;__hc_i++)__hc_u.__hc_p[__hc_i]=(%s)%s;__hc_u.__hc_a;})",
                          hc_emit_type(unit, d->lvalue), word, d->parts, d->parts, word, read_behind(unit, d, offset));
}

static const char *read_pointer(struct hc_unit *unit, const struct hc_decision *d)
{
    if (d->parts)
        return read_parts(unit, d);
    if (d->place.size <= unit->target->text->widest_read)
        return read_behind(unit, d, "");
    return hc_arena_print(unit->memory, "__extension__({unsigned __hc_l=%s;__hc_l|(unsigned long)%s<<16;})",
                          read_behind(unit, d, ""), read_behind(unit, d, "+2"));
}

/* VALUE, the bits of an access, as the value of the lvalue: a bit-field is shifted down and has its promoted type. */
static const char *as_lvalue(struct hc_unit *unit, const struct hc_decision *d, const char *value)
{
    const struct hc_lvalue_place *p = &d->place;
    if (d->parts)
        return value;
    if (!p->width)
        return hc_arena_print(unit->memory, "((%s)%s)", hc_emit_type(unit, d->lvalue), value);
    const char *type = d->lvalue->type.kind == HC_AST_BOOL ? "_Bool"
                       : p->width < 16 && p->size <= 2     ? "int"
                                                           : unsigned_of(p->size);
    uint32_t field = p->width >= 32 ? UINT32_MAX : (UINT32_C(1) << p->width) - 1, sign = field ^ field >> 1;
    const char *bits = hc_arena_print(unit->memory, "(%s>>%d&0x%x)", value, p->bit, field);
    if (!p->is_signed || d->lvalue->type.kind == HC_AST_BOOL)
        return hc_arena_print(unit->memory, "((%s)%s)", type, bits);
    return hc_arena_print(unit->memory, "((%s)((%s^0x%x)-0x%x))", p->size > 2 ? "long" : "int", bits, sign, sign);
}

static void emit_read(struct hc_unit *unit, struct hc_decision *d)
{
    hc_edit_replace(&unit->edits, d->lvalue->begin, d->lvalue->end, d->lvalue->depth,
                    as_lvalue(unit, d, read_register(unit, d)));
}

static void emit_read_via(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_ast_node *lvalue = d->lvalue, *pointed = lvalue;
    const char *open = "__extension__({const volatile char*__hc_q=(const volatile char*)&(", *close = ");%s;})";
    if (d->place.width) { /* a bit-field has no address: the struct that it is in has */
        lvalue = hc_ast_bare(lvalue);
        pointed = lvalue->child;
        hc_edit_replace(&unit->edits, pointed->end, lvalue->end, lvalue->depth, "");
        if (pointed->type.kind == HC_AST_POINTER)
            open = "__extension__({const volatile char*__hc_q=(const volatile char*)(";
        close = hc_arena_print(unit->memory, ")+%d;%%s;})", d->place.offset);
        if (lvalue != d->lvalue)
            hc_edit_replace(&unit->edits, lvalue->end, d->lvalue->end, d->lvalue->depth, "");
        if (d->lvalue->begin != pointed->begin)
            hc_edit_replace(&unit->edits, d->lvalue->begin, pointed->begin, d->lvalue->depth, "");
    }
    const char *value = as_lvalue(unit, d, read_pointer(unit, d));
    hc_edit_open(&unit->edits, pointed->begin, pointed->depth, open);
    size_t room = strlen(close) + strlen(value) + 1;
    char *tail = hc_arena_take(unit->memory, room);
    snprintf(tail, room, close, value);
    hc_edit_close(&unit->edits, pointed->end, pointed->depth, tail);
}

/* The access is made, and leaves nothing of its value. */
static void emit_unused(struct hc_unit *unit, struct hc_decision *d)
{
    const char *zero = as_lvalue(unit, d, "0");
    struct hc_text_access a = access_of(unit, d);
    struct text text, closing;
    fputs("__extension__({", begin(&text, unit)->to);
    if (d->place.kind == HC_PLACE_REGISTER) {
        text.target->touch(text.to, &a);
        fprintf(text.to, "%s;})", zero);
        hc_edit_replace(&unit->edits, d->lvalue->begin, d->lvalue->end, d->lvalue->depth, end(&text));
        return;
    }
    text.target->touch_open(text.to, &a);
    hc_edit_open(&unit->edits, d->lvalue->begin, d->lvalue->depth, end(&text));
    begin(&closing, unit)->target->touch_close(closing.to, &a);
    fprintf(closing.to, "%s;})", zero);
    hc_edit_close(&unit->edits, d->lvalue->end, d->lvalue->depth, end(&closing));
}

/* ---- read-modify-writes ---- */

/* Text before and after the operand that make it the source of a modifying instruction. */
static const char *operand_opening(struct hc_unit *unit, const struct hc_decision *d)
{
    const struct hc_lvalue_place *p = &d->place;
    const char *complement = d->operation == '&' ? "~" : "";
    if (!p->width)
        return hc_arena_print(unit->memory, "(%s)%s(", unsigned_of(p->size), complement);
    return hc_arena_print(unit->memory, "(%s)((%s)%s(", unsigned_of(p->size), unsigned_of(p->size), complement);
}

static const char *operand_closing(struct hc_unit *unit, const struct hc_decision *d)
{
    const struct hc_lvalue_place *p = &d->place;
    if (!p->width)
        return ")";
    return hc_arena_print(unit->memory, ")<<%d&0x%x)", p->bit, ((UINT32_C(1) << p->width) - 1) << p->bit);
}

static const char *modify_head(struct hc_unit *unit, const struct hc_decision *d)
{
    struct text text;
    struct hc_text_access a = access_of(unit, d);
    fputs("__extension__({", begin(&text, unit)->to);
    if (d->place.kind == HC_PLACE_REGISTER)
        text.target->modify_open(text.to, &a, d->operation);
    else
        text.target->modify_pointed_open(text.to, &a, d->operation);
    return end(&text);
}

static const char *modify_tail(struct hc_unit *unit, const struct hc_decision *d)
{
    struct text text;
    struct hc_text_access a = access_of(unit, d);
    begin(&text, unit)->target->modify_close(text.to, &a);
    fprintf(text.to, "(%s)0;})", hc_emit_type(unit, d->node));
    return end(&text);
}

static void emit_modify_register(struct hc_unit *unit, struct hc_decision *d)
{
    const struct hc_ast_node *node = d->node, *operand = d->operand;
    struct hc_edits *edits = &unit->edits;
    const char *head = modify_head(unit, d), *tail = modify_tail(unit, d);
    bool whole_field = node->kind == CXCursor_BinaryOperator && d->place.width;
    if (!operand || whole_field) { /* ++, --, all bits of a field set or cleared: the constant is ours */
        uint32_t bits = whole_field ? ((UINT32_C(1) << d->place.width) - 1) << d->place.bit : 1;
        hc_edit_replace(edits, node->begin, node->end, node->depth,
                        hc_arena_print(unit->memory, "%s(%s)0x%x%s", head, unsigned_of(d->place.size), bits, tail));
        return;
    }
    hc_edit_replace(edits, node->begin, operand->begin, node->depth, "");
    hc_edit_open(edits, operand->begin, operand->depth,
                 hc_arena_print(unit->memory, "%s%s", head, operand_opening(unit, d)));
    hc_edit_close(edits, operand->end, operand->depth,
                  hc_arena_print(unit->memory, "%s%s", operand_closing(unit, d), tail));
    if (d->replaced)
        hc_edit_replace(edits, d->replaced->begin, d->replaced->end, d->replaced->depth,
                        d->operation == '&' ? "(-1)" : "0");
}

static void emit_modify_pointed(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_ast_node *node = d->node, *lvalue = d->lvalue;
    struct hc_edits *edits = &unit->edits;
    struct text middle;
    struct hc_text_access a = access_of(unit, d);
    begin(&middle, unit)->target->modify_pointed_middle(middle.to, &a, d->operation);
    fputs(operand_opening(unit, d), middle.to);
    hc_edit_open(edits, node->begin, node->depth, modify_head(unit, d));
    hc_edit_replace(edits, lvalue->end, d->operand->begin, node->depth, end(&middle));
    hc_edit_close(edits, d->operand->end, node->depth, hc_arena_print(unit->memory, ")%s", modify_tail(unit, d)));
}

static void emit_modify(struct hc_unit *unit, struct hc_decision *d)
{
    if (d->place.kind == HC_PLACE_REGISTER)
        emit_modify_register(unit, d);
    else
        emit_modify_pointed(unit, d);
}

static const char *operator_of(char operation)
{
    switch (operation) {
    case '<':
        return "<<";
    case '>':
        return ">>";
    case '|':
        return "|";
    case '&':
        return "&";
    case '^':
        return "^";
    case '+':
        return "+";
    case '-':
        return "-";
    case '*':
        return "*";
    case '/':
        return "/";
    default:
        return "%";
    }
}

/* What an update does once the operand is in __hc_r: reads, computes, writes to TARGET, gives the expression's value.
 */
static const char *update_of_word(struct hc_unit *unit, const struct hc_decision *d, const char *value,
                                  const char *target)
{
    const char *type = hc_emit_type(unit, d->lvalue);
    return hc_arena_print(unit->memory, "%s __hc_o=%s;%s __hc_n=(%s)(__hc_o%s__hc_r);%s=__hc_n;%s;})", type,
                          as_lvalue(unit, d, value), type, type, operator_of(d->operation), target,
                          d->postfix ? "__hc_o" : "__hc_n");
}

/* The field's new value goes into the bits read. */
static const char *update_of_field(struct hc_unit *unit, const struct hc_decision *d, const char *value,
                                   const char *target)
{
    const struct hc_lvalue_place *p = &d->place;
    const char *word = unsigned_of(p->size);
    uint32_t field = (uint32_t)(((UINT64_C(1) << p->width) - 1) << p->bit);
    struct hc_decision whole = *d;
    const char *old = as_lvalue(unit, &whole, "__hc_o");
    const char *result =
        d->operation == '=' ? "__hc_r" : hc_arena_print(unit->memory, "(%s%s__hc_r)", old, operator_of(d->operation));
    const char *given = as_lvalue(unit, &whole, d->postfix ? "__hc_o" : "__hc_n");
    return hc_arena_print(unit->memory, "%s __hc_o=%s;%s __hc_n=(__hc_o&~0x%xu%s)|((%s)%s<<%d&0x%xu%s);%s=__hc_n;%s;})",
                          word, value, word, field, p->size > 2 ? "l" : "", word, result, p->bit, field,
                          p->size > 2 ? "l" : "", target, given);
}

/* What the update of D does once the operand is in __hc_r. */
static const char *update_of(struct hc_unit *unit, const struct hc_decision *d)
{
    bool is_register = d->place.kind == HC_PLACE_REGISTER;
    const char *value = is_register ? read_register(unit, d) : read_pointer(unit, d);
    const char *type = d->place.width ? unsigned_of(d->place.size) : hc_emit_type(unit, d->lvalue);
    if (d->place.width && is_register)
        return update_of_field(unit, d, value,
                               hc_arena_print(unit->memory, "*(volatile %s*)0x%04x", type, d->place.address));
    const char *behind =
        hc_arena_print(unit->memory,
                       d->place.packed ? "((volatile struct __attribute__((__packed__)){%s __hc_a;}*)__hc_q)->__hc_a"
                                       : "*(volatile %s*)__hc_q",
                       type);
    if (d->place.width)
        return update_of_field(unit, d, value, behind);
    return update_of_word(unit, d, value,
                          is_register ? hc_arena_print(unit->memory, "(%s)", text_of(unit, d->lvalue)) : behind);
}

static void emit_update_of_register(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_ast_node *node = d->node, *operand = d->operand;
    struct hc_edits *edits = &unit->edits;
    const char *rest = update_of(unit, d), *type = operand ? hc_emit_type(unit, operand) : "int";
    const char *head = hc_arena_print(unit->memory, "__extension__({%s __hc_r=(", type);

    if (!operand) {
        hc_edit_replace(edits, node->begin, node->end, node->depth,
                        hc_arena_print(unit->memory, "%s1);%s", head, rest));
        return;
    }
    hc_edit_replace(edits, node->begin, operand->begin, node->depth, "");
    hc_edit_open(edits, operand->begin, operand->depth, head);
    hc_edit_close(edits, operand->end, operand->depth, hc_arena_print(unit->memory, ");%s", rest));
}

/* The pointer first: its expression stays where it is. Of a bit-field that is the struct's that it is in. */
static void emit_update_behind(struct hc_unit *unit, struct hc_decision *d)
{
    struct hc_ast_node *node = d->node, *operand = d->operand;
    struct hc_ast_node *pointed = d->place.width ? hc_ast_bare(d->lvalue)->child : d->lvalue;
    struct hc_edits *edits = &unit->edits;
    const char *rest = update_of(unit, d), *type = operand ? hc_emit_type(unit, operand) : "int";
    bool has_address = d->place.width && pointed->type.kind == HC_AST_POINTER;
    const char *middle = hc_arena_print(unit->memory, ")+%d;%s __hc_r=(", d->place.width ? d->place.offset : 0, type);

    if (node->begin < pointed->begin)
        hc_edit_replace(edits, node->begin, pointed->begin, node->depth, "");
    hc_edit_open(edits, pointed->begin, pointed->depth,
                 hc_arena_print(unit->memory, "__extension__({volatile char*__hc_q=(volatile char*)%s(",
                                has_address ? "" : "&"));
    if (operand) {
        hc_edit_replace(edits, pointed->end, operand->begin, node->depth, middle);
        hc_edit_close(edits, operand->end, operand->depth, hc_arena_print(unit->memory, ");%s", rest));
        return;
    }
    hc_edit_close(edits, pointed->end, pointed->depth, hc_arena_print(unit->memory, "%s1);%s", middle, rest));
    if (pointed->end < node->end)
        hc_edit_replace(edits, pointed->end, node->end, node->depth, "");
}

static void emit_update(struct hc_unit *unit, struct hc_decision *d)
{
    if (d->place.kind == HC_PLACE_REGISTER)
        emit_update_of_register(unit, d);
    else
        emit_update_behind(unit, d);
}

static void emit_poll(struct hc_unit *unit, struct hc_decision *d)
{
    struct text text;
    struct hc_text_access a = access_of(unit, d);
    begin(&text, unit)->target->poll(text.to, &a, d->until_set);
    hc_edit_replace(&unit->edits, d->node->begin, hc_statement_end(unit, d->node), d->node->depth, end(&text));
}

static void emit_stable(struct hc_unit *unit, struct hc_decision *d)
{
    const char *second = d->variables[1] ? hc_arena_print(unit->memory, "%s=", text_of(unit, d->variables[1])) : "";
    struct text text;
    struct hc_text_access a = access_of(unit, d);
    fprintf(begin(&text, unit)->to, "{%s=%s(%s)", text_of(unit, d->variables[0]), second,
            hc_emit_type(unit, d->lvalue));
    text.target->read(text.to, &a);
    fputs(";}", text.to);
    hc_edit_replace(&unit->edits, d->node->begin, hc_statement_end(unit, d->node), d->node->depth, end(&text));
}

static void emit_omitted(struct hc_unit *unit, struct hc_decision *d)
{
    hc_edit_replace(&unit->edits, d->lvalue->begin, d->lvalue->end, d->lvalue->depth,
                    hc_arena_print(unit->memory, "((%s)0)", hc_emit_type(unit, d->lvalue)));
}

/* ---- all of them ---- */

static int in_order(const void *left, const void *right)
{
    const struct hc_decision *a = *(struct hc_decision *const *)left, *b = *(struct hc_decision *const *)right;
    if (a->node->begin != b->node->begin)
        return a->node->begin < b->node->begin ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

/* In the order of the text. */
static struct hc_decision **sorted(struct hc_unit *unit)
{
    struct hc_decision **all = hc_arena_take(unit->memory, (unit->decision_count + 1) * sizeof(struct hc_decision *));
    size_t count = 0;
    for (struct hc_decision *d = unit->decisions; d; d = d->next)
        all[count++] = d;
    qsort(all, count, sizeof(struct hc_decision *), in_order);
    return all;
}

static bool is_recorded(const struct hc_decision *d)
{
    return !d->reason &&
           (d->action == HC_READ || d->action == HC_READ_VIA || d->action == HC_UPDATE || d->action == HC_STABLE);
}

void hc_emit_decisions(struct hc_unit *unit)
{
    for (struct hc_decision **all = sorted(unit), *d; (d = *all); all++) {
        if (is_recorded(d)) {
            d->label = unit->labels;
            unit->labels += d->place.size > 2 ? 2 : 1; /* 16 bits each */
        }
        switch (d->action) {
        case HC_READ:
        case HC_READ_MASKED:
            emit_read(unit, d);
            break;
        case HC_READ_VIA:
            emit_read_via(unit, d);
            break;
        case HC_READ_UNUSED:
            emit_unused(unit, d);
            break;
        case HC_MODIFY:
            emit_modify(unit, d);
            break;
        case HC_UPDATE:
            emit_update(unit, d);
            break;
        case HC_POLL:
            emit_poll(unit, d);
            break;
        case HC_STABLE:
            emit_stable(unit, d);
            break;
        case HC_READ_OMITTED:
            emit_omitted(unit, d);
            break;
        case HC_KEEP:
            break;
        }
        if (d->action != HC_KEEP || d->reason)
            hc_unit_list(unit, d, d->reason);
    }
}
