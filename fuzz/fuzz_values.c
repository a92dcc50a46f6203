/* What users give as values of inputs: lists, generators, files. */
#include "power/interactions/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void check(const struct hc_input_values *v)
{
    for (uint64_t n = 0; n < 100; n++) {
        uint16_t value = hc_input_values_at(v, n * n * n);
        if (v->kind == HC_VALUES_RANDOM && v->first >= 0)
            assert(value >= v->first && value <= v->second);
        assert(value == hc_input_values_at(v, n * n * n));
    }
    assert(v->kind != HC_VALUES_TABLE || v->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), message[120];
    struct hc_input_values v;

    if (!hc_input_values_parse(&v, text, message, sizeof message)) {
        check(&v);
        hc_input_values_free(&v);
    }
    if (!hc_input_values_parse_table(&v, text, message, sizeof message)) {
        check(&v);
        hc_input_values_free(&v);
    }
    free(text);
    return 0;
}
