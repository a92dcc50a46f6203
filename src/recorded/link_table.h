/* The table __hc_link of an instrumented ELF: read by the tools, written by the link step. runtime/link.h draws its
 * layout. */
#ifndef HC_RECORDED_LINK_TABLE_H
#define HC_RECORDED_LINK_TABLE_H

#include "../runtime/link.h"
#include "image/image.h"

enum { HC_LINK_VECTORS_MAX = 64, HC_LINK_HASHED_SIZE = 32, HC_LINK_BUILD_SIZE = 8 };

struct hc_memory_range {
    uint32_t start, end; /* one past the last; equal: empty */
};

struct hc_link_table {
    uint32_t address; /* of the table itself */
    uint8_t version;  /* of the trace that the recorder writes */
    uint8_t build[HC_LINK_BUILD_SIZE];
    struct hc_memory_range free;             /* RAM that no section uses */
    struct hc_memory_range piece[HC_PIECES]; /* memory that a checkpoint holds */
    uint8_t hashed[HC_LINK_HASHED_SIZE];     /* by page of code: its positions include a hash */
    int vectors;
    uint32_t handler[HC_LINK_VECTORS_MAX]; /* of the program; the last is its reset */
};

/* Returns false, with *OUT zeroed, if IMAGE has no such table or a damaged one. */
bool hc_link_table_read(struct hc_link_table *out, const struct hc_image *image);

/* Size in bytes, for a part with that many vectors. */
uint32_t hc_link_table_size(int vectors);

/* Whether positions at PC include a hash. */
bool hc_link_table_hashed(const struct hc_link_table *table, uint32_t pc);

/* For the link step, which writes to the table at AT in the file. Whether there is a table at AT: */
bool hc_link_table_is(const uint8_t *at);
uint8_t hc_link_table_version(const uint8_t *at);
void hc_link_table_set_handler(uint8_t *at, int vector, uint32_t handler);
void hc_link_table_set_free(uint8_t *at, struct hc_memory_range range);
void hc_link_table_set_piece(uint8_t *at, int piece, struct hc_memory_range range);
void hc_link_table_set_hashed(uint8_t *at, const uint8_t hashed[HC_LINK_HASHED_SIZE]);
/* The bytes of the build id. */
uint8_t *hc_link_table_build(uint8_t *at);

#endif
