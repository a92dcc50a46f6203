/* Whole fetches from a mote that is made here, on lines that lose, double and change bytes, and that go away. */
#include "fake_mote.h"
#include "fetch/fetch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
    struct fake_mote mote;
    struct hc_fetch_config config;
    struct hc_fetch_result result;
    struct hc_fetch_message message;
    char directory[32], out[64], partial[80];
};

static int set_up(void **state)
{
    struct bench *b = calloc(1, sizeof *b);

    strcpy(b->directory, "/tmp/hindcast-fetch-XXXXXX");
    if (!mkdtemp(b->directory))
        return -1;
    snprintf(b->out, sizeof b->out, "%s/flash", b->directory);
    snprintf(b->partial, sizeof b->partial, "%s.partial", b->out);
    fake_mote_init(&b->mote, 1);
    b->config = (struct hc_fetch_config){ .line = fake_mote_line(&b->mote), .out = b->out, .last = UINT32_MAX };
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;

    unlink(b->out);
    unlink(b->partial);
    rmdir(b->directory);
    free(b);
    return 0;
}

static enum hc_fetch_error fetch(struct bench *b)
{
    b->message.text[0] = '\0';
    enum hc_fetch_error error = hc_fetch(&b->config, &b->result, &b->message);
    assert_int_equal(error != HC_FETCH_OK, b->message.text[0] != '\0');
    return error;
}

static void assert_says(const struct bench *b, const char *part)
{
    if (!strstr(b->message.text, part))
        fail_msg("'%s' does not say '%s'", b->message.text, part);
}

/* The file is the chip from FIRST to LAST, and 0xff elsewhere. */
static void assert_fetched(const struct bench *b, int first, int last)
{
    static uint8_t bytes[FAKE_SIZE + 1];
    FILE *file = fopen(b->out, "rb");

    assert_non_null(file);
    assert_int_equal(fread(bytes, 1, sizeof bytes, file), FAKE_SIZE);
    fclose(file);
    for (int i = 0; i < FAKE_SIZE; i++)
        assert_int_equal(bytes[i], i < first || i > last ? 0xff : b->mote.chip[i]);
    assert_int_equal(access(b->partial, F_OK), -1);
}

static void good_line(void **state)
{
    struct bench *b = *state;

    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    assert_int_equal(b->result.identity.node, 9);
    assert_int_equal(b->result.identity.serial, 0x1234567890ab);
    assert_int_equal(b->result.identity.size, FAKE_SIZE);
    assert_int_equal(b->result.read, FAKE_SIZE);
    assert_int_equal(b->result.blank,
                     (51 - 3 + 16) * 256); /* every fifth of 256 blocks, and a chunk, of which 3 counted */
    assert_int_equal(b->result.repeated, 0);
    assert_int_equal(b->result.skipped, 0);
    /* Once more: the same file. */
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
}

static void parts(void **state)
{
    struct bench *b = *state;

    b->config.first = 0x2345;
    b->config.last = 0x4fff;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0x2000, 0x4fff);
    b->config.first = 0xf000;
    b->config.last = 0xf000;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0xf000, 0xffff);
    b->config.first = FAKE_SIZE;
    b->config.last = UINT32_MAX;
    assert_int_equal(fetch(b), HC_FETCH_OTHER_CHIP);
    assert_says(b, "the chip ends at 0x00ffff");
}

static void other_rate(void **state)
{
    struct bench *b = *state;

    b->mote.rate = 19200;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_int_equal(b->result.rate, 19200);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    b->config.rate = 57600;
    assert_int_equal(fetch(b), HC_FETCH_NO_MOTE);
    assert_says(b, "no answer at 57600 baud");
}

/* One byte of 80, in both directions, is the worst: hardly a whole frame, every fifth request spoilt. */
static void bad_lines(void **state)
{
    struct bench *b = *state;
    static const unsigned noises[] = { 2000, 500, 250, 80 };

    for (unsigned seed = 1; seed <= 40; seed++) {
        fake_mote_init(&b->mote, seed);
        b->mote.noise = noises[seed % 4];
        if (fetch(b))
            fail_msg("seed %u: %s", seed, b->message.text);
        assert_fetched(b, 0, FAKE_SIZE - 1);
        assert_true(b->result.repeated > 0);
        unlink(b->out);
    }
}

/* The port goes away at the Nth look; then the same command goes on, and in the end the chip is whole. */
static void unplugged(void **state)
{
    struct bench *b = *state;
    int failures = 0;

    for (int n = 5; n < 200; n += 13) {
        uint32_t asked = b->mote.asked;
        b->mote.receives_left = n;
        if (fetch(b) == HC_FETCH_OK)
            break;
        failures++;
        if (!access(b->partial, F_OK))
            assert_says(b, "flash.partial, and the same command continues there");
        assert_true(b->mote.asked >= asked);
    }
    assert_true(failures > 3);
    b->mote.receives_left = -1;
    if (access(b->out, F_OK)) {
        assert_int_equal(fetch(b), HC_FETCH_OK);
        assert_true(b->result.continued > 0);
    }
    assert_fetched(b, 0, FAKE_SIZE - 1);
}

static void interrupted(void **state)
{
    struct bench *b = *state;

    b->mote.stop_after = 60;
    assert_int_equal(fetch(b), HC_FETCH_STOPPED);
    assert_says(b, "interrupted; ");
    assert_int_equal(access(b->out, F_OK), -1);
    b->mote.stop_after = -1;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_true(b->result.continued > 0);
    assert_int_equal(b->result.continued + b->result.read, FAKE_SIZE);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    /* Before anything was read nothing is left. */
    b->mote.stop_after = 1;
    assert_int_equal(fetch(b), HC_FETCH_STOPPED);
    assert_string_equal(b->message.text, "interrupted");
    assert_int_equal(access(b->partial, F_OK), -1);
}

static void begin(struct bench *b)
{
    b->mote.stop_after = 60;
    assert_int_equal(fetch(b), HC_FETCH_STOPPED);
    b->mote.stop_after = -1;
}

static void another_node(void **state)
{
    struct bench *b = *state;

    begin(b);
    b->mote.serial++;
    assert_int_equal(fetch(b), HC_FETCH_OTHER_CHIP);
    assert_says(b, "is of another node: serial number 1234567890ab, id 9; this one is 1234567890ac");
    assert_int_equal(access(b->partial, F_OK), 0);
    b->mote.serial = 0; /* a node without a number: its contents tell */
    assert_int_equal(fetch(b), HC_FETCH_OK);
}

static void changed_chip(void **state)
{
    struct bench *b = *state;

    begin(b);
    b->mote.chip[0x13] ^= 1;
    assert_int_equal(fetch(b), HC_FETCH_OTHER_CHIP);
    assert_says(b, "differs from the chip at 0x000000");
    b->config.restart = true;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
}

/* What is in the place of the part: nothing, something else, a directory. */
static void files_in_the_way(void **state)
{
    struct bench *b = *state;
    FILE *file = fopen(b->partial, "wb");

    fputs("my diary", file);
    fclose(file);
    assert_int_equal(fetch(b), HC_FETCH_OTHER_CHIP);
    assert_says(b, "not a part of a chip of 64 KB");
    assert_int_equal(access(b->partial, F_OK), 0);
    fclose(fopen(b->partial, "wb"));
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    b->config.out = b->directory;
    assert_int_equal(fetch(b), HC_FETCH_FILE);
    assert_says(b, "not a file");
    b->config.out = "/nowhere/flash";
    assert_int_equal(fetch(b), HC_FETCH_FILE);
    assert_says(b, "/nowhere/flash.partial: No such file or directory");
}

static void busy_chip(void **state)
{
    struct bench *b = *state;

    b->mote.busy = 40;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    b->mote.busy = 1 << 20;
    b->mote.tenths = 0;
    assert_int_equal(fetch(b), HC_FETCH_NO_CHIP);
    assert_says(b, "does not get ready");
    assert_in_range(b->mote.tenths, 100000, 600000);
}

/* A wrong byte behind a right CRC: the sums find it. */
static void lying_frames(void **state)
{
    struct bench *b = *state;

    b->mote.lies = 30;
    assert_int_equal(fetch(b), HC_FETCH_OK);
    assert_fetched(b, 0, FAKE_SIZE - 1);
    b->mote.lies = 1 << 20;
    assert_int_equal(fetch(b), HC_FETCH_NO_CHIP);
    assert_says(b, "reads differently each time");
}

/* Nobody, strangers, and motes that we do not know: a sentence, in bounded time. */
static void no_mote(void **state)
{
    static const struct {
        unsigned rate;
        const char *chatter;
        uint8_t version, capacity;
        const char *says;
    } rows[] = {
        { 1200, NULL, 1, 16, "no answer at 115200, 57600, 38400, 19200, 9600 baud" },
        { 115200, "count 3 17\n", 1, 16, "another program runs on it: it says '" },
        { 115200, "\xfe\x81\x90\xff", 1, 16, "the node sends, but at another rate or another program" },
        { 115200, "\1D", 1, 16, "the node sends, but at another rate or another program" },
        { 115200, NULL, 2, 16, "speaks version 2" },
        { 115200, NULL, 1, 0xff, "not its flash chip" },
        { 115200, NULL, 1, 25, "not its flash chip" },
    };
    struct bench *b = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_mote_init(&b->mote, 1);
        b->mote.rate = rows[i].rate;
        b->mote.chatter = rows[i].chatter;
        b->mote.version = rows[i].version;
        b->mote.capacity = rows[i].capacity;
        assert_true(fetch(b) != HC_FETCH_OK);
        assert_says(b, rows[i].says);
        assert_true(b->mote.tenths < 100000);
        assert_int_equal(access(b->partial, F_OK), -1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(good_line), TEST(parts),        TEST(other_rate),   TEST(bad_lines),
        TEST(unplugged), TEST(interrupted),  TEST(busy_chip),    TEST(another_node),
        TEST(no_mote),   TEST(changed_chip), TEST(lying_frames), TEST(files_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
