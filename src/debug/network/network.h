/* A debugging session over all nodes of a network: commands in, text out.
 *
 * The session has one present: a moment of the current node, which is a time on the axis (causality/axis.h). Every
 * other node is at its moment of that time. Since time increases from cause to effect, this is a consistent cut: no
 * message has been received before it was sent. A node is opened and moved to the present when a command inspects it.
 */
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
    /* Opens the recording `log` of a node of the history. Returns false with the reason in PROBLEM. The owner keeps
     * what was opened, and it must outlive the session. */
    bool (*open)(void *owner, int log, struct hc_network_opened *out, char *problem, size_t size);
    void *owner;
};

struct hc_network_debugger;

/* Everything in CONFIG except OUT and the owner must outlive the session. It starts at the first event of the network.
 * Returns NULL on out-of-memory. */
struct hc_network_debugger *hc_network_debugger_new(const struct hc_network_config *config);
void hc_network_debugger_free(struct hc_network_debugger *n);

/* Like the functions for one node in session.h. */
enum hc_debugger_end hc_network_debugger_command(struct hc_network_debugger *n, const char *line);
void hc_network_debugger_show_place(struct hc_network_debugger *n);
void hc_network_debugger_set_terminal(struct hc_network_debugger *n, FILE *out, bool colours);
/* As hc_debugger_set_progress, of the node that runs. */
void hc_network_debugger_set_progress(struct hc_network_debugger *n, hc_debugger_progress_fn *tell, void *owner);
void hc_network_debugger_interrupt(struct hc_network_debugger *n);
void hc_network_debugger_complete(struct hc_network_debugger *n, const char *line, hc_completion_fn *tell, void *owner);

#endif
