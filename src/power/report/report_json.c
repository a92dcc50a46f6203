/* The report for programs; docs/power.md has the schema. */
#include "report_json.h"

#include "findings.h"

#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

/* Names come from files that may hold anything: where the whole is no UTF-8, what is not ASCII is replaced. */
static json_t *text_json(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *string = json_string(text);
    char *copy = string ? NULL : malloc(3 * strlen(text) + 1), *to = copy;

    if (string || !copy)
        return string;
    for (; *text; text++) {
        if ((unsigned char)*text < 0x80)
            *to++ = *text;
        else
            to = (char *)memcpy(to, replacement, 3) + 3;
    }
    *to = '\0';
    string = json_string(copy);
    free(copy);
    return string;
}

static json_t *number_json(uint64_t number)
{
    return json_integer((json_int_t)number);
}

static json_t *place_json(const struct hc_power_report *r, uint32_t pc)
{
    struct hc_symbol symbol;
    struct hc_line line;
    json_t *place = json_object();

    if (pc == HC_BY_DMA || pc == HC_BY_INTERRUPT) {
        json_object_set_new(place, "by", json_string(pc == HC_BY_DMA ? "dma" : "interrupt"));
        return place;
    }
    json_object_set_new(place, "pc", number_json(pc));
    if (hc_image_function_at(r->image, pc, &symbol))
        json_object_set_new(place, "function", text_json(symbol.name));
    if (hc_image_line_at(r->image, pc, &line)) {
        json_object_set_new(place, "file", text_json(line.file));
        json_object_set_new(place, "line", json_integer(line.line));
    }
    return place;
}

/* ---- pairs ---- */

static json_t *accessor_json(const struct hc_power_report *r, const struct hc_finding *f, bool consumer)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    uint32_t pc = consumer ? p->consumer : p->producer, callers[HC_STACK_KEPT];
    size_t n = hc_place_callers(r, pc, consumer ? p->witness.consumer_context : p->witness.producer_context, callers);
    json_t *accessor = place_json(r, pc), *stack = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(stack, place_json(r, callers[i]));
    json_object_set_new(accessor, "does", json_string(hc_finding_deed(r, f, consumer)));
    json_object_set_new(accessor, "stack", stack);
    return accessor;
}

/* null: nothing is done. */
static json_t *deed_json(const char *name, int32_t argument)
{
    return name ? json_pack("{s:s, s:i}", "name", name, "argument", (int)argument) : json_null();
}

static json_t *wrong_output_json(const struct hc_wrong_output *o)
{
    return json_pack("{s:o, s:o}", "is", deed_json(o->is, o->argument_is), "should",
                     deed_json(o->should, o->argument_should));
}

json_t *hc_power_effect_json(const struct hc_image *image, const struct hc_evaluated *e)
{
    json_t *effect = json_pack("{s:s}", "effect", hc_effect_names[e->effect]);
    struct hc_symbol symbol;

    if (e->bytes_wrong) {
        json_object_set_new(effect, "address", number_json(e->address));
        if (hc_image_data_at(image, e->address, &symbol))
            json_object_set_new(effect, "variable", text_json(symbol.name));
        json_object_set_new(effect, "is", number_json(e->is));
        json_object_set_new(effect, "should", number_json(e->should));
        json_object_set_new(effect, "bytes", number_json(e->bytes_wrong));
    }
    if (e->result_wrong)
        json_object_set_new(effect, "result", json_pack("{s:i, s:i}", "is", e->result_is, "should", e->result_should));
    if (e->effect == HC_EFFECT_OUTPUT)
        json_object_set_new(effect, "output", wrong_output_json(&e->output));
    if (e->effect == HC_EFFECT_CRASH)
        json_object_set_new(effect, "fault", text_json(e->fault));
    return effect;
}

static json_t *effect_json(const struct hc_power_report *r, const struct hc_evaluated *e)
{
    return hc_power_effect_json(r->image, e);
}

static json_t *witness_json(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_occurrence *w = hc_finding_witness(r, f);

    return json_pack("{s:I, s:I, s:I, s:I, s:i, s:i, s:b}", "resumed", (json_int_t)w->resumed, "consumed",
                     (json_int_t)w->consumed, "produced", (json_int_t)w->produced, "address", (json_int_t)w->address,
                     "read", w->read, "written", w->written, "worst", hc_finding_witness_is_worst(r, f));
}

static json_t *effects_json(const uint64_t *effects, uint64_t occurrences)
{
    static const char *const keys[HC_EFFECTS] = {
        [HC_EFFECT_NONE] = "harmless", [HC_EFFECT_VALUE] = "wrong_value",    [HC_EFFECT_OUTPUT] = "wrong_output",
        [HC_EFFECT_CRASH] = "crash",   [HC_EFFECT_ENDLESS] = "endless_loop",
    };
    json_t *tried = json_object();

    json_object_set_new(tried, "occurrences", number_json(occurrences));
    for (int i = HC_EFFECT_NONE; i < HC_EFFECTS; i++)
        json_object_set_new(tried, keys[i], number_json(effects[i]));
    return tried;
}

static json_t *verdict_json(const struct hc_power_report *r, const struct hc_verdict *v)
{
    json_t *verdict = effect_json(r, &v->worst);

    json_object_set_new(verdict, "complete", json_boolean(hc_verdict_is_complete(v)));
    json_object_set_new(verdict, "tried", effects_json(v->effects, v->occurrences));
    if (v->farther_occurrences)
        json_object_set_new(verdict, "farther", effects_json(v->farther_effects, v->farther_occurrences));
    return verdict;
}

/* The numbers, from 1, of the stretches that F explains. */
static json_t *cuts_of_json(const struct hc_power_report *r, const struct hc_finding *f)
{
    json_t *numbers = json_array();

    for (size_t i = 0; i < r->cuts->count; i++)
        if (r->cuts->cut[i].reason.pair == f->pair)
            json_array_append_new(numbers, json_integer((json_int_t)i + 1));
    return numbers;
}

static json_t *finding_json(const struct hc_power_report *r, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(r, f);
    json_t *pair = json_pack("{s:I, s:s, s:b}", "number", (json_int_t)f->number, "kind", hc_anomaly_names[p->kind],
                             "silent", f->silent);

    if (hc_finding_detail(r, f))
        json_object_set_new(pair, "detail", json_string(hc_finding_detail(r, f)));
    json_object_set_new(pair, "variable", text_json(f->variable.name));
    if (hc_finding_part(r, f))
        json_object_set_new(pair, "part", text_json(hc_finding_part(r, f)));
    json_object_set_new(pair, "variable_address", number_json(f->variable.address));
    json_object_set_new(pair, "variable_size", number_json(f->variable.size));
    json_object_set_new(pair, "address", number_json(p->witness.address));
    json_object_set_new(pair, "distance", number_json(hc_finding_distance(r, f)));
    json_object_set_new(pair, "cycles", number_json(hc_finding_cycles(r, f)));
    json_object_set_new(pair, "count", number_json(hc_finding_occurrences(r, f)));
    json_object_set_new(pair, "witness", witness_json(r, f));
    json_object_set_new(pair, "consumer", accessor_json(r, f, true));
    json_object_set_new(pair, "producer", accessor_json(r, f, false));
    if (hc_finding_verdict(r, f))
        json_object_set_new(pair, "evaluation", verdict_json(r, hc_finding_verdict(r, f)));
    if (r->cuts)
        json_object_set_new(pair, "cuts", cuts_of_json(r, f));
    return pair;
}

static json_t *pairs_json(const struct hc_power_report *r)
{
    size_t count;
    struct hc_finding *f = hc_findings(r, &count);
    json_t *pairs = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(pairs, finding_json(r, &f[i]));
    free(f);
    return pairs;
}

/* ---- the rest ---- */

static json_t *depths_json(const struct hc_power_report *r)
{
    json_t *depths = json_array();

    for (size_t i = 0; i < r->depth_count; i++)
        json_array_append_new(depths, json_pack("{s:I, s:I}", r->depth_in_cycles ? "cycles" : "instructions",
                                                (json_int_t)r->depths[i], "anomalies",
                                                (json_int_t)hc_findings_within(r, r->depths[i])));
    return depths;
}

static json_t *window_json(const struct hc_power_report *r)
{
    const struct hc_power_window *w = &r->located->longest;
    json_t *window =
        json_pack("{s:I, s:I, s:I, s:I, s:b}", "instructions", (json_int_t)w->instructions, "cycles",
                  (json_int_t)w->cycles, "restart_cycles", (json_int_t)r->restart_cycles, "needed_nanofarads",
                  (json_int_t)r->needed_nanofarads, "never_ends", hc_power_never_ends(r));

    if (w->from)
        json_object_set_new(window, "from", place_json(r, w->from));
    if (w->to)
        json_object_set_new(window, "to", place_json(r, w->to));
    return window;
}

static json_t *inputs_json(const struct hc_power_report *r)
{
    const struct hc_input_finding *f;
    size_t n = hc_power_inputs_findings(r->located->inputs, &f);
    json_t *inputs = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(inputs,
                              json_pack("{s:o, s:s, s:s, s:o, s:o, s:I}", "input", text_json(r->input[f[i].input].name),
                                        "use", hc_use_names[f[i].kind], "expected",
                                        r->input[f[i].input].long_term ? "long-term" : "most-recent", "acquired",
                                        place_json(r, f[i].acquisition), "used", place_json(r, f[i].use), "count",
                                        (json_int_t)f[i].count));
    return inputs;
}

static json_t *steerings_json(const struct hc_power_report *r)
{
    const struct hc_steering *s;
    size_t n = hc_power_inputs_steerings(r->located->inputs, &s);
    json_t *steerings = json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *one = json_pack("{s:o, s:o, s:o, s:o}", "input", text_json(r->input[s[i].input].name), "acquired",
                                place_json(r, s[i].acquisition), "branch", place_json(r, s[i].branch), "written",
                                place_json(r, s[i].write));
        if (r->steered) {
            json_object_set_new(one, "evaluation", effect_json(r, &r->steered[i].evaluated));
            json_object_set_new(one, "value", json_integer(r->steered[i].value));
        }
        json_array_append_new(steerings, one);
    }
    return steerings;
}

static json_t *torn_json(const struct hc_power_report *r)
{
    json_t *tears = json_array();

    for (size_t i = 0; i < r->torn->count; i++) {
        const struct hc_tear *t = &r->torn->tear[i];
        json_array_append_new(tears, json_pack("{s:o, s:i, s:i, s:i, s:b, s:o}", "from", place_json(r, t->call_site),
                                               "call", (int)t->call, "first", (int)t->from, "last", (int)t->to, "torn",
                                               hc_tear_breaks(t), "evaluation", effect_json(r, &t->evaluated)));
    }
    return tears;
}

static json_t *cut_json(const struct hc_power_report *r, const struct hc_cut *c, const struct hc_finding *findings)
{
    const struct hc_finding *f = hc_finding_of_pair(findings, c->reason.pair);
    json_t *cut = json_pack("{s:I, s:I, s:o, s:o, s:o}", "first", (json_int_t)c->first, "last", (json_int_t)c->last,
                            "from", place_json(r, c->first_pc), "to", place_json(r, c->last_pc), "evaluation",
                            effect_json(r, &c->evaluated));

    if (c->reason.known)
        json_object_set_new(cut, "reason",
                            json_pack("{s:o, s:o, s:o}", "address", number_json(c->reason.address), "consumer",
                                      place_json(r, c->reason.consumer), "producer",
                                      place_json(r, c->reason.producer)));
    if (f)
        json_object_set_new(cut, "finding", json_integer(f->number));
    return cut;
}

static json_t *cuts_json(const struct hc_power_report *r)
{
    const struct hc_cuts *c = r->cuts;
    json_t *stretches = json_array(), *effects = json_array();
    size_t count;
    struct hc_finding *findings = hc_findings(r, &count);

    for (size_t i = 0; i < c->count; i++)
        json_array_append_new(stretches, cut_json(r, &c->cut[i], findings));
    for (int i = HC_EFFECT_NONE; i < HC_EFFECTS; i++)
        json_array_append_new(effects,
                              json_pack("{s:s, s:I}", "effect", hc_effect_names[i], "count", (json_int_t)c->effect[i]));
    free(findings);
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o}", "instructions", (json_int_t)c->instructions, "made",
                     (json_int_t)c->cuts, "tried", (json_int_t)c->tried, "wrong", (json_int_t)hc_cuts_wrong(c),
                     "effects", effects, "stretches", stretches);
}

static json_t *outputs_json(const struct hc_power_report *r)
{
    const struct hc_output_finding *finding;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);
    json_t *outputs = json_array();

    for (size_t i = 0; i < n; i++) {
        const struct hc_output *output = &r->output[finding[i].output];
        json_array_append_new(outputs,
                              json_pack("{s:o, s:s, s:b, s:b, s:b, s:b, s:I, s:o}", "output", text_json(output->name),
                                        "behaves", finding[i].relative ? "relative" : "absolute", "expected",
                                        !hc_output_is_unexpected(output, &finding[i]), "partial", finding[i].partial,
                                        "lost", finding[i].lost, "stale", finding[i].stale, "actions",
                                        (json_int_t)finding[i].actions, "from", place_json(r, finding[i].call_site)));
    }
    return outputs;
}

static json_t *suggestion_json(const struct hc_power_report *r)
{
    json_t *before = json_array(), *remains = json_array();
    const struct hc_suggestion *s = r->suggestion;

    for (size_t i = s->given; i < s->count; i++)
        json_array_append_new(before, place_json(r, s->before[i]));
    for (size_t i = 0; i < s->rest.pairs.count; i++)
        if (s->rest.pairs.pair[i].distance != HC_NO_DISTANCE)
            json_array_append_new(remains, place_json(r, s->rest.pairs.pair[i].producer));
    return json_pack("{s:b, s:I, s:o, s:o}", "enough", s->enough, "checkpoints", (json_int_t)s->checkpoints, "before",
                     before, "remains", remains);
}

json_t *hc_power_report_value(const struct hc_power_report *r)
{
    const struct hc_located *l = r->located;
    json_t *report = json_pack("{s:i, s:o}", "schema", HC_REPORT_SCHEMA, "image", text_json(hc_image_name(r->image)));

    json_object_set_new(report, "instructions", number_json(l->instructions));
    json_object_set_new(report, "cycles", number_json(l->cycles));
    json_object_set_new(report, "accesses", number_json(l->accesses));
    json_object_set_new(report, "complete", json_boolean(!r->incomplete));
    json_object_set_new(report, "found", json_boolean(hc_power_found(r)));
    json_object_set_new(report, "anomalies", number_json(hc_power_anomalies(r)));
    json_object_set_new(report, "harmless", number_json(hc_findings_harmless(r)));
    json_object_set_new(report, "silent", number_json(hc_findings_silent(r)));
    if (r->checkpoint) {
        json_object_set_new(report, "checkpoint", text_json(r->checkpoint));
        json_object_set_new(report, "checkpoints", number_json(l->checkpoints));
        json_object_set_new(report, "longest_window", window_json(r));
    } else {
        json_object_set_new(report, "depths", depths_json(r));
    }
    if (r->input)
        json_object_set_new(report, "inputs", inputs_json(r));
    if (r->input)
        json_object_set_new(report, "steerings", steerings_json(r));
    if (r->output)
        json_object_set_new(report, "outputs", outputs_json(r));
    if (r->torn)
        json_object_set_new(report, "torn", torn_json(r));
    if (r->cuts)
        json_object_set_new(report, "cuts", cuts_json(r));
    if (r->suggestion)
        json_object_set_new(report, "suggestion", suggestion_json(r));
    json_object_set_new(report, "pairs", pairs_json(r));
    return report;
}

const char *hc_report_verdict(const json_t *pair)
{
    const json_t *evaluation = json_object_get(pair, "evaluation");
    const char *effect = json_string_value(json_object_get(evaluation, "effect"));

    if (json_is_true(json_object_get(pair, "silent")))
        return "silent";
    if (effect && !strcmp(effect, "harmless") && json_is_false(json_object_get(evaluation, "complete")))
        return "harmless so far";
    return effect ? effect : "not evaluated";
}

void hc_power_report_json(const struct hc_power_report *r, FILE *out)
{
    json_t *report = hc_power_report_value(r);

    json_dumpf(report, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(report);
}
