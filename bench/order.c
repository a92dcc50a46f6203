/* bench-order [NODES MESSAGES [PAGE]]: how long it takes to put the messages of a network in order. The network is made
 * up: a grid of nodes, each with a clock of its own, over an hour; a tenth of all messages gets lost. With PAGE the
 * space-time diagram is written, too. */
#include "causality/diagram/diagram.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { NEIGHBOURS = 4, BROADCASTS = 20, LOSS = 10 /* in 100 */ };
#define HOUR (3600 * INT64_C(1000000000))

struct queue { /* of one node: what happens to it, in order of time */
    struct hc_traffic *events;
    size_t count, room;
};

struct network {
    uint32_t nodes, side, messages;
    uint64_t random;
    struct queue *queue;
    uint32_t *counter; /* by node and destination; the last is broadcast */
    int64_t *offset;   /* of clocks */
    double *drift;
};

static uint32_t draw(struct network *n, uint32_t below)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 7;
    n->random ^= n->random << 17;
    return (uint32_t)((n->random >> 20) % below);
}

static void must(bool well)
{
    if (!well) {
        fprintf(stderr, "bench-order: out of memory\n");
        exit(3);
    }
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void add(struct network *n, uint32_t node, int64_t time, struct hc_traffic event)
{
    struct queue *q = &n->queue[node];

    if (q->count == q->room) {
        q->room = q->room ? 2 * q->room : 256;
        q->events = realloc(q->events, q->room * sizeof *q->events);
        must(q->events);
    }
    event.time = (int64_t)((double)time * (1 + n->drift[node])) + n->offset[node];
    event.moment = (uint64_t)time / 1000;
    event.late_us = 500;
    q->events[q->count++] = event;
}

static bool find_neighbour(const struct network *n, uint32_t node, uint32_t which, uint32_t *out)
{
    static const int dx[] = { 1, -1, 0, 0 }, dy[] = { 0, 0, 1, -1 };
    int x = (int)(node % n->side) + dx[which], y = (int)(node / n->side) + dy[which];

    *out = (uint32_t)(y * (int)n->side + x);
    return x >= 0 && y >= 0 && x < (int)n->side && *out < n->nodes;
}

static void receive(struct network *n, uint32_t from, uint32_t to, int64_t time, uint32_t counter, bool broadcast,
                    uint16_t type)
{
    if (draw(n, 100) < LOSS)
        return;
    add(n, to, time + 3000000 + (int64_t)draw(n, 9000) * 1000,
        (struct hc_traffic){ .kind = HC_TRAFFIC_RECEIVE,
                             .partner = (uint16_t)from,
                             .broadcast = broadcast,
                             .type = type,
                             .counter = hc_numbering_number(&hc_numbering_recorder, counter) });
}

static void send(struct network *n, int64_t time)
{
    uint32_t from = draw(n, n->nodes), which = draw(n, NEIGHBOURS), to;
    bool broadcast = draw(n, 100) < BROADCASTS;
    uint16_t type = broadcast ? 0x71 : 0x72;

    while (!find_neighbour(n, from, which, &to))
        which = (which + 1) % NEIGHBOURS;
    uint32_t counter = n->counter[from * (NEIGHBOURS + 1) + (broadcast ? NEIGHBOURS : which)]++;
    add(n, from, time,
        (struct hc_traffic){ .kind = HC_TRAFFIC_SEND,
                             .partner = broadcast ? HC_BROADCAST : (uint16_t)to,
                             .broadcast = broadcast,
                             .type = type,
                             .counter = counter });
    if (!broadcast)
        receive(n, from, to, time, counter, false, type);
    for (which = 0; broadcast && which < NEIGHBOURS; which++)
        if (find_neighbour(n, from, which, &to))
            receive(n, from, to, time, counter, true, type);
}

static int by_time(const void *a, const void *b)
{
    const struct hc_traffic *x = a, *y = b;

    return (x->time > y->time) - (x->time < y->time);
}

static void make(struct network *n, struct hc_network_history *history)
{
    n->queue = calloc(n->nodes, sizeof *n->queue);
    n->counter = calloc(n->nodes * (NEIGHBOURS + 1), sizeof *n->counter);
    n->offset = calloc(n->nodes, sizeof *n->offset);
    n->drift = calloc(n->nodes, sizeof *n->drift);
    must(n->queue && n->counter && n->offset && n->drift);
    for (n->side = 1; n->side * n->side < n->nodes; n->side++)
        ;
    for (uint32_t i = 0; i < n->nodes; i++) {
        n->offset[i] = (int64_t)draw(n, 5000000) * 1000; /* up to 5 s */
        n->drift[i] = (draw(n, 800) - 400.0) / 1e7;      /* up to 40 ppm */
    }
    for (uint32_t i = 0; i < n->messages; i++)
        send(n, HOUR / n->messages * i);
    for (uint32_t i = 0; i < n->nodes; i++) {
        struct queue *q = &n->queue[i];
        qsort(q->events, q->count, sizeof *q->events, by_time);
        must(!hc_network_history_add_node(history, (uint16_t)i));
        for (size_t k = 0; k < q->count; k++)
            must(!hc_network_history_add(history, &q->events[k]));
        free(q->events);
    }
    free(n->queue);
    free(n->counter);
}

/* How far the axis is off: the differences between where it puts an event and when that happened. */
static void judge_axis(const struct network *n, const struct hc_network_history *h, const struct hc_pairing *p,
                       const struct hc_axis *axis)
{
    double low = 1e18, high = -1e18, spread = 0;

    for (uint32_t i = 0; i < h->event_count; i++) {
        uint32_t node = p->node_of[i];
        double happened = (double)(h->events[i].time - n->offset[node]) / (1 + n->drift[node]);
        uint32_t r = axis->reference;
        double off = (double)axis->time[i] - (happened * (1 + n->drift[r]) + (double)n->offset[r]);
        low = off < low ? off : low;
        high = off > high ? off : high;
        spread = axis->spread_us[i] != HC_SPREAD_UNKNOWN && axis->spread_us[i] > spread ? axis->spread_us[i] : spread;
    }
    printf("axis: at most %.3f ms off, said to be at most %.3f ms\n", (high > -low ? high : -low) / 1e6, spread / 1e3);
}

static int write_page(const char *path, const struct hc_network_history *h, const struct hc_pairing *p,
                      const struct hc_fates *f, const struct hc_axis *a)
{
    struct hc_diagram diagram = { "bench-order", NULL, h, p, f, a, NULL, NULL, NULL };
    FILE *out = fopen(path, "w");
    double start = now();

    diagram.run = "run";
    if (!out || hc_diagram_write(&diagram, out) || fclose(out)) {
        perror(path);
        return 3;
    }
    printf("page: %.2f s\n", now() - start);
    return 0;
}

int main(int argc, char **argv)
{
    struct network n = { .nodes = argc > 2 ? (uint32_t)atoi(argv[1]) : 1000,
                         .messages = argc > 2 ? (uint32_t)atoi(argv[2]) : 1000000,
                         .random = 0x9e3779b97f4a7c15u };
    struct hc_network_history history = { 0 };
    struct hc_pairing pairing;
    struct hc_fates fates;
    struct hc_axis axis;
    struct rusage before, after;

    make(&n, &history);
    getrusage(RUSAGE_SELF, &before);
    double start = now();
    must(!hc_pairing_make(&pairing, &history, &hc_pairing_default));
    double paired = now();
    must(!hc_fates_make(&fates, &history, &pairing, &hc_pairing_default));
    must(!hc_axis_make(&axis, &history, &pairing));
    double end = now();
    getrusage(RUSAGE_SELF, &after);
    judge_axis(&n, &history, &pairing, &axis);
    int code = argc > 3 ? write_page(argv[3], &history, &pairing, &fates, &axis) : 0;
    printf("order: %" PRIu32 " nodes, %" PRIu32
           " messages, %zu events: pairing %.2f s, fates and axis %.2f s, all %.2f s; "
           "%.0f bytes an event\n",
           n.nodes, n.messages, history.event_count, paired - start, end - paired, end - start,
           (double)after.ru_maxrss * 1024 / (double)history.event_count);
    hc_axis_free(&axis);
    hc_fates_free(&fates);
    hc_pairing_free(&pairing);
    hc_network_history_free(&history);
    free(n.offset);
    free(n.drift);
    return code;
}
