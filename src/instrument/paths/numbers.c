#include "numbers.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct hc_path_numbers *n;
    int *first_edge; /* by block, in order of their blocks; one more */
    uint8_t *state;  /* by block */
    int *order;      /* blocks, each behind those that it leads to */
    size_t ordered;
    int *owner; /* by block: the beginning of the only stretch that comes by */
};

enum { UNSEEN, OPEN, DONE };
enum { NOBODY = -1, SEVERAL = -2 };

static int compare_edges(const void *a, const void *b)
{
    const struct hc_path_edge *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->dear != y->dear)
        return x->dear > y->dear ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void index_edges(struct work *w)
{
    qsort(w->n->edge, w->n->edges, sizeof *w->n->edge, compare_edges);
    for (size_t b = 0, e = 0; b <= w->n->blocks; b++) {
        while (e < w->n->edges && w->n->edge[e].from < (int)b)
            e++;
        w->first_edge[b] = (int)e;
    }
}

/* ---- cycles ---- */

static void visit(struct work *w, int block)
{
    w->state[block] = OPEN;
    for (int e = w->first_edge[block]; e < w->first_edge[block + 1]; e++) {
        struct hc_path_edge *edge = &w->n->edge[e];
        if (w->n->block[block].end == HC_PATH_END_SWITCH || w->state[edge->to] == OPEN)
            edge->cut = true;
        if (w->state[edge->to] == UNSEEN)
            visit(w, edge->to);
    }
    int next = w->n->block[block].next;
    if (next != HC_NO_BLOCK && w->state[next] == UNSEEN && w->n->block[block].certain)
        visit(w, next);
    w->state[block] = DONE;
    w->order[w->ordered++] = block;
}

/* Behind a call that is not certain a stretch is always recorded: edges that lead back over one need not be cut. Others
 * are: else a loop of stretches that are not recorded would have no end. */
static void visit_all(struct work *w)
{
    bool more = true;

    visit(w, 0);
    while (more) {
        more = false;
        for (size_t b = 0; b < w->n->blocks; b++) {
            int next = w->state[b] == DONE ? w->n->block[b].next : HC_NO_BLOCK;
            if (next != HC_NO_BLOCK && w->state[next] == UNSEEN) {
                visit(w, next);
                more = true;
            }
        }
    }
}

/* ---- numbers ---- */

static unsigned paths_of(const struct work *w, const struct hc_path_edge *edge)
{
    return edge->cut ? 1 : w->n->block[edge->to].paths;
}

/* The edge of most paths that can be cut, if there are too many. */
static struct hc_path_edge *edge_to_cut(const struct work *w, int block)
{
    struct hc_path_edge *most = NULL;
    unsigned sum = 0;

    for (int e = w->first_edge[block]; e < w->first_edge[block + 1]; e++) {
        struct hc_path_edge *edge = &w->n->edge[e];
        sum += paths_of(w, edge);
        if (!edge->cut && paths_of(w, edge) > 1 && (!most || paths_of(w, edge) > paths_of(w, most)))
            most = edge;
    }
    return sum > HC_PATHS_MOST ? most : NULL;
}

static void number(struct work *w, int block)
{
    struct hc_path_block *b = &w->n->block[block];
    struct hc_path_edge *edge;

    b->reached = true;
    b->paths = 1;
    if (b->end != HC_PATH_END_EDGES)
        return;
    while ((edge = edge_to_cut(w, block)))
        edge->cut = true;
    b->paths = 0;
    for (int e = w->first_edge[block]; e < w->first_edge[block + 1]; e++) {
        w->n->edge[e].value = b->paths;
        b->paths += paths_of(w, &w->n->edge[e]);
    }
}

/* ---- stretches ---- */

/* A stretch begins at the entry block in another way, too. */
static bool is_entered_twice(const struct hc_path_numbers *n)
{
    for (size_t b = 0; b < n->blocks; b++)
        if (n->block[b].next == 0)
            return true;
    for (size_t e = 0; e < n->edges; e++)
        if (n->edge[e].to == 0)
            return true;
    return false;
}

static void begin_stretches(struct work *w, bool entry_rests)
{
    struct hc_path_numbers *n = w->n;

    for (size_t b = 0; b < n->blocks; b++)
        n->block[b].may_rest = true;
    n->block[0].begins = true;
    n->block[0].may_rest = entry_rests;
    for (size_t b = 0; b < n->blocks; b++)
        if (n->block[b].reached && n->block[b].next != HC_NO_BLOCK) {
            n->block[n->block[b].next].begins = true;
            n->block[n->block[b].next].may_rest &= n->block[b].certain;
        }
    for (size_t e = 0; e < n->edges; e++)
        if (n->edge[e].cut && n->block[n->edge[e].from].reached) {
            n->block[n->edge[e].to].begins = true;
            n->block[n->edge[e].to].may_rest = false;
        }
    n->total = 0;
    for (size_t b = 0; b < n->blocks; b++)
        if (n->block[b].begins && n->block[b].reached) {
            n->block[b].first = n->total;
            n->total += n->block[b].paths;
        }
    n->entry = 0;
    if (!is_entered_twice(n))
        return;
    n->block[0].may_rest = false;
    n->entry = n->total;
    n->total += n->block[0].paths;
}

/* Blocks that are reached by edges that are not cut come later in reverse order. */
static void own(struct work *w)
{
    struct hc_path_numbers *n = w->n;

    for (size_t b = 0; b < n->blocks; b++)
        w->owner[b] = n->block[b].begins ? (int)b : NOBODY;
    for (size_t i = w->ordered; i--;) {
        int block = w->order[i];
        for (int e = w->first_edge[block]; e < w->first_edge[block + 1]; e++) {
            int to = n->edge[e].to;
            if (!n->edge[e].cut)
                w->owner[to] = w->owner[to] == NOBODY || w->owner[to] == w->owner[block] ? w->owner[block] : SEVERAL;
        }
    }
}

/* All blocks of a stretch that rests are its own. */
static void let_rest(struct work *w)
{
    struct hc_path_numbers *n = w->n;

    for (size_t b = 0; b < n->blocks; b++) {
        struct hc_path_block *at = &n->block[b];
        at->rests = at->begins && at->reached && at->may_rest && at->paths == 1 && w->owner[b] == (int)b;
        int block = (int)b;
        while (at->rests && n->block[block].end == HC_PATH_END_EDGES &&
               w->first_edge[block] < w->first_edge[block + 1]) {
            block = n->edge[w->first_edge[block]].to;
            at->rests = w->owner[block] == (int)b;
        }
    }
    for (size_t b = 0; b < n->blocks; b++)
        n->block[b].recorded = n->block[b].reached && (w->owner[b] < 0 || !n->block[w->owner[b]].rests);
}

bool hc_path_numbers_assign(struct hc_path_numbers *n, bool entry_rests)
{
    struct work w = { .n = n,
                      .first_edge = calloc(n->blocks + 1, sizeof *w.first_edge),
                      .state = calloc(n->blocks + 1, 1),
                      .order = calloc(n->blocks + 1, sizeof *w.order),
                      .owner = calloc(n->blocks + 1, sizeof *w.owner) };
    bool fine = w.first_edge && w.state && w.order && w.owner && n->blocks;

    if (fine) {
        index_edges(&w);
        visit_all(&w);
        for (size_t i = 0; i < w.ordered; i++)
            number(&w, w.order[i]);
        begin_stretches(&w, entry_rests);
        own(&w);
        let_rest(&w);
    }
    free(w.first_edge);
    free(w.state);
    free(w.order);
    free(w.owner);
    return fine;
}
