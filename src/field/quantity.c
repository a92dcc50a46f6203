#include "quantity.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct hc_quantity_unit hc_time_units[] = { { "s", 1000000 },    { "ms", 1000 },      { "us", 1 },
                                                  { "min", 60000000 }, { "h", 3600000000 }, { NULL, 0 } };
const struct hc_quantity_unit hc_length_units[] = {
    { "m", 1000 }, { "cm", 10 }, { "mm", 1 }, { "km", 1000000 }, { NULL, 0 }
};
const struct hc_quantity_unit hc_decibel_units[] = { { "dB", 100 }, { "dBm", 100 }, { NULL, 0 } };
const struct hc_quantity_unit hc_light_units[] = { { "lux", 1000 }, { "klux", 1000000 }, { NULL, 0 } };
const struct hc_quantity_unit hc_temperature_units[] = { { "C", 1000 }, { NULL, 0 } };
const struct hc_quantity_unit hc_humidity_units[] = { { "%", 10 }, { NULL, 0 } };
const struct hc_quantity_unit hc_voltage_units[] = { { "V", 1000000 }, { "mV", 1000 }, { "uV", 1 }, { NULL, 0 } };
const struct hc_quantity_unit hc_plain_units[] = { { "", 100 }, { NULL, 0 } };

static const struct hc_quantity_unit *find_unit(const char *name, const struct hc_quantity_unit *units)
{
    if (!*name)
        return units;
    for (; units->name; units++)
        if (!strcmp(name, units->name))
            return units;
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits with at most one point among them: MANTISSA / 10^DECIMALS. Returns what follows, or NULL. */
static const char *read_decimal(const char *text, int64_t *mantissa, int *decimals)
{
    enum { DIGITS = 15 };
    int digits = 0;
    bool point = false;

    *mantissa = 0;
    *decimals = 0;
    for (; is_digit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (++digits > DIGITS)
            return NULL;
        *mantissa = *mantissa * 10 + (*text - '0');
        *decimals += point;
    }
    return digits ? text : NULL;
}

bool hc_quantity_parse(const char *text, const struct hc_quantity_unit *units, int64_t *out)
{
    const __int128 most = (__int128)1 << HC_QUANTITY_BITS;
    int64_t mantissa, power = 1;
    int decimals;
    bool negative = *text == '-';

    text = read_decimal(text + (negative || *text == '+'), &mantissa, &decimals);
    if (!text)
        return false;
    while (*text == ' ')
        text++;
    const struct hc_quantity_unit *unit = find_unit(text, units);
    if (!unit)
        return false;
    while (decimals--)
        power *= 10;
    __int128 value = ((__int128)mantissa * unit->scale + power / 2) / power;
    if (value > most)
        return false;
    *out = negative ? -(int64_t)value : (int64_t)value;
    return true;
}

bool hc_quantity_time(const char *text, hc_time *out)
{
    const int64_t most = (int64_t)100 * 24 * 3600 * 1000000;
    int64_t us;

    if (!hc_quantity_parse(text, hc_time_units, &us) || us < 0 || us > most)
        return false;
    *out = hc_us((uint64_t)us);
    return true;
}

const char *hc_quantity_units(const struct hc_quantity_unit *units, char *out, unsigned size)
{
    size_t length = 0;

    *out = '\0';
    for (int i = 0; units[i].name && length < size; i++) {
        const char *between = i == 0 ? "" : units[i + 1].name ? ", " : " or ";
        length += (size_t)snprintf(out + length, size - length, "%s%s", between, units[i].name);
    }
    return out;
}

bool hc_quantity_count(const char *text, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;

    if (!*text)
        return false;
    for (; *text; text++) {
        if (!is_digit(*text) || value > (most - (uint64_t)(*text - '0')) / 10)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    *out = value;
    return true;
}
