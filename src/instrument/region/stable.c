/* Loops that read a register until two values agree. With a hook between the reads they would not end, so they become
 * one hook that reads so and records the value once:
 *
 *     b = TBR; do { a = b; b = TBR; } while (a != b);        do { a = TBR; b = TBR; } while (a != b);
 *
 * After optimisation the loop is one block. What looks like it in another form is refused. */
#include "pass.h"

static bool is_register_load(LLVMValueRef value)
{
    return LLVMIsALoadInst(value) && LLVMGetVolatile(value) &&
           LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 16 &&
           hc_region_is_register(value, LLVMGetOperand(value, 0));
}

static bool is_same_register(LLVMValueRef a, LLVMValueRef b)
{
    return is_register_load(a) && is_register_load(b) && LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
}

/* The block goes back to itself while A and B, which it compares, are not alike. */
static bool is_loop(LLVMBasicBlockRef block, LLVMValueRef *a, LLVMValueRef *b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);

    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end))
        return false;
    LLVMValueRef condition = LLVMGetCondition(end);
    if (!LLVMIsAICmpInst(condition))
        return false;
    bool equal = LLVMGetICmpPredicate(condition) == LLVMIntEQ;
    *a = LLVMGetOperand(condition, 0);
    *b = LLVMGetOperand(condition, 1);
    return (equal || LLVMGetICmpPredicate(condition) == LLVMIntNE) && LLVMGetSuccessor(end, equal ? 1 : 0) == block;
}

/* Nothing else has an effect. */
static bool is_empty(LLVMBasicBlockRef block, unsigned reads)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        switch (LLVMGetInstructionOpcode(i)) {
        case LLVMLoad:
            if (!LLVMGetVolatile(i) || !reads--)
                return false;
            break;
        case LLVMStore:
        case LLVMCall:
        case LLVMAtomicRMW:
        case LLVMAtomicCmpXchg:
            return false;
        default:
            break;
        }
    return true;
}

/* The load before the loop, which PHI begins with; NULL: it is another loop. */
static LLVMValueRef before_loop(LLVMValueRef phi, LLVMValueRef load, LLVMBasicBlockRef block)
{
    if (!LLVMIsAPHINode(phi) || LLVMGetInstructionParent(phi) != block || LLVMCountIncoming(phi) != 2)
        return NULL;
    unsigned own = LLVMGetIncomingBlock(phi, 0) == block ? 0 : 1;
    LLVMValueRef first = LLVMGetIncomingValue(phi, 1 - own);
    return LLVMGetIncomingValue(phi, own) == load && is_same_register(first, load) ? first : NULL;
}

/* FIRST becomes the one read, and SECOND what VALUE is. */
static void make_one(struct hc_region_pass *p, LLVMValueRef first, LLVMValueRef second, LLVMValueRef value)
{
    LLVMReplaceAllUsesWith(second, value);
    LLVMInstructionEraseFromParent(second);
    hc_region_stable(p, first);
}

static void look_at(struct hc_region_pass *p, LLVMBasicBlockRef block)
{
    LLVMValueRef a, b, first;

    if (!is_loop(block, &a, &b))
        return;
    if (is_register_load(a) && (LLVMIsAPHINode(b) || LLVMGetPreviousInstruction(a) == b)) {
        LLVMValueRef other = a;
        a = b;
        b = other;
    }
    if (!is_register_load(b) || LLVMGetInstructionParent(b) != block)
        return;
    if (is_same_register(a, b) && LLVMGetInstructionParent(a) == block && is_empty(block, 2))
        make_one(p, a, b, a);
    else if ((first = before_loop(a, b, block)) && is_empty(block, 1))
        make_one(p, first, b, a);
    else if (is_same_register(a, b) || first)
        hc_region_error(p, b,
                        "a loop that reads a register until two values agree, and does more; do that in a function of "
                        "its own, or outside the region");
}

void hc_region_find_stable(struct hc_region_pass *p, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        look_at(p, b);
}
