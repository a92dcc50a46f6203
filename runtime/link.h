/* What the link step knows and the recorder needs: a table in flash, symbol __hc_link.
 *
 * The recorder's object brings it with zeros where nothing is known before the link; `hindcast ld` fills it in. Tools
 * read it from the ELF file. All words are little-endian; there is no padding.
 *
 *       0       2        4           12         16         20         24         28          60
 *       +-------+--------+-----------+----------+----------+----------+----------+-----------+----------------+
 *       | magic | version| build[8]  | recorder | memory   | free     | noinit   | hashed[32]| handlers[n]    |
 *       +-------+--------+-----------+----------+----------+----------+----------+-----------+----------------+
 *
 * Ranges are {first, one past the last}. Empty ranges have both words equal. */
#ifndef HC_LINK_H
#define HC_LINK_H

#define HC_LINK_MAGIC 0x4843
#define HC_LINK_VERSION 1

/* For assembly. */
#define HC_LINK_MEMORY 16
#define HC_LINK_FREE 20
#define HC_LINK_HASHED 28
#define HC_LINK_HANDLERS 60

#ifndef __ASSEMBLER__
#include <stdint.h>

struct hc_link_range {
    uint16_t start, end;
};

struct hc_link {
    uint16_t magic, version;       /* the recorder */
    uint8_t build[8];              /* link: first bytes of the build id */
    struct hc_link_range recorder; /* the recorder: its own RAM, __hc_ram..__hc_ram_end; on even addresses */
    struct hc_link_range memory;   /* link: all RAM that the program can use, the recorder's included; even */
    struct hc_link_range free;   /* link: the part of it that no section lies in (the stack's too): cleared at reset */
    struct hc_link_range noinit; /* link: section .noinit, which survives a reset; the recorder's RAM may lie in it */
    uint8_t hashed[32];          /* link: bit (pc >> 8): positions there carry a hash (pc >> 11 is the byte) */
    uint16_t handlers[];         /* link: the program's own vectors, HC_VECTORS of them; the last is reset */
};
#endif

#endif
