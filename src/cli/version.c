#include "version.h"
#include <commit.h>

struct hc_version hc_version(void)
{
    return (struct hc_version){ .version = HC_VERSION, .commit = HC_COMMIT, .build = HC_BUILD };
}

void hc_version_print(FILE *out)
{
    struct hc_version v = hc_version();
    fprintf(out, "hindcast %s\ncommit %s\nbuilt by %s\n", v.version, v.commit, v.build);
}
