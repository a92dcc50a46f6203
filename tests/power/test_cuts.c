/* Power cut everywhere, against a brute force that shares nothing with it: a board of its own, a reset after every
 * single instruction, and what counts compared by name. */
#include "machine/board/launchpad_fr5969.h"
#include "power/trial/cuts.h"
#include "power/trial/torn.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_INSTRUCTIONS = 20000, PATIENCE_MS = 60, VARIABLES_MOST = 8 };

/* ---- a program and what of it counts ---- */

struct subject {
    char path[1024];
    const char *until;                  /* NULL: main returns */
    const char *counts[VARIABLES_MOST]; /* variables; NULL ends them */
    const char *checkpoint, *restore;   /* NULL: none */
    void (*prepare)(struct hc_machine *m, const struct hc_image *image, const void *what); /* or NULL */
    const void *what;
};

struct bench {
    struct hc_launchpad *board;
    struct hc_machine *m;
    struct hc_image *image;
};

static void switch_on(struct bench *b, const struct subject *s)
{
    b->board = hc_launchpad_new(NULL);
    b->m = b->board->machine;
    b->image = harness_fill(b->m, s->path);
    if (s->prepare)
        s->prepare(b->m, b->image, s->what);
    hc_machine_reset(b->m, HC_POR);
}

static void put_away(struct bench *b)
{
    hc_image_free(b->image);
    hc_launchpad_free(b->board);
}

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;

    if (!name)
        return 0;
    if (!hc_image_symbol(image, name, &symbol))
        fail_msg("no %s", name);
    return symbol.address;
}

/* ---- the brute force ---- */

struct forced {
    uint32_t length;                   /* instructions from power-on to the end */
    bool wrong[MOST_INSTRUCTIONS + 1]; /* cut after so many */
};

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* STEPS: instructions until then. */
static bool runs_to(struct hc_machine *m, uint32_t end, uint32_t *steps)
{
    struct hc_statistics before, after;
    int hook = hc_hook_pc(m, end, stop_here, NULL);

    hc_machine_statistics(m, &before);
    enum hc_stop stop = hc_machine_run(m, hc_now(m) + hc_ms(PATIENCE_MS));
    hc_machine_statistics(m, &after);
    hc_unhook(m, hook);
    *steps = (uint32_t)(after.instructions - before.instructions);
    return stop == HC_STOP_HOOK;
}

static size_t outcome(const struct bench *b, const struct subject *s, uint8_t *out, size_t room)
{
    size_t n = 0;

    for (int i = 0; i < VARIABLES_MOST && s->counts[i]; i++) {
        struct hc_symbol symbol;
        assert_true(hc_image_symbol(b->image, s->counts[i], &symbol));
        for (uint32_t a = 0; a < symbol.size && n < room; a++)
            out[n++] = hc_peek(b->m, symbol.address + a);
    }
    return n;
}

/* Where it ends: the place, or the loop behind the call of main. */
static uint32_t end_of(const struct bench *b, const struct subject *s)
{
    return address_of(b->image, s->until ? s->until : "sleep");
}

static void force(const struct subject *s, struct forced *out)
{
    uint8_t should[256], is[256];
    struct bench b;
    uint32_t steps;

    memset(out, 0, sizeof *out);
    switch_on(&b, s);
    struct hc_snapshot *on = hc_snapshot_take(b.m);
    uint32_t end = end_of(&b, s);
    assert_true(runs_to(b.m, end, &out->length));
    assert_true(out->length <= MOST_INSTRUCTIONS);
    size_t size = outcome(&b, s, should, sizeof should);
    hc_snapshot_restore(b.m, on);
    for (uint32_t cut = 1; cut <= out->length; cut++) {
        struct hc_statistics before, after;
        hc_machine_statistics(b.m, &before);
        do {
            hc_machine_step(b.m, 1, hc_now(b.m) + HC_SECOND);
            hc_machine_statistics(b.m, &after);
        } while (after.instructions == before.instructions);
        struct hc_snapshot *here = hc_snapshot_take(b.m);
        hc_machine_power_off(b.m, 7);
        hc_machine_reset(b.m, HC_POR);
        out->wrong[cut] = !runs_to(b.m, end, &steps);
        outcome(&b, s, is, sizeof is);
        out->wrong[cut] |= memcmp(is, should, size) != 0;
        hc_snapshot_restore(b.m, here);
        hc_snapshot_free(here);
    }
    hc_snapshot_free(on);
    put_away(&b);
}

/* ---- the analysis ---- */

struct judged {
    struct hc_located located;
    struct hc_cuts cuts;
    struct hc_torn torn;
    bool has_torn;
};

static void configure(struct hc_locate_config *config, const struct bench *b, const struct subject *s)
{
    *config = (struct hc_locate_config){ .machine = b->m, .limit = 1000000 };
    hc_power_program_find(&config->program, b->image);
    config->program.until = address_of(b->image, s->until);
    config->checkpoint = address_of(b->image, s->checkpoint);
    config->depth = s->checkpoint ? 0 : 5000;
}

static void judge(const struct subject *s, const struct hc_cuts_choice *choice, bool tear, struct judged *out)
{
    struct hc_locate_config config;
    struct bench b;

    *out = (struct judged){ .has_torn = tear };
    switch_on(&b, s);
    configure(&config, &b, s);
    hc_power_locate(&config, &out->located);
    assert_int_equal(out->located.end, HC_LOCATE_DONE);
    put_away(&b);
    switch_on(&b, s);
    config.machine = b.m;
    assert_true(hc_power_cut(&config, &out->located, address_of(b.image, s->restore), choice, &out->cuts));
    put_away(&b);
    if (!tear)
        return;
    switch_on(&b, s);
    config.machine = b.m;
    assert_true(hc_power_tear(&config, &out->located, address_of(b.image, s->restore), &out->torn));
    put_away(&b);
}

static void forget(struct judged *j)
{
    hc_cuts_free(&j->cuts);
    if (j->has_torn)
        hc_torn_free(&j->torn);
    hc_located_free(&j->located);
}

static bool is_wrong(const struct hc_cuts *cuts, uint64_t instruction)
{
    for (size_t i = 0; i < cuts->count; i++)
        if (instruction >= cuts->cut[i].first && instruction <= cuts->cut[i].last)
            return true;
    return false;
}

/* How many cuts end wrong. */
static uint64_t compare(const struct subject *s, const struct hc_cuts *cuts)
{
    static struct forced forced;
    uint64_t wrong = 0;

    force(s, &forced);
    assert_int_equal(cuts->instructions, forced.length);
    for (uint32_t i = 1; i <= forced.length; i++) {
        if (is_wrong(cuts, i) != forced.wrong[i])
            fail_msg("%s: cut after %u: %s", s->path, (unsigned)i, forced.wrong[i] ? "missed" : "false");
        wrong += forced.wrong[i];
    }
    assert_int_equal(hc_cuts_wrong(cuts), wrong);
    return wrong;
}

static const struct hc_cuts_choice each = { .every = 1, .seed = 1 };

/* ---- task kernels ---- */

static struct subject kernel(const char *name, const char *first, const char *second)
{
    struct subject s = { .until = "report", .counts = { first, second } };

    snprintf(s.path, sizeof s.path, "%s/tasks-%s.elf", HARNESS_APPS, name);
    return s;
}

static void check_kernel(const char *name, const char *first, const char *second, bool faulty)
{
    struct subject s = kernel(name, first, second);
    struct judged j;

    judge(&s, &each, false, &j);
    assert_int_equal(compare(&s, &j.cuts) != 0, faulty);
    assert_true(j.cuts.tried < j.cuts.cuts / 4);
    for (size_t i = 0; i < j.cuts.count; i++) {
        const struct hc_cut_reason *r = &j.cuts.cut[i].reason;
        assert_true(r->known && r->pair != HC_NO_PAIR);
        assert_int_equal(j.located.pairs.pair[r->pair].consumer, r->consumer);
        assert_int_equal(j.located.pairs.pair[r->pair].producer, r->producer);
    }
    forget(&j);
}

static void task_kernels_are_judged_as_brute_force_does(void **state)
{
    (void)state;
    check_kernel("chain", "sum", "number", true);
    check_kernel("chain-fix", "sum", "number", false);
    check_kernel("alpaca", "sum", "number", true);
    check_kernel("alpaca-fix", "sum", "number", false);
    check_kernel("ink", "buffer", "original", true);
    check_kernel("ink-fix", "buffer", "state", false);
}

/* The variable that is to blame, in each. */
static void cuts_name_their_reason(void **state)
{
    static const struct {
        const char *name, *blamed;
    } cases[] = { { "chain", "sum" }, { "alpaca", "commits" }, { "ink", "original" } };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject s = kernel(cases[i].name, NULL, NULL);
        struct judged j;
        struct bench b;
        judge(&s, &each, false, &j);
        switch_on(&b, &s);
        for (size_t n = 0; n < j.cuts.count; n++)
            assert_in_range(j.cuts.cut[n].reason.address, address_of(b.image, cases[i].blamed),
                            address_of(b.image, cases[i].blamed) + 1);
        put_away(&b);
        forget(&j);
    }
}

static void fewer_cuts_are_some_of_all(void **state)
{
    static const struct hc_cuts_choice choices[] = { { .every = 7, .seed = 1 },
                                                     { .random = 100, .seed = 1 },
                                                     { .random = 100, .seed = 2 },
                                                     { .random = 100, .seed = 1 } };
    struct subject s = kernel("chain", "sum", "number");
    uint64_t wrong[4];
    struct judged all;

    (void)state;
    judge(&s, &each, false, &all);
    for (int i = 0; i < 4; i++) {
        struct judged j;
        judge(&s, &choices[i], false, &j);
        assert_int_equal(j.cuts.cuts, i ? 100 : all.cuts.cuts / 7);
        for (size_t n = 0; n < j.cuts.count; n++)
            assert_true(is_wrong(&all.cuts, j.cuts.cut[n].first));
        wrong[i] = j.cuts.count ? j.cuts.cut[0].first * 100000 + hc_cuts_wrong(&j.cuts) : 0;
        forget(&j);
    }
    assert_int_equal(wrong[1], wrong[3]);
    assert_int_not_equal(wrong[1], wrong[2]);
    forget(&all);
}

/* ---- real checkpoints ---- */

static void checkpoints_of_registers_and_stack(void **state)
{
    static const struct {
        const char *folder, *name, *restore, *counts[2];
        bool faulty;
    } cases[] = {
        { HARNESS_APPS, "torn-single", "restore", { "history", "total" }, true },
        { HARNESS_APPS, "torn-double", "restore", { "history", "total" }, false },
        { HARNESS_FIRMWARE, "power_notices", "restore", { "done", "repeated" }, true },
        { HARNESS_FIRMWARE, "power_boots", "boot", { "result" }, false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject s = { .counts = { cases[i].counts[0], cases[i].counts[1] },
                             .checkpoint = "checkpoint",
                             .restore = cases[i].restore };
        struct judged j;
        snprintf(s.path, sizeof s.path, "%s/%s.elf", cases[i].folder, cases[i].name);
        judge(&s, &each, false, &j);
        assert_int_equal(compare(&s, &j.cuts) != 0, cases[i].faulty);
        forget(&j);
    }
}

/* ---- a hundred schemes ---- */

enum { SCHEMES = 100, FIRST_SCHEME = 2026, STEPS = 16 };
enum step { END, INVALIDATE, WRITE_0, WRITE_1, WRITE_2, VALIDATE, SELECT, SUM };
enum back { B_END, CHECK_VALID, CHECK_SUM, READ_0, READ_1, READ_2 };

struct scheme {
    uint8_t saving[STEPS], restoring[STEPS];
    uint16_t images;
};

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void shuffle(uint8_t *step, int n)
{
    for (int i = n - 1; i > 0; i--) {
        int k = (int)below((unsigned)i + 1);
        uint8_t kept = step[i];
        step[i] = step[k];
        step[k] = kept;
    }
}

/* The three words in any order, and around them, or between them, whatever the scheme has. */
static struct scheme draw_scheme(void)
{
    struct scheme s = { .images = (uint16_t)(1 + below(2)) };
    bool mark = below(2), sum = !mark || below(3) == 0, orderly = below(2);
    uint8_t steps[STEPS] = { WRITE_0, WRITE_1, WRITE_2 };
    int n = 3, at = 0;

    shuffle(steps, n);
    if (mark && orderly)
        s.saving[at++] = INVALIDATE;
    if (!orderly && mark)
        steps[n++] = INVALIDATE;
    if (!orderly)
        steps[n++] = mark ? VALIDATE : SUM;
    if (!orderly && s.images == 2)
        steps[n++] = SELECT;
    if (!orderly)
        shuffle(steps, n);
    for (int i = 0; i < n; i++)
        s.saving[at++] = steps[i];
    if (orderly && sum)
        s.saving[at++] = SUM;
    if (orderly && mark)
        s.saving[at++] = VALIDATE;
    if (orderly && s.images == 2)
        s.saving[at++] = SELECT;
    uint8_t back[] = { READ_0, READ_1, READ_2 };
    at = 0;
    shuffle(back, 3);
    uint8_t check = mark ? CHECK_VALID : CHECK_SUM;
    int when = below(4) ? 0 : (int)below(4); /* seldom too late */
    for (int i = 0; i < 4; i++)
        s.restoring[at++] = i == when ? check : back[i - (i > when)];
    return s;
}

static void put_scheme(struct hc_machine *m, const struct hc_image *image, const void *what)
{
    const struct scheme *s = what;

    for (uint32_t i = 0; i < STEPS; i++) {
        hc_poke(m, address_of(image, "saving") + i, s->saving[i]);
        hc_poke(m, address_of(image, "restoring") + i, s->restoring[i]);
    }
    hc_poke16(m, address_of(image, "images"), s->images);
}

/* Whether it is faulty; CHECKED: against brute force and --torn, too. */
static bool try_scheme(uint64_t number, bool checked)
{
    struct subject s = { .counts = { "history", "total", "state" }, .checkpoint = "checkpoint", .restore = "restore" };
    struct scheme scheme;
    struct judged j;

    seed = number;
    for (int i = 0; i < 8; i++)
        below(2);
    scheme = draw_scheme();
    s.prepare = put_scheme;
    s.what = &scheme;
    snprintf(s.path, sizeof s.path, "%s/power_schemes.elf", HARNESS_FIRMWARE);
    judge(&s, &each, checked, &j);
    bool wrong = hc_cuts_wrong(&j.cuts) != 0;
    if (checked) {
        printf("scheme: build/tests/power/test_cuts %llu\n", (unsigned long long)number);
        compare(&s, &j.cuts);
        if ((hc_torn_broken(&j.torn) != 0) != wrong)
            fail_msg("--torn says %s; %llu cuts wrong, from %llu on", wrong ? "it holds" : "torn",
                     (unsigned long long)hc_cuts_wrong(&j.cuts), (unsigned long long)(wrong ? j.cuts.cut[0].first : 0));
    }
    forget(&j);
    return wrong;
}

/* Half of the schemes are faulty: of whichever kind there are enough no more is checked. */
static void schemes_are_judged_alike(void **state)
{
    int found[2] = { 0, 0 };

    (void)state;
    for (uint64_t number = FIRST_SCHEME; found[0] + found[1] < SCHEMES; number++) {
        assert_true(number < FIRST_SCHEME + 1000);
        bool faulty = try_scheme(number, false);
        if (found[faulty] < SCHEMES / 2) {
            try_scheme(number, true);
            found[faulty]++;
        }
    }
}

/* test_cuts FIRST [COUNT]: these schemes, whatever they are. */
static uint64_t chosen_first, chosen_count;

static void chosen_schemes(void **state)
{
    uint64_t faulty = 0;

    (void)state;
    for (uint64_t i = 0; i < chosen_count; i++)
        faulty += try_scheme(chosen_first + i, true);
    printf("%llu of %llu faulty\n", (unsigned long long)faulty, (unsigned long long)chosen_count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest chosen[] = { cmocka_unit_test(chosen_schemes) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(task_kernels_are_judged_as_brute_force_does),
        cmocka_unit_test(cuts_name_their_reason),
        cmocka_unit_test(fewer_cuts_are_some_of_all),
        cmocka_unit_test(checkpoints_of_registers_and_stack),
        cmocka_unit_test(schemes_are_judged_alike),
    };

    chosen_first = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    chosen_count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (argc > 1)
        return cmocka_run_group_tests_name("schemes", chosen, NULL, NULL);
    return cmocka_run_group_tests_name("cuts", tests, NULL, NULL);
}
