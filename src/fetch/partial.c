#include "partial.h"

#include "support/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL_SIZE = 16, TAIL_CHIP = 20, TAIL_SERIAL = 24, TAIL_NODE = 30, TAIL_MAP = 32 };
static const char magic[16] = "hindcast fetch1";

static enum hc_fetch_error fail(const char *path, int cause, struct hc_fetch_message *message)
{
    hc_fetch_fail(message, HC_FETCH_FILE, "%s: %s", path, strerror(cause));
    return HC_FETCH_FILE;
}

static size_t map_size(const struct hc_partial *p)
{
    return (p->identity.size / HC_MOTE_CHUNK + 7) / 8;
}

static uint64_t big_endian(const uint8_t *from, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++)
        value = value << 8 | from[i];
    return value;
}

static void put_big_endian(uint8_t *to, int bytes, uint64_t value)
{
    for (int i = bytes; i--; value >>= 8)
        to[i] = (uint8_t)value;
}

static enum hc_fetch_error write_at(const struct hc_partial *p, const void *bytes, size_t count, uint32_t offset,
                                    struct hc_fetch_message *message)
{
    ssize_t n = pwrite(p->fd, bytes, count, offset);

    return n == (ssize_t)count ? HC_FETCH_OK : fail(p->partial, n < 0 ? errno : ENOSPC, message);
}

/* ---- the tail ---- */

static uint32_t chip_of(const struct hc_mote_identity *i)
{
    return (uint32_t)i->signature << 24 | (uint32_t)i->chip[0] << 16 | (uint32_t)i->chip[1] << 8 | i->chip[2];
}

static void make_tail(const struct hc_partial *p, uint8_t tail[TAIL_MAP])
{
    memcpy(tail, magic, sizeof magic);
    put_big_endian(tail + TAIL_SIZE, 4, p->identity.size);
    put_big_endian(tail + TAIL_CHIP, 4, chip_of(&p->identity));
    put_big_endian(tail + TAIL_SERIAL, 6, p->identity.serial);
    put_big_endian(tail + TAIL_NODE, 2, p->identity.node);
}

static enum hc_fetch_error fail_not_ours(const struct hc_partial *p, struct hc_fetch_message *message)
{
    return hc_fetch_fail(
        message, HC_FETCH_OTHER_CHIP,
        "%s: not a part of a chip of %u KB that hindcast fetch began to read; remove it, or begin anew "
        "with --restart",
        p->partial, p->identity.size / 1024);
}

static enum hc_fetch_error check_tail(const struct hc_partial *p, const uint8_t *tail, struct hc_fetch_message *message)
{
    uint64_t serial = big_endian(tail + TAIL_SERIAL, 6);

    if (memcmp(tail, magic, sizeof magic) != 0 || big_endian(tail + TAIL_SIZE, 4) != p->identity.size ||
        big_endian(tail + TAIL_CHIP, 4) != chip_of(&p->identity))
        return fail_not_ours(p, message);
    if (serial && p->identity.serial && serial != p->identity.serial)
        return hc_fetch_fail(
            message, HC_FETCH_OTHER_CHIP,
            "%s: is of another node: serial number %012llx, id %u; this one is %012llx, id %u. Give another "
            "-o, or begin anew with --restart",
            p->partial, (unsigned long long)serial, (unsigned)big_endian(tail + TAIL_NODE, 2),
            (unsigned long long)p->identity.serial, p->identity.node);
    return HC_FETCH_OK;
}

static enum hc_fetch_error load(struct hc_partial *p, struct hc_fetch_message *message)
{
    uint8_t tail[TAIL_MAP];
    struct stat status;

    if (fstat(p->fd, &status))
        return fail(p->partial, errno, message);
    if ((size_t)status.st_size != p->identity.size + TAIL_MAP + map_size(p) ||
        pread(p->fd, tail, sizeof tail, p->identity.size) != (ssize_t)sizeof tail ||
        pread(p->fd, p->map, map_size(p), p->identity.size + TAIL_MAP) != (ssize_t)map_size(p))
        return fail_not_ours(p, message);
    for (size_t i = 0; i < map_size(p); i++)
        p->read += (uint32_t)__builtin_popcount(p->map[i]);
    return check_tail(p, tail, message);
}

static enum hc_fetch_error make(struct hc_partial *p, struct hc_fetch_message *message)
{
    uint8_t erased[HC_MOTE_CHUNK], tail[TAIL_MAP];
    enum hc_fetch_error error = HC_FETCH_OK;

    memset(erased, 0xff, sizeof erased);
    make_tail(p, tail);
    if (ftruncate(p->fd, 0))
        return fail(p->partial, errno, message);
    for (uint32_t at = 0; !error && at < p->identity.size; at += sizeof erased)
        error = write_at(p, erased, sizeof erased, at, message);
    if (!error)
        error = write_at(p, p->map, map_size(p), p->identity.size + TAIL_MAP, message);
    return error ? error : write_at(p, tail, sizeof tail, p->identity.size, message);
}

/* ---- open and close ---- */

/* A directory in the way is better found now than at the end. */
static enum hc_fetch_error open_file(struct hc_partial *p, bool *is_new, struct hc_fetch_message *message)
{
    struct stat status;

    if (!stat(p->path, &status) && !S_ISREG(status.st_mode))
        return hc_fetch_fail(message, HC_FETCH_FILE, "%s: not a file; give another -o", p->path);
    /* Its name can be guessed, for another run goes on with it: a link that someone planted there is not followed. */
    p->fd = open(p->partial, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (p->fd < 0 || fstat(p->fd, &status))
        return fail(p->partial, errno, message);
    if (flock(p->fd, LOCK_EX | LOCK_NB)) {
        close(p->fd);
        p->fd = -1;
        hc_fetch_fail(message, HC_FETCH_FILE, "%s: another hindcast fetch writes it; give another -o", p->partial);
        return HC_FETCH_FILE;
    }
    *is_new = !status.st_size;
    return HC_FETCH_OK;
}

enum hc_fetch_error hc_partial_open(struct hc_partial *p, const char *path, const struct hc_mote_identity *identity,
                                    bool restart, struct hc_fetch_message *message)
{
    bool is_new = false;

    *p = (struct hc_partial){ .fd = -1, .identity = *identity };
    p->path = hc_output_place(path);
    p->map = calloc(1, map_size(p));
    if (!p->path || asprintf(&p->partial, "%s.partial", p->path) < 0)
        p->partial = NULL;
    if (!p->path || !p->map || !p->partial)
        return hc_fetch_fail(message, HC_FETCH_FILE, "out of memory");
    enum hc_fetch_error error = open_file(p, &is_new, message);
    if (error)
        return error;
    if (!is_new && !restart)
        return load(p, message);
    error = make(p, message);
    if (error)
        unlink(p->partial); /* the disk is full: half a file would be in the way later */
    return error;
}

void hc_partial_close(struct hc_partial *p)
{
    uint8_t tail[sizeof magic];
    bool ours = p->fd >= 0 && pread(p->fd, tail, sizeof tail, p->identity.size) == (ssize_t)sizeof tail &&
                memcmp(tail, magic, sizeof magic) == 0;

    if (ours && !p->read)
        unlink(p->partial);
    if (p->fd >= 0)
        close(p->fd);
    free(p->path);
    free(p->partial);
    free(p->map);
    *p = (struct hc_partial){ .fd = -1 };
}

enum hc_fetch_error hc_partial_finish(struct hc_partial *p, struct hc_fetch_message *message)
{
    struct stat replaced;

    if (ftruncate(p->fd, p->identity.size) || fsync(p->fd))
        return fail(p->partial, errno, message);
    if (!stat(p->path, &replaced))
        hc_output_take_mode(p->fd, &replaced);
    if (rename(p->partial, p->path))
        return fail(p->path, errno, message);
    hc_partial_close(p);
    return HC_FETCH_OK;
}

/* ---- chunks ---- */

bool hc_partial_has(const struct hc_partial *p, uint32_t address)
{
    uint32_t chunk = address / HC_MOTE_CHUNK;

    return p->map[chunk / 8] >> chunk % 8 & 1;
}

enum hc_fetch_error hc_partial_get(const struct hc_partial *p, uint32_t address, uint8_t to[HC_MOTE_CHUNK],
                                   struct hc_fetch_message *message)
{
    ssize_t n = pread(p->fd, to, HC_MOTE_CHUNK, address);

    return n == HC_MOTE_CHUNK ? HC_FETCH_OK : fail(p->partial, n < 0 ? errno : EIO, message);
}

enum hc_fetch_error hc_partial_put(struct hc_partial *p, uint32_t address, const uint8_t from[HC_MOTE_CHUNK],
                                   struct hc_fetch_message *message)
{
    uint32_t chunk = address / HC_MOTE_CHUNK;
    enum hc_fetch_error error = write_at(p, from, HC_MOTE_CHUNK, address, message);

    if (error)
        return error;
    p->read += !hc_partial_has(p, address);
    p->map[chunk / 8] |= (uint8_t)(1 << chunk % 8);
    return write_at(p, &p->map[chunk / 8], 1, p->identity.size + TAIL_MAP + chunk / 8, message);
}
