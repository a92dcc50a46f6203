/* A program that GCC compiled for the MSP430X (20-bit instructions that clang does not emit, 64-bit and floating-point
 * arithmetic, qsort, snprintf, jump tables) on a flat machine: its 18 results are known.
 *
 *     test_selftest_430x FOLDER
 *
 * FOLDER holds selftest-430x.elf and expected.txt. It is not part of the repository: where it is not there, the test is
 * skipped (exit code 77). */
#include "support/harness.h"

#include "machine/board/flat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { RESULTS = 18, SKIPPED = 77 };

static char elf[1024], expected[1024];

static void gives_the_known_results(void **state)
{
    struct harness h = { 0 };
    (void)state;
    harness_load(&h, hc_flat_new(HC_CPU_MSP430X), elf);
    uint32_t entry;
    assert_true(hc_image_entry(h.image, &entry));
    hc_set_register(h.machine, HC_PC, entry);
    harness_finish(&h, 600 * HC_SECOND);
    FILE *f = fopen(expected, "r");
    assert_non_null(f);
    for (int i = 0; i < RESULTS; i++) {
        unsigned value;
        assert_int_equal(fscanf(f, "%x", &value), 1);
        assert_int_equal(harness_get32(&h, "results", i), value);
    }
    fclose(f);
    harness_stop(&h);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    snprintf(elf, sizeof elf, "%s/selftest-430x.elf", folder);
    snprintf(expected, sizeof expected, "%s/expected.txt", folder);
    if (access(elf, R_OK) != 0) {
        printf("skipped: no %s\n", elf);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_known_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
