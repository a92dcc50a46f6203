/* Logs in the part's own flash and on a wire; power cut at every page that the flash chip programs. */
#include "runtime/recording.h"

#include "../../runtime/link.h"
#include "../../runtime/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Without a gap, from the first one on. */
static void check_numbers(const struct recording_page *p, int count)
{
    for (int i = 1; i < count; i++)
        assert_int_equal(p[i].sequence, p[i - 1].sequence + 1);
}

static void test_flash(void **unused)
{
    (void)unused;
    enum { START = 0xc000, END = 0xf000 };
    struct harness h;
    int count;
    uint8_t bytes[END - START];
    recording_start(&h, "in_flash");
    harness_run(&h, hc_ms(200));
    harness_set(&h, "limit", 0, 60000);
    for (int s = 0; s < 40; s++) {
        harness_run(&h, hc_ms(1000));
        for (int i = 0; i < END - START; i++)
            bytes[i] = hc_peek(h.machine, (uint32_t)(START + i));
        struct recording_page *p = recording_find(bytes, sizeof bytes, &count);
        assert_true(count > (s ? 2 : 1));
        check_numbers(p, count);
        free(p);
    }
    struct recording_page *p = recording_find(bytes, sizeof bytes, &count);
    int commits = 0;
    for (int i = 0; i < count; i++)
        commits += recording_is_commit(&p[i]);
    assert_true(p[0].sequence > 0); /* it went round */
    assert_true(commits > 0);
    free(p);
    harness_stop(&h);
}

struct wire {
    uint8_t bytes[1 << 18];
    size_t length;
};

static void collect(void *owner, uint8_t byte, hc_time now)
{
    struct wire *w = owner;
    (void)now;
    if (w->length < sizeof w->bytes)
        w->bytes[w->length++] = byte;
}

static void test_uart(void **unused)
{
    (void)unused;
    static struct wire wire;
    struct harness h;
    int count;
    recording_start(&h, "on_uart");
    hc_usart_on_transmit(h.board->uart, collect, &wire);
    harness_run(&h, hc_ms(200));
    harness_set(&h, "limit", 0, 60000);
    harness_run(&h, hc_ms(20000));
    struct recording_page *p = recording_find(wire.bytes, wire.length, &count);
    assert_true(count > 10);
    assert_int_equal(p[0].stream, HC_STREAM_CHECKPOINT);
    assert_int_equal(p[1].stream, HC_STREAM_BOOT);
    check_numbers(p, count);
    free(p);
    harness_stop(&h);
}

static void test_none(void **unused)
{
    (void)unused;
    struct harness h;
    recording_start(&h, "nowhere");
    harness_finish(&h, hc_ms(20000));
    harness_stop(&h);
}

/* ---- power ---- */

/* A page that makes a segment's beginning valid comes behind all of it: whole records, that of the peripherals'
 * registers among them. */
static void check_beginning(const struct recording_page *p, int begin)
{
    uint8_t bytes[0x4000];
    size_t size = 0, at = 0;
    bool registers = false;
    for (int i = 0; i < begin; i++)
        if (p[i].stream == HC_STREAM_CHECKPOINT && p[i].segment == p[begin].segment) {
            memcpy(bytes + size, p[i].payload, p[i].length);
            size += p[i].length;
        }
    while (at + 4 <= size) {
        registers |= bytes[at] == 1 && bytes[at + 1] == 0;
        at += 4u + (size_t)(bytes[at + 2] | bytes[at + 3] << 8);
    }
    assert_int_equal(at, size);
    assert_true(registers);
}

/* Power is cut AFTER into the K-th page or erase that the chip is told of. After the next start all that was whole is
 * there, but for a sector that was being erased, and the log goes on. */
static void cut(int k, hc_time after, const struct hc_snapshot *start, struct harness *h)
{
    int before, later;
    hc_snapshot_restore(h->machine, start);
    for (int i = 0; i < k; i++) {
        do {
            hc_machine_step(h->machine, 1, HC_NEVER);
            harness_run_to(h, "hc_sink_transfer", hc_now(h->machine) + hc_ms(60000));
        } while (hc_register(h->machine, 12) != HC_SINK_PROGRAM);
    }
    harness_run(h, after);
    hc_machine_power_off(h->machine, (uint64_t)k);
    struct recording_page *p = recording_pages(h->board->flash, &before);
    hc_machine_reset(h->machine, HC_POR);
    harness_run(h, hc_ms(2000)); /* a sector may have to be erased */
    struct recording_page *q = recording_pages(h->board->flash, &later);
    if (later <= before)
        fail_msg("page %d, cut after %u us: %d pages, then %d", k, (unsigned)hc_to_us(after), before, later);
    for (int i = 0; i < before; i++) {
        assert_int_equal(q[i].sequence, p[i].sequence);
        assert_memory_equal(q[i].payload, p[i].payload, p[i].length);
    }
    for (int i = 1; i < later; i++)
        assert_true(q[i].sequence > q[i - 1].sequence && q[i].sequence <= q[i - 1].sequence + 2); /* the torn one */
    assert_true(q[before].stream == HC_STREAM_CHECKPOINT);
    for (int i = 0; i < later; i++)
        if (q[i].stream == HC_STREAM_BOOT || recording_is_commit(&q[i]))
            check_beginning(q, i);
    assert_int_equal(q[before].boot, before ? p[before - 1].boot + 1 : 0);
    free(p);
    free(q);
}

static int cut_everywhere(struct harness *h, int pages, uint64_t step)
{
    struct hc_snapshot *start = hc_snapshot_take(h->machine);
    int cuts = 0;
    for (int k = 1; k <= pages; k++)
        for (uint64_t us = 200; us < 11000; us += step, cuts++)
            cut(k, hc_us(us), start, h);
    hc_snapshot_free(start);
    return cuts;
}

/* FREE bytes of RAM are unused, others hold something: checkpoints have some pages. */
static int cut_checkpoints(uint32_t free)
{
    struct harness h;
    recording_start(&h, "recorded");
    recording_set_free(&h, free);
    recording_restart(&h, HC_POR);
    for (uint32_t a = 0x3900 - free - 1200; a < 0x3900 - free; a++)
        hc_poke(h.machine, a, (uint8_t)(a * 7));
    harness_run(&h, hc_ms(1000));
    harness_set(&h, "limit", 0, 60000);
    harness_set(&h, "wishes", 0, 2);
    int cuts = cut_everywhere(&h, 10, 4000);
    harness_stop(&h);
    return cuts;
}

static void test_power_cuts(void **unused)
{
    (void)unused;
    struct harness h;
    recording_start(&h, "recorded");
    int cuts = cut_everywhere(&h, 24, 1200);
    harness_stop(&h);
    cuts += cut_checkpoints(0x1000);
    cuts += cut_checkpoints(0x200); /* in which they cannot wait */
    print_message("power: %d cuts\n", cuts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flash),
        cmocka_unit_test(test_uart),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_power_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
