#include "native.h"

#include "frames.h"
#include "instrument/command/invocation.h"
#include "lower.h"
#include "recorded/bitcode.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct work {
    const struct hc_native_request *request;
    struct hc_invocation session;
    struct hc_region_map map;
    struct hc_image_section places;
    struct hc_frames frames;
    LLVMContextRef context;
    LLVMModuleRef module;
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

/* ---- the module in the ELF file ---- */

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
    if (w->map.unit != 2)
        return fail(w, "native replay of this kind is for CPUs with pointers of 16 bits");
    if (!hc_image_section(w->request->image, HC_REGION_PLACES, &w->places) || !w->places.bytes)
        w->places.size = 0; /* it refers to none */
    if (!hc_image_section(w->request->image, HC_REGION_MODULE, &section) || !section.bytes)
        return fail(w, "it holds no bitcode of its region, which native replay needs: it was stripped, or built by an "
                       "older hindcast; build it again, or replay without --native");
    if (!hc_bitcode_next(section.bytes, section.size, &at, &unit) || !unit.size)
        return fail(w, "the bitcode of its region is damaged; build it again");
    w->context = LLVMContextCreate();
    return parse(w, &unit);
}

/* ---- clang ---- */

static char *file_named(struct work *w, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", w->request->directory, name) < 0 ? NULL : path;
}

/* TARGET: NULL for the host's. */
static bool run_clang(struct work *w, const char *target, const char *const *options, const char *input,
                      const char *output)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command, .takes_errors = true };

    hc_argv_add(&command, "clang-19");
    if (target)
        hc_argv_addf(&command, "--target=%s", target);
    for (; *options; options++)
        hc_argv_add(&command, *options);
    hc_argv_add(&command, "-x");
    hc_argv_add(&command, "ir");
    hc_argv_add(&command, input);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, output);
    bool started = hc_process_run(&w->session, &process), fine = started && !process.code;
    if (!started)
        fail(w, "%s; native replay needs clang-19 on the PATH", w->session.message);
    else if (!fine)
        fail(w, "clang-19 refuses the region: %.200s", process.errors ? process.errors : "");
    hc_process_free(&process);
    hc_argv_free(&command);
    return fine;
}

/* The frames as the node has them: the options are those of the link step. */
static bool find_frames(struct work *w)
{
    static const char *const options[] = { "-S",
                                           "-w",
                                           "-Os",
                                           "-Xclang",
                                           "-disable-llvm-passes",
                                           "-fno-discard-value-names",
                                           "-ffunction-sections",
                                           "-fdata-sections",
                                           "-mllvm",
                                           "-no-stack-coloring",
                                           "-mllvm",
                                           "-stop-after=prologepilog",
                                           NULL };
    char *bitcode = file_named(w, "frames.bc"), *machine = file_named(w, "frames.mir"), *text = NULL;
    size_t size;

    hc_lower_name_locals(w->module);
    bool fine = bitcode && machine &&
                (!LLVMWriteBitcodeToFile(w->module, bitcode) || fail(w, "%s: cannot be written", bitcode)) &&
                run_clang(w, LLVMGetTarget(w->module), options, bitcode, machine) &&
                (text = hc_argv_file(machine, &size));
    fine = fine && hc_frames_read(&w->frames, text);
    if (bitcode)
        remove(bitcode);
    if (machine)
        remove(machine);
    free(bitcode);
    free(machine);
    free(text);
    return fine;
}

static bool write_object(struct work *w, const char *lowered)
{
    /* With checks: every variable stays where a debugger finds it. Without: as fast as it can be. */
    static const char *const checked[] = { "-shared", "-fPIC", "-g", "-O0", "-w", "-Wl,-Bsymbolic", NULL };
    static const char *const fast[] = { "-shared", "-fPIC", "-g", "-O2", "-w", "-Wl,-Bsymbolic", NULL };
    const char *const *options = w->request->checks ? checked : fast;
    char *source = file_named(w, "region.ll"), *object = file_named(w, "region.so");
    bool fine =
        source && object &&
        (hc_invocation_write(&w->session, source, lowered, strlen(lowered)) || fail(w, "%s", w->session.message)) &&
        run_clang(w, NULL, options, source, object);

    free(source);
    free(object);
    return fine;
}

static bool build(struct work *w)
{
    if (!read_module(w) || !find_frames(w))
        return false;
    struct hc_lower_request request = { w->module, &w->map, &w->places, &w->frames, w->request->checks };
    char why[400], *lowered = hc_lower(&request, why, sizeof why);
    bool fine = lowered ? write_object(w, lowered) : fail(w, "%s", why);
    free(lowered);
    return fine;
}

bool hc_native_build(const struct hc_native_request *request, char *text, size_t size)
{
    struct work w = { .request = request, .text = text, .size = size };

    w.session.commands = request->commands;
    snprintf(text, size, "out of memory");
    bool fine = hc_invocation_begin(&w.session) ? build(&w) : fail(&w, "%s", w.session.message);
    hc_invocation_end(&w.session, !fine);
    hc_frames_free(&w.frames);
    hc_region_map_free(&w.map);
    if (w.module)
        LLVMDisposeModule(w.module);
    if (w.context)
        LLVMContextDispose(w.context);
    return fine;
}
