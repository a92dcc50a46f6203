/* Scans C text: blanks, comments, line markers, brackets. */
#ifndef HC_INSTRUMENT_UNIT_SCAN_H
#define HC_INSTRUMENT_UNIT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The start of the next token at or after AT (or SIZE), skipping blanks, comments and lines that start with #. */
uint32_t hc_scan_blank(const char *text, size_t size, uint32_t at);
/* Skips the token at AT: a word, a string, or one other character. */
uint32_t hc_scan_token(const char *text, size_t size, uint32_t at);
/* The place of the first MARK between AT and END that is in no bracket, string or comment; END if there is none. */
uint32_t hc_scan_find(const char *text, uint32_t at, uint32_t end, char mark);
/* Whether WORD, perhaps in __underscores__, occurs within an __attribute__((...)) between BEGIN and END. */
bool hc_scan_has_attribute(const char *text, uint32_t begin, uint32_t end, const char *word);

#endif
