/* The register file as a device, in place of the part's peripherals. */
#ifndef HC_REPLAY_PERIPHERALS_H
#define HC_REPLAY_PERIPHERALS_H

#include "replay_state.h"

/* Ends the text of a fault that is a limit of replay: nothing is wrong with program and log. */
#define HC_NOT_REPLAYED "which cannot be replayed"

struct hc_peripherals *hc_peripherals_new(struct hc_replay *r);
struct hc_regfile *hc_peripherals_file(struct hc_peripherals *p);
void hc_peripherals_reset(struct hc_peripherals *p);
/* Whether a DMA channel that the program has enabled, and not disabled since, may have written the byte at ADDRESS. */
bool hc_peripherals_dma_may_write(const struct hc_peripherals *p, uint32_t address);
/* Call after the DMA registers were restored: CHANNELS (a bit for each) are enabled. */
void hc_peripherals_enable_dma(struct hc_peripherals *p, uint8_t channels);

#endif
