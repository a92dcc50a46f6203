#include "lowering.h"

#include <string.h>

/* The value that the first argument of CALL names; NULL: none, or several. */
static LLVMValueRef described(LLVMValueRef call)
{
    LLVMValueRef wrapped = LLVMGetOperand(call, 0), value = NULL;
    LLVMMetadataKind kind = LLVMGetMetadataKind(LLVMValueAsMetadata(wrapped));

    if (kind == LLVMLocalAsMetadataMetadataKind || kind == LLVMConstantAsMetadataMetadataKind)
        LLVMGetMDNodeOperands(wrapped, &value);
    return value;
}

static LLVMValueRef lowered(struct hc_lowering *l, LLVMValueRef value)
{
    if (!value || LLVMIsUndef(value) || LLVMIsPoison(value))
        return NULL;
    if (LLVMIsConstant(value))
        return hc_lower_constant(l, value);
    struct hc_lowered_pair *pair = hc_lowering_find(l, value);
    return pair ? pair->to : NULL;
}

static LLVMValueRef as_value(struct hc_lowering *l, LLVMMetadataRef metadata)
{
    return LLVMMetadataAsValue(l->context, metadata);
}

void hc_lower_variable(struct hc_lowering *l, LLVMValueRef call, bool in_memory)
{
    static const char name[] = "llvm.dbg.value";
    LLVMTypeRef metadata = LLVMMetadataTypeInContext(l->context), types[] = { metadata, metadata, metadata };
    LLVMTypeRef type = LLVMFunctionType(l->void_type, types, 3, false);
    LLVMValueRef function = LLVMGetNamedFunction(l->to, name), expression = LLVMGetOperand(call, 2);
    LLVMValueRef value = lowered(l, described(call));

    if (!l->has_lines || (in_memory && !value))
        return;
    if (!function)
        function = LLVMAddFunction(l->to, name, type);
    if (in_memory) { /* of an object in the arena: where it is */
        enum { DEREF = 0x06 };
        uint64_t deref[] = { DEREF };
        LLVMDIBuilderRef debug = LLVMCreateDIBuilder(l->to);
        expression = as_value(l, LLVMDIBuilderCreateExpression(debug, deref, 1));
        LLVMDisposeDIBuilder(debug);
        value = hc_lower_address(l, value);
    }
    if (!value) /* unknown from here on */
        value = LLVMGetPoison(l->i16);
    LLVMValueRef arguments[] = { as_value(l, LLVMValueAsMetadata(value)), LLVMGetOperand(call, 1), expression };
    LLVMBuildCall2(l->builder, type, function, arguments, 3, "");
}
