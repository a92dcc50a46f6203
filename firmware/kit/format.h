/* What all of printf's family stand on. */
#ifndef KIT_FORMAT_H
#define KIT_FORMAT_H

#include <stdarg.h>

/* Writes the text, a character at a time, through PUT, which gets TO. Returns their number, or -1 if an int cannot hold
 * it. */
int kit_format(void (*put)(void *to, char c), void *to, const char *format, va_list arguments);

#endif
