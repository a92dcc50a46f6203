/* Locate, evaluate and brute_force on random programs, against brute force: every checkpoint, every power failure,
 * executed again. A failing program prints its number, which `test_random NUMBER` runs alone; `test_random first N`
 * runs more.
 *
 *     a-priori      a checkpoint before each instruction, a failure after each of the next ones: the first instruction
 *                   that reads something else than in the continuous run is the consumer, the last one that wrote that
 *                   byte the producer; the smallest distance of each pair must be the located one
 *     a-posteriori  known checkpoints, failures until the next one; each byte by itself is as the failure left it, so
 *                   that everything up to its readers is as it was: all readers before it is written again
 *     silent        by the definition, from all accesses of the continuous run
 *     evaluate      each occurrence of each pair, by its definition, from all accesses of the continuous run: the
 *                   program goes on to its end, and all data is compared; as many must end well, go wrong and crash
 *
 * Only the machine itself is shared with what is tested. */
#include "brute_pairs.h"
#include "choice.h"
#include "power/locate/locate.h"
#include "power/trial/brute_force.h"
#include "power/trial/evaluate.h"
#include "random_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROGRAMS = 2400, KNOWN = 3, MOST_STEPS = 3000, MOST_ACCESSES = 12000 };
enum { BYTES = RANDOM_DATA_BYTES + RANDOM_STACK_BYTES + RANDOM_SRAM_BYTES };

/* What program NUMBER is and how it is looked at. */
struct scenario {
    unsigned number;
    int depth;      /* 0: a-posteriori */
    bool in_cycles; /* the depth is */
    int features;
    enum hc_nvm nvm;
};

static struct scenario scenario_of(unsigned number)
{
    static const int depths[] = { 5, 0, 12, 0, 40, 0 };
    static const enum hc_nvm presets[] = { HC_NVM_ALL, HC_NVM_GLOBALS, HC_NVM_STACK };
    struct scenario s = { number, depths[number % 6], false, 0, presets[number / 6 % 3] };

    if (s.depth) /* else what is stale would take other ways before all its readers were met */
        s.features |= RANDOM_BRANCHES | RANDOM_LEFTOVERS;
    if (number / 18 % 3 == 0)
        s.features |= RANDOM_INTERRUPTS;
    s.in_cycles = s.depth && number / 18 % 3 == 1;
    return s;
}

/* ---- the continuous run ---- */

struct logged {
    uint64_t time;
    int step;
    struct hc_access access;
};

struct state {
    uint32_t registers[HC_REGISTERS];
    uint8_t memory[BYTES];
    uint8_t flag;
};

struct brute {
    struct scenario scenario;
    struct hc_launchpad *board;
    struct hc_machine *m;
    uint32_t back;
    struct hc_snapshot *sane;        /* at main's entry */
    uint64_t start;                  /* instructions before main */
    uint64_t cycles[MOST_STEPS + 2]; /* after each step */
    int steps, running;
    struct state state[MOST_STEPS + 2]; /* before each step */
    struct logged log[MOST_ACCESSES];
    size_t logged;
    size_t first[MOST_STEPS + 2]; /* access of each step */
    uint32_t before[KNOWN];

    /* While a stretch is executed again. */
    bool again, diverged, stale;
    size_t next;
    size_t failure; /* accesses before it */
    int checkpoint; /* step */
    int byte;       /* that is looked at; -1: all */
    struct brute_pairs found, silent;
    struct brute_occurrences occurrences;
};

static uint32_t nth_address(int i)
{
    if (i < RANDOM_DATA_BYTES)
        return RANDOM_DATA + (uint32_t)i;
    i -= RANDOM_DATA_BYTES;
    return i < RANDOM_STACK_BYTES ? RANDOM_STACK - RANDOM_STACK_BYTES + (uint32_t)i
                                  : RANDOM_SRAM + (uint32_t)(i - RANDOM_STACK_BYTES);
}

static bool is_stack(uint32_t address)
{
    return address >= RANDOM_STACK - RANDOM_STACK_BYTES && address < RANDOM_STACK;
}

static bool survives(const struct brute *b, uint32_t address)
{
    bool data = address >= RANDOM_DATA && address < RANDOM_DATA + RANDOM_DATA_BYTES;

    switch (b->scenario.nvm) {
    case HC_NVM_GLOBALS:
        return data;
    case HC_NVM_STACK:
        return is_stack(address);
    default:
        return data || is_stack(address);
    }
}

static void save_state(struct brute *b, struct state *s)
{
    for (int i = 0; i < HC_REGISTERS; i++)
        s->registers[i] = hc_register(b->m, i);
    for (int i = 0; i < BYTES; i++)
        s->memory[i] = hc_peek(b->m, nth_address(i));
    s->flag = random_flag(b->m);
}

/* All of the state before step C; of what survives, all or one BYTE as before step F. */
static void load_state(struct brute *b, int c, int f, int byte)
{
    random_set_flag(b->m, b->state[c].flag);
    for (int i = 0; i < HC_REGISTERS; i++)
        hc_set_register(b->m, i, b->state[c].registers[i]);
    for (int i = 0; i < BYTES; i++) {
        bool kept = survives(b, nth_address(i)) && (byte < 0 || byte == i);
        uint8_t value = b->state[kept ? f : c].memory[i];
        if (hc_peek(b->m, nth_address(i)) != value)
            hc_poke(b->m, nth_address(i), value);
    }
}

/* The hardware, entering an interrupt, has a name of its own. */
static uint32_t who(const struct hc_access *a)
{
    return a->pc == UINT32_MAX ? HC_BY_INTERRUPT : a->pc;
}

static bool touches(const struct hc_access *a, uint32_t address)
{
    return address >= a->address && address < a->address + a->size;
}

static uint8_t byte_of(const struct hc_access *a, uint32_t address)
{
    return (uint8_t)(a->value >> 8 * (address - a->address));
}

/* In instructions or cycles, as the scenario's depth is. */
static uint64_t apart(const struct brute *b, const struct logged *consumer, const struct logged *producer)
{
    return b->scenario.in_cycles ? b->cycles[producer->step] - b->cycles[consumer->step]
                                 : producer->time - consumer->time;
}

static void note(const struct brute *b, struct brute_pairs *pairs, const struct logged *consumer,
                 const struct logged *producer)
{
    brute_pairs_add(pairs, who(&consumer->access), who(&producer->access), apart(b, consumer, producer));
}

/* The byte was read and is not what it was: who wrote it last before the failure? */
static void blame(struct brute *b, const struct logged *consumer, uint32_t address)
{
    for (size_t k = b->failure; k-- > b->first[b->checkpoint];)
        if (b->log[k].access.write && touches(&b->log[k].access, address)) {
            note(b, &b->found, consumer, &b->log[k]);
            return;
        }
    fail_msg("program %u: a stale byte that nobody wrote", b->scenario.number);
}

static void compare_access(struct brute *b, const struct hc_access *access)
{
    const struct logged *golden = &b->log[b->next++];

    if (b->diverged || b->next > b->failure)
        return;
    b->diverged = golden->access.pc != access->pc || golden->access.address != access->address ||
                  golden->access.write != access->write || golden->access.size != access->size;
    for (uint32_t i = 0; !b->diverged && i < access->size; i++) {
        uint32_t address = access->address + i;
        if (b->byte >= 0 && address != nth_address(b->byte))
            continue;
        if (access->write && b->byte >= 0) {
            b->diverged = true; /* of this byte nothing is left */
        } else if (!access->write && survives(b, address) &&
                   byte_of(&golden->access, address) != byte_of(access, address)) {
            blame(b, golden, address);
            b->stale = true;
        }
    }
}

static enum hc_action accessed(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct brute *b = owner;

    if (b->again) {
        compare_access(b, access);
        return HC_CONTINUE;
    }
    assert_true(b->logged < MOST_ACCESSES);
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    b->log[b->logged++] = (struct logged){ s.instructions, b->running, *access };
    return HC_CONTINUE;
}

/* One instruction; false when there is none within a second: it faults, or sleeps. */
static bool step(struct brute *b)
{
    if (hc_machine_step(b->m, 1, hc_now(b->m) + HC_SECOND) == HC_STOP_STEPS)
        return true;
    hc_snapshot_restore(b->m, b->sane); /* a machine does not forget a fault by itself */
    return false;
}

static void run_golden(struct brute *b)
{
    struct hc_statistics s;

    while (hc_register(b->m, HC_PC) != RANDOM_MAIN)
        assert_int_equal(hc_machine_step(b->m, 1, HC_NEVER), HC_STOP_STEPS);
    hc_machine_statistics(b->m, &s);
    b->start = s.instructions;
    b->back = hc_peek16(b->m, hc_register(b->m, HC_SP));
    b->sane = hc_snapshot_take(b->m);
    hc_hook_access(b->m, RANDOM_DATA, RANDOM_DATA + RANDOM_DATA_BYTES - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed, b);
    hc_hook_access(b->m, RANDOM_STACK - RANDOM_STACK_BYTES, RANDOM_STACK - 1, HC_WATCH_READ | HC_WATCH_WRITE, accessed,
                   b);
    for (; hc_register(b->m, HC_PC) != b->back; b->steps++) {
        assert_true(b->steps < MOST_STEPS);
        save_state(b, &b->state[b->steps]);
        b->first[b->steps] = b->logged;
        b->running = b->steps;
        assert_true(step(b));
        hc_machine_statistics(b->m, &s);
        b->cycles[b->steps] = s.cycles;
    }
    save_state(b, &b->state[b->steps]);
    b->first[b->steps] = b->logged;
    b->again = true;
}

/* ---- brute force ---- */

/* F steps are done when the supply fails; step C is the first after the checkpoint. */
static void fail_once(struct brute *b, int c, int f, int byte)
{
    load_state(b, c, f, byte);
    b->checkpoint = c;
    b->next = b->first[c];
    b->failure = b->first[f];
    b->byte = byte;
    b->diverged = b->stale = false;
    for (int n = c; n < f && !b->diverged && !(byte < 0 && b->stale); n++)
        b->diverged |= !step(b);
}

/* One more than the depth: an interrupt's frame is written between two instructions, and counts for the earlier one. */
static void brute_apriori(struct brute *b)
{
    for (int c = 0; c < b->steps; c++)
        for (int f = c + 1; f <= b->steps && f - c - 1 <= b->scenario.depth + 1; f++)
            fail_once(b, c, f, -1);
}

static bool is_checkpoint(const struct brute *b, int step)
{
    for (int i = 0; i < KNOWN; i++)
        if (b->state[step].registers[HC_PC] == b->before[i] && !(b->state[step].flag & 1))
            return true;
    return step == 0;
}

/* The step that begins the next window. */
static int window_end(const struct brute *b, int c)
{
    int f = c + 1;

    while (f < b->steps && !is_checkpoint(b, f))
        f++;
    return f;
}

static void brute_aposteriori(struct brute *b)
{
    for (int c = 0; c < b->steps; c++)
        for (int f = c + 1, end = is_checkpoint(b, c) ? window_end(b, c) : 0; f <= end; f++)
            for (int i = 0; i < BYTES; i++)
                if (survives(b, nth_address(i)) && b->state[c].memory[i] != b->state[f].memory[i])
                    fail_once(b, c, f, i);
}

/* ---- silent pairs, by definition ---- */

static void silent_between(struct brute *b, size_t consumer, size_t producer)
{
    const struct hc_access *r = &b->log[consumer].access, *w = &b->log[producer].access;

    for (uint32_t a = r->address; a < r->address + r->size; a++)
        if (survives(b, a) && touches(w, a) && byte_of(r, a) == byte_of(w, a))
            note(b, &b->silent, &b->log[consumer], &b->log[producer]);
}

static bool is_silent_apriori(const struct brute *b, size_t consumer, size_t producer)
{
    return apart(b, &b->log[consumer], &b->log[producer]) <= (uint64_t)b->scenario.depth;
}

/* In one window, and not written before it was read. */
static bool is_silent_aposteriori(const struct brute *b, size_t consumer, size_t producer)
{
    const struct hc_access *r = &b->log[consumer].access;
    int c = b->log[consumer].step;

    while (!is_checkpoint(b, c))
        c--;
    if (b->log[producer].step >= window_end(b, c))
        return false;
    for (size_t k = b->first[c]; k < consumer; k++)
        if (b->log[k].access.write && b->log[k].access.address < r->address + r->size &&
            r->address < b->log[k].access.address + b->log[k].access.size)
            return false; /* of a word the other byte may still count; those are left to the other direction */
    return true;
}

static void find_silent(struct brute *b)
{
    for (size_t i = 0; i < b->logged; i++)
        for (size_t k = i; k < b->logged && !b->log[i].access.write; k++)
            if (b->log[k].access.write &&
                (b->scenario.depth ? is_silent_apriori(b, i, k) : is_silent_aposteriori(b, i, k)))
                silent_between(b, i, k);
}

/* ---- locate ---- */

static struct hc_locate_config config_of(const struct brute *b, struct hc_launchpad *board)
{
    return (
        struct hc_locate_config){ .machine = board->machine,
                                  .depth = (uint64_t)b->scenario.depth,
                                  .depth_in_cycles = b->scenario.in_cycles,
                                  .limit = 100000,
                                  .nvm = b->scenario.nvm,
                                  .before = b->before,
                                  .before_count = b->scenario.depth ? 0 : KNOWN,
                                  .program = { .start = RANDOM_START, .main = RANDOM_MAIN, .stack = RANDOM_STACK } };
}

/* Of whichever kind; the smaller distance. */
static uint64_t located_distance(const struct hc_pairs *pairs, uint32_t consumer, uint32_t producer, bool silent)
{
    uint64_t smallest = HC_NO_DISTANCE;

    for (enum hc_anomaly kind = HC_DATA_ACCESS; kind <= HC_ACTIVATION_RECORD; kind++) {
        const struct hc_pair *p = hc_pairs_find(pairs, kind, consumer, producer);
        uint64_t distance = !p ? HC_NO_DISTANCE : silent ? p->silent_distance : p->distance;
        smallest = distance < smallest ? distance : smallest;
    }
    return smallest;
}

static void none_missed(const struct brute *b, const struct hc_located *located)
{
    uint64_t depth = b->scenario.depth ? (uint64_t)b->scenario.depth : UINT64_MAX - 1;

    for (size_t i = 0; i < b->found.count; i++) {
        const struct brute_pair *p = &b->found.pair[i];
        uint64_t distance = located_distance(&located->pairs, p->consumer, p->producer, false);
        if (p->distance <= depth && (b->scenario.depth ? distance != p->distance : distance == HC_NO_DISTANCE))
            fail_msg("program %u: %04x, %04x: distance %lld, by brute force %lld", b->scenario.number,
                     (unsigned)p->consumer, (unsigned)p->producer, (long long)distance, (long long)p->distance);
    }
    for (size_t i = 0; i < b->silent.count; i++) {
        const struct brute_pair *p = &b->silent.pair[i];
        if (located_distance(&located->pairs, p->consumer, p->producer, false) == HC_NO_DISTANCE &&
            located_distance(&located->pairs, p->consumer, p->producer, true) == HC_NO_DISTANCE)
            fail_msg("program %u: %04x, %04x: silent, and not located", b->scenario.number, (unsigned)p->consumer,
                     (unsigned)p->producer);
    }
}

static void none_extra(const struct brute *b, const struct hc_located *located)
{
    for (size_t i = 0; i < located->pairs.count; i++) {
        const struct hc_pair *p = &located->pairs.pair[i];
        const struct brute_pair *found = brute_pairs_find(&b->found, p->consumer, p->producer);
        bool silent = p->distance == HC_NO_DISTANCE;
        if (!silent && !found)
            fail_msg("program %u: %04x, %04x: not found by brute force", b->scenario.number, (unsigned)p->consumer,
                     (unsigned)p->producer);
        if (silent && b->scenario.depth && !brute_pairs_find(&b->silent, p->consumer, p->producer))
            fail_msg("program %u: %04x, %04x: silent only for locate", b->scenario.number, (unsigned)p->consumer,
                     (unsigned)p->producer);
    }
}

/* ---- occurrences, by definition ---- */

/* Byte A is read by access R and then written by access W, with another value, near enough. */
static bool deceives(const struct brute *b, size_t r, size_t w, uint32_t a)
{
    const struct hc_access *read = &b->log[r].access;

    return !read->write && touches(read, a) && byte_of(read, a) != byte_of(&b->log[w].access, a) &&
           (!b->scenario.depth || apart(b, &b->log[r], &b->log[w]) <= (uint64_t)b->scenario.depth);
}

static void add_occurrence(struct brute *b, size_t r, size_t w, int resumed, bool nearest)
{
    struct brute_occurrence one = {
        who(&b->log[r].access), who(&b->log[w].access), b->log[r].step, b->log[w].step, resumed, nearest
    };

    brute_occurrences_add(&b->occurrences, one);
}

/* Checkpoints anywhere: each reader that would meet another value; the last of its kind is the nearest. */
static void occurrences_apriori(struct brute *b, size_t w, uint32_t a)
{
    for (size_t r = w; r-- > 0;) {
        bool nearest = true;
        if (!deceives(b, r, w, a))
            continue;
        for (size_t k = r + 1; k < w && nearest; k++)
            nearest = !(who(&b->log[k].access) == who(&b->log[r].access) && deceives(b, k, w, a));
        add_occurrence(b, r, w, b->log[r].step, nearest);
    }
}

/* Known checkpoints: of each reader the first in the window, if the byte was not written before. */
static void occurrences_aposteriori(struct brute *b, size_t w, uint32_t a)
{
    int window = b->log[w].step;

    while (!is_checkpoint(b, window))
        window--;
    for (size_t r = b->first[window]; r < w; r++) {
        bool first = true;
        if (b->log[r].access.write && touches(&b->log[r].access, a))
            return;
        for (size_t k = b->first[window]; k < r && first; k++)
            first = !(who(&b->log[k].access) == who(&b->log[r].access) && touches(&b->log[k].access, a));
        if (first && deceives(b, r, w, a))
            add_occurrence(b, r, w, window, true);
    }
}

static void find_occurrences(struct brute *b)
{
    for (size_t w = 0; w < b->logged; w++)
        for (uint32_t a = b->log[w].access.address; a < b->log[w].access.address + b->log[w].access.size; a++)
            if (b->log[w].access.write && survives(b, a)) {
                if (b->scenario.depth)
                    occurrences_apriori(b, w, a);
                else
                    occurrences_aposteriori(b, w, a);
            }
}

/* ---- evaluate ---- */

enum ending { WELL, WRONG, BROKEN, ENDINGS };

/* As load_state, but with all that the CPU knows: whether it has just been told to accept interrupts. */
static void resume(struct brute *b, int c, int f)
{
    b->diverged = true;
    hc_snapshot_restore(b->m, b->sane);
    if (c)
        assert_int_equal(hc_machine_step(b->m, (uint64_t)c, HC_NEVER), HC_STOP_STEPS);
    for (int i = 0; i < BYTES; i++)
        if (survives(b, nth_address(i)))
            hc_poke(b->m, nth_address(i), b->state[f].memory[i]);
}

/* How does the program end, when power fails at F and it goes on from C? */
static enum ending end_of(struct brute *b, int c, int f)
{
    struct state end;

    resume(b, c, f);
    for (int n = 0; hc_register(b->m, HC_PC) != b->back; n++)
        if (n > 4 * b->steps + 100000 || !step(b) || hc_register(b->m, HC_PC) == RANDOM_START)
            return BROKEN;
    save_state(b, &end);
    for (int i = 0; i < BYTES; i++)
        if (!is_stack(nth_address(i)) && end.memory[i] != b->state[b->steps].memory[i])
            return WRONG;
    return end.registers[12] == b->state[b->steps].registers[12] ? WELL : WRONG;
}

/* Of one pair: how the occurrences end, nearest and farther. */
struct endings {
    uint64_t nearest[ENDINGS], farther[ENDINGS];
};

static struct endings endings_of(struct brute *b, uint32_t consumer, uint32_t producer, bool farther)
{
    struct endings e = { 0 };

    for (size_t i = 0; i < b->occurrences.count; i++) {
        const struct brute_occurrence *o = &b->occurrences.at[i];
        if (o->consumer == consumer && o->producer == producer && (o->nearest || farther)) {
            uint64_t *of = o->nearest ? e.nearest : e.farther;
            of[end_of(b, o->resumed, o->produced + 1)]++;
        }
    }
    return e;
}

static struct endings endings_said(const struct hc_located *located, const struct hc_verdict *verdict,
                                   uint32_t consumer, uint32_t producer)
{
    struct endings e = { 0 };

    for (size_t i = 0; i < located->pairs.count; i++) {
        const struct hc_pair *p = &located->pairs.pair[i];
        if (p->consumer != consumer || p->producer != producer || p->distance == HC_NO_DISTANCE)
            continue;
        for (int k = HC_EFFECT_NONE; k < HC_EFFECTS; k++) {
            enum ending ending = k == HC_EFFECT_NONE ? WELL : k >= HC_EFFECT_CRASH ? BROKEN : WRONG;
            e.nearest[ending] += verdict[i].effects[k];
            e.farther[ending] += verdict[i].farther_effects[k];
        }
    }
    return e;
}

/* Both kinds of anomaly may be of the same two instructions: each has its own farther occurrences. */
static bool is_one_kind(const struct hc_located *located, uint32_t consumer, uint32_t producer)
{
    const struct hc_pair *data = hc_pairs_find(&located->pairs, HC_DATA_ACCESS, consumer, producer);
    const struct hc_pair *record = hc_pairs_find(&located->pairs, HC_ACTIVATION_RECORD, consumer, producer);

    return !data || !record;
}

static void compare_effects(struct brute *b, const struct hc_located *located, const struct hc_verdict *verdict)
{
    for (size_t i = 0; i < located->pairs.count; i++) {
        const struct hc_pair *p = &located->pairs.pair[i];
        if (p->distance == HC_NO_DISTANCE || p->producer == HC_BY_INTERRUPT || p->consumer == HC_BY_INTERRUPT)
            continue;
        struct endings is = endings_said(located, verdict, p->consumer, p->producer);
        struct endings should = endings_of(b, p->consumer, p->producer, false);
        /* Farther ones are tried where checkpoints may be anywhere and the nearest do no harm. */
        bool all = b->scenario.depth && !should.nearest[WRONG] && !should.nearest[BROKEN] &&
                   is_one_kind(located, p->consumer, p->producer);
        if (all)
            should = endings_of(b, p->consumer, p->producer, true);
        bool same = !memcmp(is.nearest, should.nearest, sizeof is.nearest) &&
                    (!all || !memcmp(is.farther, should.farther, sizeof is.farther));
        if (!same || !hc_verdict_is_complete(&verdict[i]))
            fail_msg("program %u: %04x, %04x: well, wrong, broken %d %d %d, farther %d %d %d; by brute force "
                     "%d %d %d, farther %d %d %d",
                     b->scenario.number, (unsigned)p->consumer, (unsigned)p->producer, (int)is.nearest[WELL],
                     (int)is.nearest[WRONG], (int)is.nearest[BROKEN], (int)is.farther[WELL], (int)is.farther[WRONG],
                     (int)is.farther[BROKEN], (int)should.nearest[WELL], (int)should.nearest[WRONG],
                     (int)should.nearest[BROKEN], (int)should.farther[WELL], (int)should.farther[WRONG],
                     (int)should.farther[BROKEN]);
    }
}

/* ---- brute_force.h ---- */

/* Registers and memory after the stretch from C to F was executed again; a run that faults differs. */
static bool differs(struct brute *b, int c, int f)
{
    struct state is;

    load_state(b, c, f, -1);
    b->diverged = true;
    for (int n = c; n < f; n++)
        if (!step(b))
            return true;
    save_state(b, &is);
    return memcmp(is.registers, b->state[f].registers, sizeof is.registers) ||
           memcmp(is.memory, b->state[f].memory, sizeof is.memory);
}

/* Failures that differ: no more than locate explains, and as many as brute_force.h finds. */
static uint64_t count_different(struct brute *b, const struct hc_located *located)
{
    uint64_t different = 0;

    for (int c = 0; c < b->steps; c++) {
        int depth = b->scenario.depth, end = depth ? c + 1 + depth : is_checkpoint(b, c) ? window_end(b, c) : 0;
        for (int f = c + 1; f <= end && f <= b->steps; f++)
            if (!b->scenario.in_cycles || b->cycles[f - 1] - b->cycles[c] <= (uint64_t)depth)
                different += differs(b, c, f);
    }
    bool any = false;
    for (size_t i = 0; i < located->pairs.count; i++)
        any |= located->pairs.pair[i].distance != HC_NO_DISTANCE;
    assert_true(any || !different);
    return different;
}

static void compare_brute_force(struct brute *b, const struct hc_located *located)
{
    struct hc_launchpad *board = random_program(b->scenario.number, b->scenario.features);
    struct hc_locate_config config = config_of(b, board);
    struct hc_brute_forced forced;

    assert_true(hc_brute_force(&config, located, 0, 1, UINT64_MAX, &forced));
    uint64_t different = count_different(b, located);
    if (forced.different != different)
        fail_msg("program %u: brute_force.h finds %llu failures that differ, brute force %llu", b->scenario.number,
                 (unsigned long long)forced.different, (unsigned long long)different);
    hc_launchpad_free(board);
}

/* ---- all ---- */

static struct brute *brute_of(const struct scenario *scenario)
{
    struct brute *b = calloc(1, sizeof *b);

    assert_non_null(b);
    b->scenario = *scenario;
    b->board = random_program(scenario->number, scenario->features);
    b->m = b->board->machine;
    run_golden(b);
    for (int i = 0; i < KNOWN && !scenario->depth; i++)
        b->before[i] = b->state[(scenario->number * 31u + (unsigned)i * 17u) % (unsigned)b->steps].registers[HC_PC];
    if (scenario->depth)
        brute_apriori(b);
    else
        brute_aposteriori(b);
    find_silent(b);
    find_occurrences(b);
    return b;
}

static void brute_free(struct brute *b)
{
    brute_pairs_free(&b->found);
    brute_pairs_free(&b->silent);
    brute_occurrences_free(&b->occurrences);
    hc_snapshot_free(b->sane);
    hc_launchpad_free(b->board);
    free(b);
}

static void evaluate(struct brute *b, const struct hc_located *located)
{
    struct hc_launchpad *board = random_program(b->scenario.number, b->scenario.features);
    struct hc_locate_config config = config_of(b, board);
    struct hc_verdict *verdict = calloc(located->pairs.count + 1, sizeof *verdict);

    assert_true(hc_power_evaluate(&config, located, HC_POWER_EFFORT, verdict));
    compare_effects(b, located, verdict);
    free(verdict);
    hc_launchpad_free(board);
}

static void compare_program(unsigned number)
{
    enum { EVALUATED = 1, FORCED = 40 }; /* every so many: they take longer */
    struct scenario scenario = scenario_of(number);
    struct brute *b = brute_of(&scenario);
    struct hc_launchpad *board = random_program(number, scenario.features);
    struct hc_locate_config config = config_of(b, board);
    struct hc_located located;

    hc_power_locate(&config, &located);
    assert_true(located.end == HC_LOCATE_DONE || located.end == HC_LOCATE_NO_NVM);
    assert_int_equal(located.instructions, b->steps);
    none_missed(b, &located);
    none_extra(b, &located);
    if (number % EVALUATED == 0)
        evaluate(b, &located);
    if (number % FORCED == 0 && !(scenario.features & RANDOM_INTERRUPTS)) /* whose frames it counts otherwise */
        compare_brute_force(b, &located);
    hc_located_free(&located);
    hc_launchpad_free(board);
    brute_free(b);
}

static struct choice choice;

static void random_programs(void **state)
{
    (void)state;
    for (unsigned i = choice.first; i < choice.end; i++)
        compare_program(i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_programs) };

    choice = choose(argc, argv, PROGRAMS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
