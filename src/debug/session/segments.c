/* Segments of a log that has gaps. A session is in one stretch of segments that follow each other without a gap; its
 * moments are counted from the beginning of that. */
#include "session_state.h"

#include "replay/replay.h"

static bool can_begin(const struct hc_replay_segment *segment)
{
    return segment->begins && !segment->foreign;
}

/* The first segment of the stretch that segment INDEX is in. */
static size_t first_of(const struct hc_replay *r, size_t index)
{
    struct hc_replay_segment now, before;

    for (; index > 0; index--) {
        hc_replay_segment(r, index, &now);
        hc_replay_segment(r, index - 1, &before);
        if (!now.follows || !can_begin(&before))
            break;
    }
    return index;
}

static const char *describe(const struct hc_replay_segment *segment)
{
    return segment->foreign   ? "recorded by another program"
           : !segment->begins ? "without its beginning: cannot be replayed"
           : segment->reset   ? "begins with a reset"
           : segment->follows ? "follows without a gap"
                              : "begins with a checkpoint, after a gap";
}

bool hc_info_segments(struct hc_debugger *s)
{
    size_t n = s->replay ? hc_replay_segments(s->replay) : 0, here = hc_timeline_now(s->timeline)->segment;

    for (size_t i = 0; i < n; i++) {
        struct hc_replay_segment segment;
        hc_replay_segment(s->replay, i, &segment);
        hc_debugger_say(s, "%s %-5u boot %-4u %7llu bytes  %s%s%s\n", i == here ? "*" : " ", segment.number,
                        segment.boot, (unsigned long long)segment.bytes, describe(&segment),
                        segment.lost_events ? "; at its end events were lost" : "",
                        segment.rescued ? "; up to the reset that ended it" : "");
    }
    if (!n)
        return hc_debugger_fail(s, "no log is open");
    hc_debugger_say(s, "* is here; goto segment N goes to another\n");
    return true;
}

void hc_say_segment(struct hc_debugger *s)
{
    struct hc_replay_segment here, first;

    if (!s->replay || hc_replay_segments(s->replay) < 2)
        return;
    hc_replay_segment(s->replay, hc_timeline_now(s->timeline)->segment, &here);
    hc_replay_segment(s->replay, hc_timeline_start(s->timeline)->segment, &first);
    hc_debugger_say(s, "in segment %u; all is counted from the beginning of segment %u\n", here.number, first.number);
}

int hc_segment_before(struct hc_debugger *s)
{
    struct hc_replay_segment segment;

    for (size_t i = hc_timeline_start(s->timeline)->segment; s->replay && i > 0; i--) {
        hc_replay_segment(s->replay, i - 1, &segment);
        if (can_begin(&segment))
            return segment.number;
    }
    return -1;
}

/* Puts the session to the beginning of segment INDEX. */
static bool begin_with(struct hc_debugger *s, size_t index)
{
    struct hc_replay_message message;

    if (hc_replay_restart(s->replay, index, false, &message))
        return hc_debugger_fail(s, "%s", message.text);
    return hc_timeline_restart(s->timeline) || hc_debugger_fail(s, "out of memory");
}

static bool find(struct hc_debugger *s, uint64_t number, size_t *out)
{
    struct hc_replay_segment segment;

    for (*out = 0; s->replay && *out < hc_replay_segments(s->replay); ++*out) {
        hc_replay_segment(s->replay, *out, &segment);
        if (segment.number == number)
            return can_begin(&segment) || hc_debugger_fail(s, "segment %u: %s", segment.number, describe(&segment));
    }
    return hc_debugger_fail(s, s->replay ? "no segment %llu; info segments lists them" : "no log is open",
                            (unsigned long long)number);
}

bool hc_segment_begin(struct hc_debugger *s, uint32_t number)
{
    size_t index;

    return find(s, number, &index) && begin_with(s, index);
}

bool hc_goto_segment(struct hc_debugger *s, uint64_t number)
{
    size_t index, beginning = hc_timeline_start(s->timeline)->segment;
    struct hc_replay_segment first;

    if (!find(s, number, &index))
        return false;
    bool same = index >= beginning && first_of(s->replay, index) == first_of(s->replay, beginning);
    if (!same && !begin_with(s, first_of(s->replay, index)))
        return false;
    enum hc_timeline_stop how = hc_timeline_seek_segment(s->timeline, index);
    if (how == HC_TIMELINE_REQUEST)
        return hc_debugger_arrive(s, how);
    /* If the log before it is damaged, it starts a stretch by itself. */
    if (how != HC_TIMELINE_THERE && !begin_with(s, index))
        return false;
    hc_replay_segment(s->replay, hc_timeline_start(s->timeline)->segment, &first);
    hc_debugger_say(s,
                    "Segment %llu. Instructions, interrupts and time are counted from the beginning of segment %u%s.\n",
                    (unsigned long long)number, first.number,
                    first.reset                ? ", a reset"
                    : hc_segment_before(s) < 0 ? ""
                                               : ", which follows a gap");
    return hc_debugger_arrive(s, HC_TIMELINE_THERE);
}
