/* The output of `hindcast profile`. */
#ifndef HC_CLI_PROFILE_PRINT_H
#define HC_CLI_PROFILE_PRINT_H

#include "profile/summary.h"

#include <stdio.h>

struct hc_profile_format {
    bool lines, json;
    uint64_t limit; /* of functions and lines; 0: none */
};

struct hc_profile_figures {
    const char *image, *log, *part;
    bool replayed, ended; /* ended: by the user */
    struct hc_cost machine;
    uint64_t interrupts;
    double seconds;
    size_t stretches, stacks;
    uint32_t deepest_stack;
    double nanojoules_a_cycle; /* 0: not known */
};

void hc_profile_print(FILE *out, const struct hc_summary *s, const struct hc_profile_figures *figures,
                      const struct hc_profile_format *format);

#endif
