/* What is known of nodes and images at a run's end, as JSON. NULL or incomplete objects only on out-of-memory. */
#ifndef HC_FIELD_NODE_JSON_H
#define HC_FIELD_NODE_JSON_H

#include "testbed.h"

#include <jansson.h>

/* A string, or null if it is not UTF-8. */
json_t *hc_text_json(const char *text);

/* [ { "path", "build_id": hexadecimal or null, "id_symbols": [ names ] } ] */
json_t *hc_images_json(const struct hc_testbed *testbed);

/* { "id", "image": index, "directory", "start", "on", "millijoules", "milliwatts", "fault": only of one that has one }
 */
json_t *hc_node_summary_json(const struct hc_testbed *testbed, int node);

/* The summary's members and all counters. */
json_t *hc_node_json(const struct hc_testbed *testbed, int node, bool hash);

#endif
