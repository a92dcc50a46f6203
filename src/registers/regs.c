/* Descriptions of registers: questions, files, memory. */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef HC_REGS_SOURCE_DEVICES
#define HC_REGS_SOURCE_DEVICES "devices"
#endif

/* ---- questions ---- */

const struct hc_reg *hc_regs_at(const struct hc_regs *regs, uint32_t address)
{
    size_t low = 0, high = regs->count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (regs->reg[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address - regs->reg[low - 1].address >= regs->reg[low - 1].size)
        return NULL;
    return &regs->reg[low - 1];
}

static const struct hc_reg *find_name(const struct hc_regs_store *store, const char *name, size_t length)
{
    size_t low = 0, high = store->name_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *other = store->names[middle].name;
        int order = strncmp(name, other, length);
        if (!order && !other[length])
            return &store->reg[store->names[middle].reg];
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const struct hc_reg *hc_regs_named(const struct hc_regs *regs, const char *name)
{
    const struct hc_regs_store *store = (const struct hc_regs_store *)regs;
    size_t length;

    while (*name == '_')
        name++;
    length = strlen(name);
    const struct hc_reg *exact = find_name(store, name, length);
    if (exact || !length || name[length - 1] != '_')
        return exact;
    return find_name(store, name, length - 1);
}

/* "_L" and "_H": the bytes of a word, or the words of a long. */
bool hc_regs_locate(const struct hc_regs *regs, const char *name, uint32_t *address)
{
    const struct hc_reg *reg = hc_regs_named(regs, name);
    char whole[HC_REGS_NAME_MAX];
    size_t length = strlen(name);

    if (reg) {
        *address = reg->address;
        return true;
    }
    if (length < 3 || length - 2 >= sizeof whole || name[length - 2] != '_' || !strchr("LH", name[length - 1]))
        return false;
    memcpy(whole, name, length - 2);
    whole[length - 2] = 0;
    reg = hc_regs_named(regs, whole);
    if (!reg)
        return false;
    *address = reg->address + (name[length - 1] == 'L' ? 0 : reg->size == 4 ? 2u : 1u);
    return true;
}

/* One byte of an access: bits of REG from SHIFT on, put at bit AT of the access. */
static void add_byte(struct hc_regs_access *out, const struct hc_reg *reg, int shift, int at)
{
    uint32_t nondeterministic = reg->nondeterministic >> shift & 0xff;

    out->nondeterministic |= nondeterministic << at;
    out->kept |= (reg->kept >> shift & 0xff) << at;
    out->constant |= (reg->constant >> shift & 0xff) << at;
    if (!nondeterministic)
        return;
    if (out->class == HC_SITE_NONE || reg->class > out->class)
        out->class = reg->class;
    if (!reg->when_mask || reg != out->first)
        out->conditional = false;
}

static void add_unknown(struct hc_regs_access *out, int at)
{
    out->unknown = true;
    out->conditional = false;
    out->nondeterministic |= 0xffu << at;
    if (out->class == HC_SITE_NONE)
        out->class = HC_SITE_STATE;
}

void hc_regs_access(const struct hc_regs *regs, uint32_t address, int size, struct hc_regs_access *out)
{
    *out = (struct hc_regs_access){ .class = HC_SITE_NONE, .conditional = true };
    out->first = hc_regs_at(regs, address);
    for (int i = 0; i < size; i++) {
        const struct hc_reg *reg = hc_regs_at(regs, address + (uint32_t)i);
        bool above_byte = regs->strict_widths && (i & 1) && (!reg || reg->size == 1);

        if (!reg || above_byte)
            add_unknown(out, 8 * i);
        else
            add_byte(out, reg, 8 * (int)(address + (uint32_t)i - reg->address), 8 * i);
    }
    if (!out->nondeterministic)
        out->conditional = false;
}

size_t hc_regs_dump(const struct hc_regs *regs, struct hc_regs_dump *out, size_t max)
{
    size_t count = 0;
    struct hc_regs_dump last = { 0 };

    for (size_t i = 0; i < regs->count; i++) {
        const struct hc_reg *reg = &regs->reg[i];
        uint8_t width = reg->size == 1 ? 1 : 2;
        bool holds = reg->kept || reg->when_mask || reg->multiplier;

        if (!holds || reg->read_effect || reg->write_only)
            continue;
        if (count && last.width == width && last.end + 1 == reg->address) {
            last.end += reg->size;
        } else {
            last = (struct hc_regs_dump){ reg->address, reg->address + reg->size - 1u, width };
            count++;
        }
        if (count <= max)
            out[count - 1] = last;
    }
    return count;
}

/* ---- memory and files ---- */

void hc_regs_free(struct hc_regs *regs)
{
    struct hc_regs_store *store = (struct hc_regs_store *)regs;

    if (!store)
        return;
    for (size_t i = 0; i < store->string_count; i++)
        free(store->strings[i]);
    free(store->strings);
    free(store->names);
    free(store->reg);
    free(store->effect);
    free(store->lock);
    free(store);
}

enum { FILE_MAX = 1 << 20 };

static int fail(struct hc_regs_message *message, enum hc_regs_error error, const char *path, const char *cause)
{
    snprintf(message->text, sizeof message->text, "%.300s: %s", path, cause);
    return error;
}

int hc_regs_load_file(struct hc_regs **out, const char *path, struct hc_regs_message *message)
{
    FILE *file = fopen(path, "rb");
    int error;

    *out = NULL;
    if (!file)
        return fail(message, HC_REGS_UNREADABLE, path, strerror(errno));
    char *text = malloc(FILE_MAX + 1);
    size_t size = text ? fread(text, 1, FILE_MAX + 1, file) : 0;
    if (!text)
        error = fail(message, HC_REGS_NO_MEMORY, path, "out of memory");
    else if (ferror(file))
        error = fail(message, HC_REGS_UNREADABLE, path, strerror(errno));
    else if (size > FILE_MAX)
        error = fail(message, HC_REGS_BAD, path, "has more than 1 MB");
    else
        error = hc_regs_load_memory(out, path, text, size, message);
    free(text);
    fclose(file);
    return error;
}

static bool is_path(const char *part)
{
    size_t length = strlen(part);

    return strchr(part, '/') || (length > 5 && !strcmp(part + length - 5, ".regs"));
}

/* ../share/hindcast/devices beside the program; false if the system does not say where that is. */
static bool installed_directory(char *out, size_t size)
{
    static const char tail[] = "share/hindcast/devices";
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    if (length <= 0)
        return false;
    program[length] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    return (size_t)snprintf(out, size, "%s/%s", program, tail) < size;
}

int hc_regs_load_part(struct hc_regs **out, const char *part, struct hc_regs_message *message)
{
    char installed[1100], path[1400];
    const char *chosen = getenv("HINDCAST_DEVICES");
    const char *directories[] = { chosen, installed_directory(installed, sizeof installed) ? installed : NULL,
                                  HC_REGS_SOURCE_DEVICES };

    *out = NULL;
    if (is_path(part))
        return hc_regs_load_file(out, part, message);
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        if (!directories[i] || !*directories[i])
            continue;
        snprintf(path, sizeof path, "%s/%s.regs", directories[i], part);
        if (access(path, F_OK) == 0)
            return hc_regs_load_file(out, path, message);
    }
    snprintf(
        message->text, sizeof message->text,
        "there is no description of part '%.60s' (%.60s.regs); 'hindcast regs --from-header %.60s' makes one to start "
        "from",
        part, part, part);
    return HC_REGS_UNREADABLE;
}
