#include "frame.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCHED_WORDS = 128,
    FUNCTION_MOST = 8192, /* bytes that are gone through */
    FIRST_SAVED = 4,      /* registers r4 to r10 belong to the caller */
    LAST_SAVED = 10,
};

/* ---- instructions ---- */

enum hc_control hc_control_of(uint16_t opcode)
{
    enum { RETI = 0x1300, RET = 0x4130, RETA = 0x0110 };

    if (opcode == RETI)
        return HC_CONTROL_RETI;
    if (opcode == RET || opcode == RETA)
        return HC_CONTROL_RETURN;
    if (opcode >= 0x1280 && opcode <= 0x12bf)
        return HC_CONTROL_CALL;
    if (opcode >= 0x1340 && opcode <= 0x13bf) /* CALLA */
        return HC_CONTROL_CALL;
    return HC_CONTROL_PLAIN;
}

/* Whether PC is where a call returns to. */
static bool is_behind_call(struct hc_machine *m, uint32_t pc)
{
    if (pc & 1 || pc < 4)
        return false;
    enum hc_region_kind kind = hc_region_kind(m, pc);
    if (kind != HC_FLASH && kind != HC_ROM && kind != HC_RAM && kind != HC_FRAM)
        return false;
    for (uint32_t back = 2; back <= 4; back += 2)
        if (hc_control_of(hc_peek16(m, pc - back)) == HC_CONTROL_CALL && hc_instruction_length(m, pc - back) == back)
            return true;
    return false;
}

/* ---- functions in machine code ---- */

static bool bounds(struct hc_program *p, uint32_t pc, uint32_t *start, uint32_t *end)
{
    const struct hc_function *f = hc_program_function_at(p, pc);
    struct hc_symbol s;

    if (f) {
        *start = f->low;
        *end = f->high;
        return true;
    }
    if (!hc_image_function_at(hc_program_image(p), pc, &s))
        return false;
    *end = s.address + s.size;
    /* Labels within the recorder's entry points: the function begins before them. */
    while (!strncmp(s.name, "__hc_cut_", 9) && hc_image_function_at(hc_program_image(p), s.address - 2, &s))
        continue;
    *start = s.address;
    return true;
}

static bool is_handler(struct hc_program *p, struct hc_machine *m, uint32_t pc)
{
    uint32_t at, end;

    if (!bounds(p, pc, &at, &end) || end - at > FUNCTION_MOST)
        return false;
    for (; at < end; at += hc_instruction_length(m, at))
        if (hc_control_of(hc_peek16(m, at)) == HC_CONTROL_RETI)
            return true;
    return false;
}

/* What the instruction at PC adds to the stack, in bytes. */
static int pushes(struct hc_machine *m, uint32_t pc)
{
    uint16_t opcode = hc_peek16(m, pc);
    int operand = (int16_t)hc_peek16(m, pc + 2);

    if ((opcode & 0xffc0) == 0x1200) /* PUSH */
        return 2;
    if ((opcode & 0xfff0) == 0x4130) /* POP */
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
    case 0x5321:
        return -2;
    case 0x5221:
        return -4;
    case 0x5231:
        return -8;
    default:
        break;
    }
    int registers = (opcode >> 4 & 15) + 1;
    switch (opcode & 0xff00) {
    case 0x1500: /* PUSHM.W */
        return 2 * registers;
    case 0x1400:
        return 4 * registers;
    case 0x1700: /* POPM.W */
        return -2 * registers;
    case 0x1600:
        return -4 * registers;
    default:
        return 0;
    }
}

/* Bytes between SP and the return address at PC. Behind a return or a jump the code is entered from elsewhere, with the
 * stack of the function's body, most likely. */
static bool stack_depth(struct hc_program *p, struct hc_machine *m, uint32_t pc, int *out)
{
    uint32_t at, end;
    int depth = 0, body = 0;

    if (!bounds(p, pc, &at, &end) || pc - at > FUNCTION_MOST)
        return false;
    while (at < pc) {
        uint16_t opcode = hc_peek16(m, at);
        int more = pushes(m, at);
        enum hc_control flow = hc_control_of(opcode);
        if (flow == HC_CONTROL_RETURN || flow == HC_CONTROL_RETI || (opcode & 0xfc00) == 0x3c00) {
            depth = body;
        } else {
            depth += more;
            if (more > 0)
                body = depth;
        }
        at += hc_instruction_length(m, at);
    }
    *out = depth;
    return (at == pc || at == pc + 1) && depth >= 0; /* PC may be within a call */
}

/* ---- one frame further out ---- */

struct unwinder {
    struct hc_program *program;
    struct hc_machine *m;
};

static bool word(const struct hc_context *c, uint32_t address, uint32_t *out)
{
    uint64_t value;

    if (!hc_context_read(c, address, 2, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* The hardware's frame: SR with the upper bits of PC, then PC. */
static bool leave_handler(const struct hc_context *c, uint32_t at, struct hc_context *caller)
{
    uint32_t sr, pc;

    if (!word(c, at, &sr) || !word(c, at + 2, &pc))
        return false;
    caller->reg[HC_SR] = sr & 0x1ff;
    caller->reg[HC_PC] = pc | (sr >> 12) << 16;
    caller->reg[HC_SP] = at + 4;
    caller->known |= 1u << HC_SR;
    return true;
}

static bool leave_function(const struct hc_context *c, uint32_t at, uint32_t bytes, struct hc_context *caller)
{
    uint32_t low, high = 0;

    if (!word(c, at, &low) || (bytes == 4 && !word(c, at + 2, &high)))
        return false;
    caller->reg[HC_PC] = low | (high & 15) << 16;
    caller->reg[HC_SP] = at + bytes;
    caller->known &= ~(1u << HC_SR);
    return true;
}

static void forget_scratch(struct hc_context *caller, bool handler)
{
    /* Nothing was called by who was interrupted: only what the handler saved differs. */
    for (int r = FIRST_SAVED; r < HC_DEBUG_REGISTERS; r++)
        if (r > LAST_SAVED && !handler)
            caller->known &= ~(1u << r);
}

static bool frame_rules(const struct hc_context *c, uint32_t pc, Dwarf_Frame **out)
{
    Dwarf_CFI *cfi = hc_program_cfi(c->program);

    *out = NULL;
    return cfi && !dwarf_cfi_addrframe(cfi, pc, out) && *out;
}

static bool rule_cfa(const struct hc_context *c, Dwarf_Frame *rules, uint32_t *cfa)
{
    struct hc_debug_message message;
    struct hc_location where;
    Dwarf_Op *op;
    size_t n;

    if (dwarf_frame_cfa(rules, &op, &n) || n == 0 || !hc_location_evaluate(c, NULL, op, n, &where, &message))
        return false;
    if (where.piece[0].place == HC_PLACE_NONE)
        return false;
    *cfa = (uint32_t)where.piece[0].value & 0xfffff;
    return true;
}

/* Where the rules say that register R was saved. */
static bool rule_register(const struct hc_context *c, Dwarf_Frame *rules, int r, uint32_t *address)
{
    struct hc_debug_message message;
    struct hc_location where;
    Dwarf_Op memory[3], *op;
    size_t n;

    if (dwarf_frame_register(rules, r, memory, &op, &n) || n == 0 ||
        !hc_location_evaluate(c, NULL, op, n, &where, &message) || where.piece[0].place != HC_PLACE_MEMORY)
        return false;
    *address = (uint32_t)where.piece[0].value & 0xfffff;
    return true;
}

static void restore_registers(const struct hc_context *c, Dwarf_Frame *rules, struct hc_context *caller)
{
    for (int r = FIRST_SAVED; r < HC_DEBUG_REGISTERS; r++) {
        uint32_t at;
        if (!rule_register(c, rules, r, &at))
            continue;
        caller->known &= ~(1u << r);
        if (word(c, at, &caller->reg[r]))
            caller->known |= 1u << r;
    }
}

/* By call frame information. */
static bool unwind_by_rules(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler,
                            struct hc_context *caller)
{
    Dwarf_Frame *rules;
    uint32_t at;

    if (!frame_rules(c, pc, &rules))
        return false;
    if (!c->has_cfa)
        c->has_cfa = rule_cfa(c, rules, &c->cfa);
    bool well = c->has_cfa;
    if (well) {
        forget_scratch(caller, handler);
        restore_registers(c, rules, caller);
        if (!rule_register(c, rules, HC_PC, &at))
            at = c->cfa - 2;
        uint32_t bytes = c->cfa - at == 4 && hc_machine_part(u->m)->cpu == HC_CPU_MSP430X ? 4 : 2;
        well = handler ? leave_handler(c, at, caller) : leave_function(c, at, bytes, caller);
    }
    free(rules);
    return well;
}

/* Where nothing is left but to restore registers and to return: GCC's __mspabi_func_epilog_N, to which functions
 * branch, and other ends. */
static bool unwind_by_end(struct unwinder *u, const struct hc_context *c, uint32_t pc, struct hc_context *caller)
{
    enum { POP = 0x4130 };
    uint32_t sp = c->reg[HC_SP];
    uint16_t opcode;

    for (; (opcode = hc_peek16(u->m, pc)) >= POP + FIRST_SAVED && opcode <= POP + 15; pc += 2, sp += 2) {
        if (!word(c, sp, &caller->reg[opcode - POP]))
            return false;
        caller->known |= 1u << (opcode - POP);
    }
    return opcode == POP + HC_PC && leave_function(c, sp, 2, caller) && is_behind_call(u->m, caller->reg[HC_PC]);
}

/* By the function's own instructions, or by searching the stack. */
static bool unwind_by_code(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler,
                           struct hc_context *caller, bool *unsure)
{
    uint32_t sp = c->reg[HC_SP];
    int depth;

    forget_scratch(caller, handler);
    if (!handler && unwind_by_end(u, c, pc, caller)) {
        c->cfa = caller->reg[HC_SP];
        c->has_cfa = true;
        return true;
    }
    *caller = *c;
    caller->has_cfa = false;
    forget_scratch(caller, handler);
    if (stack_depth(u->program, u->m, pc, &depth)) {
        if (handler)
            return leave_handler(c, sp + (uint32_t)depth, caller);
        if (leave_function(c, sp + (uint32_t)depth, 2, caller) && is_behind_call(u->m, caller->reg[HC_PC])) {
            c->cfa = caller->reg[HC_SP];
            c->has_cfa = true;
            return true;
        }
    }
    *unsure = true;
    for (uint32_t i = 0; i < SEARCHED_WORDS; i++)
        if (leave_function(c, sp + 2 * i, 2, caller) && is_behind_call(u->m, caller->reg[HC_PC]))
            return true;
    return false;
}

/* Where the program starts: nobody called that. */
static bool is_outermost(struct unwinder *u, uint32_t pc)
{
    uint32_t start, end, entry, reset = hc_peek16(u->m, hc_machine_part(u->m)->vectors_end - 2);

    if (!bounds(u->program, pc, &start, &end))
        return false;
    if (hc_image_entry(hc_program_image(u->program), &entry) && entry >= start && entry < end)
        return true;
    return reset >= start && reset < end;
}

static bool unwind(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler, struct hc_context *caller,
                   bool *unsure)
{
    *caller = *c;
    caller->has_cfa = false;
    *unsure = false;
    if (is_outermost(u, pc))
        return false;
    if (!unwind_by_rules(u, c, pc, handler, caller)) {
        *caller = *c;
        caller->has_cfa = false;
        if (!unwind_by_code(u, c, pc, handler, caller, unsure))
            return false;
    }
    return caller->reg[HC_SP] > c->reg[HC_SP] && hc_region_kind(u->m, caller->reg[HC_PC]) != HC_VACANT;
}

/* ---- all of them ---- */

static bool read_memory(void *owner, uint32_t address, uint8_t *out, size_t n)
{
    struct hc_machine *m = owner;

    for (size_t i = 0; i < n; i++) {
        if (address + i > 0xfffff || hc_region_kind(m, address + (uint32_t)i) == HC_VACANT)
            return false;
        out[i] = hc_peek(m, address + (uint32_t)i);
    }
    return true;
}

void hc_frame_here(struct hc_program *p, struct hc_machine *m, struct hc_context *c)
{
    Dwarf_Frame *rules;

    *c = (struct hc_context){ .program = p, .read = read_memory, .owner = m, .known = 0xffff };
    for (int r = 0; r < HC_DEBUG_REGISTERS; r++)
        c->reg[r] = hc_register(m, r);
    c->pc = c->reg[HC_PC];
    if (frame_rules(c, c->pc, &rules)) {
        c->has_cfa = rule_cfa(c, rules, &c->cfa);
        free(rules);
    }
}

/* The frames that the compiler put into one, innermost first. */
static int add_logical(struct hc_program *p, const struct hc_context *c, uint32_t pc, struct hc_frame *out, int max)
{
    struct hc_inlined inlined[HC_INLINED_MAX];
    const struct hc_function *f = hc_program_function_at(p, c->pc);
    int n = hc_program_inlined_at(p, c->pc, inlined);
    struct hc_line line = { 0 };
    struct hc_symbol symbol;

    if (n > max - 1)
        n = max - 1;
    bool has_line = hc_image_line_at(hc_program_image(p), c->pc, &line);
    for (int i = 0; i <= n; i++) {
        struct hc_frame *frame = &out[i];
        *frame = (struct hc_frame){ .context = *c, .pc = pc, .inlined = i < n };
        frame->file = i ? inlined[i - 1].call_file : has_line ? line.file : NULL;
        frame->line = i ? inlined[i - 1].call_line : line.line;
        frame->context.has_die = i < n || f;
        if (i < n)
            frame->context.die = inlined[i].die;
        else if (f)
            frame->context.die = f->die;
        if (i < n)
            frame->function = inlined[i].name;
        else if (f)
            frame->function = f->name;
        else if (hc_image_function_at(hc_program_image(p), c->pc, &symbol))
            frame->function = symbol.name;
    }
    return n + 1;
}

int hc_frames(struct hc_program *p, struct hc_machine *m, struct hc_frame *out, int max)
{
    struct unwinder u = { p, m };
    struct hc_context here, caller;
    bool unsure = false, returns = false; /* PC is behind a call */
    int n = 0;

    hc_frame_here(p, m, &here);
    while (n < max) {
        uint32_t pc = here.reg[HC_PC];
        bool was_unsure = unsure;
        here.pc = returns ? pc - 1 : pc;
        bool handler = is_handler(p, m, here.pc);
        bool more = unwind(&u, &here, here.pc, handler, &caller, &unsure);
        int added = add_logical(p, &here, pc, &out[n], max - n);
        for (int i = n; i < n + added; i++)
            out[i].unsure = was_unsure;
        out[n + added - 1].handler = handler;
        n += added;
        if (!more)
            break;
        here = caller;
        returns = !handler;
    }
    return n;
}

bool hc_frame_return(struct hc_program *p, struct hc_machine *m, uint32_t *pc, uint32_t *sp)
{
    struct unwinder u = { p, m };
    struct hc_context here, caller;
    bool unsure;

    hc_frame_here(p, m, &here);
    if (!unwind(&u, &here, here.pc, is_handler(p, m, here.pc), &caller, &unsure) || unsure)
        return false;
    *pc = caller.reg[HC_PC];
    *sp = caller.reg[HC_SP];
    return true;
}
