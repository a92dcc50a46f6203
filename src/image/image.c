/* Images: reading a file, telling its format, and the memory that every format fills. */
#include "internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum hc_image_error hc_image_fail(const struct hc_image *image, struct hc_image_message *message,
                                  enum hc_image_error error, const char *format, ...)
{
    va_list arguments;
    char cause[sizeof message->text];

    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    /* A path of any length must leave room for the cause: its end names the file. */
    const char *name = image->name;
    size_t length = strlen(name), most = sizeof message->text / 2;
    snprintf(message->text, sizeof message->text, "%s%s: %s", length > most ? "..." : "",
             length > most ? name + length - most : name, cause);
    return error;
}

static bool is_present(const struct hc_image *image, uint32_t address)
{
    return image->present[address / 64] >> (address % 64) & 1;
}

enum hc_image_error hc_image_put(struct hc_image *image, const char *place, uint64_t address, const uint8_t *bytes,
                                 size_t size, struct hc_image_message *message)
{
    if (address >= HC_IMAGE_ADDRESSES || size > HC_IMAGE_ADDRESSES - address)
        return hc_image_fail(image, message, HC_IMAGE_BAD,
                             "%s: %zu bytes at 0x%llx lie beyond the address space of 1 MB", place, size,
                             (unsigned long long)address);
    for (size_t i = 0; i < size; i++) {
        uint32_t a = (uint32_t)(address + i);
        if (is_present(image, a))
            return hc_image_fail(image, message, HC_IMAGE_BAD, "%s: address 0x%04x is given a second time", place, a);
        image->present[a / 64] |= (uint64_t)1 << (a % 64);
        image->bytes[a] = bytes[i];
    }
    return HC_IMAGE_OK;
}

/* Calls of it in a loop visit each run of present bytes; false after the last. */
static bool next_run(const struct hc_image *image, uint32_t from, struct hc_image_segment *run)
{
    uint32_t start = from;
    while (start < HC_IMAGE_ADDRESSES && !is_present(image, start))
        start += image->present[start / 64] ? 1 : 64 - start % 64;
    if (start >= HC_IMAGE_ADDRESSES)
        return false;
    uint32_t end = start;
    while (end < HC_IMAGE_ADDRESSES && is_present(image, end))
        end++;
    *run = (struct hc_image_segment){ .address = start, .size = end - start, .bytes = image->bytes + start };
    return true;
}

static enum hc_image_error make_segments(struct hc_image *image, struct hc_image_message *message)
{
    struct hc_image_segment run = { 0 };
    size_t count = 0;

    while (next_run(image, run.address + run.size, &run))
        count++;
    if (!count)
        return hc_image_fail(image, message, HC_IMAGE_BAD, "holds no bytes to load");
    image->segments = calloc(count, sizeof *image->segments);
    if (!image->segments)
        return hc_image_fail(image, message, HC_IMAGE_NO_MEMORY, "out of memory");
    run = (struct hc_image_segment){ 0 };
    while (next_run(image, run.address + run.size, &run))
        image->segments[image->segment_count++] = run;
    return HC_IMAGE_OK;
}

static enum hc_image_error parse(struct hc_image *image, const void *bytes, size_t size,
                                 struct hc_image_message *message)
{
    const char *text = bytes;
    size_t first = 0;

    if (!size)
        return hc_image_fail(image, message, HC_IMAGE_BAD, "is empty");
    if (size >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG))
        return hc_image_parse_elf(image, bytes, size, message);
    while (first < size && strchr(" \t\r\n", text[first]) && text[first])
        first++;
    if (first < size && text[first] == ':')
        return hc_image_parse_hex(image, text, size, message);
    if (first < size && text[first] == '@')
        return hc_image_parse_titxt(image, text, size, message);
    return hc_image_fail(image, message, HC_IMAGE_BAD, "is neither an ELF file, Intel HEX nor TI-TXT");
}

enum hc_image_error hc_image_load_memory(struct hc_image **out, const char *name, const void *bytes, size_t size,
                                         struct hc_image_message *message)
{
    struct hc_image nameless = { .name = (char *)name };
    enum hc_image_error error = HC_IMAGE_NO_MEMORY;

    *out = NULL;
    if (size > HC_IMAGE_FILE_MAX)
        return hc_image_fail(&nameless, message, HC_IMAGE_BAD, "has more than %d MB", HC_IMAGE_FILE_MAX >> 20);
    struct hc_image *image = calloc(1, sizeof *image);
    if (image) {
        image->name = strdup(name);
        image->bytes = calloc(HC_IMAGE_ADDRESSES, 1);
        image->present = calloc(HC_IMAGE_ADDRESSES / 64, sizeof *image->present);
    }
    if (!image || !image->name || !image->bytes || !image->present)
        hc_image_fail(&nameless, message, error, "out of memory");
    else if (!(error = parse(image, bytes, size, message)))
        error = make_segments(image, message);
    if (error) {
        hc_image_free(image);
        return error;
    }
    *out = image;
    return HC_IMAGE_OK;
}

/* Reads at most one byte more than an image may have: enough to refuse a larger one. NULL with an errno in *CAUSE. */
static void *read_all(FILE *file, size_t *size, int *cause)
{
    size_t room = 64 << 10;
    char *bytes = malloc(room);

    *size = 0;
    *cause = ENOMEM;
    while (bytes) {
        *size += fread(bytes + *size, 1, room - *size, file);
        if (*size < room || room > HC_IMAGE_FILE_MAX)
            break;
        room = room * 4 > HC_IMAGE_FILE_MAX ? (size_t)HC_IMAGE_FILE_MAX + 1 : room * 4;
        char *more = realloc(bytes, room);
        if (!more)
            free(bytes);
        bytes = more;
    }
    if (bytes && ferror(file)) {
        *cause = EIO;
        free(bytes);
        return NULL;
    }
    return bytes;
}

enum hc_image_error hc_image_load_file(struct hc_image **out, const char *path, struct hc_image_message *message)
{
    struct hc_image nameless = { .name = (char *)path };
    struct stat status;
    void *bytes = NULL;
    size_t size = 0;
    int cause = EISDIR;

    *out = NULL;
    FILE *file = fopen(path, "rb");
    if (!file)
        return hc_image_fail(&nameless, message, HC_IMAGE_UNREADABLE, "%s", strerror(errno));
    if (fstat(fileno(file), &status) || !S_ISDIR(status.st_mode))
        bytes = read_all(file, &size, &cause);
    fclose(file);
    if (!bytes)
        return hc_image_fail(&nameless, message, HC_IMAGE_UNREADABLE, "%s", strerror(cause));
    enum hc_image_error error = hc_image_load_memory(out, path, bytes, size, message);
    free(bytes);
    return error;
}

void hc_image_free(struct hc_image *image)
{
    if (!image)
        return;
    elf_end(image->elf);
    hc_lines_free(&image->lines);
    free(image->functions);
    free(image->data);
    free(image->named);
    free(image->file);
    free(image->segments);
    free(image->present);
    free(image->bytes);
    free(image->name);
    free(image);
}

enum hc_image_format hc_image_format(const struct hc_image *image)
{
    return image->format;
}

void *hc_image_elf(const struct hc_image *image)
{
    return image->elf;
}

uint16_t hc_image_machine(const struct hc_image *image)
{
    const Elf32_Ehdr *header = image->elf ? elf32_getehdr(image->elf) : NULL;

    return header ? header->e_machine : EM_MSP430;
}

const char *hc_image_name(const struct hc_image *image)
{
    return image->name;
}

bool hc_image_entry(const struct hc_image *image, uint32_t *address)
{
    *address = image->entry;
    return image->has_entry;
}

bool hc_image_suits(const struct hc_image *image, uint32_t wdtctl, uint32_t vectors_start)
{
    enum { VECTORS_MOST = 128 }; /* bytes, of any part */
    struct hc_symbol symbol;

    if (hc_image_symbol(image, "__WDTCTL", &symbol) || hc_image_symbol(image, "WDTCTL", &symbol))
        return symbol.address == wdtctl;
    for (size_t i = 0; i < image->segment_count; i++) {
        uint32_t start = image->segments[i].address, end = start + image->segments[i].size;
        if (end == 0x10000 && start < vectors_start && start >= end - VECTORS_MOST)
            return false;
    }
    return true;
}

size_t hc_image_segments(const struct hc_image *image, const struct hc_image_segment **out)
{
    *out = image->segments;
    return image->segment_count;
}

const uint8_t *hc_image_bytes(const struct hc_image *image, uint32_t address, uint32_t size)
{
    const struct hc_image_segment *segment;
    size_t count = hc_image_segments(image, &segment);

    for (size_t i = 0; i < count; i++)
        if (address >= segment[i].address && address - segment[i].address < segment[i].size)
            return segment[i].size - (address - segment[i].address) >= size
                       ? segment[i].bytes + (address - segment[i].address)
                       : NULL;
    return NULL;
}
