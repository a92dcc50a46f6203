/* Logs that do not fit the program: noticed, and explained. */
#include "ideal.h"
#include "replay/replay.h"
#include "replay/replay_execution.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { AT = 900 }; /* an instruction in the middle of things */

struct fixture {
    struct ideal recording;
    struct hc_replay *replay;
    size_t interrupt; /* index of the event of the interrupt at AT */
};

static void start(struct fixture *f, const char *path)
{
    f->replay = NULL;
    ideal_start(&f->recording, path, true, NULL);
    ideal_run(&f->recording, AT);
    f->interrupt = f->recording.events;
    ideal_interrupt(&f->recording, 5);
    while (ideal_run(&f->recording, ideal_instructions(&f->recording) + 1000000))
        ;
    while (f->recording.event[f->interrupt].kind != HC_EVENT_INTERRUPT)
        f->interrupt++;
}

static void open_replay(struct fixture *f)
{
    struct hc_replay_message message;
    if (hc_replay_new(&f->replay, f->recording.image, "msp430f1611", ideal_source(&f->recording), &message))
        fail_msg("%s", message.text);
}

static void stop(struct fixture *f)
{
    hc_replay_free(f->replay);
    ideal_stop(&f->recording);
}

static void expect(struct fixture *f, enum hc_replay_stop stop, const char *const *words)
{
    struct hc_replay_place place;
    open_replay(f);
    assert_int_equal(hc_replay_run(f->replay, UINT64_MAX), stop);
    const char *why = hc_replay_why(f->replay);
    for (; *words; words++)
        if (!strstr(why, *words))
            fail_msg("no '%s' in:\n%s", *words, why);
    hc_replay_place(f->replay, &place);
    assert_int_equal(hc_replay_run(f->replay, UINT64_MAX), stop); /* and stays so */
    assert_true(place.instruction < 6000);
}

#define EXPECT(f, stop, ...) expect(f, stop, (const char *const[]){ __VA_ARGS__, NULL })

static void complete(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    EXPECT(&f, HC_REPLAY_END, "the log ends at instruction", "positions.c:");
    stop(&f);
}

static void position_that_never_comes(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    f.recording.event[f.interrupt].interrupt.hash ^= 1;
    EXPECT(&f, HC_REPLAY_DIVERGED, "the replay differs from the log at instruction", "the log has: interrupt TIMERA1",
           "the program: a read of register", "no interrupt had come", "perhaps");
    stop(&f);
}

static void wrong_count(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    f.recording.event[f.interrupt].interrupt.count += 7;
    EXPECT(&f, HC_REPLAY_DIVERGED, "the log has: interrupt TIMERA1", "counter");
    stop(&f);
}

static void vector_without_handler(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    f.recording.event[f.interrupt].interrupt.vector = 2;
    EXPECT(&f, HC_REPLAY_DIVERGED, "vector 2 has no handler");
    stop(&f);
}

static void lost_interrupt(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    memmove(&f.recording.event[f.interrupt], &f.recording.event[f.interrupt + 1],
            (f.recording.events - f.interrupt - 1) * sizeof *f.recording.event);
    f.recording.events--;
    EXPECT(&f, HC_REPLAY_DIVERGED, "the program: a read of register");
    stop(&f);
}

static void no_more_events(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    f.recording.events = f.interrupt + 1;
    EXPECT(&f, HC_REPLAY_END, "the log ends at instruction");
    stop(&f);
}

/* The program loads a register itself: it says where. */
static void unrecorded_read(void **state)
{
    (void)state;
    struct fixture f;
    start(&f, HARNESS_REPLAY "/raw.elf");
    EXPECT(&f, HC_REPLAY_FAULT, "load of register 0x0170", "TAR", "positions.c:", "hindcast cc");
    stop(&f);
}

static void not_instrumented(void **state)
{
    (void)state;
    struct ideal recording;
    struct hc_replay *replay;
    struct hc_replay_message message;
    struct hc_image *image;
    struct hc_image_message problem;
    ideal_start(&recording, HARNESS_REPLAY "/small.elf", true, NULL);
    assert_int_equal(hc_image_load_file(&image, HARNESS_FIRMWARE "/kit.elf", &problem), 0);
    assert_int_equal(hc_replay_new(&replay, image, "msp430f1611", ideal_source(&recording), &message), HC_REPLAY_BAD);
    assert_non_null(strstr(message.text, "has no recorder in it"));
    assert_int_equal(hc_replay_new(&replay, recording.image, "msp430x999", ideal_source(&recording), &message),
                     HC_REPLAY_BAD);
    hc_image_free(image);
    ideal_stop(&recording);
}

/* Interrupts within memcpy, whose loop does not count: the hash tells its turns apart, or the check says that it must.
 */
static void ambiguous_positions(void **state)
{
    (void)state;
    for (int hashed = 0; hashed < 2; hashed++) {
        struct fixture f = { 0 };
        uint32_t pc;
        ideal_start(&f.recording, HARNESS_REPLAY "/small.elf", true, NULL);
        if (!hashed)
            memset(f.recording.border.link.hashed, 0, sizeof f.recording.border.link.hashed);
        struct hc_symbol copy;
        assert_true(hc_image_symbol(f.recording.image, "memcpy", &copy));
        uint64_t n = 0;
        while (hc_register(f.recording.machine, HC_PC) != copy.address)
            ideal_run(&f.recording, ++n);
        ideal_run(&f.recording, n + 40);
        ideal_interrupt(&f.recording, 5);
        while (ideal_run(&f.recording, ideal_instructions(&f.recording) + 1000000))
            ;
        open_replay(&f);
        hc_replay_check_positions(f.replay, true);
        enum hc_replay_stop stopped = hc_replay_run(f.replay, UINT64_MAX);
        assert_int_equal(hc_replay_ambiguous(f.replay, &pc), !hashed);
        if (hashed)
            assert_int_equal(stopped, HC_REPLAY_END);
        stop(&f);
    }
}

/* Snapshots, and interrupts by their number: the same moment has the same state. */
static void moments(void **state)
{
    (void)state;
    struct fixture f;
    struct hc_replay_place first, again;
    start(&f, HARNESS_REPLAY "/small.elf");
    open_replay(&f);
    assert_int_equal(hc_replay_run_to_interrupt(f.replay, 1), HC_REPLAY_REACHED);
    hc_replay_place(f.replay, &first);
    assert_int_equal(first.interrupts, 1);
    assert_int_equal(first.vector, 5);
    assert_int_equal(first.instruction, AT);
    assert_int_equal(first.pc, f.recording.border.link.handler[5]);
    struct hc_replay_snapshot *snapshot = hc_replay_snapshot_take(f.replay);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(hc_replay_run(f.replay, 3000), HC_REPLAY_REACHED);
        hc_replay_place(f.replay, i ? &again : &first);
        if (i) {
            assert_int_equal(first.pc, again.pc);
            assert_int_equal(first.reads, again.reads);
            assert_int_equal(first.interrupts, again.interrupts);
            assert_int_equal(first.time_us, again.time_us);
        }
        hc_replay_run(f.replay, UINT64_MAX);
        hc_replay_snapshot_restore(f.replay, snapshot);
    }
    hc_replay_snapshot_free(snapshot);
    stop(&f);
}

/* The program is changed into one that turns in place. However often and from wherever somebody goes to the end, it is
 * the same moment, and the same words. */
static void loop_without_events(void **state)
{
    (void)state;
    enum { JUMP_TO_ITSELF = 0x3fff };
    struct fixture f;
    start(&f, HARNESS_REPLAY "/small.elf");
    open_replay(&f);
    assert_int_equal(hc_replay_run(f.replay, AT - 100), HC_REPLAY_REACHED);
    struct hc_machine *machine = hc_replay_machine(f.replay);
    uint32_t pc = hc_register(machine, HC_PC);
    hc_poke(machine, pc, JUMP_TO_ITSELF & 0xff);
    hc_poke(machine, pc + 1, JUMP_TO_ITSELF >> 8);

    struct hc_execution *execution = hc_replay_execution_new(f.replay);
    struct hc_timeline *timeline = hc_timeline_new(execution, 0);
    assert_int_equal(hc_timeline_seek_end(timeline), HC_TIMELINE_FAULT);
    uint64_t end = hc_timeline_now(timeline)->instructions, farthest = hc_timeline_farthest(timeline)->instructions;
    for (uint64_t from = AT; from < end; from = 7 * from + 3) {
        assert_non_null(strstr(hc_timeline_text(timeline), "instructions without coming to it"));
        assert_int_equal(hc_timeline_seek(timeline, from), HC_TIMELINE_THERE);
        assert_int_equal(hc_timeline_seek_end(timeline), HC_TIMELINE_FAULT);
        assert_int_equal(hc_timeline_now(timeline)->instructions, end);
    }
    assert_int_equal(hc_timeline_farthest(timeline)->instructions, farthest);
    hc_timeline_free(timeline);
    hc_execution_free(execution);
    stop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complete),
        cmocka_unit_test(position_that_never_comes),
        cmocka_unit_test(wrong_count),
        cmocka_unit_test(vector_without_handler),
        cmocka_unit_test(lost_interrupt),
        cmocka_unit_test(no_more_events),
        cmocka_unit_test(unrecorded_read),
        cmocka_unit_test(not_instrumented),
        cmocka_unit_test(moments),
        cmocka_unit_test(ambiguous_positions),
        cmocka_unit_test(loop_without_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
