/* The host's end of a node's UART: what it says goes to stdout or is kept, what it hears comes from a file. */
#ifndef HC_CLI_SERIAL_LINE_H
#define HC_CLI_SERIAL_LINE_H

#include "machine/device/msp430x1xx/usart.h"

#include <stddef.h>

/* What is kept at most; more is counted only. */
enum { HC_SERIAL_LINE_KEPT = 16 << 20 };

/* A UART of whatever kind. */
struct hc_uart_end {
    void *uart; /* NULL: there is no line */
    bool (*receive)(void *uart, uint16_t frame);
    void (*on_transmit)(void *uart, hc_usart_transmit_fn *call, void *owner);
    uint32_t (*rate)(void *uart); /* bits a second now; 0: none */
    int (*waiting)(void *uart);   /* frames towards the node that have not arrived */
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
};

/* Listens to END; KEEP the output instead of printing it. Zeroed, *LINE is a line that ends nowhere. */
void hc_serial_line_open(struct hc_serial_line *line, struct hc_uart_end end, bool keep);

/* What the node will hear, from power-on: the whole file, or stdin up to its end for "-". An event of M hands over what
 * the line takes, so that it arrives at the same emulated times however M is run. 0, or an errno. */
int hc_serial_line_hear(struct hc_serial_line *line, struct hc_machine *m, const char *path);

void hc_serial_line_close(struct hc_serial_line *line);

#endif
