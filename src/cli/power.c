/* hindcast power: where an intermittent run of a program could differ from a continuous one. */
#include "command.h"
#include "machine/board/launchpad_fr5969.h"
#include "power/intermittent.h"
#include "power/layman.h"
#include "power/report.h"
#include "power_debug.h"
#include "power_interactions.h"
#include "power_names.h"
#include "power_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DEPTH = 5000, V_MAX_UV = 3600000 };

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
static int check_end(const struct hc_power_options *o, const struct hc_located *l, struct hc_machine *m)
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

static uint64_t current(const struct hc_power_options *o)
{
    return o->nanoamperes ? o->nanoamperes : hc_consumption_active(&hc_fr5969_consumption, (uint32_t)o->hz);
}

/* Equation 4 gives cycles, of which there are at least as many as instructions. */
static uint64_t depth_in_cycles(const struct hc_power_options *o)
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

static struct hc_steered *evaluate_steerings(struct hc_image *image, const struct hc_locate_config *config,
                                             const struct hc_located *located)
{
    const struct hc_steering *steering;
    size_t count = hc_inputs_steerings(located->inputs, &steering);
    struct hc_steered *steered = count ? calloc(count, sizeof *steered) : NULL;
    struct hc_launchpad *board = steered ? load(image) : NULL;

    if (board) {
        struct hc_locate_config again = *config;
        again.machine = board->machine;
        hc_power_evaluate_steerings(&again, located, steered);
        hc_launchpad_free(board);
    }
    return steered;
}

/* What comes before a window is executed again: the program's own way there, if it has one. */
static uint64_t restart_cycles(const struct hc_power_options *o, struct hc_image *image,
                               const struct hc_locate_config *config, const struct hc_located *located)
{
    uint64_t measured = 0;
    struct hc_launchpad *board = o->restore && located->longest.restart ? load(image) : NULL;

    if (board) {
        struct hc_locate_config again = *config;
        again.machine = board->machine;
        measured = hc_power_resume_cycles(&again);
        hc_launchpad_free(board);
    }
    return measured ? measured : located->longest.restart;
}

/* False after a complaint. */
static bool tear(struct hc_power_options *o, struct hc_image *image, const struct hc_locate_config *config,
                 const struct hc_located *located, struct hc_torn *torn)
{
    struct hc_symbol restore = { 0 };
    struct hc_launchpad *board = load(image);

    if (!board)
        return false;
    if (o->restore)
        hc_image_symbol(image, o->restore, &restore);
    struct hc_locate_config again = *config;
    again.machine = board->machine;
    bool good = hc_power_tear(&again, located, restore.address, torn);
    if (!good)
        hc_complain("not torn: main does not return, or does not repeat itself");
    hc_launchpad_free(board);
    return good;
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
static void try_everything(struct hc_image *image, const struct hc_locate_config *config,
                           const struct hc_located *located)
{
    struct hc_locate_config again = *config;
    struct hc_layman layman;
    struct hc_launchpad *board = load(image);

    if (!board)
        return;
    again.machine = board->machine;
    hc_layman_run(&again, located, 0, 1, UINT64_MAX, &layman);
    hc_complain("layman: %llu checkpoints, %llu failures, of which %llu differ; %llu instructions",
                (unsigned long long)layman.checkpoints, (unsigned long long)layman.failures,
                (unsigned long long)layman.different, (unsigned long long)layman.instructions);
    hc_launchpad_free(board);
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

/* How the node is fed; HARVEST NULL: charged once. */
static void connect(struct hc_power_options *o, const struct hc_harvest *harvest, struct hc_supply *supply)
{
    o->capacitor.v_max = o->capacitor.v_on > V_MAX_UV ? o->capacitor.v_on : V_MAX_UV;
    if (!o->capacitor.v_trigger)
        o->capacitor.v_trigger = o->capacitor.v_off;
    hc_supply_init(supply, &o->capacitor, harvest, harvest ? 0 : o->capacitor.v_on);
}

static struct hc_intermittent_config feed(const struct hc_power_options *o, struct hc_image *image,
                                          struct hc_machine *machine, struct hc_supply *supply)
{
    struct hc_power_program program;

    hc_power_program_find(&program, image);
    return (struct hc_intermittent_config){ .machine = machine,
                                            .supply = supply,
                                            .consumption = &hc_fr5969_consumption,
                                            .until_ns = o->harvest_ns,
                                            .seed = 1,
                                            .main = program.main };
}

static int live_and_die(struct hc_power_options *o, struct hc_image *image, const struct hc_harvest *harvest)
{
    struct hc_launchpad *board = load(image);
    struct hc_supply supply;
    struct hc_intermittent result;

    if (!board)
        return HC_EXIT_INPUT;
    connect(o, harvest, &supply);
    struct hc_intermittent_config config = feed(o, image, board->machine, &supply);
    config.event = print_event;
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

/* 0, or the exit code after a complaint. */
static int read_harvest(const struct hc_power_options *o, struct hc_harvest *harvest)
{
    char message[128];
    size_t size;
    char *text = read_file(o->harvest, &size);
    int code = text && !hc_harvest_parse(harvest, text, size, message, sizeof message) ? 0 : HC_EXIT_INPUT;

    if (text && code)
        hc_complain("%s: %s", o->harvest, message);
    free(text);
    return code;
}

static int run_intermittently(struct hc_power_options *o, struct hc_image *image)
{
    struct hc_harvest harvest;
    int code = read_harvest(o, &harvest);

    if (!code) {
        code = live_and_die(o, image, &harvest);
        hc_harvest_free(&harvest);
    }
    return code;
}

/* ---- the page ---- */

/* What happened when, with all that the user told of the supply; 0, or the exit code after a complaint. */
static int chronicle_supply(struct hc_power_options *o, struct hc_image *image, const struct hc_locate_config *config,
                            struct hc_chronicle *chronicle)
{
    struct hc_harvest harvest = { 0 };
    struct hc_supply supply;
    int code = o->harvest ? read_harvest(o, &harvest) : 0;
    struct hc_launchpad *board = code ? NULL : load(image);

    if (!board)
        return code ? code : HC_EXIT_INPUT;
    connect(o, o->harvest ? &harvest : NULL, &supply);
    struct hc_intermittent_config fed = feed(o, image, board->machine, &supply);
    hc_chronicle_supply(chronicle, config, &fed);
    hc_launchpad_free(board);
    if (o->harvest)
        hc_harvest_free(&harvest);
    return 0;
}

static int chronicle_run(struct hc_image *image, const struct hc_locate_config *config, uint64_t instructions,
                         struct hc_chronicle *chronicle)
{
    struct hc_locate_config again = *config;
    struct hc_launchpad *board = load(image);

    if (!board)
        return HC_EXIT_INPUT;
    again.machine = board->machine;
    hc_chronicle_run(chronicle, &again, instructions);
    hc_launchpad_free(board);
    return 0;
}

/* 0, or the exit code after a complaint. */
static int write_page(struct hc_power_options *o, const struct hc_locate_config *config,
                      const struct hc_power_report *r)
{
    struct hc_chronicle chronicle = { 0 };
    int code = chronicle_run(r->image, config, r->located->instructions, &chronicle);

    if (!code && o->capacitor.nanofarads)
        code = chronicle_supply(o, r->image, config, &chronicle);
    FILE *page = code ? NULL : fopen(o->html, "w");
    bool written = page != NULL;
    if (page) {
        hc_power_report_html(r, &chronicle, page);
        written = !ferror(page);
        written = !fclose(page) && written;
    }
    if (!code && !written) {
        hc_complain("%s: %s", o->html, strerror(errno));
        code = HC_EXIT_INPUT;
    }
    hc_chronicle_free(&chronicle);
    return code;
}

/* ---- the analysis ---- */

static int debug(const struct hc_power_options *o, const struct hc_locate_config *config,
                 const struct hc_power_report *r)
{
    struct hc_locate_config again = *config;
    struct hc_launchpad *board = load(r->image);

    if (!board)
        return HC_EXIT_INPUT;
    again.machine = board->machine;
    int code = hc_power_debug(r, &again, o->debug);
    hc_launchpad_free(board);
    return code;
}

/* NULL: anywhere. */
static const char *checkpoints_name(const struct hc_power_options *o)
{
    if (o->placement)
        return o->placement == HC_PLACE_LOOP_LATCH ? "loop-latch" : "function-return";
    return o->checkpoint ? o->checkpoint : o->places ? "places given" : NULL;
}

static char **names_of(struct hc_image *image, const struct hc_locate_config *config, const struct hc_located *located)
{
    struct hc_locate_config again = *config;
    struct hc_launchpad *board = load(image);

    if (!board)
        return NULL;
    again.machine = board->machine;
    char **names = hc_power_names(image, &again, located);
    hc_launchpad_free(board);
    return names;
}

static int report(struct hc_power_options *o, struct hc_image *image, const struct hc_locate_config *config,
                  const struct hc_located *located)
{
    struct hc_power_report r = { .image = image,
                                 .located = located,
                                 .checkpoint = checkpoints_name(o),
                                 .depths = o->depth,
                                 .depth_count = o->depths,
                                 .depth_cycles = o->capacitor.v_trigger ? depth_in_cycles(o) : 0,
                                 .show_silent = o->silent };
    struct hc_suggestion suggestion = { 0 };
    struct hc_evaluated *evaluated = o->evaluate ? evaluate(image, config, located) : NULL;
    char **names = names_of(image, config, located);
    struct hc_steered *steered = o->evaluate ? evaluate_steerings(image, config, located) : NULL;

    r.names = names;
    r.evaluated = evaluated;
    r.steered = steered;
    struct hc_torn torn = { 0 };
    if (o->torn && tear(o, image, config, located, &torn))
        r.torn = &torn;
    r.input = o->inputs ? o->input : NULL;
    r.output = o->outputs ? o->output : NULL;
    r.nanofarads = o->capacitor.nanofarads;
    r.restart_cycles = restart_cycles(o, image, config, located);
    r.needed_nanofarads =
        hc_smallest_capacitor(&o->capacitor, current(o), located->longest.cycles + r.restart_cycles, o->hz);
    if (o->debug) {
        int code = debug(o, config, &r);
        hc_power_names_free(names, located);
        free(evaluated);
        free(steered);
        return code;
    }
    if (o->suggest && hc_power_suggest(config, fresh, put_away, &(struct bench){ .image = image }, &suggestion))
        r.suggestion = &suggestion;
    if (o->json)
        hc_power_report_json(&r, stdout);
    else
        hc_power_report_text(&r, stdout);
    int page = o->html ? write_page(o, config, &r) : 0;
    bool found = hc_power_found(&r);
    if (o->suggest)
        hc_located_free(&suggestion.rest);
    if (o->layman)
        try_everything(image, config, located);
    hc_power_names_free(names, located);
    free(evaluated);
    free(steered);
    hc_torn_free(&torn);
    return page ? page : found ? HC_EXIT_FOUND : HC_EXIT_FINE;
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

/* NAME NULL: none is asked for. False after a complaint. */
static bool find_function(const struct hc_power_options *o, const struct hc_image *image, const char *name,
                          struct hc_symbol *out)
{
    *out = (struct hc_symbol){ 0 };
    if (!name || (hc_image_symbol(image, name, out) && out->function))
        return true;
    hc_complain("%s: there is no function '%s'", o->file, name);
    return false;
}

/* What to look for; 0, or the exit code after a complaint. */
static int configure(struct hc_power_options *o, struct hc_image *image, struct hc_power_interactions *interactions,
                     struct hc_locate_config *config, uint64_t *cycles)
{
    struct hc_symbol checkpoint;

    *cycles = o->capacitor.v_trigger ? depth_in_cycles(o) : 0;
    if (o->capacitor.v_trigger && !*cycles) {
        hc_complain("the capacitor is empty before the checkpoint is saved");
        return HC_EXIT_USAGE;
    }
    if (!find_function(o, image, o->restore, &checkpoint) || !find_function(o, image, o->checkpoint, &checkpoint))
        return HC_EXIT_USAGE;
    for (size_t i = 0; i < o->places; i++)
        if (!find_place(image, o->place[i], &o->before[i])) {
            hc_complain("--checkpoint-at: '%s' is neither a symbol of %s, an address, nor FILE:LINE with code",
                        o->place[i], o->file);
            return HC_EXIT_USAGE;
        }
    int code = hc_power_interactions_find(interactions, o, image);
    if (code)
        return code;
    if (!o->depths)
        o->depth[o->depths++] = *cycles ? *cycles : DEFAULT_DEPTH;
    *config = (struct hc_locate_config){
        .nvm = o->nvm, .unsaved = o->unsaved, .limit = o->limit, .checkpoint = checkpoint.address
    };
    config->range = o->range;
    config->ranges = o->ranges;
    config->input = o->input;
    config->inputs = o->inputs;
    config->output = o->output;
    config->outputs = o->outputs;
    config->environment = interactions->environment;
    config->before = o->before;
    config->before_count = o->places;
    config->depth = hc_power_checkpoints_known(o) ? 0 : o->depth[o->depths - 1];
    hc_power_program_find(&config->program, image);
    return HC_EXIT_FINE;
}

static int analyse(struct hc_power_options *o, struct hc_image *image)
{
    struct hc_locate_config config;
    struct hc_located located;
    struct hc_power_interactions interactions = { 0 };
    uint64_t cycles;
    int code = configure(o, image, &interactions, &config, &cycles);
    struct hc_launchpad *board = code ? NULL : load(image);

    if (!board) {
        hc_power_interactions_free(&interactions);
        return code ? code : HC_EXIT_INPUT;
    }
    uint32_t *placed = NULL;
    if (o->placement)
        config.before = placed = hc_place_checkpoints(board->machine, image, o->placement, &config.before_count);
    config.machine = board->machine;
    hc_power_locate(&config, &located);
    code = check_end(o, &located, board->machine);
    if (!code && cycles)
        o->depth[0] = hc_depth_instructions(cycles, located.cycles, located.instructions);
    if (!code)
        code = report(o, image, &config, &located);
    hc_located_free(&located);
    hc_launchpad_free(board);
    hc_power_interactions_free(&interactions);
    free(placed);
    return code;
}

static int run(int argc, char **argv)
{
    struct hc_power_options o;
    struct hc_image_message message;
    struct hc_image *image;

    hc_power_options_parse(&o, argc, argv);
    if (hc_image_load_file(&image, o.file, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = o.harvest && !o.html ? run_intermittently(&o, image) : analyse(&o, image);
    hc_image_free(image);
    return code;
}

const struct hc_command hc_power_command = { "power", "Find what power failures would break in a program", run };
