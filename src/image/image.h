/* A firmware image: what a linker or a programmer's file puts into memory, and what it says about the program.
 *
 * Reads ELF32, Intel HEX and TI-TXT, recognised by their contents. An image is bytes at addresses below 1 MB, symbols,
 * and source lines (the last two from ELF only). It does not depend on machines: a loader copies its segments into one.
 *
 * Files may come from anywhere: one that is truncated, inconsistent or too large is refused with a message that gives
 * the file, the place and the cause ("app.hex: line 17: checksum is 0x3A, should be 0x3B"). */
#ifndef HC_IMAGE_IMAGE_H
#define HC_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HC_IMAGE_ADDRESSES = 1 << 20,     /* the address space of the MSP430X */
    HC_IMAGE_FILE_MAX = 64 * 1 << 20, /* maximum size of a file, including debug information */
};

enum hc_image_error {
    HC_IMAGE_OK = 0,
    HC_IMAGE_UNREADABLE = -1, /* no such file, a directory, no permission */
    HC_IMAGE_BAD = -2,        /* not an image, damaged, or not for this CPU */
    HC_IMAGE_NO_MEMORY = -3,
};

enum hc_image_format { HC_IMAGE_ELF, HC_IMAGE_INTEL_HEX, HC_IMAGE_TI_TXT };

struct hc_image;

/* One line, without a newline; written only when a call fails. */
struct hc_image_message {
    char text[320];
};

/* Reads the file at PATH. On success the caller owns *OUT and frees it with hc_image_free; otherwise *OUT is NULL. */
enum hc_image_error hc_image_load_file(struct hc_image **out, const char *path, struct hc_image_message *message);

/* The same from memory. NAME is used in messages. BYTES are copied. */
enum hc_image_error hc_image_load_memory(struct hc_image **out, const char *name, const void *bytes, size_t size,
                                         struct hc_image_message *message);

void hc_image_free(struct hc_image *image);

enum hc_image_format hc_image_format(const struct hc_image *image);

/* The name under which it was loaded. */
const char *hc_image_name(const struct hc_image *image);

/* The file's libelf handle (an Elf *), for reading more of its debug information; NULL for other formats. Do not end
 * it. */
void *hc_image_elf(const struct hc_image *image);

/* The CPU that an ELF file is for (e_machine); the MSP430 for other formats. */
uint16_t hc_image_machine(const struct hc_image *image);

/* The program's entry point, if the file has one (ELF always does). Firmware normally starts at its reset vector
 * instead. */
bool hc_image_entry(const struct hc_image *image, uint32_t *address);

/* The linker's build id (a GNU note) and its size; NULL if there is none. Valid as long as the image. */
const uint8_t *hc_image_build_id(const struct hc_image *image, size_t *size);

/* ---- bytes ---- */

/* Bytes at the addresses where they are programmed: initialised data is at its load address in flash. */
struct hc_image_segment {
    uint32_t address;
    uint32_t size; /* never 0; address + size is at most HC_IMAGE_ADDRESSES */
    const uint8_t *bytes;
};

/* In ascending order; no two touch or overlap. Valid as long as the image. */
size_t hc_image_segments(const struct hc_image *image, const struct hc_image_segment **out);

/* SIZE bytes at ADDRESS, as programmed; NULL if the file does not contain all of them. */
const uint8_t *hc_image_bytes(const struct hc_image *image, uint32_t address, uint32_t size);

/* Whether the image may be for a part with WDTCTL and vectors at these addresses. Decided by the file's own symbol of
 * that register, or else by whether a segment starts below the vectors and reaches into them. May return true for an
 * image of another part, but never false for one of this part. */
bool hc_image_suits(const struct hc_image *image, uint32_t wdtctl, uint32_t vectors_start);

/* Where the initial value of the object at ADDRESS is programmed: the same address in flash, another one for
 * initialised data in RAM. Returns false if the file has none (ELF only). */
bool hc_image_initial_value(const struct hc_image *image, uint32_t address, uint32_t *programmed);

/* Range number I of memory that the program uses without initial bytes (.bss, a stack), from *ADDRESS to *END. Returns
 * false if there are no more (ELF only). */
bool hc_image_reserved(const struct hc_image *image, size_t i, uint32_t *address, uint32_t *end);

/* A section of the ELF file, by name; loaded or not. */
struct hc_image_section {
    uint32_t address, size;
    const uint8_t *bytes; /* NULL if the file contains no bytes (.bss) */
};
bool hc_image_section(const struct hc_image *image, const char *name, struct hc_image_section *out);

/* ---- symbols ---- */

struct hc_symbol {
    const char *name;
    uint32_t address;
    uint32_t size; /* of a function without a size in the file: up to the next one */
    bool function; /* otherwise data, a register, or a linker's constant */
    bool sized;    /* the file says how large it is */
};

/* By name; O(log n). A global symbol is preferred; among several local ones, any. */
bool hc_image_symbol(const struct hc_image *image, const char *name, struct hc_symbol *out);

/* The function that contains ADDRESS; O(log n). */
bool hc_image_function_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out);

/* The variable or register that contains ADDRESS; O(log n). */
bool hc_image_data_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out);

/* All functions in order of address, no two overlapping. Valid as long as the image. */
size_t hc_image_functions(const struct hc_image *image, const struct hc_symbol **out);

/* ---- source lines ----
 *
 * Debug information is read on first use, which takes milliseconds and is not thread-safe. Damaged debug information
 * gives no lines, never an error. DWARF 2 to 5. */

struct hc_line {
    const char *file; /* as the compiler wrote it, with its directory if it is relative */
    int line;
    uint32_t address; /* where this line's code starts */
};

bool hc_image_line_at(struct hc_image *image, uint32_t address, struct hc_line *out);

/* The addresses where code of FILE:LINE starts, ascending, at most MAX of them; returns how many there are. FILE may
 * omit leading directories ("app.c", "src/app.c"). */
size_t hc_image_line_addresses(struct hc_image *image, const char *file, int line, uint32_t *out, size_t max);

/* ---- for people ---- */

/* "0x4312 <main+0x1a> app.c:27", as far as known; returns OUT. IMAGE may be NULL. */
const char *hc_image_locate(struct hc_image *image, uint32_t address, char *out, size_t size);

#endif
