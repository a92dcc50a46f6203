/* What is missing in a log, told by every command that replays it. */
#ifndef HC_CLI_DAMAGE_H
#define HC_CLI_DAMAGE_H

#include <stdbool.h>

struct hc_log;

/* Says on stderr what LOG lacks or contradicts, if it does; a page that was being written when the power failed is
 * nothing of that. SEGMENT: only what touches this one; -1: all. True if something was said. */
bool hc_tell_damage(const struct hc_log *log, int segment);

#endif
