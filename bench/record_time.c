/* What recording does to a program's time: cycles of an event, interrupts that are off, updates, bytes of a line. */
#include "field/testbed.h"
#include "machine/board/telosb.h"
#include "record.h"

#include <stdio.h>

enum { PATH = 500 };

/* ---- events: a minute in the network ---- */

static void measure_events(struct speed *out, const char *build)
{
    enum { SECONDS = 60 };
    static const struct experiment network = { "", "mho-lpl64", 9, 4, SECONDS, false, true, 0 };
    static struct meter_border border;
    struct hc_scenario *scenario;
    const char *missing;
    char path[PATH];
    snprintf(path, sizeof path, "%s/firmware/%s-rec.elf", build, network.application);
    struct hc_testbed *testbed = build_network(&network, path, 1, &scenario);
    struct hc_machine *m = testbed->node[network.node].board->machine;
    struct hc_image *image = testbed->node[network.node].image->image;
    if (!meter_border(&border, m, image) || profile_begin(&out->network, m, image, &missing) != 0)
        fail("a recorded program lacks a symbol of the recorder");
    run_network(testbed, SECONDS);
    out->read = (unsigned)border.read.most;
    out->interrupt = (unsigned)meter_interrupt(&border);
    hc_testbed_free(testbed);
    hc_scenario_free(scenario);
}

/* ---- interrupts that are off, updates ---- */

static void measure_timing(struct timing *out, const char *build)
{
    char path[PATH], message[400];
    struct hc_telosb *board = hc_telosb_new(NULL, NULL);
    snprintf(path, sizeof path, "%s/tests/runtime/%s.elf", build, out->name);
    if (!board)
        fail("no memory");
    struct hc_image *image = meter_load(board->machine, path, message, sizeof message);
    if (!image || meter_timing(&out->at, board->machine, image, message, sizeof message) != 0)
        fail(message);
    hc_image_free(image);
    hc_telosb_free(board);
}

/* ---- bytes ---- */

static void measure_line(struct line *out, const char *build)
{
    char path[PATH], message[400];
    snprintf(path, sizeof path, "%s/bench/receive-%s-plain.elf", build, out->baud);
    if (receive_measure(&out->plain, path, false, message, sizeof message) != 0)
        fail(message);
    snprintf(path, sizeof path, "%s/bench/receive-%s.elf", build, out->baud);
    if (receive_measure(&out->recorded, path, true, message, sizeof message) != 0)
        fail(message);
}

void measure_speed(struct speed *out, const char *build)
{
    static const struct timing timings[TIMINGS] = {
        { "timing-200", 500, false, { 0 } },   { "timing-2000", 2500, false, { 0 } },
        { "timing-5500", 6000, false, { 0 } }, { "bursts", 0, false, { 0 } },
        { "changing-2000", 0, true, { 0 } },   { "changing-5500", 0, true, { 0 } },
    };
    static const char *const rates[LINES] = { "9600", "19200", "38400", "57600", "115200" };
    measure_events(out, build);
    for (int i = 0; i < TIMINGS; i++) {
        out->timing[i] = timings[i];
        measure_timing(&out->timing[i], build);
    }
    for (int i = 0; i < LINES; i++) {
        out->line[i].baud = rates[i];
        measure_line(&out->line[i], build);
    }
}
