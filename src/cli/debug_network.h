/* hindcast debug RUN: all nodes of a run in one session, or a server for gdb for each of them. */
#ifndef HC_CLI_DEBUG_NETWORK_H
#define HC_CLI_DEBUG_NETWORK_H

#include "open_timeline.h"
#include "run_directory.h"
#include "terminal.h"

/* GDB_PORT: of the first node, those of the others follow; 0: any free ones; negative: no server but a session. Returns
 * the exit code. */
int hc_debug_network(const char *run, struct hc_terminal_options *terminal, int gdb_port);

/* Serves gdb on PORT until it has had enough; returns the exit code. In debug.c. */
int hc_debug_serve(struct hc_opened_timeline *t, int port);

#endif
