#include "world.h"

#include "machine/cpu/msp430/decoded_code.h"
#include "workers.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct member {
    struct hc_telosb *board;
    bool on;
    enum hc_stop stop;
    hc_time next; /* when it wants to run */
    struct island *island;
    int place; /* in its heap */
};

/* Nodes that may hear each other: one clock. Islands run on clocks of their own, a stretch at a time. */
struct island {
    struct hc_world *world;
    int number; /* in the medium */
    int nodes;
    int *heap; /* nodes by the time at which they want to run */
    int *running;
    hc_time now, window_start, window_end;
    int stopped; /* the first node that did in this run, or -1 */
    bool halted; /* by a hook, in the window that ends now */
    struct hc_world_statistics statistics;
};

struct action {
    hc_time at;
    hc_world_fn *call;
    void *owner;
};

struct hc_world {
    struct hc_workers *workers;
    struct hc_code_store *code;
    struct hc_medium *medium;
    int nodes, room;
    struct member *member;
    int islands;
    struct island *island; /* room for one a node; their lists are parts of the next two */
    int *heap;
    int *running;
    bool one_at_a_time; /* islands: the nodes of each are shared among the threads */
    hc_time now;
    hc_time limit; /* of this stretch: nobody runs beyond it */
    int actions, actions_room;
    struct action *action; /* sorted, latest first */
    atomic_bool stop_requested;
    int stopped;
};

/* How long islands run apart. */
#define STRETCH HC_SECOND

/* Fewer in a window are not worth waking another thread for. */
enum { FEW_NODES = 8 };

struct hc_world *hc_world_new(const struct hc_world_config *config, int nodes)
{
    struct hc_world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    world->room = nodes;
    world->stopped = -1;
    world->member = calloc((size_t)nodes, sizeof *world->member);
    world->heap = calloc((size_t)nodes, sizeof *world->heap);
    world->running = calloc((size_t)nodes, sizeof *world->running);
    world->island = calloc((size_t)nodes, sizeof *world->island);
    world->code = hc_code_store_new();
    world->medium = hc_medium_new(&config->medium, nodes);
    world->workers = hc_workers_new(config->threads);
    if (!world->member || !world->heap || !world->running || !world->island || !world->code || !world->medium ||
        !world->workers) {
        hc_world_free(world);
        return NULL;
    }
    return world;
}

void hc_world_free(struct hc_world *world)
{
    if (!world)
        return;
    hc_workers_free(world->workers);
    for (int i = 0; i < world->nodes; i++)
        hc_telosb_free(world->member[i].board);
    hc_medium_free(world->medium);
    hc_code_store_free(world->code);
    free(world->action);
    free(world->member);
    free(world->heap);
    free(world->running);
    free(world->island);
    free(world);
}

struct hc_code_store *hc_world_code(struct hc_world *world)
{
    return world->code;
}

int hc_world_nodes(const struct hc_world *world)
{
    return world->nodes;
}

struct hc_telosb *hc_world_board(struct hc_world *world, int node)
{
    return world->member[node].board;
}

struct hc_medium *hc_world_medium(struct hc_world *world)
{
    return world->medium;
}

hc_time hc_world_now(const struct hc_world *world)
{
    return world->now;
}

void hc_world_statistics(const struct hc_world *world, struct hc_world_statistics *out)
{
    *out = (struct hc_world_statistics){ 0 };
    for (int i = 0; i < world->nodes; i++) {
        out->windows += world->island[i].statistics.windows;
        out->node_runs += world->island[i].statistics.node_runs;
    }
}

/* ---- who runs next: a heap of nodes ---- */

static bool earlier(const struct hc_world *world, int a, int b)
{
    hc_time x = world->member[a].next;
    hc_time y = world->member[b].next;
    return x < y || (x == y && a < b);
}

static void put(struct island *island, int place, int node)
{
    island->heap[place] = node;
    island->world->member[node].place = place;
}

static void sift(struct island *island, int place)
{
    const struct hc_world *world = island->world;
    int node = island->heap[place];
    while (place > 0 && earlier(world, node, island->heap[(place - 1) / 2])) {
        put(island, place, island->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        int child = 2 * place + 1;
        if (child >= island->nodes)
            break;
        if (child + 1 < island->nodes && earlier(world, island->heap[child + 1], island->heap[child]))
            child++;
        if (!earlier(world, island->heap[child], node))
            break;
        put(island, place, island->heap[child]);
        place = child;
    }
    put(island, place, node);
}

static void reschedule(void *owner, int node)
{
    struct hc_world *world = owner;
    struct member *m = &world->member[node];
    m->next = m->on ? hc_machine_next(m->board->machine) : HC_NEVER;
    if (m->island)
        sift(m->island, m->place);
}

/* ---- islands ---- */

/* A big one would keep one thread busy while the others wait. */
static bool one_has_most(const struct hc_world *world)
{
    for (int i = 0; i < world->islands; i++)
        if (2 * world->island[i].nodes > world->nodes)
            return true;
    return false;
}

/* All nodes have come to the world's time. */
static void make_islands(struct hc_world *world)
{
    for (int i = 0; i < world->nodes; i++)
        world->member[i].island = NULL; /* no heap to keep in order meanwhile */
    world->islands = hc_medium_islands(world->medium);
    int used = 0;
    for (int i = 0; i < world->islands; i++) {
        struct island *island = &world->island[i];
        *island = (struct island){ .world = world,
                                   .number = i,
                                   .heap = world->heap + used,
                                   .running = world->running + used,
                                   .now = world->now,
                                   .stopped = -1,
                                   .statistics = island->statistics };
        for (int node = 0; node < world->nodes; node++)
            if (hc_medium_island(world->medium, node) == i) {
                put(island, island->nodes++, node);
                sift(island, island->nodes - 1);
            }
        used += island->nodes;
    }
    for (int i = 0; i < world->nodes; i++)
        world->member[i].island = &world->island[hc_medium_island(world->medium, i)];
    world->one_at_a_time = one_has_most(world);
}

/* ---- power ---- */

static void start_node(void *owner, struct hc_world *world, hc_time at)
{
    (void)at;
    hc_world_power_on(world, (int)(intptr_t)owner);
}

int hc_world_add(struct hc_world *world, struct hc_telosb *board, hc_time start)
{
    assert(world->nodes < world->room);
    int node = world->nodes++;
    world->member[node] = (struct member){ .board = board, .next = HC_NEVER };
    hc_medium_attach(world->medium, node, board->machine, board->radio);
    hc_world_at(world, start, start_node, (void *)(intptr_t)node);
    return node;
}

void hc_world_power_off(struct hc_world *world, int node)
{
    struct member *m = &world->member[node];
    if (!m->on)
        return;
    m->on = false;
    hc_machine_power_off(m->board->machine, (uint64_t)node + world->now);
    hc_medium_publish(world->medium, node, reschedule, world);
    reschedule(world, node);
}

void hc_world_power_on(struct hc_world *world, int node)
{
    struct member *m = &world->member[node];
    if (m->on)
        return;
    /* Also after a fault, which leaves a machine with its supply, and before the first start. */
    hc_machine_power_off(m->board->machine, (uint64_t)node + world->now);
    hc_machine_run(m->board->machine, world->now);
    hc_machine_reset(m->board->machine, HC_POR);
    m->on = true;
    reschedule(world, node);
}

void hc_world_reboot(struct hc_world *world, int node)
{
    hc_world_power_off(world, node);
    hc_world_power_on(world, node);
}

bool hc_world_is_on(const struct hc_world *world, int node)
{
    return world->member[node].on;
}

/* ---- actions ---- */

void hc_world_at(struct hc_world *world, hc_time at, hc_world_fn *call, void *owner)
{
    if (world->actions == world->actions_room) {
        world->actions_room = world->actions_room ? 2 * world->actions_room : 16;
        world->action = realloc(world->action, (size_t)world->actions_room * sizeof *world->action);
        if (!world->action)
            abort();
    }
    int place = world->actions++;
    while (place > 0 && world->action[place - 1].at <= at) {
        world->action[place] = world->action[place - 1];
        place--;
    }
    world->action[place] = (struct action){ at, call, owner };
}

static hc_time next_action(const struct hc_world *world)
{
    return world->actions ? world->action[world->actions - 1].at : HC_NEVER;
}

static void bring_all_to(struct hc_world *world, hc_time t)
{
    for (int i = 0; i < world->nodes; i++)
        if (world->member[i].on && hc_now(world->member[i].board->machine) < t)
            hc_machine_run(world->member[i].board->machine, t); /* asleep until then: nothing happens */
}

/* Whoever was let at the machines may have pressed a button or sent a byte: they may want to run earlier. */
static void reschedule_all(struct hc_world *world)
{
    for (int i = 0; i < world->nodes; i++)
        reschedule(world, i);
}

static void act(struct hc_world *world)
{
    bring_all_to(world, world->now);
    while (next_action(world) <= world->now) {
        struct action action = world->action[--world->actions];
        action.call(action.owner, world, action.at);
    }
    reschedule_all(world);
}

/* ---- running ---- */

static hc_time least(hc_time a, hc_time b)
{
    return a < b ? a : b;
}

static void run_node(void *owner, int job)
{
    struct island *island = owner;
    struct hc_world *world = island->world;
    int node = island->running[job];
    struct member *m = &world->member[node];
    hc_time reach = island->window_start + hc_medium_reach(world->medium, node);
    m->stop = hc_machine_run(m->board->machine, least(reach, world->limit));
}

/* All nodes that want to run before the window's end, in order of index. */
static int collect(struct island *island)
{
    struct member *member = island->world->member;
    int n = 0;
    while (member[island->heap[0]].next < island->window_end) {
        int node = island->heap[0];
        int place = n++;
        for (; place > 0 && island->running[place - 1] > node; place--)
            island->running[place] = island->running[place - 1];
        island->running[place] = node;
        member[node].next = HC_NEVER;
        sift(island, 0);
    }
    return n;
}

static void run_window(struct island *island)
{
    struct hc_world *world = island->world;
    int n = collect(island);
    if (world->one_at_a_time && n >= FEW_NODES)
        hc_workers_do(world->workers, n, run_node, island);
    else
        for (int i = 0; i < n; i++)
            run_node(island, i);
    for (int i = 0; i < n; i++) {
        int node = island->running[i];
        struct member *m = &world->member[node];
        hc_medium_publish(world->medium, node, reschedule, world);
        if (m->stop != HC_STOP_TIME && island->stopped < 0)
            island->stopped = node;
        island->halted |= m->stop != HC_STOP_TIME && m->stop != HC_STOP_FAULT;
        if (m->stop == HC_STOP_FAULT) { /* the others go on without it */
            m->on = false;
            hc_medium_silence(world->medium, node, island->window_end, reschedule, world);
        }
        reschedule(world, node);
    }
    island->statistics.windows++;
    island->statistics.node_runs += (uint64_t)n;
    island->now = island->window_end;
}

/* To the stretch's end, or to that of the window in which a hook stopped a node or the user asked to stop. */
static void run_island(void *owner, int number)
{
    struct hc_world *world = owner;
    struct island *island = &world->island[number];
    if (!island->nodes)
        island->now = world->limit;
    while (island->now < world->limit && !island->halted &&
           !atomic_load_explicit(&world->stop_requested, memory_order_relaxed)) {
        hc_time first = world->member[island->heap[0]].next;
        hc_time start = first > island->now ? first : island->now;
        if (start >= world->limit) { /* nobody does anything before */
            island->now = world->limit;
            break;
        }
        island->window_start = start;
        island->window_end = least(start + hc_medium_window(world->medium, number), world->limit);
        run_window(island);
    }
}

static void run_stretch(struct hc_world *world)
{
    if (world->one_at_a_time)
        for (int i = 0; i < world->islands; i++)
            run_island(world, i);
    else
        hc_workers_do(world->workers, world->islands, run_island, world);
    world->now = world->limit;
    for (int i = 0; i < world->islands; i++) {
        const struct island *island = &world->island[i];
        world->now = least(world->now, island->now);
        if (island->stopped >= 0 && (world->stopped < 0 || island->stopped < world->stopped))
            world->stopped = island->stopped;
    }
    hc_medium_deliver(world->medium);
}

enum hc_world_stop hc_world_run(struct hc_world *world, hc_time until)
{
    world->stopped = -1;
    for (int i = 0; i < world->islands; i++) {
        world->island[i].stopped = -1;
        world->island[i].halted = false;
    }
    reschedule_all(world);
    while (world->now < until) {
        if (next_action(world) <= world->now)
            act(world);
        if (atomic_exchange(&world->stop_requested, false))
            break;
        if (hc_medium_settle(world->medium, reschedule, world))
            make_islands(world);
        world->limit = least(least(until, next_action(world)), world->now + STRETCH);
        run_stretch(world);
        if (world->stopped >= 0)
            break;
    }
    bring_all_to(world, world->now);
    if (world->stopped >= 0)
        return HC_WORLD_NODE;
    return world->now < until ? HC_WORLD_REQUEST : HC_WORLD_TIME;
}

int hc_world_stopped(const struct hc_world *world, enum hc_stop *why)
{
    if (world->stopped >= 0)
        *why = world->member[world->stopped].stop;
    return world->stopped;
}

void hc_world_request_stop(struct hc_world *world)
{
    atomic_store(&world->stop_requested, true);
}
