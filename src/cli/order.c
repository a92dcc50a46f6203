/* hindcast order: which receive belongs to which send, over the logs of many nodes. */
#include "causality/collect.h"
#include "causality/fates.h"
#include "command.h"
#include "run_directory.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

struct options {
    char **paths;
    size_t count;
    bool json, messages;
    struct hc_pairing_options pairing;
};

/* What all of it works on. */
struct order {
    struct hc_network_history history;
    struct hc_pairing pairing;
    struct hc_fates fates;
    size_t missing; /* recordings that could not be used */
};

enum { JSON = 256, MESSAGES, TAIL };

static const struct argp_option argp_options[] = {
    { "messages", MESSAGES, NULL, 0, "List every message, in an order in which causes precede their effects", 0 },
    { "tail", TAIL, "N", 0,
      "Assume that fewer than N messages of one node to another lack behind the end of a log (default: any number may)",
      0 },
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { 0 },
};

static const char help[] =
    "Finds the send of each message that was received, from what nodes recorded.\v"
    "RUN is a directory that `hindcast run` left; or name the program and the logs of its nodes. The program's radio "
    "stack numbers "
    "its messages (runtime/messages.h).\n\n"
    "Examples:\n"
    "  hindcast run --nodes 9 app.elf --seconds 60 --out run\n"
    "  hindcast order run                               who sent what to whom, and what got lost\n"
    "  hindcast order app.elf node-1.flash node-2.flash      the same from real nodes\n\n"
    "Exit codes: 0 every receive has its send, or its sender's log lacks it; 1 some are undecided or contradict the "
    "logs; 2 wrong "
    "usage; 3 no log could be used; 4 a replay diverged.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;

    switch (key) {
    case TAIL:
        o->pairing.tail = (uint32_t)strtoul(argument, &end, 0);
        if (*end || end == argument || !o->pairing.tail || o->pairing.tail > HC_NO_TAIL)
            argp_error(state, "--tail: '%s' is not a number from 1 to %u", argument, HC_NO_TAIL);
        return 0;
    case MESSAGES:
        o->messages = true;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        o->paths = state->argv + state->next;
        o->count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a RUN, or an IMAGE and LOGs, are needed");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- collecting ---- */

static int collect_one(struct order *order, const struct hc_recording *r)
{
    struct hc_image_message no_image;
    struct hc_replay_message problem;
    struct hc_image *image;

    if (hc_image_load_file(&image, r->image, &no_image)) {
        hc_complain("%s", no_image.text);
        return HC_COLLECT_BAD;
    }
    int result = hc_collect(&order->history, image, r->log, &problem);
    hc_image_free(image);
    if (result)
        hc_complain("%s: %s", r->log, result == HC_COLLECT_FULL ? "out of memory" : problem.text);
    return result;
}

/* Logs that cannot be used are named, and the others are ordered. */
static int collect(struct order *order, const struct hc_recordings *recordings)
{
    int code = HC_EXIT_FINE;

    for (size_t i = 0; i < recordings->count; i++) {
        int result = collect_one(order, &recordings->recordings[i]);
        order->missing += result != HC_COLLECT_OK && result != HC_COLLECT_DIVERGED;
        if (result == HC_COLLECT_DIVERGED)
            code = HC_EXIT_DIVERGED;
    }
    if (!order->history.node_count) {
        hc_complain("no log could be used");
        return HC_EXIT_INPUT;
    }
    return code;
}

static bool addresses_are_distinct(const struct order *order)
{
    struct hc_addresses addresses;

    if (hc_addresses_make(&addresses, &order->history))
        return true; /* what comes next runs out of memory, too */
    uint32_t twice = hc_addresses_twice(&addresses);
    hc_addresses_free(&addresses);
    if (twice == HC_NO_NODE)
        return true;
    hc_complain("two nodes have the address %u: leave out the log of one of them", twice);
    return false;
}

static int make(struct order *order, const struct hc_pairing_options *options)
{
    if (!addresses_are_distinct(order))
        return HC_EXIT_INPUT;
    if (hc_pairing_make(&order->pairing, &order->history, options) ||
        hc_fates_make(&order->fates, &order->history, &order->pairing, options)) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    return HC_EXIT_FINE;
}

/* ---- text ---- */

static unsigned address_of(const struct order *o, uint32_t node)
{
    return o->history.nodes[node].address;
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

static void print_channel(const struct order *o, const struct hc_channel *c)
{
    size_t by_fate[HC_FATE_UNKNOWN + 1] = { 0 }, receives = 0;
    char to[16];

    for (size_t i = 0; i < c->send_count; i++) {
        by_fate[o->fates.fate[c->sends[i]]]++;
        receives += o->fates.receives[c->sends[i]];
    }
    snprintf(to, sizeof to, c->destination == HC_BROADCAST ? "all" : "%u", c->destination);
    printf("%6u -> %-6s %7zu sent %7zu received %7zu lost %7zu undecided %7zu unknown\n", address_of(o, c->sender), to,
           c->send_count, c->destination == HC_BROADCAST ? receives : by_fate[HC_FATE_RECEIVED], by_fate[HC_FATE_LOST],
           by_fate[HC_FATE_MAYBE], by_fate[HC_FATE_UNKNOWN]);
}

static void print_receives(const struct order *o)
{
    const size_t *counts = o->pairing.counts;
    size_t late = 0, again = 0, all = 0;

    for (int fate = 0; fate <= HC_CONTRADICTED; fate++)
        all += counts[fate];
    for (size_t i = 0; i < o->history.event_count; i++) {
        late += o->fates.late[i] == 1;
        again += o->fates.late[i] == 2;
    }
    printf("%zu node%s, %zu message%s sent, %zu receive%s: %zu paired, %zu undecided, %zu sent before the sender's log "
           "begins or "
           "after it ends, %zu from nodes without a log, %zu that fit nothing\n",
           o->history.node_count, plural(o->history.node_count), o->history.event_count - all,
           plural(o->history.event_count - all), all, plural(all), counts[HC_PAIRED], counts[HC_UNDECIDED],
           counts[HC_UNLOGGED], counts[HC_FOREIGN], counts[HC_CONTRADICTED]);
    printf("%zu overtaken by a later message, %zu received again\n", late, again);
}

static const char *const fate_names[] = { "received", "lost", "undecided", "unknown" };
static const char *const receive_names[] = { "", " (undecided)", " (its send is not in the log)",
                                             " (no log of its sender)", " (fits nothing that its sender sent)" };
static const char *const late_names[] = { "", ", overtaken", ", again" };

static void print_message(const struct order *o, uint32_t event)
{
    const struct hc_traffic *t = &o->history.events[event];
    unsigned node = address_of(o, o->pairing.node_of[event]);

    printf("%12.6f s  node %-5u #%-10llu ", (double)t->time / 1e9, node, (unsigned long long)t->moment);
    if (t->kind == HC_TRAFFIC_SEND && t->broadcast)
        printf("sends to all, counter %u: %s, %u receives\n", t->counter, fate_names[o->fates.fate[event]],
               o->fates.receives[event]);
    else if (t->kind == HC_TRAFFIC_SEND)
        printf("sends to %u, counter %u: %s\n", t->partner, t->counter, fate_names[o->fates.fate[event]]);
    else
        printf("receives from %u, %scounter %u%s%s\n", t->partner, t->broadcast ? "broadcast, " : "",
               o->pairing.receives[event].low, receive_names[o->pairing.receives[event].fate],
               late_names[o->fates.late[event]]);
}

static void print_text(const struct order *o, bool messages)
{
    for (size_t i = 0; messages && i < o->history.event_count; i++)
        print_message(o, o->pairing.order[i]);
    for (size_t i = 0; i < o->pairing.channels.count; i++)
        print_channel(o, &o->pairing.channels.channels[i]);
    print_receives(o);
}

/* ---- JSON ---- */

static json_t *counter_json(uint32_t counter)
{
    return counter == HC_NO_COUNTER ? json_null() : json_integer(counter);
}

static json_t *event_json(const struct order *o, uint32_t event)
{
    const struct hc_traffic *t = &o->history.events[event];
    const struct hc_pairing_receive *r = &o->pairing.receives[event];
    bool sent = t->kind == HC_TRAFFIC_SEND;
    json_t *json =
        json_pack("{si si si sI sf ss sb si}", "event", event, "node", address_of(o, o->pairing.node_of[event]),
                  "segment", t->segment, "instruction", (json_int_t)t->moment, "seconds", (double)t->time / 1e9, "kind",
                  sent ? "send" : "receive", "broadcast", t->broadcast, "partner", t->partner);

    if (sent) {
        json_object_set_new(json, "counter", json_integer(t->counter));
        json_object_set_new(json, "fate", json_string(fate_names[o->fates.fate[event]]));
        json_object_set_new(json, "receives", json_integer(o->fates.receives[event]));
        return json;
    }
    static const char *const names[] = { "paired", "undecided", "unlogged", "foreign", "contradicted" };
    json_object_set_new(json, "number", json_integer(t->counter));
    json_object_set_new(json, "fate", json_string(names[r->fate]));
    json_object_set_new(json, "counters", json_pack("[o, o]", counter_json(r->low), counter_json(r->high)));
    json_object_set_new(json, "send", r->fate == HC_PAIRED ? json_integer(r->send) : json_null());
    json_object_set_new(json, "overtaken", json_boolean(o->fates.late[event] == 1));
    json_object_set_new(json, "again", json_boolean(o->fates.late[event] == 2));
    return json;
}

static int print_json(const struct order *o)
{
    json_t *nodes = json_array(), *events = json_array();

    for (size_t i = 0; i < o->history.node_count; i++)
        json_array_append_new(nodes, json_pack("{si si si}", "address", o->history.nodes[i].address, "events",
                                               o->history.nodes[i].count, "gaps", (int)o->history.nodes[i].gap_count));
    for (size_t i = 0; i < o->history.event_count; i++)
        json_array_append_new(events, event_json(o, o->pairing.order[i]));
    json_t *json = json_pack("{so si so}", "nodes", nodes, "logs_not_used", (int)o->missing, "events", events);
    if (!json) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    json_dumpf(json, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(json);
    return HC_EXIT_FINE;
}

/* ---- all of it ---- */

static int report(const struct order *o, const struct options *options, int code)
{
    if (options->json) {
        int failed = print_json(o);
        code = failed ? failed : code;
    } else {
        print_text(o, options->messages);
    }
    if (code == HC_EXIT_FINE && o->pairing.counts[HC_UNDECIDED] + o->pairing.counts[HC_CONTRADICTED])
        return HC_EXIT_FOUND;
    return code;
}

static int order_recordings(const struct hc_recordings *recordings, const struct options *options)
{
    struct order order = { 0 };
    int code = collect(&order, recordings);
    int made = code == HC_EXIT_INPUT ? code : make(&order, &options->pairing);

    if (!made)
        made = report(&order, options, code);
    if (recordings->silent && made != HC_EXIT_INPUT)
        hc_complain("%zu node%s left no log", recordings->silent, plural(recordings->silent));
    hc_fates_free(&order.fates);
    hc_pairing_free(&order.pairing);
    hc_network_history_free(&order.history);
    return made;
}

static int run(int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse, "RUN\nIMAGE LOG...", help, 0, 0, 0 };
    struct options options = { .pairing = hc_pairing_default };
    struct hc_recordings recordings = { 0 };
    int code;

    argp_parse(&argp, argc, argv, 0, 0, &options);
    if (options.count == 1 && hc_is_run_directory(options.paths[0])) {
        code = hc_recordings_of_run(&recordings, options.paths[0]);
    } else if (options.count == 1) {
        hc_complain("%s: not a directory that `hindcast run` left; or name an ELF file and the logs of its nodes",
                    options.paths[0]);
        return HC_EXIT_USAGE;
    } else {
        code = hc_recordings_of_logs(&recordings, options.paths[0], options.paths + 1, options.count - 1);
    }
    if (!code)
        code = order_recordings(&recordings, &options);
    hc_recordings_free(&recordings);
    return code;
}

const struct hc_command hc_order_command = { "order", "Pair the messages of many nodes' recordings", run };
