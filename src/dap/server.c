#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4 */
#endif

#include "server.h"

#include "framing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct server {
    int in, out;
    bool gone; /* the client */
    struct hc_dap *dap;
    struct hc_dap_reader reader;
    json_t *waiting; /* requests that have come and are not handled */
    struct hc_dap_server_config *config;
};

/* ---- out ---- */

static void send_message(void *owner, const json_t *message)
{
    struct server *s = owner;
    size_t size = 0, done = 0;
    char *frame = hc_dap_frame(message, &size);

    while (frame && done < size && !s->gone) {
        ssize_t n = write(s->out, frame + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            s->gone = true;
        else
            done += (size_t)n;
    }
    free(frame);
}

/* ---- in ---- */

/* A request that cannot be read has no number that a response could name. */
static void tell_left_out(struct server *s)
{
    json_t *event =
        json_pack("{s:i, s:s, s:s, s:{s:s, s:s}}", "seq", 0, "type", "event", "event", "output", "body", "category",
                  "stderr", "output", "hindcast: a message that is no JSON object was left out\n");

    s->reader.left_out = 0;
    if (event)
        send_message(s, event);
    json_decref(event);
}

static void take(struct server *s, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        json_t *message;
        at += hc_dap_read(&s->reader, bytes + at, size - at, &message);
        if (message)
            json_array_append_new(s->waiting, message);
    }
    if (s->reader.left_out)
        tell_left_out(s);
    if (s->reader.error)
        s->gone = true;
}

/* Reads what is there; WAIT: at least something, or the end. */
static void receive(struct server *s, bool wait)
{
    char bytes[16384];
    struct pollfd fd = { s->in, POLLIN, 0 };

    while (!s->gone && poll(&fd, 1, wait ? -1 : 0) > 0) {
        ssize_t n = read(s->in, bytes, sizeof bytes);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n <= 0)
            s->gone = true;
        else
            take(s, bytes, (size_t)n);
        wait = false;
    }
}

static bool is_meant_to_stop(const json_t *message)
{
    static const char *const commands[] = { "pause", "cancel", "disconnect", "terminate" };
    const char *command = json_string_value(json_object_get(message, "command"));

    for (size_t i = 0; command && i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(command, commands[i]))
            return true;
    return false;
}

static bool is_wanted(void *owner, bool any)
{
    struct server *s = owner;
    json_t *message;
    size_t i;

    receive(s, false);
    if (s->gone || (any && json_array_size(s->waiting)))
        return true;
    json_array_foreach(s->waiting, i, message)
    {
        if (is_meant_to_stop(message))
            return true;
    }
    return false;
}

/* Handles what waits; false when it was the last. */
static bool handle_waiting(struct server *s)
{
    bool goes_on = true;

    while (goes_on && json_array_size(s->waiting)) {
        json_t *message = json_incref(json_array_get(s->waiting, 0));
        json_array_remove(s->waiting, 0);
        goes_on = hc_dap_handle(s->dap, message);
        json_decref(message);
    }
    return goes_on;
}

static void serve_waiting(void *owner)
{
    struct server *s = owner;
    json_t *gone;

    handle_waiting(s);
    if (!s->gone)
        return;
    gone = json_pack("{s:s, s:i, s:s}", "type", "request", "seq", 0, "command", "disconnect");
    hc_dap_handle(s->dap, gone);
    json_decref(gone);
}

static int open_nodes(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size)
{
    const struct server *s = owner;
    return s->config->open(s->config->owner, arguments, out, most, error, size);
}

static void close_nodes(void *owner)
{
    const struct server *s = owner;
    s->config->close(s->config->owner);
}

bool hc_dap_serve(struct hc_dap_server_config *config, int in, int out)
{
    struct server s = { .in = in, .out = out, .waiting = json_array(), .config = config };
    const struct hc_dap_config adapter = { .send = send_message,
                                           .is_wanted = is_wanted,
                                           .serve_waiting = serve_waiting,
                                           .open = open_nodes,
                                           .close = close_nodes,
                                           .owner = &s };

    s.dap = s.waiting ? hc_dap_new(&adapter) : NULL;
    while (s.dap && handle_waiting(&s) && !s.gone)
        receive(&s, true);
    const char *why = !s.dap ? "out of memory" : s.reader.error;
    snprintf(config->error, sizeof config->error, "the client sent %s", why ? why : "");
    hc_dap_free(s.dap);
    hc_dap_reader_free(&s.reader);
    json_decref(s.waiting);
    return !why;
}

/* ---- the port ---- */

static bool fail(struct hc_dap_server_config *config, const char *what)
{
    snprintf(config->error, sizeof config->error, "%s: %s", what, strerror(errno));
    return false;
}

bool hc_dap_serve_port(struct hc_dap_server_config *config, uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    socklen_t size = sizeof address;
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK); /* the protocol has no password */
    if (listener < 0)
        return fail(config, "socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    bool well = !bind(listener, (struct sockaddr *)&address, sizeof address) && !listen(listener, 1) &&
                !getsockname(listener, (struct sockaddr *)&address, &size);
    if (!well)
        fail(config, "127.0.0.1");
    else if (config->listening)
        config->listening(config->owner, ntohs(address.sin_port));
    int client = well ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (well && client < 0)
        fail(config, "accept");
    close(listener);
    if (client < 0)
        return false;
    well = hc_dap_serve(config, client, client);
    close(client);
    return well;
}
