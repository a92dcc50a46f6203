#include "program.h"

#include "image/image.h"
#include "read.h"
#include "recorded/bitcode.h"

#include "llvm/llvm.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The module of all units, while it is put together. */
struct gathering {
    struct hc_depend_program *p;
    LLVMContextRef context;
    LLVMModuleRef module;
    struct hc_image *image; /* of an ELF file; NULL: bitcode files were given */
    struct hc_depend_message *message;
};

static int fail(struct hc_depend_message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct hc_depend_message *message, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message->text, sizeof message->text, format, arguments);
    va_end(arguments);
    return -1;
}

/* What LLVM would print is in the results of its calls. */
static void be_silent(LLVMDiagnosticInfoRef about, void *nothing)
{
    (void)about, (void)nothing;
}

static int add_unit(struct gathering *g, const char *name, const char *bytes, size_t size)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, name);
    LLVMModuleRef unit = NULL;
    bool read = buffer && !LLVMParseBitcodeInContext2(g->context, buffer, &unit);

    if (buffer)
        LLVMDisposeMemoryBuffer(buffer);
    if (read && LLVMVerifyModule(unit, LLVMReturnStatusAction, NULL)) {
        LLVMDisposeModule(unit);
        read = false;
    }
    if (!read)
        return fail(g->message, "%s: cannot be read as bitcode: damaged, or of a newer LLVM than 19; build it again",
                    name);
    g->p->units++;
    if (!g->module) {
        g->module = unit;
        return 0;
    }
    if (LLVMLinkModules2(g->module, unit))
        return fail(g->message, "%s: its bitcode does not fit the other units' (a symbol is defined twice?)", name);
    return 0;
}

static int add_section(struct gathering *g, const struct hc_image_section *section)
{
    struct hc_bitcode_unit unit;
    size_t at = 0;

    while (hc_bitcode_next(section->bytes, section->size, &at, &unit)) {
        if (unit.size && add_unit(g, unit.name, unit.bytes, unit.size))
            return -1;
        if (unit.size)
            continue;
        g->p->without++;
        if (!g->p->missing)
            g->p->missing = strdup(unit.name);
    }
    if (at != section->size)
        return fail(g->message, "%s: the bitcode in it is damaged at byte %zu of section %s; build it again",
                    hc_image_name(g->image), at, HC_BITCODE_SECTION);
    return 0;
}

static int read_elf(struct gathering *g, const char *path)
{
    struct hc_image_message message;
    struct hc_image_section section;

    if (hc_image_load_file(&g->image, path, &message))
        return fail(g->message, "%s", message.text);
    if (!hc_image_section(g->image, HC_BITCODE_SECTION, &section) || !section.bytes)
        return fail(g->message,
                    "%s: holds no bitcode, from which dependences are computed; build it with hindcast cc, without "
                    "--no-bitcode",
                    path);
    return add_section(g, &section);
}

/* A file of bitcode, as clang -emit-llvm writes it. */
static int read_bitcode(struct gathering *g, const char *path)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        fail(g->message, "%s: %s", path, message ? message : "cannot be read");
        LLVMDisposeMessage(message);
        return -1;
    }
    int result = add_unit(g, path, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    return result;
}

static bool is_bitcode(const char *path)
{
    unsigned char start[4] = { 0 };
    FILE *f = fopen(path, "rb");
    bool there = f && fread(start, 1, sizeof start, f) == sizeof start;

    if (f)
        fclose(f);
    return there && start[0] == 'B' && start[1] == 'C' && start[2] == 0xc0 && start[3] == 0xde;
}

static int read_files(struct gathering *g, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool bitcode = is_bitcode(paths[i]);
        if (!bitcode && count > 1)
            return fail(g->message, "%s: not bitcode; give one ELF file, or bitcode files only", paths[i]);
        if (bitcode ? read_bitcode(g, paths[i]) : read_elf(g, paths[i]))
            return -1;
    }
    return g->module ? 0 : fail(g->message, "%s: no unit in it has bitcode", count ? paths[0] : "no file");
}

/* Local variables whose address is not taken become values. Functions for -O0 forbid that; here they do not. */
static int promote(struct gathering *g)
{
    unsigned kinds[] = { LLVMGetEnumAttributeKindForName("optnone", 7) };
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();

    for (LLVMValueRef f = LLVMGetFirstFunction(g->module); f; f = LLVMGetNextFunction(f))
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kinds[0]);
    LLVMErrorRef error = LLVMRunPasses(g->module, "function(mem2reg)", NULL, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return 0;
    LLVMConsumeError(error);
    return fail(g->message, "LLVM cannot analyse the program's bitcode; build it again");
}

/* ---- where control enters ---- */

static bool is_linked(const struct gathering *g, const char *name)
{
    struct hc_symbol symbol;

    return !g->image || (hc_image_symbol(g->image, name, &symbol) && symbol.function);
}

/* A list of the compiler's: of functions that start-up code calls, or that something calls which is not seen here. */
static bool is_list(const char *name)
{
    static const char *const lists[] = { "llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.compiler.used" };

    for (size_t i = 0; name && i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(name, lists[i]))
            return true;
    return false;
}

/* Of each function: whether it is in such a list (LISTED), or else whether it is called or its address is taken. */
static bool *find_called(const struct hc_depend_program *p, bool listed)
{
    bool *called = calloc(p->functions + 1, sizeof *called);

    for (size_t i = 0; called && !listed && i < p->addresses; i++) {
        uint32_t function = p->object[p->address[i].object].function;
        if (function != HC_FUNCTION_NONE)
            called[function] = true;
    }
    for (size_t i = 0; called && i < p->initials; i++) {
        uint32_t function = p->object[p->initial[i].to].function;
        if (function != HC_FUNCTION_NONE && is_list(p->object[p->initial[i].from].name) == listed)
            called[function] = true;
    }
    return called;
}

/* What the compiler calls by itself has reserved names. */
static bool is_helper(const char *name)
{
    return name[0] == '_' && name[1] == '_';
}

/* main, handlers, and what the start-up code or other assembly must call, since nothing else does and it is linked. */
static void find_roots(struct gathering *g)
{
    struct hc_depend_program *p = g->p;
    bool *called = find_called(p, false), *listed = find_called(p, true);
    bool has_main = hc_depend_find(p, "main") != HC_FUNCTION_NONE;

    p->failed |= !called || !listed;
    for (size_t i = 0; !p->failed && i < p->functions; i++) {
        struct hc_depend_function *f = &p->function[i];
        f->handler &= is_linked(g, f->name);
        bool enters = !strcmp(f->name, "main") || f->handler || f->named || listed[i] ||
                      (!called[i] && !is_helper(f->name) && (g->image || !has_main));
        f->root = f->defined && enters && is_linked(g, f->name);
    }
    free(called);
    free(listed);
}

int hc_depend_program_read(struct hc_depend_program *p, const char *const *paths, size_t count,
                           struct hc_depend_message *message)
{
    struct gathering g = { .p = p, .context = LLVMContextCreate(), .message = message };

    *p = (struct hc_depend_program){ 0 };
    LLVMContextSetDiagnosticHandler(g.context, be_silent, NULL);
    int result = read_files(&g, paths, count);
    if (!result)
        result = promote(&g);
    if (!result) {
        hc_depend_read_module(p, g.module);
        if (!p->failed)
            find_roots(&g);
        if (!p->failed)
            hc_depend_control(p);
    }
    if (g.module)
        LLVMDisposeModule(g.module);
    LLVMContextDispose(g.context);
    hc_image_free(g.image);
    return !result && p->failed ? fail(message, "out of memory") : result;
}

void hc_depend_program_free(struct hc_depend_program *p)
{
    for (size_t i = 0; i < p->files; i++)
        free(p->file[i]);
    for (size_t i = 0; i < p->functions; i++)
        free(p->function[i].name);
    for (size_t i = 0; i < p->objects; i++)
        free(p->object[i].name);
    for (size_t i = 0; i < p->layouts; i++) {
        free(p->layout[i].field);
        free(p->layout[i].start);
        free(p->layout[i].stride);
        free(p->layout[i].leads);
    }
    void *all[] = { p->file,   p->function, p->block,   p->operation, p->operand, p->edge,    p->ruler,
                    p->layout, p->object,   p->initial, p->address,   p->missing, p->literal, p->number };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

uint32_t hc_depend_find(const struct hc_depend_program *p, const char *name)
{
    for (size_t i = 0; i < p->functions; i++)
        if (p->function[i].defined && !strcmp(p->function[i].name, name))
            return (uint32_t)i;
    return HC_FUNCTION_NONE;
}
