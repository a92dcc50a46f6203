/* Locate on the machine, against brute force: every checkpoint, every power failure within the execution depth,
 * executed again. On random programs, data and stack in FRAM; a failing one prints its number, which `test_locate
 * NUMBER` runs alone. Then evaluate, and the heap, on small programs of the kit. */
#include "machine/board/launchpad_fr5969.h"
#include "machine/device.h"
#include "power/evaluate.h"
#include "power/layman.h"
#include "power/locate.h"
#include "power/placement.h"
#include "power/suggest.h"
#include "support/harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 3000, START = 0x4400, SUBROUTINES = 0x4500, SUBROUTINE_ROOM = 0x40, MAIN = 0x4800 };
enum { KNOWN = 3 };
enum { DATA = 0xc000, DATA_BYTES = 12, STACK = 0xff80, STACK_BYTES = 32, MOST_STEPS = 2000, MOST_ACCESSES = 8000 };

/* ---- random programs ---- */

struct writer {
    struct hc_machine *m;
    uint64_t seed;
    uint32_t at;
};

static unsigned random_below(struct writer *w, unsigned n)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(w->seed >> 33) % n;
}

static void word(struct writer *w, uint16_t value)
{
    assert_true(hc_poke16(w->m, w->at, value));
    w->at += 2;
}

/* Absolute addresses in the data; even for words. */
static uint16_t somewhere(struct writer *w, bool byte)
{
    return (uint16_t)(DATA + (byte ? random_below(w, DATA_BYTES) : 2 * random_below(w, DATA_BYTES / 2)));
}

static void random_instruction(struct writer *w)
{
    bool byte = random_below(w, 2);
    uint16_t b = byte ? 0x40 : 0, reg = (uint16_t)(4 + random_below(w, 4));

    switch (random_below(w, 7)) {
    case 0: /* MOV #n, &a */
        word(w, 0x40b2 | b);
        word(w, (uint16_t)random_below(w, 3));
        word(w, somewhere(w, byte));
        break;
    case 1: /* MOV &a, Rn */
        word(w, (uint16_t)(0x4210 | b | reg));
        word(w, somewhere(w, byte));
        break;
    case 2: /* MOV Rn, &a */
        word(w, (uint16_t)(0x4082 | b | reg << 8));
        word(w, somewhere(w, byte));
        break;
    case 3: /* ADD #1, &a */
        word(w, 0x5392 | b);
        word(w, somewhere(w, byte));
        break;
    case 4: /* ADD &a, &b */
        word(w, 0x5292 | b);
        word(w, somewhere(w, byte));
        word(w, somewhere(w, byte));
        break;
    case 5: /* XOR Rn, &a */
        word(w, (uint16_t)(0xe082 | b | reg << 8));
        word(w, somewhere(w, byte));
        break;
    default: /* PUSH Rn, POP Rm */
        word(w, (uint16_t)(0x1200 | reg));
        word(w, (uint16_t)(0x4130 | (4 + random_below(w, 4))));
        break;
    }
}

static void write_subroutines(struct writer *w)
{
    for (uint32_t i = 0; i < 3; i++) {
        w->at = SUBROUTINES + i * SUBROUTINE_ROOM;
        for (unsigned n = 1 + random_below(w, 4); n; n--)
            random_instruction(w);
        word(w, 0x4130); /* RET */
    }
}

/* MOV #n, R10; some instructions, a call perhaps; DEC R10; JNZ */
static void write_loop(struct writer *w)
{
    word(w, 0x403a);
    word(w, (uint16_t)(1 + random_below(w, 3)));
    uint32_t top = w->at;
    for (unsigned n = 1 + random_below(w, 5); n; n--)
        random_instruction(w);
    if (random_below(w, 2)) {
        word(w, 0x12b0);
        word(w, (uint16_t)(SUBROUTINES + random_below(w, 3) * SUBROUTINE_ROOM));
    }
    word(w, 0x831a);
    word(w, (uint16_t)(0x2000 | (((top - w->at - 2) / 2) & 0x3ff)));
}

static void write_program(struct hc_machine *m, unsigned number)
{
    struct writer w = { m, number * 7919u + 17, START };

    word(&w, 0x4031); /* MOV #STACK, SP */
    word(&w, STACK);
    word(&w, 0x40b2); /* the watchdog off */
    word(&w, 0x5a80);
    word(&w, 0x015c);
    word(&w, 0x12b0); /* CALL #MAIN */
    word(&w, MAIN);
    word(&w, 0x3fff);
    write_subroutines(&w);
    w.at = MAIN;
    for (unsigned n = 2 + random_below(&w, 3); n; n--)
        write_loop(&w);
    word(&w, 0x4130);
    hc_poke16(m, 0xfffe, START);
    for (uint32_t i = 0; i < DATA_BYTES; i++)
        hc_poke(m, DATA + i, (uint8_t)random_below(&w, 3));
}

/* ---- brute force ---- */

struct logged {
    uint64_t time;
    struct hc_access access;
};

struct layman {
    struct hc_machine *m;
    struct logged log[MOST_ACCESSES];
    size_t logged;
    uint64_t start;               /* instructions before main */
    int steps;                    /* of the run */
    size_t first[MOST_STEPS + 2]; /* access of each step */
    uint32_t registers[MOST_STEPS + 2][HC_REGISTERS];
    uint8_t memory[MOST_STEPS + 2][DATA_BYTES + STACK_BYTES];

    /* While a stretch is executed again. */
    bool again;
    size_t next;
    bool stale;
    uint64_t stale_time;
    size_t failure; /* accesses before it, from the checkpoint's on */
    size_t checkpoint;
    struct hc_pairs found;

    /* Known checkpoints: the stack is volatile then, so that what is stale never changes the path. */
    uint32_t before[KNOWN]; /* instructions; 0: anywhere instead */
    bool rewritten[DATA_BYTES];
};

static uint64_t time_of(struct hc_machine *m)
{
    struct hc_statistics s;

    hc_machine_statistics(m, &s);
    return s.instructions;
}

static uint32_t nth_address(int i)
{
    return i < DATA_BYTES ? DATA + (uint32_t)i : STACK - STACK_BYTES + (uint32_t)(i - DATA_BYTES);
}

static void save_state(struct layman *l, int step)
{
    for (int i = 0; i < HC_REGISTERS; i++)
        l->registers[step][i] = hc_register(l->m, i);
    for (int i = 0; i < DATA_BYTES + STACK_BYTES; i++)
        l->memory[step][i] = hc_peek(l->m, nth_address(i));
}

static bool is_known(const struct layman *l)
{
    return l->before[0] != 0;
}

/* Registers of step C, non-volatile memory of step F. */
static void load_state(struct layman *l, int c, int f)
{
    for (int i = 0; i < HC_REGISTERS; i++)
        hc_set_register(l->m, i, l->registers[c][i]);
    for (int i = 0; i < DATA_BYTES + STACK_BYTES; i++)
        hc_poke(l->m, nth_address(i), l->memory[i < DATA_BYTES || !is_known(l) ? f : c][i]);
}

static bool touches(const struct hc_access *a, uint32_t address)
{
    return address >= a->address && address < a->address + a->size;
}

/* Byte I of an access read something else than in the continuous run: who wrote it? */
static void stale_byte(struct layman *l, const struct logged *golden, uint32_t address)
{
    for (size_t k = l->failure; k-- > l->checkpoint;)
        if (l->log[k].access.write && touches(&l->log[k].access, address)) {
            struct hc_occurrence occurrence = { .consumed = golden->time,
                                                .produced = l->log[k].time,
                                                .address = address };
            hc_pairs_add(&l->found, HC_DATA_ACCESS, golden->access.pc, l->log[k].access.pc, false, &occurrence);
            return;
        }
    fail_msg("a stale byte that nobody wrote");
}

static void compare_read(struct layman *l, const struct hc_access *access)
{
    const struct logged *golden = &l->log[l->next];

    if (l->next >= l->failure || (l->stale && golden->time != l->stale_time))
        return;
    assert_int_equal(golden->access.pc, access->pc);
    assert_int_equal(golden->access.address, access->address);
    for (uint32_t i = 0; !access->write && i < access->size; i++)
        if ((golden->access.value ^ access->value) >> 8 * i & 0xff) {
            stale_byte(l, golden, access->address + i);
            l->stale = true;
            l->stale_time = golden->time;
        }
}

/* A byte that was not written again, and is not what it was. */
static void compare_data(struct layman *l, const struct hc_access *access)
{
    const struct logged *golden = &l->log[l->next];

    if (l->next >= l->failure)
        return;
    assert_int_equal(golden->access.pc, access->pc);
    assert_int_equal(golden->access.address, access->address);
    for (uint32_t i = 0; i < access->size && access->address < DATA + DATA_BYTES; i++) {
        bool *rewritten = &l->rewritten[access->address + i - DATA];
        bool differs = (golden->access.value ^ access->value) >> 8 * i & 0xff;
        if (access->write)
            *rewritten = true;
        else if (differs && !*rewritten)
            stale_byte(l, golden, access->address + i);
    }
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct layman *l = owner;

    if (!l->again) {
        assert_true(l->logged < MOST_ACCESSES);
        l->log[l->logged++] = (struct logged){ time_of(m), *access };
        return HC_CONTINUE;
    }
    if (is_known(l))
        compare_data(l, access);
    else
        compare_read(l, access);
    l->next++;
    return HC_CONTINUE;
}

/* The whole run, instruction by instruction. */
static void run_golden(struct layman *l, uint32_t back)
{
    l->start = time_of(l->m);
    while (hc_register(l->m, HC_PC) != back) {
        assert_true(l->steps < MOST_STEPS);
        save_state(l, l->steps);
        l->first[l->steps++] = l->logged;
        hc_machine_step(l->m, 1, HC_NEVER);
    }
    save_state(l, l->steps);
    l->first[l->steps] = l->logged;
}

/* The supply fails after step F (excluded: F steps are done); step C is the first after the checkpoint. */
static void fail_once(struct layman *l, int c, int f)
{
    load_state(l, c, f);
    l->checkpoint = l->next = l->first[c];
    l->failure = l->first[f];
    l->stale = false;
    memset(l->rewritten, 0, sizeof l->rewritten);
    for (int step = c; step < f && !l->stale; step++)
        hc_machine_step(l->m, 1, HC_NEVER);
}

static void brute_force(struct layman *l, int depth)
{
    l->again = true;
    for (int c = 0; c < l->steps; c++)
        for (int f = c + 1; f <= l->steps && f - c - 1 <= depth; f++)
            fail_once(l, c, f);
}

static bool is_checkpoint(const struct layman *l, int step)
{
    for (int i = 0; i < KNOWN; i++)
        if (l->registers[step][HC_PC] == l->before[i])
            return true;
    return step == 0;
}

/* From each checkpoint to the next, whose failure is the last that leads back to it. */
static void brute_force_known(struct layman *l)
{
    l->again = true;
    for (int c = 0; c < l->steps; c++)
        for (int f = c + 1; is_checkpoint(l, c) && f <= l->steps; f++) {
            fail_once(l, c, f);
            if (is_checkpoint(l, f))
                break;
        }
}

/* ---- both ---- */

static struct hc_launchpad *random_board(unsigned number)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);

    write_program(board->machine, number);
    hc_machine_reset(board->machine, HC_POR);
    return board;
}

/* DEPTH 0: known checkpoints, at some of the run's instructions. */
static struct layman *layman_of(unsigned number, int depth)
{
    struct layman *l = calloc(1, sizeof *l);
    struct hc_launchpad *board = random_board(number);

    l->m = board->machine;
    while (hc_register(l->m, HC_PC) != MAIN)
        hc_machine_step(l->m, 1, HC_NEVER);
    uint32_t back = hc_peek16(l->m, hc_register(l->m, HC_SP));
    hc_hook_access(l->m, DATA, DATA + DATA_BYTES - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed, l);
    hc_hook_access(l->m, STACK - STACK_BYTES, STACK - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed, l);
    run_golden(l, back);
    for (int i = 0; i < KNOWN && !depth; i++)
        l->before[i] = l->registers[(number * 31u + (unsigned)i * 17u) % (unsigned)l->steps][HC_PC];
    if (depth)
        brute_force(l, depth);
    else
        brute_force_known(l);
    hc_launchpad_free(board);
    return l;
}

/* Of whichever kind; the smaller distance. */
static uint64_t located_distance(const struct hc_pairs *pairs, uint32_t consumer, uint32_t producer)
{
    const struct hc_pair *data = hc_pairs_find(pairs, HC_DATA_ACCESS, consumer, producer);
    const struct hc_pair *record = hc_pairs_find(pairs, HC_ACTIVATION_RECORD, consumer, producer);
    uint64_t a = data ? data->distance : HC_NO_DISTANCE, b = record ? record->distance : HC_NO_DISTANCE;

    return a < b ? a : b;
}

static void compare_program(unsigned number)
{
    static const int depths[] = { 5, 12, 40, 0 };
    int depth = depths[number % 4];
    struct layman *l = layman_of(number, depth);
    struct hc_launchpad *board = random_board(number);
    struct hc_located located;
    struct hc_locate_config config = { .machine = board->machine,
                                       .depth = (uint64_t)depth,
                                       .limit = 100000,
                                       .nvm = depth ? HC_NVM_ALL : HC_NVM_GLOBALS,
                                       .before = l->before,
                                       .before_count = depth ? 0 : KNOWN,
                                       .program = { .start = START, .main = MAIN, .stack = STACK } };

    hc_power_locate(&config, &located);
    assert_true(located.end == HC_LOCATE_DONE || located.end == HC_LOCATE_NO_NVM);
    assert_int_equal(located.instructions, l->steps);
    for (size_t i = 0; i < l->found.count; i++) {
        const struct hc_pair *p = &l->found.pair[i];
        uint64_t distance = located_distance(&located.pairs, p->consumer, p->producer);
        if (depth ? distance != p->distance : distance == HC_NO_DISTANCE)
            fail_msg("program %u: %04x, %04x: distance %lld, by brute force %lld", number, (unsigned)p->consumer,
                     (unsigned)p->producer, (long long)distance, (long long)p->distance);
    }
    for (size_t i = 0; i < located.pairs.count; i++) {
        const struct hc_pair *p = &located.pairs.pair[i];
        if (p->distance != HC_NO_DISTANCE && !hc_pairs_find(&l->found, HC_DATA_ACCESS, p->consumer, p->producer))
            fail_msg("program %u: %04x, %04x: not found by brute force", number, (unsigned)p->consumer,
                     (unsigned)p->producer);
    }
    hc_located_free(&located);
    hc_launchpad_free(board);
    hc_pairs_free(&l->found);
    free(l);
}

/* The baseline that compares all of memory sees less (a stale value may come to nothing), and nothing else. */
static void whole_memory(void **state)
{
    bool any = false;

    (void)state;
    for (unsigned i = 0; i < 60; i++) {
        struct hc_launchpad *board = random_board(i), *other = random_board(i);
        struct hc_locate_config config = { .machine = board->machine,
                                           .depth = 12,
                                           .limit = 100000,
                                           .program = { .start = START, .main = MAIN, .stack = STACK } };
        struct hc_layman layman;
        struct hc_located located;
        bool anomalies = false;
        assert_true(hc_layman_run(&config, 0, 1, UINT64_MAX, &layman));
        config.machine = other->machine;
        hc_power_locate(&config, &located);
        assert_int_equal(layman.checkpoints, located.instructions);
        assert_int_equal(layman.instructions, (uint64_t)hc_layman_instructions(located.instructions, 12));
        for (size_t k = 0; k < located.pairs.count; k++)
            anomalies |= located.pairs.pair[k].distance != HC_NO_DISTANCE;
        assert_true(anomalies || !layman.different);
        any |= layman.different != 0;
        hc_located_free(&located);
        hc_launchpad_free(board);
        hc_launchpad_free(other);
    }
    assert_true(any);
}

/* Equation 5, and bounded by the execution depth. */
static void equation_5(void **state)
{
    static const struct {
        uint64_t depth;
        double least, most;
    } rows[] = { { UINT64_MAX, 2.344e13, 2.346e13 },
                 { 3000, 2.24e11, 2.26e11 },
                 { 4000, 3.94e11, 3.96e11 },
                 { 5000, 6.08e11, 6.10e11 } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double n = hc_layman_instructions(52011, rows[i].depth);
        assert_true(n > rows[i].least && n < rows[i].most);
    }
}

static unsigned only = UINT32_MAX, programs = PROGRAMS;

static void random_programs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < programs; i++)
        if (only == UINT32_MAX || only == i)
            compare_program(i);
}

/* ---- programs of the kit ---- */

struct analysed {
    struct hc_launchpad *board;
    struct hc_image *image;
    struct hc_locate_config config;
    struct hc_located located;
};

static void analyse(struct analysed *a, const char *name, uint64_t depth, const char *checkpoint)
{
    struct hc_symbol symbol;

    *a = (struct analysed){ .board = hc_launchpad_new(NULL) };
    a->image = harness_fill(a->board->machine, name);
    hc_machine_reset(a->board->machine, HC_POR);
    a->config = (struct hc_locate_config){ .machine = a->board->machine, .depth = depth, .limit = 10000000 };
    hc_power_program_find(&a->config.program, a->image);
    if (checkpoint) {
        assert_true(hc_image_symbol(a->image, checkpoint, &symbol));
        a->config.checkpoint = symbol.address;
    }
    hc_power_locate(&a->config, &a->located);
}

static void done(struct analysed *a)
{
    hc_located_free(&a->located);
    hc_image_free(a->image);
    hc_launchpad_free(a->board);
}

/* Pairs of KIND whose witness lies in VARIABLE (NULL: anywhere), silent ones or not. */
static int count(const struct analysed *a, enum hc_anomaly kind, const char *variable, bool silent)
{
    struct hc_symbol symbol = { .address = 0, .size = UINT32_MAX };
    int n = 0;

    if (variable)
        assert_true(hc_image_symbol(a->image, variable, &symbol));
    for (size_t i = 0; i < a->located.pairs.count; i++) {
        const struct hc_pair *p = &a->located.pairs.pair[i];
        bool in_variable = p->witness.address - symbol.address < symbol.size;
        n += p->kind == kind && in_variable && (p->distance == HC_NO_DISTANCE) == silent;
    }
    return n;
}

static void variables(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_fram", 5000, NULL);
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    assert_true(count(&a, HC_DATA_ACCESS, "counter", false) > 0);
    assert_true(count(&a, HC_DATA_ACCESS, "copied_back", false) > 0); /* by memcpy */
    assert_true(count(&a, HC_DATA_ACCESS, "overlapping", false) > 0); /* a byte of a word */
    assert_int_equal(count(&a, HC_DATA_ACCESS, "only_written", false), 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "only_read", false), 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "constant", false), 0);
    assert_true(count(&a, HC_DATA_ACCESS, "constant", true) > 0); /* read, and the same stored */
    assert_true(count(&a, HC_ACTIVATION_RECORD, NULL, false) > 0);
    done(&a);
}

/* The paper's figures, and their fixes. */
static void figures(void **state)
{
    static const struct {
        const char *name;
        enum hc_anomaly kind;
        bool found;
    } rows[] = { { "figure1", HC_DATA_ACCESS, true },
                 { "figure1-fix", HC_DATA_ACCESS, false },
                 { "figure3", HC_ACTIVATION_RECORD, true },
                 { "figure4", HC_MEMORY_MAP, true },
                 { "figure4-fix", HC_MEMORY_MAP, false } };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[1024];
        struct analysed a;
        bool found = false;
        snprintf(path, sizeof path, "%s/%s.elf", HARNESS_APPS, rows[i].name);
        analyse(&a, path, 0, "checkpoint");
        for (size_t k = 0; k < a.located.pairs.count; k++) { /* malloc and free alone are pairs with themselves */
            const struct hc_pair *p = &a.located.pairs.pair[k];
            bool alone = p->kind == HC_MEMORY_MAP && p->consumer == p->producer;
            found |= p->kind == rows[i].kind && p->distance != HC_NO_DISTANCE && !alone;
        }
        assert_int_equal(found, rows[i].found);
        done(&a);
    }
}

/* A checkpoint between the read and the write leaves nothing to find. */
static void known_checkpoints(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_globals", 0, "checkpoint");
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    assert_int_equal(a.located.checkpoints, 3);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "guarded", false), 0);
    assert_true(count(&a, HC_DATA_ACCESS, "copied_back", false) > 0);
    assert_int_equal(count(&a, HC_DATA_ACCESS, "counter", false), 0);  /* before the first one it begins anew */
    assert_int_equal(count(&a, HC_ACTIVATION_RECORD, NULL, false), 0); /* the stack is volatile */
    done(&a);
}

static void blocks_of_the_heap(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_heap", 5000, NULL);
    assert_int_equal(a.located.end, HC_LOCATE_DONE);
    int apriori = count(&a, HC_MEMORY_MAP, NULL, false);
    assert_true(apriori >= 4);
    done(&a);
    analyse(&a, "power_heap", 0, "checkpoint");
    int aposteriori = count(&a, HC_MEMORY_MAP, NULL, false);
    assert_true(aposteriori > 0 && aposteriori < apriori); /* the block that lives in one window is exempt */
    done(&a);
}

/* A latch is a jump backwards; what comes behind a call follows one. */
static void strategies(void **state)
{
    struct analysed a;
    size_t latches, returns;

    (void)state;
    analyse(&a, "power_cases_globals", 5000, NULL);
    uint32_t *latch = hc_place_checkpoints(a.board->machine, a.image, HC_PLACE_LOOP_LATCH, &latches);
    uint32_t *after = hc_place_checkpoints(a.board->machine, a.image, HC_PLACE_FUNCTION_RETURN, &returns);
    assert_true(latches > 0 && returns > 8);
    for (size_t i = 0; i < latches; i++) {
        uint16_t code = hc_peek16(a.board->machine, latch[i]);
        assert_int_equal(code & 0xe000, 0x2000); /* a jump, */
        assert_int_equal(code & 0x0200, 0x0200); /* backwards */
    }
    for (size_t i = 0; i < returns; i++) /* CALL #function */
        assert_int_equal(hc_peek16(a.board->machine, after[i] - 4), 0x12b0);
    free(latch);
    free(after);
    done(&a);
}

/* A checkpoint that does not save the stack loses what main keeps there. */
static void lost_state(void **state)
{
    struct analysed a;

    (void)state;
    analyse(&a, "power_cases_globals", 0, "checkpoint");
    assert_int_equal(count(&a, HC_LOST_STATE, NULL, false), 0);
    assert_in_range(a.located.stack_low, 0x2300, 0x23ff);
    struct hc_locate_config config = a.config;
    done(&a);
    for (int unsaved = 0; unsaved < 8; unsaved++) {
        struct hc_located located;
        size_t lost = 0;
        a = (struct analysed){ .board = hc_launchpad_new(NULL) };
        a.image = harness_fill(a.board->machine, "power_cases_globals");
        hc_machine_reset(a.board->machine, HC_POR);
        config.machine = a.board->machine;
        config.unsaved = unsaved;
        hc_power_locate(&config, &located);
        for (size_t i = 0; i < located.pairs.count; i++)
            lost += located.pairs.pair[i].kind == HC_LOST_STATE;
        assert_int_equal(lost != 0, (unsaved & HC_UNSAVED_STACK) != 0); /* its globals are in FRAM, a heap it has not */
        hc_located_free(&located);
        hc_image_free(a.image);
        hc_launchpad_free(a.board);
    }
}

struct bench {
    const char *name;
    struct hc_launchpad *board;
};

static struct hc_machine *fresh(void *owner)
{
    struct bench *b = owner;

    b->board = hc_launchpad_new(NULL);
    hc_image_free(harness_fill(b->board->machine, b->name));
    hc_machine_reset(b->board->machine, HC_POR);
    return b->board->machine;
}

static void put_away(void *owner, struct hc_machine *machine)
{
    (void)machine;
    hc_launchpad_free(((struct bench *)owner)->board);
}

/* With what is suggested nothing is left but instructions that read and write one byte. */
static void suggestions(void **state)
{
    struct bench bench = { .name = "power_cases_globals" };
    struct hc_suggestion s;
    struct analysed a;

    (void)state;
    analyse(&a, bench.name, 0, "checkpoint");
    assert_true(count(&a, HC_DATA_ACCESS, NULL, false) > 0);
    assert_true(hc_power_suggest(&a.config, fresh, put_away, &bench, &s));
    assert_true(s.enough);
    assert_true(s.count > 0);
    assert_true(s.checkpoints > a.located.checkpoints);
    for (size_t i = 0; i < s.rest.pairs.count; i++) {
        const struct hc_pair *p = &s.rest.pairs.pair[i];
        assert_true(p->distance == HC_NO_DISTANCE || p->consumer == p->producer);
    }
    hc_located_free(&s.rest);
    done(&a);
}

/* What an anomaly does to VARIABLE: it is really tried. */
static void check_effects(uint64_t depth, const char *checkpoint, const char *variable)
{
    struct analysed a;
    struct hc_symbol symbol;
    bool wrong = false;

    analyse(&a, "power_cases_globals", depth, checkpoint);
    struct hc_evaluated *evaluated = calloc(a.located.pairs.count, sizeof *evaluated);
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    hc_image_free(harness_fill(board->machine, "power_cases_globals"));
    hc_machine_reset(board->machine, HC_POR);
    a.config.machine = board->machine;
    assert_true(hc_power_evaluate(&a.config, &a.located, evaluated));
    assert_true(hc_image_symbol(a.image, variable, &symbol));
    for (size_t i = 0; i < a.located.pairs.count; i++) {
        const struct hc_pair *p = &a.located.pairs.pair[i];
        assert_int_not_equal(evaluated[i].effect, HC_EFFECT_UNKNOWN);
        if (depth && p->distance == HC_NO_DISTANCE) /* nothing else is in its short window */
            assert_int_equal(evaluated[i].effect, HC_EFFECT_NONE);
        wrong |= p->witness.address - symbol.address < symbol.size && evaluated[i].effect == HC_EFFECT_VALUE;
    }
    assert_true(wrong);
    hc_launchpad_free(board);
    free(evaluated);
    done(&a);
}

static void effects(void **state)
{
    (void)state;
    check_effects(5000, NULL, "counter");
    check_effects(0, "checkpoint", "copied_back");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),    cmocka_unit_test(variables),    cmocka_unit_test(known_checkpoints),
        cmocka_unit_test(blocks_of_the_heap), cmocka_unit_test(whole_memory), cmocka_unit_test(suggestions),
        cmocka_unit_test(lost_state),         cmocka_unit_test(strategies),   cmocka_unit_test(figures),
        cmocka_unit_test(equation_5),         cmocka_unit_test(effects),
    };

    if (argc == 3) /* "first N" */
        programs = (unsigned)strtoul(argv[2], NULL, 10);
    else if (argc > 1)
        only = (unsigned)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
