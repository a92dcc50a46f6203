/* Scenarios: what each line means, what is refused and why, and every truncation. */
#include "field/scenario.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char whole[] = "# nine nodes\n"
                            "seed 7\n"
                            "duration 10min   # emulated\n"
                            "threads 2\r\n"
                            "noise -95dBm\n"
                            "weakest -100dBm\n"
                            "pathloss 45dB exponent 2.5 shadowing 4dB\n"
                            "id-symbol my_id\n"
                            "node 0 base.elf at 0 0 1.5m\n"
                            "node 1-3,5 \"my app.elf\" line:4:2m start 1s\n"
                            "node 9 base.elf at -1m 50cm start 2s serial 00f00d flash log-{id}.bin\n"
                            "link 0 1 -60dB\n"
                            "link 1 2 -70dB -75dB\n"
                            "link 2 > 3 -80dB\n"
                            "at 50s mend 0 1\n"
                            "at 30s cut 0 1\n"
                            "at 40s mend 3 > 5\n"
                            "at 31s link 0 > 1 -90dB\n"
                            "at 60s move 5 10m 0\n"
                            "at 61s reboot 1-3\n"
                            "at 62s off all\n"
                            "at 63s on 0\n"
                            "at 64s press 0 for 250ms\n"
                            "at 65s reset 0\n"
                            "sensor all light constant 120lux\n"
                            "sensor 0-2 temperature sine 20C amplitude 5C period 1h phase 15min\n"
                            "sensor 3 adc0 sine 1.5V amplitude 500mV frequency 7Hz\n"
                            "sensor 5,9 humidity table rh.csv column 3 steps\n";

static struct hc_scenario *parse(const char *text)
{
    struct hc_scenario *s;
    struct hc_message message = { "" };

    if (hc_scenario_parse(&s, "dir/it.txt", text, strlen(text), NULL, &message))
        fail_msg("%s", message.text);
    return s;
}

static void test_settings(void **state)
{
    struct hc_scenario *s = parse(whole);

    (void)state;
    assert_int_equal(s->seed, 7);
    assert_int_equal(s->medium.seed, 7);
    assert_true(s->duration == hc_us(600000000));
    assert_int_equal(s->threads, 2);
    assert_int_equal(s->medium.noise_floor, -9500);
    assert_int_equal(s->medium.weakest, -10000);
    assert_int_equal(s->medium.loss_at_1m, 4500);
    assert_int_equal(s->medium.exponent, 250);
    assert_int_equal(s->medium.shadowing, 400);
    assert_string_equal(s->id_symbol, "my_id");
    hc_scenario_free(s);
}

static void test_nodes(void **state)
{
    static const uint16_t ids[] = { 0, 1, 2, 3, 5, 9 };
    struct hc_scenario *s = parse(whole);

    (void)state;
    assert_int_equal(s->nodes, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(s->node[i].id, ids[i]);
    assert_int_equal(s->images, 2);
    assert_string_equal(s->image[0], "dir/base.elf");
    assert_string_equal(s->image[1], "dir/my app.elf");
    assert_int_equal(s->node[4].image, 1);
    assert_int_equal(s->node[5].image, 0);
    assert_int_equal(s->node[0].position.z, 1500);
    assert_int_equal(s->node[4].position.x, 6000);
    assert_int_equal(s->node[5].position.x, -1000);
    assert_int_equal(s->node[5].position.y, 500);
    assert_true(s->node[1].start == hc_ms(1000));
    assert_int_equal(s->node[5].serial, 0xf00d);
    assert_string_equal(s->node[5].flash, "dir/log-9.bin");
    hc_scenario_free(s);
}

static void assert_link(const struct hc_scenario *s, int i, int from, int to, int gain)
{
    assert_int_equal(s->link[i].from, from);
    assert_int_equal(s->link[i].to, to);
    assert_int_equal(s->link[i].gain, gain);
}

static void test_links(void **state)
{
    struct hc_scenario *s = parse(whole);

    (void)state;
    assert_int_equal(s->links, 5);
    assert_link(s, 0, 0, 1, -6000);
    assert_link(s, 1, 1, 0, -6000);
    assert_link(s, 2, 1, 2, -7000);
    assert_link(s, 3, 2, 1, -7500);
    assert_link(s, 4, 2, 3, -8000);
    hc_scenario_free(s);
    /* The last one holds. */
    s = parse("node 1-3 x\nlink all all -50dB\nlink 1 2 -60dB\n");
    assert_int_equal(s->links, 6);
    assert_link(s, 0, 0, 1, -6000);
    assert_link(s, 1, 0, 2, -5000);
    hc_scenario_free(s);
}

static void test_events(void **state)
{
    static const struct {
        int ms;
        enum hc_happening what;
        int node, to, gain;
    } expected[] = {
        { 30000, HC_HAPPENS_LINK, 0, 1, HC_NOT_HEARD },
        { 30000, HC_HAPPENS_LINK, 1, 0, HC_NOT_HEARD },
        { 31000, HC_HAPPENS_LINK, 0, 1, -9000 },
        { 40000, HC_HAPPENS_LINK, 3, 4, HC_GAIN_OF_MODEL },
        { 50000, HC_HAPPENS_LINK, 0, 1, -6000 },
        { 50000, HC_HAPPENS_LINK, 1, 0, -6000 },
        { 60000, HC_HAPPENS_MOVE, 4, 0, 0 },
        { 61000, HC_HAPPENS_REBOOT, 1, 0, 0 },
        { 61000, HC_HAPPENS_REBOOT, 2, 0, 0 },
        { 61000, HC_HAPPENS_REBOOT, 3, 0, 0 },
        { 62000, HC_HAPPENS_OFF, 0, 0, 0 },
    };
    struct hc_scenario *s = parse(whole);

    (void)state;
    assert_int_equal(s->events, 19);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_true(s->event[i].at == hc_ms((uint64_t)expected[i].ms));
        assert_int_equal(s->event[i].what, expected[i].what);
        assert_int_equal(s->event[i].node, expected[i].node);
        assert_int_equal(s->event[i].to, expected[i].to);
        assert_int_equal(s->event[i].gain, expected[i].gain);
    }
    assert_int_equal(s->event[6].position.x, 10000);
    assert_int_equal(s->event[16].what, HC_HAPPENS_ON);
    assert_true(s->event[17].length == hc_ms(250));
    assert_int_equal(s->event[18].what, HC_HAPPENS_RESET);
    hc_scenario_free(s);
}

static void test_sensors(void **state)
{
    struct hc_scenario *s = parse(whole);
    const struct hc_sensor_input *sine = &s->input[1].input;

    (void)state;
    assert_int_equal(s->inputs, 4);
    for (int i = 0; i < s->nodes; i++)
        assert_int_equal(s->node[i].sense[HC_SENSE_LIGHT], 0);
    assert_int_equal(s->node[2].sense[HC_SENSE_TEMPERATURE], 1);
    assert_int_equal(s->node[3].sense[HC_SENSE_TEMPERATURE], -1);
    assert_int_equal(s->node[3].sense[HC_SENSE_ADC0], 2);
    assert_int_equal(s->node[5].sense[HC_SENSE_HUMIDITY], 3);
    assert_int_equal(hc_input_at(&s->input[0].input, HC_SECOND), 120000);
    /* A quarter of the period ahead: it begins at its highest. */
    assert_in_range(hc_input_at(sine, 0), 24990, 25000);
    assert_in_range(hc_input_at(sine, 1800 * HC_SECOND), 15000, 15010);
    assert_in_range(hc_input_at(sine, 300 * HC_SECOND), 24320, 24340);
    assert_in_range(hc_input_at(sine, (uint64_t)(900 + 3600 * 1000) * HC_SECOND), 19995, 20005);
    assert_true(s->input[2].input.period == HC_SECOND / 7);
    assert_string_equal(s->input[3].file, "dir/rh.csv");
    assert_int_equal(s->input[3].column, 3);
    assert_int_equal(s->input[3].input.shape, HC_INPUT_STEPS);
    hc_scenario_free(s);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        { "", "it.txt: has no nodes" },
        { "# nothing\n\n", "it.txt: has no nodes" },
        { "node 1 x\nfly 1\n", "it.txt: line 2: unknown directive 'fly'" },
        { "duratoin 5s\nnode 1 x\n", "it.txt: line 1: unknown directive 'duratoin' (did you mean 'duration'?)" },
        { "nodes 1 x\n", "(did you mean 'node'?)" },
        { "duration 5s\nrotate 1\n", "unknown directive 'rotate'; docs/scenario.md lists them" },
        { "node 1 x\nnode 1 x\n", "it.txt: line 2: node 1 is already defined in line 1" },
        { "node 1-3,2 x\n", "line 1: node 2 is already defined" },
        { "node 1\n", "line 1: node 1 has no image" },
        { "node\n", "line 1: a node's id is missing" },
        { "node x y\n", "line 1: 'x': expected a node id" },
        { "node 65535 x\n", "0 to 65534" },
        { "node 3-1 x\n", "'3-1': expected a node id" },
        { "node 1, x\n", "'1,': expected a node id" },
        { "node 0-65534 x\n", "more than 4096 nodes" },
        { "node 0-4095 x\nnode 5000 x", "line 2: there are more than 4096 nodes" },
        { "node 1 x y\n", "unexpected 'y' after 'x'" },
        { "node 1 x at 1m\n", "the y coordinate is missing" },
        { "node 1 x at 1m 2s\n", "the y coordinate '2s' is not a number in m, cm, mm or km" },
        { "node 1 x at 1m 200km\n", "is not between -100000m and 100000m" },
        { "node 1-2 x at 1m 1m\n", "several nodes cannot stand at one place" },
        { "node 1 x line:1 at 1m 1m\n", "either a topology or 'at'" },
        { "node 1-3 x line:2\n", "has room for 2 nodes, not 3" },
        { "node 1 x start -1s\n", "the start -1s is negative" },
        { "node 1 x start soon\n", "'soon' is not a time" },
        { "node 1 x serial 1234567890123\n", "is not a number of 12 hexadecimal digits" },
        { "node 1 x flash\n", "the flash chip's file is missing" },
        { "node 1 \"x\n", "line 1: a quote is not closed" },
        { "seed x\nnode 1 x\n", "line 1: the seed 'x' is not a number" },
        { "seed 1 2\nnode 1 x\n", "unexpected '2'; usage: seed NUMBER" },
        { "duration 5parsec\nnode 1 x\n", "'5parsec' is not a time" },
        { "duration 101days\nnode 1 x\n", "is not a time" },
        { "threads 0\nnode 1 x\n", "at least one thread" },
        { "noise loud\nnode 1 x\n", "the noise floor 'loud' is not a number in dB or dBm" },
        { "pathloss -40dB\nnode 1 x\n", "a loss cannot be negative" },
        { "pathloss 40dB exponent\nnode 1 x\n", "the exponent is missing" },
        { "pathloss 40dB exponent 3m\nnode 1 x\n", "the exponent '3m' is not a number" },
        { "node 1 x\nlink 1 2 -60dB\n", "line 2: no node 2" },
        { "link 1 2 -60dB\nnode 1 x\n", "line 1: no node 2" },
        { "node 1-2 x\nlink 1 2\n", "line 2: the gain is missing" },
        { "node 1-2 x\nlink 1 > 2 -60dB -70dB\n", "unexpected '-70dB'" },
        { "node 1-2 x\nlink 1 1 -60dB\n", "a node has no link to itself" },
        { "node 0-1023 x\nlink all all -60dB\n", "more than 1000000 links" },
        { "node 1 x\nat -5s reboot 1\n", "line 2: the event's time -5s is negative" },
        { "node 1 x start 10s\nat 5s reboot 1\n", "node 1 starts only at 10 s, after this event" },
        { "node 1 x\nat 5s\n", "expected cut, mend" },
        { "node 1 x\nat 5s explode 1\n", "expected cut, mend" },
        { "node 1 x\nat 5s reboot 2\n", "no node 2" },
        { "node 1 x\nat 5s cut 1 7\n", "no node 7" },
        { "node 1-2 x\nat 5s move all 1m 1m\n", "only one node at a time can move" },
        { "node 1 x\nat 5s press 1 for ever\n", "'ever' is not a time" },
        { "node 1 x\nsensor 1 smell constant 3\n", "expected light, temperature" },
        { "node 1 x\nsensor 1 light\n", "expected constant VALUE" },
        { "node 1 x\nsensor 1 light constant 3C\n", "the value '3C' is not a number in lux or klux" },
        { "node 1 x\nsensor 1 light sine 3\n", "a sine needs a period" },
        { "node 1 x\nsensor 1 light table\n", "the table's file is missing" },
        { "node 1 x\nsensor 1 light table t column 1\n", "values begin in column 2" },
        { "node 1-2 x\nsensor 1 light constant 3\nsensor all light constant 4\n",
          "light of node 1 is already given in line 2" },
    };
    struct hc_scenario *s;
    struct hc_message message;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!hc_scenario_parse(&s, "dir/it.txt", cases[i].text, strlen(cases[i].text), NULL, &message))
            fail_msg("'%s' was not refused", cases[i].text);
        assert_null(s);
        if (!strstr(message.text, cases[i].cause))
            fail_msg("'%s': '%s' does not say '%s'", cases[i].text, message.text, cases[i].cause);
    }
    assert_int_equal(hc_scenario_parse(&s, "it", "node 1\0 x\n", 10, NULL, &message), HC_REFUSED);
    assert_non_null(strstr(message.text, "line 1: has a NUL character"));
}

/* Whatever is cut off: read as far as it goes, or refused with the line. */
static void test_truncations(void **state)
{
    struct hc_message message;
    int good = 0;

    (void)state;
    for (size_t size = 0; size < sizeof whole; size++) {
        struct hc_scenario *s;
        char *text = malloc(size + 1); /* its own, so that reading beyond it is seen */
        memcpy(text, whole, size);
        message.text[0] = '\0';
        int error = hc_scenario_parse(&s, "it", text, size, NULL, &message);
        assert_true(error ? !s && strlen(message.text) > 5 : s && s->nodes > 0);
        good += !error;
        hc_scenario_free(s);
        free(text);
    }
    assert_true(good > 100);
}

static void test_choices(void **state)
{
    static const char *const images[] = { "root", "leaf" };
    const struct hc_scenario_choices choices = { .has_seed = true, .seed = 5, .images = 2, .image = images };
    static const char text[] = "seed 3\nnode 1-3 line:3 spread 1s\nnode 4 own\n";
    struct hc_scenario *s, *other;
    struct hc_message message;

    (void)state;
    assert_int_equal(hc_scenario_parse(&s, "dir/it", text, strlen(text), &choices, &message), 0);
    assert_int_equal(s->seed, 5);
    assert_string_equal(s->image[s->node[0].image], "root");
    assert_string_equal(s->image[s->node[1].image], "leaf");
    assert_string_equal(s->image[s->node[2].image], "leaf");
    assert_string_equal(s->image[s->node[3].image], "dir/own");
    /* Starts are spread by the seed. */
    for (int i = 0; i < 3; i++)
        assert_true(s->node[i].start < HC_SECOND);
    assert_true(s->node[0].start != s->node[1].start);
    struct hc_scenario_choices same = choices;
    same.seed = 6;
    assert_int_equal(hc_scenario_parse(&other, "it", text, strlen(text), &same, &message), 0);
    assert_true(other->node[0].start != s->node[0].start);
    hc_scenario_free(other);
    hc_scenario_free(s);
}

static void test_recognised(void **state)
{
    static const struct {
        const char *text;
        bool scenario;
    } cases[] = {
        { "node 1 x", true },
        { "# hi\n\n \t seed 1", true },
        { "\x7f"
          "ELF",
          false },
        { ":10000000", false },
        { "@4000\n", false },
        { "", false },
        { "# only", false },
        { "nodes", true },
        { "at\t5s", true },
        { "duration\n", true },
        { "duratoin 5s", true },
        { "\x01 duration", false },
        { "hello world", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (hc_scenario_recognise(cases[i].text, strlen(cases[i].text)) != cases[i].scenario)
            fail_msg("'%s'", cases[i].text);
}

/* ---- tables ---- */

static void test_csv(void **state)
{
    static const char text[] = "time;value;other\n0;1.5;7\n\n# later\n10;2.5;8\r\n 20 ; \"-1\" ;9\n";
    struct hc_sensor_input input = { .shape = HC_INPUT_TABLE };
    struct hc_message message;

    (void)state;
    assert_int_equal(hc_input_read_csv(&input, "t", text, strlen(text), 2, hc_voltage_units, &message), 0);
    assert_int_equal(input.count, 3);
    assert_int_equal(hc_input_at(&input, 0), 1500000);
    assert_int_equal(hc_input_at(&input, 5 * HC_SECOND), 2000000);
    assert_int_equal(hc_input_at(&input, 10 * HC_SECOND), 2500000);
    assert_int_equal(hc_input_at(&input, 15 * HC_SECOND), 750000);
    assert_int_equal(hc_input_at(&input, 99 * HC_SECOND), -1000000);
    input.shape = HC_INPUT_STEPS;
    assert_int_equal(hc_input_at(&input, 10 * HC_SECOND - 1), 1500000);
    assert_int_equal(hc_input_at(&input, 10 * HC_SECOND), 2500000);
    free(input.points);
    input = (struct hc_sensor_input){ .shape = HC_INPUT_TABLE };
    assert_int_equal(hc_input_read_csv(&input, "t", text, strlen(text), 3, hc_light_units, &message), 0);
    assert_int_equal(hc_input_at(&input, 0), 7000);
    free(input.points);
}

static void test_csv_refused(void **state)
{
    static const struct {
        const char *text, *cause;
    } cases[] = {
        { "", "t.csv: has no line with a time and a value" },
        { "time,value\n", "has no line" },
        { "0,1\n1\n", "t.csv: line 2: no time in seconds in column 1, or no number in 2" },
        { "0,1\n1,x\n", "line 2: no time" },
        { "0,1\n-1,2\n", "line 2: no time" },
        { "0,1\n0,2\n", "line 2: is not later than the line before" },
        { "5,1\n1,2\n", "line 2: is not later" },
    };
    struct hc_message message;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hc_sensor_input input = { .shape = HC_INPUT_TABLE };
        assert_int_equal(
            hc_input_read_csv(&input, "t.csv", cases[i].text, strlen(cases[i].text), 2, hc_light_units, &message),
            HC_REFUSED);
        if (!strstr(message.text, cases[i].cause))
            fail_msg("'%s' does not say '%s'", message.text, cases[i].cause);
        free(input.points);
    }
}

static void test_missing_table(void **state)
{
    struct hc_scenario *s = parse("node 1 x\nsensor 1 light table nowhere.csv\n");
    struct hc_message message;

    (void)state;
    assert_int_equal(hc_scenario_read_files(s, &message), HC_REFUSED);
    assert_non_null(strstr(message.text, "it.txt: line 2: dir/nowhere.csv: No such file"));
    hc_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),    cmocka_unit_test(test_nodes),       cmocka_unit_test(test_links),
        cmocka_unit_test(test_events),      cmocka_unit_test(test_sensors),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_truncations), cmocka_unit_test(test_choices),     cmocka_unit_test(test_recognised),
        cmocka_unit_test(test_csv),         cmocka_unit_test(test_csv_refused), cmocka_unit_test(test_missing_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
