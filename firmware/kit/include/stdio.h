/* Of C's <stdio.h> what writes to standard output and to strings. There are no files, no scanf and no floats. */
#ifndef KIT_STDIO_H
#define KIT_STDIO_H

#include <stdarg.h>
#include <stddef.h>

#define EOF (-1)

/* Where all output goes, one character at a time: as given, kit_put_char, which wants a kit_uart_init before and waits
 * until the UART takes the character. A program may define its own. Returns C. */
int putchar(int c);
int puts(const char *text);

/* Conversions d i u x X o c s p %, with flags (- + space # 0), width and precision (* too), and hh h l ll j z t. Floats
 * (f e g a) come out as "(float)", %n as it is written: neither does more than take its argument. */
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int sprintf(char *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));
int vsprintf(char *to, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
int vsnprintf(char *to, size_t size, const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));

#endif
