#include "field/network.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void keep_line(struct network *n, hc_time at)
{
    if (n->lines == n->room) {
        n->room = n->room ? 2 * n->room : 256;
        n->line = realloc(n->line, (size_t)n->room * sizeof *n->line);
        if (!n->line)
            abort();
    }
    struct network_line *line = &n->line[n->lines++];
    line->at = at;
    memcpy(line->text, n->partial, (size_t)n->partial_length);
    line->text[n->partial_length] = 0;
    n->partial_length = 0;
}

static void printed(void *owner, uint8_t byte, hc_time now)
{
    struct network *n = owner;
    if (byte == '\n')
        keep_line(n, now);
    else if (n->partial_length < NETWORK_LINE - 1)
        n->partial[n->partial_length++] = (char)byte;
}

static void load(struct network *n, struct hc_machine *m)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(n->image, &segments);
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            if (!hc_poke(m, segments[i].address + k, segments[i].bytes[k]))
                fail_msg("no memory at 0x%05x", (unsigned)(segments[i].address + k));
}

void network_start(struct network *n, const char *name, int nodes)
{
    char path[1024];
    struct hc_image_message message;
    struct hc_world_config config = { .medium = hc_medium_indoors, .threads = 1 };
    *n = (struct network){ .nodes = nodes };
    const char *variant = getenv("NETWORK_VARIANT");
    snprintf(path, sizeof path, "%s/%s%s.elf", NETWORK_FIRMWARE, name, variant ? variant : "");
    if (hc_image_load_file(&n->image, path, &message) != HC_IMAGE_OK)
        fail_msg("%s", message.text);
    n->world = hc_world_new(&config, nodes);
    assert_non_null(n->world);
    for (int i = 0; i < nodes; i++) {
        struct hc_telosb_config board_config = { .node_id = (uint16_t)i, .seed = (uint64_t)i + 1 };
        struct hc_telosb *board = hc_telosb_new(&board_config, hc_world_code(n->world));
        assert_non_null(board);
        load(n, board->machine);
        assert_int_equal(hc_world_add(n->world, board, 0), i);
    }
    hc_usart_on_transmit(hc_world_board(n->world, 0)->uart, printed, n);
}

void network_stop(struct network *n)
{
    hc_world_free(n->world);
    hc_image_free(n->image);
    free(n->line);
}

void network_grid(struct network *n, int columns, int millimetres)
{
    for (int i = 0; i < n->nodes; i++)
        hc_medium_place(hc_world_medium(n->world), i, i % columns * millimetres, i / columns * millimetres, 0);
}

static void set_link(struct network *n, int a, int b, int gain)
{
    hc_medium_link(hc_world_medium(n->world), a, b, gain);
    hc_medium_link(hc_world_medium(n->world), b, a, gain);
}

void network_link(struct network *n, int a, int b)
{
    set_link(n, a, b, NETWORK_GOOD_LINK);
}

void network_clique(struct network *n, int first, int last)
{
    for (int a = first; a <= last; a++)
        for (int b = a + 1; b <= last; b++)
            network_link(n, a, b);
}

static void change(void *owner, struct hc_world *world, hc_time at)
{
    struct network_cut *cut = owner;
    (void)world;
    (void)at;
    set_link(cut->network, cut->a, cut->b, cut->gain);
}

void network_cut(struct network *n, int a, int b, hc_time from, hc_time until)
{
    hc_time at[] = { from, until };
    int gain[] = { HC_NOT_HEARD, NETWORK_GOOD_LINK };
    network_link(n, a, b);
    for (int i = 0; i < 2; i++) {
        assert_true(n->cuts < 8);
        struct network_cut *cut = &n->cut[n->cuts++];
        *cut = (struct network_cut){ n, a, b, gain[i] };
        hc_world_at(n->world, at[i], change, cut);
    }
}

void network_run(struct network *n, hc_time until)
{
    enum hc_stop why;
    if (hc_world_run(n->world, until) != HC_WORLD_TIME) {
        int node = hc_world_stopped(n->world, &why);
        fail_msg("node %d stopped: %d", node, (int)why);
    }
}

void network_type(struct network *n, const char *line)
{
    struct hc_usart *uart = hc_world_board(n->world, 0)->uart;
    for (const char *p = line; *p; p++) {
        assert_true(hc_usart_receive(uart, (uint8_t)*p));
        network_run(n, hc_world_now(n->world) + HC_SECOND / 500);
    }
    assert_true(hc_usart_receive(uart, '\n'));
}

uint16_t network_get(const struct network *n, int node, const char *name, int index)
{
    struct hc_symbol symbol = { 0 };
    if (!hc_image_symbol(n->image, name, &symbol))
        fail_msg("%s: no symbol %s", hc_image_name(n->image), name);
    return hc_peek16(hc_world_board(n->world, node)->machine, symbol.address + 2 * (uint32_t)index);
}

const struct network_line *network_next(const struct network *n, const char *prefix, int *at)
{
    while (*at < n->lines) {
        const struct network_line *line = &n->line[(*at)++];
        if (strncmp(line->text, prefix, strlen(prefix)) == 0)
            return line;
    }
    return NULL;
}
