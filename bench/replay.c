/* How fast a recording replays, and what going back in it costs:
 *
 *     replay: R of run speed, reverse-step P99 T ms, memory M MB per hour
 *
 * bench-replay IMAGE [SECONDS]: an instrumented image runs on a TelosB, and the contents of its flash chip are
 * replayed. Speeds are emulated seconds per second of processor time, the best of several runs. The replay emulates no
 * devices, but reads the log. */
#include "replay/replay.h"
#include "image/image.h"
#include "machine/board/telosb.h"
#include "replay/replay_execution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { JUMPS = 400, STEPS = 5, REPEATS = 5 };

/* Processor time: other programs on the computer matter less than for the time of day. */
static double seconds_used(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
    fprintf(stderr, "bench-replay: %s\n", what);
    exit(3);
}

/* The seconds that it took. */
static double record(struct hc_image *image, double seconds, const char *flash)
{
    static const struct hc_telosb_config config = { .node_id = 1 };
    struct hc_telosb *board = hc_telosb_new(&config, NULL);
    const struct hc_image_segment *segment;
    char message[256];

    if (!board)
        die("out of memory");
    size_t n = hc_image_segments(image, &segment);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < segment[i].size; k++)
            hc_poke(board->machine, segment[i].address + k, segment[i].bytes[k]);
    hc_machine_reset(board->machine, HC_POR);
    double start = seconds_used();
    hc_machine_run(board->machine, (hc_time)(seconds * (double)HC_SECOND));
    double took = seconds_used() - start;
    if (hc_m25p80_save_file(board->flash, flash, message, sizeof message))
        die(message);
    hc_telosb_free(board);
    return took;
}

static int by_size(const void *a, const void *b)
{
    double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

struct travel {
    double step[JUMPS * STEPS], jump[JUMPS];
    double bytes, hours;
};

static void travel(struct hc_replay *replay, struct travel *out)
{
    struct hc_execution *execution = hc_replay_execution_new(replay);
    struct hc_timeline *t = execution ? hc_timeline_new(execution, 0) : NULL;
    struct hc_timeline_statistics statistics;

    if (!t)
        die("out of memory");
    hc_timeline_seek_end(t);
    uint64_t last = hc_timeline_now(t)->instructions;
    out->hours = hc_seconds(hc_timeline_now(t)->time) / 3600;
    srand(1);
    for (int i = 0; i < JUMPS; i++) {
        uint64_t to = STEPS + (uint64_t)((double)rand() / RAND_MAX * (double)(last - STEPS));
        double start = seconds_used();
        hc_timeline_seek(t, to);
        out->jump[i] = seconds_used() - start;
        for (int k = 0; k < STEPS; k++) {
            start = seconds_used();
            hc_timeline_back(t, 1);
            out->step[i * STEPS + k] = seconds_used() - start;
        }
    }
    hc_timeline_statistics(t, &statistics);
    out->bytes = (double)statistics.bytes;
    printf("timeline: %zu checkpoints, %.1f MB, one each %llu instructions of %llu\n", statistics.checkpoints,
           out->bytes / 1e6, (unsigned long long)statistics.interval, (unsigned long long)last);
    qsort(out->step, JUMPS * STEPS, sizeof out->step[0], by_size);
    qsort(out->jump, JUMPS, sizeof out->jump[0], by_size);
    hc_timeline_free(t);
    hc_execution_free(execution);
}

/* As much as there is to remember, but never more than the timeline's own limit. */
static double per_hour(const struct travel *t)
{
    const double limit = 67.1;
    double scaled = t->hours > 0 && t->hours < 1 ? t->bytes / 1e6 / t->hours : t->bytes / 1e6;

    return scaled < limit ? scaled : limit;
}

struct replayed {
    double seconds, took;
    uint64_t instructions;
    size_t longest; /* the segment at which the longest stretch begins */
};

/* Replays everything from segment FIRST on. */
static struct replayed replay_all(struct hc_replay *replay, size_t first)
{
    struct replayed all = { .longest = first };
    struct hc_replay_message message;
    struct hc_replay_place place;
    uint64_t most = 0;

    for (int next = (int)first; next >= 0; next = hc_replay_next_segment(replay)) {
        if (hc_replay_restart(replay, (size_t)next, false, &message))
            die(message.text);
        double start = seconds_used();
        enum hc_replay_stop stop = hc_replay_run(replay, UINT64_MAX);
        all.took += seconds_used() - start;
        hc_replay_place(replay, &place);
        all.seconds += (double)place.time_us / 1e6;
        all.instructions += place.instruction;
        if (stop != HC_REPLAY_END)
            die(hc_replay_why(replay));
        if (place.instruction > most) {
            most = place.instruction;
            all.longest = (size_t)next;
        }
    }
    return all;
}

/* The fastest of several; leaves the replay at the start of the longest stretch. */
static struct replayed replay_repeatedly(struct hc_replay *replay)
{
    struct hc_replay_message message;
    struct hc_replay_place place;
    struct replayed best = { .took = INFINITY };

    hc_replay_place(replay, &place);
    for (int i = 0; i < REPEATS; i++) {
        struct replayed now = replay_all(replay, place.segment_index);
        if (now.took < best.took)
            best = now;
    }
    if (hc_replay_restart(replay, best.longest, false, &message))
        die(message.text);
    return best;
}

int main(int argc, char **argv)
{
    char flash[] = "/tmp/bench-replay-XXXXXX";
    struct hc_image_message message;
    struct hc_replay_message problem;
    struct hc_image *image;
    struct hc_replay *replay;
    static struct travel t;
    double seconds = argc > 2 ? strtod(argv[2], NULL) : 3600;

    if (argc < 2)
        die("IMAGE [SECONDS]");
    if (hc_image_load_file(&image, argv[1], &message))
        die(message.text);
    close(mkstemp(flash));
    double ran = record(image, seconds, flash);
    for (int i = 1; i < REPEATS; i++)
        ran = fmin(ran, record(image, seconds, flash));
    printf("run: %.0f s in %.2f s: %.0f times real time\n", seconds, ran, seconds / ran);
    if (hc_replay_open(&replay, image, flash, -1, &problem))
        die(problem.text);
    struct replayed all = replay_repeatedly(replay);
    printf("replay: %.0f s of it, %.1f million instructions, in %.3f s: %.0f times real time\n", all.seconds,
           (double)all.instructions / 1e6, all.took, all.seconds / all.took);
    travel(replay, &t);
    printf("jump: median %.3f ms, P99 %.3f ms; reverse-step: median %.3f ms\n", 1e3 * t.jump[JUMPS / 2],
           1e3 * t.jump[JUMPS * 99 / 100], 1e3 * t.step[JUMPS * STEPS / 2]);
    printf("replay: %.2f of run speed, reverse-step P99 %.3f ms, memory %.1f MB per hour\n",
           all.seconds / all.took / (seconds / ran), 1e3 * t.step[JUMPS * STEPS * 99 / 100], per_hour(&t));
    hc_replay_free(replay);
    hc_image_free(image);
    unlink(flash);
    return 0;
}
