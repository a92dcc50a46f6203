/* bench-record: what recording costs, and how small the log is.
 *
 *   record BUILD
 *
 * BUILD/firmware has each application four times: NAME.elf as it is, NAME-rec.elf with the recorder, NAME-full.elf with
 * one that writes full pages only (--flush=0), NAME-paper.elf with the codecs of the TARDIS paper. Each is run as its
 * section 4.1 describes, alone or in a grid. Of one node the raw log is looked at, its code and memory; of all of them
 * the logs in their flash chips, the time that the CPU was awake and the energy: who sends for whom is chance, and
 * differs from run to run. Where radios sleep, so that chance matters much, the network is started several times. The
 * first image is watched from outside as well (capture.h): what a log of everything would be, and what others make of
 * it. What recording does to time is measured in record_time.c.
 *
 * Logs of codec set hindcast are counted with the headers of all their pages, up to the last that was written. Those of
 * set paper as if they were full pages of its three streams alone: neither the hashes, which it does not have, count,
 * nor what it costs that streams share pages, nor are its pages ever written before they are full: so it is compared
 * with NAME-full.elf. */
#include "record.h"

#include "capture.h"
#include "compress.h"
#include "field/testbed.h"
#include "recorded/map.h"
#include "recorded/size.h"
#include "slzw.h"
#include "trace/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const suffixes[SETS] = { "", "-rec", "-paper", "-full" };

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

_Noreturn void fail(const char *what)
{
    fprintf(stderr, "bench-record: %s\n", what);
    exit(3);
}

/* ---- running ---- */

struct hc_testbed *build_network(const struct experiment *e, const char *image, int seed, struct hc_scenario **scenario)
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

/* Adds to F's rates; its pages and losses become those of this chip. */
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
    f->pages = (double)count * 3600 / seconds;
    count = hc_log_segments(log, &segments);
    for (size_t i = 0; i < count; i++)
        f->losses += segments[i].overflow * 3600.0 / seconds;
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
    f->flash_bytes = hc_size_flash_bytes(image);
    if (!recorder)
        return;
    f->runtime_bytes = hc_size_runtime_bytes(image);
    f->ram_bytes = hc_size_runtime_ram(image);
}

static uint32_t address_of(struct hc_image *image, const char *symbol)
{
    struct hc_symbol found;
    if (!hc_image_symbol(image, symbol, &found))
        fail("a recorded program lacks a symbol of the recorder");
    return found.address;
}

void run_network(struct hc_testbed *testbed, unsigned seconds)
{
    if (hc_world_run(testbed->world, seconds * HC_SECOND) != HC_WORLD_TIME)
        fail("a node stopped");
}

/* ---- events, as they happen ---- */

enum { VECTORS = 16 };

struct tally {
    uint64_t happened, lost;
};

static enum hc_action event_happens(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m, (void)pc;
    ((struct tally *)owner)->happened++;
    return HC_CONTINUE;
}

static enum hc_action event_is_lost(void *owner, struct hc_machine *m, uint32_t pc)
{
    (void)m, (void)pc;
    ((struct tally *)owner)->lost++;
    return HC_CONTINUE;
}

static void tally_at(const struct hc_testbed_node *node, const char *name, hc_pc_fn *call, struct tally *tally)
{
    struct hc_symbol found;
    if (hc_image_symbol(node->image->image, name, &found)) /* of what it uses */
        hc_hook_pc(node->board->machine, found.address, call, tally);
}

static void tally_events(const struct hc_testbed *testbed, struct tally tally[NODES_MAX])
{
    char name[40];
    for (int i = 0; i < testbed->nodes; i++) {
        const struct hc_testbed_node *node = &testbed->node[i];
        tally[i] = (struct tally){ 0, 0 };
        tally_at(node, "__hc_cut_read", event_happens, &tally[i]);
        tally_at(node, "__hc_cut_read_via", event_happens, &tally[i]);
        for (int n = 0; n < VECTORS; n++) {
            snprintf(name, sizeof name, "__hc_trampoline_%d", n);
            tally_at(node, name, event_happens, &tally[i]);
        }
        tally_at(node, "read_lost", event_is_lost, &tally[i]);
        tally_at(node, "interrupt_lost", event_is_lost, &tally[i]);
        tally_at(node, "inside_lost", event_is_lost, &tally[i]);
    }
}

/* ---- of all nodes ---- */

/* Who forwards for whom is chance: with low-power listening one start differs from the next by several percent in time
 * and power, and less in what an event takes in the log. */
static int starts_of(const struct experiment *e, int set)
{
    if (!e->listens || e->nodes == 1)
        return 1;
    return set == PLAIN || set == HINDCAST ? 12 : 4;
}

static void add_log(const struct hc_testbed *testbed, const struct experiment *e, int starts,
                    const struct tally tally[NODES_MAX], struct figures *f)
{
    for (int i = 0; i < testbed->nodes; i++) {
        struct figures node = { 0 };
        measure_log(testbed->node[i].board->flash, e->seconds, &node);
        f->mean_log += node.log / testbed->nodes / starts;
        f->events += (double)(tally[i].happened - tally[i].lost) / e->seconds / testbed->nodes / starts;
        f->pages += node.pages / testbed->nodes / starts;
        f->losses += node.losses / testbed->nodes / starts;
    }
}

static void add_energy(const struct hc_testbed *testbed, int starts, struct figures *f)
{
    for (int i = 0; i < testbed->nodes; i++) {
        struct hc_energy_report energy;
        hc_energy_measure(testbed->node[i].energy, &energy);
        double awake = hc_seconds(energy.cpu[HC_MODE_ACTIVE]) / hc_seconds(energy.powered);
        f->awake += awake / testbed->nodes / starts;
        double own = energy.millijoules[HC_CONSUMER_CPU] + energy.millijoules[HC_CONSUMER_FLASH];
        f->milliwatts += energy.mean_milliwatts / testbed->nodes / starts;
        f->own_milliwatts += own / hc_seconds(energy.powered) / testbed->nodes / starts;
        f->of_node[i] += energy.mean_milliwatts / starts;
    }
}

static void start_again(const struct experiment *e, const char *path, int set, struct figures *f)
{
    int starts = starts_of(e, set);

    for (int seed = 2; seed <= starts; seed++) {
        struct hc_scenario *scenario;
        struct hc_testbed *testbed = build_network(e, path, seed, &scenario);
        struct tally tally[NODES_MAX];
        tally_events(testbed, tally);
        run_network(testbed, e->seconds);
        add_energy(testbed, starts, f);
        if (set != PLAIN)
            add_log(testbed, e, starts, tally, f);
        hc_testbed_free(testbed);
        hc_scenario_free(scenario);
    }
}

/* Of the node that is looked at. */
static void measure_one(const struct hc_testbed_node *node, const struct experiment *e, struct figures *f)
{
    struct figures of_node = { 0 };
    measure_log(node->board->flash, e->seconds, &of_node);
    f->log = of_node.log;
    f->hashes = of_node.hashes;
    f->other = of_node.other;
}

/* ---- all ---- */

static struct figures measure(const char *build, const struct experiment *e, int set, struct raw_figures *raw)
{
    struct capture capture;
    struct figures f = { 0 };
    struct meter update;
    struct hc_scenario *scenario;
    char path[500];
    snprintf(path, sizeof path, "%s/firmware/%s%s.elf", build, e->application, suffixes[set]);
    struct hc_testbed *testbed = build_network(e, path, 1, &scenario);
    struct hc_testbed_node *node = &testbed->node[e->node];
    struct hc_image *image = node->image->image;
    struct tally tally[NODES_MAX];
    tally_events(testbed, tally);
    if (set == PLAIN)
        capture_begin(&capture, testbed, e->node);
    else
        meter_between(&update, node->board->machine, address_of(image, "__hc_cut_update"),
                      address_of(image, "__hc_cut_update_end"));
    run_network(testbed, e->seconds);
    add_energy(testbed, starts_of(e, set), &f);
    measure_image(image, set != PLAIN, &f);
    if (set == PLAIN) {
        measure_raw(&capture, e->seconds, raw);
        capture_free(&capture);
    } else {
        f.longest_stop = hc_seconds(update.longest);
        measure_one(node, e, &f);
        add_log(testbed, e, starts_of(e, set), tally, &f);
    }
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
    start_again(e, path, set, &f);
    return f;
}

/* The recorder's code and RAM in C, beside what they are in assembly. */
static void print_in_c(const char *build, const struct figures *assembly)
{
    struct hc_image *image;
    struct hc_image_message message;
    char path[500];
    snprintf(path, sizeof path, "%s/firmware/mho-c.elf", build);
    if (hc_image_load_file(&image, path, &message) != HC_IMAGE_OK)
        fail(message.text);
    printf("record: mho's recorder in assembly %u bytes of code, %u of RAM; in C %u, %u\n", assembly->runtime_bytes,
           assembly->ram_bytes, hc_size_runtime_bytes(image), hc_size_runtime_ram(image));
    hc_image_free(image);
}

int main(int argc, char **argv)
{
    static struct measured measured[EXPERIMENTS];
    static struct speed speed;
    if (argc != 2) {
        fprintf(stderr, "usage: record BUILD\n");
        return 2;
    }
    for (int i = 0; i < EXPERIMENTS; i++) {
        measured[i].experiment = &experiments[i];
        for (int set = 0; set < SETS; set++)
            measured[i].set[set] = measure(argv[1], &experiments[i], set, &measured[i].raw);
    }
    measure_speed(&speed, argv[1]);
    print_logs(measured, EXPERIMENTS);
    print_reductions(measured, EXPERIMENTS);
    print_costs(measured, EXPERIMENTS);
    print_flush(measured, EXPERIMENTS);
    print_speed(&speed);
    print_in_c(argv[1], &measured[1].set[HINDCAST]);
    print_summary(measured, EXPERIMENTS, &speed);
    return 0;
}
