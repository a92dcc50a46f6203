/* hindcast profile: what each function, line and interrupt took, from a replay or a run. */
#include "profile/profile.h"

#include "command.h"
#include "files.h"
#include "open_timeline.h"
#include "part_facts.h"
#include "profile/passage.h"
#include "profile/summary.h"
#include "profile_print.h"
#include "progress.h"
#include "run_directory.h"
#include "signals.h"
#include "support/plural.h"
#include "target/target.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256, LIMIT, JSON, FOLDED, CALLGRIND, UNIT, NODE };

struct options {
    struct hc_timeline_options timeline;
    struct hc_profile_format format;
    const char *folded, *callgrind;
    enum hc_profile_unit unit;
    int node; /* of a run directory; -1: not given */
};

struct run {
    struct options o;
    struct hc_recordings recordings; /* when a run directory was named */
    struct hc_opened_timeline t;
    struct hc_output_file *folded, *callgrind;
    struct hc_profile *profile;
    struct hc_code_map *map;
    struct hc_summary summary;
    struct hc_profile_figures figures;
    struct hc_progress progress;
    bool failed; /* the program did what it cannot */
};

static const struct argp_option argp_options[] = {
    { "lines", LINES, NULL, 0, "Source lines, too", 0 },
    { "limit", LIMIT, "N", 0, "Print at most N functions and lines (default 30; 0: all)", 0 },
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { "folded", FOLDED, "FILE", 0, "Write folded stacks, for a flame graph", 0 },
    { "unit", UNIT, "UNIT", 0, "What folded stacks count: instructions (default) or cycles", 0 },
    { "callgrind", CALLGRIND, "FILE", 0, "Write callgrind's format, for KCachegrind and callgrind_annotate", 0 },
    { "node", NODE, "N", 0, "Of a RUN: this node", 0 },
    { 0 },
};

static const char help[] =
    "Counts the instructions, cycles and energy of each function, line and interrupt, exactly.\v"
    "LOG is what a node recorded: it is replayed, and the recorder's own work is not in the account. RUN is a "
    "directory "
    "that `hindcast run` left. Without a log an emulated TelosB runs IMAGE, for 60 s unless --seconds says "
    "otherwise.\n\n"
    "Examples:\n"
    "  hindcast profile app.elf node.flash\n"
    "  hindcast profile app.elf --seconds 10 --lines\n"
    "  hindcast profile run --node 7 --folded - | flamegraph.pl >flame.svg\n"
    "  hindcast profile app.elf node.flash --callgrind app.callgrind\n\n"
    "Exit codes: 0 fine; 1 the program faulted; 2 wrong usage; 3 the files do not fit; 4 the replay diverged.";

static uint64_t number(struct argp_state *state, const char *option, const char *argument, uint64_t most)
{
    char *end;
    unsigned long long n = strtoull(argument, &end, 10);

    if (end == argument || *end || *argument == '-' || n > most)
        argp_error(state, "--%s: '%s': expected a number 0..%" PRIu64, option, argument, most);
    return n;
}

static enum hc_profile_unit unit(struct argp_state *state, const char *argument)
{
    if (!strcmp(argument, hc_profile_unit_names[HC_UNIT_CYCLES]))
        return HC_UNIT_CYCLES;
    if (strcmp(argument, hc_profile_unit_names[HC_UNIT_INSTRUCTIONS]) != 0)
        argp_error(state, "--unit: '%s': expected instructions or cycles", argument);
    return HC_UNIT_INSTRUCTIONS;
}

static void check(const struct options *o, struct argp_state *state)
{
    bool directory = o->timeline.image && hc_is_run_directory(o->timeline.image);

    if (!o->timeline.image)
        argp_error(state, "no IMAGE given: give the ELF file that ran on the node");
    if (directory && o->node < 0)
        argp_error(state, "%s is a run of several nodes: choose one with --node", o->timeline.image);
    if (!directory && o->node >= 0)
        argp_error(state, "--node is for a directory that `hindcast run` left, which '%s' is not", o->timeline.image);
    if (directory && o->timeline.log)
        argp_error(state, "'%s': a RUN has its logs itself", o->timeline.log);
    if ((o->folded && !strcmp(o->folded, "-")) + (o->callgrind && !strcmp(o->callgrind, "-")) + o->format.json > 1)
        argp_error(state, "only one of --json, --folded - and --callgrind - can go to stdout");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->timeline;
        return 0;
    case LINES:
        o->format.lines = true;
        return 0;
    case LIMIT:
        o->format.limit = number(state, "limit", argument, 1000000);
        return 0;
    case JSON:
        o->format.json = true;
        return 0;
    case FOLDED:
        o->folded = argument;
        return 0;
    case CALLGRIND:
        o->callgrind = argument;
        return 0;
    case UNIT:
        o->unit = unit(state, argument);
        return 0;
    case NODE:
        o->node = (int)number(state, "node", argument, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARG:
        hc_take_file(&o->timeline, argument, state);
        return 0;
    case ARGP_KEY_END:
        check(o, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the run ---- */

static void stop(void *machine)
{
    hc_request_stop(machine);
}

static bool show_progress(void *owner, double part)
{
    struct run *r = owner;

    hc_progress_tell(&r->progress, part, "%" PRIu64 " instructions", hc_profile_total(r->profile).instructions);
    return hc_signalled();
}

static void end_stretch(void *owner, const struct hc_stretch *stretch)
{
    struct run *r = owner;

    r->figures.machine.instructions += stretch->instructions;
    r->figures.machine.cycles += stretch->cycles;
    r->figures.interrupts += stretch->interrupts;
    r->figures.seconds = 1e-6 * (double)stretch->until_us;
    r->figures.stretches++;
    if (stretch->stop == HC_REPLAY_DIVERGED || stretch->stop == HC_REPLAY_FAULT) {
        hc_progress_clear(&r->progress);
        hc_complain("%s", stretch->why);
    }
}

static int replay(struct run *r)
{
    struct hc_passage passage = { .replay = r->t.replay,
                                  .profile = r->profile,
                                  .one_stretch = r->o.timeline.segment >= 0,
                                  .stretch = end_stretch,
                                  .progress = show_progress,
                                  .owner = r };
    struct hc_replay_message message;
    int error;
    enum hc_replay_stop worst = hc_passage_run(&passage, &error, &message);

    if (error) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    r->failed = worst == HC_REPLAY_FAULT;
    return worst == HC_REPLAY_DIVERGED ? HC_EXIT_DIVERGED : HC_EXIT_FINE;
}

static int run_live(struct run *r)
{
    struct hc_machine *m = r->t.node.machine;
    hc_time limit = r->o.timeline.limit, piece = HC_SECOND / 32;
    struct hc_statistics before, after;
    enum hc_stop why = HC_STOP_TIME;

    hc_complain("note: no LOG is given: an emulated node runs %s for %.0f s", r->o.timeline.image, hc_seconds(limit));
    hc_machine_statistics(m, &before);
    while (why == HC_STOP_TIME && hc_now(m) < limit && !hc_target_is_over(m)) {
        show_progress(r, hc_seconds(hc_now(m)) / hc_seconds(limit));
        why = hc_machine_run(m, limit - hc_now(m) > piece ? hc_now(m) + piece : limit);
    }
    hc_machine_statistics(m, &after);
    r->figures.machine = (struct hc_cost){ after.instructions - before.instructions, after.cycles - before.cycles };
    r->figures.interrupts = after.interrupts - before.interrupts;
    r->figures.seconds = hc_seconds(after.now);
    r->failed = why == HC_STOP_FAULT;
    if (r->failed) {
        hc_progress_clear(&r->progress);
        hc_complain("fault: %s", hc_fault_text(m));
    }
    return HC_EXIT_FINE;
}

static int count(struct run *r)
{
    struct hc_machine *m = r->t.replay ? hc_replay_machine(r->t.replay) : r->t.node.machine;
    struct hc_vector_names names = hc_vector_names(hc_machine_part(m)->name);

    r->map = hc_code_map_new(r->t.image, names.name, names.count);
    hc_vector_names_free(&names);
    r->profile = r->map ? hc_profile_new(m, r->t.image) : NULL;
    if (!r->profile) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    r->figures.part = hc_machine_part(m)->name;
    r->figures.replayed = r->t.replay;
    hc_progress_begin(&r->progress);
    hc_signals_catch(stop, m);
    int code = r->t.replay ? replay(r) : run_live(r);
    r->figures.ended = hc_signalled();
    hc_signals_catch(NULL, NULL);
    hc_progress_clear(&r->progress);
    if (code == HC_EXIT_INPUT)
        return code;
    if (!hc_profile_finish(r->profile) || !hc_summary_make(&r->summary, r->profile, r->map)) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    return code;
}

/* ---- what comes of it ---- */

static int write_files(struct run *r)
{
    const struct options *o = &r->o;
    int code = HC_EXIT_FINE;

    if (o->folded)
        hc_summary_write_folded(&r->summary, r->folded ? hc_output_file(r->folded) : stdout, o->unit);
    if (o->callgrind)
        hc_summary_write_callgrind(&r->summary, r->callgrind ? hc_output_file(r->callgrind) : stdout,
                                   o->timeline.image);
    if (r->folded)
        code = hc_files_close(r->folded, o->folded, true);
    if (r->callgrind && !code)
        code = hc_files_close(r->callgrind, o->callgrind, true);
    else
        hc_output_drop(r->callgrind);
    r->folded = r->callgrind = NULL;
    return code;
}

static int tell(struct run *r)
{
    const struct options *o = &r->o;
    struct hc_cost counted = hc_profile_total(r->profile);
    bool to_stdout = (o->folded && !r->folded) || (o->callgrind && !r->callgrind);

    r->figures.image = o->timeline.image;
    r->figures.log = o->timeline.log;
    r->figures.nanojoules_a_cycle = hc_cpu_nanojoules_a_cycle(r->figures.part);
    r->figures.stacks = hc_profile_stacks(r->profile);
    r->figures.deepest_stack = hc_profile_deepest_stack(r->profile);
    if (counted.instructions != r->figures.machine.instructions || counted.cycles != r->figures.machine.cycles) {
        hc_complain("the account has %" PRIu64 " instructions and %" PRIu64 " cycles, the machine %" PRIu64
                    " and %" PRIu64 ": please report this",
                    counted.instructions, counted.cycles, r->figures.machine.instructions, r->figures.machine.cycles);
        return HC_EXIT_DIVERGED;
    }
    int code = write_files(r);
    if (!code && !to_stdout)
        hc_profile_print(stdout, &r->summary, &r->figures, &o->format);
    return code;
}

/* ---- files ---- */

static int choose_node(struct run *r)
{
    struct options *o = &r->o;

    if (o->node < 0)
        return HC_EXIT_FINE;
    int code = hc_recordings_of_run(&r->recordings, o->timeline.image);
    if (code)
        return code;
    for (size_t i = 0; i < r->recordings.count; i++)
        if (r->recordings.recordings[i].id == o->node) {
            hc_recording_options(&o->timeline, &r->recordings.recordings[i]);
            return HC_EXIT_FINE;
        }
    hc_complain("%s: node %d left no log; it has recordings of %zu node%s", o->timeline.image, o->node,
                r->recordings.count, hc_plural(r->recordings.count));
    return HC_EXIT_INPUT;
}

static int open_outputs(struct run *r)
{
    const struct options *o = &r->o;
    const struct hc_named_file files[] = { { "IMAGE", o->timeline.image, HC_FILE_READ },
                                           { "LOG", o->timeline.log, HC_FILE_READ },
                                           { "--folded", o->folded, HC_FILE_WRITTEN },
                                           { "--callgrind", o->callgrind, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);

    if (!code && o->folded && strcmp(o->folded, "-") != 0)
        code = hc_files_open(&r->folded, o->folded);
    if (!code && o->callgrind && strcmp(o->callgrind, "-") != 0)
        code = hc_files_open(&r->callgrind, o->callgrind);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG]\nRUN --node N", help, children, NULL, NULL };
    struct run r = { .o = { .timeline = { .limit = HC_SECOND * 60, .segment = -1, .node_id = 1, .quiet = true },
                            .format = { .limit = 30 },
                            .node = -1 } };

    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    int code = choose_node(&r);
    if (!code)
        code = open_outputs(&r);
    if (!code)
        code = hc_open_run(&r.t, &r.o.timeline);
    if (!code) {
        code = count(&r);
        int told = code == HC_EXIT_INPUT ? code : tell(&r);
        code = told ? told : code;
    }
    if (!code && r.failed)
        code = HC_EXIT_FOUND;
    hc_output_drop(r.folded);
    hc_output_drop(r.callgrind);
    hc_summary_free(&r.summary);
    hc_profile_free(r.profile);
    hc_code_map_free(r.map);
    hc_close_timeline(&r.t);
    hc_recordings_free(&r.recordings);
    return code;
}

const struct hc_command hc_profile_command = { "profile", "Instructions, cycles and energy by function and line", run };
