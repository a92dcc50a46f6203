#include "region.h"

#include "pass.h"
#include "recorded/bitcode.h"

#include "llvm/llvm.h"
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool fail(struct hc_region_result *result, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct hc_region_result *result, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(result->message, sizeof result->message, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- errors ---- */

/* PLACE, or where its line is: optimisation makes instructions that have none. Before it in its block, or its function.
 */
static LLVMValueRef with_line(LLVMValueRef place)
{
    LLVMValueRef i = place;

    if (!LLVMIsAInstruction(place))
        return place;
    while (i && !LLVMGetDebugLocLine(i))
        i = LLVMGetPreviousInstruction(i);
    return i ? i : LLVMGetBasicBlockParent(LLVMGetInstructionParent(place));
}

static void print_place(FILE *to, LLVMValueRef place, const char *kind)
{
    unsigned length = 0;
    const char *file = NULL;
    unsigned line = 0;

    if (LLVMIsAInstruction(place) || LLVMIsAFunction(place)) {
        file = LLVMGetDebugLocFilename(with_line(place), &length);
        line = LLVMGetDebugLocLine(with_line(place));
    }
    LLVMValueRef function =
        LLVMIsAInstruction(place) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(place)) : place;
    size_t size;
    const char *name = LLVMGetValueName2(function, &size);
    if (file && length && line)
        fprintf(to, "%.*s:%u: %s: %s: ", (int)length, file, line, kind, name);
    else
        fprintf(to, "%s: %s (compile with -g for its line): ", kind, name);
}

void hc_region_error(struct hc_region_pass *p, LLVMValueRef place, const char *format, ...)
{
    va_list arguments;

    p->errors++;
    if (!p->request->errors)
        return;
    print_place(p->request->errors, place, "error");
    va_start(arguments, format);
    vfprintf(p->request->errors, format, arguments);
    va_end(arguments);
    fputc('\n', p->request->errors);
}

void hc_region_note(struct hc_region_pass *p, LLVMValueRef place, const char *text)
{
    if (!p->request->errors)
        return;
    print_place(p->request->errors, place, "note");
    fprintf(p->request->errors, "%s\n", text);
}

/* ---- which functions ---- */

bool hc_region_has_string(LLVMValueRef function, const char *name)
{
    return LLVMGetStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, name, (unsigned)strlen(name)) != NULL;
}

bool hc_region_is_inside(LLVMValueRef function)
{
    return hc_region_has_string(function, HC_REGION_MARK);
}

/* "ctp.c", "net/ctp.c" and "net/" match ".../firmware/net/ctp.c"; so do patterns of them. */
static bool matches_file(const char *pattern, const char *path)
{
    size_t length = strlen(pattern);
    char folder[520];

    if (length && pattern[length - 1] == '/') {
        snprintf(folder, sizeof folder, "%.500s*", pattern);
        pattern = folder;
    }
    for (const char *at = path; at; at = strchr(at, '/') ? strchr(at, '/') + 1 : NULL)
        if (!fnmatch(pattern, at, 0))
            return true;
    return false;
}

static bool names_file(const char *pattern)
{
    const char *end = strrchr(pattern, '.');

    return (strchr(pattern, '/') && !strchr(pattern, ':')) || (end && (!strcmp(end, ".c") || !strcmp(end, ".h")));
}

/* A function belongs to the unit that was compiled: so do those of headers. */
static bool unit_matches(const struct hc_region_request *r, const char *unit)
{
    for (size_t i = 0; i < r->pattern_count; i++)
        if (names_file(r->patterns[i]) && matches_file(r->patterns[i], unit))
            return true;
    return false;
}

/* "route_*", or only that of a unit: "ctp.c:route_*". */
static bool matches_name(const char *pattern, const char *unit, const char *name)
{
    const char *colon = strchr(pattern, ':');
    char file[520];

    snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - pattern) : 0, pattern);
    return !fnmatch(colon ? colon + 1 : pattern, name, 0) && (!colon || matches_file(file, unit));
}

/* OUTSIDE: patterns with "!" count, else those without. */
static bool name_matches(const struct hc_region_request *r, const char *unit, const char *name, bool outside)
{
    for (size_t i = 0; i < r->pattern_count; i++) {
        const char *pattern = r->patterns[i];
        if (!names_file(pattern) && (*pattern == '!') == outside && matches_name(pattern + outside, unit, name))
            return true;
    }
    return false;
}

#define CHOSEN "hindcast-chosen"
#define MARKED "HC_REGION" /* the annotation that the macro makes, and the pattern for all that have it */
#define ANNOTATIONS "llvm.global.annotations"

static void choose(LLVMContextRef context, LLVMValueRef function)
{
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, CHOSEN, (unsigned)strlen(CHOSEN), "", 0));
}

static bool wants_marked(const struct hc_region_request *r)
{
    for (size_t i = 0; i < r->pattern_count; i++)
        if (!strcmp(r->patterns[i], MARKED))
            return true;
    return false;
}

static bool says_marked(LLVMValueRef text)
{
    size_t length = 0;
    LLVMValueRef value = text && LLVMIsAGlobalVariable(text) ? LLVMGetInitializer(text) : NULL;
    const char *bytes = value && LLVMIsConstantString(value) ? LLVMGetAsString(value, &length) : "";

    return length >= strlen(MARKED) && !strcmp(bytes, MARKED);
}

/* Functions with the macro; the list of annotations goes, since it would count as a use of each. */
static size_t choose_marked(const struct hc_region_request *r, LLVMContextRef context, LLVMModuleRef unit)
{
    LLVMValueRef list = LLVMGetNamedGlobal(unit, ANNOTATIONS), all = list ? LLVMGetInitializer(list) : NULL;
    size_t count = 0;

    for (int i = 0; all && wants_marked(r) && i < LLVMGetNumOperands(all); i++) {
        LLVMValueRef one = LLVMGetOperand(all, (unsigned)i), function = LLVMGetOperand(one, 0);
        if (LLVMIsAFunction(function) && !LLVMIsDeclaration(function) && says_marked(LLVMGetOperand(one, 1))) {
            choose(context, function);
            count++;
        }
    }
    if (list)
        LLVMDeleteGlobal(list);
    return count;
}

/* Nor may it come in by being inlined. */
static void keep_out(LLVMContextRef context, LLVMValueRef function)
{
    const LLVMAttributeIndex of_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

    LLVMRemoveEnumAttributeAtIndex(function, of_function, LLVMGetEnumAttributeKindForName("alwaysinline", 12));
    LLVMAddAttributeAtIndex(function, of_function,
                            LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName("noinline", 8), 0));
}

/* Marks the functions of a unit that are inside; returns how many. */
static size_t choose_all(const struct hc_region_request *r, LLVMContextRef context, LLVMModuleRef unit, bool whole)
{
    size_t length, count = 0;
    const char *file = LLVMGetSourceFileName(unit, &length);

    for (LLVMValueRef f = LLVMGetFirstFunction(unit); f; f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName2(f, &length);
        if (LLVMIsDeclaration(f))
            continue;
        if (name_matches(r, file, name, true)) {
            keep_out(context, f);
        } else if (whole || name_matches(r, file, name, false)) {
            choose(context, f);
            count++;
        }
    }
    return count;
}

static bool is_chosen(void *owner, LLVMValueRef function)
{
    (void)owner;
    return hc_region_has_string(function, CHOSEN);
}

/* ---- one module ---- */

/* clang for the MSP430 writes llvm.frameaddress(i16), which LLVM's own readers refuse: it is of 32 bits everywhere. */
static void mend(char *text)
{
    static const char *const names[] = { "@llvm.frameaddress.p0(i16", "@llvm.returnaddress(i16" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (char *at = text; (at = strstr(at, names[i])); at++) {
            char *bits = at + strlen(names[i]) - 2;
            bits[0] = '3';
            bits[1] = '2';
        }
}

static LLVMModuleRef read_unit(LLVMContextRef context, const char *path, struct hc_region_result *result)
{
    LLVMModuleRef unit = NULL;
    size_t size;
    char *file = hc_argv_file(path, &size), *text = NULL;

    if (!file) {
        fail(result, "%s: cannot be read", path);
        return NULL;
    }
    mend(file);
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(file, size, path);
    free(file);
    if (LLVMParseIRInContext(context, buffer, &unit, &text)) { /* which takes the buffer */
        unit = NULL;
        fail(result, "%s: cannot be read as LLVM 19's: %.120s", path, text);
        LLVMDisposeMessage(text);
    }
    return unit;
}

static bool join(struct hc_region_pass *p, LLVMModuleRef unit)
{
    if (!p->module) {
        p->module = unit;
        return true;
    }
    return !LLVMLinkModules2(p->module, unit) || fail(p->result, "units of the region contradict each other");
}

/* Reads them all; *WHOLE: no function was chosen by its name. */
static bool read_all(struct hc_region_pass *p, struct hc_region_units *u, size_t *chosen, bool *whole)
{
    const struct hc_region_request *r = p->request;
    size_t length;

    for (; u->count < r->unit_count; u->count++) {
        struct hc_region_unit *unit = &u->unit[u->count];
        unit->module = read_unit(p->context, r->units[u->count], p->result);
        if (!unit->module)
            return false;
        hc_region_find_ins(unit->module);
        bool matches = unit_matches(r, LLVMGetSourceFileName(unit->module, &length));
        size_t count = choose_all(r, p->context, unit->module, matches);
        count += choose_marked(r, p->context, unit->module);
        unit->inside = count > 0;
        *whole &= matches || !count;
        *chosen += count;
    }
    return true;
}

/* The file's name in a path. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void take_in(struct hc_region_pass *p, LLVMModuleRef unit)
{
    size_t length;

    choose_all(p->request, p->context, unit, true);
    if (p->request->errors)
        fprintf(p->request->errors, "hindcast: note: %s is inside, too: it is used by the region alone\n",
                base_name(LLVMGetSourceFileName(unit, &length)));
}

static bool join_all(struct hc_region_pass *p, struct hc_region_units *u)
{
    bool fine = true;

    for (size_t i = 0; i < u->count; i++) {
        p->result->used[i] = u->unit[i].inside;
        if (u->unit[i].absorbed)
            take_in(p, u->unit[i].module);
        if (u->unit[i].inside && fine)
            fine = join(p, u->unit[i].module);
        else
            LLVMDisposeModule(u->unit[i].module);
    }
    return fine;
}

static bool read_units(struct hc_region_pass *p)
{
    const struct hc_region_request *r = p->request;
    struct hc_region_units units = { .unit = calloc(r->unit_count + 1, sizeof *units.unit) };
    size_t chosen = 0;
    bool whole = true;

    p->result->used = calloc(r->unit_count + 1, sizeof *p->result->used);
    bool fine = units.unit && p->result->used && read_all(p, &units, &chosen, &whole);
    if (fine && chosen && whole)
        hc_region_absorb(&units, r);
    fine = units.unit && p->result->used && join_all(p, &units) && fine;
    free(units.unit);
    if (!fine)
        return false;
    return chosen || fail(p->result, "--region: no function of the program matches; patterns name files (ctp.c, net/) "
                                     "or functions (route_*)");
}

static void set_up(struct hc_region_pass *p)
{
    p->builder = LLVMCreateBuilderInContext(p->context);
    p->layout = LLVMGetModuleDataLayout(p->module);
    p->word_bits = LLVMPointerSize(p->layout) * 8;
    p->word = LLVMIntTypeInContext(p->context, p->word_bits);
    p->i32 = LLVMInt32TypeInContext(p->context);
    p->void_type = LLVMVoidTypeInContext(p->context);
    p->pointer = LLVMPointerTypeInContext(p->context, 0);
}

/* ---- what others see ---- */

static bool has(char *const *word, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word[i], name))
            return true;
    return false;
}

static bool is_needed(struct hc_region_pass *p, LLVMValueRef value)
{
    const struct hc_region_request *r = p->request;
    size_t length;
    const char *name = LLVMGetValueName2(value, &length);

    if (!strncmp(name, "llvm.", 5))
        return true;
    for (size_t i = 0; i < r->unit_count; i++)
        if (!p->result->used[i] && has(r->unit_needs[i].word, r->unit_needs[i].count, name))
            return true;
    return has(r->needed, r->needed_count, name);
}

static void hide(struct hc_region_pass *p, LLVMValueRef value)
{
    if (LLVMGetLinkage(value) == LLVMExternalLinkage && !LLVMIsDeclaration(value) && !is_needed(p, value)) {
        LLVMSetLinkage(value, LLVMInternalLinkage);
        LLVMSetVisibility(value, LLVMDefaultVisibility);
    }
}

static void hide_all(struct hc_region_pass *p)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        hide(p, f);
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g))
        hide(p, g);
}

/* ---- the passes ---- */

/* What is cheap on the CPU: without one, loops become vectors, which none of ours has. NULL: LLVM does not know it. */
static LLVMTargetMachineRef make_target(struct hc_region_pass *p)
{
    LLVMTargetRef target;
    char *text = NULL;

    hc_llvm_initialize_targets();
    if (LLVMGetTargetFromTriple(LLVMGetTarget(p->module), &target, &text)) {
        LLVMDisposeMessage(text);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, LLVMGetTarget(p->module), "", "", LLVMCodeGenLevelDefault, LLVMRelocDefault,
                                   LLVMCodeModelDefault);
}

static bool optimise(struct hc_region_pass *p)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMTargetMachineRef target = make_target(p);
    LLVMErrorRef error = LLVMRunPasses(p->module, "default<Os>", target, options);

    LLVMDisposePassBuilderOptions(options);
    if (target)
        LLVMDisposeTargetMachine(target);
    if (!error)
        return true;
    char *text = LLVMGetErrorMessage(error);
    fail(p->result, "the region's module: %s", text);
    LLVMDisposeErrorMessage(text);
    return false;
}

/* NULL: nobody outside called it. */
static LLVMValueRef entry_still_there(struct hc_region_pass *p, size_t i)
{
    return LLVMGetNamedFunction(p->module, p->entry[i].name);
}

/* Handlers of the region's units, inside or not, call the region at any time. */
static void look_for_handlers(struct hc_region_pass *p)
{
    p->interrupts = p->request->interrupts;
    for (size_t i = 0; i < p->result->entries; i++)
        p->result->reached += entry_still_there(p, i) != NULL;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        p->interrupts |= hc_region_has_string(f, "interrupt");
}

static void instrument_all(struct hc_region_pass *p)
{
    LLVMValueRef last = LLVMGetLastFunction(p->module), f = LLVMGetFirstFunction(p->module);

    for (;; f = LLVMGetNextFunction(f)) { /* stubs come behind the last */
        if (hc_region_is_inside(f) && !LLVMIsDeclaration(f))
            hc_region_instrument(p, f);
        if (f == last)
            break;
    }
    hc_region_drop_ins(p);
}

static bool is_own_variable(const struct hc_region_object *o)
{
    return o->own && LLVMIsAGlobalVariable(o->object) && !LLVMIsGlobalConstant(o->object);
}

static void print_symbol(const struct hc_region_pass *p, FILE *to, LLVMValueRef symbol)
{
    size_t length;
    const char *name = symbol ? LLVMGetValueName2(symbol, &length) : "";

    fprintf(to, "%s %s\n.asciz \"%s\"\n", p->word_bits == 16 ? ".short" : ".long", *name ? name : "0", name);
}

/* GNU's linker drops sections that are not loaded and refer to others, unless they ask to be kept. Then they keep
 * those, too: on 16-bit CPUs, where lld is the linker, that would cost memory. */
static const char *kept(const struct hc_region_pass *p)
{
    return p->word_bits == 16 ? "" : "R";
}

/* For the desk: entries by number, how many predictions there are, the region's own objects (FORMAT.md). */
static void add_map(struct hc_region_pass *p)
{
    char *text = NULL;
    size_t size = 0, own = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return;
    for (size_t i = 0; i < p->objects; i++)
        own += is_own_variable(&p->object[i]);
    fprintf(to, ".pushsection .hindcast.region,\"%s\",%%progbits\n.byte 1, %u, %d, 0\n.short %zu, %zu, %zu\n", kept(p),
            p->word_bits / 8, p->interrupts, p->result->slots, p->result->entries, own);
    for (size_t i = 0; i < p->result->entries; i++)
        print_symbol(p, to, entry_still_there(p, i));
    for (size_t i = 0; i < p->objects; i++)
        if (is_own_variable(&p->object[i]))
            print_symbol(p, to, p->object[i].object);
    fprintf(to, ".popsection\n");
    fclose(to);
    LLVMAppendModuleInlineAsm(p->module, text, size);
    free(text);
}

/* Room for predictions: the runtime's, but its size is known here. */
static void add_tables(struct hc_region_pass *p)
{
    LLVMTypeRef i16 = LLVMInt16TypeInContext(p->context);
    LLVMTypeRef last = LLVMArrayType2(i16, p->result->slots ? p->result->slots : 1);
    LLVMTypeRef next = LLVMArrayType2(LLVMInt8TypeInContext(p->context), p->result->entries + 1);
    LLVMValueRef table = LLVMAddGlobal(p->module, last, "__hcr_last");

    LLVMSetInitializer(table, LLVMConstNull(last));
    LLVMSetAlignment(table, p->word_bits / 8);
    table = LLVMAddGlobal(p->module, next, "__hcr_next");
    LLVMSetInitializer(table, LLVMConstNull(next));
    table = LLVMAddGlobal(p->module, p->word, "__hcr_interrupts");
    LLVMSetInitializer(table, hc_region_word(p, p->interrupts));
    LLVMSetGlobalConstant(table, true);
}

/* ---- for native replay: where the module's objects are, and the module itself (FORMAT.md) ---- */

static void print_place_of(const struct hc_region_pass *p, FILE *to, LLVMValueRef symbol)
{
    size_t length;
    const char *name = LLVMGetValueName2(symbol, &length);
    bool is_private = LLVMGetLinkage(symbol) == LLVMPrivateLinkage;

    if (strncmp(name, "llvm.", 5) != 0 && strncmp(name, "__hcr_", 6) != 0 && LLVMGetFirstUse(symbol))
        fprintf(to, "%s \"%s%s\"\n.asciz \"%s\"\n", p->word_bits == 16 ? ".short" : ".long", is_private ? ".L" : "",
                name, name);
}

static void print_places(const struct hc_region_pass *p, FILE *to)
{
    fprintf(to, ".pushsection " HC_REGION_PLACES ",\"%s\",%%progbits\n", kept(p));
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g))
        print_place_of(p, to, g);
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f))
        print_place_of(p, to, f);
    fprintf(to, ".popsection\n");
}

static void add_copy(struct hc_region_pass *p)
{
    LLVMMemoryBufferRef copy = LLVMWriteBitcodeToMemoryBuffer(p->module);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (to) {
        print_places(p, to);
        hc_bitcode_write_assembly(to, HC_REGION_MODULE, "region", LLVMGetBufferStart(copy), LLVMGetBufferSize(copy));
        fclose(to);
        LLVMAppendModuleInlineAsm(p->module, text, size);
    }
    free(text);
    LLVMDisposeMemoryBuffer(copy);
}

static bool write_module(struct hc_region_pass *p)
{
    char *text = NULL;

    if (LLVMVerifyModule(p->module, LLVMReturnStatusAction, &text)) {
        fail(p->result, "the region's module is not valid, which is an error of hindcast: %.160s", text);
        LLVMDisposeMessage(text);
        return false;
    }
    LLVMDisposeMessage(text);
    add_copy(p);
    return !LLVMWriteBitcodeToFile(p->module, p->request->output) ||
           fail(p->result, "%s: cannot be written", p->request->output);
}

static bool work(struct hc_region_pass *p)
{
    if (!read_units(p))
        return false;
    set_up(p);
    hide_all(p);
    hc_region_split(p, is_chosen, NULL);
    if (!p->errors && p->result->entries > 250)
        return fail(p->result, "--region: %zu functions are inside; at most 250 can be", p->result->entries);
    hc_region_before_inlining(p);
    if (p->errors || !optimise(p))
        return p->errors ? fail(p->result, "the region cannot be recorded exactly: %zu error%s", p->errors,
                                p->errors == 1 ? "" : "s")
                         : false;
    hc_region_after_inlining(p);
    look_for_handlers(p);
    instrument_all(p);
    add_tables(p);
    add_map(p);
    if (p->errors)
        return fail(p->result, "the region cannot be recorded exactly: %zu error%s", p->errors,
                    p->errors == 1 ? "" : "s");
    return write_module(p);
}

/* Without one LLVM ends the program itself. */
static void hear(LLVMDiagnosticInfoRef info, void *owner)
{
    struct hc_region_pass *p = owner;

    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *text = LLVMGetDiagInfoDescription(info);
    fail(p->result, "%.200s", text);
    LLVMDisposeMessage(text);
}

bool hc_region_build(const struct hc_region_request *request, struct hc_region_result *result)
{
    struct hc_region_pass p = { .request = request, .result = result, .context = LLVMContextCreate() };

    *result = (struct hc_region_result){ 0 };
    LLVMContextSetDiagnosticHandler(p.context, hear, &p);
    bool fine = work(&p);
    if (p.builder)
        LLVMDisposeBuilder(p.builder);
    if (p.module)
        LLVMDisposeModule(p.module);
    LLVMContextDispose(p.context);
    for (size_t i = 0; i < result->entries; i++)
        free(p.entry[i].name);
    free(p.entry);
    for (size_t i = 0; i < p.calls; i++)
        free(p.call[i].name);
    free(p.call);
    free(p.stub);
    free(p.object);
    return fine;
}
