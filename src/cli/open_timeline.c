#include "open_timeline.h"

#include "command.h"
#include "damage.h"

#include <stdio.h>

/* What the node says on its UART is shown once, however often that moment comes again. */
static void transmitted(void *owner, uint8_t byte, hc_time now)
{
    struct hc_opened_timeline *t = owner;

    (void)now;
    if (t->timeline && !hc_timeline_repeating(t->timeline))
        putchar(byte);
}

static int open_node(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    struct hc_run_options run = { .files = 1, .limit = options->limit, .node_id = options->node_id, .gdb_port = -1 };

    run.file[0] = options->image;
    int code = hc_node_new(&t->node, &run);
    if (code)
        return code;
    t->image = t->node.image;
    hc_node_power_on(&t->node);
    t->execution = hc_machine_execution_new(t->node.machine, options->limit);
    struct hc_uart_end uart = hc_node_uart(&t->node);
    if (uart.uart && !options->quiet)
        uart.on_transmit(uart.uart, transmitted, t);
    return HC_EXIT_FINE;
}

static int open_log(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    struct hc_image_message image_message;
    struct hc_replay_message message;

    if (hc_image_load_file(&t->image, options->image, &image_message)) {
        hc_complain("%s", image_message.text);
        return HC_EXIT_INPUT;
    }
    if (hc_replay_open(&t->replay, t->image, options->log, options->segment, &message)) {
        hc_complain("%s", message.text);
        return HC_EXIT_INPUT;
    }
    for (int i = 0; i < options->settings; i++)
        hc_replay_set(t->replay, options->set[i].name, options->set[i].value);
    const struct hc_log_segment *first;
    hc_tell_damage(hc_replay_log(t->replay, &first), options->segment);
    t->execution = hc_replay_execution_new(t->replay);
    return HC_EXIT_FINE;
}

int hc_open_timeline(struct hc_opened_timeline *t, const struct hc_timeline_options *options)
{
    *t = (struct hc_opened_timeline){ 0 };
    int code = options->log ? open_log(t, options) : open_node(t, options);
    if (code)
        return code;
    t->timeline = t->execution ? hc_timeline_new(t->execution, 0) : NULL;
    if (t->timeline)
        return HC_EXIT_FINE;
    hc_complain("out of memory");
    return HC_EXIT_INPUT;
}

void hc_close_timeline(struct hc_opened_timeline *t)
{
    hc_timeline_free(t->timeline);
    hc_execution_free(t->execution);
    if (t->replay)
        hc_replay_free(t->replay);
    if (t->node.image)
        hc_node_free(&t->node);
    else
        hc_image_free(t->image);
}
