/* The self-check: a sum of the program's state that each page carries, so that a replay can be compared with what the
 * node had (FORMAT.md). Each one looks at another window of memory: all of it is seen every few pages. */
#ifndef HC_SELFCHECK_H
#define HC_SELFCHECK_H

/* A segment begins: so do the windows. */
void hc_selfcheck_start(void);

/* If the page has none yet and all events are in pages: makes it, with interrupts off, for at most 1 ms at 4 MHz. */
void hc_selfcheck(void);

#endif
