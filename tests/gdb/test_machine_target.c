/* A live machine under the debugger's hands: break- and watchpoints, stepping past interrupts, faults. Programs are a
 * few words of machine code, so that each stop can be told to the instruction. */
#include "gdb/gdb.h"
#include "machine/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RAM = 0x200, CODE = 0x4000, HANDLER = 0x4100, VECTOR = 6 };

static const struct hc_region regions[] = {
    { .name = "flash", .kind = HC_FLASH, .start = 0x4000, .end = 0xffff }, /* not in order, on purpose */
    { .name = "peripherals", .kind = HC_IO, .start = 0, .end = 0x1ff },
    { .name = "ram", .kind = HC_RAM, .start = 0x200, .end = 0x9ff },
    { .name = "boot", .kind = HC_ROM, .start = 0xc00, .end = 0xfff },
    { 0 },
};
static const struct hc_part part = {
    .name = "test", .cpu = HC_CPU_MSP430, .regions = regions, .vectors_end = 0x10000, .vectors = 16
};

/* ---- a device that interrupts when told, and has one register ---- */

enum { ALARM_REGISTER = 0x180 };

struct alarm {
    struct hc_device base;
    hc_event event;
    struct {
        uint16_t value;
        uint8_t size;
        bool pending;
    } s;
};

static hc_time ring(void *owner, hc_time now)
{
    (void)now;
    hc_interrupt(((struct alarm *)owner)->base.machine, VECTOR, true);
    return HC_NEVER;
}

static void accepted(struct hc_device *d, int vector)
{
    hc_interrupt(d->machine, vector, false);
}

static void alarm_write(struct hc_device *d, uint32_t address, uint16_t value, int size)
{
    (void)address;
    ((struct alarm *)d)->s.value = value;
    ((struct alarm *)d)->s.size = (uint8_t)size;
}

static uint16_t alarm_read(struct hc_device *d, uint32_t address, int size)
{
    (void)size;
    return (uint16_t)(((struct alarm *)d)->s.value >> (address & 1 ? 8 : 0));
}

static const struct hc_device_ops alarm_ops = { .name = "alarm",
                                                .help = "interrupts when told",
                                                .read = alarm_read,
                                                .write = alarm_write,
                                                .peek = alarm_read,
                                                .interrupt_accepted = accepted };

/* ---- the fixture ---- */

struct fixture {
    struct hc_machine *m;
    struct hc_gdb_target *t;
    struct alarm *alarm;
    int polls; /* how often the debugger may still be asked before it says stop; -1: for ever */
    struct hc_gdb_stop stop;
};

static struct fixture fixture;

static void load(struct hc_machine *m, uint32_t address, const uint16_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_true(hc_poke16(m, address + 2 * (uint32_t)i, words[i]));
}

#define LOAD(m, address, ...) \
    load(m, address, (const uint16_t[]){ __VA_ARGS__ }, sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2)

static int setup(void **state)
{
    struct fixture *f = &fixture;

    memset(f, 0, sizeof *f);
    f->m = hc_machine_new(&part, NULL);
    f->alarm = HC_DEVICE_NEW(f->m, &alarm_ops, "alarm", struct alarm);
    f->alarm->event = hc_event_new(hc_events(f->m), "alarm", ring, f->alarm);
    hc_device_claim(&f->alarm->base, ALARM_REGISTER, ALARM_REGISTER + 1);
    hc_device_owns_vector(&f->alarm->base, VECTOR);
    LOAD(f->m, 0xfffe, CODE);
    LOAD(f->m, 0xffe0 + 2 * VECTOR, HANDLER);
    LOAD(f->m, CODE, 0x4031, 0x0300, /* 4000 mov #0x300, sp */
         0x430a,                     /* 4004 clr r10 */
         0x531a,                     /* 4006 inc r10 */
         0x4a82, 0x0200,             /* 4008 mov r10, &0x200 */
         0x421b, 0x0204,             /* 400c mov &0x204, r11 */
         0x3ffa);                    /* 4010 jmp 0x4006 */
    hc_machine_reset(f->m, HC_POR);
    f->t = hc_gdb_machine_target_new(f->m, 1000 * HC_SECOND);
    f->polls = -1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    hc_gdb_target_free(f->t);
    hc_machine_free(f->m);
    return 0;
}

static bool interrupted(void *owner, bool idle)
{
    struct fixture *f = owner;

    (void)idle;
    if (f->polls > 0)
        f->polls--;
    return f->polls == 0;
}

static void resume(struct fixture *f, enum hc_gdb_resume_kind kind, uint32_t start, uint32_t end)
{
    struct hc_gdb_resume how = { kind, start, end };
    struct hc_gdb_poll poll = { interrupted, f };

    memset(&f->stop, 0, sizeof f->stop);
    f->t->ops->resume(f->t, &how, &poll, &f->stop);
}

static void expect(struct fixture *f, enum hc_gdb_stop_kind kind, uint32_t pc)
{
    assert_int_equal(f->stop.kind, kind);
    assert_int_equal(hc_register(f->m, HC_PC), pc);
}

static void expect_point(struct fixture *f, enum hc_gdb_point point, uint32_t address, uint32_t pc)
{
    expect(f, HC_GDB_STOP_POINT, pc);
    assert_int_equal(f->stop.point, point);
    assert_int_equal(f->stop.address, address);
}

static void step_to(struct fixture *f, uint32_t pc)
{
    resume(f, HC_GDB_STEP, 0, 0);
    expect(f, HC_GDB_STOP_STEPPED, pc);
}

static void insert(struct fixture *f, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    assert_true(f->t->ops->insert(f->t, kind, address, length));
}

/* ---- tests ---- */

static void breakpoints(void **state)
{
    struct fixture *f = *state;

    insert(f, HC_GDB_SWBREAK, 0x4008, 2);
    insert(f, HC_GDB_SWBREAK, 0x4008, 2); /* once more is the same */
    resume(f, HC_GDB_CONTINUE, 0, 0);
    expect_point(f, HC_GDB_SWBREAK, 0x4008, 0x4008);
    assert_int_equal(hc_register(f->m, 10), 1);
    assert_int_equal(hc_peek16(f->m, 0x200), 0); /* the instruction has not run */

    resume(f, HC_GDB_CONTINUE, 0, 0); /* goes on, and comes round again */
    expect_point(f, HC_GDB_SWBREAK, 0x4008, 0x4008);
    assert_int_equal(hc_register(f->m, 10), 2);
    step_to(f, 0x400c);
    assert_int_equal(hc_peek16(f->m, 0x200), 2);
    hc_set_register(f->m, HC_PC, 0x4006);
    step_to(f, 0x4008); /* arrives at it ... */
    step_to(f, 0x400c); /* ... and steps over it */

    insert(f, HC_GDB_HWBREAK, 0x4010, 2);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    expect_point(f, HC_GDB_HWBREAK, 0x4010, 0x4010);
    f->t->ops->remove(f->t, HC_GDB_HWBREAK, 0x4010, 2);
    f->t->ops->remove(f->t, HC_GDB_SWBREAK, 0x4008, 2);
    f->t->ops->remove(f->t, HC_GDB_SWBREAK, 0x4008, 2); /* isn't there any more */
    f->polls = 3;
    resume(f, HC_GDB_CONTINUE, 0, 0);
    assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);

    assert_false(f->t->ops->insert(f->t, HC_GDB_SWBREAK, 0x4009, 2));
    assert_false(f->t->ops->insert(f->t, HC_GDB_SWBREAK, 0x10000, 2));
}

static void there_is_an_end_to_points(void **state)
{
    struct fixture *f = *state;
    uint32_t n = 0;

    while (n < 10000 && f->t->ops->insert(f->t, HC_GDB_SWBREAK, 0x5000 + 2 * n, 2))
        n++;
    assert_in_range(n, 64, 1000);
    f->t->ops->remove_all(f->t);
    insert(f, HC_GDB_SWBREAK, 0x4006, 2);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    expect_point(f, HC_GDB_SWBREAK, 0x4006, 0x4006);
}

static void watchpoints(void **state)
{
    static const struct {
        enum hc_gdb_point kind;
        uint32_t address, length;
        uint32_t reported, pc; /* PC 0: it does not stop */
    } rows[] = {
        { HC_GDB_WATCH_WRITE, 0x200, 2, 0x200, 0x400c }, /* after the write */
        { HC_GDB_WATCH_WRITE, 0x201, 1, 0x201, 0x400c }, /* the upper half of the word */
        { HC_GDB_WATCH_WRITE, 0x1fe, 3, 0x200, 0x400c }, /* reaches into it */
        { HC_GDB_WATCH_WRITE, 0x202, 2, 0, 0 },
        { HC_GDB_WATCH_WRITE, 0x1fe, 2, 0, 0 },
        { HC_GDB_WATCH_WRITE, 0x204, 2, 0, 0 }, /* only read */
        { HC_GDB_WATCH_READ, 0x204, 2, 0x204, 0x4010 },
        { HC_GDB_WATCH_READ, 0x205, 1, 0x205, 0x4010 },
        { HC_GDB_WATCH_READ, 0x200, 2, 0, 0 }, /* only written */
        { HC_GDB_WATCH_ACCESS, 0x200, 2, 0x200, 0x400c },
        { HC_GDB_WATCH_ACCESS, 0x204, 1, 0x204, 0x4010 },
        { HC_GDB_WATCH_ACCESS, 0x202, 2, 0, 0 },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        insert(f, rows[i].kind, rows[i].address, rows[i].length);
        f->polls = 3;
        resume(f, HC_GDB_CONTINUE, 0, 0);
        if (rows[i].pc)
            expect_point(f, rows[i].kind, rows[i].reported, rows[i].pc);
        else
            assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);
        f->t->ops->remove(f->t, rows[i].kind, rows[i].address, rows[i].length);
    }
    assert_false(f->t->ops->insert(f->t, HC_GDB_WATCH_WRITE, 0xffff, 2));
    assert_false(f->t->ops->insert(f->t, HC_GDB_WATCH_WRITE, 0x200, 0xffffffff));
}

static void watching_while_stepping(void **state)
{
    struct fixture *f = *state;

    hc_set_register(f->m, HC_PC, 0x4008);
    insert(f, HC_GDB_WATCH_WRITE, 0x200, 2);
    resume(f, HC_GDB_STEP, 0, 0);
    expect_point(f, HC_GDB_WATCH_WRITE, 0x200, 0x400c);
    step_to(f, 0x4010);
}

static void range_steps(void **state)
{
    struct fixture *f = *state;

    resume(f, HC_GDB_RANGE, 0x4000, 0x4008);
    expect(f, HC_GDB_STOP_STEPPED, 0x4008);
    resume(f, HC_GDB_RANGE, 0x5000, 0x5000); /* an empty range is one step */
    expect(f, HC_GDB_STOP_STEPPED, 0x400c);
    insert(f, HC_GDB_SWBREAK, 0x4006, 2);
    resume(f, HC_GDB_RANGE, 0x4000, 0x4012);
    expect_point(f, HC_GDB_SWBREAK, 0x4006, 0x4006);
    resume(f, HC_GDB_RANGE, 0x4000, 0x4012); /* leaves it, and comes round to it */
    expect_point(f, HC_GDB_SWBREAK, 0x4006, 0x4006);
    assert_int_equal(hc_register(f->m, 10), 2);
    f->t->ops->remove_all(f->t);
    f->polls = 3;
    resume(f, HC_GDB_RANGE, 0x4000, 0x4012); /* never leaves it */
    assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);
}

static void faults(void **state)
{
    static const struct {
        uint16_t code[3];
        enum hc_gdb_signal signal;
        const char *text;
        uint32_t pc;
    } rows[] = {
        { { 0x4a82, 0x0a00 }, HC_GDB_SIGSEGV, "0x0a00", 0x5000 },
        { { 0x421b, 0x3000 }, HC_GDB_SIGSEGV, "0x3000", 0x5000 },
        { { 0x4030, 0x3000 }, HC_GDB_SIGSEGV, "0x3000", 0x3000 },
        { { 0x0000, 0x0000 }, HC_GDB_SIGILL, "0x5000", 0x5000 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture *f;

        teardown(state);
        setup(state);
        f = *state;
        load(f->m, 0x5000, rows[i].code, 3);
        hc_set_register(f->m, HC_PC, 0x5000);
        resume(f, HC_GDB_CONTINUE, 0, 0);
        expect(f, HC_GDB_STOP_FAULT, rows[i].pc);
        assert_int_equal(f->stop.signal, rows[i].signal);
        assert_non_null(strstr(f->stop.text, rows[i].text));
    }
}

static void time_is_up(void **state)
{
    struct fixture *f = *state;

    hc_gdb_target_free(f->t);
    f->t = hc_gdb_machine_target_new(f->m, HC_SECOND);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    assert_int_equal(f->stop.kind, HC_GDB_STOP_EXITED);
    assert_in_range(hc_now(f->m), HC_SECOND, HC_SECOND + hc_us(10));
}

static void requests_from_outside(void **state)
{
    struct fixture *f = *state;

    hc_request_stop(f->m);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);
}

/* The handler counts in r9 and returns. */
static void load_handler(struct fixture *f)
{
    LOAD(f->m, HANDLER, 0x5319, /* 4100 inc r9 */
         0x5392, 0x0210,        /* 4102 inc &0x210 */
         0x1300);               /* 4106 reti */
    hc_set_register(f->m, 9, 0);
}

static void steps_past_interrupts(void **state)
{
    struct fixture *f = *state;

    load_handler(f);
    step_to(f, 0x4004);
    hc_set_register(f->m, HC_SR, HC_SR_GIE);
    step_to(f, 0x4006);
    hc_interrupt(f->m, VECTOR, true);
    step_to(f, 0x4008); /* the handler has run, and so has one instruction */
    assert_int_equal(hc_register(f->m, 9), 1);
    assert_int_equal(hc_register(f->m, 10), 1);
    assert_int_equal(hc_register(f->m, HC_SP), 0x300);

    /* A breakpoint or watchpoint in the handler is not passed by. */
    hc_interrupt(f->m, VECTOR, true);
    insert(f, HC_GDB_SWBREAK, 0x4102, 2);
    resume(f, HC_GDB_STEP, 0, 0);
    expect_point(f, HC_GDB_SWBREAK, 0x4102, 0x4102);
    step_to(f, 0x4106); /* stepping in the handler is just that */
    step_to(f, 0x4008);
    f->t->ops->remove_all(f->t);

    hc_interrupt(f->m, VECTOR, true);
    insert(f, HC_GDB_SWBREAK, 0x4100, 2); /* at its first instruction */
    resume(f, HC_GDB_STEP, 0, 0);
    expect_point(f, HC_GDB_SWBREAK, 0x4100, 0x4100);
    f->t->ops->remove_all(f->t);
    hc_set_register(f->m, HC_PC, 0x4106);
    step_to(f, 0x4008);

    hc_interrupt(f->m, VECTOR, true);
    insert(f, HC_GDB_WATCH_WRITE, 0x210, 2);
    resume(f, HC_GDB_STEP, 0, 0);
    expect_point(f, HC_GDB_WATCH_WRITE, 0x210, 0x4106);
}

static void range_steps_past_interrupts(void **state)
{
    struct fixture *f = *state;

    load_handler(f);
    step_to(f, 0x4004);
    hc_set_register(f->m, HC_SR, HC_SR_GIE);
    hc_event_arm(hc_events(f->m), f->alarm->event, hc_now(f->m) + hc_us(2));
    resume(f, HC_GDB_RANGE, 0x4004, 0x4010);
    expect(f, HC_GDB_STOP_STEPPED, 0x4010);
    assert_int_equal(hc_register(f->m, 9), 1);
}

static void steps_through_sleep(void **state)
{
    struct fixture *f = *state;

    LOAD(f->m, CODE, 0x4031, 0x0300, 0xd032, 0x0018, /* 4004 bis #GIE|CPUOFF, sr */
         0x531a);                                    /* 4008 inc r10 */
    hc_set_register(f->m, 10, 0);
    LOAD(f->m, HANDLER, 0x5319,           /* 4100 inc r9 */
         0xc0b1, 0x0010, 0x0000, 0x1300); /* 4102 bic #CPUOFF, 0(sp); reti */
    hc_set_register(f->m, 9, 0);
    step_to(f, 0x4004);
    step_to(f, 0x4008);
    assert_true(hc_register(f->m, HC_SR) & HC_SR_CPUOFF);
    hc_event_arm(hc_events(f->m), f->alarm->event, hc_now(f->m) + hc_ms(50));
    step_to(f, 0x400a);
    assert_int_equal(hc_register(f->m, 9), 1);
    assert_int_equal(hc_register(f->m, 10), 1);
    assert_true(hc_now(f->m) >= hc_ms(50));

    /* Asleep for good: only the debugger ends it. */
    hc_set_register(f->m, HC_SR, HC_SR_CPUOFF);
    f->polls = 5;
    resume(f, HC_GDB_STEP, 0, 0);
    assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);
}

static void memory(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[4] = { 1, 2, 3, 4 }, back[4] = { 0 };

    assert_int_equal(f->t->ops->write_memory(f->t, 0x9fe, bytes, 4), 2); /* RAM ends */
    assert_int_equal(f->t->ops->read_memory(f->t, 0x9fe, back, 4), 2);
    assert_memory_equal(back, "\1\2\0\0", 4);
    assert_int_equal(f->t->ops->read_memory(f->t, 0xfffe, back, 4), 2);
    assert_int_equal(f->t->ops->read_memory(f->t, 0xffffffff, back, 4), 0);
    assert_int_equal(f->t->ops->read_memory(f->t, 0xa00, back, 4), 0);
    assert_int_equal(f->t->ops->write_memory(f->t, 0x5000, bytes, 4), 4); /* flash, as a programmer */
    assert_int_equal(hc_peek16(f->m, 0x5002), 0x0403);

    assert_false(f->t->ops->erase_flash(f->t, 0x200, 2));
    assert_false(f->t->ops->erase_flash(f->t, 0xfffe, 4));
    assert_false(f->t->ops->erase_flash(f->t, 0x5000, 0xffffffff));
    assert_true(f->t->ops->erase_flash(f->t, 0x5000, 2));
    assert_int_equal(hc_peek16(f->m, 0x5000), 0xffff);
    assert_int_equal(hc_peek16(f->m, 0x5002), 0x0403);
}

static void code_can_be_changed(void **state)
{
    struct fixture *f = *state;
    uint8_t dec[2] = { 0x1a, 0x83 }; /* dec r10 */

    insert(f, HC_GDB_SWBREAK, 0x4008, 2);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    assert_int_equal(f->t->ops->write_memory(f->t, 0x4006, dec, 2), 2);
    step_to(f, 0x400c);
    resume(f, HC_GDB_CONTINUE, 0, 0);
    expect_point(f, HC_GDB_SWBREAK, 0x4008, 0x4008);
    assert_int_equal(hc_register(f->m, 10), 0);
}

static void registers_of_devices(void **state)
{
    struct fixture *f = *state;
    uint8_t bytes[2] = { 0x34, 0x12 };

    insert(f, HC_GDB_WATCH_WRITE, ALARM_REGISTER, 2); /* the debugger's own accesses don't count */
    assert_int_equal(f->t->ops->write_memory(f->t, ALARM_REGISTER, bytes, 2), 2);
    assert_int_equal(f->alarm->s.value, 0x1234);
    assert_int_equal(f->alarm->s.size, 2);
    f->polls = 3;
    resume(f, HC_GDB_CONTINUE, 0, 0);
    assert_int_equal(f->stop.kind, HC_GDB_STOP_INTERRUPTED);
    assert_int_equal(f->t->ops->write_memory(f->t, ALARM_REGISTER + 1, bytes, 1), 1);
    assert_int_equal(f->alarm->s.size, 1);
}

static void describes_itself(void **state)
{
    static const struct hc_gdb_region expected[] = {
        { "peripherals", HC_GDB_RAM, 0, 0x200, 0 },
        { "ram", HC_GDB_RAM, 0x200, 0x800, 0 },
        { "boot", HC_GDB_ROM, 0xc00, 0x400, 0 },
        { "flash", HC_GDB_FLASH, 0x4000, 0xc000, 64 },
    };
    struct fixture *f = *state;
    struct hc_gdb_region r;

    for (int i = 0; i < 4; i++) {
        assert_true(f->t->ops->region(f->t, i, &r));
        assert_string_equal(r.name, expected[i].name);
        assert_int_equal(r.kind, expected[i].kind);
        assert_int_equal(r.start, expected[i].start);
        assert_int_equal(r.size, expected[i].size);
        assert_int_equal(r.block, expected[i].block);
    }
    assert_false(f->t->ops->region(f->t, 4, &r));
    assert_int_equal(f->t->ops->describe(f->t)->registers, 16);
    assert_int_equal(f->t->ops->describe(f->t)->reg[15].bytes[HC_GDB_LAYOUT_OWN], 2);
}

static void collect(void *owner, const char *text)
{
    strncat(owner, text, 1000);
}

static bool monitor(struct fixture *f, const char *name, const char *arguments, char out[2000])
{
    struct hc_gdb_console console = { .print = collect, .owner = out };

    out[0] = 0;
    for (const struct hc_gdb_command *c = f->t->ops->commands; c->name; c++)
        if (!strcmp(c->name, name))
            return c->run(f->t, arguments, &console);
    fail_msg("no command %s", name);
    return false;
}

static void monitor_commands(void **state)
{
    struct fixture *f = *state;
    char out[2000];

    step_to(f, 0x4004);
    step_to(f, 0x4006);
    assert_true(monitor(f, "when", "", out));
    assert_string_equal(out, "2 instructions, 3 cycles since power-on\n");
    assert_true(monitor(f, "time", "", out));
    assert_string_equal(out, "time         0.000007 s\n");
    assert_true(monitor(f, "stats", "", out));
    assert_non_null(strstr(out, "instructions 2\n"));
    assert_non_null(strstr(out, "LPM4         0.000000 s\n"));
    assert_true(monitor(f, "reset", "", out));
    assert_string_equal(out, "POR; pc 0x4000\n");
    assert_int_equal(hc_register(f->m, HC_PC), 0x4000);
    assert_true(monitor(f, "reset", "puc", out));
    assert_false(monitor(f, "reset", "now", out));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(breakpoints),
        TEST(there_is_an_end_to_points),
        TEST(watchpoints),
        TEST(watching_while_stepping),
        TEST(range_steps),
        TEST(faults),
        TEST(time_is_up),
        TEST(requests_from_outside),
        TEST(steps_past_interrupts),
        TEST(range_steps_past_interrupts),
        TEST(steps_through_sleep),
        TEST(memory),
        TEST(code_can_be_changed),
        TEST(registers_of_devices),
        TEST(describes_itself),
        TEST(monitor_commands),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
