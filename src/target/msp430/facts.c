/* What the code of a program does that the recorder must know of. */
#include "code.h"

static bool is_in(struct hc_regs_range range, uint32_t value)
{
    return range.end && value >= range.start && value <= range.end;
}

static bool is_accessed(const struct hc_operand *operand, struct hc_regs_range range)
{
    return (operand->mode == HC_ABSOLUTE || operand->mode == HC_INDEXED) && is_in(range, operand->value);
}

/* A constant of which an address may be made. */
static bool is_made(const struct hc_instruction *i, struct hc_regs_range range)
{
    bool makes = (i->format == HC_DOUBLE && (i->op == HC_OP_MOV || i->op == HC_OP_ADD)) ||
                 (i->format == HC_SINGLE && i->op == HC_OP_PUSH);

    return makes && i->src.mode == HC_IMMEDIATE && is_in(range, i->src.value);
}

static bool names(const struct hc_instruction *i, struct hc_regs_range range)
{
    if (i->format != HC_DOUBLE && i->format != HC_SINGLE)
        return false;
    return is_made(i, range) || is_accessed(&i->src, range) || (i->format == HC_DOUBLE && is_accessed(&i->dst, range));
}

/* A vector that is loaded leads to the recorder, which takes what comes that way for an interrupt. Through the reset
 * vector a program may begin again. */
static bool loads_vector(const struct hc_instruction *i, const struct hc_regs *registers)
{
    uint32_t reset = registers->vectors_start + 2 * (uint32_t)(registers->vectors - 1);
    bool has_source =
        i->format == HC_DOUBLE || i->format == HC_SINGLE || i->format == HC_ADDRESS || i->format == HC_CALLA;

    return has_source && i->src.mode == HC_ABSOLUTE && i->src.value >= registers->vectors_start && i->src.value < reset;
}

/* RETA and what it returns to come with a CALLA. */
static bool is_wide(const struct hc_instruction *i)
{
    bool more_than_16 = i->format == HC_PUSHM || i->format == HC_POPM || i->format == HC_ROTATE || i->extended;

    return i->format == HC_ADDRESS || i->format == HC_CALLA || (more_than_16 && i->width == 20);
}

void hc_msp430_look(const struct hc_code_graph *code, uint32_t pc, const struct hc_regs *registers,
                    struct hc_code_facts *out)
{
    const struct hc_reg *fctl1 = hc_regs_named(registers, "FCTL1");
    struct hc_regs_range controller = { fctl1 ? fctl1->address : 0, fctl1 ? fctl1->address : 0 };
    struct hc_instruction i;

    if (!hc_msp430_at(code, pc, &i))
        return;
    out->names_information |= names(&i, registers->information);
    out->writes_flash |= names(&i, controller);
    if (loads_vector(&i, registers))
        out->vector = pc;
    if (registers->msp430x && is_wide(&i))
        out->wide = pc;
}
