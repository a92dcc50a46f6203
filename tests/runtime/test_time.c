/* What the recorder does to the time of a program: how long interrupts are off, how long an update takes, over boots,
 * erases, checkpoints and a frozen log. A watchdog that the program serves beside its updates never resets it, and a
 * clock that stands still does not stop it. */
#include "machine/board/telosb.h"
#include "machine/device/m25p80.h"
#include "registers/regs.h"
#include "replay/border.h"
#include "replay/hasher.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct meter {
    struct harness h;
    struct hc_border border;
    struct hc_regs *regs;
    struct hc_hasher *hasher;
    uint64_t last;     /* cycles */
    uint64_t off;      /* for so long interrupts are off, in the recorder */
    bool in_last_step; /* of a checkpoint */
    bool in_update;
    uint64_t update;
    uint64_t longest_off, longest_last_step, longest_update;
    uint32_t off_at, update_at;
    uint32_t last_step;
};

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

static void nothing(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    (void)owner, (void)m, (void)pc, (void)hash;
}

static void count_off(struct meter *t, uint64_t cycles, uint32_t pc)
{
    uint64_t *longest = t->in_last_step ? &t->longest_last_step : &t->longest_off;
    t->off += cycles;
    t->in_last_step |= pc == t->last_step;
    if (t->off > *longest && !t->in_last_step)
        t->off_at = pc;
    if (t->off > *longest)
        *longest = t->off;
}

static void count_update(struct meter *t, uint64_t cycles, uint32_t pc)
{
    t->update += cycles;
    if (pc != t->border.update_end)
        return;
    t->in_update = false;
    if (t->update > t->longest_update)
        t->longest_update = t->update;
}

static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct meter *t = owner;
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    uint64_t cycles = s.cycles - t->last;
    bool inside = hc_hasher_inside(t->hasher);
    t->last = s.cycles;
    if (pc == t->border.update) {
        t->in_update = true;
        t->update = 0;
    }
    if (inside && !(hc_register(m, HC_SR) & HC_SR_GIE))
        count_off(t, cycles, pc);
    else
        t->off = t->in_last_step = 0;
    if (t->in_update && (inside || pc == t->border.update_end))
        count_update(t, cycles, pc);
}

static void begin_meter(struct meter *t, const char *name)
{
    char message[200];
    struct hc_regs_message problem;
    *t = (struct meter){ 0 };
    begin_node(&t->h, name);
    if (hc_border_read(&t->border, t->h.image, message, sizeof message))
        fail_msg("%s", message);
    if (hc_regs_load_part(&t->regs, hc_machine_part(t->h.machine)->name, &problem))
        fail_msg("%s", problem.text);
    t->last_step = harness_address(&t->h, "last_piece");
    hc_machine_reset(t->h.machine, HC_POR);
}

/* From the program's first instruction on: no interrupt is enabled before. */
static void begin_life(struct meter *t)
{
    harness_run_to(&t->h, "_start", hc_now(t->h.machine) + hc_ms(5000));
    t->hasher = hc_hasher_new(t->h.machine, &t->border, t->regs, nothing, NULL);
    struct hc_statistics s;
    hc_machine_statistics(t->h.machine, &s);
    t->last = s.cycles;
    t->in_update = false;
    hc_hook_retire(t->h.machine, retired, t);
}

static void wish(struct meter *t, uint16_t wishes, hc_time span)
{
    harness_set(&t->h, "wishes", 0, wishes);
    harness_run(&t->h, span);
}

struct limits {
    const char *name;
    uint64_t off, last, update;
};

static void check(const struct meter *t, const struct limits *limits, hc_time boot)
{
    char where[200];
    print_message("%s: start %u us; interrupts off %llu cycles, %llu in the last step of a checkpoint; update %llu "
                  "cycles; tick late by %u us\n",
                  limits->name, (unsigned)hc_to_us(boot), (unsigned long long)t->longest_off,
                  (unsigned long long)t->longest_last_step, (unsigned long long)t->longest_update,
                  (unsigned)(harness_get(&t->h, "late", 0) * 1000000ull / 32768));
    print_message("    longest off ended at %s\n", hc_image_locate(t->h.image, t->off_at, where, sizeof where));
    assert_in_range(t->longest_off, 1, limits->off);
    assert_in_range(t->longest_last_step, 1, limits->last);
    assert_in_range(t->longest_update, 1, limits->update);
}

static void measure(const struct limits *limits)
{
    struct meter t;
    begin_meter(&t, limits->name);
    hc_time boot = hc_now(t.h.machine);
    begin_life(&t);
    boot = hc_now(t.h.machine) - boot;
    for (int i = 0; i < 8; i++)
        wish(&t, i % 2 ? 2 : 0, hc_ms(4000)); /* sectors are erased and begun meanwhile */
    wish(&t, 1, hc_ms(3000));
    check(&t, limits, boot);
    hc_hasher_free(t.hasher);
    hc_regs_free(t.regs);
    harness_stop(&t.h);
}

/* Cycles at most; 4,000 are a millisecond: half a millisecond, half a millisecond and one for each KB in use, 5 ms. A
 * last step of more than 4 KB takes longer than that, as one does where all of memory changes all the time: then
 * nothing can be copied before it; and what does not fit into unused memory is written at once. */
static const struct limits limits[] = {
    { "timing-200", 2000, 2000, 20000 },       { "timing-2000", 2000, 10000, 20000 },
    { "timing-5500", 2000, 24000, 24000 },     { "changing-2000", 2000, 16000, 20000 },
    { "changing-5500", 2000, 600000, 600000 },
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
    static const char *const names[] = { "busy600", "busy3000", "bursts" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct meter t;
        begin_meter(&t, names[i]);
        begin_life(&t);
        harness_run(&t.h, hc_ms(20000));
        print_message("%s: interrupts off %llu cycles, update %llu\n", names[i], (unsigned long long)t.longest_off,
                      (unsigned long long)t.longest_update);
        assert_in_range(t.longest_off, 1, 2000);
        assert_in_range(t.longest_update, 1, 20000);
        hc_hasher_free(t.hasher);
        hc_regs_free(t.regs);
        harness_stop(&t.h);
    }
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
    live(&h, name, 3, hc_ms(4000));
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
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_watchdog),
        cmocka_unit_test(test_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
