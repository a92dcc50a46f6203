#include "files.h"

#include "command.h"

#include <string.h>

static bool is_given(const struct hc_named_file *file)
{
    return file->path && strcmp(file->path, "-") != 0;
}

int hc_files_check(const struct hc_named_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            const struct hc_named_file *a = &files[i], *b = &files[k];
            if (!is_given(a) || !is_given(b) || (a->use == HC_FILE_READ && b->use == HC_FILE_READ) ||
                !hc_output_same(a->path, b->path))
                continue;
            const struct hc_named_file *written = b->use == HC_FILE_READ ? a : b, *other = written == a ? b : a;
            hc_complain("%s: %s would overwrite this file, which is also %s; give another name", written->path,
                        written->name, other->name);
            return HC_EXIT_USAGE;
        }
    return HC_EXIT_FINE;
}

int hc_files_fail(const char *path, int cause)
{
    hc_complain("%s: cannot be written: %s", path, strerror(cause));
    return HC_EXIT_INPUT;
}

int hc_files_open(struct hc_output_file **out, const char *path)
{
    int cause = hc_output_open(out, path);
    return cause ? hc_files_fail(path, cause) : HC_EXIT_FINE;
}

int hc_files_close(struct hc_output_file *o, const char *path, bool well)
{
    if (!o || !well) {
        hc_output_drop(o);
        return HC_EXIT_FINE;
    }
    int cause = hc_output_keep(o);
    return cause ? hc_files_fail(path, cause) : HC_EXIT_FINE;
}
