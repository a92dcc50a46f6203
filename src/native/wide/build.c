#include "wide.h"

#include "instrument/command/invocation.h"
#include "instrument/command/share.h"
#include "recorded/bitcode.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Where the program itself lies: not where microcontrollers have memory or registers. */
#define BASE "0xa8000000"

struct work {
    const struct hc_wide_request *request;
    struct hc_invocation session;
    struct hc_region_map map;
    struct hc_image_section places;
    struct hc_region_log log;
    LLVMContextRef context;
    LLVMModuleRef module;
    char *bitcode, *object, *program, *script; /* files */
    char *symbols;                             /* "name=address", a line each */
    char *text;
    size_t size;
};

static bool fail(struct work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct work *w, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(w->text, w->size, "%s: ", hc_image_name(w->request->image));

    va_start(arguments, format);
    if (length >= 0 && (size_t)length < w->size)
        vsnprintf(w->text + length, w->size - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- what is given ---- */

static bool parse(struct work *w, const struct hc_bitcode_unit *unit)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(unit->bytes, unit->size, "region");
    bool bad = LLVMParseBitcodeInContext2(w->context, buffer, &w->module);

    LLVMDisposeMemoryBuffer(buffer);
    if (bad)
        w->module = NULL;
    return !bad || fail(w, "the bitcode of its region cannot be read; build it again with clang 19");
}

static bool read_module(struct work *w)
{
    struct hc_image_section section;
    struct hc_bitcode_unit unit;
    size_t at = 0;

    if (!hc_region_map_read(&w->map, w->request->image, w->text, w->size))
        return false;
    if (w->map.unit != 4)
        return fail(w, "native replay of this kind is for CPUs with pointers of 32 bits");
    if (!w->map.cache || w->map.cache > HC_REGION_CACHE_MAX || w->map.cache & (w->map.cache - 1))
        return fail(w, "its symbol __hcr_cache is damaged; build it again");
    if (!hc_image_section(w->request->image, HC_REGION_MODULE, &section) || !section.bytes ||
        !hc_image_section(w->request->image, HC_REGION_PLACES, &w->places) || !w->places.bytes)
        return fail(w, "it holds no bitcode of its region, which native replay needs: it was stripped; take the ELF "
                       "file as the linker wrote it");
    if (!hc_bitcode_next(section.bytes, section.size, &at, &unit) || !unit.size)
        return fail(w, "the bitcode of its region is damaged; build it again");
    w->context = LLVMContextCreate();
    return parse(w, &unit);
}

static bool read_log(struct work *w, size_t *boots)
{
    struct hc_log *log = NULL;
    struct hc_log_message message;
    char why[300] = "";

    if (hc_log_open_file(&log, w->request->log, &message)) {
        snprintf(w->text, w->size, "%s", message.text);
        return false;
    }
    bool fine = hc_region_log_read(&w->log, log, &w->map, w->request->boot, boots, why, sizeof why);
    hc_log_free(log);
    if (!fine)
        snprintf(w->text, w->size, "%s: %s", w->request->log, why);
    return fine;
}

/* ---- what is made ---- */

static char *file_named(struct work *w, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", w->request->directory, name) < 0 ? NULL : path;
}

static bool name_files(struct work *w)
{
    bool checked = w->request->sanitize;

    w->bitcode = file_named(w, checked ? "checked.bc" : "region.bc");
    w->object = file_named(w, checked ? "checked.o" : "region.o");
    w->program = file_named(w, checked ? "checked" : "region");
    w->script = file_named(w, checked ? "checked.ld" : "region.ld");
    return (w->bitcode && w->object && w->program && w->script) || fail(w, "out of memory");
}

static bool lower(struct work *w)
{
    size_t size;
    FILE *symbols = open_memstream(&w->symbols, &size), *script = fopen(w->script, "we");
    char why[400];
    struct hc_wide_lowering l = { .module = w->module,
                                  .map = &w->map,
                                  .places = &w->places,
                                  .log = &w->log,
                                  .sanitize = w->request->sanitize,
                                  .script = script,
                                  .symbols = symbols,
                                  .text = why,
                                  .size = sizeof why };
    bool open = symbols && script, fine = open && hc_wide_lower(&l);

    if (symbols)
        fclose(symbols);
    if (script && fclose(script))
        open = fine = false;
    if (!open)
        return fail(w, "%s: cannot be written", w->script);
    if (!fine)
        return fail(w, "%s", why);
    return !LLVMWriteBitcodeToFile(w->module, w->bitcode) || fail(w, "%s: cannot be written", w->bitcode);
}

static bool run(struct work *w, struct hc_argv *command, const char *what)
{
    struct hc_process process = { .command = command, .takes_errors = true };
    bool started = hc_process_run(&w->session, &process), fine = started && !process.code;

    if (!started)
        fail(w, "%s; native replay needs clang-19, lld-19 and llvm-19", w->session.message);
    else if (!fine)
        fail(w, "%s: %.300s", what, process.errors ? process.errors : "");
    hc_process_free(&process);
    return fine;
}

/* clang itself would give the module the host's own alignment of 64-bit numbers. */
static bool compile(struct work *w)
{
    struct hc_argv command = { 0 };
    static const char *const words[] = { "llc-19", "-O1", "-mattr=+sse2", "-filetype=obj", "-frame-pointer=all" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hc_argv_add(&command, words[i]);
    hc_argv_add(&command, w->bitcode);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, w->object);
    bool fine = run(w, &command, "LLVM refuses the region");
    hc_argv_free(&command);
    return fine;
}

static void add_symbols(struct work *w, struct hc_argv *command)
{
    for (char *line = w->symbols, *end; line && (end = strchr(line, '\n')); line = end + 1)
        hc_argv_addf(command, "-Wl,--defsym=%.*s", (int)(end - line), line);
}

static bool link_program(struct work *w)
{
    static const char *const words[] = { "clang-19",
                                         "-m32",
                                         "-std=gnu11",
                                         "-g",
                                         "-O1",
                                         "-w",
                                         "-no-pie",
                                         "-msse2",
                                         "-fno-omit-frame-pointer",
                                         "-ffunction-sections",
                                         "-fvisibility=hidden",
                                         "-fuse-ld=lld-19",
                                         "-Wl,--gc-sections",
                                         ("-Wl,--image-base=" BASE) };
    static const char *const sources[] = { "native/wide/program/main.c", "replay/region/region_feed.c" };
    struct hc_argv command = { 0 };
    char *source = hc_share_find("src");

    if (!source)
        return fail(w, "the sources of native replay are not installed; set HINDCAST_SHARE to their directory");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hc_argv_add(&command, words[i]);
    hc_argv_addf(&command, "-I%s", source);
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        hc_argv_addf(&command, "%s/%s", source, sources[i]);
    hc_argv_add(&command, w->object);
    if (w->request->sanitize)
        hc_argv_add(&command, "-fsanitize=address");
    else
        hc_argv_addf(&command, "-Wl,-T,%s", w->script);
    add_symbols(w, &command);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, w->program);
    bool fine =
        run(w, &command, "the region's program cannot be linked; are gcc-multilib and libc6-dev-i386 installed?");
    hc_argv_free(&command);
    free(source);
    return fine;
}

bool hc_wide_build(const struct hc_wide_request *request, size_t *boots, char *text, size_t size)
{
    struct work w = { .request = request, .text = text, .size = size };

    w.session.commands = request->commands;
    snprintf(text, size, "out of memory");
    bool fine = hc_invocation_begin(&w.session) || fail(&w, "%s", w.session.message);
    fine = fine && read_module(&w) && read_log(&w, boots) && name_files(&w) && lower(&w) && compile(&w) &&
           link_program(&w);
    hc_invocation_end(&w.session, !fine);
    hc_region_map_free(&w.map);
    if (w.module)
        LLVMDisposeModule(w.module);
    if (w.context)
        LLVMContextDispose(w.context);
    free(w.log.code);
    free(w.bitcode);
    free(w.object);
    free(w.program);
    free(w.script);
    free(w.symbols);
    return fine;
}
