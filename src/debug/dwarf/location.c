/* DWARF expressions: a stack of numbers. The result is an address, a register, a value, or pieces of these. */
#include "context.h"

#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STACK_MOST = 64, STEPS_MOST = 10000 };

struct machine {
    const struct hc_context *c;
    Dwarf_Attribute *attribute; /* of the expression */
    struct hc_debug_message *message;
    uint64_t stack[STACK_MOST];
    int depth;
    enum hc_piece_place place; /* what the top of the stack is */
    const uint8_t *bytes;
    uint32_t bytes_size;
};

void hc_debug_explain(struct hc_debug_message *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    // cppcheck-suppress ctuuninitvar ; it is written
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
}

bool hc_context_read(const struct hc_context *c, uint32_t address, uint32_t size, uint64_t *out)
{
    uint8_t bytes[8];

    *out = 0;
    if (size > sizeof bytes || !c->read(c->owner, address, bytes, size))
        return false;
    for (uint32_t i = 0; i < size; i++)
        *out |= (uint64_t)bytes[i] << 8 * i;
    return true;
}

/* ---- the stack ---- */

static bool push(struct machine *m, uint64_t value)
{
    if (m->depth == STACK_MOST)
        return hc_debug_fail(m->message, "its location expression is too deep");
    m->stack[m->depth++] = value;
    return true;
}

static bool need(struct machine *m, int n)
{
    return m->depth >= n || hc_debug_fail(m->message, "its location expression is damaged (stack underflow)");
}

/* Numbers of the generic type have 32 bits: as wide as addresses are in this debug information. */
static int64_t generic(uint64_t value)
{
    return (int32_t)(uint32_t)value;
}

/* clang numbers the lower bytes of registers from 16 on. */
static bool read_register(struct machine *m, uint64_t n, uint64_t *out)
{
    uint64_t r = n & 15;

    if (n >= 2 * HC_DEBUG_REGISTERS)
        return hc_debug_fail(m->message, "it is in register %llu, which this CPU does not have", (unsigned long long)n);
    if (!(m->c->known >> r & 1))
        return hc_debug_fail(m->message, "it was in r%llu, which the function that was called did not save",
                             (unsigned long long)r);
    *out = n >= HC_DEBUG_REGISTERS ? m->c->reg[r] & 0xff : m->c->reg[r];
    return true;
}

static bool push_register(struct machine *m, uint64_t n, uint64_t offset)
{
    uint64_t value = 0;

    return read_register(m, n, &value) && push(m, (uint64_t)generic(value + offset));
}

/* ---- operations ---- */

/* A whole expression. */
static bool evaluate(const struct hc_context *c, Dwarf_Attribute *attribute, Dwarf_Op *op, size_t n,
                     struct hc_location *out, struct hc_debug_message *message);

static bool frame_base(struct machine *m, uint64_t *out)
{
    const struct hc_function *f = hc_program_function_at(m->c->program, m->c->pc);
    Dwarf_Attribute a;
    Dwarf_Op *op = NULL;
    size_t n = 0;
    struct hc_location base = { 0 };

    if (!f || !dwarf_attr_integrate((Dwarf_Die *)&f->die, DW_AT_frame_base, &a))
        return hc_debug_fail(m->message, "its function has no frame base");
    if (dwarf_getlocation_addr(&a, m->c->pc, &op, &n, 1) < 1 || !op)
        return hc_debug_fail(m->message, "its function has no frame base here");
    for (size_t i = 0; i < n; i++)
        if (op[i].atom == DW_OP_fbreg) /* would ask for itself */
            return hc_debug_fail(m->message, "its frame base is damaged");
    if (!evaluate(m->c, &a, op, n, &base, m->message))
        return false;
    if (base.piece[0].place == HC_PLACE_REGISTER)
        return read_register(m, base.piece[0].value, out);
    *out = base.piece[0].value;
    return true;
}

static bool binary(struct machine *m, uint8_t atom)
{
    if (!need(m, 2))
        return false;
    uint64_t b = m->stack[--m->depth], a = m->stack[m->depth - 1], r = 0;
    int64_t sa = generic(a), sb = generic(b);

    if ((atom == DW_OP_div || atom == DW_OP_mod) && !(atom == DW_OP_div ? sb : (int64_t)(uint32_t)b))
        return hc_debug_fail(m->message, "its location expression divides by zero");
    switch (atom) {
    case DW_OP_plus:
        r = a + b;
        break;
    case DW_OP_minus:
        r = a - b;
        break;
    case DW_OP_mul:
        r = a * b;
        break;
    case DW_OP_div:
        r = (uint64_t)(sa / sb);
        break;
    case DW_OP_mod:
        r = (uint32_t)a % (uint32_t)b;
        break;
    case DW_OP_and:
        r = a & b;
        break;
    case DW_OP_or:
        r = a | b;
        break;
    case DW_OP_xor:
        r = a ^ b;
        break;
    case DW_OP_shl:
        r = b < 32 ? a << b : 0;
        break;
    case DW_OP_shr:
        r = b < 32 ? (uint32_t)a >> b : 0;
        break;
    case DW_OP_shra:
        r = (uint64_t)(sa >> (b < 32 ? b : 31));
        break;
    case DW_OP_eq:
        r = sa == sb;
        break;
    case DW_OP_ne:
        r = sa != sb;
        break;
    case DW_OP_lt:
        r = sa < sb;
        break;
    case DW_OP_le:
        r = sa <= sb;
        break;
    case DW_OP_gt:
        r = sa > sb;
        break;
    case DW_OP_ge:
        r = sa >= sb;
        break;
    default:
        break;
    }
    m->stack[m->depth - 1] = r;
    return true;
}

static bool unary(struct machine *m, uint8_t atom)
{
    if (!need(m, 1))
        return false;
    uint64_t *top = &m->stack[m->depth - 1];
    int64_t s = generic(*top);
    *top = atom == DW_OP_neg ? -*top : atom == DW_OP_not ? ~*top : (uint64_t)(s < 0 ? -s : s);
    return true;
}

static bool dereference(struct machine *m, uint32_t size)
{
    if (!need(m, 1))
        return false;
    uint64_t *top = &m->stack[m->depth - 1];
    return hc_context_read(m->c, (uint32_t)*top, size, top) ||
           hc_debug_fail(m->message, "its location leads to 0x%04x, where there is no memory", (unsigned)*top);
}

/* Conversions only matter where they cut off or extend. */
static bool convert(struct machine *m, Dwarf_Op *op)
{
    Dwarf_Die die;
    Dwarf_Attribute a;
    Dwarf_Word size = 4, encoding = DW_ATE_unsigned;

    if (!need(m, 1))
        return false;
    if (op->number == 0 || dwarf_getlocation_die(m->attribute, op, &die))
        return true;
    if (dwarf_attr(&die, DW_AT_byte_size, &a))
        dwarf_formudata(&a, &size);
    if (dwarf_attr(&die, DW_AT_encoding, &a))
        dwarf_formudata(&a, &encoding);
    if (size == 0 || size > 8 || encoding == DW_ATE_float)
        return hc_debug_fail(m->message, "its location expression converts to a type that is not supported");
    uint64_t *top = &m->stack[m->depth - 1];
    unsigned spare = 64 - 8 * (unsigned)size;
    bool sign = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    *top = sign ? (uint64_t)((int64_t)(*top << spare) >> spare) : *top << spare >> spare;
    return true;
}

static bool shuffle(struct machine *m, Dwarf_Op *op)
{
    uint64_t *s = m->stack, swap;
    int d = m->depth;

    switch (op->atom) {
    case DW_OP_dup:
        return need(m, 1) && push(m, s[d - 1]);
    case DW_OP_drop:
        return need(m, 1) && (m->depth--, true);
    case DW_OP_over:
        return need(m, 2) && push(m, s[d - 2]);
    case DW_OP_pick:
        return need(m, (int)op->number + 1) && push(m, s[d - 1 - (int)op->number]);
    case DW_OP_swap:
        if (!need(m, 2))
            return false;
        swap = s[d - 1], s[d - 1] = s[d - 2], s[d - 2] = swap;
        return true;
    default: /* rot */
        if (!need(m, 3))
            return false;
        swap = s[d - 1], s[d - 1] = s[d - 2], s[d - 2] = s[d - 3], s[d - 3] = swap;
        return true;
    }
}

static bool implicit_bytes(struct machine *m, Dwarf_Op *op)
{
    Dwarf_Block block;

    if (dwarf_getlocation_implicit_value(m->attribute, op, &block))
        return hc_debug_fail(m->message, "its location expression is damaged");
    m->place = HC_PLACE_BYTES;
    m->bytes = block.data;
    m->bytes_size = (uint32_t)block.length;
    return true;
}

static bool push_address(struct machine *m, Dwarf_Op *op)
{
    Dwarf_Attribute value;
    Dwarf_Word address;

    if (op->atom == DW_OP_addr)
        return push(m, op->number);
    if (dwarf_getlocation_attr(m->attribute, op, &value) || dwarf_formaddr(&value, &address))
        return hc_debug_fail(m->message, "its address is not in the table of addresses");
    return push(m, address);
}

/* Operations that take no part in control flow. */
static bool execute(struct machine *m, Dwarf_Op *op)
{
    uint8_t atom = op->atom;
    uint64_t base = 0;

    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return push(m, atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        return push_register(m, atom - DW_OP_breg0, op->number);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        m->place = HC_PLACE_REGISTER;
        return push(m, atom - DW_OP_reg0);
    }
    switch (atom) {
    case DW_OP_addr:
    case DW_OP_addrx:
    case DW_OP_GNU_addr_index:
    case DW_OP_constx:
    case DW_OP_GNU_const_index:
        return push_address(m, op);
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(m, op->number);
    case DW_OP_regx:
        m->place = HC_PLACE_REGISTER;
        return push(m, op->number);
    case DW_OP_bregx:
        return push_register(m, op->number, op->number2);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type:
        return push_register(m, op->number, 0);
    case DW_OP_fbreg:
        return frame_base(m, &base) && push(m, (uint64_t)generic(base + op->number));
    case DW_OP_call_frame_cfa:
        return m->c->has_cfa ? push(m, m->c->cfa) : hc_debug_fail(m->message, "its frame is not known");
    case DW_OP_plus_uconst:
        return need(m, 1) && (m->stack[m->depth - 1] += op->number, true);
    case DW_OP_deref:
        return dereference(m, hc_program_pointer_size(m->c->program));
    case DW_OP_deref_size:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        return dereference(m, (uint32_t)op->number);
    case DW_OP_dup:
    case DW_OP_drop:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap:
    case DW_OP_rot:
        return shuffle(m, op);
    case DW_OP_abs:
    case DW_OP_neg:
    case DW_OP_not:
        return unary(m, atom);
    case DW_OP_plus:
    case DW_OP_minus:
    case DW_OP_mul:
    case DW_OP_div:
    case DW_OP_mod:
    case DW_OP_and:
    case DW_OP_or:
    case DW_OP_xor:
    case DW_OP_shl:
    case DW_OP_shr:
    case DW_OP_shra:
    case DW_OP_eq:
    case DW_OP_ne:
    case DW_OP_lt:
    case DW_OP_le:
    case DW_OP_gt:
    case DW_OP_ge:
        return binary(m, atom);
    case DW_OP_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_convert:
    case DW_OP_GNU_reinterpret:
        return convert(m, op);
    case DW_OP_stack_value:
        m->place = HC_PLACE_VALUE;
        return need(m, 1);
    case DW_OP_implicit_value:
        return implicit_bytes(m, op);
    case DW_OP_nop:
        return true;
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value:
        return hc_debug_fail(m->message, "only its value when the function was entered is known: go back to the "
                                         "function's first instruction to see it");
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        return hc_debug_fail(m->message, "it is a pointer to something that the optimiser took apart");
    default:
        return hc_debug_fail(m->message, "its location uses operation 0x%02x, which is not supported", atom);
    }
}

/* Makes a piece of the top of the stack. */
static bool finish_piece(struct machine *m, struct hc_location *out, uint32_t size)
{
    if (out->pieces == HC_PIECES_MAX)
        return hc_debug_fail(m->message, "it is in too many pieces");
    struct hc_piece *piece = &out->piece[out->pieces++];
    *piece = (struct hc_piece){ .place = m->place, .size = size };
    if (m->place == HC_PLACE_BYTES) {
        piece->bytes = m->bytes;
        if (!size || size > m->bytes_size)
            piece->size = m->bytes_size;
    } else if (m->depth == 0) {
        piece->place = HC_PLACE_NONE;
    } else {
        piece->value = m->stack[m->depth - 1];
    }
    m->depth = 0;
    m->place = HC_PLACE_MEMORY;
    return true;
}

/* The operation at OFFSET (of the expression's bytes); N when there is none. */
static size_t find_operation(const Dwarf_Op *op, size_t n, uint64_t offset)
{
    for (size_t i = 0; i < n; i++)
        if (op[i].offset == offset)
            return i;
    return n;
}

static bool evaluate(const struct hc_context *c, Dwarf_Attribute *attribute, Dwarf_Op *op, size_t n,
                     struct hc_location *out, struct hc_debug_message *message)
{
    struct machine m = { .c = c, .attribute = attribute, .message = message, .place = HC_PLACE_MEMORY };
    int steps = 0;

    out->pieces = 0;
    for (size_t i = 0; i < n; i++) {
        if (++steps > STEPS_MOST)
            return hc_debug_fail(message, "its location expression does not end");
        uint8_t atom = op[i].atom;
        if (atom == DW_OP_piece || atom == DW_OP_bit_piece) {
            if (atom == DW_OP_bit_piece && (op[i].number % 8 || op[i].number2))
                return hc_debug_fail(message, "it is in pieces of single bits");
            uint64_t size = atom == DW_OP_piece ? op[i].number : op[i].number / 8;
            if (!finish_piece(&m, out, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX))
                return false;
        } else if (atom == DW_OP_skip || atom == DW_OP_bra) {
            if (atom == DW_OP_bra && (!need(&m, 1) || !m.stack[--m.depth])) {
                if (m.depth < 0)
                    return false;
                continue;
            }
            i = find_operation(op, n, op[i].offset + 3 + op[i].number) - 1;
        } else if (!execute(&m, &op[i])) {
            return false;
        }
    }
    return out->pieces || finish_piece(&m, out, 0);
}

static bool constant(Dwarf_Die *die, struct hc_location *out)
{
    Dwarf_Attribute a;
    Dwarf_Word number;
    Dwarf_Sword with_sign;
    Dwarf_Block block;

    if (!dwarf_attr_integrate(die, DW_AT_const_value, &a))
        return false;
    out->pieces = 1;
    out->piece[0] = (struct hc_piece){ .place = HC_PLACE_VALUE };
    if (!dwarf_formblock(&a, &block)) {
        out->piece[0] = (struct hc_piece){ HC_PLACE_BYTES, 0, block.data, (uint32_t)block.length };
    } else if (dwarf_whatform(&a) == DW_FORM_sdata && !dwarf_formsdata(&a, &with_sign)) {
        out->piece[0].value = (uint64_t)with_sign;
    } else if (!dwarf_formudata(&a, &number)) {
        out->piece[0].value = number;
    } else {
        return false;
    }
    return true;
}

bool hc_location_of(const struct hc_context *c, Dwarf_Die *die, struct hc_location *out,
                    struct hc_debug_message *message)
{
    const char *name = dwarf_diename(die);
    struct hc_debug_message cause;
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t n;

    if (!name)
        name = "it";
    if (!dwarf_attr_integrate(die, DW_AT_location, &a))
        return constant(die, out) || hc_debug_fail(message, "'%s' is optimised out", name);
    int found = dwarf_getlocation_addr(&a, c->pc == UINT32_MAX ? 0 : c->pc, &op, &n, 1);
    if (found < 0)
        return hc_debug_fail(message, "'%s': its location cannot be read: %s", name, dwarf_errmsg(-1));
    if (found == 0 || n == 0)
        return hc_debug_fail(
            message, "'%s' is optimised out here: the compiler keeps it at other instructions of the function", name);
    if (!evaluate(c, &a, op, n, out, &cause))
        return hc_debug_fail(message, "'%s': %s", name, cause.text);
    return true;
}

bool hc_location_nearby(const struct hc_context *c, Dwarf_Die *die, struct hc_location *out)
{
    struct hc_debug_message ignored;
    Dwarf_Addr base, start, end, nearest = 0, least = UINT32_MAX;
    Dwarf_Attribute a;
    Dwarf_Op *op, *there = NULL;
    size_t n, count = 0;

    if (!dwarf_attr_integrate(die, DW_AT_location, &a))
        return false;
    for (ptrdiff_t at = 0; (at = dwarf_getlocations(&a, at, &base, &start, &end, &op, &n)) > 0;) {
        Dwarf_Addr away = c->pc < start ? start - c->pc : c->pc >= end ? c->pc - end + 1 : 0;
        if (n && away < least)
            least = away, nearest = start, there = op, count = n;
    }
    if (!there || nearest > UINT32_MAX)
        return false;
    return evaluate(c, &a, there, count, out, &ignored);
}
