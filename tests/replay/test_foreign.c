/* Recordings of nodes that nobody prepared: RAM and CPU registers hold what power-on left, the flash chip holds what
 * was there before, the information memory something. From the chip's contents and the ELF alone each is the same
 * again. */
#include "machine/board/telosb.h"
#include "replay/verify.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { NODES = FEW ? 2 : 6, EACH = FEW ? 3 : 1, INFORMATION = 0x1000, INFORMATION_END = 0x1100 };

struct files {
    char directory[40], flash[80], oracle[80];
};

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

/* ---- what was in the chip ---- */

static void fill(struct hc_telosb *board, uint32_t from, uint32_t end, uint64_t *random, int noise)
{
    uint8_t bytes[HC_M25P80_PAGE];

    for (uint32_t at = from; at < end; at += sizeof bytes) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = noise ? (uint8_t)next_random(random) : 0;
        assert_int_equal(hc_m25p80_write(board->flash, at, bytes, sizeof bytes), 0);
    }
}

enum chip { ERASED, NOISE, ZEROS, HALF, CHIPS };

static void prepare_chip(struct hc_telosb *board, enum chip chip, uint64_t *random)
{
    if (chip == NOISE || chip == ZEROS)
        fill(board, 0, HC_M25P80_SIZE, random, chip == NOISE);
    else if (chip == HALF) /* a sector that begins clean, and others that do not */
        fill(board, HC_M25P80_PAGE * 7, HC_M25P80_SIZE - HC_M25P80_SECTOR / 2, random, true);
}

/* ---- recording ---- */

static void scramble(struct hc_machine *m, uint64_t *random)
{
    enum { SOMEWHERE = 0x1234 };

    hc_machine_power_off(m, next_random(random));
    assert_true(hc_peek16(m, SOMEWHERE) != 0 || hc_peek16(m, SOMEWHERE + 2) != 0);
    for (uint32_t a = INFORMATION; a < INFORMATION_END; a++)
        assert_true(hc_poke(m, a, (uint8_t)next_random(random)));
}

static void record(struct files *f, const char *elf, enum chip chip, uint64_t seed, int seconds)
{
    struct hc_telosb_config config = { .node_id = (uint16_t)seed, .serial = seed * 0x123456789, .seed = seed };
    struct hc_oracle_message problem;
    struct hc_oracle_writer *writer;
    char message[200];
    struct harness h = { .board = hc_telosb_new(&config, NULL) };
    uint64_t random = seed * 0x9e3779b97f4a7c15u + 1;

    assert_non_null(h.board);
    prepare_chip(h.board, chip, &random);
    h.machine = h.board->machine;
    h.image = harness_fill(h.machine, elf);
    scramble(h.machine, &random);
    hc_machine_reset(h.machine, HC_POR);
    for (int i = 4; i < HC_REGISTERS; i++)
        hc_set_register(h.machine, i, (uint16_t)next_random(&random));
    if (hc_oracle_write(&writer, h.machine, h.image, hc_machine_part(h.machine)->name, f->oracle, &problem))
        fail_msg("%s", problem.text);
    harness_run(&h, HC_SECOND * (hc_time)seconds);
    assert_int_equal(hc_oracle_close(writer, true), 0);
    if (hc_m25p80_save_file(h.board->flash, f->flash, message, sizeof message))
        fail_msg("%s", message);
    harness_stop(&h);
}

/* ---- replaying ---- */

/* Verifies all stretches. */
static void verify(const struct files *f, struct hc_image *image, struct hc_verify *sum)
{
    static struct hc_verify found;
    struct hc_replay_message problem;
    struct hc_oracle_message no_oracle;
    struct hc_replay_place place;
    struct hc_replay *replay;
    struct hc_oracle *oracle;

    if (hc_replay_open(&replay, image, f->flash, -1, &problem))
        fail_msg("%s", problem.text);
    if (hc_oracle_open(&oracle, f->oracle, &no_oracle))
        fail_msg("%s", no_oracle.text);
    for (int next = 0; next >= 0; next = hc_replay_next_segment(replay)) {
        if (next > 0)
            assert_int_equal(hc_replay_restart(replay, (size_t)next, false, &problem), HC_REPLAY_OK);
        hc_replay_place(replay, &place);
        assert_true(hc_oracle_seek(oracle, place.segment));
        enum hc_replay_stop stop = hc_verify_run(replay, oracle, NULL, NULL, &found);
        if (stop != HC_REPLAY_END || found.differs)
            fail_msg("segment %u: %s", place.segment, found.text);
        sum->instructions += found.instructions;
        sum->interrupts += found.interrupts;
        sum->reads += found.reads;
    }
    hc_oracle_free(oracle);
    hc_replay_free(replay);
}

static void make_files(struct files *f)
{
    *f = (struct files){ .directory = "/tmp/hindcast-foreign-XXXXXX" };
    assert_non_null(mkdtemp(f->directory));
    snprintf(f->flash, sizeof f->flash, "%s/flash", f->directory);
    snprintf(f->oracle, sizeof f->oracle, "%s/oracle", f->directory);
}

static void remove_files(const struct files *f)
{
    unlink(f->flash);
    unlink(f->oracle);
    rmdir(f->directory);
}

static void record_and_verify(const char *elf, enum chip chip, uint64_t seed, int seconds, uint64_t least)
{
    static const char *const names[] = { "erased", "noise", "zeros", "half" };
    struct files f;
    struct hc_verify sum = { 0 };
    struct hc_image_message problem;
    struct hc_image *image;

    make_files(&f);
    record(&f, elf, chip, seed, seconds);
    assert_int_equal(hc_image_load_file(&image, elf, &problem), HC_IMAGE_OK);
    verify(&f, image, &sum);
    print_message("%s, %s, seed %llu: %llu instructions, %llu interrupts, %llu reads\n", strrchr(elf, '/') + 1,
                  names[chip], (unsigned long long)seed, (unsigned long long)sum.instructions,
                  (unsigned long long)sum.interrupts, (unsigned long long)sum.reads);
    assert_true(sum.instructions > least);
    hc_image_free(image);
    remove_files(&f);
}

/* The log has what was in the information memory if the program names it. */
static void information_memory(void **state)
{
    (void)state;
    for (int i = 0; i < NODES; i += 3)
        record_and_verify(HARNESS_REPLAY "/flash-rec.elf", ERASED, (uint64_t)i + 31, 30, 100000);
}

/* If it comes there by a way that the link step does not see, the replay differs, and says what it may come from. */
static void hidden_information_memory(void **state)
{
    struct hc_image_message no_image;
    struct hc_replay_message problem;
    struct hc_replay *replay;
    struct hc_image *image;
    struct files f;

    (void)state;
    make_files(&f);
    record(&f, HARNESS_REPLAY "/hidden-rec.elf", ERASED, 1, 30);
    assert_int_equal(hc_image_load_file(&image, HARNESS_REPLAY "/hidden-rec.elf", &no_image), HC_IMAGE_OK);
    assert_int_equal(hc_replay_open(&replay, image, f.flash, -1, &problem), HC_REPLAY_OK);
    assert_int_equal(hc_replay_run(replay, UINT64_MAX), HC_REPLAY_DIVERGED);
    assert_non_null(strstr(hc_replay_why(replay), "it is neither in the ELF nor in the log"));
    hc_replay_free(replay);
    hc_image_free(image);
    remove_files(&f);
}

static void memory_that_nobody_wrote(void **state)
{
    (void)state;
    for (int i = 0; i < NODES; i++)
        record_and_verify(HARNESS_REPLAY "/foreign-rec.elf", (enum chip)(i % CHIPS), (uint64_t)i + 1, 18, 100000);
}

static void applications(void **state)
{
    (void)state;
    for (int i = 0; i < CHIPS; i += EACH)
        record_and_verify(HARNESS_APPS "/blink-rec.elf", (enum chip)i, (uint64_t)i + 11, 120, 10000);
    for (int i = 0; i < CHIPS; i += EACH)
        record_and_verify(HARNESS_APPS "/mho-rec.elf", (enum chip)i, (uint64_t)i + 21, 60, 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_nobody_wrote),
        cmocka_unit_test(applications),
        cmocka_unit_test(information_memory),
        cmocka_unit_test(hidden_information_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
