/* Interrupts at every instruction: each is replayed exactly where it came. */
#include "ideal.h"
#include "replay/hasher.h"
#include "replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Ticks are in these; everything else is found by hash. */
static const char *const instrumented[] = { "main",        "twice",     "fibonacci", "by_goto",    "library",
                                            "peripherals", "reads",     "waits",     "on_5",       "on_6",
                                            "on_13",       "handler_5", "handler_6", "handler_13", "__hc_tick",
                                            "__hc_read",   "hc_update", NULL };

/* A replay that is compared with what the ideal recorder saw. */
struct compared {
    struct ideal recording;
    struct hc_replay *replay;
    struct hc_replay_snapshot *begin;
    struct hc_hasher *hasher;
    size_t at;
    bool differs;
};

static void compare(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    struct compared *c = owner;
    if (c->differs)
        return;
    if (c->at < c->recording.hashes && c->recording.hash[c->at].pc == pc && c->recording.hash[c->at].hash == hash) {
        c->at++;
        return;
    }
    c->differs = true;
    hc_request_stop(m);
}

static void on_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct compared *c = owner;
    if (event->kind == HC_REPLAY_INTERRUPT)
        hc_hasher_interrupt(c->hasher, hc_register(hc_replay_machine(r), HC_SP));
}

static void start(struct compared *c, const char *path, bool ordered, const char *const *plain)
{
    struct hc_replay_message message;
    memset(c, 0, sizeof *c);
    ideal_start(&c->recording, path, ordered, plain);
    if (hc_replay_new(&c->replay, c->recording.image, "msp430f1611", ideal_source(&c->recording), &message))
        fail_msg("%s", message.text);
    c->begin = hc_replay_snapshot_take(c->replay);
    c->hasher = hc_hasher_new(hc_replay_machine(c->replay), &c->recording.border, c->recording.regs, compare, c);
    hc_replay_listen(c->replay, on_event, c);
}

static void stop(struct compared *c)
{
    hc_hasher_free(c->hasher);
    hc_replay_snapshot_free(c->begin);
    hc_replay_free(c->replay);
    ideal_stop(&c->recording);
}

static void differ(struct compared *c, const char *what)
{
    struct hc_machine *m = hc_replay_machine(c->replay);
    struct hc_replay_place place;
    char where[2][200];
    hc_replay_place(c->replay, &place);
    uint32_t recorded = c->at < c->recording.hashes ? c->recording.hash[c->at].pc : 0;
    fail_msg("%s: instruction %zu of %zu: recorded %s, replay (before) %s; interrupt %llu\n%s", what, c->at,
             c->recording.hashes, hc_image_locate(c->recording.image, recorded, where[0], sizeof where[0]),
             hc_image_locate(c->recording.image, hc_register(m, HC_PC), where[1], sizeof where[1]),
             (unsigned long long)place.interrupts, hc_replay_why(c->replay));
}

/* Replays the whole recording, from its beginning. */
static void verify(struct compared *c, const char *what)
{
    hc_hasher_restart(c->hasher);
    hc_replay_snapshot_restore(c->replay, c->begin);
    c->at = 0;
    c->differs = false;
    enum hc_replay_stop stop = hc_replay_run(c->replay, UINT64_MAX);
    if (stop != HC_REPLAY_END || c->differs || c->at != c->recording.hashes)
        differ(c, what);
}

static void record_rest(struct compared *c)
{
    while (ideal_run(&c->recording, ideal_instructions(&c->recording) + 1000000))
        ;
}

/* USUAL, but for those who are in a hurry, or not at all. */
static uint64_t stride(uint64_t usual)
{
    const char *wanted = getenv("HINDCAST_STRIDE");
    return wanted ? strtoull(wanted, NULL, 0) : usual;
}

/* Interrupts VECTOR at each boundary of the program in turn, or at each STEPth. */
static void at_each(const char *path, bool ordered, const char *const *plain, int vector, uint64_t step)
{
    struct compared c;
    struct ideal_place begin;
    char what[64];
    start(&c, path, ordered, plain);
    ideal_save(&c.recording, &begin);
    uint64_t k = 0, n = 0;
    for (;; k += stride(step), n++) {
        ideal_return(&c.recording, &begin);
        if (!ideal_run(&c.recording, k))
            break;
        if (!hc_register(c.recording.machine, HC_SP)) /* before there is a stack nobody enables even those */
            continue;
        ideal_interrupt(&c.recording, vector);
        record_rest(&c);
        snprintf(what, sizeof what, "vector %d at instruction %llu", vector, (unsigned long long)k);
        verify(&c, what);
    }
    ideal_drop(&begin);
    assert_true(k > 1000);
    print_message("%s: %llu positions\n", path, (unsigned long long)n);
    stop(&c);
}

static void at_every_instruction(const char *path, bool ordered, const char *const *plain, int vector)
{
    at_each(path, ordered, plain, vector, 1);
}

static void no_interrupt(void **state)
{
    (void)state;
    struct compared c;
    start(&c, HARNESS_REPLAY "/small.elf", true, NULL);
    record_rest(&c);
    verify(&c, "without interrupts");
    stop(&c);
}

static void every_instruction_hashed(void **state)
{
    (void)state;
    at_every_instruction(HARNESS_REPLAY "/small.elf", true, NULL, 6);
}

static void every_instruction_counted(void **state)
{
    (void)state;
    at_every_instruction(HARNESS_REPLAY "/small.elf", true, instrumented, 6);
    at_every_instruction(HARNESS_REPLAY "/small.elf", true, instrumented, 13);
}

static void every_instruction_unordered(void **state)
{
    (void)state;
    at_every_instruction(HARNESS_REPLAY "/small.elf", false, instrumented, 5);
}

static void every_instruction_nonmaskable(void **state)
{
    (void)state;
    at_every_instruction(HARNESS_REPLAY "/small.elf", true, NULL, 14);
}

/* Programs as hindcast cc makes them, hashed where the link step says. They are longer: HINDCAST_STRIDE=1 for all. */
static void every_instruction_of_threads(void **state)
{
    enum { STEP = 17 };
    (void)state;
    at_each(HARNESS_REPLAY "/threads-short.elf", true, IDEAL_PROVED, 6, STEP);
    at_each(HARNESS_REPLAY "/threads-short.elf", true, IDEAL_PROVED, 13, STEP);
    at_each(HARNESS_REPLAY "/preemptive-short.elf", true, IDEAL_PROVED, 6, STEP);
    at_each(HARNESS_REPLAY "/preemptive-short.elf", true, IDEAL_PROVED, 13, STEP);
}

static void every_instruction_of_longjmp(void **state)
{
    (void)state;
    at_every_instruction(HARNESS_REPLAY "/longjmp-short.elf", true, IDEAL_PROVED, 6);
    at_every_instruction(HARNESS_REPLAY "/longjmp-short.elf", true, IDEAL_PROVED, 13);
}

static void every_instruction_of_code_in_ram(void **state)
{
    enum { STEP = 3 };
    (void)state;
    at_each(HARNESS_REPLAY "/ramcode-short.elf", true, IDEAL_PROVED, 6, STEP);
}

/* ---- pairs ---- */

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Two interrupts, anywhere. PAIRS may be set by the environment, for longer runs. */
static void random_pairs(void **state)
{
    (void)state;
    enum { STACK = 2 }; /* instructions until there is one */
    static const int vectors[] = { 5, 6, 13, 14 };
    const char *wanted = getenv("HINDCAST_PAIRS");
    long pairs = wanted ? atol(wanted) : 3000;
    uint64_t seed = 88172645463325252u;
    struct compared c;
    struct ideal_place begin;
    char what[96];
    start(&c, HARNESS_REPLAY "/small.elf", true, instrumented);
    ideal_save(&c.recording, &begin);
    record_rest(&c);
    uint64_t length = ideal_instructions(&c.recording);
    for (long i = 0; i < pairs; i++) {
        uint64_t first = STACK + random_next(&seed) % (length - STACK);
        uint64_t second = STACK + random_next(&seed) % (length - STACK);
        int a = vectors[random_next(&seed) % 4], b = vectors[random_next(&seed) % 4];
        if (i % 4 == 0) /* close to each other */
            second = first + random_next(&seed) % 40;
        ideal_return(&c.recording, &begin);
        ideal_run(&c.recording, first < second ? first : second);
        ideal_interrupt(&c.recording, a);
        ideal_run(&c.recording, first < second ? second : first);
        ideal_interrupt(&c.recording, b);
        record_rest(&c);
        snprintf(what, sizeof what, "pair %ld: vector %d at %llu, %d at %llu", i, a, (unsigned long long)first, b,
                 (unsigned long long)second);
        verify(&c, what);
    }
    print_message("%ld pairs over %llu instructions\n", pairs, (unsigned long long)length);
    ideal_drop(&begin);
    stop(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_interrupt),
        cmocka_unit_test(every_instruction_hashed),
        cmocka_unit_test(every_instruction_counted),
        cmocka_unit_test(every_instruction_unordered),
        cmocka_unit_test(every_instruction_nonmaskable),
        cmocka_unit_test(every_instruction_of_threads),
        cmocka_unit_test(every_instruction_of_longjmp),
        cmocka_unit_test(every_instruction_of_code_in_ram),
        cmocka_unit_test(random_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
