#include "pass.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(LLVMValueRef value)
{
    size_t length;

    return LLVMGetValueName2(value, &length);
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool has(LLVMValueRef function, const char *attribute, uint64_t value)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAttributeRef found = LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);

    return found && LLVMGetEnumAttributeValue(found) == value;
}

/* ---- calls ---- */

/* Intrinsics that compute, or say something to the compiler. */
static bool is_inner_intrinsic(LLVMValueRef callee)
{
    static const char *const names[] = { "llvm.dbg.",      "llvm.lifetime.", "llvm.assume",
                                         "llvm.trap",      "llvm.ubsantrap", "llvm.experimental.noalias",
                                         "llvm.invariant." };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(name_of(callee), names[i]))
            return true;
    return has(callee, "memory", 0);
}

static void instrument_intrinsic(struct hc_region_pass *p, LLVMValueRef call, LLVMValueRef callee)
{
    const char *name = name_of(callee);

    if (starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove.") || starts(name, "llvm.memcpy.inline."))
        hc_region_move(p, call, false);
    else if (starts(name, "llvm.memset."))
        hc_region_move(p, call, true);
    else if (starts(name, "llvm.frameaddress") || starts(name, "llvm.returnaddress"))
        hc_region_take(p, call, LLVMGetNextInstruction(call));
    else if (!is_inner_intrinsic(callee))
        hc_region_error(p, call, "%s is used inside the region, which regions cannot record; take the function out",
                        name);
}

/* The C library's, by name: what they do is known. */
static bool moves_memory(LLVMValueRef call, LLVMValueRef callee, bool *sets)
{
    const char *name = name_of(callee);

    *sets = !strcmp(name, "memset");
    return LLVMGetNumArgOperands(call) == 3 && LLVMIsDeclaration(callee) &&
           (*sets || !strcmp(name, "memcpy") || !strcmp(name, "memmove")) &&
           LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind &&
           LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 1))) == (*sets ? LLVMIntegerTypeKind : LLVMPointerTypeKind);
}

static void instrument_call(struct hc_region_pass *p, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length = 1;
    bool sets;

    if (LLVMIsAInlineAsm(callee)) {
        LLVMGetInlineAsmAsmString(callee, &length);
        if (length)
            hc_region_call_out(p, call);
        return;
    }
    bool known = LLVMIsAFunction(callee) != NULL;
    if (known && LLVMGetIntrinsicID(callee))
        instrument_intrinsic(p, call, callee);
    else if (known && hc_region_is_in(callee))
        hc_region_in_bytes(p, call);
    else if (known && has(callee, "returns_twice", 0))
        hc_region_error(p, call, "%s returns twice, which regions cannot record; take the function out",
                        name_of(callee));
    else if (known && moves_memory(call, callee, &sets))
        hc_region_move(p, call, sets);
    else if (!known || (!hc_region_is_inside(callee) && !starts(name_of(callee), "__hcr_")))
        hc_region_call_out(p, call);
}

/* ---- all ---- */

static void instrument_one(struct hc_region_pass *p, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        if (!hc_region_is_own(p, LLVMGetOperand(i, 0)))
            hc_region_load(p, i);
        break;
    case LLVMStore:
        if (!hc_region_is_own(p, LLVMGetOperand(i, 1)))
            hc_region_store(p, i);
        break;
    case LLVMCall:
        instrument_call(p, i);
        break;
    case LLVMAlloca:
        if (p->request->frames && !hc_region_is_own(p, i))
            hc_region_frame(p, i);
        break;
    case LLVMIndirectBr:
        hc_region_error(p, i, "a goto to a computed label, which regions cannot record; take the function out");
        break;
    case LLVMAtomicCmpXchg:
    case LLVMAtomicRMW:
    case LLVMVAArg:
    case LLVMCallBr:
    case LLVMInvoke:
        hc_region_error(p, i,
                        "an instruction inside the region that regions cannot record (atomic, va_arg, asm goto); "
                        "take the function out");
        break;
    default:
        break;
    }
}

/* What was inferred before there were hooks. */
static void forget_claims(LLVMValueRef value, bool is_call)
{
    static const char *const claims[] = { "memory", "willreturn", "nosync", "nofree", "mustprogress", "norecurse" };

    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(claims[i], strlen(claims[i]));
        if (is_call)
            LLVMRemoveCallSiteEnumAttribute(value, LLVMAttributeFunctionIndex, kind);
        else
            LLVMRemoveEnumAttributeAtIndex(value, LLVMAttributeFunctionIndex, kind);
    }
}

void hc_region_instrument(struct hc_region_pass *p, LLVMValueRef function)
{
    LLVMValueRef *all = NULL;
    size_t count = 0, room = 0;

    forget_claims(function, false);
    hc_region_find_stable(p, function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (hc_grow(&all, count, &room, sizeof *all))
                all[count++] = i;
    /* What is whose is decided before hooks change it. */
    for (size_t i = 0; i < count; i++)
        if (LLVMIsALoadInst(all[i]) || LLVMIsAStoreInst(all[i]))
            hc_region_is_own(p, LLVMGetOperand(all[i], LLVMIsALoadInst(all[i]) ? 0 : 1));
        else if (LLVMIsAAllocaInst(all[i]))
            hc_region_is_own(p, all[i]);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsACallInst(all[i]))
            forget_claims(all[i], true);
        instrument_one(p, all[i]);
    }
    free(all);
}
