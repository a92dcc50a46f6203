/* hindcast cc and hindcast ld, as build systems use them: test_driver HINDCAST FIRMWARE_FOLDER PROJECT_FOLDER
 *
 * Most tests compile with clang for the MSP430 and look at what came out. Some use a fake compiler, a script that
 * writes its arguments to a file, to see what a compiler would be asked. */
#include "cli/shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CLANG "clang-19 --target=msp430-none-elf -mmcu=msp430f1611"

static const char *project;

static const char plain_source[] = "static int twice(int a)\n"
                                   "{\n"
                                   "    return a + a;\n"
                                   "}\n"
                                   "int f(int a)\n"
                                   "{\n"
                                   "    int unused;\n"
                                   "    return twice(a) + 1;\n"
                                   "}\n";
static const char reading_source[] = "#include \"header.h\"\n"
                                     "int pins(void)\n"
                                     "{\n"
                                     "    return P1IN;\n"
                                     "}\n";
static const char header[] = "#define P1IN (*(volatile unsigned char *)0x20)\n";

/* The fake writes its words to calls, one a line, a call ends with an empty line; it makes its output of them too. */
static const char fake[] = "#!/bin/sh\n"
                           "for word in \"$@\"; do echo \"$word\"; done >>calls\n"
                           "echo >>calls\n"
                           "out=\n"
                           "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n"
                           "[ -z \"$out\" ] || echo made >\"$out\"\n"
                           "[ -z \"$FAKE_SAYS\" ] || echo \"$FAKE_SAYS\" >&2\n"
                           "exit ${FAKE_CODE:-0}\n";

static void start(struct fixture *f)
{
    char path[64];

    shell(f, "find . -mindepth 1 ! -name out ! -name err -delete");
    write_text(f, "plain.c", plain_source);
    write_text(f, "reading.c", reading_source);
    write_text(f, "header.h", header);
    write_text(f, "fake", fake);
    snprintf(path, sizeof path, "%s/fake", f->directory);
    chmod(path, 0755);
}

static void assert_same(const char *a, const char *b)
{
    if (strcmp(a, b) != 0)
        fail_msg("'%s' is not '%s'", a, b);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("'%s' contains '%s'", text, part);
}

/* ---- compiling ---- */

/* Every way to ask for an object; each must make OBJECT, instrumented. */
static void test_compile_forms(void **state)
{
    static const struct {
        const char *command, *object;
    } cases[] = {
        { "$H cc " CLANG " -c reading.c", "reading.o" },
        { "$H cc " CLANG " -c reading.c -o x.o", "x.o" },
        { "$H cc " CLANG " -c -oy.o reading.c", "y.o" },
        { "mkdir d; $H cc " CLANG " -c reading.c -o d/z.o", "d/z.o" },
        { "mkdir s; cp reading.c header.h s; $H cc " CLANG " -c s/reading.c", "reading.o" },
        { "$H cc " CLANG " -c reading.c plain.c", "plain.o" },
        { "$H cc " CLANG " -x c -c reading.c -o x.o", "x.o" },
        { "cp reading.c odd; $H cc " CLANG " -xc -c odd -o x.o", "x.o" },
        { "$H cc " CLANG " -x c - -c -o x.o <reading.c", "x.o" },
        { CLANG " -E reading.c -o pre.i; $H cc " CLANG " -c pre.i", "pre.o" },
        { CLANG " -E reading.c -o pre; $H cc " CLANG " -x cpp-output -c pre -o x.o", "x.o" },
        { "echo '-c reading.c -o x.o' >r; $H cc " CLANG " @r", "x.o" },
        { "echo '-c @r2' >r; echo 'reading.c -o x.o' >r2; $H cc " CLANG " @r", "x.o" },
        { "cp reading.c 'a b.c'; $H cc " CLANG " -c 'a b.c' -o 'c d.o'; mv 'c d.o' x.o", "x.o" },
        { "cp reading.c 'a b.c'; echo '\"a b.c\" -c -o x\\.o' >r; $H cc " CLANG " @r", "x.o" },
        { "cp reading.c 'q\"u\\o.c'; $H cc " CLANG " -c 'q\"u\\o.c' -o x.o", "x.o" },
        { "$H cc " CLANG " -pipe -Os -g3 -c reading.c", "reading.o" },
        { "$H cc " CLANG " -std=c99 -pedantic-errors -Wall -Wextra -Werror -c reading.c", "reading.o" },
        { "$H cc " CLANG " -ansi -c reading.c", "reading.o" },
        { "$H cc " CLANG " -include header.h -c reading.c", "reading.o" },
        { "mv header.h other.h; touch header.h; $H cc " CLANG " -include other.h -c reading.c", "reading.o" },
        { "mkdir i; mv header.h i; $H cc " CLANG " -Ii -c reading.c", "reading.o" },
        { "mkdir i; mv header.h i; $H cc " CLANG " -I i -c reading.c", "reading.o" },
        { "mkdir i; mv header.h i; CPATH=i $H cc " CLANG " -c reading.c", "reading.o" },
        { "$H cc --part=msp430f1611 clang-19 --target=msp430 -c reading.c", "reading.o" },
        { "$H cc --part msp430f1611 clang-19 --target=msp430 -c reading.c", "reading.o" },
        { "HINDCAST_CC_OPTIONS=--part=msp430f1611 $H cc clang-19 --target=msp430 -c reading.c", "reading.o" },
        { "$H cc --no-sizes " CLANG " -c reading.c", "reading.o" },
        { "$H cc env " CLANG " -c reading.c", "reading.o" },
        { "TMPDIR=/nowhere $H cc " CLANG " -c reading.c", "reading.o" },
        { "$H cc " CLANG " -S reading.c && " CLANG " -c reading.s", "reading.o" },
        { "$H cc " CLANG " -S reading.c -o x.s && " CLANG " -c x.s", "x.o" },
        { "$H cc " CLANG " -c reading.c -Wl,-unused", "reading.o" },
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(f);
        shell(f, "%s", cases[i].command);
        if (f->code)
            fail_msg("%s: exit code %d: %s", cases[i].command, f->code, f->err);
        shell(f, "readelf -p .hindcast %s", cases[i].object);
        if (!strstr(f->out, "unit"))
            fail_msg("%s: %s is not instrumented", cases[i].command, cases[i].object);
        shell(f, "llvm-dwarfdump-19 --debug-line %s", cases[i].object);
        assert_lacks(f->out, ".i\"");
    }
}

static void test_records(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "$H cc " CLANG " -Os -c plain.c -o x.o && readelf -p .hindcast x.o");
    assert_code(f, 0);
    assert_contains(f->out, "unit^Iplain.c^Imsp430f1611");
    assert_contains(f->out, "compiler^Iclang-19^I--target=msp430-none-elf^I-mmcu=msp430f1611");
    assert_contains(f->out, "plain^If^I");
    assert_lacks(f->out, "-Os");
    shell(f, "$H cc --no-sizes " CLANG " -Os -c plain.c -o x.o && readelf -p .hindcast x.o");
    assert_code(f, 0);
    assert_lacks(f->out, "plain^If^I");
}

/* The sizes are those of the compiler without us. */
static void test_plain_sizes(void **state)
{
    struct fixture *f = *state;
    char size[32], record[48];

    start(f);
    shell(f, CLANG " -Os -c reading.c -o p.o && llvm-readelf-19 -s p.o | awk '$8 == \"pins\" { print $3 }'");
    assert_code(f, 0);
    snprintf(size, sizeof size, "%d", atoi(f->out));
    snprintf(record, sizeof record, "plain^Ipins^I%s\n", size);
    shell(f, "$H cc " CLANG " -Os -c reading.c -o x.o && readelf -p .hindcast x.o");
    assert_contains(f->out, record);
    /* Objects for link-time optimisation would be no ELF files. */
    shell(f, "$H cc " CLANG " -Os -flto=thin -c reading.c -o y.o && readelf -p .hindcast y.o");
    assert_contains(f->out, record);
}

static void test_debug_names(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "$H cc " CLANG " -g -c reading.c && llvm-dwarfdump-19 reading.o");
    assert_code(f, 0);
    assert_contains(f->out, "DW_AT_name\t(\"reading.c\")");
    assert_lacks(f->out, ".i\"");
    shell(f, "llvm-dwarfdump-19 --debug-line reading.o");
    assert_contains(f->out, "name: \"reading.c\"");
}

/* ---- messages and exit codes ---- */

static void test_diagnostics(void **state)
{
    struct fixture *f = *state;
    static char plain[sizeof f->err];

    start(f);
    write_text(f, "wrong.c", "int f(void)\n{\n    return nothing;\n}\n");
    static const char *const commands[] = {
        "-Wall -c plain.c",
        "-Wall -Werror -c plain.c",
        "-c wrong.c",
        "-c nowhere.c",
        "-c plain.c --no-such-option",
        "-fcolor-diagnostics -Wall -c plain.c",
        "-c plain.c reading.c -o x.o",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        shell(f, CLANG " %s", commands[i]);
        int code = f->code;
        strcpy(plain, f->err);
        shell(f, "rm -f *.o; $H cc " CLANG " %s", commands[i]);
        assert_code(f, code);
        assert_same(f->err, plain);
        shell(f, "ls *.o");
        assert_int_equal(f->code == 0, code == 0);
    }
}

static void test_exit_code_of_compiler(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "FAKE_CODE=77 FAKE_SAYS=sorry $H cc --part=msp430f1611 ./fake -c plain.c -o x.o");
    assert_code(f, 77);
    assert_same(f->err, "sorry\n");
    shell(f, "FAKE_CODE=5 $H cc ./fake -c x.S");
    assert_code(f, 5);
    shell(f, "FAKE_CODE=6 $H cc ./fake x.o -o y");
    assert_code(f, 6);
}

static void test_refusals(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *err;
    } cases[] = {
        { "cc", 2, "Usage: hindcast cc" },
        { "ld", 2, "Usage: hindcast ld" },
        { "cc --nonsense clang-19", 2, "unknown option '--nonsense'" },
        { "cc --part", 2, "--part: which PART?" },
        { "cc --no-sizes=1 clang-19", 2, "--no-sizes takes no value" },
        { "cc /nowhere/cc -c plain.c", 3, "no part given" },
        { "cc /nowhere/cc -mmcu=msp430f1611 -c plain.c", 3, "/nowhere/cc: No such file" },
        { "cc /nowhere/cc --version", 3, "/nowhere/cc: No such file" },
        { "cc clang-19 --target=msp430 -c plain.c", 3, "no part given" },
        { "cc --part=toaster clang-19 --target=msp430 -c plain.c", 3, "toaster" },
        { "cc clang-19 -mlarge -mmcu=msp430f1611 -c plain.c", 3, "-mlarge" },
        { "cc --commands nowhere.json", 3, "nowhere.json" },
        { "cc --commands plain.c", 3, "plain.c: line 1" },
    };
    struct fixture *f = *state;

    start(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell(f, "$H %s", cases[i].arguments);
        assert_code(f, cases[i].code);
        assert_contains(f->err, cases[i].err);
    }
    shell(f, "HINDCAST_CC_OPTIONS=word $H cc clang-19 --version");
    assert_code(f, 2);
    assert_contains(f->err, "HINDCAST_CC_OPTIONS");
    shell(f, "HINDCAST_SHARE=/nowhere $H cc " CLANG " -c plain.c");
    assert_code(f, 3);
    assert_contains(f->err, "HINDCAST_SHARE");
}

/* ---- dependencies ---- */

static void test_dependencies(void **state)
{
    static const struct {
        const char *arguments, *file;
    } cases[] = {
        { "-MD -c reading.c", "reading.d" },
        { "-MMD -c reading.c -o x.o", "x.d" },
        { "-MD -c reading.c -o d/x.o", "d/x.d" },
        { "-MD -MF deps -c reading.c", "deps" },
        { "-MD -MFdeps -MT target -c reading.c", "deps" },
        { "-MD -MP -MF deps -MQ 'a$b' -c reading.c", "deps" },
        { "-Wp,-MD,deps -c reading.c", "deps" },
        { "-MMD -MP -c reading.c -o 'a b.o'", "a b.d" },
    };
    struct fixture *f = *state;
    static char plain[sizeof f->out];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(f);
        shell(f, "mkdir d; " CLANG " %s && cat '%s'", cases[i].arguments, cases[i].file);
        assert_code(f, 0);
        strcpy(plain, f->out);
        assert_contains(plain, "header.h");
        shell(f, "rm -f '%s'; $H cc " CLANG " %s && cat '%s'", cases[i].file, cases[i].arguments, cases[i].file);
        assert_code(f, 0);
        assert_same(f->out, plain);
    }
}

/* What only the recorded program includes is a dependency as well. */
static void test_dependencies_of_recorded(void **state)
{
    struct fixture *f = *state;

    start(f);
    write_text(f, "both.c", "#ifdef __HINDCAST__\n#include \"header.h\"\n#endif\nint f(void) { return 1; }\n");
    shell(f, "$H cc " CLANG " -MD -c both.c && cat both.d");
    assert_code(f, 0);
    assert_contains(f->out, "header.h");
}

static void test_save_temps(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "$H cc " CLANG " -save-temps -c reading.c && ls && cat reading.hindcast.i");
    assert_code(f, 0);
    assert_contains(f->out, "reading.i\n");
    assert_contains(f->out, "reading.s\n");
    assert_contains(f->out, "unit\\\\011reading.c");
}

/* ---- what is asked of the compiler ---- */

static void test_calls(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "$H cc --part=msp430f1611 ./fake -DX=1 -Iinc -O2 -Werror -c plain.c -o x.o -MD -lm; cat calls");
    assert_code(f, 0);
    assert_contains(f->out, "-DX=1\n-Iinc\n-O2\n-Werror\n-c\n-isystem\n");
    assert_contains(f->out, "/runtime\n-lm\nplain.c\n-o\nx.o\n\n");
    assert_contains(f->out, "-DX=1\n-Iinc\n-O2\n-MD\n-MF\nx.d\n-MQ\nx.o\n-E\n");
    const char *third = strstr(f->out, "-O2\n-w\n-c\n-x\ncpp-output\n");
    assert_non_null(third);
    assert_contains(third, "/plain.i\n-o\nx.o\n\n");
    assert_lacks(third, "-DX=1");
    assert_lacks(third, "-Werror");
}

/* ---- nothing is left behind ---- */

static void test_clean(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "mkdir t; TMPDIR=$PWD/t $H cc " CLANG " -c reading.c; ls t");
    assert_same(f->out, "");
    shell(f, "TMPDIR=$PWD/t $H cc --part=msp430f1611 ./fake -c plain.c -o x.o; ls t");
    assert_same(f->out, "");
    /* A compiler that fails in the last step leaves no output. */
    write_text(f, "third",
               "#!/bin/sh\ncase \"$*\" in *cpp-output*) exit 9;; *-E*) cat plain.c;; *) touch x.o;; esac\n");
    shell(f, "chmod +x third; rm -f x.o; TMPDIR=$PWD/t $H cc --part=msp430f1611 ./third -c plain.c -o x.o");
    assert_code(f, 9);
    assert_contains(f->err, "plain.c: does not compile after adding the recorder");
    shell(f, "ls x.o t");
    assert_lacks(f->out, "x.o");
    assert_lacks(f->out, "hindcast");
}

static void test_signal(void **state)
{
    struct fixture *f = *state;

    start(f);
    write_text(f, "slow",
               "#!/bin/sh\n"
               "case \" $* \" in *' -E '*) exec " CLANG " \"$@\" ;; esac\n"
               "echo >started\n"
               "exec sleep 5\n");
    shell(f, "chmod +x slow; mkdir t; export TMPDIR=$PWD/t; $H cc --part=msp430f1611 ./slow -c plain.c -o x.o & p=$!; "
             "while ! ls t/*/plain.i; do sleep 0.05; done; sleep 0.2; kill -TERM $p; wait $p; echo code $?; ls t x.o");
    assert_contains(f->out, "code 143\n");
    assert_lacks(f->out + strlen("code"), "x.o\n");
    shell(f, "ls t; ls x.o");
    assert_same(f->out, "");
}

/* ---- nothing to instrument: the compiler's own run ---- */

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed >> 16;
}

static void test_passed_on(void **state)
{
    static const char *const words[] = {
        "-E",           "plain.c",   "x.S",     "x.s",   "-M",      "-MM",
        "-v",           "--version", "-Os",     "-o",    "made",    "-I",
        "inc",          "-DX",       "-D",      "'a b'", "@nofile", "@response",
        "-x",           "assembler", "-",       "-c",    "-S",      "-print-search-dirs",
        "-dumpmachine", "y.cpp",     "-lm",     "-###",  "--help",  "-fsyntax-only",
        "'q\"'",        "a\\\\b",    "'$HOME'", "''",
    };
    struct fixture *f = *state;
    static char plain[sizeof f->out];

    start(f);
    shell(f, "touch x.S x.s y.cpp; echo '-DR -E \"s t\"' >response");
    for (unsigned run = 0; run < 150; run++) {
        char line[512] = "-E"; /* nothing is compiled, whatever follows */
        unsigned seed = run;
        if (run % 3 == 1)
            strcpy(line, "-c x.S");
        for (unsigned n = next_random(&seed) % 8; run % 3 != 1 && n; n--)
            sprintf(line + strlen(line), " %s", words[next_random(&seed) % (sizeof words / sizeof *words)]);
        if (run % 3 == 2)
            strcat(line, " --version");
        shell(f, "rm -f calls made; FAKE_CODE=%u ./fake %s; echo $?; cat calls; cat made", run % 5, line);
        strcpy(plain, f->out);
        shell(f, "rm -f calls made; FAKE_CODE=%u $H cc ./fake %s; echo $?; cat calls; cat made", run % 5, line);
        if (strcmp(f->out, plain) != 0)
            fail_msg("run %u: cc %s: '%s' is not '%s'", run, line, f->out, plain);
    }
}

/* Links of what we did not make are the linker's too. */
static void test_plain_link(void **state)
{
    struct fixture *f = *state;
    static char plain[sizeof f->out];
    static const char script[] = "SECTIONS { .text 0x4000 : { *(.text*) } }\n";

    start(f);
    write_text(f, "x.ld", script);
    shell(f, CLANG " -c plain.c -o p.o && ld.lld-19 -T x.ld p.o -o a.elf && md5sum <a.elf");
    assert_code(f, 0);
    strcpy(plain, f->out);
    shell(f, "$H ld ld.lld-19 -T x.ld p.o -o b.elf && md5sum <b.elf");
    assert_code(f, 0);
    assert_same(f->out, plain);
    assert_contains(f->err, "hindcast: note: b.elf: none of its objects were made by hindcast cc");
    shell(f, "ld.lld-19 -r p.o -o a.r.o && md5sum <a.r.o");
    strcpy(plain, f->out);
    shell(f, "$H ld ld.lld-19 -r p.o -o b.r.o && md5sum <b.r.o");
    assert_same(f->out, plain);
    shell(f, "$H ld ld.lld-19 nowhere.o -o c.elf");
    assert_code(f, 1);
    shell(f, "$H ld ld.lld-19 --version");
    assert_code(f, 0);
    assert_contains(f->out, "LLD");
}

/* ---- which linker ---- */

/* Each case links plain.c; WHO made it: lld, or the fake linker whose name is in the output. */
static void test_linker(void **state)
{
    static const struct {
        const char *options, *who;
    } cases[] = {
        { "", "LLD" },
        { "-fuse-ld=lld", "LLD" },
        { "-fuse-ld=bfd -fuse-ld=lld", "LLD" },
        { "--ld-path=$(command -v ld.lld-19)", "LLD" },
        { "--ld-path=ld.lld-19", "LLD" },
        { "--ld-path=./mine", "mine" },
        { "--ld-path=mine", "mine" },
        { "-fuse-ld=$PWD/mine", "mine" },
        { "-fuse-ld=lld --ld-path=./mine", "mine" },
        { "-fuse-ld=bfd", "by msp430-elf-ld" },
        { "-fuse-ld=ld", "by msp430-elf-ld" },
        { "-fuse-ld=quick", "ld.quick" },
        { "--gcc-toolchain=/nowhere", "by msp430-elf-ld" },
        { "--gcc-toolchain=/nowhere -fuse-ld=lld", "LLD" },
        { "-Btools", "tools/msp430-elf-ld" },
        { "-Btools -fuse-ld=lld", "LLD" },
        { "-Btools --ld-path=mine", "mine" },
    };
    struct fixture *f = *state;

    start(f);
    write_text(f, "x.ld", "SECTIONS { .text 0x4000 : { *(.text*) } }\n");
    shell(f, "mkdir tools; for n in mine msp430-elf-ld ld.quick tools/msp430-elf-ld; do "
             "printf '#!/bin/sh\\nwhile [ \"$1\" != -o ]; do shift; done; echo made by %%s >$2\\n' $n >$n; chmod +x "
             "$n; done");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell(f,
              "PATH=$PWD:$PATH; rm -f a.elf; $H cc --checkpoints=loop-latch " CLANG
              " -nostdlib -T x.ld %s plain.c -o a.elf"
              " && strings -a a.elf",
              cases[i].options);
        if (f->code != 0 || !strstr(f->out, cases[i].who))
            fail_msg("%s: %d, %s%s", cases[i].options, f->code, f->err, f->out);
        assert_lacks(f->err, "unused");
    }
    shell(f,
          "$H cc " CLANG " -nostdlib -r plain.c -o a.o && $H cc " CLANG " -nostdlib -r a.o -o b.o && llvm-nm-19 b.o");
    assert_code(f, 0);
    assert_contains(f->out, "T f\n");
}

static void test_linker_refusals(void **state)
{
    static const struct shell_case cases[] = {
        { "cc " CLANG " -fuse-ld=none plain.c -o a.elf", 3, "",
          "-fuse-ld=none: clang-19 finds no such linker; is it installed?" },
        { "cc " CLANG " --ld-path=/nowhere/ld plain.c -o a.elf", 3, "", "--ld-path=/nowhere/ld: clang-19 finds no" },
        { "cc " CLANG " --ld-path=./plain.c plain.c -o a.elf", 3, "", "--ld-path=./plain.c: clang-19 finds no" },
    };

    start(*state);
    shell_try(*state, cases, sizeof cases / sizeof cases[0]);
}

/* ---- a project of a user, with nothing but CC changed ---- */

static void test_project(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "cp %s/* . && make CC=\"$H cc clang-19\"", project);
    assert_code(f, 0);
    assert_lacks(f->err, "warning");
    shell(f, "$H run app.elf --seconds 5 --flash flash --oracle oracle && $H replay app.elf flash --verify oracle");
    assert_code(f, 0);
    assert_contains(f->out, "verified: ");
    assert_lacks(f->out, "verified: 0");
    shell(f, "make CC=\"$H cc clang-19\"");
    assert_contains(f->out, "up to date");
}

/* Step 1 finds hindcast.h as well, but none that is in front of it. */
static void test_header(void **state)
{
    struct fixture *f = *state;

    start(f);
    write_text(f, "calls.c", "#include <hindcast.h>\nvoid f(void) { hc_update(); HC_INVARIANT(1); }\n");
    shell(f, "$H cc " CLANG " -Wall -Wextra -Werror -pedantic -c calls.c && llvm-nm-19 calls.o");
    assert_code(f, 0);
    assert_same(f->err, "");
    assert_contains(f->out, "U hc_update");
    shell(f, "mkdir own; echo 'static inline void hc_update(void) {}\n#define HC_INVARIANT(c)' >own/hindcast.h; "
             "$H cc " CLANG " -Iown -c calls.c && llvm-nm-19 calls.o");
    assert_code(f, 0);
    assert_lacks(f->out, "U hc_update");
}

/* ---- checkpoints ---- */

static const char looping_source[] = "#include \"header.h\"\n"
                                     "int sum(int n)\n"
                                     "{\n"
                                     "    int unused;\n"
                                     "    int s = P1IN;\n"
                                     "    while (n)\n"
                                     "        s += n--;\n"
                                     "    return s;\n"
                                     "}\n";

/* No recorder, no record, no part to be known; the program's own messages and lines. */
static void test_checkpoints(void **state)
{
    struct fixture *f = *state;
    static const char script[] = "SECTIONS { .text 0x4000 : { *(.text*) } }\n";

    start(f);
    write_text(f, "looping.c", looping_source);
    write_text(f, "x.ld", script);
    write_text(f, "save.c", "void checkpoint(void) {}\nvoid save(void) {}\n");
    shell(f, "$H cc --checkpoints=loop-latch clang-19 --target=msp430-none-elf -Wall -g -c looping.c -MMD && "
             "llvm-nm-19 looping.o; llvm-readelf-19 -S looping.o; cat looping.d; llvm-objdump-19 -dlr looping.o");
    assert_code(f, 0);
    assert_contains(f->err, "unused variable 'unused'");
    assert_contains(f->out, "U checkpoint");
    assert_contains(f->out, "looping.o: looping.c header.h");
    assert_contains(f->out, "looping.c:7\n");
    assert_lacks(f->out, ".hindcast");
    assert_lacks(f->out, "__hc_");
    shell(f, "ln -s $(command -v ld.lld-19) msp430-elf-ld; PATH=$PWD:$PATH; "
             "$H cc --checkpoints=loop-latch --checkpoint-function=save " CLANG " -nostdlib -Wl,-T,x.ld,-u,sum "
             "looping.c save.c -o a.elf && llvm-nm-19 a.elf");
    assert_code(f, 0);
    assert_contains(f->out, " T save");
    assert_lacks(f->out, "__hc_");
    assert_lacks(f->err, "hindcast: note");
    shell(f, "$H cc --checkpoints=loop-latch --no-checkpoints=sum " CLANG " -c looping.c && llvm-nm-19 looping.o");
    assert_lacks(f->out, "checkpoint");
    shell(f, "$H cc --checkpoints=function-return " CLANG " -S plain.c -o - -save-temps && grep -c 'checkpoint()' "
             "plain.hindcast.i");
    assert_contains(f->out, "1\n");
    shell(f, "echo 'void g(int checkpoint) { while (checkpoint) checkpoint--; }' >hides.c;"
             "$H cc --checkpoints=loop-latch " CLANG " -c hides.c; echo $?; ls hides.o");
    assert_contains(f->out, "3\n");
    assert_lacks(f->out, "hides.o");
    assert_contains(f->err, "hides.c:1:12: error: 'checkpoint' hides the checkpoint function here");
}

static void test_checkpoint_options(void **state)
{
    static const struct shell_case cases[] = {
        { "cc --checkpoints=everywhere clang-19 -c plain.c", 2, "",
          "--checkpoints: 'everywhere': expected loop-latch or function-return" },
        { "cc --checkpoints clang-19", 2, "", "'clang-19': expected loop-latch or function-return" },
        { "cc --no-checkpoints=f clang-19 -c plain.c", 2, "", "need --checkpoints" },
        { "cc --checkpoint-function=save clang-19 -c plain.c", 2, "", "need --checkpoints" },
        { "cc --help", 0, "--checkpoints=PLACES", "" },
    };

    start(*state);
    shell_try(*state, cases, sizeof cases / sizeof cases[0]);
}

/* ---- compile_commands.json ---- */

/* As many branches as a generator writes: clang takes them. */
static void test_deep(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "{ echo '#include \"header.h\"'; echo 'int f(int a) { if (a == 0) return P1IN;'; "
             "for i in $(seq 5000); do echo \" else if (a == $i) a += $i;\"; done; echo 'return a; }'; } >deep.c");
    shell(f, "$H cc --part=msp430f1611 --port=bare " CLANG " -c deep.c -o deep.o");
    assert_code(f, 0);
    shell(f, "{ echo '#include \"header.h\"'; echo 'int f(int a) { return P1IN'; "
             "for i in $(seq 30000); do echo ' + a'; done; echo '; }'; } >deeper.c");
    shell(f, "$H cc --part=msp430f1611 --port=bare " CLANG " -fbracket-depth=100000 -c deeper.c -o deeper.o");
    assert_code(f, 3);
    assert_contains(f->err, "deeper.c:2:");
    assert_contains(f->err, "nested too deeply");
}

/* A response file of any length. */
static void test_long_command(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(f, "for i in $(seq 60000); do echo \"-DNAME_OF_A_THING_$i='\\\"a b c\\\"'\"; done >words; "
             "test $(wc -c <words) -gt 1800000");
    assert_code(f, 0);
    shell(f, "echo 'const char *const text = NAME_OF_A_THING_59999;' >>reading.c");
    shell(f, "$H cc --part=msp430f1611 --port=bare " CLANG
             " @words -c reading.c -o reading.o && strings reading.o | grep -x 'a b c'");
    assert_code(f, 0);
}

/* Killed in the middle, it leaves no directory behind. */
static void test_killed(void **state)
{
    struct fixture *f = *state;

    start(f);
    write_text(f, "slow",
               "#!/bin/sh\n"
               "case \"$*\" in *temporary/hindcast-*) echo >started; exec sleep 5 ;; esac\n"
               "exec " CLANG " \"$@\"\n");
    shell(
        f,
        "chmod +x slow; mkdir temporary; export TMPDIR=$PWD/temporary; "
        "$H cc --part=msp430f1611 --port=bare ./slow reading.c -o reading.elf & "
        "for i in $(seq 50); do [ -e started ] || sleep 0.1; done; ls temporary | wc -l; kill -9 $!; wait $!; sleep 1; "
        "ls temporary");
    assert_string_equal(f->out, "1\n");
}

static void test_commands(void **state)
{
    struct fixture *f = *state;

    start(f);
    shell(
        f,
        "mkdir sub; cp reading.c header.h sub; cat >c.json <<'E'\n"
        "[{\"directory\": \"sub\", \"file\": \"reading.c\", \"arguments\": [\"clang-19\", \"--target=msp430-none-elf\","
        " \"-mmcu=msp430f1611\", \"-c\", \"reading.c\", \"-o\", \"reading.o\"]},\n"
        " {\"directory\": \".\", \"file\": \"plain.c\", \"command\": \"" CLANG " -c 'plain.c'\"}]\nE\n"
        "$H cc --commands c.json --out o && readelf -p .hindcast o/reading.o o/plain.o; ls *.o sub/*.o");
    assert_contains(f->out, "unit^Ireading.c");
    assert_contains(f->out, "unit^Iplain.c");
    assert_lacks(f->out, "sub/reading.o");
    shell(f, "$H cc --commands=c.json && ls plain.o sub/reading.o");
    assert_code(f, 0);
    shell(f, "echo 'int f(' >sub/reading.c; rm -f plain.o sub/reading.o; $H cc --commands=c.json; echo $?; ls plain.o");
    assert_contains(f->out, "3\nplain.o\n");
    assert_contains(f->err, "c.json: 1 of 2 entries failed");
}

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_compile_forms, &f),
        cmocka_unit_test_prestate(test_records, &f),
        cmocka_unit_test_prestate(test_plain_sizes, &f),
        cmocka_unit_test_prestate(test_debug_names, &f),
        cmocka_unit_test_prestate(test_diagnostics, &f),
        cmocka_unit_test_prestate(test_exit_code_of_compiler, &f),
        cmocka_unit_test_prestate(test_refusals, &f),
        cmocka_unit_test_prestate(test_dependencies, &f),
        cmocka_unit_test_prestate(test_dependencies_of_recorded, &f),
        cmocka_unit_test_prestate(test_save_temps, &f),
        cmocka_unit_test_prestate(test_calls, &f),
        cmocka_unit_test_prestate(test_clean, &f),
        cmocka_unit_test_prestate(test_signal, &f),
        cmocka_unit_test_prestate(test_passed_on, &f),
        cmocka_unit_test_prestate(test_plain_link, &f),
        cmocka_unit_test_prestate(test_linker, &f),
        cmocka_unit_test_prestate(test_linker_refusals, &f),
        cmocka_unit_test_prestate(test_project, &f),
        cmocka_unit_test_prestate(test_header, &f),
        cmocka_unit_test_prestate(test_checkpoints, &f),
        cmocka_unit_test_prestate(test_checkpoint_options, &f),
        cmocka_unit_test_prestate(test_deep, &f),
        cmocka_unit_test_prestate(test_long_command, &f),
        cmocka_unit_test_prestate(test_killed, &f),
        cmocka_unit_test_prestate(test_commands, &f),
    };

    if (argc < 4 || !shell_begin(&f, argv[1], argv[2])) {
        fprintf(stderr, "test_driver HINDCAST FIRMWARE_FOLDER PROJECT_FOLDER\n");
        return 2;
    }
    project = argv[3];
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
