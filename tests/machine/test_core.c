/* Events, clocks, wires, the bus, interrupts and low-power modes. */
#include "small_part.h"

#include <string.h>

/* ---- events ---- */

struct log {
    char text[64];
    struct hc_queue *q;
    hc_event other;
};

static hc_time log_a(void *owner, hc_time now)
{
    strcat(((struct log *)owner)->text, "a");
    return now < 30 ? now + 10 : HC_NEVER;
}

static hc_time log_b(void *owner, hc_time now)
{
    struct log *log = owner;
    strcat(log->text, "b");
    if (now == 10)
        hc_event_arm(log->q, log->other, 15);
    return HC_NEVER;
}

static hc_time log_c(void *owner, hc_time now)
{
    (void)now;
    strcat(((struct log *)owner)->text, "c");
    return HC_NEVER;
}

static void events_fire_in_order_of_time_then_of_arming(void **state)
{
    (void)state;
    struct hc_queue q;
    struct log log = { .q = &q };
    hc_queue_init(&q);
    hc_event a = hc_event_new(&q, "a", log_a, &log);
    hc_event b = hc_event_new(&q, "b", log_b, &log);
    log.other = hc_event_new(&q, "c", log_c, &log);
    hc_event_arm(&q, b, 20);
    hc_event_arm(&q, a, 10);
    hc_event_arm(&q, b, 10); /* moved: now the later of two at 10 */
    assert_int_equal(hc_event_time(&q, b), 10);
    while (hc_queue_next(&q) != HC_NEVER)
        hc_queue_fire(&q);
    assert_string_equal(log.text, "abcaa"); /* a10 b10 c15 a20 a30 */
    hc_event_arm(&q, a, 5);
    hc_event_cancel(&q, a);
    assert_int_equal(hc_queue_next(&q), HC_NEVER);
}

static hc_time count_ordered(void *owner, hc_time now)
{
    hc_time *last = owner;
    assert_true(now >= *last);
    *last = now;
    return HC_NEVER;
}

static void a_full_queue_stays_sorted(void **state)
{
    (void)state;
    struct hc_queue q;
    hc_time last = 0;
    uint32_t random = 1;
    hc_queue_init(&q);
    for (int i = 0; i < HC_EVENTS_MAX; i++)
        hc_event_new(&q, "e", count_ordered, &last);
    for (int i = 0; i < 5000; i++) {
        random = random * 1664525u + 1013904223u;
        hc_event e = (hc_event)(random >> 8) % HC_EVENTS_MAX;
        if (random >> 30 == 3)
            hc_event_cancel(&q, e);
        else
            hc_event_arm(&q, e, last + (random >> 20) % 50);
        if (random >> 30 == 1 && q.s.armed)
            hc_queue_fire(&q);
    }
    while (q.s.armed)
        hc_queue_fire(&q);
}

/* ---- clocks ---- */

static void clocks_count_whole_edges_across_changes_of_rate(void **state)
{
    (void)state;
    struct hc_clock c;
    hc_clock_init(&c, "c");
    assert_int_equal(hc_clock_ticks(&c, 1000), 0);
    assert_int_equal(hc_clock_time_of(&c, 1), HC_NEVER);
    hc_clock_set(&c, 100, 1000);
    assert_int_equal(hc_clock_ticks(&c, 1099), 0);
    assert_int_equal(hc_clock_ticks(&c, 1100), 1);
    assert_int_equal(hc_clock_time_of(&c, 7), 1700);
    hc_clock_set(&c, 30, 1250); /* last edge at 1200: the next one is due, and may not lie in the past */
    assert_int_equal(hc_clock_ticks(&c, 1250), 2);
    assert_int_equal(hc_clock_ticks(&c, 1280), 3);
    hc_clock_set(&c, 0, 1300);
    assert_int_equal(hc_clock_ticks(&c, 99999), 3);
    hc_clock_set(&c, 10, 2000);
    assert_int_equal(hc_clock_ticks(&c, 2009), 3);
    assert_int_equal(hc_clock_ticks(&c, 2010), 4);
    assert_int_equal(hc_clock_edge(&c, 2011), 2020);
    assert_int_equal(hc_clock_edge(&c, 2020), 2020);
}

static void time_converts_exactly(void **state)
{
    (void)state;
    assert_int_equal(hc_us(1000000), HC_SECOND);
    assert_int_equal(hc_ms(1000), HC_SECOND);
    assert_int_equal(hc_ns(1000000000), HC_SECOND);
    assert_int_equal(hc_period(32768), 1 << 25);
    assert_int_equal(hc_to_us(hc_us(123456789)), 123456789);
    assert_int_equal(hc_us(86400000000), 86400 * HC_SECOND);
}

/* ---- wires ---- */

static void record_level(void *owner, int32_t level, hc_time now)
{
    (void)now;
    char *text = owner;
    text[strlen(text)] = (char)('0' + level);
}

static void a_wire_is_low_if_any_driver_says_so(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    char seen[32] = "";
    hc_wire w = hc_wire_new(m, "bus", 1);
    int a = hc_wire_driver(m, w);
    int b = hc_wire_driver(m, w);
    hc_wire_listen(m, w, record_level, seen);
    assert_int_equal(hc_wire_find(m, "bus"), w);
    assert_int_equal(hc_wire_find(m, "nothing"), HC_NO_WIRE);
    assert_int_equal(hc_wire_level(m, w), 1);
    hc_wire_drive(m, w, a, HC_LOW);     /* 0 */
    hc_wire_drive(m, w, b, HC_HIGH);    /* still 0: nobody is told */
    hc_wire_drive(m, w, a, HC_RELEASE); /* 1 */
    hc_wire_drive(m, w, b, HC_RELEASE); /* 1 by the pull */
    hc_wire_set_pull(m, w, 0);          /* 0 */
    assert_string_equal(seen, "010");
    hc_machine_free(m);
}

/* ---- the bus ---- */

static void a_mirror_is_the_same_memory(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    hc_bus_write(m, 0x0210, 0xbeef, 2);
    assert_int_equal(hc_bus_read(m, 0x1010, 2), 0xbeef);
    assert_int_equal(hc_peek(m, 0x0211), 0xbe);
    hc_bus_write(m, 0x1011, 0x12, 1);
    assert_int_equal(hc_bus_read(m, 0x0210, 2), 0x12ef);
    hc_machine_free(m);
}

static void word_accesses_ignore_the_lowest_address_bit(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    hc_bus_write(m, 0x1003, 0xa55a, 2);
    assert_int_equal(hc_bus_read(m, 0x1002, 2), 0xa55a);
    assert_int_equal(hc_bus_read(m, 0x1003, 2), 0xa55a);
    assert_int_equal(hc_bus_read(m, 0x1003, 1), 0xa5);
    hc_machine_free(m);
}

static void assert_faults(const char *text, uint16_t pc, const uint16_t *words, size_t n)
{
    struct hc_machine *m = small_machine(NULL);
    small_program(m, words, n);
    assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_FAULT);
    assert_non_null(strstr(hc_fault_text(m), text));
    assert_int_equal(hc_fault_pc(m), pc);
    hc_machine_free(m);
}
#define ASSERT_FAULTS(text, pc, ...) \
    assert_faults(text, pc, (const uint16_t[]){ __VA_ARGS__ }, sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2)

static void what_hardware_leaves_open_stops_with_a_sentence(void **state)
{
    (void)state;
    ASSERT_FAULTS("read of vacant memory 0x3000", 0x4000, 0x4215, 0x3000);                    /* mov &0x3000,r5 */
    ASSERT_FAULTS("write of 0x0001 to vacant memory 0x3002", 0x4002, 0x4303, 0x4392, 0x3002); /* nop; mov #1,&0x3002 */
    ASSERT_FAULTS("write of 0x0001 to read-only memory 0x2000", 0x4000, 0x4392, 0x2000);
    ASSERT_FAULTS("undefined instruction 0x1800", 0x4000, 0x1800); /* an extension word is none on the MSP430 */
    ASSERT_FAULTS("undefined instruction 0x0000", 0x4002, 0x4303, 0x0000);
    ASSERT_FAULTS("instruction fetch from vacant memory 0x3000", 0x3000, 0x4030, 0x3000); /* br #0x3000 */
    ASSERT_FAULTS("instruction fetch from the peripheral registers at 0x0100", 0x0100, 0x4030, 0x0100);
}

static void a_lenient_machine_reads_vacant_memory_and_goes_on(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    hc_machine_set_lenient(m, true);
    SMALL_PROGRAM(m, 0x4215, 0x3000, 0x4392, 0x3002, 0x3fff); /* mov &0x3000,r5; mov #1,&0x3002; jmp $ */
    assert_int_equal(hc_machine_step(m, 2, HC_SECOND), HC_STOP_STEPS);
    assert_int_equal(hc_register(m, 5), 0x3fff);
    hc_machine_free(m);
}

static void collect_note(void *owner, const char *text)
{
    strcat(owner, text);
}

static void an_unknown_register_is_noted_once(void **state)
{
    (void)state;
    char notes[256] = "";
    struct hc_machine *m = small_machine(NULL);
    hc_machine_set_note(m, collect_note, notes);
    SMALL_PROGRAM(m, 0x4215, 0x0150, 0x4215, 0x0150, 0x3fff);
    hc_machine_step(m, 3, HC_SECOND);
    assert_string_equal(notes, "small: read of unknown register 0x0150 at pc 0x4000");
    hc_machine_free(m);
}

/* ---- interrupts ---- */

static enum hc_action stop_here(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

static void an_event_interrupts_at_the_first_boundary_after_it(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    /* mov #20,&PULSE (5 cycles); eint (1); 4006: jmp $ (2)  handler 4100: reti */
    SMALL_PROGRAM(m, 0x40b2, 20, PULSE, 0xd232, 0x3fff);
    small_vector(m, PULSE_VECTOR, 0x4100);
    hc_poke16(m, 0x4100, 0x1300);
    struct hc_statistics s;
    hc_hook_pc(m, 0x4100, stop_here, NULL);
    assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_HOOK);
    hc_machine_statistics(m, &s);
    assert_int_equal(s.interrupts, 1);
    /* written in cycle 4 of MOV, due in cycle 24; EINT ends at 6, the jumps at 8, 10 ... 24; then 6 cycles of entry */
    assert_int_equal(s.cycles, 24 + 6);
    assert_int_equal(hc_register(m, HC_SP), STACK - 4);
    assert_int_equal(hc_peek16(m, STACK - 2), 0x4008);
    assert_int_equal(hc_peek16(m, STACK - 4), HC_SR_GIE);
    assert_int_equal(hc_register(m, HC_SR), 0);
    hc_machine_step(m, 1, HC_SECOND);
    assert_int_equal(hc_register(m, HC_PC), 0x4008);
    assert_int_equal(hc_register(m, HC_SR), HC_SR_GIE);
    hc_machine_statistics(m, &s);
    assert_int_equal(s.cycles, 24 + 6 + 5);
    hc_machine_free(m);
}

static void the_instruction_after_eint_runs_first(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    /* mov #1,&0x102 (a request is pending); eint; inc r5; inc r5; handler: mov r5,r6; jmp $ */
    SMALL_PROGRAM(m, 0x4392, 0x0102, 0xd232, 0x5315, 0x5315, 0x3fff);
    small_vector(m, LOW_VECTOR, 0x4100);
    hc_poke16(m, 0x4100, 0x4506);
    hc_poke16(m, 0x4102, 0x3fff);
    hc_set_register(m, 5, 0);
    hc_machine_run(m, hc_us(100));
    assert_int_equal(hc_register(m, 6), 1);
    assert_int_equal(hc_peek16(m, STACK - 2), 0x4008);
    hc_machine_free(m);
}

static void the_higher_vector_wins_and_handlers_nest_if_they_allow_it(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    /* low handler: eint; nop; inc r7; reti. The high one comes 3 cycles after the low one has begun. */
    SMALL_PROGRAM(m, 0x40b2, 9, PULSE, 0x4392, 0x0102, 0xd232, 0x4303, 0x4303, 0x3fff);
    static const uint16_t low[] = {
        0x5317, 0xd232, 0x4303, 0x4303, 0x4708, 0x1300
    }; /* inc r7 eint nop nop mov r7,r8 reti */
    static const uint16_t high[] = { 0x4079, 0x0001, 0x4747, 0x5317, 0x1300 }; /* mov.b #1,r9 mov.b r7,r7 inc r7 reti */
    for (uint32_t i = 0; i < 6; i++)
        hc_poke16(m, 0x4100 + 2 * i, low[i]);
    for (uint32_t i = 0; i < 5; i++)
        hc_poke16(m, 0x4200 + 2 * i, high[i]);
    small_vector(m, LOW_VECTOR, 0x4100);
    small_vector(m, PULSE_VECTOR, 0x4200);
    hc_set_register(m, 7, 0);
    hc_machine_run(m, hc_us(200));
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    assert_int_equal(s.interrupts, 2);
    assert_int_equal(hc_register(m, 9), 1);
    assert_int_equal(hc_register(m, 8), 2); /* the high one ran within the low one */
    assert_int_equal(hc_register(m, HC_SP), STACK);
    hc_machine_free(m);
}

static void an_interrupt_without_a_handler_stops_with_a_sentence(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0xd232, 0x4303, 0x3fff); /* eint; nop; 4004: jmp $ */
    small_vector(m, LOW_VECTOR, 0xffff);
    hc_machine_step(m, 3, HC_SECOND);
    hc_interrupt(m, LOW_VECTOR, true);
    assert_int_equal(hc_machine_run(m, HC_SECOND), HC_STOP_FAULT);
    assert_string_equal(
        hc_fault_text(m),
        "pc 0x4004: interrupt 3, which the program has enabled, has no handler: its vector at 0xffe6 is erased");
    hc_machine_free(m);
}

static void an_nmi_needs_no_gie(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x3fff);
    small_vector(m, NMI_VECTOR, 0x4100);
    hc_poke16(m, 0x4100, 0x3fff);
    hc_interrupt(m, LOW_VECTOR, true);
    hc_machine_run(m, hc_us(10));
    assert_int_equal(hc_register(m, HC_PC), 0x4000);
    hc_interrupt(m, NMI_VECTOR, true);
    hc_machine_step(m, 1, HC_SECOND);
    hc_interrupt(m, NMI_VECTOR, false);
    assert_int_equal(hc_register(m, HC_PC), 0x4100);
    hc_machine_free(m);
}

static void a_handler_wakes_the_cpu_by_changing_sr_on_the_stack(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    /* mov #500,&PULSE; bis #GIE+CPUOFF,sr; inc r5; jmp $    handler: bic #CPUOFF,0(sp); reti */
    SMALL_PROGRAM(m, 0x40b2, 500, PULSE, 0xd032, 0x0018, 0x5315, 0x3fff);
    static const uint16_t handler[] = { 0xc0b1, 0x0010, 0x0000, 0x1300 };
    for (uint32_t i = 0; i < 4; i++)
        hc_poke16(m, 0x4100 + 2 * i, handler[i]);
    small_vector(m, PULSE_VECTOR, 0x4100);
    hc_set_register(m, 5, 0);
    hc_machine_run(m, hc_us(400));
    assert_int_equal(hc_register(m, 5), 0);
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    assert_int_equal(s.instructions, 2);
    assert_int_equal(s.cycles, 5 + 2);
    /* a reset takes 4 cycles; SR changes in the last cycle of BIS */
    assert_int_equal(hc_to_us(s.in_mode[HC_MODE_LPM0]), 400 - 4 - 7 + 1);
    hc_machine_run(m, hc_us(600));
    assert_int_equal(hc_register(m, 5), 1);
    assert_int_equal(hc_register(m, HC_SR), HC_SR_GIE);
    hc_machine_statistics(m, &s);
    assert_int_equal(s.in_mode[HC_MODE_ACTIVE] + s.in_mode[HC_MODE_LPM0], s.now);
    hc_machine_free(m);
}

static void sleep_without_events_costs_nothing(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0xd032, 0x0010); /* bis #CPUOFF,sr: for ever */
    assert_int_equal(hc_machine_run(m, 100000 * HC_SECOND), HC_STOP_TIME);
    assert_int_equal(hc_now(m), 100000 * HC_SECOND);
    hc_machine_free(m);
}

static void power_off_loses_ram_and_keeps_rom(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x3fff);
    hc_poke16(m, 0x2000, 0x1234);
    hc_poke16(m, 0x1000, 0x5678);
    hc_machine_power_off(m, 1);
    uint16_t once = hc_peek16(m, 0x1000);
    assert_int_equal(hc_peek16(m, 0x2000), 0x1234);
    assert_int_not_equal(once, 0x5678);
    hc_poke16(m, 0x1000, 0);
    hc_machine_power_off(m, 1);
    assert_int_equal(hc_peek16(m, 0x1000), once);
    hc_machine_power_off(m, 2);
    assert_int_not_equal(hc_peek16(m, 0x1000), once);
    hc_machine_free(m);
}

/* ---- the stack ---- */

static void push_and_call_move_the_stack_pointer_first(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x1201, 0x1211, 0x0004, 0x1291, 0x0006); /* push sp; push 4(sp); call 6(sp) */
    hc_machine_step(m, 1, HC_SECOND);
    assert_int_equal(hc_peek16(m, STACK - 2), STACK - 2);
    hc_poke16(m, STACK, 0xbeef);
    hc_machine_step(m, 1, HC_SECOND);
    assert_int_equal(hc_peek16(m, STACK - 4), 0xbeef);
    hc_poke16(m, STACK, 0x4100);
    hc_machine_step(m, 1, HC_SECOND);
    assert_int_equal(hc_register(m, HC_PC), 0x4100);
    assert_int_equal(hc_peek16(m, STACK - 6), 0x400a);
    hc_machine_free(m);
}

/* ---- reset ---- */

static hc_time request_reset(void *owner, hc_time now)
{
    (void)now;
    hc_request_reset(owner, HC_PUC);
    return HC_NEVER;
}

static void a_reset_that_an_event_asks_for_comes_before_the_next_instruction(void **state)
{
    (void)state;
    struct hc_machine *m = small_machine(NULL);
    SMALL_PROGRAM(m, 0x4035, 7, 0xd032, 0x0010); /* mov #7,r5; bis #CPUOFF,sr */
    hc_event e = hc_event_new(hc_events(m), "reset", request_reset, m);
    hc_machine_run(m, hc_us(100));
    hc_event_arm(hc_events(m), e, hc_us(200));
    hc_set_register(m, 5, 0);
    hc_machine_run(m, hc_us(210));
    assert_int_equal(hc_register(m, 5), 7);
    hc_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_fire_in_order_of_time_then_of_arming),
        cmocka_unit_test(a_full_queue_stays_sorted),
        cmocka_unit_test(clocks_count_whole_edges_across_changes_of_rate),
        cmocka_unit_test(time_converts_exactly),
        cmocka_unit_test(a_wire_is_low_if_any_driver_says_so),
        cmocka_unit_test(a_mirror_is_the_same_memory),
        cmocka_unit_test(word_accesses_ignore_the_lowest_address_bit),
        cmocka_unit_test(what_hardware_leaves_open_stops_with_a_sentence),
        cmocka_unit_test(a_lenient_machine_reads_vacant_memory_and_goes_on),
        cmocka_unit_test(an_unknown_register_is_noted_once),
        cmocka_unit_test(an_event_interrupts_at_the_first_boundary_after_it),
        cmocka_unit_test(an_interrupt_without_a_handler_stops_with_a_sentence),
        cmocka_unit_test(the_instruction_after_eint_runs_first),
        cmocka_unit_test(the_higher_vector_wins_and_handlers_nest_if_they_allow_it),
        cmocka_unit_test(an_nmi_needs_no_gie),
        cmocka_unit_test(a_handler_wakes_the_cpu_by_changing_sr_on_the_stack),
        cmocka_unit_test(sleep_without_events_costs_nothing),
        cmocka_unit_test(push_and_call_move_the_stack_pointer_first),
        cmocka_unit_test(a_reset_that_an_event_asks_for_comes_before_the_next_instruction),
        cmocka_unit_test(power_off_loses_ram_and_keeps_rom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
