/* Progress of a command and the remaining time: on stderr, if that is a terminal, after two seconds. */
#ifndef HC_CLI_PROGRESS_H
#define HC_CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct hc_progress {
    bool on;    /* stderr is a terminal */
    bool shown; /* the line is visible now */
    bool held;  /* the line belongs to other output */
    struct timespec begun, told;
    struct timespec counted; /* the remaining time is estimated from the speed since then: */
    double first, last;      /* the part done at that time, and at the last call */
};

/* Counts time from now. */
void hc_progress_begin(struct hc_progress *p);

/* Reports that PART of the work is done, from 0 to 1; negative: unknown. A smaller PART than before starts another kind
 * of work. FORMAT adds text; it may be NULL. Cheap: updates the line at most five times a second. */
void hc_progress_tell(struct hc_progress *p, double part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Removes the line, to make room for other output. The next report shows it again. */
void hc_progress_clear(struct hc_progress *p);
/* The same. HELD: the other output is in the middle of its own line: show nothing until this is called with false. */
void hc_progress_hold(struct hc_progress *p, bool held);

#endif
