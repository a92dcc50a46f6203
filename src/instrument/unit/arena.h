/* Memory for instrumenting one unit: allocated in pieces, freed at once. */
#ifndef HC_INSTRUMENT_UNIT_ARENA_H
#define HC_INSTRUMENT_UNIT_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct hc_arena_block;

struct hc_arena {
    struct hc_arena_block *blocks;
    jmp_buf *exhausted; /* where to jump on out-of-memory */
};

/* Zeroed. Does not return on out-of-memory: jumps to `exhausted`. */
void *hc_arena_take(struct hc_arena *memory, size_t size);
char *hc_arena_copy(struct hc_arena *memory, const char *text, size_t size); /* and a 0 behind */
__attribute__((format(printf, 2, 3))) char *hc_arena_print(struct hc_arena *memory, const char *format, ...);
void hc_arena_free(struct hc_arena *memory);

/* Makes room for one more element in an array of COUNT elements that never shrinks: ARRAY may move. */
void *hc_arena_more(struct hc_arena *memory, void *array, size_t count, size_t element);

#endif
