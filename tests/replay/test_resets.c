/* A node as `hindcast cc` builds it, reset at random moments in all ways that there are, and again while the recorder
 * starts: of each life the replay reaches the last event before the reset, and all windows of memory agree. Only a loss
 * of power may cost what waited in RAM.
 *
 *   test_resets IMAGE RESETS SEED        HINDCAST_RESETS: another number of them */
#include "../../runtime/codec/page.h"
#include "machine/board/telosb.h"
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

enum {
    LIVES = 40, /* in one log */
    SHORT = 12, /* one of so many is cut off while the recorder starts */
    AGAIN = 5,  /* after one of so many resets comes another, as from a button that bounces */
    WDTCTL = 0x120,
    FCTL1 = 0x128,
};

static char **words;

/* A life that has left something in the log. */
struct life {
    uint64_t events;
    int kind;   /* of the reset that ended it */
    bool cut;   /* power was lost before the next one had begun: so was what waited in RAM */
    bool whole; /* its replay reaches the last event */
};

struct node {
    struct harness h;
    struct hc_border border;
    uint64_t events;         /* of this life */
    struct life life[LIVES]; /* by boot: lives that wrote nothing have no number */
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
    for (int i = 0; i < n->border.link.vectors; i++)
        if (n->border.trampoline[i])
            hc_hook_pc(n->h.machine, n->border.trampoline[i], count_event, n);
    strcpy(n->path, "/tmp/hindcast-resets-XXXXXX");
    int fd = mkstemp(n->path);
    assert_true(fd >= 0);
    close(fd);
}

/* One more than the largest number of a boot in the chip. Of one whose pages are torn the next one has the number. */
static int count_boots(struct node *n)
{
    uint8_t page[HC_M25P80_PAGE];
    int boots = 0;
    for (uint32_t at = 0; at < HC_M25P80_SIZE; at += HC_M25P80_PAGE) {
        hc_m25p80_read(n->h.board->flash, at, page, sizeof page);
        int boot = page[2] | page[3] << 8;
        if (page[0] == HC_PAGE_MAGIC && page[1] < HC_STREAMS && boot < LIVES && boot >= boots &&
            hc_page_crc(0xffff, page, sizeof page) == 0)
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

/* ---- resets ---- */

static void reset_by_debugger(struct node *n)
{
    hc_machine_reset(n->h.machine, HC_PUC);
}

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* By ACLK, which runs while the node sleeps, from 0 to 64. A program that begins just then stops it once. */
static void expire_watchdog(struct node *n)
{
    struct hc_machine *m = n->h.machine;
    int hook = hc_hook_pc(m, hc_peek16(m, 0xfffe), stop_here, n);
    do
        hc_bus_write(m, WDTCTL, 0x5a0f, 2);
    while (hc_machine_run(m, hc_now(m) + hc_us(4000)) != HC_STOP_HOOK);
    hc_unhook(m, hook);
}

static void violate_watchdog_key(struct node *n)
{
    hc_bus_write(n->h.machine, WDTCTL, 0x0080, 2);
    hc_machine_step(n->h.machine, 1, HC_NEVER);
}

static void violate_flash_key(struct node *n)
{
    hc_bus_write(n->h.machine, FCTL1, 0x0002, 2);
    hc_machine_step(n->h.machine, 1, HC_NEVER);
}

static void press_button(struct node *n)
{
    hc_button_press(n->h.board->reset_button);
    harness_run(&n->h, hc_us(1 + next_random(n) % 3000));
    hc_button_release(n->h.board->reset_button);
}

/* Whether the program has selected the radio, which then answers on the flash chip's bus: only a reset of the hardware
 * would take it away. */
static bool has_bus(struct node *n)
{
    enum { P4OUT = 0x1d, P4DIR = 0x1e, RADIO = 4 };
    return hc_peek(n->h.machine, P4DIR) & ~hc_peek(n->h.machine, P4OUT) & RADIO;
}

/* The program, not the recorder, jumps to the reset vector; all peripherals and interrupts stay as they are. */
static void jump(struct node *n)
{
    enum { LONGEST = 3000000 };
    struct hc_machine *m = n->h.machine;
    struct hc_symbol function;
    for (int i = 0; i < LONGEST; i++) {
        if (!(hc_register(m, HC_SR) & HC_SR_CPUOFF) && !has_bus(n) &&
            hc_image_function_at(n->h.image, hc_register(m, HC_PC), &function) &&
            strncmp(function.name, "hc_", 3) != 0 && strncmp(function.name, "__hc_", 5) != 0)
            break;
        hc_machine_step(m, 1, HC_NEVER);
    }
    hc_set_register(m, HC_PC, hc_peek16(m, 0xfffe));
}

static void cut_power(struct node *n)
{
    hc_machine_power_off(n->h.machine, next_random(n));
    hc_machine_reset(n->h.machine, HC_POR);
}

static const struct {
    const char *name;
    void (*reset)(struct node *n);
    bool loses; /* what waits in RAM */
} kinds[] = {
    { "debugger", reset_by_debugger, false },
    { "watchdog", expire_watchdog, false },
    { "watchdog key", violate_watchdog_key, false },
    { "flash key", violate_flash_key, false },
    { "RST pin", press_button, false },
    { "jump", jump, false },
    { "power", cut_power, true },
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* What came of all lives, by kind of reset. */
struct tally {
    unsigned resets[KINDS], lives[KINDS], whole[KINDS], cut; /* cut: lost with the power */
};

/* Names the life that ends now, if it has left anything in the log. */
static void end_life(struct node *n, struct life *now, const struct life *before)
{
    int boots = count_boots(n);
    assert_true(boots <= n->boots + 2);
    if (boots > n->boots + 1)
        n->life[boots - 2] = *before; /* which wrote nothing itself */
    if (boots > n->boots)
        n->life[boots - 1] = *now;
    n->boots = boots;
}

static void live(struct node *n, bool again)
{
    uint64_t draw = next_random(n);
    n->events = 0;
    if (again)
        harness_run(&n->h, hc_us(draw >> 20 & 0x7fff));
    else
        harness_run(&n->h, draw % SHORT == 0 ? hc_us(draw >> 20 & 0x7fff) : hc_us(draw >> 20 & 0x3fffff));
    if (!again && draw % 3 == 0)
        run_into_recorder(n);
}

static void record(struct node *n, struct tally *tally)
{
    char message[200];
    struct life before = { 0 };
    bool again = false;
    for (int i = 0; i < LIVES; i++) {
        int kind = (int)(next_random(n) % KINDS), boots = n->boots;
        live(n, again);
        kinds[kind].reset(n);
        struct life now = { .events = n->events, .kind = kind };
        if (boots && now.events == 0)
            n->life[boots - 1].cut |= kinds[kind].loses;
        end_life(n, &now, &before);
        before = now;
        again = next_random(n) % AGAIN == 0;
        tally->resets[kind]++;
    }
    if (hc_m25p80_save_file(n->h.board->flash, n->path, message, sizeof message))
        fail_msg("%s", message);
}

/* ---- replay ---- */

/* The stretch at which R stands; *LIFE: where it ends. Returns how many events it has. */
static uint64_t replay_stretch(struct node *n, struct hc_replay *r, struct hc_replay_life *life)
{
    struct hc_replay_place place;
    struct hc_replay_checks checks;
    enum hc_replay_stop stop = hc_replay_run(r, UINT64_MAX);
    assert_true(hc_replay_life(r, life));
    if (stop != HC_REPLAY_END)
        fail_msg("%s, seed %llu: boot %u: %s", words[1], (unsigned long long)n->seed, life->boot, hc_replay_why(r));
    hc_replay_place(r, &place);
    hc_replay_checks(r, &checks);
    assert_int_equal(checks.made, checks.agreed);
    return place.interrupts + place.reads;
}

/* An event that the reset came upon may be missing. */
static void check(struct node *n, uint64_t events, const struct hc_replay_life *said, const char *why)
{
    struct life *life = &n->life[said->boot];
    if (!said->rescued || !said->in_last_segment)
        return;
    if (events != life->events && events + 1 != life->events)
        fail_msg("%s, seed %llu: boot %u, reset by %s: %llu of %llu events: %s", words[1], (unsigned long long)n->seed,
                 said->boot, kinds[life->kind].name, (unsigned long long)events, (unsigned long long)life->events, why);
    life->whole = true;
}

static void replay_all(struct node *n)
{
    struct hc_replay *r;
    struct hc_replay_message message;
    struct hc_replay_life life;
    if (hc_replay_open(&r, n->h.image, n->path, -1, &message))
        fail_msg("%s", message.text);
    struct hc_replay_place first;
    hc_replay_place(r, &first);
    for (int next = (int)first.segment_index; next >= 0; next = hc_replay_next_segment(r)) {
        struct hc_replay_segment segment;
        hc_replay_segment(r, (size_t)next, &segment);
        assert_int_equal(hc_replay_restart(r, (size_t)next, false, &message), HC_REPLAY_OK);
        uint64_t events = replay_stretch(n, r, &life);
        if (segment.reset) /* else something before it is missing */
            check(n, events, &life, hc_replay_why(r));
    }
    hc_replay_free(r);
}

/* Lives in which nothing happened have nothing to tell. The last one is still on. */
static void count_lives(const struct node *n, struct tally *t)
{
    for (int boot = 0; boot + 1 < n->boots; boot++) {
        const struct life *life = &n->life[boot];
        if (!life->events)
            continue;
        t->lives[life->kind]++;
        t->whole[life->kind] += life->whole;
        t->cut += !life->whole && life->cut && !kinds[life->kind].loses;
        if (!life->whole && !life->cut && !kinds[life->kind].loses)
            fail_msg("%s, seed %llu: boot %d, reset by %s: %llu events are lost", words[1], (unsigned long long)n->seed,
                     boot, kinds[life->kind].name, (unsigned long long)life->events);
    }
}

static void print_tally(const struct tally *t)
{
    for (int i = 0; i < KINDS; i++)
        print_message("%-12s %5u resets, %5u lives with events, %5u up to their last event\n", kinds[i].name,
                      t->resets[i], t->lives[i], t->whole[i]);
    print_message("%u lost as power failed while the recorder started\n", t->cut);
}

static void resets(void **state)
{
    (void)state;
    const char *more = getenv("HINDCAST_RESETS");
    uint64_t all = strtoull(more ? more : words[2], NULL, 0), seed = strtoull(words[3], NULL, 0), done = 0;
    struct tally tally = { 0 };
    for (; done < all; done += LIVES, seed++) {
        static struct node n;
        memset(&n, 0, sizeof n);
        n.seed = seed;
        n.random = seed * 0x9e3779b97f4a7c15u + 1;
        start(&n);
        record(&n, &tally);
        replay_all(&n);
        count_lives(&n, &tally);
        unlink(n.path);
        harness_stop(&n.h);
    }
    print_tally(&tally);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(resets) };
    words = argv;
    return argc == 4 ? cmocka_run_group_tests(tests, NULL, NULL) : 2;
}
