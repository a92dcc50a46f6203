/* The Debug Adapter Protocol on a debugger's session: requests in, responses and events out, as JSON. It knows nothing
 * of streams (server.h) and of how recordings are opened (the CLI's concern).
 *
 * Each node of a run is a thread. One runs at a time, forwards or backwards; the others stay where they are. */
#ifndef HC_DAP_ADAPTER_H
#define HC_DAP_ADAPTER_H

#include "image/image.h"
#include "timeline/timeline.h"

#include <jansson.h>

enum { HC_DAP_NODES_MOST = 256 };

struct hc_replay;

/* What is debugged; all of it outlives the adapter's use of it. */
struct hc_dap_node {
    char name[64]; /* "node 3" */
    int id;        /* of the thread, from 1 */
    struct hc_image *image;
    struct hc_timeline *timeline;
    struct hc_replay *replay; /* NULL: a live node */
};

struct hc_dap_config {
    /* Sends MESSAGE, which stays the adapter's. */
    void (*send)(void *owner, const json_t *message);
    /* Asked every few milliseconds while something runs: has a request come that ends it? ANY: one of any kind; else
     * only those that are meant to (pause, cancel, disconnect, terminate). */
    bool (*is_wanted)(void *owner, bool any);
    /* Handles the requests that have come meanwhile. */
    void (*serve_waiting)(void *owner);
    /* Opens what the ARGUMENTS of launch or attach name. Returns how many nodes, or 0 with a sentence in ERROR. */
    int (*open)(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size);
    void (*close)(void *owner);
    void *owner;
};

struct hc_dap;

struct hc_dap *hc_dap_new(const struct hc_dap_config *config);
void hc_dap_free(struct hc_dap *d);

/* One message of the client. False when it was the last one (disconnect). */
bool hc_dap_handle(struct hc_dap *d, const json_t *message);

#endif
