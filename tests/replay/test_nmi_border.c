/* test_nmi_border ELF: non-maskable interrupts at every instruction of the recorder's way in and out. They push two
 * words wherever the stack pointer points: what the recorder knows and what it gives back to the program must not be
 * there. */
#include "machine/board/telosb.h"
#include "machine/device/msp430x1xx/sfr.h"
#include "support/harness.h"

#include "layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OFIE = 0x02, PLACES = 20, STEPS_MAX = 200000 };

static const char *elf;

struct seen {
    uint32_t registers[HC_REGISTERS];
    uint8_t ram[HC_RAM_RING]; /* what is shared with the program's side */
};

static struct seen look(const struct harness *h)
{
    struct seen s;
    uint32_t ram = harness_address(h, "__hc_ram");
    for (int i = 0; i < HC_REGISTERS; i++)
        s.registers[i] = hc_register(h->machine, i);
    for (uint32_t i = 0; i < sizeof s.ram; i++)
        s.ram[i] = hc_peek(h->machine, ram + i);
    return s;
}

static void check_word(const char *what, int at, const struct seen *a, const struct seen *b, uint32_t offset)
{
    if (memcmp(a->ram + offset, b->ram + offset, 2) != 0)
        fail_msg("%s, NMI after %d instructions: the word at %u of the recorder's RAM is 0x%02x%02x, was 0x%02x%02x",
                 what, at, offset, b->ram[offset + 1], b->ram[offset], a->ram[offset + 1], a->ram[offset]);
}

/* Runs up to END, as deep in the stack as SP says (0: anywhere); how many instructions that took. */
static int run_up_to(struct harness *h, uint32_t end, uint32_t sp)
{
    for (int n = 0; n < STEPS_MAX; n++) {
        if (hc_register(h->machine, HC_PC) == end && (!sp || hc_register(h->machine, HC_SP) == sp))
            return n;
        hc_machine_step(h->machine, 1, HC_NEVER);
    }
    fail_msg("the recorder's way in or out does not end");
    abort();
}

/* From the snapshot to END, with an NMI after AT instructions. */
static struct seen run_with_nmi(struct harness *h, const struct hc_snapshot *s, int at, uint32_t end, uint32_t sp)
{
    hc_snapshot_restore(h->machine, s);
    hc_machine_step(h->machine, (uint64_t)at, HC_NEVER);
    hc_sfr_change(h->board->chip.sfr, HC_IFG1, HC_OFIFG, 0);
    hc_machine_step(h->machine, 1, HC_NEVER);
    run_up_to(h, end, sp);
    return look(h);
}

static bool has_enabled(const struct harness *h)
{
    return hc_sfr_get(h->board->chip.sfr, HC_IE1) & OFIE;
}

/* Interrupts everything from FROM to TO, at several moments of a run. GIVES_BACK: then registers are the program's, and
 * the interrupt that had to wait has come; else all that the recorder knows is as it was, but for the wait. */
static void interrupt_way(const char *from, const char *to, bool gives_back)
{
    struct harness h = { .board = hc_telosb_new(&(struct hc_telosb_config){ .node_id = 1 }, NULL) };
    h.machine = h.board->machine;
    h.image = harness_fill(h.machine, elf);
    hc_machine_reset(h.machine, HC_POR);
    harness_run(&h, hc_ms(100));
    uint32_t end = harness_address(&h, to);
    int interrupted = 0;
    for (int place = 0; place < PLACES; place++) {
        harness_run(&h, hc_us(7013));
        harness_run_to(&h, from, hc_now(h.machine) + hc_ms(3000));
        if (!has_enabled(&h))
            continue;
        struct hc_snapshot *s = hc_snapshot_take(h.machine);
        int n = run_up_to(&h, end, 0);
        struct seen plain = look(&h);
        for (int at = 0; at < n - 1; at++, interrupted++) {
            struct seen now = run_with_nmi(&h, s, at, end, plain.registers[HC_SP]);
            check_word(from, at, &plain, &now, HC_RAM_CLOCK);
            for (uint32_t i = HC_RAM_TOP; !gives_back && i < HC_RAM_LATER; i += 2)
                check_word(from, at, &plain, &now, i);
            for (int i = 4; gives_back && i < HC_REGISTERS; i++)
                if (now.registers[i] != plain.registers[i])
                    fail_msg("%s, NMI after %d instructions: r%d is 0x%04x, was 0x%04x", from, at, i, now.registers[i],
                             plain.registers[i]);
        }
        hc_snapshot_restore(h.machine, s);
        hc_snapshot_free(s);
    }
    print_message("%s: NMIs at %d places\n", from, interrupted);
    assert_true(interrupted > 200);
    harness_stop(&h);
}

static void test_in(void **unused)
{
    (void)unused;
    interrupt_way("enter_recorder", "__hc_record_update", false);
}

static void test_out(void **unused)
{
    (void)unused;
    interrupt_way("rest_of_program", "__hc_cut_update_end", true);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in),
        cmocka_unit_test(test_out),
    };
    if (argc != 2)
        return 2;
    elf = argv[1];
    return cmocka_run_group_tests_name("nmi_border", tests, NULL, NULL);
}
