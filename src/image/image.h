/* A firmware image: what a linker or a programmer's file puts into memory, and what it says about the program.
 *
 * Reads ELF32 for MSP430, Intel HEX and TI-TXT, told apart by their contents. An image is bytes at addresses below 1
 * MB, symbols, and source lines (both from ELF only). It knows nothing of machines: whoever loads one goes through the
 * segments and writes them.
 *
 * Files may come from anywhere: one that is truncated, contradicts itself or is too large is refused with a message
 * that names the file, the place and the cause ("app.hex: line 17: checksum is 0x3A, should be 0x3B"). */
#ifndef HC_IMAGE_IMAGE_H
#define HC_IMAGE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HC_IMAGE_ADDRESSES = 1 << 20,     /* the address space of the MSP430X */
    HC_IMAGE_FILE_MAX = 64 * 1 << 20, /* bytes of a file, debug information included */
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

/* Reads the file at PATH. On success *OUT is the caller's, to be freed by hc_image_free; else *OUT is NULL. */
enum hc_image_error hc_image_load_file(struct hc_image **out, const char *path, struct hc_image_message *message);

/* The same from memory. NAME stands for the file in messages. BYTES are copied. */
enum hc_image_error hc_image_load_memory(struct hc_image **out, const char *name, const void *bytes, size_t size,
                                         struct hc_image_message *message);

void hc_image_free(struct hc_image *image);

enum hc_image_format hc_image_format(const struct hc_image *image);

/* The name it was loaded under. */
const char *hc_image_name(const struct hc_image *image);

/* The file as libelf has it (an Elf *), for those who read more of its debug information; NULL of other formats. Not to
 * be ended. */
void *hc_image_elf(const struct hc_image *image);

/* The CPU that an ELF file is for (e_machine); that of the MSP430 for other formats. */
uint16_t hc_image_machine(const struct hc_image *image);

/* Where the program starts, when the file says so (ELF always does). Firmware is started by its reset vector instead.
 */
bool hc_image_entry(const struct hc_image *image, uint32_t *address);

/* The linker's build id (a GNU note) and its size; NULL when the file has none. Valid as long as the image. */
const uint8_t *hc_image_build_id(const struct hc_image *image, size_t *size);

/* ---- bytes ---- */

/* Bytes at the addresses where they are programmed: initialised data lies at its load address in flash. */
struct hc_image_segment {
    uint32_t address;
    uint32_t size; /* never 0; address + size is at most HC_IMAGE_ADDRESSES */
    const uint8_t *bytes;
};

/* In order of address; no two touch or overlap. Valid as long as the image. */
size_t hc_image_segments(const struct hc_image *image, const struct hc_image_segment **out);

/* SIZE bytes at ADDRESS, where they are programmed; NULL if the file does not have all of them. */
const uint8_t *hc_image_bytes(const struct hc_image *image, uint32_t address, uint32_t size);

/* Whether it can be meant for a part whose register WDTCTL and whose vectors are there: the file's own symbol of that
 * register decides, else whether a piece of it begins below the vectors and reaches into them. False of an image that
 * is for another part, never of one that is not. */
bool hc_image_suits(const struct hc_image *image, uint32_t wdtctl, uint32_t vectors_start);

/* Where the initial value of what will be at ADDRESS is programmed: the same in flash, elsewhere for initialised data
 * in RAM. False when the file gives it none (ELF only). */
bool hc_image_initial_value(const struct hc_image *image, uint32_t address, uint32_t *programmed);

/* Memory from *ADDRESS to *END that the program wants without giving it bytes (.bss, a stack): the one of number I;
 * false when there are no more (ELF only). */
bool hc_image_reserved(const struct hc_image *image, size_t i, uint32_t *address, uint32_t *end);

/* A section of the ELF file by its name, loaded or not. */
struct hc_image_section {
    uint32_t address, size;
    const uint8_t *bytes; /* NULL where the file has none (.bss) */
};
bool hc_image_section(const struct hc_image *image, const char *name, struct hc_image_section *out);

/* ---- symbols ---- */

struct hc_symbol {
    const char *name;
    uint32_t address;
    uint32_t size; /* of a function that the file gives no size: up to the next one */
    bool function; /* otherwise data, a register, or a linker's constant */
    bool sized;    /* the file says how large it is */
};

/* By name; O(log n). Of several local symbols of one name, any; a global one is preferred. */
bool hc_image_symbol(const struct hc_image *image, const char *name, struct hc_symbol *out);

/* The function that contains ADDRESS; O(log n). */
bool hc_image_function_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out);

/* The variable or register that contains ADDRESS; O(log n). */
bool hc_image_data_at(const struct hc_image *image, uint32_t address, struct hc_symbol *out);

/* All functions in order of address, no two overlapping. Valid as long as the image. */
size_t hc_image_functions(const struct hc_image *image, const struct hc_symbol **out);

/* ---- source lines ----
 *
 * Debug information is read at the first question; that costs milliseconds and is not safe from several threads at
 * once. Damaged debug information gives no lines, never an error. DWARF 2 to 5. */

struct hc_line {
    const char *file; /* as the compiler wrote it, with its directory when it is relative */
    int line;
    uint32_t address; /* where this line's code starts */
};

bool hc_image_line_at(struct hc_image *image, uint32_t address, struct hc_line *out);

/* The addresses at which code of FILE:LINE starts, ascending, at most MAX of them; returns how many there are. FILE may
 * leave out leading directories ("app.c", "src/app.c"). */
size_t hc_image_line_addresses(struct hc_image *image, const char *file, int line, uint32_t *out, size_t max);

/* ---- for people ---- */

/* "0x4312 <main+0x1a> app.c:27", as much of it as is known; returns OUT. IMAGE may be NULL. */
const char *hc_image_locate(struct hc_image *image, uint32_t address, char *out, size_t size);

#endif
