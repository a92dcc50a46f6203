/* hindcast power: where an intermittent run of a program could differ from a continuous one. */
#include "command.h"
#include "files.h"
#include "image/place.h"
#include "power/analyse.h"
#include "power/board.h"
#include "power/harvest.h"
#include "power/report/report_json.h"
#include "power/report/sarif.h"
#include "power_debug.h"
#include "power_interactions.h"
#include "power_names.h"
#include "power_options.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_DEPTH = 5000 };

static struct hc_power_board *board_of(struct hc_image *image, const struct hc_part *part)
{
    char message[HC_POWER_MESSAGE];
    struct hc_power_board *board = hc_power_board_new(image, part, message, sizeof message);

    if (!board)
        hc_complain("%s", message);
    return board;
}

/* ---- an intermittent run ---- */

static void print_event(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts,
                        uint64_t instructions)
{
    (void)owner;
    printf("%14.6f s  %-8s %.3f V", (double)ns / 1e9, hc_supply_event_names[event], (double)microvolts / 1e6);
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

static int live_and_die(const struct hc_power_options *o, const struct hc_power_request *request)
{
    char message[HC_POWER_MESSAGE];
    struct hc_power_harvested harvested = { 0 };

    if (!hc_power_harvest(request, o->json ? NULL : print_event, &harvested, message, sizeof message)) {
        hc_complain("%s", message);
        return HC_EXIT_INPUT;
    }
    if (o->json)
        hc_power_harvested_json(&harvested, request->image, stdout);
    else
        hc_power_harvested_text(&harvested, request->image, stdout);
    if (*harvested.fault)
        hc_complain("%s: fault: %s", hc_image_name(request->image), harvested.fault);
    int code = hc_power_harvested_found(&harvested) ? HC_EXIT_FOUND : HC_EXIT_FINE;
    hc_power_harvested_free(&harvested);
    return code;
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

/* ---- what is printed ---- */

/* NULL after a complaint. */
static json_t *read_baseline(const char *path)
{
    json_error_t error;
    json_t *log = json_load_file(path, 0, &error);

    if (!log)
        hc_complain("%s: line %d: %s; give a file that --sarif wrote", path, error.line, error.text);
    else if (!hc_power_sarif_is_baseline(log))
        hc_complain("%s: contains no results of hindcast power; give a file that --sarif wrote", path);
    else
        return log;
    json_decref(log);
    return NULL;
}

/* *NEW: findings that are not in the baseline. 0, or the exit code after a complaint. */
static int write_sarif(const struct hc_power_options *o, const struct hc_power_report *r, size_t *new_findings)
{
    json_t *baseline = o->baseline ? read_baseline(o->baseline) : NULL;

    if (o->baseline && !baseline)
        return HC_EXIT_INPUT;
    json_t *report = hc_power_report_value(r), *log = hc_power_sarif(report, baseline, new_findings);
    if (o->findings)
        json_dumpf(log, hc_output_file(o->findings), JSON_INDENT(2));
    if (o->baseline)
        hc_complain("new since %s: %zu", o->baseline, *new_findings);
    json_decref(log);
    json_decref(report);
    json_decref(baseline);
    return HC_EXIT_FINE;
}

/* On stderr: it is no part of the findings. */
static void print_brute_force(const struct hc_brute_forced *b)
{
    hc_complain("brute force: %llu checkpoints, %llu failures, %llu different results; %llu instructions",
                (unsigned long long)b->checkpoints, (unsigned long long)b->failures, (unsigned long long)b->different,
                (unsigned long long)b->instructions);
}

static int print(const struct hc_power_options *o, const struct hc_power_analysis *a)
{
    size_t new_findings = 0;

    if (o->json)
        hc_power_report_json(&a->report, stdout);
    else
        hc_power_report_text(&a->report, stdout);
    int code = HC_EXIT_FINE;
    if (o->page)
        hc_power_report_html(&a->report, &a->history, hc_output_file(o->page));
    if (o->sarif || o->baseline)
        code = write_sarif(o, &a->report, &new_findings);
    if (o->brute_force)
        print_brute_force(&a->forced);
    if (code || (o->baseline ? new_findings != 0 : hc_power_found(&a->report)))
        return code ? code : HC_EXIT_FOUND;
    return a->report.incomplete ? HC_EXIT_INPUT : HC_EXIT_FINE;
}

static int debug(const struct hc_power_options *o, const struct hc_power_analysis *a)
{
    struct hc_locate_config config = a->config;
    struct hc_power_board *board = board_of(a->report.image, o->part);

    if (!board)
        return HC_EXIT_INPUT;
    hc_power_board_use(board, &config);
    int code = hc_power_debug(&a->report, &config, o->debug, o->dap);
    hc_power_board_free(board);
    return code;
}

/* ---- what is asked for ---- */

/* NULL: anywhere. */
static const char *checkpoints_name(const struct hc_power_options *o)
{
    if (o->placement)
        return o->placement == HC_PLACE_LOOP_LATCH ? "loop-latch" : "function-return";
    return o->checkpoint ? o->checkpoint : o->places ? "places given" : NULL;
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

/* A place, or a time; TEXT NULL: none is given. False after a complaint. */
static bool find_moment(const struct hc_power_options *o, struct hc_image *image, const char *text, uint32_t *address,
                        uint64_t *ns)
{
    if (!text || hc_power_parse_time(text, ns) || hc_place_find(image, text, address))
        return true;
    hc_complain("'%s' is neither a symbol of %s, an address, FILE:LINE with code, nor a time like 20ms", text, o->file);
    return false;
}

/* False after a complaint. */
static bool find_window(const struct hc_power_options *o, struct hc_image *image, struct hc_power_program *program)
{
    if (!find_moment(o, image, o->from, &program->main, &program->from_ns) ||
        !find_moment(o, image, o->until, &program->until, &program->until_ns))
        return false;
    if (o->from && hc_power_parse_time(o->from, &program->from_ns) && !program->from_ns)
        program->main = program->start; /* power-on */
    if (o->until && hc_power_parse_time(o->until, &program->until_ns) && program->until_ns <= program->from_ns) {
        hc_complain("'%s': the run must end later than it begins", o->until);
        return false;
    }
    return true;
}

/* False after a complaint. */
static bool find_places(struct hc_power_options *o, struct hc_image *image)
{
    for (size_t i = 0; i < o->places; i++)
        if (!hc_place_find(image, o->place[i], &o->before[i])) {
            hc_complain("--checkpoint-at: '%s' is neither a symbol of %s, an address, nor FILE:LINE with code",
                        o->place[i], o->file);
            return false;
        }
    return true;
}

static void configure(const struct hc_power_options *o, const struct hc_power_interactions *interactions,
                      struct hc_image *image, struct hc_locate_config *config)
{
    *config = (struct hc_locate_config){ .depth_in_cycles = config->depth_in_cycles,
                                         .nvm = o->nvm,
                                         .unsaved = o->unsaved,
                                         .limit = o->limit,
                                         .named = { o->range, o->ranges },
                                         .versioned = { o->versioned.range, o->versioned.count },
                                         .excluded = { o->excluded.range, o->excluded.count },
                                         .input = o->input,
                                         .inputs = o->inputs,
                                         .output = o->output,
                                         .outputs = o->outputs,
                                         .environment = interactions->environment,
                                         .before = o->before,
                                         .before_count = o->places };
    hc_power_program_find(&config->program, image);
}

/* There is no analysis, only the run. */
static bool is_only_fed(const struct hc_power_options *o)
{
    return o->harvest && !o->html;
}

/* False after a complaint. */
static bool set_depths(const struct hc_power_options *o, struct hc_power_request *request)
{
    memcpy(request->depth, o->depth, sizeof request->depth);
    request->depths = o->depths;
    request->config.depth_in_cycles = o->depth_in_cycles || (!o->depths && o->capacitor.v_trigger);
    if (!o->depths)
        request->depth[request->depths++] = o->capacitor.v_trigger ? hc_power_depth_cycles(request) : DEFAULT_DEPTH;
    if (is_only_fed(o) || request->depth[0])
        return true;
    hc_complain("the capacitor is empty before the checkpoint is saved");
    return false;
}

static void copy_options(const struct hc_power_options *o, struct hc_power_request *request)
{
    request->placement = o->placement;
    request->checkpoint = checkpoints_name(o);
    request->capacitor = o->capacitor;
    request->nanoamperes = o->nanoamperes;
    request->save_ns = o->save_ns;
    request->hz = o->hz;
    request->part = o->part;
    request->cuts = o->cuts;
    request->cuts_decide = !request->checkpoint && !o->depths && !o->capacitor.nanofarads;
    request->evaluate = o->evaluate;
    request->effort = o->effort;
    request->torn = o->torn;
    request->suggest = o->suggest && !o->debug;
    request->show_silent = o->silent;
    request->brute_force = o->brute_force;
    request->names = hc_power_names;
    request->history = o->html != NULL;
    request->harvest_ns = o->harvest_ns;
}

/* 0, or the exit code after a complaint. */
static int ask(struct hc_power_options *o, struct hc_image *image, struct hc_power_interactions *interactions,
               struct hc_power_request *request)
{
    struct hc_symbol checkpoint, restore;

    *request = (struct hc_power_request){ .image = image };
    copy_options(o, request);
    if (!set_depths(o, request) || !find_function(o, image, o->restore, &restore) ||
        !find_function(o, image, o->checkpoint, &checkpoint) || !find_places(o, image))
        return HC_EXIT_USAGE;
    int code = hc_power_interactions_find(interactions, o, image);
    configure(o, interactions, image, &request->config);
    request->config.checkpoint = checkpoint.address;
    request->restore = restore.address;
    return code || find_window(o, image, &request->config.program) ? code : HC_EXIT_USAGE;
}

/* ---- the command ---- */

static void show_progress(void *progress, double part, const char *stage)
{
    hc_progress_tell(progress, part, "%s", stage);
}

static int analyse(const struct hc_power_options *o, const struct hc_power_request *request)
{
    char message[HC_POWER_MESSAGE];
    struct hc_power_analysis analysis;
    struct hc_power_request told = *request;
    struct hc_progress progress;
    int code = HC_EXIT_INPUT;

    hc_progress_begin(&progress);
    told.config.progress = show_progress;
    told.config.progress_owner = &progress;
    bool well = hc_power_analyse(&told, &analysis, message, sizeof message);
    hc_progress_clear(&progress);
    if (!well)
        hc_complain("%s", message);
    else
        code = o->debug ? debug(o, &analysis) : print(o, &analysis);
    if (*analysis.warning)
        hc_complain("%s", analysis.warning);
    hc_power_analysis_free(&analysis);
    return code;
}

static int answer(struct hc_power_options *o, struct hc_image *image)
{
    struct hc_power_interactions interactions = { 0 };
    struct hc_power_request request;
    struct hc_harvest harvest = { 0 };
    int code = ask(o, image, &interactions, &request);

    if (!code && o->harvest)
        code = read_harvest(o, &harvest);
    if (o->harvest)
        request.harvest = &harvest;
    if (!code)
        code = is_only_fed(o) ? live_and_die(o, &request) : analyse(o, &request);
    if (o->harvest)
        hc_harvest_free(&harvest);
    hc_power_interactions_free(&interactions);
    return code;
}

/* Outputs: none is an input, and they can be written. --sarif may replace the --baseline, which is read before. */
static int open_outputs(struct hc_power_options *o)
{
    const struct hc_named_file files[] = {
        { "IMAGE", o->file, HC_FILE_READ },
        { "--harvest", o->harvest, HC_FILE_READ },
        { "--environment", o->environment, HC_FILE_READ },
        { "--html", o->html, HC_FILE_WRITTEN },
        { "--sarif", o->sarif, HC_FILE_WRITTEN },
    };
    const struct hc_named_file compared[] = { { "--baseline", o->baseline, HC_FILE_READ },
                                              { "--html", o->html, HC_FILE_WRITTEN } };
    int code = hc_files_check(files, sizeof files / sizeof *files);

    if (!code)
        code = hc_files_check(compared, sizeof compared / sizeof *compared);
    if (!code && o->html)
        code = hc_files_open(&o->page, o->html);
    if (!code && o->sarif)
        code = hc_files_open(&o->findings, o->sarif);
    return code;
}

/* Findings are no reason to drop what says so. */
static int close_outputs(struct hc_power_options *o, int code)
{
    bool well = code == HC_EXIT_FINE || code == HC_EXIT_FOUND;
    int page = hc_files_close(o->page, o->html, well), findings = hc_files_close(o->findings, o->sarif, well);

    return page ? page : findings ? findings : code;
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
    int code = open_outputs(&o);
    if (!code)
        code = answer(&o, image);
    code = close_outputs(&o, code);
    hc_image_free(image);
    return code;
}

const struct hc_command hc_power_command = { "power", "Find what power failures would break in a program", run };
