#include "run_field.h"

#include "command.h"
#include "field/node_json.h"
#include "field/rundir.h"
#include "files.h"
#include "progress.h"
#include "replay/oracle.h"
#include "signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct field_run {
    const struct hc_run_options *options;
    const char *scenario_file; /* NULL: made from the options */
    int images;
    const char *image[HC_RUN_FILES_MAX];
    char made[256], *loaded;
    const char *text; /* one of these two */
    size_t size;
    struct hc_scenario *scenario;
    struct hc_testbed *testbed;
    struct hc_rundir *rundir;
    hc_time limit;
    int threads;
    struct hc_oracle_writer **oracle; /* by node; NULL when none are wanted */
    struct hc_progress progress;
    struct timespec started;
    int faults;
};

/* ---- what is to be run ---- */

/* Recognised by its first bytes; an unreadable file is not a scenario. */
static bool is_scenario(const char *path)
{
    char beginning[4096];
    FILE *file = fopen(path, "rb");

    if (!file)
        return false;
    size_t size = fread(beginning, 1, sizeof beginning, file);
    fclose(file);
    return hc_scenario_recognise(beginning, size);
}

bool hc_run_is_field(const struct hc_run_options *o)
{
    return o->field || o->files > 1 || is_scenario(o->file[0]);
}

static int wrong_usage(const char *text)
{
    hc_complain("%s; see hindcast run --help", text);
    return HC_EXIT_USAGE;
}

static int sort_files(struct field_run *r)
{
    const struct hc_run_options *o = r->options;

    if (o->topology && !hc_topology_recognise(o->topology)) {
        if (access(o->topology, F_OK) != 0) {
            hc_complain("--topology: '%s' is neither a file nor one of %s", o->topology, hc_topology_forms);
            return HC_EXIT_USAGE;
        }
        r->scenario_file = o->topology;
    }
    for (int i = 0; i < o->files; i++) {
        if (!is_scenario(o->file[i]))
            r->image[r->images++] = o->file[i];
        else if (r->scenario_file)
            return wrong_usage("more than one scenario given");
        else
            r->scenario_file = o->file[i];
    }
    if (o->one_node_only) {
        hc_complain("--%s is for one node, not for several; see hindcast run --help", o->one_node_only);
        return HC_EXIT_USAGE;
    }
    if (r->scenario_file && (o->nodes || (o->topology && r->scenario_file != o->topology)))
        return wrong_usage("a scenario cannot be combined with --nodes and --topology: it defines its own nodes");
    return HC_EXIT_FINE;
}

/* As square as can be. */
static int columns_for(int nodes)
{
    int columns = 1;

    while (columns * columns < nodes)
        columns++;
    return columns;
}

static int make_text(struct field_run *r)
{
    const struct hc_run_options *o = r->options;
    struct hc_message message = { "" };
    char topology[120];
    int nodes = o->nodes ? o->nodes : r->images;

    if (o->topology) {
        int there = hc_topology_nodes(o->topology, &message);
        if (there < 0)
            return wrong_usage(message.text);
        nodes = o->nodes ? o->nodes : there;
        snprintf(topology, sizeof topology, "%s", o->topology);
    } else {
        snprintf(topology, sizeof topology, "grid:%dx%d:1m", columns_for(nodes), columns_for(nodes));
    }
    if (r->images > nodes)
        return wrong_usage("more images than nodes given");
    int length = snprintf(r->made, sizeof r->made, "node %u-%u %s spread %s\n", o->first_id,
                          o->first_id + (unsigned)nodes - 1, topology, o->spread);
    if ((size_t)length >= sizeof r->made)
        return wrong_usage("the options are too long");
    r->text = r->made;
    r->size = (size_t)length;
    return HC_EXIT_FINE;
}

static int read_text(struct field_run *r)
{
    struct hc_message message = { "" };

    if (!r->scenario_file)
        return make_text(r);
    if (hc_read_whole_file(r->scenario_file, &r->loaded, &r->size, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    r->text = r->loaded;
    return HC_EXIT_FINE;
}

/* The number does not influence the run: one for each CPU, but no more than there is work for. */
static int threads_for(const struct field_run *r)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (r->options->threads)
        return r->options->threads;
    if (r->scenario->threads)
        return r->scenario->threads;
    if (processors < 1)
        return 1;
    return processors < r->scenario->nodes ? (int)processors : r->scenario->nodes;
}

/* All errors that can be found early are found here, before anything runs or is written. */
static int build(struct field_run *r)
{
    const struct hc_run_options *o = r->options;
    const struct hc_scenario_choices choices = {
        .has_seed = o->has_seed, .seed = o->seed, .images = r->images, .image = r->image
    };
    struct hc_message message = { "" };
    int error = hc_scenario_parse(&r->scenario, r->scenario_file ? r->scenario_file : "the options", r->text, r->size,
                                  &choices, &message);

    if (!error)
        error = hc_scenario_read_files(r->scenario, &message);
    if (!error) {
        r->limit = o->limit != HC_NEVER ? o->limit : r->scenario->duration;
        r->threads = threads_for(r);
        const struct hc_testbed_options options = {
            .threads = r->threads, .id_symbol = o->id_symbol, .lenient = o->lenient, .hash = o->hash
        };
        error = hc_testbed_new(&r->testbed, r->scenario, &options, &message);
    }
    if (error)
        hc_complain("%s", message.text);
    return error ? HC_EXIT_INPUT : HC_EXIT_FINE;
}

static int open_directory(struct field_run *r, int argc, char **argv)
{
    const struct hc_rundir_config config = { .path = r->options->out,
                                             .version = HC_VERSION,
                                             .words = argc,
                                             .command = argv,
                                             .scenario_text = r->text,
                                             .scenario_size = r->size,
                                             .threads = r->threads,
                                             .hash = r->options->hash,
                                             .duration = r->limit };
    struct hc_message message = { "" };

    if (!hc_rundir_open(&r->rundir, r->testbed, &config, &message))
        return HC_EXIT_FINE;
    hc_complain("%s", message.text);
    return HC_EXIT_INPUT;
}

/* Checks that PATH is not an input of the run. */
static int check_oracle(const struct field_run *r, const char *path)
{
    const struct hc_scenario *s = r->scenario;

    for (int i = -1; i < s->images + s->nodes; i++) {
        const struct hc_named_file files[] = {
            { "--oracle", path, HC_FILE_WRITTEN },
            { "a file that is read",
              i < 0           ? r->scenario_file
              : i < s->images ? s->image[i]
                              : s->node[i - s->images].flash,
              HC_FILE_READ },
        };
        int code = hc_files_check(files, 2);
        if (code)
            return code;
    }
    return HC_EXIT_FINE;
}

/* A file for each node, of those that have a recorder. */
static int open_oracles(struct field_run *r)
{
    struct hc_testbed *testbed = r->testbed;
    char path[4096];

    if (!r->options->oracle)
        return HC_EXIT_FINE;
    r->oracle = calloc((size_t)testbed->nodes, sizeof *r->oracle);
    for (int i = 0; r->oracle && i < testbed->nodes; i++) {
        struct hc_testbed_node *node = &testbed->node[i];
        struct hc_machine *m = node->board->machine;
        struct hc_oracle_message message;
        snprintf(path, sizeof path, "%s.%u", r->options->oracle, node->plan->id);
        int code = check_oracle(r, path);
        if (code)
            return code;
        if (hc_oracle_write(&r->oracle[i], m, node->image->image, hc_machine_part(m)->name, path, &message)) {
            hc_complain("%s", message.text);
            return HC_EXIT_INPUT;
        }
    }
    return r->oracle ? HC_EXIT_FINE : HC_EXIT_INPUT;
}

/* 0 or errno. */
static int close_oracle(struct field_run *r, int node, bool ran)
{
    uint8_t *bytes = ran ? malloc(HC_M25P80_SIZE) : NULL;
    bool well = ran && bytes;

    if (well) {
        hc_m25p80_read(r->testbed->node[node].board->flash, 0, bytes, HC_M25P80_SIZE);
        well = hc_oracle_note_log(r->oracle[node], bytes, HC_M25P80_SIZE);
    }
    free(bytes);
    int cause = hc_oracle_close(r->oracle[node], well);
    return cause ? cause : ran && !well ? ENOMEM : 0;
}

static int close_oracles(struct field_run *r, bool ran)
{
    int code = HC_EXIT_FINE;

    for (int i = 0; r->oracle && i < r->testbed->nodes; i++) {
        int cause = r->oracle[i] ? close_oracle(r, i, ran) : 0;
        if (cause) {
            hc_complain("%s.%u: %s", r->options->oracle, r->testbed->node[i].plan->id, strerror(cause));
            code = HC_EXIT_INPUT;
        }
    }
    free(r->oracle);
    return code;
}

/* ---- the run ---- */

static void stop_world(void *world)
{
    hc_world_request_stop(world);
}

static double seconds_since(const struct timespec *then, const struct timespec *now)
{
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

static void show_progress(struct field_run *r)
{
    struct hc_world *world = r->testbed->world;
    struct timespec now;
    int on = 0;

    if (!r->progress.on)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; i < r->testbed->nodes; i++)
        on += hc_world_is_on(world, i);
    double emulated = hc_seconds(hc_world_now(world)), taken = seconds_since(&r->started, &now);
    hc_progress_tell(&r->progress, r->limit != HC_NEVER && r->limit ? emulated / hc_seconds(r->limit) : -1,
                     "%.1f s, %.1f x real time, %d of %d nodes on, %" PRIu64 " frames", emulated,
                     taken > 0 ? emulated / taken : 0, on, r->testbed->nodes, hc_rundir_frames(r->rundir));
}

static void report_fault(struct field_run *r)
{
    enum hc_stop why;
    int node = hc_world_stopped(r->testbed->world, &why);
    struct hc_testbed_node *n = node < 0 ? NULL : &r->testbed->node[node];
    char place[200];

    if (!n || why != HC_STOP_FAULT)
        return;
    r->faults++;
    hc_progress_clear(&r->progress);
    hc_complain("node %u: fault: %s", n->plan->id, hc_fault_text(n->board->machine));
    fprintf(stderr, "  at %s, %.6f s\n  The others continue without it.\n",
            hc_image_locate(n->image->image, hc_fault_pc(n->board->machine), place, sizeof place),
            hc_seconds(hc_now(n->board->machine)));
}

/* In pieces only to show progress. The pieces do not influence the run. */
static const char *run_on(struct field_run *r)
{
    struct hc_world *world = r->testbed->world;

    hc_progress_begin(&r->progress);
    clock_gettime(CLOCK_MONOTONIC, &r->started);
    while (hc_world_now(world) < r->limit) {
        hc_time until = r->progress.on ? hc_world_now(world) + HC_SECOND / 8 : r->limit;
        switch (hc_world_run(world, until < r->limit ? until : r->limit)) {
        case HC_WORLD_REQUEST:
            return "interrupted";
        case HC_WORLD_NODE:
            report_fault(r);
            break;
        case HC_WORLD_TIME:
            break;
        }
        show_progress(r);
    }
    return "time";
}

/* ---- what came of it ---- */

static void print_node(const struct hc_testbed *t, int node)
{
    struct hc_energy_report e;
    struct hc_medium_statistics air;
    hc_time listening = 0;

    hc_energy_measure(t->node[node].energy, &e);
    hc_medium_statistics(hc_world_medium(t->world), node, &air);
    for (int i = HC_CC2420_RX_CALIBRATE; i < HC_CC2420_STATES; i++)
        listening += e.radio[i];
    printf("%6u %10.3f %12.3f %9.3f %% %9.3f %% %8" PRIu64 "%s\n", t->node[node].plan->id, e.mean_milliwatts,
           e.total_millijoules, e.powered ? 100.0 * (double)e.cpu[HC_MODE_ACTIVE] / (double)e.powered : 0,
           e.powered ? 100.0 * (double)listening / (double)e.powered : 0, air.frames_sent,
           hc_world_is_on(t->world, node) ? "" : "  off");
}

static void print_summary(const struct field_run *r, const char *ended)
{
    enum { MOST = 40 };
    const struct hc_testbed *t = r->testbed;

    printf("%s: %d node%s, %.3f s%s, %" PRIu64 " frames\n", hc_rundir_path(r->rundir), t->nodes,
           t->nodes == 1 ? "" : "s", hc_seconds(hc_world_now(t->world)),
           strcmp(ended, "time") != 0 ? " (interrupted)" : "", hc_rundir_frames(r->rundir));
    if (r->options->hash)
        printf("hash %016" PRIx64 "\n", hc_rundir_hash(t));
    if (t->nodes > MOST)
        return;
    printf("%6s %10s %12s %11s %11s %8s\n", "node", "mW", "mJ", "CPU", "radio", "frames");
    for (int i = 0; i < t->nodes; i++)
        print_node(t, i);
}

static int print_manifest(const struct field_run *r)
{
    char path[4200];
    char *text;
    size_t size;
    struct hc_message message = { "" };

    snprintf(path, sizeof path, "%s/manifest.json", hc_rundir_path(r->rundir));
    if (hc_read_whole_file(path, &text, &size, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    fwrite(text, 1, size, stdout);
    free(text);
    return HC_EXIT_FINE;
}

static int finish(struct field_run *r, const char *ended)
{
    struct hc_message message = { "" };

    hc_progress_clear(&r->progress);
    if (hc_rundir_finish(r->rundir, ended, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    if (r->options->json) {
        int code = print_manifest(r);
        if (code)
            return code;
    } else {
        print_summary(r, ended);
    }
    return r->faults ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

int hc_run_field(const struct hc_run_options *options, int argc, char **argv)
{
    struct field_run r = { .options = options };
    int code = sort_files(&r);

    if (!code)
        code = read_text(&r);
    if (!code)
        code = build(&r);
    if (!code)
        code = open_directory(&r, argc, argv);
    if (!code)
        code = open_oracles(&r);
    bool ran = !code;
    if (ran) {
        hc_signals_catch(stop_world, r.testbed->world);
        const char *ended = run_on(&r);
        hc_signals_catch(NULL, NULL);
        code = finish(&r, ended);
    }
    int closed = close_oracles(&r, ran);
    hc_rundir_free(r.rundir);
    hc_testbed_free(r.testbed);
    hc_scenario_free(r.scenario);
    free(r.loaded);
    return closed ? closed : code;
}
