#include "why.h"

#include "target/target.h"

#include <string.h>

enum {
    FIRST_STRETCH = 4096, /* instructions that are examined at a time */
    LONGEST_STRETCH = 1 << 21,
    PLACES_MOST = 32, /* in memory, whose sources are searched in an earlier stretch */
    FOUND_MOST = 1024,
};

/* ---- what is sought in a stretch ---- */

struct place {
    uint32_t address;
    uint8_t size;
};

/* The question about the state at the end of a stretch. */
struct quest {
    const struct hc_why *why;
    uint32_t registers; /* a bit each */
    bool flags, branch;
    size_t places;
    struct place place[PLACES_MOST];
    struct hc_why_answer *answer;
};

static bool is_settled(const struct quest *q)
{
    return !q->registers && !q->flags && !q->places && !q->branch;
}

/* The earliest moment that a search from AT may reach: it ends at a power failure and at the start. */
static uint64_t earliest(const struct hc_why *w, uint64_t at)
{
    struct hc_execution_failure failure;

    if (hc_timeline_failure(w->timeline, &failure) && at > failure.at)
        return failure.at + 1;
    return hc_timeline_start(w->timeline)->instructions;
}

static void add_source(struct hc_why_answer *a, const struct hc_flow_source *source)
{
    if (a->sources < HC_WHY_SOURCES)
        a->source[a->sources++] = *source;
    a->all++;
}

static void seek_place(struct quest *q, uint32_t address, uint8_t size)
{
    if (q->places == PLACES_MOST)
        q->answer->incomplete = true;
    else
        q->place[q->places++] = (struct place){ address, size };
}

static bool rests(const struct hc_why *w, const struct hc_flow_source *source)
{
    return w->rests && source->kind == HC_SOURCE_LOAD && !source->stored && w->rests(w->owner, source);
}

/* Values that the stretch does not explain are searched before it. */
static void sort_source(struct quest *q, const struct hc_flow_source *source)
{
    if (source->kind == HC_SOURCE_REGISTER)
        q->registers |= 1u << source->address;
    else if (source->kind == HC_SOURCE_FLAGS)
        q->flags = true;
    else if (rests(q->why, source))
        seek_place(q, source->address, source->size);
    else
        add_source(q->answer, source);
}

static uint32_t join_marks(struct hc_flow_trace *f, struct quest *q, uint32_t *marks)
{
    uint32_t n = 0;
    size_t kept = 0;

    for (int r = 0; r < HC_REGISTERS; r++)
        if (q->registers >> r & 1)
            marks[n++] = hc_flow_trace_register(f, r);
    if (q->flags)
        marks[n++] = hc_flow_trace_flags(f);
    if (q->branch)
        marks[n++] = hc_flow_trace_branch(f);
    for (size_t i = 0; i < q->places; i++) {
        uint64_t moment;
        if (hc_flow_trace_writer(f, q->place[i].address, &moment))
            marks[n++] = hc_flow_trace_memory(f, q->place[i].address, q->place[i].size);
        else
            q->place[kept++] = q->place[i];
    }
    q->places = kept;
    q->registers = 0;
    q->flags = q->branch = false;
    return n;
}

/* A source that is reached in two ways counts once. */
static bool is_known(const struct hc_why_answer *a, const struct hc_flow_source *s)
{
    for (size_t i = 0; i < a->sources; i++)
        if (a->source[i].kind == s->kind && a->source[i].moment == s->moment && a->source[i].address == s->address)
            return true;
    return false;
}

/* Sources of the address of the write selected the place, not the value. */
static void mark_pointers(struct hc_flow_trace *f, struct quest *q)
{
    struct hc_flow_source found[HC_WHY_SOURCES];
    uint32_t mark = hc_flow_trace_pointer(f);
    size_t n = hc_flow_trace_sources(f, mark, q->why->rests, q->why->owner, found, HC_WHY_SOURCES, NULL);

    for (size_t i = 0; i < n && i < HC_WHY_SOURCES; i++)
        for (size_t k = 0; k < q->answer->sources; k++) {
            struct hc_flow_source *s = &q->answer->source[k];
            s->through |= s->moment == found[i].moment && s->address == found[i].address;
        }
}

static void explain_stretch(struct hc_flow_trace *f, struct quest *q)
{
    static const size_t most = FOUND_MOST;
    uint32_t marks[HC_REGISTERS + 2 + PLACES_MOST];
    uint32_t n = join_marks(f, q, marks);

    for (uint32_t i = 0; i < n; i++) {
        struct hc_flow_source found[FOUND_MOST];
        size_t all = hc_flow_trace_sources(f, marks[i], q->why->rests, q->why->owner, found, most, &q->answer->via);
        q->answer->incomplete |= all > most;
        for (size_t k = 0; k < all && k < most; k++)
            if (!is_known(q->answer, &found[k]))
                sort_source(q, &found[k]);
    }
}

/* Runs stretch after stretch, backwards from TO, until all sources are found. */
static enum hc_timeline_stop explain(struct quest *q, uint64_t to)
{
    uint64_t first = earliest(q->why, to), length = FIRST_STRETCH;

    while (!is_settled(q) && to > first) {
        enum hc_timeline_stop how;
        uint64_t from = to - first > length ? to - length : first;
        struct hc_flow_trace *f = hc_flow_trace_new(q->why->timeline, from, to, &how);
        if (!f)
            return how;
        explain_stretch(f, q);
        if (q->answer->kind == HC_WHY_WRITTEN && to == q->answer->moment + 1)
            mark_pointers(f, q);
        hc_flow_trace_free(f);
        to = from;
        length = length * 8 < LONGEST_STRETCH ? length * 8 : LONGEST_STRETCH;
    }
    q->answer->incomplete |= !is_settled(q);
    return HC_TIMELINE_THERE;
}

static void find_control(const struct hc_why *w, struct hc_why_answer *a)
{
    a->control = hc_control_of(w->timeline, w->image, a->moment, a->pc);
}

/* ---- what chose the value ---- */

/* What led to an instruction, what led to that, and so on: moments. */
enum { ANCESTORS = 40 };
struct ancestors {
    uint64_t moment[ANCESTORS];
    size_t count;
};

static bool goes_on(const struct hc_control *c)
{
    return c->kind == HC_CONTROL_BRANCH || c->kind == HC_CONTROL_CALL;
}

static struct hc_control above(const struct hc_why *w, const struct hc_control *c)
{
    return hc_control_of(w->timeline, w->image, c->moment, c->pc);
}

static void find_ancestors(const struct hc_why *w, const struct hc_why_answer *a, struct ancestors *out)
{
    struct hc_control c = a->control;

    for (out->count = 0; out->count < ANCESTORS && goes_on(&c); c = above(w, &c))
        out->moment[out->count++] = c.moment;
}

static bool is_chosen(const struct hc_why_answer *a, const struct ancestors *known, uint64_t moment)
{
    bool found = false;

    for (size_t i = 0; i < known->count; i++)
        found |= known->moment[i] == moment;
    for (size_t i = 0; i < a->choices; i++)
        found |= a->choice[i].moment == moment;
    return found;
}

/* Calls lead where they always lead, unless their target is a value: what led to the call counts then. */
static void add_choice(const struct hc_why *w, struct hc_why_answer *a, const struct ancestors *known,
                       const struct hc_flow_made *made)
{
    struct hc_control c = { .kind = HC_CONTROL_BRANCH, .moment = made->moment, .pc = made->pc };

    if (!made->kept)
        c = hc_control_of(w->timeline, w->image, made->moment, made->pc);
    for (int depth = 0; depth < ANCESTORS && goes_on(&c) && !is_chosen(a, known, c.moment); depth++) {
        if (c.kind == HC_CONTROL_BRANCH || c.by_value) {
            if (a->choices < HC_WHY_CHOICES)
                a->choice[a->choices++] = c;
            else
                a->incomplete = true;
            return;
        }
        c = above(w, &c);
    }
}

static void find_choices(const struct hc_why *w, struct hc_why_answer *a)
{
    struct ancestors known;

    if (!a->via.made_count)
        return;
    find_ancestors(w, a, &known);
    for (size_t i = 0; i < a->via.made_count; i++)
        if (a->via.made[i].moment != a->moment)
            add_choice(w, a, &known, &a->via.made[i]);
}

/* ---- who wrote ---- */

struct watcher {
    const struct hc_why *why;
    uint32_t address, size;
    bool stopped;
    struct hc_access access;
    uint64_t hardware; /* after moment ... */
    bool by_hardware;
};

static enum hc_action written(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct watcher *w = owner;

    (void)m;
    if (!hc_timeline_hears_accesses(w->why->timeline))
        return HC_CONTINUE;
    w->access = *access;
    w->stopped = true;
    return HC_STOP;
}

static enum hc_hit classify(void *owner, bool chosen)
{
    struct watcher *w = owner;
    bool stopped = w->stopped;

    (void)chosen;
    w->stopped = false;
    return stopped ? HC_HIT_BEFORE : HC_HIT_NONE;
}

static void by_itself(void *owner, const struct hc_outside_event *event)
{
    struct watcher *w = owner;
    struct hc_moment now;

    if (event->kind != HC_OUTSIDE_MEMORY || event->address + event->size <= w->address ||
        event->address >= w->address + w->size)
        return;
    hc_timeline_present(w->why->timeline, &now);
    w->hardware = now.instructions;
    w->by_hardware = true;
}

static void start_listening(void *owner)
{
    hc_timeline_listen(((struct watcher *)owner)->why->timeline, by_itself, owner);
}

static void end_listening(void *owner)
{
    hc_timeline_listen(((struct watcher *)owner)->why->timeline, NULL, NULL);
}

/* Goes back from AT to the last write; *MOMENT is its instruction's. */
static enum hc_timeline_stop find_write(struct watcher *w, uint64_t at, uint64_t *moment)
{
    struct hc_timeline *t = w->why->timeline;
    struct hc_machine *m = hc_timeline_machine(t);
    uint64_t here = hc_timeline_now(t)->instructions, first = earliest(w->why, at);

    hc_timeline_seek(t, at);
    int hook = hc_hook_access(m, w->address, w->address + w->size - 1, HC_WATCH_WRITE, written, w);
    enum hc_timeline_stop how = hc_timeline_run_back(t, classify, w);
    hc_unhook(m, hook);
    *moment = hc_timeline_now(t)->instructions;
    if (how == HC_TIMELINE_HOOK && *moment < first) {
        how = HC_TIMELINE_BEGINNING;
        *moment = first;
    }
    if (hc_timeline_replays(t) && how != HC_TIMELINE_REQUEST && *moment < at)
        hc_timeline_retrace(t, *moment, at, start_listening, end_listening, w);
    hc_timeline_return(t, here);
    return how;
}

static void take_write(struct hc_why_answer *a, const struct watcher *w, uint64_t moment)
{
    a->kind = w->access.pc == UINT32_MAX ? HC_WHY_HARDWARE : HC_WHY_WRITTEN;
    a->moment = moment;
    a->pc = w->access.pc;
    a->before = w->access.before;
    a->value = w->access.value;
    a->written = w->access.address;
    a->width = w->access.size;
}

/* ---- what DMA transfers ---- */

struct transfer {
    struct watcher *watcher;
    int reads, writes; /* hooks */
    struct hc_access read, last;
    bool found, any;
};

static enum hc_action hardware_read(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct transfer *x = owner;

    (void)m;
    if (access->pc == UINT32_MAX && !access->write) {
        x->last = *access;
        x->any = true;
    }
    return HC_CONTINUE;
}

static enum hc_action hardware_wrote(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct transfer *x = owner;

    (void)m;
    if (access->pc == UINT32_MAX && x->any) {
        x->read = x->last;
        x->found = true;
    }
    return HC_CONTINUE;
}

static void begin_transfer(void *owner)
{
    struct transfer *x = owner;
    struct watcher *w = x->watcher;
    struct hc_machine *m = hc_timeline_machine(w->why->timeline);

    x->reads = hc_hook_access(m, 0, UINT16_MAX, HC_WATCH_READ, hardware_read, x);
    x->writes = hc_hook_access(m, w->address, w->address + w->size - 1, HC_WATCH_WRITE, hardware_wrote, x);
}

static void end_transfer(void *owner)
{
    struct transfer *x = owner;
    struct hc_machine *m = hc_timeline_machine(x->watcher->why->timeline);

    hc_unhook(m, x->reads);
    hc_unhook(m, x->writes);
}

/* What a peripheral wrote it had read somewhere just before. A replay does not know: it is in the log. */
static void explain_transfer(struct watcher *w, struct hc_why_answer *a, uint64_t at)
{
    struct transfer x = { .watcher = w };
    struct hc_timeline *t = w->why->timeline;

    if (hc_timeline_replays(t))
        return;
    hc_timeline_retrace(t, a->moment, a->moment + 2 < at ? a->moment + 2 : at, begin_transfer, end_transfer, &x);
    if (x.found)
        add_source(a, &(struct hc_flow_source){ .kind = HC_SOURCE_LOAD,
                                                .moment = a->moment,
                                                .pc = UINT32_MAX,
                                                .address = x.read.address,
                                                .value = x.read.value,
                                                .size = x.read.size });
}

/* ---- values that were written in parts ---- */

/* Whether the instruction at MOMENT belongs to the statement that ended with A's. */
static bool is_one_statement(const struct hc_why_answer *a, uint64_t moment)
{
    enum { INSTRUCTIONS = 64 };

    return a->size <= 8 && a->moment - moment < INSTRUCTIONS;
}

static void add_part(struct quest *q, uint32_t address, uint8_t size)
{
    struct hc_timeline *t = q->why->timeline;
    uint64_t here = hc_timeline_now(t)->instructions;
    struct hc_flow_source part = {
        .kind = HC_SOURCE_LOAD, .moment = q->answer->moment, .pc = q->answer->pc, .address = address, .size = size
    };

    hc_timeline_seek(t, part.moment);
    for (uint8_t i = 0; i < size; i++)
        part.value |= (uint32_t)hc_peek(hc_timeline_machine(t), address + i) << 8 * i;
    hc_timeline_seek(t, here);
    add_source(q->answer, &part);
}

/* Words of a number of which no byte was SOUGHT are what they were before: they can be asked about in turn. */
static void add_parts(struct quest *q, const bool *sought)
{
    const struct hc_why_answer *a = q->answer;

    for (uint32_t k = 0; k < a->size;) {
        uint8_t size = a->size - k > 1 && !((a->address + k) & 1) && !sought[k] && !sought[k + 1] ? 2 : 1;
        if (!sought[k])
            add_part(q, a->address + k, size);
        k += size;
    }
}

/* The bytes that the instruction wrote; of a number also those that others wrote just before it. */
static enum hc_timeline_stop seek_written(struct quest *q)
{
    bool sought[8] = { false };
    struct hc_why_answer *a = q->answer;
    uint64_t to = a->moment + 1, first = earliest(q->why, to), moment;
    enum hc_timeline_stop how;
    struct hc_flow_trace *f = hc_flow_trace_new(q->why->timeline, to - first > 256 ? to - 256 : first, to, &how);

    if (!f)
        return how;
    for (uint32_t k = 0; k < a->size; k++)
        if (hc_flow_trace_writer(f, a->address + k, &moment) && (moment == a->moment || is_one_statement(a, moment))) {
            seek_place(q, a->address + k, 1);
            if (k < sizeof sought)
                sought[k] = true;
        }
    hc_flow_trace_free(f);
    if (a->size <= sizeof sought)
        add_parts(q, sought);
    return HC_TIMELINE_THERE;
}

static enum hc_timeline_stop explain_write(const struct hc_why *w, struct hc_why_answer *a)
{
    struct quest q = { .why = w, .answer = a };
    enum hc_timeline_stop how = seek_written(&q);

    find_control(w, a);
    if (how == HC_TIMELINE_THERE)
        how = explain(&q, a->moment + 1);
    if (how == HC_TIMELINE_THERE)
        find_choices(w, a);
    return how;
}

enum hc_timeline_stop hc_why_value(const struct hc_why *w, uint32_t address, uint32_t size, uint64_t at,
                                   struct hc_why_answer *out)
{
    struct watcher watcher = { .why = w, .address = address, .size = size };
    struct hc_execution_failure failure;
    uint64_t moment;
    enum hc_timeline_stop how = find_write(&watcher, at, &moment);

    *out = (struct hc_why_answer){ .kind = HC_WHY_INITIAL, .moment = moment, .address = address, .size = size };
    if (how == HC_TIMELINE_REQUEST || how == HC_TIMELINE_NO_MEMORY)
        return how;
    if (watcher.by_hardware) {
        out->kind = HC_WHY_HARDWARE;
        out->moment = watcher.hardware;
        return HC_TIMELINE_THERE;
    }
    if (how != HC_TIMELINE_HOOK) {
        if (hc_timeline_failure(w->timeline, &failure) && at > failure.at)
            out->kind = HC_WHY_RESTORED;
        return HC_TIMELINE_THERE;
    }
    take_write(out, &watcher, moment);
    if (out->kind == HC_WHY_WRITTEN)
        return explain_write(w, out);
    explain_transfer(&watcher, out, at);
    return HC_TIMELINE_THERE;
}

/* ---- the other questions ---- */

static uint32_t pc_at(const struct hc_why *w, uint64_t at)
{
    uint64_t here = hc_timeline_now(w->timeline)->instructions;

    hc_timeline_seek(w->timeline, at);
    uint32_t pc = hc_register(hc_timeline_machine(w->timeline), HC_PC);
    hc_timeline_return(w->timeline, here);
    return pc;
}

enum hc_timeline_stop hc_why_register(const struct hc_why *w, int reg, uint64_t at, struct hc_why_answer *out)
{
    struct quest q = { .why = w, .answer = out, .registers = 1u << reg };

    *out = (struct hc_why_answer){ .kind = HC_WHY_PLACE, .moment = at, .pc = pc_at(w, at) };
    find_control(w, out);
    enum hc_timeline_stop how = explain(&q, at);
    if (how == HC_TIMELINE_THERE)
        find_choices(w, out);
    return how;
}

enum hc_timeline_stop hc_why_branch(const struct hc_why *w, uint64_t at, struct hc_why_answer *out)
{
    struct quest q = { .why = w, .answer = out, .branch = true };

    *out = (struct hc_why_answer){ .kind = HC_WHY_BRANCH, .moment = at, .pc = pc_at(w, at) };
    find_control(w, out);
    enum hc_timeline_stop how = explain(&q, at + 1);
    if (how == HC_TIMELINE_THERE)
        find_choices(w, out);
    return how;
}

enum hc_timeline_stop hc_why_place(const struct hc_why *w, uint64_t at, struct hc_why_answer *out)
{
    *out = (struct hc_why_answer){ .kind = HC_WHY_PLACE, .moment = at, .pc = pc_at(w, at) };
    find_control(w, out);
    return HC_TIMELINE_THERE;
}
