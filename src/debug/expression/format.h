/* Formats values for people. */
#ifndef HC_DEBUG_EXPRESSION_FORMAT_H
#define HC_DEBUG_EXPRESSION_FORMAT_H

#include "value.h"

#include <stdio.h>

/* How numbers are shown; 0: according to their type. */
#define HC_FORMATS "xduobtcas"
/* x hexadecimal, d with sign, u without, o octal, b and t binary, c character, a address, s text */

/* Writes V, without a newline. A part that cannot be read is shown as <there is no memory at 0x0a00> or similar. */
void hc_format_value(FILE *out, const struct hc_context *c, const struct hc_value *v, char format);

/* " <main+0x12>", or nothing. */
void hc_format_symbol(FILE *out, struct hc_image *image, uint32_t address);

/* The definition of TYPE ("struct reading { uint16_t sensor; ... }" over several lines), with a newline. */
void hc_format_type(FILE *out, const struct hc_type *type);

/* Like hc_format_value, into OUT, truncated if necessary; returns OUT. */
const char *hc_format_text(const struct hc_context *c, const struct hc_value *v, char format, char *out, size_t size);

/* The text at ADDRESS, quoted, up to its zero or truncated after some hundred characters; returns its size in bytes,
 * including the zero. */
uint32_t hc_format_text_at(FILE *out, const struct hc_context *c, uint32_t address);

#endif
