/* The code of a program as a graph: what each instruction does to the flow of control. */
#include "code.h"

#include "image/image.h"

#include <string.h>

enum {
    ADDRESSES = 1 << 20,
    VECTORS_LOWEST = 0xff80, /* of any part */
    RESET_VECTOR = 0xfffe,
    TABLE_MAX = 512,
};

/* Up to 8 bytes of an instruction; false if not even a word is there. */
static bool get_instruction(const struct hc_image *image, uint32_t pc, uint8_t out[8])
{
    memset(out, 0, 8);
    for (uint32_t i = 0; i < 8; i++)
        if (!hc_code_byte(image, pc + i, &out[i]))
            return i >= 2;
    return true;
}

/* The MSP430X has every instruction of the MSP430. */
bool hc_msp430_at(const struct hc_code_graph *code, uint32_t pc, struct hc_instruction *out)
{
    uint8_t bytes[8];

    if (!get_instruction(code->image, pc, bytes))
        return false;
    hc_msp430_decode(bytes, pc, HC_CPU_MSP430X, out);
    return true;
}

/* ---- branches whose target is not in the instruction ---- */

static bool within(const struct hc_symbol *function, uint32_t address)
{
    return address - function->address < function->size && !(address & 1);
}

/* A table of addresses within the function, from TABLE on. */
static void read_table(struct hc_code_graph *code, int n, const struct hc_symbol *function, uint32_t table)
{
    uint16_t word;

    for (int i = 0; i < TABLE_MAX && hc_code_word(code->image, table + 2u * (unsigned)i, &word); i++) {
        if (!within(function, word))
            break;
        hc_code_add_target(code, n, word);
    }
}

/* Jumps in a row behind "add Rn, PC". */
static void read_jumps(struct hc_code_graph *code, int n, uint32_t pc)
{
    uint16_t word;

    for (int i = 0; i < TABLE_MAX && hc_code_word(code->image, pc, &word) && (word & 0xfc00) == 0x3c00; i++, pc += 2)
        hc_code_add_target(code, n, pc);
}

/* Labels whose address is taken: words of data that point into the function. */
static void read_labels(struct hc_code_graph *code, int n, const struct hc_symbol *function)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(code->image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t a = (segments[i].address + 1) & ~1u; a + 1 < segments[i].address + segments[i].size; a += 2) {
            const uint8_t *bytes = segments[i].bytes + (a - segments[i].address);
            uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8;
            if (a < VECTORS_LOWEST && word != function->address && within(function, word))
                hc_code_add_target(code, n, word);
        }
}

static void branch_indirect(struct hc_code_graph *code, int n, const struct hc_instruction *i)
{
    struct hc_symbol function = { 0 };
    uint32_t pc = code->node[n].pc;
    bool known = hc_image_function_at(code->image, pc, &function);
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_ADDRESS && i->op == HC_OP_MOVA);

    code->node[n].kind = HC_NODE_SWITCH;
    if (known && moves && i->src.mode == HC_INDEXED)
        read_table(code, n, &function, i->src.value & (ADDRESSES - 1));
    else if (i->format == HC_DOUBLE && i->op == HC_OP_ADD)
        read_jumps(code, n, pc + i->length);
    if (code->node[n].targets)
        return;
    if (known && moves)
        read_labels(code, n, &function);
    code->node[n].calls = moves; /* or a tail call by pointer */
    code->node[n].unknown = !moves;
}

/* ---- instructions ---- */

static bool writes_pc(const struct hc_instruction *i)
{
    bool stores = i->format == HC_DOUBLE ? i->op != HC_OP_CMP && i->op != HC_OP_BIT
                                         : i->format == HC_ADDRESS && i->op != HC_OP_CMPA;
    return stores && i->dst.mode == HC_REGISTER && i->dst.reg == HC_PC;
}

/* Writes SR, and not only to clear bits. */
static bool sets_sr(const struct hc_instruction *i)
{
    if (i->format != HC_DOUBLE || i->dst.mode != HC_REGISTER || i->dst.reg != HC_SR)
        return false;
    return i->op != HC_OP_CMP && i->op != HC_OP_BIT && i->op != HC_OP_BIC && i->op != HC_OP_AND;
}

static bool reads_sr(const struct hc_instruction *i)
{
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_SINGLE && i->op == HC_OP_PUSH);

    return moves && i->src.mode == HC_REGISTER && i->src.reg == HC_SR;
}

static void note_sr(struct hc_code_node *n, const struct hc_instruction *i)
{
    bool constant = i->src.mode == HC_IMMEDIATE;

    n->saves = reads_sr(i);
    n->enables = sets_sr(i) && constant && (i->src.value & HC_SR_GIE);
    n->restores = sets_sr(i) && !constant;
}

static bool is_tick(const struct hc_code_graph *code, const struct hc_instruction *i)
{
    return i->format == HC_DOUBLE && i->op == HC_OP_ADD && i->width == 16 && i->src.mode == HC_IMMEDIATE &&
           i->src.value == 1 && i->dst.mode == HC_ABSOLUTE && i->dst.value == code->count_address;
}

static void decode_branch(struct hc_code_graph *code, int n, const struct hc_instruction *i)
{
    bool moves = (i->format == HC_DOUBLE && i->op == HC_OP_MOV) || (i->format == HC_ADDRESS && i->op == HC_OP_MOVA);
    uint16_t word;

    if (moves && i->src.mode == HC_INCREMENT && i->src.reg == HC_SP) {
        code->node[n].kind = HC_NODE_RETURN;
    } else if (moves && i->src.mode == HC_IMMEDIATE) {
        int target = hc_code_node_at(code, i->src.value);
        code->node[n].kind = HC_NODE_GOTO;
        code->node[n].target = target;
    } else if (moves && i->src.mode == HC_ABSOLUTE && i->src.value == RESET_VECTOR) {
        code->node[n].kind = HC_NODE_STOP; /* begins again: another boot */
    } else if (moves && i->src.mode == HC_ABSOLUTE && i->src.value >= 0x4000 &&
               hc_code_word(code->image, i->src.value, &word)) {
        int target = hc_code_node_at(code, word); /* a constant in flash */
        code->node[n].kind = HC_NODE_GOTO;
        code->node[n].target = target;
    } else {
        branch_indirect(code, n, i);
    }
}

static void decode_call(struct hc_code_graph *code, int n, const struct hc_instruction *i,
                        const struct hc_operand *callee)
{
    int next = hc_code_node_at(code, code->node[n].pc + i->length);

    code->node[n].kind = HC_NODE_CALL_INDIRECT;
    if (callee->mode == HC_IMMEDIATE) {
        int target = hc_code_entry_at(code, callee->value);
        code->node[n].kind = HC_NODE_CALL;
        code->node[n].target = target;
    }
    code->node[n].next = next;
}

static void decode_jump(struct hc_code_graph *code, int n, const struct hc_instruction *i)
{
    enum { ALWAYS = 7 };
    int target = hc_code_node_at(code, i->dst.value);
    int next = i->op == ALWAYS ? HC_NO_NODE : hc_code_node_at(code, code->node[n].pc + i->length);

    code->node[n].kind = i->op == ALWAYS ? HC_NODE_GOTO : HC_NODE_JUMP;
    code->node[n].target = target;
    code->node[n].next = next;
}

void hc_msp430_decode_node(struct hc_code_graph *code, int n)
{
    uint32_t pc = code->node[n].pc;
    struct hc_instruction i;

    if (!hc_msp430_at(code, pc, &i))
        return;
    code->node[n].length = i.length;
    code->node[n].tick = is_tick(code, &i);
    note_sr(&code->node[n], &i);
    if (i.format == HC_UNDEFINED)
        return;
    if (i.format == HC_RETI) {
        code->node[n].kind = HC_NODE_RETURN_INTERRUPT;
    } else if (i.format == HC_JUMP) {
        decode_jump(code, n, &i);
    } else if ((i.format == HC_SINGLE && i.op == HC_OP_CALL) || i.format == HC_CALLA) {
        decode_call(code, n, &i, &i.src);
    } else if (writes_pc(&i)) {
        decode_branch(code, n, &i);
    } else {
        int next = hc_code_node_at(code, pc + i.length);
        code->node[n].kind = HC_NODE_STEP;
        code->node[n].next = next;
    }
}

/* CALL #address, and MOV #address to a register, PC among them. */
bool hc_msp430_takes_address(unsigned opcode)
{
    enum { CALL = 0x12b0, MOV = 0x4030, REGISTER = 0x000f };
    return opcode == CALL || (opcode & ~(unsigned)REGISTER) == MOV;
}

/* INC &count in the place of CALL #tick */
void hc_msp430_make_tick_plain(uint8_t *code, uint32_t count)
{
    enum { INC_ABSOLUTE = 0x5392 };

    code[0] = INC_ABSOLUTE & 0xff;
    code[1] = INC_ABSOLUTE >> 8;
    code[2] = (uint8_t)count;
    code[3] = (uint8_t)(count >> 8);
}

/* Constants of two words may be addresses. */
bool hc_msp430_constant(const struct hc_code_graph *code, uint32_t pc, uint32_t *value)
{
    struct hc_instruction i;

    if (!hc_msp430_at(code, pc, &i) || i.src.mode != HC_IMMEDIATE || i.length < 4)
        return false;
    *value = i.src.value;
    return true;
}
