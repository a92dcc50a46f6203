#include "wide.h"

#include "llvm/llvm.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* i386, but with 64-bit numbers aligned as on 32-bit ARM, and ELF. */
#define TRIPLE "i686-unknown-nacl"
#define LAYOUT "e-m:e-p:32:32-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-n8:16:32-S128"
#define MARK "hindcast-region" /* of functions inside: instrument/region */

struct types {
    LLVMContextRef context;
    LLVMTypeRef i8, i32, pointer, object, entry;
};

static bool fail(struct hc_wide_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct hc_wide_lowering *l, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(l->text, l->size, format, arguments);
    va_end(arguments);
    return false;
}

static const char *name_of(LLVMValueRef value)
{
    size_t length;

    return LLVMGetValueName2(value, &length);
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

static bool ends(const char *text, const char *with)
{
    size_t length = strlen(text), tail = strlen(with);

    return length >= tail && !strcmp(text + length - tail, with);
}

/* ---- functions ---- */

static bool is_inside(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, MARK, (unsigned)strlen(MARK)) != NULL;
}

static bool is_entry(const struct hc_wide_lowering *l, const char *name)
{
    for (size_t i = 0; i < l->map->entries; i++)
        if (!strcmp(l->map->entry[i].name, name))
            return true;
    return false;
}

/* What is said for the node's CPU, and how a structure is returned, which the host does in another way. */
static void forget_cpu(LLVMValueRef function)
{
    static const char *const kept = "hindcast";
    unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);

    for (unsigned at = 0; at <= LLVMCountParams(function); at++)
        LLVMRemoveEnumAttributeAtIndex(function, at, sret);
    unsigned count = LLVMGetAttributeCountAtIndex(function, LLVMAttributeFunctionIndex), length;
    LLVMAttributeRef *list = calloc(count + 1, sizeof *list);
    if (!list)
        return;
    LLVMGetAttributesAtIndex(function, LLVMAttributeFunctionIndex, list);
    for (unsigned i = 0; i < count; i++)
        if (LLVMIsStringAttribute(list[i]) && !starts(LLVMGetStringAttributeKind(list[i], &length), kept)) {
            const char *kind = LLVMGetStringAttributeKind(list[i], &length);
            LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind, length);
        }
    free(list);
    LLVMSetFunctionCallConv(function, LLVMCCallConv);
    LLVMSetSection(function, "");
}

/* What is outside never runs here: its functions lose their bodies. */
static void drop_body(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b; (b = LLVMGetFirstBasicBlock(function));) {
        for (LLVMValueRef i; (i = LLVMGetFirstInstruction(b));) {
            if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
                LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
            LLVMInstructionEraseFromParent(i);
        }
        LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(b), LLVMGetUndef(LLVMTypeOf(LLVMBasicBlockAsValue(b))));
        LLVMDeleteBasicBlock(b);
    }
    LLVMSetLinkage(function, LLVMExternalLinkage);
    LLVMGlobalClearMetadata(function);
}

typedef void instruction_fn(struct hc_wide_lowering *l, LLVMValueRef instruction);

static void for_instructions(struct hc_wide_lowering *l, instruction_fn *call)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
                next = LLVMGetNextInstruction(i);
                call(l, i);
            }
}

/* Calls to the outside are not made: stubs ask first. Others are C's. */
static void lower_call(struct hc_wide_lowering *l, LLVMValueRef call)
{
    if (!LLVMIsACallInst(call))
        return;
    LLVMValueRef callee = LLVMGetCalledValue(call);
    bool function = LLVMIsAFunction(callee), empty = false;
    size_t length = 0;

    (void)l;
    if (LLVMIsAInlineAsm(callee)) {
        LLVMGetInlineAsmAsmString(callee, &length);
        empty = !length;
    }
    LLVMSetInstructionCallConv(call, LLVMCCallConv);
    unsigned sret = LLVMGetEnumAttributeKindForName("sret", 4);
    for (unsigned at = 0; at <= LLVMGetNumArgOperands(call); at++)
        LLVMRemoveCallSiteEnumAttribute(call, at, sret);
    if (empty ||
        (function && (!LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee) || starts(name_of(callee), "__hcr_"))))
        return;
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(call, LLVMGetUndef(LLVMTypeOf(call)));
    LLVMInstructionEraseFromParent(call);
}

static bool lower_functions(struct hc_wide_lowering *l)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f)) {
        const char *name = name_of(f);
        if (starts(name, "llvm.arm.") && LLVMGetFirstUse(f))
            return fail(l,
                        "the region uses %s, an instruction that only the node's CPU has; it cannot be replayed "
                        "natively: take the function that uses it out of the region",
                        name);
        if (LLVMGetIntrinsicID(f))
            continue;
        if (!LLVMIsDeclaration(f) && !is_inside(f) && !is_entry(l, name) && !ends(name, ".outside"))
            drop_body(f);
        forget_cpu(f);
    }
    for_instructions(l, lower_call);
    return true;
}

/* ---- places ---- */

/* The node's address of the module's object NAME. */
static bool place_of(const struct hc_wide_lowering *l, const char *name, uint32_t *address)
{
    const struct hc_image_section *s = l->places;

    for (size_t at = 0; at + 5 <= s->size;) {
        const char *here = (const char *)s->bytes + at + 4;
        const char *end = memchr(here, '\0', s->size - at - 4);
        if (!end)
            return false;
        if (!strcmp(here, name)) {
            *address = s->bytes[at] | s->bytes[at + 1] << 8 | s->bytes[at + 2] << 16 | (uint32_t)s->bytes[at + 3] << 24;
            return true;
        }
        at += 4 + (size_t)(end - here) + 1;
    }
    return false;
}

/* ---- pointers and numbers ---- */

static LLVMValueRef translator(struct hc_wide_lowering *l, const char *name, LLVMTypeRef result, LLVMTypeRef taken)
{
    LLVMValueRef function = LLVMGetNamedFunction(l->module, name);

    return function ? function : LLVMAddFunction(l->module, name, LLVMFunctionType(result, &taken, 1, false));
}

static LLVMValueRef translate(struct hc_wide_lowering *l, LLVMValueRef value, LLVMValueRef before, bool to_node)
{
    LLVMContextRef context = LLVMGetModuleContext(l->module);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), number = LLVMInt32TypeInContext(context);
    LLVMValueRef function =
        to_node ? translator(l, "hcn_to_node", number, pointer) : translator(l, "hcn_to_host", pointer, number);
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

    LLVMPositionBuilderBefore(builder, before);
    LLVMSetCurrentDebugLocation2(builder, LLVMIsAInstruction(before) ? LLVMInstructionGetDebugLoc(before) : NULL);
    LLVMValueRef call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, &value, 1, "");
    LLVMDisposeBuilder(builder);
    return call;
}

static bool is_node_number(LLVMValueRef value)
{
    return LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMPtrToInt &&
           LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 32;
}

static void lower_operands(struct hc_wide_lowering *l, LLVMValueRef i)
{
    bool phi = LLVMIsAPHINode(i);

    for (unsigned n = 0; n < (unsigned)LLVMGetNumOperands(i); n++) {
        LLVMValueRef operand = LLVMGetOperand(i, n);
        if (!is_node_number(operand))
            continue;
        LLVMValueRef before = phi ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, n)) : i;
        LLVMSetOperand(i, n, translate(l, LLVMGetOperand(operand, 0), before, true));
    }
}

/* Memory has the node's pointers, that of the region's own, too: they may have come there as bytes. */
static void lower_access(struct hc_wide_lowering *l, LLVMValueRef i)
{
    LLVMContextRef context = LLVMGetModuleContext(l->module);
    LLVMTypeRef number = LLVMInt32TypeInContext(context);
    bool loads = LLVMIsALoadInst(i) && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMPointerTypeKind;
    bool stores = LLVMIsAStoreInst(i) && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMPointerTypeKind;

    if (stores) {
        LLVMSetOperand(i, 0, translate(l, LLVMGetOperand(i, 0), i, true));
    } else if (loads) {
        LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
        LLVMPositionBuilderBefore(builder, i);
        LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(i));
        LLVMValueRef value = LLVMBuildLoad2(builder, number, LLVMGetOperand(i, 0), "");
        LLVMSetAlignment(value, LLVMGetAlignment(i));
        LLVMSetVolatile(value, LLVMGetVolatile(i));
        LLVMDisposeBuilder(builder);
        LLVMReplaceAllUsesWith(i, translate(l, value, i, false));
        LLVMInstructionEraseFromParent(i);
    }
}

static void lower_pointer(struct hc_wide_lowering *l, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool from = opcode == LLVMPtrToInt && LLVMGetIntTypeWidth(LLVMTypeOf(i)) == 32;
    bool to = opcode == LLVMIntToPtr && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(i, 0))) == 32;

    lower_operands(l, i);
    if (!from && !to) {
        lower_access(l, i);
        return;
    }
    LLVMReplaceAllUsesWith(i, translate(l, LLVMGetOperand(i, 0), i, from));
    LLVMInstructionEraseFromParent(i);
}

/* ---- initial values: memory has the node's pointers ---- */

static LLVMValueRef lower_value(struct hc_wide_lowering *l, LLVMValueRef value);

static LLVMValueRef lower_expression(struct hc_wide_lowering *l, LLVMValueRef value)
{
    LLVMValueRef base = lower_value(l, LLVMGetOperand(value, 0)), index[16];
    unsigned count = (unsigned)LLVMGetNumOperands(value);

    switch (LLVMGetConstOpcode(value)) {
    case LLVMPtrToInt:
        return LLVMConstPtrToInt(base, LLVMTypeOf(value));
    case LLVMGetElementPtr:
        for (unsigned i = 1; i < count && i <= 16; i++)
            index[i - 1] = LLVMGetOperand(value, i);
        return count <= 17 ? LLVMConstGEP2(LLVMGetGEPSourceElementType(value), base, index, count - 1) : value;
    default:
        return value;
    }
}

static LLVMValueRef lower_members(struct hc_wide_lowering *l, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    unsigned count = (unsigned)LLVMGetNumOperands(value);
    LLVMValueRef *member = calloc(count + 1, sizeof *member), result;

    if (!member)
        return value;
    for (unsigned i = 0; i < count; i++)
        member[i] = lower_value(l, LLVMGetOperand(value, i));
    if (LLVMIsAConstantArray(value))
        result = LLVMConstArray2(LLVMGetElementType(type), member, count);
    else if (LLVMGetStructName(type))
        result = LLVMConstNamedStruct(type, member, count);
    else
        result = LLVMConstStructInContext(LLVMGetModuleContext(l->module), member, count, LLVMIsPackedStruct(type));
    free(member);
    return result;
}

static LLVMValueRef lower_value(struct hc_wide_lowering *l, LLVMValueRef value)
{
    LLVMContextRef context = LLVMGetModuleContext(l->module);
    uint32_t address;

    if (LLVMIsAGlobalValue(value))
        return place_of(l, name_of(value), &address)
                   ? LLVMConstIntToPtr(LLVMConstInt(LLVMInt32TypeInContext(context), address, false), LLVMTypeOf(value))
                   : value;
    if (LLVMIsAConstantExpr(value))
        return lower_expression(l, value);
    return LLVMIsAConstantArray(value) || LLVMIsAConstantStruct(value) ? lower_members(l, value) : value;
}

static void lower_initial_values(struct hc_wide_lowering *l)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetInitializer(g) && !starts(name_of(g), "llvm."))
            LLVMSetInitializer(g, lower_value(l, LLVMGetInitializer(g)));
}

/* ---- objects ---- */

static LLVMValueRef text_of(struct types *t, LLVMModuleRef module, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext2(t->context, text, strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), "");

    LLVMSetInitializer(global, value);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

struct placed {
    uint32_t address;
    unsigned number;
};

static int by_address(const void *a, const void *b)
{
    uint32_t x = ((const struct placed *)a)->address, y = ((const struct placed *)b)->address;

    return x < y ? -1 : x > y;
}

struct table {
    LLVMValueRef *object;
    struct placed *placed;
    unsigned count, placed_count;
};

static void add_object(struct hc_wide_lowering *l, struct types *t, struct table *table, LLVMValueRef value,
                       uint32_t address, uint32_t size)
{
    LLVMValueRef members[] = { value, LLVMConstInt(t->i32, address, false), LLVMConstInt(t->i32, size, false),
                               text_of(t, l->module, name_of(value)) };

    table->object[table->count++] = LLVMConstNamedStruct(t->object, members, 4);
}

/* A variable gets a section of its own, which the script puts where the node has it. */
static void add_variable(struct hc_wide_lowering *l, struct types *t, struct table *table, LLVMValueRef global,
                         LLVMTargetDataRef layout)
{
    uint32_t address, size = (uint32_t)LLVMABISizeOfType(layout, LLVMGlobalGetValueType(global));
    char section[32];

    LLVMSetSection(global, "");
    if (!place_of(l, name_of(global), &address))
        return;
    add_object(l, t, table, global, address, size);
    if (l->sanitize || LLVMIsGlobalConstant(global))
        return;
    snprintf(section, sizeof section, ".hcn.%u", table->placed_count);
    LLVMSetSection(global, section);
    table->placed[table->placed_count] = (struct placed){ address, table->placed_count };
    table->placed_count++;
}

static void add_symbol(struct hc_wide_lowering *l, LLVMValueRef value)
{
    uint32_t address;

    if (place_of(l, name_of(value), &address))
        fprintf(l->symbols, "%s=0x%08x\n", name_of(value), address);
}

static void write_script(struct hc_wide_lowering *l, struct table *table)
{
    if (!table->placed_count)
        return;
    qsort(table->placed, table->placed_count, sizeof *table->placed, by_address);
    fprintf(l->script, "SECTIONS\n{\n    .node 0x%08x :\n    {\n", table->placed[0].address);
    for (unsigned i = 0; i < table->placed_count; i++)
        fprintf(l->script, "        . = 0x%x;\n        *(.hcn.%u)\n", table->placed[i].address,
                table->placed[i].number);
    fprintf(l->script, "    }\n}\nINSERT AFTER .bss;\n");
}

static void add_table(LLVMModuleRef module, const char *name, LLVMTypeRef type, LLVMValueRef *values, unsigned count)
{
    LLVMValueRef list = LLVMConstArray2(type, values, count);
    LLVMValueRef table = LLVMAddGlobal(module, LLVMTypeOf(list), name);

    LLVMSetInitializer(table, list);
    LLVMSetGlobalConstant(table, true);
}

static void add_number(LLVMModuleRef module, struct types *t, const char *name, uint32_t value)
{
    LLVMValueRef number = LLVMAddGlobal(module, t->i32, name);

    LLVMSetInitializer(number, LLVMConstInt(t->i32, value, false));
    LLVMSetGlobalConstant(number, true);
}

static unsigned count_values(LLVMModuleRef module)
{
    unsigned count = 0;

    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
        count++;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        count++;
    return count;
}

static void fill_objects(struct hc_wide_lowering *l, struct types *t, struct table *table)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(l->module);
    LLVMValueRef last = LLVMGetLastGlobal(l->module);
    uint32_t address;

    for (LLVMValueRef g = LLVMGetFirstGlobal(l->module), next; g; g = next) {
        next = g == last ? NULL : LLVMGetNextGlobal(g); /* texts of names come behind it */
        if (LLVMIsDeclaration(g))
            add_symbol(l, g);
        else
            add_variable(l, t, table, g, layout);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && place_of(l, name_of(f), &address))
            add_object(l, t, table, f, address, 1);
        else if (LLVMIsDeclaration(f) && !LLVMGetIntrinsicID(f))
            add_symbol(l, f);
}

static bool add_objects(struct hc_wide_lowering *l, struct types *t)
{
    unsigned count = count_values(l->module);
    struct table table = { .object = calloc(count + 1, sizeof *table.object),
                           .placed = calloc(count + 1, sizeof *table.placed) };
    bool fine = table.object && table.placed;

    if (fine) {
        fill_objects(l, t, &table);
        write_script(l, &table);
        add_table(l->module, "hcn_objects", t->object, table.object, table.count);
        add_number(l->module, t, "hcn_object_count", table.count);
    }
    free(table.object);
    free(table.placed);
    return fine || fail(l, "out of memory");
}

/* ---- what the program needs to know ---- */

static bool add_entries(struct hc_wide_lowering *l, struct types *t)
{
    LLVMValueRef *list = calloc(l->map->entries + 1, sizeof *list);

    if (!list)
        return fail(l, "out of memory");
    for (size_t i = 0; i < l->map->entries; i++) {
        LLVMValueRef function = LLVMGetNamedFunction(l->module, l->map->entry[i].name);
        LLVMValueRef members[] = { function ? function : LLVMConstNull(t->pointer),
                                   text_of(t, l->module, l->map->entry[i].name) };
        list[i] = LLVMConstNamedStruct(t->entry, members, 2);
    }
    add_table(l->module, "hcn_entries", t->entry, list, (unsigned)l->map->entries);
    add_number(l->module, t, "hcn_entry_count", (uint32_t)l->map->entries);
    free(list);
    return true;
}

static void add_log(struct hc_wide_lowering *l, struct types *t)
{
    LLVMValueRef code = LLVMConstStringInContext2(t->context, (const char *)l->log->code, l->log->size, false);
    LLVMValueRef global = LLVMAddGlobal(l->module, LLVMTypeOf(code), "hcn_code");

    LLVMSetInitializer(global, code);
    LLVMSetGlobalConstant(global, true);
    add_number(l->module, t, "hcn_code_size", (uint32_t)l->log->size);
    add_number(l->module, t, "hcn_code_cut", l->log->cut);
    add_number(l->module, t, "hcn_boot", l->log->boot);
    add_number(l->module, t, "hcn_slots", (uint32_t)l->map->slots);
    add_number(l->module, t, "hcn_cache", l->map->cache);
    add_number(l->module, t, "hcn_checks", l->map->checks);
    add_number(l->module, t, "hcn_interrupts", l->map->interrupts);
}

static void set_types(struct types *t, LLVMModuleRef module)
{
    t->context = LLVMGetModuleContext(module);
    t->i8 = LLVMInt8TypeInContext(t->context);
    t->i32 = LLVMInt32TypeInContext(t->context);
    t->pointer = LLVMPointerTypeInContext(t->context, 0);
    LLVMTypeRef object[] = { t->pointer, t->i32, t->i32, t->pointer }, entry[] = { t->pointer, t->pointer };
    t->object = LLVMStructCreateNamed(t->context, "hcn_object");
    LLVMStructSetBody(t->object, object, 4, false);
    t->entry = LLVMStructCreateNamed(t->context, "hcn_entry");
    LLVMStructSetBody(t->entry, entry, 2, false);
}

/* ---- sanitizers ---- */

static bool sanitize(struct hc_wide_lowering *l)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("sanitize_address", 16);
    LLVMAttributeRef mark = LLVMCreateEnumAttribute(LLVMGetModuleContext(l->module), kind, 0);

    for (LLVMValueRef f = LLVMGetFirstFunction(l->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, mark);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(l->module, "asan", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    fail(l, "AddressSanitizer: %.200s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

static bool verify(struct hc_wide_lowering *l)
{
    char *text = NULL;
    bool bad = LLVMVerifyModule(l->module, LLVMReturnStatusAction, &text);

    if (bad)
        fail(l, "the region's native form is not valid, which is an error of hindcast: %.200s", text);
    LLVMDisposeMessage(text);
    return !bad;
}

bool hc_wide_lower(struct hc_wide_lowering *l)
{
    struct types t;

    LLVMSetModuleInlineAsm2(l->module, "", 0);
    LLVMSetTarget(l->module, TRIPLE);
    LLVMSetDataLayout(l->module, LAYOUT);
    if (!lower_functions(l))
        return false;
    if (!hc_wide_check(l))
        return fail(l, "out of memory");
    for_instructions(l, hc_wide_lower_arithmetic);
    for_instructions(l, lower_pointer);
    lower_initial_values(l);
    set_types(&t, l->module);
    if (!add_objects(l, &t) || !add_entries(l, &t))
        return false;
    add_log(l, &t);
    return verify(l) && (!l->sanitize || (sanitize(l) && verify(l)));
}
