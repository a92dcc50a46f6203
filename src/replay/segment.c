/* Segments of a log: where each begins, and how a replay goes from one to the next. */
#include "internal.h"

bool hc_segments_cross(struct hc_replay *r)
{
    (void)r;
    return false;
}

bool hc_segments_more(const struct hc_replay *r)
{
    (void)r;
    return false;
}

uint16_t hc_segments_number(const struct hc_replay *r)
{
    (void)r;
    return 0;
}

void hc_segments_select(struct hc_replay *r, size_t index)
{
    (void)r;
    (void)index;
}

void hc_segments_free(struct hc_segments *segments)
{
    (void)segments;
}
