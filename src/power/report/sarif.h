/* The findings as SARIF 2.1.0, which continuous integration reads, and what is new in them since a baseline.
 *
 * A finding is known again by what it is, not where: its kind, its variable, the functions and the text of the lines at
 * both places. Addresses, line numbers and distances do not count; several that are alike are one result. What was
 * tried and came to nothing is no result, but known to later runs that do not try it (the run's property "harmless").
 */
#ifndef HC_POWER_SARIF_H
#define HC_POWER_SARIF_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* The log of REPORT, as hc_power_report_value made it; to be given back by json_decref. BASELINE: an earlier log, from
 * anywhere, or NULL: then no result says whether it is new. Results of the baseline that are there no more are listed
 * as absent. *NEW: how many are not in the baseline; all of them without one. */
json_t *hc_power_sarif(const json_t *report, const json_t *baseline, size_t *new_results);

/* Is it a log with results of this program's, or with none at all? */
bool hc_power_sarif_is_baseline(const json_t *log);

#endif
