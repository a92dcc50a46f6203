/* The socket: one debugger at a time, on the loopback interface only, for the protocol has no password. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4 */
#endif

#include "gdb.h"
#include "stub.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct session {
    int fd;
    bool lost;                 /* the debugger is gone */
    bool asked_to_end;         /* a signal came while it was silent */
    enum hc_gdb_input waiting; /* came while the target ran and is to be handled next */
    size_t at, have;           /* within in */
    size_t frame_n;
    struct hc_gdb_reader reader;
    struct hc_gdb_stub stub;
    uint8_t in[4096];
    char frame[HC_GDB_FRAME_MAX]; /* the last one sent, to be sent again on request */
};

static void send_all(struct session *s, const char *bytes, size_t n)
{
    while (n > 0 && !s->lost) {
        ssize_t sent = send(s->fd, bytes, n, MSG_NOSIGNAL);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0) {
            s->lost = true;
            return;
        }
        bytes += sent;
        n -= (size_t)sent;
    }
}

static void send_packet(void *owner, const char *payload, size_t n)
{
    struct session *s = owner;

    s->frame_n = hc_gdb_frame(s->frame, payload, n);
    send_all(s, s->frame, s->frame_n);
}

/* False when there is nothing (FLAGS has MSG_DONTWAIT), or never will be. */
static bool receive(struct session *s, int flags)
{
    ssize_t n = recv(s->fd, s->in, sizeof s->in, flags);

    s->at = s->have = 0;
    if (n > 0) {
        s->have = (size_t)n;
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    if (n < 0 && errno == EINTR)
        s->asked_to_end = !(flags & MSG_DONTWAIT);
    else
        s->lost = true;
    return false;
}

/* What the bytes at hand amount to; acknowledgements are dealt with here. */
static enum hc_gdb_input next_input(struct session *s)
{
    while (s->at < s->have) {
        enum hc_gdb_input input = hc_gdb_reader_take(&s->reader, s->in[s->at++]);

        if (s->stub.no_ack && input == HC_GDB_INPUT_DAMAGED)
            input = HC_GDB_INPUT_PACKET; /* nobody sends again; the transport is reliable */
        if (input == HC_GDB_INPUT_NAK && !s->stub.no_ack)
            send_all(s, s->frame, s->frame_n);
        else if (input == HC_GDB_INPUT_DAMAGED)
            send_all(s, "-", 1);
        else if (input == HC_GDB_INPUT_PACKET || input == HC_GDB_INPUT_TOO_LONG) {
            if (!s->stub.no_ack)
                send_all(s, "+", 1);
            return input;
        } else if (input == HC_GDB_INPUT_INTERRUPT)
            return input;
    }
    return HC_GDB_INPUT_NOTHING;
}

/* While the target runs, a packet is as good as Ctrl-C: debuggers that keep to the protocol send none. One piece of
 * input at a time: a debugger that never falls silent must not keep the target from running. */
static bool interrupted(void *owner, bool idle)
{
    struct session *s = owner;
    struct pollfd socket = { .fd = s->fd, .events = POLLIN };
    enum hc_gdb_input input = next_input(s);

    if (input == HC_GDB_INPUT_NOTHING && !s->lost && poll(&socket, 1, idle ? 1 : 0) > 0 && receive(s, MSG_DONTWAIT))
        input = next_input(s);
    if (input == HC_GDB_INPUT_PACKET || input == HC_GDB_INPUT_TOO_LONG)
        s->waiting = input;
    return input != HC_GDB_INPUT_NOTHING || s->lost;
}

static enum hc_gdb_input wait_for_input(struct session *s)
{
    enum hc_gdb_input input = s->waiting;

    s->waiting = HC_GDB_INPUT_NOTHING;
    while (input == HC_GDB_INPUT_NOTHING) {
        input = next_input(s);
        if (input == HC_GDB_INPUT_NOTHING && (s->lost || !receive(s, 0)))
            break;
    }
    return input;
}

/* Talks to one debugger until it leaves. */
static void converse(struct session *s)
{
    while (!s->stub.ended && !s->lost && !s->asked_to_end) {
        switch (wait_for_input(s)) {
        case HC_GDB_INPUT_PACKET:
            /* A packet that comes while the target runs overwrites this one: by then it has been read. */
            hc_gdb_stub_request(&s->stub, s->reader.payload, s->reader.n);
            break;
        case HC_GDB_INPUT_TOO_LONG:
            hc_gdb_stub_refuse(&s->stub);
            break;
        default:
            break; /* Ctrl-C, but it doesn't run */
        }
    }
}

static int fail(struct hc_gdb_server_config *config, const char *what)
{
    snprintf(config->error, sizeof config->error, "port %u: %s: %s", config->port, what, strerror(errno));
    return -1;
}

static int listen_on(struct hc_gdb_server_config *config)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(config->port) };
    socklen_t n = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return fail(config, "no socket");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 1) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &n) < 0) {
        fail(config, "cannot listen");
        close(fd);
        return -1;
    }
    if (config->listening)
        config->listening(config->owner, ntohs(address.sin_port));
    return fd;
}

static void start_session(struct session *s, int fd, struct hc_gdb_target *target)
{
    struct timeval patience = { .tv_sec = 10 };
    int on = 1;

    memset(s, 0, sizeof *s);
    s->fd = fd;
    /* Packets are small and each waits for the other side's. A debugger that doesn't read must not stop us for good. */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    hc_gdb_stub_init(&s->stub, target, (struct hc_gdb_poll){ interrupted, s }, send_packet, s);
}

static enum hc_gdb_end serve(struct session *s, int listener, struct hc_gdb_target *target)
{
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        if (fd < 0 && errno == ECONNABORTED)
            continue;
        if (fd < 0)
            return errno == EINTR ? HC_GDB_KILLED : HC_GDB_FAILED;
        start_session(s, fd, target);
        converse(s);
        target->ops->remove_all(target);
        close(fd);
        if (s->stub.ended)
            return s->stub.end;
        if (s->asked_to_end)
            return HC_GDB_KILLED;
    }
}

enum hc_gdb_end hc_gdb_serve(struct hc_gdb_server_config *config, struct hc_gdb_target *target)
{
    struct session *s = malloc(sizeof *s);
    enum hc_gdb_end end = HC_GDB_FAILED;
    int listener;

    config->error[0] = 0;
    if (!s) {
        snprintf(config->error, sizeof config->error, "out of memory");
        return HC_GDB_FAILED;
    }
    listener = listen_on(config);
    if (listener >= 0) {
        end = serve(s, listener, target);
        if (end == HC_GDB_FAILED)
            fail(config, "cannot accept");
        close(listener);
    }
    free(s);
    return end;
}
