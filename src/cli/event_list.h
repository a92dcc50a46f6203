/* The list of events that `hindcast replay --events` writes (FORMAT.md, "The list of events"). */
#ifndef HC_CLI_EVENT_LIST_H
#define HC_CLI_EVENT_LIST_H

#include "replay/replay.h"

struct hc_event_list;

/* Writes every event that R takes from its log from now on to PATH. Returns NULL, after a message, if PATH is not
 * writable. */
struct hc_event_list *hc_event_list_open(const char *path, struct hc_replay *r);
/* Returns false, after a message, if not all of it could be written. */
bool hc_event_list_close(struct hc_event_list *list);

#endif
