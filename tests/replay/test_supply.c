/* --flush-below: while the supply is low, a page waits for half a second at most, so that the log reaches up to the end
 * of a node whose battery dies; at other times nothing is written for that. IMAGE is built with --flush=0
 * --flush-below=2.8. */
#include "machine/board/telosb.h"
#include "replay/replay.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { FULL = 3000000, LOW = 2700000 }; /* microvolts */

static const char *elf;
static char flash[] = "/tmp/hindcast-supply-XXXXXX";

static void set_supply(struct harness *h, int32_t microvolts)
{
    hc_wire_set(h->machine, h->board->chip.supply, microvolts);
}

/* Up to when the log in the node's flash chip reaches, in microseconds. */
static uint64_t log_reaches(struct harness *h)
{
    struct hc_replay_message problem;
    struct hc_replay_place place;
    struct hc_replay *replay;
    char message[200];

    if (hc_m25p80_save_file(h->board->flash, flash, message, sizeof message))
        fail_msg("%s", message);
    if (hc_replay_open(&replay, h->image, flash, -1, &problem))
        fail_msg("%s", problem.text);
    assert_int_equal(hc_replay_run(replay, UINT64_MAX), HC_REPLAY_END);
    hc_replay_place(replay, &place);
    hc_replay_free(replay);
    return place.time_us;
}

static void test_supply(void **state)
{
    struct harness h = { .board = hc_telosb_new(NULL, NULL) };

    (void)state;
    h.machine = h.board->machine;
    h.image = harness_fill(h.machine, elf);
    hc_machine_reset(h.machine, HC_POR);
    harness_run(&h, 20 * HC_SECOND);
    uint64_t before = log_reaches(&h);
    assert_true(before < 2000000); /* no page is full */

    set_supply(&h, LOW);
    harness_run(&h, 2 * HC_SECOND);
    uint64_t low = log_reaches(&h);
    print_message("20 s at 3.0 V: the log reaches to %.3f s; 2 s at 2.7 V: %.3f s\n", (double)before / 1e6,
                  (double)low / 1e6);
    assert_true(low > 20000000);
    harness_run(&h, 10 * HC_SECOND);
    assert_true(log_reaches(&h) > low + 8500000);

    set_supply(&h, FULL);
    harness_run(&h, 2 * HC_SECOND);
    uint64_t back = log_reaches(&h);
    harness_run(&h, 20 * HC_SECOND);
    assert_true(log_reaches(&h) == back);
    harness_stop(&h);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_supply) };

    if (argc != 2 || mkstemp(flash) < 0)
        return 2;
    elf = argv[1];
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(flash);
    return result;
}
