/* Ctrl-C (and SIGTERM): ends what runs, cleanly. */
#ifndef HC_CLI_SIGNALS_H
#define HC_CLI_SIGNALS_H

#include <stdbool.h>

/* CALL(OWNER) is made from the signal's handler, once: the second Ctrl-C is not ours any more. NULL: nobody is called.
 */
void hc_signals_catch(void (*call)(void *owner), void *owner);

/* Whether one came since. */
bool hc_signalled(void);

#endif
