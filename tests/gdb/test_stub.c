/* The commands, driven without a socket: a table of request and reply against a target that is made of arrays. */
#include "gdb/stub.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- a target that remembers what was asked of it ---- */

enum { RAM_START = 0x200, RAM_SIZE = 0x100, FLASH_START = 0xff00, FLASH_SIZE = 0x100 };

struct toy {
    struct hc_gdb_target base;
    uint32_t r[16];
    uint8_t memory[0x10000];
    char asked[256];         /* the last operations, in words */
    struct hc_gdb_stop next; /* what resume will say */
};

static void note(struct hc_gdb_target *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct hc_gdb_target *t, const char *format, ...)
{
    struct toy *toy = (struct toy *)t;
    size_t n = strlen(toy->asked);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(toy->asked + n, sizeof toy->asked - n, format, arguments);
    va_end(arguments);
}

static const struct hc_gdb_description *describe(struct hc_gdb_target *t)
{
    static const struct hc_gdb_register reg[16] = {
        { "r0", "pc", "pc", { 2, 4 } },  { "r1", "sp", "sp", { 2, 4 } },  { "r2", "sr", "flags", { 2, 4 } },
        { "r3", NULL, NULL, { 2, 4 } },  { "r4", NULL, NULL, { 2, 4 } },  { "r5", NULL, NULL, { 2, 4 } },
        { "r6", NULL, NULL, { 2, 4 } },  { "r7", NULL, NULL, { 2, 4 } },  { "r8", NULL, NULL, { 2, 4 } },
        { "r9", NULL, NULL, { 2, 4 } },  { "r10", NULL, NULL, { 2, 4 } }, { "r11", NULL, NULL, { 2, 4 } },
        { "r12", NULL, NULL, { 2, 4 } }, { "r13", NULL, NULL, { 2, 4 } }, { "r14", NULL, NULL, { 2, 4 } },
        { "r15", NULL, NULL, { 2, 4 } },
    };
    static const struct hc_gdb_description d = {
        .architecture = "msp430", .part = "toy", .registers = 16, .reg = reg, .pc = 0, .sp = 1
    };

    (void)t;
    return &d;
}

static bool region(struct hc_gdb_target *t, int i, struct hc_gdb_region *out)
{
    static const struct hc_gdb_region regions[] = {
        { "ram", HC_GDB_RAM, RAM_START, RAM_SIZE, 0 },
        { "boot", HC_GDB_ROM, 0xc00, 0x400, 0 },
        { "flash", HC_GDB_FLASH, FLASH_START, FLASH_SIZE, 64 },
    };

    (void)t;
    if (i >= 3)
        return false;
    *out = regions[i];
    return true;
}

static uint32_t read_register(struct hc_gdb_target *t, int n)
{
    return ((struct toy *)t)->r[n];
}

static void write_register(struct hc_gdb_target *t, int n, uint32_t value)
{
    ((struct toy *)t)->r[n] = value;
    note(t, "r%d=%x ", n, value);
}

static bool there(uint64_t address)
{
    return (address >= RAM_START && address < RAM_START + RAM_SIZE) ||
           (address >= FLASH_START && address < FLASH_START + FLASH_SIZE);
}

static size_t read_memory(struct hc_gdb_target *t, uint32_t address, uint8_t *out, size_t n)
{
    size_t i = 0;

    for (; i < n && there((uint64_t)address + i); i++)
        out[i] = ((struct toy *)t)->memory[address + i];
    return i;
}

static size_t write_memory(struct hc_gdb_target *t, uint32_t address, const uint8_t *bytes, size_t n)
{
    size_t i = 0;

    for (; i < n && there((uint64_t)address + i); i++)
        ((struct toy *)t)->memory[address + i] = bytes[i];
    return i;
}

static bool erase_flash(struct hc_gdb_target *t, uint32_t address, uint32_t n)
{
    note(t, "erase %x,%x ", address, n);
    return address >= FLASH_START;
}

static bool insert(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    note(t, "insert %d %x,%x ", (int)kind, address, length);
    return address < 0x10000;
}

static void drop(struct hc_gdb_target *t, enum hc_gdb_point kind, uint32_t address, uint32_t length)
{
    note(t, "remove %d %x,%x ", (int)kind, address, length);
}

static void resume(struct hc_gdb_target *t, const struct hc_gdb_resume *how, const struct hc_gdb_poll *poll,
                   struct hc_gdb_stop *stop)
{
    static const char *const words[] = { "continue", "step", "range" };

    (void)poll;
    note(t, "%s", words[how->kind]);
    if (how->kind == HC_GDB_RANGE)
        note(t, " %x,%x", how->start, how->end);
    *stop = ((struct toy *)t)->next;
}

static void reverse_step(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    (void)poll;
    note(t, "back-step");
    *stop = ((struct toy *)t)->next;
}

static void reverse_continue(struct hc_gdb_target *t, const struct hc_gdb_poll *poll, struct hc_gdb_stop *stop)
{
    (void)poll;
    note(t, "back");
    *stop = ((struct toy *)t)->next;
}

static bool greet(struct hc_gdb_target *t, const char *arguments, const struct hc_gdb_console *console)
{
    (void)t;
    hc_gdb_print(console, "hello %s\n", arguments);
    return arguments[0] != 0;
}

static const struct hc_gdb_command commands[] = { { "greet", "NAME: says hello", greet }, { NULL, NULL, NULL } };

static const struct hc_gdb_target_ops forward_ops = {
    .describe = describe,
    .region = region,
    .read_register = read_register,
    .write_register = write_register,
    .read_memory = read_memory,
    .write_memory = write_memory,
    .erase_flash = erase_flash,
    .insert = insert,
    .remove = drop,
    .resume = resume,
    .commands = commands,
};

/* ---- a debugger that remembers what it was told ---- */

struct fixture {
    struct toy toy;
    struct hc_gdb_stub stub;
    char told[0x8000]; /* all packets of one request, separated by | */
};

static void hear(void *owner, const char *payload, size_t n)
{
    struct fixture *f = owner;
    size_t have = strlen(f->told);

    assert_true(have + n + 2 < sizeof f->told);
    if (have)
        f->told[have++] = '|';
    memcpy(f->told + have, payload, n);
    f->told[have + n] = 0;
}

static bool never(void *owner, bool idle)
{
    (void)owner;
    (void)idle;
    return false;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    f->toy.base.ops = &forward_ops;
    for (uint32_t i = 0; i < 16; i++)
        f->toy.r[i] = 0x1100 * i + i;
    for (uint32_t i = 0; i < sizeof f->toy.memory; i++)
        f->toy.memory[i] = (uint8_t)i;
    f->toy.next.kind = HC_GDB_STOP_STEPPED;
    hc_gdb_stub_init(&f->stub, &f->toy.base, (struct hc_gdb_poll){ never, NULL }, hear, f);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    free(*state);
    return 0;
}

static const char *ask(struct fixture *f, const char *request)
{
    f->told[0] = f->toy.asked[0] = 0;
    hc_gdb_stub_request(&f->stub, request, strlen(request));
    return f->told;
}

struct row {
    const char *request, *reply, *asked;
};

static void play(struct fixture *f, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *reply = ask(f, rows[i].request);

        if (strcmp(reply, rows[i].reply) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].request, reply, rows[i].reply);
        if (rows[i].asked)
            assert_string_equal(f->toy.asked, rows[i].asked);
    }
}

#define PLAY(f, rows) play(f, rows, sizeof rows / sizeof rows[0])

/* ---- tests ---- */

static void memory_and_registers(void **state)
{
    static const struct row rows[] = {
        { "g",
          "0000011102220333044405550666077708880999"
          "0aaa0bbb0ccc0ddd0eee0fff",
          NULL },
        { "p1", "0111", NULL },
        { "pf", "0fff", NULL },
        { "p10", "E16", NULL },
        { "p", "E16", NULL },
        { "P4=3412", "OK", "r4=1234 " },
        { "P4=34", "E16", "" },
        { "P4", "E16", "" },
        { "P10=3412", "E16", "" },
        { "G00", "E16", "" }, /* too short: none is written */
        { "m200,4", "00010203", NULL },
        { "m2fe,10", "feff", NULL }, /* as far as there is memory */
        { "m300,1", "E0e", NULL },
        { "mffffffff,2", "E0e", NULL },
        { "m100000000,2", "E16", NULL },
        { "m200", "E16", NULL },
        { "m200,", "E16", NULL },
        { "m200,0", "E16", NULL },
        { "M200,2:abcd", "OK", NULL },
        { "m200,3", "abcd02", NULL },
        { "M200,2:abc", "E16", NULL },
        { "M200,2:abcdef", "E16", NULL },
        { "M200,2:abxy", "E16", NULL },
        { "M2ff,2:abcd", "E0e", NULL },
        { "M200,ffffffff:ab", "E16", NULL },
        { "X200,0:", "OK", NULL },
        { "X200,3:a}\003b", "OK", NULL },
        { "m200,4", "61236203", NULL },
        { "X200,2:abc", "E16", NULL },
        { "X200,2:a}", "E16", NULL },
    };

    PLAY(*state, rows);
}

static void all_registers_are_written(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(ask(f, "G000101010201030104010501060107010801090110011101120113011401ff7f"), "OK");
    assert_int_equal(f->toy.r[0], 0x100);
    assert_int_equal(f->toy.r[15], 0x7fff);
}

static void points(void **state)
{
    static const struct row rows[] = {
        { "Z0,4000,2", "OK", "insert 0 4000,2 " },
        { "Z1,4000,2", "OK", "insert 1 4000,2 " },
        { "Z2,200,1", "OK", "insert 2 200,1 " },
        { "Z3,200,2", "OK", "insert 3 200,2 " },
        { "Z4,200,4", "OK", "insert 4 200,4 " },
        { "z0,4000,2", "OK", "remove 0 4000,2 " },
        { "z4,200,4", "OK", "remove 4 200,4 " },
        { "Z5,200,4", "", "" }, /* no such kind */
        { "z9,200,4", "", "" },
        { "Z0,4000", "E16", "" },
        { "Z2,200,0", "E16", "" },
        { "Z0,20000,2", "E1c", NULL },
        { "Z", "E16", "" },
        { "z0", "E16", "" },
        { "Z0,4000,2;X3,220027", "OK", "insert 0 4000,2 " },
    };

    PLAY(*state, rows);
}

static void running(void **state)
{
    static const struct row rows[] = {
        { "vCont?", "vCont;c;C;s;S;r", "" },
        { "c", "T0500:0000;01:0111;thread:1;", "continue" },
        { "s", "T0500:0000;01:0111;thread:1;", "step" },
        { "vCont;c", "T0500:0000;01:0111;thread:1;", "continue" },
        { "vCont;s:1;c", "T0500:0000;01:0111;thread:1;", "step" },
        { "vCont;s:7;c", "T0500:0000;01:0111;thread:1;", "continue" }, /* 7 isn't ours */
        { "vCont;r4000,4010:1", "T0500:0000;01:0111;thread:1;", "range 4000,4010" },
        { "vCont;C05:-1", "T0500:0000;01:0111;thread:1;", "continue" },
        { "vCont;S05:1;c", "T0500:0000;01:0111;thread:1;", "step" },
        { "vCont;t", "E16", "" },
        { "vCont;s:7", "E16", "" },
        { "vCont;r4000", "E16", "" },
        { "vCont", "E16", "" },
        { "c4400", "T0500:0044;01:0111;thread:1;", "r0=4400 continue" },
        { "S05;4402", "T0500:0244;01:0111;thread:1;", "r0=4402 step" },
        { "C05", "T0500:0244;01:0111;thread:1;", "continue" },
        { "C", "E16", "" },
        { "cxyz", "E16", "" },
        { "bs", "", "" }, /* this target has no history */
        { "bc", "", "" },
    };

    PLAY(*state, rows);
}

static void stop_replies(void **state)
{
    static const struct {
        struct hc_gdb_stop stop;
        const char *plain, *gdb, *lldb;
    } rows[] = {
#define PC "00:0000;01:0111;thread:1;"
        { { .kind = HC_GDB_STOP_STEPPED }, "T05" PC, "T05" PC, "T05" PC "reason:trace;" },
        { { .kind = HC_GDB_STOP_INTERRUPTED }, "T02" PC, "T02" PC, "T02" PC },
        { { .kind = HC_GDB_STOP_POINT, .point = HC_GDB_SWBREAK },
          "T05" PC,
          "T05" PC "swbreak:;",
          "T05" PC "swbreak:;reason:breakpoint;" },
        { { .kind = HC_GDB_STOP_POINT, .point = HC_GDB_HWBREAK },
          "T05" PC,
          "T05" PC "hwbreak:;",
          "T05" PC "hwbreak:;reason:breakpoint;" },
        { { .kind = HC_GDB_STOP_POINT, .point = HC_GDB_WATCH_WRITE, .address = 0x202 },
          "T05" PC "watch:202;",
          "T05" PC "watch:202;",
          "T05" PC "watch:202;" },
        { { .kind = HC_GDB_STOP_POINT, .point = HC_GDB_WATCH_READ, .address = 0x202 },
          "T05" PC "rwatch:202;",
          "T05" PC "rwatch:202;",
          "T05" PC "rwatch:202;" },
        { { .kind = HC_GDB_STOP_POINT, .point = HC_GDB_WATCH_ACCESS, .address = 0x202 },
          "T05" PC "awatch:202;",
          "T05" PC "awatch:202;",
          "T05" PC "awatch:202;" },
        { { .kind = HC_GDB_STOP_FAULT, .signal = HC_GDB_SIGSEGV, .text = "!" },
          "O21|O0a|T0b" PC,
          "O21|O0a|T0b" PC,
          "O21|O0a|T0b" PC "reason:exception;description:21;" },
        { { .kind = HC_GDB_STOP_FAULT, .signal = HC_GDB_SIGILL, .text = "!" },
          "O21|O0a|T04" PC,
          "O21|O0a|T04" PC,
          "O21|O0a|T04" PC "reason:exception;description:21;" },
        { { .kind = HC_GDB_STOP_LOG_BEGIN }, "T05" PC "replaylog:begin;", "T05" PC "replaylog:begin;", NULL },
        { { .kind = HC_GDB_STOP_LOG_END }, "T05" PC "replaylog:end;", "T05" PC "replaylog:end;", NULL },
#undef PC
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *last;

        hc_gdb_stub_init(&f->stub, &f->toy.base, f->stub.poll, hear, f);
        f->toy.next = rows[i].stop;
        assert_string_equal(ask(f, "c"), rows[i].plain);
        ask(f, "qSupported:swbreak+;hwbreak+");
        assert_string_equal(ask(f, "c"), rows[i].gdb);
        ask(f, "qHostInfo");
        if (rows[i].lldb)
            assert_string_equal(ask(f, "c"), rows[i].lldb);
        last = strrchr(rows[i].lldb ? rows[i].lldb : rows[i].gdb, '|');
        assert_string_equal(ask(f, "?"), last ? last + 1 : rows[i].lldb ? rows[i].lldb : rows[i].gdb);
    }
}

static void backwards(void **state)
{
    struct hc_gdb_target_ops ops = forward_ops;
    struct fixture *f = *state;
    static const struct row rows[] = {
        { "bs", "T0500:0000;01:0111;thread:1;", "back-step" },
        { "bc", "T0500:0000;01:0111;thread:1;", "back" },
    };

    assert_null(strstr(ask(f, "qSupported:"), "Reverse"));
    ops.reverse_step = reverse_step;
    ops.reverse_continue = reverse_continue;
    f->toy.base.ops = &ops;
    assert_non_null(strstr(ask(f, "qSupported:"), ";ReverseStep+;ReverseContinue+"));
    PLAY(f, rows);
    f->toy.next.kind = HC_GDB_STOP_LOG_BEGIN;
    assert_string_equal(ask(f, "bc"), "T0500:0000;01:0111;thread:1;replaylog:begin;");
}

static void ends(void **state)
{
    static const struct {
        const char *request, *reply;
        enum hc_gdb_end end;
    } rows[] = {
        { "D", "OK", HC_GDB_DETACHED },     { "D;1", "OK", HC_GDB_DETACHED }, { "k", "", HC_GDB_KILLED },
        { "vKill;1", "OK", HC_GDB_KILLED }, { "c", "W00", HC_GDB_EXITED },
    };
    struct fixture *f = *state;

    f->toy.next.kind = HC_GDB_STOP_EXITED;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hc_gdb_stub_init(&f->stub, &f->toy.base, f->stub.poll, hear, f);
        assert_false(f->stub.ended);
        assert_string_equal(ask(f, rows[i].request), rows[i].reply);
        assert_true(f->stub.ended);
        assert_int_equal(f->stub.end, rows[i].end);
    }
}

static void threads_and_unknown_packets(void **state)
{
    static const struct row rows[] = {
        { "qC", "QC1", "" },
        { "qfThreadInfo", "m1", "" },
        { "qsThreadInfo", "l", "" },
        { "qThreadExtraInfo,1", "746f79", "" },
        { "Hg0", "OK", "" },
        { "Hc-1", "OK", "" },
        { "Hg1", "OK", "" },
        { "Hg2", "E16", "" },
        { "H", "E16", "" },
        { "T1", "OK", "" },
        { "T2", "E16", "" },
        { "qAttached", "1", "" },
        { "qAttached:1", "1", "" },
        { "vMustReplyEmpty", "", "" },
        { "", "", "" },
        { "qCRC:200,10", "", "" }, /* not qC */
        { "kill", "", "" },
        { "!", "", "" },
        { "vFile:open:x", "", "" },
        { "qXfer:auxv:read::0,10", "", "" },
        { "qXfer:features:read:other.xml:0,10", "E00", "" },
    };
    struct fixture *f = *state;

    PLAY(f, rows);
    assert_false(f->stub.ended);
}

static void no_ack(void **state)
{
    struct fixture *f = *state;

    assert_false(f->stub.no_ack);
    assert_string_equal(ask(f, "QStartNoAckMode"), "OK");
    assert_true(f->stub.no_ack);
}

/* Reads the document in pieces of N bytes. */
static void collect(struct fixture *f, const char *object, unsigned n, char *out)
{
    size_t have = 0;

    for (;;) {
        char request[80];
        const char *reply;

        snprintf(request, sizeof request, "%s%zx,%x", object, have, n);
        reply = ask(f, request);
        assert_true(reply[0] == 'm' || reply[0] == 'l');
        assert_true(strlen(reply) - 1 <= n);
        strcpy(out + have, reply + 1);
        have += strlen(reply) - 1;
        if (reply[0] == 'l')
            return;
        assert_true(reply[1] != 0);
    }
}

static void documents(void **state)
{
    static char whole[0x4000], pieces[0x4000];
    struct fixture *f = *state;

    collect(f, "qXfer:memory-map:read::", 0xfff, whole);
    collect(f, "qXfer:memory-map:read::", 7, pieces);
    assert_string_equal(whole, pieces);
    assert_non_null(strstr(whole, "<memory type=\"ram\" start=\"0x200\" length=\"0x100\"/>"));
    assert_non_null(strstr(whole, "<memory type=\"rom\" start=\"0xc00\" length=\"0x400\"/>"));
    assert_non_null(strstr(whole, "<memory type=\"flash\" start=\"0xff00\" length=\"0x100\">"
                                  "<property name=\"blocksize\">0x40</property></memory>"));
    assert_string_equal(ask(f, "qXfer:memory-map:read::10000,10"), "E16");
    assert_string_equal(ask(f, "qXfer:memory-map:read::0"), "E16");

    collect(f, "qXfer:features:read:target.xml:", 0xfff, whole);
    assert_non_null(strstr(whole, "<architecture>msp430</architecture>"));
    assert_non_null(strstr(whole, "<reg name=\"r0\" bitsize=\"16\""));
    assert_non_null(strstr(whole, "<reg name=\"r15\" bitsize=\"16\""));
}

static const char gdb_13[] =
    "qSupported:multiprocess+;swbreak+;hwbreak+;qRelocInsn+;fork-events+;vfork-events+;"
    "exec-events+;vContSupported+;QThreadEvents+;no-resumed+;memory-tagging+;xmlRegisters=i386";
static const char lldb_19[] = "qSupported:xmlRegisters=i386,arm,mips,arc;multiprocess+;fork-events+;vfork-events+";

static void layouts(void **state)
{
    static char xml[0x4000];
    struct fixture *f = *state;

    ask(f, gdb_13);
    assert_int_equal(strlen(ask(f, "g")), 16 * 8);
    assert_string_equal(ask(f, "p1"), "01110000");
    assert_string_equal(ask(f, "P1=78563412"), "OK");
    assert_int_equal(f->toy.r[1], 0x12345678);
    collect(f, "qXfer:features:read:target.xml:", 0xfff, xml);
    assert_non_null(strstr(xml, "<architecture>msp430</architecture>"));
    assert_null(strstr(xml, "<reg ")); /* gdb would warn of them */

    /* Another client that wants the wide ones, and needs to be told. */
    hc_gdb_stub_init(&f->stub, &f->toy.base, f->stub.poll, hear, f);
    ask(f, "qSupported:multiprocess+");
    collect(f, "qXfer:features:read:target.xml:", 0xfff, xml);
    assert_non_null(strstr(xml, "<reg name=\"r0\" bitsize=\"32\""));

    hc_gdb_stub_init(&f->stub, &f->toy.base, f->stub.poll, hear, f);
    ask(f, "QStartNoAckMode");
    ask(f, lldb_19);
    assert_string_equal(ask(f, "QThreadSuffixSupported"), "");
    assert_int_equal(strlen(ask(f, "g")), 16 * 4);
    collect(f, "qXfer:features:read:target.xml:", 0xfff, xml);
    assert_non_null(strstr(xml, "<reg name=\"r0\" bitsize=\"16\""));
    assert_string_equal(ask(f, "qHostInfo"), "triple:6d7370343330;endian:little;watchpoint_exceptions_received:after;");
    assert_string_equal(ask(f, "qProcessInfo"), "pid:1;triple:6d7370343330;endian:little;");
    assert_string_equal(
        ask(f, "qRegisterInfo1"),
        "name:r1;alt-name:sp;bitsize:16;offset:2;encoding:uint;format:hex;set:general;ehframe:1;dwarf:1;"
        "generic:sp;");
    assert_string_equal(ask(f, "qRegisterInfo10"), "E16");

    /* The user knows better: "registers 32". */
    assert_string_equal(ask(f, "qRcmd,726567697374657273203332"), "OK");
    ask(f, "qHostInfo");
    assert_int_equal(strlen(ask(f, "g")), 16 * 8);
}

static void regions(void **state)
{
    static const struct row rows[] = {
        { "qMemoryRegionInfo:0", "start:0;size:200;", NULL },
        { "qMemoryRegionInfo:2ff", "start:200;size:100;permissions:rwx;name:72616d;", NULL },
        { "qMemoryRegionInfo:300", "start:300;size:900;", NULL },
        { "qMemoryRegionInfo:ff00", "start:ff00;size:100;permissions:rx;name:666c617368;", NULL },
        { "qMemoryRegionInfo:10000", "start:10000;size:ffff0000;", NULL },
        { "qMemoryRegionInfo:", "E16", NULL },
    };

    PLAY(*state, rows);
}

static void flash(void **state)
{
    static const struct row rows[] = {
        { "vFlashErase:ff00,40", "OK", "erase ff00,40 " },
        { "vFlashErase:200,40", "E0e", NULL },
        { "vFlashErase:ff00", "E16", "" },
        { "vFlashWrite:ff00:ab}\003", "OK", NULL },
        { "mff00,4", "61622303", NULL },
        { "vFlashWrite:ff00:a}", "E16", NULL },
        { "vFlashWrite:", "E16", NULL },
        { "vFlashDone", "OK", NULL },
    };

    PLAY(*state, rows);
}

/* "monitor LINE"; the packets are O and hex. */
static const char *monitor(struct fixture *f, const char *line)
{
    char request[300] = "qRcmd,";

    for (; *line; line++)
        sprintf(request + strlen(request), "%02x", (unsigned char)*line);
    return ask(f, request);
}

static void monitor_commands(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(monitor(f, "greet you"), "O68656c6c6f20796f750a|OK");
    assert_string_equal(monitor(f, "  greet   you \n"), "O68656c6c6f20796f750a|OK");
    assert_string_equal(monitor(f, "greet"), "O68656c6c6f200a|E16");
    assert_non_null(strstr(monitor(f, "help"), "6772656574")); /* greet */
    assert_non_null(strstr(monitor(f, ""), "6772656574"));
    assert_non_null(strstr(monitor(f, "nonsense"), "|E16"));
    assert_string_equal(monitor(f, "registers 17"), "E16");
    assert_string_equal(ask(f, "qRcmd,6"), "E16");
    assert_string_equal(ask(f, "qRcmd,zz"), "E16");
}

static void refuses_long_packets(void **state)
{
    struct fixture *f = *state;

    f->told[0] = 0;
    hc_gdb_stub_refuse(&f->stub);
    assert_string_equal(f->told, "E5a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(memory_and_registers),
        TEST(all_registers_are_written),
        TEST(points),
        TEST(running),
        TEST(stop_replies),
        TEST(backwards),
        TEST(ends),
        TEST(threads_and_unknown_packets),
        TEST(no_ack),
        TEST(documents),
        TEST(layouts),
        TEST(regions),
        TEST(flash),
        TEST(monitor_commands),
        TEST(refuses_long_packets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
