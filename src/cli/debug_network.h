/* hindcast debug RUN: all nodes of a run in one session, or a server for gdb for each of them. */
#ifndef HC_CLI_DEBUG_NETWORK_H
#define HC_CLI_DEBUG_NETWORK_H

#include "network.h"
#include "open_timeline.h"
#include "terminal.h"

/* GDB_PORT: the port for the first node; the others get the ports after it. 0: any free ports. Negative: a session
 * instead of servers. Returns the exit code. */
int hc_debug_network(const char *run, const struct hc_network_options *options, struct hc_terminal_options *terminal,
                     int gdb_port);

/* Serves gdb on PORT until it detaches; returns the exit code. In debug.c. */
int hc_debug_serve(struct hc_opened_timeline *t, int port);

#endif
