/* The UART to the host, on USART1, 115,200 baud 8N1, driven by interrupts.
 *
 * Text is gathered in a queue and sent while the CPU sleeps (LPM0 until the last byte has left). A line that does not
 * fit is dropped whole, and counted: readers see lines or nothing. */
#ifndef DRIVERS_UART_H
#define DRIVERS_UART_H

#include <stdbool.h>
#include <stdint.h>

enum { UART_QUEUE = 256, UART_LINE = 80 }; /* bytes that wait to be sent; longest line received */

void uart_init(void);

/* ---- lines out, from tasks: begin with any of these, end with uart_end (which adds the line feed) ---- */

void uart_text(const char *text);
void uart_unsigned(uint32_t value);
void uart_signed(int32_t value);
void uart_hex(uint16_t value); /* four digits */
bool uart_end(void);           /* false: the line was dropped */

/* The same in one call. */
bool uart_line(const char *text);

/* Raw bytes, all or none. */
bool uart_write(const void *bytes, uint16_t count);

/* ---- lines in: RECEIVED is called from a task, with the line feed taken off; valid during the call. Keeps SMCLK
 *      running. ---- */
void uart_listen(void (*received)(char *line));

/* Lines that found no room, in either direction. */
extern uint16_t uart_dropped;

#endif
