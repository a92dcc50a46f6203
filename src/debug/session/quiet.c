/* Operations for a session over many nodes: they move a node without output; the stop is printed later. */
#include "replay/replay.h"
#include "session_state.h"

#include <string.h>

static uint32_t first_segment(struct hc_debugger *s)
{
    struct hc_replay_segment segment;

    if (!s->replay)
        return 0;
    hc_replay_segment(s->replay, hc_timeline_start(s->timeline)->segment, &segment);
    return segment.number;
}

void hc_debugger_place(struct hc_debugger *s, struct hc_debugger_place *out)
{
    const struct hc_moment *now = hc_timeline_now(s->timeline);

    *out = (struct hc_debugger_place){ first_segment(s), now->instructions, now->time,
                                       s->arrived == HC_TIMELINE_END || s->arrived == HC_TIMELINE_FAULT };
}

const char *hc_debugger_problem(const struct hc_debugger *s)
{
    return s->message.text;
}

static bool arrived(struct hc_debugger *s, enum hc_timeline_stop how)
{
    hc_debugger_moved(s);
    s->arrived = how;
    if (how == HC_TIMELINE_REQUEST)
        return hc_debugger_fail(s, "interrupted");
    return how != HC_TIMELINE_NO_MEMORY || hc_debugger_fail(s, "out of memory");
}

bool hc_debugger_go(struct hc_debugger *s, uint32_t segment, hc_time time, uint64_t least, uint64_t most)
{
    s->interrupted = 0;
    if (s->replay && first_segment(s) != segment && !hc_segment_begin(s, segment))
        return false;
    enum hc_timeline_stop how = hc_timeline_seek_time(s->timeline, time);
    if (!arrived(s, how))
        return false;
    uint64_t here = hc_timeline_now(s->timeline)->instructions;
    if (here < least)
        return arrived(s, hc_timeline_seek(s->timeline, least));
    if (here > most)
        return arrived(s, hc_timeline_seek(s->timeline, most));
    return true;
}

bool hc_debugger_has_points(const struct hc_debugger *s)
{
    for (int i = 0; i < HC_POINTS_MAX; i++)
        if (s->point[i].number > 0 && s->point[i].enabled)
            return true;
    return false;
}

static enum hc_debugger_ran result(struct hc_debugger *s, enum hc_timeline_stop how)
{
    hc_debugger_moved(s);
    s->arrived = how;
    switch (how) {
    case HC_TIMELINE_HOOK:
        return HC_RAN_STOPPED;
    case HC_TIMELINE_THERE:
    case HC_TIMELINE_FAILURE:
        return HC_RAN_TO_LIMIT;
    case HC_TIMELINE_REQUEST:
        return HC_RAN_INTERRUPTED;
    case HC_TIMELINE_NO_MEMORY:
        hc_debugger_fail(s, "out of memory");
        return HC_RAN_FAILED;
    default:
        return HC_RAN_TO_END;
    }
}

static void begin(struct hc_debugger *s)
{
    s->interrupted = 0;
    memset(&s->cause, 0, sizeof s->cause);
}

enum hc_debugger_ran hc_debugger_run_quietly(struct hc_debugger *s, uint64_t limit)
{
    enum hc_timeline_stop how;

    begin(s);
    do
        how = hc_timeline_run(s->timeline, limit);
    while (how == HC_TIMELINE_HOOK && !s->cause.point);
    return result(s, how);
}

enum hc_debugger_ran hc_debugger_run_back_quietly(struct hc_debugger *s)
{
    begin(s);
    return result(s, hc_timeline_run_back(s->timeline, hc_points_classify, s));
}

void hc_debugger_tell_stop(struct hc_debugger *s, bool backwards)
{
    if (s->arrived == HC_TIMELINE_HOOK && s->cause.point && s->cause.point->kind != HC_POINT_BREAK)
        hc_point_show_change(s, backwards);
    hc_debugger_arrive(s, s->arrived);
}

bool hc_debugger_number(struct hc_debugger *s, const char *expression, long long *out)
{
    const struct hc_context *c = &hc_debugger_frame(s)->context;
    struct hc_value v;
    struct hc_number n;

    if (!hc_expression_evaluate(c, expression, &v, &s->message) || !hc_value_number(c, &v, &n, &s->message))
        return false;
    *out = (long long)n.s;
    return true;
}
