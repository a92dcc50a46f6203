/* The link step: the recorder's sources are compiled and linked with the program, then the program's vectors and the
 * recorder's table are filled in (patch.h). */
#ifndef HC_INSTRUMENT_LINK_LINK_H
#define HC_INSTRUMENT_LINK_LINK_H

#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"

struct hc_link_request {
    struct hc_invocation *session;
    const struct hc_settings *settings;
    const struct hc_argv *command; /* as the user gave it, objects in place of C sources */
    size_t words;                  /* of them, how many name the program */
    bool through_compiler;         /* it is a compiler's: options for the linker go after -Wl, */
    bool relocatable;              /* -r, -shared: no program yet */
};

/* Where no input is instrumented the command is run as it is. Returns as hc_driver_compile does. */
bool hc_link(const struct hc_link_request *request, int *code);

#endif
