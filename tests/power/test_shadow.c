/* Locating anomalies in one pass, against brute force: every checkpoint, every failure, the run repeated with what
 * memory then holds. On random straight-line traces of byte and word accesses; a failing one prints its number, which
 * `test_shadow NUMBER` runs alone. */
#include "power/locate/shadow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INSTRUCTIONS = 60, MEMORY = 6, PCS = 12, CASES = 4000, START = 0xc000 };

/* An instruction reads, writes, or does both, one or two bytes; always the same values, whatever it reads. */
struct instruction {
    uint32_t pc;
    int address, size;
    bool reads, writes;
    uint8_t written[2];
};

struct trace {
    struct instruction at[INSTRUCTIONS];
    bool checkpoint[INSTRUCTIONS]; /* completed just before this instruction */
    uint8_t initial[MEMORY];
};

static uint64_t seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static void make_trace(struct trace *t, unsigned number)
{
    seed = number * 2654435761u + 12345;
    for (int i = 0; i < MEMORY; i++)
        t->initial[i] = (uint8_t)random_below(3);
    for (int i = 0; i < INSTRUCTIONS; i++) {
        struct instruction *x = &t->at[i];
        unsigned what = random_below(4);
        x->pc = 0x4400 + 2 * random_below(PCS);
        x->size = 1 + (int)random_below(2);
        x->address = x->size == 2 ? 2 * (int)random_below(MEMORY / 2) : (int)random_below(MEMORY);
        x->reads = what != 1;
        x->writes = what == 1 || what == 2;
        x->written[0] = (uint8_t)random_below(3);
        x->written[1] = (uint8_t)random_below(3);
        t->checkpoint[i] = random_below(10) == 0;
    }
}

/* ---- brute force ---- */

/* Smallest distance of each pair; PCS x PCS. */
struct found {
    uint64_t distance[PCS][PCS];
    bool silent[PCS][PCS];
};

static int index_of(uint32_t pc)
{
    return (int)(pc - 0x4400) / 2;
}

static void write_all(const struct instruction *x, uint8_t *memory)
{
    for (int k = 0; x->writes && k < x->size; k++)
        memory[x->address + k] = x->written[k];
}

/* The instruction that wrote ADDRESS last in FROM..TO, or -1. */
static int last_writer(const struct trace *t, int address, int from, int to)
{
    for (int i = to; i >= from; i--)
        if (t->at[i].writes && address >= t->at[i].address && address < t->at[i].address + t->at[i].size)
            return i;
    return -1;
}

static void note(struct found *f, const struct trace *t, int consumer, int producer, bool silent)
{
    int c = index_of(t->at[consumer].pc), p = index_of(t->at[producer].pc);

    if (silent)
        f->silent[c][p] = true;
    else if ((uint64_t)(producer - consumer) < f->distance[c][p])
        f->distance[c][p] = (uint64_t)(producer - consumer);
}

/* The supply fails after instruction FAILURE; the run resumes before CHECKPOINT, where GOLDEN was the memory. */
static void fail_once(struct found *f, const struct trace *t, int checkpoint, int failure, const uint8_t *golden)
{
    uint8_t right[MEMORY], memory[MEMORY];
    bool rewritten[MEMORY] = { false };

    memcpy(right, golden, MEMORY);
    memcpy(memory, golden, MEMORY);
    for (int i = checkpoint; i <= failure; i++)
        write_all(&t->at[i], memory);
    for (int i = checkpoint; i <= failure; i++) {
        const struct instruction *x = &t->at[i];
        for (int k = 0; x->reads && k < x->size; k++) {
            int a = x->address + k, writer = last_writer(t, a, checkpoint, failure);
            if (writer >= i && !rewritten[a])
                note(f, t, i, writer, memory[a] == right[a]);
        }
        for (int k = 0; x->writes && k < x->size; k++)
            rewritten[x->address + k] = true;
        write_all(x, memory);
        write_all(x, right);
    }
}

static void brute_force(struct found *f, const struct trace *t, int depth)
{
    uint8_t golden[MEMORY];

    memset(f, 0, sizeof *f);
    memset(f->distance, 0xff, sizeof f->distance);
    memcpy(golden, t->initial, MEMORY);
    for (int c = 0; c < INSTRUCTIONS; c++) {
        if (depth || c == 0 || t->checkpoint[c])
            for (int failure = c; failure < INSTRUCTIONS; failure++) {
                if (depth ? failure - c > depth : failure > c && t->checkpoint[failure])
                    break;
                fail_once(f, t, c, failure, golden);
            }
        write_all(&t->at[c], golden);
    }
}

/* ---- one pass ---- */

static void one_pass(struct hc_pairs *pairs, const struct trace *t, int depth)
{
    struct hc_shadow *s = hc_shadow_new(START, START + MEMORY - 1, (uint64_t)depth, false, pairs);
    uint8_t memory[MEMORY];

    memcpy(memory, t->initial, MEMORY);
    for (int i = 0; i < INSTRUCTIONS; i++) {
        const struct instruction *x = &t->at[i];
        struct hc_accessor who = { x->pc, 0, 0 };
        if (!depth && t->checkpoint[i])
            hc_shadow_checkpoint(s, (uint64_t)i);
        for (int k = 0; x->reads && k < x->size; k++)
            hc_shadow_read(s, (uint32_t)(START + x->address + k), memory[x->address + k], &who,
                           (struct hc_instant){ (uint64_t)i + 1, 0 });
        for (int k = 0; x->writes && k < x->size; k++)
            hc_shadow_write(s, (uint32_t)(START + x->address + k), x->written[k], &who,
                            (struct hc_instant){ (uint64_t)i + 1, 0 }, false);
        write_all(x, memory);
    }
    hc_shadow_free(s);
}

static unsigned only = UINT32_MAX;

static void compare(unsigned number, int depth)
{
    struct trace t;
    struct found f;
    struct hc_pairs pairs = { 0 };

    make_trace(&t, number);
    brute_force(&f, &t, depth);
    one_pass(&pairs, &t, depth);
    for (int c = 0; c < PCS; c++)
        for (int p = 0; p < PCS; p++) {
            const struct hc_pair *pair =
                hc_pairs_find(&pairs, HC_DATA_ACCESS, 0x4400 + 2 * (uint32_t)c, 0x4400 + 2 * (uint32_t)p);
            uint64_t distance = pair ? pair->distance : HC_NO_DISTANCE;
            bool anomaly = f.distance[c][p] != HC_NO_DISTANCE;
            /* a-posteriori distances are the first occurrence's: only whether there is one is compared */
            if (depth ? distance != f.distance[c][p] : (distance != HC_NO_DISTANCE) != anomaly)
                fail_msg("case %u, depth %d: pair %d, %d: %lld instead of %lld", number, depth, c, p,
                         (long long)distance, (long long)f.distance[c][p]);
            if (!anomaly && (pair != NULL) != f.silent[c][p])
                fail_msg("case %u, depth %d: pair %d, %d: silent %d instead of %d", number, depth, c, p, pair != NULL,
                         f.silent[c][p]);
        }
    hc_pairs_free(&pairs);
}

static void a_priori(void **state)
{
    static const int depths[] = { 1, 3, 7, 20, INSTRUCTIONS };

    (void)state;
    for (unsigned i = 0; i < CASES; i++)
        if (only == UINT32_MAX || only == i)
            compare(i, depths[i % 5]);
}

static void a_posteriori(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASES; i++)
        if (only == UINT32_MAX || only == i)
            compare(i, 0);
}

/* One run answers every depth: the smallest distance with a large one tells what a smaller one would find. */
static void one_run_answers_every_depth(void **state)
{
    (void)state;
    for (unsigned i = 0; i < CASES / 10; i++) {
        struct trace t;
        struct hc_pairs all = { 0 };
        make_trace(&t, i);
        one_pass(&all, &t, INSTRUCTIONS);
        for (int depth = 1; depth < 30; depth += 4) {
            struct hc_pairs few = { 0 };
            one_pass(&few, &t, depth);
            for (size_t k = 0; k < all.count; k++) {
                const struct hc_pair *a = &all.pair[k];
                const struct hc_pair *b = hc_pairs_find(&few, a->kind, a->consumer, a->producer);
                if (a->distance <= (uint64_t)depth)
                    assert_true(b && b->distance == a->distance);
                else
                    assert_true(!b || b->distance == HC_NO_DISTANCE);
            }
            hc_pairs_free(&few);
        }
        hc_pairs_free(&all);
    }
}

/* Different invocations on the stack: an activation record's, not data's. */
static void invocations(void **state)
{
    struct hc_pairs pairs = { 0 };
    struct hc_shadow *s = hc_shadow_new(START, START + MEMORY - 1, 100, false, &pairs);
    struct hc_accessor one = { 0x4400, 1, 0 }, two = { 0x4402, 2, 0 }, same = { 0x4404, 1, 0 };

    (void)state;
    hc_shadow_read(s, START, 1, &one, (struct hc_instant){ 1, 0 });
    hc_shadow_write(s, START, 2, &two, (struct hc_instant){ 5, 0 }, true);
    hc_shadow_write(s, START, 3, &same, (struct hc_instant){ 6, 0 }, true);
    assert_int_equal(hc_pairs_find(&pairs, HC_ACTIVATION_RECORD, 0x4400, 0x4402)->distance, 4);
    assert_int_equal(hc_pairs_find(&pairs, HC_DATA_ACCESS, 0x4400, 0x4404)->distance, 5);
    assert_int_equal(pairs.count, 2);
    hc_shadow_free(s);
    hc_pairs_free(&pairs);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_priori),
        cmocka_unit_test(a_posteriori),
        cmocka_unit_test(one_run_answers_every_depth),
        cmocka_unit_test(invocations),
    };

    if (argc > 1)
        only = (unsigned)strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
