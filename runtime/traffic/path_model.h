/* Paths: how their numbers are coded. Node and desk go through the same states (FORMAT.md, "Paths").
 *
 * What came after the two numbers before it the last time is expected. Runs of what was expected are counted, as those
 * of messages are. What was not expected is what came after the number before it the last time, or is written out. */
#ifndef HC_TRAFFIC_PATH_MODEL_H
#define HC_TRAFFIC_PATH_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "path_map.h"

enum { HC_PATHS_PAIRS = 32, HC_PATHS_SINGLES = 16, HC_PATHS_LEVEL_MAX = 7 };

struct hc_path_model {
    uint16_t last, before;              /* numbers */
    uint16_t pairs[HC_PATHS_PAIRS];     /* by the last two: what came next */
    uint16_t singles[HC_PATHS_SINGLES]; /* by the last one */
    uint8_t level;                      /* 2^level that were expected are a bit */
};

static inline void hc_path_clear(struct hc_path_model *m)
{
    uint8_t *bytes = (uint8_t *)m;

    _Static_assert(sizeof *m < 256, "counted by a byte");
    for (uint8_t i = 0; i < (uint8_t)sizeof *m; i++)
        bytes[i] = 0;
}

static inline uint16_t *hc_path_pair(struct hc_path_model *m)
{
    uint16_t hash = m->last + (uint16_t)(m->before << 2) + m->before;

    return &m->pairs[(hash ^ hash >> 5) & (HC_PATHS_PAIRS - 1)];
}

static inline uint16_t *hc_path_single(struct hc_path_model *m)
{
    return &m->singles[(m->last ^ m->last >> 4) & (HC_PATHS_SINGLES - 1)];
}

static inline void hc_path_follow(struct hc_path_model *m, uint16_t number)
{
    *hc_path_pair(m) = number;
    *hc_path_single(m) = number;
    m->before = m->last;
    m->last = number;
}

static inline void hc_path_adapt(struct hc_path_model *m, bool full)
{
    if (full)
        m->level += m->level < HC_PATHS_LEVEL_MAX;
    else
        m->level -= m->level > 0;
}

#endif
