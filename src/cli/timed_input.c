#include "timed_input.h"

#include "field/quantity.h"
#include "machine/device.h"

#include <stdlib.h>
#include <string.h>

/* In order of time, those of equal time as they are given. */
static void insert(struct hc_timed_inputs *inputs, const struct hc_timed_input *input)
{
    int at = inputs->count++;

    for (; at > 0 && inputs->input[at - 1].at > input->at; at--)
        inputs->input[at] = inputs->input[at - 1];
    inputs->input[at] = *input;
}

void hc_timed_inputs_parse(struct hc_timed_inputs **inputs, const char *argument, struct argp_state *state)
{
    struct hc_timed_input input = { 0 };
    struct hc_message message = { "" };
    const char *equals = strchr(argument, '=');
    char time[40];

    snprintf(time, sizeof time, "%.*s", equals ? (int)(equals - argument) : 0, argument);
    if (!equals || equals - argument >= (int)sizeof time || !hc_quantity_time(time, &input.at))
        argp_error(state, "--uart-at: '%s': expected TIME=TEXT, such as 5s=hello\\n", argument);
    else if ((input.size = hc_uart_text(equals + 1, input.bytes, &message)) < 0)
        argp_error(state, "--uart-at: '%s': %s", argument, message.text);
    else if (!*inputs && !(*inputs = calloc(1, sizeof **inputs)))
        argp_failure(state, 1, 0, "out of memory");
    else if ((*inputs)->count == HC_TIMED_INPUTS_MAX)
        argp_error(state, "--uart-at: more than %d texts", HC_TIMED_INPUTS_MAX);
    else
        insert(*inputs, &input);
}

static void send(const struct hc_timed_inputs *inputs, const struct hc_timed_input *input)
{
    int sent = 0;

    while (sent < input->size && inputs->end.receive(inputs->end.uart, input->bytes[sent]))
        sent++;
    if (sent < input->size)
        hc_note(inputs->machine, "uart: %d of %d bytes sent at %.6f s are lost: too many wait already",
                input->size - sent, input->size, hc_seconds(input->at));
}

static hc_time due(void *owner, hc_time now)
{
    const struct hc_timed_inputs *inputs = owner;

    for (int i = 0; i < inputs->count; i++) {
        if (inputs->input[i].at == now)
            send(inputs, &inputs->input[i]);
        else if (inputs->input[i].at > now)
            return inputs->input[i].at;
    }
    return HC_NEVER;
}

void hc_timed_inputs_start(struct hc_timed_inputs *inputs, struct hc_uart_end end, struct hc_machine *m)
{
    if (!inputs || !end.uart)
        return;
    inputs->end = end;
    inputs->machine = m;
    inputs->event = hc_event_new(hc_events(m), "host.timed_input", due, inputs);
    if (inputs->count)
        hc_event_arm(hc_events(m), inputs->event, inputs->input[0].at);
}

/* The first that is not sent yet: at a settled moment all events up to now have fired. */
static void arm(struct hc_timed_inputs *inputs)
{
    hc_time now = hc_now(inputs->machine);

    hc_event_cancel(hc_events(inputs->machine), inputs->event);
    for (int i = 0; i < inputs->count; i++)
        if (inputs->input[i].at > now) {
            hc_event_arm(hc_events(inputs->machine), inputs->event, inputs->input[i].at);
            return;
        }
}

bool hc_timed_inputs_add(struct hc_timed_inputs *inputs, const char *text, char *problem, size_t size)
{
    struct hc_timed_input input = { .at = hc_now(inputs->machine) + 1 };
    struct hc_message message = { "" };

    input.size = hc_uart_text(text, input.bytes, &message);
    if (inputs->count == HC_TIMED_INPUTS_MAX)
        snprintf(problem, size, "%d texts were sent already, which is as many as can be", HC_TIMED_INPUTS_MAX);
    else if (input.size < 0)
        snprintf(problem, size, "'%.80s': %s", text, message.text);
    else {
        insert(inputs, &input);
        arm(inputs);
        return true;
    }
    return false;
}

void hc_timed_inputs_restored(struct hc_timed_inputs *inputs)
{
    arm(inputs);
}
