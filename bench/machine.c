/* bench-machine: how fast the machine is, beside mspdebug's simulator in the same run.
 *
 *   machine CRC_SORT.elf BLINK.elf
 *
 * Both emulators execute CRC_SORT from reset to bench_done, so that they retire the same instructions; their results
 * are compared. CPU time, not wall time, and each one's best of a few runs: other work on the machine disturbs it less.
 */
#include "image/image.h"
#include "machine/board/telosb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, SNAPSHOTS = 2000 };

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-machine: %s\n", what);
    exit(3);
}

static struct hc_image *open_image(const char *path)
{
    struct hc_image *image;
    struct hc_image_message message;
    if (hc_image_load_file(&image, path, &message) != HC_IMAGE_OK)
        fail(message.text);
    return image;
}

static struct hc_telosb *boot(const struct hc_image *image)
{
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    if (!board)
        fail("out of memory");
    const struct hc_image_segment *segments;
    size_t n = hc_image_segments(image, &segments);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            hc_poke(board->machine, segments[i].address + k, segments[i].bytes[k]);
    hc_machine_reset(board->machine, HC_POR);
    return board;
}

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;
    if (!hc_image_symbol(image, name, &symbol))
        fail("the firmware lacks a symbol that it should have");
    return symbol.address;
}

static enum hc_action stop(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner;
    (void)m;
    (void)pc;
    return HC_STOP;
}

/* ---- a busy CPU ---- */

struct result {
    uint64_t instructions;
    double seconds;
    uint16_t checksum;
};

static struct result run_ours(const struct hc_image *image)
{
    struct hc_telosb *board = boot(image);
    struct hc_statistics s;
    hc_hook_pc(board->machine, address_of(image, "bench_done"), stop, NULL);
    double start = cpu_seconds();
    enum hc_stop why = hc_machine_run(board->machine, 100000 * HC_SECOND);
    struct result r = { .seconds = cpu_seconds() - start };
    if (why != HC_STOP_HOOK)
        fail("the firmware did not finish here");
    hc_machine_statistics(board->machine, &s);
    r.instructions = s.instructions;
    r.checksum = hc_peek16(board->machine, address_of(image, "checksum"));
    hc_telosb_free(board);
    return r;
}

/* "    0112a: 34 12    |4.|" */
static uint16_t dumped_word(FILE *from, uint32_t address)
{
    char line[256];
    while (fgets(line, sizeof line, from)) {
        unsigned at;
        unsigned low;
        unsigned high;
        if (sscanf(line, " %x: %x %x", &at, &low, &high) == 3 && at == address)
            return (uint16_t)(low | high << 8);
    }
    fail("mspdebug did not print the checksum");
    return 0;
}

static struct result run_mspdebug(const char *path, const struct hc_image *image, uint64_t instructions)
{
    char load[1024];
    char stop_at[64];
    char dump[64];
    char start[64];
    int out[2];
    uint32_t entry = 0;
    hc_image_entry(image, &entry);
    snprintf(load, sizeof load, "load %s", path);
    snprintf(start, sizeof start, "set pc 0x%x", (unsigned)entry);
    snprintf(stop_at, sizeof stop_at, "setbreak 0x%x", (unsigned)address_of(image, "bench_done"));
    snprintf(dump, sizeof dump, "md 0x%x 2", (unsigned)address_of(image, "checksum"));
    fflush(NULL);
    if (pipe(out) != 0)
        fail("no pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        execlp("mspdebug", "mspdebug", "-q", "-n", "sim", load, start, stop_at, "run", dump, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    FILE *from = fdopen(out[0], "r");
    struct result r = { .instructions = instructions, .checksum = dumped_word(from, address_of(image, "checksum")) };
    fclose(from);
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child || status != 0)
        fail("mspdebug failed");
    r.seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec;
    return r;
}

static double mips(struct result r)
{
    return 1e-6 * (double)r.instructions / r.seconds;
}

/* Ours before and after theirs, so that both meet the same weather. */
static void compare_busy(const char *path, double *ours, double *theirs)
{
    struct hc_image *image = open_image(path);
    *ours = *theirs = 0;
    for (int i = 0; i < RUNS; i++) {
        struct result a = run_ours(image);
        struct result b = run_mspdebug(path, image, a.instructions);
        if (a.checksum != b.checksum)
            fail("mspdebug computed another checksum");
        *ours = mips(a) > *ours ? mips(a) : *ours;
        *theirs = mips(b) > *theirs ? mips(b) : *theirs;
        printf("busy: %llu instructions, here %.2f s, mspdebug %.2f s\n", (unsigned long long)a.instructions, a.seconds,
               b.seconds);
    }
    hc_image_free(image);
}

/* ---- a sleeping node ---- */

static double sleeping_speed(const char *path)
{
    enum { SECONDS = 20000 };
    struct hc_image *image = open_image(path);
    struct hc_telosb *board = boot(image);
    double start = seconds_of(CLOCK_MONOTONIC);
    if (hc_machine_run(board->machine, SECONDS * HC_SECOND) != HC_STOP_TIME)
        fail("the blinking node stopped");
    double spent = seconds_of(CLOCK_MONOTONIC) - start;
    unsigned blinks = hc_peek16(board->machine, address_of(image, "blinks"));
    if (blinks != (uint16_t)(SECONDS * 32768ull / 3277))
        fail("the node did not blink as often as it should");
    hc_telosb_free(board);
    hc_image_free(image);
    return SECONDS / spent;
}

/* ---- snapshots ---- */

static void time_snapshots(const char *path)
{
    struct hc_image *image = open_image(path);
    struct hc_telosb *board = boot(image);
    double take = 0;
    double restore = 0;
    double clone = 0;
    for (int i = 0; i < SNAPSHOTS; i++) {
        hc_machine_run(board->machine, hc_now(board->machine) + hc_ms(50));
        double a = cpu_seconds();
        struct hc_snapshot *s = hc_snapshot_take(board->machine);
        double b = cpu_seconds();
        hc_snapshot_restore(board->machine, s);
        double c = cpu_seconds();
        struct hc_telosb *copy = hc_telosb_clone(board);
        double d = cpu_seconds();
        hc_telosb_free(copy);
        hc_snapshot_free(s);
        take += b - a;
        restore += c - b;
        clone += d - c;
    }
    printf("snapshot: take %.1f us, restore %.1f us, clone a board %.1f us\n", 1e6 * take / SNAPSHOTS,
           1e6 * restore / SNAPSHOTS, 1e6 * clone / SNAPSHOTS);
    hc_telosb_free(board);
    hc_image_free(image);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: machine CRC_SORT.elf BLINK.elf\n");
        return 2;
    }
    double ours;
    double theirs;
    time_snapshots(argv[2]);
    printf("sleeping: %.0f emulated seconds a second, blinking ten times a second\n", sleeping_speed(argv[2]));
    compare_busy(argv[1], &ours, &theirs);
    printf("machine: %.0f MIPS, mspdebug %.1f MIPS, ratio %.1f\n", ours, theirs, ours / theirs);
    return 0;
}
