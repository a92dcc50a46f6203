#include "frame.h"

#include "cfi.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>

enum {
    SEARCHED_WORDS = 128,
    FUNCTION_MOST = 8192, /* bytes that are searched */
    END_MOST = 32,        /* instructions */
};

/* ---- instructions ---- */

static const struct hc_target_unwind *rules_of(const struct hc_machine *m)
{
    return hc_target_of_machine(m)->unwind;
}

/* Whether PC is where a call returns to. */
static bool is_behind_call(struct hc_machine *m, uint32_t pc)
{
    if (pc & 1 || pc < 4)
        return false;
    enum hc_region_kind kind = hc_region_kind(m, pc);
    if (kind != HC_FLASH && kind != HC_ROM && kind != HC_RAM && kind != HC_FRAM)
        return false;
    const struct hc_target_unwind *rules = rules_of(m);
    for (uint32_t back = rules->shortest_call; back <= rules->longest_call; back += 2)
        if (hc_flow_at(m, pc - back) == HC_FLOW_CALL && hc_instruction_length(m, pc - back) == back)
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
        if (hc_flow_at(m, at) == HC_FLOW_INTERRUPT_RETURN)
            return true;
    return false;
}

/* What a function has pushed up to some instruction, in bytes below the return address. */
struct pushed {
    int depth;
    int saved[HC_DEBUG_REGISTERS]; /* where the register is; 0: not there */
};

static void note_saved(struct pushed *stack, const struct hc_stack_change *change)
{
    int depth = stack->depth;
    for (int r = change->saved; r >= 0 && r >= change->saved_last && r > HC_SP; r--) {
        depth += 2;
        if (!stack->saved[r])
            stack->saved[r] = depth;
    }
}

static void note_popped(struct pushed *stack)
{
    for (int r = 0; r < HC_DEBUG_REGISTERS; r++)
        if (stack->saved[r] > stack->depth)
            stack->saved[r] = 0;
}

/* The stack of the function at PC. Code after a return or a jump is entered from elsewhere, most likely with the stack
 * of the function's body. */
static bool look_at_stack(struct hc_program *p, struct hc_machine *m, uint32_t pc, struct pushed *out)
{
    struct pushed stack = { 0 }, body = { 0 };
    uint32_t at, end;

    if (!bounds(p, pc, &at, &end) || pc - at > FUNCTION_MOST)
        return false;
    while (at < pc) {
        struct hc_stack_change change;
        enum hc_flow flow = hc_flow_at(m, at);
        rules_of(m)->stack_change(m, at, &change);
        if (flow == HC_FLOW_RETURN || flow == HC_FLOW_INTERRUPT_RETURN || change.leaves) {
            stack = body;
        } else {
            note_saved(&stack, &change);
            stack.depth += change.pushed;
            note_popped(&stack);
            if (change.pushed > 0)
                body = stack;
        }
        at += hc_instruction_length(m, at);
    }
    *out = stack;
    return (at == pc || at == pc + 1) && stack.depth >= 0; /* PC may be within a call */
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

/* The frame that the hardware pushed at AT. */
static bool leave_handler(const struct unwinder *u, const struct hc_context *c, uint32_t at, struct hc_context *caller)
{
    const struct hc_target_cpu *cpu = hc_target_of_machine(u->m)->cpu;
    uint32_t status, pc;

    if (!word(c, at + cpu->frame.status, &status) || !word(c, at + cpu->frame.pc, &pc))
        return false;
    rules_of(u->m)->interrupted(status, pc, &caller->reg[cpu->status_register], &caller->reg[HC_PC]);
    caller->reg[HC_SP] = at + cpu->frame.size;
    caller->known |= 1u << cpu->status_register;
    return true;
}

static bool leave_function(const struct unwinder *u, const struct hc_context *c, uint32_t at, uint32_t bytes,
                           struct hc_context *caller)
{
    uint32_t low, high = 0;

    if (!word(c, at, &low) || (bytes == 4 && !word(c, at + 2, &high)))
        return false;
    caller->reg[HC_PC] = low | (high & 15) << 16;
    caller->reg[HC_SP] = at + bytes;
    caller->known &= ~(1u << hc_target_of_machine(u->m)->cpu->status_register);
    return true;
}

/* Registers that a function need not preserve. An interrupted function did not make a call: only registers that the
 * handler saved differ. */
static void forget_scratch(const struct unwinder *u, struct hc_context *caller, bool handler)
{
    for (int r = rules_of(u->m)->last_saved + 1; r < HC_DEBUG_REGISTERS && !handler; r++)
        caller->known &= ~(1u << r);
}

static void set_register(struct hc_context *caller, int r, bool known, uint32_t value)
{
    caller->known = (caller->known & ~(1u << r)) | (uint32_t)known << r;
    caller->reg[r] = value;
}

static void take_saved(const struct hc_context *c, int r, uint32_t at, uint32_t bytes, struct hc_context *caller)
{
    uint64_t value;

    /* The end of a function restores one register after the other, and not every compiler describes each step. Memory
     * below SP may be overwritten; the register has the value. */
    if (at < c->reg[HC_SP])
        set_register(caller, r, c->known >> r & 1, c->reg[r]);
    else
        set_register(caller, r, hc_context_read(c, at, bytes, &value), value & 0xfffff);
}

static void restore_register(const struct hc_context *c, int r, struct hc_cfi_rule rule, uint32_t bytes,
                             struct hc_context *caller)
{
    uint32_t place = (c->cfa + (uint32_t)rule.operand) & 0xfffff;

    switch (rule.kind) {
    case HC_CFI_SAVED:
        take_saved(c, r, place, bytes, caller);
        break;
    case HC_CFI_VALUE:
        set_register(caller, r, true, place);
        break;
    case HC_CFI_SAME:
        set_register(caller, r, c->known >> r & 1, c->reg[r]);
        break;
    case HC_CFI_REGISTER:
        set_register(caller, r, c->known >> rule.operand & 1, c->reg[rule.operand]);
        break;
    case HC_CFI_UNDEFINED:
        set_register(caller, r, false, 0);
        break;
    case HC_CFI_UNSPECIFIED:
        break;
    }
}

static bool find_cfa(struct hc_context *c, const struct hc_cfi_row *row)
{
    if (row->cfa_register < 0 || !(c->known >> row->cfa_register & 1))
        return false;
    c->cfa = (c->reg[row->cfa_register] + (uint32_t)row->cfa_offset) & 0xfffff;
    return c->has_cfa = true;
}

/* By call frame information. */
static bool unwind_by_rules(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler,
                            struct hc_context *caller)
{
    struct hc_cfi_row row;

    if (!hc_cfi_row_at(hc_program_cfi(u->program), pc, &row) || !find_cfa(c, &row))
        return false;
    int32_t back = row.rule[HC_PC].kind == HC_CFI_SAVED ? row.rule[HC_PC].operand : -2;
    uint32_t bytes = rules_of(u->m)->return_bytes(u->m, back);
    forget_scratch(u, caller, handler);
    for (int r = rules_of(u->m)->first_saved; r < HC_DEBUG_REGISTERS; r++)
        restore_register(c, r, row.rule[r], bytes, caller);
    uint32_t at = c->cfa + (uint32_t)back;
    return handler ? leave_handler(u, c, at, caller) : leave_function(u, c, at, bytes, caller);
}

/* Takes the registers that an instruction pops. Returns false if it does anything except shorten the stack. */
static bool pop_registers(struct unwinder *u, const struct hc_context *c, const struct hc_stack_change *change,
                          uint32_t sp, struct hc_context *caller)
{
    if (change->restored < 0)
        return change->shortens;
    for (int r = change->restored; r <= change->restored_last && r < HC_DEBUG_REGISTERS; r++, sp += 2)
        if (r >= rules_of(u->m)->first_saved)
            take_saved(c, r, sp, 2, caller);
    return true;
}

/* An epilogue: code that only restores registers and returns. Compilers describe it wrongly or not at all; GCC's
 * functions share some of it, and branch there (__mspabi_func_epilog_N). */
static bool unwind_by_end(struct unwinder *u, const struct hc_context *c, uint32_t pc, bool handler,
                          struct hc_context *caller)
{
    uint32_t sp = c->reg[HC_SP];

    forget_scratch(u, caller, handler);
    for (int i = 0; i < END_MOST; i++) {
        struct hc_stack_change change;
        enum hc_flow flow = hc_flow_at(u->m, pc);
        rules_of(u->m)->stack_change(u->m, pc, &change);
        if (flow == HC_FLOW_INTERRUPT_RETURN)
            return handler && leave_handler(u, c, sp, caller);
        if (flow == HC_FLOW_RETURN)
            return !handler && leave_function(u, c, sp, 2, caller) && is_behind_call(u->m, caller->reg[HC_PC]);
        if (change.branches) {
            pc = change.target;
            continue;
        }
        if (!pop_registers(u, c, &change, sp, caller))
            return false;
        sp -= (uint32_t)change.pushed;
        pc += hc_instruction_length(u->m, pc);
    }
    return false;
}

/* By the function's own instructions. */
static bool unwind_by_code(struct unwinder *u, const struct hc_context *c, uint32_t pc, bool handler,
                           struct hc_context *caller)
{
    struct pushed stack;

    if (!look_at_stack(u->program, u->m, pc, &stack))
        return false;
    uint32_t base = c->reg[HC_SP] + (uint32_t)stack.depth;
    forget_scratch(u, caller, handler);
    for (int r = rules_of(u->m)->first_saved; r < HC_DEBUG_REGISTERS; r++)
        if (stack.saved[r])
            take_saved(c, r, base - (uint32_t)stack.saved[r], 2, caller);
    return handler ? leave_handler(u, c, base, caller) : leave_function(u, c, base, 2, caller);
}

/* By searching the stack. */
static bool unwind_by_search(struct unwinder *u, const struct hc_context *c, struct hc_context *caller)
{
    for (uint32_t i = 0; i < SEARCHED_WORDS; i++)
        if (leave_function(u, c, c->reg[HC_SP] + 2 * i, 2, caller) && is_behind_call(u->m, caller->reg[HC_PC])) {
            caller->known = 1u << HC_PC | 1u << HC_SP;
            return true;
        }
    return false;
}

/* Whether this is the start of the program, which has no caller. */
static bool is_outermost(struct unwinder *u, uint32_t pc)
{
    uint32_t start, end, entry, reset = hc_peek16(u->m, hc_machine_part(u->m)->vectors_end - 2);

    if (!bounds(u->program, pc, &start, &end))
        return false;
    if (hc_image_entry(hc_program_image(u->program), &entry) && entry >= start && entry < end)
        return true;
    return reset >= start && reset < end;
}

static void begin_caller(const struct hc_context *c, struct hc_context *caller)
{
    *caller = *c;
    caller->has_cfa = false;
}

/* Whether PC can be an address of the program's code. */
static bool may_go_on(struct unwinder *u, uint32_t pc, bool handler)
{
    uint32_t start, end;

    return handler ? bounds(u->program, pc, &start, &end) : is_behind_call(u->m, pc);
}

/* Rules have priority, but clang's are wrong after a return in the middle of a function, up to its end: they describe
 * the stack at that return. */
static bool find_by_rules_or_code(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler,
                                  struct hc_context *caller)
{
    begin_caller(c, caller);
    if (unwind_by_rules(u, c, pc, handler, caller) && may_go_on(u, caller->reg[HC_PC], handler))
        return true;
    begin_caller(c, caller);
    if (unwind_by_code(u, c, pc, handler, caller) && may_go_on(u, caller->reg[HC_PC], handler)) {
        c->cfa = caller->reg[HC_SP];
        c->has_cfa = !handler;
        return true;
    }
    /* A function without a caller: a thread's first function returns to an address that was put on its stack. */
    begin_caller(c, caller);
    return unwind_by_rules(u, c, pc, handler, caller) && may_go_on(u, caller->reg[HC_PC], true);
}

/* The first method that finds a caller. */
static bool find_caller(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler, struct hc_context *caller,
                        bool *unsure)
{
    *unsure = false;
    begin_caller(c, caller);
    if (unwind_by_end(u, c, pc, handler, caller)) {
        c->cfa = caller->reg[HC_SP];
        c->has_cfa = !handler;
        return true;
    }
    if (find_by_rules_or_code(u, c, pc, handler, caller))
        return true;
    *unsure = true;
    c->has_cfa = false;
    begin_caller(c, caller);
    return unwind_by_search(u, c, caller);
}

static bool unwind(struct unwinder *u, struct hc_context *c, uint32_t pc, bool handler, struct hc_context *caller,
                   bool *unsure)
{
    *unsure = false;
    return !is_outermost(u, pc) && find_caller(u, c, pc, handler, caller, unsure) &&
           caller->reg[HC_SP] > c->reg[HC_SP] && hc_region_kind(u->m, caller->reg[HC_PC]) != HC_VACANT;
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
    struct hc_cfi_row row;

    *c = (struct hc_context){ .program = p, .read = read_memory, .owner = m, .known = 0xffff };
    for (int r = 0; r < HC_DEBUG_REGISTERS; r++)
        c->reg[r] = hc_register(m, r);
    c->pc = c->reg[HC_PC];
    if (hc_cfi_row_at(hc_program_cfi(p), c->pc, &row))
        find_cfa(c, &row);
}

/* The inlined frames of one physical frame, innermost first. */
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

bool hc_frame_is_recorder(const struct hc_frame *f)
{
    if (f->function && (!strncmp(f->function, "__hc_", 5) || !strncmp(f->function, "hc_update", 9)))
        return true;
    return f->file && (strstr(f->file, "/runtime/port/") || strstr(f->file, "/runtime/messages.c"));
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
