/* A power failure that is really made:
 *
 *     registers, volatile memory, peripherals   as the checkpoint saved them, or as after power-on
 *     non-volatile memory                       as the failure left it
 *     what no checkpoint saves                  a pattern that nothing expects */
#ifndef HC_POWER_FAILURE_H
#define HC_POWER_FAILURE_H

#include "power/locate/locate.h"

enum { HC_POISON_SEED = 1 }; /* of what SRAM holds at power-on */

/* One past the highest address of the part's memory. */
uint32_t hc_power_memory_size(const struct hc_machine *machine);

/* CONFIG's machine stands where its supply fails, and then where it goes on. CHECKPOINT NULL: at power-on. SCRATCH has
 * room for hc_power_memory_size bytes. */
void hc_power_fail(const struct hc_locate_config *config, const struct hc_located *located,
                   const struct hc_snapshot *checkpoint, uint8_t *scratch);

/* After how many instructions the supply fails, to see what this occurrence of the pair does: after the producer's; of
 * DMA, whose transfers come between two instructions, after the next one; or right after the checkpoint where that is
 * all that is needed. */
uint64_t hc_power_failure_of(const struct hc_pair *pair, const struct hc_occurrence *occurrence);

#endif
