#include "arguments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How an option is written. */
enum form {
    EXACT,    /* -c */
    SEPARATE, /* -o FILE */
    EITHER,   /* -IDIR, -I DIR */
    PREFIX,   /* -std=c99, -Wp,-MD */
};

struct option {
    const char *text;
    enum form form;
    enum hc_argument_kind kind;
    enum hc_driver_mode mode; /* of kind HC_ARGUMENT_MODE */
};

#define PREPROCESSOR HC_ARGUMENT_PREPROCESSOR
#define DEPENDENCIES HC_ARGUMENT_DEPENDENCIES
#define STRICT HC_ARGUMENT_STRICT
#define TARGET HC_ARGUMENT_TARGET
#define CODE HC_ARGUMENT_CODE
#define LINK HC_ARGUMENT_LINK
#define ONCE HC_ARGUMENT_ONCE
#define MODE HC_ARGUMENT_MODE

/* The longest text that fits holds; of equally long ones the first. */
static const struct option options[] = {
    { "-c", EXACT, MODE, HC_MODE_OBJECT },
    { "--compile", EXACT, MODE, HC_MODE_OBJECT },
    { "-S", EXACT, MODE, HC_MODE_ASSEMBLY },
    { "--assemble", EXACT, MODE, HC_MODE_ASSEMBLY },
    { "-E", EXACT, MODE, HC_MODE_OTHER },
    { "--preprocess", EXACT, MODE, HC_MODE_OTHER },
    { "-M", EXACT, MODE, HC_MODE_OTHER },
    { "-MM", EXACT, MODE, HC_MODE_OTHER },
    { "-fsyntax-only", EXACT, MODE, HC_MODE_OTHER },
    { "-emit-ast", EXACT, MODE, HC_MODE_OTHER },
    { "--analyze", EXACT, MODE, HC_MODE_OTHER },
    { "-cc1", EXACT, MODE, HC_MODE_OTHER },
    { "-cc1as", EXACT, MODE, HC_MODE_OTHER },
    { "-###", EXACT, MODE, HC_MODE_OTHER },
    { "--version", EXACT, MODE, HC_MODE_OTHER },
    { "--help", PREFIX, MODE, HC_MODE_OTHER },
    { "--target-help", EXACT, MODE, HC_MODE_OTHER },
    { "-dumpmachine", EXACT, MODE, HC_MODE_OTHER },
    { "-dumpversion", EXACT, MODE, HC_MODE_OTHER },
    { "-dumpfullversion", EXACT, MODE, HC_MODE_OTHER },
    { "-dumpspecs", EXACT, MODE, HC_MODE_OTHER },
    { "-print-", PREFIX, MODE, HC_MODE_OTHER },
    { "--print-", PREFIX, MODE, HC_MODE_OTHER },

    { "-o", EITHER, HC_ARGUMENT_OUTPUT, 0 },
    { "--output", SEPARATE, HC_ARGUMENT_OUTPUT, 0 },
    { "--output=", PREFIX, HC_ARGUMENT_OUTPUT, 0 },
    { "-x", EITHER, HC_ARGUMENT_LANGUAGE, 0 },
    { "--language", SEPARATE, HC_ARGUMENT_LANGUAGE, 0 },
    { "--language=", PREFIX, HC_ARGUMENT_LANGUAGE, 0 },

    { "-D", EITHER, PREPROCESSOR, 0 },
    { "-U", EITHER, PREPROCESSOR, 0 },
    { "-I", EITHER, PREPROCESSOR, 0 },
    { "-A", EITHER, PREPROCESSOR, 0 },
    { "-F", EITHER, PREPROCESSOR, 0 },
    { "-include", SEPARATE, PREPROCESSOR, 0 },
    { "--include", SEPARATE, PREPROCESSOR, 0 },
    { "-include-pch", SEPARATE, PREPROCESSOR, 0 },
    { "-imacros", SEPARATE, PREPROCESSOR, 0 },
    { "-isystem", EITHER, PREPROCESSOR, 0 },
    { "-isystem-after", EITHER, PREPROCESSOR, 0 },
    { "-iquote", EITHER, PREPROCESSOR, 0 },
    { "-idirafter", EITHER, PREPROCESSOR, 0 },
    { "-iprefix", EITHER, PREPROCESSOR, 0 },
    { "-iwithprefix", EITHER, PREPROCESSOR, 0 },
    { "-iwithprefixbefore", EITHER, PREPROCESSOR, 0 },
    { "-imultilib", SEPARATE, PREPROCESSOR, 0 },
    { "--include-directory", SEPARATE, PREPROCESSOR, 0 },
    { "--include-directory=", PREFIX, PREPROCESSOR, 0 },
    { "--define-macro", SEPARATE, PREPROCESSOR, 0 },
    { "--define-macro=", PREFIX, PREPROCESSOR, 0 },
    { "--undefine-macro", SEPARATE, PREPROCESSOR, 0 },
    { "--undefine-macro=", PREFIX, PREPROCESSOR, 0 },
    { "-Xpreprocessor", SEPARATE, PREPROCESSOR, 0 },
    { "-Wp,", PREFIX, PREPROCESSOR, 0 },
    { "-nostdinc", EXACT, PREPROCESSOR, 0 },
    { "-nobuiltininc", EXACT, PREPROCESSOR, 0 },
    { "-undef", EXACT, PREPROCESSOR, 0 },
    { "-trigraphs", EXACT, PREPROCESSOR, 0 },
    { "-traditional-cpp", EXACT, PREPROCESSOR, 0 },
    { "-remap", EXACT, PREPROCESSOR, 0 },
    { "-fmacro-prefix-map=", PREFIX, PREPROCESSOR, 0 },
    { "-ftrack-macro-expansion", PREFIX, PREPROCESSOR, 0 },

    { "-MD", EXACT, DEPENDENCIES, 0 },
    { "-MMD", EXACT, DEPENDENCIES, 0 },
    { "-MP", EXACT, DEPENDENCIES, 0 },
    { "-MG", EXACT, DEPENDENCIES, 0 },
    { "-MV", EXACT, DEPENDENCIES, 0 },
    { "-MF", EITHER, DEPENDENCIES, 0 },
    { "-MT", EITHER, DEPENDENCIES, 0 },
    { "-MQ", EITHER, DEPENDENCIES, 0 },

    { "-MJ", EITHER, ONCE, 0 },
    { "-save-temps", PREFIX, ONCE, 0 },
    { "--save-temps", PREFIX, ONCE, 0 },
    { "-v", EXACT, ONCE, 0 },
    { "--verbose", EXACT, ONCE, 0 },
    { "-H", EXACT, ONCE, 0 },
    { "-time", EXACT, ONCE, 0 },
    { "-ftime-report", PREFIX, ONCE, 0 },
    { "-ftime-trace", PREFIX, ONCE, 0 },
    { "-P", EXACT, ONCE, 0 },
    { "-C", EXACT, ONCE, 0 },
    { "-CC", EXACT, ONCE, 0 },
    { "-d", PREFIX, ONCE, 0 },
    { "-fdirectives-only", EXACT, ONCE, 0 },
    { "-frewrite-includes", EXACT, ONCE, 0 },
    { "-aux-info", SEPARATE, ONCE, 0 },
    { "--serialize-diagnostics", SEPARATE, ONCE, 0 },
    { "-serialize-diagnostics", SEPARATE, ONCE, 0 },

    { "-Werror", PREFIX, STRICT, 0 },
    { "-pedantic", EXACT, STRICT, 0 },
    { "-pedantic-errors", EXACT, STRICT, 0 },
    { "-Wpedantic", EXACT, STRICT, 0 },
    { "--pedantic", PREFIX, STRICT, 0 },

    { "--target=", PREFIX, TARGET, 0 },
    { "-target", SEPARATE, TARGET, 0 },
    { "-arch", SEPARATE, TARGET, 0 },
    { "-m", PREFIX, TARGET, 0 },
    { "-B", EITHER, TARGET, 0 },
    { "--sysroot", SEPARATE, TARGET, 0 },
    { "--sysroot=", PREFIX, TARGET, 0 },
    { "-isysroot", SEPARATE, TARGET, 0 },
    { "--gcc-toolchain=", PREFIX, TARGET, 0 },
    { "-resource-dir", SEPARATE, TARGET, 0 },
    { "-resource-dir=", PREFIX, TARGET, 0 },
    { "-specs=", PREFIX, TARGET, 0 },
    { "--specs=", PREFIX, TARGET, 0 },
    { "-no-canonical-prefixes", EXACT, TARGET, 0 },
    { "-no-integrated-cpp", EXACT, TARGET, 0 },
    { "-fno-integrated-as", EXACT, TARGET, 0 },

    { "-emit-llvm", EXACT, CODE, 0 },
    { "-mllvm", SEPARATE, CODE, 0 },
    { "-Xclang", SEPARATE, CODE, 0 },
    { "-Xassembler", SEPARATE, CODE, 0 },
    { "--param", SEPARATE, CODE, 0 },
    { "-dumpbase", SEPARATE, CODE, 0 },
    { "-dumpdir", SEPARATE, CODE, 0 },

    { "-l", EITHER, HC_ARGUMENT_INPUT, 0 },
    { "-L", EITHER, LINK, 0 },
    { "-T", EITHER, LINK, 0 },
    { "-u", EITHER, LINK, 0 },
    { "-z", EITHER, LINK, 0 },
    { "-e", EITHER, LINK, 0 },
    { "--entry", SEPARATE, LINK, 0 },
    { "-Wl,", PREFIX, LINK, 0 },
    { "-Xlinker", SEPARATE, LINK, 0 },
    { "-nostdlib", EXACT, LINK, 0 },
    { "-nostartfiles", EXACT, LINK, 0 },
    { "-nodefaultlibs", EXACT, LINK, 0 },
    { "-nolibc", EXACT, LINK, 0 },
    { "-static", PREFIX, LINK, 0 },
    { "-shared", EXACT, LINK, 0 },
    { "-r", EXACT, LINK, 0 },
    { "-s", EXACT, LINK, 0 },
    { "-rdynamic", EXACT, LINK, 0 },
    { "-pie", EXACT, LINK, 0 },
    { "-no-pie", EXACT, LINK, 0 },
    { "-fuse-ld=", PREFIX, LINK, 0 },
    { "--ld-path=", PREFIX, LINK, 0 },
    { "-rtlib=", PREFIX, LINK, 0 },
    { "--rtlib=", PREFIX, LINK, 0 },
};

static const struct {
    const char *name;
    enum hc_language language;
} languages[] = {
    /* by -x */
    { "c", HC_LANGUAGE_C },
    { "cpp-output", HC_LANGUAGE_PREPROCESSED_C },
    { "assembler", HC_LANGUAGE_ASSEMBLER },
    { "assembler-with-cpp", HC_LANGUAGE_ASSEMBLER },
}, extensions[] = {
    { "c", HC_LANGUAGE_C },
    { "i", HC_LANGUAGE_PREPROCESSED_C },
    { "s", HC_LANGUAGE_ASSEMBLER },
    { "S", HC_LANGUAGE_ASSEMBLER },
    { "sx", HC_LANGUAGE_ASSEMBLER },
    { "h", HC_LANGUAGE_OTHER },
    { "cc", HC_LANGUAGE_OTHER },
    { "cp", HC_LANGUAGE_OTHER },
    { "cpp", HC_LANGUAGE_OTHER },
    { "cxx", HC_LANGUAGE_OTHER },
    { "c++", HC_LANGUAGE_OTHER },
    { "C", HC_LANGUAGE_OTHER },
    { "CPP", HC_LANGUAGE_OTHER },
    { "ii", HC_LANGUAGE_OTHER },
    { "m", HC_LANGUAGE_OTHER },
    { "mi", HC_LANGUAGE_OTHER },
    { "mm", HC_LANGUAGE_OTHER },
    { "ll", HC_LANGUAGE_OTHER },
    { "bc", HC_LANGUAGE_OTHER },
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static enum hc_language language_by_x(const char *x)
{
    for (size_t i = 0; i < LENGTH(languages); i++)
        if (!strcmp(x, languages[i].name))
            return languages[i].language;
    return HC_LANGUAGE_OTHER;
}

static enum hc_language language_by_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *dot = strrchr(slash ? slash : file, '.');

    for (size_t i = 0; dot && i < LENGTH(extensions); i++)
        if (!strcmp(dot + 1, extensions[i].name))
            return extensions[i].language;
    return HC_LANGUAGE_NONE;
}

static bool fits(const struct option *option, const char *word)
{
    size_t length = strlen(option->text);

    if (option->form == EXACT || option->form == SEPARATE)
        return !strcmp(word, option->text);
    return !strncmp(word, option->text, length);
}

static const struct option *find_option(const char *word)
{
    const struct option *best = NULL;

    for (size_t i = 0; i < LENGTH(options); i++)
        if (fits(&options[i], word) && (!best || strlen(options[i].text) > strlen(best->text)))
            best = &options[i];
    return best;
}

static struct hc_argument read_input(const char *word, const char *x)
{
    struct hc_argument a = { .kind = HC_ARGUMENT_INPUT, .count = 1, .value = word, .x = x };

    a.language = x ? language_by_x(x) : language_by_name(word);
    return a;
}

static struct hc_argument read_option(const struct option *option, char *const *word, size_t left)
{
    struct hc_argument a = { .kind = option ? option->kind : HC_ARGUMENT_CODE, .count = 1 };

    if (!option)
        return a;
    size_t length = strlen(option->text);
    bool joined = word[0][length] != '\0';
    if (option->form == PREFIX || (option->form == EITHER && joined)) {
        a.value = word[0] + length;
    } else if (option->form != EXACT && left > 1) {
        a.value = word[1];
        a.count = 2;
    }
    return a;
}

/* -c and -S say how far to go; what makes no code at all wins, and -S before -c, as in a compiler. */
static void note_mode(struct hc_arguments *arguments, enum hc_driver_mode mode)
{
    if (mode > arguments->mode)
        arguments->mode = mode;
}

static void note_option(struct hc_arguments *arguments, const struct option *option, const struct hc_argument *a,
                        const char **x)
{
    const char *word = arguments->words.word[a->first];

    if (a->kind == HC_ARGUMENT_MODE)
        note_mode(arguments, option->mode);
    else if (a->kind == HC_ARGUMENT_OUTPUT)
        arguments->output = a->value;
    else if (a->kind == HC_ARGUMENT_LANGUAGE)
        *x = a->value && strcmp(a->value, "none") != 0 ? a->value : NULL;
    else if (!strncmp(word, "-mmcu=", 6))
        arguments->part = word + 6;
    else if (!strcmp(word, "-r") || !strcmp(word, "-shared"))
        arguments->relocatable = true;
    else if (strstr(word, "-save-temps"))
        arguments->saves_temporaries = true;
    else if (!strcmp(word, "-emit-llvm"))
        arguments->emits_llvm = true;
}

bool hc_arguments_read(struct hc_arguments *out, char *const *word, size_t count)
{
    const char *x = NULL;

    *out = (struct hc_arguments){ 0 };
    hc_argv_expand(&out->words, word, count);
    if (out->words.failed)
        return false;
    out->argument = calloc(out->words.count + 1, sizeof *out->argument);
    if (!out->argument)
        return false;
    for (size_t i = 0; i < out->words.count;) {
        char **here = out->words.word + i;
        bool is_option = here[0][0] == '-' && here[0][1];
        const struct option *option = is_option ? find_option(here[0]) : NULL;
        struct hc_argument a = is_option ? read_option(option, here, out->words.count - i) : read_input(here[0], x);
        a.first = i;
        if (is_option)
            note_option(out, option, &a, &x);
        out->argument[out->count++] = a;
        i += a.count;
    }
    return true;
}

void hc_arguments_free(struct hc_arguments *arguments)
{
    free(arguments->argument);
    hc_argv_free(&arguments->words);
}

void hc_arguments_select(const struct hc_arguments *arguments, unsigned kinds, struct hc_argv *out)
{
    for (size_t i = 0; i < arguments->count; i++) {
        const struct hc_argument *a = &arguments->argument[i];
        if (kinds >> a->kind & 1)
            hc_argv_add_all(out, arguments->words.word + a->first, a->count);
    }
}

size_t hc_arguments_sources(const struct hc_arguments *arguments)
{
    size_t sources = 0;

    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->argument[i].kind == HC_ARGUMENT_INPUT)
            sources += arguments->argument[i].language == HC_LANGUAGE_C ||
                       arguments->argument[i].language == HC_LANGUAGE_PREPROCESSED_C;
    return sources;
}

char *hc_output_name(const char *file, const char *extension)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);
    char *out = NULL;

    return asprintf(&out, "%.*s.%s", length, name, extension) < 0 ? NULL : out;
}
