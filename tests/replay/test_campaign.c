/* Interrupts in loops that nobody counts: each position is found once, and replayed at its place.
 *
 * HINDCAST_INTERRUPTS says how many; `make check-positions` has ten million of them. */
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

enum { FEW = 40000, SHORTEST = 3, SPREAD = 13 }; /* instructions between two attempts to interrupt */

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static uint64_t wanted(void)
{
    const char *text = getenv("HINDCAST_INTERRUPTS");
    return text ? strtoull(text, NULL, 0) : FEW;
}

/* Runs the program to its end. */
static void record(struct ideal *r, uint64_t *seed)
{
    enum { NONE = 0xffff };
    while (ideal_run(r, ideal_instructions(r) + SHORTEST + random_next(seed) % SPREAD)) {
        int vector = (int)(random_next(seed) % (uint64_t)(r->border.link.vectors - 1));
        if (r->border.link.handler[vector] != NONE)
            ideal_interrupt(r, vector);
    }
}

struct comparison {
    const struct ideal *recording;
    size_t at;
};

static void compare(void *owner, struct hc_machine *m, uint32_t pc, uint64_t hash)
{
    struct comparison *c = owner;
    const struct ideal *r = c->recording;
    if (c->at < r->hashes && r->hash[c->at].pc == pc && r->hash[c->at].hash == hash)
        c->at++;
    else
        hc_request_stop(m);
}

static void on_event(void *owner, struct hc_replay *replay, const struct hc_replay_event *event)
{
    if (event->kind == HC_REPLAY_INTERRUPT)
        hc_hasher_interrupt(owner, hc_register(hc_replay_machine(replay), HC_SP));
}

struct campaign {
    struct ideal recording;
    struct hc_replay *replay;
    struct hc_replay_snapshot *begin;
    const char *name;
    uint64_t seed, interrupts;
};

static void check(struct campaign *c)
{
    struct hc_replay_place place;
    char where[200];
    uint32_t pc;
    hc_replay_snapshot_restore(c->replay, c->begin);
    hc_replay_check_positions(c->replay, true);
    enum hc_replay_stop stop = hc_replay_run(c->replay, UINT64_MAX);
    hc_replay_check_positions(c->replay, false);
    hc_replay_place(c->replay, &place);
    c->interrupts += place.interrupts;
    uint64_t again = hc_replay_ambiguous(c->replay, &pc);
    if (again || stop != HC_REPLAY_END)
        fail_msg("%s, seed %llu: %llu positions come twice, the last at %s; %s", c->name, (unsigned long long)c->seed,
                 (unsigned long long)again, hc_image_locate(c->recording.image, pc, where, sizeof where),
                 hc_replay_why(c->replay));
}

static void verify(struct campaign *c)
{
    struct comparison comparison = { &c->recording, 0 };
    hc_replay_snapshot_restore(c->replay, c->begin);
    struct hc_hasher *hasher =
        hc_hasher_new(hc_replay_machine(c->replay), &c->recording.border, c->recording.regs, compare, &comparison);
    hc_replay_listen(c->replay, on_event, hasher);
    enum hc_replay_stop stop = hc_replay_run(c->replay, UINT64_MAX);
    if (stop != HC_REPLAY_END || comparison.at != c->recording.hashes)
        fail_msg("%s, seed %llu: instruction %zu of %zu differs; %s", c->name, (unsigned long long)c->seed,
                 comparison.at, c->recording.hashes, hc_replay_why(c->replay));
    hc_replay_listen(c->replay, NULL, NULL);
    hc_hasher_free(hasher);
}

static void interrupt_often(const char *name, uint64_t share)
{
    struct campaign c = { .name = name };
    struct ideal_place begin;
    struct hc_replay_message message;
    char path[300];
    uint64_t instructions = 0, seed = 88172645463325252u;
    snprintf(path, sizeof path, "%s/%s.elf", HARNESS_REPLAY, name);
    ideal_start(&c.recording, path, true, IDEAL_PROVED);
    ideal_save(&c.recording, &begin);
    if (hc_replay_new(&c.replay, c.recording.image, "msp430f1611", ideal_source(&c.recording), &message))
        fail_msg("%s", message.text);
    c.begin = hc_replay_snapshot_take(c.replay);
    while (c.interrupts < share) {
        ideal_return(&c.recording, &begin);
        c.seed = seed;
        record(&c.recording, &seed);
        instructions += ideal_instructions(&c.recording);
        check(&c);
        verify(&c);
    }
    print_message("%s: %llu interrupts in %llu instructions: no position comes twice\n", name,
                  (unsigned long long)c.interrupts, (unsigned long long)instructions);
    hc_replay_snapshot_free(c.begin);
    hc_replay_free(c.replay);
    ideal_drop(&begin);
    ideal_stop(&c.recording);
}

static void loops(void **state)
{
    (void)state;
    interrupt_often("uncounted", wanted() * 3 / 4);
}

static void threads(void **state)
{
    (void)state;
    interrupt_often("threads-short", wanted() / 8);
    interrupt_often("preemptive-short", wanted() / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),
        cmocka_unit_test(threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
