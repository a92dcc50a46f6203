/* bench-events: what a recorder would see of uninstrumented firmware.
 *
 *   events IMAGE NODES NODE SECONDS OUT
 *
 * Runs IMAGE on NODES nodes (a grid as in scenarios/grid.txt) and writes the events of one of them; prints what is left
 * of the raw reads after each step, as Table 1 of the TARDIS paper does. OUT is read by bench-codec. */
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hc_testbed *build(const char *image, int nodes)
{
    struct hc_scenario *scenario;
    struct hc_testbed *testbed;
    struct hc_message message;
    struct hc_testbed_options options = { .threads = 1 };
    char text[512];
    struct hc_scenario_choices choices = { .images = 1, .image = &image };
    snprintf(text, sizeof text,
             nodes > 1 ? "node 0-%d grid:3x3:1m spread 1s\nsensor all light sine 300lux amplitude 200lux period 5min\n"
                       : "node 0-%d grid:1x1:1m\nsensor all light sine 300lux amplitude 200lux period 5min\n",
             nodes - 1);
    if (hc_scenario_parse(&scenario, "bench", text, strlen(text), &choices, &message) != 0 ||
        hc_scenario_read_files(scenario, &message) != 0 ||
        hc_testbed_new(&testbed, scenario, &options, &message) != 0) {
        fprintf(stderr, "bench-events: %s\n", message.text);
        exit(3);
    }
    return testbed;
}

static void report(const struct capture *c, const char *name, unsigned seconds)
{
    double i = (double)c->bits_interrupts;
    printf(
        "%-24s bytes/s: all reads %.1f, undetermined %.1f, no polling %.1f, used bits %.1f (interrupts of it %.1f); %d "
        "sites\n",
        name, ((double)c->bits_all + i) / 8 / seconds, ((double)c->bits_undetermined + i) / 8 / seconds,
        ((double)c->bits_without_polling + i) / 8 / seconds, ((double)c->bits_masked + i) / 8 / seconds,
        i / 8 / seconds, c->sites);
}

int main(int argc, char **argv)
{
    static struct capture c;
    if (argc != 6) {
        fprintf(stderr, "usage: events IMAGE NODES NODE SECONDS OUT\n");
        return 2;
    }
    struct hc_testbed *testbed = build(argv[1], atoi(argv[2]));
    unsigned seconds = (unsigned)atoi(argv[4]);
    FILE *out = fopen(argv[5], "wb");
    if (!out)
        return 3;
    capture_begin(&c, testbed, atoi(argv[3]));
    hc_world_run(testbed->world, seconds * HC_SECOND);
    uint32_t count = (uint32_t)c.sites;
    fwrite(&count, sizeof count, 1, out);
    fwrite(c.site, sizeof c.site, 1, out);
    fwrite(c.event, sizeof *c.event, c.events, out);
    fclose(out);
    report(&c, argv[1], seconds);
    capture_free(&c);
    return 0;
}
