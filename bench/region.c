/* make bench-region: what a region costs beside the recorder of a whole node, and beside two loggers by hand.
 *
 *     bench-region PLAIN REGION APPLICATION WHOLE TEXT BINARY
 *
 * Images of the multi-hop oscilloscope: without a recorder; with the region ctp.c and ctp_routes.c; with mho.c;
 * recorded whole; with a logger that prints; with one that sends binary messages (firmware/ctp_logged.c). Networks of 9
 * and of 25 nodes, 10 minutes each. Load is the time that the CPU is awake; what a build adds is the difference to the
 * plain program's, a mean of all nodes and of four starts: which routes a network finds is chance, and moves the load
 * by 6 %. The root, leaves, and nodes that pass messages on differ. */
#include "field/world.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES_MOST = 25, SECONDS = 600, STARTS = 4, FLASH = 1 << 20, PAGE = 256 };
enum { ACKED = 2, OWN = SECONDS / 5 };

struct build {
    const char *name, *path;
    struct hc_image *image;
    uint32_t code, ram; /* bytes */
};

struct node {
    double load;    /* percent */
    double log;     /* bytes in a second, whole pages */
    uint16_t acked; /* messages to others; its own are OWN */
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench-region: %s: %s\n", what, why);
    exit(1);
}

/* ---- images ---- */

static uint32_t symbol(const struct build *b, const char *name)
{
    struct hc_symbol s;

    if (!hc_image_symbol(b->image, name, &s))
        fail(b->path, name);
    return s.address;
}

static void open_build(struct build *b)
{
    struct hc_image_message message;
    const struct hc_image_segment *segments;

    if (hc_image_load_file(&b->image, b->path, &message))
        fail(b->path, message.text);
    size_t count = hc_image_segments(b->image, &segments);
    for (size_t i = 0; i < count; i++)
        b->code += segments[i].size;
    b->ram = symbol(b, "__bss_end") - symbol(b, "__data_start");
}

static void load(struct hc_image *image, struct hc_machine *m)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < segments[i].size; k++)
            hc_poke(m, segments[i].address + k, segments[i].bytes[k]);
}

/* ---- networks ---- */

static struct hc_world *network(const struct build *b, int nodes, int side, int start)
{
    struct hc_world_config config = { .medium = hc_medium_indoors, .threads = 1 };
    config.medium.seed = (uint64_t)start;
    struct hc_world *world = hc_world_new(&config, nodes);

    for (int i = 0; world && i < nodes; i++) {
        struct hc_telosb_config board_config = { .node_id = (uint16_t)i, .seed = (uint64_t)i + 1 };
        struct hc_telosb *board = hc_telosb_new(&board_config, hc_world_code(world));
        if (!board)
            fail("memory", "out of it");
        load(b->image, board->machine);
        hc_world_add(world, board, HC_SECOND / 4 * (hc_time)i);
        hc_medium_place(hc_world_medium(world), i, i % side * 6000, i / side * 6000, 0);
    }
    if (!world)
        fail("memory", "out of it");
    return world;
}

/* Bytes of pages that are in use. */
static uint32_t log_size(struct hc_telosb *board)
{
    uint32_t size = 0;
    uint8_t page[PAGE];

    for (uint32_t at = 0; at < FLASH; at += PAGE) {
        uint8_t blank = 0xff;
        hc_m25p80_read(board->flash, at, page, sizeof page);
        for (int i = 0; i < PAGE; i++)
            blank &= page[i];
        size += blank == 0xff ? 0 : PAGE;
    }
    return size;
}

static void run(const struct build *b, int nodes, int start, struct node *out)
{
    int side = nodes > 9 ? 5 : 3;
    struct hc_world *world = network(b, nodes, side, start);
    uint32_t statistics = symbol(b, "am_statistics");
    struct hc_statistics s;

    if (hc_world_run(world, (hc_time)SECONDS * HC_SECOND) != HC_WORLD_TIME)
        fail(b->path, "the network stopped");
    for (int i = 0; i < nodes; i++) {
        struct hc_telosb *board = hc_world_board(world, i);
        hc_machine_statistics(board->machine, &s);
        out[i].load = 100.0 * (double)s.in_mode[HC_MODE_ACTIVE] / (double)s.now;
        out[i].log = (double)log_size(board) / SECONDS;
        out[i].acked = hc_peek16(board->machine, statistics + ACKED);
    }
    hc_world_free(world);
}

/* Nodes of all starts, one after the other. */
static void run_all(const struct build *b, int nodes, struct node *out)
{
    for (int start = 0; start < STARTS; start++)
        run(b, nodes, start, out + (ptrdiff_t)start * nodes);
}

/* ---- results ---- */

static double mean_log(const struct node *node, int nodes)
{
    double sum = 0;

    for (int i = 0; i < nodes * STARTS; i++)
        sum += node[i].log;
    return sum / nodes / STARTS;
}

enum who { ALL, LEAVES, FORWARDERS };

/* Forwarders send a quarter more than their own messages; the root is neither. */
static double mean_load(const struct node *node, int nodes, enum who who)
{
    double sum = 0;
    int count = 0;

    for (int i = 0; i < nodes * STARTS; i++) {
        enum who is = node[i].acked >= OWN + OWN / 4 ? FORWARDERS : LEAVES;
        if (who != ALL && (i % nodes == 0 || is != who))
            continue;
        sum += node[i].load;
        count++;
    }
    return count ? sum / count : 0;
}

static double most(const struct node *node, int nodes)
{
    double result = 0;

    for (int i = 0; i < nodes * STARTS; i++)
        result = node[i].log > result ? node[i].log : result;
    return result;
}

int main(int argc, char **argv)
{
    enum { PLAIN, REGION, APPLICATION, WHOLE, TEXT, BINARY, BUILDS };
    static const char *const names[BUILDS] = { "plain", "region ctp", "region mho.c", "whole node", "printf", "CTP's" };
    static struct node small[BUILDS][NODES_MOST * STARTS], large[BUILDS][NODES_MOST * STARTS];
    struct build build[BUILDS];

    if (argc != BUILDS + 1)
        fail("usage", "bench-region PLAIN REGION APPLICATION WHOLE TEXT BINARY");
    printf("%-14s%8s%8s%8s%8s%8s%8s%12s\n", "", "code", "RAM", "B/s", "most", "load %", "leaves", "forwarders");
    for (int i = 0; i < BUILDS; i++) {
        build[i] = (struct build){ .name = names[i], .path = argv[i + 1] };
        open_build(&build[i]);
        run_all(&build[i], 9, small[i]);
        run_all(&build[i], 25, large[i]);
        printf("%-14s%8u%8u%8.1f%8.1f%8.2f%8.2f%12.2f\n", names[i], build[i].code, build[i].ram, mean_log(small[i], 9),
               most(small[i], 9), mean_load(large[i], 25, ALL), mean_load(large[i], 25, LEAVES),
               mean_load(large[i], 25, FORWARDERS));
        fflush(stdout);
    }
    double plain = mean_load(large[PLAIN], 25, ALL);
    printf("added: region ctp %.2f %%, printf %.2f %%, CTP's logger %.2f %%\n",
           mean_load(large[REGION], 25, ALL) - plain, mean_load(large[TEXT], 25, ALL) - plain,
           mean_load(large[BINARY], 25, ALL) - plain);
    printf("region: ctp %.1f B/s of whole-node %.1f B/s, load %.2f %%, printf %.2f %%\n", mean_log(small[REGION], 9),
           mean_log(small[WHOLE], 9), mean_load(large[REGION], 25, ALL) - plain,
           mean_load(large[TEXT], 25, ALL) - plain);
    for (int i = 0; i < BUILDS; i++)
        hc_image_free(build[i].image);
    return 0;
}
