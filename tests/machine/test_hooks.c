/* Hooks, snapshots, and code that changes: what the debugger, replay and the analyses stand on. */
#include "small_part.h"

#include <string.h>

/* ---- a program that does a little of everything ----
 *
 * 4000 mov #0x1200,r10   4004 mov #40,&PULSE   400a eint
 * 400c mov #10,r5  loop: 4010 call #4040   4014 add r6,0(r10)   4018 incd r10   401a dec r5   401c tst r5  401e jne
 * 4010 4020 mov #0x1200,r10   4024 add @r10+,r7 ... 4028 cmp #0x1214,r10   402c jlo 4024   402e jmp $ 4040 function:
 * inc r6  rla r6  push r6  mov @sp+,r8  ret 4060 handler: xor #0x55,r7  mov #30,&PULSE   reti */
static const uint16_t busy_program[] = {
    0x403a, 0x1200, 0x40b2, 40,     PULSE,  0xd232, 0x4035, 10,     0x12b0, 0x4040, 0x568a, 0x0000,
    0x532a, 0x8315, 0x9305, 0x23f8, 0x403a, 0x1200, 0x5a37, 0x4303, 0x903a, 0x1214, 0x2bfb, 0x3fff,
};
static const uint16_t busy_function[] = { 0x5316, 0x5606, 0x1206, 0x4138, 0x4130 };
static const uint16_t busy_handler[] = { 0xe037, 0x0055, 0x40b2, 30, PULSE, 0x1300 };

static struct hc_machine *busy_machine(struct hc_code_store *store)
{
    struct hc_machine *m = small_machine(store);
    for (uint32_t i = 0; i < sizeof busy_function / 2; i++)
        hc_poke16(m, 0x4040 + 2 * i, busy_function[i]);
    for (uint32_t i = 0; i < sizeof busy_handler / 2; i++)
        hc_poke16(m, 0x4060 + 2 * i, busy_handler[i]);
    small_vector(m, PULSE_VECTOR, 0x4060);
    small_program(m, busy_program, sizeof busy_program / 2);
    return m;
}

enum { BUSY_STEPS = 300 };

/* The state that two runs of the same program must share. */
static void assert_same(struct hc_machine *a, struct hc_machine *b)
{
    struct hc_statistics x;
    struct hc_statistics y;
    hc_machine_statistics(a, &x);
    hc_machine_statistics(b, &y);
    assert_memory_equal(&x, &y, sizeof x);
    for (int i = 0; i < HC_REGISTERS; i++)
        assert_int_equal(hc_register(a, i), hc_register(b, i));
    for (uint32_t at = 0x1000; at < 0x2000; at += 2)
        assert_int_equal(hc_peek16(a, at), hc_peek16(b, at));
}

static void one_step_at_a_time_is_the_same_as_all_at_once(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= BUSY_STEPS; n++) {
        struct hc_machine *whole = busy_machine(NULL);
        struct hc_machine *single = busy_machine(NULL);
        assert_int_equal(hc_machine_step(whole, n, HC_SECOND), HC_STOP_STEPS);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(hc_machine_step(single, 1, HC_SECOND), HC_STOP_STEPS);
        assert_same(whole, single);
        hc_machine_free(whole);
        hc_machine_free(single);
    }
}

/* ---- hooks at a PC ---- */

static enum hc_action count_and_stop(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ++*(int *)owner;
    return HC_STOP;
}

static enum hc_action count_only(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ++*(int *)owner;
    return HC_CONTINUE;
}

static void hooks_do_not_change_what_they_watch(void **state)
{
    (void)state;
    struct hc_machine *plain = busy_machine(NULL);
    struct hc_machine *hooked = busy_machine(NULL);
    int seen[0x70 / 2] = { 0 };
    for (uint32_t pc = 0x4000; pc < 0x4070; pc += 2)
        hc_hook_pc(hooked, pc, count_only, &seen[(pc - 0x4000) / 2]);
    hc_machine_step(plain, BUSY_STEPS, HC_SECOND);
    hc_machine_step(hooked, BUSY_STEPS, HC_SECOND);
    assert_same(plain, hooked);
    assert_int_equal(seen[0x10 / 2], 10); /* the loop's call */
    assert_int_equal(seen[0x40 / 2], 10); /* the function */
    assert_int_equal(seen[0x1e / 2], 10); /* the jump behind a comparison */
    assert_int_equal(seen[0x02 / 2], 0);  /* inside an instruction */
    hc_machine_free(plain);
    hc_machine_free(hooked);
}

static void a_stop_is_before_the_instruction_and_is_left_without_asking_again(void **state)
{
    (void)state;
    struct hc_machine *m = busy_machine(NULL);
    int seen = 0;
    int hook = hc_hook_pc(m, 0x401e, count_and_stop, &seen); /* the second half of a pair */
    for (int i = 1; i <= 10; i++) {
        assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_HOOK);
        assert_int_equal(hc_register(m, HC_PC), 0x401e);
        assert_int_equal(hc_register(m, 5), 10 - i);
        assert_int_equal(seen, i);
    }
    hc_unhook(m, hook);
    assert_int_equal(hc_machine_run(m, hc_ms(1)), HC_STOP_TIME);
    assert_int_equal(seen, 10);
    hc_machine_free(m);
}

static void a_stop_at_an_endless_loop_of_one_instruction_stops_each_time(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    int seen = 0;
    SMALL_PROGRAM(m, 0x3fff);
    hc_hook_pc(m, PROGRAM, count_and_stop, &seen);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_HOOK);
        assert_int_equal(seen, i);
    }
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    assert_int_equal(s.instructions, 4);
    hc_machine_free(m);
}

static enum hc_action answer_42(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)pc;
    hc_set_register(m, 6, 42);
    return HC_ANSWER;
}

static void a_hook_answers_in_place_of_a_function(void **state)
{
    (void)state;
    struct hc_machine *m = busy_machine(NULL);
    int returned = 0;
    hc_hook_pc(m, 0x4040, answer_42, NULL);
    hc_hook_pc(m, 0x4014, count_and_stop, &returned);
    assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_HOOK);
    assert_int_equal(hc_register(m, 6), 42);
    assert_int_equal(hc_register(m, HC_SP), STACK);
    assert_int_equal(returned, 1);
    hc_machine_free(m);
}

struct call_log {
    int entered, left;
    uint32_t value;
};

static enum hc_action log_call(void *owner, struct hc_machine *m, bool entering)
{
    struct call_log *log = owner;
    if (entering)
        log->entered++;
    else
        log->left++;
    log->value = hc_register(m, 6);
    return HC_CONTINUE;
}

static void a_call_is_seen_on_both_sides_also_when_it_recurs(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    struct call_log log = { 0 };
    /* mov #5,r6; call #4010; 4008 jmp $      4010: dec r6; jz 4018; call #4010; 4018: ret */
    SMALL_PROGRAM(m, 0x4036, 5, 0x12b0, 0x4010, 0x3fff, 0x4303, 0x4303, 0x4303, 0x8316, 0x2402, 0x12b0, 0x4010, 0x4130);
    int hook = hc_hook_call(m, 0x4010, log_call, &log);
    hc_machine_step(m, 2 + 3 * 3 + 2, HC_SECOND);
    assert_int_equal(log.entered, 4);
    assert_int_equal(log.left, 0);
    hc_machine_run(m, hc_ms(1));
    assert_int_equal(log.entered, 5);
    assert_int_equal(log.left, 5);
    hc_unhook(m, hook);
    hc_set_register(m, HC_PC, PROGRAM);
    hc_machine_run(m, hc_ms(2));
    assert_int_equal(log.entered, 5);
    hc_machine_free(m);
}

/* ---- accesses, interrupts, retired instructions ---- */

struct access_log {
    int reads, writes;
    struct hc_access last;
    bool stop;
};

static enum hc_action log_access(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct access_log *log = owner;
    (void)m;
    log->last = *access;
    if (access->write)
        log->writes++;
    else
        log->reads++;
    return log->stop ? HC_STOP : HC_CONTINUE;
}

static void watches_see_what_touches_their_range_and_nothing_else(void **state)
{
    (void)state;
    struct hc_machine *plain = busy_machine(NULL);
    struct hc_machine *m = busy_machine(NULL);
    struct access_log third = { 0 };
    struct access_log odd_byte = { 0 };
    struct access_log reg = { 0 };
    hc_hook_access(m, 0x1204, 0x1205, HC_WATCH_READ | HC_WATCH_WRITE, log_access, &third);
    hc_hook_access(m, 0x1207, 0x1207, HC_WATCH_WRITE, log_access, &odd_byte);
    hc_hook_access(m, PULSE, PULSE + 1, HC_WATCH_WRITE, log_access, &reg);
    hc_machine_step(m, BUSY_STEPS, HC_SECOND);
    hc_machine_step(plain, BUSY_STEPS, HC_SECOND);
    assert_same(plain, m);
    assert_int_equal(third.writes, 1);
    assert_int_equal(third.reads, 2); /* add to it, add it */
    assert_int_equal(third.last.address, 0x1204);
    assert_int_equal(third.last.pc, 0x4024);
    assert_int_equal(third.last.value, hc_peek16(m, 0x1204));
    assert_int_equal(odd_byte.writes, 1); /* a word write touches it */
    assert_int_equal(odd_byte.last.before, 0);
    assert_int_equal(odd_byte.last.value, hc_peek16(m, 0x1206));
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    assert_int_equal(reg.writes, 1 + s.interrupts);
    hc_machine_free(plain);
    hc_machine_free(m);
}

static void a_watch_stops_after_the_instruction(void **state)
{
    (void)state;
    struct hc_machine *m = busy_machine(NULL);
    struct access_log log = { .stop = true };
    int hook = hc_hook_access(m, 0x1200, 0x1201, HC_WATCH_WRITE, log_access, &log);
    assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_HOOK);
    assert_int_equal(hc_register(m, HC_PC), 0x4018);
    assert_int_equal(log.last.pc, 0x4014);
    hc_unhook(m, hook);
    assert_int_equal(hc_machine_run(m, hc_ms(1)), HC_STOP_TIME);
    assert_int_equal(log.writes, 1);
    hc_machine_free(m);
}

struct retire_log {
    uint64_t instructions;
    int interrupts;
    uint32_t last_pc;
};

static void log_retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct retire_log *log = owner;
    (void)m;
    log->instructions++;
    log->last_pc = pc;
}

static void log_interrupt(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct retire_log *log = owner;
    assert_int_equal(vector, PULSE_VECTOR);
    assert_int_equal(hc_register(m, HC_PC), 0x4060);
    assert_int_equal(hc_peek16(m, hc_register(m, HC_SP) + 2), pc);
    log->interrupts++;
}

static void every_instruction_and_interrupt_is_seen_once(void **state)
{
    (void)state;
    struct hc_machine *m = busy_machine(NULL);
    struct retire_log log = { 0 };
    int retire = hc_hook_retire(m, log_retired, &log);
    hc_hook_interrupt(m, log_interrupt, &log);
    hc_machine_run(m, hc_us(500));
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    assert_int_equal(log.instructions, s.instructions);
    assert_int_equal(log.interrupts, s.interrupts);
    assert_true(log.interrupts > 3);
    hc_unhook(m, retire);
    hc_machine_run(m, hc_us(600));
    assert_int_equal(log.instructions, s.instructions);
    hc_machine_free(m);
}

/* ---- the hash ---- */

static uint64_t hash_of_run(struct hc_machine *m, uint64_t slice)
{
    hc_hash_start(m);
    for (uint64_t done = 0; done < BUSY_STEPS; done += slice)
        hc_machine_step(m, done + slice > BUSY_STEPS ? BUSY_STEPS - done : slice, HC_SECOND);
    uint64_t hash = hc_hash_value(m);
    hc_hash_stop(m);
    hc_machine_free(m);
    return hash;
}

static void the_hash_is_that_of_the_instructions_and_of_nothing_else(void **state)
{
    (void)state;
    uint64_t hash = hash_of_run(busy_machine(NULL), BUSY_STEPS);
    for (uint64_t slice = 1; slice < 20; slice++)
        assert_int_equal(hash_of_run(busy_machine(NULL), slice), hash);
    struct hc_machine *other = busy_machine(NULL);
    hc_set_register(other, 15, 1);
    assert_int_not_equal(hash_of_run(other, BUSY_STEPS), hash);
    other = busy_machine(NULL);
    hc_poke16(other, 0x1210, 7); /* shows in a sum, at the end */
    assert_int_not_equal(hash_of_run(other, BUSY_STEPS), hash);
}

/* ---- snapshots ---- */

static void a_run_goes_on_from_a_snapshot_as_it_did(void **state)
{
    (void)state;
    struct hc_machine *m = busy_machine(NULL);
    struct hc_machine *twin = busy_machine(NULL);
    for (int at = 0; at < BUSY_STEPS; at += 7) {
        struct hc_snapshot *s = hc_snapshot_take(m);
        hc_hash_start(m);
        hc_machine_step(m, 50, HC_SECOND);
        uint64_t hash = hc_hash_value(m);
        hc_hash_stop(m);
        hc_snapshot_restore(twin, s); /* into another machine */
        hc_hash_start(twin);
        hc_machine_step(twin, 50, HC_SECOND);
        assert_int_equal(hc_hash_value(twin), hash);
        hc_hash_stop(twin);
        hc_snapshot_restore(m, s); /* and back in time */
        hc_snapshot_free(s);
        hc_machine_step(m, 7, HC_SECOND);
    }
    hc_machine_free(m);
    hc_machine_free(twin);
}

static void a_snapshot_brings_back_code_too(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x5315, 0x3ffe); /* inc r5; jmp .-2 */
    hc_set_register(m, 5, 0);
    hc_machine_step(m, 2, HC_SECOND);
    struct hc_snapshot *s = hc_snapshot_take(m);
    hc_poke16(m, PROGRAM, 0x5325); /* incd r5 */
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 3);
    hc_snapshot_restore(m, s);
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 2);
    hc_snapshot_free(s);
    hc_machine_free(m);
}

/* ---- code that changes ---- */

static void an_instruction_may_change_the_next_one(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    /* 4000 mov #0x5325,&0x4008; 4006 nop; 4008 inc r5 -> incd r5; 400a jmp $ */
    SMALL_PROGRAM(m, 0x40b2, 0x5325, 0x4008, 0x4303, 0x5315, 0x3fff);
    hc_set_register(m, 5, 0);
    hc_machine_step(m, 4, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 2);
    /* the very next one, and the second half of a pair: 4000 mov #0x2001,&0x4008 (jne .+4); 4006 tst r5; 4008 jeq .+4
     */
    SMALL_PROGRAM(m, 0x40b2, 0x2001, 0x4008, 0x9305, 0x2401, 0x5316, 0x3fff);
    hc_set_register(m, 5, 0);
    hc_set_register(m, 6, 0);
    hc_machine_step(m, 4, HC_SECOND);
    assert_int_equal(hc_register(m, 6), 1);
    hc_machine_free(m);
}

static void a_byte_of_an_operand_behind_a_page_border_counts(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x4030, 0x43fe); /* br #0x43fe */
    hc_poke16(m, 0x43fe, 0x4035);     /* mov #imm,r5 across the border at 0x4400 */
    hc_poke16(m, 0x4400, 0x1111);
    hc_poke16(m, 0x4402, 0x4030); /* br #0x43fe */
    hc_poke16(m, 0x4404, 0x43fe);
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 0x1111);
    hc_bus_write(m, 0x4401, 0x22, 1);
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 0x2211);
    hc_machine_free(m);
}

static void code_may_lie_in_a_mirror_and_change_by_either_name(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    hc_poke16(m, 0x1000, 0x5315); /* seen at 0x0200: inc r5; jmp .-2 */
    hc_poke16(m, 0x1002, 0x3ffe);
    SMALL_PROGRAM(m, 0x4030, 0x0200);
    hc_set_register(m, 5, 0);
    hc_machine_step(m, 3, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 1);
    hc_bus_write(m, 0x1000, 0x5325, 2);
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 3);
    hc_bus_write(m, 0x0200, 0x5315, 2);
    hc_machine_step(m, 2, HC_SECOND);
    assert_int_equal(hc_register(m, 5), 4);
    hc_machine_free(m);
}

static void machines_share_code_until_one_changes_its_own(void **state)
{
    (void)state;
    struct hc_code_store *store = hc_code_store_new();
    struct hc_machine *a = small_machine(store);
    struct hc_machine *b = small_machine(store);
    int seen = 0;
    SMALL_PROGRAM(a, 0x5315, 0x3ffe);
    SMALL_PROGRAM(b, 0x5315, 0x3ffe);
    hc_set_register(a, 5, 0);
    hc_set_register(b, 5, 0);
    hc_machine_step(a, 2, HC_SECOND);
    hc_machine_step(b, 2, HC_SECOND);
    hc_bus_write(a, PROGRAM, 0x5325, 2);
    hc_hook_pc(a, PROGRAM, count_only, &seen);
    hc_machine_step(a, 2, HC_SECOND);
    hc_machine_step(b, 2, HC_SECOND);
    assert_int_equal(hc_register(a, 5), 3);
    assert_int_equal(hc_register(b, 5), 2);
    assert_int_equal(seen, 1);
    hc_machine_free(a);
    hc_machine_step(b, 2, HC_SECOND);
    assert_int_equal(hc_register(b, 5), 3);
    hc_machine_free(b);
    hc_code_store_free(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_at_a_time_is_the_same_as_all_at_once),
        cmocka_unit_test(hooks_do_not_change_what_they_watch),
        cmocka_unit_test(a_stop_is_before_the_instruction_and_is_left_without_asking_again),
        cmocka_unit_test(a_stop_at_an_endless_loop_of_one_instruction_stops_each_time),
        cmocka_unit_test(a_hook_answers_in_place_of_a_function),
        cmocka_unit_test(a_call_is_seen_on_both_sides_also_when_it_recurs),
        cmocka_unit_test(watches_see_what_touches_their_range_and_nothing_else),
        cmocka_unit_test(a_watch_stops_after_the_instruction),
        cmocka_unit_test(every_instruction_and_interrupt_is_seen_once),
        cmocka_unit_test(the_hash_is_that_of_the_instructions_and_of_nothing_else),
        cmocka_unit_test(a_run_goes_on_from_a_snapshot_as_it_did),
        cmocka_unit_test(a_snapshot_brings_back_code_too),
        cmocka_unit_test(an_instruction_may_change_the_next_one),
        cmocka_unit_test(a_byte_of_an_operand_behind_a_page_border_counts),
        cmocka_unit_test(code_may_lie_in_a_mirror_and_change_by_either_name),
        cmocka_unit_test(machines_share_code_until_one_changes_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
