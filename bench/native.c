/* How fast a region is replayed on the host, beside the machine, from the same logs.
 *
 *     native IMAGE LOG...
 *
 * CPU time of the replays themselves, over and over until each has taken a second; opening logs, lowering and compiling
 * are not part of it, and are printed beside. */
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct speed {
    double seconds;
    unsigned long long visits, instructions, rounds;
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

static void run_machine(struct hc_image *image, const char *log, struct speed *speed)
{
    struct hc_region_replay *replay;
    struct hc_region_state state;
    char text[600];

    if (!hc_region_replay_open(&replay, image, log, 0, text, sizeof text))
        fail(text);
    hc_region_replay_state(replay, &state);
    unsigned long long before = state.instructions;
    double start = now();
    hc_region_replay_run(replay);
    speed->seconds += now() - start;
    hc_region_replay_state(replay, &state);
    if (state.end != HC_REGION_ENDED)
        fail(state.text);
    speed->visits += state.visits;
    speed->instructions += state.instructions - before;
    hc_region_replay_free(replay);
}

static void run_natively(struct hc_image *image, const char *object, const char *log, struct speed *speed)
{
    struct hc_native *native;
    struct hc_region_state state;
    char text[600];

    if (!hc_native_open(&native, image, object, log, 0, text, sizeof text))
        fail(text);
    double start = now();
    hc_native_run(native);
    speed->seconds += now() - start;
    hc_native_state(native, &state);
    if (state.end != HC_REGION_ENDED)
        fail(state.text);
    speed->visits += state.visits;
    hc_native_free(native);
}

/* OBJECT NULL: in the machine. */
static struct speed measure(struct hc_image *image, const char *object, char **logs, int count)
{
    struct speed speed = { 0 };

    for (; speed.seconds < 1 && speed.rounds < 2000; speed.rounds++)
        for (int i = 0; i < count; i++)
            if (object)
                run_natively(image, object, logs[i], &speed);
            else
                run_machine(image, logs[i], &speed);
    speed.seconds /= (double)speed.rounds;
    speed.visits /= speed.rounds;
    speed.instructions /= speed.rounds;
    return speed;
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
    struct speed machine = measure(image, NULL, argv + 2, argc - 2), plain, checked;
    double seconds = build(image, directory, false);
    plain = measure(image, object, argv + 2, argc - 2);
    build(image, directory, true);
    checked = measure(image, object, argv + 2, argc - 2);
    if (plain.visits != machine.visits || checked.visits != machine.visits)
        fail("visits of host and machine differ");
    printf("%llu visits, %llu instructions of the node; lowered and compiled in %.2f s\n", machine.visits,
           machine.instructions, seconds);
    printf("machine %.3f ms (%.1f MIPS), host %.3f ms, with checks %.3f ms\n", machine.seconds * 1e3,
           (double)machine.instructions / machine.seconds / 1e6, plain.seconds * 1e3, checked.seconds * 1e3);
    printf("native: %.0f x the machine's speed, with checks %.0f x\n", machine.seconds / plain.seconds,
           machine.seconds / checked.seconds);
    unlink(object);
    unlink(source);
    rmdir(directory);
    hc_image_free(image);
    return 0;
}
