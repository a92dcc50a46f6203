/* The flash controller against the user's guide: keys, programming, erasing, timing, access violations; by direct calls
 * as if from RAM or flash, and by firmware from both. */
#include "device_bench.h"

#include "machine/device/msp430x1xx/flash_controller.h"
#include "support/harness.h"

enum { FCTL1 = 0x128, FCTL2 = 0x12a, FCTL3 = 0x12c, IE1 = 0x00 };
enum { KEY = 0xa500, READ_KEY = 0x9600 };
enum { BLKWRT = 0x80, WRT = 0x40, MERAS = 0x04, ERASE = 0x02 };
enum { EMEX = 0x20, LOCK = 0x10, WAIT = 0x08, ACCVIFG = 0x04, KEYV = 0x02, BUSY = 0x01 };
enum { SMCLK_BY_3 = 0x80 | 2 }; /* 1 MHz / 3: 333 kHz */
enum { CODE_IN_RAM = 0x1200 };

static const struct hc_flash_layout layout = { 0x4000, 0xffff, 512, 0x1000, 0x10ff, 128 };

/* Of the timing generator, with SMCLK_BY_3. */
static hc_time periods(uint64_t n)
{
    return n * 3 * hc_period(1000000);
}

static int set_up(void **state)
{
    struct bench *b = bench_new();

    b->device = hc_flash_controller_new(b->m, &layout, b->sfr, b->aclk, b->smclk);
    bench_start(b);
    hc_set_register(b->m, HC_PC, CODE_IN_RAM);
    *state = b;
    return 0;
}

static void unlock(struct bench *b, uint16_t mode)
{
    set(b, FCTL2, KEY | SMCLK_BY_3);
    set(b, FCTL3, KEY);
    set(b, FCTL1, KEY | mode);
}

/* Just after a write at an edge of SMCLK: the operation of N periods ends exactly then. */
static void assert_busy_for(struct bench *b, uint64_t n)
{
    hc_time start = hc_now(b->m);

    assert_int_equal(get(b, FCTL3) & BUSY, BUSY);
    hc_machine_run(b->m, start + periods(n) - 1);
    assert_int_equal(get(b, FCTL3) & BUSY, BUSY);
    hc_machine_run(b->m, start + periods(n));
    assert_int_equal(get(b, FCTL3) & BUSY, 0);
}

static void align(struct bench *b)
{
    hc_machine_run(b->m, hc_clock_edge(b->smclk, hc_now(b->m) + 1));
}

static void registers_after_reset(void **state)
{
    struct bench *b = *state;

    assert_int_equal(get(b, FCTL1), READ_KEY);
    assert_int_equal(get(b, FCTL2), READ_KEY | 0x42);
    assert_int_equal(get(b, FCTL3), READ_KEY | LOCK | WAIT);
    set(b, FCTL1, KEY | 0xff);
    assert_int_equal(get(b, FCTL1), READ_KEY | BLKWRT | WRT | MERAS | ERASE);
    set(b, FCTL2, KEY | 0xff);
    assert_int_equal(get(b, FCTL2), READ_KEY | 0xff);
    set(b, FCTL3, KEY);
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT);
}

static void a_wrong_key_resets(void **state)
{
    struct bench *b = *state;

    set(b, FCTL1, KEY | WRT);
    set(b, FCTL3, 0x5a00);
    run_for(b, hc_us(50));
    assert_int_equal(b->resets, 1);
    assert_int_equal(get(b, FCTL1), READ_KEY);
    assert_int_equal(get(b, FCTL3), READ_KEY | LOCK | WAIT | KEYV);
    hc_machine_reset(b->m, HC_PUC);
    assert_int_equal(get(b, FCTL3) & KEYV, KEYV); /* only a POR or software clears it */
    set(b, FCTL3, KEY | LOCK);
    assert_int_equal(get(b, FCTL3) & KEYV, 0);
    hc_bus_write(b->m, FCTL1, 0xa5, 1); /* a byte cannot carry the key */
    run_for(b, hc_us(50));
    assert_int_equal(get(b, FCTL3) & KEYV, KEYV);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, FCTL3) & KEYV, 0);
}

static void programming_clears_bits(void **state)
{
    struct bench *b = *state;

    unlock(b, WRT);
    align(b);
    set(b, 0x8000, 0xa5c3);
    assert_busy_for(b, 35);
    assert_int_equal(get(b, 0x8000), 0xa5c3);
    set(b, 0x8000, 0xff0f);
    run_for(b, periods(36));
    assert_int_equal(get(b, 0x8000), 0xa503);
    hc_bus_write(b->m, 0x8001, 0x0f, 1);
    run_for(b, periods(36));
    assert_int_equal(get(b, 0x8000), 0x0503);
    assert_int_equal(get(b, 0x8002), 0xffff);
    assert_int_equal(get(b, FCTL1), READ_KEY | WRT);
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT);
    assert_int_equal(b->notes, 0);
}

static void erasing(void **state)
{
    static const struct {
        uint16_t mode, at, periods;
        /* What is erased of: 0x8000, 0x81ff, 0x8200, 0x1000, 0x107f, 0x1080 */
        bool erased[6];
    } rows[] = {
        { ERASE, 0x8100, 4819, { 1, 1, 0, 0, 0, 0 } },
        { ERASE, 0x107e, 4819, { 0, 0, 0, 1, 1, 0 } },
        { MERAS, 0x9000, 5297, { 1, 1, 1, 0, 0, 0 } },
        { MERAS | ERASE, 0x9000, 5297, { 1, 1, 1, 1, 1, 1 } },
    };
    static const uint16_t places[6] = { 0x8000, 0x81ff, 0x8200, 0x1000, 0x107f, 0x1080 };
    struct bench *b = *state;

    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        for (int i = 0; i < 6; i++)
            hc_poke(b->m, places[i], 0x42);
        unlock(b, rows[row].mode);
        align(b);
        set(b, rows[row].at, 0);
        assert_busy_for(b, rows[row].periods);
        for (int i = 0; i < 6; i++)
            assert_int_equal(hc_peek(b->m, places[i]), rows[row].erased[i] ? 0xff : 0x42);
        assert_int_equal(get(b, FCTL1), READ_KEY); /* the erase bits clear themselves */
    }
}

static void an_errant_dummy_write_is_ignored(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, 0x1000, 0x1234);
    unlock(b, MERAS);
    set(b, 0x1000, 0);
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT);
    assert_int_equal(get(b, 0x1000), 0x1234);
}

static void the_timing_generator(void **state)
{
    static const struct {
        uint8_t ctl2;
        hc_time period; /* of the source */
        int divider;
        int notes;
    } rows[] = {
        { 0x80 | 1, 0, 2, 1 }, { 0x80 | 2, 0, 3, 0 }, { 0x80 | 3, 0, 4, 1 },
        { 0xc0 | 2, 0, 3, 0 }, { 0x40 | 2, 0, 3, 0 }, { 0x00 | 0, (hc_time)1 << 25, 1, 1 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hc_time period = rows[i].period ? rows[i].period : hc_period(1000000);
        hc_time start;

        unlock(b, WRT);
        set(b, FCTL2, KEY | rows[i].ctl2);
        hc_machine_run(b->m, hc_clock_edge(rows[i].period ? b->aclk : b->smclk, hc_now(b->m) + 1));
        start = hc_now(b->m);
        b->notes = 0;
        set(b, 0x8000, 0);
        hc_machine_run(b->m, start + 35 * (hc_time)rows[i].divider * period - 1);
        assert_int_equal(get(b, FCTL3) & BUSY, BUSY);
        hc_machine_run(b->m, start + 35 * (hc_time)rows[i].divider * period);
        assert_int_equal(get(b, FCTL3) & BUSY, 0);
        assert_int_equal(b->notes, rows[i].notes); /* outside 257 to 476 kHz */
        set(b, 0x8002, 0);
        run_for(b, hc_ms(2));
        assert_int_equal(b->notes, rows[i].notes); /* said once */
    }
}

static void a_clock_that_slows_down(void **state)
{
    struct bench *b = *state;
    hc_time start;

    unlock(b, ERASE);
    align(b);
    start = hc_now(b->m);
    set(b, 0x8000, 0);
    hc_machine_run(b->m, start + periods(4000));
    hc_clock_set(b->smclk, 2 * hc_period(1000000), hc_now(b->m));
    hc_machine_run(b->m, start + periods(4000) + 2 * periods(819) - 1);
    assert_int_equal(get(b, FCTL3) & BUSY, BUSY);
    hc_machine_run(b->m, start + periods(4000) + 2 * periods(819));
    assert_int_equal(get(b, FCTL3) & BUSY, 0);
}

static void writes_that_are_violations(void **state)
{
    static const struct {
        uint16_t ctl1, ctl3;
    } rows[] = { { 0, 0 }, { WRT, LOCK }, { ERASE, LOCK }, { BLKWRT, 0 }, { WRT | ERASE, 0 }, { WRT | MERAS, 0 } };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(b, FCTL3, KEY);
        set(b, FCTL1, KEY | rows[i].ctl1);
        set(b, FCTL3, KEY | rows[i].ctl3);
        hc_poke16(b->m, 0x8000, 0x1234);
        set(b, 0x8000, 0);
        assert_int_equal(get(b, FCTL3), READ_KEY | WAIT | ACCVIFG | rows[i].ctl3);
        run_for(b, hc_ms(1));
        assert_int_equal(hc_peek16(b->m, 0x8000), 0x1234);
    }
}

static void a_violation_makes_an_nmi(void **state)
{
    struct bench *b = *state;

    set(b, FCTL3, KEY);
    set(b, IE1, HC_ACCVIE);
    run_for(b, hc_us(50));
    assert_int_equal(b->interrupts[14], 0);
    set(b, 0x8000, 0);
    run_for(b, hc_us(50));
    assert_int_equal(b->interrupts[14], 1);
    assert_int_equal(get(b, IE1), 0);
    assert_int_equal(get(b, FCTL3) & ACCVIFG, ACCVIFG);
    set(b, FCTL3, KEY);
    assert_int_equal(get(b, FCTL3) & ACCVIFG, 0);
}

/* Table "flash access while BUSY = 1", code in RAM. */
static void accesses_while_busy(void **state)
{
    struct bench *b = *state;

    hc_poke16(b->m, 0x9000, 0x5555);
    unlock(b, WRT);
    set(b, 0x8000, 0x1111);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
    assert_int_equal(get(b, 0x9000), 0x3fff);
    assert_int_equal(hc_bus_read(b->m, 0x9001, 1), 0x3f);
    assert_int_equal(hc_peek16(b->m, 0x9000), 0x5555);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
    set(b, 0x9000, 0);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | ACCVIFG);
    set(b, FCTL3, KEY);
    set(b, FCTL1, KEY | ERASE); /* not while busy */
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | ACCVIFG);
    assert_int_equal(get(b, FCTL1), READ_KEY | WRT);
    set(b, FCTL3, KEY);
    set(b, FCTL2, KEY | 0x80);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | ACCVIFG);
    assert_int_equal(get(b, FCTL2), READ_KEY | SMCLK_BY_3);
    set(b, FCTL3, KEY | LOCK); /* any time: the operation completes */
    run_for(b, periods(36));
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT | LOCK);
    assert_int_equal(get(b, 0x8000), 0x1111);
    assert_int_equal(get(b, 0x9000), 0x5555);
}

static void block_write(void **state)
{
    struct bench *b = *state;
    hc_time start;

    unlock(b, BLKWRT | WRT);
    align(b);
    start = hc_now(b->m);
    set(b, 0x8040, 0x1111);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
    hc_machine_run(b->m, start + periods(30) - 1);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
    hc_machine_run(b->m, start + periods(30));
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | WAIT);
    assert_int_equal(get(b, 0x8040), 0x3fff); /* WAIT = 1: no violation */
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | WAIT);
    for (uint64_t i = 1; i < 32; i++) {
        set(b, 0x8040 + 2 * (uint32_t)i, (uint16_t)i);
        hc_machine_run(b->m, start + periods(30 + 21 * i) - 1);
        assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
        hc_machine_run(b->m, start + periods(30 + 21 * i));
        assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | WAIT);
    }
    set(b, FCTL1, KEY | WRT);
    assert_busy_for(b, 6);
    assert_int_equal(get(b, 0x8040), 0x1111);
    for (uint32_t i = 1; i < 32; i++)
        assert_int_equal(get(b, 0x8040 + 2 * i), i);
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT);
}

static void block_write_accesses(void **state)
{
    struct bench *b = *state;

    unlock(b, BLKWRT | WRT);
    set(b, 0x8040, 0);
    assert_int_equal(get(b, 0x8000), 0x3fff); /* WAIT = 0: any access locks */
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | ACCVIFG | LOCK);
    run_for(b, periods(31));
    set(b, FCTL3, KEY);
    set(b, 0x8080, 0); /* the next block: not in this cycle */
    assert_int_equal(get(b, FCTL3) & ACCVIFG, ACCVIFG);
    set(b, FCTL3, KEY | LOCK); /* ends the mode as clearing BLKWRT would */
    assert_int_equal(get(b, FCTL1), READ_KEY | WRT);
    run_for(b, periods(7));
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT | LOCK);
    assert_int_equal(get(b, 0x8040), 0);
    assert_int_equal(get(b, 0x8080), 0xffff);
}

/* The guide: block writes cannot be started from flash. The fetch after the first word is the violation. */
static void block_write_from_flash(void **state)
{
    struct bench *b = *state;

    hc_set_register(b->m, HC_PC, 0x4008);
    unlock(b, BLKWRT | WRT);
    set(b, 0x8040, 0x1234);
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | ACCVIFG | LOCK);
    run_for(b, periods(31));
    assert_int_equal(get(b, FCTL3), READ_KEY | WAIT | ACCVIFG | LOCK);
    assert_int_equal(get(b, FCTL1), READ_KEY | WRT);
    assert_int_equal(get(b, 0x8040), 0x1234);
}

static void a_clock_change_between_the_words_of_a_block(void **state)
{
    struct bench *b = *state;

    unlock(b, BLKWRT | WRT);
    set(b, 0x8040, 0x1234);
    run_for(b, periods(31));
    hc_clock_set(b->smclk, 2 * hc_period(1000000), hc_now(b->m));
    run_for(b, periods(100));
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | WAIT);
    set(b, 0x8042, 0x5678);
    run_for(b, periods(21));
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY);
    run_for(b, periods(22));
    assert_int_equal(get(b, FCTL3), READ_KEY | BUSY | WAIT);
}

static void byte_reads(void **state)
{
    struct bench *b = *state;

    assert_int_equal(hc_bus_read(b->m, FCTL2, 1), 0x42);
    assert_int_equal(hc_bus_read(b->m, FCTL2 + 1, 1), 0x96);
    assert_int_equal(hc_peek(b->m, FCTL3 + 1), 0x96);
}

static void an_emergency_exit_leaves_it_half_done(void **state)
{
    struct bench *b = *state;
    int erased = 0, kept = 0;

    for (uint32_t a = 0x8000; a < 0x8200; a++)
        hc_poke(b->m, a, 0);
    unlock(b, ERASE);
    set(b, 0x8000, 0);
    run_for(b, periods(2000));
    set(b, FCTL3, KEY | EMEX);
    assert_int_equal(get(b, FCTL3) & BUSY, 0);
    assert_int_equal(get(b, FCTL1), READ_KEY);
    for (uint32_t a = 0x8000; a < 0x8200; a++) {
        erased += get(b, a & ~1u) != 0;
        kept += get(b, a & ~1u) != 0xffff;
    }
    assert_true(erased > 100 && kept > 100);
    run_for(b, hc_ms(50));
    assert_int_equal(hc_peek(b->m, 0x8200), 0xff);
}

static void power_loss_in_the_middle(void **state)
{
    struct bench *b = *state;
    uint16_t torn;

    unlock(b, WRT);
    set(b, 0x8000, 0x0000);
    run_for(b, periods(20));
    hc_machine_power_off(b->m, 1);
    torn = hc_peek16(b->m, 0x8000);
    assert_true(torn != 0 && torn != 0xffff);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(get(b, FCTL3), READ_KEY | LOCK | WAIT);
    assert_int_equal(get(b, 0x8000), torn);
}

static void programming_for_too_long_is_noted(void **state)
{
    struct bench *b = *state;

    unlock(b, WRT);
    for (int i = 0; i < 64; i++) { /* 64 * 32 / 333 kHz: 6.1 ms */
        hc_bus_write(b->m, 0x8000 + (uint32_t)i, 0, 1);
        run_for(b, periods(36));
    }
    assert_int_equal(b->notes, 1);
    assert_non_null(strstr(b->note, "0x8000"));
    unlock(b, ERASE);
    set(b, 0x8000, 0);
    run_for(b, periods(4820));
    unlock(b, WRT);
    set(b, 0x8000, 0);
    run_for(b, periods(36));
    assert_int_equal(b->notes, 1);
}

static void snapshots_hold_an_operation(void **state)
{
    struct bench *b = *state;
    struct hc_snapshot *before, *during;

    unlock(b, WRT);
    before = hc_snapshot_take(b->m);
    set(b, 0x8000, 0x1234);
    during = hc_snapshot_take(b->m);
    run_for(b, periods(36));
    assert_int_equal(get(b, 0x8000), 0x1234);
    hc_snapshot_restore(b->m, during);
    assert_int_equal(get(b, 0x8000), 0x3fff);
    run_for(b, periods(36));
    assert_int_equal(get(b, 0x8000), 0x1234);
    hc_snapshot_restore(b->m, before);
    assert_int_equal(get(b, 0x8000), 0xffff);
    hc_snapshot_free(before);
    hc_snapshot_free(during);
}

/* From flash the CPU stands still: a counting loop has a hole. From RAM it polls BUSY. */
static void firmware(void **state)
{
    static const uint16_t expected[] = { 0x1234, 0x1230, 0xffff, 1, 0x9618, 0x5aa5, 0x3fff, 1, 0x961c };
    struct harness h;

    (void)state;
    harness_start(&h, "flash");
    harness_finish(&h, hc_ms(1000));
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++)
        assert_int_equal(harness_get(&h, "result", i), expected[i]);
    /* FCTL2: MCLK / 3. A program takes 35 * 3 MCLK, an erase 4819 * 3; TBR counts MCLK / 8 (SMCLK is MCLK). */
    assert_in_range(harness_get(&h, "result", 9), 35 * 3 / 8, 35 * 3 / 8 + 8);
    assert_in_range(harness_get(&h, "result", 10), 4819 * 3 / 8, 4819 * 3 / 8 + 8);
    assert_in_range(harness_get(&h, "result", 11), 2, 60); /* polls of BUSY, from RAM */
    /* Code in RAM that returns into busy flash. */
    assert_in_range(harness_get(&h, "result", 12), 35 * 3 / 8, 35 * 3 / 8 + 8);
    assert_int_equal(harness_get(&h, "result", 13), 0x9608);
    assert_int_equal(harness_get(&h, "result", 14), 0x1001);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(registers_after_reset, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_wrong_key_resets, set_up, bench_free),
        cmocka_unit_test_setup_teardown(programming_clears_bits, set_up, bench_free),
        cmocka_unit_test_setup_teardown(erasing, set_up, bench_free),
        cmocka_unit_test_setup_teardown(an_errant_dummy_write_is_ignored, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_timing_generator, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_clock_that_slows_down, set_up, bench_free),
        cmocka_unit_test_setup_teardown(writes_that_are_violations, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_violation_makes_an_nmi, set_up, bench_free),
        cmocka_unit_test_setup_teardown(accesses_while_busy, set_up, bench_free),
        cmocka_unit_test_setup_teardown(block_write, set_up, bench_free),
        cmocka_unit_test_setup_teardown(block_write_accesses, set_up, bench_free),
        cmocka_unit_test_setup_teardown(block_write_from_flash, set_up, bench_free),
        cmocka_unit_test_setup_teardown(a_clock_change_between_the_words_of_a_block, set_up, bench_free),
        cmocka_unit_test_setup_teardown(byte_reads, set_up, bench_free),
        cmocka_unit_test_setup_teardown(an_emergency_exit_leaves_it_half_done, set_up, bench_free),
        cmocka_unit_test_setup_teardown(power_loss_in_the_middle, set_up, bench_free),
        cmocka_unit_test_setup_teardown(programming_for_too_long_is_noted, set_up, bench_free),
        cmocka_unit_test_setup_teardown(snapshots_hold_an_operation, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
