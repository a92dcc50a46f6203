/* The findings of `hindcast check`, as text and as JSON. */
#ifndef HC_CLI_CHECK_PRINT_H
#define HC_CLI_CHECK_PRINT_H

#include "check/check.h"

#include <stdio.h>

struct hc_check_summary {
    const char *image, *log; /* log NULL: a live run */
    uint64_t instructions, dropped;
    double seconds; /* of a live run */
    unsigned stretches;
    bool faulted, interrupted;
};

void hc_check_print(FILE *out, struct hc_image *image, const struct hc_check_summary *summary,
                    const struct hc_check_finding *finding, size_t count);
void hc_check_print_json(FILE *out, struct hc_image *image, const struct hc_check_summary *summary,
                         const struct hc_check_finding *finding, size_t count);

#endif
