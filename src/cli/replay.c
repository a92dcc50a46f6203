/* hindcast replay: runs again what a node recorded, and can prove that it is the same. */
#include "command.h"
#include "damage.h"
#include "debug/dwarf/frame.h"
#include "debug/dwarf/program.h"
#include "event_list.h"
#include "files.h"
#include "open_timeline.h"
#include "progress.h"
#include "replay/region/region_map.h"
#include "replay/verify.h"
#include "replay/violations.h"
#include "replay_native.h"
#include "replay_region.h"
#include "replay_wide.h"
#include "run_directory.h"
#include "signals.h"
#include "support/plural.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    struct hc_timeline_options recording; /* its segment is -1: all */
    const char *oracle, *events;
    bool each, json, check_positions, all, native;
    struct hc_native_options natively;
};

/* The totals over all stretches of a log. */
struct run {
    struct options options;
    struct hc_image *image;
    struct hc_oracle *oracle;
    struct hc_replay *replay; /* the running one */
    struct hc_progress progress;
    bool brief; /* print only the result: there are other nodes */
    uint64_t instructions, interrupts, reads;
    uint64_t windows, agreed; /* self-checks of the log */
    uint64_t unproved;        /* instructions after the last of them */
    struct hc_violations violations;
    uint64_t violated;
    json_t *list;
    json_t *violation_list;
};

enum { ORACLE = 256, EACH, CHECK_POSITIONS, EVENTS, ALL, JSON, NATIVE, KEEP, HERE, NO_CHECKS };

static const struct argp_option argp_options[] = {
    { "verify", ORACLE, "ORACLE", 0,
      "Compare with what `hindcast run --oracle` wrote during the recording, instruction by instruction", 0 },
    { "each", EACH, NULL, 0, "Replay every segment by itself, from its own boot or checkpoint", 0 },
    { "check-positions", CHECK_POSITIONS, NULL, 0,
      "Check that no interrupt could also have come at another instruction; exit code 1 if one could", 0 },
    { "events", EVENTS, "FILE", 0, "Write the list of all events of the log, as text (FORMAT.md describes it)", 0 },
    { "all", ALL, NULL, 0,
      "All nodes of RUN, a directory that `hindcast run` left; --verify is what the names of their oracles begin with "
      "(RUN/oracle if that is there)",
      0 },
    { "native", NATIVE, NULL, 0,
      "Of a region: run it on the host instead of in the machine, with checks of overflows and bounds; needs clang-19",
      0 },
    { "keep", KEEP, "DIR", 0,
      "With --native: keep the program in DIR, with a script for the host's gdb (gdb -x DIR/gdb.py)", 0 },
    { "here", HERE, NULL, 0, "With --native: in this process, for a debugger; else it has one of its own", 0 },
    { "no-checks", NO_CHECKS, NULL, 0, "With --native: without checks, which is faster", 0 },
    { "json", JSON, NULL, 0, "The result as a JSON object on stdout", 0 },
    { 0 },
};

static const char help[] =
    "Replays what a node recorded.\v"
    "IMAGE is the ELF file that ran on the node. LOG is the contents of its flash chip, or what its UART sent.\n\n"
    "Examples:\n"
    "  hindcast replay app.elf node.flash                          as far as the log goes\n"
    "  hindcast run app.elf --seconds 60 --flash node.flash --oracle node.oracle\n"
    "  hindcast replay app.elf node.flash --verify node.oracle     and compare with the recorded run\n"
    "  hindcast replay run --all --verify oracle                   each node of a network\n"
    "  hindcast replay app.elf node.flash --native                 a region, as a program of this computer\n\n"
    "Exit codes: 0 replayed to the end of the log; 1 a part of the log is missing, or the log has no events, so "
    "nothing is proved, or --native found an error; 2 wrong usage; 3 the files do not fit; 4 the replay diverged.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->recording;
        return 0;
    case ORACLE:
        o->oracle = argument;
        return 0;
    case ALL:
        o->all = true;
        return 0;
    case EACH:
        o->each = true;
        return 0;
    case CHECK_POSITIONS:
        o->check_positions = true;
        return 0;
    case EVENTS:
        o->events = argument;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case NATIVE:
        o->native = true;
        return 0;
    case KEEP:
        o->natively.keep = argument;
        return 0;
    case HERE:
        o->natively.here = true;
        return 0;
    case NO_CHECKS:
        o->natively.no_checks = true;
        return 0;
    case ARGP_KEY_ARG:
        hc_take_file(&o->recording, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (o->all && (!o->recording.image || o->recording.log || !hc_is_run_directory(o->recording.image)))
            argp_error(state,
                       "--all: RUN is missing: give a directory that `hindcast run --out` left, and nothing else");
        if (!o->all && !o->recording.log)
            argp_error(state, "IMAGE and LOG are missing: give the ELF file that ran on the node, and its log");
        if (!o->native && (o->natively.keep || o->natively.here || o->natively.no_checks))
            argp_error(state, "--keep, --here and --no-checks are for --native");
        if (o->native && o->all)
            argp_error(state, "--native and --all cannot be combined");
        if (o->oracle && o->check_positions)
            argp_error(state, "--verify and --check-positions cannot be combined");
        if (o->all && o->events)
            argp_error(state, "--all and --events cannot be combined");
        if (o->oracle && o->events)
            argp_error(state, "--verify and --events cannot be combined");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- one stretch ---- */

static void stop_replay(void *replay)
{
    hc_request_stop(hc_replay_machine(replay));
}

static bool show_progress(void *owner, struct hc_replay *replay)
{
    struct run *r = owner;
    struct hc_replay_place place;

    if (!r->progress.on)
        return true;
    hc_replay_place(replay, &place);
    hc_progress_tell(&r->progress, hc_replay_progress(replay), "segment %u, %" PRIu64 " instructions, %.1f s",
                     place.segment, place.instruction, (double)place.time_us / 1e6);
    return true;
}

static enum hc_replay_stop run_plainly(struct run *r)
{
    enum { CHUNK = 250000 };
    struct hc_replay_place place = { 0 };
    enum hc_replay_stop stop = HC_REPLAY_REACHED;
    while (stop == HC_REPLAY_REACHED) {
        stop = hc_replay_run(r->replay, place.instruction + CHUNK);
        hc_replay_place(r->replay, &place);
        show_progress(r, r->replay);
    }
    return stop;
}

static const char *const stop_names[] = {
    [HC_REPLAY_REACHED] = "reached",   [HC_REPLAY_HOOKED] = "stopped", [HC_REPLAY_END] = "end",
    [HC_REPLAY_DIVERGED] = "diverged", [HC_REPLAY_FAULT] = "fault",    [HC_REPLAY_REQUEST] = "interrupted",
};

/* Where the log of a boot ends, and what ended it. */
static json_t *life_json(const struct hc_replay *replay)
{
    struct hc_replay_life life;
    if (!hc_replay_life(replay, &life) || !life.in_last_segment)
        return json_null();
    return json_pack("{si sb ss* so ss}", "boot", life.boot, "rescued", life.rescued, "cause",
                     life.cause_known ? life.cause_text : NULL, "cause_flags",
                     life.cause_known ? json_integer(life.cause) : json_null(), "text", life.text);
}

static void print_life(const struct hc_replay *replay)
{
    struct hc_replay_life life;
    if (hc_replay_life(replay, &life) && life.in_last_segment)
        printf("    boot %u: %s\n", life.boot, life.text);
}

/* The program's calls at the reset that ended the boot, innermost first. */
static void print_calls(const struct run *r)
{
    struct hc_replay_life life;
    struct hc_frame frame[HC_FRAMES_MAX];
    const char *before = "    it was in ";
    if (!hc_replay_life(r->replay, &life) || !life.reached)
        return;
    struct hc_program *program = hc_program_new(r->image);
    int n = program ? hc_frames(program, hc_replay_machine(r->replay), frame, HC_FRAMES_MAX) : 0;
    for (int i = 0; i < n; i++) {
        if (!frame[i].file || !frame[i].function || hc_frame_is_recorder(&frame[i]))
            continue;
        const char *slash = strrchr(frame[i].file, '/');
        printf("%s%s at %s:%d", before, frame[i].function, slash ? slash + 1 : frame[i].file, frame[i].line);
        before = frame[i].handler ? ", a handler, which interrupted " : ", called by ";
    }
    if (before[0] == ',')
        putchar('\n');
    hc_program_free(program);
}

/* What the log itself does not prove; an oracle proves all of it. */
static void print_unproved(const struct hc_replay_checks *checks, uint64_t instructions)
{
    uint64_t after = instructions - checks->instruction;
    uint32_t unseen = checks->variables - checks->seen;

    printf("    not proved: the %" PRIu64 " instruction%s after that; ", after, hc_plural(after));
    if (unseen)
        printf("%" PRIu32 " of %" PRIu32 " bytes of variables, and the stack, which no window has reached; ", unseen,
               checks->variables);
    else if (!checks->stack_seen)
        printf("the stack, which no window has reached; ");
    puts("values that were overwritten before a window saw them");
}

static void print_checks(const struct run *r, const struct hc_replay_checks *checks, uint64_t instructions)
{
    if (!checks->made) {
        puts(r->oracle ? "    no self-check in this part of the log"
                       : "    not proved: all of it; there is no self-check in this part of the log");
        return;
    }
    printf("    memory agreed in %" PRIu64 " of %" PRIu64 " window%s, the last at instruction %" PRIu64
           ", about %.3f s\n",
           checks->agreed, checks->made, hc_plural(checks->made), checks->instruction, (double)checks->time_us / 1e6);
    if (!r->oracle)
        print_unproved(checks, instructions);
}

static json_t *stretch_json(const struct run *r, uint16_t first, const struct hc_replay_place *place,
                            enum hc_replay_stop stop, const char *why)
{
    struct hc_replay_checks checks;
    hc_replay_checks(r->replay, &checks);
    return json_pack("{si si sI sI sI sI sI sI sI sI sI sI sb so ss ss}", "segment", first, "last_segment",
                     place->segment, "instructions", (json_int_t)place->instruction, "interrupts",
                     (json_int_t)place->interrupts, "reads", (json_int_t)place->reads, "time_us",
                     (json_int_t)place->time_us, "windows", (json_int_t)checks.made, "windows_agreed",
                     (json_int_t)checks.agreed, "agreed_instruction", (json_int_t)checks.instruction, "agreed_time_us",
                     (json_int_t)checks.time_us, "variables_bytes", (json_int_t)checks.variables, "variables_seen",
                     (json_int_t)checks.seen, "stack_seen", checks.stack_seen, "life", life_json(r->replay), "stop",
                     stop_names[stop], "why", why);
}

static void list(struct run *r, uint16_t first, const struct hc_replay_place *place, enum hc_replay_stop stop,
                 const char *why)
{
    struct hc_replay_checks checks;
    hc_replay_checks(r->replay, &checks);
    if (r->options.json) {
        json_array_append_new(r->list, stretch_json(r, first, place, stop, why));
        return;
    }
    printf("segment %u%s: %" PRIu64 " instruction%s, %" PRIu64 " interrupt%s, %" PRIu64 " read%s, about %.3f s; %s\n",
           first, place->segment == first ? "" : " and on", place->instruction, hc_plural(place->instruction),
           place->interrupts, hc_plural(place->interrupts), place->reads, hc_plural(place->reads),
           (double)place->time_us / 1e6, why);
    print_life(r->replay);
    print_calls(r);
    print_checks(r, &checks, place->instruction);
}

static bool positions_are_sure(struct run *r, uint16_t segment)
{
    char where[200];
    uint32_t pc;
    uint64_t n = hc_replay_ambiguous(r->replay, &pc);
    if (n)
        hc_complain(
            "%s: segment %u: %" PRIu64 " interrupt%s could also have come at another instruction, the last at %s",
            r->options.recording.log, segment, n, hc_plural(n), hc_image_locate(r->image, pc, where, sizeof where));
    return !n;
}

/* Whether the segment's pages are not those of the oracle's run: all of them, or, where replay and oracle differ, any.
 */
static bool is_of_another_run(const struct run *r, bool all_of_them)
{
    const struct hc_log_segment *here;
    const struct hc_log *log = hc_replay_log(r->replay, &here);
    size_t all, strange = hc_oracle_strange_pages(r->oracle, log, here, &all);
    return strange && (strange == all || !all_of_them);
}

static void complain_of_other_run(const struct run *r, uint16_t segment)
{
    hc_complain(
        "%s: belongs to another run or another node, which did not write segment %u of %s; give the oracle that was "
        "written with this log",
        r->options.oracle, segment, r->options.recording.log);
}

enum { VIOLATIONS_PRINTED = 20 };

/* Called while the replay runs. */
static void take_violation(void *owner, const struct hc_violation *v)
{
    struct run *r = owner;

    r->violated++;
    if (r->options.json)
        json_array_append_new(r->violation_list, json_pack("{ss si sI sI si}", "invariant", v->name, "line", v->line,
                                                           "instruction", (json_int_t)v->instruction, "time_us",
                                                           (json_int_t)v->time_us, "segment", v->segment));
    else if (!r->brief && r->violated <= VIOLATIONS_PRINTED) {
        hc_progress_clear(&r->progress);
        printf("invariant %s, defined at line %u, was violated at instruction %" PRIu64 ", about %.3f s\n", v->name,
               v->line, v->instruction, (double)v->time_us / 1e6);
    }
}

/* The result of the replay that has just stopped. */
static int finish(struct run *r, uint16_t first, enum hc_replay_stop stop, const struct hc_verify *verified)
{
    struct hc_replay_place place;
    struct hc_replay_checks checks;
    const char *why = r->oracle ? verified->text : hc_replay_why(r->replay);
    hc_replay_place(r->replay, &place);
    hc_progress_clear(&r->progress);
    if (!r->brief && (stop == HC_REPLAY_END || r->options.json))
        list(r, first, &place, stop, why);
    r->instructions += r->oracle ? verified->instructions : place.instruction;
    r->interrupts += place.interrupts;
    r->reads += place.reads;
    hc_replay_checks(r->replay, &checks);
    r->windows += checks.made;
    r->agreed += checks.agreed;
    r->unproved += r->oracle ? 0 : place.instruction - checks.instruction;
    if (stop == HC_REPLAY_END)
        return positions_are_sure(r, first) ? HC_EXIT_FINE : HC_EXIT_FOUND;
    if (r->oracle && verified->differs && is_of_another_run(r, false)) {
        complain_of_other_run(r, place.segment);
        return HC_EXIT_INPUT;
    }
    hc_complain("%s: segment %u: %s", r->options.recording.log, first, stop == HC_REPLAY_REQUEST ? "interrupted" : why);
    return stop == HC_REPLAY_REQUEST ? HC_EXIT_FOUND : HC_EXIT_DIVERGED;
}

static uint64_t build_number(const uint8_t build[8])
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | build[i];
    return number;
}

/* The oracle is of this program, and goes to the segment at which the replay stands. */
static bool find_in_oracle(struct run *r, uint16_t segment)
{
    if (!r->oracle)
        return true;
    if (memcmp(hc_oracle_build(r->oracle), hc_replay_build_id(r->replay), 8) != 0)
        hc_complain("%s was written by build %016" PRIx64 ", but %s is build %016" PRIx64, r->options.oracle,
                    build_number(hc_oracle_build(r->oracle)), r->options.recording.image,
                    build_number(hc_replay_build_id(r->replay)));
    else if (is_of_another_run(r, true))
        complain_of_other_run(r, segment);
    else if (!hc_oracle_seek(r->oracle, segment))
        hc_complain("%s: has no segment %u of %s; were they written in the same run?", r->options.oracle, segment,
                    r->options.recording.log);
    else
        return true;
    return false;
}

/* Segments that cannot be replayed: of another program, or without a complete start. */
static void list_left_out(const struct run *r)
{
    for (size_t i = 0; i < hc_replay_segments(r->replay); i++) {
        struct hc_replay_segment segment;
        hc_replay_segment(r->replay, i, &segment);
        if (segment.foreign)
            printf("segment %u: recorded by another program, build %016" PRIx64 ": left out\n", segment.number,
                   build_number(segment.build));
        else if (!segment.begins && segment.has_events)
            printf("segment %u: its checkpoint is not complete: left out\n", segment.number);
    }
}

/* Replays from the segment at which it stands. */
static int replay_stretch(struct run *r)
{
    struct hc_replay_place place;
    struct hc_verify verified = { 0 };

    hc_replay_place(r->replay, &place);
    if (!find_in_oracle(r, place.segment))
        return HC_EXIT_INPUT;
    hc_signals_catch(stop_replay, r->replay);
    enum hc_replay_stop stop =
        r->oracle ? hc_verify_run(r->replay, r->oracle, show_progress, r, &verified) : run_plainly(r);
    hc_signals_catch(NULL, NULL);
    return finish(r, place.segment, stop, &verified);
}

static int replay_all(struct run *r)
{
    struct hc_replay_message message;
    bool all = r->options.recording.segment < 0;

    hc_replay_stay(r->replay, r->options.each);
    hc_replay_check_positions(r->replay, r->options.check_positions);
    if (all && !r->options.json && !r->brief)
        list_left_out(r);
    for (;;) {
        int code = replay_stretch(r), next = hc_replay_next_segment(r->replay);
        if (code || !all || next < 0)
            return code;
        if (hc_replay_restart(r->replay, (size_t)next, false, &message)) {
            hc_complain("%s", message.text);
            return HC_EXIT_INPUT;
        }
    }
}

/* ---- all of it ---- */

static int open_files(struct run *r)
{
    struct hc_oracle_message message;
    int code = hc_open_recording(&r->image, &r->replay, &r->options.recording);

    if (code || !r->options.oracle || !hc_oracle_open(&r->oracle, r->options.oracle, &message))
        return code;
    hc_complain("%s", message.text);
    return HC_EXIT_INPUT;
}

static void print_all_checks(const struct run *r)
{
    if (r->windows)
        printf("memory agreed in %" PRIu64 " of %" PRIu64 " window%s\n", r->agreed, r->windows, hc_plural(r->windows));
    else
        printf("no self-check in this log\n");
}

/* A replay without events proves nothing: it is not a success. */
static int check_events(const struct run *r)
{
    if (r->interrupts || r->reads)
        return HC_EXIT_FINE;
    hc_complain(
        "%s: no events of %s, so nothing was %s; let it run until a page is full, and make sure that something calls "
        "hc_update (hindcast map %s lists the calls)",
        r->options.recording.log, r->options.recording.image, r->oracle ? "verified" : "replayed",
        r->options.recording.image);
    return HC_EXIT_FOUND;
}

static bool tell_damage(const struct run *r)
{
    const struct hc_log_segment *first;
    const struct hc_log *log = hc_replay_log(r->replay, &first);
    return hc_tell_damage(log, r->options.recording.segment, NULL);
}

static void print_result(struct run *r, int code)
{
    const char *word = r->oracle ? "verified" : "replayed";
    if (r->options.json) {
        json_t *result =
            json_pack("{sb sb sI sI sI sI sI sO sO}", "verified", code == HC_EXIT_FINE && r->oracle, "complete",
                      code == HC_EXIT_FINE, "instructions", (json_int_t)r->instructions, "interrupts",
                      (json_int_t)r->interrupts, "reads", (json_int_t)r->reads, "windows", (json_int_t)r->windows,
                      "windows_agreed", (json_int_t)r->agreed, "violations", r->violation_list, "replays", r->list);
        json_dumpf(result, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(result);
    } else if (code == HC_EXIT_FINE) {
        if (r->violated > VIOLATIONS_PRINTED)
            printf("invariants were violated %" PRIu64 " times; the first %d are above\n", r->violated,
                   VIOLATIONS_PRINTED);
        print_all_checks(r);
        printf("%s: %" PRIu64 " instruction%s, %" PRIu64 " interrupt%s, %" PRIu64 " read%s\n", word, r->instructions,
               hc_plural(r->instructions), r->interrupts, hc_plural(r->interrupts), r->reads, hc_plural(r->reads));
    }
}

static void close_files(struct run *r)
{
    hc_replay_free(r->replay);
    hc_oracle_free(r->oracle);
    hc_image_free(r->image);
    json_decref(r->list);
    json_decref(r->violation_list);
}

/* Replays the log of one node, whose files are open. */
static int replay_log(struct run *r)
{
    bool damaged = tell_damage(r);

    r->list = json_array();
    r->violation_list = json_array();
    hc_violations_listen(&r->violations, r->replay, take_violation, r);
    hc_progress_begin(&r->progress);
    int code = replay_all(r);
    if (!code)
        code = check_events(r);
    return !code && damaged ? HC_EXIT_FOUND : code;
}

static int replay_one(const struct options *options)
{
    struct run r = { .options = *options };
    int code = open_files(&r);
    struct hc_event_list *events = NULL;

    const struct hc_named_file files[] = { { "IMAGE", options->recording.image, HC_FILE_READ },
                                           { "LOG", options->recording.log, HC_FILE_READ },
                                           { "--events", options->events, HC_FILE_WRITTEN } };

    if (!code)
        code = hc_files_check(files, sizeof files / sizeof *files);
    if (!code && r.options.events && !(events = hc_event_list_open(r.options.events, r.replay)))
        code = HC_EXIT_INPUT;
    if (!code) {
        code = replay_log(&r);
        if (code != HC_EXIT_INPUT)
            print_result(&r, code);
    }
    if (!hc_event_list_close(events))
        code = HC_EXIT_INPUT;
    close_files(&r);
    return code;
}

/* ---- all nodes of a run ---- */

/* The oracle of a node; false: there is none. */
static bool find_oracle(const struct options *o, const struct hc_recording *recording, char *path, size_t size)
{
    if (o->oracle)
        snprintf(path, size, "%s.%d", o->oracle, recording->id);
    else
        snprintf(path, size, "%s/oracle.%d", o->recording.image, recording->id);
    return o->oracle || access(path, R_OK) == 0;
}

static json_t *node_json(const struct run *r, int id, int code)
{
    return json_pack("{si sb sb sI sI sI sI sI}", "node", id, "verified", code == HC_EXIT_FINE && r->oracle, "complete",
                     code == HC_EXIT_FINE, "instructions", (json_int_t)r->instructions, "interrupts",
                     (json_int_t)r->interrupts, "reads", (json_int_t)r->reads, "windows", (json_int_t)r->windows,
                     "windows_agreed", (json_int_t)r->agreed);
}

static void print_node(const struct run *r, int id, int code)
{
    const char *word = code == HC_EXIT_DIVERGED ? "diverged" : r->oracle ? "verified" : "replayed";

    printf("node %-5d %s: %" PRIu64 " instruction%s, %" PRIu64 " interrupt%s, %" PRIu64
           " read%s; memory agreed in %" PRIu64 " of %" PRIu64 " window%s",
           id, word, r->instructions, hc_plural(r->instructions), r->interrupts, hc_plural(r->interrupts), r->reads,
           hc_plural(r->reads), r->agreed, r->windows, hc_plural(r->windows));
    if (r->unproved)
        printf("; %" PRIu64 " after the last of them are not proved", r->unproved);
    puts(code == HC_EXIT_FOUND ? "; a part of its log is missing" : "");
}

/* Of all nodes. */
struct sum {
    size_t fine, verified;
    uint64_t instructions;
    json_t *list;
};

/* A node whose program records a region. Returns an exit code, or -1: it is none. */
static int replay_region_node(const struct hc_timeline_options *options, int id, struct sum *sum, bool json)
{
    struct hc_region_nodes nodes = { .id = id, .list = json ? sum->list : NULL };
    struct hc_image *image = NULL;
    struct hc_image_message message;
    int code = -1;

    if (!hc_image_load_file(&image, options->image, &message) && hc_region_map_is(image)) {
        code = hc_replay_region_node(options, image, &nodes);
        sum->fine += code == HC_EXIT_FINE;
        sum->instructions += nodes.instructions;
        fflush(stdout);
    }
    hc_image_free(image);
    return code;
}

static int replay_node(const struct options *o, const struct hc_recording *recording, struct sum *sum)
{
    struct run r = { .options = *o, .brief = true };
    char oracle[4096];

    hc_recording_options(&r.options.recording, recording);
    int region = replay_region_node(&r.options.recording, recording->id, sum, o->json);
    if (region >= 0)
        return region;
    r.options.oracle = find_oracle(o, recording, oracle, sizeof oracle) ? oracle : NULL;
    int code = open_files(&r);
    if (!code)
        code = replay_log(&r);
    if (code != HC_EXIT_INPUT && o->json)
        json_array_append_new(sum->list, node_json(&r, recording->id, code));
    else if (code != HC_EXIT_INPUT)
        print_node(&r, recording->id, code);
    fflush(stdout);
    sum->fine += code == HC_EXIT_FINE;
    sum->verified += code == HC_EXIT_FINE && r.oracle;
    sum->instructions += r.instructions;
    close_files(&r);
    return code;
}

static void print_sum(const struct options *o, const struct hc_recordings *recordings, const struct sum *sum)
{
    if (o->json) {
        json_t *json = json_pack("{sI sI sI sI sO}", "nodes", (json_int_t)recordings->count, "complete",
                                 (json_int_t)sum->fine, "verified", (json_int_t)sum->verified, "instructions",
                                 (json_int_t)sum->instructions, "list", sum->list);
        json_dumpf(json, stdout, JSON_INDENT(2));
        putchar('\n');
        json_decref(json);
        return;
    }
    printf("%zu of %zu node%s replayed, %zu verified: %" PRIu64 " instruction%s\n", sum->fine, recordings->count,
           hc_plural(recordings->count), sum->verified, sum->instructions, hc_plural(sum->instructions));
    if (recordings->silent)
        printf("%zu node%s left no log\n", recordings->silent, hc_plural(recordings->silent));
}

static int replay_run(const struct options *o)
{
    struct hc_recordings recordings;
    struct sum sum = { .list = json_array() };
    int code = hc_recordings_of_run(&recordings, o->recording.image), worst = HC_EXIT_FINE;

    for (size_t i = 0; !code && i < recordings.count; i++) {
        int one = replay_node(o, &recordings.recordings[i], &sum);
        worst = one > worst ? one : worst;
    }
    if (!code)
        print_sum(o, &recordings, &sum);
    if (!code && !recordings.count) {
        hc_complain("%s: no node left a log", o->recording.image);
        worst = HC_EXIT_INPUT;
    }
    hc_recordings_free(&recordings);
    json_decref(sum.list);
    return code ? code : worst;
}

/* There is no machine for it: natively, with or without --native. */
static int replay_wide(const struct options *o, const struct hc_image *image)
{
    struct hc_wide_options wide = { .keep = o->natively.keep, .no_checks = o->natively.no_checks, .json = o->json };

    if (o->natively.here || o->recording.settings) {
        hc_complain("--here and --set are for regions of 16-bit CPUs; --keep=DIR keeps the program for gdb");
        return HC_EXIT_USAGE;
    }
    return hc_replay_wide(&o->recording, image, &wide);
}

/* An ELF with a region has logs of another kind. True: *CODE is the result. */
static bool replay_region(const struct options *o, int *code)
{
    struct hc_image *image = NULL;
    struct hc_image_message message;

    if (o->all || hc_image_load_file(&image, o->recording.image, &message))
        return false; /* the message comes again */
    bool is = hc_region_map_is(image);
    if (is && (o->oracle || o->events || o->check_positions)) {
        hc_complain(
            "--verify, --events and --check-positions are for recordings of whole nodes; the log of a region has "
            "checks of its own");
        *code = HC_EXIT_USAGE;
    } else if (is && hc_replay_is_wide(image)) {
        *code = replay_wide(o, image);
    } else if (is && o->native) {
        struct hc_native_options native = o->natively;
        native.json = o->json;
        *code = hc_replay_native(&o->recording, image, &native);
    } else if (is) {
        *code = hc_replay_region(&o->recording, image, o->json);
    } else if (o->native) {
        hc_complain("%s: --native is for regions, and this ELF file has none; build it with --record=region",
                    o->recording.image);
        *code = HC_EXIT_INPUT;
    }
    hc_image_free(image);
    return is || o->native;
}

static int replay(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_recording_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE LOG\nRUN --all", help, children, NULL, NULL };
    struct options options = { .recording.segment = -1 };

    int code;

    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (replay_region(&options, &code))
        return code;
    return options.all ? replay_run(&options) : replay_one(&options);
}

const struct hc_command hc_replay_command = { "replay", "Run again what a node recorded, exactly", replay };
