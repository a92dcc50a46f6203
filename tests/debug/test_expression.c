/* The debugger's C against clang's: the same expressions, the same bytes. Then what is refused, and how. */
#include "debug/dwarf/frame.h"
#include "debug/expression/expression.h"
#include "debug/expression/format.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct harness h;
    struct hc_program *program;
    struct hc_context context;
};

static int set_up(void **state, const char *firmware)
{
    static struct bench b;

    harness_start(&b.h, firmware);
    harness_finish(&b.h, HC_SECOND * 5);
    b.program = hc_program_new(b.h.image);
    assert_true(hc_program_has_source(b.program));
    hc_frame_here(b.program, b.h.machine, &b.context);
    *state = &b;
    return 0;
}

static int set_up_dwarf5(void **state)
{
    return set_up(state, "expressions");
}

static int set_up_dwarf4(void **state)
{
    return set_up(state, "expressions_dwarf4");
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    hc_program_free(b->program);
    harness_stop(&b->h);
    return 0;
}

static const char *const expressions[] = {
#define X(e) #e,
#include "debug/expressions.def"
#undef X
};

static void values_are_those_of_the_compiler(void **state)
{
    struct bench *b = *state;
    uint32_t at = harness_address(&b->h, "out");
    size_t wrong = 0, n = sizeof expressions / sizeof *expressions;

    assert_int_equal(harness_get(&b->h, "overflow", 0), 0);
    assert_true(n > 250);
    for (size_t i = 0; i < n; i++) {
        struct hc_debug_message message;
        struct hc_value v;
        uint8_t size = hc_peek(b->h.machine, at++), expected[16], found[16];
        assert_in_range(size, 1, 8);
        for (uint8_t k = 0; k < size; k++)
            expected[k] = hc_peek(b->h.machine, at++);
        if (!hc_expression_evaluate(&b->context, expressions[i], &v, &message)) {
            print_error("%s: %s\n", expressions[i], message.text);
            wrong++;
            continue;
        }
        if (hc_type_strip(v.type)->size != size) {
            print_error("%s: has %u bytes, should have %u\n", expressions[i], hc_type_strip(v.type)->size, size);
            wrong++;
        } else if (!hc_value_read(&b->context, &v, 0, found, size, &message) || memcmp(found, expected, size) != 0) {
            char text[100];
            print_error("%s: is %s, should be %02x %02x\n", expressions[i],
                        hc_format_text(&b->context, &v, 0, text, sizeof text), expected[0], expected[1]);
            wrong++;
        }
    }
    assert_int_equal(at, harness_address(&b->h, "out") + harness_get(&b->h, "out_size", 0));
    assert_int_equal(wrong, 0);
}

static void expect_text(struct bench *b, const char *expression, char format, const char *expected)
{
    struct hc_debug_message message;
    struct hc_value v;
    char text[400];

    if (!hc_expression_evaluate(&b->context, expression, &v, &message))
        fail_msg("%s: %s", expression, message.text);
    assert_string_equal(hc_format_text(&b->context, &v, format, text, sizeof text), expected);
}

static void values_are_written(void **state)
{
    struct bench *b = *state;
    char expected[200];

    expect_text(b, "i16", 0, "12345");
    expect_text(b, "i16", 'x', "0x3039");
    expect_text(b, "i8", 'x', "0x9c");
    expect_text(b, "u8", 'b', "11110000");
    expect_text(b, "u8", 'd', "-16");
    expect_text(b, "i8", 'u', "156");
    expect_text(b, "c", 0, "120 'x'");
    expect_text(b, "u8", 0, "240");
    expect_text(b, "b", 0, "true");
    expect_text(b, "f32", 0, "1.75");
    expect_text(b, "f64", 0, "-1234.5678");
    expect_text(b, "a", 0, "{11, -22, 33, -44, 55, -66}");
    expect_text(b, "a[1]@3", 0, "{-22, 33, -44}");
    expect_text(b, "matrix", 0, "{{1, 2, 3}, {4, 5, 6}}");
    expect_text(b, "items[1].name", 0, "\"two\"");
    expect_text(b, "color", 0, "BLUE");
    expect_text(b, "(enum color)7", 0, "7");
    expect_text(b, "flags", 0, "{one = 1, three = 5, s5 = -9, wide = 703710, sixteen = 4660, rest = 33}");
    expect_text(b, "flags", 'x', "{one = 0x1, three = 0x5, s5 = 0x17, wide = 0xabcde, sixteen = 0x1234, rest = 0x21}");
    expect_text(b, "nested", 0, "{y = 9, {z = 1000, zz = {232, 3}}, deep = {inner = {x = -70000}, k = -3}}");
    expect_text(b, "word", 'x', "{value = 0xbeef, bytes = {0xef, 0xbe}, low = 0xef, half = {a = 0xef, b = 0xbe}}");
    expect_text(b, "main::local_static", 0, "77");
    expect_text(b, "'expressions.c'::file_static", 0, "78");
    expect_text(b, "'expressions.c'::i16", 0, "12345");
    expect_text(b, "sizeof(struct item)", 0, "12");
    snprintf(expected, sizeof expected, "(struct item *) 0x%x <items+0xc>", harness_address(&b->h, "items") + 12);
    expect_text(b, "p", 0, expected);
    snprintf(expected, sizeof expected, "(uint16_t (*)(uint16_t)) 0x%x <twice>", harness_address(&b->h, "twice"));
    expect_text(b, "handler", 0, expected);
    snprintf(expected, sizeof expected, "0x%x", hc_register(b->h.machine, HC_SP));
    expect_text(b, "(unsigned)$sp", 'x', expected);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct bench *b = *state;
    static const struct {
        const char *expression, *message;
    } refused[] = {
        { "", "the expression ends: expected a value" },
        { "1 +", "the expression ends: expected a value" },
        { "(1", "expected ')'" },
        { "1 2", "column 3" },
        { "nothing", "no symbol 'nothing' here" },
        { "i16 = 5", "recorded state is read-only" },
        { "i16 += 5", "recorded state is read-only" },
        { "i16++", "recorded state is read-only" },
        { "--i16", "recorded state is read-only" },
        { "twice(3)", "cannot be called" },
        { "1 / 0", "division by zero" },
        { "i16 % (u8 - 240)", "division by zero" },
        { "*i16", "only a pointer" },
        { "*(void *)p", "void *" },
        { "p.n", "there is no member" },
        { "p->nothing", "there is no member 'nothing' in struct item" },
        { "items.n", "there is no member" },
        { "&flags.one", "bit-field has no address" },
        { "&1", "only something in memory" },
        { "&$r5", "in a register" },
        { "sizeof flags.one", "bit-field has no size" },
        { "flags + 1", "not a number" },
        { "p * 2", "not for pointers" },
        { "p + p", "not for pointers" },
        { "f32 % 2", "integers only" },
        { "~f32", "~" },
        { "f32 << 2", "integers only" },
        { "$r16", "no register" },
        { "$nothing", "no register" },
        { "(struct nothing *)p", "there is no struct nothing" },
        { "(struct item)1", "cannot cast to struct item" },
        { "a[0]@0", "expected a number 1..65536 after @" },
        { "5@3", "@ needs something in memory" },
        { "'nowhere.c'::i16", "no symbol 'i16' in nowhere.c" },
        { "\"text\"", "column 1" },
        { "'a", "quote" },
        { "08", "not a number" },
        { "1x", "not a number" },
        { "#", "column 1" },
        { "*(int *)0x0a00", "there is no memory at 0x0a00" },
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct hc_debug_message message = { "" };
        struct hc_value v;
        struct hc_number n;
        bool well = hc_expression_evaluate(&b->context, refused[i].expression, &v, &message) &&
                    hc_value_number(&b->context, &v, &n, &message);
        if (well || !strstr(message.text, refused[i].message))
            fail_msg("%s: \"%s\" should say \"%s\"", refused[i].expression, message.text, refused[i].message);
    }
}

static void depth_is_limited(void **state)
{
    struct bench *b = *state;
    struct hc_debug_message message;
    struct hc_value v;
    char text[3001];

    memset(text, '(', 3000);
    text[3000] = 0;
    assert_false(hc_expression_evaluate(&b->context, text, &v, &message));
    assert_non_null(strstr(message.text, "too deeply"));
    memset(text, '-', 3000);
    assert_false(hc_expression_evaluate(&b->context, text, &v, &message));
}

static void types_are_written(void **state)
{
    struct bench *b = *state;
    static const struct {
        const char *expression, *type;
    } types[] = { { "i16", "int16_t" },
                  { "p", "struct item *" },
                  { "matrix", "int16_t [2][3]" },
                  { "&matrix", "int16_t (*)[2][3]" },
                  { "handler", "uint16_t (*)(uint16_t)" },
                  { "a + 1", "int16_t *" },
                  { "u8 + 1", "int" },
                  { "u32 + 1", "unsigned long" },
                  { "struct item **", "struct item **" },
                  { "unsigned long int", "unsigned long" },
                  { "1 ? 1 : 2L", "long" } };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct hc_debug_message message;
        const struct hc_type *type;
        char name[100];
        if (!hc_expression_type(&b->context, types[i].expression, &type, &message))
            fail_msg("%s: %s", types[i].expression, message.text);
        assert_string_equal(hc_type_name(type, name, sizeof name), types[i].type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_compiler),
        cmocka_unit_test(values_are_written),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(types_are_written),
    };
    return cmocka_run_group_tests(tests, set_up_dwarf5, tear_down) +
           cmocka_run_group_tests(tests, set_up_dwarf4, tear_down);
}
