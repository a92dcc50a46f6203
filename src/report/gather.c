#include "gather.h"

#include "profile/passage.h"
#include "profile/summary_json.h"
#include "series.h"

#include <stdlib.h>
#include <string.h>

/* The first channels are interrupts, by vector. */
enum { READS = 64, INSTRUCTIONS, STACK };
enum { TREE = 10, LONGEST_LINE = 400 };

struct gathering {
    const struct hc_gathering *g;
    struct hc_profile *profile;
    struct hc_series series;
    json_t *stretches;
    size_t stretch_count;
    uint64_t counted; /* instructions of the stretch that are in the series */
    struct hc_cost machine;
    uint64_t interrupts, reads, until_us;

    /* What the node said. */
    char text[LONGEST_LINE]; /* the line that has begun */
    size_t size;
    uint64_t bytes; /* also those for which there was no room */
    json_t *lines;
    bool in_line;
};

/* ---- over time ---- */

static void note_run(struct gathering *k, uint64_t instruction, uint64_t time_us)
{
    hc_series_add(&k->series, INSTRUCTIONS, time_us, instruction - k->counted);
    k->counted = instruction;
    hc_series_add(&k->series, STACK, time_us, hc_profile_take_deepest(k->profile));
}

static void note_event(void *owner, const struct hc_replay_event *event)
{
    struct gathering *k = owner;

    note_run(k, event->instruction, event->time_us);
    if (event->kind == HC_REPLAY_INTERRUPT && event->vector < READS)
        hc_series_add(&k->series, (size_t)event->vector, event->time_us, 1);
    else if (event->kind == HC_REPLAY_READ)
        hc_series_add(&k->series, READS, event->time_us, 1);
}

static json_t *stretch_json(const struct hc_stretch *s)
{
    static const char *const stops[] = { [HC_REPLAY_END] = "end",
                                         [HC_REPLAY_DIVERGED] = "diverged",
                                         [HC_REPLAY_FAULT] = "fault",
                                         [HC_REPLAY_REQUEST] = "ended by the user" };

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:s, s:s, s:I, s:I}", "first_segment",
                     (json_int_t)s->first_segment, "last_segment", (json_int_t)s->last_segment, "instructions",
                     (json_int_t)s->instructions, "cycles", (json_int_t)s->cycles, "interrupts",
                     (json_int_t)s->interrupts, "reads", (json_int_t)s->reads, "from", 1e-6 * (double)s->from_us,
                     "until", 1e-6 * (double)s->until_us, "stop", stops[s->stop], "why", s->why, "checks_made",
                     (json_int_t)s->checks.made, "checks_agreed", (json_int_t)s->checks.agreed);
}

static void end_stretch(void *owner, const struct hc_stretch *stretch)
{
    struct gathering *k = owner;

    note_run(k, stretch->instructions, stretch->until_us);
    k->counted = 0;
    k->machine.instructions += stretch->instructions;
    k->machine.cycles += stretch->cycles;
    k->interrupts += stretch->interrupts;
    k->reads += stretch->reads;
    k->until_us = stretch->until_us;
    k->stretch_count++;
    json_array_append_new(k->stretches, stretch_json(stretch));
}

static json_t *channel_json(const struct hc_series *s, size_t channel)
{
    json_t *list = json_array();

    for (size_t i = 0; s->value[channel] && i < s->used; i++)
        json_array_append_new(list, json_integer(s->value[channel][i]));
    return list;
}

static json_t *series_json(struct gathering *k)
{
    const struct hc_series *s = &k->series;
    json_t *vectors = json_object(), *json = json_object();
    const struct hc_contexts *contexts = hc_profile_contexts(k->profile);
    const struct hc_code_place *place;

    for (uint32_t i = 0; i < READS; i++)
        if (s->value[i] && hc_code_map_at(k->g->map, contexts, HC_VECTOR_0 + i, 0, &place))
            json_object_set_new(vectors, hc_code_map_function(k->g->map, place->function[0])->name, channel_json(s, i));
    json_object_set_new(json, "width", json_real(1e-6 * (double)s->width));
    json_object_set_new(json, "interrupts", vectors);
    json_object_set_new(json, "reads", channel_json(s, READS));
    json_object_set_new(json, "instructions", channel_json(s, INSTRUCTIONS));
    json_object_set_new(json, "stack", channel_json(s, STACK));
    return json;
}

/* ---- what the node said ---- */

static void end_line(struct gathering *k)
{
    json_t *last = json_array_get(k->lines, json_array_size(k->lines) - 1);

    for (size_t i = 0; i < k->size; i++)
        if ((uint8_t)k->text[i] >= 0x7f || ((uint8_t)k->text[i] < ' ' && k->text[i] != '\t'))
            k->text[i] = '?';
    json_array_append_new(last, json_stringn_nocheck(k->text, k->size));
    k->size = 0;
    k->in_line = false;
}

static void begin_line(struct gathering *k)
{
    struct hc_replay_place place;

    hc_replay_place(k->g->replay, &place);
    json_array_append_new(k->lines, json_pack("[f, I, i]", 1e-6 * (double)place.time_us, (json_int_t)place.instruction,
                                              (int)place.segment));
    k->in_line = true;
}

static enum hc_action said(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct gathering *k = owner;
    char c = (char)(access->value & 0xff);

    (void)m;
    if (++k->bytes > k->g->text)
        return HC_CONTINUE;
    if (!k->in_line && c != '\n' && c != '\r')
        begin_line(k);
    if (k->in_line && (c == '\n' || c == '\r' || k->size == LONGEST_LINE))
        end_line(k);
    else if (k->in_line)
        k->text[k->size++] = c;
    return HC_CONTINUE;
}

/* ---- all of it ---- */

static json_t *totals_json(const struct gathering *k)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:f}", "instructions", (json_int_t)k->machine.instructions, "cycles",
                     (json_int_t)k->machine.cycles, "interrupts", (json_int_t)k->interrupts, "reads",
                     (json_int_t)k->reads, "seconds", 1e-6 * (double)k->until_us);
}

static json_t *whole_json(struct gathering *k)
{
    struct hc_summary s;
    json_t *json = json_object();

    if (!hc_profile_finish(k->profile) || !hc_summary_make(&s, k->profile, k->g->map) || k->series.no_memory) {
        json_decref(json);
        return NULL;
    }
    if (k->in_line)
        end_line(k);
    json_object_set_new(json, "totals", totals_json(k));
    json_object_set_new(json, "account", hc_cost_json(s.total, k->g->nanojoules));
    json_object_set(json, "stretches", k->stretches);
    json_object_set_new(json, "series", series_json(k));
    json_object_set_new(json, "functions", hc_summary_functions_json(&s, k->g->nanojoules, k->g->functions));
    json_object_set_new(json, "tree", hc_summary_tree_json(&s, TREE * k->g->functions));
    json_object_set_new(json, "interrupts", hc_summary_interrupts_json(&s, k->g->nanojoules));
    json_object_set_new(json, "deepest_stack", json_integer(hc_profile_deepest_stack(k->profile)));
    json_object_set_new(json, "stacks", json_integer((json_int_t)hc_profile_stacks(k->profile)));
    json_object_set_new(json, "said", json_pack("{s:I, s:O}", "bytes", (json_int_t)k->bytes, "lines", k->lines));
    hc_summary_free(&s);
    return json;
}

static bool progress(void *owner, double part)
{
    const struct gathering *k = owner;
    return k->g->progress && k->g->progress(k->g->owner, part);
}

static enum hc_replay_stop run(struct gathering *k, json_t **out, struct hc_replay_message *message)
{
    struct hc_machine *m = hc_replay_machine(k->g->replay);
    struct hc_passage passage = { .replay = k->g->replay,
                                  .profile = k->profile,
                                  .event = note_event,
                                  .stretch = end_stretch,
                                  .progress = progress,
                                  .owner = k };
    int hook = k->g->uart ? hc_hook_access(m, k->g->uart, k->g->uart, HC_WATCH_WRITE, said, k) : 0;
    int error;
    enum hc_replay_stop worst = hc_passage_run(&passage, &error, message);

    if (hook)
        hc_unhook(m, hook);
    if (error)
        return worst;
    *out = whole_json(k);
    if (!*out)
        snprintf(message->text, sizeof message->text, "out of memory");
    return worst;
}

enum hc_replay_stop hc_gather(const struct hc_gathering *g, json_t **out, struct hc_replay_message *message)
{
    struct gathering k = { .g = g, .stretches = json_array(), .lines = json_array() };
    enum hc_replay_stop worst = HC_REPLAY_END;

    *out = NULL;
    hc_series_init(&k.series, g->bins);
    k.series.highest[STACK] = true;
    k.profile = hc_profile_new(hc_replay_machine(g->replay), hc_replay_image(g->replay));
    if (k.profile)
        worst = run(&k, out, message);
    else
        snprintf(message->text, sizeof message->text, "out of memory");
    hc_profile_free(k.profile);
    hc_series_free(&k.series);
    json_decref(k.stretches);
    json_decref(k.lines);
    return worst;
}
