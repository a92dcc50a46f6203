/* Messages: going to them, following them, listing them. */
#include "network_state.h"
#include "support/plural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct hc_traffic *traffic(const struct hc_network_debugger *n, uint32_t event)
{
    return &n->c.history->events[event];
}

static bool is_send(const struct hc_network_debugger *n, uint32_t event)
{
    return traffic(n, event)->kind == HC_TRAFFIC_SEND;
}

void hc_network_say_event(struct hc_network_debugger *n, uint32_t event)
{
    static const char *const fates[] = { "received", "lost", "undecided", "unknown" };
    static const char *const receives[] = { "", ", undecided", ", its send is not in the log", ", no log of its sender",
                                            ", fits nothing that its sender sent" };
    static const char *const late[] = { "", ", overtaken", ", again" };
    const struct hc_traffic *t = traffic(n, event);
    char type[16] = "";

    if (t->type)
        snprintf(type, sizeof type, " type 0x%02x", t->type - 1u);
    fprintf(n->c.out, "%12.6f s  event %-7u node %-5u ", (double)n->c.axis->time[event] / 1e9, event,
            hc_network_address(n, n->c.pairing->node_of[event]));
    if (is_send(n, event) && t->broadcast)
        fprintf(n->c.out, "sends to all%s: %s, %u receive%s\n", type, fates[n->c.fates->fate[event]],
                n->c.fates->receives[event], hc_plural(n->c.fates->receives[event]));
    else if (is_send(n, event))
        fprintf(n->c.out, "sends to %u%s: %s\n", t->partner, type, fates[n->c.fates->fate[event]]);
    else
        fprintf(n->c.out, "receives from %u%s%s%s\n", t->partner, type, receives[n->c.pairing->receives[event].fate],
                late[n->c.fates->late[event]]);
}

/* ---- ends of a message ---- */

/* The receive of SEND by node ADDRESS, or, if that is negative, the first one. */
static uint32_t receive_of(const struct hc_network_debugger *n, uint32_t send, long address)
{
    uint32_t found = HC_NO_EVENT;

    for (uint32_t i = 0; i < n->c.history->event_count; i++) {
        if (is_send(n, i) || n->c.pairing->receives[i].fate != HC_PAIRED || n->c.pairing->receives[i].send != send ||
            (address >= 0 && hc_network_address(n, n->c.pairing->node_of[i]) != (unsigned long)address))
            continue;
        if (found == HC_NO_EVENT || n->c.axis->time[i] < n->c.axis->time[found])
            found = i;
    }
    return found;
}

static bool same_content(const struct hc_network_debugger *n, uint32_t a, uint32_t b)
{
    return traffic(n, a)->content && traffic(n, a)->content == traffic(n, b)->content &&
           traffic(n, a)->type == traffic(n, b)->type;
}

/* The send by which the receiver of RECEIVE forwarded the message; the receive by which the sender of SEND got it. */
static uint32_t handed_on(const struct hc_network_debugger *n, uint32_t receive)
{
    const struct hc_network_history_node *node = &n->c.history->nodes[n->c.pairing->node_of[receive]];

    for (uint32_t i = receive + 1; i < node->first + node->count; i++)
        if (is_send(n, i) && same_content(n, i, receive))
            return i;
    return HC_NO_EVENT;
}

static uint32_t got_by(const struct hc_network_debugger *n, uint32_t send)
{
    const struct hc_network_history_node *node = &n->c.history->nodes[n->c.pairing->node_of[send]];

    for (uint32_t i = send; i-- > node->first;)
        if (!is_send(n, i) && same_content(n, i, send))
            return i;
    return HC_NO_EVENT;
}

/* ---- follow ---- */

static bool show(struct hc_network_debugger *n, uint32_t event)
{
    if (!hc_network_go_to_event(n, event))
        return false;
    hc_network_say_event(n, event);
    hc_debugger_show_place(n->nodes[n->current].session);
    return true;
}

static bool follow_back(struct hc_network_debugger *n, uint32_t event)
{
    uint32_t to = is_send(n, event)                                 ? got_by(n, event)
                  : n->c.pairing->receives[event].fate == HC_PAIRED ? n->c.pairing->receives[event].send
                                                                    : HC_NO_EVENT;

    if (to != HC_NO_EVENT)
        return show(n, to);
    return is_send(n, event) ? hc_network_fail(n,
                                               "the message begins here: node %u received none with the same end "
                                               "before it sent it",
                                               hc_network_address(n, n->c.pairing->node_of[event]))
                             : hc_network_fail(n, "its send is not known");
}

static bool follow_on(struct hc_network_debugger *n, uint32_t event, long to_node)
{
    uint32_t to = is_send(n, event) ? receive_of(n, event, to_node) : handed_on(n, event);

    if (to != HC_NO_EVENT)
        return show(n, to);
    if (is_send(n, event))
        return hc_network_fail(n,
                               to_node >= 0 ? "node %ld did not receive it, as far as is known"
                                            : "nobody received it, as far as is known",
                               to_node);
    return hc_network_fail(n, "the message ends here: node %u sent none with the same end after it",
                           hc_network_address(n, n->c.pairing->node_of[event]));
}

bool hc_network_follow(struct hc_network_debugger *n, const char *arguments)
{
    uint32_t event = n->event != HC_NO_EVENT ? n->event : hc_network_last_event(n, n->current, n->now);
    char *end;
    long node = -1;

    if (event == HC_NO_EVENT)
        return hc_network_fail(n, "node %u has no message before this moment; goto event N goes to one",
                               hc_network_address(n, n->current));
    if (!strcmp(arguments, "back"))
        return follow_back(n, event);
    if (*arguments) {
        node = strtol(arguments, &end, 10);
        if (end == arguments || *end || node < 0)
            return hc_network_fail(n, "'%s': follow, follow NODE (of those that received a broadcast), follow back",
                                   arguments);
    }
    return follow_on(n, event, node);
}

/* ---- goto ---- */

static bool go_to(struct hc_network_debugger *n, uint32_t event, const char *end_wanted)
{
    long node = -1;
    char *end;

    if (!strcmp(end_wanted, "send") && !is_send(n, event)) {
        if (n->c.pairing->receives[event].fate != HC_PAIRED)
            return hc_network_fail(n, "event %u: its send is not known", event);
        event = n->c.pairing->receives[event].send;
    } else if (!strncmp(end_wanted, "receive", 7) && is_send(n, event)) {
        if (end_wanted[7])
            node = strtol(end_wanted + 7, &end, 10);
        uint32_t found = receive_of(n, event, node);
        if (found == HC_NO_EVENT)
            return hc_network_fail(n, "event %u: no such receive is known", event);
        event = found;
    } else if (*end_wanted && strcmp(end_wanted, "send") != 0 && strncmp(end_wanted, "receive", 7) != 0) {
        return hc_network_fail(n, "'%s': goto event N [send | receive [NODE]]", end_wanted);
    }
    return show(n, event);
}

static bool parse_seconds(const char *text, int64_t *ns)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "min", 60 }, { "", 1 } };
    char *end;
    double value = strtod(text, &end);

    while (isspace((unsigned char)*end))
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end > text && !strcmp(end, units[i].unit) && value * units[i].seconds > -1e7 &&
            value * units[i].seconds < 1e7) {
            *ns = (int64_t)(value * units[i].seconds * 1e9);
            return true;
        }
    return false;
}

/* Sets *MINE to false for a command that is for the current node. */
bool hc_network_goto(struct hc_network_debugger *n, const char *arguments, bool *mine)
{
    int64_t time;
    char *end;

    *mine = true;
    if (!strncmp(arguments, "event ", 6) || !strncmp(arguments, "message ", 8)) {
        const char *number = strchr(arguments, ' ') + 1;
        unsigned long event = strtoul(number, &end, 10);
        if (end == number || event >= n->c.history->event_count)
            return hc_network_fail(n, "'%s': expected the number of an event, below %zu; `messages` lists them", number,
                                   n->c.history->event_count);
        return go_to(n, (uint32_t)event, end + strspn(end, " \t"));
    }
    if (arguments[0] != '#' && parse_seconds(arguments, &time)) {
        if (!hc_network_go_to_time(n, time))
            return false;
        hc_network_say_present(n);
        hc_debugger_show_place(n->nodes[n->current].session);
        return true;
    }
    *mine = false;
    return true;
}

/* ---- a list ---- */

bool hc_network_list(struct hc_network_debugger *n, const char *arguments)
{
    size_t events = n->c.history->event_count, low = 0, high = events, around = 10;
    char *end;

    if (*arguments) {
        around = strtoul(arguments, &end, 10);
        if (*end || !around || around > 100000)
            return hc_network_fail(n, "'%s': expected a number of messages on either side", arguments);
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->c.axis->time[n->c.axis->order[middle]] <= n->now)
            low = middle + 1;
        else
            high = middle;
    }
    size_t from = low > around ? low - around : 0, to = low + around < events ? low + around : events;
    for (size_t i = from; i < to; i++) {
        if (i == low)
            fprintf(n->c.out, "%12.6f s  ---- now ----\n", (double)n->now / 1e9);
        hc_network_say_event(n, n->c.axis->order[i]);
    }
    if (to == low)
        fprintf(n->c.out, "%12.6f s  ---- now ----\n", (double)n->now / 1e9);
    return true;
}
