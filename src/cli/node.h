/* A node to run: an image loaded into a board. */
#ifndef HC_CLI_NODE_H
#define HC_CLI_NODE_H

#include "image/image.h"
#include "machine/board/launchpad_fr5969.h"
#include "machine/board/telosb.h"
#include "run_options.h"
#include "serial_line.h"

struct hc_message_buffer;

struct hc_node {
    struct hc_machine *machine;
    struct hc_telosb *telosb;       /* NULL on another board */
    struct hc_launchpad *launchpad; /* likewise */
    int leds;                       /* 0 on a board without a panel */
    struct hc_led *const *led;
    struct hc_image *image;
};

/* The node's UART to the host; all members are NULL if the board has none. */
struct hc_uart_end hc_node_uart(const struct hc_node *node);

/* Builds the board, loads the image and the flash chip's contents; does not power it on. Returns 0, or the exit code
 * after a message. Call hc_node_free in either case. */
int hc_node_new(struct hc_node *node, const struct hc_run_options *options);
void hc_node_free(struct hc_node *node);

/* Powers the node on. If the image has no reset vector, execution starts at its entry point, with a note to MESSAGES
 * (NULL: stderr). */
void hc_node_power_on(struct hc_node *node, struct hc_message_buffer *messages);

#endif
