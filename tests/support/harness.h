/* What tests that run firmware share: a machine, an image built from tests/firmware/NAME.c, and its variables by name.
 *
 * Every function fails the running cmocka test, with a message that says what was wrong, instead of returning an error.
 * Firmware puts its findings into `result` (uint16_t unless said otherwise) and then sets `finished` to 0xD09E. */
#ifndef TESTS_SUPPORT_HARNESS_H
#define TESTS_SUPPORT_HARNESS_H

#include "image/image.h"
#include "machine/machine.h"

struct hc_telosb;

enum { HARNESS_FINISHED = 0xd09e };

struct harness {
    struct hc_machine *machine;
    struct hc_image *image;
    struct hc_telosb *board; /* NULL when the test brought a machine of its own */
};

/* A TelosB with tests/firmware/NAME.c in its flash, after power-on, not yet run. */
void harness_start(struct harness *h, const char *name);

/* The same in a machine of the caller's, which harness_stop will free. NAME is the name of a test firmware, or a path
 * when it has a slash. */
void harness_load(struct harness *h, struct hc_machine *m, const char *name);

/* Only puts the image into M's memory; the caller resets M and frees the image. */
struct hc_image *harness_fill(struct hc_machine *m, const char *name);

void harness_stop(struct harness *h);

/* Runs until the firmware writes HARNESS_FINISHED to `finished`; it must do so before emulated time LIMIT. */
void harness_finish(struct harness *h, hc_time limit);

/* Runs for SPAN more of emulated time; a fault fails the test. */
void harness_run(struct harness *h, hc_time span);

/* Runs until the instruction at SYMBOL is about to execute; it must be reached before emulated time LIMIT. */
void harness_run_to(struct harness *h, const char *symbol, hc_time limit);

/* ---- variables: element INDEX of the array NAME (0 for a plain variable) ---- */

uint32_t harness_address(const struct harness *h, const char *name);
uint8_t harness_get8(const struct harness *h, const char *name, int index);
uint16_t harness_get(const struct harness *h, const char *name, int index);
uint32_t harness_get32(const struct harness *h, const char *name, int index);
void harness_set(struct harness *h, const char *name, int index, uint16_t value);

#endif
