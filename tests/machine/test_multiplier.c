/* The hardware multiplier: every operation against the guide's tables, and the firmware that compilers make of them. */
#include "device_bench.h"

#include "machine/device/msp430/dma.h"
#include "machine/device/msp430x1xx/multiplier.h"
#include "support/harness.h"

enum {
    MPY = 0x130,
    MPYS = 0x132,
    MAC = 0x134,
    MACS = 0x136,
    OP2 = 0x138,
    RESLO = 0x13a,
    RESHI = 0x13c,
    SUMEXT = 0x13e
};

static int set_up(void **state)
{
    struct bench *b = bench_new();

    b->device = hc_multiplier_new(b->m, hc_dma_new(b->m, 0));
    bench_start(b);
    *state = b;
    return 0;
}

static uint32_t result(struct bench *b)
{
    return (uint32_t)get(b, RESHI) << 16 | get(b, RESLO);
}

static void operations(void **state)
{
    static const struct {
        uint16_t operation, op1, op2;
        uint32_t before, after;
        uint16_t sumext;
    } rows[] = {
        { MPY, 0x1234, 0x5678, 0xdeadbeef, 0x06260060, 0 },
        { MPY, 0xffff, 0xffff, 0, 0xfffe0001, 0 },
        { MPY, 0x8000, 0x0001, 0, 0x00008000, 0 },
        { MPYS, 0x8000, 0x0001, 0, 0xffff8000, 0xffff },
        { MPYS, 0x8000, 0x8000, 0, 0x40000000, 0 },
        { MPYS, 0xffff, 0x0001, 0, 0xffffffff, 0xffff },
        { MPYS, 0x7fff, 0x8000, 0, 0xc0008000, 0xffff },
        { MPYS, 0xffff, 0x0000, 0xffffffff, 0, 0 },
        { MAC, 0x0002, 0x0003, 10, 16, 0 },
        { MAC, 0xffff, 0xffff, 0x0001ffff, 0x00000000, 1 },
        { MAC, 0xffff, 0xffff, 0x0001fffe, 0xffffffff, 0 },
        { MACS, 0xfffe, 0x0003, 10, 4, 0 },
        { MACS, 0xfffe, 0x0003, 5, 0xffffffff, 0xffff },
        /* Overflow and underflow: SUMEXT has the sign of what 32 bits show. */
        { MACS, 0x7fff, 0x7fff, 0x7fffffff, 0xbfff0000, 0xffff },
        { MACS, 0x8000, 0x7fff, 0x80000000, 0x40008000, 0 },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set(b, RESLO, (uint16_t)rows[i].before);
        set(b, RESHI, (uint16_t)(rows[i].before >> 16));
        set(b, rows[i].operation, rows[i].op1);
        set(b, OP2, rows[i].op2);
        assert_int_equal(result(b), rows[i].after);
        assert_int_equal(get(b, SUMEXT), rows[i].sumext);
        assert_int_equal(get(b, rows[i].operation), rows[i].op1);
        assert_int_equal(get(b, OP2), rows[i].op2);
    }
}

static void the_first_operand_stays(void **state)
{
    struct bench *b = *state;

    set(b, MAC, 100);
    set(b, RESLO, 0);
    set(b, RESHI, 0);
    for (int i = 1; i <= 5; i++)
        set(b, OP2, (uint16_t)i);
    assert_int_equal(result(b), 1500);
    assert_int_equal(get(b, MPY), 100); /* one register, four addresses */
    set(b, SUMEXT, 0x1234);             /* read-only */
    assert_int_equal(get(b, SUMEXT), 0);
}

static void bytes_are_not_sign_extended(void **state)
{
    struct bench *b = *state;

    set(b, MPYS, 0xffff);
    set(b, OP2, 0xffff);
    hc_bus_write(b->m, MPYS, 0xf0, 1);
    assert_int_equal(get(b, MPYS), 0x00f0);
    hc_bus_write(b->m, OP2, 0x02, 1);
    assert_int_equal(result(b), 0x1e0);
    assert_int_equal(hc_bus_read(b->m, RESLO + 1, 1), 0x01);
    assert_int_equal(hc_bus_read(b->m, RESLO, 1), 0xe0);
    hc_bus_write(b->m, OP2 + 1, 0x02, 1); /* the high byte alone: nothing there */
    assert_int_equal(result(b), 0x1e0);
    assert_int_equal(b->notes, 1);
}

static void resets_change_nothing(void **state)
{
    struct bench *b = *state;

    set(b, MPYS, 3);
    set(b, OP2, 0xfffe);
    hc_machine_reset(b->m, HC_POR);
    assert_int_equal(result(b), 0xfffffffa);
    set(b, OP2, 2);
    assert_int_equal(result(b), 6);
}

/* "Ready for a new operand": each operation asks for the next word of a table, which starts the next operation. */
static void dma_feeds_operands(void **state)
{
    enum { DMACTL0 = 0x122, DMA0CTL = 0x1e0, DMA0SA = 0x1e2, DMA0DA = 0x1e4, DMA0SZ = 0x1e6, TABLE = 0x1200 };
    struct bench *b = *state;

    for (uint16_t i = 0; i < 4; i++)
        hc_poke16(b->m, TABLE + 2u * i, (uint16_t)(i + 2));
    set(b, DMACTL0, 11);
    set(b, DMA0SA, TABLE);
    set(b, DMA0DA, OP2);
    set(b, DMA0SZ, 4);
    set(b, DMA0CTL, 0x0310); /* single, source counts up, enabled */
    set(b, RESLO, 0);
    set(b, RESHI, 0);
    set(b, MAC, 1000);
    run_for(b, hc_us(100));
    assert_int_equal(result(b), 0);
    set(b, OP2, 1);
    run_for(b, hc_us(100));
    assert_int_equal(result(b), 15000);
}

/* The guide's examples, as instructions: result[] in the order of the firmware. */
static void firmware(void **state)
{
    static const uint16_t expected[] = { 0x0060, 0x0626, 0x8000, 0xffff, 0xffff, 0x0001, 0xfffe,
                                         0x0001, 0xff88, 0xffff, 0x03a8, 0x0000, 385 };
    struct harness h;

    (void)state;
    harness_start(&h, "multiplier");
    harness_finish(&h, hc_ms(100));
    for (int i = 0; i < (int)(sizeof expected / sizeof *expected); i++)
        assert_int_equal(harness_get(&h, "result", i), expected[i]);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(operations, set_up, bench_free),
        cmocka_unit_test_setup_teardown(the_first_operand_stays, set_up, bench_free),
        cmocka_unit_test_setup_teardown(bytes_are_not_sign_extended, set_up, bench_free),
        cmocka_unit_test_setup_teardown(resets_change_nothing, set_up, bench_free),
        cmocka_unit_test_setup_teardown(dma_feeds_operands, set_up, bench_free),
        cmocka_unit_test(firmware),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
