/* A node as `hindcast cc` builds it, reset at random moments: of each life that was rescued the replay reaches the last
 * event before the reset, and all windows of memory agree.
 *
 *   test_resets IMAGE RESETS SEED */
#include "../../runtime/codec/page.h"
#include "machine/board/telosb.h"
#include "replay/border.h"
#include "replay/replay.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIVES = 40 /* in one log */, SHORT = 12 /* one of so many is cut off while the recorder starts */ };

static char **words;

struct node {
    struct harness h;
    struct hc_border border;
    uint64_t events;          /* of this life */
    uint64_t expected[LIVES]; /* by boot: lives that wrote nothing have no number */
    int boots;
    char path[40];
    uint64_t seed, random;
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

static void start(struct node *n)
{
    struct hc_telosb_config config = { .node_id = 1 };
    char text[320];
    n->h.board = hc_telosb_new(&config, NULL);
    assert_non_null(n->h.board);
    n->h.machine = n->h.board->machine;
    n->h.image = harness_fill(n->h.machine, words[1]);
    if (hc_border_read(&n->border, n->h.image, text, sizeof text))
        fail_msg("%s", text);
    hc_machine_reset(n->h.machine, HC_POR);
    hc_hook_pc(n->h.machine, n->border.read, count_event, n);
    if (n->border.read_via)
        hc_hook_pc(n->h.machine, n->border.read_via, count_event, n);
    for (int i = 0; i < n->border.vectors; i++)
        if (n->border.trampoline[i])
            hc_hook_pc(n->h.machine, n->border.trampoline[i], count_event, n);
    strcpy(n->path, "/tmp/hindcast-resets-XXXXXX");
    int fd = mkstemp(n->path);
    assert_true(fd >= 0);
    close(fd);
}

/* One more than the largest number of a boot in the chip. */
static int count_boots(struct node *n)
{
    uint8_t page[HC_PAGE_HEADER];
    int boots = 0;
    for (uint32_t at = 0; at < HC_M25P80_SIZE; at += HC_M25P80_PAGE) {
        hc_m25p80_read(n->h.board->flash, at, page, sizeof page);
        int boot = page[2] | page[3] << 8;
        if (page[0] == HC_PAGE_MAGIC && page[1] < HC_STREAMS && boot < LIVES && boot >= boots)
            boots = boot + 1;
    }
    return boots;
}

/* Goes on until the recorder writes to its log, then somewhat further. */
static void run_into_recorder(struct node *n)
{
    enum { LONGEST = 3000000 };
    struct hc_symbol function;
    for (int i = 0; i < LONGEST; i++) {
        hc_machine_step(n->h.machine, 1, HC_NEVER);
        if (hc_image_function_at(n->h.image, hc_register(n->h.machine, HC_PC), &function) &&
            strncmp(function.name, "hc_log_", 7) == 0)
            break;
    }
    hc_machine_step(n->h.machine, next_random(n) % 6000, HC_NEVER);
}

static void record(struct node *n)
{
    char message[200];
    uint64_t before = 0;
    for (int i = 0; i < LIVES; i++) {
        uint64_t draw = next_random(n);
        n->events = 0;
        harness_run(&n->h, draw % SHORT == 0 ? hc_us(draw >> 20 & 0x7fff) : hc_us(draw >> 20 & 0x3fffff));
        if (draw % 3 == 0)
            run_into_recorder(n);
        int boots = count_boots(n);
        assert_true(boots <= n->boots + 2);
        if (boots > n->boots + 1)
            n->expected[boots - 2] = before; /* the life before wrote nothing itself */
        if (boots > n->boots)
            n->expected[boots - 1] = n->events;
        n->boots = boots;
        before = n->events;
        hc_machine_reset(n->h.machine, HC_PUC);
    }
    if (hc_m25p80_save_file(n->h.board->flash, n->path, message, sizeof message))
        fail_msg("%s", message);
}

/* The stretch at which R stands; *LIFE: where it ends. Returns how many events it has. */
static uint64_t replay_stretch(struct hc_replay *r, struct hc_replay_life *life)
{
    struct hc_replay_place place;
    struct hc_replay_checks checks;
    enum hc_replay_stop stop = hc_replay_run(r, UINT64_MAX);
    assert_true(hc_replay_life(r, life));
    if (stop != HC_REPLAY_END)
        fail_msg("boot %u: %s", life->boot, hc_replay_why(r));
    hc_replay_place(r, &place);
    hc_replay_checks(r, &checks);
    assert_int_equal(checks.made, checks.agreed);
    return place.interrupts + place.reads;
}

/* An event that the reset came upon may be missing. */
static bool check(const struct node *n, uint64_t events, const struct hc_replay_life *life, const char *why)
{
    uint64_t expected = n->expected[life->boot];
    if (!life->rescued || !life->in_last_segment)
        return false;
    if (events != expected && events + 1 != expected)
        fail_msg("%s, seed %llu: boot %u: %llu of %llu events: %s", words[1], (unsigned long long)n->seed, life->boot,
                 (unsigned long long)events, (unsigned long long)expected, why);
    return true;
}

static unsigned replay_all(struct node *n)
{
    struct hc_replay *r;
    struct hc_replay_message message;
    struct hc_replay_life life;
    unsigned rescued = 0;
    if (hc_replay_open(&r, n->h.image, n->path, -1, &message))
        fail_msg("%s", message.text);
    struct hc_replay_place first;
    hc_replay_place(r, &first);
    for (int next = (int)first.segment_index; next >= 0; next = hc_replay_next_segment(r)) {
        struct hc_replay_segment segment;
        hc_replay_segment(r, (size_t)next, &segment);
        assert_int_equal(hc_replay_restart(r, (size_t)next, false, &message), HC_REPLAY_OK);
        uint64_t events = replay_stretch(r, &life);
        if (segment.reset) /* else something before it is missing */
            rescued += check(n, events, &life, hc_replay_why(r));
    }
    hc_replay_free(r);
    return rescued;
}

static void resets(void **state)
{
    (void)state;
    uint64_t all = strtoull(words[2], NULL, 0), seed = strtoull(words[3], NULL, 0), done = 0, rescued = 0;
    for (; done < all; done += LIVES, seed++) {
        static struct node n;
        memset(&n, 0, sizeof n);
        n.seed = seed;
        n.random = seed * 0x9e3779b97f4a7c15u + 1;
        start(&n);
        record(&n);
        rescued += replay_all(&n);
        unlink(n.path);
        harness_stop(&n.h);
    }
    print_message("%llu resets, %llu lives up to their last event\n", (unsigned long long)done,
                  (unsigned long long)rescued);
    assert_true(rescued * 3 > done * 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resets) };
    words = argv;
    return argc == 4 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
