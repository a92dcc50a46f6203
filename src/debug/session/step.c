/* Steps: forwards by running, backwards by looking at what was before.
 *
 * A step by lines passes over interrupts. Where lines begin is what the line table says; code without lines is passed
 * over, too. */
#include "session_state.h"
#include "target/target.h"

#include <string.h>

enum { STEPS_BETWEEN_POLLS = 4096 };

/* A line of the source, within one function. */
struct line {
    const char *file; /* NULL: no line */
    int number;
    uint32_t start; /* of the piece of code that belongs to it */
    uint32_t function;
};

static struct line line_at(struct hc_debugger *s, uint32_t pc)
{
    const struct hc_function *f = hc_program_function_at(s->program, pc);
    struct hc_line found;

    if (!hc_image_line_at(s->image, pc, &found))
        return (struct line){ 0 };
    return (struct line){ found.file, found.line, found.address, f ? f->low : 0 };
}

static bool same_line(const struct line *a, const struct line *b)
{
    return a->file && b->file && a->number == b->number && a->function == b->function && !strcmp(a->file, b->file);
}

static void begin(struct hc_debugger *s)
{
    memset(&s->cause, 0, sizeof s->cause);
    if (!s->hushed) /* one of several steps: the caller shows the last */
        s->interrupted = 0;
}

/* ---- forwards ---- */

bool hc_run_on(struct hc_debugger *s)
{
    enum hc_timeline_stop how;

    begin(s);
    do
        how = hc_timeline_run(s->timeline, UINT64_MAX);
    while (how == HC_TIMELINE_HOOK && !s->cause.point);
    if (how == HC_TIMELINE_HOOK && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, false);
    return hc_debugger_arrive(s, how);
}

/* Runs until PC is reached with the stack at SP or above it; the user's points stop it, too. HC_TIMELINE_THERE: it was.
 */
static enum hc_timeline_stop run_until(struct hc_debugger *s, uint32_t pc, uint32_t sp)
{
    struct hc_point *p = hc_point_new(s, HC_POINT_UNTIL);
    enum hc_timeline_stop how;

    if (!p)
        return HC_TIMELINE_NO_MEMORY;
    p->addresses = 1;
    p->address[0] = pc;
    p->sp = sp;
    hc_point_arm(p);
    do
        how = hc_timeline_run(s->timeline, UINT64_MAX);
    while (how == HC_TIMELINE_HOOK && !s->cause.point);
    bool reached = s->cause.point == p;
    hc_point_delete(p);
    if (reached)
        s->cause.point = NULL;
    return reached ? HC_TIMELINE_THERE : how;
}

/* One instruction; if an interrupt came, its handler as well. */
static enum hc_timeline_stop step_over_interrupts(struct hc_debugger *s)
{
    uint64_t interrupts = hc_timeline_now(s->timeline)->interrupts;
    enum hc_timeline_stop how = hc_timeline_step(s->timeline);

    if (how != HC_TIMELINE_THERE || hc_timeline_now(s->timeline)->interrupts == interrupts)
        return how;
    uint32_t pc, sp;
    hc_target_interrupted(s->machine, &pc, &sp);
    return run_until(s, pc, sp);
}

bool hc_step_instruction(struct hc_debugger *s, uint64_t n)
{
    enum hc_timeline_stop how = HC_TIMELINE_THERE;
    uint64_t interrupts = hc_timeline_now(s->timeline)->interrupts;

    begin(s);
    while (n-- > 0 && how == HC_TIMELINE_THERE)
        how = hc_timeline_step(s->timeline);
    if (how == HC_TIMELINE_HOOK && s->cause.point)
        hc_point_show_change(s, false);
    if (hc_timeline_now(s->timeline)->interrupts > interrupts)
        hc_debugger_say(s, "An interrupt came: vector %d.\n", hc_timeline_last_vector(s->timeline));
    return hc_debugger_arrive(s, how);
}

/* The progress of a step by lines. */
enum progress { GOES_ON, DONE, STOPPED };

static bool stops_at(struct hc_debugger *s, uint32_t pc, enum hc_timeline_stop *how)
{
    struct hc_point *p = hc_point_at(s, pc);

    if (!p)
        return false;
    s->cause.point = p;
    *how = HC_TIMELINE_HOOK;
    return true;
}

/* The next instruction is a call: steps over it, or to the first line of the function's body. */
static enum progress step_call(struct hc_debugger *s, bool into, enum hc_timeline_stop *how)
{
    uint32_t sp = hc_register(s->machine, HC_SP), pc = hc_register(s->machine, HC_PC);
    uint32_t back = pc + hc_instruction_length(s->machine, pc), place;

    *how = step_over_interrupts(s);
    if (*how != HC_TIMELINE_THERE)
        return STOPPED;
    pc = hc_register(s->machine, HC_PC);
    const struct hc_function *f = hc_program_function_at(s->program, pc);
    struct line line = line_at(s, pc);
    if (stops_at(s, pc, how))
        return STOPPED;
    if (!into || !f || !line.file) {
        *how = run_until(s, back, sp);
        return *how == HC_TIMELINE_THERE ? GOES_ON : STOPPED;
    }
    if (hc_program_function_places(s->program, f->name, &place, 1) && place > pc && place < f->high)
        *how = run_until(s, place, 0);
    return *how == HC_TIMELINE_THERE ? DONE : STOPPED;
}

static enum progress step_once(struct hc_debugger *s, bool into, const struct line *from, enum hc_timeline_stop *how)
{
    enum hc_flow control = hc_flow_at(s->machine, hc_register(s->machine, HC_PC));
    enum progress progress = GOES_ON;

    if (control == HC_FLOW_CALL) {
        progress = step_call(s, into, how);
    } else {
        *how = step_over_interrupts(s);
        if (*how != HC_TIMELINE_THERE)
            return STOPPED;
    }
    if (progress != GOES_ON)
        return progress;
    uint32_t pc = hc_register(s->machine, HC_PC);
    struct line here = line_at(s, pc);
    if (stops_at(s, pc, how))
        return STOPPED;
    if (!here.file || same_line(&here, from))
        return GOES_ON;
    bool returned = control == HC_FLOW_RETURN || control == HC_FLOW_INTERRUPT_RETURN;
    return returned || here.start == pc ? DONE : GOES_ON;
}

bool hc_step_line(struct hc_debugger *s, bool into)
{
    struct line from = line_at(s, hc_register(s->machine, HC_PC));
    enum hc_timeline_stop how = HC_TIMELINE_THERE;
    enum progress progress;

    begin(s);
    do
        progress = step_once(s, into, &from, &how);
    while (progress == GOES_ON && !s->interrupted);
    if (progress == GOES_ON)
        how = HC_TIMELINE_REQUEST;
    if (how == HC_TIMELINE_HOOK && s->cause.point && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, false);
    return hc_debugger_arrive(s, how);
}

/* ---- out of a function ---- */

/* A result is in one register or several. */
static void show_result(struct hc_debugger *s, const struct hc_type *type)
{
    int result = hc_target_of_machine(s->machine)->cpu->result;
    const struct hc_type *t = hc_type_strip(type);
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_value v = { .type = type };
    char text[120];

    if (!type || !hc_type_is_scalar(type) || t->size > 8)
        return;
    for (uint32_t i = 0; i < t->size; i++)
        v.bytes[i] = (uint8_t)(hc_register(s->machine, result + (int)(i / 2)) >> 8 * (i % 2));
    hc_debugger_say(s, "It returned %s.\n", hc_format_text(c, &v, 0, text, sizeof text));
}

/* The frame that the selected one returns to; NULL if none is known. */
static const struct hc_frame *caller_of(struct hc_debugger *s, bool *handler)
{
    hc_debugger_frame(s);
    int n = s->frame;
    while (n < s->frames && s->stack[n].inlined)
        n++;
    if (n + 1 >= s->frames) {
        hc_debugger_fail(s, "the outermost frame has no caller");
        return NULL;
    }
    *handler = s->stack[n].handler;
    return &s->stack[n + 1];
}

bool hc_step_out(struct hc_debugger *s)
{
    bool handler;
    const struct hc_frame *caller = caller_of(s, &handler);

    if (!caller)
        return false;
    uint32_t pc = caller->pc, sp = caller->context.reg[HC_SP];
    const struct hc_function *f = hc_program_function_at(s->program, hc_debugger_frame(s)->context.pc);
    const struct hc_type *type = NULL;
    struct hc_name name;
    if (f && hc_program_lookup(s->program, UINT32_MAX, NULL, f->name, &name) && name.kind == HC_NAME_FUNCTION)
        type = hc_type_strip(name.type)->target;
    begin(s);
    enum hc_timeline_stop how = run_until(s, pc, sp);
    if (how == HC_TIMELINE_HOOK && s->cause.point && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, false);
    bool well = hc_debugger_arrive(s, how);
    if (how == HC_TIMELINE_THERE && !handler)
        show_result(s, type);
    return well;
}

/* Whether the machine is in the invocation of the function that returns with the stack at SP, or in one above it. */
static bool is_frame(struct hc_debugger *s, uint32_t sp)
{
    uint32_t pc, after;

    return !hc_frame_return(s->program, s->machine, &pc, &after) || after >= sp;
}

bool hc_run_to(struct hc_debugger *s, const uint32_t *address, size_t n, bool same_frame)
{
    bool handler;
    const struct hc_frame *caller = caller_of(s, &handler);
    struct hc_point *there = hc_point_new(s, HC_POINT_UNTIL), *out = caller ? hc_point_new(s, HC_POINT_UNTIL) : NULL;
    enum hc_timeline_stop how;

    begin(s);
    if (!there || (caller && !out))
        return false;
    there->addresses = n;
    memcpy(there->address, address, n * sizeof *address);
    hc_point_arm(there);
    if (out) {
        out->addresses = 1;
        out->address[0] = caller->pc;
        out->sp = caller->context.reg[HC_SP];
        hc_point_arm(out);
    }
    uint32_t sp = caller ? caller->context.reg[HC_SP] : 0;
    do {
        s->cause.point = NULL;
        how = hc_timeline_run(s->timeline, UINT64_MAX);
    } while (how == HC_TIMELINE_HOOK &&
             (!s->cause.point || (s->cause.point == there && same_frame && !is_frame(s, sp))));
    bool reached = s->cause.point == there || (out && s->cause.point == out);
    hc_point_delete(there);
    if (out)
        hc_point_delete(out);
    if (reached)
        s->cause.point = NULL;
    if (how == HC_TIMELINE_HOOK && s->cause.point && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, false);
    return hc_debugger_arrive(s, reached ? HC_TIMELINE_THERE : how);
}

bool hc_step_past(struct hc_debugger *s)
{
    struct line from = line_at(s, hc_register(s->machine, HC_PC)), here;
    uint32_t pc, sp;
    bool known = hc_frame_return(s->program, s->machine, &pc, &sp), well = true;

    s->hushed = true;
    do {
        uint64_t before = hc_timeline_now(s->timeline)->instructions;
        well = hc_step_line(s, false);
        here = line_at(s, hc_register(s->machine, HC_PC));
        if (s->arrived != HC_TIMELINE_THERE || hc_timeline_now(s->timeline)->instructions == before || s->interrupted)
            break;
    } while (well && known && is_frame(s, sp) && here.function == from.function && here.file && from.file &&
             !strcmp(here.file, from.file) && here.number <= from.number);
    s->hushed = false;
    if (!well || s->arrived != HC_TIMELINE_THERE || s->cause.point)
        return well;
    return hc_debugger_arrive(s, s->interrupted ? HC_TIMELINE_REQUEST : HC_TIMELINE_THERE);
}

/* ---- backwards ---- */

/* The moment beside a power failure that the way back comes to first; 0: there is none. */
static uint64_t failure_behind(struct hc_debugger *s)
{
    uint64_t here = hc_timeline_now(s->timeline)->instructions;
    struct hc_execution_failure failure;

    if (!hc_timeline_failure(s->timeline, &failure) || here <= failure.at)
        return 0;
    return here > failure.at + 1 ? failure.at + 1 : failure.at;
}

static bool arrive_at_failure(struct hc_debugger *s, uint64_t moment)
{
    memset(&s->cause, 0, sizeof s->cause);
    hc_timeline_seek(s->timeline, moment);
    return hc_debugger_arrive(s, HC_TIMELINE_FAILURE);
}

bool hc_run_back(struct hc_debugger *s)
{
    uint64_t failure = failure_behind(s);

    begin(s);
    enum hc_timeline_stop how = hc_timeline_run_back(s->timeline, hc_points_classify, s);
    if (hc_timeline_now(s->timeline)->instructions < failure)
        return arrive_at_failure(s, failure);
    if (how == HC_TIMELINE_HOOK && s->cause.point && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, true);
    return hc_debugger_arrive(s, how);
}

/* Goes through the past, latest first, and knows at each moment whether it belongs to the function that one came from,
 * or to something that was called or that interrupted it. */
struct review {
    struct hc_debugger *s;
    bool into;           /* functions that were called are of interest */
    uint64_t interrupts; /* of the moment after the one at hand */
    uint32_t pc;         /* of that one */
    int calls, handlers; /* how deep below */
    int levels;          /* functions to leave before the one that is wanted */
    bool left;           /* the function that one came from: this is who called it */

    bool has_target;
    struct line target; /* the line whose beginning is wanted */
    bool found;
    uint64_t best; /* the earliest moment of it so far */
};

/* How the flow came from PAST to the moment after it; true when PAST is on the level of interest. */
static bool follow(struct review *r, const struct hc_past *past)
{
    enum hc_flow control = past->flow;
    uint64_t accepted = r->interrupts - past->moment.interrupts;

    r->interrupts = past->moment.interrupts;
    r->left = false;
    for (; accepted > 0; accepted--) {
        if (r->handlers > 0)
            r->handlers--;
        else
            r->left = true; /* of the handler in which one was */
    }
    if (control == HC_FLOW_INTERRUPT_RETURN) {
        r->handlers++;
        return false;
    }
    if (r->handlers > 0)
        return false;
    if (control == HC_FLOW_RETURN && !r->left)
        r->calls++;
    else if (control == HC_FLOW_CALL && r->calls > 0)
        r->calls--;
    else if (control == HC_FLOW_CALL)
        r->left = true;
    return r->calls == 0;
}

static bool accept(struct review *r, const struct hc_past *past, const struct line *line)
{
    if (r->has_target && !same_line(line, &r->target))
        return true;
    if (!r->has_target) {
        r->has_target = true;
        r->target = *line;
    }
    r->found = true;
    r->best = past->moment.instructions;
    return false;
}

static bool review_line(void *owner, const struct hc_past *past)
{
    struct review *r = owner;
    struct line line = line_at(r->s, past->pc);
    uint32_t after = r->pc;
    bool level = follow(r, past);

    r->pc = past->pc;
    if (r->s->interrupted)
        return true;
    if (r->handlers > 0)
        return false;
    if (r->into && r->calls == 1 && past->flow == HC_FLOW_RETURN && line.file) {
        struct line caller = line_at(r->s, after - 1);
        if (r->found && !same_line(&caller, &r->target))
            return true; /* it was called by the line before */
        r->calls = 0;    /* its last line is what was before */
        r->has_target = r->found = false;
        return accept(r, past, &line);
    }
    if (!level)
        return false;
    if (r->left) { /* the call: the beginning of the function is as far as its first line goes */
        if (r->found)
            return true;
        r->has_target = false;
    }
    return line.file ? accept(r, past, &line) : false;
}

static bool review_call(void *owner, const struct hc_past *past)
{
    struct review *r = owner;

    follow(r, past);
    if (!r->left || r->levels-- > 0)
        return r->s->interrupted;
    r->found = true;
    r->best = past->moment.instructions;
    return true;
}

static bool go_back(struct hc_debugger *s, struct review *r, hc_past_fn *look)
{
    uint64_t here = hc_timeline_now(s->timeline)->instructions, failure = failure_behind(s);
    enum hc_timeline_stop how;

    begin(s);
    r->s = s;
    r->interrupts = hc_timeline_now(s->timeline)->interrupts;
    r->pc = hc_register(s->machine, HC_PC);
    if (failure && failure + 1 == here) /* power has just come back: nothing was called or returned from */
        return arrive_at_failure(s, failure);
    how = hc_timeline_look_back(s->timeline, failure, look, r);
    if (s->interrupted || how == HC_TIMELINE_REQUEST)
        return hc_debugger_arrive(s, HC_TIMELINE_REQUEST);
    if (!r->found && how == HC_TIMELINE_BEGINNING && failure)
        return arrive_at_failure(s, failure);
    if (!r->found && how == HC_TIMELINE_BEGINNING) {
        hc_timeline_seek(s->timeline, hc_timeline_start(s->timeline)->instructions);
        return hc_debugger_arrive(s, HC_TIMELINE_BEGINNING);
    }
    if (!r->found)
        return hc_debugger_arrive(s, how);
    return hc_debugger_arrive(s, hc_timeline_seek(s->timeline, r->best));
}

bool hc_step_back_line(struct hc_debugger *s, bool into)
{
    struct review r = { .into = into };

    return go_back(s, &r, review_line);
}

bool hc_step_back_out(struct hc_debugger *s)
{
    struct review r = { 0 };

    hc_debugger_frame(s);
    for (int i = 0; i < s->frame; i++)
        r.levels += !s->stack[i].inlined;
    return go_back(s, &r, review_call);
}
