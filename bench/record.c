/* bench-record: what recording costs, and how small the log is.
 *
 *   record DIRECTORY
 *
 * DIRECTORY has each application three times: NAME.elf as it is, NAME-rec.elf with the recorder, NAME-paper.elf with
 * the codecs of the TARDIS paper. Each is run as its section 4.1 describes, alone or in a grid of nine, and one node is
 * looked at: the log in its flash, its code and memory, the time that its CPU was awake, its energy.
 *
 * Log sizes are those of all pages of events, headers included; boot pages and checkpoints are told apart. The hashes,
 * which the paper's format has not, are not counted for it. */
#include "field/testbed.h"
#include "instrument/map.h"
#include "instrument/report.h"
#include "trace/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 3, PLAIN = 0, HINDCAST, PAPER };
static const char *const suffixes[SETS] = { "", "-rec", "-paper" };

struct experiment {
    const char *name, *application;
    int nodes, node; /* the one that is looked at */
    unsigned seconds;
    bool code_counts; /* its code size has a budget */
};

static const struct experiment experiments[] = {
    { "blink", "blink", 1, 0, 3600, false },
    { "mho, alone", "mho", 1, 0, 3600, true },
    { "mho 64 ms, alone", "mho-lpl64", 1, 0, 1200, false },
    { "mho 512 ms, alone", "mho-lpl512", 1, 0, 1200, false },
    { "mho, network", "mho", 9, 4, 600, true },
    { "mho 64 ms, network", "mho-lpl64", 9, 4, 300, false },
    { "mho 512 ms, network", "mho-lpl512", 9, 4, 300, false },
    { "em", "em", 4, 1, 600, true },
    { "collect", "collect", 9, 4, 600, true },
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

struct figures {
    uint32_t flash_bytes, runtime_bytes, ram_bytes; /* of the program, and of the recorder in it */
    double events, other;                           /* bytes a second */
    double hashes;
    double awake;      /* share of time */
    double milliwatts; /* mean */
    bool lost;         /* the recorder's buffers overflowed */
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-record: %s\n", what);
    exit(3);
}

static struct hc_testbed *build(const struct experiment *e, const char *image, struct hc_scenario **scenario)
{
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = 2 };
    struct hc_scenario_choices choices = { .images = 1, .image = &image };
    static const char *const grids[] = { [1] = "grid:1x1:1m", [4] = "grid:2x2:1m", [9] = "grid:3x3:1m" };
    char text[300];
    snprintf(text, sizeof text,
             "node 0-%d %s spread 1s\n"
             "sensor all light sine 300lux amplitude 200lux period 5min\n"
             "sensor all adc0 sine 1250mV amplitude 500mV frequency 7.3Hz\n",
             e->nodes - 1, grids[e->nodes]);
    if (hc_scenario_parse(scenario, "bench", text, strlen(text), &choices, &message) != 0 ||
        hc_scenario_read_files(*scenario, &message) != 0 ||
        hc_testbed_new(&testbed, *scenario, &options, &message) != 0)
        fail(message.text);
    return testbed;
}

static void measure_log(struct hc_m25p80 *flash, unsigned seconds, struct figures *f)
{
    enum { SIZE = 1 << 20 };
    struct hc_log *log;
    struct hc_log_message message;
    uint8_t *bytes = malloc(SIZE);
    if (!bytes)
        fail("no memory");
    hc_m25p80_read(flash, 0, bytes, SIZE);
    if (hc_log_open_memory(&log, "flash", bytes, SIZE, &message) != HC_LOG_OK)
        fail(message.text);
    const struct hc_log_page *pages;
    size_t count = hc_log_pages(log, &pages);
    for (size_t i = 0; i < count; i++) {
        double size = (double)(HC_PAGE_HEADER + pages[i].length) / seconds;
        const uint8_t *bytes;
        uint8_t length = 0;
        if (pages[i].stream == HC_STREAM_PAPER && hc_log_lane(&pages[i], HC_LANE_HASHES, &bytes, &length))
            f->hashes += (double)length / seconds;
        *(pages[i].stream < HC_CODEC_STREAMS ? &f->events : &f->other) += size - (double)length / seconds;
    }
    const struct hc_log_segment *segments;
    size_t segment_count = hc_log_segments(log, &segments);
    for (size_t i = 0; i < segment_count; i++)
        f->lost |= segments[i].overflow;
    hc_log_free(log);
    free(bytes);
}

static void measure_image(const struct hc_image *image, bool recorder, struct figures *f)
{
    f->flash_bytes = hc_report_flash_bytes(image);
    if (!recorder)
        return;
    f->runtime_bytes = hc_report_runtime_bytes(image);
    f->ram_bytes = hc_report_runtime_ram(image);
}

static struct figures measure(const char *directory, const struct experiment *e, int set)
{
    struct figures f = { 0 };
    struct hc_scenario *scenario;
    char path[500];
    snprintf(path, sizeof path, "%s/%s%s.elf", directory, e->application, suffixes[set]);
    struct hc_testbed *testbed = build(e, path, &scenario);
    struct hc_testbed_node *node = &testbed->node[e->node];
    if (hc_world_run(testbed->world, e->seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("a node stopped");
    struct hc_energy_report energy;
    hc_energy_measure(node->energy, &energy);
    f.awake = hc_seconds(energy.cpu[HC_MODE_ACTIVE]) / hc_seconds(energy.powered);
    f.milliwatts = energy.mean_milliwatts;
    measure_image(node->image->image, set != PLAIN, &f);
    if (set != PLAIN)
        measure_log(node->board->flash, e->seconds, &f);
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
    return f;
}

/* In percent. */
static double growth(double from, double to)
{
    return 100 * (to - from) / from;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

struct summary {
    double worst_log, logarithms, worst_code, worst_awake;
    uint32_t ram, runtime;
};

static void summarise(struct summary *s, const struct experiment *e, const struct figures f[SETS])
{
    double log = f[HINDCAST].events / f[PAPER].events;
    double code = growth(f[PLAIN].flash_bytes, f[HINDCAST].flash_bytes - f[HINDCAST].runtime_bytes);
    s->worst_log = greater(s->worst_log, log);
    s->logarithms += log2(log) / EXPERIMENTS;
    s->worst_awake = greater(s->worst_awake, growth(f[PLAIN].awake, f[HINDCAST].awake));
    if (e->code_counts)
        s->worst_code = greater(s->worst_code, code);
    s->ram = f[HINDCAST].ram_bytes;
    s->runtime = f[HINDCAST].runtime_bytes;
    printf("%-20s log %8.2f B/s, paper %8.2f (+ %.2f of hashes): %.2f of it; boot and checkpoints %.2f B/s%s%s\n",
           e->name, f[HINDCAST].events, f[PAPER].events, f[PAPER].hashes, log, f[HINDCAST].other,
           f[HINDCAST].lost ? "; LOST events" : "", f[PAPER].lost ? "; paper LOST events" : "");
    printf("%-20s code %u -> %u + %u of recorder (+%.1f %%, with it +%.1f %%), awake %.3f -> %.3f %% (+%.1f %%; paper "
           "+%.1f %%), power %.3f -> %.3f mW (+%.1f %%; paper +%.1f %%)\n",
           "", f[PLAIN].flash_bytes, f[HINDCAST].flash_bytes - f[HINDCAST].runtime_bytes, f[HINDCAST].runtime_bytes,
           code, growth(f[PLAIN].flash_bytes, f[HINDCAST].flash_bytes), 100 * f[PLAIN].awake, 100 * f[HINDCAST].awake,
           growth(f[PLAIN].awake, f[HINDCAST].awake), growth(f[PLAIN].awake, f[PAPER].awake), f[PLAIN].milliwatts,
           f[HINDCAST].milliwatts, growth(f[PLAIN].milliwatts, f[HINDCAST].milliwatts),
           growth(f[PLAIN].milliwatts, f[PAPER].milliwatts));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: record DIRECTORY\n");
        return 2;
    }
    struct summary s = { 0 };
    for (int i = 0; i < EXPERIMENTS; i++) {
        struct figures f[SETS];
        for (int set = 0; set < SETS; set++)
            f[set] = measure(argv[1], &experiments[i], set);
        summarise(&s, &experiments[i], f);
    }
    printf("record: geometric mean of the logs %.2f of paper; recorder %u bytes of code\n", exp2(s.logarithms),
           s.runtime);
    printf("record: log %.2f of paper, code +%.1f %%, ram %u, awake +%.1f %%\n", s.worst_log, s.worst_code, s.ram,
           s.worst_awake);
    return 0;
}
