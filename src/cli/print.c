/* hindcast print: expressions over a run, without a session: a table, CSV, JSON or a plot. */
#include "print.h"
#include "command.h"
#include "debug/dwarf/frame.h"
#include "debug/expression/expression.h"
#include "debug/expression/format.h"
#include "debug/session/session.h"
#include "files.h"
#include "numbers.h"
#include "plot.h"
#include "progress.h"
#include "run_directory.h"
#include "signals.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MOST = 128, ROWS_MOST = 10000000, GAPS_MOST = 256 };
enum { AT = 256, CSV, JSON, SVG, CONDITION, TITLE, LIMIT };

struct run {
    struct hc_print_options o;
    hc_print_row_fn *row; /* called for each row instead of printing it; NULL: rows are printed */
    void *row_owner;
    struct hc_opened_timeline t;
    struct hc_progress progress;
    struct hc_output_file *svg;
    struct hc_program *program;
    uint32_t place[PLACES_MOST];
    const char *name[PLACES_MOST]; /* what --at calls it; an address may have several */
    size_t places;
    json_t *list;
    size_t gaps; /* of the log, before this row */
    double gap[GAPS_MOST];
    bool after_gap; /* no row has come since */
    uint64_t rows, failed;
    bool had_value[HC_PRINT_EXPRESSIONS];
    char problem[HC_PRINT_TEXT]; /* the first of them */

    /* For a plot. */
    size_t room;
    double *seconds;
    double *value[HC_PRINT_EXPRESSIONS];
    bool no_memory;
};

static const struct argp_option argp_options[] = {
    { "at", AT, "PLACE", 0,
      "Print each time the program reaches this place: FUNCTION, FILE:LINE or *ADDRESS. May be given several times",
      0 },
    { "if", CONDITION, "EXPRESSION", 0, "... if this expression is true there", 0 },
    { "csv", CSV, NULL, 0, "Comma-separated values", 0 },
    { "json", JSON, NULL, 0, "A JSON array of objects", 0 },
    { "svg", SVG, "FILE", 0, "A plot over time", 0 },
    { "title", TITLE, "TEXT", 0, "Of the plot", 0 },
    { "limit", LIMIT, "N", 0, "End after N rows", 0 },
    { 0 },
};

static const char help[] =
    "Prints C expressions over a whole run.\v"
    "LOG is what a node recorded; without one an emulated TelosB runs IMAGE, for 60 s unless --seconds says otherwise. "
    "The first argument that is not a file is an expression. $log alone is the number of bytes of the log written so "
    "far, $place the place that was reached, as --at calls it.\n\n"
    "Examples:\n"
    "  hindcast print app.elf node.flash --at receive 'length' 'table[0].etx'\n"
    "  hindcast print app.elf node.flash --at app.c:120 --csv 'state' >states.csv\n"
    "  hindcast print app.elf node.flash --at update --svg etx.svg 'self.etx'\n"
    "  hindcast print run --at update 'self.etx'              all nodes of a network, on one axis of time\n\n"
    "Exit codes: 0 fine; 1 the place was not reached, the run ended badly, or a part of the log is missing; 2 wrong "
    "usage; 3 the files do not fit.";

/* IMAGE, then LOG if there is a file of that name, then expressions. */
static void take_argument(struct hc_print_options *o, char *argument, struct argp_state *state)
{
    FILE *file;

    if (!o->timeline.image) {
        o->timeline.image = argument;
    } else if (!o->timeline.log && !o->expressions && !hc_is_run_directory(o->timeline.image) &&
               (file = fopen(argument, "rb"))) {
        fclose(file);
        o->timeline.log = argument;
    } else if (o->expressions < HC_PRINT_EXPRESSIONS) {
        o->expression[o->expressions++] = argument;
    } else {
        argp_error(state, "more than %d expressions", HC_PRINT_EXPRESSIONS);
    }
}

static void add_place(struct hc_print_options *o, const char *place, struct argp_state *state)
{
    for (size_t i = 0; i < o->places; i++)
        if (!strcmp(o->place[i], place))
            return;
    if (o->places == HC_PRINT_PLACES)
        argp_error(state, "--at: more than %d places", HC_PRINT_PLACES);
    if (!o->at)
        o->at = place;
    o->place[o->places++] = place;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct hc_print_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->timeline;
        state->child_inputs[1] = &o->network;
        return 0;
    case AT:
        add_place(o, argument, state);
        return 0;
    case CONDITION:
        o->condition = argument;
        return 0;
    case CSV:
        o->csv = true;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case SVG:
        o->svg = argument;
        return 0;
    case TITLE:
        o->title = argument;
        return 0;
    case LIMIT:
        o->limit = hc_number_argument(state, "--limit", argument, 0, ROWS_MOST);
        return 0;
    case ARGP_KEY_ARG:
        take_argument(o, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!o->timeline.image)
            argp_error(state, "no IMAGE given: give the ELF file that ran on the node");
        if (!o->at)
            argp_error(state, "no place given: add --at FUNCTION, --at FILE:LINE or --at *ADDRESS");
        if (!o->expressions)
            argp_error(state, "no expression given (is '%s' a file that does not exist?)",
                       o->timeline.log ? o->timeline.log : o->timeline.image);
        if (o->csv + o->json + (o->svg != NULL) > 1)
            argp_error(state, "--csv, --json and --svg cannot be combined");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- rows ---- */

/* $log, by itself: how much of the log had been written. */
static bool look_at_log(const struct run *r, const char *expression, struct hc_print_cell *cell)
{
    if (!r->t.replay || strcmp(expression, "$log") != 0)
        return false;
    uint64_t bytes = hc_replay_log_bytes(r->t.replay);
    cell->failed = false;
    cell->number = (double)bytes;
    snprintf(cell->text, sizeof cell->text, "%" PRIu64, bytes);
    return true;
}

/* $place, by itself: the place as given with --at; several at the same address are joined by a +. */
static bool look_at_place(const struct run *r, uint32_t pc, const char *expression, struct hc_print_cell *cell)
{
    size_t used = 0;

    if (strcmp(expression, "$place") != 0)
        return false;
    cell->failed = false;
    cell->number = NAN;
    for (size_t i = 0; i < r->places && used < sizeof cell->text; i++)
        if (r->place[i] == pc)
            used += (size_t)snprintf(cell->text + used, sizeof cell->text - used, "%s%s", used ? "+" : "", r->name[i]);
    return true;
}

static void look(struct run *r, const struct hc_context *c, const char *expression, struct hc_print_cell *cell)
{
    struct hc_debug_message message;
    struct hc_value v;
    struct hc_number n;

    if (look_at_log(r, expression, cell) || look_at_place(r, c->pc, expression, cell))
        return;
    cell->number = NAN;
    cell->failed = !hc_expression_evaluate(c, expression, &v, &message);
    if (cell->failed) {
        if (!r->failed++)
            snprintf(r->problem, sizeof r->problem, "%s: %s", expression, message.text);
        cell->text[0] = '\0';
        return;
    }
    hc_format_text(c, &v, 0, cell->text, sizeof cell->text);
    if (hc_type_is_scalar(v.type) && hc_value_number(c, &v, &n, &message)) {
        cell->number = hc_number_real(&n);
        const struct hc_type *type = hc_type_strip(v.type);
        if (type->kind == HC_TYPE_INTEGER) /* characters as numbers, too */
            snprintf(cell->text, sizeof cell->text, "%.0f", cell->number);
    }
}

static bool make_room(struct run *r)
{
    size_t room = r->room ? 2 * r->room : 1024;

    if (r->rows < r->room)
        return true;
    double *seconds = realloc(r->seconds, room * sizeof *seconds);
    if (!seconds)
        return false;
    r->seconds = seconds;
    for (int i = 0; i < r->o.expressions; i++) {
        double *value = realloc(r->value[i], room * sizeof *value);
        if (!value)
            return false;
        r->value[i] = value;
    }
    r->room = room;
    return true;
}

void hc_print_csv(const char *text)
{
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static uint16_t segment_of(const struct run *r, const struct hc_moment *m)
{
    struct hc_replay_segment segment;

    hc_replay_segment(r->t.replay, m->segment, &segment);
    return segment.number;
}

json_t *hc_print_json(const struct hc_print_cell *cell)
{
    return cell->failed                                                       ? json_null()
           : isnan(cell->number)                                              ? json_string(cell->text)
           : cell->number == floor(cell->number) && fabs(cell->number) < 9e15 ? json_integer((json_int_t)cell->number)
                                                                              : json_real(cell->number);
}

static void add_json(struct run *r, const struct hc_moment *m, const struct hc_print_cell *cells)
{
    json_t *row = json_object();

    json_object_set_new(row, "time", json_real(hc_seconds(m->time)));
    json_object_set_new(row, "instruction", json_integer((json_int_t)m->instructions));
    for (int i = 0; i < r->o.expressions; i++)
        json_object_set_new(row, r->o.expression[i], hc_print_json(&cells[i]));
    if (r->t.replay)
        json_object_set_new(row, "segment", json_integer(segment_of(r, m)));
    json_array_append_new(r->list, row);
}

static void write_row(struct run *r, const struct hc_moment *m, const struct hc_print_cell *cells)
{
    if (r->o.csv) {
        printf("%.6f,%" PRIu64, hc_seconds(m->time), m->instructions);
        for (int i = 0; i < r->o.expressions; i++) {
            putchar(',');
            hc_print_csv(cells[i].text);
        }
        if (r->t.replay)
            printf(",%u", segment_of(r, m));
        putchar('\n');
        return;
    }
    if (r->after_gap)
        printf("(segment %u: a part is missing before it; times from here on may be too early)\n", segment_of(r, m));
    printf("%14.6f  #%-11" PRIu64, hc_seconds(m->time), m->instructions);
    for (int i = 0; i < r->o.expressions; i++)
        printf("  %-*s", (int)(strlen(r->o.expression[i]) > 10 ? strlen(r->o.expression[i]) : 10),
               cells[i].failed ? "-" : cells[i].text);
    putchar('\n');
}

static bool visit(void *owner, const struct hc_moment *moment)
{
    static const struct hc_print_cell empty;
    struct run *r = owner;
    struct hc_context context;
    struct hc_print_cell cells[HC_PRINT_EXPRESSIONS] = { 0 };
    struct hc_debug_message message;
    bool wanted = true;

    hc_frame_here(r->program, hc_timeline_machine(r->t.timeline), &context);
    if (r->o.condition && (!hc_expression_holds(&context, r->o.condition, &wanted, &message) || !wanted)) {
        if (wanted && !r->failed++)
            snprintf(r->problem, sizeof r->problem, "%s: %s", r->o.condition, message.text);
        return false;
    }
    for (int i = 0; i < r->o.expressions; i++) {
        cells[i] = empty;
        look(r, &context, r->o.expression[i], &cells[i]);
        r->had_value[i] |= !cells[i].failed;
    }
    if (r->row) {
        r->no_memory = !r->row(r->row_owner, moment, r->t.replay ? segment_of(r, moment) : 0, cells, r->o.expressions);
        if (r->no_memory)
            return true;
    } else if (r->o.svg) {
        r->no_memory = !make_room(r);
        if (r->no_memory)
            return true;
        if (r->after_gap && r->gaps <= GAPS_MOST)
            r->gap[r->gaps - 1] = hc_seconds(moment->time);
        r->seconds[r->rows] = hc_seconds(moment->time);
        for (int i = 0; i < r->o.expressions; i++)
            r->value[i][r->rows] = cells[i].number;
    } else if (r->o.json) {
        add_json(r, moment, cells);
    } else {
        hc_progress_clear(&r->progress);
        write_row(r, moment, cells);
    }
    r->after_gap = false;
    return ++r->rows >= r->o.limit || hc_signalled();
}

/* ---- the run ---- */

static enum hc_action at_place(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct run *r = owner;

    (void)m;
    (void)pc;
    return hc_timeline_hears_places(r->t.timeline) ? HC_STOP : HC_CONTINUE;
}

static void write_header(const struct run *r)
{
    if (r->o.csv) {
        fputs("time,instruction", stdout);
        for (int i = 0; i < r->o.expressions; i++) {
            putchar(',');
            hc_print_csv(r->o.expression[i]);
        }
        puts(r->t.replay ? ",segment" : "");
    } else if (!r->o.json && !r->o.svg) {
        printf("%14s  %-12s", "time (s)", "instruction");
        for (int i = 0; i < r->o.expressions; i++)
            printf("  %-10s", r->o.expression[i]);
        putchar('\n');
    }
}

static int write_plot(struct run *r)
{
    struct hc_plot_series series[HC_PRINT_EXPRESSIONS];
    char title[HC_PRINT_TEXT];
    struct hc_plot plot = { .title = r->o.title ? r->o.title : title, .points = r->rows, .seconds = r->seconds };

    snprintf(title, sizeof title, "%s%sat %s", r->o.expressions == 1 ? r->o.expression[0] : "",
             r->o.expressions == 1 ? " " : "", r->o.at);
    for (int i = 0; i < r->o.expressions; i++)
        series[i] = (struct hc_plot_series){ r->o.expression[i], r->value[i] };
    plot.series = r->o.expressions;
    plot.gaps = r->gaps < GAPS_MOST ? r->gaps : GAPS_MOST;
    plot.gap = r->gap;
    plot.of = series;
    hc_plot_svg(hc_output_file(r->svg), &plot);
    int code = hc_files_close(r->svg, r->o.svg, true);
    r->svg = NULL;
    return code;
}

/* Texts and structures have no numbers. */
static bool each_can_be_plotted(const struct run *r)
{
    for (int i = 0; i < r->o.expressions; i++) {
        size_t n = 0;
        while (n < r->rows && isnan(r->value[i][n]))
            n++;
        if (n < r->rows || !r->rows)
            continue;
        hc_complain("--svg: %s: has no numbers to plot; leave it out, or print a table or --csv", r->o.expression[i]);
        return false;
    }
    return true;
}

static int write_results(struct run *r)
{
    if (r->o.json && !r->row) {
        json_dumpf(r->list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12) | JSON_PRESERVE_ORDER);
        putchar('\n');
    }
    if (r->no_memory) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    if (!r->o.svg || r->row)
        return HC_EXIT_FINE;
    return each_can_be_plotted(r) ? write_plot(r) : HC_EXIT_INPUT;
}

static bool each_had_a_value(const struct run *r)
{
    for (int i = 0; i < r->o.expressions; i++) {
        if (r->had_value[i])
            continue;
        hc_complain("%s: has no value at any of these places", r->o.expression[i]);
        return false;
    }
    return true;
}

/* A problem with the whole command, if there is one. */
static int judge(struct run *r, enum hc_timeline_stop how)
{
    if (r->failed)
        hc_complain("%" PRIu64 " value%s missing; the first: %s", r->failed, r->failed == 1 ? " is" : "s are",
                    r->problem);
    if (how == HC_TIMELINE_FAULT)
        hc_complain("the run ends early: %s", hc_timeline_text(r->t.timeline));
    if (!r->rows && !r->row)
        hc_complain("'%s'%s was never reached%s", r->o.at, r->o.places > 1 ? " or any other place" : "",
                    r->o.condition ? " with that condition" : "");
    if (r->rows && !each_had_a_value(r))
        return HC_EXIT_INPUT;
    return !r->rows || how == HC_TIMELINE_FAULT || r->t.damaged ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

static void stop(void *machine)
{
    hc_request_stop(machine);
}

/* Whether TEXT can be evaluated at PLACE, as far as that is known before the program runs. */
static bool is_known(struct run *r, const char *text, uint32_t place, struct hc_debug_message *message)
{
    const struct hc_type *type;
    struct hc_context context;

    if ((r->t.replay && !strcmp(text, "$log")) || !strcmp(text, "$place"))
        return true;
    hc_frame_here(r->program, hc_timeline_machine(r->t.timeline), &context);
    context.pc = place;
    return hc_expression_type(&context, text, &type, message);
}

/* Reports expressions that cannot be evaluated at any of the places, before anything runs. */
static int check_expressions(struct run *r)
{
    struct hc_debug_message message;

    for (int i = -(r->o.condition != NULL); i < r->o.expressions; i++) {
        const char *text = i < 0 ? r->o.condition : r->o.expression[i];
        bool known = false;
        for (size_t k = r->places; k-- > 0 && !known;)
            known = is_known(r, text, r->place[k], &message);
        if (known)
            continue;
        bool may_be_log = i == 0 && !r->o.timeline.log && !r->row;
        hc_complain("%s: %s%s", text, may_be_log ? "there is no such file; and as an expression: " : "", message.text);
        return HC_EXIT_INPUT;
    }
    return HC_EXIT_FINE;
}

static bool is_hooked(const struct run *r, uint32_t place)
{
    for (size_t i = 0; i < r->places; i++)
        if (r->place[i] == place)
            return true;
    return false;
}

static int hook_place(struct run *r, const char *at)
{
    struct hc_debug_message message;
    size_t first = r->places;

    if (first == PLACES_MOST) {
        hc_complain("--at: %s: too many places", at);
        return HC_EXIT_INPUT;
    }
    size_t found = hc_place_addresses(r->program, at, NULL, r->place + first, PLACES_MOST - first, &message);
    if (!found) {
        hc_complain("--at: %s", message.text);
        return HC_EXIT_INPUT;
    }
    for (size_t i = first; i < first + found; i++) {
        if (!is_hooked(r, r->place[i]))
            hc_hook_pc(hc_timeline_machine(r->t.timeline), r->place[i], at_place, r);
        r->name[i] = at;
        r->places = i + 1;
    }
    return HC_EXIT_FINE;
}

static int hook_places(struct run *r)
{
    int code = HC_EXIT_FINE;

    for (size_t i = 0; i < r->o.places && !code; i++)
        code = hook_place(r, r->o.place[i]);
    return code ? code : check_expressions(r);
}

/* The next segment after a gap, if there is one and it is requested. */
static bool find_next_stretch(struct run *r, size_t *out)
{
    struct hc_replay_segment segment;

    if (!r->t.replay || r->o.timeline.segment >= 0 || r->rows >= r->o.limit || hc_signalled())
        return false;
    hc_timeline_seek_end(r->t.timeline);
    for (*out = hc_timeline_now(r->t.timeline)->segment + 1; *out < hc_replay_segments(r->t.replay); ++*out) {
        hc_replay_segment(r->t.replay, *out, &segment);
        if (segment.begins && !segment.foreign)
            return true;
    }
    return false;
}

/* Goes there; time advances by the gap as far as the log knows it. */
static int begin_stretch(struct run *r, size_t segment)
{
    struct hc_replay_message message;

    if (hc_replay_restart(r->t.replay, segment, true, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    if (!hc_timeline_restart(r->t.timeline)) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    r->after_gap = true;
    r->gaps++;
    return HC_EXIT_FINE;
}

/* While it runs: how far it is. */
static bool show_progress(void *owner)
{
    struct run *r = owner;
    struct hc_moment now;

    if (!r->progress.on)
        return false;
    hc_timeline_present(r->t.timeline, &now);
    double all = hc_seconds(r->o.timeline.limit);
    hc_progress_tell(&r->progress,
                     r->t.replay ? hc_replay_progress(r->t.replay)
                     : all > 0   ? hc_seconds(now.time) / all
                                 : -1,
                     "%" PRIu64 " rows", r->rows);
    return false;
}

static int print_stretches(struct run *r, enum hc_timeline_stop *how)
{
    struct hc_machine *m = hc_timeline_machine(r->t.timeline);
    size_t segment;
    int code = HC_EXIT_FINE;

    hc_progress_begin(&r->progress);
    hc_timeline_set_poll(r->t.timeline, show_progress, r);
    while (!code) {
        hc_signals_catch(stop, m);
        *how = hc_timeline_survey(r->t.timeline, 0, UINT64_MAX, visit, r);
        hc_signals_catch(NULL, NULL);
        if (!find_next_stretch(r, &segment))
            break;
        code = begin_stretch(r, segment);
    }
    hc_timeline_set_poll(r->t.timeline, NULL, NULL);
    hc_progress_clear(&r->progress);
    return code;
}

static int print(struct run *r)
{
    enum hc_timeline_stop how;

    r->list = json_array();
    r->program = hc_program_new(r->t.image);
    if (!r->program) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    int code = hook_places(r);
    if (code)
        return code;
    if (r->t.region && !r->row)
        hc_complain(HC_PRINT_NO_TIME);
    else if (!r->t.replay && !r->row)
        hc_complain("note: no LOG is given: an emulated node runs %s for %.0f s", r->o.timeline.image,
                    hc_seconds(r->o.timeline.limit));
    if (!r->row)
        write_header(r);
    code = print_stretches(r, &how);
    if (code)
        return code;
    int judged = judge(r, how);
    code = write_results(r);
    return code ? code : judged;
}

static int open_plot(struct run *r)
{
    const struct hc_named_file files[] = { { "IMAGE", r->o.timeline.image, HC_FILE_READ },
                                           { "LOG", r->o.timeline.log, HC_FILE_READ },
                                           { "--svg", r->o.svg, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);

    return code || !r->o.svg ? code : hc_files_open(&r->svg, r->o.svg);
}

static int print_opened(struct run *r)
{
    int code = r->row ? HC_EXIT_FINE : open_plot(r);

    if (!code)
        code = hc_open_timeline(&r->t, &r->o.timeline);
    if (!code)
        code = print(r);
    hc_output_drop(r->svg);
    hc_program_free(r->program);
    json_decref(r->list);
    hc_close_timeline(&r->t);
    for (int i = 0; i < HC_PRINT_EXPRESSIONS; i++)
        free(r->value[i]);
    free(r->seconds);
    return code;
}

int hc_print_rows(const struct hc_print_options *options, hc_print_row_fn *row, void *owner)
{
    struct run *r = calloc(1, sizeof *r);

    if (!r)
        return HC_EXIT_INPUT;
    r->o = *options;
    r->row = row;
    r->row_owner = owner;
    int code = print_opened(r);
    free(r);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 },
                                                  { &hc_network_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = { argp_options, parse,    "IMAGE [LOG] EXPRESSION...\nRUN EXPRESSION...",
                                      help,         children, NULL,
                                      NULL };
    struct hc_print_options options = {
        .timeline = { .limit = HC_SECOND * 60, .segment = -1, .node_id = 1, .quiet = true }, .limit = ROWS_MOST
    };

    argp_parse(&argp, argc, argv, 0, NULL, &options);
    if (!options.timeline.log && hc_is_run_directory(options.timeline.image))
        return hc_print_network(&options);
    if (hc_network_refuse(&options.network))
        return HC_EXIT_USAGE;
    return hc_print_rows(&options, NULL, NULL);
}

const struct hc_command hc_print_command = { "print", "Print expressions over a run: a table, CSV, JSON, a plot", run };
