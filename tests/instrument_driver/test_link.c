/* The link step, with a recorder that records nothing (share/): test_link HINDCAST FIRMWARE_FOLDER SHARE_FOLDER
 *
 * What it puts into a program, and what it refuses. */
#include "cli/shell.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLANG "clang-19 --target=msp430-none-elf -mmcu=msp430f1611"

enum { LINK_BUILD = 4, LINK_FREE = 12, LINK_PIECES = 16, LINK_HANDLERS = 84 };

static const char app[] = "#include <kit.h>\n"
                          "volatile unsigned ticks;\n"
                          "unsigned node_id = 7;\n"
                          "unsigned kept __attribute__((section(\".noinit\")));\n"
                          "KIT_INTERRUPT(TIMERA0_VECTOR) void tick(void)\n"
                          "{\n"
                          "    ticks++;\n"
                          "}\n"
                          "int main(void)\n"
                          "{\n"
                          "    TACCR0 = 1000;\n"
                          "    TACCTL0 = CCIE;\n"
                          "    TACTL = TASSEL_2 | MC_1;\n"
                          "    kept += node_id;\n"
                          "    kit_enable_interrupts();\n"
                          "    for (;;)\n"
                          "        ;\n"
                          "}\n";

static const char script[] = "SECTIONS { .text 0x4000 : { *(.start) *(.text .text.*) }\n"
                             "  .rodata : { *(.rodata .rodata.*) }\n"
                             "  .data 0x1100 : { *(.data .data.*) }\n"
                             "  .bss (NOLOAD) : { *(.bss .bss.*) }\n"
                             "  .noinit (NOLOAD) : { *(.noinit) }\n"
                             "  %s }\n";
static const char vectors[] = ".vectors 0xfffe : { SHORT(ABSOLUTE(f)) }";

struct state {
    struct fixture f;
    const char *share;
};

static void start(struct state *s)
{
    shell(&s->f, "find . -mindepth 1 ! -name out ! -name err -delete");
    write_text(&s->f, "app.c", app);
    write_text(&s->f, "small.c", "void hc_update(void);\nint f(int a) { hc_update(); return a + 1; }\n");
    /* What clang calls for this target. */
    write_text(&s->f, "msp430-elf-ld", "#!/bin/sh\nexec ld.lld-19 \"$@\"\n");
    shell(&s->f, "chmod +x msp430-elf-ld; sed 's/^part .*/part other/' $F/../devices/msp430f1611.regs >other.regs; "
                 "$H cc " CLANG " -c small.c -o small.o");
    assert_code(&s->f, 0);
}

static void write_script(struct state *s, const char *more)
{
    char text[1024];

    snprintf(text, sizeof text, script, more);
    write_text(&s->f, "x.ld", text);
}

static struct hc_image *load(struct state *s, const char *name)
{
    char path[80];
    struct hc_image *image;
    struct hc_image_message message;

    snprintf(path, sizeof path, "%s/%s", s->f.directory, name);
    if (hc_image_load_file(&image, path, &message))
        fail_msg("%s", message.text);
    return image;
}

static unsigned word_at(const struct hc_image *image, uint32_t address)
{
    const struct hc_image_segment *segment;
    size_t count = hc_image_segments(image, &segment);

    for (size_t i = 0; i < count; i++)
        if (segment[i].address <= address && address + 2 <= segment[i].address + segment[i].size) {
            const uint8_t *at = segment[i].bytes + (address - segment[i].address);
            return at[0] | (unsigned)at[1] << 8;
        }
    fail_msg("nothing is loaded at 0x%04x", address);
    return 0;
}

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;

    if (!hc_image_symbol(image, name, &symbol))
        fail_msg("no symbol %s", name);
    return symbol.address;
}

static void build_app(struct state *s, const char *name)
{
    shell(&s->f, "HINDCAST=$H HINDCAST_SHARE=%s $F/kit/build %s '--hindcast-options=--ring=64 --update=auto' app.c",
          s->share, name);
    assert_code(&s->f, 0);
}

static void assert_range(const struct hc_image *image, uint32_t at, uint32_t start, uint32_t end)
{
    assert_int_equal(word_at(image, at), start);
    assert_int_equal(word_at(image, at + 2), end);
}

static void test_table(void **state)
{
    struct state *s = *state;

    start(s);
    build_app(s, "app.elf");
    struct hc_image *image = load(s, "app.elf");
    uint32_t table = address_of(image, "__hc_link");

    /* vectors */
    assert_int_equal(word_at(image, 0xfffe), address_of(image, "__hc_reset"));
    assert_int_equal(word_at(image, 0xffec), address_of(image, "__hc_trampoline_6"));
    assert_int_equal(word_at(image, 0xffe0), 0xffff);
    for (uint32_t n = 0; n < 16; n++)
        assert_int_equal(word_at(image, table + LINK_HANDLERS + 2 * n), n == 15  ? address_of(image, "_start")
                                                                        : n == 6 ? address_of(image, "tick")
                                                                                 : 0xffff);
    /* memory */
    uint32_t ram = address_of(image, "__hc_ram"), ram_end = address_of(image, "__hc_ram_end");
    uint32_t kept = address_of(image, "kept"), programmed;
    assert_int_equal(word_at(image, table + LINK_FREE + 2), 0x3900);
    assert_range(image, table + LINK_PIECES, 0x1100, ram);
    if (ram_end != word_at(image, table + LINK_FREE))
        assert_range(image, table + LINK_PIECES + 4, ram_end, word_at(image, table + LINK_FREE));
    assert_range(image, table + LINK_PIECES + 28, kept < ram ? kept : 0, kept < ram ? ram : 0);
    assert_range(image, table + LINK_PIECES + 32, kept < ram ? 0 : ram_end, kept < ram ? 0 : kept + 2);
    /* who the node is, as it lies in flash */
    assert_true(hc_image_initial_value(image, address_of(image, "node_id"), &programmed));
    assert_int_equal(word_at(image, programmed), 7);
    assert_range(image, table + LINK_PIECES + 12, programmed, programmed + 2);
    assert_range(image, table + LINK_PIECES + 16, 0, 0);
    /* options */
    assert_int_equal(word_at(image, address_of(image, "hc_test_ring")), 64);
    assert_int_equal(word_at(image, address_of(image, "hc_test_port")), 1);
    hc_image_free(image);
}

static void test_build_id(void **state)
{
    struct state *s = *state;
    size_t size;

    start(s);
    build_app(s, "app.elf");
    build_app(s, "again.elf");
    struct hc_image *image = load(s, "app.elf"), *again = load(s, "again.elf");
    const uint8_t *id = hc_image_build_id(image, &size), *id_again = hc_image_build_id(again, &size);
    uint32_t table = address_of(image, "__hc_link");
    assert_int_equal(size, 20);
    assert_memory_equal(id, id_again, 20);
    for (uint32_t i = 0; i < 8; i += 2)
        assert_int_equal(word_at(image, table + LINK_BUILD + i), id[i] | id[i + 1] << 8);
    hc_image_free(again);

    shell(&s->f, "sed -i s/1000/1001/ app.c");
    build_app(s, "again.elf");
    again = load(s, "again.elf");
    assert_memory_not_equal(id, hc_image_build_id(again, &size), 20);
    hc_image_free(again);
    hc_image_free(image);
    shell(&s->f, "llvm-readelf-19 -n app.elf");
    assert_contains(s->f.out, "Hindcast");
}

static void test_runs(void **state)
{
    struct state *s = *state;

    start(s);
    build_app(s, "app.elf");
    shell(&s->f, "$H run app.elf --seconds 1 --stats");
    assert_code(&s->f, 0);
    assert_contains(s->f.err, "interrupts");
}

static void test_records(void **state)
{
    struct state *s = *state;

    start(s);
    build_app(s, "app.elf");
    assert_contains(s->f.err, "are not recorded: not compiled from C by hindcast cc");
    shell(&s->f, "readelf -p .hindcast app.elf");
    assert_contains(s->f.out, "part^Imsp430f1611");
    assert_contains(s->f.out, "crt0.S.o");
    assert_contains(s->f.out, "unit^Iapp.c^Imsp430f1611");
}

/* The forms in which one can link: each makes app.elf, with the recorder in it. */
static void test_forms(void **state)
{
    static const char *const commands[] = {
        "$H ld ld.lld-19 -T x.ld small.o -o app.elf",
        "$H ld ld.lld-19 -oapp.elf -Tx.ld small.o",
        "$H ld ld.lld-19 --output=app.elf -T x.ld small.o && $H ld ld.lld-19 small.o -T x.ld --output app.elf",
        "echo '-T x.ld small.o -o app.elf' >r; $H ld ld.lld-19 @r",
        "$H ld ld.lld-19 -T x.ld small.o && mv a.out app.elf",
        "$H ld ld.lld-19 --gc-sections -e f -T x.ld small.o -o app.elf",
        "llvm-ar-19 rc libs.a small.o; $H ld ld.lld-19 -T x.ld -u f libs.a -o app.elf",
        "llvm-ar-19 rc libs.a small.o; $H ld ld.lld-19 -T x.ld -u f -L. -ls -o app.elf",
        "$H ld ld.lld-19 -r small.o -o r.o && $H ld ld.lld-19 -T x.ld r.o -o app.elf",
        "$H ld --sink=none --codec=data:paper ld.lld-19 -T x.ld small.o -o app.elf && nm app.elf | grep hc_test_none",
        "$H cc " CLANG " -nostdlib -T x.ld small.c -o app.elf",
        "$H cc " CLANG " -nostdlib -T x.ld small.o -o app.elf",
        "echo 'int g(void) { return 2; }' >g.c; echo '.global h\nh: ret' >h.s; $H cc " CLANG
        " -nostdlib -Wl,-u,g -Wl,-u,h -T x.ld -DX small.c g.c h.s -MD -o app.elf && nm app.elf | grep ' g$' && "
        "nm app.elf | grep ' h$' && ls g.d small.d",
    };
    struct state *s = *state;

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        start(s);
        write_script(s, vectors);
        shell(&s->f,
              "export HINDCAST_CC_OPTIONS=--ring=128 HINDCAST_SHARE=%s PATH=$PWD:$PATH; mkdir t; "
              "export TMPDIR=$PWD/t; %s",
              s->share, commands[i]);
        if (s->f.code)
            fail_msg("%s: exit code %d: %s", commands[i], s->f.code, s->f.err);
        shell(&s->f, "ls t");
        assert_string_equal(s->f.out, "");
        struct hc_image *image = load(s, "app.elf");
        assert_int_equal(word_at(image, 0xfffe), address_of(image, "__hc_reset"));
        assert_int_equal(word_at(image, address_of(image, "__hc_link") + LINK_HANDLERS + 30), address_of(image, "f"));
        hc_image_free(image);
    }
}

static void test_refusals(void **state)
{
    static const struct {
        const char *script, *prepare, *arguments;
        int code;
        const char *err;
    } cases[] = {
        { "", ":", "small.o", 3, "has no reset vector at 0xfffe: is it linked for an msp430f1611?" },
        { ".vectors 0xfffe : { SHORT(0xffff) }", ":", "small.o", 3, "has no reset vector" },
        { ".vectors 0xfffa : { SHORT(0x4000) SHORT(0xffff) SHORT(0x4000) }", ":", "small.o", 0, "" },
        { vectors, ":", "small.o -s", 3, "has no symbol __hc_link" },
        { ".vectors 0xfffe : { SHORT(0x4000) } /DISCARD/ : { *(.note.hindcast) }", ":", "small.o", 3,
          ".note.hindcast" },
        { ".vectors 0xfffe : { SHORT(0x4000) } .big 0x1200 (NOLOAD) : { . += 0x2800; }", ":", "small.o", 3,
          "section .big ends at 0x39ff, RAM at 0x38ff" },
        { ".vectors 0xfffe : { SHORT(0x4000) } .big 0x1200 (NOLOAD) : { . += 0x2600; }", ":", "small.o", 0, "" },
        { vectors, CLANG " -c small.c -o plain.o; " CLANG " -Df=g -c small.c -o plain.o", "small.o plain.o", 0,
          "peripheral reads in plain.o are not recorded: not compiled from C by hindcast cc" },
        { vectors, "$H cc --part=./other.regs " CLANG " -Df=g -c small.c -o other.o", "small.o other.o", 3,
          "units are built for different parts, msp430f1611 and other: choose one with --part" },
        { vectors,
          "$H cc --part=./other.regs " CLANG " -Df=g -c small.c -o other.o; "
          "export HINDCAST_CC_OPTIONS='--ring=1 --part=msp430f1611'",
          "small.o other.o", 0, "" },
        /* Calls of the recorder: the program's own, assembly's, those that are put in, the port's; none. */
        { vectors, "echo 'int f(int a) { return a + 1; }' >none.c; $H cc " CLANG " -c none.c", "none.o", 3,
          "nothing calls hc_update, so nothing would be recorded" },
        { vectors,
          "echo 'int f(int a) { return a + 1; }' >none.c; $H cc " CLANG " -c none.c; "
          "export HINDCAST_CC_OPTIONS='--ring=64 --port=kit'",
          "none.o", 0, "" },
        { vectors,
          "echo 'int f(int a) { return a + 1; }' >none.c; $H cc " CLANG " -c none.c; "
          "export HINDCAST_CC_OPTIONS='--ring=64 --port=kit'",
          "--gc-sections -u f none.o", 3, "leave out --update=manual and --port=kit" },
        { vectors,
          "printf 'void kernel_idle(void); int f(int a) { kernel_idle(); return a + 1; }' >none.c; $H cc " CLANG
          " -c none.c; export HINDCAST_CC_OPTIONS='--ring=64 --port=kit'",
          "--gc-sections -u f none.o", 0, "" },
        { vectors,
          "echo 'int f(int a) { return a + 1; }' >none.c; $H cc " CLANG " -c none.c; "
          "printf '.global g\\ng: br #hc_update_later\\n' >asm.s; " CLANG " -c asm.s",
          "none.o asm.o", 0, "" },
        { vectors, "echo 'int f(int a) { for (;;) ; }' >none.c; $H cc " CLANG " -c none.c", "none.o", 0, "" },
        { vectors, "echo 'int f(int a) { for (;;) ; }' >none.c; $H cc --update=manual " CLANG " -c none.c", "none.o", 3,
          "leave out --update=manual" },
        { vectors,
          "echo 'int f(int a) { for (;;) ; }' >none.c; $H cc " CLANG " -c none.c; llvm-ar-19 rc lib.a none.o; "
          "echo 'int f(int a) { return 1; }' >one.c; $H cc " CLANG " -c one.c",
          "one.o lib.a", 3, "nothing calls hc_update" },
        { vectors, "export HINDCAST_CC_OPTIONS='--update=never'", "small.o", 2,
          "'never': expected auto, sleep, wake or manual" },
        { vectors, "export HINDCAST_CC_OPTIONS='--sink=toaster'", "small.o", 3,
          "--sink=toaster: no such sink: use m25p80" },
        { vectors, "export HINDCAST_CC_OPTIONS='--port=toaster'", "small.o", 3, "--port=toaster: no such port: use" },
        { vectors, "export HINDCAST_CC_OPTIONS='--ring=64 --port=./nowhere.c'", "small.o", 1, "nowhere.c" },
        /* It may look at the program's variables, but not call what the compiler would. */
        { vectors,
          "echo 'extern char busy; int hc_mine(void) { return busy; }' >mine.c; "
          "echo 'char busy;' >busy.c; " CLANG " -c busy.c; export HINDCAST_CC_OPTIONS=\"--ring=64 --port=$PWD/mine.c\"",
          "small.o busy.o -u hc_mine", 0, "" },
        { vectors,
          "echo 'extern long a; long hc_mine(void) { return a / 3; }' >mine.c; "
          "export HINDCAST_CC_OPTIONS=\"--ring=64 --port=$PWD/mine.c\"",
          "small.o", 3, "mine.c refers to __mspabi_divli: an external reference breaks exact replay" },
        { vectors, "export HINDCAST_CC_OPTIONS='--ring=x'", "small.o", 3, "--ring: 'x': expected a number of bytes" },
        { vectors, "export HINDCAST_CC_OPTIONS='--codec=morse'", "small.o", 3,
          "--codec=morse: expected 'paper' or 'hindcast' for interrupts" },
        { vectors, "export HINDCAST_CC_OPTIONS='--codec=time:paper'", "small.o", 3,
          "'time': expected interrupts, registers or data" },
        { vectors, "export HINDCAST_CC_OPTIONS='--log-region=5'", "small.o", 3,
          "--log-region: '5': expected a range like" },
        /* The recorder's own sources do not compile: the compiler says why. */
        { vectors, "export HINDCAST_CC_OPTIONS='--define=HC_RING=nonsense'", "small.o", 1, "nonsense" },
        { vectors,
          "cp -r $S mine; echo 'int f(int); int hc_foreign(void) { return f(1); }' >>mine/runtime/sink.c; "
          "sed -i 's/^include.*/include fit/' mine/runtime/sources.txt; ln -s $F/../runtime mine/runtime/fit; "
          "export HINDCAST_SHARE=$PWD/mine",
          "small.o", 3, "the recorder's sink.c refers to f: an external reference breaks exact replay" },
        { vectors, "export HINDCAST_SHARE=/nowhere", "small.o", 3, "HINDCAST_SHARE" },
        { vectors, ":", "small.o nowhere.o", 1, "nowhere.o" },
        { vectors, "echo junk >junk.o", "small.o junk.o", 1, "junk.o" },
    };
    struct state *s = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(s);
        write_script(s, cases[i].script);
        shell(&s->f,
              "S=%s; export HINDCAST_CC_OPTIONS=--ring=128 HINDCAST_SHARE=$S; %s; "
              "$H ld ld.lld-19 -T x.ld %s -o app.elf; code=$?; ls app.elf; exit $code",
              s->share, cases[i].prepare, cases[i].arguments);
        if (s->f.code != cases[i].code)
            fail_msg("case %zu: exit code %d, should be %d: %s", i, s->f.code, cases[i].code, s->f.err);
        assert_contains(s->f.err, cases[i].err);
        /* A program that is refused is not left behind half done. */
        assert_int_equal(strstr(s->f.out, "app.elf") != NULL, cases[i].code == 0);
    }
}

int main(int argc, char **argv)
{
    static struct state s;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_table, &s), cmocka_unit_test_prestate(test_build_id, &s),
        cmocka_unit_test_prestate(test_runs, &s),  cmocka_unit_test_prestate(test_records, &s),
        cmocka_unit_test_prestate(test_forms, &s), cmocka_unit_test_prestate(test_refusals, &s),
    };

    if (argc < 4 || !(s.share = realpath(argv[3], NULL)) || !shell_begin(&s.f, argv[1], argv[2])) {
        fprintf(stderr, "test_link HINDCAST FIRMWARE_FOLDER SHARE_FOLDER\n");
        return 2;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&s.f);
    return failed;
}
