#include "board.h"

#include "machine/board/launchpad_fr5969.h"
#include "power/interactions/fed_inputs.h"
#include "target/load.h"

#include <stdio.h>
#include <stdlib.h>

struct hc_power_board {
    struct hc_launchpad *launchpad;
    struct hc_fed_inputs *inputs;
};

static struct hc_power_board *with_part(const struct hc_image *image, const struct hc_part *part, char *message,
                                        size_t size)
{
    struct hc_power_board *b = calloc(1, sizeof *b);
    struct hc_load_message cause;

    if (!b || !(b->launchpad = hc_launchpad_new_part(part, NULL)))
        abort();
    if (!hc_load(b->launchpad->machine, image, &cause)) {
        snprintf(message, size, "%s", cause.text);
        hc_power_board_free(b);
        return NULL;
    }
    hc_machine_reset(b->launchpad->machine, HC_POR);
    return b;
}

/* Whether PART has memory wherever the program wants some that the file gives no bytes: its stack, for one. */
static bool has_room(const struct hc_power_board *b, const struct hc_image *image)
{
    uint32_t address, end;

    for (size_t i = 0; hc_image_reserved(image, i, &address, &end); i++)
        for (; address < end; address++)
            if (hc_region_kind(b->launchpad->machine, address) == HC_VACANT)
                return false;
    return true;
}

struct hc_power_board *hc_power_board_new(const struct hc_image *image, const struct hc_part *part, char *message,
                                          size_t size)
{
    char ignored[1];

    if (part)
        return with_part(image, part, message, size);
    struct hc_power_board *small = with_part(image, &hc_msp430fr5969_part, message, size);
    if (small && has_room(small, image))
        return small;
    struct hc_power_board *large = with_part(image, &hc_msp430fr5994_part, ignored, sizeof ignored);
    if (!large || (small && !has_room(large, image))) {
        hc_power_board_free(large);
        return small;
    }
    hc_power_board_free(small);
    return large;
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
