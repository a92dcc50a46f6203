/* The last step of a link: an ELF file that holds the recorder but does not use it yet becomes one that does.
 *
 *   vectors      point to the recorder's trampolines; __hc_link keeps where they pointed
 *   __hc_link    memory that checkpoints hold, pages whose positions are hashed, the build id (runtime/link.h)
 *   updates      calls of the recorder in loops and handlers become returns where they would do harm, or no good
 *   build id     a hash of all that is loaded, in __hc_link, in the note .note.hindcast, and in a GNU note if there is
 * one
 *
 * Nothing moves: bytes are replaced where they are, and the file is read again to see that it says what it should. */
#ifndef HC_INSTRUMENT_LINK_PATCH_H
#define HC_INSTRUMENT_LINK_PATCH_H

#include "instrument/command/invocation.h"
#include "registers/regs.h"

/* The numbers of the vectors that the program in the linker's output PATH handles, except reset, separated by commas;
 * free them. NULL with a message. */
char *hc_patch_handled(struct hc_invocation *session, const char *path, const struct hc_regs *registers);

/* CALLED: uninstrumented code calls hc_update or hc_update_later. TRUSTED: names of functions in whose loops no
 * interrupt occurs. RUNTIME: the folder of the recorder's sources. Returns false with the invocation's message. */
bool hc_patch(struct hc_invocation *session, const char *path, const struct hc_regs *registers, bool called,
              const struct hc_argv *trusted, const char *runtime);

/* The same for a program whose messages alone are recorded: it gets its build id, and numbers for its paths. TRUSTED:
 * handlers that lead to no function whose paths are recorded. */
bool hc_patch_messages(struct hc_invocation *session, const char *path, const struct hc_regs *registers,
                       const struct hc_argv *trusted);

#endif
