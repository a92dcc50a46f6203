/* compile_commands.json: a list of {"directory": …, "file": …, "arguments": […] or "command": "…", "output": …}. */
#include "compile.h"
#include "driver.h"
#include "instrument/command/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *text_of(const json_t *entry, const char *key)
{
    return json_string_value(json_object_get(entry, key));
}

static bool entry_words(const json_t *entry, struct hc_argv *words)
{
    const json_t *arguments = json_object_get(entry, "arguments");
    const char *command = text_of(entry, "command");

    for (size_t i = 0; i < json_array_size(arguments); i++) {
        const char *word = json_string_value(json_array_get(arguments, i));
        if (!word)
            return false;
        hc_argv_add(words, word);
    }
    if (!words->count && command)
        hc_argv_split(words, command);
    return words->count > 0 && !words->failed;
}

/* Every folder on the way to PATH. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* The command with its output moved into DIRECTORY, under the name it would have had. */
static bool move_output(const struct hc_argv *command, const char *directory, struct hc_argv *out)
{
    struct hc_compiler compiler;
    struct hc_arguments arguments = { 0 };
    size_t words = hc_compiler_read(&compiler, command->word, command->count);
    bool fine = hc_arguments_read(&arguments, command->word + words, command->count - words);
    char *name = NULL;

    for (size_t i = 0; fine && !arguments.output && i < arguments.count; i++)
        if (arguments.argument[i].kind == HC_ARGUMENT_INPUT && !name)
            name = hc_output_name(arguments.argument[i].value, "o");
    const char *output = arguments.output ? arguments.output : name;
    while (output && (*output == '/' || !strncmp(output, "../", 3)))
        output += *output == '/' ? 1 : 3;
    hc_argv_add_all(out, compiler.command.word, compiler.command.count);
    if (fine)
        hc_arguments_select(&arguments, ~(1u << HC_ARGUMENT_OUTPUT), out);
    hc_argv_add(out, "-o");
    hc_argv_addf(out, "%s/%s", directory, output ? output : "out.o");
    fine = fine && !out->failed;
    if (fine)
        make_folders(out->word[out->count - 1]);
    free(name);
    hc_arguments_free(&arguments);
    hc_compiler_free(&compiler);
    return fine;
}

static bool run_entry(struct hc_invocation *session, const struct hc_settings *settings, const json_t *entry,
                      const char *out, int *code)
{
    struct hc_argv command = { 0 }, moved = { 0 };
    const char *directory = text_of(entry, "directory");

    *code = 0;
    bool fine = entry_words(entry, &command) || hc_invocation_fail(session, "has no command");
    if (fine && directory && chdir(directory))
        fine = hc_invocation_fail(session, "%s: %s", directory, strerror(errno));
    if (fine && out)
        fine = move_output(&command, out, &moved) || hc_invocation_fail(session, "out of memory");
    const struct hc_argv *use = out ? &moved : &command;
    fine = fine && hc_driver_compile(session, settings, use->word, use->count, code);
    hc_invocation_settle(session, !fine);
    hc_argv_free(&moved);
    hc_argv_free(&command);
    return fine;
}

static bool run_entries(struct hc_invocation *session, const struct hc_settings *settings, const json_t *entries,
                        const char *out, int *code)
{
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t failed = 0, count = json_array_size(entries);

    session->stays = true;
    for (size_t i = 0; i < count && !session->signal; i++) {
        int result = 0;
        if (!run_entry(session, settings, json_array_get(entries, i), out, &result)) {
            if (!result && session->errors)
                fprintf(session->errors, "hindcast: %s: entry %zu: %s\n", settings->commands, i + 1, session->message);
            failed++;
        }
        if (here >= 0 && fchdir(here))
            break;
    }
    if (here >= 0)
        close(here);
    *code = 0;
    return !failed || hc_invocation_fail(session, "%s: %zu of %zu entries failed", settings->commands, failed, count);
}

bool hc_driver_commands(struct hc_invocation *session, const struct hc_settings *settings, int *code)
{
    json_error_t error;
    char *out = NULL;
    json_t *entries = json_load_file(settings->commands, 0, &error);

    if (!entries)
        return hc_invocation_fail(session, "%s: line %d: %s", settings->commands, error.line, error.text);
    bool fine =
        json_is_array(entries) ||
        hc_invocation_fail(session, "%s: not a list of commands; expected a compile_commands.json", settings->commands);
    if (fine && settings->out) {
        mkdir(settings->out, 0777);
        out = realpath(settings->out, NULL);
        fine = out || hc_invocation_fail(session, "%s: %s", settings->out, strerror(errno));
    }
    fine = fine && run_entries(session, settings, entries, out, code);
    free(out);
    json_decref(entries);
    return fine;
}
