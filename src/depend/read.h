/* Fills a program from one module of LLVM's, linked of all units, whose local variables are registers. */
#ifndef HC_DEPEND_READ_H
#define HC_DEPEND_READ_H

#include "program.h"

#include "llvm/llvm.h"

void hc_depend_read_module(struct hc_depend_program *p, LLVMModuleRef module);

#endif
