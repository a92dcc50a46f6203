/* The supply of a battery-less node: equation 4 of the paper, the harvesting trace, the capacitor. */
#include "power/supply/energy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ull
#define SECOND (1000 * MS)

static struct hc_capacitor capacitor(uint64_t trigger)
{
    return (struct hc_capacitor){
        .nanofarads = 10000, .v_on = 2500000, .v_off = 1880000, .v_trigger = trigger, .v_max = 3600000
    };
}

/* Figure 8: 10 uF, 1.88 V, 1.4 ms, 1 MHz. */
static void equation_4(void **state)
{
    static const struct {
        uint64_t trigger, nanoamperes, depth;
    } rows[] = {
        { 2000000, 310000, 2471 }, { 2060000, 250000, 5800 }, { 2000000, 250000, 3400 },
        { 2000000, 270000, 3044 }, { 2030000, 270000, 4156 }, { 2060000, 310000, 4406 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hc_capacitor c = capacitor(rows[i].trigger);
        assert_int_equal(hc_depth_cycles(&c, rows[i].nanoamperes, 1400000, 1000000), rows[i].depth);
        double exact =
            1e6 * (10e-6 * ((double)rows[i].trigger - 1.88e6) * 1e-6 / ((double)rows[i].nanoamperes * 1e-9) - 1.4e-3);
        assert_true(exact - (double)rows[i].depth <= 0.5 && (double)rows[i].depth - exact <= 0.5);
    }
}

static void depth_of_nothing(void **state)
{
    struct hc_capacitor c = capacitor(1880000);

    (void)state;
    assert_int_equal(hc_depth_cycles(&c, 310000, 0, 1000000), 0);
    c.v_trigger = 1890000;
    assert_int_equal(hc_depth_cycles(&c, 310000, 1400000, 1000000), 0); /* the checkpoint is not finished */
    assert_int_equal(hc_depth_cycles(&c, 0, 0, 1000000), 0);
}

static void smallest_capacitor(void **state)
{
    struct hc_capacitor c = capacitor(2000000);

    (void)state;
    /* 2.5 to 1.88 V at 310 uA: 20,000 cycles of 1 MHz are 6.2 uC, which 10 uF hold exactly */
    assert_int_equal(hc_smallest_capacitor(&c, 310000, 20000, 1000000), 10000);
    assert_int_equal(hc_smallest_capacitor(&c, 310000, 20001, 1000000), 10001); /* rounded up */
    c.v_on = c.v_off;
    assert_true(hc_smallest_capacitor(&c, 310000, 1, 1000000) == UINT64_MAX);
    /* and with it a discharge lasts as long */
    c = capacitor(1880000);
    struct hc_supply s;
    hc_supply_init(&s, &c, NULL, c.v_on);
    assert_int_equal(hc_supply_advance(&s, 310000, SECOND), HC_SUPPLY_OFF); /* no trigger of its own */
    assert_int_equal(s.ns, 20 * MS);
}

/* ---- the trace ---- */

static int parse(struct hc_harvest *h, const char *text, char *message)
{
    return hc_harvest_parse(h, text, strlen(text), message, 100);
}

static void a_trace(void **state)
{
    struct hc_harvest h;
    char message[100];

    (void)state;
    assert_int_equal(parse(&h, "time,current\n# a comment\n\n 0.5 , 100 \r\n1,0\n2.000000001,80.2509", message), 0);
    assert_int_equal(h.count, 3);
    assert_int_equal(h.step[0].from_ns, 500 * MS);
    assert_int_equal(h.step[2].from_ns, 2 * SECOND + 1);
    assert_int_equal(h.step[2].nanoamperes, 80250);
    assert_int_equal(hc_harvest_at(&h, 0), 0);
    assert_int_equal(hc_harvest_at(&h, 500 * MS), 100000);
    assert_int_equal(hc_harvest_at(&h, SECOND - 1), 100000);
    assert_int_equal(hc_harvest_at(&h, SECOND), 0);
    assert_int_equal(hc_harvest_at(&h, 100 * SECOND), 80250);
    hc_harvest_free(&h);
}

static void bad_traces(void **state)
{
    static const char *const cases[][2] = {
        { "", "line 1: no line with" },
        { "0,1\nx,2", "line 2: no time" },
        { "0 1", "line 1: no comma" },
        { "0,", "line 1: no current" },
        { "0,1\n0,2", "line 2: not later" },
        { "0,1,2", "line 1: more than" },
        { "-1,2", "line 1: no time" },
        { "1e3,2", "line 1: no comma" },
        { "1000001,2", "line 1: no time" },
        { "0,1000001", "line 1: no current" },
        { "0,99999999999999999999", "line 1: no current" },
        { "0,1\ntime,current", "line 2: no time" },
        { ".,1", "line 1: no time" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hc_harvest h;
        char message[100] = "";
        assert_int_equal(parse(&h, cases[i][0], message), -1);
        if (strncmp(message, cases[i][1], strlen(cases[i][1])) != 0)
            fail_msg("'%s': %s", cases[i][0], message);
    }
}

/* Every beginning of a trace is a trace or an error, never more. */
static void truncated_traces(void **state)
{
    static const char text[] = "t,i\n0,1.5\n0.25,0\n#x\n1.5,80.25\n";

    (void)state;
    for (size_t size = 0; size < sizeof text; size++) {
        struct hc_harvest h;
        char message[100];
        if (!hc_harvest_parse(&h, text, size, message, sizeof message)) {
            assert_true(h.count > 0 && h.count <= 3);
            hc_harvest_free(&h);
        }
    }
}

/* ---- the capacitor ---- */

static void discharging(void **state)
{
    struct hc_capacitor c = capacitor(2000000);
    struct hc_supply s;

    (void)state;
    hc_supply_init(&s, &c, NULL, 2500000);
    assert_int_equal(hc_supply_microvolts(&s), 2500000);
    /* 10 uF x 0.5 V / 250 uA = 20 ms, then 0.12 V more: 4.8 ms */
    assert_int_equal(hc_supply_advance(&s, 250000, SECOND), HC_SUPPLY_TRIGGER);
    assert_int_equal(s.ns, 20 * MS);
    assert_int_equal(hc_supply_microvolts(&s), 2000000);
    assert_int_equal(hc_supply_advance(&s, 250000, SECOND), HC_SUPPLY_OFF);
    assert_int_equal(s.ns, 24800000);
    assert_int_equal(hc_supply_advance(&s, 250000, SECOND), HC_SUPPLY_TIME);
    assert_int_equal(s.ns, SECOND);
    assert_int_equal(hc_supply_microvolts(&s), 0);
}

static void charging_by_a_trace(void **state)
{
    struct hc_capacitor c = capacitor(2000000);
    struct hc_harvest h;
    struct hc_supply s;
    char message[100];

    (void)state;
    assert_int_equal(parse(&h, "0,100\n0.1,0\n0.2,100", message), 0);
    hc_supply_init(&s, &c, &h, 0);
    /* 25 uC at 100 uA: 250 ms of harvest, of which 100 ms are missing */
    assert_int_equal(hc_supply_advance(&s, 0, 10 * SECOND), HC_SUPPLY_ON);
    assert_int_equal(s.ns, 350 * MS);
    assert_int_equal(hc_supply_advance(&s, 0, 10 * SECOND), HC_SUPPLY_TIME);
    assert_int_equal(hc_supply_microvolts(&s), 3600000); /* no further */
    hc_harvest_free(&h);
}

/* In small steps as in one. */
static void steps_do_not_matter(void **state)
{
    struct hc_capacitor c = capacitor(2000000);
    struct hc_harvest h;
    char message[100];

    (void)state;
    assert_int_equal(parse(&h, "0,10\n0.003,300\n0.009,0\n0.017,33.333", message), 0);
    struct hc_supply one, many;
    hc_supply_init(&one, &c, &h, 2600000);
    hc_supply_init(&many, &c, &h, 2600000);
    for (int event = 0; event < 2; event++) {
        enum hc_supply_event expected = hc_supply_advance(&one, 270000, SECOND), got;
        do
            got = hc_supply_advance(&many, 270000, many.ns + 777);
        while (got == HC_SUPPLY_TIME);
        assert_int_equal(got, expected);
        assert_int_equal(many.ns, one.ns);
        assert_int_equal(many.charge, one.charge);
    }
    hc_harvest_free(&h);
}

static void consumption(void **state)
{
    (void)state;
    assert_int_equal(hc_consumption_active(&hc_fr5969_consumption, 1000000), 210000);
    assert_int_equal(hc_consumption_active(&hc_fr5969_consumption, 8000000), 1218000); /* the datasheet's 1220 uA */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equation_4),  cmocka_unit_test(smallest_capacitor),  cmocka_unit_test(depth_of_nothing),
        cmocka_unit_test(a_trace),     cmocka_unit_test(bad_traces),          cmocka_unit_test(truncated_traces),
        cmocka_unit_test(discharging), cmocka_unit_test(charging_by_a_trace), cmocka_unit_test(steps_do_not_matter),
        cmocka_unit_test(consumption),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
