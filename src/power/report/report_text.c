/* The report for people. */
#include "findings.h"
#include "image/source.h"
#include "support/plural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { CALLERS_SHOWN = 4 };

struct text_report {
    const struct hc_power_report *r;
    FILE *out;
    struct hc_sources sources;
};

/* ---- one finding ---- */

static void print_source(struct text_report *t, uint32_t pc)
{
    struct hc_line line;

    if (!hc_image_line_at(t->r->image, pc, &line))
        return;
    const char *source = hc_source_line(&t->sources, line.file, line.line);
    if (!*source)
        return;
    fputs("                 | ", t->out);
    for (; *source; source++) /* nothing that a terminal would obey */
        fputc(iscntrl((unsigned char)*source) ? ' ' : *source, t->out);
    fputc('\n', t->out);
}

static void print_accessor(struct text_report *t, const struct hc_finding *f, bool consumer)
{
    const struct hc_pair *p = hc_finding_pair(t->r, f);
    uint32_t pc = consumer ? p->consumer : p->producer, callers[HC_STACK_KEPT];
    size_t n =
        hc_place_callers(t->r, pc, consumer ? p->witness.consumer_context : p->witness.producer_context, callers);
    char place[HC_PLACE_TEXT];

    fprintf(t->out, "      %-10s %s\n", hc_finding_deed(t->r, f, consumer), hc_place_text(t->r, pc, place));
    print_source(t, pc);
    for (size_t i = 0; i < n && i < CALLERS_SHOWN; i++)
        fprintf(t->out, "                 called from %s\n", hc_place_text(t->r, callers[i], place));
    if (n > CALLERS_SHOWN)
        fprintf(t->out, "                 and %zu more\n", n - CALLERS_SHOWN);
}

static void print_effect(struct text_report *t, const struct hc_evaluated *e)
{
    struct hc_symbol symbol = { .name = "memory" };
    char text[400];

    hc_image_data_at(t->r->image, e->address, &symbol);
    hc_effect_text(e, symbol.name, text, sizeof text);
    fprintf(t->out, "      effect     %s%s%s\n", hc_effect_names[e->effect], *text ? ": " : "", text);
}

static void print_verdict(struct text_report *t, const struct hc_verdict *v)
{
    char text[400];

    print_effect(t, &v->worst);
    fprintf(t->out, "      tried      %s\n", hc_verdict_text(v, text, sizeof text));
    if (v->farther && v->worst.effect > HC_EFFECT_NONE)
        fprintf(t->out, "      with       the checkpoint %llu instruction%s before the second place\n",
                (unsigned long long)(v->witness.produced - v->witness.consumed),
                hc_plural(v->witness.produced - v->witness.consumed));
}

/* Which cuts it explains. */
static void print_cuts_of(struct text_report *t, const struct hc_finding *f)
{
    enum { SHOWN = 10 };
    const struct hc_cuts *c = t->r->cuts;
    size_t n = 0;

    for (size_t i = 0; c && i < c->count; i++)
        if (c->cut[i].reason.pair == f->pair && n++ < SHOWN)
            fprintf(t->out, "%s%zu", n == 1 ? "      seen in    cut " : ", ", i + 1);
    if (n > SHOWN)
        fprintf(t->out, " and %zu more", n - SHOWN);
    if (n)
        fputc('\n', t->out);
}

static void print_finding(struct text_report *t, const struct hc_finding *f)
{
    const struct hc_pair *p = hc_finding_pair(t->r, f);
    unsigned long long occurrences = hc_finding_occurrences(t->r, f);

    fprintf(t->out, "  #%-3u %s", f->number, hc_anomaly_names[p->kind]);
    if (hc_finding_detail(t->r, f))
        fprintf(t->out, ": %s", hc_finding_detail(t->r, f));
    else if (hc_finding_part(t->r, f))
        fprintf(t->out, ": %s", hc_finding_part(t->r, f));
    else if (f->variable.size > 1 && p->witness.address > f->variable.address)
        fprintf(t->out, " at byte %u", (unsigned)(p->witness.address - f->variable.address));
    fprintf(t->out, "%s\n", f->silent ? ", silent: the value stays the same" : "");
    print_accessor(t, f, true);
    if (!hc_finding_is_single(t->r, f))
        print_accessor(t, f, false);
    if (p->kind == HC_LOST_STATE)
        fprintf(t->out, "      lost       %llu time%s\n", occurrences, hc_plural(occurrences));
    else
        fprintf(t->out, "      distance   %llu instruction%s, %llu cycle%s at the nearest, %llu time%s\n",
                (unsigned long long)hc_finding_distance(t->r, f), hc_plural(hc_finding_distance(t->r, f)),
                (unsigned long long)hc_finding_cycles(t->r, f), hc_plural(hc_finding_cycles(t->r, f)), occurrences,
                hc_plural(occurrences));
    if (hc_finding_verdict(t->r, f))
        print_verdict(t, hc_finding_verdict(t->r, f));
    print_cuts_of(t, f);
}

static void print_findings(struct text_report *t)
{
    size_t count;
    struct hc_finding *f = hc_findings(t->r, &count);

    for (size_t i = 0; i < count; i++) {
        const struct hc_variable *v = &f[i].variable;
        if (!i || strcmp(v->name, f[i - 1].variable.name) != 0 || v->address != f[i - 1].variable.address ||
            f[i].silent != f[i - 1].silent)
            fprintf(t->out, "\n%s (0x%04x%s)\n", v->name, (unsigned)v->address, f[i].silent ? ", silent" : "");
        print_finding(t, &f[i]);
    }
    free(f);
}

/* ---- the whole ---- */

static void print_anomalies(size_t count, FILE *out)
{
    fprintf(out, "%zu %s\n", count, count == 1 ? "anomaly" : "anomalies");
}

static void print_depth(const struct hc_power_report *r, uint64_t depth, FILE *out)
{
    fprintf(out, "execution depth %llu %s: ", (unsigned long long)depth,
            r->depth_in_cycles ? "cycles" : "instructions");
    print_anomalies(hc_findings_within(r, depth), out);
}

static void print_heading(const struct hc_power_report *r, FILE *out)
{
    const struct hc_located *l = r->located;

    fprintf(out, "%s: %llu instructions, %llu cycles, %llu accesses to non-volatile memory\n", hc_image_name(r->image),
            (unsigned long long)l->instructions, (unsigned long long)l->cycles, (unsigned long long)l->accesses);
    if (r->incomplete)
        fputs("given up before its end: these are the findings so far\n", out);
    if (r->checkpoint) {
        fprintf(out, "checkpoints: %llu (%s); ", (unsigned long long)l->checkpoints, r->checkpoint);
        print_anomalies(hc_findings_within(r, UINT64_MAX - 1), out);
    }
    for (size_t i = 0; !r->checkpoint && !r->cuts_decide && i < r->depth_count; i++)
        print_depth(r, r->depths[i], out);
    if (hc_findings_harmless(r))
        fprintf(out, "%zu of them came to nothing when they were tried\n", hc_findings_harmless(r));
    if (hc_findings_silent(r) && !r->cuts_decide)
        fprintf(out, "%zu silent pair%s%s\n", hc_findings_silent(r), hc_findings_silent(r) == 1 ? "" : "s",
                r->show_silent ? "" : " (--silent shows them)");
}

static void print_window(const struct hc_power_report *r, FILE *out)
{
    const struct hc_power_window *w = &r->located->longest;
    char from[HC_PLACE_TEXT], to[HC_PLACE_TEXT];

    if (!r->checkpoint)
        return;
    fprintf(out, "longest window: %llu instructions, %llu cycles, from %s to %s: needs %.3f uF\n",
            (unsigned long long)w->instructions, (unsigned long long)w->cycles,
            w->from ? hc_place_text(r, w->from, from) : "power-on", w->to ? hc_place_text(r, w->to, to) : "the end",
            (double)r->needed_nanofarads / 1e3);
    if (r->restart_cycles)
        fprintf(out, "                with %llu cycles before it, after a failure\n",
                (unsigned long long)r->restart_cycles);
    if (hc_power_never_ends(r))
        fprintf(out, "it never ends: a capacitor of %.3f uF is empty before\n", (double)r->nanofarads / 1e3);
}

static void print_inputs(const struct hc_power_report *r, FILE *out)
{
    const struct hc_input_finding *f;
    size_t n = hc_power_inputs_findings(r->located->inputs, &f);
    char place[HC_PLACE_TEXT];

    for (size_t i = 0; i < n; i++) {
        const struct hc_power_input *input = &r->input[f[i].input];
        fprintf(out, "%s%s is expected to be %s and is not\n", i ? "" : "\n", input->name,
                input->long_term ? "long-term" : "most-recent");
        fprintf(out, "      acquired   %s\n", hc_place_text(r, f[i].acquisition, place));
        fprintf(out, "      %-10s %s, %llu time%s, %s\n", hc_use_names[f[i].kind], hc_place_text(r, f[i].use, place),
                (unsigned long long)f[i].count, hc_plural(f[i].count),
                input->long_term   ? "without a checkpoint in between"
                : f[i].checkpoints ? "after a checkpoint"
                                   : "where a checkpoint may come in between");
    }
}

static void print_steerings(struct text_report *t)
{
    const struct hc_power_report *r = t->r;
    const struct hc_steering *s;
    size_t n = hc_power_inputs_steerings(r->located->inputs, &s);
    char place[HC_PLACE_TEXT];

    for (size_t i = 0; i < n; i++) {
        fprintf(t->out, "\n%s steers a branch, and is acquired again after a failure\n", r->input[s[i].input].name);
        fprintf(t->out, "      acquired   %s\n", hc_place_text(r, s[i].acquisition, place));
        fprintf(t->out, "      branch     %s\n", hc_place_text(r, s[i].branch, place));
        fprintf(t->out, "      written    %s\n", hc_place_text(r, s[i].write, place));
        if (!r->steered)
            continue;
        if (r->steered[i].evaluated.effect > HC_EFFECT_NONE)
            fprintf(t->out, "      if it is   %u then, where the program alone would not come to:\n",
                    r->steered[i].value);
        print_effect(t, &r->steered[i].evaluated);
    }
}

static void print_output(const struct hc_power_report *r, const struct hc_output_finding *f, FILE *out)
{
    const struct hc_output *output = &r->output[f->output];
    char place[HC_PLACE_TEXT];

    fprintf(out, "%s behaves as %s%s: called %llu time%s from %s\n", output->name,
            f->relative ? "relative" : "absolute", hc_output_is_unexpected(output, f) ? ", which was not expected" : "",
            (unsigned long long)f->actions, hc_plural(f->actions), hc_place_text(r, f->call_site, place));
    if (f->partial)
        fprintf(out, "      partial    done in part and then again, it ends elsewhere\n");
    if (f->lost)
        fprintf(out, "      lost       its effect goes with the supply, and a checkpoint lies behind it\n");
    if (f->stale)
        fprintf(out, "      stale      what it is given was measured before a checkpoint\n");
}

static void print_outputs(const struct hc_power_report *r, FILE *out)
{
    const struct hc_output_finding *finding;
    size_t n = hc_outputs_findings(r->located->outputs, &finding);

    for (size_t i = 0; i < n; i++) {
        if (!i)
            fputc('\n', out);
        print_output(r, &finding[i], out);
    }
}

static void print_suggestion(const struct hc_power_report *r, FILE *out)
{
    const struct hc_suggestion *s = r->suggestion;
    char place[HC_PLACE_TEXT];

    if (!s)
        return;
    bool one = s->count - s->given == 1;
    fprintf(out, "\n%zu more checkpoint%s, %llu in the run with those that are there, %s\n", s->count - s->given,
            one ? "" : "s", (unsigned long long)s->checkpoints,
            !s->enough ? one ? "is not enough" : "are not enough"
            : one      ? "leaves nothing that a checkpoint could remove"
                       : "leave nothing that a checkpoint could remove");
    for (size_t i = s->given; i < s->count; i++)
        fprintf(out, "  before     %s\n", hc_place_text(r, s->before[i], place));
    for (size_t i = 0; i < s->rest.pairs.count; i++)
        if (s->rest.pairs.pair[i].distance != HC_NO_DISTANCE)
            fprintf(out, "  remains    %s\n", hc_place_text(r, s->rest.pairs.pair[i].producer, place));
}

static void print_tear(struct text_report *t, const struct hc_tear *tear)
{
    char from[HC_PLACE_TEXT], to[HC_PLACE_TEXT];

    if (!tear->to)
        fprintf(t->out, "    before its first instruction");
    else
        fprintf(t->out, "    after %u to %u instructions, %s to %s", (unsigned)tear->from, (unsigned)tear->to,
                hc_place_text(t->r, tear->first, from), hc_place_text(t->r, tear->last, to));
    fprintf(t->out, "%s\n", hc_tear_breaks(tear) ? ": torn" : "");
    print_effect(t, &tear->evaluated);
}

static void print_torn(struct text_report *t)
{
    const struct hc_torn *torn = t->r->torn;
    char place[HC_PLACE_TEXT];

    if (!torn)
        return;
    fprintf(t->out, "\n%s, cut short in %u of its calls, after each of %llu changes of memory: %s\n", t->r->checkpoint,
            torn->calls, (unsigned long long)torn->failures, hc_torn_broken(torn) ? "it can be torn" : "it holds");
    for (size_t i = 0; i < torn->count; i++) {
        const struct hc_tear *tear = &torn->tear[i];
        if (!tear->from)
            fprintf(t->out, "  call %u from %s\n", tear->call, hc_place_text(t->r, tear->call_site, place));
        print_tear(t, tear);
    }
}

static void print_cut(struct text_report *t, size_t i, const struct hc_finding *findings)
{
    const struct hc_cut *cut = &t->r->cuts->cut[i];
    const struct hc_finding *f = hc_finding_of_pair(findings, cut->reason.pair);
    struct hc_symbol symbol = { .name = "memory" };
    char from[HC_PLACE_TEXT], to[HC_PLACE_TEXT];

    fprintf(t->out, "  cut %zu: after instruction %llu", i + 1, (unsigned long long)cut->first);
    if (cut->last > cut->first)
        fprintf(t->out, " to %llu", (unsigned long long)cut->last);
    fprintf(t->out, ", %s%s%s\n", hc_place_text(t->r, cut->first_pc, from), cut->last > cut->first ? " to " : "",
            cut->last > cut->first ? hc_place_text(t->r, cut->last_pc, to) : "");
    print_effect(t, &cut->evaluated);
    hc_image_data_at(t->r->image, cut->reason.address, &symbol);
    if (cut->reason.known)
        fprintf(t->out, "      because    %s is read at %s, and was written at %s%s", symbol.name,
                hc_place_text(t->r, cut->reason.consumer, from), hc_place_text(t->r, cut->reason.producer, to),
                f ? "" : "\n");
    if (f)
        fprintf(t->out, ": #%u\n", f->number);
}

static void print_cuts(struct text_report *t)
{
    enum { SHOWN = 20 };
    const struct hc_cuts *c = t->r->cuts;
    size_t count;

    if (!c)
        return;
    struct hc_finding *findings = hc_findings(t->r, &count);
    unsigned long long wrong = hc_cuts_wrong(c);
    fprintf(t->out,
            "\npower cut after %llu of %llu instructions, %llu of them tried (the others leave the same memory): ",
            (unsigned long long)c->cuts, (unsigned long long)c->instructions, (unsigned long long)c->tried);
    if (wrong)
        fprintf(t->out, "%llu end wrong\n", wrong);
    else
        fputs("all end as they should\n", t->out);
    for (size_t i = 0; i < c->count && i < SHOWN; i++)
        print_cut(t, i, findings);
    if (c->count > SHOWN)
        fprintf(t->out, "  and %zu more; --json has all\n", c->count - SHOWN);
    free(findings);
}

void hc_power_report_text(const struct hc_power_report *r, FILE *out)
{
    struct text_report t = { .r = r, .out = out };

    print_heading(r, out);
    print_window(r, out);
    print_findings(&t);
    print_inputs(r, out);
    print_steerings(&t);
    print_outputs(r, out);
    print_torn(&t);
    print_cuts(&t);
    print_suggestion(r, out);
    hc_sources_free(&t.sources);
}
