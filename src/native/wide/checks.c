#include "native/lowering.h"
#include "native/order.h"
#include "wide.h"

#include <stdlib.h>

static void check_block(struct hc_lowering *l, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        LLVMPositionBuilderBefore(l->builder, i);
        LLVMSetCurrentDebugLocation2(l->builder, l->has_lines ? LLVMInstructionGetDebugLoc(i) : NULL);
        if (LLVMIsAPHINode(i)) {
            hc_checks_phi(l, i);
            continue;
        }
        hc_checks_before(l, i);
        if (next) {
            LLVMPositionBuilderBefore(l->builder, next);
            hc_checks_follow(l, i);
        }
    }
}

/* Those of the shadows are behind those of the values. */
static void fill_phis(struct hc_lowering *l, LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i && LLVMIsAPHINode(i); i = LLVMGetNextInstruction(i))
        for (unsigned k = 0; hc_lowering_find(l, i) && k < LLVMCountIncoming(i); k++)
            hc_checks_fill(l, i, LLVMGetIncomingValue(i, k), LLVMGetIncomingBlock(i, k));
}

static bool check_function(struct hc_lowering *l, LLVMValueRef function)
{
    struct hc_block_order order;
    bool fine = hc_block_order(&order, function);

    l->function = function;
    l->has_lines = LLVMGetSubprogram(function) != NULL;
    if (fine) {
        hc_checks_begin(l, function);
        for (size_t i = order.count; i--;)
            check_block(l, order.block[i]);
        for (size_t i = order.count; i--;)
            fill_phis(l, order.block[i]);
    }
    hc_block_order_free(&order);
    return fine;
}

bool hc_wide_check(struct hc_wide_lowering *l)
{
    struct hc_lowering checks = {
        .map = l->map, .checks = l->sanitize, .in_place = true, .from = l->module, .to = l->module
    };
    bool fine = true;

    hc_lowering_begin(&checks);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f && fine; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            fine = check_function(&checks, f);
    if (checks.function)
        hc_lowering_add_sites(&checks);
    hc_lowering_free(&checks);
    return fine;
}
