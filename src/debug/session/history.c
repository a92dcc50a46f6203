/* Commands about the past: when, goto, last-write, history. */
#include "session_state.h"
#include "support/plural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Before the power failure, or after it? */
static void say_side(struct hc_debugger *s)
{
    uint64_t here = hc_timeline_now(s->timeline)->instructions;
    struct hc_execution_failure failure;

    if (!hc_timeline_failure(s->timeline, &failure))
        return;
    if (here <= failure.at)
        hc_debugger_say(s, "before the power failure, which comes in %llu instruction%s, at #%llu\n",
                        (unsigned long long)(failure.at - here), hc_plural(failure.at - here),
                        (unsigned long long)failure.at);
    else
        hc_debugger_say(s, "after the power failure at #%llu: %llu instruction%s since the %s\n",
                        (unsigned long long)failure.at, (unsigned long long)(here - failure.at - 1),
                        hc_plural(here - failure.at - 1),
                        failure.resumed ? "checkpoint was restored" : "program restarted");
}

bool hc_when(struct hc_debugger *s, char *arguments)
{
    const struct hc_moment *now = hc_timeline_now(s->timeline), *far = hc_timeline_farthest(s->timeline);
    char time[40];

    (void)arguments;
    hc_debugger_say(s, "instruction #%llu, %s, after %llu interrupt%s\n", (unsigned long long)now->instructions,
                    hc_time_text(now->time, time, sizeof time), (unsigned long long)now->interrupts,
                    hc_plural(now->interrupts));
    hc_debugger_say(s, "known so far: up to #%llu, %s\n", (unsigned long long)far->instructions,
                    hc_time_text(far->time, time, sizeof time));
    say_side(s);
    hc_say_segment(s);
    return true;
}

/* ---- goto ---- */

/* "1.5", "1.5s", "20ms", "300us". */
static bool parse_time(const char *text, hc_time *out)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "min", 60 }, { "", 1 } };
    char *end;
    double value = strtod(text, &end);

    while (isspace((unsigned char)*end))
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end > text && !strcmp(end, units[i].unit) && value >= 0 && value * units[i].seconds < 1e7) {
            *out = (hc_time)(value * units[i].seconds * (double)HC_SECOND);
            return true;
        }
    return false;
}

static bool parse_count(const char *text, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &end, 0);
    return !*end;
}

static bool arrive_quietly(struct hc_debugger *s, enum hc_timeline_stop how)
{
    return hc_debugger_arrive(s, how == HC_TIMELINE_HOOK ? HC_TIMELINE_THERE : how);
}

bool hc_goto(struct hc_debugger *s, char *arguments)
{
    struct hc_timeline *t = s->timeline;
    struct hc_execution_failure failure;
    uint64_t n;
    hc_time time;

    s->interrupted = 0;
    if (!strcmp(arguments, "failure"))
        return hc_timeline_failure(t, &failure)
                   ? arrive_quietly(s, hc_timeline_seek(t, failure.at))
                   : hc_debugger_fail(s, "the supply does not fail in this run: see hindcast power --debug");
    if (!strcmp(arguments, "start") || !strcmp(arguments, "beginning"))
        return arrive_quietly(s, hc_timeline_seek(t, hc_timeline_start(t)->instructions));
    if (!strcmp(arguments, "end"))
        return arrive_quietly(s, hc_timeline_seek_end(t));
    if (arguments[0] == '#' && parse_count(arguments + 1, &n))
        return arrive_quietly(s, hc_timeline_seek(t, n));
    if (!strncmp(arguments, "instruction ", 12) && parse_count(arguments + 12, &n))
        return arrive_quietly(s, hc_timeline_seek(t, n));
    if (!strncmp(arguments, "interrupt ", 10) && parse_count(arguments + 10, &n))
        return arrive_quietly(s, hc_timeline_seek_interrupt(t, n));
    if (!strncmp(arguments, "segment ", 8) && parse_count(arguments + 8, &n))
        return hc_goto_segment(s, n);
    if (parse_time(arguments, &time))
        return arrive_quietly(s, hc_timeline_seek_time(t, time));
    return hc_debugger_fail(
        s,
        "'%s': expected a time: goto 1.5s, goto #1234 (an instruction), goto interrupt 7, goto start, goto "
        "end, goto segment 2",
        arguments);
}

/* ---- last-write ---- */

/* Whether a checkpoint that contains ADDRESS was restored between the present moment and FROM. */
static bool was_restored(struct hc_debugger *s, uint32_t address, uint64_t from, uint64_t *when)
{
    struct hc_execution_failure failure;

    if (!hc_timeline_failure(s->timeline, &failure) || from <= failure.at ||
        hc_timeline_now(s->timeline)->instructions > failure.at || hc_region_kind(s->machine, address) == HC_FRAM)
        return false;
    *when = failure.at + 1;
    return true;
}

bool hc_last_write(struct hc_debugger *s, char *arguments)
{
    uint64_t here = hc_timeline_now(s->timeline)->instructions, restored;
    struct hc_point *p;
    char time[40];

    if (!*arguments)
        return hc_debugger_fail(s, "no expression given: last-write EXPRESSION");
    p = hc_point_watch(s, HC_POINT_WATCH, arguments);
    if (!p)
        return false;
    s->interrupted = 0;
    memset(&s->cause, 0, sizeof s->cause);
    hc_points_quiet(s, true);
    hc_point_arm(p);
    enum hc_timeline_stop how = hc_timeline_run_back(s->timeline, hc_points_classify, s);
    hc_debugger_moved(s);
    bool lost =
        (how == HC_TIMELINE_HOOK || how == HC_TIMELINE_BEGINNING) && was_restored(s, p->address[0], here, &restored);
    if (how == HC_TIMELINE_HOOK && !lost)
        hc_point_show_change(s, true);
    hc_point_delete(p);
    hc_points_quiet(s, false);
    if (lost) {
        hc_debugger_say(s, "%s is volatile: when power came back it was given its value.\n", arguments);
        return hc_debugger_arrive(s, hc_timeline_seek(s->timeline, restored));
    }
    if (how == HC_TIMELINE_HOOK) {
        const struct hc_moment *now = hc_timeline_now(s->timeline);
        hc_debugger_say(s, "at instruction #%llu, %s\n", (unsigned long long)now->instructions,
                        hc_time_text(now->time, time, sizeof time));
        hc_debugger_show_place(s);
        return true;
    }
    hc_timeline_return(s->timeline, here);
    hc_debugger_moved(s);
    if (how == HC_TIMELINE_REQUEST)
        return hc_debugger_fail(s, "interrupted");
    return hc_debugger_fail(s, "no change of %s between the beginning%s and here", arguments,
                            hc_segment_before(s) < 0 ? "" : " of the segment, before which something is missing,");
}

/* ---- history ---- */

/* An expression is followed by watching all memory that its evaluation reads. */
struct follower {
    struct hc_debugger *s;
    const char *text;
    struct hc_context context; /* names are those of the place of the question; registers are not available */
    bool (*read)(void *owner, uint32_t address, uint8_t *out, size_t n);
    void *owner;
    int ranges;
    struct {
        uint32_t start, end; /* inclusive */
        int hook;
    } range[HC_WATCHED_RANGES];
    bool stopped; /* a hook did */
    struct hc_access access;
    char last[HC_TEXT_MAX];
    uint64_t rows;
    bool too_many;
};

enum { ROWS_MOST = 10000 };

static enum hc_action written(void *owner, struct hc_machine *m, const struct hc_access *access)
{
    struct follower *f = owner;

    if (!hc_timeline_hears_accesses(f->s->timeline) ||
        (hc_region_kind(m, access->address) != HC_IO && access->value == access->before))
        return HC_CONTINUE;
    f->access = *access;
    f->stopped = true;
    return HC_STOP;
}

/* Reads and remembers where. */
static bool read_and_follow(void *owner, uint32_t address, uint8_t *out, size_t n)
{
    struct follower *f = owner;
    uint32_t end = address + (uint32_t)n - 1;

    for (int i = 0; i < f->ranges; i++)
        if (address >= f->range[i].start && end <= f->range[i].end)
            return f->read(f->owner, address, out, n);
    if (f->ranges < HC_WATCHED_RANGES) {
        f->range[f->ranges].start = address;
        f->range[f->ranges].end = end;
        f->range[f->ranges].hook = hc_hook_access(f->s->machine, address, end, HC_WATCH_WRITE, written, f);
        f->ranges++;
    } else {
        f->too_many = true;
    }
    return f->read(f->owner, address, out, n);
}

static bool evaluate_followed(struct follower *f, char *out, size_t size)
{
    struct hc_value v;

    if (!hc_expression_evaluate(&f->context, f->text, &v, &f->s->message))
        return false;
    hc_format_text(&f->context, &v, 0, out, size);
    return true;
}

static void show_row(struct follower *f, const struct hc_moment *moment, const char *value)
{
    char time[40], where[120];

    hc_debugger_say(f->s, "%16s  #%-10llu  %-24s  %s\n", hc_time_text(moment->time, time, sizeof time),
                    (unsigned long long)moment->instructions, value,
                    !f->stopped                  ? "at the beginning"
                    : f->access.pc == UINT32_MAX ? "by hardware"
                                                 : hc_debugger_place_text(f->s, f->access.pc, where, sizeof where));
    f->rows++;
}

static bool visit(void *owner, const struct hc_moment *moment)
{
    struct follower *f = owner;
    char value[HC_TEXT_MAX];

    if (!evaluate_followed(f, value, sizeof value))
        snprintf(value, sizeof value, "<%s>", f->s->message.text);
    if (strcmp(value, f->last) != 0) {
        show_row(f, moment, value);
        snprintf(f->last, sizeof f->last, "%s", value);
    }
    return f->rows >= ROWS_MOST || f->s->interrupted;
}

static bool start_following(struct follower *f)
{
    struct hc_debugger *s = f->s;
    uint64_t here = hc_timeline_now(s->timeline)->instructions;
    char probe[HC_TEXT_MAX];

    f->context = hc_debugger_frame(s)->context;
    f->context.known = 0;
    f->context.has_cfa = false;
    f->read = f->context.read;
    f->owner = f->context.owner;
    f->context.read = read_and_follow;
    f->context.owner = f;
    if (!evaluate_followed(f, probe, sizeof probe))
        return false;
    if (!f->ranges)
        return hc_debugger_fail(s, "'%s' is always %s", f->text, probe);
    hc_timeline_seek(s->timeline, hc_timeline_start(s->timeline)->instructions);
    if (evaluate_followed(f, f->last, sizeof f->last))
        show_row(f, hc_timeline_start(s->timeline), f->last);
    hc_timeline_return(s->timeline, here);
    return true;
}

bool hc_history(struct hc_debugger *s, char *arguments)
{
    struct follower f = { .s = s, .text = arguments };
    enum hc_timeline_stop how = HC_TIMELINE_THERE;

    if (!*arguments)
        return hc_debugger_fail(s, "no expression given: history EXPRESSION");
    s->interrupted = 0;
    hc_points_quiet(s, true);
    bool well = start_following(&f);
    if (well)
        how = hc_timeline_survey(s->timeline, 0,
                                 s->whole ? UINT64_MAX : hc_timeline_farthest(s->timeline)->instructions, visit, &f);
    for (int i = 0; i < f.ranges; i++)
        hc_unhook(s->machine, f.range[i].hook);
    hc_points_quiet(s, false);
    hc_debugger_moved(s);
    if (well)
        hc_debugger_say(s, "%llu value%s%s%s\n", (unsigned long long)f.rows, hc_plural(f.rows),
                        f.rows >= ROWS_MOST          ? ", and more follow"
                        : how == HC_TIMELINE_REQUEST ? " so far: interrupted"
                                                     : "",
                        f.too_many ? "; too many places to follow: some changes may be missing" : "");
    return well;
}
