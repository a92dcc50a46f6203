/* Where LLVM's operations have no meaning, the node's instructions have one: Arm shifts by the lowest byte of the
 * amount, and dividing by zero gives zero. The host's would trap, or give something else. */
#include "wide.h"

#include "llvm/llvm.h"

static bool is_shift(LLVMOpcode opcode)
{
    return opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
}

static bool is_remainder(LLVMOpcode opcode)
{
    return opcode == LLVMSRem || opcode == LLVMURem;
}

static bool is_division(LLVMOpcode opcode)
{
    return opcode == LLVMSDiv || opcode == LLVMUDiv || is_remainder(opcode);
}

static LLVMValueRef shift(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    unsigned bits = LLVMGetIntTypeWidth(type);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef most = LLVMConstInt(type, bits - 1, false);
    LLVMValueRef amount = bits > 8 ? LLVMBuildAnd(b, by, LLVMConstInt(type, 0xff, false), "") : by;
    LLVMValueRef far = LLVMBuildICmp(b, LLVMIntUGT, amount, most, "");
    LLVMValueRef near = LLVMBuildBinOp(b, opcode, value, LLVMBuildSelect(b, far, most, amount, ""), "");

    return opcode == LLVMAShr ? near : LLVMBuildSelect(b, far, LLVMConstNull(type), near, "");
}

static LLVMValueRef divide(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef zero = LLVMConstNull(type), least = LLVMConstInt(type, 1ull << (LLVMGetIntTypeWidth(type) - 1), false);
    LLVMValueRef by_zero = LLVMBuildICmp(b, LLVMIntEQ, by, zero, ""), odd = by_zero;

    if (opcode == LLVMSDiv || opcode == LLVMSRem)
        odd = LLVMBuildOr(b, odd,
                          LLVMBuildAnd(b, LLVMBuildICmp(b, LLVMIntEQ, value, least, ""),
                                       LLVMBuildICmp(b, LLVMIntEQ, by, LLVMConstAllOnes(type), ""), ""),
                          "");
    LLVMValueRef safe = LLVMBuildSelect(b, odd, LLVMConstInt(type, 1, false), by, "");
    return LLVMBuildSelect(b, by_zero, is_remainder(opcode) ? value : zero, LLVMBuildBinOp(b, opcode, value, safe, ""),
                           "");
}

void hc_wide_lower_arithmetic(struct hc_wide_lowering *l, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool shifts = is_shift(opcode);

    if ((!shifts && !is_division(opcode)) || LLVMIsConstant(LLVMGetOperand(i, 1)) ||
        LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMTypeOf(i)) > 32)
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(l->module));
    LLVMPositionBuilderBefore(builder, i);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(i));
    LLVMReplaceAllUsesWith(i, shifts ? shift(builder, i) : divide(builder, i));
    LLVMInstructionEraseFromParent(i);
    LLVMDisposeBuilder(builder);
}
