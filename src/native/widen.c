#include "widen.h"

#include "lowering.h"
#include "order.h"

static bool is_short(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(v)) == 16;
}

static bool is_logic(LLVMOpcode opcode)
{
    return opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor;
}

/* ---- which values ----
 *
 * A pair in the table: the value is, or may be, widened. */

static bool is_candidate(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    return is_short(i) && (is_logic(opcode) || opcode == LLVMLShr || opcode == LLVMPHI || opcode == LLVMSelect);
}

static bool is_chosen(struct hc_lowering *l, LLVMValueRef v)
{
    struct hc_lowered_pair *pair = LLVMIsAInstruction(v) ? hc_lowering_find(l, v) : NULL;

    return pair && pair->to;
}

/* Costs nothing as a wide one. */
static bool is_free(struct hc_lowering *l, LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) || LLVMIsAArgument(v) || LLVMIsALoadInst(v) || LLVMIsAZExtInst(v) || is_chosen(l, v);
}

static bool is_worth_it(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    if (opcode == LLVMLShr)
        return true;
    if (is_logic(opcode))
        return is_chosen(l, LLVMGetOperand(i, 0)) || is_chosen(l, LLVMGetOperand(i, 1));
    for (unsigned k = opcode == LLVMSelect; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (!is_free(l, LLVMGetOperand(i, k)))
            return false;
    return true;
}

typedef void instruction_fn(struct hc_lowering *l, LLVMValueRef i);

/* In an order in which operands come first. */
static void for_all(struct hc_lowering *l, const struct hc_block_order *o, instruction_fn *call)
{
    for (size_t b = o->count; b--;)
        for (LLVMValueRef i = LLVMGetFirstInstruction(o->block[b]), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            call(l, i);
        }
}

static void propose(struct hc_lowering *l, LLVMValueRef i)
{
    if (is_candidate(i))
        hc_lowering_set(l, i, i);
}

static void drop_unless_worth_it(struct hc_lowering *l, LLVMValueRef i)
{
    if (is_chosen(l, i) && !is_worth_it(l, i)) {
        hc_lowering_find(l, i)->to = NULL;
        l->failed = true; /* once more */
    }
}

/* ---- the wide ones ---- */

/* At the builder's place. */
static LLVMValueRef wide(struct hc_lowering *l, LLVMValueRef v)
{
    if (LLVMIsAConstantInt(v))
        return LLVMConstInt(l->i32, LLVMConstIntGetZExtValue(v), false);
    if (is_chosen(l, v))
        return hc_lowering_find(l, v)->to;
    return LLVMBuildZExt(l->builder, v, l->i32, "");
}

static LLVMValueRef build(struct hc_lowering *l, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
        return LLVMBuildPhi(l->builder, l->i32, "");
    case LLVMSelect:
        return LLVMBuildSelect(l->builder, LLVMGetOperand(i, 0), wide(l, LLVMGetOperand(i, 1)),
                               wide(l, LLVMGetOperand(i, 2)), "");
    default:
        return LLVMBuildBinOp(l->builder, LLVMGetInstructionOpcode(i), wide(l, LLVMGetOperand(i, 0)),
                              wide(l, LLVMGetOperand(i, 1)), "");
    }
}

static void replace(LLVMValueRef i, LLVMValueRef with)
{
    LLVMReplaceAllUsesWith(i, with);
    LLVMInstructionEraseFromParent(i);
}

/* Users that take a wide one as it is. */
static void widen_use(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef first = LLVMGetOperand(i, 0);

    if (opcode == LLVMZExt && is_chosen(l, first)) {
        replace(i, LLVMBuildIntCast2(l->builder, wide(l, first), LLVMTypeOf(i), false, ""));
    } else if (opcode == LLVMICmp && LLVMGetICmpPredicate(i) < LLVMIntSGT &&
               (is_chosen(l, first) || is_chosen(l, LLVMGetOperand(i, 1)))) {
        LLVMValueRef a = wide(l, first), b = wide(l, LLVMGetOperand(i, 1));
        replace(i, LLVMBuildICmp(l->builder, LLVMGetICmpPredicate(i), a, b, ""));
    }
}

static void widen(struct hc_lowering *l, LLVMValueRef i)
{
    if (!LLVMGetNumOperands(i))
        return;
    LLVMPositionBuilderBefore(l->builder, i);
    LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(i));
    if (is_chosen(l, i))
        hc_lowering_find(l, i)->to = build(l, i);
    else
        widen_use(l, i);
}

static void fill(struct hc_lowering *l, LLVMValueRef i)
{
    for (unsigned k = 0; LLVMIsAPHINode(i) && is_chosen(l, i) && k < LLVMCountIncoming(i); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(i, k);
        LLVMPositionBuilderBefore(l->builder, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef value = wide(l, LLVMGetIncomingValue(i, k));
        LLVMAddIncoming(hc_lowering_find(l, i)->to, &value, &from, 1);
    }
}

/* All others take its lower half. */
static void finish(struct hc_lowering *l, LLVMValueRef i)
{
    if (!is_chosen(l, i))
        return;
    LLVMValueRef after = i;
    while (LLVMIsAPHINode(after))
        after = LLVMGetNextInstruction(after);
    LLVMPositionBuilderBefore(l->builder, after);
    LLVMReplaceAllUsesWith(i, LLVMBuildTrunc(l->builder, hc_lowering_find(l, i)->to, l->i16, ""));
}

static void erase(struct hc_lowering *l, LLVMValueRef i)
{
    if (is_chosen(l, i))
        LLVMInstructionEraseFromParent(i);
}

static bool widen_function(struct hc_lowering *l, LLVMValueRef function)
{
    static instruction_fn *const steps[] = { widen, fill, finish, erase };
    struct hc_block_order order;
    bool fine = hc_block_order(&order, function);

    if (fine) {
        for_all(l, &order, propose);
        do {
            l->failed = false;
            for_all(l, &order, drop_unless_worth_it);
        } while (l->failed);
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
            for_all(l, &order, steps[k]);
    }
    hc_block_order_free(&order);
    return fine;
}

bool hc_widen(LLVMModuleRef module)
{
    bool fine = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && fine; f = LLVMGetNextFunction(f)) {
        struct hc_lowering l = { .from = module, .to = module };
        hc_lowering_begin(&l);
        fine = LLVMIsDeclaration(f) || widen_function(&l, f);
        hc_lowering_free(&l);
    }
    return fine;
}
