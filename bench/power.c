/* bench-power FIRMWARE_DIRECTORY: locate, evaluate and the brute-force baseline on the programs of firmware/power, as
 * in Figures 9 to 11 of ScEpTIC's paper.
 *
 *   Figure 9   checkpoints anywhere; the baseline would take hours to years: computed, from its speed on a sample
 *   Figure 10  known checkpoints, placed by hindcast cc; the baseline is run
 *   Figure 11  inputs, and whether power may fail between their measurement and their use; the baseline is run */
#include "machine/board/launchpad_fr5969.h"
#include "power/locate/locate.h"
#include "power/trial/brute_force.h"
#include "power/trial/evaluate.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPETITIONS = 5, INPUTS_MAX = 4, LIMIT = 100000000, SAMPLE_CHECKPOINTS = 16 };
enum { EFFORT = 300000000 }; /* enough for each occurrence of CRC; of the others, for some of each pair */

static const uint64_t depths[] = { 3000, 4000, 5000 };
static const char *const programs[] = { "crc", "fft", "aes" };
static const char *const memories[] = { "globals", "stack" };
static const char *const places[] = { "loop-latch", "function-return" };

#define NOT_SILENT (UINT64_MAX - 1)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* The processor's: whatever else runs on the machine. */
static double milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* ---- a program and what is asked of it ---- */

static struct hc_image *read_image(const char *directory, const char *name)
{
    char path[1024];
    struct hc_image_message message;
    struct hc_image *image;

    snprintf(path, sizeof path, "%s/%s.elf", directory, name);
    if (hc_image_load_file(&image, path, &message)) {
        fprintf(stderr, "%s\n", message.text);
        exit(3);
    }
    return image;
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

static uint32_t address_of(const struct hc_image *image, const char *name)
{
    struct hc_symbol symbol;

    if (!hc_image_symbol(image, name, &symbol)) {
        fprintf(stderr, "%s: has no %s\n", hc_image_name(image), name);
        exit(3);
    }
    return symbol.address;
}

/* DEPTH 0: checkpoints are calls of checkpoint. */
static struct hc_locate_config config_for(const struct hc_image *image, uint64_t depth)
{
    struct hc_locate_config config = { .depth = depth, .limit = LIMIT };

    hc_power_program_find(&config.program, image);
    if (!depth)
        config.checkpoint = address_of(image, "checkpoint");
    return config;
}

static size_t anomalies(const struct hc_located *located, uint64_t depth)
{
    size_t n = 0;

    for (size_t i = 0; i < located->pairs.count; i++)
        n += located->pairs.pair[i].distance <= depth;
    return n;
}

/* ---- the three ---- */

/* The best of some; the last one's result is left in LOCATED. */
static double locate(struct hc_image *image, struct hc_locate_config config, struct hc_located *located)
{
    double best = 1e9;

    for (int i = 0; i < REPETITIONS; i++) {
        struct hc_launchpad *board = load(image);
        config.machine = board->machine;
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

static void print_located(const struct hc_located *located, double ms, uint64_t depth)
{
    printf(" | %7.2f %4.0f %8llu %8llu %9zu", ms, (double)located->instructions / ms / 1e3,
           (unsigned long long)located->instructions, (unsigned long long)located->accesses, anomalies(located, depth));
}

struct evaluation {
    double ms;
    uint64_t tried, occurrences;
};

static struct evaluation evaluate(struct hc_image *image, struct hc_locate_config config,
                                  const struct hc_located *located, uint64_t depth)
{
    struct hc_verdict *verdict = calloc(located->pairs.count + 1, sizeof *verdict);
    struct hc_launchpad *board = load(image);
    struct evaluation e = { 0 };
    uint64_t instructions = 0;
    size_t harmful = 0;
    double start = milliseconds();

    config.machine = board->machine;
    if (!verdict || !hc_power_evaluate(&config, located, EFFORT, verdict)) {
        fprintf(stderr, "%s: not evaluated\n", hc_image_name(image));
        exit(3);
    }
    e.ms = milliseconds() - start;
    for (size_t i = 0; i < located->pairs.count; i++) {
        instructions += verdict[i].instructions;
        e.tried += hc_verdict_tried(&verdict[i]) + hc_verdict_farther_tried(&verdict[i]);
        e.occurrences += verdict[i].occurrences + verdict[i].farther_occurrences;
        harmful += verdict[i].worst.effect > HC_EFFECT_NONE && located->pairs.pair[i].distance <= depth;
    }
    printf(" | %8.2f %10llu %7llu of %8llu %7zu", e.ms, (unsigned long long)instructions, (unsigned long long)e.tried,
           (unsigned long long)e.occurrences, harmful);
    hc_launchpad_free(board);
    free(verdict);
    return e;
}

static double brute_force(struct hc_image *image, struct hc_locate_config config, const struct hc_located *located,
                          uint64_t every, uint64_t count, struct hc_brute_forced *out)
{
    struct hc_launchpad *board = load(image);
    double start = milliseconds();

    config.machine = board->machine;
    hc_brute_force(&config, located, every / 2, every, count, out);
    double took = milliseconds() - start;
    hc_launchpad_free(board);
    return took;
}

/* WIDTH: of what is before. */
static void print_header(int width, const char *last, const char *more)
{
    printf("%*s | %-40s | %-46s | brute force\n", width, "", "locate", "evaluate");
    printf("%*s | %7s %4s %8s %8s %9s | %8s %10s %19s %7s | %8s %8s %s\n", width, last, "ms", "MIPS", "instr.",
           "accesses", "anomalies", "ms", "instr.", "occurrences", "harmful", "instr.", "s", more);
}

/* ---- Figure 9 ---- */

struct summary {
    double locate_ms, mips, brute_force_ms;
    uint64_t instructions;
    struct evaluation evaluation; /* the one that took longest */
};

/* What all of it would take, by the speed of a sample of checkpoints that are spread over the run. */
static double brute_force_computed(struct hc_image *image, const struct hc_locate_config *config,
                                   const struct hc_located *located)
{
    struct hc_brute_forced sample;
    uint64_t n = located->instructions;
    double took = brute_force(image, *config, located, n / SAMPLE_CHECKPOINTS | 1, SAMPLE_CHECKPOINTS, &sample);
    double whole = hc_brute_force_instructions(n, config->depth), ms = whole * took / (double)sample.instructions;

    printf(" | %8.2e %8.0f  %4.1f %%\n", whole, ms / 1e3, 100.0 * (double)sample.different / (double)sample.failures);
    return ms;
}

static void anywhere(const char *directory, const char *program, const char *memory, struct summary *summary)
{
    char name[64];

    snprintf(name, sizeof name, "%s-%s", program, memory);
    struct hc_image *image = read_image(directory, name);
    for (size_t i = 0; i < LENGTH(depths); i++) {
        struct hc_locate_config config = config_for(image, depths[i]);
        struct hc_located located;
        double took = locate(image, config, &located);
        printf("%-4s %-8s %5llu", program, memory, (unsigned long long)depths[i]);
        print_located(&located, took, depths[i]);
        struct evaluation e = evaluate(image, config, &located, depths[i]);
        double baseline = brute_force_computed(image, &config, &located);
        if (!i)
            *summary =
                (struct summary){ took, (double)located.instructions / took / 1e3, baseline, located.instructions, e };
        if (e.ms > summary->evaluation.ms)
            summary->evaluation = e;
        hc_located_free(&located);
    }
    hc_image_free(image);
}

static void figure_9(const char *directory, struct summary *crc)
{
    struct summary last[LENGTH(programs)];

    printf("Checkpoints anywhere (Figure 9). Brute force is computed: equation 5 bounded by ED, "
           "at the speed of %d of its "
           "checkpoints.\n",
           SAMPLE_CHECKPOINTS);
    print_header(19, "ED", "differ");
    for (size_t i = 0; i < LENGTH(programs); i++)
        for (size_t k = 0; k < LENGTH(memories); k++) {
            anywhere(directory, programs[i], memories[k], &last[i]);
            if (!i && !k)
                *crc = last[i];
        }
    printf("Equation 5 as it stands:");
    for (size_t i = 0; i < LENGTH(programs); i++)
        printf("%s %s %.3g instructions", i ? "," : "", programs[i],
               hc_brute_force_instructions(last[i].instructions, UINT64_MAX));
    printf("\n\n");
}

/* ---- Figure 10 ---- */

static void known(const char *directory, const char *program, const char *memory, const char *place)
{
    char name[64];
    struct hc_located located;
    struct hc_brute_forced baseline;

    snprintf(name, sizeof name, "%s-%s-%s", program, memory, place);
    struct hc_image *image = read_image(directory, name);
    struct hc_locate_config config = config_for(image, 0);
    double took = locate(image, config, &located);
    printf("%-4s %-8s %-15s %7llu", program, memory, place, (unsigned long long)located.checkpoints);
    print_located(&located, took, NOT_SILENT);
    evaluate(image, config, &located, NOT_SILENT);
    double tried = brute_force(image, config, &located, 1, UINT64_MAX, &baseline);
    printf(" | %8.2e %8.2f  %4.1f %% %6.0f x\n", (double)baseline.instructions, tried / 1e3,
           100.0 * (double)baseline.different / (double)baseline.failures, tried / took);
    hc_located_free(&located);
    hc_image_free(image);
}

static void figure_10(const char *directory)
{
    printf("Known checkpoints, placed by hindcast cc (Figure 10). Brute force is run.\n");
    print_header(37, "checkpoints", "differ  factor");
    for (size_t i = 0; i < LENGTH(programs); i++)
        for (size_t k = 0; k < LENGTH(memories); k++)
            for (size_t n = 0; n < LENGTH(places); n++)
                known(directory, programs[i], memories[k], places[n]);
    printf("\n");
}

/* ---- Figure 11 ---- */

static void inputs(const char *directory, int count)
{
    static const char *const names[INPUTS_MAX] = { "input0", "input1", "input2", "input3" };
    struct hc_power_input input[INPUTS_MAX];
    char name[64];
    struct hc_located located;
    struct hc_brute_forced baseline;

    snprintf(name, sizeof name, "sense%d", count);
    struct hc_image *image = read_image(directory, name);
    struct hc_locate_config config = config_for(image, 0);
    for (int i = 0; i < count; i++)
        input[i] = (struct hc_power_input){ .name = names[i], .address = address_of(image, names[i]), .size = 2 };
    config.input = input;
    config.inputs = (size_t)count;
    double took = locate(image, config, &located);
    double tried = brute_force(image, config_for(image, 0), &located, 1, UINT64_MAX, &baseline);
    const struct hc_input_finding *findings;
    size_t unexpected = hc_power_inputs_findings(located.inputs, &findings);
    printf("%6d | %7.2f %8llu %13zu | %8.2f %8.2e %6.0f x\n", count, took, (unsigned long long)located.instructions,
           unexpected, tried, (double)baseline.instructions, tried / took);
    hc_located_free(&located);
    hc_image_free(image);
}

static void figure_11(const char *directory)
{
    printf("Inputs: sense, process, transmit (Figure 11). Brute force is run.\n"
           "       | locate                          | brute force\n"
           "inputs |      ms   instr. long-term uses |       ms   instr.\n");
    for (int i = 1; i <= INPUTS_MAX; i++)
        inputs(directory, i);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct summary crc;

    if (argc != 2) {
        fprintf(stderr, "bench-power FIRMWARE_DIRECTORY\n");
        return 2;
    }
    figure_9(argv[1], &crc);
    figure_10(argv[1]);
    figure_11(argv[1]);
    printf("power: evaluate CRC: %llu of %llu occurrences in %.0f ms\n", (unsigned long long)crc.evaluation.tried,
           (unsigned long long)crc.evaluation.occurrences, crc.evaluation.ms);
    printf("power: locate CRC %.2f ms at %.0f MIPS, %.3g x faster than brute force\n", crc.locate_ms, crc.mips,
           crc.brute_force_ms / crc.locate_ms);
    return 0;
}
