/* Where a stack ends: images as other linkers make them, with a section for the stack. */
#include "../image/elf_builder.h"
#include "check/check.h"
#include "machine/board/launchpad_fr5969.h"
#include "target/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { START = 0x4400, STACK = 0x2360, STACK_END = 0x2400, JUMP_TO_ITSELF = 0x3fff, RETURN = 0x4130 };
enum { CALL = 0x12b0, MAIN = 0x440a, MOVE_TO_SP = 0x4031 };

/* Findings of a program whose main is one instruction of two words. */
static size_t findings_of(uint16_t first, uint16_t second, struct hc_check_finding *out)
{
    const uint16_t code[] = { MOVE_TO_SP, STACK_END, CALL, MAIN, JUMP_TO_ITSELF, first, second };
    static const uint16_t vector[] = { START };
    static struct elf_builder b;
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    struct hc_image_message message;
    struct hc_load_message cause;
    struct hc_image *image;
    const struct hc_check_finding *finding;

    b = (struct elf_builder){
        .entry = START,
        .sections = { { ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, START, code, sizeof code, 0, 0 },
                      { ".stack", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, STACK, NULL, STACK_END - STACK, 0, 0 },
                      { ".reset", SHT_PROGBITS, SHF_ALLOC, 0xfffe, vector, sizeof vector, 0, 0 } },
        .segments = { { 1, 1, START, 0 }, { 2, 2, STACK, 0 }, { 3, 3, 0xfffe, 0 } },
    };
    elf_builder_make(&b);
    assert_int_equal(hc_image_load_memory(&image, "app.out", b.bytes, b.size, &message), HC_IMAGE_OK);
    assert_true(hc_load(board->machine, image, &cause));
    hc_machine_reset(board->machine, HC_POR);
    struct hc_program *program = hc_program_new(image);
    struct hc_check *check = hc_check_new(board->machine, program);
    hc_machine_step(board->machine, 1000, HC_SECOND);
    size_t count = hc_check_findings(check, &finding);
    if (count)
        *out = finding[0];
    hc_check_free(check);
    hc_program_free(program);
    hc_image_free(image);
    hc_launchpad_free(board);
    return count;
}

static void a_stack_of_its_own(void **state)
{
    struct hc_check_finding f;

    (void)state;
    assert_int_equal(findings_of(RETURN, RETURN, &f), 0);
}

static void beyond_its_end(void **state)
{
    struct hc_check_finding f = { 0 };

    (void)state;
    assert_int_equal(findings_of(CALL, MAIN, &f), 1);
    assert_int_equal(f.kind, HC_CHECK_STACK);
    assert_int_equal(f.address, STACK - 2);
    assert_int_equal(f.pc, MAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_stack_of_its_own), cmocka_unit_test(beyond_its_end) };

    return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
