/* What a recorder would see of firmware without one: watched from outside, while it runs.
 *
 * Reads of registers that the program does not determine, by place in the source, and interrupts. What the instrumenter
 * proves away is told from the machine code: masks, polling loops and read-modify-writes. */
#ifndef BENCH_CAPTURE_H
#define BENCH_CAPTURE_H

#include "events.h"
#include "field/testbed.h"

struct bytes {
    uint8_t *at;
    size_t size, room;
};

struct capture {
    struct event *event;
    size_t events, event_room;
    struct event_site site[EVENT_SITES];
    int sites;

    /* Bits of reads. Interrupts take 36 bits each: vector, return address, loop count. */
    uint64_t bits_all;             /* of all registers */
    uint64_t bits_undetermined;    /* of those that the program does not determine: the paper's baseline */
    uint64_t bits_without_polling; /* and not in polling loops */
    uint64_t bits_masked;          /* and used */
    uint64_t bits_interrupts;

    struct bytes raw;     /* the baseline: one or two bytes a read, five an interrupt */
    struct bytes control; /* control flow alone: see capture.c */

    /* Of the capture itself. */
    struct hc_machine *machine;
    struct hc_image *image;
    struct place *place; /* by pc / 2 */
    uint32_t count_ordered, count_paper;
    bool has_base[2];
    uint16_t base[2];
    bool polling;
    uint8_t branch, branches; /* bits that make no byte of `control` yet */
};

/* Watches NODE of TESTBED from now on. */
void capture_begin(struct capture *c, struct hc_testbed *testbed, int node);
void capture_free(struct capture *c);

#endif
