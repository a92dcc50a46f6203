#include "points_to.h"

#include "support/grow.h"

#include <string.h>

#define PUSH(a, array, count, room, value)                            \
    (hc_grow(&(a)->array, (a)->count, &(a)->room, sizeof *(a)->array) \
         ? ((a)->array[(a)->count] = (value), (a)->count++, true)     \
         : ((a)->failed = true, false))

/* ---- nodes ---- */

static uint32_t new_nodes(struct hc_points_to *a, uint32_t count, uint32_t owner, bool field)
{
    uint32_t first = (uint32_t)a->nodes;
    struct hc_depend_node node = { .owner = owner, .callee = HC_NONE, .field = field };

    for (uint32_t i = 0; i < count; i++)
        PUSH(a, node, nodes, node_room, node);
    return a->failed ? 0 : first;
}

static bool push_small(struct hc_points_to *a, uint32_t **list, uint32_t *count, uint32_t *room, uint32_t value)
{
    if (*count == *room) {
        uint32_t more = *room ? 2 * *room : 4;
        uint32_t *grown = realloc(*list, more * sizeof *grown);
        if (!grown) {
            a->failed = true;
            return false;
        }
        memset(grown + *room, 0, (more - *room) * sizeof *grown);
        *list = grown;
        *room = more;
    }
    (*list)[(*count)++] = value;
    return true;
}

enum { FEW = 12 };

static uint32_t slot_of(const struct hc_depend_node *n, uint32_t room, uint32_t value)
{
    uint32_t i = value * 0x9e3779b1u & (room - 1);

    while (n->hash[i] && n->hash[i] != value + 1)
        i = (i + 1) & (room - 1);
    return i;
}

/* The table has twice the room of the list, which is a power of two from 16 on. */
static void rehash(struct hc_points_to *a, struct hc_depend_node *n)
{
    uint32_t room = 2 * n->room;

    free(n->hash);
    n->hash = calloc(room, sizeof *n->hash);
    if (!n->hash) {
        a->failed = true;
        return;
    }
    for (uint32_t i = 0; i < n->count; i++)
        n->hash[slot_of(n, room, n->to[i])] = n->to[i] + 1;
}

static bool has(const struct hc_depend_node *n, uint32_t value)
{
    if (n->hash)
        return n->hash[slot_of(n, 2 * n->room, value)] != 0;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->to[i] == value)
            return true;
    return false;
}

static void point(struct hc_points_to *a, uint32_t node, uint32_t field)
{
    struct hc_depend_node *n = &a->node[node];
    uint32_t room = n->room;

    if (a->failed || has(n, field) || !push_small(a, &n->to, &n->count, &n->room, field))
        return;
    if (n->count > FEW && (!n->hash || n->room != room))
        rehash(a, n);
    else if (n->hash)
        n->hash[slot_of(n, 2 * n->room, field)] = field + 1;
    if (!n->queued) {
        n->queued = true;
        PUSH(a, queue, queued, queue_room, node);
    }
}

/* ---- edges ---- */

static uint64_t *edge_slot(const struct hc_points_to *a, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15u >> 24) & (a->edge_room - 1);

    while (a->edge_hash[i] && a->edge_hash[i] != key)
        i = (i + 1) & (a->edge_room - 1);
    return &a->edge_hash[i];
}

static bool grow_edges(struct hc_points_to *a)
{
    uint64_t *old = a->edge_hash;
    size_t room = a->edge_room;

    if (2 * (a->edge_count + 1) < room)
        return true;
    a->edge_room = room ? 2 * room : 1 << 16;
    a->edge_hash = calloc(a->edge_room, sizeof *a->edge_hash);
    if (!a->edge_hash) {
        a->edge_hash = old;
        a->edge_room = room;
        a->failed = true;
        return false;
    }
    for (size_t i = 0; i < room; i++)
        if (old[i])
            *edge_slot(a, old[i]) = old[i];
    free(old);
    return true;
}

static void add_edge(struct hc_points_to *a, uint32_t from, uint32_t to)
{
    if (from == HC_NONE || to == HC_NONE || from == to || a->failed || !grow_edges(a))
        return;
    uint64_t key = ((uint64_t)from << 32 | to) + 1, *slot = edge_slot(a, key);
    if (*slot)
        return;
    *slot = key;
    a->edge_count++;
    push_small(a, &a->node[from].edge, &a->node[from].edges, &a->node[from].edge_room, to);
    for (uint32_t i = 0; i < a->node[from].count; i++)
        point(a, to, a->node[from].to[i]);
}

/* ---- memory ---- */

static uint32_t new_memory(struct hc_points_to *a, uint32_t layout, uint32_t object, uint32_t node)
{
    struct hc_memory m = { .layout = layout, .object = object, .node = node };

    m.first = new_nodes(a, a->p->layout[layout].fields, (uint32_t)a->memories, true);
    PUSH(a, memory, memories, memory_room, m);
    return a->failed ? 0 : (uint32_t)a->memories - 1;
}

static const struct hc_memory *memory_of(const struct hc_points_to *a, uint32_t field)
{
    return &a->memory[a->node[field].owner];
}

static const struct hc_layout *layout_of(const struct hc_points_to *a, const struct hc_memory *m)
{
    return &a->p->layout[m->layout];
}

void hc_points_to_cover(const struct hc_points_to *a, uint32_t field, uint32_t size, hc_field_fn *use, void *owner)
{
    struct hc_memory m = *memory_of(a, field);
    const struct hc_layout *l = layout_of(a, &m);
    uint32_t last = HC_NONE;

    if (!l->field) {
        use(owner, field, 0);
        return;
    }
    uint32_t from = l->start[field - m.first], end = size && size < l->size - from ? from + size : l->size;
    for (uint32_t b = from; b < end; b++) {
        if (l->field[b] != last)
            use(owner, m.first + l->field[b], b - from);
        last = l->field[b];
    }
    /* A length that is not known may begin before an element that was taken for the first. */
    for (uint32_t b = 0; !size && b < from; b++)
        if (l->field[b] != last) {
            last = l->field[b];
            use(owner, m.first + last, 0);
        }
}

static void point_to_all(struct hc_points_to *a, uint32_t node, const struct hc_memory *m)
{
    for (uint32_t i = 0; i < layout_of(a, m)->fields; i++)
        point(a, node, m->first + i);
}

/* Byte AT of an object; what lies between fields or outside is anywhere in it. */
static void point_at(struct hc_points_to *a, uint32_t node, const struct hc_memory *m, int64_t at)
{
    const struct hc_layout *l = layout_of(a, m);

    if (!l->field) {
        point(a, node, m->first);
        return;
    }
    if (at < 0 || at >= l->size) {
        point_to_all(a, node, m);
        return;
    }
    uint32_t f = l->field[at];
    if (!l->stride[f * HC_LAYOUT_NEST] && l->start[f] != at)
        point_to_all(a, node, m);
    else
        point(a, node, m->first + f);
}

/* Whether an address that moves by BYTES from field F stays among the elements of an array. If it may also be that of a
 * structure which begins with the array, it may leave it: *LEAVES. */
static bool stays(const struct hc_layout *l, uint32_t f, int64_t bytes, bool *leaves)
{
    *leaves = false;
    for (int i = 0; i < HC_LAYOUT_NEST; i++) {
        uint32_t element = l->stride[f * HC_LAYOUT_NEST + i];
        if (!element || bytes % element != 0)
            continue;
        *leaves = l->leads[f];
        return !*leaves;
    }
    return false;
}

static void shift(struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t field)
{
    const struct hc_memory m = *memory_of(a, field);
    const struct hc_layout *l = layout_of(a, &m);
    uint32_t f = field - m.first;

    if (!l->field) {
        point(a, node, field);
        return;
    }
    int64_t start = l->start[f], move = o->step * (int64_t)o->stride;
    bool leaves, stay = stays(l, f, o->varies ? o->stride : move, &leaves);
    if (o->bounded || stay)
        point_at(a, node, &m, start + o->offset);
    else if (o->varies || leaves)
        point_to_all(a, node, &m);
    if (!o->bounded && !o->varies)
        point_at(a, node, &m, start + move + o->offset);
}

/* ---- copies of memory ---- */

struct copying {
    struct hc_points_to *a;
    uint32_t node;        /* of the operation, or HC_NONE */
    uint32_t other;       /* a field */
    bool from_other, any; /* which way; whether the length is unknown */
};

static void copy_byte(void *owner, uint32_t field, uint32_t at)
{
    struct copying *c = owner;
    const struct hc_memory *m = memory_of(c->a, c->other);
    const struct hc_layout *l = layout_of(c->a, m);
    uint32_t peer = c->other;

    if (l->field) {
        uint32_t byte = l->start[c->other - m->first] + at;
        if (byte >= l->size)
            return;
        peer = m->first + l->field[byte];
    }
    add_edge(c->a, c->from_other ? peer : field, c->from_other ? field : peer);
}

static void copy_any(void *owner, uint32_t field, uint32_t at)
{
    struct copying *c = owner;
    const struct hc_memory m = *memory_of(c->a, c->other);

    (void)at;
    for (uint32_t i = 0; i < layout_of(c->a, &m)->fields; i++)
        add_edge(c->a, c->from_other ? m.first + i : field, c->from_other ? field : m.first + i);
}

/* The fields differ in size on the two sides: both are walked through. */
static void copy_fields(struct hc_points_to *a, uint32_t to, uint32_t from, uint32_t size)
{
    struct copying into = { .a = a, .other = from, .from_other = true };
    struct copying outof = { .a = a, .other = to, .from_other = false };

    hc_points_to_cover(a, to, size, size ? copy_byte : copy_any, &into);
    if (size)
        hc_points_to_cover(a, from, size, copy_byte, &outof);
}

/* ---- operations ---- */

const struct hc_operation *hc_points_to_operation(const struct hc_points_to *a, uint32_t node, uint32_t *number)
{
    const struct hc_instance *i = &a->instance[a->node[node].owner];
    const struct hc_depend_function *f = &a->p->function[i->function];
    uint32_t at = node - i->base;

    *number = at < f->parameters ? at : at - f->parameters;
    return at < f->parameters ? NULL : &a->p->operation[f->first_operation + *number];
}

uint32_t hc_points_to_value(const struct hc_points_to *a, const struct hc_instance *i, int32_t value)
{
    if (value >= 0)
        return i->base + (uint32_t)value;
    return value == HC_VALUE_NONE ? HC_NONE : a->constant[-2 - value];
}

static uint32_t operand(const struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t i)
{
    const struct hc_instance *at = &a->instance[a->node[node].owner];

    return i < o->count ? hc_points_to_value(a, at, a->p->operand[o->first + i]) : HC_NONE;
}

struct access {
    struct hc_points_to *a;
    uint32_t node; /* that gets or gives */
    bool writes;
};

static void access_field(void *owner, uint32_t field, uint32_t at)
{
    struct access *x = owner;

    (void)at;
    add_edge(x->a, x->writes ? x->node : field, x->writes ? field : x->node);
}

static void call(struct hc_points_to *a, uint32_t node, uint32_t function);
static uint32_t function_at(const struct hc_points_to *a, uint32_t field);

static void copy_between(struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t field, bool to)
{
    uint32_t other = operand(a, node, o, to ? 1 : 0);

    if (other == HC_NONE)
        return;
    for (uint32_t i = 0; i < a->node[other].count; i++)
        copy_fields(a, to ? field : a->node[other].to[i], to ? a->node[other].to[i] : field, o->size);
}

/* A foreign function gets at all fields of what it is given, leaves there anything that it was given, and may call it.
 */
static void give_away(struct hc_points_to *a, uint32_t node, uint32_t field)
{
    const struct hc_memory m = *memory_of(a, field);

    if (function_at(a, field) != HC_FUNCTION_NONE) {
        call(a, node, function_at(a, field));
        return;
    }
    for (uint32_t i = 0; i < layout_of(a, &m)->fields; i++) {
        add_edge(a, m.first + i, node);
        add_edge(a, node, m.first + i);
    }
}

static uint32_t function_at(const struct hc_points_to *a, uint32_t field)
{
    const struct hc_memory *m = memory_of(a, field);

    return m->object == HC_NONE ? HC_FUNCTION_NONE : a->p->object[m->object].function;
}

/* Operation USER learns that its operand WHICH may point to FIELD. Users are numbered by node and operand. */
static void use(struct hc_points_to *a, uint32_t node, uint32_t which, uint32_t field)
{
    uint32_t number;
    const struct hc_operation *o = hc_points_to_operation(a, node, &number);
    struct access x = { .a = a, .node = node };

    switch (o->kind) {
    case HC_OPERATION_LOAD:
        hc_points_to_cover(a, field, o->size, access_field, &x);
        break;
    case HC_OPERATION_STORE:
        x.node = operand(a, node, o, 0);
        x.writes = true;
        if (x.node != HC_NONE)
            hc_points_to_cover(a, field, o->size, access_field, &x);
        break;
    case HC_OPERATION_SHIFT:
        shift(a, node, o, field);
        break;
    case HC_OPERATION_COPY:
        copy_between(a, node, o, field, which == 0);
        break;
    case HC_OPERATION_CALL:
        if (function_at(a, field) != HC_FUNCTION_NONE)
            call(a, node, function_at(a, field));
        break;
    case HC_OPERATION_FOREIGN:
        give_away(a, node, field);
        break;
    case HC_OPERATION_VARIABLE_ARGUMENTS:
        x.node = node;
        x.writes = true;
        hc_points_to_cover(a, field, 0, access_field, &x);
        break;
    default:
        break;
    }
}

/* Users' numbers: the node, and in the top bit which of two operands. */
enum { SECOND = 31 };

static void add_user(struct hc_points_to *a, uint32_t of, uint32_t node, uint32_t which)
{
    if (of == HC_NONE)
        return;
    struct hc_depend_node *n = &a->node[of];
    push_small(a, &n->user, &n->users, &n->user_room, node | which << SECOND);
    for (uint32_t i = 0; i < a->node[of].count && !a->failed; i++)
        use(a, node, which, a->node[of].to[i]);
}

static void join(struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t first)
{
    for (uint32_t i = first; i < o->count; i++)
        add_edge(a, operand(a, node, o, i), node);
}

/* What the operation at NODE means for pointers. */
static void constrain(struct hc_points_to *a, uint32_t node, const struct hc_operation *o)
{
    switch (o->kind) {
    case HC_OPERATION_JOIN:
    case HC_OPERATION_CHOOSE:
        join(a, node, o, 0);
        break;
    case HC_OPERATION_PLACE:
    case HC_OPERATION_NEW: {
        uint32_t m = new_memory(a, o->object, HC_NONE, node);
        if (!a->failed)
            point(a, node, a->memory[m].first);
        break;
    }
    case HC_OPERATION_LOAD:
    case HC_OPERATION_SHIFT:
    case HC_OPERATION_CALL:
        add_user(a, operand(a, node, o, 0), node, 0);
        break;
    case HC_OPERATION_STORE:
        add_user(a, operand(a, node, o, 1), node, 1);
        break;
    case HC_OPERATION_COPY:
        add_user(a, operand(a, node, o, 0), node, 0);
        add_user(a, operand(a, node, o, 1), node, 1);
        break;
    case HC_OPERATION_FOREIGN:
        add_user(a, node, node, 0);
        join(a, node, o, 0);
        break;
    case HC_OPERATION_VARIABLE_ARGUMENTS: {
        const struct hc_instance *i = &a->instance[a->node[node].owner];
        if (i->more != HC_NONE)
            point(a, node, a->memory[i->more].first);
        add_user(a, operand(a, node, o, 0), node, 0);
        break;
    }
    default:
        break;
    }
}

/* ---- instances ---- */

static uint32_t new_instance(struct hc_points_to *a, uint32_t function, uint32_t parent)
{
    const struct hc_depend_function *f = &a->p->function[function];
    uint32_t number = (uint32_t)a->instances;
    struct hc_instance i = {
        .function = function, .parent = parent == HC_NONE ? number : parent, .caller = HC_NONE, .more = HC_NONE
    };

    i.base = new_nodes(a, f->parameters + f->operations, number, false);
    if (f->takes_more)
        i.more = new_memory(a, 0, HC_NONE, HC_NONE);
    PUSH(a, instance, instances, instance_room, i);
    return a->failed ? 0 : number;
}

/* The instance of FUNCTION for a call from instance FROM. */
static uint32_t instance_for(struct hc_points_to *a, uint32_t function, uint32_t from)
{
    for (uint32_t i = from;; i = a->instance[i].parent) {
        if (a->instance[i].function == function)
            return i;
        if (a->instance[i].parent == i)
            break;
    }
    if (a->nodes < HC_INSTANCE_NODES)
        return new_instance(a, function, from);
    if (a->shared[function] == HC_NONE)
        a->shared[function] = new_instance(a, function, from);
    return a->shared[function];
}

static bool is_callee(const struct hc_points_to *a, uint32_t node, uint32_t function)
{
    for (uint32_t c = a->node[node].callee; c != HC_NONE; c = a->callee[c].next)
        if (a->instance[a->callee[c].instance].function == function)
            return true;
    return false;
}

static void pass_arguments(struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t callee)
{
    struct hc_instance i = a->instance[callee];
    const struct hc_depend_function *f = &a->p->function[i.function];

    for (uint32_t n = 0; o->kind == HC_OPERATION_FOREIGN && n < f->parameters; n++)
        add_edge(a, node, i.base + n);
    for (uint32_t n = 1; o->kind != HC_OPERATION_FOREIGN && n < o->count; n++) {
        uint32_t argument = operand(a, node, o, n);
        if (n - 1 < f->parameters)
            add_edge(a, argument, i.base + n - 1);
        else if (i.more != HC_NONE)
            add_edge(a, argument, a->memory[i.more].first);
    }
}

static void pass_results(struct hc_points_to *a, uint32_t node, uint32_t callee)
{
    struct hc_instance i = a->instance[callee];
    const struct hc_depend_function *f = &a->p->function[i.function];

    for (uint32_t n = 0; n < f->operations; n++) {
        const struct hc_operation *o = &a->p->operation[f->first_operation + n];
        if (o->kind == HC_OPERATION_RETURN && o->count)
            add_edge(a, hc_points_to_value(a, &i, a->p->operand[o->first]), node);
    }
}

/* ---- queues of the operating system ---- */

uint32_t hc_points_to_model(const struct hc_points_to *a, const char *name, bool post)
{
    for (size_t i = 0; i < a->models; i++)
        if (!strcmp(name, post ? a->model[i].post : a->model[i].run))
            return (uint32_t)i;
    return HC_NONE;
}

static bool points_to_function(const struct hc_points_to *a, uint32_t node, uint32_t function)
{
    for (uint32_t i = 0; node != HC_NONE && i < a->node[node].count; i++)
        if (function_at(a, a->node[node].to[i]) == function)
            return true;
    return false;
}

/* A field of what NODE points to points to the function. */
static bool holds_function(const struct hc_points_to *a, uint32_t node, uint32_t function)
{
    for (uint32_t i = 0; node != HC_NONE && i < a->node[node].count; i++) {
        const struct hc_memory *m = memory_of(a, a->node[node].to[i]);
        for (uint32_t f = 0; f < layout_of(a, m)->fields; f++)
            if (points_to_function(a, m->first + f, function))
                return true;
    }
    return false;
}

bool hc_points_to_posted(const struct hc_points_to *a, const struct hc_post *post, const struct hc_dispatched *d)
{
    const struct hc_dispatch *model = &a->model[post->model];
    uint32_t function = a->instance[d->instance].function;

    if (strcmp(model->run, a->model[d->model].run) != 0)
        return false;
    return model->within ? holds_function(a, post->what, function) : points_to_function(a, post->what, function);
}

/* The operation of INSTANCE whose result is VALUE; NULL: none. */
static const struct hc_operation *maker_of(const struct hc_points_to *a, uint32_t instance, int32_t value)
{
    const struct hc_depend_function *f = &a->p->function[a->instance[instance].function];

    return value < (int32_t)f->parameters ? NULL
                                          : &a->p->operation[f->first_operation + (uint32_t)value - f->parameters];
}

/* How far behind the structure's beginning the call at NODE loads operand N; -1: that is not known. */
static int64_t loaded_at(const struct hc_points_to *a, uint32_t node, uint32_t n)
{
    uint32_t number, instance = a->node[node].owner;
    const struct hc_operation *o = hc_points_to_operation(a, node, &number);
    const struct hc_operation *load = n < o->count ? maker_of(a, instance, a->p->operand[o->first + n]) : NULL;

    if (!load || load->kind != HC_OPERATION_LOAD)
        return -1;
    const struct hc_operation *from = maker_of(a, instance, a->p->operand[load->first]);
    if (!from || from->kind != HC_OPERATION_SHIFT)
        return 0;
    return from->varies || from->step ? -1 : from->offset;
}

void hc_points_to_within(const struct hc_points_to *a, const struct hc_post *post, uint32_t call, uint32_t n,
                         hc_field_fn *use, void *owner)
{
    int64_t offset = loaded_at(a, call, n);

    for (uint32_t i = 0; post->what != HC_NONE && i < a->node[post->what].count; i++) {
        uint32_t field = a->node[post->what].to[i];
        const struct hc_memory m = *memory_of(a, field);
        const struct hc_layout *l = layout_of(a, &m);
        int64_t byte = offset < 0 || !l->field ? -1 : l->start[field - m.first] + offset;
        for (uint32_t f = 0; f < l->fields; f++)
            if (byte < 0 || byte >= l->size || l->field[byte] == f)
                use(owner, m.first + f, 0);
    }
}

/* Operation X.NODE gets what the field holds. */
static void take_field(void *owner, uint32_t field, uint32_t at)
{
    struct access *x = owner;

    (void)at;
    add_edge(x->a, field, x->node);
}

/* A post may have led to instance D: it gets what was posted. */
static void connect(struct hc_points_to *a, const struct hc_post *post, const struct hc_dispatched *d)
{
    struct hc_instance i = a->instance[d->instance];
    uint32_t parameters = a->p->function[i.function].parameters;

    if (!a->model[post->model].within) {
        if (parameters)
            add_edge(a, post->argument, i.base);
        return;
    }
    for (uint32_t c = i.caller; c != HC_NONE; c = a->caller[c].next)
        for (uint32_t n = 0; n < parameters; n++) {
            struct access x = { .a = a, .node = i.base + n };
            hc_points_to_within(a, post, a->caller[c].node, n + 1, take_field, &x);
        }
}

static void add_post(struct hc_points_to *a, uint32_t node, const struct hc_operation *o, uint32_t model)
{
    struct hc_post post = { .node = node,
                            .what = operand(a, node, o, 1 + a->model[model].what),
                            .argument =
                                a->model[model].within ? HC_NONE : operand(a, node, o, 1 + a->model[model].argument),
                            .model = model };

    PUSH(a, post, posts, post_room, post);
}

/* A run function calls FUNCTION: it gets what was posted with it, not all that was ever in the queue. */
static void add_dispatched(struct hc_points_to *a, uint32_t instance, uint32_t model)
{
    struct hc_dispatched d = { .instance = instance, .model = model };

    PUSH(a, dispatched, dispatcheds, dispatched_room, d);
}

/* Which functions a post may be of is known when all else has settled. */
static void settle_posts(struct hc_points_to *a)
{
    for (size_t i = 0; i < a->posts; i++)
        for (size_t d = 0; d < a->dispatcheds; d++)
            if (hc_points_to_posted(a, &a->post[i], &a->dispatched[d]))
                connect(a, &a->post[i], &a->dispatched[d]);
}

/* ---- calls ---- */

static void link_call(struct hc_points_to *a, uint32_t node, uint32_t callee)
{
    uint32_t number, from = a->instance[a->node[node].owner].function;
    const struct hc_operation *o = hc_points_to_operation(a, node, &number);
    struct hc_callee link = { .instance = callee, .next = a->node[node].callee };
    struct hc_caller back = { .node = node, .next = a->instance[callee].caller };
    bool indirect = o->kind == HC_OPERATION_CALL && a->p->operand[o->first] >= 0;

    bool linked = PUSH(a, callee, callees, callee_room, link);
    if (linked)
        linked = PUSH(a, caller, callers, caller_room, back);
    if (!linked)
        return;
    a->node[node].callee = (uint32_t)a->callees - 1;
    a->instance[callee].caller = (uint32_t)a->callers - 1;
    uint32_t run = indirect ? hc_points_to_model(a, a->p->function[from].name, false) : HC_NONE;
    uint32_t post = hc_points_to_model(a, a->p->function[a->instance[callee].function].name, true);
    if (run != HC_NONE)
        add_dispatched(a, callee, run);
    else
        pass_arguments(a, node, o, callee);
    if (post != HC_NONE && o->kind == HC_OPERATION_CALL)
        add_post(a, node, o, post);
    pass_results(a, node, callee);
}

static void call(struct hc_points_to *a, uint32_t node, uint32_t function)
{
    if (a->failed || !a->p->function[function].defined || is_callee(a, node, function))
        return;
    uint32_t callee = instance_for(a, function, a->node[node].owner);
    if (!a->failed)
        link_call(a, node, callee);
}

/* Instances wait for their turn: near ones come before far ones, and none is built within another. */
static void build_instance(struct hc_points_to *a, uint32_t number)
{
    struct hc_instance i = a->instance[number];
    const struct hc_depend_function *f = &a->p->function[i.function];

    for (uint32_t n = 0; n < f->operations && !a->failed; n++)
        constrain(a, i.base + f->parameters + n, &a->p->operation[f->first_operation + n]);
}

/* ---- solving ---- */

static void spread(struct hc_points_to *a, uint32_t node)
{
    a->node[node].queued = false;
    while (a->node[node].done < a->node[node].count && !a->failed) {
        uint32_t field = a->node[node].to[a->node[node].done++];
        for (uint32_t i = 0; i < a->node[node].edges; i++)
            point(a, a->node[node].edge[i], field);
        for (uint32_t i = 0; i < a->node[node].users; i++) {
            uint32_t user = a->node[node].user[i];
            use(a, user & ~(1u << SECOND), user >> SECOND, field);
        }
    }
}

static void solve(struct hc_points_to *a)
{
    size_t edges;

    do {
        edges = a->edge_count;
        while ((a->queued || a->next_instance < a->instances) && !a->failed) {
            if (a->queued)
                spread(a, a->queue[--a->queued]);
            else
                build_instance(a, (uint32_t)a->next_instance++);
        }
        settle_posts(a);
    } while ((a->edge_count != edges || a->queued) && !a->failed);
}

/* ---- beginning ---- */

static bool make_tables(struct hc_points_to *a)
{
    a->shared = malloc((a->p->functions + 1) * sizeof *a->shared);
    a->global = malloc((a->p->objects + 1) * sizeof *a->global);
    a->constant = malloc((a->p->addresses + 1) * sizeof *a->constant);
    for (size_t i = 0; a->shared && i < a->p->functions; i++)
        a->shared[i] = HC_NONE;
    return a->shared && a->global && a->constant && grow_edges(a);
}

static void place_globals(struct hc_points_to *a)
{
    for (size_t i = 0; i < a->p->objects && !a->failed; i++)
        a->global[i] = new_memory(a, a->p->object[i].layout, (uint32_t)i, HC_NONE);
    for (size_t i = 0; i < a->p->addresses && !a->failed; i++) {
        const struct hc_depend_address *at = &a->p->address[i];
        const struct hc_memory m = a->memory[a->global[at->object]];
        a->constant[i] = new_nodes(a, 1, HC_NONE, false);
        if (a->p->object[at->object].hardware)
            continue;
        if (at->offset == HC_OFFSET_ANY)
            point_to_all(a, a->constant[i], &m);
        else
            point_at(a, a->constant[i], &m, at->offset);
    }
}

static void fill_globals(struct hc_points_to *a)
{
    for (size_t i = 0; i < a->p->initials && !a->failed; i++) {
        const struct hc_initial *in = &a->p->initial[i];
        const struct hc_memory from = a->memory[a->global[in->from]], to = a->memory[a->global[in->to]];
        const struct hc_layout *l = layout_of(a, &from);
        uint32_t field = from.first + (l->field && in->at < l->size ? l->field[in->at] : 0);
        if (in->offset == HC_OFFSET_ANY)
            point_to_all(a, field, &to);
        else
            point_at(a, field, &to, in->offset);
    }
}

bool hc_points_to(struct hc_points_to *a, struct hc_depend_program *p, const struct hc_dispatch *model, size_t models)
{
    *a = (struct hc_points_to){ .p = p, .model = model, .models = models };
    if (!make_tables(a))
        return false;
    place_globals(a);
    fill_globals(a);
    for (size_t i = 0; i < p->functions && !a->failed; i++)
        if (p->function[i].root)
            new_instance(a, (uint32_t)i, HC_NONE);
    solve(a);
    for (size_t i = 0; i < a->instances; i++)
        p->function[a->instance[i].function].reachable = true;
    return !a->failed;
}

void hc_points_to_free(struct hc_points_to *a)
{
    for (size_t i = 0; i < a->nodes; i++) {
        free(a->node[i].to);
        free(a->node[i].hash);
        free(a->node[i].edge);
        free(a->node[i].user);
    }
    void *all[] = { a->instance,   a->caller, a->callee, a->memory,   a->node,      a->post,
                    a->dispatched, a->shared, a->global, a->constant, a->edge_hash, a->queue };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
