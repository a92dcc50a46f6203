/* bench-field: how fast a network runs, and whether a node costs more among many.
 *
 *   field MHO_MINUTE.elf
 *
 * 1, 10, 100 and 1,000 nodes of mho with low-power listening of 512 ms, one message a minute, a base station for every
 * 25, about ten neighbours each. The network first settles: routes are found, beacons become rare. Each size is a
 * process of its own, so that its memory can be told. */
#include "field/testbed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SETTLE = 120, MEASURE = 120, THREADS = 2 };

struct size {
    int nodes;
    const char *topology;
};

/* The radios hear 67 m: 12 neighbours inside a grid of 33 m, fewer at its edges; the ten hear each other. */
static const struct size sizes[] = {
    { 1, "grid:1x1:33m" }, { 10, "grid:5x2:15m" }, { 100, "grid:10x10:33m" }, { 1000, "grid:40x25:33m" }
};

struct result {
    double wall, cpu; /* seconds */
    uint64_t frames;
    long kilobytes;
};

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-field: %s\n", what);
    exit(3);
}

static uint64_t frames_sent(struct hc_world *world)
{
    uint64_t sum = 0;
    for (int i = 0; i < hc_world_nodes(world); i++) {
        struct hc_medium_statistics s;
        hc_medium_statistics(hc_world_medium(world), i, &s);
        sum += s.frames_sent;
    }
    return sum;
}

static void run_for(struct hc_world *world, unsigned seconds)
{
    if (hc_world_run(world, hc_world_now(world) + seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("a node stopped");
}

static void measure(const char *image, struct size size, struct result *r)
{
    char text[1200];
    struct hc_scenario *scenario;
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = THREADS };
    snprintf(text, sizeof text, "node 0-%d \"%s\" %s spread 5s\n", size.nodes - 1, image, size.topology);
    if (hc_scenario_parse(&scenario, "bench", text, strlen(text), NULL, &message) != 0 ||
        hc_scenario_read_files(scenario, &message) != 0 || hc_testbed_new(&testbed, scenario, &options, &message) != 0)
        fail(message.text);
    run_for(testbed->world, SETTLE);
    uint64_t frames = frames_sent(testbed->world);
    double wall = seconds_of(CLOCK_MONOTONIC);
    double cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    run_for(testbed->world, MEASURE);
    r->wall = seconds_of(CLOCK_MONOTONIC) - wall;
    r->cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    r->frames = frames_sent(testbed->world) - frames;
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    r->kilobytes = used.ru_maxrss;
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
}

static void measure_apart(const char *image, struct size size, struct result *r)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        measure(image, size, r);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("a measurement failed");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: field MHO_MINUTE.elf\n");
        return 2;
    }
    enum { SIZES = sizeof sizes / sizeof *sizes };
    struct result *r = mmap(NULL, SIZES * sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r == MAP_FAILED)
        fail("no memory");
    for (int i = 0; i < SIZES; i++) {
        measure_apart(argv[1], sizes[i], &r[i]);
        printf("%5d nodes: %8.1f emulated seconds a second, %.1f us of CPU a node and second, %llu frames, %ld KB a "
               "node\n",
               sizes[i].nodes, MEASURE / r[i].wall, 1e6 * r[i].cpu / MEASURE / sizes[i].nodes,
               (unsigned long long)r[i].frames, r[i].kilobytes / sizes[i].nodes);
        fflush(stdout);
    }
    double growth = r[3].wall / sizes[3].nodes / (r[1].wall / sizes[1].nodes);
    printf("field: 1000 nodes at %.2f x real time, growth %.2f\n", MEASURE / r[3].wall, growth);
    return 0;
}
