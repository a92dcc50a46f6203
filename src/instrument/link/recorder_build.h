/* The recorder's objects, compiled from its sources for one program.
 *
 * runtime/sources.txt says what there is, in lines of words:
 *   source PATH                       always compiled
 *   when KEY VALUE source PATH        where the user chose so: sink, port, part, codec (of any kind of event)
 *   default KEY VALUE                 what holds where the user chose nothing
 *   include PATH                      a folder for -I, beside runtime/ itself
 *   uses SYMBOL                       of the program's or the linker's: others than hc_... and __hc_... are refused
 *   fit PATH                          a source that is compiled again when the program's vectors are known
 *   keep SYMBOL                       a root for linkers that leave out what nobody refers to */
#ifndef HC_INSTRUMENT_LINK_RECORDER_BUILD_H
#define HC_INSTRUMENT_LINK_RECORDER_BUILD_H

#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"
#include "map_records.h"
#include "registers/regs.h"

struct hc_recorder_build {
    struct hc_argv objects; /* temporary files */
    struct hc_argv keep;    /* symbols */
    bool fits;              /* some of them can be compiled again to fit the vectors */
    bool calls_update;      /* the port calls it, from a hook of the program */
};

/* For a program made of INPUTS that runs on the part of REGISTERS and will be OUTPUT. Returns like hc_compile. */
bool hc_recorder_compile(struct hc_recorder_build *recorder, struct hc_invocation *session,
                         const struct hc_settings *settings, const struct hc_link_inputs *inputs,
                         const struct hc_regs *registers, const char *output, int *code);

/* Compiles the objects that depend on the program's vectors again: HANDLED has their numbers, separated by commas. */
bool hc_recorder_fit(struct hc_recorder_build *recorder, struct hc_invocation *session,
                     const struct hc_settings *settings, const struct hc_link_inputs *inputs,
                     const struct hc_regs *registers, const char *handled, int *code);
void hc_recorder_free(struct hc_recorder_build *recorder);

#endif
