/* Command lines of compilers: which word is what. */
#include "instrument/command/arguments.h"
#include "instrument/command/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIND(name) (1u << HC_ARGUMENT_##name)

static void read_line(struct hc_arguments *arguments, const char *line)
{
    struct hc_argv words = { 0 };

    hc_argv_split(&words, line);
    assert_true(hc_arguments_read(arguments, words.word, words.count));
    hc_argv_free(&words);
}

static void assert_words(const struct hc_argv *words, const char *expected, const char *line)
{
    char joined[1024] = "";

    for (size_t i = 0; i < words->count; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? " " : "", words->word[i]);
    if (strcmp(joined, expected) != 0)
        fail_msg("%s: '%s', should be '%s'", line, joined, expected);
}

/* Each option, in each way to write it, among others: exactly it has that kind. */
static void test_kinds(void **state)
{
    static const struct {
        unsigned kind;
        const char *option;
    } cases[] = {
        { HC_ARGUMENT_CODE, "-Os" },
        { HC_ARGUMENT_CODE, "-g" },
        { HC_ARGUMENT_CODE, "-std=gnu99" },
        { HC_ARGUMENT_CODE, "-ffunction-sections" },
        { HC_ARGUMENT_CODE, "-Wall" },
        { HC_ARGUMENT_CODE, "-Wa,-mmcu=x" },
        { HC_ARGUMENT_CODE, "-Xclang -ast-dump" },
        { HC_ARGUMENT_CODE, "--param inline-unit-growth=5" },
        { HC_ARGUMENT_CODE, "--param=x=5" },
        { HC_ARGUMENT_CODE, "-mllvm -x" },
        { HC_ARGUMENT_CODE, "-emit-llvm" },
        { HC_ARGUMENT_CODE, "-never-heard-of" },
        { HC_ARGUMENT_CODE, "-pipe" },
        { HC_ARGUMENT_TARGET, "-mmcu=msp430f1611" },
        { HC_ARGUMENT_TARGET, "-msmall" },
        { HC_ARGUMENT_TARGET, "--target=msp430" },
        { HC_ARGUMENT_TARGET, "-target msp430" },
        { HC_ARGUMENT_TARGET, "--sysroot=/x" },
        { HC_ARGUMENT_TARGET, "-B /x" },
        { HC_ARGUMENT_TARGET, "-B/x" },
        { HC_ARGUMENT_PREPROCESSOR, "-DX" },
        { HC_ARGUMENT_PREPROCESSOR, "-D X=1" },
        { HC_ARGUMENT_PREPROCESSOR, "-UX" },
        { HC_ARGUMENT_PREPROCESSOR, "-Iinc" },
        { HC_ARGUMENT_PREPROCESSOR, "-I inc" },
        { HC_ARGUMENT_PREPROCESSOR, "-isystem inc" },
        { HC_ARGUMENT_PREPROCESSOR, "-isysteminc" },
        { HC_ARGUMENT_PREPROCESSOR, "-include x.h" },
        { HC_ARGUMENT_PREPROCESSOR, "-imacros x.h" },
        { HC_ARGUMENT_PREPROCESSOR, "-iquote inc" },
        { HC_ARGUMENT_PREPROCESSOR, "-idirafter inc" },
        { HC_ARGUMENT_PREPROCESSOR, "-nostdinc" },
        { HC_ARGUMENT_PREPROCESSOR, "-Wp,-MD,x.d" },
        { HC_ARGUMENT_PREPROCESSOR, "-Xpreprocessor -DX" },
        { HC_ARGUMENT_DEPENDENCIES, "-MD" },
        { HC_ARGUMENT_DEPENDENCIES, "-MMD" },
        { HC_ARGUMENT_DEPENDENCIES, "-MP" },
        { HC_ARGUMENT_DEPENDENCIES, "-MF x.d" },
        { HC_ARGUMENT_DEPENDENCIES, "-MFx.d" },
        { HC_ARGUMENT_DEPENDENCIES, "-MT x.o" },
        { HC_ARGUMENT_DEPENDENCIES, "-MQ x.o" },
        { HC_ARGUMENT_STRICT, "-Werror" },
        { HC_ARGUMENT_STRICT, "-Werror=implicit" },
        { HC_ARGUMENT_STRICT, "-pedantic-errors" },
        { HC_ARGUMENT_ONCE, "-save-temps" },
        { HC_ARGUMENT_ONCE, "-save-temps=obj" },
        { HC_ARGUMENT_ONCE, "-v" },
        { HC_ARGUMENT_ONCE, "-dD" },
        { HC_ARGUMENT_ONCE, "-MJ x.json" },
        { HC_ARGUMENT_LINK, "-Wl,--gc-sections" },
        { HC_ARGUMENT_LINK, "-T x.ld" },
        { HC_ARGUMENT_LINK, "-Tx.ld" },
        { HC_ARGUMENT_LINK, "-L lib" },
        { HC_ARGUMENT_LINK, "-u main" },
        { HC_ARGUMENT_LINK, "-Xlinker -x" },
        { HC_ARGUMENT_LINK, "-nostdlib" },
        { HC_ARGUMENT_LINK, "-static-libgcc" },
        { HC_ARGUMENT_OUTPUT, "-o x" },
        { HC_ARGUMENT_OUTPUT, "-ox" },
        { HC_ARGUMENT_LANGUAGE, "-x c" },
        { HC_ARGUMENT_MODE, "-c" },
        { HC_ARGUMENT_MODE, "-fsyntax-only" },
        { HC_ARGUMENT_INPUT, "-lm" },
        { HC_ARGUMENT_INPUT, "-l m" },
        { HC_ARGUMENT_INPUT, "a.o" },
        { HC_ARGUMENT_INPUT, "-" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[128];
        struct hc_arguments arguments;
        struct hc_argv words = { 0 }, others = { 0 };
        snprintf(line, sizeof line, "-Q1 %s -Q2", cases[i].option);
        read_line(&arguments, line);
        hc_arguments_select(&arguments, 1u << cases[i].kind, &words);
        if (cases[i].kind == HC_ARGUMENT_CODE)
            assert_words(&words, line, line);
        else
            assert_words(&words, cases[i].option, line);
        hc_arguments_select(&arguments, KIND(CODE), &others);
        assert_words(&others, cases[i].kind == HC_ARGUMENT_CODE ? line : "-Q1 -Q2", line);
        hc_argv_free(&words);
        hc_argv_free(&others);
        hc_arguments_free(&arguments);
    }
}

static void test_inputs_and_mode(void **state)
{
    static const struct {
        const char *line;
        enum hc_driver_mode mode;
        size_t sources;
        const char *output, *part;
    } cases[] = {
        { "a.c", HC_MODE_LINK, 1, NULL, NULL },
        { "-c a.c", HC_MODE_OBJECT, 1, NULL, NULL },
        { "-c a.c -S", HC_MODE_ASSEMBLY, 1, NULL, NULL },
        { "-S -c a.c", HC_MODE_ASSEMBLY, 1, NULL, NULL },
        { "-c a.c -E", HC_MODE_OTHER, 1, NULL, NULL },
        { "-M a.c", HC_MODE_OTHER, 1, NULL, NULL },
        { "-c a.c -MD", HC_MODE_OBJECT, 1, NULL, NULL },
        { "--version", HC_MODE_OTHER, 0, NULL, NULL },
        { "-print-libgcc-file-name", HC_MODE_OTHER, 0, NULL, NULL },
        { "a.c b.c c.S d.o -lm -o app", HC_MODE_LINK, 2, "app", NULL },
        { "a.c -o x -o y", HC_MODE_LINK, 1, "y", NULL },
        { "-mmcu=msp430f149 -mmcu=msp430f1611 -c a.c", HC_MODE_OBJECT, 1, NULL, "msp430f1611" },
        { "-x c a.odd -x none b.o", HC_MODE_LINK, 1, NULL, NULL },
        { "-x c -", HC_MODE_LINK, 1, NULL, NULL },
        { "-x assembler a.c", HC_MODE_LINK, 0, NULL, NULL },
        { "-xc++ a.c", HC_MODE_LINK, 0, NULL, NULL },
        { "a.i a.h a.cpp a.s dir.c/a", HC_MODE_LINK, 1, NULL, NULL },
        { "-include a.c -D b.c -MF c.c -T d.c -o e.c f.c", HC_MODE_LINK, 1, "e.c", NULL },
        { "-c -o", HC_MODE_OBJECT, 0, NULL, NULL },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hc_arguments a;
        read_line(&a, cases[i].line);
        if (a.mode != cases[i].mode || hc_arguments_sources(&a) != cases[i].sources)
            fail_msg("%s: mode %d, %zu sources", cases[i].line, a.mode, hc_arguments_sources(&a));
        assert_string_equal(a.output ? a.output : "", cases[i].output ? cases[i].output : "");
        assert_string_equal(a.part ? a.part : "", cases[i].part ? cases[i].part : "");
        hc_arguments_free(&a);
    }
}

static void test_split(void **state)
{
    static const struct {
        const char *text;
        size_t count;
        const char *last;
    } cases[] = {
        { "", 0, "" },
        { " \t\n", 0, "" },
        { "a", 1, "a" },
        { "a b\nc", 3, "c" },
        { "'a b'", 1, "a b" },
        { "\"a b\"", 1, "a b" },
        { "a\\ b", 1, "a b" },
        { "'it\"s'", 1, "it\"s" },
        { "\"a'b\"", 1, "a'b" },
        { "''", 1, "" },
        { "x'y z'w", 1, "xy zw" },
        { "'a\\'b'", 1, "a'b" },
        { "'open end", 1, "open end" },
        { "back\\", 1, "back\\" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hc_argv words = { 0 };
        hc_argv_split(&words, cases[i].text);
        assert_int_equal(words.count, cases[i].count);
        if (words.count)
            assert_string_equal(words.word[words.count - 1], cases[i].last);
        hc_argv_free(&words);
    }
}

/* A response file that names itself ends, with what it would stand for left as it is. */
static void test_response_files(void **state)
{
    char path[] = "/tmp/hindcast-response-XXXXXX", word[64];
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    struct hc_argv words = { 0 };
    char *argument = word;

    (void)state;
    fprintf(file, "x @%s", path);
    fclose(file);
    snprintf(word, sizeof word, "@%s", path);
    hc_argv_expand(&words, &argument, 1);
    assert_true(words.count > 2);
    assert_string_equal(words.word[0], "x");
    assert_string_equal(words.word[words.count - 1], word);
    hc_argv_free(&words);
    remove(path);
}

static void test_output_names(void **state)
{
    static const char *const cases[][3] = {
        { "a.c", "o", "a.o" },     { "x/a.c", "o", "a.o" },         { "x.y/a", "o", "a.o" },
        { "a.b.c", "d", "a.b.d" }, { ".hidden", "o", ".hidden.o" }, { "-", "o", "-.o" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = hc_output_name(cases[i][0], cases[i][1]);
        assert_string_equal(name, cases[i][2]);
        free(name);
    }
}

static void test_codecs(void **state)
{
    static const struct {
        const char *codec;
        unsigned sets;
    } cases[] = {
        { NULL, 0 },
        { "hindcast", 0 },
        { "paper", 7 },
        { "interrupts:paper", 1 },
        { "registers:paper,data:paper", 6 },
        { "paper,data:hindcast", 3 },
        { "interrupts:paper,interrupts:hindcast", 0 },
    };
    struct hc_invocation session = { 0 };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hc_settings settings = { .codec = cases[i].codec };
        struct hc_argv words = { 0 };
        char expected[32];
        assert_true(hc_settings_define(&settings, &session, &words));
        snprintf(expected, sizeof expected, "-DHC_CODEC_SETS=%u", cases[i].sets);
        assert_words(&words, expected, cases[i].codec ? cases[i].codec : "");
        hc_argv_free(&words);
    }
}

/* Any words at all: each is part of exactly one argument, in order, and nothing is lost. */
static void test_random_words(void **state)
{
    static const char letters[] = "-cosxDIMFTWlpE=.,a @";
    uint32_t seed = 1;

    (void)state;
    for (int run = 0; run < 20000; run++) {
        struct hc_argv words = { 0 };
        struct hc_arguments arguments;
        for (int n = run % 9; n; n--) {
            char word[8];
            size_t length = 0;
            do {
                seed = seed * 1664525 + 1013904223;
                word[length++] = letters[(seed >> 16) % (sizeof letters - 1)];
            } while (length < 7 && seed >> 30);
            word[length] = '\0';
            hc_argv_add(&words, word);
        }
        assert_true(hc_arguments_read(&arguments, words.word, words.count));
        size_t at = 0;
        for (size_t i = 0; i < arguments.count; i++) {
            assert_int_equal(arguments.argument[i].first, at);
            at += arguments.argument[i].count;
        }
        assert_int_equal(at, arguments.words.count);
        hc_arguments_free(&arguments);
        hc_argv_free(&words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_inputs_and_mode), cmocka_unit_test(test_split),
        cmocka_unit_test(test_response_files), cmocka_unit_test(test_output_names),    cmocka_unit_test(test_codecs),
        cmocka_unit_test(test_random_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
