#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE_MOST = 4 << 20 };

/* Where PATH is now: NULL when memory is exhausted; to be freed. The first mapping that fits counts. */
static char *mapped(const struct hc_sources *sources, const char *path)
{
    for (int i = 0; i < sources->mappings; i++) {
        size_t length = strlen(sources->mapping[i].from);
        if (strncmp(path, sources->mapping[i].from, length) != 0 || (path[length] != '/' && path[length] != '\0'))
            continue;
        size_t size = strlen(sources->mapping[i].to) + strlen(path + length) + 1;
        char *out = malloc(size);
        if (out)
            snprintf(out, size, "%s%s", sources->mapping[i].to, path + length);
        return out;
    }
    return strdup(path);
}

static void read_file(const struct hc_sources *sources, struct hc_source_file *f)
{
    char *path = mapped(sources, f->path);
    FILE *file = path ? fopen(path, "rb") : NULL;
    struct stat about;

    free(path);
    if (!file)
        return;
    if (!fstat(fileno(file), &about))
        f->changed = about.st_mtime;
    f->text = malloc(SIZE_MOST + 1);
    if (f->text) {
        f->size = fread(f->text, 1, SIZE_MOST, file);
        f->text[f->size] = '\0';
        char *fitting = realloc(f->text, f->size + 1);
        if (fitting)
            f->text = fitting;
        for (size_t i = 0; i < f->size; i++)
            if (f->text[i] == '\n')
                f->text[i] = '\0';
    }
    fclose(file);
}

static struct hc_source_file *find(struct hc_sources *sources, const char *path)
{
    for (int i = 0; i < sources->count; i++)
        if (!strcmp(sources->files[i].path, path))
            return &sources->files[i];
    if (sources->count == HC_SOURCE_FILES)
        return NULL;
    struct hc_source_file *f = &sources->files[sources->count];
    *f = (struct hc_source_file){ .path = strdup(path) };
    if (!f->path)
        return NULL;
    sources->count++;
    read_file(sources, f);
    return f;
}

const char *hc_source_text(struct hc_sources *sources, const char *path, int number)
{
    const struct hc_source_file *f = find(sources, path);

    if (!f || !f->text || number < 1)
        return NULL;
    const char *line = f->text, *end = f->text + f->size;
    for (int i = 1; i < number && line < end; i++)
        line += strlen(line) + 1;
    return line < end ? line : NULL;
}

bool hc_source_is_newer(struct hc_sources *sources, const char *path, int64_t than)
{
    struct hc_source_file *f = find(sources, path);
    bool newer = f && !f->told && f->changed > than;

    if (newer)
        f->told = true;
    return newer;
}

const char *hc_source_line(struct hc_sources *sources, const char *path, int number)
{
    const char *line = hc_source_text(sources, path, number);

    return line ? line + strspn(line, " \t") : "";
}

void hc_sources_free(struct hc_sources *sources)
{
    for (int i = 0; i < sources->count; i++) {
        free(sources->files[i].path);
        free(sources->files[i].text);
    }
    sources->count = 0;
}
