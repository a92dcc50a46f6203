/* Actions on the environment, done once and done twice. */
#include "power/outputs.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { LED, SERVO, RADIO };

static const struct hc_output outputs[] = {
    [LED] = { "led", 0x4400, HC_OUTPUT_SET, HC_OUTPUT_ABSOLUTE },
    [SERVO] = { "turn", 0x4500, HC_OUTPUT_ADD, HC_OUTPUT_ABSOLUTE },
    [RADIO] = { "send", 0x4600, HC_OUTPUT_LOG, HC_OUTPUT_RELATIVE },
};

static const struct hc_output_finding *finding(const struct hc_outputs *o, size_t output, uint32_t call_site)
{
    const struct hc_output_finding *found;
    size_t n = hc_outputs_findings(o, &found);

    for (size_t i = 0; i < n; i++)
        if (found[i].output == output && found[i].call_site == call_site)
            return &found[i];
    fail_msg("nothing found");
    return NULL;
}

/* Figure 5: a servo turned by 45 degrees; an LED that is switched on and off is as it should be. */
static void models(void **state)
{
    struct hc_outputs *o = hc_outputs_new(outputs, 3, false);

    (void)state;
    hc_outputs_act(o, LED, 1, 0x5000);
    hc_outputs_act(o, SERVO, 45, 0x5002);
    hc_outputs_act(o, RADIO, 7, 0x5004);
    hc_outputs_act(o, LED, 0, 0x5006);
    hc_outputs_checkpoint(o);
    assert_false(finding(o, LED, 0x5000)->relative);
    assert_false(finding(o, LED, 0x5006)->relative);
    assert_true(finding(o, SERVO, 0x5002)->relative);
    assert_true(finding(o, RADIO, 0x5004)->relative);
    assert_false(hc_output_is_unexpected(&outputs[LED], finding(o, LED, 0x5000)));
    assert_true(hc_output_is_unexpected(&outputs[SERVO], finding(o, SERVO, 0x5002)));
    assert_false(hc_output_is_unexpected(&outputs[RADIO], finding(o, RADIO, 0x5004)));
    hc_outputs_free(o);
}

/* There and back within one window: a failure in between still turns it twice, one after both does not. */
static void prefixes(void **state)
{
    struct hc_outputs *o = hc_outputs_new(outputs, 3, false);

    (void)state;
    hc_outputs_act(o, SERVO, 45, 0x5000);
    hc_outputs_act(o, SERVO, -45, 0x5002);
    hc_outputs_checkpoint(o);
    assert_true(finding(o, SERVO, 0x5000)->relative);
    assert_false(finding(o, SERVO, 0x5002)->relative);
    hc_outputs_act(o, SERVO, 0, 0x5004); /* by nothing */
    hc_outputs_checkpoint(o);
    assert_false(finding(o, SERVO, 0x5004)->relative);
    hc_outputs_free(o);
}

/* With checkpoints anywhere each action stands alone. */
static void anywhere(void **state)
{
    struct hc_outputs *o = hc_outputs_new(outputs, 3, true);

    (void)state;
    hc_outputs_act(o, SERVO, 45, 0x5000);
    hc_outputs_act(o, SERVO, -45, 0x5002);
    hc_outputs_act(o, LED, 1, 0x5004);
    assert_true(finding(o, SERVO, 0x5002)->relative);
    assert_false(finding(o, LED, 0x5004)->relative);
    assert_int_equal(finding(o, LED, 0x5004)->actions, 1);
    hc_outputs_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(models), cmocka_unit_test(prefixes),
                                        cmocka_unit_test(anywhere) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
