/* Torn checkpoints with restore functions that write the application's variables: random schemes with a versioned
 * variable (power_versioned.c), each held against brute force, which shares nothing with the analysis but the machine:
 * power fails before each instruction of the first calls of checkpoint(), the program starts again, and what it leaves
 * is compared. A failing scheme prints its number, which `test_torn NUMBER` runs alone; `test_torn first N` runs more.
 */
#include "choice.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/trial/torn.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SCHEMES = 200, CALLS = 3, MOST_FAILURES = 600, STEPS = 12, LONGEST = 30000, RESULT = 12 };
enum step { END, INVALIDATE, WRITE_ROUND, WRITE_VALUE, WRITE_TOTAL, VALIDATE, SELECT };
enum back { B_END, CHECK_VALID, READ_ROUND, READ_VALUE, READ_TOTAL };

/* ---- schemes ---- */

struct scheme {
    uint16_t images;
    uint8_t saving[STEPS], restoring[STEPS];
};

static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void shuffle(uint8_t *step, unsigned n)
{
    for (unsigned i = n; i > 1; i--) {
        unsigned k = below(i);
        uint8_t kept = step[i - 1];
        step[i - 1] = step[k];
        step[k] = kept;
    }
}

/* Half of them in an order that is sound, the others in any; some forget a step. */
static struct scheme scheme_of(unsigned number)
{
    struct scheme s = { 0 };
    uint8_t writes[] = { WRITE_ROUND, WRITE_VALUE, WRITE_TOTAL }, reads[] = { READ_ROUND, READ_VALUE, READ_TOTAL };
    unsigned n = 0;

    seed = number * 7919u + 17;
    below(2);
    s.images = (uint16_t)(1 + below(3) % 2);
    shuffle(writes, 3);
    shuffle(reads, 3);
    s.saving[n++] = INVALIDATE;
    for (unsigned i = 0; i < 3; i++)
        s.saving[n++] = writes[i];
    s.saving[n++] = VALIDATE;
    if (s.images == 2)
        s.saving[n++] = SELECT;
    if (below(2))
        shuffle(s.saving, n);
    if (below(6) == 0)
        memmove(s.saving, s.saving + 1, STEPS - 1);
    s.restoring[0] = CHECK_VALID;
    memcpy(s.restoring + 1, reads, sizeof reads);
    if (below(5) == 0)
        shuffle(s.restoring, 4);
    return s;
}

/* ---- the program ---- */

struct subject {
    struct hc_launchpad *board;
    struct hc_machine *m;
    struct hc_image *image;
};

static uint32_t address_of(const struct subject *s, const char *name)
{
    struct hc_symbol symbol;

    assert_true(hc_image_symbol(s->image, name, &symbol));
    return symbol.address;
}

static struct subject subject_of(const struct scheme *scheme)
{
    struct subject s = { .board = hc_launchpad_new(NULL) };

    s.m = s.board->machine;
    s.image = harness_fill(s.m, "power_versioned");
    for (uint32_t i = 0; i < STEPS; i++) {
        hc_poke(s.m, address_of(&s, "saving") + i, scheme->saving[i]);
        hc_poke(s.m, address_of(&s, "restoring") + i, scheme->restoring[i]);
    }
    hc_poke16(s.m, address_of(&s, "images"), scheme->images);
    hc_machine_reset(s.m, HC_POR);
    return s;
}

static void subject_free(struct subject *s)
{
    hc_image_free(s->image);
    hc_launchpad_free(s->board);
}

/* ---- brute force ---- */

static enum hc_action stop(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static bool run_to(struct hc_machine *m, uint32_t pc)
{
    int hook = hc_hook_pc(m, pc, stop, NULL);
    enum hc_stop why = hc_machine_step(m, LONGEST, hc_now(m) + HC_SECOND);

    hc_unhook(m, hook);
    return why == HC_STOP_HOOK;
}

struct outcome {
    uint16_t total, result, round, value;
};

static struct outcome outcome_of(const struct subject *s)
{
    return (struct outcome){ hc_peek16(s->m, address_of(s, "total")), (uint16_t)hc_register(s->m, RESULT),
                             hc_peek16(s->m, address_of(s, "round")), hc_peek16(s->m, address_of(s, "value")) };
}

struct forced {
    bool wrong[CALLS][MOST_FAILURES]; /* at each call, after so many instructions */
    unsigned length[CALLS];
};

static bool goes_wrong(const struct subject *s, uint32_t back, const struct outcome *should)
{
    struct hc_snapshot *here = hc_snapshot_take(s->m);

    hc_machine_power_off(s->m, 1);
    hc_machine_reset(s->m, HC_POR);
    bool ends = run_to(s->m, back);
    struct outcome is = outcome_of(s);
    hc_snapshot_restore(s->m, here);
    hc_snapshot_free(here);
    return !ends || memcmp(&is, should, sizeof is) != 0;
}

static void force(const struct scheme *scheme, struct forced *out)
{
    struct subject s = subject_of(scheme);
    uint32_t entry = address_of(&s, "checkpoint");

    memset(out, 0, sizeof *out);
    assert_true(run_to(s.m, address_of(&s, "main")));
    uint32_t back = hc_peek16(s.m, hc_register(s.m, HC_SP));
    struct hc_snapshot *start = hc_snapshot_take(s.m);
    assert_true(run_to(s.m, back));
    struct outcome should = outcome_of(&s);
    hc_snapshot_restore(s.m, start);
    hc_snapshot_free(start);
    for (unsigned call = 0; call < CALLS; call++) {
        assert_true(run_to(s.m, entry));
        uint32_t return_to = hc_peek16(s.m, hc_register(s.m, HC_SP)), sp = hc_register(s.m, HC_SP);
        unsigned n = 0;
        for (; !(hc_register(s.m, HC_PC) == return_to && hc_register(s.m, HC_SP) > sp); n++) {
            assert_true(n < MOST_FAILURES);
            out->wrong[call][n] = goes_wrong(&s, back, &should);
            hc_machine_step(s.m, 1, HC_NEVER);
        }
        out->length[call] = n;
    }
    subject_free(&s);
}

/* ---- both ---- */

/* The user says what is versioned, or what is not to be compared, or nothing: then what the application leaves is never
 * quite right, but a scheme that holds makes it no worse. */
enum said { VERSIONED, EXCLUDED, NOTHING };

static void tear(const struct scheme *scheme, enum said said, struct hc_torn *torn)
{
    struct subject s = subject_of(scheme), other = subject_of(scheme);
    struct hc_nvm_range total = { address_of(&s, "total"), 2 }, begun = { address_of(&s, "rounds_begun"), 2 };
    struct hc_locate_config config = { .machine = s.m, .limit = 100000, .checkpoint = address_of(&s, "checkpoint") };
    struct hc_located located;

    hc_power_program_find(&config.program, s.image);
    if (said == VERSIONED)
        config.versioned = (struct hc_ranges){ &total, 1 };
    if (said == EXCLUDED)
        config.excluded = (struct hc_ranges){ &begun, 1 };
    hc_power_locate(&config, &located);
    assert_int_equal(located.end, HC_LOCATE_DONE);
    config.machine = other.m;
    assert_true(hc_power_tear(&config, &located, address_of(&s, "restore"), torn));
    hc_located_free(&located);
    subject_free(&s);
    subject_free(&other);
}

/* Whether any failure within the routine goes wrong; false if one before it does. */
static bool is_torn(const struct forced *forced)
{
    bool torn = false;

    for (unsigned call = 0; call < CALLS; call++)
        for (unsigned n = 0; n < forced->length[call]; n++) {
            if (!n && forced->wrong[call][n])
                return false;
            torn |= forced->wrong[call][n];
        }
    return torn;
}

static void compare_scheme(unsigned number, unsigned *wrong)
{
    static struct forced forced;
    struct scheme scheme = scheme_of(number);
    enum said said = (enum said)(number % 3);
    struct hc_torn torn;

    force(&scheme, &forced);
    tear(&scheme, said, &torn);
    assert_int_equal(torn.calls, CALLS);
    if (is_torn(&forced) && !hc_torn_broken(&torn))
        fail_msg("scheme %u: it holds, but is torn by brute force", number);
    for (size_t i = 0; i < torn.count && said != NOTHING; i++) {
        const struct hc_tear *t = &torn.tear[i];
        for (unsigned n = t->from; n <= t->to && n < forced.length[t->call - 1]; n++) {
            if (forced.wrong[t->call - 1][n] != (t->evaluated.effect > HC_EFFECT_NONE))
                fail_msg("scheme %u: call %u, after %u instructions: %s", number, t->call, n,
                         hc_effect_names[t->evaluated.effect]);
            *wrong += forced.wrong[t->call - 1][n];
        }
    }
    hc_torn_free(&torn);
}

static struct choice choice;

static void random_schemes(void **state)
{
    unsigned faulty = 0;

    (void)state;
    for (unsigned i = choice.first; i < choice.end; i++) {
        unsigned wrong = 0;
        compare_scheme(i, &wrong);
        faulty += wrong != 0;
    }
    if (choice.end - choice.first >= SCHEMES) /* else the test would show little */
        assert_in_range(faulty, (choice.end - choice.first) / 6, (choice.end - choice.first) * 4 / 5);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_schemes) };

    choice = choose(argc, argv, SCHEMES);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
