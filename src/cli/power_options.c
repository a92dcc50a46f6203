#define _DEFAULT_SOURCE /* strsep */
#include "power_options.h"

#include "machine/board/launchpad_fr5969.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ED = 0x100,
    CHECKPOINT,
    CHECKPOINT_AT,
    PLACE,
    NVM,
    LIMIT,
    EVALUATE,
    EFFORT,
    SILENT,
    BRUTE_FORCE,
    SUGGEST,
    HARVEST,
    SAVES,
    INPUT,
    OUTPUT,
    ENVIRONMENT,
    TORN,
    RESTORE,
    VERSIONED,
    EXCLUDE,
    INPUT_VALUES,
    SECONDS,
    JSON,
    HTML,
    DEBUG,
    DAP,
    CAPACITOR,
    V_TRIGGER,
    V_OFF,
    V_ON,
    CURRENT,
    SAVE_TIME,
    CLOCK,
    PART,
    UNTIL,
    WINDOW,
    CUT_EVERYWHERE,
    SEED,
    SARIF,
    BASELINE
};

static const struct argp_option argp_options[] = {
    { NULL, 0, NULL, 0, "Checkpoints anywhere (the default):", 1 },
    { "ed", ED, "N[,N...][cycles]", 0,
      "Execution depths: instructions, or cycles, that may be lost (default 5000 instructions); one run answers all",
      0 },
    { "capacitor", CAPACITOR, "UF", 0, "Or from the supply (equation 4 of the paper): microfarads,", 0 },
    { "v-trigger", V_TRIGGER, "V", 0, "the voltage at which a checkpoint is saved,", 0 },
    { "v-off", V_OFF, "V", 0, "the one at which the node dies (default 1.88),", 0 },
    { "v-on", V_ON, "V", 0, "the one at which it starts (default 2.5; for --checkpoint),", 0 },
    { "current", CURRENT, "UA", 0, "what it draws (default: an FR5969's at that clock),", 0 },
    { "save-time", SAVE_TIME, "MS", 0, "how long saving takes (default 1.4),", 0 },
    { "clock", CLOCK, "MHZ", 0, "and its clock (default 1)", 0 },
    { NULL, 0, NULL, 0, "Checkpoints that are known:", 2 },
    { "checkpoint", CHECKPOINT, "FUNCTION", 0,
      "Each call of it is a checkpoint; the depth does not matter then, but whether --capacitor lasts from one to the "
      "next",
      0 },
    { "checkpoint-at", CHECKPOINT_AT, "PLACE", 0,
      "A checkpoint before the instruction at a symbol, an address or FILE:LINE; may be given several times", 0 },
    { "place", PLACE, "STRATEGY", 0,
      "Checkpoints at the end of every loop (loop-latch) or after every call (function-return)", 0 },
    { NULL, 0, NULL, 0, "A run with real power failures instead:", 3 },
    { "harvest", HARVEST, "FILE", 0,
      "What comes in (CSV: seconds, microamperes), for --capacitor, --v-on, --v-off: when the node lives and dies; "
      "with --html beside the analysis",
      0 },
    { "seconds", SECONDS, "N", 0, "For how long, unless main returns before (default 10)", 0 },
    { NULL, 0, NULL, 0, "What and how:", 4 },
    { "nvm", NVM, "WHAT", 0,
      "What in FRAM counts as non-volatile: all (default), or a list of globals, stack, heap, names of variables and "
      "sections, separated by commas",
      0 },
    { "input", INPUT, "NAME[:TAG]", 0,
      "What is measured: a function's result, a peripheral's register, or a variable that holds it; expected to be "
      "most-recent or long-term where it is used",
      0 },
    { "input-values", INPUT_VALUES, "NAME=VALUES", 0,
      "What an --input function returns, one measurement after the other: 10,20,30 or @FILE (again from the beginning "
      "at the end), ramp:START:STEP, random:LOW:HIGH",
      0 },
    { "output", OUTPUT, "NAME[:TAG][:MODEL]", 0,
      "A function, or a peripheral's register, that acts on the environment; expected to be absolute or relative; its "
      "argument is set, added (add) or seen (log, the default)",
      0 },
    { "environment", ENVIRONMENT, "FILE", 0,
      "More outputs, by a table (output quantity set|add|log [absolute|relative] [lost]); or a model of your own, a "
      "shared object that ends in .so: see docs/power.md",
      0 },
    { "saves", SAVES, "WHAT", 0,
      "What of the volatile state a checkpoint saves besides the CPU's registers: all (default), none, or of "
      "globals,stack,heap,peripherals",
      0 },
    { "torn", TORN, NULL, 0,
      "With --checkpoint, if that function really saves and the program really continues by itself after a reset: cut "
      "the power everywhere within it",
      0 },
    { "restore", RESTORE, "FUNCTION", 0,
      "For --torn: the function that restores; FRAM that only it and the checkpoint function use belongs to them", 0 },
    { "versioned", VERSIONED, "VARIABLE", 0,
      "A variable in FRAM that checkpoints save and restore: not an anomaly; --torn then checks such variables only; "
      "may be repeated, or a list separated by commas",
      0 },
    { "exclude", EXCLUDE, "VARIABLE", 0, "Do not compare this variable's final value; may be repeated, or a list", 0 },
    { "cut-everywhere", CUT_EVERYWHERE, "N|random:N", OPTION_ARG_OPTIONAL,
      "Cut the power after every instruction (or every N-th, or after N of them at random), let the program recover by "
      "itself, and compare the end",
      0 },
    { "seed", SEED, "N", 0, "For --cut-everywhere=random:N (default 1)", 0 },
    { "part", PART, "NAME", 0, "msp430fr5969 or msp430fr5994 (default: the smallest with enough memory)", 0 },
    { "until", UNTIL, "PLACE|TIME", 0,
      "The end of a program that does not end: the first time it reaches a symbol, an address or FILE:LINE; or a time "
      "after power-on: 0.5s, 20ms, 300us",
      0 },
    { "window", WINDOW, "A B", 0, "Analyse only the part from A to B, each a PLACE or TIME", 0 },
    { "limit", LIMIT, "N", 0, "Stop after this many instructions, with the findings so far (default 100000000)", 0 },
    { "evaluate", EVALUATE, NULL, 0, "Cut the power at each occurrence of each anomaly, and report the effect", 0 },
    { "effort", EFFORT, "N", 0,
      "Limit of instructions for --evaluate (default 4000000000): beyond it, evenly spaced occurrences are tried, and "
      "the report says how many",
      0 },
    { "silent", SILENT, NULL, 0, "Also show pairs that change nothing", 0 },
    { "suggest", SUGGEST, NULL, 0,
      "With known checkpoints: suggest additional ones that remove the anomalies; each is tried", 0 },
    { "brute-force", BRUTE_FORCE, NULL, 0,
      "Also try every checkpoint and every failure, and report how many differ; slow", 0 },
    { "json", JSON, NULL, 0, "The report as JSON", 0 },
    { "html", HTML, "FILE", 0,
      "Also write an HTML page: the source with its anomalies, and a timeline; with --harvest, also the supply", 0 },
    { "sarif", SARIF, "FILE", 0, "Also write the findings as SARIF 2.1.0", 0 },
    { "baseline", BASELINE, "FILE", 0,
      "A file of an earlier --sarif: only findings that are not in it make the exit code 1", 0 },
    { "debug", DEBUG, "N", OPTION_ARG_OPTIONAL,
      "Open the debugger at finding N of the report (default 1), in a run in which the power fails", 0 },
    { "dap", DAP, NULL, 0, "With --debug: serve an editor on stdin and stdout instead (Debug Adapter Protocol)", 0 },
    { 0 },
};

static const char documentation[] =
    "Runs a program for the MSP430FR5969 or FR5994 once, from main to its end, and reports every place where power "
    "failures "
    "could make it differ from that run: data read and then written, activation records, blocks of the heap.\v"
    "Examples:\n"
    "  hindcast power app.elf\n"
    "  hindcast power app.elf --ed 3000,4000,5000 --evaluate\n"
    "  hindcast power app.elf --capacitor 10 --v-trigger 2.0 --current 310\n"
    "  hindcast power app.elf --checkpoint checkpoint --json\n"
    "  hindcast power app.elf --evaluate --html report.html\n"
    "  hindcast power app.elf --debug 3\n"
    "  hindcast power app.elf --until report --cut-everywhere\n"
    "  hindcast power app.elf --capacitor 10 --harvest trace.csv\n"
    "\n"
    "Exit codes: 0 nothing found; 1 anomalies; 2 wrong usage; 3 the program is no input for this.";

/* A positive decimal number times SCALE. */
static uint64_t quantity(struct argp_state *state, const char *name, const char *text, double scale)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value) || value < 0 || value * scale > 1e15)
        argp_error(state, "--%s: '%s': expected a positive number", name, text);
    return (uint64_t)llround(value * scale);
}

bool hc_power_parse_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 } };
    char *end;
    double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof units / sizeof *units && end != text; i++)
        if (!strcmp(end, units[i].name) && isfinite(value) && value >= 0 && value * units[i].ns < 1e15) {
            *ns = (uint64_t)llround(value * units[i].ns);
            return true;
        }
    return false;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void parse_depths(struct hc_power_options *o, struct argp_state *state, const char *text)
{
    while (*text) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(text, &end, 10);
        if (end != text && !strcmp(end, "cycles")) {
            o->depth_in_cycles = true;
            end += strlen(end);
        }
        if (errno || end == text || *text == '-' || (*end && *end != ','))
            argp_error(state, "--ed: '%s': expected a number", text);
        if (!value)
            argp_error(state, "--ed: an execution depth of 0 loses nothing; give at least 1");
        if (o->depths == HC_POWER_DEPTHS_MAX)
            argp_error(state, "--ed: at most %d depths", HC_POWER_DEPTHS_MAX);
        o->depth[o->depths++] = value;
        text = *end ? end + 1 : end;
    }
    qsort(o->depth, o->depths, sizeof *o->depth, ascending);
}

/* Parts and names, separated by commas. */
static void parse_nvm(struct hc_power_options *o, struct argp_state *state, char *argument)
{
    static const struct {
        const char *name;
        int part;
    } parts[] = { { "globals", HC_NVM_GLOBALS }, { "stack", HC_NVM_STACK }, { "heap", HC_NVM_HEAP } };
    enum { PARTS = sizeof parts / sizeof parts[0] };

    while (argument) {
        const char *word = strsep(&argument, ",");
        size_t i = 0;
        while (i < PARTS && strcmp(word, parts[i].name) != 0)
            i++;
        if (i < PARTS) {
            o->nvm |= parts[i].part;
        } else if (strcmp(word, "all") != 0) {
            if (o->ranges == HC_POWER_PLACES_MAX)
                argp_error(state, "--nvm: at most %d names", HC_POWER_PLACES_MAX);
            o->nvm |= HC_NVM_NAMED;
            o->nvm_name[o->ranges++] = word;
        }
    }
}

/* N, random:N, or nothing. */
static void parse_cuts(struct hc_power_options *o, struct argp_state *state, const char *text)
{
    static const char random[] = "random:";
    bool drawn = text && !strncmp(text, random, sizeof random - 1);
    uint64_t n = text ? quantity(state, "cut-everywhere", text + (drawn ? sizeof random - 1 : 0), 1) : 1;

    if (!n)
        argp_error(state, "--cut-everywhere: expected a number of at least 1");
    o->cuts.every = drawn ? 0 : n;
    o->cuts.random = drawn ? n : 0;
}

/* Two words; argp knows options with one. */
static void parse_window(struct hc_power_options *o, struct argp_state *state, const char *from)
{
    if (state->next >= state->argc)
        argp_error(state, "--window: expected two places or times: --window A B");
    o->from = from;
    o->until = state->argv[state->next++];
}

/* Names, separated by commas. */
static void parse_variables(struct hc_power_variables *v, struct argp_state *state, const char *option, char *argument)
{
    while (argument) {
        if (v->count == HC_POWER_PLACES_MAX)
            argp_error(state, "--%s: at most %d names", option, HC_POWER_PLACES_MAX);
        v->name[v->count++] = strsep(&argument, ",");
    }
}

static enum hc_placement parse_placement(struct argp_state *state, const char *text)
{
    if (!strcmp(text, "loop-latch"))
        return HC_PLACE_LOOP_LATCH;
    if (strcmp(text, "function-return") != 0)
        argp_error(state, "--place: '%s': expected loop-latch or function-return", text);
    return HC_PLACE_FUNCTION_RETURN;
}

static int parse_saves(struct argp_state *state, char *argument)
{
    enum { ALL = HC_UNSAVED_STACK | HC_UNSAVED_GLOBALS | HC_UNSAVED_HEAP | HC_UNSAVED_PERIPHERALS };
    int unsaved = ALL;

    while (argument) {
        const char *word = strsep(&argument, ",");
        if (!strcmp(word, "all"))
            unsaved = 0;
        else if (!strcmp(word, "globals"))
            unsaved &= ~HC_UNSAVED_GLOBALS;
        else if (!strcmp(word, "stack"))
            unsaved &= ~HC_UNSAVED_STACK;
        else if (!strcmp(word, "heap"))
            unsaved &= ~HC_UNSAVED_HEAP;
        else if (!strcmp(word, "peripherals"))
            unsaved &= ~HC_UNSAVED_PERIPHERALS;
        else if (strcmp(word, "none") != 0)
            argp_error(state, "--saves: '%s': expected all, none, globals, stack, heap or peripherals", word);
    }
    return unsaved;
}

/* NAME[:TAG]; ARGUMENT is cut at its colon. */
static void parse_input(struct hc_power_options *o, struct argp_state *state, char *argument)
{
    if (o->inputs == HC_INPUTS_MAX)
        argp_error(state, "--input: at most %d", HC_INPUTS_MAX);
    struct hc_power_input *input = &o->input[o->inputs++];
    *input = (struct hc_power_input){ .name = strsep(&argument, ":") };
    input->long_term = argument && !strcmp(argument, "long-term");
    input->untagged = !argument;
    if (argument && !input->long_term && strcmp(argument, "most-recent") != 0)
        argp_error(state, "--input: '%s': expected :most-recent or :long-term", input->name);
}

/* NAME[:TAG][:MODEL]; ARGUMENT is cut at its colons. */
static void parse_output(struct hc_power_options *o, struct argp_state *state, char *argument)
{
    static const char *const tags[] = { "", "absolute", "relative" }, *const models[] = { "set", "add", "log" };

    if (o->outputs == HC_OUTPUTS_MAX)
        argp_error(state, "--output: at most %d", HC_OUTPUTS_MAX);
    struct hc_output *output = &o->output[o->outputs++];
    *output = (struct hc_output){ .model = HC_OUTPUT_LOG };
    output->name = strsep(&argument, ":");
    while (argument) {
        const char *word = strsep(&argument, ":");
        bool known = false;
        for (int i = 0; i < 3; i++) {
            if (i && !strcmp(word, tags[i]))
                output->expected = (enum hc_output_tag)i, known = true;
            if (!strcmp(word, models[i]))
                output->model = (enum hc_output_model)i, known = true;
        }
        if (!known)
            argp_error(state, "--output: '%s': expected absolute, relative, set, add or log", word);
    }
}

static error_t parse_supply(int key, char *argument, struct argp_state *state)
{
    struct hc_power_options *o = state->input;

    switch (key) {
    case CAPACITOR:
        o->capacitor.nanofarads = quantity(state, "capacitor", argument, 1e3);
        break;
    case V_TRIGGER:
        o->capacitor.v_trigger = quantity(state, "v-trigger", argument, 1e6);
        break;
    case V_OFF:
        o->capacitor.v_off = quantity(state, "v-off", argument, 1e6);
        break;
    case HARVEST:
        o->harvest = argument;
        break;
    case SECONDS:
        o->harvest_ns = quantity(state, "seconds", argument, 1e9);
        break;
    case V_ON:
        o->capacitor.v_on = quantity(state, "v-on", argument, 1e6);
        break;
    case CURRENT:
        o->nanoamperes = quantity(state, "current", argument, 1e3);
        break;
    case SAVE_TIME:
        o->save_ns = quantity(state, "save-time", argument, 1e6);
        break;
    case CLOCK:
        o->hz = quantity(state, "clock", argument, 1e6);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

bool hc_power_checkpoints_known(const struct hc_power_options *o)
{
    return o->checkpoint || o->places || o->placement;
}

static void check(struct hc_power_options *o, struct argp_state *state)
{
    if (o->debug && (o->json || o->html || o->suggest || o->brute_force || o->harvest))
        argp_error(state, "--debug cannot be combined with options for reports");
    if (o->dap && !o->debug)
        argp_error(state, "--dap serves the session of --debug: give that, too");
    if (!o->file)
        argp_error(state, "no IMAGE given: give the ELF file of the program");
    bool tried = o->evaluate || o->torn || o->suggest || o->brute_force || o->cuts.every || o->cuts.random;
    uint64_t ns;
    if (o->until && tried && hc_power_parse_time(o->until, &ns))
        argp_error(state, "results are compared at a place, so --until needs a SYMBOL here, not a time");
    if (o->placement && o->places)
        argp_error(state, "--place and --checkpoint-at cannot be combined");
    if (o->harvest && !o->capacitor.nanofarads)
        argp_error(state, "--harvest charges a --capacitor");
    if (!o->harvest && !hc_power_checkpoints_known(o) && !o->capacitor.nanofarads != !o->capacitor.v_trigger)
        argp_error(state, "--capacitor and --v-trigger must be given together");
    if (o->capacitor.nanofarads && o->depths)
        argp_error(state, "--ed and --capacitor cannot be combined: each gives the execution depth");
    if (hc_power_checkpoints_known(o) && (o->depths || o->capacitor.v_trigger))
        argp_error(state, "with known checkpoints --ed has no effect");
    if (o->torn && !o->checkpoint)
        argp_error(state, "--torn needs --checkpoint FUNCTION");
    if (o->suggest && !hc_power_checkpoints_known(o))
        argp_error(state, "--suggest needs known checkpoints: --checkpoint, --checkpoint-at or --place");
}

static unsigned parse_finding(struct argp_state *state, const char *text)
{
    unsigned long number = strtoul(text, NULL, 10);

    if (text[strspn(text, "0123456789")] || !number || number > UINT32_MAX)
        argp_error(state, "--debug: '%s' is not the number of a finding", text);
    return (unsigned)number;
}

/* The IMAGE; but with --debug a number is what it opens: `--debug 3` looks like an argument of its own. */
static void parse_argument(struct hc_power_options *o, struct argp_state *state, char *argument)
{
    bool number = o->debug && !argument[strspn(argument, "0123456789")];

    if (number)
        o->debug = parse_finding(state, argument);
    else if (o->file)
        argp_error(state, "more than one IMAGE given");
    else
        o->file = argument;
}

/* What is looked at, where power is cut, and where findings go. */
static error_t parse_extent(int key, char *argument, struct argp_state *state)
{
    struct hc_power_options *o = state->input;

    switch (key) {
    case SARIF:
        o->sarif = argument;
        break;
    case BASELINE:
        o->baseline = argument;
        break;
    case CUT_EVERYWHERE:
        parse_cuts(o, state, argument);
        break;
    case SEED:
        o->cuts.seed = quantity(state, "seed", argument, 1);
        break;
    case PART:
        o->part = hc_launchpad_part(argument);
        if (!o->part)
            argp_error(state, "--part: '%s': expected msp430fr5969 or msp430fr5994", argument);
        break;
    case UNTIL:
        o->until = argument;
        break;
    case WINDOW:
        parse_window(o, state, argument);
        break;
    case LIMIT:
        o->limit = quantity(state, "limit", argument, 1);
        break;
    default:
        return parse_supply(key, argument, state);
    }
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct hc_power_options *o = state->input;

    switch (key) {
    case ED:
        parse_depths(o, state, argument);
        break;
    case CHECKPOINT:
        o->checkpoint = argument;
        break;
    case PLACE:
        o->placement = parse_placement(state, argument);
        break;
    case CHECKPOINT_AT:
        if (o->places == HC_POWER_PLACES_MAX)
            argp_error(state, "--checkpoint-at: at most %d places", HC_POWER_PLACES_MAX);
        o->place[o->places++] = argument;
        break;
    case NVM:
        parse_nvm(o, state, argument);
        break;
    case INPUT:
        parse_input(o, state, argument);
        break;
    case INPUT_VALUES:
        if (o->values_count == HC_INPUTS_MAX)
            argp_error(state, "--input-values: at most %d", HC_INPUTS_MAX);
        if (!strchr(argument, '='))
            argp_error(state, "--input-values: '%s': expected NAME=VALUES", argument);
        o->values[o->values_count++] = argument;
        break;
    case OUTPUT:
        parse_output(o, state, argument);
        break;
    case TORN:
        o->torn = true;
        break;
    case RESTORE:
        o->restore = argument;
        break;
    case VERSIONED:
        parse_variables(&o->versioned, state, "versioned", argument);
        break;
    case EXCLUDE:
        parse_variables(&o->excluded, state, "exclude", argument);
        break;
    case ENVIRONMENT:
        o->environment = argument;
        break;
    case SAVES:
        o->unsaved = parse_saves(state, argument);
        break;
    case EVALUATE:
        o->evaluate = true;
        break;
    case EFFORT:
        o->effort = quantity(state, "effort", argument, 1);
        break;
    case SILENT:
        o->silent = true;
        break;
    case SUGGEST:
        o->suggest = true;
        break;
    case BRUTE_FORCE:
        o->brute_force = true;
        break;
    case JSON:
        o->json = true;
        break;
    case HTML:
        o->html = argument;
        break;
    case DAP:
        o->dap = true;
        break;
    case DEBUG:
        o->debug = argument ? parse_finding(state, argument) : o->debug ? o->debug : 1;
        break;
    case ARGP_KEY_ARG:
        parse_argument(o, state, argument);
        break;
    case ARGP_KEY_END:
        check(o, state);
        break;
    default:
        return parse_extent(key, argument, state);
    }
    return 0;
}

void hc_power_options_parse(struct hc_power_options *options, int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse, "IMAGE", documentation, NULL, NULL, NULL };

    *options = (struct hc_power_options){ .limit = 100000000,
                                          .effort = HC_POWER_EFFORT,
                                          .save_ns = 1400000,
                                          .hz = 1000000,
                                          .harvest_ns = 10000000000,
                                          .cuts = { .seed = 1 },
                                          .capacitor = { .v_on = 2500000, .v_off = 1880000 } };
    argp_parse(&argp, argc, argv, 0, NULL, options);
}
