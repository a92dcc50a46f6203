#include "diagram.h"

#include <stdlib.h>

struct work {
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    const struct hc_fates *fates;
};

static struct hc_arrow of_receive(const struct work *w, uint32_t event)
{
    static const uint8_t fates[] = { [HC_UNDECIDED] = HC_ARROW_UNDECIDED,
                                     [HC_UNLOGGED] = HC_ARROW_UNLOGGED,
                                     [HC_FOREIGN] = HC_ARROW_FOREIGN,
                                     [HC_CONTRADICTED] = HC_ARROW_CONTRADICTED };
    const struct hc_pairing_receive *r = &w->pairing->receives[event];

    if (r->fate == HC_PAIRED)
        return (struct hc_arrow){ r->send, event, (uint8_t)(HC_ARROW_RECEIVED + w->fates->late[event]) };
    return (struct hc_arrow){ HC_NO_EVENT, event, fates[r->fate] };
}

/* A send without a paired receive has an arrow of its own. */
static bool of_event(const struct work *w, uint32_t event, struct hc_arrow *out)
{
    static const uint8_t fates[] = {
        [HC_FATE_LOST] = HC_ARROW_LOST, [HC_FATE_MAYBE] = HC_ARROW_UNDECIDED, [HC_FATE_UNKNOWN] = HC_ARROW_UNKNOWN
    };

    if (w->history->events[event].kind == HC_TRAFFIC_RECEIVE)
        *out = of_receive(w, event);
    else if (!w->fates->receives[event])
        *out = (struct hc_arrow){ event, HC_NO_EVENT, fates[w->fates->fate[event]] };
    else
        return false;
    return true;
}

struct key {
    int64_t start;
    struct hc_arrow link;
};

static int by_start(const void *a, const void *b)
{
    const struct key *x = a, *y = b;

    return x->start != y->start       ? (x->start > y->start) - (x->start < y->start)
           : x->link.to != y->link.to ? (x->link.to > y->link.to) - (x->link.to < y->link.to)
                                      : 0;
}

struct hc_arrow *hc_arrows_make(const struct hc_network_history *history, const struct hc_pairing *pairing,
                                const struct hc_fates *fates, const struct hc_axis *axis, size_t *count)
{
    struct work w = { history, pairing, fates };
    struct key *keys = malloc((history->event_count + 1) * sizeof *keys);
    struct hc_arrow *links = malloc((history->event_count + 1) * sizeof *links);

    *count = 0;
    for (uint32_t i = 0; keys && i < history->event_count; i++)
        if (of_event(&w, i, &keys[*count].link)) {
            const struct hc_arrow *l = &keys[*count].link;
            keys[*count].start = axis->time[l->from == HC_NO_EVENT ? l->to : l->from];
            ++*count;
        }
    if (keys && links) {
        qsort(keys, *count, sizeof *keys, by_start);
        for (size_t i = 0; i < *count; i++)
            links[i] = keys[i].link;
    } else {
        free(links);
        links = NULL;
    }
    free(keys);
    return links;
}
