/* The disassembler against a table from the user's guides, and against two independent ones: llvm-objdump over every
 * first word of the 16-bit set, mspdebug over the 20-bit one. The peers' text is brought to a common form first:
 * emulated instructions are written out and numbers reduced, so that a difference is one of meaning. */
#include "machine/cpu/msp430/disassemble.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the table ---- */

static const struct row {
    enum hc_cpu_kind cpu;
    uint32_t address;
    uint16_t words[4];
    int length;
    const char *text;
} rows[] = {
    /* addressing modes */
    { HC_CPU_MSP430, 0x4000, { 0x4405 }, 2, "mov     r4, r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4445 }, 2, "mov.b   r4, r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4415, 0xfffe }, 4, "mov     -2(r4), r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4415, 0xfe00 }, 4, "mov     -0x200(r4), r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4495, 0x0002, 0x0006 }, 6, "mov     2(r4), 6(r5)" },
    { HC_CPU_MSP430, 0x4000, { 0x4090, 0x00fe, 0x01fc }, 6, "mov     0x4100, 0x4200" },
    { HC_CPU_MSP430, 0x4000, { 0x4292, 0x0120, 0x0200 }, 6, "mov     &0x0120, &0x0200" },
    { HC_CPU_MSP430, 0x4000, { 0x4425 }, 2, "mov     @r4, r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4475 }, 2, "mov.b   @r4+, r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4035, 0x1234 }, 4, "mov     #0x1234, r5" },
    { HC_CPU_MSP430, 0x4000, { 0x40f2, 0x0020, 0x0031 }, 6, "mov.b   #0x0020, &0x0031" },
    { HC_CPU_MSP430, 0xfffc, { 0x4015, 0x0010 }, 4, "mov     0x000e, r5" },
    /* constants */
    { HC_CPU_MSP430, 0x4000, { 0xd325 }, 2, "bis     #2, r5" },
    { HC_CPU_MSP430, 0x4000, { 0xd225 }, 2, "bis     #4, r5" },
    { HC_CPU_MSP430, 0x4000, { 0xd235 }, 2, "bis     #8, r5" },
    { HC_CPU_MSP430, 0x4000, { 0xb335 }, 2, "bit     #-1, r5" },
    { HC_CPU_MSP430, 0x4000, { 0xf315 }, 2, "and     #1, r5" },
    /* one operand, jumps */
    { HC_CPU_MSP430, 0x4000, { 0x1005 }, 2, "rrc     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x1085 }, 2, "swpb    r5" },
    { HC_CPU_MSP430, 0x4000, { 0x1145 }, 2, "rra.b   r5" },
    { HC_CPU_MSP430, 0x4000, { 0x1185 }, 2, "sxt     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x1230, 0x1234 }, 4, "push    #0x1234" },
    { HC_CPU_MSP430, 0x4000, { 0x1203 }, 2, "push    #0" },
    { HC_CPU_MSP430, 0x4000, { 0x1234 }, 2, "push    @r4+" },
    { HC_CPU_MSP430, 0x4000, { 0x12b0, 0x4410 }, 4, "call    #0x4410" },
    { HC_CPU_MSP430, 0x4000, { 0x1285 }, 2, "call    r5" },
    { HC_CPU_MSP430, 0x4000, { 0x1300 }, 2, "reti" },
    { HC_CPU_MSP430, 0x4000, { 0x2001 }, 2, "jnz     0x4004" },
    { HC_CPU_MSP430, 0x4000, { 0x27ff }, 2, "jz      0x4000" },
    { HC_CPU_MSP430, 0x4000, { 0x2a00 }, 2, "jnc     0x3c02" },
    { HC_CPU_MSP430, 0x4000, { 0x2c00 }, 2, "jc      0x4002" },
    { HC_CPU_MSP430, 0x4000, { 0x3000 }, 2, "jn      0x4002" },
    { HC_CPU_MSP430, 0x4000, { 0x3400 }, 2, "jge     0x4002" },
    { HC_CPU_MSP430, 0x4000, { 0x3800 }, 2, "jl      0x4002" },
    { HC_CPU_MSP430, 0x4000, { 0x3fff }, 2, "jmp     0x4000" },
    /* emulated */
    { HC_CPU_MSP430, 0x4000, { 0x4130 }, 2, "ret" },
    { HC_CPU_MSP430, 0x4000, { 0x4303 }, 2, "nop" },
    { HC_CPU_MSP430, 0x4000, { 0x4030, 0x4400 }, 4, "br      #0x4400" },
    { HC_CPU_MSP430, 0x4000, { 0x4135 }, 2, "pop     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x4172 }, 2, "pop.b   sr" },
    { HC_CPU_MSP430, 0x4000, { 0x4305 }, 2, "clr     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x43c2, 0x0021 }, 4, "clr.b   &0x0021" },
    { HC_CPU_MSP430, 0x4000, { 0xc312 }, 2, "clrc" },
    { HC_CPU_MSP430, 0x4000, { 0xc322 }, 2, "clrz" },
    { HC_CPU_MSP430, 0x4000, { 0xc222 }, 2, "clrn" },
    { HC_CPU_MSP430, 0x4000, { 0xc232 }, 2, "dint" },
    { HC_CPU_MSP430, 0x4000, { 0xd312 }, 2, "setc" },
    { HC_CPU_MSP430, 0x4000, { 0xd322 }, 2, "setz" },
    { HC_CPU_MSP430, 0x4000, { 0xd222 }, 2, "setn" },
    { HC_CPU_MSP430, 0x4000, { 0xd232 }, 2, "eint" },
    { HC_CPU_MSP430, 0x4000, { 0x6305 }, 2, "adc     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x7305 }, 2, "sbc     r5" },
    { HC_CPU_MSP430, 0x4000, { 0xa305 }, 2, "dadc    r5" },
    { HC_CPU_MSP430, 0x4000, { 0x5315 }, 2, "inc     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x5325 }, 2, "incd    r5" },
    { HC_CPU_MSP430, 0x4000, { 0x8315 }, 2, "dec     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x8325 }, 2, "decd    r5" },
    { HC_CPU_MSP430, 0x4000, { 0xe335 }, 2, "inv     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x5505 }, 2, "rla     r5" },
    { HC_CPU_MSP430, 0x4000, { 0x5595, 0x0002, 0x0002 }, 6, "rla     2(r5)" },
    { HC_CPU_MSP430, 0x4000, { 0x5595, 0x0002, 0x0004 }, 6, "add     2(r5), 4(r5)" },
    { HC_CPU_MSP430, 0x4000, { 0x6545 }, 2, "rlc.b   r5" },
    { HC_CPU_MSP430, 0x4000, { 0x9305 }, 2, "tst     r5" },
    /* undefined on the 16-bit CPU */
    { HC_CPU_MSP430, 0x4000, { 0x0000 }, 2, ".word   0x0000" },
    { HC_CPU_MSP430, 0x4000, { 0x0110 }, 2, ".word   0x0110" },
    { HC_CPU_MSP430, 0x4000, { 0x10c5 }, 2, ".word   0x10c5" },
    { HC_CPU_MSP430, 0x4000, { 0x1301 }, 2, ".word   0x1301" },
    { HC_CPU_MSP430, 0x4000, { 0x1411 }, 2, ".word   0x1411" },
    { HC_CPU_MSP430, 0x4000, { 0x1840, 0x4405 }, 2, ".word   0x1840" },
    /* address instructions */
    { HC_CPU_MSP430X, 0x4000, { 0x0405 }, 2, "mova    @r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0415 }, 2, "mova    @r4+, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0125, 0x2345 }, 4, "mova    &0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0435, 0xfffe }, 4, "mova    -2(r4), r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0461, 0x2345 }, 4, "mova    r4, &0x12345" },
    { HC_CPU_MSP430X, 0x4000, { 0x0475, 0x0004 }, 4, "mova    r4, 4(r5)" },
    { HC_CPU_MSP430X, 0x4000, { 0x0185, 0x2345 }, 4, "mova    #0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0195, 0x2345 }, 4, "cmpa    #0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x01a5, 0x2345 }, 4, "adda    #0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x01b5, 0x2345 }, 4, "suba    #0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x04c5 }, 2, "mova    r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x04d5 }, 2, "cmpa    r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x04e5 }, 2, "adda    r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x04f5 }, 2, "suba    r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0110 }, 2, "reta" },
    { HC_CPU_MSP430X, 0x4000, { 0x0180, 0x2345 }, 4, "bra     #0x12345" },
    { HC_CPU_MSP430X, 0x4000, { 0x00a5, 0x0002 }, 4, "incda   r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x00b5, 0x0002 }, 4, "decda   r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x03e1 }, 2, "incda   sp" },
    { HC_CPU_MSP430X, 0x4000, { 0x03f1 }, 2, "decda   sp" },
    { HC_CPU_MSP430X, 0x4000, { 0x0095, 0x0000 }, 4, "tsta    r5" },
    /* rotates, stack, calls */
    { HC_CPU_MSP430X, 0x4000, { 0x0045 }, 2, "rrcm.a  #1, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0d55 }, 2, "rram.w  #4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0645 }, 2, "rlam.a  #2, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x0b55 }, 2, "rrum.w  #3, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x143a }, 2, "pushm.a #4, r10" },
    { HC_CPU_MSP430X, 0x4000, { 0x151a }, 2, "pushm.w #2, r10" },
    { HC_CPU_MSP430X, 0x4000, { 0x1637 }, 2, "popm.a  #4, r10" },
    { HC_CPU_MSP430X, 0x4000, { 0x1719 }, 2, "popm.w  #2, r10" },
    { HC_CPU_MSP430X, 0x4000, { 0x1345 }, 2, "calla   r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1355, 0x0006 }, 4, "calla   6(r5)" },
    { HC_CPU_MSP430X, 0x4000, { 0x1365 }, 2, "calla   @r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1375 }, 2, "calla   @r5+" },
    { HC_CPU_MSP430X, 0x4000, { 0x1381, 0x2345 }, 4, "calla   &0x12345" },
    { HC_CPU_MSP430X, 0x4000, { 0x1391, 0x0000 }, 4, "calla   0x14002" },
    { HC_CPU_MSP430X, 0x4000, { 0x13b1, 0x2345 }, 4, "calla   #0x12345" },
    /* extension words */
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x4445 }, 4, "movx.a  r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1840, 0x5445 }, 4, "addx.b  r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1840, 0x5405 }, 4, "addx.w  r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1880, 0x4075, 0x2345 }, 6, "movx.a  #0x12345, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x18c2, 0x44d5, 0x2345, 0x6789 }, 8, "movx.b  0x12345(r4), 0x26789(r5)" },
    { HC_CPU_MSP430X, 0x4000, { 0x1fcf, 0x4495, 0xfffe, 0xfffc }, 8, "movx.w  -2(r4), -4(r5)" },
    { HC_CPU_MSP430X, 0x4000, { 0x18c1, 0x42d2, 0x2345, 0x5432 }, 8, "movx.b  &0x12345, &0x15432" },
    { HC_CPU_MSP430X, 0x4000, { 0x1fcf, 0x4090, 0xfffc, 0xfffa }, 8, "movx.w  0x4000, 0x4000" },
    { HC_CPU_MSP430X, 0x4000, { 0x1803, 0x1145 }, 4, "rpt #4 { rrax.a  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x18c7, 0x5405 }, 4, "rpt r7 { addx.w  r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1940, 0x1005 }, 4, "rrux.w  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1942, 0x6405 }, 4, "zc { rpt #3 { addcx.w r4, r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x1085 }, 4, "swpbx.a r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1840, 0x1185 }, 4, "sxtx.w  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1801, 0x1270, 0x2345 }, 6, "pushx.a #0x12345" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x4175 }, 4, "popx.a  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x4345 }, 4, "clrx.a  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x9345 }, 4, "tstx.a  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x5545 }, 4, "rlax.a  r5" },
    { HC_CPU_MSP430X, 0x4000, { 0x1800, 0x4405 }, 2, ".word   0x1800" }, /* neither .a, word nor byte */
    { HC_CPU_MSP430X, 0x4000, { 0x1850, 0x4405 }, 2, ".word   0x1850" }, /* bits 5-4 */
    { HC_CPU_MSP430X, 0x4000, { 0x1840, 0x1285 }, 2, ".word   0x1840" }, /* there is no CALLX */
    { HC_CPU_MSP430X, 0x4000, { 0x1840, 0x2001 }, 2, ".word   0x1840" },
    { HC_CPU_MSP430X, 0x4000, { 0x13a0 }, 2, ".word   0x13a0" },
    { HC_CPU_MSP430X, 0x4000, { 0x13c0 }, 2, ".word   0x13c0" },
    /* above 64 KB an index is signed and does not wrap */
    { HC_CPU_MSP430X, 0x12000, { 0x4015, 0xfffe }, 4, "mov     0x12000, r5" },
    { HC_CPU_MSP430X, 0x12000, { 0x3fff }, 2, "jmp     0x12000" },
};

static void put_words(const uint16_t *words, size_t count, uint8_t *bytes)
{
    for (size_t i = 0; i < count; i++) {
        bytes[2 * i] = (uint8_t)words[i];
        bytes[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
}

static void test_table(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        uint8_t bytes[8];
        char text[HC_DISASM_TEXT];
        put_words(rows[n].words, 4, bytes);
        int length = hc_msp430_disassemble(rows[n].cpu, bytes, sizeof bytes, rows[n].address, NULL, NULL, text);
        if (strcmp(text, rows[n].text) != 0)
            print_message("words %04x %04x\n", rows[n].words[0], rows[n].words[1]);
        assert_string_equal(text, rows[n].text);
        assert_int_equal(length, rows[n].length);
    }
}

/* An instruction cut short anywhere is a word of data, and nothing is read beyond the end. */
static void test_cut_short(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        uint8_t bytes[8];
        char text[HC_DISASM_TEXT];
        put_words(rows[n].words, 4, bytes);
        for (int size = 0; size < rows[n].length; size++) {
            uint8_t *exact = malloc((size_t)size + 1);
            memcpy(exact, bytes, (size_t)size);
            int length = hc_msp430_disassemble(rows[n].cpu, exact, (size_t)size, rows[n].address, NULL, NULL, text);
            assert_int_equal(length, size < 2 ? 0 : 2);
            assert_true(size < 2 ? !*text : !strncmp(text, ".word", 5));
            free(exact);
        }
    }
}

static bool name_everything(void *owner, uint32_t address, bool code, char *out, size_t size)
{
    (void)owner;
    snprintf(out, size, "%s_%x", code ? "code" : "data", address);
    return true;
}

static void test_symbols(void **state)
{
    static const struct {
        uint16_t words[4];
        const char *text;
    } cases[] = {
        { { 0x12b0, 0x4410 }, "call    #0x4410 ; code_4410" },
        { { 0x3c00 }, "jmp     0x4002 ; code_4002" },
        { { 0x4030, 0x4400 }, "br      #0x4400 ; code_4400" },
        { { 0x1292, 0x0200 }, "call    &0x0200 ; data_200" },
        { { 0x4292, 0x0120, 0x0200 }, "mov     &0x0120, &0x0200 ; data_120, data_200" },
        { { 0x4035, 0x1234 }, "mov     #0x1234, r5" },
        { { 0x13b1, 0x2345 }, "calla   #0x12345 ; code_12345" },
    };
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        uint8_t bytes[8];
        char text[HC_DISASM_TEXT];
        put_words(cases[n].words, 4, bytes);
        hc_msp430_disassemble(HC_CPU_MSP430X, bytes, sizeof bytes, 0x4000, name_everything, NULL, text);
        assert_string_equal(text, cases[n].text);
    }
}

/* ---- a common form ---- */

/* Written out: MNEMONIC of the first column is that of the second with the given source; "=" repeats the operand. */
static const struct {
    const char *name, *base, *source, *destination;
} written_out[] = {
    { "ret", "mov", "@r1+", "r0" },   { "nop", "mov", "#0", "r3" },   { "br", "mov", NULL, "r0" },
    { "clrc", "bic", "#1", "r2" },    { "clrz", "bic", "#2", "r2" },  { "clrn", "bic", "#4", "r2" },
    { "dint", "bic", "#8", "r2" },    { "setc", "bis", "#1", "r2" },  { "setz", "bis", "#2", "r2" },
    { "setn", "bis", "#4", "r2" },    { "eint", "bis", "#8", "r2" },  { "pop", "mov", "@r1+", NULL },
    { "clr", "mov", "#0", NULL },     { "adc", "addc", "#0", NULL },  { "dadc", "dadd", "#0", NULL },
    { "sbc", "subc", "#0", NULL },    { "tst", "cmp", "#0", NULL },   { "inc", "add", "#1", NULL },
    { "incd", "add", "#2", NULL },    { "dec", "sub", "#1", NULL },   { "decd", "sub", "#2", NULL },
    { "inv", "xor", "#fffff", NULL }, { "rla", "add", "=", NULL },    { "rlc", "addc", "=", NULL },
    { "reta", "mova", "@r1+", "r0" }, { "bra", "mova", NULL, "r0" },  { "incda", "adda", "#2", NULL },
    { "decda", "suba", "#2", NULL },  { "tsta", "cmpa", "#0", NULL }, { "clra", "mova", "#0", NULL },
    { "sec", "subc", "#0", NULL }, /* mspdebug's name of SBCX */
};

static const char *const spellings[][2] = {
    { "jne", "jnz" }, { "jeq", "jz" }, { "jlo", "jnc" }, { "jhs", "jc" }, { "calla.a", "calla" },
};

static const char *const register_spellings[][2] = { { "pc", "r0" }, { "sp", "r1" }, { "sr", "r2" }, { "cg", "r3" } };

/* Numbers that stand alone (symbolic mode, jumps) as the peers give them; NULL for addresses. */
typedef long bare_number_fn(long number, bool relative, uint32_t address);

struct form {
    char repeat[8]; /* a count or a register; empty for once */
    char mnemonic[24];
    char operands[2][32];
    int count;
};

/* One operand: lower-case registers by number, numbers as 20 bits. */
static void common_operand(const char *in, uint32_t address, bare_number_fn *bare, char *out, size_t size)
{
    char *end;
    const char *prefix = *in == '#' ? "#" : *in == '&' ? "&" : *in == '@' ? "@" : "";
    in += strlen(prefix);
    bool relative = *in == '$';
    long number = strtol(in + relative, &end, 0);
    if (end != in + relative && *end != '(') {
        if (!*prefix && bare)
            number = bare(number, relative, address);
        snprintf(out, size, "%s%lx", prefix, (unsigned long)number & 0xfffff);
        return;
    }
    char index[16] = "";
    if (*end == '(' && !strncmp(end, "(pc)", 4)) {
        snprintf(out, size, "%lx", ((unsigned long)number + address + 2) & 0xfffff);
        return;
    }
    if (*end == '(') {
        snprintf(index, sizeof index, "%lx", (unsigned long)number & 0xfffff);
        in = end + 1;
    }
    size_t length = strcspn(in, ")+ ]");
    char name[8];
    snprintf(name, sizeof name, "%.*s", (int)length, in);
    for (size_t n = 0; n < 4; n++)
        if (!strcmp(name, register_spellings[n][0]))
            snprintf(name, sizeof name, "%s", register_spellings[n][1]);
    snprintf(out, size, "%s%s%s%s%s", prefix, index, *index ? "(" : "", name, strchr(in, '+') ? "+" : "");
}

static void split(const char *text, uint32_t address, bare_number_fn *bare, struct form *f)
{
    char lower[HC_DISASM_TEXT];
    size_t length = 0;

    *f = (struct form){ 0 };
    for (; *text && *text != ';' && length < sizeof lower - 1; text++)
        lower[length++] = (char)(*text >= 'A' && *text <= 'Z' ? *text + 32 : *text);
    lower[length] = '\0';
    char *rest = strrchr(lower, '{'), *repeat = strstr(lower, "rpt "), *after = strstr(lower, "[repeat ");
    if (repeat)
        common_operand(repeat + 4 + (repeat[4] == '#'), address, NULL, f->repeat, sizeof f->repeat);
    if (after) {
        common_operand(after + 8, address, NULL, f->repeat, sizeof f->repeat);
        *after = '\0';
    }
    char *word = rest ? rest + 1 : lower, *save = NULL;
    word = strtok_r(word, " \t", &save);
    snprintf(f->mnemonic, sizeof f->mnemonic, "%s", word ? word : "");
    while ((word = strtok_r(NULL, " \t,", &save)) && f->count < 2)
        common_operand(word, address, bare, f->operands[f->count++], sizeof f->operands[0]);
}

/* Replaces an emulated instruction; the width (and an X) stay. */
static void write_out(struct form *f)
{
    char *dot = strchr(f->mnemonic, '.');
    char suffix[8] = "", stem[24];

    if (dot) {
        snprintf(suffix, sizeof suffix, "%s", dot);
        *dot = '\0';
    }
    bool x = f->mnemonic[0] && f->mnemonic[strlen(f->mnemonic) - 1] == 'x';
    snprintf(stem, sizeof stem, "%.*s", (int)(strlen(f->mnemonic) - x), f->mnemonic);
    for (size_t n = 0; n < sizeof written_out / sizeof *written_out; n++) {
        if (strcmp(stem, written_out[n].name) != 0)
            continue;
        snprintf(stem, sizeof stem, "%s", written_out[n].base);
        if (written_out[n].source) {
            memcpy(f->operands[1], f->operands[0], sizeof f->operands[0]);
            if (*written_out[n].source != '=')
                snprintf(f->operands[0], sizeof f->operands[0], "%s", written_out[n].source);
        }
        if (written_out[n].destination)
            snprintf(f->operands[1], sizeof f->operands[1], "%s", written_out[n].destination);
        f->count = 2;
        break;
    }
    if (!strcmp(suffix, ".w"))
        suffix[0] = '\0';
    snprintf(f->mnemonic, sizeof f->mnemonic, "%.15s%s%s", stem, x ? "x" : "", suffix);
    for (size_t n = 0; n < sizeof spellings / sizeof *spellings; n++)
        if (!strcmp(f->mnemonic, spellings[n][0]))
            snprintf(f->mnemonic, sizeof f->mnemonic, "%s", spellings[n][1]);
}

/* Immediates are as wide as the operation, addresses as the address bus. */
static uint32_t mask_of(const struct form *f, const char *operand, uint32_t address_mask)
{
    const char *dot = strchr(f->mnemonic, '.');
    size_t length = strlen(f->mnemonic);

    if (*operand != '#' || (dot && dot[1] == 'a') || (length && f->mnemonic[length - 1] == 'a' && length == 4) ||
        !strcmp(f->mnemonic, "calla"))
        return address_mask;
    return dot && dot[1] == 'b' ? 0xff : 0xffff;
}

static void common_form(const char *text, uint32_t address, bare_number_fn *bare, uint32_t mask, char *out, size_t size)
{
    struct form f;

    split(text, address, bare, &f);
    write_out(&f);
    for (int n = 0; n < f.count; n++) {
        char *digits = f.operands[n] + strspn(f.operands[n], "#&@");
        char *end, tail[16];
        unsigned long number = strtoul(digits, &end, 16);
        if (end == digits || *digits == 'r')
            continue;
        snprintf(tail, sizeof tail, "%s", end);
        snprintf(digits, sizeof f.operands[n] - 1, "%lx%s", number & mask_of(&f, f.operands[n], mask), tail);
    }
    snprintf(out, size, "%s%s%s %s%s%s", f.repeat, *f.repeat ? " x " : "", f.mnemonic, f.operands[0],
             f.count > 1 ? ", " : "", f.operands[1]);
}

/* ---- slots: one instruction every 8 bytes ----
 *
 * What an instruction leaves of its slot are instructions of one word, so that a peer that takes another length is back
 * in step at the next slot. */

enum { SLOT = 8, EXTENSION_1 = 0x4506, EXTENSION_2 = 0x5708, NOP = 0x4303 };

static char directory[] = "/tmp/hindcast-disasm-XXXXXX";

static int make_directory(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
    char command[80];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

static FILE *create(const char *name)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    return file;
}

/* ---- llvm-objdump ---- */

/* It crashes on these: PUSH @Rn and PUSH @Rn+. The table has them. */
static bool llvm_crashes(uint32_t word)
{
    return word >= 0x1220 && word < 0x1240;
}

/* What the guide defines and llvm does not know, or shows as registers: mspdebug has the word for these. */
static bool is_llvm_gap(uint16_t word)
{
    int operation = word >> 12, from = word >> 8 & 15, mode = word >> 4 & 3, to = word & 15;

    if (operation >= 4) /* @PC; MOV @Rn+ to memory; X(R3) as destination */
        return (mode == 2 && from == 0) || (operation == 4 && mode == 3 && word & 0x80) || (word & 0x80 && to == 3);
    if (word >= 0x1000 &&
        word < 0x1280) /* constants and @PC+ as operands of one-operand instructions; PUSH of memory */
        return (mode >= 1 && (to == 0 || to == 2 || to == 3)) || (word >= 0x1200 && mode >= 1) || word == 0x1203 ||
               word == 0x1243;
    return word >= 0x1280 && word < 0x12c0 && (mode >= 1 || to == 3) && (to == 0 || to == 2 || to == 3);
}

static long llvm_number(long number, bool relative, uint32_t address)
{
    if (relative)
        return (long)address + number;
    return number + (long)address + (number == EXTENSION_2 ? 4 : 2);
}

static uint8_t *all_words(void)
{
    uint8_t *bytes = malloc(65536 * SLOT);
    assert_non_null(bytes);
    for (uint32_t word = 0; word < 65536; word++) {
        uint16_t words[] = { (uint16_t)(llvm_crashes(word) ? NOP : word), EXTENSION_1, EXTENSION_2, NOP };
        put_words(words, 4, bytes + (size_t)word * SLOT);
    }
    return bytes;
}

static FILE *open_llvm(const uint8_t *bytes)
{
    char command[400];
    FILE *file = create("all.bin");
    fwrite(bytes, SLOT, 65536, file);
    fclose(file);
    file = create("all.s");
    fprintf(file, ".section .text,\"ax\",@progbits\n.incbin \"%s/all.bin\"\n", directory);
    fclose(file);
    snprintf(
        command, sizeof command,
        "cd %s && clang-19 --target=msp430-none-elf -c all.s -o all.o && llvm-objdump-19 -d --no-show-raw-insn all.o",
        directory);
    return popen(command, "r");
}

static void test_every_word_against_llvm(void **state)
{
    char line[256], ours[HC_DISASM_TEXT], text[HC_DISASM_TEXT], theirs[HC_DISASM_TEXT];
    unsigned compared = 0, gaps = 0, different = 0, address;
    int start;
    uint8_t *bytes = all_words();
    FILE *llvm = open_llvm(bytes);

    (void)state;
    assert_non_null(llvm);
    while (fgets(line, sizeof line, llvm)) {
        line[strcspn(line, "\n")] = '\0';
        start = 0;
        if (sscanf(line, " %x: %n", &address, &start) != 1 || !start || address % SLOT)
            continue;
        hc_msp430_disassemble(HC_CPU_MSP430, bytes + address, SLOT, address & 0xffff, NULL, NULL, text);
        uint16_t word = (uint16_t)(address / SLOT);
        bool we_know = strncmp(text, ".word", 5) != 0, they_know = !strstr(line, "<unknown>");
        compared++;
        if (we_know && is_llvm_gap(word)) {
            gaps++;
            continue;
        }
        common_form(text, address & 0xffff, NULL, 0xffff, ours, sizeof ours);
        common_form(line + start, address & 0xffff, llvm_number, 0xffff, theirs, sizeof theirs);
        if (we_know != they_know || (we_know && strcmp(ours, theirs) != 0)) {
            if (different++ < 40)
                print_message("%04x: ours %s, theirs %s (%s)\n", word, ours, theirs, line + start);
        }
    }
    assert_int_equal(pclose(llvm), 0);
    free(bytes);
    print_message("%u words compared, %u of them left to mspdebug\n", compared, gaps);
    assert_int_equal(different, 0);
    assert_int_equal(compared, 65536);
}

/* ---- mspdebug ---- */

enum { FIRST = 0x1000, SLOTS = (0x10000 - FIRST) / SLOT };

/* Words of one slot, chosen by whoever fills it. */
typedef void fill_fn(uint32_t slot, uint16_t words[4]);

/* Of an instruction after an extension word: no widths on one-operand ones; no carry as zero; constants are not
 * repeated; symbolic addresses are cut to 16 bits. */
static bool is_mspdebug_extended_fault(uint16_t prefix, uint16_t word)
{
    int from = word >> 8 & 15, mode = word >> 4 & 3;
    bool constant = from == 3 || (from == 2 && mode >= 2), to_memory = word & 0x80;

    if (word < 0x4000)
        return true;
    if ((mode == 0 || constant) && !to_memory)
        return prefix & 0x100 || constant;
    return (from == 0 && mode == 1) || (to_memory && (word & 15) == 0);
}

/* What mspdebug gets wrong, by the guide; the table has these. */
static bool is_mspdebug_fault(const uint16_t words[4])
{
    uint16_t word = words[0];
    int from = word >> 8 & 15, form = word >> 4 & 15;

    if (word < 0x1000) /* constants where there are none; MOVA &EDE shown as #EDE; MOVA @SP+ as POPX.A */
        return from == 2 || from == 3 || form == 2 || (form == 1 && from == 1);
    if (word < 0x1300) /* no .B on one-operand instructions; their symbolic mode is two bytes off;
                          R3 as destination */
        return word & 0x40 || (word & 0x3f) == 0x10 || (word & 0x3f) == 0x03;
    if (word >= 0x1800 && word < 0x2000)
        return is_mspdebug_extended_fault(word, words[1]);
    if (word >= 0x1340 && word < 0x1380) /* constants in CALLA */
        return (word & 15) == 2 || (word & 15) == 3;
    return (word & 0xfff0) == 0x1390 ||       /* CALLA of a symbolic address: not relative to the PC */
           (word >= 0x1600 && word < 0x1800); /* POPM's register is the lowest, in the guide's syntax the highest */
}

static FILE *open_mspdebug(const uint8_t *bytes)
{
    char command[400];
    FILE *file = create("slots.txt");
    fprintf(file, "@%x\n", FIRST);
    for (size_t i = 0; i < (size_t)SLOTS * SLOT; i++)
        fprintf(file, "%02X%c", bytes[i], i % 16 == 15 ? '\n' : ' ');
    fprintf(file, "q\n");
    fclose(file);
    snprintf(command, sizeof command, "cd %s && mspdebug -q sim 'prog slots.txt' 'dis 0x%x %d' 2>&1", directory, FIRST,
             SLOTS * SLOT);
    return popen(command, "r");
}

/* Fills memory with slots FROM.. and compares each; returns how many differ. */
static unsigned compare_slots(fill_fn *fill, uint32_t from, unsigned *compared)
{
    static const char after_bytes[] = "00000: 00 00 00 00 00 00 00 00 ";
    char line[256], ours[HC_DISASM_TEXT], theirs[HC_DISASM_TEXT], text[HC_DISASM_TEXT];
    uint16_t words[4];
    unsigned address, different = 0;
    uint8_t *bytes = malloc((size_t)SLOTS * SLOT);

    assert_non_null(bytes);
    for (uint32_t n = 0; n < SLOTS; n++) {
        fill(from + n, words);
        put_words(words, 4, bytes + (size_t)n * SLOT);
    }
    FILE *mspdebug = open_mspdebug(bytes);
    assert_non_null(mspdebug);
    while (fgets(line, sizeof line, mspdebug)) {
        line[strcspn(line, "\n")] = '\0';
        char *start = line + strspn(line, " ");
        if (strlen(start) < sizeof after_bytes || start[5] != ':' || start[6] != ' ')
            continue;
        address = (unsigned)strtoul(start, NULL, 16);
        if (address < FIRST || address % SLOT)
            continue;
        fill(from + (address - FIRST) / SLOT, words);
        hc_msp430_disassemble(HC_CPU_MSP430X, bytes + address - FIRST, SLOT, address, NULL, NULL, text);
        common_form(text, address, NULL, 0xfffff, ours, sizeof ours);
        common_form(start + sizeof after_bytes - 1, address, NULL, 0xfffff, theirs, sizeof theirs);
        ++*compared;
        /* It makes something of most undefined words, too. */
        if (strncmp(text, ".word", 5) != 0 && strcmp(ours, theirs) != 0 && !is_mspdebug_fault(words) &&
            different++ < 40)
            print_message("%04x %04x: ours %s, theirs %s (%s)\n", words[0], words[1], ours, theirs, start);
    }
    assert_int_equal(pclose(mspdebug), 0);
    free(bytes);
    return different;
}

static void fill_plain(uint32_t slot, uint16_t words[4])
{
    const uint16_t fill[4] = { (uint16_t)slot, EXTENSION_1, EXTENSION_2, NOP };
    memcpy(words, fill, sizeof fill);
}

/* An extension word and an instruction that it may stand before, by a hash of the slot's number. */
static void fill_extended(uint32_t slot, uint16_t words[4])
{
    uint32_t hash = (slot + 1) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    hash ^= hash >> 13;
    uint16_t word = (uint16_t)(hash >> 16);
    if (word < 0x4000)
        word = (uint16_t)(0x1000 + word % 0x280);
    const uint16_t fill[4] = { (uint16_t)(0x1800 | (hash & 0x7cf)), word, EXTENSION_1, EXTENSION_2 };
    memcpy(words, fill, sizeof fill);
}

static void test_extended_against_mspdebug(void **state)
{
    enum { ROUNDS = 12 };
    unsigned compared = 0, different = 0;
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++)
        different += compare_slots(fill_extended, round * SLOTS, &compared);
    assert_int_equal(different, 0);
    assert_int_equal(compared, ROUNDS * SLOTS);
}

static void test_every_word_against_mspdebug(void **state)
{
    unsigned compared = 0, different = 0;
    (void)state;
    for (uint32_t from = 0; from < 65536; from += SLOTS)
        different += compare_slots(fill_plain, from, &compared);
    assert_int_equal(different, 0);
    assert_true(compared >= 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_every_word_against_llvm),
        cmocka_unit_test(test_every_word_against_mspdebug),
        cmocka_unit_test(test_extended_against_mspdebug),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
