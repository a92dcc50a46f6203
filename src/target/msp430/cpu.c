/* The CPU of an MSP430 or MSP430X that runs. */
#include "msp430.h"

#include "../runtime/port/msp430/position.h"
#include "machine/cpu/msp430/disassemble.h"
#include "machine/cpu/msp430/inspect.h"

#include <stdio.h>
#include <string.h>

enum { FIRST_GENERAL = 4, LAST_SELF_CHECKED = 10, CONSTANT_GENERATOR = 3, R12 = 12, R13 = 13 };
enum { JUMP_TO_ITSELF = 0x3fff, STATUS_BYTES = 2, FRAME_BYTES = 4 };

_Static_assert(HC_DISASM_TEXT <= HC_CPU_TEXT && HC_DISASM_BYTES <= HC_CPU_LONGEST, "room for an instruction");

static const struct hc_cpu_register registers[HC_REGISTERS] = {
    { "r0", "pc", "pc" },  { "r1", "sp", "sp" },  { "r2", "sr", "flags" }, { "r3", "cg", NULL },
    { "r4", "fp", "fp" },  { "r5", NULL, NULL },  { "r6", NULL, NULL },    { "r7", NULL, NULL },
    { "r8", NULL, NULL },  { "r9", NULL, NULL },  { "r10", NULL, NULL },   { "r11", NULL, NULL },
    { "r12", NULL, NULL }, { "r13", NULL, NULL }, { "r14", NULL, NULL },   { "r15", NULL, NULL },
};

static const char *const status_names[] = { "C", "Z", "N", "GIE", "CPUOFF", "OSCOFF", "SCG0", "SCG1", "V", NULL };

static bool is_extended(const struct hc_machine *m)
{
    return hc_machine_part(m)->cpu == HC_CPU_MSP430X;
}

/* A 20-bit register travels in 32 bits. */
static int register_bytes(const struct hc_machine *m)
{
    return is_extended(m) ? 4 : 2;
}

static uint32_t address_space(const struct hc_machine *m)
{
    return is_extended(m) ? 0x100000 : 0x10000;
}

static bool is_halt(struct hc_machine *m, uint32_t pc)
{
    return hc_peek16(m, pc) == JUMP_TO_ITSELF;
}

static uint32_t position_hash(struct hc_machine *m, uint32_t status, uint32_t top)
{
    uint16_t general[HC_REGISTERS - FIRST_GENERAL];
    for (int i = 0; i < HC_REGISTERS - FIRST_GENERAL; i++)
        general[i] = (uint16_t)hc_register(m, FIRST_GENERAL + i);
    return hc_position_hash(general, (uint16_t)hc_register(m, HC_SP), (uint16_t)status, (uint16_t)top);
}

/* The upper bits of PC lie beside SR. */
static void interrupt(struct hc_machine *m, uint32_t handler, uint32_t return_pc, uint32_t status)
{
    uint32_t sp = hc_register(m, HC_SP);
    hc_poke16(m, sp - STATUS_BYTES, (uint16_t)return_pc);
    hc_poke16(m, sp - FRAME_BYTES, (uint16_t)(status | (is_extended(m) ? return_pc >> 4 & 0xf000 : 0)));
    hc_set_register(m, HC_SP, sp - FRAME_BYTES);
    hc_set_register(m, HC_SR, is_extended(m) ? status & HC_SR_SCG0 : 0);
    hc_set_register(m, HC_PC, handler);
}

/* The one below reset; of the MSP430X also the next: system and user NMI. */
static bool is_nonmaskable(const struct hc_machine *m, int vector, int vectors)
{
    return vector == vectors - 2 || (is_extended(m) && vector == vectors - 3);
}

/* BIT r13, 0(r12), by bytes or words. */
static bool is_poll_load(uint32_t code, struct hc_cpu_poll *out)
{
    enum { OPCODE = 0xbd8c, BYTES = 0x0040 };
    if ((code & ~(uint32_t)BYTES) != OPCODE)
        return false;
    *out = (struct hc_cpu_poll){ .size = code & BYTES ? 1 : 2, .jump = 4, .after = 6 };
    return true;
}

static void get_bytes(struct hc_machine *m, uint32_t pc, uint8_t out[HC_DISASM_BYTES])
{
    for (uint32_t i = 0; i < HC_DISASM_BYTES; i++)
        out[i] = hc_peek(m, (pc + i) & (address_space(m) - 1));
}

static int disassemble(struct hc_machine *m, uint32_t pc, hc_cpu_symbol_fn *symbol, void *owner, char out[HC_CPU_TEXT])
{
    uint8_t bytes[HC_DISASM_BYTES];
    get_bytes(m, pc, bytes);
    return hc_msp430_disassemble(hc_machine_part(m)->cpu, bytes, sizeof bytes, pc, symbol, owner, out);
}

static bool explain_undefined(struct hc_machine *m, uint32_t pc, char *out, size_t size)
{
    uint8_t bytes[HC_DISASM_BYTES];
    char text[HC_DISASM_TEXT];

    if (is_extended(m))
        return false;
    get_bytes(m, pc, bytes);
    hc_msp430_disassemble(HC_CPU_MSP430, bytes, sizeof bytes, pc, NULL, NULL, text);
    if (strncmp(text, ".word", 5) != 0)
        return false;
    hc_msp430_disassemble(HC_CPU_MSP430X, bytes, sizeof bytes, pc, NULL, NULL, text);
    if (strncmp(text, ".word", 5) == 0)
        return false;
    snprintf(out, size, "On an MSP430X it is \"%s\": is the image built for another part?", text);
    return true;
}

const struct hc_target_cpu hc_msp430_cpu = {
    .registers = registers,
    .without_state = 1u << CONSTANT_GENERATOR,
    .status_register = HC_SR,
    .first_general = FIRST_GENERAL,
    .last_self_checked = LAST_SELF_CHECKED,
    .argument = R12,
    .second = R13,
    .result = R12,
    .status = { .carry = HC_SR_C,
                .zero = HC_SR_Z,
                .negative = HC_SR_N,
                .overflow = HC_SR_V,
                .flags = HC_SR_C | HC_SR_Z | HC_SR_N | HC_SR_V,
                .interrupts_on = HC_SR_GIE,
                .asleep = HC_SR_CPUOFF,
                .names = status_names },
    .frame = { .size = FRAME_BYTES, .status = 0, .pc = STATUS_BYTES },
    .architecture = "msp430",
    .register_bytes = register_bytes,
    .address_space = address_space,
    .modifies = hc_msp430_modifies,
    .used = hc_msp430_used,
    .flags_use = hc_msp430_flags,
    .result_of = hc_msp430_result,
    .sets = hc_msp430_sets,
    .skipped = hc_msp430_skipped,
    .is_halt = is_halt,
    .position_hash = position_hash,
    .interrupt = interrupt,
    .is_nonmaskable = is_nonmaskable,
    .is_poll_load = is_poll_load,
    .disassemble = disassemble,
    .explain_undefined = explain_undefined,
};
