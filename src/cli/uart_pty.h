/* A node's UART as a serial port of this computer: a pseudo-terminal, in real time.
 *
 * The rate that a program sets at that port matters: if it differs from the node's, bytes are garbled as on a real
 * line, in both directions (fetch/rate.h; each character by itself, so without gaps a real receiver would see something
 * else). Output of the node is lost while nobody has the port open. */
#ifndef HC_CLI_UART_PTY_H
#define HC_CLI_UART_PTY_H

#include "serial_line.h"

struct hc_uart_pty {
    struct hc_uart_end end;
    struct hc_machine *machine;
    int master;       /* -1: there is none */
    const char *link; /* or NULL */
    char name[64];    /* of the port */
    unsigned rate;    /* set by the port's user; 0: unknown */
    bool used;        /* somebody has it open */
    int64_t origin;   /* the host's time, in ns, at emulated time 0 */
};

/* In emulated time: how long the node may run before hc_uart_pty_pace must be called. */
#define HC_UART_PTY_PIECE (HC_SECOND / 1000)

/* LINK, if not NULL, becomes a symbolic link to the port; an existing one is replaced. Returns 0, or an errno and in
 * *WHAT what it concerns. */
int hc_uart_pty_open(struct hc_uart_pty *p, struct hc_uart_end end, struct hc_machine *m, const char *link,
                     const char **what);
void hc_uart_pty_close(struct hc_uart_pty *p);

/* Delivers what has arrived for the node, and waits until the host's clock has caught up with the node's. A host that
 * is late stays late. */
void hc_uart_pty_pace(struct hc_uart_pty *p);

#endif
