/* hindcast power: where an intermittent run of a program could differ from a continuous one. */
#include "command.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/energy.h"
#include "power/intermittent.h"
#include "power/layman.h"
#include "power/report.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTHS_MAX = 16, PLACES_MAX = 64, DEFAULT_DEPTH = 5000, V_MAX_UV = 3600000 };
enum {
    ED = 0x100,
    CHECKPOINT,
    CHECKPOINT_AT,
    NVM,
    LIMIT,
    EVALUATE,
    SILENT,
    LAYMAN,
    SUGGEST,
    HARVEST,
    SAVES,
    SECONDS,
    JSON,
    CAPACITOR,
    V_TRIGGER,
    V_OFF,
    V_ON,
    CURRENT,
    SAVE_TIME,
    CLOCK
};

struct options {
    const char *file;
    uint64_t depth[DEPTHS_MAX];
    size_t depths;
    const char *checkpoint;
    const char *place[PLACES_MAX]; /* of further checkpoints */
    size_t places;
    uint32_t before[PLACES_MAX];
    enum hc_nvm nvm;
    int unsaved; /* HC_UNSAVED_* */
    uint64_t limit;
    bool evaluate, silent, layman, suggest, json;
    struct hc_capacitor capacitor; /* nanofarads 0: not given */
    uint64_t nanoamperes, save_ns, hz;
    const char *harvest;
    uint64_t harvest_ns;
};

static const struct argp_option argp_options[] = {
    { NULL, 0, NULL, 0, "Checkpoints anywhere (the default):", 1 },
    { "ed", ED, "N[,N...]", 0, "Execution depths: instructions that may be lost (default 5000); one run answers all",
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
    { NULL, 0, NULL, 0, "A run with real power failures instead:", 3 },
    { "harvest", HARVEST, "FILE", 0,
      "What comes in (CSV: seconds, microamperes), for --capacitor, --v-on, --v-off: when the node lives and dies", 0 },
    { "seconds", SECONDS, "N", 0, "For how long, unless main returns before (default 10)", 0 },
    { NULL, 0, NULL, 0, "What and how:", 4 },
    { "nvm", NVM, "WHAT", 0, "What in FRAM counts as non-volatile: all (default), globals, stack or heap", 0 },
    { "saves", SAVES, "WHAT", 0,
      "What of volatile memory a checkpoint saves besides the registers: all (default), none, or of globals,stack,heap",
      0 },
    { "limit", LIMIT, "N", 0, "Instructions after which a program is given up (default 100000000)", 0 },
    { "evaluate", EVALUATE, NULL, 0, "Cut the power at each anomaly, and say what it does to the program", 0 },
    { "silent", SILENT, NULL, 0, "Show the pairs that change nothing, too", 0 },
    { "suggest", SUGGEST, NULL, 0, "With --checkpoint: where further ones would remove the anomalies; each is tried",
      0 },
    { "layman", LAYMAN, NULL, 0, "Try every checkpoint and every failure, too, and say how many differ; takes long",
      0 },
    { "json", JSON, NULL, 0, "The report as JSON", 0 },
    { 0 },
};

static const char documentation[] =
    "Runs a program for the MSP430FR5969 once, from main to its end, and reports every place where power failures "
    "could make it differ from that run: data read and then written, activation records, blocks of the heap.\v"
    "Examples:\n"
    "  hindcast power app.elf\n"
    "  hindcast power app.elf --ed 3000,4000,5000 --evaluate\n"
    "  hindcast power app.elf --capacitor 10 --v-trigger 2.0 --current 310\n"
    "  hindcast power app.elf --checkpoint checkpoint --json\n"
    "  hindcast power app.elf --capacitor 10 --harvest trace.csv\n"
    "\n"
    "Exit codes: 0 nothing found; 1 anomalies; 2 wrong usage; 3 the program is no input for this.";

/* A positive decimal number times SCALE. */
static uint64_t quantity(struct argp_state *state, const char *name, const char *text, double scale)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value) || value < 0 || value * scale > 1e15)
        argp_error(state, "--%s: '%s' is not a number that makes sense", name, text);
    return (uint64_t)llround(value * scale);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void parse_depths(struct options *o, struct argp_state *state, const char *text)
{
    while (*text) {
        char *end;
        errno = 0;
        unsigned long long value = strtoull(text, &end, 10);
        if (errno || end == text || *text == '-' || (*end && *end != ','))
            argp_error(state, "--ed: '%s' is no number", text);
        if (!value)
            argp_error(state, "--ed: an execution depth of 0 loses nothing: there is nothing to look for");
        if (o->depths == DEPTHS_MAX)
            argp_error(state, "--ed: at most %d depths", DEPTHS_MAX);
        o->depth[o->depths++] = value;
        text = *end ? end + 1 : end;
    }
    qsort(o->depth, o->depths, sizeof *o->depth, ascending);
}

static enum hc_nvm parse_nvm(struct argp_state *state, const char *text)
{
    static const char *const names[] = {
        [HC_NVM_ALL] = "all", [HC_NVM_GLOBALS] = "globals", [HC_NVM_STACK] = "stack", [HC_NVM_HEAP] = "heap"
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i]))
            return (enum hc_nvm)i;
    argp_error(state, "--nvm: '%s' is none of all, globals, stack and heap", text);
    return HC_NVM_ALL;
}

static int parse_saves(struct argp_state *state, const char *text)
{
    static const struct {
        const char *name;
        int saves;
    } parts[] = { { "all", HC_UNSAVED_STACK | HC_UNSAVED_GLOBALS | HC_UNSAVED_HEAP },
                  { "none", 0 },
                  { "globals", HC_UNSAVED_GLOBALS },
                  { "stack", HC_UNSAVED_STACK },
                  { "heap", HC_UNSAVED_HEAP } };
    int unsaved = parts[0].saves;

    while (*text) {
        size_t length = strcspn(text, ","), i = 0;
        while (i < sizeof parts / sizeof *parts &&
               (strlen(parts[i].name) != length || strncmp(parts[i].name, text, length)))
            i++;
        if (i == sizeof parts / sizeof *parts)
            argp_error(state, "--saves: '%s' is none of all, none, globals, stack and heap", text);
        unsaved &= ~parts[i].saves;
        text += length + (text[length] == ',');
    }
    return unsaved;
}

static error_t parse_supply(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

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

static bool are_known(const struct options *o)
{
    return o->checkpoint || o->places;
}

static void check(struct options *o, struct argp_state *state)
{
    if (!o->file)
        argp_error(state, "which IMAGE?");
    if (o->harvest && !o->capacitor.nanofarads)
        argp_error(state, "--harvest charges a --capacitor");
    if (!o->harvest && !are_known(o) && !o->capacitor.nanofarads != !o->capacitor.v_trigger)
        argp_error(state, "--capacitor and --v-trigger go together");
    if (o->capacitor.nanofarads && o->depths)
        argp_error(state, "--ed says what --capacitor would");
    if (are_known(o) && (o->depths || o->capacitor.v_trigger))
        argp_error(state, "with known checkpoints the execution depth does not matter");
    if (o->suggest && !are_known(o))
        argp_error(state, "--suggest adds to checkpoints that are known");
    if (are_known(o) && o->layman)
        argp_error(state, "--layman tries checkpoints everywhere, not those of --checkpoint");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ED:
        parse_depths(o, state, argument);
        break;
    case CHECKPOINT:
        o->checkpoint = argument;
        break;
    case CHECKPOINT_AT:
        if (o->places == PLACES_MAX)
            argp_error(state, "--checkpoint-at: at most %d places", PLACES_MAX);
        o->place[o->places++] = argument;
        break;
    case NVM:
        o->nvm = parse_nvm(state, argument);
        break;
    case SAVES:
        o->unsaved = parse_saves(state, argument);
        break;
    case LIMIT:
        o->limit = quantity(state, "limit", argument, 1);
        break;
    case EVALUATE:
        o->evaluate = true;
        break;
    case SILENT:
        o->silent = true;
        break;
    case SUGGEST:
        o->suggest = true;
        break;
    case LAYMAN:
        o->layman = true;
        break;
    case JSON:
        o->json = true;
        break;
    case ARGP_KEY_ARG:
        if (o->file)
            argp_error(state, "one IMAGE only");
        o->file = argument;
        break;
    case ARGP_KEY_END:
        check(o, state);
        break;
    default:
        return parse_supply(key, argument, state);
    }
    return 0;
}

/* ---- the program ---- */

/* A new board with the image loaded and switched on; NULL after a complaint. */
static struct hc_launchpad *load(struct hc_image *image)
{
    struct hc_launchpad *board = hc_launchpad_new(NULL);
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);

    for (size_t i = 0; board && i < count; i++)
        for (uint32_t n = 0; n < segments[i].size; n++)
            if (!hc_poke(board->machine, segments[i].address + n, segments[i].bytes[n])) {
                hc_complain("%s: bytes at 0x%04x, where an %s has no memory: is it built for another part?",
                            hc_image_name(image), (unsigned)(segments[i].address + n),
                            hc_machine_part(board->machine)->name);
                hc_launchpad_free(board);
                return NULL;
            }
    if (board)
        hc_machine_reset(board->machine, HC_POR);
    else
        hc_complain("out of memory");
    return board;
}

/* 0, or the exit code after a complaint. */
static int check_end(const struct options *o, const struct hc_located *l, struct hc_machine *m)
{
    switch (l->end) {
    case HC_LOCATE_DONE:
        return 0;
    case HC_LOCATE_LIMIT:
        hc_complain("%s: still running after %llu instructions (--limit)", o->file,
                    (unsigned long long)l->instructions);
        break;
    case HC_LOCATE_FAULT:
        hc_complain("%s: fault: %s", o->file, hc_fault_text(m));
        break;
    case HC_LOCATE_NO_MAIN:
        hc_complain("%s: main was not reached", o->file);
        break;
    case HC_LOCATE_NO_NVM:
        hc_complain("%s: the program writes nothing to non-volatile memory: power failures cannot deceive it", o->file);
        break;
    }
    return HC_EXIT_INPUT;
}

static uint64_t current(const struct options *o)
{
    return o->nanoamperes ? o->nanoamperes : hc_consumption_active(&hc_fr5969_consumption, (uint32_t)o->hz);
}

/* Equation 4 gives cycles, of which there are at least as many as instructions. */
static uint64_t depth_in_cycles(const struct options *o)
{
    return hc_depth_cycles(&o->capacitor, current(o), o->save_ns, o->hz);
}

static struct hc_evaluated *evaluate(struct hc_image *image, const struct hc_locate_config *config,
                                     const struct hc_located *located)
{
    struct hc_evaluated *evaluated = calloc(located->pairs.count + 1, sizeof *evaluated);
    struct hc_launchpad *board = evaluated ? load(image) : NULL;

    if (board) {
        struct hc_locate_config again = *config;
        again.machine = board->machine;
        if (!hc_power_evaluate(&again, located, evaluated))
            hc_complain("not evaluated: main does not return, or does not repeat itself");
        hc_launchpad_free(board);
    }
    return evaluated;
}

struct bench {
    struct hc_image *image;
    struct hc_launchpad *board;
};

static struct hc_machine *fresh(void *owner)
{
    struct bench *b = owner;

    b->board = load(b->image);
    return b->board ? b->board->machine : NULL;
}

static void put_away(void *owner, struct hc_machine *machine)
{
    (void)machine;
    hc_launchpad_free(((struct bench *)owner)->board);
}

/* On stderr: it is no part of the findings. */
static void try_everything(struct hc_image *image, const struct hc_locate_config *config)
{
    struct hc_locate_config again = *config;
    struct hc_layman layman;
    struct hc_launchpad *board = load(image);

    if (!board)
        return;
    again.machine = board->machine;
    hc_layman_run(&again, 0, 1, UINT64_MAX, &layman);
    hc_complain("layman: %llu checkpoints, %llu failures, of which %llu differ; %llu instructions",
                (unsigned long long)layman.checkpoints, (unsigned long long)layman.failures,
                (unsigned long long)layman.different, (unsigned long long)layman.instructions);
    hc_launchpad_free(board);
}

static int report(struct options *o, struct hc_image *image, const struct hc_locate_config *config,
                  const struct hc_located *located)
{
    struct hc_power_report r = { .image = image,
                                 .located = located,
                                 .checkpoint = o->checkpoint ? o->checkpoint
                                               : o->places   ? "places given"
                                                             : NULL,
                                 .depths = o->depth,
                                 .depth_count = o->depths,
                                 .show_silent = o->silent };
    struct hc_suggestion suggestion;
    struct hc_evaluated *evaluated = o->evaluate ? evaluate(image, config, located) : NULL;

    r.evaluated = evaluated;
    r.nanofarads = o->capacitor.nanofarads;
    r.needed_nanofarads = hc_smallest_capacitor(&o->capacitor, current(o), located->longest.cycles, o->hz);
    if (o->suggest && hc_power_suggest(config, fresh, put_away, &(struct bench){ .image = image }, &suggestion))
        r.suggestion = &suggestion;
    if (o->json)
        hc_power_report_json(&r, stdout);
    else
        hc_power_report_text(&r, stdout);
    if (o->suggest)
        hc_located_free(&suggestion.rest);
    if (o->layman)
        try_everything(image, config);
    free(evaluated);
    return hc_power_anomalies(&r) || hc_power_never_ends(&r) ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

static bool find_place(struct hc_image *image, const char *place, uint32_t *address)
{
    struct hc_symbol symbol;
    const char *colon = strrchr(place, ':');
    const char *digits = colon ? colon + 1 : place;
    char file[1024], *end;

    if (hc_image_symbol(image, place, &symbol)) {
        *address = symbol.address;
        return true;
    }
    unsigned long number = strtoul(digits, &end, 0);
    if (end == digits || *end || number > 0xfffff)
        return false;
    if (!colon) {
        *address = (uint32_t)number;
        return true;
    }
    snprintf(file, sizeof file, "%.*s", (int)(colon - place), place);
    return hc_image_line_addresses(image, file, (int)number, address, 1) > 0;
}

/* What to look for; 0, or the exit code after a complaint. */
static int configure(struct options *o, struct hc_image *image, struct hc_locate_config *config, uint64_t *cycles)
{
    struct hc_symbol checkpoint = { 0 };

    *cycles = o->capacitor.v_trigger ? depth_in_cycles(o) : 0;
    if (o->capacitor.v_trigger && !*cycles) {
        hc_complain("the capacitor is empty before the checkpoint is saved");
        return HC_EXIT_USAGE;
    }
    if (o->checkpoint && !(hc_image_symbol(image, o->checkpoint, &checkpoint) && checkpoint.function)) {
        hc_complain("%s: there is no function '%s'", o->file, o->checkpoint);
        return HC_EXIT_USAGE;
    }
    for (size_t i = 0; i < o->places; i++)
        if (!find_place(image, o->place[i], &o->before[i])) {
            hc_complain("--checkpoint-at: '%s' is neither a symbol of %s, an address, nor FILE:LINE with code",
                        o->place[i], o->file);
            return HC_EXIT_USAGE;
        }
    if (!o->depths)
        o->depth[o->depths++] = *cycles ? *cycles : DEFAULT_DEPTH;
    *config = (struct hc_locate_config){
        .nvm = o->nvm, .unsaved = o->unsaved, .limit = o->limit, .checkpoint = checkpoint.address
    };
    config->before = o->before;
    config->before_count = o->places;
    config->depth = are_known(o) ? 0 : o->depth[o->depths - 1];
    hc_program_find(&config->program, image);
    return HC_EXIT_FINE;
}

static int analyse(struct options *o, struct hc_image *image)
{
    struct hc_locate_config config;
    struct hc_located located;
    uint64_t cycles;
    int code = configure(o, image, &config, &cycles);
    struct hc_launchpad *board = code ? NULL : load(image);

    if (!board)
        return code ? code : HC_EXIT_INPUT;
    config.machine = board->machine;
    hc_power_locate(&config, &located);
    code = check_end(o, &located, board->machine);
    if (!code && cycles)
        o->depth[0] = hc_depth_instructions(cycles, located.cycles, located.instructions);
    if (!code)
        code = report(o, image, &config, &located);
    hc_located_free(&located);
    hc_launchpad_free(board);
    return code;
}

/* ---- an intermittent run ---- */

static void print_event(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts,
                        uint64_t instructions)
{
    static const char *const names[] = {
        [HC_SUPPLY_TIME] = "", [HC_SUPPLY_ON] = "on", [HC_SUPPLY_TRIGGER] = "trigger", [HC_SUPPLY_OFF] = "off"
    };

    (void)owner;
    printf("%14.6f s  %-8s %.3f V", (double)ns / 1e9, names[event], (double)microvolts / 1e6);
    if (event == HC_SUPPLY_ON)
        putchar('\n');
    else
        printf("  after %llu instructions\n", (unsigned long long)instructions);
}

/* The whole file; NULL after a complaint. */
static char *read_file(const char *path, size_t *size)
{
    enum { MOST = 16 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST) : NULL;

    if (!file)
        hc_complain("%s: %s", path, strerror(errno));
    *size = text ? fread(text, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return text;
}

static int live_and_die(struct options *o, struct hc_image *image, const struct hc_harvest *harvest)
{
    struct hc_launchpad *board = load(image);
    struct hc_supply supply;
    struct hc_program program;
    struct hc_intermittent result;

    if (!board)
        return HC_EXIT_INPUT;
    hc_program_find(&program, image);
    o->capacitor.v_max = o->capacitor.v_on > V_MAX_UV ? o->capacitor.v_on : V_MAX_UV;
    if (!o->capacitor.v_trigger)
        o->capacitor.v_trigger = o->capacitor.v_off;
    hc_supply_init(&supply, &o->capacitor, harvest, 0);
    struct hc_intermittent_config config = { .machine = board->machine,
                                             .supply = &supply,
                                             .consumption = &hc_fr5969_consumption,
                                             .until_ns = o->harvest_ns,
                                             .seed = 1,
                                             .main = program.main,
                                             .event = print_event };
    hc_intermittent_run(&config, &result);
    printf("%s after %.6f s: %llu power cycles, on for %.6f s, %llu instructions, %llu at most on one charge\n",
           result.finished  ? "main returned"
           : result.faulted ? "fault"
                            : "not finished",
           (double)supply.ns / 1e9, (unsigned long long)result.power_cycles, (double)result.on_ns / 1e9,
           (unsigned long long)result.instructions, (unsigned long long)result.most_instructions);
    if (result.faulted)
        hc_complain("%s: fault: %s", o->file, hc_fault_text(board->machine));
    hc_launchpad_free(board);
    return result.finished ? HC_EXIT_FINE : HC_EXIT_FOUND;
}

static int run_intermittently(struct options *o, struct hc_image *image)
{
    char message[128];
    struct hc_harvest harvest;
    size_t size;
    char *text = read_file(o->harvest, &size);
    int code = HC_EXIT_INPUT;

    if (text && hc_harvest_parse(&harvest, text, size, message, sizeof message)) {
        hc_complain("%s: %s", o->harvest, message);
    } else if (text) {
        code = live_and_die(o, image, &harvest);
        hc_harvest_free(&harvest);
    }
    free(text);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse, "IMAGE", documentation, NULL, NULL, NULL };
    struct options o = { .limit = 100000000,
                         .save_ns = 1400000,
                         .hz = 1000000,
                         .harvest_ns = 10000000000,
                         .capacitor = { .v_on = 2500000, .v_off = 1880000 } };
    struct hc_image_message message;
    struct hc_image *image;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (hc_image_load_file(&image, o.file, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = o.harvest ? run_intermittently(&o, image) : analyse(&o, image);
    hc_image_free(image);
    return code;
}

const struct hc_command hc_power_command = { "power", "Find what power failures would break in a program", run };
