/* What the FR5994 has beyond the FR5969, from its datasheet: memory, vectors, ports, modules. */
#define BENCH_PART hc_msp430fr5994_part
#include "fr5969_bench.h"
#include "support/harness.h"

/* Borders of the memory map: the last byte of a region, or the first one. */
static void memory_is_where_the_datasheet_has_it(void **state)
{
    struct bench *b = *state;
    static const struct {
        uint32_t address;
        enum hc_region_kind kind;
    } map[] = {
        { 0x0fff, HC_IO },   { 0x1000, HC_ROM },   { 0x17ff, HC_ROM },    { 0x1800, HC_FRAM },    { 0x19ff, HC_FRAM },
        { 0x1a00, HC_ROM },  { 0x1aff, HC_ROM },   { 0x1b00, HC_VACANT }, { 0x1c00, HC_RAM },     { 0x2bff, HC_RAM },
        { 0x2c00, HC_RAM },  { 0x3bff, HC_RAM },   { 0x3c00, HC_VACANT }, { 0x3fff, HC_VACANT },  { 0x4000, HC_FRAM },
        { 0xffff, HC_FRAM }, { 0x10000, HC_FRAM }, { 0x43fff, HC_FRAM },  { 0x44000, HC_VACANT },
    };

    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (hc_region_kind(b->m, map[i].address) != map[i].kind)
            fail_msg("0x%05x is %d", (unsigned)map[i].address, hc_region_kind(b->m, map[i].address));
    assert_int_equal(hc_peek16(b->m, 0x1a04), 0x82a1);
}

static void fram_keeps_its_contents_and_sram_does_not(void **state)
{
    struct bench *b = *state;

    set(b, 0x43ffe, 0xbeef);
    set(b, 0x3bfe, 0xbeef);
    hc_machine_power_off(b->m, 1);
    assert_int_equal(hc_peek16(b->m, 0x43ffe), 0xbeef);
    assert_int_not_equal(hc_peek16(b->m, 0x3bfe), 0xbeef);
}

/* PxIES is 0: a rising edge. Vectors: 0xffc6 P5, 0xffc4 P6, 0xffb8 P7, 0xffb6 P8. */
static void further_ports_interrupt(void **state)
{
    enum { IV_LOW = 0x0e, IV_HIGH = 0x1e, IE = 0x1a };
    struct bench *b = *state;
    static const uint32_t base[] = { 0x240, 0x241, 0x260, 0x261 };
    static const int port[] = { HC_IO_P5, HC_IO_P6, HC_IO_P7, HC_IO_P8 };
    static const uint32_t vector[] = { 0xffc6, 0xffc4, 0xffb8, 0xffb6 };

    set(b, PM5CTL0, 0);
    for (int i = 0; i < 4; i++) {
        int number = (int)(vector[i] - BENCH_VECTORS) / 2;
        hc_wire wire = hc_digital_io_pin(b->chip->ports, port[i], 3);
        set8(b, base[i] + IE, 0x08);
        hc_wire_drive(b->m, wire, hc_wire_driver(b->m, wire), HC_HIGH);
        assert_int_equal(get8(b, base[i]) & 0x08, 0x08);
        interrupts_on(b);
        run_for(b, hc_us(20));
        assert_true(b->interrupts[number] > 0);
        set8(b, base[i] + IE, 0);
        set8(b, base[i] + 0x1c, 0);
    }
    assert_int_equal(get(b, 0x240 + IV_LOW), 0);
}

/* Every 33 ticks of ACLK, which is LFMODCLK (37.5 kHz) as long as no crystal is at hand; CCR0 has vector 0xffca. */
static void timer_a4_counts(void **state)
{
    enum { TA4CTL = 0x7c0, TA4CCTL0 = 0x7c2, TA4CCR0 = 0x7d2, ACLK_UP = 0x0110, CCIE = 0x10 };
    struct bench *b = *state;

    set(b, TA4CCR0, 32);
    set(b, TA4CCTL0, CCIE);
    set(b, TA4CTL, ACLK_UP);
    interrupts_on(b);
    run_for(b, hc_ms(10));
    int number = (0xffca - BENCH_VECTORS) / 2;
    assert_int_equal(b->interrupts[number], 11);
}

static int heard;

static void hear(void *owner, uint8_t byte, hc_time now)
{
    (void)owner;
    (void)now;
    heard = byte;
}

static void serial_modules_send(void **state)
{
    static const uint32_t base[] = { 0x600, 0x620 };
    struct bench *b = *state;

    for (int i = 0; i < 2; i++) {
        hc_eusci_on_transmit(b->chip->more_serial[i], hear, NULL);
        set(b, base[i], 0x0081); /* SMCLK, in reset */
        set(b, base[i] + 0x06, 8);
        set(b, base[i], 0x0080);
        set(b, base[i] + 0x0e, 'x' + i);
        hc_set_register(b->m, HC_SR, 0);
        run_for(b, hc_ms(2));
        assert_int_equal(heard, 'x' + i);
    }
}

static void what_is_left_out_is_noted(void **state)
{
    enum { LEACAP = 0xa80, RTCCTL0 = 0x4a0, CRC32DIW0 = 0x980, DMA3CTL = 0x540 };
    static const uint32_t missing[] = { LEACAP, RTCCTL0, CRC32DIW0, DMA3CTL };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        b->notes = 0;
        get(b, missing[i]);
        assert_int_equal(b->notes, 1);
    }
}

static void panel_is_the_launchpads(void **state)
{
    struct bench *b = *state;

    set(b, PM5CTL0, 0);
    set(b, 0x204, 0x0003);
    set(b, 0x202, 0x0002);
    assert_int_equal(hc_wire_level(b->m, hc_wire_find(b->m, "led.red")), 0);
    assert_int_equal(hc_wire_level(b->m, hc_wire_find(b->m, "led.green")), 1);
}

static void firmware_of_the_kit_runs(void **state)
{
    struct hc_launchpad *board = hc_launchpad_new_part(&hc_msp430fr5994_part, NULL);
    struct harness h;

    (void)state;
    harness_load(&h, board->machine, "fr5994");
    harness_finish(&h, hc_ms(500));
    assert_int_equal(harness_get(&h, "total", 0), 30);
    hc_image_free(h.image);
    hc_launchpad_free(board);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(memory_is_where_the_datasheet_has_it),
        BENCH_TEST(fram_keeps_its_contents_and_sram_does_not),
        BENCH_TEST(further_ports_interrupt),
        BENCH_TEST(timer_a4_counts),
        BENCH_TEST(serial_modules_send),
        BENCH_TEST(what_is_left_out_is_noted),
        BENCH_TEST(panel_is_the_launchpads),
        cmocka_unit_test(firmware_of_the_kit_runs),
    };

    return cmocka_run_group_tests_name("fr5994", tests, NULL, NULL);
}
