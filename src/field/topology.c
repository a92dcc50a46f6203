#include "topology.h"

#include "quantity.h"

#include <stdio.h>
#include <string.h>

enum kind { GRID, LINE, RANDOM, KINDS };

static const char *const names[KINDS] = { "grid", "line", "random" };
static const char *const forms[KINDS] = { "grid:COLUMNSxROWS[:PITCH]", "line:NODES[:PITCH]",
                                          "random:NODES:WIDTHxHEIGHT[:SEED]" };

const char hc_topology_forms[] = "grid:COLUMNSxROWS[:PITCH], line:NODES[:PITCH] and random:NODES:WIDTHxHEIGHT[:SEED]";

enum { FIELDS = 4, WORD = 64 };

struct topology {
    enum kind kind;
    int columns, rows; /* a line has one row; of a random one columns is the number of nodes */
    int64_t pitch;     /* millimetres */
    int64_t width, height;
    bool own_seed;
    uint64_t seed;
};

static int kind_of(const char *text)
{
    for (int i = 0; i < KINDS; i++) {
        size_t length = strlen(names[i]);
        if (!strncmp(text, names[i], length) && (text[length] == ':' || !text[length]))
            return i;
    }
    return -1;
}

bool hc_topology_recognise(const char *text)
{
    return kind_of(text) >= 0;
}

/* Cuts TEXT at its colons; returns how many parts there are, or 0 when there are too many or one is too long. */
static int split(const char *text, char part[FIELDS][WORD])
{
    int parts = 0;

    for (;;) {
        size_t length = strcspn(text, ":");
        if (parts == FIELDS || length >= WORD)
            return 0;
        memcpy(part[parts], text, length);
        part[parts++][length] = '\0';
        if (!text[length])
            return parts;
        text += length + 1;
    }
}

static bool read_count(const char *text, int *out)
{
    uint64_t value;

    if (!hc_quantity_count(text, HC_TOPOLOGY_MAX, &value) || !value)
        return false;
    *out = (int)value;
    return true;
}

static bool read_length(const char *text, int64_t *out)
{
    const int64_t most = 1000000; /* 1 km: no radio reaches farther */
    return hc_quantity_parse(text, hc_length_units, out) && *out > 0 && *out <= most;
}

/* "30x20m", "30mx20m" */
static bool read_area(char *text, int64_t *width, int64_t *height)
{
    char first[2 * WORD];
    char *x = strchr(text, 'x');
    size_t digits;

    if (!x)
        return false;
    *x = '\0';
    /* A width without a unit has the height's. */
    digits = strspn(x + 1, "0123456789.");
    snprintf(first, sizeof first, "%s%s", text, text[strspn(text, "0123456789.")] ? "" : x + 1 + digits);
    return read_length(first, width) && read_length(x + 1, height);
}

static bool read_grid(char part[FIELDS][WORD], int parts, struct topology *t)
{
    char *x = strchr(part[1], 'x');

    if (parts < 2 || parts > 3 || !x)
        return false;
    *x = '\0';
    return read_count(part[1], &t->columns) && read_count(x + 1, &t->rows) &&
           (parts < 3 || read_length(part[2], &t->pitch));
}

static bool read_line(char part[FIELDS][WORD], int parts, struct topology *t)
{
    return parts >= 2 && parts <= 3 && read_count(part[1], &t->columns) &&
           (parts < 3 || read_length(part[2], &t->pitch));
}

static bool read_random(char part[FIELDS][WORD], int parts, struct topology *t)
{
    t->own_seed = parts == 4;
    return parts >= 3 && read_count(part[1], &t->columns) && read_area(part[2], &t->width, &t->height) &&
           (parts < 4 || hc_quantity_count(part[3], UINT64_MAX, &t->seed));
}

static int read_topology(const char *text, struct topology *t, struct hc_message *message)
{
    static bool (*const readers[KINDS])(char part[FIELDS][WORD], int parts,
                                        struct topology *t) = { read_grid, read_line, read_random };
    char part[FIELDS][WORD] = { "" };
    int kind = kind_of(text);
    int parts = split(text, part);

    *t = (struct topology){ .kind = GRID, .rows = 1, .pitch = 1000 };
    if (kind < 0)
        return hc_refuse(message, HC_REFUSED, "unknown topology '%.80s'; expected %s, %s or %s", text, forms[0],
                         forms[1], forms[2]);
    t->kind = (enum kind)kind;
    if (!parts || !readers[kind](part, parts, t))
        return hc_refuse(message, HC_REFUSED, "topology '%.80s': expected %s (lengths up to 1 km, 1 to %d nodes)", text,
                         forms[kind], HC_TOPOLOGY_MAX);
    if (t->columns * t->rows > HC_TOPOLOGY_MAX)
        return hc_refuse(message, HC_REFUSED, "topology '%.80s' has %d nodes; at most %d are possible", text,
                         t->columns * t->rows, HC_TOPOLOGY_MAX);
    return 0;
}

int hc_topology_nodes(const char *text, struct hc_message *message)
{
    struct topology t = { 0 };
    int error = read_topology(text, &t, message);

    return error ? error : t.columns * t.rows;
}

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int hc_topology_place(const char *text, uint64_t seed, int count, struct hc_position *out, struct hc_message *message)
{
    struct topology t = { 0 };
    int error = read_topology(text, &t, message);

    if (error)
        return error;
    if (count > t.columns * t.rows)
        return hc_refuse(message, HC_REFUSED, "topology '%.80s' has room for %d nodes, not %d", text,
                         t.columns * t.rows, count);
    uint64_t state = t.own_seed ? t.seed : seed;
    for (int i = 0; i < count; i++) {
        if (t.kind == RANDOM) {
            out[i].x = (int32_t)(splitmix(&state) % (uint64_t)(t.width + 1));
            out[i].y = (int32_t)(splitmix(&state) % (uint64_t)(t.height + 1));
        } else {
            out[i].x = (int32_t)(i % t.columns * t.pitch);
            out[i].y = (int32_t)(i / t.columns * t.pitch);
        }
        out[i].z = 0;
    }
    return 0;
}
