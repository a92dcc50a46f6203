/* hindcast print RUN: expressions over all nodes of a network, on its axis of time. */
#include "command.h"
#include "files.h"
#include "network.h"
#include "plot.h"
#include "print.h"
#include "support/grow.h"
#include "support/plural.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int64_t time; /* on the axis, ns */
    uint64_t instruction;
    uint32_t node;
    uint16_t segment;
    size_t first; /* of its cells */
};

struct cell {
    char *text; /* NULL: it failed */
    double number;
};

struct table {
    const struct hc_print_options *o;
    struct hc_network network;
    uint32_t node; /* whose rows come */
    size_t stretch;
    uint64_t last; /* instruction of the row before */
    struct row *rows;
    size_t count, room;
    struct cell *cells;
    size_t cell_count, cell_room;
};

/* ---- collecting ---- */

static bool add_cell(struct table *t, const struct hc_print_cell *from)
{
    struct cell cell = { from->failed ? NULL : strdup(from->text), from->failed ? NAN : from->number };

    if (!hc_grow(&t->cells, t->cell_count, &t->cell_room, sizeof *t->cells)) {
        free(cell.text);
        return false;
    }
    t->cells[t->cell_count++] = cell;
    return true;
}

/* Moments are counted anew in each stretch. */
static void follow_stretches(struct table *t, const struct hc_moment *moment)
{
    const struct hc_network_history_node *node = &t->network.history.nodes[t->node];
    int64_t clock = (int64_t)hc_to_us(moment->time) * 1000;

    while (t->stretch + 1 < node->stretch_count &&
           (moment->instructions < t->last || clock >= node->stretches[t->stretch + 1].begin)) {
        t->stretch++;
        t->last = 0;
    }
    t->last = moment->instructions;
}

static bool add_row(void *owner, const struct hc_moment *moment, uint16_t segment, const struct hc_print_cell *cells,
                    int count)
{
    struct table *t = owner;

    if (!hc_grow(&t->rows, t->count, &t->room, sizeof *t->rows))
        return false;
    follow_stretches(t, moment);
    t->rows[t->count++] = (struct row){
        .time = hc_axis_place(&t->network.axis, &t->network.history, t->node, t->stretch, moment->instructions,
                              (int64_t)hc_to_us(moment->time) * 1000),
        .instruction = moment->instructions,
        .node = t->node,
        .segment = segment,
        .first = t->cell_count,
    };
    for (int i = 0; i < count; i++)
        if (!add_cell(t, &cells[i]))
            return false;
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    return x->time != y->time   ? (x->time > y->time) - (x->time < y->time)
           : x->node != y->node ? (x->node > y->node) - (x->node < y->node)
                                : (x->first > y->first) - (x->first < y->first);
}

/* Nodes that never come to the place have no rows; a program in which an expression is unknown ends the command. */
static int collect(struct table *t)
{
    size_t without = 0;

    if (hc_network_unreplayed(&t->network) == t->network.history.node_count) {
        hc_complain("%s: these logs have messages alone, so there is nothing to replay; use `hindcast order`",
                    t->o->timeline.image);
        return HC_EXIT_INPUT;
    }
    if (hc_network_regions(&t->network))
        hc_complain(HC_PRINT_NO_TIME);
    for (t->node = 0; t->node < t->network.history.node_count; t->node++) {
        const struct hc_network_history_node *node = &t->network.history.nodes[t->node];
        struct hc_print_options o = *t->o;
        size_t before = t->count;
        if (node->log < 0 || !node->stretch_count)
            continue;
        t->stretch = 0;
        t->last = 0;
        hc_recording_options(&o.timeline, &t->network.recordings.recordings[node->log]);
        int code = hc_print_rows(&o, add_row, t);
        if (code == HC_EXIT_INPUT)
            return code;
        without += t->count == before;
    }
    if (!t->count) {
        hc_complain("'%s'%s was never reached%s", t->o->at, t->o->places > 1 ? " or any other place" : "",
                    t->o->condition ? " with that condition" : "");
        return HC_EXIT_FOUND;
    }
    if (without)
        hc_complain("%zu node%s never came to '%s'%s", without, hc_plural(without), t->o->at,
                    t->o->places > 1 ? " or any other place" : "");
    qsort(t->rows, t->count, sizeof *t->rows, by_time);
    return HC_EXIT_FINE;
}

/* ---- writing ---- */

static unsigned address_of(const struct table *t, const struct row *row)
{
    return t->network.history.nodes[row->node].address;
}

static void write_csv(const struct table *t)
{
    printf("time,node,instruction");
    for (int i = 0; i < t->o->expressions; i++) {
        putchar(',');
        hc_print_csv(t->o->expression[i]);
    }
    puts(",segment");
    for (size_t r = 0; r < t->count; r++) {
        const struct row *row = &t->rows[r];
        printf("%.6f,%u,%" PRIu64, (double)row->time / 1e9, address_of(t, row), row->instruction);
        for (int i = 0; i < t->o->expressions; i++) {
            putchar(',');
            hc_print_csv(t->cells[row->first + (size_t)i].text ? t->cells[row->first + (size_t)i].text : "");
        }
        printf(",%u\n", row->segment);
    }
}

static void write_table(const struct table *t)
{
    printf("%14s  %-6s %-12s", "time (s)", "node", "instruction");
    for (int i = 0; i < t->o->expressions; i++)
        printf("  %-10s", t->o->expression[i]);
    putchar('\n');
    for (size_t r = 0; r < t->count; r++) {
        const struct row *row = &t->rows[r];
        printf("%14.6f  %-6u #%-11" PRIu64, (double)row->time / 1e9, address_of(t, row), row->instruction);
        for (int i = 0; i < t->o->expressions; i++) {
            size_t width = strlen(t->o->expression[i]);
            const char *text = t->cells[row->first + (size_t)i].text;
            printf("  %-*s", (int)(width > 10 ? width : 10), text ? text : "-");
        }
        putchar('\n');
    }
}

static void write_json(const struct table *t)
{
    json_t *list = json_array();

    for (size_t r = 0; r < t->count; r++) {
        const struct row *row = &t->rows[r];
        json_t *object = json_pack("{sf si sI}", "time", (double)row->time / 1e9, "node", address_of(t, row),
                                   "instruction", (json_int_t)row->instruction);
        for (int i = 0; i < t->o->expressions; i++) {
            const struct cell *c = &t->cells[row->first + (size_t)i];
            struct hc_print_cell cell = { .number = c->number, .failed = !c->text };
            snprintf(cell.text, sizeof cell.text, "%s", c->text ? c->text : "");
            json_object_set_new(object, t->o->expression[i], hc_print_json(&cell));
        }
        json_object_set_new(object, "segment", json_integer(row->segment));
        json_array_append_new(list, object);
    }
    json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12) | JSON_PRESERVE_ORDER);
    putchar('\n');
    json_decref(list);
}

/* ---- a plot: a line for each node and expression ---- */

/* A value holds until the node's next one. */
static void fill(const struct table *t, uint32_t node, int expression, double *value)
{
    double last = NAN;

    for (size_t r = 0; r < t->count; r++) {
        if (t->rows[r].node == node)
            last = t->cells[t->rows[r].first + (size_t)expression].number;
        value[r] = last;
    }
}

/* What a plot takes. */
struct drawn {
    double *seconds, *values;
    struct hc_plot_series *of;
    char (*names)[80];
};

static void free_drawn(struct drawn *d)
{
    free(d->seconds);
    free(d->values);
    free(d->of);
    free((void *)d->names);
}

static void draw_series(const struct table *t, struct drawn *d, size_t i)
{
    uint32_t node = (uint32_t)(i / (size_t)t->o->expressions);
    int expression = (int)(i % (size_t)t->o->expressions);

    snprintf(d->names[i], sizeof *d->names, "node %u%s%s", t->network.history.nodes[node].address,
             t->o->expressions > 1 ? " " : "", t->o->expressions > 1 ? t->o->expression[expression] : "");
    d->of[i] = (struct hc_plot_series){ d->names[i], d->values + i * t->count };
    fill(t, node, expression, d->values + i * t->count);
}

static int draw(const struct table *t, FILE *out)
{
    size_t nodes = t->network.history.node_count, series = nodes * (size_t)t->o->expressions;
    struct drawn d = { .seconds = calloc(t->count + 1, sizeof *d.seconds),
                       .values = calloc(t->count * series + 1, sizeof *d.values),
                       .of = calloc(series + 1, sizeof *d.of),
                       .names = calloc(series + 1, sizeof *d.names) };
    char title[HC_PRINT_TEXT];

    if (!d.seconds || !d.values || !d.of || !d.names) {
        free_drawn(&d);
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    for (size_t r = 0; r < t->count; r++)
        d.seconds[r] = (double)t->rows[r].time / 1e9;
    for (size_t i = 0; i < series; i++)
        draw_series(t, &d, i);
    snprintf(title, sizeof title, "%s at %s", t->o->expressions == 1 ? t->o->expression[0] : "", t->o->at);
    struct hc_plot plot = { .title = t->o->title ? t->o->title : title,
                            .points = t->count,
                            .seconds = d.seconds,
                            .series = (int)series,
                            .of = d.of };
    hc_plot_svg(out, &plot);
    free_drawn(&d);
    return HC_EXIT_FINE;
}

static int write_plot(const struct table *t)
{
    struct hc_output_file *out;
    int code = hc_files_open(&out, t->o->svg);

    if (code)
        return code;
    code = draw(t, hc_output_file(out));
    int closed = hc_files_close(out, t->o->svg, !code);
    return code ? code : closed;
}

int hc_print_network(const struct hc_print_options *options)
{
    struct table t = { .o = options };
    int code = hc_network_open(&t.network, &options->timeline.image, 1);

    const struct hc_named_file svg = { "--svg", options->svg, HC_FILE_WRITTEN };

    t.network.unnumbered = true;
    if (!code)
        code = hc_recordings_check_outputs(&t.network.recordings, &svg, 1);
    if (!code)
        code = hc_network_order(&t.network, &options->network);
    if (!code)
        code = collect(&t);
    if (t.count > options->limit)
        t.count = options->limit;
    if (!code && options->svg)
        code = write_plot(&t);
    else if (!code)
        (options->json ? write_json : options->csv ? write_csv : write_table)(&t);
    for (size_t i = 0; i < t.cell_count; i++)
        free(t.cells[i].text);
    free(t.cells);
    free(t.rows);
    hc_network_close(&t.network);
    return code;
}
