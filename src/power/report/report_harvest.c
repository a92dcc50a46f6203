/* What came of a run on a harvester. */
#include "power/harvest.h"
#include "report_json.h"
#include "support/plural.h"

const char *const hc_supply_event_names[] = {
    [HC_SUPPLY_TIME] = "", [HC_SUPPLY_ON] = "on", [HC_SUPPLY_TRIGGER] = "trigger", [HC_SUPPLY_OFF] = "off"
};

static const char *end_of(const struct hc_power_harvested *h)
{
    return h->run.at_place   ? "came to its end"
           : h->run.finished ? "main returned"
           : h->run.faulted  ? "fault"
                             : "not finished";
}

void hc_power_harvested_text(const struct hc_power_harvested *h, const struct hc_image *image, FILE *out)
{
    const struct hc_intermittent *r = &h->run;
    struct hc_symbol symbol = { .name = "memory" };
    char text[400];

    fprintf(out, "%s after %.6f s: %llu power cycle%s, on for %.6f s, %llu instructions, %llu at most on one charge\n",
            end_of(h), (double)h->ns / 1e9, (unsigned long long)r->power_cycles, hc_plural(r->power_cycles),
            (double)r->on_ns / 1e9, (unsigned long long)r->instructions, (unsigned long long)r->most_instructions);
    if (!h->compared) {
        if (h->run.finished)
            fprintf(out, "not compared: the continuous run is not repeatable\n");
        return;
    }
    hc_image_data_at(image, h->evaluated.address, &symbol);
    hc_effect_text(&h->evaluated, symbol.name, text, sizeof text);
    if (h->evaluated.effect == HC_EFFECT_NONE)
        fprintf(out, "it ends as the continuous run does\n");
    else
        fprintf(out, "it ends differently from the continuous run: %s: %s\n", hc_effect_names[h->evaluated.effect],
                text);
}

static json_t *event_json(const struct hc_harvested_event *e)
{
    return json_pack("{s:s, s:I, s:I, s:I}", "event", hc_supply_event_names[e->event], "nanoseconds", (json_int_t)e->ns,
                     "microvolts", (json_int_t)e->microvolts, "instructions", (json_int_t)e->instructions);
}

void hc_power_harvested_json(const struct hc_power_harvested *h, const struct hc_image *image, FILE *out)
{
    const struct hc_intermittent *r = &h->run;
    json_t *events = json_array();

    for (size_t i = 0; i < h->events; i++)
        json_array_append_new(events, event_json(&h->event[i]));
    json_t *report = json_pack("{s:i, s:s, s:b, s:s, s:I, s:I, s:I, s:I, s:I, s:o}", "schema", HC_REPORT_SCHEMA,
                               "image", hc_image_name(image), "found", hc_power_harvested_found(h), "end", end_of(h),
                               "nanoseconds", (json_int_t)h->ns, "power_cycles", (json_int_t)r->power_cycles,
                               "on_nanoseconds", (json_int_t)r->on_ns, "instructions", (json_int_t)r->instructions,
                               "most_instructions", (json_int_t)r->most_instructions, "events", events);
    if (h->compared)
        json_object_set_new(report, "evaluation", hc_power_effect_json(image, &h->evaluated));
    json_dumpf(report, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(report);
}
