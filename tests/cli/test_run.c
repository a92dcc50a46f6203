/* hindcast run, as a user meets it: what it prints, where, and its exit codes. test_run HINDCAST FIRMWARE/cli.elf */
#include "image/elf_builder.h"
#include "shell.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- usage ---- */

static void test_usage(void **state)
{
    static const struct shell_case cases[] = {
        { "--version", 0, "hindcast 0.", "" },
        { "--help", 0, "hindcast run app.elf", "" },
        { "help", 0, "Commands:", "" },
        { "", 2, "", "Commands:" },
        { "fly", 2, "", "unknown command 'fly'" },
        { "run --help", 0, "--until", "" },
        { "run --help", 0, "Exit codes", "" },
        { "run", 2, "", "no IMAGE given" },
        { "run a b", 3, "", "a: No such file or directory" },
        { "run $F --no-such-option", 2, "", "no-such-option" },
        { "run $F --seconds x", 2, "", "--seconds: 'x'" },
        { "run $F --seconds -1", 2, "", "--seconds: '-1'" },
        { "run $F --seconds nan", 2, "", "--seconds: 'nan'" },
        { "run $F --seconds 1e9", 2, "", "--seconds: '1e9'" },
        { "run $F --gdb 65536", 2, "", "--gdb: '65536'" },
        { "run $F --node-id -1", 2, "", "--node-id: '-1'" },
        { "run $F --serial 1000000000000", 2, "", "--serial" },
        { "run $F --board toaster", 2, "", "'toaster': expected telosb, fr5969, fr5994 or flat" },
        { "run $F --board flat --flash x", 2, "", "a flat board has no flash chip" },
        { "run $F --board flat --uart-pty", 2, "", "a flat board has no flash chip, UART" },
        { "run $F --uart-pty --gdb 0", 2, "", "--uart-pty cannot be combined with --uart-input or --gdb" },
        { "run $F --uart-pty --nodes 2", 2, "", "--uart-pty" },
        { "run $F --uart-pty=. --seconds 0", 3, "", ".: File exists" },
        { "run $F --uart-pty=nowhere/port --seconds 0", 3, "", "nowhere/port: No such file" },
        { "run $F --uart-pty --seconds 0.01", 0, "", "uart: /dev/pts/" },
        { "fetch", 2, "", "no PORT given" },
        { "fetch --help", 0, "hindcast fetch /dev/ttyUSB0 -o node.flash", "" },
        { "fetch nowhere", 2, "", "no output given: add -o FILE" },
        { "fetch nowhere elsewhere -o x", 2, "", "more than one PORT given" },
        { "fetch nowhere -o x --baud 1200", 2, "", "--baud: '1200': expected a rate" },
        { "fetch nowhere -o x --baud fast", 2, "", "--baud: 'fast'" },
        { "fetch nowhere -o x --log-region 5", 2, "", "--log-region: '5': expected a range like" },
        { "fetch nowhere -o x --log-region 9-5", 2, "", "--log-region: '9-5': expected a range like" },
        { "fetch nowhere -o x --log-region 0-0x1000000", 2, "", "--log-region" },
        { "fetch nowhere -o x --log-region=-1-5", 2, "", "--log-region" },
        { "fetch nowhere -o x", 3, "", "nowhere: there is no such port; plug the node in" },
        { "run nowhere.elf", 3, "", "nowhere.elf: No such file or directory" },
        { "run $F --until nothing", 3, "", "'nothing' is neither a symbol" },
        { "run $F --uart-input nowhere", 3, "", "nowhere: No such file" },
        { "run $F --vcd nowhere/x.vcd", 3, "", "nowhere/x.vcd: cannot be written: No such file" },
        { "run $F --trace=nowhere/x", 3, "", "nowhere/x: cannot be written: No such file" },
    };
    shell_try(*state, cases, sizeof cases / sizeof *cases);
}

/* ---- running ---- */

static void test_uart(void **state)
{
    struct fixture *f = *state;
    shell(f, "$H run $F --seconds 0.5");
    assert_code(f, 0);
    assert_string_equal(f->out, "ready\n");
    assert_string_equal(f->err, "");
    write_text(f, "input", "hey you\n");
    shell(f, "$H run $F --seconds 0.5 --uart-input input");
    assert_code(f, 0);
    assert_string_equal(f->out, "ready\nhey you\n");
    shell(f, "echo there | $H run $F --seconds 0.5 --uart-input -");
    assert_string_equal(f->out, "ready\nthere\n");
}

/* More than the line holds at once arrives whole, and in order. */
static void test_much_input(void **state)
{
    struct fixture *f = *state;
    shell(f, "seq 1 400 >input; (echo ready; cat input) >expected; $H run $F --seconds 5 --uart-input input >heard; "
             "cmp heard expected");
    assert_string_equal(f->out, "");
    assert_code(f, 0);
}

static void test_fault(void **state)
{
    struct fixture *f = *state;
    write_text(f, "input", "f");
    shell(f, "$H run $F --uart-input input");
    assert_code(f, 1);
    assert_string_equal(f->out, "ready\n");
    assert_contains(f->err, "hindcast: fault: ");
    assert_contains(f->err, "0x0a00");
    assert_contains(f->err, "<fail_here");
    assert_contains(f->err, " cli.c:16, ");
    assert_contains(f->err, "--lenient");
    shell(f, "$H run $F --uart-input input --lenient --seconds 0.5");
    assert_code(f, 0);
}

/* Without --seconds a run ends when nothing can happen any more. */
static void test_idle(void **state)
{
    struct fixture *f = *state;
    write_text(f, "input", "q");
    shell(f, "timeout 20 $H run $F --uart-input input --stats");
    assert_code(f, 0);
    assert_contains(f->err, "nothing can happen any more");
    assert_contains(f->err, " s LPM0 ");
}

static void test_until(void **state)
{
    struct fixture *f = *state;
    write_text(f, "input", "x");
    shell(f, "$H run $F --until main --stats");
    assert_code(f, 0);
    assert_contains(f->err, "the requested place is reached, at 0x");
    assert_contains(f->err, "<main> cli.c:");
    assert_string_equal(f->out, "");
    shell(f, "$H run $F --until receive --uart-input input --stats");
    assert_code(f, 0);
    assert_contains(f->err, "<receive> cli.c:");
    shell(f, "$H run $F --until cli.c:34 --uart-input input --stats");
    assert_code(f, 0);
    assert_contains(f->err, " cli.c:34\n");
    shell(f, "$H run $F --until 0x4000 --seconds 1 --stats");
    assert_code(f, 0);
    assert_contains(f->err, "at 0x4000 ");
    shell(f, "$H run $F --until never_called --seconds 1");
    assert_code(f, 1);
    assert_contains(f->err, "'never_called' was not reached");
}

static void test_leds(void **state)
{
    struct fixture *f = *state;
    write_text(f, "input", "ll");
    shell(f, "$H run $F --uart-input input --seconds 1 --leds --stats");
    assert_code(f, 0);
    assert_contains(f->err, " s  led.red on\n");
    assert_contains(f->err, " s  led.red off\n");
    assert_contains(f->err, "red LED on, 1 time\n");
}

static void test_json(void **state)
{
    struct fixture *f = *state;
    const char *reason, *uart, *place;
    json_int_t instructions, cycles;
    double seconds, active, lpm0;
    json_error_t error;

    write_text(f, "input", "a\xe9");
    shell(f, "$H run $F --uart-input input --seconds 0.5 --json --stats");
    assert_code(f, 0);
    json_t *report = json_loads(f->out, 0, &error);
    assert_non_null(report);
    assert_int_equal(json_unpack(report, "{s:{s:s, s:s}, s:s, s:I, s:I, s:f, s:{s:f, s:f}}", "stop", "reason", &reason,
                                 "place", &place, "uart", &uart, "instructions", &instructions, "cycles", &cycles,
                                 "seconds", &seconds, "modes", "active", &active, "LPM0", &lpm0),
                     0);
    assert_string_equal(reason, "time");
    assert_string_equal(uart, "ready\na\xc3\xa9"); /* byte 0xe9 as U+00E9 */
    assert_true(instructions > 100 && cycles > instructions);
    assert_true(seconds >= 0.5 && seconds < 0.501);
    assert_true(active > 0 && lpm0 > active && active + lpm0 > 0.499);
    json_decref(report);

    write_text(f, "input", "f");
    shell(f, "$H run $F --uart-input input --json");
    assert_code(f, 1);
    report = json_loads(f->out, 0, &error);
    assert_non_null(report);
    assert_int_equal(json_unpack(report, "{s:{s:s, s:s}}", "stop", "reason", &reason, "fault", &place), 0);
    assert_string_equal(reason, "fault");
    assert_contains(place, "0x0a00");
    json_decref(report);
}

static void test_runs_repeat(void **state)
{
    struct fixture *f = *state;
    shell(f, "for n in 1 2; do $H run $F --seconds 0.3 --trace=trace$n --vcd vcd$n --json >json$n || exit 9; done; "
             "cmp trace1 trace2 && cmp vcd1 vcd2 && cmp json1 json2");
    assert_code(f, 0);
}

static void test_trace(void **state)
{
    static char trace[1 << 20];
    struct fixture *f = *state;
    write_text(f, "input", "a");
    shell(f, "$H run $F --uart-input input --seconds 0.3 --trace=trace");
    assert_code(f, 0);
    read_text(f, "trace", trace, sizeof trace);
    assert_contains(trace, " main: P5OUT |= 0x70;\n");
    assert_contains(trace, "bis.b   #0x0070, &0x0031 ; __P5OUT");
    assert_contains(trace, "; kit_uart_init");
    assert_contains(trace, "interrupt 3 before 0x");
    assert_contains(trace, "reti");
    shell(f, "$H run $F --until main --trace 2>&1 >/dev/null | grep -c sp=");
    assert_code(f, 0);
}

/* ---- waveforms ---- */

struct waveform {
    char red[8], mode[8]; /* identifiers */
    int red_changes, mode_changes, variables;
    unsigned long long time;
};

static void take_declaration(struct waveform *w, const char *line, const char *scope)
{
    char type[16], id[8], name[48];
    int width;

    if (sscanf(line, "$var %15s %d %7s %47s $end", type, &width, id, name) != 4)
        return;
    w->variables++;
    if (!strcmp(scope, "led") && !strcmp(name, "red"))
        strcpy(w->red, id);
    if (!strcmp(scope, "cpu") && !strcmp(name, "mode_name"))
        strcpy(w->mode, id);
}

/* Time must not go back, and values must be of variables. */
static void take_change(struct waveform *w, const char *line)
{
    const char *space = strchr(line, ' ');

    if (*line == '#') {
        unsigned long long time = strtoull(line + 1, NULL, 10);
        assert_true(time >= w->time);
        w->time = time;
    } else if (*line == '0' || *line == '1') {
        w->red_changes += !strcmp(line + 1, w->red);
    } else if (*line == 's') {
        assert_non_null(space);
        w->mode_changes += !strcmp(space + 1, w->mode);
    } else {
        assert_true(*line == 'b' || *line == '$');
    }
}

static void test_vcd(void **state)
{
    static char vcd[1 << 20];
    struct waveform w = { 0 };
    struct fixture *f = *state;
    char scope[32] = "", *save = NULL;
    bool declaring = true;

    write_text(f, "input", "ll");
    shell(f, "$H run $F --uart-input input --seconds 0.5 --vcd wave.vcd");
    assert_code(f, 0);
    read_text(f, "wave.vcd", vcd, sizeof vcd);
    for (char *line = strtok_r(vcd, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        sscanf(line, "$scope module %31s", scope);
        take_declaration(&w, line, scope);
        if (!declaring)
            take_change(&w, line);
        if (!strcmp(line, "$enddefinitions $end"))
            declaring = false;
    }
    assert_true(w.variables > 48);
    assert_string_not_equal(w.red, "");
    assert_int_equal(w.red_changes, 3); /* at the start, on, off */
    assert_string_not_equal(w.mode, "");
    assert_true(w.mode_changes > 4);
    assert_true(w.time >= 500000000 && w.time < 501000000);
    /* GTKWave's own reader takes it. */
    shell(f, "vcd2fst wave.vcd wave.fst");
    assert_code(f, 0);
    assert_string_equal(f->err, "");
}

/* ---- the flash chip's file ---- */

static void test_flash_file(void **state)
{
    struct fixture *f = *state;
    char path[80];
    struct stat status;
    shell(f, "rm -f flash.bin; $H run $F --seconds 0.1 --flash flash.bin");
    assert_code(f, 0);
    snprintf(path, sizeof path, "%s/flash.bin", f->directory);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 1 << 20);
    shell(f, "printf hello | dd of=flash.bin conv=notrunc status=none; cp flash.bin before; "
             "$H run $F --seconds 0.1 --flash flash.bin && cmp flash.bin before");
    assert_code(f, 0);
    write_text(f, "short.bin", "not a flash chip");
    shell(f, "$H run $F --flash short.bin");
    assert_code(f, 3);
    assert_contains(f->err, "short.bin");
    read_text(f, "short.bin", f->out, sizeof f->out);
    assert_string_equal(f->out, "not a flash chip");
}

/* ---- signals ---- */

static void test_interrupted(void **state)
{
    struct fixture *f = *state;
    write_text(f, "input", "b");
    shell(f, "timeout --foreground --preserve-status -s INT 1 $H run $F --uart-input input --stats");
    assert_code(f, 0);
    assert_string_equal(f->out, "ready\n");
    assert_contains(f->err, "interrupted, at ");
    shell(f, "timeout --foreground --preserve-status -s INT 1 $H run $F --gdb 0 --stats");
    assert_code(f, 0);
    assert_contains(f->err, "gdb: listening on 127.0.0.1:");
    assert_contains(f->err, "interrupted, at ");
}

/* ---- bad files ---- */

static const uint8_t code_bytes[] = { 0x31, 0x40, 0x00, 0x31, 0xff, 0x3f };
static const uint8_t vector_bytes[] = { 0x00, 0x40 };

static uint32_t small_elf(struct elf_builder *b)
{
    *b = (struct elf_builder){
        .entry = 0x4000,
        .sections = { { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x4000, code_bytes, sizeof code_bytes, 0, 0 },
                      { ".vectors", SHT_PROGBITS, SHF_ALLOC, 0xfffe, vector_bytes, sizeof vector_bytes, 0, 0 } },
        .segments = { { 1, 1, 0x4000, 0 }, { 2, 2, 0xfffe, 0 } },
    };
    elf_builder_make(b);
    return b->size;
}

static void refuse_truncations(struct fixture *f, const char *name, const void *bytes, size_t size, size_t step)
{
    write_bytes(f, name, bytes, size);
    shell(f, "$H run %s --seconds 0.001", name);
    assert_code(f, 0);
    for (size_t cut = 0; cut < size; cut += step) {
        write_bytes(f, name, bytes, cut);
        shell(f, "$H run %s --seconds 0.001", name);
        assert_code(f, 3);
        assert_string_equal(f->out, "");
        assert_true(!strncmp(f->err, "hindcast: ", 10) && strstr(f->err, name));
        assert_ptr_equal(strchr(f->err, '\n'), f->err + strlen(f->err) - 1); /* one line */
    }
}

static void test_truncations(void **state)
{
    static const char hex[] = ":06400000314000 31FF3FDA\n:02FFFE000040C1\n:00000001FF";
    static const char txt[] = "@4000\n31 40 00 31 FF 3F\n@FFFE\n00 40\nq";
    static struct elf_builder b;
    char text[sizeof hex];
    struct fixture *f = *state;
    size_t length = 0;
    for (size_t i = 0; i < sizeof hex - 1; i++)
        if (hex[i] != ' ')
            text[length++] = hex[i];
    refuse_truncations(f, "small.hex", text, length, 1);
    refuse_truncations(f, "small.txt", txt, sizeof txt - 1, 1);
    small_elf(&b);
    refuse_truncations(f, "small.elf", b.bytes, b.size, 3);
}

static void test_images_that_do_not_fit(void **state)
{
    static struct elf_builder b;
    struct fixture *f = *state;
    small_elf(&b);
    b.sections[0].address = b.segments[0].physical = 0x3a00;
    elf_builder_make(&b);
    write_bytes(f, "other.elf", b.bytes, b.size);
    shell(f, "$H run other.elf");
    assert_code(f, 3);
    assert_contains(f->err, "other.elf: bytes at 0x3a00, where an msp430f1611 has no memory");
}

/* A bare program: no reset vector, and it ends in a loop to itself. */
static void test_flat(void **state)
{
    static struct elf_builder b;
    struct fixture *f = *state;
    small_elf(&b);
    b.sections[1].name = NULL;
    b.segments[1].first = 0;
    elf_builder_make(&b);
    write_bytes(f, "bare.elf", b.bytes, b.size);
    shell(f, "timeout 20 $H run bare.elf --board flat --stats");
    assert_code(f, 0);
    assert_contains(f->err, "has no reset vector; it starts at its entry point 0x4000");
    assert_contains(f->err, "nothing can happen any more, at 0x4004");
}

/* ---- */

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_usage, &f),
        cmocka_unit_test_prestate(test_uart, &f),
        cmocka_unit_test_prestate(test_much_input, &f),
        cmocka_unit_test_prestate(test_fault, &f),
        cmocka_unit_test_prestate(test_idle, &f),
        cmocka_unit_test_prestate(test_until, &f),
        cmocka_unit_test_prestate(test_leds, &f),
        cmocka_unit_test_prestate(test_json, &f),
        cmocka_unit_test_prestate(test_runs_repeat, &f),
        cmocka_unit_test_prestate(test_trace, &f),
        cmocka_unit_test_prestate(test_vcd, &f),
        cmocka_unit_test_prestate(test_flash_file, &f),
        cmocka_unit_test_prestate(test_interrupted, &f),
        cmocka_unit_test_prestate(test_truncations, &f),
        cmocka_unit_test_prestate(test_images_that_do_not_fit, &f),
        cmocka_unit_test_prestate(test_flat, &f),
    };

    if (argc != 3 || !shell_begin(&f, argv[1], argv[2]))
        return 2;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
