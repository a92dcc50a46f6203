/* Actions on the environment, done once and done twice. */
#include "power/interactions/outputs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LED, SERVO, RADIO };

static const struct hc_output outputs[] = {
    [LED] = { .name = "led", .model = HC_OUTPUT_SET, .expected = HC_OUTPUT_ABSOLUTE },
    [SERVO] = { .name = "turn", .model = HC_OUTPUT_ADD, .expected = HC_OUTPUT_ABSOLUTE },
    [RADIO] = { .name = "send", .model = HC_OUTPUT_LOG, .expected = HC_OUTPUT_RELATIVE },
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
    struct hc_outputs *o = hc_outputs_new(outputs, 3, NULL, false);

    (void)state;
    hc_outputs_act(o, LED, 1, 0x5000, false);
    hc_outputs_act(o, SERVO, 45, 0x5002, false);
    hc_outputs_act(o, RADIO, 7, 0x5004, false);
    hc_outputs_act(o, LED, 0, 0x5006, false);
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
    struct hc_outputs *o = hc_outputs_new(outputs, 3, NULL, false);

    (void)state;
    hc_outputs_act(o, SERVO, 45, 0x5000, false);
    hc_outputs_act(o, SERVO, -45, 0x5002, false);
    hc_outputs_checkpoint(o);
    assert_true(finding(o, SERVO, 0x5000)->relative);
    assert_false(finding(o, SERVO, 0x5002)->relative);
    hc_outputs_act(o, SERVO, 0, 0x5004, false); /* by nothing */
    hc_outputs_checkpoint(o);
    assert_false(finding(o, SERVO, 0x5004)->relative);
    hc_outputs_free(o);
}

/* With checkpoints anywhere each action stands alone. */
static void anywhere(void **state)
{
    struct hc_outputs *o = hc_outputs_new(outputs, 3, NULL, true);

    (void)state;
    hc_outputs_act(o, SERVO, 45, 0x5000, false);
    hc_outputs_act(o, SERVO, -45, 0x5002, false);
    hc_outputs_act(o, LED, 1, 0x5004, false);
    assert_true(finding(o, SERVO, 0x5002)->relative);
    assert_false(finding(o, LED, 0x5004)->relative);
    assert_int_equal(finding(o, LED, 0x5004)->actions, 1);
    hc_outputs_free(o);
}

/* Power fails within an action: to be turned on or to 45 degrees is the same in the end, to be turned by them not. */
static void partial(void **state)
{
    struct hc_outputs *o = hc_outputs_new(outputs, 3, NULL, false);

    (void)state;
    hc_outputs_act(o, LED, 1, 0x5000, false);
    hc_outputs_act(o, SERVO, 45, 0x5002, false);
    hc_outputs_act(o, SERVO, -45, 0x5004, true);
    hc_outputs_checkpoint(o);
    assert_false(finding(o, LED, 0x5000)->partial);
    assert_true(finding(o, SERVO, 0x5002)->partial);
    assert_true(finding(o, SERVO, 0x5004)->partial); /* although repeated as a whole it makes no difference */
    assert_true(hc_output_is_unexpected(&outputs[SERVO], finding(o, SERVO, 0x5004)));
    assert_false(finding(o, SERVO, 0x5002)->stale);
    assert_true(finding(o, SERVO, 0x5004)->stale);
    hc_outputs_free(o);
}

/* An LED is dark after a failure; it is lit again only if that is in the window. */
static void lost_with_the_supply(void **state)
{
    static const struct hc_output led = {
        .name = "led", .model = HC_OUTPUT_SET, .expected = HC_OUTPUT_ABSOLUTE, .lost = true
    };
    struct hc_outputs *o = hc_outputs_new(&led, 1, NULL, false);

    (void)state;
    hc_outputs_act(o, 0, 1, 0x5000, false);
    hc_outputs_checkpoint(o);
    assert_false(finding(o, 0, 0x5000)->lost); /* so far */
    hc_outputs_act(o, 0, 1, 0x5002, false);    /* again */
    hc_outputs_checkpoint(o);
    assert_false(finding(o, 0, 0x5000)->lost);
    hc_outputs_checkpoint(o); /* a window in which nobody lights it */
    assert_false(finding(o, 0, 0x5000)->lost);
    assert_true(finding(o, 0, 0x5002)->lost);
    assert_true(hc_output_is_unexpected(&led, finding(o, 0, 0x5002)));
    hc_outputs_free(o);
}

/* Two functions that move one thing. */
static void one_quantity(void **state)
{
    char table[] = "# a servo\n turn  angle add  absolute \nturn_to\tangle set  # no matter what is expected\n\n";
    struct hc_output output[4];
    char message[80];

    (void)state;
    assert_int_equal(hc_outputs_parse(output, 4, table, message, sizeof message), 2);
    assert_string_equal(output[1].name, "turn_to");
    assert_int_equal(output[1].expected, HC_OUTPUT_UNTAGGED);
    struct hc_outputs *o = hc_outputs_new(output, 2, NULL, false);
    hc_outputs_act(o, 1, 10, 0x5000, false);
    hc_outputs_act(o, 0, 45, 0x5002, false);
    hc_outputs_checkpoint(o);
    assert_false(finding(o, 0, 0x5002)->relative); /* it is turned back first */
    hc_outputs_act(o, 0, 45, 0x5004, false);
    hc_outputs_act(o, 1, 10, 0x5006, false);
    hc_outputs_checkpoint(o);
    assert_true(finding(o, 0, 0x5004)->relative);
    assert_false(finding(o, 1, 0x5006)->relative);
    hc_outputs_free(o);
}

static void tables(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = { { "turn", "line 1: no quantity" },
                 { "\n\nturn angle by", "line 3: unknown model; expected" },
                 { "turn angle add often", "line 1: unknown word after the model" },
                 { "a a set\nb b set\nc c set", "line 3: too many outputs" } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_output output[2];
        char text[80], message[80] = "";
        snprintf(text, sizeof text, "%s", rows[i].text);
        assert_int_equal(hc_outputs_parse(output, 2, text, message, sizeof message), -1);
        assert_non_null(strstr(message, rows[i].message));
    }
}

/* ---- an environment of the user's: a valve that counts how often it was moved, and is compared by what it lets
 * through ---- */

struct valve {
    int32_t open, moves;
};

static void move_valve(void *context, void *state, const char *output, int32_t argument, unsigned done)
{
    struct valve *v = state;

    (void)context;
    v->moves++;
    if (done == HC_ACTION_WHOLE)
        v->open = !strcmp(output, "toggle") ? !v->open : argument != 0;
}

static bool same_valve(void *context, const void *a, const void *b, const char *output)
{
    (void)context;
    (void)output;
    return ((const struct valve *)a)->open == ((const struct valve *)b)->open;
}

static void an_environment(void **state)
{
    static const struct hc_environment by_flow = {
        HC_ENVIRONMENT_VERSION, sizeof(struct valve), NULL, move_valve, NULL, same_valve, NULL
    };
    static const struct hc_environment by_byte = {
        HC_ENVIRONMENT_VERSION, sizeof(struct valve), NULL, move_valve, NULL, NULL, NULL
    };
    static const struct hc_output valve[] = { { .name = "open" }, { .name = "toggle" } };

    (void)state;
    struct hc_outputs *o = hc_outputs_new(valve, 2, &by_flow, false);
    hc_outputs_act(o, 0, 1, 0x5000, false);
    hc_outputs_checkpoint(o);
    hc_outputs_act(o, 1, 0, 0x5002, false);
    hc_outputs_checkpoint(o);
    assert_false(finding(o, 0, 0x5000)->relative);
    assert_true(finding(o, 1, 0x5002)->relative);
    assert_false(finding(o, 1, 0x5002)->partial);
    hc_outputs_free(o);
    o = hc_outputs_new(valve, 2, &by_byte, false);
    hc_outputs_act(o, 0, 1, 0x5000, false);
    hc_outputs_checkpoint(o);
    assert_true(finding(o, 0, 0x5000)->relative); /* it wears out */
    hc_outputs_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models),       cmocka_unit_test(prefixes),       cmocka_unit_test(anywhere),
        cmocka_unit_test(partial),      cmocka_unit_test(tables),         cmocka_unit_test(lost_with_the_supply),
        cmocka_unit_test(one_quantity), cmocka_unit_test(an_environment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
