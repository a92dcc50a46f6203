/* What input functions return: by a table or a generator, instead of what the program measures.
 *
 *     10,20,30            a table, from its beginning again after its end
 *     @FILE               a table in a file: numbers, separated by commas or white space; '#' begins a remark
 *     ramp:START:STEP     START, START + STEP, ...
 *     random:LOW:HIGH     of LOW to HIGH, the same in every run
 *
 * The n-th measurement of a run has the n-th value. One that is made again after a failure has its value again: what
 * another one would do is evaluate's question (evaluate.h, steerings). */
#ifndef HC_POWER_VALUES_H
#define HC_POWER_VALUES_H

#include <stddef.h>
#include <stdint.h>

struct hc_input_values {
    enum hc_values_kind { HC_VALUES_TABLE, HC_VALUES_RAMP, HC_VALUES_RANDOM } kind;
    uint16_t *table;
    size_t count;
    int32_t first, second; /* START and STEP, or LOW and HIGH */
};

/* SPEC as above, but for @FILE. 0, or -1 with what is wrong in MESSAGE. hc_input_values_free is due after success. */
int hc_input_values_parse(struct hc_input_values *v, const char *spec, char *message, size_t size);
/* The contents of a file. */
int hc_input_values_parse_table(struct hc_input_values *v, const char *text, char *message, size_t size);
void hc_input_values_free(struct hc_input_values *v);

/* The N-th value, from 0. */
uint16_t hc_input_values_at(const struct hc_input_values *v, uint64_t n);

#endif
