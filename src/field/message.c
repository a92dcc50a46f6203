#include "message.h"

#include <stdarg.h>
#include <stdio.h>

int hc_refuse(struct hc_message *message, enum hc_refusal error, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return error;
}

int hc_no_memory(struct hc_message *message)
{
    return hc_refuse(message, HC_NO_MEMORY, "out of memory");
}
