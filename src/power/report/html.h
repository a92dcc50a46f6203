/* Text in a page or a drawing, whatever it holds. */
#ifndef HC_POWER_HTML_H
#define HC_POWER_HTML_H

#include <stdio.h>

/* Good between tags and within quotes, of HTML and of XML: what has a meaning there is escaped; control characters, and
 * bytes that are no UTF-8, become U+FFFD. */
void hc_html_text(FILE *out, const char *text);
/* The same of N characters at most, and "..." if there are more. */
void hc_html_text_short(FILE *out, const char *text, size_t n);

/* What the page's style calls a verdict: "bad", "ok", "quiet" (silent) or "open" (not evaluated). */
const char *hc_html_verdict_class(const char *verdict);

#endif
