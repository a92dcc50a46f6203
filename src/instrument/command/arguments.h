/* Parses a compiler's command line: which words are options, what each is for, which are files.
 *
 * Knows the options of GCC and clang. An unknown option is taken to have no value and to affect code generation. */
#ifndef HC_INSTRUMENT_COMMAND_ARGUMENTS_H
#define HC_INSTRUMENT_COMMAND_ARGUMENTS_H

#include "argv.h"

/* What an argument is for, which decides in which of our runs of the compiler it is repeated. */
enum hc_argument_kind {
    HC_ARGUMENT_CODE,         /* anything that may change the code: -Os, -g, -ffunction-sections, -std=c99, -Wall */
    HC_ARGUMENT_TARGET,       /* for which CPU, by which tools: --target=, -mmcu=, -B, --sysroot= */
    HC_ARGUMENT_PREPROCESSOR, /* -D -I -include -Wp, ... */
    HC_ARGUMENT_DEPENDENCIES, /* -MD -MF ... */
    HC_ARGUMENT_STRICT,       /* turns warnings into errors: -Werror, -pedantic-errors */
    HC_ARGUMENT_ONCE,         /* must happen in one run only: -save-temps, -v, -MJ */
    HC_ARGUMENT_LINK,         /* -L -T -Wl, -nostdlib ... */
    HC_ARGUMENT_MODE,         /* -c -S -E ... */
    HC_ARGUMENT_LANGUAGE,     /* -x */
    HC_ARGUMENT_OUTPUT,       /* -o */
    HC_ARGUMENT_INPUT,
};

enum hc_language {
    HC_LANGUAGE_NONE, /* for the linker: objects, archives, scripts, -lNAME */
    HC_LANGUAGE_C,
    HC_LANGUAGE_PREPROCESSED_C,
    HC_LANGUAGE_ASSEMBLER,
    HC_LANGUAGE_OTHER, /* that the compiler compiles and we do not: C++, headers */
};

enum hc_driver_mode {
    HC_MODE_LINK,     /* compile what needs it, then link */
    HC_MODE_OBJECT,   /* -c */
    HC_MODE_ASSEMBLY, /* -S */
    HC_MODE_OTHER,    /* generates no code: -E, -M, -fsyntax-only, --version ... */
};

struct hc_argument {
    enum hc_argument_kind kind;
    size_t first, count;       /* in the words */
    const char *value;         /* "app.o" of "-o app.o"; of an input, its name; NULL if there is none */
    enum hc_language language; /* of an input */
    const char *x;             /* the -x that applies to it, or NULL */
};

struct hc_arguments {
    struct hc_argv words; /* response files expanded */
    struct hc_argument *argument;
    size_t count;
    enum hc_driver_mode mode;
    const char *output;     /* -o, or NULL */
    const char *part;       /* the value of -mmcu= or -mdevice=, or NULL */
    bool relocatable;       /* -r, -shared: the output is not yet a program */
    bool saves_temporaries; /* -save-temps */
    bool emits_llvm;        /* -emit-llvm */
};

/* COUNT words after the compiler's name. Returns false on out-of-memory. Free with hc_arguments_free in any case. */
bool hc_arguments_read(struct hc_arguments *out, char *const *word, size_t count);
void hc_arguments_free(struct hc_arguments *arguments);

/* The words of all arguments whose kind is in KINDS, a set of 1 << kind, in their order. */
void hc_arguments_select(const struct hc_arguments *arguments, unsigned kinds, struct hc_argv *out);

/* Sources of C among the inputs. */
size_t hc_arguments_sources(const struct hc_arguments *arguments);

/* The default output name for FILE: "x/app.c" and "o" give "app.o". The caller frees it. */
char *hc_output_name(const char *file, const char *extension);

#endif
