/* Memory of one unit's instrumentation: allocated piecemeal, freed at once. */
#ifndef HC_INSTRUMENT_UNIT_ARENA_H
#define HC_INSTRUMENT_UNIT_ARENA_H

#include <setjmp.h>
#include <stddef.h>

struct hc_arena_block;

struct hc_arena {
    struct hc_arena_block *blocks;
    jmp_buf *exhausted; /* where to go when there is no more */
};

/* Zeroed. Does not return when memory is exhausted: jumps to `exhausted`. */
void *hc_arena_take(struct hc_arena *memory, size_t size);
char *hc_arena_copy(struct hc_arena *memory, const char *text, size_t size); /* and a 0 behind */
__attribute__((format(printf, 2, 3))) char *hc_arena_print(struct hc_arena *memory, const char *format, ...);
void hc_arena_free(struct hc_arena *memory);

/* Room for one more at the end of an array of COUNT elements that is never shrunk: ARRAY may move. */
void *hc_arena_more(struct hc_arena *memory, void *array, size_t count, size_t element);

#endif
