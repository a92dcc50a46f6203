/* bench-power FIRMWARE_DIRECTORY: locate, evaluate and the brute-force baseline on the programs of firmware/power, with
 * globals or stack in FRAM, as in Figures 9 and 10 of ScEpTIC's paper. */
#include "machine/board/launchpad_fr5969.h"
#include "power/evaluate.h"
#include "power/layman.h"
#include "power/locate.h"
#include "power/placement.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 5, LIMIT = 100000000, SAMPLE_CHECKPOINTS = 8 };

static const uint64_t depths[] = { 3000, 4000, 5000 };
enum { DEPTHS = sizeof depths / sizeof depths[0] };

static double milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct hc_launchpad *load(struct hc_image *image)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);

    if (!board)
        abort();
    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < segments[i].size; n++)
            hc_poke(board->machine, segments[i].address + n, segments[i].bytes[n]);
    hc_machine_reset(board->machine, HC_POR);
    return board;
}

static struct hc_locate_config config_for(struct hc_image *image, struct hc_launchpad *board, uint64_t depth)
{
    struct hc_locate_config config = { .machine = board->machine, .depth = depth, .limit = LIMIT };

    hc_power_program_find(&config.program, image);
    return config;
}

static size_t anomalies(const struct hc_located *located, uint64_t depth)
{
    size_t n = 0;

    for (size_t i = 0; i < located->pairs.count; i++)
        n += located->pairs.pair[i].distance <= depth;
    return n;
}

/* The best of some; the last one's result is left in LOCATED. */
static double locate(struct hc_image *image, uint64_t depth, struct hc_located *located)
{
    double best = 1e9;

    for (int i = 0; i < REPETITIONS; i++) {
        struct hc_launchpad *board = load(image);
        struct hc_locate_config config = config_for(image, board, depth);
        if (i)
            hc_located_free(located);
        double start = milliseconds();
        hc_power_locate(&config, located);
        double took = milliseconds() - start;
        best = took < best ? took : best;
        hc_launchpad_free(board);
    }
    return best;
}

static double evaluate(struct hc_image *image, const struct hc_located *located)
{
    struct hc_evaluated *evaluated = calloc(located->pairs.count + 1, sizeof *evaluated);
    struct hc_launchpad *board = load(image);
    struct hc_locate_config config = config_for(image, board, depths[DEPTHS - 1]);
    double start = milliseconds();

    if (!evaluated || !hc_power_evaluate(&config, located, evaluated))
        fprintf(stderr, "not evaluated\n");
    double took = milliseconds() - start;
    hc_launchpad_free(board);
    free(evaluated);
    return took;
}

/* Milliseconds that all of it would take, from a sample of checkpoints spread over the run. */
static double layman(struct hc_image *image, const struct hc_located *located, uint64_t depth)
{
    struct hc_launchpad *board = load(image);
    struct hc_locate_config config = config_for(image, board, depth);
    struct hc_layman sample;
    uint64_t every = located->instructions / SAMPLE_CHECKPOINTS;
    double start = milliseconds();

    hc_layman_run(&config, located, every / 2, every, SAMPLE_CHECKPOINTS, &sample);
    double took = milliseconds() - start, whole = hc_layman_instructions(located->instructions, depth);
    double mips = (double)sample.instructions / took / 1e3;
    hc_launchpad_free(board);
    printf("    layman    ED %llu: %.3g instructions; %llu of its %llu checkpoints were run at %.0f MIPS: computed "
           "%.0f s\n",
           (unsigned long long)depth, whole, (unsigned long long)sample.checkpoints,
           (unsigned long long)located->instructions, mips, whole / mips / 1e6);
    return whole / mips / 1e3;
}

/* Known checkpoints, as in Figure 10. */
static void known(struct hc_image *image, enum hc_placement placement, const char *name)
{
    struct hc_launchpad *board = load(image);
    struct hc_locate_config config = config_for(image, board, 0);
    struct hc_located located;
    size_t count;
    uint32_t *before = hc_place_checkpoints(board->machine, image, placement, &count);

    config.before = before;
    config.before_count = count;
    double start = milliseconds();
    hc_power_locate(&config, &located);
    double located_after = milliseconds() - start;
    struct hc_evaluated *evaluated = calloc(located.pairs.count + 1, sizeof *evaluated);
    struct hc_launchpad *other = load(image);
    config.machine = other->machine;
    start = milliseconds();
    if (!evaluated || !hc_power_evaluate(&config, &located, evaluated))
        fprintf(stderr, "not evaluated\n");
    printf("    %-16s locate %8.2f ms at %.0f MIPS, %llu checkpoints, %zu anomalies; evaluate %.2f ms\n", name,
           located_after, (double)located.instructions / located_after / 1e3, (unsigned long long)located.checkpoints,
           anomalies(&located, UINT64_MAX - 1), milliseconds() - start);
    hc_located_free(&located);
    hc_launchpad_free(board);
    hc_launchpad_free(other);
    free(evaluated);
    free(before);
}

struct figures {
    double locate_ms, mips, layman_ms;
};

static int bench(const char *directory, const char *name, const char *placement, struct figures *figures)
{
    char path[1024];
    struct hc_image_message message;
    struct hc_image *image;
    struct hc_located located;

    snprintf(path, sizeof path, "%s/%s-%s.elf", directory, name, placement);
    if (hc_image_load_file(&image, path, &message)) {
        fprintf(stderr, "%s\n", message.text);
        return 3;
    }
    printf("%s, %s in FRAM\n", name, placement);
    for (int i = 0; i < DEPTHS; i++) {
        double took = locate(image, depths[i], &located);
        double mips = (double)located.instructions / took / 1e3;
        printf("    locate    ED %llu: %8.2f ms, %llu instructions at %.0f MIPS, %llu accesses, %zu anomalies\n",
               (unsigned long long)depths[i], took, (unsigned long long)located.instructions, mips,
               (unsigned long long)located.accesses, anomalies(&located, depths[i]));
        if (!i)
            *figures = (struct figures){ .locate_ms = took, .mips = mips };
        if (i < DEPTHS - 1)
            hc_located_free(&located);
    }
    printf("    evaluate  ED %llu: %8.2f ms, %zu pairs\n", (unsigned long long)depths[DEPTHS - 1],
           evaluate(image, &located), located.pairs.count);
    figures->layman_ms = layman(image, &located, depths[0]);
    hc_located_free(&located);
    known(image, HC_PLACE_LOOP_LATCH, "loop-latch");
    known(image, HC_PLACE_FUNCTION_RETURN, "function-return");
    hc_image_free(image);
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "crc", "fft", "aes" };
    static const char *const placements[] = { "globals", "stack" };
    struct figures crc, figures;

    if (argc != 2) {
        fprintf(stderr, "bench-power FIRMWARE_DIRECTORY\n");
        return 2;
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            int code = bench(argv[1], names[i], placements[k], &figures);
            if (code)
                return code;
            if (!i && !k)
                crc = figures;
        }
    printf("power: locate CRC %.2f ms at %.0f MIPS, %.3g x faster than layman\n", crc.locate_ms, crc.mips,
           crc.layman_ms / crc.locate_ms);
    return 0;
}
