/* A region that is entered while it runs: by interrupts, by what it calls, by itself. inside.c is the region. */
#ifndef TESTS_REGION_REENTRY_H
#define TESTS_REGION_REENTRY_H

#include <stdint.h>

typedef unsigned operation(unsigned value);

/* ---- inside ---- */
unsigned sum_to(unsigned n);                     /* calls itself */
unsigned apply(operation *call, unsigned value); /* calls through a pointer, to the outside or to the inside */
unsigned twice(unsigned value);
void arrived(unsigned number); /* called by a handler */

/* ---- outside ---- */
unsigned leaf(unsigned *local);  /* writes a local of the region */
void notify(unsigned count);     /* comes back in */
extern volatile unsigned shared; /* which a handler changes */

#endif
