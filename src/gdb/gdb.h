/* Debugging over the GDB remote serial protocol: what a command needs to offer `--gdb PORT`.
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
    uint16_t port; /* 0: any that is free */

    /* Told (when not NULL) once debuggers can connect. The right place to print "gdb: listening on 127.0.0.1:PORT". */
    void (*listening)(void *owner, uint16_t port);
    void *owner;

    char error[160]; /* what went wrong when hc_gdb_serve returns a negative value */
};

enum hc_gdb_end {
    HC_GDB_FAILED = -1, /* cannot listen */
    HC_GDB_DETACHED,    /* the debugger let go: the target may run on without it */
    HC_GDB_KILLED,      /* the debugger wants it dead */
    HC_GDB_EXITED,      /* the target came to its end (of the time given to it) */
};

/* Serves one debugger after another until one of them detaches or kills the target, or the target ends. A debugger that
 * vanishes leaves the target where it was interrupted, for the next one to connect. Blocks; TARGET is stopped and
 * has no break- or watchpoints left when it returns. A signal that the process handles ends it (HC_GDB_KILLED) while it
 * waits for a debugger to connect or to say something. Needs about 100 KB while it runs. */
enum hc_gdb_end hc_gdb_serve(struct hc_gdb_server_config *config, struct hc_gdb_target *target);

/* M as a target; M stays the caller's and must outlive it. Its time is over at UNTIL (HC_NEVER: after 194 days).
 * hc_request_stop(M), from a signal handler say, stops it as the debugger's Ctrl-C does. NULL when memory is exhausted.
 */
struct hc_gdb_target *hc_gdb_machine_target_new(struct hc_machine *m, hc_time until);

void hc_gdb_target_free(struct hc_gdb_target *t);

#endif
