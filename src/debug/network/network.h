/* A debugging session over all nodes of a network: commands in, text out.
 *
 * There is one present: a moment of one node, the current one, and with it a time on the axis (causality/axis.h). Every
 * other node stands where it was at that time. Since time ascends along every cause, that is a consistent cut: no
 * message has been received that was not sent. A node is opened, and brought there, when someone looks at it. */
#ifndef HC_DEBUG_NETWORK_NETWORK_H
#define HC_DEBUG_NETWORK_NETWORK_H

#include "causality/axis.h"
#include "causality/fates.h"
#include "debug/session/session.h"

struct hc_replay;

/* One node, opened. */
struct hc_network_opened {
    struct hc_image *image;
    struct hc_timeline *timeline;
    struct hc_replay *replay;
};

struct hc_network_config {
    const struct hc_network_history *history;
    const struct hc_pairing *pairing;
    const struct hc_fates *fates;
    const struct hc_axis *axis;
    FILE *out;
    /* Opens the recording `log` of a node of the history. False: PROBLEM says why. What was opened stays the owner's
     * and lives longer than the session. */
    bool (*open)(void *owner, int log, struct hc_network_opened *out, char *problem, size_t size);
    void *owner;
};

struct hc_network_debugger;

/* All but OUT and the owner must live longer. The session begins with the first event of the network. NULL when memory
 * is exhausted. */
struct hc_network_debugger *hc_network_debugger_new(const struct hc_network_config *config);
void hc_network_debugger_free(struct hc_network_debugger *n);

/* As those of one node: see session.h. */
enum hc_debugger_end hc_network_debugger_command(struct hc_network_debugger *n, const char *line);
void hc_network_debugger_show_place(struct hc_network_debugger *n);
void hc_network_debugger_set_terminal(struct hc_network_debugger *n, FILE *out, bool colours);
void hc_network_debugger_interrupt(struct hc_network_debugger *n);
void hc_network_debugger_complete(struct hc_network_debugger *n, const char *line, hc_completion_fn *tell, void *owner);

#endif
