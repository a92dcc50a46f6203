#include "paths_print.h"

#include <fnmatch.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT_MAX = 20 };

/* ---- source lines of a stretch ---- */

struct lines {
    const char *file; /* of the last */
    int line;
    void (*fn)(void *owner, const char *file, int line);
    void *owner;
};

static void add_line(struct lines *l, const struct hc_line *line)
{
    if (!line->line || (l->file && !strcmp(l->file, line->file) && l->line == line->line))
        return;
    l->file = line->file;
    l->line = line->line;
    l->fn(l->owner, line->file, line->line);
}

/* In order of execution; a line that several instructions in a row belong to comes once. */
static void each_line(struct hc_image *image, const struct hc_paths_event *e,
                      void (*fn)(void *owner, const char *file, int line), void *owner)
{
    struct lines l = { .fn = fn, .owner = owner };
    struct hc_line line;

    for (size_t i = 0; i < e->count; i++) {
        const struct hc_path_map_block *b = &e->function->block[e->blocks[i]];
        for (uint32_t at = b->address; at < b->end; at += 2)
            if (hc_image_line_at(image, at, &line))
                add_line(&l, &line);
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *name_of(const struct hc_paths_printer *p, const struct hc_path_function *f)
{
    struct hc_symbol symbol;

    return hc_image_function_at(p->image, f->address, &symbol) ? symbol.name : "?";
}

/* ---- text ---- */

struct text {
    FILE *to;
    const char *file;
    int first, last; /* a range that is not written yet; 0: none */
};

static void write_range(struct text *t, const char *between)
{
    if (t->first && t->first == t->last)
        fprintf(t->to, "%d%s", t->first, between);
    else if (t->first)
        fprintf(t->to, "%d-%d%s", t->first, t->last, between);
    t->first = 0;
}

static void write_line(void *owner, const char *file, int line)
{
    struct text *t = owner;
    bool other = !t->file || strcmp(t->file, file) != 0;

    if (!other && t->first && line == t->last + 1) {
        t->last = line;
        return;
    }
    write_range(t, other ? " " : ",");
    if (other)
        fprintf(t->to, "%s:", base_name(file));
    t->file = file;
    t->first = t->last = line;
}

static void write_blocks(FILE *to, const struct hc_paths_event *e)
{
    for (size_t i = 0; i < e->count; i++)
        fprintf(to, "%s0x%04x", i ? " " : "  [", (unsigned)e->function->block[e->blocks[i]].address);
    fputc(']', to);
}

static void write_stretch(const struct hc_paths_printer *p, const struct hc_paths_event *e, FILE *to)
{
    struct text t = { .to = to };
    unsigned indent = e->depth < INDENT_MAX ? e->depth : INDENT_MAX;

    if (e->run && e->enters && !e->depth)
        fprintf(to, "interrupt %u\n", e->run);
    fprintf(to, "%s%*s%s%s ", e->level ? "| " : "  ", (int)(2 * indent), "", e->enters ? "" : "..",
            name_of(p, e->function));
    each_line(p->image, e, write_line, &t);
    write_range(&t, "");
    if (p->blocks)
        write_blocks(to, e);
    fputs(e->returns ? " return" : "", to);
}

static void write_message(const struct hc_traffic_event *m, FILE *to)
{
    if (!m)
        fputs("  -- a message that is not in the log", to);
    else if (m->kind == HC_TRAFFIC_EVENT_SENT && m->broadcast)
        fprintf(to, "  -- sent to all, number %u of epoch %u", m->number, m->epoch);
    else if (m->kind == HC_TRAFFIC_EVENT_SENT)
        fprintf(to, "  -- sent to %u, number %u of epoch %u", m->partner, m->number, m->epoch);
    else
        fprintf(to, "  -- received from %u%s, number %u", m->partner, m->broadcast ? ", to all" : "", m->number);
}

static void write_text(const struct hc_paths_printer *p, const struct hc_paths_event *e, FILE *to)
{
    switch (e->kind) {
    case HC_PATHS_EVENT_STRETCH:
        write_stretch(p, e, to);
        break;
    case HC_PATHS_EVENT_MESSAGE:
        write_message(e->message, to);
        break;
    case HC_PATHS_EVENT_RESET:
        fputs("-- reset", to);
        break;
    default:
        fprintf(to, "-- %s%s", e->kind == HC_PATHS_EVENT_LOST ? "paths are missing: " : "", e->why);
    }
}

/* ---- JSON ---- */

static void add_json_line(void *owner, const char *file, int line)
{
    json_array_append_new(owner, json_pack("{s:s, s:i}", "file", file, "line", line));
}

static void write_json_stretch(const struct hc_paths_printer *p, const struct hc_paths_event *e, json_t *object)
{
    json_t *lines = json_array(), *blocks = json_array();

    json_object_set_new(object, "function", json_string(name_of(p, e->function)));
    json_object_set_new(object, "interrupt", json_integer(e->run));
    json_object_set_new(object, "level", json_integer(e->level));
    json_object_set_new(object, "depth", json_integer(e->depth));
    json_object_set_new(object, "enters", json_boolean(e->enters));
    json_object_set_new(object, "returns", json_boolean(e->returns));
    each_line(p->image, e, add_json_line, lines);
    for (size_t i = 0; i < e->count; i++)
        json_array_append_new(blocks, json_integer(e->function->block[e->blocks[i]].address));
    json_object_set_new(object, "lines", lines);
    json_object_set_new(object, "blocks", blocks);
}

static void write_json_message(const struct hc_paths_event *e, json_t *object)
{
    const struct hc_traffic_event *m = e->message;

    if (!m)
        return;
    json_object_set_new(object, "message", json_integer((json_int_t)e->place));
    bool sent = m->kind == HC_TRAFFIC_EVENT_SENT;
    json_object_set_new(object, "sent", json_boolean(sent));
    json_object_set_new(object, "broadcast", json_boolean(m->broadcast));
    if (!sent || !m->broadcast)
        json_object_set_new(object, "partner", json_integer(m->partner));
    json_object_set_new(object, "number", json_integer(m->number));
    if (sent)
        json_object_set_new(object, "epoch", json_integer(m->epoch));
}

static void write_json(const struct hc_paths_printer *p, const struct hc_paths_event *e, FILE *to)
{
    static const char *const kinds[] = { "path", "message", "reset", "lost", "left", "strange" };
    json_t *object = json_pack("{s:s, s:i, s:i}", "kind", kinds[e->kind], "boot", e->boot, "segment", e->segment);

    if (e->kind == HC_PATHS_EVENT_STRETCH)
        write_json_stretch(p, e, object);
    else if (e->kind == HC_PATHS_EVENT_MESSAGE)
        write_json_message(e, object);
    else if (*e->why)
        json_object_set_new(object, "why", json_string(e->why));
    json_dumpf(object, to, JSON_COMPACT);
    json_decref(object);
}

/* ---- all of it ---- */

static void count(struct hc_paths_printer *p, const struct hc_paths_event *e)
{
    p->stretches += e->kind == HC_PATHS_EVENT_STRETCH;
    p->messages += e->kind == HC_PATHS_EVENT_MESSAGE;
    p->resets += e->kind == HC_PATHS_EVENT_RESET;
    p->lost += e->kind == HC_PATHS_EVENT_LOST;
    p->strange += e->kind == HC_PATHS_EVENT_STRANGE;
    p->left += e->kind == HC_PATHS_EVENT_LEFT;
    if (e->kind == HC_PATHS_EVENT_STRETCH && e->run > p->runs)
        p->runs = e->run;
}

void hc_paths_print_end(struct hc_paths_printer *p)
{
    if (p->line && p->times > 1)
        fprintf(p->to, "%s (%zu times)\n", p->line, p->times);
    else if (p->line)
        fprintf(p->to, "%s\n", p->line);
    free(p->line);
    p->line = NULL;
}

/* The same line several times is printed once. */
static void print_line(struct hc_paths_printer *p, char *line)
{
    if (p->line && line && !strcmp(p->line, line)) {
        p->times++;
        free(line);
        return;
    }
    hc_paths_print_end(p);
    p->line = line;
    p->times = 1;
}

void hc_paths_print(void *owner, const struct hc_paths_event *e)
{
    struct hc_paths_printer *p = owner;
    char *text = NULL;
    size_t size;

    count(p, e);
    if (e->kind == HC_PATHS_EVENT_STRETCH && p->function && fnmatch(p->function, name_of(p, e->function), 0))
        return;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    if (p->json)
        write_json(p, e, to);
    else
        write_text(p, e, to);
    fclose(to);
    if (!p->json) {
        print_line(p, text);
        return;
    }
    fprintf(p->to, "%s\n", text);
    free(text);
}
