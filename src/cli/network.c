#include "network.h"

#include "causality/apart.h"
#include "causality/collect.h"
#include "command.h"
#include "damage.h"
#include "numbers.h"
#include "open_timeline.h"
#include "progress.h"
#include "replay/region/region_feed.h"
#include "support/plural.h"
#include "trace/log.h"
#include "trace/traffic.h"

#include <stdlib.h>
#include <string.h>

#define DRIFT_ODD 5e-3 /* no crystal drifts that much, and a DCO hardly */

static int out_of_memory(void)
{
    hc_complain("out of memory");
    return HC_EXIT_INPUT;
}

/* ---- options ---- */

enum { TAIL = 256, POWERED };

static const struct argp_option argp_options[] = {
    { "tail", TAIL, "N", 0,
      "Of a network: assume that fewer than N messages of one node to another lack behind the end of a log (default: "
      "any "
      "number may)",
      0 },
    { "powered", POWERED, NULL, 0,
      "Of a network: assume that nodes lost power only where their logs say so (default: also at boots that a log does "
      "not have)",
      0 },
    { 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct hc_network_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        *o = (struct hc_network_options){ .pairing = hc_pairing_default };
        return 0;
    case TAIL:
        o->pairing.tail = (uint32_t)hc_number_argument(state, "--tail", argument, 1, HC_NO_TAIL);
        o->given = true;
        return 0;
    case POWERED:
        o->powered = o->given = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp hc_network_argp = { argp_options, parse, NULL, NULL, NULL, NULL, NULL };

int hc_network_refuse(const struct hc_network_options *options)
{
    if (!options->given)
        return HC_EXIT_FINE;
    hc_complain("--tail and --powered are about the messages of a network: give a directory that `hindcast run` left");
    return HC_EXIT_USAGE;
}

/* ---- recordings ---- */

int hc_network_open(struct hc_network *network, const char *const *paths, size_t count)
{
    *network = (struct hc_network){ 0 };
    if (count == 1)
        network->run = paths[0];
    return hc_recordings_of_paths(&network->recordings, paths, count);
}

/* ---- collecting ---- */

/* The first place of a log of messages where it is damaged, and how many there are. */
struct places {
    struct hc_traffic_event first;
    size_t count;
};

static void note_place(void *owner, const struct hc_traffic_event *e)
{
    struct places *p = owner;

    if (e->kind != HC_TRAFFIC_EVENT_GAP || !e->damage)
        return;
    if (!p->count++)
        p->first = *e;
}

/* Pieces of a page that are missing; missing pages are told elsewhere. */
static void tell_torn_region(const struct hc_log *log)
{
    const struct hc_log_page *page;
    size_t count = hc_log_pages(log, &page);

    for (size_t i = 0; i + 1 < count; i++)
        if (page[i].stream == HC_STREAM_REGION && page[i + 1].stream == HC_STREAM_REGION &&
            page[i].boot == page[i + 1].boot && page[i + 1].sequence == ((page[i].sequence + 1) & 0xffffff) &&
            !hc_region_pages_join(&page[i], &page[i + 1])) {
            hc_complain("%s: page %u of boot %u is damaged: messages are missing behind it", hc_log_name(log),
                        page[i].sequence, page[i].boot);
            return;
        }
}

static void opened(void *recording, const struct hc_log *log)
{
    struct places places = { .count = 0 };

    (void)recording;
    hc_tell_damage(log, -1, NULL);
    tell_torn_region(log);
    if (!hc_traffic_is(log))
        return;
    hc_traffic_read(log, note_place, &places);
    if (places.count)
        hc_complain("%s: segment %u: %s: messages are missing there%s", hc_log_name(log), places.first.segment,
                    places.first.why, places.count > 1 ? ", and at other places" : "");
}

/* Sets the variables that were set when the node was installed. */
static void prepare(void *recording, struct hc_replay *replay)
{
    struct hc_timeline_options options = { 0 };

    hc_recording_options(&options, recording);
    for (int i = 0; i < options.settings; i++)
        hc_replay_set(replay, options.set[i].name, options.set[i].value);
}

/* Some problems begin with the log's name themselves. */
static void complain_of(const char *log, const char *problem)
{
    if (!strncmp(problem, log, strlen(log)))
        hc_complain("%s", problem);
    else
        hc_complain("%s: %s", log, problem);
}

static int collect_one(struct hc_network *network, size_t index, bool powered)
{
    struct hc_recording *r = &network->recordings.recordings[index];
    struct hc_image_message no_image;
    struct hc_replay_message problem;
    struct hc_image *image;
    size_t before = network->history.node_count;

    if (hc_image_load_file(&image, r->image, &no_image)) {
        hc_complain("%s", no_image.text);
        return HC_COLLECT_BAD;
    }
    const struct hc_collect_options options = {
        .id = r->id,
        .unnumbered = network->unnumbered,
        .powered = powered,
        .opened = opened,
        .prepare = prepare,
        .owner = r,
    };
    int result = hc_collect(&network->history, image, r->log, &options, &problem);
    hc_image_free(image);
    if (network->history.node_count > before)
        network->history.nodes[before].log = (int)index;
    if (result)
        complain_of(r->log, result == HC_COLLECT_FULL ? "out of memory" : problem.text);
    return result;
}

static int collect(struct hc_network *network, bool powered)
{
    struct hc_progress progress;
    size_t all = network->recordings.count;

    hc_progress_begin(&progress);
    for (size_t i = 0; i < all; i++) {
        hc_progress_tell(&progress, (double)i / (double)all, "recording %zu of %zu", i + 1, all);
        int result = collect_one(network, i, powered);
        network->missing += result != HC_COLLECT_OK && result != HC_COLLECT_DIVERGED;
        network->diverged |= result == HC_COLLECT_DIVERGED;
    }
    hc_progress_clear(&progress);
    if (network->history.node_count)
        return HC_EXIT_FINE;
    hc_complain("no log could be used");
    return HC_EXIT_INPUT;
}

/* It is not known which of two nodes with the same address sent a message: both are left out. */
static int leave_out_twins(struct hc_network *network)
{
    struct hc_addresses addresses;

    for (;;) {
        if (hc_addresses_make(&addresses, &network->history))
            return out_of_memory();
        uint32_t twice = hc_addresses_twice(&addresses);
        hc_addresses_free(&addresses);
        if (twice == HC_UNKNOWN_NODE)
            break;
        size_t left_out = hc_network_history_remove(&network->history, (uint16_t)twice);
        network->missing += left_out;
        hc_complain(
            "%zu nodes have the address %u: which of them sent a message cannot be told, so all of them are left "
            "out; give the log of the one that you mean",
            left_out, twice);
    }
    if (network->history.node_count)
        return HC_EXIT_FINE;
    hc_complain("no log is left");
    return HC_EXIT_INPUT;
}

/* ---- logs that are not of one network ---- */

/* Of what one node received from another. */
struct heard {
    uint32_t all, strange;
};

/* A receive that fits no message of its sender was recorded in another run, or in a boot whose log is missing. */
static void name_pairs(const struct hc_network *network, const struct heard *heard)
{
    enum { SHOWN = 8 };
    size_t n = network->history.node_count, more = 0, told = 0;

    for (size_t i = 0; i < n * n; i++) {
        if (!heard[i].strange)
            continue;
        if (told++ < SHOWN)
            hc_complain(
                "nodes %u and %u: %u of %u message%s that %u received fit nothing that %u sent; are these logs of one "
                "run, and of all its boots?",
                network->history.nodes[i % n].address, network->history.nodes[i / n].address, heard[i].strange,
                heard[i].all, hc_plural(heard[i].all), network->history.nodes[i / n].address,
                network->history.nodes[i % n].address);
        else
            more++;
    }
    if (more)
        hc_complain("and %zu more pairs of nodes", more);
}

static void name_strangers(const struct hc_network *network)
{
    const struct hc_pairing *pairing = &network->pairing;
    size_t n = network->history.node_count;

    if (network->axis.drift > DRIFT_ODD)
        hc_complain(
            "messages contradict the nodes' clocks, unless some go wrong by %.1f %%; are these logs of one run?",
            network->axis.drift * 100);
    if (!pairing->counts[HC_CONTRADICTED])
        return;
    struct heard *heard = calloc(n * n + 1, sizeof *heard);
    for (size_t i = 0; heard && i < network->history.event_count; i++) {
        const struct hc_pairing_receive *r = &pairing->receives[i];
        if (network->history.events[i].kind != HC_TRAFFIC_RECEIVE || r->channel == UINT32_MAX)
            continue;
        struct heard *h = &heard[pairing->node_of[i] * n + pairing->channels.channels[r->channel].sender];
        h->all++;
        h->strange += r->fate == HC_CONTRADICTED;
    }
    if (heard)
        name_pairs(network, heard);
    free(heard);
}

static void name_silent(const struct hc_network *network)
{
    if (network->recordings.silent)
        hc_complain("%zu node%s left no log", network->recordings.silent, hc_plural(network->recordings.silent));
}

static int choose_numbering(const struct hc_network *network, struct hc_pairing_options *options)
{
    if (network->history.numbers == HC_NUMBERS_STACK)
        options->numbering = hc_numbering_stack;
    if (network->history.numbers != (HC_NUMBERS_STACK | HC_NUMBERS_ADDED))
        return HC_EXIT_FINE;
    hc_complain("some nodes number messages by their radio stack (hc_message_sent), others by a byte of their own "
                "(hc_message_send): these cannot be paired; order them apart");
    return HC_EXIT_INPUT;
}

static void name_reborn(const struct hc_network *network)
{
    size_t nodes = 0;

    for (size_t i = 0; i < network->history.node_count; i++)
        nodes += network->history.nodes[i].reborn;
    if (nodes && network->pairing.counts[HC_UNDECIDED])
        hc_complain(
            "%zu node%s may have lost power at boots that the log does not have, and then numbered messages anew: "
            "what could be of several boots is undecided; if no power was lost, --powered",
            nodes, hc_plural(nodes));
}

static void leave_out(struct hc_network *network, const struct hc_apart *found, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hc_complain("the log of node %u does not belong together with the others: %u of %u message%s that node %u "
                    "received fit nothing that node %u sent; it is left out; are these logs of one run, and of all its "
                    "boots?",
                    found[i].node, found[i].strange, found[i].all, hc_plural(found[i].all), found[i].receiver,
                    found[i].sender);
    for (size_t i = 0; i < count; i++)
        network->missing += hc_network_history_remove(&network->history, found[i].node);
}

/* Of logs that are not of one network, what fits does so by chance. */
static int leave_out_strangers(struct hc_network *network, const struct hc_pairing_options *options)
{
    bool mixed = false;

    while (network->pairing.counts[HC_CONTRADICTED]) {
        struct hc_apart *found;
        size_t count;
        int result = hc_apart_find(&found, &count, &network->history, &network->pairing, options, mixed);
        mixed = true;
        leave_out(network, found, count);
        free(found);
        if (result || !count)
            return result;
        hc_pairing_free(&network->pairing);
        if (hc_pairing_make(&network->pairing, &network->history, options))
            return HC_NETWORK_FULL;
    }
    return 0;
}

int hc_network_order(struct hc_network *network, const struct hc_network_options *given)
{
    struct hc_pairing_options chosen = given->pairing, *options = &chosen;
    int code = collect(network, given->powered);

    if (!code)
        code = leave_out_twins(network);
    if (!code)
        code = choose_numbering(network, options);
    if (code)
        return code;
    if (hc_pairing_make(&network->pairing, &network->history, options) || leave_out_strangers(network, options) ||
        hc_fates_make(&network->fates, &network->history, &network->pairing, options) ||
        hc_axis_make(&network->axis, &network->history, &network->pairing))
        return out_of_memory();
    name_strangers(network);
    name_silent(network);
    name_reborn(network);
    return HC_EXIT_FINE;
}

size_t hc_network_unreplayed(const struct hc_network *network)
{
    size_t count = 0;

    for (size_t i = 0; i < network->history.node_count; i++)
        count += !network->history.nodes[i].stretch_count;
    return count;
}

size_t hc_network_regions(const struct hc_network *network)
{
    size_t count = 0;

    for (size_t i = 0; i < network->history.node_count; i++)
        count += network->history.nodes[i].region;
    return count;
}

void hc_network_close(struct hc_network *network)
{
    hc_axis_free(&network->axis);
    hc_fates_free(&network->fates);
    hc_pairing_free(&network->pairing);
    hc_network_history_free(&network->history);
    hc_recordings_free(&network->recordings);
}
