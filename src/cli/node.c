#include "node.h"

#include "command.h"
#include "machine/board/flat.h"
#include "recorded/link_table.h"
#include "target/load.h"
#include "trace/log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int build_board(struct hc_node *node, const struct hc_run_options *options)
{
    if (options->board == HC_RUN_FLAT) {
        node->machine = hc_flat_new(HC_CPU_MSP430X);
    } else if (options->board == HC_RUN_FR5969 || options->board == HC_RUN_FR5994) {
        node->launchpad = hc_launchpad_new_part(
            options->board == HC_RUN_FR5994 ? &hc_msp430fr5994_part : &hc_msp430fr5969_part, NULL);
        node->machine = node->launchpad ? node->launchpad->machine : NULL;
        node->leds = node->launchpad ? HC_LAUNCHPAD_LEDS : 0;
        node->led = node->launchpad ? node->launchpad->led : NULL;
    } else {
        struct hc_telosb_config config = { .node_id = options->node_id,
                                           .serial = options->serial,
                                           .seed = options->seed };
        node->telosb = hc_telosb_new(&config, NULL);
        node->machine = node->telosb ? node->telosb->machine : NULL;
        node->leds = node->telosb ? HC_TELOSB_LEDS : 0;
        node->led = node->telosb ? node->telosb->led : NULL;
    }
    if (node->machine)
        return HC_EXIT_FINE;
    hc_complain_to(options->messages, "out of memory");
    return HC_EXIT_INPUT;
}

static int load_image(struct hc_node *node, struct hc_message_buffer *messages)
{
    struct hc_load_message message;

    if (hc_load(node->machine, node->image, &message))
        return HC_EXIT_FINE;
    if (!hc_load_is_other_part(node->machine, node->image))
        hc_complain_to(messages, "%s", message.text);
    else
        hc_complain_to(messages, "%s: built for another part than this board's %s; try hindcast run --board %s",
                       hc_image_name(node->image), hc_machine_part(node->machine)->name,
                       node->telosb ? "fr5969" : "telosb");
    return HC_EXIT_INPUT;
}

static uint64_t number_of(const uint8_t build[HC_LINK_BUILD_SIZE])
{
    uint64_t number = 0;

    for (int i = 0; i < HC_LINK_BUILD_SIZE; i++)
        number = number << 8 | build[i];
    return number;
}

/* A recorder appends to what is in the chip. That may be meant (a node that was programmed anew), or a mistake. */
static void note_other_build(const struct hc_node *node, const char *path, struct hc_message_buffer *messages)
{
    struct hc_log *log = NULL;
    struct hc_log_message message;
    const struct hc_log_segment *segment;
    struct hc_link_table own;

    if (!hc_link_table_read(&own, node->image) || access(path, R_OK) || hc_log_open_file(&log, path, &message))
        return;
    size_t n = hc_log_segments(log, &segment);
    for (size_t i = n; i-- > 0;)
        if (segment[i].has_build && memcmp(segment[i].build, own.build, sizeof own.build) != 0) {
            hc_complain_to(messages,
                           "note: %s: has a log of build %016" PRIx64 ", and %s (build %016" PRIx64
                           ") goes on after it; give another FILE to begin a new log",
                           path, number_of(segment[i].build), hc_image_name(node->image), number_of(own.build));
            break;
        }
    hc_log_free(log);
}

static int load_flash(struct hc_node *node, const char *path, struct hc_message_buffer *messages)
{
    char message[256];

    if (hc_m25p80_load_file(node->telosb->flash, path, message, sizeof message)) {
        hc_complain_to(messages, "%s", message);
        return HC_EXIT_INPUT;
    }
    note_other_build(node, path, messages);
    return HC_EXIT_FINE;
}

int hc_node_new(struct hc_node *node, const struct hc_run_options *options)
{
    struct hc_image_message message;

    *node = (struct hc_node){ 0 };
    if (hc_image_load_file(&node->image, options->file[0], &message)) {
        hc_complain_to(options->messages, "%s", message.text);
        return HC_EXIT_INPUT;
    }
    int code = build_board(node, options);
    if (!code)
        code = load_image(node, options->messages);
    if (!code && options->flash)
        code = load_flash(node, options->flash, options->messages);
    return code;
}

static bool to_usart(void *uart, uint16_t frame)
{
    return hc_usart_receive(uart, frame);
}

static void from_usart(void *uart, hc_usart_transmit_fn *call, void *owner)
{
    hc_usart_on_transmit(uart, call, owner);
}

static uint32_t usart_rate(void *uart)
{
    return hc_usart_rate(uart);
}

static int usart_waiting(void *uart)
{
    return hc_usart_waiting(uart);
}

static bool to_eusci(void *uart, uint16_t frame)
{
    return hc_eusci_receive(uart, frame);
}

static void from_eusci(void *uart, hc_usart_transmit_fn *call, void *owner)
{
    hc_eusci_on_transmit(uart, call, owner);
}

static uint32_t eusci_rate(void *uart)
{
    return hc_eusci_rate(uart);
}

static int eusci_waiting(void *uart)
{
    return hc_eusci_waiting(uart);
}

struct hc_uart_end hc_node_uart(const struct hc_node *node)
{
    if (node->telosb)
        return (struct hc_uart_end){ node->telosb->uart, to_usart, from_usart, usart_rate, usart_waiting };
    if (node->launchpad)
        return (struct hc_uart_end){ node->launchpad->uart, to_eusci, from_eusci, eusci_rate, eusci_waiting };
    return (struct hc_uart_end){ 0 };
}

void hc_node_free(struct hc_node *node)
{
    if (node->telosb)
        hc_telosb_free(node->telosb);
    else if (node->launchpad)
        hc_launchpad_free(node->launchpad);
    else if (node->machine)
        hc_machine_free(node->machine);
    hc_image_free(node->image);
}

static bool has_reset_vector(const struct hc_node *node)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(node->image, &segments);
    uint32_t vector = hc_machine_part(node->machine)->vectors_end - 2;

    for (size_t i = 0; i < count; i++)
        if (segments[i].address <= vector && vector - segments[i].address < segments[i].size)
            return true;
    return false;
}

void hc_node_power_on(struct hc_node *node, struct hc_message_buffer *messages)
{
    uint32_t entry;

    hc_machine_reset(node->machine, HC_POR);
    if (has_reset_vector(node))
        return;
    if (hc_image_entry(node->image, &entry)) {
        hc_complain_to(messages, "note: %s has no reset vector; it starts at its entry point 0x%04x",
                       hc_image_name(node->image), entry);
        hc_set_register(node->machine, HC_PC, entry);
    } else {
        hc_complain_to(messages, "note: %s has neither a reset vector nor an entry point", hc_image_name(node->image));
    }
}
