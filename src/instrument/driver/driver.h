/* The drop-in compiler and linker: executes a whole command line. */
#ifndef HC_INSTRUMENT_DRIVER_DRIVER_H
#define HC_INSTRUMENT_DRIVER_DRIVER_H

#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"

/* Executes COMMAND ("clang-19 -c app.c -o app.o") with the recorder added. If there is nothing to instrument, the
 * command replaces this process and the call does not return.
 *
 * Returns true with *CODE the exit code of the compiler, or false with the invocation's message. */
bool hc_driver_compile(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                       size_t count, int *code);

/* The same for a linker: "ld.lld-19 -T app.ld app.o -o app.elf". */
bool hc_driver_link(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                    size_t count, int *code);

/* Compiles all entries of settings->commands, a compile_commands.json. Continues after an entry that fails, and fails
 * at the end. */
bool hc_driver_commands(struct hc_invocation *session, const struct hc_settings *settings, int *code);

#endif
