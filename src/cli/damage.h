/* Warnings about damage in a log, printed by every command that replays it. */
#ifndef HC_CLI_DAMAGE_H
#define HC_CLI_DAMAGE_H

#include <stdbool.h>

struct hc_log;
struct hc_message_buffer;

/* Reports pages of LOG that are missing or contradict each other. A page that was being written when the power failed
 * is not reported. SEGMENT: report only damage that affects this segment; -1: all. Messages go to TO, or to stderr if
 * TO is NULL. Returns whether there was any damage. */
bool hc_tell_damage(const struct hc_log *log, int segment, struct hc_message_buffer *to);

#endif
