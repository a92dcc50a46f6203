/* A node to run: an image loaded into a board. */
#ifndef HC_CLI_NODE_H
#define HC_CLI_NODE_H

#include "image/image.h"
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "run_options.h"
#include "serial_line.h"

struct hc_node {
    struct hc_machine *machine;
    struct hc_telosb *telosb;       /* NULL on another board */
    struct hc_launchpad *launchpad; /* likewise */
    int leds;                       /* 0 on a board without a panel */
    struct hc_led *const *led;
    struct hc_image *image;
};

/* The node's UART to the host; without one, an end that goes nowhere. */
struct hc_uart_end hc_node_uart(const struct hc_node *node);

/* Builds the board, loads the image and the flash chip's contents; not yet powered. Returns 0, or the exit code after
 * having said on stderr what is wrong; hc_node_free is due in either case. */
int hc_node_new(struct hc_node *node, const struct hc_run_options *options);
void hc_node_free(struct hc_node *node);

/* Power-on. Without a reset vector in the image, execution starts at its entry point. */
void hc_node_power_on(struct hc_node *node);

#endif
