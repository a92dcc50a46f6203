#include "open_timeline.h"

#include "replay/region/region_map.h"

#include "command.h"
#include "damage.h"
#include "numbers.h"
#include "progress.h"
#include "recorded/build_id.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

enum { SECONDS = 512, SEGMENT, NODE_ID, SET, UART_AT }; /* beyond the keys of the commands */

static const struct argp_option recording_options[] = {
    { "segment", SEGMENT, "N", 0, "Start at this segment of the log (default: the first)", 0 },
    { "set", SET, "NAME=VALUE", 0,
      "The value of a variable that was set when this node was installed, as `hindcast run --nodes` sets node_id", 0 },
    { 0 },
};

static const struct argp_option live_options[] = {
    { "seconds", SECONDS, "T", 0, "Without a log: end after this time", 0 },
    { "node-id", NODE_ID, "N", 0, "Without a log: the node's id", 0 },
    { "uart-at", UART_AT, "TIME=TEXT", 0,
      "Without a log: text sent to the node's UART at that time, such as 5s=hello\\n; any number of times", 0 },
    { 0 },
};

static hc_time parse_seconds(struct argp_state *state, const char *argument)
{
    const double most = 1e7;
    char *end;
    double n = strtod(argument, &end);

    if (end == argument || *end || !(n >= 0 && n <= most))
        argp_error(state, "--seconds: '%s': expected a number 0..%.0f", argument, most);
    return (hc_time)(n * (double)HC_SECOND);
}

static void parse_setting(struct argp_state *state, struct hc_timeline_options *o, const char *argument)
{
    const char *equals = strchr(argument, '=');
    char *end;
    size_t length = equals ? (size_t)(equals - argument) : 0;

    if (o->settings == HC_SETTINGS_MAX) {
        argp_error(state, "--set: '%s': more than %d variables", argument, HC_SETTINGS_MAX);
        return;
    }
    if (!length || length >= sizeof o->set[0].name) {
        argp_error(state, "--set: '%s': expected NAME=VALUE", argument);
        return;
    }
    memcpy(o->set[o->settings].name, argument, length);
    o->set[o->settings].name[length] = '\0';
    o->set[o->settings].value = (uint32_t)strtoul(equals + 1, &end, 0);
    if (!equals[1] || *end)
        argp_error(state, "--set: '%s': expected a number", equals + 1);
    o->settings++;
}

static error_t parse_recording(int key, char *argument, struct argp_state *state)
{
    struct hc_timeline_options *o = state->input;

    if (key == SEGMENT)
        o->segment = (int)hc_number_argument(state, "--segment", argument, 0, UINT16_MAX);
    else if (key == SET)
        parse_setting(state, o, argument);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static error_t parse_live(int key, char *argument, struct argp_state *state)
{
    struct hc_timeline_options *o = state->input;

    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = o;
    else if (key == SECONDS)
        o->limit = parse_seconds(state, argument);
    else if (key == UART_AT)
        hc_timed_inputs_parse(&o->timed_input, argument, state);
    else if (key == NODE_ID)
        o->node_id = (uint16_t)hc_number_argument(state, "--node-id", argument, 0, UINT16_MAX);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

const struct argp hc_recording_argp = { recording_options, parse_recording, NULL, NULL, NULL, NULL, NULL };
static const struct argp_child recording_child[] = { { &hc_recording_argp, 0, NULL, 0 }, { 0 } };
const struct argp hc_timeline_argp = { live_options, parse_live, NULL, NULL, recording_child, NULL, NULL };

void hc_take_file(struct hc_timeline_options *options, const char *argument, struct argp_state *state)
{
    if (options->log)
        argp_error(state, "'%s': more than two files given", argument);
    *(options->image ? &options->log : &options->image) = argument;
}

/* ---- opening ---- */

/* Shows what the node sends over its UART once, however often the timeline runs through that moment. */
static void transmitted(void *owner, uint8_t byte, hc_time now)
{
    struct hc_opened_timeline *t = owner;

    (void)now;
    if (!t->timeline || hc_timeline_repeating(t->timeline))
        return;
    if (t->progress)
        hc_progress_hold(t->progress, byte != '\n');
    putchar(byte);
}

static void restored(void *owner)
{
    hc_timed_inputs_restored(owner);
}

/* Text for the UART, now or later. */
static bool connect_input(struct hc_opened_timeline *t, struct hc_uart_end uart)
{
    if (!uart.uart)
        return true;
    if (!t->timed_input && !(t->timed_input = calloc(1, sizeof *t->timed_input)))
        return false;
    hc_timed_inputs_start(t->timed_input, uart, t->node.machine);
    hc_machine_execution_on_restore(t->execution, restored, t->timed_input);
    return true;
}

static int open_node(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    struct hc_run_options run = {
        .files = 1, .limit = options->limit, .node_id = options->node_id, .gdb_port = -1, .messages = options->messages
    };

    run.board = options->board;
    run.file[0] = options->image;
    int code = hc_node_new(&t->node, &run);
    if (code)
        return code;
    t->image = t->node.image;
    hc_node_power_on(&t->node, options->messages);
    t->execution = hc_machine_execution_new(t->node.machine, options->limit);
    struct hc_uart_end uart = hc_node_uart(&t->node);
    if (!t->execution || !connect_input(t, uart)) {
        hc_complain_to(options->messages, "out of memory");
        return HC_EXIT_INPUT;
    }
    if (uart.uart && !options->quiet)
        uart.on_transmit(uart.uart, transmitted, t);
    return HC_EXIT_FINE;
}

int hc_open_recording(struct hc_image **image, struct hc_replay **replay, const struct hc_timeline_options *options)
{
    struct hc_image_message image_message;
    struct hc_replay_message message;

    if (hc_image_load_file(image, options->image, &image_message)) {
        hc_complain_to(options->messages, "%s", image_message.text);
        return HC_EXIT_INPUT;
    }
    if (hc_replay_open(replay, *image, options->log, options->segment, &message)) {
        hc_complain_to(options->messages, "%s", message.text);
        return HC_EXIT_INPUT;
    }
    if (hc_build_id_check(*image) == HC_BUILD_ID_CHANGED)
        hc_complain_to(
            options->messages,
            "note: %s was changed after it was linked; its replay is right if it is the file that was on the node",
            options->image);
    for (int i = 0; i < options->settings; i++)
        if (!hc_replay_set(*replay, options->set[i].name, options->set[i].value)) {
            hc_complain_to(options->messages, "--set: %s has no variable %s with an initial value", options->image,
                           options->set[i].name);
            return HC_EXIT_INPUT;
        }
    return HC_EXIT_FINE;
}

int hc_open_region(struct hc_region_replay **region, struct hc_image *image, const struct hc_timeline_options *options)
{
    char text[480];

    if (!hc_region_replay_open(region, image, options->log, options->segment < 0 ? 0 : (size_t)options->segment, text,
                               sizeof text)) {
        hc_complain_to(options->messages, "%s", text);
        return HC_EXIT_INPUT;
    }
    for (int i = 0; i < options->settings; i++)
        if (!hc_region_replay_set(*region, options->set[i].name, options->set[i].value)) {
            hc_complain_to(options->messages, "--set: %s has no variable %s", options->image, options->set[i].name);
            return HC_EXIT_INPUT;
        }
    return HC_EXIT_FINE;
}

/* An ELF with a region is replayed by its own means. */
static int open_region(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    int code = hc_open_region(&t->region, t->image, options);

    if (!code)
        t->execution = hc_region_execution_new(t->region);
    return code;
}

static bool has_region(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    struct hc_image_message message;

    if (hc_image_load_file(&t->image, options->image, &message))
        return false;
    if (hc_region_map_is(t->image))
        return true;
    hc_image_free(t->image);
    t->image = NULL;
    return false;
}

static int open_log(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    const struct hc_log_segment *first;

    if (has_region(t, options))
        return open_region(t, options);
    int code = hc_open_recording(&t->image, &t->replay, options);

    if (code)
        return code;
    t->damaged = hc_tell_damage(hc_replay_log(t->replay, &first), options->segment, options->messages);
    t->execution = hc_replay_execution_new(t->replay);
    return HC_EXIT_FINE;
}

int hc_open_run(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    *t = (struct hc_opened_timeline){ .timed_input = options->timed_input };
    if (options->log && options->timed_input) {
        hc_complain_to(options->messages, "--uart-at: a recording has its inputs in its log; leave out one of them");
        return HC_EXIT_USAGE;
    }
    return options->log ? open_log(t, options) : open_node(t, options);
}

int hc_open_timeline(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    int code = hc_open_run(t, options);
    if (code)
        return code;
    t->timeline = t->execution ? hc_timeline_new(t->execution, options->memory) : NULL;
    if (t->timeline)
        return HC_EXIT_FINE;
    hc_complain_to(options->messages, "out of memory");
    return HC_EXIT_INPUT;
}

bool hc_timeline_send(void *owner, const char *text, char *problem, size_t size)
{
    struct hc_opened_timeline *t = owner;

    if (!hc_timed_inputs_add(t->timed_input, text, problem, size))
        return false;
    hc_timeline_forget_future(t->timeline);
    return true;
}

void hc_close_timeline(struct hc_opened_timeline *t)
{
    hc_timeline_free(t->timeline);
    hc_region_replay_free(t->region);
    free(t->timed_input);
    hc_execution_free(t->execution);
    if (t->replay)
        hc_replay_free(t->replay);
    if (t->node.image)
        hc_node_free(&t->node);
    else
        hc_image_free(t->image);
}
