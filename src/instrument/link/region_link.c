#include "region_link.h"

#include "instrument/command/region_compiler.h"
#include "instrument/region/region.h"
#include "map_records.h"
#include "variable_sizes.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
    struct hc_region_link *r;
    char *trace;            /* the linker's list of files */
    char *program;          /* what that link made */
    struct hc_argv chosen;  /* functions of a slice */
    struct hc_argv objects; /* with bitcode, as the command names them */
    struct hc_argv bitcode; /* theirs, in files of their own */
    struct hc_argv *needs;  /* by object: symbols that it refers to */
    struct hc_argv others;  /* symbols that objects without bitcode refer to */
    struct hc_region_result result;
};

/* ---- which units ---- */

/* Links into a file that nobody keeps; what is not there yet does not matter. */
static bool trace_link(struct work *w, const struct hc_argv *command, bool through_compiler, int *code)
{
    struct hc_argv words = { 0 };
    struct hc_process process = { .command = &words, .takes_output = true };
    char *output = hc_invocation_file(w->r->session, w->r->output, "hindcast-trace.elf");

    for (size_t i = 0; i < command->count; i++) {
        bool names = i && (!strcmp(command->word[i - 1], "-o") || !strcmp(command->word[i - 1], "--output"));
        hc_argv_add(&words, names ? output : command->word[i]);
    }
    hc_argv_add(&words, through_compiler ? "-Wl,--trace,--unresolved-symbols=ignore-all" : "--trace");
    if (!through_compiler)
        hc_argv_add(&words, "--unresolved-symbols=ignore-all");
    bool fine = output && hc_process_run(w->r->session, &process);
    *code = fine ? process.code : 0;
    w->trace = process.output;
    process.output = NULL;
    hc_process_free(&process);
    hc_argv_free(&words);
    w->program = output;
    return fine && !*code;
}

/* FILE is a line of the list. */
static bool is_linked(const struct work *w, const char *file)
{
    size_t length = strlen(file);

    for (const char *line = w->trace; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, file, length) && (line[length] == '\n' || line[length] == '\0'))
            return true;
    return false;
}

static bool write_section(struct work *w, Elf_Data *data, const char *object)
{
    char name[40];

    snprintf(name, sizeof name, "hindcast-unit-%zu.ll", w->bitcode.count);
    char *path = hc_invocation_file(w->r->session, w->r->output, name);
    bool fine = path && hc_invocation_write(w->r->session, path, data->d_buf, data->d_size);
    if (fine) {
        hc_argv_add(&w->bitcode, path);
        hc_argv_add(&w->objects, object);
    }
    free(path);
    return fine;
}

static Elf_Data *find_bitcode(Elf *elf)
{
    size_t names;
    GElf_Shdr header;

    if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && !strcmp(name, HC_REGION_BITCODE))
            return elf_getdata(section, NULL);
    }
    return NULL;
}

/* Units in archives cannot be replaced: the user is told. */
static bool check_archive(struct work *w, Elf *elf, int descriptor, const char *path)
{
    Elf_Cmd command = ELF_C_READ_MMAP;
    bool fine = true;

    for (Elf *member; fine && (member = elf_begin(descriptor, command, elf)); elf_end(member)) {
        Elf_Arhdr *header = elf_getarhdr(member);
        char *name = NULL;
        if (header && asprintf(&name, "%s(%s)", path, header->ar_name) >= 0 && find_bitcode(member) &&
            is_linked(w, name))
            fine = hc_invocation_fail(
                w->r->session, "%s: units of a region cannot be linked from an archive; name their objects", name);
        free(name);
        command = elf_next(member);
    }
    return fine;
}

static bool add_input(struct work *w, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = descriptor < 0 ? NULL : elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    bool fine = true;

    if (elf && elf_kind(elf) == ELF_K_AR) {
        fine = check_archive(w, elf, descriptor, path);
    } else if (elf && is_linked(w, path)) {
        Elf_Data *data = find_bitcode(elf);
        if (data)
            fine = write_section(w, data, path);
        else
            hc_object_needs(path, &w->others);
    }
    if (elf)
        elf_end(elf);
    if (descriptor >= 0)
        close(descriptor);
    return fine;
}

static bool add_inputs(struct work *w, const struct hc_argv *command)
{
    elf_version(EV_CURRENT);
    for (size_t i = 1; i < command->count; i++)
        if (command->word[i][0] != '-' && strcmp(command->word[i - 1], "-o") != 0 && !add_input(w, command->word[i]))
            return false;
    w->needs = calloc(w->objects.count + 1, sizeof *w->needs);
    for (size_t i = 0; w->needs && i < w->objects.count; i++)
        hc_object_needs(w->objects.word[i], &w->needs[i]);
    return w->needs || hc_invocation_fail(w->r->session, "out of memory");
}

/* ---- the region ---- */

/* The patterns: the user's, or the functions of the slice. */
static bool choose(struct work *w, const struct hc_argv **patterns, bool *interrupts)
{
    const struct hc_settings *settings = w->r->settings;
    char text[512] = "slices cannot be chosen here";

    *patterns = &settings->patterns;
    *interrupts = settings->region_interrupts;
    if (!hc_settings_slice(settings))
        return true;
    *patterns = &w->chosen;
    return (settings->choose && settings->choose(settings, w->program, &w->chosen, interrupts, text, sizeof text)) ||
           hc_invocation_fail(w->r->session, "--record=slice: %s", text);
}

static bool build(struct work *w, const char *output)
{
    const struct hc_argv *patterns;
    bool interrupts;

    if (!choose(w, &patterns, &interrupts))
        return false;
    struct hc_region_request request = {
        .units = w->bitcode.word,
        .unit_count = w->bitcode.count,
        .unit_needs = w->needs,
        .patterns = patterns->word,
        .pattern_count = patterns->count,
        .needed = w->others.word,
        .needed_count = w->others.count,
        .output = output,
        .interrupts = interrupts,
        .frames = !w->r->target->cpu, /* no machine runs it, with a stack of its own */
        .errors = w->r->session->errors,
    };

    return hc_region_build(&request, &w->result) || hc_invocation_fail(w->r->session, "%s", w->result.message);
}

static bool compile(struct work *w, const char *bitcode, const char *object, int *code)
{
    /* Locals that share a place would have none that native replay finds. */
    static const char *const ours[] = { "-c",
                                        "-w",
                                        "-Os",
                                        "-Xclang",
                                        "-disable-llvm-passes",
                                        "-mllvm",
                                        "-no-stack-coloring",
                                        "-ffunction-sections",
                                        "-fdata-sections",
                                        "-x",
                                        "ir" };
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command };

    if (!hc_region_compiler(w->r->compiler, w->r->target->triple, w->r->target->gcc_meaning, &command))
        return hc_invocation_fail(w->r->session, "--record=region: its units must be compiled by clang 19");
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        hc_argv_add(&command, ours[i]);
    hc_argv_add(&command, bitcode);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, object);
    bool fine = hc_process_run(w->r->session, &process);
    *code = fine ? process.code : 0;
    hc_process_free(&process);
    hc_argv_free(&command);
    return fine && !*code;
}

/* Units that another compiler compiled, too: what both call a variable must be of one size, or they disagree about C.
 */
static bool check_sizes(struct work *w, const char *object)
{
    struct hc_variable_sizes units = { 0 }, region = { 0 };
    const struct hc_variable_size *one, *other;

    for (size_t i = 0; i < w->objects.count && !hc_compiler_is_clang(w->r->compiler); i++)
        if (w->result.used[i])
            hc_variable_sizes_read(&units, w->objects.word[i]);
    hc_variable_sizes_read(&region, object);
    one = hc_variable_sizes_differ(&units, &region, &other);
    bool fine =
        !one || hc_invocation_fail(w->r->session,
                                   "--record=region: variable %s has %llu bytes as your compiler sees it, and %llu for "
                                   "clang 19, which compiles the region; give both the same options (-fshort-enums?)",
                                   one->name, (unsigned long long)one->size, (unsigned long long)other->size);
    hc_variable_sizes_free(&units);
    hc_variable_sizes_free(&region);
    return fine;
}

/* The user's words, with the region's object in place of the first of its units', and without the others. */
static void replace(struct work *w, const struct hc_argv *words, const char *object)
{
    bool placed = false;

    for (size_t i = 0; i < words->count; i++) {
        size_t unit = 0;
        while (unit < w->objects.count && strcmp(w->objects.word[unit], words->word[i]) != 0)
            unit++;
        if (unit == w->objects.count || !w->result.used[unit]) {
            hc_argv_add(&w->r->words, words->word[i]);
        } else if (!placed) {
            hc_argv_add(&w->r->words, object);
            placed = true;
        }
    }
}

static void say(const struct work *w)
{
    const struct hc_region_result *r = &w->result;

    if (w->r->session->errors)
        fprintf(w->r->session->errors,
                "hindcast: note: %s: region of %zu functions, %zu of them called from outside; hooks: %zu calls to the "
                "outside, %zu "
                "loads, %zu stores, %zu registers; %zu objects are its own\n",
                w->r->output, r->functions, r->reached, r->calls_out, r->loads, r->stores, r->reads, r->own);
}

bool hc_region_link(struct hc_region_link *r, const struct hc_argv *command, const struct hc_argv *words,
                    bool through_compiler, int *code)
{
    struct work w = { .r = r };
    char *bitcode = hc_invocation_file(r->session, r->output, "hindcast-region.bc");
    char *object = hc_invocation_file(r->session, r->output, "hindcast-region.o");

    bool fine = bitcode && object && trace_link(&w, command, through_compiler, code) && add_inputs(&w, command) &&
                build(&w, bitcode) && compile(&w, bitcode, object, code) && check_sizes(&w, object);
    if (fine) {
        say(&w);
        replace(&w, words, object);
    }
    for (size_t i = 0; w.needs && i < w.objects.count; i++)
        hc_argv_free(&w.needs[i]);
    free(w.needs);
    free(w.result.used);
    hc_argv_free(&w.objects);
    hc_argv_free(&w.bitcode);
    hc_argv_free(&w.others);
    hc_argv_free(&w.chosen);
    free(w.trace);
    free(w.program);
    free(bitcode);
    free(object);
    return fine;
}

void hc_region_link_free(struct hc_region_link *r)
{
    hc_argv_free(&r->words);
}
