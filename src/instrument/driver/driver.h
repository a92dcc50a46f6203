/* The drop-in compiler and the drop-in linker: a whole command line, done. */
#ifndef HC_INSTRUMENT_DRIVER_DRIVER_H
#define HC_INSTRUMENT_DRIVER_DRIVER_H

#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"

/* Does what COMMAND ("clang-19 -c app.c -o app.o") says, with the recorder in it. Where there is nothing to instrument
 * the command itself replaces this process, and the call does not return.
 *
 * Returns true with *CODE being the exit code of the compiler; false if the session's message says what is wrong. */
bool hc_driver_compile(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                       size_t count, int *code);

/* The same for a linker: "ld.lld-19 -T app.ld app.o -o app.elf". */
bool hc_driver_link(struct hc_invocation *session, const struct hc_settings *settings, char *const *command,
                    size_t count, int *code);

/* All entries of settings->commands, a compile_commands.json. Goes on after an entry that fails, and fails in the end.
 */
bool hc_driver_commands(struct hc_invocation *session, const struct hc_settings *settings, int *code);

#endif
