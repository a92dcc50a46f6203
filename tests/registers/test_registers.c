/* Descriptions of registers against second sources: the headers' lists of names and addresses, and the machine's
 * devices, which must read back what the description predicts. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "machine/machine.h"
#include "registers/regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hc_regs *load_part(const char *part)
{
    struct hc_regs_message message = { "" };
    struct hc_regs *regs;

    if (hc_regs_load_part(&regs, part, &message))
        fail_msg("%s", message.text);
    return regs;
}

/* ---- the headers ---- */

/* Every name that the linker's list gives must be in the description, at that address, and each register of the
 * description must be in the list. */
static void check_against_list(const char *part)
{
    struct hc_regs *regs = load_part(part);
    char path[200], line[200], name[100];
    unsigned address;
    int missing = 0, known = 0;
    bool *listed = calloc(regs->count, sizeof *listed);

    snprintf(path, sizeof path, "/usr/msp430/lib/ldscripts/%s/periph.x", part);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: Debian's msp430mcu is not installed (tools/install-deps)", path);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, " __%99[A-Za-z0-9_] = 0x%x", name, &address) != 2 || address >= regs->peripherals_end)
            continue;
        uint32_t described;
        bool found = hc_regs_locate(regs, name, &described);
        if (found && described == address) {
            listed[hc_regs_at(regs, address) - regs->reg] = true;
            known++;
        } else {
            print_error("%s: %s at 0x%04x is %s\n", part, name, address, found ? "elsewhere" : "not described");
            missing++;
        }
    }
    fclose(file);
    for (size_t i = 0; i < regs->count; i++)
        if (!listed[i]) {
            print_error("%s: %s at 0x%04x is in no header\n", part, regs->reg[i].name, (unsigned)regs->reg[i].address);
            missing++;
        }
    free(listed);
    hc_regs_free(regs);
    assert_true(known > 100);
    assert_int_equal(missing, 0);
}

static void parts_have_the_headers_registers(void **state)
{
    (void)state;
    check_against_list("msp430f1611");
    check_against_list("msp430fr5969");
}

/* ---- the machine ---- */

enum { STEPS = 10000, ROUNDS = 200, WATCHDOG_OFF = 0x5a80 };

struct bench {
    struct hc_regs *regs;
    struct hc_regfile *file;
    struct hc_telosb *telosb; /* or */
    struct hc_launchpad *launchpad;
    uint16_t program;
    struct hc_machine *m;
    uint64_t random;
    int interrupts;
    char after[80], why[240];
};

static uint32_t draw(struct bench *b)
{
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    b->random ^= b->random << 17;
    return (uint32_t)(b->random >> 16);
}

/* Kept bits that no reset defines are whatever they are: as a recorder dumps them at boot. */
static void dump(struct bench *b)
{
    struct hc_regs_dump range[64];
    size_t count = hc_regs_dump(b->regs, range, 64);

    for (size_t i = 0; i < count; i++)
        for (uint32_t a = range[i].start; a <= range[i].end; a += range[i].width)
            hc_regfile_restore(b->file, a, hc_bus_read(b->m, a, range[i].width), range[i].width);
}

static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct bench *b = owner;

    (void)m;
    (void)pc;
    b->interrupts++;
    hc_regfile_interrupt(b->file, vector);
}

/* An idle program: jumps to itself with interrupts off; NMIs return. */
static void load_program(struct bench *b, uint16_t start)
{
    hc_poke16(b->m, start, 0x3fff);
    hc_poke16(b->m, start + 2u, 0x1300);
    hc_poke16(b->m, 0xfffa, start + 2);
    hc_poke16(b->m, 0xfffc, start + 2);
    hc_poke16(b->m, 0xfffe, start);
    b->program = start;
}

static void write_register(struct bench *b, const struct hc_reg *reg, uint32_t value)
{
    for (int i = 0; i < reg->size; i += 2)
        hc_bus_write(b->m, reg->address + (uint32_t)i, (uint16_t)(value >> 8 * i), reg->size == 1 ? 1 : 2);
    for (int i = 0; i < reg->size; i += 2)
        hc_regfile_write(b->file, reg->address + (uint32_t)i, value >> 8 * i & 0xffff, reg->size == 1 ? 1 : 2);
}

static uint32_t read_register(struct bench *b, const struct hc_reg *reg)
{
    uint32_t value = hc_bus_read(b->m, reg->address, reg->size == 1 ? 1 : 2);

    return reg->size == 4 ? value | (uint32_t)hc_bus_read(b->m, reg->address + 2, 2) << 16 : value;
}

/* REGS become the bench's; they say which board. */
static void start(struct bench *b, struct hc_regs *regs, unsigned seed)
{
    *b = (struct bench){ .random = 0x9e3779b97f4a7c15u * seed, .regs = regs, .after = "reset" };
    b->file = hc_regfile_new(b->regs);
    if (regs->msp430x) {
        b->launchpad = hc_launchpad_new_part(hc_launchpad_part(regs->part), NULL);
        b->m = b->launchpad->machine;
    } else {
        b->telosb = hc_telosb_new(NULL, NULL);
        b->m = b->telosb->machine;
    }
    load_program(b, 0x4400);
    hc_machine_reset(b->m, HC_POR);
    hc_regfile_reset(b->file, true);
    hc_hook_interrupt(b->m, interrupted, b);
    hc_set_register(b->m, HC_SP, regs->ram.end + 1);
    write_register(b, hc_regs_named(regs, "WDTCTL"), WATCHDOG_OFF);
}

static void stop(struct bench *b)
{
    hc_regfile_free(b->file);
    hc_regs_free(b->regs);
    if (b->launchpad)
        hc_launchpad_free(b->launchpad);
    if (b->telosb)
        hc_telosb_free(b->telosb);
}

/* Reads REG as software does; false, and why, when the description says something else. */
static bool agrees(struct bench *b, const struct hc_reg *reg, const char *after)
{
    uint32_t told = hc_regfile_known(b->file, reg->address, reg->size);
    uint32_t expected = hc_regfile_read(b->file, reg->address, reg->size);
    uint32_t seen = read_register(b, reg);

    snprintf(b->why, sizeof b->why, "%s reads 0x%04x, the description says 0x%04x (bits 0x%04x) after %s", reg->name,
             (unsigned)seen, (unsigned)expected, (unsigned)told, after);
    return !((expected ^ seen) & told);
}

static void check_resets(const char *part)
{
    struct bench b;

    start(&b, load_part(part), 1);
    for (size_t i = 0; i < b.regs->count; i++) {
        const struct hc_reg *reg = &b.regs->reg[i];
        uint32_t reset = reg->por_mask | reg->puc_mask, seen = read_register(&b, reg);
        if (!reg->multiplier && ((hc_regfile_peek(b.file, reg->address, reg->size) ^ seen) & reset))
            fail_msg("%s: %s is 0x%04x after power-on", part, reg->name, (unsigned)seen);
    }
    stop(&b);
}

static void resets_as_described(void **state)
{
    (void)state;
    check_resets("msp430f1611");
    check_resets("msp430fr5969");
    check_resets("msp430fr5994");
}

/* A write that real firmware might make; not one that resets the part, stops its clocks or erases its
 * flash. */
static uint32_t firmware_value(const struct hc_reg *reg, uint32_t value)
{
    static const struct {
        const char *name;
        uint32_t keep, set;
    } rules[] = {
        { "WDTCTL", 0x005f, WATCHDOG_OFF }, /* held; the pin stays RST */
        { "FCTL", 0x00df, 0xa500 },         /* no emergency exit */
        { "BCSCTL2", 0x003e, 0 },           /* MCLK and SMCLK from the DCO, without a resistor */
        { "SVSCTL", 0x0006, 0 },            /* no POR */
        { "DMA0CTL", 0xffef, 0 },           /* transfers would go anywhere */
        { "DMA1CTL", 0xffef, 0 },
        { "DMA2CTL", 0xffef, 0 },
        { "PMMCTL0", 0x00e3, 0xa500 }, /* no software reset, no LPMx.5 */
        { "CSCTL0", 0, 0xa500 },
        { "CSCTL1", 0x000e, 0 }, /* 8 MHz, for which FRAM needs no wait states */
        { "FRCTL0", 0x00ff, 0xa500 },
        { "MPUCTL0", 0x0010, 0xa500 }, /* nothing is protected */
        { "SFRRPCR", 0x000e, 0 },
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strncmp(reg->name, rules[i].name, strlen(rules[i].name)))
            return (value & rules[i].keep) | rules[i].set;
    return value;
}

static bool step(struct bench *b, int number)
{
    const struct hc_reg *reg = &b->regs->reg[draw(b) % b->regs->count];
    uint32_t kind = draw(b) % 8, value = draw(b);

    if (kind == 7)
        hc_machine_run(b->m, hc_now(b->m) + hc_us(value % 2000));
    else if (reg->multiplier || (kind < 3 && reg->class == HC_SITE_VECTOR))
        return true;
    else if (kind >= 3)
        return agrees(b, reg, b->after);
    else {
        value = firmware_value(reg, reg->size == 1 ? value & 0xff : reg->size == 2 ? value & 0xffff : value);
        snprintf(b->after, sizeof b->after, "step %d: writing 0x%04x to %s", number, (unsigned)value, reg->name);
        write_register(b, reg, value);
    }
    return true;
}

static bool agrees_for(struct bench *b, int steps)
{
    dump(b);
    for (int i = 0; i < steps; i++)
        if (!step(b, i))
            return false;
    assert_in_range(hc_register(b->m, HC_PC), b->program, b->program + 2u); /* or in the handler */
    return true;
}

static void check_reads(const char *part)
{
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        struct bench b;

        start(&b, load_part(part), seed);
        if (!agrees_for(&b, STEPS))
            fail_msg("%s, seed %u: %s", part, seed, b.why);
        stop(&b);
    }
}

static void f1611_reads_back_as_described(void **state)
{
    (void)state;
    check_reads("msp430f1611");
}

static void fr5969_reads_back_as_described(void **state)
{
    (void)state;
    check_reads("msp430fr5969");
}

static void fr5994_reads_back_as_described(void **state)
{
    (void)state;
    check_reads("msp430fr5994");
}

/* ---- the FR5994, of which msp430mcu has no list ---- */

/* Modules that the machine does not have, by their first and last address: TI SLASE54. */
static const struct {
    const char *name;
    uint32_t first, last;
} left_out[] = {
    { "RAM controller", 0x0158, 0x0159 }, { "CapTouch I/O 0", 0x043e, 0x043f },   { "CapTouch I/O 1", 0x047e, 0x047f },
    { "RTC_C", 0x04a0, 0x04bf },          { "DMA channels 3-5", 0x0540, 0x056b }, { "COMP_E", 0x08c0, 0x08cf },
    { "CRC32", 0x0980, 0x09af },          { "AES256", 0x09c0, 0x09cf },           { "LEA", 0x0a80, 0x0aff },
};

static bool is_left_out(uint32_t address)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (address >= left_out[i].first && address <= left_out[i].last)
            return true;
    return false;
}

static void count_note(void *owner, const char *text)
{
    (void)text;
    ++*(int *)owner;
}

/* The machine answers exactly where the description has a register, apart from the modules that it does not have. */
static void fr5994_has_the_registers_of_the_machine(void **state)
{
    struct bench b;
    int notes = 0, wrong = 0;

    (void)state;
    start(&b, load_part("msp430fr5994"), 1);
    hc_machine_set_note(b.m, count_note, &notes);
    for (uint32_t address = 0; address < b.regs->peripherals_end; address += 2) {
        notes = 0;
        hc_bus_read(b.m, address, 2);
        const struct hc_reg *reg = hc_regs_at(b.regs, address);
        if (is_left_out(address) ? notes == 0 : (notes == 0) != (reg != NULL)) {
            print_error("0x%04x (%s) is %s\n", (unsigned)address, reg ? reg->name : "not described",
                        notes ? "unknown to the machine" : "known to the machine");
            wrong++;
        }
    }
    stop(&b);
    assert_int_equal(wrong, 0);
}

/* What both parts have is at the same address; msp430mcu's list of the FR5969 has these from a draft of its header. */
static void fr5994_agrees_with_the_fr5969(void **state)
{
    static const char *const draft[] = { "DS", "SELC", "PMMCTL1", "SYSBSLC", "SYSBERRIV", "RTCCTL", "CAPSIO" };
    struct hc_regs *small = load_part("msp430fr5969"), *large = load_part("msp430fr5994");
    size_t same = 0;

    (void)state;
    for (size_t i = 0; i < small->count; i++) {
        const struct hc_reg *reg = &small->reg[i];
        bool differs = false;
        for (size_t k = 0; k < sizeof draft / sizeof *draft; k++)
            differs = differs || strstr(reg->name, draft[k]);
        uint32_t address;
        if (differs)
            continue;
        const struct hc_reg *other = hc_regs_at(large, reg->address);
        if (!other || other->address != reg->address || other->size != reg->size)
            fail_msg("%s at 0x%04x is not described", reg->name, (unsigned)reg->address);
        if (strncmp(reg->name, "CB", 2) != 0 &&
            (!hc_regs_locate(large, reg->name, &address) || address != reg->address))
            fail_msg("%s is elsewhere", reg->name);
        same++;
    }
    assert_true(same > 250);
    hc_regs_free(small);
    hc_regs_free(large);
}

/* The tests of what is read back can fail: they find these errors. */
static const struct {
    const char *right, *wrong;
} errors[] = {
    { "effect write IE2 while U1CTL 0x01=0x01 clear IE2 0x30", "" },
    { "effect interrupt 14 clear IE1 0x32", "" },
    { "lock ADC12MCTL 0x00ff while ADC12CTL0 0x0002=0x0002", "" },
    { "lock DAC12_1CTL 0xfdf0", "lock DAC12_1CTL 0xfdf8" },
    { "state nd=0x05 keep=0xfa puc=0 alias=UTCTL1", "state nd=0x04 keep=0xfb puc=0 alias=UTCTL1" },
    { "keep=0x00f7 reads=0x6900", "keep=0x00ff reads=0x6900" },
    { "keep=0x00f7 reads=0x6900", "keep=0x00f7 reads=0x9600" },
    { "DMACTL1   0x0124 keep=0x0007", "DMACTL1   0x0124 keep=0x000f" },
    { "nd=0x040b keep=0xf9f4", "nd=0x040a keep=0xf9f5" },
    { "nd=0x040b keep=0xf9f4", "nd=0x000b keep=0xfdf4" },
    { "when=TBCCTL[]:0x0100", "when=TBCCTL[]:0x0080" },
    { "byte P5IN      0x0030 state nd=0xff", "byte P5IN      0x0030 keep=0xff" },
};

static struct hc_regs *load_with_error(const char *text, size_t size, const char *right, const char *wrong)
{
    struct hc_regs_message message = { "" };
    static char changed[50000];
    struct hc_regs *regs;
    const char *at = strstr(text, right);

    assert_non_null(at);
    int length = snprintf(changed, sizeof changed, "%.*s%s%.*s", (int)(at - text), text, wrong,
                          (int)(size - (size_t)(at - text) - strlen(right)), at + strlen(right));
    if (hc_regs_load_memory(&regs, "changed.regs", changed, (size_t)length, &message))
        fail_msg("%s", message.text);
    return regs;
}

static void finds_errors(void **state)
{
    static char text[40000];
    FILE *file = fopen(HC_TEST_DEVICES "/msp430f1611.regs", "r");

    (void)state;
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct bench b;
        bool agreed = true;

        for (unsigned seed = 1; agreed && seed <= ROUNDS; seed++) {
            start(&b, load_with_error(text, size, errors[i].right, errors[i].wrong), seed);
            agreed = agrees_for(&b, STEPS);
            stop(&b);
        }
        if (agreed)
            fail_msg("'%s' in place of '%s' was not found", errors[i].wrong, errors[i].right);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_headers_registers), cmocka_unit_test(resets_as_described),
        cmocka_unit_test(f1611_reads_back_as_described),    cmocka_unit_test(fr5969_reads_back_as_described),
        cmocka_unit_test(fr5994_reads_back_as_described),   cmocka_unit_test(fr5994_has_the_registers_of_the_machine),
        cmocka_unit_test(fr5994_agrees_with_the_fr5969),    cmocka_unit_test(finds_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
