/* hindcast check: memory errors of a program, in a replay or a run. */
#include "check/check.h"

#include "check_print.h"
#include "command.h"
#include "open_timeline.h"
#include "progress.h"
#include "run_directory.h"
#include "signals.h"
#include "support/plural.h"
#include "target/target.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JSON = 256, BOARD, NODE };
enum { SECONDS = 60 };

struct options {
    struct hc_timeline_options timeline;
    bool json;
    int node; /* of a run directory; -1: not given */
};

struct run {
    struct options o;
    struct hc_recordings recordings; /* when a run directory was named */
    struct hc_opened_timeline t;
    struct hc_program *program;
    struct hc_check *check;
    struct hc_check_summary summary;
    struct hc_progress progress;
};

static const struct argp_option argp_options[] = {
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { "board", BOARD, "NAME", 0, "Without a log: telosb (default), fr5969, fr5994 or flat", 0 },
    { "node", NODE, "N", 0, "Of a RUN: this node", 0 },
    { 0 },
};

static const char help[] =
    "Finds memory errors: accesses outside of an object, use of what was freed or returned from, values that nobody "
    "set, stacks that grow into data.\v"
    "LOG is what a node recorded: it is replayed. RUN is a directory that `hindcast run` left. Without a log an "
    "emulated "
    "node runs IMAGE, for 60 s unless --seconds says otherwise. IMAGE needs no special build; with debug information "
    "and relocations (-g, -Wl,--emit-relocs) more is found. docs/check.md says what each kind can and cannot see.\n\n"
    "Examples:\n"
    "  hindcast check app.elf --seconds 10\n"
    "  hindcast check app.elf node.flash\n"
    "  hindcast check run --node 7 --json\n\n"
    "Exit codes: 0 nothing was found; 1 there are findings, or the program faulted; 2 wrong usage; 3 the files do not "
    "fit; 4 the replay diverged.";

static void check_usage(const struct options *o, struct argp_state *state)
{
    bool directory = o->timeline.image && hc_is_run_directory(o->timeline.image);

    if (!o->timeline.image)
        argp_error(state, "no IMAGE given: give the ELF file of the program");
    if (directory && o->node < 0)
        argp_error(state, "%s is a run of several nodes: choose one with --node", o->timeline.image);
    if (!directory && o->node >= 0)
        argp_error(state, "--node is for a directory that `hindcast run` left, which '%s' is not", o->timeline.image);
    if (directory && o->timeline.log)
        argp_error(state, "'%s': a RUN has its logs itself", o->timeline.log);
}

static int board(struct argp_state *state, const char *argument)
{
    for (int i = 0; hc_run_board_names[i]; i++)
        if (!strcmp(argument, hc_run_board_names[i]))
            return i;
    argp_error(state, "--board: '%s': expected telosb, fr5969, fr5994 or flat", argument);
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->timeline;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case BOARD:
        o->timeline.board = (enum hc_run_board)board(state, argument);
        return 0;
    case NODE:
        o->node = (int)strtol(argument, &end, 10);
        if (*end || end == argument || o->node < 0 || o->node > UINT16_MAX)
            argp_error(state, "--node: '%s': expected a number 0..%d", argument, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARG:
        hc_take_file(&o->timeline, argument, state);
        return 0;
    case ARGP_KEY_END:
        check_usage(o, state);
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

/* To the end of a stretch of the log. */
static enum hc_replay_stop replay_stretch(struct run *r)
{
    enum { CHUNK = 4000000 };
    struct hc_replay_place place = { 0 };
    enum hc_replay_stop why = HC_REPLAY_REACHED;

    while (why == HC_REPLAY_REACHED) {
        why = hc_replay_run(r->t.replay, place.instruction + CHUNK);
        hc_replay_place(r->t.replay, &place);
        hc_progress_tell(&r->progress, hc_replay_progress(r->t.replay), NULL);
    }
    r->summary.instructions += place.instruction;
    r->summary.stretches++;
    return why;
}

static int replay(struct run *r)
{
    struct hc_replay_message message;

    for (;;) {
        enum hc_replay_stop why = replay_stretch(r);
        if (why == HC_REPLAY_DIVERGED || why == HC_REPLAY_FAULT) {
            hc_progress_clear(&r->progress);
            hc_complain("%s: %s", r->o.timeline.log, hc_replay_why(r->t.replay));
        }
        r->summary.faulted |= why == HC_REPLAY_FAULT;
        if (why == HC_REPLAY_DIVERGED)
            return HC_EXIT_DIVERGED;
        int next = hc_replay_next_segment(r->t.replay);
        if (r->o.timeline.segment >= 0 || next < 0 || why == HC_REPLAY_REQUEST)
            return HC_EXIT_FINE;
        if (hc_replay_restart(r->t.replay, (size_t)next, false, &message)) {
            hc_complain("%s", message.text);
            return HC_EXIT_INPUT;
        }
        hc_check_forget(r->check);
    }
}

static int run_live(struct run *r)
{
    struct hc_machine *m = r->t.node.machine;
    hc_time limit = r->o.timeline.limit, piece = HC_SECOND / 32;
    struct hc_statistics s;
    enum hc_stop why = HC_STOP_TIME;

    while (why == HC_STOP_TIME && hc_now(m) < limit && !hc_target_is_over(m)) {
        hc_progress_tell(&r->progress, hc_seconds(hc_now(m)) / hc_seconds(limit), NULL);
        why = hc_machine_run(m, limit - hc_now(m) > piece ? hc_now(m) + piece : limit);
    }
    hc_machine_statistics(m, &s);
    r->summary.instructions = s.instructions;
    r->summary.seconds = hc_seconds(s.now);
    r->summary.faulted = why == HC_STOP_FAULT;
    if (r->summary.faulted) {
        hc_progress_clear(&r->progress);
        hc_complain("fault: %s", hc_fault_text(m));
    }
    return HC_EXIT_FINE;
}

static int follow(struct run *r)
{
    struct hc_machine *m = r->t.replay ? hc_replay_machine(r->t.replay) : r->t.node.machine;

    r->program = hc_program_new(r->t.image);
    r->check = r->program ? hc_check_new(m, r->program) : NULL;
    if (!r->check) {
        hc_complain("%s: programs for a %s cannot be checked", r->o.timeline.image, hc_machine_part(m)->name);
        return HC_EXIT_INPUT;
    }
    hc_progress_begin(&r->progress);
    hc_signals_catch(stop, m);
    int code = r->t.replay ? replay(r) : run_live(r);
    r->summary.interrupted = hc_signalled();
    hc_signals_catch(NULL, NULL);
    hc_progress_clear(&r->progress);
    return code;
}

static int tell(struct run *r)
{
    const struct hc_check_finding *finding;
    size_t count = hc_check_findings(r->check, &finding);

    r->summary.image = r->o.timeline.image;
    r->summary.log = r->o.timeline.log;
    r->summary.dropped = hc_check_dropped(r->check);
    if (r->o.json)
        hc_check_print_json(stdout, r->t.image, &r->summary, finding, count);
    else
        hc_check_print(stdout, r->t.image, &r->summary, finding, count);
    return count || r->summary.faulted ? HC_EXIT_FOUND : HC_EXIT_FINE;
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

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG]\nRUN --node N", help, children, NULL, NULL };
    struct run r = { .o = { .node = -1, .timeline = { .segment = -1, .limit = SECONDS * HC_SECOND, .node_id = 1 } } };

    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    r.o.timeline.quiet = true;
    int code = choose_node(&r);
    if (!code)
        code = hc_open_run(&r.t, &r.o.timeline);
    if (!code)
        code = follow(&r);
    if (r.check && code != HC_EXIT_INPUT) {
        int found = tell(&r);
        code = code ? code : found;
    }
    hc_check_free(r.check);
    hc_program_free(r.program);
    hc_close_timeline(&r.t);
    hc_recordings_free(&r.recordings);
    return code;
}

const struct hc_command hc_check_command = { "check", "finds memory errors in a replay or a run", run };
