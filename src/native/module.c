#include "module.h"

#include "recorded/bitcode.h"

#include "llvm/llvm.h"
#include <stdarg.h>
#include <stdlib.h>

bool hc_native_module_fail(struct hc_native_module *m, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(m->text, m->size, "%s: ", hc_image_name(m->image));

    va_start(arguments, format);
    if (length >= 0 && (size_t)length < m->size)
        vsnprintf(m->text + length, m->size - (size_t)length, format, arguments);
    va_end(arguments);
    return false;
}

bool hc_native_module_open(struct hc_native_module *m, FILE *commands)
{
    m->session.commands = commands;
    snprintf(m->text, m->size, "out of memory");
    return hc_invocation_begin(&m->session) || hc_native_module_fail(m, "%s", m->session.message);
}

void hc_native_module_close(struct hc_native_module *m, bool fine)
{
    hc_invocation_end(&m->session, !fine);
    hc_region_map_free(&m->map);
    if (m->module)
        LLVMDisposeModule(m->module);
    if (m->context)
        LLVMContextDispose(m->context);
}

static bool parse(struct hc_native_module *m, const struct hc_bitcode_unit *unit)
{
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(unit->bytes, unit->size, "region");
    bool bad = LLVMParseBitcodeInContext2(m->context, buffer, &m->module);

    LLVMDisposeMemoryBuffer(buffer);
    if (bad)
        m->module = NULL;
    return !bad || hc_native_module_fail(m, "the bitcode of its region cannot be read; build it again with clang 19");
}

bool hc_native_module_read(struct hc_native_module *m, unsigned width)
{
    struct hc_image_section section;
    struct hc_bitcode_unit unit;
    size_t at = 0;

    if (!hc_region_map_read(&m->map, m->image, m->text, m->size))
        return false;
    if (m->map.unit != width)
        return hc_native_module_fail(m, "native replay of this kind is for CPUs with pointers of %u bits", 8 * width);
    if (!hc_image_section(m->image, HC_REGION_PLACES, &m->places) || !m->places.bytes)
        m->places.size = 0;
    if (!hc_image_section(m->image, HC_REGION_MODULE, &section) || !section.bytes)
        return hc_native_module_fail(m,
                                     "it holds no bitcode of its region, which native replay needs: it was stripped, "
                                     "or built by an older hindcast; take the ELF file as the linker wrote it");
    if (!hc_bitcode_next(section.bytes, section.size, &at, &unit) || !unit.size)
        return hc_native_module_fail(m, "the bitcode of its region is damaged; build it again");
    m->context = LLVMContextCreate();
    return parse(m, &unit);
}

char *hc_native_module_file(const struct hc_native_module *m, const char *name)
{
    char *path = NULL;

    return asprintf(&path, "%s/%s", m->directory, name) < 0 ? NULL : path;
}

bool hc_native_module_run(struct hc_native_module *m, struct hc_argv *command, const char *what)
{
    struct hc_process process = { .command = command, .takes_errors = true };
    bool started = hc_process_run(&m->session, &process), fine = started && !process.code;

    if (!started)
        hc_native_module_fail(m, "%s; native replay needs clang-19, lld-19 and llvm-19", m->session.message);
    else if (!fine)
        hc_native_module_fail(m, "%s: %.300s", what, process.errors ? process.errors : "");
    hc_process_free(&process);
    hc_argv_free(command);
    return fine;
}
