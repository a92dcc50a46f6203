/* The adapter on a pair of streams: stdin and stdout, or a connection of the loopback interface. */
#ifndef HC_DAP_SERVER_H
#define HC_DAP_SERVER_H

#include "adapter.h"

#include <stdint.h>

struct hc_dap_server_config {
    int (*open)(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size);
    void (*close)(void *owner);
    void *owner;
    void (*listening)(void *owner, uint16_t port); /* of a port: called when a client may connect */
    char error[200];
};

/* Serves one client on IN and OUT until it disconnects or is gone. Returns false with a sentence in config->error. */
bool hc_dap_serve(struct hc_dap_server_config *config, int in, int out);
/* The same with the first client at 127.0.0.1:PORT (0: any free one). */
bool hc_dap_serve_port(struct hc_dap_server_config *config, uint16_t port);

#endif
