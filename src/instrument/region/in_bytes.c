/* HC_IN(from, size) of hindcast.h: memory that comes in as a whole. */
#include "pass.h"

#include "../runtime/region/model.h"

#include <string.h>

#define WRITTEN "__hc_in"        /* as the program calls it */
#define KEPT "__hcr_in_bytes"    /* as it goes through optimisation: nobody knows what it does */
#define LOOP "hindcast.in_bytes" /* loads unit by unit */

bool hc_region_is_in(LLVMValueRef callee)
{
    size_t length;

    return LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName2(callee, &length), KEPT);
}

void hc_region_find_ins(LLVMModuleRef unit)
{
    LLVMValueRef written = LLVMGetNamedFunction(unit, WRITTEN);

    if (!written || LLVMIsDeclaration(written))
        return;
    LLVMReplaceAllUsesWith(written, LLVMAddFunction(unit, KEPT, LLVMGlobalGetValueType(written)));
    LLVMDeleteFunction(written);
}

/* The unit at AT, as the load number I of those that have slots from SLOT on. */
static void load_unit(struct hc_region_pass *p, LLVMValueRef at, LLVMValueRef i, LLVMValueRef slot)
{
    LLVMBuilderRef b = p->builder;
    unsigned words = p->word_bits / 16;
    LLVMValueRef number = LLVMBuildAnd(b, i, hc_region_word(p, HC_REGION_COPIES / words - 1), "");
    LLVMValueRef offset = LLVMBuildMul(b, number, hc_region_word(p, words), "");
    LLVMValueRef arguments[] = { at, LLVMBuildAdd(b, slot, offset, "") };

    hc_region_call_hook(p, words > 1 ? "__hcr_load32" : "__hcr_load16", words > 1 ? p->i32 : p->word, arguments, 2);
}

/* for (i = 0; i != units; i++) load the unit at FROM, aligned, + i */
static void fill_loop(struct hc_region_pass *p, LLVMValueRef loop)
{
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(p->context, loop, "");
    LLVMBasicBlockRef test = LLVMAppendBasicBlockInContext(p->context, loop, "");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(p->context, loop, "");
    LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(p->context, loop, "");
    LLVMValueRef from = LLVMGetParam(loop, 0), size = LLVMGetParam(loop, 1), slot = LLVMGetParam(loop, 2);
    LLVMValueRef zero = hc_region_word(p, 0), one = hc_region_word(p, 1), unit = hc_region_word(p, p->word_bits / 8);
    LLVMTypeRef i8 = LLVMInt8TypeInContext(p->context);
    LLVMBuilderRef b = p->builder;

    LLVMPositionBuilderAtEnd(b, first);
    LLVMValueRef part = LLVMBuildAnd(b, LLVMBuildPtrToInt(b, from, p->word, ""), LLVMBuildSub(b, unit, one, ""), "");
    LLVMValueRef back = LLVMBuildNeg(b, part, "");
    LLVMValueRef start = LLVMBuildGEP2(b, i8, from, &back, 1, "");
    LLVMValueRef bytes = LLVMBuildAdd(b, size, LLVMBuildAdd(b, part, LLVMBuildSub(b, unit, one, ""), ""), "");
    LLVMValueRef whole = LLVMBuildLShr(b, bytes, hc_region_word(p, p->word_bits / 16), "");
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, size, zero, "");
    LLVMValueRef units = LLVMBuildSelect(b, none, zero, whole, "");
    LLVMBuildBr(b, test);

    LLVMPositionBuilderAtEnd(b, test);
    LLVMValueRef i = LLVMBuildPhi(b, p->word, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, i, units, ""), end, body);

    LLVMPositionBuilderAtEnd(b, body);
    LLVMValueRef offset = LLVMBuildMul(b, i, unit, "");
    load_unit(p, LLVMBuildGEP2(b, i8, start, &offset, 1, ""), i, slot);
    LLVMValueRef values[] = { zero, LLVMBuildAdd(b, i, one, "") };
    LLVMBasicBlockRef blocks[] = { first, body };
    LLVMBuildBr(b, test);
    LLVMAddIncoming(i, values, blocks, 2);

    LLVMPositionBuilderAtEnd(b, end);
    LLVMBuildRetVoid(b);
}

/* Made where it is used first, like CALLER inside, and for the same CPU. */
static LLVMValueRef loop_of(struct hc_region_pass *p, LLVMTypeRef type, LLVMValueRef caller)
{
    static const char *const same[] = { "target-cpu", "target-features", "frame-pointer", HC_REGION_MARK };
    LLVMValueRef loop = LLVMGetNamedFunction(p->module, LOOP);

    if (loop)
        return loop;
    loop = LLVMAddFunction(p->module, LOOP, type);
    LLVMSetLinkage(loop, LLVMInternalLinkage);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        LLVMAttributeRef a =
            LLVMGetStringAttributeAtIndex(caller, LLVMAttributeFunctionIndex, same[i], (unsigned)strlen(same[i]));
        if (a)
            LLVMAddAttributeAtIndex(loop, LLVMAttributeFunctionIndex, a);
    }
    fill_loop(p, loop);
    return loop;
}

void hc_region_in_bytes(struct hc_region_pass *p, LLVMValueRef call)
{
    LLVMValueRef from = LLVMGetOperand(call, 0), caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    LLVMTypeRef types[] = { p->pointer, p->word, p->word }, type = LLVMFunctionType(p->void_type, types, 3, false);

    if (!hc_region_is_own(p, from)) {
        LLVMValueRef arguments[] = { from, LLVMGetOperand(call, 1), hc_region_word(p, p->result->slots) };
        LLVMValueRef loop = loop_of(p, type, caller);
        LLVMPositionBuilderBefore(p->builder, call);
        LLVMBuildCall2(p->builder, type, loop, arguments, 3, "");
        p->result->slots += HC_REGION_COPIES;
        p->result->loads++;
    }
    LLVMInstructionEraseFromParent(call);
}

void hc_region_drop_ins(struct hc_region_pass *p)
{
    LLVMValueRef kept = LLVMGetNamedFunction(p->module, KEPT);

    for (LLVMUseRef use = kept ? LLVMGetFirstUse(kept) : NULL, next; use; use = next) {
        next = LLVMGetNextUse(use);
        if (LLVMIsACallInst(LLVMGetUser(use)))
            LLVMInstructionEraseFromParent(LLVMGetUser(use));
    }
    if (kept && !LLVMGetFirstUse(kept))
        LLVMDeleteFunction(kept);
}
