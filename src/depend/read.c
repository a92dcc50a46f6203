/* Bitcode to the program of program.h. */
#include "read.h"

#include "support/grow.h"

#include "llvm/llvm.h"
#include <ctype.h>
#include <stdio.h>

/* Where a value of LLVM's stands in this program, for the function that is being read. */
struct numbers {
    const void **key;
    int32_t *number;
    size_t room; /* a power of two */
};

struct reader {
    struct hc_depend_program *p;
    LLVMModuleRef module;
    LLVMTargetDataRef data;
    struct numbers globals; /* objects */
    struct numbers local;
    struct hc_depend_function *f;
    uint32_t here; /* the block that is being read */
};

/* ---- values to numbers ---- */

static bool numbers_new(struct numbers *n, size_t count)
{
    n->room = 16;
    while (n->room < 2 * count)
        n->room *= 2;
    n->key = calloc(n->room, sizeof *n->key);
    n->number = calloc(n->room, sizeof *n->number);
    return n->key && n->number;
}

static void numbers_free(struct numbers *n)
{
    free(n->key);
    free(n->number);
    *n = (struct numbers){ 0 };
}

static size_t numbers_slot(const struct numbers *n, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20 & (n->room - 1);

    while (n->key[i] && n->key[i] != key)
        i = (i + 1) & (n->room - 1);
    return i;
}

static void numbers_put(struct numbers *n, const void *key, int32_t number)
{
    size_t i = numbers_slot(n, key);

    n->key[i] = key;
    n->number[i] = number;
}

static bool numbers_get(const struct numbers *n, const void *key, int32_t *number)
{
    size_t i = numbers_slot(n, key);

    *number = n->number[i];
    return n->key[i] != NULL;
}

/* ---- what the program is made of ---- */

#define PUSH(p, array, count, room, value)                            \
    (hc_grow(&(p)->array, (p)->count, &(p)->room, sizeof *(p)->array) \
         ? ((p)->array[(p)->count] = (value), (p)->count++, true)     \
         : ((p)->failed = true, false))

static uint16_t file_number(struct hc_depend_program *p, LLVMMetadataRef scope)
{
    unsigned length = 0, directory_length = 0;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
    const char *directory = file ? LLVMDIFileGetDirectory(file, &directory_length) : "";
    char *path = NULL;

    if (length && name[0] != '/' && directory_length)
        p->failed |= asprintf(&path, "%.*s/%.*s", (int)directory_length, directory, (int)length, name) < 0;
    else
        p->failed |= asprintf(&path, "%.*s", (int)length, name) < 0;
    if (p->failed)
        return 0;
    for (size_t i = 0; i < p->files; i++)
        if (!strcmp(p->file[i], path)) {
            free(path);
            return (uint16_t)i;
        }
    bool added = false;
    if (p->files < UINT16_MAX)
        added = PUSH(p, file, files, file_room, path);
    if (!added) {
        free(path);
        return 0;
    }
    return (uint16_t)(p->files - 1);
}

/* ---- layouts ---- */

struct flattening {
    LLVMTargetDataRef data;
    struct hc_layout *to;
    size_t room;
    uint32_t nest[HC_LAYOUT_NEST];
    int depth;
};

enum { LAYOUT_MAX = 1 << 16 }; /* bytes: what is larger is one field */

static void add_field(struct flattening *f, uint32_t at, uint32_t size)
{
    struct hc_layout *l = f->to;
    uint32_t *start = realloc(l->start, (l->fields + 1) * sizeof *start);
    uint32_t *stride = realloc(l->stride, (l->fields + 1) * HC_LAYOUT_NEST * sizeof *stride);
    bool *leads = realloc(l->leads, (l->fields + 1) * sizeof *leads);

    l->start = start ? start : l->start;
    l->stride = stride ? stride : l->stride;
    l->leads = leads ? leads : l->leads;
    if (!start || !stride || !leads)
        return;
    l->start[l->fields] = at;
    l->leads[l->fields] = false;
    memcpy(&l->stride[l->fields * HC_LAYOUT_NEST], f->nest, sizeof f->nest);
    for (uint32_t b = at; b < at + size && b < l->size; b++)
        l->field[b] = l->fields;
    l->fields++;
}

static void flatten(struct flattening *f, LLVMTypeRef type, uint32_t at);

static void flatten_array(struct flattening *f, LLVMTypeRef type, uint32_t at)
{
    LLVMTypeRef element = LLVMGetElementType(type);
    uint32_t size = (uint32_t)LLVMABISizeOfType(f->data, element);
    uint64_t count = LLVMGetArrayLength2(type);

    if (!count || !size)
        return;
    bool fits = f->depth < HC_LAYOUT_NEST;
    if (fits)
        f->nest[f->depth++] = size;
    if (fits)
        flatten(f, element, at);
    else
        add_field(f, at, size);
    for (uint64_t i = size; i < count * size && at + i < f->to->size; i++)
        f->to->field[at + i] = f->to->field[at + i % size];
    if (fits)
        f->nest[--f->depth] = 0;
}

static void flatten(struct flattening *f, LLVMTypeRef type, uint32_t at)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);

    if (kind == LLVMStructTypeKind) {
        uint32_t first = f->to->fields;
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            flatten(f, LLVMStructGetTypeAtIndex(type, i), at + (uint32_t)LLVMOffsetOfElement(f->data, type, i));
        if (f->to->fields > first + 1)
            f->to->leads[first] = true;
    } else if (kind == LLVMArrayTypeKind) {
        flatten_array(f, type, at);
    } else {
        add_field(f, at, (uint32_t)LLVMABISizeOfType(f->data, type));
    }
}

/* Layout 0 for what has no type or is too large. */
static uint32_t layout_of(struct reader *r, LLVMTypeRef type)
{
    struct hc_layout layout = { 0 };

    if (!type || !LLVMTypeIsSized(type))
        return 0;
    uint64_t size = LLVMABISizeOfType(r->data, type);
    if (!size || size > LAYOUT_MAX)
        return 0;
    layout.size = (uint32_t)size;
    layout.field = calloc(size, sizeof *layout.field);
    struct flattening f = { .data = r->data, .to = &layout };
    if (layout.field)
        flatten(&f, type, 0);
    bool added = false;
    if (layout.field && layout.fields)
        added = PUSH(r->p, layout, layouts, layout_room, layout);
    if (!added) {
        r->p->failed |= !layout.field;
        free(layout.field);
        free(layout.start);
        free(layout.stride);
        free(layout.leads);
        return 0;
    }
    // cppcheck-suppress memleak ; the list of layouts has it
    return (uint32_t)(r->p->layouts - 1);
}

/* ---- constants ---- */

enum { CONSTANT_DEPTH = 16 };

static int64_t constant_integer(LLVMValueRef v)
{
    return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 ? LLVMConstIntGetSExtValue(v) : 0;
}

/* Of a getelementptr without its first index: the bytes that its constant indices move by. */
static int64_t offset_within(struct reader *r, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
    int64_t offset = 0;

    for (int i = 2; i < LLVMGetNumOperands(v); i++) {
        int64_t index = constant_integer(LLVMGetOperand(v, (unsigned)i));
        if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            offset += (int64_t)LLVMOffsetOfElement(r->data, type, (unsigned)index);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)index);
        } else {
            type = LLVMGetElementType(type);
            offset += index * (int64_t)LLVMABISizeOfType(r->data, type);
        }
    }
    return offset;
}

static bool constant_address(struct reader *r, LLVMValueRef v, int depth, struct hc_depend_address *out);

static bool expression_address(struct reader *r, LLVMValueRef v, int depth, struct hc_depend_address *out)
{
    LLVMOpcode code = LLVMGetConstOpcode(v);
    LLVMValueRef first = LLVMGetOperand(v, 0);

    if (!constant_address(r, first, depth, out)) {
        /* The address is another operand; how far from it is not followed. */
        for (int i = 1; i < LLVMGetNumOperands(v); i++)
            if (constant_address(r, LLVMGetOperand(v, (unsigned)i), depth, out)) {
                out->offset = HC_OFFSET_ANY;
                return true;
            }
        return false;
    }
    if (code == LLVMGetElementPtr && out->offset != HC_OFFSET_ANY)
        out->offset += offset_within(r, v) + constant_integer(LLVMGetOperand(v, 1)) *
                                                 (int64_t)LLVMABISizeOfType(r->data, LLVMGetGEPSourceElementType(v));
    else if (code != LLVMBitCast && code != LLVMPtrToInt && code != LLVMIntToPtr && code != LLVMAddrSpaceCast)
        out->offset = HC_OFFSET_ANY;
    return true;
}

static bool constant_address(struct reader *r, LLVMValueRef v, int depth, struct hc_depend_address *out)
{
    int32_t object;

    if (depth > CONSTANT_DEPTH)
        return false;
    if (LLVMIsAGlobalAlias(v))
        return constant_address(r, LLVMAliasGetAliasee(v), depth + 1, out);
    if (LLVMIsAGlobalVariable(v) || LLVMIsAFunction(v)) {
        bool known = numbers_get(&r->globals, v, &object);
        *out = (struct hc_depend_address){ .object = (uint32_t)object };
        return known;
    }
    if (LLVMIsAConstantExpr(v))
        return expression_address(r, v, depth + 1, out);
    bool aggregate = LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v);
    for (int i = 0; aggregate && i < LLVMGetNumOperands(v); i++)
        if (constant_address(r, LLVMGetOperand(v, (unsigned)i), depth + 1, out)) {
            out->offset = HC_OFFSET_ANY;
            return true;
        }
    return false;
}

/* Of an integer's type; 0: of another, or of more than 32. */
static uint8_t bits_of(LLVMTypeRef type)
{
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

    return bits <= 32 ? (uint8_t)bits : 0;
}

/* Addresses and numbers that object OBJECT holds at the beginning, in V at byte AT. */
static void read_initial(struct reader *r, LLVMValueRef v, uint32_t object, uint32_t at, int depth)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    struct hc_depend_address to;

    if (depth > CONSTANT_DEPTH) {
        r->p->object[object].own = false;
        return;
    }
    if (LLVMIsAConstantStruct(v)) {
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            read_initial(r, LLVMGetOperand(v, (unsigned)i), object,
                         at + (uint32_t)LLVMOffsetOfElement(r->data, type, (unsigned)i), depth + 1);
    } else if (LLVMIsAConstantArray(v)) {
        uint32_t size = (uint32_t)LLVMABISizeOfType(r->data, LLVMGetElementType(type));
        for (int i = 0; i < LLVMGetNumOperands(v); i++)
            read_initial(r, LLVMGetOperand(v, (unsigned)i), object, at + (uint32_t)i * size, depth + 1);
    } else if (LLVMIsAConstantDataArray(v)) {
        uint32_t size = (uint32_t)LLVMABISizeOfType(r->data, LLVMGetElementType(type));
        for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
            read_initial(r, LLVMGetAggregateElement(v, i), object, at + i * size, depth + 1);
    } else if (constant_address(r, v, 0, &to)) {
        struct hc_initial initial = { .from = object, .at = at, .to = to.object, .offset = to.offset };
        PUSH(r->p, initial, initials, initial_room, initial);
    } else if (LLVMIsAConstantInt(v) && bits_of(type)) {
        struct hc_initial_number number = { .from = object,
                                            .at = at,
                                            .size = (uint32_t)LLVMABISizeOfType(r->data, type),
                                            .value = (uint32_t)LLVMConstIntGetZExtValue(v) };
        if (number.value)
            PUSH(r->p, number, numbers, number_room, number);
    } else if (!LLVMIsNull(v)) {
        r->p->object[object].own = false;
    }
}

/* ---- operands ---- */

static int32_t address_value(struct hc_depend_program *p, struct hc_depend_address a)
{
    return PUSH(p, address, addresses, address_room, a) ? -1 - (int32_t)p->addresses : HC_VALUE_NONE;
}

static int32_t value_of(struct reader *r, LLVMValueRef v)
{
    int32_t number;
    struct hc_depend_address address;

    if (numbers_get(&r->local, v, &number))
        return number;
    if (LLVMIsAConstant(v) && constant_address(r, v, 0, &address))
        return address_value(r->p, address);
    return HC_VALUE_NONE;
}

static void add_number(struct reader *r, struct hc_operation *o, int32_t value, int64_t literal)
{
    if (!o->count)
        o->first = (uint32_t)r->p->operands;
    bool added = PUSH(r->p, operand, operands, operand_room, value);
    if (added && PUSH(r->p, literal, literals, literal_room, literal))
        o->count++;
}

static void add_operand(struct reader *r, struct hc_operation *o, LLVMValueRef v)
{
    bool integer = LLVMIsAConstantInt(v) && bits_of(LLVMTypeOf(v));

    add_number(r, o, value_of(r, v), integer ? (int64_t)LLVMConstIntGetZExtValue(v) : HC_LITERAL_NONE);
}

static void add_operands(struct reader *r, struct hc_operation *o, LLVMValueRef v)
{
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (!LLVMValueIsBasicBlock(LLVMGetOperand(v, (unsigned)i)))
            add_operand(r, o, LLVMGetOperand(v, (unsigned)i));
}

static uint32_t bytes_of(struct reader *r, LLVMTypeRef type)
{
    return LLVMTypeIsSized(type) ? (uint32_t)LLVMABISizeOfType(r->data, type) : 0;
}

/* ---- operations ---- */

static void read_shift(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    LLVMValueRef first = LLVMGetOperand(v, 1);

    o->kind = HC_OPERATION_SHIFT;
    o->stride = bytes_of(r, LLVMGetGEPSourceElementType(v));
    o->varies = !LLVMIsAConstantInt(first);
    o->step = constant_integer(first);
    o->bounded = !o->varies && !o->step;
    o->offset = offset_within(r, v);
    add_operands(r, o, v);
}

static void read_choice(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    o->kind = HC_OPERATION_CHOOSE;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
        add_operand(r, o, LLVMGetIncomingValue(v, i));
    /* The blocks it may come from follow as edges, so that what decided between them is known. */
    o->object = (uint32_t)r->p->edges;
    for (unsigned i = 0; i < LLVMCountIncoming(v); i++) {
        int32_t block = 0;
        numbers_get(&r->local, LLVMGetIncomingBlock(v, i), &block);
        PUSH(r->p, edge, edges, edge_room, (uint32_t)block);
    }
}

static bool starts(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* What the compiler makes of an intrinsic, if the program defines it. */
static uint32_t helper(struct reader *r, const char *name)
{
    return hc_depend_find(r->p, name);
}

static void read_memory_call(struct reader *r, LLVMValueRef v, const char *name, struct hc_operation *o)
{
    bool fills = strstr(name, "memset") != NULL;

    o->kind = fills ? HC_OPERATION_FILL : HC_OPERATION_COPY;
    for (unsigned i = 0; i < 3; i++)
        add_operand(r, o, LLVMGetOperand(v, i));
    o->size = (uint32_t)constant_integer(LLVMGetOperand(v, 2));
    o->helper = helper(r, fills ? "memset" : strstr(name, "memmove") ? "memmove" : "memcpy");
}

static bool is_memory_function(const char *name)
{
    static const char *const functions[] = { "memcpy", "memmove", "memset" };
    static const char *const intrinsics[] = { "llvm.memcpy.", "llvm.memmove.", "llvm.memset." };

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i]) || starts(name, intrinsics[i]))
            return true;
    return false;
}

static bool is_allocation(const char *name)
{
    return !strcmp(name, "malloc") || !strcmp(name, "calloc") || !strcmp(name, "realloc");
}

static bool has_no_effect(const char *name)
{
    static const char *const names[] = {
        "llvm.dbg.", "llvm.lifetime.",           "llvm.assume", "llvm.va_end", "llvm.donothing",
        "llvm.trap", "llvm.experimental.noalias"
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (starts(name, names[i]))
            return true;
    return false;
}

/* A call of what has no body. */
static void read_foreign(struct reader *r, LLVMValueRef v, const char *name, struct hc_operation *o)
{
    unsigned arguments = LLVMGetNumArgOperands(v);

    if (is_memory_function(name)) {
        read_memory_call(r, v, name, o);
        return;
    }
    if (has_no_effect(name)) {
        o->kind = HC_OPERATION_END;
        return;
    }
    if (starts(name, "llvm.va_start"))
        o->kind = HC_OPERATION_VARIABLE_ARGUMENTS;
    else if (starts(name, "llvm.va_copy"))
        o->kind = HC_OPERATION_COPY;
    else if (starts(name, "llvm."))
        o->kind = HC_OPERATION_JOIN;
    else
        o->kind = is_allocation(name) ? HC_OPERATION_NEW : HC_OPERATION_FOREIGN;
    for (unsigned i = 0; i < arguments; i++)
        add_operand(r, o, LLVMGetOperand(v, i));
}

/* Functions of one name in several units got a number behind it when the units were linked. */
static char *source_name(const char *name, size_t length)
{
    size_t digits = length;

    while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        digits--;
    if (digits && digits < length && name[digits - 1] == '.')
        length = digits - 1;
    return strndup(name, length);
}

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* Whether assembly names V. Of a name that several units have, each got a number behind it: all of them are meant. */
static bool is_named(const char *text, LLVMValueRef v)
{
    size_t length;
    const char *name = LLVMGetValueName2(v, &length);
    char *source = source_name(name, length);
    bool named = false;

    for (const char *at = source && *source ? strstr(text, source) : NULL; at && !named; at = strstr(at + 1, source))
        named = (at == text || !is_of_name(at[-1])) && !is_of_name(at[strlen(source)]);
    free(source);
    return named;
}

/* Assembly is given what it names. */
static void add_named(struct reader *r, LLVMValueRef assembly, struct hc_operation *o)
{
    size_t length;
    char *text = strdup(LLVMGetInlineAsmAsmString(assembly, &length));

    r->p->failed |= !text;
    for (LLVMValueRef v = LLVMGetFirstFunction(r->module); text && v; v = LLVMGetNextFunction(v))
        if (is_named(text, v))
            add_operand(r, o, v);
    for (LLVMValueRef v = LLVMGetFirstGlobal(r->module); text && v; v = LLVMGetNextGlobal(v))
        if (is_named(text, v))
            add_operand(r, o, v);
    free(text);
}

static void read_call(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    LLVMValueRef callee = LLVMGetCalledValue(v);
    size_t length;

    while (LLVMIsAGlobalAlias(callee))
        callee = LLVMAliasGetAliasee(callee);
    if (LLVMIsAInlineAsm(callee)) {
        read_foreign(r, v, "", o);
        add_named(r, callee, o);
        o->assembly = true;
        return;
    }
    if (LLVMIsAFunction(callee) &&
        (LLVMIsDeclaration(callee) || is_memory_function(LLVMGetValueName2(callee, &length)))) {
        read_foreign(r, v, LLVMGetValueName2(callee, &length), o);
        return;
    }
    o->kind = HC_OPERATION_CALL;
    add_operand(r, o, callee);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(v); i++)
        add_operand(r, o, LLVMGetOperand(v, i));
}

/* The argument is what the list points to: one operation more, which loads the list's pointer. */
static void read_variable_argument(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    struct hc_operation list = *o;

    list.kind = HC_OPERATION_LOAD;
    list.size = bytes_of(r, LLVMTypeOf(LLVMGetOperand(v, 0)));
    add_operands(r, &list, v);
    PUSH(r->p, operation, operations, operation_room, list);
    o->kind = HC_OPERATION_LOAD;
    o->size = bytes_of(r, LLVMTypeOf(v));
    add_number(r, o, (int32_t)(r->f->parameters + r->p->operations - 1 - r->f->first_operation), HC_LITERAL_NONE);
}

static void read_end(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMRet:
        o->kind = HC_OPERATION_RETURN;
        add_operands(r, o, v);
        break;
    case LLVMBr:
        o->kind = LLVMIsConditional(v) ? HC_OPERATION_BRANCH : HC_OPERATION_END;
        if (LLVMIsConditional(v))
            add_operand(r, o, LLVMGetCondition(v));
        break;
    case LLVMSwitch:
    case LLVMIndirectBr:
        o->kind = HC_OPERATION_BRANCH;
        o->changes = true;
        add_operand(r, o, LLVMGetOperand(v, 0));
        break;
    default:
        o->kind = HC_OPERATION_END;
        add_operands(r, o, v);
    }
}

static enum hc_code comparison_of(LLVMValueRef v)
{
    static const enum hc_code codes[] = {
        HC_CODE_EQUAL,       HC_CODE_DIFFERENT, HC_CODE_ABOVE,         HC_CODE_ABOVE_EQUAL, HC_CODE_BELOW,
        HC_CODE_BELOW_EQUAL, HC_CODE_GREATER,   HC_CODE_GREATER_EQUAL, HC_CODE_LESS,        HC_CODE_LESS_EQUAL,
    };
    unsigned which = (unsigned)LLVMGetICmpPredicate(v) - LLVMIntEQ;

    return which < sizeof codes / sizeof *codes ? codes[which] : HC_CODE_OTHER;
}

static enum hc_code code_of(LLVMValueRef v)
{
    static const struct {
        LLVMOpcode of;
        enum hc_code is;
    } codes[] = {
        { LLVMAdd, HC_CODE_ADD },
        { LLVMSub, HC_CODE_SUB },
        { LLVMMul, HC_CODE_MUL },
        { LLVMAnd, HC_CODE_AND },
        { LLVMOr, HC_CODE_OR },
        { LLVMXor, HC_CODE_XOR },
        { LLVMShl, HC_CODE_SHL },
        { LLVMLShr, HC_CODE_LSHR },
        { LLVMAShr, HC_CODE_ASHR },
        { LLVMZExt, HC_CODE_EXTEND },
        { LLVMSExt, HC_CODE_EXTEND_SIGN },
        { LLVMTrunc, HC_CODE_TRUNCATE },
        { LLVMSelect, HC_CODE_SELECT },
        { LLVMUDiv, HC_CODE_DIVIDE },
        { LLVMURem, HC_CODE_REMAINDER },
    };
    LLVMOpcode code = LLVMGetInstructionOpcode(v);

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].of == code)
            return codes[i].is;
    return code == LLVMICmp ? comparison_of(v) : HC_CODE_OTHER;
}

static void read_kind(struct reader *r, LLVMValueRef v, struct hc_operation *o)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAlloca:
        o->kind = HC_OPERATION_PLACE;
        o->object = layout_of(r, LLVMIsAConstantInt(LLVMGetOperand(v, 0)) ? LLVMGetAllocatedType(v) : NULL);
        break;
    case LLVMLoad:
        o->kind = HC_OPERATION_LOAD;
        o->size = bytes_of(r, LLVMTypeOf(v));
        o->changes = LLVMGetVolatile(v);
        add_operands(r, o, v);
        break;
    case LLVMStore:
        o->kind = HC_OPERATION_STORE;
        o->size = bytes_of(r, LLVMTypeOf(LLVMGetOperand(v, 0)));
        add_operands(r, o, v);
        break;
    case LLVMGetElementPtr:
        read_shift(r, v, o);
        break;
    case LLVMPHI:
        read_choice(r, v, o);
        break;
    case LLVMCall:
        read_call(r, v, o);
        break;
    case LLVMVAArg:
        read_variable_argument(r, v, o);
        break;
    default:
        if (LLVMIsATerminatorInst(v)) {
            read_end(r, v, o);
        } else {
            o->code = code_of(v);
            add_operands(r, o, v);
        }
    }
    o->bits = bits_of(LLVMTypeOf(v));
    o->source_bits = LLVMGetNumOperands(v) ? bits_of(LLVMTypeOf(LLVMGetOperand(v, 0))) : 0;
}

static void read_operation(struct reader *r, LLVMValueRef v)
{
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(v);
    struct hc_operation o = { .kind = HC_OPERATION_JOIN,
                              .file = r->f->file,
                              .line = place ? LLVMDILocationGetLine(place) : 0,
                              .block = r->here,
                              .helper = HC_FUNCTION_NONE };

    read_kind(r, v, &o);
    if (o.line > r->f->end_line)
        r->f->end_line = o.line;
    PUSH(r->p, operation, operations, operation_room, o);
}

/* ---- functions ---- */

/* Operations are numbered as they will be pushed. */
static void number_values(struct reader *r, LLVMValueRef function)
{
    int32_t next = 0, block = 0;

    for (LLVMValueRef v = LLVMGetFirstParam(function); v; v = LLVMGetNextParam(v))
        numbers_put(&r->local, v, next++);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        numbers_put(&r->local, b, block++);
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v)) {
            next += LLVMGetInstructionOpcode(v) == LLVMVAArg;
            numbers_put(&r->local, v, next++);
        }
    }
}

static void read_successors(struct reader *r, LLVMValueRef end, struct hc_depend_block *block)
{
    block->first_after = (uint32_t)r->p->edges;
    for (unsigned i = 0; end && i < LLVMGetNumSuccessors(end); i++) {
        int32_t number = 0;
        numbers_get(&r->local, LLVMGetSuccessor(end, i), &number);
        if (PUSH(r->p, edge, edges, edge_room, (uint32_t)number))
            block->after_count++;
    }
}

static void read_block(struct reader *r, LLVMBasicBlockRef b)
{
    struct hc_depend_block block = { .first = (uint32_t)(r->p->operations - r->f->first_operation) };

    for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
        read_operation(r, v);
    block.count = (uint32_t)(r->p->operations - r->f->first_operation) - block.first;
    read_successors(r, LLVMGetBasicBlockTerminator(b), &block);
    PUSH(r->p, block, blocks, block_room, block);
}

static size_t values_of(LLVMValueRef function)
{
    size_t count = LLVMCountParams(function);

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        count++;
        for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
            count++;
    }
    return count;
}

static void read_body(struct reader *r, LLVMValueRef function, size_t number)
{
    struct hc_depend_function *f = &r->p->function[number];

    r->f = f;
    f->first_operation = (uint32_t)r->p->operations;
    f->first_block = (uint32_t)r->p->blocks;
    if (!numbers_new(&r->local, values_of(function))) {
        r->p->failed = true;
        return;
    }
    number_values(r, function);
    r->here = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), r->here++)
        read_block(r, b);
    f->operations = (uint32_t)r->p->operations - f->first_operation;
    f->blocks = (uint32_t)r->p->blocks - f->first_block;
    numbers_free(&r->local);
}

static bool is_handler(LLVMValueRef function)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, "interrupt", 9) ||
           LLVMGetFunctionCallConv(function) == LLVMMSP430INTRCallConv;
}

static void add_object(struct reader *r, LLVMValueRef v, struct hc_depend_object object)
{
    size_t length;

    object.name = strdup(LLVMGetValueName2(v, &length));
    numbers_put(&r->globals, v, (int32_t)r->p->objects);
    if (!PUSH(r->p, object, objects, object_room, object))
        free(object.name);
}

static void declare_function(struct reader *r, LLVMValueRef v)
{
    LLVMMetadataRef about = LLVMGetSubprogram(v);
    size_t length;
    const char *name = LLVMGetValueName2(v, &length);
    struct hc_depend_function f = { .name = source_name(name, length),
                                    .file = file_number(r->p, about),
                                    .line = about ? LLVMDISubprogramGetLine(about) : 0,
                                    .parameters = LLVMCountParams(v),
                                    .defined = !LLVMIsDeclaration(v),
                                    .handler = is_handler(v),
                                    .named = is_named(LLVMGetModuleInlineAsm(r->module, &length), v),
                                    .takes_more = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(v)),
                                    .object = (uint32_t)r->p->objects };

    add_object(r, v, (struct hc_depend_object){ .function = (uint32_t)r->p->functions });
    r->p->failed |= !f.name;
    if (!PUSH(r->p, function, functions, function_room, f))
        free(f.name);
}

/* Declared, defined by nobody, and accessed as what changes by itself: a register of a peripheral. */
static bool is_register(LLVMValueRef v)
{
    if (!LLVMIsDeclaration(v))
        return false;
    for (LLVMUseRef use = LLVMGetFirstUse(v); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if ((LLVMIsALoadInst(user) || LLVMIsAStoreInst(user)) && LLVMGetVolatile(user))
            return true;
    }
    return false;
}

/* Sections with names of their own may be filled by others, or keep what was there; assembly may write what it names.
 */
static bool is_own(LLVMValueRef v)
{
    const char *section = LLVMGetSection(v);
    size_t length;

    return LLVMGetInitializer(v) && LLVMGetLinkage(v) == LLVMInternalLinkage && (!section || !*section) &&
           !is_named(LLVMGetModuleInlineAsm(LLVMGetGlobalParent(v), &length), v);
}

static void declare_variable(struct reader *r, LLVMValueRef v)
{
    add_object(
        r, v,
        (struct hc_depend_object){ .layout = layout_of(r, LLVMIsDeclaration(v) ? NULL : LLVMGlobalGetValueType(v)),
                                   .function = HC_FUNCTION_NONE,
                                   .hardware = is_register(v),
                                   .own = is_own(v),
                                   .constant = LLVMIsGlobalConstant(v) });
}

static size_t count_globals(LLVMModuleRef m)
{
    size_t count = 0;

    for (LLVMValueRef v = LLVMGetFirstFunction(m); v; v = LLVMGetNextFunction(v))
        count++;
    for (LLVMValueRef v = LLVMGetFirstGlobal(m); v; v = LLVMGetNextGlobal(v))
        count++;
    return count;
}

static void declare_all(struct reader *r)
{
    for (LLVMValueRef v = LLVMGetFirstFunction(r->module); v; v = LLVMGetNextFunction(v))
        declare_function(r, v);
    for (LLVMValueRef v = LLVMGetFirstGlobal(r->module); v; v = LLVMGetNextGlobal(v))
        declare_variable(r, v);
}

static void read_all(struct reader *r)
{
    size_t number = 0;

    for (LLVMValueRef v = LLVMGetFirstGlobal(r->module); v; v = LLVMGetNextGlobal(v)) {
        int32_t object;
        if (LLVMGetInitializer(v) && numbers_get(&r->globals, v, &object))
            read_initial(r, LLVMGetInitializer(v), (uint32_t)object, 0, 0);
    }
    for (LLVMValueRef v = LLVMGetFirstFunction(r->module); v && !r->p->failed; v = LLVMGetNextFunction(v), number++)
        if (!LLVMIsDeclaration(v))
            read_body(r, v, number);
}

void hc_depend_read_module(struct hc_depend_program *p, LLVMModuleRef module)
{
    struct reader r = { .p = p, .module = module, .data = LLVMGetModuleDataLayout(module) };
    struct hc_layout any = { .fields = 1 };

    PUSH(p, layout, layouts, layout_room, any);
    file_number(p, NULL);
    if (!numbers_new(&r.globals, count_globals(module))) {
        numbers_free(&r.globals);
        p->failed = true;
        return;
    }
    declare_all(&r);
    if (!p->failed)
        read_all(&r);
    numbers_free(&r.globals);
}
