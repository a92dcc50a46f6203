#include "linker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIND(name) (1u << HC_ARGUMENT_##name)

static const char sought[] = "msp430-elf-ld";

static bool starts(const char *word, const char *with)
{
    return !strncmp(word, with, strlen(with));
}

/* The value of the last "--option=VALUE", as compilers have it. */
static const char *value_of(const struct hc_arguments *arguments, const char *option)
{
    const char *value = NULL;

    for (size_t i = 0; i < arguments->count; i++) {
        const char *word = arguments->words.word[arguments->argument[i].first];
        if (arguments->argument[i].kind != HC_ARGUMENT_INPUT && starts(word, option))
            value = word + strlen(option);
    }
    return value;
}

/* clang-19, and msp430-elf-clang, whose name says the target. */
static bool is_for_msp430(const struct hc_compilation *c)
{
    const struct hc_argv *command = &c->compiler->command;
    const char *name = command->word[command->count - 1], *slash = strrchr(name, '/');
    const char *target = value_of(c->arguments, "--target=");

    for (size_t i = 0; i < c->arguments->count; i++)
        if (!strcmp(c->arguments->words.word[c->arguments->argument[i].first], "-target"))
            target = c->arguments->argument[i].value;
    return starts(target ? target : slash ? slash + 1 : name, "msp430");
}

/* ---- what it may be called ---- */

/* "ld.lld-19" of "clang-19". */
static void add_lld(const struct hc_compilation *c, struct hc_argv *names)
{
    const struct hc_argv *command = &c->compiler->command;
    const char *version = strrchr(command->word[command->count - 1], '-');

    hc_argv_add(names, "ld.lld");
    if (version && version[1] >= '0' && version[1] <= '9')
        hc_argv_addf(names, "ld.lld%s", version);
}

static void add_names(const struct hc_compilation *c, const char *path, const char *kind, struct hc_argv *names)
{
    if (path) {
        hc_argv_add(names, path);
    } else if (!kind || !strcmp(kind, "lld")) {
        add_lld(c, names);
    } else if (strchr(kind, '/')) {
        hc_argv_add(names, kind);
    } else if (!*kind || !strcmp(kind, "ld") || !strcmp(kind, "bfd")) {
        hc_argv_add(names, sought);
    } else {
        hc_argv_addf(names, "ld.%s", kind);
        hc_argv_addf(names, "%s.%s", sought, kind);
        hc_argv_add(names, kind);
    }
}

/* ---- where it is ---- */

/* Where clang looks for programs; NULL if it finds none. */
static char *ask_compiler(const struct hc_compilation *c, const char *name)
{
    struct hc_argv command = { 0 };
    struct hc_process process = { .command = &command, .takes_output = true, .takes_errors = true };
    char *path = NULL;

    hc_argv_add_all(&command, c->compiler->command.word, c->compiler->command.count);
    hc_arguments_select(c->arguments, KIND(TARGET), &command);
    hc_argv_addf(&command, "-print-prog-name=%s", name);
    if (hc_process_run(c->session, &process) && process.code == 0 && process.output) {
        process.output[strcspn(process.output, "\n")] = '\0';
        path = strchr(process.output, '/') ? realpath(process.output, NULL) : NULL;
    }
    hc_process_free(&process);
    hc_argv_free(&command);
    return path;
}

static char *find(const struct hc_compilation *c, const struct hc_argv *names)
{
    char *path = NULL;

    for (size_t i = 0; !path && !c->session->signal && i < names->count; i++) {
        path = strchr(names->word[i], '/') ? realpath(names->word[i], NULL) : ask_compiler(c, names->word[i]);
        if (path && access(path, X_OK) != 0) {
            free(path);
            path = NULL;
        }
    }
    return path;
}

static bool offer(struct hc_linker *linker, const struct hc_compilation *c, const char *path)
{
    char *name = hc_invocation_file(c->session, c->arguments->output, sought);

    if (!name)
        return false;
    if (symlink(path, name) != 0) {
        hc_invocation_fail(c->session, "%s: %s", name, strerror(errno));
        free(name);
        return false;
    }
    *strrchr(name, '/') = '\0';
    linker->directory = name;
    return true;
}

/* ---- all of it ---- */

bool hc_linker_choose(struct hc_linker *linker, const struct hc_compilation *c)
{
    const char *path = value_of(c->arguments, "--ld-path="), *kind = value_of(c->arguments, "-fuse-ld=");
    struct hc_argv names = { 0 };

    *linker = (struct hc_linker){ .named = path || kind };
    if (c->compiler->gcc || !is_for_msp430(c) || (!linker->named && value_of(c->arguments, "--gcc-toolchain="))) {
        linker->named = false;
        return true;
    }
    add_names(c, path, kind, &names);
    char *found = find(c, &names);
    bool fine = found ? offer(linker, c, found) : !linker->named;
    if (!fine && !found)
        hc_invocation_fail(c->session, "%s%s: %s finds no such linker; is it installed?",
                           path ? "--ld-path=" : "-fuse-ld=", path ? path : kind, c->compiler->command.word[0]);
    free(found);
    hc_argv_free(&names);
    return fine;
}

void hc_linker_free(struct hc_linker *linker)
{
    free(linker->directory);
}

bool hc_linker_is_option(const struct hc_linker *linker, const char *word)
{
    return linker->named && (starts(word, "-fuse-ld=") || starts(word, "--ld-path="));
}
