#include "testbed.h"

#include "machine/device.h"
#include "target/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- images ---- */

/* What installers of TinyOS 2 and 1 set, and our own applications' name. */
static const char *const id_symbols[] = {
    "node_id", "TOS_NODE_ID", "ActiveMessageAddressC__addr", "ActiveMessageAddressC$addr", "TOS_LOCAL_ADDRESS",
};

/* A variable that has a value in the image can be patched there; one that is zero at the start is the firmware's own.
 */
static bool add_id_symbol(struct hc_testbed_image *image, const char *name)
{
    struct hc_symbol symbol;
    uint32_t programmed;

    if (!hc_image_symbol(image->image, name, &symbol) || symbol.function ||
        !hc_image_initial_value(image->image, symbol.address, &programmed))
        return false;
    for (int i = 0; i < image->id_symbols; i++)
        if (image->id_symbol[i].programmed == programmed)
            return true;
    int size = symbol.size == 1 || symbol.size == 4 ? (int)symbol.size : 2;
    image->id_symbol[image->id_symbols++] = (struct hc_id_symbol){ symbol.name, programmed, size };
    return true;
}

static bool has_reset_vector(const struct hc_image *image)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);
    uint32_t vector = hc_msp430f1611_part.vectors_end - 2;

    for (size_t i = 0; i < count; i++)
        if (segments[i].address <= vector && vector - segments[i].address < segments[i].size)
            return true;
    return false;
}

static int load_image(struct hc_testbed_image *image, const char *path, const char *id_symbol,
                      struct hc_message *message)
{
    struct hc_image_message cause;

    if (hc_image_load_file(&image->image, path, &cause))
        return hc_refuse(message, HC_REFUSED, "%s", cause.text);
    if (!has_reset_vector(image->image))
        return hc_refuse(message, HC_REFUSED, "%s: has no reset vector: is it built for another part?", path);
    if (id_symbol && !add_id_symbol(image, id_symbol))
        return hc_refuse(message, HC_REFUSED, "%s: has no variable '%s' with an initial value to patch", path,
                         id_symbol);
    for (size_t i = 0; i < sizeof id_symbols / sizeof *id_symbols; i++)
        add_id_symbol(image, id_symbols[i]);
    return 0;
}

/* Which line names the image, in front of why it is refused. */
static void add_line(const struct hc_scenario *s, int image, struct hc_message *message)
{
    struct hc_message cause = *message;

    for (int i = 0; i < s->nodes; i++)
        if (s->node[i].image == image && s->node[i].names_image) {
            hc_refuse(message, HC_REFUSED, "%.120s: line %d: %.320s", s->name, s->node[i].line, cause.text);
            return;
        }
}

static int load_images(struct hc_testbed *t, const char *id_symbol, struct hc_message *message)
{
    int error = 0;

    t->image = calloc((size_t)t->scenario->images, sizeof *t->image);
    if (!t->image)
        return hc_no_memory(message);
    t->images = t->scenario->images;
    for (int i = 0; i < t->images && !error; i++) {
        error = load_image(&t->image[i], t->scenario->image[i], id_symbol, message);
        if (error)
            add_line(t->scenario, i, message);
    }
    return error;
}

static int program(const struct hc_testbed_node *n, struct hc_message *message)
{
    struct hc_load_message cause;

    if (!hc_load(n->board->machine, n->image->image, &cause))
        return !hc_load_is_other_part(n->board->machine, n->image->image)
                   ? hc_refuse(message, HC_REFUSED, "%s", cause.text)
                   : hc_refuse(message, HC_REFUSED,
                               "%s: is built for another part than the %s of these nodes; hindcast run --board fr5969 "
                               "runs one alone",
                               hc_image_name(n->image->image), hc_machine_part(n->board->machine)->name);
    for (int i = 0; i < n->image->id_symbols; i++)
        for (int k = 0; k < n->image->id_symbol[i].size; k++)
            hc_poke(n->board->machine, n->image->id_symbol[i].programmed + (uint32_t)k,
                    k < 2 ? (uint8_t)(n->plan->id >> 8 * k) : 0);
    return 0;
}

/* ---- sensors ---- */

static const struct hc_sensor_input *input_of(const struct hc_testbed_node *n, int sense)
{
    int index = n->plan->sense[sense];
    return index < 0 ? NULL : &n->testbed->scenario->input[index].input;
}

static int64_t sensed(const struct hc_testbed_node *n, int sense, hc_time now, int64_t otherwise)
{
    const struct hc_sensor_input *input = input_of(n, sense);
    return input ? hc_input_at(input, now) : otherwise;
}

/* As in an office, where the scenario says nothing. */
static struct hc_sht11_world climate(void *owner, hc_time now)
{
    return (struct hc_sht11_world){ .millidegrees = (int32_t)sensed(owner, HC_SENSE_TEMPERATURE, now, 23500),
                                    .humidity_permille = (int32_t)sensed(owner, HC_SENSE_HUMIDITY, now, 450),
                                    .supply_millivolts = HC_SUPPLY_MILLIVOLTS };
}

static uint32_t light(void *owner, hc_time now)
{
    const int64_t dark = 0, most = UINT32_MAX;
    int64_t lux = sensed(owner, HC_SENSE_LIGHT, now, 300000) / 1000;
    return (uint32_t)(lux < dark ? dark : lux > most ? most : lux);
}

static int64_t voltage(void *owner, int channel, hc_time t)
{
    return sensed(owner, HC_SENSE_ADC0 + channel, t, 0);
}

static void connect_sensors(struct hc_testbed_node *n)
{
    if (input_of(n, HC_SENSE_TEMPERATURE) || input_of(n, HC_SENSE_HUMIDITY))
        hc_sht11_set_source(n->board->climate, climate, n);
    if (input_of(n, HC_SENSE_LIGHT)) {
        hc_light_sensor_set_source(n->board->visible_light, light, n);
        hc_light_sensor_set_source(n->board->total_light, light, n);
    }
    for (int channel = 0; channel < 8; channel++)
        if (input_of(n, HC_SENSE_ADC0 + channel))
            hc_adc12_set_source(n->board->chip.adc12, channel, voltage, n);
}

/* ---- nodes ---- */

static void note(void *owner, const char *text)
{
    struct hc_testbed_node *n = owner;
    size_t length = strlen(text);

    if (!n->notes)
        n->notes = malloc(HC_NOTES_SIZE);
    if (!n->notes || n->notes_size + length + 2 > HC_NOTES_SIZE)
        return;
    memcpy(n->notes + n->notes_size, text, length);
    n->notes_size += length;
    n->notes[n->notes_size++] = '\n';
    n->notes[n->notes_size] = '\0';
}

static uint64_t node_seed(uint64_t seed, uint64_t id)
{
    uint64_t z = (seed ^ id * 0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void started(void *owner, struct hc_world *world, hc_time at)
{
    struct hc_testbed_node *n = owner;

    (void)world;
    (void)at;
    hc_energy_switch(n->energy, true);
}

/* A chip that was never written has no file, but one that is named must be there. */
static int load_flash(const struct hc_testbed_node *n, struct hc_message *message)
{
    const struct hc_scenario_node *plan = n->plan;
    const char *name = n->testbed->scenario->name;
    char cause[256];

    if (access(plan->flash, R_OK))
        return hc_refuse(message, HC_REFUSED, "%.120s: line %d: %.200s: %s", name, plan->line, plan->flash,
                         strerror(errno));
    if (hc_m25p80_load_file(n->board->flash, plan->flash, cause, sizeof cause))
        return hc_refuse(message, HC_REFUSED, "%.120s: line %d: %s", name, plan->line, cause);
    return 0;
}

static int build_board(struct hc_testbed_node *n, struct hc_message *message)
{
    const struct hc_scenario_node *plan = n->plan;
    struct hc_telosb_config config = { .node_id = plan->id,
                                       .serial = plan->has_serial ? plan->serial : 0,
                                       .seed = node_seed(n->testbed->scenario->seed, plan->id) };

    n->board = hc_telosb_new(&config, hc_world_code(n->testbed->world));
    if (!n->board)
        return hc_no_memory(message);
    int error = program(n, message);
    if (!error && plan->flash)
        error = load_flash(n, message);
    if (error)
        hc_telosb_free(n->board);
    return error;
}

static int add_node(struct hc_testbed_node *n, const struct hc_testbed_options *options, struct hc_message *message)
{
    struct hc_world *world = n->testbed->world;
    int error = build_board(n, message);

    if (error)
        return error;
    connect_sensors(n);
    hc_machine_set_note(n->board->machine, note, n);
    hc_machine_set_lenient(n->board->machine, options->lenient);
    if (options->hash)
        hc_hash_start(n->board->machine);
    int index = hc_world_add(world, n->board, n->plan->start);
    n->energy = hc_energy_new(n->board);
    if (!n->energy)
        return hc_no_memory(message);
    hc_world_at(world, n->plan->start, started, n); /* just after its power-on */
    if (n->plan->placed)
        hc_medium_place(hc_world_medium(world), index, n->plan->position.x, n->plan->position.y, n->plan->position.z);
    return 0;
}

static int add_nodes(struct hc_testbed *t, const struct hc_testbed_options *options, struct hc_message *message)
{
    int error = 0;

    t->node = calloc((size_t)t->scenario->nodes, sizeof *t->node);
    if (!t->node)
        return hc_no_memory(message);
    for (int i = 0; i < t->scenario->nodes && !error; i++) {
        struct hc_testbed_node *n = &t->node[t->nodes++];
        n->testbed = t;
        n->plan = &t->scenario->node[i];
        n->image = &t->image[n->plan->image];
        error = add_node(n, options, message);
    }
    return error;
}

/* ---- what happens ---- */

static void set_link(struct hc_world *world, int from, int to, int gain)
{
    if (gain == HC_GAIN_OF_MODEL)
        hc_medium_unlink(hc_world_medium(world), from, to);
    else
        hc_medium_link(hc_world_medium(world), from, to, gain);
}

static void cut_power(struct hc_world *world, struct hc_testbed_node *n, int index)
{
    hc_energy_switch(n->energy, false);
    hc_world_power_off(world, index);
}

static void give_power(struct hc_world *world, struct hc_testbed_node *n, int index)
{
    if (hc_world_is_on(world, index))
        return;
    hc_energy_switch(n->energy, false); /* of a node that faulted */
    hc_world_power_on(world, index);
    hc_energy_switch(n->energy, true);
}

static void click(struct hc_testbed *t, int node, const struct hc_scenario_event *e)
{
    const struct hc_telosb *board = t->node[node].board;
    hc_time now = hc_now(board->machine); /* between two instructions: perhaps a few cycles later */

    hc_button_click(e->what == HC_HAPPENS_PRESS ? board->user_button : board->reset_button, e->at > now ? e->at : now,
                    e->length);
}

/* What finds no room on the line is lost, and the node's notes say so. */
static void send_text(struct hc_testbed_node *n, const struct hc_scenario_text *text, hc_time at)
{
    size_t sent = 0;

    while (sent < text->size && hc_usart_receive(n->board->uart, text->bytes[sent]))
        sent++;
    if (sent < text->size)
        hc_note(n->board->machine, "uart: %zu of %zu bytes sent to the node at %.6f s are lost: %d wait already",
                text->size - sent, text->size, hc_seconds(at), HC_USART_QUEUE);
}

static void happen(struct hc_testbed *t, const struct hc_scenario_event *e)
{
    struct hc_testbed_node *n = &t->node[e->node];
    struct hc_world *world = t->world;

    switch (e->what) {
    case HC_HAPPENS_LINK:
        set_link(world, e->node, e->to, e->gain);
        break;
    case HC_HAPPENS_MOVE:
        hc_medium_place(hc_world_medium(world), e->node, e->position.x, e->position.y, e->position.z);
        break;
    case HC_HAPPENS_REBOOT:
    case HC_HAPPENS_OFF:
        cut_power(world, n, e->node);
        if (e->what == HC_HAPPENS_REBOOT)
            give_power(world, n, e->node);
        break;
    case HC_HAPPENS_ON:
        give_power(world, n, e->node);
        break;
    case HC_HAPPENS_PRESS:
    case HC_HAPPENS_RESET:
        if (hc_world_is_on(world, e->node))
            click(t, e->node, e);
        break;
    case HC_HAPPENS_UART:
        if (hc_world_is_on(world, e->node))
            send_text(n, &t->scenario->text[e->text], e->at);
        break;
    }
}

/* All that is due, and then again when the next is. */
static void events_due(void *owner, struct hc_world *world, hc_time at)
{
    struct hc_testbed *t = owner;
    const struct hc_scenario *s = t->scenario;

    while (t->next_event < s->events && s->event[t->next_event].at <= at)
        happen(t, &s->event[t->next_event++]);
    if (t->next_event < s->events)
        hc_world_at(world, s->event[t->next_event].at, events_due, t);
}

static void plan_events(struct hc_testbed *t)
{
    const struct hc_scenario *s = t->scenario;

    for (int i = 0; i < s->links; i++)
        set_link(t->world, s->link[i].from, s->link[i].to, s->link[i].gain);
    if (s->events)
        hc_world_at(t->world, s->event[0].at, events_due, t);
}

/* ---- the whole ---- */

int hc_testbed_new(struct hc_testbed **out, const struct hc_scenario *scenario,
                   const struct hc_testbed_options *options, struct hc_message *message)
{
    struct hc_testbed *t = calloc(1, sizeof *t);

    *out = NULL;
    if (!t)
        return hc_no_memory(message);
    t->scenario = scenario;
    int error = load_images(t, options->id_symbol ? options->id_symbol : scenario->id_symbol, message);
    if (!error) {
        t->world = hc_world_new(&(struct hc_world_config){ .medium = scenario->medium, .threads = options->threads },
                                scenario->nodes);
        error = t->world ? add_nodes(t, options, message) : hc_no_memory(message);
    }
    if (error) {
        hc_testbed_free(t);
        return error;
    }
    plan_events(t);
    *out = t;
    return 0;
}

void hc_testbed_free(struct hc_testbed *t)
{
    if (!t)
        return;
    hc_world_free(t->world);
    for (int i = 0; i < t->nodes; i++) {
        hc_energy_free(t->node[i].energy);
        free(t->node[i].notes);
    }
    for (int i = 0; i < t->images; i++)
        hc_image_free(t->image[i].image);
    free(t->image);
    free(t->node);
    free(t);
}
