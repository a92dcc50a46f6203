/* A serial port of this computer, raw, 8N1, locked against others (flock). */
#ifndef HC_FETCH_PORT_H
#define HC_FETCH_PORT_H

#include "message.h"

#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct hc_port {
    int fd; /* -1: not open */
    const char *path;
    struct termios before; /* the port's settings before, restored at the end */
};

/* PATH is kept. Fails, with what to do, if the port is missing, forbidden, in use, or not a serial port. */
enum hc_fetch_error hc_port_open(struct hc_port *port, const char *path, struct hc_fetch_message *message);
void hc_port_close(struct hc_port *port);

/* Discards what has arrived. */
enum hc_fetch_error hc_port_set_rate(struct hc_port *port, unsigned rate, struct hc_fetch_message *message);

enum hc_fetch_error hc_port_send(struct hc_port *port, const void *bytes, size_t count,
                                 struct hc_fetch_message *message);

/* Waits up to MS milliseconds for bytes, or until a signal arrives. *COUNT: how many arrived, or 0. */
enum hc_fetch_error hc_port_receive(struct hc_port *port, uint8_t *to, size_t room, int ms, size_t *count,
                                    struct hc_fetch_message *message);

#endif
