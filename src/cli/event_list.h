/* The list of events that `hindcast replay --events` writes (FORMAT.md, "The list of events"). */
#ifndef HC_CLI_EVENT_LIST_H
#define HC_CLI_EVENT_LIST_H

#include "replay/replay.h"

struct hc_event_list;

/* Writes to PATH what R takes from its log from now on. NULL, and a complaint, if PATH cannot be written. */
struct hc_event_list *hc_event_list_open(const char *path, struct hc_replay *r);
/* False, and a complaint, if not all of it could be written. */
bool hc_event_list_close(struct hc_event_list *list);

#endif
