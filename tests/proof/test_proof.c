/* The proof of unique positions: programs whose answer is known, and a second source that runs them and looks. */
#include "instrument/proof/proof.h"
#include "machine/board/telosb.h"
#include "recorded/map.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hc_proof *prove(const struct hc_image *image)
{
    struct hc_proof_message message = { "" };
    struct hc_proof *proof;

    if (hc_proof_make(&proof, image, &message))
        fail_msg("%s", message.text);
    return proof;
}

static const char *path_of(const char *name)
{
    static char path[400];

    snprintf(path, sizeof path, "%s/%s.elf", PROOF_PROGRAMS, name);
    return path;
}

static struct hc_image *load(const char *path)
{
    struct hc_image_message message = { "" };
    struct hc_image *image;

    if (hc_image_load_file(&image, path, &message))
        fail_msg("%s", message.text);
    return image;
}

/* ---- known answers ---- */

/* A label is listed if it begins with "bad", or as the table says. */
static void check_labels(const char *program, const char *const *labels, const char *bad)
{
    struct hc_image *image = load(path_of(program));
    struct hc_proof *proof = prove(image);

    for (; *labels; labels++) {
        enum hc_proof_reason reason;
        struct hc_symbol s;

        assert_true(hc_image_symbol(image, *labels, &s));
        bool listed = hc_proof_lists(proof, s.address, &reason);
        if (listed != !strncmp(*labels, bad, strlen(bad)))
            fail_msg("%s: %s at 0x%04x is %s", program, *labels, (unsigned)s.address,
                     listed ? hc_proof_reason_names[reason] : "not listed");
        bool page = proof->hashed[s.address >> 11] >> (s.address >> 8 & 7) & 1;
        assert_true(page || !listed);
    }
    hc_proof_free(proof);
    hc_image_free(image);
}

static void knows_loops(void **state)
{
    static const char *const labels[] = {
        "bad_goto",       "good_behind",   "good_inline",        "good_inline_body", "good_call",
        "good_call_body", "good_outer",    "good_inner",         "good_outer_body",  "good_outer2",
        "bad_inner2",     "bad_head",      "good_then",          "bad_else",         "bad_join",
        "good_through",   "bad_through",   "bad_through_behind", "good_end",         "good_ticking",
        "good_ticked",    "bad_sometimes", "good_way",           "bad_way",          NULL
    };
    (void)state;
    check_labels("loops", labels, "bad");
}

static bool is_plain(const uint32_t *plain, size_t count, uint32_t address)
{
    for (size_t i = 0; i < count; i++)
        if (plain[i] == address)
            return true;
    return false;
}

static void knows_plain_ticks(void **state)
{
    static const char *const labels[] = { "looks_loop",      "looks_forever",
                                          "plain_straight",  "plain_beside",
                                          "looks_in_turns",  "looks_behind",
                                          "looks_recursive", "looks_unwinding",
                                          "looks_after",     "plain_first",
                                          "looks_last",      "looks_even",
                                          "plain_odd",       NULL };
    struct hc_image *image = load(path_of("ticks"));
    struct hc_symbol s;
    uint32_t *plain;
    size_t count;
    (void)state;

    assert_true(hc_image_symbol(image, "__hc_tick", &s));
    assert_true(hc_proof_plain_ticks(&plain, &count, image, s.address));
    for (const char *const *label = labels; *label; label++) {
        assert_true(hc_image_symbol(image, *label, &s));
        if (is_plain(plain, count, s.address) != !strncmp(*label, "plain", 5))
            fail_msg("%s at 0x%04x", *label, (unsigned)s.address);
    }
    free(plain);
    hc_image_free(image);
}

/* A call of double_LEVEL: how many ticks in a row are plain. */
static void walk_double(const bool is_plain_at[16], int level, size_t *row, size_t *longest)
{
    *row = is_plain_at[level] ? *row + 1 : 0;
    *longest = *row > *longest ? *row : *longest;
    for (int i = 0; i < 2 && level < 15; i++)
        walk_double(is_plain_at, level + 1, row, longest);
}

/* Sixteen functions of which each calls the next one twice come to 2^16 - 1 ticks: never are 2^14 of them in a row
 * plain. Counted by walking the calls. */
static void knows_many_ticks(void **state)
{
    struct hc_image *image = load(path_of("ticks"));
    struct hc_symbol s;
    uint32_t *plain;
    size_t count, row = 0, longest = 0;
    bool is[16];
    (void)state;

    assert_true(hc_image_symbol(image, "__hc_tick", &s));
    assert_true(hc_proof_plain_ticks(&plain, &count, image, s.address));
    for (int i = 0; i < 16; i++) {
        char name[20];
        snprintf(name, sizeof name, "tick_%d", i);
        assert_true(hc_image_symbol(image, name, &s));
        is[i] = is_plain(plain, count, s.address);
    }
    walk_double(is, 0, &row, &longest);
    assert_true(is[15]);
    assert_in_range(longest, 1, 1 << 14);
    free(plain);
    hc_image_free(image);
}

static void knows_calls(void **state)
{
    static const char *const labels[] = { "good_start",
                                          "good_between",
                                          "bad_twice",
                                          "bad_twice_ret",
                                          "good_ticks",
                                          "good_ticks_ret",
                                          "good_once",
                                          "good_parted",
                                          "good_first",
                                          "good_second",
                                          "bad_third",
                                          "good_tail1",
                                          "good_tail2",
                                          "bad_tail",
                                          "bad_by_address",
                                          "bad_by_address_too",
                                          "good_recursive",
                                          "good_recursive_body",
                                          "good_recursive_call",
                                          "bad_recursive_back",
                                          "bad_recursive_ret",
                                          "bad_untold",
                                          "bad_untold_ret",
                                          "good_whole",
                                          "bad_middle",
                                          "bad_by_reti",
                                          "bad_by_reti_ret",
                                          "good_end",
                                          NULL };
    (void)state;
    check_labels("calls", labels, "bad");
}

static void knows_threads(void **state)
{
    static const char *const labels[] = {
        "good_loop",    "good_head",       "good_tail",   "bad_swap",         "bad_swap_ret",
        "bad_thread",   "bad_thread_back", "good_framed", "good_framed_body", "good_framed_ret",
        "bad_computed", "bad_by_return",   NULL
    };
    (void)state;
    check_labels("threads", labels, "bad");
}

static void knows_handlers(void **state)
{
    static const char *const labels[] = { "good_loop", "good_rest", "shared_entry", "shared_body", NULL };

    (void)state;
    check_labels("handlers", labels, "none");
    check_labels("handlers_nested", labels, "shared_body");
    check_labels("handlers_leaves", labels, "none");
    check_labels("handlers_critical", labels, "none");
    check_labels("handlers_careless", labels, "shared_body");
}

static void names_reasons(void **state)
{
    struct hc_image *image = load(path_of("calls"));
    struct hc_proof *proof = prove(image);
    enum hc_proof_reason reason = HC_PROOF_INDIRECT;
    struct hc_symbol s;

    (void)state;
    assert_true(hc_image_symbol(image, "bad_twice", &s) && hc_proof_lists(proof, s.address, &reason));
    assert_string_equal(hc_proof_reason_names[reason], "entered");
    assert_true(hc_image_symbol(image, "bad_untold", &s) && hc_proof_lists(proof, s.address, &reason));
    assert_string_equal(hc_proof_reason_names[reason], "cycle");
    assert_false(hc_proof_lists(proof, 0, &reason));
    assert_false(hc_proof_lists(proof, 0xfffe, &reason));
    for (size_t i = 1; i < proof->ranges; i++)
        assert_true(proof->range[i - 1].end <= proof->range[i].start);
    hc_proof_free(proof);
    hc_image_free(image);
}

/* ---- the second source: run, and remember every position since the last event ---- */

enum { ADDRESSES = 1 << 16 };

struct watcher {
    const struct hc_proof *proof;
    struct hc_image *image;
    uint32_t counter; /* address of __hc_count; 0: none */
    uint32_t epoch;
    uint32_t seen_epoch[ADDRESSES];
    uint32_t *seen; /* counts of this epoch at each address, a few of them */
    long positions, repeated;
    int errors;
    struct hc_map *map; /* of a program with a recorder, which looks after the counter itself; else NULL */
};

enum { COUNTS = 8 }; /* remembered for each address; older ones are smaller: the counter only grows */

static uint32_t counter_of(const struct watcher *w, struct hc_machine *m)
{
    return w->counter ? hc_peek16(m, w->counter) | (uint32_t)hc_peek16(m, w->counter + 2) << 16 : 0;
}

static void arrive(struct watcher *w, struct hc_machine *m, uint32_t pc)
{
    uint32_t count = counter_of(w, m) + 1, *seen = &w->seen[pc * COUNTS];
    enum hc_proof_reason reason;

    if (w->seen_epoch[pc] != w->epoch) {
        w->seen_epoch[pc] = w->epoch;
        memset(seen, 0, COUNTS * sizeof *seen);
    }
    w->positions++;
    for (int i = 0; i < COUNTS; i++) {
        if (seen[i] == count) {
            w->repeated++;
            if (!hc_proof_lists(w->proof, pc, &reason) && w->errors++ < 5) {
                char place[120];
                print_error("%s comes twice with count %u and is not listed\n",
                            hc_image_locate(w->image, pc, place, sizeof place), (unsigned)count - 1);
            }
            return;
        }
    }
    memmove(seen + 1, seen, (COUNTS - 1) * sizeof *seen);
    seen[0] = count;
}

/* The recorder's own labels may have the names of functions. */
static bool is_from_c(const struct watcher *w, uint32_t pc)
{
    struct hc_line line;
    const char *end = hc_image_line_at(w->image, pc, &line) && line.file ? strrchr(line.file, '.') : NULL;

    return end && !strcmp(end, ".c");
}

/* Of a program with a recorder: is PC the program's, or the recorder's between its cuts? */
static bool is_position(const struct watcher *w, uint32_t pc)
{
    struct hc_symbol f;
    uint32_t plain;

    if (!w->map)
        return true;
    if (!hc_image_function_at(w->image, pc, &f))
        return false;
    return (hc_map_plain(w->map, f.name, &plain) && is_from_c(w, pc)) || !strncmp(f.name, "__hc_poll", 9) ||
           !strncmp(f.name, "__mspabi", 8);
}

/* The place where an interrupt could arrive is before the next instruction, if interrupts are on. */
static void retired(void *owner, struct hc_machine *m, uint32_t pc)
{
    uint32_t sr = hc_register(m, HC_SR), next = hc_register(m, HC_PC);

    (void)pc;
    if ((sr & HC_SR_GIE) && !(sr & HC_SR_CPUOFF) && next < ADDRESSES && is_position(owner, next))
        arrive(owner, m, next);
}

/* An event: the recorder would set the counter to 0. */
static void interrupted(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct watcher *w = owner;

    (void)vector;
    (void)pc;
    w->epoch++;
    if (w->counter && !w->map) {
        hc_poke16(m, w->counter, 0);
        hc_poke16(m, w->counter + 2, 0);
    }
}

static enum hc_action read_recorded(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m;
    (void)pc;
    ((struct watcher *)owner)->epoch++;
    return HC_CONTINUE;
}

static void watch_recorder(struct watcher *w, struct hc_machine *m)
{
    static const char *const ends[] = { "__hc_cut_read_end" };
    struct hc_map_message message;
    struct hc_symbol s;

    if (hc_map_read(&w->map, w->image, &message))
        return;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (hc_image_symbol(w->image, ends[i], &s))
            hc_hook_pc(m, s.address, read_recorded, w);
}

/* Returns how many positions came twice, all of them listed. */
static long watch(const char *path, hc_time span)
{
    struct watcher *w = calloc(1, sizeof *w);
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    struct hc_symbol s;

    assert_non_null(w);
    w->seen = calloc((size_t)ADDRESSES * COUNTS, sizeof *w->seen);
    assert_non_null(w->seen);
    w->image = harness_fill(board->machine, path);
    struct hc_proof *proof = prove(w->image);
    w->proof = proof;
    w->epoch = 1;
    if (hc_image_symbol(w->image, "__hc_count", &s))
        w->counter = s.address;
    watch_recorder(w, board->machine);
    hc_machine_reset(board->machine, HC_POR);
    hc_hook_retire(board->machine, retired, w);
    hc_hook_interrupt(board->machine, interrupted, w);
    hc_machine_run(board->machine, span);
    if (w->counter && !w->map && hc_image_symbol(w->image, "finished", &s))
        assert_int_equal(hc_peek16(board->machine, s.address), HARNESS_FINISHED);
    print_message("%s: %ld positions, %ld of them again; %zu of %zu instructions listed\n", strrchr(path, '/') + 1,
                  w->positions, w->repeated, proof->ambiguous, proof->instructions);
    assert_true(w->positions > 0);
    assert_int_equal(w->errors, 0);
    long repeated = w->repeated;
    hc_proof_free(proof);
    hc_map_free(w->map);
    hc_image_free(w->image);
    hc_telosb_free(board);
    free(w->seen);
    free(w);
    return repeated;
}

static void programs_keep_what_is_proved(void **state)
{
    static const char *const names[] = { "handlers",          "handlers_nested",   "handlers_leaves",
                                         "handlers_critical", "handlers_careless", "compiled",
                                         "compiled_o1",       "compiled_o2",       "threads" };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        long repeated = watch(path_of(names[i]), 3 * HC_SECOND);
        bool unique = !strcmp(names[i], "handlers") || !strcmp(names[i], "handlers_leaves") ||
                      !strcmp(names[i], "handlers_critical");
        assert_true(unique ? !repeated : repeated > 0);
    }
}

/* Applications without a single tick: nearly everything is listed; what is not must be right. */
static void applications_keep_what_is_proved(void **state)
{
    static const char *const names[] = { "blink", "mho", "em", "collect", "demo" };
    char path[400];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s.elf", HARNESS_APPS, names[i]);
        watch(path, 2 * HC_SECOND);
    }
}

/* Programs given on the command line, with their recorder in them. */
static int given_count;
static char **given;

static void recorded_programs_keep_what_is_proved(void **state)
{
    (void)state;
    for (int i = 0; i < given_count; i++)
        watch(given[i], 6 * HC_SECOND);
}

static void refuses_what_has_no_reset(void **state)
{
    static const char text[] = "@4000\n30 41\nq\n";
    struct hc_image_message image_message;
    struct hc_proof_message message = { "" };
    struct hc_image *image;
    struct hc_proof *proof;

    (void)state;
    assert_int_equal(hc_image_load_memory(&image, "nothing", text, sizeof text - 1, &image_message), 0);
    assert_int_equal(hc_proof_make(&proof, image, &message), HC_PROOF_BAD);
    assert_null(proof);
    assert_string_equal(message.text, "has no reset vector");
    hc_image_free(image);
}

int main(int argc, char **argv)
{
    given_count = argc - 1;
    given = argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_loops),
        cmocka_unit_test(knows_plain_ticks),
        cmocka_unit_test(knows_many_ticks),
        cmocka_unit_test(knows_calls),
        cmocka_unit_test(knows_threads),
        cmocka_unit_test(knows_handlers),
        cmocka_unit_test(names_reasons),
        cmocka_unit_test(programs_keep_what_is_proved),
        cmocka_unit_test(applications_keep_what_is_proved),
        cmocka_unit_test(recorded_programs_keep_what_is_proved),
        cmocka_unit_test(refuses_what_has_no_reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
