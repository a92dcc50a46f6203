/* A world: many TelosB nodes on one clock and one radio channel.
 *
 * Time advances in windows. Within a window no node can affect another, because radios announce transmissions ahead of
 * time (medium.h); so nodes run in any order, on any number of threads. Between windows the announcements are
 * published. A node that hears none of the transmitting nodes may run past the window's end; one that sleeps through it
 * is skipped. Nodes that cannot hear each other even indirectly (islands) have windows of their own: each island runs
 * for up to a second alone, so that its nodes stay in the cache and threads do not wait for each other. A run is
 * determined by its nodes, their images and the seed. */
#ifndef HC_FIELD_WORLD_H
#define HC_FIELD_WORLD_H

#include "machine/board/telosb.h"
#include "medium.h"

struct hc_world;

struct hc_world_config {
    struct hc_medium_config medium;
    int threads; /* 1: everything on the caller's */
};

/* For at most NODES nodes. Returns NULL on out-of-memory, or if threads cannot be created. */
struct hc_world *hc_world_new(const struct hc_world_config *config, int nodes);
/* Frees the boards too. */
void hc_world_free(struct hc_world *world);

/* Decoded code shared by all nodes: pass it to hc_telosb_new. */
struct hc_code_store *hc_world_code(struct hc_world *world);

/* Takes BOARD, loaded but not yet reset, which powers up at START. Returns its index: 0, 1 ... */
int hc_world_add(struct hc_world *world, struct hc_telosb *board, hc_time start);
int hc_world_nodes(const struct hc_world *world);
struct hc_telosb *hc_world_board(struct hc_world *world, int node);
struct hc_medium *hc_world_medium(struct hc_world *world);

/* CALL is made at AT, between two windows, when all nodes have come there: to cut a link, press a button, reboot;
 * machines and medium may be changed then and between runs, never during one. Those of equal time in the order of their
 * making. Not before now. May be called from within such a call. */
typedef void hc_world_fn(void *owner, struct hc_world *world, hc_time at);
void hc_world_at(struct hc_world *world, hc_time at, hc_world_fn *call, void *owner);

/* From within such a call, or between runs. */
void hc_world_power_off(struct hc_world *world, int node);
void hc_world_power_on(struct hc_world *world, int node);
void hc_world_reboot(struct hc_world *world, int node);
bool hc_world_is_on(const struct hc_world *world, int node);

enum hc_world_stop {
    HC_WORLD_TIME,    /* the time asked for has come */
    HC_WORLD_REQUEST, /* hc_world_request_stop */
    HC_WORLD_NODE,    /* a node stopped: by a fault or a hook; see hc_world_stopped */
};

/* All nodes are at the same time when it returns: UNTIL, or up to a second after something stopped; only those who may
 * hear a node that was stopped by a hook stay with it, and catch up in the next run. A node that faulted is off from
 * then on. */
enum hc_world_stop hc_world_run(struct hc_world *world, hc_time until);
hc_time hc_world_now(const struct hc_world *world);
/* The first node (by index) that stopped in the last run, and why; -1 if none did. */
int hc_world_stopped(const struct hc_world *world, enum hc_stop *why);

/* From another thread or a signal handler: ends a run after the second under way. */
void hc_world_request_stop(struct hc_world *world);

struct hc_world_statistics {
    uint64_t windows;
    uint64_t node_runs; /* a node in a window */
};
void hc_world_statistics(const struct hc_world *world, struct hc_world_statistics *out);

#endif
