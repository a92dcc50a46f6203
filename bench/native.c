/* How fast a region is replayed on the host, beside the machine, from the same logs: every visit, and each compared
 * with the log.
 *
 *     native IMAGE LOG...
 *
 * CPU time of the replays themselves, up to 300 times, or until a second has gone, and of each log the least: others
 * use this computer, too. What somebody waits for besides is printed beside: opening a log, and lowering and compiling,
 * which is once for an image. */
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of one replay, or a sum. */
struct run {
    double seconds, opening;
    unsigned long long visits, instructions;
};

static void fail(const char *why)
{
    fprintf(stderr, "native: %s\n", why);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct run run_machine(struct hc_image *image, const char *log)
{
    struct hc_region_replay *replay;
    struct hc_region_state state;
    char text[600];
    double begin = now();

    if (!hc_region_replay_open(&replay, image, log, 0, text, sizeof text))
        fail(text);
    hc_region_replay_state(replay, &state);
    unsigned long long before = state.instructions;
    double start = now();
    hc_region_replay_run(replay);
    double end = now();
    hc_region_replay_state(replay, &state);
    if (state.end != HC_REGION_ENDED)
        fail(state.text);
    hc_region_replay_free(replay);
    return (struct run){ end - start, start - begin, state.visits, state.instructions - before };
}

static struct run run_natively(struct hc_image *image, const char *object, const char *log)
{
    struct hc_native *native;
    struct hc_region_state state;
    char text[600];
    double begin = now();

    if (!hc_native_open(&native, image, object, log, 0, text, sizeof text))
        fail(text);
    double start = now();
    hc_native_run(native);
    double end = now();
    hc_native_state(native, &state);
    if (state.end != HC_REGION_ENDED)
        fail(state.text);
    hc_native_free(native);
    return (struct run){ end - start, start - begin, state.visits, 0 };
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* OBJECT NULL: in the machine. */
static struct run measure_one(struct hc_image *image, const char *object, const char *log)
{
    struct run best = { 0 };
    double all = 0;

    for (int round = 0; all < 1 && round < 300; round++) {
        struct run run = object ? run_natively(image, object, log) : run_machine(image, log);
        all += run.seconds;
        if (round) {
            run.seconds = least(run.seconds, best.seconds);
            run.opening = least(run.opening, best.opening);
        }
        best = run;
    }
    return best;
}

static struct run measure(struct hc_image *image, const char *object, char **logs, int count)
{
    struct run sum = { 0 };

    for (int i = 0; i < count; i++) {
        struct run run = measure_one(image, object, logs[i]);
        sum.seconds += run.seconds;
        sum.opening += run.opening;
        sum.visits += run.visits;
        sum.instructions += run.instructions;
    }
    return sum;
}

static double build(struct hc_image *image, const char *directory, bool checks)
{
    struct hc_native_request request = { .image = image, .directory = directory, .checks = checks };
    char text[800];
    struct timespec a, b;

    clock_gettime(CLOCK_MONOTONIC, &a);
    if (!hc_native_build(&request, text, sizeof text))
        fail(text);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
    struct hc_image *image;
    struct hc_image_message message;
    char directory[] = "/tmp/bench_native.XXXXXX", object[60], source[60];

    if (argc < 3 || !mkdtemp(directory))
        fail("usage: native IMAGE LOG...");
    if (hc_image_load_file(&image, argv[1], &message))
        fail(message.text);
    snprintf(object, sizeof object, "%s/region.so", directory);
    snprintf(source, sizeof source, "%s/region.ll", directory);
    struct run machine = measure(image, NULL, argv + 2, argc - 2), plain, checked;
    double seconds = build(image, directory, false);
    plain = measure(image, object, argv + 2, argc - 2);
    build(image, directory, true);
    checked = measure(image, object, argv + 2, argc - 2);
    if (plain.visits != machine.visits || checked.visits != machine.visits)
        fail("visits of host and machine differ");
    printf("%llu visits, %llu instructions of the node; lowered and compiled in %.2f s\n", machine.visits,
           machine.instructions, seconds);
    printf("opened: machine %.1f ms, host %.1f ms\n", machine.opening * 1e3, plain.opening * 1e3);
    printf("machine %.3f ms (%.1f MIPS), host %.3f ms, with checks %.3f ms\n", machine.seconds * 1e3,
           (double)machine.instructions / machine.seconds / 1e6, plain.seconds * 1e3, checked.seconds * 1e3);
    printf("native: %.1f x the machine's speed, with checks %.1f x\n", machine.seconds / plain.seconds,
           machine.seconds / checked.seconds);
    unlink(object);
    unlink(source);
    rmdir(directory);
    hc_image_free(image);
    return 0;
}
