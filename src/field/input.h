/* A sensor's input: a function of time alone, in integers. */
#ifndef HC_FIELD_INPUT_H
#define HC_FIELD_INPUT_H

#include "machine/time.h"
#include "message.h"
#include "quantity.h"

#include <stddef.h>

enum hc_input_shape {
    HC_INPUT_CONSTANT,
    HC_INPUT_SINE,  /* value + amplitude * sin(2 pi (t + phase) / period) */
    HC_INPUT_TABLE, /* linear interpolation between points; the first and the last value apply before and after */
    HC_INPUT_STEPS, /* each point's value applies until the next */
};

struct hc_input_point {
    hc_time at;
    int64_t value;
};

struct hc_sensor_input {
    enum hc_input_shape shape;
    int64_t value, amplitude;
    hc_time period, phase; /* period: never 0 */
    struct hc_input_point *points;
    size_t count;
};

int64_t hc_input_at(const struct hc_sensor_input *input, hc_time t);

/* Reads points from CSV: seconds in the first column, the value in column COLUMN (2 is the second), in units of the
 * table's first; separated by commas, semicolons or tabs. The first line may be a heading; times must increase.
 * Allocates input->points; NAME is used in messages. */
int hc_input_read_csv(struct hc_sensor_input *input, const char *name, const char *text, size_t size, int column,
                      const struct hc_quantity_unit *units, struct hc_message *message);

#endif
