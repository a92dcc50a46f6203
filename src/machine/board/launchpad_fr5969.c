#include "launchpad_fr5969.h"

#include <stdlib.h>
#include <string.h>

enum { LFXT_HZ = 32768 };

struct pin {
    int port, pin;
};

/* LEDs, then buttons. */
static const struct wiring {
    const struct hc_part *part;
    struct pin led[HC_LAUNCHPAD_LEDS], button[2];
} wirings[] = {
    { &hc_msp430fr5969_part, { { HC_IO_P4, 6 }, { HC_IO_P1, 0 } }, { { HC_IO_P4, 5 }, { HC_IO_P1, 1 } } },
    { &hc_msp430fr5994_part, { { HC_IO_P1, 0 }, { HC_IO_P1, 1 } }, { { HC_IO_P5, 6 }, { HC_IO_P5, 5 } } },
};

static void wire_panel(struct hc_launchpad *board, const struct wiring *w)
{
    static const char *const leds[] = { "red", "green" }, *const buttons[] = { "s1", "s2" };
    struct hc_digital_io *ports = board->chip.ports;

    for (int i = 0; i < HC_LAUNCHPAD_LEDS; i++)
        board->led[i] = hc_led_new(board->machine, leds[i], hc_digital_io_pin(ports, w->led[i].port, w->led[i].pin), 1);
    for (int i = 0; i < 2; i++)
        board->button[i] =
            hc_button_new(board->machine, buttons[i], hc_digital_io_pin(ports, w->button[i].port, w->button[i].pin));
}

struct hc_launchpad *hc_launchpad_new_part(const struct hc_part *part, struct hc_code_store *store)
{
    struct hc_launchpad *board = calloc(1, sizeof *board);
    const struct wiring *wiring = &wirings[part == &hc_msp430fr5994_part];

    if (!board)
        return NULL;
    if (hc_msp430fr5969_new(&board->chip, wiring->part, store) < 0) {
        free(board);
        return NULL;
    }
    struct hc_machine *m = board->machine = board->chip.machine;
    hc_cs_set_crystals(board->chip.cs, LFXT_HZ, 0);
    wire_panel(board, wiring);
    board->reset_button = hc_button_new(m, "reset_button", hc_wire_find(m, "rst_nmi"));
    board->uart = board->chip.eusci_a0;
    board->spi = hc_spi_bus_new(m, "spi");
    board->i2c = hc_i2c_bus_new(m, "i2c");
    hc_eusci_connect_spi(board->chip.eusci_b0, board->spi);
    hc_eusci_connect_i2c(board->chip.eusci_b0, board->i2c);
    return board;
}

struct hc_launchpad *hc_launchpad_new(struct hc_code_store *store)
{
    return hc_launchpad_new_part(&hc_msp430fr5969_part, store);
}

const struct hc_part *hc_launchpad_part(const char *name)
{
    for (size_t i = 0; i < sizeof wirings / sizeof *wirings; i++)
        if (!strcmp(wirings[i].part->name, name))
            return wirings[i].part;
    return NULL;
}

void hc_launchpad_free(struct hc_launchpad *board)
{
    if (!board)
        return;
    hc_machine_free(board->machine);
    free(board);
}
