/* Numbers with units, as people write them ("1.5s", "-60dB", "30 cm"), as integers: exact on every host. */
#ifndef HC_FIELD_QUANTITY_H
#define HC_FIELD_QUANTITY_H

#include "machine/time.h"

#include <stdbool.h>

/* What a unit is in the smallest one. A table ends with a NULL name; its first unit is meant when none is written. */
struct hc_quantity_unit {
    const char *name;
    int64_t scale;
};

extern const struct hc_quantity_unit hc_time_units[];        /* microseconds */
extern const struct hc_quantity_unit hc_length_units[];      /* millimetres */
extern const struct hc_quantity_unit hc_decibel_units[];     /* hundredths of a dB; also of a dBm */
extern const struct hc_quantity_unit hc_light_units[];       /* millilux */
extern const struct hc_quantity_unit hc_temperature_units[]; /* millidegrees Celsius */
extern const struct hc_quantity_unit hc_humidity_units[];    /* permille */
extern const struct hc_quantity_unit hc_voltage_units[];     /* microvolts */
extern const struct hc_quantity_unit hc_plain_units[];       /* hundredths of a number without a unit */

/* Of any quantity, after scaling: far from the ends of an int64_t. */
enum { HC_QUANTITY_BITS = 50 };

/* Parses all of TEXT, rounded to the nearest; returns false if it is not a number, has no such unit, or is too large.
 */
bool hc_quantity_parse(const char *text, const struct hc_quantity_unit *units, int64_t *out);

/* A non-negative time of at most 100 days. */
bool hc_quantity_time(const char *text, hc_time *out);

/* "s, ms, us, min or h": for messages; returns OUT. */
const char *hc_quantity_units(const struct hc_quantity_unit *units, char *out, unsigned size);

/* A whole number without sign or unit, from 0 to MOST. */
bool hc_quantity_count(const char *text, uint64_t most, uint64_t *out);

#endif
