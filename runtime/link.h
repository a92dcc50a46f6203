/* What the link step knows and the recorder needs: a table in flash, symbol __hc_link.
 *
 * The recorder's object brings it with zeros where nothing is known before the link; `hindcast ld` fills it in. Tools
 * read it from the ELF file. All words are little-endian; there is no padding.
 *
 *       0       2         3      4           12         16           52          84
 *       +-------+---------+------+-----------+----------+------------+-----------+----------------+
 *       | magic | version | sets | build[8]  | free     | pieces[9]  | hashed[32]| handlers[n]    |
 *       +-------+---------+------+-----------+----------+------------+-----------+----------------+
 *
 * Ranges are {first, one past the last}, of whole words. Empty ranges have both words equal.
 *
 * Pieces are memory that a segment's beginning holds, without the recorder's own RAM (__hc_ram to __hc_ram_end):
 *     0, 1      RAM below and above it, up to `free`
 *     2         the program's registers, where the recorder keeps them
 *     3 to 6    what outlives a reset without being in RAM: words in flash that installers change, variables in
 *               non-volatile memory; and RAM above `free`
 *     7, 8      section .noinit below and above the recorder's RAM; part of 0 and 1
 * After a reset it is 2 to 8, otherwise all. Version to build are the payload of the page that makes it valid. */
#ifndef HC_LINK_H
#define HC_LINK_H

#define HC_LINK_MAGIC 0x4843

/* For assembly. */
#define HC_LINK_BEGIN 2
#define HC_LINK_BUILD 4
#define HC_LINK_BEGIN_SIZE 10
#define HC_LINK_FREE 12
#define HC_LINK_PIECES 16
#define HC_LINK_HASHED 52
#define HC_LINK_HANDLERS 84

#define HC_PIECES 9
#define HC_PIECES_REGISTERS 2 /* from here on: also after a reset */
#define HC_PIECES_NOINIT 7

#ifndef __ASSEMBLER__
#include <stdint.h>

enum {
    HC_PIECES_LASTING = 3,
};

struct hc_link_range {
    uint16_t start, end;
};

struct hc_link {
    uint16_t magic;                         /* the recorder */
    uint8_t version, sets;                  /* the recorder: HC_TRACE_VERSION, HC_CODEC_SETS */
    uint8_t build[8];                       /* link: first bytes of the build id */
    struct hc_link_range free;              /* link: RAM that belongs to no section (the stack's): cleared at reset */
    struct hc_link_range pieces[HC_PIECES]; /* link */
    uint8_t hashed[32];  /* link: bit (pc >> 8): positions there include a hash (pc >> 11 is the byte) */
    uint16_t handlers[]; /* link: the program's own vectors, HC_VECTORS of them; the last is reset */
};
#endif

#endif
