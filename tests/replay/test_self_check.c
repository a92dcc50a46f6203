/* Logs that prove themselves: self-checks of pages, checkpoints, and what is rescued after a reset. */
#include "../../runtime/codec/sum.h"
#include "ideal_log.h"
#include "replay/replay.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { LENGTH = 600000, WATCHDOG = 1, WITHOUT = 1000000 /* updates without a self-check */ };

#define CHECKED HARNESS_REPLAY "/checked.elf"
#define OTHER HARNESS_REPLAY "/other.elf"
#define DMA HARNESS_REPLAY "/checked_dma.elf"
#define TURNS HARNESS_REPLAY "/turns.elf"
#define IDLE HARNESS_REPLAY "/idle.elf"

struct fixture {
    struct ideal node;
    struct ideal_log log;
    struct hc_image *image;
    struct hc_replay *replay;
    char path[40];
    uint64_t seed;
};

static uint32_t draw(struct fixture *f)
{
    f->seed ^= f->seed << 13;
    f->seed ^= f->seed >> 7;
    f->seed ^= f->seed << 17;
    return (uint32_t)(f->seed >> 20);
}

static void start(struct fixture *f, const char *elf, uint64_t seed)
{
    memset(f, 0, sizeof *f);
    f->seed = seed * 0x9e3779b97f4a7c15u + 1;
    ideal_start(&f->node, elf, true, NULL);
    ideal_log_start(&f->log, &f->node);
    strcpy(f->path, "/tmp/hindcast-check-XXXXXX");
    int fd = mkstemp(f->path);
    assert_true(fd >= 0);
    close(fd);
}

/* Runs N more instructions with interrupts anywhere, and a checkpoint now and then. */
static void record(struct fixture *f, uint64_t n, unsigned checkpoint_every)
{
    static const int vectors[] = { 5, 6, 13, 6, 13 };
    uint64_t end = ideal_instructions(&f->node) + n;
    unsigned last = f->log.updates;
    while (ideal_instructions(&f->node) < end) {
        uint64_t next = ideal_instructions(&f->node) + draw(f) % 4000;
        ideal_run(&f->node, next < end ? next : end);
        ideal_dma(&f->node);
        if (ideal_instructions(&f->node) > 200) /* there is a stack */
            ideal_interrupt(&f->node, vectors[draw(f) % 5]);
        if (checkpoint_every && f->log.updates - last > checkpoint_every) {
            f->log.wants_checkpoint = true;
            last = f->log.updates;
        }
    }
}

static void open_with(struct fixture *f, const char *elf)
{
    struct hc_image_message problem;
    struct hc_replay_message message;
    ideal_log_save(&f->log, f->path);
    if (hc_image_load_file(&f->image, elf, &problem))
        fail_msg("%s", problem.text);
    if (hc_replay_open(&f->replay, f->image, f->path, -1, &message))
        fail_msg("%s", message.text);
}

static void close_replay(struct fixture *f)
{
    hc_replay_free(f->replay);
    hc_image_free(f->image);
    f->replay = NULL;
    f->image = NULL;
}

static void stop(struct fixture *f)
{
    close_replay(f);
    unlink(f->path);
    ideal_log_stop(&f->log);
    ideal_stop(&f->node);
}

static void expect_text(struct fixture *f, const char *words)
{
    if (!strstr(hc_replay_why(f->replay), words))
        fail_msg("no '%s' in: %s", words, hc_replay_why(f->replay));
}

static void expect_stop(struct fixture *f, enum hc_replay_stop wanted)
{
    enum hc_replay_stop stop = hc_replay_run(f->replay, UINT64_MAX);
    if (stop != wanted)
        fail_msg("stop %d: %s", stop, hc_replay_why(f->replay));
}

/* Windows of memory: after so many self-checks all of it was looked at. */
static uint64_t period(const struct fixture *f)
{
    const struct hc_memory_range *piece = &f->node.border.link.piece[0];
    return (piece->end - piece->start + 767) / 768 + 1;
}

/* ---- all agrees ---- */

/* However long after the beginning of a page its self-check is made, with and without checkpoints. */
static void all_agree(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct fixture f;
        struct hc_replay_checks checks;
        struct hc_replay_place place;
        start(&f, i == 5 ? IDLE : CHECKED, i + 1);
        f.log.patience = i % 3 * 3;
        record(&f, LENGTH, i % 2 ? 300 : 0);
        ideal_log_flush(&f.log);
        open_with(&f, i == 5 ? IDLE : CHECKED);
        expect_stop(&f, HC_REPLAY_END);
        expect_text(&f, "the log ends at");
        hc_replay_checks(f.replay, &checks);
        hc_replay_place(f.replay, &place);
        assert_int_equal(checks.made, checks.agreed);
        assert_int_equal(checks.made, f.log.checks);
        assert_true(checks.agreed > 3 * period(&f) || i == 5);
        assert_true(checks.instruction <= place.instruction && checks.instruction > LENGTH / 2);
        assert_int_equal(place.interrupts + place.reads, f.node.events - f.log.waiting);
        assert_int_equal(place.segment, f.log.segment);
        stop(&f);
    }
}

/* Back and forth in time: the same moments have the same self-checks. */
static void time_travel(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_replay_checks all, again;
    struct hc_replay_snapshot *snapshot[8];
    start(&f, CHECKED, 9);
    record(&f, LENGTH, 400);
    ideal_log_flush(&f.log);
    open_with(&f, CHECKED);
    for (size_t i = 0; i < 8; i++) {
        snapshot[i] = hc_replay_snapshot_take(f.replay);
        assert_int_equal(hc_replay_run(f.replay, (i + 1) * LENGTH / 10), HC_REPLAY_REACHED);
    }
    expect_stop(&f, HC_REPLAY_END);
    hc_replay_checks(f.replay, &all);
    for (size_t i = 8; i-- > 0;) {
        hc_replay_snapshot_restore(f.replay, snapshot[i]);
        hc_replay_checks(f.replay, &again);
        assert_true(again.agreed < all.agreed);
        expect_stop(&f, HC_REPLAY_END);
        hc_replay_checks(f.replay, &again);
        assert_memory_equal(&all, &again, offsetof(struct hc_replay_checks, stack_seen) + sizeof all.stack_seen);
        hc_replay_snapshot_free(snapshot[i]);
    }
    stop(&f);
}

/* ---- spoilt replays ---- */

struct spoiler {
    uint64_t when; /* number of the read */
    uint16_t bit;
    bool done;
    uint64_t agreed; /* self-checks before */
};

static uint64_t agreed(struct fixture *f)
{
    struct hc_replay_checks checks;
    hc_replay_checks(f->replay, &checks);
    return checks.agreed;
}

/* Stops at a self-check, soon enough after AGREED of them. */
static void expect_found(struct fixture *f, uint64_t before)
{
    struct hc_replay_checks checks;
    expect_stop(f, HC_REPLAY_DIVERGED);
    expect_text(f, "memory or registers differ from what the node had");
    hc_replay_checks(f->replay, &checks);
    assert_int_equal(checks.made, checks.agreed + 1);
    if (checks.agreed - before > period(f) + 2)
        fail_msg("found %llu pages later: %s", (unsigned long long)(checks.agreed - before), hc_replay_why(f->replay));
    assert_int_equal(hc_replay_run(f->replay, UINT64_MAX), HC_REPLAY_DIVERGED); /* and stays so */
}

static void spoil_read(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct spoiler *s = owner;
    struct hc_replay_checks checks;
    /* The port's bits that go into a sum, and decide nothing. */
    if (s->done || event->kind != HC_REPLAY_READ || event->address != 0x20 || event->instruction < s->when)
        return;
    uint32_t value = hc_register(hc_replay_machine(r), 12);
    if (!(value & 0x44))
        return; /* then it is the other site, or may be */
    hc_set_register(hc_replay_machine(r), 12, value ^ 0x40);
    hc_replay_checks(r, &checks);
    s->agreed = checks.agreed;
    s->done = true;
}

/* It may show earlier, in a register that the hash of an interrupt's position has. */
static void wrong_value(void **state)
{
    (void)state;
    struct fixture f;
    int by_self_check = 0;
    start(&f, CHECKED, 21);
    record(&f, LENGTH, 0);
    ideal_log_flush(&f.log);
    for (uint64_t when = 1000; when < LENGTH / 2; when += LENGTH / 40) {
        struct spoiler s = { .when = when };
        open_with(&f, CHECKED);
        hc_replay_listen(f.replay, spoil_read, &s);
        expect_stop(&f, HC_REPLAY_DIVERGED);
        assert_true(s.done);
        assert_true(agreed(&f) - s.agreed <= period(&f) + 2);
        by_self_check += strstr(hc_replay_why(f.replay), "memory or registers differ") != NULL;
        close_replay(&f);
    }
    assert_true(by_self_check >= 2);
    stop(&f);
}

static void changed_byte(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_symbol history;
    start(&f, CHECKED, 22);
    record(&f, LENGTH, 0);
    ideal_log_flush(&f.log);
    for (uint32_t i = 0; i < 8; i++) {
        open_with(&f, CHECKED);
        assert_true(hc_image_symbol(f.image, "history", &history));
        uint32_t address = history.address + i * 225;
        assert_int_equal(hc_replay_run(f.replay, 3000 + i * LENGTH / 20), HC_REPLAY_REACHED);
        uint64_t before = agreed(&f);
        hc_poke(hc_replay_machine(f.replay), address, hc_peek(hc_replay_machine(f.replay), address) ^ 4);
        expect_found(&f, before);
        expect_text(&f, "history");
        expect_text(&f, "memory 0x");
        close_replay(&f);
    }
    stop(&f);
}

static void other_program(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, CHECKED, 23);
    record(&f, LENGTH, 0);
    ideal_log_flush(&f.log);
    open_with(&f, OTHER);
    expect_found(&f, 0);
    expect_text(&f, "rarely");
    stop(&f);
}

/* Positions without a hash, in a loop of which each turn is like the others: all that follows fits, but the turns that
 * the program has counted do not. */
static void turn_early(void **state)
{
    (void)state;
    for (uint64_t early = 5; early <= 25; early += 5) {
        struct fixture f;
        start(&f, TURNS, 24);
        memset(f.node.border.link.hashed, 0, sizeof f.node.border.link.hashed);
        f.log.early = early;
        record(&f, LENGTH, 0);
        assert_true(f.log.interrupts > early);
        ideal_log_flush(&f.log);
        open_with(&f, TURNS);
        expect_found(&f, 0);
        stop(&f);
    }
}

/* ---- many spoilt replays, at random ---- */

/* No bit of a window can change without its sum, whatever else is there. */
static void each_bit(void **state)
{
    (void)state;
    enum { WORDS = 394 /* of the longest window, and what comes before it */, ROUNDS = 20 };
    struct fixture f = { .seed = 1234567 };
    uint16_t word[WORDS];
    for (int round = 0; round < ROUNDS; round++) {
        struct hc_sum right = { 0, 0 };
        for (int i = 0; i < WORDS; i++) {
            word[i] = (uint16_t)draw(&f);
            hc_sum_add(&right, word[i]);
        }
        for (int i = 0; i < WORDS * 16; i++) {
            uint16_t change = (uint16_t)((word[i / 16] ^ 1 << i % 16) - word[i / 16]);
            struct hc_sum wrong = { (uint16_t)(right.a + change), (uint16_t)(right.b + change * (WORDS - i / 16)) };
            if (hc_sum_value(&wrong) == hc_sum_value(&right))
                fail_msg("bit %d of word %d may change", i % 16, i / 16);
        }
    }
}

enum { SPOILT = 200, MEMORY = 0x10000 };

/* A replay that is spoilt once: a read gives another value, or a byte of memory changes. */
struct spoilt {
    uint64_t when; /* not before this instruction */
    uint16_t bit;
    bool done;
    uint64_t agreed; /* self-checks before */
};

static unsigned spoilt_replays(void)
{
    const char *more = getenv("HINDCAST_SPOILT");
    return more ? (unsigned)strtoul(more, NULL, 0) : SPOILT;
}

static void note_spoilt(struct spoilt *s, struct hc_replay *r)
{
    struct hc_replay_checks checks;
    hc_replay_checks(r, &checks);
    s->agreed = checks.agreed;
    s->done = true;
}

static void spoil_any_read(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct spoilt *s = owner;
    if (s->done || event->kind != HC_REPLAY_READ || event->instruction < s->when)
        return;
    uint16_t bit = event->address < 0x100 ? s->bit % 8 : s->bit;
    hc_set_register(hc_replay_machine(r), 12, hc_register(hc_replay_machine(r), 12) ^ 1u << bit);
    note_spoilt(s, r);
}

/* A byte of a variable, or of the stack that is in use. */
static void spoil_byte(struct fixture *f, struct spoilt *s)
{
    const struct hc_border *b = &f->node.border;
    struct hc_machine *m = hc_replay_machine(f->replay);
    assert_int_equal(hc_replay_run(f->replay, s->when), HC_REPLAY_REACHED);
    uint32_t size = b->link.piece[0].end - b->link.piece[0].start, stack = hc_register(m, HC_SP);
    uint32_t at = b->link.piece[0].start + draw(f) % size;
    if (draw(f) % 4 == 0 && stack < b->link.free.end)
        at = stack + draw(f) % (b->link.free.end - stack);
    hc_poke(m, at, hc_peek(m, at) ^ (uint8_t)(1 << s->bit % 8));
    note_spoilt(s, f->replay);
}

/* Variables and registers at the end of a replay. */
static void copy_state(struct fixture *f, uint8_t state[MEMORY])
{
    const struct hc_memory_range *piece = &f->node.border.link.piece[0];
    struct hc_machine *m = hc_replay_machine(f->replay);
    memset(state, 0, MEMORY);
    for (uint32_t at = piece->start; at < piece->end; at++)
        state[at] = hc_peek(m, at);
    for (int i = 0; i < 12; i++) {
        state[2 * i] = (uint8_t)hc_register(m, 4 + i);
        state[2 * i + 1] = (uint8_t)(hc_register(m, 4 + i) >> 8);
    }
}

/* Found within two pages of memory's period, whoever finds it; or gone again, as the program has overwritten it before
 * anything came of it. */
static bool is_found(struct fixture *f, const struct spoilt *s, const uint8_t right[MEMORY], unsigned i)
{
    static uint8_t state[MEMORY];
    enum hc_replay_stop stop = hc_replay_run(f->replay, UINT64_MAX);
    if (stop != HC_REPLAY_END && stop != HC_REPLAY_DIVERGED && stop != HC_REPLAY_FAULT)
        fail_msg("%u: stop %d: %s", i, stop, hc_replay_why(f->replay));
    if (stop != HC_REPLAY_END) {
        if (agreed(f) - s->agreed > period(f) + 2)
            fail_msg("%u: found %llu pages later: %s", i, (unsigned long long)(agreed(f) - s->agreed),
                     hc_replay_why(f->replay));
        return true;
    }
    copy_state(f, state);
    if (memcmp(state, right, MEMORY) != 0)
        fail_msg("%u: not found, and the end is another", i);
    return false;
}

static void any_spoilt(void **state)
{
    (void)state;
    struct fixture f;
    static uint8_t right[MEMORY];
    unsigned found = 0, by_self_check = 0, all = spoilt_replays();
    start(&f, CHECKED, 25);
    record(&f, LENGTH, 0);
    ideal_log_flush(&f.log);
    open_with(&f, CHECKED);
    expect_stop(&f, HC_REPLAY_END);
    copy_state(&f, right);
    close_replay(&f);
    for (unsigned i = 0; i < all; i++) {
        struct spoilt s = { .when = 1000 + draw(&f) % (LENGTH / 2), .bit = draw(&f) % 16 };
        open_with(&f, CHECKED);
        if (i % 2)
            spoil_byte(&f, &s);
        else
            hc_replay_listen(f.replay, spoil_any_read, &s);
        found += is_found(&f, &s, right, i);
        assert_true(s.done);
        by_self_check += strstr(hc_replay_why(f.replay), "memory or registers differ") != NULL;
        close_replay(&f);
    }
    print_message("%u spoilt replays: %u found, %u of them by a self-check; the others came to nothing\n", all, found,
                  by_self_check);
    assert_true(found > all / 2 && by_self_check > all / 4);
    unlink(f.path);
    ideal_log_stop(&f.log);
    ideal_stop(&f.node);
}

/* Interrupts a turn early, at any time of any recording. */
static void any_turn_early(void **state)
{
    (void)state;
    for (unsigned i = 0; i < spoilt_replays() / 5; i++) {
        struct fixture f;
        start(&f, TURNS, 100 + i);
        memset(f.node.border.link.hashed, 0, sizeof f.node.border.link.hashed);
        f.log.early = 1 + draw(&f) % 25;
        record(&f, LENGTH, 0);
        assert_true(f.log.interrupts > f.log.early);
        ideal_log_flush(&f.log);
        open_with(&f, TURNS);
        expect_found(&f, f.log.checks_before_early);
        stop(&f);
    }
}

/* Up to the first moment at which the other program has done something else. False: there is none, or so late that not
 * all of memory is looked at after it. */
static bool run_to_difference(struct fixture *f)
{
    enum { STEP = 500 };
    struct hc_symbol rarely;
    assert_true(hc_image_symbol(f->image, "rarely", &rarely));
    for (uint64_t to = STEP; hc_peek16(hc_replay_machine(f->replay), rarely.address) == 0; to += STEP)
        if (hc_replay_run(f->replay, to) != HC_REPLAY_REACHED)
            return false;
    return f->log.checks - agreed(f) > period(f) + 2;
}

static void any_other_program(void **state)
{
    (void)state;
    unsigned found = 0, all = spoilt_replays() / 5;
    for (unsigned i = 0; i < all; i++) {
        struct fixture f;
        start(&f, CHECKED, 300 + i);
        record(&f, LENGTH, 0);
        ideal_log_flush(&f.log);
        open_with(&f, OTHER);
        if (run_to_difference(&f)) {
            expect_found(&f, agreed(&f));
            found++;
        }
        stop(&f);
    }
    assert_true(found > all / 2);
}

/* ---- checkpoints ---- */

/* Each hc_update of such a loop finds the same state: the count alone says at which of them a segment begins. */
static void right_update(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_replay_place place;
    start(&f, IDLE, 31);
    f.log.patience = WITHOUT;
    record(&f, LENGTH, 50);
    ideal_log_flush(&f.log);
    assert_true(f.log.segment > 20);
    open_with(&f, IDLE);
    expect_stop(&f, HC_REPLAY_END);
    hc_replay_place(f.replay, &place);
    assert_int_equal(place.segment, f.log.segment);
    assert_int_equal(place.interrupts + place.reads, f.node.events - f.log.waiting);
    stop(&f);
}

/* Each segment by itself. */
static void from_checkpoints(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_replay_message message;
    start(&f, CHECKED, 32);
    record(&f, LENGTH, 300);
    ideal_log_flush(&f.log);
    open_with(&f, CHECKED);
    hc_replay_stay(f.replay, true);
    uint64_t reads = 0, interrupts = 0, made = 0;
    for (int next = 0; next >= 0; next = hc_replay_next_segment(f.replay)) {
        struct hc_replay_place place;
        struct hc_replay_checks checks;
        assert_int_equal(hc_replay_restart(f.replay, (size_t)next, false, &message), HC_REPLAY_OK);
        expect_stop(&f, HC_REPLAY_END);
        hc_replay_place(f.replay, &place);
        hc_replay_checks(f.replay, &checks);
        assert_int_equal(checks.made, checks.agreed);
        made += checks.made;
        reads += place.reads;
        interrupts += place.interrupts;
    }
    assert_int_equal(reads + interrupts, f.node.events - f.log.waiting);
    assert_int_equal(made, f.log.checks);
    stop(&f);
}

/* A channel of DMA writes memory that the program learns of later: a checkpoint meanwhile has what the replay cannot
 * have. Everything else is compared. */
static void dma(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct fixture f;
        struct hc_replay_checks checks;
        struct hc_replay_place place;
        struct hc_replay_message message;
        start(&f, DMA, 40 + i);
        f.log.patience = i % 2 * 4;
        record(&f, LENGTH, 30);
        ideal_log_flush(&f.log);
        open_with(&f, DMA);
        expect_stop(&f, HC_REPLAY_END);
        hc_replay_checks(f.replay, &checks);
        hc_replay_place(f.replay, &place);
        assert_int_equal(place.segment, f.log.segment);
        assert_int_equal(checks.agreed, f.log.checks);
        assert_true(f.node.dma.copies > 10 && f.log.segment > 4);
        /* From the middle: the size that the channel was set to is not known there. */
        assert_int_equal(hc_replay_restart(f.replay, 2, false, &message), HC_REPLAY_OK);
        expect_stop(&f, HC_REPLAY_END);
        hc_replay_place(f.replay, &place);
        assert_int_equal(place.segment, f.log.segment);
        stop(&f);
    }
}

static void dma_and_other_memory(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_symbol symbol;
    start(&f, DMA, 45);
    f.log.patience = WITHOUT;
    record(&f, LENGTH, 100);
    ideal_log_flush(&f.log);
    open_with(&f, DMA);
    assert_true(hc_image_symbol(f.image, "history", &symbol));
    assert_int_equal(hc_replay_run(f.replay, 20000), HC_REPLAY_REACHED);
    hc_poke16(hc_replay_machine(f.replay), symbol.address + 300, 0x5555);
    expect_stop(&f, HC_REPLAY_DIVERGED);
    expect_text(&f, "differs from the checkpoint");
    expect_text(&f, "(history) is");
    stop(&f);
}

static void wrong_checkpoint(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_symbol history;
    char where[60];
    start(&f, CHECKED, 33);
    f.log.patience = WITHOUT;
    record(&f, LENGTH, 200);
    ideal_log_flush(&f.log);
    open_with(&f, CHECKED);
    assert_int_equal(hc_replay_run(f.replay, 20000), HC_REPLAY_REACHED);
    assert_true(hc_image_symbol(f.image, "history", &history));
    struct hc_machine *m = hc_replay_machine(f.replay);
    uint16_t was = hc_peek16(m, history.address + 200);
    assert_int_equal(was, 0);
    hc_poke16(m, history.address + 200, 1);
    expect_stop(&f, HC_REPLAY_DIVERGED);
    expect_text(&f, "differs from the checkpoint with which the next segment begins");
    snprintf(where, sizeof where, "memory at 0x%04x (history) is", history.address + 200);
    expect_text(&f, where);
    stop(&f);
}

/* ---- resets ---- */

/* What the node had done when it was reset. */
struct life {
    uint64_t events, instructions;
    uint16_t count;
};

static void reset_here(struct fixture *f, bool rescue, size_t at_work, struct life *life)
{
    *life = (struct life){ f->node.events, ideal_instructions(&f->node),
                           (uint16_t)hc_position_count(&f->node.border, f->node.machine) };
    ideal_log_reset(&f->log, WATCHDOG, rescue, at_work);
}

static void expect_last_moment(struct fixture *f, const struct life *life, const char *what)
{
    struct hc_replay_place place;
    struct hc_replay_life said;
    enum hc_replay_stop stop = hc_replay_run(f->replay, UINT64_MAX);
    hc_replay_place(f->replay, &place);
    if (stop != HC_REPLAY_END || place.interrupts + place.reads != life->events)
        fail_msg("%s: stop %d after %llu of %llu events: %s", what, stop,
                 (unsigned long long)(place.interrupts + place.reads), (unsigned long long)life->events,
                 hc_replay_why(f->replay));
    expect_text(f, "reset here: watchdog");
    assert_int_equal((uint16_t)hc_position_count(&f->node.border, hc_replay_machine(f->replay)), life->count);
    assert_true(place.instruction <= life->instructions);
    assert_true(hc_replay_life(f->replay, &said));
    assert_true(said.rescued && said.cause_known && said.cause == WATCHDOG);
    assert_non_null(strstr(said.text, "the log reaches up to the reset"));
    assert_int_equal(hc_replay_run(f->replay, UINT64_MAX), HC_REPLAY_END);
}

/* At random moments, with a page that waits and without, while the encoder was at work and not. */
static void resets(void **state)
{
    (void)state;
    const char *wanted = getenv("HINDCAST_RESETS");
    unsigned n = wanted ? (unsigned)atoi(wanted) : 60;
    for (unsigned i = 0; i < n; i++) {
        struct fixture f;
        struct life life;
        struct hc_replay_message message;
        char what[40];
        snprintf(what, sizeof what, "reset %u", i);
        start(&f, i % 4 == 3 ? IDLE : CHECKED, 1000 + i);
        f.log.holds = i % 2;
        record(&f, 200 + draw(&f) % 60000, i % 3 ? 0 : 200);
        reset_here(&f, true, i % 5 * 7, &life);
        record(&f, 20000, 0);
        ideal_log_flush(&f.log);
        open_with(&f, i % 4 == 3 ? IDLE : CHECKED);
        expect_last_moment(&f, &life, what);
        /* And what followed. */
        int next = hc_replay_next_segment(f.replay);
        assert_true(next > 0);
        assert_int_equal(hc_replay_restart(f.replay, (size_t)next, false, &message), HC_REPLAY_OK);
        expect_stop(&f, HC_REPLAY_END);
        expect_text(&f, "the log ends at");
        stop(&f);
    }
}

/* Back from the last moment, and there again. */
static void back_from_reset(void **state)
{
    (void)state;
    struct fixture f;
    struct life life;
    start(&f, CHECKED, 51);
    record(&f, 50000, 0);
    reset_here(&f, true, 0, &life);
    open_with(&f, CHECKED);
    struct hc_replay_snapshot *begin = hc_replay_snapshot_take(f.replay);
    expect_last_moment(&f, &life, "first");
    hc_replay_snapshot_restore(f.replay, begin);
    assert_int_equal(hc_replay_run(f.replay, 10000), HC_REPLAY_REACHED);
    expect_last_moment(&f, &life, "again");
    hc_replay_snapshot_free(begin);
    stop(&f);
}

/* Any damage of a rescue is damage, and what is before it is there. */
static void damaged_rescue(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_replay_place place;
    uint64_t whole = 0;
    start(&f, CHECKED, 52);
    record(&f, 50000, 0);
    size_t before = f.log.size;
    for (unsigned i = 0; i < 2; i++) { /* what there is without it */
        open_with(&f, CHECKED);
        hc_replay_run(f.replay, UINT64_MAX);
        hc_replay_place(f.replay, &place);
        whole = place.interrupts + place.reads;
        close_replay(&f);
    }
    struct life life;
    reset_here(&f, true, 0, &life);
    for (size_t at = before; at < f.log.size - HC_PAGE_SIZE; at++) {
        uint8_t *page = f.log.image + at / HC_PAGE_SIZE * HC_PAGE_SIZE;
        if (at % HC_PAGE_SIZE < 9 || at % HC_PAGE_SIZE >= 10u + page[9])
            continue;
        uint8_t kept[HC_PAGE_SIZE];
        memcpy(kept, page, sizeof kept);
        if (at % HC_PAGE_SIZE == 9)
            page[9]--; /* one byte is not there */
        else
            f.log.image[at] ^= (uint8_t)(1u << at % 8);
        uint16_t crc = hc_page_crc(0xffff, page, 254);
        page[254] = (uint8_t)(crc >> 8);
        page[255] = (uint8_t)crc;
        open_with(&f, CHECKED);
        enum hc_replay_stop stopped = hc_replay_run(f.replay, UINT64_MAX);
        hc_replay_place(f.replay, &place);
        bool in_ring =
            strstr(hc_replay_why(f.replay), "is a read of site") || strstr(hc_replay_why(f.replay), "counter");
        if ((stopped != HC_REPLAY_END && !in_ring) || place.interrupts + place.reads < whole)
            fail_msg("byte 0x%zx: stop %d: %s", at, stopped, hc_replay_why(f.replay));
        close_replay(&f);
        memcpy(page, kept, sizeof kept);
    }
    open_with(&f, CHECKED);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_agree),
        cmocka_unit_test(time_travel),
        cmocka_unit_test(wrong_value),
        cmocka_unit_test(changed_byte),
        cmocka_unit_test(other_program),
        cmocka_unit_test(turn_early),
        cmocka_unit_test(each_bit),
        cmocka_unit_test(any_spoilt),
        cmocka_unit_test(any_turn_early),
        cmocka_unit_test(any_other_program),
        cmocka_unit_test(right_update),
        cmocka_unit_test(from_checkpoints),
        cmocka_unit_test(dma),
        cmocka_unit_test(dma_and_other_memory),
        cmocka_unit_test(wrong_checkpoint),
        cmocka_unit_test(resets),
        cmocka_unit_test(back_from_reset),
        cmocka_unit_test(damaged_rescue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
