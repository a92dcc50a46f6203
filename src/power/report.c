#include "report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE = 200, STACK_SHOWN = 4, STACK_KEPT = 32 };

/* ---- which pairs ---- */

static uint64_t largest_depth(const struct hc_power_report *r)
{
    return r->checkpoint || !r->depth_count ? UINT64_MAX - 1 : r->depths[r->depth_count - 1];
}

static bool is_anomaly(const struct hc_pair *p, uint64_t depth)
{
    return p->distance != HC_NO_DISTANCE && p->distance <= depth;
}

static bool is_silent(const struct hc_power_report *r, const struct hc_pair *p)
{
    return !is_anomaly(p, largest_depth(r)) && p->silent_distance <= largest_depth(r);
}

static size_t count_within(const struct hc_power_report *r, uint64_t depth)
{
    size_t n = 0;

    for (size_t i = 0; i < r->located->pairs.count; i++)
        n += is_anomaly(&r->located->pairs.pair[i], depth);
    return n;
}

static size_t count_harmless(const struct hc_power_report *r)
{
    size_t n = 0;

    for (size_t i = 0; r->evaluated && i < r->located->pairs.count; i++)
        n += is_anomaly(&r->located->pairs.pair[i], largest_depth(r)) && r->evaluated[i].effect == HC_EFFECT_NONE;
    return n;
}

size_t hc_power_anomalies(const struct hc_power_report *r)
{
    return count_within(r, largest_depth(r)) - count_harmless(r);
}

bool hc_power_never_ends(const struct hc_power_report *r)
{
    return r->checkpoint && r->nanofarads && r->needed_nanofarads > r->nanofarads;
}

size_t hc_power_unexpected_interactions(const struct hc_power_report *r)
{
    const struct hc_output_finding *finding;
    const struct hc_input_finding *uses;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);
    size_t unexpected = hc_inputs_findings(r->located->inputs, &uses);

    for (size_t i = 0; i < n; i++)
        unexpected += hc_output_is_unexpected(&r->output[finding[i].output], &finding[i]);
    return unexpected;
}

static size_t count_silent(const struct hc_power_report *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->located->pairs.count; i++)
        n += is_silent(r, &r->located->pairs.pair[i]);
    return n;
}

/* ---- names ---- */

struct variable {
    char name[PLACE];
    uint32_t address; /* where it begins */
};

static struct variable variable_of(const struct hc_power_report *r, const struct hc_pair *p)
{
    uint32_t address = p->witness.address, start, size;
    struct hc_symbol symbol;
    struct variable v = { .address = address };

    if (address >= r->located->stack_low && address < r->located->stack_high) {
        v.address = r->located->stack_low;
        snprintf(v.name, sizeof v.name, "the stack");
    } else if (hc_heap_block_at(r->located->heap, address, &start, &size)) {
        v.address = start;
        snprintf(v.name, sizeof v.name, "the heap's block of %u bytes", (unsigned)size);
    } else if (hc_image_data_at(r->image, address, &symbol) && symbol.size) {
        v.address = symbol.address;
        snprintf(v.name, sizeof v.name, "%s", symbol.name);
    } else {
        snprintf(v.name, sizeof v.name, "memory without a name");
    }
    return v;
}

static const char *place_of(const struct hc_power_report *r, uint32_t pc, char *out)
{
    if (pc == HC_BY_DMA || pc == HC_BY_INTERRUPT) {
        snprintf(out, PLACE, "%s", pc == HC_BY_DMA ? "DMA" : "the hardware, entering an interrupt");
        return out;
    }
    return hc_image_locate(r->image, pc, out, PLACE);
}

/* ---- text ---- */

struct entry {
    struct variable variable;
    size_t pair;
};

static int by_variable(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->variable.address != y->variable.address)
        return x->variable.address < y->variable.address ? -1 : 1;
    return x->pair < y->pair ? -1 : x->pair > y->pair;
}

static void print_context(const struct hc_power_report *r, uint32_t pc, uint32_t context, FILE *out)
{
    uint32_t pcs[STACK_KEPT];
    size_t n = hc_frames_context(r->located->frames, context, pcs, STACK_KEPT);
    size_t first = n && pcs[0] == pc;
    char place[PLACE];

    for (size_t i = first; i < n && i < first + STACK_SHOWN; i++)
        fprintf(out, "                 called from %s\n", place_of(r, pcs[i], place));
}

static const char *deed(const struct hc_pair *p, bool consumer)
{
    if (p->kind == HC_MEMORY_MAP)
        return p->consumer == p->producer ? "called" : consumer ? "used" : "remapped";
    return consumer ? "read" : "written";
}

static void print_effect(const struct hc_power_report *r, const struct hc_evaluated *e, FILE *out)
{
    struct hc_symbol symbol = { .name = "memory" };

    fprintf(out, "      effect     %s", hc_effect_names[e->effect]);
    if (e->effect == HC_EFFECT_VALUE) {
        hc_image_data_at(r->image, e->address, &symbol);
        fprintf(out, ": %s at 0x%04x is 0x%02x and should be 0x%02x, %u bytes in all", symbol.name,
                (unsigned)e->address, e->is, e->should, (unsigned)e->bytes_wrong);
    } else if (e->effect == HC_EFFECT_CRASH) {
        fprintf(out, ": %s", e->fault);
    }
    fputc('\n', out);
}

static void print_pair(const struct hc_power_report *r, const struct hc_pair *p, const struct hc_evaluated *e,
                       FILE *out)
{
    bool silent = is_silent(r, p), alone = p->kind == HC_MEMORY_MAP && p->consumer == p->producer;
    char place[PLACE];

    fprintf(out, "  %s%s\n", hc_anomaly_names[p->kind], silent ? ", silent: the value stays the same" : "");
    fprintf(out, "      %-10s %s\n", deed(p, true), place_of(r, p->consumer, place));
    print_context(r, p->consumer, p->witness.consumer_context, out);
    if (!alone) {
        fprintf(out, "      %-10s %s\n", deed(p, false), place_of(r, p->producer, place));
        print_context(r, p->producer, p->witness.producer_context, out);
    }
    if (p->kind == HC_LOST_STATE)
        fprintf(out, "      lost       %llu times\n", (unsigned long long)p->count);
    else
        fprintf(out, "      distance   %llu instructions at the nearest, %llu times\n",
                (unsigned long long)(silent ? p->silent_distance : p->distance),
                (unsigned long long)(silent ? p->silent_count : p->count));
    if (e)
        print_effect(r, e, out);
}

static void print_heading(const struct hc_power_report *r, FILE *out)
{
    const struct hc_located *l = r->located;

    fprintf(out, "%s: %llu instructions, %llu cycles, %llu accesses to non-volatile memory\n", hc_image_name(r->image),
            (unsigned long long)l->instructions, (unsigned long long)l->cycles, (unsigned long long)l->accesses);
    if (r->checkpoint)
        fprintf(out, "checkpoints: %llu (%s); %zu anomalies\n", (unsigned long long)l->checkpoints, r->checkpoint,
                count_within(r, largest_depth(r)));
    for (size_t i = 0; !r->checkpoint && i < r->depth_count; i++)
        fprintf(out, "execution depth %llu instructions: %zu anomalies\n", (unsigned long long)r->depths[i],
                count_within(r, r->depths[i]));
    if (count_harmless(r))
        fprintf(out, "%zu of them came to nothing when they were tried\n", count_harmless(r));
    if (count_silent(r))
        fprintf(out, "%zu silent pairs%s\n", count_silent(r), r->show_silent ? "" : " (--silent shows them)");
}

static void print_window(const struct hc_power_report *r, FILE *out)
{
    const struct hc_window *w = &r->located->longest;
    char from[PLACE], to[PLACE];

    if (!r->checkpoint)
        return;
    fprintf(out, "longest window: %llu instructions, %llu cycles, from %s to %s: needs %.3f uF\n",
            (unsigned long long)w->instructions, (unsigned long long)w->cycles,
            w->from ? place_of(r, w->from, from) : "power-on", w->to ? place_of(r, w->to, to) : "the end",
            (double)r->needed_nanofarads / 1e3);
    if (hc_power_never_ends(r))
        fprintf(out, "it never ends: a capacitor of %.3f uF is empty before\n", (double)r->nanofarads / 1e3);
}

static bool is_shown(const struct hc_power_report *r, const struct hc_pair *p)
{
    return is_anomaly(p, largest_depth(r)) || (r->show_silent && is_silent(r, p));
}

static void print_inputs(const struct hc_power_report *r, FILE *out)
{
    const struct hc_input_finding *f;
    size_t n = hc_inputs_findings(r->located->inputs, &f);
    char place[PLACE];

    for (size_t i = 0; i < n; i++) {
        const struct hc_input *input = &r->input[f[i].input];
        fprintf(out, "%s%s is expected to be %s and is not\n", i ? "" : "\n", input->name,
                input->long_term ? "long-term" : "most-recent");
        fprintf(out, "      acquired   %s\n", place_of(r, f[i].acquisition, place));
        fprintf(out, "      used       %s, %llu times, %s\n", place_of(r, f[i].use, place),
                (unsigned long long)f[i].count,
                input->long_term   ? "without a checkpoint in between"
                : f[i].checkpoints ? "behind a checkpoint"
                                   : "where a checkpoint may come in between");
    }
}

static void print_outputs(const struct hc_power_report *r, FILE *out)
{
    const struct hc_output_finding *finding;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);
    char place[PLACE];

    for (size_t i = 0; i < n; i++) {
        const struct hc_output *output = &r->output[finding[i].output];
        fprintf(out, "%s%s behaves as %s%s: called %llu times from %s\n", i ? "" : "\n", output->name,
                finding[i].relative ? "relative" : "absolute",
                hc_output_is_unexpected(output, &finding[i]) ? ", which was not expected" : "",
                (unsigned long long)finding[i].actions, place_of(r, finding[i].call_site, place));
    }
}

static void print_suggestion(const struct hc_power_report *r, FILE *out)
{
    const struct hc_suggestion *s = r->suggestion;
    char place[PLACE];

    if (!s)
        return;
    fprintf(out, "\n%zu more checkpoints, %llu in the run with those that are there, %s\n", s->count - s->given,
            (unsigned long long)s->checkpoints,
            s->enough ? "leave nothing that a checkpoint could remove" : "are not enough");
    for (size_t i = s->given; i < s->count; i++)
        fprintf(out, "  before     %s\n", place_of(r, s->before[i], place));
    for (size_t i = 0; i < s->rest.pairs.count; i++)
        if (s->rest.pairs.pair[i].distance != HC_NO_DISTANCE)
            fprintf(out, "  remains    %s\n", place_of(r, s->rest.pairs.pair[i].producer, place));
}

void hc_power_report_text(const struct hc_power_report *r, FILE *out)
{
    size_t count = 0;
    struct entry *entry = calloc(r->located->pairs.count + 1, sizeof *entry);

    print_heading(r, out);
    print_window(r, out);
    if (!entry)
        abort();
    for (size_t i = 0; i < r->located->pairs.count; i++)
        if (is_shown(r, &r->located->pairs.pair[i]))
            entry[count++] = (struct entry){ variable_of(r, &r->located->pairs.pair[i]), i };
    qsort(entry, count, sizeof *entry, by_variable);
    for (size_t i = 0; i < count; i++) {
        if (!i || entry[i].variable.address != entry[i - 1].variable.address)
            fprintf(out, "\n%s (0x%04x)\n", entry[i].variable.name, (unsigned)entry[i].variable.address);
        print_pair(r, &r->located->pairs.pair[entry[i].pair], r->evaluated ? &r->evaluated[entry[i].pair] : NULL, out);
    }
    free(entry);
    print_inputs(r, out);
    print_outputs(r, out);
    print_suggestion(r, out);
}

/* ---- JSON ---- */

static json_t *place_json(const struct hc_power_report *r, uint32_t pc)
{
    struct hc_symbol symbol;
    struct hc_line line;
    json_t *place = json_pack("{s:I}", "pc", (json_int_t)pc);

    if (pc == HC_BY_DMA || pc == HC_BY_INTERRUPT)
        json_object_set_new(place, "by", json_string(pc == HC_BY_DMA ? "dma" : "interrupt"));
    if (hc_image_function_at(r->image, pc, &symbol))
        json_object_set_new(place, "function", json_string(symbol.name));
    if (hc_image_line_at(r->image, pc, &line)) {
        json_object_set_new(place, "file", json_string(line.file));
        json_object_set_new(place, "line", json_integer(line.line));
    }
    return place;
}

static json_t *accessor_json(const struct hc_power_report *r, uint32_t pc, uint32_t context)
{
    uint32_t pcs[STACK_KEPT];
    size_t n = hc_frames_context(r->located->frames, context, pcs, STACK_KEPT);
    json_t *accessor = place_json(r, pc), *stack = json_array();

    for (size_t i = n && pcs[0] == pc; i < n && i < STACK_KEPT; i++)
        json_array_append_new(stack, place_json(r, pcs[i]));
    json_object_set_new(accessor, "stack", stack);
    return accessor;
}

static json_t *effect_json(const struct hc_evaluated *e)
{
    json_t *effect = json_pack("{s:s}", "effect", hc_effect_names[e->effect]);

    if (e->effect == HC_EFFECT_VALUE) {
        json_object_set_new(effect, "address", json_integer(e->address));
        json_object_set_new(effect, "is", json_integer(e->is));
        json_object_set_new(effect, "should", json_integer(e->should));
        json_object_set_new(effect, "bytes", json_integer(e->bytes_wrong));
    }
    if (e->effect == HC_EFFECT_CRASH)
        json_object_set_new(effect, "fault", json_string(e->fault));
    return effect;
}

static json_t *pair_json(const struct hc_power_report *r, const struct hc_pair *p, const struct hc_evaluated *e)
{
    struct variable v = variable_of(r, p);
    bool silent = is_silent(r, p);
    json_t *pair = json_pack("{s:s, s:b, s:s, s:I, s:I, s:I}", "kind", hc_anomaly_names[p->kind], "silent", silent,
                             "variable", v.name, "address", (json_int_t)p->witness.address, "distance",
                             (json_int_t)(silent ? p->silent_distance : p->distance), "count",
                             (json_int_t)(silent ? p->silent_count : p->count));

    json_object_set_new(pair, "consumer", accessor_json(r, p->consumer, p->witness.consumer_context));
    json_object_set_new(pair, "producer", accessor_json(r, p->producer, p->witness.producer_context));
    if (e)
        json_object_set_new(pair, "evaluation", effect_json(e));
    return pair;
}

static json_t *depths_json(const struct hc_power_report *r)
{
    json_t *depths = json_array();

    for (size_t i = 0; i < r->depth_count; i++)
        json_array_append_new(depths, json_pack("{s:I, s:I}", "instructions", (json_int_t)r->depths[i], "anomalies",
                                                (json_int_t)count_within(r, r->depths[i])));
    return depths;
}

static json_t *window_json(const struct hc_power_report *r)
{
    const struct hc_window *w = &r->located->longest;
    json_t *window =
        json_pack("{s:I, s:I, s:I, s:b}", "instructions", (json_int_t)w->instructions, "cycles", (json_int_t)w->cycles,
                  "needed_nanofarads", (json_int_t)r->needed_nanofarads, "never_ends", hc_power_never_ends(r));

    if (w->from)
        json_object_set_new(window, "from", place_json(r, w->from));
    if (w->to)
        json_object_set_new(window, "to", place_json(r, w->to));
    return window;
}

static json_t *inputs_json(const struct hc_power_report *r)
{
    const struct hc_input_finding *f;
    size_t n = hc_inputs_findings(r->located->inputs, &f);
    json_t *inputs = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(inputs,
                              json_pack("{s:s, s:s, s:o, s:o, s:I}", "input", r->input[f[i].input].name, "expected",
                                        r->input[f[i].input].long_term ? "long-term" : "most-recent", "acquired",
                                        place_json(r, f[i].acquisition), "used", place_json(r, f[i].use), "count",
                                        (json_int_t)f[i].count));
    return inputs;
}

static json_t *outputs_json(const struct hc_power_report *r)
{
    const struct hc_output_finding *finding;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);
    json_t *outputs = json_array();

    for (size_t i = 0; i < n; i++) {
        const struct hc_output *output = &r->output[finding[i].output];
        json_array_append_new(outputs,
                              json_pack("{s:s, s:s, s:b, s:I, s:o}", "output", output->name, "behaves",
                                        finding[i].relative ? "relative" : "absolute", "expected",
                                        !hc_output_is_unexpected(output, &finding[i]), "actions",
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

void hc_power_report_json(const struct hc_power_report *r, FILE *out)
{
    const struct hc_located *l = r->located;
    json_t *pairs = json_array();
    json_t *report =
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I}", "image", hc_image_name(r->image), "instructions",
                  (json_int_t)l->instructions, "cycles", (json_int_t)l->cycles, "accesses", (json_int_t)l->accesses,
                  "anomalies", (json_int_t)hc_power_anomalies(r), "silent", (json_int_t)count_silent(r));

    if (!report) /* a path that is no UTF-8 */
        report = json_object();
    if (r->checkpoint) {
        json_object_set_new(report, "checkpoint", json_string(r->checkpoint));
        json_object_set_new(report, "checkpoints", json_integer((json_int_t)l->checkpoints));
        json_object_set_new(report, "longest_window", window_json(r));
    } else {
        json_object_set_new(report, "depths", depths_json(r));
    }
    if (r->input)
        json_object_set_new(report, "inputs", inputs_json(r));
    if (r->output)
        json_object_set_new(report, "outputs", outputs_json(r));
    if (r->suggestion)
        json_object_set_new(report, "suggestion", suggestion_json(r));
    for (size_t i = 0; i < l->pairs.count; i++)
        if (is_shown(r, &l->pairs.pair[i]))
            json_array_append_new(pairs, pair_json(r, &l->pairs.pair[i], r->evaluated ? &r->evaluated[i] : NULL));
    json_object_set_new(report, "pairs", pairs);
    json_dumpf(report, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(report);
}
