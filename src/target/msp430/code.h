/* Machine code of the MSP430 and MSP430X, for the proof of positions: the operations of struct hc_target_code. */
#ifndef HC_TARGET_MSP430_CODE_H
#define HC_TARGET_MSP430_CODE_H

#include "machine/cpu/msp430/instruction.h"
#include "target/code.h"

/* The instruction at PC; false if the image holds none. */
bool hc_msp430_at(const struct hc_code_graph *code, uint32_t pc, struct hc_instruction *out);

void hc_msp430_decode_node(struct hc_code_graph *code, int n);
bool hc_msp430_takes_address(unsigned opcode);
void hc_msp430_make_tick_plain(uint8_t *code, uint32_t count);
bool hc_msp430_constant(const struct hc_code_graph *code, uint32_t pc, uint32_t *value);
void hc_msp430_look(const struct hc_code_graph *code, uint32_t pc, const struct hc_regs *registers,
                    struct hc_code_facts *out);
bool hc_msp430_follow_stack(const struct hc_code_graph *code, struct hc_code_stack *out);
bool hc_msp430_find_enabling(const struct hc_code_graph *code, bool *out);
bool hc_msp430_find_stuck(const struct hc_code_graph *code, const bool *cycle, int **out, size_t *count);

#endif
