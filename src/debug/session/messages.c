/* Radio messages, seen on the bus between the CPU and the radio chip. */
#include "replay/radio_frames.h"
#include "session_state.h"
#include "support/plural.h"

enum { SHOWN = 20 /* messages, and bytes of each */ };

struct listener {
    struct hc_debugger *s;
    struct hc_radio_bus bus;
    uint64_t count;
    struct {
        hc_time time;
        struct hc_radio_frame frame;
    } last[SHOWN];
};

static void keep(void *owner, const struct hc_radio_frame *frame)
{
    struct listener *l = owner;
    struct hc_moment now;

    hc_timeline_present(l->s->timeline, &now);
    l->last[l->count % SHOWN].time = now.time;
    l->last[l->count++ % SHOWN].frame = *frame;
}

static bool hears(void *owner)
{
    struct listener *l = owner;

    return hc_timeline_hears_accesses(l->s->timeline);
}

/* In a replay. */
static void answered(void *owner, const struct hc_outside_event *event)
{
    struct listener *l = owner;

    if (event->kind == HC_OUTSIDE_READ)
        hc_radio_bus_answered(&l->bus, event->address, event->value);
}

static bool never(void *owner, const struct hc_moment *moment)
{
    (void)owner;
    (void)moment;
    return false;
}

static void show(struct hc_debugger *s, hc_time at, const struct hc_radio_frame *f)
{
    char time[40];

    hc_debugger_say(s, "%16s  %-8s %3d bytes ", hc_time_text(at, time, sizeof time), f->sent ? "sent" : "received",
                    f->length);
    for (int i = 0; i < f->length && i < SHOWN; i++)
        hc_debugger_say(s, " %02x", f->byte[i]);
    hc_debugger_say(s, "%s\n", f->length > SHOWN ? " ..." : "");
}

bool hc_info_messages(struct hc_debugger *s)
{
    struct listener l = { .s = s, .bus = { .call = keep, .hears = hears } };

    l.bus.owner = &l;
    hc_radio_bus_hook(&l.bus, s->machine);
    hc_timeline_listen(s->timeline, answered, &l);
    hc_points_quiet(s, true);
    hc_timeline_survey(s->timeline, 0, hc_timeline_now(s->timeline)->instructions, never, NULL);
    hc_radio_bus_unhook(&l.bus, s->machine);
    hc_points_quiet(s, false);
    hc_timeline_listen(s->timeline, NULL, NULL);
    hc_debugger_moved(s);
    for (uint64_t i = l.count > SHOWN ? l.count - SHOWN : 0; i < l.count; i++)
        show(s, l.last[i % SHOWN].time, &l.last[i % SHOWN].frame);
    hc_debugger_say(s, "%llu message%s up to here\n", (unsigned long long)l.count, hc_plural(l.count));
    return true;
}
