#include "lower.h"

#include "lowering.h"
#include "order.h"
#include "support/grow.h"
#include "widen.h"

#include "llvm/llvm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the files share ---- */

const char *hc_lowering_name(LLVMValueRef value)
{
    size_t length;

    return LLVMGetValueName2(value, &length);
}

LLVMValueRef hc_lowering_number(LLVMTypeRef type, long long n)
{
    return LLVMConstInt(type, (unsigned long long)n, true);
}

void hc_lowering_fail(struct hc_lowering *l, LLVMValueRef place, const char *what)
{
    unsigned length = 0;
    bool is_code = LLVMIsAInstruction(place) != NULL;
    const char *file = is_code ? LLVMGetDebugLocFilename(place, &length) : NULL;

    if (l->failed)
        return;
    l->failed = true;
    if (file && length)
        snprintf(l->text, l->size, "%.*s:%u: %s; replay it in the machine, without --native", (int)length, file,
                 LLVMGetDebugLocLine(place), what);
    else
        snprintf(l->text, l->size, "%s: %s; replay it in the machine, without --native",
                 hc_lowering_name(is_code ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(place)) : place), what);
}

/* ---- values ---- */

static size_t slot_of(const struct hc_lowering *l, LLVMValueRef from)
{
    size_t slot = ((uintptr_t)from >> 4) * 0x9e3779b97f4a7c15u >> 20 & (l->pair_room - 1);

    while (l->pair[slot].from && l->pair[slot].from != from)
        slot = (slot + 1) & (l->pair_room - 1);
    return slot;
}

static bool make_room(struct hc_lowering *l)
{
    struct hc_lowered_pair *old = l->pair;
    size_t room = l->pair_room;

    if (l->pairs * 2 < room)
        return true;
    l->pair_room = room ? 2 * room : 1024;
    l->pair = calloc(l->pair_room, sizeof *l->pair);
    for (size_t i = 0; l->pair && i < room; i++)
        if (old[i].from)
            l->pair[slot_of(l, old[i].from)] = old[i];
    free(old);
    return l->pair != NULL;
}

void hc_lowering_set(struct hc_lowering *l, LLVMValueRef from, LLVMValueRef to)
{
    if (!make_room(l))
        abort();
    struct hc_lowered_pair *pair = &l->pair[slot_of(l, from)];
    l->pairs += !pair->from;
    *pair = (struct hc_lowered_pair){ from, to, pair->origin };
}

struct hc_lowered_pair *hc_lowering_find(struct hc_lowering *l, LLVMValueRef from)
{
    struct hc_lowered_pair *pair = l->pair_room ? &l->pair[slot_of(l, from)] : NULL;

    return pair && pair->from ? pair : NULL;
}

LLVMValueRef hc_lower_value(struct hc_lowering *l, LLVMValueRef value)
{
    if (l->in_place)
        return value;
    if (LLVMIsConstant(value))
        return hc_lower_constant(l, value);
    struct hc_lowered_pair *pair = hc_lowering_find(l, value);
    return pair ? pair->to : LLVMConstNull(hc_lower_type(l, LLVMTypeOf(value)));
}

static LLVMTypeRef lower_struct(struct hc_lowering *l, LLVMTypeRef type)
{
    enum { MEMBERS = 64 };
    LLVMTypeRef members[MEMBERS];
    unsigned count = LLVMCountStructElementTypes(type);

    if (count > MEMBERS)
        return type; /* no value has so many */
    for (unsigned i = 0; i < count; i++)
        members[i] = hc_lower_type(l, LLVMStructGetTypeAtIndex(type, i));
    return LLVMStructTypeInContext(l->context, members, count, false);
}

LLVMTypeRef hc_lower_type(struct hc_lowering *l, LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMPointerTypeKind:
        return l->i16;
    case LLVMStructTypeKind:
        return lower_struct(l, type);
    case LLVMArrayTypeKind:
        return LLVMArrayType2(hc_lower_type(l, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
    default:
        return type;
    }
}

/* ---- the arena, hooks ---- */

LLVMValueRef hc_lower_address(struct hc_lowering *l, LLVMValueRef address)
{
    LLVMValueRef index = LLVMBuildZExt(l->builder, address, l->i64, "");

    return LLVMBuildGEP2(l->builder, l->i8, l->arena, &index, 1, "");
}

static LLVMTypeRef hook_type(struct hc_lowering *l)
{
    LLVMTypeRef types[] = { l->pointer, l->i32, l->i32, l->i32, l->i32 };

    return LLVMFunctionType(l->i32, types, 5, false);
}

LLVMValueRef hc_lower_hook(struct hc_lowering *l, unsigned hook, LLVMValueRef *arguments, unsigned count, unsigned site)
{
    LLVMBuilderRef b = l->builder;
    LLVMValueRef index = hc_lowering_number(l->i64, hook), zero = hc_lowering_number(l->i32, 0);
    LLVMValueRef given[] = { LLVMBuildLoad2(b, l->pointer, l->owner, ""), zero, zero, zero,
                             hc_lowering_number(l->i32, site) };
    LLVMValueRef at = LLVMBuildGEP2(b, l->pointer, l->hooks, &index, 1, "");

    for (unsigned i = 0; i < count; i++)
        given[1 + i] = LLVMGetIntTypeWidth(LLVMTypeOf(arguments[i])) < 32 ? LLVMBuildZExt(b, arguments[i], l->i32, "")
                                                                          : arguments[i];
    return LLVMBuildCall2(b, hook_type(l), LLVMBuildLoad2(b, l->pointer, at, ""), given, 5, "");
}

/* "f.region" is f to people. */
static char *plain_name(LLVMValueRef function)
{
    const char *name = hc_lowering_name(function);
    const char *end = strstr(name, ".region");

    return strndup(name, end ? (size_t)(end - name) : strlen(name));
}

unsigned hc_lowering_site(struct hc_lowering *l, LLVMValueRef instruction, const char *what)
{
    unsigned length = 0;
    const char *file = LLVMGetDebugLocFilename(instruction, &length);

    if (!hc_grow(&l->site, l->sites, &l->site_room, sizeof *l->site))
        abort();
    l->site[l->sites] =
        (struct hc_native_site){ file && length ? strndup(file, length) : strdup(""), plain_name(l->function),
                                 strdup(what), file && length ? LLVMGetDebugLocLine(instruction) : 0, 0 };
    return (unsigned)l->sites++;
}

static LLVMValueRef add_global(struct hc_lowering *l, LLVMTypeRef type, const char *name)
{
    LLVMValueRef global = LLVMAddGlobal(l->to, type, name);

    LLVMSetInitializer(global, LLVMConstNull(type));
    return global;
}

static void add_globals(struct hc_lowering *l)
{
    l->arena = add_global(l, LLVMArrayType2(l->i8, HC_NATIVE_ARENA + HC_NATIVE_BEHIND), "hcn_arena");
    l->sp = add_global(l, l->i16, "hcn_sp");
    l->owner = add_global(l, l->pointer, "hcn_owner");
    l->hooks = add_global(l, LLVMArrayType2(l->pointer, HC_NATIVE_HOOKS), "hcn_hooks");
}

/* ---- functions ---- */

bool hc_lowering_is_entry(const struct hc_lowering *l, LLVMValueRef f)
{
    for (size_t i = 0; i < l->map->entries; i++)
        if (!strcmp(l->map->entry[i].name, hc_lowering_name(f)))
            return true;
    return false;
}

/* Inside, a call to the outside, or called from it. */
static bool belongs(const struct hc_lowering *l, LLVMValueRef f)
{
    const char *name = hc_lowering_name(f);

    if (LLVMIsDeclaration(f))
        return false;
    return LLVMGetStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, "hindcast-region", 15) ||
           strstr(name, ".outside") || hc_lowering_is_entry(l, f);
}

/* An entry has neither arguments nor a result: hooks have them. */
static LLVMTypeRef function_type(struct hc_lowering *l, LLVMValueRef f)
{
    unsigned count = LLVMCountParams(f);
    LLVMTypeRef *types = calloc(count + 1, sizeof *types);

    if (!types)
        abort();
    for (unsigned i = 0; i < count; i++)
        types[i] = hc_lower_type(l, LLVMTypeOf(LLVMGetParam(f, i)));
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
    LLVMTypeRef type = hc_lowering_is_entry(l, f) ? LLVMFunctionType(l->void_type, NULL, 0, false)
                                                  : LLVMFunctionType(hc_lower_type(l, result), types, count, false);
    free(types);
    return type;
}

static void declare(struct hc_lowering *l, LLVMValueRef f)
{
    char name[300];

    snprintf(name, sizeof name, "%s%.280s", hc_lowering_is_entry(l, f) ? "hcn.entry." : "", hc_lowering_name(f));
    LLVMValueRef function = LLVMAddFunction(l->to, name, function_type(l, f));
    LLVMMetadataRef subprogram = LLVMGetSubprogram(f);
    if (subprogram)
        LLVMSetSubprogram(function, subprogram);
    for (unsigned i = 0; !hc_lowering_is_entry(l, f) && i < LLVMCountParams(f); i++)
        hc_lowering_set(l, LLVMGetParam(f, i), LLVMGetParam(function, i));
    hc_lowering_set(l, f, function);
}

/* Structures that are passed on the stack, and frames that grow, have no place that we know. */
static void check_function(struct hc_lowering *l, LLVMValueRef f)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);

    for (unsigned i = 1; i <= LLVMCountParams(f); i++)
        if (LLVMGetEnumAttributeAtIndex(f, i, kind))
            hc_lowering_fail(l, f, "takes a structure by value, which native replay cannot do");
    if (!l->frame)
        hc_lowering_fail(l, f, "the compiler does not say where its locals are");
    else if (l->frame->dynamic)
        hc_lowering_fail(l, f, "has locals of variable size, which native replay cannot do");
}

/* ---- blocks ---- */

static LLVMBasicBlockRef new_block(struct hc_lowering *l, LLVMBasicBlockRef old)
{
    return LLVMValueAsBasicBlock(hc_lowering_find(l, LLVMBasicBlockAsValue(old))->to);
}

static void lower_switch(struct hc_lowering *l, LLVMValueRef i)
{
    unsigned count = LLVMGetNumSuccessors(i);
    LLVMValueRef value = hc_lower_value(l, LLVMGetOperand(i, 0));
    LLVMValueRef result = LLVMBuildSwitch(l->builder, value, new_block(l, LLVMGetSwitchDefaultDest(i)), count);

    for (unsigned k = 1; k < count; k++)
        LLVMAddCase(result, LLVMGetOperand(i, 2 * k), new_block(l, LLVMGetSuccessor(i, k)));
}

static void lower_return(struct hc_lowering *l, LLVMValueRef i)
{
    bool is_void = LLVMGetTypeKind(LLVMGetReturnType(LLVMGlobalGetValueType(l->function))) == LLVMVoidTypeKind;

    if (is_void)
        LLVMBuildRetVoid(l->builder);
    else
        LLVMBuildRet(l->builder, hc_lower_value(l, LLVMGetOperand(i, 0)));
}

static void lower_end(struct hc_lowering *l, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMRet:
        lower_return(l, i);
        break;
    case LLVMBr:
        if (LLVMIsConditional(i))
            LLVMBuildCondBr(l->builder, hc_lower_value(l, LLVMGetCondition(i)), new_block(l, LLVMGetSuccessor(i, 0)),
                            new_block(l, LLVMGetSuccessor(i, 1)));
        else
            LLVMBuildBr(l->builder, new_block(l, LLVMGetSuccessor(i, 0)));
        break;
    case LLVMSwitch:
        lower_switch(l, i);
        break;
    case LLVMUnreachable:
        hc_lower_hook(l, HC_NATIVE_STUCK, NULL, 0, hc_lowering_site(l, i, ""));
        LLVMBuildUnreachable(l->builder);
        break;
    default:
        hc_lowering_fail(l, i, "an instruction of LLVM that native replay does not know");
        LLVMBuildUnreachable(l->builder);
    }
}

static void set_line(struct hc_lowering *l, LLVMValueRef i)
{
    LLVMSetCurrentDebugLocation2(l->builder, l->has_lines ? LLVMInstructionGetDebugLoc(i) : NULL);
}

static void lower_block(struct hc_lowering *l, LLVMBasicBlockRef block)
{
    LLVMPositionBuilderAtEnd(l->builder, new_block(l, block));
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        set_line(l, i);
        hc_checks_before(l, i);
        if (LLVMIsAPHINode(i)) {
            hc_lowering_set(l, i, LLVMBuildPhi(l->builder, hc_lower_type(l, LLVMTypeOf(i)), ""));
            hc_checks_phi(l, i);
        } else if (LLVMIsATerminatorInst(i)) {
            hc_lowering_find(l, LLVMBasicBlockAsValue(block))->origin =
                LLVMBasicBlockAsValue(LLVMGetInsertBlock(l->builder)); /* checks split blocks */
            lower_end(l, i);
        } else {
            hc_lower_instruction(l, i);
            hc_checks_follow(l, i);
        }
    }
}

/* Once all blocks are there. What a constant needs is computed at the end of the block that it comes from. */
static void fill_phi(struct hc_lowering *l, const struct hc_block_order *o, LLVMValueRef phi)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        if (!hc_block_order_has(o, from))
            continue;
        LLVMBasicBlockRef block = LLVMValueAsBasicBlock(hc_lowering_find(l, LLVMBasicBlockAsValue(from))->origin);
        LLVMPositionBuilderBefore(l->builder, LLVMGetBasicBlockTerminator(block));
        LLVMValueRef value = hc_lower_value(l, LLVMGetIncomingValue(phi, k));
        LLVMAddIncoming(hc_lowering_find(l, phi)->to, &value, &block, 1);
        hc_checks_fill(l, phi, LLVMGetIncomingValue(phi, k), block);
    }
}

/* The stack pointer, where a frame begins. */
static void begin_frame(struct hc_lowering *l)
{
    LLVMSetCurrentDebugLocation2(l->builder, NULL);
    l->cfa = LLVMBuildLoad2(l->builder, l->i16, l->sp, "");
    int size = l->frame ? l->frame->size : 0;
    l->own_sp = LLVMBuildSub(l->builder, l->cfa, hc_lowering_number(l->i16, size + 2), "");
    LLVMBuildStore(l->builder, l->own_sp, l->sp);
}

static void lower_function(struct hc_lowering *l, LLVMValueRef f)
{
    struct hc_block_order o;

    l->function = hc_lowering_find(l, f)->to;
    l->frame = hc_frames_find(l->frames, hc_lowering_name(f));
    l->has_lines = LLVMGetSubprogram(f) != NULL;
    check_function(l, f);
    if (!hc_block_order(&o, f))
        abort();
    LLVMPositionBuilderAtEnd(l->builder, LLVMAppendBasicBlockInContext(l->context, l->function, ""));
    begin_frame(l);
    hc_checks_begin(l, f);
    for (size_t i = o.count; i--;)
        hc_lowering_set(l, LLVMBasicBlockAsValue(o.block[i]),
                        LLVMBasicBlockAsValue(LLVMAppendBasicBlockInContext(l->context, l->function, "")));
    LLVMBuildBr(l->builder, new_block(l, LLVMGetEntryBasicBlock(f)));
    for (size_t i = o.count; i--;)
        lower_block(l, o.block[i]);
    for (size_t i = 0; i < o.count; i++)
        for (LLVMValueRef k = LLVMGetFirstInstruction(o.block[i]); k && LLVMIsAPHINode(k);
             k = LLVMGetNextInstruction(k))
            fill_phi(l, &o, k);
    hc_block_order_free(&o);
}

/* ---- tables ---- */

/* The call of __hcr_enter in F. */
static LLVMValueRef find_enter(LLVMValueRef f)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)); i; i = LLVMGetNextInstruction(i))
        if (LLVMIsACallInst(i) && !strcmp(hc_lowering_name(LLVMGetCalledValue(i)), "__hcr_enter"))
            return i;
    return NULL;
}

/* The address that it gives is that of the entry's first local. */
static LLVMValueRef entry_of(struct hc_lowering *l, size_t number, LLVMTypeRef type)
{
    const char *name = l->map->entry[number].name;
    LLVMValueRef f = *name ? LLVMGetNamedFunction(l->from, name) : NULL, enter = f ? find_enter(f) : NULL;
    const struct hc_native_frame *frame = f ? hc_frames_find(l->frames, name) : NULL;
    int offset = 0;

    if (!enter || LLVMIsDeclaration(f))
        return LLVMConstNull(type);
    if (!frame || !hc_frame_place(frame, 0, &offset))
        hc_lowering_fail(l, f, "the compiler does not say where its frame is");
    LLVMValueRef members[] = {
        hc_lowering_find(l, f)->to,
        hc_lowering_number(l->i32, offset),
        hc_lowering_number(l->i32, (long long)LLVMConstIntGetZExtValue(LLVMGetOperand(enter, 1))),
    };
    return LLVMConstStructInContext(l->context, members, 3, false);
}

static void add_table(struct hc_lowering *l, const char *name, LLVMTypeRef type, LLVMValueRef *values, size_t count)
{
    LLVMValueRef table = LLVMAddGlobal(l->to, LLVMArrayType2(type, count), name);
    char text[40];

    LLVMSetInitializer(table, LLVMConstArray2(type, values, count));
    snprintf(text, sizeof text, "%.30s_count", name);
    LLVMSetInitializer(LLVMAddGlobal(l->to, l->i32, text), hc_lowering_number(l->i32, (long long)count));
}

static void add_entries(struct hc_lowering *l)
{
    LLVMTypeRef members[] = { l->pointer, l->i32, l->i32 };
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, members, 3, false);
    LLVMValueRef *values = calloc(l->map->entries + 1, sizeof(LLVMValueRef));

    for (size_t i = 0; values && i < l->map->entries; i++)
        values[i] = entry_of(l, i, type);
    if (values)
        add_table(l, "hcn_entries", type, values, l->map->entries);
    free(values);
}

static LLVMValueRef text_of(struct hc_lowering *l, const char *text)
{
    LLVMPositionBuilderAtEnd(l->builder, LLVMGetLastBasicBlock(l->function)); /* only for its module */
    return LLVMBuildGlobalString(l->builder, text, "");
}

void hc_lowering_add_sites(struct hc_lowering *l)
{
    LLVMTypeRef members[] = { l->pointer, l->pointer, l->pointer, l->i32, l->i32 };
    LLVMTypeRef type = LLVMStructTypeInContext(l->context, members, 5, false);
    LLVMValueRef *values = calloc(l->sites + 1, sizeof(LLVMValueRef));

    for (size_t i = 0; values && i < l->sites; i++) {
        const struct hc_native_site *s = &l->site[i];
        LLVMValueRef site[] = { text_of(l, s->file), text_of(l, s->function), text_of(l, s->what),
                                hc_lowering_number(l->i32, s->line), hc_lowering_number(l->i32, s->number) };
        values[i] = LLVMConstStructInContext(l->context, site, 5, false);
    }
    if (values)
        add_table(l, "hcn_sites", type, values, l->sites);
    free(values);
}

/* ---- debug information ---- */

static void copy_named(struct hc_lowering *l, const char *name)
{
    unsigned count = LLVMGetNamedMetadataNumOperands(l->from, name);
    LLVMValueRef *operands = calloc(count + 1, sizeof(LLVMValueRef));

    if (!operands)
        return;
    LLVMGetNamedMetadataOperands(l->from, name, operands);
    for (unsigned i = 0; i < count; i++)
        LLVMAddNamedMetadataOperand(l->to, name, operands[i]);
    free(operands);
}

/* Flags of the host: a wchar_t of the node is not its. */
static void add_flags(struct hc_lowering *l)
{
    static const char name[] = "Debug Info Version";

    LLVMAddModuleFlag(l->to, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(hc_lowering_number(l->i32, (long long)LLVMDebugMetadataVersion())));
}

/* A stand-in for each object, which hc_lower_debug takes. */
static void add_object(struct hc_lowering *l, LLVMValueRef g)
{
    size_t count;
    LLVMValueMetadataEntry *all = LLVMGlobalCopyAllMetadata(g, &count);
    unsigned debug = LLVMGetMDKindIDInContext(l->context, "dbg", 3);
    char name[60];

    for (size_t i = 0; i < count; i++) {
        if (LLVMValueMetadataEntriesGetKind(all, (unsigned)i) != debug || !LLVMGetFirstUse(g))
            continue;
        unsigned long long address = LLVMConstIntGetZExtValue(hc_lower_constant(l, g));
        if (!address) /* the linker left it out */
            continue;
        snprintf(name, sizeof name, "hcn.object.%llu.%zu", address, i);
        LLVMGlobalSetMetadata(LLVMAddGlobal(l->to, l->i8, name), debug,
                              LLVMValueMetadataEntriesGetMetadata(all, (unsigned)i));
    }
    LLVMDisposeValueMetadataEntries(all);
}

static void add_debug(struct hc_lowering *l)
{
    copy_named(l, "llvm.dbg.cu");
    copy_named(l, "llvm.ident");
    add_flags(l);
}

/* Behind optimisation, which would leave them out. */
static void add_debug_objects(struct hc_lowering *l)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->from); g; g = LLVMGetNextGlobal(g))
        if (strncmp(hc_lowering_name(g), "__hcr_", 6) != 0 && strncmp(hc_lowering_name(g), "llvm.", 5) != 0)
            add_object(l, g);
}

/* ---- all ---- */

void hc_lower_name_locals(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        unsigned number = 0;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                char name[40];
                snprintf(name, sizeof name, "hcn.%u", number);
                if (LLVMIsAAllocaInst(i)) {
                    LLVMSetValueName2(i, name, strlen(name));
                    number++;
                }
            }
    }
}

void hc_lowering_begin(struct hc_lowering *l)
{
    l->context = LLVMGetModuleContext(l->from);
    l->layout = LLVMGetModuleDataLayout(l->from);
    l->builder = LLVMCreateBuilderInContext(l->context);
    l->i8 = LLVMInt8TypeInContext(l->context);
    l->i16 = LLVMInt16TypeInContext(l->context);
    l->i32 = LLVMInt32TypeInContext(l->context);
    l->i64 = LLVMInt64TypeInContext(l->context);
    l->pointer = LLVMPointerTypeInContext(l->context, 0);
    l->void_type = LLVMVoidTypeInContext(l->context);
}

static void set_up(struct hc_lowering *l)
{
    hc_lowering_begin(l);
    LLVMSetIsNewDbgInfoFormat(l->from, false); /* this interface sees only intrinsics */
    l->to = LLVMModuleCreateWithNameInContext("region", l->context);
    LLVMSetIsNewDbgInfoFormat(l->to, false);
    add_globals(l);
}

static void lower_all(struct hc_lowering *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->from); f; f = LLVMGetNextFunction(f))
        if (belongs(l, f))
            declare(l, f);
    for (LLVMValueRef f = LLVMGetFirstFunction(l->from); f; f = LLVMGetNextFunction(f))
        if (belongs(l, f) && !l->failed)
            lower_function(l, f);
    if (l->failed)
        return;
    add_entries(l);
    hc_lowering_add_sites(l);
    add_debug(l);
}

static bool verify(struct hc_lowering *l)
{
    char *problem = NULL;
    bool bad = LLVMVerifyModule(l->to, LLVMReturnStatusAction, &problem);

    if (bad)
        snprintf(l->text, l->size, "the lowered region is not valid, which is an error of hindcast: %.300s", problem);
    LLVMDisposeMessage(problem);
    return !bad;
}

static bool optimise(struct hc_lowering *l)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(l->to, "default<O2>", NULL, options);

    LLVMDisposePassBuilderOptions(options);
    LLVMSetIsNewDbgInfoFormat(l->to, false);
    if (!error)
        return hc_widen(l->to) && verify(l);
    char *text = LLVMGetErrorMessage(error);
    snprintf(l->text, l->size, "the lowered region cannot be optimised: %.300s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static char *finish(struct hc_lowering *l, bool optimised)
{
    if (l->failed || !verify(l) || (optimised && !optimise(l)))
        return NULL;
    add_debug_objects(l);
    char *printed = LLVMPrintModuleToString(l->to), *copy = strdup(printed);
    LLVMDisposeMessage(printed);
    return copy ? hc_lower_debug(copy) : NULL;
}

void hc_lowering_free(struct hc_lowering *l)
{
    for (size_t i = 0; i < l->sites; i++) {
        free((char *)l->site[i].file);
        free((char *)l->site[i].function);
        free((char *)l->site[i].what);
    }
    free(l->site);
    free(l->pair);
    LLVMDisposeBuilder(l->builder);
}

char *hc_lower(const struct hc_lower_request *r, char *text, size_t size)
{
    struct hc_lowering l = { .map = r->map,
                             .places = r->places,
                             .frames = r->frames,
                             .checks = r->checks,
                             .from = r->module,
                             .text = text,
                             .size = size };

    snprintf(text, size, "out of memory");
    set_up(&l);
    lower_all(&l);
    char *result = finish(&l, r->optimised);
    hc_lowering_free(&l);
    LLVMDisposeModule(l.to);
    return result;
}
