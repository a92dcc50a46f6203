#include "debug_network.h"

#include "command.h"
#include "debug/network/network.h"
#include "network.h"
#include "support/plural.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECKPOINTS = 512 << 20, CHECKPOINTS_LEAST = 4 << 20 }; /* bytes, of all nodes and of one */

struct nodes {
    struct hc_network network;
    struct hc_opened_timeline **opened; /* by recording */
};

/* ---- opening ---- */

static int open_recording(struct nodes *n, int log, struct hc_message_buffer *messages)
{
    struct hc_timeline_options options = { .segment = -1, .quiet = true, .messages = messages };

    options.memory = CHECKPOINTS / n->network.recordings.count;
    if (options.memory < CHECKPOINTS_LEAST)
        options.memory = CHECKPOINTS_LEAST;
    hc_recording_options(&options, &n->network.recordings.recordings[log]);
    n->opened[log] = calloc(1, sizeof *n->opened[log]);
    return n->opened[log] ? hc_open_timeline(n->opened[log], &options) : HC_EXIT_INPUT;
}

static bool open_node(void *owner, int log, struct hc_network_opened *out, char *problem, size_t size)
{
    struct nodes *n = owner;
    struct hc_message_buffer messages = { problem, size };

    if (open_recording(n, log, &messages))
        return false;
    *out = (struct hc_network_opened){ n->opened[log]->image, n->opened[log]->timeline, n->opened[log]->replay };
    return true;
}

static void close_all(struct nodes *n)
{
    for (size_t i = 0; n->opened && i < n->network.recordings.count; i++) {
        if (n->opened[i])
            hc_close_timeline(n->opened[i]);
        free(n->opened[i]);
    }
    free((void *)n->opened);
    hc_network_close(&n->network);
}

/* ---- a session ---- */

static enum hc_debugger_end do_command(void *session, const char *line)
{
    return hc_network_debugger_command(session, line);
}

static void interrupt(void *session)
{
    hc_network_debugger_interrupt(session);
}

static void complete(void *session, const char *line, hc_completion_fn *tell, void *owner)
{
    hc_network_debugger_complete(session, line, tell, owner);
}

static void show_place(void *session)
{
    hc_network_debugger_show_place(session);
}

static void set_terminal(void *session, FILE *out, bool colours)
{
    hc_network_debugger_set_terminal(session, out, colours);
}

static void set_progress(void *session, hc_debugger_progress_fn *tell, void *owner)
{
    hc_network_debugger_set_progress(session, tell, owner);
}

static int converse(struct nodes *n, struct hc_terminal_options *terminal)
{
    const struct hc_network_config config = {
        .history = &n->network.history,
        .pairing = &n->network.pairing,
        .fates = &n->network.fates,
        .axis = &n->network.axis,
        .out = stdout,
        .open = open_node,
        .owner = n,
    };
    struct hc_network_debugger *debugger = hc_network_debugger_new(&config);
    const struct hc_terminal_session session = { debugger,   do_command,   interrupt,   complete,
                                                 show_place, set_terminal, set_progress };
    char greeting[300];

    if (!debugger) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    snprintf(greeting, sizeof greeting, "%zu node%s of %s.", n->network.history.node_count,
             hc_plural(n->network.history.node_count), n->network.run);
    terminal->greeting = greeting;
    int code = hc_terminal_run(&session, terminal);
    hc_network_debugger_free(debugger);
    return code;
}

/* ---- gdb ---- */

static int serve_node(struct nodes *n, size_t i, int port)
{
    int code = open_recording(n, (int)i, NULL);

    if (code)
        return code;
    hc_complain("node %d:", n->network.recordings.recordings[i].id);
    return hc_debug_serve(n->opened[i], port ? port + (int)i : 0);
}

/* A process for each node, so that debuggers can connect and leave independently. Ends when all of them have ended. */
static int serve(struct nodes *n, int port)
{
    size_t count = n->network.recordings.count;
    int code = HC_EXIT_FINE, status;

    if (port && (size_t)port + count > 65536) {
        hc_complain("--gdb: %d: there are not %zu ports from it on", port, count);
        return HC_EXIT_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        fflush(NULL);
        pid_t child = fork();
        if (child == 0)
            _exit(serve_node(n, i, port));
        if (child < 0) {
            hc_complain("a process for node %d cannot be made", n->network.recordings.recordings[i].id);
            code = HC_EXIT_INPUT;
        }
    }
    while (wait(&status) > 0)
        if (WIFEXITED(status) && WEXITSTATUS(status) > code)
            code = WEXITSTATUS(status);
    return code;
}

int hc_debug_network(const char *run, const struct hc_network_options *options, struct hc_terminal_options *terminal,
                     int gdb_port)
{
    struct nodes n = { 0 };
    int code = hc_network_open(&n.network, &run, 1);

    n.network.unnumbered = true;
    n.opened = (struct hc_opened_timeline **)calloc(n.network.recordings.count + 1, sizeof *n.opened);
    if (!code && gdb_port < 0)
        code = hc_network_order(&n.network, options);
    if (!code)
        code = gdb_port < 0 ? converse(&n, terminal) : serve(&n, gdb_port);
    close_all(&n);
    return code;
}
