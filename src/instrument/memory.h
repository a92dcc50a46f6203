/* Memory of one unit's instrumentation: allocated piecemeal, freed at once. */
#ifndef HC_INSTRUMENT_MEMORY_H
#define HC_INSTRUMENT_MEMORY_H

#include <setjmp.h>
#include <stddef.h>

struct hc_memory_block;

struct hc_memory {
    struct hc_memory_block *blocks;
    jmp_buf *exhausted; /* where to go when there is no more */
};

/* Zeroed. Does not return when memory is exhausted: jumps to `exhausted`. */
void *hc_memory_take(struct hc_memory *memory, size_t size);
char *hc_memory_copy(struct hc_memory *memory, const char *text, size_t size); /* and a 0 behind */
__attribute__((format(printf, 2, 3))) char *hc_memory_print(struct hc_memory *memory, const char *format, ...);
void hc_memory_free(struct hc_memory *memory);

/* Room for one more at the end of an array of COUNT elements that is never shrunk: ARRAY may move. */
void *hc_memory_more(struct hc_memory *memory, void *array, size_t count, size_t element);

#endif
