#include "native.h"

#include "frames.h"
#include "lower.h"
#include "module.h"

#include "llvm/llvm.h"
#include <stdlib.h>
#include <string.h>

struct work {
    const struct hc_native_request *request;
    struct hc_native_module in;
    struct hc_frames frames;
};

/* TARGET: NULL for the host's. */
static bool run_clang(struct work *w, const char *target, const char *const *options, const char *input,
                      const char *output)
{
    struct hc_argv command = { 0 };

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
    return hc_native_module_run(&w->in, &command, "clang-19 refuses the region");
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
    char *bitcode = hc_native_module_file(&w->in, "frames.bc"), *machine = hc_native_module_file(&w->in, "frames.mir"),
         *text = NULL;
    size_t size;

    hc_lower_name_locals(w->in.module);
    bool fine = bitcode && machine &&
                (!LLVMWriteBitcodeToFile(w->in.module, bitcode) ||
                 hc_native_module_fail(&w->in, "%s: cannot be written", bitcode)) &&
                run_clang(w, LLVMGetTarget(w->in.module), options, bitcode, machine) &&
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
    static const char *const debugged[] = { "-shared", "-fPIC", "-g", "-O0", "-w", "-Wl,-Bsymbolic", NULL };
    static const char *const fast[] = { "-shared", "-fPIC",          "-g", "-O2", "-Xclang", "-disable-llvm-passes",
                                        "-w",      "-Wl,-Bsymbolic", NULL };
    const char *const *options = w->request->debugged ? debugged : fast;
    char *source = hc_native_module_file(&w->in, "region.ll"), *object = hc_native_module_file(&w->in, "region.so");
    bool fine = source && object &&
                (hc_invocation_write(&w->in.session, source, lowered, strlen(lowered)) ||
                 hc_native_module_fail(&w->in, "%s", w->in.session.message)) &&
                run_clang(w, NULL, options, source, object);

    free(source);
    free(object);
    return fine;
}

static bool build(struct work *w)
{
    struct hc_native_module *in = &w->in;

    if (!hc_native_module_read(in, 2) || !find_frames(w))
        return false;
    struct hc_lower_request request = { in->module, &in->map,           &in->places,
                                        &w->frames, w->request->checks, !w->request->debugged };
    char why[400], *lowered = hc_lower(&request, why, sizeof why);
    bool fine = lowered ? write_object(w, lowered) : hc_native_module_fail(in, "%s", why);
    free(lowered);
    return fine;
}

bool hc_native_build(const struct hc_native_request *request, char *text, size_t size)
{
    struct work w = { .request = request,
                      .in = { .image = request->image, .directory = request->directory, .text = text, .size = size } };

    bool fine = hc_native_module_open(&w.in, request->commands) && build(&w);
    hc_native_module_close(&w.in, fine);
    hc_frames_free(&w.frames);
    return fine;
}
