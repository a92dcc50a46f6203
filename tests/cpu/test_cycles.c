/* The cycle tables of the user's guides, row by row: SLAU049 3-14 to 3-16 for the MSP430, SLAU445 4-8 to 4-10 and 4-17
 * to 4-19 for the MSP430X. Numbers and footnotes are written down here as the guides have them; the tables of the
 * decoder are built otherwise. */
#include "machine/cpu/msp430/instruction.h"
#include "machine/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- instructions made of their parts ---- */

enum { RN, AT_RN, AT_RN_PLUS, IMMEDIATE, INDEXED, SYMBOLIC, ABSOLUTE, SOURCES };
enum { TO_RM, TO_PC, TO_INDEXED, TO_SYMBOLIC, TO_ABSOLUTE, DESTINATIONS };
enum { R5 = 5, R6 = 6 };

static const struct {
    uint8_t reg, mode, words;
} sources[SOURCES] = { { R5, 0, 0 }, { R5, 2, 0 }, { R5, 3, 0 },   { HC_PC, 3, 1 },
                       { R5, 1, 1 }, { 0, 1, 1 },  { HC_SR, 1, 1 } };

static const struct {
    uint8_t reg, mode, words;
} destinations[DESTINATIONS] = { { R6, 0, 0 }, { HC_PC, 0, 0 }, { R6, 1, 1 }, { HC_PC, 1, 1 }, { HC_SR, 1, 1 } };

struct words {
    uint16_t word[4];
    int count;
};

static void add_word(struct words *w, unsigned word)
{
    w->word[w->count++] = (uint16_t)word;
}

static void add_zeros(struct words *w, int count)
{
    while (count-- > 0)
        add_word(w, 0x1234);
}

static struct hc_instruction decode(const struct words *w, enum hc_cpu_kind cpu)
{
    struct hc_instruction i;
    uint8_t code[8] = { 0 };
    for (int n = 0; n < w->count; n++) {
        code[2 * n] = (uint8_t)w->word[n];
        code[2 * n + 1] = (uint8_t)(w->word[n] >> 8);
    }
    hc_msp430_decode(code, 0x4000, cpu, &i);
    assert_int_not_equal(i.format, HC_UNDEFINED);
    assert_int_equal(i.length, 2 * w->count);
    return i;
}

static unsigned cycles_of(enum hc_cpu_kind cpu, unsigned first, int more)
{
    struct words w = { 0 };
    add_word(&w, first);
    add_zeros(&w, more);
    return decode(&w, cpu).cycles;
}

/* EXTENSION 0: none. */
static unsigned double_cycles(enum hc_cpu_kind cpu, unsigned extension, unsigned op, bool byte, int src, int dst)
{
    struct words w = { 0 };
    if (extension)
        add_word(&w, extension);
    add_word(&w, op << 12 | (unsigned)sources[src].reg << 8 | (unsigned)destinations[dst].mode << 7 |
                     (byte ? 0x40u : 0) | (unsigned)sources[src].mode << 4 | destinations[dst].reg);
    add_zeros(&w, sources[src].words + destinations[dst].words);
    return decode(&w, cpu).cycles;
}

static unsigned single_cycles(enum hc_cpu_kind cpu, unsigned extension, unsigned op, bool byte, int src)
{
    struct words w = { 0 };
    if (extension)
        add_word(&w, extension);
    add_word(&w, 0x1000u | op << 7 | (byte ? 0x40u : 0) | (unsigned)sources[src].mode << 4 | sources[src].reg);
    add_zeros(&w, sources[src].words);
    return decode(&w, cpu).cycles;
}

static bool is_move_or_test(unsigned op)
{
    return op == HC_OP_MOV || op == HC_OP_BIT || op == HC_OP_CMP;
}

/* ---- MSP430 ---- */

/* SLAU049 table 3-16 */
static void format_1(void **state)
{
    static const uint8_t table[SOURCES][DESTINATIONS] = {
        { 1, 2, 4, 4, 4 }, { 2, 2, 5, 5, 5 }, { 2, 3, 5, 5, 5 }, { 2, 3, 5, 5, 5 },
        { 3, 3, 6, 6, 6 }, { 3, 3, 6, 6, 6 }, { 3, 3, 6, 6, 6 },
    };
    (void)state;
    for (unsigned op = HC_OP_MOV; op <= HC_OP_AND; op++)
        for (int src = 0; src < SOURCES; src++)
            for (int dst = 0; dst < DESTINATIONS; dst++)
                for (int byte = 0; byte < 2; byte++)
                    assert_int_equal(double_cycles(HC_CPU_MSP430, 0, op, byte, src, dst), table[src][dst]);
}

/* SLAU049 table 3-15: rotate and swap, PUSH, CALL */
static void format_2(void **state)
{
    static const uint8_t table[SOURCES][3] = {
        { 1, 3, 4 }, { 3, 4, 4 }, { 3, 5, 5 }, { 0, 4, 5 }, { 4, 5, 5 }, { 4, 5, 5 }, { 4, 5, 5 },
    };
    (void)state;
    for (int src = 0; src < SOURCES; src++) {
        for (unsigned op = HC_OP_RRC; op <= HC_OP_SXT && src != IMMEDIATE; op++)
            assert_int_equal(single_cycles(HC_CPU_MSP430, 0, op, false, src), table[src][0]);
        assert_int_equal(single_cycles(HC_CPU_MSP430, 0, HC_OP_PUSH, false, src), table[src][1]);
        assert_int_equal(single_cycles(HC_CPU_MSP430, 0, HC_OP_PUSH, true, src), table[src][1]);
        assert_int_equal(single_cycles(HC_CPU_MSP430, 0, HC_OP_CALL, false, src), table[src][2]);
    }
}

/* Both guides: two cycles, taken or not. */
static void jumps(void **state)
{
    (void)state;
    for (unsigned condition = 0; condition < 8; condition++) {
        assert_int_equal(cycles_of(HC_CPU_MSP430, 0x2000 | condition << 10 | 5, 0), 2);
        assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x2000 | condition << 10 | 5, 0), 2);
    }
}

/* A generated constant is no word of the program and costs what a register costs. */
static void constants(void **state)
{
    (void)state;
    assert_int_equal(cycles_of(HC_CPU_MSP430, 0x4316, 0), 1);  /* MOV #1,R6 */
    assert_int_equal(cycles_of(HC_CPU_MSP430, 0x5236, 0), 1);  /* ADD #8,R6 */
    assert_int_equal(cycles_of(HC_CPU_MSP430, 0x4382, 1), 4);  /* MOV #0,&x */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x4382, 1), 3); /* one less than ADD R5,&x */
    assert_int_equal(cycles_of(HC_CPU_MSP430, 0x1203, 0), 3);  /* PUSH #0 */
}

/* ---- MSP430X ---- */

/* SLAU445 table 4-10; in the columns of memory MOV, BIT and CMP take one less. */
static void format_1_x(void **state)
{
    static const uint8_t table[SOURCES][DESTINATIONS] = {
        { 1, 3, 4, 4, 4 }, { 2, 4, 5, 5, 5 }, { 2, 4, 5, 5, 5 }, { 2, 3, 5, 5, 5 },
        { 3, 5, 6, 6, 6 }, { 3, 5, 6, 6, 6 }, { 3, 5, 6, 6, 6 },
    };
    (void)state;
    for (unsigned op = HC_OP_MOV; op <= HC_OP_AND; op++)
        for (int src = 0; src < SOURCES; src++)
            for (int dst = 0; dst < DESTINATIONS; dst++) {
                unsigned less = dst >= TO_INDEXED && is_move_or_test(op);
                assert_int_equal(double_cycles(HC_CPU_MSP430X, 0, op, false, src, dst), table[src][dst] - less);
            }
}

/* SLAU445 table 4-9 */
static void format_2_x(void **state)
{
    static const uint8_t table[SOURCES][3] = {
        { 1, 3, 4 }, { 3, 3, 4 }, { 3, 3, 4 }, { 0, 3, 4 }, { 4, 4, 5 }, { 4, 4, 5 }, { 4, 4, 6 },
    };
    (void)state;
    for (int src = 0; src < SOURCES; src++) {
        for (unsigned op = HC_OP_RRC; op <= HC_OP_SXT && src != IMMEDIATE; op++)
            assert_int_equal(single_cycles(HC_CPU_MSP430X, 0, op, false, src), table[src][0]);
        assert_int_equal(single_cycles(HC_CPU_MSP430X, 0, HC_OP_PUSH, false, src), table[src][1]);
        assert_int_equal(single_cycles(HC_CPU_MSP430X, 0, HC_OP_CALL, false, src), table[src][2]);
    }
}

enum { EXTEND_A = 0x1800, EXTEND_W = 0x1840 };

/* SLAU445 table 4-18. Memory: MOVX, BITX and CMPX take one less (.B, .W) or two less (.A). PC from #N or memory by an
 * index: MOVX, ADDX and SUBX take one less. */
static void extended_format_1(void **state)
{
    static const uint8_t words[SOURCES][3] = { /* Rm, PC, memory */
                                               { 2, 4, 5 }, { 3, 5, 6 }, { 3, 5, 6 }, { 3, 4, 6 },
                                               { 4, 6, 7 }, { 4, 6, 7 }, { 4, 6, 7 }
    };
    static const uint8_t addresses[SOURCES][3] = { { 2, 4, 7 },  { 4, 6, 9 },  { 4, 6, 9 }, { 3, 4, 8 },
                                                   { 5, 7, 10 }, { 5, 7, 10 }, { 5, 7, 10 } };
    (void)state;
    for (unsigned op = HC_OP_MOV; op <= HC_OP_AND; op++)
        for (int src = 0; src < SOURCES; src++)
            for (int dst = 0; dst < DESTINATIONS; dst++) {
                int column = dst < TO_INDEXED ? dst : TO_INDEXED;
                bool to_memory = column == TO_INDEXED;
                bool quick =
                    dst == TO_PC && src >= IMMEDIATE && (op == HC_OP_MOV || op == HC_OP_ADD || op == HC_OP_SUB);
                int less = quick || (to_memory && is_move_or_test(op));
                int less_a = quick ? 1 : 2 * less;
                assert_int_equal(double_cycles(HC_CPU_MSP430X, EXTEND_W, op, false, src, dst),
                                 words[src][column] - less);
                assert_int_equal(double_cycles(HC_CPU_MSP430X, EXTEND_W, op, true, src, dst),
                                 words[src][column] - less);
                assert_int_equal(double_cycles(HC_CPU_MSP430X, EXTEND_A, op, true, src, dst),
                                 addresses[src][column] - less_a);
            }
}

/* SLAU445 table 4-17 */
static void extended_format_2(void **state)
{
    static const uint8_t rotate[SOURCES] = { 2, 4, 4, 0, 5, 5, 5 }, rotate_a[SOURCES] = { 2, 6, 6, 0, 7, 7, 7 };
    static const uint8_t push[SOURCES] = { 4, 4, 4, 4, 5, 5, 5 }, push_a[SOURCES] = { 5, 6, 6, 5, 7, 7, 7 };
    (void)state;
    for (int src = 0; src < SOURCES; src++) {
        for (unsigned op = HC_OP_RRC; op <= HC_OP_RRA && src != IMMEDIATE; op += HC_OP_RRA) {
            assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_W, op, false, src), rotate[src]);
            assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_W, op, true, src), rotate[src]);
            assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_A, op, true, src), rotate_a[src]);
        }
        assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_W, HC_OP_PUSH, false, src), push[src]);
        assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_W, HC_OP_PUSH, true, src), push[src]);
        assert_int_equal(single_cycles(HC_CPU_MSP430X, EXTEND_A, HC_OP_PUSH, true, src), push_a[src]);
    }
}

/* The footnote of table 4-17: one more when the index counts from SP. */
static void extended_push_from_the_stack(void **state)
{
    struct words push = { { EXTEND_W, 0x1211, 4 }, 3 }, push_a = { { EXTEND_A, 0x1251, 4 }, 3 };
    (void)state;
    assert_int_equal(decode(&push, HC_CPU_MSP430X).cycles, 6);
    assert_int_equal(decode(&push_a, HC_CPU_MSP430X).cycles, 8);
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1351, 1), 6); /* CALLA 4(SP) */
}

/* SLAU445 table 4-17, the lines without extension word */
static void register_lists_and_shifts(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 16; n++) {
        assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1500 | (n - 1) << 4 | 15, 0), 2 + n);     /* PUSHM.W */
        assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1400 | (n - 1) << 4 | 15, 0), 2 + 2 * n); /* PUSHM.A */
        assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1700 | (n - 1) << 4, 0), 2 + n);          /* POPM.W */
        assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1600 | (n - 1) << 4, 0), 2 + 2 * n);      /* POPM.A */
    }
    for (unsigned n = 1; n <= 4; n++)
        for (unsigned op = HC_OP_RRCM; op <= HC_OP_RRUM; op++) {
            assert_int_equal(cycles_of(HC_CPU_MSP430X, (n - 1) << 10 | op << 8 | 0x40 | R6, 0), n);
            assert_int_equal(cycles_of(HC_CPU_MSP430X, (n - 1) << 10 | op << 8 | 0x50 | R6, 0), n);
        }
}

/* SLAU445 tables 4-17 (CALLA) and 4-19 */
static void address_instructions(void **state)
{
    static const struct {
        uint16_t word;
        uint8_t more, to_register, to_pc;
    } rows[] = {
        { 0x05c0, 0, 1, 3 }, /* MOVA Rn */
        { 0x0500, 0, 3, 5 }, /* MOVA @Rn */
        { 0x0510, 0, 3, 5 }, /* MOVA @Rn+ */
        { 0x0180, 1, 2, 3 }, /* MOVA #N */
        { 0x0530, 1, 4, 6 }, /* MOVA x(Rn) */
        { 0x0030, 1, 4, 6 }, /* MOVA EDE */
        { 0x0120, 1, 4, 6 }, /* MOVA &EDE */
        { 0x05d0, 0, 1, 3 }, /* CMPA Rn */
        { 0x05e0, 0, 1, 3 }, /* ADDA Rn */
        { 0x05f0, 0, 1, 3 }, /* SUBA Rn */
        { 0x0190, 1, 3, 3 }, /* CMPA #N */
        { 0x01a0, 1, 3, 3 }, /* ADDA #N */
        { 0x01b0, 1, 3, 3 }, /* SUBA #N */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(cycles_of(HC_CPU_MSP430X, rows[i].word | R6, rows[i].more), rows[i].to_register);
        assert_int_equal(cycles_of(HC_CPU_MSP430X, rows[i].word, rows[i].more), rows[i].to_pc);
    }
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x0110, 0), 5);      /* RETA */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x0576, 1), 4);      /* MOVA Rn,x(Rm) */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x0570, 1), 4);      /* MOVA Rn,EDE */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x0561, 1), 4);      /* MOVA Rn,&EDE */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1340 | R5, 0), 5); /* CALLA Rn */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1360 | R5, 0), 6); /* CALLA @Rn */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1370 | R5, 0), 6); /* CALLA @Rn+ */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x13b1, 1), 5);      /* CALLA #N */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1350 | R5, 1), 5); /* CALLA x(Rn) */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1391, 1), 7);      /* CALLA EDE */
    assert_int_equal(cycles_of(HC_CPU_MSP430X, 0x1381, 1), 7);      /* CALLA &EDE */
}

/* ---- whole machines: repetitions, interrupts ---- */

enum { PROGRAM = 0x4000, STACK = 0x1800, HANDLER = 0x5000, VECTOR = 6 };

static struct hc_machine *machine(enum hc_cpu_kind cpu)
{
    static const struct hc_region regions[] = {
        { .name = "ram", .kind = HC_RAM, .start = 0x1000, .end = 0x1fff },
        { .name = "program", .kind = HC_RAM, .start = 0x4000, .end = 0x5fff },
        { .name = "vectors", .kind = HC_RAM, .start = 0xff00, .end = 0xffff },
        { 0 },
    };
    static const struct hc_part parts[] = { { "msp430", HC_CPU_MSP430, regions, 0x10000, 16, 0 },
                                            { "msp430x", HC_CPU_MSP430X, regions, 0x10000, 16, 0 } };
    struct hc_machine *m = hc_machine_new(&parts[cpu == HC_CPU_MSP430X], NULL);
    assert_non_null(m);
    assert_true(hc_poke16(m, 0xfffe, PROGRAM));
    assert_true(hc_poke16(m, 0xffe0 + 2 * VECTOR, HANDLER));
    hc_machine_reset(m, HC_POR);
    hc_set_register(m, HC_SP, STACK);
    return m;
}

static uint64_t cycles_so_far(const struct hc_machine *m)
{
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    return s.cycles;
}

/* Table 4-18, footnote 1, and 1 + n in table 4-17: n executions take n + 1 cycles. */
static void repetitions(void **state)
{
    static const struct {
        uint16_t extension, word, r7, cycles;
    } rows[] = {
        { 0x1840, 0x5506, 0, 2 },  /* ADDX R5,R6 */
        { 0x1844, 0x5506, 0, 6 },  /* RPT #5 */
        { 0x18c7, 0x5506, 9, 11 }, /* RPT R7: bits 3:0 hold n - 1 */
        { 0x184f, 0x1106, 0, 17 }, /* RPT #16, RRAX R6 */
        { 0x18c7, 0x1006, 0xfff3, 5 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hc_machine *m = machine(HC_CPU_MSP430X);
        hc_poke16(m, PROGRAM, rows[i].extension);
        hc_poke16(m, PROGRAM + 2, rows[i].word);
        hc_set_register(m, 7, rows[i].r7);
        assert_int_equal(hc_machine_step(m, 1, HC_NEVER), HC_STOP_STEPS);
        assert_int_equal(cycles_so_far(m), rows[i].cycles);
        hc_machine_free(m);
    }
}

/* SLAU049 table 3-14, SLAU445 table 4-8: six cycles into the handler, five out of it. The MSP430 clears all of SR,
 * the MSP430X leaves SCG0 (SLAU049 2.2.3, SLAU445 1.3.4.1). */
static void interrupts(void **state)
{
    static const struct {
        enum hc_cpu_kind cpu;
        uint16_t status;
    } rows[] = { { HC_CPU_MSP430, 0 }, { HC_CPU_MSP430X, HC_SR_SCG0 } };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hc_machine *m = machine(rows[i].cpu);
        hc_poke16(m, HANDLER, 0x4303); /* NOP */
        hc_poke16(m, HANDLER + 2, 0x1300);
        hc_set_register(m, HC_SR, HC_SR_GIE | HC_SR_SCG0 | HC_SR_C);
        hc_interrupt(m, VECTOR, true);
        assert_int_equal(hc_machine_step(m, 1, HC_NEVER), HC_STOP_STEPS);
        assert_int_equal(cycles_so_far(m), 6 + 1);
        assert_int_equal(hc_register(m, HC_SR), rows[i].status);
        hc_interrupt(m, VECTOR, false);
        assert_int_equal(hc_machine_step(m, 1, HC_NEVER), HC_STOP_STEPS);
        assert_int_equal(cycles_so_far(m), 6 + 1 + 5);
        assert_int_equal(hc_register(m, HC_PC), PROGRAM);
        hc_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_1),
        cmocka_unit_test(format_2),
        cmocka_unit_test(jumps),
        cmocka_unit_test(constants),
        cmocka_unit_test(format_1_x),
        cmocka_unit_test(format_2_x),
        cmocka_unit_test(extended_format_1),
        cmocka_unit_test(extended_format_2),
        cmocka_unit_test(extended_push_from_the_stack),
        cmocka_unit_test(register_lists_and_shifts),
        cmocka_unit_test(address_instructions),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
