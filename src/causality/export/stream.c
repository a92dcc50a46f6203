#include "stream.h"

#include "../../support/grow.h"
#include "target/target.h"

#include <stdlib.h>

enum { AHEAD = 20000 /* instructions */ };

struct lane {
    const struct hc_stream_config *c;
    uint32_t node;
    struct hc_replay *replay; /* NULL: over */
    struct hc_radio_bus bus;
    size_t stretch;
    int64_t last;    /* time of the event before */
    bool task_runs;  /* and its beginning has been told */
    bool calls_seen; /* the kernel's call of a task is hooked */
    struct hc_stream_event *queue;
    size_t first, count, room;
    bool full;
};

struct work {
    const struct hc_stream_config *c;
    struct lane *lanes;
    uint32_t *heap; /* lanes with an event, the earliest first */
    size_t heaped;
};

/* ---- what a replay tells ---- */

static int64_t now(struct lane *l, uint64_t instruction, uint64_t time_us)
{
    int64_t time = hc_axis_place(l->c->axis, l->c->history, l->node, l->stretch, instruction, (int64_t)time_us * 1000);

    return time > l->last ? time : l->last;
}

static void add(struct lane *l, struct hc_stream_event event)
{
    struct hc_replay_place place;

    hc_replay_place(l->replay, &place);
    event.time = now(l, place.instruction, place.time_us);
    event.node = l->node;
    event.begin = l->last;
    l->last = event.time;
    if (hc_grow(&l->queue, l->count, &l->room, sizeof *l->queue))
        l->queue[l->count++] = event;
    else
        l->full = true;
}

static void on_frame(void *owner, const struct hc_radio_frame *frame)
{
    add(owner, (struct hc_stream_event){ .kind = HC_STREAM_FRAME, .frame = *frame });
}

static void on_strobe(void *owner, uint8_t command)
{
    static const enum hc_stream_radio states[] = {
        [1] = HC_RADIO_IDLE,     [3] = HC_RADIO_RECEIVE, [4] = HC_RADIO_TRANSMIT,
        [5] = HC_RADIO_TRANSMIT, [6] = HC_RADIO_IDLE,    [7] = HC_RADIO_OFF
    };

    if (command != 0 && command != 2 && command < sizeof states / sizeof *states)
        add(owner, (struct hc_stream_event){ .kind = HC_STREAM_RADIO, .state = states[command] });
}

static void on_event(void *owner, struct hc_replay *r, const struct hc_replay_event *event)
{
    struct lane *l = owner;
    struct hc_replay_interrupt last;

    if (event->kind == HC_REPLAY_READ)
        hc_radio_bus_answered(&l->bus, event->address, event->value);
    if (event->kind != HC_REPLAY_INTERRUPT)
        return;
    if (hc_replay_last_interrupts(r, &last, 1) == 1 && last.asleep)
        add(l, (struct hc_stream_event){ .kind = HC_STREAM_SLEEP });
    add(l, (struct hc_stream_event){ .kind = HC_STREAM_INTERRUPT, .vector = event->vector });
}

static void begin_task(struct lane *l, uint32_t address)
{
    struct hc_symbol function = { .name = NULL };

    hc_image_function_at(hc_replay_image(l->replay), address, &function);
    add(l, (struct hc_stream_event){ .kind = HC_STREAM_TASK_BEGIN, .task = function.name });
    l->task_runs = true;
}

/* The kernel is about to call the task that a register points to. */
static enum hc_action on_call_of_task(void *owner, struct hc_machine *m, uint32_t pc)
{
    struct lane *l = owner;
    struct hc_step step;

    hc_target_of_machine(m)->steps->decode(m, pc, &step);
    if (!l->task_runs)
        begin_task(l, hc_register(m, step.source.reg));
    return HC_CONTINUE;
}

/* Around the kernel's task_run, which may find no task to run. */
static enum hc_action on_task_run(void *owner, struct hc_machine *m, bool entering)
{
    struct lane *l = owner;

    (void)m;
    if (entering && !l->calls_seen)
        begin_task(l, 0);
    if (!entering && l->task_runs) {
        add(l, (struct hc_stream_event){ .kind = HC_STREAM_TASK_END });
        l->task_runs = false;
    }
    return HC_CONTINUE;
}

static void hook_tasks(struct lane *l)
{
    struct hc_machine *m = hc_replay_machine(l->replay);
    struct hc_symbol run;
    struct hc_step step;

    if (!hc_image_symbol(hc_replay_image(l->replay), "task_run", &run))
        return;
    for (uint32_t pc = run.address; pc<run.address + run.size; pc = step.next> pc ? step.next : pc + 2) {
        hc_target_of_machine(m)->steps->decode(m, pc, &step);
        if (step.kind != HC_STEP_CALL || step.source.mode != HC_STEP_REGISTER)
            continue;
        l->calls_seen = true;
        hc_hook_pc(m, pc, on_call_of_task, l);
    }
    hc_hook_call(m, run.address, on_task_run, l);
}

/* ---- lanes ---- */

static void open_lane(struct lane *l)
{
    const struct hc_network_history_node *node = &l->c->history->nodes[l->node];

    if (!l->c->replays || node->log < 0 || !node->stretch_count || node->region ||
        !l->c->open(l->c->owner, node->log, &l->replay))
        return;
    l->bus = (struct hc_radio_bus){ .call = on_frame, .strobe = on_strobe, .owner = l };
    hc_radio_bus_hook(&l->bus, hc_replay_machine(l->replay));
    hc_replay_listen(l->replay, on_event, l);
    hook_tasks(l);
    l->last = INT64_MIN;
}

static void close_lane(struct lane *l)
{
    if (l->replay)
        hc_replay_free(l->replay);
    l->replay = NULL;
}

/* The next stretch of the log, if there is one. */
static void end_stretch(struct lane *l)
{
    struct hc_replay_message message;
    int next = hc_replay_next_segment(l->replay);

    if (next < 0 || hc_replay_restart(l->replay, (size_t)next, true, &message)) {
        close_lane(l);
        return;
    }
    l->task_runs = false;
    if (l->stretch + 1 < l->c->history->nodes[l->node].stretch_count)
        l->stretch++;
}

/* Runs until an event is in the queue. */
static void refill(struct lane *l)
{
    struct hc_replay_place place;

    l->first = l->count = 0;
    while (l->replay && !l->count && !l->full) {
        hc_replay_place(l->replay, &place);
        if (hc_replay_run(l->replay, place.instruction + AHEAD) != HC_REPLAY_REACHED)
            end_stretch(l);
    }
}

/* ---- all of them ---- */

static int64_t time_of(const struct work *w, uint32_t lane)
{
    const struct lane *l = &w->lanes[lane];

    return l->queue[l->first].time;
}

static void sift_down(struct work *w, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < w->heaped; child++)
            if (time_of(w, w->heap[child]) < time_of(w, w->heap[least]))
                least = child;
        if (least == i)
            return;
        uint32_t swapped = w->heap[i];
        w->heap[i] = w->heap[least];
        w->heap[least] = swapped;
        i = least;
    }
}

/* Passes on messages that are earlier than the first event of the replays. */
static void tell_messages(struct work *w, size_t *next, int64_t until)
{
    const struct hc_network_history *h = w->c->history;

    for (; *next < h->event_count && w->c->axis->time[w->c->axis->order[*next]] <= until; ++*next) {
        uint32_t event = w->c->axis->order[*next], node = 0, high = (uint32_t)h->node_count;
        while (high - node > 1) { /* whose it is */
            uint32_t middle = node + (high - node) / 2;
            if (h->nodes[middle].first <= event)
                node = middle;
            else
                high = middle;
        }
        while (h->nodes[node].count == 0 || event < h->nodes[node].first)
            node--;
        w->c->tell(w->c->owner,
                   &(struct hc_stream_event){
                       .kind = HC_STREAM_MESSAGE, .time = w->c->axis->time[event], .node = node, .event = event });
    }
}

static bool merge(struct work *w)
{
    size_t message = 0;

    for (size_t i = w->heaped / 2; i-- > 0;)
        sift_down(w, i);
    while (w->heaped) {
        struct lane *l = &w->lanes[w->heap[0]];
        tell_messages(w, &message, l->queue[l->first].time);
        w->c->tell(w->c->owner, &l->queue[l->first]);
        if (++l->first == l->count)
            refill(l);
        if (l->full)
            return false;
        if (!l->count)
            w->heap[0] = w->heap[--w->heaped];
        sift_down(w, 0);
    }
    tell_messages(w, &message, INT64_MAX);
    return true;
}

int hc_stream_run(const struct hc_stream_config *config)
{
    size_t nodes = config->history->node_count;
    struct work w = { config, calloc(nodes + 1, sizeof *w.lanes), calloc(nodes + 1, sizeof *w.heap), 0 };
    bool well = w.lanes && w.heap;

    for (uint32_t i = 0; well && i < nodes; i++) {
        w.lanes[i] = (struct lane){ .c = config, .node = i };
        open_lane(&w.lanes[i]);
        refill(&w.lanes[i]);
        if (w.lanes[i].count)
            w.heap[w.heaped++] = i;
        well = !w.lanes[i].full;
    }
    well = well && merge(&w);
    for (uint32_t i = 0; w.lanes && i < nodes; i++) {
        close_lane(&w.lanes[i]);
        free(w.lanes[i].queue);
    }
    free(w.lanes);
    free(w.heap);
    return well ? 0 : HC_NETWORK_FULL;
}
