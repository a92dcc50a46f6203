/* A node that runs a program with paths, beside what it really executes: the blocks of recorded functions, in order,
 * for the program and for each run of an interrupt handler. */
#ifndef TESTS_PATHS_TRUTH_H
#define TESTS_PATHS_TRUTH_H

#include "recorded/path_map.h"
#include "support/harness.h"

struct truth_list {
    uint32_t *address;
    size_t count, room;
};

/* A run of a handler; the first is the program. */
struct truth_run {
    struct truth_list blocks;
    unsigned order; /* of its first number among all runs'; 0: it has none yet */
};

struct truth {
    struct harness h;
    struct hc_path_map *map;
    struct truth_run *run;
    size_t runs, run_room;
    size_t *nested; /* the runs that are under way */
    size_t depth, nested_room;
    unsigned orders;
    uint16_t *number; /* as the node's code came to them */
    size_t numbers, number_room;
    uint8_t *is_block; /* by address */
    uint32_t recorder, sum;
    size_t blocks; /* executed in all */
};

/* The program at PATH on a TelosB, not yet run. */
void truth_start(struct truth *t, const char *path);
void truth_stop(struct truth *t);

/* What the numbers say is what happened: NULL, or a sentence about the first difference. */
const char *truth_compare(const struct truth *t, char *message, size_t size);

#endif
