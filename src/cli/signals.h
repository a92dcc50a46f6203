/* Ctrl-C (and SIGTERM): stops what runs, cleanly. */
#ifndef HC_CLI_SIGNALS_H
#define HC_CLI_SIGNALS_H

#include <stdbool.h>

/* Calls CALL(OWNER) from the signal handler, once: a second Ctrl-C has its default effect. NULL: nothing is called. */
void hc_signals_catch(void (*call)(void *owner), void *owner);

/* Whether a signal has arrived since. */
bool hc_signalled(void);

#endif
