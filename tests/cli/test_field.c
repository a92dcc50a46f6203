/* hindcast run with several nodes: what it refuses, what it does, and the directory it leaves.
 * test_field HINDCAST FIRMWARE/field.elf APPLICATIONS */
#include "shell.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 20];

static void assert_file(const struct fixture *f, const char *name, const char *expected)
{
    read_text(f, name, text, sizeof text);
    assert_string_equal(text, expected);
}

static json_t *read_json(const struct fixture *f, const char *name)
{
    char path[120];
    json_error_t error;

    snprintf(path, sizeof path, "%s/%s", f->directory, name);
    json_t *json = json_load_file(path, 0, &error);
    if (!json)
        fail_msg("%s: %s", name, error.text);
    return json;
}

/* ---- what is refused ---- */

static void test_usage(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *err;
    } cases[] = {
        { "--nodes 0 $F", 2, "--nodes: at least 1" },
        { "--nodes 5000 $F", 2, "--nodes: '5000': expected a number 0..4096" },
        { "--nodes 5 --topology grid:2x2 $F --seconds 1", 3, "has room for 4 nodes, not 5" },
        { "--topology grid:2 $F", 2, "expected grid:COLUMNSxROWS" },
        { "--topology ring:2 $F", 2, "'ring:2' is neither a file nor one of grid:" },
        { "--nodes 2 --vcd x $F", 2, "--vcd is for one node" },
        { "--nodes 2 --gdb 1234 $F", 2, "--gdb is for one node" },
        { "--nodes 1 $F $F", 2, "more images than nodes" },
        { "--nodes 2 nowhere.elf", 3, "nowhere.elf: No such file" },
        { "--nodes 2 --id-symbol nothing $F --seconds 1", 3, "has no variable 'nothing' with an initial value" },
        { "--nodes 2 --id-symbol unset $F --seconds 1", 3, "has no variable 'unset' with an initial value" },
        { "--nodes 2 --id-symbol main $F --seconds 1", 3, "has no variable 'main'" },
        { "--nodes 2 --spread soon $F --seconds 1", 3, "'soon' is not a time" },
        { "--first-id 65534 --nodes 2 $F --seconds 1", 3, "expected a node id or a list" },
        { "good.txt good.txt", 2, "more than one scenario given" },
        { "good.txt --nodes 2", 2, "a scenario cannot be combined with" },
        { "good.txt --out full --seconds 1", 3, "full: already exists and is not empty" },
        { "good.txt --out nowhere/x --seconds 1", 3, "nowhere/x: No such file" },
    };
    struct fixture *f = *state;

    shell(f, "mkdir full; touch full/x; echo \"node 1 $F\" >good.txt");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shell(f, "$H run %s", cases[i].arguments);
        assert_contains(f->err, cases[i].err);
        assert_code(f, cases[i].code);
        assert_string_equal(f->out, "");
    }
    shell(f, "ls -d hindcast-run-*");
    assert_code(f, 2); /* nothing was written */
}

static void test_bad_scenarios(void **state)
{
    static const struct {
        const char *scenario, *err;
    } cases[] = {
        { "seed 1\nnode 1 nowhere.elf", "s.txt: line 2: nowhere.elf: No such file" },
        { "node 1 field.elf\nnode 1 field.elf", "s.txt: line 2: node 1 is already defined in line 1" },
        { "node 1 field.elf\nlink 1 2 -60dB", "s.txt: line 2: no node 2" },
        { "node 1 field.elf\n\nat -1s reboot 1", "s.txt: line 3: the event's time -1s is negative" },
        { "node 1 field.elf\nsensor 1 light table no.csv", "s.txt: line 2: no.csv: No such file" },
        { "node 1 field.elf\nsensor 1 light table bad.csv", "s.txt: line 2: bad.csv: line 2: no time" },
        { "node 1 s.txt", "s.txt: line 1: s.txt: " },
        { "node 1 field.elf flash short.bin", "s.txt: line 1: short.bin" },
        { "node 1 field.elf flash no.bin", "s.txt: line 1: no.bin: No such file" },
    };
    struct fixture *f = *state;

    shell(f, "cp $F field.elf; printf '0,1\\n1,x\\n' >bad.csv; echo x >short.bin");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(f, "s.txt", cases[i].scenario);
        shell(f, "$H run s.txt --seconds 1");
        assert_contains(f->err, cases[i].err);
        assert_code(f, 3);
        assert_string_equal(f->out, "");
    }
    shell(f, "ls -d hindcast-run-*");
    assert_code(f, 2);
}

/* ---- ids ---- */

static void test_ids(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H run --nodes 3 --id-symbol my_id $F --seconds 2 --out ids");
    assert_code(f, 0);
    assert_string_equal(f->err, "");
    assert_contains(f->out, "ids: 3 nodes, 2.000 s, 0 frames");
    assert_file(f, "ids/node-0/uart.txt", "node 0 0 0 0\n");
    assert_file(f, "ids/node-2/uart.txt", "node 2 2 2 0\n");
    shell(f, "$H run --nodes 2 --first-id 600 $F --seconds 2 --out more");
    assert_file(f, "more/node-601/uart.txt", "node 601 601 65535 0\n");
    shell(f, "$H run --nodes 1 $F --seconds 2; $H run $F $F --seconds 2; ls hindcast-run-1 hindcast-run-2/node-1");
    assert_code(f, 0);
    assert_contains(f->out, "scenario.txt");
}

/* What a chip holds from the beginning is there at the end; of one that was never written there is no file. */
static void test_flash(void **state)
{
    struct fixture *f = *state;

    write_text(f, "s.txt", "duration 1s\nnode 1 field.elf flash log-{id}.bin\nnode 2 field.elf\n");
    shell(f, "cp $F field.elf; head -c 1048576 /dev/zero | tr '\\0' x >log-1.bin; $H run s.txt --out flash && "
             "cmp log-1.bin flash/node-1/flash.bin && ls flash/node-2");
    assert_code(f, 0);
    assert_contains(f->out, "statistics.json\nuart.txt\n");
    assert_null(strstr(f->out, "flash.bin"));
}

/* ---- what happens ---- */

static void test_events(void **state)
{
    struct fixture *f = *state;

    write_text(f, "s.txt",
               "duration 10s\n"
               "node 1-5 field.elf\n"
               "node 13 field.elf start 3s\n"
               "at 2s press 1\n"
               "at 3s press 1\n"
               "at 2s reboot 2\n"
               "at 2s off 3\n"
               "at 4s on 3\n"
               "at 2s reset 4\n"
               "at 2s off 5\n"
               "at 4s press 13\n");
    shell(f, "cp $F field.elf; $H run s.txt --out events");
    assert_code(f, 1);
    assert_contains(f->err, "node 13: fault: ");
    assert_contains(f->err, "<pressed");
    assert_file(f, "events/node-1/uart.txt", "node 1 1 65535 0\npressed\npressed\n");
    assert_file(f, "events/node-2/uart.txt", "node 2 2 65535 0\nnode 2 2 65535 0\n");
    assert_file(f, "events/node-3/uart.txt", "node 3 3 65535 0\nnode 3 3 65535 0\n");
    assert_file(f, "events/node-4/uart.txt", "node 4 4 65535 0\nnode 4 4 65535 0\n");
    assert_file(f, "events/node-5/uart.txt", "node 5 5 65535 0\n");
    assert_file(f, "events/node-13/uart.txt", "node 13 13 65535 0\npressed\n");
    json_t *manifest = read_json(f, "events/manifest.json");
    json_t *last = json_array_get(json_object_get(manifest, "nodes"), 5);
    assert_false(json_boolean_value(json_object_get(last, "on")));
    assert_contains(json_string_value(json_object_get(last, "fault")), "vacant");
    json_decref(manifest);
    json_t *node = read_json(f, "events/node-3/statistics.json");
    assert_in_range((int)(1000 * json_number_value(json_object_get(node, "powered"))), 7999, 8001);
    json_decref(node);
}

/* What faulted is off, until an event switches it on again: then, not before. */
static void test_reboot_after_fault(void **state)
{
    struct fixture *f = *state;

    write_text(f, "s.txt", "node 13 at 0 0\nat 4s press 13\nat 6s reboot 13\n");
    shell(f, "$H run --topology s.txt $F --seconds 10 --out again");
    assert_code(f, 1);
    assert_file(f, "again/node-13/uart.txt", "node 13 13 65535 0\npressed\nnode 13 13 65535 0\n");
    json_t *node = read_json(f, "again/node-13/statistics.json");
    assert_true(json_boolean_value(json_object_get(node, "on")));
    assert_in_range((int)(1000 * json_number_value(json_object_get(node, "powered"))), 8000, 8020);
    json_decref(node);
}

/* ---- the air, and what is written about it ---- */

static void test_manifest(void **state)
{
    struct fixture *f = *state;

    shell(f, "$H run --nodes 4 --topology line:4:1m apps/count.elf --seconds 10 --out count --seed 5 --json");
    assert_code(f, 0);
    json_t *manifest = read_json(f, "count/manifest.json");
    assert_int_equal(json_integer_value(json_object_get(manifest, "seed")), 5);
    assert_string_equal(json_string_value(json_object_get(manifest, "ended")), "time");
    assert_true(json_number_value(json_object_get(manifest, "seconds")) == 10.0);
    json_t *image = json_array_get(json_object_get(manifest, "images"), 0);
    assert_int_equal(json_string_length(json_object_get(image, "build_id")), 40);
    assert_string_equal(json_string_value(json_array_get(json_object_get(image, "id_symbols"), 0)), "node_id");
    int frames = (int)json_integer_value(json_object_get(json_object_get(manifest, "air"), "frames"));
    assert_in_range(frames, 4 * 30, 4 * 40);
    json_t *printed = json_loads(f->out, 0, NULL);
    assert_true(json_equal(printed, manifest));
    json_decref(printed);
    json_decref(manifest);
    json_t *node = read_json(f, "count/node-1/statistics.json");
    json_t *radio = json_object_get(node, "radio");
    assert_in_range(json_integer_value(json_object_get(radio, "frames_sent")), 30, 40);
    assert_true(json_number_value(json_object_get(radio, "duty_cycle")) > 0.9);
    json_t *energy = json_object_get(node, "energy");
    double milliwatts = json_number_value(json_object_get(json_object_get(energy, "radio"), "milliwatts"));
    assert_true(milliwatts > 50 && milliwatts < 57);
    json_decref(node);
    shell(f, "grep -c 'count [0-3]' count/node-3/uart.txt");
    assert_in_range(atoi(f->out), 80, 120);
}

/* Without a link between them, two halves do not hear each other. */
static void test_links(void **state)
{
    struct fixture *f = *state;

    write_text(f, "s.txt",
               "duration 10s\npathloss none\n"
               "node 1-3 apps/count.elf spread 1s\n"
               "link 1 2 -60dB\n"
               "link 2 > 3 -60dB\n"
               "at 6s cut 2 > 3\n");
    shell(f, "$H run s.txt --out links");
    assert_code(f, 0);
    shell(f, "cut -d' ' -f2 links/node-1/uart.txt | sort -u | tr -d '\\n'; echo; "
             "cut -d' ' -f2 links/node-2/uart.txt | sort -u | tr -d '\\n'; echo; "
             "cut -d' ' -f2 links/node-3/uart.txt | sort -u | tr -d '\\n'; echo; wc -l <links/node-3/uart.txt");
    assert_contains(f->out, "2\n1\n2\n");
    assert_in_range(atoi(f->out + 6), 15, 23);
}

/* The accelerometer that the scenario scripts is what the firmware finds. */
static void test_sensors(void **state)
{
    struct fixture *f = *state;

    write_text(f, "s.txt",
               "duration 12s\nnode 0-1 apps/em.elf grid:2x1:1m\n"
               "sensor 1 adc0 sine 1.2V amplitude 400mV frequency 12.5Hz\n");
    shell(f, "$H run s.txt --out em && tail -1 em/node-0/uart.txt");
    assert_code(f, 0);
    char *line = strstr(f->out, "em 1 ");
    assert_non_null(line);
    int number, centihertz;
    assert_int_equal(sscanf(line, "em 1 %d %d", &number, &centihertz), 2);
    assert_in_range(centihertz, 1200, 1300);
}

/* Any number of threads, with and without progress: the same files. */
static void test_repeats(void **state)
{
    struct fixture *f = *state;

    shell(f, "S='--nodes 9 --topology grid:3x3:4m --seconds 6 --hash apps/mho.elf';"
             "$H run $S --threads 1 --out one && $H run $S --threads 2 --out two && "
             "$H run $S --threads 2 --out other --seed 2 >/dev/null && rm one/manifest.json two/manifest.json && "
             "diff -r one two && ! diff -q one/air.pcap other/air.pcap");
    assert_code(f, 0);
    char *first = strstr(f->out, "hash "), *second = first ? strstr(first + 1, "hash ") : NULL;
    assert_non_null(second);
    assert_memory_equal(first, second, 21);
}

/* Ctrl-C ends with whatever was run, complete. */
static void test_interrupted(void **state)
{
    struct fixture *f = *state;

    shell(f, "timeout --foreground -s INT 2 $H run --nodes 3 apps/count.elf --out stopped; head -c 24 stopped/air.pcap "
             "| wc -c");
    assert_code(f, 0);
    assert_contains(f->out, "(interrupted)");
    assert_contains(f->out, "24\n");
    json_t *manifest = read_json(f, "stopped/manifest.json");
    assert_string_equal(json_string_value(json_object_get(manifest, "ended")), "interrupted");
    assert_true(json_number_value(json_object_get(manifest, "seconds")) > 0.1);
    json_decref(manifest);
}

/* ---- */

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_usage, &f),       cmocka_unit_test_prestate(test_bad_scenarios, &f),
        cmocka_unit_test_prestate(test_ids, &f),         cmocka_unit_test_prestate(test_flash, &f),
        cmocka_unit_test_prestate(test_events, &f),      cmocka_unit_test_prestate(test_reboot_after_fault, &f),
        cmocka_unit_test_prestate(test_manifest, &f),    cmocka_unit_test_prestate(test_links, &f),
        cmocka_unit_test_prestate(test_sensors, &f),     cmocka_unit_test_prestate(test_repeats, &f),
        cmocka_unit_test_prestate(test_interrupted, &f),
    };

    if (argc != 4 || !shell_begin(&f, argv[1], argv[2]))
        return 2;
    char *apps = realpath(argv[3], NULL);
    shell(&f, "ln -s %s apps", apps ? apps : "");
    free(apps);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
