#include "pass.h"

#include <string.h>

LLVMValueRef hc_region_word(struct hc_region_pass *p, unsigned long long n)
{
    return LLVMConstInt(p->word, n, false);
}

LLVMValueRef hc_region_call_hook(struct hc_region_pass *p, const char *name, LLVMTypeRef result,
                                 LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[4];

    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(p->module, name);
    if (!function)
        function = LLVMAddFunction(p->module, name, type);
    return LLVMBuildCall2(p->builder, type, function, arguments, count, "");
}

/* ---- values of any type as numbers of 8, 16 or 32 bits ---- */

typedef LLVMValueRef number_fn(struct hc_region_pass *p, LLVMValueRef number, unsigned bits);

static LLVMValueRef in_number(struct hc_region_pass *p, LLVMValueRef number, unsigned bits)
{
    static const char *const names[] = { "__hcr_in8", "__hcr_in16", "__hcr_in32" };
    LLVMValueRef arguments[] = { number, hc_region_word(p, p->result->slots) };

    p->result->slots += bits == 32 ? 2 : 1;
    return hc_region_call_hook(p, names[bits / 16], LLVMTypeOf(number), arguments, 2);
}

static LLVMValueRef out_number(struct hc_region_pass *p, LLVMValueRef number, unsigned bits)
{
    (void)bits;
    hc_region_call_hook(p, bits == 32 ? "__hcr_out32" : "__hcr_out16", p->void_type, &number, 1);
    return NULL;
}

/* VALUE is an integer of BITS, at most 32; the hook takes a word, or 32 bits. */
static LLVMValueRef narrow(struct hc_region_pass *p, LLVMValueRef value, unsigned bits, number_fn *fn)
{
    unsigned size = bits <= 8 ? 8 : bits <= 16 ? 16 : 32;
    LLVMTypeRef taken = size == 32 ? p->i32 : p->word;
    LLVMValueRef number = LLVMGetIntTypeWidth(taken) == bits ? value : LLVMBuildZExt(p->builder, value, taken, "");
    LLVMValueRef result = fn(p, number, size);

    if (!result || LLVMGetIntTypeWidth(taken) == bits)
        return result;
    return LLVMBuildTrunc(p->builder, result, LLVMTypeOf(value), "");
}

static LLVMValueRef wide(struct hc_region_pass *p, LLVMValueRef value, unsigned bits, number_fn *fn)
{
    LLVMTypeRef type = LLVMTypeOf(value), whole = LLVMIntTypeInContext(p->context, 64);
    LLVMBuilderRef b = p->builder;
    LLVMValueRef shift = LLVMConstInt(whole, 32, false);
    LLVMValueRef all = bits == 64 ? value : LLVMBuildZExt(b, value, whole, "");
    LLVMValueRef low = fn(p, LLVMBuildTrunc(b, all, p->i32, ""), 32);
    LLVMValueRef high = fn(p, LLVMBuildTrunc(b, LLVMBuildLShr(b, all, shift, ""), p->i32, ""), 32);

    if (!low)
        return NULL;
    low = LLVMBuildZExt(b, low, whole, "");
    high = LLVMBuildShl(b, LLVMBuildZExt(b, high, whole, ""), shift, "");
    LLVMValueRef result = LLVMBuildOr(b, low, high, "");
    return bits == 64 ? result : LLVMBuildTrunc(b, result, type, "");
}

static LLVMValueRef pass_value(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place, number_fn *fn);

static LLVMValueRef pass_members(struct hc_region_pass *p, LLVMValueRef value, unsigned count, LLVMValueRef place,
                                 number_fn *fn)
{
    LLVMValueRef result = value;

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef member = pass_value(p, LLVMBuildExtractValue(p->builder, value, i, ""), place, fn);
        if (member)
            result = LLVMBuildInsertValue(p->builder, result, member, i, "");
    }
    return result;
}

static LLVMValueRef pass_value(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place, number_fn *fn)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMBuilderRef b = p->builder;
    LLVMValueRef result = NULL;
    unsigned bits;

    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        bits = LLVMGetIntTypeWidth(type);
        if (bits > 64)
            break;
        return bits <= 32 ? narrow(p, value, bits, fn) : wide(p, value, bits, fn);
    case LLVMPointerTypeKind:
        result = narrow(p, LLVMBuildPtrToInt(b, value, p->word, ""), p->word_bits, fn);
        return result ? LLVMBuildIntToPtr(b, result, type, "") : NULL;
    case LLVMFloatTypeKind:
        result = narrow(p, LLVMBuildBitCast(b, value, p->i32, ""), 32, fn);
        return result ? LLVMBuildBitCast(b, result, type, "") : NULL;
    case LLVMDoubleTypeKind:
        result = wide(p, LLVMBuildBitCast(b, value, LLVMIntTypeInContext(p->context, 64), ""), 64, fn);
        return result ? LLVMBuildBitCast(b, result, type, "") : NULL;
    case LLVMStructTypeKind:
        return pass_members(p, value, LLVMCountStructElementTypes(type), place, fn);
    case LLVMArrayTypeKind:
        return pass_members(p, value, (unsigned)LLVMGetArrayLength2(type), place, fn);
    default:
        break;
    }
    hc_region_error(p, place,
                    "a value of a type that regions cannot record crosses the border; take it out of the region");
    return value;
}

LLVMValueRef hc_region_in(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place)
{
    return pass_value(p, value, place, in_number);
}

void hc_region_out(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef place)
{
    pass_value(p, value, place, out_number);
}

void hc_region_take(struct hc_region_pass *p, LLVMValueRef value, LLVMValueRef before)
{
    LLVMPositionBuilderBefore(p->builder, before);
    LLVMValueRef given = LLVMBuildFreeze(p->builder, value, "");
    LLVMReplaceAllUsesWith(value, hc_region_in(p, given, value));
    LLVMSetOperand(given, 0, value);
}
