/* Source files: where the image says they are, and where the client has them. */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* PATH with the beginning FROM replaced by TO; false if it does not begin so. */
static bool replace(const char *path, const char *from, const char *to, char *out, size_t size)
{
    size_t length = strlen(from);

    if (!length || strncmp(path, from, length) != 0 || (path[length] && path[length] != '/' && from[length - 1] != '/'))
        return false;
    snprintf(out, size, "%s%s", to, path + length);
    return true;
}

/* "/build/../src/app.c" is "/src/app.c": as far as the text alone can tell. */
static const char *shorten(const char *path, char *out, size_t size)
{
    snprintf(out, size, "%s", path);
    for (char *up; (up = strstr(out, "/../")) && up > out;) {
        char *slash = up;
        while (slash > out && slash[-1] != '/')
            slash--;
        if (slash == out || !strncmp(slash, "..", 2))
            break;
        memmove(slash, up + 4, strlen(up + 4) + 1);
    }
    return out;
}

static const char *client_path(const struct hc_dap *d, const char *name, char *out, size_t size)
{
    char absolute[PATH_MAX], path[PATH_MAX];

    shorten(name, path, sizeof path);
    for (int i = 0; i < d->mappings; i++)
        if (replace(path, d->mapping[i].from, d->mapping[i].to, out, size))
            return out;
    snprintf(out, size, "%s", realpath(path, absolute) ? absolute : path);
    return out;
}

/* The image may know a file by a name that is not what the client opened: a link, a path with "..". */
struct looking {
    const struct hc_dap *d;
    const char *wanted;
    char *out;
    size_t size;
    bool found;
};

static void compare(void *owner, const char *path)
{
    struct looking *l = owner;
    char here[HC_DAP_TEXT], absolute[PATH_MAX];

    if (l->found)
        return;
    client_path(l->d, path, here, sizeof here);
    l->found = !strcmp(here, l->wanted) || (realpath(l->wanted, absolute) && !strcmp(here, absolute));
    if (l->found)
        snprintf(l->out, l->size, "%s", path);
}

const char *hc_dap_image_path(const struct hc_dap *d, const char *path, char *out, size_t size)
{
    struct looking l = { d, path, out, size, false };

    snprintf(out, size, "%s", path);
    for (int i = 0; i < d->sessions && !l.found; i++)
        hc_program_files(d->session[i].debugger->program, compare, &l);
    for (int i = 0; i < d->mappings && !l.found; i++)
        l.found = replace(path, d->mapping[i].to, d->mapping[i].from, out, size);
    return out;
}

json_t *hc_dap_source_json(struct hc_dap *d, const char *path)
{
    char here[HC_DAP_TEXT];
    const char *slash;

    client_path(d, path, here, sizeof here);
    slash = strrchr(here, '/');
    json_t *source = json_pack("{s:s, s:s}", "name", slash ? slash + 1 : here, "path", here);
    if (access(here, R_OK))
        json_object_set_new(source, "presentationHint", json_string("deemphasize"));
    return source;
}

struct listing {
    struct hc_dap *d;
    json_t *list;
};

static void add(void *owner, const char *path)
{
    struct listing *l = owner;
    json_t *source = hc_dap_source_json(l->d, path), *other;
    size_t i;

    json_array_foreach(l->list, i, other)
    {
        if (json_equal(source, other)) {
            json_decref(source);
            return;
        }
    }
    json_array_append_new(l->list, source);
}

void hc_dap_loaded_sources(struct hc_dap_request *r)
{
    struct listing l = { r->dap, json_array() };

    for (int i = 0; i < r->dap->sessions; i++)
        hc_program_files(r->dap->session[i].debugger->program, add, &l);
    hc_dap_respond(r, json_pack("{s:o}", "sources", l.list));
}

/* The text of a file, or NULL with errno; nothing but a file is opened, for others may block. */
static json_t *read_text(const char *path)
{
    enum { MOST = 4 << 20 };
    struct stat status;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool regular = fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode);
    FILE *file = regular ? fdopen(fd, "rb") : NULL;
    char *text = file ? malloc(MOST) : NULL;
    size_t size = text ? fread(text, 1, MOST, file) : 0;
    json_t *content = text ? json_stringn(text, size) : NULL;

    if (fd >= 0)
        errno = EINVAL; /* no text */
    int cause = errno;
    if (file)
        fclose(file);
    else if (fd >= 0)
        close(fd);
    free(text);
    errno = cause;
    return content;
}

void hc_dap_source(struct hc_dap_request *r)
{
    const char *path = hc_dap_string(json_object_get(r->arguments, "source"), "path");
    json_t *content = *path ? read_text(path) : NULL;

    if (!*path)
        hc_dap_refuse(r, "no source.path is given, and sources have no other references here");
    else if (content)
        hc_dap_respond(r, json_pack("{s:o}", "content", content));
    else
        hc_dap_refuse(r, "%s: %s; sourceMap in the launch configuration says where sources are now", path,
                      strerror(errno));
}
