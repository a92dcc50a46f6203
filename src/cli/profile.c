/* hindcast profile: what each function, line and interrupt took, from a replay or a run. */
#include "profile/profile.h"

#include "command.h"
#include "files.h"
#include "numbers.h"
#include "one_node.h"
#include "part_facts.h"
#include "profile/passage.h"
#include "profile/summary.h"
#include "profile_print.h"
#include "progress.h"
#include "signals.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 256, LIMIT, JSON, FOLDED, CALLGRIND, UNIT };

struct options {
    struct hc_one_node node;
    struct hc_profile_format format;
    const char *folded, *callgrind;
    enum hc_profile_unit unit;
};

struct run {
    struct options o;
    struct hc_opened_timeline t;
    struct hc_output_file *folded, *callgrind;
    struct hc_profile *profile;
    struct hc_code_map *map;
    struct hc_summary summary;
    struct hc_profile_figures figures;
    struct hc_progress progress;
    bool failed; /* an illegal access or instruction stopped the program */
};

static const struct argp_option argp_options[] = {
    { "lines", LINES, NULL, 0, "Source lines, too", 0 },
    { "limit", LIMIT, "N", 0, "Print at most N functions and lines (default 30; 0: all)", 0 },
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { "folded", FOLDED, "FILE", 0, "Write folded stacks, for a flame graph", 0 },
    { "unit", UNIT, "UNIT", 0, "What folded stacks count: instructions (default) or cycles", 0 },
    { "callgrind", CALLGRIND, "FILE", 0, "Write callgrind's format, for KCachegrind and callgrind_annotate", 0 },
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
    "Exit codes: 0 fine; 1 the program faulted, or a part of the log is missing; 2 wrong usage; 3 the files do not "
    "fit; 4 the replay diverged.";

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
    if ((o->folded && !strcmp(o->folded, "-")) + (o->callgrind && !strcmp(o->callgrind, "-")) + o->format.json > 1)
        argp_error(state, "only one of --json, --folded - and --callgrind - can go to stdout");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->node;
        return 0;
    case LINES:
        o->format.lines = true;
        return 0;
    case LIMIT:
        o->format.limit = hc_number_argument(state, "--limit", argument, 0, 1000000);
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

static void show_progress(void *owner, double part)
{
    struct run *r = owner;

    hc_progress_tell(&r->progress, part, "%" PRIu64 " instructions", hc_profile_total(r->profile).instructions);
}

static bool show_progress_of_replay(void *owner, double part)
{
    show_progress(owner, part);
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
                                  .one_stretch = r->o.node.timeline.segment >= 0,
                                  .stretch = end_stretch,
                                  .progress = show_progress_of_replay,
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
    hc_time limit = r->o.node.timeline.limit;
    struct hc_statistics before, after;

    hc_complain("note: no LOG is given: an emulated node runs %s for %.0f s", r->o.node.timeline.image,
                hc_seconds(limit));
    hc_machine_statistics(m, &before);
    enum hc_stop why = hc_run_to_limit(m, limit, show_progress, r);
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

/* ---- output ---- */

static int write_files(struct run *r)
{
    const struct options *o = &r->o;
    int code = HC_EXIT_FINE;

    if (o->folded)
        hc_summary_write_folded(&r->summary, r->folded ? hc_output_file(r->folded) : stdout, o->unit);
    if (o->callgrind)
        hc_summary_write_callgrind(&r->summary, r->callgrind ? hc_output_file(r->callgrind) : stdout,
                                   o->node.timeline.image);
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

    r->figures.image = o->node.timeline.image;
    r->figures.log = o->node.timeline.log;
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

static int open_outputs(struct run *r)
{
    const struct options *o = &r->o;
    const struct hc_named_file files[] = { { "IMAGE", o->node.timeline.image, HC_FILE_READ },
                                           { "LOG", o->node.timeline.log, HC_FILE_READ },
                                           { "--folded", o->folded, HC_FILE_WRITTEN },
                                           { "--callgrind", o->callgrind, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);

    if (!code)
        code = hc_recordings_check_outputs(&o->node.recordings, files + 2, 2);
    if (!code && o->folded && strcmp(o->folded, "-") != 0)
        code = hc_files_open(&r->folded, o->folded);
    if (!code && o->callgrind && strcmp(o->callgrind, "-") != 0)
        code = hc_files_open(&r->callgrind, o->callgrind);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_one_node_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG]\nRUN --node N", help, children, NULL, NULL };
    struct run r = { .o = { .node = HC_ONE_NODE, .format = { .limit = 30 } } };

    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    int code = hc_one_node_choose(&r.o.node);
    if (!code)
        code = open_outputs(&r);
    if (!code)
        code = hc_open_run(&r.t, &r.o.node.timeline);
    if (!code && r.t.region) {
        hc_complain("%s: records a region, and a profile is one of all that the node did; record it with --record=all",
                    r.o.node.timeline.image);
        code = HC_EXIT_INPUT;
    }
    if (!code) {
        code = count(&r);
        int told = code == HC_EXIT_INPUT ? code : tell(&r);
        code = told ? told : code;
    }
    if (!code && (r.failed || r.t.damaged))
        code = HC_EXIT_FOUND;
    hc_output_drop(r.folded);
    hc_output_drop(r.callgrind);
    hc_summary_free(&r.summary);
    hc_profile_free(r.profile);
    hc_code_map_free(r.map);
    hc_close_timeline(&r.t);
    hc_one_node_free(&r.o.node);
    return code;
}

const struct hc_command hc_profile_command = { "profile", "Instructions, cycles and energy by function and line", run };
