#include "input.h"

#include <stdlib.h>
#include <string.h>

/* sin(2 pi ANGLE / 2^32) times 2^30: a Taylor series over a quarter of the circle, good to 10^-5. */
static int64_t sine(uint32_t angle)
{
    const int64_t half_pi = 1686629713; /* pi/2 times 2^30 */
    uint32_t into = angle & 0x3fffffff;
    int64_t quarter = angle & 0x40000000 ? 0x40000000 - (int64_t)into : (int64_t)into;
    int64_t x = quarter * half_pi >> 30;
    int64_t square = x * x >> 30;
    int64_t term = x, sum = x;

    for (int n = 2; n <= 8; n += 2) {
        term = -(term * square >> 30) / (n * (n + 1));
        sum += term;
    }
    return angle & 0x80000000 ? -sum : sum;
}

static int64_t sine_at(const struct hc_sensor_input *input, hc_time t)
{
    hc_time into = (t % input->period + input->phase % input->period) % input->period;
    uint32_t angle = (uint32_t)(((unsigned __int128)into << 32) / input->period);

    return input->value + (int64_t)(((__int128)input->amplitude * sine(angle) + (1 << 29)) >> 30);
}

static int64_t table_at(const struct hc_sensor_input *input, hc_time t)
{
    const struct hc_input_point *p = input->points;
    size_t low = 0, high = input->count; /* the last point that is not after T is in [low - 1, high - 1] */

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p[middle].at <= t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return p[0].value;
    if (low == input->count || input->shape == HC_INPUT_STEPS)
        return p[low - 1].value;
    __int128 rise = (__int128)(p[low].value - p[low - 1].value) * (__int128)(t - p[low - 1].at);
    return p[low - 1].value + (int64_t)(rise / (__int128)(p[low].at - p[low - 1].at));
}

int64_t hc_input_at(const struct hc_sensor_input *input, hc_time t)
{
    switch (input->shape) {
    case HC_INPUT_SINE:
        return sine_at(input, t);
    case HC_INPUT_TABLE:
    case HC_INPUT_STEPS:
        return table_at(input, t);
    default:
        return input->value;
    }
}

/* ---- CSV ---- */

enum { FIELD = 40 };

static bool is_separator(char c)
{
    return c == ',' || c == ';' || c == '\t';
}

/* Field NUMBER (from 1) of a line without blanks around it; false when there is none or it is too long. */
static bool field(const char *line, size_t length, int number, char out[FIELD])
{
    size_t start = 0;

    for (; number > 1; number--) {
        while (start < length && !is_separator(line[start]))
            start++;
        if (start == length)
            return false;
        start++;
    }
    size_t end = start;
    while (end < length && !is_separator(line[end]))
        end++;
    while (start < end && (line[start] == ' ' || line[start] == '"'))
        start++;
    while (end > start && (line[end - 1] == ' ' || line[end - 1] == '\r' || line[end - 1] == '"'))
        end--;
    if (end - start >= FIELD)
        return false;
    memcpy(out, line + start, end - start);
    out[end - start] = '\0';
    return true;
}

static int add_point(struct hc_sensor_input *input, struct hc_input_point point, size_t *room,
                     struct hc_message *message)
{
    if (input->count == *room) {
        *room = *room ? 2 * *room : 64;
        struct hc_input_point *more = realloc(input->points, *room * sizeof *more);
        if (!more)
            return hc_no_memory(message);
        input->points = more;
    }
    input->points[input->count++] = point;
    return 0;
}

/* 1: the line has a point; 0: it is blank or a comment; negative: it is wrong. */
static int read_point(const char *line, size_t length, int column, const struct hc_quantity_unit *units,
                      struct hc_input_point *out)
{
    char time[FIELD], value[FIELD];

    if (!field(line, length, 1, time))
        return -1;
    if (!*time || *time == '#')
        return 0;
    if (!hc_quantity_time(time, &out->at) || !field(line, length, column, value))
        return -1;
    return hc_quantity_parse(value, units, &out->value) ? 1 : -1;
}

int hc_input_read_csv(struct hc_sensor_input *input, const char *name, const char *text, size_t size, int column,
                      const struct hc_quantity_unit *units, struct hc_message *message)
{
    size_t room = 0;
    int number = 0;

    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct hc_input_point point;
        int found = read_point(text + at, length, column, units, &point);
        number++;
        at += length + 1;
        if (found < 0 && number > 1)
            return hc_refuse(message, HC_REFUSED, "%s: line %d: no time in seconds in column 1, or no number in %d",
                             name, number, column);
        if (found <= 0)
            continue;
        if (input->count && point.at <= input->points[input->count - 1].at)
            return hc_refuse(message, HC_REFUSED, "%s: line %d: is not later than the line before", name, number);
        int error = add_point(input, point, &room, message);
        if (error)
            return error;
    }
    if (!input->count)
        return hc_refuse(message, HC_REFUSED, "%s: has no line with a time and a value in column %d", name, column);
    return 0;
}
