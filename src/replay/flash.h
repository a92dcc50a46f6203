/* Flash memory that the program writes. */
#ifndef HC_REPLAY_FLASH_H
#define HC_REPLAY_FLASH_H

#include "replay_state.h"

void hc_replay_add_flash(struct hc_replay *r);
/* Called when the program has written VALUE to the register at ADDRESS. */
void hc_replay_flash_control(struct hc_replay *r, uint32_t address, uint16_t value);

#endif
