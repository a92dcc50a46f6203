/* hindcast paths: which way the code of a node went. */
#include "paths/decode.h"

#include "command.h"
#include "paths_print.h"
#include "support/plural.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { JSON = 256, BLOCKS };

struct options {
    const char *image, *log, *function;
    bool json, blocks, quiet;
};

static const struct argp_option argp_options[] = {
    { "function", 'f', "PATTERN", 0, "Only functions with such names (* and ?), and messages", 0 },
    { "blocks", BLOCKS, NULL, 0, "Addresses of the blocks that were executed, too", 0 },
    { "json", JSON, NULL, 0, "An object a line: paths, messages, losses", 0 },
    { "quiet", 'q', NULL, 0, "Only the last line, with the counts", 0 },
    { 0 },
};

static const char help[] =
    "Prints which source lines the functions that were chosen with --paths executed, in order, with the messages "
    "between "
    "them.\v"
    "LOG is what a node recorded with hindcast cc --record=messages+paths --paths=PATTERN. Each line is a stretch of a "
    "function up to its next call, loop or return, below its caller; what an interrupt handler did stands behind a "
    "bar. "
    "Lines that repeat are counted.\n\n"
    "Examples:\n"
    "  hindcast paths app.elf node.flash\n"
    "  hindcast paths app.elf node.flash --function 'send_*'\n"
    "  hindcast paths app.elf node.flash --json | jq -r 'select(.kind == \"path\").function' | sort | uniq -c\n\n"
    "Exit codes: 0 fine; 1 some paths do not fit together; 2 wrong usage; 3 the files are bad or do not fit.";

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case 'f':
        o->function = argument;
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case JSON:
        o->json = true;
        return 0;
    case BLOCKS:
        o->blocks = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "'%s': one IMAGE and one LOG are expected", argument);
        *(state->arg_num ? &o->log : &o->image) = argument;
        return 0;
    case ARGP_KEY_END:
        if (!o->log)
            argp_error(state, "an IMAGE and a LOG are needed: the ELF file that ran on the node, and what it recorded");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void count_only(void *owner, const struct hc_paths_event *event)
{
    struct hc_paths_printer *p = owner;

    p->function = ""; /* no function's */
    if (event->kind == HC_PATHS_EVENT_STRETCH)
        hc_paths_print(owner, event);
    p->messages += event->kind == HC_PATHS_EVENT_MESSAGE;
    p->resets += event->kind == HC_PATHS_EVENT_RESET;
    p->lost += event->kind == HC_PATHS_EVENT_LOST;
    p->strange += event->kind == HC_PATHS_EVENT_STRANGE;
    p->left += event->kind == HC_PATHS_EVENT_LEFT;
}

static void print_counts(const struct hc_paths_printer *p)
{
    printf("%zu stretch%s, %u run%s of interrupt handlers, %zu message%s, %zu reset%s; %zu place%s where paths are "
           "missing, %zu left by a jump, %zu that %s not fit\n",
           p->stretches, p->stretches == 1 ? "" : "es", p->runs, hc_plural(p->runs), p->messages,
           hc_plural(p->messages), p->resets, hc_plural(p->resets), p->lost, hc_plural(p->lost), p->left, p->strange,
           p->strange == 1 ? "does" : "do");
}

static int print(const struct options *o, struct hc_image *image, const struct hc_path_map *map,
                 const struct hc_log *log)
{
    struct hc_paths_printer p = {
        .image = image, .to = stdout, .json = o->json, .blocks = o->blocks, .function = o->function
    };

    if (!hc_traffic_is(log) || !hc_paths_fit(image, log)) {
        hc_complain("%s: was not recorded by %s: give the program that was on the node", o->log, o->image);
        return HC_EXIT_INPUT;
    }
    bool fine = hc_paths_read(map, log, o->quiet ? count_only : hc_paths_print, &p);
    hc_paths_print_end(&p);
    if (!fine) {
        hc_complain("out of memory");
        return HC_EXIT_INPUT;
    }
    if (!o->json)
        print_counts(&p);
    return p.strange ? HC_EXIT_FOUND : HC_EXIT_FINE;
}

static int open_and_print(const struct options *o, struct hc_image *image)
{
    struct hc_image_message why;
    struct hc_log_message message;
    struct hc_log *log;
    struct hc_path_map *map = hc_path_map_load(image, &why);
    int code = HC_EXIT_INPUT;

    if (!map) {
        hc_complain("%s", why.text);
    } else if (hc_log_open_file(&log, o->log, &message) != HC_LOG_OK) {
        hc_complain("%s", message.text);
    } else {
        code = print(o, image, map, log);
        hc_log_free(log);
    }
    hc_path_map_free(map);
    return code;
}

static int run(int argc, char **argv)
{
    static const struct argp argp = { argp_options, parse, "IMAGE LOG", help, 0, 0, 0 };
    struct options o = { 0 };
    struct hc_image_message message;
    struct hc_image *image;

    argp_parse(&argp, argc, argv, 0, 0, &o);
    if (hc_image_load_file(&image, o.image, &message) != HC_IMAGE_OK) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = open_and_print(&o, image);
    hc_image_free(image);
    return code;
}

const struct hc_command hc_paths_command = { "paths", "Show which way a node's code went", run };
