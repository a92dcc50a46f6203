/* What can be said over a UART, whichever it is. */
#include "kit.h"

void kit_put(const char *text)
{
    while (*text)
        kit_put_char(*text++);
}

void kit_put_unsigned(uint32_t value)
{
    char digits[10];
    uint8_t n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    while (n)
        kit_put_char(digits[--n]);
}

void kit_put_hex(uint16_t value)
{
    for (int8_t shift = 12; shift >= 0; shift = (int8_t)(shift - 4))
        kit_put_char("0123456789abcdef"[value >> shift & 15]);
}
