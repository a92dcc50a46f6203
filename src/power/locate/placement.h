/* Where a strategy would put checkpoints, found in the machine code of every function that has a symbol:
 *
 *     loop-latch       before each jump backwards: at the end of every loop's body
 *     function-return  behind each call */
#ifndef HC_POWER_PLACEMENT_H
#define HC_POWER_PLACEMENT_H

#include "image/image.h"
#include "machine/machine.h"

enum hc_placement { HC_PLACE_NONE, HC_PLACE_LOOP_LATCH, HC_PLACE_FUNCTION_RETURN };

/* Instructions before which there is a checkpoint, for hc_locate_config.before. To be freed. MACHINE has the image
 * loaded. */
uint32_t *hc_place_checkpoints(struct hc_machine *machine, const struct hc_image *image, enum hc_placement placement,
                               size_t *count);

#endif
