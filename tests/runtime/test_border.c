/* Nothing of the recorder can be seen by the program: registers, flags and stack are what they would be without it,
 * with an interrupt at every instruction of every entry point. And what the entry points cost. */
#include "runtime/meter.h"
#include "runtime/recording.h"

#include "../../runtime/link.h"
#include "layout.h"
#include "link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TBCCTL0 = 0x0182, CCIFG = 0x0001, SR_KEPT = 0x01ff };

struct state {
    uint32_t registers[HC_REGISTERS];
};

static struct state look(struct harness *h)
{
    struct state s;
    for (int i = 0; i < HC_REGISTERS; i++)
        s.registers[i] = hc_register(h->machine, i);
    return s;
}

/* The program as it is about to enter NAME, after SPAN. */
static struct hc_snapshot *enter(struct harness *h, const char *name, hc_time span)
{
    recording_start(h, "recorded");
    harness_run(h, span);
    do { /* not from a handler */
        hc_machine_step(h->machine, 1, HC_NEVER);
        harness_run_to(h, name, hc_now(h->machine) + hc_ms(2000));
    } while (!(hc_register(h->machine, HC_SR) & HC_SR_GIE));
    return hc_snapshot_take(h->machine);
}

static void check_registers(const char *what, int at, const struct state *a, const struct state *b, uint32_t except)
{
    for (int i = 0; i < HC_REGISTERS; i++)
        if (!(except >> i & 1) && i != 3 && a->registers[i] != b->registers[i])
            fail_msg("%s, interrupt after %d instructions: r%d is 0x%04x, was 0x%04x", what, at, i, b->registers[i],
                     a->registers[i]);
}

/* ---- what a handler finds ---- */

struct handler {
    struct harness *h;
    struct state before; /* at the entry point */
    uint32_t resume;
    int calls;
};

/* The first instruction of the program's handler, for an interrupt in the recorder: the frame says hc_update, registers
 * are the program's. */
static enum hc_action in_handler(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct handler *t = owner;
    uint32_t sp = hc_register(m, HC_SP);
    (void)pc;
    t->calls++;
    assert_int_equal(hc_register(m, HC_SR), 0);
    if (hc_peek16(m, sp + 2) != t->resume)
        return HC_CONTINUE;
    assert_int_equal(sp, t->before.registers[HC_SP] - 6); /* the SR that hc_update pushed, and the frame */
    assert_int_equal(hc_peek16(m, sp), hc_peek16(m, sp + 4));
    for (int i = 4; i < HC_REGISTERS; i++)
        assert_int_equal(hc_register(m, i), t->before.registers[i]);
    return HC_CONTINUE;
}

/* Runs from the snapshot to the return of NAME, with an interrupt after AT instructions (-1: none). */
static struct state run_through(struct harness *h, const struct hc_snapshot *s, int at)
{
    hc_snapshot_restore(h->machine, s);
    uint32_t sp = hc_register(h->machine, HC_SP);
    uint32_t back = hc_peek16(h->machine, sp);
    if (at >= 0) {
        hc_machine_step(h->machine, (uint64_t)at, HC_NEVER);
        hc_bus_write(h->machine, TBCCTL0, (uint16_t)(hc_peek16(h->machine, TBCCTL0) | CCIFG), 2);
    }
    for (int n = 0; n < 2000000; n++) {
        if (hc_register(h->machine, HC_PC) == back && hc_register(h->machine, HC_SP) == sp + 2)
            return look(h);
        hc_machine_step(h->machine, 1, HC_NEVER);
    }
    fail_msg("did not return");
    abort();
}

static int length(struct harness *h, const struct hc_snapshot *s)
{
    struct hc_statistics a, b;
    hc_snapshot_restore(h->machine, s);
    hc_machine_statistics(h->machine, &a);
    run_through(h, s, -1);
    hc_machine_statistics(h->machine, &b);
    return (int)(b.instructions - a.instructions);
}

/* An interrupt after every instruction of a call of NAME (every STEP-th, if it is long). */
static void interrupt_everywhere(const char *name, hc_time span, int step, uint32_t except)
{
    struct harness h;
    struct hc_snapshot *s = enter(&h, name, span);
    struct handler t = { .h = &h, .resume = harness_address(&h, "__hc_update_resume") };
    hc_hook_pc(h.machine, harness_address(&h, "compare"), in_handler, &t);
    struct state before = t.before = look(&h);
    int n = length(&h, s);
    struct state plain = run_through(&h, s, -1);
    check_registers(name, -1, &before, &plain, except | 1 << HC_PC | 1 << HC_SP | 1 << HC_SR);
    t.calls = 0;
    for (int at = 0; at < n; at += step) {
        struct state after = run_through(&h, s, at);
        check_registers(name, at, &plain, &after, except);
    }
    assert_true(t.calls > 0);
    print_message("%s: interrupted at %d places of %d\n", name, (n + step - 1) / step, n);
    hc_snapshot_free(s);
    harness_stop(&h);
}

static void test_read(void **unused)
{
    (void)unused;
    interrupt_everywhere("__hc_read", hc_ms(100), 1, 1 << 12);
}

static void test_read_via(void **unused)
{
    (void)unused;
    interrupt_everywhere("__hc_read_via", hc_ms(100), 1, 1 << 12);
}

static void test_update(void **unused)
{
    (void)unused;
    interrupt_everywhere("hc_update", hc_ms(0), 97, 0);  /* opens the log */
    interrupt_everywhere("hc_update", hc_ms(150), 1, 0); /* nothing to do, or little */
    for (int i = 0; i < 10; i++)
        interrupt_everywhere("hc_update", hc_ms(300 + (uint64_t)i * 7), 41, 0);
}

/* ---- cost ---- */

static uint64_t cycles_of(struct harness *h, const struct hc_snapshot *s)
{
    struct hc_statistics a, b;
    hc_snapshot_restore(h->machine, s);
    hc_machine_statistics(h->machine, &a);
    run_through(h, s, -1);
    hc_machine_statistics(h->machine, &b);
    return b.cycles - a.cycles;
}

/* As documented in runtime/README.md. */
enum { READ_BOUND = 94, VIA_BOUND = 82, INTERRUPT_BOUND = 207, IDLE_BOUND = 70 };

/* Cycles from the entry point to the end of the cut, over a run with all kinds of events, positions with and without a
 * hash. */
static void test_cost(void **unused)
{
    (void)unused;
    struct harness h;
    struct meter_border border;
    recording_start(&h, "recorded");
    uint32_t hashed = harness_address(&h, "__hc_link") + HC_LINK_HASHED;
    for (uint32_t i = 0; i < 32; i++)
        hc_poke(h.machine, hashed + i, 0xff);
    assert_true(meter_border(&border, h.machine, h.image));
    meter_exactly(h.machine);
    harness_finish(&h, hc_ms(20000));
    harness_stop(&h);
    uint64_t interrupt = meter_interrupt(&border);
    hc_snapshot_free(enter(&h, "hc_update", hc_ms(300)));
    uint32_t ram = harness_address(&h, "__hc_ram");
    hc_poke16(h.machine, ram + HC_RAM_ROOM, HC_RING - 4); /* as if the ring were empty */
    hc_poke(h.machine, ram + HC_RAM_WORK, 0);
    struct hc_snapshot *s = hc_snapshot_take(h.machine);
    uint64_t idle = cycles_of(&h, s);
    hc_snapshot_free(s);
    harness_stop(&h);
    print_message("cycles at most: read %u, read through a pointer %u, interrupt %u; update with nothing to do %u\n",
                  (unsigned)border.read.most, (unsigned)border.via.most, (unsigned)interrupt, (unsigned)idle);
    assert_in_range(border.read.most, 1, READ_BOUND);
    assert_in_range(border.via.most, 1, VIA_BOUND);
    assert_in_range(interrupt, 1, INTERRUPT_BOUND);
    assert_in_range(idle, 1, IDLE_BOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_via),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
