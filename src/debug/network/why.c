/* Causes across nodes: from an input that came with a message to the node that sent it. */
#include "debug/session/why_chain.h"
#include "network_state.h"

#include <string.h>

enum { FARTHEST = 200000 }; /* instructions from the radio's byte to where the program takes the message */

/* Events of NODE in the stretch in which its session is: *FIRST up to but without *END. */
static bool events_here(struct hc_network_debugger *n, uint32_t node, uint32_t *first, uint32_t *end)
{
    const struct hc_network_history_node *of = &n->c.history->nodes[node];
    struct hc_debugger_place place;

    hc_debugger_place(n->nodes[node].session, &place);
    int stretch = hc_network_stretch(n, node, place.segment);
    if (stretch < 0)
        return false;
    *first = of->first + of->stretches[stretch].at;
    *end = (size_t)stretch + 1 < of->stretch_count ? of->first + of->stretches[stretch + 1].at : of->first + of->count;
    return true;
}

/* The message that the program of NODE took next after MOMENT; HC_NO_EVENT: none soon. */
static uint32_t next_receive(struct hc_network_debugger *n, uint32_t node, uint64_t moment)
{
    uint32_t i, end;

    if (!events_here(n, node, &i, &end))
        return HC_NO_EVENT;
    for (; i < end; i++) {
        const struct hc_traffic *t = &n->c.history->events[i];
        if (t->moment >= moment && t->kind == HC_TRAFFIC_RECEIVE)
            return t->moment - moment < FARTHEST ? i : HC_NO_EVENT;
    }
    return HC_NO_EVENT;
}

static void tell(struct hc_network_debugger *n, int number, uint32_t event)
{
    const struct hc_pairing_receive *receive = &n->c.pairing->receives[event];

    fprintf(n->c.out, "step %d came with a message:\n", number);
    hc_network_say_event(n, event);
    if (receive->fate != HC_PAIRED)
        return;
    hc_network_say_event(n, receive->send);
    fprintf(n->c.out, "`goto event %u` goes there, to node %u; `why` asks on.\n", receive->send,
            hc_network_address(n, n->c.pairing->node_of[receive->send]));
}

void hc_network_tell_origins(struct hc_network_debugger *n, uint32_t node)
{
    const struct hc_why_chain *c = hc_debugger_last_why(n->nodes[node].session);
    uint32_t before = HC_NO_EVENT;

    for (int i = 1; c && i <= hc_why_chain_steps(c); i++) {
        const struct hc_why_step *s = hc_why_chain_step(c, i);
        if (s->subject != HC_WHY_INPUT || !strstr(s->what, "RXBUF"))
            continue;
        uint32_t event = next_receive(n, node, s->moment);
        if (event != HC_NO_EVENT && event != before)
            tell(n, i, event);
        before = event;
    }
}
