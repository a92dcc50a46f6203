/* hindcast dap: a debug adapter for editors. */
#include "command.h"
#include "dap/server.h"
#include "numbers.h"
#include "open_timeline.h"

#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PORT = 256 };

/* Everything that one launch has opened. */
struct opened {
    int nodes;
    struct hc_opened_timeline *node;
};

static const struct argp_option argp_options[] = {
    { "port", PORT, "PORT", 0, "Serve one client on 127.0.0.1 instead of stdin and stdout (0: any free port)", 0 },
    { 0 },
};

static const char help[] =
    "Serves an editor that speaks the Debug Adapter Protocol: debugs recordings, forwards and backwards in time.\v"
    "The arguments of its launch request (or attach, which is the same):\n"
    "  program      the ELF file that ran on the node\n"
    "  log          what it recorded; without one an emulated TelosB runs the program\n"
    "  run          instead of both: a directory of hindcast run; each node with a log is a thread\n"
    "  segment      segment of the log to start at;  nodeId, seconds: for a node without a log\n"
    "  stopOnEntry  stop at the start;  sourceMap: {\"FROM\": \"TO\"} for paths of sources\n\n"
    "docs/editors.md has settings for VS Code, Neovim and Emacs.\n\n"
    "Examples:\n"
    "  hindcast dap                 what an editor starts\n"
    "  hindcast dap --port 4711     for an editor that connects\n\n"
    "Exit codes: 0 fine; 2 wrong usage; 3 the port cannot be used, or the client does not speak the protocol.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    int *port = state->input;

    switch (key) {
    case PORT:
        *port = (int)hc_number_argument(state, "--port", argument, 0, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "the editor says what to debug; see --help");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *text_of(const json_t *arguments, const char *name)
{
    return json_string_value(json_object_get(arguments, name));
}

/* Opens one node; false with a sentence in ERROR. */
static bool open_node(struct opened *o, struct hc_timeline_options options, struct hc_dap_node *out, int id,
                      char *error, size_t size)
{
    struct hc_opened_timeline *more = realloc(o->node, (size_t)(o->nodes + 1) * sizeof *more);

    if (!more)
        return false;
    o->node = more;
    struct hc_opened_timeline *t = &o->node[o->nodes];
    struct hc_message_buffer messages = { error, size };
    options.messages = &messages;
    int code = hc_open_timeline(t, &options);
    if (code) {
        hc_close_timeline(t);
        return false;
    }
    if (error[0])
        hc_complain("%s", error); /* notes only */
    o->nodes++;
    *out = (struct hc_dap_node){ .id = id, .image = t->image, .timeline = t->timeline, .replay = t->replay };
    if (t->timed_input) /* a live node, which is the only one */
        out->send = hc_timeline_send, out->sender = t;
    snprintf(out->name, sizeof out->name, "node %d", id);
    return true;
}

/* ---- a directory of a run ---- */

/* What the manifest says of one node: its image, and the variables that hold its id. */
static bool read_node(const json_t *manifest, const json_t *node, const char *directory, struct hc_timeline_options *o,
                      char *log, size_t size)
{
    const json_t *image =
        json_array_get(json_object_get(manifest, "images"), (size_t)json_integer_value(json_object_get(node, "image")));
    uint32_t id = (uint32_t)json_integer_value(json_object_get(node, "id"));
    json_t *symbol;
    size_t i;

    *o = (struct hc_timeline_options){ .limit = HC_NEVER, .segment = -1, .quiet = true };
    o->image = text_of(image, "path");
    snprintf(log, size, "%s/node-%u/flash.bin", directory, id);
    o->log = log;
    json_array_foreach(json_object_get(image, "id_symbols"), i, symbol)
    {
        if (o->settings < HC_SETTINGS_MAX && json_is_string(symbol)) {
            snprintf(o->set[o->settings].name, sizeof o->set->name, "%s", json_string_value(symbol));
            o->set[o->settings++].value = id;
        }
    }
    return o->image && !access(log, R_OK);
}

static int open_run(struct opened *o, const char *directory, struct hc_dap_node *out, int most, char *error,
                    size_t size)
{
    char path[PATH_MAX], log[PATH_MAX];
    json_error_t problem;
    json_t *node;
    size_t i;

    snprintf(path, sizeof path, "%s/manifest.json", directory);
    json_t *manifest = json_load_file(path, 0, &problem);
    if (!manifest) {
        snprintf(error, size, "%s: %s; give the directory that hindcast run made", path, problem.text);
        return 0;
    }
    snprintf(error, size, "%s: no node has left a log; was the program built by hindcast cc?", directory);
    json_array_foreach(json_object_get(manifest, "nodes"), i, node)
    {
        struct hc_timeline_options options;
        if (o->nodes == most || !read_node(manifest, node, directory, &options, log, sizeof log))
            continue;
        int id = (int)json_integer_value(json_object_get(node, "id"));
        if (open_node(o, options, &out[o->nodes], id + 1, error, size))
            snprintf(out[o->nodes - 1].name, sizeof out->name, "node %d", id);
    }
    json_decref(manifest);
    return o->nodes;
}

/* A number of the launch configuration, 0..MOST; *OUT stays as it is if there is none. False with a sentence in ERROR.
 */
static bool take_number(const json_t *arguments, const char *name, double most, double *out, char *error, size_t size)
{
    const json_t *number = json_object_get(arguments, name);
    bool whole = most <= UINT16_MAX;

    if (!number || json_is_null(number))
        return true;
    if ((whole ? !json_is_integer(number) : !json_is_number(number)) || json_number_value(number) < 0 ||
        json_number_value(number) > most) {
        snprintf(error, size, "\"%s\" of the launch configuration: expected a number 0..%.0f", name, most);
        return false;
    }
    *out = json_number_value(number);
    return true;
}

/* Each of these is text, if it is there. False with a sentence in ERROR. */
static bool check_texts(const json_t *arguments, char *error, size_t size)
{
    static const char *const names[] = { "program", "log", "run" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *text = json_object_get(arguments, names[i]);
        if (!text || json_is_null(text) || json_is_string(text))
            continue;
        snprintf(error, size, "\"%s\" of the launch configuration: expected a path", names[i]);
        return false;
    }
    return true;
}

static int open_nodes(void *owner, const json_t *arguments, struct hc_dap_node *out, int most, char *error, size_t size)
{
    struct hc_timeline_options options = {
        .image = text_of(arguments, "program"), .log = text_of(arguments, "log"), .limit = HC_NEVER, .quiet = true
    };
    double segment = -1, seconds = 0, node = 1;

    error[0] = '\0';
    if (!check_texts(arguments, error, size) || !take_number(arguments, "segment", UINT16_MAX, &segment, error, size) ||
        !take_number(arguments, "nodeId", UINT16_MAX, &node, error, size) ||
        !take_number(arguments, "seconds", 1e7, &seconds, error, size))
        return 0;
    options.segment = (int)segment;
    options.node_id = (uint16_t)node;
    if (text_of(arguments, "run"))
        return open_run(owner, text_of(arguments, "run"), out, most, error, size);
    if (seconds > 0)
        options.limit = (hc_time)(seconds * (double)HC_SECOND);
    if (!options.image) {
        snprintf(error, size, "the launch configuration needs \"program\" (an ELF file), or \"run\" (a directory)");
        return 0;
    }
    return open_node(owner, options, out, 1, error, size);
}

static void close_nodes(void *owner)
{
    struct opened *o = owner;

    for (int i = 0; i < o->nodes; i++)
        hc_close_timeline(&o->node[i]);
    free(o->node);
    *o = (struct opened){ 0 };
}

static void listening(void *owner, uint16_t port)
{
    (void)owner;
    hc_complain("dap: listening on 127.0.0.1:%u", port);
}

static int run(int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse, "", help, NULL, NULL, NULL };
    struct opened opened = { 0 };
    struct hc_dap_server_config config = {
        .open = open_nodes, .close = close_nodes, .owner = &opened, .listening = listening
    };
    int port = -1;

    argp_parse(&argp, argc, argv, 0, NULL, &port);
    bool well =
        port < 0 ? hc_dap_serve(&config, STDIN_FILENO, STDOUT_FILENO) : hc_dap_serve_port(&config, (uint16_t)port);
    close_nodes(&opened);
    if (well)
        return HC_EXIT_FINE;
    hc_complain("dap: %s", config.error);
    return HC_EXIT_INPUT;
}

const struct hc_command hc_dap_command = { "dap", "Serve an editor: the Debug Adapter Protocol, with time travel",
                                           run };
