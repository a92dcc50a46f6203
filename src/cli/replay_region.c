#include "replay_region.h"

#include "command.h"
#include "support/plural.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static void print_one(const struct hc_region_nodes *nodes, size_t boot, const struct hc_region_state *s)
{
    if (nodes)
        printf("node %-5d ", nodes->id);
    printf("boot %zu: %" PRIu64 " visit%s, %" PRIu64 " instruction%s from %zu bytes; %" PRIu64 " check%s agreed; %s\n",
           boot, s->visits, hc_plural(s->visits), s->instructions, hc_plural(s->instructions), s->used, s->checks,
           hc_plural(s->checks), s->text);
}

static json_t *json_of(size_t boot, const struct hc_region_state *s)
{
    static const char *const ends[] = { "", "end", "deviation", "fault" };

    return json_pack("{sI sI sI sI sI ss ss}", "boot", (json_int_t)boot, "visits", (json_int_t)s->visits,
                     "instructions", (json_int_t)s->instructions, "bytes", (json_int_t)s->used, "checks",
                     (json_int_t)s->checks, "end", ends[s->end], "text", s->text);
}

/* *BOOTS: how many the log has. */
static int replay_one(const struct hc_timeline_options *options, struct hc_image *image, size_t boot, size_t *boots,
                      json_t *list, struct hc_region_nodes *nodes)
{
    struct hc_timeline_options one = *options;
    struct hc_region_replay *region = NULL;
    struct hc_region_state state;

    one.segment = (int)boot;
    int code = hc_open_region(&region, image, &one);
    if (!code) {
        hc_region_replay_run(region);
        hc_region_replay_state(region, &state);
        *boots = state.boots;
        code = state.end == HC_REGION_ENDED ? HC_EXIT_FINE : HC_EXIT_DIVERGED;
        if (list)
            json_array_append_new(list, json_of(boot, &state));
        else
            print_one(nodes, boot, &state);
        if (nodes)
            nodes->instructions += state.instructions;
        if (!code && !state.visits)
            code = HC_EXIT_FOUND; /* nothing is proved */
    }
    hc_region_replay_free(region);
    return code;
}

static int replay_boots(const struct hc_timeline_options *options, struct hc_image *image, json_t *list,
                        struct hc_region_nodes *nodes)
{
    size_t boots = 1;
    int worst = HC_EXIT_FINE;

    for (size_t boot = options->segment < 0 ? 0 : (size_t)options->segment; boot < boots; boot++) {
        int code = replay_one(options, image, boot, &boots, list, nodes);
        worst = code > worst ? code : worst;
        if (code == HC_EXIT_INPUT || options->segment >= 0)
            break;
    }
    return worst;
}

int hc_replay_region_node(const struct hc_timeline_options *options, struct hc_image *image,
                          struct hc_region_nodes *nodes)
{
    json_t *boots = nodes->list ? json_array() : NULL;
    int code = replay_boots(options, image, boots, nodes);

    if (boots && code != HC_EXIT_INPUT)
        json_array_append_new(
            nodes->list, json_pack("{si sb sO}", "node", nodes->id, "complete", code == HC_EXIT_FINE, "boots", boots));
    json_decref(boots);
    return code;
}

int hc_replay_region(const struct hc_timeline_options *options, struct hc_image *image, bool json)
{
    json_t *list = json ? json_array() : NULL;
    int worst = replay_boots(options, image, list, NULL);

    if (list && worst != HC_EXIT_INPUT) {
        json_dumpf(list, stdout, JSON_INDENT(2));
        putchar('\n');
    }
    json_decref(list);
    return worst;
}
