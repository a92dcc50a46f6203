/* An interrupt that enters the region comes before every instruction of a program in turn, and a second one some
 * instructions behind it: the region is interrupted in the middle of recursion, of callbacks and of itself. Each run is
 * recorded, replayed, and compared visit by visit.
 *
 *     test_interrupts IMAGE [POSITION]     only that one, of which a failure told */
#include "machine/board/msp430f1611.h"
#include "visits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { P1IFG = 0x23, MOST = 100000, WORKING = 1, WRITTEN = 2 };

#define ALL SIZE_MAX

struct node {
    struct visits_program program;
    struct hc_msp430f1611 chip;
    struct visits visits;
    struct hc_symbol working, log_bytes, log_length;
    char log[40];
};

static void load(struct node *n)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(n->program.image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            hc_poke(n->chip.machine, segments[i].address + k, segments[i].bytes[k]);
    hc_machine_reset(n->chip.machine, HC_POR);
}

static void find(struct node *n, const char *name, struct hc_symbol *out)
{
    if (!hc_image_symbol(n->program.image, name, out))
        visits_fail(name, "is not there");
}

static void open_node(struct node *n, const char *path)
{
    visits_read_program(&n->program, path);
    visits_add_object(&n->program, "total");
    visits_add_object(&n->program, "arrivals");
    visits_add_object(&n->program, "order");
    find(n, "working", &n->working);
    find(n, "log_bytes", &n->log_bytes);
    find(n, "log_length", &n->log_length);
    strcpy(n->log, "/tmp/test_interrupts.XXXXXX");
    int file = mkstemp(n->log);
    if (file < 0 || close(file) || hc_msp430f1611_new(&n->chip, NULL))
        visits_fail("memory", "out of it");
    load(n);
    visits_listen(&n->visits, &n->program, n->chip.machine);
}

static unsigned working(const struct node *n)
{
    return hc_peek16(n->chip.machine, n->working.address);
}

static void step(struct node *n, uint64_t count)
{
    if (hc_machine_step(n->chip.machine, count, HC_NEVER) != HC_STOP_STEPS)
        visits_fail("the node", hc_fault_text(n->chip.machine));
}

/* STEPS instructions at a time. */
static void run_until(struct node *n, unsigned phase, unsigned steps)
{
    for (unsigned i = 0; working(n) != phase; i++) {
        if (i == MOST)
            visits_fail("the node", "does not end");
        step(n, steps);
    }
}

static void write_log(const struct node *n)
{
    FILE *to = fopen(n->log, "wb");
    uint16_t length = hc_peek16(n->chip.machine, n->log_length.address);

    for (uint16_t i = 0; to && i < length; i++)
        fputc(hc_peek(n->chip.machine, n->log_bytes.address + i), to);
    if (!to || fclose(to) || length >= n->log_bytes.size)
        visits_fail(n->log, "cannot be written, or the log has no room on the node");
}

/* An interrupt comes now, and another one some instructions (0: never) behind it. */
static void interrupt(struct node *n, unsigned behind, const char *what)
{
    hc_bus_write(n->chip.machine, P1IFG, 1, 1);
    if (behind) {
        step(n, behind);
        hc_bus_write(n->chip.machine, P1IFG, 1, 1);
    }
    run_until(n, WRITTEN, 100);
    write_log(n);
    if (visits_compare(&n->visits, n->log, what).same != n->visits.count)
        visits_fail(what, "visits are missing in the log");
}

/* The same node, and what it did up to now. */
struct moment {
    struct hc_snapshot *machine;
    struct visits visits;
};

static void save(struct node *n, struct moment *m)
{
    m->machine = hc_snapshot_take(n->chip.machine);
    visits_copy(&m->visits, &n->visits);
}

static void restore(struct node *n, struct moment *m)
{
    hc_snapshot_restore(n->chip.machine, m->machine);
    hc_snapshot_free(m->machine);
    visits_copy(&n->visits, &m->visits);
}

struct totals {
    size_t positions, visits, deepest;
};

static void interrupt_everywhere(struct node *n, size_t only, struct totals *t)
{
    struct moment now = { 0 };
    char what[80];

    for (size_t at = 0; working(n) == WORKING; at++, step(n, 1)) {
        unsigned behind = (unsigned)(at * 29 % 90);
        bool off = !(hc_register(n->chip.machine, HC_SR) & HC_SR_GIE); /* it would come where they are on again */
        if (only != ALL ? at != only : off)
            continue;
        snprintf(what, sizeof what, "test_interrupts: position %zu", at);
        save(n, &now);
        interrupt(n, behind, what);
        t->positions++;
        t->visits += n->visits.count;
        t->deepest = n->visits.deepest > t->deepest ? n->visits.deepest : t->deepest;
        restore(n, &now);
    }
    visits_free(&now.visits);
}

int main(int argc, char **argv)
{
    static struct node n;
    struct totals t = { 0 };

    if (argc < 2)
        visits_fail("usage", "test_interrupts IMAGE [POSITION]");
    open_node(&n, argv[1]);
    run_until(&n, WORKING, 1);
    interrupt_everywhere(&n, argc > 2 ? strtoul(argv[2], NULL, 10) : ALL, &t);
    hc_machine_free(n.chip.machine);
    visits_free(&n.visits);
    visits_free_program(&n.program);
    unlink(n.log);
    printf("%zu positions, %zu visits, 0 differ; up to %zu within each other\n", t.positions, t.visits, t.deepest);
    return argc == 2 && (t.positions < 500 || t.deepest < 4);
}
