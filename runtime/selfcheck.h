/* The self-check: a sum of the program's state in each page, so that a replay can be compared with the node
 * (FORMAT.md). Each sum covers another window of memory; all of it is covered every few pages. */
#ifndef HC_SELFCHECK_H
#define HC_SELFCHECK_H

/* A segment starts, and the windows start again. */
void hc_selfcheck_start(void);

/* If the page has no self-check yet and all events are in pages: makes it, with interrupts disabled, for at most 1 ms
 * at 4 MHz. */
void hc_selfcheck(void);

#endif
