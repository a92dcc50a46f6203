#include "run_options.h"

#include "field/scenario.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const hc_run_board_names[] = {
    [HC_RUN_TELOSB] = "telosb", [HC_RUN_FR5969] = "fr5969", [HC_RUN_FR5994] = "fr5994", [HC_RUN_FLAT] = "flat", NULL
};

enum {
    BOARD = 0x100,
    SECONDS,
    UNTIL,
    UART_INPUT,
    UART_AT,
    UART,
    UART_PTY,
    FLASH,
    MEMORY,
    VCD,
    ORACLE,
    TRACE,
    STATS,
    JSON,
    LEDS,
    LENIENT,
    GDB,
    NODE_ID,
    SERIAL,
    SEED,
    NODES,
    TOPOLOGY,
    FIRST_ID,
    SPREAD,
    ID_SYMBOL,
    OUT,
    THREADS,
    HASH,
};

static const struct argp_option options[] = {
    { NULL, 0, NULL, 0, "How long:", 1 },
    { "seconds", SECONDS, "N", 0, "Stop after N seconds of emulated time (1.5 is fine)", 0 },
    { "until", UNTIL, "PLACE", 0, "Stop before the instruction at a symbol, an address or FILE:LINE", 0 },
    { NULL, 0, NULL, 0, "The node:", 2 },
    { "board", BOARD, "NAME", 0,
      "telosb (default); fr5969, fr5994: an MSP430FR5969 or FR5994 wired like TI's LaunchPads; or flat: an MSP430X "
      "with 1 MB of RAM and "
      "nothing else",
      0 },
    { "node-id", NODE_ID, "N", 0, "Number of the node, from which its serial number is made (default 1)", 0 },
    { "serial", SERIAL, "HEX", 0, "The 48 bits of the DS2411 instead", 0 },
    { "seed", SEED, "N", 0, "Seed for everything random on the board; the same seed gives the same run", 0 },
    { "flash", FLASH, "FILE", 0,
      "Contents of the external flash: read before the run (if the file exists), written after it", 0 },
    { "memory", MEMORY, "FILE", 0,
      "Contents of the part's memory from address 0, written after the run: for logs in its own flash or FRAM", 0 },
    { "uart-input", UART_INPUT, "FILE", 0, "Bytes sent to the node's UART, as fast as the line takes them; - is stdin",
      0 },
    { "uart-at", UART_AT, "TIME=TEXT", 0,
      "Text sent to the node's UART at that time, such as 5s=hello\\n (\\n, \\r, \\t, \\\\, \\xNN); any number of "
      "times",
      0 },
    { "uart", UART, "pty[:LINK]", 0, "The same as --uart-pty", 0 },
    { "uart-pty", UART_PTY, "LINK", OPTION_ARG_OPTIONAL,
      "Make the UART a serial port of this computer, in real time: LINK, or as printed on stderr", 0 },
    { "lenient", LENIENT, NULL, 0, "Do what the hardware does on accesses to vacant memory, instead of stopping", 0 },
    { NULL, 0, NULL, 0, "Several nodes on one radio channel:", 3 },
    { "nodes", NODES, "N", 0,
      "Number of nodes; several IMAGEs are for the first, the second ..., the last for all others", 0 },
    { "topology", TOPOLOGY, "WHERE", 0,
      "grid:3x3:1m, line:9:2m, random:50:30x20m[:SEED], or a file (docs/scenario.md). Default: a square grid, 1 m", 0 },
    { "first-id", FIRST_ID, "N", 0, "Id of the first node (default 0)", 0 },
    { "id-symbol", ID_SYMBOL, "NAME", 0,
      "A variable to set to the node's id, in addition to node_id, TOS_NODE_ID and similar", 0 },
    { "spread", SPREAD, "TIME", 0, "Nodes are switched on at random times up to this (default 1s)", 0 },
    { "out", OUT, "DIR", 0, "Where the run's files go (default: hindcast-run-N)", 0 },
    { "threads", THREADS, "N", 0, "Host threads; the run is the same with any number", 0 },
    { "hash", HASH, NULL, 0, "Hash every node's instructions, to compare runs; about a tenth of full speed", 0 },
    { NULL, 0, NULL, 0, "What to see:", 4 },
    { "leds", LEDS, NULL, 0, "Show the LEDs' changes on stderr", 0 },
    { "stats", STATS, NULL, 0, "Instructions, cycles, time awake and in each low-power mode, on stderr at the end", 0 },
    { "json", JSON, NULL, 0, "All of that, and the UART's output, as one JSON object on stdout", 0 },
    { "trace", TRACE, "FILE", OPTION_ARG_OPTIONAL,
      "Every instruction with its source line and the registers that it changed, on stderr or to FILE", 0 },
    { "oracle", ORACLE, "FILE", 0,
      "Hashes of every instruction outside the recorder, for `hindcast replay --verify`; of several nodes: FILE.ID "
      "each",
      0 },
    { "vcd", VCD, "FILE", 0, "Waveforms of all pins, LEDs, radio and sleep states, for GTKWave", 0 },
    { "gdb", GDB, "PORT", 0, "Wait for a debugger at 127.0.0.1:PORT (0: any free port)", 0 },
    { 0 },
};

static const char arguments_help[] = "IMAGE\n[SCENARIO] [IMAGE...]";

static const char documentation[] = "Runs firmware (ELF, Intel HEX or TI-TXT) on an emulated node, with its UART on "
                                    "stdout, until Ctrl-C, until it sleeps for ever, or for --seconds. Several nodes, "
                                    "or a scenario (docs/scenario.md), write their results to a directory.\v"
                                    "Examples:\n"
                                    "  hindcast run app.elf --seconds 10 --stats\n"
                                    "  hindcast run app.hex --until main\n"
                                    "  hindcast run app.elf --until app.c:27 --trace=trace.txt\n"
                                    "  hindcast run app.elf --seconds 60 --vcd app.vcd && gtkwave app.vcd\n"
                                    "  hindcast run app.elf --flash log.bin --node-id 7 --seconds 3600 --json\n"
                                    "  hindcast run dump.elf --flash node.flash --uart-pty=mote\n"
                                    "  hindcast run app.elf --gdb 1234 &  lldb-19 app.elf -o 'gdb-remote 1234'\n"
                                    "  hindcast run --nodes 9 --topology grid:3x3:1m mho.elf --seconds 600\n"
                                    "  hindcast run scenario.txt --out run --threads 2\n"
                                    "\n"
                                    "Exit codes: 0 fine; 1 the firmware faulted, or --until was not reached; 2 wrong "
                                    "usage; 3 a file is bad or does not fit.";

static uint64_t number(struct argp_state *state, const char *what, const char *text, int base, uint64_t most)
{
    char *end;

    errno = 0;
    unsigned long long value = strtoull(text, &end, base);
    if (errno || end == text || *end || *text == '-' || value > most)
        argp_error(state, "--%s: '%s': expected a number 0..%llu", what, text, (unsigned long long)most);
    return value;
}

static hc_time seconds(struct argp_state *state, const char *text)
{
    const double most = (double)(1u << 24);
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end || !isfinite(value) || value < 0 || value >= most)
        argp_error(state, "--seconds: '%s': expected a time below %.0f s", text, most);
    return (hc_time)(value * (double)HC_SECOND);
}

static enum hc_run_board board(struct argp_state *state, const char *name)
{
    for (int i = 0; hc_run_board_names[i]; i++)
        if (!strcmp(name, hc_run_board_names[i]))
            return (enum hc_run_board)i;
    argp_error(state, "--board: '%s': expected telosb, fr5969, fr5994 or flat", name);
    return HC_RUN_TELOSB;
}

/* pty, or pty:LINK */
static void take_uart(struct argp_state *state, struct hc_run_options *o, char *argument)
{
    if (strncmp(argument, "pty", 3) != 0 || (argument[3] && (argument[3] != ':' || !argument[4])))
        argp_error(state, "--uart: '%s': expected pty or pty:LINK", argument);
    o->uart_pty = true;
    o->uart_pty_link = argument[3] ? argument + 4 : NULL;
}

/* What makes no sense for several nodes. */
static void note_single(struct hc_run_options *o, int key)
{
    static const int keys[] = { BOARD, UNTIL, UART_INPUT, UART_AT, UART, UART_PTY, FLASH, MEMORY,
                                VCD,   TRACE, STATS,      LEDS,    GDB,  NODE_ID,  SERIAL };

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (const struct argp_option *option = options; key == keys[i] && (option->name || option->doc); option++)
            if (option->key == key)
                o->one_node_only = option->name;
}

/* NULL when the option is no flag. */
static bool *flag_of(struct hc_run_options *o, int key)
{
    switch (key) {
    case STATS:
        return &o->stats;
    case JSON:
        return &o->json;
    case LEDS:
        return &o->leds;
    case LENIENT:
        return &o->lenient;
    case HASH:
        return &o->hash;
    default:
        return NULL;
    }
}

static void check(struct argp_state *state, const struct hc_run_options *o)
{
    if (!o->files)
        argp_error(state, "no IMAGE given: give an ELF, Intel HEX or TI-TXT file");
    if (o->board == HC_RUN_FLAT && (o->flash || o->uart_input || o->timed_input || o->uart_pty || o->leds))
        argp_error(state, "a flat board has no flash chip, UART or LEDs");
    if (o->uart_pty && (o->uart_input || o->gdb_port >= 0))
        argp_error(state, "--uart-pty cannot be combined with --uart-input or --gdb");
    if ((o->board == HC_RUN_FR5969 || o->board == HC_RUN_FR5994) && o->flash)
        argp_error(state, "an fr5969 or fr5994 has no flash chip");
}

static error_t parse_field(int key, char *argument, struct argp_state *state)
{
    struct hc_run_options *o = state->input;

    switch (key) {
    case NODES:
        o->nodes = (int)number(state, "nodes", argument, 10, HC_SCENARIO_NODES_MAX);
        if (!o->nodes)
            argp_error(state, "--nodes: at least 1");
        break;
    case TOPOLOGY:
        o->topology = argument;
        break;
    case FIRST_ID:
        o->first_id = (unsigned)number(state, "first-id", argument, 10, HC_NODE_ID_MAX);
        break;
    case SPREAD:
        o->spread = argument;
        break;
    case ID_SYMBOL:
        o->id_symbol = argument;
        break;
    case OUT:
        o->out = argument;
        break;
    case THREADS:
        o->threads = (int)number(state, "threads", argument, 10, 256);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct hc_run_options *o = state->input;

    note_single(o, key);
    o->field |= key >= NODES && key <= HASH;
    bool *flag = flag_of(o, key);
    if (flag) {
        *flag = true;
        return 0;
    }
    switch (key) {
    case BOARD:
        o->board = board(state, argument);
        break;
    case SECONDS:
        o->limit = seconds(state, argument);
        break;
    case UNTIL:
        o->until = argument;
        break;
    case UART_INPUT:
        o->uart_input = argument;
        break;
    case UART_AT:
        hc_timed_inputs_parse(&o->timed_input, argument, state);
        break;
    case UART:
        take_uart(state, o, argument);
        break;
    case UART_PTY:
        o->uart_pty = true;
        o->uart_pty_link = argument;
        break;
    case FLASH:
        o->flash = argument;
        break;
    case MEMORY:
        o->memory = argument;
        break;
    case ORACLE:
        o->oracle = argument;
        break;
    case VCD:
        o->vcd = argument;
        break;
    case TRACE:
        o->trace = true;
        o->trace_file = argument;
        break;
    case GDB:
        o->gdb_port = (int)number(state, "gdb", argument, 10, UINT16_MAX);
        break;
    case NODE_ID:
        o->node_id = (uint16_t)number(state, "node-id", argument, 0, UINT16_MAX);
        break;
    case SERIAL:
        o->serial = number(state, "serial", argument, 16, ((uint64_t)1 << 48) - 1);
        break;
    case SEED:
        o->seed = number(state, "seed", argument, 0, INT64_MAX);
        o->has_seed = true;
        break;
    case ARGP_KEY_ARG:
        if (o->files == HC_RUN_FILES_MAX)
            argp_error(state, "more than %d files", HC_RUN_FILES_MAX);
        o->file[o->files++] = argument;
        break;
    case ARGP_KEY_END:
        check(state, o);
        break;
    default:
        return parse_field(key, argument, state);
    }
    return 0;
}

void hc_run_options_parse(struct hc_run_options *o, int argc, char **argv)
{
    static const struct argp argp = { options, parse, arguments_help, documentation, NULL, NULL, NULL };

    *o = (struct hc_run_options){ .limit = HC_NEVER, .gdb_port = -1, .node_id = 1, .spread = "1s" };
    argp_parse(&argp, argc, argv, 0, NULL, o);
}
