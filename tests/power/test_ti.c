/* Images as TI's compiler makes them: other names of the start-up code and the stack, labels marked as functions, code
 * above 64 KB that is called by CALLA; a program that never ends; one without symbols. */
#include "../image/elf_builder.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/analyse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { START = 0x4000, COUNTER = 0x4400, FAR = 0x10000, CHECKPOINT = 0x10020, STACK_END = 0x2c00 };
enum { CALLA = 0x13b0, RETA = 0x0110, BRA = 0x0080, JUMP_TO_ITSELF = 0x3fff };

/* _c_int00_noargs: MOV #STACK_END, SP; BRA #FAR + 0x40 */
static const uint16_t start_code[] = { 0x4031, STACK_END, BRA | 1 << 8, 0x0040 };
static const uint16_t vectors[] = { START };
/* main, checkpoint and the rest of the start-up code, which calls main. */
static const uint16_t far_code[] = {
    /* 0x10000 main */ 0x40b2,
    0x5a80,
    0x015c, /* MOV #WDTPW | WDTHOLD, &WDTCTL */
    /* 0x10006 */ 0x5392,
    COUNTER, /* ADD #1, &counter */
    /* 0x1000a */ CALLA | 1,
    CHECKPOINT & 0xffff, /* the label $C$L1 */
    /* 0x1000e */ 0x5392,
    COUNTER,
    /* 0x10012 */ RETA,
    0,
    0,
    0,
    0,
    0,
    0,
    /* 0x10020 checkpoint */ 0x4303,
    RETA,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    /* 0x10040 */ CALLA | 1,
    FAR & 0xffff,
    JUMP_TO_ITSELF
};

static const char strings[] = "\0main\0checkpoint\0_c_int00_noargs\0__STACK_END\0$C$L1\0counter";
static const Elf32_Sym symbols[] = {
    { 0 },
    { .st_name = 1, .st_value = FAR, .st_size = 20, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 2 },
    { .st_name = 6,
      .st_value = CHECKPOINT,
      .st_size = 4,
      .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
      .st_shndx = 2 },
    { .st_name = 17, .st_value = START, .st_size = 8, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1 },
    { .st_name = 33, .st_value = STACK_END, .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_NOTYPE), .st_shndx = SHN_ABS },
    { .st_name = 45, .st_value = FAR + 10, .st_info = ELF32_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 2 },
    { .st_name = 51,
      .st_value = COUNTER,
      .st_size = 2,
      .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT),
      .st_shndx = SHN_ABS },
};

static struct hc_image *image_with(bool with_symbols)
{
    static struct elf_builder b;
    struct hc_image_message message = { "" };
    struct hc_image *image;

    b = (struct elf_builder){
        .entry = START,
        .sections = { { ".text:_isr", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, START, start_code, sizeof start_code, 0,
                        0 },
                      { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, FAR, far_code, sizeof far_code, 0, 0 },
                      { ".reset", SHT_PROGBITS, SHF_ALLOC, 0xfffe, vectors, sizeof vectors, 0, 0 },
                      { ".symtab", SHT_SYMTAB, 0, 0, symbols, sizeof symbols, 5, 0 },
                      { ".strtab", SHT_STRTAB, 0, 0, strings, sizeof strings, 0, 0 } },
        .segments = { { 1, 1, START, 0 }, { 2, 2, FAR, 0 }, { 3, 3, 0xfffe, 0 } },
    };
    if (!with_symbols)
        b.sections[3].name = NULL;
    elf_builder_make(&b);
    assert_int_equal(hc_image_load_memory(&image, "app.out", b.bytes, b.size, &message), HC_IMAGE_OK);
    return image;
}

/* START_CODE and FAR_CODE where an FR5969 has FRAM, too; the stack lies where only an FR5994 has memory. */
static struct hc_image *image_with_stack(uint32_t stack, const char *name)
{
    static const uint16_t code[] = { 0x4031,
                                     STACK_END,
                                     0x12b0,
                                     0x440c,
                                     0x4303,
                                     JUMP_TO_ITSELF,
                                     /* 0x440c main */ 0x40b2,
                                     0x5a80,
                                     0x015c,
                                     0x5392,
                                     0x4480,
                                     0x4130 };
    static const uint16_t vector[] = { 0x4400 };
    static const char names[] = "\0main";
    static const Elf32_Sym symbol[] = { { 0 },
                                        { .st_name = 1,
                                          .st_value = 0x440c,
                                          .st_size = 12,
                                          .st_info = ELF32_ST_INFO(STB_GLOBAL, STT_FUNC),
                                          .st_shndx = 1 } };
    static struct elf_builder b;
    struct hc_image_message message = { "" };
    struct hc_image *image;

    b = (struct elf_builder){
        .entry = 0x4400,
        .sections = { { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x4400, code, sizeof code, 0, 0 },
                      { ".stack", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, stack, NULL, 0xa0, 0, 0 },
                      { ".reset", SHT_PROGBITS, SHF_ALLOC, 0xfffe, vector, sizeof vector, 0, 0 },
                      { ".symtab", SHT_SYMTAB, 0, 0, symbol, sizeof symbol, 5, 0 },
                      { ".strtab", SHT_STRTAB, 0, 0, names, sizeof names, 0, 0 } },
        .segments = { { 1, 1, 0x4400, 0 }, { 2, 2, stack, 0 }, { 3, 3, 0xfffe, 0 } },
    };
    elf_builder_make(&b);
    assert_int_equal(hc_image_load_memory(&image, name, b.bytes, b.size, &message), HC_IMAGE_OK);
    return image;
}

static struct hc_power_request request_for(struct hc_image *image)
{
    struct hc_power_request r = { .image = image, .depth = { 5000 }, .depths = 1, .hz = 1000000 };

    r.config.limit = 10000;
    hc_power_program_find(&r.config.program, image);
    return r;
}

static void the_program_is_found(void **state)
{
    struct hc_image *image = image_with(true);
    struct hc_power_request r = request_for(image);
    struct hc_symbol function;

    (void)state;
    assert_int_equal(r.config.program.start, START);
    assert_int_equal(r.config.program.main, FAR);
    assert_int_equal(r.config.program.stack, STACK_END);
    assert_true(hc_image_function_at(image, FAR + 14, &function));
    assert_string_equal(function.name, "main");
    hc_image_free(image);
}

/* Both additions are a pair with themselves, and the checkpoint parts them. */
static void calls_of_20_bits_are_followed(void **state)
{
    struct hc_image *image = image_with(true);
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE];

    (void)state;
    r.checkpoint = "checkpoint";
    r.config.checkpoint = CHECKPOINT;
    if (!hc_power_analyse(&r, &a, message, sizeof message))
        fail_msg("%s", message);
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    assert_int_equal(a.located.instructions, 7);
    assert_int_equal(a.located.checkpoints, 1);
    assert_int_equal(a.located.pairs.count, 2);
    assert_non_null(hc_pairs_find(&a.located.pairs, HC_DATA_ACCESS, FAR + 6, FAR + 6));
    assert_non_null(hc_pairs_find(&a.located.pairs, HC_DATA_ACCESS, FAR + 14, FAR + 14));
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

/* Seen from the second addition on, or up to it. */
static void a_window_is_looked_at(void **state)
{
    static const struct {
        uint32_t from, until;
        uint64_t from_ns, until_ns, instructions;
        size_t pairs;
    } cases[] = {
        { FAR + 14, 0x10044, 0, 0, 2, 1 }, /* and RETA */
        { FAR, FAR + 14, 0, 0, 5, 1 },     /* MOV, ADD, CALLA, NOP, RETA */
        { FAR, 0, 0, 1000000, 7, 3 },      /* for a millisecond, of which main takes less: until it returns */
        { 0, FAR + 14, 1, 0, 8, 1 },       /* from nearly power-on */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hc_image *image = image_with(false);
        struct hc_power_request r = request_for(image);
        struct hc_power_analysis a;
        char message[HC_POWER_MESSAGE];
        r.config.program.main = cases[i].from;
        r.config.program.until = cases[i].until;
        r.config.program.from_ns = cases[i].from_ns;
        r.config.program.until_ns = cases[i].until_ns;
        if (!hc_power_analyse(&r, &a, message, sizeof message))
            fail_msg("%s", message);
        assert_int_equal(a.located.instructions, cases[i].instructions);
        assert_int_equal(a.located.pairs.count, cases[i].pairs);
        hc_power_analysis_free(&a);
        hc_image_free(image);
    }
}

/* What the kit's calls are found by does not hold for those of four bytes on the stack. */
static void calls_of_20_bits_are_named(void **state)
{
    struct hc_image *image = image_with(true);
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE];

    (void)state;
    r.checkpoint = "checkpoint";
    r.config.checkpoint = CHECKPOINT;
    r.torn = true;
    if (!hc_power_analyse(&r, &a, message, sizeof message))
        fail_msg("%s", message);
    assert_int_equal(a.torn.calls, 1);
    assert_int_equal(a.torn.tear[0].call_site, FAR + 10);
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

static void without_symbols_it_says_so(void **state)
{
    struct hc_image *image = image_with(false);
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE] = "";

    (void)state;
    assert_int_equal(r.config.program.start, START); /* by its vector */
    assert_false(hc_power_analyse(&r, &a, message, sizeof message));
    assert_non_null(strstr(message, "app.out: no symbols, so main is unknown; "));
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

/* Given up in the middle: what was found until then is there, and it is said. */
static void findings_so_far_are_told(void **state)
{
    struct hc_image *image = image_with(true);
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE];

    (void)state;
    r.config.limit = 3;
    r.evaluate = true;
    if (!hc_power_analyse(&r, &a, message, sizeof message))
        fail_msg("%s", message);
    assert_true(a.report.incomplete);
    assert_int_equal(a.located.pairs.count, 1);
    assert_non_null(strstr(a.warning, "still running after 3 instructions"));
    assert_non_null(strstr(a.warning, "no failure was tried"));
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

static void the_part_has_the_memory_of_the_stack(void **state)
{
    struct hc_image *image = image_with_stack(STACK_END - 0xa0, "far_stack.out");
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE] = "";

    (void)state;
    if (!hc_power_analyse(&r, &a, message, sizeof message))
        fail_msg("%s", message);
    assert_int_equal(a.located.pairs.count, 1);
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

/* It fits an FR5969, which its code then does not. */
static void a_fault_before_main_is_told(void **state)
{
    struct hc_image *image = image_with_stack(0x2000, "wrong_stack.out");
    struct hc_power_request r = request_for(image);
    struct hc_power_analysis a;
    char message[HC_POWER_MESSAGE] = "";

    (void)state;
    assert_false(hc_power_analyse(&r, &a, message, sizeof message));
    assert_non_null(strstr(message, "was not reached: fault: pc 0x4404: write of 0x4408 to vacant memory 0x2bfe"));
    hc_power_analysis_free(&a);
    hc_image_free(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_is_found),        cmocka_unit_test(calls_of_20_bits_are_followed),
        cmocka_unit_test(a_window_is_looked_at),       cmocka_unit_test(without_symbols_it_says_so),
        cmocka_unit_test(findings_so_far_are_told),    cmocka_unit_test(the_part_has_the_memory_of_the_stack),
        cmocka_unit_test(a_fault_before_main_is_told), cmocka_unit_test(calls_of_20_bits_are_named),
    };

    return cmocka_run_group_tests_name("ti", tests, NULL, NULL);
}
