/* What `hindcast log --json` prints of one log. */
#ifndef HC_CLI_LOG_JSON_H
#define HC_CLI_LOG_JSON_H

#include "trace/log.h"

#include <jansson.h>

/* SEGMENT: only this one; -1: all. */
json_t *hc_log_json(const struct hc_log *log, int segment);

#endif
