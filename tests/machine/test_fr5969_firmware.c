/* Firmware on the FR5969, with its data in SRAM and in FRAM, through power
 * cycles; and the programs of firmware/power. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/device.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CLOCKS, TICKS, PRODUCT_LOW, PRODUCT_HIGH, CRC, COPIED, VOLTAGE, HEAP, RESET_CAUSE, BOOTS, RTC };

struct node {
    struct hc_launchpad *board;
    struct harness h;
    char said[256];
    size_t length;
};

static void hear(void *owner, uint8_t byte, hc_time now)
{
    struct node *n = owner;

    (void)now;
    if (n->length + 1 < sizeof n->said)
        n->said[n->length++] = (char)byte;
}

static void fail_on_note(void *owner, const char *text)
{
    (void)owner;
    fail_msg("%s", text);
}

static void start(struct node *n, const char *name)
{
    *n = (struct node){ .board = hc_launchpad_new(NULL) };
    hc_eusci_on_transmit(n->board->uart, hear, n);
    hc_machine_set_note(n->board->machine, fail_on_note, NULL);
    harness_load(&n->h, n->board->machine, name);
}

static void stop(struct node *n)
{
    hc_image_free(n->h.image);
    hc_launchpad_free(n->board);
}

static void check_results(struct node *n, unsigned boots)
{
    assert_int_equal(harness_get(&n->h, "result", CLOCKS), 1);
    assert_int_equal(harness_get(&n->h, "result", TICKS), 5);
    assert_int_equal(harness_get(&n->h, "result", PRODUCT_LOW), (0x12345678 * 3) & 0xffff);
    assert_int_equal(harness_get(&n->h, "result", PRODUCT_HIGH), 0x12345678 * 3 >> 16);
    assert_int_equal(harness_get(&n->h, "result", CRC), 0x29b1);
    assert_int_equal(harness_get(&n->h, "result", COPIED), 0);
    assert_int_equal(harness_get(&n->h, "result", VOLTAGE), (1500000 * 4096ll + 1250000) / 2500000);
    assert_int_equal(harness_get(&n->h, "result", HEAP), 0);
    assert_int_equal(harness_get(&n->h, "result", RESET_CAUSE), 2);
    assert_int_equal(harness_get(&n->h, "result", BOOTS), boots);
    assert_int_equal(harness_get(&n->h, "result", RTC), 2026);
}

static void runs_wherever_its_data_is(void **state)
{
    static const char *const images[] = { "fr5969", "fr5969_fram" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct node n;
        start(&n, images[i]);
        harness_finish(&n.h, hc_ms(500));
        check_results(&n, 1);
        assert_string_equal(n.said, "boot 1\n");
        stop(&n);
    }
}

/* What is persistent counts on, everything else begins anew. */
static void survives_power_cycles(void **state)
{
    struct node n;

    (void)state;
    start(&n, "fr5969_fram");
    for (unsigned boots = 1; boots < 4; boots++) {
        harness_finish(&n.h, hc_now(n.board->machine) + hc_ms(500));
        check_results(&n, boots);
        hc_machine_power_off(n.board->machine, boots);
        hc_machine_run(n.board->machine, hc_now(n.board->machine) + hc_ms(3));
        hc_machine_reset(n.board->machine, HC_POR);
    }
    assert_string_equal(n.said, "boot 1\nboot 2\nboot 3\n");
    stop(&n);
}

/* A snapshot in the middle of everything leads to the same end. */
static void snapshots_repeat(void **state)
{
    struct node n;

    (void)state;
    start(&n, "fr5969");
    struct hc_machine *m = n.board->machine;
    harness_run(&n.h, hc_ms(60));
    struct hc_snapshot *snapshot = hc_snapshot_take(m);
    hc_hash_start(m);
    harness_run(&n.h, hc_ms(100));
    uint64_t hash = hc_hash_value(m);
    hc_hash_stop(m);
    hc_snapshot_restore(m, snapshot);
    hc_hash_start(m);
    harness_run(&n.h, hc_ms(100));
    assert_true(hc_hash_value(m) == hash);
    check_results(&n, 1);
    hc_snapshot_free(snapshot);
    stop(&n);
}

static const struct {
    const char *name;
    uint16_t result;
} programs[] = { { "crc", 0 }, { "sort", 40 }, { "fft", 0 }, { "aes", 0x690a } };

/* The same result wherever the data is. */
static void programs_of_the_analysis(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++) {
        uint16_t results[2];
        for (int k = 0; k < 2; k++) {
            struct node n;
            char path[256];
            snprintf(path, sizeof path, "%s/%s-%s.elf", HARNESS_APPS, programs[i].name, k ? "stack" : "globals");
            start(&n, path);
            harness_finish(&n.h, hc_ms(5000));
            results[k] = harness_get(&n.h, "result", 0);
            stop(&n);
        }
        assert_int_equal(results[0], results[1]);
        assert_int_not_equal(results[0], 0);
        if (programs[i].result)
            assert_int_equal(results[0], programs[i].result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_wherever_its_data_is),
        cmocka_unit_test(survives_power_cycles),
        cmocka_unit_test(snapshots_repeat),
        cmocka_unit_test(programs_of_the_analysis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
