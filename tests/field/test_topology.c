/* Topologies and quantities: tables of text and what it means. */
#include "field/quantity.h"
#include "field/topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_places(void **state)
{
    static const struct {
        const char *text;
        int nodes, node;
        int32_t x, y;
    } cases[] = {
        { "grid:3x3:1m", 9, 0, 0, 0 },        { "grid:3x3:1m", 9, 5, 2000, 1000 },
        { "grid:3x2:50cm", 6, 5, 1000, 500 }, { "grid:4x4", 16, 15, 3000, 3000 },
        { "grid:1x1:7mm", 1, 0, 0, 0 },       { "line:9", 9, 8, 8000, 0 },
        { "line:5:2.5m", 5, 4, 10000, 0 },    { "grid:64x64", 4096, 4095, 63000, 63000 },
    };
    struct hc_message message;
    struct hc_position *places = calloc(HC_TOPOLOGY_MAX, sizeof *places);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(hc_topology_nodes(cases[i].text, &message), cases[i].nodes);
        assert_int_equal(hc_topology_place(cases[i].text, 1, cases[i].nodes, places, &message), 0);
        assert_int_equal(places[cases[i].node].x, cases[i].x);
        assert_int_equal(places[cases[i].node].y, cases[i].y);
        assert_int_equal(places[cases[i].node].z, 0);
    }
    free(places);
}

static void test_random_places(void **state)
{
    struct hc_message message;
    struct hc_position a[50], b[50];
    int left = 0, low = 0;

    (void)state;
    assert_int_equal(hc_topology_place("random:50:30x20m", 1, 50, a, &message), 0);
    for (int i = 0; i < 50; i++) {
        assert_in_range(a[i].x, 0, 30000);
        assert_in_range(a[i].y, 0, 20000);
        left += a[i].x < 15000;
        low += a[i].y < 10000;
    }
    assert_in_range(left, 10, 40);
    assert_in_range(low, 10, 40);
    /* The seed decides; one of its own comes before the scenario's. */
    assert_int_equal(hc_topology_place("random:50:30mx20m", 1, 50, b, &message), 0);
    assert_memory_equal(a, b, sizeof a);
    assert_int_equal(hc_topology_place("random:50:30x20m", 2, 50, b, &message), 0);
    assert_memory_not_equal(a, b, sizeof a);
    assert_int_equal(hc_topology_place("random:50:30x20m:1", 2, 50, b, &message), 0);
    assert_memory_equal(a, b, sizeof a);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        { "grid", "expected grid:COLUMNSxROWS" },
        { "grid:3", "expected" },
        { "grid:3x", "expected" },
        { "grid:3x0:1m", "expected" },
        { "grid:-3x3:1m", "expected" },
        { "grid:3x3:1parsec", "expected" },
        { "grid:3x3:0m", "expected" },
        { "grid:3x3:2km", "lengths up to 1 km" },
        { "grid:3x3:1m:4", "expected" },
        { "grid:3x3:1m:4:5", "expected" },
        { "grid:65x64", "has 4160 nodes; at most 4096 are possible" },
        { "line:", "expected line:NODES" },
        { "line:4097", "1 to 4096 nodes" },
        { "line:9x9", "expected" },
        { "random:5", "expected random:NODES:WIDTHxHEIGHT" },
        { "random:5:3m", "expected" },
        { "random:5:3x3m:x", "expected" },
        { "random:5:3x3m:18446744073709551616", "expected" },
        { "ring:5", "unknown topology" },
        { "gridlock:3x3", "unknown topology" },
        { "", "unknown topology" },
    };
    struct hc_message message;
    struct hc_position places[9];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(hc_topology_nodes(cases[i].text, &message) < 0);
        if (!strstr(message.text, cases[i].cause))
            fail_msg("'%s' does not say '%s'", message.text, cases[i].cause);
    }
    assert_true(hc_topology_place("grid:2x2", 1, 5, places, &message) < 0);
    assert_non_null(strstr(message.text, "has room for 4 nodes, not 5"));
}

static void test_quantities(void **state)
{
    static const struct {
        const char *text;
        const struct hc_quantity_unit *units;
        bool good;
        int64_t value;
    } cases[] = {
        { "1.5s", hc_time_units, true, 1500000 },
        { "30", hc_time_units, true, 30000000 },
        { "2 min", hc_time_units, true, 120000000 },
        { "0.5us", hc_time_units, true, 1 },
        { "0.4us", hc_time_units, true, 0 },
        { "1h", hc_time_units, true, 3600000000 },
        { "-60dB", hc_decibel_units, true, -6000 },
        { "-60.25", hc_decibel_units, true, -6025 },
        { "+3dBm", hc_decibel_units, true, 300 },
        { "45.3%", hc_humidity_units, true, 453 },
        { ".5m", hc_length_units, true, 500 },
        { "5.m", hc_length_units, true, 5000 },
        { "", hc_length_units, false, 0 },
        { ".", hc_length_units, false, 0 },
        { "-", hc_length_units, false, 0 },
        { "m", hc_length_units, false, 0 },
        { "1.2.3", hc_length_units, false, 0 },
        { "1e3", hc_length_units, false, 0 },
        { "0x10", hc_length_units, false, 0 },
        { "1s", hc_length_units, false, 0 },
        { "nan", hc_length_units, false, 0 },
        { "1234567890123456", hc_length_units, false, 0 },
        { "999999999999999", hc_length_units, false, 0 },
    };
    int64_t value;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (hc_quantity_parse(cases[i].text, cases[i].units, &value) != cases[i].good)
            fail_msg("'%s' should%s be a quantity", cases[i].text, cases[i].good ? "" : " not");
        if (cases[i].good)
            assert_int_equal(value, cases[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_random_places),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_quantities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
