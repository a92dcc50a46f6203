/* hindcast debug: a session over a recording or a node, or a server for gdb. */
#include "command.h"
#include "debug_network.h"
#include "gdb/gdb.h"
#include "numbers.h"
#include "open_timeline.h"
#include "progress.h"
#include "signals.h"
#include "terminal.h"
#include "timeline/gdb_target.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MOST = 64, PATHS_MOST = 16, BATCH = 256, COMMAND, GDB, SOURCE_PATH };

struct options {
    struct hc_timeline_options timeline;
    struct hc_network_options network;
    bool batch;
    int commands;
    const char *command[COMMANDS_MOST];
    int gdb_port; /* -1: none */
    int paths;
    char *path[PATHS_MOST], *now[PATHS_MOST]; /* of sources: FROM, and TO */
};

static const struct argp_option argp_options[] = {
    { "command", COMMAND, "COMMAND", 0, "Execute this command first; may be repeated", 0 },
    { "batch", BATCH, NULL, 0, "Exit after the given commands", 0 },
    { "gdb", GDB, "PORT", 0, "Serve gdb or lldb on 127.0.0.1 instead, with reverse execution (0: any free port)", 0 },
    { "source-path", SOURCE_PATH, "FROM=TO", 0,
      "Sources that were compiled below FROM are below TO now; may be given several times", 0 },
    { 0 },
};

static const char help[] =
    "Debugs a recording, forwards and backwards in time; without a LOG, an emulated TelosB that runs IMAGE. RUN is a "
    "directory that `hindcast run` left: all its nodes in one session.\v"
    "GDB's commands, plus when, goto, last-write and history; `help` lists them all. Without a "
    "terminal, commands are read from stdin.\n\n"
    "Examples:\n"
    "  hindcast debug app.elf node.flash\n"
    "  hindcast debug app.elf node.flash --command 'goto end' --command 'last-write total' --batch\n"
    "  hindcast debug app.elf                       a live node, with time travel\n"
    "  hindcast debug app.elf node.flash --gdb 1234\n"
    "  hindcast debug run                           all nodes: node 5, follow, print node(5).x\n"
    "  hindcast debug run --gdb 3000                gdb for each node, on port 3000 and those after it\n\n"
    "Exit codes: 0 fine; 1 a command of a script failed; 2 wrong usage; 3 the files do not fit.";

static void take_path(struct argp_state *state, struct options *o, char *argument)
{
    char *equals = strchr(argument, '=');

    if (!equals || equals == argument || !equals[1])
        argp_error(state, "--source-path: '%s': expected FROM=TO, two folders", argument);
    else if (o->paths == PATHS_MOST)
        argp_error(state, "more than %d of --source-path", PATHS_MOST);
    else {
        *equals = '\0';
        for (size_t n = strlen(argument); n > 1 && argument[n - 1] == '/'; n--)
            argument[n - 1] = '\0';
        for (size_t n = strlen(equals + 1); n > 1 && equals[n] == '/'; n--)
            equals[n] = '\0';
        o->path[o->paths] = argument;
        o->now[o->paths++] = equals + 1;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->timeline;
        state->child_inputs[1] = &o->network;
        return 0;
    case BATCH:
        o->batch = true;
        return 0;
    case COMMAND:
        if (o->commands == COMMANDS_MOST)
            argp_error(state, "more than %d commands: put them into a file, and give it as stdin", COMMANDS_MOST);
        o->command[o->commands++] = argument;
        return 0;
    case SOURCE_PATH:
        take_path(state, o, argument);
        return 0;
    case GDB:
        o->gdb_port = (int)hc_number_argument(state, "--gdb", argument, 0, UINT16_MAX);
        return 0;
    case ARGP_KEY_ARG:
        hc_take_file(&o->timeline, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!o->timeline.image)
            argp_error(state, "no IMAGE given: give the ELF file that ran on the node");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int debug(struct hc_opened_timeline *t, const struct options *o)
{
    struct hc_debugger *s = hc_debugger_new(t->image, t->timeline, stdout, t->replay != NULL);
    struct hc_terminal_options terminal = { .batch = o->batch, .commands = o->commands, .command = o->command };
    struct hc_progress progress;
    char greeting[1024];

    if (!s) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    hc_debugger_set_replay(s, t->replay);
    if (t->timed_input)
        hc_debugger_set_uart(s, hc_timeline_send, t);
    t->progress = terminal.progress = &progress;
    for (int i = 0; i < o->paths; i++)
        hc_debugger_map_sources(s, o->path[i], o->now[i]);
    snprintf(greeting, sizeof greeting, "%s%s%s.", o->timeline.image, o->timeline.log ? ", " : "",
             o->timeline.log ? o->timeline.log : "");
    terminal.greeting = greeting;
    int code = hc_terminal_debug(s, &terminal);
    t->progress = NULL;
    hc_debugger_free(s);
    return code;
}

/* ---- gdb ---- */

static void listening(void *owner, uint16_t port)
{
    (void)owner;
    hc_complain("gdb: listening on 127.0.0.1:%u", port);
}

static void stop_machine(void *machine)
{
    hc_request_stop(machine);
}

int hc_debug_serve(struct hc_opened_timeline *t, int port)
{
    struct hc_gdb_server_config config = { .port = (uint16_t)port, .listening = listening };
    struct hc_gdb_target *target = hc_gdb_timeline_target_new(t->timeline);

    if (!target) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    hc_signals_catch(stop_machine, hc_timeline_machine(t->timeline));
    enum hc_gdb_end end = hc_gdb_serve(&config, target);
    hc_signals_catch(NULL, NULL);
    hc_gdb_target_free(target);
    if (end != HC_GDB_FAILED)
        return HC_EXIT_FINE;
    hc_complain("gdb: %s", config.error);
    return HC_EXIT_INPUT;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_timeline_argp, 0, NULL, 0 },
                                                  { &hc_network_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = { argp_options, parse, "IMAGE [LOG]\nRUN", help, children, NULL, NULL };
    struct options o = { .timeline = { .limit = HC_NEVER, .segment = -1, .node_id = 1 }, .gdb_port = -1 };
    struct hc_opened_timeline t;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (!o.timeline.log && hc_is_run_directory(o.timeline.image)) {
        struct hc_terminal_options terminal = { .batch = o.batch, .commands = o.commands, .command = o.command };
        return hc_debug_network(o.timeline.image, &o.network, &terminal, o.gdb_port);
    }
    int code = hc_network_refuse(&o.network);
    if (code)
        return code;
    code = hc_open_timeline(&t, &o.timeline);
    if (!code)
        code = o.gdb_port >= 0 ? hc_debug_serve(&t, o.gdb_port) : debug(&t, &o);
    hc_close_timeline(&t);
    return code;
}

const struct hc_command hc_debug_command = { "debug", "Debug a recording, or a node, forwards and backwards in time",
                                             run };
