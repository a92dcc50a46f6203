#include "lowering.h"

#include <string.h>

static LLVMValueRef operand(struct hc_lowering *l, LLVMValueRef i, unsigned n)
{
    return hc_lower_value(l, LLVMGetOperand(i, n));
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static LLVMValueRef resized(struct hc_lowering *l, LLVMValueRef value, LLVMTypeRef type)
{
    unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(value)), want = LLVMGetIntTypeWidth(type);

    if (have == want)
        return value;
    return have < want ? LLVMBuildZExt(l->builder, value, type, "") : LLVMBuildTrunc(l->builder, value, type, "");
}

/* ---- arithmetic: as the node's, also where C says nothing ---- */

/* By more than the width: what a loop of shifts by one leaves. */
static LLVMValueRef shift(struct hc_lowering *l, LLVMOpcode opcode, LLVMValueRef value, LLVMValueRef by)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef last = hc_lowering_number(type, (long long)LLVMGetIntTypeWidth(type) - 1);
    LLVMValueRef too_far = LLVMBuildICmp(b, LLVMIntUGT, by, last, "");
    LLVMValueRef safe = LLVMBuildSelect(b, too_far, opcode == LLVMAShr ? last : LLVMConstNull(type), by, "");
    LLVMValueRef result = LLVMBuildBinOp(b, opcode, value, safe, "");

    return opcode == LLVMAShr ? result : LLVMBuildSelect(b, too_far, LLVMConstNull(type), result, "");
}

/* The host would stop where the node's routine gives something. */
static LLVMValueRef divide(struct hc_lowering *l, LLVMOpcode opcode, LLVMValueRef a, LLVMValueRef d)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef one = hc_lowering_number(type, 1), zero = LLVMConstNull(type), minus = LLVMConstAllOnes(type);
    LLVMValueRef none = LLVMBuildICmp(b, LLVMIntEQ, d, zero, "");
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem, rest = opcode == LLVMSRem || opcode == LLVMURem;
    LLVMValueRef negates = LLVMBuildICmp(b, LLVMIntEQ, d, minus, "");
    LLVMValueRef odd = is_signed ? LLVMBuildOr(b, none, negates, "") : none;
    LLVMValueRef result = LLVMBuildBinOp(b, opcode, a, LLVMBuildSelect(b, odd, one, d, ""), "");

    if (is_signed)
        result = LLVMBuildSelect(b, negates, rest ? zero : LLVMBuildNeg(b, a, ""), result, "");
    return LLVMBuildSelect(b, none, rest ? a : minus, result, "");
}

static LLVMValueRef binary(struct hc_lowering *l, LLVMValueRef i, LLVMOpcode opcode)
{
    LLVMValueRef a = operand(l, i, 0), d = operand(l, i, 1);

    if (opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr)
        return shift(l, opcode, a, d);
    if (opcode == LLVMSDiv || opcode == LLVMUDiv || opcode == LLVMSRem || opcode == LLVMURem)
        return divide(l, opcode, a, d);
    return LLVMBuildBinOp(l->builder, opcode, a, d, "");
}

static LLVMValueRef cast(struct hc_lowering *l, LLVMValueRef i, LLVMOpcode opcode)
{
    LLVMTypeRef type = hc_lower_type(l, LLVMTypeOf(i));
    LLVMValueRef value = operand(l, i, 0);

    if (opcode == LLVMPtrToInt || opcode == LLVMIntToPtr)
        return resized(l, value, type);
    return LLVMTypeOf(value) == type ? value : LLVMBuildCast(l->builder, opcode, value, type, "");
}

/* ---- memory ---- */

static LLVMValueRef load(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef value =
        LLVMBuildLoad2(l->builder, hc_lower_type(l, LLVMTypeOf(i)), hc_lower_address(l, operand(l, i, 0)), "");

    LLVMSetAlignment(value, 1);
    return value;
}

static LLVMValueRef store(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef value = LLVMBuildStore(l->builder, operand(l, i, 0), hc_lower_address(l, operand(l, i, 1)));

    LLVMSetAlignment(value, 1);
    return value;
}

static LLVMValueRef place_local(struct hc_lowering *l, LLVMValueRef i)
{
    unsigned number = 0;
    int offset = 0;

    for (const char *c = hc_lowering_name(i) + strlen("hcn."); *c >= '0' && *c <= '9'; c++)
        number = number * 10 + (unsigned)(*c - '0');
    if (!l->frame || !hc_frame_place(l->frame, number, &offset))
        offset = 0; /* nobody uses it: the compiler left it out */
    return LLVMBuildAdd(l->builder, l->cfa, hc_lowering_number(l->i16, offset), "");
}

/* ---- calls ---- */

static int hook_of(const char *name)
{
    for (int i = 0; i < HC_REGION_HOOKS; i++)
        if (!strcmp(name, hc_region_hook_names[i]))
            return i;
    return !strcmp(name, "__hcr_copy") ? HC_NATIVE_COPY : !strcmp(name, "__hcr_set") ? HC_NATIVE_SET : -1;
}

static LLVMValueRef call_hook(struct hc_lowering *l, LLVMValueRef i, const char *name)
{
    LLVMValueRef arguments[4];
    unsigned count = LLVMGetNumArgOperands(i);
    int hook = hook_of(name);

    if (hook < 0 || count > (hook == HC_NATIVE_COPY ? 4 : 3)) {
        hc_lowering_fail(l, i, "a hook that native replay does not know");
        return NULL;
    }
    if (hook == HC_HOOK_ENTER || hook == HC_HOOK_BACK) /* the runner knows by then */
        return NULL;
    for (unsigned k = 0; k < count; k++)
        arguments[k] = operand(l, i, k);
    if (count == 4) { /* a copy's size and slot go as one */
        LLVMValueRef high =
            LLVMBuildShl(l->builder, resized(l, arguments[3], l->i32), hc_lowering_number(l->i32, 16), "");
        arguments[2] = LLVMBuildOr(l->builder, resized(l, arguments[2], l->i32), high, "");
        count = 3;
    }
    LLVMValueRef result = hc_lower_hook(l, (unsigned)hook, arguments, count, hc_lowering_site(l, i, ""));
    LLVMTypeRef type = hc_lower_type(l, LLVMTypeOf(i));
    return LLVMGetTypeKind(type) == LLVMVoidTypeKind ? NULL : resized(l, result, type);
}

/* Of the region's own memory: no hooks. */
static LLVMValueRef move_memory(struct hc_lowering *l, LLVMValueRef i, bool sets)
{
    LLVMValueRef to = hc_lower_address(l, operand(l, i, 0)), size = resized(l, operand(l, i, 2), l->i64);

    if (sets)
        return LLVMBuildMemSet(l->builder, to, operand(l, i, 1), size, 1);
    return LLVMBuildMemMove(l->builder, to, 1, hc_lower_address(l, operand(l, i, 1)), 1, size);
}

/* Those that compute are the host's, too. */
static LLVMValueRef call_intrinsic(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef callee)
{
    LLVMValueRef arguments[4];
    LLVMTypeRef types[4];
    unsigned count = LLVMGetNumArgOperands(i);

    for (unsigned k = 0; k < count && k < 4; k++) {
        arguments[k] = operand(l, i, k);
        types[k] = LLVMTypeOf(arguments[k]);
        if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMPointerTypeKind)
            count = 5; /* none that we know */
    }
    if (count > 4) {
        hc_lowering_fail(l, i, "an intrinsic function of LLVM that native replay does not know");
        return LLVMConstNull(hc_lower_type(l, LLVMTypeOf(i)));
    }
    LLVMTypeRef type = LLVMFunctionType(hc_lower_type(l, LLVMTypeOf(i)), types, count, false);
    const char *name = hc_lowering_name(callee);
    LLVMValueRef function = LLVMGetNamedFunction(l->to, name);
    if (!function)
        function = LLVMAddFunction(l->to, name, type);
    return LLVMBuildCall2(l->builder, type, function, arguments, count, "");
}

static bool says_nothing(const char *name)
{
    return starts(name, "llvm.lifetime.") || starts(name, "llvm.assume") || starts(name, "llvm.invariant.") ||
           starts(name, "llvm.experimental.noalias") || starts(name, "llvm.dbg.label") ||
           starts(name, "llvm.dbg.assign");
}

static LLVMValueRef lower_intrinsic(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef callee)
{
    const char *name = hc_lowering_name(callee);

    if (says_nothing(name))
        return NULL;
    if (starts(name, "llvm.dbg.")) {
        hc_lower_variable(l, i, starts(name, "llvm.dbg.declare"));
        return NULL;
    }
    if (starts(name, "llvm.mem"))
        return move_memory(l, i, starts(name, "llvm.memset"));
    if (starts(name, "llvm.frameaddress") || starts(name, "llvm.returnaddress"))
        return LLVMConstNull(l->i16); /* the hook behind it has the node's */
    if (starts(name, "llvm.trap") || starts(name, "llvm.ubsantrap"))
        return hc_lower_hook(l, HC_NATIVE_STUCK, NULL, 0, hc_lowering_site(l, i, ""));
    return call_intrinsic(l, i, callee);
}

/* A function that was lowered. The stack pointer is ours again after it. */
static LLVMValueRef call_inside(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef function)
{
    LLVMValueRef arguments[32];
    unsigned count = LLVMGetNumArgOperands(i);

    if (count > 32) {
        hc_lowering_fail(l, i, "a call with more than 32 arguments");
        return NULL;
    }
    for (unsigned k = 0; k < count; k++)
        arguments[k] = operand(l, i, k);
    LLVMValueRef result = LLVMBuildCall2(l->builder, LLVMGlobalGetValueType(function), function, arguments, count, "");
    LLVMBuildStore(l->builder, l->own_sp, l->sp);
    return result;
}

static LLVMValueRef lower_call(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMGetCalledValue(i);
    LLVMTypeRef type = hc_lower_type(l, LLVMTypeOf(i));
    bool is_void = LLVMGetTypeKind(type) == LLVMVoidTypeKind;

    if (LLVMIsAFunction(callee)) {
        struct hc_lowered_pair *inside = hc_lowering_find(l, callee);
        if (starts(hc_lowering_name(callee), "__hcr_"))
            return call_hook(l, i, hc_lowering_name(callee));
        if (LLVMGetIntrinsicID(callee))
            return lower_intrinsic(l, i, callee);
        if (inside && !hc_lowering_is_entry(l, callee)) /* entries are called by the outside */
            return call_inside(l, i, inside->to);
    }
    return is_void ? NULL : LLVMConstNull(type); /* the outside: behind a hook that says no */
}

/* ---- all ---- */

static LLVMValueRef compare(struct hc_lowering *l, LLVMValueRef i, LLVMOpcode opcode)
{
    LLVMValueRef a = operand(l, i, 0), b = operand(l, i, 1);

    return opcode == LLVMICmp ? LLVMBuildICmp(l->builder, LLVMGetICmpPredicate(i), a, b, "")
                              : LLVMBuildFCmp(l->builder, LLVMGetFCmpPredicate(i), a, b, "");
}

static LLVMValueRef member(struct hc_lowering *l, LLVMValueRef i, LLVMOpcode opcode)
{
    unsigned count = LLVMGetNumIndices(i);
    const unsigned *index = LLVMGetIndices(i);

    if (count != 1) {
        hc_lowering_fail(l, i, "a member of a member of a value");
        return LLVMConstNull(hc_lower_type(l, LLVMTypeOf(i)));
    }
    if (opcode == LLVMExtractValue)
        return LLVMBuildExtractValue(l->builder, operand(l, i, 0), *index, "");
    return LLVMBuildInsertValue(l->builder, operand(l, i, 0), operand(l, i, 1), *index, "");
}

static LLVMValueRef lower(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    if (LLVMIsABinaryOperator(i))
        return binary(l, i, opcode);
    if (LLVMIsACastInst(i))
        return cast(l, i, opcode);
    switch (opcode) {
    case LLVMFNeg:
        return LLVMBuildFNeg(l->builder, operand(l, i, 0), "");
    case LLVMAlloca:
        return place_local(l, i);
    case LLVMLoad:
        return load(l, i);
    case LLVMStore:
        return store(l, i);
    case LLVMGetElementPtr:
        return hc_lower_gep(l, i);
    case LLVMICmp:
    case LLVMFCmp:
        return compare(l, i, opcode);
    case LLVMSelect:
        return LLVMBuildSelect(l->builder, operand(l, i, 0), operand(l, i, 1), operand(l, i, 2), "");
    case LLVMFreeze:
        return operand(l, i, 0);
    case LLVMExtractValue:
    case LLVMInsertValue:
        return member(l, i, opcode);
    case LLVMCall:
        return lower_call(l, i);
    case LLVMFence:
        return NULL;
    default:
        hc_lowering_fail(l, i, "an instruction of LLVM that native replay does not know");
        return NULL;
    }
}

void hc_lower_instruction(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef result = lower(l, i);

    if (result)
        hc_lowering_set(l, i, result);
}
