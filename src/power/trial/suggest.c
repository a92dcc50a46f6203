#include "suggest.h"

#include <stdlib.h>
#include <string.h>

/* Can a checkpoint come between the two? */
static bool can_be_parted(const struct hc_pair *p)
{
    return p->kind != HC_LOST_STATE && p->distance != HC_NO_DISTANCE && p->consumer != p->producer &&
           p->producer != HC_BY_DMA && p->producer != HC_BY_INTERRUPT;
}

static bool is_taken(const struct hc_suggestion *s, uint32_t pc)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->before[i] == pc)
            return true;
    return false;
}

/* The producer of the most pairs; 0 when none is left. */
static uint32_t worst_producer(const struct hc_suggestion *s, const struct hc_pairs *pairs)
{
    uint32_t worst = 0;
    size_t most = 0;

    for (size_t i = 0; i < pairs->count; i++) {
        size_t n = 0;
        if (!can_be_parted(&pairs->pair[i]) || is_taken(s, pairs->pair[i].producer))
            continue;
        for (size_t k = 0; k < pairs->count; k++)
            n += can_be_parted(&pairs->pair[k]) && pairs->pair[k].producer == pairs->pair[i].producer;
        if (n > most) {
            most = n;
            worst = pairs->pair[i].producer;
        }
    }
    return worst;
}

static bool any_to_part(const struct hc_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (can_be_parted(&pairs->pair[i]))
            return true;
    return false;
}

bool hc_power_suggest(const struct hc_locate_config *config, hc_fresh_fn *fresh, hc_done_fn *done, void *owner,
                      struct hc_suggestion *out)
{
    *out = (struct hc_suggestion){ .count = config->before_count, .given = config->before_count };
    out->before = calloc(config->before_count + HC_SUGGESTIONS_MAX, sizeof *out->before);
    if (!out->before)
        abort();
    if (config->before_count)
        memcpy(out->before, config->before, config->before_count * sizeof *out->before);
    for (;;) {
        struct hc_locate_config next = *config;
        next.machine = fresh(owner);
        next.depth = 0;
        next.before = out->before;
        next.before_count = out->count;
        if (!next.machine)
            return false;
        hc_power_locate(&next, &out->rest);
        done(owner, next.machine);
        uint32_t worst = worst_producer(out, &out->rest.pairs);
        out->checkpoints = out->rest.checkpoints;
        out->enough = !any_to_part(&out->rest.pairs);
        if (out->rest.end != HC_LOCATE_DONE || !worst || out->count - out->given == HC_SUGGESTIONS_MAX)
            return out->rest.end == HC_LOCATE_DONE;
        hc_located_free(&out->rest);
        out->before[out->count++] = worst;
    }
}

void hc_suggestion_free(struct hc_suggestion *s)
{
    hc_located_free(&s->rest);
    free(s->before);
    *s = (struct hc_suggestion){ 0 };
}
