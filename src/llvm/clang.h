/* libclang, which is loaded as LLVM is (llvm.h). */
#ifndef HC_LLVM_CLANG_H
#define HC_LLVM_CLANG_H

#include <clang-c/Index.h>

#include <clang_calls.h>

#endif
