#include "profile_print.h"

#include "profile/summary_json.h"
#include "support/plural.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

static double microjoules(const struct hc_profile_figures *f, uint64_t cycles)
{
    return 1e-3 * f->nanojoules_a_cycle * (double)cycles;
}

static const char *base_of(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file;
}

static void write_name(FILE *out, const struct hc_summary *s, uint32_t function)
{
    const struct hc_code_function *f = hc_code_map_function(s->map, function);

    fputs(f->name, out);
    if (hc_code_map_is_ambiguous(s->map, function))
        fprintf(out, " (%s)", f->file ? base_of(f->file) : "assembly");
    if (!f->alone)
        fputs(" (inlined)", out);
}

/* ---- text ---- */

static void print_head(FILE *out, const struct hc_profile_figures *f)
{
    fprintf(out, "%s%s%s: %" PRIu64 " instructions, %" PRIu64 " cycles", f->image, f->log ? " " : "",
            f->log ? f->log : "", f->machine.instructions, f->machine.cycles);
    if (f->nanojoules_a_cycle > 0)
        fprintf(out, ", %.3f mJ", 1e-3 * microjoules(f, f->machine.cycles));
    fprintf(out, ", %" PRIu64 " interrupts, %s%.3f s%s\n", f->interrupts, f->replayed ? "about " : "", f->seconds,
            f->ended ? " (ended by the user)" : "");
    fprintf(out, "%zu stack%s, at most %u bytes of one\n", f->stacks, hc_plural(f->stacks), f->deepest_stack);
}

static void print_functions(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *f, uint64_t limit)
{
    size_t count;
    uint32_t *order = hc_summary_order(s, &count);

    fprintf(out, "\n%12s %6s %12s %10s %12s %6s %10s %6s %6s  %s\n", "instructions", "%", "cycles", "uJ",
            "with callees", "%", "calls", "stack", "deep", "function");
    for (size_t i = 0; order && i < count && (!limit || i < limit); i++) {
        const struct hc_summary_function *n = &s->function[order[i]];
        fprintf(out, "%12" PRIu64 " %6.2f %12" PRIu64 " %10.2f %12" PRIu64 " %6.2f", n->self.instructions,
                percent(n->self.instructions, s->total.instructions), n->self.cycles, microjoules(f, n->self.cycles),
                n->total.instructions, percent(n->total.instructions, s->total.instructions));
        if (hc_code_map_function(s->map, order[i])->alone)
            fprintf(out, " %10" PRIu64, n->calls);
        else
            fprintf(out, " %10s", "");
        if (n->stack_own || n->stack_with_callees)
            fprintf(out, " %6u %6u  ", n->stack_with_callees, n->stack_depth);
        else
            fprintf(out, " %6s %6s  ", "", "");
        write_name(out, s, order[i]);
        fputc('\n', out);
    }
    if (limit && count > limit)
        fprintf(out, "... and %zu more (--limit 0 shows all)\n", count - (size_t)limit);
    free(order);
}

static void print_interrupts(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *f)
{
    if (!s->interrupts)
        return;
    fprintf(out, "\n%12s %6s %12s %10s %10s %10s  %s\n", "instructions", "%", "cycles", "uJ", "times", "cycles/1",
            "interrupt, with all that its handler calls");
    for (size_t i = 0; i < s->interrupts; i++) {
        const struct hc_summary_interrupt *n = &s->interrupt[i];
        fprintf(out, "%12" PRIu64 " %6.2f %12" PRIu64 " %10.2f %10" PRIu64 " %10.1f  %s\n", n->total.instructions,
                percent(n->total.instructions, s->total.instructions), n->total.cycles, microjoules(f, n->total.cycles),
                n->count, n->count ? (double)n->total.cycles / (double)n->count : 0,
                hc_code_map_function(s->map, n->function)->name);
    }
}

static void print_lines(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *f, uint64_t limit)
{
    fprintf(out, "\n%12s %6s %12s %10s  %s\n", "instructions", "%", "cycles", "uJ", "line");
    for (size_t i = 0; i < s->lines && (!limit || i < limit); i++) {
        const struct hc_summary_line *n = &s->line[i];
        fprintf(out, "%12" PRIu64 " %6.2f %12" PRIu64 " %10.2f  ", n->self.instructions,
                percent(n->self.instructions, s->total.instructions), n->self.cycles, microjoules(f, n->self.cycles));
        if (n->file)
            fprintf(out, "%s:%d ", base_of(n->file), n->line);
        write_name(out, s, n->function);
        fputc('\n', out);
    }
    if (limit && s->lines > limit)
        fprintf(out, "... and %zu more (--limit 0 shows all)\n", s->lines - (size_t)limit);
}

/* ---- JSON ---- */

static void print_json(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *f)
{
    json_t *json = json_pack("{s:s, s:s?, s:s, s:b, s:f, s:I, s:i, s:i}", "image", f->image, "log", f->log, "part",
                             f->part, "replayed", f->replayed, "seconds", f->seconds, "interrupts_taken",
                             (json_int_t)f->interrupts, "stacks", (int)f->stacks, "deepest_stack", f->deepest_stack);

    json_object_set_new(json, "machine", hc_cost_json(f->machine, 0));
    json_object_set_new(json, "total", hc_cost_json(s->total, f->nanojoules_a_cycle));
    json_object_set_new(json, "functions", hc_summary_functions_json(s, f->nanojoules_a_cycle, 0));
    json_object_set_new(json, "interrupts", hc_summary_interrupts_json(s, f->nanojoules_a_cycle));
    json_object_set_new(json, "lines", hc_summary_lines_json(s, f->nanojoules_a_cycle));
    json_dumpf(json, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    fputc('\n', out);
    json_decref(json);
}

void hc_profile_print(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *figures,
                      const struct hc_profile_format *format)
{
    if (format->json) {
        print_json(out, s, figures);
        return;
    }
    print_head(out, figures);
    print_functions(out, s, figures, format->limit);
    print_interrupts(out, s, figures);
    if (format->lines)
        print_lines(out, s, figures, format->limit);
}
