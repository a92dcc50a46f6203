/* Profiles as JSON. Without energy if NANOJOULES, the energy of a cycle, is 0. */
#ifndef HC_PROFILE_SUMMARY_JSON_H
#define HC_PROFILE_SUMMARY_JSON_H

#include "summary.h"

#include <jansson.h>

json_t *hc_cost_json(struct hc_cost cost, double nanojoules);

/* The functions in descending order of cost, at most LIMIT of them (0: all). */
json_t *hc_summary_functions_json(const struct hc_summary *s, double nanojoules, uint64_t limit);
json_t *hc_summary_interrupts_json(const struct hc_summary *s, double nanojoules);
json_t *hc_summary_lines_json(const struct hc_summary *s, double nanojoules);

/* Contexts, [parent, name, instructions with callees, own instructions], the root first; the LIMIT most costly ones. */
json_t *hc_summary_tree_json(const struct hc_summary *s, size_t limit);

#endif
