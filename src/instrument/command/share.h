/* Where the files that belong to the program are: runtime/, devices/. */
#ifndef HC_INSTRUMENT_COMMAND_SHARE_H
#define HC_INSTRUMENT_COMMAND_SHARE_H

#include "registers/regs.h"

/* The path of NAME ("runtime"): in $HINDCAST_SHARE if that is set; otherwise in ../share/hindcast relative to the
 * program, or in the source tree from which it was built. Free it. NULL if it does not exist. */
char *hc_share_find(const char *name);

/* The description of PART: devices/PART.regs there, or as hc_regs_load_part finds it. Returns false with a message. */
bool hc_share_registers(struct hc_regs **out, const char *part, struct hc_regs_message *message);

#endif
