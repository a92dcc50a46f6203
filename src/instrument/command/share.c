#include "share.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *readable(const char *directory, const char *between, const char *name)
{
    char *path = NULL;

    if (asprintf(&path, "%s%s/%s", directory, between, name) < 0)
        return NULL;
    if (!access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

static char *beside_program(const char *name)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return NULL;
    *slash = '\0';
    return readable(program, "/../share/hindcast", name);
}

char *hc_share_find(const char *name)
{
    const char *given = getenv("HINDCAST_SHARE");

    if (given && *given)
        return readable(given, "", name);
    char *path = beside_program(name);
    return path ? path : readable(HC_SOURCE_TREE, "", name);
}

static int load_part(struct hc_regs **out, const char *part, struct hc_regs_message *message)
{
    char *name = NULL;

    if (asprintf(&name, "devices/%s.regs", part) < 0) {
        snprintf(message->text, sizeof message->text, "out of memory");
        return HC_REGS_NO_MEMORY;
    }
    char *path = hc_share_find(name);
    int error = hc_regs_load_part(out, path ? path : part, message);
    free(path);
    free(name);
    return error;
}

bool hc_share_registers(struct hc_regs **out, const char *part, struct hc_regs_message *message)
{
    struct hc_regs_message ignored;
    char *other;

    *out = NULL;
    if (!part) {
        snprintf(message->text, sizeof message->text, "no part given: add -mmcu=PART or --part=PART");
        return false;
    }
    if (!load_part(out, part, message))
        return true;
    /* The first ports of GCC said msp430x1611. */
    if (strncmp(part, "msp430x", 7) != 0 || !(other = strdup(part)))
        return false;
    other[6] = 'f';
    int error = load_part(out, other, &ignored);
    free(other);
    return !error;
}
