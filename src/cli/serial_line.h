/* The host's end of a node's UART: its output goes to stdout or is kept, its input comes from a file. */
#ifndef HC_CLI_SERIAL_LINE_H
#define HC_CLI_SERIAL_LINE_H

#include "machine/device/msp430x1xx/usart.h"

#include <stddef.h>

struct hc_progress;

/* The maximum that is kept; more is only counted. */
enum { HC_SERIAL_LINE_KEPT = 16 << 20 };

/* A UART of any kind. */
struct hc_uart_end {
    void *uart; /* NULL: there is no line */
    bool (*receive)(void *uart, uint16_t frame);
    void (*on_transmit)(void *uart, hc_usart_transmit_fn *call, void *owner);
    uint32_t (*rate)(void *uart); /* bits a second now; 0: none */
    int (*waiting)(void *uart);   /* frames to the node that have not arrived */
};

struct hc_serial_line {
    struct hc_uart_end end;
    bool keep;
    uint8_t *kept;
    size_t kept_size, kept_room;
    uint64_t sent; /* by the node */
    uint8_t last;
    uint8_t *input;
    size_t input_size, input_at;
    struct hc_progress *progress; /* cleared before the node's output; may be NULL */
};

/* Listens to END. KEEP: keep the output instead of printing it. A zeroed *LINE is not connected. */
void hc_serial_line_open(struct hc_serial_line *line, struct hc_uart_end end, bool keep);

/* The node's input, from power-on: the whole file, or stdin for "-". An event of M delivers it, so that it arrives at
 * the same emulated times however M is run. Returns 0 or an errno. */
int hc_serial_line_hear(struct hc_serial_line *line, struct hc_machine *m, const char *path);

void hc_serial_line_close(struct hc_serial_line *line);

#endif
