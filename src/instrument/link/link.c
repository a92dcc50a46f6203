#include "link.h"

#include "instrument/command/share.h"
#include "map_records.h"
#include "patch.h"
#include "recorder_build.h"
#include "region_link.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command line of a linker, or of a compiler that links, as far as the link step must know it. */
struct line {
    struct hc_argv words; /* response files expanded */
    const char *output;
    bool relocatable;
    struct hc_link_inputs inputs;
};

/* ---- reading the command ---- */

static bool starts(const char *word, const char *with)
{
    return !strncmp(word, with, strlen(with));
}

/* Options whose value, the next word, may name a file that is not linked. */
static bool value_is_no_input(const char *word)
{
    static const char *const options[] = { "-o",       "--output", "-T",  "--script", "-Map", "--Map", "-R",
                                           "-Xlinker", "-MF",      "-MT", "-MQ",      "-x",   "-u",    "-e" };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (!strcmp(word, options[i]))
            return true;
    return false;
}

static void add_library(struct line *line, const char *name)
{
    for (size_t i = 0; i < line->words.count; i++) {
        const char *word = line->words.word[i];
        if (!word || !starts(word, "-L"))
            continue;
        const char *directory = word[2] ? word + 2 : i + 1 < line->words.count ? line->words.word[i + 1] : ".";
        char *path = NULL;
        if (asprintf(&path, "%s/lib%s.a", directory, name) < 0)
            return;
        bool there = !access(path, R_OK);
        if (there)
            hc_inputs_add(&line->inputs, path);
        free(path);
        if (there)
            return;
    }
}

static void read_word(struct line *line, size_t *i)
{
    const char *word = line->words.word[*i];
    const char *next = line->words.word[*i + 1];

    if (!strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-shared"))
        line->relocatable = true;
    else if (starts(word, "--output="))
        line->output = word + 9;
    else if (starts(word, "-o") && word[2] && !starts(word, "-omagic"))
        line->output = word + 2;
    else if (starts(word, "-l"))
        add_library(line, word[2] ? word + 2 : next ? next : "");
    else if (word[0] != '-')
        hc_inputs_add(&line->inputs, word);
    if (next && value_is_no_input(word)) {
        if (!strcmp(word, "-o") || !strcmp(word, "--output"))
            line->output = next;
        ++*i;
    }
}

static bool read_line(struct line *line, const struct hc_link_request *request)
{
    const struct hc_argv *command = request->command;

    *line = (struct line){ .output = "a.out", .relocatable = request->relocatable };
    if (command->failed)
        return false;
    hc_argv_expand(&line->words, command->word + request->words, command->count - request->words);
    for (size_t i = 0; !line->words.failed && i < line->words.count; i++)
        read_word(line, &i);
    return !line->words.failed;
}

static void free_line(struct line *line)
{
    hc_inputs_free(&line->inputs);
    hc_argv_free(&line->words);
}

/* ---- running the linker ---- */

static bool run(struct hc_invocation *session, const struct hc_argv *command, int *code)
{
    struct hc_process process = { .command = command };

    if (!hc_process_run(session, &process))
        return false;
    *code = process.code;
    return process.code == 0;
}

/* Our objects go behind the program's, before libraries: those may have what ours need. */
static bool is_library(const char *word)
{
    size_t length = strlen(word);

    return starts(word, "-l") || starts(word, "--start-") || !strcmp(word, "-(") || starts(word, "-Wl,--start-") ||
           (length > 2 && !strcmp(word + length - 2, ".a"));
}

static void program_command(const struct hc_link_request *request, const struct line *line,
                            const struct hc_recorder_build *recorder, struct hc_argv *command)
{
    size_t at = 0;

    while (at < line->words.count && !is_library(line->words.word[at]))
        at++;
    hc_argv_add_all(command, request->command->word, request->words);
    for (size_t i = 0; i < recorder->keep.count; i++)
        hc_argv_addf(command, request->through_compiler ? "-Wl,--undefined=%s" : "--undefined=%s",
                     recorder->keep.word[i]);
    hc_argv_add_all(command, line->words.word, at);
    hc_argv_add_all(command, recorder->objects.word, recorder->objects.count);
    hc_argv_add_all(command, line->words.word + at, line->words.count - at);
}

static bool link_program(const struct hc_link_request *request, const struct line *line,
                         const struct hc_recorder_build *recorder, int *code)
{
    struct hc_argv command = { 0 };

    program_command(request, line, recorder, &command);
    hc_invocation_warn(request->session, line->output);
    bool fine = run(request->session, &command, code);
    hc_argv_free(&command);
    return fine;
}

/* ---- the part ---- */

static bool load_registers(const struct hc_link_request *request, const struct hc_link_inputs *inputs,
                           struct hc_regs **registers)
{
    struct hc_invocation *session = request->session;
    const char *part = request->settings->part;
    struct hc_regs_message message;

    if (!part && inputs->parts.count > 1)
        return hc_invocation_fail(session, "units are built for different parts, %s and %s: choose one with --part",
                                  inputs->parts.word[0], inputs->parts.word[1]);
    if (!part && inputs->parts.count)
        part = inputs->parts.word[0];
    return hc_share_registers(registers, part, &message) || hc_invocation_fail(session, "%s", message.text);
}

static void note(const struct hc_link_request *request, const struct line *line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note(const struct hc_link_request *request, const struct line *line, const char *format, ...)
{
    FILE *to = request->session->errors;
    va_list arguments;

    if (!to)
        return;
    fprintf(to, "hindcast: note: %s: ", line->output);
    va_start(arguments, format);
    vfprintf(to, format, arguments);
    va_end(arguments);
    fputc('\n', to);
}

static void note_uninstrumented(const struct hc_link_request *request, const struct line *line)
{
    const struct hc_argv *names = &line->inputs.uninstrumented;
    const char *first = names->count ? strrchr(names->word[0], '/') : NULL;
    char more[40] = "";

    if (names->count > 1)
        snprintf(more, sizeof more, " (and %zu more)", names->count - 1);
    if (names->count)
        note(request, line,
             "peripheral reads in %s%s are not recorded: not compiled from C by hindcast cc; see hindcast map",
             first ? first + 1 : names->word[0], more);
}

/* The recorder has what it needs for the vectors that the program handles, and no more: that is known after a link. */
static bool fit(const struct hc_link_request *request, const struct line *line, struct hc_recorder_build *recorder,
                const struct hc_regs *registers, int *code)
{
    char *handled = recorder->fits ? hc_patch_handled(request->session, line->output, registers) : NULL;
    bool fine =
        !recorder->fits || (handled && !*handled) ||
        (handled &&
         hc_recorder_fit(recorder, request->session, request->settings, &line->inputs, registers, handled, code) &&
         link_program(request, line, recorder, code));

    free(handled);
    return fine;
}

/* A region is linked twice: first to see which units the program has. Their objects are then replaced by the region's.
 */
static bool link_region(const struct hc_link_request *request, const struct line *line,
                        struct hc_recorder_build *recorder, const struct hc_regs *registers, int *code)
{
    struct hc_region_link region = { .session = request->session,
                                     .settings = request->settings,
                                     .compiler = &line->inputs.compiler,
                                     .target = hc_target_of_cpu(registers->cpu),
                                     .output = line->output,
                                     .words = { 0 } };
    struct hc_argv command = { 0 };
    struct line replaced = *line;

    program_command(request, line, recorder, &command);
    bool fine = hc_region_link(&region, &command, &line->words, request->through_compiler, code);
    if (fine) {
        replaced.words = region.words;
        fine = link_program(request, &replaced, recorder, code);
    }
    hc_region_link_free(&region);
    hc_argv_free(&command);
    return fine;
}

static bool link_instrumented(const struct hc_link_request *request, const struct line *line, int *code)
{
    struct hc_regs *registers = NULL;
    struct hc_recorder_build recorder = { 0 };
    char *runtime = hc_share_find("runtime");

    bool region = hc_settings_region(request->settings),
         whole = !hc_settings_only_messages(request->settings) && !region;

    if (whole)
        note_uninstrumented(request, line);
    bool fine = load_registers(request, &line->inputs, &registers) && registers &&
                hc_recorder_compile(&recorder, request->session, request->settings, &line->inputs, registers,
                                    line->output, code) &&
                (region ? link_region(request, line, &recorder, registers, code)
                        : link_program(request, line, &recorder, code));
    if (fine && !whole)
        fine = hc_patch_messages(request->session, line->output, registers, &request->settings->trust);
    else if (fine)
        fine = fit(request, line, &recorder, registers, code) &&
               hc_patch(request->session, line->output, registers, recorder.calls_update || line->inputs.calls_update,
                        &request->settings->trust, runtime);
    free(runtime);
    hc_recorder_free(&recorder);
    hc_regs_free(registers);
    return fine;
}

bool hc_link(const struct hc_link_request *request, int *code)
{
    struct line line;
    bool fine = read_line(&line, request);

    *code = 0;
    if (!fine) {
        hc_invocation_fail(request->session, "out of memory");
    } else if (line.relocatable || !line.inputs.instrumented || request->settings->checkpoints) {
        fine = run(request->session, request->command, code);
        if (fine && !line.relocatable && line.inputs.uninstrumented.count && !request->settings->checkpoints)
            note(request, &line, "none of its objects were made by hindcast cc; it records nothing");
    } else {
        fine = link_instrumented(request, &line, code);
    }
    free_line(&line);
    return fine;
}
