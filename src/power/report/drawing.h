/* Drawings of a report's page: inline SVG, coloured by the page's style. */
#ifndef HC_POWER_DRAWING_H
#define HC_POWER_DRAWING_H

#include "history.h"

#include <jansson.h>
#include <stdio.h>

/* The continuous run of REPORT (see report_json.h): its windows and checkpoints, and for each finding what would be
 * executed again and where power fails. */
void hc_drawing_of_run(FILE *out, const json_t *report, const struct hc_history *c);

/* The run on a capacitor: its voltage, when the node was on, checkpoints, failures. */
void hc_drawing_of_supply(FILE *out, const struct hc_history *c);

#endif
