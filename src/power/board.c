#include "board.h"

#include "machine/board/launchpad_fr5969.h"

#include <stdio.h>
#include <stdlib.h>

struct hc_power_board {
    struct hc_launchpad *launchpad;
    struct hc_fed_inputs *inputs;
};

static bool load(struct hc_machine *m, const struct hc_image *image, char *message, size_t size)
{
    const struct hc_image_segment *segments;
    size_t count = hc_image_segments(image, &segments);

    for (size_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < segments[i].size; n++)
            if (!hc_poke(m, segments[i].address + n, segments[i].bytes[n])) {
                snprintf(message, size, "%s: bytes at 0x%04x, where an %s has no memory: is it built for another part?",
                         hc_image_name(image), (unsigned)(segments[i].address + n), hc_machine_part(m)->name);
                return false;
            }
    return true;
}

static struct hc_power_board *with_part(const struct hc_image *image, const struct hc_part *part, char *message,
                                        size_t size)
{
    struct hc_power_board *b = calloc(1, sizeof *b);

    if (!b || !(b->launchpad = hc_launchpad_new_part(part, NULL)))
        abort();
    if (!load(b->launchpad->machine, image, message, size)) {
        hc_power_board_free(b);
        return NULL;
    }
    hc_machine_reset(b->launchpad->machine, HC_POR);
    return b;
}

struct hc_power_board *hc_power_board_new(const struct hc_image *image, const struct hc_part *part, char *message,
                                          size_t size)
{
    char ignored[1];

    if (part)
        return with_part(image, part, message, size);
    struct hc_power_board *b = with_part(image, &hc_msp430fr5969_part, message, size);
    return b ? b : with_part(image, &hc_msp430fr5994_part, ignored, sizeof ignored);
}

void hc_power_board_free(struct hc_power_board *b)
{
    if (b) {
        hc_fed_inputs_free(b->inputs);
        hc_launchpad_free(b->launchpad);
    }
    free(b);
}

void hc_power_board_use(struct hc_power_board *b, struct hc_locate_config *config)
{
    config->machine = b->launchpad->machine;
    b->inputs = hc_fed_inputs_new(config->machine, config->input, config->inputs, config->program.main);
}

struct hc_machine *hc_power_board_machine(struct hc_power_board *b)
{
    return b->launchpad->machine;
}
