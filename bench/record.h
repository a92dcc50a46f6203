/* bench-record: what is measured (record.c, record_time.c), and how it is shown (record_table.c). */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "receive.h"
#include "runtime/meter.h"

struct hc_scenario;
struct hc_testbed;

/* FULL: as HINDCAST, with --flush=0. */
enum { PLAIN, HINDCAST, PAPER, FULL, SETS };
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
    double events;                                  /* that were not lost, a second: mean of all nodes and starts */
    double pages;                                   /* of all streams, an hour: mean of all nodes and starts */
    double losses;                                  /* how often events were lost, a node and hour */
    double awake, milliwatts;                       /* share of time, power: means of all nodes */
    double own_milliwatts;                          /* of that, CPU and flash chip */
    double of_node[NODES_MAX];                      /* power */
    double longest_stop;                            /* of tasks by one hc_update: seconds */
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

/* ---- time ---- */

/* A program of tests/runtime. */
struct timing {
    const char *name;
    unsigned allowed; /* for the last step of a checkpoint: microseconds; 0: nobody says */
    bool changing;    /* all of its memory changes all the time */
    struct meter_timing at;
};

struct line {
    const char *baud;
    struct reception plain, recorded;
};

enum { TIMINGS = 6, LINES = 5 };

/* At 4 MHz, cycles are a quarter of a microsecond. */
struct speed {
    unsigned read, interrupt; /* cycles, at most */
    struct profile network;   /* of a node with low-power listening */
    struct timing timing[TIMINGS];
    struct line line[LINES];
};

/* BUILD: the build folder. Ends the process if something is missing there. */
void measure_speed(struct speed *out, const char *build);

/* ---- what record_time.c takes of record.c ---- */

_Noreturn void fail(const char *what);
/* E's network of nodes with IMAGE; both are the caller's. */
struct hc_testbed *build_network(const struct experiment *e, const char *image, int seed,
                                 struct hc_scenario **scenario);
void run_network(struct hc_testbed *testbed, unsigned seconds);

/* ---- tables ---- */

void print_logs(const struct measured *m, int count);
void print_reductions(const struct measured *m, int count);
void print_costs(const struct measured *m, int count);
void print_flush(const struct measured *m, int count);
void print_speed(const struct speed *speed);
/* Budgets, and the last lines. */
void print_summary(const struct measured *m, int count, const struct speed *speed);

#endif
