/* Forwards and backwards: what stops, and why. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

/* ---- progress, and requests that come meanwhile ---- */

static double seconds_since(const struct timespec *then)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

static void tell_progress(struct hc_dap_session *s)
{
    struct hc_dap *d = s->dap;
    struct hc_moment now;
    char id[32], text[HC_DAP_TEXT], time[40];

    if (!d->reports_progress || !d->progress_title || seconds_since(&d->since) < 0.5 || seconds_since(&d->told) < 0.2)
        return;
    snprintf(id, sizeof id, "hindcast-%d", d->progress);
    hc_timeline_present(s->node.timeline, &now);
    snprintf(text, sizeof text, "%s, instruction #%llu", hc_time_text(now.time, time, sizeof time),
             (unsigned long long)now.instructions);
    double done = hc_debugger_progress(s->debugger);
    json_t *percentage = done < 0 ? NULL : json_real(100 * done);
    if (d->progress_told)
        hc_dap_event(d, "progressUpdate",
                     json_pack("{s:s, s:s, s:o*}", "progressId", id, "message", text, "percentage", percentage));
    else
        hc_dap_event(d, "progressStart",
                     json_pack("{s:s, s:s, s:s, s:b, s:o*}", "progressId", id, "title", d->progress_title, "message",
                               text, "cancellable", 1, "percentage", percentage));
    d->progress_told = true;
    clock_gettime(CLOCK_MONOTONIC, &d->told);
}

bool hc_dap_poll(void *owner)
{
    struct hc_dap_session *s = owner;
    struct hc_dap *d = s->dap;

    tell_progress(s);
    if (d->config.is_wanted(d->config.owner, d->running))
        s->debugger->interrupted = 1;
    return s->debugger->interrupted;
}

void hc_dap_begin(struct hc_dap_session *s, const char *title)
{
    struct hc_dap *d = s->dap;

    clock_gettime(CLOCK_MONOTONIC, &d->since);
    d->told = d->since;
    d->progress_told = false;
    d->progress_title = title;
    d->progress++;
    d->exception[0] = '\0';
    s->debugger->frame = 0;
    hc_dap_listen(d);
}

void hc_dap_end(struct hc_dap_session *s)
{
    struct hc_dap *d = s->dap;
    char id[32];

    snprintf(id, sizeof id, "hindcast-%d", d->progress);
    if (d->progress_told)
        hc_dap_event(d, "progressEnd", json_pack("{s:s}", "progressId", id));
    d->progress_title = NULL;
    d->handles = 0;
}

/* ---- stops ---- */

static const char *point_reason(const struct hc_dap_point *p)
{
    static const char *const reasons[] = {
        [HC_DAP_SOURCE] = "breakpoint",
        [HC_DAP_FUNCTION] = "function breakpoint",
        [HC_DAP_INSTRUCTION] = "instruction breakpoint",
        [HC_DAP_DATA] = "data breakpoint",
        [HC_DAP_EXCEPTION] = "exception",
    };
    return p ? reasons[p->kind] : "breakpoint"; /* of the console */
}

static void note_exception(struct hc_dap *d, const char *kind, const char *text)
{
    snprintf(d->exception, sizeof d->exception, "%s", kind);
    snprintf(d->exception_text, sizeof d->exception_text, "%s", text);
}

/* A fault of the program, or a replay that contradicts its log? */
static const char *fault_reason(struct hc_dap_session *s)
{
    const char *text = hc_timeline_text(s->node.timeline);
    bool diverged = s->node.replay && !strstr(text, "fault");

    note_exception(s->dap, diverged ? "divergence" : "fault", text);
    return (diverged ? s->dap->stops_at_divergence : s->dap->stops_at_fault) ? "exception" : "end";
}

static const char *reason_of(struct hc_dap_session *s)
{
    const struct hc_dap_point *p = hc_dap_point_of(s);

    switch (s->debugger->arrived) {
    case HC_TIMELINE_HOOK:
        if (p && p->kind == HC_DAP_EXCEPTION)
            note_exception(s->dap, "invariant", "an invariant of the program does not hold: hc_freeze is called");
        return point_reason(p);
    case HC_TIMELINE_REQUEST:
        return "pause";
    case HC_TIMELINE_FAULT:
        return fault_reason(s);
    case HC_TIMELINE_END:
        return "end";
    case HC_TIMELINE_BEGINNING:
        return "beginning";
    default:
        return "step";
    }
}

/* What to show beside the reason. */
static const char *description_of(struct hc_dap_session *s, const char *reason)
{
    return !strcmp(reason, "end")                        ? "The end of the run"
           : !strcmp(reason, "beginning")                ? "The beginning of the run"
           : s->debugger->arrived == HC_TIMELINE_FAILURE ? "The supply fails"
                                                         : NULL;
}

void hc_dap_stopped(struct hc_dap_session *s, const char *reason)
{
    struct hc_dap *d = s->dap;
    const struct hc_dap_point *p = reason ? NULL : hc_dap_point_of(s);
    const char *why = reason ? reason : reason_of(s), *heard = hc_dap_heard(d);
    json_t *body = json_pack("{s:s, s:i, s:b}", "reason", why, "threadId", s->node.id, "allThreadsStopped", 1);

    if (description_of(s, why))
        json_object_set_new(body, "description", json_string(description_of(s, why)));
    if (!reason && d->exception[0])
        json_object_set_new(body, "text", json_string(d->exception_text));
    else if (!reason && *heard && (p || strcmp(why, "step") != 0))
        json_object_set_new(body, "text", json_string(heard));
    if (p)
        json_object_set_new(body, "hitBreakpointIds", json_pack("[i]", p->id));
    if (p && p->kind == HC_DAP_DATA) /* who wrote it */
        hc_dap_output(d, "console", heard);
    d->handles = 0;
    hc_dap_event(d, "stopped", body);
}

/* ---- running ---- */

/* Whether the run that has just ended is to go on: a log point, a hit that does not count yet, a request that was
 * answered on the way. */
static bool goes_on(struct hc_dap_session *s)
{
    struct hc_dap *d = s->dap;
    struct hc_dap_point *p = hc_dap_point_of(s);

    if (s->debugger->arrived == HC_TIMELINE_REQUEST) {
        d->config.serve_waiting(d->config.owner);
        return !d->pause_wanted && !d->over;
    }
    return s->debugger->arrived == HC_TIMELINE_HOOK && p && !hc_dap_point_stops(s, p);
}

static void run(struct hc_dap_session *s, bool back)
{
    struct hc_dap *d = s->dap;
    bool well;

    d->pause_wanted = false;
    d->running = true;
    hc_dap_begin(s, back ? "Running backwards" : "Running");
    do {
        hc_dap_listen(d);
        well = back ? hc_run_back(s->debugger) : hc_run_on(s->debugger);
    } while (well && goes_on(s));
    d->running = false;
    hc_dap_end(s);
    if (!well)
        hc_dap_output(d, "stderr", s->debugger->message.text);
    if (!d->over)
        hc_dap_stopped(s, NULL);
}

void hc_dap_continue(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    bool back = !strcmp(r->command, "reverseContinue");

    if (!s)
        return;
    if (!r->answered)
        hc_dap_respond(r, back ? NULL : json_pack("{s:b}", "allThreadsContinued", 0));
    run(s, back);
}

/* ---- steps ---- */

static bool back_instruction(struct hc_debugger *s)
{
    s->interrupted = 0;
    memset(&s->cause, 0, sizeof s->cause);
    return hc_debugger_arrive(s, hc_timeline_back(s->timeline, 1));
}

static bool step(struct hc_debugger *s, const char *command, bool instruction)
{
    if (!strcmp(command, "stepOut"))
        return hc_step_out(s);
    if (!strcmp(command, "stepBack"))
        return instruction ? back_instruction(s) : hc_step_back_line(s, false);
    if (!strcmp(command, "hindcast/reverseStepIn"))
        return hc_step_back_line(s, true);
    if (!strcmp(command, "hindcast/reverseStepOut"))
        return hc_step_back_out(s);
    return instruction ? hc_step_instruction(s, 1) : hc_step_line(s, !strcmp(command, "stepIn"));
}

/* The response comes first, unless the step cannot be made at all: that is said in its place. */
void hc_dap_step(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    bool instruction = !strcmp(hc_dap_string(r->arguments, "granularity"), "instruction");

    if (!s)
        return;
    uint64_t here = hc_timeline_now(s->node.timeline)->instructions;
    hc_dap_begin(s, "Stepping");
    bool well = step(s->debugger, r->command, instruction);
    hc_dap_end(s);
    if (!well && hc_timeline_now(s->node.timeline)->instructions == here) {
        hc_dap_refuse(r, "%s", s->debugger->message.text);
        return;
    }
    hc_dap_respond(r, NULL);
    hc_dap_stopped(s, NULL);
}

void hc_dap_pause(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);

    if (!s)
        return;
    hc_dap_respond(r, NULL);
    if (r->dap->running)
        r->dap->pause_wanted = true;
    else
        hc_dap_stopped(s, "pause");
}

void hc_dap_cancel(struct hc_dap_request *r)
{
    r->dap->pause_wanted = true;
    hc_dap_respond(r, NULL);
}

/* ---- to any moment ---- */

void hc_dap_restart(struct hc_dap_request *r)
{
    for (int i = 0; i < r->dap->sessions; i++) {
        struct hc_debugger *s = r->dap->session[i].debugger;
        memset(&s->cause, 0, sizeof s->cause);
        hc_timeline_seek(s->timeline, hc_timeline_start(s->timeline)->instructions);
        hc_debugger_moved(s);
    }
    r->dap->exception[0] = '\0';
    hc_dap_respond(r, NULL);
    hc_dap_listen(r->dap);
    hc_dap_stopped(&r->dap->session[0], "entry");
}

enum { AHEAD = 1, BEHIND = 2 };

void hc_dap_goto_targets(struct hc_dap_request *r)
{
    const json_t *source = json_object_get(r->arguments, "source");
    json_int_t line = hc_dap_integer(r->arguments, "line") + r->dap->lines_from_0;
    char path[HC_DAP_TEXT], label[HC_DAP_TEXT];
    uint32_t address;
    json_t *targets = json_array();

    hc_dap_image_path(r->dap, hc_dap_string(source, "path"), path, sizeof path);
    size_t n = hc_image_line_addresses(r->dap->session[0].node.image, path, (int)line, &address, 1);
    for (int way = AHEAD; n && way <= BEHIND; way++) {
        snprintf(label, sizeof label, "the %s time at line %lld", way == AHEAD ? "next" : "last", (long long)line);
        json_array_append_new(targets, json_pack("{s:i, s:s, s:I}", "id", (int)(way | address << 2), "label", label,
                                                 "line", line - r->dap->lines_from_0));
    }
    hc_dap_respond(r, json_pack("{s:o}", "targets", targets));
}

/* As hc_dap_goto_targets numbered them. */
static bool is_target(const struct hc_dap_session *s, json_int_t target)
{
    struct hc_symbol function;

    return ((target & 3) == AHEAD || (target & 3) == BEHIND) && target > 0 && target >> 2 < HC_IMAGE_ADDRESSES &&
           hc_image_function_at(s->node.image, (uint32_t)(target >> 2), &function);
}

/* Runs there: the program counter of the past is not to be set. */
void hc_dap_goto(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    json_int_t target = hc_dap_integer(r->arguments, "targetId");

    if (!s)
        return;
    if (!is_target(s, target)) {
        hc_dap_refuse(r, "there is no target %lld; gotoTargets says which there are", (long long)target);
        return;
    }
    struct hc_point *p = hc_point_new(s->debugger, HC_POINT_BREAK);
    if (!p) {
        hc_dap_refuse(r, "%s", s->debugger->message.text);
        return;
    }
    hc_dap_respond(r, NULL);
    hc_dap_begin(s, "Going there");
    hc_points_quiet(s->debugger, true);
    p->addresses = 1;
    p->address[0] = (uint32_t)target >> 2;
    hc_point_arm(p);
    if ((target & 3) == BEHIND)
        hc_run_back(s->debugger);
    else
        hc_run_on(s->debugger);
    hc_point_delete(p);
    hc_points_quiet(s->debugger, false);
    hc_dap_end(s);
    hc_dap_stopped(s, s->debugger->arrived == HC_TIMELINE_HOOK ? "goto" : NULL);
}

void hc_dap_exception_info(struct hc_dap_request *r)
{
    const struct hc_dap *d = r->dap;

    if (!d->exception[0]) {
        hc_dap_refuse(r, "the program did not stop for an exception");
        return;
    }
    hc_dap_respond(r, json_pack("{s:s, s:s, s:s}", "exceptionId", d->exception, "description", d->exception_text,
                                "breakMode", "always"));
}

static json_t *moment_json(struct hc_dap_session *s)
{
    const struct hc_moment *now = hc_timeline_now(s->node.timeline), *far = hc_timeline_farthest(s->node.timeline);

    return json_pack("{s:I, s:f, s:I, s:I}", "instruction", (json_int_t)now->instructions, "seconds",
                     hc_seconds(now->time), "interrupts", (json_int_t)now->interrupts, "known",
                     (json_int_t)far->instructions);
}

/* hindcast/when, hindcast/goto { moment }, hindcast/lastWrite { expression } */
void hc_dap_travel(struct hc_dap_request *r)
{
    struct hc_dap_session *s = hc_dap_session_of(r);
    bool going = !strcmp(r->command, "hindcast/goto"), asking = !strcmp(r->command, "hindcast/when");
    char text[HC_TEXT_MAX];

    if (!s)
        return;
    if (asking) {
        hc_dap_respond(r, moment_json(s));
        return;
    }
    snprintf(text, sizeof text, "%s", hc_dap_string(r->arguments, going ? "moment" : "expression"));
    hc_dap_begin(s, going ? "Going there" : "Looking for the last write");
    memset(&s->debugger->cause, 0, sizeof s->debugger->cause);
    bool well = going ? hc_goto(s->debugger, text) : hc_last_write(s->debugger, text);
    hc_dap_end(s);
    if (!well) {
        hc_dap_refuse(r, "%s", s->debugger->message.text);
        return;
    }
    json_t *body = moment_json(s);
    json_object_set_new(body, "text", json_string(hc_dap_heard(r->dap)));
    hc_dap_respond(r, body);
    hc_dap_stopped(s, "goto");
}
