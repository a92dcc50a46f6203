/* Every part that the tools know: its machine and its description must agree, and its memory be that of the datasheet.
 */
#include "registers/regs.h"
#include "target/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct hc_region *region_at(const struct hc_part *part, uint32_t address)
{
    for (const struct hc_region *r = part->regions; r->name; r++)
        if (address >= r->start && address <= r->end)
            return r;
    return NULL;
}

/* TI SLAS368, SLAS704, SLASE54, SLAS541: first and last address of RAM, and of the memory that programs are in. */
static const struct {
    const char *part;
    uint32_t ram, ram_end, code, code_end;
    int vectors;
} datasheets[] = {
    { "msp430f1611", 0x1100, 0x38ff, 0x4000, 0xffff, 16 },
    { "msp430fr5969", 0x1c00, 0x23ff, 0x4400, 0x13fff, 64 },
    { "msp430fr5994", 0x1c00, 0x3bff, 0x4000, 0x43fff, 64 },
    { "msp430f2617", 0x1100, 0x30ff, 0x3100, 0x19fff, 32 },
};

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof datasheets / sizeof *datasheets; i++) {
        const struct hc_target_part *part = hc_target_part(datasheets[i].part);
        assert_non_null(part);
        const struct hc_region *ram = region_at(part->machine, datasheets[i].ram);
        const struct hc_region *code = region_at(part->machine, datasheets[i].code);
        assert_true(ram && ram->kind == HC_RAM && code && code->kind != HC_RAM);
        assert_int_equal(ram->start, datasheets[i].ram);
        assert_int_equal(ram->end, datasheets[i].ram_end);
        assert_int_equal(code->start, datasheets[i].code);
        assert_int_equal(code->end, datasheets[i].code_end);
        assert_int_equal(part->machine->vectors, datasheets[i].vectors);
    }
    assert_null(hc_target_part("msp430x9999"));
}

static void test_descriptions(void **state)
{
    (void)state;
    for (const struct hc_target_part *part = hc_target_msp430.parts; part->name; part++) {
        struct hc_regs_message message;
        struct hc_regs *regs;
        if (hc_regs_load_part(&regs, part->name, &message))
            fail_msg("%s", message.text);
        assert_string_equal(regs->part, part->machine->name);
        assert_ptr_equal(hc_target_of_cpu(regs->cpu), &hc_target_msp430);
        assert_int_equal(regs->msp430x, part->machine->cpu == HC_CPU_MSP430X);
        assert_int_equal(region_at(part->machine, 0)->end + 1, regs->peripherals_end);
        assert_true(region_at(part->machine, regs->ram.start)->kind == HC_RAM &&
                    region_at(part->machine, regs->ram.end)->kind == HC_RAM);
        hc_regs_free(regs);
    }
}

/* A program runs in the machine of each: it multiplies in memory and jumps to itself. */
static void test_machines(void **state)
{
    (void)state;
    for (const struct hc_target_part *part = hc_target_msp430.parts; part->name; part++) {
        static const uint16_t code[] = { 0x40b2, 0x0007, 0x0130, 0x40b2, 0x0006, 0x0138, 0x4215, 0x013a, 0x3fff };
        struct hc_machine *m = hc_machine_new(part->machine, NULL);
        assert_non_null(m);
        part->add_multiplier(m);
        for (size_t i = 0; i < sizeof code / sizeof *code; i++)
            assert_true(hc_poke16(m, 0x4400 + 2 * (uint32_t)i, code[i]));
        hc_poke16(m, part->machine->vectors_end - 2, 0x4400);
        hc_machine_set_lenient(m, true);
        hc_machine_reset(m, HC_POR);
        hc_machine_step(m, 3, HC_NEVER);
        const struct hc_target_cpu *cpu = hc_target_of_machine(m)->cpu;
        assert_true(cpu->is_halt(m, hc_register(m, HC_PC)));
        if (part->dump_gap == 1) /* the multiplier is at 0x130 */
            assert_int_equal(hc_register(m, 5), 42);
        hc_machine_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_memory), cmocka_unit_test(test_descriptions),
                                        cmocka_unit_test(test_machines) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
