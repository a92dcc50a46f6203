#include "launchpad_fr5969.h"

#include <stdlib.h>

enum { LFXT_HZ = 32768 };

struct hc_launchpad *hc_launchpad_new(struct hc_code_store *store)
{
    struct hc_launchpad *board = calloc(1, sizeof *board);

    if (!board)
        return NULL;
    if (hc_msp430fr5969_new(&board->chip, store) < 0) {
        free(board);
        return NULL;
    }
    struct hc_machine *m = board->machine = board->chip.machine;
    struct hc_digital_io *ports = board->chip.ports;
    hc_cs_set_crystals(board->chip.cs, LFXT_HZ, 0);
    board->led[HC_LAUNCHPAD_RED] = hc_led_new(m, "red", hc_digital_io_pin(ports, HC_IO_P4, 6), 1);
    board->led[HC_LAUNCHPAD_GREEN] = hc_led_new(m, "green", hc_digital_io_pin(ports, HC_IO_P1, 0), 1);
    board->button[0] = hc_button_new(m, "s1", hc_digital_io_pin(ports, HC_IO_P4, 5));
    board->button[1] = hc_button_new(m, "s2", hc_digital_io_pin(ports, HC_IO_P1, 1));
    board->reset_button = hc_button_new(m, "reset_button", hc_wire_find(m, "rst_nmi"));
    board->uart = board->chip.eusci_a0;
    board->spi = hc_spi_bus_new(m, "spi");
    board->i2c = hc_i2c_bus_new(m, "i2c");
    hc_eusci_connect_spi(board->chip.eusci_b0, board->spi);
    hc_eusci_connect_i2c(board->chip.eusci_b0, board->i2c);
    return board;
}

void hc_launchpad_free(struct hc_launchpad *board)
{
    if (!board)
        return;
    hc_machine_free(board->machine);
    free(board);
}
