/* What inline assembly reads. It is not rewritten: if it may read what is not deterministic, it is refused.
 *
 * Registers of the CPU, immediates and the stack are harmless; so are symbols and addresses in memory, deterministic
 * registers, and plain writes. Changes in place leave their value in the register that they change. A
 * pointer in a register of the CPU can point anywhere, unless the stack pointer is loaded through it: where a kernel
 * keeps the stack of a thread is memory. */
#include "assembly.h"

#include "place.h"
#include "scan.h"
#include "target/target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 30 };

struct operand {
    char constraint[16];
    char name[32]; /* [name] */
    const struct hc_ast_node *expression;
};

struct assembly {
    struct hc_unit *unit;
    const struct hc_ast_node *statement; /* NULL outside functions */
    CXSourceLocation location;
    struct operand operands[OPERANDS_MAX];
    int operand_count;
    bool refused;
};

static void refuse(struct assembly *a, const char *what, const char *instruction)
{
    static const char remedy[] =
        "inline assembly reads %s ('%s'), which cannot be recorded: read it in C and pass the value, "
        "or write _Pragma(\"hindcast deterministic\") before the statement if it is the same in "
        "every run";
    if (a->refused)
        return;
    a->refused = true;
    if (a->statement)
        hc_unit_refuse(a->unit, a->statement, remedy, what, instruction);
    else
        hc_unit_refuse_at(a->unit, a->location, remedy, what, instruction);
}

static void touch_address(struct assembly *a, uint32_t address, enum hc_operand_effect effect, bool byte,
                          const char *instruction)
{
    const struct hc_regs *regs = a->unit->request->registers;
    struct hc_regs_access access;
    for (int i = 0; i < regs->dmas; i++)
        if (address == regs->dma[i].control)
            a->unit->result->uses_dma = true;
    if (effect != HC_OPERAND_READS || !hc_regs_is_peripheral(regs, address))
        return;
    hc_regs_access(regs, address, byte ? 1 : 2, &access);
    if (access.nondeterministic)
        refuse(a, "a register that is not deterministic", instruction);
}

static void touch_expression(struct assembly *a, const struct operand *operand, enum hc_operand_effect effect,
                             bool byte, const char *instruction)
{
    if (!strpbrk(operand->constraint, "mogVX") || !operand->expression || !hc_ast_is_lvalue(operand->expression))
        return; /* in a register: what is loaded there is C's business */
    struct hc_lvalue_place place = hc_place_of(a->unit, operand->expression);
    if (place.kind == HC_PLACE_REGISTER)
        touch_address(a, place.address, effect, byte, instruction);
    else if (place.kind == HC_PLACE_INDEXED ||
             (place.kind == HC_PLACE_UNKNOWN && operand->expression->type.is_volatile))
        if (effect == HC_OPERAND_READS)
            refuse(a, "through a pointer to volatile", instruction);
}

static const struct operand *operand_named(const struct assembly *a, const char *text)
{
    text++; /* % */
    if (isalpha((unsigned char)*text) && text[1])
        text++; /* %A0 */
    if (*text == '[') {
        size_t length = strcspn(text + 1, "]");
        for (int i = 0; i < a->operand_count; i++)
            if (strlen(a->operands[i].name) == length && !strncmp(a->operands[i].name, text + 1, length))
                return &a->operands[i];
        return NULL;
    }
    int number = isdigit((unsigned char)*text) ? atoi(text) : -1;
    return number >= 0 && number < a->operand_count ? &a->operands[number] : NULL;
}

static const struct hc_target_assembly *rules_of(const struct assembly *a)
{
    return a->unit->target->assembly;
}

static void touch_symbol(struct assembly *a, const char *text, enum hc_operand_effect effect, bool byte,
                         const char *instruction)
{
    char *end;
    unsigned long address = strtoul(text, &end, 0);
    if (end != text) {
        touch_address(a, (uint32_t)address, effect, byte, instruction);
        return;
    }
    char name[64] = "";
    size_t length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.");
    if (length >= sizeof name)
        return;
    memcpy(name, text, length);
    uint32_t start;
    if (hc_regs_locate(a->unit->request->registers, name, &start))
        touch_address(a, start + (text[length] == '+' ? (uint32_t)strtoul(text + length + 1, NULL, 0) : 0), effect,
                      byte, instruction);
}

/* TEXT: one operand as the assembler sees it, %0 and the like apart. */
static void touch(struct assembly *a, const char *text, enum hc_operand_effect effect, bool byte,
                  const char *instruction)
{
    bool absolute = *text == '&';
    if (absolute)
        text++;
    if (*text == '#' || !*text || rules_of(a)->is_register(text))
        return;
    if (*text == '%' && text[1] != '%') {
        const struct operand *operand = operand_named(a, text);
        int64_t address;
        if (absolute && operand && operand->expression && hc_ast_constant(operand->expression, &address))
            touch_address(a, (uint32_t)address, effect, byte, instruction);
        else if (operand)
            touch_expression(a, operand, effect, byte, instruction);
        return;
    }
    const char *bracket = strchr(text, '(');
    const char *base = *text == '@' ? text + 1 : bracket ? bracket + 1 : NULL;
    if (!base)
        touch_symbol(a, text, effect, byte, instruction);
    else if (!rules_of(a)->is_stack_pointer(base) && effect == HC_OPERAND_READS)
        refuse(a, "through a pointer", instruction);
}

/* ---- instructions ---- */

static char *without_blanks(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = 0;
    return text;
}

struct instruction {
    const char *text; /* all of it */
    char *mnemonic;   /* in small letters, without .b and .w */
    char *operand[3];
    int operands;
    bool byte;
};

/* False: LINE is none. It is cut into pieces. */
static bool read_instruction(struct assembly *a, char *line, struct instruction *out)
{
    *out = (struct instruction){ 0 };
    line[strcspn(line, ";")] = 0; /* a comment */
    line = without_blanks(line);
    for (char *colon; (colon = strchr(line, ':'));)
        line = without_blanks(colon + 1);
    if (!*line || *line == '.')
        return false;
    out->text = hc_arena_copy(a->unit->memory, line, strlen(line));
    char *rest = line + strcspn(line, " \t");
    if (*rest)
        *rest++ = 0;
    for (char *c = line; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    char *dot = strchr(line, '.');
    if (dot) {
        out->byte = dot[1] == 'b';
        *dot = 0;
    }
    out->mnemonic = line;
    for (char *save, *o = strtok_r(rest, ",", &save); o && out->operands < 3; o = strtok_r(NULL, ",", &save))
        out->operand[out->operands++] = without_blanks(o);
    return true;
}

static void check_instruction(struct assembly *a, const struct instruction *i)
{
    const struct hc_target_assembly *rules = rules_of(a);
    if (rules->transfers_control(i->mnemonic))
        return;
    bool loads_sp = i->operands == 2 && rules->is_move(i->mnemonic) && *i->operand[0] != '&' &&
                    rules->is_stack_pointer(i->operand[1]);
    for (int n = loads_sp ? 1 : 0; n < i->operands; n++)
        touch(a, i->operand[n], rules->effect(i->mnemonic, n, i->operands), i->byte, i->text);
}

/* ---- the status register ---- */

/* Sums of numbers, as macros make them: 0x80+0x40|(8). */
static bool sum_of(const char *text, uint32_t *value)
{
    bool any = false;
    for (*value = 0; *text;) {
        char *end;
        if (strchr(" \t()+|", *text)) {
            text++;
            continue;
        }
        uint32_t number = (uint32_t)strtoul(text, &end, 0);
        if (end == text)
            return false;
        *value |= number;
        any = true;
        text = end;
    }
    return any;
}

/* The value of a source operand; or, where that is not constant, its expression, if it is an operand of the statement.
 */
static bool source_value(const struct assembly *a, const char *text, uint32_t *value,
                         const struct hc_ast_node **expression)
{
    int64_t constant;
    text += *text == '#';
    if (*text != '%')
        return sum_of(text, value);
    const struct operand *operand = operand_named(a, text);
    if (!operand || !operand->expression)
        return false;
    if (hc_ast_constant(operand->expression, &constant)) {
        *value = (uint32_t)constant;
        return true;
    }
    *expression = operand->expression;
    return false;
}

static void switch_interrupts(struct hc_status_change *change, bool on)
{
    change->enables = on;
    change->disables = !on;
}

static void follow_status(struct assembly *a, const struct instruction *i, struct hc_status_change *change)
{
    const struct hc_target_assembly *rules = rules_of(a);
    enum hc_status_effect effect = rules->status_effect(i->mnemonic);
    uint32_t bits = 0;
    const struct hc_ast_node *expression = NULL;
    bool last = i->operands && rules->is_status(i->operand[i->operands - 1]), on;

    if (rules->switches_interrupts(i->mnemonic, &on))
        switch_interrupts(change, on);
    if (last && effect == HC_STATUS_ZEROES)
        switch_interrupts(change, false);
    if (i->operands != 2 || !last || i->byte)
        return;
    bool known = source_value(a, i->operand[0], &bits, &expression), enables = bits & rules->interrupts_on;
    if (effect == HC_STATUS_SETS || (effect == HC_STATUS_MOVES && known)) {
        change->bits |= bits;
        change->expression = expression ? expression : change->expression;
        if (enables || effect == HC_STATUS_MOVES)
            switch_interrupts(change, enables);
    }
    if (known && ((effect == HC_STATUS_CLEARS && enables) || (effect == HC_STATUS_KEEPS && !enables)))
        switch_interrupts(change, false);
}

/* ---- the statement's text ---- */

/* Appends the string literal at AT, escapes resolved as far as it matters here; returns its end. */
static uint32_t append_string(const struct hc_unit *unit, uint32_t at, char *to, size_t room)
{
    uint32_t end = hc_scan_token(unit->text, unit->size, at);
    size_t length = strlen(to);
    for (uint32_t i = at + 1; i + 1 < end && length + 1 < room; i++) {
        char c = unit->text[i];
        if (c == '\\' && i + 2 < end) {
            c = unit->text[++i];
            c = c == 'n' || c == 'r' ? '\n' : c == 't' ? '\t' : c;
        }
        to[length++] = c;
    }
    to[length] = 0;
    return end;
}

/* One list of operands, `[name] "constraint" (expression), ...`, up to the next colon or the end. */
static uint32_t read_operands(struct assembly *a, uint32_t at, uint32_t end, const struct hc_ast_node **expression)
{
    struct hc_unit *unit = a->unit;
    struct operand next = { 0 };
    for (at = hc_scan_blank(unit->text, end, at); at < end && unit->text[at] != ':';) {
        uint32_t after = hc_scan_token(unit->text, end, at);
        if (unit->text[at] == '[') {
            uint32_t close = hc_scan_find(unit->text, after, end, ']');
            uint32_t name = hc_scan_blank(unit->text, close, after);
            size_t length = hc_scan_token(unit->text, close, name) - name;
            memcpy(next.name, unit->text + name, length < sizeof next.name ? length : sizeof next.name - 1);
            after = close + 1;
        } else if (unit->text[at] == '"') {
            after = append_string(unit, at, next.constraint, sizeof next.constraint);
        } else if (unit->text[at] == '(') {
            after = hc_scan_find(unit->text, after, end, ')') + 1;
            next.expression = *expression;
            if (*expression)
                *expression = (*expression)->next;
            if (a->operand_count < OPERANDS_MAX)
                a->operands[a->operand_count++] = next;
            next = (struct operand){ 0 };
        }
        at = hc_scan_blank(unit->text, end, after);
    }
    return at;
}

/* The template of the assembly between BEGIN and END; its operands are read. */
static char *read_text(struct assembly *a, uint32_t begin, uint32_t end)
{
    struct hc_unit *unit = a->unit;
    uint32_t at = hc_scan_find(unit->text, begin, end, '(');
    uint32_t close = at < end ? hc_scan_find(unit->text, at + 1, end, ')') : end;
    char *template = hc_arena_take(unit->memory, close - begin + 1);
    size_t room = close - begin + 1;

    at = hc_scan_blank(unit->text, close, at < close ? at + 1 : close);
    while (at < close && unit->text[at] == '"')
        at = hc_scan_blank(unit->text, close, append_string(unit, at, template, room));
    const struct hc_ast_node *expression = a->statement ? a->statement->child : NULL;
    for (int list = 0; list < 2 && at < close && unit->text[at] == ':'; list++)
        at = read_operands(a, at + 1, close, &expression);
    return template;
}

/* Lines are parted by { as well. Comments go on to the end of the line. */
static char *next_instruction(struct assembly *a, char **rest, struct instruction *out)
{
    while (*rest && **rest) {
        char *line = *rest;
        size_t length = strcspn(line, "\n{;");
        if (line[length] == ';')
            length += strcspn(line + length, "\n");
        *rest = line[length] ? line + length + 1 : line + length;
        line[length] = 0;
        if (read_instruction(a, line, out))
            return line;
    }
    return NULL;
}

static void check_text(struct assembly *a, uint32_t begin, uint32_t end)
{
    struct instruction i;
    for (char *rest = read_text(a, begin, end); next_instruction(a, &rest, &i);)
        check_instruction(a, &i);
}

/* Operands in registers of the CPU whose lvalue is read and written ("+r"): the read is not shown as one. */
static void check_operands(struct assembly *a)
{
    for (int i = 0; i < a->operand_count; i++) {
        const struct operand *o = &a->operands[i];
        if (o->constraint[0] != '+' || strpbrk(o->constraint, "mogVX") || !o->expression ||
            !hc_ast_is_lvalue(o->expression))
            continue;
        struct hc_lvalue_place place = hc_place_of(a->unit, o->expression);
        if (place.kind == HC_PLACE_REGISTER)
            touch_address(a, place.address, HC_OPERAND_READS, place.size == 1, o->constraint);
        else if (place.kind == HC_PLACE_INDEXED || (place.kind == HC_PLACE_UNKNOWN && o->expression->type.is_volatile))
            refuse(a, "through a pointer to volatile", o->constraint);
    }
}

void hc_assembly_check(struct hc_unit *unit, const struct hc_ast_node *statement)
{
    struct assembly a = { .unit = unit, .statement = statement };
    if (hc_unit_annotated(unit, statement))
        return;
    check_text(&a, statement->begin, statement->end);
    check_operands(&a);
}

void hc_assembly_check_outside(struct hc_unit *unit, CXSourceLocation location, uint32_t begin, uint32_t end)
{
    struct assembly a = { .unit = unit, .location = location };
    if (unit->request->checkpoints)
        return;
    for (size_t i = 0; i < unit->pragma_count; i++)
        if (unit->pragmas[i] == begin)
            return;
    check_text(&a, begin, end);
}

struct hc_status_change hc_assembly_status(struct hc_unit *unit, const struct hc_ast_node *statement)
{
    struct assembly a = { .unit = unit, .statement = statement };
    struct hc_status_change change = { 0 };
    struct instruction i;
    for (char *rest = read_text(&a, statement->begin, statement->end); next_instruction(&a, &rest, &i);)
        follow_status(&a, &i, &change);
    return change;
}
