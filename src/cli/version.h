/* The version of hindcast. */
#ifndef HC_CLI_VERSION_H
#define HC_CLI_VERSION_H

#include <stdio.h>

/* Version; commit ("unknown" if it was not built from a git tree, with ", changed" if files were not committed); and
 * build: the compiler, the kind of build, the CPU. */
struct hc_version {
    const char *version, *commit, *build;
};

struct hc_version hc_version(void);
/* Three lines: "hindcast VERSION", "commit COMMIT", "built by BUILD". */
void hc_version_print(FILE *out);

#endif
