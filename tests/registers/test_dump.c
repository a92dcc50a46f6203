/* What a description says that only software changes, checkpoints must hold: a replay that begins with one knows
 * nothing else. PART names the part for which HC_DUMP is. */
#include "registers/regs.h"

#include "../../runtime/port/msp430/part.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int dump[] = { HC_DUMP };

static bool is_held(uint32_t address)
{
    for (size_t i = 0; i < sizeof dump / sizeof *dump; i += 2) {
        uint32_t first = (uint32_t)dump[i], size = first < HC_BYTES_END ? 1 : 2;
        if (address >= first && address < first + size * (uint32_t)dump[i + 1])
            return true;
    }
    return false;
}

/* Products do not wait across checkpoints. Programs that use DMA have the others in their dump (HC_DMA), or are
 * refused. */
static bool is_needed(const struct hc_reg *reg)
{
    bool of_dma = !strncmp(reg->name, "DMA", 3) && !HC_DMA;

    return (reg->kept || reg->when_mask) && !reg->multiplier && !of_dma;
}

static struct hc_regs *load(void)
{
    struct hc_regs *regs;
    struct hc_regs_message message;

    if (hc_regs_load_part(&regs, HC_TEST_DEVICES "/" PART ".regs", &message))
        fail_msg("%s", message.text);
    return regs;
}

static void kept_registers_are_held(void **state)
{
    struct hc_regs *regs = load();

    (void)state;
    for (size_t i = 0; i < regs->count; i++)
        if (is_needed(&regs->reg[i]) && !is_held(regs->reg[i].address))
            fail_msg("%s (0x%04x) is kept, but in no checkpoint", regs->reg[i].name, (unsigned)regs->reg[i].address);
    hc_regs_free(regs);
}

static void reads_have_no_effect(void **state)
{
    struct hc_regs *regs = load();

    (void)state;
    for (size_t i = 0; i < regs->count; i++)
        if (regs->reg[i].read_effect && is_held(regs->reg[i].address))
            fail_msg("%s (0x%04x) must not be read", regs->reg[i].name, (unsigned)regs->reg[i].address);
    hc_regs_free(regs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_registers_are_held),
        cmocka_unit_test(reads_have_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
