#include "slice.h"

#include "support/grow.h"
#include "values.h"

#include <stdio.h>

enum task_kind { VALUE, CONTROL, ENTRY, FIELD };

struct task {
    enum task_kind kind;
    uint32_t id;
    uint32_t parent; /* the task that made this one; HC_NONE: the criterion */
};

struct reader {
    uint32_t function, next;
};

struct hc_slice_work {
    struct task *task; /* first in, first out: so the first way to anything is a shortest one */
    size_t tasks, task_room, next;
    uint32_t now; /* the task in work */
    uint8_t *node_seen, *field_seen, *control_seen, *entry_seen;
    uint32_t *first_block;           /* of each instance, in control_seen */
    uint32_t *first_writer, *writer; /* operations that write each field */
    uint32_t *reader_of;             /* of each field: the first in `reader` */
    struct reader *reader;
    size_t readers, reader_room;
    uint8_t *pair_seen; /* a bit for each pair of functions */
    uint32_t
        *closed; /* of each instance: the queue's function to whose inside it belongs, as an instance, or HC_NONE */
    struct hc_values values;
    bool asks_dead; /* what is never executed is asked about: then all counts as executed */
};

#define NO_INDEX UINT32_MAX

/* ---- what is to be done ---- */

static void push(struct hc_slice *s, enum task_kind kind, uint32_t id, uint8_t *seen)
{
    struct hc_slice_work *w = s->work;

    if (seen[id])
        return;
    seen[id] = 1;
    if (!hc_grow(&w->task, w->tasks, &w->task_room, sizeof *w->task))
        s->failed = true;
    else
        w->task[w->tasks++] = (struct task){ kind, id, w->now };
}

static uint32_t function_of(const struct hc_slice *s, uint32_t node)
{
    return s->a->instance[s->a->node[node].owner].function;
}

static uint32_t instance_of_block(const struct hc_slice *s, uint32_t id)
{
    size_t low = 0, high = s->a->instances;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s->work->first_block[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

/* Whether the operation at NODE, or the instance whose parameter it is, may ever be executed. */
static bool lives(const struct hc_slice *s, uint32_t node)
{
    return s->work->asks_dead || hc_values_node_lives(&s->work->values, node);
}

/* ---- why a function is in it ---- */

/* The function of a task; none for a field. *LINE: of its operation, 0 if it has none. */
static uint32_t place_of(const struct hc_slice *s, const struct task *t, uint32_t *line)
{
    const struct hc_operation *o = NULL;
    uint32_t number;

    *line = 0;
    switch (t->kind) {
    case FIELD:
        return HC_FUNCTION_NONE;
    case ENTRY:
        return s->a->instance[t->id].function;
    case CONTROL:
        return s->a->instance[instance_of_block(s, t->id)].function;
    case VALUE:
        break;
    }
    o = hc_points_to_operation(s->a, t->id, &number);
    *line = o ? o->line : 0;
    return function_of(s, t->id);
}

/* Goes back from the task in work to the last one of another function. */
static struct hc_reason find_reason(const struct hc_slice *s, uint32_t function)
{
    const struct hc_slice_work *w = s->work;
    struct hc_reason r = { .kind = HC_REASON_ASKED, .by = HC_FUNCTION_NONE, .memory = HC_NONE };
    uint32_t line;

    for (uint32_t t = w->now; t != HC_NONE; t = w->task[t].parent) {
        uint32_t place = place_of(s, &w->task[t], &line);
        if (w->task[t].kind == FIELD) {
            r.kind = HC_REASON_MEMORY;
            r.memory = s->a->node[w->task[t].id].owner;
        } else if (place == function && r.kind != HC_REASON_MEMORY) {
            r.line = line ? line : r.line;
        } else if (place != function) {
            r.by = place;
            r.by_line = line;
            if (r.kind != HC_REASON_MEMORY)
                r.kind = w->task[t].kind == VALUE ? HC_REASON_VALUE : HC_REASON_CONTROL;
            return r;
        }
    }
    return r;
}

static void take_in_function(struct hc_slice *s, uint32_t function)
{
    if (s->function[function])
        return;
    s->function[function] = true;
    s->reason[function] = find_reason(s, function);
}

static void depend_function(struct hc_slice *s, uint32_t from, uint32_t to)
{
    if (from != to && from != HC_FUNCTION_NONE)
        s->work->pair_seen[(from * s->a->p->functions + to) / 8] |=
            (uint8_t)(1u << (from * s->a->p->functions + to) % 8);
}

static void need_post(struct hc_slice *s, uint32_t from, uint32_t call);

/* What happens inside a queue is taken as it is: something there depends on the posts that led to it, and is an input
 * if it came while the queue was run. True: NODE is such. */
static bool is_closed(struct hc_slice *s, uint32_t from, uint32_t node)
{
    uint32_t top = s->work->closed[s->a->node[node].owner];

    if (top == HC_NONE)
        return false;
    const char *name = s->a->p->function[s->a->instance[top].function].name;
    if (hc_points_to_model(s->a, name, true) == HC_NONE)
        return true;
    for (uint32_t c = s->a->instance[top].caller; c != HC_NONE; c = s->a->caller[c].next)
        need_post(s, from, s->a->caller[c].node);
    return true;
}

static void need_value(struct hc_slice *s, uint32_t from, uint32_t node)
{
    if (node == HC_NONE || s->a->node[node].owner == HC_NONE || !lives(s, node) || is_closed(s, from, node))
        return;
    depend_function(s, from, function_of(s, node));
    push(s, VALUE, node, s->work->node_seen);
}

static void need_control(struct hc_slice *s, uint32_t instance, uint32_t block)
{
    push(s, CONTROL, s->work->first_block[instance] + block, s->work->control_seen);
}

static void need_field(struct hc_slice *s, uint32_t from, uint32_t field)
{
    struct hc_slice_work *w = s->work;

    push(s, FIELD, field, w->field_seen);
    for (uint32_t r = w->reader_of[field]; r != NO_INDEX; r = w->reader[r].next)
        if (w->reader[r].function == from)
            return;
    if (!hc_grow(&w->reader, w->readers, &w->reader_room, sizeof *w->reader)) {
        s->failed = true;
        return;
    }
    w->reader[w->readers] = (struct reader){ from, w->reader_of[field] };
    w->reader_of[field] = (uint32_t)w->readers++;
}

static uint32_t operand(const struct hc_slice *s, uint32_t node, const struct hc_operation *o, uint32_t i)
{
    const struct hc_instance *at = &s->a->instance[s->a->node[node].owner];

    return i < o->count ? hc_points_to_value(s->a, at, s->a->p->operand[o->first + i]) : HC_NONE;
}

static void need_operands(struct hc_slice *s, uint32_t node, const struct hc_operation *o, uint32_t first)
{
    for (uint32_t i = first; i < o->count; i++)
        need_value(s, function_of(s, node), operand(s, node, o, i));
}

/* ---- memory ---- */

struct demand {
    struct hc_slice *s;
    uint32_t from;
};

static void demand_field(void *owner, uint32_t field, uint32_t at)
{
    struct demand *d = owner;

    (void)at;
    need_field(d->s, d->from, field);
}

static void need_pointee(struct hc_slice *s, uint32_t node, uint32_t pointer, uint32_t size)
{
    struct demand d = { s, function_of(s, node) };

    for (uint32_t i = 0; pointer != HC_NONE && i < s->a->node[pointer].count; i++)
        hc_points_to_cover(s->a, s->a->node[pointer].to[i], size, demand_field, &d);
}

/* A copy wrote FIELD: what it copied there is needed, and no other part. */
struct origin {
    struct hc_slice *s;
    uint32_t node, source, field;
};

static void demand_origin(void *owner, uint32_t field, uint32_t at)
{
    struct origin *x = owner;
    const struct hc_points_to *a = x->s->a;
    const struct hc_memory *wanted = &a->memory[a->node[x->field].owner];
    const struct hc_layout *into = &a->p->layout[wanted->layout];
    uint32_t width = into->field ? 0 : 1, f = x->field - wanted->first;

    if (field != x->field)
        return;
    for (uint32_t b = into->field ? into->start[f] : 0; into->field && b < into->size && into->field[b] == f; b++)
        width++;
    const struct hc_memory *m = &a->memory[a->node[x->source].owner];
    const struct hc_layout *l = &a->p->layout[m->layout];
    if (!l->field || !into->field) {
        struct demand d = { x->s, function_of(x->s, x->node) };
        hc_points_to_cover(a, x->source, 0, demand_field, &d);
        return;
    }
    for (uint32_t b = l->start[x->source - m->first] + at, end = b + width; b < end && b < l->size; b++)
        need_field(x->s, function_of(x->s, x->node), m->first + l->field[b]);
}

static void visit_copy(struct hc_slice *s, uint32_t node, const struct hc_operation *o, uint32_t field)
{
    uint32_t to = operand(s, node, o, 0), from = operand(s, node, o, 1);

    for (uint32_t i = 0; to != HC_NONE && from != HC_NONE && i < s->a->node[to].count; i++)
        for (uint32_t j = 0; j < s->a->node[from].count; j++) {
            struct origin x = { s, node, s->a->node[from].to[j], field };
            if (o->size)
                hc_points_to_cover(s->a, s->a->node[to].to[i], o->size, demand_origin, &x);
        }
    if (!o->size)
        need_pointee(s, node, from, 0);
}

/* ---- calls ---- */

static const struct hc_dispatched *dispatched_as(const struct hc_slice *s, uint32_t instance)
{
    for (size_t i = 0; i < s->a->dispatcheds; i++)
        if (s->a->dispatched[i].instance == instance)
            return &s->a->dispatched[i];
    return NULL;
}

static void take_in(struct hc_slice *s, uint32_t node)
{
    const struct hc_instance *i = &s->a->instance[s->a->node[node].owner];
    uint32_t number;
    const struct hc_operation *o = hc_points_to_operation(s->a, node, &number);

    take_in_function(s, i->function);
    if (o)
        s->operation[o - s->a->p->operation] = true;
    if (o && o->helper != HC_FUNCTION_NONE && !s->function[o->helper]) {
        s->function[o->helper] = true;
        s->reason[o->helper] = (struct hc_reason){ HC_REASON_HELPER, i->function, 0, o->line, HC_NONE };
    }
}

/* The operation at NODE was executed. */
static void need_execution(struct hc_slice *s, uint32_t node)
{
    uint32_t number;
    const struct hc_operation *o = hc_points_to_operation(s->a, node, &number);

    take_in(s, node);
    if (o)
        need_control(s, s->a->node[node].owner, o->block);
}

/* A call of a post function: that it was made, what it was given. */
static void need_post(struct hc_slice *s, uint32_t from, uint32_t call)
{
    uint32_t number;

    if (!lives(s, call))
        return;
    depend_function(s, from, function_of(s, call));
    need_execution(s, call);
    need_operands(s, call, hc_points_to_operation(s->a, call, &number), 1);
}

/* Instance D was called by a run function, at CALL: by the posts of its function. */
static void enter_by_posts(struct hc_slice *s, const struct hc_dispatched *d, uint32_t call)
{
    uint32_t function = s->a->instance[d->instance].function;
    struct demand x = { s, function };

    for (size_t i = 0; i < s->a->posts; i++) {
        const struct hc_post *post = &s->a->post[i];
        if (!lives(s, post->node) || !hc_points_to_posted(s->a, post, d))
            continue;
        if (s->a->model[post->model].within) {
            need_post(s, function, post->node);
            hc_points_to_within(s->a, post, call, 0, demand_field, &x);
            continue;
        }
        depend_function(s, function, function_of(s, post->node));
        need_execution(s, post->node);
    }
}

/* What it was given as argument N of the call. */
static void need_posted(struct hc_slice *s, const struct hc_dispatched *d, uint32_t call, uint32_t n)
{
    struct demand x = { s, s->a->instance[d->instance].function };

    for (size_t i = 0; i < s->a->posts; i++) {
        const struct hc_post *post = &s->a->post[i];
        if (!lives(s, post->node) || !hc_points_to_posted(s->a, post, d))
            continue;
        if (s->a->model[post->model].within)
            hc_points_to_within(s->a, post, call, n, demand_field, &x);
        else
            need_value(s, x.from, post->argument);
    }
}

static bool is_conditional(const struct hc_slice *s, uint32_t node, const struct hc_operation *o)
{
    const struct hc_depend_function *f = &s->a->p->function[function_of(s, node)];

    return s->a->p->block[f->first_block + o->block].rulers > 0;
}

/* Why the instance was entered. A call that is always made is an edge of the call graph, no dependence. */
static void visit_entry(struct hc_slice *s, uint32_t instance)
{
    const struct hc_dispatched *d = dispatched_as(s, instance);
    uint32_t function = s->a->instance[instance].function, number;

    take_in_function(s, function);
    for (uint32_t c = s->a->instance[instance].caller; c != HC_NONE; c = s->a->caller[c].next) {
        uint32_t node = s->a->caller[c].node;
        const struct hc_operation *o = hc_points_to_operation(s->a, node, &number);
        if (!lives(s, node))
            continue;
        if (d)
            enter_by_posts(s, d, node);
        if (s->work->closed[s->a->node[node].owner] != HC_NONE)
            continue;
        if (is_conditional(s, node, o))
            depend_function(s, function, function_of(s, node));
        need_execution(s, node);
        need_value(s, function_of(s, node), operand(s, node, o, 0));
    }
}

static void visit_parameter(struct hc_slice *s, uint32_t node, uint32_t parameter)
{
    uint32_t instance = s->a->node[node].owner, function = s->a->instance[instance].function, number;
    const struct hc_dispatched *d = dispatched_as(s, instance);

    take_in_function(s, function);
    push(s, ENTRY, instance, s->work->entry_seen);
    for (uint32_t c = s->a->instance[instance].caller; c != HC_NONE; c = s->a->caller[c].next) {
        uint32_t caller = s->a->caller[c].node;
        const struct hc_operation *o = hc_points_to_operation(s->a, caller, &number);
        if (!lives(s, caller))
            continue;
        if (d)
            need_posted(s, d, caller, parameter + 1);
        else if (o->kind == HC_OPERATION_FOREIGN)
            need_value(s, function, caller);
        else
            need_value(s, function, operand(s, caller, o, parameter + 1));
    }
}

static bool returns_value(const struct hc_operation *o)
{
    return o->kind == HC_OPERATION_RETURN && o->count;
}

static void visit_result(struct hc_slice *s, uint32_t node)
{
    for (uint32_t c = s->a->node[node].callee; c != HC_NONE; c = s->a->callee[c].next) {
        const struct hc_instance *i = &s->a->instance[s->a->callee[c].instance];
        const struct hc_depend_function *f = &s->a->p->function[i->function];
        for (uint32_t n = 0; n < f->operations; n++)
            if (returns_value(&s->a->p->operation[f->first_operation + n]))
                need_value(s, function_of(s, node), i->base + f->parameters + n);
    }
}

/* ---- operations ---- */

static void visit_choice(struct hc_slice *s, uint32_t node, const struct hc_operation *o)
{
    uint32_t instance = s->a->node[node].owner;
    const struct hc_instance *i = &s->a->instance[instance];
    const struct hc_depend_function *f = &s->a->p->function[i->function];

    for (uint32_t n = 0; n < o->count; n++) {
        uint32_t block = s->a->p->edge[o->object + n];
        const struct hc_depend_block *b = &s->a->p->block[f->first_block + block];
        if (!s->work->asks_dead && !hc_values_goes(&s->work->values, instance, block, o->block))
            continue;
        need_value(s, i->function, operand(s, node, o, n));
        need_control(s, instance, block);
        if (b->after_count > 1)
            need_value(s, i->function, i->base + f->parameters + b->first + b->count - 1);
    }
}

static void visit_operation(struct hc_slice *s, uint32_t node, const struct hc_operation *o)
{
    need_execution(s, node);
    switch (o->kind) {
    case HC_OPERATION_CHOOSE:
        visit_choice(s, node, o);
        break;
    case HC_OPERATION_LOAD:
        need_operands(s, node, o, 0);
        need_pointee(s, node, operand(s, node, o, 0), o->size);
        break;
    case HC_OPERATION_CALL:
        need_value(s, function_of(s, node), operand(s, node, o, 0));
        visit_result(s, node);
        break;
    case HC_OPERATION_FOREIGN:
        need_operands(s, node, o, 0);
        need_pointee(s, node, node, 0);
        visit_result(s, node);
        break;
    default:
        need_operands(s, node, o, 0);
    }
}

static void visit_value(struct hc_slice *s, uint32_t node)
{
    uint32_t number;
    const struct hc_operation *o = hc_points_to_operation(s->a, node, &number);

    if (o)
        visit_operation(s, node, o);
    else
        visit_parameter(s, node, number);
}

static void visit_control(struct hc_slice *s, uint32_t id)
{
    uint32_t low = instance_of_block(s, id);
    const struct hc_instance *i = &s->a->instance[low];
    const struct hc_depend_function *f = &s->a->p->function[i->function];
    const struct hc_depend_block *b = &s->a->p->block[f->first_block + id - s->work->first_block[low]];
    for (uint32_t r = 0; r < b->rulers; r++)
        need_value(s, i->function, i->base + f->parameters + s->a->p->ruler[b->first_ruler + r]);
    push(s, ENTRY, low, s->work->entry_seen);
}

static void visit_field(struct hc_slice *s, uint32_t field)
{
    uint32_t number;

    for (uint32_t i = s->work->first_writer[field]; i < s->work->first_writer[field + 1]; i++) {
        uint32_t node = s->work->writer[i];
        const struct hc_operation *o = hc_points_to_operation(s->a, node, &number);
        if (is_closed(s, HC_FUNCTION_NONE, node))
            continue;
        push(s, VALUE, node, s->work->node_seen);
        if (o->kind == HC_OPERATION_CALL)
            need_operands(s, node, o, 1);
        if (o->kind == HC_OPERATION_COPY)
            visit_copy(s, node, o, field);
    }
}

static void work_through(struct hc_slice *s)
{
    while (s->work->next < s->work->tasks && !s->failed) {
        s->work->now = (uint32_t)s->work->next++;
        struct task t = s->work->task[s->work->now];
        switch (t.kind) {
        case VALUE:
            visit_value(s, t.id);
            break;
        case CONTROL:
            visit_control(s, t.id);
            break;
        case ENTRY:
            visit_entry(s, t.id);
            break;
        case FIELD:
            visit_field(s, t.id);
            break;
        }
    }
}

/* ---- who writes what ---- */

struct writing {
    struct hc_slice *s;
    uint32_t node;
    uint32_t *cursor; /* NULL: only counted */
};

static void note_writer(void *owner, uint32_t field, uint32_t at)
{
    struct writing *x = owner;
    struct hc_slice_work *w = x->s->work;

    (void)at;
    if (!x->cursor)
        w->first_writer[field + 1]++;
    else
        w->writer[w->first_writer[field] + x->cursor[field]++] = x->node;
}

static void note_writes(struct hc_slice *s, uint32_t node, const struct hc_operation *o, uint32_t *cursor)
{
    struct writing x = { s, node, cursor };
    uint32_t pointer = HC_NONE, size = o->size;

    switch (o->kind) {
    case HC_OPERATION_STORE:
        pointer = operand(s, node, o, 1);
        break;
    case HC_OPERATION_COPY:
    case HC_OPERATION_FILL:
    case HC_OPERATION_VARIABLE_ARGUMENTS:
        pointer = operand(s, node, o, 0);
        break;
    case HC_OPERATION_FOREIGN:
        pointer = node;
        size = 0;
        break;
    case HC_OPERATION_CALL: /* of a function with variable arguments: writes them */
        for (uint32_t c = s->a->node[node].callee; c != HC_NONE; c = s->a->callee[c].next)
            if (s->a->instance[s->a->callee[c].instance].more != HC_NONE)
                note_writer(&x, s->a->memory[s->a->instance[s->a->callee[c].instance].more].first, 0);
        return;
    default:
        return;
    }
    for (uint32_t i = 0; pointer != HC_NONE && i < s->a->node[pointer].count; i++)
        hc_points_to_cover(s->a, s->a->node[pointer].to[i], size, note_writer, &x);
}

static void each_write(struct hc_slice *s, uint32_t *cursor)
{
    for (size_t i = 0; i < s->a->instances; i++) {
        const struct hc_instance *at = &s->a->instance[i];
        const struct hc_depend_function *f = &s->a->p->function[at->function];
        for (uint32_t n = 0; n < f->operations; n++)
            if (lives(s, at->base + f->parameters + n))
                note_writes(s, at->base + f->parameters + n, &s->a->p->operation[f->first_operation + n], cursor);
    }
}

static void index_writers(struct hc_slice *s)
{
    struct hc_slice_work *w = s->work;
    size_t nodes = s->a->nodes;
    uint32_t *cursor = calloc(nodes + 1, sizeof *cursor);

    w->first_writer = calloc(nodes + 2, sizeof *w->first_writer);
    if (!cursor || !w->first_writer) {
        s->failed = true;
        free(cursor);
        return;
    }
    each_write(s, NULL);
    for (size_t i = 0; i < nodes; i++)
        w->first_writer[i + 1] += w->first_writer[i];
    w->writer = calloc((size_t)w->first_writer[nodes] + 1, sizeof *w->writer);
    s->failed |= !w->writer;
    if (w->writer)
        each_write(s, cursor);
    free(cursor);
}

/* ---- queues that are taken as they are ---- */

/* The post or run function of a queue inside which the instance is, as an instance; HC_NONE: none. A function that has
 * one instance for all its callers may be called from elsewhere, too. */
static uint32_t closed_by(const struct hc_slice *s, uint32_t instance)
{
    for (uint32_t i = instance;; i = s->a->instance[i].parent) {
        uint32_t function = s->a->instance[i].function;
        const char *name = s->a->p->function[function].name;
        if (hc_points_to_model(s->a, name, true) != HC_NONE || hc_points_to_model(s->a, name, false) != HC_NONE)
            return i;
        if (s->a->instance[i].parent == i || dispatched_as(s, i) || s->a->shared[function] == i)
            return HC_NONE;
    }
}

static bool is_written_inside(const struct hc_slice *s, const struct hc_memory *m)
{
    const struct hc_slice_work *w = s->work;

    for (uint32_t f = m->first; f < m->first + s->a->p->layout[m->layout].fields; f++)
        for (uint32_t i = w->first_writer[f]; i < w->first_writer[f + 1]; i++)
            if (w->closed[s->a->node[w->writer[i]].owner] != HC_NONE)
                return true;
    return false;
}

/* Who asks about the inside of a queue sees it. */
static bool asks_inside(const struct hc_slice *s, const struct hc_criterion *c)
{
    const struct hc_slice_work *w = s->work;

    if (c->kind != HC_CRITERION_VARIABLE) {
        for (size_t i = 0; i < s->a->instances; i++)
            if (s->a->instance[i].function == c->function && w->closed[i] != HC_NONE)
                return true;
        return false;
    }
    for (uint32_t i = 0; i < s->a->p->objects; i++)
        if (hc_criterion_is_of(c, &s->a->p->object[i]) && is_written_inside(s, &s->a->memory[s->a->global[i]]))
            return true;
    return false;
}

static void close_queues(struct hc_slice *s, const struct hc_criterion *c)
{
    for (uint32_t i = 0; i < s->a->instances; i++)
        s->work->closed[i] = closed_by(s, i);
    if (asks_inside(s, c))
        memset(s->work->closed, 0xff, s->a->instances * sizeof *s->work->closed);
}

/* ---- what is never executed ---- */

static bool is_asked(const struct hc_criterion *c, const struct hc_operation *o)
{
    return c->kind == HC_CRITERION_FUNCTION || (o->line == c->line && o->file == c->file);
}

/* Whether an operation that is asked about may be executed. */
static bool asks_living(const struct hc_slice *s, const struct hc_criterion *c)
{
    for (size_t i = 0; i < s->a->instances; i++) {
        const struct hc_instance *at = &s->a->instance[i];
        const struct hc_depend_function *f = &s->a->p->function[at->function];
        for (uint32_t n = 0; at->function == c->function && n < f->operations; n++)
            if (is_asked(c, &s->a->p->operation[f->first_operation + n]) && lives(s, at->base + f->parameters + n))
                return true;
    }
    return c->kind == HC_CRITERION_VARIABLE;
}

static void find_living(struct hc_slice *s, const struct hc_criterion *c)
{
    s->failed |= !hc_values_compute(&s->work->values, s->a);
    if (!s->failed)
        s->work->asks_dead = !asks_living(s, c);
}

/* ---- the whole ---- */

static bool make_room(struct hc_slice *s)
{
    const struct hc_depend_program *p = s->a->p;
    size_t blocks = 0, nodes = s->a->nodes;
    struct hc_slice_work *w = calloc(1, sizeof *w);

    s->work = w;
    s->function = calloc(p->functions + 1, sizeof *s->function);
    s->reason = calloc(p->functions + 1, sizeof *s->reason);
    s->operation = calloc(p->operations + 1, sizeof *s->operation);
    if (!w || !s->function || !s->reason || !s->operation)
        return false;
    w->now = HC_NONE;
    w->first_block = calloc(s->a->instances + 1, sizeof *w->first_block);
    for (size_t i = 0; w->first_block && i < s->a->instances; i++) {
        w->first_block[i] = (uint32_t)blocks;
        blocks += p->function[s->a->instance[i].function].blocks;
    }
    w->node_seen = calloc(nodes + 1, 1);
    w->field_seen = calloc(nodes + 1, 1);
    w->control_seen = calloc(blocks + 1, 1);
    w->entry_seen = calloc(s->a->instances + 1, 1);
    w->closed = calloc(s->a->instances + 1, sizeof *w->closed);
    w->reader_of = malloc((nodes + 1) * sizeof *w->reader_of);
    w->pair_seen = calloc(p->functions * p->functions / 8 + 1, 1);
    if (w->reader_of)
        memset(w->reader_of, 0xff, (nodes + 1) * sizeof *w->reader_of);
    return w->first_block && w->node_seen && w->field_seen && w->control_seen && w->entry_seen && w->closed &&
           w->reader_of && w->pair_seen;
}

/* All that the operation takes part in, its arguments too. */
static void ask(struct hc_slice *s, const struct hc_criterion *c)
{
    for (size_t i = 0; c->kind != HC_CRITERION_VARIABLE && i < s->a->instances; i++) {
        const struct hc_instance *at = &s->a->instance[i];
        const struct hc_depend_function *f = &s->a->p->function[at->function];
        if (c->kind == HC_CRITERION_FUNCTION && at->function != c->function)
            continue;
        for (uint32_t n = 0; n < f->operations; n++) {
            const struct hc_operation *o = &s->a->p->operation[f->first_operation + n];
            if (!is_asked(c, o))
                continue;
            need_value(s, at->function, at->base + f->parameters + n);
            need_operands(s, at->base + f->parameters + n, o, 0);
        }
    }
    for (uint32_t i = 0; i < s->a->p->objects; i++) {
        const struct hc_memory *m = &s->a->memory[s->a->global[i]];
        for (uint32_t f = 0; hc_criterion_is_of(c, &s->a->p->object[i]) && f < s->a->p->layout[m->layout].fields; f++)
            push(s, FIELD, m->first + f, s->work->field_seen);
    }
}

static void pair_memory(struct hc_slice *s)
{
    struct hc_slice_work *w = s->work;

    for (uint32_t field = 0; field < s->a->nodes; field++)
        for (uint32_t r = w->reader_of[field]; r != NO_INDEX; r = w->reader[r].next)
            for (uint32_t i = w->first_writer[field]; i < w->first_writer[field + 1]; i++)
                if (!is_closed(s, w->reader[r].function, w->writer[i]))
                    depend_function(s, w->reader[r].function, function_of(s, w->writer[i]));
}

static void list_pairs(struct hc_slice *s)
{
    size_t n = s->a->p->functions, room = 0;

    for (uint32_t from = 0; from < n; from++)
        for (uint32_t to = 0; to < n; to++) {
            size_t bit = from * n + to;
            if (!(s->work->pair_seen[bit / 8] >> bit % 8 & 1) || !s->function[from] || !s->function[to])
                continue;
            if (!hc_grow(&s->pair, s->pairs, &room, sizeof *s->pair)) {
                s->failed = true;
                return;
            }
            s->pair[s->pairs++] = (struct hc_function_pair){ from, to };
        }
}

static void free_work(struct hc_slice_work *w)
{
    if (!w)
        return;
    hc_values_free(&w->values);
    void *all[] = { w->task,         w->node_seen, w->field_seen, w->control_seen, w->entry_seen, w->first_block,
                    w->first_writer, w->writer,    w->reader_of,  w->reader,       w->pair_seen,  w->closed };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(w);
}

bool hc_slice_compute(struct hc_slice *s, const struct hc_points_to *a, const struct hc_criterion *criterion)
{
    *s = (struct hc_slice){ .a = a };
    s->failed = !make_room(s);
    if (!s->failed)
        find_living(s, criterion);
    if (!s->failed)
        index_writers(s);
    if (!s->failed)
        close_queues(s, criterion);
    if (!s->failed)
        ask(s, criterion);
    if (!s->failed)
        work_through(s);
    if (!s->failed) {
        pair_memory(s);
        list_pairs(s);
    }
    for (size_t i = 0; i < a->p->functions && !s->failed; i++) {
        s->of += a->p->function[i].reachable && !a->p->function[i].handler;
        s->count += s->function[i] && !a->p->function[i].handler;
        s->handlers += s->function[i] && a->p->function[i].handler;
    }
    free_work(s->work);
    s->work = NULL;
    return !s->failed;
}

void hc_slice_free(struct hc_slice *s)
{
    free(s->function);
    free(s->reason);
    free(s->operation);
    free(s->pair);
}
