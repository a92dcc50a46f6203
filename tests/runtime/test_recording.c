/* A program records to the emulated flash chip: what reaches the codec is what happened, and the log is in order. */
#include "runtime/recording.h"

#include "layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE = 1024 };

/* What happened, waiting for the recorder to hand it to the codec. */
struct seen {
    struct harness *h;
    uint32_t reads, interrupts, asleep;
    uint32_t queue[QUEUE]; /* interrupts: vector << 16 | pc */
    unsigned first, last;
    uint16_t values[QUEUE]; /* reads */
    unsigned first_value, last_value;
};

/* A recorded read returns to the program. */
static enum hc_action returned(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    (void)pc;
    s->values[s->last_value++ % QUEUE] = (uint16_t)hc_register(m, 12);
    return HC_CONTINUE;
}

static enum hc_action on_read(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    (void)pc;
    s->reads++;
    uint16_t value = (uint16_t)hc_register(m, 14), expected = s->values[s->first_value++ % QUEUE];
    if (value != expected)
        fail_msg("read %u: 0x%04x instead of 0x%04x", s->reads, value, expected);
    return HC_CONTINUE;
}

static enum hc_action on_interrupt(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct seen *s = owner;
    uint32_t a = hc_register(m, 13);
    (void)pc;
    s->interrupts++;
    uint32_t expected = s->queue[s->first++ % QUEUE];
    if (hc_peek(m, a) != expected >> 16)
        fail_msg("interrupt %u: vector %d instead of %u", s->interrupts, hc_peek(m, a), expected >> 16);
    if (hc_peek(m, a + 1) & 1)
        s->asleep++;
    else if (hc_peek16(m, a + 2) != (expected & 0xffff))
        fail_msg("interrupt %u: pc 0x%04x instead of 0x%04x", s->interrupts, hc_peek16(m, a + 2), expected & 0xffff);
    return HC_CONTINUE;
}

static void accepted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct seen *s = owner;
    uint32_t ram = harness_address(s->h, "__hc_ram");
    if (hc_peek16(m, ram + 10) & 1) /* in the recorder */
        pc = harness_address(s->h, "__hc_cut_resume");
    s->queue[s->last++ % QUEUE] = (uint32_t)vector << 16 | pc;
}

static void watch(struct seen *s, struct harness *h)
{
    *s = (struct seen){ .h = h };
    hc_hook_pc(h->machine, harness_address(h, "__hc_cut_read_end"), returned, s);
    hc_hook_pc(h->machine, harness_address(h, "__hc_cut_read_via_end"), returned, s);
    hc_hook_pc(h->machine, harness_address(h, "hc_encode_read"), on_read, s);
    hc_hook_pc(h->machine, harness_address(h, "hc_encode_based"), on_read, s);
    hc_hook_pc(h->machine, harness_address(h, "hc_encode_interrupt"), on_interrupt, s);
    hc_hook_interrupt(h->machine, accepted, s);
}

/* Everything that the program read and every interrupt, in order, until all has been encoded. */
static void test_events(void **unused)
{
    (void)unused;
    struct harness h;
    struct seen s;
    recording_start(&h, "recorded");
    watch(&s, &h);
    harness_finish(&h, hc_ms(20000));
    assert_int_equal(harness_get(&h, "rounds", 0), 300);
    harness_run(&h, hc_ms(500));
    assert_int_equal(s.last, s.interrupts + (s.last - s.first));
    assert_true(s.last - s.first < 32 && s.last_value - s.first_value < 64); /* the rest is in the ring */
    assert_true(s.reads > 1000);
    assert_true(s.asleep > 100);
    assert_true(s.interrupts > s.asleep);
    harness_stop(&h);
}

static void test_pages(void **unused)
{
    (void)unused;
    struct harness h;
    int count;
    recording_start(&h, "recorded");
    harness_finish(&h, hc_ms(20000));
    struct recording_page *p = recording_pages(h.board->flash, &count);
    assert_true(count >= 3);
    assert_int_equal(p[0].stream, HC_STREAM_BOOT);
    assert_int_equal(p[0].payload[0], HC_TRACE_VERSION);
    assert_int_equal(p[0].payload[2], 0xb0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(p[i].sequence, i);
        assert_int_equal(p[i].address, i * 256);
        if (i)
            assert_int_equal(p[i].stream, HC_STREAM_MIXED);
    }
    free(p);
    harness_stop(&h);
}

/* How deep the recorder's stack gets, interrupts included. */
struct depth {
    uint32_t bottom, top, lowest, at;
};

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct depth *d = owner;
    uint32_t sp = hc_register(m, HC_SP);
    if (sp <= d->top && sp >= d->bottom && sp < d->lowest) {
        d->lowest = sp;
        d->at = pc;
    }
}

static void test_stack(void **unused)
{
    (void)unused;
    struct harness h;
    recording_start(&h, "recorded");
    uint32_t ram = harness_address(&h, "__hc_ram");
    struct depth d = { ram, ram + HC_RAM_STACK_TOP, ram + HC_RAM_STACK_TOP, 0 };
    harness_set(&h, "limit", 0, 1000);
    hc_hook_retire(h.machine, retired, &d);
    for (int i = 0; i < 40; i++) {
        harness_run(&h, hc_ms(50));
        if (i % 10 == 5)
            harness_set(&h, "wishes", 0, 2);
    }
    print_message("stack: %u of %u bytes, deepest at 0x%04x\n", d.top - d.lowest, HC_STACK, d.at);
    assert_true(d.top - d.lowest <= HC_STACK);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
