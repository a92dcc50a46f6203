/* Numbers of 16 bits as 32-bit ones with zeros above, in the optimised module: the host has no short forms of its
 * shifts and logic for 16 bits, and compilers clear the upper half before each of them. */
#ifndef HC_NATIVE_WIDEN_H
#define HC_NATIVE_WIDEN_H

#include "llvm/llvm.h"
#include <stdbool.h>

/* Only chains of shifts to the right, logic and choices are widened: sums would need the upper half cleared, and stay.
 * False: out of memory. */
bool hc_widen(LLVMModuleRef module);

#endif
