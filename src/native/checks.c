/* Checks of the region's own code: what C leaves undefined and the node did anyway.
 *
 * Overflows: the code is optimised, so that a sum which overflows may be computed and never used. LLVM calls its value
 * poison. So each value that may be one has a shadow, the number of the operation that made it so (and one); it is
 * reported where it has an effect: in a branch, a store, a call, an address. That is LLVM's own meaning of the flags
 * that the compiler gave the operations, and a sound program has no findings.
 *
 * Bounds: an index into an array whose size is known, and an address computed from an object whose place is known.
 *
 * Modules for pointers of 32 bits get the same checks where they are (`in_place`), beside AddressSanitizer's. */
#include "lowering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which values may be poison ---- */

static bool is_shift(LLVMOpcode opcode)
{
    return opcode == LLVMShl || opcode == LLVMLShr || opcode == LLVMAShr;
}

static bool has_flags(LLVMOpcode opcode)
{
    return opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMMul || opcode == LLVMShl;
}

static bool is_scalar(LLVMValueRef i)
{
    return LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind;
}

/* It makes one of sound operands. */
static bool makes_poison(LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);

    if (!LLVMIsABinaryOperator(i) || !is_scalar(i))
        return false;
    return (has_flags(opcode) && (LLVMGetNSW(i) || LLVMGetNUW(i))) ||
           (is_shift(opcode) && !LLVMIsConstant(LLVMGetOperand(i, 1)));
}

static bool is_pure_call(LLVMValueRef i)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;

    return callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && is_scalar(i);
}

/* Its result is poison if an operand is. */
static bool passes_on(LLVMValueRef i)
{
    return LLVMIsABinaryOperator(i) || LLVMIsACastInst(i) || LLVMIsAICmpInst(i) || LLVMIsASelectInst(i) ||
           LLVMIsAPHINode(i) || LLVMIsAGetElementPtrInst(i) || is_pure_call(i);
}

static LLVMValueRef shadow_of(struct hc_lowering *l, LLVMValueRef value)
{
    struct hc_lowered_pair *pair = LLVMIsConstant(value) ? NULL : hc_lowering_find(l, value);

    return pair ? pair->origin : NULL;
}

static bool operand_may_be(struct hc_lowering *l, LLVMValueRef i)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (LLVMIsAInstruction(LLVMGetOperand(i, (unsigned)k)) && shadow_of(l, LLVMGetOperand(i, (unsigned)k)))
            return true;
    return false;
}

static void set_shadow(struct hc_lowering *l, LLVMValueRef value, LLVMValueRef shadow)
{
    if (!hc_lowering_find(l, value))
        hc_lowering_set(l, value, NULL);
    hc_lowering_find(l, value)->origin = shadow;
}

/* Until nothing changes: the shadow of such a value is not NULL from here on. */
void hc_checks_begin(struct hc_lowering *l, LLVMValueRef function)
{
    bool changed = l->checks;

    while (changed) {
        changed = false;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (!shadow_of(l, i) && (makes_poison(i) || (passes_on(i) && operand_may_be(l, i)))) {
                    set_shadow(l, i, LLVMConstNull(l->i32));
                    changed = true;
                }
    }
}

/* ---- code for checks ---- */

/* In place nothing branches: hcn_check(hook, condition, a, b, site) looks at the condition itself. */
static void call_always(struct hc_lowering *l, LLVMValueRef condition, unsigned hook, LLVMValueRef *arguments,
                        unsigned count, unsigned site)
{
    LLVMTypeRef types[] = { l->i32, l->i32, l->i32, l->i32, l->i32 };
    LLVMTypeRef type = LLVMFunctionType(l->void_type, types, 5, false);
    LLVMValueRef function = LLVMGetNamedFunction(l->to, "hcn_check"), none = LLVMConstNull(l->i32);
    LLVMValueRef given[] = { hc_lowering_number(l->i32, hook), LLVMBuildZExt(l->builder, condition, l->i32, ""), none,
                             none, hc_lowering_number(l->i32, site) };

    for (unsigned i = 0; i < count; i++)
        given[2 + i] = LLVMBuildIntCast2(l->builder, arguments[i], l->i32, false, "");
    LLVMBuildCall2(l->builder, type, function ? function : LLVMAddFunction(l->to, "hcn_check", type), given, 5, "");
}

static void call_if(struct hc_lowering *l, LLVMValueRef condition, unsigned hook, LLVMValueRef *arguments,
                    unsigned count, unsigned site)
{
    if (LLVMIsConstant(condition) && LLVMIsNull(condition))
        return;
    if (l->in_place) {
        call_always(l, condition, hook, arguments, count, site);
        return;
    }
    LLVMBasicBlockRef then = LLVMAppendBasicBlockInContext(l->context, l->function, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(l->context, l->function, "");
    LLVMBuildCondBr(l->builder, condition, then, after);
    LLVMPositionBuilderAtEnd(l->builder, then);
    hc_lower_hook(l, hook, arguments, count, site);
    LLVMBuildBr(l->builder, after);
    LLVMPositionBuilderAtEnd(l->builder, after);
}

/* Hooks take 32 bits. */
static LLVMValueRef short_of(struct hc_lowering *l, LLVMValueRef value)
{
    return LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32 ? LLVMBuildTrunc(l->builder, value, l->i32, "") : value;
}

static unsigned site_of(struct hc_lowering *l, LLVMValueRef i, unsigned kind, unsigned bits, const char *what)
{
    unsigned site = hc_lowering_site(l, i, what);

    l->site[site].number = kind << 8 | bits;
    return site;
}

/* ---- overflows ---- */

static const char *name_of(LLVMOpcode opcode)
{
    return opcode == LLVMAdd ? "add" : opcode == LLVMSub ? "sub" : "mul";
}

/* Whether the operation overflows, by LLVM's intrinsic. */
static LLVMValueRef overflow(struct hc_lowering *l, LLVMOpcode opcode, bool is_signed, LLVMValueRef a, LLVMValueRef b)
{
    LLVMTypeRef type = LLVMTypeOf(a), types[] = { type, type };
    LLVMTypeRef results[] = { type, LLVMInt1TypeInContext(l->context) };
    LLVMTypeRef function_type =
        LLVMFunctionType(LLVMStructTypeInContext(l->context, results, 2, false), types, 2, false);
    LLVMValueRef both[] = { a, b };
    char name[60];

    snprintf(name, sizeof name, "llvm.%c%s.with.overflow.i%u", is_signed ? 's' : 'u', name_of(opcode),
             LLVMGetIntTypeWidth(type));
    LLVMValueRef function = LLVMGetNamedFunction(l->to, name);
    if (!function)
        function = LLVMAddFunction(l->to, name, function_type);
    return LLVMBuildExtractValue(l->builder, LLVMBuildCall2(l->builder, function_type, function, both, 2, ""), 1, "");
}

/* Bits that a shift to the left loses: shifted back it is another value. */
static LLVMValueRef loses_bits(struct hc_lowering *l, bool is_signed, LLVMValueRef a, LLVMValueRef by)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    LLVMValueRef safe =
        LLVMBuildAnd(l->builder, by, hc_lowering_number(type, (long long)LLVMGetIntTypeWidth(type) - 1), "");
    LLVMValueRef shifted = LLVMBuildShl(l->builder, a, safe, "");

    return LLVMBuildICmp(
        l->builder, LLVMIntNE,
        is_signed ? LLVMBuildAShr(l->builder, shifted, safe, "") : LLVMBuildLShr(l->builder, shifted, safe, ""), a, "");
}

/* A site that has seen CONDITION; the new shadow. */
static LLVMValueRef suspect(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef condition, bool is_signed,
                            const char *what, LLVMValueRef shadow)
{
    LLVMValueRef a = hc_lower_value(l, LLVMGetOperand(i, 0)), b = hc_lower_value(l, LLVMGetOperand(i, 1));
    LLVMValueRef operands[] = { short_of(l, a), short_of(l, b) };

    if (LLVMIsConstant(condition) && LLVMIsNull(condition))
        return shadow;
    unsigned site =
        site_of(l, i, is_signed ? HC_NATIVE_SIGNED : HC_NATIVE_UNSIGNED, LLVMGetIntTypeWidth(LLVMTypeOf(a)), what);
    call_if(l, condition, HC_NATIVE_SUSPECT, operands, 2, site);
    return LLVMBuildSelect(l->builder, condition, hc_lowering_number(l->i32, site + 1LL), shadow, "");
}

static const char *overflow_text(LLVMOpcode opcode, bool is_signed)
{
    switch (opcode) {
    case LLVMAdd:
        return is_signed ? "signed addition overflows"
                         : "unsigned addition overflows, where the compiler knew that it cannot";
    case LLVMSub:
        return is_signed ? "signed subtraction overflows"
                         : "unsigned subtraction overflows, where the compiler knew that it cannot";
    case LLVMMul:
        return is_signed ? "signed multiplication overflows"
                         : "unsigned multiplication overflows, where the compiler knew that it cannot";
    default:
        return is_signed ? "signed shift to the left overflows"
                         : "shift to the left loses bits, where the compiler knew that it cannot";
    }
}

static LLVMValueRef made(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef shadow)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef a = hc_lower_value(l, LLVMGetOperand(i, 0)), b = hc_lower_value(l, LLVMGetOperand(i, 1));

    if (is_shift(opcode) && !LLVMIsConstant(LLVMGetOperand(i, 1))) {
        LLVMValueRef width = hc_lowering_number(LLVMTypeOf(a), (long long)LLVMGetIntTypeWidth(LLVMTypeOf(a)));
        shadow = suspect(l, i, LLVMBuildICmp(l->builder, LLVMIntUGE, b, width, ""), true,
                         "shift by as many bits as the type has, or more", shadow);
    }
    for (int is_signed = 0; has_flags(opcode) && is_signed < 2; is_signed++)
        if (is_signed ? LLVMGetNSW(i) : LLVMGetNUW(i))
            shadow =
                suspect(l, i, opcode == LLVMShl ? loses_bits(l, is_signed, a, b) : overflow(l, opcode, is_signed, a, b),
                        is_signed, overflow_text(opcode, is_signed), shadow);
    return shadow;
}

static LLVMValueRef either(struct hc_lowering *l, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef none = LLVMConstNull(l->i32);

    if (!a || !b)
        return a ? a : b;
    return LLVMBuildSelect(l->builder, LLVMBuildICmp(l->builder, LLVMIntNE, a, none, ""), a, b, "");
}

static LLVMValueRef chosen(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef none = LLVMConstNull(l->i32), yes = shadow_of(l, LLVMGetOperand(i, 1)),
                 no = shadow_of(l, LLVMGetOperand(i, 2));
    LLVMValueRef result =
        LLVMBuildSelect(l->builder, hc_lower_value(l, LLVMGetOperand(i, 0)), yes ? yes : none, no ? no : none, "");

    return either(l, shadow_of(l, LLVMGetOperand(i, 0)), result);
}

void hc_checks_follow(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef shadow = NULL;

    if (!l->checks || LLVMIsAPHINode(i) || !shadow_of(l, i))
        return;
    if (LLVMIsASelectInst(i)) {
        set_shadow(l, i, chosen(l, i));
        return;
    }
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (LLVMIsAInstruction(LLVMGetOperand(i, (unsigned)k)))
            shadow = either(l, shadow, shadow_of(l, LLVMGetOperand(i, (unsigned)k)));
    shadow = shadow ? shadow : LLVMConstNull(l->i32);
    set_shadow(l, i, makes_poison(i) ? made(l, i, shadow) : shadow);
}

void hc_checks_phi(struct hc_lowering *l, LLVMValueRef phi)
{
    if (l->checks && shadow_of(l, phi))
        set_shadow(l, phi, LLVMBuildPhi(l->builder, l->i32, ""));
}

void hc_checks_fill(struct hc_lowering *l, LLVMValueRef phi, LLVMValueRef from, LLVMBasicBlockRef block)
{
    LLVMValueRef shadow = shadow_of(l, from), none = LLVMConstNull(l->i32);

    if (l->checks && shadow_of(l, phi))
        LLVMAddIncoming(shadow_of(l, phi), shadow ? &shadow : &none, &block, 1);
}

/* VALUE has an effect. */
static void confirm(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef value)
{
    LLVMValueRef shadow = shadow_of(l, value);

    if (shadow && LLVMIsAInstruction(value))
        call_if(l, LLVMBuildICmp(l->builder, LLVMIntNE, shadow, LLVMConstNull(l->i32), ""), HC_NATIVE_CONFIRM, &shadow,
                1, hc_lowering_site(l, i, ""));
}

/* ---- bounds ---- */

static bool is_gep(LLVMValueRef pointer)
{
    return LLVMIsAGetElementPtrInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

/* All indices are numbers, none of them negative. */
static bool goes_on(LLVMValueRef gep)
{
    for (int k = 1; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (!LLVMIsAConstantInt(index) || LLVMConstIntGetSExtValue(index) < 0)
            return false;
    }
    return true;
}

static void check_index(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef index, unsigned long long length)
{
    char what[80];

    if (length < 2 || LLVMIsConstant(index)) /* [0] and [1] at the end of a structure have any length */
        return;
    LLVMValueRef value = hc_lower_value(l, index);
    LLVMValueRef most = LLVMConstInt(LLVMTypeOf(value), length, false), shown = short_of(l, value);
    snprintf(what, sizeof what, "index out of the bounds of an array of %llu", length);
    call_if(l, LLVMBuildICmp(l->builder, LLVMIntUGE, value, most, ""), HC_NATIVE_REPORT, &shown, 1,
            site_of(l, i, HC_NATIVE_INDEX, LLVMGetIntTypeWidth(LLVMTypeOf(value)), what));
}

/* Of the expression that the address is made by. True: there is a variable index that was checked. */
static bool check_indices(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef gep)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    bool checked = false;

    for (int k = 2; k < LLVMGetNumOperands(gep); k++) {
        LLVMValueRef index = LLVMGetOperand(gep, (unsigned)k);
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            type = LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
        } else {
            checked |= !LLVMIsConstant(index);
            check_index(l, i, index, LLVMGetArrayLength2(type));
            type = LLVMGetElementType(type);
        }
    }
    return checked;
}

struct walk {
    LLVMValueRef seen[32];
    int count;
};

/* The one object that POINTER is made from; NULL: not known. */
static LLVMValueRef object_of(LLVMValueRef pointer, struct walk *walk)
{
    LLVMValueRef object = NULL;

    while (is_gep(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAPHINode(pointer))
        return LLVMIsAAllocaInst(pointer) || LLVMIsAGlobalVariable(pointer) ? pointer : NULL;
    if (walk->count == 32)
        return NULL;
    walk->seen[walk->count++] = pointer;
    for (unsigned k = 0; k < LLVMCountIncoming(pointer); k++) {
        LLVMValueRef from = LLVMGetIncomingValue(pointer, k);
        while (is_gep(from))
            from = LLVMGetOperand(from, 0);
        bool seen = false;
        for (int s = 0; s < walk->count; s++)
            seen |= walk->seen[s] == from;
        LLVMValueRef found = seen ? object : object_of(from, walk);
        if (!seen && (!found || (object && found != object)))
            return NULL;
        object = found;
    }
    return object;
}

static void check_object(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef pointer, unsigned long long bytes)
{
    struct walk walk = { .count = 0 };
    LLVMValueRef object = object_of(pointer, &walk);
    char what[120];

    if (!object)
        return;
    LLVMTypeRef type = LLVMIsAAllocaInst(object) ? LLVMGetAllocatedType(object) : LLVMGlobalGetValueType(object);
    unsigned long long size = LLVMABISizeOfType(l->layout, type);
    if (size < bytes || (LLVMIsAAllocaInst(object) && !LLVMIsConstant(LLVMGetOperand(object, 0))))
        return;
    LLVMValueRef address = hc_lower_value(l, pointer);
    LLVMValueRef offset = LLVMBuildSub(l->builder, address, hc_lower_value(l, object), "");
    LLVMValueRef most = hc_lowering_number(l->i16, (long long)(size - bytes));
    bool is_local = LLVMIsAAllocaInst(object) != NULL;
    snprintf(what, sizeof what, "access outside of %.60s, which has %llu byte%s",
             is_local ? "a local" : hc_lowering_name(object), size, size == 1 ? "" : "s");
    call_if(l, LLVMBuildICmp(l->builder, LLVMIntUGT, offset, most, ""), HC_NATIVE_REPORT, &address, 1,
            site_of(l, i, HC_NATIVE_ADDRESS, 16, what));
}

/* Memory that nobody points to on purpose. */
static void check_null(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef pointer)
{
    enum { NULL_PAGE = 16 };

    if (LLVMIsConstant(pointer))
        return;
    LLVMValueRef address = hc_lower_value(l, pointer);
    if (l->in_place)
        address = LLVMBuildPtrToInt(l->builder, address, l->i32, "");
    LLVMTypeRef type = LLVMTypeOf(address);
    call_if(l, LLVMBuildICmp(l->builder, LLVMIntULT, address, hc_lowering_number(type, NULL_PAGE), ""),
            HC_NATIVE_REPORT, &address, 1,
            site_of(l, i, HC_NATIVE_ADDRESS, LLVMGetIntTypeWidth(type), "a null pointer is followed"));
}

static void check_access(struct hc_lowering *l, LLVMValueRef i, LLVMValueRef pointer, unsigned long long bytes)
{
    LLVMValueRef at = pointer;
    bool checked = false;

    confirm(l, i, pointer);
    while (is_gep(at) && !checked) {
        checked = check_indices(l, i, at);
        if (!checked && !goes_on(at))
            break;
        at = LLVMGetOperand(at, 0);
    }
    if (checked) /* the index says more than the address */
        return;
    if (!l->in_place) /* there AddressSanitizer knows objects */
        check_object(l, i, pointer, bytes);
    check_null(l, i, pointer);
}

/* ---- what has an effect ---- */

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* __hcr_load16(at), __hcr_store16(value, at), __hcr_read8(at, slot), __hcr_write8(value, at). */
static void check_hook(struct hc_lowering *l, LLVMValueRef i, const char *name)
{
    bool loads = starts(name, "__hcr_load"), stores = starts(name, "__hcr_store");
    unsigned bits = (unsigned)atoi(name + strcspn(name, "0123456789"));

    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        if (is_scalar(LLVMGetOperand(i, k)))
            confirm(l, i, LLVMGetOperand(i, k));
    if (loads || stores)
        check_access(l, i, LLVMGetOperand(i, stores), bits / 8);
}

static void check_call(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef callee = LLVMGetCalledValue(i);

    if (!LLVMIsAFunction(callee) || LLVMGetIntrinsicID(callee))
        return;
    if (starts(hc_lowering_name(callee), "__hcr_")) {
        check_hook(l, i, hc_lowering_name(callee));
        return;
    }
    for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
        confirm(l, i, LLVMGetOperand(i, k));
}

static void check_division(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMValueRef by = hc_lower_value(l, LLVMGetOperand(i, 1));
    LLVMValueRef shown = short_of(l, hc_lower_value(l, LLVMGetOperand(i, 0)));

    confirm(l, i, LLVMGetOperand(i, 1));
    if (!LLVMIsConstant(by))
        call_if(l, LLVMBuildICmp(l->builder, LLVMIntEQ, by, LLVMConstNull(LLVMTypeOf(by)), ""), HC_NATIVE_REPORT,
                &shown, 1, site_of(l, i, HC_NATIVE_INDEX, LLVMGetIntTypeWidth(LLVMTypeOf(by)), "division by zero"));
}

void hc_checks_before(struct hc_lowering *l, LLVMValueRef i)
{
    if (!l->checks)
        return;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        check_access(l, i, LLVMGetOperand(i, 0), LLVMStoreSizeOfType(l->layout, LLVMTypeOf(i)));
        break;
    case LLVMStore:
        confirm(l, i, LLVMGetOperand(i, 0));
        check_access(l, i, LLVMGetOperand(i, 1), LLVMStoreSizeOfType(l->layout, LLVMTypeOf(LLVMGetOperand(i, 0))));
        break;
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        check_division(l, i);
        break;
    case LLVMCall:
        check_call(l, i);
        break;
    case LLVMBr:
        if (LLVMIsConditional(i))
            confirm(l, i, LLVMGetCondition(i));
        break;
    case LLVMSwitch:
    case LLVMRet:
        if (LLVMGetNumOperands(i))
            confirm(l, i, LLVMGetOperand(i, 0));
        break;
    default:
        break;
    }
}
