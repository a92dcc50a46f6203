/* bench-field: how fast a network runs, and whether a node costs more among many.
 *
 *   field MHO_MINUTE.elf
 *
 * 1, 10, 100 and 1,000 nodes of mho with low-power listening of 512 ms, one message a minute and a base station for
 * every ten. They stand in groups of ten that hear each other: every node has nine neighbours and the same work,
 * however many there are, so that growth is the emulator's own. Then 1,000 nodes in one connected grid, with about ten
 * neighbours each, hidden terminals and messages over several hops: more work for each node.
 *
 * The network first settles: routes are found, beacons become rare. Each size is a process of its own, so that its
 * memory can be told. */
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

enum { GROUP = 10 };

struct size {
    int nodes;
    bool grid;
};

static const struct size sizes[] = { { 1, false }, { 10, false }, { 100, false }, { 1000, false }, { 1000, true } };

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

/* In metres. The radios understand what comes from 67 m and sense what comes from 144 m: all of a group of 60 x 15 m,
 * nothing of the next one; in the grid of 33 m they understand twelve neighbours, fewer at its edges. */
static void place(const struct size *size, int node, int *x, int *y)
{
    int group = node / GROUP;
    int within = node % GROUP;
    *x = size->grid ? node % 40 * 33 : group % 10 * 220 + within % 5 * 15;
    *y = size->grid ? node / 40 * 33 : group / 10 * 175 + within / 5 * 15;
}

static char *describe(const char *image, const struct size *size)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        fail("no memory");
    for (int i = 0; i < size->nodes; i++) {
        int x;
        int y;
        place(size, i, &x, &y);
        fprintf(out, "node %d \"%s\" at %dm %dm spread 5s\n", i, image, x, y);
    }
    fclose(out);
    return text;
}

static void measure(const char *image, struct size size, struct result *r)
{
    struct hc_scenario *scenario;
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = THREADS };
    char *text = describe(image, &size);
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
    free(text);
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
        printf("%5d nodes%s: %8.1f emulated seconds a second, %.1f us of CPU a node and second, %llu frames, "
               "%ld KB a node\n",
               sizes[i].nodes, sizes[i].grid ? " in one connected grid" : "", MEASURE / r[i].wall,
               1e6 * r[i].cpu / MEASURE / sizes[i].nodes, (unsigned long long)r[i].frames,
               r[i].kilobytes / sizes[i].nodes);
        fflush(stdout);
    }
    double growth = r[3].wall / sizes[3].nodes / (r[1].wall / sizes[1].nodes);
    printf("field: 1000 nodes at %.2f x real time, growth %.2f\n", MEASURE / r[3].wall, growth);
    return 0;
}
