/* The page of a report: one self-contained file. Its parts page.html, page.css and page.js are compiled in; page.js
 * draws DATA (docs/report.md). */
#ifndef HC_REPORT_PAGE_H
#define HC_REPORT_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns false on out-of-memory. */
bool hc_report_page(FILE *out, const char *title, const json_t *data);

#endif
