/* Machines that are fed by a capacitor: when they live, for how long, and what they get done. */
#include "machine/board/launchpad_fr5969.h"
#include "power/supply/intermittent.h"
#include "power/trial/torn.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ull
#define SECOND (1000 * MS)

enum { EVENTS_MAX = 200 };

struct bench {
    struct hc_launchpad *board;
    struct hc_image *image;
    struct hc_harvest harvest;
    struct hc_supply supply;
    struct hc_intermittent result;
    int events;
    bool sampled;
    uint64_t samples, last_ns;
    struct {
        enum hc_supply_event event;
        uint64_t ns, microvolts, instructions;
    } event[EVENTS_MAX];
};

/* 100 uA whatever it does, so that times can be worked out by hand. */
static const struct hc_consumption flat_consumption = {
    .active_na = 100000,
    .mode_na = { 0, 100000, 100000, 100000, 100000, 100000 },
};

static void note_event(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts, uint64_t instructions)
{
    struct bench *b = owner;

    assert_true(ns >= b->last_ns && ns <= b->last_ns + 2 * MS + SECOND * !b->sampled);
    b->last_ns = ns;
    b->samples += event == HC_SUPPLY_TIME;
    if (event == HC_SUPPLY_TIME)
        return;
    assert_true(b->events < EVENTS_MAX);
    b->event[b->events].event = event;
    b->event[b->events].ns = ns;
    b->event[b->events].microvolts = microvolts;
    b->event[b->events++].instructions = instructions;
}

static void run_on(struct bench *b, const char *name, const char *trace, uint64_t nanofarads, uint64_t volts_uv,
                   uint64_t until_ns, const struct hc_consumption *consumption, bool sampled)
{
    struct hc_capacitor c = { nanofarads, 2500000, 1880000, 2000000, 3600000 };
    struct hc_symbol main_symbol;
    char message[100];

    *b = (struct bench){ .board = hc_launchpad_new(NULL), .sampled = sampled };
    b->image = harness_fill(b->board->machine, name);
    assert_true(hc_image_symbol(b->image, "main", &main_symbol));
    if (trace)
        assert_int_equal(hc_harvest_parse(&b->harvest, trace, strlen(trace), message, sizeof message), 0);
    hc_supply_init(&b->supply, &c, trace ? &b->harvest : NULL, volts_uv);
    struct hc_intermittent_config config = { .machine = b->board->machine,
                                             .supply = &b->supply,
                                             .consumption = consumption,
                                             .until_ns = until_ns,
                                             .seed = 1,
                                             .main = main_symbol.address,
                                             .event = note_event,
                                             .samples = sampled,
                                             .owner = b };
    hc_intermittent_run(&config, &b->result);
}

static void run(struct bench *b, const char *name, const char *trace, uint64_t nanofarads, uint64_t volts_uv,
                uint64_t until_ns, const struct hc_consumption *consumption)
{
    run_on(b, name, trace, nanofarads, volts_uv, until_ns, consumption, false);
    assert_int_equal(b->samples, 0);
}

static void done(struct bench *b)
{
    hc_harvest_free(&b->harvest);
    hc_image_free(b->image);
    hc_launchpad_free(b->board);
}

static void path_of(const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.elf", HARNESS_APPS, name);
}

/* Enough for the whole program: 77,338 cycles are 77 ms, 1 uF from 2.5 to 1.88 V at 100 uA only 6.2 ms. */
static void a_large_capacitor_is_enough(void **state)
{
    struct bench b;
    char path[1024];

    (void)state;
    path_of("crc-globals", path, sizeof path);
    run(&b, path, NULL, 100000, 2500000, SECOND, &flat_consumption);
    assert_true(b.result.finished);
    assert_int_equal(b.result.power_cycles, 1);
    assert_in_range(b.result.on_ns, 70 * MS, 90 * MS);
    done(&b);
}

/* It starts again and again, gets as far each time, and never to the end. */
static void a_small_one_never_is(void **state)
{
    struct bench b;
    char path[1024];

    (void)state;
    path_of("crc-globals", path, sizeof path);
    run(&b, path, "0,10", 1000, 0, SECOND, &flat_consumption);
    assert_false(b.result.finished);
    assert_true(b.result.power_cycles > 3);
    /* charged from empty with 10 uA: 250 ms; discharged with 90 uA net: 5.56 ms to the trigger, 6.89 ms to the end */
    assert_int_equal(b.event[0].event, HC_SUPPLY_ON);
    assert_in_range(b.event[0].ns, 250 * MS, 250 * MS + 10);
    assert_int_equal(b.event[1].event, HC_SUPPLY_TRIGGER);
    assert_in_range(b.event[1].ns - b.event[0].ns, 5555000, 5560000);
    assert_int_equal(b.event[2].event, HC_SUPPLY_OFF);
    assert_in_range(b.event[2].ns - b.event[0].ns, 6888000, 6893000);
    assert_in_range(b.event[2].microvolts, 1879000, 1880000);
    assert_true(b.event[2].instructions > 2000);
    /* and then from 1.88 V: 62 ms */
    assert_int_equal(b.event[3].event, HC_SUPPLY_ON);
    assert_in_range(b.event[3].ns - b.event[2].ns, 61900000, 62100000);
    assert_int_equal(b.event[5].instructions, b.event[2].instructions);
    assert_int_equal(b.result.most_instructions, b.event[2].instructions);
    done(&b);
}

/* What the analysis calls the smallest capacitor: with real checkpoints, a program comes to its end on a little more
 * than that, and never on a little less. */
static void the_smallest_capacitor(void **state)
{
    struct bench b;
    struct hc_located located;
    struct hc_symbol checkpoint, total;
    struct hc_capacitor c = { .v_on = 2500000, .v_off = 1880000 };
    char path[1024];

    (void)state;
    path_of("torn-double", path, sizeof path);
    b = (struct bench){ .board = hc_launchpad_new(NULL) };
    b.image = harness_fill(b.board->machine, path);
    assert_true(hc_image_symbol(b.image, "checkpoint", &checkpoint));
    assert_true(hc_image_symbol(b.image, "total", &total));
    hc_machine_reset(b.board->machine, HC_POR);
    struct hc_locate_config config = { .machine = b.board->machine, .checkpoint = checkpoint.address, .limit = 100000 };
    hc_power_program_find(&config.program, b.image);
    hc_power_locate(&config, &located);
    uint16_t should = hc_peek16(b.board->machine, total.address);
    assert_true(located.cycles > 4 * located.longest.cycles); /* else one charge is enough */
    hc_image_free(b.image);
    b.image = harness_fill(b.board->machine, path);
    hc_machine_reset(b.board->machine, HC_POR);
    uint64_t cycles = hc_power_resume_cycles(&config);
    assert_true(cycles > located.longest.restart && located.longest.restart > 0);
    uint64_t needed = hc_smallest_capacitor(&c, 100000, located.longest.cycles + cycles, 1000000);
    hc_located_free(&located);
    done(&b);
    run(&b, path, "0,10", needed * 6 / 5, 0, 10 * SECOND, &flat_consumption);
    assert_true(b.result.finished);
    assert_true(b.result.power_cycles > 3);
    assert_int_equal(hc_peek16(b.board->machine, total.address), should);
    done(&b);
    run(&b, path, "0,10", needed * 4 / 5, 0, 250 * MS, &flat_consumption);
    assert_false(b.result.finished);
    assert_true(b.result.power_cycles > 15);
    done(&b);
}

/* What is persistent counts the power cycles. */
static void fram_counts_them(void **state)
{
    struct bench b;
    struct hc_symbol boots;

    (void)state;
    run(&b, "fr5969_fram", "0,50", 1000, 2500000, 300 * MS, &hc_fr5969_consumption);
    assert_true(hc_image_symbol(b.image, "boots", &boots));
    assert_true(b.result.power_cycles > 3);
    /* the last one may have been too short to come to main */
    assert_in_range(hc_peek16(b.board->machine, boots.address), b.result.power_cycles - 1, b.result.power_cycles);
    done(&b);
}

static void runs_repeat(void **state)
{
    static struct bench one, two;

    (void)state;
    run(&one, "fr5969_fram", "0,50\n0.05,20\n0.1,90", 1000, 2500000, 300 * MS, &hc_fr5969_consumption);
    run(&two, "fr5969_fram", "0,50\n0.05,20\n0.1,90", 1000, 2500000, 300 * MS, &hc_fr5969_consumption);
    assert_true(one.events > 6);
    assert_int_equal(one.events, two.events);
    assert_memory_equal(one.event, two.event, sizeof one.event);
    assert_int_equal(one.result.instructions, two.result.instructions);
    done(&one);
    done(&two);
}

/* Looking at the voltage, every millisecond at least, changes nothing. */
static void samples_change_nothing(void **state)
{
    static struct bench one, two;

    (void)state;
    run(&one, "fr5969_fram", "0,50\n0.05,20\n0.1,90", 1000, 2500000, 300 * MS, &hc_fr5969_consumption);
    run_on(&two, "fr5969_fram", "0,50\n0.05,20\n0.1,90", 1000, 2500000, 300 * MS, &hc_fr5969_consumption, true);
    assert_true(two.samples >= 200);
    assert_int_equal(one.events, two.events);
    assert_memory_equal(one.event, two.event, sizeof one.event);
    assert_int_equal(one.result.instructions, two.result.instructions);
    done(&one);
    done(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_capacitor_is_enough),
        cmocka_unit_test(a_small_one_never_is),
        cmocka_unit_test(the_smallest_capacitor),
        cmocka_unit_test(fram_counts_them),
        cmocka_unit_test(runs_repeat),
        cmocka_unit_test(samples_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
