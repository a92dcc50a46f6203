/* LLVM's C interface, of which the library is loaded when the first of its functions is called: to load it takes longer
 * than most commands take that do without. A program ends with a sentence and exit code 3 where the library is missing.
 */
#ifndef HC_LLVM_LLVM_H
#define HC_LLVM_LLVM_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <llvm_calls.h>

/* As LLVMInitializeAllTargetInfos, LLVMInitializeAllTargets and LLVMInitializeAllTargetMCs, which are no functions of
 * the library. */
void hc_llvm_initialize_targets(void);

#endif
