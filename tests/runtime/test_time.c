/* What the recorder does to the time of a program: how long interrupts are off, how long an update takes, over boots,
 * erases, checkpoints and a frozen log. A watchdog that the program serves beside its updates never resets it, and a
 * clock that stands still does not stop it. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "machine/device/chip/m25p80.h"
#include "runtime/meter.h"
#include "support/harness.h"

#include "../../runtime/port/msp430/layout.h"
#include "../../runtime/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void begin_node(struct harness *h, const char *name)
{
    char path[1024];
    struct hc_telosb_config config = { .node_id = 1 };
    snprintf(path, sizeof path, "%s/%s.elf", HARNESS_TIME, name);
    *h = (struct harness){ .board = hc_telosb_new(&config, NULL) };
    h->machine = h->board->machine;
    h->image = harness_fill(h->machine, path);
}

/* ---- how long ---- */

struct limits {
    const char *name;
    uint64_t off, last, update; /* last: 0, there is no checkpoint */
};

static void check(const struct limits *limits, struct hc_image *image, const struct meter_timing *t)
{
    char where[200];
    print_message("%s: start %u us; interrupts off %llu cycles, %llu in the last step of a checkpoint; update %llu "
                  "cycles; tick late by %u us\n",
                  limits->name, (unsigned)hc_to_us(t->start), (unsigned long long)t->off,
                  (unsigned long long)t->last_step, (unsigned long long)t->update, t->late);
    print_message("    longest off ended at %s\n", hc_image_locate(image, t->off_at, where, sizeof where));
    assert_in_range(t->off, 1, limits->off);
    assert_in_range(t->last_step, limits->last ? 1 : 0, limits->last);
    assert_in_range(t->update, 1, limits->update);
}

/* H is to be stopped. */
static struct meter_timing run(struct harness *h, const char *name)
{
    struct meter_timing timing;
    char message[400];
    begin_node(h, name);
    if (meter_timing(&timing, h->machine, h->image, message, sizeof message) != 0)
        fail_msg("%s", message);
    return timing;
}

static void measure(const struct limits *limits)
{
    struct harness h;
    struct meter_timing timing = run(&h, limits->name);
    check(limits, h.image, &timing);
    harness_stop(&h);
}

/* Cycles at most; 4,000 are a millisecond: half a millisecond, half a millisecond and one for each KB in use, 5 ms.
 * Where all of 5,500 bytes changes all the time no checkpoint fits: it is given up, and the limits hold. */
static const struct limits limits[] = {
    { "timing-200", 2000, 2000, 20000 },     { "timing-2000", 2000, 10000, 20000 },
    { "timing-5500", 2000, 24000, 20000 },   { "changing-2000", 2000, 10500, 20000 },
    { "changing-5500", 2000, 24000, 20000 },
};

static void test_time(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        measure(&limits[i]);
}

/* Programs that fill the ring at every turn. */
static void test_busy(void **unused)
{
    (void)unused;
    static const struct limits busy[] = { { "busy600", 2000, 0, 20000 },
                                          { "busy3000", 2000, 0, 20000 },
                                          { "bursts", 2000, 0, 20000 } };
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        struct harness h;
        struct meter_timing t = run(&h, busy[i].name);
        print_message("%s: interrupts off %llu cycles, update %llu\n", busy[i].name, (unsigned long long)t.off,
                      (unsigned long long)t.update);
        assert_in_range(t.off, 1, busy[i].off);
        assert_in_range(t.update, 1, busy[i].update);
        harness_stop(&h);
    }
}

/* An FR5969 whose log is FRAM: a page is written at once, in one update. */
static void run_in_fram(const struct limits *limits)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    struct meter_timing t;
    char path[1024], message[400];
    snprintf(path, sizeof path, "%s/%s.elf", HARNESS_TIME, limits->name);
    struct hc_image *image = harness_fill(board->machine, path);
    if (meter_timing(&t, board->machine, image, message, sizeof message) != 0)
        fail_msg("%s", message);
    check(limits, image, &t);
    hc_image_free(image);
    hc_launchpad_free(board);
}

static void test_fram(void **unused)
{
    (void)unused;
    static const struct limits in_fram[] = { { "timing-fram", 2000, 2800, 20000 },
                                             { "changing-fram", 2000, 4400, 20000 },
                                             { "bursts-fram", 2000, 0, 20000 } };
    for (size_t i = 0; i < sizeof in_fram / sizeof *in_fram; i++)
        run_in_fram(&in_fram[i]);
}

/* ---- start ---- */

enum { SECTOR = HC_SINK_SECTOR >> 8, PATIENCE_MS = 100000, START_MS = 150 };

static uint16_t recorder_word(const struct harness *h, uint32_t offset)
{
    return hc_peek16(h->machine, harness_address(h, "__hc_ram") + offset);
}

/* A page waits for the last place of the sector: what a reset finds besides goes to the next one, which was erased long
 * ago. */
static bool needs_next_sector(const struct harness *h)
{
    return recorder_word(h, HC_RAM_PLACE) % SECTOR == SECTOR - 1 &&
           recorder_word(h, HC_RAM_FLAGS) & HC_RAM_FLAG_SPARE && !recorder_word(h, HC_RAM_STATE);
}

static hc_time start_again(struct harness *h)
{
    hc_machine_reset(h->machine, HC_PUC);
    hc_time reset = hc_now(h->machine);
    harness_run_to(h, "_start", reset + hc_ms(5000));
    return hc_now(h->machine) - reset;
}

/* What the life before has left goes on into a sector that is blank already: nothing is erased before the start. */
static void test_start(void **unused)
{
    (void)unused;
    struct harness h;
    begin_node(&h, "timing-2000");
    hc_machine_reset(h.machine, HC_POR);
    for (int i = 0; i < 4 * PATIENCE_MS && !needs_next_sector(&h); i++)
        harness_run(&h, hc_us(250));
    assert_true(needs_next_sector(&h));
    uint16_t place = recorder_word(&h, HC_RAM_PLACE);
    hc_time start = start_again(&h);
    print_message("start with the next sector in use: %u us\n", (unsigned)hc_to_us(start));
    assert_true(start < hc_ms(START_MS));
    assert_int_not_equal(place / SECTOR, recorder_word(&h, HC_RAM_PLACE) / SECTOR);
    harness_stop(&h);
}

/* ---- watchdog ---- */

static enum hc_action count(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m, (void)pc;
    ++*(int *)owner;
    return HC_CONTINUE;
}

static void fill(struct harness *h, uint8_t (*byte)(uint32_t at))
{
    uint8_t *bytes = malloc(HC_M25P80_SIZE);
    for (uint32_t a = 0; a < HC_M25P80_SIZE; a++)
        bytes[a] = byte(a);
    assert_int_equal(hc_m25p80_write(h->board->flash, 0, bytes, HC_M25P80_SIZE), 0);
    free(bytes);
}

static uint8_t noise(uint32_t at)
{
    return (uint8_t)(at * 2654435761u >> 24);
}

/* Several lives, of random lengths, over which the log goes round: the only resets are the test's. */
static void live(struct harness *h, const char *name, int lives, hc_time span)
{
    int starts = 0;
    int hook = hc_hook_pc(h->machine, harness_address(h, "_start"), count, &starts);
    for (int life = 1; life <= lives; life++) {
        if (life % 3 == 0)
            hc_machine_power_off(h->machine, (uint64_t)life);
        hc_machine_reset(h->machine, life % 3 == 2 ? HC_PUC : HC_POR);
        harness_run(h, span + hc_ms((uint64_t)life * 977));
        if (starts != life)
            fail_msg("%s: %d starts in %d lives", name, starts, life);
        assert_true(harness_get(h, "ticks", 0) > hc_to_us(span) / 5000 / 2);
    }
    hc_unhook(h->machine, hook);
}

static void watch(const char *name)
{
    struct harness h;
    begin_node(&h, name);
    live(&h, name, 9, hc_ms(9000));
    fill(&h, noise);
    live(&h, name, 3, hc_ms(9000));
    harness_stop(&h);
}

static void test_watchdog(void **unused)
{
    (void)unused;
    watch("watchdog-1-plain");
    watch("watchdog-4-plain");
    watch("watchdog-1");
    watch("watchdog-4");
}

/* ---- a clock that stands still ---- */

static void test_stopped(void **unused)
{
    (void)unused;
    static const char *const names[] = { "stopped-scg1", "stopped-xt2" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct harness h;
        begin_node(&h, names[i]);
        hc_machine_reset(h.machine, HC_POR);
        harness_run(&h, hc_ms(10000));
        uint16_t before = harness_get(&h, "rounds", 0);
        harness_run(&h, hc_ms(10000));
        uint16_t rounds = harness_get(&h, "rounds", 0) - before;
        print_message("%s: %u rounds a second\n", names[i], rounds / 10);
        assert_true(rounds > 10);
        harness_stop(&h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_busy),  cmocka_unit_test(test_time),     cmocka_unit_test(test_fram),
        cmocka_unit_test(test_start), cmocka_unit_test(test_watchdog), cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
