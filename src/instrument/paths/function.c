#include "function.h"

#include "support/grow.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* How much code an instruction on an edge needs: the dearest of a block gets none. */
enum { FALLS, JUMPS, BRANCHES, TABLE };

struct block {
    size_t first, last; /* instructions */
    bool live;          /* flags are needed at its beginning */
    char callee[HC_ROUTE_NAME];
    bool message;
};

struct work {
    struct hc_path_context *c;
    const struct hc_asm_function *f;
    struct hc_path_numbers n;
    struct block *block;
    size_t block_room, edge_room;
    int *block_at; /* by line, relative to the function's first */
    size_t places;
    unsigned id;
    bool handler;
    char *tail; /* code behind the function: edges of tables */
    size_t tail_size;
    FILE *behind;
};

/* ---- messages ---- */

static bool fail(struct work *w, size_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(struct work *w, size_t line, const char *format, ...)
{
    const struct hc_asm_text *t = w->c->text;
    const struct hc_asm_line *at = line < t->lines ? &t->line[line] : NULL;
    const char *file = at && (size_t)at->file < t->files ? t->file[at->file] : NULL;
    char why[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (file && at->number)
        snprintf(w->c->message, 400, "%.80s:%d: error: %s", file, at->number, why);
    else
        snprintf(w->c->message, 400, "%.80s: error: %s", w->c->name, why);
    return false;
}

static bool refuse(struct work *w, size_t line, const char *what)
{
    return fail(w, line, "%s: paths: %s, which cannot be recorded; leave the function out: --paths='!%s'", w->f->name,
                what, w->f->name);
}

static bool no_memory(struct work *w)
{
    return fail(w, w->c->text->lines, "out of memory");
}

/* ---- lines ---- */

static struct hc_asm_line *line_at(const struct work *w, size_t line)
{
    return &w->c->text->line[line];
}

/* Appends to *TO, a text that is written around a line. */
static bool append(struct work *w, char **to, const char *text)
{
    size_t before = *to ? strlen(*to) : 0, more = strlen(text);
    char *grown = realloc(*to, before + more + 1);

    if (!grown)
        return no_memory(w);
    memcpy(grown + before, text, more + 1);
    *to = grown;
    return true;
}

/* ---- questions about the text ---- */

bool hc_path_is_within(const struct hc_asm_text *t, const struct hc_asm_function *f, size_t from, const char *name)
{
    size_t line = hc_asm_label(t, from, name);

    return line > f->first && line < f->end;
}

bool hc_path_is_handler(const struct hc_asm_text *t, const struct hc_asm_function *f)
{
    for (size_t i = f->first; i < f->end; i++)
        if (t->line[i].kind == HC_ASM_INSTRUCTION && t->line[i].flow.kind == HC_ROUTE_RETURN_INTERRUPT)
            return true;
    return false;
}

/* How often lines of all functions jump through the table NAME. */
static int table_users(const struct hc_asm_text *t, const char *name)
{
    int users = 0;

    for (size_t i = 0; i < t->lines; i++)
        users += t->line[i].kind == HC_ASM_INSTRUCTION && t->line[i].flow.kind == HC_ROUTE_TABLE &&
                 !strcmp(t->line[i].flow.target, name);
    return users;
}

static bool is_step(struct work *w, size_t line)
{
    const struct hc_route *flow = &line_at(w, line)->flow;

    return flow->kind == HC_ROUTE_STEP ||
           (flow->kind == HC_ROUTE_CALL && w->c->callee(w->c->owner, flow->target) == HC_CALLEE_QUIET);
}

/* ---- reading: where blocks begin ---- */

enum { IN_BLOCK = -1, BEGINS = -2 };

static void begin_at_label(struct work *w, size_t from, const char *name)
{
    size_t line = hc_asm_label(w->c->text, from, name);

    while (line < w->f->end && line_at(w, line)->kind != HC_ASM_INSTRUCTION)
        line++;
    if (line > w->f->first && line < w->f->end)
        w->block_at[line - w->f->first] = BEGINS;
}

static void begin_behind(struct work *w, size_t line)
{
    for (line++; line < w->f->end; line++)
        if (line_at(w, line)->kind == HC_ASM_INSTRUCTION) {
            w->block_at[line - w->f->first] = BEGINS;
            return;
        }
}

static bool check_line(struct work *w, size_t i)
{
    const struct hc_asm_line *line = line_at(w, i);

    if (line->kind == HC_ASM_DATA)
        return refuse(w, i, "its code contains data or macros");
    if (line->kind != HC_ASM_INSTRUCTION)
        return true;
    if (line->flow.kind == HC_ROUTE_ANYWHERE)
        return refuse(w, i, "it jumps to where a pointer or an offset says");
    if (line->flow.kind == HC_ROUTE_CALL && strstr(line->flow.target, "setjmp"))
        return refuse(w, i, "it calls setjmp");
    if (strchr(line->text, '{'))
        return refuse(w, i, "inline assembly has several instructions in a line");
    if (*line->flow.named && hc_path_is_within(w->c->text, w->f, i, line->flow.named))
        return refuse(w, i, "it takes the address of a label");
    return true;
}

static bool begin_at_table(struct work *w, size_t i)
{
    char entry[HC_ROUTE_NAME];
    size_t first, end = hc_asm_table(w->c->text, line_at(w, i)->flow.target, &first);

    if (first == end)
        return refuse(w, i, "it jumps through a table that is not in the same file");
    for (size_t k = first; k < end; k++) {
        if (!hc_asm_entry(line_at(w, k), entry) || !hc_path_is_within(w->c->text, w->f, k, entry))
            return refuse(w, i, "it jumps through a table that leads elsewhere");
        begin_at_label(w, k, entry);
    }
    return true;
}

static bool find_beginnings(struct work *w)
{
    for (size_t i = w->f->first; i < w->f->end; i++)
        w->block_at[i - w->f->first] = IN_BLOCK;
    begin_behind(w, w->f->first);
    for (size_t i = w->f->first; i < w->f->end; i++) {
        const struct hc_asm_line *line = line_at(w, i);
        if (!check_line(w, i))
            return false;
        if (line->kind != HC_ASM_INSTRUCTION || is_step(w, i))
            continue;
        begin_behind(w, i);
        if (line->flow.kind == HC_ROUTE_TABLE && !begin_at_table(w, i))
            return false;
        bool jumps = line->flow.kind == HC_ROUTE_JUMP || line->flow.kind == HC_ROUTE_BRANCH;
        if (jumps && hc_path_is_within(w->c->text, w->f, i, line->flow.target))
            begin_at_label(w, i, line->flow.target);
    }
    return true;
}

static bool make_blocks(struct work *w)
{
    size_t room = 0;

    for (size_t i = w->f->first; i < w->f->end; i++) {
        int *at = &w->block_at[i - w->f->first];
        if (line_at(w, i)->kind != HC_ASM_INSTRUCTION)
            continue;
        if (*at == BEGINS) {
            if (w->n.blocks == HC_PATHS_BLOCKS)
                return refuse(w, i, "it has too many blocks");
            if (!hc_grow(&w->block, w->n.blocks, &w->block_room, sizeof *w->block) ||
                !hc_grow(&w->n.block, w->n.blocks, &room, sizeof *w->n.block))
                return no_memory(w);
            w->block[w->n.blocks] = (struct block){ .first = i };
            w->n.block[w->n.blocks++] = (struct hc_path_block){ .next = HC_NO_BLOCK };
        }
        *at = (int)w->n.blocks - 1;
        w->block[w->n.blocks - 1].last = i;
    }
    return w->n.blocks ? true : refuse(w, w->f->first, "it has no instructions");
}

/* ---- reading: edges ---- */

static int block_of_label(struct work *w, size_t from, const char *name)
{
    size_t line = hc_asm_label(w->c->text, from, name);

    while (line < w->f->end && line_at(w, line)->kind != HC_ASM_INSTRUCTION)
        line++;
    return line > w->f->first && line < w->f->end ? w->block_at[line - w->f->first] : HC_NO_BLOCK;
}

static bool add_edge(struct work *w, int from, int to, unsigned dear)
{
    if (to == HC_NO_BLOCK)
        return refuse(w, w->block[from].last, "control leaves its end");
    for (size_t e = 0; dear == TABLE && e < w->n.edges; e++)
        if (w->n.edge[e].from == from && w->n.edge[e].to == to)
            return true;
    if (!hc_grow(&w->n.edge, w->n.edges, &w->edge_room, sizeof *w->n.edge))
        return no_memory(w);
    w->n.edge[w->n.edges++] = (struct hc_path_edge){ .from = from, .to = to, .dear = dear };
    return true;
}

static int block_behind(const struct work *w, int block)
{
    return (size_t)block + 1 < w->n.blocks ? block + 1 : HC_NO_BLOCK;
}

static bool add_table_edges(struct work *w, int block)
{
    const struct hc_asm_text *t = w->c->text;
    const char *table = line_at(w, w->block[block].last)->flow.target;
    char entry[HC_ROUTE_NAME];
    size_t first, end = hc_asm_table(t, table, &first);

    if (table_users(t, table) > 1)
        w->n.block[block].end = HC_PATH_END_SWITCH;
    for (size_t k = first; k < end; k++)
        if (!hc_asm_entry(line_at(w, k), entry) || !add_edge(w, block, block_of_label(w, k, entry), TABLE))
            return false;
    return true;
}

static bool end_with_call(struct work *w, int block, const struct hc_route *flow)
{
    enum hc_path_callee callee =
        flow->kind == HC_ROUTE_CALL ? w->c->callee(w->c->owner, flow->target) : HC_CALLEE_UNKNOWN;

    w->n.block[block].end = HC_PATH_END_CALL;
    w->n.block[block].next = block_behind(w, block); /* none: it does not return */
    w->n.block[block].certain = callee == HC_CALLEE_CHOSEN || callee == HC_CALLEE_MESSAGE;
    w->block[block].message = callee == HC_CALLEE_MESSAGE;
    if (callee == HC_CALLEE_CHOSEN)
        snprintf(w->block[block].callee, HC_ROUTE_NAME, "%s", flow->target);
    return true;
}

static bool end_with_tail_call(struct work *w, int block, const struct hc_route *flow)
{
    if (w->c->callee(w->c->owner, flow->target) != HC_CALLEE_CHOSEN)
        return refuse(w, w->block[block].last, "it ends with a jump to a function that is not recorded");
    w->n.block[block].end = HC_PATH_END_TAIL;
    snprintf(w->block[block].callee, HC_ROUTE_NAME, "%s", flow->target);
    return true;
}

static bool end_block(struct work *w, int block)
{
    size_t last = w->block[block].last;
    const struct hc_route *flow = &line_at(w, last)->flow;

    if (is_step(w, last)) {
        if (flow->kind == HC_ROUTE_CALL && block_behind(w, block) == HC_NO_BLOCK) /* which does not return */
            w->n.block[block].end = HC_PATH_END_CALL;
        else
            return add_edge(w, block, block_behind(w, block), FALLS);
        return true;
    }
    switch (flow->kind) {
    case HC_ROUTE_CALL:
    case HC_ROUTE_CALL_INDIRECT:
        return end_with_call(w, block, flow);
    case HC_ROUTE_TABLE:
        return add_table_edges(w, block);
    case HC_ROUTE_BRANCH:
        if (!hc_path_is_within(w->c->text, w->f, last, flow->target))
            return refuse(w, last, "it branches into another function");
        return add_edge(w, block, block_of_label(w, last, flow->target), BRANCHES) &&
               add_edge(w, block, block_behind(w, block), FALLS);
    case HC_ROUTE_JUMP:
        if (!hc_path_is_within(w->c->text, w->f, last, flow->target))
            return end_with_tail_call(w, block, flow);
        return add_edge(w, block, block_of_label(w, last, flow->target), JUMPS);
    default:
        w->n.block[block].end = HC_PATH_END_RETURN;
        return true;
    }
}

/* ---- flags ---- */

static bool flags_at(const struct work *w, int block, bool behind)
{
    bool live = behind;

    for (size_t i = w->block[block].last + 1; i-- > w->block[block].first;) {
        const struct hc_asm_line *line = line_at(w, i);
        if (line->kind != HC_ASM_INSTRUCTION)
            continue;
        if (line->flow.sets_flags || line->flow.kind == HC_ROUTE_CALL || line->flow.kind == HC_ROUTE_CALL_INDIRECT)
            live = false;
        live |= line->flow.needs_flags;
    }
    return live;
}

static void follow_flags(struct work *w)
{
    bool again = true;

    while (again) {
        again = false;
        for (size_t b = w->n.blocks; b--;) {
            bool behind = false;
            for (size_t e = 0; e < w->n.edges; e++)
                behind |= w->n.edge[e].from == (int)b && w->block[w->n.edge[e].to].live;
            bool live = flags_at(w, (int)b, behind);
            again |= live != w->block[b].live;
            w->block[b].live = live;
        }
    }
}

/* ---- code ---- */

static void set_number(struct work *w, FILE *to, unsigned number)
{
    char label[60];

    snprintf(label, sizeof label, ".Lhc_p_%u_%zu", w->id, w->places++);
    w->c->flow->set(to, label, number);
}

static void set_sum(struct work *w, FILE *to, int block)
{
    set_number(w, to, w->n.block[block].first);
}

static bool needs_code(const struct work *w, const struct hc_path_edge *e)
{
    return w->n.block[e->from].recorded && (e->value || e->cut);
}

static void write_edge(struct work *w, FILE *to, const struct hc_path_edge *e)
{
    bool ends_before = w->n.block[e->from].end == HC_PATH_END_SWITCH; /* there it is written already */

    if (e->value && !ends_before)
        w->c->flow->add(to, e->value, w->block[e->to].live);
    if (e->cut && !ends_before)
        w->c->flow->call(to, "__hc_path");
    if (e->cut)
        set_sum(w, to, e->to);
}

static const struct hc_path_edge *edge_of(const struct work *w, int block, unsigned dear)
{
    for (size_t e = 0; e < w->n.edges; e++)
        if (w->n.edge[e].from == block && w->n.edge[e].dear == dear)
            return &w->n.edge[e];
    return NULL;
}

/* The branch becomes its opposite, over the code of the edge. */
static void write_branch(struct work *w, FILE *to, int block)
{
    const struct hc_path_edge *e = edge_of(w, block, BRANCHES);
    struct hc_asm_line *line = line_at(w, w->block[block].last);
    char label[40];

    if (!e || !needs_code(w, e))
        return;
    line->dropped = true;
    snprintf(label, sizeof label, ".Lhc_s_%u_%d", w->id, block);
    w->c->flow->branch_unless(to, line->text, label);
    write_edge(w, to, e);
    w->c->flow->jump(to, line->flow.target);
    fprintf(to, "%s:\n", label);
}

/* Entries of tables lead over code behind the function. */
static bool write_table(struct work *w, int block)
{
    size_t first, end = hc_asm_table(w->c->text, line_at(w, w->block[block].last)->flow.target, &first);
    char entry[HC_ROUTE_NAME];

    for (size_t k = first; k < end; k++) {
        struct hc_asm_line *line = line_at(w, k);
        if (line->dropped || !hc_asm_entry(line, entry)) /* another block's jump was first */
            continue;
        int to = block_of_label(w, k, entry);
        const struct hc_path_edge *e = NULL;
        for (size_t i = 0; i < w->n.edges; i++)
            if (w->n.edge[i].from == block && w->n.edge[i].to == to)
                e = &w->n.edge[i];
        if (!e || !needs_code(w, e))
            continue;
        char text[100];
        snprintf(text, sizeof text, "\t.short\t.Lhc_t_%u_%u\n", w->id, w->c->serial);
        fprintf(w->behind, ".Lhc_t_%u_%u:\n", w->id, w->c->serial++);
        write_edge(w, w->behind, e);
        w->c->flow->jump(w->behind, entry);
        line->dropped = true;
        if (!append(w, &line->after, text))
            return false;
    }
    return true;
}

/* What is written before the last instruction of BLOCK, and behind it. */
static bool write_end(struct work *w, int block, FILE *before, FILE *after)
{
    const struct hc_path_block *b = &w->n.block[block];
    const struct hc_path_edge *e;
    const struct hc_route *flow = &line_at(w, w->block[block].last)->flow;

    if (b->end != HC_PATH_END_EDGES && b->recorded)
        w->c->flow->call(before, "__hc_path");
    if (flow->kind == HC_ROUTE_RETURN_INTERRUPT)
        w->c->flow->call(before, "__hc_path_leave");
    if (b->end == HC_PATH_END_CALL && b->next != HC_NO_BLOCK && !w->n.block[b->next].rests)
        set_sum(w, after, b->next);
    if (flow->kind == HC_ROUTE_TABLE)
        return write_table(w, block);
    e = edge_of(w, block, JUMPS);
    if (e && needs_code(w, e))
        write_edge(w, before, e);
    write_branch(w, after, block);
    e = edge_of(w, block, FALLS);
    if (e && needs_code(w, e))
        write_edge(w, after, e);
    return true;
}

static bool write_block(struct work *w, int block)
{
    char *before = NULL, *after = NULL, label[60];
    size_t size;
    struct block *b = &w->block[block];
    struct hc_asm_line *first = line_at(w, b->first), *last = line_at(w, b->last);
    FILE *ahead = open_memstream(&before, &size), *behind = open_memstream(&after, &size);
    bool fine = ahead && behind && write_end(w, block, ahead, behind);

    if (ahead)
        fine &= !fclose(ahead);
    if (behind)
        fine &= !fclose(behind);
    snprintf(label, sizeof label, ".Lhc_b_%u_%d:\n", w->id, block);
    fine = fine && append(w, &first->before, label);
    snprintf(label, sizeof label, ".Lhc_z_%u_%d:\n", w->id, block);
    fine = fine && append(w, &last->before, before) && append(w, &last->after, label) && append(w, &last->after, after);
    free(before);
    free(after);
    return fine || *w->c->message || no_memory(w);
}

static bool write_entry(struct work *w)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return no_memory(w);
    fprintf(to, ".Lhc_f_%u:\n", w->id);
    if (w->handler)
        w->c->flow->call(to, "__hc_path_enter");
    if (!w->n.block[0].rests)
        set_number(w, to, w->n.entry);
    bool fine = !fclose(to) && append(w, &line_at(w, w->f->first)->after, text);
    free(text);
    return fine;
}

/* ---- the record ---- */

static void write_block_record(struct work *w, int block, FILE *map)
{
    const struct hc_path_block *b = &w->n.block[block];
    unsigned flags = (b->begins && b->reached ? HC_PATHS_BEGINS : 0) | (b->rests ? HC_PATHS_RESTS : 0) |
                     (b->certain ? HC_PATHS_CERTAIN : 0) | (w->block[block].message ? HC_PATHS_MESSAGE : 0);

    fprintf(map, "\t.long\t.Lhc_b_%u_%d, .Lhc_z_%u_%d, %s\n", w->id, block, w->id, block,
            *w->block[block].callee ? w->block[block].callee : "0");
    fprintf(map, "\t.short\t%d, %u, %u\n\t.byte\t%u, %u\n", b->next == HC_NO_BLOCK ? HC_PATHS_NO_BLOCK : b->next,
            b->first, b->paths, (unsigned)b->end, flags);
}

static void write_record(struct work *w, FILE *map)
{
    /* Not its name: a weak function may be replaced by another. */
    fprintf(map, "\t.long\t%u, .Lhc_f_%u, .Lhc_e_%u, 0\n", (unsigned)HC_PATHS_MAGIC, w->id, w->id);
    fprintf(map, "\t.short\t%u, %u, %zu, %zu, %zu, %u\n", w->handler ? (unsigned)HC_PATHS_HANDLER : 0u, w->n.total,
            w->n.blocks, w->n.edges, w->places, w->n.entry);
    for (size_t b = 0; b < w->n.blocks; b++)
        write_block_record(w, (int)b, map);
    for (size_t e = 0; e < w->n.edges; e++)
        fprintf(map, "\t.short\t%d, %d, %u, %d\n", w->n.edge[e].from, w->n.edge[e].to, w->n.edge[e].value,
                w->n.edge[e].cut);
    for (size_t p = 0; p < w->places; p++)
        fprintf(map, "\t.long\t.Lhc_p_%u_%zu\n", w->id, p);
}

/* ---- all of it ---- */

static bool read_function(struct work *w)
{
    w->block_at = calloc(w->f->end - w->f->first + 1, sizeof *w->block_at);
    if (!w->block_at)
        return no_memory(w);
    if (!find_beginnings(w) || !make_blocks(w))
        return false;
    for (size_t b = 0; b < w->n.blocks; b++)
        if (!end_block(w, (int)b))
            return false;
    follow_flags(w);
    return true;
}

static bool write_function(struct work *w)
{
    char label[60];

    w->behind = open_memstream(&w->tail, &w->tail_size);
    if (!w->behind)
        return no_memory(w);
    bool fine = write_entry(w);
    for (size_t b = 0; fine && b < w->n.blocks; b++)
        fine = write_block(w, (int)b);
    fine = !fclose(w->behind) && fine;
    snprintf(label, sizeof label, ".Lhc_e_%u:\n", w->id);
    struct hc_asm_line *last = line_at(w, w->block[w->n.blocks - 1].last);
    return fine && append(w, &last->after, w->tail) && append(w, &last->after, label);
}

bool hc_path_instrument(struct hc_path_context *c, const struct hc_asm_function *f, bool entry_rests, FILE *map)
{
    struct work w = { .c = c, .f = f, .id = c->serial++, .handler = hc_path_is_handler(c->text, f) };
    bool fine = read_function(&w);

    if (fine && !hc_path_numbers_assign(&w.n, entry_rests && !w.handler))
        fine = no_memory(&w);
    if (fine && w.n.total > 0x7fff)
        fine = refuse(&w, f->first, "it has too many paths");
    fine = fine && write_function(&w);
    if (fine)
        write_record(&w, map);
    free(w.n.block);
    free(w.n.edge);
    free(w.block);
    free(w.block_at);
    free(w.tail);
    return fine;
}
