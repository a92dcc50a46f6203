/* Which hindcast this is. */
#ifndef HC_CLI_VERSION_H
#define HC_CLI_VERSION_H

#include <stdio.h>

/* Version, commit ("unknown" where it was not built from a git tree; ", changed" with files that are not committed) and
 * build: the compiler, its kind, the CPU. */
struct hc_version {
    const char *version, *commit, *build;
};

struct hc_version hc_version(void);
/* Three lines: "hindcast VERSION", "commit COMMIT", "built by BUILD". */
void hc_version_print(FILE *out);

#endif
