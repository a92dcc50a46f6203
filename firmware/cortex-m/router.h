/* A small router. Beacons come over a serial line, byte by byte; who is heard often and is near the root becomes the
 * parent. The three files behind this header are the region of docs/cortex-m.md. */
#ifndef ROUTER_H
#define ROUTER_H

#include <stdbool.h>
#include <stdint.h>

enum { ROUTES = 8, NOBODY = 0xff, PAYLOAD = 16 };

/* ---- parser.c: frames 0x7e, length, payload, sum ---- */

/* Called by the interrupt of the serial line. Gives whole frames to `frame_received`. */
void parser_byte(uint8_t byte);
uint16_t parser_errors(void);
/* Somebody else's: main.c. */
void frame_received(const uint8_t *payload, uint8_t length);

/* ---- estimator.c: how much of what a neighbour sends arrives ---- */

struct link {
    uint8_t node, sequence;
    uint8_t heard, missed; /* since the last estimate */
    uint16_t quality;      /* 256: everything arrives */
};

void estimator_heard(struct link *link, uint8_t sequence);
/* Called by the timer's interrupt: a new estimate for every neighbour. */
void estimator_tick(void);

/* ---- routes.c: neighbours, and who of them is the parent ---- */

struct route {
    struct link link;
    uint16_t cost; /* of its own way to the root */
    bool used;
};

enum beacon { BEACON_NODE, BEACON_SEQUENCE, BEACON_COST_LOW, BEACON_COST_HIGH, BEACON_SIZE };

void routes_beacon(const uint8_t *beacon, uint8_t length);
struct link *routes_link(int i); /* NULL: that place is free */
/* The parent, or NOBODY. Tells `parent_changed`, which is somebody else's, when it is another one. */
uint8_t routes_choose(void);
void parent_changed(uint8_t from, uint8_t to);

#endif
