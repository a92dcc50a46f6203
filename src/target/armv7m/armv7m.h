/* The tables of the target ARMv7-M, which armv7m.c puts together: a beginning. Its programs are instrumented and record
 * what they read; interrupts and replay are not there yet. */
#ifndef HC_TARGET_ARMV7M_ARMV7M_H
#define HC_TARGET_ARMV7M_ARMV7M_H

#include "target/target.h"

extern const struct hc_target_text hc_armv7m_text;
extern const struct hc_target_assembly hc_armv7m_assembly;

#endif
