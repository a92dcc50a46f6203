#include "harvest.h"

#include "board.h"
#include "power/trial/own_memory.h"
#include "power/trial/trial.h"

#include <stdio.h>
#include <stdlib.h>

struct harvesting {
    const struct hc_power_request *request;
    hc_intermittent_fn *told;
    struct hc_power_harvested *out;
};

static void note(void *owner, enum hc_supply_event event, uint64_t ns, uint64_t microvolts, uint64_t instructions)
{
    struct harvesting *h = owner;
    struct hc_power_harvested *out = h->out;

    if (out->events == out->room) {
        out->room = out->room ? 2 * out->room : 64;
        out->event = realloc(out->event, out->room * sizeof *out->event);
        if (!out->event)
            abort();
    }
    out->event[out->events++] = (struct hc_harvested_event){ event, ns, microvolts, instructions };
    if (h->told)
        h->told(NULL, event, ns, microvolts, instructions);
}

static void live_and_die(struct harvesting *h, struct hc_machine *machine)
{
    struct hc_supply supply;
    struct hc_intermittent_config fed = hc_power_feed(h->request, machine, &supply);

    fed.event = note;
    fed.owner = h;
    hc_intermittent_run(&fed, &h->out->run);
    h->out->ns = supply.ns;
    if (h->out->run.faulted)
        snprintf(h->out->fault, sizeof h->out->fault, "%s", hc_fault_text(machine));
}

/* The continuous run on a machine of its own; false when there is no end to compare with. */
static bool locate(const struct hc_power_request *request, struct hc_located *located)
{
    struct hc_locate_config config = request->config;
    struct hc_power_board *board = hc_power_board_new(request->image, request->part, NULL, 0);

    config.depth = request->checkpoint ? 0 : 1;
    hc_power_board_use(board, &config);
    hc_power_locate(&config, located);
    hc_power_board_free(board);
    return located->end == HC_LOCATE_DONE || located->end == HC_LOCATE_NO_NVM;
}

/* The run, and the comparison if there is a continuous run to compare with. */
static void run(struct harvesting *h, struct hc_power_board *board, const struct hc_located *located)
{
    struct hc_locate_config config = h->request->config;

    hc_power_board_use(board, &config);
    struct hc_snapshot *loaded = hc_snapshot_take(config.machine);
    struct hc_trial *trial = located ? hc_trial_new(&config, located) : NULL;
    if (!loaded)
        abort();
    if (trial && (config.checkpoint || h->request->restore))
        hc_trial_learn_own_memory(trial, config.machine, config.checkpoint, h->request->restore);
    hc_snapshot_restore(config.machine, loaded);
    live_and_die(h, config.machine);
    if (trial && h->out->run.finished) {
        hc_trial_compare_end(trial, &h->out->evaluated);
        h->out->compared = true;
    }
    hc_trial_free(trial);
    hc_snapshot_free(loaded);
}

bool hc_power_harvest(const struct hc_power_request *request, hc_intermittent_fn *told, struct hc_power_harvested *out,
                      char *message, size_t size)
{
    struct harvesting h = { request, told, out };
    struct hc_located located;
    struct hc_power_board *board = hc_power_board_new(request->image, request->part, message, size);

    *out = (struct hc_power_harvested){ 0 };
    if (!board)
        return false;
    bool ends = locate(request, &located);
    run(&h, board, ends ? &located : NULL);
    hc_located_free(&located);
    hc_power_board_free(board);
    return true;
}

void hc_power_harvested_free(struct hc_power_harvested *h)
{
    free(h->event);
    *h = (struct hc_power_harvested){ 0 };
}

bool hc_power_harvested_found(const struct hc_power_harvested *h)
{
    return !h->run.finished || !h->compared || h->evaluated.effect != HC_EFFECT_NONE;
}
