/* Text for a UART as people write it: \n, \r, \t, \\ and \xNN stand for bytes. */
#ifndef HC_FIELD_UART_TEXT_H
#define HC_FIELD_UART_TEXT_H

#include "message.h"

#include <stddef.h>
#include <stdint.h>

/* What waits for a UART at most. */
enum { HC_UART_TEXT_MOST = 256 };

/* The bytes that TEXT means, in OUT; returns how many, or a negative hc_refusal. */
int hc_uart_text(const char *text, uint8_t out[HC_UART_TEXT_MOST], struct hc_message *message);

#endif
