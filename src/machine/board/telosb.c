#include "telosb.h"

#include <stdlib.h>

enum { LFXT1_HZ = 32768, ROSC_OHMS = 100000, VISIBLE_LIGHT_CHANNEL = 4, TOTAL_LIGHT_CHANNEL = 5 };

/* Serial numbers of the boards' maker, with the node's id at the end. */
#define DEFAULT_SERIAL(id) (0x000000100000u | (id))

static hc_wire pin(const struct hc_telosb *board, int port, int number)
{
    return hc_port_pin(board->chip.ports, port, number);
}

/* A pin that the board holds at LEVEL while the microcontroller lets go. */
static hc_wire pulled_pin(const struct hc_telosb *board, int port, int number, int level)
{
    hc_wire wire = pin(board, port, number);
    hc_wire_set_pull(board->machine, wire, level);
    return wire;
}

static void attach_spi_chips(struct hc_telosb *board)
{
    struct hc_machine *m = board->machine;
    struct hc_spi_bus *bus = hc_spi_bus_new(m, "spi0");
    hc_usart_connect_spi(board->chip.usart0, bus);
    hc_spi_watch_pins(bus, pin(board, 3, 3), pin(board, 3, 1), pin(board, 3, 2));
    board->radio = hc_cc2420_new(m, &(struct hc_cc2420_config){
                                        .name = "radio",
                                        .spi = bus,
                                        .csn = pulled_pin(board, 4, 2, 1),
                                        .vreg_en = pulled_pin(board, 4, 5, 0),
                                        .resetn = pulled_pin(board, 4, 6, 1),
                                        .fifop = pin(board, 1, 0),
                                        .fifo = pin(board, 1, 3),
                                        .cca = pin(board, 1, 4),
                                        .sfd = pin(board, 4, 1),
                                        .seed = board->config.seed,
                                    });
    board->flash = hc_m25p80_new(m, "flash", bus,
                                 (struct hc_m25p80_pins){
                                     .s = pulled_pin(board, 4, 4, 1),
                                     .hold = pulled_pin(board, 4, 7, 1),
                                     .w = HC_NO_WIRE,
                                 },
                                 board->config.seed);
}

static void attach_sensors(struct hc_telosb *board)
{
    struct hc_machine *m = board->machine;
    const struct hc_telosb_config *config = &board->config;
    uint64_t serial = config->serial ? config->serial : DEFAULT_SERIAL(config->node_id);
    board->serial_number = hc_ds2411_new(m, "ds2411", pulled_pin(board, 2, 4, 1), serial);
    board->climate =
        hc_sht11_new(m, "sht11", (struct hc_sht11_pins){ pin(board, 1, 5), pin(board, 1, 6), pin(board, 1, 7) });
    board->visible_light = hc_light_sensor_new(m, "visible_light", HC_S1087);
    board->total_light = hc_light_sensor_new(m, "total_light", HC_S1087_01);
    if (config->climate)
        hc_sht11_set_source(board->climate, config->climate, config->world);
    if (config->light) {
        hc_light_sensor_set_source(board->visible_light, config->light, config->world);
        hc_light_sensor_set_source(board->total_light, config->light, config->world);
    }
    struct hc_adc12 *adc12 = board->chip.adc12;
    hc_adc12_set_source(adc12, VISIBLE_LIGHT_CHANNEL, hc_light_sensor_microvolts, board->visible_light);
    hc_adc12_set_source(adc12, TOTAL_LIGHT_CHANNEL, hc_light_sensor_microvolts, board->total_light);
}

static void attach_panel(struct hc_telosb *board)
{
    struct hc_machine *m = board->machine;
    board->led[HC_TELOSB_RED] = hc_led_new(m, "red", pin(board, 5, 4), 0);
    board->led[HC_TELOSB_GREEN] = hc_led_new(m, "green", pin(board, 5, 5), 0);
    board->led[HC_TELOSB_BLUE] = hc_led_new(m, "blue", pin(board, 5, 6), 0);
    board->user_button = hc_button_new(m, "user_button", pin(board, 2, 7));
    board->reset_button = hc_button_new(m, "reset_button", hc_wire_find(m, "rst_nmi"));
    board->uart = board->chip.usart1;
}

struct hc_telosb *hc_telosb_new(const struct hc_telosb_config *config, struct hc_code_store *store)
{
    struct hc_telosb *board = calloc(1, sizeof *board);
    if (!board)
        return NULL;
    if (config)
        board->config = *config;
    board->store = store;
    if (hc_msp430f1611_new(&board->chip, store) < 0) {
        free(board);
        return NULL;
    }
    board->machine = board->chip.machine;
    hc_basic_clock_set_crystals(board->chip.clock, LFXT1_HZ, 0);
    hc_basic_clock_set_rosc(board->chip.clock, ROSC_OHMS);
    attach_spi_chips(board);
    attach_sensors(board);
    attach_panel(board);
    return board;
}

void hc_telosb_free(struct hc_telosb *board)
{
    if (!board)
        return;
    hc_machine_free(board->machine);
    free(board);
}

struct hc_telosb *hc_telosb_clone(const struct hc_telosb *board)
{
    struct hc_snapshot *snapshot = hc_snapshot_take(board->machine);
    struct hc_telosb *clone = snapshot ? hc_telosb_new(&board->config, board->store) : NULL;
    if (clone)
        hc_snapshot_restore(clone->machine, snapshot);
    hc_snapshot_free(snapshot);
    return clone;
}
