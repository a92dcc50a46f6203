/* bs, bc and the ends of history: requests of the protocol to a timeline, against a forward run that was written down.
 */
#include "gdb/stub.h"
#include "support/harness.h"
#include "timeline/gdb_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOMENTS = 5000, RETI = 0x1300 };

struct row {
    uint32_t pc, sp;
    uint16_t shared, opcode;
    uint64_t interrupts;
};

struct bench {
    struct harness h;
    struct hc_execution *execution;
    struct hc_timeline *timeline;
    struct hc_gdb_target *target;
    struct hc_gdb_stub stub;
    char reply[HC_GDB_PAYLOAD_MAX + 1];
    struct row row[MOMENTS];
    uint32_t shared;
};

static void send_reply(void *owner, const char *payload, size_t n)
{
    struct bench *b = owner;

    if (payload[0] == 'O' && payload[1] != 'K') /* the console's */
        return;
    memcpy(b->reply, payload, n);
    b->reply[n] = '\0';
}

static bool never(void *owner, bool idle)
{
    (void)owner;
    (void)idle;
    return false;
}

static void ask(struct bench *b, const char *request)
{
    b->reply[0] = '\0';
    hc_gdb_stub_request(&b->stub, request, strlen(request));
}

static void monitor(struct bench *b, const char *command)
{
    char request[200] = "qRcmd,";

    for (size_t n = strlen(request); *command; command++, n += 2)
        snprintf(request + n, sizeof request - n, "%02x", (unsigned)*command);
    ask(b, request);
    assert_string_equal(b->reply, "OK");
}

static void write_down(struct bench *b)
{
    struct hc_machine *m = b->h.machine;
    struct hc_snapshot *start = hc_snapshot_take(m);

    for (int i = 0; i < MOMENTS; i++) {
        struct hc_statistics s;
        assert_int_equal(hc_machine_settle(m, i > 0, HC_NEVER), HC_STOP_STEPS);
        hc_machine_statistics(m, &s);
        b->row[i] =
            (struct row){ hc_register(m, HC_PC), hc_register(m, HC_SP), hc_peek16(m, b->shared), 0, s.interrupts };
        b->row[i].opcode = hc_peek16(m, b->row[i].pc);
    }
    hc_snapshot_restore(m, start);
    hc_snapshot_free(start);
}

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    harness_start(&b->h, "timeline");
    b->shared = harness_address(&b->h, "shared");
    write_down(b);
    b->execution = hc_machine_execution_new(b->h.machine, HC_SECOND);
    b->timeline = hc_timeline_new(b->execution, 0);
    b->target = hc_gdb_timeline_target_new(b->timeline);
    hc_gdb_stub_init(&b->stub, b->target, (struct hc_gdb_poll){ never, NULL }, send_reply, b);
    ask(b, "qSupported:swbreak+;hwbreak+;qRelocInsn+");
    assert_non_null(strstr(b->reply, "ReverseStep+;ReverseContinue+"));
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    hc_gdb_target_free(b->target);
    hc_timeline_free(b->timeline);
    hc_execution_free(b->execution);
    harness_stop(&b->h);
    free(b);
    return 0;
}

static uint64_t now(struct bench *b)
{
    return hc_timeline_now(b->timeline)->instructions;
}

static void go(struct bench *b, uint64_t n)
{
    char command[40];

    snprintf(command, sizeof command, "goto #%llu", (unsigned long long)n);
    monitor(b, command);
    assert_int_equal(now(b), n);
}

/* The moment before N on the same level: handlers that ended just before are passed. */
static uint64_t before(struct bench *b, uint64_t n)
{
    uint64_t k = n - 1;

    if (b->row[k].opcode == RETI) { /* it came where SP is that of its return, and an interrupt was counted */
        uint32_t sp = b->row[k].sp + 4;
        while (!(b->row[k + 1].sp + 4 == sp && b->row[k + 1].interrupts > b->row[k].interrupts))
            k--;
    }
    return k;
}

static void steps_back_are_exact(void **state)
{
    struct bench *b = *state;
    int handlers = 0;

    for (uint64_t n = MOMENTS - 1; n > 500; n -= 13) {
        go(b, n);
        ask(b, "bs");
        assert_int_equal(strncmp(b->reply, "T05", 3), 0);
        /* An instruction before which an interrupt came, in whose handler one is, is a step back like any other. */
        if (now(b) != before(b, n))
            print_error("from #%llu\n", (unsigned long long)n);
        assert_int_equal(now(b), before(b, n));
        handlers += b->row[n - 1].opcode == RETI;
    }
    for (uint64_t n = 501; n < MOMENTS; n++) /* every return of an interrupt */
        if (b->row[n - 1].opcode == RETI) {
            go(b, n);
            ask(b, "bs");
            assert_int_equal(now(b), before(b, n));
            handlers++;
        }
    assert_true(handlers > 5);
}

static void continuing_back_finds_breakpoints(void **state)
{
    struct bench *b = *state;
    uint32_t depth = harness_address(&b->h, "depth");
    char request[40];
    uint64_t n = MOMENTS - 1, found = 0;

    snprintf(request, sizeof request, "Z0,%x,2", (unsigned)depth);
    ask(b, request);
    assert_string_equal(b->reply, "OK");
    go(b, n);
    for (;;) {
        ask(b, "bc");
        do
            n--;
        while (n > 0 && b->row[n].pc != depth);
        if (!n)
            break;
        assert_non_null(strstr(b->reply, "swbreak:;"));
        assert_int_equal(now(b), n);
        found++;
    }
    assert_non_null(strstr(b->reply, "replaylog:begin;"));
    assert_int_equal(now(b), 0);
    assert_true(found > 20);
    ask(b, "c");
    assert_non_null(strstr(b->reply, "swbreak:;"));
    assert_int_equal(b->row[now(b)].pc, depth);
}

static void continuing_back_undoes_writes(void **state)
{
    struct bench *b = *state;
    char request[40];
    uint64_t changes = 0;

    snprintf(request, sizeof request, "Z2,%x,2", (unsigned)b->shared);
    ask(b, request);
    go(b, MOMENTS - 1);
    for (uint64_t last = MOMENTS - 1;; last = now(b)) {
        ask(b, "bc");
        if (strstr(b->reply, "replaylog:begin;"))
            break;
        snprintf(request, sizeof request, "watch:%x;", (unsigned)b->shared);
        assert_non_null(strstr(b->reply, request));
        for (uint64_t k = now(b) + 1; k < last; k++)
            assert_int_equal(b->row[k].shared, b->row[last].shared);
        changes += b->row[now(b)].shared != b->row[now(b) + 1].shared;
        assert_int_equal(hc_peek16(b->h.machine, b->shared), b->row[now(b)].shared);
    }
    assert_true(changes > 10);
}

static void the_end_of_the_log_is_said(void **state)
{
    struct bench *b = *state;

    monitor(b, "goto start");
    ask(b, "c");
    assert_non_null(strstr(b->reply, "replaylog:end;"));
    ask(b, "bs");
    assert_null(strstr(b->reply, "replaylog"));
    monitor(b, "goto start");
    ask(b, "bs");
    assert_non_null(strstr(b->reply, "replaylog:begin;"));
}

static void monitor_commands_travel(void **state)
{
    struct bench *b = *state;

    go(b, 1234);
    monitor(b, "checkpoint");
    monitor(b, "goto interrupt 3");
    assert_int_equal(hc_timeline_now(b->timeline)->interrupts, 3);
    monitor(b, "goto checkpoint 1");
    assert_int_equal(now(b), 1234);
    monitor(b, "goto 0.002");
    assert_true(hc_timeline_now(b->timeline)->time >= hc_ms(2));
    monitor(b, "when");
    ask(b, "qRcmd,676f746f206e6f7768657265"); /* goto nowhere */
    assert_string_not_equal(b->reply, "OK");
    ask(b, "M1100,2:0000"); /* nothing can be written */
    assert_int_equal(b->reply[0], 'E');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(steps_back_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(continuing_back_finds_breakpoints, set_up, tear_down),
        cmocka_unit_test_setup_teardown(continuing_back_undoes_writes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_of_the_log_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(monitor_commands_travel, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
