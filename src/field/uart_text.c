#include "uart_text.h"

#include <ctype.h>
#include <stdlib.h>

/* What is behind a backslash; returns how many characters it takes, 0 if it means nothing. */
static int escaped(const char *text, uint8_t *out)
{
    switch (*text) {
    case 'n':
        *out = '\n';
        return 1;
    case 'r':
        *out = '\r';
        return 1;
    case 't':
        *out = '\t';
        return 1;
    case '\\':
        *out = '\\';
        return 1;
    case 'x':
        if (!isxdigit((unsigned char)text[1]) || !isxdigit((unsigned char)text[2]))
            return 0;
        *out = (uint8_t)strtoul((char[]){ text[1], text[2], '\0' }, NULL, 16);
        return 3;
    default:
        return 0;
    }
}

int hc_uart_text(const char *text, uint8_t out[HC_UART_TEXT_MOST], struct hc_message *message)
{
    int size = 0, taken;

    for (; *text; text += taken) {
        if (size == HC_UART_TEXT_MOST)
            return hc_refuse(message, HC_REFUSED, "a text is longer than %d bytes: send it in pieces",
                             HC_UART_TEXT_MOST);
        out[size] = (uint8_t)*text;
        taken = 1;
        if (*text == '\\') {
            taken = escaped(text + 1, &out[size]);
            if (!taken)
                return hc_refuse(message, HC_REFUSED, "'%.4s' is none of \\n, \\r, \\t, \\\\ and \\xNN", text);
            taken++;
        }
        size++;
    }
    return size;
}
