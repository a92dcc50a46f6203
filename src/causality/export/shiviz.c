/* Two lines for each event: host and vector clock as JSON, then the text. For ShiViz's parser:
 *
 *     (?<host>\S*) (?<clock>{.*})\n(?<event>.*) */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_clock(const struct hc_export *e, FILE *out, uint32_t node, const uint32_t *clock)
{
    const char *comma = "";

    fprintf(out, "node-%u {", e->history->nodes[node].address);
    for (size_t i = 0; i < e->history->node_count; i++)
        if (clock[i]) {
            fprintf(out, "%s\"node-%u\":%" PRIu32, comma, e->history->nodes[i].address, clock[i]);
            comma = ", ";
        }
    fputs("}\n", out);
}

static void write_text(const struct hc_export *e, FILE *out, uint32_t event)
{
    static const char *const fates[] = { "received", "lost", "undecided", "unknown" };
    const struct hc_traffic *t = &e->history->events[event];

    fprintf(out, "%.6f s ", (double)e->axis->time[event] / 1e9);
    if (t->kind == HC_TRAFFIC_RECEIVE)
        fprintf(out, "receives from %u (event %" PRIu32 ")\n", t->partner, event);
    else if (t->broadcast)
        fprintf(out, "sends to all, %s (event %" PRIu32 ")\n", fates[e->fates->fate[event]], event);
    else
        fprintf(out, "sends to %u, %s (event %" PRIu32 ")\n", t->partner, fates[e->fates->fate[event]], event);
}

int hc_shiviz_write(const struct hc_export *e, FILE *out, int64_t from, int64_t to)
{
    size_t nodes = e->history->node_count, events = e->history->event_count;
    uint32_t *clocks = calloc(nodes * nodes + 1, sizeof *clocks);    /* by node */
    uint32_t **sent = (uint32_t **)calloc(events + 1, sizeof *sent); /* by send: its clock */

    for (size_t i = 0; clocks && sent && i < events; i++) {
        uint32_t event = e->axis->order[i], node = e->pairing->node_of[event], *clock = clocks + node * nodes;
        const struct hc_pairing_receive *r = &e->pairing->receives[event];
        if (e->axis->time[event] < from || e->axis->time[event] > to)
            continue;
        bool receive = e->history->events[event].kind == HC_TRAFFIC_RECEIVE;
        const uint32_t *cause = receive && r->fate == HC_PAIRED ? sent[r->send] : NULL;
        for (size_t k = 0; cause && k < nodes; k++)
            clock[k] = cause[k] > clock[k] ? cause[k] : clock[k];
        clock[node]++;
        if (!receive && e->fates->receives[event] && (sent[event] = calloc(nodes + 1, sizeof **sent)))
            memcpy(sent[event], clock, nodes * sizeof **sent);
        write_clock(e, out, node, clock);
        write_text(e, out, event);
    }
    bool well = clocks && sent;
    for (size_t i = 0; sent && i < events; i++)
        free(sent[i]);
    free((void *)sent);
    free(clocks);
    return well ? 0 : HC_NETWORK_FULL;
}
