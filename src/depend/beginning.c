#include "beginning.h"

#include <stdlib.h>
#include <string.h>

/* A search for one field. */
struct search {
    const struct hc_points_to *a;
    uint32_t field, size; /* in bytes */
    uint8_t *seen;        /* a bit for each node */
    bool *entered;        /* of each instance */
    uint32_t *instance;   /* those that are to be looked at */
    size_t instances;
};

/* Of a field that is no element of an array; 0: of another. */
static uint32_t size_of(const struct hc_points_to *a, uint32_t field)
{
    const struct hc_memory *m = &a->memory[a->node[field].owner];
    const struct hc_layout *l = &a->p->layout[m->layout];
    uint32_t number = field - m->first, size = 0;

    if (!l->field || m->object == HC_NONE || l->stride[number * HC_LAYOUT_NEST])
        return 0;
    for (uint32_t b = l->start[number]; b < l->size && l->field[b] == number; b++)
        size++;
    return size;
}

/* Whether the operation writes the whole field, and nothing else. */
static bool writes(const struct search *s, const struct hc_instance *i, const struct hc_operation *o)
{
    if (o->kind != HC_OPERATION_STORE || o->size != s->size)
        return false;
    uint32_t pointer = hc_points_to_value(s->a, i, s->a->p->operand[o->first + 1]);
    return pointer != HC_NONE && s->a->node[pointer].count == 1 && s->a->node[pointer].to[0] == s->field;
}

static void enter(struct search *s, uint32_t instance)
{
    if (!s->entered[instance]) {
        s->entered[instance] = true;
        s->instance[s->instances++] = instance;
    }
}

/* The operations of the block up to one that writes. True: none does. */
static bool pass_block(struct search *s, const struct hc_instance *i, const struct hc_depend_block *b)
{
    const struct hc_depend_function *f = &s->a->p->function[i->function];

    for (uint32_t n = b->first; n < b->first + b->count; n++) {
        const struct hc_operation *o = &s->a->p->operation[f->first_operation + n];
        uint32_t node = i->base + f->parameters + n;
        s->seen[node / 8] |= (uint8_t)(1u << node % 8);
        for (uint32_t c = s->a->node[node].callee; c != HC_NONE; c = s->a->callee[c].next)
            enter(s, s->a->callee[c].instance);
        if (writes(s, i, o))
            return false;
    }
    return true;
}

static bool pass_instance(struct search *s, const struct hc_instance *i)
{
    const struct hc_depend_program *p = s->a->p;
    const struct hc_depend_function *f = &p->function[i->function];
    bool *visited = calloc(f->blocks + 1, sizeof *visited);
    uint32_t *stack = calloc(f->blocks + 1, sizeof *stack), depth = 0;
    bool fine = visited && stack;

    if (fine && f->blocks) {
        visited[0] = true;
        stack[depth++] = 0;
    }
    while (depth) {
        const struct hc_depend_block *b = &p->block[f->first_block + stack[--depth]];
        bool goes_on = pass_block(s, i, b);
        for (uint32_t n = 0; goes_on && n < b->after_count; n++) {
            uint32_t next = p->edge[b->first_after + n];
            if (!visited[next])
                stack[depth++] = next;
            visited[next] = true;
        }
    }
    free(visited);
    free(stack);
    return fine;
}

/* Returns the bits; NULL when memory is exhausted. */
static uint8_t *search(const struct hc_points_to *a, uint32_t field, uint32_t size)
{
    struct search s = { .a = a, .field = field, .size = size };
    bool fine = true;

    s.seen = calloc(a->nodes / 8 + 1, 1);
    s.entered = calloc(a->instances + 1, sizeof *s.entered);
    s.instance = calloc(a->instances + 1, sizeof *s.instance);
    if (s.seen && s.entered && s.instance) {
        for (uint32_t i = 0; i < a->instances; i++)
            if (a->p->function[a->instance[i].function].root)
                enter(&s, i);
        for (size_t n = 0; n < s.instances && fine; n++)
            fine = pass_instance(&s, &a->instance[s.instance[n]]);
    }
    if (!fine || !s.entered || !s.instance) {
        free(s.seen);
        s.seen = NULL;
    }
    free(s.entered);
    free(s.instance);
    return s.seen;
}

bool hc_beginning_is_seen(struct hc_beginning *b, uint32_t node, uint32_t field)
{
    size_t i = 0;

    while (i < b->fields && b->field[i] != field)
        i++;
    if (i == HC_BEGINNING_FIELDS || b->failed || !size_of(b->a, field))
        return true;
    if (!b->seen)
        b->seen = calloc(HC_BEGINNING_FIELDS, sizeof *b->seen);
    if (i == b->fields && b->seen) {
        b->seen[i] = search(b->a, field, size_of(b->a, field));
        b->field[b->fields++] = field;
    }
    b->failed |= !b->seen || !b->seen[i];
    return b->failed || b->seen[i][node / 8] >> node % 8 & 1;
}

void hc_beginning_free(struct hc_beginning *b)
{
    for (size_t i = 0; b->seen && i < b->fields; i++)
        free(b->seen[i]);
    free(b->seen);
}
