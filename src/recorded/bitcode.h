/* Section .hindcast.bc: the bitcode of every unit that hindcast cc compiled, from which dependences are computed.
 *
 *     "HCBC"  length of the name, length of the bitcode, FNV-1a of both: 4 bytes each, little-endian
 *     the name of the source file; of a unit without bitcode: "NAME: REASON", and the second length is 0
 *     the bitcode
 *     zeros, up to a multiple of 4
 *
 * for each unit, one after the other as the linker puts them. The section is not loaded. The sum is there because LLVM
 * does not survive all bitcode that is damaged. */
#ifndef HC_RECORDED_BITCODE_H
#define HC_RECORDED_BITCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define HC_BITCODE_SECTION ".hindcast.bc"
/* Of a region: its module with the hooks, in the same form; and where its objects are (FORMAT.md). */
#define HC_REGION_MODULE ".hindcast.region.bc"
#define HC_REGION_PLACES ".hindcast.region.at"

struct hc_bitcode_unit {
    char name[512];
    const char *bytes; /* in the section */
    size_t size;       /* 0: there is none */
};

/* The unit at *AT of a section of SIZE bytes; *AT moves behind it. False, with *AT at it, at the end or where the
 * section is damaged. */
bool hc_bitcode_next(const uint8_t *bytes, size_t size, size_t *at, struct hc_bitcode_unit *out);

/* The same, as top-level assembly for the end of a C source. */
void hc_bitcode_write(FILE *to, const char *name, const char *bytes, size_t size);

/* The same in SECTION, as plain assembly. */
void hc_bitcode_write_assembly(FILE *to, const char *section, const char *name, const char *bytes, size_t size);

#endif
