#include "decode.h"

#include "../runtime/traffic/model.h"
#include "recorded/names.h"
#include "support/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum wait {
    AT_BLOCK,   /* `block` */
    AT_CALL,    /* of what is not known: then `block` */
    AT_MESSAGE, /* the number of a message, then `block` */
    AT_SWITCH,  /* one of the blocks that `block` leads to */
    AT_ENTRY,   /* its first stretch */
    NEVER,      /* behind a call that does not return */
};

struct frame {
    const struct hc_path_function *function;
    enum wait wait;
    uint16_t block;
    bool handler; /* entered by an interrupt */
    unsigned run;
};

struct decoder {
    const struct hc_path_map *map;
    hc_paths_fn *fn;
    void *owner;
    struct frame *frame;
    size_t frames, room;
    uint16_t *blocks; /* of the stretch that is told */
    unsigned runs;
    uint16_t boot, segment;
    bool failed;
    /* messages */
    const struct hc_traffic_event *message;
    size_t messages, next;
};

enum { DEEPEST = 10000 }; /* frames */

/* ---- telling ---- */

static void tell(struct decoder *d, enum hc_paths_kind kind, const char *why)
{
    struct hc_paths_event e = { .kind = kind, .boot = d->boot, .segment = d->segment };

    snprintf(e.why, sizeof e.why, "%s", why);
    d->fn(d->owner, &e);
}

static size_t base_of(const struct decoder *d, size_t frame)
{
    while (frame && !d->frame[frame].handler)
        frame--;
    return frame;
}

static unsigned level_of(const struct decoder *d)
{
    unsigned level = 0;

    for (size_t i = 0; i < d->frames; i++)
        level += d->frame[i].handler;
    return level;
}

static void tell_stretch(struct decoder *d, size_t count, bool enters, bool certain)
{
    const struct frame *top = &d->frame[d->frames - 1];
    uint8_t ending = top->function->block[d->blocks[count - 1]].ending;
    size_t base = base_of(d, d->frames - 1);
    struct hc_paths_event e = { .kind = HC_PATHS_EVENT_STRETCH,
                                .boot = d->boot,
                                .segment = d->segment,
                                .run = d->frame[base].run,
                                .level = level_of(d),
                                .depth = (unsigned)(d->frames - 1 - base),
                                .enters = enters,
                                .returns = ending == HC_PATH_END_RETURN,
                                .certain = certain,
                                .function = top->function,
                                .blocks = d->blocks,
                                .count = count };

    d->fn(d->owner, &e);
}

/* ---- frames ---- */

static void push(struct decoder *d, const struct hc_path_function *f, enum wait wait)
{
    if (d->frames == DEEPEST) { /* of a damaged log */
        tell(d, HC_PATHS_EVENT_STRANGE, "calls are too deep");
        d->frames = 0;
    }
    if (!hc_grow(&d->frame, d->frames, &d->room, sizeof *d->frame)) {
        d->failed = true;
        return;
    }
    d->frame[d->frames++] = (struct frame){ .function = f, .wait = wait };
}

static struct frame *top(struct decoder *d)
{
    return d->frames ? &d->frame[d->frames - 1] : NULL;
}

/* What comes after the last block of a stretch of the top frame. CUT: the block to which a cut edge leads. */
static void finish(struct decoder *d, uint16_t last, uint16_t cut)
{
    struct frame *t = top(d);
    const struct hc_path_map_block *b = &t->function->block[last];
    const struct hc_path_function *callee = b->callee ? hc_path_map_at(d->map, b->callee) : NULL;

    switch (b->ending) {
    case HC_PATH_END_RETURN:
        d->frames--;
        return;
    case HC_PATH_END_TAIL:
        if (callee)
            *t = (struct frame){ .function = callee, .wait = AT_ENTRY, .handler = t->handler, .run = t->run };
        else
            d->frames--;
        return;
    case HC_PATH_END_SWITCH:
        t->wait = AT_SWITCH;
        t->block = last;
        return;
    case HC_PATH_END_CALL:
        t->wait = b->next == HC_PATHS_NO_BLOCK     ? NEVER
                  : b->flags & HC_PATHS_MESSAGE    ? AT_MESSAGE
                  : !(b->flags & HC_PATHS_CERTAIN) ? AT_CALL
                                                   : AT_BLOCK;
        t->block = b->next;
        if (callee)
            push(d, callee, AT_ENTRY);
        return;
    default:
        t->wait = AT_BLOCK;
        t->block = cut;
    }
}

/* Stretches that are not recorded, as far as they go. */
static void advance(struct decoder *d)
{
    for (struct frame *t; !d->failed && (t = top(d));) {
        uint16_t block = t->wait == AT_ENTRY ? 0 : t->block;
        bool rests = (t->wait == AT_ENTRY || t->wait == AT_BLOCK) && t->function->block[block].flags & HC_PATHS_RESTS;
        size_t count;
        if (!rests)
            return;
        if (!hc_path_follow_rest(t->function, block, d->blocks, &count)) {
            tell(d, HC_PATHS_EVENT_STRANGE, "the map of paths makes no sense");
            d->frames = 0;
            return;
        }
        tell_stretch(d, count, t->wait == AT_ENTRY, true);
        finish(d, d->blocks[count - 1], HC_PATHS_NO_BLOCK);
    }
}

/* ---- where a stretch belongs ---- */

static bool leads_to(const struct hc_path_function *f, uint16_t from, uint16_t to)
{
    for (uint16_t e = 0; e < f->edges; e++)
        if (f->edge[e].from == from && f->edge[e].to == to)
            return true;
    return false;
}

static bool awaits(const struct frame *t, const struct hc_path_function *f, uint16_t block, bool entry)
{
    if (t->function != f)
        return false;
    if (t->wait == AT_ENTRY || entry)
        return t->wait == AT_ENTRY && entry;
    if (t->wait == AT_SWITCH)
        return leads_to(f, t->block, block);
    return t->wait != NEVER && t->block == block;
}

/* The nearest frame from the top that waits for it; d->frames if there is none. CALL: or for what is not known. */
static size_t find_waiting(const struct decoder *d, const struct hc_path_function *f, uint16_t block, bool entry,
                           bool call)
{
    for (size_t i = d->frames; i--;)
        if (awaits(&d->frame[i], f, block, entry) ||
            (call && (d->frame[i].wait == AT_CALL || d->frame[i].wait == NEVER)))
            return i;
    return d->frames;
}

static void enter_handler(struct decoder *d, const struct hc_path_function *f)
{
    push(d, f, AT_ENTRY);
    if (d->failed)
        return;
    top(d)->handler = true;
    top(d)->run = ++d->runs;
}

/* It fits only if frames above were left. */
static void place_elsewhere(struct decoder *d, const struct hc_path_function *f, uint16_t block, bool entry)
{
    size_t at = find_waiting(d, f, block, entry, entry);

    if (at < d->frames) {
        tell(d, HC_PATHS_EVENT_LEFT, "functions were left without a return");
        d->frames = at + 1;
        if (!awaits(&d->frame[at], f, block, entry))
            push(d, f, AT_ENTRY);
        return;
    }
    if (d->frames)
        tell(d, HC_PATHS_EVENT_STRANGE, "what follows does not fit what was before");
    d->frames = 0;
    push(d, f, entry ? AT_ENTRY : AT_BLOCK);
    if (!d->failed)
        top(d)->block = block;
}

/* The top frame is the one whose stretch begins with BLOCK of F. */
static void place(struct decoder *d, const struct hc_path_function *f, uint16_t block, bool entry)
{
    struct frame *t = top(d);

    if (t && t->wait == AT_MESSAGE && !(entry && f->handler)) { /* its number was lost */
        t->wait = AT_BLOCK;
        advance(d);
        t = top(d);
    }
    if (t && awaits(t, f, block, entry))
        return;
    if (entry && f->handler)
        enter_handler(d, f);
    else if (entry && (!t || t->wait == AT_CALL || t->wait == NEVER))
        push(d, f, AT_ENTRY);
    else
        place_elsewhere(d, f, block, entry);
}

static void add_stretch(struct decoder *d, uint16_t number)
{
    const struct hc_path_function *f = hc_path_map_find(d->map, number);
    uint16_t cut;
    size_t count;

    if (!f || !hc_path_expand(f, (uint16_t)(number - f->first), d->blocks, &count, &cut)) {
        tell(d, HC_PATHS_EVENT_STRANGE, "there is no path with the number that follows");
        d->frames = 0;
        return;
    }
    uint16_t local = (uint16_t)(number - f->first), first = d->blocks[0];
    bool entry = !first && local >= f->entry && local - f->entry < f->block[0].paths;
    place(d, f, first, entry);
    if (d->failed || !hc_path_expand(f, local, d->blocks, &count, &cut)) /* advance used the room */
        return;
    tell_stretch(d, count, entry, false);
    finish(d, d->blocks[count - 1], cut);
    advance(d);
}

/* ---- messages ---- */

static bool is_message(const struct hc_traffic_event *e)
{
    return e->kind == HC_TRAFFIC_EVENT_SENT || e->kind == HC_TRAFFIC_EVENT_RECEIVED;
}

/* The next one of this segment. */
static const struct hc_traffic_event *take_message(struct decoder *d)
{
    for (; d->next < d->messages; d->next++) {
        const struct hc_traffic_event *e = &d->message[d->next];
        if (e->boot == d->boot && e->segment == d->segment) {
            d->next++;
            return e;
        }
        if (e->boot > d->boot || (e->boot == d->boot && e->segment > d->segment))
            return NULL;
    }
    return NULL;
}

static void add_message(struct decoder *d)
{
    struct hc_paths_event e = { .kind = HC_PATHS_EVENT_MESSAGE, .boot = d->boot, .segment = d->segment };
    struct frame *t = top(d);

    e.message = take_message(d);
    e.place = d->next - (e.message != NULL);
    d->fn(d->owner, &e);
    if (t && t->wait == AT_MESSAGE) {
        t->wait = AT_BLOCK;
        advance(d);
    }
}

/* ---- numbers ---- */

static void lose(struct decoder *d, const char *why)
{
    tell(d, HC_PATHS_EVENT_LOST, why);
    d->frames = 0;
}

static void add(struct decoder *d, uint16_t number)
{
    switch (number) {
    case HC_PATH_MESSAGE:
        add_message(d);
        return;
    case HC_PATH_RESET:
        tell(d, HC_PATHS_EVENT_RESET, "");
        d->frames = 0;
        return;
    case HC_PATH_LOST:
        lose(d, "the node's buffer was full");
        return;
    default:
        add_stretch(d, number);
    }
}

static bool open_decoder(struct decoder *d)
{
    const struct hc_path_function *functions;
    size_t count = hc_path_map_functions(d->map, &functions), most = 1;

    for (size_t i = 0; i < count; i++)
        most = functions[i].blocks > most ? functions[i].blocks : most;
    d->blocks = calloc(most + 1, sizeof *d->blocks);
    return d->blocks != NULL;
}

static bool close_decoder(struct decoder *d)
{
    free(d->blocks);
    free(d->frame);
    return !d->failed;
}

bool hc_paths_decode(const struct hc_path_map *map, const uint16_t *numbers, size_t count, hc_paths_fn *fn, void *owner)
{
    struct decoder d = { .map = map, .fn = fn, .owner = owner };

    if (!open_decoder(&d))
        return false;
    for (size_t i = 0; i < count && !d.failed; i++)
        add(&d, numbers[i]);
    return close_decoder(&d);
}

/* ---- logs ---- */

struct events {
    struct hc_traffic_event *event;
    size_t count, room;
    bool failed; /* memory is exhausted */
};

static void keep_message(void *owner, const struct hc_traffic_event *e)
{
    struct events *k = owner;

    if (!is_message(e))
        return;
    if (!hc_grow(&k->event, k->count, &k->room, sizeof *k->event)) {
        k->failed = true;
        return;
    }
    k->event[k->count++] = *e;
}

static void add_event(void *owner, const struct hc_traffic_event *e)
{
    struct decoder *d = owner;

    if (d->failed || (e->kind != HC_TRAFFIC_EVENT_PATH && e->kind != HC_TRAFFIC_EVENT_PATHS_LOST))
        return;
    d->boot = e->boot;
    d->segment = e->segment;
    if (e->kind == HC_TRAFFIC_EVENT_PATH)
        add(d, e->path);
    else
        lose(d, e->why);
}

bool hc_paths_read(const struct hc_path_map *map, const struct hc_log *log, hc_paths_fn *fn, void *owner)
{
    struct decoder d = { .map = map, .fn = fn, .owner = owner };
    struct events kept = { 0 };

    hc_traffic_read(log, keep_message, &kept);
    d.message = kept.event;
    d.messages = kept.count;
    bool fine = !kept.failed && open_decoder(&d);
    if (fine) {
        hc_traffic_read(log, add_event, &d);
        fine = close_decoder(&d);
    }
    free(kept.event);
    return fine;
}

bool hc_paths_fit(const struct hc_image *image, const struct hc_log *log)
{
    enum { BUILD = offsetof(struct hc_traffic_begin, build) };
    const struct hc_log_segment *segments;
    size_t count = hc_log_segments(log, &segments);
    uint32_t address;
    const uint8_t *begin = hc_recorder_address(image, HC_SYMBOL_TRAFFIC, &address)
                               ? hc_image_bytes(image, address, sizeof(struct hc_traffic_begin))
                               : NULL;

    for (size_t i = 0; begin && i < count; i++)
        if (segments[i].messages && memcmp(segments[i].build, begin + BUILD, sizeof segments[i].build) != 0)
            return false;
    return begin != NULL;
}
