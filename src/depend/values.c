#include "values.h"

#include <stdlib.h>
#include <string.h>

/* ---- sets ---- */

static const struct hc_value_set anything = { .any = true };

static uint32_t cut(uint32_t value, unsigned bits)
{
    return bits && bits < 32 ? value & ((1u << bits) - 1) : value;
}

static int32_t with_sign(uint32_t value, unsigned bits)
{
    return bits && bits < 32 && value >> (bits - 1) & 1 ? (int32_t)(value | ~0u << bits) : (int32_t)value;
}

static void add_value(struct hc_value_set *s, uint32_t value)
{
    if (s->any)
        return;
    for (uint8_t i = 0; i < s->count; i++)
        if (s->value[i] == value)
            return;
    if (s->count == HC_VALUES_FEW)
        *s = anything;
    else
        s->value[s->count++] = value;
}

static void add_set(struct hc_value_set *s, const struct hc_value_set *more)
{
    if (more->any)
        *s = anything;
    for (uint8_t i = 0; i < more->count; i++)
        add_value(s, more->value[i]);
}

/* The node's set has these, too. */
static void learn(struct hc_values *v, uint32_t node, const struct hc_value_set *more)
{
    struct hc_value_set *s = &v->of[node], before = *s;

    if (s->any)
        return;
    add_set(s, more);
    v->changed |= s->any != before.any || s->count != before.count;
}

static void learn_any(struct hc_values *v, uint32_t node)
{
    learn(v, node, &anything);
}

/* ---- computations ---- */

static bool compare(enum hc_code code, uint32_t a, uint32_t b, unsigned bits)
{
    int32_t x = with_sign(a, bits), y = with_sign(b, bits);

    switch (code) {
    case HC_CODE_EQUAL:
        return a == b;
    case HC_CODE_DIFFERENT:
        return a != b;
    case HC_CODE_BELOW:
        return a < b;
    case HC_CODE_BELOW_EQUAL:
        return a <= b;
    case HC_CODE_ABOVE:
        return a > b;
    case HC_CODE_ABOVE_EQUAL:
        return a >= b;
    case HC_CODE_LESS:
        return x < y;
    case HC_CODE_LESS_EQUAL:
        return x <= y;
    case HC_CODE_GREATER:
        return x > y;
    default:
        return x >= y;
    }
}

/* False: the result is not known, as of shifts by more bits than there are, and of divisions by 0. */
static bool compute(const struct hc_operation *o, uint32_t a, uint32_t b, uint32_t *out)
{
    bool shifts = o->code == HC_CODE_SHL || o->code == HC_CODE_LSHR || o->code == HC_CODE_ASHR;
    bool divides = o->code == HC_CODE_DIVIDE || o->code == HC_CODE_REMAINDER;

    if ((shifts && b >= o->bits) || (divides && !b))
        return false;
    switch ((enum hc_code)o->code) {
    case HC_CODE_ADD:
        *out = a + b;
        break;
    case HC_CODE_SUB:
        *out = a - b;
        break;
    case HC_CODE_MUL:
        *out = a * b;
        break;
    case HC_CODE_DIVIDE:
        *out = a / b;
        break;
    case HC_CODE_REMAINDER:
        *out = a % b;
        break;
    case HC_CODE_AND:
        *out = a & b;
        break;
    case HC_CODE_OR:
        *out = a | b;
        break;
    case HC_CODE_XOR:
        *out = a ^ b;
        break;
    case HC_CODE_SHL:
        *out = a << b;
        break;
    case HC_CODE_LSHR:
        *out = a >> b;
        break;
    case HC_CODE_ASHR:
        *out = (uint32_t)(with_sign(a, o->bits) >> b);
        break;
    case HC_CODE_EXTEND:
    case HC_CODE_TRUNCATE:
        *out = a;
        break;
    case HC_CODE_EXTEND_SIGN:
        *out = (uint32_t)with_sign(a, o->source_bits);
        break;
    case HC_CODE_OTHER:
    case HC_CODE_SELECT:
        return false;
    default:
        *out = compare((enum hc_code)o->code, a, b, o->source_bits);
    }
    *out = cut(*out, o->bits);
    return true;
}

static struct hc_value_set operand(const struct hc_values *v, uint32_t node, const struct hc_operation *o, uint32_t i)
{
    const struct hc_points_to *a = v->a;
    const struct hc_instance *at = &a->instance[a->node[node].owner];
    int32_t value = i < o->count ? a->p->operand[o->first + i] : HC_VALUE_NONE;
    int64_t literal = i < o->count ? a->p->literal[o->first + i] : HC_LITERAL_NONE;

    if (value >= 0)
        return v->of[at->base + (uint32_t)value];
    if (value == HC_VALUE_NONE && literal != HC_LITERAL_NONE)
        return (struct hc_value_set){ .count = 1, .value = { (uint32_t)literal } };
    return anything;
}

static void select_one(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    struct hc_value_set by = operand(v, node, o, 0), yes = operand(v, node, o, 1), no = operand(v, node, o, 2);

    for (uint8_t i = 0; i < by.count; i++)
        learn(v, node, by.value[i] ? &yes : &no);
    if (by.any) {
        learn(v, node, &yes);
        learn(v, node, &no);
    }
}

/* x & 0 is 0, whatever x is. */
static bool is_masked_away(const struct hc_operation *o, const struct hc_value_set *x, const struct hc_value_set *y)
{
    bool absorbs = o->code == HC_CODE_AND || o->code == HC_CODE_MUL;

    return absorbs && ((x->any && y->count == 1 && !y->value[0]) || (y->any && x->count == 1 && !x->value[0]));
}

static void join(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    struct hc_value_set x = operand(v, node, o, 0), y = operand(v, node, o, 1), result = { 0 };
    bool one = o->code == HC_CODE_EXTEND || o->code == HC_CODE_EXTEND_SIGN || o->code == HC_CODE_TRUNCATE;

    if (!o->bits || (!o->source_bits && o->code != HC_CODE_SELECT) || o->code == HC_CODE_OTHER) {
        learn_any(v, node);
        return;
    }
    if (o->code == HC_CODE_SELECT) {
        select_one(v, node, o);
        return;
    }
    if (one)
        y = (struct hc_value_set){ .count = 1 };
    if (is_masked_away(o, &x, &y))
        add_value(&result, 0);
    else if (x.any || y.any)
        result = anything;
    for (uint8_t i = 0; !x.any && !y.any && i < x.count; i++)
        for (uint8_t j = 0; j < y.count && !result.any; j++) {
            uint32_t value;
            if (compute(o, x.value[i], y.value[j], &value))
                add_value(&result, value);
            else
                result = anything;
        }
    learn(v, node, &result);
}

/* ---- memory ---- */

/* Bytes of one element of the field; 0: not known. */
static uint32_t width_of(const struct hc_layout *l, uint32_t field)
{
    uint32_t width = 0, element = 0;

    for (uint32_t b = l->field ? l->start[field] : 0; l->field && b < l->size && l->field[b] == field; b++)
        width++;
    for (int i = 0; l->field && i < HC_LAYOUT_NEST; i++)
        if (l->stride[field * HC_LAYOUT_NEST + i])
            element = l->stride[field * HC_LAYOUT_NEST + i];
    return element && element < width ? element : width;
}

static const struct hc_layout *layout_of(const struct hc_values *v, uint32_t field)
{
    return &v->a->p->layout[v->a->memory[v->a->node[field].owner].layout];
}

static uint32_t number_of(const struct hc_values *v, uint32_t field)
{
    return field - v->a->memory[v->a->node[field].owner].first;
}

struct storing {
    struct hc_values *v;
    struct hc_value_set what;
    uint32_t size;
};

static void store_field(void *owner, uint32_t field, uint32_t at)
{
    struct storing *x = owner;
    bool whole = !at && x->size && width_of(layout_of(x->v, field), number_of(x->v, field)) == x->size;

    learn(x->v, field, whole ? &x->what : &anything);
}

static void store(struct hc_values *v, uint32_t pointer, uint32_t size, struct hc_value_set what)
{
    struct storing x = { v, what, size };

    for (uint32_t i = 0; pointer != HC_NONE && i < v->a->node[pointer].count; i++)
        hc_points_to_cover(v->a, v->a->node[pointer].to[i], size, store_field, &x);
}

static uint32_t pointer_of(const struct hc_values *v, uint32_t node, const struct hc_operation *o, uint32_t i)
{
    const struct hc_instance *at = &v->a->instance[v->a->node[node].owner];

    return i < o->count ? hc_points_to_value(v->a, at, v->a->p->operand[o->first + i]) : HC_NONE;
}

/* An address that is stored where no object is goes to hardware, which may write there. */
static void store_operation(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    uint32_t to = pointer_of(v, node, o, 1), what = pointer_of(v, node, o, 0);
    struct hc_value_set value = operand(v, node, o, 0);

    store(v, to, o->size, o->source_bits ? value : anything);
    if (to == HC_NONE || !v->a->node[to].count)
        store(v, what, 0, anything);
}

struct loading {
    struct hc_values *v;
    struct hc_value_set what;
    uint32_t size, node;
};

static void load_field(void *owner, uint32_t field, uint32_t at)
{
    struct loading *x = owner;
    bool whole = !at && width_of(layout_of(x->v, field), number_of(x->v, field)) == x->size;

    add_set(&x->what, whole ? &x->v->of[field] : &anything);
    if (whole && !x->what.any && hc_beginning_is_seen(&x->v->beginning, x->node, field))
        add_set(&x->what, &x->v->first[field]);
}

static void load(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    struct loading x = { .v = v, .size = o->size, .node = node };
    uint32_t pointer = pointer_of(v, node, o, 0);
    bool known = o->bits && !o->changes && pointer != HC_NONE && v->a->node[pointer].count;

    for (uint32_t i = 0; known && i < v->a->node[pointer].count && !x.what.any; i++)
        hc_points_to_cover(v->a, v->a->node[pointer].to[i], o->size, load_field, &x);
    learn(v, node, known ? &x.what : &anything);
}

/* ---- control ---- */

bool hc_values_lives(const struct hc_values *v, uint32_t instance, uint32_t block)
{
    return v->lives[v->first_block[instance] + block];
}

bool hc_values_node_lives(const struct hc_values *v, uint32_t node)
{
    uint32_t number, instance = v->a->node[node].owner;

    if (instance == HC_NONE || v->a->node[node].field)
        return true;
    const struct hc_operation *o = hc_points_to_operation(v->a, node, &number);
    return hc_values_lives(v, instance, o ? o->block : 0);
}

static void enliven(struct hc_values *v, uint32_t instance, uint32_t block)
{
    bool *lives = &v->lives[v->first_block[instance] + block];

    if (v->a->p->function[v->a->instance[instance].function].blocks > block) {
        v->changed |= !*lives;
        *lives = true;
    }
}

bool hc_values_goes(const struct hc_values *v, uint32_t instance, uint32_t from, uint32_t to)
{
    const struct hc_depend_program *p = v->a->p;
    const struct hc_instance *i = &v->a->instance[instance];
    const struct hc_depend_function *f = &p->function[i->function];
    const struct hc_depend_block *b = &p->block[f->first_block + from];
    const struct hc_operation *o = &p->operation[f->first_operation + b->first + b->count - 1];
    const uint32_t *after = &p->edge[b->first_after];

    if (!hc_values_lives(v, instance, from))
        return false;
    if (o->kind != HC_OPERATION_BRANCH || o->changes || b->after_count != 2 || after[0] == after[1])
        return true;
    struct hc_value_set by = operand(v, i->base + f->parameters + b->first + b->count - 1, o, 0);
    for (uint8_t n = 0; n < by.count; n++)
        if (after[by.value[n] ? 0 : 1] == to)
            return true;
    return by.any;
}

static void leave_block(struct hc_values *v, uint32_t instance, uint32_t block)
{
    const struct hc_depend_program *p = v->a->p;
    const struct hc_depend_block *b = &p->block[p->function[v->a->instance[instance].function].first_block + block];

    for (uint32_t i = 0; i < b->after_count; i++)
        if (hc_values_goes(v, instance, block, p->edge[b->first_after + i]))
            enliven(v, instance, p->edge[b->first_after + i]);
}

static void choose(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    for (uint32_t n = 0; n < o->count; n++) {
        struct hc_value_set one = operand(v, node, o, n);
        if (hc_values_goes(v, v->a->node[node].owner, v->a->p->edge[o->object + n], o->block))
            learn(v, node, o->bits ? &one : &anything);
    }
}

/* ---- calls ---- */

static bool is_dispatched(const struct hc_values *v, uint32_t instance)
{
    for (size_t i = 0; i < v->a->dispatcheds; i++)
        if (v->a->dispatched[i].instance == instance)
            return true;
    return false;
}

static void take_result(struct hc_values *v, uint32_t node, const struct hc_operation *o, uint32_t instance)
{
    const struct hc_instance *i = &v->a->instance[instance];
    const struct hc_depend_function *f = &v->a->p->function[i->function];

    for (uint32_t n = 0; n < f->operations; n++) {
        const struct hc_operation *end = &v->a->p->operation[f->first_operation + n];
        struct hc_value_set one = operand(v, i->base + f->parameters + n, end, 0);
        if (end->kind == HC_OPERATION_RETURN && hc_values_lives(v, instance, end->block))
            learn(v, node, o->bits && end->source_bits == o->bits ? &one : &anything);
    }
}

static void call(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    if (v->a->node[node].callee == HC_NONE || o->kind != HC_OPERATION_CALL ||
        v->a->p->operand[o->first] >= 0) /* may be of what has no bitcode */
        learn_any(v, node);
    for (uint32_t c = v->a->node[node].callee; c != HC_NONE; c = v->a->callee[c].next) {
        uint32_t instance = v->a->callee[c].instance;
        const struct hc_instance *i = &v->a->instance[instance];
        bool handed = is_dispatched(v, instance), foreign = o->kind == HC_OPERATION_FOREIGN;
        for (uint32_t n = 0; n < v->a->p->function[i->function].parameters; n++) {
            struct hc_value_set one = operand(v, node, o, n + 1);
            learn(v, i->base + n, handed || foreign ? &anything : &one);
        }
        if (!handed)
            enliven(v, instance, 0);
        if (i->more != HC_NONE)
            learn_any(v, v->a->memory[i->more].first);
        take_result(v, node, o, instance);
    }
}

/* What is called by a queue, is so if somebody may have posted it. */
static void dispatch(struct hc_values *v)
{
    for (size_t d = 0; d < v->a->dispatcheds; d++)
        for (size_t i = 0; i < v->a->posts; i++)
            if (!v->a->model[v->a->post[i].model].withdraws && hc_values_node_lives(v, v->a->post[i].node) &&
                hc_points_to_posted(v->a, &v->a->post[i], &v->a->dispatched[d]))
                enliven(v, v->a->dispatched[d].instance, 0);
}

/* ---- the whole ---- */

static void execute(struct hc_values *v, uint32_t node, const struct hc_operation *o)
{
    switch ((enum hc_operation_kind)o->kind) {
    case HC_OPERATION_JOIN:
        join(v, node, o);
        break;
    case HC_OPERATION_CHOOSE:
        choose(v, node, o);
        break;
    case HC_OPERATION_LOAD:
        load(v, node, o);
        break;
    case HC_OPERATION_STORE:
        store_operation(v, node, o);
        break;
    case HC_OPERATION_COPY:
    case HC_OPERATION_FILL:
    case HC_OPERATION_VARIABLE_ARGUMENTS:
        store(v, pointer_of(v, node, o, 0), o->kind == HC_OPERATION_VARIABLE_ARGUMENTS ? 0 : o->size, anything);
        learn_any(v, node);
        break;
    case HC_OPERATION_FOREIGN:
        store(v, node, 0, anything);
        learn_any(v, node);
        call(v, node, o); /* of functions that it was given */
        break;
    case HC_OPERATION_CALL:
        call(v, node, o);
        break;
    default:
        learn_any(v, node);
    }
}

static void run_instance(struct hc_values *v, uint32_t instance)
{
    const struct hc_instance *i = &v->a->instance[instance];
    const struct hc_depend_function *f = &v->a->p->function[i->function];

    for (uint32_t b = 0; b < f->blocks; b++) {
        const struct hc_depend_block *block = &v->a->p->block[f->first_block + b];
        if (!hc_values_lives(v, instance, b))
            continue;
        for (uint32_t n = block->first; n < block->first + block->count; n++)
            execute(v, i->base + f->parameters + n, &v->a->p->operation[f->first_operation + n]);
        leave_block(v, instance, b);
    }
}

/* Of a variable that is initialised: a number of SIZE bytes at byte AT, or an address (SIZE 0). */
static void begin_field(struct hc_values *v, uint32_t object, uint32_t at, uint32_t size, uint32_t value)
{
    const struct hc_memory *m = &v->a->memory[v->a->global[object]];
    const struct hc_layout *l = &v->a->p->layout[m->layout];

    if (!l->field || at >= l->size)
        return;
    if (size && width_of(l, l->field[at]) == size)
        add_value(&v->first[m->first + l->field[at]], value);
    else
        learn_any(v, m->first + l->field[at]);
}

/* Fields of static variables begin as they are initialised; all other memory is not followed. An array's elements,
 * which are one field, may begin with zeros, too. */
static void begin_memory(struct hc_values *v)
{
    const struct hc_points_to *a = v->a;
    const struct hc_depend_program *p = a->p;

    for (size_t i = 0; i < p->numbers; i++)
        begin_field(v, p->number[i].from, p->number[i].at, p->number[i].size, p->number[i].value);
    for (size_t i = 0; i < p->initials; i++)
        begin_field(v, p->initial[i].from, p->initial[i].at, 0, 0);
    for (size_t m = 0; m < a->memories; m++) {
        const struct hc_layout *l = &p->layout[a->memory[m].layout];
        bool own = a->memory[m].object != HC_NONE && p->object[a->memory[m].object].own;
        for (uint32_t f = 0; f < l->fields; f++)
            if (!own || !l->field)
                learn_any(v, a->memory[m].first + f);
            else if (!v->first[a->memory[m].first + f].count || l->stride[f * HC_LAYOUT_NEST])
                add_value(&v->first[a->memory[m].first + f], 0);
    }
}

static void begin(struct hc_values *v)
{
    begin_memory(v);
    for (uint32_t i = 0; i < v->a->instances; i++) {
        const struct hc_depend_function *f = &v->a->p->function[v->a->instance[i].function];
        if (!f->root)
            continue;
        enliven(v, i, 0);
        for (uint32_t n = 0; n < f->parameters; n++)
            learn_any(v, v->a->instance[i].base + n);
    }
}

static bool make_room(struct hc_values *v)
{
    size_t blocks = 0;

    v->of = calloc(v->a->nodes + 1, sizeof *v->of);
    v->first = calloc(v->a->nodes + 1, sizeof *v->first);
    v->first_block = calloc(v->a->instances + 1, sizeof *v->first_block);
    for (size_t i = 0; v->first_block && i < v->a->instances; i++) {
        v->first_block[i] = (uint32_t)blocks;
        blocks += v->a->p->function[v->a->instance[i].function].blocks;
    }
    v->lives = calloc(blocks + 1, sizeof *v->lives);
    return v->of && v->first && v->first_block && v->lives;
}

bool hc_values_compute(struct hc_values *v, const struct hc_points_to *a)
{
    *v = (struct hc_values){ .a = a, .beginning = { .a = a } };
    if (!make_room(v))
        return false;
    begin(v);
    do {
        v->changed = false;
        for (uint32_t i = 0; i < a->instances; i++)
            if (a->p->function[a->instance[i].function].blocks && hc_values_lives(v, i, 0))
                run_instance(v, i);
        dispatch(v);
    } while (v->changed && !v->beginning.failed);
    return !v->beginning.failed;
}

void hc_values_free(struct hc_values *v)
{
    hc_beginning_free(&v->beginning);
    free(v->of);
    free(v->first);
    free(v->first_block);
    free(v->lives);
}
