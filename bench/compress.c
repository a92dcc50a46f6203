#include "compress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

size_t compress_by(const char *command, const uint8_t *bytes, size_t size)
{
    char path[] = "/tmp/bench-XXXXXX";
    char line[128];
    unsigned long out = 0;
    int file = mkstemp(path);
    if (file < 0)
        return 0;
    if (write(file, bytes, size) == (ssize_t)size) {
        snprintf(line, sizeof line, "%s < %s | wc -c", command, path);
        FILE *in = popen(line, "r");
        if (!in || fscanf(in, "%lu", &out) != 1)
            out = 0;
        if (in)
            pclose(in);
    }
    close(file);
    unlink(path);
    return out;
}
