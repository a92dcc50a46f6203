/* An FR5969 that records into its FRAM and loses power at random moments: the recorder's own memory is in FRAM as well,
 * so the replay of each life reaches its last event.
 *
 *   test_power_loss IMAGE LOSSES */
#include "machine/board/msp430fr5969.h"
#include "recorded/border.h"
#include "replay/replay.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOG = 0x10000, LOG_END = 0x14000, LONGEST_US = 700000 };

static char **words;

struct node {
    struct harness h;
    struct hc_msp430fr5969 chip;
    uint64_t random, events;
    char path[40];
};

static uint64_t next_random(struct node *n)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 7;
    return n->random ^= n->random << 17;
}

static enum hc_action count_event(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct node *)owner)->events++;
    return HC_CONTINUE;
}

static void count_events(struct node *n)
{
    struct hc_border border;
    char text[320];

    if (hc_border_read(&border, n->h.image, text, sizeof text))
        fail_msg("%s", text);
    hc_hook_pc(n->h.machine, border.read, count_event, n);
    if (border.read_via)
        hc_hook_pc(n->h.machine, border.read_via, count_event, n);
    for (int i = 0; i < border.link.vectors; i++)
        if (border.trampoline[i])
            hc_hook_pc(n->h.machine, border.trampoline[i], count_event, n);
}

static void save_log(struct node *n)
{
    FILE *file = fopen(n->path, "wb");

    assert_non_null(file);
    for (uint32_t at = LOG; at < LOG_END; at++)
        assert_true(fputc(hc_peek(n->h.machine, at), file) != EOF);
    assert_int_equal(fclose(file), 0);
}

/* How many events of the first life the replay has. */
static uint64_t replay(struct node *n, uint64_t seed)
{
    struct hc_replay_message problem;
    struct hc_replay_checks checks;
    struct hc_replay_place place;
    struct hc_replay *r;

    if (hc_replay_open(&r, n->h.image, n->path, -1, &problem))
        fail_msg("seed %llu: %s", (unsigned long long)seed, problem.text);
    if (hc_replay_run(r, UINT64_MAX) != HC_REPLAY_END)
        fail_msg("seed %llu: %s", (unsigned long long)seed, hc_replay_why(r));
    hc_replay_checks(r, &checks);
    assert_int_equal(checks.made, checks.agreed);
    hc_replay_place(r, &place);
    hc_replay_free(r);
    return place.interrupts + place.reads;
}

static void switch_off_and_on(struct node *n)
{
    hc_machine_power_off(n->h.machine, next_random(n));
    hc_machine_reset(n->h.machine, HC_POR);
}

/* An event that the loss came upon may be missing. */
static uint64_t lose_power(uint64_t seed)
{
    struct node n = { .random = seed * 0x9e3779b97f4a7c15u + 1, .path = "/tmp/hindcast-power-loss-XXXXXX" };
    int file = mkstemp(n.path);

    assert_true(file >= 0);
    close(file);
    assert_int_equal(hc_msp430fr5969_new(&n.chip, &hc_msp430fr5969_part, NULL), 0);
    n.h.machine = n.chip.machine;
    n.h.image = harness_fill(n.h.machine, words[1]);
    hc_machine_reset(n.h.machine, HC_POR);
    count_events(&n);
    harness_run(&n.h, hc_us(100000 + next_random(&n) % LONGEST_US));
    hc_machine_step(n.h.machine, next_random(&n) % 3000, HC_NEVER);
    uint64_t events = n.events;
    switch_off_and_on(&n);
    while (next_random(&n) % 3 == 0) { /* again, while the recorder starts */
        harness_run(&n.h, hc_us(next_random(&n) % 60000));
        switch_off_and_on(&n);
    }
    harness_run(&n.h, hc_us(200000));
    save_log(&n);
    uint64_t replayed = replay(&n, seed);
    if (replayed != events && replayed + 1 != events)
        fail_msg("seed %llu: %llu of %llu events", (unsigned long long)seed, (unsigned long long)replayed,
                 (unsigned long long)events);
    unlink(n.path);
    harness_stop(&n.h);
    return events;
}

static void losses(void **state)
{
    uint64_t count = strtoull(words[2], NULL, 0), events = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= count; seed++)
        events += lose_power(seed);
    print_message("%llu losses of power, %llu events before them, all replayed\n", (unsigned long long)count,
                  (unsigned long long)events);
    assert_true(events > 50 * count);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(losses) };

    words = argv;
    return argc == 3 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
