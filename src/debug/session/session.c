/* The session: places and how they are printed. */
#include "session_state.h"
#include "why_chain.h"

#include "replay/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool hc_debugger_fail(struct hc_debugger *s, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(s->message.text, sizeof s->message.text, format, arguments);
    va_end(arguments);
    return false;
}

void hc_debugger_say(struct hc_debugger *s, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(s->out, format, arguments);
    va_end(arguments);
}

const char *hc_debugger_paint(const struct hc_debugger *s, enum hc_paint paint)
{
    static const char *const sequences[] = { [HC_PAINT_NONE] = "\033[0m",
                                             [HC_PAINT_FUNCTION] = "\033[33m",
                                             [HC_PAINT_FILE] = "\033[32m",
                                             [HC_PAINT_MARK] = "\033[1m",
                                             [HC_PAINT_ERROR] = "\033[31m" };
    return s->colours ? sequences[paint] : "";
}

/* ---- frames ---- */

void hc_debugger_moved(struct hc_debugger *s)
{
    s->frames_known = false;
    s->frame = 0;
    s->list_file = NULL;
}

struct hc_frame *hc_debugger_frame(struct hc_debugger *s)
{
    if (!s->frames_known) {
        s->frames = hc_frames(s->program, s->machine, s->stack, HC_FRAMES_MAX);
        s->frames_known = true;
    }
    return &s->stack[s->frame];
}

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

struct arguments {
    struct hc_debugger *s;
    const struct hc_frame *frame;
    int n;
};

static bool show_argument(void *owner, const struct hc_name *name)
{
    struct arguments *a = owner;
    struct hc_debug_message message;
    struct hc_value v;
    struct hc_name copy = *name;
    char text[120];

    if (!name->parameter)
        return false;
    hc_debugger_say(a->s, "%s%s=", a->n++ ? ", " : "", name->name);
    if (!hc_value_of_name(&a->frame->context, &copy, &v, &message))
        hc_debugger_say(a->s, "<optimised out>");
    else
        hc_debugger_say(a->s, "%s", hc_format_text(&a->frame->context, &v, 0, text, sizeof text));
    return false;
}

void hc_debugger_show_frame(struct hc_debugger *s, int n, bool number)
{
    const struct hc_frame *f = &s->stack[n];
    struct hc_line line;
    bool at_start = n == 0 && hc_image_line_at(s->image, f->pc, &line) && line.address == f->pc;

    if (number)
        hc_debugger_say(s, "#%-3d", n);
    if (!at_start && !(n > 0 && s->stack[n - 1].inlined))
        hc_debugger_say(s, "0x%04x in ", (unsigned)f->pc);
    const char *end = hc_debugger_paint(s, HC_PAINT_NONE);
    hc_debugger_say(s, "%s%s%s (", hc_debugger_paint(s, HC_PAINT_FUNCTION), f->function ? f->function : "??", end);
    struct arguments a = { s, f, 0 };
    hc_program_locals(s->program, f->context.pc, f->context.has_die ? &f->context.die : NULL, show_argument, &a);
    hc_debugger_say(s, ")");
    if (f->file)
        hc_debugger_say(s, " at %s%s:%d%s", hc_debugger_paint(s, HC_PAINT_FILE), base_name(f->file), f->line, end);
    if (f->inlined)
        hc_debugger_say(s, " (inlined)");
    if (f->handler)
        hc_debugger_say(s, " (interrupt handler)");
    if (f->unsure)
        hc_debugger_say(s, " (unsure: the stack was searched for this one)");
    hc_debugger_say(s, "\n");
}

/* Whether a file was changed after the program was built, with a tolerance of a second for file systems. */
static void tell_newer(struct hc_debugger *s, const char *file)
{
    if (!s->built || !hc_source_is_newer(&s->sources, file, s->built + 1))
        return;
    hc_debugger_say(s, "Warning: %s is newer than %s: lines may not be those that it was built from.\n",
                    base_name(file), base_name(hc_image_name(s->image)));
}

static void show_source_of(struct hc_debugger *s, const struct hc_frame *f)
{
    const char *text = f->file ? hc_source_text(&s->sources, f->file, f->line) : NULL;

    if (!text)
        return;
    tell_newer(s, f->file);
    hc_debugger_say(s, "%d\t%s\n", f->line, text);
}

void hc_debugger_show_source(struct hc_debugger *s)
{
    show_source_of(s, hc_debugger_frame(s));
}

/* In the recorder: the frame of the program that called it; else 0. */
static int program_frame(struct hc_debugger *s)
{
    int n = 0;

    while (n < s->frames && hc_frame_is_recorder(&s->stack[n]))
        n++;
    return n < s->frames ? n : 0;
}

void hc_debugger_show_place(struct hc_debugger *s)
{
    hc_debugger_frame(s);
    s->frame = program_frame(s);
    hc_debugger_show_frame(s, s->frame, s->frame > 0);
    hc_debugger_show_source(s);
    if (s->frame > 0)
        hc_debugger_say(s, "(in the recorder, which this line called: %s at 0x%04x)\n",
                        s->stack[0].function ? s->stack[0].function : "??", (unsigned)s->stack[0].pc);
}

const char *hc_debugger_place_text(struct hc_debugger *s, uint32_t pc, char *out, size_t size)
{
    struct hc_line line;
    const struct hc_function *f = hc_program_function_at(s->program, pc);
    struct hc_symbol symbol;
    const char *function = f ? f->name : hc_image_function_at(s->image, pc, &symbol) ? symbol.name : NULL;

    if (hc_image_line_at(s->image, pc, &line))
        snprintf(out, size, "%s:%d %s", base_name(line.file), line.line, function ? function : "");
    else
        snprintf(out, size, "0x%04x %s", (unsigned)pc, function ? function : "");
    return out;
}

/* ---- why it stopped ---- */

const char *hc_time_text(hc_time time, char *out, size_t size)
{
    uint64_t us = hc_to_us(time);

    snprintf(out, size, "%llu.%06llu s", (unsigned long long)(us / 1000000u), (unsigned long long)(us % 1000000u));
    return out;
}

static void tell_point(struct hc_debugger *s)
{
    struct hc_point *p = s->cause.point;

    if (s->cause.problem[0])
        hc_debugger_say(s, "The condition of breakpoint %d cannot be evaluated: %s.\n", p->number, s->cause.problem);
    if (p->kind == HC_POINT_BREAK && p->number > 0)
        hc_debugger_say(s, "%s %d, ", p->temporary ? "Temporary breakpoint" : "Breakpoint", p->number);
    p->hits++;
    if (p->temporary)
        hc_point_delete(p);
}

void hc_debugger_tell_failure(struct hc_debugger *s)
{
    uint64_t here = hc_timeline_now(s->timeline)->instructions;
    struct hc_execution_failure failure;

    if (!hc_timeline_failure(s->timeline, &failure))
        return;
    if (here == failure.at)
        hc_debugger_say(s, "The supply fails here: the instruction at hand is not executed.\n");
    else if (here == failure.at + 1 && failure.resumed)
        hc_debugger_say(s, "Power is back: the program goes on from the checkpoint at #%llu.\n",
                        (unsigned long long)failure.resumed);
    else if (here == failure.at + 1)
        hc_debugger_say(s, "Power is back: the program restarts.\n");
}

bool hc_debugger_arrive(struct hc_debugger *s, enum hc_timeline_stop how)
{
    char time[40];

    hc_debugger_moved(s);
    s->arrived = how;
    if (s->hushed && how == HC_TIMELINE_THERE && !s->cause.point)
        return true;
    switch (how) {
    case HC_TIMELINE_HOOK:
        if (s->cause.point)
            tell_point(s);
        break;
    case HC_TIMELINE_REQUEST:
        hc_debugger_say(s, "Interrupted.\n");
        break;
    case HC_TIMELINE_FAULT:
        hc_debugger_say(s, "The program cannot go on: %s.\n", hc_timeline_text(s->timeline));
        break;
    case HC_TIMELINE_END:
        hc_debugger_say(s, "The end, at %s: %s.%s\n",
                        hc_time_text(hc_timeline_now(s->timeline)->time, time, sizeof time),
                        hc_timeline_text(s->timeline),
                        s->replay && hc_replay_next_segment(s->replay) >= 0 ? " (`goto segment N` goes there.)" : "");
        break;
    case HC_TIMELINE_BEGINNING:
        if (hc_segment_before(s) < 0)
            hc_debugger_say(s, "The beginning: nothing is known of what was before.\n");
        else
            hc_debugger_say(s, "The beginning: what was before is missing, up to segment %d (goto segment %d).\n",
                            hc_segment_before(s), hc_segment_before(s));
        break;
    case HC_TIMELINE_NO_MEMORY:
        return hc_debugger_fail(s, "out of memory");
    default:
        break;
    }
    hc_debugger_tell_failure(s);
    hc_debugger_show_place(s);
    hc_show_displays(s);
    return true;
}

/* ---- making one ---- */

static bool interrupted(void *owner)
{
    struct hc_debugger *s = owner;
    if (s->tell)
        s->tell(s->told, hc_debugger_progress(s), hc_timeline_now(s->timeline));
    return s->interrupted;
}

void hc_debugger_set_progress(struct hc_debugger *s, hc_debugger_progress_fn *tell, void *owner)
{
    s->tell = tell;
    s->told = owner;
}

double hc_debugger_progress(const struct hc_debugger *s)
{
    double done = hc_timeline_progress(s->timeline);
    return done < 0 && s->replay ? hc_replay_progress(s->replay) : done;
}

void hc_debugger_set_uart(struct hc_debugger *s, hc_debugger_send_fn *send, void *owner)
{
    s->send = send;
    s->sender = owner;
}

struct hc_debugger *hc_debugger_new(struct hc_image *image, struct hc_timeline *timeline, FILE *out, bool whole)
{
    struct hc_debugger *s = calloc(1, sizeof *s);
    struct stat about;

    if (!s)
        return NULL;
    s->image = image;
    s->timeline = timeline;
    s->machine = hc_timeline_machine(timeline);
    s->out = out;
    s->whole = whole;
    if (!stat(hc_image_name(image), &about))
        s->built = about.st_mtime;
    s->program = hc_program_new(image);
    if (!s->program) {
        free(s);
        return NULL;
    }
    hc_timeline_set_poll(timeline, interrupted, s);
    return s;
}

void hc_debugger_set_replay(struct hc_debugger *s, struct hc_replay *replay)
{
    s->replay = replay;
}

void hc_debugger_set_output(struct hc_debugger *s, FILE *out)
{
    fflush(s->out);
    s->out = out;
}

void hc_debugger_set_colours(struct hc_debugger *s, bool colours)
{
    s->colours = colours;
}

bool hc_debugger_map_sources(struct hc_debugger *s, const char *from, const char *to)
{
    if (s->sources.mappings == HC_SOURCE_MAPPINGS)
        return false;
    s->sources.mapping[s->sources.mappings].from = from;
    s->sources.mapping[s->sources.mappings++].to = to;
    return true;
}

void hc_debugger_free(struct hc_debugger *s)
{
    if (!s)
        return;
    for (int i = 0; i < HC_POINTS_MAX; i++)
        if (s->point[i].number)
            hc_point_delete(&s->point[i]);
    hc_timeline_set_poll(s->timeline, NULL, NULL);
    hc_why_chain_free(s->why);
    hc_program_free(s->program);
    hc_sources_free(&s->sources);
    free(s);
}

void hc_debugger_interrupt(struct hc_debugger *s)
{
    s->interrupted = 1;
    hc_request_stop(s->machine);
}
