#include "order_report.h"

#include "causality/diagram/diagram.h"
#include "command.h"
#include "support/plural.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static unsigned address_of(const struct hc_network *o, uint32_t event)
{
    return o->history.nodes[o->pairing.node_of[event]].address;
}

/* ---- channels ---- */

static void print_channel(const struct hc_network *o, const struct hc_channel *c)
{
    size_t by_fate[HC_FATE_UNKNOWN + 1] = { 0 }, receives = 0;
    char to[16];

    for (size_t i = 0; i < c->send_count; i++) {
        by_fate[o->fates.fate[c->sends[i]]]++;
        receives += o->fates.receives[c->sends[i]];
    }
    snprintf(to, sizeof to, c->destination == HC_BROADCAST ? "all" : "%u", c->destination);
    printf("%6u -> %-6s %7zu sent %7zu received %7zu lost %7zu undecided %7zu unknown\n",
           o->history.nodes[c->sender].address, to, c->send_count,
           c->destination == HC_BROADCAST ? receives : by_fate[HC_FATE_RECEIVED], by_fate[HC_FATE_LOST],
           by_fate[HC_FATE_MAYBE], by_fate[HC_FATE_UNKNOWN]);
}

static void print_receives(const struct hc_network *o)
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
           o->history.node_count, hc_plural(o->history.node_count), o->history.event_count - all,
           hc_plural(o->history.event_count - all), all, hc_plural(all), counts[HC_PAIRED], counts[HC_UNDECIDED],
           counts[HC_UNLOGGED], counts[HC_FOREIGN], counts[HC_CONTRADICTED]);
    printf("%zu overtaken by a later message, %zu received again\n", late, again);
}

/* ---- messages ---- */

static const char *const fate_names[] = { "received", "lost", "undecided", "unknown" };
static const char *const receive_names[] = { "", " (undecided)", " (its send is not in the log)",
                                             " (no log of its sender)", " (fits nothing that its sender sent)" };
static const char *const late_names[] = { "", ", overtaken", ", again" };

static const char *spread_text(const struct hc_network *o, uint32_t event, char *out, size_t size)
{
    uint32_t us = o->axis.spread_us[event];

    if (us == HC_SPREAD_UNKNOWN)
        snprintf(out, size, "?");
    else
        snprintf(out, size, "%.3f", us / 1e3);
    return out;
}

static void print_event(const struct hc_network *o, uint32_t event)
{
    const struct hc_traffic *t = &o->history.events[event];
    char spread[24], type[16] = "";

    if (t->type)
        snprintf(type, sizeof type, ", type 0x%02x", t->type - 1u);
    printf("%12.6f s +-%7s ms  node %-5u #%-10llu ", (double)o->axis.time[event] / 1e9,
           spread_text(o, event, spread, sizeof spread), address_of(o, event), (unsigned long long)t->moment);
    if (t->kind == HC_TRAFFIC_SEND && t->broadcast)
        printf("sends to all, counter %u%s: %s, %u receive%s", t->counter, type, fate_names[o->fates.fate[event]],
               o->fates.receives[event], hc_plural(o->fates.receives[event]));
    else if (t->kind == HC_TRAFFIC_SEND)
        printf("sends to %u, counter %u%s: %s", t->partner, t->counter, type, fate_names[o->fates.fate[event]]);
    else
        printf("receives from %u, %scounter %u%s%s%s", t->partner, t->broadcast ? "broadcast, " : "",
               o->pairing.receives[event].low, type, receive_names[o->pairing.receives[event].fate],
               late_names[o->fates.late[event]]);
}

/* ---- what is not as it should be, and why ---- */

static const char *const list_names[] = { [HC_ARROW_OVERTAKEN] = "overtaken",
                                          [HC_ARROW_AGAIN] = "again",
                                          [HC_ARROW_LOST] = "lost",
                                          [HC_ARROW_UNDECIDED] = "undecided",
                                          [HC_ARROW_UNKNOWN] = "unknown" };
enum { LISTS = sizeof list_names / sizeof *list_names };

bool hc_order_parse_list(struct hc_order_report *report, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ',')) {
        unsigned found = 0;
        n = strcspn(text, ",");
        for (unsigned i = 0; i < LISTS; i++)
            if (list_names[i] && (!strncmp(text, "all", n > 3 ? n : 3) ||
                                  (strlen(list_names[i]) == n && !strncmp(text, list_names[i], n))))
                found |= 1u << i;
        if (!found)
            return false;
        report->list |= found;
    }
    return report->list != 0;
}

static unsigned fate_of(const struct hc_network *o, uint32_t event)
{
    static const uint8_t sends[] = { HC_ARROW_RECEIVED, HC_ARROW_LOST, HC_ARROW_UNDECIDED, HC_ARROW_UNKNOWN };
    static const uint8_t receives[] = { HC_ARROW_RECEIVED, HC_ARROW_UNDECIDED, HC_ARROW_UNLOGGED, HC_ARROW_FOREIGN,
                                        HC_ARROW_CONTRADICTED };

    if (o->history.events[event].kind == HC_TRAFFIC_SEND)
        return sends[o->fates.fate[event]];
    if (o->pairing.receives[event].fate == HC_PAIRED)
        return HC_ARROW_RECEIVED + o->fates.late[event];
    return receives[o->pairing.receives[event].fate];
}

/* How many of the sender's logged messages a receive may belong to. */
static void say_candidates(const struct hc_network *o, uint32_t event, char *out, size_t size)
{
    const struct hc_pairing_receive *r = &o->pairing.receives[event];

    if (r->high == HC_NO_COUNTER)
        snprintf(out, size, "counters from %u on carry this number; what node %u sent last may not be in its log",
                 r->low, o->history.events[event].partner);
    else
        snprintf(out, size,
                 "counters %u to %u of node %u carry this number, and neither the order of its messages nor "
                 "what followed tells which it was",
                 r->low, r->high, o->history.events[event].partner);
}

static const char *why(const struct hc_network *o, uint32_t event, char *out, size_t size)
{
    switch (fate_of(o, event)) {
    case HC_ARROW_OVERTAKEN:
        return "a message that was sent later to this node had come before";
    case HC_ARROW_AGAIN:
        return "the same message had come before";
    case HC_ARROW_LOST:
        return "it is in no log of those that could have received it, and these have no gap there";
    case HC_ARROW_UNKNOWN:
        return "a log of those that could have received it has a gap there, ends before, or is not here";
    case HC_ARROW_UNLOGGED:
        return "the sender's log begins later, has a gap, or ends before";
    case HC_ARROW_FOREIGN:
        return "there is no log of its sender";
    case HC_ARROW_CONTRADICTED:
        return "nothing that its sender sent has this number there: the logs do not belong together, or an assumption "
               "of "
               "docs/order.md fails";
    case HC_ARROW_UNDECIDED:
        if (o->history.events[event].kind == HC_TRAFFIC_SEND)
            return "a receive belongs to it, or to another message with the same number";
        say_candidates(o, event, out, size);
        return out;
    default:
        return NULL;
    }
}

static void print_list(const struct hc_network *o, const struct hc_order_report *report)
{
    char text[300];

    for (size_t i = 0; i < o->history.event_count; i++) {
        uint32_t event = o->axis.order[i];
        bool listed = report->list >> fate_of(o, event) & 1;
        if (!listed && !report->messages)
            continue;
        print_event(o, event);
        if (listed)
            printf("\n    %s", why(o, event, text, sizeof text));
        putchar('\n');
    }
}

static void print_clocks(const struct hc_network *o)
{
    uint32_t widest = 0, unknown = 0;

    for (size_t i = 0; i < o->history.event_count; i++) {
        uint32_t us = o->axis.spread_us[i];
        unknown += us == HC_SPREAD_UNKNOWN;
        widest = us != HC_SPREAD_UNKNOWN && us > widest ? us : widest;
    }
    if (o->axis.clockless)
        printf("these logs have no time: only the order is known\n");
    else
        printf("time is the clock of node %u; that of others is known to within %.3f ms or better, with clocks that go "
               "wrong by up to %.0f ppm; of %u event%s nothing bounds it\n",
               o->history.nodes[o->axis.reference].address, widest / 1e3, o->axis.drift * 1e6, unknown,
               hc_plural(unknown));
}

void hc_order_text(const struct hc_network *network, const struct hc_order_report *report)
{
    if (report->messages || report->list)
        print_list(network, report);
    for (size_t i = 0; i < network->pairing.channels.count; i++)
        print_channel(network, &network->pairing.channels.channels[i]);
    print_receives(network);
    print_clocks(network);
}

/* ---- JSON ---- */

static json_t *counter_json(uint32_t counter)
{
    return counter == HC_NO_COUNTER ? json_null() : json_integer(counter);
}

static json_t *uncertainty_json(const struct hc_network *o, uint32_t event)
{
    uint32_t us = o->axis.spread_us[event];

    return us == HC_SPREAD_UNKNOWN ? json_null() : json_real(us / 1e6);
}

static void add_receive(const struct hc_network *o, uint32_t event, json_t *json)
{
    static const char *const names[] = { "paired", "undecided", "unlogged", "foreign", "contradicted" };
    const struct hc_pairing_receive *r = &o->pairing.receives[event];

    json_object_set_new(json, "number", json_integer(o->history.events[event].counter));
    json_object_set_new(json, "fate", json_string(names[r->fate]));
    json_object_set_new(json, "counters", json_pack("[o, o]", counter_json(r->low), counter_json(r->high)));
    json_object_set_new(json, "send", r->fate == HC_PAIRED ? json_integer(r->send) : json_null());
    json_object_set_new(json, "overtaken", json_boolean(o->fates.late[event] == 1));
    json_object_set_new(json, "again", json_boolean(o->fates.late[event] == 2));
}

static json_t *event_json(const struct hc_network *o, uint32_t event)
{
    const struct hc_traffic *t = &o->history.events[event];
    bool sent = t->kind == HC_TRAFFIC_SEND;
    char text[300];
    const char *reason = why(o, event, text, sizeof text);
    json_t *json = json_pack("{si si si sI so sf so ss sb si so}", "event", event, "node", address_of(o, event),
                             "segment", t->segment, "instruction", (json_int_t)t->moment, "seconds",
                             t->time == HC_NO_TIME ? json_null() : json_real((double)t->time / 1e9), "axis",
                             (double)o->axis.time[event] / 1e9, "uncertainty", uncertainty_json(o, event), "kind",
                             sent ? "send" : "receive", "broadcast", t->broadcast, "partner", t->partner, "type",
                             t->type ? json_integer(t->type - 1) : json_null());

    if (sent) {
        json_object_set_new(json, "counter", json_integer(t->counter));
        json_object_set_new(json, "fate", json_string(fate_names[o->fates.fate[event]]));
        json_object_set_new(json, "receives", json_integer(o->fates.receives[event]));
    } else {
        add_receive(o, event, json);
    }
    if (reason)
        json_object_set_new(json, "why", json_string(reason));
    return json;
}

/* Event by event, so that a million of them need no more memory than one. */
int hc_order_json(const struct hc_network *o)
{
    json_t *nodes = json_array();

    for (size_t i = 0; i < o->history.node_count; i++)
        json_array_append_new(nodes, json_pack("{si si si}", "address", o->history.nodes[i].address, "events",
                                               o->history.nodes[i].count, "gaps", (int)o->history.nodes[i].gap_count));
    printf("{\n \"nodes\": ");
    json_dumpf(nodes, stdout, 0);
    json_decref(nodes);
    printf(",\n \"logs_not_used\": %zu,\n \"reference\": %u,\n \"drift\": %g,\n \"events\": [", o->missing,
           o->history.nodes[o->axis.reference].address, o->axis.drift);
    for (size_t i = 0; i < o->history.event_count; i++) {
        json_t *event = event_json(o, o->axis.order[i]);
        if (!event) {
            hc_complain("out of memory");
            return HC_EXIT_INPUT;
        }
        fputs(i ? ",\n  " : "\n  ", stdout);
        json_dumpf(event, stdout, 0);
        json_decref(event);
    }
    printf("\n ]\n}\n");
    return HC_EXIT_FINE;
}
