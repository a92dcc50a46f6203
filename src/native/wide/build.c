#include "wide.h"

#include "instrument/command/share.h"
#include "native/module.h"

#include "llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

/* Where the program itself lies: not where microcontrollers have memory or registers. */
#define BASE "0xa8000000"

struct work {
    const struct hc_wide_request *request;
    struct hc_native_module in;
    struct hc_region_log log;
    char *bitcode, *object, *program, *script; /* files */
    char *symbols;                             /* "name=address", a line each */
};

/* ---- what is given ---- */

static bool read_module(struct work *w)
{
    struct hc_native_module *in = &w->in;

    if (!hc_native_module_read(in, 4))
        return false;
    if (!in->map.cache || in->map.cache > HC_REGION_CACHE_MAX || in->map.cache & (in->map.cache - 1))
        return hc_native_module_fail(in, "its symbol __hcr_cache is damaged; build it again");
    return true;
}

static bool read_log(struct work *w, size_t *boots)
{
    struct hc_log *log = NULL;
    struct hc_log_message message;
    char why[300] = "";

    if (hc_log_open_file(&log, w->request->log, &message)) {
        snprintf(w->in.text, w->in.size, "%s", message.text);
        return false;
    }
    bool fine = hc_region_log_read(&w->log, log, &w->in.map, w->request->boot, boots, why, sizeof why);
    hc_log_free(log);
    if (!fine)
        snprintf(w->in.text, w->in.size, "%s: %s", w->request->log, why);
    return fine;
}

/* ---- what is made ---- */

static bool name_files(struct work *w)
{
    bool checked = w->request->sanitize;

    w->bitcode = hc_native_module_file(&w->in, checked ? "checked.bc" : "region.bc");
    w->object = hc_native_module_file(&w->in, checked ? "checked.o" : "region.o");
    w->program = hc_native_module_file(&w->in, checked ? "checked" : "region");
    w->script = hc_native_module_file(&w->in, checked ? "checked.ld" : "region.ld");
    return (w->bitcode && w->object && w->program && w->script) || hc_native_module_fail(&w->in, "out of memory");
}

static bool lower(struct work *w)
{
    size_t size;
    FILE *symbols = open_memstream(&w->symbols, &size), *script = fopen(w->script, "we");
    char why[400];
    struct hc_wide_lowering l = { .module = w->in.module,
                                  .map = &w->in.map,
                                  .places = &w->in.places,
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
        return hc_native_module_fail(&w->in, "%s: cannot be written", w->script);
    if (!fine)
        return hc_native_module_fail(&w->in, "%s", why);
    return !LLVMWriteBitcodeToFile(w->in.module, w->bitcode) ||
           hc_native_module_fail(&w->in, "%s: cannot be written", w->bitcode);
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
    return hc_native_module_run(&w->in, &command, "LLVM refuses the region");
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
    static const char *const sources[] = { "native/wide/program/main.c", "native/finding.c",
                                           "replay/region/region_feed.c" };
    struct hc_argv command = { 0 };
    char *source = hc_share_find("src");

    if (!source)
        return hc_native_module_fail(
            &w->in, "the sources of native replay are not installed; set HINDCAST_SHARE to their directory");
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
    free(source);
    return hc_native_module_run(
        &w->in, &command, "the region's program cannot be linked; are gcc-multilib and libc6-dev-i386 installed?");
}

bool hc_wide_build(const struct hc_wide_request *request, size_t *boots, char *text, size_t size)
{
    struct work w = { .request = request,
                      .in = { .image = request->image, .directory = request->directory, .text = text, .size = size } };

    bool fine = hc_native_module_open(&w.in, request->commands) && read_module(&w) && read_log(&w, boots) &&
                name_files(&w) && lower(&w) && compile(&w) && link_program(&w);
    hc_native_module_close(&w.in, fine);
    free(w.log.code);
    free(w.bitcode);
    free(w.object);
    free(w.program);
    free(w.script);
    free(w.symbols);
    return fine;
}
