/* What the parts of the image library share. */
#ifndef HC_IMAGE_INTERNAL_H
#define HC_IMAGE_INTERNAL_H

#include "image.h"

#include <libelf.h>

/* Rows of all line tables in order of address. A row applies up to the next one; `end` is one past a sequence. */
struct hc_line_row {
    uint32_t address;
    uint32_t order; /* index in the table: of rows with equal addresses the last one applies */
    uint32_t file;  /* index into hc_line_table.files */
    int32_t line;
    bool statement; /* a good place for a breakpoint */
    bool end;
};

struct hc_line_table {
    struct hc_line_row *rows;
    size_t count, room;
    char **files;
    size_t file_count, file_room;
};

struct hc_image {
    char *name;
    enum hc_image_format format;
    bool has_entry;
    uint32_t entry;

    /* The address space, and which of its bytes the file contains; only pages in use take memory. */
    uint8_t *bytes;
    uint64_t *present; /* a bit an address */
    struct hc_image_segment *segments;
    size_t segment_count;

    /* ELF only */
    void *file; /* what libelf reads from */
    Elf *elf;
    struct hc_symbol *functions, *data, *named;
    size_t function_count, data_count, named_count;
    bool lines_read;
    struct hc_line_table lines;
};

/* Writes "NAME: ..." and returns ERROR. */
enum hc_image_error hc_image_fail(const struct hc_image *image, struct hc_image_message *message,
                                  enum hc_image_error error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts SIZE bytes at ADDRESS. PLACE ("line 17", "section .text") is used in messages. Refuses bytes outside the address
 * space and bytes that were given before. */
enum hc_image_error hc_image_put(struct hc_image *image, const char *place, uint64_t address, const uint8_t *bytes,
                                 size_t size, struct hc_image_message *message);

enum hc_image_error hc_image_parse_elf(struct hc_image *image, const void *bytes, size_t size,
                                       struct hc_image_message *message);
enum hc_image_error hc_image_parse_hex(struct hc_image *image, const char *text, size_t size,
                                       struct hc_image_message *message);
enum hc_image_error hc_image_parse_titxt(struct hc_image *image, const char *text, size_t size,
                                         struct hc_image_message *message);

/* Value of a hexadecimal digit, or -1. */
static inline int hc_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Fills the symbol arrays from the ELF's symbol table. */
enum hc_image_error hc_image_read_symbols(struct hc_image *image, struct hc_image_message *message);

/* Reads line tables one after the other; skips what cannot be read. */
void hc_lines_from_libdw(struct hc_line_table *table, Elf *elf);
void hc_lines_from_short_dwarf(struct hc_line_table *table, const uint8_t *section, size_t size);

/* Both return false on out-of-memory or if the table's limits are exceeded. */
bool hc_lines_add(struct hc_line_table *table, struct hc_line_row row);
bool hc_lines_add_file(struct hc_line_table *table, const char *directory, const char *name, uint32_t *index);
void hc_lines_free(struct hc_line_table *table);

#endif
