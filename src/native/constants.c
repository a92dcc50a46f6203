#include "lowering.h"

#include <stdlib.h>
#include <string.h>

static unsigned number_at(const uint8_t *bytes)
{
    return bytes[0] | (unsigned)bytes[1] << 8;
}

/* Where NAME is on the node; -1: nobody says. */
static long place_of(const struct hc_lowering *l, const char *name)
{
    const struct hc_image_section *s = l->places;

    for (size_t at = 0; at + 2 < s->size;) {
        const char *found = (const char *)s->bytes + at + 2;
        size_t length = strnlen(found, s->size - at - 2);
        if (!strcmp(found, name))
            return (long)number_at(s->bytes + at);
        at += 2 + length + 1;
    }
    return -1;
}

static LLVMValueRef address_of(struct hc_lowering *l, LLVMValueRef symbol)
{
    long place = place_of(l, hc_lowering_name(symbol));

    if (place < 0) {
        hc_lowering_fail(l, symbol, "its address is not in the ELF file; build it again");
        place = 0;
    }
    return hc_lowering_number(l->i16, place);
}

static LLVMValueRef resized(struct hc_lowering *l, LLVMValueRef value, LLVMTypeRef type)
{
    unsigned have = LLVMGetIntTypeWidth(LLVMTypeOf(value)), want = LLVMGetIntTypeWidth(type);

    if (have == want)
        return value;
    return have < want ? LLVMBuildZExt(l->builder, value, type, "") : LLVMBuildTrunc(l->builder, value, type, "");
}

static LLVMValueRef lower_expression(struct hc_lowering *l, LLVMValueRef value)
{
    LLVMBuilderRef b = l->builder;
    LLVMTypeRef type = hc_lower_type(l, LLVMTypeOf(value));
    LLVMOpcode opcode = LLVMGetConstOpcode(value);
    LLVMValueRef first = opcode == LLVMGetElementPtr ? NULL : hc_lower_value(l, LLVMGetOperand(value, 0));

    switch (opcode) {
    case LLVMGetElementPtr:
        return hc_lower_gep(l, value);
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return resized(l, first, type);
    case LLVMBitCast:
    case LLVMTrunc:
        return LLVMBuildCast(b, opcode, first, type, "");
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor:
        return LLVMBuildBinOp(b, opcode, first, hc_lower_value(l, LLVMGetOperand(value, 1)), "");
    default:
        hc_lowering_fail(l, value, "a constant expression that native replay does not know");
        return LLVMConstNull(type);
    }
}

static LLVMValueRef lower_members(struct hc_lowering *l, LLVMValueRef value, LLVMTypeRef type)
{
    bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
    unsigned count = is_struct ? LLVMCountStructElementTypes(type) : (unsigned)LLVMGetArrayLength2(type);
    LLVMValueRef result = LLVMConstNull(type);

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef member = LLVMGetAggregateElement(value, i);
        if (member)
            result = LLVMBuildInsertValue(l->builder, result, hc_lower_value(l, member), i, "");
    }
    return result;
}

LLVMValueRef hc_lower_constant(struct hc_lowering *l, LLVMValueRef value)
{
    LLVMTypeRef type = hc_lower_type(l, LLVMTypeOf(value));
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (LLVMIsAGlobalValue(value))
        return address_of(l, value);
    if (LLVMIsUndef(value) || LLVMIsPoison(value) || LLVMIsNull(value))
        return LLVMConstNull(type); /* what nobody set is the same each time */
    if (LLVMIsAConstantExpr(value))
        return lower_expression(l, value);
    if (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind)
        return lower_members(l, value, type);
    return value; /* integers and floating point: the context is the same */
}

/* ---- addresses ---- */

static LLVMValueRef scaled(struct hc_lowering *l, LLVMValueRef index, unsigned long long size)
{
    unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(index));
    LLVMValueRef narrow = width > 16   ? LLVMBuildTrunc(l->builder, index, l->i16, "")
                          : width < 16 ? LLVMBuildSExt(l->builder, index, l->i16, "")
                                       : index;

    return LLVMBuildMul(l->builder, narrow, hc_lowering_number(l->i16, (long long)size), "");
}

LLVMValueRef hc_lower_gep(struct hc_lowering *l, LLVMValueRef gep)
{
    LLVMValueRef address = hc_lower_value(l, LLVMGetOperand(gep, 0));
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = (unsigned)LLVMGetNumOperands(gep);

    for (unsigned i = 1; i < count; i++) {
        LLVMValueRef old = LLVMGetOperand(gep, i), index = hc_lower_value(l, old), step;
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(old);
            step = hc_lowering_number(l->i16, (long long)LLVMOffsetOfElement(l->layout, type, member));
            type = LLVMStructGetTypeAtIndex(type, member);
        } else {
            if (i > 1)
                type = LLVMGetElementType(type);
            step = scaled(l, index, LLVMABISizeOfType(l->layout, type));
        }
        address = LLVMBuildAdd(l->builder, address, step, "");
    }
    return address;
}
