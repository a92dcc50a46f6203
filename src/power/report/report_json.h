/* The report as a value: what is written as JSON, and what the page is made from. */
#ifndef HC_POWER_REPORT_JSON_H
#define HC_POWER_REPORT_JSON_H

#include "report.h"

#include <jansson.h>

enum { HC_REPORT_SCHEMA = 2 };

/* The caller's, to be given back by json_decref. */
json_t *hc_power_report_value(const struct hc_power_report *r);

/* What evaluate says of one trial. */
json_t *hc_power_effect_json(const struct hc_image *image, const struct hc_evaluated *e);

/* In a word, of one of its pairs: what evaluate found, "silent" or "not evaluated"; "harmless so far" where not each
 * occurrence was tried. */
const char *hc_report_verdict(const json_t *pair);

#endif
