/* hindcast order: which receive belongs to which send, over the logs of many nodes. */
#include "causality/diagram/diagram.h"
#include "command.h"
#include "files.h"
#include "network.h"
#include "numbers.h"
#include "order_export.h"
#include "order_report.h"

#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    struct hc_run_paths paths;
    bool json;
    struct hc_order_report report;
    const char *html, *title;
    struct hc_order_files files;
    struct hc_network_options network;
};

enum { JSON = 256, MESSAGES, LIST, HTML, TITLE, PERFETTO, PCAPNG, CTF, SHIVIZ, FROM, TO };

static const struct argp_option argp_options[] = {
    { "messages", MESSAGES, NULL, 0, "List every message, in an order in which causes precede their effects", 0 },
    { "list", LIST, "FATES", 0,
      "List the messages that were lost, overtaken, received again, that are undecided, or unknown (several, with "
      "commas; or `all` of these), each with the reason",
      0 },
    { "html", HTML, "FILE", 0, "Draw the space-time diagram: a page for a browser", 0 },
    { "title", TITLE, "TEXT", 0, "Title of the diagram", 0 },
    { "perfetto", PERFETTO, "FILE", 0, "Write a trace for Perfetto: messages, interrupts, tasks, radio and sleep", 0 },
    { "pcapng", PCAPNG, "FILE", 0, "Write the frames that nodes sent and received, an interface for each node", 0 },
    { "ctf", CTF, "DIRECTORY", 0, "Write a trace in the Common Trace Format 1.8", 0 },
    { "shiviz", SHIVIZ, "FILE", 0, "Write messages with vector clocks for ShiViz; at most 64 nodes", 0 },
    { "from", FROM, "SECONDS", 0, "... from this time on", 0 },
    { "to", TO, "SECONDS", 0, "... up to this time", 0 },
    { "json", JSON, NULL, 0, "Everything as a JSON object on stdout", 0 },
    { 0 },
};

static const char help[] =
    "Finds the send of each message that was received, from what nodes recorded.\v"
    "RUN is a directory that `hindcast run` left; or name the program and the logs of its nodes. The program's radio "
    "stack numbers "
    "its messages (runtime/messages.h).\n\n"
    "Examples:\n"
    "  hindcast run --nodes 9 app.elf --seconds 60 --out run\n"
    "  hindcast order run                               who sent what to whom, and what got lost\n"
    "  hindcast order run --html diagram.html           the space-time diagram\n"
    "  hindcast order run --list lost,overtaken         which ones, and why\n"
    "  hindcast order run --pcapng air.pcapng           what the nodes know of the air, for Wireshark\n"
    "  hindcast order app.elf node-1.flash node-2.flash      the same from real nodes\n\n"
    "Exit codes: 0 every receive has its send, or its sender's log lacks it; 1 some are undecided or contradict the "
    "logs; 2 wrong "
    "usage; 3 no log could be used; 4 a replay diverged.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    char *end;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->paths;
        state->child_inputs[1] = &o->network;
        return 0;
    case MESSAGES:
        o->report.messages = true;
        return 0;
    case LIST:
        if (!hc_order_parse_list(&o->report, argument))
            argp_error(state, "--list: '%s': expected lost, overtaken, again, undecided, unknown or all", argument);
        return 0;
    case HTML:
        o->html = argument;
        return 0;
    case TITLE:
        o->title = argument;
        return 0;
    case PERFETTO:
        o->files.perfetto = argument;
        return 0;
    case PCAPNG:
        o->files.pcapng = argument;
        return 0;
    case CTF:
        o->files.ctf = argument;
        return 0;
    case SHIVIZ:
        o->files.shiviz = argument;
        return 0;
    case FROM:
    case TO:
        *(key == FROM ? &o->files.from : &o->files.to) = strtod(argument, &end);
        if (*end || end == argument || !(fabs(strtod(argument, NULL)) < 1e9))
            argp_error(state, "'%s': expected a number of seconds", argument);
        return 0;
    case JSON:
        o->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the diagram ---- */

static const char *image_of(void *owner, int log)
{
    const struct hc_network *network = owner;
    return network->recordings.recordings[log].image;
}

static const char *log_of(void *owner, int log)
{
    const struct hc_network *network = owner;
    return network->recordings.recordings[log].log;
}

static int draw(struct hc_network *network, const struct options *o, FILE *out)
{
    struct hc_diagram diagram = {
        .title = o->title       ? o->title
                 : network->run ? network->run
                                : "Messages",
        .run = network->run,
        .history = &network->history,
        .pairing = &network->pairing,
        .fates = &network->fates,
        .axis = &network->axis,
        .image_of = image_of,
        .log_of = log_of,
        .owner = network,
    };

    if (!hc_diagram_write(&diagram, out))
        return HC_EXIT_FINE;
    hc_complain("out of memory");
    return HC_EXIT_INPUT;
}

/* ---- all of it ---- */

static int report(struct hc_network *network, const struct options *o, FILE *html)
{
    const size_t *counts = network->pairing.counts;
    int code = html ? draw(network, o, html) : HC_EXIT_FINE;

    if (!code && o->json)
        code = hc_order_json(network);
    else if (!code)
        hc_order_text(network, &o->report);
    if (code)
        return code;
    return network->diverged                                ? HC_EXIT_DIVERGED
           : counts[HC_UNDECIDED] + counts[HC_CONTRADICTED] ? HC_EXIT_FOUND
                                                            : HC_EXIT_FINE;
}

static int check_outputs(const struct hc_network *network, const struct options *o)
{
    const struct hc_named_file files[] = { { "--html", o->html, HC_FILE_WRITTEN },
                                           { "--perfetto", o->files.perfetto, HC_FILE_WRITTEN },
                                           { "--pcapng", o->files.pcapng, HC_FILE_WRITTEN },
                                           { "--shiviz", o->files.shiviz, HC_FILE_WRITTEN } };

    return hc_recordings_check_outputs(&network->recordings, files, sizeof files / sizeof *files);
}

static int order(struct hc_network *network, const struct options *o)
{
    struct hc_output_file *html = NULL;
    struct hc_order_outputs *outputs = NULL;
    int code = check_outputs(network, o);

    if (!code && o->html)
        code = hc_files_open(&html, o->html);
    if (!code)
        code = hc_order_outputs_open(&outputs, &o->files);
    if (!code)
        code = hc_network_order(network, &o->network);
    if (!code)
        code = hc_order_outputs_write(outputs, network);
    if (!code)
        code = report(network, o, html ? hc_output_file(html) : NULL);
    bool well = code != HC_EXIT_INPUT && code != HC_EXIT_USAGE;
    int closed = hc_order_outputs_close(outputs, well), page = hc_files_close(html, o->html, well);
    return closed ? closed : page ? page : code;
}

static int run(int argc, char **argv)
{
    static const struct argp_child children[] = { { &hc_run_paths_argp, 0, NULL, 0 },
                                                  { &hc_network_argp, 0, NULL, 0 },
                                                  { 0 } };
    static const struct argp argp = { argp_options, parse, "RUN\nIMAGE LOG...", help, children, NULL, NULL };
    struct options options = { .files = { .from = -1e9, .to = 1e9 } };
    struct hc_network network;

    argp_parse(&argp, argc, argv, 0, 0, &options);
    int code = hc_network_open(&network, options.paths.path, options.paths.count);
    if (!code)
        code = order(&network, &options);
    hc_network_close(&network);
    return code;
}

const struct hc_command hc_order_command = { "order", "Pair the messages of many nodes' recordings", run };
