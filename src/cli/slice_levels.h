/* Recording by level: which functions `hindcast cc --record=slice` records, and which level `hindcast slice --next`
 * proposes after a replay. */
#ifndef HC_CLI_SLICE_LEVELS_H
#define HC_CLI_SLICE_LEVELS_H

#include "instrument/command/settings.h"
#include "slice_view.h"

/* For hc_settings.choose. */
hc_choose_fn hc_slice_choose;

struct hc_slice_next {
    const char *program, *log;
    const char *asked; /* the invariant */
    int level;         /* that was recorded */
    const char *paths; /* the file of error-hiding paths that it was recorded with; NULL: none */
    const char *out;   /* where those for the next level go; NULL: nowhere */
};

/* Replays the log and prints what to record next. Returns an exit code: HC_EXIT_FOUND if nothing was violated. */
int hc_slice_next(const struct hc_slice_view *v, const struct hc_slice_next *request);

#endif
