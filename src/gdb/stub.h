/* The commands of the GDB remote serial protocol, for one connection: requests in, replies out, a target driven. */
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
    bool layout_chosen; /* by the user, and no longer to be guessed */

    struct hc_gdb_stop stop; /* the last one */
    bool silent;             /* the request at hand gets no reply */
    bool ended;
    enum hc_gdb_end end; /* when ended */
    struct hc_gdb_reply reply;
};

void hc_gdb_stub_init(struct hc_gdb_stub *s, struct hc_gdb_target *target, struct hc_gdb_poll poll,
                      void (*send)(void *owner, const char *payload, size_t n), void *owner);

/* Does what PAYLOAD (N bytes and a NUL) asks for and sends what is to be said. One that resumes the target returns when
 * it has stopped again. After it, `ended` tells whether that was the last. */
void hc_gdb_stub_request(struct hc_gdb_stub *s, const char *payload, size_t n);

/* The answer to a packet that was too long to be kept. */
void hc_gdb_stub_refuse(struct hc_gdb_stub *s);

/* Prints in the debugger's console. */
void hc_gdb_stub_console(struct hc_gdb_stub *s, const char *text);

/* The monitor command LINE (monitor.c); false if there is none of that name or its arguments are wrong. */
bool hc_gdb_monitor(struct hc_gdb_stub *s, const char *line);

#endif
