/* A hash table from three numbers to one. Entries are never removed. */
#ifndef HC_PROFILE_KEY_TABLE_H
#define HC_PROFILE_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hc_key_table {
    struct hc_key_slot {
        uint32_t key[3], value;
        uint32_t used;
    } *slot;
    size_t slots, used;
};

/* The value of the key A, B, C, 0 if it is new. The pointer is valid until the next call. Returns NULL on
 * out-of-memory. */
uint32_t *hc_key_table_at(struct hc_key_table *t, uint32_t a, uint32_t b, uint32_t c);
void hc_key_table_free(struct hc_key_table *t);

#endif
