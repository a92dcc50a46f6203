/* The Debug Adapter Protocol over debugger sessions: requests in, responses and events out, as JSON. It does not depend
 * on streams (server.h) or on how recordings are opened (the CLI does that).
 *
 * Each node of a run is a thread. One runs at a time, forwards or backwards; the others stay where they are. */
#ifndef HC_DAP_ADAPTER_H
#define HC_DAP_ADAPTER_H

#include "debug/session/session.h"
#include "image/image.h"
#include "timeline/timeline.h"

#include <jansson.h>

enum { HC_DAP_NODES_MOST = 256 };

struct hc_replay;

/* What is debugged; everything must outlive the adapter. */
struct hc_dap_node {
    char name[64]; /* "node 3" */
    int id;        /* of the thread, from 1 */
    struct hc_image *image;
    struct hc_timeline *timeline;
    struct hc_replay *replay;  /* NULL: a live node */
    hc_debugger_send_fn *send; /* for hc_debugger_set_uart; NULL: none */
    void *sender;
};

struct hc_dap_config {
    /* Sends MESSAGE, which remains the adapter's. */
    void (*send)(void *owner, const json_t *message);
    /* Called every few milliseconds while something runs: whether a request has arrived that ends it. ANY: of any kind;
     * otherwise only pause, cancel, disconnect and terminate. */
    bool (*is_wanted)(void *owner, bool any);
    /* Handles the requests that have arrived meanwhile. */
    void (*serve_waiting)(void *owner);
    /* Opens what the ARGUMENTS of launch or attach name. Returns the number of nodes, or 0 with a sentence in ERROR. */
    int (*open)(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size);
    void (*close)(void *owner);
    void *owner;
};

struct hc_dap;

struct hc_dap *hc_dap_new(const struct hc_dap_config *config);
void hc_dap_free(struct hc_dap *d);

/* Handles one message of the client. Returns false after the last one (disconnect). */
bool hc_dap_handle(struct hc_dap *d, const json_t *message);

#endif
