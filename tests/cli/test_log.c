/* hindcast log, as a user meets it. test_log HINDCAST FIRMWARE.elf */
#include "shell.h"
#include "trace/recording.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Two boots of set hindcast in one image, the last one frozen; then damage. */
static void make_logs(const struct fixture *f)
{
    struct recording r;
    static const uint8_t reason[2];
    uint64_t seed = 1;

    recording_start(&r, 0);
    for (int boot = 0; boot < 2; boot++) {
        recording_boot(&r);
        for (int i = 0; i < 2000; i++) {
            struct recorded e;
            recording_random(&r, &seed, &e);
            recording_add(&r, &e);
        }
        recording_end(&r);
    }
    recording_page(&r, HC_STREAM_MARK, reason, sizeof reason);
    write_bytes(f, "good.flash", r.image, r.size);
    r.image[5 * HC_PAGE_SIZE + 99] ^= 1;
    write_bytes(f, "bad.flash", r.image, r.size);
    for (size_t at = 0; at < r.size; at += HC_PAGE_SIZE)
        if (r.image[at + 1] == HC_STREAM_BOOT) {
            r.image[at + HC_PAGE_HEADER] = 3;
            recording_seal(r.image + at);
        }
    write_bytes(f, "old.flash", r.image, r.size);
    recording_stop(&r);
    write_text(f, "not.flash", "Hello");
}

static void test_usage(void **state)
{
    static const struct shell_case cases[] = {
        { "log --help", 0, "--extract", "" },
        { "log", 2, "", "no log given" },
        { "log nowhere", 3, "", "nowhere: No such file or directory" },
        { "log not.flash", 3, "", "not.flash: there is no page of a recording in it" },
        { "log good.flash --segment x", 2, "", "expected a number 0..65535" },
        { "log good.flash bad.flash --extract x", 2, "", "--extract takes one log" },
        { "log good.flash --extract nowhere/x", 3, "", "nowhere/x: cannot be written: No such file" },
        { "log good.flash --elf nowhere", 3, "", "nowhere: No such file" },
        { "log good.flash --elf $F", 3, "", "was recorded by build 61206275696c6400" },
        { "log good.flash", 0, "2 segments, 2 boots", "" },
        { "log good.flash", 0, "segment 2, boot 2: begins with a reset", "" },
        { "log good.flash", 0, "codecs hindcast, frozen", "" },
        { "log good.flash", 0, "no damage", "" },
        { "log good.flash", 0, "boot 1: ended by a reset (power-on or the RST pin", "" },
        { "log good.flash", 0, "nothing was rescued: the log may end up to a page of events", "" },
        { "log good.flash", 0, "boot 2: frozen: the log reaches up to the freeze", "" },
        { "log bad.flash", 1, "1 of its pages is missing", "" },
        { "log old.flash", 3, "", "old.flash: was recorded in trace version 3, but this hindcast reads version 5" },
        { "log bad.flash", 1, "damage at 0x000500: page 5 of boot 1, segment 1 is torn", "" },
        { "log bad.flash", 1, "1 page is missing between pages 4 and 6 of boot 1", "" },
        { "log bad.flash good.flash", 1, "good.flash:", "" },
    };
    shell_try(*state, cases, sizeof cases / sizeof *cases);
}

static void test_json(void **state)
{
    struct fixture *f = *state;
    shell(f, "$H log bad.flash --json");
    assert_code(f, 1);
    json_t *all = json_loads(f->out, 0, NULL);
    const json_t *log = json_array_get(all, 0);
    assert_string_equal(json_string_value(json_object_get(log, "log")), "bad.flash");
    assert_int_equal(json_array_size(json_object_get(log, "segments")), 2);
    assert_int_equal(json_array_size(json_object_get(log, "damage")), 2);
    const json_t *last = json_array_get(json_object_get(log, "segments"), 1);
    assert_true(json_is_true(json_object_get(last, "frozen")));
    assert_string_equal(json_string_value(json_object_get(last, "build")), "61206275696c6400");
    json_decref(all);
}

/* What is extracted is a log without anything between its pages; of one segment, only that. */
static void test_extract(void **state)
{
    struct fixture *f = *state;
    shell(f, "$H log good.flash --extract all > /dev/null && $H log all");
    assert_code(f, 0);
    assert_contains(f->out, "2 segments, 2 boots");
    shell(f, "$H log good.flash --segment 2 --extract last > /dev/null && $H log last");
    assert_code(f, 0);
    assert_contains(f->out, "1 segment, 1 boot;");
    shell(f, "test $(wc -c < last) -lt $(wc -c < all) && test $(wc -c < all) -le $(wc -c < good.flash)");
    assert_code(f, 0);
}

int main(int argc, char **argv)
{
    static struct fixture f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_usage, &f),
        cmocka_unit_test_prestate(test_json, &f),
        cmocka_unit_test_prestate(test_extract, &f),
    };
    if (argc != 3 || !shell_begin(&f, argv[1], argv[2]))
        return 2;
    make_logs(&f);
    int failed = cmocka_run_group_tests_name("log", tests, NULL, NULL);
    shell_end(&f);
    return failed;
}
