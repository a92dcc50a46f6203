#include "pass.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- attributes ---- */

static bool is_claim(LLVMAttributeRef attribute)
{
    /* What was true of a function without hooks. */
    static const char *const claims[] = { "memory",    "willreturn",   "nosync",       "nofree",    "mustprogress",
                                          "norecurse", "speculatable", "alwaysinline", "inlinehint" };

    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        if (LLVMIsEnumAttribute(attribute) &&
            LLVMGetEnumAttributeKind(attribute) == LLVMGetEnumAttributeKindForName(claims[i], strlen(claims[i])))
            return true;
    return false;
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex at)
{
    unsigned count = LLVMGetAttributeCountAtIndex(from, at);
    LLVMAttributeRef *attributes = calloc(count + 1, sizeof *attributes);

    if (!attributes)
        return;
    LLVMGetAttributesAtIndex(from, at, attributes);
    for (unsigned i = 0; i < count; i++)
        if (at != (LLVMAttributeIndex)LLVMAttributeFunctionIndex || !is_claim(attributes[i]))
            LLVMAddAttributeAtIndex(to, at, attributes[i]);
    free(attributes);
}

static void give_attributes(LLVMValueRef function, LLVMValueRef call, LLVMAttributeIndex at)
{
    unsigned count = LLVMGetAttributeCountAtIndex(function, at);
    LLVMAttributeRef *list = calloc(count + 1, sizeof *list);

    if (!list)
        return;
    LLVMGetAttributesAtIndex(function, at, list);
    for (unsigned i = 0; i < count; i++)
        LLVMAddCallSiteAttribute(call, at, list[i]);
    free(list);
}

static void drop(LLVMValueRef function, const char *name)
{
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

static void mark(struct hc_region_pass *p, LLVMValueRef function, const char *name)
{
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(p->context, name, (unsigned)strlen(name), "", 0));
}

static void set_flag(struct hc_region_pass *p, LLVMValueRef function, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(p->context, kind, 0));
}

/* ---- calls from outside ---- */

/* The function that the outside calls: enter, arguments, the function itself, its result, leave. */
static void fill_entry(struct hc_region_pass *p, LLVMValueRef entry, LLVMValueRef inside, size_t number)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(inside);
    unsigned count = LLVMCountParams(inside);
    LLVMValueRef *arguments = calloc(count + 1, sizeof *arguments);

    if (!arguments)
        return;
    LLVMPositionBuilderAtEnd(p->builder, LLVMAppendBasicBlockInContext(p->context, entry, ""));
    LLVMValueRef frame = LLVMBuildAlloca(p->builder, p->word, "");
    LLVMValueRef where[] = { LLVMBuildPtrToInt(p->builder, frame, p->word, ""), hc_region_word(p, p->result->slots),
                             hc_region_word(p, number) };
    p->result->slots += p->word_bits / 16;
    hc_region_call_hook(p, "__hcr_enter", p->void_type, where, 3);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = hc_region_in(p, LLVMGetParam(entry, i), inside);
    LLVMValueRef result = LLVMBuildCall2(p->builder, type, inside, arguments, count, "");
    for (unsigned i = 0; i <= count; i++) /* of the result and of arguments */
        give_attributes(inside, result, i);
    unsigned kind = LLVMGetEnumAttributeKindForName("noinline", 8); /* what is inlined here would have no hooks */
    LLVMAddCallSiteAttribute(result, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(p->context, kind, 0));
    bool is_void = LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind;
    if (!is_void)
        hc_region_out(p, result, inside);
    hc_region_call_hook(p, "__hcr_leave", p->void_type, &where[2], 1);
    if (is_void)
        LLVMBuildRetVoid(p->builder);
    else
        LLVMBuildRet(p->builder, result);
    free(arguments);
}

static LLVMValueRef add_entry(struct hc_region_pass *p, LLVMValueRef inside)
{
    size_t length, number = p->result->entries;
    char *name = strdup(LLVMGetValueName2(inside, &length)), body[300];

    if (!name || !hc_grow(&p->entry, number, &p->entry_room, sizeof *p->entry)) {
        free(name);
        return NULL;
    }
    snprintf(body, sizeof body, "%s.region", name);
    LLVMSetValueName2(inside, body, strlen(body));
    LLVMValueRef entry = LLVMAddFunction(p->module, name, LLVMGlobalGetValueType(inside));
    LLVMSetLinkage(entry, LLVMGetLinkage(inside));
    LLVMSetFunctionCallConv(entry, LLVMGetFunctionCallConv(inside));
    if (LLVMGetSection(inside))
        LLVMSetSection(entry, LLVMGetSection(inside));
    for (unsigned i = 0; i <= LLVMCountParams(inside); i++)
        copy_attributes(inside, entry, i);
    copy_attributes(inside, entry, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    set_flag(p, entry, "noinline");
    LLVMSetLinkage(inside, LLVMInternalLinkage);
    LLVMSetVisibility(inside, LLVMDefaultVisibility);
    LLVMReplaceAllUsesWith(inside, entry);
    p->entry[number] = (struct hc_region_entry){ entry, name, hc_region_is_inline(inside) };
    p->result->entries++;
    return entry;
}

/* A handler is called by the hardware; its body is a function like others. */
static void make_plain(struct hc_region_pass *p, LLVMValueRef inside)
{
    mark(p, inside, HC_REGION_MARK);
    drop(inside, "memory");
    drop(inside, "alwaysinline");
    LLVMRemoveStringAttributeAtIndex(inside, LLVMAttributeFunctionIndex, "interrupt", 9);
    LLVMSetFunctionCallConv(inside, LLVMCCallConv);
}

/* A handler that changes what the hardware will restore: it must stay what the hardware calls. */
static bool changes_frame(LLVMValueRef f)
{
    size_t length;

    if (!hc_region_has_string(f, "interrupt"))
        return false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) &&
                !strncmp(LLVMGetValueName2(LLVMGetCalledValue(i), &length), "llvm.frameaddress", 17))
                return true;
    return false;
}

static bool can_be_split(struct hc_region_pass *p, LLVMValueRef f)
{
    LLVMLinkage linkage = LLVMGetLinkage(f);

    if (LLVMIsDeclaration(f) || linkage == LLVMAvailableExternallyLinkage)
        return false;
    if (linkage != LLVMExternalLinkage && linkage != LLVMInternalLinkage) {
        size_t length;
        if (strncmp(LLVMGetValueName2(f, &length), "hc_", 3) != 0) /* those of hindcast.h */
            hc_region_note(p, f, "a weak function stays outside the region: another may take its place at the link");
        return false;
    }
    if (changes_frame(f)) {
        hc_region_note(p, f, "this handler stays outside the region: it changes what the hardware will restore");
        return false;
    }
    if (LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f))) {
        hc_region_error(p, f, "a function with a variable number of arguments cannot be inside");
        return false;
    }
    return true;
}

/* Calls inside stay inside: they lead to the function itself. */
static void direct_calls(struct hc_region_pass *p, LLVMValueRef inside, LLVMValueRef entry)
{
    for (LLVMUseRef use = LLVMGetFirstUse(entry), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == entry &&
            hc_region_is_inside(LLVMGetBasicBlockParent(LLVMGetInstructionParent(user))))
            LLVMSetOperand(user, (unsigned)LLVMGetNumOperands(user) - 1, inside);
    }
    (void)p;
}

void hc_region_split(struct hc_region_pass *p, bool (*inside)(void *owner, LLVMValueRef function), void *owner)
{
    size_t count = 0, room = 0;
    LLVMValueRef *functions = NULL;

    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        if (inside(owner, f) && can_be_split(p, f) && hc_grow(&functions, count, &room, sizeof *functions))
            functions[count++] = f;
    for (size_t i = 0; i < count; i++) {
        LLVMValueRef entry = add_entry(p, functions[i]);
        if (entry)
            make_plain(p, functions[i]);
    }
    for (size_t i = 0; i < p->result->entries && i < count; i++) {
        direct_calls(p, functions[i], p->entry[i].function);
        fill_entry(p, p->entry[i].function, functions[i], i);
    }
    p->result->functions = count;
    free(functions);
}

/* ---- calls to the outside ---- */

static void copy_call_attributes(LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex source, LLVMAttributeIndex at)
{
    unsigned count = LLVMGetCallSiteAttributeCount(from, source);
    LLVMAttributeRef *list = calloc(count + 1, sizeof *list);

    if (!list)
        return;
    LLVMGetCallSiteAttributes(from, source, list);
    for (unsigned i = 0; i < count; i++)
        if (!is_claim(list[i]))
            LLVMAddCallSiteAttribute(to, at, list[i]);
    free(list);
}

/* The call itself, with the stub's parameters in place of its arguments; assembly keeps its constants. */
static LLVMValueRef repeat_call(struct hc_region_pass *p, LLVMValueRef call, LLVMValueRef stub, LLVMValueRef callee)
{
    unsigned count = LLVMGetNumArgOperands(call), next = 0;
    LLVMValueRef *arguments = calloc(count + 1, sizeof *arguments);
    bool is_assembly = LLVMIsAInlineAsm(callee) != NULL;

    if (!arguments)
        return NULL;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef argument = LLVMGetOperand(call, i);
        arguments[i] = is_assembly && LLVMIsConstant(argument) ? argument : LLVMGetParam(stub, next++);
    }
    if (!is_assembly && !LLVMIsAFunction(callee)) /* through a pointer, which comes last */
        callee = LLVMGetParam(stub, next);
    LLVMValueRef again = LLVMBuildCall2(p->builder, LLVMGetCalledFunctionType(call), callee, arguments, count, "");
    LLVMSetInstructionCallConv(again, LLVMGetInstructionCallConv(call));
    for (unsigned i = 0; i <= count; i++)
        copy_call_attributes(call, again, i, i);
    copy_call_attributes(call, again, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                         (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    free(arguments);
    return again;
}

/* out(arguments); if (the runtime says so) the call; back; in(result). */
static void fill_stub(struct hc_region_pass *p, LLVMValueRef stub, LLVMValueRef call, LLVMValueRef callee)
{
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(p->context, stub, "");
    LLVMBasicBlockRef calls = LLVMAppendBasicBlockInContext(p->context, stub, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(p->context, stub, "");
    LLVMTypeRef type = LLVMTypeOf(call);
    bool is_void = LLVMGetTypeKind(type) == LLVMVoidTypeKind;

    LLVMPositionBuilderAtEnd(p->builder, first);
    for (unsigned i = 0; i < LLVMCountParams(stub); i++)
        hc_region_out(p, LLVMGetParam(stub, i), call);
    LLVMValueRef goes = hc_region_call_hook(p, "__hcr_call", p->word, NULL, 0);
    LLVMBuildCondBr(p->builder, LLVMBuildICmp(p->builder, LLVMIntNE, goes, hc_region_word(p, 0), ""), calls, after);
    LLVMPositionBuilderAtEnd(p->builder, calls);
    LLVMValueRef result = repeat_call(p, call, stub, callee);
    LLVMBuildBr(p->builder, after);
    LLVMPositionBuilderAtEnd(p->builder, after);
    LLVMValueRef phi = is_void ? NULL : LLVMBuildPhi(p->builder, type, "");
    hc_region_call_hook(p, "__hcr_back", p->void_type, &goes, 1);
    if (is_void || !result) {
        LLVMBuildRetVoid(p->builder);
        return;
    }
    LLVMValueRef values[] = { LLVMConstNull(type), result };
    LLVMBasicBlockRef blocks[] = { first, calls };
    LLVMAddIncoming(phi, values, blocks, 2);
    LLVMBuildRet(p->builder, hc_region_in(p, phi, call));
}

static LLVMValueRef find_stub(struct hc_region_pass *p, LLVMValueRef callee, LLVMTypeRef type)
{
    for (size_t i = 0; LLVMIsAFunction(callee) && i < p->stubs; i++)
        if (p->stub[i].callee == callee && p->stub[i].type == type)
            return p->stub[i].function;
    return NULL;
}

static LLVMValueRef make_stub(struct hc_region_pass *p, LLVMValueRef call, LLVMValueRef callee, LLVMTypeRef type)
{
    size_t length;
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "call";
    char text[300];

    snprintf(text, sizeof text, "%s.outside", name);
    LLVMValueRef stub = LLVMAddFunction(p->module, text, type);
    LLVMSetLinkage(stub, LLVMInternalLinkage);
    copy_attributes(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), stub,
                    (LLVMAttributeIndex)LLVMAttributeFunctionIndex); /* the CPU, its features */
    LLVMRemoveStringAttributeAtIndex(stub, LLVMAttributeFunctionIndex, HC_REGION_MARK,
                                     (unsigned)strlen(HC_REGION_MARK));
    drop(stub, "noreturn");
    set_flag(p, stub, "noinline");
    if (hc_grow(&p->stub, p->stubs, &p->stub_room, sizeof *p->stub))
        p->stub[p->stubs++] = (struct hc_region_stub){ callee, stub, type };
    fill_stub(p, stub, call, callee);
    return stub;
}

void hc_region_call_out(struct hc_region_pass *p, LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool is_assembly = LLVMIsAInlineAsm(callee) != NULL;
    unsigned count = LLVMGetNumArgOperands(call), given = 0;
    LLVMValueRef *arguments = calloc(count + 2, sizeof *arguments);
    LLVMTypeRef *types = calloc(count + 2, sizeof *types);

    for (unsigned i = 0; arguments && types && i < count; i++)
        if (!is_assembly || !LLVMIsConstant(LLVMGetOperand(call, i)))
            arguments[given++] = LLVMGetOperand(call, i);
    if (arguments && types && !is_assembly && !LLVMIsAFunction(callee))
        arguments[given++] = callee;
    for (unsigned i = 0; arguments && types && i < given; i++)
        types[i] = LLVMTypeOf(arguments[i]);
    if (arguments && types) {
        LLVMTypeRef type = LLVMFunctionType(LLVMTypeOf(call), types, given, false);
        LLVMValueRef stub = find_stub(p, callee, type);
        if (!stub)
            stub = make_stub(p, call, callee, type);
        LLVMPositionBuilderBefore(p->builder, call);
        LLVMValueRef result = LLVMBuildCall2(p->builder, type, stub, arguments, given, "");
        if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
            LLVMReplaceAllUsesWith(call, result);
        LLVMInstructionEraseFromParent(call);
        p->result->calls_out++;
    }
    free(arguments);
    free(types);
}
