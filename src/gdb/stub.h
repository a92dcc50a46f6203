/* The commands of the GDB remote serial protocol, for one connection: executes requests on a target and sends replies.
 */
#ifndef HC_GDB_STUB_H
#define HC_GDB_STUB_H

#include "gdb.h"
#include "reply.h"

struct hc_gdb_stub {
    struct hc_gdb_target *target;
    struct hc_gdb_poll poll; /* while the target runs */
    void (*send)(void *owner, const char *payload, size_t n);
    void *owner; /* of send */

    /* Agreed with the debugger. */
    bool no_ack;
    bool lldb, gdb;
    bool swbreak, hwbreak; /* it understands these words in a stop reply */
    enum hc_gdb_layout layout;
    bool layout_chosen; /* chosen by the user instead of guessed */

    struct hc_gdb_stop stop; /* the last one */
    bool silent;             /* the present request gets no reply */
    bool ended;
    enum hc_gdb_end end; /* when ended */
    struct hc_gdb_reply reply;
};

void hc_gdb_stub_init(struct hc_gdb_stub *s, struct hc_gdb_target *target, struct hc_gdb_poll poll,
                      void (*send)(void *owner, const char *payload, size_t n), void *owner);

/* Executes the request PAYLOAD (N bytes and a NUL) and sends its reply. A request that resumes the target returns when
 * the target has stopped again. Afterwards `ended` says whether the session has ended. */
void hc_gdb_stub_request(struct hc_gdb_stub *s, const char *payload, size_t n);

/* Answers a packet that was too long. */
void hc_gdb_stub_refuse(struct hc_gdb_stub *s);

/* Prints in the debugger's console. */
void hc_gdb_stub_console(struct hc_gdb_stub *s, const char *text);

/* Executes the monitor command LINE (monitor.c). Returns false if the name is unknown or an argument is wrong. */
bool hc_gdb_monitor(struct hc_gdb_stub *s, const char *line);

#endif
