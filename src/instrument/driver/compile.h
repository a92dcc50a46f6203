/* One source: compiled as the user asked, then once more with the recorder's calls in it, or a checkpoint function's.
 *
 *   1. the user's own command, with hindcast.h to be found, makes the output: its messages and its exit code are the
 *      user's, and the sizes of its functions tell later what recording costs
 *   2. the user's compiler preprocesses, and writes the dependencies
 *   3. unit.h instruments the text
 *      (bitcode.h keeps what clang makes of it)
 *   4. the user's compiler compiles that over the output, without warnings: they were shown
 *
 * The text keeps its line markers, so that debug information names the user's files and lines. */
#ifndef HC_INSTRUMENT_DRIVER_COMPILE_H
#define HC_INSTRUMENT_DRIVER_COMPILE_H

#include "instrument/command/arguments.h"
#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"
#include "registers/regs.h"

struct hc_compiler {
    struct hc_argv command; /* its name, or ccache's and its name */
    bool gcc;               /* else clang */
};

/* Removes the compiler's words from ARGUMENT; returns how many there are, 0 if none. */
size_t hc_compiler_read(struct hc_compiler *compiler, char *const *argument, size_t count);
void hc_compiler_free(struct hc_compiler *compiler);

struct hc_compilation {
    struct hc_invocation *session;
    const struct hc_compiler *compiler;
    const struct hc_arguments *arguments;
    const struct hc_regs *registers;
    const char *runtime; /* the directory with hindcast.h */
    bool sizes;          /* step 1 generates code; otherwise it only checks */
    const struct hc_settings *settings;
};

/* Compiles INPUT to OUTPUT (an object, or assembly with -S). Returns false with the invocation's message; if *CODE is
 * not 0, a compiler printed the message and *CODE is its exit code. LINKED: the output is a temporary of a command that
 * also links. */
bool hc_compile(const struct hc_compilation *c, const struct hc_argument *input, const char *output, bool linked,
                int *code);

#endif
