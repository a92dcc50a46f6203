/* What the files of a network's session share. */
#ifndef HC_DEBUG_NETWORK_NETWORK_STATE_H
#define HC_DEBUG_NETWORK_NETWORK_STATE_H

#include "network.h"

enum { HC_NETWORK_LINE = 256 };

struct hc_network_node {
    struct hc_debugger *session; /* NULL: not opened yet */
    bool there;                  /* it is at the present */
};

struct hc_network_debugger {
    struct hc_network_config c;
    struct hc_network_node *nodes; /* as in the history */
    uint32_t current;              /* node */
    int64_t now;                   /* on the axis */
    uint32_t event;                /* at which the current node is; HC_NO_EVENT: none */
    char problem[600];
    char last[HC_NETWORK_LINE]; /* the command that an empty line repeats */
    volatile bool interrupted;
    bool colours;
    hc_debugger_progress_fn *tell; /* NULL: nobody wants to know */
    void *told;
};

/* ---- network.c ---- */

bool hc_network_fail(struct hc_network_debugger *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned hc_network_address(const struct hc_network_debugger *n, uint32_t node);
/* Finds a node by its address. Returns false with a problem. */
bool hc_network_find(struct hc_network_debugger *n, unsigned long address, uint32_t *node);
/* Prints the node and the time, before a place is shown. */
void hc_network_say_present(struct hc_network_debugger *n);

/* ---- cut.c: moments of nodes ---- */

/* Opens NODE if it is not open, and moves it to the present. Returns NULL with a problem. */
struct hc_debugger *hc_network_at_present(struct hc_network_debugger *n, uint32_t node);
/* The same without moving it. */
struct hc_debugger *hc_network_session(struct hc_network_debugger *n, uint32_t node);
/* The time on the axis at which NODE's session is. */
int64_t hc_network_time_of(struct hc_network_debugger *n, uint32_t node);
/* Makes NODE the current one, and its moment the present. */
void hc_network_take_present(struct hc_network_debugger *n, uint32_t node);
/* Moves the network to TIME on the axis. */
bool hc_network_go_to_time(struct hc_network_debugger *n, int64_t time);
/* Moves the network to an event, whose node becomes the current one. */
bool hc_network_go_to_event(struct hc_network_debugger *n, uint32_t event);
/* The last event of NODE at or before TIME; HC_NO_EVENT: there is none. */
uint32_t hc_network_last_event(const struct hc_network_debugger *n, uint32_t node, int64_t time);
/* The index of the node's stretch that starts with SEGMENT; -1: there is none. */
int hc_network_stretch(const struct hc_network_debugger *n, uint32_t node, uint32_t segment);

/* ---- run.c: until something stops any node ---- */

bool hc_network_continue(struct hc_network_debugger *n);
bool hc_network_reverse_continue(struct hc_network_debugger *n);

/* ---- messages.c ---- */

bool hc_network_goto(struct hc_network_debugger *n, const char *arguments, bool *mine);
bool hc_network_follow(struct hc_network_debugger *n, const char *arguments);
bool hc_network_list(struct hc_network_debugger *n, const char *arguments);
void hc_network_say_event(struct hc_network_debugger *n, uint32_t event);

/* ---- why.c ---- */

/* Prints which messages brought the inputs in the last answer of `why` for NODE. */
void hc_network_tell_origins(struct hc_network_debugger *n, uint32_t node);

/* ---- expression.c ---- */

/* Expands node(N).NAME in LINE. If LINE mentions one node, removes the prefix and sets *NODE to that node; if it
 * mentions several, replaces each by its value, with *NODE the current one; the same if it mentions none. Returns false
 * with a problem. */
bool hc_network_expand(struct hc_network_debugger *n, const char *line, char *out, size_t size, uint32_t *node);

#endif
