/* Where the files are that come with the program: runtime/, devices/. */
#ifndef HC_INSTRUMENT_COMMAND_SHARE_H
#define HC_INSTRUMENT_COMMAND_SHARE_H

#include "registers/regs.h"

/* The path of NAME ("runtime"): in $HINDCAST_SHARE if that is set; else in ../share/hindcast beside the running
 * program, or in the tree that it was built from. NULL if it is nowhere; to be freed. */
char *hc_share_find(const char *name);

/* The description of PART: devices/PART.regs there, or as hc_regs_load_part finds it. False: see the message. */
bool hc_share_registers(struct hc_regs **out, const char *part, struct hc_regs_message *message);

#endif
