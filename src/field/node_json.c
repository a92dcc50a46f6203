#include "node_json.h"

#include <stdio.h>

static const char *const radio_states[HC_CC2420_STATES] = {
    [HC_CC2420_OFF] = "off",
    [HC_CC2420_VREG_START] = "vreg_start",
    [HC_CC2420_POWER_DOWN] = "power_down",
    [HC_CC2420_XOSC_START] = "xosc_start",
    [HC_CC2420_IDLE] = "idle",
    [HC_CC2420_RX_CALIBRATE] = "rx_calibrate",
    [HC_CC2420_RX_SFD_SEARCH] = "rx_sfd_search",
    [HC_CC2420_RX_WAIT] = "rx_wait",
    [HC_CC2420_RX_FRAME] = "rx_frame",
    [HC_CC2420_RX_OVERFLOW] = "rx_overflow",
    [HC_CC2420_TX_CALIBRATE] = "tx_calibrate",
    [HC_CC2420_TX_WAIT] = "tx_wait",
    [HC_CC2420_TX_PREAMBLE] = "tx_preamble",
    [HC_CC2420_TX_FRAME] = "tx_frame",
    [HC_CC2420_TX_UNDERFLOW] = "tx_underflow",
    [HC_CC2420_TX_ACK_CALIBRATE] = "tx_ack_calibrate",
    [HC_CC2420_TX_ACK_PREAMBLE] = "tx_ack_preamble",
    [HC_CC2420_TX_ACK] = "tx_ack",
};

static const char *const flash_states[] = {
    [HC_M25P80_OFF] = "off",
    [HC_M25P80_STANDBY] = "standby",
    [HC_M25P80_DEEP_POWER_DOWN] = "deep_power_down",
    [HC_M25P80_ACTIVE] = "active",
    [HC_M25P80_PROGRAM] = "program",
    [HC_M25P80_ERASE] = "erase",
    [HC_M25P80_WRITE_STATUS] = "write_status",
};

static const char *const sht11_states[] = { "off", "idle", "measuring" };
static const char *const led_names[] = { "red", "green", "blue" };

json_t *hc_text_json(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : json_null();
}

static json_t *build_id_json(const struct hc_image *image)
{
    char text[2 * 64 + 1];
    size_t size;
    const uint8_t *bytes = hc_image_build_id(image, &size);

    if (!bytes)
        return json_null();
    for (size_t i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return json_string(text);
}

json_t *hc_images_json(const struct hc_testbed *t)
{
    json_t *images = json_array();

    for (int i = 0; i < t->images; i++) {
        const struct hc_testbed_image *image = &t->image[i];
        json_t *symbols = json_array();
        for (int k = 0; k < image->id_symbols; k++)
            json_array_append_new(symbols, hc_text_json(image->id_symbol[k].name));
        json_array_append_new(images, json_pack("{s:o, s:o, s:o}", "path", hc_text_json(hc_image_name(image->image)),
                                                "build_id", build_id_json(image->image), "id_symbols", symbols));
    }
    return images;
}

/* Seconds by name, those that are not 0. */
static json_t *times_json(const hc_time *times, const char *const *names, int count)
{
    json_t *json = json_object();

    for (int i = 0; i < count; i++)
        if (times[i])
            json_object_set_new(json, names[i], json_real(hc_seconds(times[i])));
    return json;
}

static json_t *energy_json(const struct hc_energy_report *e)
{
    json_t *parts = json_object();

    for (int i = 0; i < HC_CONSUMERS; i++)
        json_object_set_new(parts, hc_consumer_names[i],
                            json_pack("{s:f, s:f}", "millijoules", e->millijoules[i], "milliwatts",
                                      e->powered ? e->millijoules[i] / hc_seconds(e->powered) : 0.0));
    json_object_set_new(parts, "total",
                        json_pack("{s:f, s:f}", "millijoules", e->total_millijoules, "milliwatts", e->mean_milliwatts));
    return parts;
}

static json_t *transmitting_json(const struct hc_energy_report *e)
{
    json_t *json = json_object();
    char level[12];

    for (int i = 0; i < HC_PA_LEVELS; i++) {
        snprintf(level, sizeof level, "%d", i);
        if (e->transmitting[i])
            json_object_set_new(json, level, json_real(hc_seconds(e->transmitting[i])));
    }
    return json;
}

/* The share of time in which the radio receives, transmits or gets ready to. */
static double duty_cycle(const struct hc_energy_report *e)
{
    hc_time busy = 0;

    for (int i = HC_CC2420_RX_CALIBRATE; i < HC_CC2420_STATES; i++)
        busy += e->radio[i];
    return e->powered ? (double)busy / (double)e->powered : 0;
}

static json_t *radio_json(const struct hc_testbed *t, int node, const struct hc_energy_report *e)
{
    struct hc_medium_statistics air;

    hc_medium_statistics(hc_world_medium(t->world), node, &air);
    return json_pack("{s:f, s:I, s:I, s:I, s:I, s:o, s:o}", "duty_cycle", duty_cycle(e), "frames_sent",
                     (json_int_t)air.frames_sent, "bytes_sent", (json_int_t)air.bytes_sent, "bytes_received",
                     (json_int_t)air.bytes_received, "bytes_corrupted", (json_int_t)air.bytes_corrupted, "states",
                     times_json(e->radio, radio_states, HC_CC2420_STATES), "transmitting_by_pa_level",
                     transmitting_json(e));
}

json_t *hc_node_summary_json(const struct hc_testbed *t, int node)
{
    const struct hc_testbed_node *n = &t->node[node];
    struct hc_energy_report e;
    char directory[24];

    hc_energy_measure(n->energy, &e);
    snprintf(directory, sizeof directory, "node-%u", n->plan->id);
    json_t *json =
        json_pack("{s:i, s:i, s:s, s:f, s:b, s:f, s:f}", "id", n->plan->id, "image", n->plan->image, "directory",
                  directory, "start", hc_seconds(n->plan->start), "on", hc_world_is_on(t->world, node), "millijoules",
                  e.total_millijoules, "milliwatts", e.mean_milliwatts);
    if (*hc_fault_text(n->board->machine))
        json_object_set_new(json, "fault", hc_text_json(hc_fault_text(n->board->machine)));
    return json;
}

json_t *hc_node_json(const struct hc_testbed *t, int node, bool hash)
{
    const struct hc_testbed_node *n = &t->node[node];
    struct hc_energy_report e;
    struct hc_statistics s;
    json_t *json = hc_node_summary_json(t, node);

    hc_energy_measure(n->energy, &e);
    hc_machine_statistics(n->board->machine, &s);
    if (n->plan->placed)
        json_object_set_new(json, "position",
                            json_pack("[f, f, f]", n->plan->position.x / 1000.0, n->plan->position.y / 1000.0,
                                      n->plan->position.z / 1000.0));
    json_object_set_new(json, "powered", json_real(hc_seconds(e.powered)));
    json_object_set_new(json, "instructions", json_integer((json_int_t)s.instructions));
    json_object_set_new(json, "cycles", json_integer((json_int_t)e.cycles));
    json_object_set_new(json, "interrupts", json_integer((json_int_t)s.interrupts));
    json_object_set_new(json, "modes", times_json(e.cpu, hc_mode_names, HC_MODES));
    json_object_set_new(json, "radio", radio_json(t, node, &e));
    json_object_set_new(json, "flash_states", times_json(e.flash, flash_states, HC_M25P80_WRITE_STATUS + 1));
    json_object_set_new(json, "leds", times_json(e.led, led_names, HC_TELOSB_LEDS));
    json_object_set_new(json, "sht11", times_json(e.sht11, sht11_states, HC_SHT11_MEASURING + 1));
    json_object_set_new(json, "energy", energy_json(&e));
    if (hash) {
        char text[17];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hc_hash_value(n->board->machine));
        json_object_set_new(json, "hash", json_string(text));
    }
    return json;
}
