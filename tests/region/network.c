#include "network.h"

#include <stdio.h>

static void load(struct hc_image *image, struct hc_machine *m)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            hc_poke(m, segments[i].address + k, segments[i].bytes[k]);
}

struct hc_world *network_new(struct hc_image *image, int nodes, network_node_fn *each, void *owner)
{
    struct hc_world_config config = { .medium = hc_medium_indoors, .threads = 1 };
    struct hc_world *world = hc_world_new(&config, nodes);

    for (int i = 0; world && i < nodes; i++) {
        struct hc_telosb_config board_config = { .node_id = (uint16_t)i, .seed = (uint64_t)i + 1 };
        struct hc_telosb *board = hc_telosb_new(&board_config, hc_world_code(world));
        if (!board) {
            hc_world_free(world);
            return NULL;
        }
        load(image, board->machine);
        hc_world_add(world, board, HC_SECOND / 4 * (hc_time)i);
        hc_medium_place(hc_world_medium(world), i, i % 3 * 6000, i / 3 * 6000, 0);
        if (each)
            each(owner, i, board->machine);
    }
    return world;
}

bool network_write_flash(struct hc_telosb *board, const char *path)
{
    FILE *to = fopen(path, "wb");
    uint8_t page[256];

    for (uint32_t at = 0; to && at < 1 << 20; at += sizeof page) {
        hc_m25p80_read(board->flash, at, page, sizeof page);
        fwrite(page, 1, sizeof page, to);
    }
    return to && !fclose(to);
}
