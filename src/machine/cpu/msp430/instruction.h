/* The MSP430 and MSP430X CPUs: what an instruction is, decoded. For the files of this folder, and for who follows
 * values through instructions (target/msp430/value_flow.c). */
#ifndef HC_MACHINE_CPU_MSP430_INSTRUCTION_H
#define HC_MACHINE_CPU_MSP430_INSTRUCTION_H

#include "machine/core.h"

enum hc_format {
    HC_UNDEFINED,
    HC_DOUBLE,  /* format I: src, dst */
    HC_SINGLE,  /* format II: src (and dst) is one operand */
    HC_JUMP,    /* dst.value is the target */
    HC_ADDRESS, /* MOVA, CMPA, ADDA, SUBA */
    HC_ROTATE,  /* RRCM, RRAM, RLAM, RRUM: dst register, count */
    HC_PUSHM,
    HC_POPM,
    HC_CALLA,
    HC_RETI,
};

/* HC_DOUBLE, numbered as in the instruction word. Flags: -- unchanged, ALU: N Z C V from the sum, LOGIC: C = not Z, V =
 * 0 */
enum hc_double_op {
    HC_OP_MOV = 4, /* dst = src              -- */
    HC_OP_ADD,     /* dst += src             ALU */
    HC_OP_ADDC,    /* dst += src + C         ALU */
    HC_OP_SUBC,    /* dst += ~src + C        ALU */
    HC_OP_SUB,     /* dst += ~src + 1        ALU */
    HC_OP_CMP,     /* dst + ~src + 1         ALU, nothing stored */
    HC_OP_DADD,    /* dst += src + C, BCD    N Z C; V undefined: unchanged here */
    HC_OP_BIT,     /* src & dst              LOGIC, nothing stored */
    HC_OP_BIC,     /* dst &= ~src            -- */
    HC_OP_BIS,     /* dst |= src             -- */
    HC_OP_XOR,     /* dst ^= src             LOGIC, but V = both negative */
    HC_OP_AND,     /* dst &= src             LOGIC */
};

enum hc_single_op {
    HC_OP_RRC,  /* C -> msb ... lsb -> C     N Z C; V = 0 */
    HC_OP_SWPB, /* swap bytes                -- */
    HC_OP_RRA,  /* msb -> msb ... lsb -> C   N Z C; V = 0 */
    HC_OP_SXT,  /* bit 7 -> bits 8..         LOGIC */
    HC_OP_PUSH, /* SP -= 2; @SP = src        -- */
    HC_OP_CALL, /* SP -= 2; @SP = PC; PC = src */
};

enum hc_address_op { HC_OP_MOVA, HC_OP_CMPA, HC_OP_ADDA, HC_OP_SUBA };
enum hc_rotate_op { HC_OP_RRCM, HC_OP_RRAM, HC_OP_RLAM, HC_OP_RRUM };

enum hc_mode {
    HC_REGISTER,  /* Rn */
    HC_IMMEDIATE, /* #value: constants of the generators, @PC+, and PC itself as a source */
    HC_INDEXED,   /* value(Rn) */
    HC_ABSOLUTE,  /* &value, and symbolic with the address worked out */
    HC_INDIRECT,  /* @Rn */
    HC_INCREMENT, /* @Rn+ */
};

struct hc_operand {
    uint8_t mode; /* enum hc_mode */
    uint8_t reg;
    uint32_t value;
};

struct hc_instruction {
    uint8_t format;  /* enum hc_format */
    uint8_t op;      /* of that format; of a jump: the condition */
    uint8_t width;   /* 8, 16 or 20 */
    uint8_t length;  /* bytes */
    uint8_t cycles;  /* without repetitions */
    uint8_t count;   /* of ROTATE, PUSHM, POPM */
    bool extended;   /* has an extension word: 20-bit indexes */
    bool zero_carry; /* ZC: C is taken as 0 (RRUX) */
    bool repeat_reg; /* repeat holds a register number */
    uint8_t repeat;  /* additional executions, or the register that holds them */
    struct hc_operand src, dst;
};

/* CODE has 8 readable bytes. Cannot fail: what is no instruction is HC_UNDEFINED of one word. */
void hc_msp430_decode(const uint8_t *code, uint32_t pc, enum hc_cpu_kind cpu, struct hc_instruction *out);

/* Executes one decoded instruction at PC the plain way, whatever its form: registers complete, r[0] included. Returns
 * its cycles. */
unsigned hc_msp430_interpret(struct hc_machine *m, const struct hc_instruction *i, uint32_t pc);

/* X(Rn) of an instruction without extension word: within the lower 64 KB it wraps there, above the index is signed. */
static inline uint32_t hc_msp430_indexed(uint32_t base, uint32_t index)
{
    if (__builtin_expect(base < 0x10000, 1))
        return (base + index) & 0xffff;
    return (base + (uint32_t)(int32_t)(int16_t)index) & 0xfffff;
}

/* Decimal sum of WIDTH bits; the carry out is bit WIDTH. */
uint32_t hc_msp430_dadd(uint32_t a, uint32_t b, unsigned carry, unsigned width);

/* ---- decoded pages ---- */

struct hc_op;

/* The registers of the interpreter: machine, instruction, elapsed cycles and instructions, and the flags as they fall
 * out of the arithmetic: Z is (uint32_t)nz == 0, N is nz < 0, C is c & 1, V is v != 0. */
#define HC_OP_PARAMETERS \
    struct hc_machine *m, const struct hc_op *op, uint64_t elapsed, int64_t nz, uint32_t c, uint32_t v, uint8_t *memory
#define HC_OP_ARGUMENTS m, op, elapsed, nz, c, v, memory

typedef __attribute__((preserve_none)) void hc_op_fn(HC_OP_PARAMETERS);

struct hc_op {
    hc_op_fn *run;
    uint64_t cost; /* cycles, and 1 << 32 for the instruction itself */
    uint32_t pc;
    uint32_t x; /* source: immediate, index or address; or a jump's target */
    uint32_t y; /* destination: index or address; or a near jump's distance in entries */
    uint8_t src, dst;
    uint8_t length; /* in words */
    uint8_t pair;   /* HC_PAIR_NONE, a first half's row of the table of pairs, or HC_PAIR_JUMP + condition */
};

enum { HC_PAIR_NONE = 0, HC_PAIR_JUMP = 0x80 };

enum { HC_CODE_PAGE_WORDS = 1 << (HC_CODE_PAGE_BITS - 1), HC_LONGEST_WORDS = 4 };

struct hc_code_page {
    int references; /* of a shared page; under the store's lock */
    bool shared;    /* in a store: never changed */
    uint32_t start;
    struct hc_code_page *next; /* in the store's bucket */
    uint64_t key;
    hc_op_fn **unhooked;                         /* of hooked entries: what they would run */
    uint8_t bytes[(1 << HC_CODE_PAGE_BITS) + 8]; /* what was decoded, and the words after it */
    struct hc_op ops[HC_CODE_PAGE_WORDS + HC_LONGEST_WORDS];
};

/* The page of PC, decoded if need be. */
struct hc_code_page *hc_code_fetch(struct hc_machine *m, uint32_t pc);

/* Fills in all but pc: chooses the routine that executes the instruction. */
void hc_msp430_choose(const struct hc_instruction *i, uint32_t pc, struct hc_op *op);

/* One routine for a comparison and the near jump behind it; NULL if FIRST and SECOND make no such pair. */
hc_op_fn *hc_msp430_choose_pair(const struct hc_op *first, const struct hc_op *second);

/* What a follower's routine comes before. */
struct hc_followed {
    hc_op_fn *run;
    hc_follow_fn *call;
    const void *step;
    uint32_t marks;
};

extern hc_op_fn hc_op_hooked, hc_op_followed, hc_op_followed_if_marked, hc_op_next_page, hc_op_unfetchable, hc_op_busy;

#endif
