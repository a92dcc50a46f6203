/* The page of a report: one file that needs nothing else. Its parts are page.html, page.css and page.js, compiled in;
 * it draws what DATA says (docs/report.md). */
#ifndef HC_REPORT_PAGE_H
#define HC_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* False when memory is exhausted. */
bool hc_report_page(FILE *out, const char *title, const json_t *data);

#endif
