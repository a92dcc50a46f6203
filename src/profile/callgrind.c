/* Callgrind's format, version 1 ("Callgrind Format Specification" of Valgrind's manual): costs by function and line,
 * and calls with what they took. */
#include "summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lines and edges of one function, together. */
struct writing {
    const struct hc_summary *s;
    FILE *out;
    const struct hc_summary_line **line;
    const struct hc_summary_edge **edge;
};

static const char *file_of(const char *file)
{
    return file ? file : "???";
}

static void write_name(const struct writing *w, const char *key, uint32_t function)
{
    const struct hc_code_function *f = hc_code_map_function(w->s->map, function);

    fprintf(w->out, "%s=%s", key, f->name);
    if (hc_code_map_is_ambiguous(w->s->map, function))
        fprintf(w->out, "'%s", f->file ? f->file : "assembly");
    fputc('\n', w->out);
}

static int compare_names(const char *a, const char *b)
{
    return strcmp(file_of(a), file_of(b));
}

static int line_order(const void *a, const void *b)
{
    const struct hc_summary_line *l = *(const struct hc_summary_line *const *)a;
    const struct hc_summary_line *r = *(const struct hc_summary_line *const *)b;

    if (l->function != r->function)
        return l->function < r->function ? -1 : 1;
    int order = compare_names(l->file, r->file);
    return order ? order : (l->line > r->line) - (l->line < r->line);
}

static int edge_order(const void *a, const void *b)
{
    const struct hc_summary_edge *l = *(const struct hc_summary_edge *const *)a;
    const struct hc_summary_edge *r = *(const struct hc_summary_edge *const *)b;

    if (l->caller != r->caller)
        return l->caller < r->caller ? -1 : 1;
    int order = compare_names(l->file, r->file);
    if (order || l->line != r->line)
        return order ? order : l->line < r->line ? -1 : 1;
    return (l->callee > r->callee) - (l->callee < r->callee);
}

/* A function's lines may be of several files: of macros, of headers. */
static void change_file(const struct writing *w, const char **present, const char *file)
{
    if (!strcmp(*present, file_of(file)))
        return;
    *present = file_of(file);
    fprintf(w->out, "fe=%s\n", *present);
}

static void write_function(const struct writing *w, uint32_t function, size_t *line, size_t *edge)
{
    const struct hc_code_function *f = hc_code_map_function(w->s->map, function);
    const char *file = file_of(f->file);

    fprintf(w->out, "\nfl=%s\n", file);
    write_name(w, "fn", function);
    for (; *line < w->s->lines && w->line[*line]->function == function; ++*line) {
        const struct hc_summary_line *l = w->line[*line];
        change_file(w, &file, l->file ? l->file : f->file);
        fprintf(w->out, "%d %" PRIu64 " %" PRIu64 "\n", l->line, l->self.instructions, l->self.cycles);
    }
    for (; *edge < w->s->edges && w->edge[*edge]->caller == function; ++*edge) {
        const struct hc_summary_edge *e = w->edge[*edge];
        change_file(w, &file, e->file ? e->file : f->file);
        fprintf(w->out, "cfi=%s\n", file_of(hc_code_map_function(w->s->map, e->callee)->file));
        write_name(w, "cfn", e->callee);
        /* Readers take 0 for no call at all. */
        fprintf(w->out, "calls=%" PRIu64 " 0\n%d %" PRIu64 " %" PRIu64 "\n", e->calls ? e->calls : 1, e->line,
                e->total.instructions, e->total.cycles);
    }
}

static void write_functions(struct writing *w)
{
    size_t line = 0, edge = 0;

    for (size_t i = 0; i < w->s->lines; i++)
        w->line[i] = &w->s->line[i];
    for (size_t i = 0; i < w->s->edges; i++)
        w->edge[i] = &w->s->edge[i];
    if (w->s->lines)
        qsort(w->line, w->s->lines, sizeof *w->line, line_order);
    if (w->s->edges)
        qsort(w->edge, w->s->edges, sizeof *w->edge, edge_order);
    for (uint32_t i = 0; i < w->s->functions; i++)
        if (w->s->function[i].calls || w->s->function[i].total.instructions || w->s->function[i].total.cycles)
            write_function(w, i, &line, &edge);
}

void hc_summary_write_callgrind(const struct hc_summary *s, FILE *out, const char *command)
{
    struct writing w = { .s = s, .out = out };

    w.line = calloc(s->lines + 1, sizeof *w.line);
    w.edge = calloc(s->edges + 1, sizeof *w.edge);
    fprintf(out,
            "# callgrind format\nversion: 1\ncreator: hindcast\ncmd: %s\npositions: line\n"
            "event: Ir : Instructions\nevent: Cy : Cycles\nevents: Ir Cy\n"
            "summary: %" PRIu64 " %" PRIu64 "\n",
            command, s->total.instructions, s->total.cycles);
    if (w.line && w.edge)
        write_functions(&w);
    fprintf(out, "\ntotals: %" PRIu64 " %" PRIu64 "\n", s->total.instructions, s->total.cycles);
    free(w.line);
    free(w.edge);
}
