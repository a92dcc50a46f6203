/* How far a command is and how long it will still take: on stderr, if that is a terminal, after two seconds. */
#ifndef HC_CLI_PROGRESS_H
#define HC_CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct hc_progress {
    bool on;    /* stderr is a terminal */
    bool shown; /* something is on the line now */
    struct timespec begun, told;
    struct timespec counted; /* since then the rest is estimated: */
    double first, last;      /* what was done then, and when it was told last */
};

/* Counts time from now. */
void hc_progress_begin(struct hc_progress *p);

/* PART of the work is done, from 0 to 1; negative: that cannot be said. Less than before: another kind of work begins.
 * FORMAT tells more, or is NULL. Cheap: shows something five times a second. */
void hc_progress_tell(struct hc_progress *p, double part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the line away, for other output; it may come again. */
void hc_progress_clear(struct hc_progress *p);

#endif
