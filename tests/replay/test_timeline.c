/* Time travel against brute force: a forward run writes down every moment, then the cursor is sent to and fro, and what
 * it finds must be what was written down. */
#include "support/harness.h"
#include "timeline/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 60000, JUMPS = 300 };

/* A hash of all registers, the variables and the stack, beside what moments say. */
struct row {
    struct hc_moment moment;
    uint32_t pc, sp;
    uint64_t state;
    uint16_t shared; /* the variable */
};

struct bench {
    struct harness h;
    struct hc_execution *execution;
    struct hc_timeline *timeline;
    struct row *row; /* by instructions */
    uint32_t shared, port1;

    /* A breakpoint, a watchpoint, and what they saw. */
    uint32_t at;
    bool breaks, watches;
    enum hc_hit hit;
};

static uint64_t hash(struct hc_machine *m)
{
    uint64_t h = 1469598103934665603u;

    for (int i = 0; i < HC_REGISTERS; i++)
        h = (h ^ hc_register(m, i)) * 1099511628211u;
    for (uint32_t a = 0x1100; a < 0x1120; a += 2)
        h = (h ^ hc_peek16(m, a)) * 1099511628211u;
    for (uint32_t a = 0x38a0; a < 0x3900; a += 2)
        h = (h ^ hc_peek16(m, a)) * 1099511628211u;
    return h;
}

static struct row look(struct bench *b)
{
    struct hc_machine *m = b->h.machine;
    return (struct row){ *hc_timeline_now(b->timeline), hc_register(m, HC_PC), hc_register(m, HC_SP), hash(m),
                         hc_peek16(m, b->shared) };
}

/* Steps with nothing but the machine itself. */
static void write_down(struct bench *b)
{
    struct hc_snapshot *start = hc_snapshot_take(b->h.machine);
    struct hc_machine *m = b->h.machine;

    for (int i = 0; i < MOMENTS; i++) {
        struct hc_statistics s;
        assert_int_equal(hc_machine_settle(m, i > 0, HC_NEVER), HC_STOP_STEPS);
        hc_machine_statistics(m, &s);
        assert_int_equal(s.instructions, i);
        b->row[i] = (struct row){ { s.instructions, s.interrupts, s.now, 0 },
                                  hc_register(m, HC_PC),
                                  hc_register(m, HC_SP),
                                  hash(m),
                                  hc_peek16(m, b->shared) };
    }
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
}

static enum hc_action on_place(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct bench *b = owner;

    (void)m;
    if (!b->breaks || pc != b->at || !hc_timeline_hears_places(b->timeline))
        return HC_CONTINUE;
    b->hit = HC_HIT_HERE;
    return HC_STOP;
}

static enum hc_action on_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct bench *b = owner;

    (void)m;
    (void)access;
    if (!b->watches || !hc_timeline_hears_accesses(b->timeline))
        return HC_CONTINUE;
    b->hit = HC_HIT_BEFORE;
    return HC_STOP;
}

static enum hc_hit classify(void *owner, bool chosen)
{
    struct bench *b = owner;
    enum hc_hit hit = b->hit;

    b->hit = HC_HIT_NONE;
    assert_true(hit != HC_HIT_NONE);
    (void)chosen;
    return hit;
}

static int set_up(void **state)
{
    static const struct bench nothing;
    struct bench *b = malloc(sizeof *b);

    *b = nothing;
    harness_start(&b->h, "timeline");
    b->shared = harness_address(&b->h, "shared");
    b->port1 = harness_address(&b->h, "port1");
    b->row = calloc(MOMENTS, sizeof *b->row);
    write_down(b);
    b->execution = hc_machine_execution_new(b->h.machine, HC_NEVER);
    b->timeline = hc_timeline_new(b->execution, 1 << 20); /* so little that checkpoints are thinned out */
    b->at = harness_address(&b->h, "depth");
    hc_hook_pc(b->h.machine, b->at, on_place, b);
    hc_hook_access(b->h.machine, b->shared, b->shared + 1, HC_WATCH_WRITE, on_access, b);
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    hc_timeline_free(b->timeline);
    hc_execution_free(b->execution);
    harness_stop(&b->h);
    free(b->row);
    free(b);
    return 0;
}

static void expect(struct bench *b, uint64_t n)
{
    struct row found = look(b), *row = &b->row[n];

    assert_int_equal(found.moment.instructions, n);
    assert_int_equal(found.moment.interrupts, row->moment.interrupts);
    assert_int_equal(found.moment.time, row->moment.time);
    assert_int_equal(found.pc, row->pc);
    assert_int_equal(found.state, row->state);
}

static void jumps_go_where_they_should(void **state)
{
    struct bench *b = *state;

    srand(1);
    for (int i = 0; i < JUMPS; i++) {
        uint64_t n = (uint64_t)rand() % MOMENTS;
        assert_int_equal(hc_timeline_seek(b->timeline, n), HC_TIMELINE_THERE);
        expect(b, n);
    }
    assert_int_equal(hc_timeline_seek(b->timeline, 0), HC_TIMELINE_THERE);
    expect(b, 0);
    assert_int_equal(hc_timeline_back(b->timeline, 1), HC_TIMELINE_BEGINNING);
}

static void steps_go_both_ways(void **state)
{
    struct bench *b = *state;

    hc_timeline_seek(b->timeline, MOMENTS - 1);
    for (uint64_t n = MOMENTS - 1; n > MOMENTS - 3000; n--) {
        assert_int_equal(hc_timeline_back(b->timeline, 1), HC_TIMELINE_THERE);
        expect(b, n - 1);
    }
    for (uint64_t n = MOMENTS - 3000; n < MOMENTS - 2000; n++) {
        expect(b, n);
        assert_int_equal(hc_timeline_step(b->timeline), HC_TIMELINE_THERE);
    }
}

static void times_and_interrupts_are_found(void **state)
{
    struct bench *b = *state;
    uint64_t last = b->row[MOMENTS - 1].moment.interrupts;

    assert_true(last > 50);
    for (uint64_t k = last; k > 0; k -= k > 7 ? 7 : k) {
        uint64_t n = 0;
        while (b->row[n].moment.interrupts < k)
            n++;
        assert_int_equal(hc_timeline_seek_interrupt(b->timeline, k), HC_TIMELINE_THERE);
        expect(b, n);
    }
    srand(2);
    for (int i = 0; i < 50; i++) {
        uint64_t n = 1 + (uint64_t)rand() % (MOMENTS - 1);
        hc_time late = b->row[n].moment.time, early = b->row[n - 1].moment.time;
        assert_int_equal(hc_timeline_seek_time(b->timeline, late - (late - early) / 3), HC_TIMELINE_THERE);
        expect(b, n);
    }
}

static void interrupts_are_listed(void **state)
{
    struct bench *b = *state;
    struct hc_past_interrupt list[10];

    hc_timeline_seek(b->timeline, MOMENTS - 1);
    hc_timeline_seek(b->timeline, MOMENTS / 2);
    assert_int_equal(hc_timeline_interrupts(b->timeline, 11, list, 10), 10);
    for (uint64_t i = 0; i < 10; i++) {
        uint64_t n = 0;
        while (b->row[n].moment.interrupts < 11 + i)
            n++;
        assert_int_equal(list[i].moment.instructions, n);
        assert_int_equal(list[i].number, 11 + i);
        assert_int_equal(list[i].vector, b->row[n].pc == b->port1 ? 4 : 6);
    }
    expect(b, MOMENTS / 2);
}

static void breakpoints_stop_both_ways(void **state)
{
    struct bench *b = *state;
    uint64_t n = MOMENTS - 1;

    b->breaks = true;
    hc_timeline_seek(b->timeline, n);
    for (int i = 0; i < 400; i++) {
        do
            n--;
        while (n > 0 && b->row[n].pc != b->at);
        assert_int_equal(hc_timeline_run_back(b->timeline, classify, b), HC_TIMELINE_HOOK);
        expect(b, n);
    }
    for (int i = 0; i < 200; i++) {
        do
            n++;
        while (b->row[n].pc != b->at);
        assert_int_equal(hc_timeline_run(b->timeline, UINT64_MAX), HC_TIMELINE_HOOK);
        expect(b, n);
        b->hit = HC_HIT_NONE;
    }
}

/* The firmware writes other values mostly; where it writes the same, the watch sees it and the rows do not. */
static void writes_are_found_both_ways(void **state)
{
    struct bench *b = *state;
    uint64_t n = MOMENTS - 1, seen = 0;

    b->watches = true;
    hc_timeline_seek(b->timeline, n);
    while (hc_timeline_run_back(b->timeline, classify, b) == HC_TIMELINE_HOOK) {
        uint64_t found = hc_timeline_now(b->timeline)->instructions;
        expect(b, found);
        while (n > found + 1) {
            assert_int_equal(b->row[n - 1].shared, b->row[n].shared);
            n--;
        }
        seen += b->row[found].shared != b->row[found + 1].shared;
        n = found;
    }
    assert_true(seen > 100);
    expect(b, 0);
    while (n > 0) {
        assert_int_equal(b->row[n - 1].shared, b->row[n].shared);
        n--;
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(hc_timeline_run(b->timeline, UINT64_MAX), HC_TIMELINE_HOOK);
        b->hit = HC_HIT_NONE;
        uint64_t found = hc_timeline_now(b->timeline)->instructions;
        while (n + 1 < found) {
            assert_int_equal(b->row[n + 1].shared, b->row[n].shared);
            n++;
        }
        expect(b, found);
        n = found;
    }
}

static void both_at_once_and_the_beginning(void **state)
{
    struct bench *b = *state;
    uint64_t places = 0, found = 0, n = 3000;

    b->breaks = true;
    hc_timeline_seek(b->timeline, n);
    for (uint64_t i = 0; i < n; i++)
        places += b->row[i].pc == b->at;
    while (hc_timeline_run_back(b->timeline, classify, b) == HC_TIMELINE_HOOK)
        found++;
    assert_int_equal(found, places);
    expect(b, 0);
}

struct past {
    struct bench *b;
    uint64_t next;
};

static bool compare_past(void *owner, const struct hc_past *past)
{
    struct past *p = owner;
    struct row *row = &p->b->row[--p->next];

    assert_int_equal(past->moment.instructions, p->next);
    assert_int_equal(past->moment.interrupts, row->moment.interrupts);
    assert_int_equal(past->pc, row->pc);
    assert_int_equal(past->sp, row->sp);
    return p->next == 5;
}

static void looking_back_sees_everything(void **state)
{
    struct bench *b = *state;
    struct past p = { b, MOMENTS - 7 };

    hc_timeline_seek(b->timeline, MOMENTS - 7);
    assert_int_equal(hc_timeline_look_back(b->timeline, 0, compare_past, &p), HC_TIMELINE_THERE);
    assert_int_equal(p.next, 5);
    expect(b, MOMENTS - 7);
}

struct visits {
    struct bench *b;
    uint64_t last, count;
};

static bool count_visit(void *owner, const struct hc_moment *moment)
{
    struct visits *v = owner;

    for (uint64_t n = v->last + 1; n < moment->instructions; n++)
        assert_int_not_equal(v->b->row[n].pc, v->b->at);
    assert_int_equal(v->b->row[moment->instructions].pc, v->b->at);
    v->last = moment->instructions;
    v->count++;
    return false;
}

static void a_survey_sees_everything(void **state)
{
    struct bench *b = *state;
    struct visits v = { b, 0, 0 };
    uint64_t places = 0;

    b->breaks = true;
    hc_timeline_seek(b->timeline, 1234);
    assert_int_equal(hc_timeline_survey(b->timeline, 0, MOMENTS - 1, count_visit, &v), HC_TIMELINE_THERE);
    for (uint64_t i = 0; i < MOMENTS - 1; i++)
        places += b->row[i].pc == b->at;
    assert_int_equal(v.count, places);
    expect(b, 1234);
}

static bool asks_to_stop(void *owner)
{
    return *(bool *)owner;
}

static bool is_stopped_at_third(void *owner, const struct hc_moment *moment)
{
    struct visits *v = owner;

    (void)moment;
    if (++v->count < 3)
        return false;
    hc_request_stop(hc_timeline_machine(v->b->timeline));
    return true;
}

/* As with Ctrl-C: whoever asks to stop goes on to ask until somebody listens. */
static void a_survey_that_was_stopped_returns(void **state)
{
    struct bench *b = *state;
    struct visits v = { b, 0, 0 };
    bool asks = false;

    b->breaks = true;
    hc_timeline_seek(b->timeline, 1234);
    hc_timeline_set_poll(b->timeline, asks_to_stop, &asks);
    asks = true;
    hc_timeline_survey(b->timeline, 0, MOMENTS - 1, is_stopped_at_third, &v);
    asks = false;
    expect(b, 1234);
}

static void memory_is_bounded(void **state)
{
    struct bench *b = *state;
    struct hc_timeline_statistics s;

    hc_timeline_seek(b->timeline, 20000000);
    for (uint64_t n = 19999999; n > 19990000; n -= 100)
        hc_timeline_seek(b->timeline, n);
    hc_timeline_statistics(b->timeline, &s);
    assert_true(s.checkpoints <= 32 + 32 + 41);
    assert_true(s.interval > 1 << 14);
    hc_timeline_seek(b->timeline, MOMENTS / 3);
    expect(b, MOMENTS / 3);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(jumps_go_where_they_should),        TEST(steps_go_both_ways),
        TEST(times_and_interrupts_are_found),    TEST(interrupts_are_listed),
        TEST(breakpoints_stop_both_ways),        TEST(writes_are_found_both_ways),
        TEST(both_at_once_and_the_beginning),    TEST(looking_back_sees_everything),
        TEST(a_survey_sees_everything),          TEST(memory_is_bounded),
        TEST(a_survey_that_was_stopped_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
