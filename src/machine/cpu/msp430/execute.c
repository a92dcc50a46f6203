/* The interpreter's fast part: threaded code.
 *
 * Each common form of an instruction has a routine of its own, made by the macros below; a routine ends with a tail
 * call of the next one. The machine, the instruction, the count of cycles and the flags live in host registers all the
 * way (preserve_none passes them there). A routine leaves the loop only when the slice is over. */
#include "instruction.h"

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define TAIL __attribute__((musttail)) return
#define ROUTINE(name) static __attribute__((preserve_none)) void name(HC_OP_PARAMETERS)

enum { FLAGS = HC_SR_C | HC_SR_Z | HC_SR_N | HC_SR_V };

/* ---- flags in their two forms ---- */

static inline uint32_t pack_flags(int64_t nz, uint32_t c, uint32_t v)
{
    return (c & 1 ? HC_SR_C : 0) | ((uint32_t)nz == 0 ? HC_SR_Z : 0) | (nz < 0 ? HC_SR_N : 0) | (v ? HC_SR_V : 0);
}

/* N and Z both set is no result of arithmetic, but software may write it. */
static inline int64_t unpack_nz(uint32_t sr)
{
    return (int64_t)((uint64_t)(sr & HC_SR_N ? 1 : 0) << 63 | (sr & HC_SR_Z ? 0 : 1));
}

#define UNPACK_FLAGS(sr) (nz = unpack_nz(sr), c = (sr) & HC_SR_C, v = (sr) & HC_SR_V)

/* ---- from one instruction to the next ---- */

static __attribute__((preserve_none, noinline)) void leave(HC_OP_PARAMETERS)
{
    (void)memory;
    m->s.r[HC_PC] = op->pc;
    m->s.r[HC_SR] = (m->s.r[HC_SR] & ~(uint32_t)FLAGS) | pack_flags(nz, c, v);
    m->slice_elapsed = elapsed;
}

#define CONTINUE_AT(next)                                \
    do {                                                 \
        op = (next);                                     \
        if (unlikely((uint32_t)elapsed >= m->slice_end)) \
            TAIL leave(HC_OP_ARGUMENTS);                 \
        TAIL op->run(HC_OP_ARGUMENTS);                   \
    } while (0)

#define NEXT(words) CONTINUE_AT(op + (words))

static __attribute__((noinline, preserve_most, cold)) struct hc_code_page *fetch_page(struct hc_machine *m, uint32_t pc)
{
    return hc_code_fetch(m, pc);
}

static inline const struct hc_op *at(struct hc_machine *m, uint32_t pc)
{
    struct hc_code_page *page = m->code[pc >> HC_CODE_PAGE_BITS];
    if (unlikely(!page))
        page = fetch_page(m, pc);
    return &page->ops[(pc & ((1 << HC_CODE_PAGE_BITS) - 1)) >> 1];
}

__attribute__((preserve_none)) void hc_op_next_page(HC_OP_PARAMETERS)
{
    op = at(m, op->pc);
    TAIL op->run(HC_OP_ARGUMENTS);
}

__attribute__((preserve_none)) void hc_op_unfetchable(HC_OP_PARAMETERS)
{
    m->pc = op->pc;
    hc_fault(m, "instruction fetch from %s 0x%04x",
             hc_region_kind(m, op->pc) == HC_IO ? "the peripheral registers at" : "vacant memory", (unsigned)op->pc);
    TAIL leave(HC_OP_ARGUMENTS);
}

/* ---- memory ---- */

/* A device sees the access in the last cycle of its instruction. */
static __attribute__((noinline, preserve_most, cold)) uint32_t read_slowly(struct hc_machine *m, const struct hc_op *op,
                                                                           uint64_t elapsed, uint32_t address, int size)
{
    m->pc = op->pc;
    m->slice_elapsed = elapsed - 1;
    return hc_slow_read(m, address, size);
}

static __attribute__((noinline, preserve_most, cold)) void
write_slowly(struct hc_machine *m, const struct hc_op *op, uint64_t elapsed, uint32_t address, uint32_t value, int size)
{
    m->pc = op->pc;
    m->slice_elapsed = elapsed - 1;
    hc_slow_write(m, address, (uint16_t)value, size);
}

static inline uint32_t load(struct hc_machine *m, const struct hc_op *op, uint64_t elapsed, uint8_t *memory,
                            uint32_t address, int size)
{
    if (size == 2)
        address &= ~1u;
    if (unlikely(m->page_flags[address >> HC_PAGE_BITS] & HC_SLOW_READ))
        return read_slowly(m, op, elapsed, address, size);
    return size == 2 ? *(uint16_t *)(memory + address) : memory[address];
}

static inline void store(struct hc_machine *m, const struct hc_op *op, uint64_t elapsed, uint8_t *memory,
                         uint32_t address, uint32_t value, int size)
{
    if (size == 2)
        address &= ~1u;
    if (unlikely(m->page_flags[address >> HC_PAGE_BITS] & HC_SLOW_WRITE))
        write_slowly(m, op, elapsed, address, value, size);
    else if (size == 2)
        *(uint16_t *)(memory + address) = (uint16_t)value;
    else
        memory[address] = (uint8_t)value;
}

#define LOAD(address, size) load(m, op, elapsed, memory, address, size)
#define STORE(address, value, size) store(m, op, elapsed, memory, address, value, size)
#define REG(n) m->s.r[n]

/* ---- format I: operation x width x source x destination ---- */

#define SIGN(size) ((size) == 2 ? 0x8000u : 0x80u)
#define MASK(size) ((size) == 2 ? 0xffffu : 0xffu)
#define SIGNED(value, size) ((size) == 2 ? (int64_t)(int16_t)(value) : (int64_t)(int8_t)(value))

/* Each sets `result` from `s` and `d`; c may keep garbage above bit 0. */
#define ADD_FLAGS(a, size) \
    (nz = SIGNED(result, size), c = result >> (8 * (size)), v = ((a) ^ result) & (d ^ result) & SIGN(size))
#define DO_MOV(size) result = s
#define DO_ADD(size) (result = s + d, ADD_FLAGS(s, size))
#define DO_ADDC(size) (result = s + d + (c & 1), ADD_FLAGS(s, size))
#define DO_SUBC(size) (s ^= MASK(size), result = s + d + (c & 1), ADD_FLAGS(s, size))
#define DO_SUB(size) (s ^= MASK(size), result = s + d + 1, ADD_FLAGS(s, size))
#define DO_CMP(size) DO_SUB(size)
#define DO_DADD(size) \
    (result = hc_msp430_dadd(s, d, c & 1, 8 * (size)), nz = SIGNED(result, size), c = result >> (8 * (size)))
#define DO_AND(size) (result = s & d, nz = SIGNED(result, size), c = result != 0, v = 0)
#define DO_BIT(size) DO_AND(size)
#define DO_BIC(size) result = d & ~s
#define DO_BIS(size) result = d | s
#define DO_XOR(size) (v = s & d & SIGN(size), result = s ^ d, nz = SIGNED(result, size), c = result != 0)

#define SOURCE_REGISTER(size) (REG(op->src) & MASK(size))
#define SOURCE_CONSTANT(size) op->x /* of a generator: takes no word of its own, as an immediate does */
#define SOURCE_IMMEDIATE(size) op->x
#define SOURCE_INDEXED(size) LOAD(hc_msp430_indexed(REG(op->src), op->x), size)
#define SOURCE_ABSOLUTE(size) LOAD(op->x, size)
#define SOURCE_INDIRECT(size) LOAD(REG(op->src), size)
#define SOURCE_INCREMENT(size)                              \
    ({                                                      \
        uint32_t address = REG(op->src);                    \
        REG(op->src) = (address + op->x) & m->address_mask; \
        LOAD(address, size);                                \
    })

#define WORDS_REGISTER 0
#define WORDS_CONSTANT 0
#define WORDS_IMMEDIATE 1
#define WORDS_INDEXED 1
#define WORDS_ABSOLUTE 1
#define WORDS_INDIRECT 0
#define WORDS_INCREMENT 0

#define ADDRESS_INDEXED hc_msp430_indexed(REG(op->dst), op->y)
#define ADDRESS_ABSOLUTE op->y

/* How much of a destination an operation needs: MOV does not read it, CMP and BIT do not write it. */
#define READS_MOV 0
#define READS_ADD 1
#define READS_ADDC 1
#define READS_SUBC 1
#define READS_SUB 1
#define READS_CMP 1
#define READS_DADD 1
#define READS_BIT 1
#define READS_BIC 1
#define READS_BIS 1
#define READS_XOR 1
#define READS_AND 1
#define WRITES_MOV 1
#define WRITES_ADD 1
#define WRITES_ADDC 1
#define WRITES_SUBC 1
#define WRITES_SUB 1
#define WRITES_CMP 0
#define WRITES_DADD 1
#define WRITES_BIT 0
#define WRITES_BIC 1
#define WRITES_BIS 1
#define WRITES_XOR 1
#define WRITES_AND 1

#define TO_REGISTER(operation, size, source)                            \
    ROUTINE(operation##_##size##_##source##_REGISTER)                   \
    {                                                                   \
        elapsed += op->cost;                                            \
        uint32_t s = SOURCE_##source(size);                             \
        uint32_t d = READS_##operation ? REG(op->dst) & MASK(size) : 0; \
        uint32_t result;                                                \
        (void)d;                                                        \
        DO_##operation(size);                                           \
        if (WRITES_##operation)                                         \
            REG(op->dst) = result & MASK(size);                         \
        NEXT(1 + WORDS_##source);                                       \
    }

#define TO_MEMORY(operation, size, source, destination)      \
    ROUTINE(operation##_##size##_##source##_##destination)   \
    {                                                        \
        elapsed += op->cost;                                 \
        uint32_t s = SOURCE_##source(size);                  \
        uint32_t to = ADDRESS_##destination;                 \
        uint32_t d = READS_##operation ? LOAD(to, size) : 0; \
        uint32_t result;                                     \
        (void)d;                                             \
        DO_##operation(size);                                \
        if (WRITES_##operation)                              \
            STORE(to, result, size);                         \
        NEXT(2 + WORDS_##source);                            \
    }

#define ALL_DESTINATIONS(operation, size, source) \
    TO_REGISTER(operation, size, source)          \
    TO_MEMORY(operation, size, source, INDEXED)   \
    TO_MEMORY(operation, size, source, ABSOLUTE)

#define ALL_SOURCES(operation, size)             \
    ALL_DESTINATIONS(operation, size, REGISTER)  \
    ALL_DESTINATIONS(operation, size, CONSTANT)  \
    ALL_DESTINATIONS(operation, size, IMMEDIATE) \
    ALL_DESTINATIONS(operation, size, INDEXED)   \
    ALL_DESTINATIONS(operation, size, ABSOLUTE)  \
    ALL_DESTINATIONS(operation, size, INDIRECT)  \
    ALL_DESTINATIONS(operation, size, INCREMENT)

#define EACH_OPERATION(make)                                                                                         \
    make(MOV) make(ADD) make(ADDC) make(SUBC) make(SUB) make(CMP) make(DADD) make(BIT) make(BIC) make(BIS) make(XOR) \
        make(AND)

#define BOTH_SIZES(operation) ALL_SOURCES(operation, 1) ALL_SOURCES(operation, 2)

EACH_OPERATION(BOTH_SIZES)

/* ---- format II, the common forms ---- */

#define ROTATE_RIGHT(name, size, top)           \
    ROUTINE(name##_##size)                      \
    {                                           \
        elapsed += op->cost;                    \
        uint32_t d = REG(op->dst) & MASK(size); \
        uint32_t result = d >> 1 | (top);       \
        v = 0;                                  \
        c = d & 1;                              \
        nz = SIGNED(result, size);              \
        REG(op->dst) = result;                  \
        NEXT(1);                                \
    }
ROTATE_RIGHT(RRA, 1, d & 0x80)
ROTATE_RIGHT(RRA, 2, d & 0x8000)
ROTATE_RIGHT(RRC, 1, (c & 1) << 7)
ROTATE_RIGHT(RRC, 2, (c & 1) << 15)

ROUTINE(SWPB_register)
{
    elapsed += op->cost;
    REG(op->dst) = __builtin_bswap16((uint16_t)REG(op->dst));
    NEXT(1);
}

ROUTINE(SXT_register)
{
    elapsed += op->cost;
    int8_t d = (int8_t)REG(op->dst);
    REG(op->dst) = (uint32_t)(int32_t)d & m->address_mask;
    nz = d;
    c = d != 0;
    v = 0;
    NEXT(1);
}

/* The stack pointer moves first: PUSH SP stores what it becomes, CALL SP goes there. */
#define PUSH_WORD(value)                                 \
    do {                                                 \
        REG(HC_SP) = (REG(HC_SP) - 2) & m->address_mask; \
        STORE(REG(HC_SP), value, 2);                     \
    } while (0)

ROUTINE(PUSH_register)
{
    elapsed += op->cost;
    PUSH_WORD(REG(op->src));
    NEXT(1);
}

ROUTINE(PUSH_immediate)
{
    elapsed += op->cost;
    PUSH_WORD(op->x);
    NEXT(op->length);
}

ROUTINE(CALL_register)
{
    elapsed += op->cost;
    PUSH_WORD(op->y);
    CONTINUE_AT(at(m, REG(op->src) & 0xfffe));
}

ROUTINE(CALL_immediate)
{
    elapsed += op->cost;
    PUSH_WORD(op->y);
    CONTINUE_AT(at(m, op->x));
}

ROUTINE(RET)
{
    elapsed += op->cost;
    uint32_t stack = REG(HC_SP);
    REG(HC_SP) = (stack + 2) & m->address_mask;
    CONTINUE_AT(at(m, LOAD(stack, 2) & 0xfffe));
}

ROUTINE(BR_immediate)
{
    elapsed += op->cost;
    CONTINUE_AT(at(m, op->x));
}

ROUTINE(BR_register)
{
    elapsed += op->cost;
    CONTINUE_AT(at(m, REG(op->src) & 0xfffe));
}

/* MOV #0,R3 */
ROUTINE(NOP)
{
    elapsed += op->cost;
    NEXT(1);
}

/* ---- jumps, within the page and beyond ---- */

#define JUMP(name, condition)          \
    ROUTINE(name##_near)               \
    {                                  \
        elapsed += op->cost;           \
        if (condition)                 \
            NEXT((int32_t)op->y);      \
        NEXT(1);                       \
    }                                  \
    ROUTINE(name##_far)                \
    {                                  \
        elapsed += op->cost;           \
        if (condition)                 \
            CONTINUE_AT(at(m, op->x)); \
        NEXT(1);                       \
    }
JUMP(JNE, (uint32_t)nz != 0)
JUMP(JEQ, (uint32_t)nz == 0)
JUMP(JNC, !(c & 1))
JUMP(JC, c & 1)
JUMP(JN, nz < 0)
JUMP(JGE, (nz < 0) == (v != 0))
JUMP(JL, (nz < 0) != (v != 0))
JUMP(JMP, true)

/* ---- pairs: a comparison and its jump, with one dispatch less ---- */

/* The boundary between the two is one like any other: a slice may end there. */
#define PAIR(operation, size, source, name, condition)   \
    ROUTINE(operation##_##size##_##source##_##name)      \
    {                                                    \
        elapsed += op->cost;                             \
        uint32_t s = SOURCE_##source(size);              \
        uint32_t d = REG(op->dst) & MASK(size);          \
        uint32_t result;                                 \
        DO_##operation(size);                            \
        if (WRITES_##operation)                          \
            REG(op->dst) = result & MASK(size);          \
        op += 1 + WORDS_##source;                        \
        if (unlikely((uint32_t)elapsed >= m->slice_end)) \
            TAIL leave(HC_OP_ARGUMENTS);                 \
        elapsed += op->cost;                             \
        if (condition)                                   \
            NEXT((int32_t)op->y);                        \
        NEXT(1);                                         \
    }
#define PAIR_CONDITIONS(operation, size, source)             \
    PAIR(operation, size, source, JNE, (uint32_t)nz != 0)    \
    PAIR(operation, size, source, JEQ, (uint32_t)nz == 0)    \
    PAIR(operation, size, source, JNC, !(c & 1))             \
    PAIR(operation, size, source, JC, c & 1)                 \
    PAIR(operation, size, source, JN, nz < 0)                \
    PAIR(operation, size, source, JGE, (nz < 0) == (v != 0)) \
    PAIR(operation, size, source, JL, (nz < 0) != (v != 0))
#define EACH_PAIR_SOURCE(make, operation, size) \
    make(operation, size, REGISTER) make(operation, size, CONSTANT) make(operation, size, IMMEDIATE)
#define EACH_PAIR_FIRST(make)      \
    EACH_PAIR_SOURCE(make, CMP, 1) \
    EACH_PAIR_SOURCE(make, CMP, 2) \
    EACH_PAIR_SOURCE(make, BIT, 1) \
    EACH_PAIR_SOURCE(make, BIT, 2) \
    EACH_PAIR_SOURCE(make, ADD, 1) \
    EACH_PAIR_SOURCE(make, ADD, 2) EACH_PAIR_SOURCE(make, SUB, 1) EACH_PAIR_SOURCE(make, SUB, 2)

EACH_PAIR_FIRST(PAIR_CONDITIONS)

struct pair {
    hc_op_fn *first;
    hc_op_fn *both[7];
};

#define TABLE_PAIR(operation, size, source)                                                                            \
    { operation##_##size##_##source##_REGISTER,                                                                        \
      { operation##_##size##_##source##_JNE, operation##_##size##_##source##_JEQ, operation##_##size##_##source##_JNC, \
        operation##_##size##_##source##_JC, operation##_##size##_##source##_JN, operation##_##size##_##source##_JGE,   \
        operation##_##size##_##source##_JL } },

static const struct pair pairs[] = { { NULL, { NULL } }, EACH_PAIR_FIRST(TABLE_PAIR) };

static uint8_t pair_row(hc_op_fn *first)
{
    for (size_t row = 1; row < sizeof pairs / sizeof pairs[0]; row++)
        if (pairs[row].first == first)
            return (uint8_t)row;
    return HC_PAIR_NONE;
}

hc_op_fn *hc_msp430_choose_pair(const struct hc_op *first, const struct hc_op *second)
{
    bool paired = first->pair && first->pair < HC_PAIR_JUMP && second->pair >= HC_PAIR_JUMP;
    return paired ? pairs[first->pair].both[second->pair - HC_PAIR_JUMP] : NULL;
}

/* ---- the status register, as critical sections use it ---- */

static __attribute__((noinline, preserve_most)) void change_status(struct hc_machine *m, const struct hc_op *op,
                                                                   uint64_t elapsed, uint32_t sr)
{
    m->pc = op->pc;
    m->slice_elapsed = elapsed - 1;
    hc_status_write(m, (uint16_t)sr);
}

/* NEW_SR may use `sr`, the status before. */
#define TO_STATUS(name, new_sr)                                               \
    ROUTINE(name)                                                             \
    {                                                                         \
        elapsed += op->cost;                                                  \
        uint32_t sr = (REG(HC_SR) & ~(uint32_t)FLAGS) | pack_flags(nz, c, v); \
        sr = (new_sr) & 0x1ff;                                                \
        if ((sr & ~(uint32_t)FLAGS) != (REG(HC_SR) & ~(uint32_t)FLAGS))       \
            change_status(m, op, elapsed, sr & ~(uint32_t)FLAGS);             \
        UNPACK_FLAGS(sr);                                                     \
        NEXT(op->length);                                                     \
    }
TO_STATUS(BIS_status, sr | op->x)
TO_STATUS(BIC_status, sr & ~op->x)
TO_STATUS(MOV_register_to_status, REG(op->src))

ROUTINE(MOV_status_to_register)
{
    elapsed += op->cost;
    REG(op->dst) = (REG(HC_SR) & ~(uint32_t)FLAGS) | pack_flags(nz, c, v);
    NEXT(1);
}

/* ---- the rest ---- */

/* Flash that is being programmed reads as 0x3fff, which is JMP $. */
__attribute__((preserve_none)) void hc_op_busy(HC_OP_PARAMETERS)
{
    elapsed += (1ull << 32) + 2;
    CONTINUE_AT(op);
}

/* Changes of SR, and everything rare: all of the state is in the machine while the plain interpreter works on it.
 * Returns the cycles. Not inlined: its locals would give the routines a stack frame. */
static __attribute__((noinline)) unsigned interpret_at(struct hc_machine *m, uint32_t pc)
{
    struct hc_instruction i;
    const uint8_t *code = hc_code_fetch(m, pc)->bytes + (pc & ((1 << HC_CODE_PAGE_BITS) - 1));
    hc_msp430_decode(code, pc, m->part->cpu, &i);
    m->pc = pc;
    return hc_msp430_interpret(m, &i, pc);
}

ROUTINE(interpret)
{
    m->s.r[HC_SR] = (m->s.r[HC_SR] & ~(uint32_t)FLAGS) | pack_flags(nz, c, v);
    m->slice_elapsed = elapsed + op->cost - 1;
    elapsed += (1ull << 32) + interpret_at(m, op->pc);
    uint32_t sr = m->s.r[HC_SR];
    UNPACK_FLAGS(sr);
    CONTINUE_AT(at(m, m->s.r[HC_PC]));
}

ROUTINE(undefined)
{
    m->slice_elapsed = elapsed;
    interpret_at(m, op->pc);
    TAIL leave(HC_OP_ARGUMENTS);
}

static bool resumes(struct hc_machine *m, uint32_t pc, uint64_t count)
{
    bool same = m->resume_pc == pc && m->resume_count == count;
    m->resume_pc = UINT32_MAX;
    return same;
}

__attribute__((preserve_none)) void hc_op_hooked(HC_OP_PARAMETERS)
{
    uint32_t pc = op->pc;
    uint64_t count = m->s.instructions + (elapsed >> 32);
    hc_op_fn *run = m->code[pc >> HC_CODE_PAGE_BITS]->unhooked[(pc & ((1 << HC_CODE_PAGE_BITS) - 1)) >> 1];
    if (resumes(m, pc, count))
        TAIL run(HC_OP_ARGUMENTS);
    m->s.r[HC_PC] = m->pc = pc;
    m->s.r[HC_SR] = (m->s.r[HC_SR] & ~(uint32_t)FLAGS) | pack_flags(nz, c, v);
    m->slice_elapsed = elapsed;
    enum hc_action action = hc_hooks_at_pc(m, pc);
    uint32_t sr = m->s.r[HC_SR];
    UNPACK_FLAGS(sr);
    if (action == HC_STOP) {
        m->stopped = true;
        m->resume_pc = pc;
        m->resume_count = count;
        op = at(m, m->s.r[HC_PC]);
        TAIL leave(HC_OP_ARGUMENTS);
    }
    if (action == HC_ANSWER) {
        hc_cpu_return(m);
        elapsed += (1ull << 32) + 3;
    } else if (m->s.r[HC_PC] == pc) {
        TAIL run(HC_OP_ARGUMENTS);
    } else if (m->retire_hooks) { /* who watches each instruction is told the PC at which a slice began */
        op = at(m, m->s.r[HC_PC]);
        TAIL leave(HC_OP_ARGUMENTS);
    }
    CONTINUE_AT(at(m, m->s.r[HC_PC]));
}

__attribute__((preserve_none)) void hc_op_followed(HC_OP_PARAMETERS)
{
    const struct hc_followed *followed = &m->followed[op->pc >> 1];

    m->slice_elapsed = elapsed;
    followed->call(m->follow_owner, m, followed->step);
    TAIL followed->run(HC_OP_ARGUMENTS);
}

__attribute__((preserve_none)) void hc_op_followed_if_marked(HC_OP_PARAMETERS)
{
    const struct hc_followed *followed = &m->followed[op->pc >> 1];

    if (unlikely(followed->marks & m->follow_marks))
        TAIL hc_op_followed(HC_OP_ARGUMENTS);
    TAIL followed->run(HC_OP_ARGUMENTS);
}

void hc_cpu_execute(struct hc_machine *m)
{
    uint32_t sr = m->s.r[HC_SR];
    const struct hc_op *op = at(m, m->s.r[HC_PC]);
    op->run(m, op, 0, unpack_nz(sr), sr & HC_SR_C, sr & HC_SR_V, m->memory);
}

/* ---- choosing a routine ---- */

enum { CONSTANT = HC_INCREMENT + 1 };

#define TABLE_DESTINATIONS(operation, size, source)               \
    {                                                             \
        [HC_REGISTER] = operation##_##size##_##source##_REGISTER, \
        [HC_INDEXED] = operation##_##size##_##source##_INDEXED,   \
        [HC_ABSOLUTE] = operation##_##size##_##source##_ABSOLUTE, \
    }
#define TABLE_SOURCES(operation, size)                                   \
    {                                                                    \
        [HC_REGISTER] = TABLE_DESTINATIONS(operation, size, REGISTER),   \
        [CONSTANT] = TABLE_DESTINATIONS(operation, size, CONSTANT),      \
        [HC_IMMEDIATE] = TABLE_DESTINATIONS(operation, size, IMMEDIATE), \
        [HC_INDEXED] = TABLE_DESTINATIONS(operation, size, INDEXED),     \
        [HC_ABSOLUTE] = TABLE_DESTINATIONS(operation, size, ABSOLUTE),   \
        [HC_INDIRECT] = TABLE_DESTINATIONS(operation, size, INDIRECT),   \
        [HC_INCREMENT] = TABLE_DESTINATIONS(operation, size, INCREMENT), \
    }
#define TABLE_SIZES(operation) \
    [HC_OP_##operation - HC_OP_MOV] = { TABLE_SOURCES(operation, 1), TABLE_SOURCES(operation, 2) },

static hc_op_fn *const doubles[12][2][7][4] = { EACH_OPERATION(TABLE_SIZES) };

static hc_op_fn *const jumps[8][2] = { { JNE_near, JNE_far }, { JEQ_near, JEQ_far }, { JNC_near, JNC_far },
                                       { JC_near, JC_far },   { JN_near, JN_far },   { JGE_near, JGE_far },
                                       { JL_near, JL_far },   { JMP_near, JMP_far } };

/* Registers that a plain store would get wrong: PC and SR act at once, SP is even, R3 reads as 0. */
static bool plain_destination(const struct hc_instruction *i)
{
    if (i->dst.mode != HC_REGISTER || i->dst.reg > 3)
        return true;
    if (i->dst.reg != HC_SP)
        return false;
    bool stays_even = i->src.mode == HC_IMMEDIATE && !(i->src.value & 1) && i->width == 16 &&
                      (i->op == HC_OP_MOV || i->op == HC_OP_ADD || i->op == HC_OP_SUB);
    return stays_even || i->op == HC_OP_CMP || i->op == HC_OP_BIT;
}

static bool plain_source(const struct hc_instruction *i)
{
    return !(i->src.mode == HC_REGISTER && i->src.reg == HC_SR);
}

static hc_op_fn *choose_status(const struct hc_instruction *i)
{
    bool from_status = i->src.mode == HC_REGISTER && i->src.reg == HC_SR;
    bool to_status = i->dst.mode == HC_REGISTER && i->dst.reg == HC_SR;
    bool ordinary = i->src.mode == HC_REGISTER && i->src.reg > 3;
    if (i->width != 16)
        return interpret;
    if (from_status && i->op == HC_OP_MOV && i->dst.mode == HC_REGISTER && i->dst.reg > 3)
        return MOV_status_to_register;
    if (to_status && i->src.mode == HC_IMMEDIATE && (i->op == HC_OP_BIS || i->op == HC_OP_BIC))
        return i->op == HC_OP_BIS ? BIS_status : BIC_status;
    return to_status && ordinary && i->op == HC_OP_MOV ? MOV_register_to_status : interpret;
}

static hc_op_fn *choose_branch(const struct hc_instruction *i)
{
    if (i->op != HC_OP_MOV || i->width != 16 || i->dst.mode != HC_REGISTER || i->dst.reg != HC_PC)
        return choose_status(i);
    if (i->src.mode == HC_IMMEDIATE)
        return BR_immediate;
    if (i->src.mode == HC_REGISTER && i->src.reg != HC_SR)
        return BR_register;
    return i->src.mode == HC_INCREMENT && i->src.reg == HC_SP ? RET : interpret;
}

static hc_op_fn *choose_double(const struct hc_instruction *i, struct hc_op *op)
{
    op->src = i->src.reg;
    op->dst = i->dst.reg;
    op->x = i->src.mode == HC_INCREMENT ? (i->width == 16 || i->src.reg == HC_SP ? 2 : 1) : i->src.value;
    op->y = i->dst.value;
    if (i->op == HC_OP_MOV && i->src.mode == HC_IMMEDIATE && i->length == 2 && i->dst.mode == HC_REGISTER &&
        i->dst.reg == 3)
        return NOP;
    if (i->extended)
        return interpret;
    if (!plain_source(i))
        return choose_status(i);
    if (!plain_destination(i))
        return choose_branch(i);
    unsigned source_words = i->length / 2 - 1 - (i->dst.mode != HC_REGISTER);
    if (i->src.mode == HC_ABSOLUTE && !source_words) /* @PC */
        return interpret;
    int source = i->src.mode == HC_IMMEDIATE && !source_words ? CONSTANT : i->src.mode;
    return doubles[i->op - HC_OP_MOV][i->width == 16][source][i->dst.mode];
}

static hc_op_fn *choose_single(const struct hc_instruction *i, uint32_t pc, struct hc_op *op)
{
    bool word = i->width == 16;
    bool ordinary_register = i->src.mode == HC_REGISTER && i->src.reg != HC_SR && i->src.reg != 3;
    op->src = op->dst = i->src.reg;
    op->x = i->src.value;
    if (i->extended)
        return interpret;
    if (i->op == HC_OP_CALL) {
        op->y = pc + i->length;
        op->x &= 0xfffe;
        return i->src.mode == HC_IMMEDIATE ? CALL_immediate : ordinary_register ? CALL_register : interpret;
    }
    if (i->op == HC_OP_PUSH && word)
        return i->src.mode == HC_IMMEDIATE ? PUSH_immediate : ordinary_register ? PUSH_register : interpret;
    if (i->src.mode != HC_REGISTER || i->src.reg <= 3)
        return interpret;
    switch (i->op) {
    case HC_OP_RRA:
        return word ? RRA_2 : RRA_1;
    case HC_OP_RRC:
        return word ? RRC_2 : RRC_1;
    case HC_OP_SWPB:
        return SWPB_register;
    case HC_OP_SXT:
        return SXT_register;
    default:
        return interpret;
    }
}

static hc_op_fn *choose_jump(const struct hc_instruction *i, uint32_t pc, struct hc_op *op)
{
    bool near = i->dst.value >> HC_CODE_PAGE_BITS == pc >> HC_CODE_PAGE_BITS;
    op->x = i->dst.value;
    op->y = (uint32_t)(((int32_t)i->dst.value - (int32_t)pc) / 2);
    if (near && i->op < 7)
        op->pair = (uint8_t)(HC_PAIR_JUMP + i->op);
    return jumps[i->op][!near];
}

void hc_msp430_choose(const struct hc_instruction *i, uint32_t pc, struct hc_op *op)
{
    op->cost = (1ull << 32) + i->cycles;
    op->length = i->length / 2;
    op->pair = HC_PAIR_NONE;
    switch (i->format) {
    case HC_DOUBLE:
        op->run = choose_double(i, op);
        op->pair = pair_row(op->run);
        break;
    case HC_SINGLE:
        op->run = choose_single(i, pc, op);
        break;
    case HC_JUMP:
        op->run = choose_jump(i, pc, op);
        break;
    case HC_UNDEFINED:
        op->run = undefined;
        break;
    default:
        op->run = interpret;
        break;
    }
}
