#include "driver.h"

#include "compile.h"
#include "instrument/command/share.h"
#include "instrument/link/link.h"
#include "linker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND(name) (1u << HC_ARGUMENT_##name)

static bool is_c(const struct hc_argument *a)
{
    return a->kind == HC_ARGUMENT_INPUT && (a->language == HC_LANGUAGE_C || a->language == HC_LANGUAGE_PREPROCESSED_C);
}

/* Compiled by the compiler, but not by us. */
static bool is_other_source(const struct hc_argument *a)
{
    return a->kind == HC_ARGUMENT_INPUT && (a->language == HC_LANGUAGE_ASSEMBLER || a->language == HC_LANGUAGE_OTHER);
}

static size_t count_of(const struct hc_arguments *arguments, bool (*is)(const struct hc_argument *))
{
    size_t count = 0;

    for (size_t i = 0; i < arguments->count; i++)
        count += is(&arguments->argument[i]);
    return count;
}

static bool is_input(const struct hc_argument *a)
{
    return a->kind == HC_ARGUMENT_INPUT;
}

/* ---- what is not ours to change ---- */

/* The command as it is; in our place, unless this process must stay. */
static bool pass_on(struct hc_invocation *session, char *const *command, size_t count, int *code)
{
    struct hc_argv words = { 0 };
    struct hc_process process = { .command = &words };
    bool fine;

    hc_argv_add_all(&words, command, count);
    if (session->stays || words.failed) {
        fine = hc_process_run(session, &process);
        *code = fine ? process.code : 0;
    } else {
        sigprocmask(SIG_SETMASK, &session->before, NULL);
        signal(SIGXFSZ, SIG_DFL);
        execvp(words.word[0], words.word);
        fine = hc_invocation_fail(session, "%s: %s", words.word[0], strerror(errno));
    }
    hc_argv_free(&words);
    return fine && !*code;
}

static bool nothing_to_do(const struct hc_arguments *arguments)
{
    size_t sources = count_of(arguments, is_c), others = count_of(arguments, is_other_source);

    if (arguments->mode == HC_MODE_OTHER || !count_of(arguments, is_input))
        return true;
    if (arguments->mode == HC_MODE_LINK)
        return false;
    /* One output for several sources: the compiler says what is wrong with that. */
    return !sources || (arguments->output && sources + others > 1);
}

/* ---- compiling ---- */

static bool load_registers(struct hc_invocation *session, const char *part, struct hc_regs **registers)
{
    struct hc_regs_message message;

    return hc_share_registers(registers, part, &message) || hc_invocation_fail(session, "%s", message.text);
}

static char *output_of(const struct hc_arguments *arguments, const struct hc_argument *input)
{
    bool assembly = arguments->mode == HC_MODE_ASSEMBLY;
    const char *extension = arguments->emits_llvm ? (assembly ? "ll" : "bc") : assembly ? "s" : "o";

    return arguments->output ? strdup(arguments->output) : hc_output_name(input->value, extension);
}

/* Objects of a command that links too; OBJECTS[i] belongs to argument i. */
static char *temporary_object(const struct hc_compilation *c, size_t i)
{
    char *base = hc_output_name(c->arguments->argument[i].value, "o"), *name = NULL, *path = NULL;

    if (base && asprintf(&name, "%zu-%s", i, base) >= 0)
        path = hc_invocation_file(c->session, c->arguments->output, name);
    free(base);
    free(name);
    return path;
}

static bool compile_all(const struct hc_compilation *c, struct hc_argv *objects, int *code)
{
    bool linked = c->arguments->mode == HC_MODE_LINK, fine = true;

    for (size_t i = 0; fine && i < c->arguments->count; i++) {
        const struct hc_argument *a = &c->arguments->argument[i];
        if (!is_c(a))
            continue;
        char *output = linked ? temporary_object(c, i) : output_of(c->arguments, a);
        fine = output && hc_compile(c, a, output, linked, code);
        if (output)
            hc_argv_add(objects, output);
        free(output);
    }
    return fine;
}

/* Assembly and the like, beside C in a command that does not link. */
static bool compile_others(const struct hc_compilation *c, int *code)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command };

    if (!count_of(c->arguments, is_other_source))
        return true;
    hc_argv_add_all(&command, c->compiler->command.word, c->compiler->command.count);
    hc_arguments_select(c->arguments, ~(KIND(INPUT) | KIND(LANGUAGE)), &command);
    for (size_t i = 0; i < c->arguments->count; i++) {
        const struct hc_argument *a = &c->arguments->argument[i];
        if (!is_other_source(a))
            continue;
        hc_argv_add(&command, "-x");
        hc_argv_add(&command, a->x ? a->x : "none");
        hc_argv_add(&command, a->value);
    }
    bool fine = hc_process_run(c->session, &process);
    *code = fine ? process.code : 0;
    hc_argv_free(&command);
    return fine && !process.code;
}

/* What is for the C sources only, or for the choice of the linker. */
static bool is_left_out(const struct hc_compilation *c, const struct hc_argv *objects, const struct hc_linker *linker,
                        const struct hc_argument *a)
{
    unsigned kinds = KIND(LANGUAGE) | KIND(DEPENDENCIES) | KIND(ONCE) | KIND(STRICT);

    if (!count_of(c->arguments, is_other_source) && objects->count)
        kinds |= KIND(PREPROCESSOR);
    return kinds >> a->kind & 1 ||
           (a->kind == HC_ARGUMENT_LINK && hc_linker_is_option(linker, c->arguments->words.word[a->first]));
}

/* -B has clang look for its tools in a directory. */
static void add_linker(const struct hc_linker *linker, bool named, struct hc_argv *command)
{
    if (linker->directory && linker->named == named)
        hc_argv_addf(command, "-B%s", linker->directory);
}

/* The command with its C sources replaced by OBJECTS. */
static void link_command(const struct hc_compilation *c, const struct hc_argv *objects, const struct hc_linker *linker,
                         struct hc_argv *command)
{
    size_t next = 0;

    hc_argv_add_all(command, c->compiler->command.word, c->compiler->command.count);
    add_linker(linker, true, command);
    for (size_t i = 0; i < c->arguments->count; i++) {
        const struct hc_argument *a = &c->arguments->argument[i];
        if (is_left_out(c, objects, linker, a))
            continue;
        bool language = a->kind == HC_ARGUMENT_INPUT && a->x && !is_c(a);
        if (language) {
            hc_argv_add(command, "-x");
            hc_argv_add(command, a->x);
        }
        if (is_c(a))
            hc_argv_add(command, next < objects->count ? objects->word[next++] : "");
        else
            hc_argv_add_all(command, c->arguments->words.word + a->first, a->count);
        if (language) {
            hc_argv_add(command, "-x");
            hc_argv_add(command, "none");
        }
    }
    add_linker(linker, false, command);
}

static bool link_all(const struct hc_compilation *c, const struct hc_argv *objects, const struct hc_settings *settings,
                     int *code)
{
    struct hc_argv command = { 0 };
    struct hc_linker linker;
    bool fine = hc_linker_choose(&linker, c);

    if (fine) {
        link_command(c, objects, &linker, &command);
        struct hc_link_request request = { .session = c->session,
                                           .settings = settings,
                                           .command = &command,
                                           .words = c->compiler->command.count,
                                           .through_compiler = true,
                                           .relocatable = c->arguments->relocatable };
        fine = hc_link(&request, code);
    }
    hc_linker_free(&linker);
    hc_argv_free(&command);
    return fine;
}

static bool compile_and_link(const struct hc_compilation *c, const struct hc_settings *settings, int *code)
{
    struct hc_argv objects = { 0 };
    bool linked = c->arguments->mode == HC_MODE_LINK;
    bool fine =
        compile_all(c, &objects, code) && (linked ? link_all(c, &objects, settings, code) : compile_others(c, code));

    hc_argv_free(&objects);
    return fine;
}

static bool check_target(struct hc_invocation *session, const struct hc_arguments *arguments)
{
    for (size_t i = 0; i < arguments->words.count; i++)
        if (!strcmp(arguments->words.word[i], "-mlarge"))
            return hc_invocation_fail(session,
                                      "-mlarge: the recorder supports 16-bit pointers only; build without -mlarge");
    return true;
}

static bool drive(struct hc_invocation *session, const struct hc_settings *settings, const struct hc_compiler *compiler,
                  const struct hc_arguments *arguments, int *code)
{
    struct hc_regs *registers = NULL;
    struct hc_compilation c = { .session = session,
                                .compiler = compiler,
                                .arguments = arguments,
                                .sizes = !settings->no_sizes,
                                .settings = settings };
    bool records = !settings->checkpoints, fine = true;
    char *runtime = records ? hc_share_find("runtime") : NULL;

    c.runtime = runtime;
    if (records && !runtime)
        fine = hc_invocation_fail(session,
                                  "the recorder's sources are not installed; set HINDCAST_SHARE to their directory");
    if (records && fine && count_of(arguments, is_c))
        fine = check_target(session, arguments) &&
               load_registers(session, settings->part ? settings->part : arguments->part, &registers);
    c.registers = registers;
    fine = fine && compile_and_link(&c, settings, code);
    hc_regs_free(registers);
    free(runtime);
    return fine;
}

bool hc_driver_compile(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                       size_t count, int *code)
{
    struct hc_compiler compiler;
    struct hc_arguments arguments = { 0 };
    size_t words = hc_compiler_read(&compiler, command, count);
    bool fine = words && hc_arguments_read(&arguments, command + words, count - words);

    *code = 0;
    if (!fine)
        hc_invocation_fail(session, words ? "out of memory" : "which compiler?");
    else if (nothing_to_do(&arguments))
        fine = pass_on(session, command, count, code);
    else
        fine = drive(session, settings, &compiler, &arguments, code);
    hc_arguments_free(&arguments);
    hc_compiler_free(&compiler);
    return fine;
}

bool hc_driver_link(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                    size_t count, int *code)
{
    struct hc_argv words = { 0 };

    *code = 0;
    if (!count)
        return hc_invocation_fail(session, "no linker given: hindcast ld LINKER [ARGUMENT...]");
    hc_argv_add_all(&words, command, count);
    struct hc_link_request request = { .session = session, .settings = settings, .command = &words, .words = 1 };
    bool fine = hc_link(&request, code);
    hc_argv_free(&words);
    return fine;
}
