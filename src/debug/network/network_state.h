/* What the files of a network's session share. */
#ifndef HC_DEBUG_NETWORK_NETWORK_STATE_H
#define HC_DEBUG_NETWORK_NETWORK_STATE_H

#include "network.h"

enum { HC_NETWORK_LINE = 256 };

struct hc_network_node {
    struct hc_debugger *session; /* NULL: not opened yet */
    bool there;                  /* it stands at the present */
};

struct hc_network_debugger {
    struct hc_network_config c;
    struct hc_network_node *nodes; /* as in the history */
    uint32_t current;              /* node */
    int64_t now;                   /* on the axis */
    uint32_t event;                /* at which the current node stands; HC_NO_EVENT: none */
    char problem[600];
    char last[HC_NETWORK_LINE]; /* what an empty line repeats */
    volatile bool interrupted;
    bool colours;
};

/* ---- network.c ---- */

bool hc_network_fail(struct hc_network_debugger *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned hc_network_address(const struct hc_network_debugger *n, uint32_t node);
/* By its address; false with a problem. */
bool hc_network_find(struct hc_network_debugger *n, unsigned long address, uint32_t *node);
/* The line before a place is shown: whose it is, and when. */
void hc_network_say_present(struct hc_network_debugger *n);

/* ---- cut.c: where nodes stand ---- */

/* Opens NODE if it is not, and brings it to the present. NULL with a problem. */
struct hc_debugger *hc_network_at_present(struct hc_network_debugger *n, uint32_t node);
/* Opens it, and leaves it where it is. */
struct hc_debugger *hc_network_session(struct hc_network_debugger *n, uint32_t node);
/* The axis at the place where NODE's session is. */
int64_t hc_network_time_of(struct hc_network_debugger *n, uint32_t node);
/* NODE becomes the current one, and where it stands the present. */
void hc_network_take_present(struct hc_network_debugger *n, uint32_t node);
/* Brings the network to TIME on the axis. */
bool hc_network_go_to_time(struct hc_network_debugger *n, int64_t time);
/* ... and to an event, whose node becomes the current one. */
bool hc_network_go_to_event(struct hc_network_debugger *n, uint32_t event);
/* The last event of NODE that has happened at TIME, or begins there; HC_NO_EVENT: none has. */
uint32_t hc_network_last_event(const struct hc_network_debugger *n, uint32_t node, int64_t time);
/* The place in the node's stretches of the stretch that begins with SEGMENT; -1: none. */
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

/* Of the inputs in the last answer of `why` of NODE: with which messages they came. */
void hc_network_tell_origins(struct hc_network_debugger *n, uint32_t node);

/* ---- expression.c ---- */

/* Replaces node(N).NAME in LINE by its value there, if there are several nodes in it; if the only one is N, takes the
 * prefix away and says which node it is (else *NODE is the current one). False with a problem. */
bool hc_network_expand(struct hc_network_debugger *n, const char *line, char *out, size_t size, uint32_t *node);

#endif
