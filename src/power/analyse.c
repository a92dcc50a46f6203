#include "analyse.h"

#include "board.h"
#include "power/trial/failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { V_MAX_UV = 3600000 };

/* Each part of the analysis runs on a machine of its own. */
struct workplace {
    const struct hc_power_request *request;
    struct hc_power_analysis *out;
    struct hc_power_board *board;
    struct hc_locate_config config;
};

static void set_up(struct workplace *w, const struct hc_power_request *request, struct hc_power_analysis *out)
{
    *w = (struct workplace){ request, out, hc_power_board_new(request->image, request->part, NULL, 0), out->config };
    hc_power_board_use(w->board, &w->config);
}

static void put_away(struct workplace *w)
{
    hc_power_board_free(w->board);
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    if (!memory)
        abort();
    return memory;
}

static void warn(struct hc_power_analysis *a, const char *text)
{
    size_t used = strlen(a->warning);

    snprintf(a->warning + used, sizeof a->warning - used, "%s%s", used ? "; " : "", text);
}

/* ---- the supply ---- */

static uint64_t current(const struct hc_power_request *r)
{
    return r->nanoamperes ? r->nanoamperes : hc_consumption_active(&hc_fr5969_consumption, (uint32_t)r->hz);
}

uint64_t hc_power_depth_cycles(const struct hc_power_request *r)
{
    return hc_depth_cycles(&r->capacitor, current(r), r->save_ns, r->hz);
}

struct hc_intermittent_config hc_power_feed(const struct hc_power_request *r, struct hc_machine *machine,
                                            struct hc_supply *supply)
{
    struct hc_capacitor capacitor = r->capacitor;

    capacitor.v_max = capacitor.v_on > V_MAX_UV ? capacitor.v_on : V_MAX_UV;
    if (!capacitor.v_trigger)
        capacitor.v_trigger = capacitor.v_off;
    hc_supply_init(supply, &capacitor, r->harvest, r->harvest ? 0 : capacitor.v_on);
    return (struct hc_intermittent_config){ .machine = machine,
                                            .supply = supply,
                                            .consumption = &hc_fr5969_consumption,
                                            .until_ns = r->harvest_ns,
                                            .seed = HC_POISON_SEED,
                                            .main = r->config.program.main,
                                            .until = r->config.program.until };
}

/* ---- parts of the analysis ---- */

static void evaluate(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    const struct hc_steering *steering;
    size_t steerings = hc_power_inputs_steerings(a->located.inputs, &steering);
    struct workplace w;

    a->verdict = zeroed(a->located.pairs.count, sizeof *a->verdict);
    set_up(&w, request, a);
    if (!hc_power_evaluate(&w.config, &a->located, request->effort, a->verdict))
        warn(a, "not evaluated: main does not return, or the run is not repeatable");
    put_away(&w);
    if (steerings) {
        a->steered = zeroed(steerings, sizeof *a->steered);
        set_up(&w, request, a);
        hc_power_evaluate_steerings(&w.config, &a->located, a->steered);
        put_away(&w);
    }
    a->report.verdict = a->verdict;
    a->report.steered = a->steered;
}

static void name(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct workplace w;

    set_up(&w, request, a);
    a->report.names = a->names = request->names(request->image, &w.config, &a->located);
    put_away(&w);
}

static void tear(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct workplace w;

    set_up(&w, request, a);
    if (hc_power_tear(&w.config, &a->located, request->restore, &a->torn))
        a->report.torn = &a->torn;
    else
        warn(a, "not torn: main does not return, or the run is not repeatable");
    put_away(&w);
}

static void cut(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct workplace w;

    set_up(&w, request, a);
    if (hc_power_cut(&w.config, &a->located, request->restore, &request->cuts, &a->cuts))
        a->report.cuts = &a->cuts, a->report.cuts_decide = request->cuts_decide;
    else
        warn(a, "not cut: the program does not end, or the run is not repeatable");
    put_away(&w);
}

/* What comes before a window is executed again: the program's own way there, if it has one. */
static uint64_t restart_cycles(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    uint64_t measured = 0;
    struct workplace w;

    if (request->restore && a->located.longest.restart) {
        set_up(&w, request, a);
        measured = hc_power_resume_cycles(&w.config);
        put_away(&w);
    }
    return measured ? measured : a->located.longest.restart;
}

static void judge_capacitor(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct hc_power_report *r = &a->report;

    r->nanofarads = request->capacitor.nanofarads;
    r->restart_cycles = restart_cycles(request, a);
    r->needed_nanofarads = hc_smallest_capacitor(&request->capacitor, current(request),
                                                 a->located.longest.cycles + r->restart_cycles, request->hz);
}

static struct hc_machine *fresh(void *owner)
{
    struct workplace *w = owner;

    set_up(w, w->request, w->out);
    return w->config.machine;
}

static void used_up(void *owner, struct hc_machine *machine)
{
    (void)machine;
    put_away(owner);
}

static void suggest(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct workplace w = { .request = request, .out = a };

    if (hc_power_suggest(&a->config, fresh, used_up, &w, &a->suggestion))
        a->report.suggestion = &a->suggestion;
}

static void force(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct workplace w;

    set_up(&w, request, a);
    hc_brute_force(&w.config, &a->located, 0, 1, UINT64_MAX, &a->forced);
    put_away(&w);
}

static void remember(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    struct hc_supply supply;
    struct workplace w;

    set_up(&w, request, a);
    hc_history_run(&a->history, &w.config, a->located.instructions);
    put_away(&w);
    if (request->capacitor.nanofarads) {
        set_up(&w, request, a);
        struct hc_intermittent_config fed = hc_power_feed(request, w.config.machine, &supply);
        hc_history_supply(&a->history, &w.config, &fed);
        put_away(&w);
    }
}

/* ---- all of it ---- */

static void explain_no_main(const struct hc_power_request *request, struct hc_machine *m, char *message, size_t size)
{
    const char *file = hc_image_name(request->image);
    const struct hc_symbol *functions;

    if (*hc_fault_text(m))
        snprintf(message, size,
                 "%s: main, or where the window begins, was not reached: fault: %s; is it built for another part than "
                 "an %s? --part names one",
                 file, hc_fault_text(m), hc_machine_part(m)->name);
    else if (request->config.program.main || request->config.program.from_ns)
        snprintf(message, size, "%s: main, or where the window begins, was not reached: is it built for another part?",
                 file);
    else if (!hc_image_functions(request->image, &functions))
        snprintf(message, size,
                 "%s: no symbols, so main is unknown; give an ELF file with symbols, or --window A B with addresses or "
                 "times",
                 file);
    else
        snprintf(message, size, "%s: no symbol 'main'; give --window A B", file);
}

static bool check_end(const struct hc_power_request *request, const struct hc_located *l, struct hc_machine *m,
                      char *message, size_t size)
{
    const char *file = hc_image_name(request->image);

    switch (l->end) {
    case HC_LOCATE_DONE:
    case HC_LOCATE_LIMIT:
        return true;
    case HC_LOCATE_FAULT:
        snprintf(message, size, "%s: fault: %s", file, hc_fault_text(m));
        break;
    case HC_LOCATE_NO_MAIN:
        explain_no_main(request, m, message, size);
        break;
    case HC_LOCATE_NO_NVM:
        snprintf(message, size,
                 "%s: the program writes nothing to non-volatile memory: power failures cannot deceive it, unless "
                 "--input, --output or --saves says what else there is",
                 file);
        break;
    }
    return false;
}

/* Without a description the report names registers by their addresses. */
static void learn_registers(struct hc_power_analysis *a, const char *part)
{
    struct hc_regs_message ignored;

    hc_regs_load_part(&a->registers, part, &ignored);
    a->report.registers = a->registers;
}

/* The byte that the image has at ADDRESS; false if it has none. */
static bool loaded_byte(const struct hc_image *image, uint32_t address, uint8_t *out)
{
    const struct hc_image_segment *segment;
    size_t n = hc_image_segments(image, &segment);

    for (size_t i = 0; i < n; i++)
        if (address - segment[i].address < segment[i].size) {
            *out = segment[i].bytes[address - segment[i].address];
            return true;
        }
    return false;
}

/* Instruction fetches are no accesses to data: where the run has changed a function, pairs do not tell all. */
static void warn_of_changed_code(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    const struct hc_symbol *function;
    size_t n = hc_image_functions(request->image, &function);
    char text[HC_POWER_MESSAGE / 2];
    uint8_t byte;

    for (size_t i = 0; i < n; i++)
        for (uint32_t at = function[i].address; at - function[i].address < function[i].size; at++)
            if (hc_region_kind(a->config.machine, at) == HC_FRAM && loaded_byte(request->image, at, &byte) &&
                hc_peek(a->config.machine, at) != byte) {
                snprintf(text, sizeof text,
                         "%s: the program changes its code, in %s at 0x%04x: what is executed again is not looked at; "
                         "--cut-everywhere tries it",
                         hc_image_name(request->image), function[i].name, (unsigned)at);
                warn(a, text);
                return;
            }
}

static bool locate(const struct hc_power_request *request, struct hc_power_analysis *a, char *message, size_t size)
{
    struct hc_power_board *board = hc_power_board_new(request->image, request->part, message, size);

    if (!board)
        return false;
    a->config = request->config;
    a->config.depth = request->checkpoint ? 0 : request->depth[request->depths - 1];
    hc_power_board_use(board, &a->config);
    if (request->placement)
        a->config.before = a->placed =
            hc_place_checkpoints(a->config.machine, request->image, request->placement, &a->config.before_count);
    learn_registers(a, hc_machine_part(a->config.machine)->name);
    hc_power_locate(&a->config, &a->located);
    bool good = check_end(request, &a->located, a->config.machine, message, size);
    warn_of_changed_code(request, a);
    a->config.machine = NULL;
    hc_power_board_free(board);
    return good;
}

static void prepare(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    *a = (struct hc_power_analysis){ 0 };
    a->report = (struct hc_power_report){ .image = request->image,
                                          .located = &a->located,
                                          .checkpoint = request->checkpoint,
                                          .depths = request->depth,
                                          .depth_count = request->depths,
                                          .depth_in_cycles = request->config.depth_in_cycles,
                                          .show_silent = request->show_silent,
                                          .input = request->config.inputs ? request->config.input : NULL,
                                          .output = request->config.outputs ? request->config.output : NULL };
}

static bool tries_failures(const struct hc_power_request *r)
{
    return r->evaluate || r->torn || r->cuts.every || r->cuts.random || r->suggest || r->brute_force;
}

/* It did not come to its end: what was found so far is told, nothing can be tried. */
static void give_up(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    char text[HC_POWER_MESSAGE / 2];

    a->report.incomplete = true;
    snprintf(
        text, sizeof text,
        "%s: still running after %llu instructions (--limit): these are the findings so far; --until says where to "
        "stop",
        hc_image_name(request->image), (unsigned long long)a->located.instructions);
    warn(a, text);
    if (tries_failures(request))
        warn(a, "no failure was tried: there is no end to compare with");
}

static void try_failures(const struct hc_power_request *request, struct hc_power_analysis *a)
{
    if (request->evaluate)
        evaluate(request, a);
    if (request->torn)
        tear(request, a);
    if (request->cuts.every || request->cuts.random)
        cut(request, a);
    if (request->suggest)
        suggest(request, a);
    if (request->brute_force)
        force(request, a);
}

bool hc_power_analyse(const struct hc_power_request *request, struct hc_power_analysis *a, char *message, size_t size)
{
    prepare(request, a);
    if (!locate(request, a, message, size))
        return false;
    if (a->located.end == HC_LOCATE_LIMIT)
        give_up(request, a);
    if (request->names)
        name(request, a);
    if (a->located.end == HC_LOCATE_DONE)
        try_failures(request, a);
    judge_capacitor(request, a);
    if (request->history)
        remember(request, a);
    return true;
}

void hc_power_analysis_free(struct hc_power_analysis *a)
{
    for (size_t i = 0; a->names && i < a->located.pairs.count; i++)
        free(a->names[i]);
    free((void *)a->names);
    hc_suggestion_free(&a->suggestion);
    hc_located_free(&a->located);
    hc_regs_free(a->registers);
    hc_torn_free(&a->torn);
    hc_cuts_free(&a->cuts);
    hc_history_free(&a->history);
    free(a->verdict);
    free(a->steered);
    free(a->placed);
}
