/* Makes a description to start from, out of what Debian's msp430mcu package knows of a part.
 *
 * Its headers contain names, addresses and widths, but not what registers do. So all bits of all registers are declared
 * nondeterministic: recording too much is only slow. Each line is marked "check", for somebody with the user's guide.
 * Port latches and the hardware multiplier, which are the same in every family, are known by their names. */
#ifndef HC_REGISTERS_SKELETON_H
#define HC_REGISTERS_SKELETON_H

#include "regs.h"

#include <stdio.h>

/* SUPPORT is the root of msp430mcu's files ("/usr/msp430"). Writes the text to OUT. */
int hc_regs_skeleton(FILE *out, const char *part, const char *support, struct hc_regs_message *message);

#endif
