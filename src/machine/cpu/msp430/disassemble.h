/* Disassembler for the MSP430 and MSP430X instruction sets.
 *
 * Text is what an assembler takes: "mov.b   #0x20, &0x0031", "rpt #4 { rrax.a r5". Emulated instructions have their
 * names (ret, br, pop, nop, clr, eint ...). Symbols come as a comment after it: "call    #0x4410 ; main". */
#ifndef HC_MACHINE_CPU_MSP430_DISASSEMBLE_H
#define HC_MACHINE_CPU_MSP430_DISASSEMBLE_H

#include "machine/machine.h"

enum { HC_DISASM_TEXT = 160, HC_DISASM_BYTES = 8 };

/* Writes what is known of ADDRESS ("main+0x12") to OUT; false if nothing is. CODE: it is jumped to or called. */
typedef bool hc_disasm_symbol_fn(void *owner, uint32_t address, bool code, char *out, size_t size);

/* Disassembles the instruction in BYTES (of which SIZE are there; the longest has HC_DISASM_BYTES) that stands at
 * ADDRESS. Returns its length; 0 if SIZE is less than 2. What is undefined for this CPU, or cut short, is ".word
 * 0x...." of length 2. SYMBOL may be NULL. */
int hc_msp430_disassemble(enum hc_cpu_kind cpu, const uint8_t *bytes, size_t size, uint32_t address,
                          hc_disasm_symbol_fn *symbol, void *owner, char out[HC_DISASM_TEXT]);

#endif
