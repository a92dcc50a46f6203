/* Debugging over the GDB remote serial protocol: for commands with `--gdb PORT`.
 *
 *     gdb.h       this
 *     server.c    a socket on 127.0.0.1, one debugger at a time; Ctrl-C while the target runs
 *     packet.[ch] framing: checksums, escapes, run lengths, acknowledgements
 *     stub.[ch]   the commands of the protocol
 *     target.h    what is debugged: a table of operations
 *     machine_target.c  a live machine as a target */
#ifndef HC_GDB_GDB_H
#define HC_GDB_GDB_H

#include "machine/time.h"
#include "target.h"

struct hc_machine;

struct hc_gdb_server_config {
    uint16_t port; /* 0: any free port */

    /* Called, if not NULL, when debuggers can connect: to print "gdb: listening on 127.0.0.1:PORT". */
    void (*listening)(void *owner, uint16_t port);
    void *owner;

    char error[160]; /* the reason when hc_gdb_serve returns a negative value */
};

enum hc_gdb_end {
    HC_GDB_FAILED = -1, /* cannot listen */
    HC_GDB_DETACHED,    /* the debugger detached: the target may continue without it */
    HC_GDB_KILLED,      /* the debugger killed the target */
    HC_GDB_EXITED,      /* the target ended, or its time was over */
};

/* Serves one debugger after another until one of them detaches or kills the target, or the target ends. If a debugger
 * disconnects without either, the target stays where it is for the next one. Blocks. On return TARGET is stopped and
 * has no break- or watchpoints. A signal that the process handles ends it (HC_GDB_KILLED) while it waits for a debugger
 * or its next request. Uses about 100 KB while it runs. */
enum hc_gdb_end hc_gdb_serve(struct hc_gdb_server_config *config, struct hc_gdb_target *target);

/* Makes a target of M, which remains the caller's and must outlive it. The target ends at UNTIL (HC_NEVER: after 194
 * days). hc_request_stop(M), for example from a signal handler, stops it like the debugger's Ctrl-C. Returns NULL on
 * out-of-memory. */
struct hc_gdb_target *hc_gdb_machine_target_new(struct hc_machine *m, hc_time until);

void hc_gdb_target_free(struct hc_gdb_target *t);

#endif
