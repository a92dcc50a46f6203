#include "unit.h"

#include "access.h"
#include "checkpoints.h"
#include "emit.h"
#include "inlining.h"
#include "position.h"
#include "scan.h"
#include "stable.h"
#include "target/target.h"
#include "unit_state.h"
#include "updates.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char unit_name[] = "hindcast-unit.i"; /* exists only in memory */

/* ---- messages ---- */

static const char *copy_string(struct hc_unit *unit, CXString string)
{
    const char *text = clang_getCString(string);
    const char *copy = hc_arena_copy(unit->memory, text ? text : "", text ? strlen(text) : 0);
    clang_disposeString(string);
    return copy;
}

/* As the line markers have it. */
static const char *presumed(struct hc_unit *unit, CXSourceLocation location, unsigned *line, unsigned *column)
{
    CXString file;
    *line = *column = 0;
    clang_getPresumedLocation(location, &file, line, column);
    const char *name = copy_string(unit, file);
    return !*name || !strcmp(name, unit_name) ? unit->request->name : name;
}

static void add_error(struct hc_unit *unit, CXSourceLocation location, const char *text)
{
    struct hc_unit_result *result = unit->result;
    struct hc_unit_error error = { .text = text };
    error.file = presumed(unit, location, &error.line, &error.column);
    result->errors = hc_arena_more(unit->memory, result->errors, result->error_count, sizeof error);
    result->errors[result->error_count++] = error;
}

static const char *print(struct hc_unit *unit, const char *format, va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    return hc_arena_copy(unit->memory, text, strlen(text));
}

void hc_unit_refuse_at(struct hc_unit *unit, CXSourceLocation at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_error(unit, at, print(unit, format, arguments));
    va_end(arguments);
}

void hc_unit_refuse(struct hc_unit *unit, const struct hc_ast_node *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_error(unit, clang_getRangeStart(clang_getCursorExtent(at->cursor)), print(unit, format, arguments));
    va_end(arguments);
}

/* ---- listing ---- */

static const char *register_name(struct hc_unit *unit, const struct hc_decision *d)
{
    const struct hc_reg *reg = NULL;
    if (d->place.kind == HC_PLACE_UNKNOWN)
        return "*";
    reg = hc_regs_at(unit->request->registers, d->place.address);
    return reg ? hc_arena_copy(unit->memory, reg->name, strlen(reg->name))
               : hc_arena_print(unit->memory, "0x%04x", d->place.address);
}

static void add_descriptor(struct hc_unit *unit, unsigned label, uint16_t place, uint32_t mask)
{
    unit->descriptors = hc_arena_more(unit->memory, unit->descriptors, label, sizeof *unit->descriptors);
    unit->descriptors[label] =
        (struct hc_descriptor){ .descriptor = { place, (uint16_t)mask }, .site = unit->result->site_count };
}

static void add_descriptors(struct hc_unit *unit, const struct hc_decision *d)
{
    bool via = d->place.kind != HC_PLACE_REGISTER, word = d->place.size > 1, stable = d->variables[0];
    uint32_t address = via ? 0 : d->place.address;
    uint32_t mask = !via ? d->mask : d->place.size == 1 ? 0xff : 0xffff;
    enum hc_site_class class = d->class & 3; /* what has no class of its own is coded as a state */
    if (class == HC_SITE_TIMER && !word)
        class = HC_SITE_STATE; /* half of a counter is no clock */
    add_descriptor(unit, d->label, HC_SITE_PLACE(address, class, word, stable), mask);
    if (d->place.size > 2)
        add_descriptor(unit, d->label + 1, HC_SITE_PLACE(via ? 0 : address + 2, class, word, false),
                       via ? 0xffff : mask >> 16);
}

void hc_unit_list(struct hc_unit *unit, const struct hc_decision *d, const char *reason)
{
    struct hc_unit_result *result = unit->result;
    struct hc_unit_site site = { .register_name = register_name(unit, d),
                                 .address = d->place.kind == HC_PLACE_UNKNOWN ? 0 : d->place.address,
                                 .class = d->class,
                                 .width = d->place.size,
                                 .mask = d->mask,
                                 .reason = reason,
                                 .function = unit->function->name };
    CXSourceLocation at = clang_getRangeStart(clang_getCursorExtent(d->node->cursor));
    site.file = presumed(unit, at, &site.line, &site.column);
    if (!reason)
        add_descriptors(unit, d);
    result->sites = hc_arena_more(unit->memory, result->sites, result->site_count, sizeof site);
    result->sites[result->site_count++] = site;
}

void hc_unit_list_update(struct hc_unit *unit, const struct hc_ast_node *node, const char *what)
{
    struct hc_unit_result *result = unit->result;
    struct hc_unit_update update = { .what = what, .function = unit->function->name };
    unsigned column;
    update.file = presumed(unit, clang_getRangeStart(clang_getCursorExtent(node->cursor)), &update.line, &column);
    result->updates = hc_arena_more(unit->memory, result->updates, result->update_count, sizeof update);
    result->updates[result->update_count++] = update;
}

/* ---- pragmas ---- */

CXSourceLocation hc_unit_location(struct hc_unit *unit, uint32_t offset)
{
    return clang_getLocationForOffset(unit->clang, clang_getFile(unit->clang, unit_name), offset);
}

static bool is_word(const struct hc_unit *unit, uint32_t begin, uint32_t end, const char *word)
{
    return end - begin == strlen(word) && !memcmp(unit->text + begin, word, end - begin);
}

static void add_place(struct hc_unit *unit, uint32_t **places, size_t *count, uint32_t place)
{
    *places = hc_arena_more(unit->memory, *places, *count, sizeof **places);
    (*places)[(*count)++] = place;
}

static void add_pragma(struct hc_unit *unit, uint32_t begin, uint32_t end)
{
    uint32_t at = hc_scan_token(unit->text, end, begin); /* past "hindcast" */
    while (at < end && (unit->text[at] == ' ' || unit->text[at] == '\t'))
        at++;
    uint32_t stop = hc_scan_token(unit->text, end, at);
    uint32_t place = hc_scan_blank(unit->text, unit->size, end);
    if (is_word(unit, at, stop, "deterministic"))
        add_place(unit, &unit->pragmas, &unit->pragma_count, place);
    else if (is_word(unit, at, stop, "no_checkpoints"))
        add_place(unit, &unit->exempt, &unit->exempt_count, place);
    else if (is_word(unit, at, stop, "no_updates"))
        add_place(unit, &unit->quiet, &unit->quiet_count, place);
    else
        hc_unit_refuse_at(unit, hc_unit_location(unit, begin),
                          "unknown pragma: there are only \"hindcast deterministic\", \"hindcast no_updates\" and "
                          "\"hindcast no_checkpoints\"");
}

/* Lines "#pragma hindcast ..." are ours; the compiler does not get to see them. */
static void find_pragmas(struct hc_unit *unit)
{
    static const char pragma[] = "pragma", ours[] = "hindcast";
    for (uint32_t line = 0, end; line < unit->size; line = end + 1) {
        const char *newline = memchr(unit->text + line, '\n', unit->size - line);
        end = newline ? (uint32_t)(newline - unit->text) : (uint32_t)unit->size;
        uint32_t at = line + (uint32_t)strspn(unit->text + line, " \t");
        if (at >= end || unit->text[at] != '#')
            continue;
        at += 1 + (uint32_t)strspn(unit->text + at + 1, " \t");
        if (strncmp(unit->text + at, pragma, strlen(pragma)) != 0)
            continue;
        at += (uint32_t)strlen(pragma);
        at += (uint32_t)strspn(unit->text + at, " \t");
        if (strncmp(unit->text + at, ours, strlen(ours)) != 0)
            continue;
        add_pragma(unit, at, end);
        hc_edit_replace(&unit->edits, line, end, 0, "");
    }
}

bool hc_unit_annotated(const struct hc_unit *unit, const struct hc_ast_node *node)
{
    const struct hc_ast_function *f = unit->function;
    for (int i = 0; f && i < unit->request->deterministic_count; i++)
        if (!strcmp(unit->request->deterministic[i], f->name))
            return true;
    for (size_t i = 0; i < unit->pragma_count; i++) {
        if (f && unit->pragmas[i] >= f->header && unit->pragmas[i] < f->body->begin)
            return true;
        for (const struct hc_ast_node *n = node; n; n = n->parent)
            if (n->begin == unit->pragmas[i])
                return true;
    }
    return false;
}

bool hc_unit_exempt(const struct hc_unit *unit, const struct hc_ast_function *f)
{
    for (size_t i = 0; i < unit->quiet_count; i++)
        if (unit->quiet[i] >= f->header && unit->quiet[i] < f->body->begin)
            return true;
    return false;
}

/* ---- the whole ---- */

static bool parse(struct hc_unit *unit, CXIndex index)
{
    /* What other compilers let pass is none of our business. */
    static const char *const own[] = { "-x",
                                       "cpp-output",
                                       "-w",
                                       "-ferror-limit=20",
                                       "-fheinous-gnu-extensions",
                                       "-Wno-implicit-int",
                                       "-Wno-implicit-function-declaration",
                                       "-Wno-int-conversion",
                                       "-Wno-incompatible-pointer-types",
                                       "-Wno-incompatible-function-pointer-types",
                                       "-Wno-return-type" };
    const struct hc_unit_request *request = unit->request;
    const size_t own_count = sizeof own / sizeof own[0];
    const char **arguments =
        hc_arena_take(unit->memory, (own_count + (size_t)request->argument_count) * sizeof *arguments);
    int count = 0;
    for (int i = 0; i < request->argument_count; i++)
        arguments[count++] = request->arguments[i];
    for (size_t i = 0; i < own_count; i++)
        arguments[count++] = own[i];
    struct CXUnsavedFile file = { unit_name, unit->text, (unsigned long)unit->size };
    enum CXErrorCode code = clang_parseTranslationUnit2(index, unit_name, arguments, count, &file, 1,
                                                        CXTranslationUnit_KeepGoing, &unit->clang);
    if (code == CXError_Success && unit->clang)
        return true;
    struct hc_unit_error error = { .file = request->name,
                                   .text = "libclang cannot parse this text: check that it is C and that the options "
                                           "for the target are right" };
    unit->result->errors = hc_arena_more(unit->memory, NULL, 0, sizeof error);
    unit->result->errors[0] = error;
    unit->result->error_count = 1;
    return false;
}

/* GCC takes names of vectors, and numbers beyond clang's. That a function is a handler is seen by its text. */
static bool is_no_matter(const char *diagnostic)
{
    static const char interrupt[] = "'interrupt' attribute";
    return !strncmp(diagnostic, interrupt, sizeof interrupt - 1);
}

static void collect_diagnostics(struct hc_unit *unit)
{
    unsigned count = clang_getNumDiagnostics(unit->clang);
    for (unsigned i = 0; i < count; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->clang, i);
        if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
            const char *text = copy_string(unit, clang_getDiagnosticSpelling(diagnostic));
            if (!is_no_matter(text))
                hc_unit_refuse_at(unit, clang_getDiagnosticLocation(diagnostic),
                                  "libclang does not accept this, so it cannot be instrumented: %s; rewrite it, or "
                                  "compile this file without hindcast",
                                  text);
        }
        clang_disposeDiagnostic(diagnostic);
    }
}

static void instrument_functions(struct hc_unit *unit)
{
    hc_tree_build(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        unit->function = &unit->functions[i];
        if (!unit->function->reached)
            continue;
        unit->decisions = unit->last_decision = NULL;
        unit->decision_count = 0;
        if (!unit->request->positions_only) {
            hc_stable_decide(unit);
            hc_access_decide(unit);
        }
        if (unit->result->error_count == 0)
            hc_emit_decisions(unit);
    }
    if (!unit->request->positions_only)
        hc_updates_place(unit);
    hc_inlining_decide(unit);
    hc_position_prepare(unit);
    for (size_t i = 0; i < unit->function_count; i++) {
        unit->function = &unit->functions[i];
        if (unit->function->reached && !unit->function->is_variable)
            hc_position_emit(unit);
    }
}

static void produce(struct hc_unit *unit)
{
    struct hc_unit_result *result = unit->result;
    const char *map = unit->request->checkpoints ? "" : hc_emit_map(unit);
    result->text = hc_edit_apply(&unit->edits, unit->text, unit->size, map, &result->size);
    if (!result->text)
        longjmp(*unit->memory->exhausted, 1);
}

/* Checkpoints alone are put into any C, without a part. */
static const struct hc_target *target_of(const struct hc_unit_request *request)
{
    const struct hc_target *target = request->registers ? hc_target_of_cpu(request->registers->cpu) : NULL;
    return target ? target : &hc_target_msp430;
}

static int instrument(const struct hc_unit_request *request, struct hc_unit_result *result)
{
    *result = (struct hc_unit_result){ 0 };
    struct hc_arena *memory = calloc(1, sizeof *memory);
    if (!memory)
        return HC_UNIT_NO_MEMORY;
    jmp_buf exhausted;
    CXIndex index = clang_createIndex(0, 0);
    struct hc_unit *volatile made = NULL;
    result->memory = memory;
    memory->exhausted = &exhausted;
    int status = HC_UNIT_NO_MEMORY;
    if (!setjmp(exhausted)) {
        struct hc_unit *unit = hc_arena_take(memory, sizeof *unit);
        *unit = (struct hc_unit){
            .request = request, .target = target_of(request), .result = result, .memory = memory, .size = request->size
        };
        unit->text = hc_arena_copy(memory, request->text, request->size);
        unit->edits.memory = memory;
        made = unit;
        if (parse(unit, index)) {
            collect_diagnostics(unit);
            find_pragmas(unit);
            if (result->error_count == 0 && request->checkpoints)
                hc_checkpoints_place(unit);
            else if (result->error_count == 0)
                instrument_functions(unit);
            if (result->error_count == 0)
                produce(unit);
        }
        status = result->error_count ? HC_UNIT_ERRORS : HC_UNIT_OK;
    }
    if (made && made->clang)
        clang_disposeTranslationUnit(made->clang);
    clang_disposeIndex(index);
    memory->exhausted = NULL;
    return status;
}

/* ---- a stack that is large enough ---- */

struct task {
    const struct hc_unit_request *request;
    struct hc_unit_result *result;
    int status;
};

static void *run_task(void *argument)
{
    struct task *task = argument;
    task->status = instrument(task->request, task->result);
    return NULL;
}

/* libclang and the analyses go down a tree by calling themselves. Its depth is bounded (tree.c), and the stack, which
 * is address space only as long as nobody needs it, is enough for that. */
int hc_unit_instrument(const struct hc_unit_request *request, struct hc_unit_result *result)
{
    const size_t stack = (size_t)1 << 30;
    struct task task = { request, result, HC_UNIT_NO_MEMORY };
    pthread_attr_t attributes;
    pthread_t thread;

    *result = (struct hc_unit_result){ 0 };
    if (pthread_attr_init(&attributes))
        return HC_UNIT_NO_MEMORY;
    bool started =
        !pthread_attr_setstacksize(&attributes, stack) && !pthread_create(&thread, &attributes, run_task, &task);
    pthread_attr_destroy(&attributes);
    if (started)
        pthread_join(thread, NULL);
    return task.status;
}

void hc_unit_free(struct hc_unit_result *result)
{
    if (result->memory) {
        hc_arena_free(result->memory);
        free(result->memory);
    }
    free(result->text);
    *result = (struct hc_unit_result){ 0 };
}
