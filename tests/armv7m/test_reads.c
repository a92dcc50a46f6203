/* test_reads ELF LOG SAID: what reads.c read, as its log has it, must be what it said on its UART. The program's own
 * order is followed here, as a replay would: which read comes next is not in the log. */
#include "image/image.h"
#include "recorded/map.h"
#include "trace/feed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READS = 200, TX_FULL = 1, CHARACTERS = 9 /* of a number and its newline */ };

struct program {
    struct hc_feed *feed;
    const struct hc_map *map;
    FILE *said;
    int compared;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

/* The first site of register NAME, of which the second half follows. */
static uint16_t site_of(const struct program *p, const char *name)
{
    for (size_t i = 0; i < p->map->sites; i++)
        if (!strcmp(p->map->site[i].register_name, name))
            return p->map->site[i].index;
    fail(name, "no site");
    return 0;
}

static uint32_t half(struct program *p, uint16_t site)
{
    uint16_t value = 0;

    if (!p->map->site[site].mask)
        return 0;
    if (hc_feed_read(p->feed, site, NULL, &value))
        fail("the log", hc_feed_text(p->feed));
    return value;
}

static uint32_t read_register(struct program *p, const char *name)
{
    uint16_t site = site_of(p, name);
    uint32_t low = half(p, site);

    return low | half(p, (uint16_t)(site + 1)) << 16;
}

static void say(struct program *p, uint32_t value)
{
    char line[32] = "", expected[32];

    for (int i = 0; i < CHARACTERS; i++)
        while (read_register(p, "UART1_STATE") & TX_FULL)
            ;
    snprintf(expected, sizeof expected, "%08" PRIx32 "\n", value);
    if (!fgets(line, sizeof line, p->said) || strcmp(line, expected) != 0) {
        fprintf(stderr, "number %d: the program said %s the log has %s", p->compared, line, expected);
        exit(1);
    }
    p->compared++;
}

static void run(struct program *p)
{
    for (int i = 0; i < READS; i++) {
        say(p, read_register(p, "TIMER0_VALUE"));
        if (i % 50 == 0)
            say(p, read_register(p, "GPIO0_DATA") & 0xff);
    }
}

int main(int argc, char **argv)
{
    struct hc_image_message no_image;
    struct hc_map_message no_map;
    struct hc_log_message no_log;
    struct hc_image *image;
    struct hc_image_section sites;
    const struct hc_log_segment *segment;
    struct hc_map *map;
    struct hc_log *log;
    struct program p = { 0 };

    if (argc != 4 || !(p.said = fopen(argv[3], "r")))
        fail("usage", "test_reads ELF LOG SAID");
    if (hc_image_load_file(&image, argv[1], &no_image))
        fail(argv[1], no_image.text);
    if (hc_map_read(&map, image, &no_map))
        fail(argv[1], no_map.text);
    if (!hc_image_section(image, "hc_sites", &sites) || !sites.bytes)
        fail(argv[1], "no sites");
    if (hc_log_open_file(&log, argv[2], &no_log))
        fail(argv[2], no_log.text);
    struct hc_site *table = malloc(sites.size);
    memcpy(table, sites.bytes, sites.size);
    struct hc_site_table known = { table, sites.size / sizeof *table, (uint16_t)sites.address };
    if (hc_log_segments(log, &segment) != 1 || hc_feed_open(&p.feed, log, segment, &known, &no_log))
        fail(argv[2], "has not one segment that can be decoded");
    p.map = map;
    run(&p);
    printf("%d numbers, as the program said them\n", p.compared);
    hc_feed_free(p.feed);
    hc_log_free(log);
    hc_map_free(map);
    hc_image_free(image);
    free(table);
    fclose(p.said);
    return 0;
}
