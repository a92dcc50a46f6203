/* A network of nodes that run one of firmware/apps, for tests: their radio links, what the base station (node 0)
 * prints, and their variables. Every function fails the running cmocka test instead of returning an error. */
#ifndef TESTS_FIELD_NETWORK_H
#define TESTS_FIELD_NETWORK_H

#include "field/world.h"
#include "image/image.h"

enum { NETWORK_LINE = 100, NETWORK_GOOD_LINK = -6000 /* hundredths of a dB */ };

struct network_line {
    hc_time at; /* when its last byte had left */
    char text[NETWORK_LINE];
};

struct network {
    struct hc_world *world;
    struct hc_image *image;
    int nodes;

    int lines, room;
    struct network_line *line;
    char partial[NETWORK_LINE];
    int partial_length;

    int cuts;
    struct network_cut {
        struct network *network;
        int a, b, gain;
    } cut[8];
};

/* Node ids are 0 to NODES - 1; all boot at time 0 and hear nobody. NAME is that of an image in the build's firmware
 * folder; with "-rec" or "-paper" in $NETWORK_VARIANT, the one that records. */
void network_start(struct network *n, const char *name, int nodes);
void network_stop(struct network *n);

/* Places all nodes in rows of COLUMNS, so far apart in both directions; they hear each other by the path-loss model. */
void network_grid(struct network *n, int columns, int millimetres);

/* Node A and B hear each other, equally well. */
void network_link(struct network *n, int a, int b);
/* All from FIRST to LAST do. */
void network_clique(struct network *n, int first, int last);
/* The link exists at first, and not from FROM to UNTIL. */
void network_cut(struct network *n, int a, int b, hc_time from, hc_time until);

void network_run(struct network *n, hc_time until);

/* LINE and a line feed to the base station's UART, 2 ms a character: a node that records is no match for 115200 baud.
 */
void network_type(struct network *n, const char *line);

/* Element INDEX of the array of words NAME (0 for a plain variable) of a node. */
uint16_t network_get(const struct network *n, int node, const char *name, int index);

/* The next line from *AT on that begins with PREFIX; NULL when there is none. *AT moves past it. */
const struct network_line *network_next(const struct network *n, const char *prefix, int *at);

#endif
