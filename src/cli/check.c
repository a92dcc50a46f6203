/* hindcast check: memory errors of a program, in a replay or a run. */
#include "check/check.h"

#include "check_print.h"
#include "command.h"
#include "one_node.h"
#include "progress.h"
#include "signals.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JSON = 256, BOARD };

struct options {
    struct hc_one_node node;
    bool json;
};

struct run {
    struct options o;
    struct hc_opened_timeline t;
    struct hc_program *program;
    struct hc_check *check;
    struct hc_check_summary summary;
    struct hc_progress progress;
};

static const struct argp_option argp_options[] = {
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { "board", BOARD, "NAME", 0, "Without a log: telosb (default), fr5969, fr5994 or flat", 0 },
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
    "Exit codes: 0 nothing was found; 1 there are findings, the program faulted, or a part of the log is missing; 2 "
    "wrong usage; 3 the files do not fit; 4 the replay diverged.";

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

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->node;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case BOARD:
        o->node.timeline.board = (enum hc_run_board)board(state, argument);
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
            hc_complain("%s: %s", r->o.node.timeline.log, hc_replay_why(r->t.replay));
        }
        r->summary.faulted |= why == HC_REPLAY_FAULT;
        if (why == HC_REPLAY_DIVERGED)
            return HC_EXIT_DIVERGED;
        int next = hc_replay_next_segment(r->t.replay);
        if (r->o.node.timeline.segment >= 0 || next < 0 || why == HC_REPLAY_REQUEST)
            return HC_EXIT_FINE;
        if (hc_replay_restart(r->t.replay, (size_t)next, false, &message)) {
            hc_complain("%s", message.text);
            return HC_EXIT_INPUT;
        }
        hc_check_forget(r->check);
    }
}

static void show_progress(void *owner, double part)
{
    struct run *r = owner;

    hc_progress_tell(&r->progress, part, NULL);
}

static int run_live(struct run *r)
{
    struct hc_machine *m = r->t.node.machine;
    struct hc_statistics s;
    enum hc_stop why = hc_run_to_limit(m, r->o.node.timeline.limit, show_progress, r);

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

static void cross(void *owner, struct hc_region_replay *region, int entry)
{
    struct run *r = owner;

    (void)region, (void)entry;
    hc_check_cross(r->check);
}

static int replay_region(struct run *r)
{
    struct hc_region_state state;

    hc_region_replay_listen(r->t.region, cross, r);
    hc_region_replay_run(r->t.region);
    hc_region_replay_state(r->t.region, &state);
    r->summary.instructions = state.instructions;
    r->summary.stretches = 1;
    r->summary.faulted = state.end == HC_REGION_FAULTS;
    if (state.end == HC_REGION_ENDED)
        return HC_EXIT_FINE;
    hc_progress_clear(&r->progress);
    hc_complain("%s: %s", r->o.node.timeline.log, state.text);
    return HC_EXIT_DIVERGED;
}

static struct hc_machine *machine_of(const struct hc_opened_timeline *t)
{
    return t->replay ? hc_replay_machine(t->replay) : t->region ? hc_region_replay_machine(t->region) : t->node.machine;
}

static int follow(struct run *r)
{
    struct hc_machine *m = machine_of(&r->t);

    r->program = hc_program_new(r->t.image);
    r->check = r->program ? hc_check_new(m, r->program) : NULL;
    if (!r->check) {
        hc_complain("%s: programs for a %s cannot be checked", r->o.node.timeline.image, hc_machine_part(m)->name);
        return HC_EXIT_INPUT;
    }
    hc_progress_begin(&r->progress);
    hc_signals_catch(stop, m);
    int code = r->t.replay ? replay(r) : r->t.region ? replay_region(r) : run_live(r);
    r->summary.interrupted = hc_signalled();
    hc_signals_catch(NULL, NULL);
    hc_progress_clear(&r->progress);
    return code;
}

static int tell(struct run *r)
{
    const struct hc_check_finding *finding;
    size_t count = hc_check_findings(r->check, &finding);

    r->summary.image = r->o.node.timeline.image;
    r->summary.log = r->o.node.timeline.log;
    r->summary.dropped = hc_check_dropped(r->check);
    if (r->o.json)
        hc_check_print_json(stdout, r->t.image, &r->summary, finding, count);
    else
        hc_check_print(stdout, r->t.image, &r->summary, finding, count);
    return count || r->summary.faulted || r->t.damaged ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_one_node_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG]\nRUN --node N", help, children, NULL, NULL };
    struct run r = { .o = { .node = HC_ONE_NODE } };

    argp_parse(&argp, argc, argv, 0, NULL, &r.o);
    int code = hc_one_node_choose(&r.o.node);
    if (!code)
        code = hc_open_run(&r.t, &r.o.node.timeline);
    if (!code)
        code = follow(&r);
    if (r.check && code != HC_EXIT_INPUT) {
        int found = tell(&r);
        code = code ? code : found;
    }
    hc_check_free(r.check);
    hc_program_free(r.program);
    hc_close_timeline(&r.t);
    hc_one_node_free(&r.o.node);
    return code;
}

const struct hc_command hc_check_command = { "check", "finds memory errors in a replay or a run", run };
