/* What instructions do to the stack. */
#include "msp430.h"

enum { FIRST_SAVED = 4, LAST_SAVED = 10, POP = 0x4130, PUSH = 0x1200, BRANCH = 0x4030, JUMP = 0x3c00 };
enum { PUSHM_W = 0x1500, PUSHM_A = 0x1400, POPM_W = 0x1700, POPM_A = 0x1600 };

static int pushed(struct hc_machine *m, uint32_t pc, uint16_t opcode)
{
    int operand = (int16_t)hc_peek16(m, pc + 2), registers = (opcode >> 4 & 15) + 1;

    if ((opcode & 0xffc0) == PUSH)
        return 2;
    if ((opcode & 0xfff0) == POP)
        return -2;
    switch (opcode) {
    case 0x8031: /* SUB #n, SP */
        return operand;
    case 0x5031: /* ADD #n, SP */
        return -operand;
    case 0x8321: /* SUB #2, SP */
        return 2;
    case 0x8221:
        return 4;
    case 0x8231:
        return 8;
    case 0x5321: /* ADD #2, SP */
        return -2;
    case 0x5221:
        return -4;
    case 0x5231:
        return -8;
    default:
        break;
    }
    switch (opcode & 0xff00) {
    case PUSHM_W:
        return 2 * registers;
    case PUSHM_A:
        return 4 * registers;
    case POPM_W:
        return -2 * registers;
    case POPM_A:
        return -4 * registers;
    default:
        return 0;
    }
}

/* PUSHM has the highest register first, POPM the lowest. */
static void stack_change(struct hc_machine *m, uint32_t pc, struct hc_stack_change *out)
{
    uint16_t opcode = hc_peek16(m, pc);
    int reg = opcode & 15, more = opcode >> 4 & 15;

    *out = (struct hc_stack_change){ .pushed = pushed(m, pc, opcode), .saved = -1, .restored = -1 };
    if ((opcode & 0xff00) == PUSHM_W || (opcode & 0xfff0) == PUSH) {
        out->saved = reg;
        out->saved_last = (opcode & 0xff00) == PUSHM_W ? reg - more : reg;
    }
    if ((opcode & 0xff00) == POPM_W || (opcode & 0xfff0) == POP) {
        out->restored = reg;
        out->restored_last = (opcode & 0xff00) == POPM_W ? reg + more : reg;
    }
    out->shortens = out->pushed < 0 && (opcode & 0xf000) == 0x5000; /* ADD #n, SP */
    out->leaves = (opcode & 0xfc00) == JUMP;
    out->branches = opcode == BRANCH;
    out->target = out->branches ? hc_peek16(m, pc + 2) : 0;
}

/* SR with the upper bits of PC. */
static void interrupted(uint32_t status_word, uint32_t pc_word, uint32_t *status, uint32_t *pc)
{
    *status = status_word & 0x1ff;
    *pc = pc_word | (status_word >> 12) << 16;
}

static uint32_t return_bytes(const struct hc_machine *m, int offset)
{
    return offset == -4 && hc_machine_part(m)->cpu == HC_CPU_MSP430X ? 4 : 2;
}

const struct hc_target_unwind hc_msp430_unwind = {
    .first_saved = FIRST_SAVED,
    .last_saved = LAST_SAVED,
    .shortest_call = 2,
    .longest_call = 4,
    .addresses = 0xfffff,
    .stack_change = stack_change,
    .interrupted = interrupted,
    .return_bytes = return_bytes,
};
