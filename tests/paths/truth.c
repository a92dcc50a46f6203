#include "truth.h"

#include "paths/decode.h"
#include "support/grow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { RETI = 0x1300, ADDRESSES = 0x10000, UNFINISHED = 2000 };

/* ---- what happens ---- */

static void add_block(struct truth *t, uint32_t pc)
{
    struct truth_list *l = &t->run[t->nested[t->depth]].blocks;

    assert_true(hc_grow(&l->address, l->count, &l->room, sizeof *l->address));
    l->address[l->count++] = pc;
    t->blocks++;
}

static void add_number(struct truth *t, struct hc_machine *m)
{
    struct truth_run *run = &t->run[t->nested[t->depth]];
    uint8_t bytes[2];

    hc_peek_bytes(m, t->sum, bytes, 2);
    assert_true(hc_grow(&t->number, t->numbers, &t->number_room, sizeof *t->number));
    t->number[t->numbers++] = (uint16_t)(bytes[0] | bytes[1] << 8);
    if (!run->order)
        run->order = ++t->orders;
}

static void retire(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct truth *t = owner;
    uint8_t code[2];

    if (pc == t->recorder)
        add_number(t, m);
    if (pc < ADDRESSES && t->is_block[pc])
        add_block(t, pc);
    hc_peek_bytes(m, pc, code, 2);
    if ((code[0] | code[1] << 8) == RETI && t->depth)
        t->depth--;
}

static void begin_run(struct truth *t)
{
    assert_true(hc_grow(&t->run, t->runs, &t->run_room, sizeof *t->run));
    assert_true(hc_grow(&t->nested, t->depth + 1, &t->nested_room, sizeof *t->nested));
    t->run[t->runs] = (struct truth_run){ 0 };
    t->nested[t->depth] = t->runs++;
}

static void interrupt(void *owner, struct hc_machine *m, int vector, uint32_t pc)
{
    struct truth *t = owner;

    (void)m;
    (void)vector;
    (void)pc;
    t->depth++;
    begin_run(t);
}

/* ---- the node ---- */

void truth_start(struct truth *t, const char *path)
{
    struct hc_image_message message;
    const struct hc_path_function *functions;

    *t = (struct truth){ .is_block = calloc(ADDRESSES, 1) };
    harness_start(&t->h, path);
    t->map = hc_path_map_load(t->h.image, &message);
    if (!t->map)
        fail_msg("%s", message.text);
    size_t count = hc_path_map_functions(t->map, &functions);
    for (size_t i = 0; i < count; i++)
        for (uint16_t b = 0; b < functions[i].blocks; b++) {
            assert_true(functions[i].block[b].address < ADDRESSES);
            t->is_block[functions[i].block[b].address] = 1;
        }
    t->recorder = harness_address(&t->h, "__hc_path");
    t->sum = harness_address(&t->h, "__hc_path_sum");
    begin_run(t);
    hc_hook_retire(t->h.machine, retire, t);
    hc_hook_interrupt(t->h.machine, interrupt, t);
}

void truth_stop(struct truth *t)
{
    hc_path_map_free(t->map);
    harness_stop(&t->h);
    for (size_t i = 0; i < t->runs; i++)
        free(t->run[i].blocks.address);
    free(t->run);
    free(t->nested);
    free(t->number);
    free(t->is_block);
}

/* ---- what the numbers say ---- */

struct said {
    const struct truth *t;
    size_t *at;        /* by run: blocks that agreed */
    const size_t *run; /* by order */
    char *message;
    size_t size;
    bool wrong;
};

static void differ(struct said *s, const char *what, unsigned run, uint32_t said, uint32_t truth)
{
    char one[200], two[200];

    if (s->wrong)
        return;
    s->wrong = true;
    hc_image_locate(s->t->h.image, said, one, sizeof one);
    hc_image_locate(s->t->h.image, truth, two, sizeof two);
    snprintf(s->message, s->size, "%s, run %u: decoded %s, executed %s", what, run, one, two);
}

static void compare(void *owner, const struct hc_paths_event *e)
{
    struct said *s = owner;

    if (e->kind == HC_PATHS_EVENT_MESSAGE)
        return;
    if (e->kind != HC_PATHS_EVENT_STRETCH) {
        if (!s->wrong)
            snprintf(s->message, s->size, "%s", e->why);
        s->wrong = true;
        return;
    }
    if (e->run > s->t->orders) {
        differ(s, "there was no such run", e->run, e->function->address, 0);
        return;
    }
    size_t run = e->run ? s->run[e->run] : 0;
    const struct truth_list *l = &s->t->run[run].blocks;
    for (size_t i = 0; i < e->count && !s->wrong; i++) {
        uint32_t said = e->function->block[e->blocks[i]].address;
        if (e->certain && s->at[run] == l->count)
            return; /* it was about to happen */
        size_t at = s->at[run]++;
        if (at >= l->count || l->address[at] != said)
            differ(s, at >= l->count ? "more than happened" : "another block", e->run, said,
                   at < l->count ? l->address[at] : 0);
    }
}

/* Nothing is left but what was under way. */
static void check_rest(struct said *s)
{
    for (size_t i = 0; i < s->t->runs; i++) {
        size_t left = s->t->run[i].blocks.count - s->at[i];
        bool open = false;
        for (size_t d = 0; d <= s->t->depth; d++)
            open |= s->t->nested[d] == i;
        if (left > (open ? UNFINISHED : 0) && !s->wrong) {
            differ(s, "less than happened", s->t->run[i].order, 0, s->t->run[i].blocks.address[s->at[i]]);
        }
    }
}

const char *truth_compare(const struct truth *t, char *message, size_t size)
{
    size_t *order = calloc(t->orders + 1, sizeof *order), *at = calloc(t->runs, sizeof *at);
    struct said s = { .t = t, .at = at, .run = order, .message = message, .size = size };
    unsigned handler = 0;

    /* Runs of handlers in order of their first number; the program has one of its own. */
    for (unsigned o = 1; o <= t->orders; o++)
        for (size_t i = 1; i < t->runs; i++)
            if (t->run[i].order == o)
                order[++handler] = i;
    assert_true(hc_paths_decode(t->map, t->number, t->numbers, compare, &s));
    check_rest(&s);
    free(order);
    free(at);
    return s.wrong ? message : NULL;
}
