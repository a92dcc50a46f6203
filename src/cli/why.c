/* hindcast why: from a value back to its causes, for scripts. */
#include "command.h"
#include "debug/session/session.h"
#include "debug/session/why_chain.h"
#include "files.h"
#include "numbers.h"
#include "open_timeline.h"
#include "signals.h"

#include <argp.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { AT = 256, STEPS, JSON, SVG, STEPS_DEFAULT = 40, STEPS_MOST = 10000 };

struct options {
    struct hc_timeline_options timeline;
    const char *expression, *at, *svg;
    int steps;
    bool json;
};

static const struct argp_option argp_options[] = {
    { "at", AT, "MOMENT", 0, "Ask at this moment: 1.5s, #1234, interrupt 7, end (default: end)", 0 },
    { "steps", STEPS, "N", 0, "Follow causes for at most N steps (default: 40)", 0 },
    { "json", JSON, NULL, 0, "A JSON array of steps", 0 },
    { "svg", SVG, "FILE", 0, "Draw the tree of causes", 0 },
    { 0 },
};

static const char help[] =
    "Finds what made a value what it is, step by step back to the inputs: the write that made it, the values that went "
    "into that, the branch or call that led there.\v"
    "LOG is what a node recorded; without one an emulated TelosB runs IMAGE, for --seconds. EXPRESSION is a variable, "
    "a member, an element or a register that holds one; \"\" asks why the program came where it is. The debugger's "
    "command "
    "why "
    "answers the same questions one at a time.\n\n"
    "Examples:\n"
    "  hindcast why app.elf node.flash 'store.report'\n"
    "  hindcast why app.elf node.flash 'route.parent' --at 40.3s --svg why.svg\n"
    "  hindcast why app.elf --seconds 10 'errors' --json\n\n"
    "Exit codes: 0 fine; 1 the question cannot be answered; 2 wrong usage; 3 the files do not fit.";

static void take_argument(struct options *o, char *argument, struct argp_state *state)
{
    if (!o->timeline.image)
        o->timeline.image = argument;
    else if (!o->expression)
        o->expression = argument;
    else if (!o->timeline.log) { /* IMAGE LOG EXPRESSION */
        o->timeline.log = o->expression;
        o->expression = argument;
    } else {
        argp_error(state, "more than one expression given");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->timeline;
        return 0;
    case AT:
        o->at = argument;
        return 0;
    case STEPS:
        o->steps = (int)hc_number_argument(state, "--steps", argument, 1, STEPS_MOST);
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case SVG:
        o->svg = argument;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(o, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!o->timeline.image)
            argp_error(state, "no IMAGE given: give the ELF file that ran on the node");
        if (!o->expression)
            argp_error(state, "no EXPRESSION given: hindcast why IMAGE [LOG] EXPRESSION");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- output ---- */

static json_t *step_json(const struct hc_why_chain *c, int number)
{
    const struct hc_why_step *s = hc_why_chain_step(c, number);
    json_t *o =
        json_pack("{s:i, s:s, s:s, s:s, s:b, s:I, s:f, s:i, s:s, s:s, s:s, s:s, s:[]}", "step", number, "role",
                  hc_why_role_names[s->role], "subject", hc_why_subject_names[s->subject], "what", s->what, "answered",
                  s->answered, "instruction", (json_int_t)s->moment, "seconds", (double)hc_to_us(s->time) / 1e6, "pc",
                  (int)s->pc, "place", s->place, "line", s->line, "note", s->note, "via", s->via, "causes");

    if (s->parent)
        json_object_set_new(o, "of", json_integer(s->parent));
    if (s->like)
        json_object_set_new(o, "like", json_integer(s->like));
    for (int i = 0; i < s->count; i++)
        json_array_append_new(json_object_get(o, "causes"), json_integer(s->first + i));
    return o;
}

static void print_json(const struct hc_why_chain *c)
{
    json_t *list = json_array();

    for (int n = 1; n <= hc_why_chain_steps(c); n++)
        json_array_append_new(list, step_json(c, n));
    json_dumpf(list, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(list);
}

static void print_text(const struct hc_why_chain *c)
{
    for (int n = 1; n <= hc_why_chain_steps(c); n++)
        if (n == 1 || hc_why_chain_step(c, n)->count)
            hc_why_chain_show(c, n, stdout);
}

static bool print_all(const struct hc_why_chain *c, const struct options *o, struct hc_output_file *svg)
{
    bool well = !svg || hc_why_chain_draw(c, hc_output_file(svg));

    if (!well)
        hc_complain("out of memory");
    if (o->json)
        print_json(c);
    else
        print_text(c);
    return well;
}

/* ---- the question ---- */

static void stop(void *debugger)
{
    hc_debugger_interrupt(debugger);
}

/* The debugger says so if the run ends before the moment that was asked for. */
static void tell_end(const struct options *o, const char *said)
{
    static const char end[] = "The end, at ";

    if (o->at && strcmp(o->at, "end") != 0 && !strncmp(said, end, strlen(end)))
        hc_complain("--at=%s is after the end of the run, and the answer is about the end, %.*s", o->at,
                    (int)strcspn(said + strlen("The end, "), ":\n"), said + strlen("The end, "));
}

/* SAID: what the debugger has said. */
static int answer(struct hc_debugger *s, const struct options *o, char *const *said, FILE *saying,
                  struct hc_output_file *svg)
{
    char command[128];
    struct hc_why_chain *c = NULL;

    snprintf(command, sizeof command, "goto %s", o->at ? o->at : "end");
    if (hc_debugger_command(s, command) == HC_DEBUGGER_GOES_ON)
        c = hc_debugger_ask_why(s, o->expression);
    if (!fflush(saying))
        tell_end(o, *said);
    if (!c) {
        hc_complain("%s", hc_debugger_problem(s));
        return HC_EXIT_FOUND;
    }
    enum hc_timeline_stop how = hc_why_chain_answer_all(c, o->steps);
    if (how != HC_TIMELINE_THERE)
        hc_complain(how == HC_TIMELINE_NO_MEMORY ? "out of memory" : "interrupted: these are the steps so far");
    bool well = print_all(c, o, svg) && how == HC_TIMELINE_THERE;
    return well ? HC_EXIT_FINE : HC_EXIT_FOUND;
}

static int ask(struct hc_opened_timeline *t, const struct options *o, struct hc_output_file *svg)
{
    char *said = NULL;
    size_t size;
    FILE *saying = open_memstream(&said, &size);
    struct hc_debugger *s = saying ? hc_debugger_new(t->image, t->timeline, saying, t->replay != NULL) : NULL;
    int code = HC_EXIT_INPUT;

    if (s) {
        hc_debugger_set_replay(s, t->replay);
        hc_signals_catch(stop, s);
        code = answer(s, o, &said, saying, svg);
        hc_signals_catch(NULL, NULL);
    } else {
        hc_complain("out of memory");
    }
    hc_debugger_free(s);
    if (saying)
        fclose(saying);
    free(said);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 }, { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG] EXPRESSION", help, children, NULL, NULL };
    struct options o = { .timeline = { .limit = 60 * HC_SECOND, .segment = -1, .node_id = 1, .quiet = true },
                         .steps = STEPS_DEFAULT };
    struct hc_opened_timeline t = { 0 };
    struct hc_output_file *svg = NULL;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    const struct hc_named_file files[] = { { "IMAGE", o.timeline.image, HC_FILE_READ },
                                           { "LOG", o.timeline.log, HC_FILE_READ },
                                           { "--svg", o.svg, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);
    if (!code && o.svg)
        code = hc_files_open(&svg, o.svg);
    if (code)
        return code;
    code = hc_open_timeline(&t, &o.timeline);
    if (!code)
        code = ask(&t, &o, svg);
    hc_close_timeline(&t);
    int kept = hc_files_close(svg, o.svg, !code);
    return code ? code : kept;
}

const struct hc_command hc_why_command = { "why", "Find what made a value what it is, back to its causes", run };
