/* bench-record: what is measured (record.c), and how it is shown (record_table.c). */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum { PLAIN, HINDCAST, PAPER, SETS };
enum { NODES_MAX = 9 };

struct experiment {
    const char *name, *application;
    int nodes, node; /* the one whose log is looked at */
    unsigned seconds;
    bool code_counts;  /* its code size has a budget */
    bool listens;      /* low-power listening */
    int paper_reduces; /* the log, by how many percent: Figure 5 of the TARDIS paper; 0: it does not say */
};

/* Of one image on one node, or in its network. Rates are bytes a second. */
struct figures {
    uint32_t flash_bytes, runtime_bytes, ram_bytes; /* of the program, and of the recorder in it */
    double log;                                     /* events, with the headers of their pages */
    double mean_log;                                /* of all nodes, and all starts */
    double hashes;                                  /* not in it: the paper's format has none */
    double other;                                   /* boot pages, checkpoints, marks */
    double awake, milliwatts;                       /* share of time, power: means of all nodes */
    double of_node[NODES_MAX];                      /* power */
    double longest_stop;                            /* of tasks by one hc_update: seconds */
    bool lost;                                      /* the recorder's buffers overflowed, on any node */
};

/* The log that the uninstrumented program would need, bytes a second. */
struct raw_figures {
    double all, undetermined, without_polling, masked; /* reads and interrupts, as Table 1 leaves out more and more */
    double gzip, xz, slzw;                             /* of `undetermined` */
    double control, control_slzw;                      /* control flow alone */
    /* By kind, before and after codec set paper. */
    double interrupts, timers, states, data;
    double paper_interrupts, paper_timers, paper_states, paper_data;
};

struct measured {
    const struct experiment *experiment;
    struct raw_figures raw;
    struct figures set[SETS];
};

/* Cycles of the longest append seen. */
struct append {
    unsigned read, interrupt;
};

void print_logs(const struct measured *m, int count);
void print_reductions(const struct measured *m, int count);
void print_costs(const struct measured *m, int count);
/* Budgets, and the last line. */
void print_summary(const struct measured *m, int count, const struct append *append);

#endif
