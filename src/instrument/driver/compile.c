#include "compile.h"

#include "bitcode.h"
#include "instrument/command/region_compiler.h"
#include "instrument/link/map_records.h"
#include "instrument/link/region_link.h"
#include "instrument/paths/paths.h"
#include "instrument/unit/unit.h"
#include "target/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND(name) (1u << HC_ARGUMENT_##name)

/* ---- the compiler ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t hc_compiler_read(struct hc_compiler *compiler, char *const *argument, size_t count)
{
    static const char *const launchers[] = { "ccache", "sccache", "distcc", "icecc", "env" };
    size_t words = 1;

    *compiler = (struct hc_compiler){ 0 };
    if (!count)
        return 0;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (!strcmp(base_name(argument[0]), launchers[i]) && count > 1)
            words = 2;
    hc_argv_add_all(&compiler->command, argument, words);
    /* Debian's clang is "clang-19", TI's GCC "msp430-elf-gcc". */
    compiler->gcc = strstr(base_name(argument[words - 1]), "clang") == NULL;
    return words;
}

void hc_compiler_free(struct hc_compiler *compiler)
{
    hc_argv_free(&compiler->command);
}

static void begin(const struct hc_compilation *c, struct hc_argv *command)
{
    hc_argv_add_all(command, c->compiler->command.word, c->compiler->command.count);
}

static void add_input(struct hc_argv *command, const struct hc_argument *input)
{
    if (input->x) {
        hc_argv_add(command, "-x");
        hc_argv_add(command, input->x);
    }
    hc_argv_add(command, input->value);
}

/* Objects for link-time optimisation hold no code and no map yet, and the labels of several units would meet in one
 * assembly: what is instrumented becomes an object as others are. */
static void leave_link_time_optimisation(const struct hc_compilation *c, struct hc_argv *command)
{
    for (size_t i = 0; i < c->arguments->words.count; i++)
        if (!strncmp(c->arguments->words.word[i], "-flto", 5)) {
            hc_argv_add(command, "-fno-lto");
            return;
        }
}

/* What comes by standard input is read once and given to each run. */
struct source {
    char *text; /* NULL: a file */
    size_t size;
};

static bool run(const struct hc_compilation *c, struct hc_process *process, const struct source *source, int *code)
{
    process->input = source ? source->text : NULL;
    process->input_size = source ? source->size : 0;
    if (!hc_process_run(c->session, process))
        return false;
    *code = process->code;
    return process->code == 0;
}

static void add_recorder_headers(const struct hc_compilation *c, struct hc_argv *command)
{
    hc_argv_add(command, "-isystem");
    hc_argv_add(command, c->runtime);
}

/* ---- as the user asked ---- */

/* Libraries in a command that does not link: the compiler may have something to say about them. */
static void add_linker_inputs(const struct hc_compilation *c, struct hc_argv *command)
{
    for (size_t i = 0; i < c->arguments->count; i++) {
        const struct hc_argument *a = &c->arguments->argument[i];
        if (a->kind == HC_ARGUMENT_INPUT && a->language == HC_LANGUAGE_NONE)
            hc_argv_add_all(command, c->arguments->words.word + a->first, a->count);
    }
}

static bool compile_plain(const struct hc_compilation *c, const struct hc_argument *input, const struct source *source,
                          const char *output, int *code)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command };
    bool linking = c->arguments->mode == HC_MODE_LINK;
    unsigned kinds = KIND(CODE) | KIND(TARGET) | KIND(PREPROCESSOR) | KIND(STRICT) | KIND(ONCE);

    begin(c, &command);
    hc_arguments_select(c->arguments, linking ? kinds : kinds | KIND(LINK), &command);
    hc_argv_add(&command, c->arguments->mode == HC_MODE_ASSEMBLY ? "-S" : "-c");
    leave_link_time_optimisation(c, &command);
    if (!c->sizes)
        hc_argv_add(&command, "-fsyntax-only");
    if (!c->settings->checkpoints)
        add_recorder_headers(c, &command);
    if (!linking)
        add_linker_inputs(c, &command);
    add_input(&command, input);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, output);
    bool fine = run(c, &process, source, code);
    hc_argv_free(&command);
    return fine;
}

/* ---- preprocessing ---- */

static bool given(const struct hc_arguments *arguments, const char *option)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct hc_argument *a = &arguments->argument[i];
        const char *word = arguments->words.word[a->first];
        if (a->kind == HC_ARGUMENT_DEPENDENCIES && !strncmp(word, option, strlen(option)))
            return true;
    }
    return false;
}

/* Named as if the compiler had chosen the names while it made the output. */
static void add_dependencies(const struct hc_compilation *c, const struct hc_argument *input, const char *output,
                             bool linked, struct hc_argv *command)
{
    if (!given(c->arguments, "-MD") && !given(c->arguments, "-MMD"))
        return;
    char *object = linked ? hc_output_name(input->value, "o") : strdup(output);
    size_t directory = linked ? 0 : (size_t)(base_name(output) - output);
    char *name = hc_output_name(object ? object : output, "d");

    hc_arguments_select(c->arguments, KIND(DEPENDENCIES), command);
    if (!given(c->arguments, "-MF")) {
        hc_argv_add(command, "-MF");
        hc_argv_addf(command, "%.*s%s", (int)directory, output, name ? name : "");
    }
    if (!given(c->arguments, "-MT") && !given(c->arguments, "-MQ")) {
        hc_argv_add(command, "-MQ");
        hc_argv_add(command, object ? object : "");
    }
    command->failed |= !object || !name;
    free(object);
    free(name);
}

static void add_preprocessing(const struct hc_compilation *c, const struct hc_argument *input, const char *output,
                              bool linked, struct hc_argv *command)
{
    begin(c, command);
    hc_arguments_select(c->arguments, KIND(CODE) | KIND(TARGET) | KIND(PREPROCESSOR), command);
    add_dependencies(c, input, output, linked, command);
    /* -g3 would put definitions of macros into the text. */
    static const char *const ours[] = { "-E", "-w", "-g0" };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        hc_argv_add(command, ours[i]);
    if (!c->settings->checkpoints) {
        hc_argv_add(command, "-D__HINDCAST__=1");
        if (hc_settings_only_messages(c->settings))
            hc_argv_add(command, "-D__HINDCAST_MESSAGES__=1");
        add_recorder_headers(c, command);
    }
    add_input(command, input);
}

/* The text is in process->output. */
static bool preprocess(const struct hc_compilation *c, const struct hc_argument *input, const struct source *source,
                       const char *output, bool linked, struct hc_process *process, int *code)
{
    struct hc_argv command = { 0 };

    *process = (struct hc_process){ .command = &command, .takes_output = true };
    if (input->language == HC_LANGUAGE_PREPROCESSED_C) {
        process->output =
            source->text ? strndup(source->text, source->size) : hc_argv_file(input->value, &process->output_size);
        if (source->text)
            process->output_size = source->size;
        return process->output || hc_invocation_fail(c->session, "%s: cannot be read", input->value);
    }
    add_preprocessing(c, input, output, linked, &command);
    bool fine = run(c, process, source, code);
    hc_argv_free(&command);
    process->command = NULL;
    if (fine && !process->output)
        process->output = calloc(1, 1);
    return fine;
}

/* ---- instrumenting ---- */

/* Of the user's options those that change what C means; how to generate code is of no interest to a reader. */
static bool changes_meaning(const char *option)
{
    static const char *const prefixes[] = {
        "--target=",      "-std=",          "-ansi",           "-funsigned-",        "-fsigned-",
        "-fno-signed-",   "-fno-unsigned-", "-fshort-enums",   "-fno-short-enums",   "-fpack-struct",
        "-fshort-wchar",  "-fgnu89-inline", "-fms-extensions", "-fplan9-extensions", "-fno-builtin",
        "-ffreestanding", "-fno-asm",       "-fcommon",        "-fno-common",        "-fgnu-keywords",
    };

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(option, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

static void add_reader_arguments(const struct hc_compilation *c, struct hc_argv *out)
{
    const struct hc_target *target = c->registers ? hc_target_of_cpu(c->registers->cpu) : NULL;

    hc_argv_addf(out, "--target=%s", (target ? target : &hc_target_msp430)->triple);
    for (size_t i = 0; i < c->arguments->words.count; i++)
        if (changes_meaning(c->arguments->words.word[i]))
            hc_argv_add(out, c->arguments->words.word[i]);
}

static void report_errors(const struct hc_compilation *c, const struct hc_unit_result *result)
{
    const struct hc_unit_error *e = result->errors;

    for (size_t i = 0; c->session->errors && i < result->error_count; i++, e++)
        fprintf(c->session->errors, "%s:%u:%u: error: %s\n", e->file, e->line, e->column, e->text);
}

static enum hc_unit_checkpoints places_of(const struct hc_settings *settings)
{
    if (!settings->checkpoints)
        return HC_CHECKPOINTS_NONE;
    return strcmp(settings->checkpoints, "loop-latch") ? HC_CHECKPOINTS_FUNCTION_RETURN : HC_CHECKPOINTS_LOOP_LATCH;
}

static enum hc_unit_updates updates_of(const struct hc_settings *settings)
{
    static const char *const names[] = { "manual", "sleep", "auto", "wake" }; /* in the order of the enumeration */
    int i = HC_UPDATES_WAKE;

    while (i && strcmp(names[i], settings->update) != 0)
        i--;
    return (enum hc_unit_updates)i;
}

/* At depths that record no registers the text stays as it is. */
static bool keep_text(const struct hc_compilation *c, const struct hc_process *preprocessed,
                      struct hc_unit_result *result)
{
    *result =
        (struct hc_unit_result){ .text = calloc(1, preprocessed->output_size + 1), .size = preprocessed->output_size };
    if (!result->text)
        return hc_invocation_fail(c->session, "out of memory");
    memcpy(result->text, preprocessed->output, result->size);
    return true;
}

static bool instrument(const struct hc_compilation *c, const struct hc_argument *input,
                       const struct hc_process *preprocessed, struct hc_unit_result *result)
{
    struct hc_argv arguments = { 0 };

    if (hc_settings_only_messages(c->settings) || hc_settings_region(c->settings))
        return keep_text(c, preprocessed, result);
    add_reader_arguments(c, &arguments);
    struct hc_unit_request request = {
        .text = preprocessed->output,
        .size = preprocessed->output_size,
        .name = input->value,
        .arguments = (const char *const *)arguments.word,
        .argument_count = (int)arguments.count,
        .registers = c->registers,
        .gcc = c->compiler->gcc,
        .inline_ticks = !c->settings->call_ticks,
        .updates = updates_of(c->settings),
        .deterministic = (const char *const *)c->settings->deterministic.word,
        .deterministic_count = (int)c->settings->deterministic.count,
        .checkpoints = places_of(c->settings),
        .checkpoint_function = c->settings->checkpoint_function,
        .without_checkpoints = (const char *const *)c->settings->no_checkpoints.word,
        .without_checkpoints_count = (int)c->settings->no_checkpoints.count,
    };
    int status = arguments.failed ? HC_UNIT_NO_MEMORY : hc_unit_instrument(&request, result);
    hc_argv_free(&arguments);
    if (status == HC_UNIT_OK)
        return true;
    if (status == HC_UNIT_NO_MEMORY)
        return hc_invocation_fail(c->session, "%s: out of memory", input->value);
    report_errors(c, result);
    return hc_invocation_fail(c->session, "%s: not instrumented: %zu error%s", input->value, result->error_count,
                              result->error_count == 1 ? "" : "s");
}

/* What the recorder's own sources need to be compiled for the same CPU. */
static void add_compiler_record(const struct hc_compilation *c, FILE *to)
{
    struct hc_argv fields = { 0 };

    hc_argv_add(&fields, "compiler");
    hc_argv_add_all(&fields, c->compiler->command.word, c->compiler->command.count);
    hc_arguments_select(c->arguments, KIND(TARGET), &fields);
    hc_record_write(to, &fields);
    hc_argv_free(&fields);
}

static void add_unit_record(const struct hc_compilation *c, const char *name, FILE *to)
{
    struct hc_argv fields = { 0 };

    hc_argv_add(&fields, "unit");
    hc_argv_add(&fields, name);
    hc_argv_add(&fields, c->registers->part);
    hc_record_write(to, &fields);
    hc_argv_free(&fields);
}

static void add_bitcode(const struct hc_compilation *c, const struct hc_argument *input,
                        const struct hc_process *preprocessed, FILE *to)
{
    struct hc_argv arguments = { 0 };

    add_reader_arguments(c, &arguments);
    hc_bitcode_add(c, input->value, preprocessed->output, preprocessed->output_size, &arguments, to);
    hc_argv_free(&arguments);
}

static void add_records(const struct hc_compilation *c, const struct hc_argument *input,
                        const struct hc_process *preprocessed, const char *plain, FILE *to)
{
    fputs("\n# 1 \"<hindcast>\"\n", to);
    add_unit_record(c, input->value, to);
    add_compiler_record(c, to);
    if (c->sizes && c->arguments->mode != HC_MODE_ASSEMBLY)
        hc_record_plain_sizes(to, plain);
    bool region = hc_settings_region(c->settings) && !hc_settings_slice(c->settings); /* takes its own along */
    if (!c->settings->no_bitcode && !region)
        add_bitcode(c, input, preprocessed, to);
}

/* The text and our records in one file; PLAIN is the object of step 1. */
static bool write_text(const struct hc_compilation *c, const struct hc_argument *input,
                       const struct hc_process *preprocessed, const struct hc_unit_result *result, const char *plain,
                       const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return hc_invocation_fail(c->session, "out of memory");
    fwrite(result->text, 1, result->size, to);
    if (!c->settings->checkpoints)
        add_records(c, input, preprocessed, plain, to);
    bool fine = !ferror(to) && !fclose(to) && hc_invocation_write(c->session, path, text, size);
    if (fine && c->arguments->saves_temporaries) {
        char *copy = hc_output_name(input->value, "hindcast.i");
        fine = copy && hc_invocation_write(c->session, copy, text, size);
        free(copy);
    }
    free(text);
    return fine;
}

/* ---- regions ---- */

static void add_meaning(const struct hc_compilation *c, struct hc_argv *out)
{
    for (size_t i = 0; i < c->arguments->words.count; i++)
        if (changes_meaning(c->arguments->words.word[i]) || !strncmp(c->arguments->words.word[i], "-O", 2) ||
            !strncmp(c->arguments->words.word[i], "-g", 2))
            hc_argv_add(out, c->arguments->words.word[i]);
}

/* The compiler that makes bitcode for the same CPU and the same meaning of C: the user's, or clang beside GCC. */
static bool add_region_compiler(const struct hc_compilation *c, struct hc_argv *command)
{
    const struct hc_target *target = hc_target_of_cpu(c->registers->cpu);
    struct hc_argv words = { 0 };

    begin(c, &words);
    hc_arguments_select(c->arguments, KIND(TARGET), &words);
    bool fine = target && hc_region_compiler(&words, target->triple, target->gcc_meaning, command);
    hc_argv_free(&words);
    if (!fine)
        return hc_invocation_fail(c->session,
                                  "--record=region: %s makes no bitcode of a unit; compile the program with clang 19",
                                  c->compiler->command.word[c->compiler->command.count - 1]);
    if (c->compiler->gcc)
        add_meaning(c, command);
    else
        hc_arguments_select(c->arguments, KIND(CODE), command);
    leave_link_time_optimisation(c, command);
    return true;
}

/* ---- the instrumented text ---- */

/* The file at PATH, in LANGUAGE, to OUTPUT: as MODE says, "-S" or "-c". */
static bool compile_file(const struct hc_compilation *c, const char *path, const char *language, const char *mode,
                         const char *output, int *code)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command };

    begin(c, &command);
    hc_arguments_select(c->arguments, KIND(CODE) | KIND(TARGET), &command);
    hc_argv_add(&command, "-w");
    leave_link_time_optimisation(c, &command);
    if (hc_settings_paths(c->settings))
        hc_argv_add(&command, "-fno-optimize-sibling-calls"); /* a function returns to who called it */
    hc_argv_add(&command, mode);
    hc_argv_add(&command, "-x");
    hc_argv_add(&command, language);
    hc_argv_add(&command, path);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, output);
    bool fine = run(c, &process, NULL, code);
    hc_argv_free(&command);
    return fine;
}

/* The assembly at PATH, with what records paths in it. */
static bool add_paths(const struct hc_compilation *c, const struct hc_argument *input, const char *path)
{
    struct hc_paths_result result = { 0 };
    const struct hc_target *target = hc_target_of_cpu(c->registers->cpu);
    size_t size = 0;
    char *text = hc_argv_file(path, &size);

    if (!text || !target || !target->flow) {
        bool there = text != NULL;
        free(text);
        return hc_invocation_fail(c->session, "%s: %s", input->value,
                                  there ? "--record=messages+paths: there is no such recorder for this CPU yet"
                                        : "the compiler's assembly cannot be read");
    }
    struct hc_paths_request request = { .text = text,
                                        .size = size,
                                        .name = input->value,
                                        .patterns = (const char *const *)c->settings->paths.word,
                                        .pattern_count = c->settings->paths.count,
                                        .trusted = (const char *const *)c->settings->trust.word,
                                        .trusted_count = c->settings->trust.count,
                                        .target = target };
    bool fine = hc_paths_instrument(&request, &result);
    if (!fine && c->session->errors)
        fprintf(c->session->errors, "%s\n", result.message);
    fine = fine ? hc_invocation_write(c->session, path, result.text, result.size)
                : hc_invocation_fail(c->session, "%s: not instrumented", input->value);
    free(result.text);
    free(text);
    return fine;
}

/* By way of the assembly, where paths are recorded. */
static bool compile_with_paths(const struct hc_compilation *c, const struct hc_argument *input, const char *path,
                               const char *output, int *code)
{
    bool assembly = c->arguments->mode == HC_MODE_ASSEMBLY;
    char *file = assembly ? strdup(output) : hc_invocation_file(c->session, output, "paths.s");
    bool fine = file && compile_file(c, path, "cpp-output", "-S", file, code) && add_paths(c, input, file) &&
                (assembly || compile_file(c, file, "assembler", "-c", output, code));

    free(file);
    return fine;
}

static bool compile_text(const struct hc_compilation *c, const struct hc_argument *input, const char *path,
                         const char *output, int *code)
{
    const char *mode = c->arguments->mode == HC_MODE_ASSEMBLY ? "-S" : "-c";
    bool fine = hc_settings_paths(c->settings) ? compile_with_paths(c, input, path, output, code)
                                               : compile_file(c, path, "cpp-output", mode, output, code);

    if (!fine && *code && c->session->errors)
        fprintf(c->session->errors,
                "hindcast: %s: does not compile after adding the %s (use -save-temps to see the text)\n", input->value,
                c->settings->checkpoints ? "checkpoints" : "recorder");
    return fine;
}

/* A unit that may be part of a region takes its bitcode along, before optimisation: the link step knows the region. */
static bool add_region_unit(const struct hc_compilation *c, const char *path, const char *output, int *code)
{
    struct hc_argv command = { 0 }, add = { 0 };
    struct hc_process process = { .command = &command }, adding = { .command = &add };
    char *bitcode = hc_invocation_file(c->session, output, "unit.ll");
    bool fine = bitcode && add_region_compiler(c, &command);

    static const char *const ours[] = {
        "-w", "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-x", "cpp-output"
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        hc_argv_add(&command, ours[i]);
    hc_argv_add(&command, path);
    hc_argv_add(&command, "-o");
    hc_argv_add(&command, bitcode ? bitcode : "");
    fine = fine && run(c, &process, NULL, code);
    hc_argv_add(&add, "llvm-objcopy-19");
    hc_argv_addf(&add, "--add-section=" HC_REGION_BITCODE "=%s", bitcode ? bitcode : "");
    hc_argv_add(&add, output);
    fine = fine && run(c, &adding, NULL, code);
    free(bitcode);
    hc_argv_free(&command);
    hc_argv_free(&add);
    return fine;
}

static char *text_name(const struct hc_compilation *c, const struct hc_argument *input, const char *output)
{
    char *name = hc_output_name(strcmp(input->value, "-") ? input->value : "stdin", "i");
    char *path = name ? hc_invocation_file(c->session, output, name) : NULL;

    free(name);
    return path;
}

static bool compile_instrumented(const struct hc_compilation *c, const struct hc_argument *input,
                                 const struct source *source, const char *output, bool linked, int *code)
{
    struct hc_process preprocessed = { 0 };
    struct hc_unit_result result = { 0 };
    char *path = text_name(c, input, output);

    bool fine = path && preprocess(c, input, source, output, linked, &preprocessed, code) &&
                instrument(c, input, &preprocessed, &result) &&
                write_text(c, input, &preprocessed, &result, output, path) &&
                compile_text(c, input, path, output, code) &&
                (!hc_settings_region(c->settings) || c->arguments->mode == HC_MODE_ASSEMBLY ||
                 add_region_unit(c, path, output, code));
    free(path);
    hc_unit_free(&result);
    hc_process_free(&preprocessed);
    return fine;
}

bool hc_compile(const struct hc_compilation *c, const struct hc_argument *input, const char *output, bool linked,
                int *code)
{
    struct source source = { 0 };

    *code = 0;
    if (!strcmp(input->value, "-")) {
        source.text = hc_argv_file("/dev/stdin", &source.size);
        if (!source.text)
            return hc_invocation_fail(c->session, "standard input cannot be read");
    }
    bool fine = compile_plain(c, input, &source, output, code);
    if (fine) {
        hc_invocation_warn(c->session, output);
        fine = compile_instrumented(c, input, &source, output, linked, code);
    }
    free(source.text);
    return fine;
}
