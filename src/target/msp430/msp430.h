/* The tables of the target MSP430, which msp430.c puts together. */
#ifndef HC_TARGET_MSP430_MSP430_H
#define HC_TARGET_MSP430_MSP430_H

#include "target/target.h"

extern const struct hc_target_text hc_msp430_text;
extern const struct hc_target_assembly hc_msp430_assembly;
extern const struct hc_target_code hc_msp430_code;
extern const struct hc_target_cpu hc_msp430_cpu;
extern const struct hc_target_unwind hc_msp430_unwind;
extern const struct hc_target_value_flow hc_msp430_value_flow;
extern const struct hc_target_steps hc_msp430_steps;
extern const struct hc_target_flow hc_msp430_flow;
extern const struct hc_target_part hc_msp430_parts[];

#endif
