/* bench-record: what recording costs, and how small the log is.
 *
 *   record DIRECTORY
 *
 * DIRECTORY has each application three times: NAME.elf as it is, NAME-rec.elf with the recorder, NAME-paper.elf with
 * the codecs of the TARDIS paper. Each is run as its section 4.1 describes, alone or in a grid. Of one node the raw
 * log is looked at, its code and memory; of all of them the logs in their flash chips, the time that the CPU was awake
 * and the energy: who sends for whom is chance, and differs from run to run. Where radios sleep, so that chance matters
 * much, the network is started several times. The first image is watched from outside as well (capture.h): what a log
 * of everything would be, and what others make of it.
 *
 * Logs of codec set hindcast are counted with the headers of all their pages, up to the last that was written. Those of
 * set paper as if they were full pages of its three streams alone: neither the hashes, which it does not have, count,
 * nor what it costs that streams share pages. */
#include "record.h"

#include "../runtime/link.h"
#include "capture.h"
#include "compress.h"
#include "field/testbed.h"
#include "instrument/map.h"
#include "instrument/report.h"
#include "slzw.h"
#include "trace/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const suffixes[SETS] = { "", "-rec", "-paper" };

static const struct experiment experiments[] = {
    { "blink", "blink", 1, 0, 3600, false, false, 0 },
    { "mho", "mho", 1, 0, 3600, true, false, 92 },
    { "mho 64 ms", "mho-lpl64", 1, 0, 1200, false, true, 94 },
    { "mho 512 ms", "mho-lpl512", 1, 0, 1200, false, true, 90 },
    { "mho network", "mho", 9, 4, 400, true, false, 80 },
    { "mho 64 ms network", "mho-lpl64", 9, 4, 200, false, true, 86 },
    { "mho 512 ms network", "mho-lpl512", 9, 4, 200, false, true, 77 },
    { "em", "em", 4, 1, 300, true, false, 83 },
    { "collect", "collect", 9, 4, 600, true, false, 78 },
};
enum { EXPERIMENTS = sizeof experiments / sizeof *experiments };

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-record: %s\n", what);
    exit(3);
}

/* ---- running ---- */

static struct hc_testbed *build(const struct experiment *e, const char *image, int seed, struct hc_scenario **scenario)
{
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = 2 };
    struct hc_scenario_choices choices = { .images = 1, .image = &image };
    static const char *const grids[] = { [1] = "grid:1x1:1m", [4] = "grid:2x2:1m", [9] = "grid:3x3:1m" };
    int first = e->nodes == 1; /* alone it is no base station, which is node 0 */
    char text[300];
    snprintf(text, sizeof text,
             "seed %d\nnode %d-%d %s spread 1s\n"
             "sensor all light sine 300lux amplitude 200lux period 5min\n"
             "sensor all adc0 sine 1250mV amplitude 500mV frequency 7.3Hz\n",
             seed, first, first + e->nodes - 1, grids[e->nodes]);
    if (hc_scenario_parse(scenario, "bench", text, strlen(text), &choices, &message) != 0 ||
        hc_scenario_read_files(*scenario, &message) != 0 ||
        hc_testbed_new(&testbed, *scenario, &options, &message) != 0)
        fail(message.text);
    return testbed;
}

/* ---- what passes between two places in the code ---- */

struct meter {
    struct hc_machine *machine;
    uint64_t cycles, most_cycles;
    hc_time since, longest;
    bool runs;
};

static uint64_t cycles_of(struct hc_machine *m)
{
    struct hc_statistics s;
    hc_machine_statistics(m, &s);
    return s.cycles;
}

static enum hc_action begins(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct meter *meter = owner;
    (void)pc;
    meter->cycles = cycles_of(m);
    meter->since = hc_now(m);
    meter->runs = true;
    return HC_CONTINUE;
}

static enum hc_action ends(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct meter *meter = owner;
    (void)pc;
    if (!meter->runs)
        return HC_CONTINUE;
    meter->runs = false;
    if (hc_now(m) - meter->since > meter->longest)
        meter->longest = hc_now(m) - meter->since;
    if (cycles_of(m) - meter->cycles > meter->most_cycles)
        meter->most_cycles = cycles_of(m) - meter->cycles;
    return HC_CONTINUE;
}

static uint32_t address_of(struct hc_image *image, const char *symbol)
{
    struct hc_symbol found;
    if (!hc_image_symbol(image, symbol, &found))
        fail("a recorded program lacks a symbol of the recorder");
    return found.address;
}

static void measure_between(struct meter *meter, struct hc_machine *m, uint32_t from, uint32_t to)
{
    hc_hook_pc(m, from, begins, meter);
    hc_hook_pc(m, to, ends, meter);
}

/* ---- logs ---- */

static void add_page(struct figures *f, const struct hc_log_page *page, double seconds)
{
    const double whole_page = (double)HC_PAGE_SIZE / HC_PAGE_PAYLOAD;
    const uint8_t *bytes;
    uint8_t length;
    if (page->stream >= HC_CODEC_STREAMS)
        f->other += (HC_PAGE_FRAME + page->length) / seconds;
    else if (page->stream != HC_STREAM_PAPER)
        f->log += (HC_PAGE_FRAME + page->length) / seconds;
    else
        for (enum hc_lane lane = 0; lane < HC_LANES; lane++)
            if (hc_log_lane(page, lane, &bytes, &length))
                *(lane == HC_LANE_HASHES ? &f->hashes : &f->log) += length * whole_page / seconds;
}

static void measure_log(struct hc_m25p80 *flash, unsigned seconds, struct figures *f)
{
    enum { SIZE = 1 << 20 };
    struct hc_log *log;
    struct hc_log_message message;
    const struct hc_log_page *pages;
    const struct hc_log_segment *segments;
    uint8_t *bytes = malloc(SIZE);
    if (!bytes)
        fail("no memory");
    hc_m25p80_read(flash, 0, bytes, SIZE);
    if (hc_log_open_memory(&log, "flash", bytes, SIZE, &message) != HC_LOG_OK)
        fail(message.text);
    size_t count = hc_log_pages(log, &pages);
    for (size_t i = 0; i < count; i++)
        add_page(f, &pages[i], seconds);
    count = hc_log_segments(log, &segments);
    for (size_t i = 0; i < count; i++)
        f->lost |= segments[i].overflow;
    hc_log_free(log);
    free(bytes);
}

/* ---- the raw log ---- */

struct counter {
    struct hc_codec codec;
    size_t bytes; /* of all streams but hashes */
};

static void count_page(struct hc_codec *codec, uint8_t stream, uint8_t *page, uint8_t length)
{
    struct counter *counter = (struct counter *)codec;
    (void)stream, (void)length;
    for (enum hc_lane lane = 0; lane < HC_LANE_HASHES; lane++)
        counter->bytes += page[lane];
}

enum kind { INTERRUPTS, TIMERS, STATES, DATA };

static enum kind kind_of(const struct capture *c, const struct event *e)
{
    if (e->kind == HC_EVENT_INTERRUPT)
        return INTERRUPTS;
    int class = HC_SITE_CLASS(&c->site[e->site].site);
    return class == HC_SITE_TIMER ? TIMERS : class == HC_SITE_DATA ? DATA : STATES;
}

static void encode(struct hc_codec *codec, const struct event *e)
{
    if (e->kind == HC_EVENT_READ && e->has_base) {
        hc_encode_based(codec, e->site, e->value, e->base);
    } else if (e->kind == HC_EVENT_READ) {
        hc_encode_read(codec, e->site, e->value);
    } else {
        struct hc_arrival a = { e->vector, e->flags, e->pc, (uint16_t)e->count_paper, e->count_paper >> 16, e->hash };
        hc_encode_interrupt(codec, &a);
    }
}

/* Bytes of the events of one kind, by codec set paper; and before. */
static void measure_kind(const struct capture *c, enum kind kind, double seconds, double *before, double *after)
{
    struct counter counter = { 0 };
    struct hc_site sites[EVENT_SITES];
    double bits = 0;
    for (int i = 0; i < EVENT_SITES; i++)
        sites[i] = c->site[i].site;
    hc_codec_open(&counter.codec, sites, count_page);
    counter.codec.sets = HC_PAPER_ALL;
    hc_codec_start(&counter.codec);
    for (size_t i = 0; i < c->events; i++) {
        const struct event *e = &c->event[i];
        if (kind_of(c, e) != kind)
            continue;
        bits += kind == INTERRUPTS ? 36 : __builtin_popcount(sites[e->site].mask);
        encode(&counter.codec, e);
    }
    hc_codec_finish(&counter.codec);
    *before = bits / 8 / seconds;
    *after = (double)counter.bytes / seconds;
}

static void measure_raw(const struct capture *c, double seconds, struct raw_figures *f)
{
    double interrupts = (double)c->bits_interrupts;
    f->all = ((double)c->bits_all + interrupts) / 8 / seconds;
    f->undetermined = ((double)c->bits_undetermined + interrupts) / 8 / seconds;
    f->without_polling = ((double)c->bits_without_polling + interrupts) / 8 / seconds;
    f->masked = ((double)c->bits_masked + interrupts) / 8 / seconds;
    f->gzip = (double)compress_by("gzip -9", c->raw.at, c->raw.size) / seconds;
    f->xz = (double)compress_by("xz -9", c->raw.at, c->raw.size) / seconds;
    f->slzw = (double)slzw_mini_cache_size(c->raw.at, c->raw.size, 32) / seconds;
    f->control = (double)c->control.size / seconds;
    f->control_slzw = (double)slzw_mini_cache_size(c->control.at, c->control.size, 32) / seconds;
    measure_kind(c, INTERRUPTS, seconds, &f->interrupts, &f->paper_interrupts);
    measure_kind(c, TIMERS, seconds, &f->timers, &f->paper_timers);
    measure_kind(c, STATES, seconds, &f->states, &f->paper_states);
    measure_kind(c, DATA, seconds, &f->data, &f->paper_data);
}

/* ---- one image ---- */

static void measure_image(const struct hc_image *image, bool recorder, struct figures *f)
{
    f->flash_bytes = hc_report_flash_bytes(image);
    if (!recorder)
        return;
    f->runtime_bytes = hc_report_runtime_bytes(image);
    f->ram_bytes = hc_report_runtime_ram(image);
}

static void run(struct hc_testbed *testbed, unsigned seconds)
{
    if (hc_world_run(testbed->world, seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("a node stopped");
}

/* ---- of all nodes ---- */

static void add_log(const struct hc_testbed *testbed, const struct experiment *e, int starts, struct figures *f)
{
    for (int i = 0; i < testbed->nodes; i++) {
        struct figures node = { 0 };
        measure_log(testbed->node[i].board->flash, e->seconds, &node);
        f->mean_log += node.log / testbed->nodes / starts;
        f->lost |= node.lost;
    }
}

static void add_energy(const struct hc_testbed *testbed, int starts, struct figures *f)
{
    for (int i = 0; i < testbed->nodes; i++) {
        struct hc_energy_report energy;
        hc_energy_measure(testbed->node[i].energy, &energy);
        double awake = hc_seconds(energy.cpu[HC_MODE_ACTIVE]) / hc_seconds(energy.powered);
        f->awake += awake / testbed->nodes / starts;
        f->milliwatts += energy.mean_milliwatts / testbed->nodes / starts;
        f->of_node[i] += energy.mean_milliwatts / starts;
    }
}

static int starts_of(const struct experiment *e)
{
    return e->listens && e->nodes > 1 ? 4 : 1;
}

static void start_again(const struct experiment *e, const char *path, int set, struct figures *f)
{
    for (int seed = 2; seed <= starts_of(e); seed++) {
        struct hc_scenario *scenario;
        struct hc_testbed *testbed = build(e, path, seed, &scenario);
        run(testbed, e->seconds);
        add_energy(testbed, starts_of(e), f);
        if (set != PLAIN)
            add_log(testbed, e, starts_of(e), f);
        hc_testbed_free(testbed);
        hc_scenario_free(scenario);
    }
}

/* ---- all ---- */

static struct figures measure(const char *directory, const struct experiment *e, int set, struct raw_figures *raw)
{
    struct capture capture;
    struct figures f = { 0 };
    struct meter update = { 0 };
    struct hc_scenario *scenario;
    char path[500];
    snprintf(path, sizeof path, "%s/%s%s.elf", directory, e->application, suffixes[set]);
    struct hc_testbed *testbed = build(e, path, 1, &scenario);
    struct hc_testbed_node *node = &testbed->node[e->node];
    struct hc_image *image = node->image->image;
    if (set == PLAIN)
        capture_begin(&capture, testbed, e->node);
    else
        measure_between(&update, node->board->machine, address_of(image, "__hc_cut_update"),
                        address_of(image, "__hc_cut_update_end"));
    run(testbed, e->seconds);
    add_energy(testbed, starts_of(e), &f);
    f.longest_stop = hc_seconds(update.longest);
    measure_image(image, set != PLAIN, &f);
    if (set == PLAIN) {
        measure_raw(&capture, e->seconds, raw);
        capture_free(&capture);
    } else {
        measure_log(node->board->flash, e->seconds, &f);
        add_log(testbed, e, starts_of(e), &f);
    }
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
    start_again(e, path, set, &f);
    return f;
}

/* ---- appending ---- */

static void count_exactly(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)owner, (void)m, (void)pc;
}

/* The longest of a minute in the network: reads to the end of their cut, interrupts to their handlers. */
static struct append measure_append(const char *directory)
{
    enum { VECTORS = 16, SECONDS = 60 };
    static const struct experiment network = { "", "mho-lpl64", 9, 4, SECONDS, false, true, 0 };
    struct hc_scenario *scenario;
    struct meter read = { 0 }, interrupt[VECTORS] = { 0 };
    struct append out = { 0 };
    struct hc_symbol trampoline;
    char path[500], name[40];
    snprintf(path, sizeof path, "%s/%s-rec.elf", directory, network.application);
    struct hc_testbed *testbed = build(&network, path, 1, &scenario);
    struct hc_machine *m = testbed->node[network.node].board->machine;
    struct hc_image *image = testbed->node[network.node].image->image;
    uint32_t handlers = address_of(image, "__hc_link") + HC_LINK_HANDLERS;
    measure_between(&read, m, address_of(image, "__hc_cut_read"), address_of(image, "__hc_cut_read_end"));
    for (uint32_t n = 0; n < VECTORS - 1; n++) {
        snprintf(name, sizeof name, "__hc_trampoline_%u", n);
        if (hc_image_symbol(image, name, &trampoline)) /* of vectors in use */
            measure_between(&interrupt[n], m, trampoline.address, hc_peek16(m, handlers + 2 * n));
    }
    hc_hook_retire(m, count_exactly, NULL);
    run(testbed, SECONDS);
    out.read = (unsigned)read.most_cycles;
    for (int n = 0; n < VECTORS; n++)
        if (interrupt[n].most_cycles > out.interrupt)
            out.interrupt = (unsigned)interrupt[n].most_cycles;
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
    return out;
}

/* The recorder's code and RAM in C, beside what they are in assembly. */
static void print_in_c(const char *directory, const struct figures *assembly)
{
    struct hc_image *image;
    struct hc_image_message message;
    char path[500];
    snprintf(path, sizeof path, "%s/mho-c.elf", directory);
    if (hc_image_load_file(&image, path, &message) != HC_IMAGE_OK)
        fail(message.text);
    printf("record: mho's recorder in assembly %u bytes of code, %u of RAM; in C %u, %u\n", assembly->runtime_bytes,
           assembly->ram_bytes, hc_report_runtime_bytes(image), hc_report_runtime_ram(image));
    hc_image_free(image);
}

int main(int argc, char **argv)
{
    static struct measured measured[EXPERIMENTS];
    if (argc != 2) {
        fprintf(stderr, "usage: record DIRECTORY\n");
        return 2;
    }
    for (int i = 0; i < EXPERIMENTS; i++) {
        measured[i].experiment = &experiments[i];
        for (int set = 0; set < SETS; set++)
            measured[i].set[set] = measure(argv[1], &experiments[i], set, &measured[i].raw);
    }
    struct append append = measure_append(argv[1]);
    print_logs(measured, EXPERIMENTS);
    print_reductions(measured, EXPERIMENTS);
    print_costs(measured, EXPERIMENTS);
    print_in_c(argv[1], &measured[0].set[HINDCAST]);
    print_summary(measured, EXPERIMENTS, &append);
    return 0;
}
