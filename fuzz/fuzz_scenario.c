/* Scenarios and tables from hostile files: any bytes are read or refused with a message, and what was read makes sense.
 */
#include "field/scenario.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void check(const struct hc_scenario *s)
{
    assert(s->nodes > 0 && s->nodes <= HC_SCENARIO_NODES_MAX && s->images > 0);
    for (int i = 0; i < s->nodes; i++) {
        assert(s->node[i].image >= 0 && s->node[i].image < s->images);
        for (int k = 0; k < HC_SENSES; k++)
            assert(s->node[i].sense[k] >= -1 && s->node[i].sense[k] < s->inputs);
    }
    for (int i = 0; i < s->links; i++) {
        const struct hc_scenario_link *l = &s->link[i];
        assert(l->from >= 0 && l->from < s->nodes && l->to >= 0 && l->to < s->nodes && l->from != l->to);
        assert(i == 0 || l[-1].from < l->from || (l[-1].from == l->from && l[-1].to < l->to));
    }
    for (int i = 0; i < s->events; i++) {
        assert(s->event[i].node >= 0 && s->event[i].node < s->nodes);
        assert(i == 0 || s->event[i - 1].at <= s->event[i].at);
    }
    for (int i = 0; i < s->inputs; i++)
        if (!s->input[i].file)
            hc_input_at(&s->input[i].input, 12345 * HC_SECOND + 678);
}

static void read_table(const char *text, size_t size)
{
    struct hc_sensor_input input = { .shape = HC_INPUT_TABLE };
    struct hc_message message;

    if (!hc_input_read_csv(&input, "table", text, size, 2, hc_voltage_units, &message)) {
        assert(input.count);
        hc_input_at(&input, 0);
        hc_input_at(&input, input.points[input.count / 2].at + 1);
    }
    free(input.points);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const images[] = { "a", "b" };
    const struct hc_scenario_choices choices = { .images = 2, .image = images };
    struct hc_scenario *s;
    struct hc_message message = { "" };

    hc_scenario_recognise(bytes, size);
    int error = hc_scenario_parse(&s, "dir/file", (const char *)bytes, size, size % 2 ? &choices : NULL, &message);
    assert(error ? !s && strlen(message.text) > 6 : s != NULL);
    if (!error)
        check(s);
    hc_scenario_free(s);
    read_table((const char *)bytes, size);
    return 0;
}
