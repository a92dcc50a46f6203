/* Paths are what the machine executed: block by block, for the program and for each run of a handler.
 *
 *   test_truth PROGRAM.elf [SECONDS]     one run, up to its end (`finished`) or for so long
 *   test_truth PROGRAM.elf sweep N       the first interrupt (`when`) at each of N cycles
 *   test_truth PROGRAM.elf spoil         each addition in the code, made wrong, is found */
#include "truth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ADD_WORD = 0x50b2, ADD_ONE = 0x5392, ADD_TWO = 0x53a2, ADD_FOUR = 0x52a2, ADD_EIGHT = 0x52b2 };

static enum hc_action stop(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    (void)owner;
    (void)m;
    return access->value == HARNESS_FINISHED ? HC_STOP : HC_CONTINUE;
}

static void run(struct truth *t, double seconds)
{
    struct hc_symbol finished;

    if (hc_image_symbol(t->h.image, "finished", &finished))
        hc_hook_access(t->h.machine, finished.address, finished.address + 2, HC_WATCH_WRITE, stop, NULL);
    if (hc_machine_run(t->h.machine, (hc_time)(seconds * (double)HC_SECOND)) == HC_STOP_FAULT)
        fail_msg("%s", hc_fault_text(t->h.machine));
}

static int whole(const char *path, double seconds)
{
    struct truth t;
    char message[600];

    truth_start(&t, path);
    run(&t, seconds);
    const char *wrong = truth_compare(&t, message, sizeof message);
    printf("%s: %zu blocks, %zu numbers, %zu runs of handlers: %s\n", path, t.blocks, t.numbers, t.runs - 1,
           wrong ? wrong : "as executed");
    int code = wrong || t.numbers < 10;
    truth_stop(&t);
    return code;
}

/* ---- an interrupt at every cycle ---- */

static int sweep(const char *path, unsigned count)
{
    unsigned came = 0;
    char message[600];

    for (unsigned when = 1; when <= count; when++) {
        struct truth t;
        truth_start(&t, path);
        harness_run_to(&t.h, "main", HC_SECOND);
        harness_set(&t.h, "when", 0, (uint16_t)(when + 20));
        run(&t, 2);
        came += t.runs > 1;
        const char *wrong = truth_compare(&t, message, sizeof message);
        truth_stop(&t);
        if (wrong) {
            printf("%s: interrupt after %u cycles: %s\n", path, when, wrong);
            return 1;
        }
    }
    printf("%s: interrupted at %u of %u cycles: as executed\n", path, came, count);
    return came < count / 2;
}

/* ---- wrong additions ---- */

static unsigned word_at(struct hc_machine *m, uint32_t address)
{
    uint8_t bytes[2];

    hc_peek_bytes(m, address, bytes, 2);
    return bytes[0] | (unsigned)bytes[1] << 8;
}

static void poke_word(struct hc_machine *m, uint32_t address, unsigned value)
{
    assert_true(hc_poke(m, address, (uint8_t)value) && hc_poke(m, address + 1, (uint8_t)(value >> 8)));
}

/* The next addition to the sum from *AT on; 0 if there is none. */
static bool next_addition(const struct truth *t, uint32_t *at)
{
    struct hc_machine *m = t->h.machine;

    for (; *at < 0xff00; *at += 2) {
        unsigned code = word_at(m, *at);
        bool small = code == ADD_ONE || code == ADD_TWO || code == ADD_FOUR || code == ADD_EIGHT;
        if ((small && word_at(m, *at + 2) == t->sum) || (code == ADD_WORD && word_at(m, *at + 4) == t->sum))
            return true;
    }
    return false;
}

static enum hc_action note(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    *(bool *)owner = true;
    return HC_CONTINUE;
}

static void spoil_addition(struct hc_machine *m, uint32_t at)
{
    if (word_at(m, at) == ADD_WORD)
        poke_word(m, at + 2, word_at(m, at + 2) + 1);
    else
        poke_word(m, at, word_at(m, at) == ADD_ONE ? ADD_TWO : ADD_ONE);
}

static int spoil(const char *path)
{
    unsigned executed = 0, found = 0, all = 0;
    uint32_t at = 0x4000;
    char message[600];

    for (;; at += 2, all++) {
        struct truth t;
        bool came = false;
        truth_start(&t, path);
        bool more = next_addition(&t, &at);
        if (more) {
            spoil_addition(t.h.machine, at);
            hc_hook_pc(t.h.machine, at, note, &came);
            run(&t, 2);
            const char *wrong = truth_compare(&t, message, sizeof message);
            executed += came;
            found += came && wrong;
            if (came != (wrong != NULL))
                printf("%s: addition at 0x%04x: executed %d, found %d\n", path, at, came, wrong != NULL);
        }
        truth_stop(&t);
        if (!more)
            break;
    }
    printf("%s: %u additions, %u executed, wrong ones found: %u\n", path, all, executed, found);
    return executed < 10 || found != executed;
}

static const char *const *words;
static int count;

static void test(void **state)
{
    (void)state;
    const char *mode = count > 2 ? words[2] : "2";
    int code = !strcmp(mode, "sweep")   ? sweep(words[1], (unsigned)atoi(words[3]))
               : !strcmp(mode, "spoil") ? spoil(words[1])
                                        : whole(words[1], atof(mode));
    assert_int_equal(code, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };

    words = (const char *const *)argv;
    count = argc;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
