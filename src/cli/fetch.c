/* hindcast fetch: the flash chip of a real mote, over its serial port. */
#include "fetch/fetch.h"
#include "command.h"
#include "fetch/port.h"
#include "fetch/rate.h"
#include "progress.h"
#include "signals.h"

#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *port, *out;
    unsigned rate;
    uint32_t first, last;
    bool restart, json;
};

/* ---- the command line ---- */

static const struct argp_option argp_options[] = {
    { "output", 'o', "FILE", 0, "Output file for the chip's contents; FILE.partial until complete", 0 },
    { "log-region", 'l', "FIRST-LAST", 0,
      "Read only this region, as given to `hindcast cc`, in units of 4 KB; the rest of FILE is 0xff", 0 },
    { "baud", 'b', "RATE", 0, "The only rate to try (default: 115200, 57600, 38400, 19200, 9600)", 0 },
    { "restart", 'r', NULL, 0, "Ignore an existing FILE.partial and start again", 0 },
    { "json", 'j', NULL, 0, "The result as a JSON object on stdout", 0 },
    { 0 },
};

static void parse_region(struct options *o, const char *text, struct argp_state *state)
{
    enum { ADDRESSES = 1 << 24 };
    char *end, *end_of_first;
    unsigned long first = strtoul(text, &end_of_first, 0);
    unsigned long last = *end_of_first == '-' ? strtoul(end_of_first + 1, &end, 0) : 0;

    if (end_of_first == text || *end_of_first != '-' || end == end_of_first + 1 || *end || *text == '-' ||
        last >= ADDRESSES || first > last)
        argp_error(state, "--log-region: '%s': expected a range like 0x40000-0xfffff", text);
    o->first = (uint32_t)first;
    o->last = (uint32_t)last;
}

static void parse_rate(struct options *o, const char *text, struct argp_state *state)
{
    enum { SLOWEST = 9600 };
    char *end;
    unsigned long rate = strtoul(text, &end, 10);
    speed_t speed;

    if (end == text || *end || rate < SLOWEST || rate > UINT32_MAX || !hc_rate_to_speed((unsigned)rate, &speed))
        argp_error(state, "--baud: '%s': expected a rate of serial ports of at least %d, such as 115200", text,
                   SLOWEST);
    o->rate = (unsigned)rate;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'o':
        o->out = argument;
        return 0;
    case 'l':
        parse_region(o, argument, state);
        return 0;
    case 'b':
        parse_rate(o, argument, state);
        return 0;
    case 'r':
        o->restart = true;
        return 0;
    case 'j':
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->port)
            argp_error(state, "more than one PORT given");
        o->port = argument;
        return 0;
    case ARGP_KEY_END:
        if (!o->port)
            argp_error(state, "no PORT given: see ls /dev/ttyUSB*");
        if (!o->out || !*o->out)
            argp_error(state, "no output given: add -o FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = argp_options,
    .parser = parse,
    .args_doc = "PORT",
    .doc =
        "Reads the flash chip of a mote at a serial port. The dump program, dump.elf, must run on the mote: "
        "docs/fetch.md says how to install it. It only reads. To continue after an interruption, repeat the command.\v"
        "Examples:\n"
        "  hindcast fetch /dev/ttyUSB0 -o node.flash && hindcast log node.flash\n"
        "  hindcast fetch /dev/ttyUSB0 -o node.flash --log-region 0x40000-0xfffff\n\n"
        "Exit codes: 0 fine; 2 wrong usage; 3 no mote there, interrupted, or FILE.partial is of another chip.",
};

/* ---- the port as a line ---- */

static enum hc_fetch_error set_rate(void *port, unsigned rate, struct hc_fetch_message *message)
{
    return hc_port_set_rate(port, rate, message);
}

static enum hc_fetch_error port_send(void *port, const void *bytes, size_t count, struct hc_fetch_message *message)
{
    return hc_port_send(port, bytes, count, message);
}

static enum hc_fetch_error port_receive(void *port, uint8_t *to, size_t room, int ms, size_t *count,
                                        struct hc_fetch_message *message)
{
    return hc_port_receive(port, to, room, ms, count, message);
}

static int64_t now_ms(void *port)
{
    struct timespec now;

    (void)port;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool stopped(void *port)
{
    (void)port;
    return hc_signalled();
}

/* A signal ends a wait; hc_signalled reports it. */
static void wake(void *unused)
{
    (void)unused;
}

/* ---- what is said ---- */

static void show_progress(void *progress, uint32_t done, uint32_t all, bool checking)
{
    hc_progress_tell(progress, all ? (double)done / all : -1, "%s %u of %u KB", checking ? "checking" : "reading",
                     done / 1024, all / 1024);
}

static void print_text(const struct options *o, const struct hc_fetch_result *r, double seconds)
{
    printf("%s: %u KB of node %u (serial number %012llx) at %u baud, of these %u KB blank, in %.1f s", o->out,
           (r->last + 1 - r->first) / 1024, r->identity.node, (unsigned long long)r->identity.serial, r->rate,
           r->blank / 1024, seconds);
    if (r->continued)
        printf("; %u KB from an earlier attempt, unchanged", r->continued / 1024);
    if (r->repeated)
        printf("; %llu of %llu requests were repeated", (unsigned long long)r->repeated,
               (unsigned long long)r->requests);
    putchar('\n');
}

static void print_json(const struct options *o, const struct hc_fetch_result *r, double seconds)
{
    char serial[16], chip[16];

    snprintf(serial, sizeof serial, "%012llx", (unsigned long long)r->identity.serial);
    snprintf(chip, sizeof chip, "%02x%02x%02x", r->identity.chip[0], r->identity.chip[1], r->identity.chip[2]);
    json_t *out = json_pack("{s:s,s:s,s:i,s:i,s:s,s:i,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:f}", "file", o->out,
                            "port", o->port, "baud", (int)r->rate, "node", (int)r->identity.node, "serial", serial,
                            "signature", (int)r->identity.signature, "chip", chip, "size", (json_int_t)r->identity.size,
                            "first", (json_int_t)r->first, "last", (json_int_t)r->last, "read_bytes",
                            (json_int_t)r->read, "blank_bytes", (json_int_t)r->blank, "continued_bytes",
                            (json_int_t)r->continued, "requests", (json_int_t)r->requests, "repeated",
                            (json_int_t)r->repeated, "skipped_bytes", (json_int_t)r->skipped, "seconds", seconds);
    json_dumpf(out, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(out);
}

/* ---- the command ---- */

static int fetch(const struct options *o, struct hc_port *port)
{
    int64_t begun = now_ms(NULL);
    struct hc_progress progress;
    struct hc_fetch_message message;
    struct hc_fetch_result result;
    struct hc_fetch_config config = {
        .line = { port, o->port, set_rate, port_send, port_receive, now_ms, stopped },
        .out = o->out,
        .rate = o->rate,
        .first = o->first,
        .last = o->last,
        .restart = o->restart,
        .progress = show_progress,
        .owner = &progress,
    };

    hc_progress_begin(&progress);
    enum hc_fetch_error error = hc_fetch(&config, &result, &message);
    hc_progress_clear(&progress);
    if (error) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    double seconds = (double)(now_ms(NULL) - begun) / 1000;
    (o->json ? print_json : print_text)(o, &result, seconds);
    return HC_EXIT_FINE;
}

static int run(int argc, char **argv)
{
    struct options o = { .last = UINT32_MAX };
    struct hc_fetch_message message;
    struct hc_port port;

    argp_parse(&parser, argc, argv, 0, NULL, &o);
    if (hc_port_open(&port, o.port, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    hc_signals_catch(wake, NULL);
    int code = fetch(&o, &port);
    hc_signals_catch(NULL, NULL);
    hc_port_close(&port);
    return code;
}

const struct hc_command hc_fetch_command = {
    .name = "fetch",
    .summary = "Read the flash chip of a real mote over its serial port",
    .run = run,
};
