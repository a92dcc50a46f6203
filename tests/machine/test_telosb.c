/* The TelosB as a whole: its schematic, seen from firmware that drives its chips, and snapshots and clones of it. */
#include "machine/board/telosb.h"
#include "machine/cpu/msp430/decoded_code.h"
#include "support/harness.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* ---- memory map ---- */

static void memory_map(void **state)
{
    (void)state;
    static const struct {
        uint32_t start, end;
        enum hc_region_kind kind;
    } rows[] = {
        { 0x0000, 0x01ff, HC_IO },     { 0x0200, 0x09ff, HC_MIRROR }, { 0x0a00, 0x0bff, HC_VACANT },
        { 0x0c00, 0x0fff, HC_ROM },    { 0x1000, 0x10ff, HC_FLASH },  { 0x1100, 0x38ff, HC_RAM },
        { 0x3900, 0x3fff, HC_VACANT }, { 0x4000, 0xffff, HC_FLASH },
    };
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t address = rows[i].start; address <= rows[i].end; address += 0x100) {
            enum hc_region_kind kind = hc_region_kind(board->machine, address);
            bool mirrored = rows[i].kind == HC_MIRROR && kind == HC_RAM; /* by its own name, or as what it mirrors */
            assert_true(kind == rows[i].kind || mirrored);
        }
    }
    hc_poke16(board->machine, 0x1100, 0x1234);
    assert_int_equal(hc_peek16(board->machine, 0x0200), 0x1234);
    hc_poke16(board->machine, 0x09fe, 0x5678);
    assert_int_equal(hc_peek16(board->machine, 0x18fe), 0x5678);
    assert_int_equal(hc_peek(board->machine, 0x0ff0), 0xf1);
    assert_int_equal(hc_peek(board->machine, 0x0ff1), 0x6c);
    hc_telosb_free(board);
}

static void run_words(struct hc_telosb *board, const uint16_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hc_poke16(board->machine, 0x4000 + 2 * (uint32_t)i, words[i]);
    hc_poke16(board->machine, 0xfffe, 0x4000);
    hc_machine_reset(board->machine, HC_POR);
}

static void boot_loader_is_not_there(void **state)
{
    (void)state;
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    run_words(board, (const uint16_t[]){ 0x4210, 0x0c00 }, 2); /* br &0x0c00 */
    assert_int_equal(hc_machine_run(board->machine, hc_ms(1)), HC_STOP_FAULT);
    assert_non_null(strstr(hc_fault_text(board->machine), "boot loader"));
    hc_telosb_free(board);
}

static uint64_t instructions_in_10_ms(const uint16_t *words, size_t count)
{
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    struct hc_statistics statistics;
    run_words(board, words, count);
    hc_machine_run(board->machine, hc_ms(10));
    hc_machine_statistics(board->machine, &statistics);
    hc_telosb_free(board);
    return statistics.instructions;
}

/* DCOR = 1 runs the DCO from the board's resistor: faster than from the one inside. */
static void external_resistor(void **state)
{
    (void)state;
    static const uint16_t inside[] = { 0x43c2, 0x0058, 0x3fff };  /* mov.b #0,&BCSCTL2; jmp $ */
    static const uint16_t outside[] = { 0x43d2, 0x0058, 0x3fff }; /* mov.b #1,&BCSCTL2; jmp $ */
    uint64_t slow = instructions_in_10_ms(inside, 3), fast = instructions_in_10_ms(outside, 3);
    assert_in_range(slow, 3000, 4500); /* 0.75 MHz, 2 cycles each */
    assert_in_range(fast * 10 / slow, 20, 30);
}

/* CAPD of the comparator switches off the input buffer of any pin of P2: it keeps what it last saw. */
static void port_inputs_disabled(void **state)
{
    enum { P2IN = 0x28, CAPD = 0x5b };
    (void)state;
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    struct hc_machine *m = board->machine;
    hc_wire pin = hc_wire_find(m, "p2.0");
    int driver = hc_wire_driver(m, pin);
    hc_machine_reset(m, HC_POR);
    hc_wire_drive(m, pin, driver, HC_LOW);
    hc_bus_write(m, CAPD, 0x01, 1);
    hc_wire_drive(m, pin, driver, HC_HIGH);
    assert_int_equal(hc_bus_read(m, P2IN, 1) & 1, 0);
    hc_bus_write(m, CAPD, 0, 1);
    assert_int_equal(hc_bus_read(m, P2IN, 1) & 1, 1);
    hc_telosb_free(board);
}

/* ---- chips, driven by firmware ---- */

static void flash_from_firmware(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "telosb_flash");
    harness_finish(&h, 2 * HC_SECOND);
    static const uint16_t expected[] = { 0x13, 0x20, 0x20, 0x14, 0x02, 0x03 };
    for (int i = 0; i < 6; i++)
        assert_int_equal(harness_get(&h, "result", i), expected[i]);
    assert_true(harness_get(&h, "result", 6) > 10);
    assert_int_equal(harness_get(&h, "result", 7), 0);
    assert_int_equal(harness_get(&h, "result", 8), 0xff);
    assert_int_equal(harness_get(&h, "result", 9), 0xff);
    assert_int_equal(harness_get(&h, "result", 10), 0x13);
    uint8_t page[256];
    hc_m25p80_read(h.board->flash, 0x10200, page, sizeof page);
    for (unsigned i = 0; i < 256; i++)
        assert_int_equal(page[i], i ^ 0x5a);
    harness_stop(&h);
}

static struct hc_sht11_world climate(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return (struct hc_sht11_world){ .millidegrees = 20000, .humidity_permille = 400, .supply_millivolts = 3000 };
}

static uint32_t light(void *owner, hc_time now)
{
    (void)owner;
    (void)now;
    return 1000;
}

static void sensors_from_firmware(void **state)
{
    (void)state;
    struct hc_telosb_config config = { .serial = 0xa1b2c3d4e5f6, .climate = climate, .light = light };
    struct harness h = { .board = hc_telosb_new(&config, NULL) };
    harness_load(&h, h.board->machine, "telosb_sensors");
    harness_finish(&h, 2 * HC_SECOND);
    assert_int_equal(harness_get(&h, "result", 0), 1);
    uint64_t rom = 0;
    for (int i = 4; i > 0; i--)
        rom = rom << 16 | harness_get(&h, "result", i);
    assert_true(rom == hc_ds2411_rom(h.board->serial_number));
    assert_true((rom >> 8 & 0xffffffffffff) == 0xa1b2c3d4e5f6);
    assert_int_equal(harness_get(&h, "result", 5), 5960);
    double so = harness_get(&h, "result", 6);
    double humidity = -4 + 0.0405 * so - 2.8e-6 * so * so - 5 * (0.01 + 0.00008 * so);
    assert_true(humidity > 39.95 && humidity < 40.05);
    assert_int_equal(harness_get(&h, "result", 7), 0);
    assert_in_range(harness_get(&h, "result", 8), 261, 263);   /* 0.160 V / 2.5 V */
    assert_in_range(harness_get(&h, "result", 9), 2129, 2131); /* 1.300 V / 2.5 V */
    harness_stop(&h);
}

static void panel_from_firmware(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "telosb_panel");
    hc_wire wires[] = { hc_led_wire(h.board->led[0]), hc_led_wire(h.board->led[1]), hc_led_wire(h.board->led[2]) };
    assert_int_equal(wires[0], hc_wire_find(h.machine, "led.red"));
    harness_run(&h, hc_ms(10));
    for (int press = 1; press <= 3; press++) {
        hc_button_click(h.board->user_button, press * HC_SECOND, hc_ms(50));
        hc_machine_run(h.machine, press * HC_SECOND + hc_ms(500));
        assert_int_equal(harness_get(&h, "result", 0), press);
        for (int led = 0; led < HC_TELOSB_LEDS; led++) {
            assert_int_equal(hc_led_is_on(h.board->led[led]), led == press - 1);
            assert_int_equal(hc_wire_level(h.machine, wires[led]), led == press - 1);
        }
    }
    hc_button_press(h.board->user_button);
    harness_finish(&h, 5 * HC_SECOND);
    /* Red shone from the first press to the second, give or take an interrupt's latency. */
    hc_time on = hc_led_on_time(h.board->led[HC_TELOSB_RED]);
    assert_true(on > HC_SECOND - hc_us(100) && on < HC_SECOND + hc_us(100));
    assert_int_equal(hc_led_switched_on(h.board->led[HC_TELOSB_RED]), 1);
    struct hc_statistics statistics;
    hc_machine_statistics(h.machine, &statistics);
    assert_true(statistics.in_mode[HC_MODE_LPM3] > 3 * HC_SECOND);
    harness_stop(&h);
}

static void reset_button(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "telosb_panel");
    harness_run(&h, hc_ms(10));
    hc_button_click(h.board->user_button, hc_ms(20), hc_ms(10));
    harness_run(&h, hc_ms(90));
    assert_true(hc_led_is_on(h.board->led[HC_TELOSB_RED]));
    hc_button_press(h.board->reset_button);
    harness_run(&h, hc_ms(100));
    assert_false(hc_led_is_on(h.board->led[HC_TELOSB_RED])); /* held in reset, pins are inputs */
    hc_button_release(h.board->reset_button);
    harness_run(&h, hc_ms(10));
    assert_int_equal(harness_get(&h, "result", 0), 0); /* started anew */
    harness_stop(&h);
}

/* ---- the radio's capture input ---- */

static void sfd_reaches_timer_b(void **state)
{
    (void)state;
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    /* mov #0x5a80,&WDTCTL; mov.b #2,&P4SEL; mov #0x0220,&TBCTL; mov #0x4900,&TBCCTL1; jmp $ */
    run_words(board,
              (const uint16_t[]){ 0x40b2, 0x5a80, 0x0120, 0x43e2, 0x001f, 0x40b2, 0x0220, 0x0180, 0x40b2, 0x4900,
                                  0x0184, 0x3fff },
              12);
    hc_machine_run(board->machine, hc_ms(1));
    hc_wire sfd = hc_wire_find(board->machine, "p4.1");
    int driver = hc_wire_driver(board->machine, sfd);
    hc_wire_drive(board->machine, sfd, driver, HC_LOW);
    hc_machine_run(board->machine, hc_ms(2));
    assert_int_equal(hc_peek16(board->machine, 0x0184) & 1, 0);
    hc_wire_drive(board->machine, sfd, driver, HC_RELEASE);
    hc_wire_set_pull(board->machine, sfd, 1);
    hc_machine_run(board->machine, hc_ms(3));
    assert_int_equal(hc_peek16(board->machine, 0x0184) & 1, 1);
    assert_true(hc_peek16(board->machine, 0x0194) > 0);
    hc_telosb_free(board);
}

/* ---- snapshots and clones ---- */

static uint64_t hash_of_run(struct hc_machine *m, hc_time until)
{
    hc_hash_start(m);
    hc_machine_run(m, until);
    uint64_t hash = hc_hash_value(m);
    hc_hash_stop(m);
    return hash;
}

/* A clone taken in the middle runs on exactly as the original does, whenever it is taken. */
static void clones_run_alike(void **state)
{
    (void)state;
    static const char *const names[] = { "telosb_flash", "telosb_sensors" };
    for (int i = 0; i < 2; i++) {
        struct harness h;
        harness_start(&h, names[i]);
        for (int k = 1; k < 40; k++) {
            harness_run(&h, hc_us(331));
            struct hc_telosb *clone = hc_telosb_clone(h.board);
            assert_non_null(clone);
            hc_time until = hc_now(h.machine) + hc_us(517);
            assert_true(hash_of_run(clone->machine, until) == hash_of_run(h.machine, until));
            assert_true(hc_now(clone->machine) == hc_now(h.machine));
            hc_telosb_free(clone);
        }
        harness_stop(&h);
    }
}

static void *run_on_thread(void *machine)
{
    hc_machine_run(machine, hc_now(machine) + hc_ms(100));
    return NULL;
}

/* Clones share decoded code and pages of the flash chip, and yet run side by side. */
static void clones_run_on_threads(void **state)
{
    (void)state;
    enum { CLONES = 4 };
    struct harness h = { 0 };
    struct hc_code_store *store = hc_code_store_new();
    struct hc_telosb *clones[CLONES];
    pthread_t threads[CLONES];
    h.board = hc_telosb_new(NULL, store);
    harness_load(&h, h.board->machine, "telosb_flash");
    harness_run(&h, hc_ms(3));
    for (int i = 0; i < CLONES; i++) {
        clones[i] = hc_telosb_clone(h.board);
        hc_hash_start(clones[i]->machine);
    }
    for (int i = 0; i < CLONES; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_on_thread, clones[i]->machine), 0);
    uint64_t hash = hash_of_run(h.machine, hc_now(h.machine) + hc_ms(100));
    for (int i = 0; i < CLONES; i++) {
        pthread_join(threads[i], NULL);
        assert_true(hc_hash_value(clones[i]->machine) == hash);
        hc_telosb_free(clones[i]);
    }
    harness_stop(&h);
    hc_code_store_free(store);
}

static void snapshots_rewind(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "telosb_flash");
    harness_run(&h, hc_ms(5));
    struct hc_snapshot *snapshot = hc_snapshot_take(h.machine);
    hc_time until = hc_now(h.machine) + hc_ms(50);
    uint64_t first = hash_of_run(h.machine, until);
    hc_snapshot_restore(h.machine, snapshot);
    assert_true(hash_of_run(h.machine, until) == first);
    hc_snapshot_free(snapshot);
    harness_stop(&h);
}

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* Not a benchmark: a bound that only a wrong kind of work (copying the flash chip, say) would break. */
static void clones_are_cheap(void **state)
{
    (void)state;
    struct harness h;
    harness_start(&h, "telosb_flash");
    static uint8_t megabyte[HC_M25P80_SIZE];
    hc_m25p80_write(h.board->flash, 0, megabyte, sizeof megabyte);
    harness_run(&h, hc_ms(5));
    enum { COUNT = 50 };
    double start = microseconds();
    for (int i = 0; i < COUNT; i++)
        hc_snapshot_free(hc_snapshot_take(h.machine));
    double snapshots = microseconds();
    for (int i = 0; i < COUNT; i++)
        hc_telosb_free(hc_telosb_clone(h.board));
    double clones = microseconds();
    print_message("snapshot %.1f us, clone %.1f us\n", (snapshots - start) / COUNT, (clones - snapshots) / COUNT);
    assert_true((snapshots - start) / COUNT < 1000);
    assert_true((clones - snapshots) / COUNT < 5000);
    harness_stop(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_map),
        cmocka_unit_test(boot_loader_is_not_there),
        cmocka_unit_test(external_resistor),
        cmocka_unit_test(port_inputs_disabled),
        cmocka_unit_test(flash_from_firmware),
        cmocka_unit_test(sensors_from_firmware),
        cmocka_unit_test(panel_from_firmware),
        cmocka_unit_test(reset_button),
        cmocka_unit_test(sfd_reaches_timer_b),
        cmocka_unit_test(clones_run_alike),
        cmocka_unit_test(clones_run_on_threads),
        cmocka_unit_test(snapshots_rewind),
        cmocka_unit_test(clones_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
