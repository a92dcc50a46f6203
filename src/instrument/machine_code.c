#include "machine_code.h"

#include "machine/cpu_msp430.h"
#include "proof_code.h"

static bool names(const struct hc_operand *operand, struct hc_regs_range range)
{
    bool constant = operand->mode == HC_IMMEDIATE || operand->mode == HC_ABSOLUTE || operand->mode == HC_INDEXED;

    return constant && operand->value >= range.start && operand->value <= range.end;
}

static bool has_operands(const struct hc_instruction *i)
{
    return i->format == HC_DOUBLE || i->format == HC_SINGLE;
}

/* RETA and what it returns to come with a CALLA. */
static bool is_wide(const struct hc_instruction *i)
{
    bool more_than_16 = i->format == HC_PUSHM || i->format == HC_POPM || i->format == HC_ROTATE || i->extended;

    return i->format == HC_ADDRESS || i->format == HC_CALLA || (more_than_16 && i->width == 20);
}

bool hc_machine_code_look(struct hc_machine_code *out, const struct hc_image *image, const struct hc_regs *registers)
{
    struct hc_proof_code code;
    struct hc_regs_range information = registers->information;
    struct hc_instruction i;
    bool fine = hc_proof_walk(&code, image);

    *out = (struct hc_machine_code){ 0 };
    for (size_t n = 0; n < code.nodes; n++) {
        if (code.node[n].cut || !hc_proof_decode(&code, code.node[n].pc, &i))
            continue;
        if (information.end && has_operands(&i) && (names(&i.src, information) || names(&i.dst, information)))
            out->names_information = true;
        if (registers->msp430x && is_wide(&i))
            out->wide = code.node[n].pc;
    }
    hc_proof_code_free(&code);
    return fine;
}
