#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum hc_fetch_error hc_fetch_fail(struct hc_fetch_message *message, enum hc_fetch_error error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return error;
}

void hc_fetch_add(struct hc_fetch_message *message, const char *format, ...)
{
    size_t length = strlen(message->text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message->text + length, sizeof message->text - length, format, arguments);
    va_end(arguments);
}
