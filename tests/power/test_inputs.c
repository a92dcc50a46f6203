/* What was measured, and when it is used. */
#include "power/inputs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TEMPERATURE, AVERAGE };

static const struct hc_input inputs[] = {
    [TEMPERATURE] = { "temperature", 0xc000, 2, false },
    [AVERAGE] = { "average", 0xc002, 2, true },
};

/* Figure 2: acquired, a checkpoint, used. */
static void across_a_checkpoint(void **state)
{
    const struct hc_input_finding *f;
    struct hc_inputs *i = hc_inputs_new(inputs, 2, false);

    (void)state;
    hc_inputs_used(i, TEMPERATURE, 0x4400); /* before anything was acquired: of no interest */
    hc_inputs_acquired(i, TEMPERATURE, 0x4402);
    hc_inputs_used(i, TEMPERATURE, 0x4404);
    assert_int_equal(hc_inputs_findings(i, &f), 0);
    hc_inputs_checkpoint(i);
    hc_inputs_used(i, TEMPERATURE, 0x4406);
    hc_inputs_checkpoint(i);
    hc_inputs_used(i, TEMPERATURE, 0x4406);
    assert_int_equal(hc_inputs_findings(i, &f), 1);
    assert_int_equal(f->use, 0x4406);
    assert_int_equal(f->acquisition, 0x4402);
    assert_int_equal(f->count, 2);
    assert_int_equal(f->checkpoints, 2);
    hc_inputs_acquired(i, TEMPERATURE, 0x4402); /* anew */
    hc_inputs_used(i, TEMPERATURE, 0x4408);
    assert_int_equal(hc_inputs_findings(i, &f), 1);
    hc_power_inputs_free(i);
}

/* In the other direction: meant to survive, but used at once only. */
static void long_term(void **state)
{
    const struct hc_input_finding *f;
    struct hc_inputs *i = hc_inputs_new(inputs, 2, false);

    (void)state;
    hc_inputs_acquired(i, AVERAGE, 0x4400);
    hc_inputs_used(i, AVERAGE, 0x4402);
    assert_int_equal(hc_inputs_findings(i, &f), 1);
    assert_int_equal(f->checkpoints, 0);
    hc_inputs_checkpoint(i);
    hc_inputs_used(i, AVERAGE, 0x4404);
    assert_int_equal(hc_inputs_findings(i, &f), 1);
    hc_power_inputs_free(i);
}

static void checkpoints_anywhere(void **state)
{
    const struct hc_input_finding *f;
    struct hc_inputs *i = hc_inputs_new(inputs, 2, true);

    (void)state;
    hc_inputs_acquired(i, TEMPERATURE, 0x4400);
    hc_inputs_acquired(i, AVERAGE, 0x4400);
    hc_inputs_used(i, TEMPERATURE, 0x4402);
    hc_inputs_used(i, AVERAGE, 0x4404);
    assert_int_equal(hc_inputs_findings(i, &f), 1);
    assert_int_equal(f->input, TEMPERATURE);
    hc_power_inputs_free(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(across_a_checkpoint), cmocka_unit_test(long_term),
                                        cmocka_unit_test(checkpoints_anywhere) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
