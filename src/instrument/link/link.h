/* The link step: compiles the recorder's sources, links them with the program, then fills in the vectors and the
 * recorder's table (patch.h). */
#ifndef HC_INSTRUMENT_LINK_LINK_H
#define HC_INSTRUMENT_LINK_LINK_H

#include "instrument/command/invocation.h"
#include "instrument/command/settings.h"

struct hc_link_request {
    struct hc_invocation *session;
    const struct hc_settings *settings;
    const struct hc_argv *command; /* as the user gave it, with objects in place of C sources */
    size_t words;                  /* how many of them form the command's name */
    bool through_compiler;         /* it is a compiler's command: options for the linker need -Wl, */
    bool relocatable;              /* -r, -shared: not a program yet */
};

/* If no input is instrumented, the command runs unchanged. Returns like hc_driver_compile. */
bool hc_link(const struct hc_link_request *request, int *code);

#endif
