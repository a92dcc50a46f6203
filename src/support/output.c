#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MOST = 40, ATTEMPTS = 100 };

struct hc_output_file {
    FILE *file;
    bool direct;               /* a device or a pipe: there is nothing to put in place */
    char *path;                /* that it takes, behind links */
    char beside[PATH_MAX + 1]; /* the name that it has until then; "": none */
};

/* ---- where it goes ---- */

/* What the link at PATH points to, as seen from here; NULL with errno. */
static char *follow(const char *path)
{
    char target[PATH_MAX + 1], whole[2 * PATH_MAX + 2];
    ssize_t n = readlink(path, target, PATH_MAX);
    const char *slash = strrchr(path, '/');

    if (n < 0)
        return NULL;
    target[n] = '\0';
    if (target[0] == '/' || !slash)
        return strdup(target);
    snprintf(whole, sizeof whole, "%.*s/%s", (int)(slash - path), path, target);
    return strdup(whole);
}

char *hc_output_place(const char *path)
{
    struct stat status;
    char *here = strdup(path);

    for (int i = 0; here; i++) {
        if (lstat(here, &status) || !S_ISLNK(status.st_mode))
            return here;
        char *next = i < LINKS_MOST ? follow(here) : NULL;
        if (i == LINKS_MOST)
            errno = ELOOP;
        free(here);
        here = next;
    }
    return NULL;
}

/* The directory of PATH. */
static const char *directory_of(const char *path, char out[PATH_MAX + 1])
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return ".";
    snprintf(out, PATH_MAX + 1, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return out;
}

/* A name beside O's place that nobody can guess. */
static int name_beside(struct hc_output_file *o)
{
    char directory[PATH_MAX + 1];
    const char *slash = strrchr(o->path, '/');
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return errno;
    int n = snprintf(o->beside, sizeof o->beside, "%s/.%.200s.%016llx", directory_of(o->path, directory),
                     slash ? slash + 1 : o->path, (unsigned long long)number);
    return n > PATH_MAX ? ENAMETOOLONG : 0;
}

/* ---- opening ---- */

static int open_named(struct hc_output_file *o)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        int cause = name_beside(o);
        if (cause) {
            errno = cause;
            return -1;
        }
        int fd = open(o->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int open_beside(struct hc_output_file *o)
{
    char directory[PATH_MAX + 1];
    int fd = open(directory_of(o->path, directory), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
        return fd;
    return open_named(o);
}

int hc_output_take_mode(int fd, const struct stat *status)
{
    if (fchown(fd, status->st_uid, status->st_gid) && fchown(fd, (uid_t)-1, status->st_gid))
        return fchmod(fd, status->st_mode & 0777) ? errno : 0; /* another's: no set-id bits */
    return fchmod(fd, status->st_mode & 07777) ? errno : 0;
}

static int open_path(struct hc_output_file *o, int *out)
{
    struct stat status;
    bool exists = !stat(o->path, &status);
    int cause = 0;

    if (!exists && errno != ENOENT)
        return errno;
    if (exists && S_ISDIR(status.st_mode))
        return EISDIR;
    if (exists && access(o->path, W_OK))
        return errno;
    o->direct = exists && !S_ISREG(status.st_mode);
    *out = o->direct ? open(o->path, O_WRONLY | O_NOCTTY | O_CLOEXEC) : open_beside(o);
    if (*out < 0)
        return errno;
    if (exists && !o->direct)
        cause = hc_output_take_mode(*out, &status);
    return cause;
}

static void discard(struct hc_output_file *o, int fd)
{
    if (o->file)
        fclose(o->file);
    else if (fd >= 0)
        close(fd);
    if (o->beside[0])
        unlink(o->beside);
    free(o->path);
    free(o);
}

int hc_output_open(struct hc_output_file **out, const char *path)
{
    struct hc_output_file *o = *out = calloc(1, sizeof *o);
    int fd = -1, cause;

    if (!o)
        return ENOMEM;
    o->path = hc_output_place(path);
    cause = o->path ? open_path(o, &fd) : errno;
    if (!cause && fd >= 0)
        o->file = fdopen(fd, "wb");
    if (o->file)
        return 0;
    if (!cause)
        cause = errno ? errno : EIO;
    discard(o, fd);
    *out = NULL;
    return cause;
}

FILE *hc_output_file(struct hc_output_file *o)
{
    return o->file;
}

/* ---- closing ---- */

/* Gives a nameless file a name, beside its place. */
static int give_name(struct hc_output_file *o)
{
    char self[40];

    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(o->file));
    for (int i = 0; i < ATTEMPTS; i++) {
        int cause = name_beside(o);
        if (cause)
            return cause;
        if (!linkat(AT_FDCWD, self, AT_FDCWD, o->beside, AT_SYMLINK_FOLLOW))
            return 0;
        o->beside[0] = '\0';
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

/* 0 or errno. */
static int put_in_place(struct hc_output_file *o)
{
    int cause = o->beside[0] ? 0 : give_name(o);

    if (!cause && rename(o->beside, o->path))
        cause = errno;
    if (!cause)
        o->beside[0] = '\0';
    return cause;
}

int hc_output_keep(struct hc_output_file *o)
{
    errno = 0;
    int cause = fflush(o->file) || ferror(o->file) ? (errno ? errno : EIO) : 0;

    if (!cause && !o->direct)
        cause = put_in_place(o);
    discard(o, -1);
    return cause;
}

void hc_output_drop(struct hc_output_file *o)
{
    if (o)
        discard(o, -1);
}

int hc_output_write(const char *path, const void *bytes, size_t size)
{
    struct hc_output_file *o;
    int cause = hc_output_open(&o, path);

    if (cause)
        return cause;
    if (size)
        fwrite(bytes, 1, size, o->file);
    return hc_output_keep(o);
}

/* ---- one file, or two? ---- */

static bool same_place(const char *a, const char *b)
{
    struct stat x, y;
    char directory[PATH_MAX + 1];
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');

    if (strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) != 0)
        return false;
    return !stat(directory_of(a, directory), &x) && !stat(directory_of(b, directory), &y) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

bool hc_output_same(const char *a, const char *b)
{
    struct stat x, y;
    bool there_a = !stat(a, &x), there_b = !stat(b, &y);

    if (there_a && there_b)
        return x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
    if (there_a || there_b)
        return false;
    char *behind_a = hc_output_place(a), *behind_b = hc_output_place(b);
    bool same = behind_a && behind_b && same_place(behind_a, behind_b);
    free(behind_a);
    free(behind_b);
    return same;
}
